"""The pages of clients: what was proven with which version, from what the tests with real clients
wrote down; and what is only made from pages.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.documented import CLIENTS as DOCUMENTED
from scripts.install_client import CLIENTS as TESTED

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).resolve().parent.parent
PROVEN = TOP / "tests/e2e/proven.json"
MARKS = {"": "", "held": "yes", "skipped": "-", "failed": "**NO**"}
WITHOUT = {
    "Zed": (
        "no hook before a tool: put its MCP servers behind `interlock mcp`, and let its agent be"
        " one of those above, through ACP"
    ),
    "Roo Code": (
        "no hook: put its MCP servers behind `interlock mcp`, and keep its own approval of commands"
        " switched on"
    ),
    "Aider": "no hook: keep its own questions switched on (no `--yes-always`)",
    "Augment, Grok CLI, Kimi, VS Code with Copilot": (
        "hook files of Claude Code's kind, by their pages: "
        "`interlock hook claude-code check` reads the same events; not tried, and no page here"
    ),
}


def matrix() -> Iterator[str]:
    """Yield the page of all clients."""
    yield "# Agent clients"
    yield ""
    yield (
        "What interlock does with which client, and how that is known. *Tried* means: the real"
        " program, in that version, was driven by the tests of"
    )
    yield (
        "this repository against a made-up model (`make e2e`), on Linux and without a person;"
        " nothing interactive, and no other system, was tried."
    )
    yield (
        "Your own installation is proven by `interlock doctor --live` in some seconds"
        " ([how](../doctor.md))."
    )
    yield ""
    yield "## Tried"
    yield ""
    yield "| client | version | interlock is told in | who is asked | install |"
    yield "| --- | --- | --- | --- | --- |"
    for name in CLIENTS:
        yield _row(name)
    yield ""
    yield (
        "What cannot ask a person itself refuses, and says how to approve: `interlock approve ID`,"
        " then the same call again."
    )
    yield ""
    yield "## What was shown"
    yield ""
    yield from _promises()
    yield ""
    yield "## Made from pages only"
    yield ""
    yield (
        "Nobody has run these with interlock. `interlock hook NAME` reads their events as the pages"
        " describe them; `interlock install NAME` prints"
    )
    yield "what you write into their settings, and writes nothing itself."
    yield ""
    yield "| client | if the hook fails |"
    yield "| --- | --- |"
    for name, row in sorted(DOCUMENTED.items()):
        yield f"| [{row.title}]({name}.md) | {row.closed} |"
    yield ""
    yield "## Without a hook of their own"
    yield ""
    for title, words in WITHOUT.items():
        yield f"- {title}: {words}."


def _row(name: str) -> str:
    adapter = adapter_of(name)
    settings = adapter.SETTINGS
    file = settings.plugin.file if settings.plugin is not None else settings.file
    asks = "the client asks" if adapter.asks == "native" else "refused, with a request"
    trust = " --trust" if settings.trusting else ""
    version = TESTED[name].version if name in TESTED else "-"
    return (
        f"| [{name}](../{name}.md) | {version} | `~/{settings.folder}/{file}` | {asks} | `interlock"
        f" install {name}{trust}` |"
    )


def _promises() -> Iterator[str]:
    """Yield the table of what held with which client: the promise of each test, by the version that
    it was last tried with.
    """
    kept = json.loads(PROVEN.read_text(encoding="utf-8"))
    names = [name for name in CLIENTS if name in kept["versions"]]
    yield (
        "Each line is the promise of a test; *yes*: it held with the real client; *-*: the client"
        " has no such thing; empty: a matter of another"
    )
    yield (
        "client, or not run. `INTERLOCK_PROVE=1 make e2e` fills the table; it takes about an hour."
    )
    yield ""
    yield "| | " + " | ".join([f"{name} {kept['versions'][name]}" for name in names]) + " |"
    yield "| --- |" + " --- |" * len(names)
    for promise, held in sorted(
        kept["promises"].items(),
        key=lambda item: (-sum(said == "held" for said in item[1].values()), item[0]),
    ):
        if "held" in held.values() or "failed" in held.values():
            yield (
                f"| {promise.replace('|', '/')} | "
                + " | ".join([MARKS[held.get(name, "")] for name in names])
                + " |"
            )


def page_of(name: str) -> Iterator[str]:
    """Yield the page of a client that is only known from its own pages."""
    row = DOCUMENTED[name]
    kinds = {
        "check": "judged",
        "prompt": "what the person asked for",
        "outcome": "recorded",
        "session": "noted",
        "other": "passed over",
    }
    yield f"# {row.title}"
    yield ""
    yield (
        f"**Documentation only:** this was made from {row.title}'s page, and never run with the"
        " real program. Expect that something is"
    )
    yield "not as described, and try it with a command that is refused before you rely on it."
    yield ""
    yield f"Page: {row.page}, read in November 2026."
    yield ""
    yield (
        f"1. `interlock install {name}` prints the lines below with the command of your"
        " installation. It writes nothing."
    )
    yield f"2. Put them into `{row.file}`:"
    yield ""
    yield "    ```text"
    yield from [f"    {line}" for line in row.snippet.splitlines()]
    yield "    ```"
    yield ""
    yield (
        "3. Start the client anew and have it run `git push --force origin main` in a folder"
        " without a repository: the push must not be tried."
    )
    yield ""
    yield "| event | what interlock does with it |"
    yield "| --- | --- |"
    for event, kind in row.words.kinds.items():
        if kind != "other":
            yield f"| `{event}` | {kinds[kind]} |"
    yield ""
    asked = (
        "is the client's own question"
        if row.asks == "native"
        else "is refused, with a request that `interlock approve` answers"
    )
    yield f"What is to be asked about {asked}. If the hook fails, the page says: {row.closed}."
