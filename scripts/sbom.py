"""Write what a wheel of interlock is made of and what it may bring along, as CycloneDX 1.6 in JSON:
``python scripts/sbom.py WHEEL [-o FILE]``.

It is worked out of the wheel alone, so the same wheel gives the same file: no clock, no chance, no
network. What interlock always needs is a required component, what an extra brings an optional one,
with the range of versions that is asked for: which one is installed is decided elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import uuid
import zipfile
from email.parser import HeaderParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACE = uuid.UUID("7d1c9b34-5f0e-5a53-9f3b-3a2f6a0f6e11")
_NEED = re.compile(r"^([\w.-]+)(?:\[[\w,.-]+\])?\s*([^;]*)(?:;\s*(.*))?$")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")
NOT_SHIPPED = frozenset({"dev", "frameworks", "docs", "release"})
"""Extras for work on interlock itself."""


def sbom(path: str) -> dict[str, Any]:
    """Return the bill of materials of a wheel."""
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with zipfile.ZipFile(path) as wheel:
        name = next(one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
        told = HeaderParser().parsestr(wheel.read(name).decode("utf-8"))
        files = list(_files(wheel))
    own = f"pkg:pypi/{told['Name']}@{told['Version']}"
    needs = list(_needs(told.get_all("Requires-Dist", [])))
    component = {
        "type": "application", "bom-ref": own, "name": told["Name"], "version": told["Version"],
        "purl": own, "description": told["Summary"],
        "licenses": [{"license": {"id": told["License-Expression"]}}],
        "hashes": [{"alg": "SHA-256", "content": digest}], "components": files,
    }  # fmt: skip
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, digest)}",
        "version": 1,
        "metadata": {"component": component},
        "components": needs,
        "dependencies": [
            {"ref": own, "dependsOn": [one["bom-ref"] for one in needs]},
            *[{"ref": one["bom-ref"], "dependsOn": []} for one in needs],
        ],
    }


def _files(wheel: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    for name in sorted(wheel.namelist()):
        yield {
            "type": "file",
            "bom-ref": f"file:{name}",
            "name": name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read(name)).hexdigest()}],
        }


def _needs(lines: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what extras bring, each package once."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        match = _NEED.match(line)
        if match is None:
            raise SystemExit(f"sbom: a requirement that is not understood: {line}")
        name, versions, marker = (
            match[1].lower().replace("_", "-"),
            match[2].strip(),
            match[3] or "",
        )
        extra = _EXTRA.search(marker)
        if extra is not None and extra[1] in NOT_SHIPPED:
            continue
        properties = [{"name": "interlock:extra", "value": extra[1]}] if extra is not None else []
        properties += [{"name": "interlock:versions", "value": versions}] if versions else []
        scope = "optional" if extra is not None else "required"
        known = found.setdefault(
            name,
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{name}",
                "name": name,
                "purl": f"pkg:pypi/{name}",
                "scope": scope,
                "properties": [],
            },
        )
        known["properties"] += [one for one in properties if one not in known["properties"]]
    yield from found.values()


def main() -> int:
    """Write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    text = json.dumps(sbom(options.wheel), indent=2) + "\n"
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
