/* SPDX-License-Identifier: Apache-2.0
 * case_mlp.c -- one step of gradient descent of a network 784-512-512-10, batch 128, its parameters donated. */
#include "inputs.h"

enum { BATCH = 128 };
typedef struct {
    kn_array w1, b1, w2, b2, w3, b3;
} Net;
typedef struct {
    kn_array images, labels;
} Batch;
typedef struct {
    kn_scope scope;
    Net net;
    Batch batch;
    kn_fn step;
} mlp;

static kn_array loss(const Net *p, const Batch *batch)
{
    kn_array h = kn_nn_relu(kn_add(kn_matmul(batch->images, p->w1), p->b1));
    h = kn_nn_relu(kn_add(kn_matmul(h, p->w2), p->b2));
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(h, p->w3), p->b3), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Net, Batch)

static kn_array less(kn_array p, kn_array grad) { return kn_sub(p, kn_mul(grad, 0.01f)); }
static Net step(const Net *p, const Batch *batch)
{
    Net d;
    kn_call(kn_grad(KN_FN(loss)), &d, p, batch);
    return (Net){less(p->w1, d.w1), less(p->b1, d.b1), less(p->w2, d.w2),
                 less(p->b2, d.b2), less(p->w3, d.w3), less(p->b3, d.b3)};
}
KN_FUNCTION(step, Net, Net, Batch)

static kn_array weights(int rows, int columns, double frequency)
{
    return kn_mul(bench_wave(KN_SHAPE(rows, columns), frequency), 0.05f);
}
static kn_array zeros(int n) { return kn_zeros(KN_SHAPE(n), .dtype = KN_F32); }

static void reset(mlp *s)
{
    Net fresh = {weights(784, 512, 1.7), zeros(512), weights(512, 512, 2.7), zeros(512),
                 weights(512, 10, 3.7),  zeros(10)};
    kn_array *to = &s->net.w1, *from = &fresh.w1;
    for (int i = 0; i < 6; i++)
        kn_assign(&to[i], from[i]);
}

static void *setup(void)
{
    mlp *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->batch = (Batch){bench_wave(KN_SHAPE(BATCH, 784), 0.37),
                       kn_astype(kn_remainder(kn_mul(kn_arange(0, BATCH, 1), 7), 10), KN_I32)};
    kn_eval(s->batch.labels);
    reset(s);
    s->step = kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(0));
    return s;
}

static void teardown(void *state)
{
    mlp *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

static double run(void *state, int times)
{
    mlp *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        Net next;
        kn_call(s->step, &next, &s->net, &s->batch);
        kn_array *to = &s->net.w1, *from = &next.w1;
        for (int k = 0; k < 6; k++)
            kn_assign(&to[k], from[k]);
    }
    return bench_now() - start;
}

static int values(void *state, double *out)
{
    mlp *s = state;
    reset(s);
    run(s, 3);
    return bench_picks(s->net.w1, out, 4) + bench_picks(s->net.b3, out + 4, 4);
}

const bench_case bench_mlp[] = {
    {.name = "mlp_step",
     .unit = "ms",
     .threads = 2,
     .ask = ASK_ALL,
     .goal = 2.1,
     .tolerance = 1e-3,
     .setup = setup,
     .run = run,
     .values = values,
     .teardown = teardown},
    {0},
};
