"""``interlock policy``: show the policy that holds and where each value comes from, check, test and
compare files, begin one, print the schema.

``show`` what holds here; ``check`` files; ``test`` cases; ``diff`` two policies; ``replay`` the
history; ``init`` begins a file; ``session`` lets a file hold for one session; ``schema`` prints the
JSON Schema for editors.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator

from interlock.audit.query import Filter, last
from interlock.cli import build, installed, person_check, policy_diff, policy_replay, session, suite
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policies import TODAY, fleet_file, layer_of, load_policy
from interlock.data.texts import read_text
from interlock.integrations.writing import begin
from interlock.policy.builtin import builtin
from interlock.policy.current import base
from interlock.policy.files import GUARDS, SKILLS, PolicyFile, PolicyLocations, look, places
from interlock.policy.installation import install_command
from interlock.policy.jsonschema import schema
from interlock.policy.lint import lint
from interlock.policy.load import LoadedPolicy, compile_file, compile_guard, find_yaml
from interlock.policy.problem import PolicyError, PolicyProblem, PolicyProblems
from interlock.policy.reading import is_documentation
from interlock.policy.schema import FLEET, LAYERS, ORGANISATION, PROJECT, SESSION, USER
from interlock.policy.skills import is_skill
from interlock.policy.skills import skill as read_skill
from interlock.policy.source import PolicySource

NAME = "policy"
SUMMARY = "show, check, test or start policy files"
TOOLS: dict[str, Callable[[argparse.Namespace], int]] = {
    "test": suite.run,
    "diff": policy_diff.run,
    "replay": policy_replay.run,
    "session": session.run,
}
"""What is done with a policy as a whole, each in a module of its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what to do with which file."""
    said = (
        "show: what holds and why; check: files; init: start a file; schema: for editors; test:"
        " cases; diff: two policies; replay: judge the history again; session: use a file for one"
        " session"
    )
    parser.add_argument(
        "what", metavar="WHAT", choices=("show", "check", "init", "schema", *TOOLS), help=said
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=(
            "check: the files (default: those that hold here); init, session: one file; test: the"
            " cases; diff: the two to compare"
        ),
    )
    parser.add_argument(
        "--layer",
        choices=LAYERS,
        help="check the files as ones of this layer (default: by where they lie)",
    )
    parser.add_argument(
        "--project", action="store_true", help="init: the file of this project, not your own"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        help="test, replay: this file or profile instead of what holds here",
    )
    parser.add_argument(
        "--cases",
        action="append",
        default=[],
        metavar="FILE",
        help="diff: judge the cases of this file too",
    )
    parser.add_argument("--junit", metavar="FILE", help="test: write the results as JUnit XML")
    parser.add_argument("--sarif", metavar="FILE", help="test: write the failures as SARIF 2.1.0")
    parser.add_argument(
        "--since",
        default="30d",
        metavar="TIME",
        help="replay: how far back, such as 12h or 30d (default: 30d)",
    )
    parser.add_argument(
        "--session",
        default="",
        metavar="ID",
        help="show, session: the session (default of session: the last one here)",
    )
    parser.add_argument("--clear", action="store_true", help="session: remove the session's policy")
    person_check.add_token(parser)
    parser.set_defaults(late="files")


def run(options: argparse.Namespace) -> int:
    """Do it. 0 well, 1 something is wrong with a file."""
    if options.what in TOOLS:
        return TOOLS[options.what](options)
    if options.what == "schema":
        print(json.dumps(schema(), indent=2))
        return 0
    where = places(os.environ, os.getcwd(), options.session)
    if options.what == "show":
        return _show(where, options.session, as_json=options.json)
    return _check(where, options) if options.what == "check" else _init(where, options)


# -- show ------------------------------------------------------------------------------------------


def _show(where: PolicyLocations, session: str, *, as_json: bool) -> int:
    found = load_policy(where)
    if session and not _is_recorded(session):
        complain(f"interlock policy: no call of a session {session!r} is recorded here\n")
    if as_json:
        told = [
            {"what": one.what, "value": one.value, "at": one.at} for one in found.merged.origins
        ]
        print(
            json.dumps(
                {
                    "profile": found.policy.profile,
                    "values": told,
                    "notes": [*found.merged.notes],
                    "broken": _texts(found),
                },
                indent=2,
            )
        )
    else:
        for line in _lines(where, found, Painter(sys.stdout)):
            print(line)
    return 1 if found.problems else 0


def _is_recorded(session: str) -> bool:
    try:
        return bool(last(build.store(os.environ), Filter(session=session, limit=1)))
    except build.StoreError:
        return False


def _texts(found: LoadedPolicy) -> list[str]:
    return [problem.text() for problem in found.problems]


def _lines(where: PolicyLocations, found: LoadedPolicy, paint: Painter) -> Iterator[str]:
    files = {
        ORGANISATION: where.organisation_file,
        FLEET: fleet_file(where),
        USER: where.user_file,
        PROJECT: where.project_file,
        SESSION: where.session_file,
    }
    for layer, path in files.items():
        if not path:
            continue
        there = look(path, (), where.lent).there
        yield f"{layer.ljust(12)}  {visible(path)}{'' if there else paint('  (not there)', 'grey')}"
    yield f"profile       {found.policy.profile}, {len(found.policy.rules)} rules"
    width = max([len(one.what) for one in found.merged.origins], default=0)
    for one in found.merged.origins:
        yield (
            f"  {visible(one.what).ljust(width)}  {paint(visible(one.value), 'bold')} "
            f" {paint(visible(one.at), 'grey')}"
        )
    if not found.merged.origins:
        yield "  built-in rules only"
    for note in found.merged.notes:
        yield f"{paint('!', 'amber')} {visible(note)}"
    for text in _texts(found):
        yield f"{paint('✗', 'red')} {text}"
    if found.unkept:
        yield (
            f"{paint('!', 'amber')} it could not be kept compiled, so every call reads the files"
            f" anew: {visible(found.unkept)}"
        )


# -- check -----------------------------------------------------------------------------------------


def _check(where: PolicyLocations, options: argparse.Namespace) -> int:
    skilled = [
        *where.guard_folders(where.home, SKILLS),
        *where.guard_folders(where.project, SKILLS),
    ]
    there = [
        path
        for path in options.files or [*base(where), *skilled]
        if options.files or look(path, ()).there
    ]
    paths = [file for path in there for file in _files_of(path)]
    if not there:
        complain(
            "interlock policy check: there is no policy file here; name one, or begin one with"
            " `interlock policy init`\n"
        )
        return 1
    wrong = [_check_file(os.path.abspath(path), options.layer, where) for path in paths]
    return 1 if any(wrong) else 0


def _files_of(path: str) -> list[str]:
    """Return the guards or skills in a folder of them; any other path is a file itself."""
    if os.path.basename(path.rstrip("/")) not in (GUARDS, SKILLS) or not os.path.isdir(path):
        return [path]
    folder = look(path.rstrip("/"), ())
    names = (folder.data or b"").decode("utf-8", "surrogateescape").split("\n")
    return [path] if folder.problem else [f"{path.rstrip('/')}/{name}" for name in names if name]


def _check_file(path: str, named: str | None, where: PolicyLocations) -> bool:
    """Print what is wrong with a file and what is worth a look; tell whether something is wrong.

    Whom a draft belongs to that lies nowhere yet is worth a look: where it is put, it has to belong
    to whoever that place demands.
    """
    layer = named or layer_of(path, where)
    draft = layer != layer_of(path, where)
    owners = {ORGANISATION: (where.above,), PROJECT: ()}.get(layer, (where.owner, where.above))
    file = look(path, owners, where.lent)
    if is_skill(path):
        return _skill(file, layer)
    known = {rule.id: rule for rule in builtin().rules}
    if (
        file.data is not None
        and os.path.basename(os.path.dirname(path)) == GUARDS
        and is_documentation(file.data, path)
    ):
        print(
            f"{visible(path)}: no guard: it begins with no front matter, so it is taken for"
            " documentation"
        )
        return False
    problems = PolicyProblems(path)
    reader = build.reader(where.home)
    source = PolicySource(layer, path, where.home, known, reader, problems, layer != PROJECT)
    found: tuple[PolicyProblem, ...] = ()
    if file.data is None:
        found = (PolicyProblem(path, 1, 1, file.problem or "there is no such file"),)
    else:
        try:
            layers, kept = (
                compile_guard if os.path.basename(os.path.dirname(path)) == GUARDS else compile_file
            )(file.data, path, source)
            found = kept.found
            for line in [
                line
                for one in layers
                for line in lint(
                    one, {**known, **{two.rule.id: two.rule for two in one.rules}}, reader, TODAY
                )
            ]:
                print(f"{visible(line)}")
        except PolicyError as error:
            found = error.problems
    for problem in found:
        print(problem.text())
    if file.data is not None and file.problem:
        print(
            f"{visible(path)}: it would not be believed{' as it is' if draft else ''}:"
            f" {file.problem}"
        )
    wrong = (bool(file.problem) and (file.data is None or not draft)) or any(
        problem.weight == "error" for problem in found
    )
    print(f"{visible(path)}: {'this file cannot be used' if wrong else f'OK ({layer} policy)'}")
    return wrong


def _skill(file: PolicyFile, layer: str) -> bool:
    """Print what is wrong with a guard agent's skill; tell whether something is."""
    try:
        name = read_skill(file, layer).name
    except PolicyError as error:
        print("\n".join([problem.text() for problem in error.problems]))
        print(
            f"{visible(file.path)}: this skill cannot be used, and until it is mended the guard"
            " agent allows nothing"
        )
        return True
    print(f"{visible(file.path)}: OK, the guard skill {visible(name)}")
    return False


# -- init ------------------------------------------------------------------------------------------


def _init(where: PolicyLocations, options: argparse.Namespace) -> int:
    path = (
        options.files[0]
        if options.files
        else where.project_file
        if options.project
        else where.user_file
    )
    if not path:
        complain("interlock policy init: there is no home to begin a file in; name a file\n")
        return 1
    find_yaml()
    if importlib.util.find_spec("yaml") is None:
        complain(
            "interlock policy init: policy files need PyYAML, which is missing here; install it"
            f" with: {install_command()}\n"
        )
        return 1
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o755, exist_ok=True)
        begin(path, read_text("policy.yaml").encode(), 0o644)
    except FileExistsError:
        complain(f"interlock policy init: {path} is there already; it was left as it is\n")
        return 1
    except OSError as error:
        complain(f"interlock policy init: {path} cannot be written: {error.strerror}\n")
        return 1
    installed.accept_layers(os.environ)
    print(
        f"wrote {path}\nNothing changes yet: remove the # from the lines you want, then run: interlock"
        f" policy check{' ' + path if options.files else ''}"
    )
    return 0
