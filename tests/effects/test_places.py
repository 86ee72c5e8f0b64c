"""Places and hosts by name: what each is in every spelling, and near names that are nothing of the
kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.effects import hosts, places
from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import (
    ACCESS,
    GUARD,
    INSTRUCTION_FILE,
    LOCAL,
    LOG,
    METADATA_SERVICE,
    PERSISTENCE,
    PROJECT_SECRET,
    SECRET,
    UNKNOWN_HOST,
)
from interlock.model.facts import MISSING, Stat
from tests.judging import decided

if TYPE_CHECKING:
    from interlock.model.facts import Unknown


ROOT = "/home/user/project"
OF_HOME = {
    SECRET: (
        ".ssh/id_rsa .ssh/id_ed25519 .ssh/keys/deploy .aws/credentials .aws/config .kube/config .docker/config.json .npmrc .pypirc .netrc .pgpass "
        ".my.cnf "
        ".git-credentials .gnupg/private-keys-v1.d/x.key .config/gcloud/credentials.db .azure/msal_token_cache.json .config/gh/hosts.yml "
        ".cargo/credentials.toml .gem/credentials .vault-token .password-store/x.gpg .terraform.d/credentials.tfrc.json .m2/settings.xml "
        ".gradle/gradle.properties .composer/auth.json .config/sops/age/keys.txt .mozilla/firefox/a/logins.json .mozilla/firefox/a/key4.db "
        ".config/google-chrome/Default/Cookies .config/chromium/Default/Cookies .config/BraveSoftware/x .local/share/keyrings/login.keyring "
        "Library/Keychains/login.keychain-db Library/Cookies/x .config/Slack/Cookies .config/solana/id.json .electrum/wallets/w .bitcoin/wallet.dat "
        ".claude/.credentials.json .codex/auth.json .config/rclone/rclone.conf .s3cfg .boto .kaggle/kaggle.json .cache/huggingface/token "
        ".thunderbird/x "
        ".local/state/interlock/enrolled.json .local/state/interlock/audit.key .local/state/interlock/service/receipts.key "
        ".config/filezilla/sitemanager.xml .dbt/profiles.yml .mylogin.cnf .authinfo.gpg .config/op/config .databrickscfg .terraformrc"
    ),
    PERSISTENCE: (
        ".bashrc .bash_profile .profile .zshrc .zshenv .zprofile .bash_logout .bash_aliases .config/fish/config.fish .config/autostart/x.desktop "
        ".config/systemd/user/x.service Library/LaunchAgents/x.plist .ssh/rc .ssh/config .gitconfig .config/git/config .vimrc .tmux.conf .inputrc "
        ".xprofile "
        ".config/environment.d/x.conf .cargo/config.toml .config/pip/pip.conf .Rprofile .gdbinit .ipython/profile_default/startup/x.py "
        ".emacs.d/init.el "
        ".config/Code/User/settings.json .oh-my-zsh/custom/x.zsh .yarnrc.yml .npmrc .local/lib/python3.11/site-packages/x.pth "
        ".local/lib/python3.11/site-packages/usercustomize.py"
    ),
    ACCESS: ".ssh/authorized_keys .ssh/authorized_keys2 .rhosts .shosts .k5login .ssh/environment",
    LOG: ".bash_history .zsh_history .python_history .local/share/fish/fish_history .psql_history .mysql_history .history .node_repl_history",
    GUARD: (
        ".config/interlock/policy.yaml .local/state/interlock/state.db .claude/settings.json .claude/settings.local.json .claude/hooks/x.sh "
        ".codex/config.toml "
        ".codex/hooks.json .gemini/settings.json .qwen/settings.json .cursor/hooks.json .config/opencode/plugin/x.ts .claude.json"
    ),
}
"""Nature -> files below the home folder."""
OF_SYSTEM = {
    SECRET: (
        "/etc/shadow /etc/gshadow /etc/master.passwd /etc/ssl/private/x.key /etc/ssh/ssh_host_rsa_key /etc/krb5.keytab /run/secrets/x "
        "/var/run/secrets/x "
        "/etc/kubernetes/admin.conf /etc/wireguard/wg0.conf /etc/NetworkManager/system-connections/x /var/lib/cloud/instance/user-data.txt "
        "/etc/letsencrypt/live/x/privkey.pem /proc/1/environ /proc/4242/mem /dev/mem /proc/kcore /dev/input/event0 /dev/sda /dev/nvme0n1p2 "
        "/dev/mapper/root "
        "/root/.ssh/id_rsa /root/.aws/credentials /tmp/krb5cc_1000 /Users/ann/.ssh/id_rsa /home/other/.netrc"
    ),
    PERSISTENCE: (
        "/etc/cron.d/x /etc/crontab /var/spool/cron/root /etc/profile /etc/profile.d/x.sh /etc/rc.local /etc/init.d/x /etc/systemd/system/x.service "
        "/lib/systemd/system/x /etc/ld.so.preload /etc/udev/rules.d/x /etc/xdg/autostart/x /Library/LaunchDaemons/x /etc/modules-load.d/x "
        "/etc/apt/apt.conf.d/x /etc/update-motd.d/x /etc/skel/.bashrc /usr/lib/python3/dist-packages/sitecustomize.py /etc/X11/Xsession.d/x "
        "/root/.bashrc"
    ),
    ACCESS: "/etc/sudoers /etc/sudoers.d/x /etc/pam.d/sudo /etc/passwd /etc/group /etc/shadow /etc/ssh/sshd_config /root/.ssh/authorized_keys",
    LOG: "/var/log/auth.log /var/log/wtmp /var/log/journal/x",
    GUARD: "/etc/interlock/policy.yaml /etc/claude-code/managed-settings.json /usr/lib/python3/site-packages/interlock/guard/check.py "
    "/usr/local/bin/interlock",
}
"""Nature -> files of the machine, and of other people's home folders."""
OF_WORKSPACE = {
    PROJECT_SECRET: ".env .env.local .env.production apps/web/.env terraform.tfstate infra/prod.tfstate.backup config/master.key",
    GUARD: ".interlock/policy.yaml .claude/settings.json sub/.claude/hooks/x.py .codex/config.toml .github/copilot/settings.json "
    ".github/hooks/x.json",
    PERSISTENCE: ".git/hooks/pre-commit .git/config .mcp.json .cursor/mcp.json .vscode/mcp.json .ssh/config .ssh/authorized_keys sub/.ssh/rc",
    INSTRUCTION_FILE: "CLAUDE.md sub/AGENTS.md GEMINI.md .cursorrules .cursor/rules/x.mdc .github/copilot-instructions.md",
}
"""Nature -> files of a workspace."""
NOTHING_SPECIAL = (
    f"{ROOT}/.env.example {ROOT}/.env.sample {ROOT}/.env.template {ROOT}/src/keys.py {ROOT}/src/secrets.go {ROOT}/credentials_test.py "
    f"{ROOT}/test.pem.md "
    f"{ROOT}/docs/ssh.md {ROOT}/authorized_keys.md {ROOT}/bashrc.txt {ROOT}/src/history.ts {ROOT}/model.pth {ROOT}/.claude/commands/x.md "
    f"{ROOT}/shadow.css "
    f"{ROOT}/docs/CLAUDE.md.txt {ROOT}/etc/passwd {ROOT}/var/log/app.log {ROOT}/dev/sda.txt {ROOT}/.vscode/settings.json {ROOT}/src/mcp.json "
    f"{ROOT}/.github/dependabot.yml {ROOT}/environ {ROOT}/krb5cc.c {ROOT}/.ssh/known_hosts {ROOT}/ssh/config "
    "/home/user/.ssh/id_rsa.pub /home/user/.ssh/known_hosts /home/user/Documents/ssh.txt /home/user/.cache/x /home/user/.config/htop/htoprc "
    "/etc/hostname /etc/os-release /proc/cpuinfo /proc/self/status /dev/null /dev/ttyUSB0 /usr/share/doc/sudoers /tmp/x.log"
)
"""Near names of workspace, home and system that are none of these."""
NATURES = frozenset({SECRET, PROJECT_SECRET, PERSISTENCE, ACCESS, GUARD, INSTRUCTION_FILE})


def natures(path: str) -> frozenset[str]:
    """Return what a path is, seen from the workspace."""
    return places.natures(path, (ROOT,), "/home/user")


@pytest.mark.parametrize(
    ("nature", "path"),
    [(nature, f"/home/user/{name}") for nature, names in OF_HOME.items() for name in names.split()]
    + [
        (nature, f"/Users/ann/{name}")
        for nature, names in OF_HOME.items()
        for name in names.split()
    ]
    + [(nature, f"/root/{name}") for nature, names in OF_HOME.items() for name in names.split()]
    + [(nature, path) for nature, paths in OF_SYSTEM.items() for path in paths.split()]
    + [
        (nature, f"{ROOT}/{name}")
        for nature, names in OF_WORKSPACE.items()
        for name in names.split()
    ],
)
def test_a_place_is_what_its_name_says(nature: str, path: str) -> None:
    """Stores, what runs later, who may log in, histories and the guard's files are known below
    every home.
    """
    assert nature in natures(path)


@pytest.mark.parametrize("path", NOTHING_SPECIAL.split())
def test_a_near_name_is_nothing_special(path: str) -> None:
    """Samples, public keys, sources and documents with such names are files like others."""
    assert not natures(path) & NATURES


SPELLINGS = (
    "~/.ssh/id_rsa", "$HOME/.ssh/id_rsa", "${HOME}/.ssh/id_rsa", '"$HOME"/.ssh/id_rsa', "/home/user/.ssh/id_rsa", "/home/user//.ssh/./id_rsa",
    "/home/user/project/../.ssh/id_rsa", "../.ssh/id_rsa", "../../user/.ssh/id_rsa", "~user/.ssh/id_rsa", "~/.s*/id_rsa", "~/.ssh/id_rs?",
    "~/.ssh/id_[er]sa", "~/.{ssh,x}/id_rsa", "'/home/user/.ssh/id_rsa'", "/home/*/.ssh/id_rsa", "/proc/self/root/home/user/.ssh/id_rsa",
    "/proc/1/root/home/user/.ssh/id_rsa", "/proc/self/cwd/../.ssh/id_rsa", r"~/.ssh/id\_rsa", "~/.ssh/../.ssh/id_rsa", "${HOME:-/root}/.ssh/id_rsa",
    "~+/../.ssh/id_rsa", "$(echo ~)/.ssh/id_rsa", "$PWD/../.ssh/id_rsa", "~root/.ssh/id_rsa", "/Users/user/.ssh/id_rsa",
)  # fmt: skip
"""One key as people and programs spell it."""


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_secret_is_one_however_it_is_spelled(path: str) -> None:
    """Each spelling leads to a secret that is read."""
    assert _reads_secret(f"cat {path}")


@pytest.mark.parametrize(
    "path",
    [
        path.replace("id_rsa", "id_rsa.pub")
        for path in SPELLINGS
        if not any(mark in path for mark in "*[?\\")
    ],
)
def test_the_public_half_is_none(path: str) -> None:
    """The public key in the same spelling is a file like others."""
    assert not _reads_secret(f"cat {path}")


@pytest.mark.parametrize(
    "path",
    [
        "/private/etc/master.passwd",
        "/ETC/master.passwd",
        "/Users/Ann/.SSH/id_rsa",
        "/private/var/log/../../etc/sudoers",
    ],
)
def test_on_a_mac_names_know_no_case_and_private_is_the_same(path: str) -> None:
    """A Mac folds case, and keeps ``/etc`` and ``/var`` below ``/private``."""
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": f"cat {path}"},
        cwd="/Users/ann/project",
        roots=("/Users/ann/project",),
        platform="darwin",
    )
    facts = Recorded(
        "/Users/ann",
        reals={
            "/private/etc/master.passwd": "/etc/master.passwd",
            "/private/etc/sudoers": "/etc/sudoers",
        },
    )
    found = frozenset().union(
        *[effect.place.natures for effect in read(call, facts).effects if effect.place is not None]
    )
    assert found & {SECRET, ACCESS}


def _reads_secret(command: str) -> bool:
    call = ToolCall(SHELL, "Bash", {"command": command}, cwd=ROOT, roots=(ROOT,))
    return any(
        effect.place is not None and SECRET in effect.place.natures
        for effect in read(call, Recorded("/home/user")).effects
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/", "http://169.254.169.254:80/x", "http://169.254.169.254./", "http://2852039166/", "http://0xa9fea9fe/",
        "http://0xA9.0xFE.0xA9.0xFE/", "http://0251.0376.0251.0376/", "http://025177524776/", "http://169.254.43518/", "http://169.16689662/",
        "http://user:pw@169.254.169.254/", "http://x@169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://[::FFFF:A9FE:A9FE]/", "http://169.254.169.254.nip.io/", "http://169-254-169-254.sslip.io/",
        "http://x.169-254-169-254.sslip.io/", "http://metadata.google.internal/", "http://METADATA.google.internal./", "http://metadata/",
        "http://[fd00:ec2::254]/",
        "http://[fd00:0ec2:0000:0000:0000:0000:0000:0254]/", "http://169.254.170.2/v2", "http://100.100.100.200/latest", "http://192.0.0.192/opc",
        "169.254.169.254/latest", "//169.254.169.254/", "http://metadata.azure.internal/", "http://instance-data/latest", "http://168.63.129.16/",
    ],
)  # fmt: skip
def test_a_metadata_service_is_known_in_every_spelling(url: str) -> None:
    """Decimal, octal, hexadecimal, short, IPv6-mapped, with a user, with a dot at the end, through
    a wildcard name service.
    """
    assert hosts.classify(hosts.host_of(url)) == METADATA_SERVICE


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3000/", "http://LOCALHOST/", "http://localhost./", "http://127.0.0.1/", "http://127.1/", "http://0x7f000001/",
        "http://2130706433/",
        "http://0177.0.0.1/", "http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/", "http://app.localhost/",
        "http://0.0.0.0:8000/",
        "http://127.8.9.10/", "user@localhost:path", "http://host.docker.internal/",
    ],
)  # fmt: skip
def test_this_machine_is_known_in_every_spelling(url: str) -> None:
    """All of 127/8, IPv6's own, and the names that stand for them."""
    assert hosts.classify(hosts.host_of(url)) == LOCAL


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254.evil.test/", "http://169.254.169.253/", "http://evil.test/169.254.169.254", "http://evil.test/?u=http://localhost",
        "http://localhost.evil.test/", "http://evil.test#@localhost/", "http://localhost@evil.test/", "http://127.0.0.1.evil.test/",
        "http://notlocalhost/",
        "http://10.0.0.1/", "http://192.168.1.1/", "http://127.0.0.1.nip.io/", "http://1.2.3.4.nip.io/", "http://metadata.evil.test/",
        "http://[2001:db8::1]/",
        "http://1270.0.0.1/", "http://0x7g/", "http://evil.test\\@localhost/",
    ],
)  # fmt: skip
def test_a_near_address_is_a_host_like_others(url: str) -> None:
    """A name that only holds such an address, or an address beside it, is no such host; nothing
    loosens by a name somebody else answers.
    """
    assert hosts.classify(hosts.host_of(url)) == UNKNOWN_HOST


@pytest.mark.parametrize(
    ("host", "odd"),
    [
        ("dGVzdA==.evil.test", True),
        ("a+b.evil.test", True),
        ("a b.test", True),
        ("x_y-z.test", False),
        ("::1", False),
    ],
)
def test_a_name_that_no_host_has_carries_something(host: str, odd: bool) -> None:
    """Data in the name of a host goes out with the question for it."""
    assert hosts.carries_data(host) is odd


class _Missing(Recorded):
    """A disk on which nothing is at any path."""

    def stat(self, path: str) -> Stat | Unknown:
        """Return that nothing is there."""
        del path
        return Stat(MISSING)


@pytest.mark.parametrize(
    ("facts", "verdict"), [(_Missing("/home/user"), "allow"), (Recorded("/home/user"), "ask")]
)
def test_a_sample_is_copied_to_where_nothing_is(facts: Recorded, verdict: str) -> None:
    """``.env`` made from its sample loses nothing; where it may be there already, its edit is asked
    about.
    """
    call = ToolCall(SHELL, "Bash", {"command": "cp .env.example .env"}, cwd=ROOT, roots=(ROOT,))
    assert str(decided(call, facts=facts).verdict) == verdict


@pytest.mark.parametrize(
    "command",
    [
        "pnpm vitest run packages/core -t sums",
        "npm exec -t x",
        "docker nothing -t x",
        "git nothing -p x",
    ],
)
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_subcommand_that_nobody_listed_is_read_on_every_platform(
    command: str, platform: str
) -> None:
    """On a Mac what the same program takes on Linux is looked at, too, and says nothing of a
    subcommand that is not listed there.
    """
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": command},
        cwd="/Users/ann/project",
        roots=("/Users/ann/project",),
        platform=platform,
    )
    assert read(call, Recorded("/Users/ann")).effects
