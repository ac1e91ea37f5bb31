/* SPDX-License-Identifier: Apache-2.0
 * window_any.c -- windows of arrays, joined or chosen from by a jaxpr: reduce_window and select_and_scatter.
 *
 *     type       reduce_window: operands and initial values in pairs, one result per window for each pair;
 *                select_and_scatter: the array's
 *     jvp        reduce_window: the same with the derivative of the jaxpr; select_and_scatter has none, as in JAX
 *     batch      one more axis in front; with batched initial values what the row stands for
 *     lower      expands: the positions of the windows one after the other, each as an array of one element per window
 */
#include "prim/body.h"
#include "prim/window/window.h"

typedef kni_p_window params_t;

/* --- the elements at one position of all windows ------------------------------------------------- */

typedef struct positions {
    kni_builder *b;
    knp_window w;
    knp_dims lo, hi, between, counts;
    bool pads;     /* some position has no element */
    kni_atom mask; /* where elements are, with the padding; KN_ATOM_NONE: no one asked */
    int64_t at[KN_MAX_NDIM];
} positions;

static void begin(positions *p, kni_builder *b, const params_t *q, bool dilated, kni_type x, const knp_dims *counts)
{
    kni_type y = kni_type_of(NULL, counts->n, counts->v);
    *p = (positions){.b = b, .counts = *counts, .mask = KN_ATOM_NONE};
    knp_window_read(q, dilated, x, &y, &p->w);
    p->lo.n = p->hi.n = p->between.n = x.ndim;
    for (int d = 0; d < x.ndim; d++) {
        p->lo.v[d] = q->lo.v[d];
        p->hi.v[d] = q->hi.v[d];
        p->between.v[d] = p->w.axis[d].base - 1;
        p->pads |= p->lo.v[d] || p->hi.v[d] || p->between.v[d];
        p->at[d] = 0;
    }
}

static bool any_windows(const positions *p)
{
    for (int d = 0; d < p->w.n; d++)
        if (knx_dim_eq(p->w.axis[d].count, 0))
            return false;
    return true;
}

static void next_position(positions *p)
{
    for (int d = p->w.n - 1; d >= 0 && ++p->at[d] == p->w.axis[d].size; d--)
        p->at[d] = 0;
}

static kni_atom padded(const positions *p, kni_atom x)
{
    return p->pads ? knb_pad(p->b, x, knb_like(p->b, x, 0), p->lo.v, p->hi.v, p->between.v) : x;
}

/* One element per window, of an array that is padded. */
static kni_atom cut(const positions *p, kni_atom x)
{
    knp_dims start = {.n = p->w.n}, limit = start, stride = start;
    for (int d = 0; d < p->w.n; d++) {
        const knp_window_axis *a = &p->w.axis[d];
        start.v[d] = knx_dim_mul(p->at[d], a->step);
        limit.v[d] = knx_dim_add(start.v[d], knx_dim_mul(a->count - 1, a->stride)) + 1;
        stride.v[d] = a->stride;
    }
    return p->b->error ? KN_ATOM_NONE : knb_slice(p->b, x, start.v, limit.v, stride.v);
}

/* Which windows have an element there; KN_ATOM_NONE: all. */
static kni_atom present(positions *p)
{
    bool all = true;
    for (int d = 0; d < p->w.n && all; d++) {
        const knp_window_axis *a = &p->w.axis[d];
        int64_t least = knx_dim_sub(knx_dim_mul(p->at[d], a->step), a->lo),
                most = knx_dim_add(least, knx_dim_mul(a->count - 1, a->stride));
        all = a->base == 1 && knx_dim_known_le(0, least) && knx_dim_known_le(most + 1, a->extent);
    }
    if (all)
        return KN_ATOM_NONE;
    if (p->mask == KN_ATOM_NONE) {
        knp_dims shape = {.n = p->w.n};
        for (int d = 0; d < p->w.n; d++)
            shape.v[d] = p->w.axis[d].extent;
        kni_atom inside = knb_full(p->b, kni_type_of(KN_DT(BOOL), shape.n, shape.v), 1);
        p->mask = knb_pad(p->b, inside, knb_number(p->b, KN_DT(BOOL), 0), p->lo.v, p->hi.v, p->between.v);
    }
    return cut(p, p->mask);
}

/* A scalar, or one for each element of the axis in front, as large as an array. */
static kni_atom spread(kni_builder *b, kni_atom x, const knp_dims *shape)
{
    kni_type t = knb_type(b, x);
    if (t.ndim == 0)
        return knb_broadcast_to(b, x, kni_type_of(NULL, shape->n, shape->v));
    return shape->n == 1 ? x : knb_broadcast_in_dim(b, x, shape->n, shape->v, (int64_t[]){0});
}

static knx_error *check_positions(const params_t *p)
{
    int64_t n = 1;
    enum { MOST = 1 << 14 }; /* there is an equation or more for each */
    for (int d = 0; d < p->window_dimensions.n; d++)
        if (knx_is_symbolic(p->window_dimensions.v[d])) {
            knx_text t = {0};
            return knx_error_new(KN_ERROR_DIMENSION,
                                 "windows of an unknown number of elements have no equation for each: the extent %s of "
                                 "axis %d has to be a number",
                                 knx_dim_show(&t, p->window_dimensions.v[d]), d);
        } else if (__builtin_mul_overflow(n, p->window_dimensions.v[d], &n) || n > MOST)
            return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "windows of more than %d elements are not implemented",
                                 MOST);
    return NULL;
}

/* --- reduce_window --------------------------------------------------------------------------------- */

static void list_dtypes(knx_text *t, int n, const kni_type *x)
{
    for (int i = 0; i < n; i++)
        knx_text_add(t, "%s%s", i ? ", " : "", x[i].dtype->name);
}

static knx_error *check_operands(int n, const kni_type *x)
{
    knx_text s = {0}, t = {0};
    bool same = true, scalars = true;
    for (int i = 0; i < n; i++) {
        same &= x[i].dtype == x[n + i].dtype;
        scalars &= !x[n + i].ndim;
    }
    if (!same) {
        list_dtypes(&s, n, x);
        list_dtypes(&t, n, x + n);
        return knx_error_new(
            KN_ERROR_TYPE,
            "got inconsistent dtypes for operands and init_values: got operand dtypes [%s] and init_value "
            "dtypes [%s].",
            s.s, t.s);
    }
    for (int i = 0; i < n && !scalars; i++) {
        knx_text_add(&s, "%s", i ? ", " : "");
        knx_show_shape(&s, x[n + i].ndim, x[n + i].dim);
    }
    if (!scalars)
        return knx_error_new(KN_ERROR_TYPE, "expected init_values to be scalars but init_values have shapes [%s].",
                             s.s);
    for (int i = 1; i < n; i++)
        if (!kni_type_same_shape(x[i], x[0]))
            return knx_error_new(KN_ERROR_TYPE, "operands must have equal shapes, got %s, %s",
                                 knx_show_shape(&s, x[0].ndim, x[0].dim), knx_show_shape(&t, x[i].ndim, x[i].dim));
    return NULL;
}

static knx_error *reduce_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    int n = r->n_in / 2;
    if (n < 1 || r->n_in % 2 || n > r->n_out)
        return knx_error_new(KN_ERROR_TYPE, "takes operands and as many initial values, not %d operands", r->n_in);
    KN_TRY(check_operands(n, r->xt));
    KN_TRY(knp_joins_scalars(p->jaxpr, n, r->xt, false));
    for (int i = 0; i < n; i++)
        KN_TRY(knp_window_type(p, true, r->xt[0], r->xt[i].dtype, r->xt[i].weak && r->xt[n + i].weak, r->arena, &y[i]));
    r->n_out = n;
    return check_positions(p);
}

static int reduce_body_types(const kni_rule *r, int which, kni_type *t)
{
    (void)which;
    for (int i = 0; i < r->n_in; i++)
        t[i] = kni_scalar_type(r->xt[i].dtype);
    return r->n_in;
}

/* z = j(y, x) of arrays; j takes `n` values of each, then the tangents that there are of them. */
static void join(kni_builder *b, const kni_jaxpr *j, int n, int all, const kni_atom *y, const kni_atom *x, kni_atom *in,
                 kni_atom *z)
{
    for (int i = 0; i < all; i++) {
        int at = i < n ? i : n + i;
        in[at] = y[i];
        in[at + (i < n ? n : all - n)] = x[i];
    }
    knb_inline(b, j, in, z);
}

/* x: arrays, then their initial values; `all` of each, in this order n values, then tangents. */
static void fold(const kni_rule *r, const params_t *p, const kni_jaxpr *of_scalars, int n, int all, const kni_atom *x,
                 kni_atom *y)
{
    kni_builder *b = r->b;
    kni_atom *room;
    kni_jaxpr *j = NULL;
    knp_dims counts;
    positions at;
    if (!(room = knp_room(b, 5 * (size_t)all)))
        return;
    kni_type t = knb_type(b, x[0]);
    knx_error *e = knp_window_counts(p, true, t, &counts);
    e = e ? e : knp_over_axes(of_scalars, kni_type_of(NULL, counts.n, counts.v), &j);
    if (e) {
        knb_fail(b, e);
        return;
    }
    begin(&at, b, p, true, t, &counts);
    kni_atom *array = room, *cuts = room + all, *next = room + 2 * all, *in = room + 3 * all;
    for (int i = 0; i < all; i++) {
        array[i] = padded(&at, x[i]);
        y[i] = spread(b, x[all + i], &counts);
    }
    for (int64_t k = any_windows(&at) ? at.w.positions : 0; k > 0 && !b->error; k--, next_position(&at)) {
        kni_atom mask = present(&at);
        for (int i = 0; i < all; i++)
            cuts[i] = cut(&at, array[i]);
        join(b, j, n, all, y, cuts, in, next);
        for (int i = 0; i < all; i++)
            y[i] = mask == KN_ATOM_NONE ? next[i] : knb_select(b, mask, next[i], y[i]);
    }
    kni_release(j);
}

static void reduce_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const params_t *p = r->params;
    knp_joined j;
    if (knp_join_tangents(r, p->jaxpr, tx, &j))
        fold(r, p, j.jaxpr, r->n_out, j.n, j.x, j.y);
    knp_end_join(r, &j, ty);
}

static knx_error *reduce_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_window_lists lists;
    params_t p = knp_window_insert(r->params, true, 0, -1, &lists);
    int n = r->n_out;
    bool starts;
    kni_atom *x = knp_batch_joined(r, size, axis, &starts, axis_out);
    if (!x)
        return NULL;
    if (starts)
        fold(r, &p, p.jaxpr, n, n, x, y);
    else
        knb_emit(r->b, r->prim, &p, r->n_in, x, y, n);
    return NULL;
}

static knx_error *reduce_expand(const kni_rule *r, kni_atom *y)
{
    const params_t *p = r->params;
    fold(r, p, p->jaxpr, r->n_out, r->n_out, r->x, y);
    return NULL;
}

static bool reduce_may_fail(const kni_rule *r) { return knp_body_may_fail(((const params_t *)r->params)->jaxpr); }

static double reduce_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    return knp_body_cost(p->jaxpr) * (double)knx_dim_hint(knp_product(p->window_dimensions)) * kni_type_count(r->yt[0]);
}

const kni_prim knp_prim_reduce_window = {
    .name = "reduce_window",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL,
    .fields = kni_fields_reduce_window,
    .params_size = sizeof(params_t),
    .factors = "n, -> m",
    .spread = knp_window_factors,
    .type = reduce_type,
    .body_types = reduce_body_types,
    .jvp = reduce_jvp,
    .batch = reduce_batch,
    .expand = reduce_expand,
    .may_fail = reduce_may_fail,
    .cost = reduce_cost,
    .doc = "the elements in each window joined by a jaxpr of two sets of scalars, one after the other from the initial "
           "values on (jax.lax.reduce_window)",
};

/* --- select_and_scatter ---------------------------------------------------------------------------- */

static knx_error *select_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    knp_dims counts;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    for (int i = 1; i < 3; i++)
        if (r->xt[i].dtype != r->xt[0].dtype)
            return knx_error_new(KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s, %s, %s",
                                 r->xt[0].dtype->name, r->xt[1].dtype->name, r->xt[2].dtype->name);
    if (r->xt[2].ndim)
        return knx_error_new(KN_ERROR_TYPE, "expected init_value to be a scalar; got %d dimensions", r->xt[2].ndim);
    KN_TRY(knp_window_counts(p, false, r->xt[0], &counts));
    bool same = r->xt[1].ndim == counts.n;
    for (int d = 0; same && d < counts.n; d++)
        same = knx_dim_eq(r->xt[1].dim[d], counts.v[d]);
    if (!same) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_TYPE, "source must have one element for each window, %s, got %s",
                             knx_show_shape(&s, counts.n, counts.v), knx_show_shape(&t, r->xt[1].ndim, r->xt[1].dim));
    }
    KN_TRY(knp_joins_scalars(p->select_jaxpr, 1, r->xt, true));
    KN_TRY(knp_joins_scalars(p->scatter_jaxpr, 1, r->xt, false));
    KN_TRY(check_positions(p));
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static int select_body_types(const kni_rule *r, int which, kni_type *t)
{
    (void)which;
    t[0] = t[1] = kni_scalar_type(r->xt[0].dtype);
    return 2;
}

/* The position of each window's element that stays, -1 for windows without elements. */
static kni_atom choose(positions *at, const kni_jaxpr *j, kni_atom x)
{
    kni_builder *b = at->b;
    kni_type t = kni_type_of(KN_DT(I32), at->counts.n, at->counts.v);
    kni_atom chosen = knb_full(b, t, -1), best = KN_ATOM_NONE, array = padded(at, x),
             minus = knb_number(b, t.dtype, -1);
    for (int64_t k = 0; k < at->w.positions && !b->error; k++, next_position(at)) {
        kni_atom v = cut(at, array), mask = present(at), number = knb_number(b, t.dtype, (double)k), stays;
        kni_atom take = mask;
        if (k) {
            knb_inline(b, j, (kni_atom[]){best, v}, &stays);
            take = knb_or(b, knb_eq(b, chosen, minus), knb_not(b, stays));
            take = mask == KN_ATOM_NONE ? take : knb_and(b, take, mask);
        }
        best = k ? knb_select(b, take, v, best) : v;
        chosen = take == KN_ATOM_NONE ? knb_full(b, t, (double)k) : knb_select(b, take, number, chosen);
    }
    return chosen;
}

/* From the last position to the first, so that windows come in order. */
static kni_atom scatter(positions *at, const kni_jaxpr *j, kni_atom chosen, kni_atom source, kni_atom y)
{
    kni_builder *b = at->b;
    kni_atom no = knb_number(b, KN_DT(BOOL), 0), zero = knb_like(b, source, 0);
    for (int64_t k = at->w.positions; k-- > 0 && !b->error;) {
        knp_dims lo = {.n = at->w.n}, hi = lo, between = lo;
        int64_t rest = k;
        for (int d = at->w.n - 1; d >= 0; d--) {
            const knp_window_axis *a = &at->w.axis[d];
            lo.v[d] = knx_dim_sub(rest % a->size, a->lo);
            hi.v[d] = knx_dim_sub(knx_dim_sub(a->extent, lo.v[d]), knx_dim_mul(a->count - 1, a->stride) + 1);
            between.v[d] = a->stride - 1;
            rest /= a->size;
        }
        kni_atom here = knb_eq(b, chosen, knb_number(b, KN_DT(I32), (double)k)), z;
        here = knb_pad(b, here, no, lo.v, hi.v, between.v);
        kni_atom v = knb_pad(b, source, zero, lo.v, hi.v, between.v);
        if (b->error)
            break;
        knb_inline(b, j, (kni_atom[]){y, v}, &z);
        y = knb_select(b, here, z, y);
    }
    return y;
}

static kni_atom select_and_scatter(kni_builder *b, const params_t *p, kni_atom x, kni_atom source, kni_atom init)
{
    kni_type t = knb_type(b, x), s = knb_type(b, source);
    kni_jaxpr *select = NULL, *scatters = NULL;
    knp_dims counts = knp_dims_of(s), shape = knp_dims_of(t);
    positions at;
    begin(&at, b, p, false, t, &counts);
    kni_atom y = spread(b, init, &shape);
    if (!any_windows(&at))
        return y;
    knx_error *e = knp_over_axes(p->select_jaxpr, s, &select);
    e = e ? e : knp_over_axes(p->scatter_jaxpr, t, &scatters);
    if (e) {
        knb_fail(b, e);
    } else {
        kni_atom chosen = choose(&at, select, x);
        y = scatter(&at, scatters, chosen, source, y);
    }
    kni_release(select);
    kni_release(scatters);
    return b->error ? KN_ATOM_NONE : y;
}

static knx_error *select_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_window_lists lists;
    params_t p = knp_window_insert(r->params, false, 0, -1, &lists);
    kni_atom x[3] = {knp_batched_at(r, 0, size, axis[0], 0), knp_batched_at(r, 1, size, axis[1], 0), r->x[2]};
    y[0] = axis[2] >= 0 ? select_and_scatter(r->b, &p, x[0], x[1], x[2]) : knb_emit1(r->b, r->prim, &p, 3, x);
    axis_out[0] = 0;
    return NULL;
}

static knx_error *select_expand(const kni_rule *r, kni_atom *y)
{
    y[0] = select_and_scatter(r->b, r->params, r->x[0], r->x[1], r->x[2]);
    return NULL;
}

static void select_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b,
             knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "Differentiation rule for 'select_and_scatter' not implemented"));
}

static bool select_may_fail(const kni_rule *r)
{
    const params_t *p = r->params;
    return knp_body_may_fail(p->select_jaxpr) || knp_body_may_fail(p->scatter_jaxpr);
}

static double select_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    double each = knp_body_cost(p->select_jaxpr) + knp_body_cost(p->scatter_jaxpr) + 2;
    return each * (double)knx_dim_hint(knp_product(p->window_dimensions)) * kni_type_count(r->yt[0]);
}

const kni_prim knp_prim_select_and_scatter = {
    .name = "select_and_scatter",
    .n_in = 3,
    .n_out = 1,
    .bits = KN_CAN_FAIL,
    .fields = kni_fields_select_and_scatter,
    .params_size = sizeof(params_t),
    .jvp = select_jvp,
    .factors = "n, m, -> k",
    .spread = knp_window_factors,
    .type = select_type,
    .body_types = select_body_types,
    .batch = select_batch,
    .expand = select_expand,
    .may_fail = select_may_fail,
    .cost = select_cost,
    .doc =
        "an initial value everywhere, and where a jaxpr chooses an element of a window the window's number joined to "
        "it by another (select_and_scatter of XLA)",
};
