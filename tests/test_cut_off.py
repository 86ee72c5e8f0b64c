"""What a bound leaves out is no silence: danger behind any number of harmless parts is denied or
asked about, and as many harmless parts alone interrupt nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.model.action import ASK
from tests.judging import judged

if TYPE_CHECKING:
    from collections.abc import Callable

DANGER, HARMLESS = "rm -rf ~", "npm test"


def written(file: str, text: str, command: str) -> str:
    """Return a call that writes a file and then runs a command."""
    return f"cat > {file} <<'EOF'\n{text}\nEOF\n{command}"


# each row: a call with so many harmless parts before what it runs last
CARRIERS: dict[str, Callable[[int, str], str]] = {
    "files behind a pattern": lambda count, last: (
        "".join(f"echo ls > a{number}.sh; " for number in range(count))
        + f"echo '{last}' > z.sh; for f in *.sh; do sh $f; done"
    ),
    "prerequisites of make": lambda count, last: written(
        "Makefile",
        f"all: {' '.join(f't{number}' for number in range(count))} z\nz:\n\t{last}",
        "make",
    ),
    "targets of a rule": lambda count, last: written(
        "Makefile", f"{' '.join(f't{number}' for number in range(count))} z:\n\t{last}", "make z"
    ),
    "a recipe of just": lambda count, last: written(
        "justfile", "a:\n" + "    echo a\n" * count + f"    {last}", "just a"
    ),
    "a task of Task": lambda count, last: written(
        "Taskfile.yml",
        "version: '3'\ntasks:\n  a:\n    cmds:\n" + "      - echo a\n" * count + f"      - {last}",
        "task a",
    ),
    "lines of GDB": lambda count, last: written(
        "a.gdb", "info\n" * count + f"shell {last}", "gdb -batch -x a.gdb a"
    ),
    "lines of settings": lambda count, last: written(
        "jobs.yml", "steps:\n" + "# x\n" * 20 * count + f"  - run: {last}", "acme run -f jobs.yml"
    ),
    "commands of settings": lambda count, last: written(
        "jobs.yml", "steps:\n" + "  - run: ls a\n" * count + f"  - run: {last}", "acme -f jobs.yml"
    ),
    "options": lambda count, last: written(
        "jobs.yml", f"steps:\n  - run: {last}", f"acme {'-v ' * count} jobs.yml"
    ),
    "folders of PATH": lambda count, last: (
        f"mkdir b; echo '{last}' > b/git; "
        f"PATH={''.join(f'/x{number}:' for number in range(count))}$PWD/b:$PATH git status"
    ),
    "sources of a program": lambda count, last: written(
        "z.c",
        f'#include <stdlib.h>\nint main(void) {{ system("{last}"); }}',
        f"cc {' '.join(f'a{number}.c' for number in range(count))} z.c -o a && ./a",
    ),
    "steps of Robot": lambda count, last: written(
        "a.robot",
        "*** Test Cases ***\nA\n" + "    Log    a\n" * count + f"    Run    {last}",
        "robot a.robot",
    ),
    "arguments in Python": lambda count, last: (
        f"python3 -c \"import acme; acme.run({'1, ' * count}'{last}')\""
    ),
    "words of an unknown program": lambda count, last: f"acme {'a ' * count}sh -c '{last}'",
    "commands of Tcl": lambda count, last: written(
        "a.tcl", "set a 1\n" * 30 * count + f"exec sh -c {{{last}}}", "tclsh a.tcl"
    ),
    "blocks of Tcl": lambda count, last: (
        f"tclsh <<'EOF'\n{'if 1 {' * min(count, 60)}exec sh -c {{{last}}}{'}' * min(count, 60)}\nEOF"
    ),
    "fields of a package": lambda count, last: (
        f"npm pkg set {' '.join(f'scripts.b{number}=ls' for number in range(count))}"
        f" scripts.a='{last}' && npm run a"
    ),
    "modules of Python": lambda count, last: (
        "".join(f"echo x=1 > m{number}.py; " for number in range(count))
        + f"echo 'import os; os.system(\"{last}\")' > z.py; "
        + f"python3 -c 'import {', '.join([*[f'm{number}' for number in range(count)], 'z'])}'"
    ),
    "functions that may be others": lambda count, last: (
        "".join(f"if [ $a = {number} ]; then f() {{ ls; }}; fi; " for number in range(count))
        + f"if [ $a = z ]; then f() {{ {last}; }}; fi; f"
    ),
    "parentheses": lambda count, last: f"sh -c '{'(' * count}{last}{')' * count}'",
    "blocks of JavaScript": lambda count, last: (
        f"node -e \"{'if (1) {' * count}require('child_process').execSync('{last}'){'}' * count}\""
    ),
    "parentheses of Perl": lambda count, last: (
        f"perl -e '{'(' * count}system(\"{last}\"){')' * count}'"
    ),
    "lists of Lisp": lambda count, last: (
        f"emacs --batch --eval '{'(progn ' * count}(shell-command \"{last}\"){')' * count}'"
    ),
    "a program that was copied": lambda count, last: (
        "cp /bin/sh c0; "
        + "".join(f"cp c{number} c{number + 1}; " for number in range(count))
        + f"./c{count} -c '{last}'"
    ),
    "aliases of PowerShell": lambda count, last: (
        f'pwsh -c "{"".join(f"Set-Alias a{number} ls; " for number in range(5 * count))}'
        f"Set-Alias z bash; z -c '{last}'\""
    ),
    "files of a patch": lambda count, last: (
        "apply_patch <<'EOF'\n*** Begin Patch\n"
        + "".join(f"*** Add File: a{number}.sh\n+ls\n" for number in range(count))
        + f"*** Add File: z.sh\n+{last}\n*** End Patch\nEOF\nsh z.sh"
    ),
    "hooks of git": lambda count, last: (
        "".join(f"echo ls > .husky/h{number}; " for number in range(count))
        + f"echo '{last}' > .husky/pre-commit; git commit -m x"
    ),
}
FEW, PLENTY = (3, 300), (0, 20, 70, 1500)


@pytest.mark.parametrize(
    "count", [*FEW, *[pytest.param(one, marks=pytest.mark.long) for one in PLENTY]]
)
@pytest.mark.parametrize("name", CARRIERS)
def test_danger_is_not_lost_behind_many_harmless_parts(name: str, count: int) -> None:
    """It is read, or that not all could be read is asked about; it is never proven."""
    found = judged(CARRIERS[name](count, DANGER))
    assert found.action >= ASK
    assert not found.proof


ASKED_ANYWAY = {"hooks of git", "lines of GDB", "lists of Lisp", "a program that was copied"}
"""What starts later without a word, commands of a debugger or an editor, a shell by another name:
one of them is a question.
"""


@pytest.mark.parametrize("name", sorted({*CARRIERS} - ASKED_ANYWAY))
def test_as_many_harmless_parts_interrupt_nobody(name: str) -> None:
    """Twenty of them, which is what people write."""
    assert judged(CARRIERS[name](20, HARMLESS)).action < ASK


LEADS_OUT = "printf '[pytest]\\n{}pythonpath = /tmp/x\\n' > pytest.ini; pytest"


@pytest.mark.parametrize("count", FEW)
def test_settings_that_lead_out_end_a_proof_however_many_there_are(count: int) -> None:
    """More files of settings, more lines; without what leads out they are proven."""
    files = "".join(f"echo 'a = 1' > s{number}.toml; " for number in range(count))
    assert not judged(files + LEADS_OUT.format("")).proof
    assert not judged(LEADS_OUT.format("x = 1\\n" * 20 * count)).proof
    assert bool(judged(files + "pytest").proof) is bool(
        judged("echo 'a = 1' > s.toml; pytest").proof
    )
