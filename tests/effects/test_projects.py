"""What a project's own files say that a command would run: makefiles, manifests, scripts of every
interpreter.
"""

from __future__ import annotations

import pytest

from interlock.facts.recorded import Recorded
from tests.judging import ROOT, decided, shell

TEXTS = {
    "Makefile": """CC ?= gcc
BUILD := build
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c))
DIR=~/photos
all: $(BUILD)/app
$(BUILD)/app: $(OBJS)
\t$(CC) -o $@ $^
clean:
\trm -rf $(BUILD) $(OBJS) dist
\t-@rm -f *.o
nuke: clean
\trm -rf /srv/data
deploy:
\t@rsync -az dist/ user@web1.test:/var/www
lint:
\tflake8 src && mypy src
fmt: ; black src
old:
\trm -rf $(DIR)
test: lint
\tpytest -q
""",
    "package.json": """{"scripts": {"test": "jest", "pretest": "echo hi", "build": "rm -rf dist && tsc -p .", "clean": "rimraf dist",
    "nuke": "rm -rf ~/photos", "deploy": "aws s3 sync dist s3://b --delete", "start": "node server.js"}}""",
    "justfile": 'build:\n    cargo build\nwipe dir=".":\n    rm -rf /etc/x\n',
    "Taskfile.yml": "version: 3\ntasks:\n  build:\n    cmds:\n      - go build ./...\n  wipe:\n    cmds:\n      - rm -rf /etc/x\n",
    "x.sh": "#!/bin/bash\nset -e\nrm -rf /etc\n",
    "ok.sh": "set -e\nmake lint\n",
    "x.py": 'import shutil; shutil.rmtree("/etc")',
    "x.js": 'require("fs").rmSync("/etc",{recursive:true})',
    "x.pl": 'unlink "/etc/passwd";',
    "x.rb": 'File.delete("/etc/passwd")',
    "x.php": '<?php unlink("/etc/passwd"); ?>',
    "x.lua": 'os.remove("/etc/passwd")',
    "x.tcl": "exec rm -rf /etc",
    "x.R": 'unlink("/etc",recursive=TRUE)',
    "x.el": '(delete-directory "/etc" t)',
    "x.go": 'package main\nimport ("os"; "os/exec")\nfunc main() { os.RemoveAll("/etc"); exec.Command("sh","-c","rm -rf /usr").Run() }\n',
    "X.java": 'public class X { public static void main(String[] a) throws Exception { Files.delete(Path.of("/etc/passwd")); } }',
    "run": '#!/usr/bin/env python3\nimport os; os.remove("/etc/passwd")\n',
    "pkg/__main__.py": 'import os; os.remove("/etc/passwd")',
    "server.js": 'const http=require("http"); http.createServer((q,r)=>r.end("x")).listen(3000)',
    "x.gdb": "break main\nshell rm -rf /etc\n",
}
FACTS = Recorded("/home/user", texts={f"{ROOT}/{name}": text for name, text in TEXTS.items()})

QUIET = """make|make clean|make lint|make fmt|make test|make -n nuke|make install DESTDIR=$PWD/stage|make install PREFIX=./stage|npm test
npm run build
npm run clean|npm start|just build|task build|sh ok.sh|ninja -C build|cmake --install build --prefix "$PWD/stage"|node server.js|python3 -m pytest -q
make missing|npm run missing|./missing.sh|python3 missing.py"""
LOUD = """make nuke|make deploy|make old|make install|npm run nuke|npm run deploy|yarn nuke|yarn run nuke|pnpm nuke|bun run nuke|just wipe
task wipe|bash x.sh|./x.sh
source x.sh|. ./x.sh|python3 x.py|python x.py|node x.js|deno run x.js|perl x.pl|ruby x.rb|php x.php|lua x.lua|tclsh x.tcl|Rscript x.R
emacs --batch -l x.el|go run x.go
java X.java|./run|python3 -m pkg|uv run x.py|poetry run python x.py|cmake --install build|ninja -C build install|meson install -C build
gdb -batch -x x.gdb
env bash x.sh|bash -x x.sh|nohup ./x.sh &|timeout 5 ./x.sh|cat x.sh | sh|bash < x.sh|xargs -n1 ./x.sh"""


def lines(text: str) -> list[str]:
    """Return the commands of a table."""
    return [
        command for line in text.split("\n") for command in line.replace(" | ", " \0 ").split("|")
    ]


@pytest.mark.parametrize("command", [command.replace("\0", "|") for command in lines(QUIET)])
def test_harmless_files_of_the_project_are_run_without_a_question(command: str) -> None:
    """Recipes and scripts that build, test and clean below the workspace stay quiet; so does what
    is not there.
    """
    assert str(decided(shell(command), facts=FACTS).verdict) == "allow"


@pytest.mark.parametrize("command", [command.replace("\0", "|") for command in lines(LOUD)])
def test_what_a_file_of_the_project_does_is_what_the_command_does(command: str) -> None:
    """The text of a recipe or script that is run is judged like the command itself, whoever runs
    it.
    """
    assert str(decided(shell(command), facts=FACTS).verdict) in {"ask", "deny"}
