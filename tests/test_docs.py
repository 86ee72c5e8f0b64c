"""Pages that are generated are fresh, and pages that are written name things that exist."""

from __future__ import annotations

import argparse
import ast
import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from interlock.cli.main import main, parser
from interlock.integrations.clients import CLIENTS
from interlock.integrations.documented import CLIENTS as DOCUMENTED
from interlock.rules.catalogue import RULES
from scripts.accuracy_plot import PEERS
from scripts.install_client import CLIENTS as TESTED
from scripts.site_pages import FOLDERS, guests, relinked
from tests.architecture.imports import FLOORS
from tests.judging import judged

TOP = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(TOP.glob("*.md")),
    *sorted((TOP / "docs").glob("**/*.md")),
    *sorted((TOP / "decisions").glob("*.md")),
]


def test_generated_pages_are_fresh() -> None:
    """A rule, an option or an answer that changed shows in its page and in its picture, or this
    fails and names it.
    """
    environment = {**os.environ, "PYTHONPATH": str(TOP / "src")}
    done = subprocess.run(
        [sys.executable, str(TOP / "scripts/make_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr


def in_navigation(entry: Any) -> list[str]:
    """Return the pages below one entry of the navigation, as paths on the site."""
    if isinstance(entry, str):
        return [entry]
    return [
        page
        for value in (entry.values() if isinstance(entry, dict) else entry)
        for page in in_navigation(value)
    ]


def test_every_page_is_in_the_navigation() -> None:
    """Whoever writes a page gives it a line in ``mkdocs.yml``; none stands there twice."""
    named = in_navigation(yaml.safe_load((TOP / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    assert [page for page in named if named.count(page) > 1] == []
    ours = {str(page.relative_to(TOP / "docs")) for page in (TOP / "docs").glob("**/*.md")} | set(
        guests().values()
    )
    by_folder = {
        page for folder in FOLDERS.values() for pages in folder().values() for page in pages
    }
    assert (set(named) - set(FOLDERS)) | by_folder == ours, (
        "a page needs its line under `nav` in mkdocs.yml, and a line there its page"
    )


@pytest.mark.parametrize(
    ("written", "source", "place", "shown"),
    [
        ("[x](docs/policy.md#rule)", "CHANGELOG.md", "changelog.md", "[x](policy.md#rule)"),
        ("[x](../CHANGELOG.md)", "docs/concepts.md", "concepts.md", "[x](changelog.md)"),
        ("[x](../docs/policy.md)", "decisions/x.md", "decisions/x.md", "[x](../policy.md)"),
        ("[x](../doctor.md)", "docs/clients/README.md", "clients/README.md", "[x](../doctor.md)"),
        ("[x](../tests/test_docs.py)", "docs/concepts.md", "concepts.md", "x"),
        (
            "[x](https://pypi.org/a) ![p](a.svg)",
            "docs/concepts.md",
            "concepts.md",
            "[x](https://pypi.org/a) ![p](a.svg)",
        ),
    ],
)
def test_a_link_of_the_repository_becomes_one_of_the_site(
    written: str, source: str, place: str, shown: str
) -> None:
    """What links to another page does so on the site, from wherever; what links to a source file is
    words there.
    """
    assert relinked(written, source, place) == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lists_are_lists_everywhere(page: Path) -> None:
    """A list begins after an empty line: without one some readers of Markdown, the site's among
    them, make a paragraph of it.
    """
    before, listed, code = "", False, False
    for line in page.read_text(encoding="utf-8").splitlines():
        code ^= line.lstrip().startswith("```")
        item = re.match(r"\s*([-*+]|\d+\.) ", line) is not None
        assert code or listed or not item or not before.strip(), f"{page.name}: {line}"
        listed = item or (
            listed and (not line.strip() or line.startswith("  ") or bool(before.strip()))
        )
        before = line


def test_the_table_of_clients_speaks_of_what_is_installed() -> None:
    """What was shown was shown with the versions that the tests install, for every client that
    interlock is installed for; nothing of it failed.
    """
    assert set(CLIENTS) <= set(TESTED), (
        "scripts/install_client.py says which version of a client is tried"
    )
    kept = json.loads((TOP / "tests/e2e/proven.json").read_text(encoding="utf-8"))
    said = "drive it, and what was shown is kept: python scripts/install_client.py NAME, then INTERLOCK_PROVE=1 make e2e"
    assert kept["versions"] == {name: TESTED[name].version for name in CLIENTS}, said
    assert {one for held in kept["promises"].values() for one in held.values()} <= {
        "held",
        "skipped",
    }
    assert [
        name
        for name in CLIENTS
        if not any(held.get(name) == "held" for held in kept["promises"].values())
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page, and every picture, is a file of the repository, and an anchor
    is a heading there.
    """
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
        there = page.parent / target if target else page
        assert there.exists(), f"{page.name} links to {target}"
        assert not anchor or there.suffix != ".md" or anchor in anchors(there), (
            f"{page.name} links to {target}#{anchor}"
        )
    for target in re.findall(r'(?:src|srcset)="([^":]+)"', text):
        assert (page.parent / target).exists(), f"{page.name} shows {target}"


def elsewhere() -> list[str]:
    """Return the addresses that pages link to, and those that clients' pages were read at."""
    linked = [
        link
        for page in PAGES
        for link in re.findall(r"\]\((\w+:[^)]*)\)", page.read_text(encoding="utf-8"))
    ]
    return sorted({*linked, *[row.page.partition(" ")[0] for row in DOCUMENTED.values()]})


@pytest.mark.parametrize("link", elsewhere())
def test_links_elsewhere_are_addresses(link: str) -> None:
    """What leads out of the repository is a whole address of a host that is not made up; nothing is
    fetched: whether it answers is not known.
    """
    parts = urlsplit(link)
    assert (parts.scheme, parts.username, parts.port) == ("https", None, None)
    assert re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", parts.netloc)
    assert not parts.netloc.endswith((".test", ".example", ".invalid", "example.com"))
    assert re.fullmatch(r"[\w./~%#=&?-]*", parts.path + parts.query + parts.fragment)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rules_that_are_named_exist(page: Path) -> None:
    """A page cannot speak of a rule that is gone."""
    text = page.read_text(encoding="utf-8")
    families = {rule.id.partition(".")[0] for rule in RULES}
    named = {
        word
        for word in re.findall(r"\b[a-z]+\.[a-z]+(?:-[a-z]+)+\b", text)
        if word.partition(".")[0] in families
    }
    assert named <= {rule.id for rule in RULES}


def subcommands(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands below a command."""
    return {
        name: below
        for action in command._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, below in action.choices.items()
    }


def options_of(command: argparse.ArgumentParser) -> set[str]:
    """Return the options of a command and of those below it."""
    own = {option for action in command._actions for option in action.option_strings}
    return own.union(*map(options_of, subcommands(command).values()))


@pytest.fixture(scope="module")
def commands() -> dict[str, argparse.ArgumentParser]:
    """Return all commands by name."""
    return subcommands(parser())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_command_lines_on_a_page_are_understood(
    page: Path, commands: dict[str, argparse.ArgumentParser]
) -> None:
    """Whoever copies a line from a block of a page, or words from a sentence, has a command and
    options that there are.
    """
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"`interlock ([a-z-]+)([^`\n]*)`", text)
    for block in re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        lines += re.findall(r"^ *(?:\$ )?interlock ([a-z-]+)(.*)$", block, re.MULTILINE)
    for name, words in lines:
        assert name in {*commands, "command", "help"}, f"{page.name}: interlock {name}"
        options = set(
            re.findall(r"(?<!\S)--[a-z][a-z-]*", re.split(r" -- | # | \| |;|--$", words)[0])
        )
        assert not options or options <= options_of(commands[name]), (
            f"{page.name}: interlock {name}{words}"
        )


def test_the_page_of_the_architecture_is_true() -> None:
    """It names every package, and its layers are the ones that are enforced."""
    text = (TOP / "docs/architecture.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in (TOP / "src/interlock").glob("*/__init__.py")}
    assert {
        name for name in packages if f"| `{name}/`" not in text and f" `{name}/`" not in text
    } == set()
    layers = re.findall(r"^```\n(cli\n.*?)^```", text, re.DOTALL | re.MULTILINE)[0].splitlines()
    assert [set(line.split(" | ")) for line in layers] == [
        floor & packages for floor in FLOORS if floor & packages
    ]


def walked() -> list[str]:
    """Return what the steps of the five walks name."""
    text = (TOP / "docs/architecture.md").read_text(encoding="utf-8")
    walks = text.partition("\n## Five walks\n")[2].partition("\n## ")[0]
    return re.findall(r"`([a-z_]+(?:\.\w+)+)`", walks.replace("`hook.py`", ""))


@pytest.mark.parametrize("name", sorted(set(walked())))
def test_a_step_of_a_walk_is_in_the_code(name: str) -> None:
    """What a walk of the page of the architecture names can be imported: a module, and what is in
    it.
    """
    assert pkgutil.resolve_name(f"interlock.{name}") is not None


def test_there_are_five_walks() -> None:
    """A command, an edit, a Go program, an MCP call and an approval, each through the guard."""
    assert {
        "effects.tools.READERS",
        "codemode.golang.run.run",
        "mcp.judge.ServerJudge.rule",
        "guard.approval_stage.settle",
    } <= set(walked())


def test_the_table_beside_the_plot_says_the_same() -> None:
    """What the picture shows of other guards stands in the table, with the version and where it is
    published.
    """
    rows = (TOP / "docs/accuracy.md").read_text(encoding="utf-8").splitlines()
    for peer in PEERS:
        name, version, *_ = peer.name.replace(",", "").split()
        assert [
            row
            for row in rows
            if row.startswith(f"| {name} {version}")
            and f"| {peer.stopped} % | {peer.interrupted} % |" in row
        ], peer.name


EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(
        re.findall(
            r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
    )
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_python_on_a_page_runs(code: str, tmp_path: Path) -> None:
    """Whoever copies an example into a file has one that works; what it records goes to a home of
    its own.
    """
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{TOP / 'src'}{os.pathsep}{TOP}",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


ANSWERS = [
    (page.name, call.replace("\\|", "|"), answer)
    for page in PAGES
    for call, answer in re.findall(
        r"^\| `(.+?)` \| (allow|warn|ask|deny) \|$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
]


def answered(call: str) -> str:
    """Return the answer of the built-in rules, with nothing known of the disk."""
    decision = judged(call)
    return "warn" if decision.warned else str(decision.verdict)


@pytest.mark.parametrize(("page", "call", "answer"), ANSWERS)
def test_an_answer_on_a_page_is_given(page: str, call: str, answer: str) -> None:
    """A table of calls with one answer each holds for the built-in rules, with nothing known of the
    disk.
    """
    assert answered(call) == answer, page


OVERVIEW = {
    "allow": "allow",
    "allow, with a warning": "warn",
    "a checkpoint, then allow: `interlock undo` brings it back": "ask",
    "ask": "ask",
    "deny": "deny",
}
"""The rows of the first page's table, and what is answered where nothing is known of the disk; so
no checkpoint can be taken there.
"""
OVERVIEW_CALLS = [
    (call.replace("\0", "|"), OVERVIEW[answer])
    for cell, answer in re.findall(
        r"^\| (.*?) \| (.*?) \|$",
        (TOP / "docs/index.md").read_text(encoding="utf-8").replace("\\|", "\0"),
        re.MULTILINE,
    )
    if answer in OVERVIEW
    for call in re.findall(r"`(.+?)`", cell)
]


@pytest.mark.parametrize(("call", "answer"), OVERVIEW_CALLS)
def test_the_overview_of_the_first_page_holds(call: str, answer: str) -> None:
    """Each call that the table names gets the answer of its row."""
    assert answered(call) == answer


def test_there_are_answers_on_pages() -> None:
    """The questions show what is allowed and what is not; the first page shows every kind of
    answer.
    """
    assert {answer for _, answer in OVERVIEW_CALLS} == {"allow", "warn", "ask", "deny"}
    assert {answer for page, _, answer in ANSWERS if page == "faq.md"} == {"allow", "ask", "deny"}


def names_of_tests(path: Path) -> set[str]:
    """Return the names of the functions of a file that pytest runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_and_files_that_are_named_exist(page: Path) -> None:
    """A promise names a test that is there, and a file of the source, the tests, the benchmarks or
    the scripts is one.
    """
    text = page.read_text(encoding="utf-8")
    for file, name in re.findall(r"`(tests/[\w/.-]+\.py)::(\w+)`", text):
        assert name in names_of_tests(TOP / file), f"{page.name}: {file} has no {name}"
    for file in re.findall(
        r"`((?:src/interlock|tests|bench|scripts|decisions)/(?![^`]*NAME)[\w/.-]+\.\w+)`", text
    ):
        assert (TOP / file).exists(), f"{page.name}: there is no {file}"


def test_every_invariant_names_its_tests() -> None:
    """The threat model ties each invariant to a test, and each threat to what is left over or to
    nothing.
    """
    text = (TOP / "docs/threat-model.md").read_text(encoding="utf-8")
    invariants = re.findall(r"^\| (I\d+) \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    assert [number for number, _, _ in invariants] == [
        f"I{number}" for number in range(1, len(invariants) + 1)
    ]
    assert [number for number, _, tests in invariants if "::test_" not in tests] == []
    left = set(re.findall(r"^\| (R\d+) \|", text, re.MULTILINE))
    named = {
        risk
        for row in re.findall(r"^\| T\d+ \|.*\| ([R\d ]*) \|$", text, re.MULTILINE)
        for risk in row.split()
    }
    assert named <= left


FILES = {".interlock/policy.yaml": "project", "/etc/interlock/policy.yaml": "organisation"}
"""Whose file a policy on a page is, where its first line says so; the user's elsewhere."""
POLICIES = [
    (page, text)
    for page in PAGES
    for text in re.findall(
        r"^```yaml\n((?:# [^\n]*\n)?version: .*?)^```",
        page.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
]


@pytest.mark.parametrize(
    ("page", "text"), POLICIES, ids=lambda value: getattr(value, "name", "policy")
)
def test_a_policy_on_a_page_is_accepted(
    page: Path,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever copies a policy file has one that can be used."""
    file = tmp_path / "policy.yaml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    code = main(
        [
            "policy",
            "check",
            "--layer",
            FILES.get(text.splitlines()[0].removeprefix("# "), "user"),
            str(file),
        ]
    )
    assert code == 0, f"{page.name}: {capsys.readouterr()}"


def test_a_policy_that_is_wrong_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What checks the pages would see an error there."""
    with pytest.raises(AssertionError, match="there is no key 'host'"):
        test_a_policy_on_a_page_is_accepted(
            Path("x.md"), "version: 1\nhost: {allow: a.test}\n", tmp_path, monkeypatch, capsys
        )


def test_there_are_policies_on_pages() -> None:
    """The page of policies and the cookbook show some."""
    assert {page.name for page, _ in POLICIES} >= {"policy.md", "cookbook.md"}
