"""Words by which a program shows a secret that it keeps: ``wallet decrypt-keystore``, ``auth
token``, ``get-password``. Listing the names of secrets shows none.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.verb_words import parts
from interlock.shell.value import Value

_REVEALS = frozenset(words("verbs", "reveals"))
_SECRETS = frozenset(words("verbs", "secrets"))
_KEEPS = frozenset(words("verbs", "keeps"))


def reveals(said: list[str]) -> str:
    """Return the word of a command by which a secret is shown, or ``""``."""
    for at, word in enumerate(said):
        own = parts(word)
        kept = _KEEPS.intersection(said[at - 1 : at]) if at else frozenset()
        if kept and "-".join(own) in _SECRETS:
            return word
        beside = [piece for one in said[max(at - 1, 0) : at + 3] for piece in parts(one)]
        if not _REVEALS.isdisjoint(own) and _names_secret(own if len(own) > 1 else beside):
            return word
    return ""


def _names_secret(pieces: list[str]) -> bool:
    """Whether words name a secret, by one of them or by two in a row."""
    pairs = {f"{one}-{pieces[at + 1]}" for at, one in enumerate(pieces[:-1])}
    return not _SECRETS.isdisjoint(pairs.union(pieces))


_KEEPERS = ("cred", "secret", "vault", "passw", "keyring", "wallet", "ejson", "otp")
"""What parts of the names of programs begin with that keep secrets."""
_KEEPERS_ENDS = ("cred", "creds", "secrets", "vault", "wallet")
_OF_KEEPERS = frozenset("get show cat read password print view decrypt reveal export".split())


def keeper_shows(name: str, said: list[str]) -> str:
    """Return the word by which a program shows a secret whose name says that it keeps them
    (``credstash get db``), or that decrypts (``ejson decrypt FILE``); or ``""``.
    """
    keeps = any(
        piece.startswith(_KEEPERS) or piece.endswith(_KEEPERS_ENDS) or piece == "pass"
        for piece in parts(name)
    )
    for word in said[:2]:
        if word == "decrypt" or (keeps and word in _OF_KEEPERS):
            return word
    return ""


def asks_to_reveal(arguments: list[Value]) -> str:
    """Return the option that has a secret shown (``--reveal``, ``--show-secrets``), or ``""``."""
    for value in arguments:
        if value.text in (
            "--reveal",
            "--show-secrets",
            "--show-password",
            "--unmask",
            "--plaintext",
        ):
            return value.text
    return ""
