/* SPDX-License-Identifier: Apache-2.0
 * test_caches.c -- what is kept and found again: who shares it, how it is counted and bounded, and the lines of the log
 * that say why something was made once more. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include "host/native.h"
#include <pthread.h>
#include <stdlib.h>

/* ---- The log. */

static char lines[8192];

static void keep_line(void *env, int level, const char *text)
{
    (void)env;
    const char *slash = strstr(text, "test_caches.c:"); /* paths and line numbers are not the point */
    if (level != 1 || !slash)
        return;
    const char *what = strchr(slash + strlen("test_caches.c:"), ' ');
    size_t n = strlen(lines);
    snprintf(lines + n, sizeof lines - n, "%.*s%s\n", (int)strcspn(text, " "), text, what ? what : "");
}

static void log_begin(void)
{
    lines[0] = 0;
    kn_set_log(keep_line, NULL);
    kn_set_debug(1);
}

static void expect_lines(const char *want)
{
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
    assert_string_equal(lines, want);
}

static kn_array plus_one(const kn_array *x) { return kn_add(*x, 1); }
static kn_array dot_of(const kn_array *x, const kn_array *y) { return kn_sum(kn_mul(*x, *y)); }
typedef struct Net {
    kn_array w, b;
} Net;
KN_FIELDS(Net, w, b)
static kn_array apply_net(const Net *n, const kn_array *x) { return kn_add(kn_matmul(*x, n->w), n->b); }
KN_FUNCTION(plus_one, kn_array, kn_array)
KN_FUNCTION(dot_of, kn_array, kn_array, kn_array)
KN_FUNCTION(apply_net, kn_array, Net, kn_array)

static void call_one(kn_fn f, kn_array x)
{
    kn_array y;
    kn_call(f, &y, &x);
}

static void recordings_say_why(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 4), .dtype = KN_F32), y = kn_ones(KN_SHAPE(3, 4), .dtype = KN_F32);
    kn_array z = kn_ones(KN_SHAPE(3, 4), .dtype = KN_I32), out;
    kn_eval(x), kn_eval(y), kn_eval(z);
    log_begin();
    kn_fn f = kn_jit(KN_FN(plus_one)), g = kn_jit(KN_FN(dot_of));
    call_one(f, x);
    call_one(f, x);
    call_one(f, y);
    call_one(f, z);
    kn_call(g, &out, &x, &x);
    kn_call(g, &out, &y, &y);
    kn_call(g, &out, &y, &z);
    kn_set_lazy(false);
    call_one(f, x);
    kn_set_lazy(true);
    kn_set_default_float(KN_F32);
    call_one(f, x);
    kn_set_default_float(KN_F64);
    expect_lines("jit: plus_one is recorded: first call\n"
                 "jit: plus_one is recorded: new shape of argument 0: f32[3,4] was f32[2,4]\n"
                 "jit: plus_one is recorded: new dtype of argument 0: i32[3,4] was f32[3,4]\n"
                 "jit: dot_of is recorded: first call\n"
                 "jit: dot_of is recorded: new shape of argument 0: f32[3,4] was f32[2,4]\n"
                 "jit: dot_of is recorded: new dtype of argument 1: i32[3,4] was f32[3,4]\n"
                 "jit: plus_one is compiled again: different option: not fused\n"
                 "jit: plus_one is recorded: different option: default float type\n");
}

static void structs_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(5, 4)), out;
    Net n = {kn_ones(KN_SHAPE(4, 3)), kn_ones(KN_SHAPE(3))}, m = {n.w, kn_ones(KN_SHAPE(1))};
    kn_eval(x), kn_eval(n.w), kn_eval(n.b), kn_eval(m.b);
    log_begin();
    kn_fn f = kn_jit(KN_FN(apply_net));
    kn_call(f, &out, &n, &x);
    kn_call(f, &out, &m, &x);
    expect_lines("jit: apply_net is recorded: first call\n"
                 "jit: apply_net is recorded: new shape of argument 0 .b: f64[1] was f64[3]\n");
}

static void plans_say_why(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own); /* so that nobody has planned anything */
        KN_SCOPE;
        kn_array x = kn_of(float, 1, 2), y = kn_of(float, 1, 2, 3), z = kn_of(double, 1, 2, 3), a, b;
        log_begin();
        kn_eval(kn_add(kn_mul(x, x), x));
        kn_eval(kn_add(kn_mul(x, x), x));
        kn_eval(kn_add(kn_mul(y, y), y));
        kn_eval(kn_add(kn_mul(z, z), z));
        kn_eval(kn_sum(y, .axis = KN_AXIS(0)));
        kn_eval(kn_sum(y, .axis = KN_AXIS(0), .keepdims = true));
        a = kn_mul(x, x);
        b = kn_keep(kn_add(a, x));
        kn_keep(a);
        kn_eval(b);
        kn_set_lazy(false);
        kn_mul(x, x);
        kn_set_lazy(true);
        kn_eval(kn_mul(x, x));
    }
    expect_lines("plan: 2 operations up to add: first time\n"
                 "plan: 2 operations up to add: new shape of operand 0: f32[3] was f32[2]; "
                 "from now on for all extents\n"
                 "plan: 2 operations up to add: new dtype of operand 0: f64[3] was f32[3]\n"
                 "plan: 1 operation up to sum: first time\n"
                 "plan: 2 operations up to sum: first time\n"
                 "plan: 2 operations up to add: other results are wanted\n"
                 "plan: 1 operation up to multiply: first time\n"
                 "plan: 1 operation up to multiply: different option: fused\n");
    assert_int_equal(kn_context_free(own), 0);
}

/* ---- Counters and bounds. */

static void evicted_plans_say_so(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = kn_of(float, 1, 2);
        kn_eval(kn_neg(x));
        assert_int_equal(kn_cache_stats().plans.entries, 1);
        assert_true(kn_cache_stats().plans.bytes > 0);
        size_t before = kn_set_cache_limit(KN_CACHE_PLANS, 1);
        assert_int_equal(kn_cache_stats().plans.limit, 1);
        kn_eval(kn_abs(x));
        kn_stats s = kn_cache_stats().plans;
        assert_int_equal(s.entries, 1); /* the newest stays */
        assert_int_equal(s.evicted, 1);
        log_begin();
        kn_eval(kn_neg(x));
        expect_lines("plan: 1 operation up to negative: evicted before\n");
        assert_int_equal(kn_set_cache_limit(KN_CACHE_PLANS, before), 1);
        s = kn_cache_stats().plans;
        kn_eval(kn_neg(x));
        assert_int_equal(kn_cache_stats().plans.hits, s.hits + 1);
        assert_int_equal(kn_cache_stats().plans.misses, s.misses);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static void evicted_recordings_say_so(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = kn_of(float, 1, 2), y = kn_of(float, 1, 2, 3);
        kn_fn f = kn_jit(KN_FN(plus_one));
        call_one(f, x);
        kn_stats s = kn_cache_stats().traces;
        assert_int_equal(s.entries, 1);
        assert_true(s.bytes > 100 && s.limit > s.bytes);
        kn_set_cache_limit(KN_CACHE_TRACES, s.bytes);
        call_one(f, y);
        s = kn_cache_stats().traces;
        assert_int_equal(s.entries, 1);
        assert_int_equal(s.evicted, 1);
        log_begin();
        call_one(f, x);
        expect_lines("jit: plus_one is recorded: evicted before\n");
        assert_int_equal(kn_fn_trace_count(f), 3);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static void kernels_are_counted_and_bounded(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = kn_of(float, 1, 2), y = kn_of(float, 1, 2, 3);
        kn_eval(kn_sin(x));
        kn_stats s = kn_cache_stats().kernels;
        assert_true(s.entries == 1 && s.misses == 1 && s.hits == 0 && s.bytes > 0 && s.bytes < s.limit);
        kn_eval(kn_sin(y)); /* the same kernel for another shape */
        s = kn_cache_stats().kernels;
        assert_true(s.entries == 1 && s.misses == 1 && s.hits == 1);
        kn_set_cache_limit(KN_CACHE_KERNELS, 0);
        kn_eval(kn_cos(y));
        s = kn_cache_stats().kernels;
        assert_true(s.entries == 1 && s.misses == 2 && s.evicted == 1 && s.limit == 0);
        expect_values(kn_neg(kn_sin(kn_zeros(KN_SHAPE(1)))), -0.0);
    }
    assert_int_equal(kn_context_free(own), 0);
    kn_set_cache_limit((kn_cache)17, 1);
    expect_error("ValueError", "set_cache_limit: there is no cache number 17");
}

/* Products of so many, and as many sums: a kernel for each number. */
static void run_chain(kn_array x, int n, bool sums)
{
    KN_SCOPE;
    kn_array y = x;
    for (int i = 0; i < n; i++)
        y = sums ? kn_add(y, kn_mul(y, x)) : kn_mul(y, x);
    kn_eval(y);
}

/* Code is made when a kernel first runs, so what is too much is not known yet when the kernel comes. */
static void idle_kernels_go_before_recordings(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = kn_of(float, 1, 2);
        size_t plans = kn_set_cache_limit(KN_CACHE_PLANS, 1); /* the kernels of all plans but the newest are idle */
        call_one(kn_jit(KN_FN(plus_one)), x);
        for (int i = 0; i < 40; i++)
            run_chain(x, i + 2, false);
        kn_cache_stats_result before = kn_cache_stats(), after;
        assert_true(before.kernels_idle > 30);
        kn_set_cache_limit(KN_CACHE_PLANS, plans);
        for (int64_t n = 1; n < 8; n++) { /* plans that share a kernel: none is idle when the oldest goes */
            kn_array z = kn_zeros(KN_SHAPE(n));
            kn_eval(z);
            kn_eval(kn_neg(z));
        }
        for (int i = 0; i < 4; i++) {
            kn_set_cache_limit(KN_CACHE_KERNELS, kn_cache_stats().kernels.bytes);
            run_chain(x, i + 12, true); /* larger than the one that goes for it */
        }
        after = kn_cache_stats();
        assert_true(after.kernels_idle > 0 && after.kernels.bytes <= after.kernels.limit);
        assert_int_equal(after.traces.evicted, 0);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static void code_is_counted(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_cache_stats_result before = kn_cache_stats(), after;
        kn_eval(kn_add(kn_mul(kn_ones(KN_SHAPE(17, 3)), 1.25), kn_expm1(kn_ones(KN_SHAPE(3)))));
        after = kn_cache_stats();
        assert_true(after.code.functions > before.code.functions && after.code.seconds > before.code.seconds);
        assert_true(after.code.bytes > before.code.bytes);
    }
    assert_int_equal(kn_context_free(own), 0);
}

static void freed_memory_is_bounded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(1 << 20), .dtype = KN_F64);
    kn_eval(x);
    kn_release(kn_retain(x));
    assert_true(kn_cache_stats().memory_live >= (size_t)8 << 20);
    size_t before = kn_set_cache_limit(KN_CACHE_MEMORY, (size_t)4 << 20);
    {
        KN_SCOPE;
        kn_eval(kn_add(x, 1));
    }
    assert_true(kn_cache_stats().memory_pooled < (size_t)6 << 20);
    assert_int_equal(kn_set_cache_limit(KN_CACHE_MEMORY, before), (size_t)4 << 20);
    {
        KN_SCOPE;
        kn_eval(kn_add(x, 1));
    }
    assert_true(kn_cache_stats().memory_pooled >= (size_t)8 << 20);
    kn_set_cache_limit(KN_CACHE_MEMORY, 0);
    assert_int_equal(kn_cache_stats().memory_pooled, 0);
    kn_set_cache_limit(KN_CACHE_MEMORY, before);
}

/* ---- Sharing. */

typedef struct Found {
    uint64_t planned, kernels;
    double value;
} Found;

static void *plans_something(void *env)
{
    Found *f = env;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2, 3, 4, 5);
    uint64_t kernels = kn_cache_stats().kernels.misses;
    f->value = kn_item(kn_sum(kn_cos(kn_mul(kn_sub(x, 3), kn_tanh(x)))));
    f->planned = kn_cache_stats().plans.misses;
    f->kernels = kn_cache_stats().kernels.misses - kernels;
    return NULL;
}

static void threads_share_plans_and_kernels(void **state)
{
    (void)state;
    Found mine = {0}, theirs = {0}, apart = {0};
    pthread_t t;
    plans_something(&mine);
    assert_int_equal(pthread_create(&t, NULL, plans_something, &theirs), 0);
    pthread_join(t, NULL);
    assert_int_equal(theirs.planned, 0);
    assert_int_equal(theirs.kernels, 0);
    assert_true(theirs.value == mine.value);
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        plans_something(&apart);
    }
    assert_int_equal(apart.planned, 1);
    assert_true(apart.kernels > 0 && apart.value == mine.value);
    assert_int_equal(kn_context_free(own), 0);
}

/* The same structures planned and evicted by all at once. */
static void *plans_much(void *env)
{
    uint64_t seed = (uintptr_t)env;
    intptr_t bad = 0;
    for (int i = 0; i < 200; i++) {
        KN_SCOPE;
        int n = 1 + (int)(seed = seed * 6364136223846793005u + 1) % 7;
        n = n < 1 ? 8 - n : n;
        kn_array x = kn_arange(0, n, 1, .dtype = KN_F64);
        if (i % 50 == 0)
            kn_set_cache_limit(KN_CACHE_PLANS, i % 100 ? 20000 : 64 << 20);
        bad |= kn_item(kn_sum(kn_add(kn_mul(x, 2), 1))) != n * n;
        bad |= kn_item(kn_max(kn_sub(x, n))) != -1;
    }
    return (void *)bad;
}

static void many_threads_plan_at_once(void **state)
{
    (void)state;
    size_t limit = kn_cache_stats().plans.limit;
    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, plans_much, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    kn_set_cache_limit(KN_CACHE_PLANS, limit);
}

/* Transformations that nobody jits are remembered, too, and go as recordings do. */
static kn_array tripled(const double *by, const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), *by)); }
KN_FUNCTION_ENV(tripled, kn_array, double, kn_array)

static void what_is_remembered_without_jit_goes_too(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        for (int i = 0; i < 50; i++) {
            KN_SCOPE;
            double by = 3 + i;
            kn_array x = kn_of(double, 1, 2), y;
            kn_call(kn_grad(KN_FN_ENV(tripled, &by)), &y, &x);
            kn_eval(y);
        }
        kn_set_cache_limit(KN_CACHE_TRACES, 0);
        assert_int_equal(kn_cache_stats().traces.bytes, 0);
    }
    assert_int_equal(kn_context_free(c), 0);
}

/* A function with a number, what is made of it, and a call of each. */
static void use_of(double by, bool forgets)
{
    kn_fn f;
    {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2), y;
        f = kn_retain(KN_FN_ENV(tripled, &by));
        kn_call(kn_jit(f), &y, &x);
        kn_call(kn_jit(kn_grad(f)), &y, &x);
        kn_call(kn_grad(f), &y, &x);
        kn_call(kn_vmap(kn_jit(f)), &y, &x);
        kn_eval(y);
    }
    if (forgets)
        kn_forget(f);
    else
        kn_release(f);
}

static void what_is_forgotten_leaves_nothing_behind(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        use_of(1, false);
        kn_stats before = kn_cache_stats().traces, after;
        assert_true(before.entries >= 2);
        for (int i = 0; i < 50; i++)
            use_of(2 + i, true);
        after = kn_cache_stats().traces;
        assert_int_equal(after.entries, before.entries);
        assert_int_equal(after.bytes, before.bytes);
        use_of(1, true); /* it was found again */
        assert_int_equal(kn_cache_stats().traces.entries, 0);
        assert_int_equal(kn_cache_stats().traces.bytes, 0);
    }
    assert_int_equal(kn_context_free(c), 0);
}

typedef struct dual {
    kn_array value, residual;
} dual;
static dual tripled_forward(const double *by, const kn_array *x) { return (dual){kn_mul(*x, *by), *x}; }
KN_FUNCTION_ENV(tripled_forward, dual, double, kn_array)
typedef struct cotangent {
    kn_array x;
} cotangent;
static cotangent tripled_backward(const double *by, const kn_array *residual, const kn_array *ct)
{
    (void)residual;
    return (cotangent){kn_mul(*ct, *by)};
}
KN_FUNCTION_ENV(tripled_backward, cotangent, double, kn_array, kn_array)

/* In whichever order a function and its rules go. */
static void rules_go_with_their_function(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        for (int i = 0; i < 10; i++) {
            double by = 2 + i;
            kn_fn part[3];
            {
                KN_SCOPE;
                kn_array s = kn_scalar(3.0), y;
                part[0] = kn_retain(KN_FN_ENV(tripled, &by));
                part[1] = kn_retain(KN_FN_ENV(tripled_forward, &by));
                part[2] = kn_retain(KN_FN_ENV(tripled_backward, &by));
                kn_fn f = kn_custom_vjp(part[0], part[1], part[2]);
                kn_call(kn_jit(f), &y, &s);
                kn_call(kn_jit(kn_grad(f)), &y, &s);
                kn_eval(y);
            }
            for (int k = 0; k < 3; k++)
                kn_forget(part[(i + k) % 3]);
        }
        assert_int_equal(kn_cache_stats().traces.entries, 0);
        assert_int_equal(kn_cache_stats().traces.bytes, 0);
    }
    assert_int_equal(kn_context_free(c), 0);
}

static void what_somebody_has_is_not_forgotten(void **state)
{
    (void)state;
    KN_SCOPE;
    double by = 7;
    kn_fn f = kn_retain(KN_FN_ENV(tripled, &by)), jitted = kn_jit(f);
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(jitted, &y, &x);
    kn_forget(f);
    assert_int_equal(kn_fn_trace_count(jitted), 1);
    kn_call(jitted, &y, &x);
    assert_int_equal(kn_fn_trace_count(jitted), 1);
    kn_forget(NULL);
    expect_error_with("TypeError", "forget");
}

KN_TEST_GROUP(test_caches)
{
    const struct CMUnitTest tests[] = {
        TEST(recordings_say_why),
        TEST(structs_are_named),
        TEST(plans_say_why),
        TEST(evicted_plans_say_so),
        TEST(evicted_recordings_say_so),
        TEST(kernels_are_counted_and_bounded),
        TEST(rules_go_with_their_function),
        TEST(idle_kernels_go_before_recordings),
        TEST(code_is_counted),
        TEST(freed_memory_is_bounded),
        TEST(threads_share_plans_and_kernels),
        TEST(what_is_remembered_without_jit_goes_too),
        TEST(what_is_forgotten_leaves_nothing_behind),
        TEST(what_somebody_has_is_not_forgotten),
        TEST(many_threads_plan_at_once),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
