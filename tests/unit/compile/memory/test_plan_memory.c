/* SPDX-License-Identifier: Apache-2.0
 * test_plan_memory.c -- the memory plan against an independent reading of the steps: values that live at the same
 * time never overlap, the peak is what is touched. */
#include "support/group.h"
#include "support/rows.h"

#include "base/pool.h"

/* The passes up to the memory plan, as in compile.c, on a jaxpr that calls nothing. */
static void plan(knc_plan *p, const kni_jaxpr *j, const knc_compile_options *o)
{
    *p = (knc_plan){.j = j, .o = o, .p = knx_alloc_zero(sizeof(knc_program))};
    p->value = knx_arena_zero(&p->scratch, (j->n_var + 1) * sizeof *p->value);
    p->literal_slot = knx_arena_alloc(&p->scratch, (j->n_literal + 1) * sizeof *p->literal_slot);
    memset(p->literal_slot, 0xff, (j->n_literal + 1) * sizeof *p->literal_slot);
    atomic_init(&p->p->refs, 1);
    p->p->jaxpr = kni_retain(j);
    p->p->n_operand = j->n_const + j->n_in;
    p->p->n_output = j->n_out;
    p->p->note = knx_arena_zero(&p->p->arena, (j->n_eqn + 1) * sizeof *p->p->note);
    test_ok(knc_group_equations(p));
    test_ok(knc_place_values(p));
    test_ok(knc_lower(p));
    test_ok(knc_order_steps(p));
}

static void end(knc_plan *p)
{
    knc_release(p->p);
    knx_arena_free(&p->scratch);
    KN_VEC_FREE(&p->group);
    KN_VEC_FREE(&p->use);
    KN_VEC_FREE(&p->row);
    KN_VEC_FREE(&p->slot);
    KN_VEC_FREE(&p->step);
    KN_VEC_FREE(&p->reuse);
    KN_VEC_FREE(&p->update);
}

typedef struct life {
    uint32_t first, last;
    bool seen, placed;
    size_t at; /* in the workspace */
} life;

/* Lifetimes from the references of the steps, then the plan, then every pair of temporaries. */
static void check(const kni_jaxpr *j, bool fuse, const bool *donated)
{
    knc_plan p;
    knc_compile_options o = {.target = knd_host.target(&knd_host), .fuse = fuse, .donated = donated};
    plan(&p, j, &o);
    size_t n = p.slot.n;
    life *l = calloc(n + 1, sizeof *l);
    uint32_t **slot = calloc(p.p->n_step + 1, sizeof *slot), n_step = p.p->n_step; /* copies in place go away */
    for (uint32_t s = 0; s < p.p->n_step; s++) {
        slot[s] = calloc(p.p->step[s].n_ref + 1, sizeof **slot);
        for (uint32_t r = 0; r < p.p->step[s].n_ref; r++) {
            uint32_t x = slot[s][r] = p.p->step[s].ref[r].index;
            if (!l[x].seen)
                l[x].first = s;
            l[x].last = s;
            l[x].seen = true;
        }
    }
    test_ok(knc_plan_memory(&p));
    size_t end_of_all = 0;
    for (size_t x = 0; x < n; x++) {
        if (!l[x].seen || p.slot.at[x].space != KNC_AT_WORK)
            continue;
        uint32_t root = p.slot.at[x].over == KNC_NO ? (uint32_t)x : p.slot.at[x].over;
        if (p.slot.at[root].space != KNC_AT_WORK)
            continue;
        l[x].at = p.slot.at[root].offset;
        l[x].placed = true;
        assert_int_equal(l[x].at % 64, 0);
        size_t e = (l[x].at + p.slot.at[x].bytes + 63) / 64 * 64;
        end_of_all = e > end_of_all ? e : end_of_all;
        for (size_t y = 0; y < x; y++) {
            if (!l[y].placed || !p.slot.at[x].bytes || !p.slot.at[y].bytes)
                continue;
            bool overlap = l[x].at < l[y].at + p.slot.at[y].bytes && l[y].at < l[x].at + p.slot.at[x].bytes;
            bool together = l[x].first <= l[y].last && l[y].first <= l[x].last;
            bool in_turn = l[x].first == l[y].last || l[y].first == l[x].last; /* one takes over the other's place */
            if (overlap && together && !(in_turn && l[x].at == l[y].at && p.slot.at[x].bytes == p.slot.at[y].bytes))
                fail_msg("values %zu and %zu overlap", x, y);
        }
    }
    assert_int_equal(end_of_all, p.p->workspace);
    for (uint32_t s = 0; s < n_step; s++)
        free(slot[s]);
    free(slot);
    free(l);
    end(&p);
}

static void live_values_never_overlap(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 400; seed++) {
        kni_jaxpr *j = test_random_jaxpr(seed, 60);
        bool donated[MANY] = {false};
        for (int i = 0; i < MANY; i++)
            donated[i] = (seed >> (i % 8) & 1) != 0;
        check(j, true, donated);
        check(j, false, NULL);
        kni_release(j);
    }
}

/* Values that one pass over a row stores and the next one reads again. */
static void values_of_several_passes_never_overlap_others(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 1000; seed++) {
        kni_jaxpr *j = test_random_rows(seed);
        bool donated[MANY] = {false};
        for (int i = 0; i < 3; i++)
            donated[i] = (seed >> i & 1) != 0;
        check(j, true, donated);
        kni_release(j);
    }
}

/* Updates of values that die, or are read later, or are outputs, in one size: all may take over each other's places. */
static void updated_values_never_overlap_others(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 600; seed++) {
        uint64_t r = seed;
        kni_builder b;
        knb_init(&b);
        kni_atom v[40] = {knb_invar(&b, F32(8)), knb_invar(&b, F32(8))}, u = knb_invar(&b, F32(1));
        int n = 2;
        for (int i = 3 + test_below(&r, 30); i > 0; i--, n++) {
            kni_atom x = v[n - 1 - test_below(&r, n < 4 ? n : 4)], y = v[test_below(&r, n)],
                     at = knb_integer(&b, KN_DT(I32), test_below(&r, 8));
            switch (test_below(&r, 4)) {
            case 0: v[n] = knb_add(&b, x, y); break;
            case 1: v[n] = knb_rev(&b, x, 1, (int64_t[]){0}); break;
            default: v[n] = knb_dynamic_update_slice(&b, x, u, &at); break;
            }
        }
        kni_jaxpr *j = FINISH(&b, v[n - 1], v[test_below(&r, n)]);
        check(j, true, (bool[]){true, false, true});
        check(j, false, NULL);
        kni_release(j);
    }
}

/* A long program with many temporaries that live for different times takes the other way of placing them. */
static kni_jaxpr *many_temporaries(int n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(16)), kept[7], y = x;
    for (int k = 0; k < 7; k++)
        kept[k] = x;
    for (int i = 0; i < n; i++) {
        y = knb_slice(&b, knb_concatenate(&b, 2, (kni_atom[]){kept[i % 7], kept[i * 3 % 5]}, 0), (int64_t[]){1},
                      (int64_t[]){17}, NULL);
        kept[i % 7] = knb_add(&b, y, kept[(i + 3) % 7]);
    }
    return FINISH(&b, y, kept[0]);
}

static void many_temporaries_never_overlap(void **state)
{
    (void)state;
    kni_jaxpr *j = many_temporaries(700);
    check(j, false, NULL);
    knd_loaded *p = test_compile(j, false);
    assert_true(knc_n_steps(p->program) > 1024);
    assert_true(knd_workspace_bytes(p, 1) < 200000); /* not one place for each */
    knd_release(p);
    kni_release(j);
}

static void a_chain_of_steps_needs_one_place(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1000)), y = x;
    for (int i = 0; i < 50; i++)
        y = knb_neg(&b, y);
    kni_jaxpr *j = FINISH(&b, y);
    knd_loaded *p = test_compile(j, false);
    assert_int_equal(knc_n_steps(p->program), 50);
    assert_int_equal(p->program->workspace, 0); /* all in the output's own buffer */
    assert_int_equal(knd_peak_bytes(p, 1), knd_workspace_bytes(p, 1) + 4000 + 4000);
    knd_release(p);
    kni_release(j);
}

static knd_loaded *sines(int64_t n)
{
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_sin(&b, knb_neg(&b, knb_invar(&b, F32(n)))));
    knd_loaded *p = test_compile(j, true);
    kni_release(j);
    return p;
}

static void only_large_programs_have_work_for_threads(void **state)
{
    (void)state;
    knd_loaded *small = sines(10), *large = sines(10000000), *none = sines(0);
    assert_int_equal(knd_threads(small, 8), 1);
    assert_int_equal(knd_threads(none, 8), 1);
    assert_int_equal(knd_threads(large, 8), 8);
    assert_int_equal(knd_threads(large, 1), 1);
    assert_int_equal(knd_threads(large, 0), knx_threads_available());
    assert_int_equal(knd_workspace_bytes(small, 8), knd_workspace_bytes(small, 1));
    for (int i = 0; i < 3; i++) { /* whatever was asked before */
        assert_true(knd_workspace_bytes(large, 8) >= knd_workspace_bytes(large, 2));
        assert_true(knd_workspace_bytes(large, 2) >= knd_workspace_bytes(large, 1));
        assert_int_equal(knd_peak_bytes(large, 2) - knd_workspace_bytes(large, 2), 80000000);
    }
    knd_release(small);
    knd_release(large);
    knd_release(none);
}

/* Nothing outside of the workspace is touched, and what is touched ends where it ends. */
static void the_workspace_is_what_is_touched(void **state)
{
    (void)state;
    enum { GUARD = 4096 };
    for (uint64_t seed = 1; seed < 60; seed++) {
        kni_jaxpr *j = test_random_jaxpr(seed, 60);
        knd_loaded *p = test_compile(j, false);
        test_operands x = test_make_operands(j, seed);
        size_t bytes = knd_workspace_bytes(p, 1), room = (bytes + 2 * GUARD + 63) / 64 * 64;
        unsigned char *w = aligned_alloc(64, room);
        memset(w, 0xa5, room);
        knx_buffer *out[MANY], *again[MANY];
        test_ok(knd_run(p, x.in, out, w + GUARD));
        for (size_t i = 0; i < GUARD; i++)
            assert_true(w[i] == 0xa5 && w[GUARD + bytes + i] == 0xa5);
        test_ok(knd_run(p, x.in, again, w + GUARD)); /* what the first run left there changes nothing */
        size_t peak = bytes;
        for (int i = 0; i < x.n; i++)
            peak += kni_type_bytes(j->type[i]);
        for (uint32_t k = 0; k < j->n_out; k++) {
            assert_int_equal(test_difference(kni_out_type(j, k), out[k]->data, again[k]->data), -1);
            bool shared = false;
            for (int i = 0; i < x.n; i++)
                shared |= out[k] == x.in[i].buffer;
            for (uint32_t i = 0; i < k; i++)
                shared |= out[k] == out[i];
            peak += shared ? 0 : kni_type_bytes(kni_out_type(j, k));
        }
        assert_int_equal(knd_peak_bytes(p, 1), peak);
        test_release((int)j->n_out, out);
        test_release((int)j->n_out, again);
        test_free_operands(&x);
        free(w);
        knd_release(p);
        kni_release(j);
    }
}

/* Donated operands end up overwritten or kept, but the results are the same. */
static void donation_changes_no_result(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 900; seed++) {
        kni_jaxpr *j = seed % 3 ? test_random_rows(seed) : test_random_jaxpr(seed, 40);
        bool donated[MANY];
        memset(donated, 1, sizeof donated);
        knd_loaded *p = test_compile(j, true), *q = NULL;
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = seed % 2, .donated = donated}, &q));
        test_operands x = test_make_operands(j, seed), y = test_make_operands(j, seed);
        knx_buffer *out[MANY], *over[MANY];
        test_ok(knd_run(p, x.in, out, NULL));
        test_ok(knd_run(q, y.in, over, NULL));
        for (uint32_t k = 0; k < j->n_out; k++)
            if (test_difference(kni_out_type(j, k), out[k]->data, over[k]->data) >= 0)
                fail_msg("seed %llu: output %u differs", (unsigned long long)seed, k);
        test_release((int)j->n_out, out);
        test_release((int)j->n_out, over);
        test_free_operands(&x);
        test_free_operands(&y);
        knd_release(p);
        knd_release(q);
        kni_release(j);
    }
}

KN_TEST_GROUP(test_plan_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_values_never_overlap),
        cmocka_unit_test(values_of_several_passes_never_overlap_others),
        cmocka_unit_test(many_temporaries_never_overlap),
        cmocka_unit_test(a_chain_of_steps_needs_one_place),
        cmocka_unit_test(only_large_programs_have_work_for_threads),
        cmocka_unit_test(the_workspace_is_what_is_touched),
        cmocka_unit_test(donation_changes_no_result),
        cmocka_unit_test(updated_values_never_overlap_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
