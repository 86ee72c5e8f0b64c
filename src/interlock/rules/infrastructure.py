"""Clouds, clusters and containers."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.effect import ChangesInfrastructure, ControlsContainer
from interlock.model.rule import Rule, on

RULES = (
    Rule(
        id="infra.change",
        title="changes cloud or cluster resources",
        why="Live systems, bills and other people's work hang on them.",
        instead="Show the plan, and let the user apply it.",
        match=on(ChangesInfrastructure),
        action=ASK, tags=frozenset({"production"}),
        catches=("terraform apply", "kubectl delete pod x",
            "aws ec2 terminate-instances --instance-ids i-1", "heroku apps:destroy x",),
        passes=("terraform plan", "kubectl get pods", "aws s3 ls",),
    ),
    Rule(
        id="infra.unlisted",
        title="seems to change or delete something, with a program or tool unknown to interlock",
        why="What its words delete, deploy or publish may live on other machines, and nobody described the program.",
        instead="Use its dry run, plan or list first, and show the user what would change.",
        match=on(ChangesInfrastructure, has={"ladder"}, lacks={"mild"}),
        action=ASK, possible=ASK, tags=frozenset({"production", "unread"}),
        catches=("acmectl cluster delete blue", "frobnicate db:drop",
            "acme-vault exec -- terraform destroy",),
        passes=("acmectl cluster list", "frobnicate db:drop --dry-run",),
    ),
    Rule(
        id="infra.container-breakout",
        title="starts a container with power over this machine",
        why="A privileged container or a mounted host folder is root on the machine.",
        instead="Mount only the workspace, without --privileged.",
        match=on(ControlsContainer, any={"privileged", "host-mount", "socket", "host-namespace"}),
        action=ASK, tags=frozenset({"privilege", "attack.t1611", "security-sensitive"}),
        catches=("docker run -v /:/host alpine sh", "docker run --privileged x",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock x",),
        passes=("docker run --rm -v \"$PWD\":/app app", "docker ps",),
    ),
    Rule(
        id="infra.container-remove",
        title="stops or removes containers, images or volumes",
        why="Data in volumes and running services go with them.",
        instead="Name the one container this session started.",
        match=on(ControlsContainer, any={"remove", "prune", "stop"}),
        action=ASK, tags=frozenset({"data-loss"}),
        catches=("docker system prune -af", "docker rm -f db", "docker volume rm data",),
        passes=("docker ps -a", "docker logs db",),
    ),
    Rule(
        id="infra.cluster-shell",
        title="opens a shell inside a cluster",
        why="What happens in it cannot be judged from here, and it happens on a live system.",
        instead="Give the one command: kubectl exec POD -- COMMAND.",
        match=on(ControlsContainer, has={"interactive-cluster"}),
        action=ASK, tags=frozenset({"remote-control", "production", "security-sensitive"}),
        catches=("kubectl exec -it web -- sh", "kubectl exec web", "oc rsh web",),
        passes=("kubectl exec web -- ls /",),
    ),
    Rule(
        id="infra.container-run",
        title="starts or stops a container, or runs a command in a cluster",
        why="It runs code from an image that nobody here has read.",
        instead="Name the image to the user.",
        match=on(ControlsContainer,
            any={"run", "login", "cluster-exec", "interactive", "stop-named"}),
        action=WARN, tags=frozenset({"supply-chain"}),
        catches=("docker run --rm alpine echo hi", "docker compose up", "docker exec -it web bash",
            "docker compose down",),
        passes=("docker build .", "docker images",),
    ),
)  # fmt: skip
