"""People are told: on their terminals, on their desktop, by a web hook or a chat. Whoever tells
waits for nobody.
"""


class NotificationError(Exception):
    """Something could not be told; the text says by which way and why, not the address."""
