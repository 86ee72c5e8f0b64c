"""Archives and compression: what is packed, where it is unpacked, which options run a command (GNU
tar 1.35, Info-ZIP, gzip, 7-Zip manuals).
"""

from __future__ import annotations

from interlock.effects.connecting import to_host
from interlock.effects.programs.bringing import ArchiveSelection, bring_trees
from interlock.effects.programs.lists import files_in_lists
from interlock.effects.programs.netshell import option_command, remote_part
from interlock.effects.programs.sending import flow_carries, read_labels, unpack
from interlock.effects.read_selection import ReadSelection
from interlock.effects.run import Run
from interlock.model.effect import Connects, Deletes, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

MAX_DIGITS = 4
_COMPRESSORS = frozenset(
    "gzip pigz bzip2 pbzip2 lbzip2 xz pixz pxz lzma lzip plzip zstd zstdmt pzstd lz4 brotli lzop compress".split()
)


# -- tar -------------------------------------------------------------------------------------------


def _tar(run: Run) -> Flow:
    """Tar in either style of options (``xzf FILE``, ``-xzf FILE``)."""
    _old_style(run)
    if run.has("--version", "--help"):
        return NOTHING
    _tar_commands(run)
    for value in run.parsed.values("--index-file", "--volno-file", "-g", "--listed-incremental"):
        run.path(Writes, value)
    folder = run.parsed.value("-C", "--directory", "--cd")
    archive = run.parsed.value("-f", "--file")
    if run.has("-x", "--extract", "--get"):
        return _tar_extract(run, archive, folder)
    if run.has("-t", "--list", "-d", "--diff", "--compare"):
        if archive is not None and archive.text != "-":
            run.path(Reads, archive)
        return Flow(None, run.input_labels())
    if run.has("--delete") and archive is not None:
        run.path(Writes, archive, "in-place")
        return UNREAD
    if run.has(
        "-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate"
    ):
        return _tar_create(run, archive, folder)
    return UNREAD


def _old_style(run: Run) -> None:
    """``tar cfz FILE DIR``: letters without a dash; values follow in order."""
    words = run.arguments
    if not words or words[0].text[:1] == "-" or not words[0].text.isalpha():
        return
    letters = words[0].text
    valued = [letter for letter in letters if letter in "fCTXbgIFHKNVL"]
    plain = "".join([letter for letter in letters if letter not in valued])
    first = words[0]
    given = [
        value
        for letter, word in zip(valued, words[1:], strict=False)
        for value in (Value("-" + letter, word.start, word.end), word)
    ]
    run.parsed = run.parse(
        [
            *([Value("-" + plain, first.start, first.end)] if plain else []),
            *given,
            *words[1 + len(valued) :],
        ]
    )


def _tar_commands(run: Run) -> None:
    """Options that run a command: checkpoints, compressors, extraction to a command."""
    for value in run.parsed.values(
        "--to-command",
        "--rmt-command",
        "--rsh-command",
        "-F",
        "--info-script",
        "--new-volume-script",
    ):
        option_command(run, value, "--to-command")
    for value in run.parsed.values("-I", "--use-compress-program"):
        words = value.text.split()
        if not words or words[0].rpartition("/")[2] not in _COMPRESSORS:
            option_command(run, value, "--use-compress-program")
    for value in run.parsed.values("--checkpoint-action"):
        kind, _, text = value.text.partition("=")
        if kind == "exec":
            option_command(
                run, Value(text, value.start, value.end, value.why), "--checkpoint-action"
            )


def _rebase(folder: Value | None, value: Value) -> Value:
    """Return a word as seen from the folder that ``-C`` names."""
    if folder is None or value.text.startswith("/") or folder.hollow:
        return value
    return Value(
        f"{folder.text.rstrip('/')}/{value.text}", value.start, value.end, value.why, value.pattern
    )


def _tar_extract(run: Run, archive: Value | None, folder: Value | None) -> Flow:
    labels = (
        run.stdin.labels
        if run.stdin is not None and (archive is None or archive.text == "-")
        else frozenset()
    )
    if archive is not None and archive.text != "-":
        run.path(Reads, archive)
        labels = run.contents(archive).labels
    if run.has("-O", "--to-stdout"):
        return Flow(None, labels | {"decoded"})
    folder = run.parsed.value("--one-top-level") or folder
    if run.has("-P", "--absolute-names"):
        run.possible(Writes, Value("/"), "extracted", "absolute-names")
    if not run.has("--to-command"):
        absolute = ["absolute-names"] if run.has("-P", "--absolute-names") else []
        unpack(
            run,
            archive,
            folder if folder is not None else Value("."),
            labels,
            *absolute,
            taken=ArchiveSelection(tuple(run.operands), _strip_count(run)),
        )
    return NOTHING


def _strip_count(run: Run) -> int | None:
    """Return how many leading parts of names tar leaves out; None if it changes more."""
    if run.has("--transform", "--xform", "-s", "-T", "--files-from"):
        return None
    strip = run.parsed.value("--strip-components")
    return (
        0
        if strip is None
        else int(strip.text)
        if strip.text.isdecimal() and len(strip.text) < MAX_DIGITS
        else None
    )


def _tar_create(run: Run, archive: Value | None, folder: Value | None) -> Flow:
    lists = run.parsed.values("-T", "--files-from")
    flow = _read_sources(
        run, [_rebase(folder, value) for value in [*run.operands, *files_in_lists(run, lists)]]
    )
    for value in [*lists, *run.parsed.values("-X", "--exclude-from")]:
        if value.text != "-":
            run.path(Reads, value)
    if run.has("--remove-files"):
        for value in run.operands:
            run.path(Deletes, _rebase(folder, value), "moved", "recursive")
    if archive is None or archive.text == "-":
        return flow
    there = remote_part(archive.text) if not run.has("--force-local") else None
    if there is not None:
        to_host(
            run.context,
            Connects,
            there[0],
            run.span(archive),
            frozenset({"remote-command"}),
            run.name,
        )
        run.sends(there[0], "upload", *flow_carries(flow), value=archive)
        return NOTHING
    _pack(run, archive, flow)
    return NOTHING


def _read_sources(run: Run, sources: list[Value]) -> Flow:
    """Read what goes into an archive; return its labels."""
    picks = ReadSelection(
        without=tuple([value.text for value in run.parsed.values("--exclude", "-x", "-xr")])
    )
    return Flow(
        None,
        frozenset().union(
            *[read_labels(run, value, "archived", picks).labels for value in sources]
        ),
    )


def _pack(run: Run, target: Value, flow: Flow) -> None:
    """Write the archive, and remember what is in it."""
    effect = run.path(
        Writes, target, *sorted(trait for trait in flow_carries(flow) if trait == "carries-secret")
    )
    run.reader.written[effect.target] = flow


# -- zip and others --------------------------------------------------------------------------------


def _zip(run: Run) -> Flow:
    """``zip ARCHIVE FILE..``; ``-TT COMMAND`` tests with a command; ``-m`` deletes the packed."""
    for value in run.parsed.values("-TT", "--unzip-command"):
        option_command(run, value, "--unzip-command")
    operands = run.operands
    if not operands or run.has("-h", "--help", "-v", "-sf"):
        return UNREAD
    if run.has("-d", "--delete"):
        run.path(Writes, operands[0], "in-place")
        return UNREAD
    listed = (
        files_in_lists(run, [Value("-")])
        if run.has("-@", "--names-stdin") or any(value.text == "-@" for value in run.arguments)
        else []
    )
    flow = _read_sources(run, [*operands[1:], *listed])
    if run.has("-m", "--move"):
        for value in operands[1:]:
            run.path(Deletes, value, "moved", "recursive")
    if operands[0].text == "-":
        return flow
    _pack(run, operands[0], flow)
    return UNREAD


def _unzip(run: Run) -> Flow:
    if run.has("-h", "-hh", "--help") or not run.operands:
        return UNREAD
    archive = run.operands[0]
    run.path(Reads, archive)
    if run.has("-l", "-t", "-Z", "-v", "-z"):
        return Flow(None, frozenset({"file"}))
    labels = run.contents(archive).labels
    if run.has("-p", "-c"):
        return Flow(None, labels | {"decoded"})
    folder = run.parsed.value("-d")
    unpack(
        run,
        archive,
        folder if folder is not None else Value("."),
        labels,
        taken=ArchiveSelection(tuple(run.operands[1:]), None if run.has("-j") else 0),
    )
    return UNREAD


def _seven(run: Run) -> Flow:
    """``7z a ARCHIVE FILE..``, ``7z x ARCHIVE -oDIR``; rar and unrar speak alike."""
    operands = run.operands
    verb = operands[0].text if operands else ""
    if len(operands) < 2:
        return UNREAD
    archive = operands[1]
    if verb in ("a", "u", "m"):
        lists = [
            Value(value.text[1:], value.start, value.end)
            for value in operands[2:]
            if value.text[:1] == "@"
        ]
        flow = _read_sources(
            run,
            [
                *[value for value in operands[2:] if value.text[:1] != "@"],
                *files_in_lists(run, lists),
            ],
        )
        if run.has("-sdel", "-df") or verb == "m":
            for value in operands[2:]:
                run.path(Deletes, value, "moved", "recursive")
        _pack(run, archive, flow)
    elif verb in ("x", "e"):
        run.path(Reads, archive)
        if run.has("-so"):
            return Flow(None, run.contents(archive).labels | {"decoded"})
        folder = next(
            (
                Value(value.text[2:], value.start, value.end, value.why)
                for value in run.arguments
                if value.text[:2] == "-o" and len(value.text) > 2 and "rar" not in run.name
            ),
            None,
        )
        last = (
            operands[-1]
            if len(operands) > 2 and operands[-1].text.endswith("/") and "rar" in run.name
            else None
        )
        unpack(
            run,
            archive,
            folder or last or Value("."),
            run.contents(archive).labels,
            taken=ArchiveSelection(strip=None if verb == "e" else 0),
        )
    elif verb in ("d", "rn"):
        run.path(Writes, archive, "in-place")
    else:
        run.path(Reads, archive)
    return UNREAD


def _cpio(run: Run) -> Flow:
    """``cpio -i`` unpacks here, ``-o`` packs what standard input lists, ``-p DIR`` copies."""
    for value in run.parsed.values("--rsh-command", "--rmt-command"):
        option_command(run, value, "--rsh-command")
    archive = run.parsed.value("-F", "-I", "-O", "--file")
    folder = run.parsed.value("-D", "--directory")
    if run.has("-t", "--list"):
        return UNREAD
    if run.has("-i", "--extract"):
        if archive is not None:
            run.path(Reads, archive)
        absolute = ["absolute-names"] if run.has("--absolute-filenames") else []
        unpack(
            run,
            archive,
            folder if folder is not None else Value("."),
            run.input_labels(),
            *absolute,
        )
        return Flow(None, run.input_labels())
    labels = _read_sources(run, files_in_lists(run, [Value("-")])).labels
    if run.has("-p", "--pass-through"):
        for value in run.operands[-1:]:
            unpack(run, None, value, labels)
    elif archive is not None:
        _pack(run, archive, Flow(None, labels))
    return Flow(None, run.input_labels() | labels)


def _pax(run: Run) -> Flow:
    """``pax -w [-f ARCHIVE] FILE..`` packs, ``pax -r`` unpacks here, ``pax -rw FILE.. DIR`` copies
    (POSIX pax).
    """
    archive, operands = run.parsed.value("-f"), run.operands
    if run.has("-r") and run.has("-w"):
        for value in operands[:-1]:
            run.path(Reads, value)
        for value in operands[-1:]:
            unpack(run, None, value, run.all_contents(operands[:-1]).labels)
        return NOTHING
    if run.has("-w"):
        flow = _read_sources(run, operands)
        if archive is None:
            return flow
        _pack(run, archive, flow)
        return NOTHING
    if archive is not None:
        run.path(Reads, archive)
    if run.has("-r"):
        unpack(run, archive, Value("."), run.input_labels())
    return Flow(None, run.input_labels())


def _ar(run: Run) -> Flow:
    """``ar KEYS ARCHIVE FILE..``."""
    operands = run.operands
    keys = operands[0].text.lstrip("-") if operands else ""
    if len(operands) < 2:
        return UNREAD
    if keys[:1] in ("r", "q", "d", "m", "s"):
        for value in operands[2:] if keys[:1] in ("r", "q") else []:
            run.path(Reads, value, "archived")
        run.path(Writes, operands[1])
    else:
        run.path(Reads, operands[1])
        if keys[:1] == "x":
            unpack(
                run,
                operands[1],
                run.parsed.value("--output") or Value("."),
                run.contents(operands[1]).labels,
            )
    return UNREAD


def _makes_image(run: Run) -> Flow:
    """``mksquashfs FILE.. IMAGE``, ``genisoimage -o IMAGE FILE..``: files are put into an image."""
    output = run.parsed.value("-o")
    sources = run.operands if output is not None else run.operands[:-1]
    flow = _read_sources(run, sources)
    if output is not None or len(run.operands) > 1:
        _pack(run, output or run.operands[-1], flow)
    return flow


def _unsquash(run: Run) -> Flow:
    """``unsquashfs [-f] -d FOLDER IMAGE``."""
    for value in run.operands[:1]:
        run.path(Reads, value)
    if not run.has("-l", "-ll", "-lls", "-s", "-stat", "-cat", "-version", "-help"):
        unpack(
            run,
            next(iter(run.operands), None),
            run.parsed.value("-d", "-dest") or Value("squashfs-root"),
            run.all_contents(run.operands[:1]).labels,
        )
    return UNREAD


def _unar(run: Run) -> Flow:
    """``unar [-o FOLDER] ARCHIVE [NAME..]``: all formats, into a folder of its own only where the
    archive holds several things.
    """
    for value in run.operands[:1]:
        run.path(Reads, value)
        unpack(
            run,
            value,
            run.parsed.value("-o", "-output-directory") or Value("."),
            run.contents(value).labels,
        )
    return UNREAD


def _ditto(run: Run) -> Flow:
    """``ditto FROM.. TO`` copies the content, ``-x [-k]`` unpacks, ``-c [-k]`` packs."""
    *sources, target = run.operands or [Value(".")]
    if run.has("-c"):
        _pack(run, target, _read_sources(run, sources))
        return NOTHING
    if not run.has("-x"):
        bring_trees(run, sources, target, contents=True)
    for value in sources:
        run.path(Reads, value, *([] if run.has("-x") else ["recursive"]))
    if run.has("-x"):
        unpack(
            run, sources[0] if len(sources) == 1 else None, target, run.all_contents(sources).labels
        )
    else:
        run.path(Writes, target, "copied", "recursive")
    return NOTHING


def _jar(run: Run) -> Flow:
    keys = run.operands[0].text if run.operands else ""
    rest = run.operands[1:]
    if not rest:
        return UNREAD
    if "x" in keys:
        run.path(Reads, rest[0])
        unpack(run, rest[0], Value("."), run.contents(rest[0]).labels)
    elif "c" in keys or "u" in keys:
        for value in rest[1:]:
            run.path(Reads, value, "archived")
        run.path(Writes, rest[0])
    return UNREAD


# -- compression -----------------------------------------------------------------------------------
