#!/bin/sh
# build.sh FOLDER: build interlock_VERSION_all.deb into FOLDER, of the source that this script lies in. It holds the package and PyYAML's place is taken by
# Debian's python3-yaml. Dates are fixed, so that the same source makes the same file. Needs dpkg-deb, and a Python with pip that may reach its index once
# (for hatchling). PYTHON names the interpreter.
set -eu
umask 022
here=$(cd "$(dirname "$0")/../.." && pwd)
to=${1:-.}
python=${PYTHON:-python3}
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1577934245}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m pip --disable-pip-version-check --quiet wheel --no-deps --wheel-dir "$work" "$here"
wheel=$(ls "$work"/interlock-*.whl)
version=$(basename "$wheel" | cut -d- -f2)
tree=$work/tree
library=$tree/usr/lib/python3/dist-packages
mkdir -p "$library" "$tree/usr/bin" "$tree/DEBIAN" "$tree/usr/share/doc/interlock"
"$python" -m zipfile -e "$wheel" "$library"
cp "$here/LICENSE" "$tree/usr/share/doc/interlock/copyright"
cp "$here/CHANGELOG.md" "$tree/usr/share/doc/interlock/changelog.md"
printf '#!/usr/bin/python3\nimport sys\n\nfrom interlock.__main__ import main\n\nsys.exit(main())\n' >"$tree/usr/bin/interlock"
chmod 755 "$tree/usr/bin/interlock"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: interlock
Version: $version
Architecture: all
Maintainer: The interlock developers <interlock@localhost>
Section: utils
Priority: optional
Depends: python3 (>= 3.11), python3-yaml
Recommends: bubblewrap, git
Installed-Size: $(du -sk "$tree" | cut -f1)
Description: safety layer between what an AI agent decides and what a machine does
 Every tool call of a coding agent (a shell command, a file edit, a web fetch)
 is judged by what it would do: allow, ask or deny, with a reason, a safer way,
 a checkpoint to undo it and a record. Afterwards: interlock init
CONTROL
cat >"$tree/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
# hooks start faster with compiled modules in one file, which who runs them may not write here
python3 -m compileall -q /usr/lib/python3/dist-packages/interlock || true
python3 -c 'from interlock.cli.install import compiled; compiled()' || echo "interlock: its modules could not be put into one file; hooks start slower" >&2
POSTINST
chmod 755 "$tree/DEBIAN/postinst"
cat >"$tree/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ]; then
    find /usr/lib/python3/dist-packages/interlock -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
    find /usr/lib/python3/dist-packages/interlock -name 'interlock.*.bundle' -delete 2>/dev/null || true
fi
PRERM
chmod 755 "$tree/DEBIAN/prerm"
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$to"
dpkg-deb --root-owner-group --build "$tree" "$to/interlock_${version}_all.deb" >/dev/null
echo "$to/interlock_${version}_all.deb"
