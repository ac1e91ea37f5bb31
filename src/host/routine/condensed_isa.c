/* SPDX-License-Identifier: Apache-2.0
 * condensed_isa.c -- the inner loops of condensed.h, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/condensed.h"
#include "host/routine/product_vector.h"
#include <stdbool.h>

#define NUM   f32
#define T     float
#define U     uint32_t
#define BYTES 4
#include "host/routine/condensed_loops.h"

#define NUM   f64
#define T     double
#define U     uint64_t
#define BYTES 8
#include "host/routine/condensed_loops.h"

enum { LANES = VECTOR_BYTES / 8, CHAINS = 8, GROUPS = CHAINS / LANES };

ALWAYS double join_chains(const vf64 *acc)
{
    double lane[CHAINS];
    UNROLL for (int g = 0; g < GROUPS; g++) store_f64(lane + g * LANES, acc[g]);
    return join_f64(lane);
}

ALWAYS vf64 absolute(vf64 x) { return (vf64)((vu64)x & (UINT64_MAX >> 1)); }

typedef int64_t places __attribute__((vector_size(VECTOR_BYTES)));

ALWAYS vf64 choose(places wanted, vf64 x, vf64 y) { return (vf64)((wanted & (places)x) | (~wanted & (places)y)); }

ALWAYS knr_secular_sums sums(double *delta, const double *d, const double *z2, int64_t n, int64_t first, double origin,
                             double mu, const bool squares)
{
    static const int64_t counted[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    vf64 value[GROUPS], size[GROUPS], left[GROUPS], right[GROUPS], o = fill_f64(origin), m = fill_f64(mu);
    UNROLL for (int g = 0; g < GROUPS; g++) value[g] = size[g] = left[g] = right[g] = fill_f64(0);
    for (int64_t j = 0; j < n; j += CHAINS)
        UNROLL for (int g = 0; g < GROUPS; g++)
        {
            int64_t k = j + g * LANES;
            places at;
            memcpy(&at, counted, sizeof at);
            at += k;
            vf64 x = load_f64(d + k), z = load_f64(z2 + k);
            x = squares ? (x - o) * (x + o) - m : x - o - m;
            if (k + LANES > n) { /* numbers behind the last: zeros are added */
                z = choose(at < n, z, fill_f64(0));
                x = choose(at < n, x, fill_f64(1));
            }
            store_f64(delta + k, x);
            vf64 r = 1 / x, t = z * r;
            value[g] += t;
            size[g] += absolute(t);
            t *= r;
            if (k + LANES <= first)
                left[g] += t;
            else if (k >= first)
                right[g] += t;
            else {
                left[g] += choose(at < first, t, fill_f64(0));
                right[g] += choose(at < first, fill_f64(0), t);
            }
        }
    return (knr_secular_sums){join_chains(value), join_chains(size), {join_chains(left), join_chains(right)}};
}

static knr_secular_sums secular(double *delta, const double *d, const double *z2, int64_t n, int64_t first,
                                double origin, double mu, bool squares)
{
    return squares ? sums(delta, d, z2, n, first, origin, mu, true) : sums(delta, d, z2, n, first, origin, mu, false);
}

static void quotients(double *restrict p, const double *restrict x, const double *restrict d, double minus, int64_t n,
                      bool squares)
{
    for (int64_t i = 0; squares && i < n; i++)
        p[i] *= x[i] / ((d[i] - minus) * (d[i] + minus));
    if (squares)
        return;
    for (int64_t i = 0; i < n; i++)
        p[i] *= x[i] / (d[i] - minus);
}

ALWAYS void reflect_some(double *a, double *b, double *c, double v1, double v2, double tau, int64_t n, bool three)
{
    int64_t j = 0;
    vf64 x = fill_f64(v1), y = fill_f64(v2), t = fill_f64(tau);
    for (; j + LANES <= n; j += LANES) {
        vf64 p = load_f64(a + j), q = load_f64(b + j), r = fill_f64(0), s = fma_f64(x, q, p);
        if (three) {
            r = load_f64(c + j);
            s = fma_f64(y, r, s);
        }
        s = -(t * s);
        store_f64(a + j, p + s);
        store_f64(b + j, fma_f64(x, s, q));
        if (three)
            store_f64(c + j, fma_f64(y, s, r));
    }
    for (; j < n; j++) {
        double s = fma1_f64(v1, b[j], a[j]);
        if (three)
            s = fma1_f64(v2, c[j], s);
        s = -(tau * s);
        a[j] += s;
        b[j] = fma1_f64(v1, s, b[j]);
        if (three)
            c[j] = fma1_f64(v2, s, c[j]);
    }
}

static void reflect(double *a, double *b, double *c, double v1, double v2, double tau, int64_t n)
{
    if (c)
        reflect_some(a, b, c, v1, v2, tau, n, true);
    else
        reflect_some(a, b, b, v1, v2, tau, n, false);
}

static void reflect_columns(double *a, int64_t ld, int64_t n, double v1, double v2, double tau, bool three)
{
    double p = tau * v1, q = tau * v2;
    for (int64_t i = 0; three && i < n; i++, a += ld) {
        double s = fma1_f64(q, a[2], fma1_f64(p, a[1], tau * a[0]));
        a[0] -= s;
        a[1] = fma1_f64(-s, v1, a[1]);
        a[2] = fma1_f64(-s, v2, a[2]);
    }
    for (int64_t i = 0; !three && i < n; i++, a += ld) {
        double s = fma1_f64(p, a[1], tau * a[0]);
        a[0] -= s;
        a[1] = fma1_f64(-s, v1, a[1]);
    }
}

ALWAYS double join_pairs(double *y, const double *a, const double *b, int64_t n, const bool quotient)
{
    vf64 acc[GROUPS];
    double lane[CHAINS];
    int64_t j = 0;
    UNROLL for (int g = 0; g < GROUPS; g++) acc[g] = fill_f64(0);
    for (; j + CHAINS <= n; j += CHAINS)
        UNROLL for (int g = 0; g < GROUPS; g++)
        {
            int64_t k = j + g * LANES;
            vf64 p = load_f64(a + k), q = load_f64(b + k), v = quotient ? p / q : p * q;
            store_f64(y + k, v);
            acc[g] = fma_f64(v, v, acc[g]);
        }
    UNROLL for (int g = 0; g < GROUPS; g++) store_f64(lane + g * LANES, acc[g]);
    for (; j < n; j++) {
        y[j] = quotient ? a[j] / b[j] : a[j] * b[j];
        lane[j % CHAINS] = fma1_f64(y[j], y[j], lane[j % CHAINS]);
    }
    return join_f64(lane);
}

static double divide(double *y, const double *a, const double *b, int64_t n) { return join_pairs(y, a, b, n, true); }
static double times(double *y, const double *a, const double *b, int64_t n) { return join_pairs(y, a, b, n, false); }

const knr_condensed_loops KN_ISA_NAME(knr_condensed) = {
    .half_times = {half_times_f32, half_times_f64},
    .secular = secular,
    .quotients = quotients,
    .reflect = reflect,
    .reflect_columns = reflect_columns,
    .divide = divide,
    .times = times,
    .add = {add_f32, add_f64},
    .largest = {largest_f32, largest_f64},
    .scale = {scale_f32, scale_f64},
    .tridiagonalize = {tridiagonalize_f32, tridiagonalize_f64},
    .bidiagonalize = {bidiagonalize_f32, bidiagonalize_f64},
    .hessenberg = {hessenberg_f32, hessenberg_f64},
    .reflect_rows = {reflect_rows_f32, reflect_rows_f64},
};
