"""Python programs under guard: the real interpreter, with an audit hook and walls of the kernel
around it.
"""
