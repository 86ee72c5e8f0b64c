"""People's answers to what asks: requests that wait, approvals that are spent once, grants that
count for a session or a project.
"""
