#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every .c file as .clang-format says; with --check it only says which are not. Headers and .def files are laid
# out by hand: their one-line structures and tables read better than what the tool makes of them.
set -u
cd "$(dirname "$0")/.." || exit 2
command -v clang-format >/dev/null || { echo "clang-format is not installed"; exit 1; }
mode=(-i)
[ "${1-}" = --check ] && mode=(--dry-run -Werror)
# The acceptance programs are kept as they are.
find src tests examples gallery bench bindings -name '*.c' ! -path 'tests/acceptance/*' | LC_ALL=C sort |
    xargs -r clang-format "${mode[@]}"
