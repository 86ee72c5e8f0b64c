"""Plugin rules in guards/ folders: the document's own listings, their fields, who goes before whom,
and that they only tighten.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.judging import decided, shell, tool
from tests.policy.layering import answer
from tests.policy.test_commands import Shell
from tests.policy.test_load import House, told

GUARDS = Path(__file__).parent / "sources" / "guards"
DOCKER, ENV = [
    (GUARDS / name).read_text(encoding="utf-8") for name in ("block-docker.yaml", "protect-env.md")
]
"""The document's own listings, their indentation restored."""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Make a machine in a folder whose home counts as the user's own."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda _home, _owner: True)
    return House(tmp_path)


def put(
    house: House,
    text: str,
    folder: str = ".bitcode",
    name: str = "guard.yaml",
    *,
    project: bool = False,
) -> Path:
    """Put a guard into a folder of the home or the project."""
    top = Path(house.where.project if project else house.where.home) / folder / "guards"
    top.mkdir(parents=True, exist_ok=True)
    return house.write(top / name, text)


@pytest.mark.parametrize("folder", [".agents", ".claude", ".bitcode", ".interlock"])
@pytest.mark.parametrize("project", [True, False])
def test_the_documents_guards_hold_wherever_they_lie(
    house: House, folder: str, *, project: bool
) -> None:
    """Both listings of the document, in each of the four folders of a home or a project."""
    assert answer("docker ps", house.policy()) == "allow"
    put(house, DOCKER, folder, project=project)
    put(house, ENV, folder, "env.md", project=project)
    found = house.policy()
    assert told(found) == ""
    decision = decided(shell("docker ps"), found)
    assert str(decision.verdict) == "ask"
    assert "Docker commands require approval" in decision.deciding[0].message
    assert answer("ls", found) == "allow"
    for field, expected in ((".env.example", "ask"), ("src/env.py", "allow")):
        assert (
            str(
                decided(tool("write", {"file_path": field, "content": "x"}, "Write"), found).verdict
            )
            == expected
        )
    assert answer("echo A=1 > .env.example", found) == "ask"
    assert answer("cat .env.example", found) == "allow"


@pytest.mark.parametrize(
    ("verdict", "expected"), [("allow", "allow"), ("ask", "ask"), ("deny", "deny"), ("llm", "ask")]
)
def test_each_verdict(house: House, verdict: str, expected: str) -> None:
    """``allow`` says nothing; ``llm`` is for the validator, and a person where there is none."""
    put(house, DOCKER.replace("verdict: ask", f"verdict: {verdict}"))
    assert answer("docker ps", house.policy()) == expected


def test_an_allow_loosens_nothing(house: House) -> None:
    """A pattern in the text never lets a call pass that a rule stops."""
    put(house, 'id: x\npatterns:\n  - {match: "rm", verdict: allow}\n')
    assert answer("rm -rf /", house.policy()) == "deny"


def test_a_guard_is_for_its_tools(house: House) -> None:
    """``tool`` names one or several; without it any tool is meant."""
    put(house, DOCKER)
    found = house.policy()
    assert (
        str(decided(tool("write", {"file_path": "a", "content": "docker"}, "Write"), found).verdict)
        == "allow"
    )
    put(house, DOCKER.replace("tool: Bash\n", ""))
    assert (
        str(
            decided(
                tool("write", {"file_path": "a", "content": "docker"}, "Write"), house.policy()
            ).verdict
        )
        == "ask"
    )
    put(house, DOCKER.replace("tool: Bash", "tool: [Bash, mcp__db__query]"))
    assert (
        str(decided(tool("mcp", {"query": "docker"}, "mcp__db__query"), house.policy()).verdict)
        == "ask"
    )


def test_in_a_home_the_last_folder_with_an_id_counts(house: House) -> None:
    """``.interlock`` goes before ``.bitcode`` goes before ``.claude`` goes before ``.agents``."""
    put(house, DOCKER.replace("verdict: ask", "verdict: deny"), ".agents")
    assert answer("docker ps", house.policy()) == "deny"
    put(house, DOCKER, ".claude", "another-name.yaml")
    assert answer("docker ps", house.policy()) == "ask"
    put(
        house,
        DOCKER.replace("docker", "podman").replace("block-podman", "block-docker"),
        ".interlock",
    )
    assert (answer("docker ps", house.policy()), answer("podman ps", house.policy())) == (
        "allow",
        "ask",
    )


MUCH, LESS, NONE = [
    f"id: same\npatterns:\n{rows}"
    for rows in (
        "  - {match: zork, verdict: deny}\n  - {match: plugh, verdict: ask}\n",
        "  - {match: zork, verdict: allow}\n  - {match: plugh, verdict: deny}\n",
        "  - {match: zork, verdict: allow}\n",
    )
]
"""Guards of one id: which of their patterns say something differs, so that no two make rules of the
same ids.
"""
SAID = {MUCH: ("deny", "ask"), LESS: ("allow", "deny"), NONE: ("allow", "allow")}


@pytest.mark.parametrize("names", [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")])
@pytest.mark.parametrize(("first", "last"), list(itertools.product(SAID, SAID)))
def test_a_guard_takes_the_whole_place_of_one_in_an_earlier_folder(
    house: House, first: str, last: str, names: tuple[str, str]
) -> None:
    """Whatever the files are called, and whichever of their patterns say something; what was
    displaced is told.
    """
    put(house, last, ".bitcode", names[1])
    put(house, first, ".claude", names[0])
    found = house.policy()
    assert (answer("zork", found), answer("plugh", found)) == SAID[last]
    assert "takes its place" in " ".join(house.loaded().merged.notes)
    put(house, last, ".bitcode", names[1]).unlink()
    found = house.policy()
    assert (answer("zork", found), answer("plugh", found)) == SAID[first]


@pytest.mark.parametrize("folder", [".agents", ".claude", ".bitcode", ".interlock"])
@pytest.mark.parametrize(("mine", "theirs"), list(itertools.product(SAID, SAID)))
def test_no_guard_of_a_project_loosens_one_of_a_home(
    house: House, mine: str, theirs: str, folder: str
) -> None:
    """In whichever of its folders; of two guards of one id in one folder, or in two of a project's,
    both hold too.
    """
    strictest = tuple(
        max(pair, key=["allow", "ask", "deny"].index)
        for pair in zip(SAID[mine], SAID[theirs], strict=True)
    )
    put(house, mine)
    put(house, theirs, folder, project=True)
    assert (answer("zork", house.policy()), answer("plugh", house.policy())) == strictest
    put(house, theirs, folder, project=True).unlink()
    put(house, theirs, name="another.yaml")
    assert (answer("zork", house.policy()), answer("plugh", house.policy())) == strictest


def test_a_projects_guard_adds_to_a_homes_and_never_replaces_it(house: House) -> None:
    """A cloned repository cannot take a guard away by giving one the same id."""
    put(house, DOCKER.replace("verdict: ask", "verdict: deny"))
    put(house, DOCKER.replace('"docker"', '"podman"'), ".interlock", project=True)
    assert (answer("docker ps", house.policy()), answer("podman ps", house.policy())) == (
        "deny",
        "ask",
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (DOCKER.replace("patterns", "paterns"), "did you mean 'patterns'?"),
        (DOCKER.replace("verdict: ask", "verdict: block"), "expected one of allow, ask, deny, llm"),
        (DOCKER.replace('"docker"', '"(a)\\\\1"'), "reference back"),
        (DOCKER.replace('"docker"', '"(docker"'), "no pattern"),
        (DOCKER.replace('match: "docker"', 'match: "docker"\n    file_match: "*.x"'), "write two"),
        (DOCKER.replace("id: block-docker\n", ""), "needs id"),
        ("- a", "a guard is a table"),
    ],
)
def test_a_guard_that_is_wrong_is_said_and_loosens_nothing(
    house: House, text: str, part: str
) -> None:
    """With its place, in every answer; what the last good version stopped is stopped still."""
    put(house, DOCKER)
    assert answer("docker ps", house.policy()) == "ask"
    put(house, text)
    found = house.policy()
    assert part in told(found)
    assert answer("docker ps", found) == "ask"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ENV.replace(".env*", "a/../b"), 6),
        (ENV.replace("tool: Write,Edit", "tool: no"), 3),
        ("---\nid: a\n---\n# text\n", 2),
    ],
)
def test_lines_of_a_guard_in_markdown_keep_their_numbers(
    house: House, text: str, line: int
) -> None:
    """The place that is told is the one in the file."""
    put(house, text, name="env.md")
    problems = house.loaded().problems
    assert problems
    assert problems[0].line == line


def test_a_text_for_people_is_no_guard(house: House) -> None:
    """Markdown without front matter says nothing and is nothing wrong; a guard whose front matter
    is torn is.
    """
    put(house, "# Our guards\n\nid: x\n", name="README.md")
    assert (house.loaded().problems, answer("ls", house.policy())) == ((), "allow")
    put(house, "---\nid: a\n", name="README.md")
    assert answer("ls", house.policy()) == "ask"


def test_markdown_around_the_patterns_is_read_over(house: House) -> None:
    """A guard may explain itself; patterns may stand in the front matter too."""
    put(
        house,
        ENV.replace("---\npatterns", "---\n# Why\n\nSome words: with a colon.\n\npatterns")
        + "\nMore words.\n",
        name="env.md",
    )
    assert answer("echo x > .env.example", house.policy()) == "ask"
    put(
        house,
        "---\nid: b\npatterns:\n  - {match: podman, verdict: ask}\n---\nWords.\n",
        name="env.md",
    )
    assert answer("podman ps", house.policy()) == "ask"


def test_a_new_guard_counts_at_once_and_one_that_went_is_gone(house: House) -> None:
    """The compiled policy knows the names in each folder."""
    put(house, DOCKER)
    assert answer("docker ps", house.policy()) == "ask"
    more = put(house, DOCKER.replace("docker", "podman"), name="more.yaml")
    assert answer("podman ps", house.policy()) == "ask"
    more.unlink()
    assert answer("podman ps", house.policy()) == "allow"
    before = house.read
    assert answer("docker ps", house.policy()) == "ask"
    assert house.read == before


def test_a_folder_of_more_guards_than_are_read_is_said(house: House) -> None:
    """No repository makes every call of a session slow."""
    for number in range(101):
        put(house, DOCKER, name=f"{number}.yaml", project=True)
    assert "it holds 101 guards" in told(house.policy())


def test_check_proposes_the_effect_that_a_guard_means(tmp_path: Path) -> None:
    """``policy check`` of a guard says what to write instead of a pattern of text; of a rule of
    text too.
    """
    person = Shell(tmp_path)
    folder = person.home / ".claude/guards"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(
        DOCKER.replace('"docker"', '"terraform destroy"'), encoding="utf-8"
    )
    code, said = person.run("policy", "check", str(folder / "a.yaml"))
    assert (code, "write `match: {effect: changes-infrastructure, traits: [delete]}`" in said) == (
        0,
        True,
    ), said
    person.own.write_text(
        "version: 1\nrules: [{id: a.b, title: t, action: ask, match: {text: sudo}}]\n",
        encoding="utf-8",
    )
    assert "write `match: {effect: escalates-privilege}`" in person.run("policy", "check")[1]
    person.own.write_text(
        "version: 1\nrules: [{id: a.b, title: t, action: ask, match: {text: secret}}]\n",
        encoding="utf-8",
    )
    assert (
        "looks at text: it speaks where the words are only shown"
        in person.run("policy", "check")[1]
    )
