"""A path that is partly unknown is what its known end says."""

from __future__ import annotations

import pytest

from interlock.cli.judge import judge_text

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
    'mv hook "$PLACE_UNSET/hooks/pre-push"',
    'cp hook "$(git rev-parse --git-dir)/hooks/pre-commit"',
    'cat > "$(git rev-parse --git-path hooks)/commit-msg" < hook',
    "ln -sf ../../hook $(git rev-parse --git-common-dir)/hooks/post-merge",
    'echo "[Service]" > "$SETTINGS_UNSET/systemd/user/x.service"',
)
ALLOWED = (
    "cat $SOMEBODY/.ssh/id_rsa.pub",
    "cat $SOMEBODY/notes.txt",
    "cat /proc/$PID_UNSET/status",
    "cat $ROOT_UNSET/etc/hosts",
    "cp app.service $DESTDIR/etc/systemd/system/",
    "echo run >> $OUT_UNSET/bashrc.txt",
    'cp use-foo.ts "$OUT_UNSET/hooks/use-foo.ts"',
    "ls $(git rev-parse --git-dir)/hooks",
    'cat "$(git rev-parse --git-dir)/HEAD"',
    'echo x > "$OUT_UNSET/user/x.service"',
    'cat "$FILE_UNSET"',
)


@pytest.mark.parametrize("command", ASKED)
def test_a_known_end_tells(command: str) -> None:
    """A secret, a file of logins or one that runs later asks, whatever folder it lies in."""
    assert str(judge_text(command).verdict) == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_other_ends_do_not(command: str) -> None:
    """Other files of unknown folders are ordinary work."""
    assert str(judge_text(command).verdict) == "allow"
