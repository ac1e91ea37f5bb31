/* SPDX-License-Identifier: Apache-2.0
 * ufunc_methods.c -- reduce, accumulate and reduceat of functions of two arrays. Where a primitive joins
 * elements so, it is used; otherwise they are joined half by half if their order does not matter, else one after the
 * other. */
#include "array/element.h"
#include "numpy/ufunc/ufunc.h"
#include <string.h>

/* ---- What joins the elements, and in which dtype. */

typedef kni_atom (*reducer)(kni_builder *b, kni_atom x, int n, const int64_t *axes);
typedef kni_atom (*cumulator)(kni_builder *b, kni_atom x, int axis, bool reverse);
typedef struct joining {
    kn_ufunc ufunc;
    reducer reduce;       /* NULL: none */
    cumulator accumulate; /* the same */
    bool reorderable, has_identity, truth;
    double identity;
    bool repeatable; /* an element may count twice */
} joining;

static joining joining_of(kn_ufunc f, const knn_ufunc *u, kn_dtype d)
{
    bool truth = d->kind == KN_KIND_BOOL, complex = knx_is_complex(d);
    joining j = {.ufunc = f,
                 .reorderable = u->reorderable,
                 .has_identity = u->identity_kind != 0,
                 .identity = u->identity,
                 .truth = u->identity_kind == 'b' && !u->own};
    switch (f) {
    case kn_ufunc_add:
        j.reduce = truth ? knb_reduce_or : knb_reduce_sum;
        j.accumulate = truth ? NULL : knb_cumsum;
        break;
    case kn_ufunc_multiply:
        j.reduce = truth ? knb_reduce_and : knb_reduce_prod;
        j.accumulate = truth ? NULL : knb_cumprod;
        break;
    case kn_ufunc_maximum:
    case kn_ufunc_minimum:
        if (!complex)
            j.reduce = f == kn_ufunc_maximum ? knb_reduce_max : knb_reduce_min;
        if (!complex && !truth)
            j.accumulate = f == kn_ufunc_maximum ? knb_cummax : knb_cummin;
        j.repeatable = true;
        break;
    case kn_ufunc_fmax:
    case kn_ufunc_fmin: j.repeatable = true; break;
    default: break;
    }
    if (j.truth) /* as bits */
        j.ufunc = (kn_ufunc)(kn_ufunc_bitwise_and + (f - kn_ufunc_logical_and));
    if (j.ufunc >= kn_ufunc_bitwise_and && j.ufunc <= kn_ufunc_bitwise_xor) {
        static const reducer bits[] = {knb_reduce_and, knb_reduce_or, knb_reduce_xor};
        j.reduce = bits[j.ufunc - kn_ufunc_bitwise_and];
    }
    return j;
}

typedef struct fold {
    kna_op op;
    kni_builder *b;
    joining how;
    kn_dtype d;
    kni_atom x;
    const char *name; /* of the ufunc */
    kn_array out;     /* NULL: none */
} fold;

kn_dtype knn_widened(kn_ufunc f, kn_dtype d)
{
    if (f != kn_ufunc_add && f != kn_ufunc_multiply)
        return d;
    return d->kind == KN_KIND_BOOL || d->kind == KN_KIND_INT ? KN_DT(I64) : d->kind == KN_KIND_UINT ? KN_DT(U64) : d;
}

static bool compares(kn_ufunc f) { return f >= kn_ufunc_equal && f <= kn_ufunc_greater_equal; }

/* The dtype in which f joins elements of dtype d; *part: what they are converted to, if that is another one. */
static kn_dtype joins_in(fold *w, const char *method, kn_ufunc f, const knn_ufunc *u, kn_dtype d, kn_dtype *part)
{
    kn_dtype loop[KNN_MOST_OPERANDS], made = NULL;
    *part = NULL;
    if (!u->own && knl_ufunc_has_formula(f)) {
        kn_scope scope = kn_scope_begin();
        knx_scalar_bits none = {{0}};
        kn_array like = kna_from_number(d, false, none);
        made = knl_ufunc_dtype(&w->op, f, like, like);
        kn_scope_end(&scope);
        return made;
    }
    const kni_type both[] = {kni_scalar_type(d), kni_scalar_type(d)};
    if (!*u->loops)
        made = d;
    else if (knn_resolve(&w->op, u, both, NULL, KN_CAST_SAME_KIND, loop))
        made = loop[2];
    if (made && *u->loops && (loop[0] != made || (loop[1] != made && strcmp(method, "reduce") != 0)))
        kna_fail(&w->op, KN_ERROR_TYPE,
                 "the resolved dtypes are not compatible with %s.%s. Resolved (dtype('%s'), dtype('%s'), dtype('%s'))",
                 u->name, method, loop[0]->name, loop[1]->name, loop[2]->name);
    else if (made && *u->loops && loop[1] != made)
        *part = loop[1];
    return made;
}

/* What the elements count as: results go to `out` in its dtype, so that they are no narrower than that. */
static kn_dtype counts_as(fold *w, kn_ufunc f, kn_dtype dtype)
{
    kn_dtype from = knb_type(w->b, w->x).dtype;
    if (dtype || !w->out)
        return dtype ? dtype : knn_widened(f, from);
    kni_type t = kna_type(&w->op, w->out);
    if (!kna_failed(&w->op) && t.weak)
        kna_fail(&w->op, KN_ERROR_TYPE, "return arrays must be of ArrayType");
    kn_dtype both = kna_failed(&w->op) ? NULL : knx_promote(t.dtype, from);
    return both ? both : from;
}

/* Settles the dtype, and converts x. A comparison gives other dtypes than it takes: TypeError. */
static bool begin(fold *w, const char *name, kn_ufunc f, kn_array x, kn_dtype dtype, kn_array out)
{
    kna_begin(&w->op, name);
    w->b = w->op.b;
    w->x = kna_in(&w->op, x);
    w->d = NULL;
    w->out = out;
    const knn_ufunc *u = knn_ufunc_of(&w->op, f);
    if (kna_failed(&w->op) || !knn_reduces(&w->op, u, name + sizeof "ufunc_" - 1))
        return false;
    w->name = u->name;
    kn_dtype from = knb_type(w->b, w->x).dtype;
    if (knl_not_a_number(&w->op, w->name, from))
        return false;
    kn_dtype d = counts_as(w, f, dtype);
    if (kna_failed(&w->op))
        return false;
    w->how = joining_of(f, u, d);
    if ((w->how.truth && (!dtype || dtype->kind == KN_KIND_BOOL)) ||
        (compares(f) && (dtype ? dtype : from)->kind == KN_KIND_BOOL)) {
        w->d = KN_DT(BOOL);
        w->x = knl_truth(&w->op, w->x);
    } else if (w->how.truth || compares(f)) {
        kna_fail(&w->op, KN_ERROR_TYPE, "No loop matching the specified signature and casting was found for ufunc %s",
                 w->name);
    } else {
        kn_dtype part;
        w->d = joins_in(w, name + sizeof "ufunc_" - 1, f, u, d, &part);
        if (!kna_failed(&w->op))
            w->x = knb_astype(w->b, w->x, part ? part : w->d);
    }
    return !kna_failed(&w->op);
}

/* ---- Where the result goes. */

typedef enum { OF_REDUCE, OF_ACCUMULATE, OF_REDUCEAT } method;

static void check_out(fold *w, method m, kni_type y, kni_type x)
{
    kni_type t = kna_type(&w->op, w->out);
    knx_text p = {0}, q = {0};
    if (kna_failed(&w->op) || kni_type_same_shape(t, y))
        return;
    if (m == OF_ACCUMULATE)
        kna_fail(&w->op, KN_ERROR_VALUE, "provided out is the wrong size for the accumulation.");
    else if (m == OF_REDUCE && t.ndim != y.ndim)
        kna_fail(
            &w->op, KN_ERROR_VALUE,
            "output parameter for reduction operation %s has the wrong number of dimensions: Found %d but expected "
            "%d",
            w->name, t.ndim, y.ndim);
    else
        kna_fail(&w->op, KN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes [original->remapped]: %s %s",
                 knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, x.ndim, x.dim));
}

/* The last thing that a method does: out gets it in its own dtype (any), and is what is returned. */
static kn_array finish(fold *w, method m, kni_atom y)
{
    if (!w->out || kna_failed(&w->op))
        return kna_end(&w->op, y);
    kni_type t = knb_type(w->b, y);
    kni_atom at = kna_in(&w->op, w->out);
    check_out(w, m, t, knb_type(w->b, w->x));
    if (!kna_failed(&w->op))
        kna_put(&w->op, w->out, at, at, knb_astype(w->b, y, knb_type(w->b, at).dtype));
    if (kna_failed(&w->op))
        return kna_end(&w->op, KN_ATOM_NONE);
    kna_end_plain(&w->op);
    return w->out;
}

/* ---- Powers of integers. */

/* ValueError if an element of integers x is a negative power: `is_power` says it of the indices along an axis, `where`
 * (of x's shape, or NULL) which elements count. Outside of traces only: there the elements are not known. */
static void check_powers(fold *w, kn_array x, kn_array where, int axis, const bool *is_power)
{
    if (kna_failed(&w->op) || w->how.ufunc != kn_ufunc_power || w->d->kind != KN_KIND_INT || !w->b->hook ||
        kna_has_batch_axes(x) || kna_has_batch_axes(where))
        return;
    kni_type t = {0}, m = {0};
    const unsigned char *at = kna_look(&w->op, x, &t), *counts = where ? kna_look(&w->op, where, &m) : NULL;
    bool masked = counts && kni_type_same_shape(t, m) && m.dtype->kind == KN_KIND_BOOL;
    int64_t inner = 1;
    for (int i = axis + 1; i < t.ndim; i++)
        inner *= t.dim[i];
    for (int64_t i = 0, n = kni_type_size(t); at && i < n; i++) {
        int64_t v = 0;
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, KN_DT(I64), &v);
        if (v < 0 && is_power[i / inner % t.dim[axis]] && (!masked || counts[i])) {
            kna_fail(&w->op, KN_ERROR_VALUE, "Integers to negative integer powers are not allowed.");
            return;
        }
    }
}

/* The same for what follows the first index (or begins with it: `all`) along an axis. */
static void check_powers_from(fold *w, kn_array x, kn_array where, int axis, bool all)
{
    kni_type t = kna_type(&w->op, x);
    bool *is_power = kna_failed(&w->op) || !t.ndim || !w->b->hook ? NULL : knx_alloc((size_t)t.dim[axis] + 1);
    for (int64_t i = 0; is_power && i < t.dim[axis]; i++)
        is_power[i] = all || i > 0;
    if (is_power)
        check_powers(w, x, where, axis, is_power);
    knx_free(is_power);
}

static kni_atom join(fold *w, kni_atom x, kni_atom y)
{
    return knn_formula(&w->op, w->b, w->how.ufunc, 2, (const kni_atom[]){x, y});
}

/* The parts of x along an axis, without it; the caller's to free. */
static kni_atom *parts_of(fold *w, kni_atom x, int axis, int64_t n)
{
    if (!kna_need_number(&w->op, n, "this ufunc is applied to one element after the other"))
        return NULL;
    kni_atom *part = n < INT32_MAX ? knx_alloc(((size_t)n + 1) * sizeof *part) : NULL;
    if (!part)
        kna_fail_with(&w->op, knx_error_nomem());
    else if (n)
        knb_unstack(w->b, x, axis, (int)n, part);
    return part;
}

/* ---- reduce. */

static kni_atom identity(fold *w) { return knb_number(w->b, w->d, w->how.identity); }

/* Several axes as one, the first. */
static kni_atom merge_axes(fold *w, kni_atom x, int n, const int64_t *axes)
{
    kn_shape shape = knl_shape_of(&w->op, x), rest = {.ndim = 1, .dim = {1}};
    int64_t order[KN_MAX_NDIM];
    int at = n;
    for (int i = 0, k = 0; i < shape.ndim; i++) {
        bool joined = k < n && axes[k] == i;
        if (joined) {
            rest.dim[0] = knx_dim_mul(rest.dim[0], shape.dim[i]);
            order[k++] = i;
        } else {
            rest.dim[rest.ndim++] = shape.dim[i];
            order[at++] = i;
        }
    }
    if (rest.ndim > KN_MAX_NDIM) /* no axis is joined */
        return x;
    return knl_reshape(&w->op, knb_transpose(w->b, x, order), &rest);
}

/* One after the other along the first axis, from `y` on, which is KN_ATOM_NONE if there is no such value. */
static kni_atom left_fold(fold *w, kni_atom x, kni_atom mask, kni_atom y)
{
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(w->b, x).dim[0];
    kni_atom *part = parts_of(w, x, 0, n), *keep = NULL;
    if (part && mask != KN_ATOM_NONE)
        keep = parts_of(w, mask, 0, n);
    for (int64_t i = 0; part && i < n && !kna_failed(&w->op); i++) {
        if (y == KN_ATOM_NONE) {
            y = knb_astype(w->b, part[i], w->d);
            continue;
        }
        kni_atom next = join(w, y, part[i]);
        y = keep && !kna_failed(&w->op) ? knb_select(w->b, keep[i], next, y) : next;
    }
    knx_free(part);
    knx_free(keep);
    return kna_failed(&w->op) ? KN_ATOM_NONE : y;
}

static kni_atom first_axis(fold *w, kni_atom x, int64_t start, int64_t stop)
{
    kn_shape from = {0}, to = knl_shape_of(&w->op, x);
    from.dim[0] = start;
    to.dim[0] = stop;
    return kna_failed(&w->op) ? KN_ATOM_NONE : knb_slice(w->b, x, from.dim, to.dim, NULL);
}

/* The first half of the first axis with the second one, until there is one element. */
static kni_atom fold_by_halves(fold *w, kni_atom x)
{
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(w->b, x).dim[0], zero = 0;
    if (!kna_need_number(&w->op, n, "this ufunc is applied to halves of halves"))
        return KN_ATOM_NONE;
    while (n > 1 && !kna_failed(&w->op)) {
        int64_t half = n / 2;
        kni_atom y = join(w, first_axis(w, x, 0, half), first_axis(w, x, half, 2 * half));
        if (n % 2)
            y = knb_concatenate(w->b, 2, (kni_atom[]){y, first_axis(w, x, n - 1, n)}, 0);
        x = y;
        n -= half;
    }
    return kna_failed(&w->op) ? KN_ATOM_NONE : knb_squeeze(w->b, x, 1, &zero);
}

static kni_atom reduce_all(fold *w, kni_atom x, int n, const int64_t *axes)
{
    return w->how.reduce ? w->how.reduce(w->b, x, n, axes) : fold_by_halves(w, merge_axes(w, x, n, axes));
}

static kni_type reduced_type(kni_type t, int n, const int64_t *axes, kn_shape *shape)
{
    shape->ndim = 0;
    for (int i = 0, k = 0; i < t.ndim; i++)
        if (k < n && axes[k] == i)
            k++;
        else
            shape->dim[shape->ndim++] = t.dim[i];
    return knl_shaped(t.dtype, shape);
}

static kni_atom reduced(fold *w, kni_atom x, kni_atom mask, kni_atom initial, int n, const int64_t *axes)
{
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(w->b, x);
    kn_shape shape;
    kni_type result = reduced_type(t, n, axes, &shape);
    int64_t count = 1;
    for (int i = 0; i < n; i++)
        count = knx_dim_mul(count, t.dim[axes[i]]);
    kni_atom start = initial;
    bool nothing = start == KN_ATOM_NONE && !w->how.has_identity ? !knx_dim_lt(0, count) : knx_dim_eq(count, 0);
    if (start == KN_ATOM_NONE && (nothing || mask != KN_ATOM_NONE)) {
        if (!w->how.has_identity) {
            if (mask != KN_ATOM_NONE)
                kna_fail(&w->op, KN_ERROR_VALUE,
                         "reduction operation '%s' does not have an identity, so to use a where mask one has to "
                         "specify 'initial'",
                         w->name);
            else
                kna_fail(&w->op, KN_ERROR_VALUE, "zero-size array to reduction operation %s which has no identity",
                         w->name);
            return KN_ATOM_NONE;
        }
        start = identity(w);
    }
    if (start != KN_ATOM_NONE)
        start = knb_broadcast_to(w->b, start, result);
    if (nothing)
        return start;
    if (initial == KN_ATOM_NONE && count == 1 && w->how.has_identity && !w->how.reduce)
        start = initial = knb_broadcast_to(w->b, identity(w), result); /* one element is joined, too: |x|, not x */
    bool fill = w->how.has_identity || w->how.repeatable;              /* elements that do not count can be replaced */
    if (w->how.reorderable && n && (mask == KN_ATOM_NONE || fill)) {
        if (mask != KN_ATOM_NONE) {
            kni_atom none = w->how.has_identity ? identity(w) : initial;
            x = knb_select(w->b, mask, x, knb_broadcast_to(w->b, none, t));
        }
        kni_atom y = reduce_all(w, x, n, axes);
        return initial == KN_ATOM_NONE ? y : join(w, start, y);
    }
    if (!n) { /* every element alone */
        kni_atom y = start == KN_ATOM_NONE ? knb_astype(w->b, x, w->d) : join(w, start, x);
        return mask == KN_ATOM_NONE ? y : knb_select(w->b, mask, y, start);
    }
    if (mask != KN_ATOM_NONE)
        mask = merge_axes(w, mask, n, axes);
    return left_fold(w, merge_axes(w, x, n, axes), mask, start);
}

static kni_atom read_mask(fold *w, kn_array where)
{
    if (!where)
        return KN_ATOM_NONE;
    kni_atom mask = knl_truth(&w->op, kna_in(&w->op, where));
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(w->b, w->x), m = knb_type(w->b, mask);
    bool fits = m.ndim <= t.ndim;
    for (int i = 1; fits && i <= m.ndim; i++)
        fits = m.dim[m.ndim - i] == 1 || knx_dim_eq(m.dim[m.ndim - i], t.dim[t.ndim - i]);
    knx_text p = {0}, q = {0};
    if (!fits)
        kna_fail(&w->op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                 knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, m.ndim, m.dim));
    return fits ? knb_broadcast_to(w->b, mask, t) : KN_ATOM_NONE;
}

kn_array kn_ufunc_reduce(kn_ufunc ufunc, kn_array x, const kn_ufunc_reduce_opts *opts)
{
    KNX_OPTS(kn_ufunc_reduce_opts, o, opts);
    fold w;
    int64_t axes[KN_MAX_NDIM];
    if (!begin(&w, "ufunc_reduce", ufunc, x, o.dtype, o.out))
        return kna_end(&w.op, KN_ATOM_NONE);
    kni_type t = knb_type(w.b, w.x);
    bool scalar = !t.ndim && (!o.axis.n || (o.axis.n == 2 && (o.axis.axis[0] == 0 || o.axis.axis[0] == -1)));
    int n = scalar ? 0 : kna_axes(&w.op, o.axis, t.ndim, o.axis.n ? KNA_AXES_ALL : KNA_AXES_FIRST, axes);
    if (!kna_failed(&w.op) && n > 1 && !w.how.reorderable)
        kna_fail(&w.op, KN_ERROR_VALUE,
                 "reduction operation '%s' is not reorderable, so at most one axis may be specified", w.name);
    kni_atom mask = read_mask(&w, o.where), initial = KN_ATOM_NONE;
    if (o.initial && !kna_failed(&w.op)) {
        initial = w.how.truth ? knl_truth(&w.op, kna_in(&w.op, o.initial)) : knl_initial(&w.op, o.initial, w.d);
        if (!kna_failed(&w.op) && knb_type(w.b, initial).ndim)
            kna_fail(&w.op, KN_ERROR_VALUE, "Input object to FromPyObject is not a scalar.");
    }
    if (n == 1)
        check_powers_from(&w, x, o.where, (int)axes[0], o.initial != NULL);
    kni_atom y = kna_failed(&w.op) ? KN_ATOM_NONE : reduced(&w, w.x, mask, initial, n, axes);
    if (o.keepdims && !kna_failed(&w.op))
        y = knl_keep_axes(&w.op, y, t, n, axes);
    return w.out ? finish(&w, OF_REDUCE, y) : knl_end_reduced(&w.op, y, x, o.where, n, axes, o.keepdims);
}

/* ---- accumulate, reduceat, outer. */

static int one_axis(fold *w, const char *name, kn_axes axis, int ndim)
{
    if (!kna_failed(&w->op) && (axis.n < 0 || axis.n > 2) && kna_axes_fit(&w->op, axis, "axis") && ndim != 1)
        kna_fail(&w->op, KN_ERROR_VALUE, "%s does not allow multiple axes", name);
    if (axis.n < 0) /* None, of one axis */
        axis.n = 0;
    return kna_failed(&w->op) ? 0 : kna_axis(&w->op, axis, ndim, 0);
}

static kni_atom accumulated(fold *w, kni_atom x, int axis)
{
    kni_type t = knb_type(w->b, x);
    int64_t n = t.dim[axis];
    if (w->how.accumulate)
        return w->how.accumulate(w->b, x, axis, false);
    if (!n)
        return x;
    kni_atom *part = parts_of(w, x, axis, n), y = KN_ATOM_NONE;
    for (int64_t i = 1; i < n && !kna_failed(&w->op); i++)
        part[i] = join(w, part[i - 1], part[i]);
    if (!kna_failed(&w->op))
        y = knb_stack(w->b, (int)n, part, axis);
    knx_free(part);
    return y;
}

kn_array kn_ufunc_accumulate(kn_ufunc ufunc, kn_array x, const kn_ufunc_accumulate_opts *opts)
{
    KNX_OPTS(kn_ufunc_accumulate_opts, o, opts);
    fold w;
    if (!begin(&w, "ufunc_accumulate", ufunc, x, o.dtype, o.out))
        return kna_end(&w.op, KN_ATOM_NONE);
    int ndim = knb_type(w.b, w.x).ndim;
    if (!ndim)
        kna_fail(&w.op, KN_ERROR_TYPE, "cannot accumulate on a scalar");
    int axis = one_axis(&w, "accumulate", o.axis, ndim);
    check_powers_from(&w, x, NULL, axis, false);
    kni_atom y = kna_failed(&w.op) ? KN_ATOM_NONE : accumulated(&w, w.x, axis);
    return w.out ? finish(&w, OF_ACCUMULATE, y) : kna_end_in_order(&w.op, y, 1, &x);
}

static kni_atom segment(fold *w, int axis, int64_t start, int64_t stop)
{
    kn_shape from = {0}, to = knl_shape_of(&w->op, w->x);
    int64_t at = axis;
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    from.dim[axis] = start;
    to.dim[axis] = stop;
    kni_atom x = knb_slice(w->b, w->x, from.dim, to.dim, NULL);
    if (stop == start + 1)
        return knb_squeeze(w->b, x, 1, &at);
    return reduced(w, x, KN_ATOM_NONE, KN_ATOM_NONE, 1, &at);
}

/* What lies inside of a segment, behind its first element, is a power. */
static void check_powers_inside(fold *w, kn_array x, int axis, int64_t n, const int64_t *index)
{
    int64_t extent = kna_failed(&w->op) ? 0 : knb_type(w->b, w->x).dim[axis];
    bool *is_power = kna_failed(&w->op) || !w->b->hook ? NULL : knx_alloc((size_t)extent + 1);
    if (!is_power)
        return;
    memset(is_power, 0, (size_t)extent + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = index[i] + 1; j < (i + 1 < n ? index[i + 1] : extent); j++)
            is_power[j] = true;
    check_powers(w, x, NULL, axis, is_power);
    knx_free(is_power);
}

static kni_atom segments(fold *w, int axis, int64_t n, const int64_t *index)
{
    kni_type t = knb_type(w->b, w->x);
    int64_t extent = t.dim[axis];
    for (int64_t i = 0; i < n; i++)
        if (index[i] < 0 || !knx_dim_lt(index[i], extent)) {
            knx_text shown = {0};
            kna_fail(&w->op, KN_ERROR_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %s)", (long long)index[i],
                     w->name, knx_dim_show(&shown, extent));
            return KN_ATOM_NONE;
        }
    if (!n) {
        kn_shape from = {0}, none = knl_shape_of(&w->op, w->x);
        none.dim[axis] = 0;
        return knb_slice(w->b, w->x, from.dim, none.dim, NULL);
    }
    kni_atom *part = n < INT32_MAX ? knx_alloc((size_t)n * sizeof *part) : NULL, y = KN_ATOM_NONE;
    if (!part)
        kna_fail_with(&w->op, knx_error_nomem());
    for (int64_t i = 0; part && i < n && !kna_failed(&w->op); i++) {
        int64_t stop = i + 1 < n ? index[i + 1] : extent;
        part[i] = segment(w, axis, index[i], knx_dim_lt(index[i], stop) ? stop : index[i] + 1);
    }
    if (!kna_failed(&w->op))
        y = knb_stack(w->b, (int)n, part, axis);
    knx_free(part);
    return y;
}

kn_array kn_ufunc_reduceat(kn_ufunc ufunc, kn_array x, kn_array indices, const kn_ufunc_accumulate_opts *opts)
{
    KNX_OPTS(kn_ufunc_accumulate_opts, o, opts);
    fold w;
    int64_t n = 0;
    int index_ndim = 0;
    kni_atom y = KN_ATOM_NONE;
    if (!begin(&w, "ufunc_reduceat", ufunc, x, o.dtype, o.out))
        return kna_end(&w.op, KN_ATOM_NONE);
    int ndim = knb_type(w.b, w.x).ndim;
    if (!ndim)
        kna_fail(&w.op, KN_ERROR_TYPE, "cannot reduceat on a scalar");
    int axis = one_axis(&w, "reduceat", o.axis, ndim);
    int64_t *index = kna_failed(&w.op) ? NULL
                                       : knl_look_integers(&w.op, indices, &n, &index_ndim,
                                                           "Cannot cast array data from dtype('float64') to "
                                                           "dtype('int64') according to the rule 'safe'");
    if (!kna_failed(&w.op) && index_ndim > 1)
        kna_fail(&w.op, KN_ERROR_VALUE, "object too deep for desired array");
    if (!kna_failed(&w.op))
        y = segments(&w, axis, n, index);
    if (!kna_failed(&w.op))
        check_powers_inside(&w, x, axis, n, index);
    knx_free(index);
    return finish(&w, OF_REDUCEAT, y);
}
