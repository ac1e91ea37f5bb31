/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- sort: several arrays rearranged along a dimension by the first num_keys of them; top_k: the largest
 * elements along an axis and where they are.
 *
 *     type       the operands'; top_k: k elements, and their positions as int32
 *     linearize  the positions are sorted along; tangents are gathered by them, which is linear
 *     jvp        top_k: the tangents at the positions
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

/* The elements of x at positions[...] along a dimension, where positions has x's shape but for it (take_along_axis). */
static kni_atom take_along(kni_builder *b, kni_atom x, kni_atom positions, int dimension, bool unique)
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
            ty[i] = r->b->error ? KN_ATOM_NONE : take_along(r->b, tx[i], out[n], dimension, true);
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

static void describe(const params_t *p, int n, const kni_type *x, const kn_dtype *dtype, int threads, knr_sort *s)
{
    int64_t least, most;
    knx_dim_bounds(x[0].dim[p->dimension], &least, &most);
    *s = (knr_sort){.n = n,
                    .n_key = (int)p->num_keys,
                    .dtype = dtype,
                    .outer = 1,
                    .length = x[0].dim[p->dimension],
                    .inner = 1,
                    .far = most > UINT32_MAX,
                    .threads = threads};
    for (int i = 0; i < x[0].ndim; i++) {
        if (i < p->dimension)
            s->outer = knx_dim_mul(s->outer, x[0].dim[i]);
        if (i > p->dimension)
            s->inner = knx_dim_mul(s->inner, x[0].dim[i]);
    }
}

/* Room for the operands' dtypes, before the routine's own. */
static size_t dtypes_room(int n) { return ((size_t)n * sizeof(kn_dtype) + 63) / 64 * 64; }

static knx_bytes sort_workspace(const kni_rule *r)
{
    knr_sort s;
    describe(r->params, r->n_in, r->xt, &r->xt[0].dtype, r->threads, &s);
    return (knx_bytes)knx_dim_add((int64_t)dtypes_room(r->n_in), knr_sort_workspace(&s));
}

static knx_error *sort_run(const kni_rule *r, const kni_routine_args *args)
{
    knr_sort s;
    describe(r->params, r->n_in, r->xt, NULL, args->threads, &s);
    kn_dtype *dtype = args->workspace;
    for (int i = 0; i < r->n_in; i++)
        dtype[i] = r->xt[i].dtype;
    s.dtype = dtype;
    knr_sort_run(&s, args->x, args->y, (char *)args->workspace + dtypes_room(r->n_in));
    return NULL;
}

static double sort_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    double levels = 1;
    for (int64_t n = knx_dim_hint(r->xt[0].dim[p->dimension]); n > 1; n /= 2)
        levels++;
    return kni_type_count(r->xt[0]) * (2 * levels * (double)p->num_keys + r->n_in);
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
    .run = sort_run,
    .workspace = sort_workspace,
    .cost = sort_cost,
};

/* --- top_k ------------------------------------------------------------------------------------ */

static knx_error *top_type(kni_rule *r, kni_type *y)
{
    const kni_p_top_k *p = r->params;
    knx_text t = {0};
    if (knx_is_complex(r->xt->dtype))
        return knx_error_new(KN_ERROR_VALUE, "is not compatible with complex inputs.");
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    if (knx_dim_lt(p->k, 0))
        return knx_error_new(KN_ERROR_VALUE, "k argument must be nonnegative, got %s", knx_dim_show(&t, p->k));
    if (r->xt->ndim == 0)
        return knx_error_new(KN_ERROR_TYPE, "operand must have >= 1 dimension, got ()");
    if (p->axis < 0 || p->axis >= r->xt->ndim)
        return knp_axis_error(p->axis, r->xt->ndim);
    knx_show_shape(&t, r->xt->ndim, r->xt->dim);
    if (knx_dim_lt(r->xt->dim[p->axis], p->k)) {
        knx_text k = {0};
        return knx_error_new(KN_ERROR_VALUE,
                             "k argument must be no larger than size along axis; got k=%s with shape=%s and axis=%lld",
                             knx_dim_show(&k, p->k), t.s, (long long)p->axis);
    }
    if (!knx_is_symbolic(r->xt->dim[p->axis]) && r->xt->dim[p->axis] > INT32_MAX)
        return knx_error_new(KN_ERROR_VALUE, "returns int32 indices, which will overflow for operand.shape=%s", t.s);
    knp_dims d = knp_dims_of(*r->xt);
    d.v[p->axis] = p->k;
    KN_TRY(knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, &y[0]));
    return knp_type_dims(r->arena, KN_DT(I32), false, d.n, d.v, &y[1]);
}

static void top_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = take_along(r->b, tx[0], r->y[1], (int)((const kni_p_top_k *)r->params)->axis, false);
}

static knx_error *top_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_top_k p = *(const kni_p_top_k *)r->params;
    (void)size;
    p.axis += p.axis >= axis[0];
    knb_emit(r->b, r->prim, &p, 1, r->x, y, 2);
    axis_out[0] = axis_out[1] = axis[0];
    return NULL;
}

static knr_top describe_top(const kni_p_top_k *p, kni_type x)
{
    int axis = (int)p->axis;
    return (knr_top){.dtype = x.dtype,
                     .outer = knp_product((kni_ints){axis, x.dim}),
                     .length = x.dim[axis],
                     .inner = knp_product((kni_ints){x.ndim - axis - 1, x.dim + axis + 1}),
                     .k = p->k};
}

static knx_bytes top_workspace(const kni_rule *r)
{
    knr_top t = describe_top(r->params, r->xt[0]);
    int64_t n = t.length, none, one;
    t.length = 0;
    none = (int64_t)knr_top_workspace(&t);
    t.length = 1;
    one = (int64_t)knr_top_workspace(&t);
    return (knx_bytes)knx_dim_add(none, knx_dim_mul(n, one - none)); /* perhaps an expression */
}

static knx_error *top_run(const kni_rule *r, const kni_routine_args *args)
{
    knr_top t = describe_top(r->params, r->xt[0]);
    knr_top_run(&t, args->x[0], args->y[0], args->y[1], args->workspace);
    return NULL;
}

static double top_cost(const kni_rule *r) { return 8 * kni_type_count(r->xt[0]); }

const kni_prim knp_prim_top_k = {
    .name = "top_k",
    .n_in = 1,
    .n_out = 2,
    .why_no_transpose = KN_WHY_DISCRETE,
    .fields = kni_fields_top_k,
    .params_size = sizeof(kni_p_top_k),
    .factors = "n m -> k m, k m",
    .doc = "the k largest elements along an axis, the largest first, and their positions; nan is the largest "
           "(jax.lax.top_k)",
    .type = top_type,
    .jvp = top_jvp,
    .batch = top_batch,
    .run = top_run,
    .workspace = top_workspace,
    .cost = top_cost,
};
