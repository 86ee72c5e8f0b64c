"""Archives and compressed files: what goes into them keeps its labels, and what of it is read says
that it was packed.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.programs.bringing import ALL, Taken, bring_members
from interlock.effects.python.call import Call
from interlock.effects.python.files import opened, remember
from interlock.effects.python.values import UNKNOWN, Item, Thing, is_text, labels_of, text_of
from interlock.model.effect import Reads, Writes
from interlock.shell.value import HOLE, Flow

_FORMATS = {
    "zip": ".zip",
    "tar": ".tar",
    "gztar": ".tar.gz",
    "bztar": ".tar.bz2",
    "xztar": ".tar.xz",
}


def _archive(call: Call) -> Thing | None:
    """``zipfile.ZipFile(path, mode)``, ``tarfile.open(path, mode)``: read, or made."""
    path = call.argument(0, "file", "name")
    mode = text_of(call.argument(1, "mode") or Thing("r"))
    target = call.keywords.get("fileobj") or path
    if target is None:
        return Thing(Item("archive"))
    if not is_text(target.value):
        inner = target.value
        if not (isinstance(inner, Item) and inner.kind == "path"):
            return Thing(Item("archive", dict(inner.fields) if isinstance(inner, Item) else None))
    if mode[:1] not in ("w", "a", "x"):
        call.path(Reads, target)
        return Thing(
            Item("archive", {"source": target}), call.run.contents(call.word(target)).labels
        )
    effect = call.path(Writes, target, *(["append"] if mode[:1] == "a" else []))
    name = effect.target if effect is not None else ""
    if name:
        call.run.reader.written[name] = Flow(None)
    return Thing(Item("archive", {"target": Thing(name)}))


def _add(call: Call) -> Thing | None:
    """``archive.write(path)``, ``archive.add(path)``: the file goes in."""
    path = call.argument(0, "filename", "name")
    if path is not None:
        _packed(call, path)
    return None


def _packed(call: Call, path: Thing, *, kept: bool = True) -> None:
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
                Thing(UNKNOWN, flow.labels | labels_of([one])),
            )


def _add_text(call: Call) -> Thing | None:
    target, data = call.field("target"), call.argument(1, "data")
    if target is not None and data is not None:
        remember(call, text_of(target), Thing(UNKNOWN, labels_of([data])))
    return None


def _extract(call: Call) -> Thing | None:
    """``archive.extractall(path)``: files of the archive's choice appear there."""
    whole = call.method == "extractall"
    member = None if whole else call.argument(0, "member")
    only = (call.word(member),) if member is not None and is_text(member.value) else ()
    _unpack(
        call,
        call.field("source"),
        call.argument(0 if whole else 1, "path") or Thing("."),
        Taken(only),
    )
    return None


def _unpack(call: Call, archive: Thing | None, where: Thing, taken: Taken = ALL) -> None:
    known = archive is not None and bring_members(
        call.run, call.word(archive), call.word(where), taken
    )
    call.path(Writes, where, "extracted", *(["known-members"] if known else []))


def _compressed_file(call: Call) -> Thing | None:
    """``gzip.open(path, "wb")``, ``bz2.BZ2File(path, "w")``: a file whose data is packed."""
    path = call.argument(0, "filename")
    mode = text_of(call.argument(1, "mode") or Thing("r"))
    if path is None or (isinstance(path.value, Item) and path.value.kind != "path"):
        return Thing(
            Item(
                "file",
                dict(path.value.fields)
                if path is not None and isinstance(path.value, Item)
                else None,
            )
        )
    made = opened(call, path, mode)
    if isinstance(made.value, Item):
        made.value.fields["packs"] = Thing(value=True)
    return made


def _compress(call: Call) -> Thing | None:
    """``gzip.compress(data)``: what is read from a file was read to be packed."""
    data = call.argument(0, "data")
    if data is None:
        return None
    said(call, data)
    return Thing(UNKNOWN, labels_of([data]), data.why, data.path)


def said(call: Call, data: Thing) -> None:
    """Say of data that was read from a file that it goes into an archive."""
    if data.path and HOLE not in data.path:
        call.path(Reads, Thing(data.path), "archived")


def _make_archive(call: Call) -> Thing | None:
    """``shutil.make_archive(base, format, root, below)``: the folder goes into ``base`` with the
    format's ending.
    """
    base, form = call.argument(0, "base_name"), call.text(1, "format")
    root = call.argument(2, "root_dir") or call.argument(3, "base_dir") or Thing(".")
    if base is None:
        return None
    path = Thing(text_of(base) + _FORMATS.get(form, ".zip"), base.labels, base.why)
    call.path(Reads, root, "archived")
    effect = call.path(Writes, path)
    if effect is not None and effect.target:
        call.run.reader.written[effect.target] = Flow(
            None,
            call.run.contents(call.word(root)).labels if HOLE not in text_of(root) else frozenset(),
        )
    return path


def _unpack_archive(call: Call) -> Thing | None:
    source, where = call.argument(0, "filename"), call.argument(1, "extract_dir") or Thing(".")
    if source is not None:
        call.path(Reads, source)
    _unpack(call, source, where)
    return None


def _kept(call: Call) -> Thing | None:
    """``shelve.open(path)``: a file that is made where it is not there, and changed otherwise; of
    ``sqlite3.connect(path)`` its statements tell.
    """
    path = call.argument(0, "database", "filename", "file")
    if path is not None and text_of(path) not in (":memory:", ""):
        call.path(Reads, path)
        if call.name != "sqlite3.connect" and not text_of(path).startswith("file:"):
            call.path(Writes, path, "append", "database")
    return Thing(Item("db", {"name": path} if path is not None else None))


def _in_place(call: Call) -> Thing | None:
    """``fileinput.input(files, inplace=True)`` writes the files anew."""
    files = call.argument(0, "files")
    changes = call.argument(1, "inplace")
    if files is None:
        return Thing(UNKNOWN, why="argument")
    call.path(Reads, files)
    if changes is not None and changes.value:
        call.path(Writes, files, "in-place")
    return Thing(UNKNOWN, frozenset({"file"}), "file")


def _logs_into(call: Call) -> Thing | None:
    path = call.keywords.get("filename")
    if path is not None:
        call.path(Writes, path, "append")
    return None


_FILES = (
    "gzip.open",
    "gzip.GzipFile",
    "bz2.open",
    "bz2.BZ2File",
    "lzma.open",
    "lzma.LZMAFile",
    "zstandard.open",
)
_COMPRESS = (
    "gzip.compress",
    "bz2.compress",
    "lzma.compress",
    "zlib.compress",
    "zstandard.compress",
    "brotli.compress",
)
ARCHIVES: dict[str, Callable[[Call], Thing | None]] = {
    "zipfile.ZipFile": _archive, "pyzipper.AESZipFile": _archive, "tarfile.open": _archive,
    "tarfile.TarFile": _archive, "tarfile.TarFile.open": _archive, "py7zr.SevenZipFile": _archive,
    "<archive>.write": _add, "<archive>.add": _add, "<archive>.writeall": _add,
    "<archive>.mkdir": _add_text, "<archive>.writestr": _add_text,
    "<archive>.extractall": _extract, "<archive>.extract": _extract,
    **dict.fromkeys(_FILES, _compressed_file), **dict.fromkeys(_COMPRESS, _compress),
    "shutil.make_archive": _make_archive, "shutil.unpack_archive": _unpack_archive,
    "sqlite3.connect": _kept, "shelve.open": _kept, "dbm.open": _kept, "fileinput.input": _in_place,
    "fileinput.FileInput": _in_place, "logging.basicConfig": _logs_into,
}  # fmt: skip
