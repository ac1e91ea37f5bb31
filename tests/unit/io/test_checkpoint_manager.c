/* SPDX-License-Identifier: Apache-2.0
 * test_checkpoint_manager.c -- the checkpoints of a run: which are kept; what is half written is none; a training that is killed again and again
 * ends with the bits of one that is not. */
#define _GNU_SOURCE
#include "support/expect.h"
#include "support/group.h"
#include "support/own_folder.h"
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char run_folder[80];

static int set_up(void **state)
{
    int failed = make_own_folder(state);
    snprintf(run_folder, sizeof run_folder, "%s/run", folder);
    return failed;
}

static const char *in_run(const char *name)
{
    static char text[160];
    snprintf(text, sizeof text, "%s/%s", run_folder, name);
    return text;
}

static void touch_file(const char *name)
{
    FILE *f = fopen(in_run(name), "wb");
    assert_non_null(f);
    fclose(f);
}

static void the_last_ones_are_kept(void **state)
{
    (void)state;
    for (int background = 0; background < 2; background++) {
        KN_SCOPE;
        kn_checkpoint_manager m =
            kn_checkpoint_manager_new(run_folder, .keep = 3, .every = 5, .in_background = background);
        kn_array w = kn_zeros(KN_SHAPE(1000));
        int from = background ? 100 : 0;
        for (int step = from; step < from + 42; step++) {
            assert_int_equal(kn_checkpoint_manager_save(m, step, KN_TREE(&w)), step % 5 == 0);
            kn_iadd(w, 1); /* which is not written */
        }
        expect_values(kn_checkpoint_manager_steps(m), from + 30, from + 35, from + 40);
        assert_int_equal(kn_checkpoint_manager_latest(m), from + 40);
        assert_int_equal((int)kn_item(kn_tree_get(kn_checkpoint_manager_restore(m), 0), 999), 40);
        assert_int_equal((int)kn_item(kn_tree_get(kn_checkpoint_manager_restore(m, .step = from + 30), 0), 7), 30);
    }
}

/* A run that went on from an earlier step: what it says that it has written is there. */
static void what_was_just_written_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_checkpoint_manager m = kn_checkpoint_manager_new(run_folder, .keep = 2);
    kn_array w = kn_zeros(KN_SHAPE(3));
    const int step[] = {10, 20, 5};
    for (int i = 0; i < 3; i++)
        assert_int_equal(kn_checkpoint_manager_save(m, step[i], KN_TREE(&w)), 1);
    expect_values(kn_checkpoint_manager_steps(m), 5, 20);
}

static void memory_that_the_program_sees_is_written_as_it_was(void **state)
{
    (void)state;
    KN_SCOPE;
    static double memory[100000];
    kn_checkpoint_manager m = kn_checkpoint_manager_new(run_folder, .in_background = true);
    kn_array wrapped = kn_wrap(memory, KN_SHAPE(100000), KN_F64), own = kn_zeros(KN_SHAPE(100000));
    kn_eval(own);
    for (int step = 0; step < 20; step++) {
        struct {
            kn_array wrapped, own;
        } both = {wrapped, own};
        kn_touch(wrapped);
        assert_int_equal(kn_checkpoint_manager_save(m, step, KN_TREE(&both)), 1);
        kn_touch(wrapped);
        double *p = kn_data_mut(own, double);
        for (int i = 0; i < 100000; i++)
            memory[i] = p[i] = step + 1;
    }
    for (int step = 0; step < 20; step++) {
        KN_SCOPE;
        kn_tree there = kn_checkpoint_manager_restore(m, .step = step);
        for (int k = 0; k < 2; k++)
            assert_true(kn_item_bool(kn_all(kn_equal(kn_tree_get(there, k), step))));
    }
}

static void half_a_checkpoint_is_none(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 1, 2, 3);
    kn_checkpoint_manager m = kn_checkpoint_manager_new(run_folder);
    assert_int_equal(kn_checkpoint_manager_save(m, 10, KN_TREE(&w)), 1);
    assert_int_equal(mkdir(in_run("20"), 0777), 0); /* no manifest */
    touch_file("20/part-00000.bin");
    assert_int_equal(mkdir(in_run("30.new"), 0777), 0);
    touch_file("30.new/part-00000.bin");
    touch_file("30.new/.kiln-7-1");
    assert_int_equal(mkdir(in_run("5.gone"), 0777), 0);
    touch_file("5.gone/manifest.json");
    assert_int_equal(mkdir(in_run("notes"), 0777), 0);
    assert_int_equal(mkdir(in_run("007"), 0777), 0);
    touch_file("007/manifest.json");
    touch_file("notes/manifest.json");
    assert_int_equal(kn_checkpoint_manager_latest(m), 10);
    kn_checkpoint_manager again = kn_checkpoint_manager_new(run_folder);
    expect_values(kn_checkpoint_manager_steps(again), 10);
    expect_values(kn_tree_get(kn_checkpoint_manager_restore(again), 0), 1, 2, 3);
    assert_int_not_equal(access(in_run("30.new"), F_OK), 0); /* what was left half written is gone */
    assert_int_not_equal(access(in_run("5.gone"), F_OK), 0);
    assert_int_equal(access(in_run("notes/manifest.json"), F_OK), 0);
    assert_int_equal(access(in_run("007/manifest.json"), F_OK), 0);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(2));
    assert_null(kn_checkpoint_manager_new(NULL));
    expect_error("TypeError", "checkpoint_manager_new: null folder");
    assert_null(kn_checkpoint_manager_new(run_folder, .keep = -1));
    expect_error("ValueError", "checkpoint_manager_new: keep must be at least 0, but is -1");
    assert_null(kn_checkpoint_manager_new(run_folder, .every = 0));
    expect_error("ValueError", "checkpoint_manager_new: every must be at least 1, but is 0");
    assert_null(kn_checkpoint_manager_new("/nowhere/at/all"));
    expect_error_with("FileError", "/nowhere/at/all");
    kn_checkpoint_manager m = kn_checkpoint_manager_new(run_folder);
    assert_int_equal(kn_checkpoint_manager_latest(m), -1);
    expect_no_error();
    assert_null(kn_checkpoint_manager_restore(m));
    expect_error_with("FileError", "there is no checkpoint");
    assert_int_equal(kn_checkpoint_manager_save(m, -2, KN_TREE(&w)), -1);
    expect_error("ValueError", "checkpoint_manager_save: steps are not negative, but this one is -2");
    assert_int_equal(kn_checkpoint_manager_save(m, 3, KN_TREE(&w)), 1);
    assert_int_equal(kn_checkpoint_manager_save(m, 3, KN_TREE(&w)), -1);
    expect_error("ValueError", "checkpoint_manager_save: there is a checkpoint of step 3 already: .force replaces it");
    w = kn_zeros(KN_SHAPE(2));
    assert_int_equal(kn_checkpoint_manager_save(m, 3, KN_TREE(&w), .force = true), 1);
    expect_values(kn_tree_get(kn_checkpoint_manager_restore(m), 0), 0, 0);
    assert_null(kn_checkpoint_manager_restore(m, .step = 4));
    expect_error_with("FileError", "/run/4/manifest.json");
    assert_int_equal(kn_checkpoint_manager_save(m, 5, NULL), -1);
    expect_error_with("TypeError", "null tree");
}

static void an_error_of_the_background_is_told_by_the_next_call(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(2));
    kn_checkpoint_manager m = kn_checkpoint_manager_new(run_folder, .in_background = true);
    assert_int_equal(mkdir(in_run("9"), 0777), 0);
    touch_file("9/mine.txt"); /* nothing that a checkpoint may replace */
    assert_int_equal(kn_checkpoint_manager_save(m, 9, KN_TREE(&w)), 1);
    assert_int_equal(kn_checkpoint_manager_wait(m), -1);
    expect_error_with("ValueError", "not replaced, as it has something that is of no checkpoint: mine.txt");
    assert_int_equal(kn_checkpoint_manager_wait(m), 0);
    assert_int_equal(kn_checkpoint_manager_save(m, 10, KN_TREE(&w)), 1);
    assert_int_equal(kn_checkpoint_manager_latest(m), 10);
}

/* ---- A training that is killed. */

enum { EXAMPLES = 64, FEATURES = 6, BATCH = 8, STEPS = 300 };

typedef struct {
    kn_array w, b;
} Net;
KN_FIELDS(Net, w, b)

static kn_array loss(const Net *net, const kn_array *x, const kn_array *y)
{
    return kn_mean(kn_optim_l2_loss(kn_tanh(kn_add(kn_matmul(*x, net->w), net->b)), *y));
}
KN_FUNCTION(loss, kn_array, Net, kn_array, kn_array)

/* From the latest checkpoint, or from the start, to the last step; the parameters' bytes, if asked for. */
static int train(const char *where, double *result)
{
    KN_SCOPE;
    kn_array all_x = kn_random_normal(kn_random_key(1), KN_SHAPE(EXAMPLES, FEATURES));
    kn_array data[] = {all_x, kn_tanh(kn_sum(all_x, KN_AXIS(1)))};
    kn_loader loader = kn_loader_new(kn_tree_tuple(data[0], data[1]), .batch_size = BATCH, .epochs = 0,
                                     .key = kn_random_key(2), .workers = 2);
    Net net = {kn_zeros(KN_SHAPE(FEATURES)), kn_scalar(0.0)};
    kn_optimizer adam = kn_optim_adam(.learning_rate = 0.01);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net, Net)), all = NULL;
    kn_checkpoint_manager m = kn_checkpoint_manager_new(where, .keep = 2, .every = 4, .in_background = true);
    int64_t step = kn_checkpoint_manager_latest(m);
    if (step >= 0) {
        all = kn_checkpoint_manager_restore(m);
        kn_tree_assign(KN_TREE(&net, Net), kn_tree_sub(all, "net"));
        kn_tree_assign(state, kn_tree_sub(all, "optimizer"));
        kn_loader_restore(loader, kn_tree_sub(all, "loader"));
    }
    kn_fn slope = kn_jit(kn_grad(KN_FN(loss)));
    for (step = step < 0 ? 0 : step; step < STEPS;) {
        KN_SCOPE;
        Net grad;
        kn_tree batch = kn_loader_next(loader);
        kn_array x = kn_tree_get(batch, 0), y = kn_tree_get(batch, 1);
        kn_call(slope, &grad, &net, &x, &y);
        kn_optim_apply(adam, &state, KN_TREE(&net, Net), KN_TREE(&grad, Net));
        step++;
        kn_checkpoint_manager_save(
            m, step, kn_tree_dict("net", KN_TREE(&net, Net), "optimizer", state, "loader", kn_loader_state(loader)));
    }
    if (kn_checkpoint_manager_wait(m))
        return 1;
    if (result) {
        kn_copy_to(net.w, result, FEATURES * sizeof *result);
        kn_copy_to(net.b, result + FEATURES, sizeof *result);
    }
    return kn_error_pending();
}

static void a_run_that_is_killed_ends_with_the_same_bits(void **state)
{
    (void)state;
    char other[96];
    double want[FEATURES + 1], got[FEATURES + 1];
    snprintf(other, sizeof other, "%s/straight", folder);
    assert_int_equal(train(other, want), 0);
    unsigned random = 12345;
    int killed = 0, ended = 0;
    for (int tries = 0; tries < 60 && !ended; tries++) {
        pid_t child = fork();
        if (!child)
            _exit(train(run_folder, NULL));
        random = random * 1664525u + 1013904223u;
        /* Longer and longer, so that it ends on a machine that is busy, too. */
        const int64_t most = (int64_t)25000000 << (killed < 12 ? 0 : (killed - 12) / 4),
                      wait = 3000000 + (random >> 8) * most / (1 << 24);
        nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
        kill(child, SIGKILL);
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        killed += WIFSIGNALED(status);
        assert_true(WIFSIGNALED(status) || ended);
    }
    assert_true(ended);
    assert_true(killed >= 3);
    assert_int_equal(train(run_folder, got), 0); /* nothing is left to do but to read the last one */
    assert_memory_equal(got, want, sizeof got);
}

KN_TEST_GROUP(test_checkpoint_manager)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(the_last_ones_are_kept),
        IN_OWN_FOLDER(what_was_just_written_stays),
        IN_OWN_FOLDER(memory_that_the_program_sees_is_written_as_it_was),
        IN_OWN_FOLDER(half_a_checkpoint_is_none),
        IN_OWN_FOLDER(arguments_are_checked),
        IN_OWN_FOLDER(an_error_of_the_background_is_told_by_the_next_call),
        IN_OWN_FOLDER(a_run_that_is_killed_ends_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
