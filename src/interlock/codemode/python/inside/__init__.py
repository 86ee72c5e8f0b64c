"""What runs in the interpreter of a guarded program before the program does. It stands alone: that
interpreter need not have interlock.
"""
