"""The hashes BLAKE2b and BLAKE2s (RFC 7693), without what ``hashlib`` imports besides."""

from __future__ import annotations

try:
    from _blake2 import blake2b, blake2s
except ImportError:
    from hashlib import blake2b, blake2s

__all__ = ["blake2b", "blake2s"]
