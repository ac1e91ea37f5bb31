#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Of the C library's mathematics the objects use what IEEE 754 or C define to the last bit, and each nothing but what this list
# allows: docs/determinism.md promises the same values and the same decisions with every C library.
# usage: check-libm.sh libkiln.a
set -u
[ $# -eq 1 ] || { sed -n "s/^# usage: /usage: /p" "$0"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# object, functions, and why the last bit cannot differ
# (sqrt, ceil, floor, trunc and ldexp are calls or instructions, as the compiler and its options want it)
cat >"$work/allowed" <<'EOF'
* sqrt sqrtf ceil ceilf floor floorf trunc truncf ldexp ldexpf - IEEE 754 and C say every bit
continuous.c fmod - exact
functions_isa.c fma - rounded once
events.c fma frexp - rounded once; exact
asserts.c frexp fmin fmax - exact
condensed_isa.c fma fmaf - rounded once
francis.c fmax fmin - exact, of numbers that are not negative
lanes.c rint rintf fma fmaf fmod fmodf - rounded once, as the kernel IR says
matrix_product.c fma fmaf - rounded once
probe.c fmaf - rounded once
fft_isa.c fma fmaf - rounded once
fft_plan.c fma - rounded once
linalg_isa.c fma fmaf - rounded once
small_isa.c fma fmaf - rounded once
small_product_isa.c fma fmaf - rounded once
product_block_isa.c fma fmaf - rounded once
product_lanes_isa.c fma fmaf - rounded once
EOF
functions='acos|acosh|asin|asinh|atan|atan2|atanh|cabs|carg|cbrt|ceil|cexp|clog|cos|cosh|cpow|csqrt|drand48|erf|erfc|exp|exp10|exp2|expm1|fdim'
functions="$functions|floor|fma|fmax|fmin|fmod|frexp|hypot|ilogb|j0|j1|jn|ldexp|lgamma|lgamma_r|llrint|llround|log|log10|log1p|log2|logb|lrint|lround"
functions="$functions|modf|nearbyint|nextafter|nexttoward|pow|rand|random|remainder|remquo|rint|round|roundeven|scalbln|scalbn|sin|sincos|sinh|sqrt"
functions="$functions|strtod|strtold|tan|tanh|tgamma|trunc|y0|y1|yn"
nm -A -u "$1" 2>/dev/null | awk '{ n = split($1, part, ":"); object = part[n - 1]; sub(/\.o$/, "", object); print object, $NF }' |
    grep -E " ($functions)(f|l|f128)?(@.*)?$" | sort -u >"$work/used"
awk 'NR == FNR { for (i = 2; i <= NF && $i != "-"; i++) allowed[$1 " " $i] = 1; next }
     !($0 in allowed) && !(("* " $2) in allowed) { print "not allowed: " $0; bad = 1 }
     END { exit bad }' "$work/allowed" "$work/used" || exit 1
echo "$(wc -l <"$work/used") uses of libm, all of functions that are defined to the last bit"
