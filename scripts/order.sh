#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes src/ir/order.h from the builder helpers of src/ir/prims.def (the forms with two or three operands) and of
# src/ir/ops.h (the functions that take two or three operands next to each other).
# usage: order.sh        order.sh --check: is src/ir/order.h up to date?
set -eu
cd "$(dirname "$0")/.."

# name, number of operands, P where parameters follow
helpers() {
    grep -vE '^(#| \*)' src/ir/prims.def | grep -oE 'KN_PRIM_[23]P?\([a-z0-9_]+' | sed -E 's/KN_PRIM_([23])(P?)\((.*)/\3 \1 \2/'
    tr '\n' ' ' <src/ir/ops.h | sed -E 's:/\*[^*]*\*/: :g; s/;/;\n/g' |
        sed -nE 's/.*kni_atom knb_([a-z0-9_]+)\(kni_builder \*b, kni_atom [a-z0-9]+, kni_atom [a-z0-9]+(, kni_atom [a-z0-9]+)?(, .*)?\);/\1 \2\3/p' |
        awk '{ name = $1; n = 2; rest = $0; sub(/^[^ ]+ */, "", rest)
               if (rest ~ /^, kni_atom [a-z0-9]+/) { n = 3; sub(/^, kni_atom [a-z0-9]+/, "", rest) }
               print name, n, rest == "" ? "" : "P" }'
}

generate() {
    cat <<'EOF'
/* SPDX-License-Identifier: Apache-2.0
 * order.h -- builder calls as operands of builder calls run from left to right. C leaves the order of a call's
 * arguments open, and compilers differ, which would show in printed jaxprs; so the helpers with several operands are
 * macros that evaluate them in order. `(knb_add)` is the function itself.
 *
 * Made by scripts/order.sh from prims.def and ops.h; do not edit. */
#ifndef KN_IR_ORDER_H
#define KN_IR_ORDER_H
#define KNB_CAT_(a, b) a##b
#define KNB_CAT(a, b) KNB_CAT_(a, b)
#define KNB_2(f, b, x, y) KNB_2_(__COUNTER__, f, b, x, y)
#define KNB_2_(c, f, b, x, y) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c)); })
#define KNB_2P(f, b, x, y, ...) KNB_2P_(__COUNTER__, f, b, x, y, __VA_ARGS__)
#define KNB_2P_(c, f, b, x, y, ...) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), __VA_ARGS__); })
#define KNB_3(f, b, x, y, z) KNB_3_(__COUNTER__, f, b, x, y, z)
#define KNB_3_(c, f, b, x, y, z) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        kni_atom KNB_CAT(knb_z_, c) = (z); (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), KNB_CAT(knb_z_, c)); })
#define KNB_3P(f, b, x, y, z, ...) KNB_3P_(__COUNTER__, f, b, x, y, z, __VA_ARGS__)
#define KNB_3P_(c, f, b, x, y, z, ...) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        kni_atom KNB_CAT(knb_z_, c) = (z); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), KNB_CAT(knb_z_, c), __VA_ARGS__); })
EOF
    helpers | while read -r name n rest; do
        operands='x, y'
        [ "$n" = 3 ] && operands='x, y, z'
        if [ -n "$rest" ]; then
            echo "#define knb_$name(b, $operands, ...) KNB_${n}P(knb_$name, b, $operands, __VA_ARGS__)"
        else
            echo "#define knb_$name(b, $operands) KNB_$n(knb_$name, b, $operands)"
        fi
    done
    echo '#endif'
}

if [ "${1-}" = --check ]; then
    generate | diff -u src/ir/order.h - || { echo "src/ir/order.h is out of date: scripts/order.sh writes it"; exit 1; }
else
    made=$(generate)
    printf '%s\n' "$made" >src/ir/order.h
fi
