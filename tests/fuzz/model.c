/* SPDX-License-Identifier: Apache-2.0
 * model.c -- the model of model.h: dtypes, elements, views and arithmetic. Indexing is in model_index.c. */
#include "model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void m_heap_free(m_heap *heap)
{
    for (m_store *s = heap->stores, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    heap->stores = NULL;
}

int64_t m_count(const m_shape *shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape->ndim; i++)
        n *= shape->dim[i];
    return n;
}

int64_t m_item_size(m_dtype dtype)
{
    static const int64_t size[M_DTYPES] = {1, 1, 8, 4, 8, 16};
    return size[dtype];
}

m_dtype m_promote(m_dtype a, m_dtype b)
{
    m_dtype low = a < b ? a : b, high = a < b ? b : a;
    return high == M_F32 && low == M_I64 ? M_F64 : high;
}

/* can_cast(..., "same_kind"): kinds are ordered bool, unsigned, signed, float, complex. */
static bool same_kind(m_dtype from, m_dtype to)
{
    static const int kind[M_DTYPES] = {0, 1, 2, 3, 3, 4};
    return kind[from] <= kind[to];
}

/* The dtype of an operation of an array and a number of Python. */
static m_dtype promote_weak(m_dtype strong, m_dtype weak)
{
    if (weak == M_BOOL || (weak == M_I64 && strong != M_BOOL))
        return strong;
    if (weak == M_F64 && (strong == M_F32 || strong == M_C128))
        return strong;
    return weak;
}

static void c_strides(m_array *a)
{
    int64_t stride = m_item_size(a->dtype);
    for (int i = a->shape.ndim - 1; i >= 0; i--) {
        a->stride[i] = stride;
        stride *= a->shape.dim[i];
    }
}

m_error m_new(m_heap *heap, m_dtype dtype, const m_shape *shape, m_array *out)
{
    int64_t bytes = m_count(shape) * m_item_size(dtype);
    if (shape->ndim > M_NDIM || m_count(shape) > M_SIZE)
        return M_LIMIT;
    m_store *s = calloc(1, sizeof *s + (size_t)bytes + 1);
    if (!s)
        abort();
    *s = (m_store){.next = heap->stores, .bytes = bytes};
    heap->stores = s;
    *out = (m_array){.store = s, .dtype = dtype, .shape = *shape};
    c_strides(out);
    return M_OK;
}

void m_offsets(const m_array *a, int64_t offset[M_SIZE])
{
    int64_t n = m_count(&a->shape);
    for (int64_t k = 0; k < n; k++) {
        int64_t rest = k, at = a->offset;
        for (int i = a->shape.ndim - 1; i >= 0; i--) {
            at += rest % a->shape.dim[i] * a->stride[i];
            rest /= a->shape.dim[i];
        }
        offset[k] = at;
    }
}

/* ---- Elements. */

m_number m_get(const m_array *a, int64_t offset)
{
    const unsigned char *p = a->store->data + offset;
    m_number x = {.dtype = a->dtype};
    float f;
    switch (a->dtype) {
    case M_BOOL:
    case M_U8: x.i = *p; break;
    case M_I64: memcpy(&x.i, p, 8); break;
    case M_F32:
        memcpy(&f, p, 4);
        x.re = f;
        break;
    case M_C128: memcpy(&x.im, p + 8, 8); /* fall through */
    case M_F64: memcpy(&x.re, p, 8); break;
    case M_DTYPES: break;
    }
    return x;
}

static bool is_integer(m_dtype d) { return d <= M_I64; }

/* To 32 or 64 bits with the fraction dropped; the smallest number where it does not fit. */
static int64_t truncated(double x, int bits)
{
    double limit = bits == 64 ? 0x1p63 : 0x1p31;
    if (!(x > (bits == 64 ? -0x1.0000000000001p63 : -0x1p31 - 1) && x < limit))
        return bits == 64 ? INT64_MIN : INT32_MIN;
    return (int64_t)x;
}

/* x as a number of another dtype. */
static m_number converted(m_number x, m_dtype to)
{
    m_number y = {.dtype = to};
    bool integer = is_integer(x.dtype);
    switch (to) {
    case M_BOOL: y.i = integer ? x.i != 0 : x.re != 0 || x.im != 0; break;
    case M_U8: y.i = (uint8_t)(integer ? x.i : truncated(x.re, 32)); break;
    case M_I64: y.i = integer ? x.i : truncated(x.re, 64); break;
    case M_F32: y.re = integer ? (float)x.i : (float)x.re; break;
    case M_C128: y.im = x.im; /* fall through */
    case M_F64: y.re = integer ? (double)x.i : x.re; break;
    case M_DTYPES: break;
    }
    return y;
}

void m_put(const m_array *a, int64_t offset, m_number x)
{
    unsigned char *p = a->store->data + offset;
    m_number y = converted(x, a->dtype);
    float f = (float)y.re;
    switch (a->dtype) {
    case M_BOOL:
    case M_U8: *p = (unsigned char)y.i; break;
    case M_I64: memcpy(p, &y.i, 8); break;
    case M_F32: memcpy(p, &f, 4); break;
    case M_C128: memcpy(p + 8, &y.im, 8); /* fall through */
    case M_F64: memcpy(p, &y.re, 8); break;
    case M_DTYPES: break;
    }
}

static int64_t integer_op(m_ufunc f, int64_t x, int64_t y)
{
    switch (f) {
    case M_ADD: return (int64_t)((uint64_t)x + (uint64_t)y);
    case M_SUBTRACT: return (int64_t)((uint64_t)x - (uint64_t)y);
    case M_MULTIPLY: return (int64_t)((uint64_t)x * (uint64_t)y);
    case M_MAXIMUM: return x > y ? x : y;
    case M_MINIMUM: return x < y ? x : y;
    case M_GREATER: return x > y;
    case M_UFUNCS: break;
    }
    return 0;
}

static double float_op(m_ufunc f, double x, double y)
{
    switch (f) {
    case M_ADD: return x + y;
    case M_SUBTRACT: return x - y;
    case M_MULTIPLY: return x * y;
    case M_MAXIMUM: return x > y || isnan(x) ? x : y;
    case M_MINIMUM: return x < y || isnan(x) ? x : y;
    case M_GREATER: return x > y;
    case M_UFUNCS: break;
    }
    return 0;
}

/* x f y in one dtype. NumPy has no subtraction of bool, and complex numbers are never compared here: see op_dtype. */
static m_number apply(m_ufunc f, m_dtype d, m_number x, m_number y)
{
    m_number a = converted(x, d), b = converted(y, d), r = {.dtype = d};
    if (d == M_BOOL) {
        r.i = f == M_ADD || f == M_MAXIMUM ? a.i | b.i : f == M_GREATER ? a.i > b.i : a.i & b.i;
    } else if (is_integer(d)) {
        r.i = integer_op(f, a.i, b.i);
    } else if (d == M_F32) { /* one operation in float64, rounded to float32, is the operation in float32 */
        r.re = (float)float_op(f, a.re, b.re);
    } else if (d == M_F64) {
        r.re = float_op(f, a.re, b.re);
    } else if (f == M_MULTIPLY) {
        r.re = a.re * b.re - a.im * b.im;
        r.im = a.re * b.im + a.im * b.re;
    } else {
        r.re = float_op(f, a.re, b.re);
        r.im = float_op(f, a.im, b.im);
    }
    if (f == M_GREATER) {
        r.i = is_integer(d) ? r.i : r.re != 0;
        r.dtype = M_BOOL;
    }
    return converted(r, r.dtype); /* uint8 wraps */
}

/* Do these bytes overlap? Exact: every byte is looked at. */
bool m_shares(const m_array *a, const m_array *b)
{
    int64_t at[M_SIZE], n = m_count(&a->shape);
    if (a->store != b->store || n == 0)
        return false;
    unsigned char *mark = calloc(1, (size_t)a->store->bytes + 1);
    if (!mark)
        abort();
    m_offsets(a, at);
    for (int64_t k = 0; k < n; k++)
        memset(mark + at[k], 1, (size_t)m_item_size(a->dtype));
    n = m_count(&b->shape);
    m_offsets(b, at);
    bool shared = false;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < m_item_size(b->dtype); i++)
            shared |= mark[at[k] + i];
    free(mark);
    return shared;
}

/* ---- Views. */

/* Strides with which `shape` shows the elements of `a` in the same order, if there are any. */
static bool strides_for(const m_array *a, const m_shape *shape, int64_t stride[M_NDIM])
{
    int64_t at[M_SIZE], n = m_count(shape), step = 1;
    m_offsets(a, at);
    for (int i = shape->ndim - 1; i >= 0; i--) { /* one step along axis i is `step` elements on */
        stride[i] = n && shape->dim[i] > 1 ? at[step] - at[0] : 0;
        step *= shape->dim[i];
    }
    m_array try = *a;
    try.shape = *shape;
    memcpy(try.stride, stride, sizeof try.stride);
    int64_t now[M_SIZE];
    m_offsets(&try, now);
    return memcmp(at, now, (size_t)n * sizeof *at) == 0;
}

m_error m_reshape(m_heap *heap, const m_array *a, const m_shape *shape, m_array *out)
{
    m_shape to = *shape;
    int open = -1;
    int64_t size = m_count(&a->shape), known = 1;
    for (int i = 0; i < to.ndim; i++) {
        if (to.dim[i] >= 0)
            known *= to.dim[i];
        else if (open >= 0)
            return M_VALUE;
        else
            open = i;
    }
    if (open >= 0) {
        if (known == 0 || size % known)
            return M_VALUE;
        to.dim[open] = size / known;
    }
    if (m_count(&to) != size)
        return M_VALUE;
    m_array view = *a;
    view.shape = to;
    if (strides_for(a, &to, view.stride)) {
        *out = view;
        return M_OK;
    }
    m_error e = m_astype(heap, a, a->dtype, out);
    out->shape = to;
    c_strides(out);
    return e;
}

bool m_is_ordered(const m_array *a)
{
    bool ordered = true;
    int64_t stride = m_item_size(a->dtype);
    for (int i = a->shape.ndim - 1; i >= 0; i--) {
        ordered &= a->shape.dim[i] == 1 || a->stride[i] == stride;
        stride *= a->shape.dim[i];
    }
    return ordered || m_count(&a->shape) == 0;
}

/* A view only of an array that lies in C order; reshape(-1) can do more. */
m_error m_ravel(m_heap *heap, const m_array *a, m_array *out)
{
    m_shape flat = {1, {m_count(&a->shape)}};
    if (m_is_ordered(a))
        return m_reshape(heap, a, &flat, out);
    m_error e = m_astype(heap, a, a->dtype, out);
    out->shape = flat;
    c_strides(out);
    return e;
}

/* Marks the axes of a list; M_AXIS out of bounds, M_VALUE if one is there twice. */
static m_error mark_axes(int ndim, int n, const int64_t *axes, bool marked[M_NDIM])
{
    memset(marked, 0, M_NDIM * sizeof *marked);
    for (int i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
        if (axis < 0 || axis >= ndim)
            return M_AXIS;
        if (marked[axis])
            return M_VALUE;
        marked[axis] = true;
    }
    return M_OK;
}

m_error m_transpose(const m_array *a, int n, const int64_t *axes, m_array *out)
{
    bool marked[M_NDIM];
    int ndim = a->shape.ndim;
    if (n >= 0 && n != ndim)
        return M_VALUE;
    m_error e = n >= 0 ? mark_axes(ndim, n, axes, marked) : M_OK;
    if (e)
        return e;
    *out = *a;
    for (int i = 0; i < ndim; i++) {
        int64_t from = n < 0 ? ndim - 1 - i : axes[i] < 0 ? axes[i] + ndim : axes[i];
        out->shape.dim[i] = a->shape.dim[from];
        out->stride[i] = a->stride[from];
    }
    return M_OK;
}

m_error m_flip(const m_array *a, int n, const int64_t *axes, m_array *out)
{
    bool marked[M_NDIM];
    m_error e = mark_axes(a->shape.ndim, n < 0 ? 0 : n, axes, marked);
    if (e)
        return e;
    *out = *a;
    for (int i = 0; i < a->shape.ndim; i++) {
        if (n >= 0 && !marked[i])
            continue;
        if (m_count(&a->shape))
            out->offset += (a->shape.dim[i] - 1) * a->stride[i];
        out->stride[i] = -a->stride[i];
    }
    return M_OK;
}

m_error m_expand(const m_array *a, int64_t axis, m_array *out)
{
    int ndim = a->shape.ndim + 1;
    if (ndim > M_NDIM)
        return M_LIMIT;
    axis += axis < 0 ? ndim : 0;
    if (axis < 0 || axis >= ndim)
        return M_AXIS;
    *out = *a;
    out->shape.ndim = ndim;
    for (int i = ndim - 1; i > axis; i--) {
        out->shape.dim[i] = a->shape.dim[i - 1];
        out->stride[i] = a->stride[i - 1];
    }
    out->shape.dim[axis] = 1;
    out->stride[axis] = 0;
    return M_OK;
}

m_error m_squeeze(const m_array *a, int n, const int64_t *axes, m_array *out)
{
    bool marked[M_NDIM];
    m_error e = mark_axes(a->shape.ndim, n < 0 ? 0 : n, axes, marked);
    *out = *a;
    out->shape.ndim = 0;
    for (int i = 0; !e && i < a->shape.ndim; i++) {
        bool goes = n < 0 ? a->shape.dim[i] == 1 : marked[i];
        if (goes && a->shape.dim[i] != 1)
            e = M_VALUE;
        if (goes)
            continue;
        out->shape.dim[out->shape.ndim] = a->shape.dim[i];
        out->stride[out->shape.ndim++] = a->stride[i];
    }
    return e;
}

/* The elements of `a` along `shape`, repeated with stride 0. */
m_error m_broadcast(const m_array *a, const m_shape *shape, m_array *out)
{
    int extra = shape->ndim - a->shape.ndim;
    if (extra < 0)
        return M_VALUE;
    *out = *a;
    out->readonly = true;
    out->shape = *shape;
    for (int i = 0; i < shape->ndim; i++) {
        int64_t dim = i < extra ? 1 : a->shape.dim[i - extra];
        if (dim != 1 && dim != shape->dim[i])
            return M_VALUE;
        out->stride[i] = dim == 1 ? 0 : a->stride[i - extra];
    }
    return m_count(shape) > M_SIZE ? M_LIMIT : M_OK;
}

m_error m_diagonal(const m_array *a, m_array *out)
{
    int ndim = a->shape.ndim;
    if (ndim < 2)
        return M_VALUE;
    *out = *a;
    out->readonly = true;
    out->shape.ndim = ndim - 1;
    for (int i = 2; i < ndim; i++) {
        out->shape.dim[i - 2] = a->shape.dim[i];
        out->stride[i - 2] = a->stride[i];
    }
    out->shape.dim[ndim - 2] = a->shape.dim[0] < a->shape.dim[1] ? a->shape.dim[0] : a->shape.dim[1];
    out->stride[ndim - 2] = a->stride[0] + a->stride[1];
    return M_OK;
}

m_error m_part(const m_array *a, bool imag, m_array *out)
{
    *out = *a;
    if (a->dtype != M_C128)
        return imag ? M_LIMIT : M_OK; /* imag of real numbers: not in the model */
    out->dtype = M_F64;
    out->offset += imag && m_count(&a->shape) ? 8 : 0;
    return M_OK;
}

/* ---- New arrays, and writing whole ones. */

m_error m_astype(m_heap *heap, const m_array *a, m_dtype dtype, m_array *out)
{
    int64_t from[M_SIZE];
    m_error e = m_new(heap, dtype, &a->shape, out);
    if (e)
        return e;
    m_offsets(a, from);
    for (int64_t k = 0; k < m_count(&a->shape); k++)
        m_put(out, k * m_item_size(dtype), m_get(a, from[k]));
    return M_OK;
}

/* ---- Order 'K': new arrays whose axes lie in memory as those of what they are made from. */

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* Strides for axes listed from the innermost in memory. */
static void lay_out(m_array *a, const int innermost_first[M_NDIM])
{
    int64_t stride = m_item_size(a->dtype);
    for (int i = 0; i < a->shape.ndim; i++) {
        int axis = innermost_first[i];
        a->stride[axis] = stride;
        stride *= a->shape.dim[axis];
    }
}

/* PyArray_NewLikeArray: the axis with the smallest stride is the innermost; of equals, the last. */
static void lay_out_like(m_array *new, const m_array *a)
{
    int axis[M_NDIM];
    bool taken[M_NDIM] = {false};
    for (int i = 0; i < a->shape.ndim; i++) {
        int best = -1;
        for (int k = a->shape.ndim - 1; k >= 0; k--)
            if (!taken[k] && (best < 0 || magnitude(a->stride[k]) < magnitude(a->stride[best])))
                best = k;
        axis[i] = best;
        taken[best] = true;
    }
    lay_out(new, axis);
}

/* npyiter_find_best_axis_ordering: the axes, listed from the last, are sorted by insertion. An axis moves before
 * another one if an operand has a smaller stride along it and none has a smaller or equal one along the other; it stays
 * where an operand says so, and looks further where no operand has strides along both. */
static void lay_out_for(m_array *new, int n, const m_array operand[2])
{
    int axis[M_NDIM], ndim = new->shape.ndim;
    for (int i = 0; i < ndim; i++) {
        int moving = ndim - 1 - i, to = i;
        for (int k = i - 1; k >= 0; k--) {
            bool before = false, after = false;
            for (int j = 0; j < n; j++) {
                int64_t mine = magnitude(operand[j].stride[moving]), other = magnitude(operand[j].stride[axis[k]]);
                before |= mine && other && mine < other;
                after |= mine && other && mine >= other;
            }
            if (after)
                break;
            if (before)
                to = k;
        }
        memmove(axis + to + 1, axis + to, (size_t)(i - to) * sizeof *axis);
        axis[to] = moving;
    }
    lay_out(new, axis);
}

m_error m_copy(m_heap *heap, const m_array *a, m_dtype dtype, m_array *out)
{
    int64_t from[M_SIZE], to[M_SIZE];
    m_error e = m_new(heap, dtype, &a->shape, out);
    if (e)
        return e;
    lay_out_like(out, a);
    m_offsets(a, from);
    m_offsets(out, to);
    for (int64_t k = 0; k < m_count(&a->shape); k++)
        m_put(out, to[k], m_get(a, from[k]));
    return M_OK;
}

/* The shape that two broadcast to. */
static m_error common_shape(const m_shape *a, const m_shape *b, m_shape *out)
{
    out->ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (int i = 0; i < out->ndim; i++) {
        int ia = i - out->ndim + a->ndim, ib = i - out->ndim + b->ndim;
        int64_t da = ia < 0 ? 1 : a->dim[ia], db = ib < 0 ? 1 : b->dim[ib];
        if (da != db && da != 1 && db != 1)
            return M_VALUE;
        out->dim[i] = da == 1 ? db : da;
    }
    return m_count(out) > M_SIZE ? M_LIMIT : M_OK;
}

/* The dtype that `a f v` is worked out in. M_LIMIT: complex numbers are compared, which the model does not do. */
static m_error op_dtype(m_ufunc f, m_dtype a, const m_value *v, m_dtype *d)
{
    *d = v->weak ? promote_weak(a, v->number.dtype) : m_promote(a, v->array.dtype);
    if (v->weak && *d == M_U8 && (v->number.i < 0 || v->number.i > 255))
        return f == M_GREATER ? M_LIMIT : M_OVERFLOW;
    if (f == M_SUBTRACT && *d == M_BOOL)
        return M_TYPE;
    bool compares = f == M_MAXIMUM || f == M_MINIMUM || f == M_GREATER;
    bool mixed = f == M_GREATER && !v->weak && a != v->array.dtype;
    return (compares && *d == M_C128) || mixed ? M_LIMIT : M_OK;
}

/* v's numbers for each element of `shape`, as they are now. */
static m_error numbers_of(const m_value *v, const m_shape *shape, m_number x[M_SIZE])
{
    int64_t at[M_SIZE], n = m_count(shape);
    m_array wide;
    m_error e = v->weak ? M_OK : m_broadcast(&v->array, shape, &wide);
    if (e)
        return e;
    if (!v->weak)
        m_offsets(&wide, at);
    for (int64_t k = 0; k < n; k++)
        x[k] = v->weak ? v->number : m_get(&v->array, at[k]);
    return M_OK;
}

m_error m_binary(m_heap *heap, m_ufunc f, const m_array *a, const m_value *b, m_array *out)
{
    m_shape shape = a->shape;
    int64_t at[M_SIZE];
    m_number x[M_SIZE], y[M_SIZE];
    m_value left = {.array = *a};
    m_dtype d;
    m_error e = b->weak ? M_OK : common_shape(&a->shape, &b->array.shape, &shape);
    m_error e2 = op_dtype(f, a->dtype, b, &d);
    if (e || e2)
        return e ? e : e2;
    if ((e = numbers_of(&left, &shape, x)) || (e = numbers_of(b, &shape, y)) ||
        (e = m_new(heap, f == M_GREATER ? M_BOOL : d, &shape, out)))
        return e;
    m_array wide[2];
    if ((e = m_broadcast(a, &shape, &wide[0])) || (!b->weak && (e = m_broadcast(&b->array, &shape, &wide[1]))))
        return e;
    lay_out_for(out, b->weak ? 1 : 2, wide);
    m_offsets(out, at);
    for (int64_t k = 0; k < m_count(&shape); k++)
        m_put(out, at[k], apply(f, d, x[k], y[k]));
    return M_OK;
}

/* Elements of a at `offset` op= v. at: as ufunc.at does it, one after the other; else all are read before any is
 * written. at converts between kinds without asking. */
static m_error update(m_ufunc f, const m_array *a, const m_shape *shape, const int64_t *offset, const m_value *v,
                      bool at)
{
    m_number y[M_SIZE], r[M_SIZE];
    m_dtype d;
    const m_value strong = {.array = {.dtype = v->number.dtype}}; /* at takes numbers as arrays of their own dtype */
    m_error e = op_dtype(f, a->dtype, at && v->weak ? &strong : v, &d);
    if (!e && !at && !same_kind(f == M_GREATER ? M_BOOL : d, a->dtype))
        e = M_TYPE;
    if (e || (e = numbers_of(v, shape, y)))
        return e;
    int64_t n = m_count(shape);
    for (int64_t k = 0; k < n; k++) {
        r[k] = apply(f, d, m_get(a, offset[k]), y[k]);
        if (at)
            m_put(a, offset[k], r[k]);
    }
    for (int64_t k = 0; k < n && !at; k++)
        m_put(a, offset[k], r[k]);
    return M_OK;
}

m_error m_in_place(m_ufunc f, const m_array *a, const m_value *v)
{
    int64_t at[M_SIZE];
    if (a->readonly)
        return M_VALUE;
    m_offsets(a, at);
    return update(f, a, &a->shape, at, v, false);
}

m_error m_in_place_at(m_ufunc f, const m_array *a, const m_places *places, const m_value *v)
{
    return a->readonly ? M_VALUE : update(f, a, &places->shape, places->offset, v, false);
}

m_error m_ufunc_at(m_ufunc f, const m_array *a, const m_places *places, const m_value *v)
{
    return a->readonly ? M_VALUE : update(f, a, &places->shape, places->offset, v, true);
}

/* ---- a[index], a[index] = v. */

m_error m_take(m_heap *heap, const m_array *a, const m_places *places, m_array *out)
{
    if (places->basic && !places->scalar) {
        *out = places->view;
        return M_OK;
    }
    m_error e = m_new(heap, a->dtype, &places->shape, out);
    for (int64_t k = 0; !e && k < m_count(&places->shape); k++)
        m_put(out, k * m_item_size(a->dtype), m_get(a, places->offset[k]));
    return e;
}

m_error m_set(const m_array *a, const m_places *places, const m_value *v)
{
    m_number x[M_SIZE];
    m_value right = *v;
    if (a->readonly)
        return M_VALUE;
    if (v->weak && is_integer(v->number.dtype) && a->dtype == M_U8 && (v->number.i < 0 || v->number.i > 255))
        return M_OVERFLOW;
    if (v->weak && v->number.dtype == M_C128 && a->dtype != M_C128)
        return M_TYPE;
    while (!v->weak && right.array.shape.ndim > places->shape.ndim && right.array.shape.dim[0] == 1) {
        m_array whole = right.array; /* assignment does not mind more axes of extent 1 in front */
        memmove(right.array.shape.dim, whole.shape.dim + 1, sizeof(int64_t) * (M_NDIM - 1));
        memmove(right.array.stride, whole.stride + 1, sizeof(int64_t) * (M_NDIM - 1));
        right.array.shape.ndim--;
    }
    m_error e = numbers_of(&right, &places->shape, x);
    for (int64_t k = 0; !e && k < m_count(&places->shape); k++)
        m_put(a, places->offset[k], x[k]);
    return e;
}
