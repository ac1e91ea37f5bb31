/* SPDX-License-Identifier: Apache-2.0
 * test_prim_rows.c -- elementwise, shape and reduction rows: what their type rules accept and refuse, and the jaxprs that their jvp,
 * transpose and batching rules write. Rules are called alone; values are tested where programs run. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "prim/rules.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the above */
#include <cmocka.h>

enum { MOST = 8 };

/* An operand from its text: "f32[2,3]" is a value of that type, "f32=2" a literal. The extents stay until the next call with that `slot`. */
typedef struct {
    kni_type type;
    bool literal;
    double value;
} operand;
static int64_t extents[MOST][KN_MAX_NDIM];
static operand parse(const char *text, int slot)
{
    char name[16] = {0};
    size_t n = strcspn(text, "[=");
    assert_true(n < sizeof name);
    memcpy(name, text, n);
    operand o = {.type = {.dtype = knx_dtype_find(name), .dim = extents[slot]}};
    assert_non_null(o.type.dtype);
    if (text[n] == '=') {
        o.literal = true;
        o.value = strtod(text + n + 1, NULL);
        o.type.dim = NULL;
        return o;
    }
    for (const char *s = text + n + 1; *s && *s != ']'; s += *s == ',') {
        char *end;
        extents[slot][o.type.ndim++] = strtoll(s, &end, 10);
        s = end;
    }
    return o;
}

static kni_atom make(kni_builder *b, operand o)
{
    return o.literal ? knb_number(b, o.type.dtype, o.value) : knb_invar(b, o.type);
}

/* The equations of b with these results as one line: "a:f32[3] b:f32[3] -> c:f32[3] = add a b; c". */
static char *finish(kni_builder *b, int n, const kni_atom *y)
{
    kni_jaxpr *j = NULL;
    char *text = NULL;
    for (int i = 0; i < n; i++)
        if (y[i] == KN_ATOM_ZERO || y[i] == KN_ATOM_NONE)
            n = i;
    knx_error *e = b->error ? knb_take_error(b) : knb_finish(b, n, y, "", false, &j);
    if (e) {
        text = strdup(e->message);
    } else {
        assert_null(kni_check(j));
        assert_null(kni_text(j, KN_FORM_TYPED, &text));
        char *squeezed = strdup(text), *to = squeezed;
        for (const char *s = text; *s; s++)
            if (*s != ' ' && *s != '\n')
                *to++ = *s;
            else if (to == squeezed || to[-1] != ' ')
                *to++ = ' ';
        *to = 0;
        knx_free(text);
        text = squeezed;
    }
    knx_error_release(e);
    kni_release(j);
    knb_free(b);
    return text;
}

static void same_text(const char *file, int line, char *got, const char *expected)
{
    if (strcmp(got, expected)) {
        print_error("got      %s\nexpected %s\n", got, expected);
        free(got);
        _assert_true(0, "the texts are the same", file, line);
        return;
    }
    free(got);
}

typedef struct {
    kni_builder b;
    kni_atom x[MOST], y[MOST], t[MOST];
    kni_type xt[MOST], yt[MOST];
    int n, n_out;
    kni_rule rule;
} bench;

/* Operands and, if `with_results`, the equation itself; types of results in any case. "*" in front of a text marks an operand that the
 * transformation is about. */
static void begin(bench *w, const kni_prim *p, const void *params, const char *const *text, bool with_results,
                  bool marked_are_linear)
{
    memset(w, 0, sizeof *w);
    knb_init(&w->b);
    knx_arena arena = KN_ARENA_INIT;
    for (; text[w->n]; w->n++) {
        bool marked = *text[w->n] == '*';
        operand o = parse(text[w->n] + marked, w->n);
        w->xt[w->n] = o.type;
        w->x[w->n] = marked && marked_are_linear ? KN_ATOM_LINEAR : make(&w->b, o);
        w->t[w->n] = KN_ATOM_ZERO;
    }
    w->n_out = 1;
    knx_error *e = p->type(
        &(kni_rule){.prim = p, .params = params, .n_in = w->n, .n_out = 1, .xt = w->xt, .arena = &w->b.arena}, w->yt);
    assert_null(e);
    knx_arena_free(&arena);
    w->n_out = 1;
    if (with_results)
        knb_emit(&w->b, p, params, w->n, w->x, w->y, 1);
    w->rule = (kni_rule){.b = &w->b,
                         .prim = p,
                         .params = params,
                         .n_in = w->n,
                         .n_out = 1,
                         .x = w->x,
                         .xt = w->xt,
                         .y = with_results ? w->y : NULL,
                         .yt = w->yt};
}

/* A rule may run out of memory: at the allocation with this number. */
static int64_t failing = -1;

/* What a rule writes. Tangents, and cotangents, are the last variables of the inputs. */
static char *jvp(const kni_prim *p, const void *params, const char *const *text)
{
    bench w;
    kni_atom ty[1] = {KN_ATOM_ZERO};
    begin(&w, p, params, text, true, false);
    for (int i = 0; i < w.n; i++)
        if (*text[i] == '*')
            w.t[i] = knb_invar(&w.b, w.xt[i]);
    knx_fail_after(failing, false);
    p->jvp(&w.rule, w.t, ty);
    knx_fail_after(-1, false);
    if (ty[0] != KN_ATOM_ZERO && !w.b.error) {
        kni_type t = knb_type(&w.b, ty[0]);
        assert_ptr_equal(t.dtype, w.yt[0].dtype);
        assert_true(kni_type_same_shape(t, w.yt[0]));
    }
    return finish(&w.b, 1, ty);
}

static char *transposed(const kni_prim *p, const void *params, const char *const *text)
{
    bench w;
    kni_atom ct_in[MOST], out[MOST];
    int n = 0;
    begin(&w, p, params, text, false, true);
    kni_atom ct = knb_invar(&w.b, w.yt[0]);
    for (int i = 0; i < w.n; i++)
        ct_in[i] = KN_ATOM_ZERO;
    knx_fail_after(failing, false);
    knx_error *e = p->transpose(&w.rule, &ct, ct_in);
    knx_fail_after(-1, false);
    if (e)
        knb_fail(&w.b, e);
    for (int i = 0; i < w.n; i++) {
        assert_true(w.b.error || (ct_in[i] == KN_ATOM_ZERO) == (*text[i] != '*'));
        if (*text[i] != '*')
            continue;
        assert_true(kni_linear_in(p, i));
        out[n++] = ct_in[i];
        if (!w.b.error) {
            kni_type t = knb_type(&w.b, ct_in[i]);
            assert_ptr_equal(t.dtype, w.xt[i].dtype);
            assert_true(kni_type_same_shape(t, w.xt[i]));
        }
    }
    return finish(&w.b, n, out);
}

/* Texts are of the batched operands: "*1 f32[2,5]" is batched along axis 1. The line ends with the result's batch axis. */
static char *batched(const kni_prim *p, const void *params, const char *const *text)
{
    bench w = {0};
    int axis[MOST], axis_out = -2;
    int64_t size = 0;
    knb_init(&w.b);
    for (; text[w.n]; w.n++) {
        bool marked = *text[w.n] == '*';
        axis[w.n] = marked ? text[w.n][1] - '0' : -1;
        operand o = parse(text[w.n] + (marked ? 3 : 0), w.n);
        w.x[w.n] = make(&w.b, o);
        w.xt[w.n] = o.type;
        size = marked ? o.type.dim[axis[w.n]] : size;
    }
    w.rule = (kni_rule){.b = &w.b, .prim = p, .params = params, .n_in = w.n, .n_out = 1, .x = w.x, .xt = w.xt};
    knx_fail_after(failing, false);
    knx_error *e = p->batch(&w.rule, size, axis, w.y, &axis_out);
    knx_fail_after(-1, false);
    if (e)
        knb_fail(&w.b, e);
    char *line = finish(&w.b, 1, w.y), *all = malloc(strlen(line) + 16);
    sprintf(all, "%s %d", line, axis_out);
    free(line);
    return all;
}

/* The result type, or the message of the error. */
static char *typed(const kni_prim *p, const void *params, const char *const *text)
{
    kni_type xt[MOST], yt[MOST];
    knx_arena arena = KN_ARENA_INIT;
    knx_text t = {0};
    int n = 0;
    for (; text[n]; n++)
        xt[n] = parse(text[n], n).type;
    knx_error *e =
        p->type(&(kni_rule){.prim = p, .params = params, .n_in = n, .n_out = 1, .xt = xt, .arena = &arena}, yt);
    if (e)
        knx_text_add(&t, "%s: %s", knx_error_kind_name(e->kind), e->message);
    else
        kni_type_text(&t, yt[0], false);
    knx_error_release(e);
    knx_arena_free(&arena);
    return strdup(t.s);
}

#define OPERANDS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
#define INTS(...)                                                                             \
    {                                                                                         \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) { __VA_ARGS__ } \
    }
#define NO_INTS \
    {           \
        0, NULL \
    }
#define EXPECT_JVP(prim, params, operands, text) \
    same_text(__FILE__, __LINE__, jvp(&knp_prim_##prim, params, operands), text)
#define EXPECT_TRANSPOSE(prim, params, operands, text) \
    same_text(__FILE__, __LINE__, transposed(&knp_prim_##prim, params, operands), text)
#define EXPECT_BATCH(prim, params, operands, text) \
    same_text(__FILE__, __LINE__, batched(&knp_prim_##prim, params, operands), text)
#define EXPECT_TYPE(prim, params, operands, text) \
    same_text(__FILE__, __LINE__, typed(&knp_prim_##prim, params, operands), text)

static void every_row_is_complete(void **state)
{
    (void)state;
    for (const kni_prim *const *p = kni_prims; *p; p++) {
        const char *fault = kni_prim_fault(*p);
        if (fault)
            print_error("%s: %s\n", (*p)->name, fault);
        assert_null(fault);
    }
}

/* Types */

static void elementwise_types_join(void **state)
{
    (void)state;
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[]", "f32[0,2]"), "f32[0,2]");
    EXPECT_TYPE(add, NULL, OPERANDS("bool[2]", "bool[2]"), "bool[2]");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "f32[4]"),
                "TypeError: got incompatible shapes for broadcasting: (3,), (4,)");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[1]", "f32[4]"),
                "TypeError: got incompatible shapes for broadcasting: (1,), (4,)");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "i32[3]"),
                "TypeError: requires arguments to have the same dtypes, got float32, int32");
    EXPECT_TYPE(sub, NULL, OPERANDS("bool[3]", "bool[3]"), "TypeError: does not accept dtype bool");
    EXPECT_TYPE(sin, NULL, OPERANDS("i32[3]"), "TypeError: does not accept dtype int32");
    EXPECT_TYPE(erf_inv, NULL, OPERANDS("c64[3]"), "TypeError: does not accept dtype complex64");
    EXPECT_TYPE(abs, NULL, OPERANDS("c128[3]"), "f64[3]");
    EXPECT_TYPE(neg, NULL, OPERANDS("c128[3]"), "c128[3]");
    EXPECT_TYPE(neg, NULL, OPERANDS("u8[]"), "u8[]");
    EXPECT_TYPE(lt, NULL, OPERANDS("bf16[3]", "bf16[]"), "bool[3]");
    EXPECT_TYPE(and, NULL, OPERANDS("f32[3]", "f32[3]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(shift_left, NULL, OPERANDS("bool[3]", "bool[3]"), "TypeError: does not accept dtype bool");
    EXPECT_TYPE(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("i32[3]"),
                "ValueError: Integers to negative integer powers are not allowed.");
    EXPECT_TYPE(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("f16[3]"), "f16[3]");
    EXPECT_TYPE(real, NULL, OPERANDS("c64[2]"), "f32[2]");
    EXPECT_TYPE(real, NULL, OPERANDS("f32[2]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(complex, NULL, OPERANDS("f64[]", "f64[2]"), "c128[2]");
    EXPECT_TYPE(complex, NULL, OPERANDS("f16[2]", "f16[2]"), "TypeError: does not accept dtype float16");
}

static void weakness_needs_all_operands(void **state)
{
    (void)state;
    kni_type x[] = {kni_scalar_type(KN_DT(F32)), kni_scalar_type(KN_DT(F32))}, y;
    kni_rule r = {.n_in = 2, .n_out = 1, .xt = x};
    x[0].weak = true;
    assert_null(knp_prim_mul.type(&r, &y));
    assert_false(y.weak);
    x[1].weak = true;
    assert_null(knp_prim_mul.type(&r, &y));
    assert_true(y.weak);
    assert_null(knp_prim_lt.type(&r, &y));
    assert_false(y.weak);
}

static void choices_and_conversions_have_types(void **state)
{
    (void)state;
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]", "f32[3]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[3]", "key<fry>[]", "key<fry>[]"), "key<fry>[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("i32[3]", "f32[3]", "f32[]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("f32[3]", "f32[3]", "f32[3]"),
                "TypeError: `which` must be boolean or int32 type, got float32");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]", "f32[]", "f32[]", "f32[]"),
                "TypeError: with boolean `which` cannot have 3 cases");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[2]", "f32[3]", "f32[3]"),
                "TypeError: `which` must be scalar or have the same shape as cases, got `which` shape (2,) but case "
                "shape (3,)");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]"), "TypeError: must have at least one case");
    EXPECT_TYPE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I8)}, OPERANDS("c64[3]"), "i8[3]");
    EXPECT_TYPE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I8)}, OPERANDS("key<fry>[3]"),
                "TypeError: cannot convert key<fry> to int8");
    EXPECT_TYPE(bitcast_convert_type, &(kni_p_bitcast){KN_DT(U16)}, OPERANDS("bf16[3]"), "u16[3]");
    EXPECT_TYPE(bitcast_convert_type, &(kni_p_bitcast){KN_DT(U32)}, OPERANDS("bf16[3]"),
                "ValueError: cannot see the bits of bfloat16 as uint32: their sizes differ");
}

static void views_have_types(void **state)
{
    (void)state;
    kni_p_broadcast_in_dim up = {INTS(2, 0, 3), INTS(1, 2)}, down = {INTS(3, 2), INTS(1, 0)}, out = {INTS(3), INTS(1)};
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[1,3]"), "f32[2,0,3]");
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[2,3]"),
                "ValueError: cannot broadcast shape (2,3) to shape (2,0,3)");
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[3]"),
                "TypeError: broadcast_dimensions must have length equal to the number of axes 1, got 2");
    EXPECT_TYPE(broadcast_in_dim, &down, OPERANDS("f32[2,3]"),
                "ValueError: broadcast_dimensions must be strictly increasing");
    EXPECT_TYPE(broadcast_in_dim, &out, OPERANDS("f32[3]"),
                "AxisError: axis 1 is out of bounds for array of dimension 1");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(3, 2)}, OPERANDS("key<fry>[6]"), "key<fry>[3,2]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){NO_INTS}, OPERANDS("f32[1,1]"), "f32[]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(0, 5)}, OPERANDS("f32[3,0]"), "f32[0,5]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(4)}, OPERANDS("f32[6]"),
                "ValueError: cannot reshape array of size 6 into shape (4,)");
    EXPECT_TYPE(squeeze, &(kni_p_dims){INTS(0, 2)}, OPERANDS("f32[1,3,1]"), "f32[3]");
    EXPECT_TYPE(squeeze, &(kni_p_dims){INTS(1)}, OPERANDS("f32[1,3]"),
                "ValueError: cannot select an axis to squeeze out which has size not equal to one");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(2, 0, 1)}, OPERANDS("f32[2,3,4]"), "f32[4,2,3]");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("f32[2]"), "ValueError: axes don't match array");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(1, 1)}, OPERANDS("f32[2,2]"),
                "ValueError: duplicate value in 'axis'");
    EXPECT_TYPE(rev, &(kni_p_dims){INTS(2)}, OPERANDS("f32[2,2]"),
                "AxisError: axis 2 is out of bounds for array of dimension 2");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(7), INTS(1), INTS(3)}), OPERANDS("f32[8]"), "f32[2]");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(3), INTS(3), NO_INTS}), OPERANDS("f32[3]"), "f32[0]");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(4), INTS(3), NO_INTS}), OPERANDS("f32[3]"),
                "ValueError: start index 3 and limit index 4 do not fit axis 0 of size 3");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(3), INTS(0), INTS(0)}), OPERANDS("f32[3]"),
                "ValueError: strides must be positive, got 0");
}

static void assembled_arrays_have_types(void **state)
{
    (void)state;
    kni_p_concatenate second = {1};
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2,3]", "f32[2,0]", "f32[2,1]"), "f32[2,4]");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2,3]", "f32[1,3]"),
                "ValueError: all the input array dimensions except for the concatenation axis must match exactly, but "
                "along dimension 0, "
                "the array at index 0 has size 2 and the array at index 1 has size 1");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2]"),
                "AxisError: axis 1 is out of bounds for array of dimension 1");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[]"), "ValueError: zero-dimensional arrays cannot be concatenated");
    EXPECT_TYPE(concatenate, &second, OPERANDS(), "ValueError: need at least one array to concatenate");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(1), INTS(-2), INTS(2)}), OPERANDS("f32[3]", "f32[]"), "f32[6]");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(1), INTS(1), INTS(2)}), OPERANDS("f32[0]", "f32[]"), "f32[2]");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(-2), INTS(-2), INTS(0)}), OPERANDS("f32[3]", "f32[]"),
                "ValueError: dimension size after padding is not at least 0, got result shape (-1,)");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(INT64_MAX), INTS(1), INTS(0)}), OPERANDS("f32[3]", "f32[]"),
                "MemoryError: axis 0 is too large with its padding of 9223372036854775807, 1 and 0 in between");
    EXPECT_TYPE(iota, (&(kni_p_iota){1, KN_DT(I32), INTS(2, 3)}), OPERANDS(), "i32[2,3]");
    EXPECT_TYPE(iota, (&(kni_p_iota){2, KN_DT(I32), INTS(2, 3)}), OPERANDS(),
                "AxisError: axis 2 is out of bounds for array of dimension 2");
}

static void a_dimension_as_a_value_is_an_int64_scalar(void **state)
{
    (void)state;
    EXPECT_TYPE(dim_as_value, &(kni_p_dim){.dim = 7}, OPERANDS(), "i64[]");
}

static void reductions_have_types(void **state)
{
    (void)state;
    kni_p_reduce first = {INTS(0)}, none = {NO_INTS};
    EXPECT_TYPE(reduce_sum, &first, OPERANDS("f32[0,3]"), "f32[3]");
    EXPECT_TYPE(reduce_sum, &none, OPERANDS("f32[]"), "f32[]");
    EXPECT_TYPE(reduce_sum, &first, OPERANDS("f32[]"), "AxisError: axis 0 is out of bounds for array of dimension 0");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("f32[0,3]"),
                "ValueError: zero-size array to reduction operation maximum which has no identity");
    EXPECT_TYPE(reduce_min, &first, OPERANDS("f32[0]"),
                "ValueError: zero-size array to reduction operation minimum which has no identity");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("f32[3,0]"), "f32[0]");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("c64[3]"), "TypeError: does not accept dtype complex64");
    EXPECT_TYPE(reduce_and, &first, OPERANDS("f32[3]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(argmax, (&(kni_p_argreduce){INTS(1), KN_DT(I64)}), OPERANDS("c64[2,3]"), "i64[2]");
    EXPECT_TYPE(argmax, (&(kni_p_argreduce){INTS(0), KN_DT(I64)}), OPERANDS("f32[0]"),
                "ValueError: attempt to get argmax of an empty sequence");
    EXPECT_TYPE(argmin, (&(kni_p_argreduce){INTS(0), KN_DT(F32)}), OPERANDS("f32[1]"),
                "TypeError: the index dtype must be an integer, got float32");
}

/* Derivatives: operands marked with * have tangents, which are the last inputs */

static void derivatives_of_functions(void **state)
{
    (void)state;
    EXPECT_JVP(neg, NULL, OPERANDS("*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = neg a; c:f32[3] = neg b in (c,) }");
    EXPECT_JVP(sin, NULL, OPERANDS("*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = sin a c:f32[3] = cos a d:f32[3] = mul b c in (d,) }");
    EXPECT_JVP(tanh, NULL, OPERANDS("*f32[]"),
               "{ lambda ; a:f32[] b:f32[]. let c:f32[] = tanh a d:f32[] = mul c c e:f32[] = sub 1.0:f32[] d f:f32[] = "
               "mul b e in (f,) }");
    EXPECT_JVP(sqrt, NULL, OPERANDS("*c64[]"),
               "{ lambda ; a:c64[] b:c64[]. let c:c64[] = sqrt a d:c64[] = div (0.5+0j):c64[] c e:c64[] = mul b d in "
               "(e,) }");
    EXPECT_JVP(
        abs, NULL, OPERANDS("*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = abs a c:bool[2] = ge a 0.0:f32[] d:f32[2] = neg b e:f32[2] = "
        "select_n c d b in (e,) }");
    EXPECT_JVP(
        abs, NULL, OPERANDS("*c64[2]"),
        "{ lambda ; a:c64[2] b:c64[2]. let c:f32[2] = abs a d:c64[2] = conj[input_dtype=complex64] a e:c64[2] = mul "
        "d b f:f32[2] = real "
        "e g:bool[2] = eq c 0.0:f32[] h:f32[2] = broadcast_in_dim 1.0:f32[] i:f32[2] = select_n g c h j:f32[2] = "
        "div f i in (j,) }");
    EXPECT_JVP(sign, NULL, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = sign a in () }");
    EXPECT_JVP(sign, NULL, OPERANDS("*c64[2]"),
               "{ lambda ; a:c64[2] b:c64[2]. let c:c64[2] = sign a d:f32[2] = abs a e:c64[2] = "
               "conj[input_dtype=complex64] c f:c64[2] = mul e "
               "b g:f32[2] = imag f h:bool[2] = eq d 0.0:f32[] i:f32[2] = broadcast_in_dim 1.0:f32[] j:f32[2] = "
               "select_n h d i k:f32[2] = div g j l:c64[2] = complex 0.0:f32[] k m:c64[2] = mul c l in (m,) }");
    EXPECT_JVP(stop_gradient, NULL, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = stop_gradient a in () }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){3}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=3] a c:f32[2] = integer_pow[y=2] a d:f32[2] "
               "= mul 3.0:f32[] c e:f32[2] = mul b d in (e,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){2}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=2] a c:f32[2] = mul 2.0:f32[] a d:f32[2] = "
               "mul b c in (d,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){1}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=1] a in (b,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){0}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=0] a in () }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=-1] a c:f32[2] = integer_pow[y=-2] a "
               "d:f32[2] = mul -1.0:f32[] c e:f32[2] = mul b d in (e,) }");
}

static void derivatives_of_arithmetic(void **state)
{
    (void)state;
    EXPECT_JVP(add, NULL, OPERANDS("*f32[3]", "*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3] c:f32[3] d:f32[3]. let _:f32[3] = add a b e:f32[3] = add c d in (e,) }");
    EXPECT_JVP(add, NULL, OPERANDS("*f32[]", "f32[3]"),
               "{ lambda ; a:f32[] b:f32[3] c:f32[]. let _:f32[3] = add a b d:f32[3] = broadcast_in_dim c in (d,) }");
    EXPECT_JVP(add, NULL, OPERANDS("*f32[]", "f32=2"),
               "{ lambda ; a:f32[] b:f32[]. let _:f32[] = add a 2.0:f32[] in (b,) }");
    EXPECT_JVP(
        sub, NULL, OPERANDS("f32[3]", "*f32[]"),
        "{ lambda ; a:f32[3] b:f32[] c:f32[]. let _:f32[3] = sub a b d:f32[] = neg c e:f32[3] = broadcast_in_dim "
        "d in (e,) }");
    EXPECT_JVP(sub, NULL, OPERANDS("*f32[3]", "*f32[]"),
               "{ lambda ; a:f32[3] b:f32[] c:f32[3] d:f32[]. let _:f32[3] = sub a b e:f32[3] = sub c d in (e,) }");
    EXPECT_JVP(mul, NULL, OPERANDS("*f32[3]", "*f32[]"),
               "{ lambda ; a:f32[3] b:f32[] c:f32[3] d:f32[]. let _:f32[3] = mul a b e:f32[3] = mul c b f:f32[3] = mul "
               "a d g:f32[3] = add_any e f in (g,) }");
    EXPECT_JVP(mul, NULL, OPERANDS("*f32[3]", "f32=2"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = mul a 2.0:f32[] c:f32[3] = mul b 2.0:f32[] in (c,) }");
    EXPECT_JVP(div, NULL, OPERANDS("*f32[]", "*f32[3]"),
               "{ lambda ; a:f32[] b:f32[3] c:f32[] d:f32[3]. let e:f32[3] = div a b f:f32[3] = div c b g:f32[3] = neg "
               "d h:f32[3] = div e b i:f32[3] = mul g h j:f32[3] = add_any f i in (j,) }");
    EXPECT_JVP(pow, NULL, OPERANDS("*f32[3]", "f32=3"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = pow a 3.0:f32[] c:f32[3] = pow a 2.0:f32[] d:f32[3] = mul "
               "3.0:f32[] c e:f32[3] = mul b d in (e,) }");
    EXPECT_JVP(pow, NULL, OPERANDS("*f32[3]", "f32=0"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = pow a 0.0:f32[] in () }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[] b:f32[2] c:f32[]. let _:f32[2] = pow a b d:bool[2] = eq b 0.0:f32[] e:f32[] = abs a "
        "f:bool[] = ge e 1.1754943508222875e-38:f32[] g:bool[] = lt e inf:f32[] h:bool[] = and f g i:bool[] = not "
        "h j:bool[2] = and d i k:f32[2] = broadcast_in_dim 1.0:f32[] l:f32[2] = select_n j b k m:f32[2] = sub l "
        "1.0:f32[] n:f32[2] = pow a m o:f32[2] = mul l n p:f32[2] = broadcast_in_dim 0.0:f32[] q:f32[2] = "
        "select_n j o p r:f32[2] = mul c q in (r,) }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("*f32[2]", "f32[]"),
        "{ lambda ; a:f32[2] b:f32[] c:f32[2]. let _:f32[2] = pow a b d:bool[] = eq b 0.0:f32[] e:f32[2] = abs a "
        "f:bool[2] = ge e 1.1754943508222875e-38:f32[] g:bool[2] = lt e inf:f32[] h:bool[2] = and f g i:bool[2] "
        "= not h j:bool[2] = and d i k:f32[2] = broadcast_in_dim b l:f32[2] = broadcast_in_dim 1.0:f32[] "
        "m:f32[2] = select_n j k l n:f32[2] = sub m 1.0:f32[] o:f32[2] = pow a n p:f32[2] = mul m o q:f32[2] = "
        "broadcast_in_dim 0.0:f32[] r:f32[2] = select_n j p q s:f32[2] = mul c r in (s,) }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("f32=2", "*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = pow 2.0:f32[] a d:f32[] = log 2.0:f32[] e:f32[2] = mul d c "
        "f:f32[2] = mul b e in (f,) }");
    EXPECT_JVP(
        max, NULL, OPERANDS("*f32[3]", "f32=0"),
        "{ lambda ; a:f32[3] b:f32[3]. let c:f32[3] = max a 0.0:f32[] d:bool[3] = eq a c e:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] d f:bool[3] = eq 0.0:f32[] c g:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] f h:f32[3] = add g 1.0:f32[] i:f32[3] = div e h "
        "j:f32[3] = mul b i in (j,) }");
    EXPECT_JVP(
        max, NULL, OPERANDS("f32[3]", "*f32[]"),
        "{ lambda ; a:f32[3] b:f32[] c:f32[]. let d:f32[3] = max a b e:bool[3] = eq b d f:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] e g:bool[3] = eq a d h:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] g i:f32[3] = add h 1.0:f32[] j:f32[3] = div f i "
        "k:f32[3] = mul c j in (k,) }");
}

static void derivatives_of_the_rest(void **state)
{
    (void)state;
    EXPECT_JVP(select_n, NULL, OPERANDS("bool[]", "*f32[2]", "f32[2]"),
               "{ lambda ; a:bool[] b:f32[2] c:f32[2] d:f32[2]. let _:f32[2] = select_n a b c e:f32[2] = "
               "broadcast_in_dim 0.0:f32[] f:f32[2] = select_n a d e in (f,) }");
    EXPECT_JVP(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F64)}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f64[2] = convert_element_type[new_dtype=float64 weak_type=False] a "
               "c:f64[2] = convert_element_type[new_dtype=float64 weak_type=False] b in (c,) }");
    EXPECT_JVP(
        convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I32)}, OPERANDS("*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let _:i32[2] = convert_element_type[new_dtype=int32 weak_type=False] a in "
        "() }");
    EXPECT_JVP(
        complex, NULL, OPERANDS("f32[2]", "*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2] c:f32[2]. let _:c64[2] = complex a b d:f32[2] = broadcast_in_dim 0.0:f32[] "
        "e:c64[2] = complex d c in (e,) }");
    EXPECT_JVP(reshape, &(kni_p_reshape){INTS(2, 3)}, OPERANDS("*f32[6]"),
               "{ lambda ; a:f32[6] b:f32[6]. let _:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] "
               "a c:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] b in (c,) }");
    EXPECT_JVP(concatenate, &(kni_p_concatenate){0}, OPERANDS("*f32[2]", "f32[3]"),
               "{ lambda ; a:f32[2] b:f32[3] c:f32[2]. let _:f32[5] = concatenate[dimension=0] a b d:f32[3] = "
               "broadcast_in_dim 0.0:f32[] e:f32[5] = concatenate[dimension=0] c d in (e,) }");
    EXPECT_JVP(pad, (&(kni_p_pad){INTS(1), INTS(0), INTS(0)}), OPERANDS("*f32[2]", "f32[]"),
               "{ lambda ; a:f32[2] b:f32[] c:f32[2]. let _:f32[3] = pad[padding_config=((1, 0, 0),)] a b d:f32[3] = "
               "pad[padding_config=((1, 0, 0),)] c 0.0:f32[] in (d,) }");
    EXPECT_JVP(reduce_sum, &(kni_p_reduce){INTS(0)}, OPERANDS("*f32[2,3]"),
               "{ lambda ; a:f32[2,3] b:f32[2,3]. let _:f32[3] = reduce_sum[axes=(0,) out_sharding=None] a c:f32[3] = "
               "reduce_sum[axes=(0,) out_sharding=None] b in (c,) }");
    EXPECT_JVP(
        reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*f32[2,3]"),
        "{ lambda ; a:f32[2,3] b:f32[2,3]. let c:f32[2] = reduce_max[axes=(1,)] a d:f32[2,3] = "
        "broadcast_in_dim[broadcast_dimensions=(0,)] c e:bool[2,3] = eq a d f:f32[2,3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] e g:f32[2] = reduce_sum[axes=(1,) "
        "out_sharding=None] f h:f32[2,3] = mul b f i:f32[2] = reduce_sum[axes=(1,) out_sharding=None] h j:f32[2] "
        "= div i g in (j,) }");
    EXPECT_JVP(reduce_max, &(kni_p_reduce){NO_INTS}, OPERANDS("*f32[]"),
               "{ lambda ; a:f32[] b:f32[]. let c:f32[] = reduce_max[axes=()] a d:bool[] = eq a c "
               "e:f32[] = convert_element_type[new_dtype=float32 weak_type=False] d f:f32[] = reduce_sum[axes=() "
               "out_sharding=None] e g:f32[] = mul b e h:f32[] = reduce_sum[axes=() out_sharding=None] g i:f32[] = div "
               "h f in (i,) }");
}

/* Transposes: operands marked with * are linear; the cotangent is the last input */

static void transposes_of_elementwise_primitives(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(neg, NULL, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2]. let b:f32[2] = neg a in (b,) }");
    EXPECT_TRANSPOSE(add, NULL, OPERANDS("*f32[]", "*f32[2,3]"),
                     "{ lambda ; a:f32[2,3]. let b:f32[] = reduce_sum[axes=(0, 1) out_sharding=None] a in (b, a) }");
    EXPECT_TRANSPOSE(
        sub, NULL, OPERANDS("*f32[2]", "*f32[]"),
        "{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a c:f32[] = neg b in (a, c) }");
    EXPECT_TRANSPOSE(
        mul, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = mul b a d:f32[] = reduce_sum[axes=(0,) out_sharding=None] "
        "c in (d,) }");
    EXPECT_TRANSPOSE(mul, NULL, OPERANDS("f32=3", "*f32[2]"),
                     "{ lambda ; a:f32[2]. let b:f32[2] = mul 3.0:f32[] a in (b,) }");
    EXPECT_TRANSPOSE(
        div, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = div b a d:f32[] = reduce_sum[axes=(0,) out_sharding=None] "
        "c in (d,) }");
    EXPECT_TRANSPOSE(real, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:f32[2]. let b:c64[2] = complex a 0.0:f32[] in (b,) }");
    EXPECT_TRANSPOSE(imag, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:f32[2]. let b:f32[2] = neg a c:c64[2] = complex 0.0:f32[] b in (c,) }");
    EXPECT_TRANSPOSE(conj, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:c64[2]. let b:c64[2] = conj[input_dtype=complex64] a in (b,) }");
    EXPECT_TRANSPOSE(complex, NULL, OPERANDS("*f32[2]", "*f32[]"),
                     "{ lambda ; a:c64[2]. let b:f32[2] = real a c:f32[2] = imag a d:f32[] = reduce_sum[axes=(0,) "
                     "out_sharding=None] c e:f32[] = neg d in (b, e) }");
    EXPECT_TRANSPOSE(
        select_n, NULL, OPERANDS("bool[2]", "*f32[2]", "*f32[]"),
        "{ lambda ; a:bool[2] b:f32[2]. let c:f32[2] = broadcast_in_dim 0.0:f32[] d:f32[2] = select_n a b c "
        "e:f32[2] = select_n a c b f:f32[] = reduce_sum[axes=(0,) out_sharding=None] e in (d, f) }");
    EXPECT_TRANSPOSE(
        convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F64)}, OPERANDS("*f16[2]"),
        "{ lambda ; a:f64[2]. let b:f16[2] = convert_element_type[new_dtype=float16 weak_type=False] a in (b,) }");
    EXPECT_TRANSPOSE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F32)}, OPERANDS("*f32[2]"),
                     "{ lambda ; a:f32[2]. let in (a,) }");
}

static void transposes_of_views(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}), OPERANDS("*f32[1,3]"),
                     "{ lambda ; a:f32[4,2,3]. let b:f32[3] = reduce_sum[axes=(0, 1) out_sharding=None] a c:f32[1,3] = "
                     "reshape[dimensions=None new_sizes=(1, 3) sharding=None] b in (c,) }");
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(1, 3), INTS(1)}), OPERANDS("*f32[3]"),
                     "{ lambda ; a:f32[1,3]. let b:f32[3] = reduce_sum[axes=(0,) out_sharding=None] a in (b,) }");
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2), NO_INTS}), OPERANDS("*f32[]"),
                     "{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a in (b,) }");
    EXPECT_TRANSPOSE(
        reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*f32[2,3]"),
        "{ lambda ; a:f32[6]. let b:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] a in (b,) "
        "}");
    EXPECT_TRANSPOSE(
        squeeze, &(kni_p_dims){INTS(0)}, OPERANDS("*f32[1,3]"),
        "{ lambda ; a:f32[3]. let b:f32[1,3] = reshape[dimensions=None new_sizes=(1, 3) sharding=None] a in (b,) "
        "}");
    EXPECT_TRANSPOSE(transpose, &(kni_p_transpose){INTS(2, 0, 1)}, OPERANDS("*f32[2,3,4]"),
                     "{ lambda ; a:f32[4,2,3]. let b:f32[2,3,4] = transpose[permutation=(1, 2, 0)] a in (b,) }");
    EXPECT_TRANSPOSE(rev, &(kni_p_dims){INTS(1)}, OPERANDS("*f32[2,3]"),
                     "{ lambda ; a:f32[2,3]. let b:f32[2,3] = rev[dimensions=(1,)] a in (b,) }");
    EXPECT_TRANSPOSE(slice, (&(kni_p_slice){INTS(7), INTS(1), INTS(3)}), OPERANDS("*f32[8]"),
                     "{ lambda ; a:f32[2]. let b:f32[8] = pad[padding_config=((1, 3, 2),)] a 0.0:f32[] in (b,) }");
    EXPECT_TRANSPOSE(slice, (&(kni_p_slice){INTS(2), INTS(2), NO_INTS}), OPERANDS("*f32[5]"),
                     "{ lambda ; a:f32[0]. let b:f32[5] = pad[padding_config=((2, 3, 0),)] a 0.0:f32[] in (b,) }");
}

static void transposes_of_the_rest(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(
        concatenate, &(kni_p_concatenate){1}, OPERANDS("*f32[2,1]", "f32[2,2]", "*f32[2,3]"),
        "{ lambda ; a:f32[2,2] b:f32[2,6]. let c:f32[2,1] = slice[limit_indices=(2, 1) start_indices=(0, 0) "
        "strides=None] b d:f32[2,3] = slice[limit_indices=(2, 6) start_indices=(0, 3) strides=None] b in (c, d) }");
    EXPECT_TRANSPOSE(pad, (&(kni_p_pad){INTS(1), INTS(-1), INTS(1)}), OPERANDS("*f32[3]", "f32=0"),
                     "{ lambda ; a:f32[5]. let b:f32[5] = pad[padding_config=((-1, 1, 0),)] a 0.0:f32[] c:f32[3] = "
                     "slice[limit_indices=(5,) start_indices=(0,) strides=(2,)] b in (c,) }");
    EXPECT_TRANSPOSE(pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("f32[3]", "*f32[]"),
                     "{ lambda ; a:f32[3] b:f32[6]. let c:bool[3] = broadcast_in_dim False:bool[] d:bool[6] = "
                     "pad[padding_config=((1, 2, 0),)] c True:bool[] e:f32[6] = broadcast_in_dim 0.0:f32[] f:f32[6] = "
                     "select_n d e b g:f32[] = reduce_sum[axes=(0,) out_sharding=None] f in (g,) }");
    EXPECT_TRANSPOSE(reduce_sum, &(kni_p_reduce){INTS(0, 2)}, OPERANDS("*f32[2,3,4]"),
                     "{ lambda ; a:f32[3]. let b:f32[2,3,4] = broadcast_in_dim[broadcast_dimensions=(1,)] a in (b,) }");
    EXPECT_TRANSPOSE(reduce_sum, &(kni_p_reduce){NO_INTS}, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2]. let in (a,) }");
}

/* Batching: operands marked "*1 " have their batch axis at 1; the number behind is the axis of the result */

static void batches_of_elementwise_primitives(void **state)
{
    (void)state;
    EXPECT_BATCH(sin, NULL, OPERANDS("*1 f32[3,5]"), "{ lambda ; a:f32[3,5]. let b:f32[3,5] = sin a in (b,) } 1");
    EXPECT_BATCH(
        add, NULL, OPERANDS("*0 f32[5,3]", "*1 f32[3,5]"),
        "{ lambda ; a:f32[5,3] b:f32[3,5]. let c:f32[5,3] = transpose[permutation=(1, 0)] b d:f32[5,3] = add a c "
        "in (d,) } 0");
    EXPECT_BATCH(
        add, NULL, OPERANDS("*0 f32[5]", "f32[3]"),
        "{ lambda ; a:f32[5] b:f32[3]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(0,)] a d:f32[5,3] "
        "= broadcast_in_dim[broadcast_dimensions=(1,)] b e:f32[5,3] = add c d in (e,) } 0");
    EXPECT_BATCH(
        add, NULL, OPERANDS("f32[3]", "*0 f32[5]"),
        "{ lambda ; a:f32[3] b:f32[5]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] a d:f32[5,3] "
        "= broadcast_in_dim[broadcast_dimensions=(0,)] b e:f32[5,3] = add c d in (e,) } 0");
    EXPECT_BATCH(add, NULL, OPERANDS("*0 f32[5]", "*1 f32[3,5]"),
                 "{ lambda ; a:f32[5] b:f32[3,5]. let c:f32[3,5] = broadcast_in_dim[broadcast_dimensions=(1,)] a "
                 "d:f32[3,5] = add c b in (d,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*1 f32[3,5]", "f32[3]"),
                 "{ lambda ; a:f32[3,5] b:f32[3]. let c:f32[3,5] = broadcast_in_dim[broadcast_dimensions=(0,)] b "
                 "d:f32[3,5] = add a c in (d,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*1 f32[3,5]", "f32[]"),
                 "{ lambda ; a:f32[3,5] b:f32[]. let c:f32[3,5] = add a b in (c,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*0 f32[5]", "f32=2"),
                 "{ lambda ; a:f32[5]. let b:f32[5] = add a 2.0:f32[] in (b,) } 0");
    EXPECT_BATCH(
        select_n, NULL, OPERANDS("*0 bool[5]", "f32[3]", "f32[3]"),
        "{ lambda ; a:bool[5] b:f32[3] c:f32[3]. let d:bool[5,3] = broadcast_in_dim[broadcast_dimensions=(0,)] a "
        "e:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] b f:f32[5,3] = "
        "broadcast_in_dim[broadcast_dimensions=(1,)] c g:f32[5,3] = select_n d e f in (g,) } 0");
    EXPECT_BATCH(
        select_n, NULL, OPERANDS("bool[]", "*0 f32[5,3]", "f32[3]"),
        "{ lambda ; a:bool[] b:f32[5,3] c:f32[3]. let d:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] c "
        "e:f32[5,3] = select_n a b d in (e,) } 0");
}

static void batches_of_views(void **state)
{
    (void)state;
    EXPECT_BATCH(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2, 3), INTS(1)}), OPERANDS("*1 f32[3,5]"),
                 "{ lambda ; a:f32[3,5]. let b:f32[5,3] = transpose[permutation=(1, 0)] a c:f32[5,2,3] = "
                 "broadcast_in_dim[broadcast_dimensions=(0, 2)] b in (c,) } 0");
    EXPECT_BATCH(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2), NO_INTS}), OPERANDS("*0 f32[5]"),
                 "{ lambda ; a:f32[5]. let b:f32[5,2] = broadcast_in_dim[broadcast_dimensions=(0,)] a in (b,) } 0");
    EXPECT_BATCH(reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*2 f32[2,3,5]"),
                 "{ lambda ; a:f32[2,3,5]. let b:f32[5,2,3] = transpose[permutation=(2, 0, 1)] a c:f32[5,6] = "
                 "reshape[dimensions=None new_sizes=(5, 6) sharding=None] b in (c,) } 0");
    EXPECT_BATCH(squeeze, &(kni_p_dims){INTS(0, 2)}, OPERANDS("*2 f32[1,3,5,1]"),
                 "{ lambda ; a:f32[1,3,5,1]. let b:f32[3,5] = squeeze[dimensions=(0, 3)] a in (b,) } 1");
    EXPECT_BATCH(transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[5,3,2] = transpose[permutation=(1, 2, 0)] a in (b,) } 0");
    EXPECT_BATCH(rev, &(kni_p_dims){INTS(0)}, OPERANDS("*0 f32[5,3]"),
                 "{ lambda ; a:f32[5,3]. let b:f32[5,3] = rev[dimensions=(1,)] a in (b,) } 0");
    EXPECT_BATCH(
        slice, (&(kni_p_slice){INTS(3), INTS(1), NO_INTS}), OPERANDS("*0 f32[5,3]"),
        "{ lambda ; a:f32[5,3]. let b:f32[5,2] = slice[limit_indices=(5, 3) start_indices=(0, 1) strides=None] a "
        "in (b,) } 0");
    EXPECT_BATCH(
        slice, (&(kni_p_slice){INTS(3), INTS(1), INTS(2)}), OPERANDS("*1 f32[3,5]"),
        "{ lambda ; a:f32[3,5]. let b:f32[1,5] = slice[limit_indices=(3, 5) start_indices=(1, 0) strides=(2, 1)] "
        "a in (b,) } 1");
}

static void batches_of_the_rest(void **state)
{
    (void)state;
    EXPECT_BATCH(concatenate, &(kni_p_concatenate){0}, OPERANDS("f32[2]", "*1 f32[3,5]"),
                 "{ lambda ; a:f32[2] b:f32[3,5]. let c:f32[2,5] = broadcast_in_dim[broadcast_dimensions=(0,)] a "
                 "d:f32[5,5] = concatenate[dimension=0] c b in (d,) } 1");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("*1 f32[3,5]", "f32=0"),
        "{ lambda ; a:f32[3,5]. let b:f32[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] a 0.0:f32[] in (b,) "
        "} 1");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("f32[3]", "*0 f32[5]"),
        "{ lambda ; a:f32[3] b:f32[5]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] a d:f32[5,6] "
        "= pad[padding_config=((0, 0, 0), (1, 2, 0))] c 0.0:f32[] e:bool[5,3] = broadcast_in_dim False:bool[] "
        "f:bool[5,6] = pad[padding_config=((0, 0, 0), (1, 2, 0))] e True:bool[] g:f32[5,6] = "
        "broadcast_in_dim[broadcast_dimensions=(0,)] b h:f32[5,6] = select_n f d g in (h,) } 0");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("*1 f32[3,5]", "*0 f32[5]"),
        "{ lambda ; a:f32[3,5] b:f32[5]. let c:f32[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] a 0.0:f32[] "
        "d:bool[3,5] = broadcast_in_dim False:bool[] e:bool[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] d "
        "True:bool[] f:f32[6,5] = broadcast_in_dim[broadcast_dimensions=(1,)] b g:f32[6,5] = select_n e c f in "
        "(g,) } 1");
    EXPECT_BATCH(reduce_sum, &(kni_p_reduce){INTS(0, 1)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[5] = reduce_sum[axes=(0, 2) out_sharding=None] a in (b,) } 0");
    EXPECT_BATCH(reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[2,5] = reduce_max[axes=(2,)] a in (b,) } 1");
    EXPECT_BATCH(reduce_sum, &(kni_p_reduce){NO_INTS}, OPERANDS("*0 f32[5]"),
                 "{ lambda ; a:f32[5]. let b:f32[5] = reduce_sum[axes=() out_sharding=None] a in (b,) } 0");
    EXPECT_BATCH(argmax, (&(kni_p_argreduce){INTS(0), KN_DT(I32)}), OPERANDS("*2 f32[2,3,5]"),
                 "{ lambda ; a:f32[2,3,5]. let b:i32[3,5] = argmax[axes=(0,) index_dtype=int32] a in (b,) } 1");
}

/* Whatever allocation fails, a rule says so, or did not need it. */
typedef char *rule_text(const kni_prim *p, const void *params, const char *const *text);
static void survives(rule_text *rule, const kni_prim *p, const void *params, const char *const *text)
{
    char *whole = rule(p, params, text);
    bool enough = false;
    for (failing = 0; !enough; failing++) {
        int64_t live = knx_alloc_live();
        char *got = rule(p, params, text);
        enough = !strcmp(got, whole);
        if (!enough)
            assert_int_equal(strncmp(got, "out of memory", 13), 0);
        assert_int_equal(knx_alloc_live(), live);
        assert_true(failing < 1000);
        free(got);
    }
    failing = -1;
    free(whole);
}

static void rules_survive_without_memory(void **state)
{
    (void)state;
    kni_p_pad p = {INTS(1), INTS(2), INTS(0)};
    survives(jvp, &knp_prim_sign, NULL, OPERANDS("*c64[2]"));
    survives(jvp, &knp_prim_pow, NULL, OPERANDS("*f32[2]", "*f32[]"));
    survives(jvp, &knp_prim_select_n, NULL, OPERANDS("bool[]", "*f32[2]", "f32[2]"));
    survives(jvp, &knp_prim_reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*f32[2,3]"));
    survives(transposed, &knp_prim_select_n, NULL, OPERANDS("bool[2]", "*f32[2]", "*f32[]"));
    survives(transposed, &knp_prim_concatenate, &(kni_p_concatenate){1},
             OPERANDS("*f32[2,1]", "f32[2,2]", "*f32[2,3]"));
    survives(transposed, &knp_prim_pad, &p, OPERANDS("*f32[3]", "*f32[]"));
    survives(transposed, &knp_prim_broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}),
             OPERANDS("*f32[1,3]"));
    survives(batched, &knp_prim_add, NULL, OPERANDS("*0 f32[5]", "*1 f32[3,5]"));
    survives(batched, &knp_prim_pad, &p, OPERANDS("*1 f32[3,5]", "*0 f32[5]"));
    survives(batched, &knp_prim_concatenate, &(kni_p_concatenate){0}, OPERANDS("f32[2]", "*1 f32[3,5]"));
    survives(batched, &knp_prim_transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("*1 f32[2,5,3]"));
    survives(batched, &knp_prim_reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*2 f32[2,3,5]"));
}

KN_TEST_GROUP(test_prim_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(elementwise_types_join),
        cmocka_unit_test(weakness_needs_all_operands),
        cmocka_unit_test(choices_and_conversions_have_types),
        cmocka_unit_test(views_have_types),
        cmocka_unit_test(assembled_arrays_have_types),
        cmocka_unit_test(a_dimension_as_a_value_is_an_int64_scalar),
        cmocka_unit_test(reductions_have_types),
        cmocka_unit_test(derivatives_of_functions),
        cmocka_unit_test(derivatives_of_arithmetic),
        cmocka_unit_test(derivatives_of_the_rest),
        cmocka_unit_test(transposes_of_elementwise_primitives),
        cmocka_unit_test(transposes_of_views),
        cmocka_unit_test(transposes_of_the_rest),
        cmocka_unit_test(batches_of_elementwise_primitives),
        cmocka_unit_test(batches_of_views),
        cmocka_unit_test(batches_of_the_rest),
        cmocka_unit_test(rules_survive_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
