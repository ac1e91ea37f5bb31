#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is installed below DESTDIR and taken away again leaves no file and no folder of Kiln's behind.
# usage: uninstall.sh BUILD CMAKE
set -eu
build=$1 cmake=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/lists"
# The list of files goes into a folder of this test's own: the build folder keeps that of its real installation.
DESTDIR=$place/root "$cmake" --install "$build" --prefix /usr/local >/dev/null
(cd "$place/root" && find . -type f -o -type l) | sed 's/^\.//' >"$place/lists/install_manifest.txt"
[ "$(wc -l <"$place/lists/install_manifest.txt")" -gt 50 ]
DESTDIR=$place/root "$cmake" -DMANIFESTS="$place/lists/install_manifest" -P "$root/cmake/uninstall.cmake" >/dev/null
left=$(find "$place/root" -type f -o -type l -o -name '*kiln*')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
