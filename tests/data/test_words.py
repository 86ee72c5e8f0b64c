"""Lists of words: each can be read, is asked for by code, and says nothing twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.data import words
from interlock.data.words import parse
from interlock.effects.foreign.languages import DIALECTS, FILES_OF, find_language

FILES = sorted(Path(words.FOLDER).glob("*.txt"))
LIBRARIES = sorted(Path(words.FOLDER).glob("languages/*.txt"))
SOURCE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(words.__file__).parent.parent.rglob("*.py"))
)
LISTS = {"calls", "names", "modules", "prefixes", "rows", "static", "methods"}
OTHERS = {"python", "powershell"}
"""Languages that have a reader of their own."""
ASKED = re.findall(
    r'\b(?:words|values|groups|texts|text|parts|tables|exceptions|_expand_rows)\(\s*"([^"]+)"(?:,\s*"([^"]+)")?',
    SOURCE,
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_list_is_asked_for(path: Path) -> None:
    """A list that no code reads would be edited in vain."""
    lists = {one for file, one in ASKED if file == path.stem}
    if path.stem == "cues":
        lists |= {file for file, one in ASKED if not one}
    whole = any(file == path.stem and not one for file, one in ASKED)
    named = {
        name
        for name, _, _ in parse(path.read_text(encoding="utf-8"))
        if not any(name.startswith(f"{first} ") for first in lists)  # ``tables`` asks for these
    }
    assert named - lists - {name for name in named if whole and name.startswith("own ")} == set()
    assert named


@pytest.mark.parametrize("path", [*FILES, *LIBRARIES], ids=lambda path: path.stem)
def test_a_file_says_what_it_is(path: Path) -> None:
    """It begins with a sentence, and its lines are as wide as code."""
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[0].startswith("# ")
    assert [line for line in lines if len(line) > 100 and " " in line] == []
    assert [line for line in lines if line != line.rstrip()] == []


def test_every_library_is_a_language_s() -> None:
    """A file says of no language that nobody reads, and nothing but what a language has; no name
    stands in it twice.
    """
    languages = {FILES_OF.get(name, name): name for name in DIALECTS}
    assert {*languages, *OTHERS} == {path.stem for path in LIBRARIES}
    for path in LIBRARIES:
        assert path.stem in OTHERS or find_language(languages[path.stem])
        lists = parse(path.read_text(encoding="utf-8"))
        assert {name.removeprefix("library ") for name, _, _ in lists} <= LISTS
        calls = [word for name, _, found in lists if name == "library calls" for word in found]
        assert len(calls) == len(set(calls)), path.stem


def test_what_a_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in their order, what they have in common, and words with spaces."""
    monkeypatch.setattr(words, "FOLDER", str(tmp_path))
    monkeypatch.setattr(words, "_files", {})
    (tmp_path / "some.txt").write_text(
        '# of nothing\n\n[one]\nb a\n\n"c d" e\n[two = x y]\na b\n[two = ]\nc\n[own p = x]\na+b\n'
    )
    assert words.words("some", "one") == ("b", "a", "c d", "e")
    assert words.text("some", "one") == "b a c d e"
    assert words.values("some", "two") == {"a": "x y", "b": "x y", "c": ""}
    assert words.groups("some", "two") == {"x y": ("a", "b"), "": ("c",)}
    assert words.texts("some", "two") == {"x y": "a b", "": "c"}
    assert words.parts("some", "two") == [("x y", ["a", "b"]), ("", ["c"])]
    assert words.tables("some", "own") == {"p": {"a+b": "x"}}
    with pytest.raises(KeyError, match=r"some.txt has no list \[three\]"):
        words.words("some", "three")


@pytest.mark.parametrize(
    ("text", "number"), [("a\n", 1), ("# x\n\na b\n[one]\n", 3), ('[one]\n"a b\n', 2)]
)
def test_a_line_that_is_none(text: str, number: int) -> None:
    """The message says which line, and what is wrong with it."""
    with pytest.raises(ValueError, match=rf"line {number}: .* stands under no heading, or a quote"):
        parse(text)
