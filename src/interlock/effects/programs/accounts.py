"""Users, groups and passwords, here and in the directories of an organisation."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

_FILES = Flow(None, frozenset({"secret"}))


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
            return _FILES
    return UNREAD


def _htpasswd(run: Run) -> Flow:
    """``htpasswd [-n] FILE USER``: changes a file of passwords of a web server; ``-n`` prints, ``-v`` verifies."""
    if not run.has("-n", "-v") and run.operands:
        run.path(Writes, run.operands[0], "in-place")
    return UNREAD


def _account(trait: str, *looks: str) -> Reader:
    """Return a reader for programs that change an account; the one of root, or another with its number, is said."""

    def read(run: Run) -> Flow:
        if run.has("--help", "--version", *looks):
            return UNREAD
        root = any(value.text == "root" for value in run.operands) or any(value.text == "0" for value in run.parsed.values("-u", "--uid"))
        target = run.operands[-1] if run.operands else None
        run.effect(ControlsSystem, target.text if target is not None else run.name, trait, *(["root-account"] if root else []), value=target)
        return NOTHING

    return read


_USERS = Row(options="-u:data --uid:data -g:data -G:data -s:data -d:data -c:data -e:data", read=_account("users"))
_HASHES = "password = *"

ROWS: dict[str, Row] = dict.fromkeys(
    "usermod userdel groupadd groupdel groupmod adduser deluser addgroup delgroup newusers groupmems chfn pwconv pwunconv grpconv "
    "dseditgroup usermgmt pw".split(),
    _USERS,
)
ROWS.update({
    "useradd": Row(read=_account("users", "-D", "--defaults")),
    "chsh": Row(options="-s:data --shell:data", read=doing("nothing = -l --list-shells", "users = *")),
    "passwd": Row(read=_account("password", "-S", "--status")), "chpasswd": Row(read=doing(_HASHES)), "yppasswd": Row(read=doing(_HASHES)),
    "smbpasswd": Row(read=doing(_HASHES)), "chgpasswd": Row(read=doing(_HASHES)),
    "chage": Row(read=doing("nothing = -l --list", _HASHES)), "gpasswd": _USERS, "faillock": Row(read=doing("users = --reset")),
    "pwck": Row(read=doing("nothing = -r", "users = *")), "grpck": Row(read=doing("nothing = -r", "users = *")),
    "visudo": Row(options="-f:writes --file:writes", read=_edits("/etc/sudoers")), "vipw": Row(read=_edits("/etc/passwd")),
    "vigr": Row(read=_edits("/etc/passwd")), "sudoedit": Row(operands="writes*", effects="escalates-privilege"),
    "dscl": Row(clustered=False, options="-u:data -P:data", read=doing(
        "password = -passwd passwd", "users = -create -append -merge -delete -change -changei", "nothing = *")),
    "sysadminctl": Row(clustered=False, read=doing("users = -addUser -deleteUser -guestAccount", "password = -resetPasswordFor -newPassword*")),
    "getent": Row(read=_getent),
    "pam-auth-update": Row(read=doing("users,security-off = *")), "authconfig": Row(read=doing("nothing = --test --probe", "users,security-off = *")),
    "authselect": Row(read=doing("nothing = current list show check test", "users,security-off = ?")),
    "samba-tool": Row(clustered=False, read=doing(
        "nothing = user+list user+show group+list group+show domain+info dns+query testparm processes ntacl+get", "users = *")),
    "pdbedit": Row(read=doing("nothing = -L --list", "users = *")),
    "ipa": Row(clustered=False, read=doing(
        "nothing = ping env help console show-mappings user-show user-find group-show group-find host-show host-find user-status", "users = ?")),
    "realm": Row(read=doing("nothing = list discover", "users = ?")), "adcli": Row(read=doing("nothing = info testjoin show-computer", "users = ?")),
    "kadmin": Row(options="-p:data -q:data -k:data -t:data -w:data", read=doing("users = *")),
    "kadmin.local": Row(options="-q:data", read=doing("users = *")),
    **dict.fromkeys("ldapadd ldapmodify ldapdelete ldapmodrdn ldappasswd".split(), Row(read=doing("nothing = -n", "users = *"))),
    "htpasswd": Row(read=_htpasswd), "htdigest": Row(operands="writes"), "lchage": _USERS, "luseradd": _USERS, "luserdel": _USERS, "lusermod": _USERS,
    "lpasswd": _USERS, "homectl": Row(read=doing("nothing = list inspect show", "users = ?")), "userdbctl": Row(),
    "ssh-import-id": Row(effects="persists:ssh-key"), "ssh-import-id-gh": Row(effects="persists:ssh-key"),
    "google-authenticator": Row(effects="controls-system:password"), "fprintd-enroll": Row(effects="controls-system:password"),
    "setquota": Row(effects="controls-system:users"), "edquota": Row(effects="controls-system:users"), "quota": Row(),
})  # fmt: skip
