"""``python -m MODULE``: modules that are programs, those of the library that do something, and
those of the project.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.data.words import values
from interlock.effects.connecting import to_url
from interlock.effects.programs import table as programs
from interlock.effects.programs.sending import unpack
from interlock.effects.programs.serving import offers
from interlock.effects.run import Run
from interlock.model.effect import (
    GUARD,
    LOCAL,
    Deletes,
    Executes,
    Installs,
    Listens,
    Reads,
    TampersWithGuard,
    Writes,
)
from interlock.model.facts import FILE
from interlock.shell.value import UNREAD, Flow, Value

_OTHER_NAMES = values("modules", "other names")
"""Modules whose program has another name, or that are named like another program."""


def run_module(run: Run, module: Value, rest: list[Value]) -> Flow:
    """``python -m pip ..`` is pip; modules of the library do what their page says; one of the
    workspace is read as a script.
    """
    name = module.text
    if name in ("interlock.__main__", "interlock.cli.main"):
        module = Value("interlock", module.start, module.end)
        return run.command([module, *rest])
    if name.startswith("interlock."):
        run.effect(TampersWithGuard, name, "own-parts", value=module, certain=False)
    program = _OTHER_NAMES.get(name, name.replace("_", "-"))
    own = name != "interlock" and _local(run, module) is not None
    if name not in _MODULES and program and programs.find(program) is not None and not own:
        return run.command([Value(f"{_own_folder(run)}{program}", module.start, module.end), *rest])
    read, path = _MODULES.get(name), _local(run, module)
    known = read is not None or path is not None or name in _LIBRARY or _is_of_project(name)
    run.effect(Executes, f"python -m {name}", "module" if known else "unknown-module")
    if path is None and _is_of_project(name):
        run.unread_script(name.rpartition(".")[2])
    if read is not None:
        read(run, [value for value in rest if value.text[:1] != "-"], rest)
        return UNREAD
    return (
        run.script(Value(path, module.start, module.end), "python") if path is not None else UNREAD
    )


def _is_of_project(name: str) -> bool:
    """Whether a module's name says that it is one of the project's own, whose files are not at
    hand: ``examples.cuda.scripts.export``, ``app.tests.run_all``.
    """
    folders = name.split(".")
    return len(folders) > 1 and not _OWN_FOLDERS.isdisjoint(folders[:-1])


_OWN_FOLDERS = frozenset(
    "src app apps backend server examples example tests test testing scripts script tools benchmarks"
    " bench experiments demos demo notebooks samples devtools utils_scripts".split()
)


def _local(run: Run, module: Value) -> str | None:
    """Return the file of a module in its working folder; None where none is known."""
    name = module.text.replace(".", "/")
    for path in (
        (f"{name}/__main__.py", f"{name}.py", f"src/{name}/__main__.py")
        if name and not module.hollow
        else ()
    ):
        found = run.context.normal(path, run.cwd)
        if found is not None and (found in run.reader.written or run.context.is_kind(found, FILE)):
            return path
    return None


def _own_folder(run: Run) -> str:
    """Return the folder of the interpreter that runs a module where it is the guard's own: what is
    changed by it is changed there.
    """
    folder = run.execution.argv[0].text.rpartition("/")[0] if run.execution.argv else ""
    path = run.context.normal(folder, run.cwd) if folder else None
    return f"{path}/" if path is not None and GUARD in run.context.place(path).natures else ""


def _serves(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``python -m http.server [--bind ADDRESS] [PORT]`` offers the folder to everybody, unless it
    is bound to this machine.
    """
    words = [value.text for value in rest]
    bound = next(
        (
            words[index + 1]
            for index, word in enumerate(words[:-1])
            if word in ("--bind", "-b", "-i", "--interface")
        ),
        "",
    )
    port = next((value.text for value in operands if value.text.isdigit()), "8000")
    here = bound.startswith(("127.", "localhost", "::1"))
    run.effect(Listens, port, *([] if here else ["serves-files"]), host=LOCAL if here else "")
    folder = next(
        (rest[index + 1] for index, word in enumerate(words[:-1]) if word in ("--directory", "-d")),
        None,
    )
    if folder is not None:
        run.path(Reads, folder)
    if not here:
        offers(run, folder or Value("."))


def _debug(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m pdb FILE``, ``-m cProfile FILE``, ``-m trace FILE``: the file runs; ``-c`` of pdb is a
    command of Python.
    """
    for index, value in enumerate(rest[:-1]):
        if value.text == "-c" and run.name and operands:
            command = rest[index + 1]
            run.code(
                Value(command.text.lstrip("! "), command.start, command.end, command.why), "python"
            )
    scripts = [value for value in operands if value.text.endswith(".py")]
    if scripts:
        run.script(scripts[0], "python")


def _timeit(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m timeit [-s SETUP] CODE``."""
    for index, value in enumerate(rest[:-1]):
        if value.text in ("-s", "--setup"):
            run.code(rest[index + 1], "python")
    for value in operands:
        if not value.text.isdigit():
            run.code(value, "python")


def _archive(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m zipfile -c ARCHIVE FILE..``, ``-e ARCHIVE FOLDER``; the same of tarfile."""
    words = {value.text for value in rest}
    if not operands:
        return
    if words & {"-c", "--create"}:
        run.path(Writes, operands[0])
        for value in operands[1:]:
            run.path(Reads, value, "archived")
    elif words & {"-e", "--extract"}:
        run.path(Reads, operands[0])
        unpack(
            run,
            operands[0],
            operands[1] if len(operands) > 1 else Value("."),
            run.contents(operands[0]).labels,
        )
    else:
        run.path(Reads, operands[0])


def _environment(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m venv [--clear] FOLDER``."""
    clear = any(value.text == "--clear" for value in rest)
    for value in operands:
        run.path(Deletes if clear else Writes, value, *(["recursive"] if clear else ["create"]))


def _visits(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m webbrowser URL``."""
    del rest
    for value in operands:
        to_url(run.context, value.text, run.span(value), frozenset({"get", "browser"}), run.name)


def _convert(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m json.tool IN OUT``, ``-m base64 -d FILE``: the first is read, the second written."""
    del rest
    for index, value in enumerate(operands[:2]):
        run.path(Reads if index == 0 else Writes, value)


def _compile(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m py_compile FILE..``: what is compiled lies in ``__pycache__`` beside it."""
    del rest
    for value in operands:
        run.path(Reads, value)


def _examples(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m doctest FILE..``: each is imported, or its examples are run."""
    del rest
    for value in operands:
        run.script(value, "python")


def _installs(run: Run, operands: list[Value], rest: list[Value]) -> None:
    """``-m ensurepip``: into the interpreter's own folder, or ``--user``, ``--root``."""
    del operands
    if any(value.text in ("--root", "--user", "--altinstall", "--upgrade", "-U") for value in rest):
        run.effect(Installs, "pip", "user")


_LIBRARY = frozenset(
    "unittest sysconfig platform calendar mimetypes locale this site inspect zipapp pydoc difflib"
    " ctypes.util turtledemo build wheel cibuildwheel setuptools_scm".split()
)
"""Modules of the library that run the project's own tests, or only show something."""
_MODULES: dict[str, Callable[[Run, list[Value], list[Value]], None]] = {
    **dict.fromkeys("http.server SimpleHTTPServer pyftpdlib smtpd aiosmtpd CGIHTTPServer twisted updog uploadserver".split(), _serves),
    **dict.fromkeys("pdb cProfile profile trace runpy ipdb pudb debugpy line_profiler memory_profiler".split(), _debug), "timeit": _timeit,
    "zipfile": _archive, "tarfile": _archive, "venv": _environment, "webbrowser": _visits,
    "ensurepip": _installs,
    **dict.fromkeys("py_compile compileall tabnanny pyclbr".split(), _compile),
    **dict.fromkeys("json.tool base64 gzip quopri uu xml.dom.minidom ast dis tokenize".split(), _convert), "doctest": _examples,
}  # fmt: skip
