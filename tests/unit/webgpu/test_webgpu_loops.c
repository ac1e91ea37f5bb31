/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_loops.c -- loops on a WebGPU device: a while begins turns before it knows whether they are wanted, and
 * has the host's results all the same, for any number of turns. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

enum { N = 24, MOST = 160 };
static kng_gpu *g;

/* Products, a sort, an inner loop, bytes, and a row that is written where the turn says: all that a body is made of. */
typedef struct {
    kn_array turn, limit, x, w, bytes, seen;
} State;

static kn_array mixed(const kn_array *i, const kn_array *x)
{
    return kn_cumsum(kn_mul(*x, kn_div(1.0f, kn_add(kn_astype(*i, KN_F32), 2.0f))), KN_AXIS(0));
}
KN_FUNCTION(mixed, kn_array, kn_array, kn_array)

static kn_array goes_on(const State *s) { return kn_less(s->turn, s->limit); }
static State next(const State *s)
{
    kn_array x = kn_sort(kn_matmul(s->x, s->w)), y;
    x = kn_div(x, kn_add(kn_max(kn_abs(x)), 0.25f));
    kn_fori_loop(0, 3, KN_FN(mixed), &y, &x);
    kn_array bytes = kn_add(s->bytes, kn_astype(kn_less(kn_at(y, "0"), 0.5f), KN_U8));
    kn_array row = kn_reshape(kn_sum(y, KN_AXIS(0)), KN_SHAPE(1, N));
    kn_array seen = kn_lax_dynamic_update_slice(s->seen, row, KN_LIST(s->turn, 0));
    return (State){kn_add(s->turn, 1), s->limit, kn_sub(y, kn_mean(y)), s->w, bytes, seen};
}
KN_FUNCTION(goes_on, kn_array, State)
KN_FUNCTION(next, State, State)

static State whole(const State *start)
{
    State end = {0};
    kn_while_loop(KN_FN(goes_on), KN_FN(next), &end, start);
    return end;
}
KN_FUNCTION(whole, State, State)

static State begun_on(const char *device, int turns)
{
    kn_array i = kn_astype(kn_arange(0, N * N, 1), KN_F32);
    State s = {kn_astype(kn_scalar(0), KN_I32),       kn_astype(kn_scalar(turns), KN_I32),
               kn_reshape(kn_sin(i), KN_SHAPE(N, N)), kn_reshape(kn_cos(kn_mul(i, 0.7f)), KN_SHAPE(N, N)),
               kn_zeros(KN_SHAPE(N), .dtype = KN_U8), kn_zeros(KN_SHAPE(MOST, N), .dtype = KN_F32)};
    kn_tree_assign(KN_TREE(&s), kn_tree_device_put(KN_TREE(&s), kn_find_device(device)));
    return s;
}

static State run_on(const char *device, int turns)
{
    State end, start = begun_on(device, turns);
    for (int i = 0; i < 6; i++)
        kn_eval((&start.turn)[i]);
    kn_call(kn_jit(KN_FN(whole)), &end, &start);
    kn_block_until_ready(end.seen);
    return end;
}

static bool same(kn_array a, kn_array b) { return kn_item_bool(kn_all(kn_equal(kn_device_get(a), kn_device_get(b)))); }

static void any_number_of_turns_has_the_hosts_results(void **state)
{
    static const int turns[] = {0, 1, 2, 3, 6, 7, 8, 15, 40, 63, 150};
    (void)state;
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        KN_SCOPE;
        State there = run_on("webgpu:0", turns[i]), here = run_on("host", turns[i]);
        assert_true(kn_ok(there.x));
        assert_int_equal(kn_item_int(kn_device_get(there.turn)), turns[i]);
        for (int k = 0; k < 6; k++)
            assert_true(same((&there.turn)[k], (&here.turn)[k]));
    }
}

/* 150 turns: chunks of 1, 2, 4, 8, 16, 32, 64 and 64 more; without a gate a wait for each turn, and for the last look. */
static void a_while_waits_for_chunks_of_turns(void **state)
{
    (void)state;
    KN_SCOPE;
    run_on("webgpu:0", 1); /* shaders are compiled */
    int64_t waits = g->counters.waits;
    run_on("webgpu:0", 150);
    int64_t gated = g->counters.waits - waits;
    g->device.gate = NULL;
    waits = g->counters.waits;
    run_on("webgpu:0", 150);
    g->device.gate = &kng_gate_table;
    print_message("150 turns: %lld waits behind a gate, %lld without one\n", (long long)gated,
                  (long long)(g->counters.waits - waits));
    assert_int_equal(g->counters.waits - waits, gated - 8 + 151);
}

/* More grids than the gate has places for, with the gate shut in the midst of them. */
static void grids_take_the_places_of_older_ones(void **state)
{
    static const char text[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                               "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                               "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {\n"
                               "    if (id.x == 0u) { y[0] += w.x; }\n"
                               "}\n";
    enum { GRIDS = 3 * KNG_GRIDS / 2 };
    uint32_t zero = 0, one = 1, sum = 0;
    knd_memory *m, *flag;
    kng_pipeline *p;
    int64_t passed;
    bool open;
    (void)state;
    knd_lock();
    assert_null(kng_alloc(g, 4, &m));
    assert_null(kng_alloc(g, 4, &flag));
    assert_null(kng_upload(g, m, 0, &zero, 4));
    assert_null(kng_upload(g, flag, 0, &one, 4));
    assert_null(kng_pipeline_for(g, text, &p));
    const kng_bound slot[KNG_SLOTS] = {{.memory = m}};
    assert_null(kng_gate_table.open(&g->device));
    for (int turn = 0; turn < 6; turn++) {
        assert_null(kng_gate_table.ask(&g->device, flag, 0));
        for (uint32_t i = 0; i < GRIDS; i++)
            assert_null(kng_dispatch_text(g, p, slot, (uint32_t[]){i + 1}, 1, (uint32_t[]){i + 1, 1, 1}, NULL, 0));
        if (turn == 3)
            assert_null(kng_upload(g, flag, 0, &zero, 4));
    }
    assert_null(kng_gate_table.count(&g->device, &passed, &open));
    kng_gate_table.close(&g->device);
    assert_null(kng_download(g, &sum, m, 0, 4));
    assert_int_equal(passed, 4);
    assert_false(open);
    assert_int_equal(sum, 4 * GRIDS * (GRIDS + 1) / 2);
    kng_pipeline_release(g, p);
    kng_free(g, m);
    kng_free(g, flag);
    knd_unlock();
}

KN_TEST_GROUP(test_webgpu_loops)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    setenv("KILN_WEBGPU_AHEAD", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_turns_has_the_hosts_results),
        cmocka_unit_test(a_while_waits_for_chunks_of_turns),
        cmocka_unit_test(grids_take_the_places_of_older_ones),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
