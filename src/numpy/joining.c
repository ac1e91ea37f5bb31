/* SPDX-License-Identifier: Apache-2.0
 * joining.c -- arrays joined, split and repeated. */
#include "array/tree.h"
#include "numpy/internal.h"

/* ---- Joining. */

typedef struct joined {
    kna_op op;
    int n;
    const kn_array *x;
    kn_dtype dtype;
    kn_atom *atom;
} joined;

/* Begins the operation and reads the list; the atoms are of the common dtype. False after an error. */
static bool begin(joined *j, const char *name, kn_list list, kn_dtype dtype, const char *empty)
{
    *j = (joined){.n = 0};
    kna_begin(&j->op, name);
    j->n = kna_list_read(&j->op, list, &j->x);
    if (!kna_failed(&j->op) && j->n <= 0)
        kna_fail(&j->op, KN_ERROR_VALUE, "%s", empty);
    if (kna_failed(&j->op))
        return false;
    j->dtype = dtype ? dtype : kna_result_type(&j->op, j->n, j->x);
    j->atom = knx_alloc((size_t)j->n * sizeof *j->atom);
    if (!j->atom)
        kna_fail_with(&j->op, knx_error_nomem());
    for (int i = 0; i < j->n && !kna_failed(&j->op); i++)
        j->atom[i] = kna_in_as(&j->op, j->x[i], j->dtype);
    return !kna_failed(&j->op);
}

static kn_array finish(joined *j, kn_atom y)
{
    knx_free(j->atom);
    return kna_end(&j->op, y);
}

static kn_type type_of(const joined *j, int i) { return knb_type(j->op.b, j->atom[i]); }

static void check_shapes(joined *j, int axis)
{
    kn_type first = type_of(j, 0);
    for (int i = 1; i < j->n; i++) {
        kn_type t = type_of(j, i);
        if (t.ndim != first.ndim) {
            kna_fail(&j->op, KN_ERROR_VALUE,
                     "all the input arrays must have same number of dimensions, but the array at index 0 has %d "
                     "dimension(s) and the "
                     "array at index %d has %d dimension(s)",
                     first.ndim, i, t.ndim);
            return;
        }
        for (int d = 0; d < t.ndim; d++)
            if (d != axis && t.dim[d] != first.dim[d]) {
                kna_fail(&j->op, KN_ERROR_VALUE,
                         "all the input array dimensions except for the concatenation axis must match exactly, but "
                         "along dimension %d, "
                         "the array at index 0 has size %lld and the array at index %d has size %lld",
                         d, (long long)first.dim[d], i, (long long)t.dim[d]);
                return;
            }
    }
}

static kn_atom concatenate(joined *j, int axis)
{
    check_shapes(j, axis);
    if (kna_failed(&j->op))
        return KN_ATOM_NONE;
    return j->n == 1 ? j->atom[0] : knb_concatenate(j->op.b, j->n, j->atom, axis);
}

kn_array kn_concatenate(kn_list list, const kn_concatenate_opts *opts)
{
    KNN_OPTS(kn_concatenate_opts, o, opts);
    joined j;
    if (!begin(&j, "concatenate", list, o.dtype, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    if (o.axis.n < 0)
        for (int i = 0; i < j.n; i++)
            j.atom[i] = knn_flatten(&j.op, j.atom[i]);
    int ndim = kna_failed(&j.op) ? 0 : type_of(&j, 0).ndim;
    if (!ndim && !kna_failed(&j.op))
        kna_fail(&j.op, KN_ERROR_VALUE, "zero-dimensional arrays cannot be concatenated");
    int axis = kna_failed(&j.op) || o.axis.n < 0 ? 0 : kna_axis(&j.op, o.axis, ndim, 0);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, axis));
}

kn_array kn_stack(kn_list list, const kn_concatenate_opts *opts)
{
    KNN_OPTS(kn_concatenate_opts, o, opts);
    joined j;
    if (!begin(&j, "stack", list, o.dtype, "need at least one array to stack"))
        return finish(&j, KN_ATOM_NONE);
    kn_type first = type_of(&j, 0);
    for (int i = 1; i < j.n; i++)
        if (!kni_type_same_shape(first, type_of(&j, i)))
            kna_fail(&j.op, KN_ERROR_VALUE, "all input arrays must have the same shape");
    int axis = kna_failed(&j.op) ? 0 : kna_axis(&j.op, o.axis, first.ndim + 1, 0);
    if (kna_failed(&j.op))
        return finish(&j, KN_ATOM_NONE);
    for (int i = 0; i < j.n; i++)
        j.atom[i] = knb_expand_dims(j.op.b, j.atom[i], axis);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, axis));
}

/* Pads the shapes with ones in front (vstack) or makes vectors of scalars (hstack). */
static void at_least(joined *j, int ndim)
{
    for (int i = 0; i < j->n && !kna_failed(&j->op); i++)
        while (!kna_failed(&j->op) && type_of(j, i).ndim < ndim)
            j->atom[i] = knb_expand_dims(j->op.b, j->atom[i], 0);
}

kn_array kn_vstack(kn_list list)
{
    joined j;
    if (!begin(&j, "vstack", list, NULL, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 2);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, 0));
}

kn_array kn_hstack(kn_list list)
{
    joined j;
    if (!begin(&j, "hstack", list, NULL, "need at least one array to concatenate"))
        return finish(&j, KN_ATOM_NONE);
    at_least(&j, 1);
    return finish(&j, kna_failed(&j.op) ? KN_ATOM_NONE : concatenate(&j, type_of(&j, 0).ndim == 1 ? 0 : 1));
}

/* ---- Splitting. */

/* Elements start to limit along an axis: a view. */
static kn_array part_of(const char *name, kn_array x, int axis, int64_t start, int64_t limit)
{
    kna_op op;
    kna_begin(&op, name);
    kn_atom a = kna_in(&op, x);
    kn_shape from = {0}, to = knn_shape_of(&op, a);
    from.dim[axis] = start;
    to.dim[axis] = limit;
    return kna_end_view(&op, x, a, kna_failed(&op) ? a : knb_slice(op.b, a, from.dim, to.dim, NULL));
}

static kn_list split(const char *name, kn_array x, int64_t sections, const kn_split_opts *opts, bool equal)
{
    KNN_OPTS(kn_split_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kn_type t = kna_type(&op, x);
    int axis = kna_failed(&op) ? 0 : kna_axis(&op, o.axis, t.ndim, 0);
    if (!kna_failed(&op) && (sections <= 0 || sections > INT32_MAX))
        kna_fail(&op, KN_ERROR_VALUE, "number sections must be larger than 0.");
    if (!kna_failed(&op) && equal && t.dim[axis] % sections)
        kna_fail(&op, KN_ERROR_VALUE, "array split does not result in an equal division");
    kn_array *out = kna_failed(&op) ? NULL : knx_alloc((size_t)sections * sizeof *out);
    if (!out) {
        if (!kna_failed(&op))
            kna_fail_with(&op, knx_error_nomem());
        kna_end_plain(&op);
        return kn_list_from(NULL, 0);
    }
    int64_t each = t.dim[axis] / sections, extra = t.dim[axis] % sections, start = 0;
    for (int64_t i = 0; i < sections; i++) {
        int64_t limit = start + each + (i < extra);
        out[i] = part_of(name, x, axis, start, limit);
        start = limit;
    }
    kna_end_plain(&op);
    kn_list list = kn_list_from(out, (int)sections);
    knx_free(out);
    return list;
}

kn_list kn_array_split(kn_array x, int64_t sections, const kn_split_opts *opts)
{
    return split("array_split", x, sections, opts, false);
}
kn_list kn_split(kn_array x, int64_t sections, const kn_split_opts *opts)
{
    return split("split", x, sections, opts, true);
}

/* ---- Repeating. */

static bool no_negative(kna_op *op, int n, const int64_t *count)
{
    for (int i = 0; i < n; i++)
        if (count[i] < 0)
            kna_fail(op, KN_ERROR_VALUE, "repeats may not contain negative values.");
    return !kna_failed(op);
}

/* x repeated count[i] times along axis i: each axis becomes two, and those are joined. Element by element if `inside`,
 * else as a whole. */
static kn_atom repeat(kna_op *op, kn_atom x, const int64_t *count, bool inside)
{
    kn_shape joint = knn_shape_of(op, x);
    for (int i = 0; i < joint.ndim && !kna_failed(op); i++) {
        kn_shape wide = knn_shape_of(op, x), flat = wide;
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
        if (knn_shape_of(op, x).dim[i] && count[i] > INT64_MAX / knn_shape_of(op, x).dim[i])
            kna_fail(op, KN_ERROR_MEMORY, "the repeated array is too large");
        else
            flat.dim[i] = knn_shape_of(op, x).dim[i] * count[i];
        x = knn_reshape(op, knn_insert_axes(op, x, &wide, is_new), &flat);
    }
    return x;
}

kn_array kn_tile(kn_array x, const kn_shape *reps)
{
    kna_op op;
    kna_begin(&op, "tile");
    kn_atom a = kna_in(&op, x);
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

kn_array kn_repeat(kn_array x, int64_t repeats, const kn_squeeze_opts *opts)
{
    KNN_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "repeat");
    kn_atom a = kna_in(&op, x);
    int64_t count[KN_MAX_NDIM];
    if (o.axis.n <= 0)
        a = knn_flatten(&op, a);
    if (kna_failed(&op) || !no_negative(&op, 1, &repeats))
        return kna_end(&op, KN_ATOM_NONE);
    int ndim = knb_type(op.b, a).ndim, axis = o.axis.n <= 0 ? 0 : kna_axis(&op, o.axis, ndim, 0);
    for (int i = 0; i < ndim; i++)
        count[i] = i == axis ? repeats : 1;
    return kna_end(&op, kna_failed(&op) ? a : repeat(&op, a, count, true));
}
