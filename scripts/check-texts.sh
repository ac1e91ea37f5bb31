#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do builds of two compilers record the same jaxprs? Compares the texts of all jaxprs that the property suite looks at.
# usage: check-texts.sh RULES RULES      the program `rules` of each build
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" -t "$dir/a" '*' text | tail -1
"$2" -t "$dir/b" '*' text | tail -1
if cmp "$dir/a" "$dir/b"; then
    echo "the same texts: $(wc -l <"$dir/a") lines"
    exit 0
fi
diff "$dir/a" "$dir/b" | head -40
exit 1
