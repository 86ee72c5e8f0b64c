"""Where a command goes that changes a cluster, a cloud, a database or containers, as its options
and variables name it: ``context:prod-eu``.

A policy names its production so. What the command line does not say stands in settings of the
client, which are not read.
"""

from __future__ import annotations

from typing import Protocol

from interlock.effects.verb_words import SAYING
from interlock.shell.execution import Execution
from interlock.shell.value import Value
from interlock.shell.walk import Walker

OPTIONS = {
    "--context": "context", "--kube-context": "context", "--cluster": "cluster",
    "--kubeconfig": "file", "--namespace": "namespace",
    "--profile": "account", "--project": "account", "--account": "account",
    "--subscription": "account", "--region": "region", "--app": "app",
    "--env": "environment", "--environment": "environment", "--stage": "environment",
    "--stack": "stack", "--workspace": "workspace",
    "--settings": "environment", "-var-file": "file", "--org": "account",
    "--organization": "account", "--tenant": "account", "--prod": "environment",
}  # fmt: skip
"""Options of cluster and cloud clients, and what their values name (kubectl, helm, aws, gcloud, az,
terraform, pulumi, fly, vercel).
"""
VARIABLES = {
    "AWS_PROFILE": "account", "AWS_DEFAULT_PROFILE": "account", "CLOUDSDK_CORE_PROJECT": "account",
    "CLOUDSDK_ACTIVE_CONFIG_NAME": "account",
    "ARM_SUBSCRIPTION_ID": "account", "TF_WORKSPACE": "workspace", "KUBECONFIG": "file",
    "KUBE_CONTEXT": "context", "HELM_KUBECONTEXT": "context",
    "DOCKER_CONTEXT": "context", "HELM_NAMESPACE": "namespace", "PULUMI_STACK": "stack",
    **dict.fromkeys(
        "NODE_ENV RAILS_ENV RACK_ENV HANAMI_ENV APP_ENV MIX_ENV FLASK_ENV DJANGO_ENV DJANGO_SETTINGS_MODULE DJANGO_CONFIGURATION WP_ENV GO_ENV "
        "BUN_ENV ASPNETCORE_ENVIRONMENT DOTNET_ENVIRONMENT SPRING_PROFILES_ACTIVE ENV ENVIRONMENT DEPLOY_ENV TARGET_ENV TARGET STAGE".split(),
        "environment",
    ),
}  # fmt: skip
_CONTEXTS, _CHOOSES = ("context", "config"), ("use", "use-context")
"""``docker context use NAME``, ``kubectl config use-context NAME``: later commands go there."""
_NAMESPACED = ("kubectl", "oc", "helm", "kubecolor", "k3s", "argocd", "flux", "istioctl", "linkerd")
PRODUCTION = "production"
_PRODUCTION = frozenset({PRODUCTION, "prod", "live"})


class ScopedRun(Protocol):
    """A run of a program, as far as it says what it works in."""

    arguments: list[Value]
    execution: Execution
    walker: Walker


def find_scopes(run: ScopedRun) -> tuple[str, ...]:
    """Return what the command names as the place it changes, in order, without unknown words."""
    found: dict[str, None] = {}
    words = run.arguments
    for at, value in enumerate(words):
        option, equals, given = value.text.partition("=")
        kind = OPTIONS.get(option) or (
            "namespace"
            if option == "-n" and run.execution.argv[0].text.rpartition("/")[2] in _NAMESPACED
            else ""
        )
        if kind and equals:
            found[f"{kind}:{given}"] = None
        elif kind and option == "--prod":
            found["environment:prod"] = None
        elif kind and at + 1 < len(words) and words[at + 1].known and words[at + 1].text[:1] != "-":
            found[f"{kind}:{words[at + 1].text}"] = None
        elif equals and value.known and option in VARIABLES:
            found[f"{VARIABLES[option]}:{given}"] = None  # make deploy ENV=production
        elif (
            option in _CHOOSES
            and at > 0
            and words[at - 1].text in _CONTEXTS
            and at + 1 < len(words)
            and words[at + 1].known
        ):
            found[f"context:{words[at + 1].text}"] = None
    variables = run.walker.state.variables
    for name in VARIABLES.keys() & variables.keys():
        if variables[name].known:
            found[f"{VARIABLES[name]}:{variables[name].text}"] = None
    for name, value in (*run.execution.inherited, *run.execution.prefix):
        if name in VARIABLES and value.known:
            found[f"{VARIABLES[name]}:{value.text}"] = None
    return tuple(found)


def words_of_variables(run: ScopedRun) -> list[Value]:
    """Return the variables before a command that say what it does, as words of it:
    ``ACTION=destroy ./infra.sh``, ``DRY_RUN=0 ./release.sh``.
    """
    return [
        Value(f"{name}={value.text}", value.start, value.end)
        for name, value in run.execution.prefix
        if name.lower() in SAYING or name.lower() in ("dry_run", "dryrun")
    ]


def in_production(run: ScopedRun) -> bool:
    """Whether an option, a variable or a word like ``RAILS_ENV=production`` means production."""
    return any(_is_production(name) for name in find_scopes(run))


def is_production(word: str) -> bool:
    """Whether a word is the name of production."""
    return word.lower() in _PRODUCTION


def _is_production(name: str) -> bool:
    """Whether a name is production's; a dotted one of settings by a part of it:
    ``shop.settings.prod``.
    """
    kind, _, said = name.partition(":")
    parts = said.lower().split(".") if kind == "environment" else (said,)
    return not _PRODUCTION.isdisjoint(parts)
