"""What a policy file may say, as rows: the one source of checks, messages, the JSON Schema for
editors and the page of documentation.
"""

from __future__ import annotations

from interlock.model.record import Record

ORGANISATION, FLEET, TENANT, USER, PROJECT, SESSION = LAYERS = (
    "organisation",
    "fleet",
    "tenant",
    "user",
    "project",
    "session",
)
"""The layers by rank, the highest first. ``fleet``: what the service of this machine's team
published, below what lies on this very machine and above all that its user says.
"""
EVERY = frozenset(LAYERS)
PEOPLE = EVERY - {PROJECT}
"""Who may loosen: a project may only tighten, unless its user trusted it."""
PUBLISHED = frozenset({ORGANISATION, FLEET})
"""Who speaks for the whole organisation."""
ABOVE = PUBLISHED | {TENANT}
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


class SchemaKey(Record):
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


class SchemaTable(Record):
    """A table of keys. ``some``: at least one of these keys has to be there."""

    name: str
    meaning: str
    keys: tuple[SchemaKey, ...]
    some: tuple[str, ...] = ()


POLICY = SchemaTable("policy", "A policy file.", (
    SchemaKey("version", "version", "The version of this format: 1. (\"1.0\" is the older shape below.)",
        needed=True),
    SchemaKey("profile", "name",
        "The rules everything else builds on. A project's choice can only be stricter.",
        "default"),
    SchemaKey("observe", "truth",
        "Only record what would be answered. The guard's own files stay protected.", "false",
        layers=OBSERVERS),
    SchemaKey("tenant", "name",
        "Which tenant this machine works for: its file is tenants/NAME.yaml beside this one.",
        layers=PUBLISHED),
    SchemaKey("roles", "name", "Who may approve: the name of a user of this machine, and the roles held.",
        many=MAP, layers=PUBLISHED),
    SchemaKey("workspace", "workspace", "What the agent was lent."),
    SchemaKey("hosts", "hosts", "Hosts of your own."),
    SchemaKey("places", "place", "What paths of your own are.", many=LIST),
    SchemaKey("files", "files", "Paths that may be used, and paths that may not."),
    SchemaKey("rules", "rule", "Rules of your own.", many=LIST),
    SchemaKey("tune", "tune", "Other actions for rules that exist.", many=LIST),
    SchemaKey("allow", "exception", "Exceptions: what a rule is not to speak of. A project's count only when its user trusted the file.", many=LIST),
    SchemaKey("programs", "program", "Programs of your own, so that calls of them can be proven harmless. What interlock knows itself stays as it is.",
        many=LIST, layers=PEOPLE),
    SchemaKey("environments", "environment", "Surroundings that need care, by a name such as production.",
        many=MAP),
    SchemaKey("limits", "limits", "Rates, budgets and durations."),
    SchemaKey("approvals", "approvals", "How people are asked."),
    SchemaKey("obligations", "obligation", "What else has to happen with a call.", many=LIST),
    SchemaKey("checkpoints", "checkpoints", "How checkpoints are used and kept."),
    SchemaKey("stop", "stop", "When a session is stopped by itself, until a person resumes it."),
    SchemaKey("notify", "way", "How people are told: terminal, desktop, the address of a web hook, or an address of the apprise library.", many=SOME,
        layers=PEOPLE),
    SchemaKey("intent", "intent", "What becomes of calls that do not fit what the person asked for.",
        "on"),
    SchemaKey("proven", "proven", "What becomes of a call that is proven harmless: `pass` leaves the client's own question to the client, `approve` "
        "answers it with yes, where the client lets a hook do so. A project's file may only say `pass`.", "pass"),
    SchemaKey("unproven", "unproven", "The least that is answered to a call that is not proven harmless.",
        "pass"),
    SchemaKey("proven_scope", "scope of proofs", "What counts as harmless: to read; to edit, build and test in the workspace; that, and to read from "
        "allowed hosts.", "workspace"),
    SchemaKey("validator", "validator", "The language model that looks at what rules want reviewed; without one a person is asked.", layers=PEOPLE),
    SchemaKey("audit", "audit", "What is recorded."),
), some=(
    "profile", "observe", "tenant", "roles", "workspace", "hosts", "places", "files", "rules",
    "tune", "allow", "programs", "environments", "limits",
    "approvals", "obligations", "checkpoints", "stop", "notify", "intent", "proven", "unproven",
    "proven_scope", "validator", "audit",
))  # fmt: skip

TABLES: dict[str, SchemaTable] = {table.name: table for table in (
    POLICY,
    SchemaTable("workspace", "Folders besides the one in which the session began.", (
        SchemaKey("roots", "path",
            "Folders that count as the workspace too; never /, a home, or a folder of the system.",
            many=SOME, layers=PEOPLE),
    ), some=("roots",)),
    SchemaTable("hosts", "A name stands for the host and every host below it.", (
        SchemaKey("allow", "host", "Hosts that count as allowed: reading from them warns nobody.",
            many=SOME),
        SchemaKey("block", "host", "Hosts that nothing may connect to or send to.", many=SOME),
    ), some=("allow", "block")),
    SchemaTable("place", "What lies at some paths.", (
        SchemaKey("path", "path", "The paths: `*` within a name, `**` across folders.", many=SOME,
            needed=True),
        SchemaKey("nature", "nature", "What they are, besides what interlock knows: secret, persistence... (`generated` loosens.)", many=SOME, needed=True),
    )),
    SchemaTable("files", "Blocked beats allowed. A folder, `folder/*` and `folder/**` stand for everything below it.", (
        SchemaKey("allow", "path",
            "Paths that may be read and changed; if this is there, nothing else may be.",
            many=SOME),
        SchemaKey("block", "path", "Paths that may be neither read nor changed.", many=SOME),
        SchemaKey("read_only", "path", "Paths that may be read and not changed.", many=SOME),
    ), some=("allow", "block", "read_only")),
    SchemaTable("rule", "A rule, as the built-in ones are written.", (
        SchemaKey("id", "id", "A name of its own: family.verb-object.", needed=True),
        SchemaKey("title", "text", "Completes \"This call ...\".", needed=True),
        SchemaKey("why", "text", "Why it matters, for the person who is asked."),
        SchemaKey("instead", "text", "A safer way, said to the agent."),
        SchemaKey("match", "match", "Which effects it speaks of.", needed=True),
        SchemaKey("action", "action", "What it says.", needed=True),
        SchemaKey("possible", "any action", "What it says where the effect is only possible.",
            "one name lower"),
        SchemaKey("floor", "any action", "No layer may go below.", "allow", layers=ABOVE),
        SchemaKey("tags", "name", "Words by which rules are tuned and listed.", many=SOME),
        SchemaKey("approver", "name", "The role whose approval it takes."),
        SchemaKey("quorum", "whole", "So many people of that role.", "1"),
        SchemaKey("second_person", "truth", "None of them may be the one the agent works for.", "false"),
        SchemaKey("wait", "duration", "How long a request waits for an answer.",
            "as approvals.wait says"),
        SchemaKey("anywhere", "truth", "A yes of the team counts for the same call on another machine, too: once in all.", "false"),
        SchemaKey("catches", "example",
            "Calls it has to catch; a policy whose examples fail is not loaded.", many=LIST),
        SchemaKey("passes", "example", "Calls it must not speak of: near misses.", many=LIST),
    )),
    SchemaTable("match", "Effects that fit every key. A list means any of its words.", (
        SchemaKey("effect", "kind of effect", "What the call would do.", many=SOME),
        SchemaKey("location", "location", "Where the target lies.", many=SOME),
        SchemaKey("nature", "nature", "What the target is.", many=SOME),
        SchemaKey("no_nature", "nature", "What it is not.", many=SOME),
        SchemaKey("host", "class of hosts", "What kind of host is reached.", many=SOME),
        SchemaKey("path", "path", "Patterns of the target's path.", many=SOME),
        SchemaKey("not_path", "path", "Patterns it must not fit.", many=SOME),
        SchemaKey("target", "text",
            "Patterns of what is meant where it is no path: a host, a program, a remote, a tool.",
            many=SOME),
        SchemaKey("ref", "text",
            "Patterns of the branches or tags a push changes there; all of them have to fit.",
            many=SOME),
        SchemaKey("by", "text", "The program or tool that does it.", many=SOME),
        SchemaKey("traits", "trait", "All of these words: recursive, force, upload...", many=SOME),
        SchemaKey("any_trait", "trait", "At least one of these.", many=SOME),
        SchemaKey("no_trait", "trait", "None of these.", many=SOME),
        SchemaKey("remote", "truth", "Only on another machine, or only here."),
        SchemaKey("commands", "command", "Instead of effects: first words and options of commands (cmdlets: full names); one of them is run, "
            "with whatever options between the words. What only may be one is asked about at most.",
            many=SOME),
        SchemaKey("outside", "command",
            "Instead of effects: a shell command is run that is none of these.", many=SOME),
        SchemaKey("text", "text", "Instead of effects: words that stand in the call, one after the other. Such a rule can only ask.", many=SOME),
        SchemaKey("tool", "text",
            "With the three above: calls of these tools, as interlock or their client call them.",
            many=SOME),
    ), some=("effect", "commands", "outside", "text")),
    SchemaTable("tune", "Another action for rules that exist. Never below their floor, nor below what a higher layer said.", (
        SchemaKey("rule", "text", "Ids of rules.", many=SOME),
        SchemaKey("tag", "text", "Tags of rules, such as GR-008.", many=SOME),
        SchemaKey("action", "any action", "The action from now on."),
        SchemaKey("floor", "any action", "No layer may go below this any more.", layers=ABOVE),
        SchemaKey("tunable", "truth", "Lower layers may loosen this again.", "false", layers=PEOPLE),
        SchemaKey("approver", "name", "The role whose approval it takes.", layers=ABOVE),
    ), some=("rule", "tag")),
    SchemaTable("exception", (
        "What rules are not to speak of: an effect on a target that is named, or, for a rule that asks about commands on no list "
        "(`careful.unlisted-command`), `commands` that count as listed from now on: by their first words, and whatever else such a call does is "
        "judged as before. Refused where a rule's floor is above allow."
    ), (
        SchemaKey("rule", "text", "Ids of the rules.", many=SOME, needed=True),
        SchemaKey("match", "match",
            "Which effects: it has to name a path, a target or a ref. Or which commands.",
            needed=True),
        SchemaKey("because", "text", "Why.", needed=True),
        SchemaKey("until", "date", "The last day on which it counts."),
    )),
    SchemaTable("program", (
        "A program as a section of `src/interlock/data/programs/tools.txt` describes one, whole: an option that is not listed is not known. Verbs such as "
        "`deploy` and `delete` are judged as those of a program that nobody described."
    ), (
        SchemaKey("name", "text", "Its name, and others that mean the same.", many=SOME, needed=True),
        SchemaKey("says", "text", "What it takes: `operands reads* writes`, `runs project`, `-o --output =writes`, `--level =`, `-q --quiet`.", many=SOME,
            needed=True),
    )),
    SchemaTable("environment", "What changes it, connects to it or pushes to it is answered as `action` says, at least; a look is judged as elsewhere.", (
        SchemaKey("hosts", "host", "Hosts of it.", many=SOME),
        SchemaKey("words", "text", "Its names, as patterns, wherever a variable, an option or a context says where a command goes: NODE_ENV, "
            "RAILS_ENV, DJANGO_SETTINGS_MODULE, APP_ENV and their like, --env, --context, --stack, TF_WORKSPACE, DOCKER_CONTEXT, "
            "`docker context use`.", many=SOME),
        SchemaKey("kube_contexts", "text", "Contexts of kubectl, helm and docker, as patterns.",
            many=SOME),
        SchemaKey("cloud_accounts", "text",
            "Accounts, profiles, projects and subscriptions of cloud programs, as patterns.",
            many=SOME),
        SchemaKey("paths", "path", "Paths of it.", many=SOME),
        SchemaKey("git_refs", "text", "Branches and tags that stand for it, as patterns.", many=SOME),
        SchemaKey("action", "action", "The least that is answered.", "ask"),
        SchemaKey("approver", "name", "The role whose approval it takes."),
    ), some=("hosts", "words", "kube_contexts", "cloud_accounts", "paths", "git_refs")),
    SchemaTable("limits", "All off unless named. Those of several layers hold together.", (
        SchemaKey("rates", "rate limit", "At most so many calls in a time.", many=LIST),
        SchemaKey("tokens", "token budget", "At most so many tokens.", many=LIST),
        SchemaKey("cost", "cost budget", "A person approves each further amount of money.", many=LIST),
        SchemaKey("concurrent", "concurrency", "At most so many calls at once.", many=LIST),
        SchemaKey("duration", "session duration", "How long a session lasts.", many=LIST),
        SchemaKey("prices", "price", "What models cost.", many=LIST, layers=PEOPLE),
        SchemaKey("lease", "duration", "When a call without an outcome counts as ended.", "10m",
            layers=PEOPLE),
    ), some=("rates", "tokens", "cost", "concurrent", "duration", "prices", "lease")),
    SchemaTable("rate limit", "", (
        SchemaKey("rate", "rate", "`60/minute`, `10/30s`.", needed=True),
        SchemaKey("tools", "tools", "Which calls.", "*"),
        SchemaKey("per", "per", "For whom it is counted.", "session"),
        SchemaKey("burst", "whole", "How many may come at once.", "as many as the rate's count"),
    )),
    SchemaTable("token budget", "", (
        SchemaKey("limit", "whole", "Tokens.", needed=True),
        SchemaKey("warning", "part", "From this part on there is a warning.", "0.8"),
        SchemaKey("hard", "part", "From this part on the session is paused until a person lifts it.",
            "0.95"),
        SchemaKey("per", "per", "For whom it is counted.", "session"),
        SchemaKey("of", "tokens", "All that was spent, or what the last request held.", "spent"),
        SchemaKey("every", "duration", "When the count starts anew.", "never"),
        SchemaKey("cached", "truth", "What came from the provider's cache counts.", "true"),
        SchemaKey("reserve", "whole", "Set aside for each call under way.", "0"),
    )),
    SchemaTable("cost budget", "", (
        SchemaKey("threshold", "number", "US dollars.", needed=True),
        SchemaKey("per", "per", "For whom it is counted.", "session"),
        SchemaKey("every", "duration", "When the count starts anew.", "never"),
        SchemaKey("reserve", "number", "Set aside for each call under way.", "0"),
        SchemaKey("approver", "name", "The role whose approval it takes.", "lead"),
    )),
    SchemaTable("concurrency", "", (
        SchemaKey("most", "whole", "Calls.", needed=True),
        SchemaKey("tools", "tools", "Which calls.", "*"),
        SchemaKey("per", "per", "For whom it is counted.", "session"),
    )),
    SchemaTable("session duration", "", (
        SchemaKey("most", "duration", "From the first call on.", needed=True),
        SchemaKey("warning", "part", "From this part on there is a warning.", "0.8"),
    )),
    SchemaTable("price", "US dollars for a million tokens.", (
        SchemaKey("model", "text", "The model's name.", needed=True),
        SchemaKey("input", "number", "Read anew.", needed=True),
        SchemaKey("output", "number", "Written.", needed=True),
        SchemaKey("cached", "number", "Read from the provider's cache.", needed=True),
        SchemaKey("written", "number", "Written into the provider's cache.", needed=True),
    )),
    SchemaTable("approvals", "", (
        SchemaKey("wait", "duration", "How long a request waits for an answer.", "5m"),
        SchemaKey("session", "duration", "How long a yes for the session counts.", "12h"),
        SchemaKey("project", "duration", "How long a yes for the project counts.", "30d"),
        SchemaKey("uses", "whole", "How often such a yes counts.", "100"),
        SchemaKey("most_pending", "whole", "How many requests of one session may wait.", "50"),
        SchemaKey("token_always", "truth", "A yes needs the person's token even at a terminal.", "false"),
    ), some=("wait", "session", "project", "uses", "most_pending", "token_always")),
    SchemaTable("obligation", (
        "What goes with a call when a rule speaks. `checkpoint` is taken before it runs. `sandbox` is what `interlock run` and `interlock code` do, "
        "and `redact` (hiding secrets in what it prints) what `interlock mcp` does; no client's hook does either. Where one of these is not carried "
        "out, the call is asked about. `notify` tells people afterwards and stops nothing."
    ), (
        SchemaKey("rule", "text", "Ids of rules that spoke.", many=SOME),
        SchemaKey("tag", "text", "Tags of rules that spoke.", many=SOME),
        SchemaKey("do", "obligation word", "What has to happen.", many=SOME, needed=True),
    ), some=("rule", "tag")),
    SchemaTable("checkpoints", "", (
        SchemaKey("loss", "loss", "What becomes of a call whose whole loss a checkpoint brings back: it runs, or it is asked about all the same.", "run"),
        SchemaKey("keep", "duration", "How old checkpoints may get: whole days.", "14d", layers=PEOPLE),
        SchemaKey("megabytes", "whole", "How large all of them together may get.", "2048", layers=PEOPLE),
    ), some=("loss", "keep", "megabytes")),
    SchemaTable("stop", "Each on its own. Those of several layers hold together.", (
        SchemaKey("repeats", "whole", "The same call came so many times in a row.", "0: never"),
        SchemaKey("refused_goals", "whole",
            "It reached so many times for what it was refused before, in whatever way.",
            "0: never"),
        SchemaKey("denials", "rate", "So many calls were denied in a time: `10/minute`."),
        SchemaKey("calls", "rate", "So many calls were made in a time."),
        SchemaKey("rule", "text", "One of these rules spoke: ids.", many=SOME),
        SchemaKey("tag", "text",
            "A rule with one of these tags spoke. `GR-006` is the pause of a budget.", many=SOME),
        SchemaKey("kill", "truth", "The processes of the session are ended as well.", "false",
            layers=PEOPLE),
    ), some=("repeats", "refused_goals", "denials", "calls", "rule", "tag")),
    SchemaTable("validator", (
        "A model is asked where a rule says `review`: one question about the call and its effects, without secrets. Its ALLOW lets the review pass "
        "and nothing else; an error, a late or an unclear answer asks a person."
    ), (
        SchemaKey("protocol", "protocol",
            "How it is spoken to. Most local models and gateways speak openai-chat.", needed=True),
        SchemaKey("model", "text", "The model's name.", needed=True),
        SchemaKey("url", "endpoint", "Where it is asked.", "the protocol's own provider"),
        SchemaKey("key_file", "file", "The file that holds the key; nobody else may read it.",
            "no key is sent"),
        SchemaKey("wait", "duration",
            "How long an answer may take: at most 10s, for agents wait for a hook only so long.",
            "8s"),
        SchemaKey("agent", "truth",
            "The model may look closer before it answers, with skills: the guard agent.", "false"),
        SchemaKey("turns", "whole", "How often the guard agent may look closer for one call: at most 10.",
            "4"),
        SchemaKey("tokens", "whole", "How many tokens the guard agent may take for one call.", "20000"),
        SchemaKey("remember", "duration", "How long an answer of the guard agent counts for the same call, effects and policy; at most 7d.", "1d"),
    )),
    SchemaTable("audit", "", (
        SchemaKey("required", "truth", "A call that cannot be recorded is asked about.", "false"),
        SchemaKey("prompts", "prompts", "What is kept of what a person typed.", "digest", layers=PEOPLE),
        SchemaKey("durable", "durable", "When a record is safe before its call is answered: once the system has it, which outlasts the end of any program "
            "(batch), or once the disk has it, which outlasts a power cut and takes longer (always).", "batch"),
        SchemaKey("redact", "name", "Names of fields, variables and options whose values are secrets too: no record keeps them.", many=SOME),
        SchemaKey("keep", "duration", "How long records are kept: whole days, such as 90d.",
            "without end", layers=PEOPLE),
    ), some=("required", "prompts", "durable", "redact", "keep")),
)}  # fmt: skip

ADR = SchemaTable("older policy", "The shape of version \"1.0\".", (
    SchemaKey("version", "version", "\"1.0\".", needed=True),
    SchemaKey("tenant", "name", "Which of the tenants below this machine works for.",
        layers=PUBLISHED),
    SchemaKey("roles", "name", "Who may approve: the name of a user of this machine, and the roles held.",
        many=MAP, layers=PUBLISHED),
    SchemaKey("global", "scope", "For all tenants."),
    SchemaKey("tenant_overrides", "scope", "By the name of a tenant: what holds for that one besides.",
        many=MAP, layers=PUBLISHED),
), some=("global", "tenant_overrides"))  # fmt: skip

TABLES.update({table.name: table for table in (
    ADR,
    SchemaTable("scope", "", (
        SchemaKey("destructive_operations", "destructive operations", "Deleting, dropping, forcing."),
        SchemaKey("file_access", "file access", "Blocked beats allowed."),
        SchemaKey("rate_limits", "rate limits", "Calls in a time, by class of tools."),
        SchemaKey("token_budget", "context budget", "How full the model's context may be."),
    ), some=("destructive_operations", "file_access", "rate_limits", "token_budget")),
    SchemaTable("destructive operations", "", (
        SchemaKey("require_confirmation", "confirmation", "`true`: as the built-in rules do (GR-001). `always`: each deletion, of a single file too."),
        SchemaKey("require_approval_from", "name", "Roles of which one has to approve what is asked about for being destroyed (files, work in git, "
            "databases, containers), published, forced onto a remote, changed in a cloud or cluster, or done with another user's rights: what a rule "
            "with the tag `data-loss`, `publish`, `production` or `privilege` asks about.",
            many=SOME),
        SchemaKey("blocked_patterns", "text", "Commands by their first words, and statements of databases: they are denied, with whatever options between "
            "the words and whatever follows, and so is what does the same by another program. Words that are only shown or written are not; "
            "`interlock policy check` says how each was understood.", many=SOME),
    ), some=("require_confirmation", "require_approval_from", "blocked_patterns")),
    SchemaTable("file access", "", (
        SchemaKey("allowed_paths", "path",
            "Paths that may be used; if this is there, nothing else may be.", many=SOME),
        SchemaKey("blocked_paths", "path", "Paths that may be neither read nor changed.", many=SOME),
    ), some=("allowed_paths", "blocked_paths")),
    SchemaTable("rate limits", "", (
        SchemaKey("bash_commands", "rate", "Shell commands."),
        SchemaKey("file_writes", "rate", "Calls that write or delete files."),
        SchemaKey("api_calls", "rate", "Calls that reach the network."),
    ), some=("bash_commands", "file_writes", "api_calls")),
    SchemaTable("context budget", "", (
        SchemaKey("warning_threshold", "part", "From this part of the context on there is a warning.",
            "0.8"),
        SchemaKey("hard_limit", "part",
            "From this part on the session is paused until a person lifts it.", "0.95"),
        SchemaKey("context_tokens", "whole", "How many tokens the context holds.", "200000"),
    ), some=("warning_threshold", "hard_limit")),
)})  # fmt: skip

PLUGIN = SchemaTable("guard", """\
A file of `guards/` in `.agents`, `.claude`, `.bitcode` or `.interlock`, of a home or a project:
patterns for tools, as other agents' guards are \
written. In a home a guard takes the place of one with the same id in an earlier folder of these
four, all of it, also where it says less; of two in \
one folder both hold. A
project's guard takes the place of none: it is added to those of the home and of the project's
other folders, and the \
strictest answer counts. `interlock policy show` names what was displaced.""", (
    SchemaKey("id", "name", "A name of its own; case and signs make no difference.", needed=True),
    SchemaKey("tool", "tool list", "The tools, by the names their client knows: Bash, or `Write,Edit`. Any tool where it is missing.", many=SOME),
    SchemaKey("patterns", "guard pattern", "What is looked for.", many=LIST, needed=True),
))  # fmt: skip
SKILL = SchemaTable("guard skill", "The front matter of a skill of `guard-skills/` (`NAME.md` or `NAME/SKILL.md`): what a guard agent is told below it.", (
    SchemaKey("name", "name", "A name of its own.", needed=True),
    SchemaKey("description", "text", "When it helps, in a line: by that the guard agent chooses it.",
        needed=True),
    SchemaKey("language", "language", "The language it is for.", "every call"),
    SchemaKey("auto_invoke", "truth",
        "It is told with every call in its language, without being asked for.", "false"),
))  # fmt: skip
TABLES.update({table.name: table for table in (
    PLUGIN,
    SKILL,
    SchemaTable("guard pattern", "", (
        SchemaKey("match", "text", "A pattern that is looked for in the call's text: a regular expression without references back and looking around."),
        SchemaKey("file_match", "path", "A pattern of paths that are read or changed, by whatever tool."),
        SchemaKey("verdict", "guard verdict", "`allow` says nothing: of all that is said the strictest counts. `llm` asks the validator.", needed=True),
        SchemaKey("reason", "text", "Why, for the person and the agent."),
    ), some=("match", "file_match")),
)})  # fmt: skip

CASES = SchemaTable("cases",
    "A file for `interlock policy test`: calls, and what the policy has to say of them.", (
    SchemaKey("cases", "case", "The calls, each in a project of its own below the home.", many=LIST,
        needed=True),
))  # fmt: skip
TABLES.update({table.name: table for table in (
    CASES,
    SchemaTable("case", "", (
        SchemaKey("name", "text", "What it shows."),
        SchemaKey("call", "example", "The call, as in a rule's `catches`.", needed=True),
        SchemaKey("cwd", "text",
            "The folder it is made in; one without / at the start lies in the workspace.",
            "the workspace"),
        SchemaKey("workspace", "text", "The folder that was lent.", "`project` below the home"),
        SchemaKey("platform", "platform", "How paths are read.", "linux"),
        SchemaKey("shell", "shell kind", "Who reads the command.", "as the tool says"),
        SchemaKey("prompt", "text", "What the person had said, the latest last.", many=SOME),
        SchemaKey("expect", "answer", "The answer."),
        SchemaKey("rules", "text", "Ids of rules that have to speak.", many=SOME),
        SchemaKey("not_rules", "text", "Ids of rules that must not.", many=SOME),
    ), some=("expect", "rules", "not_rules")),
)})  # fmt: skip
