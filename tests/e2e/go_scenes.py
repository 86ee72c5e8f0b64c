"""What tests of Go programs share: a home that keeps the built library from run to run, a lent folder and one that is not, and hosts."""

from __future__ import annotations

import os
import shutil
import zipfile
from typing import NamedTuple

import pytest

from interlock.cli import build
from interlock.codemode.permits import Permits, applied
from interlock.codemode.program import Scene
from interlock.guard.check import Guard
from interlock.model.call import OTHER, ToolCall
from interlock.sandbox.terms import Bounds

SECONDS = 60.0


MINUTES = pytest.mark.skipif("INTERLOCK_CLIENTS" not in os.environ, reason="building Go programs takes minutes: make e2e")


class Place(NamedTuple):
    """A workspace with a folder in it, and a folder beside it that no run may reach."""

    home: str
    workspace: str
    lent: str
    outside: str

    def scene(self, permits: Permits, require: str = "") -> Scene:
        """Return a scene in the workspace by the usual policy, with nobody to ask."""
        facts = build.disk({"HOME": self.home})
        policy = applied(build.policy({"HOME": self.home}, self.workspace), permits, self.home)
        call = ToolCall(OTHER, "execute_go", {"code": ""}, cwd=self.workspace, roots=(self.workspace,), headless=True)
        return Scene(Guard(policy, facts=facts), call, permits, Bounds(seconds=SECONDS), require, os.path.join(self.home, "state"))


def place(home: str) -> Place:
    """Make the folders anew: the same files in each, which say where they lie."""
    made = Place(home, *(os.path.join(home, name) for name in ("work", "work/lent", "outside")))
    for folder in (made.workspace, made.outside):
        shutil.rmtree(folder, ignore_errors=True)
    for folder, word in ((made.lent, "mine"), (made.outside, "outside"), (made.workspace, "mine")):
        os.makedirs(os.path.join(folder, "sub"))
        for name in ("data.txt", "page.tmpl", "sub/inner.txt"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(word)
        with zipfile.ZipFile(os.path.join(folder, "a.zip"), "w") as archive:
            archive.writestr("inner.txt", word)
        os.makedirs(os.path.join(folder, ".git", "hooks"))
    return made
