"""Programs that ask for decisions: what they claim, what is remembered of them, their record, and
the guard that judges their calls.
"""
