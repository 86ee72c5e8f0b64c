"""Options that load code into a program from a folder for temporary files, where anybody may have
put it: ``--plugin /tmp/x.so``, ``--filter=/tmp/x``, ``-Xclang -load -Xclang /tmp/x.so``.

What such an option is called is the same in most programs, so it is asked of all of them.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.run import Run
from interlock.model.effect import Effect, Executes
from interlock.shell.value import Value

_LOADING = words("ladder", "loading")
_DASHED = frozenset(words("ladder", "loading by one dash"))
_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/shm/")
_HANDS_ON = frozenset({"-Xclang", "-Xlinker", "-mllvm", "-J", "-Xcompiler"})
"""Options that hand the next word to another program, so that its value stands behind another of
them.
"""
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
