#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, without a warning, as C and as C++, with each compiler that is installed.
# usage: check-header.sh [ROOT]
set -u
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root/include" || exit 2
bad=0
headers=$(find kiln -name '*.h' | LC_ALL=C sort)
[ -n "$headers" ] || { echo "no headers"; exit 1; }
for header in $headers; do
    for compiler in gcc clang g++ clang++; do
        command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
        case $compiler in
            *++) language="-x c++ -std=c++17" ;;
            *) language="-x c -std=gnu17" ;;
        esac
        # shellcheck disable=SC2086
        if printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
            $compiler $language -Wall -Wextra -Werror -I. -fsyntax-only -; then
            echo "ok   $header ($compiler)"
        else
            echo "FAIL $header ($compiler)"
            bad=1
        fi
    done
done
exit $bad
