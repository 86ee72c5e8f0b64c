"""Options that load code into a program from a folder for temporary files, where anybody may have
put it: ``--plugin /tmp/x.so``, ``--filter=/tmp/x``, ``-Xclang -load -Xclang /tmp/x.so``.

What such an option is called is the same in most programs, so it is asked of all of them.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.environment import SETTINGS, says
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.model.effect import TEMP, Effect, Executes, Writes
from interlock.shell.value import Value

_LOADING = words("ladder", "loading")
_DASHED = frozenset(words("ladder", "loading by one dash"))
_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/shm/")
_HANDS_ON = frozenset({"-Xclang", "-Xlinker", "-mllvm", "-J", "-Xcompiler"})
"""Options that hand the next word to another program, its value behind another one."""
MOST = 64


def loads(run: Run, told: tuple[Effect, ...]) -> None:
    """Add what the options of a described program load, where no effect tells of it."""
    before = ""
    for word in run.arguments[:MOST]:
        if word.text not in _HANDS_ON:
            if ("/tmp/" in word.text or "/dev/shm/" in word.text) and not _is_told(word, told):
                load(run, word, before)
            before = word.text


def _is_told(word: Value, told: tuple[Effect, ...]) -> bool:
    path = word.text.rpartition("=")[2]
    return any(effect.kind is Executes and effect.target == path for effect in told)


def load(run: Run, word: Value, before: str) -> None:
    """Add that a word loads code, by the option before it or its own."""
    option, equals, rest = word.text.partition("=")
    named, text = (option, rest) if equals and option[:1] == "-" else (before, word.text)
    loading = named in _DASHED or (named[:2] == "--" and any(part in named for part in _LOADING))
    if not loading or not text.startswith(_FOLDERS):
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


def doubt_code_of_everybody(run: Run, told: tuple[Effect, ...]) -> None:
    """Note a file of code, or settings, in a folder where everybody writes, that an option is set
    to and that is not written by it: a reporter, a rule, the project itself.
    """
    written = {effect.target for effect in told if effect.kind is Writes}
    settings = programs.names().get(run.name) != "wrappers"
    for name, value in run.parsed.options[:MOST]:
        names = run.parsed.same.get(name, (name,))
        used = _is_code(value.text) or (settings and any(map(_is_setting, names)))
        path = run.context.normal(value.text, run.cwd) if used else None
        if path is not None and path not in written and run.context.place(path).location == TEMP:
            run.context.doubt(f"what {run.name} loads from {value.text} is not known")


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
