"""Files that are started by their path are read as the system would start them: by their first
line, or as a shell's text.
"""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin

HOME = "/home/user"
ROOT = f"{HOME}/project"
PYTHON, SHELL_TEXT = 'import shutil\nshutil.rmtree("{}")\n', "rm -rf {}\n"
BAD, GOOD = "/srv/data", f"{ROOT}/build"
FIRST = [
    ("", SHELL_TEXT),
    ("#!/bin/sh\n", SHELL_TEXT),
    ("#! /usr/bin/env bash\n", SHELL_TEXT),
    ("#!/bin/sh -e\n", SHELL_TEXT),
    ("#!/usr/bin/python3 -I\n", PYTHON),
    ("#!/usr/bin/env -S python3 -I\n", PYTHON),
    ("#!/usr/bin/env -S A=1 python3\n", PYTHON),
    ("#!/usr/bin/env lua\n", 'os.execute("rm -rf {}")\n'),
    ("#!/usr/bin/tclsh\n", "exec rm -rf {}\n"),
    ("#!/usr/bin/make -f\n", "all:\n\trm -rf {}\n"),
    ("#!/usr/bin/env perl\n", 'system("rm -rf {}");\n'),
]


def verdict(command: str, **texts: str) -> str:
    """Judge a command with files of the workspace as they are known."""
    facts = Recorded(HOME, texts={f"{ROOT}/{name}": text for name, text in texts.items()})
    call = ToolCall(SHELL, SHELL, {"command": command}, cwd=ROOT, roots=(ROOT,))
    return str(decide(call, read(call, facts), builtin(), "test").verdict)


@pytest.mark.parametrize(("first", "text"), FIRST)
@pytest.mark.parametrize(("target", "stopped"), [(BAD, True), (GOOD, False)])
def test_a_file_there_is_read_by_its_first_line(
    first: str, text: str, target: str, *, stopped: bool
) -> None:
    """Whatever runs it, what it deletes is seen; its twin that deletes build output runs."""
    assert (verdict("./task", task=first + text.format(target)) in ("ask", "deny")) is stopped


@pytest.mark.parametrize(("first", "text"), FIRST)
@pytest.mark.parametrize(("target", "stopped"), [(BAD, True), (GOOD, False)])
def test_a_file_written_by_the_call_is_read_alike(
    first: str, text: str, target: str, *, stopped: bool
) -> None:
    """Written, made a program and started in one call."""
    command = f"cat > task <<'END'\n{first}{text.format(target)}END\nchmod +x task && ./task"
    assert (verdict(command) in ("ask", "deny")) is stopped


def test_an_interpreter_that_is_named_reads_it_its_own_way() -> None:
    """To Python a first line of a shell is a comment; Perl obeys one that names another program."""
    assert verdict("python3 task", task="#!/bin/sh\n" + PYTHON.format(BAD)) in ("ask", "deny")
    assert verdict("python3 task", task="#!/bin/sh\n" + PYTHON.format(GOOD)) == "allow"
    assert verdict("perl task", task="#!/bin/sh\n" + SHELL_TEXT.format(BAD)) in ("ask", "deny")
    assert verdict("perl task", task="#!/bin/sh\n" + SHELL_TEXT.format(GOOD)) == "allow"


def test_words_reach_the_file() -> None:
    """What is said behind its name is what the file does it to."""
    assert verdict("./task /srv/data", task='rm -rf "$1"\n') in ("ask", "deny")
    assert verdict("./task build", task='rm -rf "$1"\n') == "allow"


def test_awk_is_named_with_its_option() -> None:
    """``#!/usr/bin/awk -f`` hands the file over as awk's program."""
    assert verdict("./task", task='#!/usr/bin/awk -f\nBEGIN { system("rm -rf /srv/data") }\n') in (
        "ask",
        "deny",
    )
    assert (
        verdict("./task", task='#!/usr/bin/awk -f\nBEGIN { print "rm -rf /srv/data" }\n') == "allow"
    )


@pytest.mark.parametrize("first", ["#!./task\n", "#!/usr/bin/env ./task\n", "#!./other\n"])
def test_a_first_line_that_names_itself_ends(first: str) -> None:
    """What runs itself for ever is not read for ever: a person is asked."""
    assert verdict("./task", task=first, other="#!./task\n") == "ask"
    assert (
        verdict(
            f"cat > task <<'END'\n{first}END\nprintf '#!./task\\n' > other\nchmod +x task other && ./task"
        )
        == "ask"
    )
