/* SPDX-License-Identifier: Apache-2.0
 * small.c -- which matrices are small, and which loops run them. */
#include "host/routine/small.h"
#include "host/routine/isa.h"

static knr_small_loop *const *loops_of(kn_dtype d)
{
    int wide = d->size == 8;
    return KNR_BY_ISA(knr_small)[wide];
}

bool knr_fits_small(kn_dtype d, int64_t m, int64_t n)
{
    return (d == KN_DT(F32) || d == KN_DT(F64)) && m > 0 && m <= KNR_SMALL && n > 0 && n <= KNR_SMALL;
}

bool knr_fits_small_with(kn_dtype d, int64_t n, int64_t columns)
{
    return knr_fits_small(d, n, n) && columns > 0 && n * columns <= KNR_SMALL_NUMBERS;
}

bool knr_small_run(knr_small_kind kind, const knr_small *s, int64_t count, const void *const *x, void *const *y,
                   void *workspace)
{
    return loops_of(s->dtype)[kind](s, count, x, y, workspace);
}
