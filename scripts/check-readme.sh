#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program in the README is examples/hello.c, and what the README says it prints is hello.expected.
set -u
cd "$(dirname "$0")/.." || exit 2
shown=$(sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d')
kept=$(sed '/^\/\* SPDX/,/\*\/$/d' examples/hello.c)
[ "$shown" = "$kept" ] || { echo "README.md shows another program than examples/hello.c"; diff <(echo "$shown") <(echo "$kept"); exit 1; }
grep -qF "$(cat examples/hello.expected)" README.md || { echo "README.md says that hello.c prints something else"; exit 1; }
echo "the program of the README is examples/hello.c"
