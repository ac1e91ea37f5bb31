/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_jaxprs.c -- jaxprs with dimension variables: made, printed, read back, and run for numbers. */
#include "host/native.h"
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <string.h>

static kn_array layer(const kn_array *x, const kn_array *w)
{
    return kn_add(kn_reshape(kn_matmul(*x, *w), KN_SHAPE(-1)), kn_mean(*x));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)

static kn_array loss(const kn_array *x, const kn_array *w)
{
    kn_array y = kn_tanh(kn_matmul(kn_at(*x, "1:"), *w));
    return kn_sum(kn_mul(y, kn_at(y, "::-1")));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

static kn_array nested(const kn_array *x, const kn_array *w)
{
    kn_array y;
    kn_call(kn_jit(KN_FN(layer)), &y, x, w);
    return kn_nn_relu(kn_cumsum(y, KN_AXIS(0)));
}
KN_FUNCTION(nested, kn_array, kn_array, kn_array)

typedef struct Both {
    kn_array carry, y;
} Both;
static Both step(const kn_array *carry, const kn_array *x)
{
    kn_array y = kn_tanh(kn_add(kn_mul(*carry, 0.5f), *x));
    return (Both){y, kn_sum(y)};
}
KN_FUNCTION(step, Both, kn_array, kn_array)
static kn_array scanned(const kn_array *x, const kn_array *w)
{
    Both all;
    kn_array start = kn_at(*w, ":, 0");
    kn_scan(KN_FN(step), &all, &start, x);
    return all.y;
}
KN_FUNCTION(scanned, kn_array, kn_array, kn_array)

static kn_array wave(int rows, int columns)
{
    return kn_mul(kn_reshape(kn_arange(0, (double)rows * columns, 1, .dtype = KN_F32), KN_SHAPE(rows, columns)), 0.01f);
}

static void they_print_as_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(3, 8), w = wave(8, 4);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(layer), KN_ARGS(&x, &w), .symbolic = "b 8, 8 4");
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED),
                        "{ lambda ; a:f32[b,8] b:f32[8,4]. let\n"
                        "    c:f32[b,4] = dot_general[\n"
                        "      dimension_numbers=(([1], [0]), ([], []))\n"
                        "      preferred_element_type=float32\n"
                        "    ] a b\n"
                        "    d:f32[4*b] = reshape[dimensions=None new_sizes=(4*b,) sharding=None] c\n"
                        "    e:f32[] = reduce_sum[axes=(0, 1) out_sharding=None] a\n"
                        "    f:i64[] = dim_as_value[dim=8*b] \n"
                        "    g:f32[] = convert_element_type[new_dtype=float32 weak_type=False] f\n"
                        "    h:f32[] = div e g\n"
                        "    i:f32[4*b] = add d h\n"
                        "  in (i,) }");
    kn_jaxpr again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, again));
}

/* j, and what is read of its text, give for these numbers what f gives; so does the program for all extents. */
static void runs_as(kn_jaxpr j, kn_fn f, kn_array x, kn_array w)
{
    kn_jaxpr again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_FULL), kn_jaxpr_text(again, KN_JAXPR_FULL));
    kn_fn g[] = {kn_fn_from_jaxpr(j), kn_jit(kn_fn_from_jaxpr(j)), kn_jit(kn_fn_from_jaxpr(again)),
                 kn_jit(kn_fn_from_jaxpr(again), .symbolic = "b 8, 8 8", .constraints = "b >= 2")};
    kn_array want, y;
    kn_call(kn_jit(f), &want, &x, &w);
    for (int i = 0; i < 4; i++) {
        kn_call(g[i], &y, &x, &w);
        expect_no_error();
        assert_true(kn_array_equal(y, want));
    }
}

static void they_run_for_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f[] = {KN_FN(layer), kn_grad(KN_FN(loss)), KN_FN(nested), KN_FN(scanned)};
    kn_array w = wave(8, 8), example = wave(4, 8);
    for (int k = 0; k < 4; k++) {
        kn_jaxpr j = kn_make_jaxpr(f[k], KN_ARGS(&example, &w), .symbolic = "b 8, 8 8", .constraints = "b >= 2");
        for (int n = 2; n < 40; n += 9)
            runs_as(j, f[k], wave(n, 8), w);
    }
}

/* The constraints belong to the variables: they are in the text, come back with it, and are asked of each call. */
static void constraints_stay_with_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = wave(8, 8), x = wave(4, 8), one = wave(1, 8), odd = wave(5, 8), y, z;
    kn_jaxpr j =
        kn_make_jaxpr(KN_FN(loss), KN_ARGS(&x, &w), .symbolic = "b 8, 8 8", .constraints = "b >= 2; mod(b, 2) == 0");
    kn_jaxpr other = kn_make_jaxpr(KN_FN(loss), KN_ARGS(&x, &w), .symbolic = "b 8, 8 8", .constraints = "b >= 2");
    const char *text = kn_jaxpr_text(j, KN_JAXPR_FULL);
    assert_ptr_equal(strstr(text, "where \"b >= 2; mod(b, 2) == 0\""), text);
    assert_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "where"));
    kn_jaxpr again = kn_jaxpr_parse(text);
    assert_true(kn_jaxpr_equal(j, again));
    assert_false(kn_jaxpr_equal(j, other));
    assert_string_equal(kn_jaxpr_text(again, KN_JAXPR_FULL), text);
    kn_fn f = kn_fn_from_jaxpr(again);
    kn_call(f, &y, &x, &w);
    kn_call(KN_FN(loss), &z, &x, &w);
    assert_true(kn_array_equal(y, z));
    assert_int_equal(kn_call(f, &y, &one, &w), -1);
    expect_error("ValueError", "loss: a constraint of dimensions does not hold: b - 2 >= 0");
    assert_int_equal(kn_call(f, &y, &odd, &w), -1);
    expect_error("ValueError", "loss: a constraint of dimensions does not hold: 2*floordiv(b, 2) - b == 0");
    assert_null(kn_jaxpr_parse("where \"b <\" { lambda ; a:f32[b]. let in (a,) }"));
    expect_error_with("ValueError", "jaxpr_parse: line 1");
    assert_null(kn_jaxpr_parse("where b { lambda ; a:f32[b]. let in (a,) }"));
    expect_error_with("ValueError", "jaxpr_parse: line 1");
}

/* The inputs may be of other variables: of expressions, of other names, with other constraints. */
static kn_array twice(const kn_array *x, const kn_array *w)
{
    static kn_jaxpr j;
    kn_array y, both = kn_concatenate(KN_LIST(*x, *x), .axis = KN_AXIS(0)), example = wave(4, 8);
    j = kn_make_jaxpr(KN_FN(loss), KN_ARGS(&example, w), .symbolic = "b 8, 8 8", .constraints = "b >= 2");
    kn_call(kn_fn_from_jaxpr(j), &y, &both, w);
    return y;
}
KN_FUNCTION(twice, kn_array, kn_array, kn_array)
static kn_array once(const kn_array *x, const kn_array *w)
{
    kn_array y, example = wave(4, 8);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(loss), KN_ARGS(&example, w), .symbolic = "b 8, 8 8", .constraints = "b >= 2");
    kn_call(kn_fn_from_jaxpr(j), &y, x, w);
    return y;
}
KN_FUNCTION(once, kn_array, kn_array, kn_array)

static void inputs_of_other_variables(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = wave(8, 8), y, z;
    kn_fn f = kn_jit(KN_FN(twice), .symbolic = "t 8, 8 8"), all = kn_jit(KN_FN(twice), .symbolic = KN_ALL);
    kn_jaxpr inside = kn_make_jaxpr(f, KN_ARGS(&w, &w), .symbolic = "t 8, 8 8");
    expect_no_error();
    assert_non_null(strstr(kn_jaxpr_text(inside, KN_JAXPR_TYPED), "f32[2*t - 1,8]"));
    for (int n = 1; n < 30; n += 4) {
        kn_array x = wave(n, 8);
        kn_call(f, &y, &x, &w);
        kn_call(KN_FN(twice), &z, &x, &w);
        expect_no_error();
        assert_true(kn_array_equal(y, z));
        kn_call(all, &y, &x, &w);
        assert_true(kn_array_equal(y, z));
    }
    kn_array x = wave(4, 8);
    assert_int_equal(kn_call(kn_jit(KN_FN(once), .symbolic = "t 8, 8 8"), &y, &x, &w), -1);
    expect_error_with("InconclusiveDimensionOperation", "'0' <= 't - 2' is inconclusive");
    kn_call(kn_jit(KN_FN(once), .symbolic = "t 8, 8 8", .constraints = "t >= 3"), &y, &x, &w);
    expect_no_error();
}

static void arrays_that_do_not_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(3, 8), w = wave(8, 4), none = wave(0, 8), wide = wave(3, 9), y;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(layer), KN_ARGS(&x, &w), .symbolic = "b 8, 8 4");
    kn_fn f = kn_fn_from_jaxpr(j);
    assert_int_equal(kn_call(f, &y, &none, &w), -1);
    expect_error("ValueError", "layer: the dimension variable b is 0, and has to be at least 1");
    assert_int_equal(kn_call(f, &y, &wide, &w), -1);
    expect_error("ValueError", "layer: axis 1 of array 0, of shape (3,9), is not 8 as the jaxpr has it");
    kn_array ints = kn_of(int, 1, 2);
    assert_int_equal(kn_call(f, &y, &ints, &w), -1);
    expect_error_with("TypeError", "layer was recorded for float32[b,8] as array 0 of its arguments");
    assert_null(kn_make_jaxpr(KN_FN(loss), KN_ARGS(&x, &w), .symbolic = "b"));
    expect_error_with("ValueError", ".symbolic has 1 shape, the function takes 2 arrays");
    assert_null(kn_make_jaxpr(KN_FN(layer), KN_ARGS(&x, &w), .constraints = "b >= 1"));
    expect_error_with("ValueError", ".constraints are of dimension variables, which .symbolic names");
}

/* All that is done with a jaxpr is done with one of variables. */
static void they_have_programs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(100, 8), w = wave(8, 4);
    kn_jaxpr j =
        kn_make_jaxpr(KN_FN(layer), KN_ARGS(&x, &w), .symbolic = "b 8, 8 4", .constraints = "b >= 100; mod(b, 4) == 0");
    const char *text = kn_jaxpr_program(j), *drawing = kn_jaxpr_program_graphviz(j);
    expect_no_error();
    assert_non_null(strstr(text, "dot_general -> f32[b,4]"));
    assert_non_null(strstr(drawing, "f32[4*b]"));
    assert_null(strstr(text, "230584")); /* handles are shown as expressions */
    assert_null(strstr(drawing, "230584"));
    int n = 0, nodes = 0;
    const kn_group *g = kn_jaxpr_groups(j, &n);
    expect_no_error();
    assert_true(n >= 1);
    for (int i = 0; i < n; i++)
        nodes += g[i].n_node;
    assert_true(nodes >= 3);
    assert_string_equal(kn_dim_text(g[n - 1].elements), "4*b");
    assert_string_equal(kn_dim_text(g[n - 1].shape.dim[0]), "4*b");
    assert_int_equal(g[n - 1].support,
                     knh_generator_best() == &knh_interpreter ? KN_SUPPORT_INTERPRETED : KN_SUPPORT_NATIVE);
    j = kn_jaxpr_parse("where \"b >= 2; b <= 1\" { lambda ; a:f32[b]. let in (a,) }");
    assert_null(j);
    expect_error_with("ValueError", "Unsatisfiable");
    j = kn_jaxpr_parse("where \"mod(b, 7) == 3; b == 2*c + 1; t <= 5\" { lambda ; a:f32[b,t,2*u]. let b:f32[b,t,2*u] = "
                       "sin a in (b,) }");
    assert_string_not_equal(kn_jaxpr_program(j), "");
    expect_no_error();
    j = kn_jaxpr_parse("where \"mod(b*b, 3) == 2\" { lambda ; a:f32[b]. let b:f32[b] = sin a in (b,) }");
    assert_string_equal(kn_jaxpr_program(j), "");
    expect_error_with("ValueError", "no small numbers keep the constraints");
}

static void their_equations_take_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(3, 8), w = wave(8, 4), y, z, want;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(layer), KN_ARGS(&x, &w), .symbolic = "b 8, 8 4");
    kn_array in[] = {wave(5, 8), w};
    assert_int_equal(kn_jaxpr_bind(j, 0, in, &y), 0);
    assert_int_equal(kn_jaxpr_bind(j, 1, &y, &z), 0);
    expect_no_error();
    want = kn_ravel(kn_matmul(in[0], w));
    assert_true(kn_array_equal(z, want));
    assert_int_equal(kn_jaxpr_bind(j, 1, &x, &z), -1);
    expect_error_with("ValueError", "jaxpr_bind: axis 1 of array 0, of shape (3,8), is not 4 as the jaxpr has it");
    assert_int_equal(kn_jaxpr_bind(j, 3, NULL, &z), -1); /* dim_as_value has no operands */
    expect_error_with("ValueError", "jaxpr_bind: the inputs do not say what 8*b is");
    kn_variable v = {.size_ = sizeof v};
    assert_int_equal(kn_jaxpr_variable(j, 3, &v), 0);
    assert_int_equal(v.shape.ndim, 1);
    assert_string_equal(kn_dim_text(v.shape.dim[0]), "4*b");
}

KN_TEST_GROUP(test_symbolic_jaxprs)
{
    const struct CMUnitTest tests[] = {TEST(they_print_as_those_of_jax),  TEST(they_run_for_numbers),
                                       TEST(constraints_stay_with_them),  TEST(inputs_of_other_variables),
                                       TEST(arrays_that_do_not_fit),      TEST(they_have_programs),
                                       TEST(their_equations_take_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
