/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_transfers.c -- what training loops are made of, once more after they have run: bytes that go up, bytes
 * that come down, waits. Nothing does, but where the table says so. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

static kng_gpu *g;

enum { ROWS = 64, WIDTH = 32, BATCH = 16 };

typedef struct {
    kn_array w, b;
} Net;
typedef struct {
    kn_array images, labels;
} Batch;

/* What all programs work with, on the device. */
typedef struct {
    kn_array x, key;
    Batch all;
    Net net;
    kn_fn step, row, row_put, drop, step_of_scan;
    kn_optimizer adam;
    kn_tree state;
    int turn; /* another one at each run: 0, 1, ... */
} world;

static kn_array loss(const Net *net, const Batch *batch)
{
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(batch->images, net->w), net->b), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Net, Batch)

static kn_array row_of(const kn_array *x, const kn_array *i) { return kn_lax_dynamic_index_in_dim(*x, *i); }
KN_FUNCTION(row_of, kn_array, kn_array, kn_array)

static kn_array with_row(const kn_array *x, const kn_array *i)
{
    return kn_lax_dynamic_update_slice_in_dim(*x, kn_ones(KN_SHAPE(1, WIDTH), .dtype = KN_F32), *i, 0);
}
KN_FUNCTION(with_row, kn_array, kn_array, kn_array)

/* kn_random_bernoulli would compare random numbers of float64, which the host does. */
static kn_array dropped(const kn_array *x, const kn_array *key)
{
    kn_array drawn = kn_random_uniform(*key, KN_SHAPE(ROWS, WIDTH), .dtype = KN_F32);
    return kn_where(kn_less(drawn, 0.75f), kn_div(*x, 0.75f), 0.0f);
}
KN_FUNCTION(dropped, kn_array, kn_array, kn_array)

typedef struct {
    kn_array carry, out;
} Turn;
static Turn turn_of(const kn_array *carry, const kn_array *x)
{
    kn_array next = kn_add(kn_mul(*carry, 0.5f), *x);
    return (Turn){next, kn_sum(next)};
}
KN_FUNCTION(turn_of, Turn, kn_array, kn_array)

static world make(void)
{
    kn_device d = kn_find_device("webgpu:0");
    kn_array x = kn_reshape(kn_astype(kn_arange(0, ROWS * WIDTH, 1), KN_F32), KN_SHAPE(ROWS, WIDTH));
    world w = {.x = kn_device_put(kn_div(x, 1000), d), .key = kn_device_put(kn_random_key(3), d)};
    w.all = (Batch){w.x, kn_device_put(kn_astype(kn_mod(kn_arange(0, ROWS, 1), 8), KN_I32), d)};
    w.net = (Net){kn_device_put(kn_zeros(KN_SHAPE(WIDTH, 8), .dtype = KN_F32), d),
                  kn_device_put(kn_zeros(KN_SHAPE(8), .dtype = KN_F32), d)};
    w.step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    w.row = kn_jit(KN_FN(row_of));
    w.row_put = kn_jit(KN_FN(with_row));
    w.drop = kn_jit(KN_FN(dropped));
    w.adam = kn_optim_adam(.learning_rate = 3e-3);
    w.state = kn_optim_init(w.adam, KN_TREE(&w.net));
    return w;
}

/* ---- Programs. */

static Batch batch_of(world *w, kn_array rows)
{
    return (Batch){kn_take(w->all.images, rows, KN_AXIS(0)), kn_take(w->all.labels, rows, KN_AXIS(0))};
}

static void learn(world *w, const Batch *batch)
{
    kn_array value;
    Net grad;
    kn_call(w->step, KN_OUT(&value, &grad), &w->net, batch);
    kn_optim_apply(w->adam, &w->state, KN_TREE(&w->net), KN_TREE(&grad));
    kn_eval(w->net.w);
    kn_eval(w->net.b);
}

static void shuffled_epoch(world *w)
{
    kn_array order = kn_random_permutation(kn_random_fold_in(w->key, 100 + w->turn), ROWS);
    for (int i = 0; i < ROWS; i += BATCH) {
        KN_SCOPE;
        Batch batch = batch_of(w, kn_at(order, "%:%", i, i + BATCH));
        learn(w, &batch);
    }
}

static void sliced_batch(world *w)
{
    int at = w->turn % 3 * BATCH;
    Batch batch = {kn_at(w->all.images, "%:%", at, at + BATCH), kn_at(w->all.labels, "%:%", at, at + BATCH)};
    learn(w, &batch);
}

static void indexed_rows(world *w)
{
    kn_array i = kn_mod(kn_add(w->all.labels, w->turn), ROWS);
    kn_eval(kn_at(w->x, "%", i));
}

static void indexed_write(world *w)
{
    kn_array x = kn_copy(w->x);
    kn_set_at(x, 7.0f, "%", kn_mod(kn_add(w->all.labels, w->turn), ROWS));
    kn_eval(x);
}

static void one_element(world *w)
{
    kn_array x = kn_copy(w->x);
    kn_set_at(x, 7.0f, "%, %", w->turn, 3);
    kn_eval(x);
}

static void slice_from_the_host(world *w)
{
    kn_array y, i = kn_scalar((int32_t)w->turn);
    kn_call(w->row, &y, &w->x, &i);
    kn_eval(y);
}

static void slice_from_the_device(world *w)
{
    kn_array y, i = kn_at(w->all.labels, "%", w->turn);
    kn_call(w->row, &y, &w->x, &i);
    kn_eval(y);
}

static void row_from_the_host(world *w)
{
    kn_array y, i = kn_scalar((int32_t)w->turn);
    kn_call(w->row_put, &y, &w->x, &i);
    kn_eval(y);
}

static void row_from_the_device(world *w)
{
    kn_array y, i = kn_at(w->all.labels, "%", w->turn);
    kn_call(w->row_put, &y, &w->x, &i);
    kn_eval(y);
}

static void keys(world *w)
{
    kn_array more = kn_random_split(kn_random_fold_in(w->key, w->turn), .num = 3);
    kn_eval(kn_random_normal(kn_at(more, "1"), KN_SHAPE(5, 5), .dtype = KN_F32));
}

static void dropout(world *w)
{
    kn_array y, key = kn_random_fold_in(w->key, w->turn);
    kn_call(w->drop, &y, &w->x, &key);
    kn_eval(y);
}

static void permutation(world *w) { kn_eval(kn_random_permutation(kn_random_fold_in(w->key, w->turn), w->x)); }

static void integer_division(world *w)
{
    kn_eval(kn_floor_divide(w->all.labels, 3));
    kn_eval(kn_mod(kn_negative(w->all.labels), 5 + w->turn));
}

static void scan(world *w)
{
    Turn t;
    kn_array init = kn_at(w->x, "%", w->turn);
    kn_scan(KN_FN(turn_of), &t, &init, &w->x);
    kn_eval(t.out);
    kn_eval(t.carry);
}

static void one_hot(world *w) { kn_eval(kn_nn_one_hot(w->all.labels, 8 + w->turn, .dtype = KN_F32)); }

static void value_that_is_printed(world *w) { (void)kn_item(kn_sum(kn_mul(w->x, (float)w->turn))); }

typedef struct row {
    const char *name;
    void (*run)(world *w);
    int64_t up, down, waits;
} row;
#define ROW(f, ...)        \
    {                      \
#f, f, __VA_ARGS__ \
    }
static const row table[] = {
    ROW(shuffled_epoch, 0, 0, 0),
    ROW(sliced_batch, 0, 0, 0),
    ROW(indexed_rows, 0, 0, 0),
    ROW(indexed_write, 0, 0, 0),
    ROW(one_element, 0, 0, 0),
    ROW(slice_from_the_host, 0, 0, 0),
    ROW(slice_from_the_device, 0, 0, 0),
    ROW(row_from_the_host, 0, 0, 0),
    ROW(row_from_the_device, 0, 0, 0),
    ROW(keys, 0, 0, 0),
    ROW(dropout, 0, 0, 0),
    ROW(permutation, 0, 0, 0),
    ROW(integer_division, 0, 0, 0),
    ROW(scan, 0, 0, 0),
    ROW(one_hot, 0, 0, 0),
    ROW(value_that_is_printed, 0, 4, 1),
};

static void nothing_leaves_without_need(void **state)
{
    (void)state;
    KN_SCOPE;
    world w = make();
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const row *r = &table[i];
        kng_counters before = {0};
        for (w.turn = 0; w.turn < 4; w.turn++) {
            KN_SCOPE;
            before = g->counters;
            r->run(&w);
            expect_no_error();
        }
        int64_t up = g->counters.bytes_up - before.bytes_up, down = g->counters.bytes_down - before.bytes_down;
        int64_t waits = g->counters.waits - before.waits;
        if (up == r->up && down == r->down && waits == r->waits)
            continue;
        printf("%s: %lld bytes up, %lld down, %lld waits; should be %lld, %lld, %lld\n", r->name, (long long)up,
               (long long)down, (long long)waits, (long long)r->up, (long long)r->down, (long long)r->waits);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

KN_TEST_GROUP(test_webgpu_transfers)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(nothing_leaves_without_need),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
