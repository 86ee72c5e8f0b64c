"""A library with checks in it, ready to be built with: made once for each release of Go, tried by a
program of its own, and kept.

What is kept says which rows and which guard it was made of, so a newer interlock makes it anew. A
release in which a row finds no function, or in which a choke point lets the self-test through, is
not instrumented at all: never half.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from interlock.codemode.golang.building import Builder
from interlock.codemode.golang.overlay import GUARD, UnknownReleaseError, overlay
from interlock.codemode.golang.rows import ROWS, surprises
from interlock.codemode.golang.selftest import PROBES, SHARED, Probe, run_selftest
from interlock.codemode.golang.toolchain import Toolchain

OF_PACKAGES = {
    "probe_net": ("net",),
    "probe_web": ("archive/zip", "crypto/tls", "html/template", "net/http", "text/template"),
}
"""Self-tests that only programs need which are built of one of these packages."""
LISTED = "-json=ImportPath,Dir,GoFiles"


class OverlayListing(NamedTuple):
    """``listing``: what ``go build -overlay`` takes, "" where this Go cannot be instrumented; then
    ``why`` says it.
    """

    listing: str
    why: str = ""


def select_self_tests(listing: str) -> tuple[str, ...]:
    """Return the self-tests that a program needs, by what ``go list`` says it is built of."""
    return tuple(
        [
            name
            for name in PROBES
            if any(f'"ImportPath": "{one}"' in listing for one in OF_PACKAGES.get(name, ()))
            or name not in OF_PACKAGES
        ]
    )


def prepare_library(
    builder: Builder, report: Callable[[str], object], needs: Sequence[str] = tuple(PROBES)
) -> OverlayListing:
    """Return the instrumented library of a toolchain, made and tried where it is not there yet.
    ``report``: is told what takes long. ``needs``: the self-tests that it has to have passed: to
    build one is to build all the packages that it tries.
    """
    toolchain = builder.toolchain
    folder = os.path.join(
        toolchain.cache,
        f"overlay-{toolchain.system}-{toolchain.machine or 'here'}-{_fingerprint(toolchain)}",
    )
    listing = os.path.join(folder, "overlay.json")
    for name in needs:
        stamp = os.path.join(folder, f"tried-{name}")
        found = _read_result(stamp, listing) or _try_library(builder, report, name, folder)
        if not found.listing:
            return found
    return OverlayListing(listing)


def _read_result(stamp: str, listing: str) -> OverlayListing | None:
    """Return what was found out earlier, None where that is not known."""
    if not os.path.exists(stamp):
        return None
    with open(stamp, encoding="utf-8") as file:
        why = file.read().strip()
    return OverlayListing("" if why else listing, why)


def _try_library(
    builder: Builder, report: Callable[[str], object], name: str, folder: str
) -> OverlayListing:
    """Lay the library out, if it is not there, and try it by one of its self-tests."""
    toolchain, listing = builder.toolchain, os.path.join(folder, "overlay.json")
    stamp = os.path.join(folder, f"tried-{name}")
    report(
        f"Preparing {toolchain.release} for guarded programs, once: what they need of its library"
        " is built with checks in it (half a minute, one more for programs with a network)."
    )
    if not any(os.path.exists(os.path.join(folder, f"tried-{one}")) for one in PROBES):
        for older in _earlier(folder):
            shutil.rmtree(older, ignore_errors=True)
        found = builder.go("list", LISTED, *packages(toolchain.system))
        if found.code != 0:
            said = found.stderr.strip()[:300]
            return OverlayListing("", f"its packages could not be listed: {said}")
        try:
            overlay(library_files(found.stdout), toolchain.system).write(folder)
        except UnknownReleaseError as unknown:
            return _save_result(stamp, listing, str(unknown))
    why = run_selftest(builder, Probe(PROBES[name], ("-overlay", listing)), report)
    if why:
        # tried again the next time: a full disk is no property of a release
        return OverlayListing("", why)
    report(f"{toolchain.release} is ready.")
    return _save_result(stamp, listing, "")


def _earlier(folder: str) -> list[str]:
    """Return what other rows or another guard left for the same system, and what is half-done."""
    above, name = os.path.split(folder)
    kind = name.rpartition("-")[0]
    return [
        os.path.join(above, one)
        for one in (os.listdir(above) if os.path.isdir(above) else ())
        if one.startswith(f"{kind}-")
    ]


def _save_result(stamp: str, listing: str, why: str) -> OverlayListing:
    """Note what was found out, for every later run."""
    os.makedirs(os.path.dirname(stamp), exist_ok=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(why)
    return OverlayListing("" if why else listing, why)


def _fingerprint(toolchain: Toolchain) -> str:
    """Return what tells one library from another: the release, and all that it is made of."""
    lies = f"{toolchain.release}\n{toolchain.root}\n{toolchain.cache}"  # it names its own files
    digest = hashlib.sha256(lies.encode())
    here = os.path.dirname(__file__)
    guards = [
        os.path.join(folder, name)
        for folder, _, names in sorted(os.walk(GUARD))
        for name in sorted(names)
    ]
    for path in (
        *guards,
        *[os.path.join(here, name) for name in ("overlay.py", "rows.py", "rows.txt")],
        *PROBES.values(),
        SHARED,
    ):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def packages(system: str) -> tuple[str, ...]:
    """Return the packages that rows change for a system."""
    return tuple(sorted({row.package for row in ROWS if system in row.on}))


def library_files(listing: str) -> Mapping[str, Sequence[str]]:
    """Return the library's files by package, from what ``go list`` with ``LISTED`` and ``packages``
    printed.

    Raises ``UnknownReleaseError`` where the release has a function on paths that no row knows.
    """
    decoder, at, files = json.JSONDecoder(), 0, {}
    while at < len(listing.rstrip()):
        package, at = decoder.raw_decode(
            listing, at + len(listing[at:]) - len(listing[at:].lstrip())
        )
        files[package["ImportPath"]] = [
            os.path.join(package["Dir"], name) for name in package["GoFiles"]
        ]
    strange = [
        one
        for name, paths in files.items()
        for path in paths
        for one in surprises(name, os.path.basename(path), _read(path))
    ]
    if strange:
        raise UnknownReleaseError(
            f"it has functions on paths that no row knows: {', '.join(strange[:5])}"
        )
    return files


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
