/* SPDX-License-Identifier: Apache-2.0
 * test_product_plan.c -- every way to run a product gives the bits of the definition: windows, operands that are
 * computed, results that are taken, parts of rows and of steps, any strides, threads, dtypes and instruction sets. */
#include "host/routine/isa.h"
#include "support/group.h"
#include "support/product_case.h"
#include <string.h>
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static const product_way ways[] = {
    {0},
    {.threads = 2},
    {.threads = 3},
    {.threads = 7},
    {.fill_a = true},
    {.fill_b = true},
    {.finish = true},
    {.fill_a = true, .fill_b = true, .finish = true, .threads = 3},
    {.rows = 5},
    {.rows = 1, .fill_a = true},
    {.steps = 256},
    {.steps = 512, .rows = 7},
    {.steps = 8},
    {.steps = 40, .rows = 3},
    {.steps = 264, .fill_b = true, .rows = 16},
    {.rows = 4, .finish = true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_everywhere(const knk_product *p, const char *what)
{
    for (knr_isa_kind isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++) {
        knr_isa_limit(isa);
        product_check_ways(p, WAYS, ways, what);
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

/* layout: bits 0, 1: a, b transposed; bits 2, 3: gaps in them; bit 4: c transposed, bit 5: gaps in c. */
static knk_product matrix(kn_dtype d, int64_t m, int64_t n, int64_t k, int layout)
{
    int64_t ga = layout & 4 ? 2 : 1, gb = layout & 8 ? 3 : 1, gc = layout & 32 ? 2 : 1;
    knk_product p = {.operand = d, .result = d, .m.n = 1, .n.n = 1, .k.n = 1};
    p.m.extent[0] = m, p.n.extent[0] = n, p.k.extent[0] = k;
    p.m.a[0] = layout & 1 ? ga : k * ga, p.k.a[0] = layout & 1 ? m * ga : ga;
    p.n.b[0] = layout & 2 ? k * gb : gb, p.k.b[0] = layout & 2 ? gb : n * gb;
    p.m.c[0] = layout & 16 ? gc : n * gc, p.n.c[0] = layout & 16 ? m * gc : gc;
    return p;
}

static void test_every_dtype_every_way(void **unused)
{
    (void)unused;
    for (int id = 0; id < KN_ID_COUNT; id++)
        if (knx_dtype_table[id].kind != 'k') {
            knk_product p = matrix(&knx_dtype_table[id], 19, 37, 530, 0);
            check_everywhere(&p, "matrix");
            p = matrix(&knx_dtype_table[id], 23, 18, 270, 16);
            check_everywhere(&p, "columns of c apart");
        }
}

static void test_layouts_every_way(void **unused)
{
    (void)unused;
    for (int layout = 0; layout < 64; layout++) {
        knk_product p = matrix(layout % 3 ? KN_DT(F32) : KN_DT(BF16), 16 + layout % 5, 33, 20 + 13 * layout, layout);
        check_everywhere(&p, "layout");
    }
}

/* A right that is larger than the caches and read once; one whose columns share a set of the first cache. */
static void test_few_rows_every_way(void **unused)
{
    (void)unused;
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F64, KN_ID_C64, KN_ID_I32};
    for (int rows = 1; rows <= 5; rows += rows > 1 ? 2 : 1)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            knk_product p = matrix(&knx_dtype_table[dtypes[d]], rows, 530, 519, 0);
            check_everywhere(&p, "streamed");
            p = matrix(&knx_dtype_table[dtypes[d]], rows, 37, 1024, 2);
            check_everywhere(&p, "columns in one set");
            p = matrix(&knx_dtype_table[dtypes[d]], 37, rows, 1024, 2);
            check_everywhere(&p, "rows in one set");
        }
}

static void test_nothing_and_one(void **unused)
{
    (void)unused;
    for (int i = 0; i < 64; i++) {
        int64_t m = i & 3, n = i >> 2 & 3, k = i >> 4 & 3;
        knk_product p = matrix(i % 2 ? KN_DT(F32) : KN_DT(F16), m < 3 ? m : 40, n < 3 ? n : 40, k < 3 ? k : 300, i);
        check_everywhere(&p, "few");
    }
}

static void test_blocks_of_steps(void **unused)
{
    (void)unused;
    static const int ks[] = {255, 256, 257, 511, 512, 513, 768, 1600};
    for (int i = 0; i < 8; i++)
        for (int layout = 0; layout < 4; layout++) {
            knk_product p = matrix(i % 2 ? KN_DT(F32) : KN_DT(C64), 9, 20, ks[i], layout);
            check_everywhere(&p, "blocks");
        }
}

static void test_offsets_and_batches(void **unused)
{
    (void)unused;
    for (int layout = 0; layout < 32; layout += 5) {
        knk_product p = matrix(KN_DT(F32), 13, 21, 66, layout);
        p.batch = (knk_dims){.n = 2, .extent = {3, 4}, .a = {9000, 2000}, .b = {0, 6000}, .c = {8000, 1500}};
        p.a_offset = 7, p.b_offset = 3, p.c_offset = 11;
        check_everywhere(&p, "batches");
    }
}

static void test_large_with_threads(void **unused)
{
    (void)unused;
    static const product_way some[] = {{.threads = 2}, {.threads = 3, .finish = true}, {.threads = 7, .fill_b = true}};
    knk_product p = matrix(KN_DT(F32), 210, 330, 600, 0);
    product_check_ways(&p, 3, some, "large");
    p = matrix(KN_DT(F32), 40, 1100, 2500, 2);
    product_check_ways(&p, 3, some, "wide");
    p = matrix(KN_DT(F64), 900, 20, 700, 1);
    product_check_ways(&p, 3, some, "high");
    p = matrix(KN_DT(BF16), 300, 100, 1030, 16);
    product_check_ways(&p, 3, some, "turned");
}

static void test_two_long_vectors(void **unused)
{
    (void)unused;
    static const int ids[] = {KN_ID_F32, KN_ID_F64, KN_ID_C64, KN_ID_C128}, ks[] = {512, 1000, 2304, 4097, 9000};
    static const product_way some[] = {{.threads = 1}, {.threads = 3}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) {
            knk_product p = matrix(&knx_dtype_table[ids[i]], 1, 1, ks[j], 0);
            product_check_ways(&p, 2, some, "dot");
        }
}

/* Shapes that have a plan of their own: B that streams by, pieces of a B that fits no cache, few steps and much of c,
 * batches that fit no cache, rows of A at a power of two. */
static void test_plans_of_their_own(void **unused)
{
    (void)unused;
    static const product_way some[] = {
        {0}, {.threads = 2}, {.threads = 5, .finish = true}, {.rows = 17}, {.steps = 264, .rows = 30}, {.steps = 512}};
    static const int shapes[][4] = {{1, 700, 600, 0},   {2, 1100, 300, 0}, {20, 700, 600, 0}, {32, 600, 530, 1},
                                    {140, 520, 600, 0}, {300, 300, 20, 0}, {300, 260, 1, 0},  {700, 1, 500, 0},
                                    {1, 700, 500, 2},   {3, 300, 512, 2},  {60, 70, 1024, 0}, {150, 90, 300, 1}};
    for (int i = 0; i < 12; i++)
        for (int wide = 0; wide < 2; wide++) {
            const int *x = shapes[i];
            knk_product p = matrix(wide ? KN_DT(F64) : KN_DT(F32), x[0], x[1], x[2], x[3]);
            product_check_ways(&p, 6, some, "a plan of its own");
        }
    knk_product p = matrix(KN_DT(F32), 64, 64, 64, 0);
    p.batch = (knk_dims){.n = 1, .extent = {40}, .a = {4096}, .b = {4096}, .c = {4096}};
    product_check_ways(&p, 6, some, "cold batches");
}

/* Several rows of b, several batches, and blocks of k, with lanes along the last batch dimension. */
static void test_lanes_along_the_batch(void **unused)
{
    (void)unused;
    for (int lanes = 8; lanes < 80; lanes += 23)
        for (int same = 0; same < 2; same++) {
            int64_t k = same ? 600 : 40, n = 3, m = 5;
            knk_product p = {.operand = same ? KN_DT(F64) : KN_DT(F32), .m.n = 1, .n.n = 1, .k.n = 1};
            p.result = p.operand;
            p.batch = (knk_dims){.n = 2, .extent = {2, lanes}, .a = {k * m * lanes, 1}, .b = {0, !same}};
            p.m.extent[0] = m, p.n.extent[0] = n, p.k.extent[0] = k;
            p.m.a[0] = k * lanes, p.k.a[0] = lanes;
            p.n.b[0] = k * lanes, p.k.b[0] = lanes;
            p.n.c[0] = lanes, p.m.c[0] = n * lanes, p.batch.c[0] = m * n * lanes, p.batch.c[1] = 1;
            check_everywhere(&p, "lanes");
        }
}

/* A number for each pair of rows: fewer and more pairs than lanes, steps of less than a piece, rows with gaps, one row
 * with all, results beside each other and not. */
static void test_rows_with_rows(void **unused)
{
    (void)unused;
    static const int64_t pairs[] = {15, 16, 37, 3000}, ks[] = {5, 64, 300, 511};
    for (int i = 0; i < 32; i++) {
        int64_t k = ks[i / 4 % 4], a = i & 1 ? 0 : k, b = k + (i / 16), c = i % 8 == 7 ? 2 : 1;
        kn_dtype d = (const kn_dtype[]){KN_DT(F32), KN_DT(F64), KN_DT(C64), KN_DT(C128)}[(i + i / 4) % 4];
        knk_product p = matrix(d, 1, 1, k, 0);
        p.batch = (knk_dims){.n = 1, .extent = {pairs[i % 4]}, .a = {a}, .b = {b}, .c = {c}};
        check_everywhere(&p, "rows with rows");
    }
}

/* --- windows ---------------------------------------------------------------------------------- */

typedef struct geometry {
    int64_t size, kernel, step, dilation, low, high, base;
} geometry;

static int64_t positions(const geometry *g)
{
    int64_t padded = (g->size - 1) * g->base + 1 + g->low + g->high, kernel = (g->kernel - 1) * g->dilation + 1;
    return padded < kernel ? 0 : (padded - kernel) / g->step + 1;
}

/* A convolution of images [2][y][x][channels] (or with channels first), kernels [y][x][channels][out]. */
static knk_product convolution(kn_dtype d, const geometry *y, const geometry *x, int64_t in, int64_t out, bool first)
{
    int64_t oy = positions(y), ox = positions(x), sx = first ? 1 : in, sy = x->size * sx,
            image = y->size * x->size * in;
    int64_t cx = first ? 1 : out, channel = first ? y->size * x->size : 1;
    knk_product p = {.operand = d, .result = d, .n_window = 2};
    p.m = (knk_dims){.n = 3, .extent = {2, oy, ox}, .a = {image}, .c = {oy * ox * out, ox * cx, cx}};
    p.k = (knk_dims){
        .n = 3, .extent = {y->kernel, x->kernel, in}, .a = {0, 0, channel}, .b = {x->kernel * in * out, in * out, out}};
    p.n = (knk_dims){.n = 1, .extent = {out}, .b = {1}, .c = {first ? oy * ox : 1}};
    p.window[0] = (knk_window){1, 0, y->step, y->dilation, y->low, y->base, y->size, sy};
    p.window[1] = (knk_window){2, 1, x->step, x->dilation, x->low, x->base, x->size, sx};
    return p;
}

static const geometry plain = {9, 3, 1, 1, 1, 1, 1};

static void test_windows_every_way(void **unused)
{
    (void)unused;
    static const geometry some[] = {{9, 3, 1, 1, 1, 1, 1},   {10, 3, 2, 1, 0, 1, 1}, {7, 2, 1, 2, 2, 2, 1},
                                    {6, 3, 1, 1, 2, 2, 2},   {5, 4, 2, 3, 5, 4, 3},  {8, 1, 1, 1, 0, 0, 1},
                                    {11, 3, 1, 1, -2, 0, 1}, {7, 7, 1, 1, 3, 3, 1},  {5, 2, 3, 1, 0, -1, 2},
                                    {6, 1, 1, 0, 2, 2, 2},   {6, 1, 1, 0, 1, 1, 1}};
    for (int i = 0; i < 11; i++)
        for (int k = 0; k < 4; k++) {
            int64_t in = k < 2 ? 5 : 1;
            knk_product p = convolution(KN_DT(F32), &some[i], &some[(i + k) % 11], in, 6 + 13 * (k % 2), k % 2);
            check_everywhere(&p, "windows");
        }
}

static void test_windows_of_every_dtype(void **unused)
{
    (void)unused;
    for (int id = 0; id < KN_ID_COUNT; id++)
        for (int first = 0; first < 2 && knx_dtype_table[id].kind != 'k'; first++) {
            knk_product p = convolution(&knx_dtype_table[id], &plain, &plain, 7, 20, first);
            check_everywhere(&p, "windows");
        }
}

static void test_windows_of_many_channels(void **unused)
{
    (void)unused;
    static const geometry small = {6, 3, 1, 1, 1, 1, 1};
    for (int first = 0; first < 2; first++) {
        knk_product p = convolution(KN_DT(F32), &small, &plain, 64, 48, first);
        check_everywhere(&p, "channels");
    }
}

/* Long lines and many channels: rows that are read by runs. */
static void test_windows_by_runs(void **unused)
{
    (void)unused;
    static const geometry lines[] = {{12, 3, 1, 1, 1, 1, 1}, {13, 3, 2, 1, 1, 0, 1}, {11, 3, 1, 2, 2, 2, 1},
                                     {7, 3, 1, 1, 2, 2, 2},  {12, 2, 1, 1, 0, 0, 1}, {12, 3, 1, 1, -1, 2, 1}};
    static const knx_dtype_id some[] = {KN_ID_F64, KN_ID_BF16, KN_ID_C64, KN_ID_I32, KN_ID_U8, KN_ID_I64};
    for (int i = 0; i < 6; i++)
        for (int first = 0; first < 2; first++) {
            knk_product p = convolution(KN_DT(F32), &lines[i], &lines[(i + first) % 6], 50, 35, first);
            check_everywhere(&p, "runs");
            p = convolution(&knx_dtype_table[some[i]], &lines[0], &lines[i], 20, 17, first);
            check_everywhere(&p, "runs of a dtype");
        }
    static const geometry small = {6, 2, 1, 1, 1, 0, 1};
    knk_product p = convolution(KN_DT(F32), &small, &small, 1024, 20, false);
    check_everywhere(&p, "runs at a distance of 4096 bytes");
}

/* A gradient of kernels: positions are steps, the images' number comes last in k, channels are rows. Images with a rim,
 * or without one, whose windows never leave them; results whose channels, or whose taps, are adjacent. */
static void test_windows_of_gradients(void **unused)
{
    (void)unused;
    int64_t images = 3, side = 9, in = 40, out = 20, place = side * side;
    for (int i = 0; i < 8; i++) {
        bool first = i & 1, rim = i & 2, taps = i & 4;
        int64_t width = rim ? side : side + 2, size = width * width, ci = first ? size : 1, xi = first ? 1 : in,
                co = first ? place : 1, xo = first ? 1 : out;
        knk_product p = {.operand = KN_DT(F32), .result = KN_DT(F32), .n_window = 2};
        p.m = (knk_dims){.n = 3, .extent = {3, 3, in}, .a = {0, 0, ci}, .c = {3 * in * out, in * out, out}};
        p.n = (knk_dims){.n = 1, .extent = {out}, .b = {co}, .c = {1}};
        if (taps) {
            memcpy(p.m.c, (int64_t[]){3, 1, 9}, 3 * sizeof *p.m.c);
            p.n.c[0] = 9 * in;
        }
        p.k = (knk_dims){
            .n = 3, .extent = {side, side, images}, .a = {0, 0, size * in}, .b = {side * xo, xo, place * out}};
        p.window[0] = (knk_window){0, 0, 1, 1, rim, 1, width, width * xi};
        p.window[1] = (knk_window){1, 1, 1, 1, rim, 1, width, xi};
        check_everywhere(&p, "gradient");
    }
}

/* One kernel per channel: batch = channels, one column. */
static void test_depthwise(void **unused)
{
    (void)unused;
    knk_product p = convolution(KN_DT(F32), &plain, &plain, 1, 1, false);
    int64_t channels = 21;
    p.m.a[0] = plain.size * plain.size * channels;
    for (int i = 0; i < 3; i++)
        p.m.c[i] *= channels, p.k.b[i] *= channels;
    p.window[0].stride *= channels, p.window[1].stride *= channels;
    p.batch = (knk_dims){.n = 1, .extent = {channels}, .a = {1}, .b = {1}, .c = {1}};
    check_everywhere(&p, "depthwise");
}

/* The same with channels first: fewer and more of them than lanes, results of the kernel's size and of long lines. */
static void test_depthwise_channels_first(void **unused)
{
    (void)unused;
    static const geometry lines[] = {{9, 3, 1, 1, 1, 1, 1}, {10, 3, 2, 1, 0, 1, 1}, {61, 5, 1, 1, 2, 2, 1}};
    for (int i = 0; i < 6; i++) {
        const geometry *y = &plain, *x = &lines[i / 2];
        int64_t channels = i % 2 ? 9 : 37, size = y->size * x->size, place = positions(y) * positions(x);
        knk_product p = convolution(i == 3 ? KN_DT(F64) : KN_DT(F32), y, x, 1, 1, true);
        p.m.a[0] = size * channels;
        p.m.c[0] = place * channels;
        p.batch = (knk_dims){.n = 1, .extent = {channels}, .a = {size}, .b = {y->kernel * x->kernel}, .c = {place}};
        check_everywhere(&p, "depthwise, channels first");
    }
}

/* Few channels and many positions: several boxes of columns, each for several rectangles down. */
static void test_windows_of_few_channels(void **unused)
{
    (void)unused;
    static const product_way some[] = {{0},
                                       {.threads = 3},
                                       {.finish = true},
                                       {.threads = 2, .finish = true},
                                       {.rows = 77},
                                       {.steps = 8},
                                       {.rows = 1001, .finish = true}};
    static const geometry lines[] = {{96, 3, 1, 1, 1, 1, 1}, {150, 3, 1, 1, 1, 1, 1}, {299, 3, 2, 1, 1, 1, 1}};
    for (int i = 0; i < 2; i++) {
        knk_product p = convolution(KN_DT(F32), &lines[0], &lines[1 + i], 2, 16, true);
        for (knr_isa_kind isa = KNR_ISA_AVX2; isa <= KNR_ISA_AVX512; isa++) {
            knr_isa_limit(isa);
            product_check_ways(&p, 7, some, "few channels");
        }
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

/* Bytes that are added up as wider numbers, over several blocks of steps; results with channels first. */
static void test_windows_of_bytes(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        knk_product p = convolution(i & 1 ? KN_DT(U8) : KN_DT(I8), &plain, &plain, 50, 35, true);
        p.result = KN_DT(I32);
        if (i & 2) { /* images with channels last */
            p.k.a[2] = 1;
            p.window[0].stride *= 50, p.window[1].stride *= 50;
        }
        check_everywhere(&p, "bytes");
    }
}

/* The gradient of a kernel: rows are positions of the kernel and channels, steps are images and positions. */
static void test_windows_along_the_steps(void **unused)
{
    (void)unused;
    static const geometry some[] = {
        {9, 3, 1, 1, 1, 1, 1}, {10, 3, 2, 1, 0, 1, 1}, {6, 3, 1, 1, 2, 2, 2}, {5, 2, 3, 2, 2, 0, 1}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            knk_product p = convolution(KN_DT(F32), &some[i], &some[(i + k) % 4], k % 3 ? 7 : 1, 1, k > 2), q = p;
            int64_t out = 18;
            q.m = (knk_dims){.n = 3};
            q.k = (knk_dims){.n = 3};
            for (int d = 0; d < 3; d++) {
                q.m.extent[d] = p.k.extent[d], q.m.a[d] = p.k.a[d];
                q.k.extent[d] = p.m.extent[d], q.k.a[d] = p.m.a[d];
            }
            q.n = (knk_dims){.n = 1, .extent = {out}, .b = {1}};
            q.k.b[2] = out, q.k.b[1] = out * q.k.extent[2], q.k.b[0] = q.k.b[1] * q.k.extent[1];
            for (int w = 0; w < 2; w++) {
                knk_window v = p.window[w];
                q.window[w] = (knk_window){v.k, v.m, v.dilation, v.step, v.low, v.base, v.extent, v.stride};
            }
            q = product_with_plain_result(q);
            check_everywhere(&q, "steps");
        }
}

KN_TEST_GROUP(test_product_plan)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype_every_way),
        cmocka_unit_test(test_layouts_every_way),
        cmocka_unit_test(test_few_rows_every_way),
        cmocka_unit_test(test_nothing_and_one),
        cmocka_unit_test(test_blocks_of_steps),
        cmocka_unit_test(test_offsets_and_batches),
        cmocka_unit_test(test_large_with_threads),
        cmocka_unit_test(test_plans_of_their_own),
        cmocka_unit_test(test_lanes_along_the_batch),
        cmocka_unit_test(test_two_long_vectors),
        cmocka_unit_test(test_rows_with_rows),
        cmocka_unit_test(test_windows_every_way),
        cmocka_unit_test(test_windows_of_every_dtype),
        cmocka_unit_test(test_windows_of_many_channels),
        cmocka_unit_test(test_depthwise),
        cmocka_unit_test(test_depthwise_channels_first),
        cmocka_unit_test(test_windows_of_few_channels),
        cmocka_unit_test(test_windows_of_bytes),
        cmocka_unit_test(test_windows_along_the_steps),
        cmocka_unit_test(test_windows_by_runs),
        cmocka_unit_test(test_windows_of_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
