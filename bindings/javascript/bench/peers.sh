#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The libraries that the benchmark of the JavaScript package measures Kiln against, into build/peers-web, with what starts a
# browser. Without a network it goes on with what is there. NEWER=1 looks for newer ones.
set -u
cd "$(dirname "$0")/../../.." || exit 2
command -v npm >/dev/null || { echo "no npm: the others' columns stay empty"; exit 0; }
mkdir -p build/peers-web && cd build/peers-web || exit 2
[ -f package.json ] || echo '{"private": true}' > package.json
for p in @jax-js/jax numpy-ts @tensorflow/tfjs @tensorflow/tfjs-backend-wasm puppeteer-core; do
    [ -z "${NEWER-}" ] && [ -d "node_modules/$p" ] && continue
    npm install --silent --no-audit --no-fund "$p@latest" || echo "$p could not be installed: its column stays empty"
done
for p in @jax-js/jax numpy-ts @tensorflow/tfjs; do
    [ -f "node_modules/$p/package.json" ] && node -p "'  ' + '$p ' + require('./node_modules/$p/package.json').version"
done
exit 0
