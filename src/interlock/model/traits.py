"""The traits that effects may have: what a rule may ask for besides kind, place and host.

A trait is declared here before anything sets it; tests/effects/test_traits.py holds the readers to that.
"""

from __future__ import annotations

TRAITS = frozenset(
    """
    absolute-names administrator after-secret agent all all-of alter append applescript apply
    archived at attaches attributes audit auto-approve awk awk-system awk-unknown boot branch
    browser bucket build-output by-name by-path by-pid by-port c capabilities captures
    carries-environment carries-outside carries-secret carries-token carries-variable carries-workspace
    certificates changed-description changed-hook cleanup clear client-settings clipboard clock clojure clone
    cloned cluster cluster-exec cmd commits committed config configured-remote copied create
    credentials cron database database-server deceptive decoded default-refs defaults delete
    delete-all deploy destroy dev-port dns download downloaded drives-applications drop elixir
    elsewhere emptied encoded environment-command environment-hook erlang exec extracted file
    file-url filter filter-branch filter-repo firewall firewall-off firmware flush force
    force-with-lease format found ftp-command gc gc-prune gdb get git git-config-command global go
    grant groovy halt haskell headers held hidden hidden-window hides history holds-secret
    host-mount host-namespace host-network hostname hosts identity if-cd-fails ignored in-container
    in-place init inline inline-data insecure install interactive interactive-cluster jar java
    javascript keeps-guard julia kernel kill known known-members known-text ladder library-path link linked lisp listed load
    loads local-file locks log login login-item lookup lua made-here main makefile manifest
    many-machines marshal matlab mcp message mild mirror modify module mount move moved moved-to
    named narrows native nested nested-agent network network-config new-key no-clobber no-path
    no-preserve-root no-text nothing-lost obliterate ocaml odd-name of-project option option-command
    other-index outside overwritten own own-code own-command own-package own-parts owner package
    package-script packages parents partition partly-known password perl permission php pickle
    plugin post power poweroff powershell privileged project proxy prune public published python quarantine
    quarantine-off query r raid raw reboot recursive redirect redirects reflog registry release
    remote remote-access remote-command remote-set remote-shell remove removed removes-access repack repository
    restore restored root-account ruby run runas runs-shell rust says-changes says-destructive scan
    script searched secret secret-access security-off security-tool sed sed-e sent serves-files sets-bounds
    service service-stop setuid sh shell shell-copy site socket soft some-of sql-script ssh-key
    staged stale-lock start startup stash stop stop-named stops subcommand substitution suspend swap swift
    syntax sysctl system tag tags tcl tests time timestamps to-root too-much tool-call tool-edit
    tool-write touched tracked trash truncate tunnel unknown-command unknown-data unknown-folder
    unknown-function unknown-host unknown-module unknown-program unknown-ref unknown-target unknown-tool
    unknown-word unread unread-file unrecognised unseen untracked update update-all upload url
    url-remote use-askpass user users v vcs volume volumes workspace worktree world-writable write
    zero
    """.split()
)
BEGIN = ("from-", "method-", "remote-set-")
"""What families of traits begin with: where code or data comes from, the method of a request, the name of a remote that is set."""


def is_declared(trait: str) -> bool:
    """Whether something may set a trait."""
    return trait in TRAITS or trait.startswith(BEGIN)
