"""What goes over the network: labels of data become traits of a sending. For network families."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.labels import place_labels
from interlock.effects.outgoing_words import TOKEN, VALUE, leaves
from interlock.effects.programs.bringing import ALL, ArchiveSelection, bring_members
from interlock.effects.read_selection import ReadSelection
from interlock.effects.run import Run
from interlock.effects.secret_variables import SECRET_NAMES, holds, strays, variables_in
from interlock.effects.touched_files import is_unseen, run_unseen
from interlock.model.effect import (
    Connects,
    Effect,
    Listens,
    Reads,
    Writes,
)
from interlock.model.facts import FOLDER
from interlock.shell.value import ENVIRONMENT, FILE, HOLE, OUTPUT, UNREAD, Flow, Value

NETWORK_FLOW = Flow(None, frozenset({"network"}))

_CARRIES = ("secret", "workspace", "outside", "environment")


def flow_carries(flow: Flow | None) -> set[str]:
    """Return ``carries-secret``, ``carries-workspace``... of a flow; ``inline-data`` of text given
    in the call, else ``unknown-data``.
    """
    if flow is None:
        return set()
    traits = {f"carries-{label}" for label in _CARRIES if label in flow.labels}
    if traits:
        return traits
    if flow.text is not None and HOLE not in flow.text:
        return {"inline-data"}
    return {"unknown-data"}


def word_carries(run: Run, value: Value, *, tokens: bool = True) -> set[str]:
    """Return what a word given as data carries; unknown pieces carry what this call read before to
    make them.

    ``tokens``: also a secret that a service's own client printed (``gh auth token``).
    """
    if not value.hollow:
        return {"inline-data"} | _TOLD.get(leaves(run.context, value.text), set())
    if value.why == ENVIRONMENT:
        return _variables_carry(run, value)
    if value.why in (OUTPUT, FILE):
        inside = _is_substituted(run, value)
        found = [
            labels
            for start, labels in _read_before(run)
            if not inside or value.start <= start < value.end
        ]
        labels = frozenset().union(*found)
        if tokens and any(value.start <= start < value.end for start in _find_revealed(run)):
            labels |= {"secret"}
        return flow_carries(Flow(None, labels))
    return {"unknown-data"}


_TOLD = {TOKEN: {"carries-token"}, VALUE: {"carries-secret"}}


def _variables_carry(run: Run, value: Value) -> set[str]:
    """Return what variables of the environment carry that a word names: a secret, if they are
    called so; else nobody knows.
    """
    names = _names(run, value)
    if any(name.upper().endswith(SECRET_NAMES) for name in names):
        return {"carries-variable"}
    plain = bool(names) and all(name and name not in run.walker.state.variables for name in names)
    return {"unknown-data"} if plain else {"carries-environment"}


def _names(run: Run, value: Value) -> list[str]:
    """Return the variables that a word names."""
    return variables_in(_source(run, value))


def _source(run: Run, value: Value) -> str:
    """Return a word as it is written."""
    return run.walker.texts[run.execution.text].text[value.start : value.end]


def _defaults(source: str) -> bool:
    """Tell whether a word has a variable with a default, which stands for it where nobody knows the
    variable: here it is set.
    """
    return "-" in source and "${" in source and "'" not in source


def _is_substituted(run: Run, value: Value) -> bool:
    """Whether all that is unknown in a word is put there by commands that stand in it (``$(..)``),
    none by a variable.
    """
    texts = run.walker.texts
    if (
        not value.end
        or run.execution.text >= len(texts)
        or len(run.walker.state.functions) > MAX_WORDS
    ):
        return False
    outer, depth = [], 0
    text = texts[run.execution.text].text[value.start : value.end]
    for at, char in enumerate(text):
        if char == "(" and (depth or text[at - 1 : at] == "$"):
            depth += 1
        elif char == ")" and depth:
            depth -= 1
        elif not depth:
            outer.append(char)
    rest = "".join(outer)
    named = any(
        rest[at + 1 : at + 2].isalnum() or rest[at + 1 : at + 2] in ("{", "_")
        for at, char in enumerate(rest)
        if char == "$"
    )
    return (
        len(rest) < len(text)
        and "`" not in rest
        and not named
        and not any(name in text for name in run.walker.state.functions)
    )


def _read_before(run: Run) -> list[tuple[int, frozenset[str]]]:
    """Return labels of all that was read before this command, each with where in the command's text
    it was; found once for a command.
    """
    known: list[tuple[int, frozenset[str]]] | None = run.__dict__.get("read_before")
    if known is None:
        reads = run.context.past.reads
        known = [
            (
                _place_in(run, effect),
                place_labels(effect) | run.contents(Value(effect.target)).labels,
            )
            for effect in reads
        ]
        run.__dict__["read_before"] = known
    return known


def _find_revealed(run: Run) -> list[int]:
    """Return where in the command's text secrets of a service are printed; as text of a header they
    are what they were made for.
    """
    return [_place_in(run, effect) for effect in run.context.past.revealed]


def _place_in(run: Run, effect: Effect) -> int:
    """Return where in the text of this command the command stands that has an effect, or -1."""
    texts = run.walker.texts
    if effect.span is None:
        return -1
    number, start = effect.span.text, effect.span.start
    while number != run.execution.text and 0 < number < len(texts):
        number, start = texts[number].parent, texts[number].start
    return start if number == run.execution.text else -1


SPOKEN = tuple("-b --body -t --title -m --message -d --description -n --notes".split())
"""Options whose value other people read."""


def keeps(run: Run, value: Value) -> bool:
    """Whether a word holds a variable that a file of secrets has set in this call."""
    seen = run.context.secrets
    return (bool(seen.kept) or seen.unnamed) and any(
        holds(run.context, name) for name in _names(run, value)
    )


def leaks(run: Run, host: str, *but: Value) -> None:
    """Add a sending of secrets in any word of a command to a host: a header, a name, a message."""
    if run.context.secrets.kept or run.context.secrets.unnamed:
        _strays(run, host)
    words = [
        value
        for value in run.arguments
        if value.hollow and value.why in (OUTPUT, FILE) and value not in but
    ]
    for value in run.context.limit(words, MAX_WORDS, "words"):
        if "carries-secret" in word_carries(run, value, tokens=False):
            send(run, host, {"carries-secret", "unknown-word"}, value)
            return


_STAYS = frozenset(
    "-o --output -O --output-document --output-dir -P --directory-prefix -w --write-out --cacert --capath --cert --key -E -D --dump-header "
    "-c --cookie-jar -m --max-time --connect-timeout --retry --download".split()
)
"""Options whose value stays on this machine."""


def _strays(run: Run, host: str) -> None:
    """Add that a value of a secret file leaves in a word of a command to a foreign host."""
    here = {value.start for name, value in run.parsed.options if name in _STAYS}
    words = [value for value in run.arguments if value.hollow or _defaults(_source(run, value))]
    for value in run.context.limit(words, MAX_WORDS, "words"):
        if value.start not in here and strays(run.context, _names(run, value), host):
            send(run, host, {"carries-kept"}, value)
            return


def read_labels(
    run: Run, value: Value, trait: str = "", picks: ReadSelection | None = None
) -> Flow:
    """Read a file or folder, or what is picked of it; return it with labels of where it lies."""
    traits = [trait] if trait else []
    effect = (
        run.path(Reads, value, *traits) if picks is None else run.read_picked(value, picks, *traits)
    )
    flow = run.contents(value)
    return Flow(flow.text, place_labels(effect) | flow.labels, flow.path)


def file_carries(run: Run, value: Value) -> set[str]:
    """Read a file to be sent (``-`` is standard input) and return what it carries."""
    if value.text in ("-", "/dev/stdin", "."):
        return flow_carries(run.stdin) if run.stdin is not None else {"unknown-data"}
    return flow_carries(read_labels(run, value, "sent"))


MAX_WORDS = 256
"""Words of a command searched for secrets, and functions whose names are looked for."""
_CHATS = (
    "hooks.slack.com", "slack.com", "discord.com", "discordapp.com", "api.telegram.org",
    "webhook.office.com", "outlook.office.com", "chat.googleapis.com", "api.twilio.com",
    "api.sendgrid.com", "api.mailgun.net", "api.postmarkapp.com", "ntfy.sh", "api.pushover.net",
    "maker.ifttt.com", "open.feishu.cn", "oapi.dingtalk.com", "qyapi.weixin.qq.com",
    "api.pushbullet.com", "events.pagerduty.com", "graph.facebook.com", "api.twitter.com",
    "api.x.com", "bsky.social", "matrix.org", "webexapis.com", "chat.zoho.com",
)  # fmt: skip
"""Services where what is sent is read by other people."""


def is_chat(host: str) -> bool:
    """Whether what is sent to a host is a message to people."""
    return any(host == name or host.endswith(f".{name}") for name in _CHATS)


def send(run: Run, host: str, traits: Iterable[str], value: Value | None = None) -> None:
    """Add a sending to a host, which may have a hole."""
    unknown = ["unknown-host"] if HOLE in host or not host else []
    people = ["message"] if is_chat(host) else []
    run.sends(host, *traits, *unknown, *people, value=value)


STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""Names of files that are no files: what is written there goes down the pipe."""


def unpack(
    run: Run,
    archive: Value | None,
    folder: Value,
    labels: frozenset[str],
    *traits: str,
    taken: ArchiveSelection = ALL,
) -> None:
    """Write what an archive holds into a folder; what lies below it later comes from where the
    archive came from.

    ``archive``: None for a pipe. ``taken``: which of its members, and under what names.
    """
    foreign = not labels.isdisjoint({"network", "downloaded"})
    unread = archive is not None and not foreign and is_unseen(run, archive)
    known = bring_members(run, archive, folder, taken)
    effect = run.path(
        Writes,
        folder,
        "extracted",
        *(["downloaded"] if foreign else []),
        *(["known-members"] if known else []),
        *traits,
    )
    if foreign or unread:
        run.reader.unpacked[effect.target] = (
            Flow(None, NETWORK_FLOW.labels | {"unpacked"})
            if foreign
            else Flow(None, frozenset({"unseen"}))
        )


MOST_READ = 4
"""Files that were read before a text whose origin is a file, and that it may be of."""


def run_held(run: Run, value: Value, language: str, *, own: bool) -> bool:
    """Read a text that is what a file holds (``bash -c "$(cat x.sh)"``) as that file is read when
    it is started; return whether that is known.

    It is of the files that are read in it, else of those that were read before (``x=$(cat a); eval
    "$x"``).
    """
    paths = dict.fromkeys([one.target for one in _find_reads(run, value)])
    files = [Value(path) for path in paths if run.text_of(Value(path)) is not None]
    for file in files:
        run.reader.script(run, file, language, own=own)
    return bool(files)


def _find_reads(run: Run, value: Value) -> list[Effect]:
    """Return the reads of the files a text may be of: those in it, else right before it."""
    reads = [one for one in run.context.past.reads if "listed" not in one.traits]
    inside = [one for one in reads if value.start <= _place_in(run, one) < value.end]
    return inside or reads[-MOST_READ:]


def run_read(run: Run, value: Value) -> None:
    """Add that files are run whose text a word of code is made of (``eval "$(cat /tmp/x)"``), where
    nobody knows how they came there.
    """
    for effect in _find_reads(run, value):
        run_unseen(run, Value(effect.target), value)


def tunnel(run: Run) -> Flow:
    """A port or a terminal of this machine becomes reachable from everywhere."""
    run.effect(Connects, run.name, "tunnel", host="unknown")
    run.effect(Listens, run.operands[0].text if run.operands else "", "public")
    return UNREAD


def download(run: Run, value: Value, *traits: str, name: str = "") -> Effect:
    """Write what came over the network to a file, and remember where it came from; ``name``: what
    it is called in a folder that is named.
    """
    effect = run.path(Writes, _into(run, value, name) if name else value, "downloaded", *traits)
    run.reader.written[effect.target] = NETWORK_FLOW
    if "recursive" in traits:
        arrive(run, effect)
    return effect


def arrive(run: Run, effect: Effect, *labels: str) -> Effect:
    """Remember of a folder that all that is in it came over the network."""
    run.reader.unpacked[effect.target] = Flow(None, NETWORK_FLOW.labels | frozenset(labels))
    return effect


def _into(run: Run, value: Value, name: str) -> Value:
    """Return the path of this name when it comes to a path, or into it where that is a folder."""
    path = None if value.hollow else run.context.normal(value.text, run.cwd)
    folder = (
        value.text.endswith("/")
        or value.text.rpartition("/")[2] in (".", "..")
        or (path is not None and run.context.is_kind(path, FOLDER))
    )
    return (
        Value(f"{value.text.rstrip('/')}/{name}", value.start, value.end, value.why, value.pattern)
        if folder
        else value
    )


def base(text: str) -> str:
    """Return the last part of a path, or of what a host, a bucket or a container calls one; ``""``
    where all that is in a folder is meant.
    """
    return text.rpartition(":")[2].rpartition("/")[2].strip(".")
