#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program compiled with what pkg-config says about the Kiln under PREFIX runs, with the shared and with the static library.
# usage: pkg-config.sh PREFIX COMPILER
set -eu
prefix=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pc=$(find "$prefix" -name kiln.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")
flags=$(pkg-config --cflags kiln)
# shellcheck disable=SC2046,SC2086
"$compiler" -std=gnu17 $flags "$here/main.c" -o "$work/shared" $(pkg-config --libs kiln)
# shellcheck disable=SC2046,SC2086
"$compiler" -std=gnu17 $flags "$here/main.c" -o "$work/static" \
    $(pkg-config --libs --static kiln | sed 's/-lkiln/-Wl,-Bstatic -lkiln -Wl,-Bdynamic/')
[ "$(env -u LD_LIBRARY_PATH "$work/shared")" = "[1. 1. 1.]" ] || { echo "wrong with the shared library"; exit 1; }
[ "$("$work/static")" = "[1. 1. 1.]" ] || { echo "wrong with the static library"; exit 1; }
# The core alone.
# shellcheck disable=SC2046
"$compiler" -std=gnu17 $(pkg-config --cflags kiln-core) "$here/core.c" -o "$work/core" $(pkg-config --libs kiln-core)
# shellcheck disable=SC2046
"$compiler" -std=gnu17 $(pkg-config --cflags kiln-core) "$here/core.c" -o "$work/core_static" \
    $(pkg-config --libs --static kiln-core | sed 's/-lkiln_core/-Wl,-Bstatic -lkiln_core -Wl,-Bdynamic/')
[ "$(env -u LD_LIBRARY_PATH "$work/core")" = "[6. 3.]" ] || { echo "wrong with the shared core"; exit 1; }
[ "$("$work/core_static")" = "[6. 3.]" ] || { echo "wrong with the static core"; exit 1; }
# Plots, pictures and sound.
# shellcheck disable=SC2046
"$compiler" -std=gnu17 $(pkg-config --cflags kiln-media) "$here/media.c" -o "$work/media" $(pkg-config --libs kiln-media)
# shellcheck disable=SC2046
"$compiler" -std=gnu17 $(pkg-config --cflags kiln-media) "$here/media.c" -o "$work/media_static" \
    $(pkg-config --libs --static kiln-media | sed 's/-lkiln_media/-Wl,-Bstatic -lkiln_media/; s/-lkiln\b/-lkiln -Wl,-Bdynamic/')
[ "$(env -u LD_LIBRARY_PATH "$work/media")" = 255 ] || { echo "wrong with the shared library of media"; exit 1; }
[ "$("$work/media_static")" = 255 ] || { echo "wrong with the static library of media"; exit 1; }
# A wrong call is told in a few lines that name it, and a wrong type is not passed over.
printf '#include <kiln/kiln.h>\nint main(void) { KN_SCOPE; kn_print(kn_add(kn_ones(KN_SHAPE(3)), "s")); return kn_finish(); }\n' >"$work/wrong.c"
if "$compiler" --version | grep -q 'Free Software Foundation'; then
    # shellcheck disable=SC2046
    "$compiler" -std=gnu17 $(pkg-config --cflags kiln-gcc) -c "$work/wrong.c" -o "$work/wrong.o" 2>"$work/said" && { echo "compiled"; exit 1; }
    [ "$(wc -l <"$work/said")" -le 16 ] && grep -q 'wrong.c:2:.*no_array_and_no_number' "$work/said" || { cat "$work/said"; echo "too long, or not said"; exit 1; }
fi
if [ "$(uname)" = Linux ]; then
    for name in libkiln libkiln_core libkiln_media libkiln_models; do
        readelf -d "$libdir/$name.so" | grep -q "SONAME.*$name\.so\.0\.1\]" || { echo "the SONAME is not $name.so.0.1"; exit 1; }
    done
fi
