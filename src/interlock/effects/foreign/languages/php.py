"""PHP, by its manual's function reference."""

from __future__ import annotations

from interlock.effects.foreign.language import Language
from interlock.effects.foreign.tokens import TokenDialect

_DIALECT = TokenDialect(
    "php", comments=("//", "#"), raw="'", cooked='"', inside="$", back="command",
    join=frozenset({"."}), member=frozenset({"->", "::", "?->", "\\"}), lines=False, sigils="$",
    keywords=frozenset("include include_once require require_once echo print eval".split()),
)  # fmt: skip

_CALLS = {
    **dict.fromkeys(("system", "exec", "shell_exec", "passthru", "`", "pcntl_exec"), "shell=0"),
    "popen": "shell:process=0", "proc_open": "procopen=*", "pcntl_exec": "argv=0,1",
    "expect_popen": "shell:process=0",
    "eval": "eval=0", "assert": "eval=0", "create_function": "eval:last=*",
    "preg_replace": "decode:replace=2,0,1", "include": "include=0", "require": "include=0",
    "include_once": "include=0", "require_once": "include=0", "call_user_func": "rubysend=*",
    "call_user_func_array": "rubysend=*", "array_map": "rubysend=*",
    "ob_start": "same", "unserialize": "same", "dl": "native:unread", "FFI.cdef": "native",
    "FFI.load": "native", "register_shutdown_function": "same", "array_filter": "phpmap=1,0",
    "iterator_apply": "phpmap=1,0", "usort": "same", "array_walk": "phpmap=1,0",
    "file_get_contents": "fileget=*", "readfile": "contents=0", "file": "contents=0",
    "highlight_file": "contents=0", "show_source": "contents=0", "parse_ini_file": "contents=0",
    "simplexml_load_file": "contents=0", "file_put_contents": "store=0,1", "fopen": "open=0,1",
    "gzopen": "open=0,1", "SplFileObject": "open=0,1",
    "fwrite": "print=*", "fputs": "print=*", "fread": "perlread=*", "fgets": "perlread=*",
    "fgetc": "perlread=*", "stream_get_contents": "perlread=*", "stream_get_line": "perlread=*",
    "fpassthru": "perlread=*", "stream_copy_to_stream": "copystream=0,1",
    "unlink": "deletes=0", "rmdir": "deletes=0", "rename": "move=0,1", "copy": "copy=0,1",
    "mkdir": "makes=0", "touch": "makes=0", "symlink": "reads:linked=0 writes:link=1",
    "link": "reads:linked=0 writes:link=1", "chmod": "chmod=0,1", "chown": "mode:owner=0",
    "chgrp": "mode:owner=0", "ftruncate": "nothing",
    "move_uploaded_file": "writes=1", "glob": "glob=0", "scandir": "reads:listed=0 glob:entries=0",
    "opendir": "reads:listed=0", "tempnam": "=tempfile.mktemp",
    "tmpfile": "=tempfile.TemporaryFile", "sys_get_temp_dir": "=tempfile.gettempdir",
    "chdir": "=os.chdir", "getcwd": "cwd", "RecursiveDirectoryIterator": "glob:entries=0",
    "RecursiveIteratorIterator": "same", "DirectoryIterator": "glob:entries=0",
    "?.getPathname": "same=self", "?.getRealPath": "same=self",
    "fsockopen": "connect=0,1", "pfsockopen": "connect=0,1", "stream_socket_client": "connect=0",
    "socket_create": "socket", "socket_connect": "perlconnect=*", "socket_bind": "perlbind=*",
    "socket_listen": "nothing", "socket_accept": "socket", "socket_read": "perlread=*",
    "socket_recv": "perlread:into=*",
    "socket_write": "print=*", "socket_send": "print=*", "stream_socket_server": "listen:raw=*",
    "stream_socket_accept": "socket", "curl_init": "url=0", "curl_exec": "curlexec=0",
    "curl_setopt": "curlset=*", "curl_setopt_array": "curlset=*", "mail": "send=0",
    "ftp_connect": "connect=0", "ftp_put": "uploads=2", "ssh2_scp_send": "uploads=1",
    "array": "list=*",
    "gethostbyname": "same", "dns_get_record": "connect=0", "GuzzleHttp.Client": "item:session",
    "<session>.get": "get=0", "<session>.post": "get:post=0,1", "<session>.request": "get=1",
    "stream_context_create": "item:context=0", "ssh2_connect": "connect=0", "ssh2_exec": "shell=1",
    "base64_decode": "decode:base64=0", "hex2bin": "decode:hex=0", "gzinflate": "decode:inflate=0",
    "gzuncompress": "decode:inflate=0", "gzdecode": "decode:inflate=0",
    "str_rot13": "decode:rot13=0", "strrev": "decode:reverse=0", "urldecode": "decode:url=0",
    "rawurldecode": "decode:url=0", "chr": "decode:codes=*", "ord": "decode:ord=0",
    "implode": "decode:join=*", "join": "decode:join=*", "explode": "decode:explode=0,1",
    "str_split": "decode:split=0", "substr": "decode:cut=0,1,2",
    "str_replace": "decode:replace=2,0,1", "sprintf": "decode:format=*", "pack": "decode:pack=*",
    "unpack": "decode:unpack=*", "trim": "same=0", "strtolower": "same=0",
    "escapeshellarg": "same=0",
    "escapeshellcmd": "same=0", "convert_uudecode": "decode:pack=0",
    "array_reverse": "decode:reverse=0", "json_encode": "same=0", "json_decode": "same=0",
    "http_build_query": "same=0", "urlencode": "same=0", "base64_encode": "same=0",
    "realpath": "same=0", "dirname": "decode:folder=0", "basename": "decode:base=0",
    "serialize": "same=0",
    "getenv": "env", "$_ENV[]": "env=0", "posix_kill": "kill=0,1", "posix_setuid": "escalates",
    "posix_setgid": "escalates", "pcntl_fork": "fork", "putenv": "nothing", "print": "print=*",
    "echo": "print=*", "phpinfo": "nothing", "mysqli_query": "sql=1", "?.query": "sql=0",
    "?.exec": "sql=0", "?.prepare": "sql=0", "PDO": "item:db", "mysqli": "item:db",
}  # fmt: skip

_LANGUAGE = Language(
    _DIALECT, _CALLS, prefixes=("\\", "."),
    names={"$_ENV": "environ", "$_SERVER": "environ", "$argv": "argument", "$_GET": "argument",
        "$_POST": "argument", "$_REQUEST": "argument", "STDIN": "argument", "__DIR__": "=.",
        "PHP_BINARY": "=php", "DIRECTORY_SEPARATOR": "=/", "PHP_EOL": "=\n"},
)  # fmt: skip
LANGUAGES: dict[str, Language] = {"php": _LANGUAGE}
