"""The made-up week of ``interlock serve --demo``: five machines, and what agents asked for there.
None of it is run: each line is judged as a real call is.
"""

from __future__ import annotations

from interlock.data.texts import read_text
from interlock.data.words import sections
from interlock.model.record import Record


class Made(Record):
    """A machine that there is not. ``guard``: how its guard is shown; ``quiet``: hours since it was
    last heard of; ``works``: which of ``TASKS`` its agents do.
    """

    name: str
    user: str
    platform: str
    team: str
    agent: str
    project: str
    guard: str
    works: str
    quiet: int = 0

    @property
    def home(self) -> str:
        """Its user's home folder."""
        return f"{'/Users' if self.platform == 'darwin' else '/home'}/{self.user}"

    @property
    def root(self) -> str:
        """The folder that its agent works in."""
        return f"{self.home}/{self.project}"


MACHINES = (
    Made("mbp-ada", "ada", "darwin", "web", "claude-code", "shop", "proven", "web"),
    Made("lin-grace", "grace", "linux", "data", "codex", "pipelines", "proven", "data"),
    Made("dev-box-03", "kim", "linux", "web", "gemini", "shop-api", "drifted", "api"),
    Made("ci-runner-7", "runner", "linux", "ci", "claude-code", "build", "disarmed", "ci"),
    Made("mbp-ben", "ben", "darwin", "data", "opencode", "reports", "silent", "data", 19),
)
PEOPLE = (
    ("grace", "Grace", (("reader", ""), ("approver", "lead"))),
    ("kim", "Kim", (("reader", ""), ("operator", ""))),
    ("ben", "Ben", (("reader", ""), ("approver", "dba"), ("policy-owner", ""))),
)


def _tasks(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the tasks of a text, which blank lines keep apart."""
    return tuple([tuple(one.splitlines()) for one in text.strip().split("\n\n")])


TASKS = {name: _tasks(text) for name, text in sections(read_text("demo-week.txt"))}
"""What is asked for, task by task. ``$``: a command; ``settings``: an agent that would switch its
own guard off.
"""
WAITING = (
    ("ci-runner-7", "$ gcloud compute instances delete web-1 --quiet"),
    ("lin-grace", "$ psql $WAREHOUSE -c 'DROP TABLE orders_old'"),
    ("dev-box-03", "$ terraform apply -auto-approve"),
    ("ci-runner-7", "$ git push --force origin main"),
)
"""Calls of agents at whose machine nobody sits: they wait in the inbox."""
