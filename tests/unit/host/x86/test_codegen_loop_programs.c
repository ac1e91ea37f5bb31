/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_loop_programs.c -- random kernels with loops in each other and after each other, as machine code and by
 * the interpreter, against a reference that takes one turn after the other. */
#include "kernel/expr.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/loop_case.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, ANY = KNK_STRIDE_ANY };

#define check  loop_case_check
#define begin  loop_case_begin
#define finish loop_case_finish
#define load   loop_case_load
#define store  loop_case_store

#define below  loop_case_below

/* Random programs: loops in each other and after each other, carries of all dtypes, whatever can be said about them. */
typedef struct maker {
    knk_builder *k;
    knk_node pool[400];
    uint8_t loop[400]; /* 0: outside of loops, else the depth at which the node was made */
    int n, depth, open, stride[8], turns;
    bool tested;
} maker;

static knk_node pick(maker *m, int dtype)
{
    for (int i = 0; i < 30; i++) {
        int at = m->n - 1 - below(i < 15 && m->n > 20 ? 20 : m->n);
        if (knk_dtype(m->k, m->pool[at]) == (knx_dtype_id)dtype)
            return m->pool[at];
    }
    return dtype == KN_ID_BOOL ? knk_const(m->k, KN_ID_BOOL, (uint64_t)below(2))
                               : knk_const_double(m->k, (knx_dtype_id)dtype, below(9) - 4);
}

static void put(maker *m, knk_node x)
{
    if (m->n < 400 && x >= 0)
        m->pool[m->n++] = x;
}

static const uint8_t dtypes[] = {KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_I64,
                                 KN_ID_U8,  KN_ID_I16, KN_ID_U32, KN_ID_BOOL};
static int narrow_only;
static int any_dtype(void)
{
    static const uint8_t narrow[] = {KN_ID_F32, KN_ID_I32, KN_ID_U8, KN_ID_BOOL};
    return narrow_only ? narrow[below(4)] : dtypes[below(8)];
}

static void random_load(maker *m)
{
    uint8_t cls[LOOP_CASE_DIMS] = {(uint8_t)(below(4) ? U : below(2) ? ANY : Z)};
    for (int d = 0; d < m->turns; d++)
        cls[1 + d] = Z;
    for (int d = 0; d < m->depth && !m->tested; d++)
        cls[1 + m->stride[d]] = (uint8_t)(below(3) ? ANY : Z);
    if (below(4)) {
        put(m, load(m->k, any_dtype(), cls, true));
    } else {
        for (int d = 0; d < m->depth; d++)
            cls[1 + m->stride[d]] = (uint8_t)(below(3) ? ANY : Z);
        put(m, knk_index(m->k, knk_add_loop_map(m->k, cls)));
    }
}

static void random_node(maker *m)
{
    static const uint8_t floats[] = {KNK_ADD, KNK_SUB, KNK_MUL, KNK_MIN, KNK_MAX, KNK_DIV},
                         ints[] = {KNK_ADD, KNK_SUB, KNK_MUL, KNK_AND, KNK_OR, KNK_XOR, KNK_MIN, KNK_DIV},
                         tests[] = {KNK_LT, KNK_LE, KNK_EQ, KNK_NE};
    knk_builder *k = m->k;
    int d = any_dtype(), how = below(14);
    bool is_float = knk_is_float_id(d);
    knk_node a = pick(m, d), b = pick(m, d), c = pick(m, d), p = pick(m, KN_ID_BOOL);
    if (d == KN_ID_BOOL && how > 8)
        how = 0;
    if (how < 2 && m->depth)
        random_load(m);
    else if (how < 3)
        put(m, knk_binary(k, (knk_op)tests[below(4)], a, b));
    else if (how < 4)
        put(m, SELECT(p, a, b));
    else if (how < 5)
        put(m, COLD(p, d == KN_ID_BOOL ? AND(a, c) : MUL(ADD(a, c), SUB(b, a)), b));
    else if (how < 6 && is_float)
        put(m, FMA(a, b, c));
    else if (how < 7)
        put(m, knk_cast(k, (knx_dtype_id)any_dtype(), a));
    else if (d == KN_ID_BOOL)
        put(m, knk_binary(k, below(2) ? KNK_AND : KNK_XOR, a, b));
    else if (is_float)
        put(m, knk_binary(k, (knk_op)floats[below(6)], a, b));
    else
        put(m, knk_binary(k, (knk_op)ints[below(below(6) ? 7 : 8)], a, b));
}

static void random_store(maker *m, knk_node x)
{
    uint8_t cls[LOOP_CASE_DIMS] = {(uint8_t)(below(3) ? U : ANY)};
    for (int d = 0; d < m->turns; d++)
        cls[1 + d] = Z;
    for (int d = 0; d < m->depth; d++)
        cls[1 + m->stride[d]] = ANY;
    store(m->k, x, cls, true);
}

static void random_loop(maker *m)
{
    knk_builder *k = m->k;
    knk_node carry[24];
    bool tested = m->tested, asks = !below(3);
    int n = 1 + below(below(4) ? 5 : 24), before = m->n;
    for (int i = 0; i < n; i++)
        carry[i] = pick(m, any_dtype());
    m->stride[m->depth++] = knk_loop_begin(k);
    m->turns++;
    m->tested |= asks;
    for (int i = 0; i < n; i++)
        put(m, carry[i] = knk_carry(k, carry[i]));
    for (int i = 2 + below(30), inner = 0; i > 0; i--) {
        if (!below(25) && m->depth < 3 && inner++ < 2)
            random_loop(m);
        random_node(m);
        if (asks && !below(i)) {
            knk_while(k, pick(m, KN_ID_BOOL));
            asks = false;
        }
        if (!m->tested && !below(10))
            random_store(m, m->pool[m->n - 1]);
    }
    if (asks)
        knk_while(k, pick(m, KN_ID_BOOL));
    for (int i = 0; i < n; i++)
        knk_next(k, carry[i], pick(m, knk_dtype(k, carry[i])));
    knk_loop_end(k);
    m->depth--;
    m->tested = tested;
    m->n = before;
    for (int i = 0; i < n; i++)
        put(m, knk_last(k, carry[i]));
}

/* These found something. */
static const uint64_t found[] = {319326};
enum { FOUND = sizeof found / sizeof *found };

static void random_programs(void **state)
{
    (void)state;
    int programs = getenv("KILN_TEST_LONG") ? 20000 : 400;
    const char *first = getenv("KILN_TEST_SEED");
    for (int i = -FOUND; i < programs; i++) {
        uint64_t seed = i < 0 ? found[-1 - i] : (first ? strtoull(first, NULL, 10) : 1) + (uint64_t)i;
        loop_case_seed(seed * 0x9E3779B97F4A7C15u);
        narrow_only = below(2);
        maker m = {.k = begin(1)};
        for (int j = 0; j < 4; j++)
            put(&m, load(m.k, any_dtype(), (uint8_t[]){(uint8_t)(below(3) ? U : below(2) ? ANY : Z)}, false));
        for (int j = below(8); j > 0; j--)
            random_node(&m);
        for (int j = 1 + below(2); j > 0; j--)
            random_loop(&m);
        for (int j = 0; j < 6; j++)
            random_node(&m);
        for (int j = 0; j < 8; j++)
            random_store(&m, m.pool[m.n - 1 - below(m.n < 12 ? m.n : 12)]);
        knk_kernel *k = finish(m.k);
        int64_t turns = below(5), more = turns ? 3 : 0, par[] = {below(3) ? 1 + below(90) : 1},
                loops[LOOP_CASE_DIMS] = {turns, 2, more, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
        if (k->n_map <= LOOP_CASE_MAPS && k->n_buffer <= LOOP_CASE_BUFFERS && (!k->n_stage || k->stage->n_loop <= 14)) {
            if (first)
                print_message("seed %llu\n", (unsigned long long)seed);
            check(k, par, loops, 1 + below(3));
        }
        knk_release(k);
    }
}

KN_TEST_GROUP(test_codegen_loop_programs)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
