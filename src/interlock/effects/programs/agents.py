"""The guard's own command line and those of agent clients: what would loosen or drop the guard."""

from __future__ import annotations

from interlock.data.words import groups
from interlock.effects.program_spelling import BIN_FOLDERS
from interlock.effects.run import Run
from interlock.effects.variables import HOMES, TEMPS, turns
from interlock.model.effect import TEMP, WORKSPACE, Connects, Persists, TampersWithGuard, Writes
from interlock.shell.value import HOLE, UNREAD, Flow, Value

QUIET_COMMANDS = frozenset({"check", "explain", "rules", "log", "version", "doctor", "judge", "demo", "install", "status", "tour", "completion",
    "--help", "-h", "help"})  # fmt: skip
"""Commands of ``interlock`` that show or strengthen; all others are a person's, and ``hook`` the
client's: it says what the person asked for.
"""
QUIET_PAIRS = frozenset(
    {
        ("approvals",),
        ("approvals", "list"),
        ("init", "--dry-run"),
        ("checkpoints",),
        ("checkpoints", "take"),
        ("audit", "verify"),
        ("fleet", "show"),
        ("grants",),
        ("grants", "list"),
        ("limits",),
        ("limits", "show"),
        ("pins",),
        ("pins", "list"),
        ("resident",),
        ("resident", "status"),
        ("resident", "start"),
        ("servers",),
        ("servers", "list"),
        *[
            ("policy", what)
            for what in ("show", "check", "test", "diff", "replay", "schema", "--help")
        ],
    }
)
"""Of commands that both show and loosen, what shows."""

DROPPING: dict[str, tuple[str, ...]] = groups("agents", "dropping")

FILES: dict[str, tuple[str, ...]] = groups("agents", "files")

LOADING: dict[str, tuple[str, ...]] = groups("agents", "loading")

SWITCHING: dict[str, tuple[str, ...]] = groups("agents", "switching")

UNASKED: dict[str, tuple[str, ...]] = groups("agents", "unasked")

_STARTED = {".py": ("python3",), ".go": ("go", "run")}
"""How a program that ``interlock code`` runs behind walls would be run without them; with an option
it may be lent more.
"""


def _interlock(run: Run) -> Flow:
    """``interlock COMMAND``: what loosens is for a person at a terminal; ``run -- COMMAND`` and
    ``code PROGRAM`` are those, behind walls.
    """
    words = [value.text for value in run.arguments]
    name = words[0] if words else "help"
    if words[1:2] in (["--help"], ["-h"]):
        return UNREAD
    if words[:2] == ["run", "--"] and len(words) > 2:
        return run.code(run.arguments[2]) if len(words) == 3 else run.command(run.arguments[2:])
    if name == "code" and words[1:] and (len(words) == 2 or words[2] == "--"):
        starts = next((starts for end, starts in _STARTED.items() if words[1].endswith(end)), ())
        if starts:
            return run.command(
                [*[Value(word) for word in starts], run.arguments[1], *run.arguments[3:]]
            )
    if (name not in QUIET_COMMANDS and tuple(words[:2]) not in QUIET_PAIRS) or HOLE in name:
        run.effect(TampersWithGuard, f"interlock {name}", "own-command")
    if tuple(words[:2]) == ("policy", "test"):
        _reports(run)
    return UNREAD


def _reports(run: Run) -> None:
    """``interlock policy test --junit FILE --sarif FILE`` writes these."""
    for value, following in zip(run.arguments, [*run.arguments[1:], None], strict=True):
        option, equals, path = value.text.partition("=")
        if option in ("--junit", "--sarif"):
            named = Value(path, value.start, value.end, value.why) if equals else following
            if named is not None:
                run.path(Writes, named)


def _client(run: Run) -> Flow:
    """An agent started by an agent: with an option that drops the hooks it would run unguarded."""
    words = [value.text for value in run.arguments]
    if words[:2] == ["mcp", "add"] or words[:2] == ["mcp", "add-json"]:
        run.effect(
            Persists,
            f"{run.name} {words[2] if len(words) > 2 else ''}",
            "startup",
            detail="a server that every later session starts",
        )
    loaded = _loads(run.name, words)
    if loaded:
        run.effect(
            Persists,
            f"{run.name} {loaded}",
            "startup",
            detail="hooks and servers that the client starts by itself",
        )
    if (
        run.name == "claude"
        and words[:1] == ["install"]
        and any(word[:1].isdigit() for word in words[1:])
    ):
        run.effect(
            TampersWithGuard,
            f"claude install {words[-1]}",
            "client-settings",
            certain=False,
            detail="another version, which may not keep hooks",
        )
    if _switches(run.name, words):
        run.effect(TampersWithGuard, f"{run.name} {' '.join(words[:3])}", "client-settings")
    dropped = drops(run.name, words) or _home_variable(run)
    if dropped:
        run.effect(TampersWithGuard, f"{run.name} {dropped}", "nested-agent")
    elif words[:1] not in (["--version"], ["-v"], ["--help"], ["-h"]) and (
        turned := _risky_variable(run)
    ):
        run.effect(
            TampersWithGuard,
            f"{run.name} {turned}",
            "nested-agent",
            certain=False,
            detail="what it starts beside itself may be another guard",
        )
    elif words and words[0] not in ("--version", "-v", "--help", "-h", "doctor", "mcp", "config"):
        run.effect(Connects, "the model's service", host="allowed")
        named = next(
            (word for word in words if word.partition("=")[0] in FILES.get(run.name, ())), ""
        )
        if named:
            run.effect(TampersWithGuard, f"{run.name} {named}", "nested-agent", certain=False)
    return UNREAD


def _loads(name: str, words: list[str]) -> str:
    """Return the word by which a client loads plugins, servers or agents, or ``""``."""
    told = [
        mark
        for mark in LOADING.get(name, ())
        if (mark[:2] == "--" and any(word.partition("=")[0] == mark for word in words))
    ]
    return next(
        iter(
            [
                *told,
                *[
                    mark
                    for mark in LOADING.get(name, ())
                    if words[: mark.count(" ") + 1] == mark.split()
                ],
            ]
        ),
        "",
    )


def drops(name: str, words: list[str]) -> str:
    """Return the word by which this start of a client drops its hooks, or ``""``."""
    marks = DROPPING.get(name, ())
    found = [
        word
        for word in words
        if any(
            mark in (word, word.partition("=")[0]) if mark[:1] == "-" else mark in word
            for mark in marks
        )
    ]
    if name == "codex" and "--disable" in words and any(word.endswith("hooks") for word in words):
        found.append("--disable hooks")
    return found[0] if found else ""


def _home_variable(run: Run) -> str:
    """Return a variable, set or unset here, that gives a client other settings, or ``""``."""
    named = [name for name, _ in _list_variables(run) if name in HOMES] + sorted(
        HOMES & set(run.walker.state.variables)
    )
    return named[0] if named else ""


def _list_variables(run: Run) -> list[tuple[str, Value]]:
    """Return the variables that stand before this command, or that what starts it gives to it."""
    return [*run.execution.inherited, *run.execution.prefix]


def _risky_variable(run: Run) -> str:
    """Return a variable, set for this start, that puts other code into what is started, or makes
    files temporary ones, or ``""``.
    """
    state = run.walker.state
    given = [
        *_list_variables(run),
        *[
            (name, state.variables[name])
            for name in sorted(state.exported & state.variables.keys())
        ],
    ]
    return next(
        (
            name
            for name, value in given
            if turns(name) or (name in TEMPS and not _is_temp(run, value))
        ),
        "PATH" if _is_led(run) else "",
    )


def _is_led(run: Run) -> bool:
    """Tell whether programs are looked for first in a folder where an agent may put some unasked:
    what the client and its hooks start is then another one.
    """
    given = [value for name, value in _list_variables(run) if name == "PATH"]
    held = run.walker.state.variables.get("PATH")
    value = given[-1] if given else held
    for text in value.text.split(":") if value is not None else ():
        path = None if HOLE in text else run.context.normal(text or ".", run.cwd)
        if HOLE in text or path in BIN_FOLDERS:
            break
        if path is not None and run.context.place(path).location in (TEMP, WORKSPACE):
            return True
    return False


def _is_temp(run: Run, value: Value) -> bool:
    path = run.context.normal(value.text, run.cwd) if value.known and value.text else None
    return path is not None and run.context.place(path).location == TEMP


def _switches(name: str, words: list[str]) -> bool:
    """Whether a command of a client changes what calls the guard: its plugins and extensions, or
    settings of hooks and permissions.
    """
    if any(
        " ".join(words).startswith(pair) and words[: pair.count(" ") + 1] == pair.split()
        for pair in SWITCHING.get(name, ())
    ):
        return True
    sets = words[:1] in (["config"], ["settings"]) and words[1:2] in (
        ["set"],
        ["add"],
        ["remove"],
        ["unset"],
    )
    return sets and any(
        part in word.lower()
        for word in words[2:]
        for part in ("hook", "permission", "approval", "sandbox", "trust")
    )


def _other_agent(run: Run) -> Flow:
    """An agent without a guard: started so that it asks nobody, it does whatever it likes."""
    marks = UNASKED[run.name]
    given = next(
        (value.text for value in run.arguments if value.text.partition("=")[0] in marks), ""
    )
    if given and not run.has("--help", "-h", "--version", "--dry-run"):
        run.effect(TampersWithGuard, f"{run.name} {given}", "nested-agent", certain=False)
    return UNREAD


_PACKAGES = {
    "claude-code": "claude",
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "opencode-ai": "opencode",
    "pi-coding-agent": "pi",
}
"""Names of packages that bring a client, as a package runner is given them."""


def _goose(run: Run) -> Flow:
    """Two programs of one name: an agent (``goose run``, ``goose session``), and migrations of a
    database (``goose up``).
    """
    if run.operands and run.operands[0].text in ("run", "session", "web", "schedule"):
        run.effect(TampersWithGuard, "goose run", "nested-agent", certain=False)
        return UNREAD
    from interlock.effects.programs.migrations import migration

    return migration(run)


def _copilot(run: Run) -> Flow:
    """Two programs of one name: GitHub's agent, and AWS' deployer (``copilot app delete``)."""
    if run.arguments and run.arguments[0].text in (
        "app",
        "env",
        "svc",
        "job",
        "task",
        "pipeline",
        "storage",
        "secret",
        "deploy",
    ):
        from interlock.effects.programs.cloud import by_verb

        return by_verb(run, {})
    return _client(run)


def client_of(path: str) -> str:
    """Return the client whose own program a script's path names
    (``.../@anthropic-ai/claude-code/cli.js``), or ``""``.
    """
    if "_modules/" not in path:
        return ""
    words = path.split("/")
    return next(
        (
            _PACKAGES.get(word, word)
            for word in reversed(words[:-1])
            if word in _PACKAGES or (word in DROPPING and word != "pi")
        ),
        "",
    )


def _package(run: Run) -> Flow:
    run.name = _PACKAGES[run.name]
    return _client(run)
