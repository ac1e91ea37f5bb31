/* SPDX-License-Identifier: Apache-2.0
 * reduce_any.c -- reductions by halving: the first half of the elements joined with the second one as whole arrays,
 * again and again; of a number of elements that is an expression one after the other, by a scan. And the row `reduce`,
 * which joins elements by a jaxpr.
 *
 *     type       operands and initial values in pairs; the reduced axes of the operands disappear. The jaxpr takes two
 *                sets of scalars and gives one
 *     jvp        halving with the derivative of the jaxpr
 *     batch      one more axis; with batched initial values the halving itself
 *     lower      expands into the halving, and the initial values joined in the end
 */
#include "prim/body.h"
#include "prim/frame.h"
#include "transform/transform.h"

/* --- halving ---------------------------------------------------------------------------------- */

/* x with the axes joined into one in front. */
static kni_atom flatten_axes(kni_builder *b, kni_atom x, kni_ints axes)
{
    kni_type t = knb_type(b, x);
    knp_dims rest = knp_axes_rest(axes, t.ndim), shape = knp_dims_pick(t, knp_ints(&rest));
    knp_dims joined = knp_dims_pick(t, axes);
    int64_t order[KN_MAX_NDIM], n = knx_dim_size(joined.n, joined.v);
    for (int i = 0; i < axes.n; i++)
        order[i] = axes.v[i];
    for (int i = 0; i < rest.n; i++)
        order[axes.n + i] = rest.v[i];
    x = knb_transpose(b, x, order);
    shape = knp_insert(knp_ints(&shape), 0, n);
    return knb_reshape(b, x, shape.n, shape.v);
}

/* Elements first .. end of the axis in front. */
static kni_atom rows(kni_builder *b, kni_atom x, int64_t first, int64_t end)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {first}, limit[KN_MAX_NDIM] = {end};
    for (int i = 1; i < t.ndim; i++)
        limit[i] = t.dim[i];
    return knb_slice(b, x, start, limit, NULL);
}

/* x[0 .. n) and x[n .. 2 n), the last row perhaps made of the identity: joined. Without an identity a row that is left
 * over is put behind the others. */
static void halve_once(const knp_halving *h, int64_t n, kni_atom *x, kni_atom *other)
{
    int64_t half = h->identity ? (n + 1) / 2 : n / 2, lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {n % 2};
    for (int i = 0; i < h->n; i++) {
        kni_atom all = x[i];
        x[i] = rows(h->b, all, 0, half);
        other[i] = rows(h->b, all, half, h->identity ? n : 2 * half);
        if (h->identity && n % 2)
            other[i] = knb_pad(h->b, other[i], h->identity[i], lo, hi, NULL);
        other[h->n + i] = all;
    }
    h->join(h, x, other, x);
    for (int i = 0; !h->identity && n % 2 && i < h->n; i++)
        x[i] = knb_concatenate(h->b, 2, (kni_atom[]){x[i], rows(h->b, other[h->n + i], n - 1, n)}, 0);
}

/* carry, row -> their join */
static knx_error *fold_body(const knp_halving *h, const kni_type *row, kni_jaxpr **body)
{
    knp_frame f;
    knp_halving inside = *h;
    knx_error *error = knp_frame_begin(&f, 2 * (size_t)h->n, 2 * (size_t)h->n) ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < 2 * h->n; i++)
        knp_frame_input(&f, row[i % h->n]);
    if (!error) {
        inside.b = &f.b;
        inside.identity = NULL;
        f.b.place = h->b->place;
        h->join(&inside, f.in, f.in + h->n, f.out);
        error = knp_frame_finish(&f, (uint32_t)h->n, f.out, "", body);
    }
    knp_frame_end(&f);
    return error;
}

/* The rows in front joined one after the other: of n of them, an expression. */
static void fold(const knp_halving *h, int64_t n, kni_atom *x)
{
    kni_builder *b = h->b;
    kni_jaxpr *body = NULL;
    int64_t least, most;
    knx_dim_bounds(n, &least, &most);
    bool from_first = least > 0 || !h->identity;
    kni_atom *in = knp_room(b, 2 * (size_t)h->n);
    kni_type *row = knx_arena_alloc(&b->arena, (size_t)h->n * sizeof *row);
    if (!in || !row)
        return;
    for (int i = 0; i < h->n; i++) {
        row[i] = knb_type(b, x[i]);
        row[i].ndim--;
        row[i].dim++;
        in[i] = from_first ? knb_squeeze(b, rows(b, x[i], 0, 1), 1, (int64_t[]){0})
                           : knb_broadcast_to(b, h->identity[i], row[i]);
        in[h->n + i] = from_first ? rows(b, x[i], 1, n) : x[i];
    }
    knx_error *e = b->error ? NULL : fold_body(h, row, &body);
    if (e)
        knb_fail(b, e);
    else if (!b->error)
        knb_scan(b, &(kni_p_scan){.jaxpr = body, .length = n - from_first, .num_carry = h->n, .unroll = 1}, in, x);
    kni_release(body);
}

void knp_halve(const knp_halving *h, kni_ints axes, kni_atom *x)
{
    kni_builder *b = h->b;
    kni_atom *other;
    if (!(other = knp_room(b, 2 * (size_t)h->n)))
        return;
    for (int i = 0; i < h->n; i++)
        x[i] = flatten_axes(b, x[i], axes);
    int64_t n = b->error ? 0 : knx_dim_taken(knb_type(b, x[0]).dim[0]);
    if (knx_is_symbolic(n)) {
        fold(h, n, x);
        return;
    }
    if (n == 0 && h->identity)
        for (int i = 0; i < h->n && !b->error; i++) {
            kni_type t = knb_type(b, x[i]);
            x[i] = knb_broadcast_to(b, h->identity[i], kni_type_of(t.dtype, t.ndim - 1, t.dim + 1));
        }
    if (n == 0)
        return;
    for (; n > 1 && !b->error; n = (n + 1) / 2)
        halve_once(h, n, x, other);
    for (int i = 0; i < h->n; i++)
        x[i] = knb_squeeze(b, x[i], 1, (int64_t[]){0});
}

/* --- reduce ----------------------------------------------------------------------------------- */

typedef kni_p_reduce_any params_t;

static knx_error *reduce_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    int n = r->n_in / 2;
    if (n < 1 || r->n_in % 2 || n > r->n_out)
        return knx_error_new(KN_ERROR_TYPE, "takes operands and as many initial values, not %d operands", r->n_in);
    KN_TRY(knp_check_axes(p->dimensions, r->xt->ndim));
    for (int i = 0; i < n; i++) {
        knx_text s = {0}, t = {0};
        if (!kni_type_same_shape(r->xt[i], r->xt[0]))
            return knx_error_new(KN_ERROR_TYPE, "operands must have equal shapes, got %s, %s",
                                 knx_show_shape(&s, r->xt[0].ndim, r->xt[0].dim),
                                 knx_show_shape(&t, r->xt[i].ndim, r->xt[i].dim));
        if (r->xt[n + i].ndim)
            return knx_error_new(KN_ERROR_VALUE, "found non-scalar initial value: %s",
                                 knx_show_shape(&s, r->xt[n + i].ndim, r->xt[n + i].dim));
        if (r->xt[n + i].dtype != r->xt[i].dtype)
            return knx_error_new(KN_ERROR_TYPE,
                                 "operand dtypes should match corresponding initial value dtypes, got operand=%s and "
                                 "initial_value=%s",
                                 kni_type_text(&s, r->xt[i], true), kni_type_text(&t, r->xt[n + i], true));
    }
    KN_TRY(knp_joins_scalars(p->jaxpr, n, r->xt, false));
    knp_dims rest = knp_axes_rest(p->dimensions, r->xt->ndim), shape = knp_dims_pick(*r->xt, knp_ints(&rest));
    for (int i = 0; i < n; i++)
        KN_TRY(knp_type_dims(r->arena, r->xt[i].dtype, r->xt[i].weak && r->xt[n + i].weak, shape.n, shape.v, &y[i]));
    r->n_out = n;
    return NULL;
}

/* The inputs of the jaxpr: two sets of scalars. */
static int reduce_body_types(const kni_rule *r, int which, kni_type *t)
{
    (void)which;
    for (int i = 0; i < r->n_in; i++)
        t[i] = kni_scalar_type(r->xt[i].dtype);
    return r->n_in;
}

/* What halving is done with: the jaxpr of the first `n` of the arrays, or its derivative, which takes behind them the
 * tangents of those that have one. */
typedef struct joint {
    kni_jaxpr *jaxpr;
    int n;
} joint;

static void join_by_jaxpr(const knp_halving *h, const kni_atom *x, const kni_atom *y, kni_atom *z)
{
    const joint *by = h->env;
    int n = by->n, more = h->n - n;
    kni_jaxpr *j = NULL;
    kni_atom *in;
    if (!(in = knp_room(h->b, 2 * (size_t)h->n)))
        return;
    for (int i = 0; i < h->n; i++) {
        int at = i < n ? i : n + i;
        in[at] = x[i];
        in[at + (i < n ? n : more)] = y[i];
    }
    knx_error *e = knp_over_axes(by->jaxpr, knb_type(h->b, x[0]), &j);
    if (e)
        knb_fail(h->b, e);
    else
        knb_inline(h->b, j, in, z);
    kni_release(j);
}

/* A scalar, or one for each element of the batch axis in front, as large as the results. */
static kni_atom spread(kni_builder *b, kni_atom start, int ndim, const int64_t *dim)
{
    if (knb_type(b, start).ndim == 0)
        return knb_broadcast_to(b, start, kni_type_of(NULL, ndim, dim));
    return ndim == 1 ? start : knb_broadcast_in_dim(b, start, ndim, dim, (int64_t[]){0});
}

/* x: arrays, then their initial values; n of each, in this order values, then tangents. */
static void reduce_arrays(const knp_halving *h, kni_ints axes, const kni_atom *x, kni_atom *y)
{
    kni_builder *b = h->b;
    kni_atom *start;
    if (!(start = knp_room(b, (size_t)h->n)))
        return;
    kni_type t = knb_type(b, x[0]);
    knp_dims rest = knp_axes_rest(axes, t.ndim), shape = knp_dims_pick(t, knp_ints(&rest)),
             joined = knp_dims_pick(t, axes);
    for (int i = 0; i < h->n; i++) {
        y[i] = x[i];
        start[i] = spread(b, x[h->n + i], shape.n, shape.v);
    }
    if (knx_dim_eq(knp_product(knp_ints(&joined)), 0)) {
        for (int i = 0; i < h->n; i++)
            y[i] = start[i];
        return;
    }
    knp_halve(h, axes, y);
    h->join(h, start, y, y);
}

static void reduce_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const params_t *p = r->params;
    knp_joined j;
    joint by = {NULL, r->n_out};
    if (knp_join_tangents(r, p->jaxpr, tx, &j)) {
        by.jaxpr = j.jaxpr;
        reduce_arrays(&(knp_halving){r->b, j.n, join_by_jaxpr, NULL, &by}, p->dimensions, j.x, j.y);
    }
    knp_end_join(r, &j, ty);
}

static knx_error *reduce_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const params_t *p = r->params;
    int n = r->n_out;
    knp_dims lifted = knp_axes_lift(p->dimensions, 0);
    bool starts;
    kni_atom *x = knp_batch_joined(r, size, axis, &starts, axis_out);
    if (!x)
        return NULL;
    if (starts) {
        joint by = {p->jaxpr, n};
        reduce_arrays(&(knp_halving){r->b, n, join_by_jaxpr, NULL, &by}, knp_ints(&lifted), x, y);
    } else {
        knb_emit(r->b, r->prim, &(params_t){knp_ints(&lifted), p->jaxpr}, r->n_in, x, y, n);
    }
    return NULL;
}

static knx_error *reduce_expand(const kni_rule *r, kni_atom *y)
{
    const params_t *p = r->params;
    joint by = {p->jaxpr, r->n_out};
    reduce_arrays(&(knp_halving){r->b, r->n_out, join_by_jaxpr, NULL, &by}, p->dimensions, r->x, y);
    return NULL;
}

static bool reduce_may_fail(const kni_rule *r) { return knp_body_may_fail(((const params_t *)r->params)->jaxpr); }

static void reduce_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_rest(r, s, r->n_out, ((const params_t *)r->params)->dimensions);
}

const kni_prim knp_prim_reduce = {
    .name = "reduce",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL,
    .fields = kni_fields_reduce_any,
    .params_size = sizeof(params_t),
    .factors = "n m, -> m",
    .type = reduce_type,
    .body_types = reduce_body_types,
    .jvp = reduce_jvp,
    .batch = reduce_batch,
    .expand = reduce_expand,
    .may_fail = reduce_may_fail,
    .spread = reduce_spread,
    .cost = knp_cost_input,
    .doc = "elements joined over some axes by a jaxpr of two sets of scalars, in any order (jax.lax.reduce)",
};
