/* SPDX-License-Identifier: Apache-2.0
 * assign.c -- x[index] = v, x += y, x[index] += v, np.add.at and their kin. Each computes the new elements as values
 * do, so that overlapping right sides are as if copied first, and hands them to kna_put. */
#include "array/element.h"
#include "array/scalars.h"
#include "numpy/indexing/index_plan.h"
#include "numpy/ufunc/ufunc.h"
#include <string.h>

typedef struct place {
    kna_op op;
    kn_array x;
    kni_atom all;    /* x's elements */
    kni_type type;   /* x's */
    bool all_masked; /* the index is a mask over all of x, alone: NumPy has a way of its own for it */
    kni_atom mask;   /* such a mask, or one beside an ellipsis, and v is one number: x's elements are chosen by it */
    bool element;    /* the index names one element, at these positions */
    int64_t at[KN_MAX_NDIM];
    knn_index index;
} place;

/* ---- The value that is written. */

static bool is_within(double x, kn_dtype d)
{
    bool is_unsigned = d->kind == 'u';
    double whole = __builtin_trunc(x), high = __builtin_ldexp(1, (int)d->size * 8 - !is_unsigned);
    return whole < high && whole >= (is_unsigned ? 0 : -high);
}

/* NumPy's words where a number does not become an element. */
static void check_number(kna_op *op, kn_array v, kn_dtype d)
{
    kni_type t = kna_type(op, v);
    if (!kna_is_number(op, v))
        return;
    bool integer = knx_is_integer(d);
    if (knx_is_complex(t.dtype) && !knx_is_complex(d) && d->kind != KN_KIND_BOOL) {
        kna_fail(op, KN_ERROR_TYPE, "%s() argument must be a string%s or a real number, not 'complex'",
                 integer ? "int" : "float", integer ? ", a bytes-like object" : "");
        return;
    }
    double x = 0;
    const void *at = integer && t.dtype == KN_DT(F64) ? kna_look(op, v, &t) : NULL;
    if (at)
        memcpy(&x, at, sizeof x);
    if (__builtin_isnan(x))
        kna_fail(op, KN_ERROR_VALUE, "cannot convert float NaN to integer");
    else if (__builtin_isinf(x))
        kna_fail(op, KN_ERROR_OVERFLOW, "cannot convert float infinity to integer");
    else if (at && !is_within(x, d))
        kna_fail(op, KN_ERROR_OVERFLOW, "integer %.0f out of bounds for %s", __builtin_trunc(x), d->name);
}

/* Does a value of this shape go to a place of that one? Leading axes of extent 1 are too many, not wrong. */
static bool fits(kni_type v, const kn_shape *to)
{
    int extra = v.ndim > to->ndim ? v.ndim - to->ndim : 0;
    for (int i = 0; i < v.ndim; i++)
        if (v.dim[i] != 1 && (i < extra || !knx_dim_eq(v.dim[i], to->dim[to->ndim - v.ndim + i])))
            return false;
    return true;
}

static kni_atom spread_value(kna_op *op, kni_atom a, const kn_shape *to)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(op->b, a);
    if (t.ndim > to->ndim)
        a = knb_reshape(op->b, a, to->ndim, t.dim + (t.ndim - to->ndim));
    return kna_failed(op) ? KN_ATOM_NONE : knb_broadcast_to(op->b, a, knl_shaped(t.dtype, to));
}

/* One mask over all of x and no more than an ellipsis beside it. */
static KNX_HOT bool is_mask_index(kna_op *op, const knn_index *p, kni_type x)
{
    int arrays = 0, ellipses = 0;
    kni_type mask = {0};
    for (int i = 0; i < p->n_items; i++) {
        if (p->item[i].kind == KNL_ARRAY) {
            mask = kna_type(op, p->item[i].array);
            arrays++;
        } else if (p->item[i].kind == KNL_ELLIPSIS)
            ellipses++;
        else
            return false;
    }
    return arrays == 1 && ellipses <= 1 && mask.dtype->kind == KN_KIND_BOOL && kni_type_same_shape(mask, x);
}

static void does_not_fit(place *w, kni_type v, const kn_shape *to)
{
    kna_op *op = &w->op;
    knx_text from = {0}, at = {0};
    if (w->index.scalar)
        kna_fail(op, KN_ERROR_VALUE, "setting an array element with a sequence.");
    else if (w->all_masked)
        kna_fail(op, KN_ERROR_VALUE,
                 "NumPy boolean array indexing assignment cannot assign %lld input values to the %lld output values "
                 "where the mask is true",
                 (long long)v.dim[0], (long long)to->dim[0]);
    else if (w->index.n_index)
        kna_fail(op, KN_ERROR_VALUE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
                 knx_show_shape(&from, v.ndim, v.dim), knx_show_shape(&at, to->ndim, to->dim));
    else
        knl_cannot_broadcast(op, v, to);
}

/* v as dtype d, with the shape of the index's result. */
static kni_atom value_for(place *w, kn_array v, kn_dtype d)
{
    kni_type t = kna_type(&w->op, v);
    kn_shape to;
    knn_index_shape(&w->index, &to);
    check_number(&w->op, v, d);
    if (!kna_failed(&w->op) && !fits(t, &to))
        does_not_fit(w, t, &to);
    return kna_failed(&w->op) ? KN_ATOM_NONE : spread_value(&w->op, kna_in_as(&w->op, v, d), &to);
}

/* ---- Where it goes. */

/* A mask with one number needs no look at the mask, so it works under every transformation. Only what is assigned may
 * have more axes than the one that is written. */
static bool choose_by_mask(place *w, kn_array v, bool assigned)
{
    kni_type t = v && !kna_failed(&w->op) ? kna_type(&w->op, v) : kni_scalar_type(KN_DT(BOOL)); /* one argument */
    if (kna_failed(&w->op) || kni_type_size(t) != 1 || t.ndim > w->type.ndim || (t.ndim > 1 && !assigned) ||
        !is_mask_index(&w->op, &w->index, w->type))
        return false;
    for (int i = 0; i < w->index.n_items; i++)
        if (w->index.item[i].kind == KNL_ARRAY)
            w->mask = kna_in(&w->op, w->index.item[i].array);
    return !kna_failed(&w->op);
}

/* Reads the index. False with the op failed. assigned: x must be writeable whatever the index is. */
static bool begin(place *w, const char *name, kn_array x, const char *index, int n, const kn_index_arg *args,
                  bool assigned)
{
    kna_begin(&w->op, name);
    w->x = x;
    w->mask = KN_ATOM_NONE;
    w->type = kna_type(&w->op, x);
    if (kna_failed(&w->op) || (assigned && !knl_is_writeable(&w->op, x, "assignment destination")))
        return false;
    w->index.n_items = knl_parse_index(&w->op, index, n, args, w->index.item);
    w->element = !kna_failed(&w->op) && knn_index_element(&w->index, w->type, w->at);
    return !kna_failed(&w->op);
}

/* Which places the index names. */
static KNX_HOT bool plan_place(place *w, kn_array v, bool assigned)
{
    w->all_masked = !kna_failed(&w->op) && w->index.n_items == 1 && is_mask_index(&w->op, &w->index, w->type);
    int ndim = assigned && w->all_masked ? kna_type(&w->op, v).ndim : 0;
    if (ndim > 1)
        kna_fail(&w->op, KN_ERROR_TYPE,
                 "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has %d dimensions",
                 ndim);
    if (!choose_by_mask(w, v, assigned))
        knn_plan_index(&w->index, &w->op, w->type, true);
    return !kna_failed(&w->op);
}

/* Speaks of x's elements from here on. */
static KNX_HOT bool begin_place(place *w)
{
    w->all = kna_in(&w->op, w->x);
    w->type = knb_type(w->op.b, w->all);
    if (w->mask == KN_ATOM_NONE)
        knn_index_begin(&w->index, w->all);
    return !kna_failed(&w->op);
}

static int end(kna_op *op) { return kna_end_plain(op) ? 0 : -1; }

static void put_masked(place *w, kni_atom v)
{
    kn_shape shape = knl_shape_of(&w->op, w->all);
    kni_atom y = knl_select(&w->op, w->mask, v, w->all, &shape);
    if (!kna_failed(&w->op))
        kna_put(&w->op, w->x, w->all, w->all, y);
}

static KNX_HOT void put_indexed(place *w, kni_atom v, bool check)
{
    kni_atom at = KN_ATOM_NONE;
    if (!kna_failed(&w->op))
        v = knn_index_write(&w->index, NULL, check, v, &at);
    if (!kna_failed(&w->op))
        kna_put(&w->op, w->x, w->all, at, v);
}

/* Do index arrays name elements that could be few? */
static bool may_be_few(const place *w) { return w->mask == KN_ATOM_NONE && w->index.n_index && !w->type.weak; }

/* Few elements that are there go straight to where they belong. */
static bool put_few(place *w, kn_array v, knr_combine how)
{
    if (!may_be_few(w))
        return false;
    check_number(&w->op, v, w->type.dtype);
    return !kna_failed(&w->op) && knn_few_write(&w->index, w->x, v, how);
}

/* A scalar that is there goes straight to an element that is. */
static bool put_element(place *w, kn_array v)
{
    if (!w->element || kna_type(&w->op, v).ndim || w->type.weak)
        return false;
    check_number(&w->op, v, w->type.dtype);
    knx_scalar_bits room;
    const void *bits = kna_failed(&w->op) ? NULL : kna_scalar_there(&w->op, v, w->type.dtype, &room);
    if (bits)
        return kna_put_bits(&w->op, w->x, w->at, bits);
    kni_atom a = kna_failed(&w->op) ? KN_ATOM_NONE : kna_in_as(&w->op, v, w->type.dtype);
    return !kna_failed(&w->op) && kna_put_element(&w->op, w->x, w->at, a);
}

int kn_set_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args)
{
    place w;
    kn_shape scalar = {.ndim = 0};
    if (!begin(&w, "set_at", x, index, n, args, true) || put_element(&w, v) || !plan_place(&w, v, true) ||
        put_few(&w, v, KNR_SET) || !begin_place(&w))
        return end(&w.op);
    if (w.mask != KN_ATOM_NONE) {
        check_number(&w.op, v, w.type.dtype);
        put_masked(&w, spread_value(&w.op, kna_in_as(&w.op, v, w.type.dtype), &scalar));
    } else
        put_indexed(&w, value_for(&w, v, w.type.dtype), true);
    return end(&w.op);
}

int kn_fill(kn_array x, kn_array v) { return kn_set_at(x, v, "...", 0, NULL); }

/* ---- x += y, x[index] += v. */

static void do_not_combine(kna_op *op, const kn_shape *shape, kni_type t, const kn_shape *wide)
{
    knx_text to = {0}, from = {0};
    if (!wide)
        kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s %s",
                 knx_show_shape(&to, shape->ndim, shape->dim), knx_show_shape(&from, t.ndim, t.dim), to.s);
    else
        kna_fail(op, KN_ERROR_VALUE,
                 "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                 knx_show_shape(&to, shape->ndim, shape->dim), knx_show_shape(&from, wide->ndim, wide->dim));
}

/* f of the elements `at` and y, with at's shape and x's dtype. any: whatever dtype the result has */
static kni_atom combined(kna_op *op, kn_ufunc f, kn_array x, kni_atom at, kn_array y, bool any)
{
    kni_type t = kna_type(op, y);
    kn_dtype d = kna_failed(op) ? NULL : knb_type(op->b, at).dtype, made = knl_ufunc_dtype(op, f, x, y);
    if (!kna_failed(op) && !any && knl_beyond(op, y, made)) /* an integer that the loop cannot take is told of first, */
        kna_in_as(op, y, made);
    if (kna_failed(op) || (!any && !knl_output_fits(op, f, made, d))) /* dtypes before shapes */
        return KN_ATOM_NONE;
    kn_shape shape, wide; /* of which the first ndim extents are set */
    kni_type there = knb_type(op->b, at);
    shape.ndim = there.ndim;
    for (int i = 0; i < there.ndim; i++)
        shape.dim[i] = there.dim[i];
    wide.ndim = t.ndim > shape.ndim ? t.ndim : shape.ndim;
    bool same = wide.ndim == shape.ndim, broadcasts = true;
    for (int i = 1; i <= wide.ndim; i++) {
        int64_t p = i <= shape.ndim ? shape.dim[shape.ndim - i] : 1, q = i <= t.ndim ? t.dim[t.ndim - i] : 1;
        wide.dim[wide.ndim - i] = p == 1 ? q : p;
        broadcasts = broadcasts && (p == 1 || q == 1 || knx_dim_eq(p, q));
        same = same && knx_dim_eq(wide.dim[wide.ndim - i], p);
    }
    if (!broadcasts || !same)
        do_not_combine(op, &shape, t, broadcasts ? &wide : NULL);
    kni_atom z = kna_failed(op) ? KN_ATOM_NONE : knl_apply(op, f, made, x, at, y, &shape);
    return kna_failed(op) ? KN_ATOM_NONE : knb_broadcast_to(op->b, knb_astype(op->b, z, d), knl_shaped(d, &shape));
}

static int in_place(kn_ufunc f, const char *name, kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, name);
    knl_is_writeable(&op, x, "output array");
    kni_atom a = kna_in(&op, x), z = combined(&op, f, x, a, y, false);
    if (!kna_failed(&op))
        kna_put(&op, x, a, a, z);
    return end(&op);
}

static KNX_HOT void combine_once(place *w, kn_ufunc f, kn_array v, bool any)
{
    kni_atom at = knn_index_read(&w->index);
    put_indexed(w, kna_failed(&w->op) ? KN_ATOM_NONE : combined(&w->op, f, w->x, at, v, any), false);
}

/* An element and a scalar that are there. */
static bool combine_element(place *w, kn_ufunc f, kn_array v, bool any)
{
    const void *element =
        w->element && !kna_type(&w->op, v).ndim && !kna_failed(&w->op) ? kna_element(w->x, w->at) : NULL;
    kn_dtype d = element ? knl_ufunc_dtype(&w->op, f, w->x, v) : NULL;
    knx_scalar_bits bits;
    if (d && d == w->type.dtype && knl_scalar_ufunc(&w->op, f, d, w->x, element, v, &bits) == d)
        return kna_put_bits(&w->op, w->x, w->at, &bits);
    kna_value *now = d ? kna_element_value(w->type.dtype, element) : NULL;
    if (!now)
        return false;
    kni_atom at = kna_value_atom(&w->op, now), z = combined(&w->op, f, w->x, at, v, any);
    kna_value_release(now);
    return !kna_failed(&w->op) && kna_put_element(&w->op, w->x, w->at, z);
}

static bool is_there(kna_op *op, kn_array v)
{
    kna_lying l;
    knx_scalar_bits room;
    kni_type t = kna_type(op, v);
    if (kna_failed(op))
        return false;
    return t.ndim ? kna_lies(v, &l) : kna_scalar_there(op, v, t.dtype, &room) != NULL;
}

/* Few elements that are there, and what they are combined with. */
static KNX_HOT bool combine_few_once(place *w, kn_ufunc f, kn_array v)
{
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    if (!may_be_few(w) || !is_there(&w->op, v))
        return kna_failed(&w->op);
    knx_buffer *b = knn_few_read(&w->index, w->x, &t, dim);
    kna_value *now = b ? kna_value_buffer(t, b) : NULL;
    if (!now)
        return false;
    kni_atom at = kna_value_atom(&w->op, now), y = combined(&w->op, f, w->x, at, v, false);
    kna_value_release(now);
    return kna_failed(&w->op) || knn_few_put(&w->index, w->x, y);
}

static KNX_HOT int in_place_at(kn_ufunc f, const char *name, kn_array x, kn_array v, const char *index, int n,
                               const kn_index_arg *args)
{
    place w;
    if (!begin(&w, name, x, index, n, args, false) || combine_element(&w, f, v, false) || !plan_place(&w, v, false) ||
        combine_few_once(&w, f, v) || !begin_place(&w))
        return end(&w.op);
    if (w.mask != KN_ATOM_NONE)
        put_masked(&w, combined(&w.op, f, x, w.all, v, false));
    else
        combine_once(&w, f, v, false);
    return end(&w.op);
}

#define IN_PLACE(whole, at, ufunc)                                                                            \
    int whole(kn_array x, kn_array y) { return in_place(kn_ufunc_##ufunc, &#whole[sizeof "kn_" - 1], x, y); } \
    int at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args)                        \
    {                                                                                                         \
        return in_place_at(kn_ufunc_##ufunc, &#at[sizeof "kn_" - 1], x, v, index, n, args);                   \
    }
IN_PLACE(kn_iadd, kn_iadd_at, add)
IN_PLACE(kn_isub, kn_isub_at, subtract)
IN_PLACE(kn_imul, kn_imul_at, multiply)
IN_PLACE(kn_idiv, kn_idiv_at, divide)
IN_PLACE(kn_ipow, kn_ipow_at, power)
IN_PLACE(kn_iand, kn_iand_at, bitwise_and)
IN_PLACE(kn_ior, kn_ior_at, bitwise_or)
IN_PLACE(kn_ixor, kn_ixor_at, bitwise_xor)
IN_PLACE(kn_ifloordiv, kn_ifloordiv_at, floor_divide)
IN_PLACE(kn_imod, kn_imod_at, remainder)
IN_PLACE(kn_ilshift, kn_ilshift_at, left_shift)
IN_PLACE(kn_irshift, kn_irshift_at, right_shift)

/* ---- ufunc.at. */

static knn_scatter scatter_of(kn_ufunc f)
{
    switch (f) {
    case kn_ufunc_add:
    case kn_ufunc_subtract: return knb_scatter_add;
    case kn_ufunc_multiply: return knb_scatter_mul;
    case kn_ufunc_maximum: return knb_scatter_max;
    case kn_ufunc_minimum: return knb_scatter_min;
    default: return NULL;
    }
}

/* Few that are there, by the scatter's routine. */
static bool combine_few(place *w, kn_ufunc f, kn_array v)
{
    knr_combine how = f == kn_ufunc_add        ? KNR_ADD
                      : f == kn_ufunc_multiply ? KNR_MUL
                      : f == kn_ufunc_maximum  ? KNR_MAX
                      : f == kn_ufunc_minimum  ? KNR_MIN
                                               : KNR_SET;
    if (how == KNR_SET || kna_failed(&w->op) || knl_ufunc_dtype(&w->op, f, w->x, v) != w->type.dtype)
        return false;
    return put_few(w, v, how);
}

/* Is what f makes of many in dtype d, converted to another one in the end, what it is if each of them is converted? */
static bool converts_in_the_end(kn_ufunc f, kn_dtype d, kn_dtype to)
{
    return knx_is_integer(d) && knx_is_integer(to) && f != kn_ufunc_maximum && f != kn_ufunc_minimum;
}

/* A mask names each place once. */
static bool may_repeat(kna_op *op, const knn_index *p)
{
    int arrays = 0;
    bool masks = true;
    for (int i = 0; i < p->n_items; i++)
        if (p->item[i].kind == KNL_ARRAY) {
            masks = masks && kna_type(op, p->item[i].array).dtype->kind == KN_KIND_BOOL;
            arrays++;
        }
    return arrays && !(masks && arrays == 1);
}

/* By one scatter: each is computed in dtype d. */
static kni_atom scattered(place *w, kn_ufunc f, kn_dtype d, kni_atom updates, kni_atom *at)
{
    kni_builder *b = w->op.b;
    if (f == kn_ufunc_subtract)
        updates = knx_is_inexact(d) ? knb_neg(b, updates) : knb_sub(b, knb_like(b, updates, 0), updates);
    w->index.x = knb_astype(b, w->index.x, d);
    kni_atom y = knn_index_write(&w->index, scatter_of(f), true, updates, at);
    return kna_failed(&w->op) ? KN_ATOM_NONE : knb_astype(b, y, w->type.dtype);
}

/* Are dtype and shape right? The dtype that f computes in, or NULL. Unlike in assignments, no axes are too many. */
static kn_dtype dtype_at(place *w, kn_ufunc f, kn_array v)
{
    kn_dtype d = knl_ufunc_dtype(&w->op, f, w->x, v);
    if (kna_failed(&w->op))
        return NULL;
    kni_type t = kna_type(&w->op, v);
    kn_shape shape;
    knn_index_shape(&w->index, &shape);
    if (!kna_failed(&w->op) && (t.ndim > shape.ndim || !fits(t, &shape)))
        kna_fail(&w->op, KN_ERROR_VALUE, "array is not broadcastable to correct shape");
    if (f == kn_ufunc_power)
        knl_check_powers(&w->op, v, d, &shape);
    return kna_failed(&w->op) ? NULL : d;
}

/* Computed in dtype d; each result is converted to x's. */
static void combine_each(place *w, kn_ufunc f, kn_dtype d, kn_array v)
{
    kni_atom part = w->index.x, at, y = KN_ATOM_NONE, updates = value_for(w, v, d);
    if (!kna_failed(&w->op) && scatter_of(f) && (d == w->type.dtype || converts_in_the_end(f, d, w->type.dtype)))
        y = scattered(w, f, d, updates, &at);
    else if (!kna_failed(&w->op))
        y = knn_index_fold(&w->index, f, d, updates);
    if (!kna_failed(&w->op))
        kna_put(&w->op, w->x, w->all, part, y);
}

/* Those that give truth values or take other dtypes than their own, those of one argument, and the user's. */
static void apply_any(place *w, kn_ufunc f, const knn_ufunc *u, kn_array v)
{
    kna_op *op = &w->op;
    kn_dtype loop[KNN_MOST_OPERANDS], d = w->type.dtype;
    kn_shape shape;
    kni_type in[2] = {w->type}, t = v ? kna_type(op, v) : w->type;
    in[0].weak = false;
    in[1] = t;
    if (kna_failed(op) || !knn_resolve(op, u, in, NULL, KN_CAST_SAME_KIND, loop))
        return;
    bool masked = w->mask != KN_ATOM_NONE;
    if (masked)
        shape = knl_shape_of(op, w->all);
    else
        knn_index_shape(&w->index, &shape);
    if (v && !kna_failed(op) && (t.ndim > shape.ndim || !fits(t, &shape)))
        kna_fail(op, KN_ERROR_VALUE, "array is not broadcastable to correct shape");
    kni_atom part = w->index.x, at = KN_ATOM_NONE, y, x[2];
    x[1] = v && !kna_failed(op) ? spread_value(op, kna_in_as(op, v, loop[1]), &shape) : KN_ATOM_NONE;
    bool again = !masked && may_repeat(op, &w->index);
    if (again) {
        y = kna_failed(op) ? KN_ATOM_NONE : knn_index_fold(&w->index, f, loop[0], x[1]);
        if (!kna_failed(op))
            kna_put(op, w->x, w->all, part, y);
        return;
    }
    at = masked ? w->all : knn_index_read(&w->index);
    x[0] = kna_failed(op) ? KN_ATOM_NONE : knb_astype(op->b, at, loop[0]);
    y = knn_formula(op, op->b, f, v ? 2 : 1, x);
    y = kna_failed(op) ? KN_ATOM_NONE : knb_broadcast_to(op->b, knb_astype(op->b, y, d), knl_shaped(d, &shape));
    if (masked)
        put_masked(w, y);
    else
        put_indexed(w, y, false);
}

/* NumPy's errors of ufuncs that have no `at`, and of a second operand that is missing or too many. */
static bool has_at(kna_op *op, const knn_ufunc *u, kn_array v)
{
    if (u->signature)
        kna_fail(op, KN_ERROR_TYPE, "%s.at does not support ufunc with non-trivial signature: %s has signature %s.",
                 u->name, u->name, u->signature);
    else if (u->n_in > 2)
        kna_fail(op, KN_ERROR_VALUE, "Only unary and binary ufuncs supported at this time");
    else if (u->n_out != 1)
        kna_fail(op, KN_ERROR_VALUE, "Only single output ufuncs supported at this time");
    else if (u->n_in == 1 && v)
        kna_fail(op, KN_ERROR_VALUE, "second operand provided when ufunc is unary");
    else if (u->n_in == 2 && !v)
        kna_fail(op, KN_ERROR_VALUE, "second operand needed for ufunc");
    return !kna_failed(op);
}

/* A number that x's dtype cannot hold is an array of its own dtype, as NumPy has all numbers here. */
static kn_array exact(place *w, kn_array v)
{
    kni_type t = v ? kna_type(&w->op, v) : w->type;
    kn_dtype d = w->type.dtype;
    if (!v || kna_failed(&w->op) || !kna_is_number(&w->op, v) || t.dtype->kind == KN_KIND_BOOL ||
        !(knx_is_integer(t.dtype) ? knx_is_integer(d) : knx_is_inexact(d)))
        return v;
    knx_scalar_bits bits = {{0}}, there = {{0}}, back = {{0}};
    const void *at = kna_look(&w->op, v, &t);
    if (!at)
        return v;
    memcpy(&bits, at, t.dtype->size);
    if (knx_is_integer(d) ? knx_int_fits(d, t.dtype == KN_DT(U64), bits.u64) : knx_is_integer(t.dtype))
        return v;
    knx_convert(t.dtype, &bits, d, &there);
    knx_convert(d, &there, t.dtype, &back);
    return knx_is_inexact(d) && !memcmp(&bits, &back, t.dtype->size) ? v : kna_from_number(t.dtype, false, bits);
}

static bool gives_its_dtype(kn_ufunc f) { return knl_ufunc_has_formula(f) && !(f >= kn_ufunc_equal); }

int kn_ufunc_at(kn_ufunc ufunc, kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args)
{
    place w;
    kn_dtype d;
    const knn_ufunc *u = begin(&w, "ufunc_at", x, index, n, args, false) ? knn_ufunc_of(&w.op, ufunc) : NULL;
    if (!u || !has_at(&w.op, u, v))
        return end(&w.op);
    v = exact(&w, v);
    if (!gives_its_dtype(ufunc)) {
        if (plan_place(&w, v, false) && begin_place(&w))
            apply_any(&w, ufunc, u, v);
        return end(&w.op);
    }
    if (combine_element(&w, ufunc, v, true) || !plan_place(&w, v, false) || combine_few(&w, ufunc, v) ||
        !begin_place(&w))
        return end(&w.op);
    if (w.mask != KN_ATOM_NONE)
        put_masked(&w, combined(&w.op, ufunc, x, w.all, v, true));
    else if ((d = dtype_at(&w, ufunc, v)) && may_repeat(&w.op, &w.index))
        combine_each(&w, ufunc, d, v);
    else if (d)
        combine_once(&w, ufunc, v, true);
    return end(&w.op);
}

/* ---- copyto. */

static void check_casting(kna_op *op, kn_array from, kn_dtype to, const char *casting)
{
    static const char order[] = "bifc";
    kni_type t = kna_type(op, from);
    knx_casting how = knl_casting(op, casting, KN_CAST_SAME_KIND, KN_CAST_UNSAFE);
    if (kna_failed(op) || how == KN_CAST_UNSAFE)
        return;
    const char *a = strchr(order, t.dtype->kind == KN_KIND_UINT ? 'i' : t.dtype->kind),
               *b = strchr(order, to->kind == KN_KIND_UINT ? 'i' : to->kind);
    if (t.weak ? !a || !b || a > b : !knx_can_cast(t.dtype, to, how))
        knl_cannot_cast(op, t.ndim ? "array data" : "scalar", t.dtype, to, how);
}

int kn_copyto(kn_array to, kn_array from, const kn_copyto_opts *opts)
{
    KNX_OPTS(kn_copyto_opts, o, opts);
    kna_op op;
    kna_begin(&op, "copyto");
    kni_atom a = kna_in(&op, to);
    kni_type t = knb_type(op.b, a), v = kna_type(&op, from);
    kn_shape shape = knl_shape_of(&op, a);
    if (!kna_failed(&op))
        check_casting(&op, from, t.dtype, o.casting);
    knx_text p = {0}, q = {0};
    if (!kna_failed(&op) && !fits(v, &shape))
        knl_cannot_broadcast(&op, v, &shape);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : spread_value(&op, kna_in_as(&op, from, t.dtype), &shape);
    if (o.where && !kna_failed(&op)) {
        kni_atom mask = kna_in(&op, o.where);
        kni_type m = knb_type(op.b, mask);
        if (!kna_failed(&op) && m.dtype->kind != KN_KIND_BOOL)
            kna_fail(&op, KN_ERROR_TYPE,
                     "Cannot cast %s from dtype('%s') to dtype('bool') according to the rule 'safe'",
                     m.ndim ? "array data" : "scalar", m.dtype->name);
        else if (!kna_failed(&op) && (m.ndim > shape.ndim || !fits(m, &shape)))
            kna_fail(&op, KN_ERROR_VALUE, "could not broadcast where mask from shape %s into shape %s",
                     knx_show_shape(&p, m.ndim, m.dim), knx_show_shape(&q, shape.ndim, shape.dim));
        y = kna_failed(&op) ? KN_ATOM_NONE : knl_select(&op, knl_spread(&op, mask, &shape), y, a, &shape);
    }
    if (!kna_failed(&op))
        kna_put(&op, to, a, a, y);
    return end(&op);
}
