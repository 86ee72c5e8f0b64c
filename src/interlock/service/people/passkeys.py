"""Passkeys (WebAuthn): a key that a device keeps and uses once its owner has shown themselves to
it, by a finger, a face or a PIN. So it is two factors in one, and counts as somebody in person.

A page holds the challenge for one, sealed, with what it is for. It counts for an hour, and once.
"""

from __future__ import annotations

import ipaddress
from hashlib import blake2b
from secrets import token_bytes
from typing import Any

import webauthn
from webauthn.helpers import bytes_to_base64url as word
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from interlock.model.jsontext import JsonError, dumps, object_of
from interlock.model.record import Record
from interlock.service.keys import ServiceKeys
from interlock.service.people.owner import SignInError, live
from interlock.service.people.signin import enter, proven
from interlock.service.secrets import later
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStore,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import PASSKEY, SECOND, Credential, Link, Visit
from interlock.store.chain import now

SPENT = "passkey-used"
SECONDS = 3600
MOST = 10
WRONG = "That passkey is not right for this: use another, or a password and a code."
LATE = "That page was open for too long, or was used already: try again."
FULL = f"You have {MOST} passkeys: remove one first."
_VERIFIED = UserVerificationRequirement.REQUIRED


class Site(Record):
    """By which name a page was called: a passkey is one for a name, and for that alone."""

    origin: str

    @property
    def name(self) -> str:
        """The name without its port."""
        host = self.origin.partition("://")[2]
        return host if host.endswith("]") else host.rpartition(":")[0] or host

    @property
    def fits(self) -> bool:
        """Whether there may be passkeys for it: not for a bare address."""
        try:
            ipaddress.ip_address(self.name.strip("[]"))
        except ValueError:
            return True
        return False


class PasskeyChallenge(Record):
    """What a page asks a browser for. ``options``: JSON; ``begun``: what it sends along."""

    options: str
    begun: str


class Passkeys:
    """Those of one service, as the page of one site uses them."""

    def __init__(self, keeping: ServiceStore, keys: ServiceKeys, site: Site) -> None:
        self._keeping, self._keys, self._site = keeping, keys, site

    def to_make(self, visit: Visit, shown: str) -> PasskeyChallenge:
        """Return how a passkey is made for whoever this visit is of."""
        held = self._keeping.read(lambda known: passkeys(known, visit.person))
        challenge = token_bytes(32)
        options = webauthn.generate_registration_options(
            rp_id=self._site.name, rp_name="interlock", user_name=visit.person,
            user_display_name=shown, challenge=challenge,
            user_id=blake2b(self._keys.hash_text(f"passkey {visit.person}").encode()).digest(),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=_VERIFIED
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=_id(one)) for one in held],
        )  # fmt: skip
        return PasskeyChallenge(
            webauthn.options_to_json(options), self._sealed(challenge, visit.token)
        )

    def make(self, visit: Visit, begun: str, given: str) -> str:
        """Keep a new passkey; return the visit's new cookie, which counts as somebody in person;
        the person's other visits end. Raises ``SignInError``.
        """
        challenge, name = self._opened(begun, visit.token), visit.person
        try:
            found = webauthn.verify_registration_response(
                credential=given, expected_challenge=challenge, expected_rp_id=self._site.name,
                expected_origin=self._site.origin, require_user_verification=True,
            )  # fmt: skip
        except (WebAuthnException, ValueError) as error:
            raise SignInError(WRONG) from error
        kind = PASSKEY + word(found.credential_id)
        value = word(found.credential_public_key)
        made = Credential(name, kind, value, now(), found.sign_count)

        def work(steps: ServiceWriter) -> str:
            self._spend(steps, challenge)
            if steps.credential_of(kind) is not None:
                raise SignInError(WRONG)
            if len(passkeys(steps, name)) >= MOST:
                raise SignInError(FULL)
            steps.put_credential(made)
            steps.end_visits(name, visit.token)
            steps.note("passkey", name, {"by": name})
            return proven(steps, visit, "passkey")

        return self._keeping.write(work)

    def to_use(self, visit: Visit | None = None) -> PasskeyChallenge:
        """Return how one is used: to sign in, or to show that one is still here."""
        held = self._keeping.read(lambda known: passkeys(known, visit.person)) if visit else []
        challenge = token_bytes(32)
        options = webauthn.generate_authentication_options(
            rp_id=self._site.name, challenge=challenge, user_verification=_VERIFIED,
            allow_credentials=[PublicKeyCredentialDescriptor(id=_id(one)) for one in held] or None,
        )  # fmt: skip
        whose = visit.token if visit else ""
        return PasskeyChallenge(webauthn.options_to_json(options), self._sealed(challenge, whose))

    def enter(self, begun: str, given: str) -> tuple[str, Visit]:
        """Return a new visit and its cookie's value; raises ``SignInError``."""
        challenge = self._opened(begun, "")
        used = self._used(challenge, given)

        def work(steps: ServiceWriter) -> tuple[str, Visit]:
            self._count(steps, challenge, used)
            return enter(steps, live(steps, used.person), SECOND, now())

        return self._keeping.write(work)

    def prove(self, visit: Visit, begun: str, given: str) -> str:
        """Have a visit count as one of somebody there in person; return its cookie's new value.
        Raises ``SignInError``.
        """
        challenge = self._opened(begun, visit.token)
        used = self._used(challenge, given)
        if used.person != visit.person:
            raise SignInError(WRONG)

        def work(steps: ServiceWriter) -> str:
            self._count(steps, challenge, used)
            return proven(steps, visit, "passkey")

        return self._keeping.write(work)

    def _used(self, challenge: bytes, given: str) -> Credential:
        """Return the passkey that a browser used, as it counts by now; raises ``SignInError``."""
        kind = f"{PASSKEY}{object_of(given).get('id', '')}"
        found = self._keeping.read(lambda known: known.credential_of(kind))
        if found is None:
            raise SignInError(WRONG)
        try:
            used = webauthn.verify_authentication_response(
                credential=given, expected_challenge=challenge, expected_rp_id=self._site.name,
                expected_origin=self._site.origin, require_user_verification=True,
                credential_public_key=webauthn.base64url_to_bytes(found.value),
                credential_current_sign_count=found.last,
            )  # fmt: skip
        except (WebAuthnException, ValueError) as error:
            raise SignInError(WRONG) from error
        return found.replace(last=used.new_sign_count)

    def _count(self, steps: ServiceWriter, challenge: bytes, used: Credential) -> None:
        """Note that a passkey was used, unless it was taken away; raises ``SignInError``."""
        self._spend(steps, challenge)
        if steps.credential(used.person, used.kind) is None:
            raise SignInError(WRONG)
        steps.put_credential(used)

    def _spend(self, steps: ServiceWriter, challenge: bytes) -> None:
        """Have a challenge count once; raises ``SignInError`` where it did."""
        token = self._keys.hash_text(
            f"passkey used {challenge.hex()}"
        )  # nobody's link is called so
        if steps.link(token, now()) is not None:
            raise SignInError(LATE)
        steps.add_link(Link(token, "", SPENT, later(SECONDS)))

    def _sealed(self, challenge: bytes, visit: str) -> str:
        said = dumps({"challenge": challenge.hex(), "until": later(SECONDS)})
        return self._keys.seal(said, f"passkey {visit}")

    def _opened(self, begun: str, visit: str) -> bytes:
        """Return the challenge of a page of this visit; raises ``SignInError``."""
        try:
            said: dict[str, Any] = object_of(self._keys.opened(begun, f"passkey {visit}"))
        except (ServiceStoreError, JsonError) as error:
            raise SignInError(LATE) from error
        if str(said.get("until", "")) <= now():
            raise SignInError(LATE)
        return bytes.fromhex(said["challenge"])


def passkeys(known: ServiceReader, person: str) -> list[Credential]:
    """Return a person's passkeys."""
    return [one for one in known.credentials(person) if one.kind.startswith(PASSKEY)]


def end(keeping: ServiceWriter, person: str, kind: str) -> None:
    """Have a passkey count no more."""
    if kind.startswith(PASSKEY) and keeping.credential(person, kind) is not None:
        keeping.end_credential(person, kind)
        keeping.note("passkey-ended", person, {"by": person})


def _id(passkey: Credential) -> bytes:
    return webauthn.base64url_to_bytes(passkey.kind.removeprefix(PASSKEY))
