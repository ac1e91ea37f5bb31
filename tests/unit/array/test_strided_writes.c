/* SPDX-License-Identifier: Apache-2.0
 * test_strided_writes.c -- writes through views whose elements lie apart: one kernel that loads, computes and stores
 * where they lie, with the values of NumPy, whose right sides are as if copied first. */
#include "support/expect.h"
#include "support/group.h"
#include "support/view_model.h"
#include <stdlib.h>

/* ---- In place. */

static int steps, copies;
static void hear_step(void *env, const kn_step *step)
{
    (void)env;
    steps += step->kind != KN_STEP_COPY;
}
static void hear_copy(void *env, int level, const char *text)
{
    (void)env, (void)level;
    copies += !strncmp(text, "copy", 4);
}

/* The statement, which writes to x, runs one step and makes no copy. */
#define ONE_STEP(x, statement)                                                     \
    do {                                                                           \
        KN_SCOPE;                                                                  \
        kn_eval(x);                                                                \
        steps = copies = 0;                                                        \
        kn_set_log(hear_copy, NULL), kn_set_debug(1), kn_on_step(hear_step, NULL); \
        statement;                                                                 \
        kn_eval(x);                                                                \
        kn_set_debug(0), kn_set_log(NULL, NULL), kn_on_step(NULL, NULL);           \
        if (steps != 1 || copies)                                                  \
            fail_msg("%s: %d steps, %d copies", #statement, steps, copies);        \
    } while (0)

static void one_kernel_writes_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array u = kn_zeros(KN_SHAPE(5, 7, 3), .dtype = KN_U8), f = kn_zeros(KN_SHAPE(8, 9), .dtype = KN_F32);
    kn_array row = kn_astype(kn_arange(0, 9, 1), KN_F32), flat = kn_zeros(KN_SHAPE(24)),
             m = kn_reshape(flat, KN_SHAPE(4, 6));
    kn_eval(row);
    ONE_STEP(u, kn_iadd(kn_at(u, "..., 2"), 1));
    ONE_STEP(u, kn_set_at(u, 7, "..., 1"));
    ONE_STEP(u, kn_iadd_at(u, 2, ":, ::2"));
    ONE_STEP(f, kn_iadd(kn_at(f, ":, ::2"), 1));
    ONE_STEP(f, kn_set_at(f, 3, ":, 1::2"));
    ONE_STEP(f, kn_imul(kn_at(f, "::2"), 2));
    ONE_STEP(f, kn_iadd(kn_at(f, "1:-1, 1:-1"), 1));
    ONE_STEP(f, kn_iadd_at(f, row, "%:%:2", 1, 6));
    ONE_STEP(f, kn_isub_at(kn_transpose(f), 1, "3:5, ::-2"));
    ONE_STEP(f, kn_iadd(kn_at(f, "::-1, ::3"), kn_at(row, "6:")));
    ONE_STEP(f, kn_ipow_at(f, 3, ":, 3:5"));
    ONE_STEP(f, kn_set_at(f, kn_mul(row, 2), "::3"));
    ONE_STEP(flat, kn_iadd(kn_at(m, ":, ::2"), 1));
    expect_values(kn_at(m, "0"), 1, 0, 1, 0, 1, 0);
    expect_values(kn_at(u, "4, 6"), 2, 9, 3); /* 0 + 2, 7 + 2 and 1 + 2 */
}

/* ---- As if copied first. */

static void what_overlaps_is_read_before(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 8, 1);
    kn_eval(a);
    kn_set_at(a, kn_at(a, ":-1"), "1:");
    expect_values(a, 0, 0, 1, 2, 3, 4, 5, 6);
    kn_iadd(kn_at(a, "::2"), kn_at(a, "1::2"));
    expect_values(a, 0, 0, 3, 2, 7, 4, 11, 6);
    kn_set_at(a, kn_at(a, "::-2"), "::2"); /* from the odd places, the last one first */
    expect_values(a, 6, 0, 4, 2, 2, 4, 0, 6);
    kn_iadd(kn_at(a, "::2"), kn_at(a, "-2::-2"));
    expect_values(a, 6, 0, 6, 2, 6, 4, 6, 6);
    kn_iadd(kn_at(a, "::4"), kn_sum(a)); /* of all elements as they were */
    expect_values(a, 42, 0, 6, 2, 42, 4, 6, 6);
}

static void several_writes_one_after_the_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(4, 4)), before;
    for (int k = 0; k < 4; k++) { /* nobody looks in between */
        kn_iadd(kn_at(a, "%::2, ::2", k % 2), k + 1);
        kn_iadd(kn_at(a, "::2, 1::2"), kn_at(a, "::2, ::2"));
    }
    before = kn_sum(a);
    kn_imul(kn_at(a, "0"), 10);
    /* even rows: 4 in even columns, 1 + 1 + 4 + 4 in odd ones; odd rows: 6 in even columns */
    expect_values(before, 4 * 4 + 4 * 10 + 4 * 6);
    expect_values(kn_at(a, "0"), 40, 100, 40, 100);
}

/* ---- Dtypes. */

static void elements_of_every_dtype(void **state)
{
    (void)state;
    const kn_dtype all[] = {KN_I8,  KN_I16, KN_I32,  KN_I64, KN_U8,  KN_U16, KN_U32,
                            KN_U64, KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int n = 3; n < 70; n += 11) {
            KN_SCOPE;
            kn_array x = kn_astype(kn_arange(0, 3 * n, 1), all[k]);
            kn_eval(x);
            kn_iadd(kn_at(x, "1::3"), 5);
            kn_set_at(x, kn_mul(kn_at(x, "::3"), 0), "::3");
            const double *now = kn_data(kn_astype(kn_real(x), KN_F64), double);
            for (int i = 0; i < 3 * n; i++) {
                double want = i % 3 == 0 ? 0 : i % 3 == 1 ? i + 5 : i;
                if (all[k] == KN_I8 && want > 127) /* as it was when it was made, and the sum */
                    want -= 256;
                if (all[k] == KN_BF16) /* 8 bits */
                    continue;
                assert_true(now[i] == want);
            }
        }
}

static void casts_on_the_way(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array h = kn_zeros(KN_SHAPE(6), .dtype = KN_F16), b = kn_zeros(KN_SHAPE(6), .dtype = KN_BOOL);
    kn_array z = kn_zeros(KN_SHAPE(4), .dtype = KN_C64), i = kn_zeros(KN_SHAPE(6), .dtype = KN_I32);
    kn_array x = kn_of(double, 2049, 0.1, 65504), y = kn_of(double, 0, 0.5, -0.0);
    kn_eval(h), kn_eval(b), kn_eval(z), kn_eval(i), kn_eval(x), kn_eval(y);
    kn_set_at(h, x, "::2");
    expect_values(h, 2048, 0, 0.0999755859375, 0, 65504, 0);
    kn_set_at(b, y, "1::2");
    expect_values(b, 0, 0, 0, 1, 0, 0);
    kn_ior(kn_at(b, "::3"), KN_TRUE);
    expect_values(b, 1, 0, 0, 1, 0, 0);
    kn_set_at(i, kn_mul(x, 0.5), "::-2");
    expect_values(i, 0, 32752, 0, 0, 0, 1024);
    kn_set_at(kn_imag(z), 3, "::2");
    kn_iadd(kn_at(z, "1::2"), kn_like_complex(1, -1));
    expect_values(kn_real(z), 0, 1, 0, 1);
    expect_values(kn_imag(z), 3, -1, 3, -1);
}

/* ---- Random programs: eager and jitted, against plain memory. */

enum { ROWS = 6, COLS = 8, WRITES = 8 };

/* Both to the smaller shape of the two. */
static kn_array same_part(kn_array v, model *m, int64_t rows, int64_t columns)
{
    m->dim[0] = rows, m->dim[1] = columns;
    return kn_at(v, ":%, :%", rows, columns);
}

/* One write to x, and to its elements in memory (NULL: only to x). */
static void write_once(kn_array x, double *memory)
{
    model m, n;
    double old[ROWS * COLS] = {0}, value = (double)draw(100), none[ROWS * COLS] = {0};
    kn_array v = random_view(x, ROWS, COLS, 3, &m), w = random_view(x, ROWS, COLS, 3, &n);
    memory = memory ? memory : none;
    memcpy(old, memory, sizeof old);
    int64_t how = draw(6), rows = m.dim[0] < n.dim[0] ? m.dim[0] : n.dim[0],
            columns = m.dim[1] < n.dim[1] ? m.dim[1] : n.dim[1];
    if (how >= 2) {
        v = same_part(v, &m, rows, columns);
        w = same_part(w, &n, rows, columns);
    }
    switch (how) {
    case 0: kn_set_at(v, value, "..."); break;
    case 1: kn_iadd(v, value); break;
    case 2: kn_set_at(v, w, "..."); break;
    case 3: kn_iadd(v, w); break;
    case 4: kn_set_at(v, kn_sub(kn_mul(w, 2), v), "..."); break;
    case 5: kn_iadd(v, kn_sum(w, .axis = KN_AXIS(0))); break;
    }
    for (int64_t j = 0; j < m.dim[1]; j++)
        for (int64_t i = 0; i < m.dim[0]; i++) {
            double *e = &memory[place(&m, i, j)], was = old[place(&m, i, j)], sum = 0;
            double other = how >= 2 ? old[place(&n, i, j)] : 0;
            for (int64_t k = 0; how == 5 && k < n.dim[0]; k++)
                sum += old[place(&n, k, j)];
            const double now[] = {value, was + value, other, was + other, 2 * other - was, was + sum};
            *e = now[how];
        }
}

static kn_array random_writes(const unsigned *program, const kn_array *x)
{
    kn_array y = kn_copy(*x);
    seed = *program * 7919u;
    for (int k = 0; k < WRITES; k++)
        write_once(y, NULL);
    return y;
}
KN_FUNCTION_ENV(random_writes, kn_array, unsigned, kn_array)

static void random_programs(void **state)
{
    (void)state;
    for (unsigned program = 1; program <= 120; program++) {
        KN_SCOPE;
        double memory[ROWS * COLS];
        kn_array x = kn_reshape(kn_arange(0, ROWS * COLS, 1, .dtype = KN_F64), KN_SHAPE(ROWS, COLS)), y = kn_copy(x), z;
        for (int i = 0; i < ROWS * COLS; i++)
            memory[i] = i;
        kn_eval(y);
        seed = program * 7919u;
        for (int k = 0; k < WRITES; k++) {
            write_once(y, memory);
            if (program % 3 == 0)
                kn_eval(y);
        }
        assert_memory_equal(kn_data(y, double), memory, sizeof memory);
        if (program > 40)
            continue;
        kn_fn f = kn_jit(KN_FN_ENV(random_writes, &program));
        kn_call(f, &z, &x);
        assert_memory_equal(kn_data(z, double), memory, sizeof memory);
    }
}

/* ---- Under transformations. */

static kn_array odd_columns(const kn_array *x)
{
    kn_array y = kn_copy(*x);
    kn_imul(kn_at(y, ":, 1::2"), kn_at(y, ":, ::2"));
    kn_set_at(y, kn_square(kn_at(y, "0, ::3")), "-1, ::-3");
    return kn_sum(kn_mul(y, kn_arange(1, 13, 1.0)));
}
KN_FUNCTION(odd_columns, kn_array, kn_array)

static void derivatives_are_slopes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_reshape(kn_arange(1, 25, 1), KN_SHAPE(2, 12))), g, all, f = odd_columns(&x);
    kn_call(kn_jit(kn_grad(KN_FN(odd_columns))), &g, &x);
    for (int i = 0; i < 24; i++) {
        kn_array up = kn_copy(x), down = kn_copy(x);
        kn_iadd_at(up, 1e-6, "%, %", i / 12, i % 12);
        kn_isub_at(down, 1e-6, "%, %", i / 12, i % 12);
        double slope = (kn_item(odd_columns(&up)) - kn_item(odd_columns(&down))) / 2e-6;
        assert_true(fabs(slope - kn_item(kn_at(g, "%, %", i / 12, i % 12))) < 1e-6 * (1 + fabs(slope)));
    }
    kn_array batch = kn_stack(KN_LIST(x, kn_neg(x)));
    kn_call(kn_vmap(KN_FN(odd_columns)), &all, &batch);
    assert_true(fabs(kn_item(kn_at(all, "0")) - kn_item(f)) < 1e-12);
}

static kn_array waves(const kn_array *m, const kn_array *n)
{
    kn_array y = kn_copy(*m);
    for (int k = 0; k < 3; k++)
        kn_set_at(y, kn_add(kn_mul(kn_at(y, ":, %", k), 2), *n), ":, %", k + 1);
    return y;
}
KN_FUNCTION(waves, kn_array, kn_array, kn_array)

static void columns_one_after_the_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(2, 4)), n = kn_scalar(1.0), y;
    kn_call(kn_jit(KN_FN(waves)), &y, &m, &n);
    expect_values(y, 1, 3, 7, 15, 1, 3, 7, 15);
    expect_values(waves(&m, &n), 1, 3, 7, 15, 1, 3, 7, 15);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_astype(kn_sin(kn_reshape(kn_arange(0, 600 * 701, 1), KN_SHAPE(600, 701))), KN_F32),
             two = kn_copy(one);
    kn_eval(one), kn_eval(two);
    for (int threads = 1; threads < 3; threads++) {
        kn_array x = threads == 1 ? one : two;
        int before = kn_set_threads(threads);
        kn_imul(kn_at(x, ":, 1::2"), kn_at(x, ":, :-1:2"));
        kn_iadd(kn_at(x, "::3, ::-5"), kn_exp(kn_at(x, "::3, ::-5")));
        kn_iadd(kn_at(x, "1::3, 7:-7:7"), kn_sum(kn_at(x, "1::3"), .axis = KN_AXIS(1), .keepdims = true));
        kn_eval(x);
        kn_set_threads(before);
    }
    assert_true(kn_array_equal(one, two));
}

KN_TEST_GROUP(test_strided_writes)
{
    const struct CMUnitTest tests[] = {
        TEST(one_kernel_writes_in_place),
        TEST(what_overlaps_is_read_before),
        TEST(several_writes_one_after_the_other),
        TEST(elements_of_every_dtype),
        TEST(casts_on_the_way),
        TEST(random_programs),
        TEST(derivatives_are_slopes),
        TEST(columns_one_after_the_other),
        TEST(threads_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
