#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX's own backend cases, node by node and compiled; all that is not in known.txt has to pass.
# usage: cases.sh PROGRAM FOLDER [MORE-THAN]      so many have to pass, else 1800
set -u
[ -d "$2" ] || { echo "skipped: $2 is not there (scripts/models-venv.sh makes it)"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
bad=0
for how in "" --jit; do
    said=$("$1" $how "$2")
    echo "${how:-node by node}: $(tail -1 <<<"$said")"
    [ "$(tail -1 <<<"$said" | awk '{ print $1 }')" -gt "${3-1800}" ] 2>/dev/null || { echo "fewer have passed than ever"; bad=1; }
    # A format of pictures whose library is not there is no fault.
    others=$(grep -E ': (failed|refused|CRASHED)' <<<"$said" | grep -v 'without which this was built' |
        grep -vFf <(sed -n 's/^\([a-z][^ ]*\): .*/\/\1: /p' "$here/known.txt"))
    [ -z "$others" ] || { echo "$others"; bad=1; }
done
exit $bad
