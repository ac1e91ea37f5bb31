#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles programs of this folder against an installed Kiln, with gcc and clang, and compares what they print.
# usage: run.sh [--cc COMPILER] [PREFIX [PROGRAM...]]
#   COMPILER: only this one.  PREFIX: where `cmake --install` put Kiln (default: what pkg-config finds).
#   PROGRAM: a name without .c (default: those in enabled.txt).
# Prints a line per program and compiler, and 'N passed, M failed' last; exits non-zero if any failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
compilers="gcc clang"
if [ "${1-}" = --cc ]; then
    compilers=$2
    shift 2
fi
if [ $# -ge 1 ]; then
    for d in lib lib64 "lib/$(gcc -dumpmachine 2>/dev/null)"; do
        PKG_CONFIG_PATH="$1/$d/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
        LD_LIBRARY_PATH="$1/$d${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    done
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    shift
fi
[ $# -ge 1 ] || mapfile -t programs < <(grep '^[a-z]' "$here/enabled.txt")
[ $# -ge 1 ] && programs=("$@")
flags=$(pkg-config --cflags --libs kiln) || { echo "pkg-config does not find kiln"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/../../data/digits.npz" "$work/" || exit 2
passed=0 failed=0
for name in "${programs[@]}"; do
    for cc in $compilers; do
        command -v "$cc" >/dev/null || continue
        why=
        # shellcheck disable=SC2086
        if ! "$cc" -std=gnu17 -O1 -g -Wall -Wextra -Werror "$here/$name.c" -o "$work/$name" $flags >"$work/log" 2>&1; then
            why="does not compile: $(grep -m1 -E 'error|undefined' "$work/log")"
        elif ! (cd "$work" && timeout 300 "./$name" >"$name.out" 2>"$name.err"); then
            why="exit status not 0: $(tail -n 1 "$work/$name.err")"
        elif [ -f "$here/$name.expected" ] && ! diff "$here/$name.expected" "$work/$name.out" >"$work/diff"; then
            why="prints something else: $(sed -n 2p "$work/diff") / $(grep -m1 '^>' "$work/diff")"
        fi
        if [ -z "$why" ]; then passed=$((passed + 1)); echo "ok   $name ($cc)"; else failed=$((failed + 1)); echo "FAIL $name ($cc): $why"; fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
