#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ranks.sh MPIRUN N WANT PROGRAM ARGUMENT...: runs the program as N ranks. WANT: `well`, all return 0; or a text that N - 1 of them
# at least have to say, whatever becomes of the job. In 400 seconds at most, or as many as KILN_RANKS_SECONDS says.
mpirun=$1 n=$2 want=$3
shift 3
out=$(mktemp)
trap 'rm -f "$out" "$out.why"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_base_warn_component_unused=0
limit=${KILN_RANKS_SECONDS:-400}
# Ends the launcher after `limit` seconds; and where all its processes have ended and it does not notice for 5 seconds, as Open MPI's may
# when they end in the midst of things: then it runs once more. $1: the launcher.
watch() {
    seconds=0 over=0
    while sleep 1 && kill -0 "$1" 2>/dev/null; do
        seconds=$((seconds + 1))
        states=$(ps -o stat= --ppid "$1" 2>/dev/null)
        over=$((over + 1))
        { [ -z "$states" ] || echo "$states" | grep -qv '^Z'; } && over=0
        if [ "$over" -ge 5 ]; then
            echo launcher >"$out.why"
            kill -9 "$1"
        elif [ "$seconds" -ge "$limit" ]; then
            echo limit >"$out.why"
            kill "$1"
            sleep 5
            kill -9 "$1" 2>/dev/null
        fi
    done
}
for turn in 1 2; do
    : >"$out.why"
    "$mpirun" $KILN_MPIRUN_OPTIONS -n "$n" "$@" >"$out" 2>&1 &
    launcher=$!
    watch "$launcher" >/dev/null 2>&1 &
    watcher=$!
    wait "$launcher"
    rc=$?
    kill "$watcher" 2>/dev/null
    [ "$(cat "$out.why")" = launcher ] || break
    echo "the launcher did not notice that its processes had ended (turn $turn)"
done
cat "$out"
if [ -s "$out.why" ]; then
    echo "it hangs"
    exit 1
fi
[ "$want" = well ] && exit "$rc"
[ "$(grep -c "$want" "$out")" -ge "$((n - 1))" ]
