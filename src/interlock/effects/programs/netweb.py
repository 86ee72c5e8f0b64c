"""Programs that fetch and send over HTTP and FTP: curl, wget, httpie, aria2c and kin (their
manuals: curl 8, wget 1.24, httpie 3).
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_url
from interlock.effects.outgoing_words import VALUE, leaves
from interlock.effects.programs.requests import asked_for, loses
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    STANDARD_OUTPUT,
    download,
    file_carries,
    flow_carries,
    is_chat,
    leaks,
    send,
    word_carries,
)
from interlock.effects.run import Run
from interlock.effects.sql import read_text
from interlock.model.effect import (
    Connects,
    ControlsContainer,
    Reads,
    RunsCode,
    Writes,
)
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock", "crio.sock", "docker-raw.sock")
_ASKING_QUOTES = frozenset(
    "CWD HELP NLST NOOP PASV SIZE SYST TYPE PWD LIST STAT FEAT MDTM CDUP".split()
)


def part(value: Value, text: str) -> Value:
    """Return a piece of a word, in the word's place."""
    return Value(text, value.start, value.end, value.why)


def connect(run: Run, value: Value, *traits: str) -> str:
    """Add the connection a URL makes and return the host; ``file:`` reads a file."""
    text = value.text
    if text[:5].lower() == "file:":
        run.path(Reads, part(value, "/" + text[5:].lstrip("/")))
        return "localhost"
    to_url(run.context, text, run.span(value), frozenset(traits) | run.parsed.traits, run.name)
    host = hosts.host_of(text)
    rest = text.partition(host)[2] if host else ""
    if is_chat(host) and "/send" in rest.lower():
        send(run, host, {"post", "inline-data"}, value)
    if HOLE in text and "carries-secret" in word_carries(run, value):
        send(run, host, {"carries-secret", "unknown-word"}, value)
    leaks(run, host, value)
    return host


def _file_name(url: Value) -> Value:
    """Return the file name a URL ends with (``curl -O``, wget)."""
    path = url.text.partition("://")[2] or url.text
    name = (
        path.partition("?")[0].partition("#")[0].rpartition("/")[2]
        if "/" in path.rstrip("/")
        else ""
    )
    return part(url, name or "index.html")


# -- curl ------------------------------------------------------------------------------------------


def _curl(run: Run) -> Flow:
    """Everything a curl command line reads, writes, sends and connects to."""
    if run.has("-h", "--help", "-V", "--version", "-M", "--manual"):
        return NOTHING
    run.roles()
    for value in run.parsed.values("-K", "--config"):
        _curl_settings(run, value)
    urls = [*run.operands, *run.parsed.values("--url")]
    data = _curl_data(run)
    method = run.parsed.value("-X", "--request")
    traits = _curl_traits(method.text.upper() if method is not None else "", data)
    socket = run.parsed.value("--unix-socket", "--abstract-unix-socket")
    if socket is not None:
        _unix_socket(run, socket)
    for value in _indirect_hosts(run):
        connect(run, value, "proxy")
    for value in run.parsed.values("-T", "--upload-file"):
        for url in urls:
            if url.text[:5].lower() == "file:":
                run.path(Writes, part(url, "/" + url.text[5:].lstrip("/")), "copied")
                run.path(Reads, value)
    for url in urls:
        _queries(run, url)
        host = (
            "localhost"
            if socket is not None
            else connect(run, url, "get", *(["insecure"] if run.has("-k", "--insecure") else []))
        )
        if traits:
            send(run, host, traits, url)
            loses(run, host, url, traits)
        else:
            asked_for(run, host, url)
    if run.has("-K", "--config") and "settings-read" not in run.parsed.flags:
        run.effect(Connects, "", "get", "unknown-host", host="unknown")
    return _curl_output(run, urls)


def _curl_settings(run: Run, file: Value) -> None:
    """``-K FILE``: options one a line, ``name = value`` or ``name value`` (curl(1)); known text is
    taken as if it stood in the command.
    """
    stdin = run.stdin.text if run.stdin is not None else None
    text = stdin if file.text == "-" else run.text_of(file)
    if text is None:
        return
    run.parsed.flags.add("settings-read")
    for line in text.split("\n"):
        name, _, value = (
            line.strip().replace("=", " ", 1).replace(":", " ", 1).partition(" ")
            if "://" not in line.partition("=")[0]
            else ("url", "", line.strip())
        )
        if name and name[:1] != "#":
            option = name if name[:1] == "-" else f"--{name}"
            run.parsed.flags.add(option)
            run.parsed.options.append((option, part(file, value.strip().strip('"'))))


_QUERIES = (":8123", ":8086", ":9047", ":8047", ":4000/v1/sql")
"""Ports where a database takes statements by HTTP (ClickHouse, InfluxDB...)."""


def _queries(run: Run, url: Value) -> None:
    """Read statements that go to a database in a URL or as data: ``curl
    'http://localhost:8123/?query=DROP+TABLE+t'``.
    """
    if not any(port in url.text for port in _QUERIES):
        return
    given = [word.partition("=")[2] for word in url.text.partition("?")[2].split("&")]
    given += [
        value.text.removeprefix("q=").removeprefix("query=")
        for name, value in run.parsed.options
        if _CURL_DATA.get(name) in ("data", "raw", "encode")
    ]
    for text in given:
        read_text(run.context, text.replace("+", " ").replace("%20", " "), run.name, run.span(url))


def _unix_socket(run: Run, socket: Value) -> None:
    if socket.text.endswith(_SOCKETS):
        run.effect(ControlsContainer, socket.text, "socket", value=socket)


def _indirect_hosts(run: Run) -> list[Value]:
    """Other hosts a curl command talks to: proxies, resolvers, ``--resolve HOST:PORT:ADDRESS``."""
    found = run.parsed.values(
        "-x",
        "--proxy",
        "--preproxy",
        "--socks5",
        "--socks5-hostname",
        "--socks4",
        "--socks4a",
        "--proxy1.0",
        "--doh-url",
    )
    for value in run.parsed.values("--resolve"):
        found.extend([part(value, address) for address in value.text.split(":", 2)[2:]])
    for value in run.parsed.values("--connect-to"):
        found.extend([part(value, address) for address in value.text.split(":", 3)[2:3] if address])
    return found


def _curl_traits(method: str, data: set[str]) -> set[str]:
    """Return the traits of what is sent, none where nothing is."""
    if data:
        return {"post", *data} if "upload" not in data else data
    if method in ("POST", "PUT", "PATCH", "DELETE", "MKCOL", "MOVE", "COPY", "LOCK"):
        return {"post", "inline-data", f"method-{method.lower()}"}
    if method in ("PURGE", "BAN", "UNLINK", "REFRESH"):
        return {"post", "inline-data", "method-delete"}
    return (
        {"post", "inline-data", "ftp-command"}
        if method.partition(" ")[0] in ("DELE", "RMD", "RNFR")
        else set()
    )


def _curl_data(run: Run) -> set[str]:
    """Return what the data options carry: ``-d @file``, ``-F name=@file``, ``-T file``."""
    traits: set[str] = set()
    for name, value in run.parsed.options:
        role = _CURL_DATA.get(name)
        if role == "data":
            traits |= (
                file_carries(run, part(value, value.text[1:]))
                if value.text.startswith("@")
                else word_carries(run, value)
            )
        elif role == "raw":
            traits |= word_carries(run, value)
        elif role == "encode":
            traits |= _urlencode_traits(run, value)
        elif role == "form":
            traits |= _form(run, value)
        elif role == "upload":
            traits |= {"upload"} | file_carries(run, value)
        elif role == "raw-cookie" and "=" not in value.text and value.known:
            traits |= file_carries(run, value) & {"carries-secret", "carries-outside"}
        elif role == "variable" and "@" in value.text.partition("=")[0]:
            traits |= file_carries(run, part(value, value.text.partition("@")[2]))
        elif (
            role == "quote"
            and value.text.lstrip("-+").partition(" ")[0].upper() not in _ASKING_QUOTES
        ):
            traits |= {"inline-data", "ftp-command"}
        elif role == "header" and value.text.startswith("@"):
            traits |= file_carries(run, part(value, value.text[1:]))
        elif (
            role == "header"
            and value.hollow
            and "carries-secret" in word_carries(run, value, tokens=False)
        ):
            traits.add("carries-secret")
        elif role == "header" and leaves(run.context, value.text) == VALUE:
            traits |= {"inline-data", "carries-token"}
    return traits


def _urlencode_traits(run: Run, value: Value) -> set[str]:
    """``--data-urlencode``: ``content``, ``=content``, ``name=content``, ``[name]@file``."""
    name, at, path = value.text.partition("@")
    if at and "=" not in name:
        return file_carries(run, part(value, path))
    return word_carries(run, value)


def _form(run: Run, value: Value) -> set[str]:
    """``-F name=@file;type=..`` and ``name=<file`` send a file, the rest is text."""
    text = value.text.partition("=")[2]
    if text[:1] in ("@", "<"):
        files = text[1:].partition(";")[0].split(",")
        return {"upload"}.union(
            *[file_carries(run, part(value, path.strip('"'))) for path in files]
        )
    return word_carries(run, value)


_CURL_DATA = {
    "-d": "data", "--data": "data", "--data-ascii": "data", "--data-binary": "data",
    "--json": "data", "--data-raw": "raw", "--form-string": "raw",
    "--url-query": "encode",
    "--data-urlencode": "encode", "-F": "form", "--form": "form", "-T": "upload",
    "--upload-file": "upload", "-Q": "quote", "--quote": "quote",
    "-H": "header", "--header": "header",
    "--variable": "variable", "-b": "raw-cookie", "--cookie": "raw-cookie", "-A": "header",
    "--user-agent": "header", "-e": "header", "--referer": "header",
}  # fmt: skip


def _curl_output(run: Run, urls: list[Value]) -> Flow:
    """``-o FILE``, ``-O``, ``--output-dir``; what is left goes to standard output."""
    folder = run.parsed.value("--output-dir")
    prefix = folder.text.rstrip("/") + "/" if folder is not None else ""
    outputs = [
        value for value in run.parsed.values("-o", "--output") if value.text not in STANDARD_OUTPUT
    ]
    for value in outputs:
        download(run, part(value, prefix + value.text) if not value.text.startswith("/") else value)
    if run.has("-O", "--remote-name", "--remote-name-all"):
        for url in urls:
            name = _file_name(url)
            download(run, part(name, prefix + name.text))
        return NOTHING
    form = run.parsed.value("-w", "--write-out")
    if form is not None and "%output{" in form.text:
        download(run, part(form, form.text.partition("%output{")[2].partition("}")[0].lstrip(">")))
    if outputs:
        return UNREAD if form is not None else NOTHING
    if len(urls) == 1 and urls[0].text[:5].lower() == "file:":
        return run.contents(part(urls[0], "/" + urls[0].text[5:].lstrip("/")))
    return NETWORK_FLOW


# -- wget ------------------------------------------------------------------------------------------


def _wget(run: Run) -> Flow:
    """Wget writes what it fetches to a file unless ``-O -`` or ``--spider``."""
    if run.has("-h", "--help", "-V", "--version"):
        return NOTHING
    run.roles()
    data: set[str] = set()
    for value in run.parsed.values("--post-file", "--body-file"):
        data |= {"upload"} | file_carries(run, value)
    for value in run.parsed.values("--post-data", "--body-data"):
        data |= word_carries(run, value)
    method = run.parsed.value("--method")
    traits = _curl_traits(method.text.upper() if method is not None else "", data)
    for url in run.operands:
        host = connect(
            run, url, "get", *(["insecure"] if run.has("--no-check-certificate") else [])
        )
        if traits:
            send(run, host, traits, url)
            loses(run, host, url, traits)
        else:
            asked_for(run, host, url)
    if run.has("-i", "--input-file"):
        run.effect(Connects, "", "get", "unknown-host", host="unknown")
    _wget_commands(run)
    return _wget_output(run)


def _wget_commands(run: Run) -> None:
    """``--use-askpass=COMMAND`` and ``-e use_askpass=COMMAND`` run it."""
    found = run.parsed.values("--use-askpass")
    found += [
        part(value, value.text.partition("=")[2].strip())
        for value in run.parsed.values("-e", "--execute")
        if value.text.strip().startswith("use_askpass")
    ]
    for value in found:
        run.effect(RunsCode, "use-askpass", "option-command", value=value)
        run.code(value)


def _wget_output(run: Run) -> Flow:
    for value in run.parsed.values("--warc-file"):
        download(run, part(value, value.text + ".warc.gz"))
    if run.has("-b", "--background") and not run.has(
        "-o", "--output-file", "-a", "--append-output"
    ):
        run.path(Writes, Value("wget-log"), "create")
    output = run.parsed.value("-O", "--output-document", *(["-o"] if run.name == "fetch" else []))
    if run.has("--spider"):
        return UNREAD
    if output is not None:
        if output.text in STANDARD_OUTPUT:
            return NETWORK_FLOW
        download(run, output)
        return NOTHING
    folder = run.parsed.value("-P", "--directory-prefix")
    prefix = folder.text.rstrip("/") + "/" if folder is not None else ""
    deep = run.has("-r", "--recursive", "-m", "--mirror")
    for url in run.operands:
        name = part(url, hosts.host_of(url.text)) if deep else _file_name(url)
        download(run, part(name, prefix + name.text), *(["recursive"] if deep else []))
    return NOTHING


# -- others ----------------------------------------------------------------------------------------


def _httpie(run: Run) -> Flow:
    """``http [METHOD] URL [ITEM..]``: items with ``=`` are data, ``@`` files, ``:`` headers, ``==``
    the query.
    """
    operands, method = list(run.operands), ""
    if len(operands) > 1 and operands[0].text.upper() in (
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "HEAD",
        "OPTIONS",
        "PURGE",
    ):
        method = operands.pop(0).text.upper()
    if not operands:
        return UNREAD
    url, items = operands[0], operands[1:]
    host = connect(
        run, part(url, "localhost" + url.text) if url.text.startswith(":") else url, "get"
    )
    data = set().union(*[_item(run, item) for item in items], set[str]())
    for value in run.parsed.values("--raw"):
        data |= word_carries(run, value)
    if run.stdin is not None and run.stdin.text != "":
        data |= flow_carries(run.stdin)
    traits = _curl_traits(method, data)
    if traits and not run.has("--offline"):
        send(run, host, traits, url)
        loses(run, host, url, traits)
    output = run.parsed.value("-o", "--output")
    if output is not None and output.text not in STANDARD_OUTPUT:
        download(run, output)
        return NOTHING
    return NETWORK_FLOW


def _item(run: Run, value: Value) -> set[str]:
    # httpie itself reads the tilde
    text = value.text.replace("@~/", f"@{run.context.home or '~'}/", 1)
    if "=@" in text:
        return file_carries(run, part(value, text.partition("=@")[2]))
    if "==" in text or (":" in text.partition("=")[0] and ":=" not in text):
        return set()
    if "=" in text:
        return word_carries(run, value)
    return (
        {"upload"} | file_carries(run, part(value, text.partition("@")[2]))
        if "@" in text
        else set()
    )


def _aria(run: Run) -> Flow:
    """aria2c: URLs to files; ``--on-download-complete=COMMAND`` and its kin run a command."""
    run.roles()
    for name, value in run.parsed.options:
        if name.startswith("--on-"):
            run.effect(RunsCode, name, "option-command", value=value)
            run.code(value)
    folder = run.parsed.value("-d", "--dir")
    prefix = folder.text.rstrip("/") + "/" if folder is not None else ""
    output = run.parsed.value("-o", "--out")
    for url in run.operands:
        connect(run, url, "get")
        if output is not None and output.text in STANDARD_OUTPUT:
            return NETWORK_FLOW
        target = output if output is not None else _file_name(url)
        download(run, part(target, prefix + target.text))
    return NOTHING


def _video(run: Run) -> Flow:
    """yt-dlp: ``--exec COMMAND`` runs after each download; files go to the folder or to ``-o``."""
    for value in run.parsed.values(
        "--exec", "--exec-before-download", "--netrc-cmd", "--downloader"
    ):
        run.effect(RunsCode, "--exec", "option-command", value=value)
        run.code(value)
    for url in run.operands:
        connect(run, url, "get")
    return UNREAD


def _browse(run: Run) -> Flow:
    """Text browsers and download tools: URLs, or local files; lynx posts its input."""
    if run.has("-post_data", "-post-data") and run.stdin is not None and run.operands:
        send(
            run,
            hosts.host_of(run.operands[0].text),
            {"post", *flow_carries(run.stdin)},
            run.operands[0],
        )
    for value in run.operands:
        if "://" in value.text or value.hollow or "." in value.text.partition("/")[0].strip("."):
            connect(run, value, "get")
        else:
            run.path(Reads, value)
    return NETWORK_FLOW


def _load(run: Run) -> Flow:
    """Load generators: requests to the URL given."""
    for value in run.operands:
        if "://" in value.text:
            connect(run, value, "get", "load")
    for value in run.parsed.values("-p", "-u", "-T"):
        if "/" in value.text and "://" not in value.text:
            run.path(Reads, value, "sent")
    return UNREAD
