#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The peers of the benchmarks, the newest that the Python at hand can have, in a virtual environment of their own
# (build/venv): NumPy, SciPy, JAX and PyTorch, and wheels of OpenBLAS, oneDNN and MKL, whose libraries the bench loads. Each of them may be missing:
# without a network the bench goes on with what is there. NEWER=1 looks for newer ones. It says which versions there are.
# PyTorch comes from its own index, which has it without CUDA. Where that cannot be reached, TORCH=pypi takes the one of PyPI, with gigabytes that only
# GPUs need; else a python3-torch of the system is used, if there is one.
set -u
cd "$(dirname "$0")/.." || exit 2
venv=build/venv
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || { echo "no virtual environment: JAX's columns stay empty"; exit 0; }
get() {
    [ -z "${NEWER-}" ] && "$venv/bin/pip" show -q "$1" 2>/dev/null && return
    "$venv/bin/pip" install -q --upgrade "$@" || echo "$1 could not be installed: its columns stay empty, or the system's is taken"
}
get jax numpy
get scipy
get scipy-openblas32
get onednn onednn-devel
get mkl
if [ -n "${NEWER-}" ] || ! "$venv/bin/pip" show -q torch 2>/dev/null; then
    "$venv/bin/pip" install -q --upgrade --timeout 15 --retries 1 torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null ||
        if [ "${TORCH-}" = pypi ]; then get torch; else echo "torch could not be installed: its columns stay empty, or the system's is taken (TORCH=pypi: see $0)"; fi
fi
"$venv/bin/pip" list 2>/dev/null | awk '$1 ~ /^(numpy|scipy|jax|torch|scipy-openblas32|onednn|mkl)$/ { print "  " $1, $2 }'
exit 0
