/* SPDX-License-Identifier: Apache-2.0
 * test_routine_count.c -- counts of numbers and of elements in bins against one look at each: bins few and many, numbers
 * that are none, threads, instruction sets. */
#include "base/memory.h"
#include "host/routine/count.h"
#include "host/routine/isa.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_counts(void **unused)
{
    (void)unused;
    enum { MOST = 300000 };
    const int64_t lengths[] = {0, 1, 5, 1000, MOST}, bins[] = {0, 1, 3, 256, 4096, 4097, 70000};
    int64_t *x = malloc(MOST * sizeof *x), *want = malloc(70001 * sizeof *want), *got = malloc(70001 * sizeof *got);
    uint64_t state = 88172645463325252u;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
            for (int threads = 1; threads <= 3; threads++) {
                memset(want, 0, 70001 * sizeof *want);
                memset(got, 0xff, 70001 * sizeof *got);
                for (int64_t i = 0; i < lengths[l]; i++) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    x[i] =
                        i % 97 == 5 ? (i % 2 ? -1 : INT64_MIN + i) : (int64_t)((state >> 33) % (uint64_t)(bins[b] + 2));
                    if (x[i] >= 0 && x[i] < bins[b])
                        want[x[i]]++;
                }
                const knr_counting c = {.n = lengths[l], .n_bin = bins[b], .x = x, .threads = threads};
                void *workspace = malloc((size_t)knr_count_workspace(&c) + 1);
                knr_count(&c, got, workspace);
                free(workspace);
                assert_int_equal(got[bins[b]], -1);
                got[bins[b]] = 0;
                if (bins[b])
                    assert_memory_equal(got, want, (size_t)bins[b] * sizeof *got);
            }
    free(x), free(want), free(got);
}

/* The bin that numpy/statistics works out for v, by the steps of its composition. */
#define NUMBER(T)                                                                                            \
    static int64_t number_of_##T(const T *edge, int64_t n, T v)                                              \
    {                                                                                                        \
        T place = (v - edge[0]) / (edge[n] - edge[0]) * (T)n;                                                \
        int64_t at = isnan(place) || place < 0 ? 0 : place >= (T)n ? n - 1 : (int64_t)place;                 \
        at -= v < edge[at];                                                                                  \
        at += at != n - 1 && v >= edge[at + 1];                                                              \
        return v >= edge[0] && v <= edge[n] ? at : -1;                                                       \
    }                                                                                                        \
    static void count_each_##T(knr_histogram h, knr_isa_kind isa, const T *x, const T *edge)                 \
    {                                                                                                        \
        int64_t *want = calloc((size_t)h.n_bin, sizeof *want), *got = malloc((size_t)h.n_bin * sizeof *got); \
        for (int64_t i = 0; i < h.n; i++) {                                                                  \
            int64_t k = number_of_##T(edge, h.n_bin, x[i]);                                                  \
            if (k >= 0)                                                                                      \
                want[k]++;                                                                                   \
        }                                                                                                    \
        void *workspace = malloc((size_t)knr_histogram_workspace(&h) + 1);                                   \
        knr_isa_limit(isa);                                                                                  \
        knr_histogram_run(&h, x, edge, got, workspace);                                                      \
        assert_memory_equal(got, want, (size_t)h.n_bin * sizeof *got);                                       \
        free(want), free(got), free(workspace);                                                              \
    }
NUMBER(float)
NUMBER(double)

/* Numbers at edges, beside them and between them; edges far from zero, so that rounding moves them; bins too many for
 * the dtype; edges without a width. Equal bins that rise are what a search finds, too. */
static void test_histograms(void **unused)
{
    (void)unused;
    enum { N = 200000 };
    static const int64_t bins[] = {1, 2, 10, 256, 5000, 70000, N + 5};
    static const double ranges[][2] = {{0, 1}, {-3, 1e-3}, {1e4, 1e4 + 1}, {-1e30, 1e30}, {2, 2}, {1, -1}};
    float *x = malloc(N * sizeof *x), *edge = malloc((N + 6) * sizeof *edge);
    double *u = malloc(N * sizeof *u), *e = malloc((N + 6) * sizeof *e);
    uint64_t state = 88172645463325252u;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
            double low = ranges[r][0], high = ranges[r][1];
            bool rises = true;
            for (int64_t k = 0; k <= bins[b]; k++) {
                e[k] = k == bins[b] ? high : low + (double)k * ((high - low) / (double)bins[b]);
                edge[k] = (float)e[k];
                rises &= !k || edge[k] > edge[k - 1];
            }
            for (int64_t i = 0; i < N; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                double part = (double)(state >> 11) * 0x1p-53;
                int64_t k = (int64_t)(part * (double)(bins[b] + 1));
                x[i] = i % 3 ? (float)(low + (1.2 * part - 0.1) * (high - low)) : nextafterf(edge[k], i % 2 ? -9 : 9);
                x[i] = i % 7 == 3 ? edge[k] : i % 1001 == 4 ? NAN : i % 1001 == 6 ? -INFINITY : x[i];
                u[i] = i % 3 ? low + (1.2 * part - 0.1) * (high - low) : nextafter(e[k], i % 2 ? -9 : 9);
                u[i] = i % 7 == 3 ? e[k] : i % 1001 == 4 ? NAN : i % 1001 == 6 ? INFINITY : u[i];
            }
            for (int isa = 0; isa < 3; isa++) {
                const knr_histogram h = {KN_DT(F32), N - isa, bins[b], true, 1 + isa};
                const knr_histogram wide = {KN_DT(F64), N - isa, bins[b], true, 1 + isa};
                count_each_float(h, (knr_isa_kind)isa, x, edge);
                count_each_double(wide, (knr_isa_kind)isa, u, e);
                if (rises && bins[b] <= 5000 && r < 2) {
                    const knr_histogram found = {KN_DT(F32), N - isa, bins[b], false, 1 + isa};
                    count_each_float(found, (knr_isa_kind)isa, x, edge);
                }
            }
        }
    knr_isa_limit(KNR_ISA_AVX512);
    free(x), free(edge), free(u), free(e);
}

KN_TEST_GROUP(test_routine_count)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_histograms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
