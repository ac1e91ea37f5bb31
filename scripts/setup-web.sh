#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings the packages of npm that tests in browsers use (tests/web/package.json: what drives browsers, and a Node with relaxed SIMD) to
# build/node. What is there already is not brought again. Ends with 1 and the reason where that cannot be.
set -u
cd "$(dirname "$0")/.." || exit 2
list=tests/web/package.json folder=build/node
fail() { echo "no packages of npm: $1" >&2; exit 1; }
complete() { # each package of the list is there: a folder that was begun, or that somebody emptied, is not enough
    cmp -s "$list" "$folder/package.json" || return 1
    local name
    for name in $(sed -n '/"dependencies"/,/}/s/^ *"\([^"]*\)": *"[^"]*",\{0,1\}$/\1/p' "$list"); do
        [ -d "$folder/node_modules/$name" ] || return 1
    done
}
complete && exit 0
command -v npm >/dev/null || fail "there is no npm (Debian: npm)"
mkdir -p "$folder"
rm -f "$folder/package-lock.json"
cp "$list" "$folder/package.json"
npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error >&2 && exit 0
rm -f "$folder/package.json" # so that it is tried again
fail "npm could not install them"
