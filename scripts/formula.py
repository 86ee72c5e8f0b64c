"""Print the Homebrew formula of a release: ``python scripts/formula.py SDIST URL``, with
the built sdist and the address it is published at.

For a tap of one's own: PyYAML comes from the index when it is installed, which Homebrew's core does
not allow.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

FORMULA = """\
class Interlock < Formula
  desc "Safety layer between what an AI agent decides and what a machine does"
  homepage "{home}"
  url "{url}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    system Formula["python@3.13"].opt_bin/"python3.13", "-m", "venv", libexec
    system libexec/"bin/python", "-m", "pip", "install", "--quiet", buildpath
    bin.install_symlink libexec/"bin/interlock"
    generate_completions_from_executable(bin/"interlock", "completion",
                                         shells:                 [:bash, :zsh, :fish],
                                         shell_parameter_format: :none)
  end

  def caveats
    <<~EOS
      To protect the agents of this machine:
        interlock init
    EOS
  end

  test do
    assert_match "interlock #{{version}}", shell_output("#{{bin}}/interlock version")
    assert_match "DENY", shell_output("#{{bin}}/interlock check -- 'rm -rf /'", 11)
    assert_match "ALLOW", shell_output("#{{bin}}/interlock check -- 'ls'")
  end
end
"""


def formula(sdist: Path, url: str) -> str:
    """Return the formula of an sdist that is published at an address."""
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    home = url.partition("/releases/")[0].rpartition("/interlock-")[0] or url
    return FORMULA.format(home=home, url=url, digest=digest)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: formula.py SDIST URL")
    print(formula(Path(sys.argv[1]), sys.argv[2]), end="")
