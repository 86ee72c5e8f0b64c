"""Command lines of clouds and platforms: hundreds of commands, read by the verb that stands in them.

A command is looked up word by word, first in the program's own exceptions, then by the verbs that all of them
share (``describe-instances`` begins with ``describe``, ``apps:destroy`` ends with ``destroy``). Reading says
nothing; everything else changes infrastructure. A command without a known verb possibly changes something.
"""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, Publishes, Reads
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
        "shell-completion autocomplete locate usage limits metrics monitor trace stats summarize complete build serve dev emulators local invoke-local"
    ),
    "delete": (
        "delete destroy remove rm rb terminate purge deregister detach drop erase cancel revoke disable stop kill suspend abort reset uninstall prune unset remove-all del "
        "teardown down clean clear evict drain disassociate unlink unpublish deprovision shutdown deallocate detach-volume release-address schedule-key-deletion batch-delete "
        "force-unlock taint disown leave archive"
    ),
    "create": "create add new run launch start allocate register put mb provision clone fork make insert generate issue request init-remote import copy bootstrap spawn instantiate",
    "modify": (
        "update set modify edit apply patch scale resize restart reboot rollback promote attach enable associate authorize grant assign tag untag move mv rename restore rotate "
        "replace sync cp deploy up push publish release invoke execute exec send upload write link transfer upgrade migrate configure-alerts refresh untaint switch-over failover "
        "accept reject approve merge close reopen lock unlock pin unpin transition join redeploy rebuild undo resume unarchive trigger rerun retry dispatch ssh tunnel proxy scp "
        "bind unbind mount"
    ),
    "secret": "get-secret-value get-parameter decrypt access print-access-token get-session-token assume-role get-login-password print-identity-token get-credentials auth-token",
}  # fmt: skip

_SHARED: dict[str, str] = {verb: action for action, words in _VERBS.items() for verb in words.split()}

_NOTHING = "read"
"""What an own exception says of a command that changes nothing worth a question."""


def _own(**actions: str) -> dict[str, str]:
    """Return a table of exceptions from ``action="words of+two"``; an underscore joins an action and its traits."""
    return {words.replace("+", " "): action for action, names in actions.items() for words in names.split()}


_OWN: dict[str, dict[str, str]] = {
    "aws": _own(read="configure sso+login s3+ls s3+presign ec2+wait ecr+get-login-password sts+get-caller-identity", secret="secretsmanager+get-secret-value ssm+get-parameters", modify="lambda+invoke"),
    "gcloud": _own(read="init auth+login auth+list config components+list compute+ssh-config-help", secret="auth+print-access-token secrets+versions+access auth+application-default", modify="components compute+ssh app+deploy"),
    "gsutil": _own(read="ls cat du stat hash", modify="cp rsync setmeta acl iam", delete="rm rb"),
    "az": _own(read="login account+set account+show configure", secret="account+get-access-token keyvault+secret+show", delete="group+delete"),
    "terraform": _own(read="init plan refresh validate fmt show output graph providers version state+list state+show state+pull get console workspace+list workspace+select test", delete="destroy state+rm workspace+delete force-unlock", modify="apply import taint untaint state+mv state+push state+replace-provider login logout", create="workspace+new"),
    "pulumi": _own(read="preview stack+ls stack+output stack+export logs whoami about login new config+get config stack+select stack+init", delete="destroy stack+rm cancel", modify="up update refresh import stack+import config+set"),
    "cdk": _own(read="synth diff ls list doctor init context acknowledge", modify="deploy bootstrap watch import", delete="destroy"),
    "heroku": _own(read="login logs ps apps config open info local releases addons pipelines domains", modify="run config:set ps:scale ps:restart", delete="apps:destroy pg:reset addons:destroy", secret="config:get auth:token"),
    "vercel": _own(read="ls list logs inspect whoami login dev build link pull env+ls domains+ls switch help", modify="deploy alias env+add promote rollback redeploy certs", delete="rm remove env+rm domains+rm teams", publish=""),
    "netlify": _own(read="status build dev login open watch sites:list env:list link init", modify="deploy env:set functions:invoke", delete="sites:delete env:unset"),
    "firebase": _own(read="login emulators:start serve projects:list use init hosting:channel:list", modify="deploy hosting:channel:deploy functions:config:set", delete="hosting:disable firestore:delete functions:delete database:remove"),
    "wrangler": _own(read="dev login whoami tail types init kv:key:list", modify="deploy publish kv:key:put secret+put rollback", delete="delete kv:key:delete kv:namespace:delete r2+bucket+delete d1+delete"),
    "gh": _own(
        read="auth+status auth+login pr+list pr+view pr+diff pr+checks pr+status pr+checkout pr+create pr+comment pr+review pr+ready issue+list issue+view issue+create issue+comment issue+status repo+list "
        "repo+view repo+clone run+list run+view run+watch run+download release+list release+view release+download workflow+list workflow+view gist+list gist+view search browse api label+list "
        "status completion alias config extension+list cache+list secret+list variable+list project+list project+view ruleset codespace+list",
        create="repo+create repo+fork release+create gist+create label+create secret+set variable+set ssh-key+add gpg-key+add codespace+create workflow+enable",
        modify="pr+merge pr+close pr+reopen pr+edit issue+close issue+edit issue+reopen issue+transfer repo+edit repo+rename repo+sync repo+archive repo+unarchive run+rerun run+cancel workflow+run "
        "workflow+disable release+edit release+upload gist+edit extension+install extension+upgrade repo+set-default issue+lock issue+pin pr+lock auth+refresh auth+logout auth+setup-git",
        delete="repo+delete release+delete release+delete-asset issue+delete gist+delete secret+delete secret+remove variable+delete label+delete cache+delete ssh-key+delete gpg-key+delete codespace+delete run+delete",
        secret="auth+token",
    ),
    "vault": _own(read="status login version kv+list list policy+list", secret="read kv+get unwrap token+lookup", modify="write kv+put operator auth+enable secrets+enable policy+write", delete="delete kv+delete secrets+disable"),
    "ansible-galaxy": _own(read="list info search init", create="install", delete="remove", modify="role collection"),
    "packer": _own(read="init fmt validate inspect console", modify="build"),
    "serverless": _own(read="info logs package invoke+local offline", modify="deploy invoke", delete="remove"),
    "sam": _own(read="build validate local logs init", modify="deploy sync", delete="delete"),
    "flyctl": _own(read="status logs apps+list auth+login doctor info open ips+list launch-plan machine+list releases version checks", modify="deploy launch scale secrets+set ssh machine+start proxy", delete="apps+destroy destroy machine+destroy volumes+destroy secrets+unset"),
    "supabase": _own(read="status start login init link gen migration+list db+diff projects+list", modify="db+push functions+deploy db+pull", delete="db+reset projects+delete stop"),
    "stripe": _own(read="listen login logs get status", create="trigger post", delete="delete"),
}  # fmt: skip
_ALIKE = {
    "tofu": "terraform",
    "terragrunt": "terraform",
    "fly": "flyctl",
    "sls": "serverless",
    "now": "vercel",
    "ntl": "netlify",
    "glab": "gh",
    "hub": "gh",
}

_GROUPS = {"gcloud": ("alpha", "beta", "run", "deploy", "scheduler", "builds", "logging", "monitoring", "functions")}
"""Leading words that name a group, though they read like verbs."""

_NOUNS = frozenset(
    "logs log account accounts config events metrics monitor test build local history outputs package state versions domains releases docs status policy providers "
    "regions filter trace usage limits".split()
)
"""Verbs of reading that name things as often: another verb after them counts (``logs delete``)."""

_TRAITS = {"secret": ("secret-access",), "publish": ("deploy",)}
AUTO = ("-auto-approve", "--auto-approve", "--yes", "-y", "--force", "-f", "--quiet", "-q", "--skip-confirmation")


def _cloud(run: Run) -> Flow:
    """Find the verb of the command and say what it does."""
    words = [value.text for value in run.arguments if value.text[:1] != "-"]
    if run.has("--help", "-h", "--version", "-v", "help") or words[:1] in (["help"], ["version"]):
        return NOTHING
    if not words:
        return _bare(run)
    if any(HOLE in word for word in words[:2]):
        run.effect(ChangesInfrastructure, run.name, "modify", "unknown-command")
        return UNREAD
    if run.has("--dry-run", "--dryrun", "--check", "-check", "--plan", "--what-if"):
        return UNREAD
    action, verb = action_of(run.name, words)
    if action == _NOTHING:
        return UNREAD
    _transfer(run, words)
    auto = ["auto-approve"] if run.has(*AUTO) else []
    target = " ".join([run.name, *words[:4]])
    run.effect(ChangesInfrastructure, target, *_TRAITS.get(action, (action or "modify",)), *auto, detail=verb, certain=bool(action))
    return Flow(None, frozenset({"secret"})) if action == "secret" else UNREAD


def _bare(run: Run) -> Flow:
    """``vercel`` and ``now`` without a word deploy, ``--prod`` or not."""
    if run.name in ("vercel", "now"):
        run.effect(Publishes, run.name, "deploy")
    return UNREAD


def action_of(program: str, words: list[str]) -> tuple[str, str]:
    """Return what a command does (``read``, ``create``, ``modify``, ``delete``, ``secret`` or ``""``) and the word that says so."""
    own = _OWN.get(_ALIKE.get(program, program), {})
    for count in (3, 2, 1):
        found = own.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            return found, " ".join(words[:count])
    while words and words[0] in _GROUPS.get(program, ()):
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
    return _SHARED.get(last) or _SHARED.get(last.partition("-")[0], "")


def _transfer(run: Run, words: list[str]) -> None:
    """Local files that a copy to a bucket reads (``aws s3 cp a s3://b``), or writes."""
    if not any(word in ("cp", "mv", "sync", "rsync", "upload", "put-object") for word in words[:3]):
        return
    for value in run.arguments:
        if value.text[:1] in ("/", "~", ".") and "://" not in value.text:
            run.path(Reads, value, "sent")


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


def _vault_file(run: Run) -> Flow:
    """``ansible-vault decrypt FILE``."""
    words = run.operands
    if words and words[0].text in ("decrypt", "view", "edit"):
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


def _gh(run: Run) -> Flow:
    if run.operands and run.operands[0].text == "api":
        return _api(run)
    words: list[Value] = run.operands
    if len(words) > 1 and words[0].text == "gist" and words[1].text == "create":
        for value in words[2:]:
            run.path(Reads, value, "sent")
        run.sends("gist.github.com", "upload", "carries-workspace")
    return _cloud(run)


_GH_OPTIONS = (
    "-R:data --repo:data -t:data --title:data -b:data --body:data -F:data --body-file:data -B:data --base:data -H:data --head:data -X:data --method:data -f:data --field:data "
    "--raw-field:data --input:data -q:data --jq:data --json:data -L:data --limit:data -l:data --label:data -a:data --assignee:data -m:data --milestone:data -n:data --notes:data "
    "-S:data --search:data --template:data -s:data --state:data -w:data --workflow:data --branch:data"
)
_OPTIONS = "--profile:data --region:data --project:data --zone:data -g:data --resource-group:data --subscription:data --app:data -a:data --output:data --format:data --query:data --chdir:data"
_CLOUD = Row(options=_OPTIONS, clustered=False, read=_cloud)
_NAMES = (
    "aws gcloud gsutil az doctl oci ibmcloud heroku flyctl fly vercel now netlify ntl railway render supabase firebase wrangler terraform tofu terragrunt pulumi cdk sam serverless sls "
    "packer vault consul nomad stripe sentry-cli eb linode-cli hcloud scw exo civo vultr-cli upctl openstack cf bx ecs-cli eksctl copilot-cli amplify ask planetscale pscale neonctl turso "
    "fastly akamai cloudflare dnscontrol octodns boundary waypoint crossplane argocd flux rancher ansible-galaxy databricks snow snowsql bq twilio slack circleci travis buildkite-agent"
)


def _rows(read: Callable[[Run], Flow], options: str) -> Row:
    return Row(options=options, clustered=False, read=read)


ROWS: dict[str, Row] = {
    **dict.fromkeys(_NAMES.split(), _CLOUD),
    **dict.fromkeys(("gh", "glab", "hub"), _rows(_gh, _GH_OPTIONS)),
    "ansible": Row(
        options="-m:data --module-name:data -a:data --args:data -i:data --inventory:data -u:data -f:data -l:data --limit:data", read=_ansible
    ),
    "ansible-playbook": Row(
        options="-i:data --inventory:data -e:data --extra-vars:data -l:data --limit:data -t:data --tags:data -u:data -f:data", read=_playbook
    ),
    "ansible-vault": _rows(_vault_file, "--vault-password-file:reads"),
}
