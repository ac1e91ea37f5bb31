#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over src/, with the flags of the clang preset.
set -u
cd "$(dirname "$0")/.." || exit 2
command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed"; exit 1; }
cmake --preset clang -B build/tidy -DKILN_TESTS=OFF >/dev/null || exit 1
find src -name '*.c' | LC_ALL=C sort | xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 8 clang-tidy --quiet -p build/tidy
