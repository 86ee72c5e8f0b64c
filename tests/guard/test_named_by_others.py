"""What a program names is what is changed: a search or a listing outside the workspace, a pattern
that one folder fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guard.test_guarded_trees import Place

if TYPE_CHECKING:
    from pathlib import Path

SEARCHES = [
    "grep -rl interlock {}", "rg -l interlock {}", "grep -rL nothing {}", "rg --files {}", "find {} -type f", "ls {}/settings.json",
    "stat -c %n {}/settings.json", "tree -fi {}", "du -a {} | cut -f2", "find {} -type f | sort | head -1", "find {} -type f | sed s/x/y/",
    "ls {}/*.json | tr -d x", "{{ echo; find {}; }}", "{{ ls -d {0}/a.json; find {0}; }}",
]  # fmt: skip
EDITS = [
    "sed -i s/a/b/ $({})", "{} | xargs sed -i s/a/b/", "perl -pi -e s/a/b/ $({})", "for f in $({}); do echo '{{}}' > $f; done",
    "{} | while read f; do echo '{{}}' > \"$f\"; done", "F=$({}); sed -i s/a/b/ $F", "rm $({})",
]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a home with the guard's settings in it and a project; nothing is run there."""
    return Place(
        tmp_path_factory.mktemp("named"),
        "rm -r .claude; mkdir src notes; echo interlock > src/settings.json",
    )


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("search", SEARCHES)
def test_what_a_search_names_is_what_is_changed(place: Place, search: str, edit: str) -> None:
    """In the guard's folder it is spoken of; in the project it is any file."""
    assert place.answers(edit.format(search.format("~/.claude"))) != ""
    assert place.answers(edit.format(search.format("src"))) == ""


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("find src -name '*.log' | cut -d/ -f2 | xargs rm -rf", "ask"),
        ("ls *.txt | nl | xargs rm", "ask"),
        ("(ls *.log; cat list.txt) | xargs rm", "ask"),
        ("ls *.txt | sort | tail -n +6 | xargs rm", "allow"),
        ("find ~/notes -name '*.md' | wc -l", "allow"),
        ("N=$(find ~/notes -name '*.md' | wc -l); echo $N > count.txt", "allow"),
        ("find ~/notes -name '*.md' | sed s/md/html/ | sort", "allow"),
    ],
)
def test_names_that_were_changed_on_the_way_are_not_known(
    place: Place, command: str, verdict: str
) -> None:
    """Whole lines stay names; a part of one, or a number, is none."""
    assert str(place.judged(command).verdict) == verdict


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd ~/.cl* && echo '{}' > settings.json", "deny"),
        ("cd ~/.cl*/ && rm settings.json", "deny"),
        ("cd $(ls -d ~/.claude) && echo '{}' > settings.json", "deny"),
        ("pushd ~/.c[l]aude; echo '{}' > settings.json", "deny"),
        ("cd s* && echo '{}' > settings.json", ""),
        ("cd $(ls -d notes) && echo '{}' > settings.json", ""),
        ("cd ~/.cl* && cat settings.json", ""),
    ],
)
def test_the_one_folder_that_a_pattern_names_is_entered(
    place: Place, command: str, expected: str
) -> None:
    """As the shell does."""
    assert place.answers(command) == expected


def test_a_client_that_lives_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that names its folder is that folder."""
    place = Place(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place.home / ".claude"))
    assert place.answers("echo '{}' > \"$CLAUDE_CONFIG_DIR/settings.json\"") == "deny"
    assert place.answers('cat "$CLAUDE_CONFIG_DIR/settings.json"') == ""


NAMED = [
    ("coverage xml -o ~/.bashrc", "ask"), ("pytest --junitxml=~/.bashrc", "ask"), ("tmux save-buffer ~/.bashrc", "ask"),
    ("aws s3api get-object --bucket b --key k ~/.bashrc", "ask"), ("sops -e -i ~/.bashrc", "ask"), ("ex -sc 'w! ~/.bashrc' x", "ask"),
    ("vim -es -c 'w ~/.profile' -c q x", "ask"), ("csplit x 1 ~/.bashrc", "ask"),
    ("go test -coverprofile=$HOME/.bashrc ./...", "ask"), ("go test -coverprofile=c.out ./...", "allow"), ("go test -coverprofile=~/.bashrc", "allow"),
    ("ex -sc 'w! copy.txt' x", "allow"), ("vim -c 'wq!' x", "allow"), ("shellcheck ~/.bashrc", "allow"), ("diff ~/.bashrc x", "allow"),
    ("cat ~/.bashrc", "allow"), ("tmux source-file ~/.tmux.conf", "allow"), ("coverage xml -o cov.xml", "allow"), ("md5sum ~/.zshrc", "allow"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "verdict"), NAMED)
def test_a_startup_file_is_one_as_any_word(place: Place, command: str, verdict: str) -> None:
    """A described program too may write what one of its words names; where it is known to read it,
    or it is the program's own settings, it is not asked about.
    """
    assert str(place.judged(command).verdict) == verdict


BY_DEFAULT = [
    ('echo x > "$CLAUDE_CONFIG_DIR/settings.json"', "ask"), ('rm "$CLAUDE_CONFIG_DIR/settings.json"', "ask"), ('echo x >> "$BASH_ENV"', "ask"),
    ('cp a.py "$XDG_CONFIG_HOME/autostart/x.desktop"', "ask"), ('echo x > "${ZDOTDIR}/.zshrc"', "ask"), ("cp a.py \"$(git config core.hooksPath)/pre-commit\"", "ask"),
    ("mapfile -t A < <(ls ~/.claude/*.json); cp a.py \"${A[0]}\"", "ask"),
    ('echo x > "$XDG_CACHE_HOME/x"', "allow"), ('echo x > "$OUT/settings.json"', "allow"), ('cat "$CLAUDE_CONFIG_DIR/settings.json"', "allow"),
    ('if [ -z "$CLAUDE_CONFIG_DIR" ]; then rm -rf ~/notes; fi', "ask"), ("mapfile -t A < <(ls src/*.py); cp a.py \"${A[0]}\"", "allow"),
    ('D=$CLAUDE_CONFIG_DIR; echo x > "$D/settings.json"', "ask"), ('D="$CLAUDE_CONFIG_DIR"; E=$D; cp a.py "$E/settings.json"', "ask"),
    ('export D=${CLAUDE_CONFIG_DIR}; rm "$D/settings.json"', "ask"), ('f() { local d=$XDG_CONFIG_HOME; cp a.py "$d/autostart/x.desktop"; }; f', "ask"),
    ('D=$OUT; echo x > "$D/settings.json"', "allow"), ('D=$CLAUDE_CONFIG_DIR; cat "$D/settings.json"', "allow"),
    ('D=$CLAUDE_CONFIG_DIR; D=$OUT; echo x > "$D/settings.json"', "allow"), ('D=$CLAUDE_CONFIG_DIR; D=build; echo x > "$D/settings.json"', "allow"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "verdict"), BY_DEFAULT)
def test_a_variable_tells_by_its_name_what_place_it_is(
    place: Place, command: str, verdict: str
) -> None:
    """Whatever it holds: what is written there may be what its default place is. As a condition it
    stays unknown.
    """
    assert str(place.judged(command).verdict) == verdict
