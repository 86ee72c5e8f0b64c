"""People are told on terminals, desktops, by web hook or chat. Whoever tells waits for nobody."""


class NotificationError(Exception):
    """Something could not be told; the text says by which way and why, not the address."""
