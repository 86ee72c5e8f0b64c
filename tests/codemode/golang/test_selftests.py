"""Which self-tests a library has to pass for a program: those of the packages it is built of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.codemode.golang.instrument import OF_PACKAGES, packages, select_self_tests
from interlock.codemode.golang.selftest import PROBES


def listing(*names: str) -> str:
    """Return what ``go list -json`` says of packages, as far as it is looked at."""
    return "".join([f'{{\n\t"Dir": "/x",\n\t"ImportPath": "{name}"\n}}\n' for name in names])


@pytest.mark.parametrize(
    ("built_of", "tests"),
    [
        (("fmt", "os", "encoding/json"), ("probe",)),
        (("os", "net/netip", "internet"), ("probe",)),
        (("os", "net"), ("probe", "probe_net")),
        (("os", "archive/zip"), ("probe", "probe_web")),
        (("os", "net", "net/http", "crypto/tls"), ("probe", "probe_net", "probe_web")),
    ],
)
def test_a_program_needs_the_tests_of_what_it_is_built_of(
    built_of: tuple[str, ...], tests: tuple[str, ...]
) -> None:
    """Every program the first, and others only who has such a package."""
    assert select_self_tests(listing(*built_of)) == tests


def test_no_test_builds_what_its_programs_need_not() -> None:
    """The first imports none of the packages that the others are for, and none of those imports
    what another one is for.
    """
    apart = {one for own in OF_PACKAGES.values() for one in own}
    for name in PROBES:
        assert imported(name) & apart <= set(OF_PACKAGES.get(name, ())), name


def test_each_package_with_checks_is_tried_for_who_is_built_of_it() -> None:
    """What rows change is imported by a self-test that its programs need; `internal` packages are
    reached by those above them.
    """
    for package in filter(lambda one: not one.startswith("internal/"), packages("linux")):
        assert [one for one in select_self_tests(listing(package)) if package in imported(one)], (
            package
        )


def imported(name: str) -> set[str]:
    """Return what a self-test imports."""
    return set(
        re.findall(r'^\t"([\w/]+)"$', Path(PROBES[name]).read_text(encoding="utf-8"), re.MULTILINE)
    )
