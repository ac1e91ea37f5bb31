/* SPDX-License-Identifier: Apache-2.0
 * count_isa.c -- numbers of bins that are equally wide, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/count_loops.h"

/* First the whole parts, then what is behind them: the difference of both in one loop would be a rounding, which has no
 * vectors in older compilers. */
#define EQUAL(name, T)                                                                                  \
    static bool name(const knr_equal_bins *e, const T *restrict x, int64_t n, int64_t *restrict number) \
    {                                                                                                   \
        const T low = (T)e->low, high = (T)e->high, width = (T)e->width, many = (T)e->n_bin;            \
        const T doubt = (T)e->doubt, rest = 1 - doubt;                                                  \
        const int32_t n_bin = (int32_t)e->n_bin;                                                        \
        int32_t open = 0, whole[KNR_COUNT_STRIP];                                                       \
        T places[KNR_COUNT_STRIP];                                                                      \
        if (!(e->doubt < 0.5))                                                                          \
            for (int64_t i = 0; i < n; i++)                                                             \
                number[i] = e->n_bin;                                                                   \
        if (!(e->doubt < 0.5))                                                                          \
            return true;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                               \
            bool inside = (x[i] >= low) & (x[i] <= high);                                               \
            T place = (x[i] - low) / width * many;                                                      \
            places[i] = inside ? place : -1;                                                            \
            whole[i] = (int32_t)places[i];                                                              \
        }                                                                                               \
        for (int64_t i = 0; i < n; i++) {                                                               \
            int32_t at = whole[i], out = at >> 31;                                                      \
            T part = places[i] - (T)at;                                                                 \
            int32_t sure = -((part >= doubt) & (part <= rest) & (at < n_bin)) | out;                    \
            open |= ~sure;                                                                              \
            number[i] = (at & sure) | (n_bin & ~sure);                                                  \
        }                                                                                               \
        return open != 0;                                                                               \
    }
EQUAL(equal_f32, float)
EQUAL(equal_f64, double)

const knr_count_loops KN_ISA_NAME(knr_count_loops) = {equal_f32, equal_f64};
