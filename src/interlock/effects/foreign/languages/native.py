"""C and its kin, Go, Rust, Swift, C#, Haskell and OCaml: what their standard libraries call
things.
"""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_C = {
    **dict.fromkeys(("system", "wordexp", "_popen", "std.system"), "shell=0"), "popen": "shell:process=0", **dict.fromkeys(("execl", "execlp", "execle"), "cexec=*"), **dict.fromkeys(("execv", "execvp", "execve", "posix_spawn", "posix_spawnp", "execvpe"), "argv=0"),
    "fopen": "open=0,1", "freopen": "open=0,1", "open": "copen=0,1", "creat": "writes=0",
    "openat": "copen=1,2", "std.ofstream": "open:w=0", "std.ifstream": "open=0",
    "unlink": "deletes=0", "remove": "deletes=0", "rmdir": "deletes=0", "unlinkat": "deletes=1",
    "rename": "move=0,1", "std.filesystem.remove_all": "deletes:recursive=0",
    "std.filesystem.remove": "deletes=0",
    "fs.remove_all": "deletes:recursive=0", "fs.remove": "deletes=0", "chmod": "chmod=0,1",
    "chown": "mode:owner=0", "symlink": "reads:linked=0 writes:link=1",
    "link": "reads:linked=0 writes:link=1", "mkdir": "makes=0", "truncate": "writes:truncate=0",
    "socket": "socket", "connect": "perlconnect=*", "bind": "perlbind=*", "accept": "socket",
    "dup2": "dupes", "fork": "fork", "vfork": "fork",
    "kill": "kill=0,1", "setuid": "escalates", "setgid": "escalates", "setresuid": "escalates",
    "chroot": "escalates", "ptrace": "escalates", "getenv": "env=0", "dlopen": "native",
    "mprotect": "native:unread", "reboot": "executes:power", "inet_addr": "same=0",
    "mount": "escalates", "std.getenv": "env=0", "fwrite": "nothing", "printf": "nothing",
}  # fmt: skip
_GO = {
    "exec.Command": "argv:process=*", "exec.CommandContext": "goargv:process=*",
    "syscall.Exec": "argv:process=0,1", "os.StartProcess": "argv:process=0,1",
    "os.Remove": "deletes=0", "?.PlainOpen": "=go_git.PlainOpen", "?.PlainOpenWithOptions": "=go_git.PlainOpen",
    "os.RemoveAll": "deletes:recursive=0", "os.Rename": "move=0,1",
    "os.ReadFile": "contents=0", "ioutil.ReadFile": "contents=0", "os.WriteFile": "store=0,1",
    "ioutil.WriteFile": "store=0,1",
    "os.Create": "open:w=0", "os.Open": "open=0", "os.OpenFile": "copen=0,1", "os.Mkdir": "makes=0",
    "os.MkdirAll": "makes=0", "os.Chmod": "chmod=0,1", "os.Chown": "mode:owner=0",
    "os.Symlink": "reads:linked=0 writes:link=1", "os.Truncate": "writes:truncate=0",
    "os.ReadDir": "glob:entries=0", "filepath.Glob": "glob=0", "filepath.Walk": "perlfind=*",
    "filepath.Join": "decode:path=*",
    "net.Dial": "connect=*", "net.DialTimeout": "connect=*", "tls.Dial": "connect=*",
    "net.Listen": "listen:raw=*", "http.Get": "get=0", "http.Post": "get:post=0,2",
    "http.PostForm": "get:post=0,1", "http.NewRequest": "goget=*",
    "http.ListenAndServe": "listen=0", "os.Getenv": "env=0", "os.Environ": "env",
    "os.UserHomeDir": "gohome", "os.Getwd": "cwd", "os.TempDir": "=tempfile.gettempdir",
    "os.MkdirTemp": "=tempfile.mkdtemp", "os.Chdir": "=os.chdir",
    "base64.StdEncoding.DecodeString": "decode:base64=0", "hex.DecodeString": "decode:hex=0",
    "strings.Join": "decode:join=*", "fmt.Sprintf": "decode:format=*", "string": "same=0",
    "?.Kill": "nothing", "syscall.Kill": "kill=0,1", "syscall.Setuid": "escalates",
    "plugin.Open": "native:unread", "io.Copy": "gocopy=0,1", "?.Exec": "sql=0",
    "bytes.NewReader": "same=0", "bytes.NewBuffer": "same=0", "strings.NewReader": "same=0",
    "<process>.Run": "same=self", "<process>.Output": "received",
    "<process>.CombinedOutput": "received", "<socket>.Read": "received",
    "<socket>.Write": "write=0", "<file>.WriteString": "write=0", "<file>.Write": "write=0",
    "fmt.Fprintf": "print=*", "fmt.Fprint": "print=*", "ioutil.ReadAll": "perlread=0",
    "io.ReadAll": "perlread=0",
}  # fmt: skip
_RUST = {
    "Command.new": "item:builder=0", "<builder>.arg": "addword=self,0",
    "<builder>.args": "addword=self,0", "<builder>.spawn": "built=self",
    "<builder>.output": "built=self", "<builder>.status": "built=self",
    "<builder>.exec": "built=self", "<builder>.stdin": "rustjoin=self,0",
    "<builder>.stdout": "rustjoin=self,0", "<builder>.stderr": "rustjoin=self,0",
    "fs.remove_file": "deletes=0", "fs.remove_dir": "deletes=0",
    "fs.remove_dir_all": "deletes:recursive=0", "fs.rename": "move=0,1", "fs.copy": "copy=0,1",
    "fs.read_to_string": "contents=0", "fs.read": "contents=0", "fs.write": "store=0,1",
    "File.create": "open:w=0", "File.open": "open=0", "fs.create_dir_all": "makes=0",
    "fs.set_permissions": "chmod=*", "TcpStream.connect": "connect=0",
    "TcpListener.bind": "listen:raw=0", "UdpSocket.bind": "listen=0", "env.var": "env=0",
    "env.vars": "env",
    "reqwest.get": "get=0", "reqwest.blocking.get": "get=0", "ureq.get": "get=0",
    "ureq.post": "get:post=0,1", "env.current_dir": "cwd", "libc.system": "shell=0",
    "libc.fork": "fork", "libc.kill": "kill=0,1", "libc.setuid": "escalates", "Path.new": "same=0",
    "PathBuf.from": "same=0", "String.from": "same=0", "format": "decode:format=*",
    "fs.read_dir": "glob:entries=0", "OpenOptions.new": "item:options", "Stdio.from": "same=0",
}  # fmt: skip
_SWIFT = {
    "Process": "item:builder", "<builder>.run": "built=self", "<builder>.launch": "built=self",
    "Process.run": "argv:process=0,arguments", "Process.launchedProcess": "argv:process=*",
    "FileManager.default.removeItem": "swiftpath:deletes", "?.removeItem": "swiftpath:deletes",
    "?.moveItem": "nothing", "?.createFile": "nothing", "?.contentsOfDirectory": "nothing",
    "system": "shell=0", "popen": "shell:process=0", "URL": "url=*",
    "NSAppleScript": "eval:applescript=source", "String": "same", "Data": "same",
    "Shell.run": "shell=0", "exit": "nothing",
}  # fmt: skip
_CSHARP = {
    "Process.Start": "argv:process=*", "System.Diagnostics.Process.Start": "argv:process=*",
    "File.Delete": "deletes=0", "Directory.Delete": "deletes:recursive=0",
    "File.ReadAllText": "contents=0", "File.ReadAllBytes": "contents=0",
    "File.ReadAllLines": "contents=0", "File.WriteAllText": "store=0,1",
    "File.WriteAllBytes": "store=0,1", "File.AppendAllText": "store:append=0,1",
    "File.Copy": "copy=0,1", "File.Move": "move=0,1", "Directory.Move": "move=0,1",
    "StreamWriter": "open:w=0", "StreamReader": "open=0", "TcpClient": "connect=0,1",
    "TcpListener": "listen:raw=*", "?.GetStringAsync": "get=0", "?.GetAsync": "get=0",
    "?.PostAsync": "get:post=0,1", "?.DownloadString": "get=0", "?.DownloadFile": "download=0,1",
    "?.UploadString": "get:post=0,1", "?.UploadFile": "get:post=0,1",
    "Environment.GetEnvironmentVariable": "env=0", "Convert.FromBase64String": "decode:base64=0",
    "Assembly.Load": "native:unread", "CSharpScript.EvaluateAsync": "eval=0",
    "Path.Combine": "decode:path=*", "Path.GetTempPath": "=tempfile.gettempdir",
    "Directory.GetFiles": "glob:entries=0",
}  # fmt: skip
_HASKELL = {
    **dict.fromkeys(("system", "callCommand", "spawnCommand", "System.Process.system", "System.Process.callCommand", "readCreateProcess", "shell"), "shell=0"), **dict.fromkeys(("rawSystem", "callProcess", "spawnProcess", "readProcess", "proc", "System.Process.callProcess", "System.Process.readProcess", "executeFile"), "argv=0,1"),
    "removeFile": "deletes=0", "removeDirectory": "deletes=0",
    "removeDirectoryRecursive": "deletes:recursive=0", "removePathForcibly": "deletes:recursive=0",
    "System.Directory.removeFile": "deletes=0",
    "System.Directory.removeDirectoryRecursive": "deletes:recursive=0", "readFile": "contents=0",
    "writeFile": "store=0,1", "appendFile": "store:append=0,1", "renameFile": "move=0,1",
    "copyFile": "copy=0,1", "getEnv": "env=0", "getEnvironment": "env",
    "lookupEnv": "env=0", "simpleHTTP": "get=0", "httpLBS": "get=0", "unsafePerformIO": "same=0",
}  # fmt: skip
_OCAML = {
    "Sys.command": "shell=0", "Unix.system": "shell=0", "Unix.open_process_in": "shell:process=0",
    "Unix.open_process": "shell:process=0", "Unix.open_process_out": "shell:process=0",
    "Unix.execv": "argv=0,1", "Unix.execvp": "argv=0,1", "Unix.create_process": "argv=0,1",
    "Sys.remove": "deletes=0", "Unix.unlink": "deletes=0", "Unix.rmdir": "deletes=0",
    "Sys.rename": "move=0,1", "open_in": "contents=0", "open_out": "open:w=0",
    "Sys.getenv": "env=0",
    "Unix.fork": "fork", "Unix.kill": "kill=0,1", "Unix.setuid": "escalates",
    "Sys.readdir": "glob:entries=0",
}  # fmt: skip

LANGUAGES: dict[str, Language] = {
    "c": Language(TokenDialect("c", comments=("//", "#include", "#define", "#pragma", "#if", "#endif"), lines=False, cooked='"\'', join=frozenset()), _C, prefixes=("std.",), names={"environ": "environ"}),
    "go": Language(TokenDialect("go", cooked='"\'', back="text"), _GO, prefixes=("io.",), names={"os.Args": "argument"}),
    "rust": Language(TokenDialect("rust", cooked='"'), _RUST,
        prefixes=("std.process.", "std.net.", "std.", "process.", "tokio.", "net.")),
    "swift": Language(TokenDialect("swift", cooked='"'), _SWIFT, names={"ProcessInfo.processInfo.environment": "environ", "CommandLine.arguments": "argument"}, prefixes=("Foundation.",)),
    "csharp": Language(TokenDialect("csharp", cooked='"\''), _CSHARP, prefixes=("System.IO.", "System.Net.Sockets.", "System.Diagnostics.", "System.Net.", "System.")),
    "haskell": Language(TokenDialect("haskell", comments=("--",), cooked='"', join=frozenset({"++", "<>"}), bare=True, member=frozenset({"."})), _HASKELL, prefixes=("System.Process.", "System.Directory.", "System.Environment.")),
    "ocaml": Language(TokenDialect("ocaml", comments=(), cooked='"', join=frozenset({"^"}), bare=True),
        _OCAML, prefixes=("Stdlib.",)),
}  # fmt: skip
