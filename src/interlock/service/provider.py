"""A provider that people sign in with (OpenID Connect), as a file names it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record
from interlock.service.addresses import split_url
from interlock.service.roles import APPROVER, ROLES

LOOPBACK = ("127.0.0.1", "::1", "localhost")
NEEDED, MAY = ("issuer", "client", "roles"), ("secret", "groups", "name")


class ProviderError(Exception):
    """The file says nothing that people could sign in with; the sentence says why."""


class IdentityProvider(Record):
    """``roles``: what each of its groups holds here, as role and, of an approver, what for.
    ``groups``, ``name``: the claims that name a person's groups, and the person.
    """

    issuer: str
    client: str
    secret: str
    roles: Mapping[str, tuple[tuple[str, str], ...]]
    groups: str = "groups"
    name: str = "preferred_username"

    @property
    def host(self) -> str:
        """How people know it."""
        return urlsplit(self.issuer).netloc


def read(path: str) -> IdentityProvider:
    """Return the provider of a file; raises ``ProviderError`` or ``OSError``."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        said = loads(text)
    except JsonError as error:
        raise ProviderError(f"{path} is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise ProviderError(f"{path}: expected an object with {', '.join(NEEDED)}")
    for name in [one for one in said if one not in (*NEEDED, *MAY)]:
        raise ProviderError(f"{path}: unknown key {name!r}; known are {', '.join((*NEEDED, *MAY))}")
    for name in [one for one in NEEDED if one not in said]:
        raise ProviderError(f"{path}: {name} is missing")
    texts = {name: said[name] for name in ("issuer", "client", *MAY) if name in said}
    for name in [one for one, value in texts.items() if not isinstance(value, str)]:
        raise ProviderError(f"{path}: {name} is no text")
    return IdentityProvider(**{"secret": "", **texts}, roles=_roles(path, said["roles"])).replace(
        issuer=_issuer(path, texts["issuer"])
    )


def _issuer(path: str, text: str) -> str:
    if not is_address(text) or "?" in text or "#" in text:
        raise ProviderError(f"{path}: issuer is {text!r}; expected an https:// address")
    return text.rstrip("/")


def is_address(text: str) -> bool:
    """Tell whether nobody on the way reads what is said there."""
    try:
        there = split_url(text)
    except ValueError:
        return False
    return there.scheme == "https" or (there.scheme == "http" and there.hostname in LOOPBACK)


def _roles(path: str, said: object) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return each group's roles: ``{"leads": ["reader", "approver:lead"]}``."""
    if not isinstance(said, dict):
        raise ProviderError(f"{path}: roles is an object: a group, and a list of its roles")
    found = {}
    for group, words in said.items():
        some = words if isinstance(words, list) else [words]
        pairs = [str(one).partition(":")[::2] for one in some]
        for role, what in pairs:
            if role not in ROLES or (role == APPROVER) is not bool(what):
                raise ProviderError(
                    f"{path}: {group} has {role!r}; expected one of {', '.join(ROLES)}, and of an"
                    " approver what for: approver:lead"
                )
        found[group] = tuple(pairs)
    return found
