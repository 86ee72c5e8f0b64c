"""``Prompt``: asks the person at the terminal, with one key: y once, n no, a for longer. For loops
of our own; a hook never waits.

It writes to standard error and reads the terminal itself, so standard input may be a pipe and
standard output a file. No answer in time, Ctrl-C and a closed terminal are a no. What ``a`` would
grant is shown before it is granted.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic

from interlock.approvals.exact_calls import verbatim
from interlock.approvals.grant_scope import ONCE, PROJECT, SESSION, Cover, covers_of, lasting
from interlock.approvals.keys import Ends, Keyboard, NoTerminalError
from interlock.approvals.screen import Paint, format_time_left, lines, plain, sanitize_line
from interlock.approvals.summary import describe_call
from interlock.approvals.terms import ApprovalTerms, find_roles, terms
from interlock.approvals.user import me
from interlock.model.call import ToolCall
from interlock.model.decision import Approval, Decision
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.policy import Policy

_CODES = {"red": "31", "amber": "33", "green": "32", "grey": "90", "bold": "1", "underline": "4"}


_ONE = Lock()
"""One question at a time, however many threads ask."""


def nothing() -> None:
    """Do nothing: there is no spinner."""


def colour_text(text: str, *names: str) -> str:
    """Paint a text for a terminal."""
    return (
        f"\x1b[{';'.join([_CODES[name] for name in names])}m{text}\x1b[0m"
        if text and names
        else text
    )


class Prompt:
    """An ``Ask`` of the guard. ``policy`` says how long there is to answer and who holds which
    role; ``facts`` where a link leads.

    ``pause`` is called before anything is written and ``resume`` after the answer, whatever it is:
    a spinner. ``ends``: the terminal, in place of the process's own. ``colour``: paint, or mark in
    plain text.
    """

    def __init__(
        self, policy: Policy, facts: Facts, *, ends: Ends | None = None, colour: bool = True
    ) -> None:
        self.policy = policy
        self.facts = facts
        self.ends = ends
        self.colour = colour
        self.pause: Callable[[], None] = nothing
        self.resume: Callable[[], None] = nothing

    def __call__(self, decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        """Return the approval of the person at the terminal, or None. Never waits longer than the
        rules say.
        """
        needed, person = terms(decision, self.policy), me()
        roles = find_roles(person, self.policy.roles) & frozenset(needed.roles)
        with _ONE:
            return self._at_terminal(
                decision, call, reading, Approval(decision.id, person, roles=roles)
            )

    def _at_terminal(
        self, decision: Decision, call: ToolCall, reading: Reading, yes: Approval
    ) -> Approval | None:
        needed = terms(decision, self.policy)
        self.pause()
        try:
            with Keyboard(self.ends) as keyboard:
                if needed.several or not yes.roles.issuperset(needed.roles):
                    keyboard.say(
                        "\ninterlock: this needs the approval of"
                        f" {' and '.join(needed.roles) or 'several people'}; it did not run\n"
                    )
                    return None
                return self._asked(keyboard, decision, call, reading, yes)
        except (NoTerminalError, KeyboardInterrupt):
            return None
        finally:
            self.resume()

    def _asked(
        self,
        keyboard: Keyboard,
        decision: Decision,
        call: ToolCall,
        reading: Reading,
        yes: Approval,
    ) -> Approval | None:
        needed = terms(decision, self.policy)
        scopes, covers = self._offers(decision, call, reading, needed)
        paint: Paint = colour_text if self.colour else plain
        words = [
            paint("? interlock asks", "amber", "bold"),
            *lines(describe_call(call, reading, decision, str), paint, colour=self.colour),
        ]
        keyboard.say("\n" + "\n".join(words) + "\n")
        keyboard.settle()
        until = monotonic() + needed.seconds
        longer = f"  {paint('[a]', 'bold')} longer..." if scopes else ""
        keyboard.say(
            f"  {paint('[y]', 'bold')} once  {paint('[n]', 'bold')} no{longer}  (no answer in"
            f" {format_time_left(needed.seconds)} is a no) "
        )
        pressed = self._await_key(keyboard, until, "yna" if scopes else "yn")
        if pressed == "a":
            pressed = self._longer(keyboard, until, scopes, covers)
        scope = {"y": ONCE, "s": SESSION, "p": PROJECT}.get(pressed)
        said = {ONCE: "once", SESSION: "for this session", PROJECT: "for this project"}.get(
            scope or "", ""
        )
        keyboard.say(
            paint(f"approved {said}", "green") + "\n"
            if scope
            else paint(f"not approved{pressed}", "red") + "\n"
        )
        return yes.replace(scope=scope) if scope else None

    def _offers(
        self, decision: Decision, call: ToolCall, reading: Reading, needed: ApprovalTerms
    ) -> tuple[str, tuple[Cover, ...]]:
        """Return the keys of the scopes that this call may be granted for, and what that covers."""
        covers, _ = covers_of(decision, self.policy, self.facts, verbatim(call, reading))
        if not covers or needed.roles:
            return "", ()
        session, project = (
            "s" if call.session else "",
            "p" if call.roots and lasting(covers, PROJECT) else "",
        )
        return session + project, covers

    def _longer(
        self, keyboard: Keyboard, until: float, scopes: str, covers: tuple[Cover, ...]
    ) -> str:
        """Show exactly what would be granted, and ask for how long."""
        how = self.policy.approving
        keyboard.say(
            "\n  This and nothing else would run without a question:\n"
            + "".join([f"    {sanitize_line(cover.told())}\n" for cover in covers])
        )
        offers = {
            "s": f"[s] in this session, for {format_time_left(how.session_seconds)}  ",
            "p": f"[p] in this project, for {format_time_left(how.project_seconds)}  ",
        }
        keyboard.say(
            f"  {''.join([offers[key] for key in scopes])}{how.uses} times at most  [y] only once "
            " [n] no "
        )
        return self._await_key(keyboard, until, scopes + "yn")

    @staticmethod
    def _await_key(keyboard: Keyboard, until: float, keys: str) -> str:
        """Return the first of these keys that is pressed, or why there was none, in words that
        follow "not approved".
        """
        while True:
            key = keyboard.key(until)
            if key is None:
                return ": no answer in time"
            if key in ("", "n"):
                return ""
            if key in keys:
                return key
