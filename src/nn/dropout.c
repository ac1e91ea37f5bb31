/* SPDX-License-Identifier: Apache-2.0
 * dropout.c -- elements, or whole examples, left out at random while a network is trained. */
#include "kiln/nn.h"
#include "kiln/random.h"
#include "lib/compose.h"
#include "nn/operand.h"

/* x / keep where an element of `shape` is kept, which broadcasts to x; 0 elsewhere. */
static kn_array kept(knl_body *c, kn_array key, kn_array x, double rate, const kn_shape *shape)
{
    float keep = (float)(1 - rate);
    kn_array p = kn_from_memory(&keep, &(kn_shape){.ndim = 0}, KN_DT(F32));
    kn_array mask = kn_random_bernoulli(key, p, shape, NULL);
    kni_atom a = knnn_in(&c->op, x), m = kna_in(&c->op, mask);
    kni_type t = knb_type(c->op.b, a);
    if (kna_failed(&c->op))
        return NULL;
    kni_atom y = knb_div(c->op.b, a, knb_like(c->op.b, a, 1 - rate));
    return knl_made(c, knb_select(c->op.b, knb_broadcast_to(c->op.b, m, t), y, knb_full(c->op.b, t, 0)));
}

/* x itself, zeros, or what is kept of it; axes (or all but the first) have one draw. */
static kn_array dropped(const char *name, kn_array key, kn_array x, double rate, bool deterministic,
                        const kn_axes *broadcast)
{
    knl_body c;
    knl_begin(&c, name);
    knnn_float d = knnn_floats(&c.op, 1, &x);
    kni_type t = kna_type(&c.op, x);
    if (!deterministic)
        kna_type(&c.op, key);
    if (!kna_failed(&c.op) && !(rate >= 0 && rate <= 1))
        kna_fail(&c.op, KN_ERROR_VALUE, "rate must be between 0 and 1, but is %g", rate);
    if (!kna_failed(&c.op) && !broadcast && t.ndim == 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "an axis for the examples is needed, but x is a scalar");
    int64_t axes[KN_MAX_NDIM];
    int n = 0;
    if (broadcast && broadcast->n > 0 && !kna_failed(&c.op))
        n = kna_axes(&c.op, *broadcast, t.ndim, KNA_AXES_ALL, axes);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (deterministic || rate == 0)
        return knl_end(&c, knl_made(&c, kna_in_as(&c.op, x, d.stored)));
    if (rate == 1)
        return knl_end(&c, knl_made(&c, knb_full(c.op.b, kni_type_of(d.stored, t.ndim, t.dim), 0)));
    kn_shape shape = {.ndim = t.ndim};
    for (int i = 0; i < t.ndim; i++)
        shape.dim[i] = broadcast || i == 0 ? t.dim[i] : 1;
    for (int i = 0; i < n; i++)
        shape.dim[axes[i]] = 1;
    return knl_end(&c, kept(&c, key, x, rate, &shape));
}

kn_array kn_nn_dropout(kn_array key, kn_array x, double rate, const kn_nn_dropout_opts *opts)
{
    KNX_OPTS(kn_nn_dropout_opts, o, opts);
    return dropped("nn_dropout", key, x, rate, o.deterministic, &o.broadcast_axes);
}

kn_array kn_nn_stochastic_depth(kn_array key, kn_array x, double rate, const kn_nn_stochastic_depth_opts *opts)
{
    KNX_OPTS(kn_nn_stochastic_depth_opts, o, opts);
    return dropped("nn_stochastic_depth", key, x, rate, o.deterministic, NULL);
}
