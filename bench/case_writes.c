/* SPDX-License-Identifier: Apache-2.0
 * case_writes.c -- what is called without a transformation: writes through views whose elements lie apart, a hundred
 * single elements read and written, and functions that look elements up among others. */
#include "inputs.h"

typedef struct {
    kn_scope scope;
    kn_array x, y, z;
} written;

static written *begin(void)
{
    written *s = calloc(1, sizeof *s);
    if (s)
        s->scope = kn_scope_begin();
    return s;
}

static void teardown(void *state)
{
    written *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

/* ---- Strided writes: the larger of each element and a number, so that every time does the same work. */

static void *setup_square(void)
{
    written *s = begin();
    if (s)
        s->x = bench_wave(KN_SHAPE(2048, 2048), 1.7);
    return s;
}

static void *setup_pixels(void)
{
    written *s = begin();
    if (!s)
        return NULL;
    s->x = kn_astype(kn_remainder(kn_arange(0, 1080 * 1920 * 3, 1), 251), KN_U8);
    s->x = kn_reshape(s->x, KN_SHAPE(1080, 1920, 3));
    kn_eval(s->x);
    return s;
}

static void write_part(kn_array x, const char *place, kn_array least)
{
    kn_ufunc_at(kn_ufunc_maximum, x, least, place);
    kn_eval(x);
}

#define WRITE(name, place, least)                            \
    static double run_##name(void *state, int times)         \
    {                                                        \
        double start = bench_now();                          \
        for (int i = 0; i < times; i++) {                    \
            KN_SCOPE;                                        \
            write_part(((written *)state)->x, place, least); \
        }                                                    \
        return bench_now() - start;                          \
    }                                                        \
    static int values_##name(void *state, double *out)       \
    {                                                        \
        KN_SCOPE;                                            \
        write_part(((written *)state)->x, place, least);     \
        return bench_picks(((written *)state)->x, out, 4);   \
    }
WRITE(columns, ":, ::2", kn_like_double(0.25))
WRITE(rows, "::2", kn_like_double(0.25))
WRITE(inside, "1:-1, 1:-1", kn_like_double(0.25))
WRITE(channel, "..., 2", kn_like_int(100))

/* ---- Elements. */

enum { N = 100 };
static void *setup_elements(void)
{
    written *s = begin();
    if (!s)
        return NULL;
    s->x = kn_astype(kn_arange(0, 1000, 1), KN_F64);
    kn_eval(s->x);
    return s;
}

static double sum_of_elements(kn_array x)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        sum += kn_item(kn_at(x, "%", i));
    }
    return sum;
}

static double read_elements(void *state, int times)
{
    volatile double sum = 0;
    double start = bench_now();
    for (int i = 0; i < times; i++)
        sum = sum + sum_of_elements(((written *)state)->x);
    return bench_now() - start;
}

static double write_elements(void *state, int times)
{
    double start = bench_now();
    for (int k = 0; k < times * N; k++) {
        KN_SCOPE;
        kn_set_at(((written *)state)->x, k % N, "%", k % N);
    }
    return bench_now() - start;
}

static int values_elements(void *state, double *out)
{
    out[0] = sum_of_elements(((written *)state)->x);
    return 1;
}

/* ---- Searches. */

static void *setup_searches(void)
{
    enum { MANY = 100000 };
    written *s = begin();
    if (!s)
        return NULL;
    s->x = kn_astype(kn_arange(0, MANY, 1), KN_F64);
    s->y = kn_sin(s->x);
    s->z = kn_remainder(kn_mul(kn_arange(0, MANY, 1), 7919), 1000003);
    kn_eval(s->x), kn_eval(s->y), kn_eval(s->z);
    return s;
}

static kn_array common(const written *s) { return kn_isin(s->z, kn_add(s->z, 1)); }
static kn_array lines(const written *s) { return kn_interp(kn_mul(s->x, 0.7713), s->x, s->y); }
#define SEARCH(name, f)                                \
    static double run_##name(void *state, int times)   \
    {                                                  \
        double start = bench_now();                    \
        for (int i = 0; i < times; i++) {              \
            KN_SCOPE;                                  \
            kn_eval(f(state));                         \
        }                                              \
        return bench_now() - start;                    \
    }                                                  \
    static int values_##name(void *state, double *out) \
    {                                                  \
        KN_SCOPE;                                      \
        return bench_picks(f(state), out, 4);          \
    }
SEARCH(isin, common)
SEARCH(interp, lines)

#define ROW(name, threads, setup, run, values, tolerance) \
#name, "us", threads, ASK_NUMPY, 0, tolerance, setup, run, values, .teardown = teardown, .ratio = 1 / 1.2
const bench_case bench_writes[] = {
    {ROW(write_columns, 1, setup_square, run_columns, values_columns, 0)},
    {ROW(write_rows, 1, setup_square, run_rows, values_rows, 0)},
    {ROW(write_inside, 1, setup_square, run_inside, values_inside, 0)},
    {ROW(write_channel, 1, setup_pixels, run_channel, values_channel, 0)},
    {ROW(read_elements, 1, setup_elements, read_elements, values_elements, 0)},
    {ROW(write_elements, 1, setup_elements, write_elements, values_elements, 0)},
    {ROW(isin, 1, setup_searches, run_isin, values_isin, 0)},
    {ROW(interp, 1, setup_searches, run_interp, values_interp, 1e-12)},
    {0},
};
