"""Assignments before a command that make a program run code or load files (``LD_PRELOAD=x ls``)."""

from __future__ import annotations

from interlock.model.effect import ErasesTraces, Executes, RunsCode, Span
from interlock.shell.value import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.shell import ShellReader
    from interlock.shell.execution import Execution
    from interlock.shell.value import Value
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
    "NODE_OPTIONS", "GCONV_PATH", "IFS_", "GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_DIR_",
})  # fmt: skip
"""Their value names code that the program loads."""

SEARCHED = frozenset({
    "PYTHONPATH", "PERL5LIB", "PERLLIB", "RUBYLIB", "NODE_PATH", "CLASSPATH", "LUA_PATH", "LUA_CPATH", "R_LIBS", "R_LIBS_USER", "CC", "CXX",
    "LD", "AS", "AR", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTDOC", "SHELL", "MAKESHELL", "CONFIG_SHELL", "CMAKE_C_COMPILER",
    "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "TERMINFO", "PHPRC", "PHP_INI_SCAN_DIR", "OPENSSL_CONF", "INPUTRC", "PSQLRC", "MYVIMRC",
    "ZDOTDIR", "VIMRUNTIME", "GIT_TEMPLATE_DIR", "GIT_CONFIG_SYSTEM", "WGETRC", "SCREENRC", "TMUX_CONF",
})  # fmt: skip
"""Their value names a program, a settings file, or where code is searched: of no matter in a workspace, but in a folder anybody may write to."""

CARRYING: dict[str, tuple[str, ...]] = {
    "GOFLAGS": ("-toolexec", "-exec"), "MAKEFLAGS": ("SHELL=", "--eval"), "GNUMAKEFLAGS": ("SHELL=", "--eval"), "MFLAGS": ("SHELL=", "--eval"),
    "RUSTFLAGS": ("-Clinker=/tmp", "linker=/tmp"), "VIMINIT": ("!", "system("), "EXINIT": ("!",), "GVIMINIT": ("!", "system("),
    **dict.fromkeys(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "MAVEN_OPTS", "JAVA_OPTS", "JDK_JAVA_OPTIONS", "GRADLE_OPTS", "SBT_OPTS", "CATALINA_OPTS",
        "ANT_OPTS", "KAFKA_OPTS", "JVM_OPTS"),
        ("-javaagent:", "-agentpath:", "-agentlib:", "-XX:OnError", "-XX:OnOutOfMemoryError", "-Xbootclasspath")),
}  # fmt: skip
"""Their value holds options; these make the program run code that is named there."""

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
            if not execution.argv and name not in walker.state.exported and name not in ("PROMPT_COMMAND", "PS4"):
                continue
            if name in ("PS1", "PS4") and "$(" not in text and "`" not in text:
                continue
            _command(reader, execution, walker, name, text)
        elif name in FILES and text and execution.argv and not _only_sets(name, text):
            _file(reader, execution, name, text)
            if name in ("BASH_ENV", "ENV"):
                _startup(reader, execution, walker, value)
        elif name.startswith("BASH_FUNC_") and text.startswith("("):
            _command(reader, execution, walker, name, f"f {text}\nf")
        elif (name == "PATH" or name in SEARCHED) and execution.argv:
            _path(reader, execution, name, text)
        elif name in CARRYING and execution.argv and any(mark in text for mark in CARRYING[name]):
            _file(reader, execution, name, text)
        elif hides_history(name, text):
            span = Span(execution.text, execution.start, execution.end)
            reader.context.add(ErasesTraces, name, traits=frozenset({"history"}), span=span, by=name, detail="the shell keeps no history")


def _only_sets(name: str, text: str) -> bool:
    """Whether a variable that may load code does not: ``ENV=production`` names no file, ``NODE_OPTIONS=--no-warnings`` no module."""
    return (name == "ENV" and "/" not in text) or (name == "NODE_OPTIONS" and text.startswith(_SAFE_NODE))


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
    hidden = name not in OPEN_COMMANDS or HOLE in text or _temporary(reader, execution, text)
    traits = frozenset({"environment-hook" if hidden else "environment-command"})
    reader.context.add(RunsCode, name, traits=traits, span=span, by=name, detail=f"{name} is run as a command")
    walker.nested(text, execution.start, execution.end, name, walker.state.copy())


def _temporary(reader: ShellReader, execution: Execution, text: str) -> bool:
    """Whether a command starts with a program of a folder for temporary files that this call did not write."""
    first = text.split(None, 1)[0] if text else ""
    path = reader.context.normal(first, execution.cwd) if "/" in first else None
    return path is not None and path not in reader.written and reader.context.place(path).location == "temp"


def _file(reader: ShellReader, execution: Execution, name: str, text: str) -> None:
    span = Span(execution.text, execution.start, execution.end)
    path = reader.context.normal(text.split(":", maxsplit=1)[0], execution.cwd)
    place = reader.context.place(path) if path else None
    temporary = place is not None and place.location == "temp"
    traits = {"environment-hook", "loads"} | ({"from-temp"} if temporary else {"library-path"} if name.endswith("LIBRARY_PATH") else set())
    reader.context.add(
        Executes, path or text, place=place, traits=frozenset(traits), span=span, by=name, detail=f"{name} makes the program load code"
    )


def _startup(reader: ShellReader, execution: Execution, walker: Walker, value: Value) -> None:
    """Read the file that a shell runs first, where this call wrote it."""
    flow = walker.opened(value.text) or reader.contents(value, execution.cwd)
    if flow.text is not None:
        walker.nested(flow.text, execution.start, execution.end, "startup file", walker.state.child())


def _path(reader: ShellReader, execution: Execution, name: str, text: str) -> None:
    """A search path whose first folder is for temporary files lets anybody name the programs; so does a program, or settings, from there."""
    first = reader.context.normal(text.partition(":")[0] or ".", execution.cwd)
    if first is not None and reader.context.place(first).location == "temp":
        span = Span(execution.text, execution.start, execution.end)
        traits = frozenset({"environment-hook", "loads", "from-temp"})
        reader.context.add(Executes, first, place=reader.context.place(first), traits=traits, span=span, by=name)
