"""Python programs under guard: the real interpreter, an audit hook and walls of the kernel."""
