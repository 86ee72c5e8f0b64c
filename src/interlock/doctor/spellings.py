"""Ways to spell a command so that it does the same and looks like something else. Each is a
mechanism: it takes any command of plain words.

The classes are public (GuardFall, Adversa AI, June 2026: quotes, ``$IFS`` and ANSI-C, substitution,
decoding, other forms of the arguments; CmdNeedle, arXiv 2606.15549). That each spelling does the
same is tested by running it, with a command that only makes a file.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

from interlock.model.record import Record


class Spelling(Record):
    """One mechanism: its name, and the function from a command to its spelling.

    ``needs``: a program that it takes, beside the shell. ``words``: only for commands that are
    words, without ``|``, ``>`` and their like.
    """

    name: str
    spell: Callable[[str], str]
    needs: str = ""
    words: bool = False

    def fits(self, command: str) -> bool:
        """Tell whether a command can be spelled so."""
        return not self.words or not any(mark in command for mark in "|&;<>()$`\"'")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _first(change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a spelling that changes the program's name only."""
    return lambda command: (
        change(command.partition(" ")[0]) + command[len(command.partition(" ")[0]) :]
    )


def _each(change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a spelling that changes every word that means only itself."""
    return lambda command: " ".join(
        [change(word) if word.isalnum() else word for word in command.split(" ")]
    )


def _octal(text: str) -> str:
    return "".join([f"\\{ord(letter):03o}" for letter in text])


def _hexed(text: str) -> str:
    return "".join([f"\\x{ord(letter):02x}" for letter in text])


def _encoded(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _rotated(text: str) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(letters, letters[13:] + letters[:13]))


def _in(program: str, form: str) -> Callable[[str], str]:
    """Return a spelling that hands the command to another language; ``form`` holds ``%s`` for its
    text as a literal of that language.
    """
    return lambda command: f"{program} {_quoted(form % _literal(command))}"


def _literal(command: str) -> str:
    return '"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"'


SPELLINGS = (
    Spelling("plain", lambda command: command),
    # the same words, written otherwise
    Spelling("quotes inside the name", _first(lambda name: f"{name[0]}''{name[1:]}")),
    Spelling("double quotes around a letter", _first(lambda name: f'"{name[0]}"{name[1:]}')),
    Spelling("backslash before the name", _first(lambda name: "\\" + name)),
    Spelling("backslashes inside the name",
        _first(lambda name: "".join(["\\" + letter for letter in name]))),
    Spelling("every plain word in quotes", _each(lambda word: f"'{word}'")),
    Spelling("line continued inside the name", _first(lambda name: f"{name[0]}\\\n{name[1:]}")),
    Spelling("tabs between the words", lambda command: command.replace(" ", "\t")),
    Spelling("ANSI-C hexadecimal", _first(lambda name: f"$'{_hexed(name)}'")),
    Spelling("ANSI-C octal", _first(lambda name: f"$'{_octal(name)}'")),
    Spelling("$IFS for spaces", lambda command: command.replace(" ", "${IFS}", 1)),
    Spelling("a comment behind it", lambda command: f"{command} # only a test"),
    # expansions
    Spelling("name in a variable",
        lambda command: f"x={command.partition(' ')[0]}; $x {command.partition(' ')[2]}"),
    Spelling("name in two variables", lambda command: f"a={command[0]}; b={command.partition(' ')[0][1:]}; $a$b {command.partition(' ')[2]}"),
    Spelling("whole command in a variable", lambda command: f"x={_quoted(command)}; eval \"$x\""),
    Spelling("default of an unset variable", _first(lambda name: f"${{UNSET_X:-{name}}}")),
    Spelling("substring of a variable", _first(lambda name: f"x=zz{name}; ${{x:2}}")),
    Spelling("echo in $()", _first(lambda name: f"$(echo {name})")),
    Spelling("echo in backticks", _first(lambda name: f"`echo {name}`")),
    Spelling("printf octal in $()", _first(lambda name: f"$(printf '{_octal(name)}')")),
    Spelling("braces", lambda command: "{" + ",".join(command.split(" ")) + "}", words=True),
    Spelling("array",
        lambda command: f"x=({command.partition(' ')[0]}); ${{x[0]}} {command.partition(' ')[2]}"),
    # where programs lie
    Spelling("full path", _first(lambda name: f"/usr/bin/{name}")),
    Spelling("pattern for the path", _first(lambda name: f"/usr/bin/{name[:-1]}?")),
    Spelling("path through ..", _first(lambda name: f"/usr/lib/../bin/{name}")),
    Spelling("which in $()", _first(lambda name: f"$(command -v {name})")),
    # other programs in front
    Spelling("env", lambda command: f"env {command}"),
    Spelling("env with an assignment", lambda command: f"env A=b {command}"),
    Spelling("env -S", lambda command: f"env -S {_quoted(command)}", words=True),
    Spelling("command", lambda command: f"command {command}"),
    Spelling("exec in a subshell", lambda command: f"(exec {command})"),
    Spelling("nohup", lambda command: f"nohup {command}"),
    Spelling("nice", lambda command: f"nice -n 5 {command}"),
    Spelling("timeout", lambda command: f"timeout 30 {command}"),
    Spelling("setsid", lambda command: f"setsid -w {command}", "setsid"),
    Spelling("time", lambda command: f"time {command}"),
    Spelling("xargs",
        lambda command: f"echo {command.rpartition(' ')[2]} | xargs {command.rpartition(' ')[0]}",
        words=True),
    Spelling("xargs sh -c", lambda command: f"echo x | xargs -I@ sh -c {_quoted(command)}"),
    Spelling("find -exec",
        lambda command: f"find . -maxdepth 0 -exec sh -c {_quoted(command)} \\;"),
    Spelling("busybox", lambda command: f"busybox sh -c {_quoted(command)}", "busybox"),
    Spelling("script", lambda command: f"script -qec {_quoted(command)} /dev/null", "script"),
    # other places in a shell's grammar
    Spelling("after &&", lambda command: f"true && {command}"),
    Spelling("after ||", lambda command: f"false || {command}"),
    Spelling("after a newline", lambda command: f"echo start\n{command}"),
    Spelling("subshell", lambda command: f"( {command} )"),
    Spelling("group", lambda command: f"{{ {command}; }}"),
    Spelling("if", lambda command: f"if true; then {command}; fi"),
    Spelling("for", lambda command: f"for i in 1; do {command}; done"),
    Spelling("case", lambda command: f"case x in x) {command};; esac"),
    Spelling("function", lambda command: f"f() {{ {command}; }}; f"),
    Spelling("alias", lambda command: f"shopt -s expand_aliases\nalias g={_quoted(command)}\ng"),
    Spelling("trap", lambda command: f"trap {_quoted(command)} EXIT"),
    Spelling("background", lambda command: f"{command} & wait"),
    Spelling("substitution for its effect", lambda command: f"echo \"$({command})\""),
    Spelling("process substitution", lambda command: f"cat <({command})"),
    Spelling("coprocess", lambda command: f"coproc {{ {command}; }}; wait"),
    Spelling("assignment in front", lambda command: f"A=b {command}"),
    # text that becomes code
    Spelling("sh -c", lambda command: f"sh -c {_quoted(command)}"),
    Spelling("bash -lc", lambda command: f"bash -lc {_quoted(command)}"),
    Spelling("two shells", lambda command: f"bash -c {_quoted(f'sh -c {_quoted(command)}')}"),
    Spelling("eval", lambda command: f"eval {_quoted(command)}"),
    Spelling("echo into sh", lambda command: f"echo {_quoted(command)} | sh"),
    Spelling("here document", lambda command: f"bash <<'EOF'\n{command}\nEOF"),
    Spelling("here string", lambda command: f"bash <<< {_quoted(command)}"),
    Spelling("source a substitution", lambda command: f"source <(echo {_quoted(command)})"),
    Spelling("base64 into sh", lambda command: f"echo {_encoded(command)} | base64 -d | sh"),
    Spelling("base64 in eval",
        lambda command: f"eval \"$(echo {_encoded(command)} | base64 --decode)\""),
    Spelling("hexadecimal into sh", lambda command: f"printf '{_hexed(command)}' | bash"),
    Spelling("reversed into sh", lambda command: f"echo {_quoted(command[::-1])} | rev | sh",
        "rev"),
    Spelling("rot13 into sh",
        lambda command: f"echo {_quoted(_rotated(command))} | tr a-z n-za-m | sh"),
    Spelling("written to a file and run",
        lambda command: f"echo {_quoted(command)} > x.sh && sh x.sh"),
    # other languages
    Spelling("python -c os.system", _in("python3 -c", "import os; os.system(%s)")),
    Spelling("python -c subprocess",
        _in("python3 -c", "import subprocess; subprocess.run(%s, shell=True)")),
    Spelling("python on standard input",
        lambda command: f"python3 - <<'EOF'\nimport os\nos.system({command!r})\nEOF"),
    Spelling("perl -e", _in("perl -e", "system(%s)"), "perl"),
    Spelling("ruby -e", _in("ruby -e", "system(%s)"), "ruby"),
    Spelling("node -e", _in("node -e", 'require("child_process").execSync(%s)'), "node"),
    Spelling("awk", _in("awk", "BEGIN { system(%s) }"), "awk"),
    Spelling("sed e", lambda command: f"echo x | sed {_quoted('1e ' + command)}", "sed"),
    Spelling("make", lambda command: f"printf 'x:\\n\\t%s\\n' {_quoted(command.replace('$', '$$'))} | make -s -f - x", "make"),
    Spelling("git alias", lambda command: f"git -c alias.x={_quoted('!' + command + ' #')} x",
        "git"),
    Spelling("vim", lambda command: f"vim -es -c {_quoted('!' + command)} -c q", "vim"),
)  # fmt: skip
BY_NAME = {spelling.name: spelling for spelling in SPELLINGS}
