"""Options and their values: what an option takes, and what is left for operands."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from tests.effects.reading import seen, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.facts import Unknown

DOES = [
    ("mkdir q; ln -s ~/photos q/r; rm q/r/../old.txt", "deletes=/home/user/old.txt"),
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
    # GNU tar: -s is no option with a value, and long options are abbreviated
    ("tar -csf /etc/cron.d/x src", "writes@persistence"),
    ("tar cf /dev/null x --checkpoint=1 --checkpoint-act=exec='rm -rf /'", "deletes=/"),
    ("tar xf a.tar --to-c='rm -rf /'", "deletes=/"),
    ("tar --use-comp='rm -rf /' -xf a.tar", "deletes=/"),
    ("tar cf a.tar --remove docs", "deletes=/home/user/project/docs"),
    ("tar --delete -f a.tar notes.txt", "writes:in-place"),
    ("tar tvf a.tar --index-file=/etc/cron.d/x", "writes@persistence"),
    ("bsdtar -s ,a,b, -cf /etc/cron.d/x src", "writes@persistence"),
    ("lz4 notes.txt /etc/cron.d/x", "writes=/etc/cron.d/x"),
    ("zstd -T0 notes.txt -o /etc/cron.d/x", "writes@persistence"),
    ("zstd -T notes.txt", "reads=/home/user/project/notes.txt"),
    ("zstd --trace /etc/cron.d/x notes.txt", "writes@persistence"),
    ("brotli notes.txt --output=/etc/cron.d/x", "writes@persistence"),
    ("gzip -S .pem notes.txt", "writes=/home/user/project/notes.txt.pem"),
    ("pigz -p 4 notes.txt", "deletes=/home/user/project/notes.txt"),
    ("pax -wf /etc/cron.d/x docs", "writes@persistence"),
    ("pax -rf a.tar", "writes:extracted"),
    ("pax -rw docs /etc/cron.d", "writes@persistence"),
    ("lzop -U notes.txt", "deletes=/home/user/project/notes.txt"),
    ("brotli -j notes.txt", "deletes=/home/user/project/notes.txt"),
    ("lz4 -9 notes.txt /etc/cron.d/x", "writes=/etc/cron.d/x"),
    ("find docs | cpio -pd --owner 1000 /etc/cron.d", "writes@persistence"),
    ("ar --plugin x rc /etc/cron.d/x a.o", "writes@persistence"),
    ("zip -9 /etc/cron.d/x a.txt", "writes@persistence"),
    ("git clone -4 https://h.test/x /etc/cron.d", "writes@persistence"),
    ("kill -9 -1", "kills-process:all"),
    ("pip --retries 3 install x", "installs"),
    ("make -j clean", "executes=clean"),
    ("make -p clean", "executes=clean"),
    ("killall -g nginx", "kills-process=nginx"),
    # interpreters: what stands before -c and -e
    ("python3 -X dev -c \"import os; os.remove('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("python3 -W ignore -uc \"import os; os.remove('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("python3 -uW ignore -c\"import os; os.remove('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("python3 -Werror -c \"import os; os.remove('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("python3 --check-hash-based-pycs never -c \"import os; os.remove('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("python3 -X dev -m zipfile -e a.zip /etc/cron.d", "writes@persistence"),
    ("python3 -W ignore tool.py", "executes=/home/user/project/tool.py"),
    ("node -pe \"require('fs').unlinkSync('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("node --nobody-knows x -e \"require('fs').unlinkSync('/etc/passwd')\"", "deletes=/etc/passwd"),
    ("ruby -E UTF-8 -e 'File.delete(\"/etc/passwd\")'", "deletes=/etc/passwd"),
    ("ruby -v tool.rb", "executes=/home/user/project/tool.rb"),
    ("perl -d:Trace -e 'unlink \"/etc/passwd\"'", "deletes=/etc/passwd"),
    ("perl -Mstrict -we 'unlink \"/etc/passwd\"'", "deletes=/etc/passwd"),
    ("php -c x.ini -r 'unlink(\"/etc/passwd\");'", "deletes=/etc/passwd"),
    ("php -R 'unlink(\"/etc/passwd\");'", "deletes=/etc/passwd"),
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
    ("tar --checkpoint=100 -cf a.tar src", "runs-code"),
    ("tar --exclude-vcs -cf a.tar src", "deletes"),
    ("pigz -p 4 notes.txt", "deletes=/home/user/project/4"),
    ("lz4 -m a b", "writes=/home/user/project/b"),
    ("lzop notes.txt", "deletes"),
    ("gzip -9 notes.txt", "deletes=/home/user/project/-9"),
    ("make -n clean", "executes=clean"),
    ("ls | entr make", "runs-code"),
    ("python3 -W ignore tool.py", "executes=/home/user/project/ignore"),
    ("python3 tool.py -c 'import os; os.remove(\"/etc/passwd\")'", "deletes"),
    ("python3 -Ic 'print(1)'", "executes"),
    ("node -v", "executes"),
    ("perl -F: -lane 'print 1'", "deletes"),
    ("pax -f a.tar", "writes"),
    ("rename 's/a/b/' x.txt", "runs-code"),
    ("rename 's/a/b/' src/x.txt", "writes@unknown"),
]


@pytest.mark.parametrize(("command", "word"), DOES)
def test_is_seen(command: str, word: str) -> None:
    """What the command would do is among the effects."""
    assert word in seen(command)


LINKED = {"/home/user/project/away": "/home/user/photos", "/home/user/project": "/home/user/project", "/home/user": "/home/user"}
"""A link out of the workspace; the rest is what it seems."""


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("rm away/../old.txt", "deletes=/home/user/old.txt"),
        ("echo x > away/../old.txt", "writes=/home/user/old.txt"),
        ("cd away; rm ../old.txt", "deletes=/home/user/old.txt"),
        ("rm -r away/..", "deletes=/home/user"),
        ("rm src/../old.txt", "deletes=/home/user/project/old.txt"),
        ("rm ../old.txt", "deletes=/home/user/old.txt"),
    ],
)
def test_a_link_is_left_where_it_leads(command: str, word: str) -> None:
    """``..`` after a link goes up from where the link leads, not back to where it lies."""

    class Links(Recorded):
        def real(self, path: str) -> str | Unknown:
            parts: list[str] = []
            for part in path.split("/")[1:]:
                parts = parts[:-1] if part == ".." else LINKED.get("/" + "/".join([*parts, part]), "/" + "/".join([*parts, part])).split("/")[1:]
            return "/" + "/".join(parts)

    call = ToolCall(SHELL, "Bash", {"command": command}, cwd="/home/user/project", roots=("/home/user/project",))
    assert word in words_of(read(call, Links("/home/user")).effects)


@pytest.mark.parametrize(("command", "word"), DOES_NOT)
def test_is_not_seen(command: str, word: str) -> None:
    """Ordinary options do none of it."""
    assert word not in seen(command)


@pytest.mark.parametrize(("command", "held"), [("x", True), ("make", True), ("cd /", False)])
def test_a_folder_that_was_maybe_not_gone_into(command: str, held: bool) -> None:
    """``make && cd /etc; rm -rf x`` deletes here where make failed."""
    assert ("deletes=/home/user/project/x" in seen(f"{command} && cd /etc; rm -rf x")) is held
