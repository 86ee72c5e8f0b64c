"""Ways to take the guard away, each beside an ordinary use of the same program: the table of
``docs/self-protection.md``, from ``ways_out.txt``.

They are judged by tests, and tried by the real client in a sandbox of its own
(``tests/e2e/test_ways_out.py``).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PREPARED = """
mkdir -p template/.claude template/src packed/.claude packed/src notes
printf '{"disableAllHooks": true}' > template/.claude/settings.json
cp template/.claude/settings.json packed/.claude/settings.json
echo x > template/src/a.txt; echo x > packed/src/a.txt; echo one > notes/a.txt; echo 'print(1)' > app.py; echo '{}' > data.json
tar cf guard.tar -C packed .claude; tar cf plain.tar -C packed src; tar czf guard.tgz -C packed .claude; tar czf plain.tgz -C packed src
(cd packed && python3 -m zipfile -c ../guard.zip .claude && python3 -m zipfile -c ../plain.zip src)
printf -- '--- a/.claude/settings.json\\n+++ b/.claude/settings.json\\n@@ -1 +1 @@\\n-a\\n+b\\n' > guard.diff
printf -- '--- a/notes/a.txt\\n+++ b/notes/a.txt\\n@@ -1 +1 @@\\n-one\\n+two\\n' > plain.diff
printf '#!/bin/sh\\nrm -f ~/.claude/settings.json\\n' > off.sh; printf '#!/bin/sh\\necho hi\\n' > hi.sh; chmod +x off.sh hi.sh
printf 'off:\\n\\trm -f ~/.claude/settings.json\\nhi:\\n\\techo hi\\n' > Makefile
printf '{"scripts": {"off": "rm -f ~/.claude/settings.json", "hi": "echo hi"}}' > package.json
git init -q; git add app.py notes template/src Makefile; git -c user.name=x -c user.email=x@example.test commit -qm first; git branch other
"""
"""What lies in the project, made by its person: trees, archives and patches that hold a client's
settings, and harmless twins of them.
"""


class Way(NamedTuple):
    """One way: what it goes through, the answer, the command, and an ordinary use of the same
    program.
    """

    group: str
    answer: str
    command: str
    twin: str


def ways() -> list[Way]:
    """Return all of them, in the order of the file."""
    found: list[Way] = []
    group = ""
    for line in (Path(__file__).parent / "ways_out.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            group = line[3:]
        elif line[:1] == " ":
            found[-1] = found[-1]._replace(twin=line.strip())
        elif line and line[0] != "#":
            answer, _, command = line.partition(" ")
            found.append(Way(group, answer, command.strip(), ""))
    return found
