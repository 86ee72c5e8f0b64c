"""The broker: answers what a running program asks, one operation at a time, by the policy that it holds. It opens what it approves.

``hello`` -> configuration; then the *canary*, an operation that a program with a guard cannot help asking about: it proves that the guard is armed.
Whatever is asked before that ends the run. What cannot be read is denied.
"""

from __future__ import annotations

import os
import time

from interlock.codemode import channel
from interlock.codemode.operations import OPENING, OPERATIONS, Operation, UnknownOperationError, effects, opened
from interlock.codemode.program import IN_PROGRAM, Refusal
from interlock.model.action import VERDICT_ALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from interlock.codemode.program import Scene
    from interlock.model.decision import Decision

MAX_REFUSED = 200
"""Refusals that a result holds; more are counted."""
MAX_REMEMBERED = 4096
CANARY = "/.interlock-canary-"
NO_LINK, PATH_ONLY = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_PATH", 0)


class Broker:
    """Serves the lines of one run. ``configuration``: what its programs are told at the start. ``canary``: the path that proves the guard."""

    def __init__(self, scene: Scene, line: channel.Line, configuration: Iterable[str], canary: str) -> None:
        self.scene = scene
        self.lines = {line.fileno(): line}
        self.configuration = list(configuration)
        self.canary = CANARY + canary
        self.armed = False
        self.broken = ""
        self.asked = 0
        self.refused: list[Refusal] = []
        self.more = 0
        self.hands = True
        """Whether files may be handed over: who holds one can reach others from it, unless Landlock is put up as well."""
        self.on_join: Callable[[int], None] = lambda _: None
        self.on_broken: Callable[[], None] = lambda: None
        self.own: Callable[[str], bool] = lambda _: False
        """Whether a process is one of this run's."""
        self.waited = 0.0
        self._known: dict[tuple[str, ...], tuple[str, str, str]] = {}
        self._instead: dict[str, str] = {}

    def serve(self, number: int) -> float:
        """Answer one message of a line; returns the seconds for which a person was waited for."""
        line = self.lines[number]
        found = channel.received(line)
        if found is None:
            return -1.0
        fields, descriptors = found
        self.waited = 0.0
        if fields:
            self._answer(line, fields, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return self.waited

    def _answer(self, line: channel.Line, fields: list[str], descriptors: list[int]) -> None:
        name, where, by, *rest = [*fields, "", ""]
        arguments = tuple(rest[:-2])
        if name == "hello":
            channel.send(line, ["allow", "", "", *self.configuration])
        elif name == "join" and descriptors:
            joined = channel.from_descriptor(descriptors.pop())
            self.lines[joined.fileno()] = joined
            self.on_join(joined.fileno())
        elif name == "note":
            self._noted(where, arguments)
        elif not self.armed:
            self._shown(name, arguments)
            channel.send(line, ["deny", "code.canary", "the guard is armed", name, *arguments[:1]])
        else:
            self._judged(line, Operation(name, arguments, where, by))

    def _shown(self, name: str, arguments: tuple[str, ...]) -> None:
        """The first operation is the canary, or the run ends: whatever asks here is not the guard that was to be armed."""
        if arguments[:1] == (self.canary,) and not self.broken:
            self.armed = True
        elif not self.broken:
            self.broken = f"its first operation was {name} {' '.join(arguments)[:80]!r}"
            self.on_broken()

    def _noted(self, where: str, arguments: tuple[str, ...]) -> None:
        """A program says that it refused something itself, or that the kernel did."""
        if len(arguments) >= 5:
            operation, argument, rule, layer, message = arguments[:5]
            self.refuse(Refusal(operation, argument[:400], rule, layer or IN_PROGRAM, message[:400], where))

    def refuse(self, refusal: Refusal) -> None:
        """Keep a refusal for the result; the same one at the same place once."""
        if refusal not in self.refused:
            if len(self.refused) < MAX_REFUSED:
                self.refused.append(refusal)
            else:
                self.more += 1

    # -- judging -----------------------------------------------------------------------------------

    def _judged(self, line: channel.Line, operation: Operation) -> None:
        """Answer a question. The answer names what was asked: a program that writes into the line itself gains no answer to another question."""
        self.asked += 1
        echo = (operation.name, *operation.arguments[:1])
        opening = operation.name in OPENING
        judged = operation
        try:
            if operation.name == "open":
                judged = operation.replace(name=opened(int(operation.arguments[1])), arguments=operation.arguments[:1])
            verdict, rule, message = self.verdict(judged)
            if verdict != "allow" or not opening:
                channel.send(line, [verdict, rule, message, *echo])
                return
            descriptor = self._opened(operation)
        except (ValueError, IndexError) as error:
            channel.send(line, ["deny", "code.unknown-operation", str(error), *echo])
            return
        except OSError as error:
            channel.send(line, ["error", str(error.errno or 5), error.strerror or str(error), *echo])
            return
        channel.send(line, ["allow", "", "", *echo], descriptor)
        os.close(descriptor)

    def verdict(self, operation: Operation) -> tuple[str, str, str]:
        """Return ``allow`` or ``deny``, the rule, and one sentence. What was answered once is answered so for the rest of the run."""
        key = (operation.name, *operation.arguments)
        found = self._known.get(key)
        if found is None:
            found = self._decided(operation)
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[key] = found
        verdict, rule, message = found
        if verdict != "allow":
            self.refuse(Refusal(operation.name, operation.argument, rule, IN_PROGRAM, message, operation.where, self._instead.get(rule, "")))
        return found

    def _decided(self, operation: Operation) -> tuple[str, str, str]:
        if operation.name == "kill" and self.own(operation.argument.partition(" ")[0]):
            return "allow", "", ""
        if operation.name not in OPERATIONS:
            return "deny", "code.unknown-operation", f"there is no operation {operation.name!r}"
        try:
            done = effects(operation, self.scene.call, self.scene.guard.facts)
        except UnknownOperationError as error:
            return "deny", "code.unknown-operation", str(error)
        done = tuple([effect for effect in done if (effect.kind, effect.target) not in self.scene.granted])
        began = time.monotonic()
        shown = {"operation": operation.name, "arguments": list(operation.arguments[:20]), "where": operation.where}
        call = self.scene.call.replace(input={**self.scene.call.input, **shown})
        decision = self.scene.guard.check_effects(call, done)
        self.waited += time.monotonic() - began
        if decision.verdict == VERDICT_ALLOW:
            return "allow", "", ""
        return "deny", *self._why(decision)

    def _why(self, decision: Decision) -> tuple[str, str]:
        """Return the rule that decided and its words; what only says that nobody could be asked stands behind the rule that asked."""
        found = [finding for finding in decision.findings if finding.stage != "approval"] or list(decision.findings)
        top = max(found, key=lambda finding: finding.effective)
        if top.instead:
            self._instead[top.rule] = top.instead
        return top.rule, f"This {top.message}." if top.message[:1].islower() else top.message

    # -- carrying out ------------------------------------------------------------------------------

    def _opened(self, operation: Operation) -> int:
        """Open a file, or connect, for the program; raises ``OSError``."""
        if operation.name == "dial":
            from interlock.codemode.proxy import dialled  # only runs with a network

            return dialled(operation.arguments[0], int(operation.arguments[1]), self.scene.permits.allow_hosts)
        if not self.hands:
            raise PermissionError(
                13, "it lies outside the walls, and nothing can be handed over here: run again with its folder allowed (--allow-path)"
            )
        path, flags, mode = operation.arguments[0], int(operation.arguments[1]), int(operation.arguments[2])
        real = os.path.realpath(path)
        if real != path and self.verdict(Operation(opened(flags), (real,), operation.where, operation.by))[0] != "allow":
            raise PermissionError(13, "it leads to what the policy refuses")
        if flags & PATH_ONLY:
            return os.open(real, flags | NO_LINK | os.O_CLOEXEC)
        descriptor = os.open(real, flags | NO_LINK | os.O_CLOEXEC | os.O_NONBLOCK, mode)  # a pipe that nobody writes must not hold up everybody
        os.set_blocking(descriptor, True)
        return descriptor

    def close(self) -> None:
        """Close all lines."""
        for line in self.lines.values():
            line.close()
