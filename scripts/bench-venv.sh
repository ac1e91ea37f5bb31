#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# JAX for the benchmarks, in a virtual environment of its own (build/venv). Without a network the bench goes on without it.
set -u
cd "$(dirname "$0")/.." || exit 2
venv=build/venv
"$venv/bin/python" -c 'import jax' 2>/dev/null && exit 0
python3 -m venv "$venv" && "$venv/bin/pip" install -q 'jax==0.10.2' 'numpy>=2' && exit 0
echo "JAX could not be installed: its columns stay empty"
exit 0
