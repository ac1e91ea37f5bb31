#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes docs/coverage.md: each public name of NumPy and JAX (docs/coverage/*.tsv) with its name here and its status. A name is there
# if the public headers declare a function or macro of that name (a type or constant only where names.tsv says that it is meant: kn_place
# is no np.place), or for primitives if src/ir has their row.
# usage: coverage.sh > docs/coverage.md        coverage.sh --check: is docs/coverage.md up to date?
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
generate() {
    public=$(mktemp) types=$(mktemp) rows=$(mktemp)
    trap 'rm -f "$public" "$types" "$rows"' RETURN
    # comments do not declare anything
    headers() { find include -name '*.h' -print0 | sort -z | xargs -0 cat | sed -e 's:/\*.*\*/::g' -e '/^ \*/d'; }
    headers | grep -oE '\b(kn|KN)_[A-Za-z0-9_]+' | sort -u >"$types"
    headers | grep -oE '\bkn_[A-Za-z0-9_]+\(|#define +(kn|KN)_[A-Za-z0-9_]+' | sed -e 's/(//' -e 's/#define *//' | sort -u >"$public"
    grep -hoE '^UNARY\( *[a-z0-9_]+|KN_PRIM(_[A-Z0-9]+)?\([a-z0-9_]+' src/ir/prims.def src/ir/unary.def | sed 's/.*( *//' | sort -u >"$rows"
    awk -F'\t' -v public="$public" -v types="$types" -v rows="$rows" -f scripts/coverage.awk docs/coverage/names.tsv docs/coverage/numpy.tsv docs/coverage/jax.tsv
}
if [ "${1:-}" = --check ]; then
    generate | diff -u docs/coverage.md - >/tmp/kiln-coverage.$$ && { rm -f /tmp/kiln-coverage.$$; exit 0; }
    head -40 /tmp/kiln-coverage.$$
    rm -f /tmp/kiln-coverage.$$
    echo "docs/coverage.md is out of date: scripts/coverage.sh > docs/coverage.md"
    exit 1
fi
generate
