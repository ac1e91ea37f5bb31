#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same.sh MPIRUN DEVICES PROGRAM: the program alone with so many devices, and as 2, 4, ... processes that have them together, print the same.
mpirun=$1 devices=$2 program=$3
here=$(dirname "$0")
alone=$(KILN_DEVICES=$devices "$program") || exit 1
echo "$alone"
n=1
while [ "$n" -lt "$devices" ]; do
    n=$((2 * n))
    together=$(KILN_DEVICES=$((devices / n)) "$here/ranks.sh" "$mpirun" "$n" well "$program" mpi) || exit 1
    if [ "$alone" != "$together" ]; then
        printf 'as %s processes:\n%s\n' "$n" "$together"
        exit 1
    fi
done
