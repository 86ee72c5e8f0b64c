"""Files by which a client runs, or is, something else: pages of its agents, skills and commands,
and files of variables.

A page is words for a model. What the client itself runs because of it no call asks about: it stands
at the front (``hooks:``, servers that it starts, modes in which nobody is asked) or among the words
(``!`COMMAND` ``, ``!{COMMAND}``, a fenced block of ``!``), and is read as a command of this call;
hooks and servers stay, and start by themselves from then on. A page that only speaks says nothing
here. (Claude Code, OpenCode, Gemini CLI, Qwen Code, Copilot; YAML is told by its lines, for the
hook has no reader of it.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from interlock.data.words import values
from interlock.effects.context import CallContext
from interlock.effects.shell import ShellReader
from interlock.effects.tool_commands import plain
from interlock.effects.tools import DATA_KEYS, text_values
from interlock.effects.variables import TEMPS, turns
from interlock.model.effect import HERE, TEMP, Effect, Persists, TampersWithGuard, Writes
from interlock.shell.value import HOLE, Flow

STARTS = values("extensions", "starts")
"""Keys of a page's front by which something runs, or unasked, without a word of the model's."""
TAME = frozenset({"default", "plan", "ask", "deny", "manual"})
"""Modes that let nothing pass unasked."""
FILES = ("/.env", "/.envrc", "/.env.local")
"""Files of variables: Gemini CLI, Qwen Code and Codex read ``.env`` of a project and of their
folders, direnv gives ``.envrc`` to what is started.
"""
STARTED: dict[str, tuple[str, ...]] = {
    "/.vscode/tasks.json": ("folderOpen",),
    "/.devcontainer/devcontainer.json": ("initializeCommand",),
    "/.devcontainer.json": ("initializeCommand",),
    "/mise.toml": ("[hooks", "_.source"), "/.mise.toml": ("[hooks", "_.source"),
    "/.mise/config.toml": ("[hooks", "_.source"),
}  # fmt: skip
"""Settings by which an editor or a shell runs something when a folder is opened or entered, and the
words that say so (VS Code, Tasks; the containers' specification; mise, Hooks).
"""
FENCE = "---"
SKILL = "SKILL.md"
CLIENTS = frozenset(
    ".claude .codex .gemini .qwen .opencode .factory .copilot .agents .bitcode .cursor .github .pi".split()
)
FOLDERS = values("extensions", "folders")
"""Folders in a client's own in which it looks for pages, and how each page's name begins there."""
MAX_COMMANDS = 32
"""Commands of one page that are read."""
OLD = frozenset({"oldstring", "oldstr", "oldtext", "search"})
NEW = frozenset({"newstring", "newstr", "newtext", "replace", "replacement"})


def judge(context: CallContext, effects: Iterable[Effect], written: Mapping[str, Flow]) -> None:
    """Add what each page, and each file of variables, does that is written here. ``written``: what
    a command puts into files.
    """
    for path, by in _pages(context, effects, written).items():
        if path in written:
            texts = _possible_texts(context, written[path], page=not path.endswith(FILES))
        elif path.rpartition("/")[0] in written:
            texts = [context.original(f"{written[path.rpartition('/')[0]].path}/{SKILL}")]
        else:
            texts = list(_tool_texts(context, path))
        for text in texts:
            if path.endswith(FILES):
                _variables(context, path, by, text or "")
            elif path.endswith(tuple(STARTED)):
                _starts(context, path, text or "")
                continue
            elif text is None or HOLE in text:
                _add(context, path, by, "what nobody could read: hooks may be in it", certain=False)
            if text is not None and not path.endswith(FILES):
                _page(context, path, by, text)


def _pages(
    context: CallContext, effects: Iterable[Effect], written: Mapping[str, Flow]
) -> dict[str, str]:
    """Return the pages and files of variables that are written, by which program or tool: also a
    page that comes with the folder of a skill.
    """
    effects = [effect for effect in effects if effect.kind is Writes and _is_here(effect)]
    found = {
        effect.target: effect.by
        for effect in effects
        if is_page(effect.target) or effect.target.endswith((*FILES, *STARTED))
    }
    for path, flow in written.items():
        if (is_page(path) or path.endswith((*FILES, *STARTED))) and path.rpartition("/")[
            0
        ] not in found:
            found.setdefault(path, "")
        elif (
            flow.path
            and is_page(f"{path}/{SKILL}")
            and context.original(f"{flow.path}/{SKILL}") is not None
        ):
            found.setdefault(f"{path}/{SKILL}", "")
    return found


def _is_here(effect: Effect) -> bool:
    return effect.place is not None and effect.place.where == HERE


def _possible_texts(context: CallContext, flow: Flow, *, page: bool) -> list[str | None]:
    """Return what a file may hold that a command wrote, or that was put there as it lay on the
    disk; of a ``page`` also what was there before.
    """
    if flow.pieces:
        return [
            text
            for piece in flow.pieces
            for text in (
                [None] if piece.path and not page else _possible_texts(context, piece, page=page)
            )
        ]
    if flow.text is None and not flow.choices and flow.path and not flow.edited:
        return [context.original(flow.path)]
    return [*flow.choices] or [flow.text]


def is_page(path: str) -> bool:
    """Whether a path is a page of a client's agents, skills or commands."""
    parts = path.lower().split("/")
    return any(
        parts[at - 1] in CLIENTS and parts[-1].startswith(FOLDERS.get(part, "/"))
        for at, part in enumerate(parts[:-1])
        if at
    )


def _starts(context: CallContext, path: str, text: str) -> None:
    """Note that something runs by itself whenever a folder is opened or entered."""
    words = next(words for end, words in STARTED.items() if path.endswith(end))
    if any(word in text for word in words):
        context.doubt(f"what {path.rpartition('/')[2]} starts by itself is not known")


def _variables(context: CallContext, path: str, by: str, text: str) -> None:
    """Add what a file of variables says by which a client that reads it, or is started with it, or
    its guard, is another one.
    """
    for line in text.split("\n"):
        name, found, value = line.strip().removeprefix("export ").partition("=")
        told = value.strip().strip("\"'").rstrip("/")
        wide = (
            name in TEMPS
            and context.place(context.normal(told, path.rpartition("/")[0]) or "").location != TEMP
        )
        if found and (turns(name.strip(), file=True) or (wide and told)):
            context.add(
                TampersWithGuard,
                f"{name.strip()} in {path}",
                traits=frozenset({"client-settings"}),
                by=by,
                certain=False,
            )


def _add(context: CallContext, path: str, by: str, what: str, *, certain: bool = True) -> None:
    context.add(
        Persists,
        path,
        place=context.place(path),
        traits=frozenset({"startup"}),
        by=by,
        certain=certain,
        detail=what,
    )


# -- what a tool writes ----------------------------------------------------------------------------


def _tool_texts(context: CallContext, path: str) -> Iterator[str | None]:
    """Yield what a page holds when a tool has written it: what it was handed, or what was there
    with the change made.
    """
    values = [(plain(key), text) for key, text in text_values(context.call.input)]
    patch = next((text for _, text in values if "*** Begin Patch" in text), None)
    if patch is not None:
        values = [("newtext", "\n".join(_new_lines(patch, path)))]
    old, new = [[text for key, text in values if key in keys] for keys in (OLD, NEW)]
    if new:
        yield from _apply_changes(context.original(path) or "", old, new)
    else:
        given = [text for key, text in values if key in DATA_KEYS and key not in OLD]
        yield from given
        if not given:
            yield None


def _apply_changes(held: str, old: list[str], new: list[str]) -> Iterator[str]:
    """Yield a text with changes made; one whose place is not found may be all of the page, or part
    of its front.
    """
    for before, after in zip([*old, *[""] * len(new)], new, strict=False):
        if before and before in held:
            held = held.replace(before, after)
        else:
            yield after
            yield f"{FENCE}\n{after}"
    yield held


def _new_lines(patch: str, path: str) -> Iterator[str]:
    """Yield the lines that a patch in the ``*** Begin Patch`` form adds to a file."""
    meant = False
    for line in patch.split("\n"):
        if line.startswith("*** "):
            meant = path.endswith(line.partition(":")[2].strip().lstrip("./"))
        elif meant and line[:1] == "+":
            yield line[1:]


# -- what a page says ------------------------------------------------------------------------------


def _page(context: CallContext, path: str, by: str, text: str) -> None:
    lines = text.lstrip("\ufeff").replace("\r", "").split("\n")
    front = _front(lines)
    for key, value in _keys(front):
        if key in STARTS and value.strip("\"' ").lower() not in TAME:
            _add(context, path, by, STARTS[key])
    commands = [*_commands(front), *_among("\n".join(lines[len(front) :]))]
    if len(commands) > MAX_COMMANDS:
        context.opaque(f"more than {MAX_COMMANDS} commands in a page", None, "too-much")
    for command in commands[:MAX_COMMANDS]:
        read = context.gather(
            lambda text=command: ShellReader(context).read(text, context.call.cwd)  # type: ignore[misc]
        )
        context.take(read.each(lambda effect: effect.replace(span=None)))  # in no text of the call


def _front(lines: list[str]) -> list[str]:
    """Return the lines of a page's front with its dashes; an endless one goes to the end."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines) or lines[first].strip() != FENCE:
        return []
    last = next(
        (at for at in range(first + 1, len(lines)) if lines[at].strip() == FENCE), len(lines) - 1
    )
    return lines[: last + 1]


def _keys(front: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the keys at the top of a front with what stands behind them; where they are written in
    an unusual way, all that may be keys.
    """
    said = [line for line in front if line.strip() not in ("", FENCE) and line.lstrip()[:1] != "#"]
    least = min([len(line) - len(line.lstrip()) for line in said], default=0)
    top = [line for line in said if len(line) - len(line.lstrip()) == least]
    if any(line.lstrip()[0] in "{?<!&*[|>" or "\\" in line.partition(":")[0] for line in top):
        yield from [
            (word, "")
            for word in STARTS
            if word in "\n".join(said).lower() or "\\" in "\n".join(said)
        ]
        return
    for line in top:
        key, colon, value = line.partition(":")
        if colon:
            yield key.strip(" \t\"'").lower(), value


def _commands(front: list[str]) -> Iterator[str]:
    """Yield what stands behind ``command:`` in a front: on its line, or on the lines below that are
    set further in.
    """
    for at, line in enumerate(front):
        head, found, rest = line.partition("command:")
        if not found or head.strip(" \t-{,\"'[") not in ("", "type: command"):
            continue
        value = rest.strip().lstrip("\"'").rstrip("\"'}], ")
        if value in ("|", ">", "|-", ">-", "|+", ">+", ""):
            deep = len(line) - len(line.lstrip(" -"))
            below = next(
                (
                    end
                    for end in range(at + 1, len(front))
                    if front[end].strip() and _depth(front[end]) <= deep
                ),
                len(front),
            )
            value = "\n".join([one.strip() for one in front[at + 1 : below]])
        yield value


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _among(text: str) -> Iterator[str]:
    """Yield the commands among a page's words."""
    at = text.find("!")
    while at >= 0:
        opened, before = text[at + 1 : at + 2], text[at - 1 : at] if at else ""
        end = -1
        if opened == "`" and not before.isalnum():
            end = text.find("`", at + 2)
        elif opened == "{":
            end = _find_closing_brace(text, at + 1)
        elif text[at - 3 : at] == "```" and at >= 3:
            end = text.find("\n```", at)
        if end > at + 1:
            yield text[at + 2 : end]
        at = text.find("!", max(at, end) + 1)


def _find_closing_brace(text: str, at: int) -> int:
    """Return where the brace closes that opens at a place, or -1."""
    deep = 0
    for end in range(at, len(text)):
        deep += (text[end] == "{") - (text[end] == "}")
        if not deep:
            return end
    return -1
