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


class Obfuscation(Record):
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


def _quote(text: str) -> str:
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


def _hex_escape(text: str) -> str:
    return "".join([f"\\x{ord(letter):02x}" for letter in text])


def _encode_base64(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _rot13(text: str) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(letters, letters[13:] + letters[:13]))


def _in(program: str, form: str) -> Callable[[str], str]:
    """Return a spelling that hands the command to another language; ``form`` holds ``%s`` for its
    text as a literal of that language.
    """
    return lambda command: f"{program} {_quote(form % _literal(command))}"


def _literal(command: str) -> str:
    return '"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"'


SPELLINGS = (
    Obfuscation("plain", lambda command: command),
    # the same words, written otherwise
    Obfuscation("quotes inside the name", _first(lambda name: f"{name[0]}''{name[1:]}")),
    Obfuscation("double quotes around a letter", _first(lambda name: f'"{name[0]}"{name[1:]}')),
    Obfuscation("backslash before the name", _first(lambda name: "\\" + name)),
    Obfuscation("backslashes inside the name",
        _first(lambda name: "".join(["\\" + letter for letter in name]))),
    Obfuscation("every plain word in quotes", _each(lambda word: f"'{word}'")),
    Obfuscation("line continued inside the name", _first(lambda name: f"{name[0]}\\\n{name[1:]}")),
    Obfuscation("tabs between the words", lambda command: command.replace(" ", "\t")),
    Obfuscation("ANSI-C hexadecimal", _first(lambda name: f"$'{_hex_escape(name)}'")),
    Obfuscation("ANSI-C octal", _first(lambda name: f"$'{_octal(name)}'")),
    Obfuscation("$IFS for spaces", lambda command: command.replace(" ", "${IFS}", 1)),
    Obfuscation("a comment behind it", lambda command: f"{command} # only a test"),
    # expansions
    Obfuscation("name in a variable",
        lambda command: f"x={command.partition(' ')[0]}; $x {command.partition(' ')[2]}"),
    Obfuscation("name in two variables", lambda command: f"a={command[0]}; b={command.partition(' ')[0][1:]}; $a$b {command.partition(' ')[2]}"),
    Obfuscation("whole command in a variable", lambda command: f"x={_quote(command)}; eval \"$x\""),
    Obfuscation("default of an unset variable", _first(lambda name: f"${{UNSET_X:-{name}}}")),
    Obfuscation("substring of a variable", _first(lambda name: f"x=zz{name}; ${{x:2}}")),
    Obfuscation("echo in $()", _first(lambda name: f"$(echo {name})")),
    Obfuscation("echo in backticks", _first(lambda name: f"`echo {name}`")),
    Obfuscation("printf octal in $()", _first(lambda name: f"$(printf '{_octal(name)}')")),
    Obfuscation("braces", lambda command: "{" + ",".join(command.split(" ")) + "}", words=True),
    Obfuscation("array",
        lambda command: f"x=({command.partition(' ')[0]}); ${{x[0]}} {command.partition(' ')[2]}"),
    # where programs lie
    Obfuscation("full path", _first(lambda name: f"/usr/bin/{name}")),
    Obfuscation("pattern for the path", _first(lambda name: f"/usr/bin/{name[:-1]}?")),
    Obfuscation("path through ..", _first(lambda name: f"/usr/lib/../bin/{name}")),
    Obfuscation("which in $()", _first(lambda name: f"$(command -v {name})")),
    # other programs in front
    Obfuscation("env", lambda command: f"env {command}"),
    Obfuscation("env with an assignment", lambda command: f"env A=b {command}"),
    Obfuscation("env -S", lambda command: f"env -S {_quote(command)}", words=True),
    Obfuscation("command", lambda command: f"command {command}"),
    Obfuscation("exec in a subshell", lambda command: f"(exec {command})"),
    Obfuscation("nohup", lambda command: f"nohup {command}"),
    Obfuscation("nice", lambda command: f"nice -n 5 {command}"),
    Obfuscation("timeout", lambda command: f"timeout 30 {command}"),
    Obfuscation("setsid", lambda command: f"setsid -w {command}", "setsid"),
    Obfuscation("time", lambda command: f"time {command}"),
    Obfuscation("xargs",
        lambda command: f"echo {command.rpartition(' ')[2]} | xargs {command.rpartition(' ')[0]}",
        words=True),
    Obfuscation("xargs sh -c", lambda command: f"echo x | xargs -I@ sh -c {_quote(command)}"),
    Obfuscation("find -exec",
        lambda command: f"find . -maxdepth 0 -exec sh -c {_quote(command)} \\;"),
    Obfuscation("busybox", lambda command: f"busybox sh -c {_quote(command)}", "busybox"),
    Obfuscation("script", lambda command: f"script -qec {_quote(command)} /dev/null", "script"),
    # other places in a shell's grammar
    Obfuscation("after &&", lambda command: f"true && {command}"),
    Obfuscation("after ||", lambda command: f"false || {command}"),
    Obfuscation("after a newline", lambda command: f"echo start\n{command}"),
    Obfuscation("subshell", lambda command: f"( {command} )"),
    Obfuscation("group", lambda command: f"{{ {command}; }}"),
    Obfuscation("if", lambda command: f"if true; then {command}; fi"),
    Obfuscation("for", lambda command: f"for i in 1; do {command}; done"),
    Obfuscation("case", lambda command: f"case x in x) {command};; esac"),
    Obfuscation("function", lambda command: f"f() {{ {command}; }}; f"),
    Obfuscation("alias", lambda command: f"shopt -s expand_aliases\nalias g={_quote(command)}\ng"),
    Obfuscation("trap", lambda command: f"trap {_quote(command)} EXIT"),
    Obfuscation("background", lambda command: f"{command} & wait"),
    Obfuscation("substitution for its effect", lambda command: f"echo \"$({command})\""),
    Obfuscation("process substitution", lambda command: f"cat <({command})"),
    Obfuscation("coprocess", lambda command: f"coproc {{ {command}; }}; wait"),
    Obfuscation("assignment in front", lambda command: f"A=b {command}"),
    # text that becomes code
    Obfuscation("sh -c", lambda command: f"sh -c {_quote(command)}"),
    Obfuscation("bash -lc", lambda command: f"bash -lc {_quote(command)}"),
    Obfuscation("two shells", lambda command: f"bash -c {_quote(f'sh -c {_quote(command)}')}"),
    Obfuscation("eval", lambda command: f"eval {_quote(command)}"),
    Obfuscation("echo into sh", lambda command: f"echo {_quote(command)} | sh"),
    Obfuscation("here document", lambda command: f"bash <<'EOF'\n{command}\nEOF"),
    Obfuscation("here string", lambda command: f"bash <<< {_quote(command)}"),
    Obfuscation("source a substitution", lambda command: f"source <(echo {_quote(command)})"),
    Obfuscation("base64 into sh", lambda command: f"echo {_encode_base64(command)} | base64 -d | sh"),
    Obfuscation("base64 in eval",
        lambda command: f"eval \"$(echo {_encode_base64(command)} | base64 --decode)\""),
    Obfuscation("hexadecimal into sh", lambda command: f"printf '{_hex_escape(command)}' | bash"),
    Obfuscation("reversed into sh", lambda command: f"echo {_quote(command[::-1])} | rev | sh",
        "rev"),
    Obfuscation("rot13 into sh",
        lambda command: f"echo {_quote(_rot13(command))} | tr a-z n-za-m | sh"),
    Obfuscation("written to a file and run",
        lambda command: f"echo {_quote(command)} > x.sh && sh x.sh"),
    # other languages
    Obfuscation("python -c os.system", _in("python3 -c", "import os; os.system(%s)")),
    Obfuscation("python -c subprocess",
        _in("python3 -c", "import subprocess; subprocess.run(%s, shell=True)")),
    Obfuscation("python on standard input",
        lambda command: f"python3 - <<'EOF'\nimport os\nos.system({command!r})\nEOF"),
    Obfuscation("perl -e", _in("perl -e", "system(%s)"), "perl"),
    Obfuscation("ruby -e", _in("ruby -e", "system(%s)"), "ruby"),
    Obfuscation("node -e", _in("node -e", 'require("child_process").execSync(%s)'), "node"),
    Obfuscation("awk", _in("awk", "BEGIN { system(%s) }"), "awk"),
    Obfuscation("sed e", lambda command: f"echo x | sed {_quote('1e ' + command)}", "sed"),
    Obfuscation("make", lambda command: f"printf 'x:\\n\\t%s\\n' {_quote(command.replace('$', '$$'))} | make -s -f - x", "make"),
    Obfuscation("git alias", lambda command: f"git -c alias.x={_quote('!' + command + ' #')} x",
        "git"),
    Obfuscation("vim", lambda command: f"vim -es -c {_quote('!' + command)} -c q", "vim"),
)  # fmt: skip
BY_NAME = {spelling.name: spelling for spelling in SPELLINGS}
