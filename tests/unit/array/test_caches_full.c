/* SPDX-License-Identifier: Apache-2.0
 * test_caches_full.c -- caches with thousands of entries: finding, adding and letting one go look at no more than a few;
 * the bytes that are counted are those that are there; what nobody has any more goes. */
#include "support/expect.h"
#include "support/group.h"
#include "array/state.h"
#include "base/memory.h"
#include "ir/host.h"
#include <stdlib.h>

typedef struct Salt { /* no padding: its bytes are part of what the function is */
    double k;
    int64_t n;
} Salt;
static kn_array salted(const Salt *s, const kn_array *x) { return kn_sum(kn_add(kn_mul(*x, s->k), (double)s->n)); }
static kn_array plus_one(const kn_array *x) { return kn_add(*x, 1); }
/* a kernel of its own for each n */
static kn_array chain(const Salt *s, const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < 12; i++)
        y = s->n >> i & 1 ? kn_sin(y) : kn_exp(y);
    return y;
}
KN_FUNCTION_ENV(salted, kn_array, Salt, kn_array)
KN_FUNCTION(plus_one, kn_array, kn_array)
KN_FUNCTION_ENV(chain, kn_array, Salt, kn_array)

#define IN_A_CONTEXT(...)                          \
    do {                                           \
        kn_context own = kn_context_new();         \
        {                                          \
            KN_CONTEXT(own);                       \
            KN_SCOPE;                              \
            __VA_ARGS__                            \
        }                                          \
        assert_int_equal(kn_context_free(own), 0); \
    } while (0)

static void call_salted(int i, kn_array x)
{
    KN_SCOPE;
    Salt s = {1 + i * 1e-3, i};
    kn_array y;
    kn_call(kn_jit(KN_FN_ENV(salted, &s)), &y, &x);
}

static void differentiate_salted(int i, kn_array x)
{
    KN_SCOPE;
    Salt s = {1 + i * 1e-3, i};
    kn_array y;
    kn_call(kn_grad(KN_FN_ENV(salted, &s)), &y, &x);
    kn_eval(y);
}

static void call_chain(int i, kn_array x)
{
    KN_SCOPE;
    Salt s = {0, i};
    kn_array y;
    kn_call(kn_jit(KN_FN_ENV(chain, &s)), &y, &x);
}

/* ---- Finding. */

static void one_of_a_thousand_recordings_is_found_at_once(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    IN_A_CONTEXT({
        kn_array x[MANY], y;
        kn_fn f = kn_jit(KN_FN(plus_one));
        for (int i = 0; i < MANY; i++) {
            x[i] = kn_ones(KN_SHAPE(i + 1));
            kn_call(f, &y, &x[i]);
        }
        assert_int_equal(kn_fn_trace_count(f), MANY);
        uint64_t looked = kna_state_get()->looked_at;
        for (int i = 0; i < MANY; i++)
            kn_call(f, &y, &x[i]);
        assert_int_equal(kn_fn_trace_count(f), MANY);
        assert_true(kna_state_get()->looked_at - looked < MANY + MANY / 10);
    });
}

static void one_of_thousands_of_host_functions_is_found(void **state)
{
    enum { MANY = 5000 };
    static char env[MANY];
    (void)state;
    const kni_host *h[MANY];
    for (int i = 0; i < MANY; i++)
        assert_non_null(h[i] = kni_host_of(&(kni_host){.env = &env[i]}));
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(kni_host_of(&(kni_host){.env = &env[i]}), h[i]);
        assert_ptr_equal(kni_host_find(h[i]->id), h[i]);
    }
    assert_null(kni_host_find(h[0]->id - 1 - MANY));
}

/* ---- Letting go. */

static void a_full_cache_of_recordings_lets_one_go_at_a_time(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3));
        for (int i = 0; i < 100; i++)
            call_salted(i, x);
        size_t limit = kn_cache_stats().traces.bytes;
        kn_set_cache_limit(KN_CACHE_TRACES, limit);
        uint64_t looked = kna_state_get()->looked_at;
        for (int i = 100; i < 2000; i++) {
            call_salted(i, x);
            assert_true(kn_cache_stats().traces.bytes <= limit);
        }
        kn_stats s = kn_cache_stats().traces;
        assert_true(s.entries >= 95 && s.entries <= 100);
        assert_int_equal(s.entries + s.evicted, s.misses);
        assert_true(kna_state_get()->looked_at - looked <= 3 * 1900);
    });
}

static void functions_that_nobody_has_are_forgotten(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3));
        int64_t live[2];
        for (int i = 0; i < 200; i++)
            call_salted(i, x), differentiate_salted(i, x);
        kn_set_cache_limit(KN_CACHE_TRACES, kn_cache_stats().traces.bytes / 2);
        kn_set_cache_limit(KN_CACHE_PLANS, 0); /* a gradient outside of jit is one for each number */
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 1000; i++)
                call_salted(200 + i + 1000 * round, x), differentiate_salted(200 + i + 1000 * round, x);
            live[round] = knx_alloc_live();
        }
        assert_true(live[1] < live[0] + live[0] / 10);
    });
}

static void the_function_in_hand_stays(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3)), y;
        kn_fn f = kn_jit(KN_FN(plus_one));
        kn_set_cache_limit(KN_CACHE_TRACES, 0);
        for (int i = 0; i < 50; i++) {
            call_salted(i, x);
            kn_call(f, &y, &x);
            expect_values(y, 2, 2, 2);
        }
        assert_int_equal(kn_fn_trace_count(f), 50);
        assert_int_equal(kn_cache_stats().traces.entries, 1);
    });
}

/* ---- Kernels. */

static void kernels_in_use_are_counted(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3), .dtype = KN_F32);
        for (int i = 0; i < 20; i++)
            call_chain(i, x);
        size_t bytes = kn_cache_stats().kernels.bytes;
        kn_set_cache_limit(KN_CACHE_KERNELS, bytes / 2);
        kn_cache_stats_result s = kn_cache_stats();
        assert_true(s.kernels.bytes <= bytes / 2 && s.kernels.entries > 4); /* the recordings that held them went */
        assert_true(s.traces.entries < 20 && s.traces.entries >= 5);
        for (int i = 20; i < 100; i++) {
            call_chain(i, x);
            assert_true(kn_cache_stats().kernels.bytes <= bytes / 2);
        }
    });
}

static void what_nobody_holds_is_idle_and_found_again(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3), .dtype = KN_F32);
        call_chain(5, x);
        kn_cache_stats_result s = kn_cache_stats();
        kn_set_cache_limit(KN_CACHE_TRACES, 0);
        assert_int_equal(kn_cache_stats().kernels_idle, s.kernels_idle + 1);
        assert_int_equal(kn_cache_stats().kernels.bytes, s.kernels.bytes);
        call_chain(5, x);
        assert_int_equal(kn_cache_stats().kernels.misses, s.kernels.misses);
        assert_int_equal(kn_cache_stats().kernels_idle, s.kernels_idle);
    });
}

static void machine_code_counts(void **state)
{
    (void)state;
    IN_A_CONTEXT({
        kn_array x = kn_ones(KN_SHAPE(3), .dtype = KN_F32);
        kn_eval(x);
        kn_cache_stats_result before = kn_cache_stats();
        call_chain(9, x);
        kn_cache_stats_result after = kn_cache_stats();
        assert_true(after.kernels.bytes - before.kernels.bytes > after.code.bytes - before.code.bytes);
    });
}

/* ---- Memory that runs out. */

typedef struct Limited {
    size_t bytes, limit;
} Limited;

static void *alloc_limited(void *env, size_t bytes, size_t align)
{
    Limited *l = env;
    void *p = NULL;
    if (bytes > l->limit - l->bytes || posix_memalign(&p, align, bytes))
        return NULL;
    l->bytes += bytes;
    return p;
}

static void free_limited(void *env, void *p, size_t bytes)
{
    Limited *l = env;
    l->bytes -= bytes;
    free(p);
}

typedef struct Holder {
    kn_array big;
} Holder;
static kn_array adds_big(const Holder *h, const kn_array *x) { return kn_add(*x, h->big); }
KN_FUNCTION_ENV(adds_big, kn_array, Holder, kn_array)

/* A recording holds the array that its function used; it is let go when an allocation fails, and the allocation
 * succeeds. */
static void recordings_go_before_there_is_no_memory(void **state)
{
    (void)state;
    enum { BIG = 1 << 18 };
    Limited l = {0, 3 * BIG + BIG / 2}; /* operand, what is captured, result; some room to interpret kernels */
    kn_context own = kn_context_new(.allocator = {alloc_limited, free_limited, &l});
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        for (int i = 0; i < 20; i++) {
            KN_SCOPE;
            kn_array x = kn_ones(KN_SHAPE(BIG / 8)), y;
            Holder h = {kn_full(KN_SHAPE(BIG / 8), i)};
            kn_eval(x), kn_eval(h.big);
            kn_call(kn_jit(KN_FN_ENV(adds_big, &h)), &y, &x);
            expect_values(kn_at(y, "0:1"), i + 1);
        }
        expect_no_error();
        kn_array too_big = kn_add(kn_zeros(KN_SHAPE(BIG)), 1);
        kn_eval(too_big);
        expect_error_with("MemoryError", "");
    }
    assert_int_equal(kn_context_free(own), 0);
    assert_int_equal(l.bytes, 0);
}

/* Every allocation of a compilation fails once: nothing is seen of it where there was something to give back. */
static void compiling_tries_once_more(void **state)
{
    (void)state;
    int failures = 0, errors = 0;
    for (int k = 0; k < 400; k++)
        IN_A_CONTEXT({
            kn_array x = kn_ones(KN_SHAPE(3), .dtype = KN_F32), y;
            for (int i = 0; i < 3; i++)
                call_chain(i, x);
            kn_eval(y = kn_tanh(x));
            kn_array z = kn_cos(kn_add(x, y));
            knx_fail_after(k, false);
            kn_eval(z);
            failures += !knx_alloc_must_fail();
            knx_fail_after(-1, false);
            errors += kn_error_pending();
            kn_error_clear();
        });
    assert_true(failures > 0 && errors < 40);
}

KN_TEST_GROUP(test_caches_full)
{
    const struct CMUnitTest tests[] = {
        TEST(one_of_a_thousand_recordings_is_found_at_once),
        TEST(one_of_thousands_of_host_functions_is_found),
        TEST(a_full_cache_of_recordings_lets_one_go_at_a_time),
        TEST(functions_that_nobody_has_are_forgotten),
        TEST(the_function_in_hand_stays),
        TEST(kernels_in_use_are_counted),
        TEST(what_nobody_holds_is_idle_and_found_again),
        TEST(machine_code_counts),
        TEST(recordings_go_before_there_is_no_memory),
        TEST(compiling_tries_once_more),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
