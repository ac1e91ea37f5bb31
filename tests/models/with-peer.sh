#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a script with the Python that has the peers; skips the test where scripts/models-venv.sh has not been run.
# usage: with-peer.sh PYTHON SCRIPT [ARGUMENT...]
[ -x "$1" ] || { echo "skipped: $1 is not there (scripts/models-venv.sh makes it)"; exit 77; }
exec "$@"
