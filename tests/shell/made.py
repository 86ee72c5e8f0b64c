"""Texts made up for properties: noise out of shell's own characters and words, and scripts that are
mostly right.
"""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = "if |then |else |fi |for |x in |do |done |while |case |esac |function |f() |coproc |time |! |[[ | ]]|{ | }|declare |; |# |a|b c|x=|a[|]="
_SIGNS = "$( ${ $(( (( )) $[ $' $\" <( @( += ;; && || |& &> >& 2> << <<- <<<"
PIECES = [
    *" \t\n|&;()<>$`\"'\\{}[]#!=*?@+-~^,:/%0a",
    *_WORDS.split("|"),
    *_SIGNS.split(),
    *("\\\n", "\r", "\u00a0", "\ud800", "\U0001f600", "\x00", "<<E\n", "\nE\n", "<<'E'\n"),
]

noise = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))

_words = st.sampled_from(
    "zz|a|-b|'c d'|\"e $f\"|$g|${h:-i}|${j#k}|$'l'|m\\ n|*.o|$((1+2))|a=b|p=|\\\nq|{r,s}|x=(y)|if|!|#t|2".split(
        "|"
    ),
)
_redirects = st.sampled_from(
    ["", "", "", " >f", " 2>&1", " <g", " &>h", " {i}>j", "<<<k", " <<E", " <<-'E'", " >& l"]
)


def _joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map(
        "".join
    )


_simple = _joined(st.lists(_words, min_size=1, max_size=4).map(" ".join), _redirects)


def _extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    end = st.sampled_from(["; ", "\n", " & ", " ", "\nE\n"])
    return st.one_of(
        _joined(
            inner, st.sampled_from([" | ", " && ", " || ", "; ", "\n", " |& ", " & ", "|\n"]), inner
        ),
        _joined("{ ", inner, end, "}", _redirects),
        _joined("(", inner, ")", _redirects),
        _joined(
            "if ",
            inner,
            end,
            "then ",
            inner,
            end,
            st.sampled_from(["", "else a; ", "elif b; then c; "]),
            "fi",
        ),
        _joined(
            st.sampled_from(["while ", "until "]), inner, end, "do ", inner, end, "done", _redirects
        ),
        _joined(
            "for x",
            st.sampled_from(["", " in a $b", " in", "\nin c"]),
            end,
            "do ",
            inner,
            end,
            "done",
        ),
        _joined("for ((i=0;i<2;i++)); do ", inner, end, "done"),
        _joined(
            "case $x in ",
            st.sampled_from(["a) ", "(b|c) ", "*) "]),
            inner,
            st.sampled_from([";; ", ";& ", "\n"]),
            "esac",
        ),
        _joined("f() { ", inner, end, "}"),
        _joined("function g ", st.sampled_from(["{ ", "() { "]), inner, end, "}"),
        _joined(st.sampled_from(["! ", "time ", "time -p ", "coproc ", "a=1 ", "# c\n"]), inner),
        _joined(
            st.sampled_from(["echo $(", 'echo "$(', "cat <(", "x=$("]),
            inner,
            st.sampled_from([")", ')"', "\n)"]),
        ),
        _joined(
            st.sampled_from(
                ["[[ -f a && b == c ]]", "[[ ! a =~ (b|c) ]]", "((a = 1))", "[[ a < b ]]"]
            ),
            st.sampled_from([" && ", "; "]),
            inner,
        ),
    )


scripts = st.recursive(_simple, _extend, max_leaves=8)
