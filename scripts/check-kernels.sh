#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build, writes down every kernel that they run, runs each between pages without access, and compares
# all backends on them (C source on some thousands of them).
# usage: check-kernels.sh [BUILD [CTEST ARGUMENTS...]]     (build/release)
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
[ $# -gt 0 ] && shift
[ -x "$build/tests/kernels" ] || { echo "$build has no tests/kernels: build it first"; exit 2; }
build=$(cd "$build" && pwd)
kernels=$build/kernels # tests that count allocations are left out: writing files needs some
mkdir -p "$kernels"
find "$kernels" -name '*.kernel' -delete
KILN_DUMP_KERNELS=$kernels ctest --test-dir "$build" -E '^(install|check)/|no_memory|prepared' "$@" >"$build/kernels.log" 2>&1 ||
    echo "some tests failed: $build/kernels.log"
cd "$build" && tests/kernels --guard "$kernels" && exec tests/kernels --c 2000 "$kernels"
