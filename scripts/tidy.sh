#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over src/, with the flags of the clang preset. A file that passed is not read again until what the preprocessor makes
# of it, or .clang-tidy, changes: build/tidy/passed has a file named by the hash of these for each.
# usage: tidy.sh [FILE...]      (default: all of src/)
set -u
cd "$(dirname "$0")/.." || exit 2
command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed"; exit 1; }
cmake --preset clang -B build/tidy -DKILN_TESTS=OFF -DCMAKE_C_COMPILER_LAUNCHER= >/dev/null || exit 1
export passed=$PWD/build/tidy/passed
mkdir -p "$passed" || exit 1
one() {
    local hash
    hash=$({
        cat .clang-tidy "$(dirname "$1")/.clang-tidy" "$1"
        clang -E -Iinclude -Isrc -DKN_BUILD=1 -DKN_HAVE_ISA_VARIANTS=1 -DKN_HAVE_ISA_AVX512=1 -DKN_HAVE_X86=1 -DKN_HAVE_ZLIB=1 '-DKN_VERSION="0"' -march=haswell "$1"
        clang-tidy --version
    } 2>&1 | sha256sum | cut -c1-40)
    [ -e "$passed/$hash" ] && return
    clang-tidy --quiet -p build/tidy "$1" && : >"$passed/$hash"
}
export -f one
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else find src -name '*.c' | LC_ALL=C sort; fi |
    xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 1 bash -c 'one "$0"'
