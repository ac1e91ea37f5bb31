/* SPDX-License-Identifier: Apache-2.0
 * dot.c -- dot_general: products summed over any pairs of dimensions.
 *
 *     type       batch dimensions, the free ones of the left operand, those of the right one; dtype: the operands',
 *                or the preferred one
 *     jvp        the product rule
 *     transpose  a product of the cotangent with the other operand over its free dimensions, its dimensions put into
 *                order
 *     batch      both operands: one more pair of batch dimensions; one operand: its batch axis is one more free
 *                dimension
 *     lower      a product; sums in the order of docs/determinism.md
 */
#include "prim/rules.h"
#include "host/routine/product.h"

typedef kni_p_dot_general params_t;

/* --- type ------------------------------------------------------------------------------------- */

static knx_error *check_side(const char *side, kni_ints contract, kni_ints batch, int ndim)
{
    const kni_ints both[] = {contract, batch};
    uint64_t seen = 0;
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < both[g].n; i++) {
            int64_t d = both[g].v[i];
            if (d < 0 || d >= ndim)
                return knx_error_new(
                    KN_ERROR_TYPE,
                    "dot_general requires %s dimension numbers to be nonnegative and less than the number of axes "
                    "of the %s value, got %lld for %d axes",
                    side, side, (long long)d, ndim);
            if (seen >> d & 1)
                return knx_error_new(KN_ERROR_TYPE,
                                     "dot_general requires %s dimension numbers to be distinct, got %lld twice", side,
                                     (long long)d);
            seen |= (uint64_t)1 << d;
        }
    return NULL;
}

static knx_error *check_pairs(const char *what, kni_type x, kni_ints xd, kni_type y, kni_ints yd)
{
    if (xd.n != yd.n)
        return knx_error_new(KN_ERROR_TYPE,
                             "dot_general requires equal numbers of lhs and rhs %s dimensions, got %d and %d", what,
                             xd.n, yd.n);
    knp_dims a = knp_dims_pick(x, xd), b = knp_dims_pick(y, yd);
    for (int i = 0; i < a.n; i++)
        if (!knx_dim_eq(a.v[i], b.v[i])) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_TYPE,
                                 "dot_general requires %s dimensions to have the same shape, got %s and %s.", what,
                                 knx_show_shape(&s, a.n, a.v), knx_show_shape(&t, b.n, b.v));
        }
    return NULL;
}

static knx_error *check_preferred(kn_dtype d, kn_dtype preferred)
{
    bool same_kind = d->kind == preferred->kind;
    if (!same_kind)
        return knx_error_new(
            KN_ERROR_TYPE,
            "`preferred_element_type` and the original type must both be integral, both be floating point, or both "
            "complex, got %s and %s",
            preferred->name, d->name);
    if (preferred->size < d->size)
        return knx_error_new(KN_ERROR_TYPE,
                             "`preferred_element_type` must not be narrower than the original type, got %s for %s",
                             preferred->name, d->name);
    return NULL;
}

static knx_error *dot_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    if (r->xt[0].dtype != r->xt[1].dtype)
        return knx_error_new(KN_ERROR_TYPE, "dot_general requires arguments to have the same dtypes, got %s, %s.",
                             r->xt[0].dtype->name, r->xt[1].dtype->name);
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(check_side("lhs", p->lhs_contract, p->lhs_batch, r->xt[0].ndim));
    KN_TRY(check_side("rhs", p->rhs_contract, p->rhs_batch, r->xt[1].ndim));
    KN_TRY(check_pairs("batch", r->xt[0], p->lhs_batch, r->xt[1], p->rhs_batch));
    KN_TRY(check_pairs("contracting", r->xt[0], p->lhs_contract, r->xt[1], p->rhs_contract));
    if (p->preferred_element_type)
        KN_TRY(check_preferred(r->xt[0].dtype, p->preferred_element_type));
    int64_t dim[2 * KN_MAX_NDIM];
    int n = 0;
    for (int i = 0; i < p->lhs_batch.n; i++)
        dim[n++] = r->xt[0].dim[p->lhs_batch.v[i]];
    for (int i = 0; i < r->xt[0].ndim; i++)
        if (!knp_contains(p->lhs_contract, i) && !knp_contains(p->lhs_batch, i))
            dim[n++] = r->xt[0].dim[i];
    for (int i = 0; i < r->xt[1].ndim; i++)
        if (!knp_contains(p->rhs_contract, i) && !knp_contains(p->rhs_batch, i))
            dim[n++] = r->xt[1].dim[i];
    kn_dtype d = p->preferred_element_type ? p->preferred_element_type : r->xt[0].dtype;
    return knp_type_dims(r->arena, d, r->xt[0].weak && r->xt[1].weak, n, dim, y);
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void dot_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    for (int i = 0; i < 2; i++) {
        if (tx[i] == KN_ATOM_ZERO)
            continue;
        kni_atom in[] = {i ? r->x[0] : tx[0], i ? tx[1] : r->x[1]};
        ty[0] = knb_add_any(r->b, ty[0], knb_emit1(r->b, r->prim, r->params, 2, in));
    }
}

/* The dimensions of an operand that are neither contracted nor batch. */
static knp_dims free_dims(kni_ints contract, kni_ints batch, int ndim)
{
    knp_dims d = {0};
    for (int i = 0; i < ndim; i++)
        if (!knp_contains(contract, i) && !knp_contains(batch, i))
            d.v[d.n++] = i;
    return d;
}

static void append(knp_dims *d, kni_ints more)
{
    for (int i = 0; i < more.n && d->n < KN_MAX_NDIM; i++)
        d->v[d->n++] = more.v[i];
}

/* What was contracted with the dimensions of the other operand, in the order of the latter. */
static knp_dims sorted_by(kni_ints mine, kni_ints other)
{
    knp_dims d = {0};
    for (int64_t axis = 0; axis < KN_MAX_NDIM; axis++)
        for (int i = 0; i < other.n; i++)
            if (other.v[i] == axis)
                d.v[d.n++] = mine.v[i];
    return d;
}

/* The cotangent of operand `me`: contract ct's dimensions that came from the other operand with those. The product's
 * dimensions are batch, mine that were free, and then mine that were contracted in the order of the other operand; a
 * transposition puts them right. */
static kni_atom transpose_operand(const kni_rule *r, int me, kni_atom ct)
{
    const params_t *p = r->params;
    kni_ints contract[] = {p->lhs_contract, p->rhs_contract}, batch[] = {p->lhs_batch, p->rhs_batch};
    int other = 1 - me, n_batch = batch[0].n;
    kni_type x = r->xt[me], y = r->xt[other];
    knp_dims kept = free_dims(contract[me], batch[me], x.ndim),
             other_kept = free_dims(contract[other], batch[other], y.ndim);
    knp_dims ct_batch = {0}, ct_other = {0};
    for (int i = 0; i < n_batch; i++)
        ct_batch.v[ct_batch.n++] = i;
    for (int i = 0; i < other_kept.n; i++)
        ct_other.v[ct_other.n++] = n_batch + i + (me == 0 ? kept.n : 0);
    kn_dtype d = knb_type(r->b, ct).dtype;
    params_t q = {.lhs_contract = knp_ints(&ct_other),
                  .rhs_contract = knp_ints(&other_kept),
                  .lhs_batch = knp_ints(&ct_batch),
                  .rhs_batch = batch[other],
                  .preferred_element_type = p->preferred_element_type};
    kni_atom product = knb_dot_general(r->b, ct, knb_convert(r->b, r->x[other], d), &q);

    knp_dims order = {0}, tail = sorted_by(contract[me], contract[other]);
    append(&order, batch[me]);
    append(&order, knp_ints(&kept));
    append(&order, knp_ints(&tail));
    int64_t permutation[KN_MAX_NDIM];
    for (int i = 0; i < order.n; i++)
        permutation[order.v[i]] = i;
    return knb_convert(r->b, knb_transpose(r->b, product, permutation), x.dtype);
}

static knx_error *dot_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    for (int i = 0; i < 2; i++)
        if (r->x[i] == KN_ATOM_LINEAR)
            ct_in[i] = transpose_operand(r, i, ct[0]);
    return NULL;
}

/* --- batching --------------------------------------------------------------------------------- */

static knx_error *dot_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const params_t *p = r->params;
    (void)size;
    kni_ints contract[] = {p->lhs_contract, p->rhs_contract}, batch[] = {p->lhs_batch, p->rhs_batch};
    knp_dims new_contract[2], new_batch[2];
    bool both = axis[0] >= 0 && axis[1] >= 0;
    for (int i = 0; i < 2; i++) {
        int at = axis[i] >= 0 ? axis[i] : KN_MAX_NDIM;
        new_contract[i] = knp_axes_lift(contract[i], at);
        new_batch[i] = knp_axes_lift(batch[i], at);
        if (both)
            new_batch[i] = knp_insert(knp_ints(&new_batch[i]), 0, at);
    }
    axis_out[0] = 0;
    if (!both) {
        int i = axis[0] >= 0 ? 0 : 1, ndim = knb_type(r->b, r->x[i]).ndim;
        knp_dims kept = free_dims(knp_ints(&new_contract[i]), knp_ints(&new_batch[i]), ndim);
        axis_out[0] = batch[0].n + knp_axes_before(knp_ints(&kept), axis[i]);
        if (i == 1)
            axis_out[0] += knb_type(r->b, r->x[0]).ndim - contract[0].n - batch[0].n;
    }
    params_t q = {.lhs_contract = knp_ints(&new_contract[0]),
                  .rhs_contract = knp_ints(&new_contract[1]),
                  .lhs_batch = knp_ints(&new_batch[0]),
                  .rhs_batch = knp_ints(&new_batch[1]),
                  .preferred_element_type = p->preferred_element_type};
    y[0] = knb_dot_general(r->b, r->x[0], r->x[1], &q);
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

static void add_dim(knk_dims *d, int64_t extent, int64_t a, int64_t b)
{
    d->extent[d->n] = extent;
    d->a[d->n] = a;
    d->c[d->n] = 0;
    d->b[d->n++] = b;
}

static void strides(kni_type t, int64_t *stride)
{
    int64_t s = 1;
    for (int i = t.ndim - 1; i >= 0; i--) {
        stride[i] = s;
        s = knx_dim_mul(s, t.dim[i]);
    }
}

/* The result's dimensions are those of batch, m and n, in order. */
static void place_result(knk_product *q)
{
    knk_dims *group[] = {&q->n, &q->m, &q->batch};
    int64_t stride = 1;
    for (int g = 0; g < 3; g++)
        for (int i = group[g]->n - 1; i >= 0; i--) {
            group[g]->c[i] = stride;
            stride = knx_dim_mul(stride, group[g]->extent[i]);
        }
}

static void dot_product(const kni_rule *r, knk_product *q)
{
    const params_t *p = r->params;
    int64_t a[KN_MAX_NDIM] = {0}, b[KN_MAX_NDIM] = {0};
    strides(r->xt[0], a);
    strides(r->xt[1], b);
    q->operand = r->xt[0].dtype;
    q->result = r->yt->dtype;
    q->a_offset = q->b_offset = q->c_offset = 0;
    q->n_window = 0;
    q->batch.n = q->m.n = q->n.n = q->k.n = 0;
    for (int i = 0; i < p->lhs_batch.n; i++)
        add_dim(&q->batch, r->xt[0].dim[p->lhs_batch.v[i]], a[p->lhs_batch.v[i]], b[p->rhs_batch.v[i]]);
    for (int i = 0; i < p->lhs_contract.n; i++)
        add_dim(&q->k, r->xt[0].dim[p->lhs_contract.v[i]], a[p->lhs_contract.v[i]], b[p->rhs_contract.v[i]]);
    for (int i = 0; i < r->xt[0].ndim; i++)
        if (!knp_contains(p->lhs_contract, i) && !knp_contains(p->lhs_batch, i))
            add_dim(&q->m, r->xt[0].dim[i], a[i], 0);
    for (int i = 0; i < r->xt[1].ndim; i++)
        if (!knp_contains(p->rhs_contract, i) && !knp_contains(p->rhs_batch, i))
            add_dim(&q->n, r->xt[1].dim[i], 0, b[i]);
    place_result(q);
}

static double dot_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    double cost = 2 * kni_type_count(r->yt[0]) * (knx_is_complex(r->yt[0].dtype) ? 4 : 1);
    for (int i = 0; i < p->lhs_contract.n; i++)
        cost *= (double)knx_dim_hint(r->xt[0].dim[p->lhs_contract.v[i]]);
    return cost;
}

const kni_prim knp_prim_dot_general = {
    .name = "dot_general",
    .events = KN_EVENTS,
    .n_in = 2,
    .n_out = 1,
    .bits = KN_MULTILINEAR | KN_PRODUCT,
    .linear_in = 3,
    .fields = kni_fields_dot_general,
    .params_size = sizeof(params_t),
    .factors = "b m k, b k n -> b m n",
    .doc = "products of two arrays, summed over pairs of contracting dimensions, beside each other over pairs of batch "
           "dimensions",
    .type = dot_type,
    .jvp = dot_jvp,
    .transpose = dot_transpose,
    .batch = dot_batch,
    .product = dot_product,
    .cost = dot_cost,
};
