"""Policy files to the policy that holds: read, checked for who may write them, compiled, merged,
kept. Not on the way of a call unless one changed.

A file that cannot be used loosens nothing. What can be read of it and what its last good version
tightened holds; where that may not be all that it says, every call is asked about until it is
mended (``policy.salvage``).
"""

from __future__ import annotations

from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.model.rule import Rule
from interlock.policy import older
from interlock.policy.builtin import builtin
from interlock.policy.cache import identity, keep, keep_good, last_good
from interlock.policy.compile import compile_layer
from interlock.policy.files import (
    GUARDS,
    PolicyFile,
    PolicyLocations,
    fingerprint,
    is_own_home,
    look,
    sha256,
)
from interlock.policy.layer import Layer
from interlock.policy.merge import MergedPolicy, merge
from interlock.policy.plugins import effective_layers, guard
from interlock.policy.problem import PolicyError, PolicyProblem, PolicyProblems
from interlock.policy.profiles import layers_of, profile
from interlock.policy.reading import is_documentation, read, read_guard
from interlock.policy.salvage import salvage_layers
from interlock.policy.schema import (
    DEFAULT,
    FLEET,
    ORGANISATION,
    PROFILES,
    PROJECT,
    SESSION,
    TENANT,
    USER,
)
from interlock.policy.source import PolicySource, Reader

NEVER = 10**9
"""A day that does not come."""
_DAYS_TO_1970 = 719_162


class LoadedPolicy(Record):
    """A policy, where all of it came from, what was wrong with its files, and what each of them
    says, the highest first.
    """

    policy: Policy
    merged: MergedPolicy
    problems: tuple[PolicyProblem, ...] = ()
    unkept: str = ""
    layers: tuple[Layer, ...] = ()


def load(where: PolicyLocations, reader: Reader, today: int) -> LoadedPolicy:
    """Return what the files say now, kept for later calls. ``today``: days since 1970. Total."""
    loading = _PolicyLoader(
        where.replace(own_home=where.own_home and is_own_home(where.home, where.owner)), reader
    )
    layers = loading.all()
    day = _date(today)
    merged = together(layers, day)
    merged = merged.replace(notes=(*loading.displaced, *merged.notes))
    prints = repr((identity(), [fingerprint(file) for file, _ in loading.made_of])).encode(
        "utf-8", "surrogatepass"
    )
    policy = merged.policy.replace(
        notices=tuple(loading.notices),
        broken=tuple(loading.broken),
        hash=f"policy-{sha256(prints).hex()[:16]}",
    )
    ends = [
        _day(exemption.until) + 1
        for layer in layers
        for exemption in layer.exemptions
        if exemption.until >= day
    ]
    unkept = keep(where, policy, loading.made_of, min(ends, default=NEVER))
    return LoadedPolicy(policy, merged, tuple(loading.problems), unkept, layers)


def together(layers: tuple[Layer, ...], day: str) -> MergedPolicy:
    """Return the built-in rules with these layers over them, the highest first, and under them the
    profiles that they choose.
    """
    return merge(
        builtin(), (*layers_of(layers, {rule.id: rule for rule in builtin().rules}), *layers), day
    )


def compile_file(
    data: bytes, path: str, source: PolicySource
) -> tuple[tuple[Layer, ...], PolicyProblems]:
    """Return the layers of a file, those of its tenants last, and what is to be noted of it; raises
    ``PolicyError`` with every error in it.
    """
    find_yaml()
    section, problems = read(data, path, source.layer)
    source = source.replace(
        path=path,
        problems=problems,
        known={**source.known, **_of_profile(section.get("profile", DEFAULT))},
    )
    layers = (
        older.compile_layers(section, source)
        if section.get("version") == "1.0"
        else (compile_layer(section, source),)
    )
    if problems.broken:
        raise PolicyError(problems.found)
    return layers, problems


def compile_guard(
    data: bytes, path: str, source: PolicySource
) -> tuple[tuple[Layer, ...], PolicyProblems]:
    """Return the layer of a plugin's guard, as ``compile_file`` does; raises ``PolicyError``."""
    find_yaml()
    section, problems = read_guard(data, path, source.layer)
    layer = guard(section, source.replace(path=path, problems=problems))
    if problems.broken:
        raise PolicyError(problems.found)
    return (layer,), problems


def _is_guard(path: str) -> bool:
    return path.rpartition("/")[0].endswith(f"/{GUARDS}")


def _of_profile(name: str) -> dict[str, Rule]:
    """Return the rules of the profile that a file chooses; it and those below may tune them."""
    known = {rule.id: rule for rule in builtin().rules}
    chosen = profile(name, known) if name in PROFILES and name != DEFAULT else None
    return {one.rule.id: one.rule for one in chosen.rules} if chosen is not None else {}


class _PolicyLoader:
    """Reads one file after the other, the highest layer first, and notes what it was made of."""

    def __init__(self, where: PolicyLocations, reader: Reader) -> None:
        self.where = where
        self.reader = reader
        self.known: dict[str, Rule] = {rule.id: rule for rule in builtin().rules}
        self.made_of: list[tuple[PolicyFile, tuple[int, ...]]] = []
        self.problems: list[PolicyProblem] = []
        self.notices: list[str] = []
        self.broken: list[str] = []
        self.displaced: list[str] = []

    def all(self) -> tuple[Layer, ...]:
        """Return the layers of all files."""
        where = self.where
        above, mine = (where.above,), (where.owner, where.above)
        organisation = self.layers(
            ORGANISATION, self.file(where.organisation_file, above), loosens=True
        )
        organisation += self.fleet(above, mine)
        tenant = next(
            (
                str(one.value)
                for layer in organisation
                for one in layer.settings
                if one.name == "tenant"
            ),
            "",
        )
        found = [
            layer
            for layer in organisation
            if "#" not in layer.path or layer.path.endswith(f"#{tenant}")
        ]
        if tenant:
            found += self.layers(TENANT, self.file(where.tenant_file(tenant), above), loosens=True)
        found += self.layers(USER, self.file(where.user_file, mine), loosens=where.own_home)
        found += self.guards(USER, where.home, mine)
        project = self.file(where.project_file, ())
        found += self.layers(PROJECT, project, loosens=self._is_trusted(project))
        found += self.guards(PROJECT, where.project, ())
        found += self.layers(SESSION, self.file(where.session_file, mine), loosens=where.own_home)
        return tuple(found)

    def fleet(self, above: tuple[int, ...], mine: tuple[int, ...]) -> tuple[Layer, ...]:
        """Return what the team's service published. Where root's is there it is the one for every
        user, and a user's own counts for nothing.
        """
        roots, *own = [
            self.file(path, owners)
            for path, owners in zip(self.where.fleet_files, (above, mine), strict=False)
        ]
        if roots.there or not own:
            return self.layers(FLEET, roots, loosens=True)
        return self.layers(FLEET, own[0], loosens=self.where.own_home)

    def guards(self, name: str, top: str, owners: tuple[int, ...]) -> list[Layer]:
        """Return the plugin rules of a home or a project. In a home the last folder's of one id
        hold; in a project all of them do.
        """
        found: list[Layer] = []
        for folder in [self.file(path, owners) for path in self.where.guard_folders(top)]:
            if folder.problem:
                self._fall_back(name, folder, (PolicyProblem(folder.path, 1, 1, folder.problem),))
            for entry in (
                (folder.data or b"").decode("utf-8", "surrogateescape").split("\n")
                if not folder.problem
                else ()
            ):
                found += (
                    self.layers(name, self.file(f"{folder.path}/{entry}", owners), loosens=False)
                    if entry
                    else ()
                )
        if name != USER:
            return found
        found, self.displaced = effective_layers(found)
        return found

    def file(self, path: str, owners: tuple[int, ...]) -> PolicyFile:
        """Return a file as it is, and note that the policy was made of it, be it there or not."""
        file = look(path, owners, self.where.lent)
        if path:
            self.made_of.append((file, owners))
        return file

    def source(self, layer: str, path: str, *, loosens: bool) -> PolicySource:
        """Return what compiling a file of a layer needs."""
        return PolicySource(
            layer, path, self.where.home, self.known, self.reader, PolicyProblems(path), loosens
        )

    def layers(self, name: str, file: PolicyFile, *, loosens: bool) -> tuple[Layer, ...]:
        """Return a file's layers; where it is wrong, what its last good version tightened."""
        if not file.there:
            return ()
        if (
            file.data is not None
            and _is_guard(file.path)
            and is_documentation(file.data, file.path)
        ):
            return ()
        if file.problem or file.data is None:
            return self._fall_back(name, file, (PolicyProblem(file.path, 1, 1, file.problem),))
        try:
            layers, _ = (compile_guard if _is_guard(file.path) else compile_file)(
                file.data, file.path, self.source(name, file.path, loosens=loosens)
            )
            keep_good(self.where, file.path, layers)
        except PolicyError as error:
            kept, whole = (
                ((), False)
                if _is_guard(file.path)
                else salvage_layers(
                    file.data, file.path, self.source(name, file.path, loosens=False)
                )
            )
            layers = self._fall_back(name, file, error.problems, kept, whole=whole)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a file, there is a policy
            layers = self._fall_back(
                name,
                file,
                (
                    PolicyProblem(
                        file.path, 1, 1, f"a bug in interlock: {type(error).__name__}: {error}"
                    ),
                ),
            )
        return self._known(layers)

    def _known(self, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
        self.known.update({one.rule.id: one.rule for layer in layers for one in layer.rules})
        for layer in layers:
            self.known.update(_of_profile(layer.profile))
        return layers

    def _fall_back(
        self,
        name: str,
        file: PolicyFile,
        problems: tuple[PolicyProblem, ...],
        kept: tuple[Layer, ...] = (),
        *,
        whole: bool = False,
    ) -> tuple[Layer, ...]:
        """Return what still holds of a broken file: what was ``kept`` of it, and what it last
        tightened. ``whole``: its bad rules ask.
        """
        self.problems += problems
        again = {one.rule.id for layer in kept for one in layer.rules}
        good = tuple(
            [
                layer.replace(
                    loosens=False,
                    rules=tuple([one for one in layer.rules if one.rule.id not in again]),
                )
                for layer in last_good(self.where, file.path)
            ]
        )
        # a sandbox ends soon: what the file said before holds meanwhile, and what first came up in
        # a project meanwhile is that sandbox's own word
        whole = whole or (file.lent and (bool(good) or name == PROJECT))
        first, more = problems[0], len(problems) - 1
        also = f" (and {more} more)" if more else ""
        home = self.where.home
        where = (
            f"~{first.where[len(home) :]}"
            if home and first.where.startswith(f"{home}/")
            else first.where
        )
        if whole:
            instead = (
                "what it said before holds meanwhile"
                if file.lent
                else "what the bad rule may match is asked about"
            )
            self.notices.append(
                f"is judged without all of {where}: {first.message}{also}; {instead}."
            )
        else:
            self.broken.append(
                f"cannot be judged by the whole policy: {where}: {first.message}{also}."
            )
        return self._known((*good, *kept))

    def _is_trusted(self, project: PolicyFile) -> bool:
        """Whether the user trusted exactly this content of the project's file, which nobody else
        can have written since.
        """
        if project.data is None or not self.where.own_home or not self.where.state:
            return False
        marker, mine = (
            self.file(trust_path(self.where, project), (self.where.owner,)),
            (self.where.owner, self.where.above),
        )
        return (
            marker.data is not None
            and not marker.problem
            and not look(project.path, mine, self.where.lent).problem
        )


def trust_path(where: PolicyLocations, project: PolicyFile) -> str:
    """Return the file whose being there says that a user trusts this content at this path."""
    return f"{where.state}/trusted/{sha256(project.path.encode('utf-8', 'surrogatepass') + bytes(1) + (project.data or b'')).hex()}"


def find_yaml() -> None:
    """Let PyYAML be found by an interpreter started without site packages, like hooks."""
    from importlib.util import find_spec

    if find_spec("yaml") is None:
        import site

        site.main()


def _date(day: int) -> str:
    from datetime import date

    return date.fromordinal(day + _DAYS_TO_1970 + 1).isoformat()


def _day(text: str) -> int:
    from datetime import date

    return date.fromisoformat(text).toordinal() - _DAYS_TO_1970 - 1
