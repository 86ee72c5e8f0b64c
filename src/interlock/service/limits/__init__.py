"""Limits that machines share: each has leases, and all leases and what was used are the limit."""
