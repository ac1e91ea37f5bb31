/* SPDX-License-Identifier: Apache-2.0
 * cumulative_plain.c -- cumulative operations without vectors: products, maxima and minima of complex numbers (whose
 * sums are those of two lanes), and integers one after the other. */
#include "host/routine/cumulative_part.h"

const uint8_t knr_cumulate_joins[KNR_CUMULATE_JOINS][2] = {
    {0, 1},   {2, 3},   {4, 5},  {6, 7},   {8, 9},   {10, 11}, {12, 13}, {14, 15}, {1, 2},  {1, 3},   {5, 6},
    {5, 7},   {9, 10},  {9, 11}, {13, 14}, {13, 15}, {3, 4},   {3, 5},   {3, 6},   {3, 7},  {11, 12}, {11, 13},
    {11, 14}, {11, 15}, {7, 8},  {7, 9},   {7, 10},  {7, 11},  {7, 12},  {7, 13},  {7, 14}, {7, 15},
};

#define INLINE static inline __attribute__((always_inline))
/* Products; both parts of a number are one vector. */
#define PRODUCTS(name, T, part)                                                                         \
    typedef part V_##T __attribute__((vector_size(sizeof(T)), aligned(sizeof(part)), may_alias));       \
    INLINE V_##T times_##T(V_##T a, V_##T b)                                                            \
    {                                                                                                   \
        V_##T cross = __builtin_shufflevector(a, a, 1, 1) * __builtin_shufflevector(b, b, 1, 0);        \
        return __builtin_shufflevector(a, a, 0, 0) * b + cross * (V_##T){-1, 1};                        \
    }                                                                                                   \
    void name(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p)              \
    {                                                                                                   \
        for (int64_t k = 0; k < n; k++) {                                                               \
            V_##T v[16], *last = (V_##T *)p->carry + k;                                                 \
            for (int i = 0; i < 16; i++)                                                                \
                v[i] = ((const V_##T *)x[i])[k];                                                        \
            for (int i = 0; i < KNR_CUMULATE_JOINS; i++) {                                              \
                const uint8_t *pair = knr_cumulate_joins[i];                                            \
                v[pair[1]] = times_##T(v[pair[0]], v[pair[1]]);                                         \
            }                                                                                           \
            for (int i = 0; i < 16; i++) {                                                              \
                v[i] = p->begins ? v[i] : times_##T(*last, v[i]);                                       \
                ((V_##T *)y[i])[k] = p->prefix ? times_##T(((const V_##T *)p->prefix)[k], v[i]) : v[i]; \
            }                                                                                           \
            *last = v[15];                                                                              \
        }                                                                                               \
    }
PRODUCTS(knr_cumulate_product_c64, kn_c64, float)
PRODUCTS(knr_cumulate_product_c128, kn_c128, double)

/* Maxima and minima are joined in any order: by real parts first; whatever has a nan part is one. */
#define IS_NAN(a)    ((a).re != (a).re || (a).im != (a).im)
#define BELOW(a, b)  ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define KEEPS(a, b)  (IS_NAN(a) || (!IS_NAN(b) && BELOW(b, a)))
#define YIELDS(a, b) (IS_NAN(a) || (!IS_NAN(b) && BELOW(a, b)))
#define EXTREME(name, T, JOIN)                                                                    \
    static void name(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p) \
    {                                                                                             \
        for (int64_t k = 0; k < n; k++) {                                                         \
            const T *front = p->prefix ? (const T *)p->prefix + k : NULL;                         \
            T last = p->begins ? ((const T *)x[0])[k] : ((T *)p->carry)[k];                       \
            for (int i = 0; i < 16; i++) {                                                        \
                T v = ((const T *)x[i])[k];                                                       \
                last = JOIN(last, v) ? last : v;                                                  \
                ((T *)y[i])[k] = front && JOIN(*front, last) ? *front : last;                     \
            }                                                                                     \
            ((T *)p->carry)[k] = last;                                                            \
        }                                                                                         \
    }
EXTREME(max_c64, kn_c64, KEEPS)
EXTREME(min_c64, kn_c64, YIELDS)
EXTREME(max_c128, kn_c128, KEEPS)
EXTREME(min_c128, kn_c128, YIELDS)

const knr_cumulate_loops knr_cumulate_complex[2] = {
    {.size = 8, .columns = {NULL, knr_cumulate_product_c64, max_c64, min_c64}},
    {.size = 16, .columns = {NULL, knr_cumulate_product_c128, max_c128, min_c128}},
};

/* --- one after the other ------------------------------------------------------------------------ */

#define PRODUCT_OF(a, b) ((a) * (b))
#define LARGER_OF(a, b)  ((int64_t)(a) > (int64_t)(b) ? (a) : (b))
#define LINE(name, T, JOIN)                                                                                   \
    void knr_cumulate_##name(const void *x, void *y, int64_t n, int64_t lines, const knr_cumulate_part *p)    \
    {                                                                                                         \
        const T flip = (T)p->flip, first = *(const T *)p->carry ^ flip, front = *(const T *)p->prefix ^ flip; \
        T last = first, left_out;                                                                             \
        int64_t step = p->reverse ? -1 : 1, begin = p->reverse ? n - 1 : 0;                                   \
        for (int64_t line = 0; line < lines; line++) {                                                        \
            const T *from = (const T *)x + line * n + begin;                                                  \
            T *to = y ? (T *)y + line * n + begin : &left_out;                                                \
            last = first;                                                                                     \
            for (int64_t i = 0; i < n; i++, from += step, to += y ? step : 0) {                               \
                last = JOIN(last, *from ^ flip);                                                              \
                *to = JOIN(front, last) ^ flip;                                                               \
            }                                                                                                 \
        }                                                                                                     \
        *(T *)p->carry = last ^ flip;                                                                         \
    }
LINE(product_u32, uint32_t, PRODUCT_OF)
LINE(product_u64, uint64_t, PRODUCT_OF)
LINE(max_u64, uint64_t, LARGER_OF)
