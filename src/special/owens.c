/* SPDX-License-Identifier: Apache-2.0
 * owens.c -- Owen's T function: 1 / (2 pi) times the integral of e^(-h^2 (1 + x^2) / 2) / (1 + x^2) for x from 0 to a,
 * by Gauss' rule (scripts/fit/special.py). */
#include "special/internal.h"

enum { NODES = 24 };

/* For 0 <= a <= 1, h >= 0. Beyond x = 8.6 / h nothing is left. */
static kni_atom near(kns_call *c, kni_atom h, kni_atom a)
{
    static const double rule[NODES / 2][2] = {
        /* nodes below 1/2, and weights */
        {0x1.3b690cb733ec7p-9, 0x1.9465bd3112202p-8}, {0x1.9e0c1e680f139p-7, 0x1.d375514486f1dp-7},
        {0x1.f9a7a58f55b36p-6, 0x1.6ab884f57c979p-6}, {0x1.d13df3cd9785bp-5, 0x1.e5c6255d25edap-6},
        {0x1.70a2cc7cb2401p-4, 0x1.2c6d5c2eff064p-5}, {0x1.0a1ce248c4454p-3, 0x1.6108ef504463ap-5},
        {0x1.685a2340bdef4p-3, 0x1.8fd8936444b16p-5}, {0x1.d17d08a7651aap-3, 0x1.b8177ba4a68dcp-5},
        {0x1.21e5d13f0eda5p-2, 0x1.d91c78acb1b2dp-5}, {0x1.5eb2b9d3b8b78p-2, 0x1.f25cbce1d1ff6p-5},
        {0x1.9e25aaf51ac1dp-2, 0x1.01b7117cf8bd8p-4}, {0x1.df33ef5824ba3p-2, 0x1.060475e763736p-4}};
    kni_builder *b = c->b;
    const double most = 8.6;
    h = knb_min(b, h, kns_number(c, 64)); /* from there on all is 0 */
    kni_atom width = knb_mul(b, a, h), cut = kns_above(c, width, most);
    kni_atom end = kns_choose(c, cut, knb_div(b, kns_number(c, most), kns_choose(c, cut, h, kns_number(c, 1))), a);
    width = knb_mul(b, end, h);
    kni_atom s = knb_mul(b, end, end), t = kns_times(c, knb_mul(b, width, width), -0.5), sum = kns_number(c, 0);
    for (int k = 0; k < NODES; k++) {
        int i = k < NODES / 2 ? k : NODES - 1 - k;
        double x = i == k ? rule[i][0] : 1 - rule[i][0];
        kni_atom up = knb_exp(b, kns_times(c, t, x * x)), down = kns_plus(c, kns_times(c, s, x * x), 1);
        sum = knb_add(b, sum, kns_times(c, knb_div(b, up, down), rule[i][1]));
    }
    kni_atom square = knb_mul(b, h, h), size = knb_exp(b, kns_times(c, square, -0.5));
    kni_atom lost = kns_times(c, kns_product_error(c, h, h, square), -0.5);
    size = knb_add(b, size, knb_mul(b, size, lost));
    return knb_mul(b, knb_mul(b, kns_times(c, sum, 0.15915494309189535), end), size);
}

/* T(h, a) = T(|h|, |a|) with the sign of a; for a > 1 with p = ndtr(-h), q = ndtr(-a h) it is
 * (p + q) / 2 - p q - T(a h, 1 / a). */
kn_array kn_special_owens_t(kn_array h, kn_array a)
{
    kns_call c;
    kns_begin_wide(&c, "special_owens_t", 2, (const kn_array[]){h, a});
    kni_builder *b = c.b;
    kni_atom size = knb_abs(b, c.x[0]), slope = knb_abs(b, c.x[1]), one = kns_number(&c, 1);
    kni_atom steep = kns_above(&c, slope, 1), large = knb_min(b, slope, kns_number(&c, 1e300));
    kni_atom across = knb_mul(b, kns_choose(&c, steep, large, one), size);
    kni_atom ratio = kns_choose(&c, steep, knb_div(b, one, kns_choose(&c, steep, large, one)), slope);
    kni_atom t = near(&c, kns_choose(&c, steep, across, size), ratio);
    kni_atom p = kns_ndtr(&c, knb_neg(b, size)), q = kns_ndtr(&c, knb_neg(b, across));
    kni_atom whole = knb_sub(b, kns_times(&c, knb_add(b, p, q), 0.5), knb_mul(b, p, q));
    kni_atom y = kns_choose(&c, steep, knb_sub(b, whole, t), t);
    return kns_end(&c, kns_choose(&c, kns_below(&c, c.x[1], 0), knb_neg(b, y), y));
}
