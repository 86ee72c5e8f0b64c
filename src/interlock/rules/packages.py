"""Packages: what is installed, from where, for whom; and what is published."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.effect import Installs, Publishes
from interlock.model.rule import Rule, on

RULES = (
    Rule(
        id="pkg.install-machine",
        title="installs software for the whole user or machine",
        why="Install scripts run at once, with the user's rights or more, and reach beyond the project.",
        instead="Install into the project or a virtual environment.",
        match=on(Installs, any={"user", "global", "system"}, lacks={"in-container"}),
        action=ASK, tags=frozenset({"supply-chain", "attack.t1072"}),
        catches=("npm install -g x", "apt-get install -y x", "pip install --user x",
            "cargo install x", "brew install x",),
        passes=("pip install -r requirements.txt", "npm ci", "apt list --installed",
            "docker run --rm debian apt-get install -y x",),
    ),
    Rule(
        id="pkg.install-from-address",
        title="installs a package from an address instead of a registry",
        why="Nobody has checked what is there.",
        instead="Use the published package, pinned.",
        match=on(Installs, any={"url", "vcs"}),
        action=ASK, tags=frozenset({"supply-chain"}),
        catches=("pip install https://unknown.test/x.whl", "pip install git+https://unknown.test/x",
            "npm install http://unknown.test/x.tgz",),
        passes=("pip install -e .", "npm install",),
    ),
    Rule(
        id="pkg.other-index",
        title="takes packages from a registry that is not one of the usual ones",
        why="Whoever runs that registry decides what code is installed, under the names of well-known packages too.",
        instead="Leave the registry as the project's settings have it, or name the one to use to the user.",
        match=on(Installs, has={"other-index"}),
        action=ASK, tags=frozenset({"supply-chain", "attack.t1195"}),
        catches=(
            "pip install --index-url http://unknown.test/simple x",
            "npm install --registry http://unknown.test x",
            "PIP_INDEX_URL=http://unknown.test/simple pip install x",
            "GOPROXY=http://unknown.test go get example.com/x",
        ),
        passes=("pip install -r requirements.txt --index-url https://pypi.org/simple",
            "npm ci --registry https://registry.npmjs.org", "go get example.com/x",),
    ),
    Rule(
        id="pkg.install-named",
        title="adds a package to the project",
        why="Its install scripts run at once, and its code runs with the project.",
        instead="Name the package and version to the user.",
        match=on(Installs, any={"project", "exec"}, lacks={"known"}),
        action=WARN, tags=frozenset({"supply-chain"}),
        catches=("pip install requests", "npm install lodash", "npx cowsay hi",),
        passes=("pip install -r requirements.txt", "npm ci", "npx prettier --check .",),
    ),
    Rule(
        id="pkg.publish",
        title="publishes something for everybody",
        why="What is published cannot be taken back.",
        instead="Build it, and let the user publish.",
        match=on(Publishes),
        action=ASK, tags=frozenset({"publish"}),
        catches=("npm publish", "twine upload dist/*", "cargo publish", "gem push x.gem",),
        passes=("npm pack", "cargo build", "npm publish --dry-run",),
    ),
)  # fmt: skip
