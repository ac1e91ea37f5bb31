/* SPDX-License-Identifier: Apache-2.0
 * scale.c -- transformations that scale updates by their own history, the parameters or the loss, as in optax.
 *
 *     rss        g / sqrt(sum of all |g|^2 + eps)                     (adagrad)
 *     rms        g / sqrt(mean of |g|^2 + eps), stddev: less the square of the mean of g
 *     adadelta   sqrt(mean of u^2 + eps) / sqrt(mean of g^2 + eps) g
 *     rprop      a step size per element that grows while the sign of g stays
 *     sign       sign(g)
 *     trust      u |p| / |u|, each parameter by itself                (lamb, lars, fromage)
 *     block      u times the norm or the root mean square of the parameter
 *     sm3        accumulators per axis
 *     optimistic (alpha + beta) g - beta g of the step before
 *     polyak     (loss - f_min) / |g|^2, at most max_learning_rate
 *     factored   the mean of |g|^2 as a product of row and column    (adafactor)
 */
#include "optim/optimizer.h"
#include <math.h>

static void no_state(kno_layout *l, const kno_transform *t)
{
    (void)t;
    kno_lay_node(l, "EmptyState", 0, NULL);
}

static kni_atom inverse_root(kni_builder *b, kni_atom x, double eps)
{
    kni_atom y = eps != 0 ? kno_plus(b, x, eps) : x;
    return knb_div(b, knb_like(b, y, 1), knb_sqrt(b, y));
}

/* where(x > 0, 1 / sqrt(x + eps), 0) */
static kni_atom inverse_root_or_zero(kni_builder *b, kni_atom x, double eps)
{
    kn_dtype d = knb_type(b, x).dtype;
    kni_atom size = knx_is_complex(d) ? knb_real(b, x) : x;
    return knb_select(b, knb_gt(b, size, knb_like(b, size, 0)), inverse_root(b, x, eps), knb_like(b, x, 0));
}

/* ---- rss: p[] is initial_accumulator_value, eps. */

static void rss_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"sum_of_squares"};
    kno_lay_like(l, t->p[0]);
    kno_lay_node(l, "ScaleByRssState", 1, field);
}

static void rss_update(kno_pass *s, const kno_transform *t)
{
    for (int i = 0; i < s->n; i++) {
        kni_atom sum = knb_add(s->b, kno_squared(s->b, s->u[i]), kno_take(s));
        kno_put(s, sum);
        s->u[i] = knb_mul(s->b, inverse_root_or_zero(s->b, sum, t->p[1]), s->u[i]);
    }
}

const kno_rule kno_rss = {"scale_by_rss", false, rss_layout, rss_update};

/* ---- rms and stddev: p[] is decay, eps, initial_scale; flag[] is eps_in_sqrt, bias_correction. */

static void rms_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "mu", "nu"};
    bool count = t->flag[1], mu = t->rule == &kno_stddev;
    if (count)
        kno_lay_scalar(l, KN_DT(I32));
    if (mu)
        kno_lay_like(l, 0);
    kno_lay_like(l, t->p[2]);
    const char *const name[] = {count ? field[0]
                                : mu  ? field[1]
                                      : field[2],
                                mu && count ? field[1] : field[2], field[2]};
    kno_lay_node(l,
                 mu ? (count ? "ScaleByRStdDevWithCountState" : "ScaleByRStdDevState")
                    : (count ? "ScaleByRmsWithCountState" : "ScaleByRmsState"),
                 1 + count + mu, name);
}

static void rms_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    bool centered = t->rule == &kno_stddev;
    double decay = t->p[0], eps = t->p[1];
    kni_atom correction = KN_ATOM_NONE;
    if (t->flag[1]) {
        kni_atom count = kno_next_count(b, kno_take(s));
        kno_put(s, count);
        correction = kno_correction(b, decay, count);
    }
    const kni_atom *mu = s->state, *nu = centered ? s->state + s->n : s->state;
    kni_atom *new_mu = s->next, *new_nu = centered ? s->next + s->n : s->next;
    for (int i = 0; i < s->n; i++) {
        kni_atom g = s->u[i], mean = KN_ATOM_NONE;
        if (centered)
            mean = new_mu[i] = kno_weighted(b, 1 - decay, g, decay, mu[i]);
        kni_atom square = new_nu[i] = kno_weighted(b, 1 - decay, kno_squared(b, g), decay, nu[i]);
        if (t->flag[1]) {
            square = kno_corrected(b, square, correction);
            mean = centered ? kno_corrected(b, mean, correction) : mean;
        }
        if (centered)
            square = knb_sub(b, square, kno_squared(b, mean));
        kni_atom scaling = t->flag[0] ? inverse_root(b, square, eps)
                                      : knb_div(b, knb_like(b, square, 1), kno_plus(b, knb_sqrt(b, square), eps));
        s->u[i] = knb_mul(b, scaling, g);
    }
    s->state += (1 + centered) * s->n;
    s->next += (1 + centered) * s->n;
}

const kno_rule kno_rms = {"scale_by_rms", false, rms_layout, rms_update};
const kno_rule kno_stddev = {"scale_by_stddev", false, rms_layout, rms_update};

/* ---- adadelta: p[] is rho, eps. */

static void adadelta_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"e_g", "e_x"};
    (void)t;
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleByAdaDeltaState", 2, field);
}

static void adadelta_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    double rho = t->p[0], eps = t->p[1];
    for (int i = 0; i < s->n; i++) {
        kni_atom g = s->u[i], x = s->state[s->n + i];
        kni_atom square = s->next[i] = kno_weighted(b, 1 - rho, knb_mul(b, g, g), rho, s->state[i]);
        kni_atom ratio = knb_div(b, knb_sqrt(b, kno_plus(b, x, eps)), knb_sqrt(b, kno_plus(b, square, eps)));
        kni_atom u = s->u[i] = knb_mul(b, ratio, g);
        s->next[s->n + i] = kno_weighted(b, 1 - rho, knb_mul(b, u, u), rho, x);
    }
    s->state += 2 * s->n;
    s->next += 2 * s->n;
}

const kno_rule kno_adadelta = {"scale_by_adadelta", false, adadelta_layout, adadelta_update};

/* ---- rprop: p[] is learning_rate, eta_minus, eta_plus, min_step_size, max_step_size. */

static void rprop_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"step_sizes", "prev_updates"};
    kno_lay_like(l, t->p[0]);
    kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleByRpropState", 2, field);
}

static void rprop_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom g = s->u[i], size = s->state[i], before = s->state[s->n + i], zero = knb_like(b, g, 0);
        kni_atom sign = knb_mul(b, g, before), same = knb_gt(b, sign, zero), flipped = knb_lt(b, sign, zero);
        kni_atom factor = knb_select(b, same, knb_like(b, g, t->p[2]), knb_like(b, g, t->p[1]));
        kni_atom bounded = knb_max(b, knb_mul(b, size, factor), knb_like(b, g, t->p[3]));
        bounded = knb_min(b, bounded, knb_like(b, g, t->p[4]));
        size = s->next[i] = knb_select(b, knb_eq(b, sign, zero), size, bounded);
        kni_atom step = knb_select(b, flipped, zero, knb_mul(b, size, knb_sign(b, g)));
        s->next[s->n + i] = step;
        s->u[i] = knb_select(b, flipped, zero, before); /* as optax does: the step that was found one step ago */
    }
    s->state += 2 * s->n;
    s->next += 2 * s->n;
}

const kno_rule kno_rprop = {"scale_by_rprop", false, rprop_layout, rprop_update};

static void sign_update(kno_pass *s, const kno_transform *t)
{
    (void)t;
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_sign(s->b, s->u[i]);
}

const kno_rule kno_sign = {"scale_by_sign", false, no_state, sign_update};

/* ---- Norms of parameters. */

/* The norm of x, or `least` where it is not above that; its derivative is finite everywhere. */
static kni_atom safe_norm(kni_builder *b, kni_atom x, double least)
{
    kni_atom norm = kno_norm(b, x), low = knb_le(b, norm, knb_like(b, norm, least));
    kni_type t = knb_type(b, x);
    kni_atom safe = kno_norm(b, kno_where(b, low, knb_full(b, t, 1), x));
    return knb_select(b, low, knb_like(b, norm, least), safe);
}

static kni_atom root_mean_square(kni_builder *b, kni_atom x)
{
    kni_atom square = kno_squared(b, x);
    return knb_sqrt(b, kno_mean(b, knx_is_complex(knb_type(b, x).dtype) ? knb_real(b, square) : square));
}

/* p[] is min_norm, trust_coefficient, eps */
static void trust_ratio_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom p = safe_norm(b, s->param[i], t->p[0]), u = safe_norm(b, s->u[i], t->p[0]);
        kni_atom ratio = knb_div(b, kno_times(b, t->p[1], p), t->p[2] != 0 ? kno_plus(b, u, t->p[2]) : u);
        kni_atom zero = knb_or(b, knb_eq(b, p, knb_like(b, p, 0)), knb_eq(b, u, knb_like(b, u, 0)));
        ratio = knb_select(b, zero, knb_like(b, ratio, 1), ratio);
        s->u[i] = knb_mul(b, s->u[i], kno_spread(b, ratio, s->u[i]));
    }
}

const kno_rule kno_trust_ratio = {"scale_by_trust_ratio", true, no_state, trust_ratio_update};

/* p[] is min_scale */
static void block_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom scale;
        if (t->rule == &kno_block_norm) {
            scale = safe_norm(b, s->param[i], t->p[0]);
        } else {
            kni_atom rms = root_mean_square(b, s->param[i]), low = knb_le(b, rms, knb_like(b, rms, t->p[0]));
            kni_atom x = kno_where(b, low, knb_full(b, knb_type(b, s->param[i]), 1), s->param[i]);
            scale = knb_select(b, low, knb_like(b, rms, t->p[0]), root_mean_square(b, x));
        }
        s->u[i] = knb_mul(b, s->u[i], kno_spread(b, scale, s->u[i]));
    }
}

const kno_rule kno_block_norm = {"scale_by_param_block_norm", true, no_state, block_update};
const kno_rule kno_block_rms = {"scale_by_param_block_rms", true, no_state, block_update};

/* ---- sm3: p[] is b1, b2, eps. */

static void sm3_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"mu", "nu"};
    (void)t;
    for (int i = 0; i < l->n; i++) {
        size_t from = l->entry.n;
        for (int a = 0; a < l->type[i].ndim; a++)
            kno_lay(l, kni_type_of(l->type[i].dtype, 1, &l->type[i].dim[a]), 0);
        kno_lay_owner(l, from, i);
        kno_lay_node(l, NULL, l->type[i].ndim, NULL);
    }
    kno_lay_node(l, NULL, l->n, NULL);
    kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleBySM3State", 2, field);
}

/* The smallest of the accumulators, each spread along the other axes of g. */
static kni_atom smallest(kni_builder *b, kni_type g, const kni_atom *mu)
{
    kni_atom least = KN_ATOM_NONE;
    for (int a = 0; a < g.ndim; a++) {
        kni_atom v = knb_broadcast_in_dim(b, mu[a], g.ndim, g.dim, (int64_t[]){a});
        least = a ? knb_min(b, least, v) : v;
    }
    return least;
}

static void sm3_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    double b1 = t->p[0], b2 = t->p[1];
    int total = 0, at = 0;
    for (int i = 0; i < s->n; i++)
        total += s->type[i].ndim;
    for (int i = 0; i < s->n; i++) {
        kni_type g = knb_type(b, s->u[i]);
        kni_atom square = knb_mul(b, s->u[i], s->u[i]), accum = b2 != 1.0 ? kno_times(b, 1.0 - b2, square) : square;
        if (g.ndim)
            accum = knb_add(b, accum, kno_times(b, b2, smallest(b, g, s->state + at)));
        kni_atom u = knb_mul(b, s->u[i], inverse_root_or_zero(b, accum, t->p[2]));
        s->u[i] = s->next[total + i] = kno_weighted(b, 1 - b1, u, b1, s->state[total + i]);
        for (int a = 0; a < g.ndim; a++, at++) {
            int64_t others[KN_MAX_NDIM];
            int n = 0;
            for (int k = 0; k < g.ndim; k++)
                if (k != a)
                    others[n++] = k;
            s->next[at] = n ? knb_reduce_max(b, accum, n, others) : accum;
        }
    }
    s->state += total + s->n;
    s->next += total + s->n;
}

const kno_rule kno_sm3 = {"scale_by_sm3", false, sm3_layout, sm3_update};

/* ---- optimistic: p[] is alpha, beta. */

static void optimistic_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"is_initial_step", "previous_gradient"};
    (void)t;
    kno_lay(l, kni_scalar_type(KN_DT(BOOL)), 1);
    kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleByOptimisticGradientState", 2, field);
}

static void optimistic_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom first = kno_take(s);
    kno_put(s, knb_number(b, KN_DT(BOOL), 0));
    for (int i = 0; i < s->n; i++) {
        kni_atom g = s->u[i], before = kno_where(b, first, g, kno_take(s));
        kno_put(s, g);
        s->u[i] = knb_sub(b, kno_times(b, t->p[0] + t->p[1], g), kno_times(b, t->p[1], before));
    }
}

const kno_rule kno_optimistic = {"scale_by_optimistic_gradient", false, optimistic_layout, optimistic_update};

/* ---- polyak: p[] is f_min, max_learning_rate, eps; flag[0]: sps+. */

static void polyak_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    if (s->value == KN_ATOM_NONE) {
        kna_fail(s->op, KN_ERROR_TYPE, "update_fn() missing 1 required keyword-only argument: 'value'");
        return;
    }
    kni_atom square = kno_norm_squared(s, s->u), gap = kno_spread(b, kno_plus(b, s->value, -t->p[0]), square);
    if (t->flag[0])
        gap = knb_max(b, gap, knb_like(b, gap, 0));
    kni_atom below = kno_plus(b, square, t->p[2]);
    kni_atom step = knb_min(b, knb_div(b, gap, below), knb_like(b, gap, t->p[1]));
    step = knb_select(b, knb_le(b, below, knb_like(b, below, 0x1p-52)), knb_like(b, step, 0), step);
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_mul(b, kno_spread(b, step, s->u[i]), s->u[i]);
}

const kno_rule kno_polyak = {"scale_by_polyak", false, no_state, polyak_update};

/* ---- factored: p[] is decay_rate, step_offset, min_dim_size_to_factor, eps; flag[0]: factored. */

static bool reaches(int64_t extent, double least)
{
    return knx_is_symbolic(extent) ? knx_dim_le((int64_t)ceil(least), extent) : (double)extent >= least;
}

/* Or equal. */
static bool is_larger(int64_t extent, int64_t than) { return knx_dim_le(than, extent); }

/* The two largest axes: d0 the largest, d1 the next one; false if the parameter is not factored. */
static bool factored_axes(const kno_transform *t, kni_type x, int *d1, int *d0)
{
    if (!t->flag[0] || x.ndim < 2)
        return false;
    int first = 0, second = -1, large = 0;
    for (int i = 0; i < x.ndim; i++)
        large += knx_is_symbolic(x.dim[i]) || (double)x.dim[i] >= t->p[2];
    if (large < 2)
        return false;
    for (int i = 1; i < x.ndim; i++) { /* of equal ones the later */
        if (is_larger(x.dim[i], x.dim[first])) {
            second = first;
            first = i;
        } else if (second < 0 || is_larger(x.dim[i], x.dim[second])) {
            second = i;
        }
    }
    *d0 = first;
    *d1 = second;
    return reaches(x.dim[second], t->p[2]);
}

static kni_type without(kno_layout *l, kni_type x, int axis)
{
    int64_t *dim = knx_arena_alloc(&l->arena, ((size_t)x.ndim + 1) * sizeof *dim);
    l->failed = l->failed || !dim;
    if (!dim)
        return kni_scalar_type(x.dtype);
    for (int i = 0, n = 0; i < x.ndim; i++)
        if (i != axis)
            dim[n++] = x.dim[i];
    return kni_type_of(x.dtype, x.ndim - 1, dim);
}

static void factored_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "v_row", "v_col", "v"};
    static const int64_t one[] = {1};
    kno_lay_scalar(l, KN_DT(I32));
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i < l->n; i++) {
            int d1, d0;
            bool factored = factored_axes(t, l->type[i], &d1, &d0);
            kni_type type = kni_type_of(l->type[i].dtype, 1, one);
            if (factored && which < 2)
                type = without(l, l->type[i], which ? d1 : d0);
            if (!factored && which == 2)
                type = l->type[i];
            size_t from = l->entry.n;
            kno_lay(l, type, 0);
            kno_lay_owner(l, from, i);
        }
        kno_lay_node(l, NULL, l->n, NULL);
    }
    kno_lay_node(l, "FactoredState", 4, field);
}

static kni_atom mean_along(kni_builder *b, kni_atom x, int axis)
{
    kni_atom sum = knb_reduce_sum(b, x, 1, (int64_t[]){axis});
    return knb_div(b, sum, kno_count_like(b, sum, 1, knb_type(b, x).dim + axis));
}

/* x with a new axis in place `axis`, of shape `full` */
static kni_atom along(kni_builder *b, kni_atom x, kni_type full, int axis)
{
    int64_t place[KN_MAX_NDIM];
    for (int i = 0, n = 0; i < full.ndim; i++)
        if (i != axis)
            place[n++] = i;
    return knb_broadcast_in_dim(b, x, full.ndim, full.dim, place);
}

static kni_atom update_factors(kno_pass *s, kni_atom g, kni_atom keep, kni_atom take, int d1, int d0,
                               const kni_atom *old, kni_atom *row, kni_atom *column, double eps)
{
    kni_builder *b = s->b;
    kni_type t = knb_type(b, g);
    kni_atom square = kno_plus(b, kno_squared(b, g), eps), minus_half = knb_like(b, g, -0.5);
    *row = knb_add(b, knb_mul(b, keep, old[0]), knb_mul(b, take, mean_along(b, square, d0)));
    *column = knb_add(b, knb_mul(b, keep, old[s->n]), knb_mul(b, take, mean_along(b, square, d1)));
    int reduced = d1 > d0 ? d1 - 1 : d1;
    kni_type r = knb_type(b, *row);
    kni_atom mean = along(b, mean_along(b, *row, reduced), r, reduced);
    kni_atom row_factor = knb_pow(b, knb_div(b, *row, mean), minus_half),
             column_factor = knb_pow(b, *column, minus_half);
    return knb_mul(b, knb_mul(b, g, along(b, row_factor, t, d0)), along(b, column_factor, t, d1));
}

static void factored_update(kno_pass *s, const kno_transform *t)
{
    static const int64_t one[] = {1};
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom count = s->state[0];
    const kni_atom *old = s->state + 1;
    kni_atom *new = s->next + 1;
    s->next[0] = kno_next_count(b, count);
    kni_atom step = knb_convert(b, kno_plus(b, count, 1 - t->p[1]), KN_DT(F32));
    kni_atom power = knb_pow(b, step, knb_like(b, step, -t->p[0])), rate = knb_sub(b, knb_like(b, power, 1), power);
    for (int i = 0; i < n; i++) {
        int d1, d0;
        kni_atom g = s->u[i], none = knb_zeros(b, kni_type_of(knb_type(b, g).dtype, 1, one));
        kni_atom keep = kno_spread(b, rate, g), take = kno_spread(b, knb_sub(b, knb_like(b, rate, 1), rate), g);
        new[i] = new[n + i] = new[2 * n + i] = none;
        if (factored_axes(t, s->type[i], &d1, &d0)) {
            s->u[i] = update_factors(s, g, keep, take, d1, d0, old + i, &new[i], &new[n + i], t->p[3]);
            continue;
        }
        kni_atom square = kno_plus(b, kno_squared(b, g), t->p[3]);
        kni_atom v = new[2 * n + i] = knb_add(b, knb_mul(b, keep, old[2 * n + i]), knb_mul(b, take, square));
        s->u[i] = knb_mul(b, g, knb_pow(b, v, knb_like(b, v, -0.5)));
    }
    s->state += 1 + 3 * n;
    s->next += 1 + 3 * n;
}

const kno_rule kno_factored = {"scale_by_factored_rms", true, factored_layout, factored_update};
