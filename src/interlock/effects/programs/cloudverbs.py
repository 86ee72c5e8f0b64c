"""Verbs of clouds and platforms: what a word of a command line does, for all of them and for each with its exceptions.

A command is looked up word by word, first in the program's own exceptions, then by the verbs that all of them
share (``describe-instances`` begins with ``describe``, ``apps:destroy`` ends with ``destroy``).
"""

from __future__ import annotations

_VERBS: dict[str, str] = {
    "read": (
        "list ls get describe show view status log logs tail plan validate help version whoami diff info inspect search find check lint fmt format "
        "graph output explain "
        "doctor ping wait watch top history events print cat docs open completion preview browse current lookup query scan count estimate head "
        "select test verify "
        "ps account accounts regions providers console outputs synth synthesize package login-status releases domains dump config-get batch-get "
        "filter simulate preview-diff "
        "shell-completion autocomplete locate usage limits metrics monitor trace stats summarize read what-if complete build serve dev emulators "
        "local invoke-local "
        "detect analyze analyse members manifests contexts topic start-query transact-get about env-list discover render calculate classify "
        "contains decode derive download evaluate global guess is meter poll receive recognize retrieve report sample translate compare peek"
    ),
    "delete": (
        "delete destroy remove rm rb terminate purge deregister detach drop erase cancel revoke disable stop kill suspend abort reset uninstall "
        "prune unset remove-all del "
        "teardown down clean clear evict drain disassociate unlink unpublish deprovision shutdown deallocate detach-volume release-address "
        "schedule-key-deletion batch-delete "
        "force-unlock taint disown leave archive permanent-delete deactivate unassign unsubscribe withdraw stop-logging remove-iam-policy-binding "
        "gc evacuate discard dismiss dispose flush forget retire undeploy deprecate redact abandon wipe nuke unregister"
    ),
    "create": "create add new install mk run launch start allocate register put mb provision clone fork make snapshot insert generate issue request "
    "init-remote import copy bootstrap spawn instantiate",
    "modify": (
        "update set modify edit apply patch scale resize restart reboot rollback promote attach enable associate authorize grant assign tag untag "
        "move mv rename restore rotate "
        "replace sync cp deploy up push publish release invoke execute exec send upload write link transfer upgrade migrate configure-alerts "
        "refresh untaint switch-over failover "
        "accept reject approve merge close reopen lock unlock pin unpin transition join redeploy rebuild undo resume unarchive trigger rerun retry "
        "dispatch ssh tunnel proxy scp "
        "bind unbind mount submit change batch-write-item transact-write-items call load insert-into extract reconcile maintenance:on "
        "maintenance:off console pg:psql "
        "shell signal simulate-failover on off tier set-iam-policy seal unseal rekey activate confirm deny decline define delegate override renew "
        "replicate resend respond reverse roll schedule subscribe swap switch transact label unlabel mark finalize config-zip initiate initialize invalidate "
        "invite notify opt optimize populate post redrive setup share unshare toggle undeprecate unmonitor unpeer increase decrease expire "
        "acknowledge commit include exclude backfill failback rewind impersonate step-down eligibility"
    ),
    "reveals": (
        "get-secret-value batch-get-secret-value decrypt access print-access-token get-session-token get-federation-token assume-role "
        "assume-role-with-saml get-token "
        "print-identity-token auth-token export-credentials get-authorization-token get-password-data list-keys get-access-token"
    ),
}  # fmt: skip

_SHARED: dict[str, str] = {verb: action for action, words in _VERBS.items() for verb in words.split()}

READING = "read"
"""What an own exception says of a command that changes nothing worth a question."""
SOFT = "soft"
"""What it says of one that only points later commands elsewhere, or writes settings of the client: worth a warning."""


def exceptions(**actions: str) -> dict[str, str]:
    """Return a table of exceptions from ``action="words of+two"``; an underscore joins an action and its traits."""
    return {words.replace("+", " "): action for action, names in actions.items() for words in names.split()}


OWN: dict[str, dict[str, str]] = {
    "aws": exceptions(
        read="configure+list configure+get sso+login s3+ls ec2+wait ecr+get-login-password sts+get-caller-identity ssm+get-parameter "
            "ssm+get-parameters ssm+get-parameters-by-path "
        "logs+start-query cloudformation+validate-template eks+list-clusters",
        reveals="secretsmanager+get-secret-value secretsmanager+batch-get-secret-value configure+export-credentials",
        modify="lambda+invoke ssm+start-session ssm+send-command ecs+execute-command",
        delete="cloudtrail+stop-logging config+stop-configuration-recorder kms+disable-key",
        soft="configure eks+update-kubeconfig codeartifact+login s3+presign sso+logout",
    ),
    "gcloud": exceptions(
        read="init auth+login auth+list auth+application-default+login config+list config+get config+get-value config+configurations+list "
            "config+configurations+describe components+list emulators "
        "info topic",
        reveals="auth+print-access-token auth+print-identity-token auth+application-default+print-access-token secrets+versions+access",
        modify="components compute+ssh compute+scp app+deploy sql+connect config+configurations+create",
        delete="config+configurations+delete",
        soft="config container+clusters+get-credentials auth+configure-docker auth+activate-service-account auth+application-default",
    ),
    "gsutil": exceptions(read="ls cat du stat hash", modify="cp rsync setmeta acl iam", delete="rm rb"),
    "az": exceptions(
        read="login account+show configure storage+account+list",
        reveals="account+get-access-token keyvault+secret+show keyvault+secret+download storage+account+keys+list "
            "storage+account+show-connection-string",
        delete="group+delete",
        soft="account+set aks+get-credentials acr+login logout config+set",
    ),
    "terraform": exceptions(
        read="init plan refresh validate fmt show output graph providers version state+list state+show get console hclfmt workspace+list "
            "workspace+select workspace+show test metadata",
        delete="destroy state+rm workspace+delete force-unlock",
        modify="apply import taint untaint state+mv state+push state+replace-provider",
        create="workspace+new",
        reveals="state+pull",
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
        reveals="config config:get auth:token pg:credentials:url",
    ),
    "vercel": exceptions(soft="env+pull", read="ls list logs inspect whoami login dev build link pull env+ls domains+ls switch help",
        modify="deploy alias env+add promote rollback redeploy certs", delete="rm remove env+rm domains+rm teams", publish=""),
    "netlify": exceptions(read="status build dev login open watch sites:list env:list link init", modify="deploy env:set functions:invoke",
        delete="sites:delete env:unset"),
    "firebase": exceptions(read="login emulators:start emulators:exec serve projects:list use init hosting:channel:list", modify="deploy hosting:channel:deploy "
    "functions:config:set", delete="hosting:disable firestore:delete functions:delete database:remove"),
    "wrangler": exceptions(read="dev login whoami tail types init kv:key:list", modify="deploy publish kv:key:put secret+put rollback",
        delete="delete kv:key:delete kv:namespace:delete r2+bucket+delete d1+delete"),
    "gh": exceptions(
        soft="pr+create pr+comment pr+review pr+ready pr+edit issue+create issue+comment issue+edit issue+close issue+reopen run+rerun",
        read="auth+status auth+login pr+list pr+view pr+diff pr+checks pr+status pr+checkout issue+list issue+view issue+status repo+list "
        "repo+view repo+clone run+list run+view run+watch run+download release+list release+view release+download workflow+list workflow+view "
        "gist+list gist+view search browse api label+list "
        "status completion alias config extension+list cache+list secret+list variable+list project+list project+view ruleset codespace+list",
        create="repo+create repo+fork release+create gist+create label+create secret+set variable+set ssh-key+add gpg-key+add codespace+create "
            "workflow+enable",
        modify="pr+merge pr+close pr+reopen issue+transfer repo+edit repo+rename repo+sync repo+archive repo+unarchive "
            "run+cancel workflow+run "
        "workflow+disable release+edit release+upload gist+edit extension+install extension+upgrade repo+set-default issue+lock issue+pin pr+lock "
        "auth+refresh auth+logout auth+setup-git",
        delete="repo+delete release+delete release+delete-asset issue+delete gist+delete secret+delete secret+remove variable+delete label+delete "
            "cache+delete ssh-key+delete gpg-key+delete codespace+delete run+delete",
        reveals="auth+token",
    ),
    "vault": exceptions(read="status login version kv+list list policy+list", reveals="read kv+get unwrap token+lookup", modify="write kv+put "
    "operator auth+enable secrets+enable policy+write", delete="delete kv+delete secrets+disable"),
    "ansible-galaxy": exceptions(
        read="list info search init role+list role+init role+info role+search collection+list collection+init collection+build collection+verify "
            "collection+download",
        create="install",
        delete="remove",
    ),
    "packer": exceptions(read="init fmt validate inspect console", modify="build"),
    "serverless": exceptions(
        read="info logs package invoke+local offline deploy+list print metrics", modify="deploy invoke", delete="remove"
    ),
    "sam": exceptions(read="build validate local logs init", modify="deploy sync", delete="delete"),
    "flyctl": exceptions(read="status logs apps+list auth+login doctor info open ips+list launch-plan machine+list releases version checks",
        modify="deploy launch scale secrets+set ssh machine+start proxy",
            delete="apps+destroy destroy machine+destroy volumes+destroy secrets+unset"),
    "supabase": exceptions(
        read="status start stop login init link gen migration+list migration+new functions+serve functions+new db+diff db+lint db+dump projects+list",
        modify="db+push functions+deploy db+pull migration+up migration+repair secrets+set",
        delete="db+reset projects+delete",
    ),
    "fastlane": exceptions(read="lanes test tests scan lint list init help env screenshots snapshot build gym build_app docs",
        modify="beta release deploy deliver pilot supply upload_to_testflight upload_to_app_store upload_to_play_store match produce register_devices", soft="ios android mac"),
    "eas": exceptions(read="build:list build:view whoami login init config diagnostics", modify="submit update build branch:create channel:edit "
    "deploy", delete="build:cancel branch:delete channel:delete"),
    "cap": exceptions(read="-T install", modify="deploy"),
    "huggingface-cli": exceptions(read="whoami login download scan-cache env cache+ls", modify="upload upload-large-folder repo+create",
        delete="delete-cache repo+delete repo-files"),
    "hf": exceptions(read="auth+whoami auth+login download cache env", modify="upload upload-large-folder repo+create jobs+run",
        delete="repo+delete repo-files"),
    "kaggle": exceptions(read="config competitions+list competitions+files competitions+download datasets+list datasets+download datasets+files "
    "kernels+list kernels+output kernels+status", modify="competitions+submit datasets+create datasets+version kernels+push models+create"),
    "stripe": exceptions(read="listen login logs get status trigger", create="post", delete="delete"),
    "consul": exceptions(read="members catalog kv+get kv+export info monitor validate keygen operator+raft+list-peers", modify="kv+put kv+import "
    "reload agent", delete="kv+delete leave force-leave"),
    "nomad": exceptions(read="status job+status job+plan job+validate job+inspect plan node+status alloc+logs alloc+status fmt ui",
        modify="job+run run alloc+exec system+gc node+eligibility", delete="stop job+stop node+drain", reveals="var+get"),
    "railway": exceptions(read="status logs login whoami init link list open docs completion", modify="up redeploy ssh connect",
        delete="down delete", soft="variables shell"),
    "argocd": exceptions(read="app+list app+get app+diff app+history app+logs app+manifests app+wait version cluster+list repo+list proj+list "
    "account+list", modify="app+sync app+set", delete="app+delete", soft="login logout context"),
    "flux": exceptions(read="get check logs events export tree diff build trace stats version", modify="reconcile bootstrap install suspend resume "
    "push", delete="delete uninstall"),
    "glab": exceptions(
        read="mr+list mr+view mr+diff mr+checkout mr+issues issue+list issue+view ci+list ci+view ci+status ci+trace ci+lint ci+get ci+artifact "
        "repo+list repo+view repo+clone repo+search repo+contributors release+list release+view release+download snippet+list auth+status "
        "auth+login config alias completion check-update "
        "label+list schedule+list variable+list user cluster incident+list iteration milestone+list",
        soft="mr+create mr+note mr+for mr+update issue+create issue+note issue+update issue+close issue+reopen",
        create="repo+create repo+fork release+create label+create variable+set ssh-key+add snippet+create ci+run schedule+create",
        modify="mr+merge mr+approve mr+revoke mr+close mr+reopen mr+rebase repo+transfer repo+archive repo+mirror ci+retry "
            "ci+cancel ci+trigger "
        "variable+update release+upload schedule+run",
        delete="repo+delete mr+delete issue+delete release+delete variable+delete ssh-key+delete ci+delete schedule+delete",
        reveals="variable+get variable+export",
    ),
}  # fmt: skip
ALIKE = {
    "tofu": "terraform",
    "terragrunt": "terraform",
    "fly": "flyctl",
    "sls": "serverless",
    "now": "vercel",
    "ntl": "netlify",
    "hub": "gh",
    "awslocal": "aws",
    "tflocal": "terraform",
    "cdklocal": "cdk",
    "samlocal": "sam",
    "pulumilocal": "pulumi",
}
EMULATED = frozenset({"awslocal", "tflocal", "cdklocal", "samlocal", "pulumilocal"})
"""Wrappers that send every command to LocalStack, an emulator on this machine."""

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
    "logs log account accounts config events metrics monitor test build local history outputs package state versions domains releases docs status "
    "policy providers "
    "regions filter trace usage limits".split()
)
"""Verbs of reading that name things as often: another verb after them counts (``logs delete``)."""

_LED = frozenset("aws gcloud oci az doctl scw exo ibmcloud hcloud linode-cli openstack civo vultr-cli upctl".split())
"""Programs whose first word always names a group, whatever it reads like (``aws deploy list-deployments``)."""
_BEFORE = ("transact-", "batch-", "bulk-", "admin-", "force-", "global-")
"""Parts before a verb that do not change what it does."""


_GROUPED = frozenset({"az", "gh", "glab", "gcloud"})
"""Programs whose commands are groups, and then a verb that is a word of its own."""


def action_of(program: str, words: list[str], own: dict[str, str]) -> tuple[str, str]:
    """Return what a command does (``read``, ``soft``, ``create``, ``modify``, ``delete``, ``reveals`` or ``""``) and the word that says so."""
    while program == "gcloud" and words and words[0] in _STAGES:
        words = words[1:]
    for count in (4, 3, 2, 1):
        found = own.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            looks = count == 1 and found not in (READING, "reveals") and len(words) > 1 and _SHARED.get(words[1]) == READING
            return (READING, words[1]) if looks else (found, " ".join(words[:count]))
    if len(words) > 1 and (program in _LED or words[0] in _GROUPS.get(program, ())):
        words = words[1:]
    named = ""
    verb = next((word for word in words[:4] if word in _SHARED and word not in _NOUNS), "") if program in _GROUPED else ""
    if verb and _SHARED[verb] == READING:
        return READING, verb  # ``az sql failover-group list``: what stands before the verb are the names of groups
    for word in words[:5]:
        action = _shared(word)
        if action and not (action == READING and word in _NOUNS):
            return action, word
        named = named or (word if action else "")
    return (READING, named) if named else ("", "")


def _shared(word: str) -> str:
    """Return the action of a word by the shared verbs: the word itself, its part after a colon, or before a hyphen."""
    last = word.rpartition(":")[2].lower()
    for before in _BEFORE:
        last = last.removeprefix(before)
    found = _SHARED.get(word) or _SHARED.get(last, "")
    if found:
        return found
    head, _, tail = last.partition("-")
    if not tail:
        return ""
    first, second = _SHARED.get(head, ""), _SHARED.get(tail.rpartition("-")[2], "")
    found = first or (second if second != READING else "")
    return found if found != "reveals" else ""
