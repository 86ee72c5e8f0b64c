"""Assignments before a command that make a program run code or load files (``LD_PRELOAD=x ls``)."""

from __future__ import annotations

from interlock.model.effect import ErasesTraces, Executes, RunsCode, Span
from interlock.shell.value import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.shell import ShellReader
    from interlock.shell.execution import Execution
    from interlock.shell.walk import Walker

OPEN_COMMANDS = frozenset({
    "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
    "SSH_ASKPASS", "BROWSER", "MANPAGER", "RSYNC_RSH", "CVS_RSH", "FZF_DEFAULT_COMMAND", "SYSTEMD_PAGER",
})  # fmt: skip
"""Their value is run as a command, and people do set them for that: what the command does is what counts."""

COMMANDS = OPEN_COMMANDS | frozenset({
    "GIT_PROXY_COMMAND", "LESSOPEN", "LESSCLOSE", "PROMPT_COMMAND", "SUDO_ASKPASS", "TAR_OPTIONS", "npm_config_script_shell", "PERL5DB",
    "RIPGREP_CONFIG_PATH", "PS1", "PS4", "GIT_TEMPLATE_DIR",
})  # fmt: skip
"""Their value is run as a command."""

FILES = frozenset({
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV", "ENV", "PYTHONSTARTUP", "PYTHONHOME",
    "PERL5OPT", "RUBYOPT",
    "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "GCONV_PATH", "IFS_", "GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH", "GIT_CONFIG_COUNT", "GIT_DIR_",
})  # fmt: skip
"""Their value names code that the program loads."""

HARMLESS_WORDS = frozenset(
    {"cat", "less", "more", "true", ":", "vim", "vi", "nano", "emacs", "code", "", "/bin/true", "/bin/cat", "less -R", "false", "/bin/false"}
)
_SAFE_NODE = (
    "--max-old-space-size",
    "--max_old_space_size",
    "--openssl-legacy-provider",
    "--no-warnings",
    "--experimental-",
    "--trace-",
    "--enable-source-maps",
    "--unhandled-rejections",
    "--dns-result-order",
)


def judge_prefix(reader: ShellReader, execution: Execution, walker: Walker) -> None:
    """Add what the assignments of one command do; of assignments alone only those that make the shell run something."""
    for name, value in execution.prefix:
        text = value.text.strip()
        if name in COMMANDS and text not in HARMLESS_WORDS:
            if not execution.argv and name not in walker.state.exported and name != "PROMPT_COMMAND":
                continue
            if name in ("PS1", "PS4") and "$(" not in text and "`" not in text:
                continue
            _command(reader, execution, walker, name, text)
        elif name in FILES and text and execution.argv and not (name == "NODE_OPTIONS" and text.startswith(_SAFE_NODE)):
            _file(reader, execution, name, text)
        elif name == "PATH" and execution.argv:
            _path(reader, execution, text)
        elif hides_history(name, text):
            span = Span(execution.text, execution.start, execution.end)
            reader.context.add(ErasesTraces, name, traits=frozenset({"history"}), span=span, by=name, detail="the shell keeps no history")


def hides_history(name: str, text: str) -> bool:
    """Whether a variable with this value keeps the shell from writing down what it ran (bash(1), zshparam(1))."""
    if name == "HISTFILE":
        return text in {"", "/dev/null"}
    if name in {"HISTSIZE", "HISTFILESIZE", "SAVEHIST"}:
        return text == "0"
    return name == "HISTIGNORE" and text == "*"


def _command(reader: ShellReader, execution: Execution, walker: Walker, name: str, text: str) -> None:
    """Read the value as a command of its own, with what it is for."""
    span = Span(execution.text, execution.start, execution.end)
    hidden = name not in OPEN_COMMANDS or HOLE in text
    traits = frozenset({"environment-hook" if hidden else "environment-command"})
    reader.context.add(RunsCode, name, traits=traits, span=span, by=name, detail=f"{name} is run as a command")
    walker.nested(text, execution.start, execution.end, name, walker.state.copy())


def _file(reader: ShellReader, execution: Execution, name: str, text: str) -> None:
    span = Span(execution.text, execution.start, execution.end)
    path = reader.context.normal(text.split(":", maxsplit=1)[0], execution.cwd)
    place = reader.context.place(path) if path else None
    traits = {"environment-hook", "loads"} | ({"library-path"} if name.endswith("LIBRARY_PATH") else set())
    reader.context.add(
        Executes, path or text, place=place, traits=frozenset(traits), span=span, by=name, detail=f"{name} makes the program load code"
    )


def _path(reader: ShellReader, execution: Execution, text: str) -> None:
    """A search path whose first folder is for temporary files lets anybody name the programs."""
    first = reader.context.normal(text.split(":", maxsplit=1)[0] or ".", execution.cwd)
    if first is not None and reader.context.place(first).location == "temp":
        span = Span(execution.text, execution.start, execution.end)
        reader.context.add(Executes, first, place=reader.context.place(first), traits=frozenset({"environment-hook", "loads"}), span=span, by="PATH")
