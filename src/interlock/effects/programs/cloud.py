"""Command lines of clouds and platforms: hundreds of commands, read by the verb that stands in
them.

Reading says nothing; everything else changes infrastructure. A command without a known verb
possibly changes something.
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host, to_url
from interlock.effects.programs.cloudverbs import ALIKE, EMULATED, OWN, READING, SOFT, action_of
from interlock.effects.programs.sending import (
    base,
    download,
    flow_carries,
    read_labels,
    send,
)
from interlock.effects.run import Run
from interlock.effects.sql import read_text
from interlock.effects.sql_text import statements
from interlock.effects.verbs import find_change
from interlock.model.effect import (
    LOCAL,
    ChangesInfrastructure,
    Connects,
    Deletes,
    Executes,
    Installs,
    Publishes,
    Reads,
)
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

_TRAITS = {"reveals": ("secret-access",), "publish": ("deploy",), SOFT: ("modify", "soft")}
_DRY = tuple(
    (
        "--dry-run --dryrun --dry_run --what-if --generate-cli-skeleton"
        " --no-execute-changeset --no-execute --build-only"
    ).split()
)
AUTO = tuple(
    "-auto-approve --auto-approve --yes -y --force -f --quiet -q --skip-confirmation".split()
)


def rehearses(run: Run, *names: str) -> bool:
    """Whether an option says that nothing is to be changed: ``--dry-run``, ``--dry-run=client``,
    but not ``--dry-run=none``.
    """
    off = {
        name for name, value in run.parsed.options if value.text in ("none", "false", "False", "0")
    }
    return any(run.has(name) and name not in off for name in names)


def _only_tells(run: Run, words: list[str]) -> bool:
    """Whether help, a version or a run on this machine is asked for; ``-v`` is no version."""
    asked = words[:1] in (["help"], ["version"], ["local"]) or (
        run.name == "aws"
        and words[-1:] == ["help"]
        and len(words) <= len(("service", "command", "help"))
    )
    return (
        asked
        or run.has("--help", "-help", "-h")
        or (not words and run.has("--version", "-v", "-version"))
    )


def cloud(run: Run) -> Flow:
    """Read a command line of a cloud by what its verbs do."""
    return by_verb(run, OWN.get(ALIKE.get(run.name, run.name), {}))


def by_verb(run: Run, own: dict[str, str]) -> Flow:
    """Find the verb of the command, its own or a shared one, and say what it does."""
    words = [value.text for value in run.operands]
    if _only_tells(run, words):
        return NOTHING
    if not words:
        return _bare(run)
    if any(HOLE in word for word in words[:2]):
        run.effect(ChangesInfrastructure, run.name, "modify", "unknown-command")
        return UNREAD
    if rehearses(run, *_DRY):
        return UNREAD
    action, verb = _with_options(run, words, *action_of(run.name, words, own))
    if not action:
        found = find_change(run.name, run.arguments)
        action, verb = (
            (found.action, found.verb) if found is not None and not found.mild else ("", "")
        )
    if action == READING or _transfer(run, words):
        return UNREAD
    auto = ["auto-approve"] if run.has(*AUTO) else []
    target = " ".join([run.name, *words[:4]])
    certain = action not in ("", SOFT) and not _on_this_machine(run)
    run.effect(
        ChangesInfrastructure,
        target,
        *_TRAITS.get(action, (action or "modify",)),
        *auto,
        detail=verb,
        certain=certain,
    )
    return Flow(None, frozenset({"secret"})) if action == "reveals" else UNREAD


def _on_this_machine(run: Run) -> bool:
    """Whether the service is one of this machine, as for tests (``--endpoint-url
    http://localhost:4566``, ``awslocal``).
    """
    value = run.parsed.value("--endpoint-url", "-address")
    return (
        run.name in EMULATED
        or local_cluster(run)
        or (value is not None and hosts.classify(hosts.host_of(value.text)) == LOCAL)
    )


_LOCAL_CLUSTERS = frozenset(
    ("minikube docker-desktop docker-for-desktop rancher-desktop orbstack colima microk8s").split()
)


def local_cluster(run: Run) -> bool:
    """Whether a command names a cluster of this machine, by the name that kind, k3d, minikube and
    their like give its context.
    """
    value = run.parsed.value("--context", "--kube-context")
    named = (
        value is not None
        and (value.text in _LOCAL_CLUSTERS or value.text.startswith(("kind-", "k3d-")))
        and HOLE not in value.text
    )
    return named and not run.has("--server", "-s", "--kube-apiserver", "--cluster", "--kubeconfig")


def _with_options(run: Run, words: list[str], action: str, verb: str) -> tuple[str, str]:
    """Return the action with what options and the last words make of it: a parameter decrypted,
    keys listed.
    """
    if (
        run.has("--with-decryption", "--show-token", "--show-secrets")
        or (run.name == "az" and "keys list" in " ".join(words))
        or (words[:2] == ["configure", "get"] and words[2:3] and _is_secret(words[2]))
    ):
        return "reveals", verb
    if words[:1] == ["init"] and run.has("-from-module"):
        return "create", "-from-module"
    if words[:2] == ["auth", "login"] and run.has("--with-token"):
        return "modify", "--with-token"
    return action, verb


def _is_secret(name: str) -> bool:
    return any(part in name.lower() for part in ("secret", "token", "password"))


def _bare(run: Run) -> Flow:
    """``vercel`` and ``now`` without a word deploy, ``--prod`` or not."""
    if run.name in ("vercel", "now"):
        run.effect(Publishes, run.name, "deploy")
    return UNREAD


# -- files in buckets ------------------------------------------------------------------------------

_COPIES = frozenset("cp mv sync rsync".split())


def _transfer(run: Run, words: list[str]) -> bool:
    """Read a copy between this machine and a bucket (``aws s3 cp a s3://b``); whether it only
    fetches, and nothing in the bucket changes.
    """
    at = next((index for index, word in enumerate(words[:3]) if word in _COPIES), -1)
    ends = run.operands[at + 1 :]
    if at < 0 or len(ends) < len(("from", "to")):
        _read_sent(
            run, [value for value in run.operands if value.text[:1] in ("/", "~", ".")], words
        )
        return False
    *sources, target = ends
    for value in sources:
        if (
            "://" in target.text
            and "://" not in value.text
            and value.text != "-"
            and "carries-secret" in flow_carries(read_labels(run, value, "sent"))
        ):
            send(
                run,
                target.text.partition("://")[2].partition("/")[0],
                {"upload", "carries-secret"},
                value,
            )
    _read_sent(run, sources, ["upload"])
    if (
        "://" in target.text
        or target.text == "-"
        or any("://" not in value.text for value in sources)
    ):
        return target.text == "-"
    for value in sources:
        to_host(
            run.context,
            Connects,
            value.text.partition("://")[2].partition("/")[0],
            run.span(value),
            frozenset({"get", "bucket"}),
            run.name,
        )
    deep = words[at] in ("sync", "rsync") or run.has("--recursive", "-r", "-R")
    for value in sources:
        download(
            run, target, *(["recursive"] if deep else []), name="" if deep else base(value.text)
        )
    if run.has("--delete", "-d", "--delete-unmatched-destination-objects"):
        run.path(
            Deletes,
            Value(
                target.text.rstrip("/") + "/*", target.start, target.end, target.why, pattern=True
            ),
            "recursive",
        )
    return words[at] != "mv"


def _read_sent(run: Run, values: list[Value], words: list[str]) -> None:
    """Add the local files that are sent."""
    if any(word in ("upload", "put-object", "load", "import") for word in words[:3]):
        for value in values:
            if "://" not in value.text and value.text != "-":
                run.path(Reads, value, "sent")


# -- platforms with a shell or SQL of their own ----------------------------------------------------


def _capistrano(run: Run) -> Flow:
    """``cap STAGE TASK``: the second word is the task (Capistrano 3)."""
    tasks = [value.text for value in run.operands[1:]]
    if any(
        action_of("cap", [task], OWN["cap"])[0] not in (READING, "") for task in tasks
    ) and not run.has("-n", "--dry-run", "-T", "--help"):
        run.effect(
            ChangesInfrastructure,
            " ".join(["cap", *[value.text for value in run.operands[:2]]]),
            "modify",
        )
    return UNREAD


def _pages(run: Run) -> Flow:
    """``gh-pages -d DIR``, ``surge DIR DOMAIN``: a folder is a site; ``surge teardown`` ends it."""
    words = [value.text for value in run.operands]
    if _only_tells(run, words) or words[:1] in (
        ["list"],
        ["whoami"],
        ["login"],
        ["logout"],
        ["token"],
    ):
        return NOTHING
    if words[:1] == ["teardown"]:
        run.effect(ChangesInfrastructure, " ".join([run.name, *words]), "delete")
    else:
        run.effect(Publishes, run.name, "site")
    return UNREAD


def _railway(run: Run) -> Flow:
    """``railway run CMD`` runs a command here, with the variables of the service."""
    if run.operands and run.operands[0].text in ("run", "local"):
        return run.command(run.operands[1:])
    return cloud(run)


_QUERIES = {
    "aws": (
        ("rds-data", "execute-statement", "--sql"),
        ("athena", "start-query-execution", "--query-string"),
    ),
    "gcloud": (("spanner", "databases", "execute-sql", "--sql"),),
    "heroku": (("pg:psql", "-c"), ("pg:psql", "--command")),
    "turso": (("db", "shell", ""),),
    "wrangler": (("d1", "execute", "--command"),),
}
"""Commands that hand statements to a database of the platform: their words, and the option with the
statements, ``""`` for the operands behind.
"""
_LOOKS = frozenset("SELECT EXPLAIN PRAGMA SHOW DESCRIBE".split())


def _queries(run: Run) -> Flow:
    """A platform some of whose commands take statements: these are read, a look changes nothing."""
    words = [value.text for value in run.operands]
    options = [
        option for *command, option in _QUERIES[run.name] if words[: len(command)] == command
    ]
    if not options:
        return cloud(run)
    given = [
        value
        for option in options
        for value in (run.parsed.values(option) if option else run.operands[3:])
    ]
    for value in given:
        read_text(run.context, value.text, run.name, run.span(value))
    for value in run.parsed.values("--file"):
        run.path(Reads, value)
    here = run.name == "wrangler" and not run.has("--remote")
    looks = given and _LOOKS.issuperset(
        [
            (statement.split() or [""])[0].upper()
            for value in given
            for statement in statements(value.text)
        ]
    )
    return UNREAD if here or looks else cloud(run)


# -- ansible, whose verb is an option --------------------------------------------------------------


def _ansible(run: Run) -> Flow:
    """``ansible HOSTS -m MODULE``: every module but a few changes the hosts."""
    if run.has("--help", "-h", "--version"):
        return NOTHING
    module = run.parsed.value("-m", "--module-name")
    if run.has("--version", "--list-hosts", "--check", "-C") or (
        module is not None and module.text in ("ping", "setup", "debug", "gather_facts", "stat")
    ):
        return UNREAD
    target = run.operands[0].text if run.operands else "hosts"
    run.effect(ChangesInfrastructure, target, "modify", detail="runs a module on every host")
    return UNREAD


def _playbook(run: Run) -> Flow:
    if run.has(
        "--check",
        "-C",
        "--syntax-check",
        "--list-tasks",
        "--list-hosts",
        "--list-tags",
        "--version",
    ):
        return UNREAD
    for value in run.operands:
        run.path(Reads, value)
    run.effect(
        ChangesInfrastructure,
        run.operands[0].text if run.operands else "hosts",
        "apply",
        detail="runs a playbook",
    )
    return UNREAD


def _galaxy(run: Run) -> Flow:
    """``ansible-galaxy install -r requirements.yml`` installs what a manifest names."""
    words = [value.text for value in run.operands]
    if "install" in words[:2] and not run.has("--help", "-h"):
        run.effect(
            Installs,
            " ".join(words[words.index("install") + 1 :]),
            "manifest" if run.has("-r", "--role-file", "--requirements-file") else "user",
        )
        return UNREAD
    return cloud(run)


def _pull(run: Run) -> Flow:
    """``ansible-pull -U URL`` fetches playbooks and runs them on this machine."""
    url = run.parsed.value("-U", "--url")
    if url is not None and not run.has("--check", "-C", "--help", "-h"):
        to_url(run.context, url.text, run.span(url), frozenset({"get"}), run.name)
        run.effect(Executes, url.text, "downloaded", value=url)
    return UNREAD


def _vault_file(run: Run) -> Flow:
    """``ansible-vault decrypt FILE``."""
    words = run.operands
    if words and words[0].text in ("decrypt", "view", "edit") and not run.has("--help", "-h"):
        run.effect(ChangesInfrastructure, "ansible-vault", "secret-access")
    return Flow(None, frozenset({"secret"}))
