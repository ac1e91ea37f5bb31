#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel with a finished build of the C library, installs it into a clean virtual environment with NumPy, pytest and
# Hypothesis, and runs the tests.
# usage: run-tests.sh BUILD [FOLDER [PYTEST ARGUMENTS...]]   FOLDER: where wheel and environment are (BUILD/python)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "${1:?usage: run-tests.sh BUILD [FOLDER [PYTEST ARGUMENTS...]]}" && pwd)
into=${2:-$built/python}
shift $(($# < 2 ? $# : 2))
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "python 3.11 or newer is needed: PYTHON=..."; exit 1; }
[ -f "$built/libkiln.a" ] || { echo "$built has no libkiln.a"; exit 1; }
rm -rf "$into/wheel" "$into/venv"
mkdir -p "$into/wheel"
"$python" -m venv "$into/venv"
"$into/venv/bin/pip" install -q --disable-pip-version-check "numpy>=2" ml_dtypes pytest hypothesis
"$into/venv/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$into/wheel" -C "cmake.define.KILN_BUILT=$built" \
    -C "build-dir=$into/build" "$here"
"$into/venv/bin/pip" install -q --disable-pip-version-check --no-index "$into"/wheel/kiln-*.whl
cd "$into" # not where the sources are, so that the installed package is the one that is tested
exec "$into/venv/bin/python" -m pytest -q -p no:cacheprovider -c "$here/pyproject.toml" --rootdir "$here" "$here/tests" "$@"
