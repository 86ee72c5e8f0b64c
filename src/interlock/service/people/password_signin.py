"""Signing in here: a name and a password, and the code of an authenticator where one is set up.

Whatever is wrong, the answer is one and takes as long: it says nothing of who there is.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.service.guess_limits import GuessCounter
from interlock.service.keys import ServiceKeys
from interlock.service.people import codes, passwords
from interlock.service.people.owner import SignInError, clean_name
from interlock.service.people.signin import enter, proven
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStore,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import PASSWORD, SECOND, Credential, Person, Visit
from interlock.store.chain import now

TOTP, FRESH = "totp", "totp-fresh"
"""Kinds of credentials: an authenticator, and one that was not confirmed yet."""
WRONG = "That name, password or code is not right."
CODE_WRONG = "That code is not right. It changes every 30 seconds: give the one it shows now."
LATER = "Too many tries. Try again in {} minutes."


class PasswordSignIn:
    """Where people come in; all that it stands on is the service's. ``guesses`` counts tries,
    ``refused`` records those in vain: for whom, by what.
    """

    def __init__(
        self,
        keeping: ServiceStore,
        keys: ServiceKeys,
        guesses: GuessCounter,
        refused: Callable[[str, str], None],
    ) -> None:
        self._keeping, self._keys = keeping, keys
        self._guesses, self._refused = guesses, refused

    def enter(self, text: str, password: str, code: str) -> tuple[str, Visit]:
        """Return a new visit and its cookie's value; raises ``SignInError``."""
        name = clean_name(text)
        self._count("password", name or text)
        person, kept_hash, totp = self._keeping.read(lambda known: _find_login(known, name))
        fits = passwords.fits(password, kept_hash)
        if person is None or not fits:
            self._refused("", "password")
            raise SignInError(WRONG)
        if totp is not None:
            self._code(totp, code, WRONG)
        self._guesses.right(f"password {name}")
        strength, proved = (SECOND, now()) if totp is not None else (PASSWORD, "")
        return self._keeping.write(lambda steps: enter(steps, person, strength, proved))

    def prove(self, visit: Visit, code: str) -> str:
        """Have a visit count as one of somebody there in person; return its cookie's new value:
        who had the old one gains nothing. Raises ``SignInError``.
        """
        totp = self._keeping.read(lambda known: known.credential(visit.person, TOTP))
        if totp is None:
            raise SignInError("There is no authenticator yet: set one up first.")
        self._code(totp, code, CODE_WRONG)
        return self._keeping.write(lambda steps: proven(steps, visit, "code"))

    def begin_totp(self, visit: Visit) -> str:
        """Return the secret of an authenticator that is to be confirmed: this visit's own, which
        nobody saw who was signed in as the same person before.
        """
        found = self._fresh(visit)
        if found:
            return found
        secret = codes.secret()
        sealed = self._keys.seal(secret, f"{visit.person} {visit.token}")
        made = Credential(visit.person, FRESH, sealed, now())
        self._keeping.write(lambda steps: steps.put_credential(made))
        return secret

    def _fresh(self, visit: Visit) -> str:
        """Return the secret that this visit has begun with, empty where it has not."""
        fresh = self._keeping.read(lambda known: known.credential(visit.person, FRESH))
        if fresh is None:
            return ""
        try:
            return self._keys.opened(fresh.value, f"{visit.person} {visit.token}")
        except ServiceStoreError:
            return ""  # begun by another visit

    def confirm_totp(self, visit: Visit, code: str) -> str:
        """Have an authenticator count from now on, by its first code; return the visit's new
        cookie. Raises ``SignInError``.
        """
        name, secret = visit.person, self._fresh(visit)
        if not secret:
            raise SignInError("Begin anew: there is no authenticator to confirm.")
        self._count("code", name)
        step = codes.step_of(secret, code)
        if not step:
            raise SignInError(CODE_WRONG)
        made = Credential(name, TOTP, self._keys.seal(secret, name), now(), step)
        self._guesses.right(f"code {name}")

        def work(steps: ServiceWriter) -> str:
            steps.put_credential(made)
            steps.end_credential(name, FRESH)
            steps.end_visits(name, visit.token)
            steps.note("authenticator", name, {"by": name})
            return proven(steps, visit, "authenticator")

        return self._keeping.write(work)

    def set_password(self, visit: Visit, old: str, new: str) -> None:
        """Set a password, or another one; every other visit of the person ends. Raises
        ``SignInError``.
        """
        name = visit.person
        person = self._keeping.read(lambda known: known.person(name))
        if person is None or person.subject:
            raise SignInError("You sign in with your provider: it has your password.")
        before = self._keeping.read(lambda known: known.credential(name, PASSWORD))
        if before is not None:
            self._count("password", name)
            if not passwords.fits(old, before.value):
                raise SignInError("Your password until now is not right.")
            self._guesses.right(f"password {name}")
        change_password(self._keeping, name, new, visit.token)

    def _code(self, totp: Credential, code: str, wrong: str) -> None:
        """Count a code as used; raises ``SignInError`` where it is none, or was used before."""
        name = totp.person
        self._count("code", name)
        step = codes.step_of(self._keys.opened(totp.value, name), code)
        if not step or not self._keeping.write(lambda steps: steps.use_code(name, TOTP, step)):
            self._refused(name, "code")
            raise SignInError(wrong)
        self._guesses.right(f"code {name}")

    def _count(self, kind: str, name: str) -> None:
        wait = self._guesses.wait(f"{kind} {name}")
        if wait:
            raise SignInError(LATER.format(-(-wait // 60)))


def change_password(keeping: ServiceStore, name: str, password: str, visit: str = "") -> None:
    """Keep a person's password, and end their visits but for one; raises ``SignInError``."""
    why = passwords.unfit(password, name)
    if why:
        raise SignInError(why)
    made = Credential(name, PASSWORD, passwords.hash_password(password), now())

    def work(steps: ServiceWriter) -> None:
        steps.put_credential(made)
        steps.end_visits(name, visit)
        steps.note("password", name, {"by": name})

    keeping.write(work)


def _find_login(known: ServiceReader, name: str) -> tuple[Person | None, str, Credential | None]:
    person = known.person(name) if name else None
    password = known.credential(name, PASSWORD)
    live = person if person is not None and not person.ended else None
    return live, password.value if password is not None else "", known.credential(name, TOTP)
