/* SPDX-License-Identifier: Apache-2.0
 * creation.c -- arrays from nothing: constants, ranges, the identity; and the same array with another dtype. */
#include "array/state.h"
#include "array/storage.h"
#include "kiln/memory.h"
#include "lib/compose.h"
#include "lib/kept.h"
#include "numpy/creation/copies.h"
#include <math.h>
#include <string.h>

/* ---- Constants. */

static bool shape_fits(kna_op *op, const kn_shape *shape, kn_dtype d)
{
    if (shape->ndim < 0 || shape->ndim > KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, shape->ndim);
        return false;
    }
    if (!kna_failed(op))
        kna_fail_with(op, kni_type_check_size(knl_shaped(d, shape)));
    return !kna_failed(op);
}

/* Ends with an array that lies in this order: NULL or "C", "F". */
static kn_array end_ordered(kna_op *op, kni_atom y, const char *order)
{
    bool fortran = knl_order_is_fortran(op, order);
    int64_t axes[KN_MAX_NDIM];
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, y).ndim;
    for (int i = 0; i < ndim; i++)
        axes[i] = ndim - 1 - i;
    return fortran && ndim > 1 ? kna_end_permuted(op, y, axes) : kna_end(op, y);
}

static kn_array constant(const char *name, const kn_shape *shape, const kn_zeros_opts *opts, double value)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    shape = kna_shape(&op, shape);
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    bool ok = !kna_failed(&op) && shape_fits(&op, shape, d);
    return end_ordered(&op, ok ? knl_full(op.b, knl_shaped(d, shape), value) : KN_ATOM_NONE, o.order);
}

kn_array kn_zeros(const kn_shape *shape, const kn_zeros_opts *opts) { return constant("zeros", shape, opts, 0); }
kn_array kn_ones(const kn_shape *shape, const kn_zeros_opts *opts) { return constant("ones", shape, opts, 1); }
kn_array kn_empty(const kn_shape *shape, const kn_zeros_opts *opts) { return constant("empty", shape, opts, 0); }

/* A value of any shape that broadcasts, spread over the shape. */
static kni_atom filled(kna_op *op, const kn_shape *shape, kn_array value, kn_dtype d)
{
    kni_type t = kna_type(op, value);
    kni_atom a = knl_as(op, value, d ? d : kna_strong_dtype(t));
    if (kna_failed(op) || !shape_fits(op, shape, knb_type(op->b, a).dtype))
        return KN_ATOM_NONE;
    int lead = shape->ndim - t.ndim;
    for (int i = 0; i < t.ndim; i++)
        if (!knx_dim_eq(t.dim[i], 1) && (lead + i < 0 || !knx_dim_eq(t.dim[i], shape->dim[lead + i]))) {
            knl_cannot_broadcast(op, t, shape);
            return KN_ATOM_NONE;
        }
    if (lead < 0) /* leading axes of 1 */
        a = knb_reshape(op->b, a, shape->ndim, t.dim - lead);
    return knb_broadcast_to(op->b, a, knl_shaped(t.dtype, shape));
}

kn_array kn_full(const kn_shape *shape, kn_array value, const kn_zeros_opts *opts)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    kna_op op;
    kna_begin(&op, "full");
    shape = kna_shape(&op, shape);
    return end_ordered(&op, filled(&op, shape, value, o.dtype), o.order);
}

/* Ends with an array that lies as x does (order K, the default), or as `order` says. */
static kn_array end_as_prototype(kna_op *op, kni_atom y, kn_array x, const char *order)
{
    char c = order ? knl_read_order(op, order, x, true) : 'K';
    if (c == 'K' && !kna_failed(op) && knb_type(op->b, y).ndim == kna_type(op, x).ndim && knl_is_fortran(op, x))
        c = 'F';
    return c == 'K' ? kna_end_like(op, y, x) : end_ordered(op, y, c == 'F' ? "F" : "C");
}

/* The type of an array like x, with another dtype or shape if those are given. */
static kni_type type_like(kna_op *op, kn_array x, const kn_zeros_like_opts *o, kn_shape *shape)
{
    kni_type t = kna_type(op, x);
    kn_dtype d = kna_lookup_dtype(o->dtype, kna_strong_dtype(t));
    shape->ndim = kna_failed(op) ? 0 : t.ndim;
    for (int i = 0; i < shape->ndim; i++)
        shape->dim[i] = t.dim[i];
    if (o->shape)
        *shape = *kna_shape(op, o->shape);
    if (!kna_failed(op))
        shape_fits(op, shape, d);
    return kna_failed(op) ? kni_scalar_type(KN_DT(F32)) : knl_shaped(d, shape);
}

/* What is made like x is where x was put, as in JAX: the default is that for as long. Returns what it was. */
static uint16_t begin_at(kna_op *op, kn_array x)
{
    kn_context c = knx_context();
    uint16_t before = c->site, site = kna_failed(op) ? KND_NOWHERE : kna_site_of_array(op, x);
    if (!kna_failed(op) && knd_site_at(site)->committed)
        c->site = site;
    return before;
}

static kn_array end_at(uint16_t before, kn_array y)
{
    knx_context()->site = before;
    return y;
}

static kn_array constant_like(const char *name, kn_array x, const kn_zeros_like_opts *opts, double value)
{
    KNX_OPTS(kn_zeros_like_opts, o, opts);
    kna_op op;
    kn_shape shape;
    kna_begin(&op, name);
    kni_type t = type_like(&op, x, &o, &shape);
    uint16_t before = begin_at(&op, x);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : knl_full(op.b, t, value);
    return end_at(before, end_as_prototype(&op, y, x, o.order));
}

kn_array kn_zeros_like(kn_array x, const kn_zeros_like_opts *opts) { return constant_like("zeros_like", x, opts, 0); }
kn_array kn_ones_like(kn_array x, const kn_zeros_like_opts *opts) { return constant_like("ones_like", x, opts, 1); }
kn_array kn_empty_like(kn_array x, const kn_zeros_like_opts *opts) { return constant_like("empty_like", x, opts, 0); }

kn_array kn_full_like(kn_array x, kn_array value, const kn_zeros_like_opts *opts)
{
    KNX_OPTS(kn_zeros_like_opts, o, opts);
    kna_op op;
    kn_shape shape;
    kna_begin(&op, "full_like");
    kni_type t = type_like(&op, x, &o, &shape);
    uint16_t before = begin_at(&op, x);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : filled(&op, &shape, value, t.dtype);
    return end_at(before, end_as_prototype(&op, y, x, o.order));
}

/* ---- Ranges. */

/* A bound of a range: its value must be known. */
typedef struct bound {
    bool is_float;
    int64_t i;
    double d;
} bound;

static bound look_at(kna_op *op, kn_array x)
{
    bound r = {false, 0, 0};
    kni_type t = kna_type(op, x);
    if (kna_failed(op) || knl_not_a_number(op, "a range", t.dtype))
        return r;
    if (t.ndim || knx_is_complex(t.dtype)) {
        kna_fail(op, KN_ERROR_TYPE, "the bounds of a range must be real numbers");
        return r;
    }
    const void *at = kna_look(op, x, &t);
    if (!at)
        return r;
    r.is_float = knx_is_float(t.dtype);
    knx_convert(t.dtype, at, KN_DT(F64), &r.d);
    if (!r.is_float)
        knx_convert(t.dtype, at, KN_DT(I64), &r.i);
    return r;
}

static bool is_symbolic(const bound *x) { return !x->is_float && knl_is_extent(x->i); }

/* The same where one of them is an expression: all are integers, then, and the step is a number. */
static int64_t count_symbolic_steps(kna_op *op, const bound *start, const bound *stop, const bound *step)
{
    if (start->is_float || stop->is_float || step->is_float)
        kna_fail(op, KN_ERROR_VALUE,
                 "where a bound is a dimension expression all of start, stop and step are integers");
    else if (!step->i)
        kna_fail(op, KN_ERROR_VALUE, "division by zero");
    if (kna_failed(op) || !kna_need_number(op, step->i, "the step of a range"))
        return 0;
    int64_t way = step->i > 0 ? knx_dim_sub(stop->i, start->i) : knx_dim_sub(start->i, stop->i);
    return knx_dim_max(0, knx_dim_ceildiv(way, step->i > 0 ? step->i : -step->i));
}

/* How many steps; 0 for none. */
static int64_t count_steps(kna_op *op, const bound *start, const bound *stop, const bound *step)
{
    if (is_symbolic(start) || is_symbolic(stop) || is_symbolic(step))
        return count_symbolic_steps(op, start, stop, step);
    if (start->is_float || stop->is_float || step->is_float) {
        double n = __builtin_ceil((stop->d - start->d) / step->d);
        if (step->d == 0 || n >= 0x1p63 || n != n)
            kna_fail(op, KN_ERROR_VALUE, step->d == 0 ? "division by zero" : "Maximum allowed size exceeded");
        return kna_failed(op) || n <= 0 ? 0 : (int64_t)n;
    }
    if (!step->i)
        kna_fail(op, KN_ERROR_VALUE, "division by zero");
    bool up = step->i > 0;
    if (!step->i || (up ? stop->i <= start->i : stop->i >= start->i))
        return 0;
    uint64_t way = up ? (uint64_t)stop->i - (uint64_t)start->i : (uint64_t)start->i - (uint64_t)stop->i;
    uint64_t by = up ? (uint64_t)step->i : 0 - (uint64_t)step->i, n = (way - 1) / by + 1;
    if (n > INT64_MAX)
        kna_fail(op, KN_ERROR_VALUE, "Maximum allowed size exceeded");
    return kna_failed(op) ? 0 : (int64_t)n;
}

/* first + i * (second - first), where first and second have been rounded to the dtype, as NumPy fills ranges. */
static kni_atom range(kna_op *op, kn_dtype d, int64_t n, const bound *start, const bound *step)
{
    kni_builder *b = op->b;
    if (is_symbolic(start) && !knx_is_integer(d)) { /* its value is known when the function runs */
        kni_atom from = knb_iota(b, KN_DT(I64), 1, &n, 0), way = knb_mul(b, from, knb_integer(b, KN_DT(I64), step->i));
        return knb_astype(b, knb_add(b, knl_number_of(op, KN_DT(I64), start->i), way), d);
    }
    kn_dtype work = d == KN_DT(F16) || d == KN_DT(BF16) ? KN_DT(F32) : d;
    kni_atom i = knb_iota(b, work, 1, &n, 0), first, by, second = KN_ATOM_NONE;
    if (knx_is_integer(d) && !start->is_float && !step->is_float) {
        if (start->i == 0 && step->i == 1)
            return i;
        first = knl_number_of(op, d, start->i);
        by = step->i == 1 ? knb_integer(b, d, 1) : knl_number_of(op, d, step->i); /* times 1 is nothing to do */
    } else {
        knx_scalar_bits p = knx_scalar_from_double(d, start->d), q = knx_scalar_from_double(d, start->d + step->d);
        double low = knx_scalar_to_double(d, p), high = knx_scalar_to_double(d, q);
        knx_scalar_bits gap = knx_scalar_from_double(work, high - low);
        if (low == 0 && high == 1)
            return knb_astype(b, i, d);
        first = knl_number(op, work, knx_scalar_from_double(work, low));
        by = high - low == 1 ? knb_literal(b, work, false, gap) : knl_number(op, work, gap);
        if (low + knx_scalar_to_double(work, gap) != high)
            second = knl_number(op, work, knx_scalar_from_double(work, high));
    }
    kni_atom y = knb_add(b, first, knb_mul(b, i, by));
    if (second != KN_ATOM_NONE)
        y = knb_select(b, knb_eq(b, i, knb_like(b, i, 1)), second, y);
    return knb_astype(b, y, d);
}

/* NumPy writes the first two as numbers, which have to fit; those behind them wrap. */
static void check_first(kna_op *op, kn_dtype d, int64_t n, const bound *start, const bound *step)
{
    bool is_unsigned = d->kind == 'u';
    double high = d->size == 8 ? INFINITY : __builtin_ldexp(1, (int)d->size * 8 - !is_unsigned);
    if (!knx_is_integer(d) || is_symbolic(start) || is_symbolic(step))
        return;
    for (int i = 0; i < 2 && i < n && !kna_failed(op); i++) {
        double x = __builtin_trunc(start->d + i * step->d);
        if (x >= high || x < (is_unsigned ? 0 : -high))
            kna_fail(op, KN_ERROR_OVERFLOW, "integer %.0f out of bounds for %s", x, d->name);
    }
}

static kn_array arange(const kn_array *all, const void *options)
{
    const kn_zeros_opts *o = options;
    kn_array start = all[0], stop = all[1], step = all[2];
    kna_op op;
    kna_begin(&op, "arange");
    bound from = look_at(&op, start), to = look_at(&op, stop), by = look_at(&op, step);
    kn_dtype d = kna_lookup_dtype(o->dtype, kna_result_type(&op, 3, all));
    int64_t n = kna_failed(&op) ? 0 : count_steps(&op, &from, &to, &by);
    if (!kna_failed(&op))
        check_first(&op, d, n, &from, &by);
    if (kna_failed(&op) || !shape_fits(&op, &(kn_shape){1, {n}}, d))
        return kna_end(&op, KN_ATOM_NONE);
    if (d->kind == KN_KIND_BOOL && n > 2)
        kna_fail(&op, KN_ERROR_TYPE, "arange() is only supported for booleans when the result has at most length 2.");
    if (d->kind == KN_KIND_BOOL || d->kind == KN_KIND_KEY || kna_failed(&op)) {
        if (d->kind == KN_KIND_KEY)
            knl_not_a_number(&op, "arange", d);
        kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : range(&op, KN_DT(F64), n, &from, &by);
        return kna_end(&op, kna_failed(&op) ? y : knb_astype(op.b, y, d));
    }
    return kna_end(&op, range(&op, d, n, &from, &by));
}

kn_array kn_arange(kn_array start, kn_array stop, kn_array step, const kn_zeros_opts *opts)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    o.order = NULL; /* of a vector there is one */
    const kn_array all[] = {start, stop, step};
    return knl_kept(&(knl_call){"arange", arange, 3, all, &o, sizeof o});
}

/* start + i * step, with the last element set to stop. Integer dtypes round down: the elements are computed here. */
static kn_array linspace_of_integers(kna_op *op, kn_dtype d, int64_t num, bool endpoint, const bound *start,
                                     const bound *stop)
{
    knx_buffer *buffer = knx_buffer_new((size_t)num * d->size);
    int64_t div = endpoint ? num - 1 : num;
    double delta = stop->d - start->d, step = div > 0 ? delta / (double)div : 0;
    if (!buffer) {
        kna_fail_with(op, knx_error_nomem_for((size_t)num * d->size, 1, &num, d->name));
        return kna_end(op, KN_ATOM_NONE);
    }
    for (int64_t i = 0; i < num; i++) {
        double v = step == 0 && div > 0 ? (double)i / (double)div * delta : (double)i * step;
        v = endpoint && num > 1 && i == num - 1 ? stop->d : v + start->d;
        v = __builtin_floor(v);
        knx_convert(KN_DT(F64), &v, d, (char *)buffer->data + (size_t)i * d->size);
    }
    return kna_from_buffer(op, kni_type_of(d, 1, &num), buffer);
}

static kni_atom linspace(kna_op *op, kni_atom start, kni_atom stop, int64_t num, bool endpoint)
{
    kni_builder *b = op->b;
    bool several = endpoint && knx_dim_lt(1, num);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, start);
    int64_t div = endpoint ? num - 1 : num;
    kn_shape shape = {.ndim = t.ndim + 1, .dim = {num}};
    if (t.ndim)
        memcpy(shape.dim + 1, t.dim, (size_t)t.ndim * sizeof *t.dim);
    kni_type full = knl_shaped(t.dtype, &shape);
    kni_atom i = knb_iota(b, t.dtype, shape.ndim, shape.dim, 0), y = KN_ATOM_NONE;
    kni_atom first = knb_broadcast_to(b, start, full), last = knb_broadcast_to(b, stop, full);
    if (knx_dim_lt(0, div)) {
        kni_atom n = knl_number_of(op, t.dtype, div), delta = knb_sub(b, stop, start), step = knb_div(b, delta, n);
        kni_atom zero = knb_eq(b, step, knb_like(b, step, 0)); /* one that vanishes: divide before multiplying */
        int64_t axes[KN_MAX_NDIM];
        for (int d = 0; d < t.ndim; d++)
            axes[d] = d;
        if (t.ndim)
            zero = knb_reduce_or(b, zero, t.ndim, axes);
        kni_atom by_step = knb_mul(b, i, knb_broadcast_to(b, step, full));
        kni_atom by_delta = knb_mul(b, knb_div(b, i, n), knb_broadcast_to(b, delta, full));
        y = knb_add(b, knb_select(b, knb_broadcast_to(b, zero, full), by_delta, by_step), first);
    } else
        y = knb_add(b, knb_mul(b, i, knb_broadcast_to(b, knb_sub(b, stop, start), full)), first);
    if (several) {
        kni_atom at_end =
            knb_eq(b, knb_iota(b, KN_DT(I64), shape.ndim, shape.dim, 0), knl_number_of(op, KN_DT(I64), num - 1));
        y = knb_select(b, at_end, last, y);
    }
    return y;
}

/* The step between samples, where it is wanted: NaN if there is none. */
static void put_step(kna_op *op, kn_array *at, kni_atom a, kni_atom b, int64_t div)
{
    kna_op part;
    if (!at)
        return;
    *at = NULL;
    if (kna_failed(op))
        return;
    kn_dtype d = knb_type(op->b, a).dtype;
    kni_atom step = knx_dim_lt(0, div) ? knb_div(op->b, knb_sub(op->b, b, a), knl_number_of(op, d, div))
                                       : knb_number(op->b, d, (double)NAN);
    kna_begin(&part, "linspace");
    *at = kna_end(&part, step);
}

static void check_samples(kna_op *op, int64_t num, const kn_shape *shape, kn_dtype d)
{
    if (num < 0)
        kna_fail(op, KN_ERROR_VALUE, "Number of samples, %lld, must be non-negative.", (long long)num);
    if (!kna_failed(op) && shape->ndim == KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
    if (!kna_failed(op))
        knl_not_a_number(op, "linspace", d);
}

typedef struct samples {
    int64_t num;
    kn_linspace_opts o;
} samples;

static kn_array samples_between(const kn_array *both, const void *options)
{
    const kn_linspace_opts o = ((const samples *)options)->o;
    const int64_t num = ((const samples *)options)->num;
    kn_array start = both[0], stop = both[1];
    kna_op op;
    kna_begin(&op, "linspace");
    kn_shape shape;
    kn_dtype d = kna_join(&op, 2, both, &shape);
    check_samples(&op, num, &shape, d);
    int axis = kna_failed(&op) ? 0 : kna_axis(&op, o.axis, shape.ndim + 1, 0);
    kn_dtype result = kna_failed(&op) ? NULL : kna_lookup_dtype(o.dtype, d = knl_inexact_for(d));
    if (kna_failed(&op) || !shape_fits(&op, &(kn_shape){1, {num}}, result))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type full = knl_shaped(d, &shape);
    kni_atom a = kna_in_as(&op, start, d), b = kna_in_as(&op, stop, d);
    a = kna_failed(&op) ? a : knb_broadcast_to(op.b, a, full);
    b = kna_failed(&op) ? b : knb_broadcast_to(op.b, b, full);
    put_step(&op, o.retstep, a, b, o.endpoint ? num - 1 : num);
    bound from = {0}, to = {0};
    bool computed = knx_is_integer(result) && !shape.ndim && !knx_is_symbolic(num);
    if (computed) {
        from = look_at(&op, start);
        to = look_at(&op, stop);
    }
    if (computed && !is_symbolic(&from) && !is_symbolic(&to)) {
        return kna_failed(&op) ? kna_end(&op, KN_ATOM_NONE)
                               : linspace_of_integers(&op, result, num, o.endpoint, &from, &to);
    }
    kni_atom y = linspace(&op, a, b, num, o.endpoint);
    if (!kna_failed(&op) && axis)
        y = knb_move_axis(op.b, y, 0, axis);
    return kna_end(&op, kna_failed(&op)          ? y
                        : knx_is_integer(result) ? knb_astype(op.b, knb_floor(op.b, y), result)
                                                 : knb_astype(op.b, y, result));
}

kn_array kn_linspace(kn_array start, kn_array stop, int64_t num, const kn_linspace_opts *opts)
{
    KNX_OPTS(kn_linspace_opts, o, opts);
    const samples s = {num, o};
    const kn_array both[] = {start, stop};
    const knl_call c = {"linspace", samples_between, 2, both, &s, sizeof s};
    return o.retstep ? c.f(both, &s) : knl_kept(&c);
}

/* ---- The identity. */

kn_array kn_eye(int64_t n, const kn_eye_opts *opts)
{
    KNX_OPTS(kn_eye_opts, o, opts);
    kna_op op;
    kna_begin(&op, "eye");
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    kn_shape shape = {2, {n, o.M < 0 ? n : o.M}};
    if (!shape_fits(&op, &shape, d))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom row = knb_iota(op.b, KN_DT(I64), 2, shape.dim, 0), column = knb_iota(op.b, KN_DT(I64), 2, shape.dim, 1);
    if (o.k)
        row = knb_add(op.b, row, knl_number_of(&op, KN_DT(I64), o.k));
    return end_ordered(&op, knb_astype(op.b, knb_eq(op.b, row, column), d), o.order);
}

kn_array kn_identity(int64_t n, const kn_zeros_opts *opts)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    kn_eye_opts e = kn_eye_opts_default();
    e.dtype = o.dtype;
    return kn_eye(n, &e);
}

/* ---- The same elements. */

static kn_array as_array(const char *name, kn_array x, const kn_asarray_opts *o)
{
    knl_body c;
    knl_begin(&c, name);
    char order = o->order ? knl_read_order(&c.op, o->order, x, true) : 'K';
    bool any = o->order && (*o->order == 'A' || *o->order == 'a'); /* a copy apart, it asks for nothing */
    kni_type t = kna_type(&c.op, x);
    if (o->ndmin > KN_MAX_NDIM)
        kna_fail(&c.op, KN_ERROR_VALUE, "ndmin must be <= %d", KN_MAX_NDIM);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (any && order == 'C' && (o->copy <= 0 || (o->dtype && o->dtype != t.dtype)))
        order = 'K';
    kn_array y = knl_in_order(name, x, o->dtype, order, o->copy > 0);
    if (o->copy == 0 && kna_failed(&c.op) == false && (t.weak || !kn_shares_memory(x, y)) && kn_size(y) > 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Unable to avoid copy while creating an array as requested.");
    for (int i = t.ndim; i < o->ndmin && !kna_failed(&c.op); i++) {
        kn_axes first = knl_one_axis(0);
        y = kn_expand_dims(y, &first);
    }
    return knl_end(&c, y);
}

kn_array kn_asarray(kn_array x, const kn_asarray_opts *opts)
{
    KNX_OPTS(kn_asarray_opts, o, opts);
    return as_array("asarray", x, &o);
}

kn_array kn_asanyarray(kn_array x, const kn_asarray_opts *opts) { return kn_asarray(x, opts); }

kn_array kn_asarray_chkfinite(kn_array x, const kn_asarray_opts *opts)
{
    KNX_OPTS(kn_asarray_opts, o, opts);
    knl_body c;
    knl_begin(&c, "asarray_chkfinite");
    kn_array y = as_array("asarray_chkfinite", x, &o);
    kni_type t = kna_type(&c.op, y);
    if (!kna_failed(&c.op) && knx_is_inexact(t.dtype) && !kn_item_bool(kn_all(kn_isfinite(y), NULL)) && kn_ok(y))
        kna_fail(&c.op, KN_ERROR_VALUE, "array must not contain infs or NaNs");
    return knl_end(&c, y);
}

kn_array kn_copy(kn_array x, const kn_copy_opts *opts)
{
    KNX_OPTS(kn_copy_opts, o, opts);
    kna_op op;
    kna_begin(&op, "copy");
    kn_array few = knn_copy_few(&op, x, o.order);
    if (few)
        return few;
    kni_atom a = kna_in(&op, x);
    return end_as_prototype(&op, a, x, o.order);
}

/* Does it lie in memory in this order ('C', 'F'; 'K' for any)? */
static bool lies_in(kna_op *op, kn_array x, char order)
{
    kn_flags f = kna_failed(op) || order == 'K' ? (kn_flags){0} : kn_flags_of(x);
    return order == 'K' || (order == 'F' ? f.f_contiguous : f.c_contiguous);
}

kn_array kn_astype(kn_array x, kn_dtype dtype, const kn_astype_opts *opts)
{
    KNX_OPTS(kn_astype_opts, o, opts);
    kna_op op;
    kna_begin(&op, "astype");
    kni_type t = kna_type(&op, x);
    if (!dtype)
        kna_fail(&op, KN_ERROR_TYPE, "a dtype is missing");
    knx_casting how = knl_casting(&op, o.casting, KN_CAST_UNSAFE, KN_CAST_SAME_VALUE);
    if (!kna_failed(&op) && !knx_can_cast(kna_strong_dtype(t), dtype, how))
        knl_cannot_cast(&op, t.ndim ? "array data" : "scalar", kna_strong_dtype(t), dtype, how);
    if (!kna_failed(&op) && how == KN_CAST_SAME_VALUE)
        knl_check_same_value(&op, x, dtype);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (t.weak && knx_is_integer(dtype)) /* a number wraps here, it is not refused */
        return kna_end(&op, knb_astype(op.b, kna_in(&op, x), dtype));
    kni_atom a = knl_as(&op, x, dtype);
    if (!o.copy && t.dtype == dtype && !t.weak && (!o.order || lies_in(&op, x, knl_read_order(&op, o.order, x, true))))
        return kna_end_same(&op, x, a);
    return end_as_prototype(&op, a, x, o.order);
}

kn_array kn_shape_array(kn_array x)
{
    kna_op op;
    kna_begin(&op, "shape_array");
    kni_type t = kna_type(&op, x);
    int64_t n = kna_failed(&op) ? 0 : t.ndim;
    if (!kna_failed(&op) && kni_type_is_symbolic(t)) {
        kni_atom extent[KN_MAX_NDIM];
        for (int i = 0; i < n; i++)
            extent[i] = knb_expand_dims(op.b, knl_number_of(&op, KN_DT(I64), t.dim[i]), 0);
        return kna_end(&op, knb_concatenate(op.b, (int)n, extent, 0));
    }
    knx_buffer *buffer = knx_buffer_new((size_t)n * sizeof(int64_t));
    if (!buffer)
        kna_fail_with(&op, knx_error_nomem());
    if (kna_failed(&op)) {
        knx_buffer_release(buffer);
        return kna_end(&op, KN_ATOM_NONE);
    }
    if (n)
        memcpy(buffer->data, t.dim, (size_t)n * sizeof(int64_t));
    return kna_from_buffer(&op, kni_type_of(KN_DT(I64), 1, &n), buffer);
}

kn_array kn_ascontiguousarray(kn_array x, const kn_zeros_opts *opts)
{
    return knl_contiguous("ascontiguousarray", x, opts, 'C');
}
