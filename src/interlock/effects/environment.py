"""Assignments before a command that make a program run code or load files (``LD_PRELOAD=x ls``)."""

from __future__ import annotations

from interlock.data.words import groups, words
from interlock.effects import hosts, touched_files
from interlock.effects.api import ShellReading
from interlock.effects.connecting import to_url
from interlock.effects.embedded_paths import find_paths
from interlock.effects.programs import table as programs
from interlock.effects.rows import ProgramRow, table
from interlock.effects.run import Run
from interlock.effects.variables import TEMPS
from interlock.model.effect import (
    LOCAL,
    SINK,
    SYSTEM,
    TEMP,
    WORKSPACE,
    ErasesTraces,
    Executes,
    RunsCode,
    Span,
)
from interlock.model.facts import MISSING, Stat
from interlock.shell.execution import Execution
from interlock.shell.state import EVERYTHING
from interlock.shell.value import HOLE, Value
from interlock.shell.walk import Walker

OPEN_COMMANDS = frozenset(words("environment", "open commands"))

COMMANDS = OPEN_COMMANDS | frozenset(words("environment", "commands"))

FILES = frozenset(words("environment", "files"))

SEARCHED = frozenset(words("environment", "searched"))

CARRYING: dict[str, tuple[str, ...]] = groups("environment", "carrying")

IN_EVERY_ENVIRONMENT = frozenset({"PATH", "HOME", "SHELL", "EDITOR", "VISUAL", "PAGER"})
"""Every program that is started has them, so that setting one in the shell is enough."""
SHELLS_OWN = frozenset({"PROMPT_COMMAND", "PS4"})
"""The shell itself runs what they hold."""
RUN = words("environment", "run")
LOADED = words("environment", "loaded")
PLAIN = frozenset(words("environment", "plain"))
DATA = words("environment", "data")
DATA_OPTIONS = frozenset(words("environment", "data options"))
SETTINGS = words("environment", "settings")
CODE_ENDINGS = frozenset(
    "so dylib dll jar py js mjs cjs sh bash rb pl pm lua el vim node wasm ko".split()
)
"""Endings of files that are code, whatever the name of the variable."""
REACHED = ("PROXY", "HOST", "REGISTRY", "ENDPOINT", "MIRROR", "REMOTE")
"""And of one by which a program is led to another machine (``DOCKER_HOST``, ``HTTPS_PROXY``)."""

HARMLESS_WORDS = frozenset(
    {
        "cat",
        "less",
        "more",
        "true",
        ":",
        "vim",
        "vi",
        "nano",
        "emacs",
        "code",
        "",
        "/bin/true",
        "/bin/cat",
        "less -R",
        "false",
        "/bin/false",
    }
)
_SAFE_NODE = words("environment", "safe node")


def judge_prefix(reader: ShellReading[Run], execution: Execution, walker: Walker) -> None:
    """Add what the assignments of one command do; of assignments alone only those that commands
    started later get as well.
    """
    exported = walker.state.exported
    for name, value in execution.prefix:
        text = value.text.strip()
        if hides_history(name, text):
            span = Span(execution.text, execution.start, execution.end)
            reader.context.add(
                ErasesTraces,
                name,
                traits=frozenset({"history"}),
                span=span,
                by=name,
                detail="the shell keeps no history",
            )
        elif (
            execution.argv
            or name in IN_EVERY_ENVIRONMENT
            or name in exported
            or EVERYTHING in exported
            or name in SHELLS_OWN
        ):
            _judge(reader, execution, walker, name, value)


def _judge(
    reader: ShellReading[Run], execution: Execution, walker: Walker, name: str, value: Value
) -> None:
    """Add what one variable in the environment of a program does: by the tables above where it is
    listed, else by its shape.
    """
    text = value.text.strip()
    if (text and _steers(name, text)) or (
        _leads_out(reader, execution, name, text) and not _reads_no_settings(execution, walker)
    ):
        reader.context.doubt(f"what {name} makes of the programs that follow is not known")
    if name in COMMANDS:
        if text not in HARMLESS_WORDS and not (
            name in ("PS1", "PS4") and "$(" not in text and "`" not in text
        ):
            _command(reader, execution, walker, name, text)
    elif name in FILES:
        if text and not _only_sets(name, text):
            _file(reader, execution, name, text)
            if name in ("BASH_ENV", "ENV"):
                _startup(reader, execution, walker, value)
    elif name.startswith("LUA_INIT") and not text.startswith("@"):
        run = Run(reader, walker, execution, ProgramRow(operands="data*"), "lua")
        reader.code(run, text, value, "lua")
    elif name == "PYTHONBREAKPOINT" and text not in ("", "0") and not text.endswith(".set_trace"):
        _command(reader, execution, walker, name, text)
    elif name.startswith("BASH_FUNC_") and text.startswith("("):
        _command(reader, execution, walker, name, f"f {text}\nf")
    elif name == "PATH" or name in SEARCHED:
        if name == "PATH" or not _reads_no_settings(execution, walker):
            use(reader, execution, name, text.partition(":")[0] or ".")
    elif name in CARRYING and any(mark in text for mark in CARRYING[name]):
        _file(reader, execution, name, text)
    elif name not in TEMPS:
        _by_shape(reader, execution, walker, name, text)


def _reads_no_settings(execution: Execution, walker: Walker) -> bool:
    """Whether what is started loads nothing that a variable names: ``XDG_CONFIG_HOME=/tmp/x ls``."""
    name = execution.argv[0].text if execution.argv else ""
    ours = name in walker.state.functions or name in walker.state.aliases
    return not ours and programs.reads_no_settings(name)


def _steers(name: str, text: str) -> bool:
    """Whether a variable may name programs or options of programs, whatever its value does with
    them: what is proven does not hang on that.
    """
    if name == "PATH":
        return not text.partition(":")[0].rstrip("/").endswith(_OWN_PROGRAMS)
    words = name.upper().split("_")
    if text[0] == HOLE and words[-1] not in PLAIN and not _is_for_data(words):
        return True  # read from a file, or printed by a command: it may be anything
    if _only_tunes(name, text):
        return False
    loads = says(words, _BY_NAME)
    return name.upper().endswith(_OPTIONS) or loads or (says(words, RUN) and not text.isalnum())


def _only_tunes(name: str, text: str) -> bool:
    """Whether options of a compiler only say how it optimizes, and what it warns of (``-O2 -Wall``,
    ``-D warnings``), or those of a sanitizer what it looks for.
    """
    if name.endswith("SAN_OPTIONS"):
        return not any(mark in text for mark in "/~$" + HOLE)
    words = text.split() if name in _COMPILERS_FLAGS else []
    plain = [word.removeprefix("-std=").removeprefix("-Copt-level=") for word in words]
    return (
        bool(words)
        and all(
            word.startswith(_TUNING) and not word.startswith(_HANDED_ON)
            if word[:1] == "-"
            else word.replace("_", "").replace("+", "").replace("::", "").isalnum()
            for word in plain
        )
        and not any("/" in word or "=" in word for word in plain)
    )


_COMPILERS_FLAGS = frozenset("CFLAGS CXXFLAGS RUSTFLAGS RUSTDOCFLAGS".split())
_TUNING = ("-O", "-g", "-W", "-D", "-A", "-F", "-pedantic", "-pipe", "-march", "-m64")
_HANDED_ON = ("-Wl,", "-Wa,", "-Wp,")


def _leads_out(reader: ShellReading[Run], execution: Execution, name: str, text: str) -> bool:
    """Whether a value leads the programs that follow out of the workspace: to a path that is none
    of it, nor of what the system has (``BUNDLE_GEMFILE=/tmp/x``), or to another machine
    (``DB_HOST=db.test``). A name may say that it is only a place for data (``GOCACHE=/tmp/cache``).
    """
    words = name.upper().split("_")
    if name in TEMPS or _is_elsewhere(words, text):
        return name not in TEMPS
    lent = (WORKSPACE, SYSTEM, TEMP) if _is_for_data(words) else (WORKSPACE, SYSTEM)
    found = {*paths_in(text), *find_paths(text)}
    found.update([word for word in text.split() if word.startswith(("../", "~/"))])
    paths = [reader.context.normal(path, execution.cwd) for path in found]
    places = [reader.context.place(path) for path in paths if path is not None]
    return any(place.location not in lent and SINK not in place.natures for place in places)


def _is_for_data(words: list[str]) -> bool:
    """Whether the name of a variable says that its value is data, or a place for it: its last word
    does, or the one before ``DIR`` (``COVERAGE_FILE``, and not ``COVERAGE_RCFILE``).
    """
    last = words[-2:-1] if words[-1] in _HOLDS and len(words) > 1 else words[-1:]
    return says(last, DATA) and words[-2:] != _SEARCHED_IN


_SEARCHED_IN = ["PREFIX", "PATH"]
"""How variables end that name where programs and libraries are looked for."""
_HOLDS = frozenset("DIR DIRECTORY FILE FOLDER PATH ROOT HOME URL PREFIX NAME LOCATION".split())
"""Last words of names of variables that say in what data is."""
_EVERYBODY = frozenset({"0.0.0.0", "::", "*"})  # noqa: S104 - words of a command
"""Addresses by which a server listens to every machine."""


def _is_elsewhere(words: list[str], text: str) -> bool:
    """Whether a value is an address of another machine, or by its name and its form one's name."""
    if "://" in text and " " not in text:
        host = hosts.host_of(text)
        return bool(host) and hosts.classify(host) != LOCAL
    if says(words, REACHED) and text in _EVERYBODY:
        return True
    named = says(words, REACHED) and "." in text.strip(".") and "/" not in text
    return named and hosts.classify(text.partition(":")[0]) != LOCAL


_BY_NAME = ("PLUGIN", "PLUGINS", "PRELOAD")
"""Words in the name of a variable that holds names of what is loaded (``PYTEST_PLUGINS``)."""
_OPTIONS = ("OPTS", "OPTIONS", "FLAGS", "ARGS")
_OWN_PROGRAMS = ("venv/bin", "node_modules/.bin")
"""Folders of a project's own tools, which it uses anyway."""


def _by_shape(
    reader: ShellReading[Run], execution: Execution, walker: Walker, name: str, text: str
) -> None:
    """Of a variable that nobody listed: its name may say that its value is run or loaded, and so
    may the value.
    """
    words = name.upper().split("_")
    if says(words, RUN) and (" " in text or "/" in text):
        copy = walker.state.copy()
        reader.context.possibly(
            lambda: walker.nested(text, execution.start, execution.end, name, copy)
        )
    if "://" in text and says(words, REACHED):
        to_url(
            reader.context,
            text,
            Span(execution.text, execution.start, execution.end),
            frozenset({"get"}),
            name,
        )
    data = _is_for_data(words)
    for path in paths_in(text):
        code = path.rpartition("/")[2].rpartition(".")[2] in CODE_ENDINGS
        if (
            code
            or says(words[-1:], RUN)
            or (not data and (says(words, LOADED) or says(words, RUN)))
        ):
            use(reader, execution, name, path)


def judge_options(run: Run) -> None:
    """Add what options load whose names say that they do: settings, plugins, programs out of a
    folder for temporary files.
    """
    roles, own = table(run.row.options), programs.names().get(run.name) in _READ_THEIR_OWN
    for name, value in option_values(run):
        if (
            value.text[:1] == "/"
            and value.known
            and len(name) > len("-x")
            and says(pieces(name), SETTINGS)
        ):
            use(run.reader, run.execution, name, value.text)
        elif (
            " " in value.text
            and not own
            and not roles.get(name, "data").lstrip("?").startswith(("code", "program", "script"))
        ):
            _command_in(run, pieces(name), value)


def option_values(run: Run) -> list[tuple[str, Value]]:
    """Return the options with their values, those that nobody listed with the word behind them."""
    unknown, words = run.parsed.unknown, run.arguments
    if not unknown:
        return run.parsed.options
    behind = [
        (words[at - 1].text, words[at])
        for at in range(1, len(words))
        if words[at - 1].text in unknown
    ]
    return [*run.parsed.options, *behind]


def pieces(option: str) -> list[str]:
    """Return the words of an option's name, in capitals."""
    return option.strip("-").upper().replace("-", "_").split("_")


_READ_THEIR_OWN = frozenset(
    {"interpreters", "powershell", "windows", "wrappers", "privilege", "netshell"}
)
"""Families whose programs are given commands as a matter of course: what reads them reads these."""


def _command_in(run: Run, words: list[str], value: Value) -> None:
    """Read the value of an option as a command that may be run, where the option's name says so, or
    that of a setting which it makes.
    """
    setting, equals, text = value.text.partition("=")
    named = (
        equals
        and " " not in setting
        and words[-1] in _SETS
        and says(setting.upper().replace("-", "_").replace(".", "_").split("_"), RUN)
    )
    if named or says(words, (*RUN, "EVAL", "BIND", "PREVIEW")):
        copy = run.walker.state.copy()
        command = text if named else value.text
        run.context.possibly(
            lambda: run.walker.nested(command, value.start, value.end, words[-1].lower(), copy)
        )


_SETS = frozenset({"O", "C", "X", "OVERRIDE", "OPTION", "CONFIG", "CONF", "SETTING", "PROPERTY"})
"""Names of options that set one of the program's own settings (``restic -o sftp.command=..``)."""


def judge_given(run: Run) -> None:
    """Add what a build tool's own variables do: ``make CC=/tmp/x``, ``cmake
    -DCMAKE_C_COMPILER=/tmp/x``.
    """
    for word in run.arguments:
        name, equals, text = word.text.removeprefix("-D").removeprefix("-P").partition("=")
        if equals and name.isidentifier() and name.isupper() and "/" in text and not word.hollow:
            _judge(run.reader, run.execution, run.walker, name, Value(text, word.start, word.end))


def says(words: list[str], among: tuple[str, ...]) -> bool:
    """Whether a name says one of these: one of its words is it, or ends in it (``KUBECONFIG``)."""
    return any(word.endswith(among) for word in words)


def paths_in(text: str) -> list[str]:
    """Return the absolute paths in a value: at its beginning, or behind what joins them to an
    option (``-fplugin=/tmp/x.so``).
    """
    found = []
    for word in text.split():
        at = next(
            (
                at
                for at, char in enumerate(word)
                if char == "/" and (not at or word[at - 1] in "=:,@")
            ),
            -1,
        )
        if at >= 0 and not word.startswith("//", at) and "://" not in word:
            found.append(word[at:].partition(":")[0].partition(",")[0])
    return found


def _only_sets(name: str, text: str) -> bool:
    """Whether a variable that may load code does not: ``ENV=production`` names no file,
    ``NODE_OPTIONS=--no-warnings`` no module.
    """
    return (name == "ENV" and "/" not in text and not text.endswith(("sh", "rc"))) or (
        name == "NODE_OPTIONS" and text.startswith(_SAFE_NODE)
    )


def hides_history(name: str, text: str) -> bool:
    """Whether this value of a variable keeps the shell from recording (bash(1), zshparam(1))."""
    if name == "HISTFILE":
        return text in {"", "/dev/null"}
    if name in {"HISTSIZE", "HISTFILESIZE", "SAVEHIST"}:
        return text == "0"
    return name == "HISTIGNORE" and text == "*"


def _command(
    reader: ShellReading[Run], execution: Execution, walker: Walker, name: str, text: str
) -> None:
    """Read the value as a command of its own, with what it is for."""
    span = Span(execution.text, execution.start, execution.end)
    hidden = name not in OPEN_COMMANDS or HOLE in text or _temporary(reader, execution, text)
    traits = frozenset({"environment-hook" if hidden else "environment-command"})
    reader.context.add(
        RunsCode, name, traits=traits, span=span, by=name, detail=f"{name} is run as a command"
    )
    walker.nested(text, execution.start, execution.end, name, walker.state.copy())


def _temporary(reader: ShellReading[Run], execution: Execution, text: str) -> bool:
    """Whether a command starts with a program in a temporary folder not written by this call."""
    first = text.split(None, 1)[0] if text else ""
    path = reader.context.normal(first, execution.cwd) if "/" in first else None
    return (
        path is not None
        and path not in reader.written
        and reader.context.place(path).location == "temp"
    )


def _file(reader: ShellReading[Run], execution: Execution, name: str, text: str) -> None:
    span = Span(execution.text, execution.start, execution.end)
    path = reader.context.normal(text.split(":", maxsplit=1)[0], execution.cwd)
    place = reader.context.place(path) if path else None
    temporary = place is not None and place.location == "temp"
    traits = {"environment-hook", "loads"} | (
        {"from-temp"} if temporary else {"library-path"} if name.endswith("LIBRARY_PATH") else set()
    )
    reader.context.add(
        Executes,
        path or text,
        place=place,
        traits=frozenset(traits),
        span=span,
        by=name,
        detail=f"{name} makes the program load code",
    )


def _startup(reader: ShellReading[Run], execution: Execution, walker: Walker, value: Value) -> None:
    """Read the file that a shell runs first, where this call wrote it."""
    flow = walker.opened(value.text) or reader.contents(value, execution.cwd)
    if flow.text is not None:
        walker.nested(
            flow.text, execution.start, execution.end, "startup file", walker.state.child()
        )


def use(reader: ShellReading[Run], execution: Execution, name: str, text: str) -> None:
    """Add that a program, a library or settings are used that lie in a folder for temporary files,
    where this session did not put them.
    """
    context = reader.context
    path = context.normal(text, execution.cwd)
    if (
        path is None
        or context.place(path).location != TEMP
        or context.facts.stat(path) == Stat(MISSING)
    ):
        return
    place = context.place(path)
    if touched_files.unseen_traits(context, path, place, reader.find_written(path)):
        span = Span(execution.text, execution.start, execution.end)
        context.add(
            Executes,
            path,
            place=place,
            traits=frozenset({"environment-hook", "loads", "from-temp"}),
            span=span,
            by=name,
        )
