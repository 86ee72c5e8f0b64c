"""What all tests share: hypothesis with the same examples every time and without a deadline, for a busy machine is no failure.

``INTERLOCK_FUZZ=1`` (``make fuzz``) looks for new examples instead.
"""

import os

from hypothesis import settings

settings.register_profile("interlock", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile("fuzz" if os.environ.get("INTERLOCK_FUZZ") else "interlock")
