/* SPDX-License-Identifier: Apache-2.0
 * cumulative.c -- cumsum, cumprod, cummax, cummin, cumlogsumexp: every element joined with all before it along an axis,
 * or with all behind it (reverse).
 *
 *     type       the operand's; numbers, cumlogsumexp of floats
 *     jvp        cumsum is linear; the others by parallel prefix: pairs are joined, the same is done with the half as
 *                many results, and what lies between is joined to them. Products with zeros and ties of maxima come
 *                out as jax.lax has them. Of a number of elements that is an expression: one after the other, by a scan
 *     transpose  cumsum: the same from the other end
 *     batch      one more axis that nothing is joined along
 *     lower      a routine; cumlogsumexp expands into the parallel prefix
 */
#include "host/routine/cumulative.h"
#include "prim/frame.h"

typedef kni_p_cumulative params_t;

/* --- what all share --------------------------------------------------------------------------- */

static knx_error *cumulative_type(const kni_rule *r, unsigned kinds, kni_type *y)
{
    const params_t *p = r->params;
    const kni_type *x = r->xt;
    KN_TRY(knp_accepts(x->dtype, kinds));
    if (p->axis < 0 || p->axis >= x->ndim)
        return knp_axis_error(p->axis, x->ndim);
    return knp_type_like(r->arena, *x, x->dtype, y);
}

static knx_error *numbers_type(kni_rule *r, kni_type *y) { return cumulative_type(r, KNP_NUMBERS, y); }

static knx_error *floats_type(kni_rule *r, kni_type *y) { return cumulative_type(r, KNP_FLOAT, y); }

static knx_error *cumulative_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    params_t p = *(const params_t *)r->params;
    (void)size;
    p.axis += p.axis >= axis[0];
    y[0] = knb_emit1(r->b, r->prim, &p, 1, r->x);
    axis_out[0] = axis[0];
    return NULL;
}

static int cumulative_rows(const kni_rule *r) { return (int)((const params_t *)r->params)->axis; }

static double cumulative_cost(const kni_rule *r) { return 3 * kni_type_count(r->xt[0]); }

static knx_error *run(const kni_rule *r, const kni_routine_args *args, knr_cumulate how)
{
    const params_t *p = r->params;
    kni_type x = r->xt[0];
    int axis = (int)p->axis;
    int64_t outer = knp_product((kni_ints){axis, x.dim}),
            inner = knp_product((kni_ints){x.ndim - axis - 1, x.dim + axis + 1});
    knr_cumulate_run(how, x.dtype, outer, x.dim[axis], inner, p->reverse, args->threads, args->x[0], args->y[0]);
    return NULL;
}

static knx_error *sum_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_CUMULATE_SUM); }
static knx_error *product_run(const kni_rule *r, const kni_routine_args *args)
{
    return run(r, args, KNR_CUMULATE_PRODUCT);
}
static knx_error *max_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_CUMULATE_MAX); }
static knx_error *min_run(const kni_rule *r, const kni_routine_args *args) { return run(r, args, KNR_CUMULATE_MIN); }

/* --- parallel prefix -------------------------------------------------------------------------- */

/* An array and its tangent, KN_ATOM_ZERO if there is none. */
typedef struct pair {
    kni_atom x, t;
} pair;
typedef struct prefix {
    kni_builder *b;
    const kni_prim *join; /* of two operands; NULL: log(exp(x) + exp(y)) */
    int axis;
} prefix;

/* x, or 0 where it is infinite: the difference of two infinities is wanted to be 0. */
static kni_atom without_infinity(kni_builder *b, kni_atom x)
{
    return knb_select(b, knb_eq(b, x, knb_like(b, x, 1.0 / 0.0)), knb_like(b, x, 0), x);
}

static kni_atom share(kni_builder *b, pair part, kni_atom whole)
{
    kni_atom mine = without_infinity(b, part.x), all = without_infinity(b, whole), difference = knb_sub(b, mine, all);
    return knb_mul(b, part.t, knb_exp(b, difference));
}

static pair join_logarithms(kni_builder *b, pair x, pair y)
{
    kni_atom first = knb_ge(b, x.x, y.x); /* not max and abs: either branch is smooth where x and y are equal */
    kni_atom largest = knb_select(b, first, x.x, y.x), difference = knb_sub(b, knb_select(b, first, y.x, x.x), largest);
    kni_atom is_nan = knb_ne(b, difference, difference), sum = knb_add(b, x.x, y.x); /* of equal infinities, or nan */
    kni_atom more = knb_log1p(b, knb_exp(b, difference));
    pair z = {knb_select(b, is_nan, sum, knb_add(b, largest, more)), KN_ATOM_ZERO};
    if (x.t != KN_ATOM_ZERO) {
        kni_atom left = share(b, x, z.x), right = share(b, y, z.x);
        z.t = knb_add(b, left, right);
    }
    return z;
}

static pair join(const prefix *s, pair x, pair y)
{
    kni_builder *b = s->b;
    if (!s->join)
        return join_logarithms(b, x, y);
    kni_atom in[2] = {x.x, y.x}, t[2] = {x.t, y.t};
    pair z = {knb_emit1(b, s->join, NULL, 2, in), KN_ATOM_ZERO};
    kni_type xt[2] = {knb_type(b, x.x), knb_type(b, y.x)}, yt = knb_type(b, z.x);
    kni_rule rule = {.b = b, .prim = s->join, .n_in = 2, .n_out = 1, .x = in, .xt = xt, .y = &z.x, .yt = &yt};
    if (x.t != KN_ATOM_ZERO)
        s->join->jvp(&rule, t, &z.t);
    return z;
}

/* Elements first, first + step, ... below `end` along the axis. */
static kni_atom cut_one(const prefix *s, kni_atom x, int64_t first, int64_t end, int64_t step)
{
    kni_type t = knb_type(s->b, x);
    int64_t start[KN_MAX_NDIM], limit[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++) {
        start[i] = i == s->axis ? first : 0;
        limit[i] = i == s->axis ? end : t.dim[i];
        stride[i] = i == s->axis ? step : 1;
    }
    return knb_slice(s->b, x, start, limit, stride);
}

static pair cut(const prefix *s, pair x, int64_t first, int64_t end, int64_t step)
{
    pair y = {cut_one(s, x.x, first, end, step), KN_ATOM_ZERO};
    if (x.t != KN_ATOM_ZERO)
        y.t = cut_one(s, x.t, first, end, step);
    return y;
}

/* The elements of x (first of all the first one) and of y at odd places, in turn: as many, or one less. */
static kni_atom in_turn(const prefix *s, kni_atom first, kni_atom x, kni_atom y, int64_t n)
{
    kni_builder *b = s->b;
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0}, between[KN_MAX_NDIM] = {0};
    kni_atom even = knb_concatenate(b, 2, (kni_atom[]){first, x}, s->axis), zero = knb_like(b, x, 0);
    between[s->axis] = 1;
    hi[s->axis] = n % 2 == 0;
    even = knb_pad(b, even, zero, lo, hi, between);
    lo[s->axis] = 1;
    hi[s->axis] = n % 2;
    return knb_add(b, even, knb_pad(b, y, zero, lo, hi, between));
}

/* The join of what came before with a row, twice. */
static knx_error *row_body(const prefix *s, kni_type row, bool tangent, kni_jaxpr **body)
{
    knp_frame f;
    uint32_t n = tangent ? 2 : 1;
    knx_error *error = knp_frame_begin(&f, 4, 4) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < 2 * n; i++)
        knp_frame_input(&f, row);
    if (!error) {
        prefix inside = {&f.b, s->join, s->axis};
        f.b.place = s->b->place;
        pair before = {f.in[0], tangent ? f.in[1] : KN_ATOM_ZERO},
             mine = {f.in[n], tangent ? f.in[n + 1] : KN_ATOM_ZERO}, all = join(&inside, before, mine);
        f.out[0] = f.out[n] = all.x;
        f.out[1] = tangent ? all.t : f.out[1];
        f.out[n + 1] = all.t;
        error = knp_frame_finish(&f, 2 * n, f.out, "", body);
    }
    knp_frame_end(&f);
    return error;
}

/* Of n elements, an expression: a scan behind the first one. */
static pair scan_rows(const prefix *s, pair x, int64_t n)
{
    kni_builder *b = s->b;
    prefix front = {b, s->join, 0};
    kni_jaxpr *body = NULL;
    bool tangent = x.t != KN_ATOM_ZERO;
    int k = tangent ? 2 : 1;
    kni_atom all[2] = {x.x, x.t}, first[2], in[4], out[4];
    for (int i = 0; i < k; i++) {
        all[i] = knb_move_axis(b, all[i], s->axis, 0);
        first[i] = cut_one(&front, all[i], 0, 1, 1);
        in[i] = knb_squeeze(b, first[i], 1, (int64_t[]){0});
        in[k + i] = cut_one(&front, all[i], 1, n, 1);
        out[k + i] = KN_ATOM_NONE;
    }
    knx_error *error = b->error ? NULL : row_body(s, knb_type(b, in[0]), tangent, &body);
    if (error)
        knb_fail(b, error);
    else if (!b->error)
        knb_scan(b, &(kni_p_scan){.jaxpr = body, .length = n - 1, .num_carry = k, .unroll = 1}, in, out);
    kni_release(body);
    for (int i = 0; i < k; i++) {
        all[i] = knb_concatenate(b, 2, (kni_atom[]){first[i], out[k + i]}, 0);
        all[i] = knb_move_axis(b, all[i], 0, s->axis);
    }
    return (pair){all[0], tangent ? all[1] : KN_ATOM_ZERO};
}

/* As deep as the length has bits. */
static pair scan(const prefix *s, pair x)
{
    kni_type t = knb_type(s->b, x.x);
    int64_t n = s->b->error ? 0 : knx_dim_taken(t.dim[s->axis]);
    if (knx_is_symbolic(n))
        return scan_rows(s, x, n);
    if (n < 2)
        return x;
    pair left = cut(s, x, 0, n - 1, 2), right = cut(s, x, 1, n, 2), odd = scan(s, join(s, left, right));
    pair before = n % 2 ? odd : cut(s, odd, 0, n / 2 - 1, 1), behind = cut(s, x, 2, n, 2);
    pair even = join(s, before, behind), first = cut(s, x, 0, 1, 1), y = {KN_ATOM_NONE, KN_ATOM_ZERO};
    y.x = in_turn(s, first.x, even.x, odd.x, n);
    if (x.t != KN_ATOM_ZERO)
        y.t = in_turn(s, first.t, even.t, odd.t, n);
    return y;
}

static pair prefixes(const kni_rule *r, const kni_prim *by, pair x)
{
    const params_t *p = r->params;
    prefix s = {r->b, by, (int)p->axis};
    if (p->reverse) {
        x.x = knb_rev(r->b, x.x, 1, &p->axis);
        x.t = x.t == KN_ATOM_ZERO ? x.t : knb_rev(r->b, x.t, 1, &p->axis);
    }
    x = scan(&s, x);
    if (p->reverse) {
        x.x = knb_rev(r->b, x.x, 1, &p->axis);
        x.t = x.t == KN_ATOM_ZERO ? x.t : knb_rev(r->b, x.t, 1, &p->axis);
    }
    return x;
}

/* --- rows ------------------------------------------------------------------------------------- */

static knx_error *sum_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = *(const params_t *)r->params;
    p.reverse = !p.reverse;
    ct_in[0] = knb_emit1(r->b, r->prim, &p, 1, ct);
    return NULL;
}

static void product_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = prefixes(r, &knp_prim_mul, (pair){r->x[0], tx[0]}).t;
}

static void max_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = prefixes(r, &knp_prim_max, (pair){r->x[0], tx[0]}).t;
}

static void min_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = prefixes(r, &knp_prim_min, (pair){r->x[0], tx[0]}).t;
}

static void logsumexp_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = prefixes(r, NULL, (pair){r->x[0], tx[0]}).t;
}

static knx_error *logsumexp_expand(const kni_rule *r, kni_atom *y)
{
    kn_dtype d = r->xt[0].dtype; /* 16-bit floats would be rounded at every level */
    kni_atom x = d->size == 2 ? knb_convert(r->b, r->x[0], KN_DT(F32)) : r->x[0];
    y[0] = knb_convert(r->b, prefixes(r, NULL, (pair){x, KN_ATOM_ZERO}).x, d);
    return NULL;
}

static void cumulative_spread(const kni_rule *r, kni_spread *s)
{
    const params_t *p = r->params;
    kn_dtype d = r->xt[0].dtype;
    bool extreme = r->prim == &knp_prim_cummax || r->prim == &knp_prim_cummin;
    knp_spread_but(r, s, (kni_ints){1, &p->axis});
    if (!knx_is_integer(d) && !(extreme && knx_is_float(d)))
        return; /* sums of floats depend on where they begin */
    kni_factor *f = kni_factor_new(s, KNI_SHARES, r->xt[0].dim[p->axis]);
    kni_factor_in(f, 0, (int)p->axis);
    kni_factor_out(f, 0, (int)p->axis);
    if (f)
        f->local = true;
}

static kni_atom join_two(const kni_rule *r, kni_atom before, kni_atom x)
{
    return r->prim == &knp_prim_cumsum    ? knb_add(r->b, before, x)
           : r->prim == &knp_prim_cumprod ? knb_mul(r->b, before, x)
           : r->prim == &knp_prim_cummax  ? knb_max(r->b, before, x)
                                          : knb_min(r->b, before, x);
}

/* What changes nothing. */
static kni_atom nothing(const kni_rule *r)
{
    kn_dtype d = r->xt[0].dtype;
    bool largest = r->prim == &knp_prim_cummax;
    if (largest || r->prim == &knp_prim_cummin)
        return knb_literal(r->b, d, false, knx_scalar_extreme(d, !largest));
    return knb_integer(r->b, d, r->prim == &knp_prim_cumprod);
}

/* Entry `at` of the parts' results along axis 0, one before the other, as rows of a shape with one element along the
 * axis. */
static kni_atom entry(const kni_rule *r, kni_atom all, kni_atom at)
{
    kni_builder *b = r->b;
    int axis = (int)((const params_t *)r->params)->axis;
    kni_type t = knb_type(b, all);
    kni_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM], shape[KN_MAX_NDIM];
    for (int d = 0; !b->error && d < t.ndim; d++) {
        start[d] = d ? knb_integer(b, KN_DT(I64), 0) : at;
        size[d] = d ? t.dim[d] : 1;
        shape[d] = d == axis ? 1 : t.dim[d < axis ? d + 1 : d];
    }
    return b->error ? KN_ATOM_NONE : knb_reshape(b, knb_dynamic_slice(b, all, start, size), t.ndim, shape);
}

/* The part's own results, each joined with what all parts before it come to (behind it, if reverse). */
static knx_error *cumulative_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const params_t *p = r->params;
    kni_builder *b = r->b;
    int axis = (int)p->axis, f = knp_cut_factor(l, 0, axis);
    kni_type t = r->xt[0];
    if (f < 0) {
        y[0] = knb_emit1(b, r->prim, p, 1, r->x);
        return NULL;
    }
    knp_dims start = {.n = t.ndim}, limit = knp_dims_of(t), rest = knp_axes_rest((kni_ints){1, &p->axis}, t.ndim);
    start.v[axis] = p->reverse ? 0 : t.dim[axis] - 1;
    limit.v[axis] = start.v[axis] + 1;
    kni_atom x = p->reverse ? knp_fill_padding(r, l, f, axis, nothing(r)) : r->x[0];
    kni_atom own = knb_emit1(b, r->prim, p, 1, &x), last = knb_slice(b, own, start.v, limit.v, NULL);
    rest = knp_dims_pick(t, knp_ints(&rest));
    kni_atom all = l->gather(l, b, f, knb_reshape(b, last, rest.n, rest.v));
    const params_t in_front = {.axis = 0, .reverse = p->reverse};
    all = knb_emit1(b, r->prim, &in_front, 1, &all);
    kni_atom number = knp_part_number(r, l, f);
    kni_atom end = knb_integer(b, KN_DT(I64), p->reverse ? l->cut[f].parts - 1 : 0);
    kni_atom before = entry(r, all, knb_add(b, number, knb_integer(b, KN_DT(I64), p->reverse ? 1 : -1)));
    if (b->error)
        return NULL;
    int64_t along[KN_MAX_NDIM];
    for (int d = 0; d < t.ndim; d++)
        along[d] = d;
    before = knb_broadcast_in_dim(b, before, t.ndim, t.dim, along);
    y[0] = knb_select(b, knb_eq(b, number, end), own, join_two(r, before, own));
    return NULL;
}

#define CUMULATIVE                                                                           \
    .n_in = 1, .n_out = 1, .fields = kni_fields_cumulative, .params_size = sizeof(params_t), \
    .factors = "... i -> ... j", .batch = cumulative_batch, .spread = cumulative_spread, .local = cumulative_local
/* by a routine */
#define ROUTINE .bits = KN_THREADS, .rows = cumulative_rows, .cost = cumulative_cost

const kni_prim knp_prim_cumsum = {
    .name = "cumsum",
    .events = KN_EVENTS,
    CUMULATIVE,
    ROUTINE,
    .linear_in = 1,
    .type = numbers_type,
    .jvp = knp_jvp_linear,
    .transpose = sum_transpose,
    .run = sum_run,
    .doc = "the sums of the elements up to each one along an axis, in groups and blocks (np.cumsum)",
};

const kni_prim knp_prim_cumprod = {
    .name = "cumprod",
    .events = KN_EVENTS | KN_EVENTS_ROUNDS,
    CUMULATIVE,
    ROUTINE,
    .type = numbers_type,
    .jvp = product_jvp,
    .run = product_run,
    .doc = "the products of the elements up to each one along an axis (np.cumprod)",
};

const kni_prim knp_prim_cummax = {
    .name = "cummax",
    CUMULATIVE,
    ROUTINE,
    .type = numbers_type,
    .jvp = max_jvp,
    .run = max_run,
    .doc = "the largest of the elements up to each one along an axis; nan from the first one on "
           "(np.maximum.accumulate)",
};

const kni_prim knp_prim_cummin = {
    .name = "cummin",
    CUMULATIVE,
    ROUTINE,
    .type = numbers_type,
    .jvp = min_jvp,
    .run = min_run,
    .doc = "the smallest of the elements up to each one along an axis; nan from the first one on "
           "(np.minimum.accumulate)",
};

const kni_prim knp_prim_cumlogsumexp = {
    .name = "cumlogsumexp",
    CUMULATIVE,
    .type = floats_type,
    .jvp = logsumexp_jvp,
    .expand = logsumexp_expand,
    .cost = knp_cost_function,
    .doc = "the logarithms of the sums of e^x up to each element along an axis (jax.lax.cumlogsumexp)",
};
