"""Sessions that do not begin at the top of their project: what their workspace is, and what a
person's yes makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guard.scenarios import Session

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.call import ToolCall

APP = "! git init -q {H}/work/app && mkdir -p {H}/work/app/src {H}/work/app/old && touch {H}/work/app/old/a {H}/work/app/old/b {H}/work/app/c"
SCENARIOS = {
    # -- in a part of a repository: the repository is the workspace
    "a part of a repository": (
        "~ {H}/project/src\nw {H}/project/README.md => allow\n? rm ../.gitignore => allow\n? git commit -am x => allow\nw {H}/other/a.py => ask"
    ),
    "a work tree is a repository of its own": (
        "! git worktree add -q {H}/fix -b fix\n~ {H}/fix/src\nw {H}/fix/README.md => allow\nw {H}/project/README.md => ask"
    ),
    "a home folder that is a repository is no workspace": (
        "! git init -q {H} && mkdir -p {H}/notes/a\n~ {H}/notes/a\nw {H}/notes/a/b.md => allow\nw {H}/notes/b.md => ask\nw {H}/x.md => ask"
    ),
    "a hidden folder that is a repository is no workspace": (
        "! git init -q {H}/.dotfiles && mkdir -p {H}/.dotfiles/a\n~ {H}/.dotfiles/a\nw {H}/.dotfiles/b => ask"
    ),
    "all documents in one repository are no workspace": (
        "! git init -q {H}/Documents && mkdir -p {H}/Documents/a\n~ {H}/Documents/a\nw {H}/Documents/a/x.md => allow\nw {H}/Documents/x.md => ask"
    ),
    # -- in the home folder: a yes to work in a project makes it the workspace
    "a yes to a file of a project": (
        f"{APP}\n~ {{H}}\nw {{H}}/work/app/a.py => ask\nw {{H}}/work/app/b.py => allow\n? rm {{H}}/work/app/c => allow\n"
        "? cd {H}/work/app && git checkout -b x => allow\n? chmod +x {H}/work/app/src => allow\nw {H}/work/other/a.py => ask"
    ),
    "its rules hold there": f"{APP}\n~ {{H}}\nw {{H}}/work/app/a.py => ask\n? rm -r {{H}}/work/app/old => ask\n? rm -rf {{H}}/work => ask",
    "a yes to a change of its repository": (
        f"{APP}\n~ {{H}}\n? cd {{H}}/work/app && git checkout -b x => ask\nw {{H}}/work/app/b.py => allow\n? rm {{H}}/work/app/c => allow"
    ),
    "a yes to a deletion in it": f"{APP}\n~ {{H}}\n? rm {{H}}/work/app/old/a => ask\n? rm {{H}}/work/app/old/b => allow\n? rm {{H}}/x => ask",
    "a project that a file describes": (
        "! mkdir -p {H}/work/site/src && echo '{}' > {H}/work/site/package.json && touch {H}/work/site/a\n~ {H}\nw {H}/work/site/src/a.js => ask\n"
        "? rm {H}/work/site/a => allow\n? rm {H}/work/b => ask"
    ),
    "a folder that nothing describes": (
        "! mkdir -p {H}/work/loose && touch {H}/work/loose/a\n~ {H}\nw {H}/work/loose/b => ask\nw {H}/work/loose/c => allow\n"
        "? rm {H}/work/loose/a => ask"
    ),
    "a no": f"{APP}\n~ {{H}}\nw {{H}}/work/app/a.py =>? ask\nw {{H}}/work/app/b.py =>? ask\n? rm {{H}}/work/app/c => ask",
    "another session": f"{APP}\n~ {{H}}\nw {{H}}/work/app/a.py => ask\n? rm {{H}}/work/app/c => allow\n@ next\nw {{H}}/work/app/b.py => ask",
    "two projects in one question": (
        f"{APP}\n! git init -q {{H}}/work/two && touch {{H}}/work/two/x\n~ {{H}}\n? rm {{H}}/work/app/old/a {{H}}/work/two/x => ask\n"
        "? rm {H}/work/app/c => ask\n? rm {H}/work/two/x => ask"
    ),
    "two projects one after the other": (
        f"{APP}\n! git init -q {{H}}/work/two && touch {{H}}/work/two/x\n~ {{H}}\nw {{H}}/work/app/a.py => ask\n? rm {{H}}/work/app/c => allow\n"
        "w {H}/work/two/a.py => ask\n? rm {H}/work/two/x => ask\n? rm {H}/work/app/old/a => allow"
    ),
    "what starts by itself or lets in is asked about as ever": (
        f"{APP}\n~ {{H}}\n? echo x >> {{H}}/.bashrc => ask\n? rm {{H}}/work/app/c => ask\nw {{H}}/work/app/.git/hooks/pre-commit => ask"
    ),
    "a link into another folder": (
        f"{APP}\n! mkdir {{H}}/photos && touch {{H}}/photos/x && ln -s {{H}}/photos {{H}}/work/app/photos\n~ {{H}}\nw {{H}}/work/app/a.py => ask\n"
        "? rm {H}/work/app/photos/x => ask\n? rm {H}/work/app/c => allow"
    ),
    # -- in a part of a project that is no repository: the project is joined by a yes, another one i
    "a part of a project": (
        "! mkdir -p {H}/work/site/src && echo '{}' > {H}/work/site/package.json && touch {H}/work/site/a {H}/work/b\n~ {H}/work/site/src\n"
        "w {H}/work/site/src/a.js => allow\nw {H}/work/site/index.html => ask\n? rm {H}/work/site/a => allow\n? rm {H}/work/b => ask"
    ),
    "another project": f"{APP}\nw {{H}}/work/app/a.py => ask\nw {{H}}/work/app/b.py => allow\n? rm {{H}}/work/app/c => ask",
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_where_a_session_begins(tmp_path: Path, name: str) -> None:
    """Each call is answered as its line says, and every call that is asked about is granted."""
    assert Session(tmp_path).play(SCENARIOS[name]) == []


def test_the_question_says_what_a_yes_adds(tmp_path: Path) -> None:
    """In one sentence, once; where a yes adds nothing, nothing is said."""
    session = Session(tmp_path)
    session.do("git init -q ../work/app")
    session.folder = str(session.home)
    first = session.judge("w", f"{session.home}/work/app/a.py")
    assert [one.message for one in first.findings if one.rule == "session.workspace"] == [
        "A yes makes ~/work/app part of this session's workspace: the rules for the workspace hold there until the session ends"
    ]
    for path in ("work/app/b.py", "x.md"):
        assert all(
            one.rule != "session.workspace"
            for one in session.judge("w", f"{session.home}/{path}").findings
        )


def test_a_call_that_nobody_reports_on_adds_nothing(tmp_path: Path) -> None:
    """A client that never says that a call ran, or a call without an id, joins no project."""
    session = Session(tmp_path)
    session.do("git init -q ../work/app && touch ../work/app/c")
    session.folder = str(session.home)
    call: ToolCall = session.call("w", f"{session.home}/work/app/a.py").replace(call_id="")
    assert str(session.guard().check(call).verdict) == "ask"
    assert str(session.judge("?", f"rm {session.home}/work/app/c").verdict) == "ask"
