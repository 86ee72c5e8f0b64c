"""Programs that administer Windows: registry, tasks, accounts, shadow copies, rights. Their options
begin with a slash (two in Git Bash).

Sources: Microsoft Learn, "Windows commands"; the LOLBAS project for programs of Windows that fetch
or run other code.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.connecting import to_url
from interlock.effects.run import Run
from interlock.model.effect import (
    HOME,
    SECRET,
    SYSTEM,
    ChangesMode,
    Connects,
    ControlsSystem,
    Persists,
    Place,
    Reads,
    Writes,
)
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

_RUN_KEYS = ("\\run", "\\runonce", "\\runonceex", "\\runservices", "\\policies\\explorer\\run")
_START_KEYS = words("windows", "start keys")
_START_NAMES = frozenset(
    {"userinitmprlogonscript", "appinit_dlls", "debugger", "autorun", "scrnsave.exe", "netsh"}
)
"""Keys and values of the registry that Windows starts by itself (MITRE ATT&CK T1546, T1547)."""
_ACCOUNTS = ("\\sam", "\\security", "\\system")


def starts(key: str, name: str = "") -> bool:
    """Whether what is put under a key of the registry, in lower case, is started by Windows."""
    key = key.replace("/", "\\").rstrip("\\") + "\\"
    return (
        any(part + "\\" in key for part in _RUN_KEYS)
        or any(part in key for part in _START_KEYS)
        or name in _START_NAMES
    )


def switches(run: Run) -> set[str]:
    """Return the words that begin with one slash or two, in lower case, as if with one."""
    return {
        "/" + value.text.lstrip("/-").lower()
        for value in run.arguments
        if value.text[:1] in ("/", "-")
    }


def others(run: Run) -> list[Value]:
    """Return the words that are no switches, paths with forward slashes."""
    return [
        Value(value.text.replace("\\", "/"), value.start, value.end, value.why, "*" in value.text)
        for value in run.arguments
        if value.text[:1] not in ("/", "-")
    ]


def _after(run: Run, *names: str) -> Value | None:
    """Return the word behind one of these switches (``/f PATH``)."""
    words = run.arguments
    found = next(
        (
            words[at + 1]
            for at in range(len(words) - 1)
            if "/" + words[at].text.lstrip("/-").lower() in names
        ),
        None,
    )
    return (
        None
        if found is None
        else Value(found.text.replace("\\", "/"), found.start, found.end, found.why)
    )


def secret(run: Run, what: str, location: str = SYSTEM) -> None:
    """Add that a store of credentials is read which is no file."""
    run.context.add(
        Reads, what, place=Place(location, frozenset({SECRET})), span=run.span(), by=run.name
    )


def _reg(run: Run) -> Flow:
    """``reg add|delete|import|query|save KEY``."""
    words = [value.text.lower() for value in run.operands]
    key = words[1].replace("\\\\", "\\").replace("/", "\\") if len(words) > 1 else ""
    # a shell of Unix has eaten the backslash
    key = key if "\\" in key or not key.startswith("hklm") else f"hklm\\{key[4:]}"
    if words[:1] in (["save"], ["export"]) and key.endswith(_ACCOUNTS) and "\\software" not in key:
        secret(run, key)
    if words[:1] in (["save"], ["export"]) and len(run.operands) > 2:
        value = run.operands[2]
        run.path(
            Writes,
            Value(value.text.replace("\\", "/"), value.start, value.end, value.why),
            *(["carries-secret"] if key.endswith(_ACCOUNTS) else []),
        )
    if not words or words[0] not in (
        "add",
        "delete",
        "import",
        "restore",
        "load",
        "unload",
        "copy",
    ):
        return UNREAD
    name = _after(run, "/v")
    startup = words[0] != "delete" and starts(key, name.text.lower() if name is not None else "")
    protects = any(word in key for word in ("defender", "\\policies\\system", "\\control\\lsa"))
    run.effect(
        Persists if startup else ControlsSystem,
        key or run.name,
        "startup" if startup else "security-off" if protects else "defaults",
    )
    return NOTHING


_SAMBA = frozenset(
    "rpc ads rap sam groupmap idmap conf registry usershare user group dom join setdomainsid changesecretpw".split()
)
_SAMBA_CHANGES = frozenset(
    "add delete del password rename join leave grant revoke addmem delmem set rights shutdown abortshutdown vampire setparm createkey deletekey start stop".split()
)
"""Commands of Samba's ``net``, whose accounts are those of a domain (net(8))."""


def _net(run: Run) -> Flow:
    """``net user NAME PASSWORD /add``, ``net stop NAME``: without further words it lists."""
    words = [value.text.lower() for value in run.operands]
    if words[:1] in (["start"], ["stop"], ["pause"], ["continue"]) and len(words) > 1:
        run.effect(ControlsSystem, words[1], "service-stop" if words[0] == "stop" else "service")
    elif len(words) > 2 and (
        words[0] in ("user", "localgroup", "group", "accounts")
        or (words[0] in _SAMBA and not _SAMBA_CHANGES.isdisjoint(words))
    ):
        run.effect(ControlsSystem, words[1], "users")
    elif words[:1] in (["share"], ["use"]) and len(words) > 2:
        run.effect(ControlsSystem, words[1], "mount")
    return UNREAD


def _cmd(run: Run) -> Flow:
    """``cmd [/q /d /v:on] /c TEXT`` (``//c`` in Git Bash): all behind ``/c`` is one line."""
    words = run.arguments
    for index, value in enumerate(words):
        text = value.text.lower().replace("//", "/", 1)
        if text[:2] in ("/c", "/k", "/r"):
            rest = [
                value.text[value.text.lower().index(text[1]) + 1 :],
                *[
                    _requote(word.text, alone=len(words) == index + 2)
                    for word in words[index + 1 :]
                ],
            ]
            why = next((word.why for word in words[index:] if word.hollow), "")
            line = " ".join([word for word in rest if word])
            return (
                run.code(
                    Value(line, words[min(index + 1, len(words) - 1)].start, words[-1].end, why),
                    "cmd",
                )
                if line.strip()
                else NOTHING
            )
    return run.input_as_code("cmd") if run.stdin is not None else UNREAD


def _requote(text: str, *, alone: bool) -> str:
    """Return a word as it stood on the command line: one word alone is the whole line."""
    return f'"{text}"' if " " in text and not alone else text


def _wsl(run: Run) -> Flow:
    """``wsl [-d NAME] [-u USER] [--] COMMAND``: a command of Linux."""
    words = run.arguments
    at = 0
    while at < len(words) and words[at].text[:1] == "-":
        text = words[at].text
        if text in ("--unregister", "--shutdown", "--terminate", "-t"):
            run.effect(
                ControlsSystem, "wsl", "format" if text == "--unregister" else "service-stop"
            )
            return NOTHING
        at += 2 if text in ("-d", "--distribution", "-u", "--user", "--cd") else 1
        if text in ("--", "-e", "--exec"):
            break
    return run.command(words[at:]) if at < len(words) else UNREAD


def _certutil(run: Run) -> Flow:
    """``certutil -urlcache -f URL FILE``, ``-decode IN OUT``, ``-addstore root FILE``."""
    from interlock.effects.programs.sending import download

    given, rest = switches(run), others(run)
    if given & {"/urlcache", "/verifyctl", "/ping"}:
        for value in [value for value in rest if "://" in value.text]:
            to_url(
                run.context, value.text, run.span(value), frozenset({"get", "download"}), run.name
            )
        for value in [value for value in rest if "://" not in value.text]:
            download(run, value)
    elif given & {"/decode", "/decodehex", "/encode", "/encodehex"} and rest:
        run.path(Reads, rest[0])
        for value in rest[1:2]:
            written = run.path(Writes, value)
            run.reader.written[written.target] = Flow(
                None, run.contents(rest[0]).labels | {"decoded"}
            )
    elif given & {"/addstore", "/importpfx", "/delstore"}:
        run.effect(ControlsSystem, "certificates", "security-off")
    return UNREAD


def _bitsadmin(run: Run) -> Flow:
    """``bitsadmin /transfer NAME URL FILE``, ``/addfile NAME URL FILE``, ``/setnotifycmdline``."""
    from interlock.effects.programs.sending import download, file_carries, send

    given, rest = switches(run), others(run)
    if "/setnotifycmdline" in given:
        run.effect(Persists, run.name, "startup")
    urls = [value for value in rest if "://" in value.text]
    for index, value in enumerate(rest):
        if "://" not in value.text:
            continue
        host = to_url(
            run.context, value.text, run.span(value), frozenset({"get", "download"}), run.name
        ).target
        for file in rest[index + 1 : index + 2]:
            if "/upload" in given:
                send(run, host, {"upload", *file_carries(run, file)})
            else:
                download(run, file)
    return UNREAD if urls else NOTHING


def _mshta(run: Run) -> Flow:
    """``mshta URL|FILE|vbscript:CODE``: a page whose scripts run with the user's rights."""
    for value in run.arguments:
        low = value.text.lower()
        if "://" in low:
            to_url(run.context, value.text, run.span(value), frozenset({"get"}), run.name)
            run.unknown_code("network", value=value)
        elif low.startswith(("javascript:", "vbscript:", "about:")):
            run.unknown_code("argument", "inline", value=value)
        elif low[:1] != "/":
            run.script(
                Value(value.text.replace("\\", "/"), value.start, value.end, value.why), "html"
            )
    return UNREAD


def _rundll(run: Run) -> Flow:
    """``rundll32 FILE,ENTRY ..``: a function of a library is called."""
    text = " ".join([value.text for value in run.arguments])
    low = text.lower().replace("\\", "/")
    if "comsvcs" in low and ("minidump" in low or "#24" in low or "#+" in low):
        secret(run, "memory of a process")
        run.effect(Writes, low.rpartition(" ")[0].rpartition(" ")[2], "carries-secret")
    elif "://" in low or low.startswith("//"):
        run.unknown_code("network")
    elif low.startswith(("javascript:", "vbscript:")) or "javascript:" in low:
        run.unknown_code("argument", "inline")
    elif not low.startswith(_OWN_LIBRARIES):
        run.unknown_code("argument", "native")
    run.context.doubt("what a function of a library does is not known")
    return UNREAD


_OWN_LIBRARIES = words("windows", "own libraries")


def _regsvr(run: Run) -> Flow:
    """``regsvr32 /s /i:URL scrobj.dll`` fetches and runs a script; else a library is registered."""
    low = " ".join([value.text.lower() for value in run.arguments])
    if "://" in low or "/i:\\\\" in low or low.startswith("\\\\"):
        run.effect(Connects, "", "get", "unknown-host", host="unknown")
        run.unknown_code("network")
    elif low.strip():
        run.effect(ControlsSystem, low.rpartition(" ")[2], "defaults")
    return UNREAD


def _host(run: Run) -> Flow:
    """``cscript FILE.vbs``, ``wscript FILE.js``: Windows Script Host."""
    for value in others(run)[:1]:
        return run.script(value, "vbscript")
    return UNREAD


def _msiexec(run: Run) -> Flow:
    from interlock.model.effect import Installs

    given, rest = switches(run), others(run)
    if given & {"/x", "/uninstall"}:
        run.effect(Installs, rest[0].text if rest else "", "remove", "system")
    elif given & {"/i", "/package", "/a", "/update", "/p", "/j", "/fa", "/f"}:
        for value in rest[:1]:
            remote = "://" in value.text
            if remote:
                to_url(
                    run.context,
                    value.text,
                    run.span(value),
                    frozenset({"get", "download"}),
                    run.name,
                )
            run.effect(Installs, value.text, "system", *(["url"] if remote else []))
    return UNREAD


_EVERYBODY = words("windows", "everybody")


def _rights(run: Run) -> Flow:
    """``icacls PATH /grant Everyone:F /T``: rights on files; without a change they are shown."""
    given, rest = switches(run), others(run)
    text = " ".join([value.text.lower() for value in run.arguments])
    if not rest or not any(
        name in text
        for name in (
            "/grant",
            "/deny",
            "/remove",
            "/reset",
            "/setowner",
            "/inheritance",
            "/restore",
            "/setintegritylevel",
            "/g ",
            "/p ",
            "/e ",
        )
    ):
        return UNREAD
    wide = (
        ["world-writable"]
        if any(word in text for word in _EVERYBODY)
        and "/deny" not in text
        and "/remove" not in text
        else []
    )
    run.path(
        ChangesMode,
        rest[0],
        *(["recursive"] if given & {"/t"} else []),
        *wide,
        *(["owner"] if "/setowner" in text else []),
    )
    return UNREAD


def _takeown(run: Run) -> Flow:
    value = _after(run, "/f")
    if value is not None:
        run.path(ChangesMode, value, "owner", *(["recursive"] if "/r" in switches(run) else []))
    return UNREAD


def _cmdkey(run: Run) -> Flow:
    """``cmdkey /list`` names Windows' credentials, ``/add`` and ``/delete`` change them."""
    given = " ".join(sorted(switches(run)))
    if "/add" in given or "/delete" in given or "/generic" in given or "/user" in given:
        run.effect(ControlsSystem, "credentials", "password")
    else:
        secret(run, "Windows Credential Manager", HOME)
    return UNREAD


def _vaultcmd(run: Run) -> Flow:
    secret(run, "Windows Credential Manager", HOME)
    return UNREAD


def _dump(run: Run) -> Flow:
    """``procdump -ma lsass.exe FILE``: the memory of a process; of lsass it holds passwords."""
    text = " ".join([value.text.lower() for value in run.arguments])
    if "lsass" in text or "-ma" in text:
        secret(run, "memory of lsass" if "lsass" in text else "memory of a process")
    return UNREAD


def _directory(run: Run) -> Flow:
    """``ntdsutil "ac i ntds" ifm ..``, ``esentutl /y /vss FILE``: copies of accounts' data."""
    text = " ".join([value.text.lower() for value in run.arguments])
    if "ntds" in text or "ifm" in text or "/vss" in text or "config\\sam" in text:
        secret(run, "accounts of the machine")
    return UNREAD


def _runas(run: Run) -> Flow:
    """``runas /user:NAME COMMAND``."""
    from interlock.model.effect import EscalatesPrivilege

    user = next((text.partition(":")[2] for text in switches(run) if text.startswith("/user:")), "")
    run.effect(EscalatesPrivilege, user or "another user")
    for value in [value for value in run.arguments if value.text[:1] != "/"][:1]:
        run.code(value, "cmd")
    return UNREAD


def _psexec(run: Run) -> Flow:
    r"""``psexec [\\HOST] [-s] COMMAND``."""
    from interlock.model.effect import EscalatesPrivilege

    words = run.arguments
    if words and words[0].text.startswith("\\\\"):
        run.effect(Connects, words[0].text.strip("\\"), "remote-shell", host="unknown")
        words = words[1:]
    if {"/s", "/h"} & switches(run):
        run.effect(EscalatesPrivilege, "system")
    while words and words[0].text[:1] in ("-", "/"):
        words = words[2:] if words[0].text.lower() in ("-u", "-p", "-w", "-r", "-n") else words[1:]
    return run.command(words) if words else UNREAD


def _wmic(run: Run) -> Flow:
    """``wmic process call create "COMMAND"``, ``wmic shadowcopy delete``; ``get`` and ``list``
    look.
    """
    words = [value.text.lower() for value in run.operands if value.text[:1] != "/"]
    if "call" in words:
        at = words.index("call")
        if words[at + 1 : at + 2] == ["create"]:
            rest = [value for value in run.operands if value.text[:1] != "/"][at + 2 :]
            text = " ".join([value.text for value in rest]).strip("\"'")
            run.code(
                Value(
                    text,
                    rest[0].start if rest else 0,
                    rest[-1].end if rest else 0,
                    next((value.why for value in rest if value.hollow), ""),
                ),
                "cmd",
            )
            return UNREAD
        run.effect(ControlsSystem, words[0], "service")
    elif "delete" in words:
        run.effect(
            ControlsSystem,
            words[0],
            "format" if words[0] in ("shadowcopy", "volume", "diskdrive") else "service",
        )
    elif "set" in words or "create" in words or (words[:1] == ["product"] and "uninstall" in words):
        run.effect(ControlsSystem, words[0], "defaults")
    return UNREAD


def _launcher(run: Run) -> Flow:
    """``pcalua -a PROGRAM``, ``conhost PROGRAM``: starts what it is given."""
    words = [value for value in run.arguments if value.text not in ("-a", "-c", "--headless", "--")]
    return run.command(words) if words else UNREAD


def _setx(run: Run) -> Flow:
    """``setx NAME VALUE [/m]``: for every later session; a path of programs or a hook stays."""
    named = [value for value in run.arguments if value.text[:1] not in ("/", "-")]
    if named:
        run.effect(Persists, named[0].text, "startup", value=named[0])
    return NOTHING
