/* SPDX-License-Identifier: Apache-2.0
 * distance.c -- transformations that find their step size by how far the parameters have come, as in optax.contrib.
 *
 *     dog          (largest distance from the start) / sqrt(sum of all |g|^2), over all parameters
 *     dowg         the same with gradients weighted by the distance
 *     over         dog for each parameter by itself (optax.scale_by_distance_over_gradients)
 *     cocob        bets on coordinates: no rate at all
 *     madgrad      dual averaging with the cube root of the sum of squares
 *     dadapt       D-adaptation of adamw
 *     prodigy      the same with gradients weighted by the distance found so far
 */
#include "optim/optimizer.h"
#include <math.h>

/* ---- Tools. */

kni_atom kno_vdot(kno_pass *s, const kni_atom *x, const kni_atom *y)
{
    kni_builder *b = s->b;
    kni_atom all = KN_ATOM_NONE;
    for (int i = 0; i < s->n; i++) {
        kni_atom left = knx_is_complex(knb_type(b, x[i]).dtype) ? knb_conj(b, x[i]) : x[i];
        kni_atom one = kno_sum(b, knb_mul(b, left, y[i]));
        if (i) {
            kn_dtype d = knx_promote(knb_type(b, all).dtype, knb_type(b, one).dtype);
            all = knb_convert(b, all, d);
            one = knb_convert(b, one, d);
        }
        all = i ? knb_add(b, all, one) : one;
    }
    return s->n ? all : knb_number(b, kna_default_float(), 0);
}

/* The sum of |x| over all elements. */
static kni_atom sum_of_sizes(kno_pass *s, const kni_atom *x)
{
    kni_builder *b = s->b;
    kni_atom all = KN_ATOM_NONE;
    for (int i = 0; i < s->n; i++) {
        kni_atom one = kno_sum(b, knb_abs(b, x[i]));
        kn_dtype d = i ? knx_promote(knb_type(b, all).dtype, knb_type(b, one).dtype) : knb_type(b, one).dtype;
        one = knb_convert(b, one, d);
        all = i ? knb_add(b, knb_convert(b, all, d), one) : one;
    }
    return s->n ? all : knb_number(b, kna_default_float(), 0);
}

/* |x - y|^2 over all parameters. */
static kni_atom square_distance(kno_pass *s, const kni_atom *x, const kni_atom *y)
{
    kni_atom *d = kno_room(s, (size_t)s->n, sizeof *d);
    for (int i = 0; i < s->n && !kna_failed(s->op); i++)
        d[i] = knb_sub(s->b, x[i], y[i]);
    return kna_failed(s->op) ? KN_ATOM_NONE : kno_norm_squared(s, d);
}

static void keep(kno_pass *s, int n)
{
    for (int i = 0; i < n; i++)
        kno_put(s, kno_take(s));
}

static void scale_all(kno_pass *s, kni_atom rate)
{
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_mul(s->b, kno_spread(s->b, rate, s->u[i]), s->u[i]);
}

/* ---- dog: p[] is the first step, eps; flag[0]: it is a learning rate, flag[1]: a distance (else relative to the
 * parameters). */

static void dog_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"is_init_step", "init_params", "max_dist", "sum_sq_norm_grads"};
    kn_dtype d = kno_lowest_dtype(l);
    kno_lay(l, kni_scalar_type(KN_DT(BOOL)), 1);
    kno_lay_params(l);
    if (t->flag[0] || t->flag[1])
        kno_lay(l, kni_scalar_type(d), t->flag[0] ? 0 : t->p[0]);
    else
        kno_lay_norm_of_all(l, d, t->p[0]);
    kno_lay_scalar(l, d);
    kno_lay_node(l, "DoGState", 4, field);
}

static void dog_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom first = kno_take(s);
    kno_put(s, knb_number(b, KN_DT(BOOL), 0));
    kni_atom distance = knb_sqrt(b, square_distance(s, s->state, s->param));
    keep(s, s->n);
    kni_atom old = kno_take(s), most = knb_max(b, old, kno_spread(b, distance, old));
    kno_put(s, most);
    kni_atom sum = kno_take(s);
    sum = knb_add(b, sum, kno_spread(b, kno_norm_squared(s, s->u), sum));
    kno_put(s, sum);
    kni_atom rate = knb_div(b, most, knb_sqrt(b, kno_plus(b, sum, t->p[1])));
    if (t->flag[0])
        rate = knb_select(b, first, knb_like(b, rate, t->p[0]), rate);
    scale_all(s, rate);
}

const kno_rule kno_dog = {"dog", true, dog_layout, dog_update};

/* ---- dowg: p[] is the first square of the distance, eps. */

static void dowg_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"init_params", "weighted_sq_norm_grads", "estim_sq_dist"};
    kn_dtype d = kno_lowest_dtype(l);
    kno_lay_params(l);
    kno_lay_scalar(l, d);
    kno_lay(l, kni_scalar_type(d), t->p[0]);
    kno_lay_node(l, "DoWGState", 3, field);
}

static void dowg_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom distance = square_distance(s, s->state, s->param);
    keep(s, s->n);
    kni_atom sum = kno_take(s), old = kno_take(s), most = knb_max(b, old, kno_spread(b, distance, old));
    kni_atom square = kno_spread(b, kno_norm_squared(s, s->u), most);
    sum = knb_add(b, knb_mul(b, most, square), sum);
    kno_put(s, sum);
    kno_put(s, most);
    scale_all(s, knb_div(b, most, kno_plus(b, knb_sqrt(b, sum), t->p[1])));
}

const kno_rule kno_dowg = {"dowg", true, dowg_layout, dowg_update};

/* ---- over: p[] is reps_rel, eps, global_scale. */

static void over_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"max_dist", "grad_sum_of_squares", "init_params"};
    kno_lay_norms(l, t->p[0]);
    kno_lay_scalars(l, NULL);
    kno_lay_params(l);
    for (int i = 0; i < l->n && !l->failed; i++) /* as optax keeps them */
        l->entry.at[l->entry.n - 1 - (size_t)i].type.dtype = KN_DT(F32);
    kno_lay_node(l, "ScaleByDistanceOverGradientsState", 3, field);
}

static void over_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    for (int i = 0; i < n; i++) {
        kni_atom first = s->state[2 * n + i];
        kni_atom distance = kno_norm(b, knb_sub(b, s->param[i], kno_spread(b, first, s->param[i])));
        kni_atom most = knb_max(b, s->state[i], kno_spread(b, distance, s->state[i]));
        kni_atom norm = kno_norm(b, s->u[i]), square = kno_spread(b, knb_mul(b, norm, norm), s->state[n + i]);
        kni_atom sum = knb_add(b, s->state[n + i], square);
        kni_atom rate = kno_times(b, t->p[2], knb_div(b, most, knb_sqrt(b, kno_plus(b, sum, t->p[1]))));
        s->next[i] = most;
        s->next[n + i] = sum;
        s->next[2 * n + i] = first;
        s->u[i] = knb_mul(b, kno_spread(b, rate, s->u[i]), s->u[i]);
    }
    s->state += 3 * n;
    s->next += 3 * n;
}

const kno_rule kno_over = {"scale_by_distance_over_gradients", true, over_layout, over_update};

/* ---- cocob: p[] is alpha, eps. */

static void cocob_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"init_particles", "cumulative_gradients", "scale", "subgradients", "reward"};
    kno_lay_params(l);
    kno_lay_like(l, 0);
    kno_lay_like(l, t->p[1]);
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_node(l, "COCOBState", 5, field);
}

static void cocob_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    for (int i = 0; i < n; i++) {
        const kni_atom *old = s->state + i;
        kni_atom *new = s->next + i, g = s->u[i], p = s->param[i], size = knb_abs(b, g);
        kni_atom scale = new[2 * n] = knb_max(b, old[2 * n], size), sum = new[3 * n] = knb_add(b, old[3 * n], size);
        kni_atom won = knb_sub(b, old[4 * n], knb_mul(b, g, knb_sub(b, p, old[0])));
        kni_atom reward = new[4 * n] = knb_max(b, won, knb_like(b, won, 0)), all = new[n] = knb_sub(b, old[n], g);
        new[0] = old[0];
        kni_atom below = knb_max(b, knb_add(b, sum, scale), kno_times(b, t->p[0], scale));
        kni_atom bet = knb_div(b, all, knb_mul(b, scale, below));
        kni_atom to = knb_add(b, old[0], knb_mul(b, bet, knb_add(b, scale, reward)));
        s->u[i] = knb_add(b, knb_neg(b, p), to);
    }
    s->state += 5 * n;
    s->next += 5 * n;
}

const kno_rule kno_cocob = {"scale_by_cocob", true, cocob_layout, cocob_update};

/* ---- madgrad: p[] is learning_rate, momentum, eps. */

static void madgrad_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "grad_sum_sq", "s", "x0"};
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_params(l);
    kno_lay_node(l, "MadgradState", 4, field);
}

static void madgrad_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom count = kno_take(s), rate = knb_convert(b, kno_plus(b, kno_rate(s, t, count), t->p[2]), KN_DT(F32));
    kno_put(s, kno_next_count(b, count));
    kni_atom root = knb_sqrt(b, kno_plus(b, knb_convert(b, count, KN_DT(F32)), 1)); /* as optax has it */
    kni_atom lambda = knb_mul(b, rate, root);
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], p = s->param[i], weight = kno_spread(b, lambda, g);
        kni_atom squares = knb_add(b, s->state[i], knb_mul(b, weight, knb_mul(b, g, g)));
        kni_atom sum = knb_add(b, s->state[n + i], knb_mul(b, weight, g)), first = s->state[2 * n + i];
        kni_atom z = knb_sub(b, first, knb_div(b, sum, kno_plus(b, knb_cbrt(b, squares), t->p[2])));
        s->next[i] = squares;
        s->next[n + i] = sum;
        s->next[2 * n + i] = first;
        s->u[i] = knb_sub(b, kno_weighted(b, 1 - t->p[1], z, t->p[1], p), p);
    }
    s->state += 3 * n;
    s->next += 3 * n;
}

const kno_rule kno_madgrad = {"scale_by_madgrad", true, madgrad_layout, madgrad_update};

/* ---- dadapt and prodigy: p[] is learning_rate, beta1, beta2, beta3, eps, estim_lr0, estim_lr_coef, weight_decay;
 * flag[0]: safeguard_warmup. */

enum { RATE, BETA1, BETA2, BETA3, EPS, FIRST_RATE, COEF, DECAY };

static void dadapt_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"exp_avg", "exp_avg_sq", "grad_sum", "estim_lr", "numerator_weighted", "count"};
    kn_dtype d = kno_lowest_dtype(l);
    for (int i = 0; i < 3; i++)
        kno_lay_like(l, 0);
    kno_lay(l, kni_scalar_type(d), t->p[FIRST_RATE]);
    kno_lay_scalar(l, d);
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, "DAdaptAdamWState", 6, field);
}

/* rate * sqrt(1 - beta2^count) / (1 - beta1^count), a double */
static kni_atom corrected_rate(kno_pass *s, const kno_transform *t, kni_atom before, kni_atom count)
{
    kni_builder *b = s->b;
    kni_atom root = knb_sqrt(b, kno_correction(b, t->p[BETA2], count));
    kni_atom bias = knb_div(b, root, kno_correction(b, t->p[BETA1], count));
    return knb_mul(b, knb_convert(b, kno_rate(s, t, before), KN_DT(F64)), bias);
}

/* The moments' ratio with eps times `scale` (KN_ATOM_NONE: 1) below. */
static kni_atom ratio(kni_builder *b, kni_atom x, kni_atom square, double eps, kni_atom scale)
{
    kni_atom root = knb_sqrt(b, square);
    kni_atom below = scale == KN_ATOM_NONE ? kno_plus(b, root, eps)
                                           : knb_add(b, root, kno_spread(b, kno_times(b, eps, scale), root));
    return knb_div(b, x, below);
}

static void dadapt_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    const double beta1 = t->p[BETA1], beta2 = t->p[BETA2], root2 = sqrt(beta2), eps = t->p[EPS];
    const kni_atom *mean = s->state, *square = s->state + n, *sum = s->state + 2 * n;
    kni_atom *new = s->next, estimate = s->state[3 * n], weighted = s->state[3 * n + 1], before = s->state[3 * n + 2];
    kni_atom count = kno_next_count(b, before);
    kni_atom rate = knb_mul(b, estimate, kno_spread(b, corrected_rate(s, t, before, count), estimate));
    kni_atom *scaled = kno_room(s, (size_t)n, sizeof *scaled);
    for (int i = 0; i < n && !kna_failed(s->op); i++)
        scaled[i] = ratio(b, sum[i], square[i], eps, KN_ATOM_NONE);
    if (kna_failed(s->op))
        return;
    kni_atom progress = kno_spread(b, kno_vdot(s, s->u, scaled), rate);
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], step = knb_mul(b, kno_spread(b, rate, g), g);
        new[i] = kno_weighted(b, beta1, mean[i], 1 - beta1, step);
        new[n + i] = kno_weighted(b, beta2, square[i], 1 - beta2, knb_mul(b, g, g));
        new[2 * n + i] = kno_weighted(b, root2, sum[i], 1 - root2, step);
    }
    weighted = kno_weighted(b, root2, weighted, 1 - root2, knb_mul(b, rate, progress));
    kni_atom below = kno_times(b, 1 - root2, sum_of_sizes(s, new + 2 * n));
    kni_atom found = knb_div(b, weighted, kno_spread(b, below, weighted));
    new[3 * n] = knb_max(b, estimate, found);
    new[3 * n + 1] = weighted;
    new[3 * n + 2] = count;
    for (int i = 0; i < n; i++) {
        kni_atom shrunk = knb_mul(b, kno_spread(b, kno_times(b, -t->p[DECAY], rate), s->param[i]), s->param[i]);
        s->u[i] = knb_sub(b, shrunk, ratio(b, new[i], new[n + i], eps, KN_ATOM_NONE));
    }
    s->state += 3 * n + 3;
    s->next += 3 * n + 3;
}

const kno_rule kno_dadapt = {"dadapt_adamw", true, dadapt_layout, dadapt_update};

static void prodigy_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"exp_avg",  "exp_avg_sq",         "grad_sum", "params0",
                                        "estim_lr", "numerator_weighted", "count"};
    kn_dtype d = kno_lowest_dtype(l);
    for (int i = 0; i < 3; i++)
        kno_lay_like(l, 0);
    kno_lay_params(l);
    kno_lay(l, kni_scalar_type(d), t->p[FIRST_RATE]);
    kno_lay_scalar(l, d);
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, "ProdigyState", 7, field);
}

/* The moments and the sum of gradients, each gradient times the rate found so far. */
static void prodigy_moments(kno_pass *s, const kno_transform *t, kni_atom estimate, kni_atom rate)
{
    kni_builder *b = s->b;
    int n = s->n;
    double beta1 = t->p[BETA1], beta2 = t->p[BETA2], beta3 = t->p[BETA3];
    for (int i = 0; i < n; i++) {
        const kni_atom *old = s->state + i;
        kni_atom *new = s->next + i, g = knb_mul(b, kno_spread(b, estimate, s->u[i]), s->u[i]);
        new[0] = kno_weighted(b, beta1, old[0], 1 - beta1, g);
        new[n] = knb_add(b, kno_times(b, beta2, old[n]), knb_mul(b, kno_times(b, 1 - beta2, g), g));
        kni_atom by = kno_spread(b, t->flag[0] ? estimate : rate, g);
        kni_atom more = knb_div(b, knb_mul(b, by, g), knb_like(b, g, t->p[FIRST_RATE]));
        new[2 * n] = knb_add(b, kno_times(b, beta3, old[2 * n]), more);
        new[3 * n] = old[3 * n];
    }
}

static void prodigy_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom *new = s->next, estimate = s->state[4 * n], weighted = s->state[4 * n + 1], before = s->state[4 * n + 2];
    kni_atom count = kno_next_count(b, before);
    kni_atom rate = knb_mul(b, estimate, kno_spread(b, corrected_rate(s, t, before, count), estimate));
    kni_atom *way = kno_room(s, (size_t)n, sizeof *way);
    for (int i = 0; i < n && !kna_failed(s->op); i++)
        way[i] = knb_sub(b, s->state[3 * n + i], s->param[i]);
    if (kna_failed(s->op))
        return;
    kni_atom progress = kno_spread(b, kno_vdot(s, s->u, way), rate);
    prodigy_moments(s, t, estimate, rate);
    kni_atom relative = knb_div(b, estimate, knb_like(b, estimate, t->p[FIRST_RATE]));
    kni_atom more = knb_mul(b, knb_mul(b, relative, rate), progress);
    weighted = knb_add(b, kno_times(b, t->p[BETA3], weighted), more);
    kni_atom below = kno_spread(b, sum_of_sizes(s, new + 2 * n), weighted);
    estimate = knb_max(b, estimate, knb_div(b, kno_times(b, t->p[COEF], weighted), below));
    new[4 * n] = estimate;
    new[4 * n + 1] = weighted;
    new[4 * n + 2] = count;
    for (int i = 0; i < n; i++) {
        kni_atom shrunk = knb_mul(b, kno_spread(b, kno_times(b, -t->p[DECAY], rate), s->param[i]), s->param[i]);
        kni_atom step = knb_mul(b, kno_spread(b, rate, new[i]), new[i]);
        s->u[i] = knb_sub(b, shrunk, ratio(b, step, new[n + i], t->p[EPS], estimate));
    }
    s->state += 4 * n + 3;
    s->next += 4 * n + 3;
}

const kno_rule kno_prodigy = {"prodigy", true, prodigy_layout, prodigy_update};
