/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_loop_values.c -- kernels with loops against plain loops in C, point by point, by every form of the
 * interpreter. All arithmetic here is in the same operations, so results are equal to the bit. */
#include "base/half.h"
#include "kernel/expr.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/scratch.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, ANY = KNK_STRIDE_ANY, MOST = 3000, MAPS = 8, DIMS = 6 };

/* A kernel of one stage over n_par parallel loops, and a launch of it. */
typedef struct bench {
    knk_builder *k;
    int n_par, n_map, n_loop;
    void *buffer[8];
    int64_t stride[MAPS][DIMS], offset[MAPS], par[2], loop[8];
} bench;

static bench bench_of(int n_par, int64_t p0, int64_t p1)
{
    bench b = {.k = knk_new(n_par), .n_par = n_par, .par = {p0, p1}};
    knk_begin_stage(b.k, 0);
    return b;
}

static int buffer(bench *b, knx_dtype_id d, void *at, bool written)
{
    int i = knk_add_buffer(b->k, d, written);
    b->buffer[i] = at;
    return i;
}

/* Strides of the parallel loops, then of the loops that have begun. */
static int map(bench *b, int64_t offset, const int64_t *stride)
{
    uint8_t cls[DIMS];
    int m = b->n_map++, n = b->n_par + b->n_loop;
    for (int d = 0; d < n; d++) {
        b->stride[m][d] = stride[d];
        cls[d] = stride[d] == 0 ? Z : stride[d] == 1 ? U : ANY;
    }
    b->offset[m] = offset;
    return knk_add_loop_map(b->k, cls);
}

static void loop(bench *b, int64_t turns) { b->loop[b->n_loop++] = turns, knk_loop_begin(b->k); }
static knk_node load(bench *b, int at, int m) { return knk_load(b->k, at, m, KNK_NONE, KNK_NONE, KNK_NONE); }

/* Finishes the kernel; runs it in every form, after `reset` has set what it writes, and has it checked by `check`. */
static void run(bench *b, void (*reset)(void), void (*check)(void))
{
    knk_kernel *k = NULL;
    knx_error *e = knk_finish(b->k, &k);
    if (e)
        fail_msg("%s", e->message);
    assert_int_equal(k->stage[0].n_loop, b->n_loop); /* else numbers have changed */
    knk_map_values values[MAPS];
    for (int m = 0; m < b->n_map; m++)
        values[m] = (knk_map_values){b->offset[m], b->stride[m]};
    const int64_t *inner[] = {b->loop};
    knk_launch l = {b->buffer, values, b->par, inner};
    void *scratch = aligned_alloc(64, (interpreter_scratch(k) + 127) & ~(size_t)63);
    reset();
    knk_interpret_with(k, &l, scratch, KNK_LANES_AUTO);
    check();
    free(scratch);
    knk_release(k);
}

static float in[MOST], out[MOST], want[MOST];
static double in64[MOST], out64[MOST];
static int32_t in32[MOST], out32[MOST];

static void clear(void)
{
    for (int i = 0; i < MOST; i++) {
        out[i] = -99;
        out64[i] = -99;
        out32[i] = -99;
    }
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        in[i] = (float)(i % 97) * 0.75f + 0.25f;
        in64[i] = (double)(i % 89) * 0.37 - 10;
        in32[i] = i * 7919 % 1000;
    }
    clear();
}

/* Newton's iteration: the lanes of a block take between 1 and 12 turns. */
static float root(float x)
{
    float y = x;
    while (fabsf(y * y - x) > 1e-4f * x)
        y = 0.5f * (y + x / y);
    return y;
}

static int points;
static void check_roots(void)
{
    for (int i = 0; i < points; i++)
        assert_true(out[i] == root(in[i]));
    assert_true(out[points] == -99);
}

static void roots(int n_par, int n)
{
    fill();
    points = n;
    bench b = bench_of(n_par, n, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F32, in, false), to = buffer(&b, KN_ID_F32, out, true);
    int m = map(&b, 0, (int64_t[]){1});
    knk_node x = load(&b, from, m);
    loop(&b, KNK_NO_LIMIT);
    knk_node y = knk_carry(k, x);
    knk_while(k, LT(MUL(F32(1e-4f), x), ABS(SUB(MUL(y, y), x))));
    knk_next(k, y, MUL(F32(0.5), ADD(y, DIV(x, y))));
    knk_loop_end(k);
    knk_store(k, to, m, knk_last(k, y));
    run(&b, clear, check_roots);
}

static void lanes_end_a_while_on_their_own(void **state)
{
    (void)state;
    roots(1, 2500);
    roots(1, 1);
    roots(1, 0);
}

static void a_loop_runs_without_parallel_extents(void **state)
{
    (void)state;
    roots(0, 1);
}

/* Lorenz: three carries, each of which the others read before it changes. */
static void check_lorenz(void)
{
    for (int i = 0; i < points; i++) {
        double x = in64[i], y = 1, z = in64[i] + 20;
        for (int t = 0; t < 300; t++) {
            double dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - z * 2.5;
            x = x + dx * 0.005;
            y = y + dy * 0.005;
            z = z + dz * 0.005;
        }
        assert_true(out64[i * 3] == x && out64[i * 3 + 1] == y && out64[i * 3 + 2] == z);
    }
}

static void carries_change_at_once(void **state)
{
    (void)state;
    fill();
    points = 900;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F64, in64, false), to = buffer(&b, KN_ID_F64, out64, true);
    int m = map(&b, 0, (int64_t[]){1}), part[3];
    for (int i = 0; i < 3; i++)
        part[i] = map(&b, i, (int64_t[]){3});
    knk_node x0 = load(&b, from, m);
    loop(&b, 300);
    knk_node x = knk_carry(k, x0), y = knk_carry(k, F64(1)), z = knk_carry(k, ADD(x0, F64(20)));
    knk_node dx = MUL(F64(10), SUB(y, x)), dy = SUB(MUL(x, SUB(F64(28), z)), y), dz = SUB(MUL(x, y), MUL(z, F64(2.5)));
    knk_next(k, x, ADD(x, MUL(dx, F64(0.005))));
    knk_next(k, y, ADD(y, MUL(dy, F64(0.005))));
    knk_next(k, z, ADD(z, MUL(dz, F64(0.005))));
    knk_loop_end(k);
    knk_store(k, to, part[0], knk_last(k, x));
    knk_store(k, to, part[1], knk_last(k, y));
    knk_store(k, to, part[2], knk_last(k, z));
    run(&b, clear, check_lorenz);
}

/* a, b, c = b, c, a: values of carries that are carries. */
static int64_t turns;
static void check_rotation(void)
{
    for (int i = 0; i < points; i++) {
        int32_t v[3] = {in32[i], 7, i};
        for (int64_t t = 0; t < turns; t++) {
            int32_t a = v[0];
            v[0] = v[1];
            v[1] = v[2];
            v[2] = a;
        }
        assert_int_equal(out32[i], v[0] * 100 + v[2]);
    }
}

static void carries_may_change_places(void **state)
{
    (void)state;
    for (turns = 0; turns < 5; turns++) {
        fill();
        points = 40;
        bench b = bench_of(1, points, 0);
        knk_builder *k = b.k;
        int from = buffer(&b, KN_ID_I32, in32, false), to = buffer(&b, KN_ID_I32, out32, true);
        int m = map(&b, 0, (int64_t[]){1});
        loop(&b, turns);
        knk_node x = knk_carry(k, load(&b, from, m)), y = knk_carry(k, I32(7)),
                 z = knk_carry(k, CAST(I32, knk_index(k, m)));
        knk_next(k, x, y);
        knk_next(k, y, z);
        knk_next(k, z, x);
        knk_loop_end(k);
        knk_store(k, to, m, ADD(MUL(knk_last(k, x), I32(100)), knk_last(k, z)));
        run(&b, clear, check_rotation);
    }
}

/* y[t] = x[0] + ... + x[t] for rows of 30, from front to back or back to front. */
static void check_sums(void)
{
    for (int i = 0; i < points; i++) {
        float s = 0;
        for (int j = 0; j < 30; j++) {
            int t = turns ? 29 - j : j;
            s += in[i * 30 + t];
            assert_true(out[i * 30 + t] == s);
        }
    }
    assert_true(out[points * 30] == -99);
}

static void sums_in_place(void)
{
    memcpy(out, in, sizeof out);
    memcpy(out + points * 30, (float[]){-99}, sizeof *out);
}

static void prefix_sums(bool back, bool in_place)
{
    fill();
    turns = back;
    points = 90;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F32, in_place ? out : in, false), to = buffer(&b, KN_ID_F32, out, true);
    loop(&b, 30);
    int m = map(&b, back ? 29 : 0, (int64_t[]){30, back ? -1 : 1});
    knk_node s = knk_carry(k, F32(0)), next = ADD(s, load(&b, from, m));
    knk_store(k, to, m, next);
    knk_next(k, s, next);
    knk_loop_end(k);
    run(&b, in_place ? sums_in_place : clear, check_sums);
}

static void a_turn_loads_and_stores(void **state)
{
    (void)state;
    prefix_sums(false, false);
    prefix_sums(true, false);
    prefix_sums(false, true);
    prefix_sums(true, true);
}

/* A value that is loaded in one turn and stored over its own place is a carry's next value all the same. */
static void check_shift(void)
{
    for (int i = 0; i < 50; i++)
        for (int t = 0; t < 20; t++)
            assert_true(out[t * 50 + i] == (t ? in[(t - 1) * 50 + i] : 0.5f));
}
static void shift_data(void) { memcpy(out, in, sizeof out); }

static void a_load_keeps_its_value_after_a_store(void **state)
{
    (void)state;
    fill();
    bench b = bench_of(1, 50, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F32, out, false), to = buffer(&b, KN_ID_F32, out, true);
    loop(&b, 20);
    int m = map(&b, 0, (int64_t[]){1, 50});
    knk_node before = knk_carry(k, F32(0.5));
    knk_store(k, to, m, before);
    knk_next(k, before, load(&b, from, m));
    knk_loop_end(k);
    run(&b, shift_data, check_shift);
}

/* sum over t of (sum over u < 7 of x[i, t, u]) * t */
static void check_nested(void)
{
    for (int i = 0; i < points; i++) {
        float s = 1;
        for (int t = 0; t < 4; t++) {
            float inner = s;
            for (int u = 0; u < 7; u++)
                inner = inner * 0.5f + in[i * 28 + t * 7 + u];
            s = s + inner * (float)t;
        }
        assert_true(out[i] == s);
    }
}

static void loops_lie_in_loops(void **state)
{
    (void)state;
    fill();
    points = 100;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F32, in, false), to = buffer(&b, KN_ID_F32, out, true);
    int m = map(&b, 0, (int64_t[]){1});
    loop(&b, 4);
    int turn = map(&b, 0, (int64_t[]){0, 1});
    knk_node s = knk_carry(k, F32(1));
    loop(&b, 7);
    int at = map(&b, 0, (int64_t[]){28, 7, 1});
    knk_node v = knk_carry(k, s);
    knk_next(k, v, ADD(MUL(v, F32(0.5)), load(&b, from, at)));
    knk_loop_end(k);
    knk_next(k, s, ADD(s, MUL(knk_last(k, v), CAST(F32, knk_index(k, turn)))));
    knk_loop_end(k);
    knk_store(k, to, m, knk_last(k, s));
    run(&b, clear, check_nested);
}

/* In each of 6 turns: y[i, t] = how often x[i] + t can be halved or tripled until it is 1. */
static int collatz(int x)
{
    int n = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        n++;
    }
    return n;
}

static void check_collatz(void)
{
    for (int i = 0; i < points; i++)
        for (int t = 0; t < 6; t++)
            assert_int_equal(out32[t * points + i], collatz(in32[i] + t + 1));
}

static void a_while_in_a_counted_loop_stores(void **state)
{
    (void)state;
    fill();
    points = 333;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_I32, in32, false), to = buffer(&b, KN_ID_I32, out32, true);
    int m = map(&b, 0, (int64_t[]){1});
    knk_node x = load(&b, from, m);
    loop(&b, 6);
    int turn = map(&b, 1, (int64_t[]){0, 1}), y = map(&b, 0, (int64_t[]){1, points});
    knk_node start = ADD(x, CAST(I32, knk_index(k, turn)));
    loop(&b, KNK_NO_LIMIT);
    knk_node v = knk_carry(k, start), n = knk_carry(k, I32(0));
    knk_while(k, NE(v, I32(1)));
    knk_next(k, v, SELECT(EQ(AND(v, I32(1)), I32(1)), ADD(MUL(v, I32(3)), I32(1)), SHR(v, I32(1))));
    knk_next(k, n, ADD(n, I32(1)));
    knk_loop_end(k);
    knk_store(k, to, y, knk_last(k, n));
    knk_loop_end(k);
    run(&b, clear, check_collatz);
}

/* A counted loop, and a while, in a while that also has a bound. */
static void check_while_in_while(void)
{
    for (int i = 0; i < points; i++) {
        int32_t x = in32[i], rounds = 0;
        for (int t = 0; t < 9 && x > 10; t++) {
            for (int u = 0; u < 3; u++)
                x = x - rounds - u;
            int32_t y = x;
            while (y > 50)
                y = y - 37;
            x = x / 2 + (y & 3);
            rounds++;
        }
        assert_int_equal(out32[i], x * 100 + rounds);
    }
}

static void loops_lie_in_a_while(void **state)
{
    (void)state;
    fill();
    points = 1500;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_I32, in32, false), to = buffer(&b, KN_ID_I32, out32, true);
    int m = map(&b, 0, (int64_t[]){1});
    knk_node x0 = load(&b, from, m);
    loop(&b, 9);
    knk_node x = knk_carry(k, x0), rounds = knk_carry(k, I32(0));
    knk_while(k, LT(I32(10), x));
    loop(&b, 3);
    int turn = map(&b, 0, (int64_t[]){0, 0, 1});
    knk_node z = knk_carry(k, x);
    knk_next(k, z, SUB(SUB(z, rounds), CAST(I32, knk_index(k, turn))));
    knk_loop_end(k);
    knk_node x1 = knk_last(k, z);
    loop(&b, KNK_NO_LIMIT);
    knk_node y = knk_carry(k, x1);
    knk_while(k, LT(I32(50), y));
    knk_next(k, y, SUB(y, I32(37)));
    knk_loop_end(k);
    knk_next(k, x, ADD(DIV(x1, I32(2)), AND(knk_last(k, y), I32(3))));
    knk_next(k, rounds, ADD(rounds, I32(1)));
    knk_loop_end(k);
    knk_store(k, to, m, ADD(MUL(knk_last(k, x), I32(100)), knk_last(k, rounds)));
    run(&b, clear, check_while_in_while);
}

/* Two loops, one after the other, whose values live side by side; the second uses what the first left. */
static void check_sequence(void)
{
    for (int i = 0; i < points; i++) {
        double a = in64[i], c = in64[i] * 3;
        for (int t = 0; t < 5; t++)
            a = a * 1.5 + c;
        double d = 0;
        for (int t = 0; t < 6; t++)
            d = d + a * c;
        assert_true(out64[i] == d - a + c);
    }
}

static void values_live_across_loops(void **state)
{
    (void)state;
    fill();
    points = 1100;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F64, in64, false), to = buffer(&b, KN_ID_F64, out64, true);
    int m = map(&b, 0, (int64_t[]){1});
    knk_node x = load(&b, from, m), c = MUL(x, F64(3));
    loop(&b, 5);
    knk_node a = knk_carry(k, x);
    knk_next(k, a, ADD(MUL(a, F64(1.5)), c));
    knk_loop_end(k);
    knk_node left = knk_last(k, a);
    loop(&b, 6);
    knk_node d = knk_carry(k, F64(0));
    knk_next(k, d, ADD(d, MUL(left, c)));
    knk_loop_end(k);
    knk_store(k, to, m, ADD(SUB(knk_last(k, d), left), c));
    run(&b, clear, check_sequence);
}

/* sin of arguments of every size: its cold side, in a loop, and for one lane only in some turns. */
static int cold_turns;
static knk_kernel *sine;
static void sin_of(const float *x, float *y, int n)
{
    knk_launch l = {(void *[]){(void *)(uintptr_t)x, y}, &(knk_map_values){0, (int64_t[]){1}}, (int64_t[]){n},
                    (const int64_t *[]){NULL}};
    void *scratch = aligned_alloc(64, (interpreter_scratch(sine) + 127) & ~(size_t)63);
    knk_interpret(sine, &l, scratch);
    free(scratch);
}

static void check_sines(void)
{
    memcpy(want, in, sizeof want);
    for (int t = 0; t < cold_turns; t++) {
        sin_of(want, want, points);
        for (int i = 0; i < points; i++)
            want[i] = want[i] * (i % 3 ? 1.0f : 3e7f);
    }
    assert_memory_equal(out, want, (size_t)points * sizeof *out);
}

static void a_loop_has_cold_sides(void **state)
{
    (void)state;
    fill();
    points = 200;
    cold_turns = 7;
    bench s = bench_of(1, 1, 0);
    int f = buffer(&s, KN_ID_F32, NULL, false), g = buffer(&s, KN_ID_F32, NULL, true), one = map(&s, 0, (int64_t[]){1});
    knk_store(s.k, g, one, knk_sin(s.k, load(&s, f, one)));
    assert_null(knk_finish(s.k, &sine));
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F32, in, false), to = buffer(&b, KN_ID_F32, out, true);
    int m = map(&b, 0, (int64_t[]){1});
    knk_node by = SELECT(EQ(knk_binary(k, KNK_REM, knk_index(k, m), I64(3)), I64(0)), F32(3e7f), F32(1));
    knk_node x = load(&b, from, m);
    loop(&b, cold_turns);
    knk_node y = knk_carry(k, x);
    knk_next(k, y, MUL(knk_sin(k, y), by));
    knk_loop_end(k);
    knk_store(k, to, m, knk_last(k, y));
    run(&b, clear, check_sines);
    knk_release(sine);
}

/* f16 in memory, f32 carry rounded to f16 in each turn; a bool carry; reversed lanes in two parallel loops. */
static uint16_t in16[MOST], out16[MOST];
static uint8_t flags[MOST];
static void clear16(void)
{
    memset(out16, 0, sizeof out16);
    memset(flags, 9, sizeof flags);
}

static void check_halves(void)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 11; j++) {
            float s = 0;
            uint8_t any = 0;
            for (int t = 0; t < 5; t++) {
                float x = knx_f16_to_f32(in16[400 - i * 50 - j * 2 + t * 77]);
                s = knx_f16_to_f32(knx_f32_to_f16(s * 0.75f + x));
                any = any | (s > 9);
            }
            assert_int_equal(out16[i * 11 + j], knx_f32_to_f16(s));
            assert_int_equal(flags[i * 11 + j], any);
        }
}

static void halves_and_bools_in_loops(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; i++)
        in16[i] = knx_f32_to_f16((float)(i % 23) * 0.3f);
    bench b = bench_of(2, 7, 11);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_F16, in16, false), to = buffer(&b, KN_ID_F16, out16, true),
        to2 = buffer(&b, KN_ID_BOOL, flags, true);
    int m = map(&b, 0, (int64_t[]){11, 1});
    loop(&b, 5);
    int at = map(&b, 400, (int64_t[]){-50, -2, 77});
    knk_node s = knk_carry(k, F32(0)), any = knk_carry(k, knk_const_int(k, KN_ID_BOOL, 0));
    knk_node next = CAST(F32, CAST(F16, ADD(MUL(s, F32(0.75)), CAST(F32, load(&b, from, at)))));
    knk_next(k, s, next);
    knk_next(k, any, OR(any, LT(F32(9), next)));
    knk_loop_end(k);
    knk_store(k, to, m, CAST(F16, knk_last(k, s)));
    knk_store(k, to2, m, knk_last(k, any));
    run(&b, clear16, check_halves);
}

/* The next element to visit stands in the one before: loads with an index in a while. */
static void check_walk(void)
{
    for (int i = 0; i < points; i++) {
        int32_t at = in32[i], steps = 0;
        while (at > 5 && steps < 300) {
            at = in32[at] / 2;
            steps++;
        }
        assert_int_equal(out32[i], at * 1000 + steps);
    }
}

static void a_while_loads_by_index(void **state)
{
    (void)state;
    fill();
    points = 500;
    bench b = bench_of(1, points, 0);
    knk_builder *k = b.k;
    int from = buffer(&b, KN_ID_I32, in32, false), to = buffer(&b, KN_ID_I32, out32, true);
    int m = map(&b, 0, (int64_t[]){1}), start = map(&b, 0, (int64_t[]){0});
    knk_node first = load(&b, from, m);
    loop(&b, 300);
    knk_node at = knk_carry(k, first), steps = knk_carry(k, I32(0));
    knk_while(k, LT(I32(5), at));
    knk_next(k, at, DIV(knk_load(k, from, start, CAST(I64, at), KNK_NONE, KNK_NONE), I32(2)));
    knk_next(k, steps, ADD(steps, I32(1)));
    knk_loop_end(k);
    knk_store(k, to, m, ADD(MUL(knk_last(k, at), I32(1000)), knk_last(k, steps)));
    run(&b, clear, check_walk);
}

KN_TEST_GROUP(test_kernel_loop_values)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_end_a_while_on_their_own),
        cmocka_unit_test(a_loop_runs_without_parallel_extents),
        cmocka_unit_test(carries_change_at_once),
        cmocka_unit_test(carries_may_change_places),
        cmocka_unit_test(a_turn_loads_and_stores),
        cmocka_unit_test(a_load_keeps_its_value_after_a_store),
        cmocka_unit_test(loops_lie_in_loops),
        cmocka_unit_test(a_while_in_a_counted_loop_stores),
        cmocka_unit_test(loops_lie_in_a_while),
        cmocka_unit_test(values_live_across_loops),
        cmocka_unit_test(a_loop_has_cold_sides),
        cmocka_unit_test(halves_and_bools_in_loops),
        cmocka_unit_test(a_while_loads_by_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
