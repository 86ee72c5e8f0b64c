"""Where a path is and what it is: tables first, then the few lines that look things up in them.

Paths here are absolute and normal (no ``.``, ``..`` or doubled slashes). Case is folded on Windows and macOS.
"""

from __future__ import annotations

from interlock.model.effect import (
    ACCESS,
    DEVICE,
    ELSEWHERE,
    GENERATED,
    GUARD,
    HOME,
    INSTRUCTION_FILE,
    LOG,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SENSITIVE_NAME,
    SINK,
    SYSTEM,
    TEMP,
    VCS_INTERNAL,
    WORKSPACE,
    WORKSPACE_ROOT,
    Place,
)
from interlock.shell.pattern import matches

# -- tables ----------------------------------------------------------------------------------------

HOME_FILES: dict[str, str] = {
    # credential stores and private keys
    ".ssh": SECRET, ".aws": SECRET, ".gnupg": SECRET, ".netrc": SECRET, "_netrc": SECRET, ".pgpass": SECRET, ".my.cnf": SECRET,
    ".docker/config.json": SECRET, ".kube": SECRET, ".config/gcloud": SECRET, ".azure": SECRET, ".npmrc": SECRET, ".pypirc": SECRET,
    ".git-credentials": SECRET, ".config/git/credentials": SECRET, ".config/gh/hosts.yml": SECRET, ".cargo/credentials": SECRET,
    ".cargo/credentials.toml": SECRET, ".gem/credentials": SECRET, ".vault-token": SECRET, ".password-store": SECRET, ".terraform.d": SECRET,
    ".config/hub": SECRET, ".s3cfg": SECRET, ".boto": SECRET, ".oci": SECRET, ".config/doctl": SECRET, ".config/rclone": SECRET,
    ".ethereum/keystore": SECRET,
    ".bitcoin": SECRET, ".electrum": SECRET, ".local/share/keyrings": SECRET, "Library/Keychains": SECRET, "Library/Cookies": SECRET,
    ".mozilla/firefox": SECRET,
    ".config/google-chrome": SECRET, ".config/chromium": SECRET, ".config/BraveSoftware": SECRET, "Library/Application Support/Google/Chrome": SECRET,
    "Library/Application Support/Firefox": SECRET, ".claude/.credentials.json": SECRET, ".codex/auth.json": SECRET,
    ".gemini/oauth_creds.json": SECRET,
    ".config/op": SECRET, ".rhosts": ACCESS, ".shosts": ACCESS, ".k5login": ACCESS, ".databrickscfg": SECRET, ".snowsql/config": SECRET,
    # what a new shell, login or session runs
    ".bashrc": PERSISTENCE, ".bash_profile": PERSISTENCE, ".bash_login": PERSISTENCE, ".bash_logout": PERSISTENCE, ".profile": PERSISTENCE,
    ".bash_aliases": PERSISTENCE, ".zshrc": PERSISTENCE, ".zprofile": PERSISTENCE, ".zshenv": PERSISTENCE, ".zlogin": PERSISTENCE,
    ".zlogout": PERSISTENCE,
    ".config/fish": PERSISTENCE, ".config/autostart": PERSISTENCE, ".config/systemd/user": PERSISTENCE, ".local/share/systemd/user": PERSISTENCE,
    "Library/LaunchAgents": PERSISTENCE, ".gitconfig": PERSISTENCE, ".config/git": PERSISTENCE, ".ssh/authorized_keys": ACCESS,
    ".ssh/authorized_keys2": ACCESS,
    ".ssh/rc": PERSISTENCE,
    ".ssh/config": PERSISTENCE, ".xinitrc": PERSISTENCE, ".xprofile": PERSISTENCE, ".xsession": PERSISTENCE, ".pam_environment": PERSISTENCE,
    ".forward": PERSISTENCE,
    ".config/environment.d": PERSISTENCE, ".tmux.conf": PERSISTENCE, ".vimrc": PERSISTENCE, ".vim": PERSISTENCE, ".config/nvim": PERSISTENCE,
    ".inputrc": PERSISTENCE, ".cshrc": PERSISTENCE, ".kshrc": PERSISTENCE, ".curlrc": PERSISTENCE, ".wgetrc": PERSISTENCE,
    ".pythonrc.py": PERSISTENCE,
    # traces
    ".bash_history": LOG, ".zsh_history": LOG, ".python_history": LOG, ".local/share/fish/fish_history": LOG, ".sh_history": LOG, ".lesshst": LOG,
    ".node_repl_history": LOG, ".mysql_history": LOG, ".psql_history": LOG,
    # the guard and the clients it hooks into
    ".config/interlock": GUARD, ".local/state/interlock": GUARD, ".claude/settings.json": GUARD, ".claude/settings.local.json": GUARD,
    ".claude/hooks": GUARD, ".claude.json": GUARD, ".codex/config.toml": GUARD, ".codex/hooks.json": GUARD, ".gemini/settings.json": GUARD,
    ".qwen/settings.json": GUARD, ".copilot/hooks": GUARD, ".copilot/config.json": GUARD, ".config/opencode": GUARD, ".pi/agent/extensions": GUARD,
    ".cursor/hooks.json": GUARD, ".codeium/windsurf/hooks.json": GUARD,
}  # fmt: skip
"""Below HOME: a name, or a folder with all it holds."""

PUBLIC_IN_SSH = frozenset({"known_hosts", "known_hosts.old", "environment"})

ANY_FOLDER: dict[str, str] = {
    ".interlock": GUARD, ".claude/settings.json": GUARD, ".claude/settings.local.json": GUARD, ".claude/hooks": GUARD, ".codex/config.toml": GUARD,
    ".codex/hooks.json": GUARD, ".gemini/settings.json": GUARD, ".qwen/settings.json": GUARD, ".github/copilot/settings.json": GUARD,
    ".github/hooks": GUARD, ".opencode/plugin": GUARD, ".pi/extensions": GUARD, ".cursor/hooks.json": GUARD, ".windsurf/hooks.json": GUARD,
    ".clinerules/hooks": GUARD, ".git/hooks": PERSISTENCE, ".git/config": PERSISTENCE, ".husky": VCS_INTERNAL,
}  # fmt: skip
"""Below any folder: matched by the end of the path, or as a folder in it."""

OWN_CODE = ("-packages/interlock/", "-packages/interlock-", "/bin/interlock")
"""In paths of the guard's own installed code (``site-packages``, ``dist-packages``), in whatever environment it was put."""

SYSTEM_FILES: dict[str, str] = {
    "/etc/shadow": SECRET, "/etc/shadow-": SECRET, "/etc/gshadow": SECRET, "/etc/master.passwd": SECRET, "/etc/krb5.keytab": SECRET,
    "/etc/ssl/private": SECRET,
    "/var/run/secrets": SECRET, "/run/secrets": SECRET, "/var/lib/secrets": SECRET, "/etc/kubernetes/admin.conf": SECRET,
    "/etc/security/opasswd": SECRET,
    "/var/lib/jenkins/secrets": SECRET, "/etc/rancher/k3s/k3s.yaml": SECRET,
    "/etc/cron.d": PERSISTENCE, "/etc/cron.daily": PERSISTENCE, "/etc/cron.hourly": PERSISTENCE, "/etc/cron.weekly": PERSISTENCE,
    "/etc/cron.monthly": PERSISTENCE, "/etc/crontab": PERSISTENCE, "/var/spool/cron": PERSISTENCE, "/etc/profile": PERSISTENCE,
    "/etc/profile.d": PERSISTENCE, "/etc/bash.bashrc": PERSISTENCE, "/etc/bashrc": PERSISTENCE, "/etc/zsh": PERSISTENCE, "/etc/rc.local": PERSISTENCE,
    "/etc/init.d": PERSISTENCE, "/etc/systemd": PERSISTENCE, "/lib/systemd": PERSISTENCE, "/usr/lib/systemd": PERSISTENCE,
    "/etc/ld.so.preload": PERSISTENCE,
    "/etc/ld.so.conf": PERSISTENCE, "/etc/ld.so.conf.d": PERSISTENCE, "/etc/sudoers": ACCESS, "/etc/sudoers.d": ACCESS,
    "/etc/pam.d": ACCESS, "/etc/doas.conf": ACCESS, "/etc/polkit-1": ACCESS, "/etc/hosts.equiv": ACCESS,
    "/etc/passwd": ACCESS, "/etc/group": ACCESS, "/etc/environment": PERSISTENCE, "/etc/udev": PERSISTENCE, "/Library/LaunchAgents": PERSISTENCE,
    "/Library/LaunchDaemons": PERSISTENCE, "/etc/xdg/autostart": PERSISTENCE, "/etc/gitconfig": PERSISTENCE, "/etc/rc.common": PERSISTENCE,
    "/etc/update-motd.d": PERSISTENCE, "/etc/apt/apt.conf.d": PERSISTENCE, "/etc/NetworkManager/dispatcher.d": PERSISTENCE,
    "/var/log": LOG, "/etc/interlock": GUARD, "/etc/claude-code": GUARD, "/etc/codex": GUARD,
}  # fmt: skip

KEY_NAMES = frozenset(
    {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "wallet.dat", "logins.json", "key4.db", "key3.db", "Login Data"}
)
PROCESS_SECRETS = frozenset({"environ", "mem"})
"""Of a process below ``/proc``: its variables and its memory (proc(5))."""
KEY_ENDINGS = (".kdbx", ".keystore", ".jks", ".ppk", ".keytab")
SENSITIVE_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".asc", ".gpg")
SENSITIVE_WORDS = ("credential", "secret", "passwd", "password", "id_rsa", "private_key", "privatekey")
DATA_ENDINGS = frozenset(
    {"", ".json", ".yaml", ".yml", ".toml", ".ini", ".txt", ".cfg", ".conf", ".csv", ".xml", ".properties", ".db", ".env", ".bak", ".dat"}
)
SAMPLE_ENDINGS = (".example", ".sample", ".template", ".dist", ".defaults", ".tpl")

INSTRUCTIONS = frozenset(
    {"CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md", ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md"}
)

GENERATED_NAMES = frozenset({
    "node_modules", "bower_components", "build", "dist", "target", "out", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
    ".tox", ".nox", ".venv", "venv", ".next", ".nuxt", ".svelte-kit", ".output", ".turbo", ".parcel-cache", ".vite", ".angular", "coverage",
    "htmlcov",
    ".nyc_output", ".cache", ".gradle", ".eggs", "_build", "site", ".docusaurus", ".terraform", ".serverless", ".dart_tool", "DerivedData", "Pods",
    "obj", "bin", "Debug", "Release", "tmp", "temp", "logs", "log", ".tmp", ".temp", ".coverage", "coverage.xml", ".DS_Store", ".ipynb_checkpoints",
    ".stack-work",
    "dist-newstyle", "zig-cache", "zig-out", "_site", ".sass-cache", ".eslintcache", ".jest", "storybook-static", "test-results",
    "playwright-report", "a.out",
    "deps", "CMakeFiles", "CMakeCache.txt", ".phpunit.cache", ".swc", "lib-cov", "release", "debug", "lcov.info", "junit.xml", ".ropeproject",
    ".tmp.driveupload",
})  # fmt: skip
GENERATED_ENDINGS = (
    ".egg-info", ".pyc", ".pyo", ".o", ".obj", ".class", ".log", ".tmp", ".swp", ".bak", ".orig", ".rej", ".gcda", ".gcno", ".a", ".so", ".whl",
    ".tsbuildinfo",
    "~", ".pid", ".cache", ".dSYM", ".prof", ".coverage", ".min.js.map",
)  # fmt: skip
GENERATED_STARTS = ("cmake-build-", "bazel-", "build-", "build_", ".coverage.")

SINKS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "NUL"}
)
NEEDLESS_TEMPS = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm")
OWN_SOFTWARE = (
    "/usr/local",
    "/opt",
    "/var/www",
    "/var/lib",
    "/var/cache",
    "/var/spool",
    "/srv",
    "/mnt",
    "/media",
    "/snap",
    "/run",
    "/var/run",
    "/var/lock",
    "/nix",
    "/home/linuxbrew",
)
"""Folders that people and services do put things into, as they do into ``/etc/*.d``: outside the workspace, but no part of the system."""
SYSTEM_TOPS = frozenset({
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "usr", "var", "System", "Library",
    "Applications",
    "private", "cores", "Windows", "Program Files", "Program Files (x86)", "ProgramData", "Volumes", "lost+found", "efi", "initrd.img", "vmlinuz",
})  # fmt: skip
DEEP_ROOTS = frozenset({
    "/usr/bin", "/usr/lib", "/usr/sbin", "/usr/share", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/usr/include", "/var/lib", "/var/log",
    "/var/cache", "/opt", "/srv",
    "/mnt", "/media", "/home", "/Users", "/var/www", "/tmp", "/var/tmp",
})  # fmt: skip


# -- looking up ------------------------------------------------------------------------------------


def below(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or anything in it."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def location(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> str:
    """Return which of the locations a path is in. The innermost of workspace, temp and home wins."""
    if below(path, "/dev") and not below(path, "/dev/shm"):
        return DEVICE
    folders = [(root, WORKSPACE) for root in roots] + [(temp, TEMP) for temp in (*temps, *NEEDLESS_TEMPS)] + ([(home, HOME)] if home else [])
    around = [(len(folder), which) for folder, which in folders if below(path, folder)]
    if around:
        return max(around)[1]
    if any(below(path, folder) for folder in OWN_SOFTWARE) or (path.startswith("/etc/") and ".d/" in path):
        return ELSEWHERE
    top = path.split("/", 2)[1] if path.count("/") else path
    if top in ("home", "Users", "root"):
        return HOME if path.count("/") > 1 or top == "root" else SYSTEM
    return SYSTEM if not top or top in SYSTEM_TOPS else ELSEWHERE


def natures(path: str, roots: tuple[str, ...], home: str) -> frozenset[str]:
    """Return what the path is, whatever its location."""
    found: set[str] = set()
    if path in SINKS or path.startswith(("/dev/fd/", "/dev/pts/")):
        found.add(SINK)
    if path == home or path.count("/") == 1 or path in DEEP_ROOTS or (path.startswith(("/home/", "/Users/")) and path.count("/") == 2):
        found.add(ROOT_OF)
    if path in roots:
        found.add(WORKSPACE_ROOT)
        found.discard(ROOT_OF)
    relative = _below_home(path, home)
    if relative:
        _look_up(relative, HOME_FILES, found)
    _look_up(path, SYSTEM_FILES, found)
    _anywhere(path, found)
    _by_name(path, roots, found)
    if relative.startswith(".ssh/") and (relative.endswith(".pub") or relative[5:] in PUBLIC_IN_SSH):
        found.discard(SECRET)
    return frozenset(found)


def _below_home(path: str, home: str) -> str:
    """Return the path below the home folder, any user's, or ``""``."""
    if home and path.startswith(home + "/"):
        return path[len(home) + 1 :]
    parts = path.split("/", 3)
    if len(parts) == 4 and parts[1] in ("home", "Users"):
        return parts[3]
    return path[6:] if path.startswith("/root/") else ""


def _look_up(path: str, table: dict[str, str], found: set[str]) -> None:
    """Add the nature of the path or of a folder above it."""
    while path:
        nature = table.get(path)
        if nature is not None:
            found.add(nature)
        path = path.rpartition("/")[0]


def _anywhere(path: str, found: set[str]) -> None:
    if any(mark in path for mark in OWN_CODE):
        found.add(GUARD)
    if "/." not in path:
        return
    if "/.git/" in path or path.endswith("/.git") or "/.hg/" in path or "/.svn/" in path:
        found.add(VCS_INTERNAL)
    for end, nature in ANY_FOLDER.items():
        if path.endswith("/" + end) or f"/{end}/" in path:
            found.add(nature)


MAX_HELD = 4


def held(path: str, roots: tuple[str, ...], home: str, *, pattern: bool) -> list[str]:
    """Return the guard's files that lie in a folder; of a pattern also the secrets and what runs later that it may match or lead to."""
    parts = path.split("/")
    found = []
    for folder, table in [(home, HOME_FILES), *[(root, ANY_FOLDER) for root in roots]]:
        above = folder.count("/") + 1
        for name, nature in table.items():
            if nature != GUARD and not (pattern and nature in (ACCESS, SECRET, PERSISTENCE)):
                continue
            whole = f"{folder}/{name}".split("/")
            if above < len(parts) <= len(whole) - (not pattern) and all(map(_fits, parts, whole)):
                found.append("/".join(whole))
    return found[:MAX_HELD]


def _fits(mark: str, name: str) -> bool:
    """Whether one step of a path is the name, or a pattern that matches it; a leading dot is matched by a dot only (POSIX 2.13.3)."""
    return mark == name or ((name[:1] != "." or mark[:1] == ".") and matches(mark, name))


def _by_name(path: str, roots: tuple[str, ...], found: set[str]) -> None:
    """Natures by the name of the file itself, or of a folder inside the workspace."""
    name = path.rpartition("/")[2]
    if (
        name in KEY_NAMES
        or name.endswith(KEY_ENDINGS)
        or (path.startswith("/proc/") and name in PROCESS_SECRETS)
        or (name.startswith("ssh_host_") and name.endswith("_key"))
    ):
        found.add(SECRET)
    if (name == ".env" or name.startswith(".env.")) and not name.endswith(SAMPLE_ENDINGS):
        found.add(PROJECT_SECRET)
    if name.endswith(SENSITIVE_ENDINGS) or _sensitive(name.lower()):
        found.add(SENSITIVE_NAME)
    if name in INSTRUCTIONS:
        found.add(INSTRUCTION_FILE)
    for root in roots:
        if path.startswith(root + "/"):
            parts = path[len(root) + 1 :].split("/")
            if any(_generated(part) for part in parts) and VCS_INTERNAL not in found:
                found.add(GENERATED)
            break


def _sensitive(name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    return (dot + ending if stem else "") in DATA_ENDINGS and any(word in name for word in SENSITIVE_WORDS)


def _generated(name: str) -> bool:
    return name in GENERATED_NAMES or name.endswith(GENERATED_ENDINGS) or name.startswith(GENERATED_STARTS)


def classify(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...], where: str = "here") -> Place:
    """Return the place of an absolute, normal path."""
    if where != "here":
        return Place(location(path, (), "", ()), natures(path, (), ""), where)
    return Place(location(path, roots, home, temps), natures(path, roots, home))
