/* SPDX-License-Identifier: Apache-2.0
 * broadcasting.c -- more axes: at least so many, and broadcasting of one and of several arrays. */
#include "tree/tree.h"
#include "lib/compose.h"
#include <limits.h>
#include <string.h>

/* ---- At least so many axes. */

static kn_array at_least(const char *name, kn_array x, int least)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x), y;
    kn_shape shape = knl_shape_of(&op, a);
    bool is_new[KN_MAX_NDIM] = {false};
    int ndim = shape.ndim;
    if (!kna_failed(&op) && ndim < least) {
        int at = least == 3 ? (ndim == 2 ? 0 : 1) : least - ndim; /* where the old axes begin */
        kn_shape wide = {.ndim = least};
        for (int i = 0; i < least; i++) {
            is_new[i] = i < at || i >= at + ndim;
            wide.dim[i] = is_new[i] ? 1 : shape.dim[i - at];
        }
        y = knl_insert_axes(&op, a, &wide, is_new);
        return kna_end_view(&op, x, a, y);
    }
    return kna_end_same(&op, x, a);
}

kn_array kn_atleast_1d(kn_array x) { return at_least("atleast_1d", x, 1); }
kn_array kn_atleast_2d(kn_array x) { return at_least("atleast_2d", x, 2); }
kn_array kn_atleast_3d(kn_array x) { return at_least("atleast_3d", x, 3); }

/* ---- Broadcasting of several. */

/* (2, 3): here NumPy writes shapes as Python does. */
static const char *spaced(knx_text *t, const kn_shape *s)
{
    knx_text_add(t, "(");
    for (int i = 0; i < s->ndim; i++) {
        knx_text_add(t, "%s", i ? ", " : "");
        knx_dim_show(t, s->dim[i]);
    }
    knx_text_add(t, s->ndim == 1 ? ",)" : ")");
    return t->s;
}

static void shapes_differ(kna_op *op, const kn_shape *a, int i, const kn_shape *b, int j)
{
    knx_text s = {0}, t = {0};
    kna_fail(op, KN_ERROR_VALUE,
             "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg %d with shape %s "
             "and arg %d with shape %s.",
             i, spaced(&s, a), j, spaced(&t, b));
}

static kn_shape common_shape(kna_op *op, int n, const kn_shape *shape)
{
    kn_shape all = {.ndim = 0};
    for (int i = 0; i < n; i++)
        all.ndim = shape[i].ndim > all.ndim ? shape[i].ndim : all.ndim;
    for (int d = 0; d < all.ndim && !kna_failed(op); d++) {
        int from = -1;
        all.dim[d] = 1;
        for (int i = 0; i < n && !kna_failed(op); i++) {
            int at = d - (all.ndim - shape[i].ndim);
            if (at < 0 || knx_dim_eq(shape[i].dim[at], 1))
                continue;
            if (shape[i].dim[at] < 0)
                kna_fail(op, KN_ERROR_VALUE, "negative dimensions are not allowed");
            else if (from >= 0 && !knx_dim_eq(shape[i].dim[at], all.dim[d]))
                shapes_differ(op, &shape[from], from, &shape[i], i);
            else if (from < 0) {
                all.dim[d] = shape[i].dim[at];
                from = i;
            }
        }
    }
    return all;
}

kn_shape kn_broadcast_shapes(int n, const kn_shape *shapes)
{
    kna_op op;
    kna_begin(&op, "broadcast_shapes");
    kna_given_list(&op, n, shapes, INT_MAX, "shapes");
    for (int i = 0; i < n && !kna_failed(&op); i++)
        kna_shape(&op, &shapes[i]);
    kn_shape all = {.ndim = 0};
    if (!kna_failed(&op))
        all = common_shape(&op, n, shapes);
    return kna_end_plain(&op) ? all : (kn_shape){.ndim = -1};
}

/* The shapes of the arrays of a list; the caller frees them. NULL with the op failed. */
static kn_shape *shapes_of(kna_op *op, kn_list list, int *n, const kn_array **x)
{
    *n = kntree_list_read(op, list, x);
    kn_shape *shape = kna_failed(op) ? NULL : knx_alloc((size_t)*n * sizeof *shape);
    if (!shape && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; shape && i < *n; i++) {
        kni_type t = kna_type(op, (*x)[i]);
        shape[i].ndim = t.ndim;
        if (t.ndim)
            memcpy(shape[i].dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    }
    return shape;
}

kn_broadcast_result kn_broadcast(kn_list list)
{
    kna_op op;
    kn_broadcast_result r = {.numiter = -1};
    const kn_array *x;
    int n;
    kna_begin(&op, "broadcast");
    kn_shape *shape = shapes_of(&op, list, &n, &x);
    kn_shape all = {.ndim = 0};
    if (!kna_failed(&op))
        all = common_shape(&op, n, shape);
    knx_free(shape);
    if (!kna_end_plain(&op))
        return r;
    r = (kn_broadcast_result){.shape = all, .size = 1, .ndim = all.ndim, .numiter = n};
    for (int i = 0; i < all.ndim; i++)
        r.size = knx_dim_mul(r.size, all.dim[i]);
    return r;
}

/* It has the shape already, and stays what it is, one that can be written to. */
static bool needs_no_more(kna_op *op, kn_array x, const kn_shape *shape)
{
    kni_type t = kna_type(op, x);
    bool same = !kna_failed(op) && !t.weak && t.ndim == shape->ndim;
    for (int i = 0; i < t.ndim && same; i++)
        same = knx_dim_eq(t.dim[i], shape->dim[i]);
    return same;
}

kn_list kn_broadcast_arrays(kn_list list)
{
    knl_body c;
    const kn_array *x;
    int n;
    kn_list result = NULL;
    knl_begin(&c, "broadcast_arrays");
    kn_shape *shape = shapes_of(&c.op, list, &n, &x), all = {.ndim = 0};
    kn_array *out = kna_failed(&c.op) ? NULL : knx_alloc((size_t)n * sizeof *out);
    if (!kna_failed(&c.op) && !out)
        kna_fail_with(&c.op, knx_error_nomem());
    if (!kna_failed(&c.op))
        all = common_shape(&c.op, n, shape);
    if (!kna_failed(&c.op)) {
        for (int i = 0; i < n; i++)
            out[i] = needs_no_more(&c.op, x[i], &all) ? kn_asarray(x[i], NULL) : kn_broadcast_to(x[i], &all);
        result = kn_list_from(out, n);
    }
    knx_free(out);
    knx_free(shape);
    return knl_end_list(&c, result);
}

kn_array kn_broadcast_to(kn_array x, const kn_shape *shape)
{
    kna_op op;
    kna_begin(&op, "broadcast_to");
    shape = kna_shape(&op, shape);
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op) || knl_too_many_axes(&op, shape->ndim))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    kna_fail_with(&op, kni_type_check_size(knl_shaped(t.dtype, shape)));
    int lead = shape->ndim - t.ndim;
    bool fits = lead >= 0;
    for (int i = 0; i < t.ndim && fits; i++)
        fits = knx_dim_eq(t.dim[i], 1) || knx_dim_eq(t.dim[i], shape->dim[lead + i]);
    if (!kna_failed(&op) && lead < 0)
        kna_fail(&op, KN_ERROR_VALUE, "input operand has more dimensions than allowed by the axis remapping");
    if (!kna_failed(&op) && !fits) {
        knx_text from = {0}, to = {0};
        kna_fail(&op, KN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes [original->remapped]: %s  and "
                 "requested shape %s",
                 knx_show_shape(&from, t.ndim, t.dim), knx_show_shape(&to, shape->ndim, shape->dim));
    }
    kni_atom wide = kna_failed(&op) ? KN_ATOM_NONE : knb_broadcast_to(op.b, a, knl_shaped(t.dtype, shape));
    kn_array y = kna_end_view(&op, x, a, wide);
    kna_set_readonly(y);
    return y;
}
