#!/bin/sh
# Run two commands at once: the second is watched, what the first said is printed when both are done. Fails where either does.
set -u
said=$(mktemp) || exit 1
sh -c "$1" >"$said" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -f "$said"' EXIT
trap 'exit 130' INT TERM
sh -c "$2"
watched=$?
wait "$beside"
first=$?
cat "$said"
[ "$watched" -eq 0 ] && [ "$first" -eq 0 ]
