/* SPDX-License-Identifier: Apache-2.0
 * test_product_share.c -- how products are shared out to threads: each part packs what it reads, so threads must not be
 * given parts that together pack much more than one thread would. Nothing runs here. */
#include "host/native.h"
#include "host/routine/product_share.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

static knk_product matrix(kn_dtype d, int64_t m, int64_t n, int64_t k, bool a_turned, bool b_turned)
{
    knk_product p = {.operand = d, .result = d, .m.n = 1, .n.n = 1, .k.n = 1};
    p.m.extent[0] = m, p.n.extent[0] = n, p.k.extent[0] = k;
    p.m.a[0] = a_turned ? 1 : k, p.k.a[0] = a_turned ? m : 1;
    p.n.b[0] = b_turned ? k : 1, p.k.b[0] = b_turned ? 1 : n;
    p.m.c[0] = n, p.n.c[0] = 1;
    return p;
}

/* The gradient of a kernel of taps x taps with respect to images of side x side, padded so that the result has their
 * size: rows are positions of the kernel and channels, steps are positions of the result and images. */
static knk_product kernel_gradient(kn_dtype d, int64_t images, int64_t in, int64_t out, int64_t side, int64_t taps,
                                   bool channels_first)
{
    int64_t place = side * side, low = taps / 2;
    int64_t ci = channels_first ? place : 1, xi = channels_first ? 1 : in, co = channels_first ? place : 1,
            xo = channels_first ? 1 : out;
    knk_product p = {.operand = d, .result = d, .n_window = 2};
    p.m = (knk_dims){.n = 3, .extent = {taps, taps, in}, .a = {0, 0, ci}, .c = {taps * in * out, in * out, out}};
    p.n = (knk_dims){.n = 1, .extent = {out}, .b = {co}, .c = {1}};
    if (channels_first) {
        p.m.c[0] = taps, p.m.c[1] = 1, p.m.c[2] = taps * taps;
        p.n.c[0] = in * taps * taps;
    }
    p.k =
        (knk_dims){.n = 3, .extent = {side, side, images}, .a = {0, 0, place * in}, .b = {side * xo, xo, place * out}};
    p.window[0] = (knk_window){0, 0, 1, 1, low, 1, side, side * xi};
    p.window[1] = (knk_window){1, 1, 1, 1, low, 1, side, xi};
    return p;
}

/* Bytes that parts for so many threads pack, of what one thread packs; 0: it takes no time worth speaking of. */
static double packed(const knk_product *q, int threads)
{
    void *room = malloc(knr_plan_bytes(q));
    const knr_plan *p = knr_product_make(room, q, false, false, false);
    knr_share s = knr_share_out(p, threads);
    double alone = knr_packed_bytes(p, 1, 1), together = knr_packed_bytes(p, s.rows, s.columns);
    assert_true(s.parts >= 1 && s.threads >= 1 && s.threads <= threads);
    assert_true(s.rows <= p->cut.tiles && s.columns <= knr_divide_up(p->right.row.total, p->cut.panel));
    double rate = p->left_in_place && p->right_from == KNH_B_PACKING ? 24 : 3; /* bytes in a nanosecond, about */
    bool counts = together / rate > .1 * knr_product_cost(p);
    free(room);
    return counts ? together / alone : 0;
}

static void test_gradients_of_kernels_are_not_packed_for_every_part(void **unused)
{
    (void)unused;
    static const int64_t cases[][5] = {{8, 64, 64, 56, 3},  {8, 3, 64, 112, 7},  {16, 128, 128, 14, 3},
                                       {4, 64, 64, 56, 1},  {8, 64, 128, 28, 3}, {2, 256, 256, 28, 3},
                                       {32, 32, 32, 32, 3}, {32, 1, 32, 28, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int first = 0; first < 2; first++)
            for (int wide = 0; wide < 2; wide++) {
                const int64_t *c = cases[i];
                knk_product p =
                    kernel_gradient(wide ? KN_DT(F64) : KN_DT(F32), c[0], c[1], c[2], c[3], c[4], first == 1);
                for (int threads = 2; threads <= 4; threads += 2) {
                    double times = packed(&p, threads);
                    if (times > threads + .1)
                        fail_msg("case %d, %d threads: %.1f times as much is packed", (int)i, threads, times);
                }
            }
}

static void test_matrices_are_not_packed_for_every_part(void **unused)
{
    (void)unused;
    if (knh_generator_best() == &knh_interpreter) /* the loops in C have smaller rectangles, and more parts */
        skip();
    static const int64_t sizes[][3] = {{512, 512, 512}, {1000, 1000, 1000}, {64, 4096, 512}, {4096, 64, 512},
                                       {64, 64, 30000}, {128, 128, 8192},   {20, 3000, 3000}};
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F64, KN_ID_BF16, KN_ID_I8, KN_ID_C64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int layout = 0; layout < 4; layout++) {
                knk_product p =
                    matrix(&knx_dtype_table[dtypes[d]], sizes[i][0], sizes[i][1], sizes[i][2], layout & 1, layout & 2);
                double times = packed(&p, 2);
                if (times > 2.1)
                    fail_msg("case %d, layout %d, dtype %d: %.1f times as much is packed", (int)i, layout, (int)d,
                             times);
            }
}

/* There is work for all: a product that is worth many parts has as many as threads, at least. */
static void test_large_products_have_a_part_for_each_thread(void **unused)
{
    (void)unused;
    for (int threads = 2; threads <= 16; threads++)
        for (int layout = 0; layout < 4; layout++) {
            knk_product q = matrix(KN_DT(F32), 1000, 1000, 1000, layout & 1, layout & 2);
            void *room = malloc(knr_plan_bytes(&q));
            const knr_plan *p = knr_product_make(room, &q, false, false, false);
            knr_share s = knr_share_out(p, threads);
            assert_true(s.parts >= threads);
            free(room);
        }
}

KN_TEST_GROUP(test_product_share)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_of_kernels_are_not_packed_for_every_part),
        cmocka_unit_test(test_matrices_are_not_packed_for_every_part),
        cmocka_unit_test(test_large_products_have_a_part_for_each_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
