"""Where a command for a cluster or a cloud goes, as its options and variables name it: ``context:prod-eu``, ``account:123``.

A policy names its production so. What the command line does not say stands in settings of the client, which are not read.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

OPTIONS = {
    "--context": "context", "--kube-context": "context", "--cluster": "cluster", "--kubeconfig": "file", "--namespace": "namespace",
    "--profile": "account", "--project": "account", "--account": "account", "--subscription": "account", "--region": "region", "--app": "app",
    "--env": "environment", "--environment": "environment", "--stage": "environment", "--stack": "stack", "--workspace": "workspace",
    "-var-file": "file", "--org": "account", "--organization": "account", "--tenant": "account", "--prod": "environment",
}  # fmt: skip
"""Options of cluster and cloud clients, and what their values name (kubectl, helm, aws, gcloud, az, terraform, pulumi, fly, vercel)."""
VARIABLES = {
    "AWS_PROFILE": "account", "AWS_DEFAULT_PROFILE": "account", "CLOUDSDK_CORE_PROJECT": "account", "CLOUDSDK_ACTIVE_CONFIG_NAME": "account",
    "ARM_SUBSCRIPTION_ID": "account", "TF_WORKSPACE": "workspace", "KUBECONFIG": "file", "KUBE_CONTEXT": "context", "HELM_KUBECONTEXT": "context",
    "RACK_ENV": "environment", "MIX_ENV": "environment", "FLASK_ENV": "environment", "DJANGO_ENV": "environment",
    "HELM_NAMESPACE": "namespace", "PULUMI_STACK": "stack", "NODE_ENV": "environment", "RAILS_ENV": "environment", "APP_ENV": "environment",
}  # fmt: skip
_NAMESPACED = ("kubectl", "oc", "helm", "kubecolor", "k3s", "argocd", "flux", "istioctl", "linkerd")
_PRODUCTION = frozenset({"production", "prod", "live"})
MAX_WORDS = 256


def named(run: Run) -> tuple[str, ...]:
    """Return what the command names as the place it changes, in the order given; unknown words are left out."""
    found: dict[str, None] = {}
    words = run.arguments[:MAX_WORDS]
    for at, value in enumerate(words):
        option, equals, given = value.text.partition("=")
        kind = OPTIONS.get(option) or ("namespace" if option == "-n" and run.execution.argv[0].text.rpartition("/")[2] in _NAMESPACED else "")
        if kind and equals:
            found[f"{kind}:{given}"] = None
        elif kind and option == "--prod":
            found["environment:prod"] = None
        elif kind and at + 1 < len(words) and words[at + 1].known and words[at + 1].text[:1] != "-":
            found[f"{kind}:{words[at + 1].text}"] = None
    variables = run.walker.state.variables
    for name in VARIABLES.keys() & variables.keys():
        if variables[name].known:
            found[f"{VARIABLES[name]}:{variables[name].text}"] = None
    for name, value in run.execution.prefix:
        if name in VARIABLES and value.known:
            found[f"{VARIABLES[name]}:{value.text}"] = None
    return tuple(found)


def in_production(run: Run) -> bool:
    """Whether an option, a variable or a word like ``RAILS_ENV=production`` names production as what is changed."""
    named_so = any(name.partition(":")[2] in _PRODUCTION for name in named(run))
    return named_so or any(value.text.partition("=")[0] in VARIABLES and value.text.partition("=")[2] in _PRODUCTION for value in run.operands)
