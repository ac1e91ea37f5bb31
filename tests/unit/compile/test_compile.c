/* SPDX-License-Identifier: Apache-2.0
 * test_compile.c -- what the planner decides, and that no decision changes a bit. */
#include "support/group.h"
#include "support/programs.h"
#include "support/stack.h"

#include <pthread.h>
#include <stdio.h>

static void run_both(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    knx_buffer *plain[MANY], *fused[MANY];
    const int64_t rows = knc_short_rows;
    knd_loaded *p = test_compile(j, false), *q;
    knc_short_rows = seed % 2 ? 1 : rows; /* short rows are written out, or not */
    q = test_compile(j, true);
    knc_short_rows = rows;
    test_ok(knd_run(p, x.in, plain, NULL));
    test_ok(knd_run(q, x.in, fused, NULL));
    for (uint32_t k = 0; k < j->n_out; k++) {
        int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
        if (at >= 0) {
            char *text = NULL, *one = NULL, *two = NULL;
            test_ok(kni_text(j, KN_FORM_TYPED, &text));
            test_ok(knc_text(p->program, &one));
            test_ok(knc_text(q->program, &two));
            printf("%s\n%s\n%s\n", text, one, two);
            fail_msg("seed %llu: output %u differs at %lld", (unsigned long long)seed, k, (long long)at);
        }
    }
    test_release((int)j->n_out, plain);
    test_release((int)j->n_out, fused);
    knd_release(p);
    knd_release(q);
    test_free_operands(&x);
}

static void random_programs_have_the_same_bits_fused_and_unfused(void **state)
{
    (void)state;
    const char *first = getenv("KN_TEST_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, end = first ? seed + 1 : 1500;
    for (; seed < end; seed++) {
        int64_t live = knx_alloc_live();
        kni_jaxpr *j = test_random_jaxpr(seed, 40);
        run_both(j, seed);
        kni_release(j);
        if (knx_alloc_live() != live)
            fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

__attribute__((noinline)) static char *text_of(const knd_loaded *p) /* gcc 12 thinks that the result dangles */
{
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    return text;
}

static void expect_text(const kni_jaxpr *j, int steps, int n, const char *const *parts)
{
    knd_loaded *p = test_compile(j, true);
    char *text = text_of(p);
    if (knc_n_steps(p->program) != steps)
        fail_msg("%d steps, not %d:\n%s", knc_n_steps(p->program), steps, text);
    for (int i = 0; i < n; i++)
        if (!strstr(text, parts[i]))
            fail_msg("'%s' is not in:\n%s", parts[i], text);
    knx_free(text);
    knd_release(p);
}
#define EXPECT_TEXT(j, steps, ...)                                                             \
    do {                                                                                       \
        kni_jaxpr *text_j = (j);                                                               \
        const char *const text_parts[] = {__VA_ARGS__};                                        \
        expect_text(text_j, steps, (int)(sizeof text_parts / sizeof *text_parts), text_parts); \
        run_both(text_j, 5);                                                                   \
        kni_release(text_j);                                                                   \
    } while (0)

static void a_chain_is_one_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(5)), y = knb_tanh(&b, knb_add(&b, x, x));
    EXPECT_TEXT(FINISH(&b, knb_mul(&b, y, y)), 1,
                "0: add -> f32[5]: inlined in step 0: one kernel reads it, at the same points",
                "1: tanh -> f32[5]: inlined in step 0: one kernel reads it, at the same points",
                "2: mul -> f32[5]: stored by step 0: a result of the program");
}

static void views_cost_nothing(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3, 4)), v = knb_invar(&b, F32(3));
    kni_atom t = knb_transpose(&b, knb_sin(&b, x), (int64_t[]){1, 0});
    kni_atom w = knb_broadcast_in_dim(&b, v, 2, (int64_t[]){4, 3}, (int64_t[]){1});
    EXPECT_TEXT(FINISH(&b, knb_add(&b, t, w)), 1,
                "0: sin -> f32[3,4]: inlined in step 0: one kernel reads it, at other points but each at most once",
                "1: transpose -> f32[4,3]: inlined in step 0: a view costs an index map only", "points(4,3)");
}

static void an_expensive_value_is_not_computed_twice(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom s = knb_sin(&b, knb_invar(&b, F32(8)));
    kni_atom a = knb_slice(&b, s, (int64_t[]){1}, (int64_t[]){8}, NULL),
             c = knb_slice(&b, s, (int64_t[]){0}, (int64_t[]){7}, NULL);
    EXPECT_TEXT(FINISH(&b, knb_sub(&b, a, c)), 2,
                "0: sin -> f32[8]: stored by step 0: read in several places and too expensive to recompute");
}

static void a_cheap_value_is(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8)), s = knb_mul(&b, x, x);
    kni_atom a = knb_slice(&b, s, (int64_t[]){1}, (int64_t[]){8}, NULL),
             c = knb_slice(&b, s, (int64_t[]){0}, (int64_t[]){7}, NULL);
    EXPECT_TEXT(FINISH(&b, knb_sub(&b, a, c)), 1,
                "0: mul -> f32[8]: inlined in step 0: recomputing it costs less than storing it");
}

static void a_broadcast_does_not_repeat_an_expensive_value(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), y = knb_invar(&b, F32(4, 3));
    kni_atom w = knb_broadcast_in_dim(&b, knb_exp(&b, x), 2, (int64_t[]){4, 3}, (int64_t[]){1});
    EXPECT_TEXT(FINISH(&b, knb_add(&b, y, w)), 2,
                "0: exp -> f32[3]: stored by step 0: its reader would compute elements more than once");
}

static void results_that_share_work_share_a_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(9)), s = knb_sin(&b, x), y = knb_add(&b, s, x), z = knb_mul(&b, s, x),
             w = knb_mul(&b, y, y);
    EXPECT_TEXT(FINISH(&b, y, z, w, s), 1,
                "0: sin -> f32[9]: stored by step 0, which reads it: a result of the program",
                "1: add -> f32[9]: stored by step 0, which reads it: a result of the program");
}

static void a_reduction_takes_what_is_before_and_behind_it(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 6)), s = knb_reduce_sum(&b, knb_mul(&b, x, x), 1, (int64_t[]){1});
    EXPECT_TEXT(FINISH(&b, knb_sqrt(&b, s)), 1,
                "0: mul -> f32[4,6]: inlined in step 0: one kernel reads it, at the same points",
                "1: reduce_sum -> f32[4]: inlined in step 0: the kernel that reads it runs over the same points",
                "points(4,) joins(6,)");
}

static void reductions_over_the_same_rows_share_a_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 6)), s = knb_reduce_sum(&b, x, 1, (int64_t[]){1}),
             q = knb_reduce_sum(&b, knb_mul(&b, x, x), 1, (int64_t[]){1});
    EXPECT_TEXT(FINISH(&b, s, q), 1, "points(4,) joins(6,)",
                "0: reduce_sum -> f32[4]: stored by step 0: a result of the program");
}

static void a_softmax_is_one_kernel_of_three_passes(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_type t = F32(5, 7);
    int64_t dim[] = {5, 7}, rows[] = {0}, last[] = {1};
    kni_atom x = knb_invar(&b, t), m = knb_broadcast_in_dim(&b, knb_reduce_max(&b, x, 1, last), 2, dim, rows);
    kni_atom e = knb_exp(&b, knb_sub(&b, x, m)),
             s = knb_broadcast_in_dim(&b, knb_reduce_sum(&b, e, 1, last), 2, dim, rows);
    EXPECT_TEXT(
        FINISH(&b, knb_div(&b, e, s)), 1,
        "3: exp -> f32[5,7]: stored by step 0, which reads it: read in several passes over a row and too expensive to "
        "recompute",
        "points(5,) joins(7,) joins(7,) joins(7,) of reduce_max sub exp reduce_sum div; operand 0, > output 0, "
        "output 0, > output 0");
}

static void rows_of_a_few_elements_are_written_out(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_type t = F32(500, 3);
    int64_t dim[] = {500, 3}, rows[] = {0}, last[] = {1};
    kni_atom x = knb_invar(&b, t), m = knb_broadcast_in_dim(&b, knb_reduce_max(&b, x, 1, last), 2, dim, rows);
    kni_atom e = knb_exp(&b, knb_sub(&b, x, m)),
             s = knb_broadcast_in_dim(&b, knb_reduce_sum(&b, e, 1, last), 2, dim, rows);
    EXPECT_TEXT(FINISH(&b, knb_div(&b, e, s)), 1,
                "points(500,) of reduce_max sub exp reduce_sum div; operand 0, > output 0");
}

/* Every reduction, of 2 to 8 elements along each axis: the bits of rows that are written out and of others. */
static kni_jaxpr *reductions_of(kn_dtype d, int64_t n, int axis)
{
    kni_builder b;
    int64_t dim[3] = {7, 9, 5}, at[1] = {axis};
    dim[axis] = n;
    knb_init(&b);
    kni_atom x = knb_invar(&b, test_type(d, 3, dim)), out[8];
    int n_out = 0;
    out[n_out++] = knb_reduce_sum(&b, x, 1, at);
    if (!knx_is_complex(d)) {
        out[n_out++] = knb_reduce_max(&b, x, 1, at);
        out[n_out++] = knb_reduce_min(&b, x, 1, at);
        out[n_out++] = knb_reduce_prod(&b, x, 1, at);
    }
    if (!knx_is_inexact(d)) {
        out[n_out++] = knb_reduce_and(&b, x, 1, at);
        out[n_out++] = knb_reduce_or(&b, x, 1, at);
        out[n_out++] = knb_reduce_xor(&b, x, 1, at);
    }
    return test_finish(&b, n_out, out);
}

static void short_reductions_have_the_bits_of_others(void **state)
{
    static const uint8_t of[] = {KN_ID_F32, KN_ID_F64, KN_ID_F16, KN_ID_BF16, KN_ID_C64,
                                 KN_ID_I8,  KN_ID_U16, KN_ID_I32, KN_ID_U64};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int64_t n = 2; n < 10; n++)
            for (int axis = 0; axis < 3; axis++) {
                kni_jaxpr *j = reductions_of(&knx_dtype_table[of[i]], n, axis);
                for (uint64_t seed = 1; seed < 6; seed += 2)
                    run_both(j, seed);
                kni_release(j);
            }
}

static void a_routine_has_its_operands_in_memory(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 6)), y[1], z = knb_reshape(&b, knb_neg(&b, x), 1, (int64_t[]){24});
    knb_sort(&b, 1, &z, 0, 1, y);
    EXPECT_TEXT(FINISH(&b, knb_add(&b, y[0], y[0])), 3,
                "0: reshape -> f32[24]: alias: its elements already lie in this order",
                "1: neg -> f32[24]: stored by step 0: a routine reads it",
                "2: sort -> f32[24]: stored by step 1: made by a routine");
}

static void what_nothing_reads_is_dropped(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4));
    knb_sin(&b, x);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, x));
    knd_loaded *p = test_compile(j, false);
    char *text = text_of(p);
    assert_int_equal(knc_n_steps(p->program), 1);
    assert_non_null(strstr(text, "0: sin -> f32[4]: dropped: nothing reads it"));
    knx_free(text);
    knd_release(p);
    kni_release(j);
}

/* x is read by a chain whose length is far more than one kernel holds. */
static kni_jaxpr *chain(int64_t n, int length)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(n)), y = x;
    for (int i = 0; i < length; i++)
        y = i % 2 ? knb_mul(&b, y, x) : knb_sub(&b, y, x);
    return FINISH(&b, y);
}

static void a_long_chain_is_cut(void **state)
{
    (void)state;
    kni_jaxpr *j = chain(7, 1000);
    knd_loaded *p = test_compile(j, true);
    char *text = text_of(p);
    assert_int_equal(knc_n_steps(p->program), 3);
    assert_non_null(strstr(text, "stored by step 0: the kernel that reads it is full"));
    knx_free(text);
    knd_release(p);
    run_both(j, 1);
    kni_release(j);
}

static void a_kernel_has_only_so_many_buffers(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom y = knb_invar(&b, F32(9)), out[3];
    for (int i = 1; i < 60; i++)
        y = knb_sub(&b, y, knb_invar(&b, F32(9)));
    out[0] = y;
    kni_jaxpr *j = test_finish(&b, 1, out);
    knd_loaded *p = NULL, *q = test_compile(j, true);
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .max_buffers = 8}, &p));
    char *text = text_of(p);
    assert_int_equal(knc_n_steps(q->program), 1);
    assert_non_null(strstr(text, "the kernel that reads it would have too many buffers"));
    for (uint32_t i = 0; i < p->program->n_step; i++)
        assert_in_range(p->program->step[i].n_ref, 3, 8);
    test_operands x = test_make_operands(j, 1);
    knx_buffer *few, *all;
    test_ok(knd_run(p, x.in, &few, NULL));
    test_ok(knd_run(q, x.in, &all, NULL));
    assert_int_equal(test_difference(kni_out_type(j, 0), few->data, all->data), -1);
    test_release(1, &few);
    test_release(1, &all);
    test_free_operands(&x);
    knx_free(text);
    knd_release(p);
    knd_release(q);
    kni_release(j);
}

static void *compile_on_a_small_stack(void *env)
{
    kni_jaxpr *j = env;
    test_operands x = test_make_operands(j, 1);
    knx_buffer *out[1], *plain[1];
    for (int fuse = 0; fuse < 2; fuse++) {
        knd_loaded *p = NULL;
        knc_kernel_cache *c = knc_kernel_cache_new(1 << 20);
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.kernels = c, .fuse = fuse}, &p));
        test_ok(knd_run(p, x.in, fuse ? out : plain, NULL));
        knd_release(p);
        knc_kernel_cache_free(c);
    }
    assert_int_equal(test_difference(j->type[0], out[0]->data, plain[0]->data), -1);
    test_release(1, out);
    test_release(1, plain);
    test_free_operands(&x);
    return NULL;
}

static void a_million_equations_need_no_more_than_a_small_stack(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { LENGTH = 200000, STACK = 64 * 1024 };
#else
    enum { LENGTH = 1000000, STACK = 64 * 1024 };
#endif
    kni_jaxpr *j = chain(3, LENGTH);
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
#ifndef __SANITIZE_ADDRESS__ /* which needs more itself */
    assert_int_equal(pthread_attr_setstacksize(&attr, test_stack(STACK)), 0);
#endif
    assert_int_equal(pthread_create(&thread, &attr, compile_on_a_small_stack, j), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    kni_release(j);
}

static kni_jaxpr *of_batch(int64_t n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(n, 6)), y = knb_invar(&b, F32(6)),
             h = knb_tanh(&b, knb_add(&b, x, knb_broadcast_to(&b, y, F32(n, 6))));
    kni_atom s = knb_reduce_sum(&b, knb_mul(&b, h, h), 1, (int64_t[]){1}),
             t = knb_transpose(&b, knb_exp(&b, x), (int64_t[]){1, 0});
    return FINISH(&b, s, h, knb_add(&b, t, t), knb_slice(&b, x, (int64_t[]){1, 1}, (int64_t[]){n, 6}, NULL));
}

static void another_batch_size_needs_no_new_kernel(void **state)
{
    (void)state;
    knc_kernel_cache *c = knc_kernel_cache_new(1 << 20);
    for (int i = 0; i < 2; i++) {
        kni_jaxpr *j = of_batch(i ? 1000 : 100);
        knd_loaded *p = NULL;
        knc_kernel_counts before = knc_kernel_counts_of(c);
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.kernels = c, .fuse = true}, &p));
        knc_kernel_counts after = knc_kernel_counts_of(c);
        assert_int_equal(after.misses - before.misses, i ? 0 : knc_n_steps(p->program));
        assert_int_equal(after.hits - before.hits, i ? knc_n_steps(p->program) : 0);
        run_both(j, 3);
        knd_release(p);
        kni_release(j);
    }
    knc_kernel_cache_free(c);
}

static void the_kernel_cache_is_bounded(void **state)
{
    (void)state;
    enum { LIMIT = 40000 }; /* one to three of the longest, with what the interpreter asks for */
    knc_kernel_cache *c = knc_kernel_cache_new(LIMIT);
    for (int length = 1; length < 60; length++) {
        kni_jaxpr *j = chain(4, length);
        knd_loaded *p = NULL;
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.kernels = c, .fuse = true}, &p));
        knd_release(p);
        kni_release(j);
    }
    knc_kernel_counts counts = knc_kernel_counts_of(c);
    assert_true(counts.evicted > 0 && counts.entries > 0 && counts.entries + counts.evicted == counts.misses);
    assert_true(counts.bytes <= LIMIT);
    knc_kernel_cache_free(c);
}

static void a_call_is_inlined(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *inner = FINISH(&b, knb_sin(&b, knb_invar(&b, F32(3))));
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), y;
    knb_jit(&b, "g", inner, 0, &x, &y);
    kni_release(inner);
    EXPECT_TEXT(FINISH(&b, knb_neg(&b, y)), 1, "0: sin -> f32[3]: inlined in step 0",
                "1: neg -> f32[3]: stored by step 0");
}

/* A program of many kinds of equations, compiled while the k-th allocation fails. */
static void compiling_without_memory_leaks_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        kni_jaxpr *j = test_random_jaxpr(seed, 25);
        int64_t live = knx_alloc_live(), k = 0;
        for (bool done = false; !done; k++) {
            knd_loaded *p = NULL;
            knc_kernel_cache *c = knc_kernel_cache_new(1 << 20);
            knx_fail_after(k, seed % 2);
            knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.kernels = c, .fuse = seed % 3}, &p);
            knx_fail_after(-1, false);
            done = !e;
            if (e && e->kind != KN_ERROR_MEMORY)
                fail_msg("%s", e->message);
            assert_true(done == (p != NULL));
            knx_error_release(e);
            knd_release(p);
            knc_kernel_cache_free(c);
            assert_int_equal(knx_alloc_live(), live);
        }
        assert_true(k > 3);
        kni_release(j);
    }
}

KN_TEST_GROUP(test_compile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_one_kernel),
        cmocka_unit_test(views_cost_nothing),
        cmocka_unit_test(an_expensive_value_is_not_computed_twice),
        cmocka_unit_test(a_cheap_value_is),
        cmocka_unit_test(a_broadcast_does_not_repeat_an_expensive_value),
        cmocka_unit_test(results_that_share_work_share_a_kernel),
        cmocka_unit_test(a_reduction_takes_what_is_before_and_behind_it),
        cmocka_unit_test(reductions_over_the_same_rows_share_a_kernel),
        cmocka_unit_test(a_softmax_is_one_kernel_of_three_passes),
        cmocka_unit_test(rows_of_a_few_elements_are_written_out),
        cmocka_unit_test(short_reductions_have_the_bits_of_others),
        cmocka_unit_test(a_routine_has_its_operands_in_memory),
        cmocka_unit_test(what_nothing_reads_is_dropped),
        cmocka_unit_test(a_long_chain_is_cut),
        cmocka_unit_test(a_kernel_has_only_so_many_buffers),
        cmocka_unit_test(a_million_equations_need_no_more_than_a_small_stack),
        cmocka_unit_test(another_batch_size_needs_no_new_kernel),
        cmocka_unit_test(the_kernel_cache_is_bounded),
        cmocka_unit_test(a_call_is_inlined),
        cmocka_unit_test(compiling_without_memory_leaks_nothing),
        cmocka_unit_test(random_programs_have_the_same_bits_fused_and_unfused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
