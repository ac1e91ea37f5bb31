/* SPDX-License-Identifier: Apache-2.0
 * joining.c -- jax.lax: padding, joining and cutting. */
#include "lax/internal.h"
#include <string.h>

/* ---- Padding. */

static void show_config(knx_text *t, kn_lax_padding_config c)
{
    knx_text_add(t, "(");
    for (int i = 0; i < c.n; i++)
        knlax_tuple((knx_text_add(t, "%s", i ? ", " : ""), t), 3,
                    (int64_t[]){c.axis[i].low, c.axis[i].high, c.axis[i].interior});
    knx_text_add(t, c.n == 1 ? ",)" : ")");
}

static void check_padding(kna_op *op, kni_type t, kni_type value, kn_lax_padding_config c)
{
    knx_text s = {0}, u = {0};
    bool between = false;
    show_config(&s, c);
    knlax_tuple(&u, t.ndim, t.dim);
    for (int i = 0; i < c.n; i++)
        between |= c.axis[i].interior < 0;
    if (value.ndim) {
        knx_text v = {0};
        kna_fail(op, KN_ERROR_VALUE, "padding_value must be a scalar; got np.shape(padding_value)=%s",
                 knlax_tuple(&v, value.ndim, value.dim));
    } else if (c.n != t.ndim)
        kna_fail(op, KN_ERROR_VALUE,
                 "length of padding_config must equal the number of axes of operand, got padding_config %s for operand "
                 "shape %s",
                 s.s, u.s);
    else if (between)
        kna_fail(op, KN_ERROR_VALUE, "interior padding in padding_config must be nonnegative, got padding_config %s",
                 s.s);
}

kn_array kn_lax_pad(kn_array x, kn_array padding_value, kn_lax_padding_config config)
{
    kna_op op;
    kni_atom a[2];
    int64_t lo[KN_MAX_NDIM], hi[KN_MAX_NDIM], between[KN_MAX_NDIM];
    kna_begin(&op, "lax.pad");
    kni_type t = kna_type(&op, x), v = kna_type(&op, padding_value);
    if (!kna_failed(&op) && !t.weak && !v.weak && t.dtype != v.dtype)
        kna_fail(&op, KN_ERROR_TYPE, "operand and padding_value must be same dtype: got %s and %s.", t.dtype->name,
                 v.dtype->name);
    knlax_same_dtypes(&op, 2, (kn_array[]){x, padding_value}, a);
    kna_given_list(&op, config.n, config.axis, KN_MAX_NDIM, "padding_config");
    if (!kna_failed(&op))
        check_padding(&op, t, v, config);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; i < config.n; i++) {
        lo[i] = config.axis[i].low;
        hi[i] = config.axis[i].high;
        between[i] = config.axis[i].interior;
    }
    return kna_end(&op, knb_pad(op.b, a[0], a[1], lo, hi, between));
}

/* ---- Joining. */

static void show_shapes(kna_op *op, knx_text *t, int n, const kni_atom *a)
{
    for (int i = 0; i < n; i++) {
        kni_type x = knb_type(op->b, a[i]);
        knlax_tuple((knx_text_add(t, "%s", i ? ", " : ""), t), x.ndim, x.dim);
    }
}

/* Do all arrays have the same number of dimensions, and the same extents but for one axis? */
static bool same_ndim(kna_op *op, int n, const kni_atom *a)
{
    for (int i = 1; i < n; i++)
        if (knb_type(op->b, a[i]).ndim != knb_type(op->b, a[0]).ndim)
            return false;
    return true;
}

static bool same_shapes_but(kna_op *op, int n, const kni_atom *a, int axis)
{
    for (int i = 1; i < n; i++) {
        kni_type t = knb_type(op->b, a[i]), first = knb_type(op->b, a[0]);
        for (int k = 0; k < t.ndim; k++)
            if (k != axis && !knx_dim_eq(t.dim[k], first.dim[k]))
                return false;
    }
    return true;
}

kn_array kn_lax_concatenate(kn_list operands, int dimension)
{
    kna_op op;
    int n = 0;
    knx_text s = {0};
    kna_begin(&op, "lax.concatenate");
    kni_atom *a = knlax_read_list(&op, operands, true, &n), y = KN_ATOM_NONE;
    if (a && !n)
        kna_fail(&op, KN_ERROR_VALUE, "requires a non-empty sequences of arrays");
    if (!kna_failed(&op)) {
        show_shapes(&op, &s, n, a);
        if (!same_ndim(&op, n, a))
            kna_fail(&op, KN_ERROR_TYPE, "Cannot concatenate arrays with different numbers of dimensions: got %s.",
                     s.s);
        else if (dimension < 0 || dimension >= knb_type(op.b, a[0]).ndim)
            kna_fail(&op, KN_ERROR_TYPE, "dimension out of bounds: dimension %d for shapes %s.", dimension, s.s);
        else if (!same_shapes_but(&op, n, a, dimension))
            kna_fail(&op, KN_ERROR_TYPE,
                     "Cannot concatenate arrays with shapes that differ in dimensions other than the one being "
                     "concatenated: concatenating along dimension %d for shapes %s.",
                     dimension, s.s);
    }
    if (!kna_failed(&op))
        y = n == 1 ? a[0] : knb_concatenate(op.b, n, a, dimension);
    knx_free(a);
    return kna_end(&op, y);
}

kn_array kn_lax_stack(kn_list operands, const kn_lax_stack_opts *opts)
{
    KNX_OPTS(kn_lax_stack_opts, o, opts);
    kna_op op;
    int n = 0, axis = 0;
    knx_text s = {0};
    kna_begin(&op, "lax.stack");
    kni_atom *a = knlax_read_list(&op, operands, true, &n), y = KN_ATOM_NONE;
    if (a && !n)
        kna_fail(&op, KN_ERROR_VALUE, "expects at least one operand, got 0.");
    if (!kna_failed(&op)) {
        show_shapes(&op, &s, n, a);
        if (!same_ndim(&op, n, a))
            kna_fail(&op, KN_ERROR_VALUE, "Cannot stack arrays with different numbers of dimensions: got %s.", s.s);
        else if (!same_shapes_but(&op, n, a, -1))
            kna_fail(&op, KN_ERROR_VALUE, "All input arrays must have the same shape. Got %s.", s.s);
        else
            axis = knlax_axis(&op, o.axis, knb_type(op.b, a[0]).ndim + 1, 0);
    }
    if (!kna_failed(&op))
        y = knb_stack(op.b, n, a, axis);
    knx_free(a);
    return kna_end(&op, y);
}

kn_array kn_lax_tile(kn_array x, const kn_shape *reps)
{
    kna_op op;
    kna_begin(&op, "lax.tile");
    reps = kna_shape(&op, reps);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!kna_failed(&op) && reps->ndim != t.ndim)
        kna_fail(&op, KN_ERROR_TYPE, "reps length must be equal to the ndim of x, got len(reps)=%d and x.ndim=%d.",
                 reps->ndim, t.ndim);
    return kna_end(&op, kna_failed(&op) ? a : knb_tile(op.b, a, reps->dim));
}

/* ---- Cutting. */

/* Room for n results. */
static kni_atom *results(kna_op *op, int64_t n)
{
    kni_atom *a = !kna_failed(op) && n < INT32_MAX ? knx_alloc(((size_t)n + 1) * sizeof *a) : NULL;
    if (!a && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    return a;
}

kn_list kn_lax_unstack(kn_array x, const kn_lax_stack_opts *opts)
{
    KNX_OPTS(kn_lax_stack_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.unstack");
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!kna_failed(&op) && !t.ndim)
        kna_fail(&op, KN_ERROR_VALUE, "requires arrays with rank > 0, however a scalar array of shape () was passed.");
    int axis = kna_failed(&op) ? 0 : knlax_axis(&op, o.axis, t.ndim, 0);
    if (!kna_failed(&op))
        kna_need_number(&op, t.dim[axis], "the number of arrays");
    int n = kna_failed(&op) || t.dim[axis] > INT32_MAX ? 0 : (int)t.dim[axis];
    kni_atom *y = results(&op, n);
    if (y && n)
        knb_unstack(op.b, a, axis, n, y);
    kn_list list = knlax_end_list(&op, n, y);
    knx_free(y);
    return list;
}

kn_list kn_lax_split(kn_array x, const kn_shape *sizes, const kn_lax_stack_opts *opts)
{
    KNX_OPTS(kn_lax_stack_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.split");
    sizes = kna_shape(&op, sizes);
    kni_atom a = kna_in(&op, x);
    int axis = kna_failed(&op) ? 0 : knlax_axis(&op, o.axis, knb_type(op.b, a).ndim, 0);
    kni_atom *y = results(&op, sizes->ndim);
    if (y)
        knb_split(op.b, a, sizes->ndim, sizes->dim, axis, y);
    kn_list list = knlax_end_list(&op, y ? sizes->ndim : 0, y);
    knx_free(y);
    return list;
}
