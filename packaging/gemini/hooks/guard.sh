#!/bin/sh
# guard.sh CLIENT check|note: ask interlock about one event of an agent's client, which comes on standard input. Where interlock is not there, or ends
# with anything but an answer, a call is refused (check); of an event that asks nothing the failure is said, and nobody is blocked (note).
client=$1 mode=$2
program=$(command -v interlock) || for place in "$HOME/.local/bin" /opt/homebrew/bin /home/linuxbrew/.linuxbrew/bin /usr/local/bin /usr/bin; do
    if [ -x "$place/interlock" ]; then
        program=$place/interlock
        break
    fi
done

fail() {
    echo "$1" >&2
    [ "$mode" = check ] || exit 1
    printf '{"decision":"block","reason":"%s","permissionDecision":"deny","permissionDecisionReason":"%s"}' "$1" "$1"
    exit 2
}

[ -n "$program" ] || fail "interlock was not found, so this call did not run; install the program, or switch this plugin off"
said=$("$program" hook "$client" "$mode")
rc=$?
case $mode:$rc:$said in
note:0:*) printf %s "$said" ;;
check:100:*) printf %s "$said" || exit 2 ;;
check:2:?*) printf %s "$said"; exit 2 ;;
*) fail "interlock failed ($rc), so this call did not run; try: interlock doctor" ;;
esac
