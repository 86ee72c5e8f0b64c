"""Options that load code into a program from a folder for temporary files, where anybody may have
put it: ``--plugin /tmp/x.so``, ``--filter=/tmp/x``, ``-Xclang -load -Xclang /tmp/x.so``.

What such an option is called is the same in most programs, so it is asked of all of them.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects import hosts
from interlock.effects.embedded_paths import find_paths
from interlock.effects.environment import DATA_OPTIONS, SETTINGS, pieces, says
from interlock.effects.named_files import TALKING, tells_of_path
from interlock.effects.other_folders import uses_words_alone
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.touched_files import run_unseen
from interlock.model.effect import LOCAL, TEMP, Effect, Executes, Writes
from interlock.shell.value import NETWORK, Value

_LOADING = words("ladder", "loading")
_DASHED = frozenset(words("ladder", "loading by one dash"))
_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/shm/")
_HANDS_ON = frozenset({"-Xclang", "-Xlinker", "-mllvm", "-J", "-Xcompiler"})
"""Options that hand the next word to another program, its value behind another one."""


def loads(run: Run, told: tuple[Effect, ...]) -> None:
    """Add what the options of a described program load, where no effect tells of it."""
    before = ""
    for word in run.words:
        if word.text not in _HANDS_ON:
            if ("/tmp/" in word.text or "/dev/shm/" in word.text) and not _is_told(word, told):
                load(run, word, before)
                run_handed(run, word, before)
            before = word.text


def _is_told(word: Value, told: tuple[Effect, ...]) -> bool:
    path = word.text.rpartition("=")[2]
    return any(
        effect.kind is Executes and effect.place is not None and effect.target == path
        for effect in told
    )


def load(run: Run, word: Value, before: str) -> None:
    """Add that a word loads code, by the option before it or its own."""
    option, equals, rest = word.text.partition("=")
    named, text = (option, rest) if equals and option[:1] == "-" else (before, word.text)
    if not text.startswith(_FOLDERS) or not (_is_loading(named) or _names_program(named, text)):
        return
    path = run.context.normal(text, run.cwd)
    if path is None or path in run.reader.written or run.context.files.is_made(path):
        return
    run.effect(
        Executes,
        text,
        "loads",
        "from-temp",
        "option-command",
        value=word,
        detail="code from a folder for temporary files is loaded",
    )


def _is_loading(option: str) -> bool:
    return option in _DASHED or (option[:2] == "--" and any(part in option for part in _LOADING))


def _names_program(option: str, path: str) -> bool:
    """Whether an option names the program that is started for a task: ``--adb /tmp/adb``,
    ``--git-path=/tmp/git``.
    """
    name = path.rpartition("/")[2]
    if (
        option[:1] != "-"
        or len(name) == 1
        or "." in name
        or not DATA_OPTIONS.isdisjoint(pieces(option))
    ):
        return False
    return name.upper() in pieces(option) or (
        programs.names().get(name) in _STARTED and "out" not in option
    )


_STARTED = frozenset("interpreters compilers git build remoting devices privilege".split())
"""Families of programs that others start, and are told where they lie."""


def run_handed(run: Run, word: Value, before: str) -> None:
    """Add that a program runs the file of code that it is handed, and that lies
    where anybody may have put it (``foo run /tmp/x.sas``, ``foo -sysin /tmp/x``), or that it
    fetches first (``foo run https://host/x.js``).
    """
    if before.lower() not in _RUNS and not (before == "" and run.name in _RUNNERS):
        return
    if word.text.startswith(_FOLDERS) and not _is_data(before, word.text):
        run_unseen(run, word, word)
    elif _is_code_of_network(word.text):
        run.context.possibly(lambda: run.unknown_code(NETWORK))


def _is_code_of_network(text: str) -> bool:
    """Whether a word is the address of a file of code: ``https://host/x.py``."""
    if not text.startswith(("http://", "https://")) or hosts.classify(hosts.host_of(text)) == LOCAL:
        return False
    return text.partition("?")[0].rpartition(".")[2].lower() in _CODE | _SCRIPTS


_RUNNERS = frozenset("papermill marimo voila nextflow snakemake scala-cli dart".split())
"""Programs that run what their first word names."""
_SCRIPTS = frozenset(
    "ipynb r jl nf smk sc scala kt dart swift cr nim ex clj hs cs csx fsx tcl el ps1 bat cmd groovy"
    " pl go rs rhai star bash zsh".split()
)


_RUNS = frozenset(
    "run exec execute eval source script batch play launch call do -sysin --run --exec --execute"
    " --script --runfile --run-file".split()
)
"""Words and options behind which a file is run."""


def doubt_code_of_everybody(run: Run, told: tuple[Effect, ...]) -> None:
    """Note what lies in a folder where everybody writes and may be code, or settings: what an
    option of such a name is set to, and whatever else a word names of which no effect tells.
    """
    written = {effect.target for effect in told if effect.kind is Writes}
    for option, value in run.parsed.options:
        names = run.parsed.same.get(option, (option,))
        settings = programs.names().get(run.name) != "wrappers" and any(map(_is_setting, names))
        if settings or _is_code(value.text):
            _doubt_temporary(run, value.text, written)
    if run.name.partition(" ")[0] in TALKING or uses_words_alone(run):
        return
    known, before = {effect.target for effect in told if tells_of_path(effect)}, ""
    if "executes:package-script" in run.row.effects:
        known = written  # what it reads it may run
    values = {value.start for _, value in run.parsed.options}
    alike: dict[tuple[str, str, bool], None] = {}
    for word in _own_words(run, told):
        alike[before, word.text, word.start in values or word.text[:1] == "-"] = None
        before = word.text
    for before, text, by_option in alike:
        if not _is_data(before, text):
            for path in find_paths(text):
                _doubt_temporary(run, path, written if by_option else known)


def _doubt_temporary(run: Run, text: str, told: set[str]) -> None:
    path = run.context.normal(text, run.cwd)
    if path is not None and path not in told and run.context.place(path).location == TEMP:
        run.context.doubt(f"what {run.name} loads from {text} is not known")


def _own_words(run: Run, told: tuple[Effect, ...]) -> list[Value]:
    """Return the words of a program but those that it hands to a script or program of the
    workspace.
    """
    handed = [
        one.span.start
        for one in told
        if one.kind is Executes and one.place is not None and one.span is not None
    ]
    if run.name in _HANDING and run.operands and run.operands[0].text == "run":
        handed += [word.start for word in run.arguments if word.text == "--"]
        handed += [word.start for word in run.operands[1:2]]
    end = min(handed, default=None)
    return [word for word in run.words if end is None or word.start < end]


_HANDING = frozenset("cargo go dotnet swift zig stack cabal dub".split())
"""Programs whose ``run`` hands what follows to the project's own program."""


def _is_data(before: str, text: str) -> bool:
    """Whether a word is data, or a place for it, by the option before it, its own, or its end."""
    name, equals, given = text.partition("=")
    option, value = (name, given) if equals else (before, text)
    if value.rpartition(".")[2].lower() in _MEDIA or (option == "-o" and value[:1] == "/"):
        return True
    return option[:1] == "-" and not DATA_OPTIONS.isdisjoint(pieces(option.removeprefix("-D")))


_MEDIA = frozenset(
    "png jpg jpeg gif svg webp pdf csv tsv parquet log out err mp3 mp4 wav html prof data".split()
)
"""Endings of files that hold neither code nor settings."""


def _is_setting(option: str) -> bool:
    """Whether the name of an option says that its value decides what is run."""
    return says(option.strip("-").upper().replace("-", "_").split("_"), (*SETTINGS, *_PROJECTS))


_PROJECTS = tuple(
    "PROJECT MANIFEST SOLUTION ROOT ROOTDIR PATH RULES RULESDIR CHDIR SOURCE BUILD".split()
)


def _is_code(text: str) -> bool:
    return text[:1] == "/" and text.rpartition(".")[2] in _CODE


_CODE = frozenset(
    "js mjs cjs ts mts cts jsx tsx py rb pl lua php so dylib dll jar node wasm groovy kts exs"
    " sh".split()
)
"""Endings of files that are code which a program loads."""
