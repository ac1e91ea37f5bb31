/* SPDX-License-Identifier: Apache-2.0
 * condensed_isa.c -- the inner loops of condensed.h, compiled once per instruction set. */
#include "host/routine/condensed.h"
#include "host/routine/product_vector.h"
#include <stdbool.h>

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

#define NUM   f32
#define T     float
#define BYTES 4
#include "host/routine/condensed_loops.h"

#define NUM   f64
#define T     double
#define BYTES 8
#include "host/routine/condensed_loops.h"

enum { LANES = VECTOR_BYTES / 8, CHAINS = 8, GROUPS = CHAINS / LANES };

ALWAYS double join_chains(const vf64 *acc)
{
    double lane[CHAINS];
    for (int g = 0; g < GROUPS; g++)
        store_f64(lane + g * LANES, acc[g]);
    return join_f64(lane);
}

ALWAYS vf64 absolute(vf64 x) { return (vf64)((vu64)x & (UINT64_MAX >> 1)); }

/* Numbers behind the last have z2 = 0 and a delta that is not: they add zeros. */
ALWAYS knr_secular_sums sums(double *delta, const double *d, const double *z2, int64_t n, double origin, double mu,
                             const bool squares)
{
    vf64 value[GROUPS], size[GROUPS], slope[GROUPS], o = fill_f64(origin), m = fill_f64(mu);
    UNROLL for (int g = 0; g < GROUPS; g++) value[g] = size[g] = slope[g] = fill_f64(0);
    for (int64_t j = 0; j < n; j += CHAINS) {
        double last_d[CHAINS], last_z2[CHAINS], last_delta[CHAINS];
        const double *from_d = d + j, *from_z2 = z2 + j;
        double *to = delta + j;
        bool whole = j + CHAINS <= n;
        if (!whole) {
            for (int i = 0; i < CHAINS; i++) {
                last_d[i] = j + i < n ? d[j + i] : 4 * (__builtin_fabs(origin) + __builtin_fabs(mu) + 1);
                last_z2[i] = j + i < n ? z2[j + i] : 0;
            }
            from_d = last_d, from_z2 = last_z2, to = last_delta;
        }
        UNROLL for (int g = 0; g < GROUPS; g++)
        {
            vf64 x = load_f64(from_d + g * LANES);
            x = squares ? (x - o) * (x + o) - m : x - o - m;
            store_f64(to + g * LANES, x);
            vf64 r = 1 / x, t = load_f64(from_z2 + g * LANES) * r;
            value[g] += t;
            size[g] += absolute(t);
            slope[g] = fma_f64(t, r, slope[g]);
        }
        for (int i = 0; !whole && j + i < n; i++)
            delta[j + i] = last_delta[i];
    }
    return (knr_secular_sums){join_chains(value), join_chains(size), join_chains(slope)};
}

static knr_secular_sums secular(double *delta, const double *d, const double *z2, int64_t n, double origin, double mu,
                                bool squares)
{
    return squares ? sums(delta, d, z2, n, origin, mu, true) : sums(delta, d, z2, n, origin, mu, false);
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

static double divide(double *y, const double *a, const double *b, int64_t n)
{
    vf64 acc[GROUPS];
    double lane[CHAINS];
    int64_t j = 0;
    UNROLL for (int g = 0; g < GROUPS; g++) acc[g] = fill_f64(0);
    for (; j + CHAINS <= n; j += CHAINS)
        UNROLL for (int g = 0; g < GROUPS; g++)
        {
            int64_t k = j + g * LANES;
            vf64 v = load_f64(a + k) / load_f64(b + k);
            store_f64(y + k, v);
            acc[g] = fma_f64(v, v, acc[g]);
        }
    UNROLL for (int g = 0; g < GROUPS; g++) store_f64(lane + g * LANES, acc[g]);
    for (; j < n; j++) {
        y[j] = a[j] / b[j];
        lane[j % CHAINS] = fma1_f64(y[j], y[j], lane[j % CHAINS]);
    }
    return join_f64(lane);
}

const knr_condensed_loops PASTE(knr_condensed_, KN_ISA) = {{half_times_f32, half_times_f64}, secular, quotients, reflect,
                                                         divide};
