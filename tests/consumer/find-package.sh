#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A CMake project finds the Kiln installed under PREFIX and runs with the static and with the shared library, whole and the core alone.
# usage: find-package.sh PREFIX BUILD_DIR COMPILER
set -eu
prefix=$1 build=$2 compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
cmake --build "$build"
grep -q '"command".*-isystem' "$build/compile_commands.json" && { echo "Kiln's headers are system headers: warnings of wrong types are lost"; exit 1; }
for program in with_static with_shared; do
    said=$("$build/$program")
    [ "$said" = "[1. 1. 1.]" ] || { echo "$program prints: $said"; exit 1; }
done
for program in core_static core_shared; do
    said=$("$build/$program")
    [ "$said" = "[6. 3.]" ] || { echo "$program prints: $said"; exit 1; }
done
for program in media_static media_shared; do
    said=$("$build/$program")
    [ "$said" = 255 ] || { echo "$program prints: $said"; exit 1; }
done
