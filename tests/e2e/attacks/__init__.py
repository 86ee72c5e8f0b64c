"""Attack programs of our own, as rows: each with a twin that is permitted."""
