/* SPDX-License-Identifier: Apache-2.0
 * padding.c -- the padding of windows and convolutions: names to numbers. */
#include "lax/internal.h"
#include <strings.h>

bool knlax_wide_window(int64_t extent, int64_t dilation, int64_t *wide)
{
    if (knx_any_symbolic(extent, dilation)) {
        *wide = knx_dim_add(knx_dim_mul(extent - 1, dilation), 1);
        return true;
    }
    return extent > 0 && dilation > 0 && !__builtin_mul_overflow(extent - 1, dilation, wide) &&
           !__builtin_add_overflow(*wide, 1, wide);
}

/* Pads such that there is one window for each stride of the axis; the odd element is `lower` or behind. */
static kn_lax_pad_pair same(int64_t extent, int64_t window, int64_t stride, bool lower)
{
    if (knx_any_symbolic(extent, window)) {
        int64_t last = knx_dim_mul(knx_dim_ceildiv(extent, stride) - 1, stride);
        int64_t both = knx_dim_max(knx_dim_sub(knx_dim_add(last, window), extent), 0), half = knx_dim_floordiv(both, 2);
        int64_t rest = knx_dim_sub(both, half);
        return lower ? (kn_lax_pad_pair){rest, half} : (kn_lax_pad_pair){half, rest};
    }
    int64_t windows = extent > 0 ? (extent - 1) / stride + 1 : 0, all;
    if (__builtin_mul_overflow(windows - 1, stride, &all) || __builtin_sub_overflow(all, extent, &all) ||
        __builtin_add_overflow(all, window, &all) || all < 0)
        all = 0; /* of what no array can have */
    return lower ? (kn_lax_pad_pair){all - all / 2, all / 2} : (kn_lax_pad_pair){all / 2, all - all / 2};
}

static void pads_of_type(kna_op *op, const char *type, int n, const int64_t *extent, const int64_t *window,
                         const int64_t *stride, kn_lax_pad_pair *pads)
{
    bool lower = !strcasecmp(type, "SAME_LOWER"), valid = !strcasecmp(type, "VALID");
    if (!lower && !valid && strcasecmp(type, "SAME") != 0)
        kna_fail(op, KN_ERROR_RUNTIME, "Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got %s.",
                 type);
    for (int i = 0; i < n && !kna_failed(op) && !valid; i++)
        if (stride[i] < 1)
            kna_fail(op, KN_ERROR_VALUE, "window strides must be strictly positive, got %lld.", (long long)stride[i]);
    for (int i = 0; i < n && !kna_failed(op); i++)
        pads[i] = valid ? (kn_lax_pad_pair){0, 0} : same(extent[i], window[i], stride[i], lower);
}

void knlax_read_pads(kna_op *op, const kn_lax_pads *given, int n, const int64_t *extent, const int64_t *window,
                     const int64_t *stride, kn_lax_pad_pair *pads)
{
    if (!given->type)
        kna_given_list(op, given->n, given->pair, KN_MAX_NDIM, "padding");
    if (kna_failed(op))
        return;
    if (given->type || !given->pair) {
        pads_of_type(op, given->type ? given->type : "VALID", n, extent, window, stride, pads);
    } else if (given->n != n) {
        kna_fail(op, KN_ERROR_VALUE, "padding must have a pair for each of %d dimensions, got %d", n, given->n);
    } else {
        for (int i = 0; i < n; i++)
            pads[i] = given->pair[i];
    }
}

int kn_lax_padtype_to_pads(const kn_shape *in_shape, const kn_shape *window_shape, const kn_shape *window_strides,
                           const char *padding, kn_lax_pad_pair *pads)
{
    kna_op op;
    kna_begin(&op, "lax.padtype_to_pads");
    in_shape = kna_shape(&op, in_shape);
    window_shape = kna_shape(&op, window_shape);
    window_strides = kna_shape(&op, window_strides);
    kna_given_pointer(&op, pads, "pads");
    int n = in_shape->ndim;
    if (kna_failed(&op))
        return kna_end_plain(&op) ? n : -1;
    if (!padding)
        kna_fail(&op, KN_ERROR_TYPE, "Unknown padding type: None.");
    else if (window_shape->ndim != n || window_strides->ndim != n)
        kna_fail(&op, KN_ERROR_VALUE, "shapes of windows and strides must have %d numbers, got %d and %d", n,
                 window_shape->ndim, window_strides->ndim);
    else
        pads_of_type(&op, padding, n, in_shape->dim, window_shape->dim, window_strides->dim, pads);
    return kna_end_plain(&op) ? n : -1;
}
