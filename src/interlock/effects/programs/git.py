"""git: its global options, and which module reads which subcommand; here those that mostly look
(git 2.47 manuals).
"""

from __future__ import annotations

from interlock.effects.programs import table as programs
from interlock.effects.programs.gitconfig import judge, option_command, split
from interlock.effects.programs.gitelsewhere import change_other
from interlock.effects.programs.gitfiles import follow_alias, run_alias, run_configured
from interlock.effects.programs.gitguarded import change_guarded
from interlock.effects.programs.githooks import run_hooks
from interlock.effects.programs.gitshared import PLACED
from interlock.effects.programs.gitverbs import LOOKING
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.model.effect import Persists, Reads, RunsCode, Writes
from interlock.model.facts import Repository
from interlock.shell.value import HOLE, NAME, NOTHING, UNREAD, Flow, Value


def _git(run: Run) -> Flow:
    """Take global options, then read the subcommand; ``-c alias.x=..`` is an alias of this call."""
    aliases = _global(run)
    if not run.operands or run.has(
        "--version", "--help", "-v", "-h", "--man-path", "--html-path", "--info-path"
    ):
        return (
            UNREAD
            if run.has("--exec-path", "--man-path", "--html-path", "--info-path")
            else NOTHING
        )
    word, rest = run.operands[0], run.operands[1:]
    name = word.text
    if HOLE in name:
        run.unknown_code(word.why or "argument", "subcommand", value=word)
        return UNREAD
    if rest and rest[0].text == "--help":
        return NOTHING
    row = programs.below("git", name)
    if row is None:
        return _alias(run, name, rest, aliases)
    return _enter(run, row, name, rest)


def _enter(run: Run, row: ProgramRow, name: str, rest: list[Value]) -> Flow:
    """Read a subcommand by its row."""
    execution = run.execution.inner([Value(f"git {name}"), *rest])
    execution.cwd = run.cwd
    inner = type(run)(run.reader, run.walker, execution, row, f"git {name}")
    for path in inner.parsed.values("--output"):
        inner.path(Writes, path)
    if inner.has("--ext-diff"):
        inner.effect(
            RunsCode,
            "diff.external",
            "git-config-command",
            detail="the diff program of the configuration is run",
        )
    change_guarded(inner, name)
    run_configured(inner)
    run_hooks(inner, name)
    if name in LOOKING or name in ("branch", "tag"):
        for value in (Value("."), *inner.operands):
            _look(inner, value)
    flow: Flow = run.reader.apply_row(inner)
    change_other(inner, name, run.parsed.value("--git-dir") or _variable(run, "GIT_DIR"))
    return flow


def _variable(run: Run, name: str) -> Value | None:
    """Return what a variable holds that git is given, before the command or exported."""
    given = [value for one, value in run.execution.prefix if one == name]
    if given or name not in run.walker.state.exported:
        return given[-1] if given else None
    return run.walker.state.lookup(name) or Value(HOLE)


def _look(run: Run, value: Value) -> None:
    """Look at the folder that git works in, and at an operand that leads out of it: ``../x``,
    ``HEAD:../x``, ``/srv/x``.
    """
    text = value.text.rpartition(":")[2]
    outside = text[:1] == "/" or ".." in text.split("/") or text != value.text
    if outside and run.name != "git grep" and run.context.secret(run.context.normal(text, run.cwd)):
        # ``git diff A B`` shows any two files (git-diff(1))
        run.path(Reads, Value(text, value.start, value.end, value.why, value.pattern))
    elif (
        value.text == "." or ".." in text.split("/") or (text[:1] == "/" and value.text[:2] != ":/")
    ):
        run.looks_at(Value(text, value.start, value.end, value.why, value.pattern))


_HARMLESS = tuple(
    (
        "GIT_AUTHOR_ GIT_COMMITTER_ GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_TERMINAL_PROMPT"
        " GIT_PAGER GIT_MERGE_AUTOEDIT"
    ).split()
)
"""Variables that say nothing of where git works."""


def _global(run: Run) -> dict[str, Value]:
    """Apply ``-C``, ``--work-tree``, ``-c`` and ``--config-env``; return the aliases given."""
    aliases: dict[str, Value] = {}
    exported = run.walker.state.exported | {name for name, _ in run.execution.prefix}
    if run.has("--git-dir", "--work-tree", "--namespace", "-c", "--config-env") or any(
        name.startswith("GIT_") for name in exported
    ):
        # what is known of the folder's own repository may not be what git looks at
        run.context.files.changed.add(run.cwd or "")
    named = any(name.startswith("GIT_") and not name.startswith(_HARMLESS) for name in exported)
    if (
        named
        or run.has("--git-dir", "--work-tree", "--namespace", "--config-env")
        or any("worktree" in value.text.lower() for value in run.parsed.values("-c"))
    ):
        run.context.files.made.add(PLACED)
    placed = _variable(run, "GIT_WORK_TREE")
    for value in [
        *run.parsed.values("-C"),
        *([] if placed is None else [placed]),
        *run.parsed.values("--work-tree"),
    ]:
        run.cwd = None if value.hollow else run.context.normal(value.text, run.cwd)
    for value in run.parsed.values("-c"):
        key, text = split(value)
        if key.lower().startswith("alias."):
            aliases[key[6:]] = text
        judge(run, key, text)
    for value in run.parsed.values("--config-env"):
        key, _, variable = value.text.partition("=")
        text = _variable(run, variable) or Value(HOLE, value.start, value.end, "environment")
        if key.lower().startswith("alias."):
            aliases[key[6:]] = text
        judge(run, key, text)
    path = run.parsed.value("--exec-path")
    if path is not None:
        run.effect(
            RunsCode,
            path.text,
            "git-config-command",
            value=path,
            detail="git's own programs are taken from there",
        )
    return aliases


def _alias(run: Run, name: str, rest: list[Value], aliases: dict[str, Value]) -> Flow:
    """An alias given by ``-c`` or an unknown command (a configured alias, ``git-NAME``)."""
    if name in aliases:
        return run_alias(run, aliases[name].text, rest)
    flow = follow_alias(run, name, rest)
    if flow is None:
        run.executes(f"git-{name}", "unknown-program")
    return flow or UNREAD


def _grep(run: Run) -> Flow:
    """``-O[COMMAND]`` opens what was found in a program (git-grep(1))."""
    for value in run.arguments:
        text = value.text
        command = (
            text[2:]
            if text[:2] == "-O"
            else text.partition("=")[2]
            if text.startswith("--open-files-in-pager")
            else ""
        )
        if command:
            option_command(
                run,
                Value(command, value.start, value.end, value.why),
                ("less", "vi", "vim", "more"),
                "open-files-in-pager",
            )
    if run.has("--no-index"):
        # without an index it is a search of folders like any other
        from interlock.effects.programs.grep import search

        operands = list(run.operands)
        found = search(run, operands if run.has("-e") else operands[1:])
        return Flow(None, run.input_labels() | found | {"workspace"})
    flow = Flow(None, frozenset({"workspace"}))
    if run.has("-l", "-L", "--files-with-matches", "--name-only", "--files-without-match"):
        flow.listing = [Value("**/*", pattern=True)]
    return flow


def _difftool(run: Run) -> Flow:
    option_command(
        run,
        run.parsed.value("-x", "--extcmd"),
        ("vimdiff", "meld", "diff", "code", "kdiff3"),
        "extcmd",
    )
    return UNREAD


def _rev_parse(run: Run) -> Flow:
    """``--show-toplevel`` is the repository's folder, where that is known."""
    if run.has("--show-toplevel") and run.cwd is not None and run.here:
        found = run.context.facts.repository(run.cwd)
        if isinstance(found, Repository):
            return Flow(found.root + "\n")
        if run.cwd in run.context.call.roots:
            return Flow(run.cwd + "\n")
    if run.has("--git-dir", "--git-common-dir", "--absolute-git-dir", "--git-path") and run.here:
        return Flow(
            "/".join(
                [
                    _data_folder(run),
                    *[value.text for value in run.parsed.values("--git-path") if value.known],
                ]
            )
            + "\n"
        )
    if run.operands and not run.parsed.flags - {"--short", "--verify", "-q", "--quiet"}:
        return Flow(NAME + "\n", frozenset({"number"}))  # the number of a commit
    return Flow(None, frozenset({"workspace"}))


def _data_folder(run: Run) -> str:
    """Return the folder of the repository's own data; where nobody knows the repository, as git
    names it at its top.
    """
    found = run.context.facts.repository(run.cwd) if run.cwd is not None else None
    return f"{found.root}/.git" if isinstance(found, Repository) else ".git"


def _credential(run: Run) -> Flow:
    """``git credential fill`` prints a password: as reading the file they are in does."""
    verb = run.operands[0].text if run.operands else ""
    if verb in ("fill", "get"):
        run.path(Reads, Value(f"{run.context.home or HOLE}/.git-credentials"), "credentials")
        return Flow(None, frozenset({"secret"}))
    return UNREAD


def _names(run: Run, flow: Flow) -> Flow:
    """Return what a look prints with the files that it names, where it names only these: any of the
    repository, or those of a pattern (``'*.py'``).
    """
    if run.name.endswith("ls-files"):
        if not run.has("-s", "--stage", "--eol", "--format", "-t", "-v"):
            flow.listing = [
                Value(
                    f"{'' if '*' in value.text else value.text.rstrip('/')}/**/{value.text if '*' in value.text else '*'}".lstrip(
                        "/"
                    ),
                    pattern=True,
                )
                for value in run.operands or [Value(".")]
            ]
    elif run.has("--name-only"):
        flow.listing = [Value("**/*", pattern=True)]
    return flow


def _show(run: Run) -> Flow:
    run.roles()
    return _names(run, Flow(None, frozenset({"workspace"}) | run.input_labels()))


def _no_index(run: Run) -> Flow:
    """``git diff --no-index A B`` reads any two files; without a commit it prints changes."""
    if run.has("--no-index"):
        for value in run.operands:
            run.path(Reads, value)
        return Flow(None, run.input_labels())
    unstaged = not run.has("--cached", "--staged") and all(
        value.text.startswith((".", "HEAD", "@")) for value in run.operands
    )
    return _names(
        run, Flow(None, frozenset({"workspace", "unstaged"} if unstaged else {"workspace"}))
    )


def _init(run: Run) -> Flow:
    template = run.parsed.value("--template")
    if template is not None and template.text:
        run.effect(
            RunsCode,
            template.text,
            "git-config-command",
            value=template,
            detail="hooks are taken from a template",
        )
    for value in [*run.parsed.values("--separate-git-dir"), *run.operands]:
        run.path(Writes, value, "create")
    return UNREAD


def _maintenance(run: Run) -> Flow:
    if run.operands and run.operands[0].text in ("start", "register"):
        run.effect(Persists, "git maintenance", "cron")
    return UNREAD


def _hook(run: Run) -> Flow:
    run.executes(run.operands[1].text if len(run.operands) > 1 else "hook", "package-script")
    return UNREAD


def _shell(run: Run) -> Flow:
    value = run.parsed.value("-c")
    return run.code(value) if value is not None else UNREAD


def _remote_ext(run: Run) -> Flow:
    words = run.operands
    return (
        run.code(
            Value(
                " ".join([word.text for word in words[1:]]).replace("% ", " "),
                words[0].start,
                words[-1].end,
            )
        )
        if len(words) > 1
        else UNREAD
    )
