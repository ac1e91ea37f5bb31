/* SPDX-License-Identifier: Apache-2.0
 * test_routine_product.c -- products against the definition (product_case.h), bit for bit: every
 * dtype, shapes around the sizes of tiles and blocks, every layout, and all builds of the inner loops. */
#include "host/routine/isa.h"
#include "host/routine/product.h"
#include "support/group.h"
#include "support/product_case.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

static const knr_plan *plan_of(const knk_product *p)
{
    static _Alignas(64) char room[1 << 15];
    assert_true(knr_plan_bytes(p) <= sizeof room);
    return knr_product_make(room, p, false, false, false);
}

/* On all builds of the inner loops from the first to the last. */
static void check(const knk_product *wanted, knr_isa_kind first, knr_isa_kind last)
{
    static const char *const name[] = {"base", "AVX2", "AVX-512"};
    const knk_product p = product_with_plain_result(*wanted);
    for (knr_isa_kind isa = first; isa <= last; isa++) {
        knr_isa_limit(isa);
        product_check(&p, &(product_way){0}, name[isa]);
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

static knk_dims one_dim(int64_t extent, int64_t a, int64_t b)
{
    return (knk_dims){.n = 1, .extent = {extent}, .a = {a}, .b = {b}};
}

/* layout: bit 0 a transposed, bit 1 b transposed, bit 2 gaps between elements of a, bit 3 of b. */
static knk_product matrix(kn_dtype d, kn_dtype result, int64_t m, int64_t n, int64_t k, int layout)
{
    int64_t ga = layout & 4 ? 2 : 1, gb = layout & 8 ? 3 : 1;
    return (knk_product){.operand = d,
                         .result = result,
                         .m = one_dim(m, layout & 1 ? ga : k * ga, 0),
                         .n = one_dim(n, 0, layout & 2 ? k * gb : gb),
                         .k = one_dim(k, layout & 1 ? m * ga : ga, layout & 2 ? gb : n * gb)};
}

static void check_matrix(kn_dtype d, int64_t m, int64_t n, int64_t k, int layout)
{
    knk_product p = matrix(d, d, m, n, k, layout);
    check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
}

static void test_small_shapes(void **unused)
{
    (void)unused;
    static const int sizes[] = {0, 1, 2, 3, 5, 7, 8, 13, 14, 15, 16, 17, 29, 32, 33, 48, 57, 64, 70};
    int n = (int)(sizeof sizes / sizeof *sizes), turn = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++, turn++)
                if (sizes[i] * sizes[j] * sizes[k] < 40000 || turn % 7 == 0)
                    check_matrix(turn % 3 ? KN_DT(F32) : KN_DT(F64), sizes[i], sizes[j], sizes[k],
                                 turn % 5 ? turn % 4 : turn % 16);
}

static void test_every_dtype_and_layout(void **unused)
{
    (void)unused;
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k')
            continue;
        for (int layout = 0; layout < 16; layout++) {
            check_matrix(d, 5, 6, 7, layout);
            check_matrix(d, 17, 35, 19, layout);
            check_matrix(d, 1, 35, 19, layout);
            check_matrix(d, 17, 1, 19, layout);
            check_matrix(d, 1, 1, 37, layout);
        }
        check_matrix(d, 3, 4, 600, 0);
        check_matrix(d, 1, 1, 9000, 0);
        check_matrix(d, 1, 40, 513, 2);
    }
}

static void test_blocks_of_k(void **unused)
{
    (void)unused;
    static const int ks[] = {255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 1300, 2100, 4096, 4097};
    for (int i = 0; i < (int)(sizeof ks / sizeof *ks); i++)
        for (int layout = 0; layout < 4; layout++) {
            kn_dtype d = i % 2 ? KN_DT(F32) : KN_DT(F64);
            check_matrix(d, 1, 1, ks[i], layout);
            check_matrix(d, 3, 1, ks[i], layout);
            check_matrix(d, 1, 70, ks[i], layout);
            check_matrix(d, 9, 5, ks[i], layout);
        }
    check_matrix(KN_DT(F32), 1, 1, 20011, 0);
    check_matrix(KN_DT(F32), 1, 2100, 260, 0);
}

/* Larger ones, on which the slow fma of the base build would take long. */
static void test_packed(void **unused)
{
    (void)unused;
    for (int layout = 0; layout < 4; layout++) {
        knk_product p = matrix(KN_DT(F32), KN_DT(F32), 150, 260, 300, layout);
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
        p = matrix(KN_DT(F32), KN_DT(F32), 130, 140, 1024, layout); /* rows at a power of two: A is copied */
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
        p = matrix(KN_DT(F64), KN_DT(F64), 61, 150, 1100, layout);
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
    }
    knk_product p = matrix(KN_DT(F32), KN_DT(F32), 70, 1100, 1030, 0); /* several pieces of B */
    check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
}

static void test_several_dims_in_a_group(void **unused)
{
    (void)unused;
    /* a[batch 2, m0 3, k0 4, m1 2, k1 5], b[k0 4, n0 3, batch 2, k1 5, n1 2] */
    knk_product p = {.operand = KN_DT(F32),
                     .result = KN_DT(F32),
                     .batch = {.n = 1, .extent = {2}, .a = {120}, .b = {10}},
                     .m = {.n = 2, .extent = {3, 2}, .a = {40, 5}},
                     .k = {.n = 2, .extent = {4, 5}, .a = {10, 1}, .b = {60, 2}},
                     .n = {.n = 2, .extent = {3, 2}, .b = {20, 1}}};
    for (int id = 0; id < KN_ID_COUNT; id++)
        if (knx_dtype_table[id].kind != 'k') {
            p.operand = p.result = &knx_dtype_table[id];
            check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
        }
    p.operand = p.result = KN_DT(F32);
    p.batch =
        (knk_dims){.n = 2, .extent = {3, 4}, .a = {7, 100}, .b = {0, 13}}; /* batches that overlap, or repeat one b */
    check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
    p.batch = (knk_dims){0};
    check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
}

static void test_wider_results(void **unused)
{
    (void)unused;
    static const knx_dtype_id pairs[][2] = {{KN_ID_F16, KN_ID_F32},  {KN_ID_BF16, KN_ID_F32}, {KN_ID_F32, KN_ID_F64},
                                            {KN_ID_I8, KN_ID_I32},   {KN_ID_U8, KN_ID_U32},   {KN_ID_I32, KN_ID_I64},
                                            {KN_ID_C64, KN_ID_C128}, {KN_ID_BF16, KN_ID_F64}};
    for (int i = 0; i < 8; i++)
        for (int layout = 0; layout < 4; layout++) {
            knk_product p = matrix(&knx_dtype_table[pairs[i][0]], &knx_dtype_table[pairs[i][1]], 9, 18, 300, layout);
            check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
        }
}

static void test_special_values(void **unused)
{
    (void)unused;
    static _Alignas(64) char spare[1 << 20];
    float a[2] = {-0.0f, -0.0f}, b[2] = {1, 1}, c = 1;
    knk_product p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 2, 0);
    p = product_with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = a, .b = b, .c = &c, .threads = 1});
    assert_false(signbit(c)); /* the chain starts at +0 */
    p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 0, 0);
    c = 1;
    p = product_with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = a, .b = b, .c = &c, .threads = 1});
    assert_true(c == 0 && !signbit(c));
    float big[2] = {INFINITY, 1}, zero[2] = {0, 1};
    p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 2, 0);
    p = product_with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = big, .b = zero, .c = &c, .threads = 1});
    assert_true(isnan(c));
}

KN_TEST_GROUP(test_routine_product)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_shapes),
        cmocka_unit_test(test_every_dtype_and_layout),
        cmocka_unit_test(test_blocks_of_k),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_several_dims_in_a_group),
        cmocka_unit_test(test_wider_results),
        cmocka_unit_test(test_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
