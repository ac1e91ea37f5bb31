/* SPDX-License-Identifier: Apache-2.0
 * test_routine_extreme.c -- argmax and argmin against one look at each element: every dtype, lengths around blocks,
 * columns few and many, instruction sets and threads. */
#include "base/memory.h"
#include "host/routine/extreme.h"
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

/* Numbers of a small range, the ends of the dtype's among them if `ends`; NaN in one of `nan` elements. */
static void fill(kn_dtype d, char *p, int64_t n, bool ends, uint32_t nan)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, p += part->size) {
        static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1e-40, -1e-40};
        knx_scalar_bits s;
        double v = (double)(random32() % 100) - 50;
        if (knx_is_inexact(d))
            s = knx_scalar_from_double(part, nan && random32() % nan == 0  ? NAN
                                             : ends && random32() % 3 == 0 ? special[random32() % 6]
                                                                           : v);
        else if (ends && part->kind != 'b' && random32() % 8 == 0)
            s = knx_scalar_extreme(part, random32() % 2);
        else
            s = knx_scalar_from_int(part, part->kind == 'b'   ? random32() % 2
                                          : part->kind == 'i' ? (int64_t)v
                                                              : (int64_t)v + 50);
        memcpy(p, &s, part->size);
    }
}

/* Is y further out than x? */
static bool better(kn_dtype d, const char *x, const char *y, bool largest)
{
    kn_dtype part = knx_component(d);
    double a[2] = {0}, b[2] = {0};
    knx_scalar_bits wide[2] = {{.u = {0}}, {.u = {0}}};
    if (!knx_is_inexact(d)) {
        bool is_signed = d->kind == 'i';
        knx_convert(d, x, is_signed ? KN_DT(I64) : KN_DT(U64), &wide[0]);
        knx_convert(d, y, is_signed ? KN_DT(I64) : KN_DT(U64), &wide[1]);
        bool less = is_signed ? wide[0].i64 < wide[1].i64 : wide[0].u64 < wide[1].u64;
        return memcmp(&wide[0], &wide[1], 8) != 0 && less == largest;
    }
    for (int i = 0; i < d->size / part->size; i++) {
        knx_convert(part, x + i * part->size, KN_DT(F64), &a[i]);
        knx_convert(part, y + i * part->size, KN_DT(F64), &b[i]);
    }
    if (isnan(a[0]) || isnan(a[1]) || isnan(b[0]) || isnan(b[1]))
        return !isnan(a[0]) && !isnan(a[1]);
    int i = a[0] == b[0];
    return largest ? a[i] < b[i] : a[i] > b[i];
}

static void check(const knr_extreme *e, const char *x)
{
    int64_t size = e->dtype->size, lines = e->outer * e->inner;
    char *y = malloc((size_t)lines * e->index_dtype->size + 1);
    y[lines * e->index_dtype->size] = 77;
    knr_extreme_run(e, x, y);
    for (int64_t l = 0; l < lines; l++) {
        const char *from = x + (l / e->inner * e->length * e->inner + l % e->inner) * size;
        int64_t at = 0, got = 0;
        for (int64_t i = 1; i < e->length; i++)
            if (better(e->dtype, from + at * e->inner * size, from + i * e->inner * size, e->largest))
                at = i;
        knx_convert(e->index_dtype, y + l * e->index_dtype->size, KN_DT(I64), &got);
        if (got != at)
            fail_msg("%s [%d, %d, %d], %s: line %d: %d, not %d", e->dtype->name, (int)e->outer, (int)e->length,
                     (int)e->inner, e->largest ? "largest" : "smallest", (int)l, (int)got, (int)at);
    }
    assert_int_equal(y[lines * e->index_dtype->size], 77);
    free(y);
}

static const kn_dtype dtypes[] = {KN_DT(BOOL), KN_DT(I8),  KN_DT(I16), KN_DT(I32), KN_DT(I64),
                                  KN_DT(U8),   KN_DT(U16), KN_DT(U32), KN_DT(U64), KN_DT(F16),
                                  KN_DT(BF16), KN_DT(F32), KN_DT(F64), KN_DT(C64), KN_DT(C128)};
enum { MOST = 20000 };

static void test_every_dtype(void **unused)
{
    (void)unused;
    const int64_t shapes[][3] = {{1, 1, 1},   {1, 2500, 1}, {3, 200, 1}, {70, 10, 1},  {1, 7, 1},
                                 {130, 1, 1}, {2, 129, 2},  {2, 33, 3},  {1, 100, 16}, {2, 20, 17},
                                 {1, 9, 600}, {0, 5, 3},    {2, 5, 0},   {1, 3000, 5}};
    char *x = malloc(MOST * sizeof(kn_c128));
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                for (int how = 0; how < 6; how++) {
                    knr_extreme e = {
                        dtypes[i], how % 3 ? KN_DT(I64) : KN_DT(I16), shapes[s][0], shapes[s][1], shapes[s][2], how % 2,
                        1};
                    knr_isa_limit((knr_isa_kind)isa);
                    fill(dtypes[i], x, e.outer * e.length * e.inner, how >= 2, how >= 4 ? 60 : 0);
                    check(&e, x);
                }
    knr_isa_limit(KNR_ISA_AVX512);
    free(x);
}

/* One value alone, the last in order among them: the first position. */
static void test_all_are_equal(void **unused)
{
    (void)unused;
    static float x[MOST];
    static const float values[] = {-INFINITY, INFINITY, 0, NAN};
    for (int v = 0; v < 4; v++)
        for (int largest = 0; largest < 2; largest++) {
            for (int i = 0; i < MOST; i++)
                x[i] = values[v];
            check(&(knr_extreme){KN_DT(F32), KN_DT(I32), 1, MOST, 1, largest, 1}, (char *)x);
            check(&(knr_extreme){KN_DT(F32), KN_DT(I32), 4, 100, 50, largest, 1}, (char *)x);
            check(&(knr_extreme){KN_DT(F32), KN_DT(I32), 2, 1000, 4, largest, 1}, (char *)x);
        }
}

/* Lines that threads share, and lines that they share out. */
static void test_threads(void **unused)
{
    (void)unused;
    const int64_t shapes[][3] = {{1, 600001, 1}, {1, 3001, 300}, {1, 70000, 4},
                                 {9, 20000, 1},  {70000, 4, 1},  {700, 30, 20}};
    float *x = malloc(1000000 * sizeof *x);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int threads = 1; threads <= 3; threads++) {
            knr_extreme e = {KN_DT(F32), KN_DT(I64), shapes[s][0], shapes[s][1], shapes[s][2], threads % 2, threads};
            fill(KN_DT(F32), (char *)x, e.outer * e.length * e.inner, false, threads == 3 ? 300000 : 0);
            check(&e, (char *)x);
        }
    free(x);
}

KN_TEST_GROUP(test_routine_extreme)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype),
        cmocka_unit_test(test_all_are_equal),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
