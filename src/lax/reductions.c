/* SPDX-License-Identifier: Apache-2.0
 * reductions.c -- jax.lax: reductions and cumulative functions. */
#include "function/function.h"
#include "lax/internal.h"
#include <math.h>
#include <string.h>

/* ---- Reductions by one primitive. */

/* The axes as they are given: JAX's lax takes no negative ones. */
static int check_axes(kna_op *op, const kn_axes *axes, kni_type t, int64_t v[KN_MAX_NDIM])
{
    int n = knlax_list(op, axes, v);
    knx_text s = {0}, u = {0};
    for (int i = 0; i < n && !kna_failed(op); i++) {
        bool twice = false;
        for (int k = 0; k < i; k++)
            twice |= v[k] == v[i];
        if (twice)
            kna_fail(op, KN_ERROR_VALUE, "duplicate value in 'axes' of reduction: %s", knlax_tuple(&s, n, v));
        else if (v[i] < 0 || v[i] >= t.ndim) {
            for (int k = 0; k < t.ndim; k++)
                knx_text_add(&u, "%s", k ? "," : ""), knx_dim_show(&u, t.dim[k]);
            kna_fail(op, KN_ERROR_VALUE, "reduction axes %s contains out-of-bounds indices for %s[%s].",
                     knlax_tuple(&s, n, v), t.dtype->name, u.s);
        }
    }
    return kna_failed(op) ? 0 : n;
}

typedef kni_atom reducer(kni_builder *b, kni_atom x, int n, const int64_t *axes);

static kn_array reduce(const char *name, reducer *by, const char *kinds, kn_array x, const kn_axes *axes)
{
    kna_op op;
    int64_t v[KN_MAX_NDIM];
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int n = kna_failed(&op) ? 0 : check_axes(&op, axes, t, v);
    bool is_number = knx_is_inexact(t.dtype) || knx_is_integer(t.dtype);
    if (!kna_failed(&op) && !kinds && !is_number)
        kna_fail(&op, KN_ERROR_TYPE, "does not accept dtype %s. Accepted dtypes are subtypes of number.",
                 t.dtype->name);
    else if (kinds)
        knlax_accepts(&op, t.dtype, kinds, -1);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : by(op.b, a, n, v));
}

#define REDUCE(function, name, kinds) \
    kn_array function(kn_array x, const kn_axes *axes) { return reduce("lax." #name, knb_##name, kinds, x, axes); }
REDUCE(kn_lax_reduce_sum, reduce_sum, NULL)
REDUCE(kn_lax_reduce_prod, reduce_prod, NULL)
REDUCE(kn_lax_reduce_max, reduce_max, "ifcb")
REDUCE(kn_lax_reduce_min, reduce_min, "ifcb")
REDUCE(kn_lax_reduce_and, reduce_and, "ib")
REDUCE(kn_lax_reduce_or, reduce_or, "ib")
REDUCE(kn_lax_reduce_xor, reduce_xor, "ib")

static kn_array arg(const char *name, kni_atom (*by)(kni_builder *, kni_atom, int, kn_dtype), kn_array x, int axis,
                    kn_dtype index_dtype)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    kn_dtype d = kna_lookup_dtype(index_dtype, KN_DT(I32));
    if (!kna_failed(&op) && (axis < 0 || axis >= t.ndim)) {
        knx_text s = {0};
        kna_fail(&op, KN_ERROR_VALUE, "Invalid axis %d for operand shape %s", axis, knlax_tuple(&s, t.ndim, t.dim));
    } else if (!kna_failed(&op) && !knx_is_integer(d))
        kna_fail(&op, KN_ERROR_TYPE, "index_dtype must be an integer type, but got %s", d->name);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : by(op.b, a, axis, d));
}

kn_array kn_lax_argmax(kn_array x, int axis, kn_dtype d) { return arg("lax.argmax", knb_argmax, x, axis, d); }
kn_array kn_lax_argmin(kn_array x, int axis, kn_dtype d) { return arg("lax.argmin", knb_argmin, x, axis, d); }

/* ---- Cumulative. */

static kn_array cumulate(const char *name, kni_atom (*by)(kni_builder *, kni_atom, int, bool), kn_array x,
                         const kn_lax_cumulative_opts *opts)
{
    KNX_OPTS(kn_lax_cumulative_opts, o, opts);
    kna_op op;
    int64_t v[KN_MAX_NDIM];
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    int n = knlax_list(&op, &o.axis, v), axis = n ? (int)v[0] : 0, ndim = knb_type(op.b, a).ndim;
    if (!kna_failed(&op) && axis < 0)
        kna_fail(&op, KN_ERROR_VALUE, "XLA operations do not allow negative axes");
    else if (!kna_failed(&op) && axis >= ndim)
        kna_fail(&op, KN_ERROR_VALUE, "axis %d is out of bounds for array of shape of dimension %d", axis, ndim);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : by(op.b, a, axis, o.reverse));
}

#define CUMULATIVE(function, name)                                    \
    kn_array function(kn_array x, const kn_lax_cumulative_opts *opts) \
    {                                                                 \
        return cumulate("lax." #name, knb_##name, x, opts);           \
    }
CUMULATIVE(kn_lax_cumsum, cumsum)
CUMULATIVE(kn_lax_cumprod, cumprod)
CUMULATIVE(kn_lax_cummax, cummax)
CUMULATIVE(kn_lax_cummin, cummin)
CUMULATIVE(kn_lax_cumlogsumexp, cumlogsumexp)

/* ---- By a function. */

kni_jaxpr *knlax_record(kna_op *op, kn_fn fn, int n, const kni_atom *x)
{
    knf_fn *f = kna_failed(op) ? NULL : knf_fn_get(op, fn);
    kna_closed closed = {0};
    kni_jaxpr *j = NULL;
    if (!f)
        return NULL;
    if (knf_is_open(f->core))
        kna_fail(op, KN_ERROR_TYPE, "the computation takes scalars, no trees");
    else if (f->core->n_captured)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "Reduction computations can't close over arrays.");
    else if (f->core->n_in != 2 * n || f->core->n_out != n)
        kna_fail(op, KN_ERROR_TYPE, "the computation must take %d scalars and give %d, but takes %d and gives %d",
                 2 * n, n, f->core->n_in, f->core->n_out);
    kni_type *t = kna_failed(op) ? NULL : knx_alloc((2 * (size_t)n + 1) * sizeof *t);
    if (!t) {
        if (!kna_failed(op))
            kna_fail_with(op, knx_error_nomem());
        return NULL;
    }
    for (int i = 0; i < 2 * n; i++)
        t[i] = kni_scalar_type(knb_type(op->b, x[i % n]).dtype);
    knx_error *error = knf_derive(f->core, t, NULL, "reduce", &closed);
    knx_free(t);
    if (error)
        kna_fail_with(op, error);
    else if (closed.n_const)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "Reduction computations can't close over arrays.");
    else
        j = kni_retain(closed.jaxpr);
    kna_closed_free(&closed);
    return j;
}

bool knlax_is_zero(kn_dtype d, knx_scalar_bits bits)
{
    bool set = true;
    knx_convert(d, &bits, KN_DT(BOOL), &set);
    return !set;
}

bool knlax_is_extreme(kn_dtype d, knx_scalar_bits bits, int sign)
{
    if (knx_is_complex(d))
        return false;
    knx_scalar_bits want = knx_scalar_extreme(d, sign > 0);
    return !memcmp(&want, &bits, d->size);
}

/* The reduction that j is, with this value to begin with; NULL if it is none. */
static reducer *monoid(const kni_jaxpr *j, kn_dtype d, knx_scalar_bits init)
{
    static const struct {
        const kni_prim *prim;
        reducer *by;
    } rows[] = {{&knp_prim_add, knb_reduce_sum}, {&knp_prim_mul, knb_reduce_prod}, {&knp_prim_max, knb_reduce_max},
                {&knp_prim_min, knb_reduce_min}, {&knp_prim_or, knb_reduce_or},    {&knp_prim_xor, knb_reduce_xor},
                {&knp_prim_and, knb_reduce_and}};
    knx_scalar_bits one = knx_scalar_from_int(d, 1), ones = knx_scalar_from_int(d, -1);
    if (j->n_eqn != 1 || j->n_out != 1 || j->out[0] != j->eqn->out || j->eqn->n_in != 2 ||
        j->eqn->in[0] + j->eqn->in[1] != 1 || j->eqn->in[0] > 1)
        return NULL;
    int row = 0;
    while (row < 7 && rows[row].prim != j->eqn->prim)
        row++;
    bool bit = d->kind == KN_KIND_BOOL;
    const bool fits[] = {!bit && knlax_is_zero(d, init),
                         !bit && !memcmp(&one, &init, d->size),
                         knlax_is_extreme(d, init, -1),
                         knlax_is_extreme(d, init, 1),
                         knlax_is_zero(d, init),
                         knlax_is_zero(d, init),
                         bit ? !knlax_is_zero(d, init) : !memcmp(&ones, &init, d->size)};
    return row < 7 && fits[row] ? rows[row].by : NULL;
}

bool knlax_known_number(kna_op *op, kn_array x, kni_atom a, kn_dtype d, knx_scalar_bits *bits)
{
    kni_type t = kna_type(op, x);
    const void *number = kna_is_number(op, x) ? kna_look(op, x, &t) : NULL;
    *bits = (knx_scalar_bits){.u = {0}};
    if (number)
        knx_convert(t.dtype, number, d, bits);
    return number || knb_literal_value(op->b, a, bits);
}

/* x: n arrays, then n scalars; first: the first of these as it was given. */
static void reduce_by(kna_op *op, int n, const kni_atom *x, kn_array first, kn_fn computation,
                      const kn_axes *dimensions, kni_atom *y)
{
    int64_t v[KN_MAX_NDIM];
    knx_scalar_bits init;
    int n_axes = kna_failed(op) ? 0 : check_axes(op, dimensions, knb_type(op->b, x[0]), v);
    kni_jaxpr *j = knlax_record(op, computation, n, x);
    if (!j)
        return;
    kn_dtype d = knb_type(op->b, x[0]).dtype;
    reducer *by = n == 1 && knlax_known_number(op, first, x[1], d, &init) ? monoid(j, d, init) : NULL;
    if (by)
        y[0] = by(op->b, x[0], n_axes, v);
    else
        knb_reduce(op->b, n, x, j, n_axes, v, y);
    kni_release(j);
}

kn_array kn_lax_reduce(kn_array x, kn_array init_value, kn_fn computation, const kn_axes *dimensions)
{
    kna_op op;
    kni_atom a[2], y = KN_ATOM_NONE;
    kna_begin(&op, "lax.reduce");
    dimensions = kna_axes_of(&op, dimensions);
    knlax_same_dtypes(&op, 2, (kn_array[]){x, init_value}, a);
    reduce_by(&op, 1, a, init_value, computation, dimensions, &y);
    return kna_end(&op, y);
}

kni_atom *knlax_read_pairs(kna_op *op, kn_list operands, kn_list init_values, int *n, const kn_array **init)
{
    const kn_array *x = NULL;
    int count = kntree_list_read(op, operands, &x), m = kntree_list_read(op, init_values, init);
    if (!kna_failed(op) && count != m)
        kna_fail(op, KN_ERROR_VALUE, "Must have same total number of operands as init_values:  %d vs. %d", count, m);
    if (!kna_failed(op) && !m)
        kna_fail(op, KN_ERROR_VALUE, "must have at least one operand.");
    kni_atom *a = kna_failed(op) ? NULL : knx_alloc(3 * (size_t)m * sizeof *a);
    if (!a && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; a && i < m; i++) {
        kni_atom pair[2];
        knlax_same_dtypes(op, 2, (kn_array[]){x[i], (*init)[i]}, pair);
        a[i] = pair[0];
        a[m + i] = pair[1];
        a[2 * m + i] = KN_ATOM_NONE;
    }
    *n = a ? m : 0;
    return a;
}

kn_list kn_lax_reduce_list(kn_list operands, kn_list init_values, kn_fn computation, const kn_axes *dimensions)
{
    kna_op op;
    const kn_array *init = NULL;
    int n;
    kna_begin(&op, "lax.reduce");
    dimensions = kna_axes_of(&op, dimensions);
    kni_atom *a = knlax_read_pairs(&op, operands, init_values, &n, &init);
    if (a)
        reduce_by(&op, n, a, *init, computation, dimensions, a + 2 * n);
    kn_list list = knlax_end_list(&op, n, a ? a + 2 * n : NULL);
    knx_free(a);
    return list;
}
