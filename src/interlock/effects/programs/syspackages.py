"""Package managers of the system: what they install, remove or update for all (their manuals)."""

from __future__ import annotations

from interlock.effects.programs.installing import by_verbs
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.ownpackage import own_package
from interlock.effects.programs.packages import verbs
from interlock.effects.run import Run
from interlock.model.effect import Installs, Reads
from interlock.shell.value import UNREAD, Flow, Value

_APT = verbs(
    "install:system= install reinstall build-dep satisfy source+install",
    "always:system,remove= remove purge autoremove autopurge dselect-upgrade",
    "always:system,update= update upgrade full-upgrade dist-upgrade safe-upgrade",
    "config:/etc/apt/sources.list= edit-sources",
)


def _apt(run: Run) -> Flow:
    """apt: ``-o ..Pre-Invoke::=COMMAND`` runs a command; a local file is read."""
    for value in run.parsed.values("-o", "--option"):
        key, _, text = value.text.partition("=")
        if (
            any(
                word in key.lower()
                for word in (
                    "invoke",
                    "pre-install-pkgs",
                    "post-install-pkgs",
                    "::command",
                    "pager",
                    "bin::",
                )
            )
            and text
        ):
            option_command(run, Value(text, value.start, value.end, value.why), key)
    return by_verbs(_APT)(run)


def _letters(run: Run, adds: str, removes: str, updates: str) -> Flow:
    """Programs whose action is an option: ``dpkg -i``, ``rpm -Uvh``, ``pacman -S``."""
    flags = run.parsed.flags
    if run.has("--dry-run", "--simulate", "--test", "--print", "-p"):
        return UNREAD
    traits = []
    if flags & set(adds.split()):
        traits = ["system"]
    elif flags & set(removes.split()):
        traits = ["system", "remove"]
    elif flags & set(updates.split()):
        traits = ["system", "update"]
    if traits:
        for value in run.operands or [Value("")]:
            if value.text.startswith((".", "/")) or value.text.endswith(
                (".deb", ".rpm", ".tar.zst")
            ):
                run.path(Reads, value)
            run.effect(
                Installs,
                value.text,
                *traits,
                *(["url"] if "://" in value.text else []),
                *own_package(value),
                value=value,
            )
    return UNREAD


def _dpkg(run: Run) -> Flow:
    return _letters(
        run,
        "-i --install --unpack --configure",
        "-r --remove -P --purge",
        "--update-avail --clear-avail --set-selections",
    )


def _rpm(run: Run) -> Flow:
    """rpm: queries have ``-q`` or ``-V``, whatever else is there; a macro ``%(..)`` is a command
    (rpm's manual on macros).
    """
    for value in run.arguments:
        command = value.text.partition("%(")[2].rpartition(")")[0]
        if command:
            run.code(Value(command, value.start, value.end, value.why))
    if run.has("-q", "--query", "-V", "--verify", "-K", "--checksig", "--eval", "-E"):
        return UNREAD
    return _letters(
        run, "-i --install -U --upgrade -F --freshen --import", "-e --erase", "--rebuilddb --initdb"
    )


def _pacman(run: Run) -> Flow:
    """pacman: ``-Q`` and ``-F`` ask; ``-Ss``, ``-Si`` and ``-Sl`` search."""
    if run.has("-Q", "--query", "-F", "--files", "-T") or (
        run.has("-S") and run.has("-s", "-i", "-l", "-g", "--search", "--info")
    ):
        return UNREAD
    for value in run.parsed.values("--hookdir", "--config"):
        run.path(Reads, value)
    return _letters(run, "-S --sync -U --upgrade", "-R --remove", "-y -D --database")


_NIX = verbs(
    "always:user= profile+install profile+add",
    "always:user,remove= profile+remove",
    "always:user,update= profile+upgrade",
    "exec= run shell",
    "command= develop",
)


def _nix(run: Run) -> Flow:
    """``nix develop -c COMMAND``, ``nix shell NAME --command COMMAND``: all words behind it."""
    words = [value.text for value in run.arguments]
    at = next((at for at, word in enumerate(words) if word in ("-c", "--command")), -1)
    return run.command(run.arguments[at + 1 :]) if at >= 0 else by_verbs(_NIX)(run)


def _nix_env(run: Run) -> Flow:
    return _letters(
        run, "-i --install -iA -A", "-e --uninstall --delete-generations", "-u --upgrade --rollback"
    )


def _nix_shell(run: Run) -> Flow:
    """nix-shell: packages for one shell; ``--run TEXT`` is read."""
    for value in run.parsed.values("-p", "--packages"):
        run.effect(Installs, value.text, "exec", value=value)
    flow = UNREAD
    for value in run.parsed.values("--run", "--command"):
        flow = run.code(value)
    return flow


def _makepkg(run: Run) -> Flow:
    """makepkg(8): builds a package; ``-i`` installs it, ``-s`` its needs, for the whole machine."""
    if run.has("-i", "--install", "-s", "--syncdeps", "-r", "--rmdeps"):
        run.effect(Installs, "", "system")
    run.executes(run.name, "package-script")
    return UNREAD


def _emerge(run: Run) -> Flow:
    if run.has("-p", "--pretend", "-s", "--search", "-S", "--info"):
        return UNREAD
    trait = (
        ["remove"]
        if run.has("-C", "-c", "--unmerge", "--depclean")
        else ["update"]
        if run.has("--sync", "-u")
        else []
    )
    for value in run.operands or [Value("")]:
        run.effect(Installs, value.text, "system", *trait, *own_package(value), value=value)
    return UNREAD
