/* SPDX-License-Identifier: Apache-2.0
 * test_routine_find.c -- elements that are not zero against one look at each: every dtype, lengths around words and
 * blocks, few and many of them, instruction sets and threads. */
#include "base/memory.h"
#include "host/routine/find.h"
#include "host/routine/isa.h"
#include "support/group.h"
#include "support/random32.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One element in `rare` is not zero; zeros of both signs, NaN and numbers of one bit among them. */
static void fill(kn_dtype d, char *p, int64_t n, uint32_t rare, bool *truth)
{
    kn_dtype part = knx_component(d);
    int parts = d->size / part->size;
    memset(p, 0, (size_t)n * d->size);
    for (int64_t i = 0; i < n; i++) {
        truth[i] = random32() % rare == 0;
        int which = (int)(random32() % (uint32_t)parts);
        for (int k = 0; k < parts; k++, p += part->size) {
            bool set = truth[i] && k == which;
            unsigned bit = random32() % (8u * part->size - knx_is_inexact(d));
            if (set && part->kind == 'b')
                *p = 1;
            else if (set)
                p[bit / 8] = (char)(1 << bit % 8);
            else if (knx_is_inexact(d) && random32() % 2)
                p[part->size - 1] = (char)0x80;
        }
    }
}

static void check(kn_dtype d, const void *x, int64_t n, const bool *truth, int threads)
{
    enum { WIDE = 7 };
    const int64_t guard = -77, dim[] = {n / (WIDE * 3) + 1, 3, WIDE};
    int64_t count = 0;
    knr_found f;
    assert_true(knr_find(&f, d, x, n, threads));
    for (int64_t i = 0; i < n; i++)
        count += truth[i];
    assert_int_equal(f.count, count);
    int64_t *flat = malloc((size_t)(count + 1) * sizeof *flat), *rows = malloc((size_t)(count * 3 + 1) * sizeof *rows);
    char *kept = malloc((size_t)count * d->size + 1), *wide = malloc((size_t)count * WIDE + 1),
         *from = malloc((size_t)n * WIDE + 1);
    flat[count] = rows[3 * count] = guard;
    kept[count * d->size] = wide[count * WIDE] = 99;
    for (int64_t i = 0; i < n * WIDE; i++)
        from[i] = (char)random32();
    knr_found_positions(&f, 1, &n, (int64_t *[]){flat}, 1);
    knr_found_positions(&f, 3, dim, (int64_t *[]){rows, rows + 1, rows + 2}, 3);
    knr_found_elements(&f, d->size, x, kept);
    knr_found_elements(&f, WIDE, from, wide);
    for (int64_t i = 0, k = 0; i < n; i++) {
        if (!truth[i])
            continue;
        if (flat[k] != i || rows[3 * k] != i / (3 * WIDE) || rows[3 * k + 1] != i / WIDE % 3 ||
            rows[3 * k + 2] != i % WIDE || memcmp(kept + k * d->size, (const char *)x + i * d->size, d->size) != 0 ||
            memcmp(wide + k * WIDE, from + i * WIDE, WIDE) != 0)
            fail_msg("%s, %d elements: number %d", d->name, (int)n, (int)i);
        k++;
    }
    assert_int_equal(flat[count], guard);
    assert_int_equal(rows[3 * count], guard);
    assert_int_equal(kept[count * d->size], 99);
    assert_int_equal(wide[count * WIDE], 99);
    free(flat), free(rows), free(kept), free(wide), free(from);
    knr_found_end(&f);
}

static void test_every_dtype(void **unused)
{
    (void)unused;
    const kn_dtype dtypes[] = {KN_DT(BOOL), KN_DT(I8),  KN_DT(I16), KN_DT(I32), KN_DT(I64),
                               KN_DT(U8),   KN_DT(U16), KN_DT(U32), KN_DT(U64), KN_DT(F16),
                               KN_DT(BF16), KN_DT(F32), KN_DT(F64), KN_DT(C64), KN_DT(C128)};
    const int64_t lengths[] = {0, 1, 7, 63, 64, 65, 200, 1500, (1 << 15) - 1, (1 << 15) + 100};
    const uint32_t rare[] = {1, 2, 40, 1u << 30};
    enum { MOST = (1 << 15) + 100 };
    char *x = malloc(MOST * sizeof(kn_c128));
    bool *truth = malloc(MOST * sizeof *truth);
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                for (size_t r = 0; r < sizeof rare / sizeof *rare; r++) {
                    knr_isa_limit((knr_isa_kind)isa);
                    fill(dtypes[i], x, lengths[l], rare[r], truth);
                    check(dtypes[i], x, lengths[l], truth, 1);
                }
    knr_isa_limit(KNR_ISA_AVX512);
    free(x), free(truth);
}

static void test_threads(void **unused)
{
    (void)unused;
    enum { N = 5 * (1 << 15) + 17 };
    float *x = malloc(N * sizeof *x);
    bool *truth = malloc(N * sizeof *truth);
    for (int threads = 1; threads <= 3; threads++) {
        fill(KN_DT(F32), (char *)x, N, 3, truth);
        check(KN_DT(F32), x, N, truth, threads);
    }
    free(x), free(truth);
}

KN_TEST_GROUP(test_routine_find)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
