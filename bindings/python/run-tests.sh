#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel with a finished build of the C library, installs it into a clean virtual environment with NumPy, pytest and
# Hypothesis, and runs the tests. Where Python 3.11 or what comes from PyPI cannot be had, it says so and ends with 77.
# usage: run-tests.sh BUILD [--differential] [PYTEST ARGUMENTS...]
#   --differential: a minute of random lines of NumPy code instead, in the environment that is there
# PYTHON: another interpreter. The environment is BUILD/python/venv.
set -u
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "${1:?usage: run-tests.sh BUILD [--differential] [PYTEST ARGUMENTS...]}" && pwd) || exit 2
shift
into=$built/python
python=${PYTHON:-python3}
skip() { echo "skipped: $1"; exit 77; }
unset PYTHONPATH
if [ "${1-}" = --differential ]; then
    shift
    [ -x "$into/venv/bin/python" ] || skip "no environment with the package"
    exec "$into/venv/bin/python" "$here/../../tests/differential/fuzz.py" --package "$@"
fi
command -v "$python" >/dev/null || skip "no Python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "Python is older than 3.11"
"$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
    skip "Python has no headers (python3-dev)"
[ -f "$built/libkiln.a" ] || { echo "$built has no libkiln.a"; exit 1; }
rm -rf "$into/wheel"
mkdir -p "$into/wheel"
"$python" -m venv --clear "$into/venv" >/dev/null 2>&1 || skip "Python makes no virtual environments (python3-venv)"
"$into/venv/bin/pip" install -q --disable-pip-version-check --timeout 15 --retries 1 "numpy>=2" ml_dtypes pytest hypothesis \
    "scikit-build-core>=0.11" || skip "what tests need cannot be had from PyPI"
"$into/venv/bin/pip" wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$into/wheel" \
    -C "cmake.define.KILN_BUILT=$built" -C "build-dir=$into/build" "$here" || exit 1
"$into/venv/bin/pip" install -q --disable-pip-version-check --no-index "$into"/wheel/kiln-*.whl || exit 1
cd "$into" || exit 1 # not where the sources are, so that the installed package is the one that is tested
exec "$into/venv/bin/python" -m pytest -q -p no:cacheprovider -c "$here/pyproject.toml" --rootdir "$here" "$here/tests" "$@"
