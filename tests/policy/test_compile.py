"""Each key of a policy file does what its row of the schema says, and near misses are untouched."""

from __future__ import annotations

import pytest

from interlock.facts import Recorded
from interlock.model.action import ASK
from interlock.model.limits import CostBudget, Duration, Price, Rate, TokenBudget
from interlock.model.policy import Approving
from tests.judging import decided, shell, tool
from tests.policy.layering import answer, layers, merged, policy, wrong

RULE = """
rules:
  - id: team.no-late-drop
    title: drops a table
    why: Nobody is there to bring it back.
    instead: Wait until Monday.
    match: {effect: changes-database, traits: drop}
    action: deny
    possible: ask
    tags: [GR-002, team]
    approver: lead
    quorum: 2
    second_person: true
    wait: 10m
    anywhere: true
    catches: ["psql -c 'DROP TABLE t'"]
    passes: ["psql -c 'SELECT 1'"]
"""

OUT = "allow: [{rule: fs.write-outside-workspace, because: b, match: {effect: writes, path: '/srv/out/**'}}]"
RELEASES = "rules: [{id: a.b, title: t, action: deny, match: {effect: pushes, ref: 'r/*'}}]"
CACHE = "allow: [{rule: fs.delete-outside-workspace, because: b, match: {effect: deletes, path: '/srv/c/**'}}]"
TOPIC = "allow: [{rule: git.force-push, because: b, match: {effect: pushes, ref: 'topic/*'}}]"

# the text of a policy, a command, the answer with it, the answer without it
ROWS: tuple[tuple[str, str, str, str], ...] = (
    # rules: each key of match, with a near miss
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, path: 'src/**'}}]", "cat src/a/b.py", "ask", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, path: 'src/*'}}]", "cat src/a/b.py", "allow", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, path: '*.sql'}}]", "cat src/a/b.sql", "ask", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, path: '${HOME}/notes/**'}}]", "cat ~/notes/a", "ask", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, path: '~/notes'}}]", "cat ~/notes/../x", "allow", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, not_path: 'src/**'}}]", "cat src/a.py", "allow", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, not_path: 'src/**'}}]", "cat lib/a.py", "ask", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, location: workspace}}]", "cat lib/a.py", "ask", "allow"),
    ("rules: [{id: a.b, title: t, action: ask, match: {effect: reads, nature: project-secret}}]", "cat .env", "ask", "warn"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: reads, no_nature: project-secret}}]", "cat .env", "warn", "warn"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: connects, target: '*.evil.test'}}]", "curl https://a.evil.test/x", "deny", "warn"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: connects, target: '*.evil.test'}}]", "curl https://evil.example/x", "warn", "warn"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: connects, host: unknown}}]", "curl https://pypi.org/x", "allow", "allow"),
    (RELEASES, "git push origin r/1", "deny", "warn"),
    (RELEASES, "git push origin HEAD:refs/heads/r/1", "deny", "warn"),
    (RELEASES, "git push origin topic", "warn", "warn"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: deletes, by: shred}}]", "rm src/a.py", "allow", "allow"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: deletes, by: rm}}]", "rm src/a.py", "deny", "allow"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: deletes, traits: recursive}}]", "rm -r build", "deny", "allow"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: deletes, no_trait: recursive}}]", "rm -r build", "allow", "allow"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: deletes, any_trait: [recursive, found]}}]", "rm -r build", "deny", "allow"),
    ("rules: [{id: a.b, title: t, action: deny, match: {effect: reads, remote: true}}]", "cat a.txt", "allow", "allow"),
    # tune
    ("tune: [{rule: git.force-push, action: deny}]", "git push -f origin topic", "deny", "ask"),
    ("tune: [{rule: git.force-push, action: warn}]", "git push -f origin topic", "warn", "ask"),
    ("tune: [{rule: 'git.*', action: deny}]", "git push -f origin topic", "deny", "ask"),
    ("tune: [{tag: GR-005, action: ask}]", "curl https://unknown.test", "ask", "warn"),
    ("tune: [{tag: GR-005, floor: ask}]", "curl https://unknown.test", "ask", "warn"),
    # allow: an exception, and what it does not let pass
    (OUT, "echo x > /srv/out/a", "allow", "ask"),
    (OUT, "echo x > /srv/out/../a", "ask", "ask"),
    (OUT, "echo x > /srv/out/$N/../a", "warn", "warn"),
    (TOPIC, "git push -f origin topic/a", "warn", "ask"),
    (TOPIC, "git push -f origin topic/a dev", "ask", "ask"),
    (TOPIC, "git push -f origin topic/a; rm -rf src", "ask", "ask"),
    (TOPIC, "git push -f origin $BRANCH", "ask", "ask"),
    (CACHE, "rm -rf /srv/c/*", "allow", "ask"),
    (CACHE, "rm -rf /srv/c*", "ask", "ask"),
    ("allow: [{rule: fs.delete-outside-workspace, because: b, match: {effect: deletes, path: '/srv/c?'}}]", "rm -rf /srv/c*", "ask", "ask"),
    # files
    ("files: {block: 'keys/*'}", "cat keys/a/b", "deny", "allow"),
    ("files: {block: keys}", "echo x > keys/a", "deny", "allow"),
    ("files: {block: keys}", "rm -rf keys", "deny", "ask"),
    ("files: {block: keys/deep/a}", "rm -rf keys", "deny", "ask"),
    ("files: {block: keys/deep/a}", "cat keys/deep/b", "allow", "allow"),
    ("files: {block: keys}", "cat keyside/a", "allow", "allow"),
    ("files: {block: .local.txt}", "cat .l*", "deny", "allow"),
    ("files: {block: .local.txt}", "cat .[kl]ocal.txt", "deny", "allow"),
    ("files: {block: .local.txt}", "cat *.py", "allow", "allow"),
    ("files: {block: keys/a.txt}", "cat k*/a.txt", "deny", "allow"),
    ("files: {block: keys/a.txt}", "cat keys/*.md", "allow", "allow"),
    ("files: {block: keys}", "tar czf a.tgz .", "deny", "allow"),
    ("files: {block: keys}", "zip -r a.zip src", "allow", "allow"),
    ("files: {block: keys}", "cp -r . /tmp/x", "deny", "allow"),
    ("files: {block: /srv/keys}", "find . -name '*.py' -delete", "ask", "ask"),
    ("files: {read_only: docs}", "cat docs/a.md", "allow", "allow"),
    ("files: {read_only: docs}", "echo x >> docs/a.md", "deny", "allow"),
    ("files: {allow: ['${WORKSPACE}', /srv/out]}", "echo x > /srv/out/a", "allow", "ask"),
    ("files: {allow: ['${WORKSPACE}', /srv/out]}", "cat /srv/in/a", "deny", "allow"),
    ("files: {allow: ['${WORKSPACE}', /srv/out]}", "cat src/a > /dev/null", "allow", "allow"),
    ("files: {allow: '${WORKSPACE}', block: src/keys}", "cat src/keys/a", "deny", "allow"),
    # a folder that may hold what is blocked: deleting or moving it is asked about; building it anew
    # is no loss of it
    ("files: {block: '**/secrets/**'}", "mv deploy /tmp/x", "ask", "allow"),
    ("files: {block: '**/secrets/**'}", "git rm -r deploy", "ask", "allow"),
    ("files: {block: '**/secrets/**'}", "rm -rf deploy/secrets", "deny", "ask"),
    ("files: {block: '**/secrets/**'}", "rm -rf node_modules", "allow", "allow"),
    ("files: {block: '**/secrets/**'}", "cp -r deploy out", "allow", "allow"),
    ("files: {block: '**/secrets/**'}", "cp -r deploy lib2", "allow", "allow"),
    ("files: {block: /home/user/project/*/keys}", "mv deploy /tmp/x", "ask", "allow"),
    ("files: {block: /srv/*/keys}", "mv deploy /tmp/x", "allow", "allow"),
    ("files: {block: '*.pem'}", "mv deploy /tmp/x", "ask", "allow"),
    ("files: {block: '*.pem'}", "rm -f deploy/*.txt", "allow", "allow"),
    ("files: {block: '*.pem'}", "rm -f deploy/*.pem", "deny", "ask"),
    ("files: {read_only: '**/docs/**'}", "mv deploy /tmp/x", "ask", "allow"),
    # hosts, places, environments
    ("hosts: {allow: unknown.test}", "curl https://a.unknown.test", "allow", "warn"),
    ("hosts: {allow: unknown.test}", "curl https://notunknown.test", "warn", "warn"),
    ("hosts: {block: pypi.org}", "curl https://files.pypi.org/x", "deny", "allow"),
    ("places: [{path: 'vault/**', nature: secret}]", "cat vault/a", "ask", "allow"),
    ("places: [{path: 'vault/**', nature: secret}]", "cat vaults/a", "allow", "allow"),
    ("places: [{path: 'art/**', nature: generated}]", "rm -r art", "allow", "ask"),
    ("environments: {production: {hosts: [prod.test]}}", "ssh db.prod.test uptime", "ask", "warn"),
    ("environments: {production: {hosts: [prod.test]}}", "ssh db.stage.test uptime", "warn", "warn"),
    ("environments: {production: {paths: [deploy/production]}}", "echo x > deploy/production/a", "ask", "allow"),
    ("environments: {production: {paths: [deploy/production]}}", "cat deploy/production/a", "allow", "allow"),
    ("environments: {production: {git_refs: ['release-*'], action: deny}}", "git push origin release-7", "deny", "warn"),
    ("environments: {production: {kube_contexts: 'prod-*'}}", "kubectl --context prod-eu apply -f a.yaml", "ask", "ask"),
    ("environments: {production: {kube_contexts: 'prod-*', action: deny}}", "kubectl --context prod-eu apply -f a.yaml", "deny", "ask"),
    ("environments: {production: {kube_contexts: 'prod-*', action: deny}}", "kubectl --context stage apply -f a.yaml", "ask", "ask"),
    ("environments: {production: {kube_contexts: 'prod-*', action: deny}}", "helm upgrade x ./chart --kube-context=prod-eu", "deny", "ask"),
    ("environments: {production: {cloud_accounts: [prod], action: deny}}", "aws --profile prod s3 rm s3://b/x", "deny", "ask"),
    ("environments: {production: {cloud_accounts: [prod], action: deny}}", "AWS_PROFILE=prod aws s3 rm s3://b/x", "deny", "ask"),
    ("environments: {production: {cloud_accounts: [prod], action: deny}}", "aws --profile dev s3 rm s3://b/x", "ask", "ask"),
    ("environments: {production: {cloud_accounts: [prod-1], action: deny}}", "gcloud --project prod-1 compute instances delete x", "deny", "ask"),
    *[
        ("environments: {production: {words: ['prod*', '*.prod'], action: deny}}", command, answer, without)
        for command, answer, without in (
            ("RAILS_ENV=production rails db:migrate", "deny", "ask"),
            ("export RAILS_ENV=production; rails db:migrate", "deny", "ask"),
            ("env RAILS_ENV=production rails db:migrate", "deny", "ask"),
            ("bash -c 'RAILS_ENV=production rails db:migrate'", "deny", "ask"),
            ("RAILS_ENV=production bundle exec rake db:migrate", "deny", "ask"),
            ("RAILS_ENV=staging rails db:migrate", "warn", "warn"),
            ("RAILS_ENV=production rails routes", "allow", "allow"),
            ("DJANGO_SETTINGS_MODULE=shop.settings.prod python manage.py migrate", "deny", "ask"),
            ("python manage.py migrate --settings=shop.settings.prod", "deny", "ask"),
            ("DJANGO_SETTINGS_MODULE=shop.settings.dev python manage.py migrate", "warn", "warn"),
            ("NODE_ENV=production npm run deploy", "ask", "ask"),
            ("export NODE_ENV=production && npm run deploy", "ask", "ask"),
            ("env NODE_ENV=production npm run deploy", "ask", "ask"),
            ("npm run deploy", "allow", "allow"),
            ("NODE_ENV=development npm run deploy", "allow", "allow"),
            ("NODE_ENV=production npm run build", "allow", "allow"),
            ("NODE_ENV=production npm ci", "allow", "allow"),
            ("NODE_ENV=production npm publish", "deny", "ask"),
            ("make deploy ENV=production", "ask", "ask"),
            ("ENV=prod ./deploy.sh", "ask", "ask"),
            ("ENV=prod ./build.sh", "allow", "allow"),
            ("docker --context prod-eu rm -f web", "deny", "ask"),
            ("DOCKER_CONTEXT=prod-eu docker compose up -d", "deny", "warn"),
            ("docker --context prod-eu ps", "allow", "allow"),
            ("docker context use prod-eu", "ask", "warn"),
            ("docker context use dev", "warn", "warn"),
            ("kubectl --context prod-eu delete pod x", "deny", "ask"),
            ("kubectl config use-context prod-eu", "ask", "warn"),
            ("TF_WORKSPACE=prod terraform apply", "deny", "ask"),
        )
    ],
    # the guard's own files are never an agent's to write
    ("files: {allow: ['${HOME}/.config/interlock/**']}", "echo x > ~/.config/interlock/policy.yaml", "deny", "deny"),
    # what cannot be carried out is asked about
    ("obligations: [{rule: pkg.install-named, do: sandbox}]", "npm install left-pad", "ask", "warn"),
    ("obligations: [{rule: pkg.install-named, do: notify}]", "npm install left-pad", "warn", "warn"),
    ("obligations: [{tag: GR-008, do: [checkpoint, notify]}]", "npm install left-pad", "warn", "warn"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "command", "expected", "without"), ROWS, ids=range(len(ROWS)))
def test_a_key_changes_what_it_names_and_no_more(
    text: str, command: str, expected: str, without: str
) -> None:
    """With the policy one answer, without it another or, for a near miss, the same."""
    assert answer(command, merged().policy) == without
    assert answer(command, policy(text)) == expected


def test_a_rule_has_every_field_it_was_given() -> None:
    """A rule of a file is the same record as a built-in one."""
    rule = next(rule for rule in policy(RULE).rules if rule.id == "team.no-late-drop")
    assert (
        str(rule.action),
        rule.possible,
        rule.approver,
        rule.quorum,
        rule.second_person,
        rule.seconds,
        rule.anywhere,
    ) == ("deny", ASK, "lead", 2, True, 600, True)
    assert rule.tags == {"GR-002", "team", "policy"}
    assert (rule.why, rule.instead) == ("Nobody is there to bring it back.", "Wait until Monday.")
    assert rule.catches == ("psql -c 'DROP TABLE t'",)


def test_settings_become_the_records_the_organs_read() -> None:
    """Limits, approvals, roles, audit and the rest arrive where they are counted and asked by."""
    found = policy("""
roles: {alice: [lead, admin], bob: lead}
tenant: acme
observe: true
intent: off
workspace: {roots: /srv/shared}
limits:
  rates: [{rate: 60/minute, tools: bash_commands, per: agent, burst: 5}]
  tokens: [{limit: 1000, warning: 0.5, hard: 0.9, of: context, every: 1d, cached: false, reserve: 10}]
  cost: [{threshold: 2.5, approver: admin}]
  concurrent: [{most: 3}]
  duration: [{most: 8h, warning: 0.9}]
  prices: [{model: m, input: 1, output: 2, cached: 0.1, written: 1.5}]
  lease: 5m
approvals: {wait: 1m, session: 1h, project: 1d, uses: 3, most_pending: 4, token_always: true}
audit: {required: true, prompts: full, durable: always, keep: 90d, redact: [Customer_ID, iban]}
""")
    assert found.roles == {"lead": frozenset({"alice", "bob"}), "admin": frozenset({"alice"})}
    assert (found.tenant, found.observe, found.intent, found.roots) == (
        "acme",
        True,
        "off",
        ("/srv/shared",),
    )
    assert (
        found.audit_required,
        found.prompts_full,
        found.audit_durable,
        found.retention_days,
    ) == (True, True, True, 90)
    assert found.redacted == ("customer_id", "iban")
    assert found.approving == Approving(60, 3600, 86400, 3, 4, token_always=True)
    limits = found.limits
    assert limits is not None
    assert limits.rates == (Rate("60/minute", "bash_commands", "agent", 5),)
    assert limits.tokens == (
        TokenBudget(1000, 0.5, 0.9, of="context", every=86400, cached=False, reserve=10),
    )
    assert limits.costs == (CostBudget(2.5, approver="admin"),)
    assert (limits.concurrent[0].most, limits.durations, limits.lease) == (
        3,
        (Duration(8 * 3600, 0.9),),
        300,
    )
    assert limits.prices == (Price("m", 1, 2, 0.1, 1.5),)


WRONG: tuple[tuple[str, str], ...] = (
    (
        "rules: [{id: git.force-push, title: t, action: ask, match: {effect: reads}}]",
        "there is a rule git.force-push already",
    ),
    ("rules:\n- &\n", "invalid YAML"),
    (
        RULE + RULE.replace("rules:", "").replace("tags: [GR-002, team]", "tags: x"),
        "there is a rule team.no-late-drop in line 4",
    ),
    (
        RULE.replace("possible: ask", "floor: deny\n    possible: deny").replace(
            "action: deny", "action: ask"
        ),
        "stricter than the action ask",
    ),
    (
        RULE.replace("DROP TABLE t", "SELECT 1"),
        "this example fails: team.no-late-drop does not catch it (it was read as:",
    ),
    (RULE.replace("SELECT 1", "DROP TABLE u"), "this example fails: team.no-late-drop catches it"),
    (
        RULE.replace("action: deny", "action: warn").replace("possible: ask", "possible: warn"),
        "nobody is asked for warn",
    ),
    (
        "rules: [{id: a.b, title: t, match: {effect: pushes}, action: warn, anywhere: true}]",
        "no answer that counts elsewhere",
    ),
    (RULE.replace("quorum: 2", "quorum: 0"), "at least one person"),
    (RULE.replace("traits: drop", "traits: drop, no_trait: drop"), "never matches"),
    (
        "tune: [{rule: git.force-psh, action: deny}]",
        "there is no rule git.force-psh; did you mean 'git.force-push'?",
    ),
    ("tune: [{rule: 'gti.*', action: deny}]", "there is no rule gti.*"),
    ("tune: [{tag: GR-099, action: deny}]", "no rule has the tag GR-099; did you mean"),
    ("tune: [{rule: git.force-push}]", "changes nothing"),
    ("tune: [{rule: guard.change-files, action: warn}]", "guard.change-files has the floor ask"),
    (
        "allow: [{rule: guard.change-files, because: b, match: {effect: writes, path: /x}}]",
        "floor ask, so nothing can be excepted",
    ),
    (
        "allow: [{rule: git.force-push, because: b, match: {effect: pushes}}]",
        "names what it is for",
    ),
    (
        "allow: [{rule: git.force-push, because: b, match: {effect: pushes, target: '*'}}]",
        "nearly everything",
    ),
    (
        "allow: [{rule: fs.write-outside-workspace, because: b, match: {effect: writes, path: '/**'}}]",
        "nearly everything",
    ),
    (
        "allow: [{rule: fs.write-outside-workspace, because: b, match: {effect: writes, path: '${HOME}'}}]",
        "nearly everything",
    ),
    (
        "allow: [{rule: fs.write-outside-workspace, because: b, match: {effect: writes, path: '/home/**'}}]",
        "nearly everything",
    ),
    (
        "allow: [{rule: git.force-push, because: b, match: {effect: writes, path: /x}}]",
        "so this excepts nothing",
    ),
    ("allow: [{rule: 'git.*', because: b, match: {effect: pushes, ref: x}}]", "one by one"),
    ("limits: {tokens: [{limit: 1000, warning: 0.9, hard: 0.5}]}", "are not parts of one"),
    ("limits: {tokens: [{limit: 0}]}", "more than none"),
    ("limits: {rates: [{rate: 5/minute, burst: 9}]}", "a burst of 9"),
    ("obligations: [{rule: git.force-psh, do: notify}]", "did you mean 'git.force-push'?"),
)


@pytest.mark.parametrize(("text", "part"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_meant_is_an_error_with_its_place(text: str, part: str) -> None:
    """What reads well and means nothing breaks the file too: a typing error must not switch a rule
    off.
    """
    said = wrong(text)
    assert part in said
    assert said.startswith("organisation.yaml:")


def test_a_workspace_below_a_blocked_path_is_refused_naming_both() -> None:
    """Everything in it would be blocked; the answer says which folder and which line of the
    policy.
    """
    decision = decided(shell("ls"), policy("files: {block: /home/user}"))
    assert str(decision.verdict) == "deny"
    assert "/home/user/project" in decision.deciding[0].message
    assert "/home/user/**" in decision.deciding[0].message


def test_a_link_fits_where_it_leads_too() -> None:
    """A blocked path is blocked by every name, and an exception is none for a link that leads out
    of it.
    """
    facts = Recorded(
        "/home/user",
        reals={"/home/user/project/link/hosts": "/srv/keys/hosts", "/srv/out/link": "/srv/other"},
    )
    assert (
        str(decided(shell("cat link/hosts"), policy("files: {block: /srv/keys}"), facts).verdict)
        == "deny"
    )
    excepting = policy(
        "allow: [{rule: fs.write-outside-workspace, because: b, match: {effect: writes, path: '/srv/out/**'}}]"
    )
    assert str(decided(shell("echo x > /srv/out/link"), excepting, facts).verdict) == "ask"


def test_a_file_that_is_moved_holds_nothing() -> None:
    """Where the disk says that it is a file, it is no folder that may hold what is blocked."""
    facts = Recorded("/home/user", texts={"/home/user/project/src/a.py": "x"})
    found = policy("files: {block: '**/secrets/**'}")
    for command, expected in (
        ("mv src/a.py lib", "allow"),
        ("mv src lib", "ask"),
        ("mv src/b lib", "ask"),
        ("mv src/a.py secrets/a.py", "deny"),
    ):
        assert str(decided(shell(command), found, facts).verdict) == expected


def test_an_exception_ends_on_its_day() -> None:
    """``until`` is the last day on which an exception counts."""
    found = layers(
        "version: 1\nallow: [{rule: git.force-push, because: b, until: 2026-11-21, match: {effect: pushes, ref: topic}}]"
    )
    assert answer("git push -f origin topic", merged(*found, today="2026-11-21").policy) == "warn"
    late = merged(*found, today="2026-11-22")
    assert answer("git push -f origin topic", late.policy) == "ask"
    assert "ended on 2026-11-21" in late.notes[0]


def test_observe_answers_allow_and_still_guards_the_guard() -> None:
    """What only observes says what it would answer; the guard's own files stay closed."""
    found = policy("observe: true")
    decision = decided(shell("rm -rf /"), found)
    assert (str(decision.verdict), str(decision.would)) == ("allow", "deny")
    assert str(decided(shell("rm -rf ~/.config/interlock"), found).verdict) == "deny"


def test_a_role_is_demanded_where_somebody_holds_it() -> None:
    """An approver counts where the organisation names who it is."""
    rule = "environments: {production: {git_refs: main, approver: lead}}"
    demanded = decided(
        shell("git push origin main"), policy(f"roles: {{alice: lead}}\n{rule}")
    ).obligations
    assert [duty.detail for duty in demanded] == ["lead"]
    assert decided(shell("git push origin main"), policy(rule)).obligations == ()


def test_blocked_paths_hold_for_file_tools() -> None:
    """A path is a path, whoever asks for it."""
    found = policy("files: {block: keys}")
    assert str(decided(tool("read", {"file_path": "keys/a"}), found).verdict) == "deny"
    assert str(decided(tool("read", {"file_path": "src/a"}), found).verdict) == "allow"


def test_where_file_names_know_no_case_patterns_know_none() -> None:
    """On macOS ``Keys`` and ``keys`` are one folder."""
    found = policy("files: {block: Keys}")
    call = shell("cat keys/a")
    assert str(decided(call.replace(platform="darwin"), found).verdict) == "deny"
    assert str(decided(call, found).verdict) == "allow"


def test_rows_of_an_embedder_may_name_paths_of_the_workspace() -> None:
    """A rule handed to the guard is the same record, placeholders included."""
    from interlock.guard.check import Guard
    from interlock.model.action import DENY
    from interlock.model.effect import Reads
    from interlock.model.rule import Match, Rule
    from interlock.policy.builtin import builtin

    row = Rule(
        "mine.keys", "reads a key", "", "", Match((Reads,), path=("${WORKSPACE}/keys/**",)), DENY
    )
    guard = Guard(builtin(), rules=[row], facts=Recorded("/home/user"))
    assert str(guard.check(shell("cat keys/a")).verdict) == "deny"
    assert str(guard.check(shell("cat src/a")).verdict) == "allow"
