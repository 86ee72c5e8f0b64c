#!/bin/sh
# install.sh: install interlock for yourself, apart from all else: into ~/.local/share/interlock, with a link to its program in ~/.local/bin.
# Run it again for a newer version. EXTRAS in the environment names what else comes with it (agent,notify), PYTHON the interpreter to prefer.
set -eu
house=$HOME/.local/share/interlock
program=$HOME/.local/bin/interlock
here=$(dirname "$0")

if [ -e "$program" ] && [ ! -L "$program" ]; then
    echo "$program is there and is no link, so nothing was installed; move it away and try again" >&2
    exit 1
fi
[ -x "$house/bin/python" ] || sh "$here/venv.sh" "$house"
echo "==> installing interlock into $house"
"$house/bin/python" -m pip --disable-pip-version-check --quiet install "$here/..${EXTRAS:+[$EXTRAS]}"
mkdir -p "$HOME/.local/bin"
ln -sf "$house/bin/interlock" "$program"
if [ "$(command -v interlock || true)" = "$program" ]; then
    echo "==> installed; next: interlock init"
else
    echo "==> installed; ~/.local/bin is not on your PATH, so next:"
    echo "    export PATH=\"\$HOME/.local/bin:\$PATH\"     # and put this line into ~/.profile"
    echo "    interlock init"
fi
