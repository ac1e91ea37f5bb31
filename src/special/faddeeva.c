/* SPDX-License-Identifier: Apache-2.0
 * faddeeva.c -- w(z) = e^(-z^2) erfc(-iz) in the plane, and Dawson's integral.
 *
 * w(z) is i / pi times the integral of e^(-t^2) / (z - t): the trapezoidal rule or the midpoint rule of step h, plus
 * what the poles at t = z add to it, 2 e^(-z^2) / (1 -+ e^(-2 pi i z / h)). The rule is the one whose nodes are
 * farther from z. Twelve nodes are exact to float64. */
#include "special/internal.h"

enum { NODES = 12 };
static const double step = 0.51166335397324428; /* sqrt(pi / 12) */
static const double pi = 3.1415926535897931;

/* The rule's nodes: (k + 1/2) h, or (k + 1) h. */
static double node(int k, bool mid) { return (mid ? k + 0.5 : k + 1) * step; }

/* e^(-t^2) at the nodes of both rules, rounded once */
static const double weight[2][NODES] = {
    {0x1.8a1195bf0aa84p-1, 0x1.6757859d664c8p-2, 0x1.843844e012c46p-4, 0x1.f0ea0d2fef993p-7, 0x1.78c7fa70532dcp-10,
     0x1.527a727b2a68fp-14, 0x1.6840851c9c3aap-19, 0x1.c645a1d814484p-25, 0x1.5355ead05bd45p-31, 0x1.2c509c01fe466p-38,
     0x1.3ae3b7284fc35p-46, 0x1.872d59d9a5cf5p-55},
    {0x1.df90113a4786ep-1, 0x1.1c15f15a52bbcp-1, 0x1.8ec3e530c1161p-3, 0x1.4b94a0aaedab9p-5, 0x1.46a8be57e7a6ap-8,
     0x1.7d458b47fb6f2p-12, 0x1.079eb0245734fp-16, 0x1.afe709cf13b20p-22, 0x1.a32d4137e44c0p-28, 0x1.e1fec0fee65edp-35,
     0x1.4850e499750f1p-42, 0x1.08f4fbff0bbb2p-50},
};

/* Whether z's real part lies nearer to the nodes of the trapezoidal rule. */
static kni_atom wants_midpoints(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom turns = kns_times(c, x, 1 / step), off = knb_abs(b, knb_sub(b, turns, knb_round(b, turns, true)));
    return knb_le(b, off, kns_number(c, 0.25));
}

/* --- Dawson's integral, sqrt(pi) / 2 Im w(x) ---------------------------------------------------- */

/* x - 2 x^3 / 3 + 4 x^5 / 15 - ..., for |x| < 1/4 */
static kni_atom dawson_series(kns_call *c, kni_atom x)
{
    enum { TERMS = 9 };
    kni_builder *b = c->b;
    kni_atom step_of = kns_times(c, knb_mul(b, x, x), -2), y = kns_number(c, 1);
    for (int k = TERMS; k > 0; k--)
        y = kns_plus(c, knb_mul(b, kns_times(c, step_of, 1.0 / (2 * k + 1)), y), 1);
    return knb_mul(b, x, y);
}

static kni_atom dawson(kns_call *c, kni_atom v)
{
    kni_builder *b = c->b;
    const double most = 0x1p27;
    kni_atom size = knb_abs(b, v), zero = kns_number(c, 0), one = kns_number(c, 1);
    kni_atom far = kns_above(c, size, most), x = kns_choose(c, far, one, v), mid = wants_midpoints(c, x);
    kni_atom square = knb_mul(b, x, x), sums[2], angle = kns_times(c, x, pi / step);
    for (int rule = 0; rule < 2; rule++) { /* 1: midpoints */
        kni_atom used = rule ? mid : knb_not(b, mid), s = kns_choose(c, used, square, kns_number(c, rule ? 0 : 0.0625));
        kni_atom sum = rule ? zero : knb_div(b, kns_number(c, 0.5), s);
        for (int k = NODES - 1; k >= 0; k--) {
            double t = node(k, rule);
            sum = knb_add(b, sum, knb_div(b, kns_number(c, weight[rule][k]), kns_plus(c, s, -t * t)));
        }
        sums[rule] = kns_times(c, knb_mul(b, kns_choose(c, used, x, zero), sum), step * 0.56418958354775629);
    }
    kni_atom sine = knb_sin(b, angle), cosine = knb_cos(b, angle);
    kni_atom pole = knb_div(b, kns_choose(c, mid, sine, knb_neg(b, cosine)), kns_choose(c, mid, cosine, sine));
    pole = kns_times(c, knb_mul(b, pole, knb_exp(b, knb_neg(b, square))), 0.88622692545275801);
    pole = kns_choose(c, kns_below(c, size, 28), pole, zero);
    kni_atom y = knb_add(b, kns_choose(c, mid, sums[1], sums[0]), pole);
    kni_atom tail = knb_div(b, kns_number(c, 0.5), kns_choose(c, far, v, one));
    y = kns_choose(c, far, tail, y);
    kni_atom near = kns_below(c, size, 0.25);
    y = kns_choose(c, near, dawson_series(c, kns_choose(c, near, v, zero)), y);
    return kns_choose(c, knb_ne(b, v, v), v, y);
}

kn_array kn_special_dawsn(kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_dawsn", 1, &x);
    return kns_end(&c, dawson(&c, c.x[0]));
}

/* --- w(z) --------------------------------------------------------------------------------------- */

static kni_atom complex_number(kns_call *c, double v) { return knb_number(c->b, KN_DT(C128), v); }

/* 2 e^(-z^2), with the rounding errors of z^2 put right. */
static kni_atom gauss(kns_call *c, kni_atom x, kni_atom y)
{
    kni_builder *b = c->b;
    kni_atom xx = knb_mul(b, x, x), yy = knb_mul(b, y, y), xy = knb_mul(b, x, y), r = knb_sub(b, yy, xx);
    kni_atom bb = knb_sub(b, r, yy), lost = knb_sub(b, knb_sub(b, yy, knb_sub(b, r, bb)), knb_add(b, xx, bb));
    lost = knb_add(b, lost, knb_sub(b, kns_product_error(c, y, y, yy), kns_product_error(c, x, x, xx)));
    kni_atom turn = kns_times(c, xy, -2), rest = kns_times(c, kns_product_error(c, x, y, xy), -2);
    kni_atom size = kns_times(c, knb_exp(b, r), 2);
    size = knb_add(b, size, knb_mul(b, kns_choose(c, kns_below(c, size, INFINITY), size, kns_number(c, 0)), lost));
    kni_atom co = knb_cos(b, turn), si = knb_sin(b, turn);
    kni_atom re = knb_sub(b, co, knb_mul(b, si, rest)), im = knb_add(b, si, knb_mul(b, co, rest));
    kni_atom real = kns_is(c, im, 0); /* also where the size is infinite */
    return knb_complex(b, knb_mul(b, size, re), kns_choose(c, real, im, knb_mul(b, size, im)));
}

/* In the first quadrant, x, y >= 0, neither of them so large that the first term of the asymptotic series is exact. */
static kni_atom first_quadrant(kns_call *c, kni_atom x, kni_atom y)
{
    kni_builder *b = c->b;
    kni_atom zero = kns_number(c, 0), z = knb_complex(b, x, y), square = knb_mul(b, z, z), sums[2];
    kni_atom high = knb_and(b, knb_ge(b, y, x), knb_ge(b, y, kns_number(c, pi / step)));
    kni_atom mid = knb_or(b, high, wants_midpoints(c, x));
    for (int rule = 0; rule < 2; rule++) {
        kni_atom used = rule ? mid : knb_not(b, mid);
        kni_atom s = knb_select(b, used, square, knb_broadcast_to(b, complex_number(c, -1), knb_type(b, square)));
        kni_atom sum = rule ? complex_number(c, 0) : knb_div(b, complex_number(c, 0.5), s);
        for (int k = NODES - 1; k >= 0; k--) {
            double t = node(k, rule);
            kni_atom down = knb_sub(b, s, complex_number(c, t * t));
            sum = knb_add(b, sum, knb_div(b, complex_number(c, weight[rule][k]), down));
        }
        sums[rule] = sum;
    }
    kni_atom sum = knb_mul(b, knb_mul(b, z, knb_select(b, mid, sums[1], sums[0])), complex_number(c, 2 * step / pi));
    sum = knb_complex(b, knb_neg(b, knb_imag(b, sum)), knb_real(b, sum)); /* times i */
    kni_atom near = knb_and(b, knb_not(b, high), knb_and(b, kns_below(c, x, 28), kns_below(c, y, 28)));
    kni_atom px = kns_choose(c, near, x, kns_number(c, 0.125)), py = kns_choose(c, near, y, zero);
    kni_atom grow = knb_exp(b, kns_times(c, py, 2 * pi / step)), angle = kns_times(c, px, -2 * pi / step);
    kni_atom wave = knb_complex(b, knb_mul(b, grow, knb_cos(b, angle)), knb_mul(b, grow, knb_sin(b, angle)));
    kni_atom one = complex_number(c, 1);
    wave = knb_select(b, mid, knb_add(b, one, wave), knb_sub(b, one, wave));
    kni_atom pole = knb_div(b, gauss(c, px, py), wave);
    kni_atom w = knb_add(b, sum, pole);
    return knb_select(b, near, w, sum);
}

kn_array kn_special_wofz(kn_array z)
{
    kns_call c;
    kns_begin_complex(&c, "special_wofz", z);
    kni_builder *b = c.b;
    if (!kna_failed(&c.op) && !knx_is_complex(c.d)) { /* of real numbers: a complex result */
        c.x[0] = knb_convert(b, c.x[0], KN_DT(C128));
        c.result = c.result == KN_DT(F64) ? KN_DT(C128) : KN_DT(C64);
    }
    c.d = KN_DT(F64);
    kni_atom re = knb_real(b, c.x[0]), im = knb_imag(b, c.x[0]), x = knb_abs(b, re), y = knb_abs(b, im);
    kni_atom one = kns_number(&c, 1), zero = kns_number(&c, 0), size = knb_max(b, x, y),
             far = kns_above(&c, size, 0x1p27);
    kni_atom w = first_quadrant(&c, kns_choose(&c, far, one, x), kns_choose(&c, far, one, y));
    /* i / (sqrt(pi) z), scaled so that the square of |z| stays in range */
    kni_atom scale = kns_choose(&c, far, size, one), p = knb_div(b, x, scale), q = knb_div(b, y, scale);
    kni_atom down = knb_mul(b, knb_add(b, knb_mul(b, p, p), knb_mul(b, q, q)), scale);
    down = knb_div(b, kns_number(&c, 0.56418958354775629), kns_choose(&c, far, down, one));
    w = knb_select(b, far, knb_complex(b, knb_mul(b, q, down), knb_mul(b, p, down)), w);
    w = knb_select(b, kns_is(&c, size, INFINITY), complex_number(&c, 0), w);
    /* w(-conj z) = conj w(z), and w(-z) = 2 e^(-z^2) - w(z) */
    kni_atom below = kns_below(&c, im, 0), left = kns_below(&c, re, 0), flip = knb_xor(b, left, below);
    kni_atom wi = knb_imag(b, w);
    w = knb_complex(b, knb_real(b, w), kns_choose(&c, flip, knb_neg(b, wi), wi));
    kni_atom bounded = knb_and(b, below, kns_below(&c, size, 0x1p400));
    kni_atom g = gauss(&c, kns_choose(&c, bounded, re, zero), kns_choose(&c, bounded, im, zero));
    kni_atom reflected = knb_sub(b, g, w);
    kni_atom steep = knb_and(b, knb_gt(b, y, x), knb_not(b, bounded)); /* e^(y^2) is infinite */
    reflected = knb_select(b, bounded, reflected, knb_neg(b, w));
    reflected = knb_select(b, steep, knb_complex(b, kns_number(&c, INFINITY), zero), reflected);
    w = knb_select(b, below, reflected, w);
    return kns_end(&c, w);
}
