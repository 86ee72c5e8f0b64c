"""Clouds, clusters and containers: what a command does, and its harmless twin."""

from __future__ import annotations

import pytest

from interlock.cli.judge import judge_text
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from tests.effects import rows_infrastructure
from tests.effects.reading import effects_of

ROWS: list[tuple[str, set[tuple[str, str]]]] = [
    ("terraform apply", {("changes-infrastructure", "modify")}),
    ("terraform plan", set()),
    ("terraform destroy -auto-approve", {("changes-infrastructure", "delete"), ("changes-infrastructure", "auto-approve")}),
    ("terraform apply -dry-run", {("changes-infrastructure", "modify")}),
    ("aws ec2 terminate-instances --instance-ids i-1", {("changes-infrastructure", "delete")}),
    ("aws ec2 describe-instances", set()),
    ("aws s3 ls s3://bucket", set()),
    ("aws secretsmanager get-secret-value --secret-id x", {("changes-infrastructure", "secret-access")}),
    ("gcloud run services list", set()),
    ("gcloud compute instances delete x --quiet", {("changes-infrastructure", "delete"), ("changes-infrastructure", "auto-approve")}),
    ("heroku apps:destroy x", {("changes-infrastructure", "delete")}),
    ("heroku logs --tail", set()),
    ("gcloud logging logs list", set()),
    ("gcloud logging logs delete my-log", {("changes-infrastructure", "delete")}),
    ("az storage account delete --name x", {("changes-infrastructure", "delete")}),
    ("az account show", set()),
    ("gh pr create --title 'rm -rf /' --body 'terraform destroy'", {("changes-infrastructure", "modify"), ("changes-infrastructure", "soft")}),
    ("gh repo delete x/y", {("changes-infrastructure", "delete")}),
    ("gh api repos/x/y", set()),
    ("gh api -X DELETE repos/x/y", {("changes-infrastructure", "delete")}),
    ("vault kv get secret/x", {("changes-infrastructure", "secret-access")}),
    ("vault status", set()),
    ("ansible all -m ping", set()),
    ("ansible all -m shell -a 'rm -rf /'", {("changes-infrastructure", "modify")}),
    ("ansible-playbook --check site.yml", set()),
    ("docker ps -a", set()),
    ("docker build -t x .", set()),
    ("docker run --rm alpine ls", {("controls-container", "run")}),
    ("docker run -v /:/host alpine", {("controls-container", "run"), ("controls-container", "host-mount")}),
    ('docker run -v "$PWD":/app alpine', {("controls-container", "run")}),
    ("docker run -v ~/.ssh:/k alpine", {("controls-container", "run"), ("controls-container", "host-mount")}),
    ("docker run --mount type=bind,src=/etc,dst=/e alpine", {("controls-container", "run"), ("controls-container", "host-mount")}),
    ("docker run -v cache:/cache alpine", {("controls-container", "run")}),
    ("docker run --pid=host alpine", {("controls-container", "run"), ("controls-container", "host-namespace")}),
    ("docker run --privileged alpine", {("controls-container", "run"), ("controls-container", "privileged")}),
    ("docker run -v /var/run/docker.sock:/s alpine", {("controls-container", "run"), ("controls-container", "socket")}),
    ("docker rm -f db", {("controls-container", "remove")}),
    ("docker container rm db", {("controls-container", "remove")}),
    ("docker volume prune -f", {("controls-container", "prune")}),
    ("docker volume ls", set()),
    ("docker compose up -d", {("controls-container", "run")}),
    ("docker compose logs web", set()),
    ("docker-compose down", {("controls-container", "stop-named")}),
    ("docker push me/app", {("publishes", "package")}),
    ("kubectl get pods -o wide", set()),
    ("kubectl -n prod delete pod x", {("changes-infrastructure", "delete")}),
    ("kubectl apply -f x.yml", {("changes-infrastructure", "modify")}),
    ("kubectl apply --dry-run=client -f x.yml", set()),
    ("kubectl get secret db -o yaml", {("changes-infrastructure", "secret-access")}),
    ("kubectl get secrets", set()),
    ("helm list", set()),
    ("helm uninstall x", {("changes-infrastructure", "delete")}),
    ("vercel", {("publishes", "deploy")}),
    ("vercel --prod", {("publishes", "deploy")}),
    ("vercel --version", set()),
    ("vercel ls", set()),
    ("vagrant status", set()),
    ("vagrant destroy -f", {("controls-container", "remove")}),
]  # fmt: skip
KINDS = {"changes-infrastructure", "controls-container", "publishes"}


@pytest.mark.parametrize(("command", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_a_command_does(command: str, expected: set[tuple[str, str]]) -> None:
    """The verb decides, and options that give power are traits."""
    found = {
        (str(effect.kind), trait)
        for effect in effects_of(command)
        if effect.kind in KINDS
        for trait in effect.traits
    }
    assert found == expected


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("docker exec db rm -rf /var/lib/x", "container db"),
        ("kubectl exec pod -- rm -rf /data", "cluster"),
        ("docker run --privileged img sh -c 'rm -rf /x'", "container img"),
    ],
)
def test_a_command_inside_is_read_there(command: str, where: str) -> None:
    """System paths inside a container are the container's; after it, commands are here again."""
    places = [effect.place for effect in effects_of(command + "; rm x") if effect.kind == "deletes"]
    assert [place.where for place in places if place is not None] == [where, "here"]


@pytest.mark.parametrize("command", rows_infrastructure.ASKED)
def test_changes_elsewhere_are_asked_about(command: str) -> None:
    """What changes live systems, shows secrets, publishes, or gives power over this machine is the
    person's to decide.
    """
    assert judge_text(command).verdict == VERDICT_ASK


@pytest.mark.parametrize("command", rows_infrastructure.PERMITTED)
def test_looking_and_local_work_are_permitted(command: str) -> None:
    """Reading, rehearsing and the containers of one's own work are not interrupted."""
    assert judge_text(command).verdict == VERDICT_ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "docker exec db rm -rf /",
        "kubectl exec web -- rm -rf /",
        "kubectl exec web -- sh -c 'rm -rf /*'",
        "docker run -v /etc:/e alpine rm -rf /e",
        "docker run -v /etc:/e alpine rm -rf /",
        "docker run -v ~/:/h alpine rm -rf /h",
        "docker run --privileged alpine rm -rf /",
    ],
)
def test_a_whole_system_elsewhere_is_a_whole_system(command: str) -> None:
    """Its root is nobody's task to delete, in a container or not; what is mounted is this
    machine's.
    """
    assert judge_text(command).verdict == VERDICT_DENY
