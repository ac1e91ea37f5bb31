/* SPDX-License-Identifier: Apache-2.0
 * test_routine_cumulative.c -- cumulative operations against docs/determinism.md: lines of several blocks, rows of all
 * widths, both directions; the same bits on every instruction set and for any number of threads. (What each dtype means
 * is in tests/property.) */
#include "host/routine/cumulative.h"
#include "host/routine/isa.h"
#include "support/group.h"
#include "support/random32.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 16, BLOCK = 16384 };

/* Factors near 1, so that products of many stay finite; signed zeros and NaN now and then. */
static void fill(kn_dtype d, char *p, int64_t n, bool special)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, p += part->size) {
        knx_scalar_bits s = {0};
        double v = (double)(int32_t)random32() * 0x1p-31;
        if (special && random32() % 8 == 0)
            v = random32() % 2 ? -0.0 : 0.0;
        if (special && random32() % 3000 == 0)
            v = (double)NAN;
        if (knx_is_inexact(d))
            s = knx_scalar_from_double(part, special ? v : 1 + v * 0x1p-8);
        else
            for (int b = 0; b < part->size; b++)
                s.bytes[b] = (uint8_t)random32();
        memcpy(p, &s, part->size);
    }
}

#define JOIN(name, T, sum, product, larger, smaller)                                         \
    static void join_##name(knr_cumulate how, const void *left, const void *right, void *to) \
    {                                                                                        \
        T a, b, y;                                                                           \
        memcpy(&a, left, sizeof a);                                                          \
        memcpy(&b, right, sizeof b);                                                         \
        switch (how) {                                                                       \
        case KNR_CUMULATE_SUM: y = (T)(sum); break;                                          \
        case KNR_CUMULATE_PRODUCT: y = (T)(product); break;                                  \
        case KNR_CUMULATE_MAX: y = larger ? a : b; break;                                    \
        default: y = smaller ? a : b; break;                                                 \
        }                                                                                    \
        memcpy(to, &y, sizeof y);                                                            \
    }
#define REAL(name, T)    JOIN(name, T, a + b, a * b, (a > b || a != a), (a < b || a != a))
#define INTEGER(name, T) JOIN(name, T, (uint64_t)a + (uint64_t)b, (uint64_t)a * (uint64_t)b, (a > b), (a < b))
REAL(f32, float)
REAL(f64, double)
INTEGER(i8, int8_t)
INTEGER(u16, uint16_t)
INTEGER(i32, int32_t)
INTEGER(u32, uint32_t)
INTEGER(i64, int64_t)
INTEGER(u64, uint64_t)

#define COMPLEX(T)                                                                        \
    static void join_##T(knr_cumulate how, const void *left, const void *right, void *to) \
    {                                                                                     \
        T a, b, y;                                                                        \
        memcpy(&a, left, sizeof a);                                                       \
        memcpy(&b, right, sizeof b);                                                      \
        if (how == KNR_CUMULATE_SUM)                                                      \
            y = (T){a.re + b.re, a.im + b.im};                                            \
        else                                                                              \
            y = (T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                \
        memcpy(to, &y, sizeof y);                                                         \
    }
COMPLEX(kn_c64)
COMPLEX(kn_c128)

typedef void join_fn(knr_cumulate how, const void *left, const void *right, void *to);

/* One line, in place; step: bytes from one element to the next. */
static void reference_line(knr_cumulate how, join_fn *join, int64_t size, char *y, int64_t n, int64_t step)
{
    char carry[16], prefix[16];
    for (int64_t first = 0; first < n; first += GROUP) {
        char *z = y + first * step;
        int64_t count = n - first < GROUP ? n - first : GROUP;
        for (int64_t half = 1; half < GROUP; half *= 2)
            for (int64_t l = 0; l < count; l++)
                if (l / half % 2)
                    join(how, z + (l / half * half - 1) * step, z + l * step, z + l * step);
        for (int64_t l = 0; first % BLOCK && l < count; l++)
            join(how, carry, z + l * step, z + l * step);
        memcpy(carry, z + (count - 1) * step, (size_t)size);
        for (int64_t l = 0; first >= BLOCK && l < count; l++)
            join(how, prefix, z + l * step, z + l * step);
        if (first % BLOCK == BLOCK - GROUP)
            memcpy(prefix, z + (count - 1) * step, (size_t)size);
    }
}

static const struct {
    int id;
    join_fn *join;
    int operations;
} kinds[] = {
    {KN_ID_F32, join_f32, 4},    {KN_ID_F64, join_f64, 4},      {KN_ID_I8, join_i8, 4},   {KN_ID_U16, join_u16, 4},
    {KN_ID_I32, join_i32, 4},    {KN_ID_U32, join_u32, 4},      {KN_ID_I64, join_i64, 4}, {KN_ID_U64, join_u64, 4},
    {KN_ID_C64, join_kn_c64, 2}, {KN_ID_C128, join_kn_c128, 2},
};

static bool same(kn_dtype d, const char *x, const char *y, int64_t n)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, x += part->size, y += part->size) {
        knx_scalar_bits a = {0}, b = {0};
        if (!memcmp(x, y, part->size))
            continue;
        memcpy(&a, x, part->size);
        memcpy(&b, y, part->size);
        if (!knx_is_inexact(d))
            return false;
        double u = knx_scalar_to_double(part, a), v = knx_scalar_to_double(part, b);
        if (u == u || v == v)
            return false;
    }
    return true;
}

static void check(size_t kind, int64_t outer, int64_t length, int64_t inner, bool special)
{
    kn_dtype d = &knx_dtype_table[kinds[kind].id];
    int64_t n = outer * length * inner, size = d->size;
    char *x = aligned_alloc(64, (size_t)(n * size + 127) / 64 * 64),
         *y = aligned_alloc(64, (size_t)(n * size + 127) / 64 * 64), *want = malloc((size_t)(n * size) + 1);
    fill(d, x, n, special);
    for (int how = 0; how < kinds[kind].operations; how++)
        for (int reverse = 0; reverse < 2; reverse++) {
            memcpy(want, x, (size_t)(n * size));
            for (int64_t line = 0; line < outer * inner; line++) {
                int64_t at = line / inner * inner * length + line % inner, step = reverse ? -inner : inner;
                at += reverse ? (length - 1) * inner : 0;
                reference_line((knr_cumulate)how, kinds[kind].join, size, want + at * size, length, step * size);
            }
            for (int threads = 1; threads <= 3; threads++) /* shared in one way by all instruction sets */
                for (int isa = threads == 1 ? KNR_ISA_BASE : KNR_ISA_AVX512; isa <= KNR_ISA_AVX512; isa++) {
                    knr_isa_limit((knr_isa_kind)isa);
                    memset(y, 0xaa, (size_t)(n * size) + 1);
                    knr_cumulate_run((knr_cumulate)how, d, outer, length, inner, reverse, threads, x, y);
                    bool fine = same(d, y, want, n) && (uint8_t)y[n * size] == 0xaa;
                    if (!fine)
                        fprintf(stderr, "%s %d of (%lld, %lld, %lld), reverse %d, instruction set %d, %d threads\n",
                                d->name, how, (long long)outer, (long long)length, (long long)inner, reverse, isa,
                                threads);
                    assert_true(fine);
                }
        }
    knr_isa_limit(KNR_ISA_AVX512);
    free(x);
    free(y);
    free(want);
}

static void lines_of_any_length_are_joined_in_groups(void **nothing)
{
    (void)nothing;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int64_t n = 1; n <= 70; n += n < 34 ? 1 : 9) {
            check(k, 1, n, 1, false);
            check(k, 5, n, 1, true);
            check(k, 37, n, 1, false);
        }
}

/* The first ones past the caches. */
static void many_short_lines_are_joined_side_by_side(void **nothing)
{
    (void)nothing;
    check(0, 300000, 8, 1, false);
    check(1, 3000, 4, 1, false);
    check(4, 30001, 7, 1, false);
}

static void rows_of_any_width_are_worked_on_together(void **nothing)
{
    static const int64_t width[] = {2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 513, 1030};
    (void)nothing;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
            check(k, 1, 37, width[w], true);
            check(k, 3, 16, width[w], false);
            check(k, 2, 9, width[w], true);
        }
}

static void blocks_are_joined_in_order(void **nothing)
{
    (void)nothing;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        check(k, 1, BLOCK, 1, false);
        check(k, 1, 3 * BLOCK + 5, 1, false);
        check(k, 2, BLOCK + 16, 1, true);
        check(k, 1, 2 * BLOCK + 3, 3, false);
        check(k, 1, 2 * BLOCK + 31, 20, true);
    }
}

static void blocks_of_long_lines_are_shared_by_threads(void **nothing)
{
    (void)nothing;
    check(0, 1, 70 * BLOCK + 1000, 1, false); /* more than one wave, past the caches */
    check(1, 1, 66 * BLOCK, 1, false);
    check(6, 1, 66 * BLOCK, 1, false);
}

static void nothing_is_joined_where_there_is_nothing(void **nothing)
{
    char y = 7;
    (void)nothing;
    knr_cumulate_run(KNR_CUMULATE_SUM, KN_DT(F32), 0, 5, 3, false, 2, NULL, &y);
    knr_cumulate_run(KNR_CUMULATE_SUM, KN_DT(F32), 5, 0, 3, false, 2, NULL, &y);
    knr_cumulate_run(KNR_CUMULATE_MAX, KN_DT(I8), 5, 3, 0, true, 2, NULL, &y);
    assert_int_equal(y, 7);
}

KN_TEST_GROUP(test_routine_cumulative)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_any_length_are_joined_in_groups),
        cmocka_unit_test(many_short_lines_are_joined_side_by_side),
        cmocka_unit_test(rows_of_any_width_are_worked_on_together),
        cmocka_unit_test(blocks_are_joined_in_order),
        cmocka_unit_test(blocks_of_long_lines_are_shared_by_threads),
        cmocka_unit_test(nothing_is_joined_where_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
