/* SPDX-License-Identifier: Apache-2.0
 * test_routine_sort.c -- sorting against insertion by docs/determinism.md's order, for every dtype, several keys,
 * lengths around the limits of the algorithms, and dimensions in the middle. */
#include "base/memory.h"
#include "host/routine/isa.h"
#include "host/routine/sort.h"
#include "host/routine/sort_lines.h"
#include "host/routine/sort_search.h"
#include "host/routine/sort_vector.h"
#include "sort_lines.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const knr_sort *s, char *const *x, int64_t i, int64_t j)
{
    for (int k = 0; k < s->n_key; k++) {
        kn_dtype d = s->dtype[k], part = knx_component(d);
        for (int at = 0; at < d->size; at += part->size) {
            int c = compare_parts(part, x[k] + i * d->size + at, x[k] + j * d->size + at);
            if (c)
                return c;
        }
    }
    return 0;
}

static void check(const knr_sort *s, uint32_t range)
{
    int64_t size = s->outer * s->length * s->inner, *order = malloc((size_t)s->length * sizeof *order + 1);
    char *x[8], *y[8], *want[8];
    for (int i = 0; i < s->n; i++) {
        size_t bytes = (size_t)size * s->dtype[i]->size;
        x[i] = malloc(bytes + 1), y[i] = malloc(bytes + 1), want[i] = malloc(bytes + 1);
        fill(s->dtype[i], x[i], size, range);
    }
    for (int64_t line = 0; line < s->outer * s->inner; line++) {
        int64_t first = line / s->inner * s->length * s->inner + line % s->inner;
        for (int64_t i = 0; i < s->length; i++) {
            int64_t k = i;
            for (; k > 0 && compare(s, x, order[k - 1], first + i * s->inner) > 0; k--)
                order[k] = order[k - 1];
            order[k] = first + i * s->inner;
        }
        for (int a = 0; a < s->n; a++)
            for (int64_t i = 0; i < s->length; i++)
                memcpy(want[a] + (first + i * s->inner) * s->dtype[a]->size, x[a] + order[i] * s->dtype[a]->size,
                       s->dtype[a]->size);
    }
    for (int way = 0; way < 4; way++) { /* of every instruction set */
        knr_sort t = *s;
        int threads = t.threads = way == 3 ? 3 : 1;
        knr_isa_limit(way == 3 ? KNR_ISA_AVX512 : (knr_isa_kind)way);
        void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&t) + 63) / 64 * 64);
        knr_sort_run(&t, (const void *const *)x, (void *const *)y, workspace);
        free(workspace);
        for (int a = 0; a < s->n; a++)
            if (memcmp(want[a], y[a], (size_t)size * s->dtype[a]->size))
                fail_msg("operand %d (%s) of %d, %d keys, [%d, %d, %d], %d threads", a, s->dtype[a]->name, s->n,
                         s->n_key, (int)s->outer, (int)s->length, (int)s->inner, threads);
    }
    for (int i = 0; i < s->n; i++)
        free(x[i]), free(y[i]), free(want[i]);
    free(order);
}

static void test_every_dtype(void **unused)
{
    (void)unused;
    static const int lengths[] = {0, 1, 2, 3, 23, 24, 25, 40, 41, 47, 100, 699, 700, 1500};
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == 'k')
            continue;
        for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
            kn_dtype pair[] = {d, KN_DT(I32)};
            check(
                &(knr_sort){
                    .threads = 1, .n = 1, .n_key = 1, .dtype = &d, .outer = 1, .length = lengths[i], .inner = 1},
                30);
            check(
                &(knr_sort){
                    .threads = 1, .n = 2, .n_key = 1, .dtype = pair, .outer = 2, .length = lengths[i], .inner = 3},
                1000);
        }
    }
}

static void test_several_keys(void **unused)
{
    (void)unused;
    kn_dtype d[] = {KN_DT(F32), KN_DT(C128), KN_DT(I8), KN_DT(F64)};
    for (int keys = 1; keys <= 4; keys++) {
        check(&(knr_sort){.n = 4, .n_key = keys, .dtype = d, .outer = 3, .length = 40, .inner = 2}, 3);
        check(&(knr_sort){.n = 4, .n_key = keys, .dtype = d, .outer = 1, .length = 900, .inner = 1}, 3);
    }
    kn_dtype carried[] = {KN_DT(U16), KN_DT(C128), KN_DT(BOOL)};
    check(&(knr_sort){.n = 3, .n_key = 1, .dtype = carried, .outer = 1, .length = 300, .inner = 2}, 5);
}

static void test_long_lines(void **unused)
{
    (void)unused;
    enum { N = 300000 };
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    int32_t *i = malloc(N * sizeof *i), *j = malloc(N * sizeof *j);
    for (int k = 0; k < N; k++)
        x[k] = (float)(int32_t)random32() / 65536, i[k] = k;
    kn_dtype d[] = {KN_DT(F32), KN_DT(I32)};
    knr_sort s = {.threads = 1, .n = 2, .n_key = 1, .dtype = d, .outer = 1, .length = N, .inner = 1};
    void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&s) + 63) / 64 * 64);
    knr_sort_run(&s, (const void *[]){x, i}, (void *[]){y, j}, workspace);
    for (int k = 0; k < N; k++) {
        assert_true(y[k] == x[j[k]]);
        assert_true(k == 0 || y[k - 1] < y[k] || (y[k - 1] == y[k] && j[k - 1] < j[k]));
    }
    free(workspace), free(x), free(y), free(i), free(j);
}

/* As many different values as have slots, one more, and one that is rare: by any number of threads. */
static void test_positions_of_few_values(void **unused)
{
    (void)unused;
    enum { N = 150000 };
    double *x = malloc(N * sizeof *x);
    int64_t *at = malloc(N * sizeof *at);
    for (int how = 0; how < 3 * 3 * 2; how++) {
        const kn_dtype d[] = {how < 9 ? KN_DT(F64) : KN_DT(I64)};
        const int many = how % 3 == 0 ? 2 : how % 3 == 1 ? 32 : 33;
        for (int i = 0; i < N; i++) {
            int v = (int)(random32() % (uint32_t)many);
            double rare = i == 77777 ? -0.0 : v == 1 ? NAN : 1.5 * v;
            int64_t whole = i == 77777 ? INT64_MIN : INT64_C(0x123456789abcdef) * (v - many / 2);
            memcpy(x + i, how < 9 ? (const void *)&rare : &whole, sizeof *x);
        }
        knr_sort s = {.threads = 1 + how / 3 % 3, .n = 1, .n_key = 1, .dtype = d, .outer = 1, .length = N, .inner = 1};
        s.positions = true;
        void *workspace = malloc((size_t)knr_sort_workspace(&s) + 1);
        knr_sort_run(&s, (const void *[]){x}, (void *[]){at}, workspace);
        free(workspace);
        for (int k = 1; k < N; k++) {
            int c = compare_parts(d[0], (const char *)(x + at[k - 1]), (const char *)(x + at[k]));
            assert_true(c < 0 || (c == 0 && at[k - 1] < at[k]));
        }
    }
    free(x), free(at);
}

/* Positions by keys that differ in bits far apart, that are the same in many elements, and both. */
static void test_positions_in_long_lines(void **unused)
{
    (void)unused;
    enum { N = 150000, KINDS = 6 };
    char *x[3];
    int64_t *at = malloc(N * sizeof *at);
    bool *seen = malloc(N);
    for (int i = 0; i < 3; i++)
        x[i] = malloc(N * 16);
    for (int kind = 0; kind < KINDS; kind++) {
        const kn_dtype of[KINDS][3] = {{KN_DT(F64), KN_DT(I32), KN_DT(I8)},   {KN_DT(I8), KN_DT(F64), KN_DT(I64)},
                                       {KN_DT(C128), KN_DT(I64), KN_DT(F32)}, {KN_DT(I64), KN_DT(BOOL), KN_DT(C64)},
                                       {KN_DT(U64), KN_DT(C128), KN_DT(F16)}, {KN_DT(BOOL), KN_DT(BOOL), KN_DT(U64)}};
        for (int i = 0; i < 3; i++)
            fill(of[kind][i], x[i], N, kind % 2 ? 1u << 30 : 50);
        for (int64_t k = 0; k < N; k++) /* words that differ in all bits, and some in the lowest ones only */
            for (int b = 0; kind == 3 && b < 8; b++)
                x[0][k * 8 + b] = (char)(k % 3 ? random32() : b < 2 ? random32() : 7);
        for (int way = 0; way < 4; way++)
            for (int n = 1; n <= 3; n++) {
                knr_sort s = {
                    .n = n, .n_key = n, .dtype = of[kind], .outer = 1, .length = N, .inner = 1, .positions = true};
                s.threads = way == 3 ? 3 : 1;
                knr_isa_limit(way == 3 ? KNR_ISA_AVX512 : (knr_isa_kind)way);
                void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&s) + 63) / 64 * 64);
                knr_sort_run(&s, (const void *[]){x[0], x[1], x[2]}, (void *[]){at}, workspace);
                free(workspace);
                memset(seen, 0, N);
                for (int64_t k = 0; k < N; k++) {
                    int c = k ? compare(&s, x, at[k - 1], at[k]) : -1;
                    if (c > 0 || (!c && at[k - 1] > at[k]) || seen[at[k]])
                        fail_msg("kind %d, %d keys, way %d: place %d", kind, n, way, (int)k);
                    seen[at[k]] = true;
                }
            }
    }
    for (int i = 0; i < 3; i++)
        free(x[i]);
    free(at), free(seen);
}

/* Numbers that are sorted by themselves, against those that go with their positions, which the test above judges. */
static void test_long_lines_of_numbers_alone(void **unused)
{
    (void)unused;
    enum { N = 200000 };
    int32_t *i = calloc(N, sizeof *i), *j = malloc(N * sizeof *j);
    char *x = malloc(N * 8), *y = malloc(N * 8), *alone = malloc(N * 8);
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d[] = {&knx_dtype_table[id], KN_DT(I32)};
        if (d[0]->kind == 'k' || knx_is_complex(d[0]))
            continue;
        for (int kind = 0; kind < 3; kind++) {
            fill(d[0], x, N, kind ? 1u << 30 : 5);
            for (int k = 0; kind == 2 && k < N; k++) /* of their highest bits some, too */
                for (int b = 0; b < d[0]->size && d[0]->kind != 'b'; b++)
                    x[k * d[0]->size + b] ^= (char)random32();
            knr_sort s = {.threads = 1, .n = 2, .n_key = 1, .dtype = d, .outer = 1, .length = N, .inner = 1};
            void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&s) + 63) / 64 * 64);
            knr_sort_run(&s, (const void *[]){x, i}, (void *[]){y, j}, workspace);
            free(workspace);
            for (int threads = 1; threads <= 5; threads += 2) {
                knr_sort one = {
                    .threads = threads, .n = 1, .n_key = 1, .dtype = d, .outer = 1, .length = N, .inner = 1};
                workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&one) + 63) / 64 * 64);
                knr_sort_run(&one, (const void *[]){x}, (void *[]){alone}, workspace);
                free(workspace);
                if (memcmp(y, alone, (size_t)N * d[0]->size))
                    fail_msg("%s, kind %d, %d threads", d[0]->name, kind, threads);
            }
        }
    }
    free(x), free(y), free(alone), free(i), free(j);
}

/* Numbers whose pivots are as bad as can be for this instruction set: of those that are left, which are not known yet
 * but for being larger, the ones that the pivot is made of are the smallest, and so nearly all stay behind it. */
static void kill(int64_t *x, int64_t n)
{
    enum { LARGE = 1 << 29, LOOKED = 9, LANES = 8 };
    const knr_sort_vector *by = KNR_BY_ISA(knr_sort_vector)[1];
    int64_t *a = malloc((size_t)n * sizeof *a), *left = a, many = n, next = 0;
    for (int64_t i = 0; i < n; i++)
        a[i] = LARGE + i, x[i] = i;
    for (int64_t front = 1; by && many > 1024 && front; left += front, many -= front) {
        for (int k = 1; k <= LOOKED; k++)
            for (int l = 0; l < LANES; l++) {
                int64_t *v = &left[k * (many / 10) + l];
                if (*v >= LARGE)
                    x[*v - LARGE] = next, *v = next++;
            }
        front = by->halve(left, many);
        front = front < many ? front : 0;
    }
    for (int64_t i = 0; i < many; i++)
        if (left[i] >= LARGE)
            x[left[i] - LARGE] = next++;
    free(a);
}

static int rise(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_patterns(void **unused)
{
    (void)unused;
    enum { N = 20000, PATTERNS = 10 };
    static int64_t x[N], y[N], want[N];
    static int32_t x32[N], y32[N];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int64_t i = 0; i < N; i++) {
            const int64_t of[] = {i, -i, i < N / 2 ? i : N - i, i % 3, 7, i % 1000, (i * 7919) % N};
            x[i] = of[pattern < 7 ? pattern : 0];
        }
        if (pattern >= 7) {
            knr_isa_limit(pattern == 7 ? KNR_ISA_AVX2 : KNR_ISA_AVX512);
            kill(x, N);
        }
        if (pattern == 9) /* a line that rises but for its ends */
            x[0] = INT64_MAX >> 34, x[N - 1] = -1;
        memcpy(want, x, sizeof x);
        qsort(want, N, sizeof *want, rise);
        for (int64_t i = 0; i < N; i++)
            x32[i] = (int32_t)x[i];
        kn_dtype wide = KN_DT(I64), narrow = KN_DT(I32);
        for (int bits = 32; bits <= 64; bits += 32) {
            knr_sort s = {.threads = 1,
                          .n = 1,
                          .n_key = 1,
                          .dtype = bits == 64 ? &wide : &narrow,
                          .outer = 1,
                          .length = N,
                          .inner = 1};
            void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&s) + 63) / 64 * 64);
            knr_sort_run(&s, (const void *[]){bits == 64 ? (void *)x : x32}, (void *[]){bits == 64 ? (void *)y : y32},
                         workspace);
            free(workspace);
            for (int64_t i = 0; i < N; i++)
                if ((bits == 64 ? y[i] : y32[i]) != want[i])
                    fail_msg("pattern %d, %d bits: element %d", pattern, bits, (int)i);
        }
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

/* Lines that all threads share, beside each other and one behind the other. */
static void test_lines_that_are_shared(void **unused)
{
    (void)unused;
    enum { N = KNR_SORT_SHARE + 5, LINES = 3 };
    float *x = malloc(N * LINES * sizeof *x), *y = malloc(N * LINES * sizeof *y), *z = malloc(N * LINES * sizeof *z);
    fill(KN_DT(F32), (char *)x, N * LINES, 1u << 30);
    kn_dtype d = KN_DT(F32);
    for (int beside = 0; beside < 2; beside++)
        for (int threads = 1; threads <= 3; threads += 2) {
            knr_sort s = {.threads = threads, .n = 1, .n_key = 1, .dtype = &d, .length = N};
            s.outer = beside ? 1 : LINES, s.inner = beside ? LINES : 1;
            void *workspace = aligned_alloc(64, ((size_t)knr_sort_workspace(&s) + 63) / 64 * 64);
            knr_sort_run(&s, (const void *[]){x}, (void *[]){threads == 1 ? y : z}, workspace);
            free(workspace);
            for (int64_t i = 1; i < N; i++)
                for (int l = 0; l < LINES; l++) {
                    const float *v = (threads == 1 ? y : z) + (beside ? l : l * N);
                    assert_false(v[(i - 1) * s.inner] > v[i * s.inner] ||
                                 (isnan(v[(i - 1) * s.inner]) && !isnan(v[i * s.inner])));
                }
            if (threads > 1)
                assert_memory_equal(y, z, N * LINES * sizeof *y);
        }
    free(x), free(y), free(z);
}

static void test_memory_of_a_long_line_is_that_of_one(void **unused)
{
    (void)unused;
    kn_dtype d[] = {KN_DT(F64), KN_DT(I64)};
    for (int n = 1; n <= 2; n++) {
        knr_sort one = {.threads = 1, .n = n, .n_key = 1, .dtype = d, .outer = 1, .length = 10000000, .inner = 1},
                 many = one;
        many.threads = 64;
        assert_true(knr_sort_workspace(&many) < knr_sort_workspace(&one) * 5 / 4);
    }
}

/* Halving as docs/sorting.md has it, for lines that are sorted and others, and for each instruction set. */
static void test_searches(void **unused)
{
    (void)unused;
    enum { MANY = 200, MOST = 300 };
    static const int64_t lengths[] = {0, 1, 2, 3, 17, 256, MOST};
    const kn_dtype dtypes[] = {KN_DT(I8),  KN_DT(U16), KN_DT(F16), KN_DT(I32), KN_DT(U32),
                               KN_DT(F32), KN_DT(I64), KN_DT(U64), KN_DT(F64)};
    char *a = malloc(MOST * 8), *v = malloc(MANY * 8), *rising = malloc(MOST * 8);
    int64_t y[MANY + 1];
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int how = 0; how < 4 * 7 * 3; how++) {
            int64_t n = lengths[how / 4 % 7], size = dtypes[d]->size;
            const knr_search s = {dtypes[d], 1, n, MANY, how % 2, 1 + how % 3};
            const knr_sort sort = {
                .threads = 1, .n = 1, .n_key = 1, .dtype = dtypes + d, .outer = 1, .length = n, .inner = 1};
            fill(dtypes[d], a, n, how % 4 < 2 ? 20 : 1000000);
            fill(dtypes[d], v, MANY, how % 4 < 2 ? 20 : 1000000);
            memcpy(v, a, n ? (size_t)size : 0); /* one that is there */
            void *workspace = malloc(knr_sort_workspace(&sort) + 1);
            if (how % 5) {
                knr_sort_run(&sort, &(const void *){a}, &(void *){rising}, workspace);
                memcpy(a, rising, (size_t)(n * size));
            }
            free(workspace);
            knr_isa_limit((knr_isa_kind)(how / 28));
            y[MANY] = -7;
            knr_search_run(&s, a, v, y);
            for (int64_t i = 0; i < MANY; i++) {
                int64_t want = 0;
                for (int64_t rest = n, half; rest; rest -= half) {
                    half = rest - rest / 2;
                    int c = compare_parts(dtypes[d], a + (want + half - 1) * size, v + i * size);
                    want += c < 0 || (s.right && !c) ? half : 0;
                }
                assert_int_equal(y[i], want);
            }
            assert_int_equal(y[MANY], -7);
        }
    knr_isa_limit(KNR_ISA_AVX512);
    free(a), free(v), free(rising);
}

KN_TEST_GROUP(test_routine_sort)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dtype),
        cmocka_unit_test(test_several_keys),
        cmocka_unit_test(test_positions_of_few_values),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_positions_in_long_lines),
        cmocka_unit_test(test_long_lines_of_numbers_alone),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_lines_that_are_shared),
        cmocka_unit_test(test_memory_of_a_long_line_is_that_of_one),
        cmocka_unit_test(test_searches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
