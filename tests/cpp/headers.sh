#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ header compiles alone, twice in a row, as C++17 and C++20 (the one by the first compiler, the other by the second, unless
# KILN_TEST_LONG is set), without a warning. (methods/declare.hpp stands inside of a class.)
# usage: headers.sh "COMPILERS"
set -u
cd "$(dirname "$0")/../../include" || exit 2
bad=0 ran=0
for compiler in $1; do
    command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; continue; }
    standards="17 20"
    [ -n "${KILN_TEST_LONG-}" ] || [ "$1" = "${1% *}" ] || { [ $ran = 0 ] && standards=17 || standards=20; }
    ran=1
    for header in kiln/kiln.hpp kiln/media.hpp kiln/cpp/*.hpp; do
        for standard in $standards; do
            printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
                "$compiler" -x c++ -std=c++$standard -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only - ||
                { echo "FAIL $header ($compiler, C++$standard)"; bad=1; }
        done
    done
done
[ $ran = 1 ] || exit 77
exit $bad
