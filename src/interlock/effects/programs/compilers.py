"""Compilers: what they write, and which options load or run code."""

from __future__ import annotations

from interlock.effects.programs.building import note_compile
from interlock.effects.programs.interpreters import from_temp
from interlock.effects.programs.netshell import option_command
from interlock.effects.run import Run
from interlock.model.effect import Executes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value


def _compiler(run: Run) -> Flow:
    """C compilers: ``-wrapper`` runs a command, ``-fplugin`` and ``-specs`` load code, ``-B`` names
    the folder of ``as`` and ``ld`` (gcc(1), clang(1)).
    """
    for value in run.parsed.values("-wrapper"):
        option_command(
            run, Value(value.text.replace(",", " "), value.start, value.end, value.why), "-wrapper"
        )
    for value in run.arguments:
        for mark in ("-fplugin=", "-specs=", "--specs=", "-fuse-ld=/", "-fpass-plugin="):
            if value.text.startswith(mark):
                path = Value(value.text.partition("=")[2], value.start, value.end, value.why)
                run.effect(Executes, path.text, "loads", *from_temp(run, path), value=value)
    for value in run.operands:
        if value.text.startswith("@"):
            run.context.doubt(f"the options in {value.text[1:]} are not known")
    for value in run.parsed.values("-B"):
        run.effect(Executes, value.text, "loads", *from_temp(run, value), value=value)
    for mark in ("-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor"):
        for value in run.parsed.values(mark):
            run.context.doubt(
                f"{value.text} is an option of another program, behind {mark} of {run.name}"
            )
    run.roles()
    note_compile(run, "a.out")
    return NOTHING if run.parsed.value("-o") is not None else Flow(None, run.input_labels())


def _rustc(run: Run) -> Flow:
    for value in run.parsed.values("-C", "--codegen"):
        name, _, text = value.text.partition("=")
        if name == "linker" and text.rpartition("/")[2] not in (
            "cc",
            "gcc",
            "clang",
            "lld",
            "mold",
            "ld",
            "rust-lld",
        ):
            option_command(run, Value(text, value.start, value.end, value.why), "linker")
    run.roles()
    note_compile(run)
    return UNREAD


def _javac(run: Run) -> Flow:
    """``javac NAME.java``: makes ``NAME.class``, which ``java NAME`` runs."""
    run.roles()
    for value in run.operands:
        note_compile(run, value.text.removesuffix(".java") + ".class", [value])
    return UNREAD
