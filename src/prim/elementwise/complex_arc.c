/* SPDX-License-Identifier: Apache-2.0
 * complex_arc.c -- inverse circular and hyperbolic functions of complex numbers as kernel programs on pairs of f64
 * nodes; pairs of f32 are widened and rounded once. Branch cuts, signed zeros, infinities: as in C99's annex G.
 *
 * asin and acos follow Hull, Fairgrieve and Tang: with r and s the distances from -1 and 1, A = (r + s) / 2 is the
 * hyperbolic cosine of the imaginary part; A - 1 and sqrt(A^2 - x^2) come from sums of positive terms, so nothing
 * cancels. The others are these two, and atanh, with parts exchanged. */
#include "kernel/expr.h"
#include "prim/rules.h"
#include <math.h>

typedef kni_pair pair_program(knk_builder *k, kni_pair z);

static kni_pair in_doubles(knk_builder *k, pair_program *f, kni_pair z)
{
    if (!knk_is_f32(k, z.re))
        return f(k, z);
    kni_pair y = f(k, (kni_pair){CAST(F64, z.re), CAST(F64, z.im)});
    return (kni_pair){CAST(F32, y.re), CAST(F32, y.im)};
}

static knk_node is_nan(knk_builder *k, knk_node x) { return NE(x, x); }
/* The sign of a NaN is not defined: it counts as plus. */
static knk_node with_sign(knk_builder *k, knk_node positive, knk_node sign)
{
    return knk_or_bits(k, positive, knk_sign_bit(k, SELECT(is_nan(k, sign), F64(1), sign)));
}
static knk_node is_inf(knk_builder *k, knk_node x) { return EQ(ABS(x), F64(INFINITY)); }

/* Of |re| and |im|: log(A + sqrt(A^2 - 1)) and sqrt(A^2 - x^2); for large numbers log 2|z|, and |im|, which makes the
 * same angle with |re|. */
typedef struct arc {
    knk_node rise, side;
} arc;

static arc arc_of(knk_builder *k, knk_node x, knk_node y)
{
    knk_node one = F64(1), half = F64(0.5), quarter = F64(0.25), yy = MUL(y, y);
    knk_node r = knk_hypot(k, ADD(x, one), y), s = knk_hypot(k, SUB(x, one), y), a = MUL(half, ADD(r, s));
    knk_node near = ADD(r, ADD(x, one)), far = ADD(s, ABS(SUB(x, one)));
    knk_node by_near = DIV(one, near), w = MUL(half, ADD(by_near, DIV(one, far))), sum = FMA(yy, by_near, far);
    knk_node left = LT(x, one), up = ADD(a, one), across = ADD(a, x);
    knk_node root = SELECT(left, MUL(y, SQRT(MUL(w, up))), SQRT(MUL(sum, MUL(half, up))));
    knk_node above = SELECT(left, MUL(yy, w), MUL(half, sum));
    knk_node side = SELECT(LE(x, one), SQRT(MUL(MUL(half, across), sum)), MUL(y, SQRT(MUL(across, w))));
    knk_node large = LT(F64(0x1p28), knk_max_nan(k, x, y));
    knk_node size =
        ADD(knk_log(k, knk_hypot(k, MUL(x, quarter), MUL(y, quarter))), F64(0x1.0a2b23f3bab73p+1)); /* log 8 */
    return (arc){SELECT(large, size, knk_log1p(k, ADD(above, root))), SELECT(large, y, side)};
}

/* Where a part is NaN: both are, but an infinity beside it is the imaginary part, and a zero real part has its own
 * result. */
static kni_pair with_nans(knk_builder *k, kni_pair z, kni_pair y, knk_node infinite, knk_node at_zero)
{
    knk_node nan = F64(NAN), any = OR(is_nan(k, z.re), is_nan(k, z.im)), inf = OR(is_inf(k, z.re), is_inf(k, z.im));
    knk_node re = SELECT(EQ(z.re, F64(0)), at_zero, nan), im = SELECT(inf, infinite, nan);
    return (kni_pair){SELECT(any, re, y.re), SELECT(any, im, y.im)};
}

static kni_pair asin_f64(knk_builder *k, kni_pair z)
{
    knk_node x = ABS(z.re), y = ABS(z.im);
    arc a = arc_of(k, x, y);
    kni_pair v = {with_sign(k, knk_atan2(k, x, a.side), z.re), with_sign(k, a.rise, z.im)};
    return with_nans(k, z, v, SELECT(is_inf(k, z.im), z.im, F64(INFINITY)), z.re);
}

static kni_pair acos_f64(knk_builder *k, kni_pair z)
{
    knk_node x = ABS(z.re), y = ABS(z.im), quarter = F64(0x1.921fb54442d18p+0);
    arc a = arc_of(k, x, y);
    kni_pair v = {knk_atan2(k, a.side, z.re), NEG(with_sign(k, a.rise, z.im))};
    return with_nans(k, z, v, SELECT(is_inf(k, z.im), NEG(z.im), F64(-INFINITY)), quarter);
}

static kni_pair asinh_f64(knk_builder *k, kni_pair z)
{
    kni_pair v = asin_f64(k, (kni_pair){z.im, z.re});
    return (kni_pair){v.im, v.re};
}

/* acos turned to the right half plane. */
static kni_pair acosh_f64(knk_builder *k, kni_pair z)
{
    kni_pair v = acos_f64(k, z);
    return (kni_pair){ABS(v.im), with_sign(k, v.re, z.im)};
}

/* log(1 + 4 x / ((1 - x)^2 + y^2)) / 4 and half the angle of 1 - |z|^2 + 2 i y; of large numbers x / |z|^2 and pi/2. */
static kni_pair atanh_f64(knk_builder *k, kni_pair z)
{
    knk_node x = ABS(z.re), y = ABS(z.im), one = F64(1), half = F64(0.5), quarter = F64(0.25), gap = SUB(one, x);
    knk_node yy = MUL(y, y), ratio = DIV(MUL(F64(4), x), FMA(gap, gap, yy));
    knk_node re = MUL(quarter, knk_log1p(k, ratio));
    knk_node pole = AND(EQ(x, one), LT(y, F64(0x1p-400)));
    re = COLD(pole, MUL(half, SUB(F64(0x1.62e42fefa39efp-1), knk_log(k, y))), re);
    knk_node im = MUL(half, knk_atan2(k, ADD(y, y), SUB(MUL(gap, ADD(one, x)), yy)));
    knk_node inf = F64(INFINITY), edge = F64(0x1p60), large = OR(LT(edge, x), LT(edge, y)), h,
             right = F64(0x1.921fb54442d18p+0);
    knk_node a = MUL(x, quarter), b = MUL(y, quarter);
    h = knk_hypot(k, a, b);
    knk_node far = SELECT(EQ(h, inf), F64(0), MUL(DIV(DIV(a, h), h), quarter));
    re = SELECT(large, far, SELECT(EQ(x, F64(0)), x, re));
    re = SELECT(EQ(y, inf), F64(0), re);
    im = SELECT(large, right, im);
    im = SELECT(AND(is_nan(k, x), LT(y, inf)), x, im); /* nan + i inf keeps the imaginary part */
    im = SELECT(is_nan(k, y), y, im);                  /* inf + i nan and 0 + i nan keep the real part */
    return (kni_pair){with_sign(k, re, z.re), with_sign(k, im, z.im)};
}

static kni_pair atan_f64(knk_builder *k, kni_pair z)
{
    kni_pair v = atanh_f64(k, (kni_pair){z.im, z.re});
    return (kni_pair){v.im, v.re};
}

kni_pair knp_complex_asin(knk_builder *k, kni_pair z) { return in_doubles(k, asin_f64, z); }
kni_pair knp_complex_acos(knk_builder *k, kni_pair z) { return in_doubles(k, acos_f64, z); }
kni_pair knp_complex_atan(knk_builder *k, kni_pair z) { return in_doubles(k, atan_f64, z); }
kni_pair knp_complex_asinh(knk_builder *k, kni_pair z) { return in_doubles(k, asinh_f64, z); }
kni_pair knp_complex_acosh(knk_builder *k, kni_pair z) { return in_doubles(k, acosh_f64, z); }
kni_pair knp_complex_atanh(knk_builder *k, kni_pair z) { return in_doubles(k, atanh_f64, z); }
