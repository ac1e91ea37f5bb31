/* SPDX-License-Identifier: Apache-2.0
 * routines.c -- which primitives have a routine on the device. */
#include "webgpu/routine/kinds.h"
#include <string.h>

static const struct {
    const char *primitive;
    const kng_kind *kind;
} routines[] = {
    {"argmax", &kng_argmax},
    {"argmin", &kng_argmin},
    {"argsort", &kng_argsort},
    {"partition", &kng_partition},
    {"searchsorted", &kng_searchsorted},
    {"sort", &kng_sort},
    {"top_k", &kng_top_k},
    {"check_bounds", &kng_check_bounds},
    {"gather", &kng_gather},
    {"scatter", &kng_scatter},
    {"scatter-add", &kng_scatter_add},
    {"scatter-mul", &kng_scatter_mul},
    {"scatter-min", &kng_scatter_min},
    {"scatter-max", &kng_scatter_max},
    {"dynamic_update_slice", &kng_update},
    {"strided_update", &kng_update},
    {"reduce_window_sum", &kng_window_sum},
    {"reduce_window_max", &kng_window_max},
    {"reduce_window_min", &kng_window_min},
    {"window_choice", &kng_window_choice},
    {"window_pick", &kng_window_pick},
    {"window_place", &kng_window_place},
    {"cholesky", &kng_cholesky},
    {"lu", &kng_lu},
    {"lu_pivots_to_permutation", &kng_permutation},
    {"triangular_solve", &kng_triangular_solve},
    {"cumsum", &kng_cumsum},
    {"cumprod", &kng_cumprod},
    {"cummax", &kng_cummax},
    {"cummin", &kng_cummin},
};

const kng_kind *kng_routine(const char *primitive)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (!strcmp(routines[i].primitive, primitive))
            return routines[i].kind;
    return NULL;
}
