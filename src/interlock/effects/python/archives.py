"""Archives and compressed files: what goes into them keeps its labels, and what of it is read says
that it was packed.
"""

from __future__ import annotations

from interlock.effects.programs.bringing import ALL, ArchiveSelection, bring_members
from interlock.effects.python.call import PyCall
from interlock.effects.python.files import open_file, remember
from interlock.effects.python.values import (
    UNKNOWN,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
)
from interlock.model.effect import Reads, Writes
from interlock.shell.value import HOLE, Flow

_FORMATS = {
    "zip": ".zip",
    "tar": ".tar",
    "gztar": ".tar.gz",
    "bztar": ".tar.bz2",
    "xztar": ".tar.xz",
}


def _archive(call: PyCall) -> PyValue | None:
    """``zipfile.ZipFile(path, mode)``, ``tarfile.open(path, mode)``: read, or made."""
    path = call.argument(0, "file", "name")
    mode = text_of(call.argument(1, "mode") or PyValue("r"))
    target = call.keywords.get("fileobj") or path
    if target is None:
        return PyValue(KnownObject("archive"))
    if not is_text(target.value):
        inner = target.value
        if not (isinstance(inner, KnownObject) and inner.kind == "path"):
            return PyValue(
                KnownObject(
                    "archive", dict(inner.fields) if isinstance(inner, KnownObject) else None
                )
            )
    if mode[:1] not in ("w", "a", "x"):
        call.path(Reads, target)
        return PyValue(
            KnownObject("archive", {"source": target}), call.run.contents(call.word(target)).labels
        )
    effect = call.path(Writes, target, *(["append"] if mode[:1] == "a" else []))
    name = effect.target if effect is not None else ""
    if name:
        call.run.reader.written[name] = Flow(None)
    return PyValue(KnownObject("archive", {"target": PyValue(name)}))


def _add(call: PyCall) -> PyValue | None:
    """``archive.write(path)``, ``archive.add(path)``: the file goes in."""
    path = call.argument(0, "filename", "name")
    if path is not None:
        _pack_paths(call, path)
    return None


def _pack_paths(call: PyCall, path: PyValue, *, kept: bool = True) -> None:
    for one in path.value if isinstance(path.value, list) else [path]:
        if call.path(Reads, one, "archived") is not None and kept:
            target = call.field("target")
            flow = (
                call.run.contents(call.word(one))
                if HOLE not in text_of(one)
                else Flow(None, one.labels)
            )
            remember(
                call,
                text_of(target) if target is not None else "",
                PyValue(UNKNOWN, flow.labels | labels_of([one])),
            )


def _add_text(call: PyCall) -> PyValue | None:
    target, data = call.field("target"), call.argument(1, "data")
    if target is not None and data is not None:
        remember(call, text_of(target), PyValue(UNKNOWN, labels_of([data])))
    return None


def _extract(call: PyCall) -> PyValue | None:
    """``archive.extractall(path)``: files of the archive's choice appear there."""
    whole = call.method == "extractall"
    member = None if whole else call.argument(0, "member")
    only = (call.word(member),) if member is not None and is_text(member.value) else ()
    _unpack(
        call,
        call.field("source"),
        call.argument(0 if whole else 1, "path") or PyValue("."),
        ArchiveSelection(only),
    )
    return None


def _unpack(
    call: PyCall, archive: PyValue | None, where: PyValue, taken: ArchiveSelection = ALL
) -> None:
    known = archive is not None and bring_members(
        call.run, call.word(archive), call.word(where), taken
    )
    call.path(Writes, where, "extracted", *(["known-members"] if known else []))


def _open_compressed(call: PyCall) -> PyValue | None:
    """``gzip.open(path, "wb")``, ``bz2.BZ2File(path, "w")``: a file whose data is packed."""
    path = call.argument(0, "filename")
    mode = text_of(call.argument(1, "mode") or PyValue("r"))
    if path is None or (isinstance(path.value, KnownObject) and path.value.kind != "path"):
        return PyValue(
            KnownObject(
                "file",
                dict(path.value.fields)
                if path is not None and isinstance(path.value, KnownObject)
                else None,
            )
        )
    made = open_file(call, path, mode)
    if isinstance(made.value, KnownObject):
        made.value.fields["packs"] = PyValue(value=True)
    return made


def _compress(call: PyCall) -> PyValue | None:
    """``gzip.compress(data)``: what is read from a file was read to be packed."""
    data = call.argument(0, "data")
    if data is None:
        return None
    note_archiving(call, data)
    return PyValue(UNKNOWN, labels_of([data]), data.why, data.path)


def note_archiving(call: PyCall, data: PyValue) -> None:
    """Say of data that was read from a file that it goes into an archive."""
    if data.path and HOLE not in data.path:
        call.path(Reads, PyValue(data.path), "archived")


def _make_archive(call: PyCall) -> PyValue | None:
    """``shutil.make_archive(base, format, root, below)``: the folder goes into ``base`` with the
    format's ending.
    """
    base, form = call.argument(0, "base_name"), call.text(1, "format")
    root = call.argument(2, "root_dir") or call.argument(3, "base_dir") or PyValue(".")
    if base is None:
        return None
    path = PyValue(text_of(base) + _FORMATS.get(form, ".zip"), base.labels, base.why)
    call.path(Reads, root, "archived")
    effect = call.path(Writes, path)
    if effect is not None and effect.target:
        call.run.reader.written[effect.target] = Flow(
            None,
            call.run.contents(call.word(root)).labels if HOLE not in text_of(root) else frozenset(),
        )
    return path


def _unpack_archive(call: PyCall) -> PyValue | None:
    source, where = call.argument(0, "filename"), call.argument(1, "extract_dir") or PyValue(".")
    if source is not None:
        call.path(Reads, source)
    _unpack(call, source, where)
    return None


def _open_database(call: PyCall) -> PyValue | None:
    """``shelve.open(path)``: a file that is made where it is not there, and changed otherwise; of
    ``sqlite3.connect(path)`` its statements tell.
    """
    path = call.argument(0, "database", "filename", "file")
    if path is not None and text_of(path) not in (":memory:", ""):
        call.path(Reads, path)
        if call.name != "sqlite3.connect" and not text_of(path).startswith("file:"):
            call.path(Writes, path, "append", "database")
    return PyValue(KnownObject("db", {"name": path} if path is not None else None))


def _in_place(call: PyCall) -> PyValue | None:
    """``fileinput.input(files, inplace=True)`` writes the files anew."""
    files = call.argument(0, "files")
    changes = call.argument(1, "inplace")
    if files is None:
        return PyValue(UNKNOWN, why="argument")
    call.path(Reads, files)
    if changes is not None and changes.value:
        call.path(Writes, files, "in-place")
    return PyValue(UNKNOWN, frozenset({"file"}), "file")


def _logs_into(call: PyCall) -> PyValue | None:
    path = call.keywords.get("filename")
    if path is not None:
        call.path(Writes, path, "append")
    return None


_FILES = tuple(
    ("gzip.open gzip.GzipFile bz2.open bz2.BZ2File lzma.open lzma.LZMAFile zstandard.open").split()
)
_COMPRESS = tuple(
    (
        "gzip.compress bz2.compress lzma.compress zlib.compress zstandard.compress brotli.compress"
    ).split()
)
