"""Ways to write the same command otherwise: each takes a command and returns one that does the
same, for a reader who is to be misled.
"""

from __future__ import annotations

import base64
import codecs
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Words = Callable[[list[str]], str]
    """A simple command, as words without quotes, to a command."""
    Script = Callable[[str], str]
    """Any script to a script."""

q = shlex.quote


def rest(words: list[str]) -> str:
    """Return all words but the first, quoted where they need it: a tilde or a glob keeps its
    meaning.
    """
    return "".join([" " + kept(word) for word in words[1:]])


def kept(word: str) -> str:
    """Quote a word unless the shell is to expand it."""
    return (
        word
        if word[:1] == "~" or "*" in word or word.replace("-", "").replace("_", "").isalnum()
        else q(word)
    )


def plain(words: list[str]) -> str:
    """Return the command as it is written usually."""
    return " ".join([kept(word) for word in words])


def line(words: list[str]) -> str:
    """Return the command as one text that is not quoted for another shell."""
    return plain(words)


def escaped(text: str, form: str) -> str:
    r"""Return every character as an escape: ``\x72``, ``\162``, ``\u0072``."""
    return "".join([form.format(ord(char)) for char in text])


def unexpanded(words: list[str]) -> list[str]:
    """Return the words with what the shell would expand written out."""
    return ["/home/user" + word[1:] if word[:1] == "~" else word for word in words]


WORDS: dict[str, Words] = {
    "empty quotes": lambda words: f"{words[0][:1]}''{words[0][1:]}" + rest(words),
    "double quotes": lambda words: f'{words[0][:1]}"{words[0][1:]}"' + rest(words),
    "backslashes": lambda words: "".join(["\\" + char for char in words[0]]) + rest(words),
    "hexadecimal": lambda words: "$'" + escaped(words[0], "\\x{:02x}") + "'" + rest(words),
    "octal": lambda words: "$'" + escaped(words[0], "\\{:03o}") + "'" + rest(words),
    "unicode": lambda words: "$'" + escaped(words[0], "\\u{:04x}") + "'" + rest(words),
    "hexadecimal arguments": lambda words: (
        words[0]
        + "".join([" $'" + escaped(word, "\\x{:02x}") + "'" for word in unexpanded(words)[1:]])
    ),
    "line continuation": lambda words: f"{words[0][:1]}\\\n{words[0][1:]}" + rest(words),
    "tabs": lambda words: "\t" + "\t \t".join([kept(word) for word in words]) + "\t",
    "default": lambda words: f"${{zz:-{words[0]}}}" + rest(words),
    "assigned default": lambda words: f"${{zd:={words[0]}}}" + rest(words),
    "alternative": lambda words: f"zz=1; ${{zz:+{words[0]}}}" + rest(words),
    "variable": lambda words: f"zz={words[0]}; $zz" + rest(words),
    "variable arguments": lambda words: f"zz={q(' '.join(unexpanded(words)[1:]))}; {words[0]} $zz",
    "quoted variable": lambda words: f'zz={words[0]}; "$zz"' + rest(words),
    "halves": lambda words: f"za={words[0][:1]}; zb={words[0][1:]}; $za$zb" + rest(words),
    "appended": lambda words: f"za={words[0][:1]}; za+={words[0][1:]}; $za" + rest(words),
    "exported": lambda words: f"export ZZ={words[0]}; $ZZ" + rest(words),
    "declared": lambda words: f"declare zz={words[0]}; $zz" + rest(words),
    "whole line": lambda words: f"zz={q(' '.join(unexpanded(words)))}; $zz",
    "indirect": lambda words: f"za={words[0]}; zb=za; ${{!zb}}" + rest(words),
    "named reference": lambda words: f"za={words[0]}; declare -n zb=za; $zb" + rest(words),
    "array": lambda words: f'zz=({plain(words)}); "${{zz[@]}}"',
    "array by numbers": lambda words: (
        "".join([f"zz[{at}]={kept(word)}; " for at, word in enumerate(words)]) + '"${zz[@]}"'
    ),
    "array backwards": lambda words: (
        f"zz=({' '.join([f'[{at}]={kept(word)}' for at, word in reversed(list(enumerate(words)))])}); ${{zz[*]}}"
    ),
    "named elements": lambda words: f"declare -A zz; zz[k]={words[0]}; ${{zz[k]}}" + rest(words),
    "part of an array": lambda words: f"zz=(ls {plain(words)}); ${{zz[@]:1}}",
    "arguments": lambda words: f'set -- {plain(words)}; "$@"',
    "arguments one by one": lambda words: (
        f"set -- {plain(words)}; " + " ".join([f"${at}" for at in range(1, len(words) + 1)])
    ),
    "some arguments": lambda words: f"set -- ls {plain(words)}; shift; $*",
    "upper to lower": lambda words: f"zz={words[0].upper()}; ${{zz,,}}" + rest(words),
    "swapped case": lambda words: f"zz={words[0].swapcase()}; ${{zz~~}}" + rest(words),
    "transformed": lambda words: (
        f"zz='{escaped(words[0], chr(92) + 'x{:02x}')}'; ${{zz@E}}" + rest(words)
    ),
    "slice": lambda words: f"zz=xx{words[0]}yy; ${{zz:2:{len(words[0])}}}" + rest(words),
    "without a prefix": lambda words: f"zz=xx{words[0]}; ${{zz#xx}}" + rest(words),
    "without a suffix": lambda words: f"zz={words[0]}.yy; ${{zz%.*}}" + rest(words),
    "replaced": lambda words: f"zz=@{words[0][1:]}; ${{zz/@/{words[0][:1]}}}" + rest(words),
    "replaced everywhere": lambda words: f"zz={q('@'.join(words[0]))}; ${{zz//@}}" + rest(words),
    "characters": lambda words: (
        "".join([f"z{at}={char}; " for at, char in enumerate(words[0])])
        + "".join([f"$z{at}" for at in range(len(words[0]))])
        + rest(words)
    ),
    "printf": lambda words: f"$(printf {words[0]})" + rest(words),
    "printf by codes": lambda words: (
        f"$(printf '{escaped(words[0], chr(92) + '{:03o}')}')" + rest(words)
    ),
    "printf by pieces": lambda words: f"$(printf %s {' '.join(words[0])})" + rest(words),
    "printf -v": lambda words: f"printf -v zz %s {words[0]}; $zz" + rest(words),
    "echo": lambda words: f"`echo {words[0]}`" + rest(words),
    "echo -e": lambda words: f"$(echo -e '{escaped(words[0], chr(92) + 'x{:02x}')}')" + rest(words),
    "echo and rev": lambda words: f"$(echo {words[0][::-1]} | rev)" + rest(words),
    "echo and tr": lambda words: f"$(echo {words[0].upper()} | tr A-Z a-z)" + rest(words),
    "echo and tr classes": lambda words: (
        f"$(echo {words[0].upper()} | tr '[:upper:]' '[:lower:]')" + rest(words)
    ),
    "echo and cut": lambda words: f"$(echo x:{words[0]}:y | cut -d: -f2)" + rest(words),
    "echo and sed": lambda words: (
        f"$(echo @{words[0][1:]} | sed s/@/{words[0][:1]}/)" + rest(words)
    ),
    "here-string and cat": lambda words: f"$(cat <<< {words[0]})" + rest(words),
    "characters by arithmetic": lambda words: (
        "zz=; for c in "
        + " ".join([str(ord(char) + 1) for char in words[0]])
        + '; do zz+=$(printf "\\\\$(printf %o $((c - 1)))"); done; $zz'
        + rest(words)
    ),
    "counted loop": lambda words: (
        f"zs={words[0]}; zz=; for ((i=0; i<${{#zs}}; i++)); do zz+=${{zs:i:1}}; done; $zz"
        + rest(words)
    ),
    "while loop": lambda words: (
        f"zs={words[0]}; zz=; i=0; while [ $i -lt ${{#zs}} ]; do zz=$zz${{zs:$i:1}}; i=$((i+1)); done; $zz"
        + rest(words)
    ),
    "read": lambda words: f"read zz <<< {words[0]}; $zz" + rest(words),
    "read into two": lambda words: f"read za zb <<< {q(' '.join(unexpanded(words)))}; $za $zb",
    "read into an array": lambda words: (
        f"read -ra zz <<< {q(' '.join(unexpanded(words)))}; ${{zz[@]}}"
    ),
    "mapfile": lambda words: f"mapfile -t zz <<< {words[0]}; ${{zz[0]}}" + rest(words),
    "separators": lambda words: f"IFS=,; zz={q(','.join(unexpanded(words)))}; $zz",
    "blank by separator": lambda words: (
        "${IFS}".join([kept(word) for word in words])
        if not any("~" in word for word in words[1:])
        else plain(words)
    ),
    "braces": lambda words: (
        "{" + ",".join([kept(word) for word in words]) + "}" if len(words) > 1 else plain(words)
    ),
    "full path": lambda words: f"/bin/{words[0]}" + rest(words),
    "longer path": lambda words: f"/usr/bin/{words[0]}" + rest(words),
    "winding path": lambda words: f"/usr/../bin/./{words[0]}" + rest(words),
    "letter by glob": lambda words: f"/bin/{words[0][:-1]}?" + rest(words),
    "letter by set": lambda words: f"/usr/bin/[{words[0][:1]}]{words[0][1:]}" + rest(words),
    "which": lambda words: f"$(which {words[0]})" + rest(words),
    "command -v": lambda words: f"$(command -v {words[0]})" + rest(words),
    "type -P": lambda words: f"$(type -P {words[0]})" + rest(words),
    "either of two": lambda words: f"$(which zz || which {words[0]})" + rest(words),
    "known by a condition": lambda words: (
        f"if test -e x; then zz={words[0]}; else zz=ls; fi; $zz" + rest(words)
    ),
    "perhaps another": lambda words: f"zz={words[0]}; test -e x && zz=ls; $zz" + rest(words),
    "command": lambda words: "command " + plain(words),
    "env": lambda words: "env " + plain(words),
    "env with settings": lambda words: "env -i -u C A=b " + plain(words),
    "env split": lambda words: f"env -S {q(' '.join(words))}",
    "nohup": lambda words: "nohup " + plain(words) + " &",
    "timeout": lambda words: "timeout -k 5 10s " + plain(words),
    "nice": lambda words: "nice -n 5 " + plain(words),
    "stdbuf": lambda words: "stdbuf -oL " + plain(words),
    "setsid": lambda words: "setsid " + plain(words),
    "time": lambda words: "time -p " + plain(words),
    "exec": lambda words: "exec -a zz " + plain(words),
    "wrapped twice": lambda words: "env timeout 5 nohup nice " + plain(words),
    "xargs": lambda words: f"printf '%s ' {' '.join(unexpanded(words)[1:])} | xargs {words[0]}",
    "xargs replacing": lambda words: (
        f"echo {unexpanded(words)[-1]} | xargs -I{{}} {plain(words[:-1])} {{}}"
        if len(words) > 1
        else plain(words)
    ),
    "find": lambda words: f"find . -maxdepth 0 -exec {plain(unexpanded(words))} ';'",
    "alias": lambda words: f"shopt -s expand_aliases\nalias zz={words[0]}\nzz" + rest(words),
    "global alias": lambda words: (
        f"alias -g ZZ={kept(words[-1])}; {plain(words[:-1])} ZZ" if len(words) > 1 else plain(words)
    ),
    "hash": lambda words: f"hash -p /bin/{words[0]} zz; zz" + rest(words),
    "function": lambda words: f'zz() {{ {words[0]} "$@"; }}; zz' + rest(words),
    "function of its own name": lambda words: (
        f'{words[0]}() {{ command {words[0]} "$@"; }}; {plain(words)}'
    ),
    "zsh name": lambda words: f"={words[0]}" + rest(words),
}
"""For a simple command."""


def fed(script: str, made: str) -> str:
    """Return a shell that reads what ``made`` prints."""
    del script
    return f"{made} | sh"


def _encoded(script: str) -> str:
    return base64.b64encode(script.encode()).decode()


def _rot13(script: str) -> str:
    return f"echo {q(codecs.encode(script, 'rot13'))} | tr A-Za-z N-ZA-Mn-za-m | bash"


SCRIPTS: dict[str, Script] = {
    "subshell": lambda script: f"( {script}\n)",
    "group": lambda script: f"{{ {script}\n}}",
    "and true": lambda script: f"{script}\ntrue && :",
    "after true": lambda script: f"true && {{ {script}\n}}",
    "after a doubtful command": lambda script: f"test -e x && {{ {script}\n}}",
    "or": lambda script: f"false || {{ {script}\n}}",
    "negated": lambda script: f"! {{ {script}\n}}",
    "background": lambda script: f"{{ {script}\n}} & wait",
    "if": lambda script: f"if true; then\n{script}\nfi",
    "else": lambda script: f"if test -e x; then :; else\n{script}\nfi",
    "condition": lambda script: f"if {script}\nthen :; fi",
    "known condition": lambda script: f"x=1; if [ $x = 1 ]; then\n{script}\nfi",
    "known number": lambda script: f"if (( 1 + 1 == 2 )); then\n{script}\nfi",
    "case": lambda script: f"case x in\n*)\n{script}\n;;\nesac",
    "for": lambda script: f"for i in 1; do\n{script}\ndone",
    "for of files": lambda script: f"for i in *; do\n{script}\nbreak; done",
    "counted": lambda script: f"for ((i=0;i<2;i++)); do\n{script}\ndone",
    "while": lambda script: f"while true; do\n{script}\nbreak; done",
    "until": lambda script: f"until false; do\n{script}\nbreak; done",
    "function": lambda script: f"zz() {{\n{script}\n}}; zz",
    "function keyword": lambda script: f"function zz {{\n{script}\n}}\nzz",
    "function in a function": lambda script: f"zz() {{ zy() {{\n{script}\n}}; zy; }}; zz",
    "coproc": lambda script: f"coproc {{ {script}\n}}",
    "trap": lambda script: f"trap {q(script)} EXIT",
    "trap of a signal": lambda script: f"trap {q(script)} DEBUG; ls",
    "prompt": lambda script: f"export PROMPT_COMMAND={q(script)}; bash -i",
    "eval": lambda script: f"eval {q(script)}",
    "eval twice": lambda script: f"eval eval {q(q(script))}",
    "eval of a variable": lambda script: f'zz={q(script)}; eval "$zz"',
    "eval of a substitution": lambda script: f'eval "$(echo {q(script)})"',
    "sh -c": lambda script: f"sh -c {q(script)}",
    "bash -c in bash -c": lambda script: f"bash -c {q('bash -c ' + q(script))}",
    "bash with options": lambda script: f"/usr/bin/bash -o pipefail -euxc {q(script)}",
    "env bash": lambda script: f"/usr/bin/env bash -c {q(script)}",
    "sh -c of a variable": lambda script: f"zz={q(script)} sh -c 'eval \"$zz\"'",
    "sh -c of an argument": lambda script: f"sh -c 'eval \"$1\"' x {q(script)}",
    "login shell": lambda script: f"bash -lc {q(script)}",
    "here-document": lambda script: f"sh <<'END_OF'\n{script}\nEND_OF",
    "here-document to cat": lambda script: f"cat <<'END_OF' | sh\n{script}\nEND_OF",
    "here-string": lambda script: f"bash <<< {q(script)}",
    "bash -s": lambda script: f"bash -s <<< {q(script)}",
    "source standard input": lambda script: f"source /dev/stdin <<< {q(script)}",
    "source a substitution": lambda script: f". <(echo {q(script)})",
    "bash of a substitution": lambda script: f"bash <(printf '%s' {q(script)})",
    "echo into sh": lambda script: f"echo {q(script)} | sh",
    "printf into sh": lambda script: f"printf '%s\\n' {q(script)} | sh",
    "codes into sh": lambda script: (
        f"printf '{escaped(script, chr(92) + '{:03o}')}' | sh" if script.isascii() else script
    ),
    "base64": lambda script: f"echo {_encoded(script)} | base64 -d | sh",
    "base64 of a here-string": lambda script: f'bash <<< "$(base64 -d <<< {_encoded(script)})"',
    "base64 of a file": lambda script: f"echo {_encoded(script)} > zz.b; base64 -d zz.b | sh",
    "base64 by openssl": lambda script: f"echo {_encoded(script)} | openssl base64 -d -A | sh",
    "base64 twice": lambda script: (
        f"echo {_encoded(_encoded(script))} | base64 -d | base64 -d | sh"
    ),
    "base32": lambda script: f"echo {base64.b32encode(script.encode()).decode()} | base32 -d | sh",
    "hexadecimal": lambda script: f"echo {script.encode().hex()} | xxd -r -p | sh",
    "backwards": lambda script: (
        f"echo {q(script[::-1])} | rev | sh" if "\n" not in script else script
    ),
    "rot13": _rot13,
    "rot13 evaluated": lambda script: (
        f'eval "$(tr a-zA-Z n-za-mN-ZA-M <<< {q(codecs.encode(script, "rot13"))})"'
    ),
    "sed": lambda script: (
        f"echo {q(script.replace(' ', '@'))} | sed 's/@/ /g' | sh" if "@" not in script else script
    ),
    "tr": lambda script: (
        f"echo {q(script.replace(' ', '@'))} | tr @ ' ' | sh" if "@" not in script else script
    ),
    "tee": lambda script: f"echo {q(script)} | tee /dev/null | sh",
    "tee into sh": lambda script: f"echo {q(script)} | tee >(sh) > /dev/null",
    "into a substitution": lambda script: f"echo {q(script)} > >(sh)",
    "written and run": lambda script: f"echo {q(script)} > zz.sh; sh zz.sh",
    "written in two and run": lambda script: (
        f"printf '%s' {q(script[:5])} > zz.sh; printf '%s\\n' {q(script[5:])} >> zz.sh; bash ./zz.sh"
    ),
    "written, made executable": lambda script: (
        f"printf '#!/bin/sh\\n%s\\n' {q(script)} > zz; chmod +x zz; ./zz"
    ),
    "written by cat": lambda script: f"cat > zz.sh <<'END_OF'\n{script}\nEND_OF\nsh zz.sh",
    "written by tee": lambda script: f"echo {q(script)} | tee zz.sh; . ./zz.sh",
    "written, copied, run": lambda script: f"echo {q(script)} > za; cp za zb; sh zb",
    "many files": lambda script: (
        f"mkdir -p /tmp/z; printf '%s' {q(script[:4])} > /tmp/z/a; printf '%s' {q(script[4:])} > /tmp/z/b; cat /tmp/z/? | sh"
    ),
    "read from a descriptor": lambda script: f"exec 7<<< {q(script)}; sh <&7",
    "lines by mapfile": lambda script: (
        f'mapfile -t zz <<< {q(script)}; eval "${{zz[*]}}"' if "\n" not in script else script
    ),
    "lines by read": lambda script: (
        f'read -r zz <<< {q(script)}; eval "$zz"' if "\n" not in script else script
    ),
    "xargs and sh": lambda script: f"printf '%s\\0' {q(script)} | xargs -0 sh -c",
    "xargs replacing": lambda script: (
        f"echo {q(q(script))} | xargs -I@ sh -c @"
        if "\n" not in script and "@" not in script
        else script
    ),
    "find and sh": lambda script: f"find . -maxdepth 0 -exec sh -c {q(script)} ';'",
    "timeout and sh": lambda script: f"timeout 10 sh -c {q(script)}",
    "nohup and sh": lambda script: f"nohup sh -c {q(script)} > /dev/null 2>&1 &",
    "script": lambda script: f"script -qc {q(script)} /dev/null",
    "watch": lambda script: f"watch -n 9 {q(script)}",
    "flock": lambda script: f"flock zz -c {q(script)}",
    "busybox": lambda script: f"busybox sh -c {q(script)}",
    "subscript": lambda script: (
        f"zz='a[$({script}\n)]'; echo $((zz))" if "'" not in script else script
    ),
    "subscript of test": lambda script: f"[[ -v {q('a[$(' + script + chr(10) + ')]')} ]]",
    "substitution in a word": lambda script: f'echo "$({script}\n)"',
    "substitution in an assignment": lambda script: f"zz=$({script}\n)",
    "substitution in a here-document": lambda script: f"cat <<END_OF\n$({script}\n)\nEND_OF",
    "back-ticks": lambda script: (
        f"echo `{script}`" if not any(mark in script for mark in "`\\$'\n") else script
    ),
    "prompt expansion": lambda script: f"zz={q('$(' + script + chr(10) + ')')}; echo ${{zz@P}}",
    "harmless lines around": lambda script: f"set -e\necho start\n{script}\necho done",
    "long preamble": lambda script: (
        "\n".join([f"x{at}={at}; echo $x{at} > /dev/null" for at in range(12)]) + "\n" + script
    ),
    "comment": lambda script: f"# nothing to see here\n{script}\n# done",
    "not set": lambda script: f'if [ -z "$ZZ_NOT_SET" ]; then\n{script}\nfi',
}
"""For any script."""
