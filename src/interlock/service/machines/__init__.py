"""Machines: how they are enrolled and known again."""
