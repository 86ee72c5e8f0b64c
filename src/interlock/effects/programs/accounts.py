"""Users, groups, passwords; the stores that hold keys and passwords, and what watches the person at the screen."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, Deletes, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

SECRET = Flow(None, frozenset({"secret"}))
_GPG_MANNERS = frozenset({"--batch", "--yes", "--no-tty", "-q", "--quiet", "-v", "--verbose", "-o", "--output", "-a", "--armor", "--homedir"})
"""Options that are no command: with nothing else gpg decrypts the file it is given."""
_GPG_KEYS = ("--export-secret-keys", "--export-secret-subkeys", "--export-secret-key", "--export-secret-ssh-key")


# -- accounts -------------------------------------------------------------------------------------------------


def _edits(*paths: str) -> Reader:
    """Return a reader for programs that open an account file in an editor; ``-c`` only checks."""

    def read(run: Run) -> Flow:
        if run.has("-c", "--check", "-V", "--version", "--help"):
            return UNREAD
        run.effect(ControlsSystem, run.name, "users")
        for path in paths:
            run.path(Writes, Value(path))
        return NOTHING

    return read


def _getent(run: Run) -> Flow:
    """``getent shadow`` prints password hashes; other databases are public."""
    names = [value.text for value in run.operands[:1]]
    for name in names:
        if name in ("shadow", "gshadow"):
            run.path(Reads, Value(f"/etc/{name}"))
            return SECRET
    return UNREAD


# -- stores of secrets ----------------------------------------------------------------------------------------


def _store(run: Run, path: str) -> Value:
    """Return the path of a store below the home folder."""
    return Value(f"{run.context.home or '~'}/{path}")


def secret(run: Run, path: str) -> Flow:
    """Read a secret of a store: what is printed is secret."""
    run.path(Reads, _store(run, path))
    return SECRET


def _stores(path: str, reads: str, writes: str = "", *, deletes: str = "", default: str = "") -> Reader:
    """Return a reader for a program whose words or options (first operand, or an option) read, write or delete in a store."""
    table = {**dict.fromkeys(reads.split(), "reads"), **dict.fromkeys(writes.split(), "writes"), **dict.fromkeys(deletes.split(), "deletes")}

    def read(run: Run) -> Flow:
        words = [value.text for value in run.operands[:1]]
        both = " ".join([value.text for value in run.operands[:2]]).replace(" ", "+")
        given = [*run.parsed.flags, *[name for name, _ in run.parsed.options]]
        found = next((table[word] for word in [*given, both, *words] if word in table), default if words else "")
        if found == "reads":
            return secret(run, path)
        if found:
            run.path(Writes if found == "writes" else Deletes, _store(run, path))
        return UNREAD

    return read


def _gpg(run: Run) -> Flow:
    """``gpg``: decrypting and exporting private keys give secrets away; verifying, listing and encrypting do not."""
    has = run.has
    for value in [*run.parsed.values("-o", "--output", "--log-file")]:
        run.path(Writes, value)
    if has(*_GPG_KEYS):
        flow = secret(run, ".gnupg")
    elif has("-d", "--decrypt", "--decrypt-files") or (run.operands and run.parsed.flags <= _GPG_MANNERS):
        for value in run.operands:
            run.path(Reads, value)
        flow = secret(run, ".gnupg")
    elif has("--delete-secret-keys", "--delete-secret-key", "--delete-secret-and-public-keys", "--delete-secret-and-public-key"):
        run.path(Deletes, _store(run, ".gnupg"))
        flow = NOTHING
    else:
        for value in run.operands if has("-e", "-c", "-s", "-b", "-a", "--encrypt", "--symmetric", "--sign", "--verify", "--dearmor") else []:
            run.path(Reads, value)
        return Flow(None, run.reader.carried(run) - {"secret"} if has("-e", "--encrypt", "-c", "--symmetric") else run.reader.carried(run))
    for value in run.parsed.values("-o", "--output"):
        if (path := run.context.normal(value.text, run.cwd)) is not None:
            run.reader.written[path] = flow
    return flow


def _decrypts(*options: str) -> Reader:
    """Return a reader for a program that decrypts the files it is given, with these options or words."""

    def read(run: Run) -> Flow:
        words = [value for value in run.operands if value.text not in options]
        for value in words:
            run.path(Reads, value)
        for value in run.parsed.values("-o", "--output"):
            run.path(Writes, value)
        for value in run.parsed.values("-i", "--identity"):
            run.path(Reads, value)
        found = run.has(*options) or any(value.text in options for value in run.operands[:1])
        return SECRET if found else Flow(None, run.reader.carried(run))

    return read


def _captures(run: Run) -> Flow:
    """Take a picture or a recording: the file named is written."""
    run.executes(run.name, "captures")
    run.roles()
    return Flow(None, frozenset({"outside"}))


def _clipboard(run: Run) -> Flow:
    """Print what the person copied last; copying into it is no matter."""
    if run.name in ("pbpaste", "wl-paste") or run.has("-o", "-out", "--output", "-out-file"):
        run.executes(run.name, "captures")
        return Flow(None, frozenset({"outside"}))
    return NOTHING


_USERS = Row(effects="controls-system:users")
_HASHES = "password = *"
_CAPTURE = Row(operands="makes*", options="-d:data -o:writes -w:data -f:data -r:data -i:data", read=_captures)
_CREDENTIALS = Row(read=_stores(".git-credentials", "get fill", "store approve", deletes="erase reject"))
_GPG = Row(
    options="-o:data --output:data -r:data --recipient:data -u:data --local-user:data --homedir:data --keyserver:data --passphrase:data "
    "--passphrase-file:reads --passphrase-fd:data --status-fd:data --command-fd:data --pinentry-mode:data --keyring:reads -R:data "
    "--default-key:data --digest-algo:data --cipher-algo:data --trust-model:data --log-file:data",
    read=_gpg,
)

ROWS: dict[str, Row] = dict.fromkeys(
    "usermod userdel groupadd groupdel groupmod adduser deluser addgroup delgroup newusers groupmems chfn pwconv pwunconv grpconv "
    "dseditgroup usermgmt pw".split(),
    _USERS,
)
ROWS.update(
    dict.fromkeys(
        "scrot import screencapture gnome-screenshot grim maim flameshot spectacle xwd fswebcam imagesnap arecord parecord".split(), _CAPTURE
    )
)
ROWS.update(dict.fromkeys("logkeys evtest xspy keylogger".split(), Row(effects="executes:security-tool")))
ROWS.update(
    dict.fromkeys(
        "xclip xsel pbpaste wl-paste pbcopy wl-copy".split(), Row(options="-selection:data -t:data -target:data", clustered=False, read=_clipboard)
    )
)
ROWS.update(
    dict.fromkeys(
        "git-credential git-credential-store git-credential-cache git-credential-osxkeychain git-credential-manager git-credential-libsecret".split(),
        _CREDENTIALS,
    )
)
ROWS.update({
    "useradd": Row(options="-c:data -d:data -g:data -G:data -k:data -u:data -s:data -p:data -e:data -f:data -b:data",
                   read=doing("users = ?")),
    "chsh": Row(options="-s:data --shell:data", read=doing("nothing = -l --list-shells", "users = *")),
    "passwd": Row(read=doing("nothing = -S --status", _HASHES)), "chpasswd": Row(read=doing(_HASHES)), "yppasswd": Row(read=doing(_HASHES)),
    "smbpasswd": Row(read=doing(_HASHES)), "chgpasswd": Row(read=doing(_HASHES)),
    "chage": Row(read=doing("nothing = -l --list", _HASHES)), "gpasswd": _USERS, "faillock": Row(read=doing("users = --reset")),
    "pwck": Row(read=doing("nothing = -r", "users = *")), "grpck": Row(read=doing("nothing = -r", "users = *")),
    "visudo": Row(options="-f:writes --file:writes", read=_edits("/etc/sudoers")), "vipw": Row(read=_edits("/etc/passwd")),
    "vigr": Row(read=_edits("/etc/passwd")), "sudoedit": Row(operands="writes*", effects="escalates-privilege"),
    "dscl": Row(clustered=False, options="-u:data -P:data", read=doing(
        "password = -passwd passwd", "users = -create -append -merge -delete -change -changei", "nothing = *")),
    "sysadminctl": Row(clustered=False, read=doing("users = -addUser -deleteUser -guestAccount", "password = -resetPasswordFor -newPassword*")),
    "getent": Row(read=_getent),
    "gpg": _GPG, "gpg2": _GPG, "gpgv": Row(operands="reads*"), "gpg-agent": Row(), "gpgconf": Row(), "gpg-connect-agent": Row(),
    "pass": Row(read=_stores(
        ".password-store", "show -c --clip otp", "insert generate edit mv cp rename copy init import", deletes="rm remove delete",
        default="reads")),
    "gopass": Row(read=_stores(".password-store", "show cat otp", "insert generate edit mv cp", deletes="rm delete")),
    "security": Row(read=_stores(
        "Library/Keychains", "find-generic-password find-internet-password dump-keychain export unlock-keychain find-key",
        "add-generic-password add-internet-password import add-trusted-cert add-certificates set-keychain-password set-key-partition-list "
        "authorizationdb", deletes="delete-generic-password delete-internet-password delete-keychain delete-certificate delete-identity")),
    "secret-tool": Row(clustered=False, read=_stores(".local/share/keyrings", "lookup search", "store", deletes="clear")),
    "kwallet-query": Row(read=_stores(".local/share/keyrings", "-r --read-password", "-w --write-password")),
    "keyring": Row(read=_stores(".local/share/keyrings", "get", "set", deletes="del")),
    "keyctl": Row(read=_stores(".local/share/keyrings", "print read pipe", "update")),
    "op": Row(read=_stores(".config/op", "read item+get document+get inject run user+get", "item+create item+edit", deletes="item+delete")),
    "bw": Row(read=_stores(".config/op", "get export list", "create edit import", deletes="delete")),
    "lpass": Row(read=_stores(".password-store", "show export", "add edit import", deletes="rm")),
    "sops": Row(options="--output:data --age:data --kms:data --pgp:data", read=_decrypts("-d", "--decrypt", "decrypt", "exec-env", "exec-file", "edit")),
    "age": Row(options="-i:data --identity:data -r:data --recipient:data -R:reads -o:data --output:data", read=_decrypts("-d", "--decrypt")),
    "xinput": Row(read=doing("executes:security-tool = test test-xi2", "plain = set-* disable enable float reattach create-master remove-master")),
    "xdotool": Row(effects="executes:captures"), "ydotool": Row(effects="executes:captures"), "showkey": Row(effects="executes:captures"),
    "wtype": Row(effects="executes:captures"), "cliclick": Row(effects="executes:captures"),
})  # fmt: skip
