/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_loops.c -- stages with loops as machine code, bit for bit against a reference that takes one turn after
 * the other: all kinds of loops, numbers of points and turns, boxes, threads; and values by hand. */
#include "host/drive.h"
#include "host/x86/generator.h"
#include "host/x86/lower.h"
#include "kernel/expr.h"
#include "support/group.h"
#include "support/loop_case.h"
#include "support/scratch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, ANY = KNK_STRIDE_ANY };

#define check  loop_case_check
#define begin  loop_case_begin
#define finish loop_case_finish
#define load   loop_case_load
#define store  loop_case_store

/* Boxes and threads as in large launches, lanes along any loop; questions whether to go on as in long ones. */
static void check_forced(const knk_kernel *k, const int64_t *par, const int64_t *loops, int threads)
{
    const knh_tuning usual = knh_tune;
    for (int lane = 0; lane < 2; lane++) {
        knh_tune.split_ns = 100;
        knh_tune.points = 64;
        knh_tune.lane = lane;
        knh_tune.turns = 1 + 2 * lane;
        check(k, par, loops, threads);
        knh_tune = usual;
    }
}

/* All numbers of points along the last parallel loop (others have 3) and of turns (inner loops have 3 at most). */
static void check_all(knk_kernel *k, int64_t most_turns)
{
    static const int64_t points[] = {0, 1, 3, 16, 17, 70, 1000}, turns[] = {0, 1, 2, 100};
    for (size_t p = 0; p < sizeof points / sizeof *points; p++)
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            int64_t par[LOOP_CASE_DIMS], loops[LOOP_CASE_DIMS];
            for (int d = 0; d < LOOP_CASE_DIMS; d++) {
                par[d] = d == k->n_par - 1 ? points[p] : points[p] == 1 ? 1 : 3;
                loops[d] = d && turns[t] > 3 ? 3 : turns[t];
            }
            if ((k->n_par || !p) && turns[t] <= most_turns)
                (p >= 4 && t == 2 ? check_forced : check)(k, par, loops, 1 + (int)(p + t) % 3);
        }
    knk_release(k);
}

/* By hand. */

static void run_with(const knk_kernel *k, void *const *data, const int64_t *par, const int64_t *loops,
                     const int64_t stride[][2])
{
    knk_map_values map[8];
    for (int m = 0; m < k->n_map; m++)
        map[m] = (knk_map_values){0, stride[m]};
    knk_launch l = {data, map, par, &loops};
    void *scratch = aligned_alloc(64, (any_scratch(k, 1) + 127) & ~(size_t)63);
    knh_counts before = knh_count();
    knh_run_on(&knh_avx2, k, &l, scratch, 1);
    assert_int_equal(knh_count().fallbacks, before.fallbacks);
    assert_int_equal(knh_count().functions, before.functions + 1);
    free(scratch);
}

static void fibonacci_by_hand(void **state)
{
    (void)state;
    if (!knh_generator_works(&knh_avx2))
        skip();
    knk_builder *k = begin(0);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, I64(0)), b = knk_carry(k, I64(1));
    store(k, b, (uint8_t[]){U}, true);
    knk_next(k, a, b);
    knk_next(k, b, ADD(a, b));
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){Z}, true);
    knk_kernel *kernel = finish(k);
    int64_t list[10], last;
    run_with(kernel, (void *[]){list, &last}, NULL, (int64_t[]){10}, (int64_t[][2]){{1}, {0}});
    const int64_t want[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
    assert_memory_equal(list, want, sizeof want);
    assert_int_equal(last, 55);
    knk_release(kernel);
}

/* Collatz: how many steps to 1. */
static void steps_by_hand(void **state)
{
    (void)state;
    if (!knh_generator_works(&knh_avx2))
        skip();
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_I32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node y = knk_carry(k, x), n = knk_carry(k, I32(0));
    knk_while(k, NE(y, I32(1)));
    knk_next(k, y, SELECT(EQ(AND(y, I32(1)), I32(0)), SHR(y, I32(1)), ADD(MUL(y, I32(3)), I32(1))));
    knk_next(k, n, ADD(n, I32(1)));
    knk_loop_end(k);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    knk_kernel *kernel = finish(k);
    int32_t in[] = {1, 2, 3, 6, 7, 9, 27, 97, 4, 8, 1}, out[11];
    const int32_t want[] = {0, 1, 7, 8, 16, 19, 111, 118, 2, 3, 0};
    run_with(kernel, (void *[]){in, out}, (int64_t[]){11}, (int64_t[]){KNK_NO_LIMIT}, (int64_t[][2]){{1}, {1}});
    assert_memory_equal(out, want, sizeof want);
    knk_release(kernel);
}

/* As many values as scalar programs have: 3,000 nodes, 40 carries; no fallback. */
static void long_turns(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x[40], c[40], sum[40];
    for (int i = 0; i < 40; i++)
        x[i] = load(k, KN_ID_F64, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    for (int i = 0; i < 40; i++)
        sum[i] = c[i] = knk_carry(k, x[i]);
    for (int i = 0; i < 3000; i++) {
        int at = i * 7 % 40, other = (i * 13 + i / 40) % 40;
        sum[at] = i % 3 ? SUB(MUL(sum[other], F64(0.5)), sum[at]) : ADD(x[other], MUL(sum[at], F64(0.25)));
    }
    for (int i = 0; i < 40; i++)
        knk_next(k, c[i], sum[i]);
    knk_loop_end(k);
    for (int i = 0; i < 40; i++)
        store(k, knk_last(k, c[i]), (uint8_t[]){U}, false);
    knk_kernel *kernel = finish(k);
    for (int64_t n = 1; n < 100; n += 49)
        check(kernel, (int64_t[]){n}, (int64_t[]){3}, 1);
    knk_release(kernel);
}

/* y[p, t] = x[p, 0] + .. + x[p, t]; both with the turns and the points innermost. */
static knk_kernel *sums(const uint8_t *cls, int n_par)
{
    knk_builder *k = begin(n_par);
    knk_loop_begin(k);
    knk_node s = knk_carry(k, F64(0.5)), next = ADD(s, load(k, KN_ID_F64, cls, true));
    store(k, next, cls, true);
    knk_next(k, s, next);
    knk_loop_end(k);
    return finish(k);
}

static void running_sums(void **state)
{
    (void)state;
    check_all(sums((uint8_t[]){U, ANY}, 1), 100);
    check_all(sums((uint8_t[]){ANY, U}, 1), 100);
    check_all(sums((uint8_t[]){U}, 0), 100);
    check_all(sums((uint8_t[]){ANY, U, ANY}, 2), 100);
}

static void the_last_value_of_a_carry(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false), y = load(k, KN_ID_F32, (uint8_t[]){ANY}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x), b = knk_carry(k, F32(1)), c = knk_carry(k, y);
    knk_next(k, a, FMA(a, F32(0.5), y));
    knk_next(k, b, ADD(b, a));
    knk_next(k, c, b);
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, SUB(knk_last(k, b), x), (uint8_t[]){ANY}, false);
    store(k, knk_last(k, c), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Carries that change places: their registers are read before they are written. */
static void carries_go_round(void **state)
{
    (void)state;
    for (int n = 2; n <= 40; n = n < 5 ? n + 1 : n * 2) {
        knk_builder *k = begin(1);
        knk_node x[40], c[40];
        for (int i = 0; i < n; i++)
            x[i] = load(k, KN_ID_F64, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        for (int i = 0; i < n; i++)
            c[i] = knk_carry(k, x[i]);
        for (int i = 0; i < n; i++)
            knk_next(k, c[i], i % 4 == 3 ? ADD(c[(i + 1) % n], c[i]) : c[(i + 1) % n]);
        knk_loop_end(k);
        for (int i = 0; i < n; i++)
            store(k, knk_last(k, c[i]), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* A sum of products of all carries as the next value of each: nobody may see new values too early. */
static void many_carries_read_each_other(void **state)
{
    (void)state;
    for (int n = 3; n <= 40; n += 9) {
        knk_builder *k = begin(1);
        knk_node x[40], c[40];
        for (int i = 0; i < n; i++)
            x[i] = load(k, KN_ID_F32, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        for (int i = 0; i < n; i++)
            c[i] = knk_carry(k, x[i]);
        for (int i = 0; i < n; i++) {
            knk_node sum = MUL(c[i], F32(0.25));
            for (int j = 0; j < n; j++)
                sum = FMA(c[j], F32(1.0 / (3 + i * j)), sum);
            knk_next(k, c[i], MIN(MAX(sum, F32(-100)), F32(100)));
        }
        knk_loop_end(k);
        for (int i = 0; i < n; i++)
            store(k, knk_last(k, c[i]), (uint8_t[]){U}, false);
        check_all(finish(k), n > 12 ? 2 : 100);
    }
}

/* Newton's iteration until each point is exact enough: points take different numbers of turns. */
static knk_kernel *newton(int n_par, int d)
{
    knk_builder *k = begin(n_par);
    knk_node x = ABS(load(k, d, (uint8_t[]){U}, false));
    knk_loop_begin(k);
    knk_node y = knk_carry(k, x), n = knk_carry(k, I32(0));
    knk_while(k, LT(MUL(NUM(d, 1e-5), x), ABS(SUB(MUL(y, y), x))));
    knk_next(k, y, MUL(NUM(d, 0.5), ADD(y, DIV(x, y))));
    knk_next(k, n, ADD(n, I32(1)));
    knk_loop_end(k);
    store(k, knk_last(k, y), (uint8_t[]){U}, false);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    return finish(k);
}

static void points_are_done_at_different_times(void **state)
{
    (void)state;
    check_all(newton(1, KN_ID_F32), 100);
    check_all(newton(1, KN_ID_F64), 100);
    check_all(newton(0, KN_ID_F64), 100);
    int64_t par[] = {100}, loops[] = {KNK_NO_LIMIT};
    knk_kernel *k = newton(1, KN_ID_F32);
    check(k, par, loops, 1);
    knk_release(k);
}

/* The condition asks for the turn's number: once false it must stay so. */
static void a_condition_that_comes_true_again(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_I64, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node n = knk_carry(k, I64(0));
    knk_node t = knk_index(k, knk_add_loop_map(k, (uint8_t[]){Z, U}));
    knk_while(k, NE(t, AND(x, I64(7))));
    knk_next(k, n, ADD(n, x));
    knk_loop_end(k);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Numbers of turns and of lanes that are read as 32 bits; one is a next value itself. */
static void numbers_of_turns_and_lanes_as_32_bits(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_U32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x), b = knk_carry(k, x), c = knk_carry(k, x);
    knk_node turn = CAST(U32, knk_index(k, knk_add_loop_map(k, (uint8_t[]){Z, U}))),
             lane = CAST(U32, knk_index(k, knk_add_loop_map(k, (uint8_t[]){U, Z}))),
             both = CAST(I32, knk_index(k, knk_add_loop_map(k, (uint8_t[]){U, ANY})));
    knk_next(k, a, OR(SHL(ADD(a, turn), U32(13)), SHR(ADD(a, turn), U32(19))));
    knk_next(k, b, ADD(ADD(a, b), ADD(lane, BITS(U32, both))));
    knk_next(k, c, turn);
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, ADD(knk_last(k, b), knk_last(k, c)), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

static void loops_in_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false), y = load(k, KN_ID_F32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x), b = knk_carry(k, y);
    knk_node xt = load(k, KN_ID_F32, (uint8_t[]){U, ANY}, true);
    knk_loop_begin(k);
    knk_node c = knk_carry(k, xt), d = knk_carry(k, a);
    knk_node xs = load(k, KN_ID_F32, (uint8_t[]){U, ANY, ANY}, true),
             ys = load(k, KN_ID_F32, (uint8_t[]){Z, Z, U}, true);
    knk_node i = CAST(F32, knk_index(k, knk_add_loop_map(k, (uint8_t[]){U, ANY, ANY})));
    knk_next(k, c, FMA(c, F32(0.25), ADD(xs, b)));
    knk_next(k, d, ADD(d, MUL(ys, FMA(xt, i, y))));
    store(k, SUB(d, c), (uint8_t[]){U, ANY, ANY}, true);
    knk_loop_end(k);
    knk_node last = knk_last(k, d);
    knk_next(k, a, MUL(last, F32(0.125)));
    knk_next(k, b, SUB(knk_last(k, c), a));
    store(k, last, (uint8_t[]){ANY, U, Z}, true);
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, ADD(knk_last(k, b), x), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Eight loops in each other. */
static void deep_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node carry[8], x = load(k, KN_ID_I32, (uint8_t[]){U}, false), sum = x;
    for (int i = 0; i < 8; i++) {
        knk_loop_begin(k);
        carry[i] = knk_carry(k, sum);
        sum = ADD(carry[i], I32(i + 1));
    }
    for (int i = 7; i >= 0; i--) {
        knk_next(k, carry[i], XOR(MUL(sum, I32(3)), carry[i]));
        knk_loop_end(k);
        sum = knk_last(k, carry[i]);
    }
    store(k, sum, (uint8_t[]){U}, false);
    check_all(finish(k), 2);
}

/* A condition in a condition: points that are done outside take no part inside, where they might go on for ever. */
static void conditions_in_conditions(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        knk_builder *k = begin(1);
        knk_node x = AND(load(k, KN_ID_I32, (uint8_t[]){U}, false), I32(31));
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), n = knk_carry(k, I32(0));
        knk_while(k, NE(a, I32(0)));
        knk_loop_begin(k);
        knk_node b = knk_carry(k, I32(0)), m = knk_carry(k, n);
        knk_while(k, NE(b, MUL(a, I32(2))));
        knk_next(k, b, ADD(b, a));
        knk_next(k, m, ADD(m, I32(1)));
        knk_loop_end(k);
        knk_next(k, a, SHR(a, I32(1)));
        knk_next(k, n, ADD(knk_last(k, m), limited ? knk_last(k, b) : I32(1)));
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        store(k, knk_last(k, n), (uint8_t[]){U}, false);
        knk_kernel *kernel = finish(k);
        int64_t par[] = {1000}, loops[] = {KNK_NO_LIMIT, limited ? 2 : KNK_NO_LIMIT};
        check(kernel, par, loops, 1);
        check_all(kernel, 100);
    }
}

/* The cold side of a select in a turn, of bits of it, and an expensive one after the loop. */
static void cold_sides_in_loops(void **state)
{
    (void)state;
    for (int d = KN_ID_F32; d <= KN_ID_F64; d++) {
        knk_builder *k = begin(1);
        knk_node x = load(k, d, (uint8_t[]){U}, false), q = knk_sin(k, x);
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), b = knk_carry(k, q);
        knk_node xt = load(k, d, (uint8_t[]){U, ANY}, true);
        knk_node far = LT(NUM(d, 2), ABS(xt));
        knk_node cold = MUL(knk_exp(k, NEG(ABS(xt))), ADD(a, q));
        knk_next(k, a, COLD(far, cold, ADD(a, xt)));
        knk_next(k, b, knk_sin(k, MUL(NUM(d, 3000), b)));
        store(k, knk_log(k, ADD(ABS(a), NUM(d, 1))), (uint8_t[]){U, ANY}, true);
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        store(k, COLD(LT(knk_last(k, b), NUM(d, 0)), knk_tanh(k, knk_last(k, b)), q), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* Operations without instructions: calls in turns. */
static void calls_in_loops(void **state)
{
    (void)state;
    for (int d = KN_ID_I64; d <= KN_ID_F64; d = d == KN_ID_I64 ? KN_ID_F64 : KN_ID_F64 + 1) {
        knk_builder *k = begin(1);
        knk_node x = load(k, d, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), b = knk_carry(k, x);
        knk_node xt = load(k, d, (uint8_t[]){U, ANY}, true);
        knk_node rest = knk_binary(k, KNK_REM, ADD(a, xt), ADD(b, knk_const_double(k, (knx_dtype_id)d, 7)));
        knk_next(k, a, ADD(xt, rest));
        knk_next(k, b, a);
        store(k, rest, (uint8_t[]){U, ANY}, true);
        knk_loop_end(k);
        store(k, knk_last(k, b), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* Carries of every dtype, read, written and chosen from. */
static void every_dtype(void **state)
{
    (void)state;
    for (int d = 0; d < KN_ID_COUNT; d++) {
        if (d != KN_ID_BOOL && !knk_is_int_id(d) && !knk_is_float_id(d))
            continue;
        for (int until = 0; until < 2; until++) {
            knk_builder *k = begin(1);
            knk_node x = load(k, d, (uint8_t[]){U}, false), y = load(k, d, (uint8_t[]){ANY}, false);
            knk_node n = load(k, KN_ID_I32, (uint8_t[]){U}, false);
            knk_loop_begin(k);
            knk_node a = knk_carry(k, x), b = knk_carry(k, y), i = knk_carry(k, I32(0));
            if (until)
                knk_while(k, LE(i, AND(n, I32(15))));
            knk_node xt = until ? y : load(k, d, (uint8_t[]){U, ANY}, true);
            knk_node sum = ADD(a, xt), less = LT(a, b);
            knk_next(k, a, SELECT(less, sum, b));
            knk_next(k, b, MUL(a, b));
            knk_next(k, i, ADD(i, I32(1)));
            if (!until)
                store(k, sum, (uint8_t[]){U, ANY}, true);
            knk_loop_end(k);
            store(k, knk_last(k, a), (uint8_t[]){U}, false);
            store(k, knk_last(k, b), (uint8_t[]){ANY}, false);
            check_all(finish(k), 100);
        }
    }
}

/* Elements of tables at places that the carries say, and under predicates. */
static void tables_in_loops(void **state)
{
    (void)state;
    for (int d = 0; d < KN_ID_COUNT; d++) {
        if (d != KN_ID_BOOL && !knk_is_int_id(d) && !knk_is_float_id(d))
            continue;
        knk_builder *k = begin(1);
        int table = knk_add_buffer(k, (knx_dtype_id)d, false), other = knk_add_buffer(k, (knx_dtype_id)d, false);
        knk_node x = load(k, KN_ID_I64, (uint8_t[]){U}, false), y = load(k, d, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        int zero = knk_add_loop_map(k, (uint8_t[]){Z, Z}), row = knk_add_loop_map(k, (uint8_t[]){U, ANY});
        knk_node a = knk_carry(k, x);
        knk_node at = AND(a, I64(63)), odd = EQ(AND(a, I64(1)), I64(1));
        knk_node v = knk_load(k, table, zero, at, KNK_NONE, KNK_NONE);
        knk_node w = knk_load(k, other, row, KNK_NONE, odd, y);
        knk_node u = knk_load(k, other, row, AND(a, I64(31)), odd, KNK_NONE);
        store(k, v, (uint8_t[]){U, ANY}, true);
        store(k, w, (uint8_t[]){U, ANY}, true);
        store(k, u, (uint8_t[]){ANY, U}, true);
        knk_next(k, a, ADD(MUL(a, I64(5)), I64(3)));
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* What a loop leaves is read by a later stage, and by a later loop. */
static void values_go_on_behind_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F64, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x);
    knk_next(k, a, MUL(ADD(a, F64(1)), F64(0.75)));
    knk_loop_end(k);
    knk_node b = knk_last(k, a);
    knk_loop_begin(k);
    knk_node c = knk_carry(k, b), d = knk_carry(k, x);
    knk_next(k, c, SUB(MUL(d, F64(0.5)), b));
    knk_next(k, d, ADD(c, x));
    knk_loop_end(k);
    knk_node e = knk_last(k, c);
    store(k, ADD(e, b), (uint8_t[]){U}, false);
    knk_begin_stage(k, 0);
    store(k, ADD(MUL(e, e), x), (uint8_t[]){ANY}, false);
    check_all(finish(k), 100);
}

/* In place: what a turn stores is where it has loaded from. */
static void a_loop_in_place(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    int buffer = knk_add_buffer(k, KN_ID_F32, true);
    knk_loop_begin(k);
    int map = knk_add_loop_map(k, (uint8_t[]){U, ANY});
    knk_node a = knk_carry(k, F32(0)), xt = knk_load(k, buffer, map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_next(k, a, ADD(xt, a));
    knk_store(k, buffer, map, SUB(xt, MUL(a, F32(0.5))));
    knk_loop_end(k);
    check_all(finish(k), 100);
}

/* A carry that does not change lives in a register, and is put into the frame for the sake of a loop inside: also where
 * there is no turn. */
static void a_carry_that_stays_as_it_is(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, ADD(x, F32(1)));
    knk_loop_begin(k);
    store(k, load(k, KN_ID_F32, (uint8_t[]){U, ANY, ANY}, true), (uint8_t[]){U, ANY, ANY}, true);
    knk_loop_end(k);
    knk_next(k, a, a);
    knk_loop_end(k);
    store(k, MUL(knk_last(k, a), x), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* The condition is asked while registers of bools go back to where turns begin, and is still to be read. */
static void masks_that_change_places_at_a_condition(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x[5], p[4];
    for (int i = 0; i < 5; i++)
        x[i] = load(k, KN_ID_I32, (uint8_t[]){U}, false);
    for (int i = 0; i < 4; i++)
        p[i] = LT(x[i], x[i + 1]);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x[0]), n = knk_carry(k, I32(0)), q = knk_carry(k, p[0]), r = knk_carry(k, p[1]);
    knk_node any = NOT(AND(q, p[2]));
    for (int i = 0; i < 2; i++) { /* inside, others have the registers */
        knk_loop_begin(k);
        knk_node b = knk_carry(k, i ? p[3] : r), c = knk_carry(k, i ? a : x[1]), d = knk_carry(k, any);
        knk_next(k, b, XOR(d, LT(c, x[2])));
        knk_next(k, c, SELECT(b, ADD(c, x[3]), SUB(x[4], c)));
        knk_next(k, d, b);
        knk_loop_end(k);
        any = OR(any, OR(knk_last(k, b), AND(knk_last(k, d), LT(knk_last(k, c), a))));
    }
    knk_while(k, any);
    knk_next(k, a, SELECT(p[2], ADD(a, x[1]), SELECT(any, XOR(a, x[2]), n)));
    knk_next(k, n, ADD(n, SELECT(p[3], I32(1), x[3])));
    knk_next(k, q, r);
    knk_next(k, r, XOR(q, p[1]));
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    store(k, knk_last(k, q), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Without memory the lowering says so, whichever piece it was. */
static void without_memory(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x);
    store(k, load(k, KN_ID_F32, (uint8_t[]){U, ANY}, true), (uint8_t[]){U, ANY}, true);
    knk_loop_begin(k);
    knk_node b = knk_carry(k, a), c = knk_carry(k, x);
    knk_while(k, NE(knk_index(k, knk_add_loop_map(k, (uint8_t[]){Z, Z, U})), CAST(I64, x)));
    knk_next(k, b, c);
    knk_next(k, c, COLD(LT(b, c), knk_exp(k, b), x));
    knk_loop_end(k);
    knk_next(k, a, knk_last(k, b));
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    knk_kernel *kernel = finish(k);
    uint8_t cls[] = {U, U, U, U, Z};
    int64_t live = knx_alloc_live();
    bool fine = false;
    for (int n = 0; n < 1000 && !fine; n++) {
        knh_asm assembler;
        knh_asm_init(&assembler);
        knx_fail_after(n, true);
        knx_error *e = knh_lower(&(knh_request){.kernel = kernel, .cls = cls}, KNH_AVX512, &assembler, NULL);
        knx_fail_after(-1, false);
        fine = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
        knh_asm_free(&assembler);
    }
    assert_true(fine);
    assert_int_equal(knx_alloc_live(), live);
    knk_release(kernel);
}

KN_TEST_GROUP(test_codegen_loops)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibonacci_by_hand),
        cmocka_unit_test(steps_by_hand),
        cmocka_unit_test(long_turns),
        cmocka_unit_test(running_sums),
        cmocka_unit_test(the_last_value_of_a_carry),
        cmocka_unit_test(carries_go_round),
        cmocka_unit_test(many_carries_read_each_other),
        cmocka_unit_test(points_are_done_at_different_times),
        cmocka_unit_test(a_condition_that_comes_true_again),
        cmocka_unit_test(numbers_of_turns_and_lanes_as_32_bits),
        cmocka_unit_test(loops_in_loops),
        cmocka_unit_test(deep_loops),
        cmocka_unit_test(conditions_in_conditions),
        cmocka_unit_test(cold_sides_in_loops),
        cmocka_unit_test(calls_in_loops),
        cmocka_unit_test(every_dtype),
        cmocka_unit_test(tables_in_loops),
        cmocka_unit_test(values_go_on_behind_loops),
        cmocka_unit_test(a_loop_in_place),
        cmocka_unit_test(a_carry_that_stays_as_it_is),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(masks_that_change_places_at_a_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
