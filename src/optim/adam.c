/* SPDX-License-Identifier: Apache-2.0
 * adam.c -- transformations that keep moments of the gradients, as optax.scale_by_adam and its kin. g: gradient, t: the
 * step that this is, from 1; ' : divided by 1 - decay^t.
 *
 *     mu = (1 - b1) g + b1 mu,  nu = (1 - b2) |g|^2 + b2 nu
 *     adam      mu' / (sqrt(nu' + eps_root) + eps); nesterov: b1 mu/(1-b1^(t+1)) + (1-b1) g' for mu'
 *     amsgrad   the same with the largest nu' so far
 *     adamax    nu = max(|g| + eps, b2 nu): mu' / nu
 *     belief    nu of g - mu, plus eps_root
 *     yogi      nu = nu - (1 - b2) sign(nu - |g|^2) |g|^2
 *     radam     mu' alone until the variance of nu' can be told, then rectified
 *     adan      moments of g, of its change, and of the square of both together
 *     lion      sign((1 - b1) g + b1 mu), with mu of decay b2
 *     novograd  nu is a number per parameter
 */
#include "optim/optimizer.h"

enum { B1, B2, EPS, EPS_ROOT, FOURTH, FIFTH }; /* p[] of most */
enum { NESTEROV, CORRECT_MU, CORRECT_NU };     /* flag[] */

static const char *const count_mu_nu[] = {"count", "mu", "nu", "nu_max"};

static void lay_moments(kno_layout *l, const char *name, int n)
{
    kno_lay_scalar(l, KN_DT(I32));
    for (int i = 0; i < n; i++)
        kno_lay_like(l, 0);
    kno_lay_node(l, name, n + 1, count_mu_nu);
}

/* What the rules of this file have in common: the state before and after, by parameter. */
typedef struct moments {
    kni_builder *b;
    const kni_atom *mu, *nu;
    kni_atom *new_mu, *new_nu;
    kni_atom count, c1, c2, c1_next; /* the count after this step; 1 - b^count */
} moments;

static moments begin(kno_pass *s, const kno_transform *t)
{
    moments m = {.b = s->b, .mu = s->state + 1, .nu = s->state + 1 + s->n};
    m.count = kno_next_count(s->b, kno_take(s));
    kno_put(s, m.count);
    m.new_mu = s->next;
    m.new_nu = s->next + s->n;
    m.c1 = kno_correction(s->b, t->p[B1], m.count);
    m.c2 = kno_correction(s->b, t->p[B2], m.count);
    m.c1_next = t->flag[NESTEROV] ? kno_correction(s->b, t->p[B1], kno_next_count(s->b, m.count)) : KN_ATOM_NONE;
    return m;
}

static void end(kno_pass *s, int arrays)
{
    s->state += arrays * s->n;
    s->next += arrays * s->n;
}

static kni_atom first_moment(const moments *m, double decay, kni_atom g, int i)
{
    return m->new_mu[i] = kno_weighted(m->b, 1 - decay, g, decay, m->mu[i]);
}

static kni_atom second_moment(const moments *m, double decay, kni_atom g, int i)
{
    return m->new_nu[i] = kno_weighted(m->b, 1 - decay, kno_squared(m->b, g), decay, m->nu[i]);
}

/* mu', or Nesterov's */
static kni_atom mean_of(const moments *m, const kno_transform *t, kni_atom g, int i)
{
    kni_builder *b = m->b;
    if (!t->flag[NESTEROV])
        return kno_corrected(b, m->new_mu[i], m->c1);
    double b1 = t->p[B1];
    return kno_weighted(b, b1, kno_corrected(b, m->new_mu[i], m->c1_next), 1 - b1, kno_corrected(b, g, m->c1));
}

/* mean / (sqrt(square + eps_root) + eps) */
static kni_atom scaled(kni_builder *b, kni_atom mean, kni_atom square, double eps_root, double eps)
{
    if (eps_root != 0)
        square = kno_plus(b, square, eps_root);
    return knb_div(b, mean, kno_plus(b, knb_sqrt(b, square), eps));
}

/* ---- adam and amsgrad. */

static void adam_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    lay_moments(l, "ScaleByAdamState", 2);
}

static void adam_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    for (int i = 0; i < s->n; i++) {
        first_moment(&m, t->p[B1], s->u[i], i);
        kni_atom nu = second_moment(&m, t->p[B2], s->u[i], i), mean = mean_of(&m, t, s->u[i], i);
        s->u[i] = scaled(s->b, mean, kno_corrected(s->b, nu, m.c2), t->p[EPS_ROOT], t->p[EPS]);
    }
    end(s, 2);
}

const kno_rule kno_adam = {"scale_by_adam", false, adam_layout, adam_update};

static void amsgrad_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    lay_moments(l, "ScaleByAmsgradState", 3);
}

static void amsgrad_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    for (int i = 0; i < s->n; i++) {
        kni_atom mu = first_moment(&m, t->p[B1], s->u[i], i), nu = second_moment(&m, t->p[B2], s->u[i], i);
        mu = t->flag[CORRECT_MU] ? kno_corrected(s->b, mu, m.c1) : mu;
        nu = t->flag[CORRECT_NU] ? kno_corrected(s->b, nu, m.c2) : nu;
        kni_atom largest = m.new_nu[s->n + i] = knb_max(s->b, m.nu[s->n + i], nu);
        s->u[i] = scaled(s->b, mu, largest, t->p[EPS_ROOT], t->p[EPS]);
    }
    end(s, 3);
}

const kno_rule kno_amsgrad = {"scale_by_amsgrad", false, amsgrad_layout, amsgrad_update};

/* ---- adamax, belief, yogi. */

static void adamax_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    for (int i = 0; i < s->n; i++) {
        kni_atom mu = first_moment(&m, t->p[B1], s->u[i], i);
        kni_atom size = knb_convert(s->b, knb_abs(s->b, s->u[i]), knb_type(s->b, s->u[i]).dtype);
        kni_atom nu = m.new_nu[i] = knb_max(s->b, kno_plus(s->b, size, t->p[EPS]), kno_times(s->b, t->p[B2], m.nu[i]));
        s->u[i] = knb_div(s->b, kno_corrected(s->b, mu, m.c1), nu);
    }
    end(s, 2);
}

const kno_rule kno_adamax = {"scale_by_adamax", false, adam_layout, adamax_update};

static void belief_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    lay_moments(l, "ScaleByBeliefState", 2);
}

static void belief_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    for (int i = 0; i < s->n; i++) {
        kni_atom mu = first_moment(&m, t->p[B1], s->u[i], i);
        second_moment(&m, t->p[B2], knb_sub(s->b, s->u[i], mu), i);
        m.new_nu[i] = kno_plus(s->b, m.new_nu[i], t->p[EPS_ROOT]);
        kni_atom mean = mean_of(&m, t, s->u[i], i);
        s->u[i] = scaled(s->b, mean, kno_corrected(s->b, m.new_nu[i], m.c2), 0, t->p[EPS]);
    }
    end(s, 2);
}

const kno_rule kno_belief = {"scale_by_belief", false, belief_layout, belief_update};

static void yogi_layout(kno_layout *l, const kno_transform *t)
{
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, t->p[FOURTH]);
    kno_lay_like(l, t->p[FOURTH]);
    kno_lay_node(l, "ScaleByAdamState", 3, count_mu_nu);
}

static void yogi_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom mu = first_moment(&m, t->p[B1], s->u[i], i), square = kno_squared(b, s->u[i]);
        kni_atom step = knb_mul(b, kno_times(b, 1 - t->p[B2], knb_sign(b, knb_sub(b, m.nu[i], square))), square);
        kni_atom nu = m.new_nu[i] = knb_sub(b, m.nu[i], step);
        s->u[i] = scaled(b, kno_corrected(b, mu, m.c1), kno_corrected(b, nu, m.c2), t->p[EPS_ROOT], t->p[EPS]);
    }
    end(s, 2);
}

const kno_rule kno_yogi = {"scale_by_yogi", false, yogi_layout, yogi_update};

/* ---- radam. */

static void radam_update(kno_pass *s, const kno_transform *t)
{
    moments m = begin(s, t);
    kni_builder *b = s->b;
    double b2 = t->p[B2], ro_inf = 2.0 / (1.0 - b2) - 1.0;
    kni_atom count = knb_convert(b, m.count, KN_DT(F64)), b2t = knb_pow(b, knb_like(b, count, b2), count);
    kni_atom one = knb_like(b, b2t, 1);
    kni_atom ro = knb_div(b, knb_mul(b, kno_times(b, 2, count), b2t), knb_sub(b, one, b2t));
    ro = knb_sub(b, knb_like(b, ro, ro_inf), ro);
    kni_atom above = kno_times(b, ro_inf, knb_mul(b, kno_plus(b, ro, -4), kno_plus(b, ro, -2)));
    kni_atom r = knb_sqrt(b, knb_div(b, above, kno_times(b, (ro_inf - 4.0) * (ro_inf - 2.0), ro)));
    kni_atom rectified = knb_ge(b, ro, knb_like(b, ro, t->p[FOURTH]));
    for (int i = 0; i < s->n; i++) {
        first_moment(&m, t->p[B1], s->u[i], i);
        kni_atom nu = second_moment(&m, b2, s->u[i], i), mean = mean_of(&m, t, s->u[i], i);
        kni_atom yes =
            scaled(b, knb_mul(b, kno_spread(b, r, mean), mean), kno_corrected(b, nu, m.c2), t->p[EPS_ROOT], t->p[EPS]);
        s->u[i] = kno_where(b, rectified, yes, mean);
    }
    end(s, 2);
}

const kno_rule kno_radam = {"scale_by_radam", false, adam_layout, radam_update};

/* ---- adan: p[] is b1, b2, b3, eps, eps_root. */

static void adan_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"m", "v", "n", "g", "t"};
    (void)t;
    for (int i = 0; i < 4; i++)
        kno_lay_like(l, 0);
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, "ScaleByAdanState", 5, field);
}

static void adan_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    const kni_atom *old = s->state, before = s->state[4 * n];
    kni_atom *new = s->next, count = s->next[4 * n] = kno_next_count(b, before);
    double b1 = t->p[0], b2 = t->p[1], b3 = t->p[2];
    kni_atom first = knb_eq(b, before, knb_like(b, before, 0));
    kni_atom c1 = kno_correction(b, b1, count), c2 = kno_correction(b, b2, count), c3 = kno_correction(b, b3, count);
    for (int i = 0; i < n; i++) {
        kni_atom g = s->u[i], change = knb_sub(b, g, old[3 * n + i]);
        change = kno_where(b, first, knb_zeros(b, knb_type(b, g)), change);
        kni_atom mm = new[i] = kno_weighted(b, 1 - b1, g, b1, old[i]);
        kni_atom v = new[n + i] = kno_weighted(b, 1 - b2, change, b2, old[n + i]);
        kni_atom both = knb_add(b, g, kno_times(b, 1 - b2, change));
        kni_atom sq = new[2 * n + i] = kno_weighted(b, 1 - b3, kno_squared(b, both), b3, old[2 * n + i]);
        new[3 * n + i] = g;
        kni_atom u = knb_add(b, kno_corrected(b, mm, c1), kno_times(b, 1 - b2, kno_corrected(b, v, c2)));
        s->u[i] = scaled(b, u, kno_corrected(b, sq, c3), t->p[4], t->p[3]);
    }
    s->state += 4 * n + 1;
    s->next += 4 * n + 1;
}

const kno_rule kno_adan = {"scale_by_adan", false, adan_layout, adan_update};

/* ---- lion. */

static void lion_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    lay_moments(l, "ScaleByLionState", 1);
}

static void lion_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kno_put(s, kno_next_count(b, kno_take(s)));
    for (int i = 0; i < s->n; i++) {
        kni_atom g = s->u[i], mu = kno_take(s);
        s->u[i] = knb_sign(b, kno_weighted(b, 1.0 - t->p[B1], g, t->p[B1], mu));
        kno_put(s, kno_weighted(b, 1 - t->p[B2], g, t->p[B2], mu));
    }
}

const kno_rule kno_lion = {"scale_by_lion", false, lion_layout, lion_update};

/* ---- novograd: p[] is b1, b2, eps, eps_root, weight_decay. */

static void novograd_layout(kno_layout *l, const kno_transform *t)
{
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_scalars(l, NULL);
    kno_lay_node(l, "ScaleByNovogradState", 3, count_mu_nu);
}

static void novograd_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    const kni_atom *mu = s->state + 1, *nu = s->state + 1 + s->n;
    kni_atom count = *s->next = kno_next_count(b, *s->state), first = knb_eq(b, count, knb_like(b, count, 1));
    for (int i = 0; i < s->n; i++) {
        kni_atom norm = kno_norm(b, s->u[i]), square = kno_spread(b, knb_mul(b, norm, norm), nu[i]);
        kni_atom v = s->next[1 + s->n + i] =
            knb_select(b, first, square, kno_weighted(b, 1 - t->p[B2], square, t->p[B2], nu[i]));
        kni_atom root = t->p[EPS_ROOT] != 0 ? kno_plus(b, v, t->p[EPS_ROOT]) : v;
        kni_atom g = knb_div(b, s->u[i], kno_plus(b, knb_sqrt(b, root), t->p[EPS]));
        g = knb_add(b, g, kno_times(b, t->p[FOURTH], s->param[i]));
        s->u[i] = s->next[1 + i] = kno_where(b, first, g, knb_add(b, kno_times(b, t->p[B1], mu[i]), g));
    }
    s->state += 1 + 2 * s->n;
    s->next += 1 + 2 * s->n;
}

const kno_rule kno_novograd = {"scale_by_novograd", true, novograd_layout, novograd_update};
