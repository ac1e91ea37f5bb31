#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How large the stripped libraries and the smallest static program (bench/first.c) are, in kB of 1,000 bytes; the core and the program stay
# below their bounds.
# usage: check-size.sh libkiln.so libkiln_core.so first
set -u
[ $# -eq 3 ] || { sed -n "s/^# usage: /usage: /p" "$0"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
size() { # size FILE NAME [KB]: prints it, and complains if it is larger than KB
    strip -o "$work/stripped" "$1" || exit 2
    local bytes
    bytes=$(wc -c <"$work/stripped")
    printf '%-40s %5d kB%s\n' "$2" $(((bytes + 999) / 1000)) "${3:+, at most $3}"
    [ -z "${3-}" ] || [ "$bytes" -le $(($3 * 1000)) ] || bad=1
}
size "$1" "everything, shared"
size "$2" "the core, shared" 2420 # with the eager graph, collectives as two steps, and products of narrow numbers
size "$3" "the smallest program, static" 1660
[ $bad -eq 0 ] || echo "too large: nm -S --size-sort --radix=d, and -Wl,-Map for what keeps it"
exit $bad
