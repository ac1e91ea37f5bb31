#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# checkpoint.sh MPIRUN PROGRAM: what one, two and three processes write, one, two and three read; what one of them could not write leaves the
# older one as it was.
mpirun=$1 program=$2
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
as() { # N DEVICES WHAT
    if [ "$1" = 1 ]; then
        KILN_DEVICES=$2 "$program" "$3" "$folder/state" alone
    else
        KILN_DEVICES=$2 "$here/ranks.sh" "$mpirun" "$1" well "$program" "$3" "$folder/state" mpi
    fi || { echo "$1 processes with $2 devices: $3"; exit 1; }
}
for writers in "2 1" "3 1" "2 3" "1 4"; do
    # shellcheck disable=SC2086
    as $writers save
    for readers in "1 1" "1 5" "2 1" "2 2" "3 1"; do
        # shellcheck disable=SC2086
        as $readers load
    done
done
as 2 1 fail
as 3 2 fail
as 1 1 load
[ "$(ls "$folder")" = state ] || { ls "$folder"; exit 1; }
