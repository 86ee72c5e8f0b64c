"""The rows of programs, made of the sections in ``data/programs`` when a program is met."""

from __future__ import annotations

from typing import Any

from interlock.data import programs
from interlock.data.programs import ProgramData
from interlock.effects.rows import ProgramRow, Reader, Readers
from interlock.model.effect import KINDS, Kind
from interlock.shell.pattern import matches
from interlock.shell.value import Flow, Value

Sections = tuple[tuple[str, tuple[str, ...]], ...]

LANGUAGES: dict[str, str] = {
    "sh": "sh", "bash": "sh", "zsh": "sh", "dash": "sh", "ksh": "sh", "ash": "sh", "rbash": "sh", "mksh": "sh",
    "python": "python", "python2": "python", "python3": "python", "pypy": "python", "pypy3": "python",
    "node": "javascript", "nodejs": "javascript", "deno": "javascript", "bun": "javascript", "perl": "perl", "ruby": "ruby", "php": "php",
}  # fmt: skip

_GNU = frozenset({"files", "text", "filters", "wrappers"})
"""Families of GNU's core utilities."""
_FIRST = frozenset({"files", "disks"})
"""Families of programs that destroy most."""
_PLAIN = "tools"
"""Programs that read and write what they are given, and whatever their words say."""
_rows: dict[str, ProgramRow | None] = {}
_below: dict[tuple[str, str], ProgramRow | None] = {}
_kinds: dict[str, Kind] = {str(kind): kind for kind in KINDS}


def kind(name: str) -> Kind:
    """Return the kind of effect called ``name``; raises ``KeyError`` for any other word."""
    return _kinds[name]


def names() -> dict[str, str]:
    """Return every known program and its family."""
    return programs.index()


def find(name: str) -> ProgramRow | None:
    """Return the row of a program, or None for none. ``python3.11`` is ``python3``."""
    if name not in _rows:
        one = programs.find(canonical(name))
        _rows[name] = row_of(one) if one is not None else None
    return _rows[name]


def below(name: str, word: str) -> ProgramRow | None:
    """Return the row of a subcommand, or None where nobody described it."""
    if (name, word) not in _below:
        one = programs.command(name, word)
        _below[name, word] = row_of(one) if one is not None else None
    return _below[name, word]


def subcommand(name: str, word: str) -> ProgramRow:
    """Return the row of a subcommand that is described; raises ``KeyError`` for any other."""
    row = below(name, word)
    if row is None:
        raise KeyError(f"{name} {word}")
    return row


def only_on_windows(name: str) -> ProgramRow | None:
    """Return the row of a program that means what it says on Windows alone."""
    return find(f"windows_only {name}")


_own: dict[Sections, dict[str, ProgramRow]] = {}
"""The rows of each policy's own programs."""


def build_rows(sections: Sections) -> dict[str, ProgramRow]:
    """Return the rows of a policy's own programs."""
    if sections not in _own:
        _own.clear()
        _own[sections] = {name: row_of(programs.parse_program(lines)) for name, lines in sections}
    return _own[sections]


def row_of(one: ProgramData) -> ProgramRow:
    """Return the row of what the data says of a program."""
    return ProgramRow(
        operands=one.operands,
        options=" ".join([f"{name}:{role}" for name, role in one.options.items()]),
        flags=" ".join(
            [f"{name}:{trait}" for name, trait in [*one.flags.items(), *_implied_options(one)]]
        ),
        effects=one.effects,
        read=_reader(one),
        clustered=not one.single,
        prints=one.prints,
        calls=" ".join([f"{name}:{role}" for name, role in one.calls.items()]),
    )


def _implied_options(one: ProgramData) -> list[tuple[str, str]]:
    """Return the options of which a section says what they mean without listing them: those that
    its reader is made with, and those that choose what is done.
    """
    said = [*(one.arguments or ()), *[word for line in one.does for word in line.split()[2:]]]
    named = [
        word for word in said if word[:1] == "-" and not word.endswith("*") and "=" not in word
    ]
    return [(word, "") for word in named if word not in one.options and word not in one.flags]


def _reader(one: ProgramData) -> Reader | None:
    """Return the code that reads a program, or None where its row says all."""
    return _LazyReader(one) if one.does or one.manages or one.reader else None


class _LazyReader:
    """The code that the data names for a program, looked up when the program is met, among what
    the reading of the call was given.
    """

    __slots__ = ("made", "one")

    def __init__(self, one: ProgramData) -> None:
        self.one = one
        self.made: Reader | None = None

    def __call__(self, run: Any) -> Flow | None:
        if self.made is None:
            self.made = make_reader(self.one, run.context.readers)
        return self.made(run)


def make_reader(one: ProgramData, readers: Readers) -> Reader:
    """Return the code that reads a program. Raises ``AttributeError`` for a name that means none."""
    found: Reader
    if one.does:
        say = readers.function(one.say) if one.say else None
        found = readers.function("acting.doing")(*one.does, at=one.after, say=say)
    elif one.manages:
        verbs = {verb: action for verb, action in one.manages.items() if verb != "?"}
        found = readers.function("installing.by_verbs")(verbs, one.manages.get("?", ""))
    elif one.arguments is not None:
        found = readers.function(one.reader)(*one.arguments, **one.named)
    else:
        found = readers.function(one.reader)
    return found


def is_described(name: str) -> bool:
    """Whether a program is known by what it reads and writes alone: whatever its words say counts
    besides.
    """
    return names().get(canonical(name)) == _PLAIN


def reads_no_settings(name: str) -> bool:
    """Whether a program is known to read no settings and to start nothing: what names such a folder
    is of no matter to it.
    """
    one = programs.find(canonical(name))
    return one is not None and one.settled


def canonical(name: str) -> str:
    """Return a program's name in its row: ``python3`` for ``python3.11``, ``rm`` for ``grm``."""
    known = names()
    if name in known:
        return name
    plain = _versionless(name)
    if (
        plain not in known
        and name[:1] == "g"
        and known.get(name[1:]) in _GNU
        and len(name) > len("gw")
    ):
        return name[1:]  # GNU's tools where others have the plain names: grm, gshred, gdd
    return plain


_ELSEWHERE = frozenset(
    {"cloud", "clusters", "databases", "migrations", "stores", "remoting", "screens", "netshell"}
)
"""Families of programs whose work is done by another machine, whatever their words say."""
_LOCAL = frozenset(
    "rsync sqlite3 sqlite duckdb clickhouse-local litecli ssh-keygen gpgv ansible-lint ansible-doc ansible-config rails rake artisan manage.py flask".split()
)
_WORDS_HERE = {
    "terraform": "fmt validate version", "tofu": "fmt validate version",
    "kubectl": "kustomize completion options plugin",
    "helm": "lint template verify version create completion env",
    "packer": "fmt validate version", "pulumi": "version about",
    "gh": "version completion help", "aws": "help", "gcloud": "version info help",
    "minikube": "version", "kind": "version", "wrangler": "types dev", "vercel": "build dev",
    "netlify": "build dev", "sam": "build local init", "cdk": "ls list", "az": "bicep",
    "terragrunt": "graph-dependencies render-json", "supabase": "gen",
    "serverless": "print package offline", "sls": "print package offline", "dbt": "parse deps",
    "adb": "devices version start-server wait-for-device get-state logcat shell exec-out forward",
    "fastboot": "devices getvar", "puppet": "parser epp", "nomad": "fmt", "heroku": "local",
    "prisma": "validate format generate version", "drizzle-kit": "check generate",
    "alembic": "history heads branches show", "kustomize": "build version edit create",
    "skaffold": "schema", "firebase": "emulators:exec emulators:start", "step": "certificate",
}  # fmt: skip
"""Subcommands of them that only work on files of this machine."""


_HERE = frozenset("validate lint fmt hclfmt synth".split())
"""First words that mean the same in all of them: files of this machine are checked or formatted."""


def works_elsewhere(name: str, word: str = "") -> bool:
    """Whether what a program does is done by another machine. ``word``: its first word."""
    return (
        names().get(name) in _ELSEWHERE
        and name not in _LOCAL
        and word not in _HERE
        and word not in _WORDS_HERE.get(name, "").split()
    )


def _versionless(name: str) -> str:
    name = name.removesuffix(".exe")
    stem = name.rstrip("0123456789.")
    stem = stem.removesuffix("-")
    if stem in ("python", "pypy", "pip") and name[len(stem) :][:1] in ("2", "3"):
        return stem + name[len(stem)]
    return stem if len(stem) > 1 else name  # k6 is not k


def matching(pattern: str) -> list[str]:
    """Return the known programs whose name the pattern fits, those that destroy most first."""
    found = [name for name in names() if " " not in name and matches(pattern, name)]
    return sorted(found, key=lambda name: names()[name] not in _FIRST)


SETUPS: dict[str, tuple[str, ...]] = {
    "direnv": ("hook", "export"), "pyenv": ("init", "virtualenv-init"), "rbenv": ("init",),
    "nodenv": ("init",), "goenv": ("init",), "brew": ("shellenv",),
    "starship": ("init",), "zoxide": ("init",), "fnm": ("env",),
    "mise": ("activate", "hook-env", "env"), "atuin": ("init",), "opam": ("env",),
    "conda": ("shell.bash", "shell.zsh", "shell.posix"), "dircolors": ("", "-b"),
    "fzf": ("--bash", "--zsh"), "kubectl": ("completion",),
    "gh": ("completion",), "helm": ("completion",), "docker": ("completion",),
    "rustup": ("completions",), "npm": ("completion",), "pip": ("completion",),
    "minikube": ("docker-env",), "keychain": ("--eval",), "thefuck": ("--alias",),
    "luarocks": ("path",), "ssh-agent": ("", "-s"),
}  # fmt: skip
"""Programs that print settings of their own for the shell to take over (``eval "$(direnv hook
bash)"``), and their first word for that.
"""


def sets_up(name: str, words: list[Value]) -> bool:
    """Whether a program prints settings for the shell, which are no more code than itself."""
    return (words[0].text if words else "") in SETUPS.get(name, ())


def language(name: str) -> str:
    """Return the language an interpreter speaks, or ``""``."""
    return LANGUAGES.get(name) or LANGUAGES.get(_versionless(name), "")
