"""Package managers of languages, as tables of verbs: what installs, from where, to where; what
publishes; what runs.
"""

from __future__ import annotations

from interlock.effects.programs.building import in_folder, note_compile
from interlock.effects.programs.installing import by_verb, by_verbs, fetch_and_run, in_project
from interlock.effects.programs.netshell import option_command
from interlock.effects.run import Run
from interlock.effects.settingstext import read_settings
from interlock.model.effect import ChangesInfrastructure, Installs, Publishes, RunsCode
from interlock.shell.value import NOTHING, UNREAD, Flow, Value


def verbs(*lines: str) -> dict[str, str]:
    """Return a table of verbs from ``"action: verb verb two+words"``; ``+`` joins two words."""
    table = {}
    for line in lines:
        action, _, names = line.partition("= ")
        table.update({name.replace("+", " "): action for name in names.split()})
    return table


# -- JavaScript ------------------------------------------------------------------------------------

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
    "fields= pkg+set",
    "fields:delete= pkg+delete",
    "always:update= audit+fix",
    "always:global= global+add global+upgrade",
    "always:global,remove= global+remove",
    "publish:package,remove= npm+unpublish npm+deprecate",
    "publish:package= npm+publish",
    "publish:tag= npm+tag",
)


def _npx(run: Run) -> Flow:
    """``npx [-p PACKAGE] NAME ARG..``, ``npx -c TEXT``."""
    return (
        NOTHING
        if run.has("--version", "--help") and not run.operands
        else fetch_and_run(run, run.operands)
    )


_BUN = {
    **_NODE,
    **verbs("exec= x", "manifest= pm+migrate"),
    "exec": "command",
    "eval": "",
    "pm": "",
}


def _bun(run: Run) -> Flow:
    """Bun is a package manager and a runtime: verbs first, then files and code."""
    operands = run.operands
    code = run.parsed.value("-e", "--eval", "--print")
    if code is not None:
        return run.code(code, "javascript")
    files = operands[1:] if operands and operands[0].text == "run" else operands
    if files and files[0].text == "-":
        return run.input_as_code("javascript")
    if files and (
        run.walker.opened(files[0].text) is not None
        or files[0].text.endswith((".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs"))
    ):
        return run.script(files[0], "javascript")
    if operands[:1] and operands[0].text == "pm":  # bun pm pkg set KEY=VALUE
        operands = operands[1:]
    return by_verb(run, operands, _BUN, "script")


# -- others ----------------------------------------------------------------------------------------

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
        if any(
            word in key
            for word in ("runner", "rustc", "linker", "wrapper", "rustdoc", "credential")
        ):
            run.effect(RunsCode, key.strip(), "option-command", value=value)
    words = run.operands
    if words and words[0].text.startswith("+"):
        words = words[1:]
    verb = words[0].text if words else ""
    if verb == "install" and run.has("--list"):
        return UNREAD
    if verb == "watch":
        return _watch(run)
    if verb == "install" and in_project(run, run.parsed.value("--root")):
        run.role("makes", run.parsed.values("--root")[0])
        run.effect(
            Installs,
            words[-1].text,
            "project",
            *(["vcs"] if run.has("--git") else []),
            value=words[-1],
        )
        return UNREAD
    return by_verb(run, words, _CARGO)


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
    """go: ``-exec``, ``-toolexec`` and ``-vettool`` run a program; ``go run`` takes files,
    packages, or what it fetches.
    """
    for value in run.parsed.values("-exec", "-toolexec", "-vettool"):
        option_command(run, value, "-exec")
    verb = run.operands[0].text if run.operands else ""
    rest = run.operands[1:]
    for value in run.parsed.values("-o"):
        run.role("writes", value)
    if verb == "run":
        if rest and rest[0].text == "-":
            return run.input_as_code("go")
        if rest and "@" in rest[0].text:
            run.effect(Installs, rest[0].text, "exec", value=rest[0])
        if rest and (rest[0].text.endswith(".go") or run.walker.opened(rest[0].text) is not None):
            return run.script(rest[0], "go")
        for source in in_folder(run, ".go"):
            run.script(source, "go")
        run.executes(rest[0].text if rest else ".", "package-script")
        if len(rest) > 1:
            from interlock.effects.unknown_programs import add_change  # few calls hand words on

            add_change(run, rest[0].text.rpartition("/")[2], rest[1:], own=True)
        return UNREAD
    if verb == "build":
        sources = [value for value in rest if value.text.endswith(".go")] or in_folder(run, ".go")
        note_compile(
            run,
            (run.cwd or "").rpartition("/")[2]
            if not rest or rest[0].text == "."
            else rest[0].text.removesuffix(".go"),
            sources,
        )
        return UNREAD
    if verb == "generate":
        for source in in_folder(run, ".go"):
            read_settings(run, source.text, run.text_of(source) or "")
    if verb == "test":
        for source in in_folder(run, "_test.go"):
            run.script(source, "go")
    if verb == "install" and (not rest or rest[0].text.startswith(".")):
        # the workspace's own program
        run.effect(Installs, rest[0].text if rest else ".", "manifest")
        return UNREAD
    if verb == "env" and not run.has("-w"):
        return UNREAD
    if verb == "install" and in_project(run, dict(run.execution.prefix).get("GOBIN")):
        run.effect(Installs, rest[0].text, "project", value=rest[0])
        return UNREAD
    return by_verbs(_GO)(run)


_DOTNET = verbs(
    "manifest= restore tool+restore workload+restore", "install= add package+add",
    "always:remove= remove package+remove", "script= run watch",
    "always:global= workload+install new+install",
    "install= tool+install", "always:update= tool+update", "publish:package= nuget+push",
    "index= nuget+add", "publish:package,remove= nuget+delete",
    "database:write= ef+database", "exec= tool+run tool+execute",
)  # fmt: skip


def _dotnet(run: Run) -> Flow:
    """dotnet: ``ef database drop`` drops the database; ``exec FILE.dll`` and ``FILE.dll`` run."""
    words = [value.text for value in run.operands]
    if words[:3] == ["ef", "database", "drop"]:
        from interlock.model.effect import ChangesDatabase

        run.effect(ChangesDatabase, "dotnet ef", "drop")
        return UNREAD
    if words[:1] == ["run"]:
        _behind_dashes(run)
    return by_verbs(_DOTNET)(run)


def _behind_dashes(run: Run) -> None:
    """What stands behind ``--`` is for the project's program: ``dotnet run -- users delete``."""
    at = next((at for at, value in enumerate(run.arguments) if value.text == "--"), None)
    if at is not None:
        from interlock.effects.unknown_programs import add_change  # few calls hand words on

        add_change(run, "dotnet", run.arguments[at + 1 :], own=True)


def _maven(run: Run) -> Flow:
    """Phases and goals: ``deploy`` and releases publish; ``exec:exec`` runs a property's."""
    goals = [value.text for value in run.operands]
    for goal in goals:
        if goal in ("jib:buildTar", "jib:dockerBuild"):
            continue  # they build for this machine
        if goal in (
            "deploy",
            "site-deploy",
            "release:perform",
            "release:prepare",
        ) or goal.startswith(
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
            task.startswith(
                (
                    "publish",
                    "uploadArchives",
                    "bintrayUpload",
                    "closeAndRelease",
                    "release",
                    "appDistributionUpload",
                )
            )
            and "ToMavenLocal" not in task
        ):
            run.effect(Publishes, task, "package", value=value)
        elif task.rpartition(":")[2] in _DROPPING:
            from interlock.model.effect import ChangesDatabase

            run.effect(ChangesDatabase, task, "drop", value=value)
    return UNREAD


_OPAM = verbs(
    "always:user= install upgrade switch+create",
    "always:user,remove= remove uninstall",
    "publish:package= publish",
    "command= exec",
    "index= repo+add repository+add",
)


def _opam(run: Run) -> Flow:
    """``opam install . --deps-only``: what the project's own file names."""
    words = run.operands
    if (
        words
        and words[0].text == "install"
        and words[1:]
        and all(value.text in (".", "./") or value.text.endswith(".opam") for value in words[1:])
    ):
        run.effect(Installs, words[1].text, "manifest")
        return UNREAD
    return by_verbs(_OPAM)(run)


_SWIFT = verbs("script= run", "manifest= package+resolve", "always:update= package+update")
_STORAGE = frozenset("delete post upload copy".split())


_DROPPING = tuple(
    (
        "flyway:clean liquibase:dropAll hibernate:drop flywayClean dropAll liquibaseDropAll"
        " dropDatabase"
    ).split()
)
"""Goals and tasks of builds that empty a database."""


def _swift(run: Run) -> Flow:
    """Two programs of one name: the language (``swift build``, ``swift -e TEXT``, ``swift FILE``),
    and OpenStack's storage (``swift delete NAME``).
    """
    for value in run.parsed.values("-e"):
        run.code(value, "swift")
    first = run.operands[0].text if run.operands else ""
    if first in _STORAGE:
        run.effect(
            ChangesInfrastructure, f"swift {first}", "delete" if first == "delete" else "modify"
        )
    if first == "-":
        return run.input_as_code("swift")
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
