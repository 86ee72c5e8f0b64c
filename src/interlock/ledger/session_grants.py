"""What a person's yes to a call covers for the rest of the session: the same kind of work in the
same place, and nothing that is lost.

The client asked, the person said yes, and the call ran: being asked again for the next file of the
same folder tells nobody anything. A yes covers

- writing below the folder of a file outside the workspace, or below the top of its repository,
  never what is a secret, starts by itself,
  lets people in, or is the guard's own; a folder that the person named in a prompt is covered
  without a question;
- changing the same file of the project that holds secrets (``.env``);
- the same host, or the same variable that holds an address; never what carries a secret, a shell or
  a tunnel, and nothing that is sent
  once the session has read a secret;
- the same package, the same port, the same process by its name.

It never covers deleting or moving away, and never what was denied.
"""

from __future__ import annotations

from interlock.ledger import AGREED, SECRET_READ
from interlock.ledger.history import SessionMarks
from interlock.model.action import ASK, WARN
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding, Settled
from interlock.model.effect import (
    ACCESS,
    ELSEWHERE,
    GUARD,
    HERE,
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
    ChangesMode,
    Connects,
    Deletes,
    Effect,
    Installs,
    KillsProcess,
    Listens,
    Sends,
    Writes,
)  # fmt: skip
from interlock.model.facts import Facts, Repository

BY = "your yes to the same earlier in this session"
_MATTERS = frozenset({SECRET, PERSISTENCE, ACCESS, GUARD, VCS_INTERNAL, INSTRUCTION_FILE, ROOT_OF})
_WHOLE = frozenset(
    (
        "unknown-target unknown-folder recursive extracted all-of some-of moved-to held link found"
    ).split()
)
"""Traits of a write that is more than one known file."""
_MORE = frozenset(
    (
        "carries-secret carries-token carries-variable shell socket tunnel remote-shell"
        " remote-command delete delete-all"
    ).split()
)
"""Traits of a connection that carries more than an ordinary request."""
_LEAST_DEPTH = 2
"""Names that a folder must have below the root, or below one of these, to be one project and not
all documents.
"""
_WIDE = frozenset(
    "Documents Desktop Downloads Pictures Music Movies Videos Library Public Templates".split()
)
_NAMED = {Listens: "port", Installs: "package", KillsProcess: "process"}


def scope(finding: Finding, call: ToolCall, facts: Facts) -> str:
    """Return the name of what a yes to this finding covers, or ``""`` for this one call only."""
    effect = finding.effect
    if effect is None or finding.action != ASK or finding.stage != "policy" or not effect.certain:
        return ""
    if effect.kind is Writes:
        return _folder(effect, facts)
    if effect.kind in (Connects, Sends):
        return _peer(effect, call)
    kind = _NAMED.get(effect.kind)
    return (
        f"{kind} {effect.target}"
        if kind and effect.target not in ("", "?") and "?" not in effect.target
        else ""
    )


def plain(finding: Finding) -> str:
    """Return the path outside the workspace that a finding is about, or ``""`` where it is about
    anything more than where that lies.
    """
    effect = finding.effect
    if (
        effect is None
        or effect.kind not in (Writes, Deletes, ChangesMode)
        or not effect.certain
        or effect.place is None
    ):
        return ""
    elsewhere = (
        effect.place.location in (HOME, OTHER_REPOSITORY, ELSEWHERE)
        and effect.place.where == HERE
        and not effect.place.real
    )
    return effect.target if elsewhere and effect.place.natures.isdisjoint(_MATTERS) else ""


def _folder(effect: Effect, facts: Facts) -> str:
    place, path = effect.place, effect.target
    if (
        place is None
        or not place.natures.isdisjoint(_MATTERS)
        or not effect.traits.isdisjoint(_WHOLE)
    ):
        return ""
    if place.location == WORKSPACE:
        return path if PROJECT_SECRET in place.natures else ""
    if place.location not in (HOME, OTHER_REPOSITORY, ELSEWHERE) or PROJECT_SECRET in place.natures:
        return ""
    home, repository = facts.home(), facts.repository(path)
    folder = (
        repository.root
        if isinstance(repository, Repository) and path.startswith(f"{repository.root}/")
        else path.rpartition("/")[0]
    )
    return folder if is_one_project(folder, home) else path


def is_one_project(folder: str, home: str) -> bool:
    """Whether a folder is narrow enough to be one project: never the home folder, a hidden one, or
    one that holds all documents.
    """
    if folder == home or not folder.startswith(f"{home}/"):
        return folder != home and len(folder.strip("/").split("/")) >= _LEAST_DEPTH
    names = folder[len(home) :].strip("/").split("/")
    return not names[0].startswith(".") and (names[0] not in _WIDE or len(names) >= _LEAST_DEPTH)


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
    end = next(
        (at for at, char in enumerate(name) if not (char.isalnum() or char == "_")), len(name)
    )
    return (
        f"variable {name[:end]}" if name[:end] and "$" in text[span.start : span.start + 2] else ""
    )


def marks(decision: Decision, call: ToolCall, facts: Facts) -> list[tuple[str, str]]:
    """Return the marks of a call that a person is asked about; they count once it has run."""
    found = [
        (scope(finding, call, facts), finding.rule)
        for finding in decision.findings
        if finding.effective == ASK
    ]
    return [(subject, f"{AGREED} {rule}") for subject, rule in dict.fromkeys(found) if subject]


def apply_agreements(
    decision: Decision, call: ToolCall, facts: Facts, history: SessionMarks
) -> Decision:
    """Return the decision with the questions answered to which the person said yes before."""
    findings, said = [], 0
    for finding in decision.findings:
        subject = scope(finding, call, facts) if finding.effective == ASK else ""
        path = (
            finding.effect.target if subject[:1] == "/" and finding.effect is not None else subject
        )
        # what goes there may hold it
        carries = (
            finding.effect is not None
            and finding.effect.kind is Sends
            and SECRET_READ in history.labels("")
        )
        yes = (
            bool(subject)
            and not carries
            and (history.agreed(path, finding.rule) or (path[:1] == "/" and history.named(path)))
        )
        said += yes
        findings.append(finding.replace(settled=Settled(WARN, BY)) if yes else finding)
    if not said:
        return decision
    return decision.replace(findings=tuple(findings)).with_findings(
        Finding("session.agreed", WARN, "session", _MESSAGE)
    )


_MESSAGE = (
    "You said yes to the same earlier in this session, or named the folder, so you are not asked"
    " again; it holds until the session ends."
)
MOST_WORDS = 600
"""Words of a prompt in which folders are looked for: a longer one was pasted."""
_MOST_NAMED = 8


def folders_in(words: str, home: str) -> list[str]:
    """Return the folders below home that a person names in a prompt of their own, at least two
    names deep; not what they pasted or quoted.
    """
    lines = [
        line
        for line in words.split("```", maxsplit=1)[0].split("\n")
        if not line.lstrip().startswith((">", "|", "+", "-", "$"))
    ]
    found: dict[str, None] = {}
    for word in " ".join(lines).split()[:MOST_WORDS] if len(words.split()) <= MOST_WORDS else ():
        text = word.strip("\"'`.,;:!?()[]").rstrip("/")
        path = f"{home}{text[1:]}" if text.startswith("~/") else text
        names = path[len(home) + 1 :].split("/") if home and path.startswith(f"{home}/") else []
        plain = all(
            name.strip(".") and not any(mark in name for mark in "*?[{$\\") for name in names
        )
        if len(names) >= _LEAST_DEPTH and plain and not names[0].startswith("."):
            found[path] = None
    return list(found)[:_MOST_NAMED]
