/* SPDX-License-Identifier: Apache-2.0
 * reduce.c -- reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or, reduce_xor; argmax and argmin.
 *
 *     type       the reduced axes disappear; a maximum needs something to choose from
 *     jvp        the sum is linear; a maximum's tangent is the mean of the tangents where the maximum lies; products
 *                by halving, which is right where factors are zero
 *     transpose  reduce_sum: the cotangent repeated along the reduced axes
 *     batch      axes at or behind the batch axis move up by one
 *     simplify   over axes of extent 1: the element
 *     lower      one reduction of the kernel IR, products of complex numbers by halving; argmax and argmin are a
 *                routine
 */
#include "prim/rules.h"
#include "host/routine/extreme.h"

static KNX_HOT knx_error *without_axes(kni_ints axes, const kni_type *x, kn_dtype d, knx_arena *a, kni_type *y)
{
    knp_dims rest = knp_axes_rest(axes, x->ndim), shape = knp_dims_pick(*x, knp_ints(&rest));
    return knp_type_dims(a, d, x->weak && d == x->dtype, shape.n, shape.v, y);
}

static KNX_HOT knx_error *reduce_type(kni_rule *r, unsigned kinds, kni_type *y)
{
    const kni_p_reduce *p = r->params;
    KN_TRY(knp_accepts(r->xt->dtype, kinds));
    KN_TRY(knp_check_axes(p->axes, r->xt->ndim));
    return without_axes(p->axes, r->xt, r->xt->dtype, r->arena, y);
}

static knx_error *reduce_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size;
    knp_dims lifted = knp_axes_lift(((const kni_p_reduce *)r->params)->axes, axis[0]);
    y[0] = knb_emit1(r->b, r->prim, &(kni_p_reduce){knp_ints(&lifted)}, 1, r->x);
    axis_out[0] = axis[0] - knp_axes_before(knp_ints(&lifted), axis[0]);
    return NULL;
}

/* A reduced value repeated to the operand's shape. */
static kni_atom spread(const kni_rule *r, kni_atom reduced)
{
    kni_type x = r->xt[0];
    knp_dims rest = knp_axes_rest(((const kni_p_reduce *)r->params)->axes, x.ndim);
    return rest.n == x.ndim ? reduced : knb_broadcast_in_dim(r->b, reduced, x.ndim, x.dim, rest.v);
}

/* Over axes of extent 1 there is one element, as it is; but a sum starts from 0, which makes -0 to 0. */
static kni_atom reduce_simplify(const kni_rule *r)
{
    kni_ints axes = ((const kni_p_reduce *)r->params)->axes;
    kni_type y = r->yt[0];
    for (int i = 0; i < axes.n; i++)
        if (!knx_dim_same(r->xt[0].dim[axes.v[i]], 1))
            return KN_ATOM_NONE;
    if (!axes.n) /* nothing is joined */
        return r->x[0];
    kni_atom x = knb_reshape(r->b, r->x[0], y.ndim, y.dim);
    if (r->prim->reduction->how != KNK_RED_ADD || !knx_is_inexact(y.dtype))
        return x;
    return knb_add(r->b, x, knb_literal(r->b, y.dtype, y.weak, knx_scalar_from_double(y.dtype, 0)));
}

#define REDUCTION                                                                                          \
    .n_in = 1, .n_out = 1, .bits = KN_REDUCES, .params_size = sizeof(kni_p_reduce), .batch = reduce_batch, \
    .cost = knp_cost_input, .factors = "... reduced -> ...", .simplify = reduce_simplify

/* reduce_sum */

static KNX_HOT knx_error *sum_type(kni_rule *r, kni_type *y) { return reduce_type(r, KNP_NUMBERS, y); }

static knx_error *sum_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = spread(r, ct[0]);
    return NULL;
}

const kni_prim knp_prim_reduce_sum = {
    .name = "reduce_sum",
    .events = KN_EVENTS,
    REDUCTION,
    .fields = kni_fields_reduce_sum,
    .linear_in = 1,
    .type = sum_type,
    .jvp = knp_jvp_linear,
    .transpose = sum_transpose,
    .reduction = &(const kni_reduction_row){KNK_RED_ADD},
    .doc = "the sum of the elements over some axes (np.sum)",
};

/* reduce_prod */

/* Values, and behind them their tangents if there are any. */
static void join_factors(const knp_halving *h, const kni_atom *x, const kni_atom *y, kni_atom *z)
{
    kni_atom product = knb_mul(h->b, x[0], y[0]);
    if (h->n == 2) {
        kni_atom left = knb_mul(h->b, x[1], y[0]), right = knb_mul(h->b, x[0], y[1]);
        z[1] = knb_add_any(h->b, left, right);
    }
    z[0] = product;
}

static void prod_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_atom x[2] = {r->x[0], tx[0]}, identity[2] = {knb_like(r->b, x[0], 1), knb_like(r->b, x[0], 0)};
    knp_halve(&(knp_halving){r->b, 2, join_factors, identity, NULL}, ((const kni_p_reduce *)r->params)->axes, x);
    ty[0] = x[1];
}

/* The factors of a complex product do not come by components. */
static bool prod_expands(const kni_rule *r) { return knx_is_complex(r->xt->dtype); }

static knx_error *prod_expand(const kni_rule *r, kni_atom *y)
{
    kni_atom identity = knb_like(r->b, r->x[0], 1);
    y[0] = r->x[0];
    knp_halve(&(knp_halving){r->b, 1, join_factors, &identity, NULL}, ((const kni_p_reduce *)r->params)->axes, y);
    return NULL;
}

const kni_prim knp_prim_reduce_prod = {
    .name = "reduce_prod",
    .events = KN_EVENTS | KN_EVENTS_ROUNDS,
    REDUCTION,
    .fields = kni_fields_reduce,
    .type = sum_type,
    .jvp = prod_jvp,
    .reduction = &(const kni_reduction_row){KNK_RED_MUL},
    .expand = prod_expand,
    .expands = prod_expands,
    .doc = "the product of the elements over some axes (np.prod)",
};

/* reduce_max, reduce_min */

static knx_error *extreme_type(kni_rule *r, const char *operation, kni_type *y)
{
    const kni_p_reduce *p = r->params;
    KN_TRY(reduce_type(r, KNP_REALS | KNP_BOOL, y));
    for (int i = 0; i < p->axes.n; i++)
        if (knx_dim_eq(r->xt->dim[p->axes.v[i]], 0))
            return knx_error_new(KN_ERROR_VALUE, "zero-size array to reduction operation %s which has no identity",
                                 operation);
    return NULL;
}

static knx_error *max_type(kni_rule *r, kni_type *y) { return extreme_type(r, "maximum", y); }

static knx_error *min_type(kni_rule *r, kni_type *y) { return extreme_type(r, "minimum", y); }

static void extreme_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_ints axes = ((const kni_p_reduce *)r->params)->axes;
    kni_atom here = knb_convert(b, knb_eq(b, r->x[0], spread(r, r->y[0])), r->yt[0].dtype);
    kni_atom count = knb_reduce_sum(b, here, axes.n, axes.v),
             sum = knb_reduce_sum(b, knb_mul(b, tx[0], here), axes.n, axes.v);
    ty[0] = knb_div(b, sum, count);
}

const kni_prim knp_prim_reduce_max = {.name = "reduce_max",
                                      REDUCTION,
                                      .fields = kni_fields_reduce,
                                      .type = max_type,
                                      .jvp = extreme_jvp,
                                      .reduction = &(const kni_reduction_row){KNK_RED_MAX},
                                      .doc = "the largest element over some axes; nan if one is (np.max)"};

const kni_prim knp_prim_reduce_min = {.name = "reduce_min",
                                      REDUCTION,
                                      .fields = kni_fields_reduce,
                                      .type = min_type,
                                      .jvp = extreme_jvp,
                                      .reduction = &(const kni_reduction_row){KNK_RED_MIN},
                                      .doc = "the smallest element over some axes; nan if one is (np.min)"};

/* reduce_and, reduce_or, reduce_xor */

static knx_error *bits_type(kni_rule *r, kni_type *y) { return reduce_type(r, KNP_BITS, y); }

const kni_prim knp_prim_reduce_and = {
    .name = "reduce_and",
    REDUCTION,
    .fields = kni_fields_reduce,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .type = bits_type,
    .reduction = &(const kni_reduction_row){KNK_RED_AND},
    .doc = "the bitwise and of integers or booleans over some axes (np.all)",
};

const kni_prim knp_prim_reduce_or = {
    .name = "reduce_or",
    REDUCTION,
    .fields = kni_fields_reduce,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .type = bits_type,
    .reduction = &(const kni_reduction_row){KNK_RED_OR},
    .doc = "the bitwise or of integers or booleans over some axes (np.any)",
};

const kni_prim knp_prim_reduce_xor = {
    .name = "reduce_xor",
    REDUCTION,
    .fields = kni_fields_reduce,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .type = bits_type,
    .reduction = &(const kni_reduction_row){KNK_RED_XOR},
    .doc = "the bitwise exclusive or of integers or booleans over some axes (np.bitwise_xor.reduce)",
};

/* argmax, argmin: the first nan, else the first extreme element, along one axis */

static knx_error *arg_type(kni_rule *r, const char *name, kni_type *y)
{
    const kni_p_argreduce *p = r->params;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_NUMBERS | KNP_BOOL));
    if (p->axes.n != 1)
        return knx_error_new(KN_ERROR_TYPE, "takes one axis, not %d", p->axes.n);
    if (!knx_is_integer(p->index_dtype))
        return knx_error_new(KN_ERROR_TYPE, "the index dtype must be an integer, got %s", p->index_dtype->name);
    KN_TRY(knp_check_axes(p->axes, r->xt->ndim));
    if (knx_dim_eq(r->xt->dim[p->axes.v[0]], 0))
        return knx_error_new(KN_ERROR_VALUE, "attempt to get %s of an empty sequence", name);
    KN_TRY(without_axes(p->axes, r->xt, p->index_dtype, r->arena, y));
    y->weak = false;
    return NULL;
}

static knx_error *argmax_type(kni_rule *r, kni_type *y) { return arg_type(r, "argmax", y); }

static knx_error *argmin_type(kni_rule *r, kni_type *y) { return arg_type(r, "argmin", y); }

static knx_error *arg_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_argreduce *p = r->params;
    (void)size;
    knp_dims lifted = knp_axes_lift(p->axes, axis[0]);
    y[0] = knb_emit1(r->b, r->prim, &(kni_p_argreduce){knp_ints(&lifted), p->index_dtype}, 1, r->x);
    axis_out[0] = axis[0] - knp_axes_before(knp_ints(&lifted), axis[0]);
    return NULL;
}

static knx_error *arg_run(const kni_rule *r, const kni_routine_args *args, bool largest)
{
    const kni_p_argreduce *p = r->params;
    kni_type x = r->xt[0];
    int axis = (int)p->axes.v[0];
    knr_extreme_run(&(knr_extreme){.dtype = x.dtype,
                                   .index_dtype = p->index_dtype,
                                   .outer = knp_product((kni_ints){axis, x.dim}),
                                   .length = x.dim[axis],
                                   .inner = knp_product((kni_ints){x.ndim - axis - 1, x.dim + axis + 1}),
                                   .largest = largest,
                                   .threads = args->threads},
                    args->x[0], args->y[0]);
    return NULL;
}

static knx_error *argmax_run(const kni_rule *r, const kni_routine_args *args) { return arg_run(r, args, true); }
static knx_error *argmin_run(const kni_rule *r, const kni_routine_args *args) { return arg_run(r, args, false); }

static void arg_spread(const kni_rule *r, kni_spread *s)
{
    const kni_p_argreduce *p = r->params;
    knp_spread_rest(r, s, 1, p->axes);
    if (knx_is_complex(r->xt[0].dtype))
        return; /* of which there is no maximum */
    kni_factor *f = kni_factor_new(s, KNI_SHARES, r->xt[0].dim[p->axes.v[0]]);
    kni_factor_in(f, 0, (int)p->axes.v[0]);
    if (f)
        f->local = true;
}

/* The extreme element of each line of the part; for bools, or and and. */
static kni_atom extreme_of(kni_builder *b, kni_atom x, int64_t axis, bool largest)
{
    if (knb_type(b, x).dtype->kind == KN_KIND_BOOL)
        return (largest ? knb_reduce_or : knb_reduce_and)(b, x, 1, &axis);
    return (largest ? knb_reduce_max : knb_reduce_min)(b, x, 1, &axis);
}

/* Each device's extreme element and where it is; of the first device that has the extreme one of these. */
static knx_error *arg_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const kni_p_argreduce *p = r->params;
    kni_builder *b = r->b;
    kni_type t = r->xt[0];
    int axis = (int)p->axes.v[0], f = knp_cut_factor(l, 0, axis);
    bool largest = r->prim == &knp_prim_argmax;
    kni_atom (*arg)(kni_builder *, kni_atom, int, kn_dtype) = largest ? knb_argmax : knb_argmin;
    if (f < 0) {
        y[0] = arg(b, r->x[0], axis, p->index_dtype);
        return NULL;
    }
    int64_t first = 0, extent = l->cut[f].extent;
    kn_dtype place = extent <= INT32_MAX ? KN_DT(I32) : KN_DT(I64);
    bool truth = t.dtype->kind == KN_KIND_BOOL;
    kni_atom worst = truth ? knb_integer(b, t.dtype, !largest)
                           : knb_literal(b, t.dtype, false, knx_scalar_extreme(t.dtype, !largest));
    kni_atom x = knp_fill_padding(r, l, f, axis, worst);
    kni_atom values = l->gather(l, b, f, extreme_of(b, x, axis, largest));
    kni_atom places = l->gather(l, b, f, arg(b, x, axis, place));
    kni_type all = knb_type(b, places);
    if (b->error)
        return NULL;
    kni_atom part = knb_iota(b, KN_DT(I64), all.ndim, all.dim, 0), best = arg(b, values, 0, KN_DT(I64));
    kni_atom at = knb_add(b, knb_convert(b, places, KN_DT(I64)), knb_mul(b, part, knb_integer(b, KN_DT(I64), extent)));
    kni_atom chosen = knb_eq(b, part, knp_in_front(b, best, all.dim[0]));
    at = knb_select(b, chosen, at, knb_integer(b, KN_DT(I64), 0));
    y[0] = knb_convert(b, knb_reduce_sum(b, at, 1, &first), p->index_dtype);
    return NULL;
}

#define CHOICE                                                                                                  \
    .n_in = 1, .n_out = 1, .bits = KN_INTEGER_RESULT | KN_THREADS, .fields = kni_fields_argreduce,              \
    .params_size = sizeof(kni_p_argreduce), .why_no_jvp = KN_WHY_DISCRETE, .why_no_transpose = KN_WHY_DISCRETE, \
    .batch = arg_batch, .cost = knp_cost_input, .factors = "... reduced -> ...", .spread = arg_spread,          \
    .local = arg_local

const kni_prim knp_prim_argmax = {
    .name = "argmax",
    CHOICE,
    .type = argmax_type,
    .run = argmax_run,
    .doc = "the position of the largest element along one axis: the first one, or the first nan (np.argmax)",
};

const kni_prim knp_prim_argmin = {
    .name = "argmin",
    CHOICE,
    .type = argmin_type,
    .run = argmin_run,
    .doc = "the position of the smallest element along one axis: the first one, or the first nan (np.argmin)",
};
