/* SPDX-License-Identifier: Apache-2.0
 * test_routine_product.c -- products against a scalar fold written down from docs/determinism.md, bit for bit: every
 * dtype, shapes around the sizes of tiles and blocks, every layout, and all builds of the inner loops. */
#include "base/half.h"
#include "base/memory.h"
#include "routine/isa.h"
#include "routine/product.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static float number(void) { return ((float)(random32() % 20001) - 10000) / 4096; }

static void fill(kn_dtype d, char *p, int64_t n)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, p += part->size) {
        kn_scalar_bits s =
            knx_is_inexact(d) ? knx_scalar_from_double(part, number()) : knx_scalar_from_int(part, (int32_t)random32());
        if (d->kind == 'b')
            s.u8 = random32() % 5 == 0;
        if (random32() % 64 == 0)
            s = knx_scalar_from_double(part, -0.0);
        memcpy(p, &s, part->size);
    }
}

/* --- the definition --------------------------------------------------------------------------- */

typedef struct term {
    double re, im;
    uint64_t u;
} term;

static term read_term(kn_dtype d, const char *p)
{
    kn_dtype part = knx_component(d);
    kn_scalar_bits s = {0}, wide = {0};
    term t = {0};
    memcpy(&s, p, part->size);
    t.re = knx_scalar_to_double(part, s);
    knx_convert(part, &s, part->kind == 'u' ? KN_DT(U64) : KN_DT(I64), &wide);
    t.u = wide.u64;
    if (part != d) {
        memcpy(&s, p + part->size, part->size);
        t.im = knx_scalar_to_double(part, s);
    }
    return t;
}

static double chain(bool wide, double a, double b, double c)
{
    return wide ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
}
static double join(bool wide, double a, double b) { return wide ? a + b : (double)((float)a + (float)b); }

/* One element of the result: n steps, at these places of the operands. */
static void fold(kn_dtype d, kn_dtype result, const term *a, const int64_t *a_at, const term *b, const int64_t *b_at,
                 int64_t n, char *c)
{
    bool wide = knx_component(result)->size == 8, any = false;
    double re_total = 0, im_total = 0;
    uint64_t u = 0;
    for (int64_t k0 = 0; k0 < n; k0 += 256) {
        double re = 0, im = 0;
        for (int64_t k = k0; k < n && k < k0 + 256; k++) {
            const term *x = &a[a_at[k]], *y = &b[b_at[k]];
            re = chain(wide, x->re, y->re, re);
            if (knx_is_complex(d)) {
                re = chain(wide, -x->im, y->im, re);
                im = chain(wide, x->re, y->im, im);
                im = chain(wide, x->im, y->re, im);
            }
            u += x->u * y->u;
            any = any || (x->u && y->u);
        }
        re_total = k0 ? join(wide, re_total, re) : re;
        im_total = k0 ? join(wide, im_total, im) : im;
    }
    kn_scalar_bits s = {.u64 = u};
    if (result->kind == 'b')
        s.u8 = any;
    if (knx_is_inexact(result)) {
        s = knx_scalar_from_double(knx_component(result), re_total);
        kn_scalar_bits i = knx_scalar_from_double(knx_component(result), im_total);
        memcpy(c + knx_component(result)->size, &i, knx_is_complex(result) ? knx_component(result)->size : 0);
    }
    memcpy(c, &s, knx_component(result)->size);
}

static int64_t extent_of(const knr_dims *d)
{
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= d->extent[i];
    return n;
}

/* The element numbers of a group, in C order. */
static int64_t *offsets(const knr_dims *d, const int64_t *stride)
{
    int64_t n = extent_of(d), *at = malloc((size_t)n * sizeof *at + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        at[i] = 0;
        for (int k = d->n - 1; k >= 0; k--) {
            at[i] += rest % d->extent[k] * stride[k];
            rest /= d->extent[k];
        }
    }
    return at;
}

static term *read_terms(kn_dtype d, const char *p, int64_t n)
{
    term *t = malloc((size_t)n * sizeof *t);
    for (int64_t i = 0; i < n; i++)
        t[i] = read_term(d, p + i * d->size);
    return t;
}

static void define(const knr_product *p, const char *a, int64_t na, const char *b, int64_t nb, char *c)
{
    int64_t batches = extent_of(&p->batch), m = extent_of(&p->m), n = extent_of(&p->n), k = extent_of(&p->k);
    int64_t *at[] = {offsets(&p->batch, p->batch.a), offsets(&p->batch, p->batch.b), offsets(&p->m, p->m.a),
                     offsets(&p->n, p->n.b),         offsets(&p->k, p->k.a),         offsets(&p->k, p->k.b)};
    term *x = read_terms(p->operand, a, na), *y = read_terms(p->operand, b, nb);
    for (int64_t l = 0; l < batches; l++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++, c += p->result->size)
                fold(p->operand, p->result, x + at[0][l] + at[2][i], at[4], y + at[1][l] + at[3][j], at[5], k, c);
    for (int i = 0; i < 6; i++)
        free(at[i]);
    free(x);
    free(y);
}

/* --- comparing -------------------------------------------------------------------------------- */

static int64_t span(const knr_dims *d, const int64_t *stride)
{
    int64_t n = 0;
    for (int i = 0; i < d->n; i++)
        n += (d->extent[i] > 0 ? d->extent[i] - 1 : 0) * stride[i];
    return n;
}

static const knr_plan *plan_of(const knr_product *p)
{
    static _Alignas(64) char room[1 << 15];
    assert_true(knr_plan_bytes(p) <= sizeof room);
    return knr_product_make(room, p, false, false, false);
}

/* Batch, m, n, one after the other. */
static knr_product with_plain_result(knr_product p)
{
    knr_dims *group[] = {&p.n, &p.m, &p.batch};
    int64_t stride = 1;
    for (int g = 0; g < 3; g++)
        for (int i = group[g]->n - 1; i >= 0; i--) {
            group[g]->c[i] = stride;
            stride *= group[g]->extent[i];
        }
    return p;
}

static void check(const knr_product *wanted, knr_isa_kind first, knr_isa_kind last)
{
    const knr_product with_c = with_plain_result(*wanted), *p = &with_c;
    int64_t na = 1 + span(&p->batch, p->batch.a) + span(&p->m, p->m.a) + span(&p->k, p->k.a);
    int64_t nb = 1 + span(&p->batch, p->batch.b) + span(&p->n, p->n.b) + span(&p->k, p->k.b);
    size_t nc = (size_t)(extent_of(&p->batch) * extent_of(&p->m) * extent_of(&p->n)) * p->result->size;
    /* Exact blocks: the address sanitizer sees a read or write past the end. */
    char *a = malloc((size_t)na * p->operand->size), *b = malloc((size_t)nb * p->operand->size), *want = malloc(nc + 1),
         *got = malloc(nc + 1);
    fill(p->operand, a, na);
    fill(p->operand, b, nb);
    define(p, a, na, b, nb, want);
    for (knr_isa_kind isa = first; isa <= last; isa++) {
        knr_isa_limit(isa);
        const knr_plan *plan = plan_of(p);
        size_t bytes = knr_product_workspace(plan, 1);
        void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
        memset(got, 0x5a, nc + 1);
        knr_product_run(plan, &(knr_run){.a = a, .b = b, .c = got, .workspace = workspace, .threads = 1});
        free(workspace);
        if (memcmp(want, got, nc))
            fail_msg("isa %d %s->%s batch %d m %d n %d k %d strides a %d %d b %d %d", isa, p->operand->name,
                     p->result->name, (int)extent_of(&p->batch), (int)extent_of(&p->m), (int)extent_of(&p->n),
                     (int)extent_of(&p->k), (int)p->m.a[0], (int)p->k.a[0], (int)p->k.b[0], (int)p->n.b[0]);
        assert_int_equal(got[nc], 0x5a);
    }
    knr_isa_limit(KNR_ISA_AVX512);
    free(a);
    free(b);
    free(want);
    free(got);
}

static knr_dims one_dim(int64_t extent, int64_t a, int64_t b)
{
    return (knr_dims){.n = 1, .extent = {extent}, .a = {a}, .b = {b}};
}

/* layout: bit 0 a transposed, bit 1 b transposed, bit 2 gaps between elements of a, bit 3 of b. */
static knr_product matrix(kn_dtype d, kn_dtype result, int64_t m, int64_t n, int64_t k, int layout)
{
    int64_t ga = layout & 4 ? 2 : 1, gb = layout & 8 ? 3 : 1;
    return (knr_product){.operand = d,
                         .result = result,
                         .m = one_dim(m, layout & 1 ? ga : k * ga, 0),
                         .n = one_dim(n, 0, layout & 2 ? k * gb : gb),
                         .k = one_dim(k, layout & 1 ? m * ga : ga, layout & 2 ? gb : n * gb)};
}

static void check_matrix(kn_dtype d, int64_t m, int64_t n, int64_t k, int layout)
{
    knr_product p = matrix(d, d, m, n, k, layout);
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
        kn_dtype d = &kn_dtype_table[id];
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
        knr_product p = matrix(KN_DT(F32), KN_DT(F32), 150, 260, 300, layout);
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
        p = matrix(KN_DT(F32), KN_DT(F32), 130, 140, 1024, layout); /* rows at a power of two: A is copied */
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
        p = matrix(KN_DT(F64), KN_DT(F64), 61, 150, 1100, layout);
        check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
    }
    knr_product p = matrix(KN_DT(F32), KN_DT(F32), 70, 1100, 1030, 0); /* several pieces of B */
    check(&p, KNR_ISA_AVX2, KNR_ISA_AVX512);
}

static void test_several_dims_in_a_group(void **unused)
{
    (void)unused;
    /* a[batch 2, m0 3, k0 4, m1 2, k1 5], b[k0 4, n0 3, batch 2, k1 5, n1 2] */
    knr_product p = {.operand = KN_DT(F32),
                     .result = KN_DT(F32),
                     .batch = {.n = 1, .extent = {2}, .a = {120}, .b = {10}},
                     .m = {.n = 2, .extent = {3, 2}, .a = {40, 5}},
                     .k = {.n = 2, .extent = {4, 5}, .a = {10, 1}, .b = {60, 2}},
                     .n = {.n = 2, .extent = {3, 2}, .b = {20, 1}}};
    for (int id = 0; id < KN_ID_COUNT; id++)
        if (kn_dtype_table[id].kind != 'k') {
            p.operand = p.result = &kn_dtype_table[id];
            check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
        }
    p.operand = p.result = KN_DT(F32);
    p.batch =
        (knr_dims){.n = 2, .extent = {3, 4}, .a = {7, 100}, .b = {0, 13}}; /* batches that overlap, or repeat one b */
    check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
    p.batch = (knr_dims){0};
    check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
}

static void test_wider_results(void **unused)
{
    (void)unused;
    static const kn_dtype_id pairs[][2] = {{KN_ID_F16, KN_ID_F32},  {KN_ID_BF16, KN_ID_F32}, {KN_ID_F32, KN_ID_F64},
                                           {KN_ID_I8, KN_ID_I32},   {KN_ID_U8, KN_ID_U32},   {KN_ID_I32, KN_ID_I64},
                                           {KN_ID_C64, KN_ID_C128}, {KN_ID_BF16, KN_ID_F64}};
    for (int i = 0; i < 8; i++)
        for (int layout = 0; layout < 4; layout++) {
            knr_product p = matrix(&kn_dtype_table[pairs[i][0]], &kn_dtype_table[pairs[i][1]], 9, 18, 300, layout);
            check(&p, KNR_ISA_BASE, KNR_ISA_AVX512);
        }
}

static void test_special_values(void **unused)
{
    (void)unused;
    static _Alignas(64) char spare[1 << 20];
    float a[2] = {-0.0f, -0.0f}, b[2] = {1, 1}, c = 1;
    knr_product p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 2, 0);
    p = with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = a, .b = b, .c = &c, .threads = 1});
    assert_false(signbit(c)); /* the chain starts at +0 */
    p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 0, 0);
    c = 1;
    p = with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = a, .b = b, .c = &c, .threads = 1});
    assert_true(c == 0 && !signbit(c));
    float big[2] = {INFINITY, 1}, zero[2] = {0, 1};
    p = matrix(KN_DT(F32), KN_DT(F32), 1, 1, 2, 0);
    p = with_plain_result(p);
    knr_product_run(plan_of(&p), &(knr_run){.workspace = spare, .a = big, .b = zero, .c = &c, .threads = 1});
    assert_true(isnan(c));
}

int main(void)
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
