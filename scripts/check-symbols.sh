#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every global symbol of the static library begins with kn, every exported symbol of the shared ones with kn_.
# usage: check-symbols.sh libkiln.a libkiln.so...
set -u
bad=0
strangers=$(nm -g --defined-only "$1" | awk 'NF == 3 && $3 !~ /^kn/ { print "  " $3 }' | sort -u)
[ -n "$strangers" ] && { echo "global symbols of $(basename "$1") that do not begin with kn:"; echo "$strangers"; bad=1; }
for shared in "${@:2}"; do
    strangers=$(nm -D --defined-only --without-symbol-versions "$shared" | awk 'NF == 3 && $2 != "A" && $3 !~ /^kn_/ { print "  " $3 }' | sort -u)
    [ -n "$strangers" ] && { echo "exported symbols of $(basename "$shared") that do not begin with kn_:"; echo "$strangers"; bad=1; }
    count=$(nm -D --defined-only --without-symbol-versions "$shared" | awk 'NF == 3' | wc -l)
    echo "$count exported symbols of $(basename "$shared")"
    [ "$count" -gt 0 ] || bad=1
done
exit $bad
