#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a source distribution: the package with what it needs of the C library's sources, in the folder kiln-c.
# usage: make-sdist.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: make-sdist.sh FOLDER}"
into=$(cd "$1" && pwd)
rm -rf "$into/source"
mkdir -p "$into/source/kiln-c/docs"
(cd "$here" && git ls-files -z -c -o --exclude-standard . | tar --null -T - -cf - --exclude=tests --exclude=bench) | tar -C "$into/source" -xf -
(cd "$root" && git ls-files -z CMakeLists.txt LICENSE README.md cmake include src bindings/shared docs/api.json scripts/layers.txt | tar --null -T - -cf -) |
    tar -C "$into/source/kiln-c" -xf -
cp "$root/LICENSE" "$into/source/"
[ -d "$into/tools" ] || "${PYTHON:-python3}" -m venv "$into/tools"
"$into/tools/bin/pip" install -q --disable-pip-version-check build
"$into/tools/bin/python" -m build -s -o "$into" "$into/source"
ls -l "$into"/kiln-*.tar.gz
