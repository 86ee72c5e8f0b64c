"""R and Julia."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_R = Language(
    TokenDialect("r", comments=("#",), member=frozenset({"$", "::", ":::", "@"}), back="name",
        dotted=True),
    {
        "system": "shell=0", "system2": "argv=0,1", "shell": "shell=0", "shell.exec": "shell=0",
        "pipe": "shell:process=0", "processx.run": "argv=0,1", "processx::run": "argv=0,1",
        "sys.call": "nothing", "eval": "eval=0", "parse": "rparse", "source": "rsource=0",
        "unlink": "rm=0", "file.remove": "deletes=*", "fs.file_delete": "deletes=0",
        "fs.dir_delete": "deletes:recursive=0", "file.rename": "move=0,1", "file.copy": "copy=0,1",
        "file.create": "writes=0", "dir.create": "makes=0", "writeLines": "store=1,0",
        "cat": "appends=file", "sink": "appends=0", "write": "store=1,0",
        "write.csv": "makes=1", "saveRDS": "makes=1", "readLines": "fileget=0",
        "readRDS": "reads=0", "read.csv": "fileget=0", "readr.read_file": "contents=0",
        "file": "open=0,1", "scan": "contents=0", "Sys.chmod": "chmod=0,1", "Sys.getenv": "env=0",
        "Sys.setenv": "nothing", "list.files": "glob:entries=0", "file.path": "decode:path=*",
        "path.expand": "=os.path.expanduser", "tempfile": "=tempfile.mktemp", "setwd": "=os.chdir",
        "getwd": "cwd", "socketConnection": "connect=*", "url": "get=0",
        "download.file": "download=0,1", "httr.GET": "get=0", "httr.POST": "get:post=0,1",
        "httr.PUT": "get:put=0,1", "httr.upload_file": "contents=0",
        "httr2.req_body_file": "contents=1", "curl.curl_fetch_memory": "get=0",
        "install.packages": "installs=*", "devtools.install_github": "installs:vcs=0",
        "remotes.install_github": "installs:vcs=0", "pak.pak": "installs=*",
        "BiocManager.install": "installs=*", "install_github": "installs:vcs=0",
        "devtools.install_url": "installs:url=0", "lapply": "apply=*", "sapply": "apply=*",
        "vapply": "apply=*", "Map": "apply=*", "purrr.walk": "apply=*", "purrr.map": "apply=*",
        "c": "list=*", "list": "list=*", "invisible": "same=0", "paste": "rpaste=*",
        "paste0": "decode:concat=*", "rawToChar": "same=0",
        "base64enc.base64decode": "decode:base64=0", "jsonlite.base64_dec": "decode:base64=0",
        "sprintf": "decode:format=*", "rev": "decode:reverse=0", "do.call": "rubysend=*",
        "tools.pskill": "kill=0,1", "dyn.load": "native:unread",
    },
    tilde=True,
)  # fmt: skip

_JULIA = Language(
    TokenDialect("julia", comments=("#",), inside="$", back="text", join=frozenset({"*"}), ends=True),
    {
        "run": "shell=0", "success": "shell=0", "pipeline": "shell=0", "eval": "eval=0",
        "Meta.parse": "same=0", "include": "load=0", "include_string": "eval:last=*", "rm": "rm=0",
        "mv": "move=0,1", "cp": "copy=0,1", "mkdir": "makes=0", "mkpath": "makes=0",
        "touch": "makes=0", "symlink": "reads:linked=0 writes:link=1", "chmod": "chmod=0,1",
        "read": "juliaread=*", "readlines": "contents=0", "readline": "contents=0",
        "eachline": "contents=0", "open": "open=0,1", "write": "juliawrite=0,1",
        "download": "download=0,1", "Downloads.download": "download=0,1", "HTTP.get": "get=0",
        "HTTP.post": "get:post=0,2", "connect": "connect=0,1", "Sockets.connect": "connect=0,1",
        "listen": "listen:raw=*",
        "readdir": "glob:entries=0", "joinpath": "decode:path=*", "homedir": "home",
        "cd": "=os.chdir", "pwd": "cwd", "mktempdir": "=tempfile.mkdtemp",
        "tempname": "=tempfile.mktemp", "ccall": "native", "base64decode": "decode:base64=0",
        "Base64.base64decode": "decode:base64=0", "String": "same=0", "string": "decode:concat=*",
        "reverse": "decode:reverse=0",
        "println": "print=*", "foreach": "apply=*", "map": "apply=*",
        "expanduser": "=os.path.expanduser", "kill": "nothing", "Pkg.add": "installs=*",
        "Pkg.develop": "installs=*",
    },
    names={"ENV": "environ", "ARGS": "argument"}, prefixes=("Base.",),
)  # fmt: skip
_MATLAB = Language(
    TokenDialect("matlab", comments=("%", "#"), raw="'", cooked='"'),
    {
        "system": "shell=0", "unix": "shell=0", "dos": "shell=0", "shell_cmd": "shell=0",
        "popen": "shell:process=0", "exec": "argv=0,1", "eval": "eval=0", "evalin": "eval:last=*",
        "delete": "deletes=0", "unlink": "deletes=0", "rmdir": "deletes:recursive=0",
        "confirm_recursive_rmdir": "nothing", "movefile": "move=0,1", "rename": "move=0,1",
        "copyfile": "copy=0,1", "mkdir": "makes=0", "fopen": "open=0,1", "fileread": "contents=0",
        "load": "reads=0", "save": "writes=0", "urlread": "get=0", "webread": "get=0",
        "urlwrite": "download=0,1", "websave": "download=1,0", "webwrite": "get:post=0,1",
        "getenv": "env=0", "source": "load=0", "run": "load=0", "print": "nothing",
    },
    tilde=True,
)  # fmt: skip
LANGUAGES: dict[str, Language] = {"r": _R, "julia": _JULIA, "matlab": _MATLAB}
