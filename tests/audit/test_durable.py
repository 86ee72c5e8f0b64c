"""How safe a record is before the answer goes out: as the policy says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.cli import build

if TYPE_CHECKING:
    from pathlib import Path


def test_a_record_is_on_the_disk_where_the_policy_says_so(tmp_path: Path) -> None:
    """From the next call on, and back (SQLite, ``PRAGMA synchronous``: 2 waits for the disk, 1 does
    not).
    """
    file = tmp_path / ".config/interlock/policy.yaml"
    file.parent.mkdir(parents=True)
    levels = []
    for word in ("batch", "always", "batch"):
        file.write_text(f"version: 1\naudit: {{durable: {word}}}\n")
        guard = build.guard({"HOME": str(tmp_path)})
        assert guard.audit is not None
        levels += guard.audit.store.query("PRAGMA synchronous")
    assert levels == [(1,), (2,), (1,)]
