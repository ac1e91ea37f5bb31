#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the site together (bindings/javascript/site): its files, the package in package/, names with what they mean for the editor, and the list of
# files for its service worker.
# usage: make-site.sh FOLDER [PACKAGE]      PACKAGE: the folder of the built package (build/wasm/package)
set -eu
cd "$(dirname "$0")/.."
to=${1:?usage: make-site.sh FOLDER [PACKAGE]} package=${2:-build/wasm/package}
[ -s "$package/kiln/kiln.wasm" ] || { echo "there is no package in $package (cmake --build --preset wasm --target javascript_package)"; exit 1; }
rm -rf "$to"
mkdir -p "$to"
cp -R bindings/javascript/site/. "$to/"
cp data/digits.npz "$to/demos/"
rm "$to/README.md"
mkdir "$to/package"
cp -R "$package"/. "$to/package/"
find "$to/package" \( -name '*.d.ts' -o -name package.json -o -name run.mjs -o -name node-webgpu.mjs -o -name 'README.md' \) -delete
find "$to/package/kiln" -name '*.js' ! -name kiln.min.js -delete # which has them all
python3 scripts/site-names.py "$to/lib/names.json" "$to/lib/instructions.json"
threads=false
[ -s "$to/package/kiln/kiln-threads.wasm" ] && threads=true
echo "{\"threads\": $threads}" >"$to/lib/built.json"
cd "$to"
version=$(find . -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -c 1-16)
{
    echo "self.kilnFiles = {version: '$version', files: ["
    find . -type f ! -path ./sw.js ! -path ./files.js ! -name '*.wasm' | LC_ALL=C sort | sed "s/^\.\///; s/.*/    '&',/"
    echo ']};'
} >files.js
echo "$to: $(find . -type f | wc -l) files, version $version"
