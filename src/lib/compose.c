/* SPDX-License-Identifier: Apache-2.0
 * compose.c -- operations with a scope of their own, and what functions look at on the way: see compose.h. */
#include "lib/compose.h"
#include "function/function.h"
#include "array/element.h"
#include "array/handle.h"
#include <string.h>

void knl_begin(knl_body *c, const char *name)
{
    kna_begin(&c->op, name);
    c->scope = kn_scope_begin();
}

void knl_end_n(knl_body *c, int n, kn_array *y)
{
    bool failed = kna_failed(&c->op);
    for (int i = 0; i < n && !failed; i++) {
        if (y[i])
            kna_handle_promote(y[i]);
        else {
            kna_fail_with(&c->op, knx_error_nomem());
            failed = true;
        }
    }
    kn_scope_end(&c->scope);
    if (failed)
        kna_end_n(&c->op, n, NULL, y);
    else
        kna_end_plain(&c->op);
}

kn_array knl_end(knl_body *c, kn_array y)
{
    knl_end_n(c, 1, &y);
    return y;
}

bool knl_end_plain(knl_body *c)
{
    kn_scope_end(&c->scope);
    return kna_end_plain(&c->op);
}

kn_list knl_end_list(knl_body *c, kn_list y)
{
    bool failed = kna_failed(&c->op) || !y;
    if (!failed)
        kn_keep_handle(y);
    kn_scope_end(&c->scope);
    kna_end_plain(&c->op);
    return failed ? kn_list_from(NULL, 0) : y;
}

kn_array knl_made(knl_body *c, kni_atom a)
{
    kna_op op;
    kna_begin(&op, "");
    if (c->op.error)
        kna_fail_with(&op, knx_error_retain(c->op.error));
    return kna_end(&op, a);
}

bool knl_may_look(kn_array x)
{
    const char *why;
    return knf_may_be_concrete(&why) && !kna_has_batch_axes(x);
}

int64_t *knl_look_integers(kna_op *op, kn_array x, int64_t *n, int *ndim, const char *what)
{
    kni_type t = kna_type(op, x);
    if (kna_failed(op))
        return NULL;
    if (!knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL) {
        kna_fail(op, KN_ERROR_TYPE, "%s", what);
        return NULL;
    }
    const char *at = kna_look(op, x, &t);
    if (!at)
        return NULL;
    *n = kni_type_size(t);
    if (ndim)
        *ndim = t.ndim;
    int64_t *v = knx_alloc((size_t)*n * sizeof *v);
    if (!v)
        kna_fail_with(op, knx_error_nomem());
    bool same = t.dtype == KN_DT(I64);
    if (v && same)
        memcpy(v, at, (size_t)*n * sizeof *v);
    for (int64_t i = 0; v && !same && i < *n; i++)
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, KN_DT(I64), &v[i]);
    return v;
}

bool knl_weak_value(kna_op *op, kn_array x, double *value)
{
    kni_type t = kna_type(op, x);
    if (!kna_is_number(op, x) || knx_is_complex(t.dtype))
        return false;
    const void *at = kna_look(op, x, &t);
    int64_t extent = 0;
    if (at && t.dtype == KN_DT(I64))
        memcpy(&extent, at, sizeof extent);
    if (!at || knl_is_extent(extent))
        return false;
    knx_convert(t.dtype, at, KN_DT(F64), value);
    return true;
}

kn_shape knl_shape_of(kna_op *op, kni_atom a)
{
    kn_shape shape;
    kni_type t = kna_failed(op) ? kni_scalar_type(KN_DT(F32)) : knb_type(op->b, a);
    shape.ndim = t.ndim;
    for (int d = 0; d < t.ndim; d++)
        shape.dim[d] = t.dim[d];
    return shape;
}

int64_t *knl_integer_room(kna_op *op, int64_t n)
{
    bool fits = n < PTRDIFF_MAX / (int64_t)sizeof(int64_t);
    int64_t *room = fits ? knx_alloc((size_t)n * sizeof *room + 1) : NULL; /* not NULL for no integers */
    if (!fits && !kna_failed(op))
        kna_fail(op, KN_ERROR_MEMORY, "array of shape (%lld,) and dtype int64 is too large", (long long)n);
    else if (!room && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem_for((size_t)n * sizeof *room, 1, &n, "int64"));
    return room;
}

kn_array knl_integers(const int64_t *v, int64_t n)
{
    kn_shape shape = {1, {n}};
    return kn_from_memory(v, &shape, KN_DT(I64));
}

kn_axes knl_one_axis(int axis) { return (kn_axes){.n = 2, .axis = {axis}}; }

kn_array knl_part(const char *name, kn_array x, int axis, int64_t start, int64_t limit)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    kn_shape from = {0}, to = knl_shape_of(&op, a);
    from.dim[axis] = start;
    to.dim[axis] = limit;
    return kna_end_view(&op, x, a, kna_failed(&op) ? a : knb_slice(op.b, a, from.dim, to.dim, NULL));
}
