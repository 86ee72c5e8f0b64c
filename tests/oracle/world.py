"""The little world a command is run in: what lies where, as files on this machine that a sandbox
copies, and as facts for the reader.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import zipfile
from gzip import compress
from typing import TYPE_CHECKING

from interlock.facts import Live
from interlock.model.facts import UNKNOWN, Loss, Process, Repository, Stat, Unknown

if TYPE_CHECKING:
    from pathlib import Path

HOME = "/home/user"
PROJECT = f"{HOME}/project"
REPOSITORY = f"{HOME}/repo"

VARIABLES = {
    "HOME": HOME,
    "USER": "user",
    "LOGNAME": "user",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PWD": PROJECT,
    "SHELL": "/bin/bash",
}

FILES: dict[str, str] = {
    f"{PROJECT}/README.md": "# read me\nold text\n",
    f"{PROJECT}/notes.txt": "one\ntwo\nold\n",
    f"{PROJECT}/my file.txt": "a name with a blank\n",
    f"{PROJECT}/data.csv": "b,2\na,1\nc,3\n",
    f"{PROJECT}/list.txt": "notes.txt\ndata.csv\n",
    f"{PROJECT}/config.json": '{"old": 1}\n',
    f"{PROJECT}/Makefile": "all:\n\techo made > made.txt\nclean:\n\trm -rf build\n",
    f"{PROJECT}/hello.c": "int main(void) { return 0; }\n",
    f"{PROJECT}/run.sh": "#!/bin/sh\necho ran > ran.txt\n",
    f"{PROJECT}/tool.py": "open('made-by-tool.txt', 'w').write('x')\n",
    f"{PROJECT}/src/a.py": "print('old')\n",
    f"{PROJECT}/src/b.py": "print('b')\n",
    f"{PROJECT}/src/lib/c.py": "print('c')\n",
    f"{PROJECT}/docs/guide.md": "old guide\n",
    f"{PROJECT}/docs/extra.md": "extra\n",
    f"{PROJECT}/build/out.o": "object\n",
    f"{PROJECT}/build/sub/deep.o": "object\n",
    f"{PROJECT}/build/app.log": "log\n",
    f"{PROJECT}/fix.diff": "--- notes.txt\n+++ notes.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n old\n",
    f"{HOME}/.bashrc": "alias ll='ls -l'\n",
    f"{HOME}/photos/one.jpg": "picture\n",
    f"{HOME}/photos/two.jpg": "picture\n",
    f"{HOME}/old/thing.txt": "thing\n",
    "/tmp/t.txt": "temporary\n",
    "/tmp/scratch/f1": "1\n",
    "/tmp/scratch/f2": "2\n",
    "/etc/app.conf": "setting=1\n",
    "/etc/passwd": "root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n",
    "/etc/group": "root:x:0:\nuser:x:1000:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/opt/tool/x": "tool\n",
    "/srv/data/y": "data\n",
    "/var/log/app.log": "log\n",
}
PROGRAMS = (f"{PROJECT}/run.sh",)
LINKS: dict[str, str] = {
    f"{PROJECT}/link.txt": "notes.txt",
    f"{PROJECT}/linked": "docs",
    f"{PROJECT}/away": "../photos",
}
EMPTY = (f"{PROJECT}/empty", f"{PROJECT}/node_modules/.bin", "/var/tmp", "/root", "/run")
TOPS = ("home", "tmp", "etc", "opt", "srv", "var", "root", "run")
"""What the sandbox has of its own; everything else in it is this machine's ``/usr``, which it
cannot write.
"""

GIT = """
git init -q -b main . && echo one > one.txt && echo two > two.txt && mkdir sub && echo three > sub/three.txt && printf '*.log\\n' > .gitignore
git add -A && git commit -q -m first && git branch feature && git tag v1
echo more >> one.txt && git commit -q -a -m second
git checkout -q feature && echo f > feature.txt && git add feature.txt && git commit -q -m feature && git branch merged main
git checkout -q main
echo stashed >> two.txt && git stash -q
echo dirty >> one.txt && echo staged > staged.txt && git add staged.txt && echo loose > untracked.txt
mkdir new && echo n > new/n.txt && echo l > x.log
"""


def build(folder: Path) -> None:
    """Put the world below a folder of this machine."""
    for path, text in FILES.items():
        _write(folder, path, text.encode())
    for path, data in _packed().items():
        _write(folder, path, data)
    for path in PROGRAMS:
        (folder / path[1:]).chmod(0o755)
    for path in (*EMPTY, REPOSITORY, *[f"/{top}" for top in TOPS]):
        (folder / path[1:]).mkdir(parents=True, exist_ok=True)
    for path, leads in LINKS.items():
        (folder / path[1:]).symlink_to(leads)
    who = {
        f"GIT_{role}_{what}": f"user{'@host.test' if what == 'EMAIL' else ''}"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    dates = {f"GIT_{role}_DATE": "2026-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    clean = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / HOME[1:]),
        "GIT_CONFIG_NOSYSTEM": "1",
        **who,
        **dates,
    }
    subprocess.run(
        ["/bin/sh", "-ec", GIT],
        cwd=folder / REPOSITORY[1:],
        env=clean,
        check=True,
        capture_output=True,
        timeout=60,
    )


def _write(folder: Path, path: str, data: bytes) -> None:
    place = folder / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def _packed() -> dict[str, bytes]:
    """Return archives: each holds ``unpacked/in.txt`` and ``notes.txt``, so that unpacking here
    makes one and overwrites the other.
    """
    held = {"unpacked/in.txt": b"in\n", "notes.txt": b"from the archive\n"}
    tar, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, data in held.items():
            item = tarfile.TarInfo(name)
            item.size = len(data)
            archive.addfile(item, io.BytesIO(data))
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    return {
        f"{PROJECT}/a.tar": tar.getvalue(),
        f"{PROJECT}/a.tgz": compress(tar.getvalue()),
        f"{PROJECT}/a.zip": zipped.getvalue(),
        f"{PROJECT}/packed.txt.gz": compress(b"packed\n"),
    }


class World(Live):
    """The world below ``folder``, answering what the reader may ask (``model.facts.Facts``): a real
    disk, and nothing of sessions.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(HOME)
        self.folder = folder
        self.paths = frozenset({"/" + str(path.relative_to(folder)) for path in folder.rglob("*")})

    def has(self, path: str) -> bool:
        """Whether something is at a path before the command runs."""
        return path in self.paths

    def variable(self, name: str) -> str | Unknown:
        """Return what the sandbox sets."""
        return VARIABLES.get(name, UNKNOWN)

    def real(self, path: str) -> str | Unknown:
        """Follow links; all links of the world are relative."""
        real = os.path.realpath(f"{self.folder}{path}")
        return real.removeprefix(os.path.realpath(self.folder)) or "/"

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is there."""
        return (
            UNKNOWN
            if path.startswith(("/usr", "/bin", "/lib", "/dev", "/proc"))
            else super().stat(f"{self.folder}{path}")
        )

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the names in a folder."""
        return (
            UNKNOWN
            if path.startswith(("/usr", "/bin", "/lib", "/dev", "/proc"))
            else super().names(f"{self.folder}{path}")
        )

    def text(self, path: str) -> str | Unknown:
        """Return the text of a file."""
        return super().text(f"{self.folder}{path}")

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the one repository, or none."""
        return (
            Repository(REPOSITORY, branch="main")
            if path == REPOSITORY or path.startswith(REPOSITORY + "/")
            else None
        )

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """Return what git could not bring back, as it is found on a real disk."""
        return Live(str(self.folder) + HOME).loss(f"{self.folder}{path}", of)

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the tracked files that differ, as they are found on a real disk."""
        return self._named(Live(str(self.folder) + HOME).find_altered(f"{self.folder}{path}"))

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the new files, as they are found on a real disk."""
        return self._named(Live(str(self.folder) + HOME).untracked(f"{self.folder}{path}"))

    def _named(self, found: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
        return (
            tuple([one.removeprefix(str(self.folder)) for one in found])
            if isinstance(found, tuple)
            else found
        )

    def process(self, pid: str) -> Process | Unknown:
        """Nothing is known of processes."""
        del pid
        return UNKNOWN

    def own_code(self) -> tuple[str, ...]:
        """The guard is not in the sandbox."""
        return ()
