#!/bin/sh
# venv.sh FOLDER: make a virtual environment with a Python that is new enough, or say in one sentence what is missing.
# PYTHON in the environment names the interpreter to prefer.
set -eu
folder=$1

python=
for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "interlock needs Python 3.11 or newer and found none; install one (Debian: sudo apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$python cannot make virtual environments because its venv package is missing; install it: sudo apt-get install python$minor-venv" >&2
    exit 1
fi
echo "==> making $folder with $("$python" --version) ($(command -v "$python"))"
"$python" -m venv --clear "$folder"
