"""One run: the walls that its policy means, the broker beside it, and what came of it."""

from __future__ import annotations

import contextlib
import os

from interlock.codemode import channel, http_proxy, leftovers
from interlock.codemode.broker import Broker
from interlock.codemode.copies import Copies
from interlock.codemode.plain_paths import fields
from interlock.codemode.program import (
    FAILED,
    GO,
    LAUNCHER,
    REFUSED,
    USUAL,
    Refusal,
    RunCommand,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.codemode.roots import network, plainness, walls, within
from interlock.codemode.sensitive_paths import REPOSITORY, absent, sweep
from interlock.codemode.surroundings import (
    HERE,
    environment,
    exit_status,
    folders,
    not_run,
    unmet,
    write_files,
)
from interlock.policy.sandbox_writable import WritableLease
from interlock.sandbox.bounds import BUBBLEWRAP, DIALLED, LANDLOCK, SEATBELT, Tier, Walls
from interlock.sandbox.probe import ENOUGH, Kernel, kernel
from interlock.sandbox.process import PROXY, RUN, ProcessEnd, ProcessStart, SandboxProcess
from interlock.stop.processes import CALL_TAG, TAG

KNOWS_TCP = 4
TRIES, NOT_MOUNTED = 3, "bwrap: Can't "
"""What is walled by name may be gone before it is walled: then nothing has run yet."""
OWN_MEMORY = ("/dev/shm",)  # noqa: S108 - a name of the run's own devices
"""Behind bubblewrap the folder for shared memory is the run's own (shm_overview(7))."""
EACH = (
    "memory and processes are bounded for each process, not for all of the run together: this user"
    " may make no group of processes that the kernel bounds (cgroups(7))"
)
SHELLS = ("/bin/bash", "/usr/bin/bash", "/bin/sh")


def reader(_shell: str) -> tuple[str, ...]:
    """Return the program that reads a command, and what stands before it; every shell of Unix is
    read by the same.
    """
    return next((path for path in SHELLS if os.path.exists(path)), SHELLS[-1]), "-c"


def run_prepared(prepared: RunCommand, scene: RunContext) -> RunResult:
    """Run a command line behind walls. Total for what is asked of it: what cannot be held as it was
    required does not start.
    """
    found = kernel(scene.state)
    tier = Tier(found.best, prepared.guard, found.notes if not found.best else ())
    missing = unmet(tier, scene.require) or _unheld(tier, found, scene)
    if missing:
        return refuse_run(
            Refusal("start", prepared.name, "code.require", LAUNCHER, missing), *found.notes
        ).replace(tier=tier)
    leftovers.clear(processes=tier.kernel != BUBBLEWRAP)
    try:
        for _ in range(TRIES):
            result = _run(prepared, scene, tier, found)
            if not (result.status in (FAILED, REFUSED) and result.stderr.startswith(NOT_MOUNTED)):
                break
    except (OSError, ValueError) as error:
        return not_run(prepared, error).replace(tier=tier)
    return result


def _run(prepared: RunCommand, scene: RunContext, tier: Tier, found: Kernel) -> RunResult:
    """Run it; raises ``OSError`` and ``ValueError`` for what the system does not take: a full disk,
    too long an argument.
    """
    with folders(scene) as (private, shown, kept), contextlib.ExitStack() as ends:
        write_files(prepared, private)
        held = walls(scene, prepared.replace(reads=(*prepared.reads, shown)), private)
        landlock, nonce = found.landlock >= ENOUGH, os.urandom(8).hex()
        ours, theirs = channel.pair()
        ends.callback(theirs.close)
        proxy = None
        if landlock and _has_door(prepared, tier, held):
            proxy = http_proxy.HttpProxy(prepared.hooks)
        told_ = _guard_fields(scene, held, tier, private, has_door=proxy is not None)
        broker = Broker(scene, ours, [*told_, f"copies={shown}"], nonce)
        if tier.kernel and prepared.guard:
            broker.copies = Copies(shown, scene.bounds.file_size, broker.notices.append)
        broker.starts = lambda path: (
            not tier.kernel or within(os.path.realpath(path), held.executes)
        )
        ends.callback(broker.close)
        variables = {
            **environment(prepared, private),
            **(_line(theirs, nonce) if prepared.guard else {}),
            **(http_proxy.VARIABLES if proxy else {}),
            **({http_proxy.OUTSIDE: str(PROXY)} if proxy and prepared.hooks else {}),
            TAG: scene.call.session,
            CALL_TAG: scene.decision,
            RUN: leftovers.mark(),
        }
        ends.enter_context(_lending(scene, held))
        missing = absent([path for path in held.kept if os.path.basename(path) == REPOSITORY])
        argv = tuple([word.replace(HERE, private) for word in prepared.argv])
        given = (theirs.fileno(),) if prepared.guard else ()
        process = SandboxProcess(
            ProcessStart(
                argv, prepared.cwd, variables, held, scene.bounds, tier.kernel, found.bwrap, given,
                prepared.inside, prepared.stdin, kept, landlock,
                proxy.inner.fileno() if proxy else -1, prepared.attached,
            )
        )  # fmt: skip
        theirs.close()
        if proxy is not None:
            ends.callback(proxy.close)
            proxy.serve(broker.reaches, process.listen)
        if prepared.guard:
            _listening(broker, process, ours, tier)
        scene.end = process.kill
        ended = process.ended()
        broker.notices += sweep(missing)
        if not process.whole:
            tier = tier.replace(notes=(*tier.notes, EACH))
            broker.notices += [EACH] if scene.bounds.memory != USUAL.memory else []
        return _result(ended, broker, prepared, tier)


def _line(theirs: channel.Line, nonce: str) -> dict[str, str]:
    """Return the variables by which a guard finds its line, and proves that it is armed."""
    return {"INTERLOCK_BROKER": str(theirs.fileno()), "INTERLOCK_CANARY": nonce}


def _listening(broker: Broker, process: SandboxProcess, ours: channel.Line, tier: Tier) -> None:
    """Have the broker answer what the process asks."""
    broker.on_join = lambda number: process.listen(number, lambda: broker.serve(number))
    broker.on_broken = process.kill
    broker.runs = lambda pid: pid in map(str, process.tree())
    broker.own = lambda pid: tier.kernel == BUBBLEWRAP or broker.runs(pid)
    broker.on_join(ours.fileno())


def _has_door(prepared: RunCommand, tier: Tier, held: Walls) -> bool:
    """Whether other programs may be started and single hosts reached: what asks nobody gets a
    proxy, in a network where nothing else is.
    """
    return (
        tier.kernel == BUBBLEWRAP
        and held.network == DIALLED
        and bool(held.executes)
        and prepared.guard != GO
    )


def _lending(scene: RunContext, held: Walls) -> contextlib.AbstractContextManager[None]:
    """While a program may write somewhere, no policy file that lies there is believed."""
    return (
        WritableLease(scene.state, held.writes, held.fixed)
        if scene.state
        else contextlib.nullcontext()
    )


def _guard_fields(
    scene: RunContext, held: Walls, tier: Tier, private: str, *, has_door: bool
) -> list[str]:
    """Return what a program's guard is told at the start: what is plain and allowed."""
    roots = scene.call.roots
    plain = plainness(scene, [root for root in (*held.writes, *held.reads) if root in roots])
    plain = plain.replace(
        reads=tuple([path for path in held.reads if path not in roots]),
        writes=(private, *OWN_MEMORY) if tier.kernel == BUBBLEWRAP else (private,),
    )
    more = [*([f"proxy={PROXY}"] if has_door else []), *(["loopback=yes"] if held.listens else [])]
    return [
        *fields(plain),
        f"kernel={tier.kernel}",
        f"network={held.network}",
        *more,
        *[f"held={path}" for path in (*held.writes, *held.reads)],
    ]


def _unheld(tier: Tier, found: Kernel, scene: RunContext) -> str:
    """Return why a network cannot be held: Landlock knows ports, from its fourth version on
    (landlock(7)), and no addresses.
    """
    if tier.kernel in (LANDLOCK, SEATBELT) and scene.permits.loopback:
        name = tier.kernel.capitalize()
        return (
            f"{name} alone cannot let a program reach itself and nobody else on this machine: use"
            " bubblewrap, or do not allow it"
        )
    if tier.kernel == LANDLOCK and found.landlock < KNOWS_TCP and network(scene) == DIALLED:
        return (
            "this kernel's Landlock cannot hold single hosts (that of Linux 6.7 can): allow any"
            " host (--allow-host '*'), or none"
        )
    return ""


def _result(ended: ProcessEnd, broker: Broker, prepared: RunCommand, tier: Tier) -> RunResult:
    status, code = exit_status(ended)
    broker.close()
    notices = [*broker.notices]
    notices += [f"{broker.more} more refusals were left out"] if broker.more else []
    found = tuple(broker.refused)
    if prepared.guard and not broker.armed:
        why = broker.broken or "it ended before it had shown that its guard works"
        found = (
            *found,
            Refusal(
                "start",
                prepared.name,
                "code.not-armed",
                LAUNCHER,
                f"The guard was not armed: {why}.",
            ),
        )
        status, code = REFUSED, 126
    if ended.why == "processes":
        found = (
            *found,
            Refusal(
                "fork",
                prepared.name,
                "code.processes",
                LAUNCHER,
                "It started more processes than it may.",
            ),
        )
    return RunResult(
        status, code, ended.stdout.text(), ended.stderr.text(), found, tier, ended.seconds,
        broker.asked,
        tuple([one.spilled for one in (ended.stdout, ended.stderr) if one.spilled]), tuple(notices),
        wider=tuple(broker.wider),
    )  # fmt: skip
