"""Emacs Lisp, Scheme (Guile, Racket), Common Lisp and Clojure."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_SHELLS = dict.fromkeys(
    "shell-command shell-command-to-string async-shell-command compile term ansi-term system run-program uiop:run-program uiop.run-program "
    "inferior-shell:run start-process-shell-command call-process-shell-command eshell-command open-input-pipe open-pipe ext:shell sb-ext:run-program".split(), "shell=0",
)  # fmt: skip
_CALLS = {
    **_SHELLS, "call-process": "lispcall=*", "start-process": "lispstart=*",
    "make-process": "lispmake=*", "process-file": "lispcall=*", "clojure.java.shell/sh": "argv=*",
    "sh": "argv=*", "system*": "shell:list=*", "sb-ext:run-program": "argv=0,1", "execl": "argv=*", "execlp": "argv=*",
    "primitive-fork": "fork", "subprocess": "argv=3",
    "shell": "shell=0", "process": "shell=0", "terminal": "shell=0", "delete-file": "deletes=0",
    "delete-directory": "deletes:recursive=0", "delete-directory/files": "deletes:recursive=0",
    "uiop:delete-directory-tree": "deletes:recursive=0",
    "uiop.delete-directory-tree": "deletes:recursive=0", "rename-file": "move=0,1",
    "rename-file-or-directory": "move=0,1", "copy-file": "copy=0,1", "copy-directory": "copy=0,1",
    "write-region": "store=2,0", "append-to-file": "makes=2", "write-file": "writes=0",
    "find-file": "reads=0", "insert-file-contents": "contents=0", "insert-file": "contents=0",
    "with-temp-file": "writes=0", "open-output-file": "open:w=0", "open-input-file": "open=0",
    "open": "open=0", "spit": "store=0,1", "slurp": "fileget=0", "with-open-file": "nothing",
    "set-file-modes": "chmod=0,1",
    "make-directory": "makes=0", "make-symbolic-link": "reads:linked=0 writes:link=1",
    "load": "load=0", "load-file": "load=0", "eval": "eval=0", "read": "same=0",
    "read-from-string": "same=0", "car": "same=0", "eval-string": "eval=0",
    "url-retrieve": "get=0", "url-retrieve-synchronously": "get=0",
    "url-copy-file": "download=0,1", "make-network-process": "socket",
    "open-network-stream": "connect=2,3",
    "getenv": "env=0", "concat": "decode:concat=*", "string-append": "decode:concat=*",
    "str": "decode:concat=*", "format": "decode:format=*",
    "expand-file-name": "=os.path.expanduser", "base64-decode-string": "decode:base64=0",
    "signal-process": "kill=0,1", "kill": "kill=0,1", "message": "nothing", "princ": "nothing",
    "display": "nothing", "println": "nothing",
}  # fmt: skip
_LANGUAGE = Language(TokenDialect("lisp", comments=(";",)), _CALLS)
LANGUAGES: dict[str, Language] = {"lisp": _LANGUAGE, "scheme": _LANGUAGE, "clojure": _LANGUAGE}
