"""The law of layers: whoever may only tighten cannot loosen anything, floors hold, and nothing
above is undone from below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.action import ALLOW, ASK, DENY, REVIEW, WARN
from interlock.model.effect import SECRET, Deletes, Pushes, Reads, Writes
from interlock.model.limits import Rate, TokenBudget
from interlock.model.policy import Approving, Duty, Named, Reviewing, Stopping
from interlock.model.rule import Match
from interlock.policy.builtin import builtin
from interlock.policy.compile import rule_of
from interlock.policy.layer import Exemption, Layer, Setting, Tune, Written
from interlock.policy.merge import merge
from interlock.policy.schema import LAYERS, ORGANISATION, PROJECT, TENANT, USER
from interlock.policy.settings import GROWS, ONE, OPENS, ROWS
from tests.judging import decided, shell
from tests.policy.layering import answer, layers, merged

if TYPE_CHECKING:
    from interlock.model.policy import Policy

RULES = {rule.id: rule for rule in builtin().rules}
IDS = sorted(RULES)
ACTIONS = st.sampled_from([ALLOW, WARN, REVIEW, ASK, DENY])
COMMANDS = (
    "rm -rf src", "git push -f origin topic", "git push origin main", "curl https://unknown.test", "npm install x", "echo x > /srv/a", "cat .env",
    "rm -rf ~/.config/interlock", "cat ~/.ssh/id_rsa", "sudo ls", "docker run x", "rm src/a", "psql -c 'drop table a'", "chmod 777 a",
)  # fmt: skip

tunes = st.builds(
    Tune,
    st.lists(st.sampled_from([*IDS, "git.*", "fs.*"]), max_size=3).map(tuple),
    st.lists(st.sampled_from(["GR-001", "GR-004", "GR-005", "GR-008", "tamper"]), max_size=1).map(
        tuple
    ),
    st.just("file:1"),
    st.none() | ACTIONS,
    st.none() | ACTIONS,
    st.booleans(),
)
MATCHES = (
    Match((Writes,), path=("/srv/**",)),
    Match((Pushes,), ref=("topic",)),
    Match((Deletes,), path=("${WORKSPACE}/src/**",)),
)
exemptions = st.builds(
    Exemption,
    st.lists(st.sampled_from(IDS), min_size=1, max_size=3).map(tuple),
    st.sampled_from(MATCHES),
    st.just("file:2"),
)
rules = st.builds(
    lambda name, match, action: Written(
        rule_of(f"team.{name}", "does so", match, action), "file:3"
    ),
    st.sampled_from(["a", "b"]),
    st.sampled_from(
        [
            *MATCHES,
            Match((Reads,), no_nature=frozenset({SECRET})),
            Match((Writes,), not_path=("${WORKSPACE}/**",)),
        ]
    ),
    ACTIONS,
)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "observe": st.booleans(),
    "audit_required": st.booleans(),
    "audit_durable": st.booleans(),
    "prompts_full": st.booleans(),
    "intent": st.sampled_from(["off", "warn", "on", "ask"]),
    "proven": st.sampled_from(["pass", "approve"]),
    "unproven": ACTIONS,
    "proven_scope": st.sampled_from(["read-only", "workspace", "workspace+network"]),
    "retention_days": st.integers(1, 1000),
    "reviewing": st.builds(Reviewing, st.just("openai-chat"), st.sampled_from(["one", "other"])),
    "tenant": st.sampled_from(["acme", "other"]),
    **{
        name: st.integers(1, 10**6)
        for name in ROWS
        if name.startswith("approving.") and name != "approving.token_always"
    },
    "approving.token_always": st.booleans(),
    "limits.lease": st.integers(1, 10**6),
    "limits.rates": st.builds(Rate, st.sampled_from(["1/s", "60/minute"])),
    "limits.tokens": st.builds(TokenBudget, st.integers(1, 10**6)),
    "places": st.builds(
        Named,
        st.just(("art/**", "${WORKSPACE}/src/**")),
        st.sampled_from([frozenset({"generated"}), frozenset({"secret", "sink"})]),
    ),
    "redacted": st.sampled_from(["iban", "customer_id"]),
    "duties": st.builds(
        Duty, st.just(frozenset({"git.push"})), st.just(frozenset()), st.just(("notify",))
    ),
    "checkpointing.loss": st.sampled_from(["run", "ask"]),
    **{f"checkpointing.{name}": st.integers(1, 10**6) for name in ("days", "megabytes")},
    **{f"stopping.{name}": st.integers(0, 100) for name in ("repeats", "refused_goals")},
    **{
        f"stopping.{name}": st.tuples(st.integers(1, 100), st.integers(1, 100))
        for name in ("denials", "calls")
    },
    **{f"stopping.{name}": st.just(("git.push",)) for name in ("rules", "tags")},
    "stopping.kill": st.booleans(),
    "notify": st.just(("terminal",)),
    "hosts": st.just(frozenset({"unknown.test"})),
    "programs": st.just((("deployctl", ("operands reads*",)),)),
    "roots": st.just(("/srv/shared",)),
    "allowed": st.sampled_from([("${WORKSPACE}/**",), ("/**",)]),
}
settings = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: VALUES[name].map(lambda value: Setting(name, value, "file:4"))
)


@st.composite
def layer(draw: st.DrawFn, name: str | None = None, *, loosens: bool = True) -> Layer:
    """Make a layer of anything a file may say, and of much that it may not."""
    return Layer(
        draw(st.sampled_from(LAYERS)) if name is None else name,
        "file",
        loosens,
        rules=tuple(draw(st.lists(rules, max_size=2))),
        tunes=tuple(draw(st.lists(tunes, max_size=4))),
        exemptions=tuple(draw(st.lists(exemptions, max_size=2))),
        settings=tuple(draw(st.lists(settings, max_size=4))),
    )


def looser(one: Policy, other: Policy) -> list[str]:
    """Return in what the other policy is looser than the first."""
    found = []
    after = {rule.id: rule for rule in other.rules}
    for rule in one.rules:
        now = after[rule.id]
        if (
            now.action < rule.action
            or now.floor < rule.floor
            or not set(now.excepts) <= set(rule.excepts)
            or now.match != rule.match
        ):
            found.append(rule.id)
    found += [
        name
        for name in ("observe", "prompts_full")
        if getattr(other, name) and not getattr(one, name)
    ]
    found += [
        name
        for name in ("audit_required", "audit_durable")
        if getattr(one, name) and not getattr(other, name)
    ]
    found += [
        name
        for name in ("hosts", "roots")
        if not set(getattr(other, name)) <= set(getattr(one, name))
    ]
    found += (
        ["places"]
        if not set(one.places) <= set(other.places)
        or any(
            {"generated", "sink"} & place.natures for place in set(other.places) - set(one.places)
        )
        else []
    )
    found += (
        ["checkpointing"]
        if one.checkpointing.loss == "ask" and other.checkpointing.loss == "run"
        else []
    )
    found += ["notify"] if not set(one.notify) <= set(other.notify) else []
    found += (
        ["stopping"]
        if one.stopping is not None and not stops_as_often(one.stopping, other.stopping)
        else []
    )
    found += (
        ["reviewing"] if other.reviewing is not None and other.reviewing != one.reviewing else []
    )
    found += ["redacted"] if not set(one.redacted) <= set(other.redacted) else []
    found += ["duties"] if not set(one.duties) <= set(other.duties) else []
    words = ("off", "warn", "on", "ask")
    found += ["intent"] if words.index(other.intent) < words.index(one.intent) else []
    found += [
        name
        for name in Approving.fields
        if name != "token_always" and getattr(other.approving, name) > getattr(one.approving, name)
    ]
    if one.limits is not None:
        lists = ("rates", "tokens", "costs", "concurrent", "durations")
        kept = other.limits is not None and all(
            set(getattr(one.limits, name)) <= set(getattr(other.limits, name)) for name in lists
        )
        found += (
            []
            if kept and other.limits is not None and other.limits.lease >= one.limits.lease
            else ["limits"]
        )
    return found


def stops_as_often(one: Stopping, other: Stopping | None) -> bool:
    """Tell whether the other stops a session wherever the first does."""
    if other is None or (one.kill and not other.kill):
        return False
    sooner = all(
        0 < getattr(other, name) <= getattr(one, name) or not getattr(one, name)
        for name in ("repeats", "refused_goals")
    )
    return sooner and all(
        set(getattr(one, name)) <= set(getattr(other, name))
        for name in ("denials", "calls", "rules", "tags")
    )


@given(st.lists(layer(), max_size=3), layer(PROJECT, loosens=False))
def test_a_project_that_nobody_trusts_loosens_nothing(above: list[Layer], project: Layer) -> None:
    """Whatever it says, rule by rule and setting by setting it is at least as strict with it as
    without it.
    """
    before = merge(builtin(), tuple(above))
    after = merge(builtin(), (*above, project))
    assert looser(before.policy, after.policy) == []


@given(st.lists(layer(), max_size=2), layer(PROJECT, loosens=False), st.sampled_from(COMMANDS))
def test_no_answer_is_looser_for_a_project(
    above: list[Layer], project: Layer, command: str
) -> None:
    """The same law, seen at real answers."""
    before = decided(shell(command), merge(builtin(), tuple(above)).policy)
    after = decided(shell(command), merge(builtin(), (*above, project)).policy)
    assert before.action <= after.action
    assert before.verdict <= after.verdict


@given(st.lists(layer(), max_size=4))
def test_floors_hold_whatever_layers_say(some: list[Layer]) -> None:
    """No rule falls below its floor, and one with a floor has no exceptions of layers that came
    after the floor.
    """
    for rule in merge(builtin(), tuple(some)).policy.rules:
        assert rule.action >= rule.floor
        built_in = RULES.get(rule.id)
        if built_in is not None:
            assert rule.floor >= built_in.floor
            assert not (built_in.floor > ALLOW and rule.excepts)


@given(layer(ORGANISATION), layer(USER))
def test_what_the_organisation_tightened_the_user_cannot_undo(
    organisation: Layer, user: Layer
) -> None:
    """Only what the organisation itself calls tunable may be loosened below it."""
    strict = organisation.replace(
        tunes=tuple([tune.replace(tunable=False) for tune in organisation.tunes]), exemptions=()
    )
    alone, both = merge(builtin(), (strict,)).policy, merge(builtin(), (strict, user)).policy
    after = {rule.id: rule for rule in both.rules}
    for rule in alone.rules:
        before = RULES.get(rule.id)
        if before is None or rule.action > before.action:
            assert after[rule.id].action >= rule.action, rule.id
            assert not after[rule.id].excepts


@given(st.lists(layer(), max_size=4))
def test_a_merge_is_the_same_every_time_and_says_where_all_of_it_came_from(
    some: list[Layer],
) -> None:
    """Pure; and every rule whose action is not the built-in one has an origin."""
    one, other = merge(builtin(), tuple(some)), merge(builtin(), tuple(some))
    assert one == other
    told = {origin.what for origin in one.origins}
    for rule in one.policy.rules:
        if rule.id in RULES and rule.action != RULES[rule.id].action:
            assert told & {f"{rule.id}.action", f"{rule.id}.floor"}


def test_roles_are_told_in_words() -> None:
    """What ``policy show`` says of a role is who holds it; several names of another setting stand
    side by side.
    """
    one = merge(
        builtin(),
        layers(
            "version: 1\nroles: {ann: lead, bob: [lead, ops]}\nhosts: {allow: [b.test, a.test]}\n"
        ),
    )
    told = {origin.what: origin.value for origin in one.origins}
    assert (told["roles"], told["hosts"]) == ("lead: ann, bob; ops: bob", "a.test, b.test")


def test_every_setting_is_tried_by_these_laws() -> None:
    """A setting that is added later has a value here, or this fails."""
    kinds = {name: row.kind for name, row in ROWS.items() if row.kind in (ONE, GROWS, OPENS)}
    elsewhere = {"limits.costs", "limits.concurrent", "limits.durations", "limits.prices"}
    assert set(kinds) - elsewhere <= set(VALUES)


def test_a_project_only_takes_the_answer_to_the_clients_question_away() -> None:
    """Not even one whose user trusted its file: whoever writes a repository must not silence the
    questions about it.
    """
    user = layers("version: 1\nproven: approve\nproven_scope: workspace+network", USER)
    greedy = merged(
        *layers(
            "version: 1\nproven: approve\nproven_scope: workspace+network", PROJECT, loosens=True
        )
    )
    assert (greedy.policy.proven, greedy.policy.proven_scope) == ("pass", "workspace")
    assert "only tightens" in greedy.notes[0]
    careful = merged(
        *user, *layers("version: 1\nproven: pass\nproven_scope: read-only\nunproven: ask", PROJECT)
    ).policy
    assert (careful.proven, careful.proven_scope, careful.unproven) == ("pass", "read-only", ASK)
    assert (merged(*user).policy.proven, merged(*user).policy.proven_scope) == (
        "approve",
        "workspace+network",
    )
    forbidden = merged(*layers("version: 1\nproven: pass"), *user)
    assert forbidden.policy.proven == "pass"


def test_the_organisation_loosens_down_to_the_floor_and_a_user_may_tighten_again() -> None:
    """The permitted twin of the laws: who may loosen does."""
    organisation = layers("version: 1\ntune: [{tag: GR-008, action: warn}]")
    assert answer("echo x > /srv/a", merged(*organisation).policy) == "warn"
    user = layers("version: 1\ntune: [{rule: fs.write-outside-workspace, action: deny}]", USER)
    assert answer("echo x > /srv/a", merged(*organisation, *user).policy) == "deny"


def test_what_is_called_tunable_may_be_loosened_below() -> None:
    """``tunable`` gives a tightening back into the hands of lower layers."""
    text = "version: 1\ntune: [{rule: git.push, action: deny, tunable: %s}]"
    user = layers("version: 1\ntune: [{rule: git.push, action: warn}]", USER)
    free, bound = merged(*layers(text % "true"), *user), merged(*layers(text % "false"), *user)
    assert answer("git push origin topic", free.policy) == "warn"
    assert answer("git push origin topic", bound.policy) == "deny"
    assert (
        "user.yaml:2: git.push becomes deny and not warn: the organisation says so" in bound.notes
    )


def test_a_trusted_project_may_loosen_what_nobody_above_tightened() -> None:
    """Trust is by content; here it was given."""
    text = "version: 1\nallow: [{rule: git.force-push, because: b, match: {effect: pushes, ref: topic}}]\nhosts: {allow: unknown.test}"
    trusted, unknown = merged(*layers(text, PROJECT, loosens=True)), merged(*layers(text, PROJECT))
    assert answer("git push -f origin topic", trusted.policy) == "warn"
    assert answer("git push -f origin topic", unknown.policy) == "ask"
    assert answer("curl https://unknown.test", unknown.policy) == "warn"
    assert all("`interlock trust`" in note for note in unknown.notes)


def test_observe_of_a_project_is_ignored_and_said() -> None:
    """A cloned repository cannot switch the answers off, trusted or not: it is no key of its file
    at all.
    """
    for loosens in (False, True):
        assert (
            answer(
                "rm -rf /",
                merged(
                    *layers("version: 1\nobserve: true\nprofile: default", PROJECT, loosens=loosens)
                ).policy,
            )
            == "deny"
        )


@pytest.mark.parametrize("name", [TENANT, USER])
def test_rules_of_one_name_stand_beside_each_other(name: str) -> None:
    """A lower layer's rule never takes the place of a higher one's."""
    above = layers("version: 1\nfiles: {block: keys}")
    below = layers("version: 1\nfiles: {block: vault}", name)
    found = merged(*above, *below).policy
    assert [answer(command, found) for command in ("cat keys/a", "cat vault/a", "cat src/a")] == [
        "deny",
        "deny",
        "allow",
    ]


def test_allowed_paths_of_two_layers_both_have_to_hold() -> None:
    """A user cannot widen what the organisation allowed."""
    above = layers("version: 1\nfiles: {allow: '${WORKSPACE}'}")
    below = layers("version: 1\nfiles: {allow: ['${WORKSPACE}/src', /srv]}", USER)
    found = merged(*above, *below).policy
    assert [answer(command, found) for command in ("cat src/a", "cat docs/a", "cat /srv/a")] == [
        "allow",
        "deny",
        "deny",
    ]
