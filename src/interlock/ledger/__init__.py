"""What sessions are remembered by: workspaces, marks on what their calls touched, goals that were
refused. Here the labels of marks.
"""

SECRET_READ, FORGOTTEN, DOWNLOADED, UNPACKED, SECRET = (
    "secret-read",
    "forgotten",
    "downloaded",
    "unpacked",
    "secret",
)
CHANGED_HOOK = "changed-hook"
"""These tighten: of the session, of files from the network, of files that hold a secret; and of
hooks of git that a call wrote.
"""
MADE, STARTING, PID_FILE, STARTED = "made", "starting", "pid-file", "started"
"""These loosen, once the call that they are of is known to have run."""
AGREED, NAMED, JOINED = "agreed", "named", "joined"
"""These loosen as well: what a person said yes to, with the rule that asked behind it, folders that
they named in a prompt, and a project that their yes made part of the workspace.
"""
MOVED_IN, MOUNTED = "moved-in", "mounted"
"""These undo ``made``."""
COMMITTED = "committed-secret"
"""This tightens, too, where its call is known to have run, or nobody will say: a repository holds a
secret, whose path stands behind it.
"""
TIGHTENING = frozenset(
    {SECRET_READ, DOWNLOADED, UNPACKED, SECRET, MOVED_IN, MOUNTED, CHANGED_HOOK, COMMITTED}
)
"""What a later call must not be judged without."""


def name_of(label: str) -> str:
    """Return a label without what stands behind it."""
    return label.partition(" ")[0]
