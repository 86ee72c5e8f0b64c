"""What runs inside a new process before the program does. Each module stands alone, for it is also
loaded by interpreters without interlock.
"""
