/* SPDX-License-Identifier: Apache-2.0
 * newer.c -- transformations of optax.contrib that keep moments: kin of adam.
 *
 *     acprop       g / sqrt(nu of the step before), nu of g - mu
 *     ademamix     adam with a second, slower mean; simplified: one mean of weight alpha
 *     adopt        adam whose nu is that of the step before, g clipped after the division
 *     sophia       mu' / max(gamma h, eps), clipped, h a mean of estimates of the Hessian's diagonal
 *     muon         momentum made orthogonal by Newton and Schulz
 */
#include "optim/optimizer.h"
#include <math.h>

static const char *const count_mu_nu[] = {"count", "mu", "nu"};

/* ---- acprop: p[] is b1, b2, eps, eps_root. */

static void moments_layout(kno_layout *l, const char *name)
{
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_node(l, name, 3, count_mu_nu);
}

static void acprop_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    moments_layout(l, "ScaleByBeliefState");
}

static void acprop_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double b1 = t->p[0], b2 = t->p[1];
    kni_atom before = kno_take(s), count = kno_next_count(b, before), first = knb_eq(b, before, knb_like(b, before, 0));
    kno_put(s, count);
    kni_atom correction = kno_correction(b, b2, knb_select(b, first, count, before));
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], mu = s->state[i], nu = s->state[n + i];
        s->next[i] = kno_weighted(b, 1 - b1, g, b1, mu);
        kni_atom error = kno_squared(b, knb_sub(b, g, mu));
        s->next[n + i] = kno_plus(b, kno_weighted(b, 1 - b2, error, b2, nu), t->p[3]);
        kni_atom hat = kno_corrected(b, nu, correction), one = knb_full(b, knb_type(b, hat), 1);
        hat = kno_where(b, first, one, hat);
        s->u[i] = knb_div(b, g, kno_plus(b, knb_sqrt(b, hat), t->p[2]));
    }
    s->state += 2 * n;
    s->next += 2 * n;
}

const kno_rule kno_acprop = {"scale_by_acprop", false, acprop_layout, acprop_update};

/* ---- ademamix: p[] is b1, b2, b3, alpha, eps, eps_root. */

static void ademamix_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "count_m2", "m1", "m2", "nu"};
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_scalar(l, KN_DT(I32));
    for (int i = 0; i < 3; i++)
        kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleByAdemamixState", 5, field);
}

static void ademamix_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double b1 = t->p[0], b2 = t->p[1], b3 = t->p[2];
    kni_atom count = kno_next_count(b, kno_take(s)), c1 = kno_correction(b, b1, count),
             c2 = kno_correction(b, b2, count);
    kno_put(s, count);
    kno_put(s, kno_next_count(b, kno_take(s)));
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], *new = s->next + i;
        const kni_atom *old = s->state + i;
        new[0] = kno_weighted(b, 1 - b1, g, b1, old[0]);
        new[n] = kno_weighted(b, 1 - b3, g, b3, old[n]);
        new[2 * n] = kno_weighted(b, 1 - b2, kno_squared(b, g), b2, old[2 * n]);
        kni_atom both = knb_add(b, kno_corrected(b, new[0], c1), kno_times(b, t->p[3], new[n]));
        kni_atom root = knb_sqrt(b, kno_plus(b, kno_corrected(b, new[2 * n], c2), t->p[5]));
        s->u[i] = knb_div(b, both, kno_plus(b, root, t->p[4]));
    }
    s->state += 3 * n;
    s->next += 3 * n;
}

const kno_rule kno_ademamix = {"scale_by_ademamix", false, ademamix_layout, ademamix_update};

/* p[] is b1, b2, alpha, eps, eps_root */
static void simplified_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"t", "m", "n"};
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_node(l, "ScaleBySimplifiedAdEMAMixState", 3, field);
}

static void simplified_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom count = kno_next_count(b, kno_take(s)), c2 = kno_correction(b, t->p[1], count);
    kno_put(s, count);
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], square = knb_mul(b, g, g);
        kni_atom m = s->next[i] = knb_add(b, g, kno_times(b, t->p[0], s->state[i]));
        kni_atom change = knb_sub(b, s->state[n + i], square);
        kni_atom nu = s->next[n + i] = knb_add(b, square, kno_times(b, t->p[1], change));
        kni_atom root = knb_sqrt(b, kno_plus(b, kno_corrected(b, nu, c2), t->p[4]));
        s->u[i] = knb_div(b, knb_add(b, m, kno_times(b, t->p[2], g)), kno_plus(b, root, t->p[3]));
    }
    s->state += 2 * n;
    s->next += 2 * n;
}

const kno_rule kno_simplified = {"scale_by_simplified_ademamix", false, simplified_layout, simplified_update};

/* ---- adopt: p[] is b1, b2, eps; flag[0]: nesterov, flag[1]: clipped to the fourth root of the count. */

static void adopt_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    moments_layout(l, "ScaleByAdamState");
}

static kni_atom clamped(kni_builder *b, kni_atom x, kni_atom most)
{
    kni_atom bound = kno_spread(b, most, x), low = knb_max(b, x, knb_neg(b, bound));
    return knb_min(b, low, bound);
}

static void adopt_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double b1 = t->p[0], b2 = t->p[1];
    kni_atom before = kno_take(s), first = knb_eq(b, before, knb_like(b, before, 0));
    kno_put(s, kno_next_count(b, before));
    kni_atom at = knb_convert(b, before, KN_DT(F64)), bound = knb_pow(b, at, knb_like(b, at, 0.25));
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], mu = s->state[i], nu = s->state[n + i], square = kno_squared(b, g);
        kni_atom root = knb_sqrt(b, nu), step = knb_div(b, g, knb_max(b, root, knb_like(b, root, t->p[2])));
        step = t->flag[1] ? clamped(b, step, bound) : step;
        kni_atom mean = s->next[i] = kno_where(b, first, mu, kno_weighted(b, 1 - b1, step, b1, mu));
        s->next[n + i] = kno_where(b, first, square, kno_weighted(b, 1 - b2, square, b2, nu));
        if (t->flag[0])
            mean = kno_where(b, first, mean, kno_weighted(b, 1 - b1, step, b1, mean));
        s->u[i] = mean;
    }
    s->state += 2 * n;
    s->next += 2 * n;
}

const kno_rule kno_adopt = {"scale_by_adopt", false, adopt_layout, adopt_update};

/* ---- sophia: p[] is b1, b2, eps, gamma, clip_threshold (NAN: none), update_interval. */

static void sophia_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    moments_layout(l, "SophiaState");
}

static void sophia_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double b1 = t->p[0], b2 = t->p[1], clip = t->p[4];
    if (!s->hessian) {
        kna_fail(s->op, KN_ERROR_TYPE, "sophia needs the option .hessian: estimates of the Hessian's diagonal");
        return;
    }
    kni_atom before = kno_take(s), count = kno_next_count(b, before), c1 = kno_correction(b, b1, count);
    kno_put(s, count);
    kni_atom every = knb_integer(b, KN_DT(I32), (int64_t)t->p[5]);
    kni_atom now = knb_eq(b, knb_mul(b, knb_div(b, before, every), every), before);
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], nu = s->state[n + i], mu = s->next[i] = kno_weighted(b, 1 - b1, g, b1, s->state[i]);
        kni_atom below = kno_times(b, t->p[3], nu);
        kni_atom u = knb_div(b, kno_corrected(b, mu, c1), knb_max(b, below, knb_like(b, below, t->p[2])));
        s->u[i] = isnan(clip) ? u : clamped(b, u, knb_like(b, u, clip));
        kni_atom h = knb_convert(b, s->hessian[i], knb_type(b, nu).dtype);
        s->next[n + i] = kno_where(b, now, kno_weighted(b, 1 - b2, h, b2, nu), nu);
    }
    s->state += 2 * n;
    s->next += 2 * n;
}

const kno_rule kno_sophia = {"scale_by_sophia", true, sophia_layout, sophia_update};

/* ---- muon: p[] is beta, eps, ns_steps; flag[0]: nesterov, flag[1]: adaptive. Parameters are matrices. */

static void muon_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "mu", "ns_coeffs"};
    static const double coefficients[] = {3.4445, -4.7750, 2.0315};
    static const int64_t three = 3;
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_vector(l, KN_DT(F64), &three, coefficients);
    kno_lay_node(l, "MuonState", 3, field);
}

static kni_atom scaled_by(kni_builder *b, kni_atom scalar, kni_atom x)
{
    return knb_mul(b, kno_spread(b, scalar, x), x);
}

/* Newton and Schulz: x is a matrix with no more rows than columns. */
static kni_atom orthogonalized(kni_builder *b, const kno_transform *t, const kni_atom c[3], kni_atom x)
{
    x = knb_div(b, x, kno_spread(b, kno_plus(b, kno_norm(b, x), t->p[1]), x));
    for (int i = 0; i < (int)t->p[2]; i++) {
        kni_atom a = knb_matrix_product(b, x, knb_swap_last(b, x)), square = knb_matrix_product(b, a, a);
        kni_atom second = scaled_by(b, c[1], a), both = knb_add(b, second, scaled_by(b, c[2], square));
        kni_atom first = scaled_by(b, c[0], x);
        x = knb_add(b, first, knb_matrix_product(b, both, x));
    }
    return x;
}

static void muon_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double beta = t->p[0];
    kni_atom count = kno_next_count(b, kno_take(s)), c[3];
    kno_put(s, count);
    for (int64_t i = 0; i < 3; i++)
        c[i] = knb_squeeze(b, knb_slice(b, s->state[n], &i, (int64_t[]){i + 1}, NULL), 1, (int64_t[]){0});
    kni_atom c1 = kno_correction(b, beta, count), c2 = kno_correction(b, beta, kno_next_count(b, count));
    for (int i = 0; i < n; i++) {
        kni_type type = s->type[i];
        kni_atom g = s->u[i], mu = s->next[i] = kno_weighted(b, 1 - beta, g, beta, s->state[i]);
        kni_atom hat = t->flag[0] ? kno_weighted(b, beta, kno_corrected(b, mu, c2), 1 - beta, kno_corrected(b, g, c1))
                                  : kno_corrected(b, mu, c1);
        bool tall = !knx_dim_le(type.dim[0], type.dim[1]);
        kni_atom x = orthogonalized(b, t, c, tall ? knb_swap_last(b, hat) : hat);
        x = tall ? knb_swap_last(b, x) : x;
        s->u[i] = t->flag[1] ? scaled_by(b, kno_sum(b, knb_mul(b, hat, x)), x) : x;
    }
    s->next[n] = s->state[n];
    s->state += n + 1;
    s->next += n + 1;
}

const kno_rule kno_muon = {"scale_by_muon", false, muon_layout, muon_update};

/* Matrices times sqrt(max(1, columns / rows)), or with p[0] times p[0] sqrt(max(rows, columns)). */
static void shape_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    kno_lay_node(l, "EmptyState", 0, NULL);
}

static void shape_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom rows = knb_dimension(b, KN_DT(F64), s->type[i].dim[0]),
                 columns = knb_dimension(b, KN_DT(F64), s->type[i].dim[1]);
        kni_atom square = isnan(t->p[0]) ? knb_max(b, knb_number(b, KN_DT(F64), 1), knb_div(b, columns, rows))
                                         : knb_max(b, rows, columns);
        kni_atom by = knb_sqrt(b, square);
        s->u[i] = scaled_by(b, isnan(t->p[0]) ? by : kno_times(b, t->p[0], by), s->u[i]);
    }
}

const kno_rule kno_by_shape = {"scale_by_shape", false, shape_layout, shape_update};
