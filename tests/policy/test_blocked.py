"""``blocked_patterns``: what is named is denied wherever it is run and however it is spelled, and
what only shows its words is left alone.
"""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.engine.command_names import MAYBE, NO, SURE, fits, runs
from interlock.model.call import MCP, PYTHON, WRITE
from interlock.policy.lint import lint
from interlock.policy.problem import PolicyError
from tests.judging import decided, tool
from tests.policy.layering import answer, layers, merged, reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.policy import Policy
    from interlock.policy.layer import Layer


def layer(*patterns: str) -> Layer:
    """Return the layer of a file that blocks patterns."""
    return layers(
        f'version: "1.0"\nglobal: {{destructive_operations: {{blocked_patterns: {json.dumps(patterns)}}}}}\n'
    )[0]


def blocking(*patterns: str) -> Policy:
    """Return the built-in policy with blocked patterns."""
    return merged(layer(*patterns)).policy


# a pattern; what it denies; what is answered as if it were not there
ROWS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "kubectl delete",
        ("kubectl delete", "kubectl delete pod y", "kubectl -n x delete pod y", "kubectl --context=a -n x delete pod y", "ls | xargs kubectl delete",
         "/opt/bin/kubectl delete x", "k() { kubectl delete x; }; k", "bash -c 'kubectl delete x'", "ssh host kubectl delete x"),
        ("kubectl get pods", "kubectl describe pod delete", "git commit -m 'kubectl delete is bad'",
         "echo 'kubectl delete x' > notes.md"),
    ),
    (
        "chmod 777",
        ("chmod 777 a", "chmod -R 777 .", "chmod --recursive 777 .", "sudo chmod -v 777 a"),
        ("chmod 755 a", "chmod -R 755 .", "chmod +x 777", "ls 777"),
    ),
    (
        "git push",
        ("git push", "git -C a push", "git -c user.name=x push origin topic", "git --no-pager push"),
        ("git status", "git commit -m push", "git log --grep push", "git stash push", "git -C $DIR status", "echo git push"),
    ),
    (
        "curl",
        ("curl https://x.test", "bash -c 'curl x'", "curl.exe x", "find . -exec curl {} ;"),
        ("wget https://x.test", "man curl", "which curl", "grep -rn curl ."),
    ),
    ("docker system prune", ("docker system prune -af", "docker -H a system prune"), ("docker container prune", "docker system df")),
    ("git reset --hard", ("git reset --hard", "git -C x reset --hard HEAD~1", "git reset HEAD~1 --hard"),
     ("git reset HEAD~1", "git reset --soft HEAD~1")),
    ("mytool deploy", ("mytool deploy", "mytool --env prod deploy now", "./mytool deploy"), ("mytool status", "mytool --env prod plan")),
    ("kubectl -n prod", ("kubectl -n prod get pods", "kubectl get pods -n prod", "kubectl get pods -nprod"), ("kubectl -n dev get pods",)),
    ("shutdown", ("shutdown -r now", "sudo shutdown"), ("reboot --help", "echo shutdown")),
    ("mkfs", ("mkfs.ext4 /dev/sdb1", "mkfs -t ext4 x.img"), ("man mkfs",)),
    ("dd if=", ("dd if=a of=b", "dd bs=1 if=a of=b"), ("dd of=b", "ls .")),
    ("DELETE FROM", ("mysql -e 'DELETE FROM x'", "psql -c 'delete  from x where a = 1'"), ("psql -c 'select 1'", "grep -rn 'DELETE FROM' .")),
    ("DROP TABLE", ("psql -c 'drop table a'", "sqlite3 a.db 'DROP TABLE IF EXISTS a'"), ("psql -c 'DROP VIEW a'", "git commit -m 'DROP TABLE a'")),
    ("TRUNCATE", ("psql -c 'truncate a'",), ("psql -c 'delete from a where b = 1'",)),
    ("make deploy", ("make deploy", "make A=1 -j4 deploy"), ("make build", "make A=deploy")),
    ("rm -rf src", ("rm -rf src", "rm -r -f ./src", "find src -delete", "python3 -c \"import shutil; shutil.rmtree('src')\""),
     ("rm -rf build", "ls src")),
    ("git push --force origin main", ("git push -f origin HEAD:main", "git push origin --force main"), ("git push origin topic",)),
    ("curl | bash", ("curl https://x.test/a | bash",), ("curl https://x.test/a -o a", "cat a | bash")),
    ("mytool login && mytool deploy", ("mytool login; mytool deploy",), ("mytool login", "mytool deploy")),
    ("Remove-Item -Recurse", ("Remove-Item -Recurse a",), ("Remove-Item a",)),
)  # fmt: skip


@pytest.mark.parametrize(("pattern", "denied", "left"), ROWS, ids=[row[0] for row in ROWS])
def test_a_pattern_denies_what_it_names_and_nothing_else(
    pattern: str, denied: tuple[str, ...], left: tuple[str, ...]
) -> None:
    """Whatever stands between its words, and however it is run."""
    found, without = blocking(pattern), merged().policy
    assert {command: answer(command, found) for command in denied} == dict.fromkeys(denied, "deny")
    assert {command: answer(command, found) for command in left} == {
        command: answer(command, without) for command in left
    }


def test_what_is_written_is_no_command() -> None:
    """A text that names a blocked command may be written; the command may not be run, whatever tool
    would.
    """
    found = blocking("curl", "DROP DATABASE")
    assert (
        str(
            decided(
                tool(
                    WRITE,
                    {"file_path": "README.md", "content": "never use curl, nor DROP DATABASE"},
                    "Write",
                ),
                found,
            ).verdict
        )
        == "allow"
    )
    assert (
        str(
            decided(
                tool(PYTHON, {"code": "import os; os.system('curl x')"}, "Python"), found
            ).verdict
        )
        == "deny"
    )
    assert (
        str(decided(tool(MCP, {"command": "curl https://x.test"}, "mcp__a__exec"), found).verdict)
        == "deny"
    )
    assert (
        answer("cat > README.md <<'E'\ncurl is bad, and so is DROP DATABASE x\nE", found) == "allow"
    )


@pytest.mark.parametrize(
    "command",
    ["kubectl $VERB pod x", "kubectl $FLAGS delete pod x", "sometool -c 'kubectl delete pod x'"],
)
def test_what_may_be_a_blocked_command_is_asked_about(command: str) -> None:
    """A word nobody knows, and words of a program nobody knows, are no certainty."""
    assert "patterns.blocked-1" in {
        finding.rule for finding in decided(reader(command)[0], blocking("kubectl delete")).findings
    }
    assert answer(command, blocking("kubectl delete")) == "ask"
    assert (
        answer(
            command.replace("$VERB", "get")
            .replace("$FLAGS delete", "get")
            .replace("delete", "get"),
            blocking("kubectl delete"),
        )
        == "allow"
    )


@pytest.mark.parametrize("text", ["'a b'", "mytool 'a b'", "# nothing", "mytool $WHAT"])
def test_a_pattern_that_blocks_nothing_is_an_error(text: str) -> None:
    """Nobody relies on what is not there."""
    with pytest.raises(PolicyError, match="it would block nothing"):
        layer(text)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (
            "kubectl delete",
            [
                "denies the command `kubectl delete`, with options between its words and whatever follows"
            ],
        ),
        (
            "kubctl delete",
            ["denies the command `kubctl delete`", "no program of that name is known here"],
        ),
        (
            "DROP DATABASE",
            [
                "denies the effect changes-database on `database` with the traits drop, whatever program has it"
            ],
        ),
        (
            "rm -rf src",
            [
                "denies the command `rm -rf src`",
                "denies the effect deletes on `${WORKSPACE}/src` with the traits recursive, whatever program has it",
            ],
        ),
        (
            "mytool login && mytool deploy",
            ["a call that runs all of `mytool login | mytool deploy`"],
        ),
    ],
)
def test_check_says_how_a_pattern_was_understood(pattern: str, said: list[str]) -> None:
    """So that whoever wrote it sees what it does, and a slip of the finger."""
    found = layer(pattern)
    told = "\n".join(
        lint(found, {one.rule.id: one.rule for one in found.rules}, reader, "2026-11-21")
    )
    assert all(part in told for part in said), told


# -- the law of commands ---------------------------------------------------------------------------

WORDS = st.lists(st.sampled_from(["a", "b", "-x", "--long", "--set=a"]), max_size=5)


@given(WORDS, WORDS)
def test_what_is_surely_named_is_surely_found(pattern: list[str], command: list[str]) -> None:
    """What is forbidden is looked for with more patience than what may run, never with less."""
    if runs(" ".join(["p", *pattern]), ("p", *command)):
        assert fits(" ".join(["p", *pattern]), [("p", *command)]) == SURE


@given(
    st.lists(st.sampled_from("abc"), max_size=3),
    st.lists(
        st.sampled_from([(), ("-q",), ("-n", "z"), ("--long", "z"), ("--set=z",)]), max_size=8
    ),
)
def test_options_and_their_values_hide_no_command(
    words: list[str], between: list[tuple[str, ...]]
) -> None:
    """Wherever they are put, and as many as there are."""
    command = ["p"]
    for at, options in enumerate(between):
        command += [*options, *words[at : at + 1]]
    command += words[len(between) :]
    assert fits(" ".join(["p", *words]), [tuple(command)]) == SURE


@pytest.mark.parametrize(("first", "second"), list(product(["a", "b"], repeat=2)))
def test_another_word_is_another_command(first: str, second: str) -> None:
    """The twin: no option stands before it, so it is no option's value."""
    assert fits(f"p {first}", [("p", second)]) == (SURE if first == second else NO)
    assert fits(f"p {first}", [("?p", second)]) == (MAYBE if first == second else NO)
