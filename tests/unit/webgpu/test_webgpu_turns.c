/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_turns.c -- small loops on a WebGPU device are one dispatch, however many kernels their bodies have, and
 * have the host's results; others are launched turn by turn, as ever. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

enum { N = 100, VALUES = 8 };
static kng_gpu *g;

typedef struct {
    kn_array u, before, bytes, count;
} Carry;
typedef struct {
    Carry end;
    kn_array total, row, half, was;
} Both;

/* Neighbours, rows that are summed, a carry that is another one of the turn before, bytes and 64-bit integers, outputs
 * of all sizes, one of which is a carry and one what a carry was. */
static Both step(const Carry *c, const kn_array *x)
{
    kn_array u = kn_add(kn_mul(kn_add(kn_roll(c->u, 1), kn_roll(c->u, -1)), 0.25f), kn_mul(*x, 0.5f));
    kn_array total = kn_sum(kn_mul(u, c->before));
    kn_array next = kn_sub(u, kn_div(total, 100.0f));
    kn_array bytes = kn_add(c->bytes, kn_astype(kn_less(kn_flip(next), 0.1f), KN_U8));
    return (Both){{next, c->u, bytes, kn_add(c->count, 3)}, total, next, kn_astype(u, KN_F16), c->before};
}
KN_FUNCTION(step, Both, Carry, kn_array)

/* The sums are no kernel. */
static Both larger_step(const Carry *c, const kn_array *x)
{
    Both b = step(c, x);
    b.end.u = kn_sub(b.end.u, kn_mul(kn_cumsum(b.end.u), 0.01f));
    return b;
}
KN_FUNCTION(larger_step, Both, Carry, kn_array)

typedef struct {
    kn_array end, total;
} Few;
static Few lean_step(const kn_array *c)
{
    kn_array u = kn_mul(kn_add(kn_roll(*c, 1), kn_flip(*c)), 0.5f);
    kn_array high = kn_where(kn_greater(u, 0.9f), kn_full(KN_SHAPE(N), 0.75f, .dtype = KN_F32), u);
    return (Few){kn_sub(high, kn_mean(u)), kn_max(u)};
}
KN_FUNCTION(lean_step, Few, kn_array)
static Few short_scan(const kn_array *x)
{
    Few out = {0};
    kn_scan(KN_FN(lean_step), &out, x, KN_NOTHING, .length = 4);
    return out;
}
static Few long_scan(const kn_array *x)
{
    Few out = {0};
    kn_scan(KN_FN(lean_step), &out, x, KN_NOTHING, .length = 3001);
    return out;
}
KN_FUNCTION(short_scan, Few, kn_array)
KN_FUNCTION(long_scan, Few, kn_array)

static Both onward(const Carry *start, const kn_array *xs)
{
    Both out = {0};
    kn_scan(KN_FN(step), &out, start, xs);
    return out;
}
static Both backward(const Carry *start, const kn_array *xs)
{
    Both out = {0};
    kn_scan(KN_FN(step), &out, start, xs, .reverse = true);
    return out;
}
static Both larger(const Carry *start, const kn_array *xs)
{
    Both out = {0};
    kn_scan(KN_FN(larger_step), &out, start, xs);
    return out;
}
KN_FUNCTION(onward, Both, Carry, kn_array)
KN_FUNCTION(backward, Both, Carry, kn_array)
KN_FUNCTION(larger, Both, Carry, kn_array)
enum { ONWARD, BACKWARD, LARGER };

/* A while whose condition has a row, too, and whose carries have one place or two. */
typedef struct {
    kn_array x, turn, limit, bytes;
} Wave;
static kn_array wave_goes_on(const Wave *w)
{
    return kn_logical_and(kn_less(w->turn, w->limit), kn_less(kn_sum(kn_abs(w->x)), 1e6f));
}
static Wave wave_next(const Wave *w)
{
    kn_array u = kn_mul(kn_add(kn_roll(w->x, 1), kn_flip(w->x)), 0.75f);
    kn_array tamed = kn_logical_and(kn_greater(kn_abs(u), 1000.0f), kn_greater(w->limit, 5000));
    u = kn_where(tamed, kn_mul(u, 0.001f), u);
    kn_array bytes = kn_add(kn_roll(w->bytes, 3), kn_astype(kn_greater(u, 0.0f), KN_U8));
    return (Wave){kn_sub(u, kn_mean(u)), kn_add(w->turn, 1), w->limit, bytes};
}
KN_FUNCTION(wave_goes_on, kn_array, Wave)
KN_FUNCTION(wave_next, Wave, Wave)
static Wave wave(const Wave *start)
{
    Wave end = {0};
    kn_while_loop(KN_FN(wave_goes_on), KN_FN(wave_next), &end, start);
    return end;
}
KN_FUNCTION(wave, Wave, Wave)

/* Derivatives: the turns of the transposed scan go the other way, over residuals. */
static kn_array loss(const kn_array *x)
{
    Few out = {0};
    kn_scan(KN_FN(lean_step), &out, x, KN_NOTHING, .length = 7);
    return kn_add(kn_sum(kn_mul(out.end, out.end)), kn_sum(out.total));
}
KN_FUNCTION(loss, kn_array, kn_array)
static kn_array slope(const kn_array *x)
{
    kn_array y;
    kn_call(kn_grad(KN_FN(loss)), &y, x);
    return y;
}
KN_FUNCTION(slope, kn_array, kn_array)

/* dispatches: of the call. */
static Both run_on(const char *device, int which, int n, int turns, int64_t *dispatches)
{
    kn_device d = kn_find_device(device);
    kn_array i = kn_astype(kn_arange(0, n, 1), KN_F32);
    Carry start = {kn_sin(i), kn_cos(i), kn_zeros(KN_SHAPE(n), .dtype = KN_U8), kn_astype(kn_arange(0, n, 1), KN_I64)};
    kn_array xs = kn_sin(kn_reshape(kn_astype(kn_arange(0, turns * n, 1), KN_F32), KN_SHAPE(turns, n)));
    Both out = {0};
    kn_tree_assign(KN_TREE(&start), kn_tree_device_put(KN_TREE(&start), d));
    xs = kn_device_put(xs, d);
    for (int k = 0; k < 4; k++)
        kn_block_until_ready((&start.u)[k]);
    kn_block_until_ready(xs);
    int64_t before = g->counters.dispatches;
    kn_fn f = which == ONWARD ? KN_FN(onward) : which == BACKWARD ? KN_FN(backward) : KN_FN(larger);
    kn_call(kn_jit(f), &out, &start, &xs);
    kn_block_until_ready(out.was);
    *dispatches = g->counters.dispatches - before;
    return out;
}

static bool same(kn_array a, kn_array b) { return kn_item_bool(kn_all(kn_equal(kn_device_get(a), kn_device_get(b)))); }

static int64_t expect_same(int which, int n, int turns)
{
    KN_SCOPE;
    int64_t dispatches, none;
    Both there = run_on("webgpu:0", which, n, turns, &dispatches), here = run_on("host", which, n, turns, &none);
    assert_true(kn_ok(there.end.u));
    for (int k = 0; k < VALUES; k++)
        if (!same((&there.end.u)[k], (&here.end.u)[k]))
            fail_msg("value %d of %d turns over %d elements", k, turns, n);
    return dispatches;
}

static void any_number_of_turns_has_the_hosts_results(void **state)
{
    static const int turns[] = {0, 1, 2, 3, 8, 31};
    (void)state;
    for (int k = ONWARD; k <= BACKWARD; k++) {
        for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++)
            expect_same(k, N, turns[i]);
        expect_same(k, 1, 5);
        expect_same(k, 65, 4);
        expect_same(k, 1000, 6);
    }
}

static Few lean_on(const char *device, kn_fn f, int64_t *dispatches)
{
    Few out = {0};
    kn_array x = kn_device_put(kn_sin(kn_astype(kn_arange(0, N, 1), KN_F32)), kn_find_device(device));
    kn_block_until_ready(x);
    int64_t before = g->counters.dispatches;
    kn_call(kn_jit(f), &out, &x);
    kn_block_until_ready(out.total);
    *dispatches = g->counters.dispatches - before;
    return out;
}

static int64_t lean_same(kn_fn f)
{
    int64_t dispatches, none;
    Few there = lean_on("webgpu:0", f, &dispatches), here = lean_on("host", f, &none);
    assert_true(same(there.end, here.end));
    assert_true(same(there.total, here.total));
    return dispatches;
}

static void all_turns_are_one_dispatch(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(lean_same(KN_FN(short_scan)), 1);
}

static void derivatives_are_the_hosts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_astype(kn_arange(0, N, 1), KN_F32)), here, there;
    kn_array x_there = kn_device_put(x, kn_find_device("webgpu:0"));
    kn_block_until_ready(x_there);
    kn_call(kn_jit(KN_FN(slope)), &here, &x);
    int64_t before = g->counters.dispatches;
    kn_call(kn_jit(KN_FN(slope)), &there, &x_there);
    kn_block_until_ready(there);
    print_message("a gradient over 7 turns: %lld dispatches\n", (long long)(g->counters.dispatches - before));
    assert_true(same(here, there));
}

static Wave wave_on(const char *device, int turns, int64_t *dispatches, int64_t *waits)
{
    kn_array i = kn_astype(kn_arange(0, N, 1), KN_F32);
    Wave start = {kn_sin(i), kn_astype(kn_scalar(0), KN_I32), kn_astype(kn_scalar(turns), KN_I32),
                  kn_astype(kn_arange(0, N, 1), KN_U8)},
         end = {0};
    kn_tree_assign(KN_TREE(&start), kn_tree_device_put(KN_TREE(&start), kn_find_device(device)));
    for (int k = 0; k < 4; k++)
        kn_block_until_ready((&start.x)[k]);
    kng_counters before = g->counters;
    kn_call(kn_jit(KN_FN(wave)), &end, &start);
    kn_block_until_ready(end.x);
    *dispatches = g->counters.dispatches - before.dispatches;
    *waits = g->counters.waits - before.waits;
    return end;
}

static void a_while_ends_itself(void **state)
{
    static const int turns[] = {0, 1, 2, 3, 8, 31, 1000, 20001};
    (void)state;
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        KN_SCOPE;
        int64_t dispatches, waits, none;
        Wave there = wave_on("webgpu:0", turns[i], &dispatches, &waits), here = wave_on("host", turns[i], &none, &none);
        print_message("%d turns asked for, %d made: %lld dispatches, %lld waits\n", turns[i],
                      (int)kn_item_int(kn_device_get(there.turn)), (long long)dispatches, (long long)waits);
        for (int k = 0; k < 4; k++)
            assert_true(same((&there.x)[k], (&here.x)[k]));
        assert_in_range(dispatches, 1, 1 + turns[i] / 100);
        assert_in_range(waits, 1, 2 + turns[i] / 100);
    }
}

/* More turns than a loop of this device may have are several dispatches. */
static void long_scans_are_cut(void **state)
{
    (void)state;
    KN_SCOPE;
    int64_t many = lean_same(KN_FN(long_scan));
    print_message("3001 turns: %lld dispatches, most turns %u\n", (long long)many, g->facts.most_turns);
    assert_in_range(many, 1, g->facts.most_turns ? 300 : 4);
}

static void other_bodies_are_launched(void **state)
{
    (void)state;
    int64_t few = expect_same(LARGER, N, 4), many = expect_same(LARGER, N, 40);
    assert_true(many > 5 * few);
}

/* A device without such loops has the same results. */
static void turns_that_are_launched_have_the_same_results(void **state)
{
    (void)state;
    g->device.loops = NULL;
    int64_t few = expect_same(ONWARD, N + 1, 4), many = expect_same(ONWARD, N + 1, 40);
    g->device.loops = &kng_loops_table;
    assert_true(many > 5 * few);
}

KN_TEST_GROUP(test_webgpu_turns)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_turns_has_the_hosts_results),
        cmocka_unit_test(all_turns_are_one_dispatch),
        cmocka_unit_test(derivatives_are_the_hosts),
        cmocka_unit_test(a_while_ends_itself),
        cmocka_unit_test(long_scans_are_cut),
        cmocka_unit_test(other_bodies_are_launched),
        cmocka_unit_test(turns_that_are_launched_have_the_same_results),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
