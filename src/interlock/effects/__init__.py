"""A call to its effects: what it would do to the world. Pure; the world is asked through ``Facts``
only.
"""
