"""The emergency stop: what is stopped until a person resumes it, and the processes that go with
it.
"""


class StopError(Exception):
    """Something could not be stopped or resumed; the text is one sentence that says what and
    why.
    """
