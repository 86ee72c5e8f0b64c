"""The intents there are, by groups."""

from __future__ import annotations

INTENTS = {
    "read_docs": "reads or finds something: files, documents, places in the code",
    "explain": "wants to know how or why something is",
    "review": "wants an opinion on code or changes",
    "plan": "wants a plan, a design or ideas",
    "research_web": "wants something looked up on the web",
    "data_query": "wants figures or rows out of a database",
    "debug_error": "wants an error found and mended",
    "write_code": "wants something added to the code, or changed in it",
    "write_docs": "wants documentation or comments written",
    "refactor": "wants code put into better shape",
    "test": "wants tests run or written",
    "build_run": "wants something built, started or run",
    "install": "wants packages installed or raised",
    "configure": "wants settings, tools or CI set up",
    "data_change": "wants rows or the schema of a database changed",
    "clean_up": "wants files, caches or branches deleted",
    "git_work": "wants commits, branches, merges",
    "push": "wants commits pushed, or a pull request opened",
    "publish": "wants a version released or a package published",
    "deploy": "wants something brought to a server, a cluster or a cloud",
    "operate": "wants processes, services or the machine looked after",
    "message": "wants something written to other people",
}
"""Each name, and what a person who has it wants."""

NOT_UNDERSTOOD = "unknown"
"""Stands for a request that was not understood; it permits everything."""
LOOKING = ("read_docs", "explain", "review", "plan", "research_web", "data_query")
"""Nothing of the project is to be changed."""
