"""Decisions over HTTP: ``/v1/decide`` and what became of calls, and the same by AuthZEN."""
