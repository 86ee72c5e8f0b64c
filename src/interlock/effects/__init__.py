"""A call to its effects, purely: the world is asked through ``Facts`` only."""
