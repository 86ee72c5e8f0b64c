"""A path that is partly unknown is what its known end says."""

from __future__ import annotations

import pytest

from interlock.cli.judge import judged

ASKED = (
    "cat $SOMEBODY/.ssh/id_rsa",
    "cat /home/$SOMEBODY/.aws/credentials",
    "cat $ROOT_UNSET/etc/shadow",
    "dd if=/proc/$(pgrep -n sshd)/mem of=dump.bin",
    "strings /proc/$PID_UNSET/environ",
    "echo key >> $SOMEBODY/.ssh/authorized_keys",
    "echo 'me ALL=(ALL) ALL' >> $ROOT_UNSET/etc/sudoers",
    "echo run >> $SOMEBODY/.bashrc",
    "cp hook $PLACE_UNSET/.git/hooks/pre-commit",
)
ALLOWED = (
    "cat $SOMEBODY/.ssh/id_rsa.pub",
    "cat $SOMEBODY/notes.txt",
    "cat /proc/$PID_UNSET/status",
    "cat $ROOT_UNSET/etc/hosts",
    "cp app.service $DESTDIR/etc/systemd/system/",
    "echo run >> $OUT_UNSET/bashrc.txt",
    'cat "$FILE_UNSET"',
)


@pytest.mark.parametrize("command", ASKED)
def test_a_known_end_tells(command: str) -> None:
    """A secret, a file of logins or one that runs later asks, whatever folder it lies in."""
    assert str(judged(command).verdict) == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_other_ends_do_not(command: str) -> None:
    """Other files of unknown folders are ordinary work."""
    assert str(judged(command).verdict) == "allow"
