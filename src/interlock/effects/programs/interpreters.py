"""Interpreters: text and files that are run as code."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.programs import table as programs
from interlock.effects.programs.modules import run_module
from interlock.effects.programs.perl_edits import only_edits
from interlock.effects.programs.projects import manifest
from interlock.effects.programs.serving import offers
from interlock.effects.run import Run
from interlock.model.effect import (
    TEMP,
    Executes,
    Installs,
    Listens,
    Publishes,
    Reads,
    RunsCode,
    Writes,
)
from interlock.shell.numbers import expand_text
from interlock.shell.value import NOTHING, UNREAD, Flow, Value


def _shell(run: Run) -> Flow:
    """``bash -c TEXT [NAME ARG..]``, ``bash FILE``, ``bash`` fed on standard input (POSIX sh)."""
    if run.has("--version", "--help") or (run.has("-n") and not run.has("-c")):
        return NOTHING
    operands = run.operands
    for value in run.parsed.values("--rcfile", "--init-file"):
        load_code(run, value, "sh")
    for value in run.parsed.values("-C", "--init-command"):
        run.code(value)
    if any("c" in flag[1:] and not flag.startswith("--") for flag in run.parsed.flags) and operands:
        return _text(run, operands)
    run.given = operands
    if run.has("-s") or not operands:
        return (
            _bare_shell(run) if run.stdin is None or run.stdin is NOTHING else run.input_as_code()
        )
    return run.script(operands[0])


def _csh(run: Run) -> Flow:
    """Shells of another grammar: their text is read as sh's, which names the same programs."""
    for value in run.parsed.values("-c"):
        run.code(value)
    if run.has("-c", "--version", "--help"):
        return UNREAD
    return (
        run.script(run.operands[0])
        if run.operands
        else _bare_shell(run)
        if run.stdin is None or run.stdin is NOTHING
        else run.input_as_code()
    )


def _bare_shell(run: Run) -> Flow:
    """A shell without code, file or input: waits for somebody to type. Started by another program
    it is one that nobody looks at (GTFOBins).
    """
    own = run.execution.text == 0 and run.walker.texts[0].text[
        run.execution.start :
    ].lstrip().startswith("exec ")
    nested = run.here and not own and (run.execution.external or run.execution.text != 0)
    run.effect(Executes, run.name, "interactive", *(["nested"] if nested else []))
    return UNREAD


def _text(run: Run, operands: list[Value]) -> Flow:
    code = operands[0]
    return run.reader.code_with_arguments(run, code, operands[1:])


def _interactive(run: Run) -> Flow:
    run.effect(Executes, run.name, "interactive")
    return UNREAD


def _eval(run: Run) -> Flow:
    """Join the words and read them in this very shell."""
    words = run.arguments
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return NOTHING
    text = " ".join([value.text for value in words])
    why = next((value.why for value in words if value.hollow), "")
    return run.code(Value(text, words[0].start, words[-1].end, why), own=True)


def _source(run: Run) -> Flow:
    """Read a file's commands in this very shell; without a name what comes down the pipe (fish)."""
    if not run.operands or run.operands[0].text == "-":
        return run.input_as_code(own=True) if run.stdin is not None else NOTHING
    value = run.operands[0]
    run.path(Reads, value)
    return run.script(value, own=True)


def _trap(run: Run) -> Flow:
    """``trap TEXT SIGNAL..``: the text runs when the shell ends, in the state it ends in; of most
    signals also before (bash manual 4.1).
    """
    operands = run.operands
    if len(operands) < 2 or operands[0].text in ("", "-"):
        return NOTHING
    code, signals = operands[0], {value.text.upper().removeprefix("SIG") for value in operands[1:]}
    for signal in signals:
        run.walker.state.traps[signal] = (code, run.execution.text)
    if signals & {"DEBUG", "ERR", "RETURN"}:
        run.reader.code(run, code.text, code, "sh", own=True)
    return NOTHING


def _binds(run: Run) -> Flow:
    """``bind -x '"KEYS": COMMAND'``, ``complete -C COMMAND NAME``: what a key or a completion runs
    later (bash(1), SHELL BUILTIN COMMANDS).
    """
    for value in run.parsed.values("-x"):
        run.code(
            Value(
                value.text.rpartition('":')[2].strip() or value.text,
                value.start,
                value.end,
                value.why,
            )
        )
    for value in run.parsed.values("-C"):
        run.code(value)
    for value in run.parsed.values("-W"):
        expand_text(value.text, run.walker)  # the shell expands the list of words once more
    return UNREAD


def _enables(run: Run) -> Flow:
    """``enable -f FILE NAME`` loads machine code into this shell."""
    for value in run.parsed.values("-f"):
        load_code(run, value, "native")
    return UNREAD


def _python(run: Run) -> Flow:
    """``python -c TEXT``, ``python -m MODULE``, ``python FILE``, ``python -``; ``-W`` and ``-X``
    take a word, ``-c`` and ``-m`` take all that follow.
    """
    words, index = run.arguments, 0
    while index < len(words):
        text = words[index].text
        if text[:1] != "-" or text in ("-", "--"):
            index += text == "--"
            break
        letters = "" if text[:2] == "--" else text[1:]
        at = next(
            (place for place, letter in enumerate(letters) if letter in "cmWXQ"), len(letters)
        )
        if letters[at : at + 1] == "c":
            return _python_text(run, words, index, letters[at + 1 :])
        if letters[at : at + 1] == "m":
            joined = letters[at + 1 :]
            module = (
                Value(joined, words[index].start, words[index].end)
                if joined
                else words[index + 1]
                if index + 1 < len(words)
                else Value("")
            )
            return run_module(run, module, words[index + (1 if joined else 2) :])
        if text in ("-V", "--version", "-h", "--help"):
            return NOTHING
        index += 2 if at == len(letters) - 1 or text == "--check-hash-based-pycs" else 1
    if index < len(words):
        run.parsed.operands = words[index:]
        _framework(run, "manage.py")
        if words[index].text.endswith(_OWN):
            return run.command(
                [Value("interlock", words[index].start, words[index].end), *words[index + 1 :]]
            )
        if words[index].text.endswith(_OWN_HOOK):  # it can be told of a prompt that no person wrote
            return run.command(
                [
                    Value("interlock", words[index].start, words[index].end),
                    Value("hook"),
                    *words[index + 1 :],
                ]
            )
        if words[index].text == "setup.py" and any(
            word.text in ("upload", "register") for word in words[index + 1 :]
        ):
            run.effect(Publishes, "pypi", "package", value=words[index])
        flow = run.script(words[index], "python")
        if run.stdin is not None and any(word.text == "-i" for word in words[:index]):
            run.input_as_code("python")  # read where the script has ended (python(1), -i)
        return flow
    return run.input_as_code("python") if run.stdin is not None else _interactive(run)


def _framework(run: Run, name: str) -> None:
    """``python manage.py flush``, ``php artisan db:wipe``: a script known by its name."""
    script, *rest = run.operands
    if script.text.rpartition("/")[2] == name:
        run.command([Value(name, script.start, script.end), *rest])


def _python_text(run: Run, words: list[Value], index: int, joined: str) -> Flow:
    run.given = words[index + (1 if joined else 2) :]
    if joined:
        return run.code(Value(joined, words[index].start, words[index].end), "python")
    return run.code(words[index + 1], "python") if index + 1 < len(words) else UNREAD


_OWN = ("/bin/interlock", "interlock/__main__.py", "interlock/cli/main.py")
_OWN_HOOK = "interlock/hook.py"
"""How the guard's own program is called through an interpreter."""


def _script_language(language: str, *code_flags: str) -> Callable[[Run], Flow]:
    """Return a reader for an interpreter with ``-e TEXT`` and ``FILE``."""

    def read(run: Run) -> Flow:
        texts = run.parsed.values(*code_flags)
        _loads(run, language)
        flows = [run.code(value, language) for value in texts or _later(run, code_flags)]
        if len(flows) == 1 and texts:
            return flows[0]
        if texts or (run.has("--version", "-v", "-V", "--help", "-h") and not run.operands):
            return UNREAD
        if run.operands:
            _framework(run, "artisan")
            if language == "javascript" and "_modules/" in run.operands[0].text:
                # clients of agents are programs of Node.js
                from interlock.effects.programs.agents import client_of

                client = client_of(run.operands[0].text)
                folder, _, name = run.operands[0].text.rpartition("/")
                name = client or (
                    name if folder.endswith(".bin") and programs.find(name) is not None else ""
                )
                if name:
                    return run.command(
                        [Value(name, run.operands[0].start, run.operands[0].end), *run.operands[1:]]
                    )
            return run.script(run.operands[0], language)
        return run.input_as_code(language) if run.stdin is not None else _interactive(run)

    return read


def _iex(run: Run) -> Flow:
    """``iex -S mix run -e CODE``: Elixir, with the project that a script starts."""
    read = _script_language("elixir", "-e", "--eval")
    script = run.parsed.value("-S")
    if script is None:
        return read(run)
    for value in run.parsed.values("-e", "--eval"):
        run.code(value, "elixir")
    if run.stdin is not None:
        run.input_as_code("elixir")
    return run.command([script, *run.operands])


def _later(run: Run, code_flags: tuple[str, ...]) -> list[Value]:
    """Return code behind what may be the value of an option that the row does not know: ``node
    --new-option VALUE -e TEXT``.
    """
    words = run.arguments if run.parsed.unsure else []
    return [words[index + 1] for index, flag in enumerate(words[:-1]) if flag.text in code_flags]


def _loads(run: Run, language: str) -> None:
    """Options that load code or open a port: ``node -r FILE``, ``ruby -r ./FILE``, ``php -d
    auto_prepend_file=FILE``, ``php -S HOST:PORT``, ``ruby -run -e httpd``.
    """
    for value in run.parsed.values(*_LOADING.get(run.name, ())):
        name, equals, text = value.text.partition("=")
        if run.name == "php" and not (
            equals
            and name in ("auto_prepend_file", "auto_append_file", "extension", "zend_extension")
        ):
            continue
        path = Value(text if run.name == "php" else value.text, value.start, value.end, value.why)
        if path.text.startswith(("./", "../", "/", "~", "http")):
            load_code(run, path, language)
    for value in run.parsed.values("-I") if run.name in ("perl", "ruby") else []:
        traits = from_temp(run, value)
        if traits:
            run.effect(
                Executes,
                value.text,
                "loads",
                *traits,
                value=value,
                detail="code from a folder for temporary files is loaded",
            )
    for value in run.parsed.values("-S") if run.name == "php" else []:
        if not value.text.startswith(("localhost", "127.", "[::1]")):
            offers(run, run.parsed.value("-t") or Value("."))
        run.effect(
            Listens,
            value.text.rpartition(":")[2],
            *(["public"] if value.text.startswith(("0.0.0.0", "[::]", "0:")) else []),  # noqa: S104 - a name that is looked for
        )
    if run.name == "ruby" and any(value.text == "httpd" for value in run.parsed.values("-e")):
        bound = any(value.text.startswith(("127.", "localhost", "::1")) for value in run.arguments)
        run.effect(Listens, "8080", *([] if bound else ["serves-files"]))
        if not bound:
            offers(run, next((value for value in run.operands if "/" in value.text), Value(".")))


_LOADING = {"node": ("-r", "--require", "--import", "--loader", "--experimental-loader"),
    "nodejs": ("-r", "--require", "--import"), "ruby": ("-r",), "php": ("-d",),
    "tsx": ("-r", "--import"),
    "ts-node": ("-r", "--require")}  # fmt: skip


def _perl(run: Run) -> Flow:
    """Clusters like ``-pi -e`` and ``-ne``: ``-i`` writes the operands."""
    read = _script_language("perl", "-e", "-E")
    in_place = any(flag.startswith("-i") for flag in run.parsed.flags) or any(
        value.text.startswith(("-i", "-pi", "-ni")) for value in run.arguments
    )
    texts = run.parsed.values("-e", "-E")
    if texts and run.operands:
        for value in run.operands:
            run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
        if all(value.known and only_edits(value.text) for value in texts) and not run.has(*_MORE):
            return Flow(None, run.input_labels())
    return read(run)


_MORE = ("-M", "-m", "-I", "-x", "-S", "-d")
"""Options of perl by which more than its line is run."""


def _runner(run: Run) -> Flow:
    """``deno run FILE``, ``deno test FILE``, ``deno eval CODE``, ``deno fmt``."""
    operands = run.operands
    if operands and operands[0].text in ("run", "test") and len(operands) > 1:
        target = operands[1]
        if target.text == "-":
            return run.input_as_code("javascript")
        if (
            run.walker.opened(target.text) is not None
            or target.text.startswith(("http://", "https://"))
            or "." in target.text
        ):
            return run.script(target, "javascript")
        run.effect(Executes, target.text, "package-script")
        return UNREAD
    if operands and operands[0].text == "task" and len(operands) > 1:
        run.effect(Executes, operands[1].text, "package-script", value=operands[1])
        return manifest(run, operands[1].text, operands[2:])
    if operands and operands[0].text == "eval" and len(operands) > 1:
        return run.code(operands[1], "javascript")
    if operands and operands[0].text == "fmt":
        read = run.context.readers.function("formatting.formatter")
        return read(kinds=".json .jsonc .yaml .yml .md .js .ts")(run)  # type: ignore[no-any-return]
    if operands and operands[0].text in ("install", "i", "add") and len(operands) > 1:
        scope = "user" if run.has("-g", "--global") else "project"
        run.effect(Installs, operands[-1].text, scope, value=operands[-1])
        return UNREAD
    if operands and operands[0].text == "publish" and not run.has("--dry-run", "--help"):
        run.effect(Publishes, "jsr", "package")
    if operands and "." in operands[0].text:
        return run.script(operands[0], "javascript")
    return UNREAD


def _ruby(run: Run) -> Flow:
    """``-i`` writes the operands, as in Perl."""
    if run.parsed.values("-e") and any(
        value.text[:1] == "-" and value.text[1:2] != "-" and "i" in value.text
        for value in run.arguments
    ):
        for value in run.operands:
            run.path(Writes, value, "in-place")
    return _script_language("ruby", "-e")(run)


def _java(run: Run) -> Flow:
    """``java -jar FILE``, ``java X.java`` (a source file is compiled and run), ``-javaagent:FILE``
    loads code (java(1)).
    """
    for value in run.arguments:
        if value.text.startswith(("-javaagent:", "-agentpath:")):
            load_code(
                run,
                Value(
                    value.text.partition(":")[2].partition("=")[0],
                    value.start,
                    value.end,
                    value.why,
                ),
                "java",
            )
        elif value.text.startswith(("-XX:OnError=", "-XX:OnOutOfMemoryError=")):
            run.code(Value(value.text.partition("=")[2], value.start, value.end, value.why))
    for value in run.parsed.values("-cp", "-classpath", "--class-path", "-p", "--module-path"):
        for entry in value.text.split(":") if value.known else ():
            past, files = run.context.past, run.context.files
            made = entry in files.rewritten and entry not in past.deleted
            if from_temp(run, Value(entry)) and run.operands and not made:
                load_code(run, Value(entry, value.start, value.end), "java")
    for value in run.parsed.values("-jar"):
        run.script(value, "java" if value.text.startswith(_BUILT) else "jar")
    if (
        run.operands
        and run.operands[0].text.endswith((".java", ".kts", ".groovy"))
        and not run.parsed.values("-jar")
    ):
        return run.script(run.operands[0], "java")
    if run.operands and run.reader.built:
        main = run.operands[0]
        path = run.context.normal(f"{main.text.replace('.', '/')}.class", run.cwd)
        if path in run.reader.built:
            run.reader.run_file(run, main, path or "", "java")
    return UNREAD


_BUILT = ("target/", "build/", "dist/", "out/", "./target/", "./build/", "./dist/", "./out/")
"""Where a project's own archives of classes are built."""


def load_code(run: Run, value: Value, language: str) -> None:
    """Code that an option loads, as a script; in a temporary folder anybody's."""
    traits = from_temp(run, value)
    if traits:
        run.effect(
            Executes,
            value.text,
            "loads",
            *traits,
            value=value,
            detail="code from a folder for temporary files is loaded",
        )
    else:
        run.script(value, language)


def from_temp(run: Run, value: Value) -> list[str]:
    """Return the traits of code from a folder for temporary files that this call did not put there;
    none for other code.
    """
    path = run.context.normal(value.text, run.cwd) if value.known else None
    strange = (
        path is not None
        and run.context.place(path).location == TEMP
        and path not in run.reader.written
    )
    return ["from-temp", "option-command"] if strange else []


def _osascript(run: Run) -> Flow:
    """``osascript -e LINE -e LINE``, ``-l JavaScript``, ``osascript FILE``: one script."""
    language = (
        "javascript"
        if (run.parsed.value("-l") or Value("")).text.lower().startswith("javas")
        else "applescript"
    )
    lines = run.parsed.values("-e")
    if lines:
        why = next((value.why for value in lines if value.hollow), "")
        run.code(
            Value("\n".join([value.text for value in lines]), lines[0].start, lines[-1].end, why),
            language,
        )
        return UNREAD
    if not run.operands:
        return run.input_as_code(language) if run.stdin is not None else _interactive(run)
    read = run.context.gather(lambda: run.script(run.operands[0], language))
    flow = run.context.take(read)
    if not any(effect.kind is RunsCode for effect in read.effects):
        run.effect(
            Executes,
            run.operands[0].text,
            "drives-applications",
            value=run.operands[0],
            detail="a script that drives other applications",
            certain=False,
        )
    return flow


def _xonsh(run: Run) -> Flow:
    """xonsh(1): lines are Python, and where they are none, commands as a shell has them."""
    for value in run.parsed.values("-c"):
        run.code(value, *(["python"] if "(" in value.text else []))
    return _python(run) if run.operands else UNREAD
