#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing to build Kiln, with the system's package manager, and says what and why. Installs nothing if all is there.
# usage: setup.sh build|test|check|bench|docs|web      each needs what those before it need (bench, docs: build)
set -u
goal=${1:-build}
packages=() optional=()

have() { command -v "$1" >/dev/null 2>&1; }
have_header() { have gcc && printf '#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <%s>\n' "$1" | gcc -DPCRE2_CODE_UNIT_WIDTH=8 -x c -fsyntax-only - 2>/dev/null; }
need() { # need PACKAGE REASON: without it this does not work
    echo "missing: $1 ($2)"
    packages+=("$1")
}
want() { # want PACKAGE REASON: without it some checks are skipped
    echo "missing: $1 ($2; optional)"
    optional+=("$1")
}
wasm() { # wasm need|want
    have clang-19 || "$1" clang-19 "compiles for WebAssembly"
    have wasm-ld-19 || "$1" lld-19 "links modules"
    [ -x /usr/lib/llvm-19/bin/llvm-ar ] || "$1" llvm-19 "archives of objects of WebAssembly"
    [ -d /usr/include/wasm32-wasi ] || "$1" wasi-libc "the C library of modules"
    [ -d /usr/lib/llvm-19/lib/clang/19/lib/wasi ] || "$1" libclang-rt-19-dev-wasm32 "what the compiler calls there"
    have node || "$1" nodejs "runs the modules"
}

have gcc || need gcc "the C compiler"
have_header stdio.h || need libc6-dev "the headers of the C library"
have cmake || need cmake "makes the build"
have ninja || need ninja-build "runs the build"
have pkg-config || need pkg-config "finds libraries"
have_header zlib.h || need zlib1g-dev "reads compressed npz files"
have_header png.h || want libpng-dev "reads and writes PNG pictures, plots among them"
have_header jansson.h || want libjansson-dev "reads JSON: tokenizers"
have_header pcre2.h || want libpcre2-dev "splits texts: tokenizers"
have_header utf8proc.h || want libutf8proc-dev "normalises texts: tokenizers"
have_header openssl/sha.h || want libssl-dev "SHA-256: the cache of files"
pkg-config --exists libjpeg || want libjpeg-dev "JPEG pictures in models"
have_header webp/decode.h || want libwebp-dev "WebP pictures in models"
have_header tiffio.h || want libtiff-dev "TIFF pictures in models"
have_header openjpeg-2.5/openjpeg.h || want libopenjp2-7-dev "JPEG 2000 pictures in models"
case $goal in
    test | check)
        have_header cmocka.h || need libcmocka-dev "the frame of the unit tests"
        have clang || want clang "the second compiler"
        have_header mpfr.h || want libmpfr-dev "exact values of elementwise functions, for their accuracy"
        have_header mpc.h || want libmpc-dev "the same of complex numbers"
        have g++ || want g++ "compiles the public header as C++"
        have python3 || want python3 "compares what is made of the descriptions of public functions"
        python3 -c "import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_paths()['include'] + '/Python.h'))" 2>/dev/null ||
            want python3-dev "builds the Python package"
        python3 -c "import venv, ensurepip" 2>/dev/null || want python3-venv "the environment that the Python package is tested in"
        have cmark-gfm || want cmark-gfm "turns pages into HTML and man pages"
        have mpicc || want libopenmpi-dev "builds the module for processes of a cluster"
        have mpirun || want openmpi-bin "starts the processes of its tests"
        { have ctags && ctags --version 2>/dev/null | grep -q Universal; } || want universal-ctags "measures the length of functions"
        wasm want
        ;;
esac
case $goal in
    docs)
        have cmark-gfm || need cmark-gfm "turns pages into HTML and man pages"
        have python3 || need python3 "makes the pages of the descriptions of public functions"
        ;;
    check)
        have debootstrap || want debootstrap "makes the bare system that packages are tried in"
        have chromium || want chromium "looks at the site as a reader does"
        have clang-format || want clang-format "checks the format"
        have clang-tidy || want clang-tidy "finds doubtful code"
        newest=$(apt-cache search --names-only '^clang-[0-9]+$' 2>/dev/null | sed 's/ .*//; s/clang-//' | sort -n | tail -n 1)
        [ -z "$newest" ] || have "clang-$newest" || want "clang-$newest" "the newest compiler that can be had"
        have qemu-aarch64 || want qemu-user "runs the tests on other CPUs"
        for triple in aarch64-linux-gnu riscv64-linux-gnu s390x-linux-gnu arm-linux-gnueabihf; do
            have $triple-gcc || want gcc-$triple "compiles for another CPU"
            case $triple in aarch64*) cpu=arm64 ;; arm-*) cpu=armhf ;; *) cpu=${triple%%-*} ;; esac
            [ -e /usr/$triple/include/stdio.h ] || want libc6-dev-$cpu-cross "the C library of another CPU"
        done
        ;;
    web)
        wasm need
        have npm || want npm "brings what drives browsers (scripts/setup-web.sh)"
        have chromium || want chromium "a browser to test in"
        { have firefox-esr || have firefox; } || want firefox-esr "another browser to test in"
        ;;
    bench)
        python3 -c "import venv, ensurepip" 2>/dev/null || want python3-venv "the environment that the peers are put into"
        ldconfig -p 2>/dev/null | grep -q libblis.so.4 || want libblis4-openmp "a peer of matrix products"
        ;;
esac
[ ${#packages[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    have sudo && as_root=(sudo)
fi
fail() {
    [ ${#packages[@]} -eq 0 ] && { echo "$1: goes on without ${optional[*]}"; exit 0; }
    echo "$1. Please install (Debian's names): ${packages[*]}"
    exit 1
}
have apt-get || fail "there is no apt-get here"
[ "$(id -u)" -eq 0 ] || have sudo || fail "installing needs root"

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
echo "installing with apt-get: ${packages[*]} ${optional[*]}"
apt update -qq || echo "apt-get update failed; trying with the lists that are there"
if [ ${#packages[@]} -gt 0 ]; then
    apt install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || fail "apt-get could not install them"
fi
for package in "${optional[@]}"; do
    apt install -y -qq --no-install-recommends "$package" >/dev/null || echo "could not install $package: goes on without it"
done
