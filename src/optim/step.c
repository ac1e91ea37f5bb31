/* SPDX-License-Identifier: Apache-2.0
 * step.c -- the arithmetic of optimizers, operation for operation what optax does.
 *
 *     sgd     update = -rate g
 *             with momentum: trace = g + m trace, update = -rate trace  (nesterov: -rate (g + m trace))
 *     adam    mu = (1 - b1) g + b1 mu,  nu = (1 - b2) |g|^2 + b2 nu,  update = -rate mu' / (sqrt(nu' + eps_root) + eps)
 *             where mu' = mu / (1 - b1^t) and nu' = nu / (1 - b2^t) at step t
 *             nesterov: mu' = b1 mu / (1 - b1^(t+1)) + (1 - b1) g / (1 - b1^t)
 *     adamw   adam's update before the rate, plus decay * parameter
 * The state of sgd is the traces if there is momentum; of adam: the count as int32, all mu, all nu. */
#include "optim/optimizer.h"

int kno_state_size(const kno_optimizer *o, int n)
{
    if (o->kind == KNO_SGD)
        return o->momentum != 0 ? n : 0;
    return 1 + 2 * n;
}

int kno_moment_of(const kno_optimizer *o, int n, int i)
{
    if (o->kind == KNO_SGD)
        return kno_state_size(o, n) ? i : -1;
    return 1 + i;
}

kn_atom kno_first_state(const kno_optimizer *o, kn_builder *b, int n, const kn_type *params, int i)
{
    if (o->kind == KNO_SGD)
        return knb_zeros(b, params[i]);
    return i == 0 ? knb_integer(b, KN_DT(I32), 0) : knb_zeros(b, params[(i - 1) % n]);
}

static kn_atom times(kn_builder *b, double factor, kn_atom x) { return knb_mul(b, knb_like(b, x, factor), x); }

/* p x + q y, emitted in this order whatever the compiler. */
static kn_atom weighted(kn_builder *b, double p, kn_atom x, double q, kn_atom y)
{
    kn_atom first = times(b, p, x), second = times(b, q, y);
    return knb_add(b, first, second);
}

static void sgd_emit(const kno_step *s)
{
    kn_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kn_atom u = s->grad[i];
        if (s->new_state) {
            u = s->new_state[i] = knb_add(b, s->grad[i], times(b, s->o->momentum, s->state[i]));
            if (s->o->nesterov)
                u = knb_add(b, s->grad[i], times(b, s->o->momentum, u));
        }
        s->update[i] = u;
    }
}

/* 1 - decay^count as a double. */
static kn_atom correction(kn_builder *b, double decay, kn_atom count)
{
    kn_atom one = knb_number(b, KN_DT(F64), 1),
            power = knb_pow(b, knb_number(b, KN_DT(F64), decay), knb_convert(b, count, KN_DT(F64)));
    return knb_sub(b, one, power);
}

static kn_atom corrected(kn_builder *b, kn_atom moment, kn_atom by)
{
    return knb_div(b, moment, knb_convert(b, by, knb_type(b, moment).dtype));
}

static kn_atom next_count(kn_builder *b, kn_atom count) /* stays at the largest one */
{
    return knb_add(b, knb_min(b, count, knb_integer(b, KN_DT(I32), INT32_MAX - 1)), knb_integer(b, KN_DT(I32), 1));
}

static kn_atom squared(kn_builder *b, kn_atom g)
{
    kn_dtype d = knb_type(b, g).dtype;
    return knx_is_complex(d) ? knb_convert(b, knb_real(b, knb_mul(b, g, knb_conj(b, g))), d) : knb_mul(b, g, g);
}

static void adam_emit(const kno_step *s)
{
    const kno_optimizer *o = s->o;
    kn_builder *b = s->b;
    kn_atom count = s->new_state[0] = next_count(b, s->state[0]);
    kn_atom c1 = correction(b, o->b1, count), c2 = correction(b, o->b2, count), c1_next = KN_ATOM_NONE;
    if (o->nesterov)
        c1_next = correction(b, o->b1, next_count(b, count));
    for (int i = 0; i < s->n; i++) {
        kn_atom g = s->grad[i];
        kn_atom mu = weighted(b, 1 - o->b1, g, o->b1, s->state[1 + i]);
        kn_atom nu = weighted(b, 1 - o->b2, squared(b, g), o->b2, s->state[1 + s->n + i]);
        s->new_state[1 + i] = mu;
        s->new_state[1 + s->n + i] = nu;
        kn_atom mean = corrected(b, mu, o->nesterov ? c1_next : c1), square = corrected(b, nu, c2);
        if (o->nesterov)
            mean = weighted(b, o->b1, mean, 1 - o->b1, corrected(b, g, c1));
        if (o->eps_root != 0)
            square = knb_add(b, square, knb_like(b, square, o->eps_root));
        kn_atom root = knb_sqrt(b, square), u = knb_div(b, mean, knb_add(b, root, knb_like(b, root, o->eps)));
        if (o->kind == KNO_ADAMW && o->decay != 0)
            u = knb_add(b, u, times(b, o->decay, s->param[i]));
        s->update[i] = u;
    }
}

void kno_step_emit(const kno_step *s)
{
    if (s->o->kind == KNO_SGD)
        sgd_emit(s);
    else
        adam_emit(s);
    for (int i = 0; i < s->n; i++)
        s->update[i] = knb_mul(s->b, s->update[i], knb_convert(s->b, s->rate, knb_type(s->b, s->update[i]).dtype));
}
