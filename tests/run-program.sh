#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program in an empty folder and compares what it prints.
# usage: run-program.sh EXPECTED DATA PROGRAM [ARGUMENT...]
#   EXPECTED: the text it must print; only the status counts if there is no such file. DATA: copied into the folder before.
set -u
expected=$1 data=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$data" "$work/" || exit 2
cd "$work" || exit 2
"$@" >"$work/out.txt"
status=$?
if [ "$status" -ne 0 ]; then
    cat "$work/out.txt"
    [ "$status" -eq 77 ] && exit 77 # skipped
    echo "exit status $status"
    exit 1
fi
if [ -f "$expected" ]; then
    diff -u "$expected" "$work/out.txt"
else
    cat "$work/out.txt"
fi
