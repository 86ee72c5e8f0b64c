"""What a person's yes to a call covers for the rest of the session: the same kind of work in the same place, and nothing that is lost.

The client asked, the person said yes, and the call ran: being asked again for the next file of the same folder tells nobody anything. A yes covers

- writing below the folder of a file outside the workspace, never what is a secret, starts by itself, lets people in, or is the guard's own;
- changing the same file of the project that holds secrets (``.env``);
- the same host, or the same variable that holds an address; never what carries a secret, a shell or a tunnel, and nothing that is sent
  once the session has read a secret;
- the same package, the same port, the same process by its name.

It never covers deleting or moving away, and never what was denied.
"""

from __future__ import annotations

from interlock.ledger import AGREED, SECRET_READ
from interlock.model.action import ASK, WARN
from interlock.model.decision import Finding, Settled
from interlock.model.effect import (
    ACCESS,
    ELSEWHERE,
    GUARD,
    HOME,
    INSTRUCTION_FILE,
    METADATA_SERVICE,
    OTHER_REPOSITORY,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    VCS_INTERNAL,
    WORKSPACE,
    Connects,
    Installs,
    KillsProcess,
    Listens,
    Sends,
    Writes,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.ledger.history import History
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.effect import Effect

BY = "your yes to the same earlier in this session"
_MATTERS = frozenset({SECRET, PERSISTENCE, ACCESS, GUARD, VCS_INTERNAL, INSTRUCTION_FILE, ROOT_OF})
_WHOLE = frozenset({"unknown-target", "unknown-folder", "recursive", "extracted", "all-of", "some-of", "moved-to", "held", "link", "found"})
"""Traits of a write that is more than one known file."""
_MORE = frozenset(
    {"carries-secret", "carries-token", "carries-variable", "shell", "socket", "tunnel", "remote-shell", "remote-command", "delete", "delete-all"}
)
"""Traits of a connection that carries more than an ordinary request."""
_LEAST_DEPTH = 2
"""Names below home that a folder must have, to be one project and not all documents."""
_NAMED = {Listens: "port", Installs: "package", KillsProcess: "process"}


def scope(finding: Finding, call: ToolCall, home: str) -> str:
    """Return the name of what a yes to this finding covers, or ``""`` where it covers this one call only."""
    effect = finding.effect
    if effect is None or finding.action != ASK or finding.stage != "policy" or not effect.certain:
        return ""
    if effect.kind is Writes:
        return _folder(effect, home)
    if effect.kind in (Connects, Sends):
        return _peer(effect, call)
    kind = _NAMED.get(effect.kind)
    return f"{kind} {effect.target}" if kind and effect.target not in ("", "?") and "?" not in effect.target else ""


def _folder(effect: Effect, home: str) -> str:
    place, path = effect.place, effect.target
    if place is None or not place.natures.isdisjoint(_MATTERS) or not effect.traits.isdisjoint(_WHOLE):
        return ""
    if place.location == WORKSPACE:
        return path if PROJECT_SECRET in place.natures else ""
    if place.location not in (HOME, OTHER_REPOSITORY, ELSEWHERE) or PROJECT_SECRET in place.natures:
        return ""
    folder = path.rpartition("/")[0]
    below = folder[len(home) :].strip("/") if home and folder.startswith(f"{home}/") else folder.strip("/")
    if folder == home:
        return path
    deep = len(below.split("/")) >= _LEAST_DEPTH and not below.startswith(".")
    return folder if deep else path


def _peer(effect: Effect, call: ToolCall) -> str:
    if not effect.traits.isdisjoint(_MORE) or effect.host == METADATA_SERVICE:
        return ""
    if effect.target and "?" not in effect.target:
        return f"host {effect.target}"
    text = call.input.get("command")
    span = effect.span
    if not isinstance(text, str) or span is None or span.text:
        return ""
    name = text[span.start : span.end].strip("\"'").removeprefix("$").removeprefix("{")
    end = next((at for at, char in enumerate(name) if not (char.isalnum() or char == "_")), len(name))
    return f"variable {name[:end]}" if name[:end] and "$" in text[span.start : span.start + 2] else ""


def marks(decision: Decision, call: ToolCall, home: str) -> list[tuple[str, str]]:
    """Return the marks that a call leaves which a person is asked about; they count once it is known to have run."""
    found = [(scope(finding, call, home), finding.rule) for finding in decision.findings if finding.effective == ASK]
    return [(subject, f"{AGREED} {rule}") for subject, rule in dict.fromkeys(found) if subject]


def settled(decision: Decision, call: ToolCall, home: str, history: History) -> Decision:
    """Return the decision with the questions answered to which the person said yes before."""
    findings, said = [], 0
    for finding in decision.findings:
        subject = scope(finding, call, home) if finding.effective == ASK else ""
        path = finding.effect.target if subject[:1] == "/" and finding.effect is not None else subject
        carries = finding.effect is not None and finding.effect.kind is Sends and SECRET_READ in history.labels("")  # what goes there may hold it
        yes = bool(subject) and not carries and history.agreed(path, finding.rule)
        said += yes
        findings.append(finding.replace(settled=Settled(WARN, BY)) if yes else finding)
    if not said:
        return decision
    return decision.replace(findings=tuple(findings)).with_findings(Finding("session.agreed", WARN, "session", _MESSAGE))


_MESSAGE = "You said yes to the same earlier in this session, so you are not asked again; it holds until the session ends."
