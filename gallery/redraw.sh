#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program of the gallery and puts what it prints and draws into its folder.
# usage: redraw.sh SOURCES NAME PROGRAM
set -eu
sources=$1 name=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$sources/data" "$work/data"
(cd "$work" && "$program" >expected)
for made in expected "$name.png"; do
    [ ! -e "$work/$made" ] || cmp -s "$work/$made" "$sources/gallery/$name/$made" || { cp "$work/$made" "$sources/gallery/$name/$made"; echo "gallery/$name/$made"; }
done
