/* SPDX-License-Identifier: Apache-2.0
 * product_lanes_isa.c -- the inner loops of product_lanes.h, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/product_lanes.h"
#include "host/routine/product_vector.h"

enum { VECTORS = 4 }; /* whose sums are made at once */

#define LOOPS(num, T, V, size)                                                                      \
    ALWAYS V load_##num(const T *p, int n)                                                          \
    {                                                                                               \
        V v;                                                                                        \
        if (n < (int)(VECTOR_BYTES / size))                                                         \
            return (V)load##size(p, n);                                                             \
        memcpy(&v, p, sizeof v);                                                                    \
        return v;                                                                                   \
    }                                                                                               \
    /* `vectors` of them from lane `at` on; n lanes of the last one. */                             \
    ALWAYS void some_##num(const knr_lanes_args *x, int64_t at, const int vectors, int n)           \
    {                                                                                               \
        enum { LANES = VECTOR_BYTES / size };                                                       \
        V total[VECTORS] = {0}, acc[VECTORS];                                                       \
        for (int64_t k = 0; k < x->steps;) {                                                        \
            int64_t end = k + KNR_BLOCK_STEPS < x->steps ? k + KNR_BLOCK_STEPS : x->steps;          \
            bool first = k == 0;                                                                    \
            UNROLL for (int v = 0; v < vectors; v++) acc[v] = (V){0};                               \
            for (; k < end; k++) {                                                                  \
                const T *a = (const T *)x->a[k] + at, *b = (const T *)x->b[k] + at;                 \
                UNROLL for (int v = 0; v < vectors; v++)                                            \
                {                                                                                   \
                    int lanes = v + 1 < vectors ? (int)LANES : n;                                   \
                    V y = load_##num(b + v * LANES, lanes);                                         \
                    acc[v] = fma_##num(load_##num(a + v * LANES, lanes), y, acc[v]);                \
                }                                                                                   \
            }                                                                                       \
            UNROLL for (int v = 0; v < vectors; v++) total[v] = first ? acc[v] : total[v] + acc[v]; \
        }                                                                                           \
        UNROLL for (int v = 0; v < vectors; v++)                                                    \
        {                                                                                           \
            T *c = (T *)x->c + at + v * LANES;                                                      \
            if (v + 1 < vectors || n == (int)LANES)                                                 \
                memcpy(c, &total[v], sizeof total[v]);                                              \
            else                                                                                    \
                store##size(c, (vu32)total[v], n);                                                  \
        }                                                                                           \
    }                                                                                               \
    ALWAYS void all_##num(const knr_lanes_args *x)                                                  \
    {                                                                                               \
        enum { LANES = VECTOR_BYTES / size };                                                       \
        int64_t at = 0;                                                                             \
        for (; at + VECTORS * LANES <= x->lanes; at += VECTORS * LANES)                             \
            some_##num(x, at, VECTORS, LANES);                                                      \
        for (; at + LANES <= x->lanes; at += LANES)                                                 \
            some_##num(x, at, 1, LANES);                                                            \
        if (at < x->lanes)                                                                          \
            some_##num(x, at, 1, (int)(x->lanes - at));                                             \
    }                                                                                               \
    static void num(const knr_lanes_args *from)                                                     \
    {                                                                                               \
        knr_lanes_args x = *from;                                                                   \
        for (int64_t i = 0; i < x.points; i++, x.c += x.c_step) {                                   \
            all_##num(&x);                                                                          \
            for (int64_t k = 0; k < x.steps; k++)                                                   \
                x.a[k] += x.a_step[k];                                                              \
        }                                                                                           \
    }
LOOPS(f32, float, vf32, 4)
LOOPS(f64, double, vf64, 8)

const knr_lanes_loops KN_ISA_NAME(knr_lanes) = {f32, f64};
