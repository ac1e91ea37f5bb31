/* SPDX-License-Identifier: Apache-2.0
 * test_routine_scatter.c -- scatters of many points: the bits of a loop over them, whatever the number of threads and
 * the instruction set. */
#include "base/memory.h"
#include "host/routine/isa.h"
#include "host/routine/windows.h"
#include "support/group.h"
#include "support/random32.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

typedef enum { SPREAD, RISING, ONE_PLACE, N_PATTERNS } pattern;

typedef struct scene {
    knr_windows w;
    int64_t points, table, window; /* numbers of elements: of the table, of a window */
    void *indices;
    float *dense, *before, *want, *got;
} scene;

static void put_index(const scene *s, int64_t k, int64_t v)
{
    knx_convert(KN_DT(I64), &v, s->w.index_dtype, (char *)s->indices + k * s->w.index_dtype->size);
}

static int64_t index_at(const scene *s, int64_t k)
{
    int64_t v;
    knx_convert(s->w.index_dtype, (const char *)s->indices + k * s->w.index_dtype->size, KN_DT(I64), &v);
    return v;
}

/* So many rows of `window` elements; the rows of the dense array one after the other, or its columns. */
static void begin(scene *s, int64_t points, int64_t rows, int64_t window, pattern how, kn_dtype index, bool columns,
                  bool wraps, knr_out_of_bounds mode)
{
    *s = (scene){.points = points, .table = rows * window, .window = window};
    s->w = (knr_windows){.dtype = KN_DT(F32),
                         .index_dtype = index,
                         .mode = mode,
                         .n_point = 1,
                         .point = {points},
                         .point_dense = {columns ? 1 : window},
                         .n_index = 1,
                         .index_table = {window},
                         .index_most = {rows - 1},
                         .index_size = {rows},
                         .wraps = wraps,
                         .n_window = window > 1,
                         .window = {window},
                         .window_dense = {columns ? points : 1},
                         .window_table = {1},
                         .windows_last = !columns};
    s->indices = knx_alloc((size_t)points * 8 + 8);
    s->dense = knx_alloc((size_t)(points * window) * 4 + 4);
    s->before = knx_alloc((size_t)s->table * 4), s->want = knx_alloc((size_t)s->table * 4);
    s->got = knx_alloc((size_t)s->table * 4);
    for (int64_t i = 0; i < points * window; i++)
        s->dense[i] = (float)(random32() % 1000003) * (random32() % 3 ? 1e-3f : 37.0f);
    for (int64_t i = 0; i < s->table; i++)
        s->before[i] = (float)(random32() % 77);
    for (int64_t k = 0; k < points; k++) {
        int64_t low = mode == KNR_OUT_ERROR ? 0 : -2, high = mode == KNR_OUT_ERROR ? rows : rows + 2;
        int64_t v = how == ONE_PLACE ? rows / 2 : how == RISING ? k * rows / points : low + random32() % (high - low);
        put_index(s, k, wraps && index->kind == KN_KIND_INT && v >= 0 && v < rows && random32() % 2 ? v - rows : v);
    }
}

static void end(scene *s)
{
    knx_free(s->indices), knx_free(s->dense), knx_free(s->before), knx_free(s->want), knx_free(s->got);
}

static float combined(knr_combine how, float x, float y)
{
    switch (how) {
    case KNR_SET: return y;
    case KNR_ADD: return x + y;
    case KNR_MUL: return x * y;
    case KNR_MIN: return x < y ? x : y;
    case KNR_MAX: break;
    }
    return x > y ? x : y;
}

static void by_definition(scene *s, knr_combine how)
{
    int64_t most = s->w.index_most[0];
    memcpy(s->want, s->before, (size_t)s->table * 4);
    for (int64_t k = 0; k < s->points; k++) {
        int64_t v = index_at(s, k);
        v += v < 0 && s->w.wraps ? s->w.index_size[0] : 0;
        if (s->w.mode == KNR_OUT_CLIP)
            v = v < 0 ? 0 : v > most ? most : v;
        for (int64_t i = 0; i < s->window && v >= 0 && v <= most; i++) {
            float *x = &s->want[v * s->window + i];
            *x = combined(how, *x, s->dense[k * s->w.point_dense[0] + (s->window > 1 ? i * s->w.window_dense[0] : 0)]);
        }
    }
}

static void agree(scene *s, knr_combine how)
{
    by_definition(s, how);
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++)
        for (int threads = 1; threads <= 9; threads += threads == 3 ? 2 : threads == 5 ? 4 : 1) {
            void *work = knx_alloc(knr_scatter_workspace(threads) + 1);
            knr_isa_limit((knr_isa_kind)isa);
            memcpy(s->got, s->before, (size_t)s->table * 4);
            assert_null(knr_scatter(&s->w, how, s->got, s->indices, s->dense, work, threads));
            assert_memory_equal(s->want, s->got, (size_t)s->table * 4);
            knx_free(work);
        }
    knr_isa_limit(KNR_ISA_AVX512);
}

static void test_elements(void **unused)
{
    (void)unused;
    static const int64_t points[] = {1, 511, 513, 5000, 70000}, rows[] = {1, 7, 1000, 70000};
    const kn_dtype index[] = {KN_DT(I64), KN_DT(I32), KN_DT(U8), KN_DT(I16)};
    for (int round = 0; round < 60; round++) {
        scene s;
        int64_t r = rows[random32() % 4], n = points[random32() % 5];
        kn_dtype d = index[r > 120 ? random32() % 2 : random32() % 4];
        bool is_signed = d->kind == KN_KIND_INT;
        begin(&s, n, r, 1, (pattern)(random32() % N_PATTERNS), d, false, random32() % 2,
              is_signed ? (knr_out_of_bounds)(random32() % 3) : KNR_OUT_ERROR);
        agree(&s, (knr_combine)(round % 5));
        end(&s);
    }
}

static void test_windows(void **unused)
{
    (void)unused;
    static const int64_t points[] = {3, 600, 3000}, windows[] = {2, 3, 64, 700};
    for (int round = 0; round < 60; round++) {
        scene s;
        int64_t window = windows[random32() % 4], n = points[random32() % 3];
        begin(&s, n, 1 + random32() % 300, window, (pattern)(random32() % N_PATTERNS),
              random32() % 2 ? KN_DT(I64) : KN_DT(I32), random32() % 2, random32() % 2,
              (knr_out_of_bounds)(random32() % 3));
        agree(&s, (knr_combine)(round % 5));
        end(&s);
    }
}

/* The error is of the first one, whoever finds it; what the table holds then is no one's result. */
static void test_bounds(void **unused)
{
    (void)unused;
    for (int wraps = 0; wraps < 2; wraps++)
        for (int threads = 1; threads <= 2; threads++) {
            scene s;
            void *work = knx_alloc(knr_scatter_workspace(threads) + 1);
            begin(&s, 70000, 50, 1, SPREAD, KN_DT(I64), false, wraps, KNR_OUT_ERROR);
            put_index(&s, 69000, -51), put_index(&s, 69500, 50);
            memcpy(s.got, s.before, (size_t)s.table * 4);
            knx_error *e = knr_scatter(&s.w, KNR_ADD, s.got, s.indices, s.dense, work, threads);
            assert_non_null(e);
            assert_string_equal(e->message, wraps ? "index -51 is out of bounds for axis 0 with size 50"
                                                  : "index -101 is out of bounds for axis 0 with size 50");
            knx_error_release(e);
            end(&s), knx_free(work);
        }
}

KN_TEST_GROUP(test_routine_scatter)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements), cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
