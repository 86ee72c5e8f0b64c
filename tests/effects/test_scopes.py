"""Where a command for a cluster or a cloud goes is told as far as the command line names it."""

from __future__ import annotations

import pytest

from interlock.model.effect import ChangesInfrastructure
from tests.effects.reading import effects_of

ROWS = {
    "kubectl --context prod-eu delete ns x": {"context:prod-eu"},
    "kubectl delete pod x -n prod --context=blue": {"context:blue", "namespace:prod"},
    "helm --kube-context p uninstall x": {"context:p"},
    "aws --profile prod s3 rb s3://x": {"account:prod"},
    "AWS_PROFILE=prod aws s3 rb s3://x": {"account:prod"},
    "export AWS_PROFILE=prod; aws s3 rb s3://x": {"account:prod"},
    "gcloud --project acme-prod compute instances delete x": {"account:acme-prod"},
    "az group delete -n x --subscription Prod": {"account:Prod"},
    "TF_WORKSPACE=prod terraform destroy -auto-approve": {"workspace:prod"},
    "terraform apply -var-file=prod.tfvars": {"file:prod.tfvars"},
    "kubectl --context $CTX delete ns x": set(),
    "kubectl delete ns x": set(),
}


@pytest.mark.parametrize(("command", "named"), ROWS.items())
def test_the_place_of_a_change_is_named(command: str, named: set[str]) -> None:
    """Contexts, accounts, namespaces and workspaces, by option or variable; what is unknown or in
    the client's own settings is left out.
    """
    found = [
        set(effect.only) for effect in effects_of(command) if effect.kind is ChangesInfrastructure
    ]
    assert found
    assert all(one == named for one in found)
