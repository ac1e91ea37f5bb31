/* SPDX-License-Identifier: Apache-2.0
 * test_plan_kinds.c -- plans for all extents: after two lengths nothing is compiled for the next ones, what they compute has the bits of plans
 * that were made for it, and memory stays flat. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdlib.h>

static kn_array x, m; /* 3000 numbers; 60 x 50 of them */

static kn_array first(int n) { return kn_at(x, ":%", n); }
static kn_array f_slice(int n) { return kn_copy(kn_at(x, "1:%", n)); }
static kn_array f_reversed(int n) { return kn_add(kn_at(x, "%::-1", n), 1); }
static kn_array f_strided(int n) { return kn_add(kn_at(x, ":%:3", n), 1); }
static kn_array f_sum(int n) { return kn_sum(first(n)); }
static kn_array f_cumsum(int n) { return kn_cumsum(kn_exp(kn_neg(first(n)))); }
static kn_array f_sort(int n) { return kn_sort(first(n)); }
static kn_array f_argmax(int n) { return kn_argmax(first(n)); }
static kn_array f_concatenate(int n) { return kn_concatenate(KN_LIST(first(n), first(n + 1), first(n))); }
static kn_array f_outer(int n) { return kn_mul(kn_at(x, ":%, None", n % 60), kn_at(x, "1:%", n % 60 + 1)); }
static kn_array f_dot(int n) { return kn_dot(first(n), kn_at(x, "%::-1", n - 1)); }
static kn_array f_matmul(int n) { return kn_matmul(kn_at(m, ":%", n % 60), kn_transpose(kn_at(m, "2:9"))); }
static kn_array f_halves(int n) { return kn_sum(kn_reshape(first(2 * n), KN_SHAPE(2, -1)), .axis = KN_AXIS(0)); }
static kn_array f_roll(int n) { return kn_roll(first(n), 3); }
static kn_array f_differences(int n) { return kn_diff(first(n)); }
static kn_array f_where(int n) { return kn_where(kn_greater(first(n), 0.5), first(n), kn_neg(first(n))); }
static kn_array f_softmax(int n)
{
    kn_array a = kn_at(m, ":%", n % 60), e = kn_exp(kn_sub(a, kn_max(a, .axis = KN_AXIS(1), .keepdims = true)));
    return kn_div(e, kn_sum(e, .axis = KN_AXIS(1), .keepdims = true));
}
static kn_array f_columns(int n) { return kn_max(kn_at(m, ":%", n % 60), .axis = KN_AXIS(0)); }
static kn_array f_tile(int n) { return kn_tile(first(n), KN_SHAPE(3)); }
static kn_array f_triangle(int n) { return kn_tril(kn_at(m, ":%, :%", n % 49, n % 49)); }
static kn_array f_range(int n) { return kn_mul(kn_arange(0, n, 1), 2); }
static kn_array f_mean(int n) { return kn_mean(first(n)); }
static kn_array f_var(int n) { return kn_var(first(n + 2), .ddof = 1); }
static kn_array f_linspace(int n) { return kn_linspace(0, n, n + 2); }
static kn_array f_fractions(int n) { return kn_arange(0.5, n, 0.3); }
static kn_array f_from(int n) { return kn_arange(n, 3 * n, 2, .dtype = KN_F32); }
static kn_array f_median(int n) { return kn_median(first(n + 1)); }
static kn_array f_update(int n)
{
    kn_array a = kn_copy(first(n));
    kn_iadd_at(a, 1, "1:-1");
    return a;
}
static kn_array f_update_of_itself(int n)
{
    kn_array a = kn_copy(first(n));
    kn_set_at(a, kn_at(a, ":-1"), "1:");
    return kn_add(a, kn_at(a, "::-1"));
}

typedef kn_array of_length(int n);
static of_length *const all[] = {f_slice,    f_reversed,
                                 f_strided,  f_sum,
                                 f_cumsum,   f_sort,
                                 f_argmax,   f_concatenate,
                                 f_outer,    f_dot,
                                 f_matmul,   f_halves,
                                 f_roll,     f_differences,
                                 f_where,    f_softmax,
                                 f_columns,  f_tile,
                                 f_triangle, f_range,
                                 f_update,   f_update_of_itself,
                                 f_mean,     f_var,
                                 f_linspace, f_fractions,
                                 f_from,     f_median};
enum { N_ALL = sizeof all / sizeof *all };
static const int lengths[] = {3, 100, 2, 1, 0, 5, 17, 16, 33, 64, 257, 1025, 4, 31, 1000, 1499, 8, 7};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static void set_up(void)
{
    x = kn_sin(kn_arange(0, 3000, 1, .dtype = KN_F64));
    m = kn_reshape(kn_cos(kn_arange(0, 3000, 1, .dtype = KN_F64)), KN_SHAPE(60, 50));
    kn_eval(x), kn_eval(m);
}

typedef struct Bytes {
    size_t n;
    char at[1 << 16];
} Bytes;

static void run(of_length *f, int n, Bytes *to)
{
    KN_SCOPE;
    kn_array y = f(n);
    to->n = (size_t)kn_nbytes(y);
    assert_true(to->n <= sizeof to->at);
    assert_int_equal(kn_copy_to(y, to->at, to->n), 0);
}

/* The first cut of a kind has a plan for its extents: so has each cut in a context of its own. */
static void bits_are_those_of_plans_for_the_extents(void **state)
{
    (void)state;
    static Bytes got, want;
    KN_SCOPE;
    set_up();
    kn_context all_lengths = kn_context_new();
    for (int i = 0; i < N_ALL * N_LENGTHS; i++) {
        int f = i % N_ALL, n = lengths[i / N_ALL];
        if (n < 2 && (all[f] == f_dot || all[f] == f_argmax || all[f] == f_columns))
            continue; /* what has no elements */
        {
            KN_CONTEXT(all_lengths);
            run(all[f], n, &got);
        }
        kn_context own = kn_context_new();
        {
            KN_CONTEXT(own);
            run(all[f], n, &want);
        }
        assert_int_equal(kn_context_free(own), 0);
        assert_false(kn_error_pending());
        if (got.n != want.n || memcmp(got.at, want.at, got.n) != 0)
            fail_msg("function %d of length %d has other bits than alone", f, n);
    }
    assert_int_equal(kn_context_free(all_lengths), 0);
}

/* ---- What is made, and how much is kept. */

static void nothing_is_compiled_after_the_second_length(void **state)
{
    (void)state;
    of_length *const simple[] = {f_sum, f_concatenate, f_cumsum, f_sort, f_where, f_mean, f_from, f_fractions};
    for (size_t f = 0; f < sizeof simple / sizeof *simple; f++) {
        kn_context own = kn_context_new();
        {
            KN_CONTEXT(own);
            KN_SCOPE;
            set_up();
            kn_eval(simple[f](10));
            kn_eval(simple[f](20));
            kn_cache_stats_result before = kn_cache_stats(), after;
            for (int n = 30; n < 130; n++)
                kn_eval(simple[f](n));
            after = kn_cache_stats();
            assert_int_equal(after.plans.misses, before.plans.misses);
            assert_int_equal(after.plans.hits, before.plans.hits + 100);
            assert_int_equal(after.plans.entries, before.plans.entries);
            assert_int_equal(after.kernels.misses, before.kernels.misses);
            assert_int_equal(after.code.functions, before.code.functions);
        }
        assert_int_equal(kn_context_free(own), 0);
    }
}

/* 1 + 2 * (start + ... + start + n - 1) */
static double of_a_part(kn_array a, int start, int n)
{
    KN_SCOPE;
    return kn_item(kn_add(kn_mul(kn_sum(kn_at(a, "%:%", start, start + n)), 2), 1));
}

static void memory_is_flat_over_many_lengths(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array a = kn_arange(0, MANY + 200, 1, .dtype = KN_F64);
        kn_eval(a);
        kn_cache_stats_result before = {0}, after;
        int64_t blocks = 0;
        for (int i = 0; i < MANY; i++) {
            int start = 2 + i, n = 3 + i % 89;
            assert_true(of_a_part(a, start, n) == 1 + n * (2. * start + n - 1));
            if (i == 20000) { /* each length came often enough for a program of its own */
                before = kn_cache_stats();
                blocks = knx_alloc_live();
            }
        }
        after = kn_cache_stats();
        assert_int_equal(after.plans.misses, before.plans.misses);
        assert_int_equal(after.plans.entries, before.plans.entries);
        assert_int_equal(after.plans.evicted, 0);
        assert_int_equal(after.kernels.entries, before.kernels.entries);
        assert_true(after.plans.bytes <= before.plans.bytes + 65536 && after.plans.bytes < 1 << 20);
        assert_true(knx_alloc_live() <= blocks + 16);
    }
    assert_int_equal(kn_context_free(own), 0);
}

/* ---- Kinds that do not fit. */

static double of_five(const int *n)
{
    KN_SCOPE;
    kn_array part[5];
    for (int i = 0; i < 5; i++)
        part[i] = kn_at(x, ":%", n[i]);
    kn_array joined = kn_concatenate(KN_LIST(part[0], part[1], part[2], part[3], part[4]));
    assert_int_equal(kn_size(joined), n[0] + n[1] + n[2] + n[3] + n[4]);
    return kn_item(kn_at(joined, "-1"));
}

static uint64_t plans_of(int a, int b, int c, int d, int e)
{
    uint64_t before = kn_cache_stats().plans.misses;
    assert_true(of_five((int[]){a, b, c, d, e}) == kn_item(kn_at(x, "%", e - 1)));
    return kn_cache_stats().plans.misses - before;
}

static void a_kind_has_six_variants_at_most(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        set_up();
        for (int n = 5; n < 9; n++) /* items, for all indices */
            kn_item(kn_at(x, "%", n));
        assert_int_equal(plans_of(5, 5, 5, 5, 5), 1); /* for these extents */
        assert_int_equal(plans_of(6, 6, 6, 6, 6), 1); /* for all */
        assert_int_equal(plans_of(7, 7, 7, 7, 7), 0);
        assert_int_equal(plans_of(6, 6, 6, 6, 7), 1); /* what was equal differs: for all of these */
        assert_int_equal(plans_of(7, 7, 7, 7, 9), 0);
        assert_int_equal(plans_of(8, 8, 8, 8, 8), 0);
        assert_int_equal(plans_of(6, 6, 6, 7, 6), 1);
        assert_int_equal(plans_of(6, 6, 7, 6, 6), 1);
        assert_int_equal(plans_of(6, 7, 6, 6, 6), 1);
        assert_int_equal(plans_of(7, 6, 6, 6, 6), 1); /* the sixth one */
        assert_int_equal(plans_of(6, 6, 6, 7, 8), 1); /* then for each set of extents */
        assert_int_equal(plans_of(6, 6, 6, 7, 8), 0);
        assert_int_equal(plans_of(6, 6, 6, 7, 9), 1);
        assert_int_equal(plans_of(9, 9, 9, 9, 5), 0);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static int n_for_all, n_not;

static void count_lines(void *env, int level, const char *text)
{
    (void)env;
    if (level == 1) {
        n_for_all += strstr(text, "from now on for all extents") != NULL;
        n_not += strstr(text, "plan: not for all extents: ") != NULL;
    }
}

static void log_begin(void)
{
    n_for_all = n_not = 0;
    kn_set_log(count_lines, NULL);
    kn_set_debug(1);
}

static void log_end(void)
{
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
}

static void the_log_says_what_is_for_all(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        set_up();
        log_begin();
        kn_eval(f_sum(5));
        assert_int_equal(n_for_all, 0);
        kn_eval(f_sum(6));
        assert_int_equal(n_for_all, 1);
        kn_eval(f_sum(7));
        assert_int_equal(n_for_all, 1);
        kn_set_lazy(false); /* each operation alone, without fusion */
        for (int n = 5; n < 9; n++)
            kn_eval(f_sum(n));
        kn_set_lazy(true);
        log_end();
        assert_int_equal(n_for_all, 1);
        assert_true(n_not > 0);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static void evicted_kinds_say_so(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        set_up();
        for (int n = 5; n < 50; n++)
            kn_eval(f_cumsum(n));
        size_t bytes = kn_cache_stats().plans.bytes, before = kn_set_cache_limit(KN_CACHE_PLANS, 1);
        kn_eval(f_sum(9));
        kn_stats s = kn_cache_stats().plans;
        assert_int_equal(s.entries, 1);
        assert_true(s.evicted >= 2 && s.bytes < bytes / 4);
        uint64_t misses = s.misses;
        for (int n = 5; n < 8; n++)
            kn_eval(f_cumsum(n));
        assert_true(kn_cache_stats().plans.misses > misses);
        kn_set_cache_limit(KN_CACHE_PLANS, before);
    }
    assert_int_equal(kn_context_free(own), 0);
}

/* ---- What has to stay as it is. */

static void *sums_another_length(void *env)
{
    kn_cache_stats_result before, after;
    double *want = env;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    before = kn_cache_stats();
    bool fine = kn_item(kn_sum(kn_cosh(kn_mul(kn_at(a, ":11"), 0.25)))) == *want;
    after = kn_cache_stats();
    fine = fine && after.plans.misses == before.plans.misses && after.kernels.misses == before.kernels.misses;
    return fine ? env : NULL;
}

static void threads_share_kinds(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    double of_eleven = 0;
    for (int n = 5; n < 12; n++) {
        KN_SCOPE;
        of_eleven = kn_item(kn_sum(kn_cosh(kn_mul(kn_at(a, ":%", n), 0.25))));
    }
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&t[i], NULL, sums_another_length, &of_eleven), 0);
    for (int i = 0; i < 3; i++) {
        void *fine;
        pthread_join(t[i], &fine);
        assert_non_null(fine);
    }
}

static void errors_have_the_users_line(void **state)
{
    (void)state;
    KN_SCOPE;
    set_up();
    for (int n = 4; n < 9; n++) {
        KN_SCOPE;
        kn_array index = kn_add(kn_arange(0, n, 1), n == 7 ? 2994 : 0);
        kn_eval(index);
        kn_array y = kn_add(kn_take(x, index), 1);
        int line = __LINE__ - 1;
        kn_eval(y);
        assert_int_equal(kn_error_pending(), n == 7);
        if (n == 7) {
            assert_string_equal(kn_error_kind_name(), "IndexError");
            assert_int_equal(kn_error_line(), line);
            kn_error_clear();
        }
    }
}

static void nans_are_found_in_every_length(void **state)
{
    (void)state;
    KN_SCOPE;
    set_up();
    kn_array a = kn_log(kn_sub(x, x));
    kn_eval(a);
    kn_check_nans(true);
    for (int n = 5; n < 9; n++) {
        KN_SCOPE;
        kn_eval(kn_add(first(n), 1));
        assert_false(kn_error_pending());
        kn_eval(kn_mul(kn_at(a, ":%", n), 0));
        assert_true(kn_error_pending());
        kn_error_clear();
    }
    kn_check_nans(false);
}

/* ---- Without memory. */

static double some_lengths(void)
{
    KN_SCOPE;
    double sum = 0;
    kn_array a = kn_arange(0, 40, 1, .dtype = KN_F64);
    for (int n = 5; n < 12; n++) {
        KN_SCOPE;
        kn_array b = kn_copy(kn_at(a, "1:%", n));
        kn_iadd_at(b, 1, "1:-1");
        sum += kn_item(kn_sum(kn_mul(b, kn_at(b, "::-1"))));
    }
    return sum;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kn_shutdown();
    double right = some_lengths();
    kn_shutdown();
    knx_buffer_trim();
    knx_fail_pieces(true);
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    some_lengths();
    kn_shutdown();
    int64_t n = knx_alloc_count() - start;
    for (int64_t k = 0; k < n; k++) {
        knx_buffer_trim();
        knx_fail_after(k, k % 2);
        double v = some_lengths();
        knx_fail_after(-1, false);
        bool failed = kn_error_pending();
        if (failed ? strcmp(kn_error_kind_name(), "MemoryError") != 0 : v != right)
            fail_msg("allocation %lld: %.17g, %s", (long long)k, v, kn_error_kind_name());
        kn_error_clear();
        kn_shutdown();
        if (knx_alloc_live() != live)
            fail_msg("allocation %lld of %lld: %lld blocks are alive, %lld were", (long long)k, (long long)n,
                     (long long)knx_alloc_live(), (long long)live);
    }
    knx_fail_pieces(false);
}

KN_TEST_GROUP(test_plan_kinds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_plans_for_the_extents),
        cmocka_unit_test(nothing_is_compiled_after_the_second_length),
        cmocka_unit_test(memory_is_flat_over_many_lengths),
        cmocka_unit_test(a_kind_has_six_variants_at_most),
        cmocka_unit_test(the_log_says_what_is_for_all),
        cmocka_unit_test(evicted_kinds_say_so),
        cmocka_unit_test(threads_share_kinds),
        cmocka_unit_test(errors_have_the_users_line),
        cmocka_unit_test(nans_are_found_in_every_length),
        cmocka_unit_test(every_allocation_may_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
