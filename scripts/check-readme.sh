#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first program on a page is an example's source, and what the page says it prints is what it prints: README.md and hello.c,
# docs/trees.md and trees.c (the second one there: tree_functions.c), docs/own-primitives.md and own_primitives.c, docs/rng.md and generators.c,
# docs/ufuncs.md and ufuncs.c.
set -u
cd "$(dirname "$0")/.." || exit 2
check() { # PAGE EXAMPLE [WHICH]
    shown=$(awk -v which="${3:-1}" '/^```$/ { inside = 0 } inside && n == which { print } /^```c$/ { inside = 1; n++ }' "$1")
    kept=$(sed '/^\/\* SPDX/,/\*\/$/d' "examples/$2.c")
    [ "$shown" = "$kept" ] ||
        { echo "$1 shows another program than examples/$2.c"; diff <(echo "$shown") <(echo "$kept"); exit 1; }
    printed=$(cat "examples/$2.expected")
    case "$(cat "$1")" in
        *"$printed"*) ;;
        *) echo "$1 says that $2.c prints something else"; exit 1 ;;
    esac
    echo "the program of $1 is examples/$2.c"
}
check README.md hello
check docs/trees.md trees
check docs/trees.md tree_functions 2
check docs/own-primitives.md own_primitives
check docs/rng.md generators
check docs/ufuncs.md ufuncs
