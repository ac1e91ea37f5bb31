/* SPDX-License-Identifier: Apache-2.0
 * conv.c -- conv_general_dilated: a kernel moved over an array, multiplied and summed at each position.
 *
 *     type       batch and features as the specs say; positions from extents, padding, strides and dilations
 *     jvp        the product rule
 *     transpose  lhs: the cotangent, dilated by the strides, under the reversed kernel; rhs: lhs under the cotangent,
 *                dilated by the strides, features and batch having changed places. Groups of features of one are groups
 *                of the batch of the other
 *     batch      lhs: part of its batch; rhs: part of its output features; both: groups
 *     lower      a product with windows; sums in the order of docs/determinism.md
 */
#include "prim/product/conv.h"

typedef kni_p_conv params_t;

enum { LEAST_POSITIONS = 64 }; /* of an image, that it is a matrix of its own */
enum { LEAST_CHANNELS = 5 };   /* that are a line of the gradient of a kernel */

/* --- type ------------------------------------------------------------------------------------- */

/* "(2, 3)", "(2,)", "()" */
static const char *tuple(knx_text *t, int n, const int64_t *v)
{
    size_t start = t->length;
    knx_text_add(t, "(");
    for (int i = 0; i < n; i++)
        knx_text_add(t, "%s", i ? ", " : ""), knx_dim_show(t, v[i]);
    knx_text_add(t, n == 1 ? ",)" : ")");
    return t->s + start;
}

static knx_error *check_spec(const char *name, kni_ints spec, int ndim)
{
    uint64_t seen = 0;
    for (int i = 0; i < spec.n; i++)
        if (spec.v[i] >= 0 && spec.v[i] < ndim)
            seen |= (uint64_t)1 << spec.v[i];
    if (spec.n == ndim && seen == (ndim == 64 ? UINT64_MAX : ((uint64_t)1 << ndim) - 1))
        return NULL;
    knx_text t = {0};
    return knx_error_new(
        KN_ERROR_TYPE, "conv_general_dilated %s of dimension_numbers must name each of the %d dimensions once, got %s.",
        name, ndim, tuple(&t, spec.n, spec.v));
}

static bool divides(int64_t by, int64_t n) { return knx_dim_eq(knx_dim_mod(n, by), 0); }

static knx_error *check_feature_groups(const params_t *p, kni_type lhs, kni_type rhs)
{
    int64_t groups = p->feature_group_count, features = lhs.dim[p->lhs_spec.v[KNP_FEATURE]];
    int64_t in = rhs.dim[p->rhs_spec.v[KNP_IN_FEATURE]], out = rhs.dim[p->rhs_spec.v[KNP_OUT_FEATURE]];
    knx_text g = {0}, t = {0}, s = {0};
    knx_dim_show(&g, groups);
    if (!knx_dim_le(1, groups))
        return knx_error_new(KN_ERROR_VALUE,
                             "conv_general_dilated feature_group_count must be a positive integer, got %s.", g.s);
    if (!divides(groups, features))
        return knx_error_new(KN_ERROR_VALUE,
                             "conv_general_dilated feature_group_count must divide lhs feature dimension size, but %s "
                             "does not divide %s.",
                             g.s, knx_dim_show(&t, features));
    if (!knx_dim_eq(knx_dim_floordiv(features, groups), in))
        return knx_error_new(
            KN_ERROR_VALUE,
            "conv_general_dilated lhs feature dimension size divided by feature_group_count must equal "
            "the rhs input feature dimension size, but %s // %s != %s.",
            knx_dim_show(&t, features), g.s, knx_dim_show(&s, in));
    if (!divides(groups, out))
        return knx_error_new(KN_ERROR_VALUE,
                             "conv_general_dilated rhs output feature dimension size must be a multiple of "
                             "feature_group_count, but %s is not a multiple of %s.",
                             knx_dim_show(&t, out), g.s);
    return NULL;
}

static knx_error *check_batch_groups(const params_t *p, kni_type lhs, kni_type rhs)
{
    int64_t groups = p->batch_group_count, batch = lhs.dim[p->lhs_spec.v[KNP_BATCH]];
    int64_t out = rhs.dim[p->rhs_spec.v[KNP_OUT_FEATURE]];
    knx_text g = {0}, t = {0};
    knx_dim_show(&g, groups);
    if (!knx_dim_le(1, groups))
        return knx_error_new(KN_ERROR_VALUE,
                             "conv_general_dilated batch_group_count must be a positive integer, got %s.", g.s);
    if (!divides(groups, batch))
        return knx_error_new(
            KN_ERROR_VALUE,
            "conv_general_dilated batch_group_count must divide lhs batch dimension size, but %s does not divide "
            "%s.",
            g.s, knx_dim_show(&t, batch));
    if (!divides(groups, out))
        return knx_error_new(KN_ERROR_VALUE,
                             "conv_general_dilated rhs output feature dimension size must be a multiple of "
                             "batch_group_count, but %s is not a multiple of %s.",
                             knx_dim_show(&t, out), g.s);
    if (knp_is_grouped(groups) && knp_is_grouped(p->feature_group_count) && knx_dim_lt(1, groups) &&
        knx_dim_lt(1, p->feature_group_count))
        return knx_error_new(KN_ERROR_VALUE,
                             "At most one of batch_group_count and feature_group_count may be > 1, got "
                             "batch_group_count=%s and feature_group_count=%s",
                             g.s, knx_dim_show(&t, p->feature_group_count));
    return NULL;
}

static knx_error *check_positive(const char *what, kni_ints v, int n)
{
    knx_text t = {0};
    if (v.n != n)
        return knx_error_new(
            KN_ERROR_VALUE,
            "conv_general_dilated window and %s must have the same number of dimensions, but got %d and %d", what, n,
            v.n);
    for (int i = 0; i < n; i++)
        if (!knx_dim_le(1, v.v[i]))
            return *what == 'w'
                       ? knx_error_new(KN_ERROR_VALUE, "conv_general_dilated %s must be positive, got %s.", what,
                                       tuple(&t, v.n, v.v))
                       : knx_error_new(KN_ERROR_TYPE, "All dilations must be positive, got %s.", tuple(&t, v.n, v.v));
    return NULL;
}

/* The extent with dilation - 1 holes between neighbours; false: too large. */
static bool dilate(int64_t extent, int64_t dilation, int64_t *out)
{
    if (extent == 0 || dilation == 1) {
        *out = extent;
        return true;
    }
    if (knx_any_symbolic(extent, dilation)) {
        *out = knx_dim_max(knx_dim_mul(extent - 1, dilation) + 1, 0);
        return true;
    }
    return !__builtin_mul_overflow(extent - 1, dilation, out) && !__builtin_add_overflow(*out, 1, out);
}

static knx_error *too_large(void)
{
    return knx_error_new(KN_ERROR_VALUE, "conv_general_dilated strides, dilations or padding are too large");
}

/* The sum; false: too large. An expression's numbers are checked when it has them. */
static bool add_up(int64_t a, int64_t b, int64_t *out)
{
    if (!knx_any_symbolic(a, b))
        return !__builtin_add_overflow(a, b, out);
    *out = knx_dim_add(a, b);
    return true;
}

/* How many positions there are along each spatial dimension. */
static knx_error *count_positions(const params_t *p, kni_type lhs, kni_type rhs, int64_t *out)
{
    int n = lhs.ndim - KNP_SPATIAL;
    int64_t padded[KN_MAX_NDIM], window[KN_MAX_NDIM], in[KN_MAX_NDIM];
    bool negative = false, fits = true;
    if (p->lo.n != n || p->hi.n != n)
        return knx_error_new(KN_ERROR_TYPE, "Wrong number of explicit pads for convolution: expected %d, got %d.", n,
                             p->lo.n);
    for (int i = 0; i < n; i++) {
        fits = fits && dilate(lhs.dim[p->lhs_spec.v[KNP_SPATIAL + i]], p->lhs_dilation.v[i], &in[i]) &&
               dilate(rhs.dim[p->rhs_spec.v[KNP_SPATIAL + i]], p->rhs_dilation.v[i], &window[i]) &&
               add_up(in[i], p->lo.v[i], &padded[i]) && add_up(padded[i], p->hi.v[i], &padded[i]) &&
               p->window_strides.v[i] < INT64_MAX >> 1 && (knx_is_symbolic(padded[i]) || padded[i] < INT64_MAX >> 1);
        if (!fits)
            return too_large();
        negative |= knx_dim_lt(padded[i], 0);
    }
    if (negative) {
        knx_text t = {0}, s = {0};
        for (int i = 0; i < n; i++)
            tuple((knx_text_add(&t, i ? ", " : ""), &t), 2, (int64_t[]){p->lo.v[i], p->hi.v[i]});
        return knx_error_new(
            KN_ERROR_VALUE,
            "Negative padding is larger than the size of the corresponding dimension: got padding=(%s%s) "
            "for lhs_shape[2:]=%s",
            t.s, n == 1 ? "," : "", tuple(&s, n, in));
    }
    for (int i = 0; i < n; i++)
        out[i] = knx_dim_max(knx_dim_floordiv(knx_dim_sub(padded[i], window[i]), p->window_strides.v[i]) + 1, 0);
    return NULL;
}

static knx_error *check_preferred(kn_dtype d, kn_dtype to)
{
    bool widens = knx_is_integer(d) && knx_is_float(to);
    bool fits = d->kind == KN_KIND_BOOL || (knx_is_integer(d) ? knx_is_integer(to)
                                            : knx_is_float(d) ? knx_is_float(to)
                                                              : knx_is_complex(to));
    if (!widens && !fits)
        return knx_error_new(KN_ERROR_TYPE,
                             "Input type is incompatible with `preferred_element_type`. The compatible combinations of "
                             "(input_type, preferred_element_type) are (integral, integral), (integral, floating), "
                             "(floating, floating), (complex, complex.");
    if (!widens && d->kind == 'i' && to->kind != 'i')
        return knx_error_new(KN_ERROR_TYPE,
                             "`preferred_element_type` must have the same signedness as the original type.");
    if (to->size < d->size)
        return knx_error_new(KN_ERROR_TYPE, "`preferred_element_type` must not be narrower than the original type.");
    return NULL;
}

static knx_error *conv_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    int ndim = r->xt[0].ndim;
    if (ndim != r->xt[1].ndim) {
        knx_text s = {0}, t = {0};
        return knx_error_new(
            KN_ERROR_VALUE,
            "conv_general_dilated lhs and rhs must have the same number of dimensions, but got %s and %s.",
            tuple(&s, ndim, r->xt[0].dim), tuple(&t, r->xt[1].ndim, r->xt[1].dim));
    }
    if (ndim < KNP_SPATIAL)
        return knx_error_new(KN_ERROR_VALUE, "conv_general_dilated takes arrays of at least 2 dimensions, got %d",
                             ndim);
    KN_TRY(check_spec("lhs_spec", p->lhs_spec, ndim));
    KN_TRY(check_spec("rhs_spec", p->rhs_spec, ndim));
    KN_TRY(check_spec("out_spec", p->out_spec, ndim));
    KN_TRY(check_feature_groups(p, r->xt[0], r->xt[1]));
    KN_TRY(check_batch_groups(p, r->xt[0], r->xt[1]));
    KN_TRY(check_positive("window_strides", p->window_strides, ndim - KNP_SPATIAL));
    KN_TRY(check_positive("lhs_dilation", p->lhs_dilation, ndim - KNP_SPATIAL));
    KN_TRY(check_positive("rhs_dilation", p->rhs_dilation, ndim - KNP_SPATIAL));
    int64_t positions[KN_MAX_NDIM] = {0}, dim[KN_MAX_NDIM];
    KN_TRY(count_positions(p, r->xt[0], r->xt[1], positions));
    if (r->xt[0].dtype != r->xt[1].dtype)
        return knx_error_new(KN_ERROR_TYPE,
                             "conv_general_dilated requires arguments to have the same dtypes, got %s, %s.",
                             r->xt[0].dtype->name, r->xt[1].dtype->name);
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    if (p->preferred_element_type) {
        KN_TRY(knp_accepts(p->preferred_element_type, KNP_NUMBERS | KNP_BOOL));
        KN_TRY(check_preferred(r->xt[0].dtype, p->preferred_element_type));
    }
    dim[p->out_spec.v[KNP_BATCH]] = knx_dim_floordiv(r->xt[0].dim[p->lhs_spec.v[KNP_BATCH]], p->batch_group_count);
    dim[p->out_spec.v[KNP_FEATURE]] = r->xt[1].dim[p->rhs_spec.v[KNP_OUT_FEATURE]];
    for (int i = KNP_SPATIAL; i < ndim; i++)
        dim[p->out_spec.v[i]] = positions[i - KNP_SPATIAL];
    kn_dtype d = p->preferred_element_type ? p->preferred_element_type : r->xt[0].dtype;
    return knp_type_dims(r->arena, d, r->xt[0].weak && r->xt[1].weak, ndim, dim, y);
}

/* --- axes that are cut and joined ------------------------------------------------------------- */

/* Axis src, taken out, becomes the slower part of what then is axis dst. */
static kni_atom join_axis(kni_builder *b, kni_atom x, int src, int dst)
{
    int64_t dim[KN_MAX_NDIM];
    x = knb_move_axis(b, x, src, dst);
    kni_type t = knb_type(b, x);
    if (b->error || t.ndim < 2)
        return x;
    for (int i = 0; i < t.ndim; i++)
        dim[i <= dst ? i : i - 1] = i == dst + 1 ? knx_dim_mul(t.dim[dst], t.dim[i]) : t.dim[i];
    return knb_reshape(b, x, t.ndim - 1, dim);
}

/* An axis becomes two, the slower one of extent n. */
static kni_atom split_axis(kni_builder *b, kni_atom x, int axis, int64_t n)
{
    kni_type t = knb_type(b, x);
    if (b->error || n == 0)
        return x;
    knp_dims shape = knp_dims_of(t);
    shape.v[axis] = knx_dim_floordiv(shape.v[axis], n);
    shape = knp_insert(knp_ints(&shape), axis, n);
    return knb_reshape(b, x, shape.n, shape.v);
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void conv_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    for (int i = 0; i < 2; i++) {
        if (tx[i] == KN_ATOM_ZERO)
            continue;
        kni_atom in[] = {i ? r->x[0] : tx[0], i ? tx[1] : r->x[1]};
        ty[0] = knb_add_any(r->b, ty[0], knb_emit1(r->b, r->prim, r->params, 2, in));
    }
}

/* A spec with its first two entries exchanged. */
static knp_dims exchanged(kni_ints spec)
{
    knp_dims d = {0};
    for (int i = 0; i < spec.n; i++)
        d.v[d.n++] = spec.v[i < 2 ? 1 - i : i];
    return d;
}

static int64_t dilated(int64_t extent, int64_t dilation)
{
    int64_t n = 0;
    dilate(extent, dilation, &n); /* the type rule has seen that it fits */
    return n;
}

/* Extents of spatial dimension i, with their holes: of lhs, of rhs, of the result spread by the strides. */
typedef struct spread {
    int64_t in, window, out;
} spread;
static spread spread_of(const kni_rule *r, int i)
{
    const params_t *p = r->params;
    return (spread){
        dilated(r->xt[0].dim[p->lhs_spec.v[KNP_SPATIAL + i]], p->lhs_dilation.v[i]),
        dilated(r->xt[1].dim[p->rhs_spec.v[KNP_SPATIAL + i]], p->rhs_dilation.v[i]),
        dilated(r->yt[0].dim[p->out_spec.v[KNP_SPATIAL + i]], p->window_strides.v[i]),
    };
}

static kni_atom transpose_lhs(const kni_rule *r, kni_atom ct)
{
    const params_t *p = r->params;
    kni_builder *b = r->b;
    kni_atom rhs = r->x[1];
    int out = (int)p->rhs_spec.v[KNP_OUT_FEATURE], in = (int)p->rhs_spec.v[KNP_IN_FEATURE], n = p->lo.n;
    int64_t groups = knp_is_grouped(p->feature_group_count) ? p->feature_group_count : p->batch_group_count;
    knp_dims kernel = exchanged(p->rhs_spec), lo = {.n = n}, hi = {.n = n};
    if (knp_is_grouped(groups))
        rhs = join_axis(b, split_axis(b, rhs, out, groups), out, in);
    for (int i = 0; i < n; i++) {
        spread s = spread_of(r, i);
        lo.v[i] = knx_dim_sub(s.window, p->lo.v[i]) - 1;
        hi.v[i] = knx_dim_sub(knx_dim_sub(knx_dim_add(s.in, s.window) - 1, s.out), lo.v[i]);
    }
    if (n)
        rhs = knb_rev(b, rhs, n, p->rhs_spec.v + KNP_SPATIAL);
    params_t q = {.window_strides = p->lhs_dilation,
                  .lo = knp_ints(&lo),
                  .hi = knp_ints(&hi),
                  .lhs_dilation = p->window_strides,
                  .rhs_dilation = p->rhs_dilation,
                  .lhs_spec = p->out_spec,
                  .rhs_spec = knp_ints(&kernel),
                  .out_spec = p->lhs_spec,
                  .feature_group_count = groups,
                  .batch_group_count = 1,
                  .preferred_element_type = p->preferred_element_type};
    rhs = knb_convert(b, rhs, r->yt[0].dtype);
    kni_atom x = knb_convert(b, knb_conv_general_dilated(b, ct, rhs, &q), r->xt[0].dtype);
    int feature = (int)p->lhs_spec.v[KNP_FEATURE], batch = (int)p->lhs_spec.v[KNP_BATCH];
    return knp_is_grouped(p->batch_group_count) ? join_axis(b, split_axis(b, x, feature, groups), feature, batch) : x;
}

static kni_atom transpose_rhs(const kni_rule *r, kni_atom ct)
{
    const params_t *p = r->params;
    kni_builder *b = r->b;
    int n = p->lo.n;
    knp_dims lhs = exchanged(p->lhs_spec), out = exchanged(p->out_spec), rhs = exchanged(p->rhs_spec), hi = {.n = n};
    if (knx_dim_eq(kni_type_size(r->yt[0]), 0)) /* there would be a window without elements */
        return KN_ATOM_ZERO;
    for (int i = 0; i < n; i++) {
        spread s = spread_of(r, i);
        hi.v[i] = knx_dim_sub(knx_dim_add(knx_dim_sub(s.out, s.in), s.window), p->lo.v[i]) - 1;
    }
    params_t q = {.window_strides = p->rhs_dilation,
                  .lo = p->lo,
                  .hi = knp_ints(&hi),
                  .lhs_dilation = p->lhs_dilation,
                  .rhs_dilation = p->window_strides,
                  .lhs_spec = knp_ints(&lhs),
                  .rhs_spec = knp_ints(&out),
                  .out_spec = knp_ints(&rhs),
                  .feature_group_count = p->batch_group_count,
                  .batch_group_count = p->feature_group_count,
                  .preferred_element_type = p->preferred_element_type};
    kni_atom x = knb_convert(b, r->x[0], r->yt[0].dtype);
    return knb_convert(b, knb_conv_general_dilated(b, x, ct, &q), r->xt[1].dtype);
}

static knx_error *conv_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = transpose_lhs(r, ct[0]);
    if (r->x[1] == KN_ATOM_LINEAR)
        ct_in[1] = transpose_rhs(r, ct[0]);
    return NULL;
}

/* --- batching --------------------------------------------------------------------------------- */

/* x's batch axis joins the axis `into` (of x without it), behind the groups that are cut from that one. */
static kni_atom join_in_groups(kni_builder *b, kni_atom x, int axis, int into, int64_t groups)
{
    x = split_axis(b, x, into + (axis <= into), groups);
    x = join_axis(b, x, axis + (into < axis), into + 1);
    return join_axis(b, x, into, into);
}

static knx_error *conv_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    params_t p = *(const params_t *)r->params;
    kni_builder *b = r->b;
    int feature = (int)p.out_spec.v[KNP_FEATURE], batch = (int)p.out_spec.v[KNP_BATCH];
    int64_t groups = knp_is_grouped(p.feature_group_count) ? p.feature_group_count : p.batch_group_count;
    int into = (int)p.lhs_spec.v[KNP_BATCH], kernel = (int)p.rhs_spec.v[KNP_OUT_FEATURE];
    kni_atom lhs = r->x[0], rhs = r->x[1];
    *axis_out = axis[0] >= 0 && axis[1] < 0 ? batch : feature;
    if (knx_dim_eq(size, 0)) { /* no reshape can tell how long the other axes were */
        knp_dims shape = knp_dims_of(r->yt[0]);
        shape = knp_insert(knp_ints(&shape), 0, 0);
        y[0] = knb_zeros(b, kni_type_of(r->yt[0].dtype, shape.n, shape.v));
        *axis_out = 0;
        return NULL;
    }
    if (axis[1] < 0) {
        lhs = knp_is_grouped(p.batch_group_count) ? join_in_groups(b, lhs, axis[0], into, p.batch_group_count)
                                                  : join_axis(b, lhs, axis[0], into);
        y[0] = split_axis(b, knb_conv_general_dilated(b, lhs, rhs, &p), batch, size);
    } else if (axis[0] >= 0) {
        bool by_batch = knp_is_grouped(p.batch_group_count);
        int64_t *count = by_batch ? &p.batch_group_count : &p.feature_group_count;
        *count = knx_dim_mul(*count, size);
        lhs = join_axis(b, lhs, axis[0], by_batch ? into : (int)p.lhs_spec.v[KNP_FEATURE]);
        rhs = join_axis(b, rhs, axis[1], kernel);
        y[0] = split_axis(b, knb_conv_general_dilated(b, lhs, rhs, &p), feature, size);
    } else if (!knp_is_grouped(groups)) {
        rhs = join_axis(b, rhs, axis[1], kernel);
        y[0] = split_axis(b, knb_conv_general_dilated(b, lhs, rhs, &p), feature, size);
    } else { /* groups stay outside: they come first in the output features */
        rhs = join_in_groups(b, rhs, axis[1], kernel, groups);
        kni_atom z = split_axis(b, knb_conv_general_dilated(b, lhs, rhs, &p), feature, groups);
        z = split_axis(b, z, feature + 1, size);
        y[0] = join_axis(b, z, feature, feature + 1);
    }
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

static void strides(kni_type t, int64_t *stride)
{
    int64_t s = 1;
    for (int i = t.ndim - 1; i >= 0; i--) {
        stride[i] = s;
        s = knx_dim_mul(s, t.dim[i]);
    }
}

static void add_dim(knk_dims *d, int64_t extent, int64_t a, int64_t b, int64_t c)
{
    d->extent[d->n] = extent;
    d->a[d->n] = a;
    d->b[d->n] = b;
    d->c[d->n++] = c;
}

/* Steps that are all multiples of `base` go from element to element. */
static void without_holes(knk_window *w, int64_t positions, int64_t taps)
{
    if (positions == 1)
        w->step = w->base;
    if (taps == 1)
        w->dilation = w->base;
    if (w->base == 1 || knx_has_symbolic(3, (int64_t[]){w->base, w->step, w->dilation}) || w->step % w->base ||
        w->dilation % w->base || !knx_dim_same(knx_dim_mod(w->low, w->base), 0))
        return;
    w->step /= w->base;
    w->dilation /= w->base;
    w->low = knx_dim_floordiv(w->low, w->base);
    w->base = 1;
}

/* Is there an element for every position of the window? Then it is two plain dimensions. */
static bool always_inside(const knk_window *w, int64_t positions, int64_t taps)
{
    if (positions < 1 || taps < 1)
        return true;
    int64_t last = knx_dim_add(knx_dim_mul(positions - 1, w->step), knx_dim_mul(taps - 1, w->dilation));
    return w->base == 1 && knx_dim_known_le(w->low, 0) && knx_dim_known_le(knx_dim_sub(last, w->low) + 1, w->extent);
}

/* One spatial dimension: a dimension of m and one of k, and the window that both move unless it is all inside: without
 * padding and holes it is, whatever the extents are. The gradient of a kernel, which has fewer positions than taps,
 * keeps its windows, and so do convolutions in groups, or whose channels come first (`keep`): routines read each line
 * of the array once for all positions. */
static void add_spatial(knk_product *q, knk_window w, int64_t high, int64_t positions, int64_t c, int64_t taps,
                        int64_t b, bool keep)
{
    bool plain = w.base == 1 && knx_dim_known_le(w.low, 0) && knx_dim_known_le(high, 0);
    without_holes(&w, positions, taps);
    plain = plain || always_inside(&w, positions, taps);
    plain = plain && ((!keep && !knk_few_positions(positions, taps)) || w.base != 1);
    w.m = q->m.n;
    w.k = q->k.n;
    add_dim(&q->m, positions, plain ? knx_dim_mul(w.step, w.stride) : 0, 0, c);
    add_dim(&q->k, taps, plain ? knx_dim_mul(w.dilation, w.stride) : 0, b, 0);
    if (plain)
        q->a_offset = knx_dim_sub(q->a_offset, knx_dim_mul(w.low, w.stride));
    else
        q->window[q->n_window++] = w;
}

static void exchange(int64_t *v, int i, int j)
{
    int64_t t = v[i];
    v[i] = v[j];
    v[j] = t;
}

/* Do the windows have fewer positions than taps, as in the gradient of a kernel? Unknown extents, whose handles are
 * large numbers, are many. */
static bool few_positions(const knk_product *q)
{
    double positions = 1, taps = 1;
    for (int w = 0; w < q->n_window; w++) {
        positions *= (double)q->m.extent[q->window[w].m];
        taps *= (double)q->k.extent[q->window[w].k];
    }
    return positions < taps;
}

static bool walks(const knk_product *q, int dim)
{
    for (int w = 0; w < q->n_window; w++)
        if (q->window[w].m == dim)
            return true;
    return false;
}

/* Rows that no window walks: channels, for the gradient of a kernel. Unknown ones are many. */
static bool has_lines(const knk_product *q)
{
    double rows = 1;
    for (int i = 0; i < q->m.n; i++)
        rows *= walks(q, i) ? 1 : (double)q->m.extent[i];
    return rows >= LEAST_CHANNELS;
}

/* The order of m changes nothing but how results lie: those that lie closest vary fastest. Where positions are few
 * those of the windows come first, so that the others are lines that all positions share, if they are not few, too. */
static void order_rows(knk_product *q)
{
    knk_dims *m = &q->m;
    bool few = few_positions(q) && has_lines(q);
    for (int i = 1; i < m->n; i++)
        for (int j = i; j > 0; j--) {
            bool first = few && walks(q, j - 1), second = few && walks(q, j);
            bool in_order = knx_dim_known_le(m->c[j], m->c[j - 1]) || knx_any_symbolic(m->c[j], m->c[j - 1]);
            if (first == second ? in_order : first)
                break;
            exchange(m->extent, j, j - 1);
            exchange(m->a, j, j - 1);
            exchange(m->b, j, j - 1);
            exchange(m->c, j, j - 1);
            for (int w = 0; w < q->n_window; w++)
                q->window[w].m += q->window[w].m == j ? -1 : q->window[w].m == j - 1;
        }
}

static bool is_below(int64_t n, int64_t many) { return !knx_is_symbolic(n) && n < many; }

/* Without windows, results with adjacent positions: each image is a matrix of its own, which lies in one piece. */
static void split_images(knk_product *q)
{
    knk_dims *m = &q->m, *n = &q->n;
    int64_t positions = 1;
    for (int i = 1; i < m->n; i++)
        positions = knx_dim_mul(positions, m->extent[i]);
    if (q->n_window || m->n < 2 || is_below(m->extent[0], 2) || n->c[0] != positions || m->c[m->n - 1] != 1 ||
        is_below(positions, LEAST_POSITIONS))
        return;
    add_dim(&q->batch, m->extent[0], m->a[0], 0, m->c[0]);
    m->n--;
    for (int i = 0; i < m->n; i++) {
        m->extent[i] = m->extent[i + 1];
        m->a[i] = m->a[i + 1];
        m->b[i] = m->b[i + 1];
        m->c[i] = m->c[i + 1];
    }
}

static bool has_one_tap(const params_t *p, kni_type rhs)
{
    for (int i = 0; i < p->lo.n; i++)
        if (!knx_dim_same(rhs.dim[p->rhs_spec.v[KNP_SPATIAL + i]], 1))
            return false;
    return true;
}

static void conv_product(const kni_rule *r, knk_product *q)
{
    const params_t *p = r->params;
    int64_t a[KN_MAX_NDIM], b[KN_MAX_NDIM], c[KN_MAX_NDIM];
    strides(r->xt[0], a);
    strides(r->xt[1], b);
    strides(*r->yt, c);
    q->operand = r->xt[0].dtype;
    q->result = r->yt->dtype;
    q->a_offset = q->b_offset = q->c_offset = 0;
    q->n_window = 0;
    q->batch.n = q->m.n = q->n.n = q->k.n = 0;
    int lhs_batch = (int)p->lhs_spec.v[KNP_BATCH], lhs_feature = (int)p->lhs_spec.v[KNP_FEATURE];
    int rhs_out = (int)p->rhs_spec.v[KNP_OUT_FEATURE], rhs_in = (int)p->rhs_spec.v[KNP_IN_FEATURE];
    int out_batch = (int)p->out_spec.v[KNP_BATCH], out_feature = (int)p->out_spec.v[KNP_FEATURE];
    int64_t by_feature = p->feature_group_count, by_batch = p->batch_group_count;
    int64_t groups = knp_is_grouped(by_feature) ? by_feature : by_batch;
    int64_t features = knx_dim_floordiv(r->xt[0].dim[lhs_feature], by_feature),
            batch = knx_dim_floordiv(r->xt[0].dim[lhs_batch], by_batch);
    int64_t outs = knx_dim_floordiv(r->xt[1].dim[rhs_out], groups);
    if (knp_is_grouped(groups))
        add_dim(&q->batch, groups,
                knp_is_grouped(by_feature) ? knx_dim_mul(features, a[lhs_feature]) : knx_dim_mul(batch, a[lhs_batch]),
                knx_dim_mul(outs, b[rhs_out]), knx_dim_mul(outs, c[out_feature]));
    bool first = p->lo.n && knx_dim_same(a[p->lhs_spec.v[KNP_SPATIAL + p->lo.n - 1]], 1);
    bool keep = (first || knp_is_grouped(groups)) && !has_one_tap(p, r->xt[1]);
    add_dim(&q->m, batch, a[lhs_batch], 0, c[out_batch]);
    add_dim(&q->n, outs, 0, b[rhs_out], c[out_feature]);
    for (int i = 0; i < p->lo.n; i++) {
        int left = (int)p->lhs_spec.v[KNP_SPATIAL + i], right = (int)p->rhs_spec.v[KNP_SPATIAL + i],
            out = (int)p->out_spec.v[KNP_SPATIAL + i];
        knk_window w = {.step = p->window_strides.v[i],
                        .dilation = p->rhs_dilation.v[i],
                        .low = p->lo.v[i],
                        .base = p->lhs_dilation.v[i],
                        .extent = r->xt[0].dim[left],
                        .stride = a[left]};
        add_spatial(q, w, p->hi.v[i], r->yt->dim[out], c[out], r->xt[1].dim[right], b[right], keep);
    }
    add_dim(&q->k, features, a[lhs_feature], b[rhs_in], 0);
    order_rows(q);
    split_images(q);
}

/* --- into other convolutions ------------------------------------------------------------------ */

/* Integers and truth values with a result of another kind: converted first. */
static bool converts(const params_t *p, kni_type x)
{
    kn_dtype to = p->preferred_element_type;
    return to && (knx_is_inexact(to) != knx_is_inexact(x.dtype) ||
                  (x.dtype->kind == KN_KIND_BOOL) != (to->kind == KN_KIND_BOOL));
}

enum { MOST_PHASES = 8 };

/* The extent of the kernel: a number, or an expression of which each phase has some. 0: not known. */
static int64_t taps_of(int64_t extent, int64_t holes)
{
    if (knx_dim_rely_le(holes, extent))
        return extent;
    int64_t taps = knx_dim_taken(extent);
    return knx_is_symbolic(taps) ? 0 : taps;
}

static int64_t rest_of(int64_t lo, int64_t holes) { return knx_dim_taken(knx_dim_mod(lo, holes)); }

/* A spatial dimension of lhs with holes, in which every result sees the same share of the taps; -1: there is none. What
 * taps meet has to be known. */
static int holey_dim(const params_t *p, const kni_type *x)
{
    for (int i = 0; i < p->lo.n; i++) {
        int64_t holes = p->lhs_dilation.v[i];
        if (knx_has_symbolic(3, (int64_t[]){holes, p->rhs_dilation.v[i], p->window_strides.v[i]}))
            continue;
        if (holes > 1 && holes <= MOST_PHASES && p->window_strides.v[i] == 1 &&
            knx_dim_known_le(1, x[0].dim[p->lhs_spec.v[KNP_SPATIAL + i]]) &&
            knp_common_divisor(p->rhs_dilation.v[i], holes) == 1 &&
            taps_of(x[1].dim[p->rhs_spec.v[KNP_SPATIAL + i]], holes) > 0 &&
            !knx_is_symbolic(rest_of(p->lo.v[i], holes)))
            return i;
    }
    return -1;
}

static bool conv_expands(const kni_rule *r)
{
    return converts(r->params, r->xt[0]) || holey_dim(r->params, r->xt) >= 0;
}

/* The results number phase, phase + holes, ... along spatial dimension i, `n` of them: a convolution of lhs without its
 * holes with every so manieth tap. */
static kni_atom phase_of(const kni_rule *r, int i, int64_t phase, int64_t n)
{
    params_t p = *(const params_t *)r->params;
    kni_builder *b = r->b;
    int64_t holes = p.lhs_dilation.v[i], by = p.rhs_dilation.v[i], first = 0, zero[KN_MAX_NDIM] = {0};
    int axis = (int)p.rhs_spec.v[KNP_SPATIAL + i], out = (int)p.out_spec.v[KNP_SPATIAL + i];
    kni_type w = r->xt[1];
    int64_t extent = taps_of(w.dim[axis], holes), rest = rest_of(p.lo.v[i], holes);
    while ((phase + first * by - rest) % holes) /* the first tap that meets an element; it comes before `holes` */
        first++;
    int64_t taps = knx_dim_ceildiv(knx_dim_sub(extent, first), holes);
    if (taps == 0) {
        knp_dims shape = knp_dims_of(r->yt[0]);
        shape.v[out] = n;
        return knb_zeros(b, kni_type_of(r->yt[0].dtype, shape.n, shape.v));
    }
    knp_dims step = {.n = w.ndim}, lo = {.n = p.lo.n}, hi = {.n = p.lo.n}, dilation = {.n = p.lo.n};
    for (int k = 0; k < w.ndim; k++)
        step.v[k] = k == axis ? holes : 1;
    for (int k = 0; k < p.lo.n; k++) {
        lo.v[k] = p.lo.v[k];
        hi.v[k] = p.hi.v[k];
        dilation.v[k] = k == i ? 1 : p.lhs_dilation.v[k];
    }
    lo.v[i] = knx_dim_floordiv(p.lo.v[i] - phase - first * by, holes);
    int64_t end = knx_dim_sub(knx_dim_add(n, knx_dim_mul(taps - 1, by)), lo.v[i]);
    hi.v[i] = knx_dim_sub(end, r->xt[0].dim[p.lhs_spec.v[KNP_SPATIAL + i]]);
    p.lo = knp_ints(&lo);
    p.hi = knp_ints(&hi);
    p.lhs_dilation = knp_ints(&dilation);
    zero[axis] = first;
    kni_atom rhs = taps == w.dim[axis] ? r->x[1] : knb_slice(b, r->x[1], zero, w.dim, step.v);
    return knb_conv_general_dilated(b, r->x[0], rhs, &p);
}

/* Without the zeros in the holes: phase by phase, and these beside each other. */
static kni_atom without_zeros(const kni_rule *r, int i)
{
    const params_t *p = r->params;
    kni_builder *b = r->b;
    int axis = (int)p->out_spec.v[KNP_SPATIAL + i];
    int64_t holes = p->lhs_dilation.v[i], extent = r->yt[0].dim[axis], n = knx_dim_ceildiv(extent, holes);
    knp_dims shape = knp_dims_of(r->yt[0]), limit = shape;
    int64_t zero[KN_MAX_NDIM] = {0};
    kni_atom phase[MOST_PHASES];
    for (int k = 0; k < holes; k++)
        phase[k] = phase_of(r, i, k, n);
    kni_atom all = knb_stack(b, (int)holes, phase, axis + 1);
    shape.v[axis] = knx_dim_mul(n, holes);
    all = knb_reshape(b, all, shape.n, shape.v);
    return shape.v[axis] == extent ? all : knb_slice(b, all, zero, limit.v, NULL);
}

static knx_error *conv_expand(const kni_rule *r, kni_atom *y)
{
    const params_t *p = r->params;
    if (!converts(p, r->xt[0])) {
        y[0] = without_zeros(r, holey_dim(p, r->xt));
        return NULL;
    }
    kni_atom lhs = knb_convert(r->b, r->x[0], p->preferred_element_type);
    kni_atom rhs = knb_convert(r->b, r->x[1], p->preferred_element_type);
    y[0] = knb_conv_general_dilated(r->b, lhs, rhs, p);
    return NULL;
}

static double conv_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    double cost = 2 * kni_type_count(r->yt[0]) * (knx_is_complex(r->yt[0].dtype) ? 4 : 1);
    for (int i = KNP_IN_FEATURE; i < p->rhs_spec.n; i++)
        cost *= (double)knx_dim_hint(r->xt[1].dim[p->rhs_spec.v[i]]);
    return cost;
}

const kni_prim knp_prim_conv_general_dilated = {
    .name = "conv_general_dilated",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_MULTILINEAR | KN_PRODUCT,
    .linear_in = 3,
    .fields = kni_fields_conv,
    .params_size = sizeof(params_t),
    .factors = "m x i, x n j -> m n k",
    .doc = "a kernel moved over an array, its products with what it covers summed over positions and input features, "
           "for each output feature (jax.lax.conv_general_dilated)",
    .type = conv_type,
    .jvp = conv_jvp,
    .transpose = conv_transpose,
    .batch = conv_batch,
    .product = conv_product,
    .spread = knp_conv_spread,
    .resize = knp_conv_resize,
    .local = knp_conv_local,
    .expand = conv_expand,
    .expands = conv_expands,
    .cost = conv_cost,
};
