/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- sort: several arrays rearranged along a dimension by the first num_keys of them; argsort: the positions of
 * elements in the order of their keys.
 *
 *     type       the operands'; argsort: theirs as int64
 *     linearize  the positions are sorted along; tangents are gathered by them, which is linear. argsort: none
 *     transpose  none: the order is a discrete choice (the gathers of a derivative have theirs)
 *     batch      one more dimension that is not sorted along
 *     lower      a routine, stable whatever is_stable says
 */
#include "prim/rules.h"
#include "host/routine/sort.h"

typedef kni_p_sort params_t;

static knx_error *sort_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    if (r->n_in < 1 || r->n_out < r->n_in)
        return knx_error_new(KN_ERROR_TYPE, "sort needs at least one operand");
    for (int i = 1; i < r->n_in; i++)
        if (!kni_type_same_shape(r->xt[0], r->xt[i])) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_TYPE, "Arguments to sort must have equal shapes, got: %s, %s",
                                 knx_show_shape(&s, r->xt[0].ndim, r->xt[0].dim),
                                 knx_show_shape(&t, r->xt[i].ndim, r->xt[i].dim));
        }
    if (p->dimension < 0 || p->dimension >= r->xt[0].ndim)
        return knp_axis_error(p->dimension, r->xt[0].ndim);
    if (p->num_keys < 1 || p->num_keys > r->n_in)
        return knx_error_new(KN_ERROR_VALUE, "sort: num_keys=%lld must be between 1 and the number of operands, %d",
                             (long long)p->num_keys, r->n_in);
    for (int i = 0; i < r->n_in; i++) {
        if (i < p->num_keys)
            KN_TRY(knp_accepts(r->xt[i].dtype, KNP_NUMBERS | KNP_BOOL));
        KN_TRY(knp_type_like(r->arena, r->xt[i], r->xt[i].dtype, &y[i]));
    }
    r->n_out = r->n_in;
    return NULL;
}

static knx_error *sort_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const params_t *p = r->params;
    int n = r->n_in, dimension = (int)p->dimension;
    kni_type t = r->xt[0];
    kni_atom *in = knx_arena_alloc(&r->b->arena, 2 * ((size_t)n + 1) * sizeof *in), *out = in + n + 1;
    if (!in)
        return knx_error_nomem();
    for (int i = 0; i < n; i++)
        in[i] = r->x[i];
    int64_t least, most;
    knx_dim_bounds(t.dim[dimension], &least, &most);
    kn_dtype position = most > INT32_MAX ? KN_DT(I64) : KN_DT(I32);
    in[n] = knb_iota(r->b, position, t.ndim, t.dim, dimension);
    knb_emit(r->b, r->prim, p, n + 1, in, out, n + 1);
    for (int i = 0; i < n; i++) {
        y[i] = r->b->error ? KN_ATOM_NONE : out[i];
        if (tx[i] != KN_ATOM_ZERO)
            ty[i] = r->b->error ? KN_ATOM_NONE : knp_take_along(r->b, tx[i], out[n], dimension, true);
    }
    return NULL;
}

static knx_error *sort_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    params_t p = *(const params_t *)r->params;
    kni_atom *in = knx_arena_alloc(&r->b->arena, (size_t)r->n_in * sizeof *in);
    if (!in)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++) {
        in[i] = knp_batched_at(r, i, size, axis[i], 0);
        axis_out[i] = 0;
    }
    p.dimension++;
    knb_emit(r->b, r->prim, &p, r->n_in, in, y, r->n_in);
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

/* keys 0: all operands are keys, whose positions are asked for. */
static void describe(const kni_rule *r, int64_t dimension, int64_t keys, const kn_dtype *dtype, int threads,
                     knr_sort *s)
{
    kni_type x = r->xt[0];
    *s = (knr_sort){.n = r->n_in,
                    .n_key = keys ? (int)keys : r->n_in,
                    .dtype = dtype,
                    .outer = knp_product((kni_ints){(int)dimension, x.dim}),
                    .length = x.dim[dimension],
                    .inner = knp_product((kni_ints){x.ndim - (int)dimension - 1, x.dim + dimension + 1}),
                    .positions = !keys,
                    .threads = threads};
}

/* Room for the operands' dtypes, before the routine's own. */
static size_t dtypes_room(int n) { return ((size_t)n * sizeof(kn_dtype) + 63) / 64 * 64; }

static knx_bytes workspace(const kni_rule *r, int64_t dimension, int64_t keys)
{
    knr_sort s;
    describe(r, dimension, keys, &r->xt[0].dtype, r->threads, &s);
    return (knx_bytes)knx_dim_add((int64_t)dtypes_room(r->n_in), knr_sort_workspace(&s));
}

static knx_error *run(const kni_rule *r, int64_t dimension, int64_t keys, const kni_routine_args *args)
{
    knr_sort s;
    kn_dtype *dtype = args->workspace;
    for (int i = 0; i < r->n_in; i++)
        dtype[i] = r->xt[i].dtype;
    describe(r, dimension, keys, dtype, args->threads, &s);
    knr_sort_run(&s, args->x, args->y, (char *)args->workspace + dtypes_room(r->n_in));
    return NULL;
}

static double cost(const kni_rule *r, int64_t dimension, int64_t keys)
{
    return kni_type_count(r->xt[0]) * (2 * knp_levels(r->xt[0].dim[dimension]) * (double)keys + r->n_in);
}

static knx_bytes sort_workspace(const kni_rule *r)
{
    const params_t *p = r->params;
    return workspace(r, p->dimension, p->num_keys);
}

static knx_error *sort_run(const kni_rule *r, const kni_routine_args *args)
{
    const params_t *p = r->params;
    return run(r, p->dimension, p->num_keys, args);
}

static double sort_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    return cost(r, p->dimension, p->num_keys);
}

static void sort_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_but(r, s, (kni_ints){1, &((const params_t *)r->params)->dimension});
}

const kni_prim knp_prim_sort = {
    .name = "sort",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_THREADS,
    .why_no_transpose = KN_WHY_DISCRETE,
    .fields = kni_fields_sort,
    .params_size = sizeof(params_t),
    .factors = "... i -> ... j",
    .doc = "arrays rearranged along a dimension so that the first num_keys of them rise, NaN last (jax.lax.sort)",
    .type = sort_type,
    .linearize = sort_linearize,
    .batch = sort_batch,
    .spread = sort_spread,
    .run = sort_run,
    .workspace = sort_workspace,
    .cost = sort_cost,
};

/* --- argsort ---------------------------------------------------------------------------------- */

static knx_error *argsort_type(kni_rule *r, kni_type *y)
{
    const kni_p_argsort *p = r->params;
    const params_t sort = {.dimension = p->dimension, .num_keys = r->n_in < 1 ? 1 : r->n_in};
    kni_rule like = *r;
    kni_type *sorted = knx_arena_alloc(r->arena, ((size_t)r->n_in + 1) * sizeof *sorted);
    if (!sorted)
        return knx_error_nomem();
    like.params = &sort;
    like.n_out = r->n_in;
    KN_TRY(sort_type(&like, sorted));
    r->n_out = 1;
    return knp_type_like(r->arena, r->xt[0], KN_DT(I64), y);
}

static knx_error *argsort_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    int dimension = (int)((const kni_p_argsort *)r->params)->dimension;
    kni_atom *in = knx_arena_alloc(&r->b->arena, (size_t)r->n_in * sizeof *in);
    if (!in)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        in[i] = knp_batched_at(r, i, size, axis[i], 0);
    y[0] = knb_argsort(r->b, r->n_in, in, dimension + 1);
    axis_out[0] = 0;
    return NULL;
}

static knx_bytes argsort_workspace(const kni_rule *r)
{
    return workspace(r, ((const kni_p_argsort *)r->params)->dimension, 0);
}

static knx_error *argsort_run(const kni_rule *r, const kni_routine_args *args)
{
    return run(r, ((const kni_p_argsort *)r->params)->dimension, 0, args);
}

static double argsort_cost(const kni_rule *r)
{
    return cost(r, ((const kni_p_argsort *)r->params)->dimension, r->n_in);
}

static void argsort_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_but(r, s, (kni_ints){1, &((const kni_p_argsort *)r->params)->dimension});
}

const kni_prim knp_prim_argsort = {
    .name = "argsort",
    .n_in = -1,
    .n_out = 1,
    .bits = KN_THREADS,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .fields = kni_fields_argsort,
    .params_size = sizeof(kni_p_argsort),
    .factors = "... i -> ... j",
    .doc =
        "positions along a dimension in the order of elements, by one key or several of them, NaN last, equal ones as "
        "they come (np.argsort, np.lexsort)",
    .type = argsort_type,
    .batch = argsort_batch,
    .spread = argsort_spread,
    .run = argsort_run,
    .workspace = argsort_workspace,
    .cost = argsort_cost,
};
