"""Of the programs that people and agents use most, every option is known."""

from __future__ import annotations

import pytest

from interlock.data import options, programs
from interlock.effects.programs import table
from tests.data.test_options import every

MOST_USED = """
    find echo ls git grep cd sort awk npm javac kubectl python xargs rm cat sudo ip wc pip java
    head sed terraform uniq md5sum diff mvn pytest du tr bash mkdir apt-get uv command cut make
    cargo vite printf set fd curl ruff ps chmod export tail go env [ dd dmesg sh od tsc mv stat
    parted mypy mount touch tar mvnw rg pgrep systemctl tee vitest cp python3 jq man dirname
    timeout break seq zgrep test which node journalctl fdisk df hexdump exit unzip basename uname
    eslint tree shellcheck tput sleep scc rustc script cal apt mocha black ninja objdump file pwd
    dirs gofmt base64 zcat tac flake8 units shfmt numfmt figlet lscpu declare gawk hyperfine iconv
    zsh chown wget mkfs.ext4 pushd uptime ts-node hlint expr rustfmt cowsay : whatis ffprobe
    redis-cli sha1sum let shuf toilet nm comm fmt ctags type locale eval mdimport psql gzip column
    date source pip3
""".split()
"""Of the 220 programs that the labelled corpora use most, those that are whole."""
OF_OTHER_VERSIONS = {"kubectl": 3, "terraform": 2, "cargo": 3, "vite": 3}
"""Subcommands that the program's own help does not list: those of other versions and of plugins."""


def gaps(name: str) -> int | None:
    """Return of how many subcommands not every option is known; None where the program's are not."""
    one, known = programs.find(table.canonical(name)), options.find(name)
    if one is not None and one.whole:
        return 0
    if known is None or not known.top.whole:
        return None
    return sum(not node.whole for node in every(known.top))


@pytest.mark.parametrize("name", MOST_USED)
def test_every_option_is_known(name: str) -> None:
    """So one that is not listed is noticed, and a call without one can be proven harmless."""
    assert gaps(name) == OF_OTHER_VERSIONS.get(name, 0)


def test_how_many() -> None:
    """What is not whole is told."""
    assert len(set(MOST_USED)) >= 150
    assert gaps("helm") is None
