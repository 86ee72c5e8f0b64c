"""What package managers have in common: a verb is a row of a table, its action one of the functions
below.

A table maps a verb (``install``) or two (``tool install``) to an action and its traits:
``"install"``, ``"publish:package"``, ``"exec"``. Verbs that are not in it only look, and add
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interlock.data.words import words
from interlock.effects.programs import table as programs
from interlock.effects.programs.building import lifecycle
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.ownpackage import own_package
from interlock.effects.programs.registries import GLOBAL, is_known, other_registry, scope_of
from interlock.effects.programs.requirements import list_own_packages
from interlock.effects.programs.sending import NETWORK_FLOW
from interlock.effects.run import Run
from interlock.model.effect import (
    GUARD,
    TEMP,
    WORKSPACE,
    ChangesDatabase,
    ControlsSystem,
    Deletes,
    Executes,
    Installs,
    Publishes,
    Reads,
    RunsCode,
    Writes,
)
from interlock.model.facts import FILE, LINK, Stat
from interlock.shell.value import HOLE, NETWORK, NOTHING, UNREAD, Flow, Value

_ENDINGS = words("installing", "endings")
_VCS = words("installing", "vcs")
KNOWN_TOOLS = frozenset(words("installing", "known tools"))


_GROUPS = frozenset({"publish", "config", "always", "install"})
_LOOKS = frozenset({"list", "ls", "show", "view", "check", "status"})
"""Words that only look, behind the name of a group: ``npm token list``, ``brew bundle check``."""


def by_verbs(verbs: Mapping[str, str], default: str = "") -> Callable[[Run], Flow]:
    """Return a reader for a package manager with these verbs; ``default`` is the action of a verb
    nobody listed.
    """

    def read(run: Run) -> Flow:
        return by_verb(run, run.operands, verbs, default)

    return read


def by_verb(run: Run, operands: list[Value], verbs: Mapping[str, str], default: str = "") -> Flow:
    """Do what the verb among these operands says; ``default`` as for ``by_verbs``."""
    words = _from_the_verb(run, operands, verbs)
    first = words[0].text if words else ""
    second = words[1].text if len(words) > 1 else ""
    if HOLE in first:
        run.unknown_code("argument", "subcommand", value=words[0])
        return UNREAD
    spec = verbs.get(f"{first} {second}")
    count = 2 if spec is not None else 1
    if spec is None:
        spec = verbs.get(first, default)
        count -= first not in verbs  # it is no verb, but what the default action is about
    name, _, traits = spec.partition(":")
    if count == 1 and name in _GROUPS and (second in _LOOKS or run.has("--list", "-l")):
        return UNREAD
    action = ACTIONS.get(name)
    if action is None:
        return _plugin(run, words) if not spec and run.name in _HAVE_PLUGINS else UNREAD
    told = run.has("--version") and run.parsed.value("--version") is None
    if action not in (_exec, _run_command) and (told or run.has("--help")):
        return NOTHING
    rest, marks = words[count:] if first else [], tuple(filter(None, traits.split(",")))
    read = run.context.gather(lambda: action(run, rest, marks))
    flow = run.context.take(read)
    if any(effect.kind is Installs for effect in read.effects):
        _into_guard(run)
    return flow


def _plugin(run: Run, words: list[Value]) -> Flow:
    """A verb that nobody listed is a plugin's, or newer: its words are all that is known of it
    (``cargo release --execute``).
    """
    from interlock.effects.unknown_programs import add_change  # few calls come here

    if not words:
        return UNREAD
    at = next((at for at, value in enumerate(run.arguments) if value is words[0]), 0)
    add_change(run, run.name, run.arguments[at:], own=False, strong=True)
    return UNREAD


_HAVE_PLUGINS = frozenset({"cargo", "gem", "pod", "conda", "mamba", "opam"})
"""Package managers whose words may be programs of other people."""
_ENVIRONMENTS = ("-p", "--python", "--prefix", "-t", "--target", "--root", "--prefix-env")
_ENVIRONMENT_VARIABLES = words("installing", "environment variables")
_HADOOP = frozenset(words("installing", "hadoop"))


def _into_guard(run: Run) -> None:
    """Add that the guard's own environment is changed, by its installer or one told so."""
    given = [
        *run.execution.prefix,
        *[(name, run.walker.state.variables.get(name)) for name in _ENVIRONMENT_VARIABLES],
    ]
    named = [
        *run.execution.argv[:1],
        *run.parsed.values(*_ENVIRONMENTS),
        *[value for name, value in given if name in _ENVIRONMENT_VARIABLES and value],
    ]
    for value in named:
        path = (
            run.context.normal(run.context.at_home(value.text), run.cwd)
            if "/" in value.text and value.known
            else None
        )
        if path is not None and GUARD in run.context.place(path).natures:
            run.path(Writes, Value(path, value.start, value.end))


def _makes(run: Run, words: list[Value], _traits: tuple[str, ...]) -> Flow:
    """An environment in a folder: ``uv venv PATH``."""
    for value in words:
        run.path(Writes, value, "create")
    return UNREAD


def _from_the_verb(run: Run, words: list[Value], verbs: Mapping[str, str]) -> list[Value]:
    """Return the operands from the verb on: an option before it that nobody listed may have a value
    (``pip --retries 3 install x``).
    """
    if (
        len(words) > 1
        and run.arguments[0].text[:1] == "-"
        and words[0].text not in verbs
        and words[1].text in verbs
    ):
        return words[1:]
    return words


# -- actions ---------------------------------------------------------------------------------------


def _install(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """Packages by name, file or address; without any, what the manifest says."""
    if _only_tells(run) or run.has("--download-only"):
        return UNREAD
    scope = scope_of(run, traits)
    lists = run.parsed.values("-r", "--requirement", "--requirements", "--file")
    for value in lists:
        _list(run, value, scope)
    for value in run.parsed.values("--git"):
        run.effect(Installs, value.text, "vcs", *scope, value=value)
    editable = run.parsed.values("-e", "--editable", "--path")
    for value in [*editable, *words]:
        run.effect(
            Installs, value.text, *_kind(run, value, scope), *own_package(value), value=value
        )
    if not words and not editable and not lists:
        run.effect(Installs, "", *sorted({"manifest", *scope} - {"project"}))
        lifecycle(run)
    return UNREAD


def _only_tells(run: Run) -> bool:
    """Whether options say that nothing is to be done; ``-s`` is that for apt (apt-get(8)),
    elsewhere it is a source or a silence.
    """
    return run.has("--dry-run", "--simulate", "--just-print", "--no-act", "--assume-no") or (
        run.name.startswith("apt") and run.has("-s")
    )


def _kind(run: Run, value: Value, scope: set[str]) -> set[str]:
    """Return the traits of one package as it is named."""
    text = value.text
    if HOLE in text:
        return scope | {"unknown-target"}
    if text.startswith(_VCS) or ("@ git+" in text) or text.endswith(".git"):
        return scope | {"vcs"}
    if "://" in text:
        return scope | {"url"}
    bare = text.partition("[")[0]
    if bare.startswith((".", "/", "~", "file:")) or bare.endswith(_ENDINGS):
        path = run.context.normal(bare.removeprefix("file:"), run.cwd)
        if path is not None and NETWORK in run.contents(Value(path)).labels:
            return scope | {"url"}
        local = path is not None and run.context.workspace(path)
        return {"manifest", *(scope - {"project"})} if local else scope | {"local-file"}
    if (
        run.name in ("npm", "pnpm", "yarn", "bun", "npx")
        and "/" in text
        and not text.startswith("@")
    ):
        return scope | {"vcs"}
    return scope


def _list(run: Run, value: Value, scope: set[str]) -> None:
    """``-r requirements.txt``: a manifest, or an address."""
    if "://" in value.text:
        run.effect(Installs, value.text, "url", *scope, value=value)
    else:
        run.path(Reads, value)
        kind = "url" if NETWORK in run.contents(value).labels else "manifest"
        run.effect(Installs, value.text, *sorted({kind, *scope} - {"project"}), value=value)
        for one in list_own_packages(run, value):
            if not {"vcs", "url", "file"}.isdisjoint(kinds := _kind(run, one, scope)):
                run.effect(Installs, one.text, *kinds, value=value)


def _manifest(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    del words
    if not run.has("--dry-run", "--check"):
        run.effect(Installs, "", "manifest", *traits)
    return UNREAD


def _always(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """An action that needs no names: update, upgrade, remove."""
    if _only_tells(run):
        return UNREAD
    scope = [*traits, *(["global"] if run.has(*GLOBAL) else [])]
    of_its_own = run.parsed.values("-n", "--name") if "remove" in traits else []
    for value in [*(words or [Value("")]), *[one for one in of_its_own if own_package(one)]]:
        run.effect(Installs, value.text, *scope, *own_package(value), value=value)
    return UNREAD


def _publish(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    if not run.has("--dry-run", "-n", "--list"):
        run.effect(Publishes, words[0].text if words else run.name, *(traits or ("package",)))
    return UNREAD


def _exec(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``pnpm dlx NAME ARG..``, ``pipx run NAME``: fetched if it is not there, then run."""
    del traits
    given = _rest(run, words)
    marked = [value.text for value in given[1:2]] == ["--"]  # npm takes it for its own
    return fetch_and_run(run, [given[0], *given[2:]] if marked else given)


def _pip_of(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``pipx runpip NAME WORD..``: pip in the environment of an application."""
    del traits
    given = _rest(run, words)
    for trait in own_package(given[0]) if given else []:
        run.effect(Installs, given[0].text, "user", "remove", trait, value=given[0])
    return run.command([Value("pip"), *given[1:]]) if given else UNREAD


def _rest(run: Run, words: list[Value]) -> list[Value]:
    """Return the first word that is left and everything written after it."""
    if not words:
        return []
    at = next((index for index, value in enumerate(run.arguments) if value is words[0]), -1)
    return run.arguments[at:] if at >= 0 else words


def fetch_and_run(run: Run, words: list[Value]) -> Flow:
    """Run a package by name: an install unless it is known to be there, then the command itself."""
    for value in run.parsed.values("-c", "--call"):
        run.code(value)
    packages = run.parsed.values("-p", "--package", "--from", "--spec", "--with")
    if not words:
        return UNREAD
    tool = words[0]
    name = _bare(tool.text)
    if not _there(run, name) and not run.has("--no-install", "--no", "--offline"):
        for value in packages or [tool]:
            scope = {
                "exec",
                *(["other-index"] if other_registry(run) else []),
                *(["known"] if _bare(value.text) in KNOWN_TOOLS else []),
            }
            run.effect(Installs, value.text, *_kind(run, value, scope), value=value)
    if HOLE in tool.text or "://" in tool.text:
        return UNREAD
    return run.command([Value(name, tool.start, tool.end), *words[1:]])


def _bare(text: str) -> str:
    """Return a package's name without its version; of a scoped one only the last part."""
    name = text.rpartition("/")[2] if text.startswith("@") else text
    return name.partition("@")[0].partition("==")[0] or text


def _there(run: Run, name: str) -> bool:
    """Whether the project already has a tool of that name."""
    if run.cwd is None or not run.here or "/" in name or run.context.files.changed:
        return False
    stat = run.context.facts.stat(f"{run.cwd}/node_modules/.bin/{name}")
    return isinstance(stat, Stat) and stat.kind in (FILE, LINK)


def _run_command(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``poetry run CMD``, ``bundle exec CMD``: the command itself, in the project's environment."""
    del traits
    for value in run.parsed.values("--with", "--with-requirements"):
        run.effect(Installs, value.text, *_kind(run, value, {"project"}), value=value)
    rest = _rest(run, words)
    if rest and rest[0].text == "-":
        return run.input_as_code("python")
    if rest and rest[0].text.endswith(".py") and rest[0].text.rpartition("/")[2] != "manage.py":
        return run.script(rest[0], "python")
    if rest and rest[0].text.startswith(("http://", "https://")):
        run.unknown_code("network", value=rest[0])
        return UNREAD
    return run.command(rest) if rest else UNREAD


def _tools(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """mise, asdf and kin: ``install`` alone installs what the project's own file names."""
    del traits
    run.effect(Installs, words[0].text if words else "", *(["user"] if words else ["manifest"]))
    return UNREAD


def _itself(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``yarn node ARG..``: the verb is the name of a program."""
    del words, traits
    return run.command(_rest(run, run.operands))


def _script(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """A script of the project's manifest, or a build that runs what the project says."""
    del traits
    shell = run.parsed.value("--script-shell")
    if shell is not None and shell.text.rpartition("/")[2] not in ("sh", "bash", "zsh"):
        option_command(run, shell, "script-shell")
    for value in run.parsed.values("-e", "--eval") if run.name == "mix" else ():
        run.code(value, "elixir")
    # what stands behind ``--`` is for the script
    named = [value for value in words if value.text[:1] != "-"] or run.operands
    name = named[0].text if named else run.name
    if run.name == "bun" and run.arguments[-1].text == "-":
        return run.input_as_code("javascript")  # `bun run -`
    run.effect(Executes, name, "package-script")
    from interlock.effects.programs.projects import manifest, names_script
    from interlock.effects.unknown_programs import VERBS_TOO  # few calls name a program so

    if run.name in _RUNS_PROGRAMS and named and not names_script(run, name):
        rest = _rest(run, named)
        if run.name == "yarn" and _of_hadoop(rest):
            return run.command([Value("hadoop-yarn", named[0].start, named[0].end), *rest])
        if name == "workspace":
            return run.command([Value(run.name), *rest[2:]])
        if _bare(name) not in VERBS_TOO and programs.find(_bare(name)) is not None:
            return run.command([Value(_bare(name), named[0].start, named[0].end), *rest[1:]])
    return manifest(run, name, words[1:])


def _of_hadoop(words: list[Value]) -> bool:
    """Whether these are words of Hadoop's ``yarn``: its commands, with options of one dash."""
    return words[0].text in _HADOOP and any(
        value.text[:1] == "-" and value.text[1:2].isalpha() and len(value.text) > len("-xy")
        for value in words[1:]
    )


_RUNS_PROGRAMS = frozenset({"yarn", "pnpm", "bun"})
"""Package managers that run a program of the project's packages by its bare word, where no script
has that name (their pages on ``run``).
"""


def _create(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``npm create NAME``, ``npm init NAME``: runs the package ``create-NAME``; alone it only
    writes a manifest.
    """
    del traits
    if words:
        name = words[0].text
        run.effect(
            Installs,
            name,
            *_kind(run, words[0], {"exec"}),
            *(["known"] if f"create-{_bare(name)}" in KNOWN_TOOLS else []),
            value=words[0],
        )
    return UNREAD


def _configure(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``npm config set KEY VALUE``: the user's or the project's file is changed; some keys name
    programs.
    """
    home = run.context.home or "~"
    location = run.parsed.value("--location")
    local = (location is not None and location.text == "project") or run.has("--local", "--site")
    run.path(
        Writes, Value(traits[1] if local and len(traits) > 1 else f"{home}/{traits[0]}"), "config"
    )
    for key in words[:-1]:
        if key.text.rpartition(".")[2] in (
            "script-shell",
            "git",
            "editor",
            "shell",
            "node-options",
            "cafile",
            "browser",
            "credential-helper",
        ):
            run.effect(RunsCode, key.text, "option-command", value=key)
    return UNREAD


def _index(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``poetry source add NAME URL``, ``opam repo add``: packages come from there too."""
    del traits
    for value in words:
        if "://" in value.text and not is_known(value.text):
            run.effect(Installs, value.text, "other-index", value=value)
    return UNREAD


def _service(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    verb = words[0].text if words else ""
    if verb not in ("", "list", "info", "ls"):
        run.effect(
            ControlsSystem,
            words[1].text if len(words) > 1 else verb,
            "service",
            *(["service-stop"] if verb in ("stop", "kill", "cleanup") else []),
        )
    del traits
    return UNREAD


def _database(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    del words
    run.effect(ChangesDatabase, run.name, *traits)
    return UNREAD


def _clean(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``cargo clean``: the build output goes."""
    del words
    for path in traits:
        run.path(Deletes, Value(path), "recursive", "build-output")
    return UNREAD


def _fields(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``npm pkg set KEY=VALUE``: fields of the project's manifest."""
    from interlock.effects.programs.fields import package_fields  # few calls do

    return package_fields(run, words, traits)


def _network(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    del run, words, traits
    return NETWORK_FLOW


ACTIONS: dict[str, Callable[[Run, list[Value], tuple[str, ...]], Flow]] = {
    "install": _install,
    "manifest": _manifest,
    "always": _always,
    "publish": _publish,
    "exec": _exec,
    "pip": _pip_of,
    "command": _run_command,
    "itself": _itself,
    "script": _script,
    "tools": _tools,
    "create": _create,
    "config": _configure,
    "index": _index,
    "service": _service,
    "database": _database,
    "clean": _clean,
    "fields": _fields,
    "shows": _network,
    "makes": _makes,
}


def in_project(run: Run, place: Value | None) -> bool:
    """Whether a tool goes into the workspace, or a temporary folder: the project's own."""
    path = run.context.normal(place.text, run.cwd) if place is not None and place.known else None
    return path is not None and run.context.place(path).location in (WORKSPACE, TEMP)
