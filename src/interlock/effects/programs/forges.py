"""The command lines of forges: ``gh``, ``hub``, ``glab`` and their like."""

from __future__ import annotations

from interlock.effects.programs.cloud import cloud
from interlock.effects.programs.gitstaged import add_push_secrets
from interlock.effects.programs.sending import (
    SPOKEN,
    arrive,
    download,
    file_carries,
    keeps,
    word_carries,
)
from interlock.effects.run import Run
from interlock.model.effect import (
    ChangesInfrastructure,
    Reads,
    Writes,
)
from interlock.shell.value import UNREAD, Flow, Value


def _api(run: Run) -> Flow:
    """``gh api PATH``: reading unless a method or a field says otherwise."""
    method = run.parsed.value("-X", "--method")
    fields = run.has("-f", "-F", "--field", "--raw-field", "--input")
    name = method.text.upper() if method is not None else ("POST" if fields else "GET")
    if name != "GET" and not (
        run.operands[1:2]
        and run.operands[1].text == "graphql"
        and name == "POST"
        and "mutation" not in _words(run)
    ):
        run.effect(
            ChangesInfrastructure,
            " ".join([value.text for value in run.operands[:2]]),
            "delete" if name == "DELETE" else "modify",
            detail=name,
        )
    return UNREAD


def _words(run: Run) -> str:
    return " ".join([value.text for value in run.arguments])


def _says(run: Run) -> None:
    """Add what a comment or description carries from elsewhere (``-F FILE``, ``--body "$(cat
    FILE)"``): secrets and files from outside.
    """
    carries: set[str] = set()
    for value in run.parsed.values("-F", "--body-file", "--notes-file"):
        carries |= file_carries(run, value)
    for value in run.parsed.values(*SPOKEN):
        carries |= {"carries-secret"} if keeps(run, value) else word_carries(run, value)
    if "carries-token" in carries:
        # such a service is one that is known, and what is said there is read by others
        carries.add("carries-secret")
    found = carries & {"carries-secret", "carries-outside", "carries-environment"}
    if found:
        run.sends("github.com" if run.name != "glab" else "gitlab.com", "post", *found)


def _hub(run: Run) -> Flow:
    """hub(1) hands what it does not know itself to git."""
    from interlock.effects.programs.table import below  # few have it

    first = run.operands[0].text if run.operands else ""
    if below("git", first) is not None:
        return run.command([Value("git"), *run.arguments])
    return _gh(run)


def _gh(run: Run) -> Flow:
    if run.operands and run.operands[0].text == "api":
        return _api(run)
    words: list[Value] = run.operands
    if (
        [value.text for value in words[:2]] == ["alias", "set"]
        and words[3:]
        and (words[3].text[:1] == "!" or run.has("-s", "--shell"))
    ):
        # it runs whenever somebody says the name
        return run.code(
            Value(words[3].text.lstrip("!"), words[3].start, words[3].end, words[3].why)
        )
    if [value.text for value in words[:2]] in (
        ["pr", "checkout"],
        ["pr", "co"],
        ["mr", "checkout"],
    ):
        # git is what changes the work tree
        return run.command([Value("git"), Value("checkout"), Value("a-pull-request")])
    if words and words[0].text in ("pr", "issue", "mr", "release"):
        _says(run)
    if [value.text for value in words[:2]] in (
        ["repo", "clone"],
        ["release", "download"],
        ["run", "download"],
    ):
        return _fetch(run, words)
    if len(words) > 1 and words[0].text == "gist" and words[1].text == "create":
        for value in words[2:]:
            run.path(Reads, value, "sent")
        run.sends("gist.github.com", "upload", "carries-workspace")
    if [value.text for value in words[:2]] in (["pr", "create"], ["mr", "create"]) or run.has(
        "--push"
    ):
        add_push_secrets(run, run.name, named=False)  # they push the branch, if nobody has
    return cloud(run)


def _fetch(run: Run, words: list[Value]) -> Flow:
    """``gh repo clone`` (git's); ``release download`` and ``run download`` bring files."""
    if words[0].text == "repo":
        address = words[2:3]
        if address and "://" not in address[0].text and "@" not in address[0].text:
            address = [
                Value(
                    f"https://github.com/{address[0].text}",
                    address[0].start,
                    address[0].end,
                    address[0].why,
                )
            ]
        return run.command([Value("git"), Value("clone"), *address, *words[3:]])
    folder = next(iter(run.parsed.values("-D", "--dir")), Value("."))
    named = [*run.parsed.values("-O", "--output"), *run.parsed.values("-p", "--pattern")]
    for value in named:
        download(
            run, folder, name=value.text
        ) if not value.pattern and "*" not in value.text else arrive(
            run, run.path(Writes, folder, "downloaded")
        )
    if not named:
        download(run, folder, "recursive")
    return UNREAD
