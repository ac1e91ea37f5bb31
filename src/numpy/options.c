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
DEFAULTS(kn_zeros_like_opts, .dtype = NULL)
DEFAULTS(kn_asarray_opts, .copy = -1)
DEFAULTS(kn_copy_opts, .order = NULL)
DEFAULTS(kn_logspace_opts, .endpoint = true)
DEFAULTS(kn_geomspace_opts, .endpoint = true)
DEFAULTS(kn_diag_opts, .k = 0)
DEFAULTS(kn_vander_opts, .N = -1)
DEFAULTS(kn_meshgrid_opts, .sparse = false)
DEFAULTS(kn_frombuffer_opts, .count = -1)
DEFAULTS(kn_fromstring_opts, .count = -1)
DEFAULTS(kn_diagonal_opts, .axis2 = 1)
DEFAULTS(kn_trace_opts, .axis2 = 1)
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
DEFAULTS(kn_reshape_opts, .copy = -1)
DEFAULTS(kn_ravel_opts, .order = NULL)
DEFAULTS(kn_transpose_opts, .axes.n = 0)
DEFAULTS(kn_squeeze_opts, .axis.n = 0)
DEFAULTS(kn_concatenate_opts, .dtype = NULL)
DEFAULTS(kn_split_opts, .axis.n = 0)
DEFAULTS(kn_rollaxis_opts, .start = 0)
DEFAULTS(kn_rot90_opts, .k = 1)
DEFAULTS(kn_vstack_opts, .dtype = NULL)
DEFAULTS(kn_trim_zeros_opts, .trim = NULL)
DEFAULTS(kn_pad_opts, .mode = NULL)
DEFAULTS(kn_unique_opts, .equal_nan = true, .sorted = true)
DEFAULTS(kn_require_opts, .dtype = NULL)
DEFAULTS(kn_take_opts, .mode = NULL)
DEFAULTS(kn_mode_opts, .mode = NULL)
DEFAULTS(kn_indices_opts, .dtype = NULL)
DEFAULTS(kn_select_opts, .default_ = NULL)
DEFAULTS(kn_fill_diagonal_opts, .wrap = false)
DEFAULTS(kn_diag_indices_opts, .ndim = 2)
DEFAULTS(kn_tril_indices_opts, .m = -1)
DEFAULTS(kn_unravel_index_opts, .order = NULL)
DEFAULTS(kn_ravel_multi_index_opts, .mode = NULL)
DEFAULTS(kn_isin_opts, .invert = false)
DEFAULTS(kn_intersect1d_opts, .assume_unique = false)
DEFAULTS(kn_setdiff1d_opts, .assume_unique = false)
DEFAULTS(kn_tensordot_opts, .axes = 2)
DEFAULTS(kn_sort_opts, .stable = false)
DEFAULTS(kn_partition_opts, .kind = NULL)
DEFAULTS(kn_top_k_opts, .sorted = true)
DEFAULTS(kn_searchsorted_opts, .side = NULL)
DEFAULTS(kn_digitize_opts, .right = false)
DEFAULTS(kn_quantile_opts, .method = NULL)
DEFAULTS(kn_average_opts, .weights = NULL)
DEFAULTS(kn_cov_opts, .rowvar = true, .ddof = -1)
DEFAULTS(kn_corrcoef_opts, .rowvar = true)
DEFAULTS(kn_histogram_opts, .bins = NULL)
DEFAULTS(kn_histogram2d_opts, .bins = NULL)
DEFAULTS(kn_histogramdd_opts, .bins = NULL)
DEFAULTS(kn_bincount_opts, .weights = NULL)
