"""``interlock status``: in one glance, what is protected, what holds, what waits, what was decided,
and whether the record is whole.

Exit codes: 0 well; 1 something needs a person: a policy file that is wrong, a record that is not as
it was written, state that cannot be read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator

from interlock.approvals import answers
from interlock.audit.query import Filter, count_calls, count_proven, last, newest
from interlock.audit.verify import verify_store
from interlock.cli import build, installed, resident, setup_plan
from interlock.cli.colors import Painter, visible
from interlock.cli.log import lines_of, local
from interlock.cli.policies import fleet_file, load_policy
from interlock.cli.show import columns, wrap_text
from interlock.doctor import settings_check
from interlock.doctor.client_packages import has_package
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.drift import AGENTS, MEND
from interlock.limits import report
from interlock.model.policy import APPROVE
from interlock.model.record import Record
from interlock.policy.files import PolicyLocations, look, places
from interlock.presence.record import DamagedError
from interlock.resident.start import is_wanted
from interlock.sidecar.enrol import state, where
from interlock.sidecar.policy_place import find_change, load_state, place_of
from interlock.sidecar.run import is_running
from interlock.stop.flags import read_flags
from interlock.store.database import Store
from interlock.wire.policy_state import PolicyState

NAME = "status"
SUMMARY = "show what is protected, what waits and what was decided"
WALKED = 20_000
"""Records of the audit proven for a glance; a longer chain is `interlock audit verify`'s."""
SHOWN = 5
WEEK = 7 * 86400


class StatusPart(Record):
    """One part of the glance: its name, what is to be said of it, and how it stands (a colour);
    ``next``: the command that goes on from there.

    ``rows``: lines below it that stand for themselves.
    """

    name: str
    said: tuple[str, ...]
    colour: str = "green"
    next: str = ""
    rows: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the form."""
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Print it. 0 well, 1 something is wrong."""
    parts = list(_parts())
    if options.json:
        print(
            json.dumps(
                {
                    part.name: {
                        "said": part.said,
                        "state": part.colour,
                        "next": part.next,
                        "rows": part.rows,
                    }
                    for part in parts
                },
                indent=2,
            )
        )
    else:
        paint = Painter(sys.stdout)
        for part in parts:
            for line in _lines(part, paint):
                print(line)
    return 1 if any(part.colour == "red" for part in parts) else 0


def _lines(part: StatusPart, paint: Painter) -> Iterator[str]:
    after = paint(f"-> {part.next}", "grey") if part.next else ""
    coloured = part.colour in ("red", "amber")
    beside = (
        bool(after)
        and len(part.said) == 1
        and 11 + len(f"{part.said[0]}  -> {part.next}") <= columns()
    )
    rows = part.said
    if sys.stdout.isatty():
        rows = tuple([row.lstrip() for said in part.said for row in wrap_text(said, 11, 11)])
    for number, said in enumerate(rows):
        name = paint(part.name.ljust(9), "bold") if number == 0 else " " * 9
        yield f"{name}  {paint(said, part.colour) if coloured else said}" + (
            f"  {after}" if beside else ""
        )
    if after and not beside:
        yield f"{' ' * 11}{after}"
    yield from part.rows


def _parts() -> Iterator[StatusPart]:
    folder = os.getcwd()
    losses = list(_losses())
    yield _protection(folder)
    yield from losses
    yield from _profile(places(os.environ, folder))
    try:
        store = build.store(os.environ)
        yield from _resident()
        yield _stops(store)
        yield _waiting(store)
        yield _audit(store)
        yield from _elsewhere(store)
        yield from _fleet(store)
        yield from _list_shared(store)
        yield _answers(store, folder)
        yield _decisions(store)
        yield from _unjudged_calls(store)
        build.tell(store)
    except build.StoreError as problem:
        yield StatusPart("record", (str(problem),), "red", "interlock doctor")


def _protection(folder: str) -> StatusPart:
    """Say which agents ask interlock here, and which are here and do not."""
    said, bare = [], []
    for client in CLIENTS:
        settings = adapter_of(client).SETTINGS
        found, _ = settings_check.entries(settings_check.files(settings, folder), settings, client)
        if found or has_package(client):
            said.append(client)
        elif setup_plan.locate_agent(settings):
            bare.append(client)
    told = (
        [
            (
                f"{', '.join(said)} {'asks' if len(said) == 1 else 'ask'} interlock before every tool"
                " call"
            )
        ]
        if said
        else []
    )
    told += (
        [f"{', '.join(bare)} {'is' if len(bare) == 1 else 'are'} here and not protected"]
        if bare
        else []
    )
    if not told:
        return StatusPart(
            "agents",
            ("none of the agents that interlock can protect is here",),
            "amber",
            "interlock init",
        )
    return StatusPart(
        "agents", tuple(told), "amber" if bare else "green", "interlock init" if bare else ""
    )


def _losses() -> Iterator[StatusPart]:
    """Say what of what was installed is gone, and put it back where that is wanted: before it is
    said what is there.
    """
    try:
        said, troubles = installed.check_presence(os.environ)
    except build.StoreError:
        return  # said further down
    except DamagedError as problem:
        yield StatusPart("losses", (str(problem),), "red", MEND)
        return
    agents = [trouble.said for trouble in troubles if trouble.by == AGENTS]
    own = [
        f"{trouble.said}; no agent was at work, so it stays so"
        for trouble in troubles
        if trouble.by != AGENTS
    ]
    told = tuple(visible(text) for text in dict.fromkeys([*said, *([] if said else agents), *own]))
    if told:
        yield StatusPart("losses", told, "red" if agents else "amber", MEND)


def _unjudged_calls(store: Store) -> Iterator[StatusPart]:
    """Say how many calls nobody judged."""
    count = len(installed.find_unjudged(store))
    if count:
        yield StatusPart(
            "unjudged",
            (
                (
                    f"{count} {'call was' if count == 1 else 'calls were'} made while the guard was"
                    " gone"
                ),
            ),
            "amber",
            "interlock log",
        )


def _resident() -> Iterator[StatusPart]:
    """Say whether a guard stays between calls, where one is to."""
    if is_wanted(os.environ):
        yield StatusPart(
            "resident", (resident.describe_guard(resident.here(build.state_folder(os.environ))),)
        )


def _profile(where: PolicyLocations) -> Iterator[StatusPart]:
    """Say which profile holds, of which files, and what is wrong with them."""
    found = load_policy(where)
    files = {
        "organisation": where.organisation_file,
        "fleet": fleet_file(where),
        "user": where.user_file,
        "project": where.project_file,
    }
    layers = [
        f"{layer}: {visible(path)}"
        for layer, path in files.items()
        if path and look(path, (), where.lent).there
    ]
    observing = ", and nothing is stopped: it only records" if found.policy.observe else ""
    said = f"{found.policy.profile}, {len(found.policy.rules)} rules{observing}"
    yield StatusPart(
        "profile",
        (said,),
        "amber" if observing else "green",
        "interlock policy show" if layers else "",
    )
    yield StatusPart("policy", tuple(layers) or ("built-in rules only (no policy file)",))
    problems = [*dict.fromkeys([problem.text().splitlines()[0] for problem in found.problems])]
    if problems:
        yield StatusPart(
            "", tuple([visible(text) for text in problems]), "red", "interlock policy check"
        )


def _stops(store: Store) -> StatusPart:
    said = [
        f"{visible(flag.scope)}, by {visible(flag.by)}: {visible(flag.why)}"
        for flag in read_flags(store.folder)
    ]
    paused = [
        f"{visible(one.scope)} is paused: {visible(one.stopped)}"
        for one in report.read_usage(store)
        if one.stopped
    ]
    after = "interlock resume" if said else "interlock limits" if paused else ""
    return StatusPart(
        "stopped",
        (*said, *paused) or ("nothing",),
        "red" if said else "amber" if paused else "green",
        after,
    )


def _waiting(store: Store) -> StatusPart:
    waiting = [request for request in answers.list_requests(store) if request.state == "pending"]
    if not waiting:
        return StatusPart("waiting", ("nothing waits for an answer",))
    return StatusPart(
        "waiting",
        (f"{len(waiting)} {'call waits' if len(waiting) == 1 else 'calls wait'} for an answer",),
        "amber",
        "interlock approvals watch",
    )


def _audit(store: Store) -> StatusPart:
    count = newest(store)
    if count > WALKED:
        return StatusPart(
            "audit",
            (f"{count:,} records; too many to prove in a glance",),
            "green",
            "interlock audit verify",
        )
    found = verify_store(store, ())
    if found.problems:
        return StatusPart(
            "audit",
            (f"{found.found} of {count:,} records were changed after they were written",),
            "red",
            "interlock audit verify",
        )
    return StatusPart(
        "audit",
        (("1 record, intact" if count == 1 else f"{count:,} records, intact"),),
    )


def _elsewhere(store: Store) -> Iterator[StatusPart]:
    """Say how far the record was sent to the service that this machine is enrolled with."""
    found = where(store.folder)
    if found is None:
        return
    sent, last = state(store.folder), newest(store)
    told = [
        f"{min(sent.seq, last):,} of {last:,} records are at {visible(found.url)}"
        f" as {visible(found.machine)}" + (f", since {local(sent.at)}" if sent.at else "")
    ]
    told += [f"not since {local(sent.failing)}: {visible(sent.why)}"] if sent.failing else []
    told += [_TOLD.get(sent.told, f"it refuses them: {visible(sent.told)}")] if sent.told else []
    idle = not is_running(store.folder)
    told += ["no sidecar runs: what is new is not sent, and no stop is heard"] if idle else []
    colour = "red" if sent.told else "amber" if sent.failing or idle else "green"
    yield StatusPart("elsewhere", tuple(told), colour, "interlock sidecar --detach" if idle else "")


def _fleet(store: Store) -> Iterator[StatusPart]:
    """Say which policy of the team is here, and what keeps this machine from the newest."""
    found = where(store.folder)
    if found is None:
        return
    place = place_of(places(os.environ), store.folder, found.service_key)
    kept = load_state(place)
    if kept == PolicyState():
        return
    how = "enforced: only root can change it" if kept.enforced else "evident, not enforced"
    told = [f"bundle {kept.bundle} ({kept.hash[:12]}), since {local(kept.since)}; {how}"]
    if not kept.bundle:
        told = ["no policy of the team is here"]
    changed = find_change(place, kept, mend=False)
    told += [f"its file was {changed}, and is put back by the sidecar"] if changed else []
    told += [visible(one) for one in (kept.drift, kept.why) if one]
    yield StatusPart("fleet", tuple(told), "red" if changed else kept.colour)


_TOLD = {
    "changed": "records were changed here before they were sent: interlock audit verify",
    "removed": "records were removed here before they were sent: interlock audit verify",
    "cut": "the newest records were removed here after they were sent: interlock audit verify",
    "fork": "what is told here now is not what was sent before: interlock audit verify",
    "clone": "another machine sends as this one: interlock enrol TOKEN --again on the copy",
    "credential": "this machine was retired there: interlock enrol TOKEN --again",
}
"""What the service may say of a record, and what a person can do."""


def _list_shared(store: Store) -> Iterator[StatusPart]:
    """Say what is left here of limits that machines share, where calls met some."""
    found = list(report.render_shared(store))
    if found:
        lacks = any(one.lacking for one in found)
        said = tuple([one.said for one in found])
        yield StatusPart("shared", said, "amber" if lacks else "green", "interlock limits")


def _answers(store: Store, folder: str) -> StatusPart:
    """Say how many of the agents' own questions were answered, or could have been."""
    since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - WEEK))
    counts = count_calls(store, since=since)
    if build.policy(os.environ, folder).proven == APPROVE:
        return StatusPart(
            "proven",
            (
                (
                    f"{counts.answered:,} questions of your agents were answered in the last 7"
                    f" days, of {counts.calls:,} calls"
                ),
            ),
        )
    many = count_proven(store, since)
    said = (
        f"{many:,} of {counts.calls:,} calls of the last 7 days were proven harmless, and your"
        " agents may still ask about such calls"
        if counts.calls
        else "no calls in the last 7 days"
    )
    return StatusPart("proven", (said,), "green", "interlock init --proven approve" if many else "")


def _decisions(store: Store) -> StatusPart:
    rows = last(store, Filter(limit=SHOWN))
    paint = Painter(sys.stdout)
    if not rows:
        return StatusPart("decisions", ("none yet",))
    return StatusPart(
        "decisions",
        ("the last ones",),
        "green",
        "interlock log",
        tuple([line for row in reversed(rows) for line in lines_of(row, paint)]),
    )
