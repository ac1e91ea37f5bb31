#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ways in that no preset takes: plain `cmake -S . -B build` with every build type, with the newest compilers that are installed,
# as a part of another project, with the examples run each time. A warning of the default gcc or clang is a failure, too.
# usage: check-builds.sh [NAME...]      only the ways with these names
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/ways
jobs=$(getconf _NPROCESSORS_ONLN)
good=0 bad=0
names=" $* "

newest() { # newest NAME FROM TO: the newest NAME-N that is installed
    for ((n = $3; n >= $2; n--)); do
        command -v "$1-$n" && return
    done
}
wanted() { [ "$names" = "  " ] || [[ $names == *" $1 "* ]]; }
verdict() { # verdict NAME STATUS LOG
    if [ "$2" -eq 0 ]; then
        echo "ok   $1"
        good=$((good + 1))
    else
        echo "FAIL $1: $3"
        grep -E 'warning:|error:|rror at|FAIL|undefined' "$3" | head -n 5
        bad=$((bad + 1))
    fi
}

# plain NAME COMPILER TYPE [OPTION...]: configure, build, run the examples.
plain() {
    local name=$1 compiler=$2 type=$3
    local dir=$work/$name log=$work/$name.log
    shift 3
    wanted "$name" || return
    if ! command -v "$compiler" >/dev/null; then
        echo "skip $name: no $compiler here"
        return
    fi
    rm -rf "$dir"
    {
        cmake -S "$root" -B "$dir" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$type" "$@" &&
            cmake --build "$dir" -j "$jobs" && run_examples "$dir"
    } >"$log" 2>&1
    local status=$?
    case $compiler in
        gcc | clang) grep -q 'warning:' "$log" && status=1 ;;
    esac
    verdict "$name" $status "$log"
    [ $status -eq 0 ] && rm -rf "$dir"
}
run_examples() { # those that print what is known beforehand; 77: what it reads is not there
    for expected in "$root"/examples/*.expected; do
        local name
        name=$(basename "$expected" .expected)
        [ -e "$1/examples/$name" ] || continue # it needs what this build leaves out
        "$root/tests/run-program.sh" "$expected" "$root/data" "$1/examples/$name" || [ $? -eq 77 ] || return 1
    done
}

# inside WAY: Kiln's sources as a part of another project; a static and a shared Kiln.
inside() {
    local dir=$work/inside_$1 log=$work/inside_$1.log
    wanted "inside_$1" || return
    rm -rf "$dir"
    {
        cmake -S "$root/tests/consumer/inside" -B "$dir" -DWAY="$1" -DKILN_SOURCE_DIR="$root" && cmake --build "$dir" -j "$jobs" &&
            [ "$("$dir/with_static")" = "[1. 1. 1.]" ] && [ "$("$dir/with_shared")" = "[1. 1. 1.]" ]
    } >"$log" 2>&1
    local status=$?
    verdict "inside_$1" $status "$log"
    [ $status -eq 0 ] && rm -rf "$dir"
}

# meson: as a subproject of a project in Meson, from Debian or, where that is too old, from PyPI.
meson() {
    local dir=$work/meson log=$work/meson.log tool
    wanted meson || return
    tool=$(type -P meson) || { python3 -m venv "$work/meson-venv" && "$work/meson-venv/bin/pip" install -q meson && tool=$work/meson-venv/bin/meson; } >/dev/null 2>&1
    [ -n "$tool" ] || { echo "skip meson: it is not here"; return; }
    rm -rf "$dir"
    mkdir -p "$dir/subprojects"
    cp "$root/tests/consumer/meson/meson.build" "$root/tests/consumer/main.c" "$dir"
    ln -s "$root" "$dir/subprojects/kiln"
    { "$tool" setup "$dir/build" "$dir" && "$tool" compile -C "$dir/build" with_subproject && [ "$("$dir/build/with_subproject")" = "[1. 1. 1.]" ]; } >"$log" 2>&1
    local status=$?
    verdict meson $status "$log"
    [ $status -eq 0 ] && rm -rf "$dir"
}

mkdir -p "$work"
few=(-DKILN_TESTS=OFF -DKILN_BENCH=OFF)
plain gcc_default gcc ""
for type in Release Debug RelWithDebInfo MinSizeRel; do
    plain "gcc_$type" gcc $type "${few[@]}"
done
plain clang_Release clang Release "${few[@]}"
plain without_webgpu gcc Release "${few[@]}" -DKILN_WEBGPU=OFF
gcc=$(newest gcc 13 20) clang=$(newest clang 15 30)
[ -n "$gcc" ] && plain newest_gcc "$gcc" Release "${few[@]}"
[ -n "$clang" ] && plain newest_clang "$clang" Release "${few[@]}"
inside subdirectory
inside fetch
meson
echo "$good ways in work, $bad do not"
[ $bad -eq 0 ] && [ $good -gt 0 ]
