/* SPDX-License-Identifier: Apache-2.0
 * cumulative_plain.c -- cumulative operations without vectors: products, maxima and minima of complex numbers (whose
 * sums are those of two lanes), and integers one after the other. */
#include "host/routine/cumulative_part.h"

const uint8_t knr_cumulate_joins[KNR_CUMULATE_JOINS][2] = {
    {0, 1},   {2, 3},   {4, 5},  {6, 7},   {8, 9},   {10, 11}, {12, 13}, {14, 15}, {1, 2},  {1, 3},   {5, 6},
    {5, 7},   {9, 10},  {9, 11}, {13, 14}, {13, 15}, {3, 4},   {3, 5},   {3, 6},   {3, 7},  {11, 12}, {11, 13},
    {11, 14}, {11, 15}, {7, 8},  {7, 9},   {7, 10},  {7, 11},  {7, 12},  {7, 13},  {7, 14}, {7, 15},
};

/* By real parts first; whatever has a nan part is one. */
#define IS_NAN(a)   ((a).re != (a).re || (a).im != (a).im)
#define BELOW(a, b) ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define PRODUCT(a, b)                                                    \
    {                                                                    \
        (a).re *(b).re - (a).im *(b).im, (a).re *(b).im + (a).im *(b).re \
    }
#define KEEPS(a, b)  (IS_NAN(a) || (!IS_NAN(b) && BELOW(b, a)))
#define YIELDS(a, b) (IS_NAN(a) || (!IS_NAN(b) && BELOW(a, b)))

/* Loops for each operation. Maxima and minima are joined in any order. */
#define INLINE static inline __attribute__((always_inline))
#define COLUMNS(T)                                                                                              \
    INLINE T join_##T(knr_cumulate how, T a, T b)                                                               \
    {                                                                                                           \
        if (how == KNR_CUMULATE_PRODUCT)                                                                        \
            return (T)PRODUCT(a, b);                                                                            \
        return (how == KNR_CUMULATE_MAX ? KEEPS(a, b) : YIELDS(a, b)) ? a : b;                                  \
    }                                                                                                           \
    INLINE void columns_##T(knr_cumulate how, const void *const *x, void *const *y, int64_t n,                  \
                            const knr_cumulate_part *p)                                                         \
    {                                                                                                           \
        for (int64_t k = 0; k < n; k++) {                                                                       \
            T v[16], last = ((T *)p->carry)[k];                                                                 \
            for (int i = 0; i < 16; i++)                                                                        \
                v[i] = ((const T *)x[i])[k];                                                                    \
            for (int i = 0; how == KNR_CUMULATE_PRODUCT && i < KNR_CUMULATE_JOINS; i++) {                       \
                const uint8_t *pair = knr_cumulate_joins[i];                                                    \
                v[pair[1]] = join_##T(how, v[pair[0]], v[pair[1]]);                                             \
            }                                                                                                   \
            for (int i = 0; i < 16; i++) {                                                                      \
                v[i] = p->begins && (i == 0 || how == KNR_CUMULATE_PRODUCT) ? v[i] : join_##T(how, last, v[i]); \
                last = how == KNR_CUMULATE_PRODUCT ? last : v[i];                                               \
                ((T *)y[i])[k] = p->prefix ? join_##T(how, ((const T *)p->prefix)[k], v[i]) : v[i];             \
            }                                                                                                   \
            ((T *)p->carry)[k] = v[15];                                                                         \
        }                                                                                                       \
    }
COLUMNS(kn_c64)
COLUMNS(kn_c128)

#define FORM(T, name, how)                                                                              \
    static void T##_##name(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p) \
    {                                                                                                   \
        columns_##T(how, x, y, n, p);                                                                   \
    }
#define FORMS(T)                           \
    FORM(T, product, KNR_CUMULATE_PRODUCT) \
    FORM(T, max, KNR_CUMULATE_MAX)         \
    FORM(T, min, KNR_CUMULATE_MIN)
FORMS(kn_c64)
FORMS(kn_c128)

const knr_cumulate_loops knr_cumulate_complex[2] = {
    {.size = 8, .columns = {NULL, kn_c64_product, kn_c64_max, kn_c64_min}},
    {.size = 16, .columns = {NULL, kn_c128_product, kn_c128_max, kn_c128_min}},
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
