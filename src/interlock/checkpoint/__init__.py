"""Checkpoints of a workspace, kept outside it, and the way back to one. Nothing here runs git, or
anything that a repository configures.
"""


class CheckpointError(Exception):
    """No checkpoint could be taken, or one could not be read or gone back to; the text is one
    sentence that says why.
    """
