"""Whether what was installed is still there: what was written down at the installation, what was
last seen, and what ran meanwhile.
"""
