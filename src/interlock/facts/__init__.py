"""The door to the world: ``Live`` asks the disk, ``Recorded`` notes (replay, corpora, tests)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.facts.live import Live
    from interlock.facts.recorded import Recorded

__all__ = ["Live", "Recorded"]


def __getattr__(name: str) -> object:
    if name == "Live":
        from interlock.facts.live import Live

        return Live
    if name == "Recorded":
        from interlock.facts.recorded import Recorded

        return Recorded
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
