#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kiln configures where no optional package is installed (pkg-config finds nothing): what `make demo` meets on a fresh machine.
# usage: check-bare.sh BUILD-FOLDER
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$1"
said=$(cmake --preset release -S "$root" -B "$1" -DKILN_TESTS=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON 2>&1)
status=$?
rm -rf "$1"
[ $status -eq 0 ] || { echo "$said"; exit 1; }
grep -q "cmocka is missing" <<<"$said" && grep -q "MPFR is missing" <<<"$said" || { echo "a package was found that this test hides:"; echo "$said"; exit 1; }
