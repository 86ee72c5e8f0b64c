"""Compilers, build tools, linters, test runners, profilers: writes, and options with a command."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.connecting import to_url
from interlock.effects.programs import projects
from interlock.effects.programs import table as programs
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.sending import tunnel
from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.model.effect import (
    TEMP,
    WORKSPACE,
    Deletes,
    Executes,
    Installs,
    Publishes,
    Reads,
    RunsCode,
    Writes,
)
from interlock.shell.value import NETWORK, NOTHING, UNREAD, Flow, Value

_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "pwsh", "cmd.exe")


# -- make and kin ----------------------------------------------------------------------------------


def _make(run: Run) -> Flow:
    """make: targets are scripts of the project; ``SHELL=``, ``--eval`` and makefiles from elsewhere
    are code of their own.
    """
    if run.has("-v", "--version", "--help", "-h"):
        return NOTHING
    for value in run.parsed.values("--eval", "-E"):
        _makefile_text(run, value)
    targets: list[str] = []
    given: dict[str, str] = {}
    for value in run.operands:
        name, equals, text = value.text.partition("=")
        if equals:
            given[name.rstrip(":+?")] = text
            _make_variable(run, name.rstrip(":+?"), Value(text, value.start, value.end, value.why))
        else:
            targets.append(value.text)
    files = run.parsed.values("-f", "--file", "--makefile")
    folder = run.parsed.value("-C", "--directory")
    if folder is not None:
        run.cwd = None if folder.hollow else run.context.normal(folder.text, run.cwd)
    for value in files:
        _makefile(run, value)
    makefile = (
        files[-1].text
        if files and files[-1].known and files[-1].text not in ("-", "/dev/stdin")
        else None
    )
    rehearses = run.has("-n", "--just-print", "--dry-run", "--recon", "-q", "--question")
    if not rehearses:  # the number of -j and -l may be left out
        targets += [
            value.text
            for value in run.parsed.values("-j", "-l")
            if not value.text.replace(".", "").isdigit()
        ]
        for target in targets or ["all"]:
            run.effect(Executes, target, "package-script")
        _installs(run, targets, given)
    projects.make(run, targets, given, makefile, rehearses=rehearses)
    return UNREAD


def _installs(run: Run, targets: list[str], given: dict[str, str]) -> None:
    """``make install`` puts what was built into the machine, unless it is told another place."""
    place = next(
        (
            given[name]
            for name in (
                "DESTDIR",
                "PREFIX",
                "prefix",
                "INSTALL_ROOT",
                "INSTALL_PREFIX",
                "CMAKE_INSTALL_PREFIX",
            )
            if given.get(name)
        ),
        "",
    )
    if any(
        target
        in (
            "install",
            "install-all",
            "installcheck",
            "uninstall",
            "install-strip",
            "modules_install",
        )
        for target in targets
    ):
        _into_machine(run, Value(place))


def _into_machine(run: Run, place: Value) -> None:
    """Something is installed: into the machine, or below a folder of the workspace."""
    path = run.context.normal(place.text, run.cwd) if place.text and not place.hollow else None
    if path is None or run.context.place(path).location not in (WORKSPACE, TEMP):
        run.effect(Installs, run.name, "system")


def _make_variable(run: Run, name: str, value: Value) -> None:
    if name in ("SHELL", "MAKE", ".SHELLFLAGS") and value.text.rpartition("/")[2] not in (
        *_SHELLS,
        "make",
        "gmake",
        "-c",
        "-ec",
    ):
        option_command(run, value, name)
    elif "$(shell" in value.text or "`" in value.text:
        _makefile_text(run, value)


def _makefile(run: Run, value: Value) -> None:
    """A makefile given by name: on standard input its text may be known; outside the workspace it
    is a script from elsewhere.
    """
    if value.text in ("-", "/dev/stdin"):
        text = run.stdin.text if run.stdin is not None else None
        if text is None:
            run.unknown_code(run.stdin.why if run.stdin is not None else "output", value=value)
        else:
            _makefile_text(run, Value(text))
        return
    effect = run.path(Reads, value)
    if effect.place is not None and effect.place.location not in (WORKSPACE, TEMP):
        run.effect(Executes, effect.target, "script", "makefile", value=value)
    flow = run.contents(value)
    if flow.text is not None:
        _makefile_text(run, Value(flow.text))
    elif NETWORK in flow.labels:
        run.unknown_code(NETWORK, value=value)


def _makefile_text(run: Run, value: Value) -> None:
    """Read the recipes of a makefile: lines after a tab, after ``;``, and in ``$(shell ..)``."""
    run.effect(
        RunsCode, "makefile", "inline", *(["option-command"] if value.hollow else []), value=value
    )
    for line in value.text.replace("\\n", "\n").split("\n"):
        recipe = (
            line.lstrip("\t@-+ ")
            if line.startswith("\t")
            else line.partition(";")[2]
            if ":" in line.partition(";")[0]
            else ""
        )
        if "$(shell " in line:
            recipe = line.partition("$(shell ")[2].rpartition(")")[0]
        if recipe.strip():
            run.code(
                Value(
                    recipe.strip().lstrip("@-+").replace("$$", "$"),
                    value.start,
                    value.end,
                    value.why,
                )
            )


def _task(run: Run) -> Flow:
    """Task runners: the words name tasks of the project."""
    if run.has("--version", "--help", "-h", "-l", "--list", "-T", "--tasks", "--summary", "-V"):
        return UNREAD
    words = [value.text for value in run.arguments]
    at = (
        next((at for at, word in enumerate(words) if word in ("-c", "--command")), -1)
        if run.name == "just"
        else -1
    )
    if at >= 0:
        rest = run.arguments[at + 1 :]
        return run.command(rest) if len(rest) > 1 else run.code(rest[0]) if rest else UNREAD
    for value in run.operands or [Value("default")]:
        run.effect(Executes, value.text, "package-script", value=value)
    if run.name in ("just", "task"):
        (projects.just if run.name == "just" else projects.task)(
            run, [value.text for value in run.operands]
        )
    return UNREAD


def _cmake(run: Run) -> Flow:
    """cmake: ``-E`` is a box of tools, ``-P`` runs a script, ``--build`` what the project says."""
    words = run.arguments
    if words and words[0].text == "-E":
        return _cmake_tool(run, words[1:])
    for value in run.parsed.values("-P"):
        run.script(value, "cmake")
    for value in run.parsed.values("-D"):
        name, _, text = value.text.partition("=")
        runs = "LAUNCHER" in name or "CMAKE_CROSSCOMPILING_EMULATOR" in name
        if runs and text.rpartition("/")[2] not in ("ccache", "sccache", "distcc", ""):
            option_command(run, Value(text, value.start, value.end, value.why), name)
    if run.has("--build", "--workflow"):
        run.executes("build", "package-script")
    for value in run.operands:
        if value.text.startswith("@"):
            run.context.doubt(f"the options in {value.text[1:]} are not known")
    for value in run.parsed.values("-B"):
        run.path(Writes, value, "create")
    goal = run.parsed.value("--target", "-t")
    if run.parsed.value("--install") is not None or (
        run.parsed.value("--build") is not None and goal is not None and goal.text == "install"
    ):
        _into_machine(run, run.parsed.value("--prefix") or Value(_read_prefix(run)))
    return UNREAD


def _read_prefix(run: Run) -> str:
    """Return the prefix that the build folder was set up with, if its cache is known."""
    folder = run.parsed.value("--install", "--build") or Value(".")
    text = projects.text_of(run, f"{folder.text}/CMakeCache.txt") or ""
    return text.partition("CMAKE_INSTALL_PREFIX:PATH=")[2].partition("\n")[0]


def _ninja(run: Run) -> Flow:
    """ninja: targets of the project; ``install`` puts what was built into the machine."""
    run.effect(Executes, run.operands[0].text if run.operands else "all", "package-script")
    for value in run.parsed.values("-f"):
        run.path(Reads, value)
    if any(
        value.text in ("install", "install/strip", "uninstall") for value in run.operands
    ) and not run.has("-n"):
        _into_machine(run, Value(""))
    return UNREAD


def _cmake_tool(run: Run, words: list[Value]) -> Flow:
    """``cmake -E rm -rf X``, ``cmake -E env A=B COMMAND``."""
    names = {
        "rm": "rm",
        "remove": "rm",
        "copy": "cp",
        "copy_directory": "cp",
        "rename": "mv",
        "env": "env",
        "time": "time",
        "cat": "cat",
        "make_directory": "mkdir",
        "touch": "touch",
        "tar": "tar",
    }
    if not words:
        return UNREAD
    verb = words[0]
    if verb.text == "remove_directory":
        for value in words[1:]:
            run.path(Deletes, value, "recursive")
        return NOTHING
    if verb.text == "chdir":
        return run.command(words[2:])
    name = names.get(verb.text)
    return run.command([Value(name, verb.start, verb.end), *words[1:]]) if name else UNREAD


def _meson(run: Run) -> Flow:
    for value in run.parsed.values("--wrapper", "--wrap"):
        option_command(run, value, "--wrapper")
    if run.operands and run.operands[0].text == "install":
        _into_machine(run, run.parsed.value("--destdir") or Value(""))
    return UNREAD


def _bazel(run: Run) -> Flow:
    """bazel: ``run`` runs a target; options like ``--run_under`` name a program."""
    for value in run.parsed.values("--run_under", "--test_wrapper", "--workspace_status_command"):
        option_command(run, value, "--run_under")
    verb = run.operands[0].text if run.operands else ""
    if verb in ("run", "mobile-install"):
        target = run.operands[1].text if len(run.operands) > 1 else verb
        run.executes(target, "package-script")
        if not _PUBLISHING.isdisjoint(parts(target.rpartition("/")[2].rpartition(":")[2])):
            run.effect(Publishes, target, "package")
    return UNREAD


_PUBLISHING = frozenset({"push", "publish", "deploy", "upload"})
"""What the names of targets say that put something before others."""


def _runs_file(language: str) -> Callable[[Run], Flow]:
    """Return a reader for ``tool run FILE`` and ``tool build``: files are scripts, others build."""

    def read(run: Run) -> Flow:
        words = run.operands
        if words and words[0].text in ("run", "script", "r", "play") and len(words) > 1:
            return run.script(words[1], language)
        if words and words[0].text == "eval" and len(words) > 1:
            return run.code(words[1], language)
        for value in run.parsed.values("-o", "--output", "-femit-bin"):
            run.path(Writes, value)
        for value in run.parsed.values("-e"):
            run.code(value, language)
        return UNREAD

    return read


def _haskell(run: Run) -> Flow:
    """``runghc FILE``, ``runghc -e CODE``, ``runghc`` fed on standard input."""
    for value in run.parsed.values("-e"):
        run.code(value, "haskell")
    if run.operands:
        return run.script(run.operands[0], "haskell")
    return run.input_as_code("haskell") if run.stdin is not None and not run.has("-e") else UNREAD


def _objects(run: Run) -> Flow:
    """Tools for object files: ``@FILE`` holds more arguments, shown by complaints (binutils)."""
    for value in run.operands:
        run.path(
            Reads,
            Value(value.text.removeprefix("@"), value.start, value.end, value.why, value.pattern),
        )
    return UNREAD


def _typeset(run: Run) -> Flow:
    r"""TeX: ``\write18{..}`` and ``\input{|..}`` run a command where ``-shell-escape`` lets them,
    ``\directlua{..}`` is Lua.
    """
    if any(value.text[:1] in ("\\", "&") for value in run.operands):
        run.context.doubt(f"what code {run.name} is given does is not known")
    for value in run.arguments:
        for mark, language in (
            ("\\write18{", "sh"),
            ("\\input{|", "sh"),
            ("\\input|", "sh"),
            ("\\directlua{", "lua"),
        ):
            for rest in value.text.split(mark)[1:8]:
                run.code(
                    Value(
                        rest.rpartition("}")[0].partition("}")[0].strip('" ') or rest.strip('" '),
                        value.start,
                        value.end,
                    ),
                    language,
                )
    run.roles()
    return UNREAD


_CAPTURED = frozenset(
    "x11grab avfoundation gdigrab kmsgrab alsa pulse v4l2 dshow fbdev jack sndio".split()
)


def _ffmpeg(run: Run) -> Flow:
    """ffmpeg: inputs after ``-i`` are read or fetched, the last word is written; some formats are
    the screen, the camera, the microphone.
    """
    for value in run.parsed.values("-f"):
        if value.text in _CAPTURED:
            run.effect(Executes, "ffmpeg", "captures", value=value)
    for value in run.parsed.values("-i"):
        if "://" in value.text:
            to_url(run.context, value.text, run.span(value), frozenset({"get"}), run.name)
        elif value.text[:1] not in (":", "-") and value.text != "default":
            run.path(Reads, value)
    for value in run.operands[-1:]:
        if "://" not in value.text and value.text != "-":
            run.path(Writes, value)
    return UNREAD


# -- tests -----------------------------------------------------------------------------------------


def _tests(run: Run) -> Flow:
    """Test runners run the project's own code; files from elsewhere are scripts, ``--basetemp`` is
    emptied first.
    """
    for value in run.parsed.values("--basetemp"):
        run.path(Deletes, value, "recursive", "all-of")
    for value in run.parsed.values(
        "--junitxml", "--junit-xml", "--outputFile", "--output", "--log-file", "--report-log"
    ):
        run.path(Writes, value)
    for value in run.operands:
        text = value.text.partition("::")[0]
        path = (
            run.context.normal(text, run.cwd) if text and not value.hollow and "/" in text else None
        )
        if path is not None and run.context.place(path).location not in (WORKSPACE, TEMP):
            run.context.add(
                Executes,
                path,
                place=run.context.place(path),
                traits=frozenset({"script", "tests"}),
                span=run.span(value),
                by=run.name,
            )
    return UNREAD


def _coverage(run: Run) -> Flow:
    """``coverage run [-m MODULE] FILE`` runs it as python does."""
    words = run.operands
    if words and words[0].text == "run":
        inner = run.inside(words, "run", programs.subcommand("coverage", "run"))
        python = [Value("-m")] if inner.has("-m", "--module") else []
        return run.command(
            [Value("python", words[0].start, words[0].end), *python, *inner.operands]
        )
    return UNREAD


# -- measuring -------------------------------------------------------------------------------------


def _hyperfine(run: Run) -> Flow:
    """Every operand, and what prepares and cleans up, is a command."""
    for value in [
        *run.parsed.values("-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "--conclude"),
        *run.operands,
    ]:
        run.code(value)
    for value in run.parsed.values("--export-json", "--export-markdown", "--export-csv"):
        run.path(Writes, value)
    return UNREAD


def _profile(run: Run) -> Flow:
    """``valgrind CMD``, ``perf stat CMD``: the command runs, watched."""
    words = run.operands
    usual = programs.below(run.name, "record")
    if usual is not None and words:
        verb = words[0]
        at = next(at for at, value in enumerate(run.arguments) if value is verb)
        execution = run.execution.inner(run.arguments[at:])
        row = programs.below(run.name, verb.text)
        inner = type(run)(run.reader, run.walker, execution, row or usual, run.name, verb.text)
        for value in inner.parsed.values("-o", "--output"):
            run.path(Writes, value)
        words = inner.operands if row is not None else []
        words = words[1:] if words and words[0].text == "--" else words
    return run.command(words) if words else UNREAD


def _publisher(run: Run) -> Flow:
    """Site builders that can also deploy (``mkdocs gh-deploy``)."""
    verb = run.operands[0].text if run.operands else ""
    if verb in ("gh-deploy", "deploy", "publish"):
        run.effect(Publishes, run.name, "site")
    return UNREAD


def _terminal_opener(run: Run) -> Flow:
    """``open``, ``xdg-open``, ``code``: a file or a page is opened; an extension is installed."""
    if (
        run.operands
        and run.operands[0].text in ("tunnel", "serve-web", "serve-local")
        and run.name.startswith("code")
    ):
        return tunnel(run)
    for value in run.parsed.values("--install-extension"):
        run.effect(Installs, value.text, "user", value=value)
    for value in run.operands:
        if "://" in value.text or value.text.startswith("mailto:"):
            to_url(
                run.context, value.text, run.span(value), frozenset({"get", "browser"}), run.name
            )
        else:
            run.path(Reads, value)
    return UNREAD
