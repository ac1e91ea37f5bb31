/* SPDX-License-Identifier: Apache-2.0
 * joining.c -- arrays joined, and repeated. */
#include "tree/tree.h"
#include "lib/compose.h"
#include "lib/kept.h"
#include <limits.h>
#include <string.h>

/* ---- Joining. */

typedef struct joined {
    kna_op op;
    int n;
    const kn_array *x;
    kn_dtype dtype;
    const char *casting;
    bool flat; /* axis None */
    kni_atom *atom;
} joined;

/* A dtype that is asked for must be reached by the casting rule. */
static void check_casting(joined *j, kn_dtype dtype, const char *casting)
{
    knx_casting how = knl_casting(&j->op, casting, KN_CAST_SAME_KIND, KN_CAST_UNSAFE);
    for (int i = 0; i < j->n && !kna_failed(&j->op); i++) {
        kni_type t = kna_type(&j->op, j->x[i]);
        kn_dtype from = kna_failed(&j->op) ? NULL : kna_strong_dtype(t);
        char weak =
            from && t.weak ? from->kind == KN_KIND_UINT ? KN_KIND_INT : from->kind : 0; /* it takes another one */
        if (from && !(weak && knx_promote_weak(dtype, weak, NULL) == dtype) && !knx_can_cast(from, dtype, how))
            knl_cannot_cast(&j->op, j->flat && !t.ndim ? "scalar" : "array data", from, dtype, how);
    }
}

/* Begins the operation and reads the list; the atoms are of the common dtype. False after an error. */
static bool begin(joined *j, const char *name, kn_list list, kn_dtype dtype, const char *casting, const char *empty)
{
    *j = (joined){.n = 0};
    kna_begin(&j->op, name);
    j->n = kntree_list_read(&j->op, list, &j->x);
    if (!kna_failed(&j->op) && j->n <= 0)
        kna_fail(&j->op, KN_ERROR_VALUE, "%s", empty);
    if (kna_failed(&j->op))
        return false;
    j->dtype = dtype ? dtype : kna_result_type(&j->op, j->n, j->x);
    j->casting = casting;
    j->atom = knx_arena_alloc(&j->op.b->arena, (size_t)j->n * sizeof *j->atom);
    if (!j->atom)
        kna_fail_with(&j->op, knx_error_nomem());
    for (int i = 0; i < j->n && !kna_failed(&j->op); i++)
        j->atom[i] = kna_in_as(&j->op, j->x[i], j->dtype);
    return !kna_failed(&j->op);
}

static kn_array finish(joined *j, kni_atom y) { return knl_end_joined(&j->op, y, j->n, j->x, -1); }

static kni_type type_of(const joined *j, int i) { return knb_type(j->op.b, j->atom[i]); }

static void check_shapes(joined *j, int axis)
{
    kni_type first = type_of(j, 0);
    for (int i = 1; i < j->n; i++) {
        kni_type t = type_of(j, i);
        if (t.ndim != first.ndim) {
            kna_fail(&j->op, KN_ERROR_VALUE,
                     "all the input arrays must have same number of dimensions, but the array at index 0 has %d "
                     "dimension(s) and the "
                     "array at index %d has %d dimension(s)",
                     first.ndim, i, t.ndim);
            return;
        }
        for (int d = 0; d < t.ndim; d++)
            if (d != axis && !knx_dim_eq(t.dim[d], first.dim[d])) {
                knx_text p = {0}, q = {0};
                kna_fail(&j->op, KN_ERROR_VALUE,
                         "all the input array dimensions except for the concatenation axis must match exactly, but "
                         "along dimension %d, "
                         "the array at index 0 has size %s and the array at index %d has size %s",
                         d, knx_dim_show(&p, first.dim[d]), i, knx_dim_show(&q, t.dim[d]));
                return;
            }
    }
}

static kni_atom concatenate(joined *j, int axis)
{
    check_shapes(j, axis);
    if (!kna_failed(&j->op))
        check_casting(j, j->dtype, j->casting);
    if (kna_failed(&j->op))
        return KN_ATOM_NONE;
    return j->n == 1 ? j->atom[0] : knb_concatenate(j->op.b, j->n, j->atom, axis);
}

static kn_array join(const char *name, kn_list list, const kn_concatenate_opts *opts)
{
    KNX_OPTS(kn_concatenate_opts, o, opts);
    joined j;
    if (!begin(&j, name, list, o.dtype, o.casting, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    j.flat = o.axis.n < 0;
    for (int i = 0; i < j.n && j.flat; i++)
        j.atom[i] = knl_flatten(&j.op, j.atom[i]);
    int ndim = kna_failed(&j.op) ? 0 : type_of(&j, 0).ndim;
    if (!ndim && !kna_failed(&j.op))
        kna_fail(&j.op, KN_ERROR_VALUE, "zero-dimensional arrays cannot be concatenated");
    int axis = kna_failed(&j.op) || o.axis.n < 0 ? 0 : kna_axis(&j.op, o.axis, ndim, 0);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, axis));
}

kn_array kn_concatenate(kn_list list, const kn_concatenate_opts *opts) { return join("concatenate", list, opts); }
kn_array kn_concat(kn_list list, const kn_concatenate_opts *opts) { return join("concat", list, opts); }

kn_array kn_stack(kn_list list, const kn_concatenate_opts *opts)
{
    KNX_OPTS(kn_concatenate_opts, o, opts);
    joined j;
    if (!begin(&j, "stack", list, o.dtype, o.casting, "need at least one array to stack"))
        return finish(&j, KN_ATOM_NONE);
    kni_type first = type_of(&j, 0);
    for (int i = 1; i < j.n; i++)
        if (!kni_type_same_shape(first, type_of(&j, i)))
            kna_fail(&j.op, KN_ERROR_VALUE, "all input arrays must have the same shape");
    int axis = kna_failed(&j.op) ? 0 : kna_axis(&j.op, o.axis, first.ndim + 1, 0);
    if (kna_failed(&j.op))
        return finish(&j, KN_ATOM_NONE);
    for (int i = 0; i < j.n; i++)
        j.atom[i] = knb_expand_dims(j.op.b, j.atom[i], axis);
    kni_atom y = kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, axis);
    return knl_end_joined(&j.op, y, j.n, j.x, axis);
}

/* Pads the shapes with ones in front (vstack) or makes vectors of scalars (hstack). */
static void at_least(joined *j, int ndim)
{
    for (int i = 0; i < j->n && !kna_failed(&j->op); i++)
        while (!kna_failed(&j->op) && type_of(j, i).ndim < ndim)
            j->atom[i] = knb_expand_dims(j->op.b, j->atom[i], 0);
}

kn_array kn_vstack(kn_list list, const kn_vstack_opts *opts)
{
    KNX_OPTS(kn_vstack_opts, o, opts);
    joined j;
    if (!begin(&j, "vstack", list, o.dtype, o.casting, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 2);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, 0));
}

kn_array kn_hstack(kn_list list, const kn_vstack_opts *opts)
{
    KNX_OPTS(kn_vstack_opts, o, opts);
    joined j;
    if (!begin(&j, "hstack", list, o.dtype, o.casting, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 1);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, type_of(&j, 0).ndim == 1 ? 0 : 1));
}

kn_array kn_dstack(kn_list list)
{
    joined j;
    if (!begin(&j, "dstack", list, NULL, NULL, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 2); /* (n,) becomes (1, n, 1) */
    for (int i = 0; i < j.n && !kna_failed(&j.op); i++)
        if (type_of(&j, i).ndim == 2)
            j.atom[i] = knb_expand_dims(j.op.b, j.atom[i], 2);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, 2));
}

kn_array kn_column_stack(kn_list list)
{
    joined j;
    if (!begin(&j, "column_stack", list, NULL, NULL, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 1);
    for (int i = 0; i < j.n && !kna_failed(&j.op); i++)
        if (type_of(&j, i).ndim == 1)
            j.atom[i] = knb_expand_dims(j.op.b, j.atom[i], 1);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, 1));
}

/* ---- Blocks: rows along the last axis, then those along the last but one. */

/* The greatest number of axes of all blocks, and at least `ndim`. */
static int most_axes(kna_op *op, int n, const kn_list *rows, int ndim)
{
    for (int i = 0; i < n && !kna_failed(op); i++) {
        const kn_array *x;
        int m = kntree_list_read(op, rows[i], &x);
        if (!kna_failed(op) && !m)
            kna_fail(op, KN_ERROR_VALUE, "List at arrays%s cannot be empty", n > 1 ? "[0]" : "");
        for (int k = 0; k < m && !kna_failed(op); k++) {
            kni_type t = kna_type(op, x[k]);
            ndim = t.ndim > ndim ? t.ndim : ndim;
        }
    }
    return ndim;
}

/* One row joined along the last of ndim axes. */
static kn_array block_row(kn_list list, int ndim)
{
    joined j;
    if (!begin(&j, "block", list, NULL, NULL, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, ndim);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, ndim - 1));
}

kn_array kn_block(int n, const kn_list *rows)
{
    knl_body c;
    joined j;
    knl_begin(&c, "block");
    kna_given_list(&c.op, n, rows, INT_MAX, "rows");
    if (n == 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "List at arrays cannot be empty");
    int ndim = kna_failed(&c.op) ? 0 : most_axes(&c.op, n, rows, n > 1 ? 2 : 1);
    kn_array *row = kna_failed(&c.op) ? NULL : knx_alloc((size_t)n * sizeof *row), y = NULL;
    if (!row && !kna_failed(&c.op))
        kna_fail_with(&c.op, knx_error_nomem());
    for (int i = 0; row && i < n; i++)
        row[i] = block_row(rows[i], ndim);
    if (row && n == 1)
        y = row[0];
    else if (row) {
        bool ok = begin(&j, "block", kn_list_from(row, n), NULL, NULL, "need at least one array to concatenate");
        y = finish(&j, ok ? concatenate(&j, ndim - 2) : KN_ATOM_NONE);
    }
    knx_free(row);
    return knl_end(&c, y);
}

/* ---- Repeating. */

static bool no_negative(kna_op *op, int64_t n, const int64_t *count)
{
    for (int64_t i = 0; i < n; i++)
        if (count[i] < 0)
            kna_fail(op, KN_ERROR_VALUE, "repeats may not contain negative values.");
    return !kna_failed(op);
}

/* x repeated count[i] times along axis i: each axis becomes two, and those are joined. Element by element if `inside`,
 * else as a whole. */
static kni_atom repeat(kna_op *op, kni_atom x, const int64_t *count, bool inside)
{
    kn_shape joint = knl_shape_of(op, x);
    for (int i = 0; i < joint.ndim && !kna_failed(op); i++) {
        kn_shape wide = knl_shape_of(op, x), flat = wide;
        bool is_new[KN_MAX_NDIM] = {false};
        if (count[i] == 1)
            continue;
        if (wide.ndim == KN_MAX_NDIM) {
            kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                     KN_MAX_NDIM, KN_MAX_NDIM + 1);
            return KN_ATOM_NONE;
        }
        int at = inside ? i + 1 : i;
        for (int d = wide.ndim++; d > at; d--)
            wide.dim[d] = wide.dim[d - 1];
        wide.dim[at] = count[i];
        is_new[at] = true;
        flat.dim[i] = 0; /* its product may be too large */
        int64_t extent = knl_shape_of(op, x).dim[i];
        if (knx_is_symbolic(extent) || knl_is_extent(count[i]))
            flat.dim[i] = knx_dim_mul(extent, count[i]);
        else if (extent && count[i] > INT64_MAX / extent)
            kna_fail(op, KN_ERROR_MEMORY, "the repeated array is too large");
        else
            flat.dim[i] = extent * count[i];
        x = knl_reshape(op, knl_insert_axes(op, x, &wide, is_new), &flat);
    }
    return x;
}

kn_array kn_tile(kn_array x, const kn_shape *reps)
{
    kna_op op;
    kna_begin(&op, "tile");
    reps = kna_shape(&op, reps);
    kni_atom a = kna_in(&op, x);
    kn_shape count = *reps;
    if (kna_failed(&op) || !no_negative(&op, count.ndim, count.dim))
        return kna_end(&op, KN_ATOM_NONE);
    while (!kna_failed(&op) && knb_type(op.b, a).ndim < count.ndim)
        a = knb_expand_dims(op.b, a, 0);
    for (int ndim = knb_type(op.b, a).ndim; count.ndim < ndim; count.ndim++) {
        for (int i = count.ndim; i > 0; i--)
            count.dim[i] = count.dim[i - 1];
        count.dim[0] = 1;
    }
    return kna_end(&op, repeat(&op, a, count.dim, false));
}

/* Counts that differ along the axis: which element each place of the result shows. */
static kni_atom repeat_each(kna_op *op, kni_atom a, int axis, const int64_t *count, int64_t n)
{
    int64_t total = 0;
    for (int64_t i = 0; i < n; i++)
        total = count[i] > INT64_MAX / 8 - total ? INT64_MAX / 8 : total + count[i];
    kn_scope scope = kn_scope_begin();
    int64_t *from = knl_integer_room(op, total);
    for (int64_t i = 0, at = 0; from && i < n; i++)
        for (int64_t k = 0; k < count[i]; k++)
            from[at++] = i;
    kn_array map = from ? knl_integers(from, total) : NULL;
    kni_atom y = map ? knl_take_axis(op, a, kna_in(op, map), axis, KN_GATHER_PROMISE) : KN_ATOM_NONE;
    knx_free(from);
    kn_scope_end(&scope);
    return y;
}

static kn_array repeated(const kn_array *all, const void *options)
{
    const kn_squeeze_opts o = *(const kn_squeeze_opts *)options;
    kn_array x = all[0], repeats = all[1];
    kna_op op;
    kna_begin(&op, "repeat");
    kni_atom a = kna_in(&op, x), y = KN_ATOM_NONE;
    kni_type given = kna_type(&op, repeats);
    int64_t count[KN_MAX_NDIM] = {0}, n = 0;
    knx_text t = {0};
    if (!kna_failed(&op))
        knx_text_add(&t, "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule 'safe'",
                     given.dtype->name);
    bool scalar = !kna_failed(&op) && !knb_type(op.b, a).ndim; /* it has an axis 0 here */
    if (o.axis.n <= 0 || scalar)
        a = knl_flatten(&op, a);
    int64_t *each = knl_look_integers(&op, repeats, &n, NULL, t.s);
    int ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim;
    int axis = kna_failed(&op) || o.axis.n <= 0 ? 0 : kna_axis(&op, o.axis, ndim, 0);
    int64_t extent = kna_failed(&op) ? 0 : knb_type(op.b, a).dim[axis];
    if (!kna_failed(&op) && given.ndim > 1)
        kna_fail(&op, KN_ERROR_VALUE, "object too deep for desired array");
    else if (!kna_failed(&op) && n != 1 && !knx_dim_eq(n, extent)) {
        knx_text shown = {0};
        kna_fail(&op, KN_ERROR_VALUE, "operands could not be broadcast together with shape (%s,) (%lld,)",
                 knx_dim_show(&shown, extent), (long long)n);
    }
    if (!kna_failed(&op) && no_negative(&op, n, each)) {
        for (int i = 0; i < ndim; i++) /* one for each axis */
            count[i] = i == axis && n ? each[0] : 1;
        y = n == 1 ? repeat(&op, a, count, true) : repeat_each(&op, a, axis, each, n);
    }
    knx_free(each);
    return kna_end(&op, y);
}

kn_array kn_repeat(kn_array x, kn_array repeats, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    const kn_array given[] = {x, repeats};
    return knl_kept(&(knl_call){"repeat", repeated, 2, given, &o, sizeof o});
}
