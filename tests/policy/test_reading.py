"""Policy files that are wrong: each error has its place, its line and what was expected, all of a
file at once, and nothing else is ever raised.
"""

from __future__ import annotations

import random

import pytest

from interlock.policy.document import MAX_BYTES, guess_type
from interlock.policy.problem import PolicyError, suggest_name
from interlock.policy.reading import Section, read
from interlock.policy.schema import EVERY, ORGANISATION, TABLES, USER
from interlock.policy.value_kinds import WORDS
from tests.policy.malformed import ROWS

GOOD = """\
version: 1
profile: careful
roles:
  alice: [lead, admin]
workspace: {roots: "${HOME}/shared"}
hosts:
  allow: [git.example.com]
places:
  - {path: "${WORKSPACE}/keys/**", nature: secret}
rules:
  - id: team.no-late-drop
    title: drops a table
    match:
      effect: [changes-database]
      traits: drop
    action: ask
    catches: ["psql -c 'DROP TABLE t'", {tool: write, file_path: a.txt}]
tune:
  - tag: [GR-008]
    action: deny
limits:
  rates: [{rate: 60/minute, tools: bash_commands}]
  tokens: [{limit: 200000, of: context}]
approvals: {wait: 10m, uses: 5}
audit:
  required: true
"""


def problems_of(text: str | bytes, layer: str = ORGANISATION) -> list[tuple[int, int, str]]:
    """Return line, column and message of each problem of a file."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    try:
        _, problems = read(data, "policy.yaml", layer)
        found = problems.found
    except PolicyError as error:
        found = error.problems
    return [(problem.line, problem.column, problem.message) for problem in found]


def plain(value: object) -> object:
    """Return a section as plain data."""
    if isinstance(value, Section):
        return {key: plain(one) for key, one in value.values.items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def test_a_file_as_it_should_be_has_no_problem() -> None:
    """The twin of all below: what is written well is read, every value as what it means."""
    section, problems = read(GOOD.encode(), "policy.yaml", ORGANISATION)
    assert problems.found == ()
    values = plain(section)
    assert isinstance(values, dict)
    assert values["roles"] == {"alice": ("lead", "admin")}
    assert values["workspace"] == {"roots": ["${HOME}/shared"]}
    assert values["approvals"] == {"wait": 600, "uses": 5}
    assert values["rules"][0]["match"] == {"effect": ["changes-database"], "traits": ["drop"]}
    assert values["audit"] == {"required": True}


@pytest.mark.parametrize(("text", "line", "column", "part"), ROWS, ids=range(len(ROWS)))
def test_what_is_wrong_is_told_where_it_stands(
    text: str, line: int, column: int, part: str
) -> None:
    """Each malformed file has an error at its place that says what was expected."""
    found = problems_of(text)
    assert any((at, to) == (line, column) and part in message for at, to, message in found), found


def test_a_hundred_malformed_files_are_in_the_table() -> None:
    """The figure that was promised."""
    assert len({text for text, *_ in ROWS}) >= 100


def test_every_error_of_a_file_is_told_at_once() -> None:
    """Nobody mends a file one error at a time."""
    text = (
        "version: 1\nrulez: 1\nobserve: yes\nprofile: no\ntune:\n  - rule: 1:30\n    acton: ask\n"
    )
    assert [line for line, _, _ in problems_of(text)] == [2, 3, 4, 6, 7]


def test_a_problem_shows_its_line_and_a_mark_below() -> None:
    """What a person sees: file:line:column, the line, a mark at the column."""
    with pytest.raises(PolicyError) as raised:
        read(b"- a", "some/policy.yaml", USER)
    assert (
        str(raised.value)
        == "some/policy.yaml:1:1: a policy is a table of keys such as `version: 1`, not a list\n    - a\n    ^"
    )


@pytest.mark.parametrize(
    "data",
    [b"version: 1\nprofile: \xff\n", b"\xff\xfe", b"#" * (MAX_BYTES + 1), b"a: \xed\xa0\x80"],
    ids=range(4),
)
def test_bytes_that_are_no_text_are_told(data: bytes) -> None:
    """Wrong encodings and files past the bound have a place too."""
    assert problems_of(data)


def test_a_mark_of_order_at_the_start_is_read_over() -> None:
    """Some editors write a byte order mark; it changes nothing."""
    assert problems_of("\ufeff" + GOOD) == []


def test_a_key_of_another_layer_is_ignored_and_said() -> None:
    """``roles`` of a user is no error that would break the file: it does not count, and a note says
    so.
    """
    section, problems = read(
        b"version: 1\nroles: {alice: lead}\nprofile: careful\n", "policy.yaml", USER
    )
    assert section.get("roles") is None
    assert section.get("profile") == "careful"
    assert not problems.broken
    assert "organisation" in problems.found[0].message


def test_fuzzed_files_never_end_in_anything_but_located_problems() -> None:
    """A thousand files with characters and lines dropped, doubled, swapped and put in: read well,
    or told where; no traceback.
    """
    chance = random.Random(27)  # noqa: S311 - the same files every time
    lines, broken = GOOD.splitlines(keepends=True), 0
    for _ in range(1000):
        found = problems_of(_spoilt(lines, chance))
        broken += bool(found)
        assert all(line >= 1 and column >= 1 and message for line, column, message in found)
    assert broken >= 500


def _spoilt(lines: list[str], chance: random.Random) -> str:
    kept = list(lines)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(kept))
        way = chance.randrange(6)
        if way == 0:
            kept.insert(at, kept.pop(chance.randrange(len(kept))))
        elif way == 1:
            kept[at] = kept[at][: chance.randrange(len(kept[at]))] + "\n"
        elif way == 2:
            kept.insert(at, kept[at])
        else:
            text = kept[at]
            spot = chance.randrange(len(text))
            kept[at] = (
                text[:spot]
                + chance.choice("\t:{}[]&*!|>'\"%@`#,-?\x00\x85\u2028\ud800é0n")
                + text[spot + (way == 3) :]
            )
    return "".join(kept)


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        *[
            ("no", "a truth value"),
            ("1:30", "a number to the base of 60"),
            ("017", "a number"),
            ("1_0", "a number"),
            ("-.inf", "a number"),
        ],
        *[
            ("null", "nothing"),
            ("2026-1-1", "a date"),
            ("nothing", ""),
            ("git.push", ""),
            ("1.2.3.4", ""),
            ("10m", ""),
            ("rm -rf x", ""),
        ],
        *[("60/minute", ""), (".env", ""), ("-x", "")],
    ],
)
def test_what_yaml_would_guess_is_known(word: str, guess: str) -> None:
    """YAML 1.1 takes some plain words for something else; those, and no others, have to stand in
    quotes.
    """
    assert guess_type(word) == guess


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("rulez", "rules"),
        ("allwo", "allow"),
        ("blocked-paths", "blocked_paths"),
        ("xyz", ""),
        ("enviroments", "environments"),
    ],
)
def test_the_nearest_known_name_is_proposed(word: str, known: str) -> None:
    """A slip of the finger leads to the name that was meant; anything else to none."""
    said = suggest_name(word, ["rules", "allow", "blocked_paths", "environments", "audit"])
    assert said == (f"; did you mean {known!r}?" if known else "")


def test_every_row_of_the_schema_means_something() -> None:
    """Each key is of a known kind, counts for known layers, and names what it does; no table is
    unused.
    """
    used = {"policy", "older policy", "guard", "guard skill", "cases"}
    for table in TABLES.values():
        names = [key.name for key in table.keys]
        assert len(names) == len(set(names))
        assert set(table.some) <= set(names), table.name
        for key in table.keys:
            assert key.of in WORDS or key.of in TABLES or key.of == "example", key.of
            assert key.layers <= EVERY
            assert key.meaning.endswith((".", ")")), key.name
            used.add(key.of)
    assert set(TABLES) <= used
