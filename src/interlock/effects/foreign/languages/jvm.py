"""Java, Groovy, Scala and Kotlin: the JDK's own functions."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_CALLS = {
    "?.exec": "argv:process=0", "Runtime.exec": "argv:process=0",
    "Runtime.getRuntime": "item:runtime", "<runtime>.exec": "shell:process=0",
    "<runtime>.addShutdownHook": "nothing", "ProcessBuilder": "item:builder=*",
    "<builder>.start": "built=self", "?.start": "built=self", "<builder>.command": "same=self",
    "<builder>.redirectErrorStream": "same=self",
    "<builder>.inheritIO": "same=self", "<text>.execute": "shell:process=self",
    "<list>.execute": "argv:process=self", "?.execute": "executed=self",
    "<process>.text": "received", "Eval.me": "eval=0", "GroovyShell.evaluate": "eval=0",
    "?.evaluate": "eval=0", "?.eval": "eval=0", "ScriptEngine.eval": "eval=0",
    "evaluate": "eval=0", "Process": "shell:process=0", "sys.process.Process": "shell:process=0",
    "scala.sys.process.Process": "shell:process=0", "?.!!": "executed=self", "?.!": "executed=self",
    "<text>.!": "executed=self", "<text>.!!": "executed=self", "<list>.!": "executed=self",
    "<list>.!!": "executed=self", "File": "=pathlib.Path", "java.io.File": "=pathlib.Path",
    "Path.of": "=pathlib.Path", "Paths.get": "=pathlib.Path", "Path": "=pathlib.Path",
    "<path>.delete": "deletes=self", "<path>.deleteDir": "deletes:recursive=self",
    "<path>.deleteRecursively": "deletes:recursive=self",
    "<path>.deleteOnExit": "deletes=self", "<path>.text": "contents=self",
    "<path>.getText": "contents=self", "<path>.readText": "contents=self",
    "<path>.readLines": "contents=self", "<path>.eachLine": "contents=self",
    "<path>.write": "store=self,0", "<path>.writeText": "store=self,0",
    "<path>.setText": "store=self,0", "<path>.append": "store:append=self,0",
    "<path>.appendText": "store:append=self,0",
    "<path>.mkdirs": "makes=self", "<path>.renameTo": "move=self,0",
    "<path>.listFiles": "glob:entries=self", "<path>.eachFile": "glob:entries=self",
    "<path>.toPath": "same=self", "<path>.resolve": "decode:path=self,0",
    "Files.delete": "deletes=0", "Files.deleteIfExists": "deletes=0",
    "Files.walk": "glob:entries=0", "Files.list": "glob:entries=0",
    "Files.readString": "contents=0", "Files.readAllBytes": "contents=0",
    "Files.readAllLines": "contents=0", "Files.lines": "contents=0",
    "Files.writeString": "store=0,1", "Files.write": "store=0,1", "Files.copy": "copy=0,1",
    "Files.move": "move=0,1", "Files.createDirectories": "makes=0",
    "Files.createSymbolicLink": "writes:link=0 reads:linked=1",
    "FileUtils.deleteDirectory": "deletes:recursive=0", "FileReader": "open=0",
    "FileInputStream": "open=0", "FileWriter": "open:w=0", "FileOutputStream": "open:w=0",
    "PrintWriter": "open:w=0",
    "<file>.write": "write=0", "<file>.println": "write=0", "Scanner": "received",
    "BufferedReader": "received", "Socket": "connect=0,1", "java.net.Socket": "connect=0,1",
    "ServerSocket": "listen:raw=0", "<socket>.getInputStream": "same=self",
    "<socket>.getOutputStream": "same=self", "<socket>.write": "write=0", "URL": "url=0",
    "java.net.URL": "url=0", "URI.create": "url=0", "URI": "url=0", "<request>.text": "get=self",
    "<request>.getText": "get=self", "<request>.openStream": "get=self",
    "<request>.openConnection": "get=self", "<request>.readText": "get=self",
    "<request>.readBytes": "get=self", "<request>.toURL": "same=self",
    "HttpRequest.newBuilder": "same=0", "<text>.toURL": "url=self",
    "<request>.POST": "get:post=self,0", "Source.fromFile": "contents=0",
    "scala.io.Source.fromFile": "contents=0", "Source.fromURL": "get=0",
    "scala.io.Source.fromURL": "get=0", "System.getenv": "env", "System.getProperty": "property=0",
    "System.load": "native:unread", "System.loadLibrary": "native",
    "Base64.getDecoder": "item:decoder", "<decoder>.decode": "decode:base64=0",
    "?.decodeBase64": "decode:base64=self", "<text>.decodeBase64": "decode:base64=self",
    "String": "same=0", "List.of": "decode:same=0", "Arrays.asList": "same=0",
    "String.format": "decode:format=*", "println": "print=*", "System.out.println": "print=*",
    "DriverManager.getConnection": "item:db", "?.executeUpdate": "sql=0",
    "?.executeQuery": "sql=0", "System.exit": "nothing",
    "ProcessHandle.of": "item:handle=0", "URLClassLoader": "native:unread",
    "Class.forName": "same=0",
    # what a build of Gradle is told (docs.gradle.org, Project)
    "delete": "deletes:recursive=*", "project.delete": "deletes:recursive=*",
    "commandLine": "argv:process=*", "file": "=pathlib.Path", "project.file": "=pathlib.Path",
    "files": "=pathlib.Path", "fileTree": "=pathlib.Path",
}  # fmt: skip
_BUILT = (
    "buildDir project.buildDir rootProject.buildDir layout.buildDirectory"
    " rootProject.layout.buildDirectory project.layout.buildDirectory"
)
_NAMES = {
    "System.env": "environ", "args": "argument",
    **dict.fromkeys(_BUILT.split(), "=build"), "projectDir": "=.", "rootDir": "=.",
}  # fmt: skip
_PREFIXES = (
    "java.lang.",
    "java.io.",
    "java.nio.file.",
    "java.util.",
    "java.net.",
    "java.net.http.",
    "scala.sys.process.",
    "sys.",
    "kotlin.io.",
)


def _language(name: str, **how: object) -> Language:
    return Language(TokenDialect(name, **how), _CALLS, names=_NAMES, prefixes=_PREFIXES)  # type: ignore[arg-type]


LANGUAGES: dict[str, Language] = {
    "java": _language("java", raw="", cooked="\"'"),
    "groovy": _language(
        "groovy",
        raw="'",
        cooked='"',
        inside="$",
        bare=True,
        member=frozenset({".", "?.", "::", "*."}),
    ),
    "scala": _language("scala", cooked='"', inside="", back="name", member=frozenset({".", "::"})),
    "kotlin": _language("kotlin", cooked='"', inside="$", back="name"),
}
