/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_checks.c -- indices that are out of bounds on a WebGPU device: the error is the host's, with the user's
 * line, when the values are looked at or waited for; what has nothing to do with them is as good as before; and who
 * indexes well waits for nothing. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>
#include <string.h>

static kng_gpu *g;

static kn_array put(kn_array x, bool there) { return there ? kn_device_put(x, kn_find_device("webgpu:0")) : x; }
static kn_array numbers(bool there) { return put(kn_arange(0, 12, 1, KN_F32), there); }
static kn_array indices(bool there, kn_dtype d, int n, const int64_t *v)
{
    kn_array x = kn_from_memory(v, &KN_SHAPE(n), KN_I64);
    return put(kn_astype(x, d), there);
}

/* ---- The host's words. */

typedef kn_array (*fails)(bool there);

static kn_array takes_too_far(bool there)
{
    return kn_take(numbers(there), indices(there, KN_I32, 4, (int64_t[]){3, 12, 40, 1}));
}
static kn_array takes_from_before(bool there)
{
    return kn_take(numbers(there), indices(there, KN_I64, 3, (int64_t[]){-12, -13, 0}));
}
static kn_array takes_by_bytes(bool there)
{
    return kn_take(numbers(there), indices(there, KN_U8, 3, (int64_t[]){1, 2, 200}));
}
static kn_array takes_by_small_ones(bool there)
{
    return kn_take(numbers(there), indices(there, KN_I16, 3, (int64_t[]){1, -300, 200}));
}
static kn_array takes_what_no_word_holds(bool there)
{
    return kn_take(numbers(there), indices(there, KN_I64, 2, (int64_t[]){5, 5000000000}));
}
static kn_array takes_rows(bool there)
{
    kn_array x = kn_reshape(numbers(there), KN_SHAPE(3, 4));
    return kn_take(x, indices(there, KN_I64, 2, (int64_t[]){2, 3}), KN_AXIS(0));
}
static kn_array takes_along(bool there)
{
    kn_array x = kn_reshape(numbers(there), KN_SHAPE(3, 4)), i = indices(there, KN_I32, 3, (int64_t[]){1, 4, -9});
    return kn_take_along_axis(x, kn_expand_dims(i, KN_AXIS(-1)), KN_AXIS(-1));
}
/* The second axis is looked at when all of the first is well. */
static kn_array takes_by_two(bool there)
{
    kn_array x = kn_reshape(numbers(there), KN_SHAPE(3, 4)), i = indices(there, KN_I64, 3, (int64_t[]){0, 1, 7}),
             j = indices(there, KN_I64, 3, (int64_t[]){9, 1, 2});
    return kn_at(x, "%, %", i, j);
}
static kn_array takes_by_two_of_the_second(bool there)
{
    kn_array x = kn_reshape(numbers(there), KN_SHAPE(3, 4)), i = indices(there, KN_I64, 3, (int64_t[]){0, 1, 2}),
             j = indices(there, KN_I64, 3, (int64_t[]){3, -5, 2});
    return kn_at(x, "%, %", i, j);
}
static kn_array one_of(const kn_array *x, const kn_array *i) { return kn_mul(kn_take(*x, *i), 2); }
KN_FUNCTION(one_of, kn_array, kn_array, kn_array)
static kn_array takes_in_a_function(bool there)
{
    kn_array y, x = numbers(there), i = indices(there, KN_I64, 2, (int64_t[]){2, 30});
    kn_call(kn_jit(KN_FN(one_of)), &y, &x, &i);
    return y;
}
static kn_array puts_too_far(bool there)
{
    kn_array x = kn_copy(numbers(there));
    kn_set_at(x, 7, "%", indices(there, KN_I64, 3, (int64_t[]){0, 1, 12}));
    return x;
}

static const struct {
    const char *name;
    fails make;
} failing[] = {
#define ROW(f) \
    {          \
#f, f  \
    }
    ROW(takes_too_far),
    ROW(takes_from_before),
    ROW(takes_by_bytes),
    ROW(takes_by_small_ones),
    ROW(takes_what_no_word_holds),
    ROW(takes_rows),
    ROW(takes_along),
    ROW(takes_by_two),
    ROW(takes_by_two_of_the_second),
    ROW(takes_in_a_function),
    ROW(puts_too_far),
#undef ROW
};

static void message_of(fails make, bool there, char *text, size_t room, int *line)
{
    KN_SCOPE;
    kn_array y = make(there);
    if (there)
        assert_int_equal(kn_device_of(y) == kn_find_device("webgpu:0"), true);
    (void)kn_data(y, float);
    assert_true(kn_error_pending());
    snprintf(text, room, "%s: %s", kn_error_kind_name(), kn_error_message());
    *line = kn_error_line();
    kn_error_clear();
}

static void the_words_and_the_line_are_the_hosts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        char here[256], there[256];
        int line, other;
        message_of(failing[i].make, false, here, sizeof here, &line);
        message_of(failing[i].make, true, there, sizeof there, &other);
        if (strcmp(here, there) != 0 || line != other)
            printf("%s: here %s (line %d)\n  there %s (line %d)\n", failing[i].name, here, line, there, other);
        assert_string_equal(there, here);
        assert_int_equal(other, line);
    }
}

/* ---- What fails, and what does not. */

static void what_has_nothing_to_do_with_it_is_good(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), bad = indices(true, KN_I64, 2, (int64_t[]){1, 99}),
             good = indices(true, KN_I64, 2, (int64_t[]){1, 11});
    kn_array before = kn_take(x, good), y = kn_take(x, bad), after = kn_take(x, good);
    expect_no_error();
    expect_values(after, 1, 11);
    expect_values(before, 1, 11);
    expect_values(kn_add(after, 1), 2, 12);
    for (int i = 0; i < 2; i++) {
        (void)kn_data(y, float);
        expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
    }
    expect_values(x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
}

/* A chain of values that nobody looks at goes on around a failure that is not its own. */
static void a_chain_around_it_is_good(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), bad = indices(true, KN_I64, 2, (int64_t[]){1, 99}),
             good = indices(true, KN_I64, 2, (int64_t[]){1, 11}), turn = indices(true, KN_I64, 2, (int64_t[]){1, 0});
    kn_array chain = kn_take(x, good);
    kn_array lost = kn_take(x, bad);
    for (int i = 0; i < 1101; i++) {
        KN_SCOPE;
        kn_assign(&chain, kn_take(chain, turn));
    }
    expect_no_error();
    expect_values(chain, 11, 1);
    (void)kn_data(lost, float);
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
}

static void what_comes_from_it_fails_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), bad = indices(true, KN_I64, 2, (int64_t[]){1, 99});
    kn_array y = kn_take(x, bad), early = kn_add(y, 1);
    kn_eval(early);
    expect_no_error();
    kn_block_until_ready(early);
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
    kn_array late = kn_mul(early, 2); /* it is known by now */
    kn_eval(late);
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
    kn_array wide = kn_astype(early, KN_F64); /* on the host */
    kn_eval(wide);
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
}

static kn_array goes_on(const kn_array *at)
{
    return kn_less(kn_take(kn_arange(1, 5, 1, KN_I32), kn_at(*at, "0")), 100);
}
KN_FUNCTION(goes_on, kn_array, kn_array)
static kn_array next_of(const kn_array *at) { return kn_add(*at, 1); }
KN_FUNCTION(next_of, kn_array, kn_array)

/* On the device nothing else would end it. */
static void a_loop_that_runs_out_of_bounds_ends(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y, x = put(kn_of(int32_t, 0), true);
    kn_while_loop(KN_FN(goes_on), KN_FN(next_of), &y, &x);
    (void)kn_data(y, int32_t);
    expect_error_with("IndexError", "index 4 is out of bounds for axis 0 with size 4");
}

static void many_runs_wait_for_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), good = indices(true, KN_I64, 12, (int64_t[]){11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    kn_eval(kn_take(x, good));
    kng_counters before = g->counters;
    for (int i = 0; i < 501; i++) {
        KN_SCOPE;
        kn_assign(&x, kn_take(x, good));
    }
    assert_int_equal(g->counters.waits, before.waits);
    assert_int_equal(g->counters.bytes_down, before.bytes_down);
    expect_values(x, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* 64 indices, of which the second is `at`: more than what goes with a launch by value. */
static kn_array many_indices(int64_t at)
{
    int64_t v[64] = {3, at};
    for (int k = 2; k < 64; k++)
        v[k] = k % 12;
    return indices(true, KN_I32, 64, v);
}

static kn_array spectrum(const kn_array *x) { return kn_fft_fft(kn_mul(*x, 2.0f)); }
KN_FUNCTION(spectrum, kn_array, kn_array)

/* What runs on the host, of a value whose run nobody has looked at yet. */
static void steps_of_the_host_behind_it_fail_too(void **state)
{
    (void)state;
    for (int jitted = 0; jitted < 2; jitted++) {
        KN_SCOPE;
        kn_array z, y = kn_take(numbers(true), many_indices(40));
        kn_eval(y);
        if (jitted)
            kn_call(kn_jit(KN_FN(spectrum)), &z, &y);
        else
            z = spectrum(&y);
        (void)kn_data(kn_real(z), float);
        expect_error_with("IndexError", "take: index 40 is out of bounds for axis 0 with size 12");
    }
}

static kn_array first_of(const kn_array *x) { return kn_less(kn_at(*x, "0"), 5); }
KN_FUNCTION(first_of, kn_array, kn_array)
static kn_array more(const kn_array *x) { return kn_add(*x, 1); }
KN_FUNCTION(more, kn_array, kn_array)

static void loops_over_it_fail_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z, y = kn_take(numbers(true), many_indices(40));
    kn_eval(y);
    kn_while_loop(KN_FN(first_of), KN_FN(more), &z, &y);
    (void)kn_data(z, float);
    expect_error_with("IndexError", "take: index 40 is out of bounds for axis 0 with size 12");
}

static int takes_well(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    kn_eval(kn_take(numbers(true), many_indices(2)));
    return 0;
}
static kn_array takes_around(const kn_array *x, const kn_array *i, const kn_array *j)
{
    kn_array a = kn_take(*x, *i);
    kn_debug_callback(takes_well, NULL, KN_LIST(a));
    return kn_add(a, kn_take(*x, *j));
}
KN_FUNCTION(takes_around, kn_array, kn_array, kn_array, kn_array)

/* The user's function runs in the midst of a run that fails after it. */
static void runs_may_lie_in_each_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), i = many_indices(4), j = many_indices(40), z;
    kn_call(kn_jit(KN_FN(takes_around)), &z, &x, &i, &j);
    (void)kn_data(z, float);
    expect_error_with("IndexError", "index 40 is out of bounds for axis 0 with size 12");
    kn_call(kn_jit(KN_FN(takes_around)), &z, &x, &i, &i);
    assert_int_equal((int)kn_data(z, float)[0], 6);
    expect_no_error();
}

static void many_failures_are_told_apart(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(true), bad = many_indices(40), fine = many_indices(4), first = kn_take(x, bad);
    kn_eval(first);
    kn_array good = kn_take(x, fine);
    kn_eval(good);
    for (int i = 0; i < 600; i++) {
        KN_SCOPE;
        kn_array y = kn_take(x, bad);
        kn_eval(y);
        if (i % 100 == 99)
            assert_false(kn_ok(y));
        kn_error_clear();
    }
    assert_int_equal((int)kn_data(good, float)[1], 4);
    expect_no_error();
    assert_false(kn_ok(first));
    kn_error_clear();
}

/* A page flushes now and then and never waits: what has come by then is taken by the next flush. */
static void a_flush_takes_what_has_come(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = takes_too_far(true);
    kn_eval(y);
    knd_lock();
    assert_null(kng_flush(g));
    assert_non_null(g->checks.coming);
    int64_t waits = g->counters.waits;
    while (!kng_reading_came(g->checks.coming))
        kng_pump(g);
    assert_null(kng_flush(g));
    assert_null(g->checks.coming);
    assert_int_equal(kng_checks_unknown(g).n, 0);
    assert_int_equal(g->counters.waits, waits);
    knd_unlock();
    assert_null(kn_data(y, float));
    expect_error_with("IndexError", "out of bounds");
}

KN_TEST_GROUP(test_webgpu_checks)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(the_words_and_the_line_are_the_hosts), TEST(what_has_nothing_to_do_with_it_is_good),
        TEST(what_comes_from_it_fails_too),         TEST(a_chain_around_it_is_good),
        TEST(a_loop_that_runs_out_of_bounds_ends),  TEST(many_runs_wait_for_nothing),
        TEST(steps_of_the_host_behind_it_fail_too), TEST(loops_over_it_fail_too),
        TEST(runs_may_lie_in_each_other),           TEST(many_failures_are_told_apart),
        TEST(a_flush_takes_what_has_come),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
