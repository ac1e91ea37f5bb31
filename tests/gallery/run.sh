#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of the gallery prints what is expected, and its pictures are like those that are stored.
# usage: run.sh FOLDER DATA COMPARE PROGRAM...
set -eu
folder=$1 data=$2 compare=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$data" "$work/data"
(cd "$work" && "$@" >out.txt) || { cat "$work/out.txt"; exit 1; }
diff -u "$folder/expected" "$work/out.txt"
for picture in "$folder"/*.png; do
    [ -e "$picture" ] || continue
    [ -e "$work/${picture##*/}" ] || { echo "${picture##*/} is not written"; exit 1; }
    "$compare" "$picture" "$work/${picture##*/}"
done
for needed in about.md "$(basename "$folder").c"; do
    [ -s "$folder/$needed" ] || { echo "there is no $needed"; exit 1; }
done
lines=$(wc -l <"$folder/$(basename "$folder").c")
[ "$lines" -le 150 ] || { echo "$lines lines, more than 150"; exit 1; }
