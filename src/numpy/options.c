/* SPDX-License-Identifier: Apache-2.0
 * options.c -- the defaults of all options. */
#include "numpy/internal.h"
#include <string.h>

void knn_read_opts(void *opts, size_t size, const void *given)
{
    size_t theirs;
    if (!given)
        return;
    memcpy(&theirs, given, sizeof theirs);
    memcpy(opts, given, theirs < size ? theirs : size);
    memcpy(opts, &size, sizeof size);
}

#define DEFAULTS(T, ...) \
    T T##_default(void) { return (T){.size_ = sizeof(T), __VA_ARGS__}; }

DEFAULTS(kn_zeros_opts, .dtype = NULL)
DEFAULTS(kn_linspace_opts, .endpoint = true)
DEFAULTS(kn_eye_opts, .M = -1)
DEFAULTS(kn_astype_opts, .copy = true)
DEFAULTS(kn_copyto_opts, .casting = NULL)
DEFAULTS(kn_isclose_opts, .rtol = 1e-5, .atol = 1e-8)
DEFAULTS(kn_array_equal_opts, .equal_nan = false)
DEFAULTS(kn_sum_opts, .keepdims = false)
DEFAULTS(kn_mean_opts, .keepdims = false)
DEFAULTS(kn_var_opts, .keepdims = false)
DEFAULTS(kn_max_opts, .keepdims = false)
DEFAULTS(kn_any_opts, .keepdims = false)
DEFAULTS(kn_argmax_opts, .keepdims = false)
DEFAULTS(kn_transpose_opts, .axes.n = 0)
DEFAULTS(kn_squeeze_opts, .axis.n = 0)
DEFAULTS(kn_concatenate_opts, .dtype = NULL)
DEFAULTS(kn_split_opts, .axis.n = 0)
DEFAULTS(kn_take_opts, .mode = NULL)
DEFAULTS(kn_tensordot_opts, .axes = 2)
DEFAULTS(kn_sort_opts, .stable = false)
