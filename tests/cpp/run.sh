#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A C++ test: compiled as C++17 and C++20 by each compiler that is there (two compilers take one standard each, and a build with flags of a
# sanitizer takes C++20, unless KILN_TEST_LONG is set: each takes some seconds), without a warning, then run.
# usage: run.sh PROGRAM.cpp LIBRARY "COMPILERS" "FLAGS"
set -u
program=$1 library=$2 compilers=$3 flags=${4-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran=0 bad=0
for compiler in $compilers; do
    command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; continue; }
    standards="17 20"
    if [ -z "${KILN_TEST_LONG-}" ]; then
        [ "$compilers" = "${compilers% *}" ] || { [ $ran = 0 ] && standards=17 || standards=20; }
        case $flags in *-fsanitize=*) standards=20 ;; esac
    fi
    for standard in $standards; do
        # shellcheck disable=SC2086
        "$compiler" -std=c++$standard -O0 -Wall -Wextra -Wpedantic -Werror $flags -I "$here/../../include" "$program" "$library" \
            "-Wl,-rpath,$(dirname "$library")" -lm -lpthread -lz -ldl -o "$work/program" || { echo "FAIL $compiler, C++$standard: does not compile"; bad=1; continue; }
        "$work/program" || { echo "FAIL $compiler, C++$standard"; bad=1; }
        ran=$((ran + 1))
    done
done
[ $bad = 0 ] || exit 1
[ $ran != 0 ] || exit 77
