#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A CMake project in C++ finds the Kiln installed under PREFIX and runs with the static and with the shared library; so does a program that
# pkg-config helps.
# usage: cpp.sh PREFIX BUILD_DIR COMPILER
set -eu
prefix=$1 build=$2 compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
cmake -S "$here/cpp" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$build"
pc=$(find "$prefix" -name kiln.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$compiler" -std=c++17 $(pkg-config --cflags kiln) "$here/cpp/main.cpp" -o "$build/with_pkg_config" $(pkg-config --libs kiln)
for program in with_static with_shared with_pkg_config; do
    said=$("$build/$program")
    [ "$said" = "[1. 1. 1.]" ] || { echo "$program prints: $said"; exit 1; }
done
