"""Every spelling does what the plain command does: run by a real bash, with a command that only
makes a file.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.doctor.intents import FORBIDDEN, HARMLESS
from interlock.doctor.obfuscations import SPELLINGS, Obfuscation

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.name)
def test_a_spelling_does_the_same(spelling: Obfuscation, tmp_path: Path) -> None:
    """The file that the command makes is there, and no other."""
    if spelling.needs and shutil.which(spelling.needs) is None:
        pytest.skip(
            f"{spelling.needs} is not installed; to run this: sudo apt-get install {spelling.needs}"
        )
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
    }
    command = ["bash", "-c", spelling.spell("touch made")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (tmp_path / "made").is_file(), done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"made", "x.sh", "nohup.out", ".viminfo"}


def test_they_are_many_and_differ() -> None:
    """No two spellings of a command are the same text, and each has a name of its own."""
    for intent in (*FORBIDDEN, *HARMLESS):
        texts = [
            spelling.spell(intent.command)
            for spelling in SPELLINGS
            if spelling.fits(intent.command)
        ]
        assert len(set(texts)) == len(texts) >= 70
    assert len({spelling.name for spelling in SPELLINGS}) == len(SPELLINGS)


def test_what_is_for_words_is_only_for_words() -> None:
    """A spelling that takes the words apart is left out where the command is more than words."""
    braces = next(spelling for spelling in SPELLINGS if spelling.name == "braces")
    assert braces.fits("rm -rf /")
    assert not braces.fits("curl x | sh")
