"""What is gathered while one call is read: its effects and texts, and the questions asked of the world on the way."""

from __future__ import annotations

from interlock.effects import guarded, hosts, places
from interlock.effects.keys import WHOLE, may_hold
from interlock.effects.leaving import in_address
from interlock.effects.seen import GitSeen, SecretsSeen
from interlock.model.effect import (
    ACCESS,
    GENERATED,
    GUARD,
    GUESSED,
    HERE,
    LOG,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SENSITIVE_NAME,
    TEMP,
    UNKNOWN_PLACE,
    VCS_INTERNAL,
    WORKSPACE,
    WORKSPACE_ROOT,
    Connects,
    Deletes,
    Effect,
    Executes,
    Opaque,
    Place,
    Reads,
    RunsCode,
    Span,
    Writes,
)
from interlock.model.facts import MISSING, UNKNOWN, Stat
from interlock.model.kinds import meaning
from interlock.shell import builtins
from interlock.shell.value import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.model.call import ToolCall
    from interlock.model.effect import Kind
    from interlock.model.facts import Facts, Unknown
    from interlock.shell.value import Value

MAX_EFFECTS = 2000
MAX_STATS = 64
MAX_LINKS = 8
MAX_NOTED = 64
"""Links and temporary files of a call that are kept in mind."""
_OF_RUNNING = frozenset({Executes, RunsCode, Opaque})
_OF_THE_MACHINE = meaning("machine")
_MEANT = meaning("path")
"""Kinds of effects that keep the pattern their target stands for: for what may be lost, and for paths that a policy names."""
_WITH_ALL = frozenset({"recursive", "moved", "moved-to", "extracted", "link"})
"""Traits of an effect on a folder that reaches what it holds."""
_REACH_HELD = ((Deletes, {"recursive"}), (Deletes, {"moved"}), (Writes, {"extracted"}), (Writes, {"downloaded", "recursive"}))
"""Effects on a folder that reach what it holds already. (What local copies bring is looked at there; ``git rm`` reaches what is ``tracked``.)"""

MAX_HELD = 4
"""Files behind a pattern, or in a folder, that are named."""
_UNKNOWN = Place(UNKNOWN_PLACE)
_TOLD_BY_TAIL = frozenset({SECRET, PROJECT_SECRET, PERSISTENCE, ACCESS, GUARD, LOG, VCS_INTERNAL})
_WITH_NOTHING_BEFORE = frozenset({SECRET, ACCESS})
"""What counts if the unknown part is empty: ``$ROOT/etc/shadow``."""
MIN_TAIL = 3
"""The least that must follow an unknown part of a path to tell anything of it."""
_GLOBS = "*?["


class Context:
    """Gathers the effects of one call. ``changed`` holds paths that earlier commands of the call may have changed, in whatever way."""

    def __init__(self, call: ToolCall, facts: Facts) -> None:
        self.call = call
        self.facts = facts
        self.home = facts.home()
        self.temps = facts.temps()
        self.effects: list[Effect] = []
        self.reads: list[Effect] = []
        """What was read, in order; what is taken out of the effects again stays here."""
        self.commands: list[tuple[str, ...]] = []
        """The words of every command that is run, those that other programs and tools start included."""
        self.partial = False
        self.doubts: dict[str, None] = {}
        """What of this call is not known though it was read: options that nobody listed. In order, each once."""
        self.changed: set[str] = set()
        self.rewritten: set[str] = set()
        """Files whose text this call may have changed. Another mode, owner or time is no other text."""
        self.made: set[str] = set()
        self.begun: list[tuple[str, ...]] = []
        self.things: set[str] = set()
        """Named things that this call surely makes, if it succeeds: containers, terminal sessions."""
        self.linked: dict[str, str] = {}
        """Links that this call makes, and where they lead."""
        self.where = HERE
        self.supposed = False
        """Whether words are read that may be a command, or may be data: what they would do is possible only."""
        self.guarded: dict[str, tuple[str, ...]] = {}
        """Folders, and the guard's files that lie in each of them."""
        self.git = GitSeen()
        self.trees = 0
        """Trees and archives that were looked into for what they bring."""
        self.entered: list[tuple[str, list[str]]] = []
        """Patterns that this call went into, and the folders that fit each, as far as that is known."""
        self.secrets = SecretsSeen()
        self._stats = 0
        self._texts: dict[str, str | None] = {}
        self._places: dict[tuple[str, str], Place] = {}
        self._spellings: dict[str, Place] = {}

    # -- adding ------------------------------------------------------------------------------------

    def add(self, kind: Kind, target: str = "", **fields: object) -> Effect:
        """Add an effect and return it. Past 2,000 effects only one more, an opaque one, is added."""
        effect = Effect(kind, target, **fields)  # type: ignore[arg-type]
        if kind in _OF_THE_MACHINE and self.where != HERE:
            effect = effect.replace(traits=effect.traits | {"in-container" if self.where.startswith("container ") else "elsewhere"})
        if self.supposed:
            if kind in _OF_RUNNING and "from-network" not in effect.traits:
                return effect
            effect = effect.replace(certain=False)
        if kind is Reads:
            self.reads.append(effect)
        if len(self.effects) < MAX_EFFECTS:
            self.effects.append(effect)
        elif len(self.effects) == MAX_EFFECTS:
            self.partial = True
            self.effects.append(Effect(Opaque, traits=frozenset({"too-much"}), detail="more effects than can be listed"))
        return effect

    def noted(self, words: list[str]) -> None:
        """Keep the words of a command that is run, or may be, for rules that look at words."""
        self.commands.append((f"{GUESSED}{words[0]}", *words[1:]) if self.supposed else tuple(words))

    def possibly(self, work: Callable[[], object]) -> None:
        """Have effects added that may be, and may not be: all that ``work`` adds is possible only."""
        held, self.supposed = self.supposed, True
        try:
            work()
        finally:
            self.supposed = held

    def opaque(self, why: str, span: Span | None = None, *traits: str) -> None:
        """Add what could not be read."""
        self.partial = self.partial or not self.supposed
        self.add(Opaque, traits=frozenset(traits), span=span, detail=why)

    # -- paths -------------------------------------------------------------------------------------

    def at_home(self, path: str) -> str:
        """Return a path with the home folder for ``~`` at its beginning; where that is unknown, a hole."""
        return f"{self.home or HOLE}{path[1:]}" if path == "~" or path.startswith("~/") else path

    def normal(self, path: str, cwd: str | None) -> str | None:
        """Return the absolute, normal form of a path; None where the folder it hangs on is unknown."""
        if self.call.platform == "windows":
            from interlock.effects import windows_paths

            return windows_paths.normal(path, cwd)
        spelled = builtins.folder(cwd, path)
        if spelled is None or ".." not in path or self.where != HERE:
            return spelled
        return self._physical(path if path[:1] == "/" else f"{cwd}/{path}", spelled)

    def _physical(self, path: str, spelled: str) -> str:
        """Return the path as the kernel goes it: ``..`` after a link leads out of the folder that the link leads to (path_resolution(7))."""
        if self._stats + 2 > MAX_STATS:
            return spelled
        self._stats += 2
        parent, _, name = path.rstrip("/").rpartition("/")
        if name in ("..", "."):
            parent, name = path, ""
        plain = (spelled.rpartition("/")[0] if name else spelled) or "/"
        went = self._followed(parent) if self.linked else parent or "/"
        there, here = self.facts.real(went), self.facts.real(plain)
        if not isinstance(there, str) or not isinstance(here, str):
            there, here = (went, plain) if self.linked else ("", "")
        return spelled if there == here else f"{there.rstrip('/')}/{name}" if name else there

    def _followed(self, path: str) -> str:
        """Return a path through the links that this call makes, step by step."""
        done: list[str] = []
        for part in path.split("/"):
            if part == "..":
                del done[-1:]
            elif part not in ("", "."):
                leads = self.linked.get("/" + "/".join([*done, part]))
                done = [*done, part] if leads is None else leads.split("/")[1:]
        return "/" + "/".join(done)

    def place(self, path: str) -> Place:
        """Return the place of an absolute path, links followed where that can be known."""
        key = (path, self.where)
        place = self._places.get(key)
        if place is None or path in self.changed:
            place = self._places[key] = self._classify(path)
        return place

    def _classify(self, path: str) -> Place:
        if self.where != HERE:
            return places.classify(path, (), "", (), self.where)
        place = self._spelled(path)
        real: str | Unknown = UNKNOWN
        if self._stats < MAX_STATS and not path.startswith(("/dev/", "/proc/")):
            self._stats += 1
            real = self.facts.real(path)
        if isinstance(real, str) and real != path:
            true = self._spelled(real)
            lost = place.natures - true.natures - {GENERATED, ROOT_OF, WORKSPACE_ROOT}
            return Place(true.location, true.natures | lost, real=real)
        return place

    def _spelled(self, path: str) -> Place:
        """Return the place of a path by its name alone, worked out once for each."""
        place = self._spellings.get(path)
        if place is None:
            place = self._spellings[path] = self._by_spelling(path)
        return place

    def _by_spelling(self, path: str) -> Place:
        """Where the platform's file names know no case, what a path is in lower case counts as well."""
        if self.call.platform == "windows":
            from interlock.effects import windows_paths

            return windows_paths.classify(path, self.call.roots, self.home, self.temps)
        place = places.classify(path, self.call.roots, self.home, self.temps)
        if self.call.platform == "linux" or path == path.lower():
            return place
        small = places.natures(path.lower(), self.call.roots, self.home.lower())
        return Place(place.location, place.natures | (small - {GENERATED}))

    def path(self, kind: Kind, value: Value, cwd: str | None, span: Span | None = None, traits: frozenset[str] = frozenset(), by: str = "") -> Effect:
        """Add an effect on the path a word names: known, a pattern, or partly unknown."""
        text = value.text
        if HOLE in text:
            return self._unknown_path(kind, value, cwd, span, traits, by)
        if value.pattern:
            path = self.normal(text, cwd)
            self._held(kind, path, span, traits, by, pattern=True)
            traits = self._behind(path, traits, span, by) if kind is Reads else traits
            text, traits = self._generated(text, cwd, traits) or _beneath(text, traits)
            return self._meant(self._known(kind, text, cwd, span, traits, by), value.text, cwd)
        return self._known(kind, text, cwd, span, traits, by)

    def _meant(self, effect: Effect, pattern: str, cwd: str | None) -> Effect:
        """Note which pattern the target stands for."""
        meant = builtins.folder(cwd, pattern) if effect.kind in _MEANT and self.call.platform != "windows" else None
        if meant is None or not self.effects or self.effects[-1] is not effect:
            return effect
        self.effects[-1] = effect.replace(only=(meant,))
        return self.effects[-1]

    def _known(self, kind: Kind, text: str, cwd: str | None, span: Span | None, traits: frozenset[str], by: str) -> Effect:
        path = self.normal(text, cwd)
        if path is None:
            return self.add(kind, text, place=_UNKNOWN, span=span, traits=traits | {"unknown-folder"}, by=by, certain=kind is Deletes)
        if not _WITH_ALL.isdisjoint(traits) and kind is not Reads:
            self._held(kind, path, span, traits, by, pattern=False)
            self._guarded(kind, path, span, traits, by)
        real = self.through(path)
        if real != path:
            self._located(kind, path, span, traits, by)
            removed = kind is Deletes and path in self.linked and "all-of" not in traits and not text.endswith(("/", "."))
            path = path if removed else real
        return self._located(kind, path, span, traits, by)

    def _generated(self, text: str, cwd: str | None, traits: frozenset[str]) -> tuple[str, frozenset[str]] | None:
        """``packages/*/dist``: what can be built again in some folders, not all of what is in them; None for any other pattern."""
        folder, _, last = text.rpartition("/")
        if not any(mark in folder for mark in _GLOBS) or any(mark in last for mark in _GLOBS.replace("*", "")) or "**" in text:
            return None
        path = self.normal(_sample(text if last.strip("*") else folder), cwd)
        if path is None or not self.workspace(path) or GENERATED not in self.place(path).natures:
            return None
        return _sample(text), traits | {"some-of"}

    def _located(self, kind: Kind, path: str, span: Span | None, traits: frozenset[str], by: str) -> Effect:
        place = self.place(path)
        if self.is_made(path) or (kind is Writes and self._is_fresh_secret(path, place)):
            traits |= {"made-here"}
        elif kind is Reads and self.where == HERE and (not WHOLE.isdisjoint(traits) or may_hold(path.rpartition("/")[2])):
            from interlock.effects.holding import reached  # most calls read plain files

            place, traits = reached(self, path, place, traits, (span, by))
        return self.add(kind, path, place=place, span=span, traits=traits, by=by)

    def _is_fresh_secret(self, path: str, place: Place) -> bool:
        """Whether a file of the workspace that is named like a secret is known not to be there: nobody is locked out by a new one."""
        return place.location == WORKSPACE and not place.natures.isdisjoint({PROJECT_SECRET, SENSITIVE_NAME}) and self.is_kind(path, MISSING)

    def _held(self, kind: Kind, path: str | None, span: Span | None, traits: frozenset[str], by: str, *, pattern: bool) -> None:
        """Add what a pattern may match, or a folder may hold, of the files that matter most: it may not be there."""
        if path is None or self.where != HERE or (kind is Reads and "listed" in traits):
            return
        sure = kind is Deletes and not pattern and path.rpartition("/")[2] in places.CLIENT_FOLDERS
        found = places.held(path, self.call.roots, self.home, pattern=pattern)
        there = [held for held in found if kind is not Reads or held in self.changed or self.facts.stat(held) != Stat(MISSING)]
        for held in there[:MAX_HELD]:
            self.add(kind, held, place=self.place(held), span=span, traits=traits - {"recursive"} | {"held"}, by=by, certain=sure)

    def _guarded(self, kind: Kind, path: str, span: Span | None, traits: frozenset[str], by: str) -> None:
        """Add what is done to the guard's files that lie in a folder: it is not known to be all that is done there."""
        if self.where != HERE or not traits.isdisjoint({"known-members", "tracked"}):
            return
        if not any(kind is one and marks <= traits for one, marks in _REACH_HELD):
            return
        for held in guarded.beneath(self, path):
            self.add(kind, held, place=self.place(held), span=span, traits=traits - {"recursive"} | {"held"}, by=by, certain=False)

    def _behind(self, pattern: str | None, traits: frozenset[str], span: Span | None, by: str) -> frozenset[str]:
        """Add the secrets that a pattern names; return the traits, which say whether there are any."""
        if pattern is None or self.where != HERE:
            return traits
        from interlock.effects.holding import LABEL, behind

        return traits | {LABEL} if behind(self, pattern, traits, (span, by)) else traits

    def held_labels(self, path: str) -> frozenset[str]:
        """Return a secret's label for a path that holds one though its name does not say so, or lies in the copy of such a folder."""
        held = path in self.secrets.holding or any(places.below(path, folder) for folder in self.secrets.copied)
        return frozenset({"secret"}) if held else frozenset()

    def copies(self, source: str | None, target: str) -> None:
        """Note that a folder was copied; one with secrets in it keeps them."""
        if source in self.secrets.holding and len(self.secrets.copied) < MAX_NOTED:
            self.secrets.copied.append(target)

    def makes(self, effect: Effect) -> None:
        """Note a temporary file that this call writes anew: nothing else is in it any more."""
        if effect.place is not None and effect.place.location == TEMP and ROOT_OF not in effect.place.natures and len(self.made) < MAX_NOTED:
            self.made.add(effect.target)

    def is_made(self, path: str) -> bool:
        """Whether this call made a temporary file, or a folder above it."""
        while path and self.made:
            if path in self.made:
                return True
            path = path.rpartition("/")[0]
        return False

    def made_with_parents(self, effect: Effect) -> None:
        """Note a temporary folder that this call makes, and those above it that it makes as well (``mkdir -p``)."""
        self.makes(effect)
        path = effect.target.rpartition("/")[0]
        while effect.target in self.made and path.count("/") > 1 and self.is_new(path):
            place = self.place(path)
            if place.location != TEMP or ROOT_OF in place.natures:
                break
            self.made.add(path)
            path = path.rpartition("/")[0]

    def links(self, path: str, leads: str) -> None:
        """Note a link that this call makes; one too many is opaque."""
        if len(self.linked) < MAX_NOTED or path in self.linked:
            self.linked[path] = leads
        else:
            self.opaque("more links than can be followed", None, "too-much")

    def through(self, path: str) -> str:
        """Return where a path leads through the links that this call makes."""
        for _ in range(MAX_LINKS):
            found = next((link for link in self.linked if places.below(path, link)), None)
            if found is None:
                break
            path = self.normal(self.linked[found] + path[len(found) :], None) or path
        return path

    def _unknown_path(self, kind: Kind, value: Value, cwd: str | None, span: Span | None, traits: frozenset[str], by: str) -> Effect:
        """A path with a hole: the folder before the hole tells where, if the text has one."""
        head = value.text.partition(HOLE)[0]
        folder = head.rpartition("/")[0] if "/" in head else ""
        known = self._by_tail(value.text)
        traits |= {"unknown-target", f"from-{value.why}"} if value.why else {"unknown-target"}
        if folder or head.startswith("/"):
            path = self.normal(folder or "/", cwd)
            if path is not None and path != "/":
                place = self.place(path)
                return self.add(
                    kind,
                    path,
                    place=Place(place.location, (place.natures - {ROOT_OF, WORKSPACE_ROOT}) | known, place.where),
                    span=span,
                    traits=traits,
                    by=by,
                    certain=False,
                )
        if head and not value.text[len(head) :].strip(HOLE).startswith("/") and "/" not in value.text and cwd is not None:
            place = self.place(cwd)
            return self.add(kind, cwd, place=Place(place.location, known, place.where), span=span, traits=traits, by=by, certain=False)
        place = Place(UNKNOWN_PLACE, known) if known else _UNKNOWN
        return self.add(kind, "", place=place, span=span, traits=traits, by=by, certain=False)

    def _by_tail(self, text: str) -> frozenset[str]:
        """Return what a path with a hole is by what follows the hole: ``$DIR/.ssh/id_rsa`` is a key in whatever home, ``/proc/$PID/mem`` a memory."""
        tail = text.rpartition(HOLE)[2]
        if len(tail) < MIN_TAIL:
            return frozenset()
        whole = self.normal(text.replace(HOLE, "0") if text[:1] == "/" else self.home + tail, None)
        found = places.by_tail(tail) | (places.natures(whole, (), self.home) & _TOLD_BY_TAIL if whole else frozenset())
        return found | (places.natures(tail, (), self.home) & _WITH_NOTHING_BEFORE if text[:1] == HOLE and tail[:1] == "/" else frozenset())

    def secret(self, path: str | None) -> bool:
        """Whether a path is a secret."""
        return path is not None and SECRET in self.place(path).natures

    def script(self, path: str) -> str | None:
        """Return the text of a file that this call has not rewritten, or None."""
        return None if path in self.rewritten else self.original(path)

    def original(self, path: str) -> str | None:
        """Return the text that a file of this machine held before the call, or None where that is not known."""
        if self.where != HERE:
            return None
        if path not in self._texts:
            if self._stats >= MAX_STATS:
                self.opaque("more files than can be read", None, "too-much")
                return None
            self._stats += 1
            text = self.facts.text(path)
            self._texts[path] = text if isinstance(text, str) else None
        return self._texts[path]

    def is_kind(self, path: str, kind: str) -> bool:
        """Whether something of a kind (``file``, ``folder``...) is known to be there, and was not changed by this call."""
        if self._stats >= MAX_STATS or path in self.changed or self.where != HERE:
            return False
        self._stats += 1
        stat = self.facts.stat(path)
        return isinstance(stat, Stat) and stat.kind == kind

    def is_new(self, path: str) -> bool:
        """Whether what the call makes at a path is its own: nothing is known to have been there before."""
        if path in self.changed or self.where != HERE or self._stats >= MAX_STATS:
            return False
        self._stats += 1
        stat = self.facts.stat(path)
        return not isinstance(stat, Stat) or stat.kind == MISSING

    # -- hosts -------------------------------------------------------------------------------------

    def host(self, kind: Kind, host: str, span: Span | None = None, traits: frozenset[str] = frozenset(), by: str = "") -> Effect:
        """Add an effect on a host; one that is named as no host is carries data in its name."""
        if hosts.carries_data(host):
            traits |= {"unknown-word"}
        if host.count(".") > 1 and in_address(self, "", host):
            traits |= {"carries-token"}
        return self.add(kind, host.replace(HOLE, "?"), host=hosts.classify(host), span=span, traits=traits, by=by)

    def url(self, text: str, span: Span | None = None, traits: frozenset[str] = frozenset(), by: str = "") -> Effect:
        """Add a connection to the host a URL names."""
        host = hosts.host_of(text)
        if text.startswith(("file:", "FILE:")):
            traits |= {"file-url"}
        if HOLE in host:
            traits |= {"unknown-host"}
        if HOLE in text.partition(host)[2] if host else False:
            traits |= {"unknown-word"}
        if host and in_address(self, text, host):
            traits |= {"carries-token"}
        if host and ("?" in text.partition(host)[2] or "@" in text.partition(host)[0]):
            traits |= {"query"}
        return self.host(Connects, host, span, traits, by)

    def workspace(self, path: str | None) -> bool:
        """Whether a path is in the workspace."""
        return path is not None and self.place(path).location == WORKSPACE


def _beneath(text: str, traits: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Of a pattern, return the path that stands for what it may match, and a trait that says so.

    ``dir/*`` is everything in ``dir``; ``dir/*.o`` is some files in it.
    """
    if "**/" in text:
        text, traits = text.replace("**/", ""), traits | {"found"}
    first = min([text.find(mark) for mark in _GLOBS if mark in text], default=-1)
    folder, slash, name = text[:first].rpartition("/")
    rest = text[len(folder) + len(slash) :]
    everything = rest.strip("*.?{},!") == "" or rest.partition("/")[0].strip("*.?") == ""
    if everything:
        return (folder or (slash or ".")), traits | {"all-of"}
    return f"{folder}{slash}{name}{_sample(rest[len(name) :])}", traits | {"some-of"}


def _sample(rest: str) -> str:
    """A name that a pattern could match, so that ``*.o`` is seen as an object file and ``*.py[co]`` as a compiled one."""
    out, inside = [], False
    for index, char in enumerate(rest):
        if not inside:
            out.append("x" if char in "*?" else "" if char == "[" else char)
        elif rest[index - 1] == "[" and char not in "!^":
            out.append(char)
        inside = char == "[" or (inside and char != "]")
    return "".join(out)
