#!/usr/bin/env bash
# report.sh: put what was asked and refused in this job into its summary.
set -euo pipefail
{
    echo '## interlock'
    echo '```'
    interlock stats --days 1
    echo
    interlock log --verdict deny -n 20
    interlock log --verdict ask -n 20
    echo '```'
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
