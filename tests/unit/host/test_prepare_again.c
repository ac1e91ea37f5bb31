/* SPDX-License-Identifier: Apache-2.0
 * test_prepare_again.c -- a launch that was prepared for some extents, and is for others: it becomes what it would be
 * if it were prepared anew, or says that it does not. Nothing runs here. */
#include "host/drive.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* x of n elements by this step, from this one on; of `rows` rows, one behind the other. */
typedef struct vector {
    int64_t rows, n, step, offset;
} vector;

/* y = x + x: one stage over the points. */
static knk_kernel *sums_of_two(void)
{
    static const uint8_t any[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY};
    knk_builder *b = knk_new(2);
    knk_kernel *k = NULL;
    knk_begin_stage(b, 0);
    int from = knk_add_map(b, any), to = knk_add_map(b, any);
    knk_node x = knk_load(b, knk_add_buffer(b, KN_ID_F64, false), from, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(b, knk_add_buffer(b, KN_ID_F64, true), to, knk_binary(b, KNK_ADD, x, x));
    assert_null(knk_finish(b, &k));
    return k;
}

/* y = the sum of x: a stage joins the elements, the next one stores. */
static knk_kernel *sum_of_all(void)
{
    static const uint8_t any[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY};
    knk_builder *b = knk_new(0);
    knk_kernel *k = NULL;
    knk_begin_stage(b, 2);
    knk_node x = knk_load(b, knk_add_buffer(b, KN_ID_F64, false), knk_add_map(b, any), KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node sum = knk_reduce(b, KNK_RED_ADD, x);
    knk_begin_stage(b, 0);
    knk_store(b, knk_add_buffer(b, KN_ID_F64, true), knk_add_map(b, NULL), sum);
    assert_null(knk_finish(b, &k));
    return k;
}

/* A launch of either kernel; it points into itself. */
typedef struct one_launch {
    int64_t extent[2], from[2], to[2];
    const int64_t *inner[2];
    knk_map_values map[2];
    knk_launch launch;
} one_launch;

static void fill(one_launch *l, const knk_kernel *k, vector x)
{
    *l = (one_launch){.extent = {x.rows, x.n}, .from = {x.n * x.step, x.step}, .to = {x.n, 1}};
    l->inner[0] = l->extent;
    l->map[0] = (knk_map_values){x.offset, l->from};
    l->map[1] = (knk_map_values){0, l->to};
    l->launch = (knk_launch){.map = l->map, .par = l->extent, .inner = l->inner};
    assert_true(k->n_map == 2);
}

static void *prepare(const knk_kernel *k, vector x, const knh_prepared **p)
{
    one_launch l;
    void *room = malloc(knh_plan_bytes(k));
    fill(&l, k, x);
    assert_null(knh_prepare_in(room, k, &l.launch, NULL, p));
    assert_true(*p && !(*p)->interpreted);
    return room;
}

static void expect_same_pass(const knh_pass *a, const knh_pass *b)
{
    assert_true(a->generator == b->generator && a->runner == b->runner && a->mode == b->mode);
    assert_true(a->n_axis == b->n_axis && a->lane == b->lane && a->row == b->row && a->n_other == b->n_other);
    assert_true(a->repeats == b->repeats && a->inner_total == b->inner_total && a->large == b->large);
    assert_true(a->point_ns == b->point_ns && a->f == b->f && a->nontemporal == b->nontemporal);
    assert_memory_equal(a->extent, b->extent, (size_t)a->n_axis * sizeof *a->extent);
    assert_memory_equal(a->offset, b->offset, (size_t)a->facts->n_stream * sizeof *a->offset);
    assert_memory_equal(a->stride, b->stride, (size_t)(a->facts->n_stream * a->n_axis) * sizeof *a->stride);
    assert_memory_equal(a->turned, b->turned, (size_t)a->facts->n_stream);
}

static void expect_same(const knh_prepared *a, const knh_prepared *b)
{
    size_t axes = (size_t)a->n_par * sizeof *a->par;
    assert_true(a->empty == b->empty && a->wide == b->wide && a->simple == b->simple && a->plain == b->plain);
    assert_true(a->n_par == b->n_par && a->n_boxes == b->n_boxes && a->points == b->points && a->ns == b->ns);
    assert_memory_equal(a->par, b->par, axes);
    assert_memory_equal(a->box, b->box, axes);
    assert_memory_equal(a->dense, b->dense, axes);
    for (int s = 0; s < a->k->n_stage; s++)
        expect_same_pass(&a->pass[s], &b->pass[s]);
    if (a->simple) {
        assert_true(a->call->rows == b->call->rows && a->call->n == b->call->n);
        assert_memory_equal(a->call->stream, b->call->stream,
                            (size_t)a->pass->facts->n_stream * sizeof *a->call->stream);
    }
}

static const vector some[] = {{1, 100, 1, 0},   {1, 7, 1, 12},      {3, 100, 1, 0},    {1, 100, 2, 5},
                              {1, 1, 1, 3},     {1, 0, 1, 0},       {2, 50, 3, 1},     {1, 16384, 1, 0},
                              {1, 16385, 1, 0}, {1, 3000000, 1, 8}, {1, 40000, -1, 0}, {5, 1, 1, 2}};
enum { SOME = sizeof some / sizeof *some };

/* From each to each; how often nothing had to be thought of again. */
static int try_all(knk_kernel *k)
{
    int again = 0;
    for (int i = 0; i < SOME; i++)
        for (int j = 0; j < SOME; j++) {
            const knh_prepared *p, *anew;
            void *room = prepare(k, some[i], &p), *other = prepare(k, some[j], &anew);
            one_launch l;
            fill(&l, k, some[j]);
            if (knh_prepare_again(p, &l.launch)) {
                expect_same(p, anew);
                again++;
            }
            free(room);
            free(other);
        }
    knk_release(k);
    return again;
}

static void test_what_is_prepared_again_is_what_is_prepared_anew(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    assert_true(try_all(sums_of_two()) > SOME);
    assert_true(try_all(sum_of_all()) > SOME);
}

static bool again(knk_kernel *k, vector from, vector to)
{
    const knh_prepared *p;
    void *room = prepare(k, from, &p);
    one_launch l;
    fill(&l, k, to);
    bool fine = knh_prepare_again(p, &l.launch);
    free(room);
    knk_release(k);
    return fine;
}

static void test_another_length_needs_no_new_plan(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    assert_true(again(sums_of_two(), (vector){1, 100, 1, 0}, (vector){1, 1000, 1, 7}));
    assert_true(again(sum_of_all(), (vector){1, 100, 1, 0}, (vector){1, 1000, 1, 7}));
}

static void test_another_step_needs_a_new_plan(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    assert_false(again(sums_of_two(), (vector){1, 100, 1, 0}, (vector){1, 100, 2, 0}));
    assert_false(again(sum_of_all(), (vector){1, 100, 1, 0}, (vector){1, 100, 2, 0}));
}

/* Numbers that tests force are asked again. */
static void test_a_plan_does_not_outlive_its_tuning(void **state)
{
    (void)state;
    knh_tuning usual = knh_tune;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    const knh_prepared *p;
    knk_kernel *k = sums_of_two();
    void *room = prepare(k, (vector){1, 100, 1, 0}, &p);
    one_launch l;
    fill(&l, k, (vector){1, 50, 1, 0});
    knh_tune.points = 16;
    bool cut = knh_prepare_again(p, &l.launch);
    knh_tune = usual;
    free(room);
    knk_release(k);
    assert_false(cut);
}

KN_TEST_GROUP(test_prepare_again)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_prepared_again_is_what_is_prepared_anew),
        cmocka_unit_test(test_another_length_needs_no_new_plan),
        cmocka_unit_test(test_another_step_needs_a_new_plan),
        cmocka_unit_test(test_a_plan_does_not_outlive_its_tuning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
