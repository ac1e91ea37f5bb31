#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kiln's declarations of webgpu.h beside the header that came with the engine: sizes, offsets and numbers are the same.
# usage: abi.sh CC SRC
set -u
cc=$1 src=$2
here=$(dirname "$0")
[ -n "${KILN_WEBGPU_LIBRARY-}" ] || { echo "skipped: KILN_WEBGPU_LIBRARY is not set"; exit 77; }
header=$(dirname "$KILN_WEBGPU_LIBRARY")/webgpu.h
[ -f "$header" ] || { echo "skipped: no webgpu.h beside $KILN_WEBGPU_LIBRARY"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cc" -std=gnu17 -I"$src" -o "$work/ours" "$here/abi_facts.c" || exit 1
"$cc" -std=gnu17 -DKN_THEIRS="\"$header\"" -o "$work/theirs" "$here/abi_facts.c" || exit 1
"$work/ours" >"$work/ours.txt" && "$work/theirs" >"$work/theirs.txt" || exit 1
diff -u "$work/theirs.txt" "$work/ours.txt" && echo "$(wc -l <"$work/ours.txt") facts are the same"
