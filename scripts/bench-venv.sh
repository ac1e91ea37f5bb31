#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The peers of the benchmarks, the newest that the Python at hand can have, in a virtual environment of their own
# (build/venv): NumPy, SciPy and JAX, and wheels of OpenBLAS, oneDNN and MKL, whose libraries the bench loads. Each of them may be missing: without a
# network the bench goes on with what is there. NEWER=1 looks for newer ones. It says which versions there are.
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
"$venv/bin/pip" list 2>/dev/null | awk '$1 ~ /^(numpy|scipy|jax|scipy-openblas32|onednn|mkl)$/ { print "  " $1, $2 }'
exit 0
