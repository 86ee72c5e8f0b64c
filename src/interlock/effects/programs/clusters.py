"""Clusters (Kubernetes, OpenShift) and the tools around them: what they change there, what they
show, what runs inside.
"""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.programs.cloud import by_verb, local_cluster, rehearses
from interlock.effects.programs.cloudverbs import exceptions
from interlock.effects.programs.containers import is_shell, within
from interlock.effects.programs.sending import download
from interlock.effects.run import Run
from interlock.model.effect import (
    ChangesInfrastructure,
    ControlsContainer,
    Installs,
    Publishes,
    Reads,
    Writes,
)
from interlock.shell.value import NOTHING, UNREAD, Flow

# -- kubectl ---------------------------------------------------------------------------------------

_VERBS: dict[str, str] = {
    **dict.fromkeys(
        "get describe logs log top version config cluster-info api-resources api-versions explain diff wait auth events options completion "
        "kustomize view list "
        "status history whoami projects login docs ls process".split(), ""),
    **dict.fromkeys("delete drain destroy remove stop evict".split(), "delete"),
    **dict.fromkeys("create run expose new-app new-project start-build".split(), "create"),
    **dict.fromkeys(
        "apply replace patch edit set label annotate scale autoscale rollout cordon uncordon taint port-forward proxy debug certificate rollback "
        "import adm policy "
        "tag extract idle import-image".split(), "modify"),
    **dict.fromkeys("project logout plugin krew".split(), "soft"),
}  # fmt: skip
_INSIDE = frozenset({"exec", "rsh", "attach", "cp"})
_SETTINGS: dict[str, str] = values("clusters", "settings")


def _kube(run: Run) -> Flow:
    """``kubectl [options] VERB ..``."""
    words = [value.text for value in run.operands]
    if not words or run.has("--help", "-h"):
        return NOTHING
    if any(
        name.startswith("--dry-run") and value.text != "none" for name, value in run.parsed.options
    ) or rehearses(run, "--dry-run", "--server-dry-run"):
        for value in run.parsed.values("--from-env-file"):
            run.path(Reads, value, "sent")
        return Flow(None, run.input_labels())
    if (
        words[0] not in _VERBS and words[0] not in _INSIDE
    ):  # the value of an option that the row does not know
        words = next(
            (words[at:] for at, word in enumerate(words[:4]) if word in _VERBS or word in _INSIDE),
            words,
        )
    verb = words[0]
    if verb in ("exec", "rsh", "attach"):
        return _exec(run)
    if verb == "cp":
        return _copy(run)
    if verb == "port-forward" and not run.has("--address"):
        run.effect(
            ControlsContainer,
            " ".join(words[:2]),
            "cluster-exec",
            detail="a port of this machine leads into the cluster",
        )
        return UNREAD
    if _shows_secrets(run, words):
        run.effect(ChangesInfrastructure, "secrets of the cluster", "secret-access")
        return Flow(None, frozenset({"secret"}))
    if words[:2] in (
        ["rollout", "status"],
        ["rollout", "history"],
        ["krew", "list"],
        ["krew", "search"],
        ["plugin", "list"],
        ["krew", "info"],
    ):
        return UNREAD
    action = _VERBS.get(verb)
    if verb == "config":
        action = _SETTINGS.get(words[1] if len(words) > 1 else "", "")
    if words[:2] in (["auth", "reconcile"], ["krew", "install"], ["krew", "uninstall"]):
        action = "modify"
    if action != "":
        run.effect(
            ChangesInfrastructure,
            " ".join([run.name, *words[:3]]),
            action or "modify",
            certain=action not in (None, "soft") and not local_cluster(run),
        )
    return UNREAD


def _shows_secrets(run: Run, words: list[str]) -> bool:
    """Whether secrets are printed, not named: ``get secret -o yaml``, ``config view --raw``."""
    if words[:2] == ["config", "view"]:
        return run.has("--raw", "--flatten")
    if words[0] == "whoami":
        return run.has("-t", "--show-token")
    if words[0] != "get" or len(words) < len(("get", "secret")):
        return any("/secrets" in value.text for value in run.parsed.values("--raw"))
    kinds = words[1].partition("/")[0].split(",")
    form = run.parsed.value("-o", "--output")
    shown = (form is not None and form.text not in ("name", "wide")) or any(
        flag.startswith(("-oj", "-oy", "-og", "-ot", "--template")) for flag in run.parsed.flags
    )
    return shown and any(kind in ("secret", "secrets") for kind in kinds)


def _exec(run: Run) -> Flow:
    """``kubectl exec POD -- CMD``, ``oc rsh POD``: a shell without a command is a person's."""
    words = run.arguments
    cut = next((index for index, value in enumerate(words) if value.text == "--"), -1)
    command = words[cut + 1 :] if cut >= 0 else run.operands[2:]
    shell = not command or is_shell(command)
    run.effect(
        ControlsContainer,
        run.operands[1].text if len(run.operands) > 1 else "",
        "interactive-cluster" if shell else "cluster-exec",
    )
    return within(run, "cluster", command)


def _copy(run: Run) -> Flow:
    """``kubectl cp FROM TO``: the side with a colon is a pod's."""
    for value, kind in zip(run.operands[1:], (Reads, Writes), strict=False):
        if ":" in value.text:
            trait = "cluster-exec" if kind is Reads else "modify"
            run.effect(
                ControlsContainer if kind is Reads else ChangesInfrastructure,
                value.text,
                trait,
                value=value,
            )
        elif kind is Reads:
            run.path(Reads, value, "sent")
        else:
            # a folder's contents come there (kubectl cp --help)
            download(run, value, "extracted", "recursive")
    return UNREAD


def _switch(run: Run) -> Flow:
    """``kubectx NAME``, ``kubens NAME``: later commands go elsewhere; without a name they list."""
    if run.operands and not run.has("-h", "--help", "-c", "--current"):
        run.effect(
            ChangesInfrastructure,
            f"{run.name} {run.operands[0].text}",
            "modify",
            "soft",
            certain=run.has("-d"),
        )
    return UNREAD


# -- tools around them -----------------------------------------------------------------------------

_OWN: dict[str, dict[str, str]] = exceptions("clusters")


def _tool(run: Run) -> Flow:
    return by_verb(run, _OWN[run.name])


def _helm(run: Run) -> Flow:
    """``helm push`` publishes a chart; a plugin is a program from elsewhere."""
    words = [value.text for value in run.operands]
    for value in run.parsed.values("--post-renderer"):
        run.command([value])
    if words[:1] == ["push"]:
        run.effect(Publishes, words[-1], "package")
    elif words[:2] in (["plugin", "install"], ["plugin", "update"]):
        run.effect(Installs, " ".join(words[2:]), "global")
    elif words[:1] == ["create"]:
        for value in run.operands[1:]:
            run.path(Writes, value, "create")
    else:
        return by_verb(run, _OWN["helm"])
    return UNREAD
