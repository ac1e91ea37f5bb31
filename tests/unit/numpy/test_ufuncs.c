/* SPDX-License-Identifier: Apache-2.0
 * test_ufuncs.c -- ufuncs as objects: what NumPy's say of themselves, which loops they choose, calls with all options and
 * methods (scripts/golden/make_ufuncs.py), and what only Kiln has: traces. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- NumPy's words. */

static kn_array bytes_of(const char *text)
{
    return (kn_from_memory)(text, &(kn_shape){1, {(int64_t)strlen(text)}}, KN_U8);
}

static kn_ufunc ufunc(const numpy_call *c) { return kn_ufunc_named(numpy_option(c, "f")); }

static numpy_result call_attributes(const numpy_call *c)
{
    char text[1024], identity[32] = "None";
    kn_ufunc f = ufunc(c);
    kn_array i = kn_ufunc_identity(f);
    if (i && kn_dtype_of(i) == KN_BOOL)
        snprintf(identity, sizeof identity, "%s", kn_item_bool(i) ? "True" : "False");
    else if (i)
        snprintf(identity, sizeof identity, "%g", kn_item(i));
    int n = snprintf(text, sizeof text, "%d %d %d %s %s", kn_ufunc_nin(f), kn_ufunc_nout(f), kn_ufunc_nargs(f),
                     identity, kn_ufunc_signature(f) ? kn_ufunc_signature(f) : "None");
    for (int k = 0; k < kn_ufunc_ntypes(f); k++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", kn_ufunc_types(f, k));
    return numpy_one(bytes_of(text));
}

static numpy_result call_resolve(const numpy_call *c)
{
    static const char *const weak[] = {"int", "float", "complex"};
    const kn_dtype strong[] = {KN_I64, KN_F64, KN_C128};
    kn_dtype in[4] = {NULL}, out[4];
    kn_ufunc_resolve_dtypes_opts o = kn_ufunc_resolve_dtypes_opts_default();
    char text[256] = "", names[64];
    snprintf(names, sizeof names, "%s", numpy_option(c, "dtypes"));
    int n = 0, nargs = kn_ufunc_nargs(ufunc(c));
    for (char *p = strtok(names, ","); p && n < nargs; p = strtok(NULL, ","), n++) {
        for (int k = 0; k < 3; k++)
            if (!strcmp(p, weak[k])) {
                in[n] = strong[k];
                o.weak |= 1u << n;
            }
        if (!in[n] && strcmp(p, "none") != 0)
            in[n] = kn_dtype_named(p);
    }
    o.casting = numpy_option(c, "casting") ? numpy_option(c, "casting") : o.casting;
    o.reduction = numpy_flag(c, "reduction", false);
    if ((kn_ufunc_resolve_dtypes)(ufunc(c), nargs, in, out, &o))
        return numpy_one(NULL);
    for (int i = 0; i < nargs; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", kn_dtype_name(out[i]));
    return numpy_one(bytes_of(text));
}

/* "1,0/0,1/-" */
static int read_axes(const char *text, kn_axes *axes)
{
    int n = 0;
    for (const char *p = text; p && *p; n++) {
        axes[n] = (kn_axes){.n = 1};
        for (; *p && *p != '/'; p += *p == ',' || *p == '-')
            if (*p != '-' && *p != ',') {
                char *end;
                axes[n].axis[axes[n].n++ - 1] = (int32_t)strtol(p, &end, 10);
                p = end;
            }
        p += *p == '/';
    }
    return n;
}

static kn_ufunc_call_opts options(const numpy_call *c, kn_axes *axes)
{
    kn_ufunc_call_opts o = kn_ufunc_call_opts_default();
    o.out = numpy_array(c, "out");
    o.where = numpy_array(c, "where");
    o.dtype = numpy_dtype(c);
    o.casting = numpy_option(c, "casting") ? numpy_option(c, "casting") : o.casting;
    o.order = numpy_option(c, "order");
    o.signature = numpy_option(c, "signature");
    o.axis = numpy_axes(c, "axis");
    o.axes = (kn_axes_list){read_axes(numpy_option(c, "axes"), axes), axes};
    if (!o.axes.n)
        o.axes.v = NULL;
    o.keepdims = numpy_flag(c, "keepdims", false);
    return o;
}

static numpy_result call_call(const numpy_call *c)
{
    kn_axes axes[8];
    kn_ufunc_call_opts o = options(c, axes);
    const kn_operands in = {c->n, c->array};
    if (kn_ufunc_nout(ufunc(c)) == 1)
        return numpy_one((kn_ufunc_call)(ufunc(c), in, &o));
    kn_list list = (kn_ufunc_call_all)(ufunc(c), in, &o);
    return kn_error_pending() ? numpy_one(NULL) : numpy_list(list);
}

static numpy_result call_pair(const numpy_call *c)
{
    int n = kn_ufunc_nin(ufunc(c));
    const kn_operands in = {n, c->array}, outs = {c->n - n, c->array + n};
    kn_list list = kn_ufunc_call_all(ufunc(c), in, .outs = outs);
    return kn_error_pending() ? numpy_one(NULL) : numpy_list(list);
}

static kn_array laid(kn_shape shape, char how)
{
    if (how == 'F')
        return kn_asfortranarray(kn_ones(shape));
    return how == 'C' ? kn_ones(shape)
                      : kn_transpose(kn_ones(KN_SHAPE(shape.dim[1], shape.dim[2], shape.dim[0])), KN_AXIS(2, 0, 1));
}

static numpy_result call_strides(const numpy_call *c)
{
    const char *order = numpy_option(c, "order"), *lay = numpy_option(c, "lay");
    kn_array y = kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(laid(c->list[0], lay[0]), laid(c->list[1], lay[1])),
                               .order = strcmp(order, "-") ? order : "");
    if (!kn_ok(y))
        return numpy_one(y);
    kn_strides s = kn_strides_of(y);
    return numpy_one((kn_from_memory)(s.stride, &(kn_shape){1, {s.ndim}}, KN_I64));
}

static numpy_result call_reduce(const numpy_call *c)
{
    return numpy_one(kn_ufunc_reduce(ufunc(c), c->array[0], .out = numpy_array(c, "out")));
}
static numpy_result call_accumulate(const numpy_call *c)
{
    return numpy_one(kn_ufunc_accumulate(ufunc(c), c->array[0], numpy_axes(c, "axis"), .out = numpy_array(c, "out")));
}
static numpy_result call_reduceat(const numpy_call *c)
{
    return numpy_one(kn_ufunc_reduceat(ufunc(c), c->array[0], c->array[1], numpy_axes(c, "axis")));
}
static numpy_result call_outer(const numpy_call *c)
{
    kn_axes axes[8];
    kn_ufunc_call_opts o = options(c, axes);
    return numpy_one((kn_ufunc_outer)(ufunc(c), c->array[0], c->array[1], &o));
}
static numpy_result call_at(const numpy_call *c)
{
    int status = kn_ufunc_at(ufunc(c), c->array[0], c->n > 2 ? c->array[2] : KN_NONE, "%", c->array[1]);
    return numpy_one(status ? NULL : c->array[0]);
}

static const numpy_entry table[] = {{"attributes", call_attributes, 0},
                                    {"resolve", call_resolve, 0},
                                    {"call", call_call, 0},
                                    {"near", call_call, 4},
                                    {"pair", call_pair, 0},
                                    {"strides", call_strides, 0},
                                    {"reduce", call_reduce, 0},
                                    {"accumulate", call_accumulate, 0},
                                    {"reduceat", call_reduceat, 0},
                                    {"outer", call_outer, 0},
                                    {"at", call_at, 0},
                                    {"at_near", call_at, 4},
                                    {"reduce_near", call_reduce, 2},
                                    {"accumulate_near", call_accumulate, 2}};

static void results_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_ufuncs.txt", table, sizeof table / sizeof *table);
}

/* ---- Without options it is the function itself; numbers stay numbers. */

static void a_call_is_the_function_of_that_name(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1.1, 2.3, -0.7), y = kn_ufunc_call(kn_ufunc_power, KN_OPERANDS(x, 3));
    assert_true(kn_array_equal(y, kn_power(x, 3)));
    assert_true(kn_array_equal(kn_ufunc_call(kn_ufunc_power, KN_OPERANDS(x, 3), .dtype = KN_F32), y));
    assert_ptr_equal(kn_dtype_of(kn_ufunc_call(kn_ufunc_sin, KN_OPERANDS(x))), KN_F32);
    expect_values(kn_ufunc_call(kn_ufunc_divmod, KN_OPERANDS(7, 2)), 3);
    (void)kn_ufunc_call((kn_ufunc)77777, KN_OPERANDS(x));
    expect_error("ValueError", "ufunc_call: there is no ufunc with the number 77777");
    (void)kn_ufunc_types(kn_ufunc_add, 99);
    expect_error("IndexError", "ufunc_types: list index out of range");
}

/* ---- out may be what is read. */

static void results_do_not_see_what_they_write_over(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 6, 1, .dtype = KN_F64);
    kn_array head = kn_at(x, ":5"), tail = kn_at(x, "1:"), back = kn_at(x, "::-1");
    assert_ptr_equal(kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(head, tail), .out = tail), tail);
    expect_values(x, 0, 1, 3, 5, 7, 9);
    kn_ufunc_call(kn_ufunc_subtract, KN_OPERANDS(x, back), .out = x);
    expect_values(x, -9, -6, -2, 2, 6, 9);
    kn_ufunc_call(kn_ufunc_negative, KN_OPERANDS(x), .out = back, .where = kn_less(x, 0));
    expect_values(x, -9, -6, -2, 2, 6, 9);
    kn_ufunc_accumulate(kn_ufunc_add, x, .out = x);
    expect_values(x, -9, -15, -17, -15, -9, 0);
    kn_array still = kn_broadcast_to(kn_of(double, 1), KN_SHAPE(3));
    (void)kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(1, 2), .out = still);
    expect_error_with("ValueError", "read-only");
}

/* ---- In traced functions. */

static kn_array masked_total(const kn_array *x)
{
    kn_array y = kn_full(KN_SHAPE(3), 1.0);
    kn_ufunc_call(kn_ufunc_multiply, KN_OPERANDS(*x, *x), .out = y, .where = kn_greater(*x, 0));
    kn_array z = kn_ufunc_call(kn_ufunc_exp, KN_OPERANDS(*x), .where = kn_less(*x, 0), .order = "F");
    kn_ufunc_at(kn_ufunc_square, y, KN_NONE, "%", kn_of(int64_t, 0, 0));
    return kn_add(kn_ufunc_reduce(kn_ufunc_add, y), kn_sum(z));
}
KN_FUNCTION(masked_total, kn_array, kn_array)

static void options_work_in_traced_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, -1, 3), slope, many;
    kn_call(kn_jit(kn_grad(KN_FN(masked_total))), &slope, &x); /* x0^8 + 1 + x2^2 + e^x1 */
    expect_near(slope, 1e-12, 8 * 128, exp(-1), 6);
    kn_array rows = kn_stack(KN_LIST(x, kn_negative(x)));
    kn_call(kn_vmap(KN_FN(masked_total)), &many, &rows);
    expect_near(many, 1e-12, 256 + 1 + 9 + exp(-1), 1 + 1 + 1 + exp(-2) + exp(-3));
}

static kn_array converted(const kn_array *x)
{
    kn_array y = kn_ufunc_call(kn_ufunc_divide, KN_OPERANDS(*x, 3), .dtype = KN_F32);
    return kn_ufunc_call(kn_ufunc_vecdot, KN_OPERANDS(y, y), .axis = KN_AXIS(0), .keepdims = true);
}
KN_FUNCTION(converted, kn_array, kn_array)

static void a_traced_call_has_the_bits_of_an_eager_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 12, 1), KN_SHAPE(3, 4)), y;
    kn_call(kn_jit(KN_FN(converted), .symbolic = "3 n"), &y, &x);
    assert_true(kn_array_equal(y, converted(&x)));
}

KN_TEST_GROUP(test_ufuncs)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_numpy),
        TEST(a_call_is_the_function_of_that_name),
        TEST(results_do_not_see_what_they_write_over),
        TEST(options_work_in_traced_functions),
        TEST(a_traced_call_has_the_bits_of_an_eager_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
