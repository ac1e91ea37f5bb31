#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the short tests of users' programs and of the library's parts with eight virtual devices in the process, as KILN_DEVICES=8 gives any
# program: they all pass as with one. usage: check-devices.sh [build folder]
set -eu
cd "$(dirname "$0")/.."
exec env KILN_DEVICES=8 ctest --test-dir "${1-build/release}" -L '^(unit|acceptance|example|cpp)$' -LE '^(long|mpi|webgpu|wgsl)$' -j "$(getconf _NPROCESSORS_ONLN)" \
    --output-on-failure
