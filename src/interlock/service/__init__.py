"""``interlock serve``: the record of many machines in one place, and a console over it."""
