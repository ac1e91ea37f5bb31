/* SPDX-License-Identifier: Apache-2.0
 * test_prim_scan.c -- rounding, bits, clamps, cumulative primitives, products, generic reductions, top_k, splits and
 * generators: their texts, what their type rules say, and derivatives at zeros and ties. Numbers are those of JAX. */
#include "transform/transform.h"
#include "support/group.h"
#include "support/rules.h"
#include "support/bits.h"

#define INTS(...)                                                                \
    {                                                                            \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ } \
    }
enum { MOST = 8 };

/* --- one equation of operands such as "f32[2,3]" ----------------------------------------------- */

static int64_t extents[MOST][4];

static kni_type parse(const char *text, int slot)
{
    char name[16] = {0};
    size_t n = strcspn(text, "[");
    assert_true(n < sizeof name);
    memcpy(name, text, n);
    kni_type t = {.dtype = knx_dtype_find(name), .dim = extents[slot]};
    assert_non_null(t.dtype);
    for (const char *s = text + n + 1; *s && *s != ']'; s += *s == ',') {
        char *end;
        extents[slot][t.ndim++] = strtoll(s, &end, 10);
        s = end;
    }
    return t;
}

/* Its jaxpr; NULL and the message if it is refused. */
static kni_jaxpr *equation(const kni_prim *p, const void *params, const char *const *types, int n_out, char **message)
{
    kni_builder b;
    kni_atom in[MOST], out[MOST];
    kni_jaxpr *j = NULL;
    int n = 0;
    knb_init(&b);
    for (; types[n]; n++)
        in[n] = knb_invar(&b, parse(types[n], n));
    knb_emit(&b, p, params, n, in, out, n_out);
    knx_error *e = b.error ? knb_take_error(&b) : knb_finish(&b, n_out, out, "", false, &j);
    *message = NULL;
    if (e) {
        static const char *const kind[] = {
            [KN_ERROR_VALUE] = "ValueError", [KN_ERROR_TYPE] = "TypeError", [KN_ERROR_AXIS] = "AxisError"};
        size_t room = strlen(e->message) + 40;
        *message = malloc(room);
        snprintf(*message, room, "%s: %s", kind[e->kind], e->message);
    }
    knx_error_release(e);
    knb_free(&b);
    return j;
}

/* The text on one line. */
static char *flat(kni_jaxpr *j)
{
    char *text = NULL, *to;
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    char *line = to = strdup(text);
    for (const char *s = text; *s; s++)
        if (*s != ' ' && *s != '\n')
            *to++ = *s;
        else if (to == line || to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
    knx_free(text);
    kni_release(j);
    return line;
}

static void same_text(int line, char *got, const char *expected)
{
    if (!got || strcmp(got, expected))
        fail_msg("line %d\ngot      %s\nexpected %s", line, got ? got : "nothing", expected);
    free(got);
}

#define TYPES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_text_at(int line, const kni_prim *p, const void *params, const char *const *types, int n_out,
                           const char *expected)
{
    char *message;
    kni_jaxpr *j = equation(p, params, types, n_out, &message);
    same_text(line, j ? flat(j) : message, expected);
}

/* Tangents of all operands that can have one; they are the last inputs. */
static void expect_jvp_at(int line, const kni_prim *p, const void *params, const char *const *types, int n_out,
                          const char *expected)
{
    char *message;
    bool tangent[MOST];
    kni_jaxpr *j = equation(p, params, types, n_out, &message), *d = NULL;
    assert_non_null(j);
    for (uint32_t i = 0; i < j->n_in; i++)
        tangent[i] = kni_has_tangent(kni_in_type(j, i));
    assert_null(knt_jvp(j, tangent, &d));
    kni_release(j);
    same_text(line, flat(d), expected);
}

/* The transposed jaxpr of a primitive that is linear in its one operand. */
static void expect_transpose_at(int line, const kni_prim *p, const void *params, const char *type, int n_out,
                                const char *expected)
{
    char *message;
    kni_jaxpr *j = equation(p, params, TYPES(type), n_out, &message), *t = NULL;
    assert_non_null(j);
    assert_null(knt_transpose(j, (bool[]){true}, &t));
    kni_release(j);
    same_text(line, flat(t), expected);
}

#define EXPECT_TEXT(prim, params, types, n_out, text) \
    expect_text_at(__LINE__, &knp_prim_##prim, params, types, n_out, text)
#define EXPECT_REFUSED(prim, params, types, text) expect_text_at(__LINE__, &knp_prim_##prim, params, types, 1, text)
#define EXPECT_JVP(prim, params, types, n_out, text) \
    expect_jvp_at(__LINE__, &knp_prim_##prim, params, types, n_out, text)
#define EXPECT_TRANSPOSE(prim, params, type, n_out, to) \
    expect_transpose_at(__LINE__, &knp_prim_##prim, params, type, n_out, to)

/* --- texts ------------------------------------------------------------------------------------ */

static void equations_print_as_in_jax(void **unused)
{
    (void)unused;
    EXPECT_TEXT(round, &(kni_p_round){1}, TYPES("f32[2]"), 1,
                "{ lambda ; a:f32[2]. let b:f32[2] = round[rounding_method=1] a in (b,) }");
    EXPECT_TEXT(reduce_precision, (&(kni_p_reduce_precision){5, 10}), TYPES("f32[]"), 1,
                "{ lambda ; a:f32[]. let b:f32[] = reduce_precision[exponent_bits=5 mantissa_bits=10] a in (b,) }");
    EXPECT_TEXT(top_k, (&(kni_p_top_k){1, 2}), TYPES("f32[2,3]"), 2,
                "{ lambda ; a:f32[2,3]. let b:f32[2,2] c:i32[2,2] = top_k[axis=1 k=2] a in (b, c) }");
    EXPECT_TEXT(reduce_prod, &(kni_p_reduce){INTS(0)}, TYPES("f32[2,3]"), 1,
                "{ lambda ; a:f32[2,3]. let b:f32[3] = reduce_prod[axes=(0,)] a in (b,) }");
    EXPECT_TEXT(reduce_xor, &(kni_p_reduce){INTS(0)}, TYPES("i32[2,3]"), 1,
                "{ lambda ; a:i32[2,3]. let b:i32[3] = reduce_xor[axes=(0,)] a in (b,) }");
    EXPECT_TEXT(cumsum, (&(kni_p_cumulative){1, false}), TYPES("f32[2,3]"), 1,
                "{ lambda ; a:f32[2,3]. let b:f32[2,3] = cumsum[axis=1 reverse=False] a in (b,) }");
    EXPECT_TEXT(split, (&(kni_p_split){1, INTS(1, 2)}), TYPES("f32[2,3]"), 2,
                "{ lambda ; a:f32[2,3]. let b:f32[2,1] c:f32[2,2] = split[axis=1 sizes=(1, 2)] a in (b, c) }");
    EXPECT_TEXT(stack, &(kni_p_axis){0}, TYPES("f32[2]", "f32[2]"), 1,
                "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2,2] = stack[axis=0] a b in (c,) }");
    EXPECT_TEXT(unstack, &(kni_p_axis){0}, TYPES("f32[2,3]"), 2,
                "{ lambda ; a:f32[2,3]. let b:f32[3] c:f32[3] = unstack[axis=0] a in (b, c) }");
    EXPECT_TEXT(tile, &(kni_p_tile){INTS(2, 1)}, TYPES("f32[2,3]"), 1,
                "{ lambda ; a:f32[2,3]. let b:f32[4,3] = tile[reps=(2, 1)] a in (b,) }");
    EXPECT_TEXT(optimization_barrier, NULL, TYPES("f32[2]", "i32[]"), 2,
                "{ lambda ; a:f32[2] b:i32[]. let c:f32[2] d:i32[] = optimization_barrier a b in (c, d) }");
    EXPECT_TEXT(clamp, NULL, TYPES("f32[]", "f32[2]", "f32[]"), 1,
                "{ lambda ; a:f32[] b:f32[2] c:f32[]. let d:f32[2] = clamp a b c in (d,) }");
    EXPECT_TEXT(random_split, &(kni_p_random_split){INTS(2)}, TYPES("key<fry>[]"), 1,
                "{ lambda ; a:key<fry>[]. let b:key<fry>[2] = random_split[shape=(2,)] a in (b,) }");
    EXPECT_TEXT(random_fold_in, NULL, TYPES("key<fry>[]", "u32[]"), 1,
                "{ lambda ; a:key<fry>[] b:u32[]. let c:key<fry>[] = random_fold_in a b in (c,) }");
    EXPECT_TEXT(random_seed, NULL, TYPES("i32[]"), 1,
                "{ lambda ; a:i32[]. let b:key<fry>[] = random_seed[impl=fry] a in (b,) }");
    EXPECT_TEXT(rng_bit_generator, (&(kni_p_rng_bit_generator){KN_RNG_THREE_FRY, KN_DT(U32), INTS(3)}), TYPES("u32[4]"),
                2,
                "{ lambda ; a:u32[4]. let b:u32[4] c:u32[3] = rng_bit_generator[ algorithm=RNG_THREE_FRY dtype=uint32 "
                "out_sharding=None shape=(3,) ] a in (b, c) }");
}

/* --- messages --------------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused_in_words(void **unused)
{
    (void)unused;
    EXPECT_REFUSED(floor, NULL, TYPES("i64[2]"), "TypeError: does not accept dtype int64");
    EXPECT_REFUSED(round, &(kni_p_round){3}, TYPES("f32[2]"), "ValueError: 3 is not a valid RoundingMethod");
    EXPECT_REFUSED(reduce_precision, (&(kni_p_reduce_precision){0, 3}), TYPES("f32[]"),
                   "ValueError: exponent_bits must be positive; got 0");
    EXPECT_REFUSED(reduce_precision, (&(kni_p_reduce_precision){3, -1}), TYPES("f32[]"),
                   "ValueError: mantissa_bits must be non-negative; got -1");
    EXPECT_REFUSED(clamp, NULL, TYPES("f64[3]", "f64[]", "f64[]"),
                   "TypeError: requires min.shape == operand.shape or min.shape == (), got min.shape=(3,), "
                   "operand.shape=().");
    EXPECT_REFUSED(clamp, NULL, TYPES("f64[]", "f64[2]", "f64[3]"),
                   "TypeError: requires max.shape == operand.shape or max.shape == (), got max.shape=(3,), "
                   "operand.shape=(2,).");
    EXPECT_REFUSED(cumsum, (&(kni_p_cumulative){1, false}), TYPES("f32[3]"),
                   "AxisError: axis 1 is out of bounds for array of dimension 1");
    EXPECT_REFUSED(cumsum, (&(kni_p_cumulative){0, false}), TYPES("bool[3]"), "TypeError: does not accept dtype bool");
    EXPECT_REFUSED(split, (&(kni_p_split){0, INTS(1, 1)}), TYPES("f32[3]"),
                   "ValueError: Sum of sizes 2 must be equal to dimension 0 of the operand shape (3,)");
    EXPECT_REFUSED(split, (&(kni_p_split){0, INTS(-1, 4)}), TYPES("f32[3]"),
                   "ValueError: Sizes passed to split must be nonnegative, got (-1,4)");
    EXPECT_REFUSED(split, (&(kni_p_split){0, INTS(1, 2)}), TYPES("f32[3]"),
                   "ValueError: split has 2 results, where at most 1 were expected");
    EXPECT_REFUSED(split, (&(kni_p_split){0, INTS(1, 1, 1)}), TYPES("f32[3]"), "ValueError: has 3 results");
    EXPECT_REFUSED(unstack, &(kni_p_axis){0}, TYPES("f32[3]"), "ValueError: has 3 results");
    EXPECT_REFUSED(stack, &(kni_p_axis){0}, TYPES("f32[3]", "f32[4]"),
                   "ValueError: All input arrays must have the same shape. Got (3,), (4,).");
    EXPECT_REFUSED(stack, &(kni_p_axis){0}, TYPES("f32[3]", "f32[3,1]"),
                   "ValueError: Cannot stack arrays with different numbers of dimensions: got (3,), (3,1).");
    EXPECT_REFUSED(stack, &(kni_p_axis){0}, TYPES("f32[3]", "i32[3]"),
                   "TypeError: requires arguments to have the same dtypes, got float32, int32.");
    EXPECT_REFUSED(tile, &(kni_p_tile){INTS(1)}, TYPES("f32[2,2]"),
                   "TypeError: reps length must be equal to the ndim of x, got len(reps)=1 and x.ndim=2.");
    EXPECT_REFUSED(tile, &(kni_p_tile){INTS(-1)}, TYPES("f32[2]"), "ValueError: negative dimensions are not allowed");
    EXPECT_REFUSED(tile, &(kni_p_tile){INTS(INT64_MAX)}, TYPES("f32[2]"), "ValueError: array is too big");
    EXPECT_TEXT(rng_bit_generator, (&(kni_p_rng_bit_generator){KN_RNG_PHILOX, KN_DT(I32), INTS(3)}), TYPES("u32[4]"), 2,
                "TypeError: unsupported dtype int32");
    EXPECT_REFUSED(random_fold_in, NULL, TYPES("key<fry>[]", "i32[]"),
                   "TypeError: random_fold_in takes uint32 or uint64 numbers, got int32");
}

static void top_k_says_what_is_wrong(void **unused)
{
    char *message;
    (void)unused;
    static const struct {
        kni_p_top_k p;
        const char *type, *text;
    } cases[] = {
        {{0, 4},
         "f32[3]",
         "ValueError: k argument must be no larger than size along axis; got k=4 with shape=(3,) and axis=0"},
        {{0, -1}, "f32[3]", "ValueError: k argument must be nonnegative, got -1"},
        {{0, 1}, "c64[3]", "ValueError: is not compatible with complex inputs."},
        {{0, 1}, "f32[]", "TypeError: operand must have >= 1 dimension, got ()"},
        {{1, 1}, "f32[3]", "AxisError: axis 1 is out of bounds for array of dimension 1"},
        {{0, 1},
         "u8[3000000000]",
         "ValueError: returns int32 indices, which will overflow for "
         "operand.shape=(3000000000,)"},
    };
    size_t n = sizeof cases / sizeof *cases - (sizeof(void *) < 8); /* the last one has no type there */
    for (size_t i = 0; i < n; i++) {
        assert_null(equation(&knp_prim_top_k, &cases[i].p, TYPES(cases[i].type), 2, &message));
        same_text((int)i, message, cases[i].text);
    }
}

/* A computation of n_in scalars of these dtypes that gives its first n_out arguments. */
static kni_jaxpr *first_of(int n_in, const kn_dtype *d, int n_out, int ndim)
{
    kni_builder b;
    kni_atom in[MOST];
    kni_jaxpr *j = NULL;
    int64_t two[] = {2};
    knb_init(&b);
    for (int i = 0; i < n_in; i++)
        in[i] = knb_invar(&b, kni_type_of(d[i], ndim, two));
    assert_null(knb_finish(&b, n_out, in, "", false, &j));
    knb_free(&b);
    return j;
}

static void a_computation_has_to_fit_its_operands(void **unused)
{
    const kn_dtype floats[] = {KN_DT(F32), KN_DT(F32), KN_DT(F32)}, mixed[] = {KN_DT(F32), KN_DT(I32)};
    char *message;
    (void)unused;
    struct {
        kni_jaxpr *j;
        const char *const *types;
        const char *text;
    } cases[] = {
        {first_of(2, floats, 1, 0), TYPES("f32[3]"),
         "TypeError: takes operands and as many initial values, not 1 operands"},
        {first_of(2, floats, 1, 0), TYPES("f32[3]", "f32[1]"), "ValueError: found non-scalar initial value: (1,)"},
        {first_of(2, floats, 1, 0), TYPES("f32[3]", "i32[]"),
         "TypeError: operand dtypes should match corresponding initial value dtypes, got operand=float32[3] and "
         "initial_value=int32[]"},
        {first_of(2, floats, 1, 0), TYPES("f32[3]", "f32[4]", "f32[]", "f32[]"),
         "TypeError: operands must have equal shapes, got (3,), (4,)"},
        {first_of(3, floats, 1, 0), TYPES("f32[3]", "f32[]"),
         "TypeError: the computation must take 2 scalars and give 1, but takes 3 and gives 1"},
        {first_of(2, mixed, 1, 0), TYPES("f32[3]", "f32[]"),
         "TypeError: argument 1 of the computation is i32[], not a scalar float32"},
        {first_of(2, floats, 1, 1), TYPES("f32[3]", "f32[]"),
         "TypeError: argument 0 of the computation is f32[2], not a scalar float32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kni_p_reduce_any p = {INTS(0), cases[i].j};
        assert_null(equation(&knp_prim_reduce, &p, cases[i].types, 2, &message));
        same_text((int)i, message, cases[i].text);
        kni_release(cases[i].j);
    }
    kni_p_reduce_any none = {INTS(0), NULL};
    assert_null(equation(&knp_prim_reduce, &none, TYPES("f32[3]", "f32[]"), 1, &message));
    same_text(__LINE__, message, "ValueError: needs a jaxpr without constants");
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void derivatives_read_as_in_jax(void **unused)
{
    (void)unused;
    EXPECT_JVP(rem, NULL, TYPES("f32[2]", "f32[2]"), 1,
               "{ lambda ; a:f32[2] b:f32[2] c:f32[2] d:f32[2]. let e:f32[2] = rem a b f:f32[2] = neg d g:f32[2] = div "
               "a b h:f32[2] = sign g i:f32[2] = div a b j:f32[2] = abs i k:f32[2] = floor j l:f32[2] = mul h k "
               "m:f32[2] = mul f l n:f32[2] = add_any c m in (e, n) }");
    EXPECT_JVP(reduce_prod, &(kni_p_reduce){INTS(0)}, TYPES("f32[3]"), 1,
               "{ lambda ; a:f32[3] b:f32[3]. let c:f32[] = reduce_prod[axes=(0,)] a d:f32[2] = "
               "slice[limit_indices=(2,) start_indices=(0,) strides=None] a e:f32[1] = slice[limit_indices=(3,) "
               "start_indices=(2,) strides=None] a f:f32[2] = pad[padding_config=((0, 1, 0),)] e 1.0:f32[] g:f32[2] = "
               "slice[limit_indices=(2,) start_indices=(0,) strides=None] b h:f32[1] = slice[limit_indices=(3,) "
               "start_indices=(2,) strides=None] b i:f32[2] = pad[padding_config=((0, 1, 0),)] h 0.0:f32[] j:f32[2] = "
               "mul d f k:f32[2] = mul g f l:f32[2] = mul d i m:f32[2] = add_any k l n:f32[1] = "
               "slice[limit_indices=(1,) start_indices=(0,) strides=None] j o:f32[1] = slice[limit_indices=(2,) "
               "start_indices=(1,) strides=None] j p:f32[1] = slice[limit_indices=(1,) start_indices=(0,) "
               "strides=None] m q:f32[1] = slice[limit_indices=(2,) start_indices=(1,) strides=None] m r:f32[1] = mul "
               "p o s:f32[1] = mul n q t:f32[1] = add_any r s u:f32[] = squeeze[dimensions=(0,)] t in (c, u) }");
    EXPECT_JVP(top_k, (&(kni_p_top_k){0, 2}), TYPES("f32[3]"), 2,
               "{ lambda ; a:f32[3] b:f32[3]. let c:f32[2] d:i32[2] = top_k[axis=0 k=2] a e:i32[2,1] = "
               "reshape[dimensions=None new_sizes=(2, 1) sharding=None] d f:f32[2] = gather[ "
               "dimension_numbers=GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), "
               "start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=()) fill_value=None "
               "indices_are_sorted=False mode=GatherScatterMode.PROMISE_IN_BOUNDS slice_sizes=(1,) "
               "unique_indices=False ] b e in (c, d, f) }");
    EXPECT_JVP(optimization_barrier, NULL, TYPES("f32[2]", "i32[]"), 2,
               "{ lambda ; a:f32[2] b:i32[] c:f32[2]. let d:f32[2] e:i32[] = optimization_barrier a b f:f32[2] = "
               "optimization_barrier c in (d, e, f) }");
    EXPECT_TRANSPOSE(cumsum, (&(kni_p_cumulative){0, false}), "f32[3]", 1,
                     "{ lambda ; a:f32[3]. let b:f32[3] = cumsum[axis=0 reverse=True] a in (b,) }");
    EXPECT_TRANSPOSE(split, (&(kni_p_split){0, INTS(1, 2)}), "f32[3]", 2,
                     "{ lambda ; a:f32[1] b:f32[2]. let c:f32[3] = concatenate[dimension=0] a b in (c,) }");
    EXPECT_TRANSPOSE(unstack, &(kni_p_axis){0}, "f32[2,3]", 2,
                     "{ lambda ; a:f32[3] b:f32[3]. let c:f32[2,3] = stack[axis=0] a b in (c,) }");
    EXPECT_TRANSPOSE(tile, &(kni_p_tile){INTS(2)}, "f32[3]", 1,
                     "{ lambda ; a:f32[6]. let b:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] a "
                     "c:f32[3] = reduce_sum[axes=(0,) out_sharding=None] b in (c,) }");
}

/* The tangents of f64 results at x along t. */
static void expect_tangent_at(int line, const kni_prim *p, const void *params, int n, const double *x, const double *t,
                              const double *expected, int n_expected)
{
    char *message, type[16];
    value *in[2], *out[2];
    int64_t dim[] = {n};
    kni_jaxpr *j, *d = NULL;
    snprintf(type, sizeof type, "f64[%d]", n);
    j = equation(p, params, TYPES(type), 1, &message);
    assert_non_null(j);
    assert_null(knt_jvp(j, (bool[]){true}, &d));
    kni_release(j);
    for (int i = 0; i < 2; i++) {
        in[i] = new_value(KN_DT(F64), 1, dim);
        memcpy(in[i]->p, i ? t : x, (size_t)n * 8);
    }
    run_jaxpr(d, in, 2, out);
    assert_int_equal(kni_type_size(out[1]->t), n_expected);
    for (int i = 0; i < n_expected; i++)
        if (!(fabs(get(out[1], i) - expected[i]) <= 1e-8 * (1 + fabs(expected[i]))) &&
            !(isnan(get(out[1], i)) && isnan(expected[i])))
            fail_msg("line %d: tangent %d is %.17g, not %.17g", line, i, get(out[1], i), expected[i]);
    for (int i = 0; i < 2; i++)
        drop(in[i]), drop(out[i]);
}

#define NUMBERS(...) ((const double[]){__VA_ARGS__})
#define EXPECT_TANGENT(prim, params, x, t, expected)                                           \
    expect_tangent_at(__LINE__, &knp_prim_##prim, params, (int)(sizeof x / 8), x, t, expected, \
                      (int)(sizeof expected / 8))

static void products_with_zeros_have_derivatives(void **unused)
{
    (void)unused;
    const kni_p_reduce axis = {INTS(0)};
    const kni_p_cumulative along = {0, false};
    EXPECT_TANGENT(reduce_prod, &axis, NUMBERS(2, 0, 3, 0.5), NUMBERS(1, 1, 1, 1), NUMBERS(3));
    EXPECT_TANGENT(reduce_prod, &axis, NUMBERS(2, 0, 3, 0), NUMBERS(1, 1, 1, 1), NUMBERS(0));
    EXPECT_TANGENT(cumprod, &along, NUMBERS(2, 0, 3, 0, 5), NUMBERS(1, 10, 100, 1000, 10000), NUMBERS(1, 20, 60, 0, 0));
}

static void ties_share_the_tangent_as_in_jax(void **unused)
{
    (void)unused;
    const kni_p_cumulative forwards = {0, false}, backwards = {0, true};
    EXPECT_TANGENT(cummax, &forwards, NUMBERS(1, 1, 1, 2, 2), NUMBERS(1, 10, 100, 1000, 10000),
                   NUMBERS(1, 5.5, 52.75, 1000, 5500));
    EXPECT_TANGENT(cummin, &backwards, NUMBERS(1, 1, 1, 2, 2), NUMBERS(1, 10, 100, 1000, 10000),
                   NUMBERS(28, 55, 100, 5500, 10000));
    EXPECT_TANGENT(cumlogsumexp, &backwards, NUMBERS(1, 2, 3), NUMBERS(1, 10, 100),
                   NUMBERS(69.06141086, 75.79527208, 100));
    EXPECT_TANGENT(cumlogsumexp, &forwards, NUMBERS(-INFINITY, -INFINITY, 1), NUMBERS(1, 10, 100),
                   NUMBERS(1, NAN, NAN));
}

static void nextafter_has_no_derivative(void **unused)
{
    char *message;
    kni_jaxpr *j = equation(&knp_prim_nextafter, NULL, TYPES("f64[]", "f64[]"), 1, &message), *d = NULL;
    (void)unused;
    knx_error *e = knt_jvp(j, (bool[]){true, true}, &d);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_NOT_IMPLEMENTED);
    assert_non_null(strstr(e->message, "Differentiation rule for 'nextafter' not implemented"));
    knx_error_release(e);
    kni_release(j);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void expect_random(int64_t algorithm, kn_dtype d, kni_ints shape, const uint64_t *expected)
{
    static const uint32_t words[4] = {1, 2, 0xfffffffe, 7};
    char *message;
    kni_p_rng_bit_generator p = {algorithm, d, shape};
    kni_jaxpr *j = equation(&knp_prim_rng_bit_generator, &p, TYPES("u32[4]"), 2, &message);
    value *in = new_value(KN_DT(U32), 1, (int64_t[]){4}), *out[2];
    memcpy(in->p, words, sizeof words);
    run_jaxpr(j, &in, 2, out);
    for (int64_t i = 0; i < kni_type_size(out[1]->t); i++) {
        assert_int_equal(bits_at(out[1]->p + i * d->size, d->size), expected[i]);
    }
    drop(in), drop(out[0]), drop(out[1]);
}

static void generators_give_the_numbers_of_jax(void **unused)
{
    (void)unused;
    expect_random(KN_RNG_THREE_FRY, KN_DT(U32), (kni_ints)INTS(5),
                  (uint64_t[]){0x26360241, 0x6b15ee08, 0xb628c3a4, 0x92d82e4b, 0xe5d63d18});
    expect_random(KN_RNG_THREE_FRY, KN_DT(U8), (kni_ints)INTS(2, 3), (uint64_t[]){0x41, 0xa4, 0x18, 0x08, 0x4b, 0xf4});
    expect_random(KN_RNG_THREE_FRY, KN_DT(U64), (kni_ints)INTS(2),
                  (uint64_t[]){0x6b15ee0826360241, 0x92d82e4bb628c3a4});
    expect_random(KN_RNG_DEFAULT, KN_DT(U32), (kni_ints)INTS(5),
                  (uint64_t[]){0x7d3a219e, 0x15f6176b, 0x93385b46, 0xccb5be62, 0x0f8208e7});
    expect_random(KN_RNG_PHILOX, KN_DT(U64), (kni_ints)INTS(3),
                  (uint64_t[]){0x15f6176b7d3a219e, 0xccb5be6293385b46, 0x3e4fac150f8208e7});
}

/* 2048 + 1 is 2048 in float16, but what is carried on is 2049. (NumPy and JAX stay at 2048.) */
static void sums_of_16_bit_floats_are_rounded_once(void **unused)
{
    static const uint16_t numbers[] = {0x6800, 0x3c00, 0x3c00, 0x3c00};
    static const double sums[] = {2048, 2048, 2050, 2052};
    char *message;
    (void)unused;
    kni_jaxpr *j = equation(&knp_prim_cumsum, &(kni_p_cumulative){0, false}, TYPES("f16[4]"), 1, &message);
    value *in = new_value(KN_DT(F16), 1, (int64_t[]){4}), *out;
    memcpy(in->p, numbers, sizeof numbers);
    run_jaxpr(j, &in, 1, &out);
    for (int i = 0; i < 4; i++)
        assert_true(get(out, i) == sums[i]);
    drop(in), drop(out);
}

/* What is behind a barrier is not made one with what is before it. */
static void a_barrier_keeps_equal_work_apart(void **unused)
{
    kni_builder b;
    kni_jaxpr *j = NULL, *expanded = NULL, *simple = NULL;
    (void)unused;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_scalar_type(KN_DT(F32))), y;
    knb_optimization_barrier(&b, 1, &x, &y);
    kni_atom before = knb_sin(&b, x), behind = knb_sin(&b, y), sum = knb_add(&b, before, behind);
    assert_null(knb_finish(&b, 1, &sum, "", false, &j));
    knb_free(&b);
    assert_null(knt_expand(j, &expanded));
    assert_null(knt_simplify(expanded, &simple));
    same_text(__LINE__, flat(simple),
              "{ lambda ; a:f32[]. let b:f32[] = copy a c:f32[] = sin a d:f32[] = sin b e:f32[] = add c d in (e,) }");
    kni_release(j);
    kni_release(expanded);
}

KN_TEST_GROUP(test_prim_scan)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_print_as_in_jax),          cmocka_unit_test(what_does_not_fit_is_refused_in_words),
        cmocka_unit_test(top_k_says_what_is_wrong),           cmocka_unit_test(a_computation_has_to_fit_its_operands),
        cmocka_unit_test(derivatives_read_as_in_jax),         cmocka_unit_test(products_with_zeros_have_derivatives),
        cmocka_unit_test(ties_share_the_tangent_as_in_jax),   cmocka_unit_test(nextafter_has_no_derivative),
        cmocka_unit_test(generators_give_the_numbers_of_jax), cmocka_unit_test(sums_of_16_bit_floats_are_rounded_once),
        cmocka_unit_test(a_barrier_keeps_equal_work_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
