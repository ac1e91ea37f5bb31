#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles every source without making code: for a 32-bit machine, or with a compiler that does not build the library here.
# usage: check-compile.sh 32bit|gcc|clang [ROOT]
set -u
mode=$1
root=${2:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 2
flags="-std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror -ffp-contract=off -fno-math-errno
    -fno-strict-aliasing -fvisibility=hidden -Iinclude -Isrc -DKN_BUILD=1 -fsyntax-only"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The 32-bit headers of glibc differ from the 64-bit ones in one generated file; an empty one does where it is not installed.
mkdir -p "$work/last/gnu"
: >"$work/last/gnu/stubs-32.h"
find_32bit() {
    local header='#include <stdio.h>
#include <pthread.h>
_Static_assert(sizeof(void *) == 4, "a 32-bit target");'
    for cc in gcc clang; do
        for more in "" "-isystem /usr/include/$(uname -m)-linux-gnu"; do
            if echo "$header" | "$cc" -m32 $more -idirafter "$work/last" -x c -fsyntax-only - 2>/dev/null; then
                compile="$cc -m32 -msse2 -Wno-psabi $more -idirafter $work/last"
                return 0
            fi
        done
    done
    return 1
}

case $mode in
    32bit) find_32bit || { echo "skipped: no compiler here takes -m32"; exit 77; } ;;
    gcc | clang)
        command -v "$mode" >/dev/null || { echo "skipped: no $mode here"; exit 77; }
        compile=$mode
        ;;
    *) echo "usage: check-compile.sh 32bit|gcc|clang [ROOT]"; exit 2 ;;
esac
[ "$mode" != 32bit ] && echo '#include <zlib.h>' | $compile -x c -fsyntax-only - 2>/dev/null && compile="$compile -DKN_HAVE_ZLIB=1"
compile="$compile -DKN_VERSION=\"0\" -DKN_HAVE_WEBGPU=1"
avx2="-mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt"
avx512="$avx2 -mavx512f -mavx512vl -mavx512bw -mavx512dq"
variants=
if [ "$mode" != 32bit ] && [ "$(uname -m)" = x86_64 ]; then
    variants="avx2 avx512"
    compile="$compile -DKN_HAVE_ISA_VARIANTS=1 -DKN_HAVE_ISA_AVX512=1 -DKN_HAVE_X86=1"
fi

echo "$compile"
bad=0
each() { xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 4 "$@" || bad=1; }
find src -name '*.c' | LC_ALL=C sort >"$work/files"
[ -n "$variants" ] || sed -i '/^src\/host\/x86\//d' "$work/files" # as cmake/KilnLibrary.cmake has it
sed -i "/^src\/host\/wasm\//d; /^src\/webgpu\/web\.c/d" "$work/files" # for WebAssembly alone
sed -i "/^src\/dist\/mpi\//d" "$work/files" # includes mpi.h
# shellcheck disable=SC2086
each $compile $flags -DKN_ISA=base <"$work/files"
for isa in $variants; do
    # shellcheck disable=SC2086
    each $compile $flags -DKN_ISA=$isa ${!isa} < <(grep '_isa\.c$' "$work/files")
done
# Tests too: the other compiler builds them in check-all only. (The acceptance programs are given as they are, and some wait for features;
# programs of tests/mistakes are wrong; those of tests/wasm and tests/web are for WebAssembly alone,
# tests/mpi/attach.c includes mpi.h.)
if [ "$mode" != 32bit ] && echo '#include <cmocka.h>' | $compile -x c -include stdarg.h -include stddef.h -include stdint.h -include setjmp.h -fsyntax-only - 2>/dev/null; then
    echo 'GROUP(one)' >"$work/groups"
    # shellcheck disable=SC2086
    each $compile ${flags/-DKN_BUILD=1/} -Itests -Itests/property "-DKN_TEST_DATA=\"data\"" "-DKN_TEST_DIR=\"tests\"" "-DKN_TEST_PROGRAMS=\"tests\"" "-DKN_TEST_GROUPS=\"$work/groups\"" < <(find tests -name '*.c' -not -path "tests/acceptance/*" -not -path "tests/mistakes/*" -not -path "tests/wasm/*" -not -path "tests/web/*" -not -path "tests/mpi/attach.c" -not -name runner.c | LC_ALL=C sort)
fi
exit $bad
