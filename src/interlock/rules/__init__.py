"""The catalogue: rows only, one module per family."""
