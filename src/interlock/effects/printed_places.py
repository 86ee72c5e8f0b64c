"""Places that programs print, and which kind of place each is: where packages, programs and tools
of the user or the machine lie.

``cp x "$(npm root -g)/x"`` writes into a folder of programs, wherever that is on this machine. What
is printed here is where it lies by default, which tells what kind of place it is, and no more.
(What ``git rev-parse`` prints is known better: ``programs.git`` asks the repository.)
"""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.context import CallContext
from interlock.effects.secret_variables import variables_in
from interlock.shell.state import ShellState
from interlock.shell.value import HOLE, NAME, Flow, Value

_SITE = f"~/.local/lib/python{NAME}/site-packages"
_MODULES = "/usr/local/lib/node_modules"
_ROWS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "python": (("-m site --user-site", "", _SITE),
        ("-m site --user-base", "PYTHONUSERBASE", "~/.local")),
    "go": (("env GOPATH", "GOPATH", "~/go"), ("env GOBIN", "GOBIN", "~/go/bin"),
        ("env GOROOT", "GOROOT", "/usr/local/go")),
    "npm": (
        *[(f"root {option}", "", _MODULES) for option in ("-g", "--global", "--location=global")],
        *[(f"prefix {option}", "", "/usr/local") for option in ("-g", "--global", "--location=global")],
        *[(f"config get {key}", "", "/usr/local") for key in ("prefix", "prefix -g", "global-prefix")],
        ("bin -g", "", "/usr/local/bin"), ("config get userconfig", "", "~/.npmrc"),
        ("config get globalconfig", "", "/usr/local/etc/npmrc"),
    ),
    "pnpm": (("root -g", "", "~/.local/share/pnpm/global/5/node_modules"),
        ("bin -g", "PNPM_HOME", "~/.local/share/pnpm")),
    "yarn": (("global dir", "", "~/.config/yarn/global"), ("global bin", "", "/usr/local/bin")),
    "bun": (("pm bin -g", "", "~/.bun/bin"),),
    "brew": (
        ("--prefix", "HOMEBREW_PREFIX", "/opt/homebrew"),
        ("--cellar", "HOMEBREW_CELLAR", "/opt/homebrew/Cellar"),
        ("--repository", "HOMEBREW_REPOSITORY", "/opt/homebrew"),
        ("--caskroom", "", "/opt/homebrew/Caskroom"),
    ),
    "git": (
        *[(f"config {get}core.hooksPath", "", ".git/hooks") for get in ("", "--get ", "get ")],
        ("--exec-path", "", "/usr/lib/git-core"), ("--man-path", "", "/usr/share/man"),
    ),
    "gem": tuple([(f"{verb} gemdir", "GEM_HOME", "/var/lib/gems") for verb in ("env", "environment")]),
    "composer": (("config -g home", "", "~/.config/composer"),
        ("global config bin-dir --absolute", "", "~/.config/composer/vendor/bin")),
    "rustc": (("--print sysroot", "", "~/.rustup/toolchains/stable"),),
    "conda": (("info --base", "", "~/miniconda3"),),
    "pyenv": (("root", "PYENV_ROOT", "~/.pyenv"),), "rbenv": (("root", "RBENV_ROOT", "~/.rbenv"),),
    "pg_config": (("--bindir", "", "/usr/lib/postgresql/bin"), ("--libdir", "", "/usr/lib"),
        ("--sharedir", "", "/usr/share/postgresql")),
    "opam": (("var prefix", "OPAM_SWITCH_PREFIX", "~/.opam/default"),),
    "ghcup": (("whereis basedir", "", "~/.ghcup"),),
    "luarocks": (("config home_tree", "", "~/.luarocks"),),
    "systemd-path": (("user-binaries", "", "~/.local/bin"),
        ("user-configuration", "", "~/.config")),
}  # fmt: skip
"""Program -> the words that make it print a place, the variable that names another one, and where
the place is by default.
"""
_MORE = {"brew": "opt"}
"""Programs that print where one package lies: a folder so named in it, and the package."""


_DEFAULTS = values("environment", "default places")


def by_variable(context: CallContext, value: Value, text: str) -> list[Value]:
    """Return where a path may lie that begins with a variable that nobody knows, but by whose name
    it is known what it is for (``$XDG_CONFIG_HOME/autostart``). ``text``: what the word stands in.
    """
    place = _DEFAULTS.get(_leading(context, value, text))
    path = context.at_home(place) + value.text[1:] if place is not None else HOLE
    return [Value(path, value.start, value.end)] if HOLE not in path else []


def hand_on(context: CallContext, assigned: list[tuple[str, Value]], text: str) -> None:
    """Note whose value each assigned variable begins with, where only the name tells what that is:
    ``D=$CLAUDE_CONFIG_DIR/hooks``. ``text``: what the values stand in.
    """
    origins = context.past.origins
    for name, value in assigned:
        origin = _leading(context, value, text)
        if origin in _DEFAULTS:
            origins[name] = origin
        else:
            origins.pop(name, None)


def _leading(context: CallContext, value: Value, text: str) -> str:
    """Return the variable that an unknown value begins with, or the one which that was set from."""
    source = text[value.start : value.end].lstrip('"')
    names = variables_in(source) if value.text[:1] == HOLE and source[:1] == "$" else []
    return context.past.origins.get(names[0], names[0]) if names else ""


def find_location(
    context: CallContext, state: ShellState, name: str, words: list[Value]
) -> Flow | None:
    """Return what a program prints that only tells a place; None where no row speaks of it."""
    known = _ROWS.get(name) or _ROWS.get(name.rstrip("0123456789."), ())
    if not known or name in context.past.set_up:
        return None
    text = " ".join([word.text for word in words])
    for row, variable, place in known:
        below = text.removeprefix(f"{row} ") if name in _MORE and text.startswith(f"{row} ") else ""
        if (text == row or (below and " " not in below)) and HOLE not in text:
            return _place(
                context, state, variable, f"{place}/{_MORE[name]}/{below}" if below else place
            )
    return None


def _place(context: CallContext, state: ShellState, variable: str, place: str) -> Flow | None:
    """Return the place as text; where this call or the environment names another one, that."""
    told = state.variables.get(variable)
    if told is not None and told.text:
        return Flow(f"{told.text}\n") if told.known else None
    there = context.facts.variable(variable) if variable else ""
    found = context.at_home(there if isinstance(there, str) and there else place)
    return None if HOLE in found else Flow(found + "\n")
