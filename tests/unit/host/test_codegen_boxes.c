/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_boxes.c -- how launches are cut for threads: a box of what is turned holds whole tiles, in whatever
 * order the axes are. Nothing runs here: a plan has no addresses. */
#include "host/drive.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_AXES = 5 };

typedef struct transpose {
    int n, order[MOST_AXES];
    int64_t extent[MOST_AXES], from[MOST_AXES], to[MOST_AXES]; /* of the result's axes */
} transpose;

/* The operand's axes in order number `number` of n!; false behind the last one. */
static bool order_of(int number, int n, int *order)
{
    int rest[MOST_AXES] = {0, 1, 2, 3, 4};
    for (int i = 0; i < n; i++) {
        int k = number % (n - i);
        number /= n - i;
        order[i] = rest[k];
        for (int j = k; j < n - i - 1; j++)
            rest[j] = rest[j + 1];
    }
    return number == 0;
}

static void lay_out(transpose *t, const int64_t *shape)
{
    int64_t stride[MOST_AXES], step = 1;
    for (int i = t->n - 1; i >= 0; step *= shape[i--])
        stride[i] = step;
    step = 1;
    for (int i = t->n - 1; i >= 0; step *= t->extent[i--]) {
        t->extent[i] = shape[t->order[i]];
        t->from[i] = stride[t->order[i]];
        t->to[i] = step;
    }
}

static int add_map(knk_builder *b, int n, const int64_t *stride)
{
    uint8_t cls[MOST_AXES];
    for (int i = 0; i < n; i++)
        cls[i] = stride[i] == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
    return knk_add_map(b, cls);
}

/* A copy; or, `joined`, the larger of the turned element and the one that lies straight. */
static knk_kernel *kernel_of(const transpose *t, knx_dtype_id d, bool joined)
{
    knk_builder *b = knk_new(t->n);
    knk_kernel *k = NULL;
    knk_begin_stage(b, 0);
    int from = add_map(b, t->n, t->from), to = add_map(b, t->n, t->to);
    knk_node x = knk_load(b, knk_add_buffer(b, d, false), from, KNK_NONE, KNK_NONE, KNK_NONE);
    if (joined)
        x = knk_binary(b, KNK_MAX, x, knk_load(b, knk_add_buffer(b, d, false), to, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_store(b, knk_add_buffer(b, d, true), to, x);
    assert_null(knk_finish(b, &k));
    return k;
}

/* How many of the streams are turned. */
static int expect_whole_tiles(const knh_prepared *p)
{
    const knh_pass *ps = p->pass;
    int turned = 0;
    for (int i = 0; i < ps->facts->n_stream; i++)
        turned += ps->turned[i];
    for (int a = 0; a < p->n_par && turned; a++)
        if ((a == ps->lane || a == ps->row) && p->box[a] < p->par[a] && p->box[a] < KNH_TILE)
            fail_msg("a box has %d of %d points of axis %d", (int)p->box[a], (int)p->par[a], a);
    return turned;
}

static int plan(const transpose *t, knx_dtype_id d, bool joined)
{
    knk_kernel *k = kernel_of(t, d, joined);
    void *room = malloc(knh_plan_bytes(k)), *no_addresses[3] = {NULL};
    knk_map_values map[2] = {{0, t->from}, {0, t->to}};
    knk_launch l = {no_addresses, map, t->extent, NULL};
    const knh_prepared *p = NULL;
    assert_null(knh_prepare_in(room, k, &l, NULL, &p));
    assert_non_null(p);
    int turned = p->interpreted ? 0 : expect_whole_tiles(p);
    free(room);
    knk_release(k);
    return turned;
}

static void test_boxes_of_transposes_hold_whole_tiles(void **state)
{
    (void)state;
    static const int64_t shapes[][MOST_AXES] = {{160, 160, 160},   {7, 3000, 190},       {1000, 3, 1300},
                                                {64, 64, 64, 64},  {48, 44, 40, 48},     {8, 700, 6, 120},
                                                {70000, 3, 5, 70}, {22, 20, 24, 18, 22}, {2, 128, 3, 64, 80}};
    static const knx_dtype_id dtypes[] = {KN_ID_U8, KN_ID_I16, KN_ID_F32, KN_ID_F64};
    int turned = 0;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            transpose t = {.n = 0};
            while (t.n < MOST_AXES && shapes[i][t.n])
                t.n++;
            for (int number = 0; order_of(number, t.n, t.order); number++) {
                lay_out(&t, shapes[i]);
                turned += plan(&t, dtypes[d], false);
                if (number % 7 == 0)
                    turned += plan(&t, dtypes[d], true);
            }
        }
    assert_true(turned > 100);
}

KN_TEST_GROUP(test_codegen_boxes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes_of_transposes_hold_whole_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
