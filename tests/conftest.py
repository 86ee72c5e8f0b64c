"""What all tests share: hypothesis with the same examples every time and without a deadline, for a busy machine is no failure.

``INTERLOCK_FUZZ=1`` (``make fuzz``) looks for new examples instead.

Signals are as a terminal leaves them: what is started in the background of a script ignores Ctrl-C, and hands that on to every program it starts.
"""

import os
import signal

from hypothesis import settings

settings.register_profile("interlock", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile("fuzz" if os.environ.get("INTERLOCK_FUZZ") else "interlock")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for quiet in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(quiet) is signal.SIG_IGN:
        signal.signal(quiet, signal.SIG_DFL)
