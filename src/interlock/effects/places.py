"""Where a path is and what it is: tables first, then the few lines that look things up in them.

Paths here are absolute and normal (no ``.``, ``..`` or doubled slashes). Case is folded on Windows and macOS.
"""

from __future__ import annotations

from interlock.effects.notes import is_note
from interlock.model.effect import (
    ACCESS,
    DEVICE,
    ELSEWHERE,
    GENERATED,
    GUARD,
    HOME,
    INSTRUCTION_FILE,
    LOG,
    NOTES,
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
    ".docker/config.json": SECRET, ".kube": SECRET, ".config/gcloud": SECRET, ".azure": SECRET, ".npmrc": f"{SECRET} {PERSISTENCE}",
    ".pypirc": SECRET,
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
    ".config/sops": SECRET, ".config/age": SECRET, ".age": SECRET, ".m2/settings.xml": SECRET, ".m2/settings-security.xml": SECRET,
    ".gradle/gradle.properties": SECRET, ".composer/auth.json": SECRET, ".config/composer/auth.json": SECRET, ".config/solana": SECRET,
    ".near-credentials": SECRET, ".foundry/keystores": SECRET, ".brownie/accounts": SECRET, ".config/Slack": SECRET, ".config/discord": SECRET,
    ".config/Signal": SECRET, ".config/filezilla": SECRET, ".remmina": SECRET, ".config/github-copilot": SECRET, ".config/glab-cli": SECRET,
    ".fly/config.yml": SECRET, ".config/netlify": SECRET, ".local/share/com.vercel.cli": SECRET, ".config/configstore/firebase-tools.json": SECRET,
    ".railway/config.json": SECRET, ".doppler": SECRET, ".config/stripe": SECRET, ".config/ngrok": SECRET, ".ngrok2": SECRET, ".wrangler": SECRET,
    ".config/.wrangler": SECRET, ".pulumi/credentials.json": SECRET, ".terraformrc": SECRET, ".config/argocd": SECRET,
    ".config/containers/auth.json": SECRET, ".config/helm/registry": SECRET, ".chef": SECRET, ".sentryclirc": SECRET, ".hex": SECRET,
    ".nuget/NuGet/NuGet.Config": SECRET, ".sbt/.credentials": SECRET, ".ivy2/.credentials": SECRET, ".lein/credentials.clj.gpg": SECRET,
    ".thunderbird": SECRET, ".config/vivaldi": SECRET, ".config/opera": SECRET, ".config/microsoft-edge": SECRET, ".muttrc": SECRET,
    ".mutt": SECRET, ".msmtprc": SECRET, ".fetchmailrc": SECRET, ".offlineimaprc": SECRET, ".mbsyncrc": SECRET, ".authinfo": SECRET,
    ".authinfo.gpg": SECRET, ".mylogin.cnf": SECRET, ".cache/huggingface/token": SECRET, ".huggingface/token": SECRET,
    ".kaggle/kaggle.json": SECRET, ".config/kaggle": SECRET, ".config/openai": SECRET, ".config/anthropic": SECRET, ".mc/config.json": SECRET,
    ".config/linode-cli": SECRET, ".config/hcloud": SECRET, ".config/scw": SECRET, ".config/exoscale": SECRET, ".ibmcloud": SECRET,
    ".cf/config.json": SECRET, ".config/openstack": SECRET, ".dbt/profiles.yml": SECRET, ".config/goose/secrets.yaml": SECRET,
    ".local/share/opencode/auth.json": SECRET, ".putty": SECRET, ".step": SECRET, ".acme.sh": SECRET, ".talos": SECRET, ".config/keybase": SECRET,
    ".gnome2/keyrings": SECRET, ".local/share/kwalletd": SECRET, ".local/share/DBeaverData": SECRET, ".config/gsutil": SECRET, ".gsutil": SECRET,
    ".config/fly": SECRET, ".yandex": SECRET, ".config/yandex-cloud": SECRET, ".aliyun": SECRET, ".tccli": SECRET,
    ".config/infisical": SECRET, ".infisical": SECRET, ".qwen/oauth_creds.json": SECRET, ".config/heroku": SECRET, ".smbcredentials": SECRET,
    ".davfs2/secrets": SECRET, ".config/remmina": SECRET, ".vnc/passwd": SECRET, ".config/Bitwarden": SECRET, ".lastpass": SECRET,
    ".jupyter/jupyter_server_config.json": SECRET,
    "Library/Application Support/BraveSoftware": SECRET, "Library/Application Support/Microsoft Edge": SECRET, "Library/Safari": SECRET,
    "Library/Messages": SECRET, "Library/Mail": SECRET, "Library/Application Support/Slack": SECRET, "Library/Application Support/discord": SECRET,
    "Library/Application Support/com.apple.TCC": SECRET, "snap/firefox": SECRET, "snap/chromium": SECRET,
    "Library/Application Support/Signal": SECRET,
    # what a new shell, login, session or program runs
    ".yarnrc": PERSISTENCE, ".yarnrc.yml": PERSISTENCE, ".bunfig.toml": PERSISTENCE, ".cargo/config.toml": PERSISTENCE,
    ".cargo/config": PERSISTENCE, ".config/go/env": PERSISTENCE, ".pip": PERSISTENCE, ".config/pip": PERSISTENCE, ".condarc": PERSISTENCE,
    ".bundle/config": PERSISTENCE, ".gemrc": PERSISTENCE, ".irbrc": PERSISTENCE, ".pryrc": PERSISTENCE, ".Rprofile": PERSISTENCE,
    ".Renviron": PERSISTENCE, ".ipython": PERSISTENCE, ".emacs": PERSISTENCE, ".emacs.d": PERSISTENCE, ".config/emacs": PERSISTENCE,
    ".screenrc": PERSISTENCE, ".gdbinit": PERSISTENCE, ".lldbinit": PERSISTENCE, ".config/gdb": PERSISTENCE, ".psqlrc": PERSISTENCE,
    ".sqliterc": PERSISTENCE, ".mongorc.js": PERSISTENCE, ".config/Code/User": PERSISTENCE, ".config/Cursor/User": PERSISTENCE,
    ".config/VSCodium/User": PERSISTENCE, ".config/direnv": PERSISTENCE, ".config/plasma-workspace": PERSISTENCE, ".config/lxsession": PERSISTENCE,
    ".config/i3": PERSISTENCE, ".config/sway": PERSISTENCE, ".config/hypr": PERSISTENCE, ".config/openbox": PERSISTENCE,
    ".xsessionrc": PERSISTENCE, ".zsh": PERSISTENCE, ".oh-my-zsh": PERSISTENCE, ".config/zsh": PERSISTENCE, ".config/bash": PERSISTENCE,
    ".bashrc.d": PERSISTENCE, ".config/upstart": PERSISTENCE, ".procmailrc": PERSISTENCE, ".mailcap": PERSISTENCE, ".terminfo": PERSISTENCE,
    ".config/uv": PERSISTENCE, ".config/nix": PERSISTENCE, ".config/mise": PERSISTENCE, ".asdfrc": PERSISTENCE, ".config/tmux": PERSISTENCE,
    ".local/share/applications": PERSISTENCE, ".config/mimeapps.list": PERSISTENCE, ".local/share/dbus-1": PERSISTENCE,
    ".config/cron": PERSISTENCE, ".login": PERSISTENCE, ".logout": PERSISTENCE, ".tcshrc": PERSISTENCE,
    ".k5users": ACCESS, ".ssh/environment": ACCESS, ".ssh/authorized_principals": ACCESS,
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
    ".history": LOG, ".zhistory": LOG, ".ksh_history": LOG, ".bash_sessions": LOG, ".zsh_sessions": LOG, ".sqlite_history": LOG,
    ".rediscli_history": LOG, ".irb_history": LOG, ".local/share/powershell/PSReadLine": LOG, ".tcsh_history": LOG, ".csh_history": LOG,
    ".histfile": LOG, ".config/fish/fish_history": LOG, ".dbshell": LOG, ".local/state/bash/history": LOG, ".local/state/zsh/history": LOG,
    # the guard and the clients it hooks into
    ".local/share/interlock": GUARD, ".claude/managed-settings.json": GUARD,
    ".config/interlock": GUARD, ".local/state/interlock": GUARD, ".claude/settings.json": GUARD, ".claude/settings.local.json": GUARD,
    ".claude/hooks": GUARD, ".claude.json": GUARD, ".codex/config.toml": GUARD, ".codex/hooks.json": GUARD, ".gemini/settings.json": GUARD,
    ".qwen/settings.json": GUARD, ".copilot/hooks": GUARD, ".copilot/config.json": GUARD, ".config/opencode": GUARD, ".pi/agent/extensions": GUARD,
    ".cursor/hooks.json": GUARD, ".codeium/windsurf/hooks.json": GUARD, ".copilot/settings.json": GUARD, ".pi/agent/settings.json": GUARD,
    "Documents/Cline/Hooks": GUARD, ".kiro/agents": GUARD, ".kiro/settings": GUARD, ".agents/plugins": GUARD, ".config/amp/settings.json": GUARD,
    ".config/goose/config.yaml": GUARD, ".gemini/trustedFolders.json": GUARD, ".claude/plugins": PERSISTENCE, ".gemini/extensions": PERSISTENCE,
    ".qwen/extensions": PERSISTENCE, ".copilot/mcp-config.json": PERSISTENCE, ".copilot/extensions": PERSISTENCE,
    ".codeium/windsurf/mcp_config.json": PERSISTENCE,
}  # fmt: skip
"""Below HOME: a name, or a folder with all it holds."""

PUBLIC_IN_SSH = frozenset({"known_hosts", "known_hosts.old", "environment"})

ANY_FOLDER: dict[str, str] = {
    **dict.fromkeys([f".{name}/guard{kind}" for name in ("agents", "claude", "bitcode") for kind in ("s", "-skills")], GUARD),
    ".interlock": GUARD, ".claude/settings.json": GUARD, ".claude/settings.local.json": GUARD, ".claude/hooks": GUARD, ".codex/config.toml": GUARD,
    ".codex/hooks.json": GUARD, ".gemini/settings.json": GUARD, ".qwen/settings.json": GUARD, ".github/copilot/settings.json": GUARD,
    ".github/copilot/settings.local.json": GUARD,
    ".github/hooks": GUARD, ".opencode/plugin": GUARD, ".opencode/plugins": GUARD, ".opencode/opencode.json": GUARD,
    ".opencode/opencode.jsonc": GUARD, ".pi/extensions": GUARD, ".pi/settings.json": GUARD, ".kiro/agents": GUARD, ".kiro/hooks": PERSISTENCE,
    ".amp/settings.json": GUARD, ".cursor/hooks.json": GUARD, ".windsurf/hooks.json": GUARD, ".clinerules/hooks": GUARD,
    ".factory/settings.json": GUARD, ".factory/settings.local.json": GUARD, ".factory/hooks": GUARD, ".factory/mcp.json": PERSISTENCE,
    ".mcp.json": PERSISTENCE, ".github/mcp.json": PERSISTENCE, ".cursor/mcp.json": PERSISTENCE, ".vscode/mcp.json": PERSISTENCE,
    ".claude/plugins": PERSISTENCE, ".gemini/extensions": PERSISTENCE, ".qwen/extensions": PERSISTENCE,
    ".git/hooks": PERSISTENCE, ".git/config": PERSISTENCE, ".husky": VCS_INTERNAL,
}  # fmt: skip
"""Below any folder: matched by the end of the path, or as a folder in it."""

CLIENT_FOLDERS = frozenset({".claude", ".codex", ".gemini", ".qwen", ".cursor", ".interlock", ".copilot", ".pi", ".factory"})
"""Folders of agents' settings: who deletes one whole deletes what calls the guard."""

STARTS_WITH_PYTHON = frozenset({"sitecustomize.py", "usercustomize.py"})
"""Files that Python runs at every start, as it does with ``*.pth`` beside installed packages (site, Python library reference)."""

STARTS_WITH_A_CLIENT = frozenset({"opencode.json", "opencode.jsonc"})
"""Settings of a client in a project's own folder: the servers it starts, the plugins it loads, what it asks about."""

RAW = ("/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk", "/dev/rdisk", "/dev/mapper/", "/dev/dm-", "/dev/md")
"""Disks: who reads one raw reads all that lies on it, whoever owns it."""

OWN_CODE = ("-packages/interlock/", "-packages/interlock-", "/bin/interlock")
"""In paths of the guard's own installed code (``site-packages``, ``dist-packages``), in whatever environment it was put."""

_BOTH = f"{SECRET} {ACCESS}"
SYSTEM_FILES: dict[str, str] = {
    "/etc/shadow": _BOTH, "/etc/shadow-": _BOTH, "/etc/gshadow": _BOTH, "/etc/master.passwd": SECRET, "/etc/krb5.keytab": SECRET,
    "/etc/ssl/private": SECRET,
    "/var/run/secrets": SECRET, "/run/secrets": SECRET, "/var/lib/secrets": SECRET, "/etc/kubernetes/admin.conf": SECRET,
    "/etc/security/opasswd": SECRET,
    "/var/lib/jenkins/secrets": SECRET, "/etc/rancher/k3s/k3s.yaml": SECRET,
    "/etc/NetworkManager/system-connections": SECRET, "/etc/wpa_supplicant": SECRET, "/etc/wireguard": SECRET, "/etc/openvpn": SECRET,
    "/etc/ipsec.secrets": SECRET, "/etc/ppp/chap-secrets": SECRET, "/etc/ppp/pap-secrets": SECRET, "/var/lib/cloud/instance": SECRET,
    "/var/lib/cloud/instances": SECRET, "/etc/mysql/debian.cnf": SECRET, "/etc/letsencrypt/archive": SECRET, "/etc/letsencrypt/live": SECRET,
    "/etc/letsencrypt/keys": SECRET, "/etc/kubernetes/pki": SECRET, "/etc/kubernetes/controller-manager.conf": SECRET,
    "/etc/kubernetes/scheduler.conf": SECRET, "/etc/kubernetes/kubelet.conf": SECRET, "/var/lib/kubelet/pki": SECRET, "/var/lib/rancher": SECRET,
    "/etc/gitlab/gitlab-secrets.json": SECRET, "/var/lib/samba/private": SECRET, "/etc/exim4/passwd.client": SECRET,
    "/etc/postfix/sasl_passwd": SECRET, "/var/lib/sss": SECRET, "/etc/sssd/sssd.conf": SECRET, "/etc/pki/tls/private": SECRET,
    "/etc/boto.cfg": SECRET, "/Library/Keychains": SECRET, "/private/var/db/dslocal": SECRET, "/var/db/dslocal": SECRET,
    "/etc/docker/key.json": SECRET, "/etc/pki/private": SECRET, "/proc/kcore": SECRET, "/dev/mem": SECRET, "/dev/kmem": SECRET,
    "/dev/port": SECRET, "/dev/input": SECRET, "/var/db/shadow": SECRET, "/etc/spwd.db": SECRET, "/run/credentials": SECRET,
    "/etc/credstore": SECRET, "/etc/credstore.encrypted": SECRET, "/var/lib/docker/secrets": SECRET,
    "/etc/bash.bash_logout": PERSISTENCE, "/etc/zshrc": PERSISTENCE, "/etc/zprofile": PERSISTENCE, "/etc/zshenv": PERSISTENCE,
    "/etc/csh.cshrc": PERSISTENCE, "/etc/csh.login": PERSISTENCE, "/etc/skel": PERSISTENCE, "/etc/init": PERSISTENCE, "/etc/inittab": PERSISTENCE,
    "/etc/rc.d": PERSISTENCE, "/etc/xinetd.d": PERSISTENCE, "/etc/inetd.conf": PERSISTENCE, "/var/spool/at": PERSISTENCE,
    "/etc/anacrontab": PERSISTENCE, "/etc/modules-load.d": PERSISTENCE, "/etc/modprobe.d": PERSISTENCE, "/etc/modules": PERSISTENCE,
    "/etc/initramfs-tools": PERSISTENCE, "/etc/dracut.conf.d": PERSISTENCE, "/usr/local/lib/systemd": PERSISTENCE, "/run/systemd": PERSISTENCE,
    "/usr/share/dbus-1": PERSISTENCE, "/etc/dbus-1": PERSISTENCE, "/etc/X11": PERSISTENCE, "/etc/logrotate.d": PERSISTENCE,
    "/etc/dpkg/dpkg.cfg.d": PERSISTENCE, "/etc/yum/pluginconf.d": PERSISTENCE, "/etc/dnf/plugins": PERSISTENCE, "/etc/pacman.d/hooks": PERSISTENCE,
    "/etc/periodic": PERSISTENCE, "/etc/newsyslog.d": PERSISTENCE, "/Library/StartupItems": PERSISTENCE,
    "/Library/Security/SecurityAgentPlugins": PERSISTENCE, "/etc/emond.d": PERSISTENCE, "/etc/launchd.conf": PERSISTENCE,
    "/etc/ssh/sshrc": PERSISTENCE, "/etc/grub.d": PERSISTENCE, "/etc/default/grub": PERSISTENCE, "/etc/kernel": PERSISTENCE,
    "/etc/sysctl.d": PERSISTENCE, "/etc/sysctl.conf": PERSISTENCE, "/etc/pip.conf": PERSISTENCE, "/etc/npmrc": PERSISTENCE,
    "/etc/environment.d": PERSISTENCE, "/etc/apt/sources.list.d": PERSISTENCE, "/etc/apt/sources.list": PERSISTENCE,
    "/etc/yum.repos.d": PERSISTENCE, "/etc/fish": PERSISTENCE, "/etc/tmpfiles.d": PERSISTENCE, "/etc/sv": PERSISTENCE, "/etc/runit": PERSISTENCE,
    "/etc/local.d": PERSISTENCE, "/etc/conf.d": PERSISTENCE, "/etc/binfmt.d": PERSISTENCE, "/usr/lib/binfmt.d": PERSISTENCE,
    "/var/at": PERSISTENCE,
    "/etc/passwd-": ACCESS, "/etc/group-": ACCESS, "/etc/ssh/sshd_config": ACCESS, "/etc/ssh/sshd_config.d": ACCESS,
    "/etc/security/access.conf": ACCESS, "/etc/pam.conf": ACCESS, "/etc/nsswitch.conf": ACCESS, "/etc/securetty": ACCESS, "/etc/sudo.conf": ACCESS,
    "/etc/subuid": ACCESS, "/etc/subgid": ACCESS, "/etc/cron.allow": ACCESS, "/etc/at.allow": ACCESS, "/etc/ssh/authorized_keys": ACCESS,
    "/etc/doas.d": ACCESS,
    "/etc/cron.d": PERSISTENCE, "/etc/cron.daily": PERSISTENCE, "/etc/cron.hourly": PERSISTENCE, "/etc/cron.weekly": PERSISTENCE,
    "/etc/cron.monthly": PERSISTENCE, "/etc/crontab": PERSISTENCE, "/var/spool/cron": PERSISTENCE, "/etc/profile": PERSISTENCE,
    "/etc/profile.d": PERSISTENCE, "/etc/bash.bashrc": PERSISTENCE, "/etc/bashrc": PERSISTENCE, "/etc/zsh": PERSISTENCE, "/etc/rc.local": PERSISTENCE,
    "/etc/init.d": PERSISTENCE, "/etc/systemd": PERSISTENCE, "/lib/systemd": PERSISTENCE, "/usr/lib/systemd": PERSISTENCE,
    "/usr/local/share/ca-certificates": PERSISTENCE, "/etc/pki/ca-trust": PERSISTENCE, "/etc/ssl/certs": PERSISTENCE,
    "/usr/share/ca-certificates": PERSISTENCE,
    "/etc/ld.so.preload": f"{PERSISTENCE} {ACCESS}",
    "/etc/ld.so.conf": PERSISTENCE, "/etc/ld.so.conf.d": PERSISTENCE, "/etc/sudoers": ACCESS, "/etc/sudoers.d": ACCESS,
    "/etc/pam.d": ACCESS, "/etc/doas.conf": ACCESS, "/etc/polkit-1": ACCESS, "/etc/hosts.equiv": ACCESS,
    "/etc/passwd": ACCESS, "/etc/group": ACCESS, "/etc/environment": PERSISTENCE, "/etc/udev": PERSISTENCE, "/Library/LaunchAgents": PERSISTENCE,
    "/Library/LaunchDaemons": PERSISTENCE, "/etc/xdg/autostart": PERSISTENCE, "/etc/gitconfig": PERSISTENCE, "/etc/rc.common": PERSISTENCE,
    "/etc/update-motd.d": PERSISTENCE, "/etc/apt/apt.conf.d": PERSISTENCE, "/etc/NetworkManager/dispatcher.d": PERSISTENCE,
    "/var/log": LOG, "/etc/interlock": GUARD, "/etc/claude-code": GUARD, "/etc/codex": GUARD,
    "/etc/gemini-cli": GUARD, "/etc/qwen-code": GUARD, "/etc/windsurf": GUARD, "/etc/cursor": GUARD, "/Library/Application Support/ClaudeCode": GUARD,
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
STATE_ENDINGS = (".tfstate", ".tfstate.backup", "master.key", ".auto.tfvars")
"""Files of a project that hold secrets whatever they are for: what Terraform knows of the world, what Rails encrypts with."""
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
    ".tmp.driveupload", ".jekyll-cache", ".hydra", ".kotlin", ".expo", "cov_html", ".astro", ".wrangler", ".pnpm-store", ".netlify", ".vercel",
    "buck-out", ".pants.d", ".nx", ".externalNativeBuild", "builddir", "allure-results", "allure-report", ".godot", ".pio", ".pytype", ".pyre",
    "lcov-report", ".rpt2_cache", ".stylelintcache", "elm-stuff", ".elixir_ls", ".lexical", ".bsp", ".metals", ".bloop", ".vs", "TestResults",
    ".ccls-cache", ".clangd", ".quasar", "_opam", "Thumbs.db", "desktop.ini", ".build", ".zig-cache", ".aws-sam", ".terragrunt-cache",
    ".open-next", ".vinxi", ".nitro", ".contentlayer", ".velite", ".tanstack", ".react-router", ".jest-cache", ".gatsby", "__pypackages__",
    "_skbuild", "wheelhouse", ".pybuild", ".pdm-build", "_deps", ".ccache", ".sconsign.dblite", ".uv-cache", ".pip-cache", ".cargo-target",
    ".yardoc", ".ninja_deps", ".qmake.stash", ".apt_generated", "surefire-reports", ".webpack", ".parcel", ".esbuild", ".tsup", "jacoco.exec",
    "perf.data", "perf.data.old",
})  # fmt: skip
GENERATED_ENDINGS = (
    ".egg-info", ".pyc", ".pyo", ".o", ".obj", ".class", ".log", ".tmp", ".swp", ".bak", ".orig", ".rej", ".gcda", ".gcno", ".gcov", ".profraw",
    ".lcov", ".out", ".a", ".so", ".whl",
    ".tsbuildinfo",
    "~", ".pid", ".cache", ".dSYM", ".prof", ".coverage", ".min.js.map", ".xcuserstate", ".hprof",
)  # fmt: skip
GENERATED_PAIRS = frozenset({
    "public/assets", "public/packs", "public/build", "vendor/bundle", "storage/framework", "ios/Pods", "android/build", "priv/static", "data/cache",
    "bootstrap/cache", "framework/views", "docs/html", "docs/xml", "ios/.symlinks", "tmp/pids", "public/packs-test", "var/cache", "wwwroot/dist",
    ".yarn/cache", ".yarn/unplugged", "cypress/videos", "cypress/screenshots", ".vitepress/cache",
})  # fmt: skip
"""Folders that are made anew only where they lie below such another."""
GENERATED_STARTS = ("cmake-build-", "bazel-", "build-", "build_", ".coverage.", "dist-", "callgrind.out.", "massif.out.",
    "cachegrind.out.", "vgcore.")  # fmt: skip

SINKS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "NUL"}
)
ENDLESS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"})
"""Devices that are read for ever."""
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


_SOFTWARE = tuple([folder + "/" for folder in OWN_SOFTWARE])
MAX_KNOWN = 16
_known_folders: dict[tuple[tuple[str, ...], str, tuple[str, ...]], tuple[tuple[str, str, str], ...]] = {}

# -- looking up ------------------------------------------------------------------------------------


def below(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or anything in it."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def location(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> str:
    """Return which of the locations a path is in. The innermost of workspace, temp and home wins."""
    if below(path, "/dev") and not below(path, "/dev/shm"):
        return DEVICE
    for folder, inside, which in _around(roots, home, temps):
        if path == folder or path.startswith(inside):
            return which
    if path.startswith(("/var/folders/", "/private/var/folders/")) and "/T/" in path:  # TMPDIR of a user of a Mac (confstr(3))
        return TEMP
    if path.startswith(_SOFTWARE) or path in OWN_SOFTWARE or (path.startswith("/etc/") and ".d/" in path):
        return ELSEWHERE
    top = path.split("/", 2)[1] if path.count("/") else path
    if top in ("home", "Users", "root"):
        return HOME if path.count("/") > 1 or top == "root" else SYSTEM
    return SYSTEM if not top or top in SYSTEM_TOPS else ELSEWHERE


def _around(roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return workspace, temporary and home folders, how paths in them begin, and their location; the longest first, kept from call to call."""
    key = (roots, home, temps)
    found = _known_folders.get(key)
    if found is None:
        folders = [(root, WORKSPACE) for root in roots] + [(temp, TEMP) for temp in (*temps, *NEEDLESS_TEMPS)] + ([(home, HOME)] if home else [])
        folders.sort(key=lambda pair: (len(pair[0]), pair[1]), reverse=True)
        found = tuple([(folder, folder if folder.endswith("/") else folder + "/", which) for folder, which in folders])
        if len(_known_folders) >= MAX_KNOWN:
            _known_folders.clear()
        _known_folders[key] = found
    return found


def natures(path: str, roots: tuple[str, ...], home: str) -> frozenset[str]:
    """Return what the path is, whatever its location."""
    path = path[:MAX_PATH]
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
        if is_note(relative, roots):
            found.add(NOTES)
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
    """Add the nature of the path or of a folder above it; no name in the tables has more than ``MAX_DEPTH`` steps."""
    end = 0
    for _ in range(MAX_DEPTH):
        end = path.find("/", end + 1)
        nature = table.get(path if end < 0 else path[:end])
        if nature is not None:
            found.update(nature.split())
        if end < 0:
            break


def _anywhere(path: str, found: set[str]) -> None:
    if "interlock" in path and any(mark in path for mark in OWN_CODE):
        found.add(GUARD)
    if "/." not in path:
        return
    if "/.git/" in path or path.endswith("/.git") or "/.hg/" in path or "/.svn/" in path:
        found.add(VCS_INTERNAL)
    for end, nature in ANY_FOLDER.items():
        if path.endswith("/" + end) or f"/{end}/" in path:
            found.add(nature)


MAX_DEPTH = 10
MAX_PATH = 4096
_LATER = frozenset({ACCESS, SECRET, PERSISTENCE})


GIT_HOOKS = frozenset(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout "
    "post-merge pre-push pre-receive update post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite "
    "post-index-change fsmonitor-watchman sendemail-validate".split()
)
"""Names of the programs that git runs by itself (githooks(5))."""


def by_tail(tail: str) -> frozenset[str]:
    """Return what a path is by its end, in whatever folder it lies: a hook of git, a service of a user."""
    steps = tail.split("/")
    hook = steps[-2:-1] == ["hooks"] and steps[-1] in GIT_HOOKS
    return frozenset({PERSISTENCE}) if hook or "/systemd/user/" in tail else frozenset()


def held(path: str, roots: tuple[str, ...], home: str, *, pattern: bool) -> list[str]:
    """Return the guard's files that lie in a folder; of a pattern also the secrets and what runs later that it may match or lead to."""
    parts = path.split("/")
    found = [f"/proc/1/{parts[-1]}"] if pattern and parts[1:2] == ["proc"] and parts[-1] in PROCESS_SECRETS else []
    for folder, table in [(home, HOME_FILES), *[(root, ANY_FOLDER) for root in roots], *([("", _system())] if pattern else [])]:
        top = folder.split("/")
        rest = parts[len(top) :]
        if not rest or not all(map(_fits, parts, top)):
            continue
        plain = "" if any(mark in rest[0] for mark in "*?[") else rest[0]
        for name, nature in table.items():
            if not name.startswith(plain) or (nature != GUARD and not (pattern and not _LATER.isdisjoint(nature.split()))):
                continue
            steps = name.split("/")
            if (pattern or len(rest) < len(steps)) and all(map(_fits, rest, steps)) and not (rest[len(steps) :] and name.endswith("netrc")):
                found.append("/".join([folder, name, *rest[len(steps) :]]))
    return found


_of_system: dict[str, str] = {}


def _system() -> dict[str, str]:
    """Return the files of the system by their path without the first slash, secrets before others; of ``/proc`` none, which are no folders."""
    if not _of_system:
        for wanted in (True, False):
            _of_system.update({name[1:]: nature for name, nature in SYSTEM_FILES.items() if (SECRET in nature) is wanted and name[:6] != "/proc/"})
    return _of_system


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
        or path.startswith(RAW)
        or (name.startswith("krb5cc_") and path.startswith("/tmp/"))
        or (name.startswith("ssh_host_") and name.endswith("_key"))
    ):
        found.add(SECRET)
    if ((name == ".env" or name.startswith(".env.")) and not name.endswith(SAMPLE_ENDINGS)) or name.endswith(STATE_ENDINGS):
        found.add(PROJECT_SECRET)
    if name.endswith(SENSITIVE_ENDINGS) or is_sensitive(name.lower()):
        found.add(SENSITIVE_NAME)
    if name in STARTS_WITH_PYTHON or name in STARTS_WITH_A_CLIENT or (name.endswith(".pth") and "-packages/" in path):
        found.add(PERSISTENCE)
    if name in INSTRUCTIONS or "/.cursor/rules/" in path:
        found.add(INSTRUCTION_FILE)
    for root in roots:
        if path.startswith(root + "/"):
            parts = path[len(root) + 1 :].split("/")
            if ".ssh" in parts[:-1] and SECRET not in found:
                found.add(SENSITIVE_NAME)  # who may log in where, and how, once it is put in place
            if (any(_generated(part) for part in parts) or _paired(parts)) and VCS_INTERNAL not in found:
                found.add(GENERATED)
            break


def is_sensitive(name: str) -> bool:
    """Whether a file of data is named like a secret (``credentials.json``); the name is in lower case."""
    stem, dot, ending = name.rpartition(".")
    return (dot + ending if stem else "") in DATA_ENDINGS and any(word in name for word in SENSITIVE_WORDS)


def _paired(parts: list[str]) -> bool:
    return any(f"{parts[at]}/{parts[at + 1]}" in GENERATED_PAIRS for at in range(len(parts) - 1))


def _generated(name: str) -> bool:
    return name in GENERATED_NAMES or name.endswith(GENERATED_ENDINGS) or name.startswith(GENERATED_STARTS)


def classify(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...], where: str = "here") -> Place:
    """Return the place of an absolute, normal path; what lies behind ``MAX_PATH`` characters no file can have (PATH_MAX)."""
    path = path[:MAX_PATH]
    if where != "here":
        return Place(location(path, (), "", ()), natures(path, (), ""), where)
    return Place(location(path, roots, home, temps), natures(path, roots, home))
