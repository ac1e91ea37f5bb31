/* SPDX-License-Identifier: Apache-2.0
 * case_digits.c -- the digits network: how long it takes to record, transform and plan its training step, and one epoch of training. */
#include "bench.h"
#include <kiln/kiln.h>
#include <stdlib.h>

typedef struct {
    kn_array w1, b1, w2, b2;
} Mlp;
typedef struct {
    kn_array images, labels;
} Batch;
typedef struct {
    int64_t salt;
} Salt; /* a new salt makes a new function, so that nothing of it is known */

static kn_array loss(const Salt *salt, const Mlp *net, const Batch *batch)
{
    (void)salt;
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(batch->images, net->w1), net->b1));
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(hidden, net->w2), net->b2), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION_ENV(loss, kn_array, Salt, Mlp, Batch)

typedef struct {
    kn_scope scope;
    Batch all, first;
    Mlp net;
    kn_optimizer adam;
    kn_tree state;
    int64_t salt;
} digits;

static kn_array weights(int rows, int columns, double scale)
{
    kn_array i = kn_astype(kn_arange(0, rows * columns, 1), KN_F32);
    return kn_reshape(kn_mul(kn_sin(kn_mul(i, 1.7f)), scale), KN_SHAPE(rows, columns));
}

static void reset(digits *s)
{
    Mlp fresh = {weights(64, 128, 0.15), kn_zeros(KN_SHAPE(128), .dtype = KN_F32), weights(128, 10, 0.1),
                 kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
    s->net = fresh;
    s->adam = kn_optim_adam(.learning_rate = 3e-3);
    s->state = kn_optim_init(s->adam, KN_TREE(&s->net));
}

static void *setup(void)
{
    digits *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    kn_archive file = kn_load_npz(KN_BENCH_DATA "/digits.npz");
    kn_array images = kn_div(kn_astype(kn_reshape(kn_archive_get(file, "images"), KN_SHAPE(-1, 64)), KN_F32), 16);
    kn_array labels = kn_astype(kn_archive_get(file, "labels"), KN_I32);
    s->all = (Batch){kn_at(images, ":1437"), kn_at(labels, ":1437")};
    s->first = (Batch){kn_at(images, ":128"), kn_at(labels, ":128")};
    kn_eval(s->all.images);
    kn_eval(s->all.labels);
    kn_eval(s->first.images);
    kn_eval(s->first.labels);
    reset(s);
    return s;
}

static void teardown(void *state)
{
    digits *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

static double step(digits *s, kn_fn f, const Batch *batch)
{
    kn_array value;
    Mlp grad;
    kn_call(f, KN_OUT(&value, &grad), &s->net, batch);
    kn_optim_apply(s->adam, &s->state, KN_TREE(&s->net), KN_TREE(&grad));
    return kn_item(value);
}

static double epoch(digits *s, bool jitted)
{
    KN_SCOPE;
    Salt salt = {-1};
    kn_fn f = kn_value_and_grad(KN_FN_ENV(loss, &salt));
    if (jitted)
        f = kn_jit(f);
    double total = 0;
    for (int lo = 0; lo + 128 <= 1437; lo += 128) {
        KN_SCOPE;
        Batch batch = {kn_at(s->all.images, "%:%", lo, lo + 128), kn_at(s->all.labels, "%:%", lo, lo + 128)};
        total += step(s, f, &batch);
    }
    return total;
}

static double run_epochs(void *state, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++)
        epoch(state, true);
    return bench_now() - start;
}

static double run_eager_epochs(void *state, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++)
        epoch(state, false);
    return bench_now() - start;
}

static int values_epoch(void *state, double *out)
{
    reset(state);
    out[0] = epoch(state, true);
    out[1] = epoch(state, true);
    return 2;
}

static int values_eager_epoch(void *state, double *out)
{
    reset(state);
    out[0] = epoch(state, false);
    out[1] = epoch(state, false);
    return 2;
}

/* First call of a function that nobody knows, less a call of one that is known. */
static double run_first(void *state, int times)
{
    digits *s = state;
    double total = 0;
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        Salt salt = {++s->salt};
        kn_array value;
        Mlp grad;
        kn_fn f = kn_jit(kn_value_and_grad(KN_FN_ENV(loss, &salt)));
        double start = bench_now();
        kn_call(f, KN_OUT(&value, &grad), &s->net, &s->first);
        double first = bench_now();
        kn_call(f, KN_OUT(&value, &grad), &s->net, &s->first);
        total += (first - start) - (bench_now() - first);
    }
    return total;
}

const bench_case bench_digits[] = {
    {"digits_step_first_call", "ms", 1, ASK_JAX, 3, 0, setup, run_first, NULL, .teardown = teardown},
    {"digits_epoch", "ms", 2, ASK_ALL, 0, 1e-3, setup, run_epochs, values_epoch, .teardown = teardown},
    {"digits_epoch_eager", "ms", 2, ASK_NUMPY, 0, 1e-3, setup, run_eager_epochs, values_eager_epoch,
     .teardown = teardown},
    {0},
};
