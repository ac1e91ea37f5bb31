/* SPDX-License-Identifier: Apache-2.0
 * convolution.c -- convolve and correlate: sliding products. */
#include "lib/compose.h"
#include <math.h>
#include <string.h>

/* y[i] = sum over k of x[i - before + k] v[k] for `n` values of i; x is 0 outside. One convolution of one channel;
 * windows that stay inside are rows of a matrix that lie upon each other, which products read where they are. */
static kni_atom slide(kna_op *op, kni_atom x, kni_atom v, int64_t before, int64_t n)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t length = knb_type(b, x).dim[0], taps = knb_type(b, v).dim[0];
    int64_t all = knx_dim_add(n, taps) - 1, after = knx_dim_sub(knx_dim_sub(all, before), length);
    int64_t one = 1, none = 0, spec[] = {0, 1, 2}, long_x[] = {1, 1, all};
    if (before || after)
        x = knb_pad(b, x, knb_like(b, x, 0), &before, &after, NULL);
    kni_p_conv p = {.window_strides = {1, &one},
                    .lo = {1, &none},
                    .hi = {1, &none},
                    .lhs_dilation = {1, &one},
                    .rhs_dilation = {1, &one},
                    .lhs_spec = {3, spec},
                    .rhs_spec = {3, spec},
                    .out_spec = {3, spec},
                    .feature_group_count = 1,
                    .batch_group_count = 1};
    kni_atom signal = knb_reshape(b, x, 3, long_x), kernel = knb_reshape(b, v, 3, (int64_t[]){1, 1, taps});
    return knb_reshape(b, knb_conv_general_dilated(b, signal, kernel, &p), 1, &n);
}

typedef enum mode { FULL, SAME, VALID } mode;

static mode read_mode(kna_op *op, const char *given, mode otherwise)
{
    if (!given)
        return otherwise;
    if (!strcmp(given, "full") || !strcmp(given, "same") || !strcmp(given, "valid"))
        return *given == 'f' ? FULL : *given == 's' ? SAME : VALID;
    kna_fail(op, KN_ERROR_VALUE, "mode must be one of 'valid', 'same', or 'full' (got '%s')", given);
    return otherwise;
}

/* A vector of dtype d; a number is one of one element. */
static kni_atom vector(kna_op *op, kn_array x, kn_dtype d, const char *name)
{
    kni_type t = kna_type(op, x);
    if (!kna_failed(op) && t.ndim > 1)
        kna_fail(op, KN_ERROR_VALUE, "object too deep for desired array");
    kni_atom a = kna_failed(op) ? KN_ATOM_NONE : knl_flatten(op, kna_in_as(op, x, d));
    if (!kna_failed(op) && !knx_dim_lt(0, knb_type(op->b, a).dim[0]))
        kna_fail(op, KN_ERROR_VALUE, "%s cannot be empty", name);
    return a;
}

/* Products of x with v in all places where they meet. */
static kni_atom sliding(kna_op *op, kni_atom x, kni_atom v, mode how)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(op->b, x).dim[0], m = knb_type(op->b, v).dim[0];
    if (how == FULL)
        return slide(op, x, v, m - 1, knx_dim_add(n, m) - 1);
    if (how == VALID)
        return slide(op, x, v, 0, knx_dim_sub(n, m) + 1);
    return slide(op, x, v, knx_dim_floordiv(m, 2), n);
}

static kn_array run(const char *name, kn_array a, kn_array v, const kn_convolve_opts *o, bool convolve)
{
    kna_op op;
    kna_begin(&op, name);
    kn_array both[] = {a, v};
    int64_t zero = 0;
    mode how = read_mode(&op, o->mode, convolve ? FULL : VALID);
    kn_dtype d = kna_result_type(&op, 2, both);
    if (kna_failed(&op) || knl_not_a_number(&op, name, d))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom x = vector(&op, a, d, convolve ? "a" : "first array argument"),
             y = vector(&op, v, d, convolve ? "v" : "second array argument");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    bool truth = d->kind == KN_KIND_BOOL;
    if (truth) {
        x = knb_astype(op.b, x, KN_DT(I64));
        y = knb_astype(op.b, y, KN_DT(I64));
    }
    y = convolve ? knb_rev(op.b, y, 1, &zero) : knb_conj(op.b, y);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t n = knb_type(op.b, x).dim[0], m = knb_type(op.b, y).dim[0];
    bool swap = how == FULL && knx_any_symbolic(n, m) ? false /* which is longer does not count */ : knx_dim_lt(n, m);
    if (swap && convolve) { /* both the other way round is the same */
        kni_atom t = knb_rev(op.b, x, 1, &zero);
        x = knb_rev(op.b, y, 1, &zero);
        y = t;
    } else if (swap) {
        kni_atom t = x;
        x = y;
        y = t;
    }
    kni_atom z = sliding(&op, x, y, how);
    if (swap && !convolve && !kna_failed(&op))
        z = knb_rev(op.b, z, 1, &zero);
    return kna_end(&op, truth ? knl_truth(&op, z) : z);
}

kn_array kn_convolve(kn_array a, kn_array v, const kn_convolve_opts *opts)
{
    KNX_OPTS(kn_convolve_opts, o, opts);
    return run("convolve", a, v, &o, true);
}

kn_array kn_correlate(kn_array a, kn_array v, const kn_convolve_opts *opts)
{
    KNX_OPTS(kn_convolve_opts, o, opts);
    return run("correlate", a, v, &o, false);
}
