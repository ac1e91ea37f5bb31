/* SPDX-License-Identifier: Apache-2.0
 * fresnel.c -- what comes from the continued fraction of erfc: erfcx and Fresnel's integrals; Bernoulli numbers. */
#include "special/internal.h"
#include <limits.h>

enum { DEPTH = 100, FRESNEL_TERMS = 16, ERFCX_DEPTH = 50 };

/* sqrt(pi) e^(z^2) erfc(z) = 1 / (z + (1/2) / (z + 1 / (z + (3/2) / (z + ...)))) */
static kni_atom erfc_fraction(kns_call *c, kn_dtype d, kni_atom z, int depth)
{
    kni_builder *b = c->b;
    kni_atom y = z;
    for (int k = depth; k > 0; k--)
        y = knb_add(b, z, knb_div(b, knb_number(b, d, 0.5 * k), y));
    return knb_div(b, knb_number(b, d, 1), y);
}

kn_array kn_special_erfcx(kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_erfcx", 1, &x);
    kni_builder *b = c.b;
    kni_atom v = c.x[0], far = kns_above(&c, v, 5), near = kns_choose(&c, far, kns_number(&c, 0), v);
    kni_atom fraction = erfc_fraction(&c, c.d, kns_choose(&c, far, v, kns_number(&c, 8)), ERFCX_DEPTH);
    near = knb_max(b, near, kns_number(&c, -30)); /* where it is infinite */
    kni_atom square = knb_mul(b, near, near), lost = kns_product_error(&c, near, near, square);
    kni_atom plain = knb_mul(b, knb_exp(b, square), knb_erfc(b, near));
    plain = knb_mul(b, plain, kns_plus(&c, lost, 1));
    return kns_end(&c, kns_choose(&c, far, kns_times(&c, fraction, 0.56418958354775629), plain));
}

/* --- Fresnel's integrals ---------------------------------------------------------------------- */

/* pi x^2 / 2 less whole turns */
static kni_atom fresnel_angle(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom square = knb_mul(b, x, x), turns = kns_times(c, knb_floor(b, kns_times(c, square, 0.25)), 4);
    return kns_times(c, knb_sub(b, square, turns), 1.5707963267948966);
}

static void fresnel_series(kns_call *c, kni_atom x, kni_atom *s, kni_atom *t)
{
    kni_builder *b = c->b;
    kni_atom angle = kns_times(c, knb_mul(b, x, x), 1.5707963267948966), minus = knb_neg(b, knb_mul(b, angle, angle));
    kni_atom p = kns_number(c, 0), q = kns_number(c, 0); /* of (-1)^k angle^2k / ((2k)! (4k+1)), / ((2k+1)! (4k+3)) */
    for (int k = FRESNEL_TERMS; k > 0; k--) {
        p = knb_mul(b, kns_plus(c, p, 1.0 / (4 * k + 1)), kns_times(c, minus, 1.0 / (2 * k * (2 * k - 1))));
        q = knb_mul(b, kns_plus(c, q, 1.0 / (4 * k + 3)), kns_times(c, minus, 1.0 / (2 * k * (2 * k + 1))));
    }
    *t = knb_mul(b, kns_plus(c, p, 1), x);
    *s = knb_mul(b, knb_mul(b, kns_plus(c, q, 1.0 / 3), angle), x);
}

/* C + i S = (1 + i) / 2 (1 - erfc(z)) with z = sqrt(pi) / 2 (1 - i) x, and e^(-z^2) = e^(i pi x^2 / 2). */
static void fresnel_fraction(kns_call *c, kni_atom x, kni_atom *s, kni_atom *t)
{
    kni_builder *b = c->b;
    kn_dtype wide = c->d->size == 4 ? KN_DT(C64) : KN_DT(C128);
    kni_atom u = kns_times(c, x, 0.88622692545275801), z = knb_complex(b, u, knb_neg(b, u));
    kni_atom angle = fresnel_angle(c, x);
    kni_atom wave = knb_complex(b, knb_cos(b, angle), knb_sin(b, angle));
    kni_atom y =
        knb_mul(b, knb_mul(b, wave, erfc_fraction(c, wide, z, DEPTH)), knb_number(b, wide, 0.56418958354775629));
    kni_atom re = kns_times(c, kns_plus(c, knb_neg(b, knb_real(b, y)), 1), 0.5);
    kni_atom im = kns_times(c, knb_neg(b, knb_imag(b, y)), 0.5);
    *t = knb_sub(b, re, im);
    *s = knb_add(b, re, im);
}

static void fresnel(kns_call *c, kni_atom v, kni_atom *y)
{
    kni_builder *b = c->b;
    kni_atom size = knb_abs(b, v), far = kns_above(c, size, 1.8), half = kns_number(c, 0.5);
    kni_atom most = kns_number(c, c->d->size == 4 ? 0x1p12 : 0x1p26); /* then they are 1/2 but for what x^2 rounds */
    kni_atom finite = knb_lt(b, size, most), s[2], t[2];
    fresnel_series(c, kns_choose(c, far, half, size), &s[0], &t[0]);
    fresnel_fraction(c, kns_choose(c, knb_and(b, far, finite), size, kns_number(c, 2)), &s[1], &t[1]);
    y[0] = kns_choose(c, far, kns_choose(c, finite, s[1], half), s[0]);
    y[1] = kns_choose(c, far, kns_choose(c, finite, t[1], half), t[0]);
    for (int i = 0; i < 2; i++)
        y[i] = kns_choose(c, kns_below(c, v, 0), knb_neg(b, y[i]), y[i]);
}

static kni_atom fresnel_s_value(kns_call *c, const kni_atom *x)
{
    kni_atom y[2];
    fresnel(c, *x, y);
    return y[0];
}
static kni_atom fresnel_s_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    return knb_sin(c->b, fresnel_angle(c, *x));
}
static const kns_function fresnel_s = {"fresnel_s", 1, fresnel_s_value, fresnel_s_slope};

static kni_atom fresnel_c_value(kns_call *c, const kni_atom *x)
{
    kni_atom y[2];
    fresnel(c, *x, y);
    return y[1];
}
static kni_atom fresnel_c_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    return knb_cos(c->b, fresnel_angle(c, *x));
}
static const kns_function fresnel_c = {"fresnel_c", 1, fresnel_c_value, fresnel_c_slope};

kn_special_fresnel_result kn_special_fresnel(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_fresnel", 1, &x);
    kn_array out[2];
    kns_end_n(&c, 2, (kni_atom[]){kns_apply(&c, &fresnel_s, c.x), kns_apply(&c, &fresnel_c, c.x)}, out);
    return (kn_special_fresnel_result){.S = out[0], .C = out[1]};
}

/* --- Bernoulli numbers ------------------------------------------------------------------------ */

/* For n >= 22. */
static double zeta_of(int n)
{
    double sum = 0;
    for (int k = 6; k > 0; k--) {
        double term = 1;
        for (int i = 0; i < n && term > 1e-30; i++)
            term /= k;
        sum += term;
    }
    return sum;
}

/* B_n for even n: rational while that is exact, then -(-1)^(n/2) 2 n! / (2 pi)^n zeta(n). */
static double bernoulli_number(int n)
{
    static const double exact[][2] = {{1, 1},       {1, 6}, {-1, 30},     {1, 42},      {-1, 30},       {5, 66},
                                      {-691, 2730}, {7, 6}, {-3617, 510}, {43867, 798}, {-174611, 330}, {854513, 138}};
    if (n < 24)
        return exact[n / 2][0] / exact[n / 2][1];
    double y = exact[11][0] / exact[11][1];
    for (int k = 24; k <= n; k += 2) /* B_k / B_(k-2) but for the zeta functions */
        y *= -(double)k * (k - 1) / (4 * 9.8696044010893586);
    return y * zeta_of(n) / zeta_of(22);
}

kn_array kn_special_bernoulli(int n)
{
    kna_op op;
    kna_begin(&op, "special_bernoulli");
    if (n < 0)
        kna_fail(&op, KN_ERROR_VALUE, "n must be a non-negative integer");
    if (n == INT_MAX)
        kna_fail_with(&op, knx_error_nomem());
    int count = kna_failed(&op) ? 0 : n + 1;
    knx_buffer *buffer = kna_failed(&op) ? NULL : knx_buffer_new((size_t)count * sizeof(double));
    double *y = buffer ? buffer->data : NULL;
    for (int k = 0; y && k < count; k++)
        y[k] = k == 1 ? -0.5 : k % 2 ? 0 : bernoulli_number(k);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_from_buffer(&op, kni_type_of(KN_DT(F64), 1, (const int64_t[]){count}), buffer);
}
