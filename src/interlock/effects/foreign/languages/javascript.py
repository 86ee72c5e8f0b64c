"""JavaScript and TypeScript: Node.js, Deno and Bun, by their own API pages."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_DIALECT = TokenDialect(
    "javascript",
    comments=("//", "#!"),
    cooked="\"'",
    inside="${",
    back="text",
    sigils="$",
    patterns=True,
)


def _both(rows: dict[str, str]) -> dict[str, str]:
    """``rm`` and ``rmSync`` do the same."""
    return {
        **rows,
        **{
            f"{name}Sync": row
            for name, row in rows.items()
            if name.startswith(("fs.", "child_process.", "Deno.", "fse."))
        },
    }


_CALLS = _both({
    # Node's fs
    "fs.readFile": "contents=0", "fs.createReadStream": "open=0",
    "fs.readdir": "reads:listed=0 glob:entries=0", "fs.opendir": "reads:listed=0 glob:entries=0",
    "fs.writeFile": "store=0,1", "fs.appendFile": "store:append=0,1",
    "fs.createWriteStream": "open:w=0", "fs.open": "open=0,1", "fs.truncate": "writes:truncate=0",
    "fs.unlink": "deletes=0", "fs.rm": "rm=0", "fs.rmdir": "rm=0", "fs.rename": "move=0,1",
    "fs.copyFile": "copy=0,1", "fs.cp": "copy=0,1", "fs.mkdir": "makes=0",
    "fs.symlink": "reads:linked=0 writes:link=1", "fs.link": "reads:linked=0 writes:link=1",
    "fs.chmod": "chmod=0,1", "fs.chown": "mode:owner=0", "fs.mkdtemp": "=tempfile.mkdtemp",
    "fs.utimes": "makes=0", "fs.glob": "glob=0", "rimraf": "deletes:recursive=0",
    "rimraf.sync": "deletes:recursive=0", "del": "deletes:recursive=0", "globSync": "glob=0",
    "glob.sync": "glob=0",
    "fs.remove": "deletes:recursive=0", "fs.emptyDir": "deletes:recursive,all-of=0",
    "fs.outputFile": "store=0,1", "fs.copy": "copy=0,1", "fs.move": "move=0,1",
    "fs.write": "write=0,1",
    "fs.readJson": "contents=0", "fs.writeJson": "store=0,1",
    # processes
    "child_process.exec": "shell:process=0", "child_process.execSync": "shell=0",
    "child_process.spawn": "argv:process=0,1,2", "child_process.spawnSync": "argv:process=0,1,2",
    "child_process.execFile": "argv:process=0,1,2", "child_process.execFileSync": "argv=0,1,2",
    "child_process.fork": "load=0 fork", "execa": "argv=0,1,2", "execa.execa": "argv=0,1,2",
    "execa.command": "shell=0", "execa.execaCommand": "shell=0", "shelljs.exec": "shell=0",
    "shelljs.rm": "deletes:recursive=*", "zx.$": "shell=0", "Bun.$": "shell=0",
    "cross_spawn": "argv:process=0,1,2", "cross_spawn.sync": "argv=0,1,2",
    "node_pty.spawn": "argv:process=0,1",
    "process.kill": "kill=0,1", "process.setuid": "escalates", "process.chdir": "=os.chdir",
    "process.cwd": "cwd", "process.binding": "native:unread", "process.dlopen": "native:unread",
    # code
    "eval": "eval=0", "Function": "eval:last=*", "vm.runInNewContext": "eval=0",
    "vm.runInThisContext": "eval=0", "vm.runInContext": "eval=0", "vm.Script": "eval=0",
    "vm.compileFunction": "eval=0",
    "setTimeout": "evaltext=0", "setInterval": "evaltext=0", "setImmediate": "evaltext=0",
    "require": "module=0", "import": "module=0", "process.mainModule.require": "module=0",
    "Module._load": "module=0",
    "module.createRequire": "item:require", "module.require": "module=0", "?._load": "module=0",
    "?.require": "module=0", "process.getBuiltinModule": "module=0", "importScripts": "load=0",
    "Worker": "load=0", "worker_threads.Worker": "load=0",
    # network
    "fetch": "get=0,1", "node_fetch": "get=0,1", "http.get": "get=0", "https.get": "get=0",
    "http.request": "get=0", "https.request": "get=0", "axios": "get=0,1", "axios.get": "get=0",
    "axios.post": "get:post=0,1", "axios.put": "get:put=0,1", "axios.patch": "get:patch=0,1",
    "axios.delete": "get:delete=0", "axios.request": "get=0", "got": "get=0,1",
    "got.get": "get=0,1", "ky": "get=0,1", "ky.get": "get=0,1",
    "undici.fetch": "get=0,1", "undici.request": "get=0,1", "superagent.get": "get=0",
    "superagent.post": "get:post=0", "request": "get=0", "request.post": "get:post=0,1",
    "request.get": "get=0", "navigator.sendBeacon": "get:post=0,1",
    "net.connect": "connect:port-first=0,1", "net.createConnection": "connect:port-first=0,1",
    "tls.connect": "connect:port-first=0,1", "net.Socket": "socket",
    "<socket>.connect": "connect:port-first=0,1",
    "WebSocket": "get=0", "ws": "get=0", "ws.WebSocket": "get=0", "dgram.createSocket": "socket",
    "net.createServer": "listen:raw,serves", "http.createServer": "item:server",
    "https.createServer": "item:server", "?.listen": "listen=0,1", "<request>.write": "write=0",
    "<request>.end": "write=0", "<socket>.write": "write=0", "<socket>.end": "write=0",
    "<socket>.send": "write=0",
    "<file>.write": "write=0", "<process>.write": "write=0", "?.pipe": "pipe=0",
    "dns.lookup": "connect=0", "dns.resolve": "connect=0",
    "nodemailer.createTransport": "item:mail", "<mail>.sendMail": "send=0",
    "<request>.text": "received", "<request>.json": "received", "<request>.arrayBuffer": "received",
    "?.query": "sql=0", "?.raw": "sql=0",
    # names and texts
    "path.join": "decode:path=*", "path.resolve": "decode:path=*",
    "path.dirname": "decode:folder=0", "path.basename": "decode:base=0", "path.normalize": "same",
    "path.posix.join": "decode:path=*",
    "os.homedir": "home", "os.tmpdir": "=tempfile.gettempdir", "Buffer.from": "decode:encoding=0,1",
    "Buffer": "decode:encoding=0,1", "atob": "decode:base64=0",
    "String.fromCharCode": "decode:codes=*",
    "String.fromCodePoint": "decode:codes=*", "decodeURIComponent": "decode:url=0",
    "decodeURI": "decode:url=0", "unescape": "decode:url=0", "String": "same", "URL": "url=0",
    "Array.from": "same", "Uint8Array": "decode:encoding=0",
    "Uint8Array.from": "decode:encoding=0", "zlib.inflateSync": "decode:inflate=0",
    "zlib.gunzipSync": "decode:inflate=0", "JSON.stringify": "same=0", "JSON.parse": "same=0",
    "TextDecoder.decode": "decode:encoding=0",
    "Promise.all": "same", "Promise.resolve": "same", "util.promisify": "same",
    "Object.assign": "same", "path.toNamespacedPath": "same", "fileURLToPath": "same",
    # JavaScript for Automation, and on the Java machine
    "?.doShellScript": "shell=0", "?.doScript": "shell=0", "Application": "item:application=0",
    "<application>.shutDown": "controls:power", "<application>.logOut": "controls:power", "?.keystroke": "executes:drives-applications=0",
    "?.keyCode": "executes:drives-applications=0", "ObjC.import": "executes:drives-applications=0",
    "$EXEC": "shell=0", "exec": "shell=0", "execSync": "shell=0", "Java.type": "module=0",
    "Runtime.getRuntime": "item:runtime", "<runtime>.exec": "argv:process=0",
    # Deno and Bun
    "Deno.readTextFile": "contents=0", "Deno.readFile": "contents=0",
    "Deno.writeTextFile": "store=0,1", "Deno.writeFile": "store=0,1", "Deno.remove": "rm=0",
    "Deno.run": "argv:process=0", "Deno.Command": "argv:process=0,1",
    "Deno.rename": "move=0,1", "Deno.copyFile": "copy=0,1", "Deno.mkdir": "makes=0",
    "Deno.connect": "connect=0", "Deno.listen": "listen:raw=0", "Deno.serve": "listen:serves=0",
    "Deno.chmod": "chmod=0,1", "Deno.kill": "kill=0,1",
    "Deno.env.get": "env=0", "Deno.env.toObject": "env", "Deno.cwd": "cwd",
    "Deno.makeTempDir": "=tempfile.mkdtemp", "Deno.open": "open=0,1",
    "Deno.readDir": "reads:listed=0 glob:entries=0", "Deno.dlopen": "native:unread",
    "Bun.spawn": "argv:process=0", "Bun.spawnSync": "argv:process=0", "Bun.write": "store=0,1",
    "Bun.file": "open=0", "<file>.text": "received", "<file>.json": "received",
    "dotenv.config": "=dotenv.load_dotenv", "dotenv_flow.config": "=dotenv.load_dotenv",
    "Bun.serve": "listen:serves=0", "Bun.connect": "connect=0",
})  # fmt: skip

_LANGUAGE = Language(
    _DIALECT,
    _CALLS,
    names={
        "process.env": "environ",
        "Bun.env": "environ",
        "process.argv": "argument",
        "import.meta.env": "environ",
        "__dirname": "=.",
        "Deno.args": "argument",
        "process.execPath": "=node",
        "fs.promises": "fs",
        "process.pid": "own",
    },
    modules={
        "fs.promises": "fs",
        "fs_extra": "fs",
        "graceful_fs": "fs",
        "http2": "http",
        "follow_redirects": "http",
        "os.promises": "os",
        "shelljs.global": "shelljs",
    },
    prefixes=("globalThis.", "global.", "window.", "self.", "this.", "Promise.", "?."),
)
LANGUAGES: dict[str, Language] = {"javascript": _LANGUAGE, "typescript": _LANGUAGE}
