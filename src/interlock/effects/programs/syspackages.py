"""Package managers of the system: what they install, remove or update for everybody (their manuals)."""

from __future__ import annotations

from interlock.effects.programs.installing import by_verbs, own_package
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.packages import verbs
from interlock.effects.rows import Row
from interlock.model.effect import Installs, Reads
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_APT = verbs(
    "install:system= install reinstall build-dep satisfy source+install",
    "always:system,remove= remove purge autoremove autopurge dselect-upgrade",
    "always:system,update= update upgrade full-upgrade dist-upgrade safe-upgrade",
    "config:/etc/apt/sources.list= edit-sources",
)
_YUM = verbs(
    "install:system= install reinstall localinstall groupinstall group+install module+install in builddep si source-install",
    "always:system,remove= remove erase autoremove groupremove group+remove rm module+remove clean+none",
    "always:system,update= update upgrade distro-sync makecache downgrade up dup dist-upgrade ref refresh patch swap group+upgrade group+update "
    "module+update",
    "always:system,url= config-manager addrepo ar removerepo rr copr+enable",
)
_APK = verbs("install:system= add", "always:system,remove= del", "always:system,update= update upgrade fix")
_SNAP = verbs(
    "install:system= install",
    "always:system,remove= remove",
    "always:system,update= refresh revert",
    "always:system= enable disable connect set alias",
    "service= stop start restart",
    "command= run",
)
_FLATPAK = verbs("install:system= install", "always:system,remove= uninstall remove", "always:system,update= update", "always:system,url= remote-add",
    "always:system= override permission-set")  # fmt: skip
_BREW = verbs(
    "install:system= install reinstall cask+install bundle bundle+install link",
    "always:system,remove= uninstall remove rm autoremove unlink cask+uninstall untap",
    "always:system,update= update upgrade up cleanup",
    "always:system,url= tap",
    "service= services",
    "shows= list ls info search deps uses outdated config doctor home cat log leaves tap-info",
)
_PORT = verbs(
    "install:system= install activate", "always:system,remove= uninstall deactivate reclaim", "always:system,update= selfupdate sync upgrade"
)
_WINGET = verbs(
    "install:system= install add import",
    "always:system,remove= uninstall remove rm",
    "always:system,update= upgrade update",
    "always:system,url= source+add",
)
_CHOCO = verbs(
    "install:system= install",
    "always:system,remove= uninstall",
    "always:system,update= upgrade",
    "always:system,url= source+add bucket+add",
    "publish:package= push",
    "install:system= install",
)
_PKG = verbs("install:system= install add -i", "always:system,remove= delete remove autoremove", "always:system,update= update upgrade")
_EOPKG = verbs("install:system= install it", "always:system,remove= remove rm autoremove rmo", "always:system,update= upgrade up update-repo ur",
    "always:system,url= add-repo ar")  # fmt: skip
_ADDONS = verbs("install:user= core+install lib+install plugin+install extension+install labextension+install install",
    "always:user,remove= core+uninstall lib+uninstall uninstall", "always:user,update= core+upgrade lib+upgrade upgrade")  # fmt: skip
_GUIX = verbs("always:user= install", "always:user,remove= remove", "always:user,update= pull upgrade", "command= shell environment")


def _apt(run: Run) -> Flow:
    """apt: ``-o ..Pre-Invoke::=COMMAND`` runs a command; a local file is read."""
    for value in run.parsed.values("-o", "--option"):
        key, _, text = value.text.partition("=")
        if any(word in key.lower() for word in ("invoke", "pre-install-pkgs", "post-install-pkgs", "::command", "pager", "bin::")) and text:
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
            if value.text.startswith((".", "/")) or value.text.endswith((".deb", ".rpm", ".tar.zst")):
                run.path(Reads, value)
            run.effect(Installs, value.text, *traits, *(["url"] if "://" in value.text else []), *own_package(value), value=value)
    return UNREAD


def _dpkg(run: Run) -> Flow:
    return _letters(run, "-i --install --unpack --configure", "-r --remove -P --purge", "--update-avail --clear-avail --set-selections")


def _rpm(run: Run) -> Flow:
    """rpm: queries have ``-q`` or ``-V``, whatever else is there; a macro ``%(..)`` is a command (rpm's manual on macros)."""
    for value in run.arguments:
        command = value.text.partition("%(")[2].rpartition(")")[0]
        if command:
            run.code(Value(command, value.start, value.end, value.why))
    if run.has("-q", "--query", "-V", "--verify", "-K", "--checksig", "--eval", "-E"):
        return UNREAD
    return _letters(run, "-i --install -U --upgrade -F --freshen --import", "-e --erase", "--rebuilddb --initdb")


def _pacman(run: Run) -> Flow:
    """pacman: ``-Q`` and ``-F`` ask; ``-Ss``, ``-Si`` and ``-Sl`` search."""
    if run.has("-Q", "--query", "-F", "--files", "-T") or (run.has("-S") and run.has("-s", "-i", "-l", "-g", "--search", "--info")):
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
    """``nix develop -c COMMAND``, ``nix shell NAME --command COMMAND``: all words behind the option."""
    words = [value.text for value in run.arguments]
    at = next((words.index(name) for name in ("-c", "--command") if name in words), -1)
    return run.command(run.arguments[at + 1 :]) if at >= 0 else by_verbs(_NIX)(run)


def _nix_env(run: Run) -> Flow:
    return _letters(run, "-i --install -iA -A", "-e --uninstall --delete-generations", "-u --upgrade --rollback")


def _nix_shell(run: Run) -> Flow:
    """nix-shell: packages for one shell; ``--run TEXT`` is read."""
    for value in run.parsed.values("-p", "--packages"):
        run.effect(Installs, value.text, "exec", value=value)
    flow = UNREAD
    for value in run.parsed.values("--run", "--command"):
        flow = run.code(value)
    return flow


def _makepkg(run: Run) -> Flow:
    """makepkg(8): builds a package; ``-i`` installs it, ``-s`` what it needs, both for the whole machine."""
    if run.has("-i", "--install", "-s", "--syncdeps", "-r", "--rmdeps"):
        run.effect(Installs, "", "system")
    run.executes(run.name, "package-script")
    return UNREAD


def _emerge(run: Run) -> Flow:
    if run.has("-p", "--pretend", "-s", "--search", "-S", "--info"):
        return UNREAD
    trait = ["remove"] if run.has("-C", "-c", "--unmerge", "--depclean") else ["update"] if run.has("--sync", "-u") else []
    for value in run.operands or [Value("")]:
        run.effect(Installs, value.text, "system", *trait, *own_package(value), value=value)
    return UNREAD


_SYSTEM = "-o:data --option:data -t:data --target-release:data -c:reads --config-file:reads -a:data --host-architecture:data"
_BREW_ROW = Row(options="--appdir:data --file:data", read=by_verbs(_BREW))

ROWS: dict[str, Row] = {
    "apt": Row(options=_SYSTEM, read=_apt), "apt-get": Row(options=_SYSTEM, read=_apt), "aptitude": Row(options=_SYSTEM, read=_apt),
    "nala": Row(options=_SYSTEM, read=_apt),
    "apt-cache": Row(prints="network"), "apt-mark": Row(read=by_verbs(verbs("always:system= hold unhold auto manual minimize-manual"))),
    "debconf-set-selections": Row(effects="installs:system"), "apt-file": Row(), "dpkg-query": Row(), "dpkg-deb": Row(operands="reads writes"),
    "apt-key": Row(effects="installs:system,url"),
    "add-apt-repository": Row(effects="installs:system,url"), "dpkg": Row(read=_dpkg), "dpkg-reconfigure": Row(effects="installs:system"),
    "gdebi": Row(effects="installs:system"),
    "yum": Row(options="--enablerepo:data --disablerepo:data -c:reads", read=by_verbs(_YUM)),
    "dnf": Row(options="--enablerepo:data --repo:data -c:reads", read=by_verbs(_YUM)),
    "microdnf": Row(read=by_verbs(_YUM)), "tdnf": Row(read=by_verbs(_YUM)), "zypper": Row(options="-R:data --root:data", read=by_verbs(_YUM)),
    "rpm": Row(options="--root:data --prefix:data --dbpath:data", read=_rpm),
    "apk": Row(options="-X:data --repository:data -t:data --virtual:data", read=by_verbs(_APK)),
    "pacman": Row(options="--config:data --hookdir:data --root:data -b:data", read=_pacman),
    "yay": Row(read=_pacman), "paru": Row(read=_pacman), "snap": Row(options="--channel:data", read=by_verbs(_SNAP)),
    "flatpak": Row(read=by_verbs(_FLATPAK)), "brew": _BREW_ROW,
    "port": Row(read=by_verbs(_PORT)), "winget": Row(options="--id:data -s:data --source:data -v:data", clustered=False, read=by_verbs(_WINGET)),
    "choco": Row(read=by_verbs(_CHOCO)), "scoop": Row(read=by_verbs(_CHOCO)),
    "pkg": Row(read=by_verbs(_PKG)), "pkg_add": Row(effects="installs:system"), "pkgin": Row(read=by_verbs(_PKG)),
    "xbps-install": Row(effects="installs:system"), "xbps-remove": Row(effects="installs:system,remove"),
    "nix-collect-garbage": Row(effects="installs:system,remove"), "emerge": Row(read=_emerge), "eopkg": Row(read=by_verbs(_EOPKG)),
    "opkg": Row(read=by_verbs(_PKG)), "makepkg": Row(options="-p:reads --config:reads", read=_makepkg),
        "arduino-cli": Row(read=by_verbs(_ADDONS)), "krew": Row(read=by_verbs(_ADDONS)), "swupd": Row(effects="installs:system"),
    "nix": Row(options="-c:data --command:data", read=_nix),
    "nix-env": Row(options="-f:data -p:data", read=_nix_env),
    "nix-shell": Row(options="-p:data --packages:data --run:data --command:data -I:data", read=_nix_shell), "guix": Row(read=by_verbs(_GUIX)),
    "tlmgr": Row(read=by_verbs(_APT)), "mas": Row(read=by_verbs(_PORT)),
}  # fmt: skip
