/* SPDX-License-Identifier: Apache-2.0
 * reductions.c -- sums, means, extremes, truth and positions over axes. What is joined in which order is
 * docs/determinism.md's business. */
#include "lib/kept.h"
#include <math.h>
#include <string.h>

/* What the reductions have in common: the operand, the axes and how many elements meet. */
typedef struct reduction {
    kna_op op;
    kn_array given, where;
    kni_atom x;
    kni_type type; /* of x, as it came in */
    int n;         /* axes */
    int64_t axes[KN_MAX_NDIM];
    kni_atom mask; /* the where option, KN_ATOM_NONE if not given */
} reduction;

void knl_check_where(kna_op *op, kni_type x, kn_array where, bool of_ufunc)
{
    kni_type m = kna_type(op, where);
    kn_shape all = {.ndim = x.ndim};
    knx_text xs = {0}, ms = {0};
    bool fits = true, same = true;
    if (!kna_failed(op) && m.ndim > x.ndim)
        kna_fail(op, KN_ERROR_VALUE,
                 of_ufunc || x.ndim ? "input operand has more dimensions than allowed by the axis remapping"
                                    : "cannot broadcast a non-scalar to a scalar array");
    for (int i = 0; i < x.ndim && !kna_failed(op); i++) {
        int d = i - (x.ndim - m.ndim);
        int64_t p = x.dim[i], q = d < 0 ? 1 : m.dim[d];
        fits = fits && (p == 1 || q == 1 || knx_dim_eq(p, q));
        same = same && (q == 1 || knx_dim_eq(p, q));
        all.dim[i] = q == 1 ? p : q;
    }
    if (kna_failed(op) || same)
        return;
    knx_show_shape(&xs, x.ndim, x.dim);
    if (!of_ufunc)
        kna_fail(op, KN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes [original->remapped]: %s  and "
                 "requested shape %s",
                 knx_show_shape(&ms, m.ndim, m.dim), xs.s);
    else if (!fits)
        kna_fail(op, KN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes [original->remapped]: %s %s", xs.s,
                 knx_show_shape(&ms, m.ndim, m.dim));
    else
        kna_fail(op, KN_ERROR_VALUE, "non-broadcastable operand with shape %s doesn't match the broadcast shape %s",
                 xs.s, knx_show_shape(&ms, all.ndim, all.dim));
}

static void read_where(reduction *r, kn_array where, bool of_ufunc)
{
    if (!where || kna_failed(&r->op))
        return;
    kni_type full = knb_type(r->op.b, r->x);
    knl_check_where(&r->op, full, where, of_ufunc);
    kni_atom mask = kna_failed(&r->op) ? KN_ATOM_NONE : knl_truth(&r->op, kna_in(&r->op, where));
    if (!kna_failed(&r->op))
        r->mask = knb_broadcast_to(r->op.b, mask, full);
}

/* Begins the operation. x stays as it is; its dtype is changed by the caller. Where NumPy's function is the reduction
 * of a ufunc, a scalar has an axis 0. */
static KNX_HOT void begin(reduction *r, const char *name, kn_array x, kn_axes axis, kn_array where, bool of_ufunc)
{
    kna_begin(&r->op, name);
    r->given = x;
    r->where = where;
    r->x = kna_in(&r->op, x);
    r->mask = KN_ATOM_NONE;
    r->n = 0;
    r->type = kni_scalar_type(KN_DT(F32));
    if (kna_failed(&r->op))
        return;
    if (!of_ufunc) /* NumPy's function in Python counts the elements first */
        read_where(r, where, false);
    if (kna_failed(&r->op))
        return;
    r->type = knb_type(r->op.b, r->x);
    if (of_ufunc && r->type.ndim == 0 && axis.n == 2 && (axis.axis[0] == 0 || axis.axis[0] == -1))
        axis.n = 0;
    if (!knl_not_a_number(&r->op, name, r->type.dtype))
        r->n = kna_axes(&r->op, axis, r->type.ndim, KNA_AXES_ALL, r->axes);
    if (of_ufunc)
        read_where(r, where, true);
}

static void as(reduction *r, kn_dtype d)
{
    if (!kna_failed(&r->op))
        r->x = knb_astype(r->op.b, r->x, d);
}

/* x where the mask is set, the number elsewhere. */
static KNX_HOT void masked(reduction *r, double otherwise)
{
    if (!kna_failed(&r->op) && r->mask != KN_ATOM_NONE)
        r->x = knb_select(r->op.b, r->mask, r->x, knb_like(r->op.b, r->x, otherwise));
}

static KNX_HOT kn_array finish(reduction *r, kni_atom y, bool keepdims)
{
    if (keepdims && !kna_failed(&r->op))
        y = knl_keep_axes(&r->op, y, r->type, r->n, r->axes);
    return knl_end_reduced(&r->op, y, r->given, r->where, r->n, r->axes, keepdims);
}

typedef kni_atom (*reducer)(kni_builder *b, kni_atom x, int n, const int64_t *axes);

static KNX_HOT kni_atom reduce(reduction *r, reducer f)
{
    if (kna_failed(&r->op) || !r->n)
        return r->x;
    return f(r->op.b, r->x, r->n, r->axes);
}

static int64_t elements(const reduction *r)
{
    int64_t n = 1;
    for (int i = 0; i < r->n; i++)
        n = knx_dim_mul(n, r->type.dim[r->axes[i]]);
    return n;
}

/* A floating C number where integers go: its whole part, if that fits. */
static kni_atom whole_part(kna_op *op, double v, kn_dtype d)
{
    double most = d->kind == KN_KIND_UINT && d->size >= 4 ? 0x1p64 : 0x1p63, least = -0x1p63;
    if (isnan(v))
        kna_fail(op, KN_ERROR_VALUE, "cannot convert float NaN to integer");
    else if (isinf(v))
        kna_fail(op, KN_ERROR_OVERFLOW, "cannot convert float infinity to integer");
    else if (!(v >= least && v < most))
        kna_fail(op, KN_ERROR_OVERFLOW, "Python int too large to convert to C long");
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_scope scope = kn_scope_begin();
    bool large = v >= 0x1p63;
    knx_scalar_bits bits = {{0}};
    if (large)
        bits.u64 = (uint64_t)v;
    else
        bits.i64 = (int64_t)v;
    kni_atom a = kna_in_as(op, kna_from_number(large ? KN_DT(U64) : KN_DT(I64), true, bits), d);
    kn_scope_end(&scope);
    return a;
}

kni_atom knl_initial(kna_op *op, kn_array initial, kn_dtype d)
{
    kni_type t = kna_type(op, initial);
    bool real = !kna_failed(op) && (knx_is_integer(d) || knx_is_float(d));
    if (kna_failed(op) || !t.weak || !real || (!knx_is_float(t.dtype) && !knx_is_complex(t.dtype)))
        return kna_in_as(op, initial, d);
    if (knx_is_complex(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "%s argument must be a string%s or a real number, not 'complex'",
                 knx_is_float(d) ? "float()" : "int()", knx_is_float(d) ? "" : ", a bytes-like object");
    const void *at = kna_failed(op) || knx_is_float(d) ? NULL : kna_look(op, initial, &t);
    double v = 0;
    if (at)
        knx_convert(t.dtype, at, KN_DT(F64), &v);
    return at ? whole_part(op, v, d) : kna_in_as(op, initial, d);
}

/* ---- Sums. */

static kn_dtype sum_dtype(kn_dtype d)
{
    return d->kind == KN_KIND_BOOL || d->kind == KN_KIND_INT ? KN_DT(I64) : d->kind == KN_KIND_UINT ? KN_DT(U64) : d;
}

static KNX_HOT kni_atom sum_as(reduction *r, kn_dtype d)
{
    kni_builder *b = r->op.b;
    as(r, d);
    masked(r, 0);
    if (!kna_failed(&r->op) && d->kind == KN_KIND_BOOL) /* a bool sum is "any" */
        return reduce(r, knb_reduce_or);
    if (r->n || kna_failed(&r->op))
        return reduce(r, knb_reduce_sum);
    return knx_is_inexact(d) ? knb_add(b, r->x, knb_like(b, r->x, 0)) : r->x; /* as every sum, it is not -0 */
}

/* given: x, initial, where */
static kn_array sum(const kn_array *given, const void *options)
{
    const kn_sum_opts *o = options;
    reduction r;
    begin(&r, "sum", given[0], o->axis, given[2], true);
    kni_atom y = sum_as(&r, kna_lookup_dtype(o->dtype, sum_dtype(r.type.dtype)));
    if (given[1] && !kna_failed(&r.op))
        y = knb_add(r.op.b, y, knl_initial(&r.op, given[1], knb_type(r.op.b, y).dtype));
    return finish(&r, y, o->keepdims);
}

KNX_HOT kn_array kn_sum(kn_array x, const kn_sum_opts *opts)
{
    KNX_OPTS(kn_sum_opts, o, opts);
    const kn_array given[] = {x, o.initial, o.where};
    o.initial = o.where = NULL;
    return knl_kept(&(knl_call){"sum", sum, 3, given, &o, sizeof o});
}

kn_array kn_prod(kn_array x, const kn_sum_opts *opts)
{
    KNX_OPTS(kn_sum_opts, o, opts);
    reduction r;
    begin(&r, "prod", x, o.axis, o.where, true);
    kn_dtype d = kna_lookup_dtype(o.dtype, sum_dtype(r.type.dtype));
    as(&r, d);
    masked(&r, 1);
    kni_atom y = reduce(&r, d->kind == KN_KIND_BOOL ? knb_reduce_and : knb_reduce_prod);
    if (o.initial && !kna_failed(&r.op)) {
        kni_atom first = knl_initial(&r.op, o.initial, d);
        y = d->kind == KN_KIND_BOOL ? knb_and(r.op.b, y, first) : knb_mul(r.op.b, y, first);
    }
    return finish(&r, y, o.keepdims);
}

/* How many elements were added up: a number, or an array if there is a mask. */
static kni_atom count_as(reduction *r, kn_dtype d)
{
    kni_builder *b = r->op.b;
    if (kna_failed(&r->op) || r->mask == KN_ATOM_NONE)
        return knl_number_of(&r->op, d, elements(r));
    kni_atom ones = knb_astype(b, r->mask, KN_DT(I64));
    return knb_astype(b, r->n ? knb_reduce_sum(b, ones, r->n, r->axes) : ones, d);
}

/* The dtype in which a mean is computed, and the one that it has. */
static kn_dtype mean_dtypes(kn_dtype given, kn_dtype of, kn_dtype *result)
{
    *result = kna_lookup_dtype(given, knl_inexact_for(of));
    return !given && (*result == KN_DT(F16) || *result == KN_DT(BF16)) ? KN_DT(F32) : *result;
}

/* Of a dtype that was asked for, which may be one of integers: then the quotient's fraction goes. */
static kni_atom quotient(kni_builder *b, kni_atom sum, kni_atom n, kn_dtype d)
{
    if (knx_is_inexact(d))
        return knb_div(b, sum, knb_astype(b, n, d));
    return knb_astype(b, knb_div(b, knb_astype(b, sum, KN_DT(F64)), knb_astype(b, n, KN_DT(F64))), d);
}

/* given: x, where */
static kn_array mean(const kn_array *given, const void *options)
{
    const kn_mean_opts *o = options;
    reduction r;
    kn_dtype result;
    begin(&r, "mean", given[0], o->axis, given[1], false);
    kn_dtype d = mean_dtypes(o->dtype, r.type.dtype, &result);
    kni_atom y = sum_as(&r, d);
    if (!kna_failed(&r.op))
        y = knb_astype(r.op.b, quotient(r.op.b, y, count_as(&r, knx_is_inexact(d) ? d : KN_DT(F64)), d), result);
    return finish(&r, y, o->keepdims);
}

kn_array kn_mean(kn_array x, const kn_mean_opts *opts)
{
    KNX_OPTS(kn_mean_opts, o, opts);
    const kn_array given[] = {x, o.where};
    o.where = NULL;
    return knl_kept(&(knl_call){"mean", mean, 2, given, &o, sizeof o});
}

/* The mean, with axes of extent 1 for those that are reduced, or the one that was given. */
static kni_atom mean_for(reduction *r, kn_array given, kn_dtype d)
{
    kni_builder *b = r->op.b;
    if (given)
        return kna_in_as(&r->op, given, d);
    kni_atom sum = reduce(r, knb_reduce_sum);
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    kni_atom n = count_as(r, knx_is_inexact(d) ? d : KN_DT(F64));
    return knl_keep_axes(&r->op, quotient(b, sum, n, d), r->type, r->n, r->axes);
}

/* The dtypes of a variance: sums are added up in `sum`, deviations taken in `away`, their squares in `each`. */
typedef struct variance_dtypes {
    kn_dtype sum, away, each, result;
} variance_dtypes;

/* nan: NumPy's nanvar keeps the deviations in the dtype of its argument. */
static variance_dtypes dtypes_of_variance(reduction *r, const kn_var_opts *o, bool nan)
{
    variance_dtypes t;
    kn_dtype from = r->type.dtype;
    t.sum = mean_dtypes(o->dtype, from, &t.result);
    bool refused = kna_failed(&r->op) || knl_not_a_number(&r->op, "var", t.sum);
    t.away = o->dtype && !refused ? knx_promote(from, t.sum) : t.sum;
    t.each = o->dtype && nan ? from : t.away;
    kni_type given = o->mean ? kna_type(&r->op, o->mean) : r->type;
    if (!kna_failed(&r->op) && o->mean && !knl_not_a_number(&r->op, "mean", given.dtype) && !given.weak &&
        knx_promote(t.sum, given.dtype) != t.sum)
        t.away = t.each = t.sum = t.result = knx_promote(t.sum, given.dtype);
    if (!o->dtype)
        t.result = knx_component(t.result);
    return t;
}

/* |x|^2 */
static kni_atom squared(kni_builder *b, kni_atom x, bool was_complex)
{
    kn_dtype d = knb_type(b, x).dtype;
    if (knx_is_complex(d) && was_complex)
        return knb_add(b, knb_integer_pow(b, knb_real(b, x), 2), knb_integer_pow(b, knb_imag(b, x), 2));
    return knx_is_inexact(d) ? knb_integer_pow(b, x, 2) : knb_mul(b, x, x);
}

/* The deviations' squares, added up and divided by n - ddof. */
static kni_atom variance(reduction *r, const kn_var_opts *o, const variance_dtypes *t)
{
    kni_builder *b = r->op.b;
    if (o->ddof != 0 && o->correction != 0)
        kna_fail(&r->op, KN_ERROR_VALUE, "ddof and correction can't be provided simultaneously.");
    kni_atom x = r->x;
    bool was_complex = knx_is_complex(r->type.dtype);
    as(r, t->sum);
    masked(r, 0); /* what does not count is not to be seen in derivatives, either: it may be NaN */
    kni_atom mean = mean_for(r, o->mean, t->sum);
    if (t->away != t->sum) {
        r->x = x;
        as(r, t->away);
        masked(r, 0);
        mean = kna_failed(&r->op) ? mean : knb_astype(b, mean, t->away);
    }
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    kni_atom away = knb_sub(b, r->x, knb_broadcast_to(b, mean, r->type));
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    r->x = squared(b, knb_astype(b, away, t->each), was_complex);
    kn_dtype real = knx_component(t->sum), d = o->dtype ? t->sum : real;
    as(r, d);
    masked(r, 0);
    kni_atom sum = reduce(r, knb_reduce_sum), zero = knb_number(b, knx_is_inexact(real) ? real : KN_DT(F64), 0);
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    kn_dtype counts = knb_type(b, zero).dtype;
    kni_atom rest = knb_sub(b, count_as(r, counts), knb_number(b, counts, o->ddof + o->correction));
    return quotient(b, sum, knb_max(b, rest, zero), d);
}

static kni_atom root_of(reduction *r, kni_atom y)
{
    kni_type t = knb_type(r->op.b, y);
    if (knx_is_inexact(t.dtype))
        return knb_sqrt(r->op.b, y);
    kn_dtype f = knl_float_for(t);
    if (t.ndim) /* NumPy's own: a scalar becomes an integer again, an array does not */
        kna_fail(&r->op, KN_ERROR_TYPE,
                 "Cannot cast ufunc 'sqrt' output from dtype('%s') to dtype('%s') with casting rule 'same_kind'",
                 f->name, t.dtype->name);
    return kna_failed(&r->op) ? y : knb_sqrt(r->op.b, knb_astype(r->op.b, y, f));
}

kn_array knl_variance(const char *name, kn_array x, const kn_var_opts *opts, bool root, bool nan)
{
    KNX_OPTS(kn_var_opts, o, opts);
    reduction r;
    begin(&r, name, x, o.axis, o.where, false);
    variance_dtypes t = dtypes_of_variance(&r, &o, nan);
    kni_atom y = kna_failed(&r.op) ? KN_ATOM_NONE : variance(&r, &o, &t);
    if (root && !kna_failed(&r.op))
        y = root_of(&r, y);
    return finish(&r, kna_failed(&r.op) ? y : knb_astype(r.op.b, y, t.result), o.keepdims);
}

/* given: x, where, mean */
static kn_array var_or_std(const kn_array *given, const void *options, bool root)
{
    kn_var_opts o = *(const kn_var_opts *)options;
    o.where = given[1];
    o.mean = given[2];
    return knl_variance(root ? "std" : "var", given[0], &o, root, false);
}

static kn_array var(const kn_array *given, const void *options) { return var_or_std(given, options, false); }
static kn_array std(const kn_array *given, const void *options) { return var_or_std(given, options, true); }

static kn_array kept_variance(kn_array x, const kn_var_opts *opts, bool root)
{
    KNX_OPTS(kn_var_opts, o, opts);
    const kn_array given[] = {x, o.where, o.mean};
    o.where = o.mean = NULL;
    return knl_kept(&(knl_call){root ? "std" : "var", root ? std : var, 3, given, &o, sizeof o});
}

kn_array kn_var(kn_array x, const kn_var_opts *opts) { return kept_variance(x, opts, false); }
kn_array kn_std(kn_array x, const kn_var_opts *opts) { return kept_variance(x, opts, true); }

/* ---- Extremes. */

/* Is there nothing to reduce? As NumPy has it, also where there is no result. */
static bool nothing(const reduction *r) { return !knx_dim_lt(0, elements(r)); }

/* The smallest (largest) value of a dtype, as a literal. */
static kni_atom limit(kni_builder *b, kn_dtype d, bool smallest)
{
    return knb_literal(b, d, false, knx_scalar_extreme(d, !smallest));
}

/* A value of this dtype that every other one is chosen over. */
static kni_atom worst(kni_builder *b, kn_dtype d, bool largest)
{
    if (!knx_is_complex(d))
        return limit(b, d, largest);
    kni_atom part = limit(b, knx_component(d), largest);
    return knb_complex(b, part, part);
}

/* The greater (lesser) one of two: complex numbers by their real parts first. Of two equal ones x; x if it is NaN. */
static kni_atom better(kna_op *op, kni_atom x, kni_atom y, bool largest)
{
    kni_builder *b = op->b;
    if (kna_failed(op) || !knx_is_complex(knb_type(b, x).dtype))
        return largest ? knb_max(b, x, y) : knb_min(b, x, y);
    kni_atom keep = knb_or(b, largest ? knb_ge(b, x, y) : knb_le(b, x, y), knb_ne(b, x, x));
    return knb_select(b, keep, x, y);
}

/* The extreme of complex numbers is taken (from `all`) from where it stands; there is one at least. */
static kni_atom complex_extreme(reduction *r, bool largest, kni_atom all)
{
    if (!r->n)
        return all;
    kni_builder *b = r->op.b;
    kni_atom x = knl_axes_last(&r->op, r->x, r->n, r->axes);
    all = knl_axes_last(&r->op, all, r->n, r->axes);
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    int last = knb_type(b, x).ndim - 1;
    kni_atom at = (largest ? knb_argmax : knb_argmin)(b, x, last, KN_DT(I64));
    kni_atom y = knl_take_along(&r->op, all, knb_expand_dims(b, at, last), last, KN_GATHER_PROMISE);
    return knb_squeeze(b, y, 1, (const int64_t[]){last});
}

/* The extreme over the axes where nothing is left: the worst value, of the result's shape. */
static kni_atom of_nothing(const reduction *r, bool largest)
{
    kn_shape shape = {.ndim = 0};
    for (int i = 0, j = 0; i < r->type.ndim; i++) {
        if (j < r->n && r->axes[j] == i)
            j++;
        else
            shape.dim[shape.ndim++] = r->type.dim[i];
    }
    kni_atom y = worst(r->op.b, r->type.dtype, largest);
    return shape.ndim ? knb_broadcast_in_dim(r->op.b, y, shape.ndim, shape.dim, NULL) : y;
}

/* Elements that are NaN do not count, but where there is nothing else: their mask goes to *nan. */
static void leave_nan_out(reduction *r, bool largest, kni_atom *nan)
{
    kni_builder *b = r->op.b;
    kni_atom is_nan = knb_ne(b, r->x, r->x), nothing_here = is_nan;
    if (r->mask != KN_ATOM_NONE)
        nothing_here = knb_or(b, is_nan, knb_not(b, r->mask));
    r->x = knb_select(b, is_nan, worst(b, r->type.dtype, largest), r->x);
    *nan = r->n ? knb_reduce_and(b, nothing_here, r->n, r->axes) : nothing_here;
}

static kni_atom extreme(reduction *r, bool largest, kn_array initial, const char *ufunc)
{
    kni_builder *b = r->op.b;
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    kn_dtype d = r->type.dtype;
    kni_atom nan = KN_ATOM_NONE, all = r->x;
    if (r->mask != KN_ATOM_NONE && !initial)
        kna_fail(
            &r->op, KN_ERROR_VALUE,
            "reduction operation '%s' does not have an identity, so to use a where mask one has to specify 'initial'",
            ufunc);
    if (!initial && nothing(r))
        kna_fail(&r->op, KN_ERROR_VALUE, "zero-size array to reduction operation %s which has no identity", ufunc);
    if (kna_failed(&r->op))
        return KN_ATOM_NONE;
    if (ufunc[0] == 'f' && knx_is_inexact(d)) /* fmax and fmin */
        leave_nan_out(r, largest, &nan);
    if (r->mask != KN_ATOM_NONE)
        r->x = knb_select(b, r->mask, r->x, worst(b, d, largest));
    kni_atom y;
    if (knx_dim_eq(elements(r), 0)) /* the primitive refuses these, though there is an initial value or no result */
        y = of_nothing(r, largest);
    else if (knx_is_complex(d))
        y = complex_extreme(r, largest, ufunc[0] == 'f' ? all : r->x);
    else
        y = reduce(r, largest ? knb_reduce_max : knb_reduce_min);
    if (initial) {
        kni_atom first = knb_broadcast_to(b, knl_initial(&r->op, initial, d), knb_type(b, y));
        kni_atom joined = better(&r->op, y, first, largest);
        if (nan != KN_ATOM_NONE)
            joined = knb_select(b, nan, first, knb_select(b, knb_ne(b, first, first), y, joined));
        y = joined;
    } else if (nan != KN_ATOM_NONE && !knx_is_complex(d)) /* complex ones are NaN by themselves */
        y = knb_select(b, nan, knb_like(b, y, (double)NAN), y);
    return y;
}

kn_array knl_extreme(const char *name, const char *ufunc, kn_array x, const kn_max_opts *opts, bool largest)
{
    KNX_OPTS(kn_max_opts, o, opts);
    reduction r;
    begin(&r, name, x, o.axis, o.where, true);
    return finish(&r, extreme(&r, largest, o.initial, ufunc), o.keepdims);
}

/* given: x, initial, where */
static kn_array max_or_min(const kn_array *given, const void *options, bool largest)
{
    kn_max_opts o = *(const kn_max_opts *)options;
    o.initial = given[1];
    o.where = given[2];
    return knl_extreme(largest ? "max" : "min", largest ? "maximum" : "minimum", given[0], &o, largest);
}

static kn_array max(const kn_array *given, const void *options) { return max_or_min(given, options, true); }
static kn_array min(const kn_array *given, const void *options) { return max_or_min(given, options, false); }

static kn_array kept_extreme(kn_array x, const kn_max_opts *opts, bool largest)
{
    KNX_OPTS(kn_max_opts, o, opts);
    const kn_array given[] = {x, o.initial, o.where};
    o.initial = o.where = NULL;
    return knl_kept(&(knl_call){largest ? "max" : "min", largest ? max : min, 3, given, &o, sizeof o});
}

kn_array kn_max(kn_array x, const kn_max_opts *opts) { return kept_extreme(x, opts, true); }
kn_array kn_min(kn_array x, const kn_max_opts *opts) { return kept_extreme(x, opts, false); }
kn_array kn_amax(kn_array x, const kn_max_opts *opts) { return kn_max(x, opts); }
kn_array kn_amin(kn_array x, const kn_max_opts *opts) { return kn_min(x, opts); }

kn_array kn_ptp(kn_array x, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    reduction r;
    begin(&r, "ptp", x, o.axis, NULL, true);
    kni_atom top = extreme(&r, true, NULL, "maximum"), bottom = extreme(&r, false, NULL, "minimum");
    if (!kna_failed(&r.op) && r.type.dtype->kind == KN_KIND_BOOL)
        kna_fail(
            &r.op, KN_ERROR_TYPE,
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
            "logical_xor function instead.");
    return finish(&r, knb_sub(r.op.b, top, bottom), o.keepdims);
}

/* ---- Truth. */

/* given: x, where */
static kn_array any_or_all(const kn_array *given, const kn_any_opts *o, bool all)
{
    reduction r;
    begin(&r, all ? "all" : "any", given[0], o->axis, given[1], true);
    r.x = knl_truth(&r.op, r.x);
    masked(&r, all);
    return finish(&r, reduce(&r, all ? knb_reduce_and : knb_reduce_or), o->keepdims);
}

static kn_array any(const kn_array *given, const void *options) { return any_or_all(given, options, false); }
static kn_array all(const kn_array *given, const void *options) { return any_or_all(given, options, true); }

static kn_array kept_truth(kn_array x, const kn_any_opts *opts, bool of_all)
{
    KNX_OPTS(kn_any_opts, o, opts);
    const kn_array given[] = {x, o.where};
    o.where = NULL;
    return knl_kept(&(knl_call){of_all ? "all" : "any", of_all ? all : any, 2, given, &o, sizeof o});
}

kn_array kn_any(kn_array x, const kn_any_opts *opts) { return kept_truth(x, opts, false); }
kn_array kn_all(kn_array x, const kn_any_opts *opts) { return kept_truth(x, opts, true); }

static kn_array count_nonzero(const kn_array *x, const void *options)
{
    const kn_argmax_opts *o = options;
    reduction r;
    begin(&r, "count_nonzero", *x, o->axis, NULL, true);
    r.x = knl_truth(&r.op, r.x);
    as(&r, KN_DT(I64));
    return finish(&r, reduce(&r, knb_reduce_sum), o->keepdims);
}

kn_array kn_count_nonzero(kn_array x, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    return knl_kept(&(knl_call){"count_nonzero", count_nonzero, 1, &x, &o, sizeof o});
}

/* ---- Positions. */

static kn_array position(const char *name, kn_array x, const kn_argmax_opts *o,
                         kni_atom (*f)(kni_builder *, kni_atom, int, kn_dtype))
{
    reduction r;
    begin(&r, name, x, (kn_axes){.n = 0}, NULL, false);
    kni_builder *b = r.op.b;
    if (kna_failed(&r.op))
        return kna_end(&r.op, KN_ATOM_NONE);
    int axis = 0;
    if (o->axis.n > 0 && r.type.ndim == 0) {
        r.x = knl_flatten(&r.op, r.x);
        kna_axis(&r.op, o->axis, 1, 0);
    } else if (o->axis.n > 0) {
        axis = kna_axis(&r.op, o->axis, r.type.ndim, 0);
        r.n = 1;
        r.axes[0] = axis;
    } else
        r.x = knl_flatten(&r.op, r.x);
    if (kna_failed(&r.op))
        return kna_end(&r.op, KN_ATOM_NONE);
    kni_type t = knb_type(b, r.x);
    if (!knx_dim_lt(0, t.dim[axis]))
        kna_fail(&r.op, KN_ERROR_VALUE, "attempt to get %s of an empty sequence", name);
    kni_atom y = kna_failed(&r.op) ? KN_ATOM_NONE : f(b, r.x, axis, KN_DT(I64));
    if (o->keepdims && !kna_failed(&r.op))
        y = knl_keep_axes(&r.op, y, r.type, r.n, r.axes);
    return kna_end(&r.op, y); /* in C order, whatever x lies in */
}

static kn_array argmax(const kn_array *x, const void *o) { return position("argmax", *x, o, knb_argmax); }
static kn_array argmin(const kn_array *x, const void *o) { return position("argmin", *x, o, knb_argmin); }

kn_array kn_argmax(kn_array x, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    return knl_kept(&(knl_call){"argmax", argmax, 1, &x, &o, sizeof o});
}

kn_array kn_argmin(kn_array x, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    return knl_kept(&(knl_call){"argmin", argmin, 1, &x, &o, sizeof o});
}
