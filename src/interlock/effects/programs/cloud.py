"""Command lines of clouds and platforms: hundreds of commands, read by the verb that stands in them.

A command is looked up word by word, first in the program's own exceptions, then by the verbs that all of them
share (``describe-instances`` begins with ``describe``, ``apps:destroy`` ends with ``destroy``). Reading says
nothing; everything else changes infrastructure. A command without a known verb possibly changes something.
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.programs.sending import download, file_carries, word_carries
from interlock.effects.rows import Row
from interlock.effects.sql import read_text, statements
from interlock.model.effect import LOCAL, ChangesInfrastructure, Connects, Deletes, Executes, Installs, Publishes, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run

_VERBS: dict[str, str] = {
    "read": (
        "list ls get describe show view status log logs tail plan validate help version whoami diff info inspect search find check lint fmt format graph output explain "
        "doctor ping wait watch top history events print cat docs open completion preview browse current lookup query scan count estimate head select test verify "
        "ps account accounts regions providers console outputs synth synthesize package login-status releases domains dump config-get batch-get filter simulate preview-diff "
        "shell-completion autocomplete locate usage limits metrics monitor trace stats summarize read what-if complete build serve dev emulators local invoke-local "
        "detect analyze analyse members manifests contexts topic start-query transact-get about env-list discover render"
    ),
    "delete": (
        "delete destroy remove rm rb terminate purge deregister detach drop erase cancel revoke disable stop kill suspend abort reset uninstall prune unset remove-all del "
        "teardown down clean clear evict drain disassociate unlink unpublish deprovision shutdown deallocate detach-volume release-address schedule-key-deletion batch-delete "
        "force-unlock taint disown leave archive permanent-delete deactivate unassign unsubscribe withdraw stop-logging remove-iam-policy-binding gc evacuate unregister"
    ),
    "create": "create add new install mk run launch start allocate register put mb provision clone fork make insert generate issue request init-remote import copy bootstrap spawn instantiate",
    "modify": (
        "update set modify edit apply patch scale resize restart reboot rollback promote attach enable associate authorize grant assign tag untag move mv rename restore rotate "
        "replace sync cp deploy up push publish release invoke execute exec send upload write link transfer upgrade migrate configure-alerts refresh untaint switch-over failover "
        "accept reject approve merge close reopen lock unlock pin unpin transition join redeploy rebuild undo resume unarchive trigger rerun retry dispatch ssh tunnel proxy scp "
        "bind unbind mount submit change batch-write-item transact-write-items call load insert-into extract reconcile maintenance:on maintenance:off console pg:psql "
        "shell signal simulate-failover on off tier set-iam-policy seal unseal rekey step-down eligibility"
    ),
    "secret": (
        "get-secret-value batch-get-secret-value decrypt access print-access-token get-session-token get-federation-token assume-role assume-role-with-saml get-token "
        "print-identity-token auth-token export-credentials get-authorization-token get-password-data list-keys get-access-token"
    ),
}  # fmt: skip

_SHARED: dict[str, str] = {verb: action for action, words in _VERBS.items() for verb in words.split()}

_NOTHING = "read"
"""What an own exception says of a command that changes nothing worth a question."""
_SOFT = "soft"
"""What it says of one that only points later commands elsewhere, or writes settings of the client: worth a warning."""


def exceptions(**actions: str) -> dict[str, str]:
    """Return a table of exceptions from ``action="words of+two"``; an underscore joins an action and its traits."""
    return {words.replace("+", " "): action for action, names in actions.items() for words in names.split()}


_OWN: dict[str, dict[str, str]] = {
    "aws": exceptions(
        read="configure+list configure+get sso+login s3+ls ec2+wait ecr+get-login-password sts+get-caller-identity ssm+get-parameter ssm+get-parameters ssm+get-parameters-by-path "
        "logs+start-query cloudformation+validate-template eks+list-clusters",
        secret="secretsmanager+get-secret-value secretsmanager+batch-get-secret-value configure+export-credentials",
        modify="lambda+invoke ssm+start-session ssm+send-command ecs+execute-command",
        delete="cloudtrail+stop-logging config+stop-configuration-recorder kms+disable-key",
        soft="configure eks+update-kubeconfig codeartifact+login s3+presign sso+logout",
    ),
    "gcloud": exceptions(
        read="init auth+login auth+list auth+application-default+login config+list config+get config+get-value config+configurations+list config+configurations+describe components+list "
        "info topic",
        secret="auth+print-access-token auth+print-identity-token auth+application-default+print-access-token secrets+versions+access",
        modify="components compute+ssh compute+scp app+deploy sql+connect config+configurations+create",
        delete="config+configurations+delete",
        soft="config container+clusters+get-credentials auth+configure-docker auth+activate-service-account auth+application-default",
    ),
    "gsutil": exceptions(read="ls cat du stat hash", modify="cp rsync setmeta acl iam", delete="rm rb"),
    "az": exceptions(
        read="login account+show configure storage+account+list",
        secret="account+get-access-token keyvault+secret+show keyvault+secret+download storage+account+keys+list storage+account+show-connection-string",
        delete="group+delete",
        soft="account+set aks+get-credentials acr+login logout config+set",
    ),
    "terraform": exceptions(
        read="init plan refresh validate fmt show output graph providers version state+list state+show get console hclfmt workspace+list workspace+select workspace+show test metadata",
        delete="destroy state+rm workspace+delete force-unlock",
        modify="apply import taint untaint state+mv state+push state+replace-provider",
        create="workspace+new",
        secret="state+pull",
        soft="login logout",
    ),
    "pulumi": exceptions(
        read="preview stack+ls stack+output stack+export logs whoami about new config+get config stack+select stack+init stack+history",
        delete="destroy stack+rm cancel state+delete",
        modify="up update refresh import stack+import",
        soft="config+set login logout",
    ),
    "cdk": exceptions(read="synth diff ls list doctor init context acknowledge", modify="deploy bootstrap watch import", delete="destroy"),
    "heroku": exceptions(
        read="login logs ps apps open info local releases addons pipelines domains pg:info pg:ps config:get:help",
        modify="run config:set ps:scale ps:restart ps:exec ps:stop pg:psql maintenance:on maintenance:off pg:promote pg:copy pg:kill pg:killall",
        delete="apps:destroy pg:reset addons:destroy repo:reset config:unset",
        secret="config config:get auth:token pg:credentials:url",
    ),
    "vercel": exceptions(soft="env+pull", read="ls list logs inspect whoami login dev build link pull env+ls domains+ls switch help", modify="deploy alias env+add promote rollback redeploy certs", delete="rm remove env+rm domains+rm teams", publish=""),
    "netlify": exceptions(read="status build dev login open watch sites:list env:list link init", modify="deploy env:set functions:invoke", delete="sites:delete env:unset"),
    "firebase": exceptions(read="login emulators:start serve projects:list use init hosting:channel:list", modify="deploy hosting:channel:deploy functions:config:set", delete="hosting:disable firestore:delete functions:delete database:remove"),
    "wrangler": exceptions(read="dev login whoami tail types init kv:key:list", modify="deploy publish kv:key:put secret+put rollback", delete="delete kv:key:delete kv:namespace:delete r2+bucket+delete d1+delete"),
    "gh": exceptions(
        soft="pr+create pr+comment pr+review pr+ready pr+edit issue+create issue+comment issue+edit run+rerun",
        read="auth+status auth+login pr+list pr+view pr+diff pr+checks pr+status pr+checkout issue+list issue+view issue+status repo+list "
        "repo+view repo+clone run+list run+view run+watch run+download release+list release+view release+download workflow+list workflow+view gist+list gist+view search browse api label+list "
        "status completion alias config extension+list cache+list secret+list variable+list project+list project+view ruleset codespace+list",
        create="repo+create repo+fork release+create gist+create label+create secret+set variable+set ssh-key+add gpg-key+add codespace+create workflow+enable",
        modify="pr+merge pr+close pr+reopen issue+close issue+reopen issue+transfer repo+edit repo+rename repo+sync repo+archive repo+unarchive run+cancel workflow+run "
        "workflow+disable release+edit release+upload gist+edit extension+install extension+upgrade repo+set-default issue+lock issue+pin pr+lock auth+refresh auth+logout auth+setup-git",
        delete="repo+delete release+delete release+delete-asset issue+delete gist+delete secret+delete secret+remove variable+delete label+delete cache+delete ssh-key+delete gpg-key+delete codespace+delete run+delete",
        secret="auth+token",
    ),
    "vault": exceptions(read="status login version kv+list list policy+list", secret="read kv+get unwrap token+lookup", modify="write kv+put operator auth+enable secrets+enable policy+write", delete="delete kv+delete secrets+disable"),
    "ansible-galaxy": exceptions(
        read="list info search init role+list role+init role+info role+search collection+list collection+init collection+build collection+verify collection+download",
        create="install",
        delete="remove",
    ),
    "packer": exceptions(read="init fmt validate inspect console", modify="build"),
    "serverless": exceptions(
        read="info logs package invoke+local offline deploy+list print metrics", modify="deploy invoke", delete="remove"
    ),
    "sam": exceptions(read="build validate local logs init", modify="deploy sync", delete="delete"),
    "flyctl": exceptions(read="status logs apps+list auth+login doctor info open ips+list launch-plan machine+list releases version checks", modify="deploy launch scale secrets+set ssh machine+start proxy", delete="apps+destroy destroy machine+destroy volumes+destroy secrets+unset"),
    "supabase": exceptions(
        read="status start stop login init link gen migration+list migration+new functions+serve functions+new db+diff db+lint db+dump projects+list",
        modify="db+push functions+deploy db+pull migration+up migration+repair secrets+set",
        delete="db+reset projects+delete",
    ),
    "fastlane": exceptions(read="lanes test tests scan lint list init help env screenshots snapshot build gym build_app docs", modify="beta release deploy deliver pilot supply upload_to_testflight upload_to_app_store upload_to_play_store match produce register_devices", soft="ios android mac"),
    "eas": exceptions(read="build:list build:view whoami login init config diagnostics", modify="submit update build branch:create channel:edit deploy", delete="build:cancel branch:delete channel:delete"),
    "cap": exceptions(read="-T install", modify="deploy"),
    "huggingface-cli": exceptions(read="whoami login download scan-cache env cache+ls", modify="upload upload-large-folder repo+create", delete="delete-cache repo+delete repo-files"),
    "hf": exceptions(read="auth+whoami auth+login download cache env", modify="upload upload-large-folder repo+create jobs+run", delete="repo+delete repo-files"),
    "kaggle": exceptions(read="config competitions+list competitions+files competitions+download datasets+list datasets+download datasets+files kernels+list kernels+output kernels+status", modify="competitions+submit datasets+create datasets+version kernels+push models+create"),
    "stripe": exceptions(read="listen login logs get status", create="trigger post", delete="delete"),
    "consul": exceptions(read="members catalog kv+get kv+export info monitor validate keygen operator+raft+list-peers", modify="kv+put kv+import reload agent", delete="kv+delete leave force-leave"),
    "nomad": exceptions(read="status job+status job+plan job+validate job+inspect plan node+status alloc+logs alloc+status fmt ui", modify="job+run run alloc+exec system+gc node+eligibility", delete="stop job+stop node+drain", secret="var+get"),
    "railway": exceptions(read="status logs login whoami init link list open docs completion", modify="up redeploy ssh connect", delete="down delete", soft="variables shell"),
    "argocd": exceptions(read="app+list app+get app+diff app+history app+logs app+manifests app+wait version cluster+list repo+list proj+list account+list", modify="app+sync app+set", delete="app+delete", soft="login logout context"),
    "flux": exceptions(read="get check logs events export tree diff build trace stats version", modify="reconcile bootstrap install suspend resume push", delete="delete uninstall"),
    "glab": exceptions(
        read="mr+list mr+view mr+diff mr+checkout mr+issues issue+list issue+view ci+list ci+view ci+status ci+trace ci+lint ci+get ci+artifact "
        "repo+list repo+view repo+clone repo+search repo+contributors release+list release+view release+download snippet+list auth+status auth+login config alias completion check-update "
        "label+list schedule+list variable+list user cluster incident+list iteration milestone+list",
        soft="mr+create mr+note mr+for mr+update issue+create issue+note issue+update",
        create="repo+create repo+fork release+create label+create variable+set ssh-key+add snippet+create ci+run schedule+create",
        modify="mr+merge mr+approve mr+revoke mr+close mr+reopen mr+rebase issue+close issue+reopen repo+transfer repo+archive repo+mirror ci+retry ci+cancel ci+trigger "
        "variable+update release+upload schedule+run",
        delete="repo+delete mr+delete issue+delete release+delete variable+delete ssh-key+delete ci+delete schedule+delete",
        secret="variable+get variable+export",
    ),
}  # fmt: skip
_ALIKE = {
    "tofu": "terraform",
    "terragrunt": "terraform",
    "fly": "flyctl",
    "sls": "serverless",
    "now": "vercel",
    "ntl": "netlify",
    "hub": "gh",
}

_GROUPS = {
    "gcloud": frozenset("run deploy scheduler builds logging monitoring functions tasks workflows".split()),
    "terragrunt": frozenset({"run-all", "run"}),
    "az": frozenset("monitor deployment functionapp webapp".split()),
    "ansible-galaxy": frozenset({"role", "collection"}),
}
"""First words that name a group, though they read like verbs."""
_STAGES = frozenset({"alpha", "beta"})
"""Words before a group that change nothing of its meaning."""

_NOUNS = frozenset(
    "logs log account accounts config events metrics monitor test build local history outputs package state versions domains releases docs status policy providers "
    "regions filter trace usage limits".split()
)
"""Verbs of reading that name things as often: another verb after them counts (``logs delete``)."""

_LED = frozenset("aws gcloud oci az doctl scw exo ibmcloud hcloud linode-cli openstack civo vultr-cli upctl".split())
"""Programs whose first word always names a group, whatever it reads like (``aws deploy list-deployments``)."""
_TRAITS = {"secret": ("secret-access",), "publish": ("deploy",), _SOFT: ("modify", "soft")}
_DRY = ("--dry-run", "--dryrun", "--dry_run", "--check", "-check", "--plan", "--what-if", "--generate-cli-skeleton", "--no-execute-changeset", "--noop", "--diff")
AUTO = ("-auto-approve", "--auto-approve", "--yes", "-y", "--force", "-f", "--quiet", "-q", "--skip-confirmation")


def rehearses(run: Run, *names: str) -> bool:
    """Whether an option says that nothing is to be changed: ``--dry-run``, ``--dry-run=client``, but not ``--dry-run=none``."""
    off = {name for name, value in run.parsed.options if value.text in ("none", "false", "False", "0")}
    return any(run.has(name) and name not in off for name in names)


def _only_tells(run: Run, words: list[str]) -> bool:
    """Whether help or a version is asked for; behind a command ``-v`` is not the version."""
    return run.has("--help", "-help", "-h") or words[:1] in (["help"], ["version"]) or words[-1:] == ["help"] or (not words and run.has("--version", "-v", "-version"))


def _cloud(run: Run) -> Flow:
    return by_verb(run, _OWN.get(_ALIKE.get(run.name, run.name), {}))


def by_verb(run: Run, own: dict[str, str]) -> Flow:
    """Find the verb of the command, in the program's own exceptions or among the shared verbs, and say what it does."""
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
    if action == _NOTHING or _transfer(run, words):
        return UNREAD
    auto = ["auto-approve"] if run.has(*AUTO) else []
    target = " ".join([run.name, *words[:4]])
    certain = action not in ("", _SOFT) and not _on_this_machine(run)
    run.effect(ChangesInfrastructure, target, *_TRAITS.get(action, (action or "modify",)), *auto, detail=verb, certain=certain)
    return Flow(None, frozenset({"secret"})) if action == "secret" else UNREAD


def _on_this_machine(run: Run) -> bool:
    """Whether the service is one of this machine, as for tests (``--endpoint-url http://localhost:4566``)."""
    value = run.parsed.value("--endpoint-url", "-address")
    return value is not None and hosts.classify(hosts.host_of(value.text)) == LOCAL


def _with_options(run: Run, words: list[str], action: str, verb: str) -> tuple[str, str]:
    """Return the action with what options and the last words make of it: a parameter decrypted, keys listed."""
    if run.has("--with-decryption", "--show-token", "--show-secrets") or (run.name == "az" and words[-2:] == ["keys", "list"]) or (words[:2] == ["configure", "get"] and words[2:3] and _is_secret(words[2])):
        return "secret", verb
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


def action_of(program: str, words: list[str], own: dict[str, str]) -> tuple[str, str]:
    """Return what a command does (``read``, ``soft``, ``create``, ``modify``, ``delete``, ``secret`` or ``""``) and the word that says so."""
    while program == "gcloud" and words and words[0] in _STAGES:
        words = words[1:]
    for count in (4, 3, 2, 1):
        found = own.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            return found, " ".join(words[:count])
    if len(words) > 1 and (program in _LED or words[0] in _GROUPS.get(program, ())):
        words = words[1:]
    named = ""
    for word in words[:5]:
        action = _shared(word)
        if action and not (action == _NOTHING and word in _NOUNS):
            return action, word
        named = named or (word if action else "")
    return (_NOTHING, named) if named else ("", "")


def _shared(word: str) -> str:
    """Return the action of a word by the shared verbs: the word itself, its part after a colon, or before a hyphen."""
    last = word.rpartition(":")[2].lower()
    found = _SHARED.get(word) or _SHARED.get(last, "")
    if found:
        return found
    head, _, tail = last.partition("-")
    if not tail:
        return ""
    first, second = _SHARED.get(head, ""), _SHARED.get(tail.rpartition("-")[2], "")
    found = first or (second if second != _NOTHING else "")
    return found if found != "secret" else ""


# -- files in buckets --------------------------------------------------------------------------------------------

_COPIES = frozenset("cp mv sync rsync".split())


def _transfer(run: Run, words: list[str]) -> bool:
    """Read a copy between this machine and a bucket (``aws s3 cp a s3://b``); whether it only fetches, and nothing in the bucket changes."""
    at = next((index for index, word in enumerate(words[:3]) if word in _COPIES), -1)
    ends = run.operands[at + 1 :]
    if at < 0 or len(ends) < len(("from", "to")):
        _read_sent(run, [value for value in run.operands if value.text[:1] in ("/", "~", ".")], words)
        return False
    *sources, target = ends
    _read_sent(run, sources, ["upload"])
    if "://" in target.text or target.text == "-" or any("://" not in value.text for value in sources):
        return target.text == "-"
    for value in sources:
        run.context.host(Connects, value.text.partition("://")[2].partition("/")[0], run.span(value), frozenset({"get", "bucket"}), run.name)
    download(run, target)
    if run.has("--delete", "-d", "--delete-unmatched-destination-objects"):
        run.path(Deletes, Value(target.text.rstrip("/") + "/*", target.start, target.end, target.why, pattern=True), "recursive")
    return words[at] != "mv"


def _read_sent(run: Run, values: list[Value], words: list[str]) -> None:
    """Add the local files that are sent."""
    if any(word in ("upload", "put-object", "load", "import") for word in words[:3]):
        for value in values:
            if "://" not in value.text and value.text != "-":
                run.path(Reads, value, "sent")


# -- platforms with a shell or SQL of their own -------------------------------------------------------------------


def _capistrano(run: Run) -> Flow:
    """``cap STAGE TASK``: the second word is the task (Capistrano 3)."""
    tasks = [value.text for value in run.operands[1:]]
    if any(action_of("cap", [task], _OWN["cap"])[0] not in (_NOTHING, "") for task in tasks) and not run.has("-n", "--dry-run", "-T", "--help"):
        run.effect(ChangesInfrastructure, " ".join(["cap", *[value.text for value in run.operands[:2]]]), "modify")
    return UNREAD


def _railway(run: Run) -> Flow:
    """``railway run CMD`` runs a command here, with the variables of the service."""
    if run.operands and run.operands[0].text in ("run", "local"):
        return run.command(run.operands[1:])
    return _cloud(run)


def _wrangler(run: Run) -> Flow:
    """``wrangler d1 execute DB --command SQL``: on this machine unless ``--remote`` is given."""
    if [value.text for value in run.operands[:2]] != ["d1", "execute"]:
        return _cloud(run)
    for value in run.parsed.values("--command"):
        read_text(run.context, value.text, run.name, run.span(value))
    for value in run.parsed.values("--file"):
        run.path(Reads, value)
    looks = all(statement.split()[:1] and statement.split()[0].upper() in ("SELECT", "EXPLAIN", "PRAGMA") for value in run.parsed.values("--command")
                for statement in statements(value.text))
    return _cloud(run) if run.has("--remote") and not (looks and run.parsed.values("--command")) else UNREAD


# -- ansible, whose verb is an option ----------------------------------------------------------------------------


def _ansible(run: Run) -> Flow:
    """``ansible HOSTS -m MODULE``: every module but a few changes the hosts."""
    module = run.parsed.value("-m", "--module-name")
    if run.has("--version", "--list-hosts", "--check", "-C") or (
        module is not None and module.text in ("ping", "setup", "debug", "gather_facts", "stat")
    ):
        return UNREAD
    target = run.operands[0].text if run.operands else "hosts"
    run.effect(ChangesInfrastructure, target, "modify", detail="runs a module on every host")
    return UNREAD


def _playbook(run: Run) -> Flow:
    if run.has("--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts", "--list-tags", "--version"):
        return UNREAD
    for value in run.operands:
        run.path(Reads, value)
    run.effect(ChangesInfrastructure, run.operands[0].text if run.operands else "hosts", "apply", detail="runs a playbook")
    return UNREAD


def _galaxy(run: Run) -> Flow:
    """``ansible-galaxy install -r requirements.yml`` installs what a manifest names."""
    words = [value.text for value in run.operands]
    if "install" in words[:2] and not run.has("--help", "-h"):
        run.effect(Installs, " ".join(words[words.index("install") + 1 :]), "manifest" if run.has("-r", "--role-file", "--requirements-file") else "user")
        return UNREAD
    return _cloud(run)


def _pull(run: Run) -> Flow:
    """``ansible-pull -U URL`` fetches playbooks and runs them on this machine."""
    url = run.parsed.value("-U", "--url")
    if url is not None and not run.has("--check", "-C", "--help", "-h"):
        run.context.url(url.text, run.span(url), frozenset({"get"}), run.name)
        run.effect(Executes, url.text, "from-network", value=url)
    return UNREAD


def _vault_file(run: Run) -> Flow:
    """``ansible-vault decrypt FILE``."""
    words = run.operands
    if words and words[0].text in ("decrypt", "view", "edit") and not run.has("--help", "-h"):
        run.effect(ChangesInfrastructure, "ansible-vault", "secret-access")
    return Flow(None, frozenset({"secret"}))


def _api(run: Run) -> Flow:
    """``gh api PATH``: reading unless a method or a field says otherwise."""
    method = run.parsed.value("-X", "--method")
    fields = run.has("-f", "-F", "--field", "--raw-field", "--input")
    name = method.text.upper() if method is not None else ("POST" if fields else "GET")
    if name != "GET" and not (run.operands[1:2] and run.operands[1].text == "graphql" and name == "POST" and "mutation" not in _words(run)):
        run.effect(
            ChangesInfrastructure, " ".join([value.text for value in run.operands[:2]]), "delete" if name == "DELETE" else "modify", detail=name
        )
    return UNREAD


def _words(run: Run) -> str:
    return " ".join([value.text for value in run.arguments])


def _says(run: Run) -> None:
    """Add what a comment or description carries from elsewhere (``-F FILE``, ``--body "$(cat FILE)"``): secrets and files from outside."""
    carries: set[str] = set()
    for value in run.parsed.values("-F", "--body-file", "--notes-file"):
        carries |= file_carries(run, value)
    for value in run.parsed.values("-b", "--body", "-t", "--title", "-m", "--message", "-d", "--description", "-n", "--notes"):
        carries |= word_carries(run, value) if value.hollow else set()
    found = carries & {"carries-secret", "carries-outside", "carries-environment"}
    if found:
        run.sends("github.com" if run.name != "glab" else "gitlab.com", "post", *found)


def _gh(run: Run) -> Flow:
    if run.operands and run.operands[0].text == "api":
        return _api(run)
    words: list[Value] = run.operands
    if words and words[0].text in ("pr", "issue", "mr", "release"):
        _says(run)
    if len(words) > 1 and words[0].text == "gist" and words[1].text == "create":
        for value in words[2:]:
            run.path(Reads, value, "sent")
        run.sends("gist.github.com", "upload", "carries-workspace")
    return _cloud(run)


_GH_OPTIONS = (
    "-R:data --repo:data -t:data --title:data -b:data --body:data -F:data --body-file:data -B:data --base:data -H:data --head:data -X:data --method:data -f:data --field:data "
    "--raw-field:data --input:data -q:data --jq:data --json:data -L:data --limit:data -l:data --label:data -a:data --assignee:data -m:data --milestone:data -n:data --notes:data "
    "-d:data --description:data --notes:data --notes-file:data --reviewer:data --target:data -S:data --search:data --template:data -s:data --state:data -w:data --workflow:data --branch:data"
)
_OPTIONS = "--profile:data --region:data --project:data --zone:data -g:data --resource-group:data --subscription:data --app:data -a:data --output:data --format:data --query:data --chdir:data --endpoint-url:data --account:data --configuration:data --impersonate-service-account:data --context:data --namespace:data -chdir:data"
_CLOUD = Row(options=_OPTIONS, clustered=False, read=_cloud)
_NAMES = (
    "aws gcloud gsutil az doctl oci ibmcloud heroku flyctl fly vercel now netlify ntl render supabase firebase terraform tofu terragrunt pulumi cdk sam serverless sls "
    "packer vault consul nomad stripe sentry-cli eb linode-cli hcloud scw exo civo vultr-cli upctl openstack cf bx ecs-cli eksctl copilot-cli amplify ask planetscale pscale neonctl turso "
    "fastly akamai cloudflare dnscontrol octodns boundary waypoint crossplane argocd flux rancher databricks fastlane eas huggingface-cli hf kaggle twilio slack circleci travis buildkite-agent"
)


def _rows(read: Callable[[Run], Flow], options: str) -> Row:
    return Row(options=options, clustered=False, read=read)


ROWS: dict[str, Row] = {
    **dict.fromkeys(_NAMES.split(), _CLOUD),
    **dict.fromkeys(("gh", "glab", "hub"), _rows(_gh, _GH_OPTIONS)),
    "cap": _rows(_capistrano, "-f:reads"),
    "railway": Row(operands="subcommand", options="-s:data --service:data -e:data --environment:data -p:data --project:data", clustered=False, read=_railway),
    "wrangler": _rows(_wrangler, f"{_OPTIONS} --command:data --file:data -c:data --config:data -e:data --env:data --name:data"),
    "ansible-galaxy": _rows(_galaxy, "-r:data --role-file:data --requirements-file:data -p:data --roles-path:data -s:data --server:data"),
    "ansible": Row(
        options="-m:data --module-name:data -a:data --args:data -i:data --inventory:data -u:data -f:data -l:data --limit:data", read=_ansible
    ),
    "ansible-playbook": Row(
        options="-i:data --inventory:data -e:data --extra-vars:data -l:data --limit:data -t:data --tags:data -u:data -f:data", read=_playbook
    ),
    "ansible-pull": Row(options="-U:data --url:data -C:data --checkout:data -d:data -i:data -e:data", clustered=False, read=_pull),
    "ansible-console": Row(effects="changes-infrastructure:modify"),
    **dict.fromkeys("ansible-doc ansible-inventory ansible-lint ansible-config".split(), Row()),
    "ansible-vault": _rows(_vault_file, "--vault-password-file:reads"),
}
