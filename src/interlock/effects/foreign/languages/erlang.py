"""Elixir and Erlang."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_COMMON = {
    "os.cmd": "shell=0", "file.delete": "deletes=0", "file.del_dir": "deletes=0",
    "file.del_dir_r": "deletes:recursive=0", "file.read_file": "contents=0",
    "file.write_file": "store=0,1", "file.rename": "move=0,1", "file.copy": "copy=0,1",
    "os.getenv": "env", "gen_tcp.connect": "connect=0,1", "gen_tcp.listen": "listen:raw=*",
    "gen_tcp.accept": "socket", "gen_tcp.recv": "perlread=0", "gen_tcp.send": "print=*",
    "httpc.request": "get=*",
    "base64.decode": "decode:base64=0", "open_port": "nothing", "init.stop": "nothing",
}  # fmt: skip
_ELIXIR = {
    **_COMMON, "System.cmd": "argv=0,1", "System.shell": "shell=0", "Port.open": "shell=0",
    "Code.eval_string": "eval=0", "Code.eval_file": "load=0", "File.rm": "deletes=0",
    "File.rm!": "deletes=0", "File.rm_rf": "deletes:recursive=0",
    "File.rm_rf!": "deletes:recursive=0", "File.rmdir": "deletes=0", "File.rmdir!": "deletes=0",
    "File.read": "contents=0", "File.read!": "contents=0", "File.write": "store=0,1",
    "File.write!": "store=0,1",
    "File.rename": "move=0,1", "File.cp": "copy=0,1", "File.cp!": "copy=0,1",
    "File.cp_r": "copy=0,1", "File.mkdir_p": "makes=0", "File.mkdir_p!": "makes=0",
    "File.touch": "makes=0", "File.chmod": "chmod=0,1",
    "File.ln_s": "reads:linked=0 writes:link=1", "File.ls!": "glob:entries=0",
    "Path.wildcard": "glob=0", "Path.join": "decode:path=*", "Path.expand": "=os.path.expanduser",
    "System.get_env": "env", "System.user_home": "home", "System.user_home!": "home",
    "HTTPoison.get!": "get=0", "HTTPoison.get": "get=0", "HTTPoison.post!": "get:post=0,1",
    "HTTPoison.post": "get:post=0,1", "Req.get!": "get=0", "Req.post!": "get:post=0",
    "Base.decode64!": "decode:base64=0", "IO.puts": "print=*", "IO.inspect": "print=*",
    "Enum.each": "phpmap=*", "Enum.map": "phpmap=*", "Mix.install": "nothing",
}  # fmt: skip
_HOW = TokenDialect(
    "elixir",
    comments=("#",),
    raw="",
    cooked="\"'",
    inside="#{",
    join=frozenset({"<>", "++"}),
    bare=True,
    ends=True,
    quoting="ruby",
)
LANGUAGES: dict[str, Language] = {
    "elixir": Language(_HOW, _ELIXIR, names={"System.argv": "argument"}),
    "erlang": Language(
        TokenDialect(
            "erlang",
            comments=("%",),
            cooked="\"'",
            join=frozenset({"++"}),
            member=frozenset({":", "."}),
            lines=False,
        ),
        _COMMON,
    ),
}
