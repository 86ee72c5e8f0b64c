"""Options and their values: what an option takes, and what is left for operands."""

from __future__ import annotations

import pytest

from tests.effects.reading import seen

DOES = [
    # a value that may be missing is never the next word
    ("echo x | xargs -l rm -rf /etc", "deletes=/etc"),
    ("echo x | xargs -l1 rm -rf /etc", "deletes=/etc"),
    ("watch -d rm -rf /etc", "deletes=/etc"),
    ("watch --differences rm -rf /etc", "deletes=/etc"),
    # an option that the row does not know may take the next word, or not: both are read
    ("timeout --nobody-knows 5 10 git reset --hard", "discards-work:tracked"),
    ("stdbuf --nobody-knows L git reset --hard", "discards-work:tracked"),
    ("nice --nobody-knows git reset --hard", "discards-work:tracked"),
    ("setsid -y L git reset --hard", "discards-work:tracked"),
    # with a reference there is no owner among the operands
    ("chown --reference=a /etc/shadow", "changes-mode=/etc/shadow"),
    ("chgrp --ref=a /etc/shadow", "changes-mode=/etc/shadow"),
    ("chmod u=rwxs,go=rx /usr/local/bin/x", "changes-mode:setuid"),
    ("chmod u+x,o+w /srv/x", "changes-mode:world-writable"),
    ("install -m 4755 x /usr/local/bin/x", "changes-mode:setuid"),
    ("install -s --strip-program=./evil a b", "executes:by-path"),
    ("split -l 1 notes.txt /etc/cron.d/x", "writes@persistence"),
    ("split --fil='rm -rf /' notes.txt", "deletes=/"),
    ("csplit --pref=/etc/cron.d/x notes.txt 2", "writes@persistence"),
    ("rename 'system(\"rm -rf /\")' x", "deletes=/"),
    ("rename 's,^,/etc/cron.d/,' x", "writes@persistence"),
    ("rename -e 's/a/b/' x", "deletes:moved"),
]
DOES_NOT = [
    ("echo a | xargs -l5 git show", "deletes"),
    ("watch -d git status", "discards-work"),
    ("nice -n 5 ./tool git", "discards-work"),
    ("stdbuf -oL ./tool reset", "discards-work"),
    ("chown --from=a b c.txt", "changes-mode=/home/user/project/b"),
    ("chmod u=rwx,go=rx x", "changes-mode:world-writable"),
    ("chmod o-w,g-s x", "changes-mode:setuid"),
    ("install -m 755 x y", "changes-mode"),
    ("rename .htm .html a.htm", "runs-code"),
    ("rename 's/a/b/' x.txt", "runs-code"),
    ("rename 's/a/b/' src/x.txt", "writes@unknown"),
]


@pytest.mark.parametrize(("command", "word"), DOES)
def test_is_seen(command: str, word: str) -> None:
    """What the command would do is among the effects."""
    assert word in seen(command)


@pytest.mark.parametrize(("command", "word"), DOES_NOT)
def test_is_not_seen(command: str, word: str) -> None:
    """Ordinary options do none of it."""
    assert word not in seen(command)
