/* SPDX-License-Identifier: Apache-2.0
 * case_lengths.c -- lengths that were not there before: eager operations of which each call has another one, memory over
 * 100,000 of them, an LSTM and a transformer block over sequences of 100 lengths. */
#include "bench.h"
#include "inputs.h"
#include <kiln/kiln.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Eager operations. */

enum { LEAST = 100, SPAN = 1000, STEP = 3571, MANY = 100000 };

typedef struct eager {
    kn_array x; /* LEAST + SPAN elements, or MANY */
    int64_t next;
} eager;

static void *setup_eager(void)
{
    eager *s = malloc(sizeof *s);
    if (s)
        *s = (eager){kn_sin(kn_arange(0, LEAST + SPAN, 1, .dtype = KN_F64)), 0};
    return s;
}

/* All of LEAST .. LEAST + SPAN - 1, one after the other in a row without order: so short that what a call costs besides
 * its elements is most of it. */
static int64_t next_length(eager *s) { return LEAST + (s->next++ * STEP) % SPAN; }

#define FIRST_ONES(s) kn_at((s)->x, ":%", next_length(s))
#define EAGER(name, ...)                             \
    static double run_##name(void *state, int times) \
    {                                                \
        eager *s = state;                            \
        double start = bench_now();                  \
        for (int i = 0; i < times; i++) {            \
            KN_SCOPE;                                \
            kn_array y = FIRST_ONES(s);              \
            __VA_ARGS__;                             \
        }                                            \
        return bench_now() - start;                  \
    }
EAGER(slice, kn_eval(y))
EAGER(multiply, kn_eval(kn_mul(y, y)))
EAGER(add, kn_eval(kn_add(y, 1.5)))
EAGER(chain, kn_eval(kn_add(kn_mul(kn_at(y, "1:"), 2.0), 1.5)))
EAGER(concatenate, kn_eval(kn_concatenate(KN_LIST(y, kn_at(y, ":7")))))
EAGER(sum, kn_eval(kn_sum(y)))
EAGER(write, kn_iadd_at(y, 1.0, "1:-1"); kn_eval(s->x)) /* the array that y is a view of; y would be a copy */

static void *setup_many(void)
{
    eager *s = malloc(sizeof *s);
    if (s)
        *s = (eager){kn_sin(kn_arange(0, MANY + 2, 1, .dtype = KN_F64)), 0};
    return s;
}

static void sum_of(eager *s, int64_t n)
{
    KN_SCOPE;
    kn_eval(kn_sum(kn_mul(kn_at(s->x, ":%", n), 2.0)));
}

static double run_many(void *state, int times)
{
    eager *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++)
        sum_of(s, 2 + (s->next++ * STEP) % MANY);
    return bench_now() - start;
}

static void note_many(void *state)
{
    eager *s = state;
    for (int64_t n = 2; n < 1002; n++)
        sum_of(s, n);
    kn_cache_stats_result before = kn_cache_stats();
    for (int64_t i = 0; i < MANY; i++)
        sum_of(s, 2 + (i * STEP) % MANY);
    kn_cache_stats_result after = kn_cache_stats();
    printf("  100,000 lengths: plans %zu and %zu bytes before, %zu and %zu behind; %llu more compiled; arrays %zu "
           "bytes, %zu\n",
           before.plans.entries, before.plans.bytes, after.plans.entries, after.plans.bytes,
           (unsigned long long)(after.plans.misses - before.plans.misses), before.memory_live, after.memory_live);
}

/* ---- Sequences. */

enum { LENGTHS = 100, EACH = 8, WIDTH = 64, HEADS = 4, HIDDEN = 256 };

typedef struct Cell {
    kn_array h, c, w, u, b;
} Cell;
typedef struct CellStep {
    Cell carry;
    kn_array h;
} CellStep;

static CellStep step(const Cell *s, const kn_array *x)
{
    kn_array z = kn_add(kn_add(kn_matmul(*x, s->w), kn_matmul(s->h, s->u)), s->b);
    kn_array c = kn_add(kn_mul(kn_nn_sigmoid(kn_at(z, "64:128")), s->c),
                        kn_mul(kn_nn_sigmoid(kn_at(z, ":64")), kn_tanh(kn_at(z, "128:192"))));
    kn_array h = kn_mul(kn_nn_sigmoid(kn_at(z, "192:")), kn_tanh(c));
    return (CellStep){{h, c, s->w, s->u, s->b}, h};
}
KN_FUNCTION(step, CellStep, Cell, kn_array)

typedef struct Weights {
    kn_array a, b, c, d;
} Weights;

static kn_array lstm(const kn_array *x, const Weights *p)
{
    kn_array zero = kn_zeros(KN_SHAPE(WIDTH), .dtype = KN_F32), all = NULL;
    Cell last = {zero, zero, p->a, p->b, p->c};
    kn_scan(KN_FN(step), KN_OUT(&last, &all), &last, x);
    return kn_matmul(all, p->d);
}
KN_FUNCTION(lstm, kn_array, kn_array, Weights)

static kn_array transformer(const kn_array *x, const Weights *p)
{
    int64_t t = kn_dim(*x, 0);
    kn_array qkv = kn_reshape(kn_matmul(*x, p->a), KN_SHAPE(t, 3, HEADS, WIDTH / HEADS));
    kn_array y =
        kn_nn_dot_product_attention(kn_at(qkv, ":, 0"), kn_at(qkv, ":, 1"), kn_at(qkv, ":, 2"), .is_causal = true);
    kn_array z = kn_add(*x, kn_matmul(kn_reshape(y, KN_SHAPE(t, WIDTH)), p->b));
    return kn_add(z, kn_matmul(kn_nn_gelu(kn_matmul(kn_nn_standardize(z), p->c)), p->d));
}
KN_FUNCTION(transformer, kn_array, kn_array, Weights)

typedef struct sequences {
    kn_scope scope;
    kn_array x[LENGTHS];
    Weights p;
    kn_fn f;
} sequences;

static kn_array wave(int64_t rows, int64_t columns, double frequency, float scale)
{
    kn_array i = kn_mul(kn_arange(0, rows * columns, 1, .dtype = KN_F64), frequency);
    return kn_mul(kn_astype(kn_reshape(kn_sin(i), KN_SHAPE(rows, columns)), KN_F32), scale);
}

static void *setup_sequences(kn_fn f, int wide, int deep)
{
    sequences *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->f = f;
    s->p = (Weights){wave(WIDTH, wide, 0.37, 0.1f), wave(WIDTH, wide == HIDDEN ? wide : WIDTH, 0.73, 0.1f),
                     wide == HIDDEN ? kn_at(wave(1, HIDDEN, 0.11, 0.1f), "0") : wave(WIDTH, deep, 0.11, 0.1f),
                     wave(wide == HIDDEN ? WIDTH : deep, WIDTH, 0.53, 0.1f)};
    for (int i = 0; i < LENGTHS; i++)
        kn_eval(s->x[i] = wave(EACH * (1 + i * 37 % LENGTHS), WIDTH, 1.7, 1));
    return s;
}

static void *setup_lstm(void)
{
    kn_scope scope = kn_scope_begin();
    sequences *s = setup_sequences(kn_jit(KN_FN(lstm), .symbolic = "t 64, 64 256, 64 256, 256, 64 64"), HIDDEN, 0);
    if (s)
        s->scope = scope;
    return s;
}

static void *setup_transformer(void)
{
    kn_scope scope = kn_scope_begin();
    sequences *s = setup_sequences(kn_jit(KN_FN(transformer), .symbolic = "t 64, 64 192, 64 64, 64 256, 256 64"),
                                   3 * WIDTH, HIDDEN);
    if (s)
        s->scope = scope;
    return s;
}

static void teardown_sequences(void *state)
{
    sequences *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

static double call_one(sequences *s, int i)
{
    KN_SCOPE;
    kn_array y = NULL;
    double start = bench_now();
    kn_call(s->f, &y, &s->x[i], &s->p);
    kn_eval(y);
    return bench_now() - start;
}

/* Of a length: all lengths in turn, so often that the programs of the ones before are not kept any more. */
static double run_new(void *state, int times)
{
    double all = 0;
    int rounds = (times + LENGTHS - 1) / LENGTHS;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < LENGTHS; i++)
            all += call_one(state, i);
    return all * times / (rounds * LENGTHS);
}

static double run_known(void *state, int times)
{
    double all = 0;
    int rounds = (times + LENGTHS - 1) / LENGTHS;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < LENGTHS; i++) {
            call_one(state, i);
            all += call_one(state, i);
        }
    return all * times / (rounds * LENGTHS);
}

static int values_sequences(void *state, double *out)
{
    sequences *s = state;
    KN_SCOPE;
    kn_array y = NULL;
    kn_call(s->f, &y, &s->x[3], &s->p);
    out[0] = kn_item(y, 0, 0);
    out[1] = kn_item(y, -1, -1);
    return 2;
}

#define EAGER_ROW(row)                                                                                               \
    {                                                                                                                \
        .name = "new_length_" #row, .unit = "us", .threads = 1, .ask = 1 << PEER_NUMPY | 1 << PEER_JAX_1, .goal = 2, \
        .setup = setup_eager, .run = run_##row, .teardown = free                                                     \
    }
#define SEQUENCES_ROW(row, which)                                                                             \
    .name = #row "_" #which "_length", .unit = "us", .threads = 1, .ask = 1 << PEER_JAX_1, .tolerance = 1e-3, \
    .setup = setup_##row, .run = run_##which, .values = values_sequences, .teardown = teardown_sequences
const bench_case bench_lengths[] = {
    EAGER_ROW(slice),
    EAGER_ROW(multiply),
    EAGER_ROW(add),
    EAGER_ROW(chain),
    EAGER_ROW(concatenate),
    EAGER_ROW(sum),
    EAGER_ROW(write),
    {.name = "lengths_100000",
     .unit = "us",
     .threads = 1,
     .ask = 1 << PEER_NUMPY,
     .setup = setup_many,
     .run = run_many,
     .note = note_many,
     .teardown = free},
    {SEQUENCES_ROW(lstm, known)},
    {SEQUENCES_ROW(lstm, new), .forward = "lstm_known_length", .forward_goal = 1.2},
    {SEQUENCES_ROW(transformer, known)},
    {SEQUENCES_ROW(transformer, new), .forward = "transformer_known_length", .forward_goal = 1.2},
    {.name = NULL}};
