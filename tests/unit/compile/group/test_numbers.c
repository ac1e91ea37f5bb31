/* SPDX-License-Identifier: Apache-2.0
 * test_numbers.c -- functions that differ in a number have one kernel, which is given the number; a number whose
 * knowledge makes something simpler stays a part of the kernel. The bits are those of the same operation on an array. */
#include "support/expect.h"
#include "support/group.h"
#include "host/native.h"

typedef struct Salt {
    double k;
} Salt;
typedef struct Salts {
    double k[12];
} Salts;

static kn_array scaled(const Salt *s, const kn_array *x)
{
    return kn_sum(kn_tanh(kn_add(kn_mul(*x, s->k), kn_sin(*x))));
}
static kn_array product(const Salt *s, const kn_array *x) { return kn_mul(kn_matmul(*x, *x), s->k); }
static kn_array clipped(const Salt *s, const kn_array *x)
{
    return kn_where(kn_less(*x, s->k), kn_div(*x, s->k + 1), kn_maximum(*x, s->k - 1));
}
static kn_array spread(const Salt *s, const kn_array *x)
{
    return kn_mul(*x, kn_full(KN_SHAPE(2, 1), s->k, .dtype = KN_F32));
}
static kn_array many(const Salts *s, const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < 12; i++)
        y = kn_add(kn_mul(y, s->k[i]), kn_sin(y));
    return y;
}
static kn_array half(const Salt *s, const kn_array *x) { return kn_mul(kn_astype(*x, KN_F16), s->k); }
static kn_array turned(const Salt *s, const kn_array *x) { return kn_mul(*x, s->k + (2 + s->k) * 1.0i); }
KN_FUNCTION_ENV(turned, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(scaled, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(product, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(clipped, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(spread, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(many, kn_array, Salts, kn_array)
KN_FUNCTION_ENV(half, kn_array, Salt, kn_array)

static kn_array operand(void) { return kn_reshape(kn_linspace(-2, 3, 36, .dtype = KN_F32), KN_SHAPE(6, 6)); }

#define CALL(f, s, x)                                       \
    __extension__({                                         \
        kn_array call_y;                                    \
        kn_array call_x = (x);                              \
        kn_call(kn_jit(KN_FN_ENV(f, s)), &call_y, &call_x); \
        call_y;                                             \
    })

/* Loops: what their bodies, conditions and branches are written with. */
static kn_array turn(const Salt *s, const kn_array *i, const kn_array *y)
{
    (void)i;
    return kn_add(kn_mul(*y, s->k), kn_tanh(kn_sub(*y, s->k + 1)));
}
typedef struct Turned {
    kn_array y, out;
} Turned;
static Turned folded(const Salt *s, const kn_array *y, const kn_array *x)
{
    kn_array z = kn_add(kn_mul(*y, s->k), kn_div(*x, s->k + 3));
    return (Turned){z, kn_mul(z, s->k * 0.3)};
}
static kn_array small(const Salt *s, const kn_array *y) { return kn_less(kn_sum(*y), s->k * 50); }
static kn_array doubled(const Salt *s, const kn_array *y) { return kn_add(kn_mul(*y, 1.5), s->k); }
static kn_array left(const Salt *s, const kn_array *y) { return kn_mul(kn_sin(*y), s->k); }
static kn_array right(const Salt *s, const kn_array *y) { return kn_sub(*y, s->k * 7); }
KN_FUNCTION_ENV(turn, kn_array, Salt, kn_array, kn_array)
KN_FUNCTION_ENV(folded, Turned, Salt, kn_array, kn_array)
KN_FUNCTION_ENV(small, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(doubled, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(left, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(right, kn_array, Salt, kn_array)

static kn_array counted(const Salt *s, const kn_array *x)
{
    kn_array y;
    kn_fori_loop(0, 5, KN_FN_ENV(turn, s), &y, x);
    return y;
}
static kn_array scanned(const Salt *s, const kn_array *x)
{
    Turned y;
    kn_array first = kn_take(*x, 0, .axis = KN_AXIS(0));
    kn_scan(KN_FN_ENV(folded, s), &y, &first, x);
    return kn_add(y.y, y.out);
}
static kn_array asked(const Salt *s, const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN_ENV(small, s), KN_FN_ENV(doubled, s), &y, x);
    return y;
}
static kn_array branched(const Salt *s, const kn_array *i, const kn_array *y)
{
    kn_array z;
    kn_cond(kn_greater(kn_sum(*y), kn_add(*i, s->k)), KN_FN_ENV(left, s), KN_FN_ENV(right, s), &z, y);
    return z;
}
static kn_array nest(const Salt *s, const kn_array *i, const kn_array *y)
{
    kn_array z;
    (void)i;
    kn_fori_loop(0, 3, KN_FN_ENV(turn, s), &z, y);
    return kn_mul(z, s->k * 0.1);
}
KN_FUNCTION_ENV(branched, kn_array, Salt, kn_array, kn_array)
KN_FUNCTION_ENV(nest, kn_array, Salt, kn_array, kn_array)
static kn_array chosen(const Salt *s, const kn_array *x)
{
    kn_array y;
    kn_fori_loop(0, 4, KN_FN_ENV(branched, s), &y, x);
    return y;
}
static kn_array nested(const Salt *s, const kn_array *x)
{
    kn_array y;
    kn_fori_loop(0, 4, KN_FN_ENV(nest, s), &y, x);
    return y;
}
KN_FUNCTION_ENV(counted, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(scanned, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(asked, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(chosen, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(nested, kn_array, Salt, kn_array)

/* Kernels and stage functions made for `calls` calls, one with each number. */
#define EXPECT_ONE_KERNEL(f, calls)                                          \
    do {                                                                     \
        KN_SCOPE;                                                            \
        kn_array x = operand();                                              \
        Salt first = {2.5};                                                  \
        kn_eval(CALL(f, &first, x));                                         \
        kn_cache_stats_result before = kn_cache_stats();                     \
        for (int i = 1; i <= (calls); i++) {                                 \
            Salt s = {2.5 + i * 0.001};                                      \
            kn_eval(CALL(f, &s, x));                                         \
        }                                                                    \
        kn_cache_stats_result after = kn_cache_stats();                      \
        assert_int_equal(after.traces.misses - before.traces.misses, calls); \
        assert_int_equal(after.kernels.misses, before.kernels.misses);       \
        assert_int_equal(after.code.functions, before.code.functions);       \
    } while (0)

static void functions_that_differ_in_a_number_share_their_kernels(void **state)
{
    (void)state;
    EXPECT_ONE_KERNEL(scaled, 50);
    EXPECT_ONE_KERNEL(clipped, 50);
    EXPECT_ONE_KERNEL(half, 50);
    EXPECT_ONE_KERNEL(turned, 50);
}

static void loops_that_differ_in_a_number_share_their_kernels(void **state)
{
    (void)state;
    EXPECT_ONE_KERNEL(counted, 20);
    EXPECT_ONE_KERNEL(scanned, 20);
    EXPECT_ONE_KERNEL(asked, 20);
    EXPECT_ONE_KERNEL(chosen, 20);
    EXPECT_ONE_KERNEL(nested, 20);
}

/* The same loops with arrays of one element in place of the numbers. */
static kn_array turn_by(const kn_array *k, const kn_array *i, const kn_array *y)
{
    (void)i;
    return kn_add(kn_mul(*y, *k), kn_tanh(kn_sub(*y, kn_add(*k, 1))));
}
KN_CLOSURE(turn_by, kn_array, kn_array, kn_array, kn_array)

static void products_scaled_by_a_number_share_their_kernels(void **state)
{
    (void)state;
    EXPECT_ONE_KERNEL(product, 50);
}

static void a_number_repeated_to_a_shape_is_one_all_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3), .dtype = KN_F32);
    Salt s = {3.5}, t = {4.5};
    expect_values(CALL(spread, &s, x), 3.5, 3.5, 3.5, 3.5, 3.5, 3.5);
    uint64_t misses = kn_cache_stats().kernels.misses;
    expect_values(CALL(spread, &t, x), 4.5, 4.5, 4.5, 4.5, 4.5, 4.5);
    assert_int_equal(kn_cache_stats().kernels.misses, misses);
}

static kn_array filled(const Salt *s, const kn_array *x)
{
    (void)x;
    return kn_full(KN_SHAPE(7), s->k);
}
static kn_array loss(const Salt *s, const kn_array *x) { return kn_mean(kn_mul(*x, s->k)); }
KN_FUNCTION_ENV(filled, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(loss, kn_array, Salt, kn_array)

static kn_fn slope(const Salt *s) { return kn_grad(KN_FN_ENV(loss, s)); }

static void arrays_of_one_number_share_their_kernels(void **state)
{
    (void)state;
    EXPECT_ONE_KERNEL(filled, 50);
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(4)), y;
    Salt s = {2.5}, t = {3.5};
    kn_call(slope(&s), &y, &x);
    expect_values(y, 0.625, 0.625, 0.625, 0.625);
    uint64_t misses = kn_cache_stats().kernels.misses;
    kn_call(slope(&t), &y, &x);
    expect_values(y, 0.875, 0.875, 0.875, 0.875);
    assert_int_equal(kn_cache_stats().kernels.misses, misses);
}

static void one_is_known_to_the_kernel(void **state)
{
    (void)state;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = operand();
        Salt one = {1}, other = {2.5};
        kn_eval(CALL(product, &one, x));
        size_t entries = kn_cache_stats().kernels.entries;
        kn_eval(CALL(product, &other, x));
        assert_true(kn_cache_stats().kernels.entries > entries);
    }
    assert_int_equal(kn_context_free(own), 0);
}

/* What a kernel gains from knowing, or cannot be given. */
static kn_array raised(const Salt *s, const kn_array *x) { return kn_power(*x, s->k); }
static kn_array angle(const Salt *s, const kn_array *x) { return kn_arctan2(*x, s->k); }
static kn_array counts(const Salt *s, const kn_array *x) { return kn_add(kn_astype(*x, KN_I32), (int)s->k); }
static kn_array shifted(const Salt *s, const kn_array *x) { return kn_left_shift(kn_astype(*x, KN_I32), (int)s->k); }
static kn_array times(const Salt *s, const kn_array *x) { return kn_mul(kn_sin(*x), s->k); }
static kn_array whole_power(const Salt *s, const kn_array *x) { return kn_power(*x, (int)s->k); }
static kn_array eight(const Salts *s, const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < 8; i++)
        y = kn_add(kn_sin(y), s->k[i]);
    return y;
}
static kn_array nine(const Salts *s, const kn_array *x) { return kn_add(kn_sin(eight(s, x)), s->k[8]); }
KN_FUNCTION_ENV(raised, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(angle, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(counts, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(shifted, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(times, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(whole_power, kn_array, Salt, kn_array)
KN_FUNCTION_ENV(eight, kn_array, Salts, kn_array)
KN_FUNCTION_ENV(nine, kn_array, Salts, kn_array)

/* Kernels that the second call makes. */
#define KERNELS_OF_ANOTHER(f, first, second)                  \
    __extension__({                                           \
        kn_array of_x = operand();                            \
        kn_eval(CALL(f, &(first), of_x));                     \
        uint64_t of_before = kn_cache_stats().kernels.misses; \
        kn_eval(CALL(f, &(second), of_x));                    \
        (int)(kn_cache_stats().kernels.misses - of_before);   \
    })

static void numbers_that_kernels_gain_from_are_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    static const Salt some[] = {{3}, {5}}, plain[] = {{0}, {1}, {-1}, {INFINITY}};
    assert_int_equal(KERNELS_OF_ANOTHER(raised, ((Salt){2.5}), ((Salt){2.625})), 1);
    assert_int_equal(KERNELS_OF_ANOTHER(angle, some[0], some[1]), 1);
    assert_int_equal(KERNELS_OF_ANOTHER(counts, some[0], some[1]), 1);
    assert_int_equal(KERNELS_OF_ANOTHER(shifted, some[0], some[1]), 1);
    assert_int_equal(KERNELS_OF_ANOTHER(whole_power, some[0], some[1]), 1);
    assert_int_equal(KERNELS_OF_ANOTHER(times, some[0], some[1]), 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_int_equal(KERNELS_OF_ANOTHER(times, some[0], plain[i]), 1);
}

static void a_kernel_is_given_eight_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    Salts first, second;
    for (int i = 0; i < 12; i++) {
        first.k[i] = 0.3 + 0.125 * i;
        second.k[i] = 0.4 + 0.0625 * i;
    }
    assert_int_equal(KERNELS_OF_ANOTHER(eight, first, second), 0);
    assert_int_equal(KERNELS_OF_ANOTHER(nine, first, second), 1);
}

/* Plans that the expression makes for another number n, k = n + 0.25, after the first one. */
#define PLANS_OF_ANOTHER(...)                                               \
    __extension__({                                                         \
        uint64_t of_before = 0;                                             \
        kn_array x = operand(), m = kn_arange(0, 6, 1);                     \
        kn_eval(x), kn_eval(m);                                             \
        for (int n = 3; n >= -1; n--) {                                     \
            KN_SCOPE;                                                       \
            const double k = n + 0.25;                                      \
            (void)k;                                                        \
            kn_eval(__VA_ARGS__);                                           \
            of_before = n == 3 ? kn_cache_stats().plans.misses : of_before; \
        }                                                                   \
        (int)(kn_cache_stats().plans.misses - of_before);                   \
    })

static void numbers_of_eager_operations_are_operands_of_one_plan(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(PLANS_OF_ANOTHER(kn_mul(x, k)), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_mul(x, n)), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_add(m, n)), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_bitwise_and(m, n)), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_power(x, k)), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_full(KN_SHAPE(3), k)), 0);
    assert_int_equal(
        PLANS_OF_ANOTHER(kn_add(
            kn_mul(
                kn_add(kn_mul(kn_add(kn_mul(kn_add(kn_mul(kn_add(x, k), k + 1), k + 2), k + 3), k + 4), k + 5), k + 6),
                k + 7),
            n)),
        0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_pad(x, 1, .constant_values = kn_num(k))), 0);
    assert_int_equal(PLANS_OF_ANOTHER(kn_power(x, n)), 4); /* the power is a parameter of integer_pow */
}

/* The bits of y and z are the same. */
static void expect_same_bits(kn_array y, kn_array z)
{
    kn_array same = kn_all(kn_equal(kn_lax_bitcast_convert_type(y, KN_U32), kn_lax_bitcast_convert_type(z, KN_U32)));
    assert_int_equal(kn_item(same), 1);
}

static void bits_are_those_of_an_array_operand(void **state)
{
    static const double k[] = {0,    -0.0,     1,         -1,  2.5, -2.5, 1e-40, -1e-45,   3e38,
                               1e39, INFINITY, -INFINITY, NAN, 0.1, 1e-8, 7,     0x1p-149, 0x1.fffffep127};
    (void)state;
    KN_SCOPE;
    kn_array x = operand();
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        KN_SCOPE;
        Salt s = {k[i]};
        kn_array c = kn_full(KN_SHAPE(6, 6), k[i], .dtype = KN_F32);
        kn_eval(c);
        expect_same_bits(CALL(product, &s, x), kn_mul(kn_matmul(x, x), c));
        expect_same_bits(kn_mul(x, k[i]), kn_mul(x, c));
    }
}

static void bits_of_loops_are_those_of_an_array_operand(void **state)
{
    static const double k[] = {0, -0.0, 1, -1, 0.5, -2.5, 1e-40, 3e38, INFINITY, NAN, 0.1, 7};
    (void)state;
    KN_SCOPE;
    kn_array x = operand();
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        KN_SCOPE;
        Salt s = {k[i]};
        kn_array c = kn_full(KN_SHAPE(), k[i], .dtype = KN_F32), y;
        kn_fori_loop(0, 5, KN_CLOSE(turn_by, &c), &y, &x);
        expect_same_bits(CALL(counted, &s, x), y);
    }
}

/* More numbers than a kernel is given: the others are constants. */
static void many_numbers_are_right(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = operand(), y = x;
    Salts s;
    for (int i = 0; i < 12; i++) {
        s.k[i] = 0.5 + 0.03 * i;
        kn_array c = kn_full(KN_SHAPE(6, 6), s.k[i], .dtype = KN_F32);
        kn_eval(c);
        y = kn_add(kn_mul(y, c), kn_sin(y));
        kn_eval(y);
    }
    expect_same_bits(CALL(many, &s, x), y);
}

KN_TEST_GROUP(test_numbers)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_that_differ_in_a_number_share_their_kernels),
        TEST(loops_that_differ_in_a_number_share_their_kernels),
        TEST(products_scaled_by_a_number_share_their_kernels),
        TEST(a_number_repeated_to_a_shape_is_one_all_the_same),
        TEST(arrays_of_one_number_share_their_kernels),
        TEST(one_is_known_to_the_kernel),
        TEST(numbers_that_kernels_gain_from_are_constants),
        TEST(a_kernel_is_given_eight_numbers),
        TEST(numbers_of_eager_operations_are_operands_of_one_plan),
        TEST(bits_are_those_of_an_array_operand),
        TEST(bits_of_loops_are_those_of_an_array_operand),
        TEST(many_numbers_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
