"""Whether a path is a file, as far as its name or the disk tell."""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.effects.places import below, guard_files_in
from interlock.model.effect import Kind, Span
from interlock.model.facts import FILE
from interlock.shell.execution import Execution
from interlock.shell.pattern import matches
from interlock.shell.value import Flow, Value

FILE_ENDINGS = frozenset(
    (
        "json jsonc jsonl lock yaml yml toml txt md mdx rst tex html htm css scss sass less js jsx"
        " ts tsx mjs cjs vue svelte py pyi pyc rb erb rake go rs c h cc cpp hpp cxx m mm swift kt"
        " kts java class jar war scala gradle groovy clj ex exs erl hs ml lua pl pm r php cs fs sh"
        " bash zsh fish ps1 bat cmd sql csv tsv parquet npy pkl xml xsd svg png jpg jpeg gif webp"
        " ico bmp pdf doc docx xls xlsx ppt pptx zip gz tgz tar bz2 xz zst 7z rar whl gem deb rpm"
        " apk ipa dmg iso img db sqlite sqlite3 ini cfg conf properties env tf tfvars tfstate"
        " tfplan proto graphql ipynb log out err tmp pid sock o obj a so dll exe elf hex bin map"
        " wasm diff patch orig rej pem crt csr key mp3 mp4 wav mov webm woff woff2 ttf eot snap"
        " tsbuildinfo prof trace dot hcl jks p12 pfx keystore kdbx asc gpg der bam vcf shp tif"
        " tiff stl gltf glb blend avro orc onnx gguf safetensors pth h5 heic psd mkv flac ogg opus"
        " m4a srt vtt drawio puml adoc epub mobi vcd vhd vhdl sv"
    ).split()
)
"""Endings of names that folders do not bear."""


def is_file(context: CallContext, text: str, cwd: str | None) -> bool:
    """Whether a path is a file, or named like one: ``rm -rf x.json`` is ``rm x.json``."""
    path = context.normal(text, cwd)
    _, dot, ending = text.rpartition("/")[2].rpartition(".")
    return path is not None and (
        (bool(dot) and ending in FILE_ENDINGS) or context.is_kind(path, FILE)
    )


def outside(context: CallContext, values: list[Value], cwd: str | None) -> list[Value]:
    """Return those of some paths and patterns that lead out of the workspace."""
    paths = [(value, None if value.hollow else context.normal(value.text, cwd)) for value in values]
    return [value for value, path in paths if path is not None and not context.workspace(path)]


def pass_on(context: CallContext, execution: Execution, flow: Flow) -> Flow:
    """Return what a command prints: of names that lead out of the workspace it may be names as
    well, where nobody knows what it makes of them.
    """
    given = execution.stdin.listing if execution.stdin is not None else []
    if not given or flow.text is not None or flow.listing or execution.argv[0].text in _COUNTING:
        return flow
    found = outside(context, given, execution.cwd)
    return flow.naming(found) if found else flow


MAX_ENTERED = 8
_COUNTING = frozenset({"wc", "md5sum", "sha1sum", "sha256sum", "cksum"})


def enter_named(context: CallContext, execution: Execution) -> None:
    """Put in the one folder that a pattern names: ``cd ~/.cl*``. Of more, any (``wherever``)."""
    for at, value in enumerate(execution.argv):
        path = (
            context.normal(value.text.rstrip("/"), execution.cwd)
            if at and value.pattern and not value.hollow
            else None
        )
        found = _folders(context, path) if path is not None else []
        if len(found) == 1:
            execution.argv[at] = Value(found[0], value.start, value.end, value.why)
        elif path is not None and len(context.begun.entered) < MAX_ENTERED:
            context.begun.entered.append((path, found))


def wherever(
    context: CallContext, kind: Kind, value: Value, told: tuple[Span, frozenset[str], str]
) -> None:
    """Add what is done to a file of the guard, or to one that runs later, in a folder that ``cd``
    may be in: ``cd .c*; .. > settings.json``.
    """
    if value.hollow or value.text[:1] == "/":
        return
    for pattern, folders in context.begun.entered:
        for path in guard_files_in(
            f"{pattern}/{value.text}", context.call.roots, context.home, pattern=True
        )[:MAX_ENTERED]:
            if not folders or any(below(path, folder) for folder in folders):
                span, traits, by = told
                context.add(
                    kind,
                    path,
                    place=context.place(path),
                    span=span,
                    traits=traits | {"held"},
                    by=by,
                    certain=False,
                )


def _folders(context: CallContext, pattern: str) -> list[str]:
    above, _, last = pattern.rpartition("/")
    names = (
        context.facts.names(above or "/")
        if not any(mark in above for mark in "*?[") and not context.files.changed
        else None
    )
    if not isinstance(names, tuple):
        return []
    return [
        f"{above}/{name[:-1]}"
        for name in names
        if name[-1:] == "/" and (name[0] != "." or last[:1] == ".") and matches(last, name[:-1])
    ]
