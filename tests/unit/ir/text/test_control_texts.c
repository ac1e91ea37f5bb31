/* SPDX-License-Identifier: Apache-2.0
 * test_control_texts.c -- control flow prints the jaxprs that JAX prints (tests/golden/jaxpr_texts.txt). */
#include "support/expect.h"
#include "support/golden_text.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Pair;

static kn_array sine(const kn_array *x) { return kn_lax_sin(*x); }
static kn_array cosine(const kn_array *x) { return kn_lax_cos(*x); }
static kn_array negative(const kn_array *x) { return kn_lax_neg(*x); }
KN_FUNCTION(sine, kn_array, kn_array)
KN_FUNCTION(cosine, kn_array, kn_array)
KN_FUNCTION(negative, kn_array, kn_array)

static kn_array zero(void) { return kn_scalar(0.0f); }
static kn_array sin_if_positive(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_lax_gt(*x, 0.0), KN_FN(sine), KN_FN(cosine), &out, x);
    return out;
}
KN_FUNCTION(sin_if_positive, kn_array, kn_array)

static Pair trade(const kn_array *a, const kn_array *b) { return (Pair){*b, *a}; }
static Pair times(const kn_array *a, const kn_array *b) { return (Pair){kn_lax_mul(*a, *b), *b}; }
KN_FUNCTION(trade, Pair, kn_array, kn_array)
KN_FUNCTION(times, Pair, kn_array, kn_array)
static Pair trade_if_positive(const kn_array *x, const kn_array *y)
{
    Pair out = {0};
    kn_cond(kn_lax_gt(*x, 0.0), KN_FN(trade), KN_FN(times), &out, x, y);
    return out;
}
KN_FUNCTION(trade_if_positive, Pair, kn_array, kn_array)

static kn_array plus_captured(const kn_array *y, const kn_array *x) { return kn_lax_add(*x, *y); }
static kn_array less_captured(const kn_array *y, const kn_array *x) { return kn_lax_sub(*x, *y); }
KN_CLOSURE(plus_captured, kn_array, kn_array, kn_array)
KN_CLOSURE(less_captured, kn_array, kn_array, kn_array)
static kn_array captured_if_positive(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_cond(kn_lax_gt(*x, 0.0), KN_CLOSE(plus_captured, y), KN_CLOSE(less_captured, x), &out, y);
    return out;
}
KN_FUNCTION(captured_if_positive, kn_array, kn_array, kn_array)
static kn_array captured_by_both(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_cond(kn_lax_gt(*x, 0.0), KN_CLOSE(plus_captured, y), KN_CLOSE(less_captured, y), &out, x);
    return out;
}
KN_FUNCTION(captured_by_both, kn_array, kn_array, kn_array)

static kn_array cond_in_cond(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_lax_gt(*x, 1.0), KN_FN(sin_if_positive), KN_FN(negative), &out, x);
    return out;
}
KN_FUNCTION(cond_in_cond, kn_array, kn_array)

static kn_array switch_between_three(const kn_array *i, const kn_array *x)
{
    const kn_fn all[] = {KN_FN(sine), KN_FN(cosine), KN_FN(negative)};
    kn_array out = NULL;
    kn_switch(*i, all, 3, &out, x);
    return out;
}
KN_FUNCTION(switch_between_three, kn_array, kn_array, kn_array)

static Pair jvp_of_cond(const kn_array *x, const kn_array *t)
{
    Pair out = {0};
    kn_jvp(KN_FN(sin_if_positive), KN_ARGS(x), KN_ARGS(t), &out.a, &out.b);
    return out;
}
KN_FUNCTION(jvp_of_cond, Pair, kn_array, kn_array)

static Pair add_scaled(const kn_array *scale, const kn_array *c, const kn_array *x)
{
    return (Pair){kn_lax_add(*c, kn_lax_mul(*x, *scale)), *c};
}
KN_CLOSURE(add_scaled, Pair, kn_array, kn_array, kn_array)
static Pair running_sum(const kn_array *xs, const kn_array *scale)
{
    Pair out = {0};
    kn_array start = zero();
    kn_scan(KN_CLOSE(add_scaled, scale), &out, &start, xs);
    return out;
}
KN_FUNCTION(running_sum, Pair, kn_array, kn_array)

static Pair add_and_negate(const kn_array *c, const kn_array *x) { return (Pair){kn_lax_add(*c, *x), kn_lax_neg(*x)}; }
KN_FUNCTION(add_and_negate, Pair, kn_array, kn_array)
static Pair reversed(const kn_array *xs)
{
    Pair out = {0};
    kn_array start = kn_scalar(1.0f);
    kn_scan(KN_FN(add_and_negate), &out, &start, xs, .reverse = true);
    return out;
}
KN_FUNCTION(reversed, Pair, kn_array)

static Pair multiply(const kn_array *c, const kn_array *x) { return (Pair){kn_lax_mul(*c, *x), *c}; }
KN_FUNCTION(multiply, Pair, kn_array, kn_array)
static Pair products(const kn_array *xs)
{
    Pair out = {0};
    kn_array start = kn_scalar(1.0f);
    kn_scan(KN_FN(multiply), &out, &start, xs);
    return out;
}
KN_FUNCTION(products, Pair, kn_array)
typedef struct {
    Pair y, dy;
} Pairs;
static Pairs jvp_of_scan(const kn_array *x, const kn_array *t)
{
    Pairs out = {0};
    kn_jvp(KN_FN(products), KN_ARGS(x), KN_ARGS(t), &out.y, &out.dy);
    return out;
}
KN_FUNCTION(jvp_of_scan, Pairs, kn_array, kn_array)

static kn_array twice(const kn_array *x) { return kn_lax_add(*x, *x); }
static kn_array is_below(const kn_array *limit, const kn_array *x) { return kn_lax_lt(*x, *limit); }
static kn_array twice_at(const kn_array *i, const kn_array *x)
{
    (void)i;
    return kn_lax_add(*x, *x);
}
KN_FUNCTION(twice, kn_array, kn_array)
KN_CLOSURE(is_below, kn_array, kn_array, kn_array)
KN_FUNCTION(twice_at, kn_array, kn_array, kn_array)
static kn_array doubled_while_small(const kn_array *x, const kn_array *limit)
{
    kn_array out = NULL;
    kn_while_loop(KN_CLOSE(is_below, limit), KN_FN(twice), &out, x);
    return out;
}
static kn_array doubled_three_times(const kn_array *x)
{
    kn_array out = NULL;
    kn_fori_loop(kn_scalar((int32_t)0), kn_scalar((int32_t)3), KN_FN(twice_at), &out, x);
    return out;
}
static kn_array doubled_so_often(const kn_array *x, const kn_array *n)
{
    kn_array out = NULL;
    kn_fori_loop(0, *n, KN_FN(twice_at), &out, x);
    return out;
}
static kn_array mapped(const kn_array *x)
{
    kn_array out = NULL;
    kn_lax_map(KN_FN(sine), &out, x);
    return out;
}
KN_FUNCTION(doubled_while_small, kn_array, kn_array, kn_array)
KN_FUNCTION(doubled_three_times, kn_array, kn_array)
KN_FUNCTION(doubled_so_often, kn_array, kn_array, kn_array)
KN_FUNCTION(mapped, kn_array, kn_array)

/* ---- Cases: the letters of the arguments as in test_jaxpr_texts.c. */

static kn_array example(char letter)
{
    switch (letter) {
    case 's': return kn_ones(KN_SHAPE(), .dtype = KN_F32);
    case 'v': return kn_ones(KN_SHAPE(3), .dtype = KN_F32);
    case 'm': return kn_ones(KN_SHAPE(2, 3), .dtype = KN_F32);
    default: return kn_ones(KN_SHAPE(), .dtype = KN_I32);
    }
}

static void check(const char *name, kn_fn fn, const char *letters)
{
    kn_array x[4];
    kn_args args = {(int)strlen(letters), {{0}}};
    for (int i = 0; i < args.n; i++) {
        x[i] = example(letters[i]);
        args.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    }
    golden_same_text(name, fn, &args);
}

#define CASES                                                                                             \
    CASE(cond, "s", KN_FN(sin_if_positive))                                                               \
    CASE(cond_two_results, "ss", KN_FN(trade_if_positive))                                                \
    CASE(cond_captured, "ss", KN_FN(captured_if_positive))                                                \
    CASE(cond_captured_by_both, "ss", KN_FN(captured_by_both))                                            \
    CASE(cond_in_cond, "s", KN_FN(cond_in_cond))                                                          \
    CASE(switch, "js", KN_FN(switch_between_three))                                                       \
    CASE(vmap_switch, "jv", kn_vmap(KN_FN(switch_between_three), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)})) \
    CASE(jvp_cond, "ss", KN_FN(jvp_of_cond))                                                              \
    CASE(jit_cond, "s", kn_jit(KN_FN(sin_if_positive)))                                                   \
    CASE(scan, "vs", KN_FN(running_sum))                                                                  \
    CASE(scan_reverse, "v", KN_FN(reversed))                                                              \
    CASE(vmap_scan, "ms", kn_vmap(KN_FN(running_sum), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}))            \
    CASE(jvp_scan, "vv", KN_FN(jvp_of_scan))                                                              \
    CASE(while_loop, "ss", KN_FN(doubled_while_small))                                                    \
    CASE(fori_loop, "s", KN_FN(doubled_three_times))                                                      \
    CASE(fori_loop_of_so_many, "sj", KN_FN(doubled_so_often))                                             \
    CASE(lax_map, "m", KN_FN(mapped))

#define CASE(name, letters, ...)            \
    static void text_##name(void **state)   \
    {                                       \
        (void)state;                        \
        KN_SCOPE;                           \
        check(#name, __VA_ARGS__, letters); \
    }
CASES
#undef CASE
static void branches_are_walked_in_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = example('s'), i = example('j');
    kn_jaxpr j = kn_make_jaxpr(KN_FN(switch_between_three), KN_ARGS(&i, &x));
    const char *const texts[] = {"{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }",
                                 "{ lambda ; a:f32[]. let b:f32[] = cos a in (b,) }",
                                 "{ lambda ; a:f32[]. let b:f32[] = neg a in (b,) }"};
    assert_int_equal(kn_jaxpr_sub_count(j, 0), 0); /* clamp */
    assert_int_equal(kn_jaxpr_sub_count(j, 1), 3);
    assert_string_equal(kn_jaxpr_params(j, 1), "branches=(sine cosine negative)");
    for (int k = 0; k < 3; k++)
        assert_string_equal(kn_jaxpr_text(kn_jaxpr_sub(j, 1, k), KN_JAXPR_TYPED), texts[k]);
    kn_jaxpr_sub(j, 1, 3);
    expect_error("IndexError", "jaxpr_sub: index 3 is out of bounds for 3 jaxprs of the equation");
}

#define CASE(name, letters, ...) TEST(text_##name),

KN_TEST_GROUP(test_control_texts)
{
    const struct CMUnitTest tests[] = {CASES TEST(branches_are_walked_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
