"""Programs that compress and decompress single files."""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.programs.streams import flow_of
from interlock.effects.run import Run
from interlock.model.effect import Deletes, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

MAX_DATA = 256 * 1024


def _compress(run: Run) -> Flow:
    """Gzip and kin: files are replaced; a pipe, or ``-c``, prints. The known is decompressed."""
    unpacks = (
        run.name.startswith(("gun", "bun", "un", "lunz"))
        or run.name.endswith("cat")
        or run.has("-d", "--decompress", "--uncompress")
    )
    operands = [value for value in run.operands if value.text != "-"]
    if run.has("-l", "--list", "-t", "--test", "-V", "--version", "-h", "--help"):
        return UNREAD
    if not operands:
        flow = run.stdin if run.stdin is not None else UNREAD
        return decompress_flow(flow) if unpacks else Flow(None, flow.labels)
    prints = run.has("-c", "--stdout", "--to-stdout") or run.name.endswith("cat")
    for value in operands:
        run.path(Reads, value, *([] if unpacks or prints else ["archived"]))
    for value in run.parsed.values("--output-dir-flat", "--output-dir-mirror", "--trace"):
        run.path(Writes, value, "create")
    output = run.parsed.value("-o", "--output")
    if (
        output is None
        and "lz4" in run.name
        and len(operands) > 1
        and not run.has("-m", "--multiple", "-r")
    ):
        output = operands[1]
    if output is not None:
        run.path(Writes, output)
        return NOTHING
    if prints:
        flow = run.all_contents(operands)
        return decompress_flow(flow) if unpacks else Flow(None, flow.labels)
    _in_place(run, operands, unpacks=unpacks)
    return NOTHING


_ENDS = values("compression", "ends")


def _in_place(run: Run, operands: list[Value], *, unpacks: bool) -> None:
    keeps = run.has("-k", "--keep") or run.name in ("zstd", "unzstd", "lz4", "brotli", "lzop")
    suffix = run.parsed.value("-S", "--suffix")
    end = suffix.text if suffix is not None and not unpacks else _ENDS.get(run.name, ".gz")
    for value in operands:
        name = (
            value.text.rpartition(".")[0]
            if unpacks and "." in value.text.rpartition("/")[2]
            else value.text + end
        )
        run.path(
            Writes,
            Value(name or value.text, value.start, value.end, value.why, value.pattern),
            "in-place",
        )
        if (
            not keeps
            or run.has("--rm")
            or (run.name == "brotli" and run.has("-j"))
            or (run.name == "lzop" and run.has("-U", "--delete"))
        ):
            run.path(
                Deletes, value, "moved", *(["recursive"] if run.has("-r", "--recursive") else [])
            )


def decompress_flow(flow: Flow) -> Flow:
    """Return what known compressed bytes hold (gzip, zlib, bzip2, xz), at most 256 KiB; else
    something unknown that was decoded.
    """
    labels = flow.labels | {"decoded"}
    return flow_of(_inflate(flow.data), labels) if flow.data else Flow(None, labels)


def _inflate(data: bytes) -> bytes | None:
    try:
        if data[:2] == b"BZ":
            import bz2

            return bz2.BZ2Decompressor().decompress(data, MAX_DATA)
        if data[:6] == b"\xfd7zXZ\x00" or data[:1] == b"]":
            import lzma

            return lzma.LZMADecompressor().decompress(data, MAX_DATA)
        import zlib

        return zlib.decompressobj(47).decompress(data, MAX_DATA)
    except (ValueError, OSError, EOFError, MemoryError):
        return None
    except Exception as problem:  # zlib.error and LZMAError have no common parent but Exception
        if type(problem).__name__ in ("error", "LZMAError"):
            return None
        raise
