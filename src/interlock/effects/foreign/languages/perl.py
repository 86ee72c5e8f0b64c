"""Perl 5, by perlfunc and the pages of its core modules."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_DIALECT = TokenDialect(
    "perl", comments=("#",), raw="'", cooked='"', inside="$", back="command", join=frozenset({"."}),
    member=frozenset({"->", "::"}), lines=False, bare=True, sigils="$@%&",
    called=frozenset({"fork", "shift", "wait", "getppid"}), quoting="perl", patterns=True,
    properties=True,
    implied=frozenset("unlink rmdir print say eval chomp system exec glob rmtree remove_tree".split()),
)  # fmt: skip

_CALLS = {
    "system": "shell:list=*", "exec": "shell:list=*", "`": "shell=0", "readpipe": "shell=0",
    "IPC.Open3.open3": "argv:process=*", "open3": "argv:process=*", "open2": "argv:process=*",
    "IPC.Run.run": "argv=*", "capture": "argv=*",
    "syscall": "native:unread", "eval": "eval=0", "do": "load=0", "require": "beside:.pl,.pm=0",
    "open": "perlopen=*", "sysopen": "open:w=1", "opendir": "reads:listed=1", "print": "print=*",
    "printf": "print=*", "say": "print=*", "syswrite": "print=*",
    "send": "print=*", "unlink": "deletes=*", "rmdir": "deletes=*", "rmtree": "deletes:recursive=*",
    "remove_tree": "deletes:recursive=*", "File.Path.rmtree": "deletes:recursive=*",
    "File.Path.remove_tree": "deletes:recursive=*",
    "pathrmdir": "deletes:recursive=*", "rename": "move=0,1", "move": "move=0,1", "mv": "move=0,1",
    "File.Copy.move": "move=0,1", "copy": "copy=0,1", "cp": "copy=0,1",
    "File.Copy.copy": "copy=0,1", "mkdir": "makes=0", "make_path": "makes=*",
    **dict.fromkeys(("dircopy", "rcopy", "fcopy", "rcopy_glob", "File.Copy.Recursive.dircopy", "File.Copy.Recursive.rcopy", "File.Copy.Recursive.fcopy"), "copy=0,1"),
    **dict.fromkeys(("dirmove", "rmove", "fmove", "File.Copy.Recursive.dirmove", "File.Copy.Recursive.rmove", "File.Copy.Recursive.fmove"), "move=0,1"),
    **dict.fromkeys(("pathempty", "pathrm", "File.Copy.Recursive.pathempty", "File.Copy.Recursive.pathrmdir", "File.Copy.Recursive.pathrm"), "deletes:recursive=0"),
    "symlink": "reads:linked=0 writes:link=1", "link": "reads:linked=0 writes:link=1",
    "chmod": "chmod=*", "chown": "mode:owner=2", "truncate": "writes:truncate=0",
    "utime": "makes=2", "chdir": "=os.chdir", "glob": "glob=0",
    "kill": "kill:signal-first=0,1", "fork": "fork", "setuid": "escalates",
    "POSIX.setuid": "escalates", "chroot": "escalates", "read_file": "contents=0",
    "write_file": "store=0,1", "slurp": "contents=0", "path": "open=0",
    "socket": "perlsocket", "connect": "perlconnect=*", "bind": "perlbind=*", "listen": "nothing",
    "accept": "perlsocket", "sockaddr_in": "address=*", "pack_sockaddr_in": "address=*",
    "inet_aton": "same", "gethostbyname": "same",
    "Socket.sockaddr_in": "address=*", "Socket.inet_aton": "same", "<socket>.print": "write=0",
    "<socket>.send": "write=0", "<socket>.recv": "received", "<socket>.getline": "received",
    "<socket>.readline": "received",
    "?.readline": "received", "<file>.readline": "received", "<file>.getline": "received",
    "<file>.print": "write=0", "<socket>.accept": "socket", "?.fdopen": "joins=0",
    "readline": "typed", "sysread": "perlread:into=*", "recv": "perlread:into=*",
    "read": "perlread:into=*",
    "get": "get=0", "getstore": "download=0,1", "getprint": "get=0", "LWP.Simple.get": "get=0",
    "LWP.Simple.getstore": "download=0,1", "LWP.UserAgent.new": "item:agent",
    "HTTP.Tiny.new": "item:agent", "<agent>.get": "get=0",
    "<agent>.post": "get:post=0,1", "<agent>.post_form": "get:post=0,1",
    "<agent>.mirror": "download=0,1", "<agent>.request": "get=0,1", "<agent>.put": "get:put=0,1",
    "Net.FTP.new": "connect=0", "<socket>.put": "uploads=0", "Net.SFTP.Foreign.new": "connect=0",
    "Net.SCP.scp": "uploads=0", "HTTP.Request.new": "url=1",
    "decode_base64": "decode:base64=0", "MIME.Base64.decode_base64": "decode:base64=0",
    "decode": "same", "pack": "decode:pack=*", "unpack": "decode:unpack=*",
    "chr": "decode:codes=*", "reverse": "decode:reverse=0", "join": "decode:joinall=*",
    "split": "decode:explode=0,1",
    "substr": "decode:cut=0,1,2", "lc": "same", "uc": "same", "sprintf": "decode:format=*",
    "ord": "decode:ord=0", "scalar": "same", "uri_unescape": "decode:url=0", "map": "perlmap=*",
    "grep": "perlmap=*", "foreach": "perlmap=*",
    "getpwuid": "item:passwd", "getcwd": "cwd", "cwd": "cwd", "tempdir": "=tempfile.mkdtemp",
    "tempfile": "=tempfile.mkstemp", "find": "perlfind=*", "File.Find.find": "perlfind=*",
    "shift": "perlshift", "defined": "same", "close": "nothing", "DBI.connect": "item:db",
    "<db>.do": "sql=0", "<db>.prepare": "sql=0",
    "IO.Socket.INET.new": "connect=*", "IO.Socket.INET": "connect=*", "IO.Socket.SSL": "connect=*",
    "IO.Socket.SSL.new": "connect=*", "IO.Socket.INET6.new": "connect=*",
    "IO.Socket.new": "connect=*", "IO.Socket.UNIX.new": "nothing", "IO.File.new": "open=0,1",
    "IO.Pty.new": "item:process",
}  # fmt: skip

_LANGUAGE = Language(
    _DIALECT,
    _CALLS,
    names={
        "$ENV": "environ",
        "%ENV": "environ",
        "@ARGV": "argument",
        "$ARGV": "argument",
        "$0": "=script",
        "$$": "own",
    },
    prefixes=("CORE.", "CORE.GLOBAL.", "POSIX."),
)
LANGUAGES: dict[str, Language] = {"perl": _LANGUAGE}
