#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is easily written wrong does not compile, and the message says what to write; what is right compiles without a warning.
# With each compiler that is installed; in at most 32 lines with the flag that keeps the expansions of macros out (kiln.pc has gcc's).
# usage: check-refusals.sh [ROOT]
set -u
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# compile COMPILER: what it says goes to $work/said
compile() { "$1" -std=gnu17 -Wall -Wextra -I "$root/include" -fsyntax-only "$work/case.c" >"$work/said" 2>&1; }

# lines COMPILER: how many it says without expansions
lines() {
    flag=-ftrack-macro-expansion=0
    [ "$1" = clang ] && flag=-fmacro-backtrace-limit=1
    "$1" $flag -std=gnu17 -Wall -Wextra -I "$root/include" -fsyntax-only "$work/case.c" 2>&1 | wc -l
}

# write TOP BODY: a program with a matrix m, a vector x and a function f
write() {
    cat >"$work/case.c" <<EOF
#include <kiln/kiln.h>
static kn_array f(const kn_array *a) { return kn_sum(*a); }
KN_FUNCTION(f, kn_array, kn_array)
typedef struct { kn_array w, b; } Params;
typedef struct { kn_array w; int n; } Mixed;
typedef struct { Params p; kn_array c[2]; } Nested;
$1
int main(void)
{
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(2, 3)), x = kn_of(double, 1, 2);
    (void)m, (void)x;
    $2
    return kn_finish();
}
EOF
}

# refused TEXT TOP BODY: gcc says TEXT; clang fails, with the same or with `suggest braces`
refused() {
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
        write "$2" "$3"
        if compile $compiler; then
            echo "FAIL $compiler takes $2 $3"
            bad=1
        elif ! grep -qF -e "$1" -e "suggest braces" "$work/said"; then
            echo "FAIL $compiler says nothing of \"$1\" about $2 $3"
            cat "$work/said"
            bad=1
        elif [ "$(lines $compiler)" -gt 32 ]; then
            echo "FAIL $compiler needs $(lines $compiler) lines for $2 $3"
            bad=1
        else
            echo "ok   $compiler refuses $2 $3"
        fi
    done
}

# taken TOP BODY: compiles without a warning
taken() {
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        write "$1" "$2"
        if compile $compiler && [ ! -s "$work/said" ]; then
            echo "ok   $compiler takes $1 $2"
        else
            echo "FAIL $compiler refuses $1 $2"
            cat "$work/said"
            bad=1
        fi
    done
}

lists="numbers in lists: KN_AXIS(1), KN_ARGNUMS(1), KN_MAPPED(0)"
refused "$lists" '' 'kn_print(kn_sum(m, 1));'
refused "$lists" '' 'kn_print(kn_sum(m, 0));'
refused "$lists" '' 'kn_print(kn_sum(m, .axis = 1));'
refused "$lists" '' 'kn_print(kn_sum(m, .keepdims = true, .axis = 0));'
refused "$lists" '' 'kn_print(kn_argsort(x, -1));'
refused "$lists" '' 'kn_fn g = kn_grad(KN_FN(f), .argnums = 1); (void)g;'
refused "$lists" '' 'kn_fn g = kn_grad(KN_FN(f), 0); (void)g;'
refused "$lists" '' 'kn_fn g = kn_jit(KN_FN(f), .donate_argnums = 0); (void)g;'
refused "$lists" '' 'kn_fn g = kn_vmap(KN_FN(f), .in_axes = {0, 1}); (void)g;'
refused "$lists" '' 'kn_fn g = kn_vmap(KN_FN(f), {1}); (void)g;'
refused "$lists" '' 'kn_print(kn_sum(m, .axis = {1}));'
refused "$lists" '' 'kn_print(kn_sum(m, {1}));'
refused "$lists" '' 'kn_fn g = kn_grad(KN_FN(f), .argnums = {1}); (void)g;'
refused "$lists" '' 'kn_fn g = kn_jit(KN_FN(f), .static_argnums = {1}); (void)g;'
refused "$lists" '' 'kn_fn g = kn_jit(KN_FN(f), .static_argnums = 1); (void)g;'
refused 'kn_list' '' 'kn_print(kn_concatenate(x, x));'
refused 'kn_list' '' 'kn_print(kn_stack(x));'
refused 'kn_fn' '' 'kn_fn g = kn_grad(f); (void)g;'
refused 'kn_fn' '' 'kn_fn g = kn_jit(f); (void)g;'
refused 'kn_fn' '' 'kn_fn g = kn_vmap(f, .axis_name = "i"); (void)g;'
refused 'names b at another place than where it is declared' 'KN_FIELDS(Params, b, w)' ''
refused 'Mixed.n is a number' 'KN_FIELDS(Mixed, w, n)' ''
refused 'is not a structure of arrays' 'typedef struct { int a; } I; static kn_array g(const I *i) { (void)i; return KN_NONE; } KN_FUNCTION(g, kn_array, I)' ''
for type in double long 'unsigned long' 'float _Complex'; do
    refused 'is no array: functions take and return kn_array' "typedef $type T; static T g(const kn_array *a) { (void)a; return 1; } KN_FUNCTION(g, T, kn_array)" ''
    refused 'is no array: functions take and return kn_array' "typedef $type T; static kn_array g(const T *a) { (void)a; return KN_NONE; } KN_FUNCTION(g, kn_array, T)" ''
done
refused 'is no array: functions take and return kn_array' 'typedef double *T; static kn_array g(const T *a) { (void)a; return KN_NONE; } KN_FUNCTION(g, kn_array, T)' ''
refused 'kn_array_or_number' '' 'kn_print(kn_num("7"));'
refused 'kn_array_or_number' '' 'double v[3] = {0}; kn_print(kn_add(x, v));'
refused 'kn_array_or_number' '' 'kn_print(kn_mul(x, KN_FN(f)));'
taken 'KN_FIELDS(Params, w, b) KN_FIELDS(Nested, (p, Params), c)' 'kn_print(kn_sum(m, KN_AXIS(1), .keepdims = true)); kn_print(kn_sum(m, .axis = KN_AXIS(0, 1)));'
taken '' 'kn_fn g = kn_vmap(KN_FN(f), .in_axes = {KN_MAPPED(1)}), h = kn_grad(g, .argnums = KN_ARGNUMS(0)); (void)h;'
taken 'static kn_tree t(const kn_tree *a) { return *a; } KN_FUNCTION(t, kn_tree, kn_tree) static kn_array c(const kn_tree *k, const kn_array *a) { (void)k; return *a; } KN_CLOSURE(c, kn_array, kn_tree, kn_array)' 'kn_fn g = kn_jit(KN_FN(t)); (void)g;'
taken '' 'kn_print(kn_concatenate(KN_LIST(x, x), KN_AXIS(0))); kn_print(kn_histogram(x, .range = {0, 1}).hist);'
taken '' 'kn_print(kn_lax_reduce_window_sum(m, KN_SHAPE(1, 2), .padding = KN_PADS({0, 0}, {1, 1})));'
exit $bad
