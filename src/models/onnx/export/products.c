/* SPDX-License-Identifier: Apache-2.0
 * products.c -- products and convolutions as nodes. */
#include "models/onnx/export/export.h"
#include <string.h>

/* ---- Products: batch axes, free axes, contracted axes, each made one. */

typedef struct side {
    int n_batch, n_sum;
    int64_t batch[KN_MAX_NDIM], sum[KN_MAX_NDIM], free[KN_MAX_NDIM];
    int n_free;
} side;

static void free_axes(side *s, int ndim)
{
    s->n_free = 0;
    for (int i = 0; i < ndim; i++) {
        bool taken = false;
        for (int k = 0; k < s->n_batch; k++)
            taken = taken || s->batch[k] == i;
        for (int k = 0; k < s->n_sum; k++)
            taken = taken || s->sum[k] == i;
        if (!taken)
            s->free[s->n_free++] = i;
    }
}

static int64_t product_of(const knout_var *v, int n, const int64_t *axes)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        p = p == 1 ? v->dim[axes[i]] : v->dim[axes[i]] == 1 ? p : kn_dim_mul(p, v->dim[axes[i]]);
    return p;
}

/* An operand as (batch ..., rows, columns). */
static const char *as_matrices(knout_eqn *e, int i, const side *s, bool sum_first)
{
    const knout_var *v = &e->in_var[i];
    int64_t perm[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    int n = 0;
    for (int k = 0; k < s->n_batch; k++)
        perm[n++] = s->batch[k];
    for (int k = 0; k < (sum_first ? s->n_sum : s->n_free); k++)
        perm[n++] = sum_first ? s->sum[k] : s->free[k];
    for (int k = 0; k < (sum_first ? s->n_free : s->n_sum); k++)
        perm[n++] = sum_first ? s->free[k] : s->sum[k];
    const char *x = knout_transpose(e->w, e->in[i], v->ndim, perm);
    if (s->n_free == 1 && s->n_sum == 1)
        return x;
    for (int k = 0; k < s->n_batch; k++)
        dim[k] = v->dim[s->batch[k]];
    dim[s->n_batch + sum_first] = product_of(v, s->n_free, s->free);
    dim[s->n_batch + !sum_first] = product_of(v, s->n_sum, s->sum);
    return knout_reshape(e->w, x, s->n_batch + 2, dim);
}

static void dot_general(knout_eqn *e)
{
    knout_out *w = e->w;
    side l, r;
    const char *at = knout_param_at(e, "dimension_numbers");
    at = at ? at + 2 : "";
    l.n_sum = knout_list_at(&at, l.sum);
    r.n_sum = l.n_sum < 0 ? -1 : knout_list_at(&at, r.sum);
    at += strcspn(at, "(");
    at += *at == '(';
    l.n_batch = r.n_sum < 0 ? -1 : knout_list_at(&at, l.batch);
    r.n_batch = l.n_batch < 0 ? -1 : knout_list_at(&at, r.batch);
    if (r.n_batch < 0 || kn_dtype_kind(e->in_var[0].dtype) == 'c') {
        knout_refuse(e, "of complex numbers");
        return;
    }
    free_axes(&l, e->in_var[0].ndim);
    free_axes(&r, e->in_var[1].ndim);
    const char *a = as_matrices(e, 0, &l, false), *b = as_matrices(e, 1, &r, true);
    kn_dtype out = e->out_var[0].dtype;
    bool narrow = strchr("iu", kn_dtype_kind(e->in_var[0].dtype)) && kn_dtype_size(e->in_var[0].dtype) < 4;
    kn_dtype work = e->in_var[0].dtype == KN_BOOL || narrow ? KN_I32
                    : kn_dtype_kind(out) == 'f' && kn_dtype_size(out) >= kn_dtype_size(e->in_var[0].dtype)
                        ? out
                        : e->in_var[0].dtype;
    if (work != e->in_var[0].dtype)
        a = knout_cast(w, a, work);
    if (work != e->in_var[1].dtype)
        b = knout_cast(w, b, work);
    const char *x = OP(w, "MatMul", a, b);
    x = work == out ? x : knout_cast(w, x, out);
    e->out[0] = l.n_free == 1 && r.n_free == 1 ? x : knout_reshape(w, x, e->out_var[0].ndim, e->out_var[0].dim);
}

/* ---- Convolutions: axes in ONNX's order first. */

static void conv(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t ls[KN_MAX_NDIM], rs[KN_MAX_NDIM], os[KN_MAX_NDIM], stride[KN_MAX_NDIM], dilation[KN_MAX_NDIM],
        base[KN_MAX_NDIM];
    int64_t pads[2 * KN_MAX_NDIM], two[KN_MAX_NDIM], back[KN_MAX_NDIM];
    int n = knout_param_ints(e, "lhs_spec", ls), spatial = n - 2;
    const char *at = knout_param_at(e, "padding");
    bool ok = n >= 2 && knout_param_ints(e, "rhs_spec", rs) == n && knout_param_ints(e, "out_spec", os) == n &&
              knout_param_ints(e, "window_strides", stride) == spatial &&
              knout_param_ints(e, "rhs_dilation", dilation) == spatial &&
              knout_param_ints(e, "lhs_dilation", base) == spatial && at &&
              knout_param_int(e, "batch_group_count", 1) == 1;
    at += ok;
    for (int i = 0; ok && i < spatial; i++) {
        ok = knout_list_at(&at, two) == 2 && two[0] >= 0 && two[1] >= 0 && base[i] == 1;
        pads[i] = two[0];
        pads[spatial + i] = two[1];
    }
    if (kn_dtype_kind(e->in_var[0].dtype) != 'f') {
        knout_refuse(e, "of other numbers than floats");
        return;
    }
    if (!ok || spatial < 1) {
        knout_refuse(e, "with dilated operands, groups of the batch or negative padding");
        return;
    }
    const char *x = knout_transpose(w, e->in[0], n, ls), *k = knout_transpose(w, e->in[1], n, rs);
    for (int i = 0; i < n; i++)
        back[os[i]] = i;
    knout_put_attr_ints(w, "strides", spatial, stride);
    knout_put_attr_ints(w, "dilations", spatial, dilation);
    knout_put_attr_ints(w, "pads", 2 * spatial, pads);
    knout_put_attr_int(w, "group", knout_param_int(e, "feature_group_count", 1));
    e->out[0] = knout_transpose(w, OP(w, "Conv", x, k), n, back);
}

static void det(knout_eqn *e) { e->out[0] = OP(e->w, "Det", e->in[0]); }

const knout_writer knout_write_products[] = {
    {"dot_general", dot_general, NULL},
    {"conv_general_dilated", conv, NULL},
    {"det", det, NULL},
    {NULL, NULL, NULL},
};
