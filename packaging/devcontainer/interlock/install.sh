#!/bin/sh
# install.sh: the feature's installation, run as root while the container is built. Installs interlock into /usr/local/share/interlock, and puts its hooks
# into the settings of the container's user. SOURCE, AGENTS and PROVEN are the feature's options.
set -eu
house=/usr/local/share/interlock
user=${_REMOTE_USER:-root}
home=${_REMOTE_USER_HOME:-$HOME}
source=${SOURCE:-$(dirname "$0")/source}

python=
for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
    if command -v "$name" >/dev/null && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "interlock: needs Python 3.11 or newer with venv; add the feature ghcr.io/devcontainers/features/python before this one" >&2
    exit 1
fi
"$python" -m venv "$house"
"$house/bin/python" -m pip --disable-pip-version-check --quiet install "$source"
ln -sf "$house/bin/interlock" /usr/local/bin/interlock

# one --agent before each name; none: all that are found
words=
for agent in ${AGENTS:-}; do words="$words --agent $agent"; done
# init lets only a person at a terminal loosen anything; here that is who wrote the container's settings, and no agent runs yet
policy=$home/.config/interlock/policy.yaml
command="umask 022; [ -e '$policy' ] || { mkdir -p '${policy%/*}' && printf 'version: 1\nproven: %s\n' '${PROVEN:-pass}' >'$policy'; }
HOME='$home' '$house/bin/interlock' init --yes$words"
if [ "$user" = "$(id -un)" ]; then sh -c "$command"; else su "$user" -s /bin/sh -c "$command"; fi
