/* SPDX-License-Identifier: Apache-2.0
 * test_lazy.c -- lazy recording: plans are found again, temporaries cost no store, recordings stay bounded, and the same bits come out
 * however an expression is run. */
#include "support/expect.h"
#include "support/group.h"
#include "support/stack.h"
#include <pthread.h>

static uint64_t plan_misses(void) { return kn_cache_stats().plans.misses; }

static void a_loop_compiles_nothing_from_its_second_round_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 1, 2, 3);
    uint64_t after_two = 0;
    for (int i = 0; i < 10; i++) {
        KN_SCOPE;
        kn_array g = kn_mul(kn_sin(w), 0.1 * i); /* the number changes: it is an operand, not structure */
        kn_assign(&w, kn_sub(w, g));
        kn_item(kn_sum(w));
        if (i == 2)
            after_two = plan_misses();
    }
    assert_int_equal(plan_misses(), after_two);
}

static void a_long_recording_does_not_run_again_from_the_start(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0);
    for (int i = 0; i < 2000; i++) {
        KN_SCOPE;
        kn_assign(&x, kn_add(x, 1)); /* nobody looks at x itself until the end */
        kn_item(kn_sum(kn_mul(x, 2)));
    }
    expect_values(x, 2000);
}

/* As bindings do: x is a handle of its own, which is let go as soon as there is the next one. More elements than those of arrays whose
 * operations run one by one. */
static void a_loop_by_retain_and_release_does_not_run_again_from_the_start(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(5000));
    uint64_t after_four = 0;
    kn_retain(x);
    for (int i = 0; i < 40; i++) {
        KN_SCOPE;
        kn_array next = kn_add(x, 1);
        kn_retain(next);
        kn_release(x);
        x = next;
        assert_true(kn_item_bool(kn_all(kn_less(x, 1e9)))); /* nobody looks at x itself until the end */
        if (i == 3)
            after_four = plan_misses();
    }
    assert_int_equal(plan_misses(), after_four);
    assert_float_equal(kn_item(kn_max(x)), 40, 0);
    kn_release(x);
}

/* Views are composed again rather than stored, but not without an end. */
static void views_of_views_do_not_grow_without_an_end(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_linspace(0, 4999, 5000);
    uint64_t after = 0;
    kn_retain(x);
    for (int i = 0; i < 60; i++) {
        KN_SCOPE;
        kn_array next = kn_flip(x);
        kn_retain(next);
        kn_release(x);
        x = next;
        kn_item(kn_sum(kn_sin(x)));
        if (i == 29)
            after = plan_misses();
    }
    assert_int_equal(plan_misses(), after);
    assert_float_equal(kn_item(kn_at(x, "1")), 1, 0);
    kn_release(x);
}

/* A state of two arrays, of which what is looked at reads one. */
static void nor_does_one_whose_state_goes_through_another(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(5000)), v = kn_ones(KN_SHAPE(5000));
    uint64_t after = 0;
    kn_retain(x);
    kn_retain(v);
    for (int i = 0; i < 40; i++) {
        KN_SCOPE;
        kn_array v2 = kn_sub(v, kn_mul(x, 0.01)), x2 = kn_add(x, kn_mul(v2, 0.01));
        kn_retain(v2), kn_retain(x2);
        kn_release(v), kn_release(x);
        v = v2, x = x2;
        if (i % 2)
            kn_item(kn_sum(x));
        if (i == 7)
            after = plan_misses();
    }
    assert_int_equal(plan_misses(), after);
    kn_release(x);
    kn_release(v);
}

/* ---- Random loops: three arrays are the state, of which a round makes the next one by some operations. What it looks at is one of these,
 * before or after the state is moved. */

enum { STATES = 3, STEPS = 7, LOOPS = 24, ROUNDS = 96 };

static int draw(uint64_t *state, int n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)n);
}

static kn_array step_of(int op, kn_array a, kn_array b)
{
    switch (op) {
    case 0: return kn_add(a, b);
    case 1: return kn_mul(a, 0.5);
    case 2: return kn_sin(a);
    case 3: return kn_sub(a, kn_mul(b, 0.1));
    case 4: return kn_flip(a);
    case 5: return kn_add(a, kn_mean(b));
    case 6: return kn_exp(kn_neg(kn_abs(a)));
    case 7: return kn_where(kn_less(a, b), a, b);
    case 8: return kn_reshape(kn_transpose(kn_reshape(a, KN_SHAPE(50, 100))), KN_SHAPE(5000));
    default: return kn_cumsum(kn_mul(a, 0.001));
    }
}

static void a_random_loop(uint64_t seed)
{
    KN_SCOPE;
    kn_array x[STATES];
    int op[STEPS], a[STEPS], b[STEPS], next[STATES];
    for (int i = 0; i < STEPS; i++)
        op[i] = draw(&seed, 10), a[i] = draw(&seed, STATES + i), b[i] = draw(&seed, STATES + i);
    for (int i = 0; i < STATES; i++) {
        next[i] = draw(&seed, 4) ? STATES + draw(&seed, STEPS) : draw(&seed, STATES);
        x[i] = kn_linspace(-1, 1 + i, 5000);
        kn_retain(x[i]);
    }
    int look = STATES + draw(&seed, STEPS), before = draw(&seed, 2), also = draw(&seed, 2 * STATES);
    uint64_t after = 0;
    for (int k = 0; k < ROUNDS; k++) {
        KN_SCOPE;
        kn_array v[STATES + STEPS];
        memcpy(v, x, sizeof x);
        for (int i = 0; i < STEPS; i++)
            v[STATES + i] = step_of(op[i], v[a[i]], v[b[i]]);
        if (before)
            kn_item(kn_sum(v[look]));
        for (int i = 0; i < STATES; i++)
            kn_retain(v[next[i]]);
        for (int i = 0; i < STATES; i++)
            kn_release(x[i]), x[i] = v[next[i]];
        if (!before)
            kn_item(kn_sum(v[look]));
        if (also < STATES && k % 3 == 0)
            kn_item(kn_sum(x[also]));
        if (k == ROUNDS / 2 - 1)
            after = plan_misses();
    }
    assert_int_equal(plan_misses(), after);
    for (int i = 0; i < STATES; i++)
        kn_release(x[i]);
}

static void random_loops_come_to_rest(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < LOOPS; i++)
        a_random_loop(12345 + 977 * i);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MANY = 200000 };
#else
enum { MANY = 1000000 };
#endif

static void *chain_of_a_million(void *out)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1);
    for (int i = 0; i < MANY; i++) {
        KN_SCOPE;
        kn_assign(&x, kn_add(x, 1));
    }
    *(double *)out = kn_item(kn_sum(x));
    kn_shutdown();
    return NULL;
}

static kn_array million(const kn_array *x)
{
    kn_array y = kn_keep(kn_add(*x, 0));
    for (int i = 0; i < MANY; i++) {
        KN_SCOPE;
        kn_assign(&y, kn_add(y, 1));
    }
    return y;
}
KN_FUNCTION(million, kn_array, kn_array)

static void *jitted_million(void *out)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1), y;
    kn_call(kn_jit(KN_FN(million)), &y, &x);
    *(double *)out = kn_item(kn_sum(y));
    kn_shutdown();
    return NULL;
}

/* Sanitizers and debug builds use more stack per frame; the figure is for what ships. */
static double on_a_small_stack(void *(*run)(void *))
{
    double result = 0;
    pthread_t thread;
    pthread_attr_t attr;
    size_t bytes = 64 << 10;
#if defined(__SANITIZE_ADDRESS__) || defined(KN_DEBUG)
    bytes = 1 << 20;
#endif
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, test_stack(bytes)), 0);
    assert_int_equal(pthread_create(&thread, &attr, run, &result), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    return result;
}

static void a_million_eager_operations_on_a_small_stack(void **state)
{
    (void)state;
    assert_true(on_a_small_stack(chain_of_a_million) == 2 * MANY + 1);
}

static void a_graph_of_a_million_operations_on_a_small_stack(void **state)
{
    (void)state;
    assert_true(on_a_small_stack(jitted_million) == 2 * MANY + 1);
}

static void an_unread_chain_is_released_without_running(void **state)
{
    (void)state;
    KN_SCOPE;
    uint64_t before = plan_misses(), hits = kn_cache_stats().plans.hits;
    {
        KN_SCOPE;
        kn_array x = kn_of(double, 1);
        for (int i = 0; i < 1000; i++)
            x = kn_add(x, 1);
    }
    assert_int_equal(plan_misses(), before);
    assert_int_equal(kn_cache_stats().plans.hits, hits);
}

static kn_array messy(const kn_array *x)
{
    kn_array a = kn_sin(*x), b = kn_mul(kn_exp(kn_mul(*x, -0.1)), a), c = kn_tanh(b);
    return kn_add(kn_mean(kn_add(c, kn_mul(0.1, b))), kn_sum(kn_max(kn_reshape(c, KN_SHAPE(10, -1)), KN_AXIS(1))));
}
KN_FUNCTION(messy, kn_array, kn_array)

static void eager_lazy_and_jit_give_the_same_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_linspace(-3, 7, 1000), jitted, grad_jit, grad_lazy, grad_eager;
    double lazy = kn_item(messy(&x));
    kn_call(kn_jit(KN_FN(messy)), &jitted, &x);
    kn_call(kn_grad(KN_FN(messy)), &grad_lazy, &x);
    kn_call(kn_jit(kn_grad(KN_FN(messy))), &grad_jit, &x);
    kn_set_lazy(false);
    double eager = kn_item(messy(&x));
    kn_call(kn_grad(KN_FN(messy)), &grad_eager, &x);
    kn_eval(grad_eager);
    kn_set_lazy(true);
    assert_true(lazy == eager && lazy == kn_item(jitted));
    assert_true(kn_array_equal(grad_lazy, grad_jit));
    assert_true(kn_array_equal(grad_lazy, grad_eager));
}

static void what_depends_on_a_failure_carries_it_and_the_rest_is_sound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), good = kn_add(x, 1);
    kn_array bad = kn_take(x, kn_of(int64_t, 5), KN_AXIS(0)), later = kn_add(bad, 1);
    assert_false(kn_ok(later));
    expect_error("IndexError", "take: index 5 is out of bounds for axis 0 with size 2");
    expect_values(good, 2, 3);
}

static void count_step(void *n, const kn_step *step)
{
    (void)step;
    ++*(int *)n;
}

static void views_of_what_is_there_are_handed_on_as_they_are(void **state)
{
    (void)state;
    KN_SCOPE;
    int steps = 0;
    kn_array x = kn_of(double, 1, 2, 3, 4), y = kn_at(x, "1:"), kept = kn_keep(kn_at(x, "::2"));
    kn_array all = kn_concatenate(KN_LIST(y, kn_at(y, ":1"), kept));
    kn_on_step(count_step, &steps);
    kn_eval(all);
    kn_on_step(NULL, NULL);
    assert_int_equal(steps, 1); /* no copies of the parts */
    kn_set_at(x, 9, "2");
    expect_values(all, 2, 3, 4, 2, 1, 3);
    expect_values(kept, 1, 9);
    kn_release(kept);
}

KN_TEST_GROUP(test_lazy)
{
    const struct CMUnitTest tests[] = {
        TEST(a_loop_compiles_nothing_from_its_second_round_on),
        TEST(a_long_recording_does_not_run_again_from_the_start),
        TEST(a_loop_by_retain_and_release_does_not_run_again_from_the_start),
        TEST(views_of_views_do_not_grow_without_an_end),
        TEST(random_loops_come_to_rest),
        TEST(nor_does_one_whose_state_goes_through_another),
        TEST(a_million_eager_operations_on_a_small_stack),
        TEST(a_graph_of_a_million_operations_on_a_small_stack),
        TEST(an_unread_chain_is_released_without_running),
        TEST(eager_lazy_and_jit_give_the_same_bits),
        TEST(what_depends_on_a_failure_carries_it_and_the_rest_is_sound),
        TEST(views_of_what_is_there_are_handed_on_as_they_are),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
