/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_arrays.c -- traced arrays whose extents are expressions: shapes that broadcast, views and writes, what
 * is looked at, what is refused and where. */
#include "base/dim.h"
#include "support/group.h"
#include "support/symbolic.h"
#include <stdlib.h>

#define D(i, axis) kn_dim(x[i], axis)

/* Writes 1 to all of `view` and gives the array behind it. */
static kn_array written(kn_array of, kn_array view)
{
    kn_set_at(view, 1, "...");
    return of;
}

static kn_array own(kn_array x) { return kn_add(x, 0); }

static kn_array written_reshaped(kn_array x, kn_shape shape)
{
    kn_array y = own(x);
    return written(y, (kn_reshape)(y, &shape, NULL));
}

#define SHAPES(CASE)                                                                                                  \
    CASE(same, "f32[b] f32[b]", "f32[b]", kn_add(x[0], x[1]))                                                         \
    CASE(ones, "f32[b,1] f32[t]", "f32[b,t]", kn_add(x[0], x[1]))                                                     \
    CASE(more_axes, "f32[t] f32[b,4,t]", "f32[b,4,t]", kn_add(x[0], x[1]))                                            \
    CASE(known_same, "f32[b] f32[2*c] | b == 2*c", "f32[2*c]", kn_add(x[0], x[1]))                                    \
    CASE(other, "f32[b] f32[t]", "ValueError: operands could not be broadcast together with shapes (b,) (t,)",        \
         kn_add(x[0], x[1]))                                                                                          \
    CASE(other_number, "f32[b] f32[3]", "ValueError: operands could not be broadcast together with shapes (b,) (3,)", \
         kn_add(x[0], x[1]))                                                                                          \
    CASE(given, "f32[b]", "f32[b,3]", kn_zeros(KN_SHAPE(D(0, 0), 3), .dtype = KN_F32))                                \
    CASE(like, "f32[b,t]", "f32[b,t]", kn_zeros_like(x[0]))                                                           \
    CASE(where, "bool[b,1] f32[t] f32[]", "f32[b,t]", kn_where(x[0], x[1], x[2]))

#define NUMBERS(CASE)                                                                                                  \
    CASE(divided, "f32[b,t]", "f32[b,t]", kn_div(x[0], D(0, 0)))                                                       \
    CASE(added, "i8[b] | b <= 128", "i8[b]", kn_add(x[0], D(0, 0) - 1))                                                \
    CASE(alone, "f32[b]", "i64[]", kn_add(D(0, 0), 1))                                                                 \
    CASE(as_float, "f32[b]", "f32[]", kn_astype(kn_asarray(D(0, 0)), KN_F32))                                          \
    CASE(size, "f32[b,t]", "f64[]", kn_sqrt(kn_size(x[0])))                                                            \
    CASE(bytes, "f32[b,t]", "i64[]", kn_add(kn_nbytes(x[0]), 0))                                                       \
    CASE(as_double, "f32[b]",                                                                                          \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant: a value", \
         kn_mul(x[0], kn_item(D(0, 0))))                                                                               \
    CASE(looked_at, "f32[b]", "ConcretizationError: the value of float32[b] is not known",                             \
         kn_mul(x[0], kn_item(x[0], 0)))                                                                               \
    CASE(constant, "f32[b]", "ConcretizationError: is not known",                                                      \
         kn_mul(x[0], kn_item(kn_sum(kn_zeros(KN_SHAPE(D(0, 0)))))))                                                   \
    CASE(memory, "f32[b]",                                                                                             \
         "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires a constant",          \
         kn_from_memory(memory, &KN_SHAPE(D(0, 0)), KN_F32))

#define VIEWS(CASE)                                                                                                    \
    CASE(transposed, "f32[b,t]", "f32[t,b]", kn_transpose(x[0]))                                                       \
    CASE(joined, "f32[b,t,4]", "f32[b*t,4]", kn_reshape(x[0], KN_SHAPE(knx_dim_mul(D(0, 0), D(0, 1)), 4)))             \
    CASE(flat, "f32[b,t]", "f32[b*t]", kn_ravel(x[0]))                                                                 \
    CASE(heads, "f32[b,t,128]", "f32[b,8,t,16]",                                                                       \
         kn_swapaxes(kn_reshape(x[0], KN_SHAPE(D(0, 0), D(0, 1), 8, 16)), 1, 2))                                       \
    CASE(heads_back, "f32[b,8,t,16]", "f32[b,t,128]",                                                                  \
         kn_reshape(kn_swapaxes(x[0], 1, 2), KN_SHAPE(D(0, 0), D(0, 2), 128)))                                         \
    CASE(in_order, "f32[b,t]", "f32[t,b]", kn_exp(kn_transpose(x[0])))                                                 \
    CASE(copied, "f32[b,t,3]", "f32[3,b,t]", kn_copy(kn_transpose(x[0], KN_AXIS(2, 0, 1))))                            \
    CASE(set_all, "f32[b,t]", "f32[b,t]", ({                                                                           \
             kn_array y = own(x[0]);                                                                                   \
             written(y, y);                                                                                            \
         }))                                                                                                           \
    CASE(set_first, "f32[b,t]", "f32[b,t]", ({                                                                         \
             kn_array y = own(x[0]);                                                                                   \
             written(y, kn_at(y, "0"));                                                                                \
         }))                                                                                                           \
    CASE(set_last, "f32[b,t]", "f32[b,t]", ({                                                                          \
             kn_array y = own(x[0]);                                                                                   \
             written(y, kn_at(y, "..., -1"));                                                                          \
         }))                                                                                                           \
    CASE(set_transposed, "f32[b,t]", "f32[b,t]", ({                                                                    \
             kn_array y = own(x[0]);                                                                                   \
             written(y, kn_transpose(y));                                                                              \
         }))                                                                                                           \
    CASE(set_reshaped, "f32[b,t,4]", "f32[b,t,4]", written_reshaped(x[0], KN_SHAPE(knx_dim_mul(D(0, 0), D(0, 1)), 4))) \
    CASE(set_chain, "f32[b,t,4]", "f32[b,t,4]", ({                                                                     \
             kn_array y = own(x[0]);                                                                                   \
             written(y, kn_at(kn_transpose(kn_at(y, "0")), "1, 1:"));                                                  \
         }))                                                                                                           \
    CASE(set_argument, "f32[b]", "MutationError: write to argument 0 (float32[b]) under jit", written(x[0], x[0]))

static const float memory[1 << 17]; /* for the largest extent of tests/symbolic */

#define TABLE(name, LIST) LIST(SYMBOLIC_FUNCTION) static const symbolic_case name[] = {LIST(SYMBOLIC_ROW)}
TABLE(shapes, SHAPES);
TABLE(numbers, NUMBERS);
TABLE(views, VIEWS);

#define CHECK(name, table)                                   \
    static void name(void **state)                           \
    {                                                        \
        (void)state;                                         \
        symbolic_check(table, sizeof table / sizeof *table); \
    }
CHECK(shapes_broadcast, shapes)
CHECK(extents_are_values, numbers)
CHECK(views_and_writes, views)

static bool has(const symbolic_case *c, const char *primitive)
{
    char *types, *text = symbolic_text(c, &types);
    bool any = strstr(text, primitive) != NULL;
    free(text);
    free(types);
    return any;
}

static const symbolic_case *named(const symbolic_case *c, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(c[i].name, name))
            return &c[i];
    fail();
    return NULL;
}
#define NAMED(table, name) named(table, sizeof table / sizeof *table, name)

/* A write through a view shows in what it is a view of: the result is no longer the copy alone. */
static void writes_reach_the_array(void **state)
{
    (void)state;
    assert_true(has(NAMED(views, "set_reshaped"), "broadcast_in_dim") || has(NAMED(views, "set_reshaped"), "reshape"));
    assert_true(has(NAMED(views, "set_first"), "update") || has(NAMED(views, "set_first"), "scatter") ||
                has(NAMED(views, "set_first"), "concatenate") || has(NAMED(views, "set_first"), "pad"));
}

/* ---- Views and copies are what they are for numbers. */

static kn_array joined_front(kn_array y) { return kn_reshape(y, KN_SHAPE(knx_dim_mul(kn_dim(y, 0), kn_dim(y, 1)), 4)); }
static kn_array joined_back(kn_array y) { return kn_reshape(y, KN_SHAPE(kn_dim(y, 0), knx_dim_mul(kn_dim(y, 1), 4))); }
static kn_array split(kn_array y) { return kn_reshape(y, KN_SHAPE(kn_dim(y, 0), kn_dim(y, 1), 2, 2)); }
static kn_array with_ones(kn_array y) { return kn_reshape(y, KN_SHAPE(1, kn_dim(y, 0), kn_dim(y, 1), 1, 4)); }
static kn_array turned(kn_array y) { return kn_swapaxes(y, 0, 1); }
static kn_array turned_flat(kn_array y) { return kn_ravel(kn_swapaxes(y, 0, 1)); }
static kn_array turned_split(kn_array y)
{
    return kn_reshape(kn_swapaxes(y, 1, 2), KN_SHAPE(kn_dim(y, 0), 2, 2, kn_dim(y, 1)));
}
static kn_array turned_joined(kn_array y)
{
    return kn_reshape(kn_swapaxes(y, 1, 2), KN_SHAPE(kn_dim(y, 0), knx_dim_mul(kn_dim(y, 1), 4)));
}
static kn_array turned_back(kn_array y)
{
    kn_array z = kn_swapaxes(kn_swapaxes(y, 0, 1), 0, 1);
    return kn_ravel(z);
}
static kn_array row(kn_array y) { return kn_at(y, "0"); }
static kn_array row_flat(kn_array y) { return kn_ravel(kn_at(y, "0")); }
static kn_array column_flat(kn_array y) { return kn_ravel(kn_at(y, ":, 0")); }
static kn_array part_flat(kn_array y) { return kn_ravel(kn_at(y, "..., 1:")); }
static kn_array backwards(kn_array y) { return kn_flip(y); }
static kn_array backwards_split(kn_array y) { return split(kn_flip(y)); }
static kn_array repeated(kn_array y) { return kn_broadcast_to(y, KN_SHAPE(2, kn_dim(y, 0), kn_dim(y, 1), 4)); }
static kn_array repeated_flat(kn_array y) { return kn_ravel(repeated(y)); }
static kn_array in_order(kn_array y) { return kn_ravel(kn_exp(kn_swapaxes(y, 0, 1)), .order = "K"); }
static kn_array computed(kn_array y) { return kn_add(y, 1); }

static kn_array (*const looks[])(kn_array y) = {
    joined_front,    joined_back, split,         with_ones, turned,      turned_flat, turned_split,
    turned_joined,   turned_back, row,           row_flat,  column_flat, part_flat,   backwards,
    backwards_split, repeated,    repeated_flat, in_order,  computed};
enum { LOOKS = sizeof looks / sizeof *looks };

/* As many ones as there are views, which the caller cannot ask otherwise; bit i of `seen`: number i is one. */
static unsigned seen;
static void *look_at_all(const kn_array *x)
{
    kn_array y = kn_add(x[0], 0);
    seen = 0;
    for (int i = 0; i < LOOKS; i++)
        seen |= (unsigned)kn_shares_memory(y, looks[i](y)) << i;
    return y;
}

static void views_are_those_of_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    const symbolic_case unknown = {"look_at_all", "f32[b,t,4]", "f32[b,t,4]", look_at_all, "shares_memory"};
    kn_array x = kn_ones(KN_SHAPE(3, 5, 4), .dtype = KN_F32);
    symbolic_check(&unknown, 1);
    unsigned symbolic = seen;
    look_at_all(&x);
    for (int i = 0; i < LOOKS; i++)
        if (((symbolic ^ seen) >> i) & 1)
            fprintf(stderr, "number %d is a %s of numbers\n", i, (seen >> i) & 1 ? "view" : "copy");
    assert_int_equal(symbolic, seen);
}

/* New arrays have their axes in memory as the operands have them (order 'K'). */
static void *strides_of_result(const kn_array *x)
{
    kn_array y = kn_exp(kn_transpose(x[0], KN_AXIS(1, 2, 0)));
    kn_strides s = kn_strides_of(y);
    return kn_zeros(KN_SHAPE(s.stride[0], s.stride[1], s.stride[2]), .dtype = KN_F32);
}

static void memory_order_is_that_of_the_operands(void **state)
{
    (void)state;
    const symbolic_case c = {"strides_of_result", "f32[b,t,8] | b >= 2 | t >= 2", "f32[32,4,32*t]", strides_of_result,
                             "strides"};
    symbolic_check(&c, 1);
}

/* ---- Where it is refused. */

static kn_array looks_at_a_constant(const kn_array *x)
{
    return kn_mul(*x, kn_item(kn_sum(kn_ones(KN_SHAPE(kn_dim(*x, 0))))));
}
static kn_array squares(const kn_array *x) { return kn_sum(kn_div(kn_mul(*x, *x), kn_dim(*x, 0))); }
KN_FUNCTION(looks_at_a_constant, kn_array, kn_array)
KN_FUNCTION(squares, kn_array, kn_array)

static kn_array gradient_of(kn_fn f, kn_array x)
{
    kn_array y = NULL;
    kn_call(kn_grad(f), &y, &x);
    return y;
}

#define GRADIENTS(CASE)                                                                        \
    CASE(gradient, "f32[b]", "f32[b]", gradient_of(KN_FN(squares), x[0]))                      \
    CASE(gradient_looks, "f32[b]", "ConcretizationError: the value of float64[] is not known", \
         gradient_of(KN_FN(looks_at_a_constant), x[0]))
TABLE(gradients, GRADIENTS);
CHECK(concrete_recordings, gradients)

static void errors_have_the_operation_and_the_line(void **state)
{
    (void)state;
    KN_SCOPE;
    knx_dim_scope dims;
    int64_t b;
    knx_dim_scope_init(&dims);
    knx_dim_enter(&dims);
    assert_true(knx_dim_named("b", 1, &b));
    kn_array x = kn_zeros(KN_SHAPE(2));
    knx_dim_le(3, b); /* the scope's error is that of the operation at whose end it is seen */
    kn_array y = kn_exp(x);
    const int line = __LINE__ - 1;
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_symbolic_arrays.c"));
    assert_non_null(strstr(kn_error_of(y), "inconclusive"));
    expect_error_with("InconclusiveDimensionOperation", "exp: Symbolic dimension comparison '3' <= 'b'");
    kn_lax_slice(x, KN_SHAPE(0), KN_SHAPE(b)); /* a secondary error is not told */
    expect_error_with("InconclusiveDimensionOperation", "lax.slice: Symbolic dimension comparison 'b' <= '2'");
    kn_add(x, 1);
    assert_false(kn_error_pending());
    knx_dim_leave(&dims);
    knx_dim_scope_free(&dims);
}

/* Outside of a recorded function a dimension variable has no number. */
static void elsewhere_there_are_no_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    int64_t b;
    assert_true(knx_dim_named("b", 1, &b));
    kn_zeros(KN_SHAPE(b, 2));
    expect_error_with("InconclusiveDimensionOperation", "float64[b,2] has no elements");
    kn_arange(0, b, 1);
    assert_true(kn_error_pending());
    kn_error_clear();
    kn_from_memory("", &KN_SHAPE(b), KN_F32);
    expect_error_with("InconclusiveDimensionOperation", "'b' used in a context that requires a constant");
}

KN_TEST_GROUP(test_symbolic_arrays)
{
    const struct CMUnitTest tests[] = {TEST(shapes_broadcast),
                                       TEST(extents_are_values),
                                       TEST(views_and_writes),
                                       TEST(writes_reach_the_array),
                                       TEST(views_are_those_of_numbers),
                                       TEST(memory_order_is_that_of_the_operands),
                                       TEST(concrete_recordings),
                                       TEST(errors_have_the_operation_and_the_line),
                                       TEST(elsewhere_there_are_no_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
