#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kiln for other CPUs: built by Debian's cross compilers; the examples, acceptance programs and unit tests run under qemu-user.
# s390x has big-endian numbers, arm 32-bit pointers; on none of them is machine code generated, so kernels are interpreted.
# usage: check-cross.sh [TRIPLE...]
#   KILN_CROSS_TESTS: a regular expression of the tests to run (default: all that a cross build has)
set -u
unset KILN_TEST_LONG # an emulator is slow: the short sweeps, and none that are labelled `host` (tests/CMakeLists.txt)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/cross
jobs=$(getconf _NPROCESSORS_ONLN)
[ $# -gt 0 ] || set -- aarch64-linux-gnu riscv64-linux-gnu s390x-linux-gnu arm-linux-gnueabihf
good=0 bad=0

# Libraries for the target, from Debian's source packages: cmocka, which is one file, and zlib.
fetch() { # fetch PACKAGE
    [ -d "$work/$1" ] && return
    local apt=$work/apt
    mkdir -p "$apt/lists/partial" || return
    (
        . /etc/os-release
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" >"$apt/sources.list"
        options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists")
        cd "$apt" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only "$1"
    ) >"$work/$1.log" 2>&1 || return
    mkdir "$work/$1" && find "$apt" -name "$1_*.orig.tar.*" ! -name '*.asc' -exec tar -xf {} -C "$work/$1" --strip-components 1 \;
}
make_cmocka() { # make_cmocka TRIPLE ROOT
    mkdir -p "$2/lib/pkgconfig" "$2/include" && cp "$work"/cmocka/include/cmocka*.h "$2/include" &&
        "$1-gcc" -O1 -w -I"$2/include" -DHAVE_SIGNAL_H -DHAVE_STRINGS_H -DHAVE_MALLOC_H -DHAVE_INTTYPES_H -DHAVE_STDLIB_H -DHAVE_STRING_H \
            -DHAVE_UNISTD_H -DHAVE_STDINT_H -DHAVE_TIME_H -DHAVE_CLOCK_GETTIME -DHAVE_STRUCT_TIMESPEC -DHAVE_STRSIGNAL -DHAVE_SNPRINTF \
            -DHAVE_VSNPRINTF -DHAVE_SETJMP_H -DHAVE_STDARG_H -DHAVE_STDDEF_H -DHAVE_STDIO_H -DHAVE_CTYPE_H -DHAVE_ERRNO_H \
            -c "$work/cmocka/src/cmocka.c" -o "$2/cmocka.o" &&
        "$1-ar" rcs "$2/lib/libcmocka.a" "$2/cmocka.o" &&
        printf 'Name: cmocka\nDescription: unit tests\nVersion: 1.1\nLibs: -L%s -lcmocka\nCflags: -I%s\n' "$2/lib" "$2/include" \
            >"$2/lib/pkgconfig/cmocka.pc"
}
make_zlib() { # make_zlib TRIPLE ROOT
    mkdir -p "$2/lib" "$2/include" "$2/zlib" && cp "$work/zlib/zlib.h" "$work/zlib/zconf.h" "$2/include" &&
        (cd "$2/zlib" && "$1-gcc" -O2 -w -fPIC -DHAVE_UNISTD_H -c "$work"/zlib/*.c) && "$1-ar" rcs "$2/lib/libz.a" "$2"/zlib/*.o
}
build() { # build TRIPLE DIR
    make_cmocka "$1" "$2/root" && make_zlib "$1" "$2/root" &&
        cmake -S "$root" -B "$2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/cross.cmake" -DKILN_CROSS="$1" -DKILN_CROSS_ROOT="$2/root" \
            -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -DKILN_BENCH=OFF &&
        cmake --build "$2" -- -k 0
}

mkdir -p "$work"
for triple in "$@"; do
    cpu=${triple%%-*} dir=$work/$triple log=$work/$triple.log
    if ! command -v "$triple-gcc" >/dev/null || ! command -v "qemu-$cpu" >/dev/null; then
        echo "skip $triple: $triple-gcc or qemu-$cpu is not installed"
        continue
    fi
    for package in cmocka zlib; do
        fetch $package || echo "no source of $package: $work/$package.log"
    done
    if ! build "$triple" "$dir" >"$log" 2>&1; then
        echo "FAIL $triple does not build: $log"
        bad=$((bad + 1))
        continue
    fi
    if ctest --test-dir "$dir" -j "$jobs" -LE '^(long|host)$' -R "${KILN_CROSS_TESTS:-.}" --output-on-failure >"$dir/tests.log" 2>&1; then
        echo "ok   $triple: $(grep 'tests passed' "$dir/tests.log")"
        good=$((good + 1))
    else
        echo "FAIL $triple: $dir/tests.log"
        grep -E '\*\*\*|tests passed' "$dir/tests.log" | grep -v 'Start ' | tail -n 20
        bad=$((bad + 1))
    fi
done
echo "$good targets work, $bad do not"
[ $bad -eq 0 ]
