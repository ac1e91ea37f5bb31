/* SPDX-License-Identifier: Apache-2.0
 * complex_log.c -- logarithms of complex numbers as kernel programs on pairs of nodes: log |z| + i arg z. Near the unit
 * circle log |z| comes from |z|^2 - 1, whose terms are added exactly, elsewhere from the larger part. Branch cuts,
 * signed zeros and infinities are those of C99's annex G (clog). */
#include "kernel/expr.h"
#include "prim/rules.h"
#include <math.h>

/* a b + c^2, with a_lo added to a; right to nearly the last place where the two cancel. */
static knk_node sum_of_products(knk_builder *k, knk_node a, knk_node a_lo, knk_node b, knk_node c)
{
    knk_node p = MUL(a, b), q = MUL(c, c), s = ADD(p, q), back = SUB(s, p);
    knk_node lost = ADD(SUB(p, SUB(s, back)), SUB(q, back));
    return ADD(s, ADD(lost, ADD(FMA(a_lo, b, FMA(a, b, NEG(p))), FMA(c, c, NEG(q)))));
}

/* log |z| / log(base); `log` is the real program, `unit` 1 / log(base). */
static knk_node log_of_size(knk_builder *k, kni_pair z, knk_node (*log)(knk_builder *, knk_node), double unit)
{
    knx_dtype_id d = knk_dtype(k, z.re);
    knk_node re = ABS(z.re), im = ABS(z.im), one = NUM(d, 1), zero = NUM(d, 0), inf = NUM(d, INFINITY);
    knk_node swapped = LT(re, im), big = SELECT(swapped, im, re), small = SELECT(swapped, re, im);
    knk_node by_circle = AND(LT(NUM(d, 0.5), big), LT(big, NUM(d, 2)));
    knk_node above = ADD(big, one), above_lo = SUB(big, SUB(above, one));
    knk_node excess = sum_of_products(k, above, above_lo, SUB(big, one), small);
    knk_node equal = EQ(small, big); /* zeros and infinities have no quotient */
    knk_node ratio = SELECT(equal, SELECT(EQ(big, zero), zero, one), DIV(small, big));
    knk_node outer = SELECT(by_circle, zero, log(k, big));
    knk_node rest = knk_log1p(k, SELECT(by_circle, excess, MUL(ratio, ratio)));
    knk_node size = FMA(NUM(d, 0.5 * unit), rest, outer);
    return SELECT(OR(EQ(re, inf), EQ(im, inf)), inf, size);
}

kni_pair knp_complex_log(knk_builder *k, kni_pair z)
{
    return (kni_pair){log_of_size(k, z, knk_log, 1), knk_atan2(k, z.im, z.re)};
}

static kni_pair log_to_base(knk_builder *k, kni_pair z, knk_node (*log)(knk_builder *, knk_node), double unit)
{
    knk_node angle = MUL(knk_atan2(k, z.im, z.re), NUM(knk_dtype(k, z.re), unit));
    return (kni_pair){log_of_size(k, z, log, unit), angle};
}

kni_pair knp_complex_log2(knk_builder *k, kni_pair z) { return log_to_base(k, z, knk_log2, 0x1.71547652b82fep+0); }
kni_pair knp_complex_log10(knk_builder *k, kni_pair z) { return log_to_base(k, z, knk_log10, 0x1.bcb7b1526e50ep-2); }

/* Near 0 from |1 + z|^2 - 1 = x (2 + x) + y^2. */
kni_pair knp_complex_log1p(knk_builder *k, kni_pair z)
{
    knx_dtype_id d = knk_dtype(k, z.re);
    knk_node x = z.re, y = z.im, zero = NUM(d, 0), two = NUM(d, 2), half = NUM(d, 0.5);
    knk_node sum = ADD(two, x), excess = sum_of_products(k, sum, SUB(x, SUB(sum, two)), x, y);
    knk_node close = MUL(half, knk_log1p(k, excess)), near = AND(LT(ABS(x), half), LT(ABS(y), NUM(d, 1)));
    close = SELECT(AND(EQ(x, zero), EQ(y, zero)), x, close);
    kni_pair far = knp_complex_log(k, (kni_pair){ADD(NUM(d, 1), x), y});
    return (kni_pair){SELECT(near, close, far.re), far.im};
}
