"""Walls of the kernel around a process: what it may reach, how much it may use. Knows paths and
numbers, no policy and no agent.
"""
