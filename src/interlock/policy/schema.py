"""What a policy file may say, as rows: the one source of checks, messages, the JSON Schema for
editors and the page of documentation.
"""

from __future__ import annotations

from interlock.model.record import Record

ORGANISATION, TENANT, USER, PROJECT, SESSION = LAYERS = (
    "organisation",
    "tenant",
    "user",
    "project",
    "session",
)
"""The layers by rank, the highest first."""
EVERY = frozenset(LAYERS)
PEOPLE = EVERY - {PROJECT}
"""Who may loosen: a project may only tighten, unless its user trusted it."""
ABOVE = frozenset({ORGANISATION, TENANT})
OBSERVERS = ABOVE | {USER}
"""Who may say that nothing is stopped, and only recorded."""

DEFAULT, OBSERVE = "default", "observe"
PROFILES = (
    DEFAULT,
    "careful",
    "strict",
    "read-only",
    "network-only",
    "workspace-write",
    "pure",
    "production",
    OBSERVE,
)
"""The profiles there are: ``default`` is the built-in rules, each other a file in ``shipped/``."""

ONE, LIST, SOME, MAP = "one", "list", "some", "map"
"""How many: one value; a list; one or a list; names with a value each."""


class Key(Record):
    """A key of a table. ``of``: a kind of word, or a table. ``layers``: who may set it; elsewhere
    it is ignored, and said so.
    """

    name: str
    of: str
    meaning: str
    default: str = ""
    many: str = ONE
    layers: frozenset[str] = EVERY
    needed: bool = False


class Table(Record):
    """A table of keys. ``some``: at least one of these keys has to be there."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    some: tuple[str, ...] = ()


POLICY = Table("policy", "A policy file.", (
    Key("version", "version", "The version of this format: 1. (\"1.0\" is the older shape below.)",
        needed=True),
    Key("profile", "name",
        "The rules everything else builds on. A project's choice can only be stricter.",
        "default"),
    Key("observe", "truth",
        "Only record what would be answered. The guard's own files stay protected.", "false",
        layers=OBSERVERS),
    Key("tenant", "name",
        "Which tenant this machine works for: its file is tenants/NAME.yaml beside this one.",
        layers=frozenset({ORGANISATION})),
    Key("roles", "name", "Who may approve: the name of a user of this machine, and the roles held.",
        many=MAP, layers=frozenset({ORGANISATION})),
    Key("workspace", "workspace", "What the agent was lent."),
    Key("hosts", "hosts", "Hosts of your own."),
    Key("places", "place", "What paths of your own are.", many=LIST),
    Key("files", "files", "Paths that may be used, and paths that may not."),
    Key("rules", "rule", "Rules of your own.", many=LIST),
    Key("tune", "tune", "Other actions for rules that exist.", many=LIST),
    Key("allow", "exception", "Exceptions: what a rule is not to speak of. A project's count only when its user trusted the file.", many=LIST),
    Key("programs", "program", "Programs of your own, so that calls of them can be proven harmless. What interlock knows itself stays as it is.",
        many=LIST, layers=PEOPLE),
    Key("environments", "environment", "Surroundings that need care, by a name such as production.",
        many=MAP),
    Key("limits", "limits", "Rates, budgets and durations."),
    Key("approvals", "approvals", "How people are asked."),
    Key("obligations", "obligation", "What else has to happen with a call.", many=LIST),
    Key("checkpoints", "checkpoints", "How checkpoints are used and kept."),
    Key("stop", "stop", "When a session is stopped by itself, until a person resumes it."),
    Key("notify", "way", "How people are told: terminal, desktop, the address of a web hook, or an address of the apprise library.", many=SOME,
        layers=PEOPLE),
    Key("intent", "intent", "What becomes of calls that do not fit what the person asked for.",
        "on"),
    Key("proven", "proven", "What becomes of a call that is proven harmless: `pass` leaves the client's own question to the client, `approve` "
        "answers it with yes, where the client lets a hook do so. A project's file may only say `pass`.", "pass"),
    Key("unproven", "unproven", "The least that is answered to a call that is not proven harmless.",
        "pass"),
    Key("proven_scope", "scope of proofs", "What counts as harmless: to read; to edit, build and test in the workspace; that, and to read from "
        "allowed hosts.", "workspace"),
    Key("validator", "validator", "The language model that looks at what rules want reviewed; without one a person is asked.", layers=PEOPLE),
    Key("audit", "audit", "What is recorded."),
), some=(
    "profile", "observe", "tenant", "roles", "workspace", "hosts", "places", "files", "rules",
    "tune", "allow", "programs", "environments", "limits",
    "approvals", "obligations", "checkpoints", "stop", "notify", "intent", "proven", "unproven",
    "proven_scope", "validator", "audit",
))  # fmt: skip

TABLES: dict[str, Table] = {table.name: table for table in (
    POLICY,
    Table("workspace", "Folders besides the one in which the session began.", (
        Key("roots", "path",
            "Folders that count as the workspace too; never /, a home, or a folder of the system.",
            many=SOME, layers=PEOPLE),
    ), some=("roots",)),
    Table("hosts", "A name stands for the host and every host below it.", (
        Key("allow", "host", "Hosts that count as allowed: reading from them warns nobody.",
            many=SOME),
        Key("block", "host", "Hosts that nothing may connect to or send to.", many=SOME),
    ), some=("allow", "block")),
    Table("place", "What lies at some paths.", (
        Key("path", "path", "The paths: `*` within a name, `**` across folders.", many=SOME,
            needed=True),
        Key("nature", "nature", "What they are, besides what interlock knows: secret, persistence... (`generated` loosens.)", many=SOME, needed=True),
    )),
    Table("files", "Blocked beats allowed. A folder, `folder/*` and `folder/**` stand for everything below it.", (
        Key("allow", "path",
            "Paths that may be read and changed; if this is there, nothing else may be.",
            many=SOME),
        Key("block", "path", "Paths that may be neither read nor changed.", many=SOME),
        Key("read_only", "path", "Paths that may be read and not changed.", many=SOME),
    ), some=("allow", "block", "read_only")),
    Table("rule", "A rule, as the built-in ones are written.", (
        Key("id", "id", "A name of its own: family.verb-object.", needed=True),
        Key("title", "text", "Completes \"This call ...\".", needed=True),
        Key("why", "text", "Why it matters, for the person who is asked."),
        Key("instead", "text", "A safer way, said to the agent."),
        Key("match", "match", "Which effects it speaks of.", needed=True),
        Key("action", "action", "What it says.", needed=True),
        Key("possible", "any action", "What it says where the effect is only possible.",
            "one name lower"),
        Key("floor", "any action", "No layer may go below.", "allow", layers=ABOVE),
        Key("tags", "name", "Words by which rules are tuned and listed.", many=SOME),
        Key("approver", "name", "The role whose approval it takes."),
        Key("quorum", "whole", "So many people of that role.", "1"),
        Key("second_person", "truth", "None of them may be the one the agent works for.", "false"),
        Key("wait", "duration", "How long a request waits for an answer.",
            "as approvals.wait says"),
        Key("catches", "example",
            "Calls it has to catch; a policy whose examples fail is not loaded.", many=LIST),
        Key("passes", "example", "Calls it must not speak of: near misses.", many=LIST),
    )),
    Table("match", "Effects that fit every key. A list means any of its words.", (
        Key("effect", "kind of effect", "What the call would do.", many=SOME),
        Key("location", "location", "Where the target lies.", many=SOME),
        Key("nature", "nature", "What the target is.", many=SOME),
        Key("no_nature", "nature", "What it is not.", many=SOME),
        Key("host", "class of hosts", "What kind of host is reached.", many=SOME),
        Key("path", "path", "Patterns of the target's path.", many=SOME),
        Key("not_path", "path", "Patterns it must not fit.", many=SOME),
        Key("target", "text",
            "Patterns of what is meant where it is no path: a host, a program, a remote, a tool.",
            many=SOME),
        Key("ref", "text",
            "Patterns of the branches or tags a push changes there; all of them have to fit.",
            many=SOME),
        Key("by", "text", "The program or tool that does it.", many=SOME),
        Key("traits", "trait", "All of these words: recursive, force, upload...", many=SOME),
        Key("any_trait", "trait", "At least one of these.", many=SOME),
        Key("no_trait", "trait", "None of these.", many=SOME),
        Key("remote", "truth", "Only on another machine, or only here."),
        Key("commands", "command", "Instead of effects: first words and options of commands (cmdlets: full names); one of them is run, "
            "with whatever options between the words. What only may be one is asked about at most.",
            many=SOME),
        Key("outside", "command",
            "Instead of effects: a shell command is run that is none of these.", many=SOME),
        Key("text", "text", "Instead of effects: words that stand in the call, one after the other. Such a rule can only ask.", many=SOME),
        Key("tool", "text",
            "With the three above: calls of these tools, as interlock or their client call them.",
            many=SOME),
    ), some=("effect", "commands", "outside", "text")),
    Table("tune", "Another action for rules that exist. Never below their floor, nor below what a higher layer said.", (
        Key("rule", "text", "Ids of rules.", many=SOME),
        Key("tag", "text", "Tags of rules, such as GR-008.", many=SOME),
        Key("action", "any action", "The action from now on."),
        Key("floor", "any action", "No layer may go below this any more.", layers=ABOVE),
        Key("tunable", "truth", "Lower layers may loosen this again.", "false", layers=PEOPLE),
        Key("approver", "name", "The role whose approval it takes.", layers=ABOVE),
    ), some=("rule", "tag")),
    Table("exception", (
        "What rules are not to speak of: an effect on a target that is named, or, for a rule that asks about commands on no list "
        "(`careful.unlisted-command`), `commands` that count as listed from now on: by their first words, and whatever else such a call does is "
        "judged as before. Refused where a rule's floor is above allow."
    ), (
        Key("rule", "text", "Ids of the rules.", many=SOME, needed=True),
        Key("match", "match",
            "Which effects: it has to name a path, a target or a ref. Or which commands.",
            needed=True),
        Key("because", "text", "Why.", needed=True),
        Key("until", "date", "The last day on which it counts."),
    )),
    Table("program", (
        "A program as a section of `src/interlock/data/programs/tools.txt` describes one, whole: an option that is not listed is not known. Verbs such as "
        "`deploy` and `delete` are judged as those of a program that nobody described."
    ), (
        Key("name", "text", "Its name, and others that mean the same.", many=SOME, needed=True),
        Key("says", "text", "What it takes: `operands reads* writes`, `runs project`, `-o --output =writes`, `--level =`, `-q --quiet`.", many=SOME,
            needed=True),
    )),
    Table("environment", "What changes it, connects to it or pushes to it is answered as `action` says, at least; a look is judged as elsewhere.", (
        Key("hosts", "host", "Hosts of it.", many=SOME),
        Key("words", "text", "Its names, as patterns, wherever a variable, an option or a context says where a command goes: NODE_ENV, "
            "RAILS_ENV, DJANGO_SETTINGS_MODULE, APP_ENV and their like, --env, --context, --stack, TF_WORKSPACE, DOCKER_CONTEXT, "
            "`docker context use`.", many=SOME),
        Key("kube_contexts", "text", "Contexts of kubectl, helm and docker, as patterns.",
            many=SOME),
        Key("cloud_accounts", "text",
            "Accounts, profiles, projects and subscriptions of cloud programs, as patterns.",
            many=SOME),
        Key("paths", "path", "Paths of it.", many=SOME),
        Key("git_refs", "text", "Branches and tags that stand for it, as patterns.", many=SOME),
        Key("action", "action", "The least that is answered.", "ask"),
        Key("approver", "name", "The role whose approval it takes."),
    ), some=("hosts", "words", "kube_contexts", "cloud_accounts", "paths", "git_refs")),
    Table("limits", "All off unless named. Those of several layers hold together.", (
        Key("rates", "rate limit", "At most so many calls in a time.", many=LIST),
        Key("tokens", "token budget", "At most so many tokens.", many=LIST),
        Key("cost", "cost budget", "A person approves each further amount of money.", many=LIST),
        Key("concurrent", "concurrency", "At most so many calls at once.", many=LIST),
        Key("duration", "session duration", "How long a session lasts.", many=LIST),
        Key("prices", "price", "What models cost.", many=LIST, layers=PEOPLE),
        Key("lease", "duration", "When a call without an outcome counts as ended.", "10m",
            layers=PEOPLE),
    ), some=("rates", "tokens", "cost", "concurrent", "duration", "prices", "lease")),
    Table("rate limit", "", (
        Key("rate", "rate", "`60/minute`, `10/30s`.", needed=True),
        Key("tools", "tools", "Which calls.", "*"),
        Key("per", "per", "For whom it is counted.", "session"),
        Key("burst", "whole", "How many may come at once.", "as many as the rate's count"),
    )),
    Table("token budget", "", (
        Key("limit", "whole", "Tokens.", needed=True),
        Key("warning", "part", "From this part on there is a warning.", "0.8"),
        Key("hard", "part", "From this part on the session is paused until a person lifts it.",
            "0.95"),
        Key("per", "per", "For whom it is counted.", "session"),
        Key("of", "tokens", "All that was spent, or what the last request held.", "spent"),
        Key("every", "duration", "When the count starts anew.", "never"),
        Key("cached", "truth", "What came from the provider's cache counts.", "true"),
        Key("reserve", "whole", "Set aside for each call under way.", "0"),
    )),
    Table("cost budget", "", (
        Key("threshold", "number", "US dollars.", needed=True),
        Key("per", "per", "For whom it is counted.", "session"),
        Key("every", "duration", "When the count starts anew.", "never"),
        Key("reserve", "number", "Set aside for each call under way.", "0"),
        Key("approver", "name", "The role whose approval it takes.", "lead"),
    )),
    Table("concurrency", "", (
        Key("most", "whole", "Calls.", needed=True),
        Key("tools", "tools", "Which calls.", "*"),
        Key("per", "per", "For whom it is counted.", "session"),
    )),
    Table("session duration", "", (
        Key("most", "duration", "From the first call on.", needed=True),
        Key("warning", "part", "From this part on there is a warning.", "0.8"),
    )),
    Table("price", "US dollars for a million tokens.", (
        Key("model", "text", "The model's name.", needed=True),
        Key("input", "number", "Read anew.", needed=True),
        Key("output", "number", "Written.", needed=True),
        Key("cached", "number", "Read from the provider's cache.", needed=True),
        Key("written", "number", "Written into the provider's cache.", needed=True),
    )),
    Table("approvals", "", (
        Key("wait", "duration", "How long a request waits for an answer.", "5m"),
        Key("session", "duration", "How long a yes for the session counts.", "12h"),
        Key("project", "duration", "How long a yes for the project counts.", "30d"),
        Key("uses", "whole", "How often such a yes counts.", "100"),
        Key("most_pending", "whole", "How many requests of one session may wait.", "50"),
        Key("token_always", "truth", "A yes needs the person's token even at a terminal.", "false"),
    ), some=("wait", "session", "project", "uses", "most_pending", "token_always")),
    Table("obligation", (
        "What goes with a call when a rule speaks. `checkpoint` is taken before it runs. `sandbox` is what `interlock run` and `interlock code` do, "
        "and `redact` (hiding secrets in what it prints) what `interlock mcp` does; no client's hook does either. Where one of these is not carried "
        "out, the call is asked about. `notify` tells people afterwards and stops nothing."
    ), (
        Key("rule", "text", "Ids of rules that spoke.", many=SOME),
        Key("tag", "text", "Tags of rules that spoke.", many=SOME),
        Key("do", "obligation word", "What has to happen.", many=SOME, needed=True),
    ), some=("rule", "tag")),
    Table("checkpoints", "", (
        Key("loss", "loss", "What becomes of a call whose whole loss a checkpoint brings back: it runs, or it is asked about all the same.", "run"),
        Key("keep", "duration", "How old checkpoints may get: whole days.", "14d", layers=PEOPLE),
        Key("megabytes", "whole", "How large all of them together may get.", "2048", layers=PEOPLE),
    ), some=("loss", "keep", "megabytes")),
    Table("stop", "Each on its own. Those of several layers hold together.", (
        Key("repeats", "whole", "The same call came so many times in a row.", "0: never"),
        Key("refused_goals", "whole",
            "It reached so many times for what it was refused before, in whatever way.",
            "0: never"),
        Key("denials", "rate", "So many calls were denied in a time: `10/minute`."),
        Key("calls", "rate", "So many calls were made in a time."),
        Key("rule", "text", "One of these rules spoke: ids.", many=SOME),
        Key("tag", "text",
            "A rule with one of these tags spoke. `GR-006` is the pause of a budget.", many=SOME),
        Key("kill", "truth", "The processes of the session are ended as well.", "false",
            layers=PEOPLE),
    ), some=("repeats", "refused_goals", "denials", "calls", "rule", "tag")),
    Table("validator", (
        "A model is asked where a rule says `review`: one question about the call and its effects, without secrets. Its ALLOW lets the review pass "
        "and nothing else; an error, a late or an unclear answer asks a person."
    ), (
        Key("protocol", "protocol",
            "How it is spoken to. Most local models and gateways speak openai-chat.", needed=True),
        Key("model", "text", "The model's name.", needed=True),
        Key("url", "endpoint", "Where it is asked.", "the protocol's own provider"),
        Key("key_file", "file", "The file that holds the key; nobody else may read it.",
            "no key is sent"),
        Key("wait", "duration",
            "How long an answer may take: at most 10s, for agents wait for a hook only so long.",
            "8s"),
        Key("agent", "truth",
            "The model may look closer before it answers, with skills: the guard agent.", "false"),
        Key("turns", "whole", "How often the guard agent may look closer for one call: at most 10.",
            "4"),
        Key("tokens", "whole", "How many tokens the guard agent may take for one call.", "20000"),
        Key("remember", "duration", "How long an answer of the guard agent counts for the same call, effects and policy; at most 7d.", "1d"),
    )),
    Table("audit", "", (
        Key("required", "truth", "A call that cannot be recorded is asked about.", "false"),
        Key("prompts", "prompts", "What is kept of what a person typed.", "digest", layers=PEOPLE),
        Key("durable", "durable", "When a record is safe before its call is answered: once the system has it, which outlasts the end of any program "
            "(batch), or once the disk has it, which outlasts a power cut and takes longer (always).", "batch"),
        Key("redact", "name", "Names of fields, variables and options whose values are secrets too: no record keeps them.", many=SOME),
        Key("keep", "duration", "How long records are kept: whole days, such as 90d.",
            "without end", layers=PEOPLE),
    ), some=("required", "prompts", "durable", "redact", "keep")),
)}  # fmt: skip

ADR = Table("older policy", "The shape of version \"1.0\".", (
    Key("version", "version", "\"1.0\".", needed=True),
    Key("tenant", "name", "Which of the tenants below this machine works for.",
        layers=frozenset({ORGANISATION})),
    Key("roles", "name", "Who may approve: the name of a user of this machine, and the roles held.",
        many=MAP, layers=frozenset({ORGANISATION})),
    Key("global", "scope", "For all tenants."),
    Key("tenant_overrides", "scope", "By the name of a tenant: what holds for that one besides.",
        many=MAP, layers=frozenset({ORGANISATION})),
), some=("global", "tenant_overrides"))  # fmt: skip

TABLES.update({table.name: table for table in (
    ADR,
    Table("scope", "", (
        Key("destructive_operations", "destructive operations", "Deleting, dropping, forcing."),
        Key("file_access", "file access", "Blocked beats allowed."),
        Key("rate_limits", "rate limits", "Calls in a time, by class of tools."),
        Key("token_budget", "context budget", "How full the model's context may be."),
    ), some=("destructive_operations", "file_access", "rate_limits", "token_budget")),
    Table("destructive operations", "", (
        Key("require_confirmation", "confirmation", "`true`: as the built-in rules do (GR-001). `always`: each deletion, of a single file too."),
        Key("require_approval_from", "name", "Roles of which one has to approve what is asked about for being destroyed (files, work in git, "
            "databases, containers), published, forced onto a remote, changed in a cloud or cluster, or done with another user's rights: what a rule "
            "with the tag `data-loss`, `publish`, `production` or `privilege` asks about.",
            many=SOME),
        Key("blocked_patterns", "text", "Commands by their first words, and statements of databases: they are denied, with whatever options between "
            "the words and whatever follows, and so is what does the same by another program. Words that are only shown or written are not; "
            "`interlock policy check` says how each was understood.", many=SOME),
    ), some=("require_confirmation", "require_approval_from", "blocked_patterns")),
    Table("file access", "", (
        Key("allowed_paths", "path",
            "Paths that may be used; if this is there, nothing else may be.", many=SOME),
        Key("blocked_paths", "path", "Paths that may be neither read nor changed.", many=SOME),
    ), some=("allowed_paths", "blocked_paths")),
    Table("rate limits", "", (
        Key("bash_commands", "rate", "Shell commands."),
        Key("file_writes", "rate", "Calls that write or delete files."),
        Key("api_calls", "rate", "Calls that reach the network."),
    ), some=("bash_commands", "file_writes", "api_calls")),
    Table("context budget", "", (
        Key("warning_threshold", "part", "From this part of the context on there is a warning.",
            "0.8"),
        Key("hard_limit", "part",
            "From this part on the session is paused until a person lifts it.", "0.95"),
        Key("context_tokens", "whole", "How many tokens the context holds.", "200000"),
    ), some=("warning_threshold", "hard_limit")),
)})  # fmt: skip

PLUGIN = Table("guard", """\
A file of `guards/` in `.agents`, `.claude`, `.bitcode` or `.interlock`, of a home or a project:
patterns for tools, as other agents' guards are \
written. In a home a guard takes the place of one with the same id in an earlier folder of these
four, all of it, also where it says less; of two in \
one folder both hold. A
project's guard takes the place of none: it is added to those of the home and of the project's
other folders, and the \
strictest answer counts. `interlock policy show` names what was displaced.""", (
    Key("id", "name", "A name of its own; case and signs make no difference.", needed=True),
    Key("tool", "tool list", "The tools, by the names their client knows: Bash, or `Write,Edit`. Any tool where it is missing.", many=SOME),
    Key("patterns", "guard pattern", "What is looked for.", many=LIST, needed=True),
))  # fmt: skip
SKILL = Table("guard skill", "The front matter of a skill of `guard-skills/` (`NAME.md` or `NAME/SKILL.md`): what a guard agent is told below it.", (
    Key("name", "name", "A name of its own.", needed=True),
    Key("description", "text", "When it helps, in a line: by that the guard agent chooses it.",
        needed=True),
    Key("language", "language", "The language it is for.", "every call"),
    Key("auto_invoke", "truth",
        "It is told with every call in its language, without being asked for.", "false"),
))  # fmt: skip
TABLES.update({table.name: table for table in (
    PLUGIN,
    SKILL,
    Table("guard pattern", "", (
        Key("match", "text", "A pattern that is looked for in the call's text: a regular expression without references back and looking around."),
        Key("file_match", "path", "A pattern of paths that are read or changed, by whatever tool."),
        Key("verdict", "guard verdict", "`allow` says nothing: of all that is said the strictest counts. `llm` asks the validator.", needed=True),
        Key("reason", "text", "Why, for the person and the agent."),
    ), some=("match", "file_match")),
)})  # fmt: skip

CASES = Table("cases",
    "A file for `interlock policy test`: calls, and what the policy has to say of them.", (
    Key("cases", "case", "The calls, each in a project of its own below the home.", many=LIST,
        needed=True),
))  # fmt: skip
TABLES.update({table.name: table for table in (
    CASES,
    Table("case", "", (
        Key("name", "text", "What it shows."),
        Key("call", "example", "The call, as in a rule's `catches`.", needed=True),
        Key("cwd", "text",
            "The folder it is made in; one without / at the start lies in the workspace.",
            "the workspace"),
        Key("workspace", "text", "The folder that was lent.", "`project` below the home"),
        Key("platform", "platform", "How paths are read.", "linux"),
        Key("shell", "shell kind", "Who reads the command.", "as the tool says"),
        Key("prompt", "text", "What the person had said, the latest last.", many=SOME),
        Key("expect", "answer", "The answer."),
        Key("rules", "text", "Ids of rules that have to speak.", many=SOME),
        Key("not_rules", "text", "Ids of rules that must not.", many=SOME),
    ), some=("expect", "rules", "not_rules")),
)})  # fmt: skip
