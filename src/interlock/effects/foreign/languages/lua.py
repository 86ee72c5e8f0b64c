"""Lua 5.4 and LuaJIT, LuaSocket, LuaFileSystem, and Neovim's and nmap's own functions."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_DIALECT = TokenDialect(
    "lua", comments=("--",), join=frozenset({".."}), member=frozenset({"."}), ends=True, blocks=True
)

_CALLS = {
    "os.execute": "shell=0", "io.popen": "shell:process=0", "load": "eval=0",
    "loadstring": "eval=0", "dofile": "load=0", "loadfile": "load=0", "require": "module=0",
    "package.loadlib": "native:unread", "ffi.load": "native", "ffi.cdef": "nothing",
    "ffi.C.system": "shell=0",
    "os.remove": "deletes=0", "os.rename": "move=0,1", "io.open": "open=0,1",
    "io.lines": "contents=0", "io.input": "open=0", "io.output": "open:w=0", "os.getenv": "env=0",
    "lfs.rmdir": "deletes=0", "lfs.mkdir": "makes=0", "lfs.dir": "reads:listed=0 glob:entries=0",
    "lfs.chdir": "=os.chdir", "os.tmpname": "=tempfile.mktemp",
    "<file>.read": "received", "<file>.lines": "received", "<file>.write": "write=0",
    "<process>.read": "received", "<process>.lines": "received", "<process>.write": "write=0",
    "<socket>.receive": "received", "<socket>.send": "write=0", "<socket>.accept": "socket",
    "<socket>.connect": "connect=0,1",
    "socket.connect": "connect=0,1", "socket.tcp": "socket", "socket.udp": "socket",
    "socket.bind": "listen:raw=0,1", "<socket>.bind": "perlbind=*",
    "socket.http.request": "get=0,1", "ssl.https.request": "get=0,1", "http.request": "get=0,1",
    "vim.fn.system": "shell=0", "vim.fn.delete": "deletes=0", "vim.cmd": "eval:vim=0",
    "vim.loop.spawn": "argv=0,1",
    "vim.uv.spawn": "argv=0,1", "vim.system": "argv=0", "vim.api.nvim_command": "eval:vim=0",
    "posix.exec": "argv=*", "string.char": "decode:codes=*", "string.reverse": "decode:reverse=0",
    "table.concat": "decode:join=*", "string.format": "decode:format=*", "string.rep": "same=0",
    "print": "print=*", "io.write": "print=*", "string.sub": "same=0",
    "io.read": "typed", "assert": "same", "pcall": "rubysend=*", "<text>.format": "same=self",
    "redis.call": "nothing", "mp.commandv": "nothing",
}  # fmt: skip
_LANGUAGE = Language(
    _DIALECT,
    _CALLS,
    names={"arg": "argument"},
    modules={"socket": "socket", "socket.core": "socket"},
    prefixes=("_G.", "_ENV."),
)
LANGUAGES: dict[str, Language] = {"lua": _LANGUAGE}
