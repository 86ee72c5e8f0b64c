"""Package managers of languages, as tables of verbs: what installs, from where, to where; what publishes; what runs."""

from __future__ import annotations

from interlock.effects.programs.building import compiled, in_folder
from interlock.effects.programs.installing import by_verbs, fetch_and_run, in_project
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.releasing import goreleaser, released, twine
from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, Installs, Publishes, RunsCode
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def verbs(*lines: str) -> dict[str, str]:
    """Return a table of verbs from ``"action: verb verb two+words"``; a ``+`` joins the two words of a verb."""
    table = {}
    for line in lines:
        action, _, names = line.partition("= ")
        table.update({name.replace("+", " "): action for name in names.split()})
    return table


# -- JavaScript -----------------------------------------------------------------------------------------------

_NODE = verbs(
    "install= install i add in isntall link",
    "manifest= ci clean-install install-ci-test import dedupe ddp rebuild rb fetch",
    "always:update= update up upgrade",
    "always:remove= uninstall remove rm un unlink r prune",
    "script= run run-script test t tst start stop restart install-test it build rum urn",
    "exec= exec x dlx",
    "create= create init innit",
    "publish:package= publish stage",
    "publish:package,remove= unpublish deprecate undeprecate",
    "publish:permission= owner access team hook org token trust owner+add owner+rm owner+ls access+set access+grant access+revoke access+list "
    "access+get",
    "publish:tag= dist-tag+add dist-tag+rm tag+add tag+remove",
    "config:.npmrc,.npmrc= config+set config+delete config+edit set",
    "always:update= audit+fix",
    "always:global= global+add global+upgrade",
    "always:global,remove= global+remove",
    "publish:package,remove= npm+unpublish npm+deprecate",
    "publish:package= npm+publish",
    "publish:tag= npm+tag",
)
_NODE_OPTIONS = (
    "--prefix:data -C:data --dir:data --cwd:data --registry:data --script-shell:data -w:data --workspace:data --filter:data -F:data --location:data "
    "--tag:data --otp:data --access:data "
    "--loglevel:data --cache:data --userconfig:data --globalconfig:data --omit:data --include:data -p:data --package:data -c:data --call:data "
    "--config:data --store-dir:data"
)
_NODE_ROW = Row(options=_NODE_OPTIONS.replace("-C:data ", "").replace("-F:data ", ""), read=by_verbs(_NODE))
_LOOKING = verbs(
    "shows= list ls ll la why info view show outdated audit licenses root bin store help config+get config+list prefix ping search pack dist-tag+ls "
    "cache versions "
    "version workspaces config npm+info npm+audit npm+whoami whoami node patch approve-builds deploy explain doctor completion constraints plugin"
)
_YARN_ROW = Row(options=_NODE_OPTIONS, read=by_verbs({**_LOOKING, **_NODE, "": "manifest", "exec": "command", "node": "itself"}, "script"))
_PNPM_ROW = Row(
    options=_NODE_OPTIONS, read=by_verbs({**_LOOKING, **_NODE, "exec": "command", "env use": "always:user", "env add": "always:user"}, "script")
)


def _npx(run: Run) -> Flow:
    """``npx [-p PACKAGE] NAME ARG..``, ``npx -c TEXT``."""
    return NOTHING if run.has("--version", "--help") and not run.operands else fetch_and_run(run, run.operands)


_NPX = Row(operands="command", options="-p:data --package:data -c:data --call:data --registry:data --prefix:data", read=_npx)
_UVX = Row(
    operands="command", options="--from:data --with:data -p:data --python:data --index:data --index-url:data --with-requirements:reads", read=_npx
)

_BUN = {**_NODE, **verbs("exec= x", "manifest= pm+migrate"), "exec": "command", "eval": "", "pm": ""}


def _bun(run: Run) -> Flow:
    """Bun is a package manager and a runtime: verbs first, then files and code."""
    operands = run.operands
    code = run.parsed.value("-e", "--eval", "--print")
    if code is not None:
        return run.code(code, "javascript")
    files = operands[1:] if operands and operands[0].text == "run" else operands
    if files and files[0].text == "-":
        return run.input_as_code("javascript")
    if files and (run.walker.opened(files[0].text) is not None or files[0].text.endswith((".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs"))):
        return run.script(files[0], "javascript")
    return by_verbs(_BUN, "script")(run)


# -- Python ---------------------------------------------------------------------------------------------------

_PIP = verbs(
    "install= install download wheel",
    "always:remove= uninstall",
    "config:.config/pip/pip.conf= config+set config+unset config+edit",
)
_UV = verbs(
    "install= add pip+install",
    "manifest= sync lock pip+sync pip+compile",
    "always:remove= remove pip+uninstall",
    "always:user= tool+install python+install",
    "always:user,remove= tool+uninstall python+uninstall",
    "always:user,update= tool+upgrade self+update python+upgrade",
    "exec= tool+run",
    "command= run",
    "publish:package= publish",
    "makes= venv",
)
_POETRY = verbs(
    "manifest= install sync lock",
    "install= add",
    "always:remove= remove uninstall",
    "always:update= update upgrade",
    "always:user= self+add self+update plugin+add",
    "command= run",
    "publish:package= publish",
    "config:.config/pypoetry/config.toml= config",
    "index= source+add",
)
_CONDA = verbs(
    "install= install create",
    "manifest= env+create env+update",
    "always:remove= remove uninstall env+remove",
    "always:update= update upgrade",
    "command= run",
    "config:.condarc= config",
    "publish:package= upload",
)
_PIP_ROW = Row(
    options="-r:data --requirement:data -c:reads --constraint:reads -e:data --editable:data -t:data --target:data --root:data --prefix:data "
    "--src:data -i:data --index-url:data --retries:data --exists-action:data --cert:reads --client-cert:data --use-feature:data "
    "--use-deprecated:data --keyring-provider:data --resume-retries:data "
    "--extra-index-url:data -f:data --find-links:data --python:data --log:writes --cache-dir:data --trusted-host:data --proxy:data --timeout:data "
    "--python-version:data --platform:data "
    "--upgrade-strategy:data --no-binary:data --only-binary:data --global-option:data --config-settings:data -d:data --dest:data --report:data "
    "--format:data -w:data --progress-bar:data",
    read=by_verbs(_PIP),
)
_UV_ROW = Row(
    options="-r:data --requirement:data --requirements:data -c:data -e:data --editable:data --target:data --prefix:data --index:data "
    "--default-index:data --index-url:data --extra-index-url:data "
    "-f:data --find-links:data -p:data --python:data --directory:data --project:data --extra:data --group:data --only-group:data --no-group:data "
    "--with:data --with-requirements:data --from:data "
    "--env-file:data --package:data --no-extra:data --branch:data --tag:data --rev:data --cache-dir:data --bump:data --output-format:data -o:data "
    "--module:data -m:data",
    read=by_verbs(_UV),
)
_POETRY_ROW = Row(
    options="-C:data --directory:data --project:data -P:data -G:data --group:data --with:data --without:data --only:data -E:data --extras:data "
    "--source:data -r:data",
    read=by_verbs(_POETRY),
)
_CONDA_ROW = Row(
    options="-n:data --name:data -p:data --prefix-env:data -c:data --channel:data -f:data --file:data --cwd:data --solver:data", read=by_verbs(_CONDA)
)
_PIPX = verbs(
    "always:user= install install-all inject upgrade upgrade-all reinstall reinstall-all ensurepath",
    "always:user,remove= uninstall uninstall-all",
    "exec= run",
)
_PIPENV = verbs("install= install", "manifest= sync lock", "always:remove= uninstall", "always:update= update upgrade", "command= run")
_HATCH = verbs("publish:package= publish", "command= run", "manifest= env+create", "always:user= python+install")
_PIXI = verbs("manifest= install", "install= add", "always:remove= remove", "always:user= global+install", "command= run", "exec= exec")


# -- others -----------------------------------------------------------------------------------------------------

_CARGO = verbs(
    "always:global= install binstall",
    "install= add",
    "always:remove= uninstall remove rm",
    "always:update= update",
    "manifest= fetch generate-lockfile vendor",
    "script= run r bench",
    "publish:package= publish",
    "publish:package,remove= yank",
    "publish:permission= owner",
    "clean:target= clean",
)


def _cargo(run: Run) -> Flow:
    """cargo: settings that name a program (``--config target.x.runner=..``) run it."""
    for value in run.parsed.values("--config"):
        key = value.text.partition("=")[0]
        if any(word in key for word in ("runner", "rustc", "linker", "wrapper", "rustdoc", "credential")):
            run.effect(RunsCode, key.strip(), "option-command", value=value)
    words = run.operands
    if words and words[0].text.startswith("+"):
        run.parsed.operands = words[1:]
    if run.operands[:1] and run.operands[0].text == "install" and run.has("--list"):
        return UNREAD
    if [value.text for value in run.operands[:1]] == ["watch"]:
        return _watch(run)
    if [value.text for value in run.operands[:1]] == ["install"] and in_project(run, run.parsed.value("--root")):
        run.role("makes", run.parsed.values("--root")[0])
        run.effect(Installs, run.operands[-1].text, "project", *(["vcs"] if run.has("--git") else []), value=run.operands[-1])
        return UNREAD
    return by_verbs(_CARGO)(run)


def _watch(run: Run) -> Flow:
    """``cargo watch [-x SUBCOMMAND] [-s TEXT] [-- COMMAND]``: run whenever a file changes."""
    words = [value.text for value in run.arguments]
    for name, value in zip(words, run.arguments[1:], strict=False):
        if name in ("-s", "--shell"):
            run.code(value)
        elif name in ("-x", "--exec"):
            run.code(Value(f"cargo {value.text}", value.start, value.end, value.why))
    return run.command(run.arguments[words.index("--") + 1 :]) if "--" in words[:-1] else UNREAD


_GO = verbs(
    "install= get",
    "always:global= install",
    "manifest= mod+download mod+tidy mod+vendor work+sync",
    "script= generate tool",
    "config:.config/go/env= env",
)


def _go(run: Run) -> Flow:
    """go: ``-exec``, ``-toolexec`` and ``-vettool`` run a program; ``go run`` takes files, packages, or what it fetches."""
    for value in run.parsed.values("-exec", "-toolexec", "-vettool"):
        option_command(run, value, "-exec")
    verb = run.operands[0].text if run.operands else ""
    rest = run.operands[1:]
    for value in run.parsed.values("-o"):
        run.role("writes", value)
    if verb == "run":
        if rest and "@" in rest[0].text:
            run.effect(Installs, rest[0].text, "exec", value=rest[0])
        if rest and (rest[0].text.endswith(".go") or run.walker.opened(rest[0].text) is not None):
            return run.script(rest[0], "go")
        for source in in_folder(run, ".go"):
            run.script(source, "go")
        run.executes(rest[0].text if rest else ".", "package-script")
        return UNREAD
    if verb == "build":
        sources = [value for value in rest if value.text.endswith(".go")] or in_folder(run, ".go")
        compiled(run, (run.cwd or "").rpartition("/")[2] if not rest or rest[0].text == "." else rest[0].text.removesuffix(".go"), sources)
        return UNREAD
    if verb == "test":
        for source in in_folder(run, "_test.go"):
            run.script(source, "go")
    if verb == "install" and (not rest or rest[0].text.startswith(".")):
        run.effect(Installs, rest[0].text if rest else ".", "manifest")  # the workspace's own program
        return UNREAD
    if verb == "env" and not run.has("-w"):
        return UNREAD
    if verb == "install" and in_project(run, dict(run.execution.prefix).get("GOBIN")):
        run.effect(Installs, rest[0].text, "project", value=rest[0])
        return UNREAD
    return by_verbs(_GO)(run)


_GEM = verbs(
    "always:global= install i",
    "always:global,remove= uninstall cleanup",
    "always:global,update= update",
    "publish:package= push",
    "publish:package,remove= yank",
    "publish:permission= owner",
    "exec= exec",
)
_BUNDLE = verbs(
    "manifest= install package cache lock",
    "install= add",
    "always:remove= remove",
    "always:update= update",
    "command= exec",
    "config:.bundle/config,.bundle/config= config+set",
)
_COMPOSER = verbs(
    "manifest= install dump-autoload", "install= require", "always:remove= remove", "always:update= update upgrade",
    "always:global= global+require global+update",
    "script= run-script run", "exec= exec", "create= create-project", "index= config", "always:user,update= self-update selfupdate",
)  # fmt: skip
_DOTNET = verbs(
    "manifest= restore tool+restore workload+restore", "install= add package+add", "always:remove= remove package+remove", "script= run watch",
    "always:global= workload+install new+install",
    "install= tool+install", "always:update= tool+update", "publish:package= nuget+push", "index= nuget+add", "publish:package,remove= nuget+delete",
    "database:write= ef+database", "exec= tool+run tool+execute",
)  # fmt: skip


def _dotnet(run: Run) -> Flow:
    """dotnet: ``ef database drop`` drops the database; ``exec FILE.dll`` and ``FILE.dll`` run."""
    words = [value.text for value in run.operands]
    if words[:3] == ["ef", "database", "drop"]:
        from interlock.model.effect import ChangesDatabase

        run.effect(ChangesDatabase, "dotnet ef", "drop")
        return UNREAD
    return by_verbs(_DOTNET)(run)


_NUGET = verbs(
    "install= install",
    "manifest= restore",
    "publish:package= push",
    "publish:package,remove= delete",
    "config:.nuget/NuGet/NuGet.Config= config sources",
)


def _maven(run: Run) -> Flow:
    """Phases and goals: ``deploy`` and releases publish; ``exec:exec`` runs what a property names."""
    goals = [value.text for value in run.operands]
    for goal in goals:
        if goal in ("jib:buildTar", "jib:dockerBuild"):
            continue  # they build for this machine
        if goal in ("deploy", "site-deploy", "release:perform", "release:prepare") or goal.startswith(
            ("deploy:", "nexus-staging:", "jib:build", "dockerfile:push", "docker:push", "gh-pages")
        ):
            run.effect(Publishes, goal, "site" if "site" in goal else "package")
        elif goal.startswith("exec:"):
            run.executes(goal, "package-script")
        elif goal.startswith("dependency:get"):
            run.effect(Installs, goal, "user")
        elif goal in _DROPPING:
            from interlock.model.effect import ChangesDatabase

            run.effect(ChangesDatabase, goal, "drop")
    for value in run.arguments:
        if value.text.startswith("-Dexec.executable="):
            run.effect(RunsCode, "exec.executable", "option-command", value=value)
    return UNREAD


def _gradle(run: Run) -> Flow:
    """Tasks: ``publish`` and kin publish; an init script is code."""
    for value in run.parsed.values("-I", "--init-script", "-b", "--build-file"):
        run.script(value, "groovy")
    for value in run.operands:
        task = value.text.rpartition(":")[2]
        if (
            task.startswith(("publish", "uploadArchives", "bintrayUpload", "closeAndRelease", "release", "appDistributionUpload"))
            and "ToMavenLocal" not in task
        ):
            run.effect(Publishes, task, "package", value=value)
        elif task.rpartition(":")[2] in _DROPPING:
            from interlock.model.effect import ChangesDatabase

            run.effect(ChangesDatabase, task, "drop", value=value)
    return UNREAD


_SBT = verbs("publish:package= publish publishSigned release sonatypeRelease sonatypeBundleRelease +publish", "script= run runMain")
_MIX = verbs(
    "manifest= deps.get deps.compile local.hex local.rebar", "always:global= archive.install escript.install", "publish:package= hex.publish",
    "publish:package,remove= hex.retire",
    "database:drop= ecto.drop ecto.reset", "database:write= ecto.migrate ecto.rollback", "script= run", "always:update= deps.update",
)  # fmt: skip
_CABAL = verbs("always:global= install", "manifest= update fetch freeze", "publish:package= upload", "script= run exec", "command= exec")
_STACK = verbs("always:global= install upgrade", "publish:package= upload", "command= exec", "script= run runghc script", "manifest= setup")
_LUAROCKS = verbs("always:global= install make", "always:global,remove= remove purge", "publish:package= upload")
_OPAM = verbs(
    "always:user= install upgrade switch+create",
    "always:user,remove= remove uninstall",
    "publish:package= publish",
    "command= exec",
    "index= repo+add repository+add",
)
_RUSTUP = verbs(
    "always:project= component+add target+add",
    "always:user= install update toolchain+install toolchain+add default",
    "always:user,remove= uninstall toolchain+remove toolchain+uninstall self+uninstall component+remove",
    "command= run", "always:user,update= self+update", "always:user= toolchain+link",
)  # fmt: skip
_VERSIONS = verbs(
    "always:user= add i download", "tools= install", "install:project= pin", "always:user,remove= uninstall remove rm prune",
    "always:user,update= update upgrade self-update selfupdate reshim", "always:user,url= plugin+add plugin-add plugin+install",
    "command= exec x run",
)  # fmt: skip


def _opam(run: Run) -> Flow:
    """``opam install . --deps-only``: what the project's own file names."""
    words = run.operands
    if words and words[0].text == "install" and words[1:] and all(value.text in (".", "./") or value.text.endswith(".opam") for value in words[1:]):
        run.effect(Installs, words[1].text, "manifest")
        return UNREAD
    return by_verbs(_OPAM)(run)


_RELEASERS = Row(read=released)
_JSR = verbs("publish:package= publish", "install= add install i", "always:remove= remove")
_DENO_LIKE = verbs("publish:package= publish unpublish yank", "publish:package,remove= unpublish yank", "install= install add", "script= run")
_PUB = verbs(
    "manifest= pub+get get",
    "install= pub+add add",
    "publish:package= pub+publish publish lish",
    "always:global= pub+global global",
    "script= run pub+run",
    "always:update= pub+upgrade upgrade",
    "always:remove= pub+remove",
)
_POD = verbs(
    "manifest= install",
    "always:update= update repo+update",
    "publish:package= trunk+push repo+push",
    "publish:package,remove= trunk+delete trunk+deprecate",
)
_SWIFT = verbs("script= run", "manifest= package+resolve", "always:update= package+update")
_STORAGE = frozenset("delete post upload copy".split())


_DROPPING = ("flyway:clean", "liquibase:dropAll", "hibernate:drop", "flywayClean", "dropAll", "liquibaseDropAll", "dropDatabase")
"""Goals and tasks of builds that empty a database."""


def _swift(run: Run) -> Flow:
    """Two programs of one name: the language (``swift build``, ``swift -e TEXT``, ``swift FILE``), and OpenStack's storage (``swift delete NAME``)."""
    for value in run.parsed.values("-e"):
        run.code(value, "swift")
    first = run.operands[0].text if run.operands else ""
    if first in _STORAGE:
        run.effect(ChangesInfrastructure, f"swift {first}", "delete" if first == "delete" else "modify")
    if first.endswith(".swift"):
        return run.script(run.operands[0], "swift")
    return _SWIFT_PACKAGES(run)


_SWIFT_PACKAGES = by_verbs(_SWIFT)


def _always_installs(run: Run) -> Flow:
    """cpan, cpanm, n: every operand is installed."""
    if run.has("-l", "--version", "--help", "-v"):
        return UNREAD
    for value in run.operands:
        run.effect(Installs, value.text, "url" if "://" in value.text else "global", value=value)
    return UNREAD


_PACKAGES = (
    "-v:data --version:data --source:data -s:data -k:data --api-key:data --key:data --host:data -n:data --bindir:data -i:data --install-dir:data "
    "-f:data --framework:data -c:data --configuration:data -o:data --output:data"
)
_OTHER = "-C:data -f:data --file:data -P:data -pl:data -s:data -D:data -T:data --threads:data --settings:data -gs:data"

ROWS: dict[str, Row] = {
    "npm": _NODE_ROW, "cnpm": _NODE_ROW, "yarn": _YARN_ROW, "yarnpkg": _YARN_ROW, "pnpm": _PNPM_ROW,
    "bun": Row(options=_NODE_OPTIONS + " -e:data --eval:data --print:data", read=_bun),
    "npx": _NPX, "pnpx": _NPX, "bunx": _NPX, "yarnx": _NPX, "uvx": _UVX, "ni": _NODE_ROW,
    "lerna": Row(read=goreleaser), "np": _RELEASERS, "semantic-release": _RELEASERS, "release-it": _RELEASERS, "goreleaser": Row(read=goreleaser),
    "changeset": Row(read=by_verbs(verbs("publish:package= publish"))),
    "vsce": Row(read=by_verbs(_JSR)), "ovsx": Row(read=by_verbs(_JSR)), "jsr": Row(read=by_verbs(_JSR)), "wasm-pack": Row(read=by_verbs(_DENO_LIKE)),
    "bumpversion": Row(), "bump2version": Row(),
    "pip": _PIP_ROW, "pip2": _PIP_ROW, "pip3": _PIP_ROW, "uv": _UV_ROW, "rye": _UV_ROW, "poetry": _POETRY_ROW, "pdm": _POETRY_ROW,
    "pipenv": Row(options="-r:data --python:data -e:data", read=by_verbs(_PIPENV)),
    "conda": _CONDA_ROW, "mamba": _CONDA_ROW, "micromamba": _CONDA_ROW,
    "pipx": Row(options="--python:data --spec:data --pip-args:data --index-url:data -i:data", read=by_verbs(_PIPX)),
    "easy_install": Row(read=_always_installs), "twine": Row(options="-r:data --repository:data --repository-url:data -u:data -p:data", read=twine),
    "flit": Row(read=by_verbs(_HATCH)),
    "hatch": Row(options="-e:data -r:data --env:data", read=by_verbs(_HATCH)),
    "pixi": Row(options="-e:data --manifest-path:data", read=by_verbs(_PIXI)), "virtualenv": Row(operands="makes"),
    "cargo": Row(options="--config:data -p:data --package:data --manifest-path:data --features:data -F:data --target-dir:data --target:data -j:data "
    "--path:data --git:data --branch:data --tag:data --rev:data --version:data --bin:data --example:data --test:data --profile:data --registry:data "
    "--index:data --root:data -Z:data", read=_cargo),
    "rustup": Row(read=by_verbs(_RUSTUP)),
    "go": Row(options="-exec:data -toolexec:data -vettool:data -o:data -C:data -run:data -tags:data -ldflags:data -gcflags:data -count:data "
    "-timeout:data -mod:data -p:data -coverprofile:writes -cpuprofile:writes -memprofile:writes -bench:data -modfile:reads -overlay:reads",
        clustered=False, read=_go),
    "gem": Row(options=_PACKAGES, read=by_verbs(_GEM)),
    "bundle": Row(options="--gemfile:data --path:data --jobs:data --without:data", read=by_verbs(_BUNDLE)), "bundler": Row(read=by_verbs(_BUNDLE)),
    "composer": Row(options="-d:data --working-dir:data", read=by_verbs(_COMPOSER)),
    "dotnet": Row(options=_PACKAGES + " --tool-path:data --project:data --logger:data -r:data --add-source:data", read=_dotnet),
    "nuget": Row(options=_PACKAGES, read=by_verbs(_NUGET)), "mvn": Row(options=_OTHER, clustered=False, read=_maven),
    "mvnw": Row(options=_OTHER, clustered=False, read=_maven),
    "gradle": Row(options="-I:data --init-script:data -b:data --build-file:data -p:data --project-dir:data -P:data -D:data -x:data "
    "--exclude-task:data --tests:data --dependency:data --configuration:data --group:data --type:data --dsl:data", read=_gradle),
    "gradlew": Row(options="-I:data --init-script:data -b:data -p:data -x:data --exclude-task:data --tests:data", read=_gradle),
    "sbt": Row(read=by_verbs(_SBT)), "mix": Row(read=by_verbs(_MIX)), "cabal": Row(read=by_verbs(_CABAL)),
    "stack": Row(options="--resolver:data --stack-yaml:data", read=by_verbs(_STACK)),
    "cpan": Row(read=_always_installs), "cpanm": Row(options="-l:data -L:data", read=_always_installs),
    "luarocks": Row(options="--tree:data --server:data", read=by_verbs(_LUAROCKS)), "opam": Row(read=_opam),
    "asdf": Row(read=by_verbs(_VERSIONS)), "nvm": Row(read=by_verbs(_VERSIONS)), "fnm": Row(read=by_verbs(_VERSIONS)),
    "volta": Row(read=by_verbs(_VERSIONS)), "pyenv": Row(read=by_verbs(_VERSIONS)),
    "rbenv": Row(read=by_verbs(_VERSIONS)), "nodenv": Row(read=by_verbs(_VERSIONS)), "goenv": Row(read=by_verbs(_VERSIONS)),
    "sdk": Row(read=by_verbs(_VERSIONS)), "mise": Row(read=by_verbs(_VERSIONS)),
    "rtx": Row(read=by_verbs(_VERSIONS)), "n": Row(read=_always_installs), "rvm": Row(read=by_verbs(_VERSIONS)),
    "ghcup": Row(read=by_verbs(_VERSIONS)), "corepack": Row(read=by_verbs(_VERSIONS)),
    "flutter": Row(options="-s:data --source:data", read=by_verbs(_PUB)), "dart": Row(options="-s:data --source:data", read=by_verbs(_PUB)),
    "pod": Row(read=by_verbs(_POD)), "swift": Row(options="-e:data", read=_swift),
}  # fmt: skip
