#!/usr/bin/env bash
# protect.sh: install interlock out of SOURCE into an environment of its own, and put its hooks into the settings of AGENTS, with PROFILE and PROVEN.
# Nobody can be asked in CI: what is asked about is refused, and the job's log says so.
set -euo pipefail
house=${RUNNER_TEMP:-/tmp}/interlock
python -m venv "$house"
place=$house/bin
[ -d "$place" ] || place=$house/Scripts
"$place/python" -m pip --disable-pip-version-check --quiet install "$SOURCE"
echo "$place" >>"$GITHUB_PATH"
words=()
for agent in $AGENTS; do words+=(--agent "$agent"); done
# init lets only a person at a terminal loosen anything; here that is who wrote the workflow, and no agent runs yet
policy=$HOME/.config/interlock/policy.yaml
if [ ! -e "$policy" ]; then
    mkdir -p "${policy%/*}"
    printf 'version: 1\nprofile: %s\nproven: %s\n' "$PROFILE" "$PROVEN" >"$policy"
fi
"$place/interlock" policy check "$policy"
"$place/interlock" init --yes "${words[@]}"
