"""What ``interlock fleet`` does where all that it needs is installed."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import closing

from interlock.approvals.user import me
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policies import TODAY
from interlock.cli.serve_start import open_database
from interlock.cli.trial_tools import trial_tools
from interlock.policy.files import look
from interlock.policy.problem import PolicyError, PolicyProblem
from interlock.policy.value_kinds import WORDS
from interlock.service.policy import publishing, repository
from interlock.service.policy.gates import read_gates
from interlock.service.policy.policy_keys import (
    PolicyKeyError,
    make_keys,
    open_online_signer,
    open_sealed,
    read_key,
)
from interlock.service.policy.publishing import PublishStep, Signing, Stage, signers_of
from interlock.service.policy.reports import PolicyReport, read_reports
from interlock.service.policy.repository import RepositoryStateError, Thresholds
from interlock.service.policy.trials import (
    PolicyTrial,
    count_flips,
    describe_trial,
    read_history,
    row_of,
    try_policy,
)
from interlock.service.secrets import later
from interlock.service.store.rows import BundleRow
from interlock.wire.rollout import WHOLE, Rollout

ERRORS = (RepositoryStateError, PolicyKeyError, PolicyError)
MOST_KEYS = 20
MOST_SHOWN = 10


def begin(folder: str, options: argparse.Namespace) -> int:
    """Make keys and an empty repository."""
    if not options.keys:
        raise ValueError("name a new folder for people's keys: --keys FOLDER")
    counts = [_parse_threshold(name, getattr(options, name)) for name in ("roots", "owners")]
    with closing(open_database(folder)) as keeping:
        if keeping.read(repository.is_begun):
            raise RepositoryStateError("there is a repository of policies here already")
        _make_folder(options.keys)
        roots = make_keys(f"{options.keys}/root", counts[0][1])
        if options.sealed:
            owners = [open_sealed(folder, number) for number in range(1, counts[1][1] + 1)]
        else:
            owners = make_keys(f"{options.keys}/owner", counts[1][1])
        takes, online = Thresholds(counts[0][0], counts[1][0]), open_online_signer(folder)
        keeping.write(lambda steps: repository.begin(steps, online, roots, owners, takes))
        keeping.write(lambda steps: steps.note("policy-begun", "", {"by": me()}))
    where = visible(options.keys)
    print(f"{where}/root-*.pem name other keys: take them away from here, to a safe")
    if options.sealed:
        print("the service keeps the owners' keys: next, people publish on its page Policy")
    else:
        print(f"{where}/owner-*.pem publish: give each owner of the policy a key of theirs")
        print("next: interlock fleet try POLICY --cases CASES")
    return 0


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, 0o700)
    except OSError as error:
        raise ValueError(f"{path} has to be new, and cannot be made: {error.strerror}") from error


def try_text(folder: str, options: argparse.Namespace) -> int:
    """Try a policy, and keep what came of it. 0 it may be published, 1 not."""
    content, tests = _content(options.policy), _content(options.cases)
    since = later(-WORDS["duration"].read(options.since))
    with closing(open_database(folder)) as keeping:
        past = keeping.read(lambda known: read_history(known, since))
        trial = try_policy(content, tests, past, trial_tools(), TODAY)
        if trial.passed:
            row = row_of(trial, tests.decode(), me(), later(0))
            keeping.write(lambda steps: steps.put_trial(row))
    if options.json:
        print(json.dumps({"hash": trial.hash, **describe_trial(trial)}, indent=2))
    else:
        for line in trial_lines(trial, Painter(sys.stdout)):
            print(line)
    return 0 if trial.passed else 1


def trial_lines(trial: PolicyTrial, paint: Painter) -> Iterable[str]:
    """Yield what came of a trial as people read it."""
    for problem in trial.errors:
        yield problem.text()
    if trial.errors:
        return
    for one in trial.failed:
        yield f"{paint('FAILED', 'red')} cases.yaml:{one.line}: {visible(one.text)}"
        yield f"    {visible(one.why)}"
    passed = trial.cases - len({one.line for one in trial.failed})
    yield f"{passed} of {trial.cases} cases pass"
    report = trial.report
    cut = ", the newest ones" if trial.cut else ""
    yield f"{report.calls:,} recorded calls judged again, {report.distinct:,} distinct{cut}"
    yield from [f"  {count:8,}  cannot be: {visible(why)}" for why, count in report.unread]
    parts = (
        ("another answer", count_flips(report.flips)), ("by rule", report.rules),
        ("by team", trial.by_team), ("by machine", trial.by_machine),
    )  # fmt: skip
    for name, counts in parts:
        if counts:
            yield paint(name, "bold")
            yield from [f"  {count:8,}  {visible(what)}" for what, count in counts[:MOST_SHOWN]]
    if not report.flips:
        yield "no answer changes"
    if trial.passed:
        yield f"it may be published for a day, as it is: {trial.hash[:16]}"


def publish(folder: str, options: argparse.Namespace) -> int:
    """Publish a policy that was tried."""
    content = _content(options.policy)
    stage = Stage(machines=tuple(options.machine))
    if options.permille >= 0:
        stage = stage.replace(permille=options.permille)
    return _publish(
        folder, options, lambda steps, who: publishing.publish(steps, content, stage, who)
    )


def widen(folder: str, options: argparse.Namespace) -> int:
    """Take the newest policy to more machines."""
    wanted = max(0, options.permille)
    return _publish(
        folder, options,
        lambda steps, who: publishing.widen(steps, wanted, who, anyway=options.anyway),
    )  # fmt: skip


def go_back(folder: str, options: argparse.Namespace) -> int:
    """Publish an earlier policy again."""
    if not options.policy.isdecimal() or len(options.policy) > 9:
        raise ValueError("name the number of a bundle; `interlock fleet show` lists them")
    number = int(options.policy)
    return _publish(folder, options, lambda steps, who: publishing.go_back(steps, number, who))


def sign(folder: str, options: argparse.Namespace) -> int:
    """Add a signature to what waits for it."""
    return _publish(folder, options, publishing.sign)


def rekey(folder: str, options: argparse.Namespace) -> int:
    """Name other keys of the policy's owners, and the service's own as it is by now."""
    roots, owners = [[read_key(path) for path in some] for some in (options.root_key, options.key)]
    if not roots:
        raise ValueError("name the keys of root: --root-key FILE")
    signers_of(owners)
    online = open_online_signer(folder)
    with closing(open_database(folder)) as keeping:
        keeping.write(lambda steps: repository.rekey(steps, online, roots, owners))
        keeping.write(lambda steps: steps.note("policy-rekeyed", "", {"by": me()}))
    print("machines take the new keys at their next look; what the old ones sign counts no more")
    return 0


def show(folder: str, options: argparse.Namespace) -> int:
    """Say which policy is where. 0 all well, 1 a machine or a gate needs a person."""
    with closing(open_database(folder)) as keeping:
        rollout = keeping.read(repository.read_rollout)
        waits = keeping.read(repository.read_proposal)
        bundles = keeping.read(lambda known: known.bundles(MOST_SHOWN))
        reports = keeping.read(read_reports)
        gates = keeping.read(lambda known: read_gates(known, rollout)) if rollout else []
        ends = keeping.read(repository.expiry)
    wrong = [one for one in reports if one.colour != "green"]
    if options.json:
        said = {
            "bundle": rollout.bundle if rollout else 0,
            "permille": rollout.permille if rollout else 0,
            "expires": ends.isoformat(),
            "gates": {one.name: {"said": one.said, "holds": one.holds} for one in gates},
            "machines": {one.machine: one.bundle for one in reports},
            "wrong": {one.machine: one.drift or one.why for one in wrong},
        }
        print(json.dumps(said, indent=2))
    else:
        paint = Painter(sys.stdout)
        stages = _stage_lines(rollout, waits.rollout if waits else None, paint)
        for line in (*stages, *_bundle_lines(bundles), *_machine_lines(reports, paint)):
            print(line)
        for one in gates:
            print(f"gate {one.name}: {one.said}{paint('  HOLDS', 'red') if one.holds else ''}")
        print(f"signed until {ends:%Y-%m-%d}")
    return 1 if wrong or any(one.holds for one in gates) else 0


def _stage_lines(rollout: Rollout | None, waits: Rollout | None, paint: Painter) -> Iterable[str]:
    if rollout is None:
        yield "nothing was published yet"
    else:
        yield paint(f"bundle {rollout.bundle} is for {_share(rollout)}", "bold")
    if waits is not None:
        said = f"bundle {waits.bundle} for {_share(waits)} waits for a signature"
        yield f"{said}: interlock fleet sign --key FILE"


def _bundle_lines(bundles: list[BundleRow]) -> Iterable[str]:
    for one in bundles:
        never = "" if one.published else "  not published"
        yield f"  {one.number:5}  {one.hash[:16]}  {one.at[:16]}  {visible(one.by)}{never}"


def _share(rollout: Rollout) -> str:
    return "all machines" if rollout.whole else f"{rollout.permille} of {WHOLE} machines"


def _machine_lines(reports: list[PolicyReport], paint: Painter) -> Iterable[str]:
    for bundle in sorted({one.bundle for one in reports}, reverse=True):
        some = [one for one in reports if one.bundle == bundle]
        enforced = sum(one.enforced for one in some)
        what = f"have bundle {bundle}" if bundle else "have none"
        yield f"{len(some)} machines {what}; on {enforced} of them only root can change it"
    for one in reports:
        if one.colour != "green":
            yield f"  {paint(visible(one.name), one.colour)}  {visible(one.drift or one.why)}"


def _publish(folder: str, options: argparse.Namespace, work: PublishStep) -> int:
    owners = signers_of([read_key(path) for path in options.key])
    signing = Signing(open_online_signer(folder), owners, me())
    with closing(open_database(folder)) as keeping:
        done = keeping.write(lambda steps: work(steps, signing))
    rollout = done.rollout
    if done.missing:
        print(f"bundle {rollout.bundle} waits for {done.missing} more: interlock fleet sign")
        return 0
    print(f"bundle {rollout.bundle} is for {_share(rollout)} from now on")
    if not rollout.whole:
        complain("the next stage: interlock fleet widen; what machines say: interlock fleet show\n")
    return 0


def _content(path: str) -> bytes:
    """Return what is in a file that a person named; raises ``PolicyError``."""
    if not path:
        raise ValueError("name the policy's file, and that of its cases: --cases FILE")
    file = look(os.path.realpath(path), ())
    if file.data is None:
        raise PolicyError([PolicyProblem(path, 1, 1, file.problem or "there is no such file")])
    return file.data


def _parse_threshold(name: str, text: str) -> tuple[int, int]:
    takes, _, many = text.partition("/")
    if not (takes.isdecimal() and many.isdecimal() and 1 <= int(takes) <= int(many) <= MOST_KEYS):
        raise ValueError(f"--{name} is {text!r}; expected M/N, as in 2/3")
    return int(takes), int(many)


TOOLS: dict[str, Callable[[str, argparse.Namespace], int]] = {
    "begin": begin,
    "try": try_text,
    "publish": publish,
    "sign": sign,
    "widen": widen,
    "back": go_back,
    "rekey": rekey,
    "show": show,
}
