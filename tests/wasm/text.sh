#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# text.sh FOLDER PROGRAM... -- the text that KILN_DUMP_KERNELS writes of each stage function (src/host/wasm/text.c) is what wat2wasm (wabt)
# reads. FOLDER is emptied and gets them; PROGRAM runs kernels. Skipped (77) without wat2wasm.
set -eu
command -v wat2wasm >/dev/null || { echo "skipped: no wat2wasm (Debian: wabt)"; exit 77; }
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
KILN_WASM_FMA=exact KILN_DUMP_KERNELS="$folder" "$@" >/dev/null
count=0
for text in "$folder"/*.wat; do
    wat2wasm --enable-relaxed-simd "$text" -o "$folder/module.wasm"
    count=$((count + 1))
done
echo "$count texts"
[ "$count" -gt 100 ]
