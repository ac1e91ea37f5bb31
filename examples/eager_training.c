/* SPDX-License-Identifier: Apache-2.0
 * eager_training.c -- a network learns digits, written twice. Imperatively: weights are watched, backward leaves gradients at them, and they are
 * changed in place where KN_NO_TAPE is. Functionally: kn_value_and_grad of the loss, in kn_jit. The losses and the weights are the same bits.
 * How long an epoch takes either way is told on stderr. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <time.h>

enum { EPOCHS = 6, BATCH = 128, TRAIN = 1437, STEPS = TRAIN / BATCH };

typedef struct {
    kn_array w1, b1, w2, b2;
} Mlp;
typedef struct {
    kn_array images, labels;
} Batch;

static kn_array logits(const Mlp *net, const kn_array *images)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(*images, net->w1), net->b1));
    return kn_add(kn_matmul(hidden, net->w2), net->b2);
}
KN_FUNCTION(logits, kn_array, Mlp, kn_array)

static kn_array loss(const Mlp *net, const Batch *batch)
{
    kn_array log_p = kn_nn_log_softmax(logits(net, &batch->images), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Mlp, Batch)

static Mlp initial(void)
{
    kn_array key = kn_random_key(0);
    return (Mlp){kn_mul(kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(64, 128), .dtype = KN_F32), 0.15),
                 kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
                 kn_mul(kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(128, 10), .dtype = KN_F32), 0.1),
                 kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
}

/* One step of descent, in place. */
static void descend(Mlp *net, const Mlp *grad)
{
    kn_isub(net->w1, kn_mul(0.8, grad->w1));
    kn_isub(net->b1, kn_mul(0.8, grad->b1));
    kn_isub(net->w2, kn_mul(0.8, grad->w2));
    kn_isub(net->b2, kn_mul(0.8, grad->b2));
}

static double step_imperatively(Mlp *net, const Batch *batch)
{
    kn_array value = loss(net, batch);
    kn_backward(value);
    KN_NO_TAPE;
    descend(net, &(Mlp){kn_grad_of(net->w1), kn_grad_of(net->b1), kn_grad_of(net->w2), kn_grad_of(net->b2)});
    kn_clear_tree_grads(KN_TREE(net));
    return kn_item(value);
}

static double step_functionally(kn_fn step, Mlp *net, const Batch *batch)
{
    kn_array value;
    Mlp grad;
    kn_call(step, KN_OUT(&value, &grad), net, batch);
    descend(net, &grad);
    return kn_item(value);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The mean loss of an epoch; step: NULL does it imperatively. */
static double epoch(Mlp *net, kn_fn step, const Batch *all, int number, double *took)
{
    KN_SCOPE;
    kn_array order = kn_random_permutation(kn_random_key((uint64_t)number), TRAIN);
    double total = 0, started = seconds();
    for (int i = 0; i < STEPS; i++) {
        KN_SCOPE;
        kn_array rows = kn_at(order, "%:%", i * BATCH, (i + 1) * BATCH);
        Batch batch = {kn_take(all->images, rows, KN_AXIS(0)), kn_take(all->labels, rows, KN_AXIS(0))};
        total += step ? step_functionally(step, net, &batch) : step_imperatively(net, &batch);
    }
    double now = seconds() - started;
    *took = number == 0 || now < *took ? now : *took;
    return total / STEPS;
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    kn_archive digits = kn_load_npz(argc > 1 ? argv[1] : "data/digits.npz");
    kn_array images = kn_div(kn_astype(kn_reshape(kn_archive_get(digits, "images"), KN_SHAPE(-1, 64)), KN_F32), 16);
    kn_array labels = kn_astype(kn_archive_get(digits, "labels"), KN_I32);
    Batch train = {kn_at(images, ":%", TRAIN), kn_at(labels, ":%", TRAIN)},
          test = {kn_at(images, "%:", TRAIN), kn_at(labels, "%:", TRAIN)};
    Mlp a = initial(), b = initial();
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    double took_a = 0, took_b = 0;

    kn_watch_tree(KN_TREE(&a));
    for (int i = 0; i < EPOCHS; i++) {
        double loss_a = epoch(&a, NULL, &train, i, &took_a), loss_b = epoch(&b, step, &train, i, &took_b);
        if (i % 3 == 2)
            printf("epoch %2d: loss %.3f, the same bits: %s\n", i + 1, loss_a, loss_a == loss_b ? "yes" : "no");
    }
    printf("the same weights: %s\n", kn_array_equal(a.w1, b.w1) && kn_array_equal(a.w2, b.w2) ? "yes" : "no");

    KN_NO_TAPE;
    kn_array right = kn_equal(kn_argmax(logits(&a, &test.images), KN_AXIS(-1)), test.labels);
    printf("at least 95 %% of the digits are read right: %s\n", kn_item(kn_mean(right)) >= 0.95 ? "yes" : "no");
    fprintf(stderr, "an epoch takes %.2f ms imperatively, %.2f ms functionally\n", 1e3 * took_a, 1e3 * took_b);
    return kn_error_pending() ? 1 : kn_finish();
}
