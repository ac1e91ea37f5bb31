#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.py with a Python that has NumPy 2.4 or newer: that of build/venv (scripts/bench-venv.sh), the system's, or a new build/venv. Without one, and
# without a network to have one from, the test is skipped. usage: run.sh LIBRARY [OPTIONS of fuzz.py]
set -u
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/../../build/venv
library=$1
shift
new_enough() { "$1" -c 'import numpy, sys; sys.exit(tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 4))' 2>/dev/null; }
find_python() {
    for python in "$venv/bin/python" python3; do
        if new_enough "$python"; then
            return 0
        fi
    done
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" 2>/dev/null || return 1
    "$venv/bin/pip" install -q --timeout 15 --retries 1 --upgrade 'numpy>=2.4' 2>/dev/null
    python=$venv/bin/python
    new_enough "$python"
}
find_python || { echo "skipped: no Python with NumPy 2.4 or newer, and none can be installed"; exit 77; }
exec "$python" "$here/fuzz.py" --library "$library" "$@"
