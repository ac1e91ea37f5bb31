/* SPDX-License-Identifier: Apache-2.0
 * test_jaxpr_document.c -- the ten examples of the document that introduced jaxprs, in February 2020: the programs come
 * out as its texts, word for word, and the texts are read back. */
#include "support/expect.h"
#include "support/group.h"

/* ---- The texts, as they stand there; two lack the semicolon. */

/* clang-format off */
static const char func1_text[] =
    "{ lambda ; a b.\n"
    "let c = sin b\n"
    "d = mul c 3.0\n"
    "e = add a d\n"
    "f = reduce_sum[ axes=(0,)\n"
    "input_shape=(8,) ] e\n"
    "in f }";
static const char func4_text[] =
    "{ lambda a b.\n"
    "let c = sin b\n"
    "d = mul c 3.0\n"
    "e = add a d\n"
    "f = reduce_sum[ axes=(0,)\n"
    "input_shape=(8,) ] e\n"
    "in f }";
static const char func6_text[] =
    "{ lambda b d a.\n"
    "let c = add a b\n"
    "e = sub c d\n"
    "in e }";
static const char func7_text[] =
    "{ lambda ; a.\n"
    "let b = ge a 0.0\n"
    "c = cond[ false_jaxpr={ lambda ; a.\n"
    "let b = sub a 3.0\n"
    "in b } linear=(False, False) true_jaxpr={ lambda ; a.\n"
    "let b = add a 3.0\n"
    "in b } ] b a a\n"
    "in c }";
static const char func8_text[] =
    "{ lambda e ; a b c.\n"
    "let d = ge a 0.0\n"
    "f = cond[ false_jaxpr={ lambda ; c a b.\n"
    "let d = add c b\n"
    "in d } linear=(False, False, False, False, False) true_jaxpr={ lambda ; a b.\n"
    "let\n"
    "in a } ] d b c e b c\n"
    "in f }";
static const char func10_text[] =
    "{ lambda c d ; a b.\n"
    "let e = add a d\n"
    "f g h = while[ body_jaxpr={ lambda ; e g a b c.\n"
    "let d = add a 1\n"
    "f = add c e\n"
    "h = add f g\n"
    "in (d, b, h) } body_nconsts=2 cond_jaxpr={ lambda ; a b c.\n"
    "let d = lt a b\n"
    "in d } cond_nconsts=0 ] c a 0 b e\n"
    "in h }";
static const char func11_text[] =
    "{ lambda c ; a b.\n"
    "let d e = scan[ forward=True jaxpr={ lambda ; a b c d e.\n"
    "let f = mul c e\n"
    "g = add b f\n"
    "h = add g a\n"
    "in (h, b) } length=16 linear=(False, False, False, True, False) num_carry=1 num_consts=1 ] b 0.0 a * c\n"
    "in (d, e) }";
static const char func12_text[] =
    "{ lambda b ; a.\n"
    "let c = sub a 2.0\n"
    "d = xla_call[ backend=None call_jaxpr={ lambda ; c b a.\n"
    "let d = mul b c\n"
    "e = add a d\n"
    "in e } device=None name=inner ] b a c\n"
    "e = add a d\n"
    "in e }";
static const char func13_text[] =
    "{ lambda c ; a b.\n"
    "let d = xla_pmap[ axis_name=rows axis_size=1 backend=None call_jaxpr={ lambda ; d b a.\n"
    "let c = add a b\n"
    "e = add c d\n"
    "f = psum[ axis_name=rows ] a\n"
    "g = div e f\n"
    "in g } devices=None global_axis_size=None mapped_invars=(True, False, True) name=inner ] c b a\n"
    "in d }";
/* clang-format on */

/* ---- The programs. */

typedef struct {
    kn_array first, second;
} Pair;
static kn_array func1(const kn_array *first, const kn_array *second)
{
    return kn_sum(kn_add(*first, kn_mul(kn_sin(*second), 3.0)));
}
static kn_array func4(const Pair *arg) { return func1(&arg->first, &arg->second); }
static kn_array func6(const kn_array *first)
{
    kn_array ones = kn_ones(KN_SHAPE(8));
    return kn_sub(kn_add(*first, kn_mul(kn_sin(ones), 3.0)), ones);
}
static kn_array plus3(const kn_array *x) { return kn_add(*x, 3.0); }
static kn_array minus3(const kn_array *x) { return kn_sub(*x, 3.0); }
KN_FUNCTION(func1, kn_array, kn_array, kn_array)
KN_FUNCTION(func4, kn_array, Pair)
KN_FUNCTION(func6, kn_array, kn_array)
KN_FUNCTION(plus3, kn_array, kn_array)
KN_FUNCTION(minus3, kn_array, kn_array)
static kn_array func7(const kn_array *arg)
{
    kn_array out = NULL;
    kn_cond_each(kn_greater_equal(*arg, 0.0), arg, KN_FN(plus3), arg, KN_FN(minus3), &out);
    return out;
}
KN_FUNCTION(func7, kn_array, kn_array)

static kn_array take_first(const Pair *x) { return x->first; }
static kn_array one_and_second(const Pair *x) { return kn_add(kn_ones(KN_SHAPE(1)), x->second); }
KN_FUNCTION(take_first, kn_array, Pair)
KN_FUNCTION(one_and_second, kn_array, Pair)
static kn_array func8(const kn_array *arg1, const Pair *arg2)
{
    kn_array out = NULL;
    kn_cond_each(kn_greater_equal(*arg1, 0.0), arg2, KN_FN(take_first), arg2, KN_FN(one_and_second), &out);
    return out;
}
KN_FUNCTION(func8, kn_array, kn_array, Pair)

typedef struct {
    kn_array ones, arg;
} Captured;
static kn_array accumulate(const Captured *env, const kn_array *i, const kn_array *carry)
{
    (void)i;
    return kn_add(kn_add(*carry, kn_mul(env->ones, 3.0)), env->arg);
}
KN_CLOSURE(accumulate, kn_array, Captured, kn_array, kn_array)
static kn_array func10(const kn_array *arg, const kn_array *n)
{
    Captured env = {kn_ones(KN_SHAPE(16)), *arg};
    kn_array start = kn_add(*arg, env.ones), out = NULL;
    kn_fori_loop(0, *n, KN_CLOSE(accumulate, &env), &out, &start);
    return out;
}
KN_FUNCTION(func10, kn_array, kn_array, kn_array)

typedef struct {
    kn_array carry, y;
} DotStep;
static DotStep dot_step(const kn_array *extra, const kn_array *carry, const Pair *elems)
{
    return (DotStep){kn_add(kn_add(*carry, kn_mul(elems->first, elems->second)), *extra), *carry};
}
KN_CLOSURE(dot_step, DotStep, kn_array, kn_array, Pair)
static DotStep func11(const kn_array *arr, const kn_array *extra)
{
    Pair xs = {*arr, kn_ones(KN_SHAPE(16))};
    kn_array start = kn_scalar(0.0);
    DotStep out = {0};
    kn_scan(KN_CLOSE(dot_step, extra), &out, &start, &xs);
    return out;
}
KN_FUNCTION(func11, DotStep, kn_array, kn_array)

static kn_array inner(const kn_array *arg, const kn_array *x) { return kn_add(*x, kn_mul(*arg, kn_ones(KN_SHAPE(1)))); }
KN_CLOSURE(inner, kn_array, kn_array, kn_array)
static kn_array func12(const kn_array *arg)
{
    kn_array x = kn_sub(*arg, 2.0), out = NULL;
    kn_call(kn_jit(KN_CLOSE(inner, arg)), &out, &x);
    return kn_add(*arg, out);
}
KN_FUNCTION(func12, kn_array, kn_array)

/* ---- Comparing. */

/* Blanks and new lines are one blank; misprint: a semicolon that only one of them has does not count. */
static bool same_words(const char *a, const char *b, bool misprint)
{
    for (;;) {
        a += strspn(a, " \n");
        b += strspn(b, " \n");
        if (misprint && *a == ';' && *b != ';')
            a++;
        else if (*a != *b)
            return false;
        else if (!*a)
            return true;
        else
            a++, b++;
    }
}

static void check(kn_jaxpr j, const char *text)
{
    bool misprint = !strstr(text, " ;") || strstr(text, " ;") > strchr(text, '.');
    const char *got = kn_jaxpr_text(j, KN_JAXPR_CLASSIC);
    if (!same_words(got, text, misprint))
        fail_msg("the document has\n%s\nbut Kiln has\n%s\n%s", text, got, kn_error_message());
}

static void check_made(kn_fn fn, const kn_args *args, const char *text)
{
    check(kn_make_jaxpr(fn, args, .fold = true), text);
}

static kn_array ones(kn_shape shape) { return kn_ones(shape, .dtype = KN_F32); }

static void programs_come_out_as_the_texts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_dtype before = kn_set_default_float(KN_F32);
    kn_array v8 = ones(KN_SHAPE(8)), v16 = ones(KN_SHAPE(16)), five = kn_scalar(5.0f), n = kn_scalar(5);
    Pair pair = {v8, v8}, mixed = {ones(KN_SHAPE(1)), kn_scalar(2.0f)};
    check_made(KN_FN(func1), KN_ARGS(&v8, &v8), func1_text);
    check_made(KN_FN(func4), KN_ARGS(&pair), func4_text);
    check_made(KN_FN(func6), KN_ARGS(&v8), func6_text);
    check_made(KN_FN(func7), KN_ARGS(&five), func7_text);
    check_made(KN_FN(func8), KN_ARGS(&five, &mixed), func8_text);
    check_made(KN_FN(func10), KN_ARGS(&v16, &n), func10_text);
    check_made(KN_FN(func11), KN_ARGS(&v16, &five), func11_text);
    check_made(KN_FN(func12), KN_ARGS(&five), func12_text);
    kn_set_default_float(before);
}

static void check_read(const char *text, kn_list examples)
{
    kn_jaxpr j = kn_jaxpr_parse_classic(text, examples);
    if (kn_error_pending())
        fail_msg("%s in\n%s", kn_error_message(), text);
    check(j, text);
}

static void texts_are_read_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v8 = ones(KN_SHAPE(8)), v16 = ones(KN_SHAPE(16)), one = ones(KN_SHAPE(1)), s = kn_scalar(5.0f);
    kn_array n = kn_astype(kn_scalar(5), KN_I32), row = ones(KN_SHAPE(1, 3));
    check_read(func1_text, KN_LIST(v8, v8));
    check_read(func4_text, KN_LIST(v8, v8));
    check_read(func6_text, KN_LIST(v8, v8, v8));
    check_read(func7_text, KN_LIST(s));
    check_read(func8_text, KN_LIST(one, s, one, s));
    check_read(func10_text, KN_LIST(v16, v16, v16, n));
    check_read(func11_text, KN_LIST(v16, v16, s));
    check_read(func12_text, KN_LIST(one, s));
    check_read(func13_text, KN_LIST(one, row, s));
}

static void a_pmap_runs_its_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = ones(KN_SHAPE(1)), row = kn_reshape(kn_of(float, 1, 2, 4), KN_SHAPE(1, 3)), s = kn_scalar(5.0f), y;
    kn_fn f = kn_fn_from_jaxpr(kn_jaxpr_parse_classic(func13_text, KN_LIST(one, row, s)));
    kn_call(f, &y, &row, &s);
    expect_values(y, 7, 4, 2.5); /* (x + 5 + 1) / x */
}

KN_TEST_GROUP(test_jaxpr_document)
{
    const struct CMUnitTest tests[] = {TEST(programs_come_out_as_the_texts), TEST(texts_are_read_back),
                                       TEST(a_pmap_runs_its_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
