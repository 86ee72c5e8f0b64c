"""What all tests share: hypothesis without a deadline, for a busy machine is no failure; where a machine judges, the same examples every time."""

import os

from hypothesis import settings

settings.register_profile("interlock", deadline=None)
settings.register_profile("interlock-ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("interlock-ci" if os.environ.get("CI") else "interlock")
