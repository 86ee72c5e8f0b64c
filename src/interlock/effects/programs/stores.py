"""Stores of keys and passwords: which commands print a secret, which change one (their manuals)."""

from __future__ import annotations

from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ChangesInfrastructure, Deletes, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

SECRET = Flow(None, frozenset({"secret"}))
_GPG_MANNERS = frozenset(
    "--batch --yes --no-tty -q --quiet -v --verbose -o --output -a --armor --homedir".split()
)
"""Options that are no command: with nothing else gpg decrypts the file it is given."""
_GPG_KEYS = tuple(
    (
        "--export-secret-keys --export-secret-subkeys --export-secret-key --export-secret-ssh-key"
    ).split()
)


_LOOKS = ("ls", "list", "find", "search", "git", "help", "version", "status", "--help", "--version")
"""Words that show names and no secrets, unless a program's own table says more of them."""


def _store(run: Run, path: str) -> Value:
    """Return the path of a store below the home folder."""
    return Value(f"{run.context.home or '~'}/{path}")


def secret(run: Run, path: str) -> Flow:
    """Read a secret of a store: what is printed is secret."""
    run.path(Reads, _store(run, path))
    return SECRET


def _stores(
    path: str, reads: str = "", writes: str = "", *, deletes: str = "", default: str = ""
) -> Reader:
    """Return a reader for a program whose words or options (first operand, or an option) read,
    write or delete in a store.
    """
    table = {
        **dict.fromkeys(_LOOKS, ""),
        **dict.fromkeys(reads.split(), "reads"),
        **dict.fromkeys(writes.split(), "writes"),
        **dict.fromkeys(deletes.split(), "deletes"),
    }

    def read(run: Run) -> Flow:
        words = [value.text for value in run.operands[:1]]
        both = " ".join([value.text for value in run.operands[:2]]).replace(" ", "+")
        given = [*run.parsed.flags, *[name for name, _ in run.parsed.options]]
        found = next(
            (table[word] for word in [*given, both, *words] if word in table),
            default if words else "",
        )
        if found == "reads":
            return secret(run, path)
        if found:
            run.path(Writes if found == "writes" else Deletes, _store(run, path))
        return UNREAD

    return read


def _vault(reads: str, *, runs: str = "", changes: str = "") -> Reader:
    """Return a reader for a program of a store that is kept elsewhere: which words print secrets,
    which run a command with them.
    """
    printing, running, changing = (frozenset(text.split()) for text in (reads, runs, changes))

    def read(run: Run) -> Flow:
        words = [value.text for value in run.operands[:2]]
        both = "+".join(words)
        if not running.isdisjoint(words[:1]):
            return _with_secrets(run)
        if not changing.isdisjoint([*words[:1], both]):
            run.effect(ChangesInfrastructure, words[0], "modify")
        elif run.has("--help", "--version") or printing.isdisjoint(
            [*words[:1], both, *run.parsed.flags, "*"]
        ):
            return UNREAD
        else:
            run.effect(ChangesInfrastructure, words[0] if words else run.name, "secret-access")
        return SECRET

    return read


def _with_secrets(run: Run) -> Flow:
    """``op run -- COMMAND``: the command finds secrets among its variables; ``env`` prints them."""
    words = [value.text for value in run.arguments]
    rest = run.arguments[words.index("--") + 1 :] if "--" in words else run.operands[2:]
    code = run.parsed.value("--command")
    flow = run.code(code) if code is not None else run.command(rest) if rest else UNREAD
    if rest and rest[0].text in ("env", "printenv", "set", "export"):
        run.effect(ChangesInfrastructure, run.name, "secret-access")
        return SECRET
    return flow


def _sops(run: Run) -> Flow:
    """``sops -d FILE`` prints a file decrypted; ``exec-env FILE TEXT`` runs a text with it."""
    words = [value.text for value in run.operands[:1]]
    if words in (["exec-env"], ["exec-file"]):
        text = run.operands[-1].text
        if text.split()[:1] in (["env"], ["printenv"], ["set"]) or text.startswith("cat"):
            return secret(run, ".config/sops/age/keys.txt")
        return run.code(run.operands[-1]) if len(run.operands) > 2 else UNREAD
    for value in run.parsed.values("--output"):
        run.path(Writes, value)
    if run.has("-d", "--decrypt") or words == ["decrypt"]:
        for value in run.operands[words == ["decrypt"] :]:
            run.path(Reads, value)
        return secret(run, ".config/sops/age/keys.txt")
    return Flow(None, run.input_labels())


def _key_file(*options: str) -> Reader:
    """Return a reader for a program that decrypts with a private key: ``age -d -i KEY FILE``."""

    def read(run: Run) -> Flow:
        for value in [*run.operands, *run.parsed.values("-i", "--identity")]:
            run.path(Reads, value)
        for value in run.parsed.values("-o", "--output"):
            run.path(Writes, value)
        return secret(run, ".config/age") if run.has(*options) else Flow(None, run.input_labels())

    return read


def _op(run: Run) -> Flow:
    """``op read``, ``op item get`` print secrets; ``op run -- COMMAND`` runs a command that finds
    them among its variables.
    """
    if [value.text for value in run.operands[:1]] == ["run"]:
        secret(run, ".config/op")
        return _with_secrets(run)
    return (
        _stores(
            ".config/op",
            "read item+get document+get inject user+get",
            "item+create item+edit",
            deletes="item+delete",
        )(run)
        or UNREAD
    )


def _docker_store(run: Run) -> Flow:
    """``docker-credential-NAME get``: a helper of docker, as those of git, prints what it keeps."""
    if any(value.text in ("get", "list") for value in run.operands[:1]):
        return secret(run, ".docker/config.json")
    return UNREAD


def _gpg(run: Run) -> Flow:
    """``gpg``: decrypting and exporting private keys give secrets away, the rest does not."""
    has = run.has
    for value in [*run.parsed.values("-o", "--output", "--log-file")]:
        run.path(Writes, value)
    if has(*_GPG_KEYS):
        flow = secret(run, ".gnupg")
    elif has("-d", "--decrypt", "--decrypt-files") or (
        run.operands and run.parsed.flags <= _GPG_MANNERS
    ):
        for value in run.operands:
            run.path(Reads, value)
        flow = secret(run, ".gnupg")
    elif has(
        "--delete-secret-keys",
        "--delete-secret-key",
        "--delete-secret-and-public-keys",
        "--delete-secret-and-public-key",
    ):
        run.path(Deletes, _store(run, ".gnupg"))
        flow = NOTHING
    else:
        for value in (
            run.operands
            if has(
                "-e",
                "-c",
                "-s",
                "-b",
                "-a",
                "--encrypt",
                "--symmetric",
                "--sign",
                "--verify",
                "--dearmor",
            )
            else []
        ):
            run.path(Reads, value)
        return Flow(
            None,
            run.input_labels() - {"secret"}
            if has("-e", "--encrypt", "-c", "--symmetric")
            else run.input_labels(),
        )
    for value in run.parsed.values("-o", "--output"):
        if (path := run.context.normal(value.text, run.cwd)) is not None:
            run.reader.written[path] = flow
    return flow
