"""The plugins that clients load, run by Node.js as their client would run them: whatever interlock
does, a call runs only where it was let through.

One process of Node.js for each client judges with every stub of an interlock at once; with the real
clients it is ``make e2e``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from interlock.integrations.clients import adapter_of
from interlock.integrations.install import HookCommand
from interlock.integrations.plugin import text_of

NODE = shutil.which("node")
DRIVER = Path(__file__).with_name("plugins.mjs")
CLIENTS = ("opencode", "pi")
ASKING = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"may it?"}}'
WORDLESS, ALLOWING = ASKING.replace("may it?", ""), ASKING.replace('"ask"', '"allow"')
CONTEXT = '{"hookSpecificOutput":{"hookEventName":"X","additionalContext":"take care"}}'
pytestmark = [
    pytest.mark.skipif(
        NODE is None,
        reason="what clients load is JavaScript; to run this: sudo apt-get install nodejs",
    ),
    pytest.mark.skipif(
        sys.platform == "win32", reason="its stubs of an interlock are shell programs"
    ),
]

STUBS = {
    "allowed": "cat >/dev/null; exit 100",
    "warned": f"cat >/dev/null; echo '{CONTEXT}'; exit 100",
    "told": 'cat >/dev/null; echo \'{"systemMessage":"the user reads this"}\'; exit 100',
    "unread": "exit 100",
    "subagent": "cat >/dev/null; exit 100",
    "quoted": "cat >/dev/null; exit 100",
    "half-quoted": "cat >/dev/null; exit 100",
    "proven": f"cat >/dev/null; echo '{ALLOWING}'; exit 100",
    "approved": f"cat >/dev/null; echo '{ASKING}'; exit 100",
}
"""What an interlock says that lets the call run. All of them end ``note`` events with 0, and log
what they were told.
"""
REFUSING = {
    "refused": (
        "cat >/dev/null; echo '{}'; echo 'because of a rule' >&2; exit 2",
        "because of a rule",
    ),
    "silent": ("cat >/dev/null; exit 2", "interlock failed (exit 2)"),
    "ended-well": ("cat >/dev/null; exit 0", "interlock failed (exit 0)"),
    "crashed": ("cat >/dev/null; echo Traceback >&2; exit 1", "interlock failed (exit 1)"),
    "garbage": (
        "cat >/dev/null; echo '{{ this is no answer'; exit 100",
        "interlock failed (no answer)",
    ),
    "cut-off": (
        f"cat >/dev/null; printf %s '{CONTEXT[:-3]}'; exit 100",
        "interlock failed (no answer)",
    ),
    "wordless": ("cat >/dev/null; echo '{}'; exit 100", "interlock failed (no answer)"),
    "wrong-words": (
        "cat >/dev/null; echo '{\"systemMessage\":7}'; exit 100",
        "interlock failed (no answer)",
    ),
    "asked": (f"cat >/dev/null; echo '{ASKING}'; exit 100", "may it?"),
    "asked-for-nothing": (
        f"cat >/dev/null; echo '{WORDLESS}'; exit 100",
        "interlock failed (no answer)",
    ),
    "allowed-without-a-reason": (
        f"cat >/dev/null; echo '{ALLOWING.replace('may it?', '')}'; exit 100",
        "interlock failed (no answer)",
    ),
    "null": ("cat >/dev/null; echo null; exit 100", "interlock failed (no answer)"),
    "killed": ("kill -9 $$", "interlock failed (it was ended by SIGKILL)"),
    "late": ("exec sleep 30", "interlock failed (it ran out of time"),
    "missing": (None, "interlock failed ("),
    "circular": ("cat >/dev/null; exit 100", "interlock failed ("),
    "unknown-session": ("cat >/dev/null; exit 100", ""),
}
"""What an interlock, or what surrounds it, does that does not, and what the model reads."""


@cache
def judged(client: str) -> dict[str, Any]:
    """Return what became of a call under each stub, and what the stub was told (``told``)."""
    plugin = adapter_of(client).SETTINGS.plugin
    assert plugin is not None
    assert NODE is not None
    with TemporaryDirectory() as place:
        folder, files = Path(place), []
        for name, body in {**STUBS, **{name: body for name, (body, _) in REFUSING.items()}}.items():
            program, file = folder / f"{name} it's.sh", folder / f"{name}.mjs"
            if body is not None:
                telling = f'if [ "$5" = note ]; then cat >>"{folder}/{name}.log"; echo >>"{folder}/{name}.log"; echo \'{CONTEXT}\'; exit 0; fi'
                program.write_text(f"#!/bin/sh\n{telling}\n{body}\n")
                program.chmod(0o755)
            file.write_text(
                text_of(plugin, HookCommand(str(program), "hook.py", client)).replace(
                    "25_000", "700" if name == "late" else "20_000"
                )
            )
            files.append(str(file))
        done = subprocess.run(
            [NODE, str(DRIVER), client, *files],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        results: dict[str, Any] = json.loads(done.stdout)
        for name, result in results.items():
            log = folder / f"{name}.log"
            result["told"] = (
                [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
            )
    return results


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", REFUSING)
def test_what_is_no_answer_runs_nothing(client: str, name: str) -> None:
    """A refusal, a failure, nonsense, silence or an end of interlock blocks the call, and the model
    reads one sentence why.
    """
    result = judged(client)[name]
    assert result["ran"] is False
    assert REFUSING[name][1] in result["said"]
    assert "Traceback" not in result["said"]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("allowed", "it ran"),
        ("unread", "it ran"),
        ("warned", "take care"),
        ("told", "the user reads this"),
    ],
)
def test_what_is_let_through_runs(client: str, name: str, said: str) -> None:
    """A call that interlock lets through runs, and its warning stands at the end of what the model
    reads.
    """
    result = judged(client)[name]
    assert result["ran"] is True
    assert result["said"].startswith("it ran")
    assert result["said"].endswith(said)


@pytest.mark.parametrize("client", CLIENTS)
def test_events(client: str) -> None:
    """The session, what the person said and what became of the call are told, in this order; what
    others say in the person's name is not.
    """
    told = judged(client)["allowed"]["told"]
    assert [event["hook_event_name"] for event in told] == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
    ]
    assert {event["session_id"] for event in told} == {"top"}
    assert {event["cwd"] for event in told} == {"/w/p"}
    assert told[1]["prompt"] == "please"
    assert (told[2]["tool_name"], told[2]["tool_input"], told[2]["tool_use_id"]) == (
        "bash",
        {"command": "touch canary"},
        "c1",
    )
    assert "it ran" in json.dumps(told[2]["tool_response"])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_refused_call_has_no_outcome(client: str) -> None:
    """Of a call that did not run nothing more is told."""
    assert [event["hook_event_name"] for event in judged(client)["refused"]["told"]] == [
        "SessionStart",
        "UserPromptSubmit",
    ]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_model_is_greeted(client: str) -> None:
    """What interlock says at the start of a session stands in the system prompt; a failure there is
    for the user, and no words for the model.
    """
    results = judged(client)
    assert "take care" in results["allowed"]["system"][0]
    assert results["missing"]["system"] == []
    assert any("interlock failed" in text for text in results["missing"]["logged"])


def test_a_person_at_pi_is_asked() -> None:
    """Where a person sits at Pi's terminal they are shown the reason, the first choice is no, and
    their yes lets the call run.
    """
    said_yes = judged("pi")["approved"]
    assert (said_yes["ran"], said_yes["said"]) == (True, "it ran")
    assert said_yes["shown"] == [["may it?", "No", "Yes, this once"]]
    said_no = judged("pi")["asked"]
    assert (said_no["ran"], said_no["shown"]) == (False, said_yes["shown"])
    assert "The user did not approve this call" in said_no["said"]
    assert {event["attended"] for event in said_yes["told"]} == {True}


def test_a_subagent_of_opencode_belongs_to_the_session_of_the_person() -> None:
    """A sub-agent's call is told with the person's session and its own; what the model asked of it
    is no prompt.
    """
    [told] = judged("opencode")["subagent"]["told"]
    assert (told["hook_event_name"], told["session_id"], told["agent_id"]) == (
        "PostToolUse",
        "top",
        "sub",
    )


def test_quotes_of_opencodes_command_line_are_no_part_of_a_prompt() -> None:
    """What ``opencode run`` quotes is told as the person wrote it; quotes of their own stay."""
    assert judged("opencode")["quoted"]["told"][1]["prompt"] == 'say "no" twice'
    assert judged("opencode")["half-quoted"]["told"][1]["prompt"] == '"say" it "twice"'


def test_only_the_plugin_lifts_the_second_line() -> None:
    """The plugin takes out of OpenCode's settings what denies everything, and leaves what the user
    wrote.
    """
    rules = {
        "bash": "ask",
        "edit": {"*": "ask", "*.env": "ask"},
        "read": {"*": "ask", "docs/*": "allow"},
    }
    assert judged("opencode")["allowed"]["config"] == {"permission": rules}


def test_opencodes_own_question_is_answered_about_what_is_proven_harmless_alone() -> None:
    """Where its settings ask about every use of a tool; a rule that names something, a loop, and
    what is not proven stay the user's.
    """
    assert judged("opencode")["proven"]["replies"] == [
        ["top", "p-bash", "once"],
        ["top", "p-read", "once"],
    ]
    assert judged("opencode")["allowed"]["replies"] == []
