"""``PythonInterpreter``: what a program that is followed can be asked and told, by what it calls."""

from __future__ import annotations

import _ast
from collections.abc import Sequence
from typing import Protocol

from interlock.effects.python.values import Function, PyValue, Scope
from interlock.effects.run import Run
from interlock.model.effect import Span
from interlock.shell.value import Value


class PythonInterpreter(Protocol):
    """A program that is being followed.

    ``run`` says what it does; ``at`` is where its text stands in a shell command, ``scope`` where
    names are looked up now, ``loops`` those it is in. ``idling``: a function is followed that
    nobody calls. ``marks``: what it was seen to do that matters only together with something else:
    ``socket``, ``dup2``, ``shell``; ``peer``: whom it talks to. ``printed``: texts that were
    printed, unknown pieces as holes, with their labels. ``given``: what it put into ``sys.argv``.
    """

    run: Run
    source: str
    at: Value | None
    scope: Scope
    loops: list[object]
    marks: set[str]
    peer: str
    printed: list[tuple[str, frozenset[str]]]
    given: PyValue | None
    language: str
    idling: bool

    def charge(self, text: str) -> bool:
        """Take the cost of reading a text from the budget; tell whether anything was left of it."""

    def word(self, text: str, node: object, why: str = "", *, pattern: bool = False) -> Value:
        """Return a text as a word of a command, standing where the node stands."""

    def span(self, node: object) -> Span:
        """Return where the node stands."""

    def value(self, node: _ast.expr) -> PyValue:
        """Return what an expression will be."""

    def attribute(self, owner: PyValue, name: str) -> PyValue:
        """Return ``owner.name``."""

    def call(
        self,
        function: PyValue,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
    ) -> PyValue:
        """Call a thing: a function of the program is followed, one of a library is looked up."""

    def invoke(
        self,
        function: Function,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        owner: PyValue | None = None,
        default: PyValue | None = None,
    ) -> PyValue:
        """Follow a function's body with what it is given; return what it returns."""

    def assign(self, target: _ast.expr, value: PyValue) -> None:
        """Give a value to a name, an attribute, an item or several of these."""

    def iterate(self, value: PyValue) -> list[PyValue]:
        """Return what a loop over the value takes, one by one."""

    def body(self, statements: Sequence[_ast.stmt]) -> bool:
        """Follow statements; tell whether they leave the block."""

    def follow_import(self, name: str) -> PyValue | None:
        """Follow a module that lies beside the program; None for every other module."""

    def in_endless_loop(self) -> bool:
        """Whether the program is inside a loop without end right now."""

    def exhausts(self, what: str, node: object) -> None:
        """Add that processes are started without end."""
