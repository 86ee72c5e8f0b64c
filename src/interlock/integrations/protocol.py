"""The words of every integration: what clients say (``ClientEvent``) and hear (``Reply``)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Protocol

from interlock.engine.explain import describe_loss, one_line
from interlock.model.action import ASK, THROTTLE, VERDICT_ASK, VERDICT_DENY, WARN, Verdict
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import CHECKPOINT_TAKEN, Decision, Finding
from interlock.model.record import Record


class HookProtocol(Protocol):
    """What reads a client's events and answers them. ``asks`` is ``native`` or ``never``."""

    @property
    def asks(self) -> str:
        """Return how a person is asked."""
        ...

    def read(self, payload: object, variables: Mapping[str, str], platform: str) -> ClientEvent:
        """Turn what the client said into an event; raises ``UnreadableEventError`` for nonsense."""
        ...

    def write(self, decision: Decision, event: ClientEvent) -> Reply:
        """Say a decision in the client's words. Total: every decision has an answer."""
        ...

    @property
    def asks_first(self) -> bool:
        """Return whether the client asks its user before the hook judges the call."""
        ...

    def permit(self, event: ClientEvent, *, approved: bool) -> Reply:
        """Answer the client's own question about a call that was judged: yes, or nothing, which
        leaves it to the user.
        """
        ...

    def greet(self, event: ClientEvent) -> Reply:
        """Say to the model, at the start of a session, that calls are judged."""
        ...

    def on_error(self, message: str, kind: str = ...) -> Reply:
        """Say that the guard failed: a refusal for a check, a warning for everything else."""
        ...


CHECK, PERMISSION, OUTCOME, PROMPT, SESSION, OTHER = (
    "check",
    "permission",
    "outcome",
    "prompt",
    "session",
    "other",
)
KINDS = (CHECK, PERMISSION, OUTCOME, PROMPT, SESSION, OTHER)

PLATFORM = {"win32": "windows", "cygwin": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
"""This machine's, as a ``ToolCall`` has it."""
CARRIES = frozenset({"notify"})
"""Obligations that need nothing of an enforcement point."""
EXCERPT = 4000
"""Characters of what a tool said that are recorded at most."""
DENIED = "Blocked by interlock:"
THROTTLED = "Held back by interlock:"
WARNED = "Allowed by interlock, with a warning:"
"""How an answer begins; the reason follows on that line, the only one that clients show."""
NOT_RUN = "The call did not run."
_ADVICE = "For the agent: "
NO_RETRY = "For the agent: do not retry it, in this or another form, unless the user approved it."
_LATER = (
    "For the agent: wait before you try again, and do not reach for the same end by another way."
)

QUOTE = 160
"""Characters of a call that an answer quotes at most."""
REASON = 1500
"""Characters of an answer's reason at most."""


class UnreadableEventError(ValueError):
    """The client sent what its protocol does not know; the message says what, for a person."""


class ClientEvent(Record):
    """One thing a client told the guard.

    ``kind``: ``check`` (may this call run?), ``permission`` (the client is about to ask its user
    about one that was judged), ``outcome`` (it ran), ``prompt`` (the person said something),
    ``session`` (it begins) or ``other`` (nothing to do).
    ``call`` is set for ``check`` and ``permission``, ``outcome`` for ``outcome``, ``prompt`` for
    ``prompt``.
    ``name`` is the client's own word for the event. ``roots`` is what the client calls its project,
    not yet judged; ``wide``: it is too wide to be a workspace. ``env_file``: where the client reads
    variables for the commands it runs, at a session's start.
    ``asks``: how the client asks here, where that is not the same for all its events. ``mode``: the
    client's own word for how much it asks.
    """

    kind: str
    name: str = ""
    session: str = ""
    cwd: str = ""
    roots: tuple[str, ...] = ()
    wide: bool = False
    call: ToolCall | None = None
    outcome: Outcome | None = None
    prompt: str = ""
    env_file: str = ""
    asks: str = ""
    mode: str = ""


class Reply(Record):
    """What the client gets: one line for its standard output or nothing, words for its standard
    error, the exit code.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class HookedEvent(Record):
    """One event of a client that the guard listens to. ``matcher`` is empty where the client's
    event has none.

    ``note``: only told, never asked; the guard's failure there must not stand in anybody's way.
    """

    event: str
    matcher: str = ""
    note: bool = False


ANY = "any"
"""The value of a switch that is on where it holds anything."""
EXCLUDED = "excluded"
"""The value of a switch that is on where a list takes out our plugin's file (``-PATH``,
``!PATTERN``).
"""


class Plugin(Record):
    """What a client loads that has no hooks of its own kind.

    ``file``, below the settings' folder, is all ours, and made of ``source`` in
    ``integrations/plugins``. ``line``: key, name and value in the settings that hold where the
    plugin is not loaded; empty where the client knows none.
    """

    file: str
    source: str
    line: tuple[str, ...] = ()


class ServerFile(Record):
    """A file in which a client finds the MCP servers that it starts.

    ``path``: below the user's folder, below HOME where it begins with ``~/`` (a variable that moves
    the folder moves it too), below a project where ``project`` is so. ``keys`` lead to the table of
    servers by name; ``{project}`` stands for the project's folder.
    """

    path: str
    keys: tuple[str, ...]
    project: bool = False


class Settings(Record):
    """Where and how a client is told about the guard; the installer and the doctor read nothing
    else.

    ``folder`` is relative to HOME and to a project; ``variable`` names the environment variable
    that moves the user's one.
    ``file`` is written, ``files`` are all that can hold a switch. ``key`` leads to the table of
    events. ``timeout`` is in the client's unit; ``block`` is what a guarding entry needs besides.
    ``switches``: a key (dots between) and the value that turns hooks off, ``ANY`` for whatever is
    not empty. ``package`` and ``program`` name the client; ``oldest`` is the first version that
    keeps ``block``'s promise, or else the one that was measured. ``trusting``: where the client
    runs no hook before it was trusted, the arguments with which its own program answers questions
    about that. ``shell_tool``: its name for the shell's tool. ``project``: the folder in a project,
    where it has another name than the user's. ``below``: what follows the folder that ``variable``
    names. ``plugin``: what is installed instead of entries under ``key``. ``servers``: where its
    MCP servers are written.
    ``commented``: the client itself writes comments into its JSON.
    """

    folder: str
    variable: str
    file: str
    files: tuple[str, ...]
    key: str
    events: tuple[HookedEvent, ...]
    timeout: int
    block: tuple[tuple[str, str], ...]
    switches: tuple[tuple[str, object], ...]
    package: str
    program: str
    oldest: tuple[int, int, int]
    trusting: tuple[str, ...] = ()
    shell_tool: str = "Bash"
    project: str = ""
    below: str = ""
    plugin: Plugin | None = None
    servers: tuple[ServerFile, ...] = ()
    commented: bool = False


# -- what a decision comes to ----------------------------------------------------------------------


def effective_verdict(decision: Decision, carries: frozenset[str] = frozenset()) -> Verdict:
    """Return the verdict once obligations are counted.

    ``carries``: the obligations that this enforcement point carries out. Any other one makes an
    allow an ask; the approval of a role cannot be given at the client's own prompt, so it is a
    deny, unless it was given already. An observing policy's allow stays one.
    """
    if decision.observed:
        return decision.verdict
    verdict = decision.verdict
    for obligation in decision.obligations:
        if obligation.name not in carries and not obligation.met:
            verdict = max(verdict, VERDICT_DENY if obligation.name == "approver" else VERDICT_ASK)
    return verdict


def denial(decision: Decision, event: ClientEvent) -> str:
    """Say why a call did not run, what can be done, and what did not run."""
    if decision.action == THROTTLE:
        return reason(decision, event, THROTTLED, NOT_RUN, _LATER)
    return reason(decision, event, DENIED, NOT_RUN, NO_RETRY)


def warning(decision: Decision, event: ClientEvent) -> str:
    """Say what a call that may run is warned of; ``""`` where there is no warning, and where the
    policy only observes.

    That something of the guard itself is gone is told in any case.
    """
    if decision.warned and not decision.observed:
        return reason(decision, event, WARNED)
    return clip(
        "\n".join([finding.message for finding in decision.findings if finding.stage == PRESENCE]),
        REASON,
    )


def question(decision: Decision, event: ClientEvent) -> str:
    """Say to the person who is asked: the reason first, then what would be lost, and last what is
    for the agent and for the record.
    """
    findings = _telling(decision)
    said = [_sentence(finding, event, decision) for finding in findings]
    instead = dict.fromkeys([one_line(finding.instead) for finding in findings if finding.instead])
    lines = [
        *said[:1],
        *_at_stake(decision),
        *said[1:],
    ]
    lines += [
        f"Needs: {one_line(f'{duty.name} {duty.detail}')}"
        for duty in decision.obligations
        if not duty.met
    ]
    lines += [f"For the agent: {words}" for words in instead]
    named = ", ".join(dict.fromkeys(finding.rule for finding in findings))
    return clip(
        "\n".join([*lines, f"interlock; rule: {named or 'none'}; decision: {decision.id}"]), REASON
    )


def _sentence(finding: Finding, event: ClientEvent, decision: Decision) -> str:
    """Say in one line what a finding is about, with the words of the call that it speaks of."""
    words, quoted = _because(finding, decision).rstrip("."), _quote_match(finding, event)
    return f"{words[:1].upper()}{words[1:]}{f': {quoted}' if quoted else '.'}"


def undoing(decision: Decision) -> str:
    """Say how a person brings back what a call takes away before which a checkpoint was taken;
    ``""`` where none was.
    """
    return next(
        (
            one_line(finding.message)
            for finding in decision.findings
            if finding.rule == CHECKPOINT_TAKEN
        ),
        "",
    )


def reason(
    decision: Decision, event: ClientEvent, lead: str, ran: str = "", advice: str = ""
) -> str:
    """Say why in the first line, which is all that some clients show; then what can be done, what
    would be lost, what else there is to say, the words that matched, and the rules' ids.

    ``ran``: whether the call runs; ``advice``: what the agent is told besides. Neither is ever cut.
    """
    findings = _telling(decision)
    first, others = findings[:1], findings[1:]
    matched = [quoted for finding in findings if (quoted := _quote_match(finding, event))]
    words = f"What matched: {', '.join(dict.fromkeys(matched))}" if matched else ""
    why = _because(first[0], decision) if first else "the policy asks for more than a yes"
    lines = [
        f"{lead} {why}",
        *[_because(finding, decision) for finding in others if finding.stage == APPROVAL],
        *_to_do(decision, findings),
        *_at_stake(decision),
        *[
            f"Also: {_because(finding, decision)}{_instead(finding, '; instead: ')}"
            for finding in others
            if finding.stage != APPROVAL
        ],
        " ".join([part for part in (ran, words) if part]),
    ]
    named = ", ".join(dict.fromkeys(finding.rule for finding in findings)) or "none"
    last = [*([advice] if advice else []), f"rule: {named}; decision: {decision.id}"]
    end = clip("\n".join(last), REASON // 2)
    told = "\n".join([line for line in lines if line])
    return f"{clip(told, REASON - 1 - len(end))}\n{end}"


def for_people(text: str) -> list[str]:
    """Return the lines of a refusal or a warning that a person reads who sees already what was
    called and what became of it: without how it begins and without what the agent is told.
    """
    for lead in (DENIED, THROTTLED, WARNED):
        text = text.removeprefix(lead).lstrip()
    rows = [row.removeprefix(NOT_RUN).lstrip() for row in text.split("\n")]
    return [row for row in rows if row and not row.startswith(_ADVICE)]


def _because(finding: Finding, decision: Decision) -> str:
    """Return a finding's message, with what it would lose where no radius tells it."""
    bare = finding.effect is not None and decision.radius is None
    loss = describe_loss(finding.effect) if finding.effect is not None and bare else ""
    return one_line((finding.message or finding.rule) + (f" ({loss})" if loss else ""))


def _to_do(decision: Decision, findings: tuple[Finding, ...]) -> list[str]:
    """Say what can be done: whose approval is needed, when to try again, a safer way."""
    return [
        *[
            f"Needs: {one_line(f'{duty.name} {duty.detail}')}"
            for duty in decision.obligations
            if not duty.met
        ],
        *[
            f"Try again in {finding.retry_after} seconds."
            for finding in findings
            if finding.retry_after and "try again" not in finding.message
        ],
        *[_instead(finding, "Instead: ") for finding in findings[:1] if finding.instead],
    ]


def _instead(finding: Finding, lead: str) -> str:
    return f"{lead}{one_line(finding.instead)}" if finding.instead else ""


def _at_stake(decision: Decision) -> list[str]:
    """Say what would be lost, where that was looked for, with a few names."""
    if decision.radius is None:
        return []
    from interlock.engine.radius import (  # only what is asked about says it
        render_examples,
        render_radius,
    )

    names = render_examples(decision.radius)
    return [
        f"At stake: {render_radius(decision.radius)}",
        *([f"  such as: {names}"] if names else []),
    ]


PRESENCE, APPROVAL = "presence", "approval"
_TOLD = ("audit", "checkpoint", "workspace", PRESENCE)
"""Stages whose warnings are told with every answer: what was not recorded, how what goes comes
back, what a yes adds to the workspace, and what of the guard itself is gone.
"""


def _telling(decision: Decision) -> tuple[Finding, ...]:
    """Pick what a person should read: what made the answer no allow, and what it is about; the
    strictest first, three at most.

    A refusal because nobody could be asked is told with the finding that wanted to ask; what was
    not recorded, and how to undo it, is always told.
    """
    least = min(decision.action, ASK)
    telling = sorted(
        (
            finding
            for finding in decision.findings
            if finding.effective >= max(least, WARN) or finding.stage in _TOLD
        ),
        key=lambda finding: -finding.effective,
    )
    first_each: dict[tuple[str, str], Finding] = {}
    for finding in telling:
        first_each.setdefault((finding.rule, finding.message), finding)
    about = [finding for finding in first_each.values() if finding.effect is not None]
    plain = [
        finding
        for finding in first_each.values()
        if finding.effect is None and finding.stage != PRESENCE
    ]
    picked = (about[:2] + plain)[:3]
    # how to get an approval is told after what needs one
    picked.sort(key=lambda finding: (finding.stage == APPROVAL, -finding.effective))
    return tuple(picked + [finding for finding in first_each.values() if finding.stage == PRESENCE])


def _quote_match(finding: Finding, event: ClientEvent) -> str:
    """Quote the part of the call that matched, or the target where its words are not at hand."""
    span, effect = finding.span, finding.effect
    if span is not None and span.text == 0 and event.call is not None:
        command = event.call.input.get("command")
        if isinstance(command, str) and 0 <= span.start < span.end <= len(command):
            words = one_line(command[span.start : span.end])
            by = one_line(effect.by) if effect is not None else ""
            return f"`{clip(words, QUOTE)}`" + (
                f" ({clip(by, 40)})" if by and by not in words else ""
            )
    if effect is not None and effect.target:
        by = effect.by if effect.by != effect.target else ""
        return f"`{clip(one_line(f'{by} {effect.target}'.strip()), QUOTE)}`"
    return ""


def clip(text: str, limit: int) -> str:
    """Shorten a text to ``limit`` characters, the cut marked."""
    return text if len(text) <= limit else text[: limit - 3] + "..."
