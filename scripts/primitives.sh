#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/primitives.md from the table of rows. Usage: scripts/primitives.sh [build folder]
set -eu
cd "$(dirname "$0")/.."
build=${1-build/release}
cmake --build "$build" --target unit_prim
KILN_WRITE_PAGE=1 "$build/tests/unit_prim" test_primitives_page
