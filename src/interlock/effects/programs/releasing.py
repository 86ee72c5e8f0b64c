"""Programs that publish a release: of packages, of a whole repository."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import Publishes
from interlock.shell.value import UNREAD, Flow


def twine(run: Run) -> Flow:
    """``twine upload FILE..``: to PyPI, or to the registry that an option names."""
    if run.operands and run.operands[0].text in ("upload", "register"):
        target = run.parsed.value("--repository-url", "-r", "--repository")
        run.effect(Publishes, target.text if target is not None else "pypi", "package")
    return UNREAD


def goreleaser(run: Run) -> Flow:
    """``goreleaser release``, ``lerna publish``: a verb publishes, unless nothing leaves the
    machine; ``lerna exec -- COMMAND`` runs one.
    """
    if [value.text for value in run.operands[:1]] == ["exec"] and run.name == "lerna":
        return run.command(run.operands[1:])
    if (
        run.operands
        and run.operands[0].text in ("release", "publish", "version", "bump-and-publish")
        and not run.has("--snapshot", "--skip-publish", "--dry-run", "--no-push")
    ):
        run.effect(Publishes, run.name, "release")
    return UNREAD


def release_tool(run: Run) -> Flow:
    """``semantic-release``, ``np``, ``release-it``: they publish, unless it is only tried."""
    if not run.has("--dry-run", "--preview", "--version", "--help"):
        run.effect(Publishes, run.name, "release")
    return UNREAD
