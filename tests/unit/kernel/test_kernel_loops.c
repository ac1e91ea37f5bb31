/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_loops.c -- loops in kernels: how they are built, what is legal, their order, their text. */
#include "kernel/expr.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/kernel_scene.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, ANY = KNK_STRIDE_ANY };

static knk_kernel *finish(scene *s)
{
    knk_kernel *k = NULL;
    knx_error *e = knk_finish(s->k, &k);
    if (e)
        print_error("%s\n", e->message);
    assert_null(e);
    return k;
}

static void expect_text(const knk_kernel *k, const char *want)
{
    char *text;
    assert_null(knk_text(k, &text));
    assert_string_equal(text, want);
    knx_free(text);
}

/* The text of a kernel gives the same kernel and the same text. */
static void expect_round_trip(const knk_kernel *k)
{
    char *text;
    knk_kernel *again;
    assert_null(knk_text(k, &text));
    assert_null(knk_parse(text, &again));
    assert_int_equal(again->key_bytes, k->key_bytes);
    assert_memory_equal(again->key, k->key, k->key_bytes);
    expect_text(again, text);
    knx_free(text);
    knk_release(again);
}

static void fails_with(scene *s, const char *want)
{
    knk_kernel *k;
    knx_error *e = knk_finish(s->k, &k);
    assert_non_null(e);
    assert_null(k);
    if (!strstr(e->message, want))
        print_error("%s\n", e->message);
    assert_non_null(strstr(e->message, want));
    knx_error_release(e);
}

/* Newton's iteration for the square root. */
static knk_kernel *newton(void)
{
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_node y = knk_carry(k, s.x);
    knk_node next = MUL(F32(0.5), ADD(y, DIV(s.x, y)));
    knk_while(k, LT(F32(1e-6), ABS(SUB(MUL(y, y), s.x))));
    knk_next(k, y, next);
    knk_loop_end(k);
    knk_store(k, s.out, s.map, knk_last(k, y));
    return finish(&s);
}

static void nodes_come_in_the_order_of_a_turn(void **state)
{
    (void)state;
    knk_kernel *k = newton();
    expect_text(k, "kernel 1\n"
                   "buffer 0 f32 read\n"
                   "buffer 1 f32 write\n"
                   "stage 0 inner 0 loops 1\n"
                   "map 0 1 0\n"
                   "  %0 = load f32 b0 m0\n"
                   "  %1 = const f32 0x3f000000\n"
                   "  %2 = const f32 0x358637bd\n"
                   "  loop.0\n"
                   "    %4 = carry.0 f32 %0\n"
                   "    %5 = mul f32 %4 %4\n"
                   "    %6 = sub f32 %5 %0\n"
                   "    %7 = abs f32 %6\n"
                   "    %8 = lt bool %2 %7\n"
                   "    while.0 %8\n"
                   "    %10 = div f32 %0 %4\n"
                   "    %11 = add f32 %4 %10\n"
                   "    %12 = mul f32 %11 %1\n"
                   "    next.0 %4 %12\n"
                   "  end.0\n"
                   "  %15 = last.0 f32 %4\n"
                   "  store b1 m0 %15\n");
    expect_round_trip(k);
    knk_release(k);
}

/* What does not depend on a loop is outside of it, and found again there; constants too. */
static void what_does_not_depend_on_a_loop_is_outside(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_node y = knk_carry(k, s.x);
    knk_loop_begin(k);
    knk_node z = knk_carry(k, y);
    knk_node twice = ADD(y, y), square = MUL(s.x, s.x);
    knk_next(k, z, ADD(z, ADD(twice, ADD(square, F32(3)))));
    knk_loop_end(k);
    knk_next(k, y, knk_last(k, z));
    knk_loop_end(k);
    assert_int_equal(MUL(s.x, s.x), square);
    knk_store(k, s.out, s.map, ADD(knk_last(k, y), square));
    knk_kernel *kernel = finish(&s);
    expect_text(kernel, "kernel 1\n"
                        "buffer 0 f32 read\n"
                        "buffer 1 f32 write\n"
                        "stage 0 inner 0 loops 2\n"
                        "map 0 1 0 0\n"
                        "  %0 = load f32 b0 m0\n"
                        "  %1 = mul f32 %0 %0\n"
                        "  %2 = const f32 0x40400000\n"
                        "  %3 = add f32 %1 %2\n"
                        "  loop.0\n"
                        "    %5 = carry.0 f32 %0\n"
                        "    %6 = add f32 %5 %5\n"
                        "    %7 = add f32 %6 %3\n"
                        "    loop.1\n"
                        "      %9 = carry.1 f32 %5\n"
                        "      %10 = add f32 %9 %7\n"
                        "      next.1 %9 %10\n"
                        "    end.1\n"
                        "    %13 = last.1 f32 %9\n"
                        "    next.0 %5 %13\n"
                        "  end.0\n"
                        "  %16 = last.0 f32 %5\n"
                        "  %17 = add f32 %1 %16\n"
                        "  store b1 m0 %17\n");
    expect_round_trip(kernel);
    knk_release(kernel);
}

/* A load lies in the innermost loop that its map moves with. */
static void loads_lie_where_their_maps_move(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_loop_begin(k);
    int fixed = knk_add_loop_map(k, (uint8_t[]){U, Z, Z}), outer = knk_add_loop_map(k, (uint8_t[]){U, ANY, Z}),
        inner = knk_add_loop_map(k, (uint8_t[]){U, Z, U});
    knk_node a = knk_load(k, s.in, fixed, KNK_NONE, KNK_NONE, KNK_NONE),
             b = knk_load(k, s.in, outer, KNK_NONE, KNK_NONE, KNK_NONE),
             c = knk_load(k, s.in, inner, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(k, s.out, inner, ADD(a, ADD(b, c)));
    knk_loop_end(k);
    knk_loop_end(k);
    knk_kernel *kernel = finish(&s);
    expect_text(kernel, "kernel 1\n"
                        "buffer 0 f32 read\n"
                        "buffer 1 f32 write\n"
                        "stage 0 inner 0 loops 2\n"
                        "map 0 1 0 0\n"
                        "map 1 1 0 0\n"
                        "map 2 1 * 0\n"
                        "map 3 1 0 1\n"
                        "  %0 = load f32 b0 m1\n"
                        "  loop.0\n"
                        "    %2 = load f32 b0 m2\n"
                        "    loop.1\n"
                        "      %4 = load f32 b0 m3\n"
                        "      %5 = add f32 %2 %4\n"
                        "      %6 = add f32 %0 %5\n"
                        "      store b1 m3 %6\n"
                        "    end.1\n"
                        "  end.0\n");
    expect_round_trip(kernel);
    knk_release(kernel);
}

/* Nobody reads c: it goes, with what only it needs; so does a loop that nobody needs, and numbers move up. */
static void dead_carries_and_loops_go(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    assert_int_equal(knk_loop_begin(k), 0);
    knk_node gone = knk_carry(k, s.x);
    knk_while(k, LT(gone, F32(5)));
    knk_next(k, gone, ADD(gone, F32(2)));
    knk_loop_end(k);
    knk_last(k, gone);
    assert_int_equal(knk_loop_begin(k), 1);
    int map = knk_add_loop_map(k, (uint8_t[]){U, Z, U});
    knk_node b = knk_carry(k, s.x), c = knk_carry(k, ABS(s.x));
    knk_node xt = knk_load(k, s.in, map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_next(k, c, MUL(c, b));
    knk_next(k, b, ADD(b, xt));
    knk_loop_end(k);
    knk_store(k, s.out, s.map, knk_last(k, b));
    knk_kernel *kernel = NULL;
    int number[2];
    assert_null(knk_finish_loops(k, number, &kernel));
    assert_int_equal(number[0], -1);
    assert_int_equal(number[1], 0);
    expect_text(kernel, "kernel 1\n"
                        "buffer 0 f32 read\n"
                        "buffer 1 f32 write\n"
                        "stage 0 inner 0 loops 1\n"
                        "map 0 1 0\n"
                        "map 1 1 1\n"
                        "  %0 = load f32 b0 m0\n"
                        "  loop.0\n"
                        "    %2 = carry.0 f32 %0\n"
                        "    %3 = load f32 b0 m1\n"
                        "    %4 = add f32 %2 %3\n"
                        "    next.0 %2 %4\n"
                        "  end.0\n"
                        "  %7 = last.0 f32 %2\n"
                        "  store b1 m0 %7\n");
    expect_round_trip(kernel);
    knk_release(kernel);
}

/* A carry that only another live carry's next value reads is needed. */
static void a_carry_that_another_needs_stays(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_node a = knk_carry(k, s.x), b = knk_carry(k, F32(1));
    knk_next(k, a, b);
    knk_next(k, b, a);
    knk_loop_end(k);
    knk_store(k, s.out, s.map, knk_last(k, a));
    knk_kernel *kernel = finish(&s);
    int carries = 0;
    for (int i = 0; i < kernel->n_node; i++)
        carries += kernel->node[i].op == KNK_CARRY;
    assert_int_equal(carries, 2);
    expect_round_trip(kernel);
    knk_release(kernel);
}

/* A condition that runs a loop itself: that loop and what it needs come before the WHILE. */
static void a_condition_may_run_a_loop(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_node y = knk_carry(k, s.x);
    knk_node step = MUL(y, F32(2)), half = MUL(y, F32(0.5));
    knk_loop_begin(k);
    knk_node z = knk_carry(k, F32(0));
    knk_next(k, z, ADD(z, half));
    knk_loop_end(k);
    knk_while(k, LT(knk_last(k, z), F32(100)));
    knk_next(k, y, step);
    knk_loop_end(k);
    knk_store(k, s.out, s.map, knk_last(k, y));
    knk_kernel *kernel = finish(&s);
    expect_text(kernel, "kernel 1\n"
                        "buffer 0 f32 read\n"
                        "buffer 1 f32 write\n"
                        "stage 0 inner 0 loops 2\n"
                        "map 0 1 0 0\n"
                        "  %0 = load f32 b0 m0\n"
                        "  %1 = const f32 0x40000000\n"
                        "  %2 = const f32 0x3f000000\n"
                        "  %3 = const f32 0x0\n"
                        "  %4 = const f32 0x42c80000\n"
                        "  loop.0\n"
                        "    %6 = carry.0 f32 %0\n"
                        "    %7 = mul f32 %6 %2\n"
                        "    loop.1\n"
                        "      %9 = carry.1 f32 %3\n"
                        "      %10 = add f32 %7 %9\n"
                        "      next.1 %9 %10\n"
                        "    end.1\n"
                        "    %13 = last.1 f32 %9\n"
                        "    %14 = lt bool %13 %4\n"
                        "    while.0 %14\n"
                        "    %16 = mul f32 %6 %1\n"
                        "    next.0 %6 %16\n"
                        "  end.0\n"
                        "  %19 = last.0 f32 %6\n"
                        "  store b1 m0 %19\n");
    expect_round_trip(kernel);
    knk_release(kernel);
}

static void a_loop_counts_in_the_cost(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_loop_begin(k);
    knk_node y = knk_carry(k, s.x);
    knk_next(k, y, ADD(y, s.x));
    knk_loop_end(k);
    knk_store(k, s.out, s.map, knk_last(k, y));
    knk_kernel *kernel = finish(&s);
    assert_true(knk_cost(kernel) == 1 + 32 + 1);
    knk_release(kernel);
}

/* What a builder refuses, with its words. */

typedef struct refusal {
    const char *why;
    void (*build)(scene *s);
} refusal;

static knk_node counted(scene *s) /* an open loop with a carry */
{
    knk_loop_begin(s->k);
    return knk_carry(s->k, s->x);
}

static knk_node step(knk_builder *k, knk_node y)
{
    knk_next(k, y, ADD(y, y));
    return y;
}

static void next_missing(scene *s)
{
    counted(s);
    knk_loop_end(s->k);
}

static void end_missing(scene *s) { step(s->k, counted(s)); }

static void stage_in_loop(scene *s)
{
    counted(s);
    knk_begin_stage(s->k, 0);
}

static void used_outside(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s), z = ADD(y, y);
    knk_next(k, y, z);
    knk_loop_end(k);
    knk_store(k, s->out, s->map, MUL(z, z));
}

static void store_in_while(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s);
    knk_while(k, LT(y, F32(9)));
    knk_store(k, s->out, s->map, y);
    step(k, y);
    knk_loop_end(k);
}

static void load_moves_with_while(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s);
    knk_while(k, LT(y, F32(9)));
    int map = knk_add_loop_map(k, (uint8_t[]){U, U});
    knk_next(k, y, knk_load(k, s->in, map, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_loop_end(k);
    knk_store(k, s->out, s->map, knk_last(k, y));
}

static void load_moves_in_while(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s);
    knk_while(k, LT(y, F32(9)));
    knk_loop_begin(k);
    int map = knk_add_loop_map(k, (uint8_t[]){U, Z, U});
    knk_node z = knk_carry(k, y);
    knk_next(k, z, knk_load(k, s->in, map, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_loop_end(k);
    knk_next(k, y, knk_last(k, z));
    knk_loop_end(k);
    knk_store(k, s->out, s->map, knk_last(k, y));
}

static void wrong_dtype(scene *s)
{
    knk_builder *k = s->k;
    knk_next(k, counted(s), I32(1));
}

static void half_carry(scene *s)
{
    knk_loop_begin(s->k);
    knk_carry(s->k, knk_const(s->k, KN_ID_F16, 0));
}

static void condition_no_bool(scene *s) { knk_while(s->k, counted(s)); }

static void two_conditions(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s);
    knk_while(k, LT(y, F32(9)));
    knk_while(k, LT(y, F32(8)));
}

static void two_next_values(scene *s) { step(s->k, step(s->k, counted(s))); }

static void carry_of_another(scene *s)
{
    knk_node y = counted(s);
    counted(s);
    knk_next(s->k, y, s->x);
}

static void next_of_no_carry(scene *s)
{
    counted(s);
    knk_next(s->k, s->x, s->x);
}

static void last_too_early(scene *s)
{
    knk_node y = step(s->k, counted(s));
    knk_last(s->k, y);
}

static void last_of_no_carry(scene *s) { knk_last(s->k, s->x); }

static void last_outside(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s), z = step(k, counted(s));
    knk_loop_end(k);
    step(k, y);
    knk_loop_end(k);
    knk_last(k, z);
}

static void first_value_inside(scene *s)
{
    knk_builder *k = s->k;
    knk_node y = counted(s);
    knk_carry(k, ADD(y, y));
}

static void no_loop_open(scene *s) { knk_carry(s->k, s->x); }
static void end_too_often(scene *s) { knk_loop_end(s->k); }

static void map_moves_outside(scene *s)
{
    knk_builder *k = s->k;
    step(k, counted(s));
    int map = knk_add_loop_map(k, (uint8_t[]){U, U});
    knk_loop_end(k);
    knk_load(k, s->in, map, KNK_NONE, KNK_NONE, KNK_NONE);
}

static void loop_with_inner(scene *s)
{
    knk_begin_stage(s->k, 1);
    knk_loop_begin(s->k);
}

static void too_many(scene *s)
{
    for (int i = 0; i < KNK_MAX_LOOPS; i++) {
        step(s->k, counted(s));
        knk_loop_end(s->k);
    }
}

static void too_deep(scene *s)
{
    for (int i = 0; i <= KNK_MAX_NESTED; i++)
        counted(s);
}

static const refusal refused[] = {
    {"kernel: end: carry %2 of loop 0 has no next value", next_missing},
    {"kernel: loop 0 has no end", end_missing},
    {"kernel: stage 1 begins in a loop", stage_in_loop},
    {"kernel: mul: an operand lies in a loop that has ended", used_outside},
    {"(store): a store in a loop with a condition", store_in_while},
    {"(load): its map moves with a loop that has a condition, or lies in one", load_moves_with_while},
    {"(load): its map moves with a loop that has a condition, or lies in one", load_moves_in_while},
    {"kernel: next: the operands must have the same dtype", wrong_dtype},
    {"kernel: carry: the operation is not defined for this dtype", half_carry},
    {"kernel: while: the operation is not defined for this dtype", condition_no_bool},
    {"kernel: while: the loop has a condition already", two_conditions},
    {"kernel: next: the carry has a next value already", two_next_values},
    {"kernel: next: the carry belongs to another loop", carry_of_another},
    {"kernel: next: the first operand must be a carry", next_of_no_carry},
    {"kernel: last: the loop of the carry has not ended", last_too_early},
    {"kernel: last: the operand must be a carry", last_of_no_carry},
    {"kernel: last: an operand lies in a loop that has ended", last_outside},
    {"kernel: carry: the first value lies in the loop", first_value_inside},
    {"kernel: carry: no loop is open", no_loop_open},
    {"kernel: end: no loop is open", end_too_often},
    {"kernel: load: its map moves with a loop that it does not lie in", map_moves_outside},
    {"kernel: loop: a stage with inner extents has no loops", loop_with_inner},
    {"kernel: loop: a stage has at most 64 parallel extents and loops", too_many},
    {"kernel: loop: more than 8 loops in each other", too_deep},
};

static void wrong_loops_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        scene s = begin();
        refused[i].build(&s);
        fails_with(&s, refused[i].why);
    }
}

/* What no builder makes: the verifier looks at Newton's kernel with one node changed. */

static knk_inst plain(knk_op op, knk_node a, knk_node b)
{
    return (knk_inst){
        .op = (uint8_t)op, .dtype = KN_ID_F32, .buffer = KNK_NONE, .map = KNK_NONE, .a = a, .b = b, .c = KNK_NONE};
}

static void the_verifier_knows_what_stands_where(void **state)
{
    (void)state;
    const struct {
        int at;
        knk_inst to;
        const char *why;
    } wrong[] = {
        {5, plain(KNK_CARRY, 4, KNK_NONE), "node %5 (carry): the first value lies in the loop"},
        {5, plain(KNK_CARRY, 0, KNK_NONE), "node %14 (end): a carry of the loop has no next value"},
        {6, plain(KNK_CARRY, 0, KNK_NONE), "node %6 (carry): the carries of a loop come first"},
        {9, plain(KNK_NEXT, 4, 0), "node %10 (div): only the end may follow a next value"},
        {14, plain(KNK_NEXT, 4, 12), "node %14 (next): the carry has a next value already"},
        {13, plain(KNK_NEXT, 5, 12), "node %13 (next): the first operand must be a carry"},
        {13, plain(KNK_ABS, 12, KNK_NONE), "node %14 (end): a carry of the loop has no next value"},
        {13, plain(KNK_LAST, 4, KNK_NONE), "node %13 (last): the loop of the carry has not ended"},
        {14, plain(KNK_ABS, 12, KNK_NONE), "node %14 (abs): only the end may follow a next value"},
        {15, plain(KNK_ABS, 12, KNK_NONE), "node %15 (abs): an operand lies in a loop that has ended"},
        {15, plain(KNK_CARRY, 0, KNK_NONE), "node %15 (carry): no loop is open"},
        {15, plain(KNK_LAST, 12, KNK_NONE), "node %15 (last): the operand must be a carry"},
        {15, plain(KNK_ABS, 14, KNK_NONE), "node %15 (abs): an operand has no value"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        knk_kernel *k = newton();
        ((knk_inst *)(uintptr_t)k->node)[wrong[i].at] = wrong[i].to;
        knx_error *e = knk_verify(k);
        assert_non_null(e);
        if (!strstr(e->message, wrong[i].why))
            print_error("%s\n", e->message);
        assert_non_null(strstr(e->message, wrong[i].why));
        knx_error_release(e);
        knk_release(k);
    }
}

/* Texts that are wrong: a piece of Newton's text is replaced. */
static void wrong_texts_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *piece, *by, *why;
    } wrong[] = {
        {"  loop.0\n", "  loop\n", "line 9: which loop?"},
        {"  loop.0\n", "  loop.x\n", "line 9: a number is missing"},
        {"  loop.0\n", "  loop.64\n", "line 9: there is no such loop"},
        {"  loop.0\n", "  loop.1\n", "kernel: loop: loops must be numbered in order"},
        {"  loop.0\n", "  %3 = loop.0 f32\n", "line 9: there is no such operation"},
        {"%4 = carry.0 f32 %0", "carry.0 %0", "line 10: not a line of a kernel"},
        {"next.0 %4 %12", "next.1 %4 %12", "kernel: next: another loop is open"},
        {"next.0 %4 %12", "next.0 %4", "line 19: an operand is missing"},
        {"loops 1", "loops 2", "line 5: a map needs one class per loop"},
        {"loops 1\nmap 0 1 0", "loops 2\nmap 0 1 0 0", "the stage before has other loops"},
        {"loops 1\nmap 0 1 0", "\nmap 0 1", "the stage before has other loops"},
        {"map 0 1 0", "map 0 1 1", "kernel: load: its map moves with a loop that it does not lie in"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        knk_kernel *k = newton(), *none = NULL;
        char *text, other[1200];
        assert_null(knk_text(k, &text));
        const char *at = strstr(text, wrong[i].piece);
        assert_non_null(at);
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, wrong[i].by, at + strlen(wrong[i].piece));
        knx_error *e = knk_parse(other, &none);
        assert_non_null(e);
        assert_null(none);
        if (!strstr(e->message, wrong[i].why))
            print_error("%s: %s\n", wrong[i].by, e->message);
        assert_non_null(strstr(e->message, wrong[i].why));
        knx_error_release(e);
        knx_free(text);
        knk_release(k);
    }
}

/* Without memory there is an error, and nothing is left behind. */
static void without_memory_loops_are_an_error(void **state)
{
    (void)state;
    int64_t live = knx_alloc_live();
    bool failed = true;
    for (int64_t n = 0; failed; n++) {
        scene s = begin();
        knk_kernel *kernel = NULL;
        knx_fail_after(n, true);
        knk_builder *k = s.k;
        for (int i = 0; i < 20; i++) {
            knk_loop_begin(k);
            knk_node y = knk_carry(k, s.x);
            knk_while(k, LT(y, F32((float)i)));
            knk_next(k, y, ADD(y, F32(1)));
            knk_loop_end(k);
            s.x = knk_last(k, y);
        }
        knk_store(k, s.out, s.map, s.x);
        knx_error *e = knk_finish(k, &kernel);
        knx_fail_after(-1, false);
        failed = e != NULL;
        assert_true(!e || e->kind == KN_ERROR_MEMORY);
        knx_error_release(e);
        if (kernel)
            knk_release(kernel);
    }
    assert_int_equal(knx_alloc_live(), live);
}

KN_TEST_GROUP(test_kernel_loops)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_in_the_order_of_a_turn),
        cmocka_unit_test(what_does_not_depend_on_a_loop_is_outside),
        cmocka_unit_test(loads_lie_where_their_maps_move),
        cmocka_unit_test(dead_carries_and_loops_go),
        cmocka_unit_test(a_carry_that_another_needs_stays),
        cmocka_unit_test(a_condition_may_run_a_loop),
        cmocka_unit_test(a_loop_counts_in_the_cost),
        cmocka_unit_test(wrong_loops_are_refused),
        cmocka_unit_test(the_verifier_knows_what_stands_where),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(without_memory_loops_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
