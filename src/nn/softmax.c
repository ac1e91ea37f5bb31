/* SPDX-License-Identifier: Apache-2.0
 * softmax.c -- softmax, its logarithm, logsumexp and logmeanexp: less the largest element, which counts as a constant
 * in derivatives. */
#include "kiln/nn.h"
#include "nn/operand.h"
#include "lib/internal.h"
#include <math.h>

/* An array, the axes that are summed over, and which elements count (KN_ATOM_NONE: all). */
typedef struct rows {
    kni_builder *b;
    kni_atom x, where;
    kni_type t; /* of x */
    int n, n_kept;
    int64_t axes[KN_MAX_NDIM], kept[KN_MAX_NDIM]; /* summed over, and the others */
} rows;

static bool read_rows(kna_op *op, kni_atom x, kn_axes axis, kna_axes_default otherwise, kn_array where, rows *r)
{
    kni_type t = knb_type(op->b, x);
    if (kna_failed(op))
        return false;
    *r = (rows){.b = op->b, .x = x, .where = KN_ATOM_NONE, .t = t};
    r->n = kna_axes(op, axis, t.ndim, otherwise, r->axes);
    for (int i = 0, k = 0; i < t.ndim; i++) {
        if (k < r->n && r->axes[k] == i)
            k++;
        else
            r->kept[r->n_kept++] = i;
    }
    if (where)
        r->where = knb_broadcast_to(op->b, kna_in_as(op, where, KN_DT(BOOL)), t);
    return !kna_failed(op);
}

/* y with the summed axes back, each element repeated along them. */
static kni_atom spread(const rows *r, kni_atom y)
{
    return r->t.ndim ? knb_broadcast_in_dim(r->b, y, r->t.ndim, r->t.dim, r->kept) : y;
}

static kni_atom only(const rows *r, kni_atom x, double otherwise)
{
    return r->where == KN_ATOM_NONE ? x : knb_select(r->b, r->where, x, knb_like(r->b, x, otherwise));
}

/* The largest elements of the rows; -inf where they are empty. */
static kni_atom largest(const rows *r, kni_atom x)
{
    int64_t dim[KN_MAX_NDIM];
    bool empty = false;
    for (int k = 0; k < r->n; k++)
        empty = empty || r->t.dim[r->axes[k]] == 0;
    for (int k = 0; k < r->n_kept; k++)
        dim[k] = r->t.dim[r->kept[k]];
    if (empty)
        return knb_full(r->b, kni_type_of(knb_type(r->b, x).dtype, r->n_kept, dim), -INFINITY);
    return knb_reduce_max(r->b, x, r->n, r->axes);
}

static kni_atom sum(const rows *r, kni_atom x) { return knb_reduce_sum(r->b, only(r, x, 0), r->n, r->axes); }

/* x less the largest element of its row; elements left out become -inf. */
static kni_atom shifted(const rows *r)
{
    kni_atom x = only(r, r->x, -INFINITY);
    return knb_sub(r->b, x, spread(r, knb_stop_gradient(r->b, largest(r, x))));
}

static bool begin_softmax(kna_op *op, kn_array x, const kn_nn_softmax_opts *opts, rows *r)
{
    KNX_OPTS(kn_nn_softmax_opts, o, opts);
    kni_atom a = knnn_in(op, x);
    if (!kna_failed(op) && knb_type(op->b, a).ndim == 0 && o.axis.n == 0)
        kna_fail(op, KN_ERROR_AXIS, "axis -1 is out of bounds for array of dimension 0");
    return read_rows(op, a, o.axis, KNA_AXES_LAST, o.where, r);
}

static kni_atom softmax(const rows *r)
{
    kni_atom e = knb_exp(r->b, shifted(r));
    return only(r, knb_div(r->b, e, spread(r, sum(r, e))), 0);
}

static kni_atom log_softmax(const rows *r)
{
    kni_atom s = shifted(r);
    return only(r, knb_sub(r->b, s, spread(r, knb_log(r->b, sum(r, knb_exp(r->b, s))))), -INFINITY);
}

kn_array kn_nn_softmax(kn_array x, const kn_nn_softmax_opts *opts)
{
    kna_op op;
    rows r;
    kna_begin(&op, "nn_softmax");
    return kna_end(&op, begin_softmax(&op, x, opts, &r) ? softmax(&r) : KN_ATOM_NONE);
}

kni_atom knnn_softmax_last(kna_op *op, kni_atom x)
{
    rows r;
    return read_rows(op, x, (kn_axes){0}, KNA_AXES_LAST, NULL, &r) ? softmax(&r) : KN_ATOM_NONE;
}

kn_array kn_nn_log_softmax(kn_array x, const kn_nn_softmax_opts *opts)
{
    kna_op op;
    rows r;
    kna_begin(&op, "nn_log_softmax");
    return kna_end(&op, begin_softmax(&op, x, opts, &r) ? log_softmax(&r) : KN_ATOM_NONE);
}

/* scipy's: over all axes if none is given. */
static kn_array public_softmax(const char *name, kn_array x, const kn_special_softmax_opts *opts,
                               kni_atom (*of)(const rows *))
{
    kna_op op;
    rows r;
    kna_begin(&op, name);
    KNX_OPTS(kn_special_softmax_opts, o, opts);
    kni_atom a = knnn_in(&op, x);
    return kna_end(&op, read_rows(&op, a, o.axis, KNA_AXES_ALL, NULL, &r) ? of(&r) : KN_ATOM_NONE);
}

kn_array kn_special_softmax(kn_array x, const kn_special_softmax_opts *opts)
{
    return public_softmax("special_softmax", x, opts, softmax);
}

kn_array kn_special_log_softmax(kn_array x, const kn_special_softmax_opts *opts)
{
    return public_softmax("special_log_softmax", x, opts, log_softmax);
}

/* ---- logsumexp. */

/* x as the logarithm of something that b multiplies: where b is 0 it does not count, whatever it is. */
static kni_atom with_factors(kni_builder *b, kni_atom x, kni_atom *factor)
{
    kni_type tx = knb_type(b, x), tf = knb_type(b, *factor);
    int64_t dim[KN_MAX_NDIM];
    int n = tx.ndim > tf.ndim ? tx.ndim : tf.ndim;
    for (int i = 0; i < n; i++) {
        int64_t p = i < n - tx.ndim ? 1 : tx.dim[i - n + tx.ndim], q = i < n - tf.ndim ? 1 : tf.dim[i - n + tf.ndim];
        dim[i] = knx_dim_eq(p, 1) ? q : p;
    }
    kni_type both = kni_type_of(tx.dtype, n, dim);
    x = knb_broadcast_to(b, x, both);
    *factor = knb_broadcast_to(b, *factor, both);
    return knb_select(b, knb_eq(b, *factor, knb_like(b, *factor, 0)), knb_like(b, x, -INFINITY), x);
}

/* The largest elements where they are finite, else 0. */
static kni_atom finite_max(const rows *r, bool complex)
{
    kni_builder *b = r->b;
    kni_atom x = only(r, complex ? knb_real(b, r->x) : r->x, -INFINITY);
    kni_atom m = largest(r, x);
    return knb_stop_gradient(b,
                             knb_select(b, knb_lt(b, knb_abs(b, m), knb_like(b, m, INFINITY)), m, knb_like(b, m, 0)));
}

/* The sum of b e^(x - m); m, the largest elements, is real. */
static kni_atom scaled_sum(const rows *r, kni_atom factor, kni_atom *m)
{
    kni_builder *b = r->b;
    *m = finite_max(r, knx_is_complex(r->t.dtype));
    kni_atom shift = spread(r, knb_convert(b, *m, r->t.dtype)), e = knb_exp(b, knb_sub(b, only(r, r->x, 0), shift));
    return sum(r, factor == KN_ATOM_NONE ? e : knb_mul(b, e, factor));
}

static kni_atom logsumexp(const rows *r, kni_atom factor)
{
    kni_builder *b = r->b;
    bool complex = knx_is_complex(r->t.dtype);
    kni_atom m, s = scaled_sum(r, factor, &m);
    if (factor == KN_ATOM_NONE || complex)
        return knb_add(b, knb_log(b, s), knb_convert(b, m, r->t.dtype));
    kni_atom y = knb_add(b, knb_log(b, knb_abs(b, s)), m);
    return knb_select(b, knb_lt(b, s, knb_like(b, s, 0)), knb_like(b, s, NAN), y);
}

kni_atom knnn_logsumexp_last(kna_op *op, kni_atom x)
{
    rows r;
    return read_rows(op, x, (kn_axes){0}, KNA_AXES_LAST, NULL, &r) ? logsumexp(&r, KN_ATOM_NONE) : KN_ATOM_NONE;
}

/* y with the summed axes back, of extent 1 */
static kni_atom keep_axes(const rows *r, kni_atom y)
{
    int64_t shape[KN_MAX_NDIM];
    for (int i = 0; i < r->t.ndim; i++)
        shape[i] = r->t.dim[i];
    for (int k = 0; k < r->n; k++)
        shape[r->axes[k]] = 1;
    return knb_reshape(r->b, y, r->t.ndim, shape);
}

static bool begin_logsumexp(kna_op *op, kn_array x, const kn_nn_logsumexp_opts *o, rows *r, kni_atom *factor)
{
    kn_dtype d = knnn_inexact(op, 2, (kn_array[]){x, o->b});
    kni_atom a = d ? kna_in_as(op, x, d) : KN_ATOM_NONE;
    *factor = KN_ATOM_NONE;
    if (d && o->b) {
        *factor = kna_in_as(op, o->b, d);
        a = with_factors(op->b, a, factor);
    }
    return read_rows(op, a, o->axis, KNA_AXES_ALL, o->where, r);
}

static kn_array public_logsumexp(const char *name, kn_array x, const kn_nn_logsumexp_opts *opts)
{
    kna_op op;
    rows r;
    kni_atom factor;
    kna_begin(&op, name);
    KNX_OPTS(kn_nn_logsumexp_opts, o, opts);
    if (!begin_logsumexp(&op, x, &o, &r, &factor))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom y = logsumexp(&r, factor);
    return kna_end(&op, o.keepdims ? keep_axes(&r, y) : y);
}

kn_nn_logsumexp_result kn_nn_logsumexp_sign(kn_array x, const kn_nn_logsumexp_opts *opts)
{
    kna_op op;
    rows r;
    kni_atom factor, m, y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array out[2];
    kna_begin(&op, "nn_logsumexp");
    KNX_OPTS(kn_nn_logsumexp_opts, o, opts);
    if (begin_logsumexp(&op, x, &o, &r, &factor)) {
        kni_atom s = scaled_sum(&r, factor, &m);
        y[0] = knb_add(op.b, knb_log(op.b, knb_abs(op.b, s)), m);
        y[1] = knb_sign(op.b, s);
        for (int i = 0; i < 2 && o.keepdims; i++)
            y[i] = keep_axes(&r, y[i]);
    }
    kna_end_n(&op, 2, y, out);
    return (kn_nn_logsumexp_result){out[0], out[1]};
}

kn_array kn_nn_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts)
{
    return public_logsumexp("nn_logsumexp", x, opts);
}

kn_array kn_special_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts)
{
    return public_logsumexp("special_logsumexp", x, opts);
}

/* ---- logmeanexp. */

/* How many elements count in each row, as an x: a number, or for each row. */
static kni_atom count(const rows *r)
{
    kn_dtype d = knx_component(r->t.dtype);
    double n = 1;
    int64_t extent[KN_MAX_NDIM];
    for (int k = 0; k < r->n; k++)
        n *= (double)(extent[k] = r->t.dim[r->axes[k]]);
    if (r->where == KN_ATOM_NONE && knx_has_symbolic(r->n, extent))
        return knb_dimension(r->b, d, knx_dim_size(r->n, extent));
    if (r->where == KN_ATOM_NONE)
        return knb_number(r->b, d, n);
    return knb_convert(r->b, knb_reduce_sum(r->b, knb_convert(r->b, r->where, KN_DT(I64)), r->n, r->axes), d);
}

kn_array kn_nn_logmeanexp(kn_array x, const kn_nn_logmeanexp_opts *opts)
{
    kna_op op;
    rows r;
    kna_begin(&op, "nn_logmeanexp");
    KNX_OPTS(kn_nn_logmeanexp_opts, o, opts);
    if (!read_rows(&op, knnn_in(&op, x), o.axis, KNA_AXES_ALL, o.where, &r))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom y = logsumexp(&r, KN_ATOM_NONE), less = knb_convert(op.b, knb_log(op.b, count(&r)), r.t.dtype);
    y = knb_sub(op.b, y, less);
    return kna_end(&op, o.keepdims ? keep_axes(&r, y) : y);
}
