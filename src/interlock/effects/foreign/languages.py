"""Every language that is followed: how it is written. What its library's functions do stands in
``data/words/languages``, in words of ``actions``.
"""

from __future__ import annotations

from interlock.data.words import tables
from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_JVM, _JS = TokenDialect("java", raw="", cooked="\"'"), TokenDialect(
    "javascript", comments=("//", "#!"), cooked="\"'", inside="${", back="text", sigils="$",
    patterns=True,
)  # fmt: skip
_LISP = TokenDialect("lisp", comments=(";",))
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        _JS,
        TokenDialect(
            "perl", comments=("#",), raw="'", cooked='"', inside="$", back="command",
            join=frozenset({"."}), member=frozenset({"->", "::"}), lines=False, bare=True,
            sigils="$@%&", called=frozenset({"fork", "shift", "wait", "getppid"}), quoting="perl",
            patterns=True, properties=True, implied=frozenset(
                "unlink rmdir print say eval chomp system exec glob rmtree remove_tree".split()
            ),
        ),
        TokenDialect(
            "ruby", comments=("#", "=begin"), raw="'", cooked='"', inside="#{", back="command",
            member=frozenset({".", "::", "&."}), bare=True, ends=True, sigils="$@",
            called=frozenset({"fork", "gets", "binding"}), properties=True, quoting="ruby",
            patterns=True,
        ),
        TokenDialect(
            "php", comments=("//", "#"), raw="'", cooked='"', inside="$", back="command",
            join=frozenset({"."}), member=frozenset({"->", "::", "?->", "\\"}), lines=False,
            sigils="$", keywords=frozenset(
                "include include_once require require_once echo print eval".split()
            ),
        ),
        TokenDialect("lua", comments=("--",), join=frozenset({".."}), member=frozenset({"."}),
            ends=True, blocks=True),
        TokenDialect("r", comments=("#",), member=frozenset({"$", "::", ":::", "@"}), back="name",
            dotted=True),
        TokenDialect("julia", comments=("#",), inside="$", back="text", join=frozenset({"*"}),
            ends=True),
        TokenDialect("matlab", comments=("%", "#"), raw="'", cooked='"'),
        _JVM,
        TokenDialect("groovy", raw="'", cooked='"', inside="$", bare=True,
            member=frozenset({".", "?.", "::", "*."})),
        TokenDialect("scala", cooked='"', inside="", back="name", member=frozenset({".", "::"})),
        TokenDialect("kotlin", cooked='"', inside="$", back="name"),
        TokenDialect("c", comments=("//", "#include", "#define", "#pragma", "#if", "#endif"),
            lines=False, cooked="\"'", join=frozenset()),
        TokenDialect("go", cooked="\"'", back="text"),
        TokenDialect("rust", cooked='"'),
        TokenDialect("swift", cooked='"'),
        TokenDialect("csharp", cooked="\"'"),
        TokenDialect("haskell", comments=("--",), cooked='"', join=frozenset({"++", "<>"}),
            bare=True, member=frozenset({"."})),
        TokenDialect("ocaml", comments=(), cooked='"', join=frozenset({"^"}), bare=True),
        TokenDialect("elixir", comments=("#",), raw="", cooked="\"'", inside="#{",
            join=frozenset({"<>", "++"}), bare=True, ends=True, quoting="ruby"),
        TokenDialect("erlang", comments=("%",), cooked="\"'", join=frozenset({"++"}),
            member=frozenset({":", "."}), lines=False),
        _LISP,
    )
} | {"typescript": _JS, "scheme": _LISP, "clojure": _LISP}  # fmt: skip
FILES_OF = dict.fromkeys("java groovy scala kotlin".split(), "jvm") | {"typescript": "javascript"}
FILES_OF |= {"scheme": "lisp", "clojure": "lisp"}
"""Languages that share their library with others, and the file that says what it does."""
_TILDE = frozenset({"r", "matlab"})
_languages: dict[str, Language] = {}


def find_language(name: str) -> Language | None:
    """Return a language by its name, or None where there is no table of it."""
    dialect = DIALECTS.get(name)
    if dialect is not None and name not in _languages:
        library = tables(f"languages/{FILES_OF.get(name, name)}", "library")
        _languages[name] = Language(
            dialect,
            library["calls"],
            names={
                one: what.replace("\\n", "\n") for one, what in library.get("names", {}).items()
            },
            modules=library.get("modules", {}),
            prefixes=tuple(library.get("prefixes", ())),
            tilde=name in _TILDE,
        )
    return _languages.get(name)
