/* SPDX-License-Identifier: Apache-2.0
 * test_jaxpr_texts.c -- the functions of jax.lax and their transformations print the jaxprs that JAX prints. The cases
 * are in jaxpr_texts.def. */
#include "support/expect.h"
#include "support/golden_text.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Pair;

static Pair pair_of(kn_list list) { return (Pair){kn_list_get(list, 0), kn_list_get(list, 1)}; }

/* ---- What the cases are made of. */

static const kn_lax_gather_dimension_numbers rows_of_gather = {
    .offset_dims = {{2}, {1}}, .collapsed_slice_dims = {{2}, {0}}, .start_index_map = {{2}, {0}}};
static const kn_lax_scatter_dimension_numbers rows_of_scatter = {
    .update_window_dims = {{2}, {1}}, .inserted_window_dims = {{2}, {0}}, .scatter_dims_to_operand_dims = {{2}, {0}}};
static const kn_lax_dot_dimension_numbers rows_with_rows = {{{2}, {1}}, {{2}, {1}}, {{2}, {0}}, {{2}, {0}}};

static kn_array add2(const kn_array *x, const kn_array *y) { return kn_lax_add(*x, *y); }
static kn_array mul2(const kn_array *x, const kn_array *y) { return kn_lax_mul(*x, *y); }
static kn_array max2(const kn_array *x, const kn_array *y) { return kn_lax_max(*x, *y); }
static kn_array min2(const kn_array *x, const kn_array *y) { return kn_lax_min(*x, *y); }
static kn_array twice_sum(const kn_array *x, const kn_array *y) { return kn_lax_mul(kn_lax_add(*x, *y), 2); }
static Pair add_and_max(const Pair *x, const Pair *y) { return (Pair){kn_lax_add(x->a, y->a), kn_lax_max(x->b, y->b)}; }
static kn_array sin_times(const kn_array *x, const kn_array *y) { return kn_lax_mul(kn_lax_sin(*x), *y); }
static kn_array sum_of_squares(const kn_array *x) { return kn_lax_reduce_sum(kn_lax_mul(*x, *x), KN_AXIS(0)); }
static kn_array sum_of_logistic(const kn_array *x) { return kn_lax_reduce_sum(kn_lax_logistic(*x), KN_AXIS(0)); }
static kn_array convolve_nhwc(kn_array x, kn_array w)
{
    return kn_lax_conv_general_dilated(x, w, KN_SHAPE(2, 1), KN_PADS({1, 2}, {-1, 0}),
                                       .dimension_numbers = {"NHWC", "HWIO", "NHWC"});
}
static kn_array sum_of_convolution(const kn_array *x, const kn_array *w)
{
    return kn_lax_reduce_sum(convolve_nhwc(*x, *w), KN_AXIS(0, 1, 2, 3));
}
static kn_array convolve_row(const kn_array *x, const kn_array *w)
{
    return kn_lax_conv(kn_lax_reshape(*x, KN_SHAPE(1, 4, 6)), *w, KN_SHAPE(1), KN_SAME);
}
static kn_array layer(const kn_array *w, const kn_array *x, const kn_array *b)
{
    kn_array z = kn_lax_add(kn_lax_dot(*w, *x), kn_lax_broadcast(*b, KN_SHAPE(3)));
    return kn_lax_reduce_sum(kn_lax_logistic(z), KN_AXIS(0, 1));
}
#define ROWS_OF_TWO .window_strides = &KN_SHAPE(1, 2), .padding = KN_SAME
static kn_array sum_of_window_max(const kn_array *x)
{
    return kn_lax_reduce_sum(kn_lax_reduce_window_max(*x, KN_SHAPE(1, 2), ROWS_OF_TWO), KN_AXIS(0, 1));
}
static kn_array sum_of_window_sum(const kn_array *x)
{
    return kn_lax_reduce_sum(kn_lax_reduce_window_sum(*x, KN_SHAPE(1, 2), ROWS_OF_TWO), KN_AXIS(0, 1));
}
static kn_array max_of_two(const kn_array *x) { return kn_lax_reduce_window_max(*x, KN_SHAPE(2)); }
static kn_array cube(const kn_array *x) { return kn_lax_integer_pow(*x, 3); }
KN_FUNCTION(add2, kn_array, kn_array, kn_array)
KN_FUNCTION(mul2, kn_array, kn_array, kn_array)
KN_FUNCTION(max2, kn_array, kn_array, kn_array)
KN_FUNCTION(min2, kn_array, kn_array, kn_array)
KN_FUNCTION(twice_sum, kn_array, kn_array, kn_array)
KN_FUNCTION(add_and_max, Pair, Pair, Pair)
KN_FUNCTION(sin_times, kn_array, kn_array, kn_array)
KN_FUNCTION(sum_of_squares, kn_array, kn_array)
KN_FUNCTION(sum_of_logistic, kn_array, kn_array)
KN_FUNCTION(sum_of_convolution, kn_array, kn_array, kn_array)
KN_FUNCTION(convolve_row, kn_array, kn_array, kn_array)
KN_FUNCTION(layer, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(cube, kn_array, kn_array)
KN_FUNCTION(sum_of_window_max, kn_array, kn_array)
KN_FUNCTION(sum_of_window_sum, kn_array, kn_array)
KN_FUNCTION(max_of_two, kn_array, kn_array)

static kn_array scanned(kn_fn f, const kn_array *x, kn_axes axis, bool reverse)
{
    kn_array y = NULL;
    kn_associative_scan(f, &y, x, .axis = axis, .reverse = reverse);
    return y;
}

#define JVP_ONE(name)                                                   \
    static Pair jvp_of_##name(const kn_array *x, const kn_array *dx)    \
    {                                                                   \
        Pair y = {0};                                                   \
        kn_jvp(KN_FN(lax_##name), KN_ARGS(x), KN_ARGS(dx), &y.a, &y.b); \
        return y;                                                       \
    }                                                                   \
    KN_FUNCTION(jvp_of_##name, Pair, kn_array, kn_array)
#define JVP_TWO(name)                                                                                       \
    static Pair jvp_of_##name(const kn_array *x, const kn_array *y, const kn_array *dx, const kn_array *dy) \
    {                                                                                                       \
        Pair z = {0};                                                                                       \
        kn_jvp(KN_FN(lax_##name), KN_ARGS(x, y), KN_ARGS(dx, dy), &z.a, &z.b);                              \
        return z;                                                                                           \
    }                                                                                                       \
    KN_FUNCTION(jvp_of_##name, Pair, kn_array, kn_array, kn_array, kn_array)

typedef struct {
    kn_array value;
    Pair gradient;
} Pulled;
static Pulled vjp_of_product(const kn_array *x, const kn_array *y, const kn_array *ct)
{
    Pulled out = {0};
    kn_fn pullback = kn_vjp(KN_FN(sin_times), KN_ARGS(x, y), &out.value);
    kn_call(pullback, &out.gradient, ct);
    return out;
}
KN_FUNCTION(vjp_of_product, Pulled, kn_array, kn_array, kn_array)

/* ---- Arguments: one letter each. */

static kn_array ones(kn_dtype d, kn_shape shape) { return kn_ones(shape, .dtype = d); }

static kn_array example(char letter)
{
    switch (letter) {
    case 's': return ones(KN_F32, KN_SHAPE());
    case 'v': return ones(KN_F32, KN_SHAPE(3));
    case 'm': return ones(KN_F32, KN_SHAPE(2, 3));
    case 'n': return ones(KN_F32, KN_SHAPE(3, 2));
    case 'q': return ones(KN_F32, KN_SHAPE(2, 2));
    case 'B': return ones(KN_F32, KN_SHAPE(2, 3, 3));
    case '2': return ones(KN_F32, KN_SHAPE(2));
    case 'o': return ones(KN_F32, KN_SHAPE(1, 3));
    case 't': return ones(KN_F32, KN_SHAPE(3, 3));
    case 'e': return ones(KN_F32, KN_SHAPE(5));
    case 'r': return ones(KN_F32, KN_SHAPE(4, 2, 3));
    case 'z': return ones(KN_F32, KN_SHAPE(4, 3, 5));
    case 'h': return ones(KN_F16, KN_SHAPE(3));
    case 'c': return ones(KN_C64, KN_SHAPE(3));
    case 'i': return ones(KN_I32, KN_SHAPE(3));
    case 'j': return ones(KN_I32, KN_SHAPE());
    case 'p': return ones(KN_I32, KN_SHAPE(3, 1));
    case 'b': return ones(KN_BOOL, KN_SHAPE(3));
    case 'I': return ones(KN_F32, KN_SHAPE(2, 5, 6, 3));
    case 'K': return ones(KN_F32, KN_SHAPE(3, 2, 3, 4));
    case 'L': return ones(KN_F32, KN_SHAPE(2, 4, 6));
    case 'O': return ones(KN_F32, KN_SHAPE(6, 4, 3));
    case 'G': return ones(KN_F32, KN_SHAPE(6, 2, 3));
    default: return ones(KN_U32, KN_SHAPE(4));
    }
}

static void check(const char *name, kn_fn fn, const char *letters)
{
    kn_array x[8];
    kn_args args = {(int)strlen(letters), {{0}}};
    for (int i = 0; i < args.n; i++) {
        x[i] = example(letters[i]);
        args.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    }
    golden_same_text(name, fn, &args);
}

/* ---- The cases: functions and their tests, then the list of tests. */

#define TEXT(name, letters, fn)           \
    static void text_##name(void **state) \
    {                                     \
        (void)state;                      \
        KN_SCOPE;                         \
        check(#name, fn, letters);        \
    }
#define ONE(name, letters, R, ...)                           \
    static R name(const kn_array *x) { return __VA_ARGS__; } \
    KN_FUNCTION(name, R, kn_array)                           \
    TEXT(name, letters, KN_FN(name))
#define TWO(name, letters, R, ...)                                              \
    static R name(const kn_array *x, const kn_array *y) { return __VA_ARGS__; } \
    KN_FUNCTION(name, R, kn_array, kn_array)                                    \
    TEXT(name, letters, KN_FN(name))
#define THREE(name, letters, R, ...)                                                               \
    static R name(const kn_array *x, const kn_array *y, const kn_array *z) { return __VA_ARGS__; } \
    KN_FUNCTION(name, R, kn_array, kn_array, kn_array)                                             \
    TEXT(name, letters, KN_FN(name))
#define TRANSFORMED(name, letters, ...)
#include "unit/ir/text/jaxpr_texts.def"
#undef ONE
#undef TWO
#undef THREE
#undef TRANSFORMED

JVP_ONE(sin)
JVP_ONE(exp)
JVP_ONE(reduce_window_max)
JVP_TWO(mul)
JVP_TWO(sub)
JVP_TWO(add)
#define ONE(name, letters, R, ...)
#define TWO(name, letters, R, ...)
#define THREE(name, letters, R, ...)
#define TRANSFORMED(name, letters, ...) TEXT(name, letters, __VA_ARGS__)
#include "unit/ir/text/jaxpr_texts.def"
#undef ONE
#undef TWO
#undef THREE
#undef TRANSFORMED

#define ONE(name, letters, R, ...)      TEST(text_##name),
#define TWO(name, letters, R, ...)      TEST(text_##name),
#define THREE(name, letters, R, ...)    TEST(text_##name),
#define TRANSFORMED(name, letters, ...) TEST(text_##name),

KN_TEST_GROUP(test_jaxpr_texts)
{
    const struct CMUnitTest tests[] = {
#include "unit/ir/text/jaxpr_texts.def"
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
