"""People are told: on their terminals, on their desktop, by a web hook or a chat. Whoever tells
waits for nobody.
"""


class NotificationError(Exception):
    """Something could not be told; the text is one sentence that says by which way and why, without
    the address.
    """
