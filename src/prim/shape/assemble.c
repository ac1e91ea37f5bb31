/* SPDX-License-Identifier: Apache-2.0
 * assemble.c -- arrays put together: concatenate, pad (negative and interior too), iota.
 *
 *     type       the extents add up
 *     jvp        linear: the same of the tangents, zeros where there is none; iota has no operands
 *     transpose  concatenate: each operand's slice of the cotangent; pad: the padded positions cut away, and their sum
 *                for the value
 *     batch      one more axis in the parameters, in place; a batched padding value is selected where the padding lies
 *     lower      elements pulled from the operand that the position falls into
 */
#include "prim/rules.h"

static kni_pair zero_value(knk_builder *k, kn_dtype d)
{
    knk_node zero = knk_const_int(k, knp_node_dtype(d), 0);
    return (kni_pair){zero, knx_is_pair(d) ? zero : KNK_NONE};
}

static knk_node both(knk_builder *k, knk_node a, knk_node b)
{
    return a == KNK_NONE ? b : b == KNK_NONE ? a : knk_binary(k, KNK_AND, a, b);
}

/* low <= x, x < limit; i: any position */
static knk_node from_on(kni_lower *l, const kni_index *i, int64_t low, knk_node x)
{
    return knk_binary(kni_lower_kernel(l), KNK_LE, kni_lower_number(l, i, low), x);
}
static knk_node below(kni_lower *l, const kni_index *i, knk_node x, int64_t limit)
{
    return knk_binary(kni_lower_kernel(l), KNK_LT, x, kni_lower_number(l, i, limit));
}

/* Known for all numbers of the variables: then there is nothing to compare in the kernel. */
static bool surely_below(int64_t d, int64_t limit)
{
    int64_t lower, upper;
    knx_dim_bounds(d, &lower, &upper);
    return upper < limit;
}

/* concatenate */

static knx_error *concatenate_fits(int n_in, const kni_type *x, int64_t dimension)
{
    for (int j = 1; j < n_in; j++) {
        if (x[j].dtype != x[0].dtype)
            return knx_error_new(KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s, %s",
                                 x[0].dtype->name, x[j].dtype->name);
        if (x[j].ndim != x[0].ndim)
            return knx_error_new(
                KN_ERROR_VALUE,
                "all the input array dimensions must match exactly, but the array at index 0 has %d dimension(s) "
                "and the array at index %d has %d dimension(s)",
                x[0].ndim, j, x[j].ndim);
        for (int i = 0; i < x[0].ndim; i++)
            if (i != dimension && !knx_dim_eq(x[j].dim[i], x[0].dim[i])) {
                knx_text first = {0}, other = {0};
                return knx_error_new(
                    KN_ERROR_VALUE,
                    "all the input array dimensions except for the concatenation axis must match exactly, but "
                    "along dimension %d, the array at index 0 has size %s and the array at index %d has size %s",
                    i, knx_dim_show(&first, x[0].dim[i]), j, knx_dim_show(&other, x[j].dim[i]));
            }
    }
    return NULL;
}

static knx_error *concatenate_type(kni_rule *r, kni_type *y)
{
    int64_t dimension = ((const kni_p_concatenate *)r->params)->dimension;
    if (r->n_in < 1)
        return knx_error_new(KN_ERROR_VALUE, "need at least one array to concatenate");
    if (!r->xt[0].ndim)
        return knx_error_new(KN_ERROR_VALUE, "zero-dimensional arrays cannot be concatenated");
    if (dimension < 0 || dimension >= r->xt[0].ndim)
        return knp_axis_error(dimension, r->xt[0].ndim);
    KN_TRY(concatenate_fits(r->n_in, r->xt, dimension));
    bool weak = r->xt[0].weak;
    int64_t all = r->xt[0].dim[dimension];
    for (int j = 1; j < r->n_in; j++) {
        weak = weak && r->xt[j].weak;
        int64_t next = r->xt[j].dim[dimension];
        if (knx_any_symbolic(all, next))
            all = knx_dim_add(all, next);
        else if (__builtin_add_overflow(all, next, &all))
            return knx_error_new(KN_ERROR_VALUE, "array is too big");
    }
    KN_TRY(knp_type_dims(r->arena, r->xt[0].dtype, weak, r->xt[0].ndim, r->xt[0].dim, y));
    ((int64_t *)(uintptr_t)y->dim)[dimension] = all; /* a list of its own */
    return kni_type_check_size(*y);
}

static knx_error *concatenate_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    int64_t dimension = ((const kni_p_concatenate *)r->params)->dimension;
    knp_dims start = {.n = r->yt[0].ndim}, limit = knp_dims_of(r->yt[0]);
    for (int j = 0; j < r->n_in; j++) {
        limit.v[dimension] = knx_dim_add(start.v[dimension], r->xt[j].dim[dimension]);
        if (r->x[j] == KN_ATOM_LINEAR)
            ct_in[j] = r->b->error ? KN_ATOM_NONE : knb_slice(r->b, ct[0], start.v, limit.v, NULL);
        start.v[dimension] = limit.v[dimension];
    }
    return NULL;
}

static knx_error *concatenate_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    int64_t dimension = ((const kni_p_concatenate *)r->params)->dimension;
    int first = 0;
    while (axis[first] < 0)
        first++;
    int at = axis[first];
    kni_atom *x = knx_arena_alloc(&r->b->arena, (size_t)r->n_in * sizeof *x);
    if (!x)
        return knx_error_nomem();
    for (int j = 0; j < r->n_in; j++)
        x[j] = knp_batched_at(r, j, size, axis[j], at);
    y[0] = knb_concatenate(r->b, r->n_in, x, (int)dimension + (dimension >= at));
    axis_out[0] = at;
    return NULL;
}

/* Each operand is looked at only where the position falls into it; elsewhere the value of those before it stays. */
static void concatenate_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    int dimension = (int)((const kni_p_concatenate *)r->params)->dimension;
    knk_builder *k = kni_lower_kernel(l);
    knk_node position = kni_lower_axis_value(l, i, dimension);
    int64_t start = 0, all = r->yt[0].dim[dimension];
    *y = zero_value(k, r->yt[0].dtype);
    for (int j = 0; j < r->n_in; j++) {
        int64_t extent = r->xt[j].dim[dimension], end = knx_dim_add(start, extent);
        if (!extent)
            continue;
        kni_index *from = kni_lower_index(l, i->ndim, i);
        for (int d = 0; from && d < i->ndim; d++)
            knp_index_copy(i, d, from, d);
        if (!from)
            return;
        from->axis[dimension].offset = knx_dim_sub(from->axis[dimension].offset, start);
        knk_node pred = both(k, start ? from_on(l, i, start, position) : KNK_NONE,
                             end != all ? below(l, i, position, end) : KNK_NONE);
        *y = kni_lower_operand(l, j, from, pred, *y);
        start = end;
    }
}

static double concatenate_cost(const kni_rule *r) { return 2.0 * r->n_in * kni_type_count(*r->yt); }

/* A kernel looks for each operand among all of its buffers, of which it has less than 32,768. */
enum { MANY = 1024 };

static bool concatenate_expands(const kni_rule *r) { return r->n_in > MANY; }

/* Very many arrays are joined in parts, and the parts then. */
static knx_error *concatenate_expand(const kni_rule *r, kni_atom *y)
{
    int dimension = (int)((const kni_p_concatenate *)r->params)->dimension, parts = 0;
    kni_atom *part = knx_arena_alloc(&r->b->arena, ((size_t)(r->n_in / MANY) + 1) * sizeof *part);
    if (!part)
        return knx_error_nomem();
    for (int i = 0, n; i < r->n_in; i += n) {
        n = r->n_in - i < MANY ? r->n_in - i : MANY;
        part[parts++] = knb_concatenate(r->b, n, r->x + i, dimension);
    }
    *y = knb_concatenate(r->b, parts, part, dimension);
    return NULL;
}

enum { FEW = 4 }; /* arrays, of each of which a part is fetched for every part of the result */

static void concatenate_spread(const kni_rule *r, kni_spread *s)
{
    int dimension = (int)((const kni_p_concatenate *)r->params)->dimension;
    knp_spread_but(r, s, (kni_ints){1, (const int64_t[]){dimension}});
    int64_t *shift = r->n_in > 1 && r->n_in <= FEW ? knx_arena_alloc(s->arena, FEW * sizeof *shift) : NULL, at = 0;
    kni_factor *f = shift ? knp_spread_halo(s, r->yt[0].dim[dimension], 0, dimension, dimension, 1, 0, 0) : NULL;
    for (int i = 0; f && i < r->n_in; at -= r->xt[i++].dim[dimension]) {
        kni_factor_in(f, i, dimension);
        shift[i] = at;
    }
    if (f)
        f->shift = shift;
}

/* Of each array the window that the part would be if it were all of it; the position says which one it is. */
static knx_error *concatenate_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    kni_builder *b = r->b;
    int dimension = (int)((const kni_p_concatenate *)r->params)->dimension;
    if (!knp_has_window(l, 0, dimension)) {
        y[0] = knb_concatenate(b, r->n_in, r->x, dimension);
        return NULL;
    }
    kni_type t = r->yt[0];
    kni_atom at = knb_iota(b, KN_DT(I64), t.ndim, t.dim, dimension);
    at = knb_add(b, at, l->cut[knp_cut_factor(l, 0, dimension)].first);
    int64_t start = l->yt[0].dim[dimension];
    for (int i = r->n_in - 1; i >= 0; i--) {
        kni_atom here = knb_ge(b, at, knb_integer(b, KN_DT(I64), start));
        y[0] = i == r->n_in - 1 ? r->x[i] : knb_select(b, here, y[0], r->x[i]);
        start -= l->xt[i].dim[dimension];
    }
    return NULL;
}

const kni_prim knp_prim_concatenate = {
    .name = "concatenate",
    .n_in = -1,
    .n_out = 1,
    .linear_in = ~0u,
    .bits = KN_PICKS,
    .factors = "... i, ... j -> ... k",
    .fields = kni_fields_concatenate,
    .params_size = sizeof(kni_p_concatenate),
    .type = concatenate_type,
    .jvp = knp_jvp_linear,
    .transpose = concatenate_transpose,
    .batch = concatenate_batch,
    .pull = concatenate_pull,
    .expand = concatenate_expand,
    .expands = concatenate_expands,
    .spread = concatenate_spread,
    .local = concatenate_local,
    .cost = concatenate_cost,
    .doc = "arrays joined along one axis (np.concatenate)",
};

/* pad: `lo` and `hi` elements more at the ends (fewer if negative), `interior` between. Operands: x, value. */

static knx_error *pad_type(kni_rule *r, kni_type *y)
{
    const kni_p_pad *p = r->params;
    if (r->xt[1].dtype != r->xt[0].dtype)
        return knx_error_new(KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s, %s",
                             r->xt[0].dtype->name, r->xt[1].dtype->name);
    if (r->xt[1].ndim)
        return knx_error_new(KN_ERROR_TYPE, "padding value must be a scalar; got %d dimensions", r->xt[1].ndim);
    KN_TRY(knp_check_count("lo", p->lo, r->xt->ndim));
    KN_TRY(knp_check_count("hi", p->hi, r->xt->ndim));
    KN_TRY(knp_check_count("interior", p->interior, r->xt->ndim));
    knp_dims shape = {.n = r->xt->ndim};
    bool negative = false;
    for (int i = 0; i < r->xt->ndim; i++) {
        int64_t *s = &shape.v[i];
        if (p->interior.v[i] < 0)
            return knx_error_new(KN_ERROR_VALUE, "interior padding must not be negative, got %lld",
                                 (long long)p->interior.v[i]);
        *s = kni_dim_dilated(r->xt->dim[i], p->interior.v[i]);
        if (knx_is_symbolic(*s) || knx_any_symbolic(p->lo.v[i], p->hi.v[i]))
            *s = knx_dim_add(knx_dim_add(*s, p->lo.v[i]), p->hi.v[i]);
        else if (*s == INT64_MAX || __builtin_add_overflow(*s, p->lo.v[i], s) ||
                 __builtin_add_overflow(*s, p->hi.v[i], s))
            return knx_error_new(KN_ERROR_MEMORY,
                                 "axis %d is too large with its padding of %lld, %lld and %lld in between", i,
                                 (long long)p->lo.v[i], (long long)p->hi.v[i], (long long)p->interior.v[i]);
        negative = negative || knx_dim_lt(*s, 0);
    }
    if (negative) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_VALUE, "dimension size after padding is not at least 0, got result shape %s",
                             knx_show_shape(&t, shape.n, shape.v));
    }
    return knp_type_dims(r->arena, r->xt->dtype, r->xt[0].weak && r->xt[1].weak, shape.n, shape.v, y);
}

/* True where the padding lies, false where the elements of an array with the extents of x came to lie. */
static kni_atom padding_mask(kni_builder *b, const kni_p_pad *p, kni_type x)
{
    kni_atom inside = knb_full(b, kni_type_of(KN_DT(BOOL), x.ndim, x.dim), 0);
    return knb_pad(b, inside, knb_number(b, KN_DT(BOOL), 1), p->lo.v, p->hi.v, p->interior.v);
}

static knx_error *pad_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_pad *p = r->params;
    kni_builder *b = r->b;
    kni_type x = r->xt[0];
    if (b->error)
        return NULL;
    if (r->x[0] == KN_ATOM_LINEAR) {
        knp_dims lo = {.n = x.ndim}, hi = lo, start = lo, limit = lo, stride = lo;
        for (int i = 0; i < x.ndim; i++) {
            lo.v[i] = knx_dim_sub(0, p->lo.v[i]);
            hi.v[i] = knx_dim_sub(0, p->hi.v[i]);
            stride.v[i] = p->interior.v[i] + 1;
            limit.v[i] = kni_dim_dilated(x.dim[i], p->interior.v[i]);
        }
        kni_atom inner = knb_pad(b, ct[0], knb_like(b, ct[0], 0), lo.v, hi.v, NULL);
        ct_in[0] = b->error ? KN_ATOM_NONE : knb_slice(b, inner, start.v, limit.v, stride.v);
    }
    if (r->x[1] == KN_ATOM_LINEAR) {
        kni_atom outer = knb_select(b, padding_mask(b, p, x), ct[0], knb_like(b, ct[0], 0));
        ct_in[1] = knp_unbroadcast(b, outer, r->xt[1]);
    }
    return NULL;
}

/* A padding value of its own for each example: padded with anything, then the values are put where the padding lies. */
static kni_atom pad_with_each(const kni_rule *r, int64_t size, int axis, int *at)
{
    const kni_p_pad *p = r->params;
    kni_builder *b = r->b;
    kni_type t = knb_type(b, r->x[0]);
    *at = axis < 0 ? 0 : axis;
    knp_dims shape = knp_dims_without(t, axis);
    knp_dims lo = knp_insert(p->lo, *at, 0), hi = knp_insert(p->hi, *at, 0), interior = knp_insert(p->interior, *at, 0);
    kni_p_pad lifted = {knp_ints(&lo), knp_ints(&hi), knp_ints(&interior)};
    kni_type full = kni_type_of(t.dtype, shape.n + 1, NULL);
    shape = knp_insert(knp_ints(&shape), *at, size);
    full.dim = shape.v;
    kni_atom x = knp_batched_at(r, 0, size, axis, *at), some = knb_number(b, t.dtype, 0);
    kni_atom padded = knb_pad(b, x, some, lo.v, hi.v, interior.v), mask = padding_mask(b, &lifted, full);
    kni_type y = knb_type(b, padded);
    if (b->error)
        return KN_ATOM_NONE;
    return knb_select(b, mask, knb_broadcast_in_dim(b, r->x[1], y.ndim, y.dim, (int64_t[]){*at}), padded);
}

static knx_error *pad_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_pad *p = r->params;
    if (r->b->error)
        return NULL;
    if (axis[1] >= 0) {
        y[0] = pad_with_each(r, size, axis[0], axis_out);
        return NULL;
    }
    knp_dims lo = knp_insert(p->lo, axis[0], 0), hi = knp_insert(p->hi, axis[0], 0),
             interior = knp_insert(p->interior, axis[0], 0);
    y[0] = knb_pad(r->b, r->x[0], r->x[1], lo.v, hi.v, interior.v);
    axis_out[0] = axis[0];
    return NULL;
}

/* Where along axis d of the operand a position of the result lies; *pred grows by what must hold for that. */
static void pad_axis(kni_lower *l, const kni_rule *r, const kni_index *i, int d, kni_index *from, knk_node *pred)
{
    const kni_p_pad *p = r->params;
    knk_builder *k = kni_lower_kernel(l);
    int64_t lo = p->lo.v[d], hi = p->hi.v[d], step = p->interior.v[d] + 1;
    bool cut_low = surely_below(lo, 1), cut_high = surely_below(hi, 1);
    knp_index_copy(i, d, from, d);
    from->axis[d].offset = knx_dim_sub(from->axis[d].offset, lo);
    if (cut_low && cut_high && step == 1)
        return;
    knk_node at = kni_lower_axis_value(l, from, d);
    if (!cut_low)
        *pred = both(k, *pred, from_on(l, i, 0, at));
    if (!cut_high)
        *pred = both(k, *pred, below(l, i, at, kni_dim_dilated(r->xt[0].dim[d], p->interior.v[d])));
    if (step == 1)
        return;
    int64_t least, most;
    knx_dim_bounds(knx_dim_add(r->yt[0].dim[d], knx_dim_max(0, knx_dim_sub(0, lo))), &least, &most);
    knk_node by = knk_const_int(k, KN_ID_I64, step), q = knp_divide(k, at, step, most);
    *pred = both(k, *pred, knk_binary(k, KNK_EQ, knk_binary(k, KNK_MUL, q, by), at));
    from->axis[d].offset = 0;
    for (int j = 0; j < i->n_loop; j++)
        from->axis[d].coef[j] = 0;
    from->axis[d].node = q;
}

static void pad_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    kni_index *none = kni_lower_index(l, 0, i), *from = kni_lower_index(l, i->ndim, i);
    knk_node pred = KNK_NONE;
    if (!none || !from)
        return;
    *y = kni_lower_operand(l, 1, none, KNK_NONE, (kni_pair){KNK_NONE, KNK_NONE});
    if (!kni_type_size(r->xt[0]))
        return;
    for (int d = 0; d < i->ndim; d++)
        pad_axis(l, r, i, d, from, &pred);
    *y = kni_lower_operand(l, 0, from, pred, *y);
}

/* Where each element becomes a group of its own, and nothing else comes (the transpose of a slice by strides), an axis
 * is cut between them. Padding at the ends alone moves what the parts have. */
static void pad_spread(const kni_rule *r, kni_spread *s)
{
    const kni_p_pad *p = r->params;
    for (int d = 0; d < r->xt[0].ndim; d++) {
        int64_t lo = p->lo.v[d], size = r->xt[0].dim[d], group = p->interior.v[d] + 1;
        if (lo >= 0 && lo < group && r->yt[0].dim[d] == size * group)
            knp_spread_pair(s, size, 0, d, 0, d);
        else if (group == 1 && r->yt[0].dim[d] > 1)
            knp_spread_halo(s, r->yt[0].dim[d], 0, d, d, 1, lo, -lo);
    }
}

/* What a window has outside of the array is padding. */
static knx_error *pad_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const kni_p_pad *p = r->params;
    knp_dims lo = {.n = p->lo.n}, hi = lo;
    for (int d = 0; d < r->xt[0].ndim; d++) {
        bool window = knp_has_window(l, 0, d);
        lo.v[d] = window ? 0 : p->lo.v[d];
        hi.v[d] = window ? 0 : p->hi.v[d];
    }
    y[0] = knb_pad(r->b, knp_fill_windows(r, l, 0, r->x[1]), r->x[1], lo.v, hi.v, p->interior.v);
    return NULL;
}

const kni_prim knp_prim_pad = {
    .name = "pad",
    .n_in = 2,
    .n_out = 1,
    .linear_in = 3,
    .bits = KN_PICKS,
    .factors = "... i, -> ... j",
    .fields = kni_fields_pad,
    .params_size = sizeof(kni_p_pad),
    .type = pad_type,
    .jvp = knp_jvp_linear,
    .transpose = pad_transpose,
    .batch = pad_batch,
    .pull = pad_pull,
    .spread = pad_spread,
    .local = pad_local,
    .doc = "x with a value around it and between its elements; negative padding cuts away (jax.lax.pad)"};

/* iota: each element is its position along one axis */

static knx_error *iota_type(kni_rule *r, kni_type *y)
{
    const kni_p_iota *p = r->params;
    KN_TRY(knp_accepts(p->dtype, KNP_NUMBERS));
    if (p->dimension < 0 || p->dimension >= p->shape.n)
        return knp_axis_error(p->dimension, p->shape.n);
    for (int i = 0; i < p->shape.n; i++)
        if (knx_dim_lt(p->shape.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    return knp_type_dims(r->arena, p->dtype, false, p->shape.n, p->shape.v, y);
}

static void iota_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    const kni_p_iota *p = r->params;
    *y = knp_value_cast(kni_lower_kernel(l), KN_DT(I64), knp_real(kni_lower_axis_value(l, i, (int)p->dimension)),
                        p->dtype);
}

static void iota_spread(const kni_rule *r, kni_spread *s)
{
    const kni_p_iota *p = r->params;
    for (int d = 0; d < r->yt[0].ndim; d++) {
        kni_factor *f = kni_factor_new(s, d == p->dimension ? KNI_POSITION : KNI_PARALLEL, r->yt[0].dim[d]);
        if (f)
            f->local = d == p->dimension;
        kni_factor_out(f, 0, d);
    }
}

static knx_error *iota_resize(const kni_rule *r, void *params)
{
    knp_resize_list(((kni_p_iota *)params)->shape, r->yt[0].dim);
    return NULL;
}

/* Positions are counted in 64 bits and converted then, as those of the whole are: small dtypes wrap, floats round. */
static knx_error *iota_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const kni_p_iota *p = r->params;
    kni_type t = r->yt[0];
    kni_atom at = knb_iota(r->b, KN_DT(I64), t.ndim, t.dim, (int)p->dimension);
    *y = knb_astype(r->b, knb_add(r->b, at, l->cut[p->dimension].first), p->dtype);
    return NULL;
}

const kni_prim knp_prim_iota = {
    .name = "iota",
    .n_in = 0,
    .n_out = 1,
    .bits = KN_CHEAP,
    .factors = "-> ...",
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .fields = kni_fields_iota,
    .params_size = sizeof(kni_p_iota),
    .type = iota_type,
    .batch = knp_batch_none,
    .pull = iota_pull,
    .spread = iota_spread,
    .resize = iota_resize,
    .local = iota_local,
    .doc = "positions along one axis: 0, 1, 2, ... (jax.lax.broadcasted_iota)",
};
