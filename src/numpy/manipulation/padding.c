/* SPDX-License-Identifier: Apache-2.0
 * padding.c -- np.pad: axis by axis, each over what the axes before it have become. */
#include "lib/compose.h"
#include <string.h>

typedef enum { CONSTANT, EDGE, LINEAR_RAMP, MAXIMUM, MEAN, MEDIAN, MINIMUM, REFLECT, SYMMETRIC, WRAP, EMPTY } pad_mode;
static const char *const mode_names[] = {"constant", "edge",    "linear_ramp", "maximum", "mean", "median",
                                         "minimum",  "reflect", "symmetric",   "wrap",    "empty"};

typedef struct padding {
    knl_body c;
    pad_mode mode;
    bool odd;
    int64_t before[KN_MAX_NDIM], after[KN_MAX_NDIM];
    int64_t stat_before[KN_MAX_NDIM], stat_after[KN_MAX_NDIM]; /* -1: the whole axis */
} padding;

/* ---- What the options say about each axis. */

/* n numbers with these axes as pairs: one for all, one pair for all, or a pair for each axis. Gives the positions in v
 * of axis i's two numbers. */
static void pair_of(kna_op *op, int from_ndim, const int64_t *from, int ndim, int64_t n, int i, int64_t at[2])
{
    at[0] = at[1] = 0;
    if (from_ndim < 3 && n == 1)
        return;
    if (from_ndim < 3 && n == 2 && !(from_ndim == 2 && from[0] == 2)) {
        at[1] = 1;
        return;
    }
    int64_t rows = from_ndim == 2 ? from[0] : 1, columns = from_ndim ? from[from_ndim - 1] : 1;
    if (from_ndim > 2 || (rows != 1 && rows != ndim) || (columns != 1 && columns != 2)) {
        knx_text t = {0};
        if (from_ndim > 2)
            kna_fail(op, KN_ERROR_VALUE, "input operand has more dimensions than allowed by the axis remapping");
        else
            kna_fail(op, KN_ERROR_VALUE,
                     "operands could not be broadcast together with remapped shapes [original->remapped]: %s  and "
                     "requested shape (%d,2)",
                     knx_show_shape(&t, from_ndim, from), ndim);
        return;
    }
    int64_t row = rows == 1 ? 0 : i;
    at[0] = row * columns;
    at[1] = row * columns + (columns == 2);
}

static void read_counts(kna_op *op, kn_array x, int ndim, const char *what, int64_t *before, int64_t *after)
{
    int64_t n = 0, at[2], *v = knl_look_integers(op, x, &n, NULL, what);
    kni_type t = kna_type(op, x);
    for (int64_t i = 0; v && i < n; i++)
        if (v[i] < 0 && !kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE, "index can't contain negative values");
    for (int i = 0; v && i < ndim && !kna_failed(op); i++) {
        pair_of(op, t.ndim, t.dim, ndim, n, i, at);
        before[i] = v[at[0]];
        after[i] = v[at[1]];
    }
    if (v && !kna_failed(op) && !knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "%s", what);
    knx_free(v);
}

/* Number `side` of axis i of an array of pairs, as a scalar of dtype d; zero if there is none. */
static kni_atom value_for(padding *p, kn_array values, int ndim, int i, int side, kn_dtype d)
{
    kna_op *op = &p->c.op;
    int64_t at[2];
    if (!values)
        return kna_failed(op) ? KN_ATOM_NONE : knb_number(op->b, d, 0);
    bool is_number = p->mode == CONSTANT && d->kind == 'i' && kna_is_number(op, values); /* has to fit; others wrap */
    kni_atom v = is_number ? kna_in_as(op, values, d) : kna_in(op, values);
    if (kna_failed(op))
        return v;
    v = knb_astype(op->b, v, d);
    kni_type t = knb_type(op->b, v);
    int64_t n = kni_type_size(t);
    pair_of(op, t.ndim, t.dim, ndim, n, i, at);
    kn_shape scalar = {.ndim = 0};
    int64_t start = at[side], limit = start + 1;
    v = knl_flatten(op, v);
    if (kna_failed(op))
        return v;
    return knl_reshape(op, n == 1 ? v : knb_slice(op->b, v, &start, &limit, NULL), &scalar);
}

/* ---- One axis. */

static kni_atom part(kna_op *op, kni_atom a, int axis, int64_t start, int64_t limit, bool back)
{
    kn_shape from = {0}, to = knl_shape_of(op, a);
    int64_t at = axis;
    if (kna_failed(op))
        return a;
    from.dim[axis] = start;
    to.dim[axis] = limit;
    kni_atom y = knb_slice(op->b, a, from.dim, to.dim, NULL);
    return back ? knb_rev(op->b, y, 1, &at) : y;
}

/* x of extent 1 along the axis (or a scalar), n times. */
static kni_atom spread(kna_op *op, kni_atom x, kni_atom like, int axis, int64_t n)
{
    kn_shape shape = knl_shape_of(op, like);
    shape.dim[axis] = n;
    return kna_failed(op) ? x : knb_broadcast_to(op->b, x, knl_shaped(knb_type(op->b, x).dtype, &shape));
}

static kni_atom between(kna_op *op, kni_atom left, kni_atom a, kni_atom right, int axis, int64_t before, int64_t after)
{
    kni_atom all[3];
    int n = 0;
    if (before)
        all[n++] = left;
    all[n++] = a;
    if (after)
        all[n++] = right;
    return kna_failed(op) || n == 1 ? a : knb_concatenate(op->b, n, all, axis);
}

/* The middle of the elements along an axis, or the mean of the two in the middle; NaN if there is one. */
static kn_array middle(padding *p, kni_atom a, int axis)
{
    kna_op *op = &p->c.op;
    kni_atom y;
    knb_sort(op->b, 1, &a, axis, 1, &y);
    int64_t n = kna_failed(op) ? 1 : knb_type(op->b, a).dim[axis];
    kni_atom last = part(op, y, axis, n - 1, n, false),
             centre = part(op, y, axis, knx_dim_floordiv(n - 1, 2), knx_dim_floordiv(n, 2) + 1, false);
    kn_mean_opts o = kn_mean_opts_default();
    o.axis = knl_one_axis(axis);
    o.keepdims = true;
    kn_array m = kn_mean(knl_made(&p->c, centre), &o), end = knl_made(&p->c, last);
    return kna_failed(op) ? m : kn_where(kn_isnan(end), end, m);
}

static kni_atom statistic(padding *p, kni_atom a, int axis, int64_t start, int64_t limit)
{
    kna_op *op = &p->c.op;
    kn_dtype d = kna_failed(op) ? NULL : knb_type(op->b, a).dtype;
    kni_atom chunk = part(op, a, axis, start, limit, false);
    if (kna_failed(op))
        return a;
    kn_array x = knl_made(&p->c, chunk), y;
    kn_max_opts most = kn_max_opts_default();
    kn_mean_opts mean = kn_mean_opts_default();
    most.axis = mean.axis = knl_one_axis(axis);
    most.keepdims = mean.keepdims = true;
    y = p->mode == MAXIMUM   ? kn_max(x, &most)
        : p->mode == MINIMUM ? kn_min(x, &most)
        : p->mode == MEAN    ? kn_mean(x, &mean)
                             : middle(p, chunk, axis);
    kni_atom s = kna_in(op, y);
    if (kna_failed(op))
        return s;
    if (knx_is_integer(d) && knx_is_float(knb_type(op->b, s).dtype))
        s = knb_round(op->b, s, true);
    return knb_astype(op->b, s, d);
}

static kni_atom pad_statistic(padding *p, kni_atom a, int axis, int64_t before, int64_t after)
{
    kna_op *op = &p->c.op;
    int64_t n = knb_type(op->b, a).dim[axis], l = p->stat_before[axis], r = p->stat_after[axis];
    l = l < 0 ? n : knx_dim_min(l, n);
    r = r < 0 ? n : knx_dim_min(r, n);
    if ((!l || !r) && (p->mode == MAXIMUM || p->mode == MINIMUM))
        kna_fail(op, KN_ERROR_VALUE, "stat_length of 0 yields no value for padding");
    if (kna_failed(op))
        return a;
    kni_atom left = statistic(p, a, axis, 0, l);
    kni_atom right = l == n && r == n ? left : statistic(p, a, axis, knx_dim_sub(n, r), n);
    return between(op, spread(op, left, a, axis, before), a, spread(op, right, a, axis, after), axis, before, after);
}

/* In which a ramp is computed: the common dtype of end value and edge, if that is inexact. */
static kn_dtype ramp_dtype(kna_op *op, kn_array ends, kn_dtype d)
{
    kni_type t = ends ? kna_type(op, ends) : kni_scalar_type(KN_DT(I64));
    kn_dtype both = kna_failed(op) ? NULL : knx_promote(kna_strong_dtype(t), d);
    return both && knx_is_inexact(both) ? both : KN_DT(F64);
}

/* From the end value on `side` towards the edge, which is not reached. Computed before it becomes the array's dtype,
 * which the end value itself need not be of. */
static kni_atom ramp(padding *p, kn_array ends, int ndim, int side, kni_atom edge, int axis, int64_t n)
{
    kna_op *op = &p->c.op;
    kni_builder *b = op->b;
    kn_dtype d = knb_type(b, edge).dtype, work = ramp_dtype(op, ends, d);
    kni_atom end = value_for(p, ends, ndim, axis, side, work);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_linspace_opts o = kn_linspace_opts_default();
    int64_t at = axis;
    o.endpoint = false;
    o.dtype = d;
    o.axis = knl_one_axis(axis);
    kn_array from = knl_made(&p->c, end);
    kn_array to = knl_made(&p->c, knb_astype(b, knb_squeeze(b, edge, 1, &at), work));
    kni_atom y = kna_in(op, kn_linspace(from, to, n, &o));
    return kna_failed(op) || !side ? y : knb_rev(b, y, 1, &at);
}

/* 2 edge - x; truth values are numbers in between. */
static kni_atom turned(kna_op *op, kni_atom edge, kni_atom x)
{
    kni_builder *b = op->b;
    kn_dtype d = kna_failed(op) ? NULL : knb_type(b, x).dtype, work = d == KN_DT(BOOL) ? KN_DT(I64) : d;
    if (!d)
        return x;
    edge = knb_astype(b, edge, work);
    return knb_astype(b, knb_sub(b, knb_mul(b, knb_like(b, edge, 2), edge), knb_astype(b, x, work)), d);
}

/* An extent that is an expression has to be known to be large enough for one reflection. */
static bool reflects(padding *p, int axis, int64_t n, int64_t most)
{
    int64_t least = most + (p->mode == REFLECT);
    knx_text t = {0};
    if (!knx_is_symbolic(n) || knx_dim_known_le(least > 2 ? least : 2, n) || kna_failed(&p->c.op))
        return knx_is_symbolic(n) || n > 1;
    kna_fail(&p->c.op, KN_ERROR_DIMENSION, "mode '%s' needs to know that axis %d of extent %s is at least %lld long",
             mode_names[p->mode], axis, knx_dim_show(&t, n), (long long)(least > 2 ? least : 2));
    return false;
}

/* Reflections of an axis of extent 2 or more (or 1 with its edge), as often as it takes. */
static kni_atom reflect(padding *p, kni_atom a, int axis, int64_t before, int64_t after)
{
    kna_op *op = &p->c.op;
    bool edge = p->mode == SYMMETRIC;
    int64_t period = knb_type(op->b, a).dim[axis];
    while ((before || after) && !kna_failed(op)) {
        int64_t n = knb_type(op->b, a).dim[axis]; /* so much is there by now; whole periods are reflected */
        int64_t chunk = edge ? n : n - 1;
        chunk = knx_is_symbolic(chunk) ? chunk : chunk / (period - !edge) * (period - !edge);
        int64_t l = knx_dim_min(chunk, before), r = knx_dim_min(chunk, after), skip = edge ? 0 : 1;
        kni_atom left = part(op, a, axis, skip, skip + l, true);
        kni_atom right = part(op, a, axis, n - skip - r, n - skip, true);
        if (p->odd && !kna_failed(op)) {
            left = turned(op, spread(op, part(op, a, axis, 0, 1, false), left, axis, l), left);
            right = turned(op, spread(op, part(op, a, axis, n - 1, n, false), right, axis, r), right);
        }
        a = between(op, left, a, right, axis, l, r);
        before -= l;
        after -= r;
    }
    return a;
}

static kni_atom wrap(padding *p, kni_atom a, int axis, int64_t before, int64_t after)
{
    kna_op *op = &p->c.op;
    int64_t n = knb_type(op->b, a).dim[axis], total = n + before + after;
    if (knx_is_symbolic(n)) {
        kni_atom at = knb_iota(op->b, KN_DT(I64), 1, &total, 0);
        at = knl_remainder(op, knb_sub(op->b, at, knb_integer(op->b, KN_DT(I64), before)), n);
        return knl_take_axis(op, a, at, axis, KN_GATHER_PROMISE);
    }
    int64_t *map = knl_integer_room(op, total);
    for (int64_t i = 0; map && i < total; i++)
        map[i] = ((i - before) % n + n) % n;
    kn_array m = map ? knl_integers(map, total) : NULL;
    kni_atom y = m ? knl_take_axis(op, a, kna_in(op, m), axis, KN_GATHER_PROMISE) : a;
    knx_free(map);
    return y;
}

static kni_atom pad_axis(padding *p, kni_atom a, int axis, int ndim, const kn_pad_opts *o)
{
    kna_op *op = &p->c.op;
    kni_type t = knb_type(op->b, a);
    int64_t before = p->before[axis], after = p->after[axis], n = t.dim[axis];
    kni_atom first = KN_ATOM_NONE, last = KN_ATOM_NONE;
    int64_t total;
    if (!before && !after && p->mode != MAXIMUM && p->mode != MINIMUM)
        return a;
    if ((knl_is_extent(before) && !kna_need_number(op, before, "how far this mode pads")) ||
        (knl_is_extent(after) && !kna_need_number(op, after, "how far this mode pads")))
        return a;
    if (__builtin_add_overflow(n, before, &total) || __builtin_add_overflow(total, after, &total)) {
        kna_fail(op, KN_ERROR_MEMORY, "axis %d is too large with its padding of %lld and %lld", axis, (long long)before,
                 (long long)after);
        return a;
    }
    if (n && p->mode != CONSTANT && p->mode != EMPTY) {
        first = part(op, a, axis, 0, 1, false);
        last = part(op, a, axis, n - 1, n, false);
    }
    switch (p->mode) {
    case CONSTANT:
    case EMPTY:
        first = value_for(p, o->constant_values, ndim, axis, 0, t.dtype);
        last = value_for(p, o->constant_values, ndim, axis, 1, t.dtype);
        break;
    case LINEAR_RAMP:
        if (before)
            first = ramp(p, o->end_values, ndim, 0, first, axis, before);
        if (after && !kna_failed(op))
            last = ramp(p, o->end_values, ndim, 1, last, axis, after);
        return between(op, first, a, last, axis, before, after);
    case MAXIMUM:
    case MEAN:
    case MEDIAN:
    case MINIMUM: return pad_statistic(p, a, axis, before, after);
    case REFLECT:
    case SYMMETRIC:
        if (reflects(p, axis, n, before > after ? before : after))
            return reflect(p, a, axis, before, after);
        break;
    case WRAP: return wrap(p, a, axis, before, after);
    case EDGE: break;
    }
    return between(op, spread(op, first, a, axis, before), a, spread(op, last, a, axis, after), axis, before, after);
}

/* ---- The function. */

static void read_options(padding *p, const kn_pad_opts *o, int ndim)
{
    kna_op *op = &p->c.op;
    int mode = 0;
    while (o->mode && mode <= EMPTY && strcmp(o->mode, mode_names[mode]) != 0)
        mode++;
    if (mode > EMPTY) {
        kna_fail(op, KN_ERROR_VALUE, "mode '%s' is not supported", o->mode);
        return;
    }
    p->mode = (pad_mode)mode;
    bool statistic = mode >= MAXIMUM && mode <= MINIMUM, reflects = mode == REFLECT || mode == SYMMETRIC;
    const char *wrong = o->constant_values && mode != CONSTANT ? "constant_values"
                        : o->end_values && mode != LINEAR_RAMP ? "end_values"
                        : o->stat_length && !statistic         ? "stat_length"
                        : o->reflect_type && !reflects         ? "reflect_type"
                                                               : NULL;
    if (wrong)
        kna_fail(op, KN_ERROR_VALUE, "unsupported keyword arguments for mode '%s': {'%s'}", mode_names[mode], wrong);
    p->odd = o->reflect_type && !strcmp(o->reflect_type, "odd");
    if (o->reflect_type && !p->odd && strcmp(o->reflect_type, "even") != 0)
        kna_fail(op, KN_ERROR_VALUE, "reflect_type must be one of 'even' or 'odd' (got '%s')", o->reflect_type);
    for (int i = 0; i < ndim; i++)
        p->stat_before[i] = p->stat_after[i] = -1;
    if (o->stat_length && !kna_failed(op))
        read_counts(op, o->stat_length, ndim, "`stat_length` must be of integral type.", p->stat_before, p->stat_after);
}

/* The same number around all axes: one equation. */
static bool has_one_value(padding *p, const kn_pad_opts *o)
{
    return p->mode == EMPTY ||
           (p->mode == CONSTANT && (!o->constant_values || kni_type_size(kna_type(&p->c.op, o->constant_values)) == 1));
}

kn_array kn_pad(kn_array x, kn_array pad_width, const kn_pad_opts *opts)
{
    KNX_OPTS(kn_pad_opts, o, opts);
    padding p = {.mode = CONSTANT};
    knl_begin(&p.c, "pad");
    kna_op *op = &p.c.op;
    kni_atom a = kna_in(op, x);
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, a).ndim;
    if (!kna_failed(op))
        read_counts(op, pad_width, ndim, "`pad_width` must be of integral type.", p.before, p.after);
    if (!kna_failed(op))
        read_options(&p, &o, ndim);
    bool empty = !kna_failed(op) && !kni_type_size(knb_type(op->b, a));
    for (int i = 0; i < ndim && !kna_failed(op); i++)
        if (p.mode != CONSTANT && p.mode != EMPTY && (p.before[i] || p.after[i]) &&
            !knx_dim_lt(0, knb_type(op->b, a).dim[i]))
            kna_fail(op, KN_ERROR_VALUE, "can't extend empty axis %d using modes other than 'constant' or 'empty'", i);
    if (empty && p.mode != CONSTANT && !kna_failed(op)) {
        p.mode = EMPTY;
        o.constant_values = NULL;
    }
    if (!kna_failed(op) && ndim && has_one_value(&p, &o)) {
        kni_atom value = value_for(&p, o.constant_values, ndim, 0, 0, knb_type(op->b, a).dtype);
        return knl_end(&p.c, knl_made_like(&p.c, knb_pad(op->b, a, value, p.before, p.after, NULL), x));
    }
    for (int i = 0; i < ndim && !kna_failed(op); i++)
        a = pad_axis(&p, a, i, ndim, &o);
    return knl_end(&p.c, knl_made_like(&p.c, a, x));
}
