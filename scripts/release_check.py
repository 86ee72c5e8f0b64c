"""Is what would be released what people can use? ``python scripts/release_check.py`` (``make
release-check``) builds and tries it.

1. sdist and wheels of the last commit, the one for every machine and those that bring a relay, are
   built twice, in two folders, byte for byte the
   same; a bill of materials lies beside each wheel (dist/);
2. the wheel is installed, without extras, into a clean environment of every Python that is found,
   and used there as a person would; the one for this
   machine once more, where no compiler is;
3. each extra is installed alone (with ``--all-tests`` by every Python), and what it is for is
   tried; without it, the sentence that names it;
4. the sdist is unpacked where no repository is: a wheel built of it is the same wheel, and its own
   tests run there: some, with the tools that are
   here; with ``--all-tests`` all, with what its ``dev`` extra brings into a clean environment.

``release_check.py try WHEEL`` does step 2 with the Python that runs it, and needs nothing but that
Python.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).resolve().parent.parent
EPOCH = "1577934245"  # 2020-01-02: any fixed time; dates of files are no part of what is released
GIT = shutil.which("git") or "git"
MACHINES = ("x86_64", "aarch64")
"""Those for which a wheel brings a relay (``scripts/relay_wheel.py``, which needs more than this
file may).
"""
EXTRAS: dict[str, str] = {
    "agent": "import interlock.cli.agent, pydantic_ai, prompt_toolkit",
    "fleet": "import interlock.sidecar.policy_fetch",
    "go": "from interlock.codemode.golang import toolchain; assert toolchain",
    "notify": "import apprise",
    "serve": "import interlock.cli.serve_start, interlock.service.people.oidc;"
    " from interlock.service.console.templating import static, page;"
    " assert page('alone.html', title='') and static('console.css')",
    "postgres": "from interlock.service.store.migrating import list_migrations;"
    " import psycopg; assert psycopg.pq.version() and list_migrations()",
    "history": "import pyarrow.parquet, duckdb",
    "claude-agent": "import interlock.integrations.frameworks.claude_agent",
    "langchain": "import interlock.integrations.frameworks.langchain",
    "openai-agents": "import interlock.integrations.frameworks.openai_agents",
    "pydantic-ai": "import interlock.integrations.frameworks.pydantic_ai",
}
"""What of an extra is imported where it alone is installed."""
SOME_TESTS = (
    "tests/model",
    "tests/test_docs.py",
    "tests/test_catalogue.py",
    "tests/test_architecture.py",
    "tests/cli/test_commands.py",
)


def say(text: str) -> None:
    """Print a step."""
    print(f"==> {text}", flush=True)


def ran(
    argv: list[str],
    *,
    code: int = 0,
    given: str = "",
    where: str | Path = "/",
    more: dict[str, str] | None = None,
) -> str:
    """Run a program in an environment of its own; return what it printed. Ends the check where its
    exit code is another.
    """
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(where), **(more or {})}
    done = subprocess.run(
        argv, input=given, capture_output=True, text=True, check=False, env=env, cwd=where
    )
    if done.returncode != code:
        raise SystemExit(
            f"release-check: {' '.join(argv)} ended with {done.returncode}, not"
            f" {code}\n{done.stdout}{done.stderr}"
        )
    return done.stdout + done.stderr


def expect(text: str, *words: str) -> None:
    """End the check where words are missing."""
    for word in words:
        if word not in text:
            raise SystemExit(f"release-check: expected {word!r} in:\n{text}")


# -- 1 ---------------------------------------------------------------------------------------------


def built(folder: Path) -> list[Path]:
    """Build wheels and sdist of what was committed last, and return them; twice, and both times the
    same.
    """
    made = []
    for number in ("first", "second/deeper"):
        source, out = folder / number / "source", folder / number / "dist"
        source.mkdir(parents=True)
        ran([GIT, "archive", "--output", str(folder / "source.tar"), "HEAD"], where=TOP)
        with tarfile.open(folder / "source.tar") as archive:
            archive.extractall(source, filter="data")
        for machine in ("", *MACHINES):
            kind = ["-t", "wheel"] if machine else []
            more = {"SOURCE_DATE_EPOCH": EPOCH, **({"INTERLOCK_RELAY": machine} if machine else {})}
            ran(
                [sys.executable, "-m", "hatchling", "build", *kind, "-d", str(out)],
                where=source,
                more=more,
            )
        made.append(sorted(out.iterdir()))
    for one, other in zip(*made, strict=True):
        if not filecmp.cmp(one, other, shallow=False):
            raise SystemExit(f"release-check: {one.name} is another each time it is built")
    return made[0]


# -- 2 ---------------------------------------------------------------------------------------------


def pythons() -> Iterator[str]:
    """Yield every supported Python that is found, one of each version: ``PYTHONS`` names more."""
    seen = set()
    named = os.environ.get("PYTHONS", "").split()
    found = [
        path
        for minor in range(11, 20)
        for path in (
            shutil.which(f"python3.{minor}"),
            *sorted(glob(f"{Path.home()}/.pyenv/versions/3.{minor}.*/bin/python3")),
        )
        if path
    ]
    for path in [*named, *found, sys.executable]:
        done = subprocess.run(
            [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if (
            done.returncode == 0
            and done.stdout not in seen
            and tuple(map(int, done.stdout.split("."))) >= (3, 11)
        ):
            seen.add(done.stdout)
            yield path


def environment(folder: Path, python: str, wheel: Path | str, extra: str = "") -> Path:
    """Make a clean environment with the wheel in it; return its programs' folder."""
    ran([python, "-m", "venv", str(folder)])
    what = f"{wheel}[{extra}]" if extra else str(wheel)
    ran(
        [
            str(folder / "bin/python"),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--quiet",
            "install",
            what,
        ],
        more=network(),
    )
    return folder / "bin"


def network() -> dict[str, str]:
    """Return the variables by which pip finds its index here."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.lower().endswith("_proxy")
    }


def used(programs: Path, home: Path) -> None:
    """Use the installed product as a person does in the first minutes."""
    interlock = str(programs / "interlock")
    project, settings = home / "project", home / ".claude/settings.json"
    (project / "src").mkdir(parents=True)
    settings.parent.mkdir()
    settings.write_text('{\n    "model": "opus"\n}\n')
    before = settings.read_bytes()

    def at(*argv: str, code: int = 0, given: str = "") -> str:
        return ran(list(argv), code=code, given=given, where=project, more={"HOME": str(home)})

    expect(at(interlock, "version"), "interlock 0.", "rules")
    expect(
        at(interlock, "check", "--", "cd / && X=rm; $X -rf *", code=11), "DENY", "fs.delete-system"
    )
    at(interlock, "check", "--", "ls")
    at(interlock, "check", "--", "rm -rf ~/photos", code=10)
    expect(at(interlock, "demo"), "ALLOW", "DENY")
    expect(at(interlock, "tour"), "11/11")
    expect(
        at(interlock, "init", "--yes", "--agent", "claude-code"),
        "claude-code asks interlock before every tool call",
    )
    expect(at(interlock, "doctor", "claude-code"), "in place")
    line = json.loads(settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    for command, code in (("ls", 0), ("rm -rf /", 2)):
        event = {
            "session_id": "s",
            "cwd": str(project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_use_id": command,
        }
        said = at(
            "/bin/sh",
            "-c",
            line,
            code=code,
            given=json.dumps({**event, "tool_input": {"command": command}}),
        )
        expect(said or "silence", '"permissionDecision":"deny"' if code else "silence")
    expect(at(interlock, "log"), "rm -rf /")
    expect(at(interlock, "status"), "claude-code asks interlock", "intact")
    at(interlock, "uninstall")
    if settings.read_bytes() != before or len(list(settings.parent.iterdir())) != 1:
        raise SystemExit("release-check: uninstalling did not give back what was there")


def tried(python: str, wheel: Path | str) -> None:
    """Install the wheel with one Python and use it."""
    with tempfile.TemporaryDirectory(prefix="interlock-release-") as top:
        programs = environment(Path(top) / "venv", python, wheel)
        used(programs, Path(os.path.realpath(top)) / "home")
        say(
            f"{ran([str(programs / 'python'), '--version']).strip()}: installed, used, taken out"
            " again"
        )


def relayed(wheel: Path) -> None:
    """Install a wheel that brings a relay, and have it asked where no compiler is."""
    with tempfile.TemporaryDirectory(prefix="interlock-release-") as top:
        programs, home = (
            environment(Path(top) / "venv", sys.executable, wheel),
            Path(os.path.realpath(top)) / "home",
        )
        (home / ".claude").mkdir(parents=True)
        variables = {"HOME": str(home), "INTERLOCK_RESIDENT": "on", "PATH": str(programs)}

        def at(*argv: str, given: str = "", code: int = 0) -> str:
            return ran(list(argv), where=home, more=variables, given=given, code=code)

        interlock = str(programs / "interlock")
        at(interlock, "install", "claude-code")
        expect(at(interlock, "resident", "start"), "started")
        expect(at(interlock, "doctor", "claude-code"), "asked by a relay in C that was shipped")
        line = json.loads((home / ".claude/settings.json").read_text())["hooks"]["PreToolUse"][0][
            "hooks"
        ][0]["command"]
        event = {
            "session_id": "s",
            "cwd": str(home),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_use_id": "t",
        }
        expect(
            at(
                "/bin/sh",
                "-c",
                line,
                given=json.dumps({**event, "tool_input": {"command": "rm -rf /"}}),
                code=2,
            ),
            '"permissionDecision":"deny"',
        )
        expect(at(interlock, "resident", "stop"), "stopped")
        say(f"{wheel.name}: its relay is used")


# -- 3 ---------------------------------------------------------------------------------------------


def extras(python: str, wheel: Path, names: list[str]) -> None:
    """Install each extra alone with one Python, and try it; and see what is said without it."""
    with tempfile.TemporaryDirectory(prefix="interlock-release-") as top:
        home = Path(top) / "home"
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.yaml").write_text("version: 1\nprofile: careful\n")
        bare = environment(Path(top) / "bare", python, wheel)
        expect(ran([str(bare / "interlock"), "policy", "show"], where=home), "careful")
        expect(
            ran(
                [str(bare / "interlock"), "agent", "-p", "x"],
                code=2,
                where=home,
                more={"ANTHROPIC_API_KEY": "none"},
            ),
            "-m pip install",
            "pydantic-ai",
        )
        say(
            f"{ran([str(bare / 'python'), '--version']).strip()}, without extras: policies are"
            " read, what is missing is named"
        )
        for name in names:
            programs = environment(Path(top) / name, python, wheel, name)
            ran([str(programs / "python"), "-c", EXTRAS[name]])
            say(f"[{name}]: installed alone, works")
            shutil.rmtree(Path(top) / name)


# -- 4 ---------------------------------------------------------------------------------------------


def unpacked(sdist: Path, wheel: Path, *, every: bool) -> None:
    """Build a wheel of the sdist where no repository is, and run the sdist's own tests."""
    # below the home, since much cannot be tested in a folder for temporary files: every guarded
    # program may use those
    with tempfile.TemporaryDirectory(prefix="interlock-release-", dir=Path.home()) as top:
        with tarfile.open(sdist) as archive:
            archive.extractall(top, filter="data")
        (source,) = Path(top).iterdir()
        ran(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", f"{top}/out"],
            where=source,
            more={"SOURCE_DATE_EPOCH": EPOCH},
        )
        if not filecmp.cmp(Path(top) / "out" / wheel.name, wheel, shallow=False):
            raise SystemExit("release-check: the sdist makes another wheel")
        python = (
            str(environment(Path(top) / "venv", sys.executable, source, "dev") / "python")
            if every
            else sys.executable
        )
        tests = (
            ["-n", os.environ.get("WORKERS", "2"), "--dist", "loadfile"]
            if every
            else list(SOME_TESTS)
        )
        said = ran(
            [python, "-m", "pytest", "-q", *tests],
            where=source,
            more={"PYTHONPATH": str(source / "src")},
        )
        say(f"sdist: makes the same wheel; its tests there: {said.strip().splitlines()[-1]}")


def main() -> int:
    """Do all of it, or what was asked for."""
    if sys.argv[1:2] == ["try"]:
        tried(sys.executable, os.path.abspath(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--extra", action="append", choices=sorted(EXTRAS), help="only these extras (default: all)"
    )
    parser.add_argument(
        "--all-tests",
        action="store_true",
        help="run every test of the sdist, not some, and try each extra with every Python",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interlock-release-") as top:
        made = built(Path(top))
        shutil.rmtree(TOP / "dist", ignore_errors=True)
        (TOP / "dist").mkdir()
        kept = [Path(shutil.copy(path, TOP / "dist")) for path in made]
    say(f"built twice, byte for byte the same: {', '.join([path.name for path in kept])}")
    sdist, wheels = (
        next(path for path in kept if path.suffix == ".gz"),
        [path for path in kept if path.suffix == ".whl"],
    )
    wheel = next(path for path in wheels if path.name.endswith("-any.whl"))
    for one in wheels:
        ran(
            [
                sys.executable,
                str(TOP / "scripts/sbom.py"),
                str(one),
                "-o",
                str(one.with_suffix(".cdx.json")),
            ]
        )
        say(f"bill of materials: dist/{one.with_suffix('.cdx.json').name}")
    for python in pythons():
        tried(python, wheel)
    for one in wheels:
        if sys.platform == "linux" and one.name.endswith(f"_{platform.machine()}.whl"):
            relayed(one)
    for python in pythons() if options.all_tests else (sys.executable,):
        extras(python, wheel, options.extra or list(EXTRAS))
    unpacked(sdist, wheel, every=options.all_tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
