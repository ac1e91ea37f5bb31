/* SPDX-License-Identifier: Apache-2.0
 * test_generators.c -- the list of generators, and a toy one that knows a single kernel, the sum of two float32 arrays: it is
 * added from here, chosen by KILN_BACKEND, its function runs and goes with its kernel, and the interpreter has the rest. */
#include "host/native.h"
#include "support/group.h"
#include "support/scratch.h"
#include <kiln/kiln.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- the toy ---------------------------------------------------------------------------------- */

enum { TOY_BYTES = 100 };
static int asked, made, dropped, calls, reckoned;

/* Streams in the order of their first use: two that are read, one that is written. */
static void sum(knh_args *a)
{
    calls++;
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t i = 0; i < a->n; i++) {
            float x[2];
            for (int j = 0; j < 2; j++)
                memcpy(&x[j],
                       (char *)(intptr_t)a->stream[j].at + row * a->stream[j].row_step + i * a->stream[j].lane_step, 4);
            x[0] += x[1];
            memcpy((char *)(intptr_t)a->stream[2].at + row * a->stream[2].row_step + i * a->stream[2].lane_step, x, 4);
        }
}

static bool is_sum(const knh_request *r)
{
    static const uint8_t ops[] = {KNK_LOAD, KNK_LOAD, KNK_ADD, KNK_STORE};
    const knk_kernel *k = r->kernel;
    bool fine = r->mode == KNH_POINTS && !r->nontemporal && k->n_stage == 1 && !k->stage[0].n_inner && k->n_node == 4;
    for (int i = 0; fine && i < 4; i++)
        fine = k->node[i].op == ops[i] && k->node[i].dtype == KN_ID_F32;
    return fine && k->node[2].a == 0 && k->node[2].b == 1;
}

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    asked++;
    if (!is_sum(r))
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s adds and does nothing else", g->name);
    if (!(*keep = knx_alloc(TOY_BYTES)))
        return knx_error_nomem();
    made++;
    *out = sum;
    return NULL;
}

static void drop(void *keep)
{
    dropped++;
    knx_free(keep);
}

static size_t bytes(const void *keep)
{
    reckoned += keep != NULL;
    return TOY_BYTES;
}

static const knh_generator toy = {.name = "toy", .make = make, .drop = drop, .bytes = bytes, .lanes = 1};

static bool never(void) { return false; }
static const knh_generator absent = {.name = "absent", .works = never, .make = make};

/* --- the list --------------------------------------------------------------------------------- */

static void the_interpreter_is_the_last_one_and_always_works(void **state)
{
    (void)state;
    int n = 0;
    while (knh_generator_number(n))
        n++;
    assert_true(n >= 1);
    assert_ptr_equal(knh_generator_number(n - 1), &knh_interpreter);
    assert_ptr_equal(knh_generator_named("interp"), &knh_interpreter);
    assert_true(knh_generator_works(&knh_interpreter));
    assert_null(knh_interpreter.make);
    assert_null(knh_generator_number(-1));
    assert_null(knh_generator_named("none such"));
}

static void one_is_in_use_that_works_and_has_the_name_that_is_asked_for(void **state)
{
    (void)state;
    const knh_generator *before = knh_generator_best();
    assert_true(knh_generator_works(before));
    assert_true(knh_add_generator(&absent));
    assert_ptr_equal(knh_generator_number(0), &absent);
    assert_ptr_equal(knh_generator_best(), before);
    assert_true(knh_add_generator(&toy));
    assert_ptr_equal(knh_generator_named("toy"), &toy);
    assert_ptr_equal(knh_generator_best(), &toy); /* KILN_BACKEND */
    knh_remove_generator(&absent);
    assert_null(knh_generator_named("absent"));
    knh_remove_generator(&toy);
    assert_ptr_equal(knh_generator_best(), before);
}

static void there_is_room_for_eight_more(void **state)
{
    (void)state;
    static knh_generator more[9];
    for (int i = 0; i < 9; i++) {
        more[i] = (knh_generator){.name = "more", .works = never};
        assert_int_equal(knh_add_generator(&more[i]), i < 8);
    }
    for (int i = 0; i < 9; i++)
        knh_remove_generator(&more[i]);
    assert_null(knh_generator_named("more"));
}

/* --- a kernel --------------------------------------------------------------------------------- */

static knk_kernel *kernel_of(int op)
{
    static const uint8_t adjacent[] = {KNK_STRIDE_ONE};
    knk_builder *b = knk_new(1);
    knk_node x[2];
    for (int i = 0; i < 3; i++)
        knk_add_buffer(b, KN_ID_F32, i == 2);
    knk_begin_stage(b, 0);
    for (int i = 0; i < 2; i++)
        x[i] = knk_load(b, i, knk_add_map(b, adjacent), KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(b, 2, knk_add_map(b, adjacent), knk_binary(b, op, x[0], x[1]));
    knk_kernel *k = NULL;
    assert_null(knk_finish(b, &k));
    return k;
}

/* 1 .. 100 and 100 .. 1: sums and products. */
static void run(const knk_kernel *k, bool multiplies)
{
    float x[100], y[100], z[100];
    for (int i = 0; i < 100; i++) {
        x[i] = (float)(1 + i);
        y[i] = (float)(100 - i);
        z[i] = -1;
    }
    static const int64_t one[] = {1}, n[] = {100};
    const knk_map_values map[] = {{0, one}, {0, one}, {0, one}};
    void *const buffer[] = {x, y, z};
    void *scratch = aligned_alloc(64, (any_scratch(k, 1) + 127) & ~(size_t)63);
    knh_run_on(&toy, k, &(knk_launch){.buffer = buffer, .map = map, .par = n}, scratch, 1);
    free(scratch);
    for (int i = 0; i < 100; i++)
        assert_true(z[i] == (multiplies ? x[i] * y[i] : 101));
}

static void a_kernel_is_prepared_for_the_interpreter_on_demand_and_once(void **state)
{
    (void)state;
    knk_kernel *k = kernel_of(KNK_ADD);
    assert_null(k->prepared);
    assert_null(knk_prepare(k));
    const void *form = k->prepared;
    assert_non_null(form);
    assert_null(knk_prepare(k));
    assert_ptr_equal(k->prepared, form);
    knk_release(k);
}

static void a_function_is_made_once_and_goes_with_its_kernel(void **state)
{
    (void)state;
    asked = made = dropped = calls = reckoned = 0;
    knh_counts before = knh_count();
    knk_kernel *k = kernel_of(KNK_ADD);
    run(k, false);
    run(k, false);
    assert_int_equal(asked, 1);
    assert_int_equal(made, 1);
    assert_true(calls >= 2);
    assert_int_equal(dropped, 0);
    assert_true(reckoned > 0);
    assert_int_equal(knh_count().functions, before.functions + 1);
    assert_int_equal(knh_count().bytes, before.bytes + TOY_BYTES);
    assert_int_equal(knh_count().fallbacks, before.fallbacks);
    knk_release(k);
    assert_int_equal(dropped, 1);
    assert_int_equal(knh_count().bytes, before.bytes);
}

static void what_it_refuses_is_interpreted_and_counted(void **state)
{
    (void)state;
    asked = made = dropped = calls = 0;
    knh_counts before = knh_count();
    knk_kernel *k = kernel_of(KNK_MUL);
    run(k, true);
    run(k, true);
    assert_int_equal(asked, 1); /* and not again */
    assert_int_equal(made, 0);
    assert_int_equal(calls, 0);
    assert_int_equal(knh_count().fallbacks, before.fallbacks + 2);
    assert_int_equal(knh_count().functions, before.functions);
    knk_release(k);
    assert_int_equal(dropped, 0);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static void arrays_are_added_by_it_and_multiplied_without_it(void **state)
{
    (void)state;
    assert_true(knh_add_generator(&toy));
    asked = made = dropped = calls = 0;
    kn_context c = kn_context_new();
    kn_context_push(c);
    {
        KN_SCOPE;
        kn_array x = kn_arange(0.0f, 1000, 1, .dtype = KN_F32), y = kn_full(KN_SHAPE(1000), 0.5f, .dtype = KN_F32);
        kn_eval(x);
        kn_eval(y);
        made = calls = 0;
        kn_array z = kn_add(x, y);
        const float *v = kn_data(z, float);
        assert_non_null(v);
        for (int i = 0; i < 1000; i++)
            assert_true(v[i] == (float)i + 0.5f);
        assert_int_equal(made, 1);
        assert_true(calls >= 1);
        uint64_t before = knh_count().fallbacks;
        int at_once = calls;
        kn_array w = kn_mul(x, y);
        v = kn_data(w, float);
        assert_non_null(v);
        for (int i = 0; i < 1000; i++)
            assert_true(v[i] == (float)i * 0.5f);
        assert_int_equal(calls, at_once);
        assert_true(knh_count().fallbacks > before);
        /* Without a product maker the loops in C do it. */
        kn_array a = kn_ones(KN_SHAPE(20, 30), .dtype = KN_F32), b = kn_ones(KN_SHAPE(30, 10), .dtype = KN_F32);
        v = kn_data(kn_matmul(a, b), float);
        assert_non_null(v);
        for (int i = 0; i < 200; i++)
            assert_true(v[i] == 30);
    }
    kn_context_pop();
    kn_context_free(c);
    knh_remove_generator(&toy);
}

/* --- functions that are finished together --------------------------------------------------- */

static int unfinished, finished, finishes, later_ones, called_too_early;
static bool finish_fails;

static void late_sum(knh_args *a)
{
    called_too_early += unfinished > 0;
    sum(a);
}

static knx_error *make_late(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    KN_TRY(make(g, r, out, keep));
    if (!r->later)
        return NULL;
    later_ones++;
    unfinished++;
    *out = late_sum;
    return NULL;
}

static bool finish(void *const *keep, int n)
{
    finishes++;
    for (int i = 0; i < n; i++)
        assert_non_null(keep[i]);
    unfinished -= n;
    finished += finish_fails ? 0 : n;
    return !finish_fails;
}

static const knh_generator late = {
    .name = "toy", .make = make_late, .finish = finish, .drop = drop, .bytes = bytes, .lanes = 1};

static void forget_all(bool fails)
{
    asked = made = dropped = calls = 0;
    unfinished = finished = finishes = later_ones = called_too_early = 0;
    finish_fails = fails;
}

static const knh_prepared *prepare_sum(const knk_kernel *k, knh_batch *batch, void **room)
{
    static const int64_t one[] = {1}, n[] = {100};
    const knk_map_values map[] = {{0, one}, {0, one}, {0, one}};
    const knh_prepared *p = NULL;
    *room = malloc(knh_plan_bytes(k));
    assert_non_null(*room);
    assert_null(knh_prepare_in(*room, k, &(knk_launch){.map = map, .par = n}, batch, &p));
    assert_non_null(p);
    return p;
}

static void the_functions_of_a_batch_are_finished_together(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        forget_all(fails);
        assert_true(knh_add_generator(&late));
        knh_batch batch = {0};
        void *room[4];
        knk_kernel *k[2] = {kernel_of(KNK_ADD), kernel_of(KNK_ADD)};
        prepare_sum(k[0], &batch, &room[0]);
        prepare_sum(k[1], &batch, &room[1]);
        prepare_sum(k[0], &batch, &room[2]); /* has a function already */
        assert_int_equal(later_ones, 2);
        prepare_sum(k[0], NULL, &room[3]); /* must not wait for somebody else's batch */
        assert_int_equal(made, 3);
        assert_int_equal(later_ones, 2);
        assert_int_equal(finishes, 0);
        assert_int_equal(knh_finish_batch(&batch), !fails);
        assert_int_equal(finishes, 1);
        assert_int_equal(dropped, fails ? 2 : 0);
        free(room[2]);
        prepare_sum(k[1], NULL, &room[2]);
        assert_int_equal(made, fails ? 4 : 3);
        assert_int_equal(later_ones, 2);
        for (int i = 0; i < 4; i++)
            free(room[i]);
        knh_remove_generator(&late);
        knk_release(k[0]);
        knk_release(k[1]);
        assert_int_equal(dropped, made);
    }
}

static void a_program_runs_when_all_its_functions_are_finished(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        assert_true(knh_add_generator(&late));
        forget_all(fails);
        kn_context c = kn_context_new();
        kn_context_push(c);
        {
            KN_SCOPE;
            kn_array x = kn_arange(0.0f, 1000, 1, .dtype = KN_F32), y = kn_full(KN_SHAPE(1000), 0.5f, .dtype = KN_F32);
            kn_eval(x);
            kn_eval(y);
            forget_all(fails);
            const float *v = kn_data(kn_add(x, y), float);
            assert_non_null(v);
            for (int i = 0; i < 1000; i++)
                assert_true(v[i] == (float)i + 0.5f);
            assert_int_equal(later_ones, 1);
            assert_int_equal(finishes, 1);
            assert_int_equal(made, fails ? 2 : 1);
            assert_int_equal(dropped, fails ? 1 : 0);
            assert_int_equal(called_too_early, 0);
            assert_true(calls >= 1);
        }
        kn_context_pop();
        kn_context_free(c);
        knh_remove_generator(&late);
    }
}

KN_TEST_GROUP(test_generators)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interpreter_is_the_last_one_and_always_works),
        cmocka_unit_test(one_is_in_use_that_works_and_has_the_name_that_is_asked_for),
        cmocka_unit_test(there_is_room_for_eight_more),
        cmocka_unit_test(a_kernel_is_prepared_for_the_interpreter_on_demand_and_once),
        cmocka_unit_test(a_function_is_made_once_and_goes_with_its_kernel),
        cmocka_unit_test(what_it_refuses_is_interpreted_and_counted),
        cmocka_unit_test(arrays_are_added_by_it_and_multiplied_without_it),
        cmocka_unit_test(the_functions_of_a_batch_are_finished_together),
        cmocka_unit_test(a_program_runs_when_all_its_functions_are_finished),
    };
    setenv("KILN_BACKEND", "toy", 1); /* read once, by the first that asks */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return kn_finish() || failed;
}
