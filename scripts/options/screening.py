"""Which options of a program that nobody went through may be listed: those whose name and
description tell of nothing that is done beside the program's own work.

An option that is left out is not known, so a call with it is never proven harmless. That is the
whole effect: what it does is judged as before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_DOES = frozenset(
    "exec execute command commands cmd run runs hook hooks plugin plugins load loads script"
    " scripts eval evaluate code upload push publish deploy remote host hosts hostname listen"
    " bind address port ports server serve daemon expose share public tunnel delete deletes"
    " remove removes purge prune erase wipe destroy drop uninstall install installs global"
    " login logout token password passwd passphrase secret secrets key keys keyring auth"
    " authentication credential credentials proxy registry url uri edit editor pager browser"
    " shell program interpreter launcher wrapper root destdir sysroot library libraries module"
    " modules require import preload agent jvm javaagent sudo setuid unsafe insecure trust"
    " untrusted yes overwrite overwrites reset send sends mail post put broadcast sync mirror"
    " network download downloads fetch pull clone repository repo system home user users owner"
    " chown setup configure rc rcfile environment env java move rename filter filters backup"
    " restore socket connect connection ssh ftp http https database kill signal stop shutdown"
    " reboot attach privileged mount device copy extension extensions linker compiler cc cxx"
    " toolchain make with".split()
)
"""Words that tell that more is done, or that code or settings come from where the value says."""


def acts(names: Iterable[str], about: str) -> bool:
    """Whether an option of these names, described so, may do something by itself."""
    words = {word for name in names for word in re.split(r"[^a-z]+", name.lower())}
    return not _DOES.isdisjoint(words) or not _DOES.isdisjoint(re.split(r"[^a-z]+", about.lower()))
