#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every exported function can be found: its name, in full, is a word of some file under src/.
# usage: check-names.sh libkiln.so...
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C
missing=$(comm -23 <(nm -D --defined-only --without-symbol-versions "${@:?usage: check-names.sh libkiln.so...}" | awk '$2 == "T" { print $3 }' | sort -u) \
    <(grep -rhoE '\bkn_[A-Za-z0-9_]+' src | sort -u))
[ -z "$missing" ] && { echo "every exported function is named in src/"; exit 0; }
echo "no file under src/ has the name of (made by pasting?):"
echo "$missing" | sed 's/^/  /'
exit 1
