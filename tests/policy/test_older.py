"""The older shape of a policy: the listing of the document, its indentation restored, and every key
of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import ASK
from interlock.model.effect import (
    ChangesDatabase,
    ChangesInfrastructure,
    Deletes,
    DiscardsWork,
    EscalatesPrivilege,
    Publishes,
    Pushes,
    RewritesHistory,
)
from interlock.model.limits import Rate, TokenBudget
from interlock.policy.builtin import builtin
from interlock.policy.older import GRAVE
from interlock.policy.schema import PROJECT, USER
from tests.judging import decided, shell, tool
from tests.policy.layering import answer, layers, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.rule import Rule

LISTING = (Path(__file__).parent / "sources" / "guardrail-policies.yaml").read_text(
    encoding="utf-8"
)
ROLES = "roles: {ada: admin, leo: lead}\n"
EVERYBODY = merged(layers(LISTING)[0]).policy
TENANT = merged(*layers(LISTING + ROLES)).policy


def scope(text: str) -> str:
    """Write a file that says one thing for all tenants."""
    return f'version: "1.0"\nglobal:\n  {text}\n'


# a command, the answer for all tenants, the answer for the tenant of the listing, the answer
# without any policy
ROWS: tuple[tuple[str, str, str, str], ...] = (
    # blocked_patterns: what does the same, however it is written
    ("rm -rf /", "deny", "deny", "deny"),
    ("rm -r -f -- /", "deny", "deny", "deny"),
    ("psql -c 'DROP DATABASE prod'", "deny", "deny", "ask"),
    ("sqlite3 x.db 'drop database a'", "deny", "deny", "ask"),
    ("psql -c 'DROP TABLE a'", "ask", "ask", "ask"),
    ("git push --force origin main", "deny", "deny", "ask"),
    ("git push -f origin HEAD:refs/heads/main", "deny", "deny", "ask"),
    ("git push --force origin topic", "ask", "ask", "ask"),
    ("git push origin topic", "warn", "warn", "warn"),
    # only the words are no command
    ("echo 'drop  database x' > notes.md", "allow", "allow", "allow"),
    ("echo 'drop the database' > notes.md", "allow", "allow", "allow"),
    # require_confirmation: true, and always
    ("rm -r src", "ask", "ask", "ask"),
    ("find . -name '*.py' -delete", "ask", "ask", "ask"),
    ("rm src/old.py", "allow", "ask", "allow"),
    # allowed_paths
    ("cat src/deep/a.py", "allow", "allow", "allow"),
    ("echo x > src/a.py", "allow", "allow", "allow"),
    ("echo x > ~/.coditect/a", "allow", "allow", "ask"),
    ("cat ~/.coditect/a", "allow", "allow", "allow"),
    ("echo x > ~/b", "deny", "deny", "ask"),
    ("cat ~/b", "deny", "deny", "allow"),
    ("echo x > ~/.config/interlock/policy.yaml", "deny", "deny", "deny"),
    # blocked_paths
    ("cat ~/.ssh/config", "deny", "deny", "ask"),
    ("rm -rf ~/.aws", "deny", "deny", "ask"),
    ("cat /etc/hosts", "deny", "deny", "allow"),
    ("cat /var/lib/dpkg/status", "deny", "deny", "allow"),
    ("cat deploy/production/values.yaml", "allow", "deny", "allow"),
    ("cat deploy/secrets/values.yaml", "allow", "deny", "allow"),
    ("cat deploy/productions.yaml", "allow", "allow", "allow"),
    # ordinary work
    ("ls -la", "allow", "allow", "allow"),
    ("python3 -m pytest -q", "allow", "allow", "allow"),
    ("make > /dev/null 2>&1", "allow", "allow", "allow"),
    ("git commit -m 'x'", "allow", "allow", "allow"),
)


@pytest.mark.parametrize(
    ("command", "all_tenants", "tenant", "without"), ROWS, ids=[row[0] for row in ROWS]
)
def test_the_listing_answers_as_it_says(
    command: str, all_tenants: str, tenant: str, without: str
) -> None:
    """For all tenants, for the one it names, and what was answered before there was a policy."""
    if "~/.ssh/config" not in command:
        assert answer(command, merged().policy) == without
    assert answer(command, EVERYBODY) == all_tenants
    assert answer(command, TENANT) == tenant


def test_the_tenant_demands_one_of_its_roles() -> None:
    """``require_approval_from`` is met by anybody who holds one of the roles."""
    assert [duty.detail for duty in decided(shell("rm -r src"), TENANT).obligations] == [
        "admin or lead"
    ]
    assert TENANT.roles is not None
    assert TENANT.roles["admin or lead"] == {"ada", "leo"}
    assert decided(shell("rm -r src"), EVERYBODY).obligations == ()


def test_where_nobody_holds_the_roles_the_person_at_the_prompt_is_asked() -> None:
    """A demand that nobody could ever meet is none."""
    assert decided(shell("rm -r src"), merged(*layers(LISTING)).policy).obligations == ()


GRAVE_KINDS = {
    Deletes,
    DiscardsWork,
    RewritesHistory,
    Pushes,
    Publishes,
    ChangesDatabase,
    ChangesInfrastructure,
    EscalatesPrivilege,
}


@pytest.mark.parametrize(
    "rule",
    [rule for rule in builtin().rules if set(rule.match.kinds) <= GRAVE_KINDS],
    ids=lambda rule: rule.id,
)
def test_every_question_about_what_destroys_or_publishes_takes_the_roles_approval(
    rule: Rule,
) -> None:
    """Whatever program does it: a rule of such effects has one of the tags."""
    assert rule.action < ASK or not rule.match.kinds or not rule.tags.isdisjoint(GRAVE)
    assert next(one.approver for one in TENANT.rules if one.id == rule.id) == (
        "" if rule.tags.isdisjoint(GRAVE) else "admin or lead"
    )


@pytest.mark.parametrize(
    "command",
    [
        "git push --force origin topic", "git push --delete origin topic", "git push --mirror", "git push https://a.test/b.git topic",
        "mysql -e 'DELETE FROM x'", "psql -c 'DROP TABLE x'", "mongosh --eval 'db.dropDatabase()'", "redis-cli flushall", "kubectl delete ns x",
        "kubectl apply -f x.yaml", "helm uninstall x", "terraform destroy", "docker volume rm v", "docker system prune -af",
        "docker run --privileged x", "aws s3 rm s3://x --recursive", "az group delete -n x", "gh repo delete a/b", "npm publish", "cargo publish",
        "twine upload dist/*", "docker push a/b", "sudo ls", "su -c ls", "chmod u+s a", "ssh h rm -rf /srv/x", "rm -r src", "git branch -D x",
        "git filter-branch --all", "python3 -c \"import shutil; shutil.rmtree('src')\"",
    ],
)  # fmt: skip
def test_what_destroys_publishes_or_reaches_a_remote_takes_the_roles_approval(command: str) -> None:
    """A question to anybody is not enough; where nobody is named it is asked as it was."""
    decision = decided(shell(command), TENANT)
    assert (str(decision.verdict), [duty.detail for duty in decision.obligations]) == (
        "ask",
        ["admin or lead"],
    )
    assert decided(shell(command), EVERYBODY).obligations == ()


@pytest.mark.parametrize(
    "command",
    [
        "git push origin topic",
        "npm install",
        "curl https://a.test/x",
        "docker run x",
        "ls",
        "psql -c 'select 1'",
    ],
)
def test_what_is_not_asked_about_takes_nobodys_approval(command: str) -> None:
    """The twins: a warning needs no role, and a question beside it that needs none needs none."""
    assert decided(shell(command), TENANT).obligations == ()
    assert decided(shell(f"{command}; crontab -r"), TENANT).obligations == ()


@pytest.mark.parametrize("name", [USER, PROJECT])
def test_a_lower_file_demands_no_other_role_instead(name: str) -> None:
    """Whoever could name a role that nobody holds could take the demand away."""
    other = layers(scope("destructive_operations: {require_approval_from: [nobody]}"), name)
    found = merged(*layers(LISTING + ROLES), *other)
    assert [duty.detail for duty in decided(shell("npm publish"), found.policy).obligations] == [
        "admin or lead"
    ]
    assert "takes the approval of admin or lead already" in " ".join(found.notes)
    assert [rule.approver for rule in merged(*other).policy.rules if rule.id == "pkg.publish"] == [
        "nobody"
    ]


def test_rates_and_the_budget_are_the_limits_that_are_counted() -> None:
    """``rate_limits`` by class of tools, ``token_budget`` of what the model's context holds."""
    limits = EVERYBODY.limits
    assert limits is not None
    assert limits.rates == (
        Rate("60/minute", "bash_commands"),
        Rate("100/minute", "file_writes"),
        Rate("30/minute", "api_calls"),
    )
    assert limits.tokens == (TokenBudget(200_000, 0.8, 0.95, of="context"),)


def test_the_size_of_the_context_can_be_said() -> None:
    """Models differ; the document does not say what its parts are parts of."""
    found = merged(
        *layers(scope("token_budget: {hard_limit: 0.5, context_tokens: 1000}"))
    ).policy.limits
    assert found is not None
    assert found.tokens == (TokenBudget(1000, 0.5, 0.5, of="context"),)


def test_the_allowed_paths_of_a_tenant_join_those_of_all() -> None:
    """Lists unite; what is blocked for one is blocked, wherever it is allowed."""
    text = LISTING.replace(
        '      blocked_paths:\n        - "**/production/**"',
        '      allowed_paths: ["/srv/data"]\n      blocked_paths:\n        - "**/production/**"',
    )
    found = merged(*layers(text)).policy
    assert [
        answer(command, found)
        for command in ("cat src/a", "cat /srv/data/a", "cat /srv/x", "cat /srv/data/production/a")
    ] == [
        "allow",
        "allow",
        "deny",
        "deny",
    ]


def test_paths_hold_for_file_tools_too() -> None:
    """A blocked path is blocked whatever reads it."""
    assert str(decided(tool("read", {"file_path": "/etc/hosts"}), EVERYBODY).verdict) == "deny"
    assert (
        str(decided(tool("write", {"file_path": "src/a.py", "content": "x"}), EVERYBODY).verdict)
        == "allow"
    )


def test_tenants_and_roles_are_the_organisations() -> None:
    """A user's file of this shape has no tenants: they are ignored, and it says so."""
    found = layers(LISTING, USER)
    assert len(found) == 1
    assert answer("cat deploy/production/a", merged(*found).policy) == "allow"


def test_it_never_makes_a_built_in_rule_looser() -> None:
    """``require_confirmation: true`` asks at least; what is denied stays denied."""
    found = merged(*layers(scope("destructive_operations: {require_confirmation: true}"))).policy
    assert answer("rm -rf /", found) == "deny"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("token_budget: {warning_threshold: 0.9, hard_limit: 0.5}", "comes after the end"),
        ("destructive_operations: {require_confirmation: often}", "expected one of true, always"),
        ("file_access: {blocked_path: /x}", "did you mean 'blocked_paths'?"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, part: str) -> None:
    """The older shape is checked as strictly as the other."""
    from interlock.policy.problem import PolicyError

    with pytest.raises(PolicyError) as raised:
        layers(scope(text))
    assert part in str(raised.value)
