/* SPDX-License-Identifier: Apache-2.0
 * loggamma.c -- the logarithm of the gamma function in the plane: Stirling's series far out and (eight factors up) near
 * 0, a power series around 1 and 2, reflection in the left half; the cut is the negative real axis. */
#include "special/internal.h"

static const double pi = 3.1415926535897931;

static kni_atom number(kns_call *c, double v) { return knb_number(c->b, KN_DT(C128), v); }
static kni_atom plus(kns_call *c, kni_atom z, double v) { return knb_add(c->b, z, number(c, v)); }
static kni_atom pick(kns_call *c, kni_atom pred, kni_atom yes, double no)
{
    return knb_select(c->b, pred, yes, knb_broadcast_to(c->b, number(c, no), knb_type(c->b, yes)));
}

/* For |z| >= 8 right of 0. */
static kni_atom far_out(kns_call *c, kni_atom z)
{
    static const double coefficient[] = {/* B_2k / (2k (2k - 1)) */
                                         0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                                         -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
                                         0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6, 0x1.6fe96381e0680p-3};
    kni_builder *b = c->b;
    kni_atom r = knb_div(b, number(c, 1), z), s = knb_mul(b, r, r), y = number(c, coefficient[8]);
    for (int k = 7; k >= 0; k--)
        y = plus(c, knb_mul(b, y, s), coefficient[k]);
    y = knb_add(b, knb_mul(b, y, r), number(c, 0.91893853320467274)); /* log sqrt(2 pi) */
    kni_atom log_z = knb_log(b, z);
    return knb_add(b, knb_sub(b, knb_mul(b, plus(c, z, -0.5), log_z), z), y);
}

/* log gamma(1 + w), |w| <= 0.3: -gamma w + zeta(2) w^2 / 2 - zeta(3) w^3 / 3 + ... */
static kni_atom around_1(kns_call *c, kni_atom w)
{
    static const double coefficient[] = {
        -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2,
        -0x1.a8b9c17aa6149p-3, 0x1.5b40cb100c306p-3, -0x1.2703a1dcea3aep-3, 0x1.010b36af86397p-3,
        -0x1.c806706d57db4p-4, 0x1.9a01e385d5f8fp-4, -0x1.748c33114c6d6p-4, 0x1.556ad63243bc4p-4,
        -0x1.3b1d971fc5985p-4, 0x1.2496df8320c5fp-4, -0x1.11133476e7fe0p-4, 0x1.00010064cdeb2p-4,
        -0x1.e1e2d311e8abdp-5, 0x1.c71ce3a20b419p-5, -0x1.af28a1b5688a0p-5, 0x1.9999b3352d5bap-5,
        -0x1.86186db77bfbfp-5, 0x1.745d1d1778df9p-5, -0x1.642c88591b66dp-5, 0x1.555556aaafdcdp-5,
        -0x1.47ae151eb9fb7p-5, 0x1.3b13b189d925ep-5, -0x1.2f684c00002bcp-5};
    kni_atom y = number(c, coefficient[26]);
    for (int k = 25; k >= 0; k--)
        y = plus(c, knb_mul(c->b, y, w), coefficient[k]);
    return knb_mul(c->b, y, w);
}

static kni_atom within(kns_call *c, kni_atom z, double center, double radius)
{
    return kns_below(c, knb_abs(c->b, plus(c, z, -center)), radius);
}

/* For Re z >= 1/2, Im z >= 0. */
static kni_atom right_half(kns_call *c, kni_atom z)
{
    enum { SHIFT = 8 };
    kni_builder *b = c->b;
    kni_atom low = knb_and(b, kns_below(c, knb_real(b, z), SHIFT), kns_below(c, knb_imag(b, z), SHIFT));
    kni_atom at_1 = within(c, z, 1, 0.3), at_2 = within(c, z, 2, 0.3), near = knb_or(b, at_1, at_2);
    kni_atom small = pick(c, low, z, 1), sum = number(c, 0);
    for (int k = 0; k < SHIFT; k += 2) /* the arguments of two factors do not add up to pi */
        sum = knb_add(b, sum, knb_log(b, knb_mul(b, plus(c, small, k), plus(c, small, k + 1))));
    kni_atom y = far_out(c, knb_select(b, low, plus(c, z, SHIFT), z));
    y = knb_select(b, low, knb_sub(b, y, sum), y);
    kni_atom w = knb_select(b, at_1, plus(c, z, -1), plus(c, z, -2)), around = pick(c, near, w, 0);
    kni_atom series = around_1(c, around), factor = knb_log1p(b, around);
    series = knb_select(b, at_1, series, knb_add(b, series, factor));
    return knb_select(b, near, series, y);
}

/* log sin(pi z) continued from 1/2 through the upper half plane: with r = Re z less a whole number,
 * log(-expm1(2 pi i (r + i y))) - log 2 + i pi / 2 - i pi z. */
static kni_atom log_sine(kns_call *c, kni_atom z)
{
    kni_builder *b = c->b;
    kni_atom x = knb_real(b, z), y = knb_imag(b, z), r = knb_sub(b, x, knb_round(b, x, true));
    kni_atom e = knb_expm1(b, knb_complex(b, kns_times(c, y, -2 * pi), kns_times(c, r, 2 * pi)));
    kni_atom turn = knb_complex(b, kns_plus(c, kns_times(c, y, pi), -0.69314718055994531),
                                kns_times(c, kns_plus(c, knb_neg(b, x), 0.5), pi));
    return knb_add(b, knb_log(b, knb_neg(b, e)), turn);
}

static kni_atom loggamma(kns_call *c, kni_atom z)
{
    kni_builder *b = c->b;
    kni_atom x = knb_real(b, z), y = knb_imag(b, z), size = knb_abs(b, y), zero = kns_number(c, 0);
    kni_atom below =
        knb_or(b, kns_below(c, y, 0), knb_and(b, kns_is(c, y, 0), kns_below(c, knb_div(b, kns_number(c, 1), y), 0)));
    kni_atom pole = knb_and(b, kns_is(c, y, 0), knb_and(b, knb_le(b, x, zero), kns_whole(c, x)));
    kni_atom up = knb_complex(b, x, size), left = kns_below(c, x, 0.5);
    up = pick(c, knb_not(b, pole), up, 1);
    kni_atom mirrored = plus(c, knb_neg(b, up), 1); /* in the lower half plane */
    kni_atom direct = knb_select(b, left, knb_conj(b, mirrored), up);
    kni_atom w = right_half(c, direct), other = knb_add(b, log_sine(c, pick(c, left, up, 0.25)), knb_conj(b, w));
    w = knb_select(b, left, knb_sub(b, number(c, 1.1447298858494002), other), w);
    w = knb_select(b, below, knb_conj(b, w), w);
    kni_atom wrong = knb_or(b, pole, knb_or(b, knb_ne(b, x, x), knb_ne(b, y, y)));
    kni_atom none = knb_complex(b, kns_number(c, NAN), kns_number(c, NAN));
    return knb_select(b, wrong, knb_broadcast_to(b, none, knb_type(b, w)), w);
}

kn_array kn_special_loggamma(kn_array z)
{
    kns_call c;
    kns_begin_complex(&c, "special_loggamma", z);
    kni_builder *b = c.b;
    if (kna_failed(&c.op))
        return kns_end(&c, KN_ATOM_NONE);
    if (knx_is_complex(c.d)) {
        c.d = KN_DT(F64);
        return kns_end(&c, loggamma(&c, c.x[0]));
    }
    kni_atom fits = knb_ge(b, c.x[0], kns_number(&c, 0)), safe = kns_choose(&c, fits, c.x[0], kns_number(&c, 1));
    return kns_end(&c, kns_choose(&c, fits, knb_lgamma(b, safe), kns_number(&c, NAN)));
}
