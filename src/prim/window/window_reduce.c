/* SPDX-License-Identifier: Apache-2.0
 * window_reduce.c -- reduce_window_sum, reduce_window_max, reduce_window_min: the elements in each window joined.
 *
 *     type       one result per window
 *     jvp        the sum is linear; of a maximum the tangent of the element that it is
 *     transpose  reduce_window_sum: the cotangents with room between, summed over the windows that an element is in
 *     batch      one more axis, along which each position is a window
 *     simplify   padding with the identity is padding of the windows
 *     lower      a kernel looks at up to 64 elements one after the other; more, and small results, are a routine's
 */
#include "prim/window/window.h"
#include <string.h>

typedef kni_p_window params_t;

static knx_error *extreme_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    return knp_window_type(r->params, true, *r->xt, r->xt->dtype, r->xt->weak, r->arena, y);
}

static knx_error *sum_type(kni_rule *r, kni_type *y)
{
    if (!(knp_kind(r->xt->dtype) & KNP_NUMBERS))
        return knx_error_new(KN_ERROR_TYPE, "operand to reduce_window_sum must have a number dtype, got %s",
                             r->xt->dtype->name);
    return knp_window_type(r->params, true, *r->xt, r->xt->dtype, r->xt->weak, r->arena, y);
}

static knx_error *batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_window_lists lists;
    (void)size;
    kni_p_window p = knp_window_insert(r->params, true, axis[0], -1, &lists);
    y[0] = knb_emit1(r->b, r->prim, &p, 1, r->x);
    axis_out[0] = axis[0];
    return NULL;
}

/* --- derivatives ------------------------------------------------------------------------------ */

static knx_error *sum_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const params_t *p = r->params;
    kni_builder *b = r->b;
    kni_type x = r->xt[0], y = r->yt[0];
    knp_dims lo = {.n = x.ndim}, hi = lo, between = lo, ones = lo, none = lo;
    for (int d = 0; d < x.ndim; d++) {
        int64_t base = p->base_dilation.v[d], step = p->window_dilation.v[d], stride = p->window_strides.v[d];
        int64_t all = knp_window_spread(x.dim[d], base), window = knp_window_spread(p->window_dimensions.v[d], step);
        int64_t out = knp_window_spread(y.dim[d], stride);
        lo.v[d] = knx_dim_sub(window, p->lo.v[d]) - 1;
        hi.v[d] = knx_dim_sub(knx_dim_sub(knx_dim_add(all, window) - 1, out), lo.v[d]);
        between.v[d] = stride - 1;
        ones.v[d] = 1;
        none.v[d] = 0;
    }
    params_t q = *p;
    q.window_strides = p->base_dilation;
    q.base_dilation = knp_ints(&ones);
    q.lo = q.hi = knp_ints(&none);
    kni_atom room = knb_pad(b, ct[0], knb_like(b, ct[0], 0), lo.v, hi.v, between.v);
    ct_in[0] = knb_reduce_window_sum(b, room, &q);
    return NULL;
}

static void extreme_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    params_t p = *(const params_t *)r->params;
    p.select_prim = r->prim == &knp_prim_reduce_window_max ? KN_SELECT_GE : KN_SELECT_LE;
    ty[0] = knb_select_and_gather_add(r->b, tx[0], r->x[0], &p);
}

/* --- simpler ---------------------------------------------------------------------------------- */

static bool is_identity(const kni_rule *r, kni_atom a)
{
    kn_dtype d = r->xt[0].dtype;
    knx_scalar_bits v, zero = knx_scalar_from_int(d, 0), want = zero;
    if (!knb_literal_value(r->b, a, &v))
        return false;
    if (r->prim != &knp_prim_reduce_window_sum)
        want = knx_scalar_extreme(d, r->prim != &knp_prim_reduce_window_max);
    return !memcmp(&v, &want, d->size);
}

/* Windows of an array with the identity around its elements are windows of these with padding. */
static kni_atom simplify(const kni_rule *r)
{
    const params_t *p = r->params;
    const kni_draft_eqn *e = knb_maker(r->b, r->x[0]);
    if (!e || e->prim != &knp_prim_pad || !is_identity(r, e->in[1]))
        return KN_ATOM_NONE;
    const kni_p_pad *pad = e->params;
    kni_type x = knb_type(r->b, e->in[0]);
    knp_dims lo = {.n = x.ndim}, hi = lo, base = lo;
    for (int d = 0; d < x.ndim; d++) {
        if (p->base_dilation.v[d] != 1 && (pad->lo.v[d] || pad->hi.v[d] || pad->interior.v[d]))
            return KN_ATOM_NONE;
        if (!knx_dim_known_le(0, pad->lo.v[d]) ||
            !knx_dim_known_le(0, pad->hi.v[d])) /* elements that were cut away would come back */
            return KN_ATOM_NONE;
        lo.v[d] = knx_dim_add(p->lo.v[d], pad->lo.v[d]);
        hi.v[d] = knx_dim_add(p->hi.v[d], pad->hi.v[d]);
        base.v[d] = p->base_dilation.v[d] == 1 ? pad->interior.v[d] + 1 : p->base_dilation.v[d];
    }
    params_t q = *p;
    q.lo = knp_ints(&lo);
    q.hi = knp_ints(&hi);
    q.base_dilation = knp_ints(&base);
    return knb_emit1(r->b, r->prim, &q, 1, &e->in[0]);
}

/* --- lowering --------------------------------------------------------------------------------- */

/* How many elements of the operand a result is made of, at most. */
static int64_t holds(const params_t *p, kni_type x, bool likely)
{
    knp_window w;
    int64_t n = 1;
    knp_window_read(p, true, x, NULL, &w);
    if (likely)
        knp_window_guess(&w);
    for (int d = 0; d < w.n; d++)
        if (__builtin_mul_overflow(n, knp_window_holds(&w.axis[d]), &n))
            return INT64_MAX;
    return n;
}

static int64_t looks(const kni_rule *r) { return holds(r->params, r->xt[0], false); }

static bool pulls(const kni_rule *r)
{
    knp_window w;
    int64_t n = holds(r->params, r->xt[0], false);
    knp_window_read(r->params, true, r->xt[0], NULL, &w);
    if (!knp_window_is_fixed(&w))
        return false;
    /* a sum of more than a block is not one after the other */
    return n <= 1 || (n <= KNP_MAX_POSITIONS && w.positions <= KNR_POOL_BLOCK);
}

static double cost(const kni_rule *r)
{
    return 2.0 * (double)holds(r->params, r->xt[0], true) * kni_type_count(r->yt[0]);
}

typedef struct fold {
    kni_lower *l;
    knr_pooling_how how;
    kn_dtype dtype;
    kni_pair value, identity;
    bool begun;
} fold;

static knk_node joined(knk_builder *k, const fold *f, knk_node a, knk_node b)
{
    bool is_bool = f->dtype->kind == KN_KIND_BOOL;
    switch (f->how) {
    case KNR_POOL_SUM: return knk_binary(k, KNK_ADD, a, b);
    case KNR_POOL_MAX: return is_bool ? knk_binary(k, KNK_OR, a, b) : knk_max_nan(k, a, b);
    case KNR_POOL_MIN: return is_bool ? knk_binary(k, KNK_AND, a, b) : knk_min_nan(k, a, b);
    }
    return a;
}

static void add_element(void *env, int64_t position, knk_node node, const kni_index *in, knk_node pred)
{
    fold *f = env;
    knk_builder *k = kni_lower_kernel(f->l);
    (void)position, (void)node;
    kni_pair x = kni_lower_operand(f->l, 0, in, pred, f->identity);
    if (!f->begun && (f->how != KNR_POOL_SUM || !knx_is_inexact(f->dtype)))
        f->value = x; /* what the identity and it are; of a sum -0 would be 0 */
    else {
        f->value.re = joined(k, f, f->value.re, x.re);
        if (x.im >= 0)
            f->value.im = joined(k, f, f->value.im, x.im);
    }
    f->begun = true;
}

static void pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knk_builder *k = kni_lower_kernel(l);
    knp_window w;
    fold f = {.l = l, .how = KNR_POOL_SUM, .dtype = r->xt[0].dtype, .identity = {KNK_NONE, KNK_NONE}};
    if (r->prim == &knp_prim_reduce_window_sum) {
        f.identity.re = knk_const_int(k, knp_node_dtype(f.dtype), 0);
        f.identity.im = knx_is_complex(f.dtype) ? f.identity.re : KNK_NONE;
    } else {
        f.how = r->prim == &knp_prim_reduce_window_max ? KNR_POOL_MAX : KNR_POOL_MIN;
        f.identity.re = knp_extreme_node(k, f.dtype, f.how == KNR_POOL_MAX);
    }
    f.value = f.identity;
    knp_window_read(r->params, true, r->xt[0], r->yt, &w);
    if (kni_type_size(r->xt[0]))
        knp_window_walk(l, &w, i, false, add_element, &f);
    *y = f.value;
}

static knx_error *run(const kni_rule *r, const kni_routine_args *args, knr_pooling_how how)
{
    knp_window w;
    knp_window_read(r->params, true, r->xt[0], r->yt, &w);
    knr_pooling_reduce(how, r->xt[0].dtype, &w, args->x[0], args->y[0]);
    return NULL;
}

static knx_error *sum_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_POOL_SUM); }
static knx_error *max_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_POOL_MAX); }
static knx_error *min_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_POOL_MIN); }

/* --- spreading -------------------------------------------------------------------------------- */

/* Windows that meet reach into the neighbours' parts. */
static void spread(const kni_rule *r, kni_spread *s)
{
    const params_t *p = r->params;
    knp_window_factors(r, s);
    for (int d = 0; d < r->xt->ndim; d++) {
        int64_t reach = knp_window_spread(p->window_dimensions.v[d], p->window_dilation.v[d]) - 1;
        if (!knp_windows_are_apart(r, d) && p->base_dilation.v[d] == 1 && r->yt->dim[d] > 1 && reach >= 0)
            knp_spread_halo(s, r->yt->dim[d], 0, d, d, p->window_strides.v[d], p->lo.v[d], reach - p->lo.v[d]);
    }
}

/* What the part's windows see outside of the array is the identity. */
static knx_error *local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    params_t p = *(const params_t *)r->params;
    kn_dtype d = r->xt->dtype;
    bool sum = r->prim == &knp_prim_reduce_window_sum;
    knx_scalar_bits identity =
        sum ? knx_scalar_from_int(d, 0) : knx_scalar_extreme(d, r->prim != &knp_prim_reduce_window_max);
    knp_dims lo = {.n = p.lo.n}, hi = lo;
    for (int i = 0; i < lo.n; i++) {
        bool window = knp_has_window(l, 0, i);
        lo.v[i] = window ? 0 : p.lo.v[i];
        hi.v[i] = window ? 0 : p.hi.v[i];
    }
    p.lo = knp_ints(&lo);
    p.hi = knp_ints(&hi);
    kni_atom x = knp_fill_windows(r, l, 0, knb_literal(r->b, d, false, identity));
    y[0] = knb_emit1(r->b, r->prim, &p, 1, &x);
    return NULL;
}

#define ROW                                                                                                        \
    .n_in = 1, .n_out = 1, .fields = kni_fields_window, .params_size = sizeof(params_t), .batch = batch,           \
    .simplify = simplify, .pull = pull, .pulls = pulls, .looks = looks, .cost = cost, .factors = "... i -> ... j", \
    .spread = spread, .local = local

const kni_prim knp_prim_reduce_window_sum = {
    .name = "reduce_window_sum",
    ROW,
    .linear_in = 1,
    .type = sum_type,
    .jvp = knp_jvp_linear,
    .transpose = sum_transpose,
    .run = sum_run,
    .doc = "the sum of the elements in each window (jax.lax.reduce_window with add)",
};

const kni_prim knp_prim_reduce_window_max = {
    .name = "reduce_window_max",
    ROW,
    .type = extreme_type,
    .jvp = extreme_jvp,
    .run = max_run,
    .doc = "the largest element in each window; nan if one is (jax.lax.reduce_window with max)",
};

const kni_prim knp_prim_reduce_window_min = {
    .name = "reduce_window_min",
    ROW,
    .type = extreme_type,
    .jvp = extreme_jvp,
    .run = min_run,
    .doc = "the smallest element in each window; nan if one is (jax.lax.reduce_window with min)",
};
