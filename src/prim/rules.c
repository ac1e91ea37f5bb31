/* SPDX-License-Identifier: Apache-2.0
 * rules.c -- what many rows share: result types, derivatives of linear primitives, batching, axes, casts. */
#include "prim/rules.h"
#include <string.h>

/* Types */

KNX_HOT unsigned knp_kind(kn_dtype d)
{
    switch (d->kind) {
    case KN_KIND_BOOL: return KNP_BOOL;
    case KN_KIND_INT: return KNP_INT;
    case KN_KIND_UINT: return KNP_UINT;
    case KN_KIND_FLOAT: return KNP_FLOAT;
    case KN_KIND_COMPLEX: return KNP_COMPLEX;
    default: return knx_is_stored(d) ? KNP_STORED : KNP_KEY;
    }
}

KNX_HOT knx_error *knp_accepts(kn_dtype d, unsigned kinds)
{
    return knp_kind(d) & kinds
               ? NULL
               : knx_error_new(KN_ERROR_TYPE, "does not accept dtype %s%s", d->name,
                               knx_is_stored(d) ? ", which is only stored: convert it with kn_astype" : "");
}

KNX_HOT knx_error *knp_type_dims(knx_arena *a, kn_dtype d, bool weak, int ndim, const int64_t *dim, kni_type *y)
{
    int64_t *copy = NULL;
    if (ndim > KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d, found %d",
                             KN_MAX_NDIM, ndim);
    if (ndim) {
        if (!(copy = knx_arena_copy(a, dim, (size_t)ndim * sizeof *dim)))
            return knx_error_nomem();
    }
    *y = kni_type_of(d, ndim, copy);
    y->weak = weak;
    return kni_type_check_size(*y);
}

knx_error *knp_type_like(knx_arena *a, kni_type x, kn_dtype d, kni_type *y)
{
    (void)a; /* the operands of an equation live as long as it does: their extents are shared */
    *y = x;
    y->dtype = d;
    return NULL;
}

static knx_error *join_error(int n, const kni_type *x, bool of_shapes)
{
    knx_text t = {0};
    for (int i = 0; i < n; i++) {
        knx_text_add(&t, "%s", i ? ", " : "");
        if (of_shapes)
            knx_show_shape(&t, x[i].ndim, x[i].dim);
        else
            knx_text_add(&t, "%s", x[i].dtype->name);
    }
    return knx_error_new(KN_ERROR_TYPE, "%s %s",
                         of_shapes ? "got incompatible shapes for broadcasting:"
                                   : "requires arguments to have the same dtypes, got",
                         t.s);
}

KNX_HOT knx_error *knp_join(int n, const kni_type *x, knx_arena *a, kni_type *y)
{
    kni_type all = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i].dtype != all.dtype)
            return join_error(n, x, false);
        if (x[i].ndim && all.ndim && !kni_type_same_shape(x[i], all))
            return join_error(n, x, true);
        bool weak = all.weak && x[i].weak;
        if (!all.ndim && x[i].ndim)
            all = x[i];
        else if (!all.sharding && x[i].ndim == all.ndim)
            all.sharding = x[i].sharding;
        all.weak = weak;
    }
    return knp_type_like(a, all, all.dtype, y);
}

knx_error *knp_axis_error(int64_t axis, int ndim)
{
    return knx_error_new(KN_ERROR_AXIS, "axis %lld is out of bounds for array of dimension %d", (long long)axis, ndim);
}

KNX_HOT knx_error *knp_check_axes(kni_ints axes, int ndim)
{
    for (int i = 0; i < axes.n; i++) {
        if (axes.v[i] < 0 || axes.v[i] >= ndim)
            return knp_axis_error(axes.v[i], ndim);
        for (int j = 0; j < i; j++)
            if (axes.v[j] == axes.v[i])
                return knx_error_new(KN_ERROR_VALUE, "duplicate value in 'axis'");
    }
    return NULL;
}

KNX_HOT knx_error *knp_check_count(const char *what, kni_ints given, int wanted)
{
    return given.n == wanted
               ? NULL
               : knx_error_new(KN_ERROR_TYPE, "%s must have length equal to the number of axes %d, got %d", what,
                               wanted, given.n);
}

kni_atom *knp_room(kni_builder *b, size_t n)
{
    kni_atom *x = b->error ? NULL : knx_arena_alloc(&b->arena, (n + 1) * sizeof *x);
    if (!x && !b->error)
        knb_fail(b, knx_error_nomem());
    return x;
}

/* Derivatives */

void knp_jvp_linear(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_atom few[8], *t = few;
    if (r->n_in > 8 && !(t = knx_arena_alloc(&r->b->arena, (size_t)r->n_in * sizeof *t))) {
        knb_fail(r->b, knx_error_nomem());
        return;
    }
    for (int i = 0; i < r->n_in; i++)
        t[i] = tx[i] == KN_ATOM_ZERO ? knb_zeros(r->b, r->xt[i]) : tx[i];
    ty[0] = knb_emit1(r->b, r->prim, r->params, r->n_in, t);
}

void knp_jvp_zero(const kni_rule *r, const kni_atom *tx, kni_atom *ty) { (void)r, (void)tx, (void)ty; }

knx_error *knp_transpose_same(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = knb_emit1(r->b, r->prim, r->params, 1, ct);
    return NULL;
}

kni_atom knp_unbroadcast(kni_builder *b, kni_atom ct, kni_type x)
{
    int ndim = knb_type(b, ct).ndim;
    if (x.ndim || !ndim)
        return ct;
    knp_dims all = knp_axes_rest((kni_ints){0}, ndim);
    return knb_reduce_sum(b, ct, all.n, all.v);
}

/* Batching */

kni_atom knp_batched_at(const kni_rule *r, int i, int64_t size, int axis, int to)
{
    if (axis >= 0)
        return knb_move_axis(r->b, r->x[i], axis, to);
    kni_type t = knb_type(r->b, r->x[i]);
    knp_dims shape = knp_dims_of(t);
    shape = knp_insert(knp_ints(&shape), to, size);
    knp_dims where = knp_axes_rest((kni_ints){1, (int64_t[]){to}}, shape.n);
    return knb_broadcast_in_dim(r->b, r->x[i], shape.n, shape.v, where.v);
}

/* An operand of the batched equation, whose result has `shape` and the batch axis at `at`. Batched scalars are lined
 * up with it. */
static kni_atom elementwise_operand(const kni_rule *r, int i, int64_t size, int axis, int at, const knp_dims *shape)
{
    bool is_scalar = knb_type(r->b, r->x[i]).ndim == (axis >= 0);
    if (is_scalar && (axis < 0 || shape->n == 0))
        return r->x[i];
    if (!is_scalar)
        return knp_batched_at(r, i, size, axis, at);
    knp_dims full = knp_insert(knp_ints(shape), at, size);
    return knb_broadcast_in_dim(r->b, r->x[i], full.n, full.v, (int64_t[]){at});
}

knx_error *knp_batch_elementwise(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_builder *b = r->b;
    int at = -1;
    knp_dims shape = {0};
    if (b->error)
        return NULL;
    for (int i = 0; i < r->n_in; i++) {
        kni_type t = knb_type(b, r->x[i]);
        if (t.ndim == (axis[i] >= 0))
            continue;
        shape = knp_dims_without(t, axis[i]);
        if (at < 0)
            at = axis[i];
    }
    at = at < 0 ? 0 : at;
    kni_atom few[8], *x = few;
    if (r->n_in > 8 && !(x = knx_arena_alloc(&b->arena, (size_t)r->n_in * sizeof *x)))
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        x[i] = elementwise_operand(r, i, size, axis[i], at, &shape);
    knb_emit(b, r->prim, r->params, r->n_in, x, y, r->n_out);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = at;
    return NULL;
}

knx_error *knp_batch_in_front(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size;
    kni_atom x = knb_move_axis(r->b, r->x[0], axis[0], 0);
    knb_emit(r->b, r->prim, r->params, 1, &x, y, r->n_out);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = 0;
    return NULL;
}

knx_error *knp_batch_none(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size, (void)axis;
    knb_emit(r->b, r->prim, r->params, 0, NULL, y, r->n_out);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = -1;
    return NULL;
}

/* Axes */

knp_dims knp_dims_of(kni_type t)
{
    knp_dims d = {.n = t.ndim};
    for (int i = 0; i < d.n; i++)
        d.v[i] = t.dim[i];
    return d;
}

knp_dims knp_dims_without(kni_type t, int axis)
{
    knp_dims d = {0};
    for (int i = 0; i < t.ndim; i++)
        if (i != axis)
            d.v[d.n++] = t.dim[i];
    return d;
}

knp_dims knp_insert(kni_ints v, int at, int64_t value)
{
    knp_dims d = {0};
    for (int i = 0; i <= v.n && d.n < KN_MAX_NDIM; i++) {
        if (i == at)
            d.v[d.n++] = value;
        if (i < v.n && d.n < KN_MAX_NDIM)
            d.v[d.n++] = v.v[i];
    }
    return d;
}

knp_dims knp_axes_lift(kni_ints axes, int inserted)
{
    knp_dims d = {.n = axes.n};
    for (int i = 0; i < axes.n; i++)
        d.v[i] = axes.v[i] + (axes.v[i] >= inserted);
    return d;
}

int knp_axes_before(kni_ints axes, int axis)
{
    int n = 0;
    for (int i = 0; i < axes.n; i++)
        n += axes.v[i] < axis;
    return n;
}

KNX_HOT knp_dims knp_axes_rest(kni_ints axes, int ndim)
{
    knp_dims d = {0};
    for (int i = 0; i < ndim; i++)
        if (!knp_contains(axes, i))
            d.v[d.n++] = i;
    return d;
}

KNX_HOT knp_dims knp_dims_pick(kni_type t, kni_ints axes)
{
    knp_dims d = {.n = axes.n};
    for (int i = 0; i < axes.n; i++)
        d.v[i] = t.dim[axes.v[i]];
    return d;
}

int64_t knp_product(kni_ints v) { return kni_type_size(kni_type_of(KN_DT(BOOL), v.n, v.v)); }

/* Views */

KNX_HOT void knp_index_copy(const kni_index *from, int from_axis, kni_index *to, int to_axis)
{
    const kni_index_axis *f = &from->axis[from_axis];
    kni_index_axis *t = &to->axis[to_axis];
    t->offset = f->offset;
    t->node = f->node;
    memcpy(t->coef, f->coef, (size_t)from->n_loop * sizeof *t->coef);
}

int64_t knp_common_divisor(int64_t x, int64_t y)
{
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

int knp_split_axes(int64_t n, const kni_type *y, int first)
{
    int64_t product = 1;
    int j = first;
    for (; j < y->ndim && (y->dim[j] == 1 || (knx_any_symbolic(product, n) ? product != n : product < n)); j++) {
        if (knx_any_symbolic(product, n) || knx_is_symbolic(y->dim[j])) {
            product = knx_dim_mul(product, y->dim[j]);
            continue;
        }
        if (y->dim[j] <= 0 || product > n / y->dim[j])
            return -1;
        product *= y->dim[j];
    }
    return product == n ? j : -1;
}

bool knp_reshape_splits(const kni_type *x, const kni_type *y)
{
    int j = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (j < y->ndim && x->dim[i] == 0 && y->dim[j] == 0) /* of no elements: any map will do */
            j++;
        else if (x->dim[i] != 1 && (j = knp_split_axes(x->dim[i], y, j)) < 0)
            return false;
    }
    for (; j < y->ndim; j++)
        if (y->dim[j] != 1)
            return false;
    return true;
}

/* Costs */

static double size_of(const kni_type *t) { return kni_type_count(*t) * (knx_is_complex(t->dtype) ? 2 : 1); }

double knp_cost_function(const kni_rule *r) { return 20 * size_of(r->yt); }

double knp_cost_input(const kni_rule *r) { return r->n_in ? size_of(r->xt) : 0; }

double knp_cost_none(const kni_rule *r)
{
    (void)r;
    return 0;
}

/* Kernel expressions */

knx_dtype_id knp_node_dtype(kn_dtype d)
{
    switch (d->id) {
    case KN_ID_F16:
    case KN_ID_BF16:
    case KN_ID_C64: return KN_ID_F32;
    case KN_ID_C128: return KN_ID_F64;
    case KN_ID_KEY: return KN_ID_U32;
    default: return (knx_dtype_id)(knx_is_stored(d) ? KN_ID_U8 : d->id);
    }
}

static knk_node cast_node(knk_builder *k, knk_node x, knx_dtype_id to)
{
    return knk_dtype(k, x) == to ? x : knk_cast(k, to, x);
}

void knp_expr_same(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    (void)k;
    *y = r->v[0];
}

kni_pair knp_value_cast(knk_builder *k, kn_dtype from, kni_pair x, kn_dtype to)
{
    if (from == to)
        return x;
    knk_node re = x.re;
    if (to->kind == KN_KIND_BOOL && knx_is_complex(from))
        return knp_real(knk_binary(k, KNK_OR, knk_cast(k, KN_ID_BOOL, x.re), knk_cast(k, KN_ID_BOOL, x.im)));
    knx_dtype_id node = knp_node_dtype(to);
    /* straight to 16 bits: by way of float32 a float64 would be rounded twice */
    if (to->id == KN_ID_F16 || to->id == KN_ID_BF16)
        re = knk_cast(k, (knx_dtype_id)to->id, re);
    kni_pair y = knp_real(cast_node(k, re, node));
    if (knx_is_complex(to))
        y.im = knx_is_complex(from) ? cast_node(k, x.im, node) : knk_const_double(k, node, 0);
    return y;
}

/* A float node as the nearest number of an integer dtype, toward 0; NaN as 0. CAST has its own value for NaN and what
 * is out of range: it only meets such numbers where a select drops what it gives. */
static knk_node saturate_node(knk_builder *k, knk_node x, kn_dtype to)
{
    const knx_dtype_id d = knk_dtype(k, x), id = (knx_dtype_id)to->id;
    const int bits = 8 * to->size, precision = d == KN_ID_F32 ? 24 : 53;
    const bool is_unsigned = to->kind == KN_KIND_UINT;
    const double half = (double)((uint64_t)1 << (bits - 1)), end = is_unsigned ? 2 * half : half; /* above the range */
    const uint64_t most = (is_unsigned ? UINT64_MAX : (uint64_t)INT64_MAX) >> (64 - bits);
    knk_node zero = knk_const_double(k, d, 0), inside = x;
    if (is_unsigned) /* max takes its second operand beside NaN */
        inside = knk_binary(k, KNK_MAX, x, zero);
    else if (bits < precision)
        inside = knk_binary(k, KNK_MAX, x, knk_const_double(k, d, -half));
    if (bits <= precision) { /* the end of the range is a float */
        inside = knk_cast(k, id, knk_binary(k, KNK_MIN, inside, knk_const_double(k, d, end - 1)));
    } else {
        knk_node over = knk_binary(k, KNK_LE, knk_const_double(k, d, end), inside);
        inside = knk_select(k, over, knk_const(k, id, most), knk_cast(k, id, inside));
    }
    return is_unsigned ? inside : knk_select(k, knk_binary(k, KNK_EQ, x, x), inside, knk_const_int(k, id, 0));
}

kni_pair knp_value_saturate(knk_builder *k, kn_dtype from, kni_pair x, kn_dtype to)
{
    if (knx_is_inexact(from) && knx_is_integer(to))
        return knp_real(saturate_node(k, x.re, to));
    if (knx_is_complex(from) && to->kind == KN_KIND_BOOL)
        return knp_real(knk_cast(k, KN_ID_BOOL, x.re));
    return knp_value_cast(k, from, x, to);
}

knk_node knp_divide(knk_builder *k, knk_node node, int64_t by, int64_t most)
{
    if (by == 1)
        return node;
    if (!(by & (by - 1)))
        return knk_binary(k, KNK_SAR, node, knk_const_int(k, KN_ID_I64, __builtin_ctzll((uint64_t)by)));
    if (most >= (int64_t)1 << 30 || by >= (int64_t)1 << 30)
        return knk_binary(k, KNK_DIV, node, knk_const_int(k, KN_ID_I64, by));
    /* node * (2^n / by, rounded up) / 2^n: exact while node * by < 2^n */
    int n = 64 - __builtin_clzll((uint64_t)(most + 1) * (uint64_t)by);
    int64_t factor = (int64_t)(((uint64_t)1 << n) / (uint64_t)by + 1);
    knk_node product = knk_binary(k, KNK_MUL, node, knk_const_int(k, KN_ID_I64, factor));
    return knk_binary(k, KNK_SAR, product, knk_const_int(k, KN_ID_I64, n));
}

double knp_levels(int64_t n)
{
    double levels = 1;
    for (n = knx_dim_hint(n); n > 1; n /= 2)
        levels++;
    return levels;
}

kni_atom knp_take_along(kni_builder *b, kni_atom x, kni_atom positions, int dimension, bool unique)
{
    kni_type t = knb_type(b, x), to = knb_type(b, positions);
    if (b->error)
        return KN_ATOM_NONE;
    knp_dims others = knp_axes_rest((kni_ints){1, (int64_t[]){dimension}}, t.ndim), ones = {.n = t.ndim};
    for (int i = 0; i < t.ndim; i++)
        ones.v[i] = knx_dim_eq(t.dim[i], 0) ? 0 : 1;
    kni_ints one_dim = {1, (int64_t[]){dimension}};
    kni_p_gather p = {.collapsed_slice_dims = one_dim,
                      .start_index_map = one_dim,
                      .operand_batching_dims = knp_ints(&others),
                      .start_indices_batching_dims = knp_ints(&others),
                      .slice_sizes = knp_ints(&ones),
                      .mode = KN_GATHER_PROMISE,
                      .unique_indices = unique};
    knp_dims shape = knp_dims_of(to);
    if (shape.n == KN_MAX_NDIM) {
        knb_fail(
            b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM));
        return KN_ATOM_NONE;
    }
    shape.v[shape.n++] = 1;
    return knb_gather(b, x, knb_reshape(b, positions, shape.n, shape.v), &p);
}
