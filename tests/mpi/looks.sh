#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# looks.sh MPIRUN PROCESSES DEVICES EXPECTED ALONE TOGETHER PROGRAM: the program with the arguments ALONE as one process with so many devices, and with
# the arguments TOGETHER as each of these numbers of processes (one text), which have the devices together: what somebody looked at has the same bits
# (looks.c writes it down), and what is printed is the file EXPECTED, if it is not "-";
# ALONE "-": none.
mpirun=$1 processes=$2 devices=$3 expected=$4 alone=$5 together=$6 program=$7
here=$(dirname "$0")
[ "$alone" != - ] || alone=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() { echo "as $1 processes: $2"; cat "$work/out"; exit 1; }
# shellcheck disable=SC2086
KILN_TEST_LOOKS=$work/alone KILN_DEVICES=$devices "$program" $alone >"$work/out" 2>&1 || bad no "it fails"
cat "$work"/alone* >"$work/looks"
[ -s "$work/looks" ] || bad no "nobody looked at anything"
for n in $processes; do
    # shellcheck disable=SC2086
    KILN_TEST_LOOKS=$work/n$n KILN_DEVICES=$(((devices + n - 1) / n)) "$here/ranks.sh" "$mpirun" "$n" well "$program" $together >"$work/out" 2>&1 ||
        bad "$n" "it fails"
    for file in "$work/n$n"*; do
        cmp "$work/looks" "$file" || bad "$n" "other bits"
    done
    [ "$expected" = - ] || diff "$expected" "$work/out" || bad "$n" "another text"
done
wc -l <"$work/looks" | sed 's/$/ looks, the same as processes/; s/^ *//'
