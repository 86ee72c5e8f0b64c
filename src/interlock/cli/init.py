"""``interlock init``: find the agents on this machine, show what would be changed, and protect them
after one yes.

It proves with `interlock doctor` that the guard answers, and may write a profile into your own
policy. It may be run again at any time; `interlock uninstall` takes everything back. Exit codes: 0
done or nothing to do; 1 refused, or the doctor found something wrong.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.approvals import answers, caller, token
from interlock.approvals.answers import AnswerError
from interlock.cli import (
    build,
    doctor,
    ephemeral,
    install,
    installed,
    machine,
    person_check,
    setup_plan,
    show,
)
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.profile import (
    KEYS,
    MEANINGS,
    ProfileError,
    current,
    folder_for,
    loosens,
    writing,
)
from interlock.cli.setup_plan import SetupPlan, SetupStep
from interlock.doctor.report_row import GREEN, RED, ReportRow
from interlock.integrations.changes import alone
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.install import SettingsError, UnwrittenError, content
from interlock.model.policy import APPROVE, PASS
from interlock.policy.files import PolicyLocations, places
from interlock.policy.problem import PolicyError
from interlock.policy.schema import PROFILES

NAME = "init"
SUMMARY = "find the agents on this machine and protect them"
OFFER = (
    "Your agent asks you before many calls. interlock can answer for you where all of a call is"
    " known to be harmless: reading, editing, building and testing in the workspace. Never where"
    " something is secret, sent, fetched or lost. Your own deny and ask rules in the agent still"
    " hold."
)
WORD = (
    "You approve requests in a terminal of your own. Where interlock cannot tell it from an"
    " agent's, such as a tmux that began after the agent, a token says who you are. It is shown"
    " once, now; later, `interlock approvals token` makes another while no agent runs."
)
REPAIRS = (
    "self-repair is on: what an agent removes of this is restored, and you are told; what you"
    " remove stays removed"
)
STAYS = (
    "self-repair is off: you are told what an agent removes of this; it stays removed until you run"
    " this again"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the agents, the profile and the consent."""
    parser.add_argument(
        "--agent",
        action="append",
        choices=sorted(CLIENTS),
        help="protect this one, found or not; can be given more than once",
    )
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        help="write this profile into your own policy (default: as it is)",
    )
    parser.add_argument(
        "--proven",
        choices=KEYS["proven"],
        help=(
            "approve: answer the agent's own question about what is proven harmless; pass: leave it"
            " to you"
        ),
    )
    parser.add_argument("--yes", action="store_true", help="do it without asking")
    parser.add_argument(
        "--self-repair",
        action=argparse.BooleanOptionalAction,
        help=(
            "restore hooks and policy files that an agent removes (default: on, or as it was chosen"
            " before)"
        ),
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be changed and change nothing"
    )
    machine.add_json(parser, machine.HELP)
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Show, ask, do, prove."""
    told: dict[str, object] = {"agents": [], "policy": None, "checks": []}
    with machine.aside(wanted=options.json):
        code = _run(options, told)
    if options.json:
        machine.tell({**told, "done": code == 0 and not options.dry_run})
    return code


def _run(options: argparse.Namespace, told: dict[str, object]) -> int:
    paint = Painter(sys.stdout)
    where = places(os.environ, os.getcwd())
    asks = (
        sys.stdin.isatty()
        and sys.stdout.isatty()
        and not (options.yes or options.dry_run or options.json)
    )
    whole = True
    passing = ephemeral.keeping()
    if passing is not None and (options.yes or asks):
        print("\n".join(passing.lines))
        if not passing.program:
            complain(f"interlock init: {passing.tool} is not on the PATH; run that yourself\n")
            return 1
        if asks and input("Install it? [y/N] ").strip().lower() not in ("y", "yes"):
            print("nothing was changed")
            return 1
        return ephemeral.install_and_run(passing, sys.argv[1:])
    if not options.dry_run:
        install.build_relay()  # what is planned names it
    try:
        plan = setup_plan.plan(list(dict.fromkeys(options.agent or setup_plan.find_agents())))
        if not plan.steps and not options.agent:
            return _nobody()
        print("\n".join(setup_plan.render_plan(plan, paint)))
        chosen = _choose_words(where, options, paint, asks=asks)
        policy = writing(where, chosen)
        told["agents"] = setup_plan.to_dicts(plan)
        if policy is not None:
            print(f"\n{visible(policy.path)}")
            for key, word in chosen.items():
                print(f"  {paint('+', 'green')} {key}: {paint(word, 'bold')} ({MEANINGS[word]})")
            plan = plan.replace(policy=policy)
            told["policy"] = {"path": policy.path, **chosen}
        if options.dry_run:
            print("\nnothing was changed")
            return 0
        if options.self_repair is False:
            person_check.needs_person(build.store(os.environ), given=options.token)
        if not plan.changes:
            print("\neverything is in place")
        elif not _confirm_plan(plan, asks=asks, options=options):
            print("nothing was changed")
            return 1
        with alone():
            made = _carry_out(plan) if plan.changes else []
            _remember_plan(plan, options.self_repair)
        _trust_hooks(made)
        whole = len(made) == len([step for step in plan.steps if step.todo])
    except (SettingsError, ProfileError, PolicyError, AnswerError, build.StoreError) as problem:
        complain(f"interlock init: {problem}\n")
        return 1
    checked = _run_doctor(plan)
    told["checks"] = [doctor.cells(client, row) for client, rows in checked for row in rows]
    worst = _print_problems(checked, paint)
    if asks and worst == 0:
        _token(paint)
    return max(worst, int(not whole))


def _nobody() -> int:
    known = ", ".join(sorted(CLIENTS))
    complain(
        f"interlock init: no supported agent was found ({known}; looked on the PATH and in your"
        " home folder). Name one with --agent, put an MCP server behind `interlock mcp`, or see"
        " `interlock demo`.\n"
    )
    return 1


def _choose_words(
    where: PolicyLocations, options: argparse.Namespace, paint: Painter, *, asks: bool
) -> dict[str, str]:
    """Return the words that the person wants in their policy, asked for where they can be."""
    text = content(where.user_file) if where.user_file else ""
    profile = options.profile or (_profile(current(text), paint) if asks else None)
    proven = options.proven or (_answering(current(text, "proven"), paint) if asks else None)
    return {
        key: word
        for key, word in (("profile", profile), ("proven", proven))
        if word is not None and word != current(text, key)
    }


def _answering(now: str, paint: Painter) -> str | None:
    """Ask whether the agent's own question about what is proven is answered; None: as it is."""
    print(paint("\nFewer questions?", "bold"))
    print("\n".join(show.wrap_text(OFFER, 0, 0)))
    while True:
        said = input(f"Answer those? [{'Y/n' if now == APPROVE else 'y/N'}]: ").strip().lower()
        if said in _SAID:
            return _SAID[said]
        print("expected y, n, or nothing to leave it as it is")


_SAID = {"": None, "y": APPROVE, "yes": APPROVE, "n": PASS, "no": PASS}


def _profile(now: str, paint: Painter) -> str | None:
    """Ask for a profile; None where it is to stay as it is."""
    print("\nHow strict should it be? (* as it is now)")
    for number, name in enumerate(PROFILES, 1):
        print(
            f"{'*' if name == now else ' '} {number}  {paint(name.ljust(15), 'bold')}"
            f" {MEANINGS[name]}"
        )
    while True:
        said = input(f"Profile [{now}]: ").strip().lower()
        if not said:
            return None
        if said in PROFILES:
            return said
        if said.isdigit() and 0 < int(said) <= len(PROFILES):
            return PROFILES[int(said) - 1]
        print(
            f"expected a number from 1 to {len(PROFILES)}, a name, or nothing to leave it as it is"
        )


def _confirm_plan(plan: SetupPlan, *, asks: bool, options: argparse.Namespace) -> bool:
    """Tell whether a person wants it; raises ``AnswerError`` if an agent or nobody is there."""
    if not (asks or options.yes):
        raise AnswerError(
            "this is not a terminal, so nobody can be asked; nothing was changed. Run it again with"
            " --yes, or look first with --dry-run"
        )
    if plan.policy is not None and loosens(plan.policy):
        person_check.needs_person(build.store(os.environ), given=options.token)
    else:
        _no_agent()
    return bool(options.yes or input("\nDo this? [y/N] ").strip().lower() in ("y", "yes"))


def _no_agent() -> None:
    """Return unless an agent's session started this; what only tightens needs no better proof of a
    person. Raises ``AnswerError``.
    """
    try:
        caller.examine(caller.agents_alive(answers.agents(build.store(os.environ))))
    except caller.AgentCallerError as why:
        raise AnswerError(
            f"an agent may not set its own guard up: {why}; use a terminal of your own"
        ) from None
    except caller.UnknownCallerError:
        return


def _carry_out(plan: SetupPlan) -> list[SetupStep]:
    """Make the changes, and say each; return the agents whose could be made. Raises
    ``SettingsError`` and ``OSError``.
    """
    install.compile_package()
    fresh = [one for one in plan.steps if one.todo]
    for change in plan.changes:
        if content(change.path) not in (change.before, change.after):
            raise SettingsError(
                f"{change.path} changed while it was asked about; nothing was changed, run it again"
            )
    made = [step for step in fresh if _protect_client(step)]
    if plan.policy is not None:
        folder_for(plan.policy.path)
        backup = plan.policy.make()
        print(f"wrote {plan.policy.path}" + (f"; the file as it was: {backup}" if backup else ""))
    return made


def _remember_plan(plan: SetupPlan, wanted: bool | None) -> None:
    """Write down what is there now, and say whether what an agent takes away of it is put back."""
    repair = installed.repairs(os.environ) if wanted is None else wanted
    problem = installed.remember(os.environ, [step.client for step in plan.steps], repair=repair)
    install.report_unrecorded(problem, NAME)
    if not problem:
        print("\n".join(show.wrap_text(REPAIRS if repair else STAYS, 0, 2)))


def _trust_hooks(made: list[SetupStep]) -> None:
    """Have the clients that want it told that these hooks are trusted."""
    for step in made:
        settings = adapter_of(step.client).SETTINGS
        if settings.trusting:
            install.ensure_trusted(settings, step.client, os.getcwd(), consent=True)


def _protect_client(step: SetupStep) -> bool:
    """Make one agent's changes; tell whether they could be made: where not, the others are
    protected all the same.
    """
    try:
        backups = [change.make() for change in step.todo]
    except UnwrittenError as problem:
        complain(f"interlock init: {problem}\n")
        return False
    print(f"{step.client} asks interlock before every tool call")
    for backup in filter(None, backups):
        print(f"  the file as it was: {backup}")
    return True


def _token(paint: Painter) -> None:
    """Offer the person's token, while no agent runs that could take it."""
    store = build.store(os.environ)
    if token.there(store) or caller.agents_alive(answers.agents(store)):
        return
    print(paint("\nA token to approve with?", "bold"))
    print("\n".join(show.wrap_text(WORD, 0, 0)))
    if input("Make one now? [y/N]: ").strip().lower() in ("y", "yes"):
        try:
            print("\n".join(person_check.token_lines(store)))
        except (AnswerError, build.StoreError) as problem:
            complain(f"interlock init: {problem}\n")


def _run_doctor(plan: SetupPlan) -> list[tuple[str, list[ReportRow]]]:
    """Run the doctor for each agent."""
    return [(step.client, list(doctor.examine(step.client, os.getcwd()))) for step in plan.steps]


def _print_problems(checked: list[tuple[str, list[ReportRow]]], paint: Painter) -> int:
    """Say what is not as it should be, and how many things are."""
    print()
    worst = 0
    for client, rows in checked:
        bad = [row for row in rows if row.colour != GREEN]
        print(
            f"{paint('interlock doctor', 'bold')} {client}: {len(rows) - len(bad)} of"
            f" {len(rows)} checks passed" + (":" if bad else "")
        )
        doctor.show(bad, paint)
        worst = max([worst, *[1 for row in bad if row.colour == RED]])
    others = setup_plan.only_read_about()
    if others:
        print(
            f"{', '.join(others)}: known from their pages only; see `interlock install {others[0]}`"
        )
    print(
        "\nRestart the agent sessions that are open already."
        "\nNext: interlock tour, interlock status. All of it back: interlock uninstall"
    )
    return worst
