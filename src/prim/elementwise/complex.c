/* SPDX-License-Identifier: Apache-2.0
 * complex.c -- complex arithmetic, roots, powers, exponential, circular and hyperbolic functions as kernel programs on
 * pairs of real nodes; logarithms are in complex_log.c, inverse functions in complex_arc.c. Branch cuts, signed zeros
 * and infinities are those of C99's annex G (csqrt, cexp, csin, ccos, ctanh); quotients, powers as NumPy's. */
#include "prim/rules.h"

static knk_node num(knk_builder *k, knk_node like, double v) { return knk_const_double(k, knk_dtype(k, like), v); }
static knk_node add(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_ADD, a, b); }
static knk_node sub(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_SUB, a, b); }
static knk_node mul(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_MUL, a, b); }
static knk_node quo(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_DIV, a, b); }
static knk_node neg(knk_builder *k, knk_node a) { return knk_unary(k, KNK_NEG, a); }
static knk_node mag(knk_builder *k, knk_node a) { return knk_unary(k, KNK_ABS, a); }
static knk_node root(knk_builder *k, knk_node a) { return knk_unary(k, KNK_SQRT, a); }
static knk_node eq(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_EQ, a, b); }
static knk_node lt(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_LT, a, b); }
static knk_node le(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_LE, a, b); }
static knk_node both(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_AND, a, b); }
static knk_node either(knk_builder *k, knk_node a, knk_node b) { return knk_binary(k, KNK_OR, a, b); }
static knk_node not(knk_builder * k, knk_node a) { return knk_unary(k, KNK_NOT, a); }
static knk_node if_else(knk_builder *k, knk_node p, knk_node a, knk_node b) { return knk_select(k, p, a, b); }
static knk_node is_zero(knk_builder *k, knk_node a) { return eq(k, a, num(k, a, 0)); }
static knk_node is_nan(knk_builder *k, knk_node a) { return knk_binary(k, KNK_NE, a, a); }
static knk_node is_inf(knk_builder *k, knk_node a) { return eq(k, mag(k, a), num(k, a, __builtin_inf())); }
static knk_node is_finite(knk_builder *k, knk_node a) { return lt(k, mag(k, a), num(k, a, __builtin_inf())); }
static bool is_double(knk_builder *k, knk_node a) { return knk_dtype(k, a) == KN_ID_F64; }

/* x, or 1 where it is a NaN, whose sign is not defined. */
static knk_node known_sign(knk_builder *k, knk_node x) { return if_else(k, is_nan(k, x), num(k, x, 1), x); }

/* |size| with the sign bit of `sign`. */
static knk_node with_sign(knk_builder *k, knk_node size, knk_node sign)
{
    bool wide = is_double(k, size);
    knx_dtype_id bits = wide ? KN_ID_U64 : KN_ID_U32;
    knk_node mask = knk_const(k, bits, wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31);
    knk_node s = both(k, knk_bitcast(k, bits, sign), mask);
    return knk_bitcast(k, knk_dtype(k, size), either(k, knk_bitcast(k, bits, mag(k, size)), s));
}

/* Arithmetic */

kni_pair knp_complex_neg(knk_builder *k, kni_pair x) { return (kni_pair){neg(k, x.re), neg(k, x.im)}; }
kni_pair knp_complex_add(knk_builder *k, kni_pair x, kni_pair y)
{
    return (kni_pair){add(k, x.re, y.re), add(k, x.im, y.im)};
}
kni_pair knp_complex_sub(knk_builder *k, kni_pair x, kni_pair y)
{
    return (kni_pair){sub(k, x.re, y.re), sub(k, x.im, y.im)};
}

kni_pair knp_complex_mul(knk_builder *k, kni_pair x, kni_pair y)
{
    return (kni_pair){sub(k, mul(k, x.re, y.re), mul(k, x.im, y.im)), add(k, mul(k, x.re, y.im), mul(k, x.im, y.re))};
}

kni_pair knp_complex_select(knk_builder *k, knk_node pred, kni_pair yes, kni_pair no)
{
    kni_pair y = knp_real(if_else(k, pred, yes.re, no.re));
    if (yes.im != KNK_NONE)
        y.im = if_else(k, pred, yes.im, no.im);
    return y;
}

/* Both numbers times a power of two, where the size of the divisor is near an end of the range. */
static void scale_both(knk_builder *k, knk_node size, kni_pair *x, kni_pair *y)
{
    bool wide = is_double(k, size);
    knk_node huge = le(k, num(k, size, wide ? 0x1p1021 : 0x1p125), size), one = num(k, size, 1);
    knk_node tiny = lt(k, size, num(k, size, wide ? 0x1p-900 : 0x1p-100)), up = num(k, size, wide ? 0x1p200 : 0x1p50);
    knk_node scale = if_else(k, huge, num(k, size, 0.0625), if_else(k, tiny, up, one));
    *x = (kni_pair){mul(k, x->re, scale), mul(k, x->im, scale)};
    *y = (kni_pair){mul(k, y->re, scale), mul(k, y->im, scale)};
}

/* Smith's algorithm: the larger part of the divisor is divided out first. x / 0 divides both parts by zero. */
kni_pair knp_complex_div(knk_builder *k, kni_pair x, kni_pair y)
{
    knk_node re_size = mag(k, y.re), im_size = mag(k, y.im), by_re = le(k, im_size, re_size);
    knk_node zero = both(k, is_zero(k, re_size), is_zero(k, im_size));
    kni_pair by_zero = {quo(k, x.re, re_size), quo(k, x.im, re_size)};
    scale_both(k, if_else(k, by_re, re_size, im_size), &x, &y);
    knk_node big = if_else(k, by_re, y.re, y.im), small = if_else(k, by_re, y.im, y.re);
    knk_node ratio = quo(k, small, big);
    knk_node scale = quo(k, num(k, big, 1), add(k, big, mul(k, small, ratio)));
    knk_node re_ratio = mul(k, x.re, ratio), im_ratio = mul(k, x.im, ratio);
    knk_node re = if_else(k, by_re, add(k, x.re, im_ratio), add(k, re_ratio, x.im));
    knk_node im = if_else(k, by_re, sub(k, x.im, re_ratio), sub(k, im_ratio, x.re));
    return knp_complex_select(k, zero, by_zero, (kni_pair){mul(k, re, scale), mul(k, im, scale)});
}

knk_node knp_complex_less(knk_builder *k, kni_pair x, kni_pair y, bool or_equal)
{
    knk_node im_known = not(k, either(k, is_nan(k, x.im), is_nan(k, y.im)));
    knk_node im_less = or_equal ? le(k, x.im, y.im) : lt(k, x.im, y.im);
    return either(k, both(k, lt(k, x.re, y.re), im_known), both(k, eq(k, x.re, y.re), im_less));
}

kni_pair knp_complex_abs(knk_builder *k, kni_pair x) { return knp_real(knk_hypot(k, x.re, x.im)); }

/* z / |z|; 0 at 0. An infinite real part decides alone, as in NumPy; two infinite parts have no direction. */
kni_pair knp_complex_sign(knk_builder *k, kni_pair x)
{
    bool wide = is_double(k, x.re);
    knk_node most = knk_max_nan(k, mag(k, x.re), mag(k, x.im)), huge = num(k, most, wide ? 0x1p1000 : 0x1p120);
    knk_node up = num(k, most, wide ? 0x1p200 : 0x1p50), down = num(k, most, 0.0625), one = num(k, most, 1);
    knk_node tiny = lt(k, most, num(k, most, wide ? 0x1p-900 : 0x1p-100));
    knk_node scale = if_else(k, lt(k, huge, most), down, if_else(k, tiny, up, one));
    kni_pair scaled = {mul(k, x.re, scale), mul(k, x.im, scale)};
    knk_node size = knk_hypot(k, scaled.re, scaled.im), zero = num(k, size, 0), nan = num(k, size, __builtin_nan(""));
    knk_node re_inf = is_inf(k, x.re), im_inf = is_inf(k, x.im);
    kni_pair along_re = {with_sign(k, one, x.re), zero}, along_im = {zero, with_sign(k, one, x.im)};
    kni_pair y = {quo(k, scaled.re, size), quo(k, scaled.im, size)};
    y = knp_complex_select(k, is_zero(k, size), (kni_pair){zero, zero}, y);
    y = knp_complex_select(k, im_inf, along_im, y);
    y = knp_complex_select(k, re_inf, along_re, y);
    return knp_complex_select(k, both(k, re_inf, im_inf), (kni_pair){nan, nan}, y);
}

/* Exponentials */

/* e^x as value * scale, for x beyond the largest exponent, too: a small factor may bring the product back. */
typedef struct {
    knk_node value, scale;
} scaled;
static scaled scaled_exp(knk_builder *k, knk_node x)
{
    double edge = is_double(k, x) ? 709 : 88, at_edge = is_double(k, x) ? 0x1.d422d2be5dc9bp+1022 : 0x1.f1056ep+126;
    knk_node big = lt(k, num(k, x, edge), x);
    return (scaled){knk_exp(k, if_else(k, big, sub(k, x, num(k, x, edge)), x)),
                    if_else(k, big, num(k, x, at_edge), num(k, x, 1))};
}

/* angle * scale * value, in this order: a tiny angle is brought up before it loses bits. */
static knk_node times(knk_builder *k, knk_node angle, knk_node scale, knk_node value)
{
    return mul(k, mul(k, angle, scale), value);
}

/* e times (cos + i sin) of x.im; x.re is the exponent. Where x.im has no sine the real part decides: e^-inf is 0, e^inf
 * infinite. */
static kni_pair turned(knk_builder *k, scaled e, knk_node cosine, knk_node sine, kni_pair x)
{
    knk_node no_angle = not(k, is_finite(k, x.im)), zero = num(k, x.re, 0), inf = num(k, x.re, __builtin_inf());
    knk_node re = times(k, cosine, e.scale, e.value), im = times(k, sine, e.scale, e.value);
    im = if_else(k, is_zero(k, x.im), x.im, im);
    knk_node vanishes = both(k, no_angle, eq(k, x.re, neg(k, inf))), grows = both(k, no_angle, eq(k, x.re, inf));
    re = if_else(k, vanishes, zero, if_else(k, grows, inf, re));
    return (kni_pair){re, if_else(k, vanishes, with_sign(k, zero, known_sign(k, x.im)), im)};
}

/* e^x (cos y + i sin y) */
kni_pair knp_complex_exp(knk_builder *k, kni_pair x)
{
    return turned(k, scaled_exp(k, x.re), knk_cos(k, x.im), knk_sin(k, x.im), x);
}

/* 2^x turned by y log 2, an angle in two parts a + b; b is small. */
/* Sine and cosine of y ln 2: the product in two parts, a + b, so that its last place is right for y up to 2^50; beyond
 * it is the angle of a rounded product, and both still belong to one angle. */
static void turn_of_power_of_two(knk_builder *k, knk_node y, knk_node *sine, knk_node *cosine)
{
    knk_node ln2 = num(k, y, 0x1.62e42fefa39efp-1), a = mul(k, y, ln2), b = knk_ternary(k, KNK_FMA, y, ln2, neg(k, a));
    b = knk_ternary(k, KNK_FMA, y, num(k, y, 0x1.abc9e3b39803fp-56), b);
    knk_node s = knk_sin(k, a), c = knk_cos(k, a), bb = mul(k, num(k, b, 0.5), mul(k, b, b));
    knk_node far = lt(k, num(k, b, 0x1p-12), mag(k, b)); /* else sin b is b (1 - bb / 3), 1 - cos b is bb */
    knk_node sin_b = knk_ternary(k, KNK_FMA, mul(k, b, bb), num(k, b, -1.0 / 3), b);
    sin_b = knk_select_cold(k, far, knk_sin(k, b), sin_b);
    bb = knk_select_cold(k, far, sub(k, num(k, b, 1), knk_cos(k, b)), bb);
    *sine = add(k, s, sub(k, mul(k, sin_b, c), mul(k, bb, s)));
    *cosine = sub(k, c, add(k, mul(k, sin_b, s), mul(k, bb, c)));
}

kni_pair knp_complex_exp2(knk_builder *k, kni_pair x)
{
    bool wide = is_double(k, x.re);
    double edge = wide ? 1023 : 127;
    knk_node big = lt(k, num(k, x.re, edge), x.re), one = num(k, x.re, 1), sine, cosine;
    turn_of_power_of_two(k, wide ? x.im : knk_cast(k, KN_ID_F64, x.im), &sine, &cosine);
    if (!wide) {
        sine = knk_cast(k, KN_ID_F32, sine);
        cosine = knk_cast(k, KN_ID_F32, cosine);
    }
    scaled e = {knk_exp2(k, if_else(k, big, sub(k, x.re, num(k, x.re, edge)), x.re)),
                if_else(k, big, num(k, x.re, wide ? 0x1p1023 : 0x1p127), one)};
    return turned(k, e, cosine, sine, x);
}

/* The real part is (e^x - 1) cos y - 2 sin^2(y/2), where the 1 still counts. */
kni_pair knp_complex_expm1(knk_builder *k, kni_pair x)
{
    kni_pair e = knp_complex_exp(k, x);
    knk_node near = both(k, le(k, x.re, num(k, x.re, is_double(k, x.re) ? 40 : 20)), is_finite(k, x.im));
    knk_node s = knk_sin(k, mul(k, num(k, x.im, 0.5), x.im)), drop = mul(k, mul(k, num(k, s, -2), s), s);
    knk_node re = knk_ternary(k, KNK_FMA, knk_expm1(k, x.re), knk_cos(k, x.im), drop);
    re = if_else(k, both(k, is_zero(k, x.re), is_zero(k, x.im)), x.re, re);
    return (kni_pair){if_else(k, near, re, sub(k, e.re, num(k, e.re, 1))), e.im};
}

/* sinh and cosh of y, both to be multiplied by `scale`. */
typedef struct {
    knk_node sinh, cosh, scale;
} hyperbolic;
static hyperbolic sinh_cosh(knk_builder *k, knk_node y)
{
    knk_node size = mag(k, y), half = num(k, y, 0.5), one = num(k, y, 1);
    scaled e = scaled_exp(k, size);
    knk_node m = knk_expm1(k, size), tail = quo(k, one, e.value);
    knk_node big = lt(k, num(k, y, is_double(k, y) ? 40 : 20), size); /* e^-size no longer counts */
    knk_node s = if_else(k, big, e.value, add(k, m, quo(k, m, add(k, m, one))));
    knk_node c = if_else(k, big, e.value, add(k, e.value, tail));
    return (hyperbolic){with_sign(k, mul(k, half, s), y), mul(k, half, c), e.scale};
}

/* sin x cosh y + i cos x sinh y. The exact zeros on the axes stay zeros beside infinities. */
kni_pair knp_complex_sin(knk_builder *k, kni_pair x)
{
    hyperbolic h = sinh_cosh(k, x.im);
    knk_node c = knk_cos(k, x.re);
    knk_node re = times(k, knk_sin(k, x.re), h.scale, h.cosh), im = times(k, c, h.scale, h.sinh);
    knk_node no_cosine = both(k, either(k, is_zero(k, x.im), is_inf(k, x.im)), is_nan(k, c));
    return (kni_pair){if_else(k, is_zero(k, x.re), x.re, re), if_else(k, no_cosine, x.im, im)};
}

/* cos x cosh y - i sin x sinh y */
kni_pair knp_complex_cos(knk_builder *k, kni_pair x)
{
    hyperbolic h = sinh_cosh(k, x.im);
    knk_node s = knk_sin(k, x.re), c = knk_cos(k, x.re), zero = num(k, s, 0), im_inf = is_inf(k, x.im);
    knk_node re = times(k, c, h.scale, h.cosh), im = neg(k, times(k, s, h.scale, h.sinh));
    knk_node on_axis = both(k, either(k, is_zero(k, x.re), is_zero(k, x.im)), is_nan(k, im));
    knk_node signed_zero = neg(k, with_sign(k, zero, known_sign(k, x.re)));
    signed_zero = mul(k, signed_zero, with_sign(k, num(k, s, 1), known_sign(k, x.im)));
    re = if_else(k, both(k, im_inf, is_nan(k, c)), num(k, s, __builtin_inf()), re);
    return (kni_pair){re, if_else(k, on_axis, signed_zero, im)};
}

/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); far out 1 + i 4 sin y cos y e^-2|x|. */
kni_pair knp_complex_tanh(knk_builder *k, kni_pair x)
{
    knk_node size = mag(k, x.re), one = num(k, size, 1), edge = num(k, size, is_double(k, size) ? 22 : 11);
    knk_node far = lt(k, edge, size);
    hyperbolic h = sinh_cosh(k, if_else(k, far, one, x.re));
    knk_node s = knk_sin(k, x.im), c = knk_cos(k, x.im), turn = mul(k, s, c);
    knk_node below = add(k, mul(k, h.sinh, h.sinh), mul(k, c, c));
    kni_pair near = {quo(k, mul(k, h.sinh, h.cosh), below), quo(k, turn, below)};
    near.re = if_else(k, is_zero(k, x.re), x.re, near.re);
    near.im = if_else(k, is_zero(k, x.im), x.im, near.im);
    knk_node fading = knk_exp(k, mul(k, num(k, size, -2), size));
    knk_node turned = mul(k, mul(k, num(k, size, 4), turn), fading),
             zero = with_sign(k, num(k, size, 0), known_sign(k, x.im));
    knk_node vanishes = both(k, is_inf(k, x.re), not(k, is_finite(k, x.im)));
    turned = if_else(k, is_zero(k, x.im), x.im, if_else(k, vanishes, zero, turned));
    knk_node lost = both(k, is_finite(k, x.re), not(k, is_finite(k, x.im))); /* no angle: NaN, far out too */
    return knp_complex_select(k, far, (kni_pair){if_else(k, lost, turned, with_sign(k, one, x.re)), turned}, near);
}

/* By turning the plane: sinh z = -i sin iz, cosh z = cos iz, tan z = -i tanh iz. */
kni_pair knp_complex_sinh(knk_builder *k, kni_pair x)
{
    kni_pair s = knp_complex_sin(k, (kni_pair){neg(k, x.im), x.re});
    return (kni_pair){s.im, neg(k, s.re)};
}

kni_pair knp_complex_cosh(knk_builder *k, kni_pair x) { return knp_complex_cos(k, (kni_pair){neg(k, x.im), x.re}); }

kni_pair knp_complex_tan(knk_builder *k, kni_pair x)
{
    kni_pair t = knp_complex_tanh(k, (kni_pair){neg(k, x.im), x.re});
    return (kni_pair){t.im, neg(k, t.re)};
}

/* 1 / (1 + e^-z), written with the exponential that does not overflow. */
kni_pair knp_complex_logistic(knk_builder *k, kni_pair x)
{
    knk_node left = lt(k, x.re, num(k, x.re, 0)), one = num(k, x.re, 1);
    kni_pair e = knp_complex_exp(k, knp_complex_select(k, left, x, knp_complex_neg(k, x)));
    kni_pair above = knp_complex_select(k, left, e, (kni_pair){one, num(k, one, 0)});
    return knp_complex_div(k, above, (kni_pair){add(k, one, e.re), e.im});
}

/* Roots, powers */

/* The larger of the two parts of the root is sqrt((|z| + |re|) / 2), the other im / 2 over it. Scaled by a power of
 * four, so that |z| neither overflows nor loses bits among the subnormals. */
kni_pair knp_complex_sqrt(knk_builder *k, kni_pair x)
{
    bool wide = is_double(k, x.re);
    knk_node a = mag(k, x.re), b = mag(k, x.im), half = num(k, a, 0.5), one = num(k, a, 1), zero = num(k, a, 0);
    knk_node inf = num(k, a, __builtin_inf()), most = if_else(k, lt(k, a, b), b, a);
    knk_node huge = lt(k, num(k, a, wide ? 0x1p1020 : 0x1p124), most),
             tiny = lt(k, most, num(k, a, wide ? 0x1p-960 : 0x1p-90));
    knk_node up = num(k, a, wide ? 0x1p108 : 0x1p50), back = num(k, a, wide ? 0x1p-54 : 0x1p-25);
    knk_node scale = if_else(k, huge, num(k, a, 0.0625), if_else(k, tiny, up, one));
    knk_node unscale = if_else(k, huge, num(k, a, 4), if_else(k, tiny, back, one));
    knk_node as = mul(k, a, scale), bs = mul(k, b, scale);
    knk_node t = root(k, mul(k, half, add(k, as, knk_hypot(k, as, bs))));
    knk_node main = mul(k, t, unscale), other = mul(k, quo(k, bs, add(k, t, t)), unscale);
    knk_node right = le(k, zero, x.re), re_inf = is_inf(k, a), im_inf = is_inf(k, b);
    knk_node none = both(k, is_zero(k, a), is_zero(k, b));
    other = if_else(k, none, zero, if_else(k, both(k, re_inf, not(k, is_nan(k, b))), zero, other));
    kni_pair y = {if_else(k, right, main, other), with_sign(k, if_else(k, right, other, main), x.im)};
    y.re = if_else(k, im_inf, inf, y.re);
    y.im = if_else(k, im_inf, x.im, y.im);
    /* -inf + i nan is nan + i inf, inf + i nan is inf + i nan */
    knk_node nan_im = both(k, re_inf, is_nan(k, b));
    y.re = if_else(k, nan_im, if_else(k, right, inf, x.im), y.re);
    y.im = if_else(k, nan_im, if_else(k, right, x.im, inf), y.im);
    return y;
}

/* 1 / sqrt(x); of infinite numbers 0. */
kni_pair knp_complex_rsqrt(knk_builder *k, kni_pair x)
{
    kni_pair s = knp_complex_sqrt(k, x);
    knk_node zero = num(k, x.re, 0), infinite = either(k, is_inf(k, x.re), is_inf(k, x.im));
    kni_pair y = knp_complex_div(k, (kni_pair){num(k, x.re, 1), zero}, s);
    kni_pair far = {with_sign(k, zero, known_sign(k, s.re)), neg(k, with_sign(k, zero, known_sign(k, s.im)))};
    return knp_complex_select(k, infinite, far, y);
}

kni_pair knp_complex_integer_pow(knk_builder *k, kni_pair x, int64_t n)
{
    knk_node one = num(k, x.re, 1), zero = num(k, x.re, 0);
    kni_pair y = {one, zero};
    bool begun = false;
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left; left >>= 1) {
        if (left & 1u)
            y = begun ? knp_complex_mul(k, y, x) : x, begun = true;
        if (left > 1)
            x = knp_complex_mul(k, x, x);
    }
    return n < 0 ? knp_complex_div(k, (kni_pair){one, zero}, y) : y;
}

/* x^n for a whole number n of a node with |n| < 100, by squaring. */
static kni_pair whole_pow(knk_builder *k, kni_pair x, knk_node n)
{
    knk_node one = num(k, n, 1), zero = num(k, n, 0), count = knk_cast(k, KN_ID_I32, mag(k, n));
    knk_node bit = knk_const_int(k, KN_ID_I32, 1), none = knk_const_int(k, KN_ID_I32, 0);
    kni_pair y = {one, zero};
    for (int i = 0; i < 7; i++) {
        knk_node shifted = knk_binary(k, KNK_SHR, count, knk_const_int(k, KN_ID_I32, i));
        knk_node use = knk_binary(k, KNK_NE, both(k, shifted, bit), none);
        y = knp_complex_select(k, use, knp_complex_mul(k, y, x), y);
        x = knp_complex_mul(k, x, x);
    }
    kni_pair inverse = knp_complex_div(k, (kni_pair){one, zero}, y);
    return knp_complex_select(k, lt(k, n, zero), inverse, y);
}

/* As NumPy: x^0 is 1; 0^y is 0 where y has a positive real part, else nan; small whole powers are products; else
 * e^(y log x). */
kni_pair knp_complex_pow(knk_builder *k, kni_pair x, kni_pair y)
{
    knk_node zero = num(k, x.re, 0), one = num(k, x.re, 1), nan = num(k, x.re, __builtin_nan(""));
    knk_node real_power = is_zero(k, y.im), no_power = both(k, real_power, is_zero(k, y.re));
    knk_node base_zero = both(k, is_zero(k, x.re), is_zero(k, x.im));
    knk_node small = both(k, real_power, lt(k, mag(k, y.re), num(k, x.re, 100)));
    knk_node whole = both(k, small, eq(k, knk_unary(k, KNK_TRUNC, y.re), y.re));
    kni_pair r = knp_complex_exp(k, knp_complex_mul(k, y, knp_complex_log(k, x)));
    r = knp_complex_select(k, whole, whole_pow(k, x, if_else(k, whole, y.re, zero)), r);
    knk_node to_zero = lt(k, zero, y.re);
    kni_pair of_zero = {if_else(k, to_zero, zero, nan), if_else(k, to_zero, zero, nan)};
    r = knp_complex_select(k, base_zero, of_zero, r);
    return knp_complex_select(k, no_power, (kni_pair){one, zero}, r);
}
