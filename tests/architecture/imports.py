"""The import law: arrows run down the floors of the house, no circles, and some doors are for a few
only.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.architecture.source import Module, inner_targets, room_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FLOORS: tuple[frozenset[str], ...] = tuple(
    frozenset(floor.split())
    for floor in (
        "package __main__ hook",
        "cli",
        "service sidecar agent doctor mcp client",
        "integrations codemode",
        "guard",
        "audit approvals limits intent validator stop checkpoint sandbox ledger notification presence resident wire",
        "policy",
        "engine",
        "rules effects",
        "facts store data",
        "shell",
        "model",
    )
)
"""From the roof to the ground. ``package`` is the package's own ``__init__``, ``hook`` the file
that clients start.
"""
SERVICES = FLOORS[5]

DOORS: dict[str, frozenset[str]] = {
    "facts": frozenset({"cli.build", *SERVICES}),
    "store": frozenset({"cli.build", "service", "sidecar", *SERVICES}),
}
"""The rooms that touch the world, and who may open them: rooms or single modules."""
WITHIN: dict[str, tuple[frozenset[str], ...]] = {
    "service": tuple(
        frozenset(floor.split())
        for floor in (
            "serving backing",
            "tenants",
            "app",
            "routes",
            "openapi",
            "routing",
            "shapes console desk",
            "evidence",
            "ingest machines people history stops approvals hooks decide operating policy export",
            "limits",
            "request",
            "context answers pace folder_lock databases",
            "signing viewer notifier keys guess_limits provider notices patience callers trial_tools archive",
            "store secrets roles addresses outward standard_webhooks open_stream trouble json_shape metrics",
        )
    )
}
"""Rooms that have floors of their own, from the roof to the ground."""
CLOSED = {"rules": frozenset({"shell", "effects"})}
"""Below on the stairs, and still not for them: a rule judges effects, never a command line."""

PURE = frozenset({"shell", "effects", "rules", "engine", "model", "policy.merge", "wire"})
IMPURE_MODULES = frozenset(
    """asyncio atexit builtins concurrent ctypes curses datetime fcntl fileinput getpass glob importlib io linecache locale logging
    mmap multiprocessing nt ntpath os pathlib pickle platform posix posixpath pty pwd random resource runpy secrets select
    selectors shelve shutil signal site socket sqlite3 ssl subprocess sys sysconfig tempfile threading time urllib.request uuid
    webbrowser _datetime _io _posixsubprocess _random _signal _socket _sqlite3 _thread""".split()
)
"""What gives a pure room the disk, the clock, the network, chance, the environment, a process or
the machine it runs on.
"""

NETWORK = frozenset(
    """aiohttp anthropic ftplib grpc http httpx imaplib openai poplib requests smtplib socket socketserver ssl telnetlib
    urllib.request urllib3 websocket websockets xmlrpc _socket _ssl""".split()
)
CODE_LINES = (
    "codemode.http_proxy",
    "codemode.network",
    "codemode.channel",
    "codemode.python.inside.line",
    "sandbox.entrance.walls",
)
"""Ends of lines between a guarded program, its broker and the network."""
ONLY_IN: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        sorted(NETWORK),
        frozenset(
            {
                "service",
                "sidecar",
                "validator",
                "agent",
                *CODE_LINES,
                "mcp",
                "client",
                "notification",
                "resident",
                "doctor.modelserver",
            }
        ),
    ),
    "yaml": frozenset({"policy"}),
    **dict.fromkeys(("starlette", "uvicorn", "jinja2"), frozenset({"service"})),
    "h11": frozenset({"service.patience"}),
    "cryptography": frozenset(
        {
            "service.signing",
            "service.keys",
            "service.evidence.verify_proof",
            "service.policy.policy_keys",
        }
    ),
    **dict.fromkeys(
        ("tuf", "securesystemslib"), frozenset({"service.policy", "sidecar.policy_fetch"})
    ),
    "prometheus_client": frozenset({"service.metrics"}),
    **dict.fromkeys(
        ("authlib", "httpx2", "joserfc"),
        frozenset({"service.people.oidc", "service.people.bounded_answers"}),
    ),
    "argon2": frozenset({"service.people.passwords"}),
    "webauthn": frozenset({"service.people.passkeys"}),
    "pyarrow": frozenset({"service.archive.writing"}),
    "duckdb": frozenset({"service.archive.searching"}),
    "psycopg": frozenset(
        {f"service.store.{one}" for one in ("postgres", "postgres_sql", "pool", "migrating")}
    ),
    **dict.fromkeys(("pyotp", "segno"), frozenset({"service.people.codes"})),
    "apprise": frozenset({"notification"}),
    "prompt_toolkit": frozenset({"agent.terminal"}),
    **{
        name: frozenset({f"integrations.frameworks.{module}"})
        for module, names in {
            "claude_agent": "claude_agent_sdk",
            "langchain": "langchain langchain_core langgraph",
            "openai_agents": "agents",
        }.items()
        for name in names.split()
    },
    "pydantic_ai": frozenset({"agent", "integrations.frameworks.pydantic_ai"}),
    **dict.fromkeys(("_sha2", "_sha256"), frozenset({"policy.files", "resident.relay_protocol"})),
    "shlex": frozenset(),
}
"""Modules that only some rooms or modules may import. ``shlex`` is for nobody: there is one parsing
authority, ``shell``. ``_sha2`` is Python's SHA-256 from 3.12 on, ``_sha256`` before, without what
``hashlib`` imports.
"""


def import_law(modules: Iterable[Module]) -> list[str]:
    """Complain about arrows that do not run down, and about rooms that stand on no floor."""
    modules = tuple(modules)
    names = frozenset(module.name for module in modules)
    complaints = [
        f"{module.name}: the room {module.room!r} is on no floor of the house"
        for module in modules
        if _floor(module.name) is None
    ]
    for module in modules:
        for target, item in inner_targets(module, names):
            here, there = _floor(module.name), _floor(target)
            if here is None or there is None or room_of(target) == module.room:
                continue
            if there <= here:
                arrow = "up to" if there < here else "sideways to"
                complaints.append(f"{module.at(item.line)} imports {arrow} {target}")
    return complaints


def within(modules: Iterable[Module]) -> list[str]:
    """Complain about arrows within a room with floors of its own that do not run down them."""
    modules = tuple(modules)
    names = frozenset(module.name for module in modules)
    complaints = []
    for module in modules:
        for target, item in inner_targets(module, names):
            floors = WITHIN.get(module.room, ()) if room_of(target) == module.room else ()
            here, there = _part(module.name), _part(target)
            if not floors or here == there or not here or not there:
                continue
            if _place(floors, there) <= _place(floors, here):
                complaints.append(f"{module.at(item.line)} imports {target}, which is not below")
    return complaints


def _part(name: str) -> str:
    """Return what of its room a module belongs to: ``ingest`` of ``interlock.service.ingest.x``."""
    return name.split(".")[2] if name.count(".") > 1 else ""


def _place(floors: tuple[frozenset[str], ...], part: str) -> int:
    return next((number for number, floor in enumerate(floors) if part in floor), -1)


def doors(modules: Iterable[Module]) -> list[str]:
    """Complain about who opens a door to the world that is not theirs, and about rules that look at
    command lines.

    Who is handed what stands behind a door may name its type: that opens nothing.
    """
    modules = tuple(modules)
    names = frozenset(module.name for module in modules)
    complaints = []
    for module in modules:
        for target, item in inner_targets(module, names):
            room = room_of(target)
            if room == module.room:
                continue
            opens = room in DOORS and not item.types_only and not is_in(module, DOORS[room])
            if opens or room in CLOSED.get(module.room, ()):
                complaints.append(
                    f"{module.at(item.line)} imports {target}, which is not for {module.room or 'the package'}"
                )
    return complaints


def circles(modules: Iterable[Module]) -> list[str]:
    """Complain about modules that import each other, directly or around corners: names that only
    annotations need count, and modules that ``__import__`` names in part.
    """
    modules = tuple(modules)
    names = frozenset(module.name for module in modules)
    graph = {
        module.name: sorted(
            {
                one
                for target, item in inner_targets(module, names)
                for one in (_below(target, names) if item.whole else [target])
                if one != module.name
            }
        )
        for module in modules
    }
    return [f"circle of {len(circle)}: {' '.join(circle)}" for circle in _circles(graph)]


def _below(package: str, names: frozenset[str]) -> list[str]:
    return [name for name in names if name.startswith(f"{package}.")]


def foreign(modules: Iterable[Module]) -> list[str]:
    """Complain about modules from outside the package: not Python's and not in the table, or not
    for this room.
    """
    complaints = []
    for module in modules:
        for item in module.imports:
            top = item.module.partition(".")[0]
            if top == module.name.partition(".")[0]:
                continue
            row = next((name for name in _ways(item.module, item.name) if name in ONLY_IN), None)
            if row is None and top not in sys.stdlib_module_names:
                complaints.append(
                    f"{module.at(item.line)} imports {top}, which is neither Python's nor allowed anywhere"
                )
            elif row is not None and not is_in(module, ONLY_IN[row]):
                complaints.append(
                    f"{module.at(item.line)} imports {row}, which is for {', '.join(sorted(ONLY_IN[row])) or 'nobody'}"
                )
    return complaints


def purity_of_imports(modules: Iterable[Module]) -> list[str]:
    """Complain about pure rooms that import a way to the world; what only type checkers see is no
    way.
    """
    return [
        f"{module.at(item.line)} imports {name}, and {module.room} is pure"
        for module in modules
        if is_in(module, PURE)
        for item in module.imports
        if not item.types_only
        for name in _ways(item.module, item.name)
        if name in IMPURE_MODULES
    ]


def _ways(module: str, name: str) -> Iterator[str]:
    """Yield what one import loads: ``urllib``, ``urllib.request``... A name taken from a module may
    be a module itself.
    """
    parts = [*module.split("."), *([name] if name else [])]
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def is_in(module: Module, places: Iterable[str]) -> bool:
    """Tell whether a module is one of the places or below one: ``policy.merge``, ``shell``."""
    inside = module.name.partition(".")[2]
    return any(inside == place or inside.startswith(f"{place}.") for place in places)


def _floor(name: str) -> int | None:
    room = room_of(name) or "package"
    return next((number for number, floor in enumerate(FLOORS) if room in floor), None)


def _circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Return the sets of modules of which each leads to each other (Tarjan), and has another."""
    found: list[list[str]] = []
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    trail: list[str] = []
    for start, first in graph.items():
        if start in numbers:
            continue
        waiting = [(start, iter(first))]
        numbers[start] = lowest[start] = len(numbers)
        trail.append(start)
        while waiting:
            name, targets = waiting[-1]
            target = next(targets, None)
            if target is None:
                waiting.pop()
                if waiting:
                    above = waiting[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
                if lowest[name] == numbers[name]:
                    circle = trail[trail.index(name) :]
                    del trail[trail.index(name) :]
                    found += [sorted(circle)] if len(circle) > 1 else []
            elif target not in numbers:
                numbers[target] = lowest[target] = len(numbers)
                trail.append(target)
                waiting.append((target, iter(graph.get(target, []))))
            elif target in trail:
                lowest[name] = min(lowest[name], numbers[target])
    return found
