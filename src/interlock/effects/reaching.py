"""Where the words of a program that nobody described lead: hosts that they name, with what is sent
there, code that is installed from an address, ports and tunnels that options open.
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host, to_url
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, Connects, Installs, Listens, Sends
from interlock.shell.value import FILE, OUTPUT, Value

WRITES = frozenset(
    "of -o -w --output --out --outfile --output-file --dest --destination --target --write"
    " --install-dir --prefix --save --to".split()
)
OUT = ("output", "outfile", "outdir", "destdir", "saveas", "save-as")
"""Parts of the names of options whose value is written."""
_OPENS = frozenset("--tunnel --expose --funnel --public --share --reverse --ngrok".split())
_CARRIED = frozenset({"secret", "workspace", "outside"})
"""Labels of files that matter when they are sent."""
_LISTENS = frozenset("--listen -listen --bind --listen-address --serve".split())


def network(run: Run) -> None:
    """Add the hosts that words name, what is sent there, and ports and tunnels of options."""
    _add_uploads(run)
    before = ""
    for word in run.words:
        text = word.text
        option, _, rest = text.partition("=")
        if option in _OPENS:
            run.effect(Connects, run.name, "tunnel", host="unknown")
        elif option in _LISTENS and before != option:
            run.effect(Listens, rest)
        elif "://" in text and text[:1] != "-":
            _url(run, word)
        elif ("@" in text and text[:1] != "@" and "-m" not in before) or _is_remote_path(text):
            _address(run, word)
        before = text


_FILES_SENT = ("file", "attach", "upload", "payload", "data", "image", "document")
"""Parts of the names of options whose value is a file that goes where a URL beside it says."""


_BRINGS = frozenset({"install", "load", "sideload", "plugin", "plugins", "addon", "extension"})
"""Words behind which an address is code that is fetched and kept: ``plugin install URL``."""


def add_transfers(run: Run) -> None:
    """Code of another machine that is installed, and what is written to one: ``plugin install
    https://..``, ``dump --output=https://..``.
    """
    before, verbs = "", set[str]()
    for word in run.words:
        option, equals, rest = word.text.partition("=")
        named, text = (option, rest) if equals and option[:1] == "-" else (before, word.text)
        host = hosts.host_of(text) if text.startswith(("http://", "https://")) else ""
        if host and hosts.classify(host) != LOCAL:
            if not verbs.isdisjoint(_BRINGS) and named[:1] != "-":
                run.effect(Installs, text, "url", value=word)
            elif named in WRITES or any(part in named.lower() for part in OUT):
                run.effect(Sends, host, *_UNKNOWN_DATA, host="unknown", value=word, certain=False)
        verbs.add(word.text)
        before = word.text


_UNKNOWN_DATA = frozenset({"upload", "unknown-data"})


def _add_uploads(run: Run) -> None:
    """Files of options beside a URL of the network: ``notify --webhook https://.. --file a.db``."""
    urls = [
        text
        for word in run.words
        for text in (word.text, word.text.partition("=")[2])
        if text.startswith(("http://", "https://"))
    ]
    name = hosts.host_of(urls[0]) if urls else ""
    if not name or hosts.classify(name) == LOCAL:
        return
    before = ""
    for word in run.words:
        option, equals, rest = word.text.partition("=")
        named, text = (option, rest) if equals and option[:1] == "-" else (before, word.text)
        sent = (
            named[:2] == "--"
            and any(part in named for part in _FILES_SENT)
            and not any(part in named for part in _FETCHED)
        )
        if sent and "." in text and "://" not in text and " " not in text:
            labels = run.contents(Value(text, word.start, word.end)).labels
            to_host(
                run.context,
                Sends,
                name,
                run.span(word),
                frozenset({"upload", *[f"carries-{label}" for label in labels & _CARRIED]}),
                run.name,
            )
        before = word.text


_FETCHED = ("out", "log", "format", "profile", "conf", "base", "dir", "name")
"""Parts of the names of options whose file is written, or is the program's own."""


def near(run: Run) -> None:
    """Servers of this machine that words name: what program it is says nothing against that."""
    for word in run.words:
        text = word.text.rpartition("=")[2] if word.text[:1] == "-" else word.text
        address = text.startswith(("http://", "https://")) and not word.hollow
        if address and hosts.classify(hosts.host_of(text)) == LOCAL:
            to_url(run.context, text, run.span(word), frozenset({"get"}), run.name)


def _url(run: Run, word: Value) -> None:
    """A URL, if it is one of the network; what a command printed into it goes there."""
    scheme = word.text.partition("://")[0]
    if hosts.classify(hosts.host_of(word.text)) == LOCAL:
        return
    if scheme.isalnum() and scheme != "file" and (not word.hollow or word.why in (OUTPUT, FILE)):
        to_url(run.context, word.text, run.span(word), frozenset({"get"}), run.name)


def _is_remote_path(text: str) -> bool:
    """Whether a word is a folder of another machine: ``mirror.example:/srv/x``."""
    host, colon, path = text.partition(":")
    return colon == ":" and path[:1] == "/" and path[:2] != "//" and "." in host.strip(".")


def _address(run: Run, word: Value) -> None:
    """``user@host``, ``user@host:path``: the latter with a file beside it is sent there."""
    user, _, rest = word.text.rpartition("@")
    host, colon, _ = rest.partition(":")
    plain = not user or user.replace("-", "a").replace("_", "a").replace(".", "a").isalnum()
    if (
        not plain
        or not host[:1].isalpha()
        or not host.replace("-", "a").replace(".", "a").isalnum()
        or ("." not in host and not colon)
    ):
        return
    to_host(run.context, Connects, host, run.span(word), frozenset({"get"}), run.name)
    files = [
        value
        for value in run.operands
        if value is not word and "/" in value.text and value.known and "://" not in value.text
    ]
    labels = (
        frozenset().union(*[run.contents(value).labels for value in files])
        if colon
        else frozenset()
    )
    if labels:
        to_host(
            run.context,
            Sends,
            host,
            run.span(word),
            frozenset({"upload", *[f"carries-{label}" for label in labels & _CARRIED]}),
            run.name,
        )
