"""People: how they sign in."""
