#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/primitives.md from the table of rows. Usage: scripts/primitives.sh [build folder]
set -eu
cd "$(dirname "$0")/.."
build=${1-build/release}
cmake --build "$build" --target test_primitives_page
KILN_WRITE_PAGE=1 "$build/tests/test_primitives_page"
