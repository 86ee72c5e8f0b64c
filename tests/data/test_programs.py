"""Programs as sections of text: each can be read, stands once, and says only what the page
explains.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.data import programs
from interlock.data.programs import ProgramData, wrong_with
from interlock.data.words import sections
from interlock.effects import registry
from interlock.effects.programs import table
from tests.effects.reading import seen

FAMILIES = sorted(path.stem for path in Path(programs.FOLDER).glob(f"*{programs.ENDING}"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data files of a test's own."""
    monkeypatch.setattr(programs, "FOLDER", str(tmp_path))
    monkeypatch.setattr(programs, "COMPILED", str(tmp_path / "kept" / "index"))
    for name, fresh in (("_families", []), ("_bodies", {}), ("_commands", {})):
        monkeypatch.setattr(programs, name, fresh)
    return tmp_path


def test_a_program_stands_once() -> None:
    """Of two sections with one name, one would be dead."""
    named = [
        f"{family} {name}" if family in programs.APART else name
        for family in FAMILIES
        for name, _ in sections(programs.text_of(family))
    ]
    assert sorted({name for name in named if named.count(name) > 1}) == []
    assert len(named) > 2900


@pytest.mark.parametrize("family", FAMILIES)
def test_every_section_can_be_read(family: str) -> None:
    """Each line is one that the page explains, and each function that is named is there."""
    before = f"{family} " if family in programs.APART else ""
    for name, _ in sections(programs.text_of(family)):
        assert table.find(before + name) is not None
        described = [programs.find(before + name)]
        for word in programs.commands(before + name):
            assert table.below(before + name, word) is not None
            described.append(programs.command(before + name, word))
        for one in described:
            assert one is not None
            row = table.row_of(one)
            assert row.read is None or callable(table.make_reader(one, registry))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_line_is_as_wide_as_the_page(family: str) -> None:
    """A person reads them side by side with the code."""
    lines = programs.text_of(family).split("\n")
    assert [line for line in lines if len(line) > 100 or line != line.rstrip()] == []


def read(lines: str) -> ProgramData:
    """Return what lines say; none may be wrong."""
    program = ProgramData()
    assert [wrong for line in lines.split("\n") if (wrong := program.add(line))] == []
    return program


def test_what_a_line_says() -> None:
    """Operands, options, flags, effects, code that reads, words that do something."""
    one = read(
        "# of scc\n\noperands reads* writes\n-o --out =writes\n-n =\n--color ?\n-c ?reads\n"
        "-r -R :recursive\n-q\nvalues -a -b\nflags -x +y /z\neffects listens\nruns project\n"
        "prints file\ngrammar single\nsource scc(1)\nwhole"
    )
    assert one.operands == "reads* writes"
    assert one.options == {
        "-o": "writes", "--out": "writes", "-n": "data", "--color": "?data", "-c": "?reads",
        "-a": "data", "-b": "data",
    }  # fmt: skip
    assert one.flags == {
        "-r": "recursive", "-R": "recursive", "-q": "", "-x": "", "+y": "", "/z": "",
    }  # fmt: skip
    assert one.effects == "listens executes:package-script"
    assert (one.prints, one.source, one.single, one.whole) == ("file", "scc(1)", True, True)


def test_what_a_line_says_of_code() -> None:
    """The function that reads, what it is made with, and what lines of words say."""
    assert (read("read git.git").reader, read("read git.git").arguments) == ("git.git", None)
    assert read("read build.formatter ()").arguments == []
    one = read('read stores.stores .pass ""\nwith reads = show cat\nwith reads = otp')
    assert (one.arguments, one.named) == ([".pass", ""], {"reads": "show cat otp"})
    one = read("after 1\nsay disks.on_disks\ndoes nothing = list\ndoes format = wipe rm")
    assert (one.after, one.say) == (1, "disks.on_disks")
    assert one.does == ["nothing = list", "format = wipe rm"]
    one = read('manages install:user = tool+install add ""\nmanages nothing = list\nmanages x = ?')
    assert one.manages == {
        "tool install": "install:user", "add": "install:user", "": "install:user", "list": "",
        "?": "x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("quiet", "a line begins with an option or one of"),
        ("operands nonsense", "'nonsense' is no role; roles are appends"),
        ("-o =nonsense", "'nonsense' is no role"),
        ("-o out =writes", "'out' is no option"),
        ("=", "a line begins with"),
        ("values n", "'n' is no option"),
        ("operands", "nothing stands behind operands"),
        ("runs everything", "what it runs is `project`"),
        ("grammar joined", "the grammar is `single`"),
        ("read git", "'git' is no FAMILY.FUNCTION"),
        ("with reads show", "write: with NAME = WORDS"),
        ("does format", "write: does EFFECT = WORDS"),
        ("manages install add", "write: manages ACTION = WORDS"),
        ("after one", "write how many operands"),
        ("whole -x", "a line begins with"),
        ("settings some", "what it reads of settings is `none`"),
    ],
)
def test_what_is_wrong_with_a_line(folder: Path, line: str, why: str) -> None:
    """One sentence says the file, the line, what stands there, what is wrong and where to read."""
    (folder / "some.txt").write_text(f"# some\n\n[one]\n-q\n\n[two]\n-v\n{line}\n")
    assert programs.find("one") is not None
    with pytest.raises(ValueError, match="line 8, of two") as caught:
        programs.find("two")
    said = str(caught.value)
    assert said.startswith(f"{folder}/some.txt, line 8, of two: {line!r}: {why}")
    assert said.endswith("docs/add-program.md explains the lines.")


@pytest.mark.parametrize(
    ("line", "may"),
    [
        ("operands reads*", True),
        ("runs project", True),
        ("-o --out =writes", True),
        ("-q", True),
        ("operands nonsense", False),
        ("-q\n-v", False),
        ("", False),
        ("read git.git", False),
        ("effects listens", False),
        ("does nothing = *", False),
    ],
)
def test_what_a_policy_may_say(line: str, may: bool) -> None:
    """A policy describes what is read and written; it names none of the guard's own functions."""
    assert (wrong_with(line) == "") is may


def test_subcommands(folder: Path) -> None:
    """What follows ``command`` is of that subcommand; two such lines are one list of names."""
    (folder / "some.txt").write_text(
        "[one]\n-q\ncommand add stage\ncommand put\n-f =reads\n\ncommand show\n\n[two]\n"
    )
    one = programs.find("one")
    assert one is not None
    assert (one.flags, one.options) == ({"-q": ""}, {})
    found = {word: programs.command("one", word) for word in programs.commands("one")}
    assert {word: one.options for word, one in found.items() if one is not None} == {
        "add": {"-f": "reads"}, "stage": {"-f": "reads"}, "put": {"-f": "reads"}, "show": {},
    }  # fmt: skip
    assert programs.commands("two") == programs.commands("three") == {}
    assert programs.command("one", "nothing") is None


def test_an_index_that_is_true_is_not_kept_again(folder: Path, tmp_path: Path) -> None:
    """Who may not write where the package lies has nothing to write there: root did, when it was
    installed. One that is no longer true is kept anew.
    """
    (folder / "some.txt").write_text("[one]\n-q\n")
    programs.write_index()
    kept = tmp_path / "kept/index"
    before = kept.stat().st_ino, kept.stat().st_mtime_ns
    programs.write_index()
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == before
    (folder / "other.txt").write_text("[three]\n")
    programs.write_index()
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) != before


def test_the_kept_index_is_used_while_it_is_true(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that was kept is read; a file that changed, came or went makes it worth nothing."""
    (folder / "some.txt").write_text("[one\ntwo]\n-q\n")
    programs.write_index()
    monkeypatch.setattr(programs, "_build_index", lambda _: {})
    monkeypatch.setattr(programs, "_families", [])
    assert programs.index() == dict.fromkeys(("one", "two"), "some")
    for change in (
        lambda: (folder / "some.txt").write_text("[one]\n-q\n-v\n"),
        lambda: (folder / "other.txt").write_text("[three]\n"),
        lambda: (folder / "kept" / "index").write_bytes(b"nonsense"),
        (folder / "kept" / "index").unlink,
    ):
        change()
        monkeypatch.setattr(programs, "_families", [])
        assert programs.index() == {}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("scc", True),
        ("xcodebuild", True),
        ("git", False),
        ("nobody-described-this", False),
        ("python3.11", False),
    ],
)
def test_whose_words_count_besides(name: str, known: bool) -> None:
    """A program that only reads and writes may still publish and delete by a verb."""
    assert table.is_described(name) is known


PAGE = (Path(__file__).parents[2] / "docs/add-program.md").read_text(encoding="utf-8")
SECTIONS = [block for block in PAGE.split("```\n")[1::2] if block.startswith("[")]


@pytest.mark.parametrize("block", SECTIONS, ids=lambda block: block.partition("]")[0].strip("["))
def test_the_sections_of_the_page_can_be_read(block: str, folder: Path) -> None:
    """What the page shows is what a person may write."""
    (folder / "some.txt").write_text(block)
    for name, _ in sections(block):
        assert programs.find(name) is not None


def test_a_program_costs_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's own example, put into a file, is read; without it nobody knows the program."""
    monkeypatch.setattr(table, "_rows", {})
    call = "zopflipng -m ~/a.png /srv/b.png"
    (folder / "some.txt").write_text("")
    assert not {"reads=/home/user/a.png", "writes=/srv/b.png"} <= seen(call)
    (folder / "some.txt").write_text(SECTIONS[0])
    for name, fresh in (("_families", []), ("_bodies", {})):
        monkeypatch.setattr(programs, name, fresh)
    monkeypatch.setattr(table, "_rows", {})
    assert {"reads=/home/user/a.png", "writes=/srv/b.png"} <= seen(call)
    assert "unknown-program" not in " ".join(seen(call))


def test_every_word_of_a_line_is_on_the_page() -> None:
    """The page explains what a line may begin with, and every role."""
    named = set(PAGE.replace("`", " ").replace("[", " ").split())
    assert {*programs._LINES, "whole", "command"} - named == set()
    assert set(programs.ROLES) - named == set()
