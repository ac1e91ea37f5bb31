/* SPDX-License-Identifier: Apache-2.0
 * test_loop_asking.c -- loops of kernels ask whether to go on: those that would never end are ended, by all generators
 * and the interpreter, alone and with threads, wherever the turns are; one that may go on is whole. */
#include "base/poll.h"
#include "host/drive.h"
#include "kernel/expr.h"
#include "kiln/callback.h"
#include "support/group.h"
#include "support/loop_case.h"
#include "support/scratch.h"
#include "support/stage_reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, POINTS = 1000, MANY = 1 << 20 };

static bool at_second(void *env) { return ++*(int *)env >= 2; }

/* Buffer 0 has the points' numbers, buffer 1 gets theirs. The error, after the second question says so. */
static knx_error *run(const knh_generator *g, const knk_kernel *k, int32_t *in, int32_t *out, int64_t points,
                      const int64_t *turns, int threads)
{
    const int64_t stride[] = {1, 0, 0, 0, 0};
    const knk_map_values one = {0, stride}, same = {0, stride + 1}, map[] = {one, k->n_map > 2 ? same : one, one};
    const int64_t *const inner[] = {turns, turns};
    knk_launch l = {(void *[]){in, out}, map, &points, inner};
    size_t bytes = (any_scratch(k, threads) + 127) & ~(size_t)63;
    void *scratch = aligned_alloc(64, bytes);
    assert_non_null(scratch);
    memset(scratch, 0x3f, bytes); /* no index */
    int asked = 0;
    kn_set_poll(at_second, &asked);
    knx_error *error = knh_run_on(g, k, &l, scratch, threads);
    kn_set_poll(NULL, NULL);
    assert_null(knx_take_stop());
    assert_int_equal(asked, error ? 2 : asked);
    free(scratch);
    return error;
}

/* The reference generator goes element by element. */
static void ends(const knk_kernel *k, const int64_t *turns, int64_t points)
{
    const knh_tuning usual = knh_tune;
    int32_t *in = calloc((size_t)points, sizeof *in), *out = calloc((size_t)points, sizeof *out);
    const knh_generator *g;
    in[points - 1] = 1;
    for (int i = -1; i < 0 || (g = knh_generator_number(i)); i++)
        for (int threads = 1; threads <= 3; threads++) {
            g = i < 0 ? &stage_reference : knh_generator_number(i);
            if (!knh_generator_works(g))
                continue;
            knh_tune.split_ns = 100;
            knh_tune.points = 64;
            knh_tune.wide = threads == 2;
            knx_error *error = run(g, k, in, out, points, turns, threads);
            knh_tune = usual;
            assert_non_null(error);
            assert_int_equal(error->kind, KN_ERROR_RUNTIME);
            assert_true(error->interruption);
            knx_error_release(error);
        }
    free(in);
    free(out);
}

/* A turn of the innermost open loop that changes its carry. */
static void begin_turn(knk_builder *k, knk_node *carry, knk_node start)
{
    knk_loop_begin(k);
    *carry = knk_carry(k, start);
}

static void end_turn(knk_builder *k, knk_node carry, knk_node by)
{
    knk_next(k, carry, AND(ADD(carry, by), I32(0xff)));
    knk_loop_end(k);
}

static void ends_for(knk_builder *k, knk_node result, const int64_t *turns)
{
    loop_case_store(k, result, (uint8_t[]){U}, false);
    knk_kernel *kernel = loop_case_finish(k);
    ends(kernel, turns, 1);
    ends(kernel, turns, POINTS);
    knk_release(kernel);
}

static void a_loop_of_many_turns(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    end_turn(k, c, I32(1));
    ends_for(k, knk_last(k, c), (int64_t[]){INT64_C(1000000000000)});
}

static void a_condition_that_stays_true(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    knk_while(k, LE(I32(0), c));
    end_turn(k, c, I32(1));
    ends_for(k, knk_last(k, c), (int64_t[]){KNK_NO_LIMIT});
}

/* The last point alone: threads that are done with theirs wait for it. */
static void one_of_many_points(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    knk_while(k, NE(c, I32(0)));
    knk_next(k, c, XOR(c, I32(2)));
    knk_loop_end(k);
    ends_for(k, knk_last(k, c), (int64_t[]){KNK_NO_LIMIT});
}

/* A loop whose turns have loops of `turns` turns in them. */
static void outer_loop(int64_t turns, bool asks)
{
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c, d;
    begin_turn(k, &c, x);
    knk_while(k, LE(I32(0), c));
    begin_turn(k, &d, c);
    if (asks)
        knk_while(k, LT(d, I32(0)));
    end_turn(k, d, I32(3));
    end_turn(k, c, ADD(knk_last(k, d), I32(1)));
    ends_for(k, knk_last(k, c), (int64_t[]){KNK_NO_LIMIT, turns});
}

static void an_outer_loop_of_short_ones(void **state)
{
    (void)state;
    outer_loop(3, false);
}
static void an_outer_loop_of_empty_ones(void **state)
{
    (void)state;
    outer_loop(0, false);
    outer_loop(KNK_NO_LIMIT, true);
}

static void an_inner_loop(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c, d;
    begin_turn(k, &c, x);
    begin_turn(k, &d, c);
    knk_while(k, LE(I32(0), d));
    end_turn(k, d, I32(3));
    end_turn(k, c, knk_last(k, d));
    ends_for(k, knk_last(k, c), (int64_t[]){2, KNK_NO_LIMIT});
}

/* What a loop that was ended would have given is read by nothing: here it is an index, of memory that is not there. */
static void a_later_stage_is_not_run(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    knk_while(k, LE(I32(0), c));
    end_turn(k, c, I32(1));
    knk_node at = knk_cast(k, KN_ID_I64, knk_last(k, c));
    knk_begin_stage(k, 0);
    knk_node there = knk_load(k, 0, knk_add_map(k, (uint8_t[]){Z}), at, KNK_NONE, KNK_NONE);
    ends_for(k, ADD(there, I32(1)), (int64_t[]){KNK_NO_LIMIT});
}

/* Each point makes few turns. */
static void many_points(void **state)
{
    (void)state;
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    end_turn(k, c, I32(1));
    loop_case_store(k, knk_last(k, c), (uint8_t[]){U}, false);
    knk_kernel *kernel = loop_case_finish(k);
    ends(kernel, (int64_t[]){20000}, MANY);
    knk_release(kernel);
}

static bool never(void *env) { return ++*(int *)env, false; }

/* x = 5 x + 1, a hundred million times. */
static void a_loop_that_may_go_on_is_whole(void **state)
{
    (void)state;
    if (!knh_generator_best()->make)
        skip(); /* too slow */
    knk_builder *k = loop_case_begin(1);
    knk_node x = loop_case_load(k, KN_ID_I32, (uint8_t[]){U}, false), c;
    begin_turn(k, &c, x);
    knk_next(k, c, ADD(MUL(c, I32(5)), I32(1)));
    knk_loop_end(k);
    loop_case_store(k, knk_last(k, c), (uint8_t[]){U}, false);
    knk_kernel *kernel = loop_case_finish(k);
    int64_t n = 1, turns[] = {INT64_C(100000007)};
    const int64_t *inner[] = {turns}, stride[] = {1, 0};
    const knk_map_values map[] = {{0, stride}, {0, stride}};
    int32_t in = 12345, out = 0;
    int asked = 0;
    uint32_t want = 12345;
    for (int64_t i = 0; i < turns[0]; i++)
        want = 5 * want + 1;
    void *scratch = aligned_alloc(64, (any_scratch(kernel, 1) + 127) & ~(size_t)63);
    kn_set_poll(never, &asked);
    knx_error *error =
        knh_run_on(knh_generator_best(), kernel, &(knk_launch){(void *[]){&in, &out}, map, &n, inner}, scratch, 1);
    kn_set_poll(NULL, NULL);
    assert_null(error);
    assert_int_equal((uint32_t)out, want);
    assert_true(asked > 2);
    free(scratch);
    knk_release(kernel);
}

KN_TEST_GROUP(test_loop_asking)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_many_turns),
        cmocka_unit_test(a_condition_that_stays_true),
        cmocka_unit_test(one_of_many_points),
        cmocka_unit_test(an_outer_loop_of_short_ones),
        cmocka_unit_test(an_outer_loop_of_empty_ones),
        cmocka_unit_test(an_inner_loop),
        cmocka_unit_test(a_later_stage_is_not_run),
        cmocka_unit_test(many_points),
        cmocka_unit_test(a_loop_that_may_go_on_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
