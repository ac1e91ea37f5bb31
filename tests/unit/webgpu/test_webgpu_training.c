/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_training.c -- an epoch of training on a WebGPU device (the digits network, 64-128-10): nothing moves, the bits are the host's, and a step has few dispatches. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

enum { BATCH = 128, IMAGES = 1437, STEPS = IMAGES / BATCH };
static kng_gpu *g;

typedef struct {
    kn_array w1, b1, w2, b2;
} Mlp;
typedef struct {
    kn_array images, labels;
} Batch;

static kn_array loss(const Mlp *net, const Batch *batch)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(batch->images, net->w1), net->b1));
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(hidden, net->w2), net->b2), KN_AXIS(-1));
    kn_array hot = kn_nn_one_hot(batch->labels, 10, .dtype = KN_F32);
    return kn_negative(kn_mean(kn_sum(kn_mul(log_p, hot), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Mlp, Batch)

static kn_array moved(kn_array p, kn_array slope) { return kn_sub(p, kn_mul(slope, 0.01f)); }

/* The update is in the function, so that a step is one program. */
static Mlp sgd(const Mlp *net, const Batch *batch)
{
    kn_array value;
    Mlp d;
    kn_call(kn_value_and_grad(KN_FN(loss)), KN_OUT(&value, &d), net, batch);
    return (Mlp){moved(net->w1, d.w1), moved(net->b1, d.b1), moved(net->w2, d.w2), moved(net->b2, d.b2)};
}
KN_FUNCTION(sgd, Mlp, Mlp, Batch)

static kn_array weights(int rows, int columns, double scale)
{
    kn_array i = kn_astype(kn_arange(0, rows * columns, 1), KN_F32);
    return kn_reshape(kn_mul(kn_sin(kn_mul(i, 1.7f)), scale), KN_SHAPE(rows, columns));
}

static Mlp fresh(const char *device)
{
    kn_dtype f32 = KN_F32;
    Mlp net = {weights(64, 128, 0.15), kn_zeros(KN_SHAPE(128), .dtype = f32), weights(128, 10, 0.1),
               kn_zeros(KN_SHAPE(10), .dtype = f32)};
    kn_tree_assign(KN_TREE(&net), kn_tree_device_put(KN_TREE(&net), kn_find_device(device)));
    return net;
}

static Batch data_on(const char *device)
{
    kn_archive file = kn_load_npz(KN_TEST_DATA "/digits.npz");
    kn_array images = kn_astype(kn_reshape(kn_archive_get(file, "images"), KN_SHAPE(-1, 64)), KN_F32);
    Batch all = {kn_div(images, 16), kn_astype(kn_archive_get(file, "labels"), KN_I32)};
    kn_tree_assign(KN_TREE(&all), kn_tree_device_put(KN_TREE(&all), kn_find_device(device)));
    return all;
}

static void epoch(kn_fn step, Mlp *net, const Batch *all)
{
    for (int at = 0; at + BATCH <= IMAGES; at += BATCH) {
        KN_SCOPE;
        Batch batch = {kn_at(all->images, "%:%", at, at + BATCH), kn_at(all->labels, "%:%", at, at + BATCH)};
        Mlp next;
        kn_call(step, &next, net, &batch);
        kn_tree_assign(KN_TREE(net), KN_TREE(&next));
        for (int i = 0; i < 4; i++)
            kn_eval((&net->w1)[i]);
    }
}

static kn_device_counts counts(void)
{
    kn_device_counts c = {.size_ = sizeof c};
    assert_int_equal(kn_device_count("webgpu:0", &c), 0);
    return c;
}

static void nothing_moves_inside_an_epoch(void **state)
{
    (void)state;
    KN_SCOPE;
    Batch all = data_on("webgpu:0");
    Mlp net = fresh("webgpu:0");
    kn_fn step = kn_jit(KN_FN(sgd));
    epoch(step, &net, &all);
    kn_device_counts before = counts();
    kng_counters work = g->counters;
    epoch(step, &net, &all);
    kn_device_counts after = counts();
    assert_int_equal(after.downloads, before.downloads);
    assert_int_equal(after.uploads, before.uploads); /* where a slice begins goes with the numbers of the launch */
    assert_int_equal(g->counters.bytes_down, work.bytes_down);
    assert_int_equal(g->counters.waits, work.waits);
    assert_int_equal(g->counters.pipelines, work.pipelines);
    double steps = STEPS;
    printf("a step: %.1f launches, %.1f dispatches, %.2f submits; %lld pipelines in all\n",
           (double)(after.launches - before.launches) / steps,
           (double)(g->counters.dispatches - work.dispatches) / steps,
           (double)(g->counters.submits - work.submits) / steps, (long long)g->counters.pipelines);
}

static kn_array picked(const Mlp *net, const Batch *batch)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(batch->images, net->w1), net->b1));
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(hidden, net->w2), net->b2), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(picked, kn_array, Mlp, Batch)

/* As people write it (tests/acceptance/train_digits.c): shuffled, rows by index arrays, an optimizer outside. */
static void shuffled_epoch(kn_fn step, kn_optimizer adam, kn_tree *state, Mlp *net, const Batch *all, int number)
{
    kn_array key = kn_random_fold_in(kn_random_key(0), 100 + number);
    kn_array order = kn_random_permutation(key, IMAGES);
    for (int i = 0; i + BATCH <= IMAGES; i += BATCH) {
        KN_SCOPE;
        kn_array rows = kn_at(order, "%:%", i, i + BATCH);
        Batch batch = {kn_take(all->images, rows, KN_AXIS(0)), kn_take(all->labels, rows, KN_AXIS(0))};
        kn_array value;
        Mlp grad;
        kn_call(step, KN_OUT(&value, &grad), net, &batch);
        kn_optim_apply(adam, state, KN_TREE(net), KN_TREE(&grad));
        kn_eval(value);
    }
}

static void nothing_moves_as_people_write_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_set_default_device(kn_find_device("webgpu:0"));
    Batch all = data_on("webgpu:0");
    Mlp net = fresh("webgpu:0");
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(picked)));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 3e-3);
    kn_tree moments = kn_optim_init(adam, KN_TREE(&net));
    shuffled_epoch(step, adam, &moments, &net, &all, 0);
    kng_counters before = g->counters;
    shuffled_epoch(step, adam, &moments, &net, &all, 1);
    assert_int_equal(g->counters.bytes_up, before.bytes_up);
    assert_int_equal(g->counters.bytes_down, before.bytes_down);
    assert_int_equal(g->counters.waits, before.waits);
    kn_block_until_ready(net.w1);
    kn_set_default_device(kn_find_device("host"));
    expect_no_error();
}

/* jax-js needs 26 for the same step with its batch given (bench/webgpu/count_jaxjs.mjs). */
static void a_step_has_few_dispatches(void **state)
{
    (void)state;
    KN_SCOPE;
    Batch all = data_on("webgpu:0"), batch = {kn_at(all.images, ":128"), kn_at(all.labels, ":128")};
    Mlp net = fresh("webgpu:0"), next;
    kn_fn step = kn_jit(KN_FN(sgd));
    kn_eval(batch.images);
    kn_eval(batch.labels);
    for (int i = 0; i < 4; i++)
        kn_eval((&net.w1)[i]);
    int64_t before = g->counters.dispatches;
    kn_call(step, &next, &net, &batch);
    kn_eval(next.w1);
    int64_t made = g->counters.dispatches - before;
    printf("a step with its batch given: %lld dispatches\n", (long long)made);
    assert_in_range(made, 1, 8);
}

static void the_bits_are_the_hosts(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *device[] = {"host", "webgpu:0"};
    Mlp net[2];
    for (int i = 0; i < 2; i++) {
        Batch all = data_on(device[i]);
        net[i] = fresh(device[i]);
        epoch(kn_jit(KN_FN(sgd)), &net[i], &all);
    }
    for (int i = 0; i < 4; i++) {
        kn_array here = (&net[0].w1)[i], there = (&net[1].w1)[i];
        const float *p = kn_data(here, float), *q = kn_data(there, float);
        assert_non_null(p);
        assert_non_null(q);
        assert_memory_equal(p, q, (size_t)kn_size(here) * sizeof *p);
    }
}

KN_TEST_GROUP(test_webgpu_training)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(nothing_moves_inside_an_epoch),
        TEST(nothing_moves_as_people_write_it),
        TEST(a_step_has_few_dispatches),
        TEST(the_bits_are_the_hosts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
