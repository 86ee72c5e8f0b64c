"""What a call of a tool that nobody described would have run: commands, programs and containers,
under the keys that such tools use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MAX_VALUES = 2000
"""Texts of an input that are looked at; where there are more, that is said."""
MAX_NODES = 20 * MAX_VALUES
_COMMANDS = frozenset(
    "commands cmd cmds shell script bash argv run exec cli shellscript bashscript commandtorun"
    " commandtext".split()
)
_COMMAND_ENDS = ("command", "commandline", "cmdline")
_PROGRAMS = frozenset({"program", "executable", "binary"})
"""Keys of a program whose arguments stand beside it. All keys here as ``plain`` spells them."""
_ARGUMENTS = ("args", "arguments", "cliargs")
_PARAMETERS = ("params", "parameters", "argv")
"""Keys of arguments where a program stands beside them."""
_TERMINALS = ("term", "shell", "tmux", "console", "bash", "exec", "ssh", "stdin")
_CODE = tuple("code source cellsource sourcecode cell snippet expression expr line".split())
"""Keys of code; those after the first only where the tool's name says that it runs something."""
_TYPED = frozenset({"input", "keys", "data", "text", "line"})
_TYPING = frozenset({"interact", "send", "write", "type", "feed", "input"})
_LANGUAGES = {
    "python": ("ipython -c",), "python3": ("ipython -c",), "py": ("ipython -c",),
    "javascript": ("node -e",), "js": ("node -e",),
    "node": ("node -e",), "nodejs": ("node -e",), "typescript": ("node -e",), "ts": ("node -e",),
    "ruby": ("ruby -e",), "php": ("php -r",),
    "perl": ("perl -e",), "r": ("Rscript -e",), "lua": ("lua -e",), "bash": ("bash -c",),
    "sh": ("sh -c",), "shell": ("sh -c",),
    "powershell": ("pwsh -c",), "julia": ("julia -e",), "go": (), "rust": (), "java": (), "c": (),
    "cpp": (), "sql": (),
}  # fmt: skip
"""What a call says of its code's language -> how such code is run; what is no code is left out."""
_EITHER = ("ipython -c", "node -e")
"""How code is read of which only the tool's name says that it runs."""
_RUNNING = frozenset("run exec execute eval evaluate repl interpret interpreter sandbox".split())
_INTERPRETERS = frozenset("repl interpreter ipython jupyter kernel irb".split())
"""Words in a tool's or a server's name that say that what is typed there is code."""
_CONTAINERS = ("container", "docker", "podman")
_MOUNTS = frozenset({"volumes", "binds", "mounts"})


def plain(key: str) -> str:
    """Return a key as the tables spell it: ``filePath``, ``file-path`` and ``FILE_PATH`` are it."""
    return key.replace("_", "").replace("-", "").lower()


def is_command(key: str) -> bool:
    """Whether a command stands under a key (as ``plain`` spells it)."""
    return key in _COMMANDS or key.endswith(_COMMAND_ENDS)


def commands(name: str, fields: Mapping[str, object]) -> list[str]:
    """Return what the call of a tool of this name would have run, as shell commands."""
    return [
        command
        for holder in _holders(fields)
        for named in _normalize_keys(holder)
        for command in _of(name, named)
        if command.strip()
    ]


def _normalize_keys(holder: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield an object with its keys as the tables spell them; where two are one then (``cmd``,
    ``CMD``), the second by itself.
    """
    found: dict[str, object] = {}
    for key, value in holder.items():
        name = plain(str(key))
        if name in found:
            yield {name: value}
        else:
            found[name] = value
    yield found


def _of(tool: str, named: Mapping[str, object]) -> Iterator[str]:
    """Yield what one object of the input would have run: texts, lists of words, what is typed into
    a terminal, programs, a container.
    """
    arguments = next((named[key] for key in _ARGUMENTS if key in named), None)
    if arguments is None and not _PROGRAMS.isdisjoint(named):
        arguments = next((named[key] for key in _PARAMETERS if key in named), None)
    keys = [key for key in named if is_command(key) or (arguments is not None and key in _PROGRAMS)]
    for key in keys:
        yield from _command(named[key], arguments)
    if not keys and arguments is not None:
        yield from _by_arguments(tool.rpartition("__")[2], arguments)
    if any(word in tool.lower() for word in _TERMINALS) or _types_into_a_process(tool):
        for key in [key for key in named if key in _TYPED]:
            yield from _command(named[key], None)
    typed = _types_into_an_interpreter(tool)
    for key in (*_CODE, *sorted(_TYPED.difference(_CODE))) if typed else _CODE:
        code = named.get(key)
        if isinstance(code, str) and (key == _CODE[0] or typed or _runs(tool)):
            yield from [f"{runner} {quote(code)}" for runner in _runners(tool, named)]
    if any(word in tool.lower() for word in _CONTAINERS) and isinstance(named.get("image"), str):
        yield _container(named)


def _command(value: object, arguments: object) -> list[str]:
    """Return the commands of a value: a text, text and arguments, words, or several commands."""
    words = _words(value)
    if len(words) == 1 and isinstance(arguments, str) and " " not in words[0]:
        return [f"{words[0]} {arguments}"]
    if len(words) == 1 and _words(arguments):
        return [" ".join([words[0], *map(quote, _words(arguments))])]
    if (
        len(words) > 1
        and " " not in words[0]
        and (_words(arguments) or words[1][:1] in "-/.~" or not any(" " in word for word in words))
    ):
        return [" ".join(map(quote, [*words, *_words(arguments)]))]
    return words


def _words(value: object) -> list[str]:
    words = (
        [value]
        if isinstance(value, str)
        else list(value)
        if isinstance(value, (list, tuple))
        else []
    )
    return words if all(isinstance(word, str) for word in words) else []


def _by_arguments(tool: str, arguments: object) -> list[str]:
    """Return the command of a tool that is named after its program (``kubectl``), or whose
    arguments begin with one.
    """
    from interlock.effects.programs.table import find

    words = _words(arguments)
    if find(tool) is not None:
        return _command(tool, arguments)
    return (
        [" ".join(map(quote, words))]
        if len(words) > 1 and find(words[0].rpartition("/")[2]) is not None
        else []
    )


def _runners(tool: str, named: Mapping[str, object]) -> tuple[str, ...]:
    """Return how the code of a call is run: by what the call says of its language, else by what the
    tool's name says.
    """
    said = next(
        (
            value
            for key in ("language", "lang", "runtime", "interpreter")
            if isinstance(value := named.get(key), str)
        ),
        "",
    )
    if said:
        return _LANGUAGES.get(said.lower(), _EITHER)
    name = tool.lower()
    if "py" in name or "js" in name or "javascript" in name:
        return ("ipython -c",) if "py" in name else ("node -e",)
    return _EITHER if _runs(tool) or _types_into_an_interpreter(tool) else ()


def _runs(tool: str) -> bool:
    """Whether a tool's name says that it runs something."""
    from interlock.effects.verb_words import parts

    return not _RUNNING.isdisjoint(parts(tool.rpartition("__")[2])) and "go" not in parts(tool)


def _types_into_a_process(tool: str) -> bool:
    """Whether a tool's name says that what it is given is typed into something that runs:
    ``interact_with_process``, ``send_process_input``.
    """
    from interlock.effects.verb_words import parts

    words = parts(tool.rpartition("__")[2])
    return ("process" in words[1:] or "session" in words[1:]) and not _TYPING.isdisjoint(words)


def _types_into_an_interpreter(tool: str) -> bool:
    """Whether names say that a tool is given code: ``mcp__repl__send``, ``ipython_input``."""
    from interlock.effects.verb_words import parts

    verbs = _TYPING | _RUNNING
    return not _INTERPRETERS.isdisjoint(parts(tool)) and not verbs.isdisjoint(
        parts(tool.rpartition("__")[2])
    )


def _container(named: Mapping[str, object]) -> str:
    """Return the start of a container (``image``, ``volumes``, ``privileged``, ``command``) as
    docker is told of it.
    """
    mounts = []
    for key in [key for key in named if key in _MOUNTS]:
        value = named[key]
        pairs = (
            [f"{path}:{inner}" for path, inner in value.items()]
            if isinstance(value, dict)
            else _words(value)
        )
        mounts += [f"-v {quote(pair)}" for pair in pairs]
    options = [*(["--privileged"] if named.get("privileged") is True else []), *mounts]
    return " ".join(["docker run", *options, quote(str(named["image"]))])


def _holders(data: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return every object of the input, bounded: the input itself first."""
    found: list[Mapping[str, object]] = []
    left: list[object] = [data]
    for value in left:
        if isinstance(value, dict):
            found.append(value)
        inner = (
            value.values()
            if isinstance(value, dict)
            else value
            if isinstance(value, (list, tuple))
            else ()
        )
        if inner and len(left) + len(inner) <= MAX_NODES:
            left.extend(inner)
    return found


def quote(text: str) -> str:
    """Return a text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
