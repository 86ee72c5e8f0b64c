"""Words to values: what bash makes of a word is what the walk shows, and what nobody can know is
said to be unknown.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from interlock.shell.arithmetic import evaluate
from interlock.shell.pattern import matches, strip, substitute
from interlock.shell.value import HOLE, NAME
from tests.shell.follow import follow

BASH = shutil.which("bash")

# Scripts whose last command is `show WORDS`; nothing in them starts another program.
KNOWN = [
    "show a 'b c' \"d e\" f\\ g",
    "show r''m r\"m\" $'\\x72m' $'\\162\\155'",
    'x=rm; show $x "$x" ${x} ${x}dir',
    "x='a  b'; show $x \"$x\"",
    'x=; show $x "$x" end',
    'show "$@" end',
    'show "${@}" "${@~}" end',
    'show "$*" end',
    'set -- \'a b\' c; show "$@" $1 $# "$*"',
    "set -- a b c; shift; show $1 $2",
    "y=; set -- a b; for i; do y=$y$i; done; show $y",
    "x=abc; show ${x#a} ${x%c} ${x/b/X} ${x//[ac]/_} ${x^^} ${x^} ${#x} ${x:1} ${x:0:2} ${x: -1}",
    "x=/usr/lib/x.tar.gz; show ${x##*/} ${x%%.*} ${x%.*} ${x#*/}",
    "x=ABC; show ${x,,} ${x,} ${x~~}",
    'x=; show ${x:-d} "${x-e}" ${x:=g} $x',
    "y=x; x=1; show ${!y}",
    "a=(one 'two three' four); show ${a[1]} \"${a[@]}\" ${a[2]} ${#a}",
    "a=(r m); show ${a[0]}${a[1]}",
    "show {a,b}{1,2} x{1..3} {c..a} {01..2}x",
    "show a{b,c{d,e}}f {a} {,x}y",
    "show $((1 + 2 * 3)) $((2**3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((7%3)) $((1<2)) $((0x1f)) $((017)) $((2#101)) $[1+1]",
    "x=4; show $((x + 1)) $(($x * 2))",
    "x=$((1+1)); show a$x",
    "f() { show $1-$2; }; f a b",
    "x=1; f() { local x=2; show $x; }; f",
    "if true; then x=a; else x=a; fi; show $x",
    "x=; for i in 1 2 3; do x=$x$i; done; show $x",
    'read a b <<< \'one two three\'; show "$a" "$b"',
    "x=one; x+=two; show $x",
    "IFS_X=1; show a${IFS}b",
    "show ~/x ~",
    "x=~/y; show $x",
    "show 'a'\"b\"c\\d",
    'show "a\\"b\\$c"',
    "cd /tmp; show $PWD ~+",
    "printf -v x %s hi; show done",
]
UNKNOWN = [
    "show $UNKNOWN_NAME",
    "show $(some-program)",
    "if a-program; then x=$y; else x=b; fi; show $x",
    "while test; do x=a; done; show $x",
    "some-program | while read x; do show $x; done",
    "read x < file; show $x",
]


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("script", KNOWN)
def test_words_are_what_bash_makes_of_them(script: str) -> None:
    """The fields of `show` are the ones bash hands over."""
    head = 'show() { printf "%s\\0" "$@"; }\n'
    done = subprocess.run(
        [str(BASH), "--norc", "-c", head + script],
        env={"HOME": "/home/user", "PATH": ""},
        capture_output=True,
        check=False,
        timeout=60,
    )
    expected = done.stdout.decode().split("\0")[:-1]
    found = [value.text for argv in follow(script) if argv[0].text == "show" for value in argv[1:]]
    assert found == expected


@pytest.mark.parametrize("script", UNKNOWN)
def test_what_cannot_be_known_is_unknown(script: str) -> None:
    """A guess would be worse: what may also be known texts may be unknown too."""
    assert any(
        HOLE in value.text
        for argv in follow(script)
        if argv[0].text == "show"
        for value in argv[1:]
    )


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("if a-program; then x=a; else x=b; fi; show $x", ["a", "b"]),
        ("x=1; a-program && x='b c'; show $x", ["1", "b"]),
        ("x=a; a-program && x=b || x=c; show $x", ["a", "b", "c"]),
        ("show ${UNKNOWN_NAME:-d}", ["d"]),
        ("show a$RANDOM", ["a" + NAME]),
        ("x=$RANDOM; show ${x%1}", [HOLE]),
        ("if [ $RANDOM = 1 ]; then x=a; else x=b; fi; show $x", ["a", "b"]),
        ("f() { local x=1; show $x; }; x=2; f; show $x", ["1", "2"]),
        ("x=a.txt; show ${x/%.txt/.c} ${x/#/z}", ["a.c"]),
        ("declare -A m=([k]=v); show ${m[k]}", ["v"]),
        ("x=/a/b; show ${x//\\//-}", ["-a-b"]),
        ("if [ a = b ]; then x=a; else x=b; fi; show $x", ["b"]),
        ("x=; for ((i=0;i<3;i++)); do x+=$i; done; show $x", ["012"]),
        ("i=3; x=; while [ $i -gt 0 ]; do x+=$i; i=$((i-1)); done; show $x", ["321"]),
        ("x=1; while a-program; do show $x; x=2; done", ["1", "1", "2"]),
        ("if a-program; then a=(x); else a=(y); fi; show ${a[0]}", [HOLE]),
        ("a[0]=x; a[0]=y; show ${a[0]}", ["y"]),
        ('a=([1]=y [0]=x); show "${a[@]}"', ["x"]),
        ("declare -A m; m[k]=v; m[l]=w; show ${m[l]}", ["w"]),
    ],
)
def test_what_a_few_states_know_is_a_choice(script: str, shown: list[str]) -> None:
    """A command is followed once for each text that its words may be; where it is known which
    branch runs, for that one only.
    """
    assert [argv[1].text for argv in follow(script) if argv[0].text == "show"] == shown


@pytest.mark.parametrize(
    ("script", "globbed"),
    [
        ("show *", True),
        ("show '*'", False),
        ("x=*; show $x", True),
        ('x=*; show "$x"', False),
        ("[ a ]", False),
        ("show [a]", True),
    ],
)
def test_globs_are_active_only_unquoted(script: str, *, globbed: bool) -> None:
    """A pattern is said to be one; a lone bracket is a name."""
    assert any(value.pattern for value in follow(script)[-1]) is globbed


@pytest.mark.parametrize(
    ("text", "value"),
    [("1+2*3", 7), ("(1+2)*3", 9), ("-7/2", -3), ("-7%2", -1), ("2**10", 1024), ("1<<4|1", 17), ("!0", 1), ("~0", -1), ("16#ff", 255), ("36#z", 35),
        ("1 ? 2 : 3", 2), ("x", None), ("1/0", None), ("2**999", None), ("09", None), ("", 0)],
)  # fmt: skip
def test_arithmetic(text: str, value: int | None) -> None:
    """Known numbers are computed; whatever else there is, is unknown and never wrong."""
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [("*", "", True), ("a*b", "axxb", True), ("a*b", "axxc", False), ("?", "", False), ("[a-c]x", "bx", True), ("[!a]x", "ax", False), ("[^a]x",
        "bx", True), ("a\\*", "a*", True), ("a\\*", "ab", False), ("*a*a*a*b", "a" * 200, False)],
)  # fmt: skip
def test_patterns(pattern: str, text: str, *, fits: bool) -> None:
    """Shell patterns, in work that no pattern can blow up."""
    assert matches(pattern, text) is fits


def test_operations_on_long_texts_give_up() -> None:
    """Past a bound of work the result is unknown, not slow."""
    assert strip("x" * 5000, "*y", front=True, longest=True) is None
    assert substitute("x" * 5000, "*y", "", every=True) is None
    assert substitute("x" * 5000, "x", "", every=True) == ""


def test_values_do_not_grow_without_bound() -> None:
    """Doubling a variable ends in an unknown, not in all of the memory."""
    script = "x=aaaaaaaaaaaaaaaa;" + "x=$x$x;" * 60 + "show $x"
    assert HOLE in follow(script)[-1][1].text
