"""Guarded code mode: programs that agents write run with a question before each sensitive
operation, and behind walls of the kernel.
"""
