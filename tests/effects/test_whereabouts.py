"""Places that only the run can tell: what a program prints of where it keeps things, and a folder
that a pattern names.
"""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.effect import Writes
from tests.judging import ROOT, decided, judged, rules_of, shell

OUTSIDE = (
    "$(npm root -g)", "$(npm root --global)", "$(npm prefix -g)/bin", "$(npm config get prefix)/bin", "$(go env GOPATH)/bin", "$(go env GOROOT)/src",
    "$(brew --prefix)/bin", "$(brew --prefix openssl)/lib", "`brew --prefix`/etc", "$(python3 -m site --user-base)/bin", "$(pnpm root -g)",
    "$(yarn global bin)", "$(gem env gemdir)/gems", "$(rustc --print sysroot)/lib", "$(pyenv root)/shims", "$(git --exec-path)",
    "$(systemd-path user-binaries)",
)  # fmt: skip


@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.parametrize(
    "write",
    [
        'cp x.sh "{0}/x"',
        'D="{0}"; mkdir -p "$D"; cp x.sh "$D/x"',
        'echo x > "{0}/x"',
        'ln -sf $PWD/x.sh "{0}/x"',
        'cd "{0}" && cp /tmp/x.sh x',
    ],
)
def test_a_folder_of_programs_is_one_whatever_prints_it(place: str, write: str) -> None:
    """What is put there is put outside of the workspace; to look there, or to put what lies there
    into the workspace, is quiet.
    """
    assert str(judged(write.format(place)).verdict) != "allow"
    for quiet in ('ls "{0}"', 'cp "{0}/x" .', 'echo "{0}"', 'export PATH="{0}:$PATH"'):
        assert str(judged(quiet.format(place)).verdict) == "allow"


def test_what_python_runs_at_every_start() -> None:
    """In the user's own site folder a ``.pth`` file runs, in whatever version; elsewhere it is a
    file like others.
    """
    found = judged('cp x.pth "$(python3.12 -m site --user-site)/x.pth"')
    assert (str(found.verdict), "fs.write-persistence" in rules_of(found)) == ("ask", True)
    assert rules_of(judged("cp x.pth build/x.pth")) == set()


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("GOPATH=$PWD/.go; cp x $(go env GOPATH)/x", f"{ROOT}/.go/x"),
        ("export GOPATH=$PWD/.go; cp x $(go env GOPATH)/x", f"{ROOT}/.go/x"),
        ("GOPATH=$(cat where); cp x $(go env GOPATH)/x", ""),
        ("go env -w GOPATH=/srv/go; cp x $(go env GOPATH)/x", ""),
        ("npm config set prefix /srv; cp x $(npm config get prefix)/x", ""),
        ("cp x $(npm root)/x", ""),
        ("cp x $(go env GOFLAGS)/x", ""),
        ("cp x $(brew --prefix a b)/x", ""),
        ("cp x $(brew --prefix $NAME)/x", ""),
    ],
)
def test_a_place_that_was_named_otherwise(command: str, target: str) -> None:
    """A variable of the call says where; what nobody knows stays unknown."""
    effects = read(shell(command), Recorded("/home/user")).effects
    assert [effect.target for effect in effects if effect.kind is Writes and effect.by == "cp"] == [
        target
    ]


def test_a_place_that_the_environment_names() -> None:
    """As the agent's shell has it."""
    facts = Recorded("/home/user", variables={"GOPATH": f"{ROOT}/.go"})
    assert str(decided(shell("cp x $(go env GOPATH)/x"), facts=facts).verdict) == "allow"
    assert (
        str(decided(shell("cp x $(go env GOPATH)/x"), facts=Recorded("/home/user")).verdict)
        == "ask"
    )


ENTERED = [
    ("cd .c*; echo x > settings.json", "guard.change-files"),
    ("cd .c* && cp x settings.json", "guard.change-files"),
    ("cd .g* && echo x > config", "fs.write-repository-data"),
    ("cd .g*/h* && cp x pre-commit", "fs.write-repository-data"),
    ("cd ~/.s* && echo x >> authorized_keys", "fs.write-access"),
    ("pushd .c* && sed -i s/a/b/ settings.json", "guard.change-files"),
    ("cd .c* && echo x > notes.txt", ""),
    ("cd .c* && cat settings.json", ""),
    ("cd s* && echo x > config", ""),
    ("cd pack*/ && echo x > settings.json", ""),
    ("cd .c*; cd /tmp && echo x > settings.json", ""),
]


@pytest.mark.parametrize(("command", "rule"), ENTERED)
def test_a_folder_that_a_pattern_names(command: str, rule: str) -> None:
    """Where it may be one with settings of the guard, or with what runs later, a write below is
    possible there; elsewhere it is quiet.
    """
    found = judged(command)
    assert (
        (str(found.verdict), rules_of(found)) == ("allow", set())
        if not rule
        else (str(found.verdict) == "ask" and rule in rules_of(found))
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((".cache/", ".claude/", ".config/"), "ask"),
        ((".cache/", ".config/"), "allow"),
        ((".claude/",), "deny"),
        ((".cache/",), "allow"),
        ((".claude", ".cache/", ".config/"), "allow"),
    ],
)
def test_a_folder_of_which_the_disk_tells(names: tuple[str, ...], expected: str) -> None:
    """One that fits is meant, of several each may be; what does not lie there is not."""
    facts = Recorded("/home/user", names={ROOT: names})
    assert str(decided(shell("cd .c* && echo x > settings.json"), facts=facts).verdict) == expected
