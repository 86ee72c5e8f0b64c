"""The emergency stop: what is stopped until a person resumes it, with its processes."""


class StopError(Exception):
    """Something could not be stopped or resumed; the text says what and why."""
