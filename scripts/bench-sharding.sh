#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures bench/bench_sharding.c: on one device with two threads, on two virtual devices, and on two processes by mpirun beside plain MPI
# (bench/peer_mpi.c), one after the other. First: how long a plan takes, and what a large step would move (bench/bench_partition.c). usage: bench-sharding.sh [build folder]
set -eu
cd "$(dirname "$0")/.."
build=${1-build/release}
program=$build/bench/bench_sharding
[ -x "$program" ] || { echo "build the target bench_sharding first"; exit 2; }
"$build/bench/bench_partition"
"$build/bench/bench_partition" plan
echo "== one device, two threads"
KILN_NUM_THREADS=2 "$program"
echo "== two virtual devices"
KILN_DEVICES=2 "$program"
command -v mpirun >/dev/null && command -v mpicc >/dev/null || { echo "no MPI here"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start() { mpirun --oversubscribe -n 2 "$@"; }
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader
echo "== two processes, one thread each"
KILN_NUM_THREADS=1 KILN_MPI_LIBRARY=$(realpath "$build/libkiln_mpi.so") start "$program" mpi
echo "== two processes, plain MPI"
mpicc -O2 bench/peer_mpi.c -o "$work/peer"
start "$work/peer"
