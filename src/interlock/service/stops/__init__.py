"""The emergency stop of machines, and who has confirmed it."""
