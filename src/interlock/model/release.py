"""Which release this is; the build reads it here, and so does `interlock version`."""

__version__ = "0.1.0"
