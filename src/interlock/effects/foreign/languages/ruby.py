"""Ruby, by its core and standard library."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import Dialect

_DIALECT = Dialect(
    "ruby", comments=("#", "=begin"), raw="'", cooked='"', inside="#{", back="command", member=frozenset({".", "::", "&."}), bare=True, ends=True, sigils="$@",
    called=frozenset({"fork", "gets", "binding"}), properties=True, quoting="ruby", patterns=True,
)  # fmt: skip

_SHELLS = dict.fromkeys(
    (
        "system",
        "exec",
        "Kernel.system",
        "Kernel.exec",
        "Process.exec",
        "spawn",
        "Kernel.spawn",
        "Process.spawn",
        "sh",
        "Open3.capture2",
        "Open3.capture2e",
        "Open3.capture3",
    ),
    "shell:list=*",
)
_CALLS = {
    **_SHELLS, "`": "shell=0", "IO.popen": "shell:list,process=0", "popen": "shell:process=0", "Open3.popen3": "shell:list,process=*", "Open3.popen2": "shell:list,process=*", "PTY.spawn": "shell:list,process=*", "Open3.pipeline": "shell=*",
    "eval": "eval=0", "instance_eval": "eval=0", "class_eval": "eval=0", "?.instance_eval": "eval=0", "?.class_eval": "eval=0", "?.eval": "eval=0", "Kernel.eval": "eval=0", "RubyVM.InstructionSequence.eval": "eval=0", "load": "load=0",
    "require": "nothing", "require_relative": "beside:.rb=0", "send": "rubysend=*", "Kernel.send": "rubysend=*", "?.send": "rubysend=*", "?.public_send": "rubysend=*", "?.__send__": "rubysend=*", "?.method": "same", "Marshal.load": "eval:marshal=0", "YAML.unsafe_load": "same",
    "File.read": "contents=0", "IO.read": "contents=0", "File.binread": "contents=0", "IO.binread": "contents=0", "File.readlines": "contents=0", "IO.readlines": "contents=0", "File.foreach": "contents=0", "IO.foreach": "contents=0", "YAML.load_file": "contents=0",
    "JSON.load_file": "contents=0", "File.write": "store=0,1", "IO.write": "store=0,1", "File.binwrite": "store=0,1", "IO.binwrite": "store=0,1", "File.open": "open=0,1", "File.new": "open=0,1", "open": "open=0,1", "Kernel.open": "open=0,1", "URI.open": "get=0", "OpenURI.open_uri": "get=0",
    "File.delete": "deletes=*", "File.unlink": "deletes=*", "FileUtils.rm": "deletes=0", "FileUtils.rm_f": "deletes=0", "FileUtils.rm_r": "deletes:recursive=0", "FileUtils.rm_rf": "deletes:recursive=0", "FileUtils.remove_dir": "deletes:recursive=0", "FileUtils.rmtree": "deletes:recursive=0",
    "FileUtils.remove_entry": "deletes:recursive=0", "FileUtils.remove_entry_secure": "deletes:recursive=0", "FileUtils.remove": "deletes=0", "rm_rf": "deletes:recursive=0", "rm_r": "deletes:recursive=0", "rm": "deletes=0", "rm_f": "deletes=0", "Dir.rmdir": "deletes=0", "Dir.delete": "deletes=0", "Dir.unlink": "deletes=0",
    "FileUtils.mv": "move=0,1", "File.rename": "move=0,1", "FileUtils.move": "move=0,1", "FileUtils.cp": "copy=0,1", "FileUtils.cp_r": "copy=0,1", "FileUtils.copy": "copy=0,1", "IO.copy_stream": "copystream=0,1", "FileUtils.touch": "makes=0", "FileUtils.mkdir_p": "makes=0", "FileUtils.mkdir": "makes=0", "Dir.mkdir": "makes=0",
    "FileUtils.install": "copy=0,1", "File.truncate": "writes:truncate=0", "File.chmod": "chmod=*", "FileUtils.chmod": "chmod=0,1", "FileUtils.chmod_R": "chmod=0,1", "File.chown": "mode:owner=2", "FileUtils.chown": "mode:owner=2", "FileUtils.chown_R": "mode:owner=2", "File.symlink": "reads:linked=0 writes:link=1",
    "FileUtils.ln_s": "reads:linked=0 writes:link=1", "FileUtils.ln_sf": "reads:linked=0 writes:link=1", "File.link": "reads:linked=0 writes:link=1", "Dir.glob": "glob=0", "Dir[]": "glob=0", "Dir.children": "glob:entries=0", "Dir.entries": "glob:entries=0", "Dir.each_child": "glob:entries=0", "Dir.chdir": "=os.chdir",
    "Dir.pwd": "cwd", "Dir.home": "home", "Dir.mktmpdir": "=tempfile.mkdtemp", "Tempfile.new": "=tempfile.NamedTemporaryFile", "Tempfile.create": "=tempfile.NamedTemporaryFile", "File.join": "decode:path=*", "File.expand_path": "=os.path.expanduser", "File.absolute_path": "same=0", "File.dirname": "decode:folder=0", "File.basename": "decode:base=0",
    "Pathname.new": "=pathlib.Path", "Pathname": "=pathlib.Path", "?.delete": "deletepath=self", "?.unlink": "deletepath=self", "?.rmtree": "deletes:recursive=self",
    "<file>.read": "received", "<file>.write": "write=0", "<file>.puts": "write=0", "<file>.print": "write=0", "<file>.gets": "received", "<process>.read": "received", "<process>.gets": "received", "<process>.write": "write=0", "<process>.puts": "write=0", "<request>.read": "received", "<request>.body": "received",
    "TCPSocket.new": "connect=0,1", "TCPSocket.open": "connect=0,1", "Socket.tcp": "connect=0,1", "UDPSocket.new": "socket", "Socket.new": "socket", "<socket>.connect": "connect=0,1", "TCPServer.new": "listen:raw=*", "TCPServer.open": "listen:raw=*", "Socket.tcp_server_loop": "listen:raw=*", "<socket>.accept": "socket", "OpenSSL.SSL.SSLSocket.new": "same",
    "WEBrick.HTTPServer.new": "listen:serves=*", "Socket.sockaddr_in": "address=*", "Socket.pack_sockaddr_in": "address=*",
    "<socket>.gets": "received", "<socket>.read": "received", "<socket>.recv": "received", "<socket>.readline": "received", "<socket>.puts": "write=0", "<socket>.print": "write=0", "<socket>.write": "write=0", "<socket>.send": "write=0", "<socket>.to_i": "same=self", "<socket>.fileno": "same=self", "?.reopen": "joins=*",
    "Net.HTTP.get": "get=0", "Net.HTTP.get_response": "get=0", "Net.HTTP.get_print": "get=0", "Net.HTTP.post": "get:post=0,1", "Net.HTTP.post_form": "get:post=0,1", "Net.HTTP.start": "item:session=0", "Net.HTTP.new": "item:session=0", "<session>.get": "get=0", "<session>.post": "get:post=0,1", "<session>.request": "get=0", "Net.HTTP.Post.new": "url=0",
    "Net.HTTP.Get.new": "url=0", "HTTParty.get": "get=0", "HTTParty.post": "get:post=0,1", "RestClient.get": "get=0", "RestClient.post": "get:post=0,1", "Faraday.get": "get=0", "Faraday.post": "get:post=0,1", "Excon.get": "get=0", "Excon.post": "get:post=0,1", "URI": "same", "URI.parse": "same", "<socket>.putbinaryfile": "uploads=0", "<socket>.puttextfile": "uploads=0", "<socket>.put": "uploads=0", "<socket>.upload!": "uploads=0", "Net.SFTP.start": "connect=0", "Net.FTP.open": "connect=0", "Net.FTP.new": "connect=0",
    "Net.SMTP.start": "send=0", "Net.SSH.start": "connect=0", "Net.SCP.upload!": "send:upload=0", "download": "download=0,1",
    "Base64.decode64": "decode:base64=0", "Base64.strict_decode64": "decode:base64=0", "Base64.urlsafe_decode64": "decode:base64=0", "Zlib.inflate": "decode:inflate=0", "Zlib.Inflate.inflate": "decode:inflate=0", "sprintf": "decode:format=*", "format": "decode:format=*", "CGI.unescape": "decode:url=0", "Array.pack": "decode:pack=*", "String.new": "same",
    "fork": "fork", "Process.fork": "fork", "Process.kill": "kill:signal-first=0,1", "Process.daemon": "nothing", "Process.Sys.setuid": "escalates", "Process.UID.change_privilege": "escalates", "Process.setsid": "nothing", "Fiddle.dlopen": "native:unread", "ENV.fetch": "env=0", "<environ>.fetch": "env=0", "<environ>.to_h": "env", "<environ>.to_a": "env", "<environ>.inspect": "env",
    "<environ>.each": "env", "<environ>.map": "env", "ARGF.read": "typed", "gets": "typed", "STDIN.read": "typed", "$stdin.read": "typed", "?.exec": "sql=0", "?.execute": "sql=0", "JSON.parse": "same=0", "?.to_json": "same=self", "puts": "print=*", "print": "print=*", "p": "print=*",
}  # fmt: skip

_LANGUAGE = Language(
    _DIALECT,
    _CALLS,
    names={"ENV": "environ", "ARGV": "argument", "__dir__": "=.", "$0": "=script", "$$": "own"},
    prefixes=("Kernel.", "Object.", "self."),
)
LANGUAGES: dict[str, Language] = {"ruby": _LANGUAGE}
