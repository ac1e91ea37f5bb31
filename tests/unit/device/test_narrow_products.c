/* SPDX-License-Identifier: Apache-2.0
 * test_narrow_products.c -- a few rows times a matrix of narrow numbers: the bits are those of the matrix worked out
 * first and multiplied then, for each kind of number, scale and zero point, any number of rows and threads, and every
 * instruction set; and it is the loops for narrow numbers that run. */
#include "support/expect.h"
#include "support/group.h"
#include "device/host/narrow.h"
#include "host/routine/isa.h"

enum { BYTES, NIBBLES, HALVES, BFLOATS };
enum { NO_ZERO, NUMBER, ARRAY };
/* What a matrix (n, k) is made of; swapped: it is the first operand. */
typedef struct Case {
    int64_t kind, zero, scaled, m, n, k, group, swapped;
} Case;
typedef struct {
    kn_array x, values, scales, zeros;
} Given;

static kn_array some(kn_shape shape, int64_t step, int64_t modulus, int64_t less, kn_dtype d)
{
    int64_t n = shape.ndim ? 1 : 0;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    kn_array i = kn_remainder(kn_mul(kn_arange(0, n, 1, .dtype = KN_I64), step), modulus);
    return kn_copy(kn_reshape(kn_astype(kn_subtract(i, less), d), shape));
}

/* The matrix in groups, (n, k / group, group) or (n, k / group, group / 2, 2), and back. */
static kn_array matrix(const Case *c, const Given *g)
{
    kn_shape grouped = KN_SHAPE(c->n, c->k / c->group, c->group), groups = KN_SHAPE(c->n, c->k / c->group, 1);
    kn_array w;
    if (c->kind == NIBBLES) {
        kn_array four = kn_full(KN_SHAPE(), 4, .dtype = KN_U8), mask = kn_full(KN_SHAPE(), 15, .dtype = KN_U8);
        kn_array bytes = kn_reshape(g->values, KN_SHAPE(c->n, c->k / c->group, c->group / 2, 1));
        w = kn_concatenate(KN_LIST(kn_bitwise_and(bytes, mask), kn_right_shift(bytes, four)), KN_AXIS(-1));
        groups = KN_SHAPE(c->n, c->k / c->group, 1, 1);
    } else {
        w = c->scaled || c->zero == ARRAY ? kn_reshape(g->values, grouped) : g->values;
    }
    w = kn_astype(w, KN_F32);
    if (c->zero)
        w = kn_sub(w, c->zero == NUMBER ? kn_num(8) : kn_astype(kn_reshape(g->zeros, groups), KN_F32));
    if (c->scaled)
        w = kn_mul(w, kn_astype(kn_reshape(g->scales, groups), KN_F32));
    return kn_reshape(w, KN_SHAPE(c->n, c->k));
}

static kn_array product(const Case *c, const Given *g)
{
    kn_array w = matrix(c, g);
    return c->swapped ? kn_matmul(w, kn_transpose(g->x)) : kn_matmul(g->x, kn_transpose(w));
}
KN_FUNCTION_ENV(product, kn_array, Case, Given)

static Given given(const Case *c, kn_dtype scales)
{
    static const int ids[] = {KN_ID_I8, KN_ID_U8, KN_ID_F16, KN_ID_BF16};
    kn_shape groups = KN_SHAPE(c->n, c->k / c->group);
    Given g = {.x = kn_copy(kn_mul(some(KN_SHAPE(c->m, c->k), 37, 1001, 500, KN_F32), 0.013))};
    g.values = some(KN_SHAPE(c->n, c->kind == NIBBLES ? c->k / 2 : c->k), 7919, 251, c->kind == NIBBLES ? 0 : 125,
                    kn_dtype_builtin(ids[c->kind]));
    g.scales = kn_copy(kn_astype(kn_mul(some(groups, 5, 97, 20, KN_F32), 0.0107), scales));
    g.zeros = some(groups, 3, 15, c->kind == NIBBLES ? 0 : 7, c->kind == NIBBLES ? KN_U8 : KN_I8);
    return g;
}

/* Large enough that passing the matrix through memory would cost something: 512 KB. */

static bool same_bits(kn_array x, kn_array y) { return kn_array_equal(kn_view(x, KN_U32), kn_view(y, KN_U32)); }

static void check(Case c, kn_dtype scales, bool found)
{
    KN_SCOPE;
    Given g = given(&c, scales);
    kn_array w = kn_copy(matrix(&c, &g)), y, want;
    kn_eval(w);
    want = c.swapped ? kn_matmul(w, kn_transpose(g.x)) : kn_matmul(g.x, kn_transpose(w));
    kn_eval(want);
    uint64_t before = atomic_load(&knd_narrow_found);
    kn_call(kn_jit(KN_FN_ENV(product, &c)), &y, &g);
    kn_eval(y);
    expect_no_error();
    if (!same_bits(kn_copy(y), kn_copy(want)))
        fail_msg("kind %d zero %d scaled %d m %d n %d k %d group %d swapped %d: other bits", (int)c.kind, (int)c.zero,
                 (int)c.scaled, (int)c.m, (int)c.n, (int)c.k, (int)c.group, (int)c.swapped);
    if (found && atomic_load(&knd_narrow_found) == before)
        fail_msg("kind %d zero %d scaled %d m %d: the loops for narrow numbers do not run", (int)c.kind, (int)c.zero,
                 (int)c.scaled, (int)c.m);
}

/* new: these programs have not run before */
static void all_kinds(int64_t m, int64_t n, int64_t k, int64_t group, bool new)
{
    for (int kind = BYTES; kind <= BFLOATS; kind++)
        for (int zero = NO_ZERO; zero <= (kind >= HALVES ? NO_ZERO : ARRAY); zero++)
            for (int scaled = 0; scaled <= (kind >= HALVES ? 0 : 1); scaled++)
                check((Case){kind, zero, scaled, m, n, k, group, m == 1 && (zero + scaled) % 2}, KN_F32, new);
}

static void bits_are_those_of_the_matrix_worked_out_first(void **state)
{
    (void)state;
    all_kinds(1, 470, 320, 32, true);
    all_kinds(1, 32, 8448, 64, true);
    all_kinds(3, 301, 544, 32, true);
    all_kinds(4, 1030, 128, 128, true);
}

static void scales_are_of_any_float(void **state)
{
    (void)state;
    for (int kind = BYTES; kind <= NIBBLES; kind++) {
        check((Case){kind, NO_ZERO, 1, 1, 348, 384, 64, 0}, KN_F16, true);
        check((Case){kind, ARRAY, 1, 2, 348, 384, 384, 0}, KN_BF16, true);
    }
}

static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++) {
        knr_isa_limit((knr_isa_kind)isa);
        all_kinds(1, 500 + 8 * isa, 288, 32, isa > KNR_ISA_BASE);
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

static void threads_share_the_rows(void **state)
{
    (void)state;
    KN_THREADS(4);
    all_kinds(1, 4 * 1024 + 7, 512, 64, true);
}

/* Steps that are no multiple of 16 bytes, many rows, few columns: the plan that packs. */
static void what_does_not_fit_is_packed(void **state)
{
    (void)state;
    check((Case){BYTES, NO_ZERO, 1, 1, 2000, 72, 24, 0}, KN_F32, false);
    check((Case){BYTES, NUMBER, 1, 6, 2500, 64, 32, 0}, KN_F32, false);
    check((Case){NIBBLES, NUMBER, 1, 1, 8, 20480, 32, 0}, KN_F32, false);
    check((Case){NIBBLES, NUMBER, 1, 1, 2000, 80, 16, 0}, KN_F32, false);
}

KN_TEST_GROUP(test_narrow_products)
{
    const struct CMUnitTest tests[] = {
        TEST(bits_are_those_of_the_matrix_worked_out_first),
        TEST(scales_are_of_any_float),
        TEST(every_instruction_set_gives_the_same_bits),
        TEST(threads_share_the_rows),
        TEST(what_does_not_fit_is_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
