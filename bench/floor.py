"""What nothing can be quicker than: the cheapest programs that ask somebody else, as ratios.

    python -m bench.floor [ROUNDS] [--compiler "python -m ziglang cc -target x86_64-linux-musl"]

A static C program connects to a socket and writes what an idle process answers at once, one in C
and one in Python; the same within a shell, as a client starts a hook. Each round starts every line
once, in turn. Beside the median of whole processes stands the time of the processor that they took,
which other work on the machine changes less. A program of another C library than the system's
starts at another price: ``--compiler``.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTHING = "int main(void) { return 0; }\n"
ASKING = """
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(int count, char **words) {
    char text[4096];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) return 3;
    strcpy(address.sun_path, words[1]);
    int asked = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(asked, (struct sockaddr *)&address, sizeof address)) return 3;
    if (write(asked, "x", 1) != 1) return 3;
    return read(asked, text, sizeof text) > 0 ? 0 : 3;
}
"""
ANSWERING = """
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(int count, char **words) {
    char text[4096];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) return 3;
    strcpy(address.sun_path, words[1]);
    int at = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(at, (struct sockaddr *)&address, sizeof address) || listen(at, 64)) return 3;
    for (;;) {
        int one = accept(at, 0, 0);
        if (read(one, text, sizeof text) > 0 && write(one, "100 0 0\\n", 8) != 8) return 3;
        close(one);
    }
}
"""
IN_PYTHON = """
import socket, sys
at = socket.socket(socket.AF_UNIX)
at.bind(sys.argv[1])
at.listen(64)
while True:
    one = at.accept()[0]
    one.recv(65536)
    one.sendall(b"100 0 0\\n")
    one.close()
"""


def built(folder: str, compiler: list[str]) -> None:
    """Compile the programs into a folder."""
    for name, text in (("nothing", NOTHING), ("ask", ASKING), ("answer", ANSWERING)):
        source = f"{folder}/{name}.c"
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(
            [*compiler, "-O2", "-s", "-static", "-o", f"{folder}/{name}", source], check=True
        )


@contextmanager
def answering(folder: str) -> Iterator[None]:
    """Have both processes listen."""
    started = [
        subprocess.Popen([f"{folder}/answer", f"{folder}/c"]),
        subprocess.Popen([sys.executable, "-I", "-S", "-c", IN_PYTHON, f"{folder}/python"]),
    ]
    try:
        while not (os.path.exists(f"{folder}/c") and os.path.exists(f"{folder}/python")):
            time.sleep(0.05)
        time.sleep(0.2)
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def lines(folder: str) -> dict[str, list[str]]:
    """Return what is timed; every ratio is to the first."""
    ask = f"{folder}/ask {folder}"
    return {
        "/bin/true": ["/bin/true"],
        "a static program that does nothing": [f"{folder}/nothing"],
        "one that asks a process in C": shlex.split(f"{ask}/c"),
        "one that asks a process in Python": shlex.split(f"{ask}/python"),
        "sh -c true": ["/bin/sh", "-c", "true"],
        "sh that becomes the static program": ["/bin/sh", "-c", f"exec {folder}/nothing"],
        "sh that starts it": ["/bin/sh", "-c", f"{folder}/nothing; exit $?"],
        "sh that takes its output": ["/bin/sh", "-c", f"said=$({folder}/nothing); exit $?"],
        "sh that takes the answer of C": ["/bin/sh", "-c", f"said=$({ask}/c); exit $?"],
        "sh that takes the answer of Python": ["/bin/sh", "-c", f"said=$({ask}/python); exit $?"],
    }


def run(argv: list[str]) -> tuple[float, float]:
    """Run one line; return its milliseconds, and those that a processor was at work for it."""
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    begun = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, {"PATH": os.defpath}, file_actions=null)
    _, status, used = os.wait4(pid, 0)
    spent = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{shlex.join(argv)} ended with {status}")
    return 1000 * spent, 1000 * (used.ru_utime + used.ru_stime)


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("rounds", nargs="?", type=int, default=200)
    options.add_argument("--compiler", default="cc")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        built(folder, shlex.split(given.compiler))
        with answering(folder):
            timed = lines(folder)
            took: dict[str, list[tuple[float, float]]] = {name: [] for name in timed}
            for _ in range(given.rounds):
                for name, argv in timed.items():
                    took[name].append(run(argv))
    middles = {name: statistics.median([one[0] for one in some]) for name, some in took.items()}
    used = {name: statistics.mean([one[1] for one in some]) for name, some in took.items()}
    first = next(iter(timed))
    print(f"{'':38}{'median ms':>10}{'ratio':>7}{'processor ms':>14}{'ratio':>7}")
    for name, middle in middles.items():
        print(
            f"{name:38}{middle:10.2f}{middle / middles[first]:7.2f}"
            f"{used[name]:14.2f}{used[name] / used[first]:7.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
