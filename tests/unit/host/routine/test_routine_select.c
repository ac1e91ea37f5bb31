/* SPDX-License-Identifier: Apache-2.0
 * test_routine_select.c -- partitions, elements at ranks and the largest elements against a stable sort, for every
 * dtype, lengths around the limits of the algorithms, patterns, columns, any number of threads and every instruction
 * set. */
#include "base/memory.h"
#include "host/routine/isa.h"
#include "host/routine/select.h"
#include "host/routine/sort.h"
#include "sort_lines.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

/* Positions of a line in order: merging, which is stable. */
static void order_line(kn_dtype d, const char *x, int64_t n, int64_t step, int64_t *order)
{
    int64_t *spare = malloc((size_t)n * sizeof *spare + 1);
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t low = 0; low < n; low += 2 * run) {
            int64_t middle = low + run < n ? low + run : n, high = middle + run < n ? middle + run : n;
            for (int64_t i = low, j = middle, k = low; k < high; k++) {
                bool first = j == high || (i < middle && compare_parts(d, x + order[i] * step * d->size,
                                                                       x + order[j] * step * d->size) <= 0);
                spare[k] = first ? order[i++] : order[j++];
            }
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
    free(spare);
}

/* What the routine must make of a line, as positions. */
static void model_line(kn_dtype d, const char *x, int64_t n, int64_t step, const int64_t *ranks, int64_t m, bool whole,
                       const int64_t *order, int64_t *positions)
{
    bool *is_rank = calloc((size_t)n + 1, 1);
    for (int64_t k = 0; k < m; k++) {
        int64_t r = ranks[k * step] < 0 ? 0 : ranks[k * step] < n ? ranks[k * step] : n - 1;
        is_rank[r] = true;
        if (!whole)
            positions[k] = order[r];
    }
    for (int64_t from = 0, to; whole && from < n;
         from = to) { /* a class: elements of equal value with a rank, or others */
        bool ranked = false;
        to = from;
        do /* equal elements */
            ranked |= is_rank[to++];
        while (to < n && !compare_parts(d, x + order[from] * step * d->size, x + order[to] * step * d->size));
        while (!ranked && to < n) { /* and those behind, up to some with a rank */
            int64_t end = to;
            bool next = false;
            do
                next |= is_rank[end++];
            while (end < n && !compare_parts(d, x + order[to] * step * d->size, x + order[end] * step * d->size));
            if (next)
                break;
            to = end;
        }
        char *in = calloc((size_t)n, 1);
        for (int64_t k = from; k < to; k++)
            in[order[k]] = 1;
        for (int64_t i = 0, at = from; i < n; i++)
            if (in[i])
                positions[at++] = i;
        free(in);
    }
    free(is_rank);
}

static void check(kn_dtype d, int64_t outer, int64_t n, int64_t inner, const char *x, const int64_t *ranks, int64_t m,
                  const char *what)
{
    int64_t most = n > m ? n : m, *order = malloc((size_t)most * 8 + 8), *at = malloc((size_t)most * 8 + 8);
    int64_t room = outer * most * inner;
    char *want = malloc((size_t)room * 8 + 8), *want_at = malloc((size_t)room * 8 + 8),
         *y = malloc((size_t)room * 8 + 8);
    for (int whole = 0; whole < 2; whole++) {
        int64_t many = whole ? n : m;
        for (int64_t line = 0; n && line < outer * inner; line++) {
            int64_t o = line / inner, i = line % inner;
            const char *from = x + (o * n * inner + i) * d->size;
            order_line(d, from, n, inner, order);
            model_line(d, from, n, inner, ranks + o * m * inner + i, m, whole, order, at);
            for (int64_t k = 0; k < many; k++) {
                int64_t to = (o * many + k) * inner + i;
                memcpy(want + to * d->size, from + at[k] * inner * d->size, d->size);
                memcpy(want_at + to * 8, &at[k], 8);
            }
        }
        for (int threads = 1; threads <= 3; threads += 2) /* shared in one way by all instruction sets */
            for (int isa = threads == 1 ? KNR_ISA_BASE : KNR_ISA_AVX512; isa <= KNR_ISA_AVX512; isa++)
                for (int positions = 0; positions < 2; positions++) {
                    knr_isa_limit((knr_isa_kind)isa);
                    knr_partition p = {d, outer, n, inner, m, whole, positions, threads};
                    void *workspace = malloc((size_t)knr_partition_workspace(&p));
                    knr_partition_run(&p, x, ranks, y, workspace);
                    free(workspace);
                    if (n && memcmp(y, positions ? want_at : want,
                                    (size_t)(outer * many * inner) * (positions ? 8 : d->size)))
                        fail_msg("%s of %s, [%d, %d, %d], %d ranks, whole %d, positions %d, %d threads, isa %d", what,
                                 d->name, (int)outer, (int)n, (int)inner, (int)m, whole, positions, threads, isa);
                }
    }
    knr_isa_limit(KNR_ISA_AVX512);
    free(order), free(at), free(want), free(want_at), free(y);
}

static void ranks_in(int64_t *ranks, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        ranks[i] = (int64_t)(random32() % (uint32_t)(n + 2)) - 1;
}

static void test_every_dtype_and_length(void **unused)
{
    (void)unused;
    static const int lengths[] = {0, 1, 2, 15, 16, 17, 300, 2048, 2049, 2700};
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k' || knx_is_complex(d))
            continue;
        for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
            int64_t n = lengths[i], ranks[10 * 4];
            char *x = malloc((size_t)n * 4 * 8 + 8);
            fill(d, x, n * 4, i % 2 ? 30 : 1u << 30);
            for (int64_t m = 1; m <= 10; m += m < 2 ? 1 : 8) {
                ranks_in(ranks, 4 * m, n);
                check(d, 1, n, 1, x, ranks, m, "a line");
                check(d, 2, n, 2, x, ranks, m, "columns");
            }
            free(x);
        }
    }
}

/* Lines that samples say something wrong about, and lines with many equal numbers. */
static void test_patterns(void **unused)
{
    (void)unused;
    enum { N = 70000, PATTERNS = 9 };
    static int64_t x[N];
    static int32_t x32[N];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int64_t i = 0; i < N; i++) {
            const int64_t of[] = {i,
                                  -i,
                                  i < N / 2 ? i : N - i,
                                  i % 3,
                                  7,
                                  i % 1000,
                                  (i * 7919) % N,
                                  i == 55555 ? -1 : i & 1,
                                  i % 24 ? 1000 + i : i - N};
            x[i] = of[pattern];
            x32[i] = (int32_t)x[i];
        }
        const int64_t ranks[] = {N / 2, 0, N - 1, N / 2 - 1, 12345};
        for (int64_t m = 1; m <= 5; m += 4) {
            check(KN_DT(I64), 1, N, 1, (const char *)x, ranks, m, "a pattern");
            check(KN_DT(I32), 1, N, 1, (const char *)x32, ranks, m, "a pattern");
        }
    }
}

static void test_long_lines_of_every_dtype(void **unused)
{
    (void)unused;
    enum { N = 100000 };
    char *x = malloc(N * 8);
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k' || knx_is_complex(d))
            continue;
        fill(d, x, N, 1u << 30);
        const int64_t ranks[] = {N / 2, N / 3, 17, N - 4};
        check(d, 1, N, 1, x, ranks, 2, "a long line");
        check(d, 1, N / 2, 2, x, ranks, 2, "long columns");
    }
    free(x);
}

static void check_top(kn_dtype d, int64_t outer, int64_t n, int64_t inner, const char *x, int64_t k)
{
    int64_t *order = malloc((size_t)n * 8 + 8), room = outer * k * inner;
    char *y = malloc((size_t)room * 8 + 8), *want = malloc((size_t)room * 8 + 8);
    int32_t *at = malloc((size_t)room * 4 + 4), *want_at = malloc((size_t)room * 4 + 4);
    for (int64_t line = 0; line < outer * inner; line++) {
        int64_t o = line / inner, i = line % inner;
        const char *from = x + (o * n * inner + i) * d->size;
        order_line(d, from, n, inner, order);
        for (int64_t end = n, begin, have = 0; have < k; end = begin) { /* equal ones from the end, as they come */
            begin = end - 1;
            while (begin > 0 &&
                   !compare_parts(d, from + order[begin - 1] * inner * d->size, from + order[begin] * inner * d->size))
                begin--;
            for (int64_t j = begin; j < end && have < k; j++, have++) {
                int64_t to = (o * k + have) * inner + i;
                want_at[to] = (int32_t)order[j];
                memcpy(want + to * d->size, from + order[j] * inner * d->size, d->size);
            }
        }
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        knr_top t = {d, outer, n, inner, k, threads};
        void *workspace = malloc((size_t)knr_top_workspace(&t));
        knr_top_run(&t, x, y, at, workspace);
        free(workspace);
        if (memcmp(y, want, (size_t)room * d->size) || memcmp(at, want_at, (size_t)room * 4))
            fail_msg("the %d largest of %s, [%d, %d, %d], %d threads", (int)k, d->name, (int)outer, (int)n, (int)inner,
                     threads);
    }
    free(order), free(y), free(want), free(at), free(want_at);
}

static void test_the_largest(void **unused)
{
    (void)unused;
    static const int lengths[] = {1, 2, 16, 17, 300, 2048, 2049, 5000, 70000};
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k' || knx_is_complex(d))
            continue;
        for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
            int64_t n = lengths[i];
            char *x = malloc((size_t)n * 4 * 8 + 8);
            fill(d, x, n * 4, i % 2 ? 30 : 1u << 30);
            static const int counts[] = {0, 1, 16, 17, 600, 5000};
            for (int k = 0; k < 6; k++)
                if (counts[k] <= n)
                    check_top(d, n > 5000 ? 1 : 2, n, n > 5000 ? 1 : 2, x, counts[k]);
            free(x);
        }
    }
}

/* Many ranks of a long line: the sort of the line and what lies between two numbers. */
static void test_memory_of_many_ranks(void **unused)
{
    (void)unused;
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k' || knx_is_complex(d))
            continue;
        int64_t n = 1 << 22, size = d->size < 4 ? 4 : d->size;
        knr_partition p = {.dtype = d, .outer = 1, .length = n, .inner = 1, .ranks = 100, .threads = 2};
        assert_true(knr_partition_workspace(&p) < (1 << 20) + n * 5 * size);
    }
}

KN_TEST_GROUP(test_routine_select)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype_and_length),    cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_long_lines_of_every_dtype), cmocka_unit_test(test_the_largest),
        cmocka_unit_test(test_memory_of_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
