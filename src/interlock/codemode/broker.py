"""The broker: answers what a running program asks, one operation at a time, by the policy that it
holds. It opens what it approves.

``hello`` -> configuration; then the *canary*, an operation that a program with a guard cannot help
asking about: it proves that the guard is armed. Whatever is asked before that ends the run. What
cannot be read is denied.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from threading import BoundedSemaphore, Thread

from interlock.codemode import channel, file_broker
from interlock.codemode.advice import advice
from interlock.codemode.commands import program, search
from interlock.codemode.copies import Copies
from interlock.codemode.operations import (
    OPERATIONS,
    PATHS,
    STARTING,
    Operation,
    UnknownOperationError,
    classify_open,
    effects,
    inner,
    is_loopback,
)
from interlock.codemode.own_files import witness
from interlock.codemode.permissions import RUN
from interlock.codemode.program import IN_PROGRAM, REDACT, Refusal, RunContext
from interlock.codemode.taint import carrying, takes_secret
from interlock.model.action import VERDICT_ALLOW
from interlock.model.decision import Decision
from interlock.model.effect import Connects, Sends

Act = Callable[[], int | str]
"""Does what was allowed; returns a descriptor to go with the answer, -1 for none, or a text."""

MAX_REFUSED = 200
"""Refusals that a result holds; more are counted."""
MAX_REMEMBERED = 4096
MAX_LINES = 512
MAX_ASIDE = 64
"""Connections that are being made at once."""
CANARY = "/.interlock-canary-"
RERUN = "code.rerun"
ALLOWED = "allow", "", ""
NOT_STARTED = "The line was started, and these walls let it not start this program."
NONSENSE = (ValueError, IndexError, OverflowError)
"""What numbers raise that are none, that are missing, or that no system takes: a program may write
into its line whatever it likes.
"""


class Broker:
    """Serves the lines of one run. ``configuration``: what its programs are told at the start.
    ``canary``: the path that proves the guard.
    """

    def __init__(
        self, scene: RunContext, line: channel.Line, configuration: Iterable[str], canary: str
    ) -> None:
        self.scene = scene
        self.lines = {line.fileno(): line}
        self.configuration = list(configuration)
        self.canary = CANARY + canary
        self.armed = False
        self.broken = ""
        self.asked = 0
        self.refused: list[Refusal] = []
        self.more = 0
        self.copies: Copies | None = None
        """What hands over what the walls hide; None where there are none, and a program opens what
        it may open itself.
        """
        self.on_join: Callable[[int], None] = lambda _: None
        self.on_broken: Callable[[], None] = lambda: None
        self.own: Callable[[str], bool] = lambda _: False
        """Whether a process is one of this run's, by the number that the run itself knows it by."""
        self.runs: Callable[[str], bool] = lambda _: False
        """The same, by the number that it has out here."""
        self.starts: Callable[[str], bool] = lambda _: True
        """Whether the walls let a program be started."""
        self.wider: list[tuple[str, str]] = []
        """What a person approved and the walls do not let through: options of another run."""
        self.notices: list[str] = []
        """What has to be told with the result."""
        self.bound: set[str] = set()
        """Ports of this machine at which this run waits."""
        self.secret = False
        """Whether this run has seen a secret: from then on all it says to a host may hold it."""
        self.waited = 0.0
        self._aside_left = BoundedSemaphore(MAX_ASIDE)
        self._known: dict[tuple[str, ...], tuple[str, str, str]] = {}
        self._instead: dict[tuple[str, ...], str] = {}

    def serve(self, number: int) -> float:
        """Answer one message of a line; returns the seconds for which a person was waited for."""
        line = self.lines[number]
        found = channel.receive(line)
        if found is None:
            self.lines.pop(number).close()
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
        elif name == "join" and descriptors and len(self.lines) < MAX_LINES:
            self._add_line(descriptors)
        elif name == "note":
            self._noted(where, arguments)
        elif not self.armed:
            self._check_canary(name, arguments)
            channel.send(line, ["deny", "code.canary", "the guard is armed", name, *arguments[:1]])
        else:
            self._answer_question(line, Operation(name, arguments, where, by))

    def _add_line(self, descriptors: list[int]) -> None:
        """Listen at another line, of a started program; what is no line is closed too."""
        try:
            joined = channel.from_descriptor(descriptors[-1])
        except OSError:
            return
        descriptors.pop()
        self.lines[joined.fileno()] = joined
        self.on_join(joined.fileno())

    def _check_canary(self, name: str, arguments: tuple[str, ...]) -> None:
        """The first operation is the canary, or the run ends: whatever asks here is not the guard
        that was to be armed.
        """
        if arguments[:1] == (self.canary,) and not self.broken:
            self.armed = True
        elif not self.broken:
            self.broken = f"its first operation was {name} {' '.join(arguments)[:80]!r}"
            self.on_broken()

    def _noted(self, where: str, arguments: tuple[str, ...]) -> None:
        """A program says that it refused something itself, or that the kernel did."""
        if len(arguments) >= 5:
            operation, argument, rule, layer, message = arguments[:5]
            self.refuse(
                Refusal(operation, argument[:400], rule, layer or IN_PROGRAM, message[:400], where)
            )

    def refuse(self, refusal: Refusal) -> None:
        """Keep a refusal for the result; the same one at the same place once."""
        if refusal not in self.refused:
            if len(self.refused) < MAX_REFUSED:
                self.refused.append(refusal)
            else:
                self.more += 1

    # -- judging -----------------------------------------------------------------------------------

    def _answer_question(self, line: channel.Line, operation: Operation) -> None:
        """Answer a question. The answer names what was asked: a program that writes into the line
        itself gains no answer to another question.
        """
        self.asked += 1
        if self.copies is not None:
            self.copies.settle()
        echo = (operation.name, *operation.arguments[:1])
        try:
            judged, act = self._resolve_operation(operation)
            verdict = self.verdict(judged)
        except NONSENSE as error:
            channel.send(line, ["deny", "code.unknown-operation", str(error), *echo])
            return
        needed = self._find_unreached(operation) if verdict[0] == "allow" else ()
        if needed:
            verdict = self._again("--allow-path", needed)
            self.refuse(
                Refusal(judged.name, judged.argument, RERUN, IN_PROGRAM, verdict[2], judged.where)
            )
        if verdict[0] != "allow" or act is None:
            channel.send(line, [*verdict, *echo])
        elif operation.name == "dial":  # a host that does not answer must not hold up everybody
            self._aside(line, echo, act)
        else:
            _act_and_reply(line, echo, act)

    def _aside(self, line: channel.Line, echo: tuple[str, ...], act: Act) -> None:
        """Do what may take long beside everything else, as long as that is not too much already."""
        if not self._aside_left.acquire(blocking=False):
            channel.send(
                line,
                ["error", str(errno.EAGAIN), "too many connections are being made at once", *echo],
            )
            return

        def doing() -> None:
            try:
                _act_and_reply(line, echo, act)
            finally:
                self._aside_left.release()

        Thread(target=doing, daemon=True).start()

    def _resolve_operation(self, operation: Operation) -> tuple[Operation, Act | None]:
        """Return the operation to be judged, and what is to be done if it is allowed; raises
        ``ValueError`` or ``IndexError``.
        """
        name, arguments = operation.name, operation.arguments
        if name == "open":
            flags, mode = int(arguments[1]), int(arguments[2])
            if not 0 <= flags < 1 << 31:
                raise ValueError("flags are a number of 31 bits (open(2))")
            judged = operation.replace(name=classify_open(flags), arguments=arguments[:1])
            return judged, lambda: self._opened(judged, flags, mode)
        if name == "look":
            itself, what = arguments[1] == "itself", arguments[2]
            judged = operation.replace(name="stat", arguments=arguments[:1])
            return judged, lambda: self._stat_path(judged, itself, what)
        if name == "carry" and arguments[0] in PATHS and arguments[0] not in file_broker.DOING:
            return operation.replace(name=arguments[0], arguments=arguments[1:]), None
        if name == "carry":
            settled = file_broker.resolve_arguments(arguments[0], arguments[1:])
            return operation.replace(name=arguments[0], arguments=settled), lambda: self._carry_out(
                arguments[0], settled
            )
        if name == "dial":
            port = int(arguments[1])
            return operation, lambda: self._dial(arguments[0], port)
        return operation, None

    def verdict(self, operation: Operation) -> tuple[str, str, str]:
        """Return ``allow`` or ``deny``, the rule, and one sentence. What was answered once is
        answered so for the rest of the run.
        """
        if self._itself(operation):
            return ALLOWED
        key = (operation.name, *operation.arguments)
        found = self._known.get(key)
        if found is None:
            found = self._decide(operation)
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
                self._instead.clear()
            self._known[key] = found
        verdict, rule, message = found
        if verdict != "allow":
            self.refuse(
                Refusal(
                    operation.name,
                    operation.argument,
                    rule,
                    IN_PROGRAM,
                    message,
                    operation.where,
                    self._instead.get(key, ""),
                )
            )
        return found

    def _itself(self, operation: Operation) -> bool:
        """Whether a program reaches nobody but itself: a port of this machine that it waits at, a
        process that it started.
        """
        name, arguments = operation.name, operation.arguments
        if name == "kill":
            return self.own(arguments[0]) if arguments else False
        if not self.scene.permits.loopback or not arguments:
            return False
        if name == "resolve":
            return is_loopback(arguments[0].lower())
        return (
            name == "connect"
            and len(arguments) > 2
            and is_loopback(arguments[1].lower())
            and arguments[2] in self.bound
        )

    def _decide(self, operation: Operation) -> tuple[str, str, str]:
        if operation.name not in OPERATIONS:
            return "deny", "code.unknown-operation", f"there is no operation {operation.name!r}"
        try:
            facts = witness(self.scene.guard.facts, self.scene.made)
            whole = effects(operation, self.scene.call, facts)
        except UnknownOperationError as error:
            return "deny", "code.unknown-operation", str(error)
        if self.secret:
            whole = carrying(whole)
        done = tuple(
            [effect for effect in whole if (effect.kind, effect.target) not in self.scene.granted]
        )
        began = time.monotonic()
        at = f"{operation.where}: " if operation.where else ""
        shown = {
            "operation": f"{at}{operation.name} {operation.argument}",
            "arguments": list(operation.arguments[:20]),
        }
        call = self.scene.call.replace(input=shown)
        decision = self.scene.guard.check_effects(call, done)
        self.waited += time.monotonic() - began
        if decision.verdict != VERDICT_ALLOW:
            return "deny", *self._why(decision, (operation.name, *operation.arguments))
        self.scene.redacts |= any(duty.name == REDACT for duty in decision.obligations)
        self.scene.granted |= {
            (one.effect.kind, one.effect.target)
            for one in decision.findings
            if one.settled is not None and one.effect
        }
        if not self.secret and takes_secret(whole, self.scene):
            self._mark_secret()
        if operation.name == "bound":
            self.bound.add(operation.arguments[1])
        if operation.name in STARTING and not self.starts(
            STARTING[operation.name] or operation.arguments[operation.name == "exec-in"]
        ):
            return self._again(
                "--allow-command",
                {whole[0].target, *[effect.by for effect in whole if effect.by]} - {operation.by},
            )
        if operation.name in STARTING:
            self._foretold(operation)
        return ALLOWED

    def _foretold(self, operation: Operation) -> None:
        """Tell of what a line for the shell names and the walls will not start: the shell asks
        nobody, and says no more than that it may not.
        """
        home, path = self.scene.guard.facts.home(), search()
        for name in inner(operation, self.scene.call, self.scene.guard.facts):
            found = program(name, path, home).paths
            if found and not any(self.starts(one) for one in found):
                words = f"Ask the user to allow the command: --allow-command {name}."
                self.refuse(
                    Refusal("exec", name, RUN.id, "kernel", NOT_STARTED, operation.where, words)
                )

    def _mark_secret(self) -> None:
        """Mark the run: it has seen a secret. What it was allowed before then is judged anew, and
        so is what a person let it send.
        """
        self.secret = True
        self._known = {key: found for key, found in self._known.items() if found[0] != "allow"}
        self.scene.granted = frozenset([one for one in self.scene.granted if one[0] != Sends])

    def _again(self, option: str, values: Iterable[str]) -> tuple[str, str, str]:
        """Return the answer to what was approved and cannot be carried out behind these walls; what
        would let it is kept for another run.
        """
        needed = [(option, value) for value in sorted(values)]
        self.wider += [one for one in needed if one not in self.wider]
        told = " ".join([word for one in needed for word in one])
        return (
            "deny",
            RERUN,
            (
                "It is approved, but these walls cannot be widened while it runs: run it again"
                f" with {told}."
            ),
        )

    def _why(self, decision: Decision, key: tuple[str, ...]) -> tuple[str, str]:
        """Return the rule that decided and its words; what only says that nobody could be asked
        stands behind the rule that asked.
        """
        found = [finding for finding in decision.findings if finding.stage != "approval"] or list(
            decision.findings
        )
        # the run's own say what would allow it
        top = max(found, key=lambda finding: (finding.effective, finding.rule.startswith("code.")))
        words = key[2:] if key[0] == "exec" else key[3:] if key[0] == "exec-in" else ()
        self._instead[key] = advice(top, words[0] if words else "")
        return top.rule, f"This {top.message}." if top.message[:1].islower() else top.message

    # -- carrying out ------------------------------------------------------------------------------

    def _find_unreached(self, operation: Operation) -> tuple[str, ...]:
        """Return the folders that another run has to be allowed for what is approved and can
        neither be handed over nor done from here.
        """
        name, arguments = operation.name, operation.arguments
        if name == "carry" and arguments[0] not in file_broker.DOING:
            return (os.path.dirname(arguments[1]),)
        return ()

    def _carry_out(self, name: str, arguments: tuple[str, ...]) -> int:
        """Do it for the program, within its own limits; raises ``OSError``."""
        if name == "truncate" and int(arguments[1]) > self.scene.bounds.file_size:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        file_broker.DOING[name](arguments)
        return -1

    def _opened(self, judged: Operation, flags: int, mode: int) -> int | str:
        """Open a file for the program; raises ``OSError``."""
        if self.copies is None:
            return -1
        return self.copies.opened(
            self._leads(judged, bool(flags & file_broker.NO_LINK)), flags, mode
        )

    def _leads(self, judged: Operation, itself: bool) -> str:
        """Return where the path of an operation leads, to be allowed too; raises ``OSError``."""
        path = judged.arguments[0]
        real = file_broker.real(path, itself=itself)
        if real != path and self.verdict(judged.replace(arguments=(real,)))[0] != "allow":
            raise PermissionError(errno.EACCES, "it leads to what the policy refuses")
        for found in (path, real):
            process = file_broker.process(found)
            if (process and not self.runs(process)) or file_broker.is_device(found):
                why = "devices, memory of others and other processes are not handed over"
                raise PermissionError(errno.EACCES, why)
        return real

    def _stat_path(self, judged: Operation, itself: bool, what: str) -> str:
        """Tell what is at a path, or of its disk, as numbers; raises ``OSError``."""
        real = self._leads(judged, itself)
        return " ".join(file_broker.room(real) if what == "disk" else file_broker.stat_path(real))

    def _dial(self, host: str, port: int) -> int:
        """Connect for the program; raises ``OSError``."""
        from interlock.codemode.network import dial  # only runs with a network

        return dial(host, port, self.hosts())

    def reaches(self, host: str, port: int) -> tuple[tuple[str, str, str], tuple[str, ...]]:
        """Judge whether what asks nobody may reach a host by the proxy; return the verdict, and the
        hosts whose addresses are meant.
        """
        return self.verdict(Operation("connect", ("proxy", host, str(port)))), self.hosts()

    def hosts(self) -> tuple[str, ...]:
        """Return the hosts that were allowed beforehand, or approved since."""
        return (
            *self.scene.permits.allow_hosts,
            *[target for kind, target in self.scene.granted if kind == Connects],
        )

    def close(self) -> None:
        """Put back what was changed in copies; close all lines. Once is enough."""
        copies, self.copies = self.copies, None
        if copies is not None:
            copies.close()
        for line in self.lines.values():
            line.close()


def _act_and_reply(line: channel.Line, echo: tuple[str, ...], act: Act) -> None:
    """Do what was allowed, and tell the program what came of it."""
    try:
        given = act()
    except OSError as error:
        channel.send(line, ["error", str(error.errno or 5), error.strerror or str(error), *echo])
        return
    except NONSENSE as error:
        channel.send(line, ["deny", "code.unknown-operation", str(error), *echo])
        return
    if isinstance(given, str):
        channel.send(line, ["allow", "", given, *echo])
        return
    channel.send(line, [*ALLOWED, *echo], given)
    if given >= 0:
        os.close(given)
