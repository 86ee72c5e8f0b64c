"""Containers: what they may do to this machine, and what runs inside them."""

from __future__ import annotations

from interlock.data.words import values, words
from interlock.effects import hosts
from interlock.effects.connecting import to_host, to_url
from interlock.effects.gathering import ReadResult
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.places import below, natures
from interlock.effects.programs import composefiles
from interlock.effects.programs import table as programs
from interlock.effects.programs.lending import mount, volume
from interlock.effects.programs.owning import makes, owns
from interlock.effects.programs.sending import base, download
from interlock.effects.run import Run
from interlock.model.effect import (
    PROJECT_SECRET,
    SECRET,
    ChangesInfrastructure,
    ChangesMode,
    Connects,
    ControlsContainer,
    Deletes,
    Effect,
    Executes,
    Publishes,
    Reads,
    Writes,
)
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, UNREAD, Flow, Value

# -- docker and its like ---------------------------------------------------------------------------

_DOCKER = values("containers", "docker")
_GROUPS = frozenset(words("containers", "groups"))
_SHELLS = frozenset("sh bash ash dash zsh ksh fish".split())
_SWARM = frozenset("create update scale rollback deploy up".split())
"""Verbs of services and stacks, which run on all machines of a swarm."""
_GROUP_VERBS = values("containers", "group verbs")


_OF_PROJECT = ("-f", "--file", "--project-directory", "--env-file")
"""Options by which compose is told where its project lies."""


def _docker(run: Run) -> Flow:
    """``docker [options] [GROUP] VERB ..``."""
    words = _from_verb(run.operands)
    group = ""
    if words and words[0].text in _GROUPS:
        group, words = words[0].text, _behind_options(words[1:])
    if not words:
        return UNREAD
    verb = words[0].text
    for value in behind(run.arguments[: run.arguments.index(words[0])], *_OF_PROJECT):
        run.path(Reads, value)
    if HOLE in verb:
        run.effect(ControlsContainer, run.name, "run", "unknown-command")
        return UNREAD
    action, inner = (
        _action(group, verb),
        run.inside(
            words,
            verb if run.name.endswith("-compose") else f"{group} {verb}",
            programs.subcommand("docker", "build"),
        ),
    )
    _elsewhere(run)
    if verb in ("build", "bake", "bud"):
        return _build(inner)
    if group == "network" and verb == "create":
        makes(run, group, words[-1])
    if action in ("run", "exec") and verb in ("run", "exec", "create"):
        return _inside(run, words, verb)
    if group == "volume" and verb == "create":
        volume(run, behind(inner.arguments, "-o", "--opt"))
    elif action == "push":
        run.effect(Publishes, inner.operands[0].text if inner.operands else run.name, "package")
    elif action == "cp":
        _copy(run, inner.operands)
    elif action == "swarm":
        run.effect(ChangesInfrastructure, f"{run.name} {group} {verb}", "modify")
    elif action == "elsewhere":
        run.effect(
            ChangesInfrastructure, f"{run.name} {group} {verb}", "modify", "soft", certain=False
        )
    elif action == "file":
        outputs = inner.parsed.values("-o", "--output")
        for value in outputs:
            run.path(Writes, value)
        return UNREAD if outputs else Flow(None, frozenset({"workspace"}))
    elif action == "halt":
        _halt(inner, words)
    elif action and _is_own(run, inner, group or "container", verb):
        run.effect(ControlsContainer, " ".join([value.text for value in words[:3]]), "made-here")
    elif action:
        traits = ["run", "privileged"] if action == "plugin" else [action]
        if group == "compose" and action == "run":
            traits += composefiles.powers(run, behind(run.arguments, "-f", "--file"))
        run.effect(ControlsContainer, " ".join([value.text for value in words[:3]]), *traits)
    return UNREAD


_TAKES_AWAY = frozenset({"rm", "remove", "kill"})


def _is_own(run: Run, inner: Run, kind: str, verb: str) -> bool:
    """Whether a command takes away only containers or networks that this session made; ``-l`` names
    a link instead (docker rm).
    """
    plain = not inner.parsed.flags - {"-f", "--force", "-v", "--volumes"}
    return (
        verb in _TAKES_AWAY
        and plain
        and kind in ("container", "network")
        and owns(run, kind, inner.operands)
    )


def behind(words: list[Value], *names: str) -> list[Value]:
    """Return the values of an option among words that were not parsed."""
    found = [words[index + 1] for index, value in enumerate(words[:-1]) if value.text in names]
    joined = [
        (value, name) for value in words for name in names if value.text.startswith(f"{name}=")
    ]
    return found + [
        Value(value.text[len(name) + 1 :], value.start, value.end, value.why)
        for value, name in joined
    ]


def _halt(run: Run, words: list[Value]) -> None:
    """``stop NAME``, ``compose down``: what is named can be started again; volumes and images that
    go with it cannot.
    """
    named = " ".join([value.text for value in words[:3]])
    if run.has("-v", "--volumes", "--rmi"):
        run.effect(ControlsContainer, named, "stop", "volumes")
        run.effect(ControlsContainer, "volumes", "remove")
    else:
        all_of_them = run.has("-a", "--all") or any(value.hollow for value in words)
        run.effect(ControlsContainer, named, "stop" if all_of_them else "stop-named")


def _build(run: Run) -> Flow:
    """``build``: an image from the workspace; ``--push`` publishes it, a URL brings it here."""
    words = run.arguments
    if any(value.text == "--push" or "type=registry" in value.text for value in words):
        run.effect(
            Publishes,
            next((value.text for value in run.parsed.values("-t", "--tag")), run.name),
            "package",
        )
    for value in words:
        if value.text.startswith(("http://", "https://", "git://", "git@")):
            to_url(run.context, value.text, run.span(value), frozenset({"get"}), run.name)
            run.effect(Executes, value.text, "downloaded", value=value)
    for value in run.parsed.values("--iidfile", "--metadata-file", "--cidfile"):
        run.path(Writes, value)
    return UNREAD


def _elsewhere(run: Run) -> None:
    """``docker -H tcp://HOST``, ``--context NAME``: it happens on another machine."""
    for value in run.parsed.values("-H", "--host"):
        if not value.text.startswith(("unix:", "npipe:", "/")):
            to_host(
                run.context,
                Connects,
                hosts.host_of(value.text),
                run.span(value),
                frozenset({"remote-command"}),
                run.name,
            )


def _from_verb(words: list[Value]) -> list[Value]:
    """Return the words from the first that is a verb or a group on: before it may stand values of
    options that the row does not know.
    """
    known = next(
        (
            at
            for at, value in enumerate(words[:4])
            if value.text in _DOCKER or value.text in _GROUPS or HOLE in value.text
        ),
        0,
    )
    return words[known:]


_GROUP_VALUED = frozenset(
    "-f --file -p --project-name --profile --env-file --project-directory --progress --ansi --parallel -n --namespace".split()
)


def _behind_options(words: list[Value]) -> list[Value]:
    """Return the words from the verb on: a group may have options of its own before it (``compose
    -f prod.yml down``).
    """
    at = 0
    while at < len(words) and words[at].text[:1] == "-":
        at += 2 if words[at].text in _GROUP_VALUED else 1
    return words[at:]


def _action(group: str, verb: str) -> str:
    """Return what a verb does: of most groups ``rm`` and ``prune`` matter, making does not."""
    if group in ("service", "stack") and verb in _SWARM:
        return "swarm"
    if group and group not in ("container", "compose", "image") and verb in _GROUP_VERBS:
        return _GROUP_VERBS[verb]
    return _DOCKER.get(verb, "run" if not group else "")


def _inside(run: Run, words: list[Value], verb: str) -> Flow:
    """``run IMAGE CMD`` and ``exec NAME CMD``: its power, and the command as it runs there."""
    row = programs.subcommand("docker", "exec" if verb == "exec" else "run")
    inner = type(run)(run.reader, run.walker, _inner_execution(run, words), row, run.name, verb)
    subject = inner.operands[0].text if inner.operands else ""
    command = inner.operands[1:]
    traits = [*_powers(inner), *(["interactive"] if is_shell(command) else [])]
    if verb != "exec":
        makes(run, "container", inner.parsed.value("--name"))
    inner.spoken(
        lambda: inner.effect(ControlsContainer, subject, verb if verb == "exec" else "run", *traits)
    )
    entry = inner.parsed.value("--entrypoint")
    if entry is not None:
        command = [entry, *command]
    where = f"container {subject}"
    read = run.context.gather(
        lambda: within(inner, where, command, inner.parsed.value("-w", "--workdir"))
    )
    return run.context.take(
        _reaching(inner, where, read, fresh=not traits)
        if verb == "run" and words[0] is run.operands[0]
        else read
    )


MAX_MOUNTS = 32
"""Mounts of a container that are followed; with more, nothing in it is taken for its own."""
_CHANGES = (Deletes, Writes, ChangesMode)


def _reaching(run: Run, where: str, inside: ReadResult, *, fresh: bool) -> ReadResult:
    """Return what of a reading inside a new container reaches further: paths below a mount are the
    host's (``-v /etc:/e``).

    What a ``fresh`` container without power changes in its own files was never anywhere else;
    volumes it was given are kept.
    """
    given = dict.fromkeys(
        [
            _ends(value)
            for value in [*run.parsed.values("-v", "--volume"), *run.parsed.values("--mount")]
        ]
    )
    mounts = [ends for ends in given if ends is not None][:MAX_MOUNTS]
    volumes = bool(run.parsed.values("--volumes-from")) or len(given) > len(mounts)
    found: list[Effect] = []
    for effect in inside.effects:
        own = (
            effect.place is not None
            and effect.place.where == where
            and effect.kind in (*_CHANGES, Reads)
        )
        ends = [(source, target) for source, target in mounts if own and _meets(effect, target)]
        found += run.context.gather(
            lambda one=effect, ends=ends: _map_to_host(run, one, ends)  # type: ignore[misc]
        ).effects
        mapped, kept = any(source for source, _ in ends), any(not source for source, _ in ends)
        harmless = (
            own
            and fresh
            and not volumes
            and effect.kind in _CHANGES
            and effect.target.startswith("/")
        )
        if kept or not (mapped or harmless):
            found.append(effect)
    return inside.of(found)


def _map_to_host(run: Run, effect: Effect, ends: list[tuple[str, str]]) -> None:
    """Add an effect below a mount as one on the host's own folder."""
    for source, target in ends:
        if source:
            rest = effect.target[len(target) :] if below(effect.target, target) else ""
            act = PathAction(effect.kind, effect.span, effect.traits - {"remote"}, effect.by)
            act_on(run.context, act, Value(source + rest), run.cwd)


def _meets(effect: Effect, target: str) -> bool:
    """Whether an effect is on something below a mount, or, with all it holds, on a folder above."""
    deep = not effect.traits.isdisjoint(("recursive", "all-of"))
    return below(effect.target, target) or (deep and below(target, effect.target))


def _ends(value: Value) -> tuple[str, str] | None:
    """Return the folder of this machine (``""`` for a named volume) and the one of the container of
    a mount; None where that is unknown.
    """
    parts = {
        name: rest for name, _, rest in [piece.partition("=") for piece in value.text.split(",")]
    }
    source, target = (
        parts.get("source", parts.get("src", "")),
        parts.get("target", parts.get("destination", parts.get("dst", ""))),
    )
    if "=" not in value.text:
        source, _, rest = value.text.partition(":")
        target = rest.partition(":")[0]
    if target[:1] != "/" or HOLE in target:
        return None
    return (source if source[:1] in ("/", "~", ".") else ""), target.rstrip("/") or "/"


def is_shell(command: list[Value]) -> bool:
    """Whether a command is a shell that waits for a person: no script, no ``-c``."""
    names = [value.text.rpartition("/")[2] for value in command]
    return (
        bool(names)
        and names[0] in _SHELLS
        and all(name in ("-l", "-i", "-il", "-li", "--login") for name in names[1:])
    )


def _inner_execution(run: Run, words: list[Value]) -> Execution:
    """Return the execution whose arguments are those of the verb."""
    at = next((index for index, value in enumerate(run.arguments) if value is words[0]), 0)
    execution = run.execution.inner(run.arguments[at:])
    execution.cwd = run.cwd
    return execution


def within(run: Run, where: str, command: list[Value], folder: Value | None = None) -> Flow:
    """Read a command as it runs somewhere else (in ``folder``, if that is known): there system
    paths are the other machine's.
    """
    if not command:
        return UNREAD
    context = run.context
    before, context.where = context.where, where
    cwd, run.cwd = run.cwd, (folder.text if folder is not None and folder.known else None)
    try:
        return run.command(command)
    finally:
        context.where, run.cwd = before, cwd


def _powers(run: Run) -> list[str]:
    """Return the options that give a container power over this machine."""
    found = set()
    if run.has("--privileged") or any(
        value.text.upper() in ("ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "NET_ADMIN")
        for value in run.parsed.values("--cap-add")
    ):
        found.add("privileged")
    for name in ("--pid", "--ipc", "--userns", "--uts", "--network", "--net"):
        value = run.parsed.value(name)
        if value is not None and value.text == "host":
            found.add("host-network" if name in ("--network", "--net") else "host-namespace")
    if run.parsed.values("--device") or any(
        "unconfined" in value.text for value in run.parsed.values("--security-opt")
    ):
        found.add("privileged")
    for value in [*run.parsed.values("-v", "--volume"), *run.parsed.values("--mount")]:
        found |= mount(run, value)
    return sorted(found)


def _copy(run: Run, words: list[Value]) -> None:
    """``docker cp SRC DST``: the side without a colon is on this machine; of ``c:folder/.`` all
    comes there that is in it.
    """
    there = words[0].text.partition(":")[2] if words else ""
    if there and not natures(there, (), "").isdisjoint((SECRET, PROJECT_SECRET)):
        run.context.doubt(f"{there} of the container may hold secrets")
    for kind, value in zip((Reads, Writes), words, strict=False):
        if kind is Writes and ":" in words[0].text:
            download(
                run,
                value,
                "recursive",
                *(["extracted"] if words[0].text.endswith("/.") else []),
                name=base(words[0].text),
            )
        elif ":" not in value.text:
            run.path(kind, value)


def _compose(run: Run) -> Flow:
    """``docker-compose`` without its group."""
    run.parsed.operands.insert(0, Value("compose"))
    return _docker(run)


_STORES = words("containers", "stores")


def _skopeo(run: Run) -> Flow:
    """``skopeo copy FROM TO``, ``sync``, ``delete``: a registry is written, or loses an image."""
    words = [value for value in run.operands if value.text[:1] != "-"]
    verb = words[0].text if words else ""
    ends = [value for value in words[1:] if value.text.startswith(_STORES)]
    if verb == "delete":
        run.effect(ChangesInfrastructure, ends[-1].text if ends else run.name, "delete")
    elif verb in ("copy", "sync") and ends and ends[-1].text.startswith("docker://"):
        run.effect(Publishes, ends[-1].text, "package")
    elif (
        verb in ("copy", "sync")
        and ends
        and ends[-1].text.startswith(("dir:", "oci:", "docker-archive:", "oci-archive:"))
    ):
        end = ends[-1]
        run.path(Writes, Value(end.text.split(":")[1], end.start, end.end, end.why))
    return UNREAD
