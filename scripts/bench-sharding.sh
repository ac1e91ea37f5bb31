#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures bench/bench_sharding.c on one device with two threads, on two virtual devices, and on two processes by mpirun beside plain MPI
# (bench/peer_mpi.c). All take turns, five times: the table has the least milliseconds of each row, and the speed beside one device's, of collectives
# beside plain MPI's (goal: 0.9). First: how long a plan takes, and what a large step would move (bench/bench_partition.c).
# usage: bench-sharding.sh [build folder]; TURNS=n
set -eu
cd "$(dirname "$0")/.."
build=${1-build/release}
program=$build/bench/bench_sharding
[ -x "$program" ] || { echo "build the target bench_sharding first"; exit 2; }
"$build/bench/bench_partition"
"$build/bench/bench_partition" plan
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader
start() { mpirun --oversubscribe -n 2 "$@"; }
processes=
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
    processes=1
    mpicc -O2 bench/peer_mpi.c -o "$work/peer"
else
    echo "no MPI here"
fi
load() { cut -d ' ' -f 1 /proc/loadavg; }
printf '\nload before: %s\n' "$(load)"
turn=0
while [ "$turn" -lt "${TURNS:-5}" ]; do
    turn=$((turn + 1))
    KILN_NUM_THREADS=2 "$program" | sed 's/^/one|/'
    KILN_DEVICES=2 "$program" | sed 's/^/virtual|/'
    [ -z "$processes" ] && continue
    KILN_NUM_THREADS=1 KILN_MPI_LIBRARY=$(realpath "$build/libkiln_mpi.so") start "$program" mpi | sed 's/^/processes|/'
    start "$work/peer" | sed 's/^/plain|/'
done >"$work/all"
awk -F '|' '{
    name = substr($2, 1, 22); sub(/ *$/, "", name); split(substr($2, 23), n, " ")
    if (name == "row" || n[1] !~ /^[0-9.]+$/ || name ~ /devices,/) next
    if (!(name in seen)) { seen[name] = 1; order[++rows] = name }
    key = $1 SUBSEP name
    if (!(key in least) || n[1] + 0 < least[key]) least[key] = n[1] + 0
}
function cell(who, name, base) {
    if (!((who, name) in least)) return sprintf("%18s", "-")
    if (!((base, name) in least) || base == who) return sprintf("%18.3f", least[who, name])
    return sprintf("%10.3f (%5.2f)", least[who, name], least[base, name] / least[who, name])
}
END {
    printf "%-24s%18s%18s%18s%18s\n", "milliseconds (speed)", "one device", "2 virtual devices", "2 processes", "plain MPI"
    for (i = 1; i <= rows; i++) {
        base = (("plain", order[i]) in least) ? "plain" : "one"
        print sprintf("%-24s", order[i]) cell("one", order[i], base) cell("virtual", order[i], base) cell("processes", order[i], base) cell("plain", order[i], base)
    }
}' "$work/all"
echo "load after: $(load)"
