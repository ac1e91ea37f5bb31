/* SPDX-License-Identifier: Apache-2.0
 * test_conversions.c -- elements of every dtype as every other one: astype has NumPy's bits, lax.convert_element_type
 * XLA's, in every way there is to run it; also outside of the range of an integer. */
#include "base/dtype.h"
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 192, LENGTHS = 4, MOST_LENGTH = 300 };

/* A line of tests/golden/casts.txt or lax_casts.txt. */
typedef struct pair {
    kn_dtype from, to;
    int n;
    uint8_t in[16 * MOST], want[16 * MOST];
} pair;

typedef struct rule {
    const char *file;
    int pairs;
    void (*element)(kn_dtype from, const void *src, kn_dtype to, void *dst);
    kn_array (*array)(kn_array x, kn_dtype to);
} rule;
static kn_array by_numpy(kn_array x, kn_dtype to) { return kn_astype(x, to); }
static kn_array by_xla(kn_array x, kn_dtype to) { return kn_lax_convert_element_type(x, to); }
static const rule numpy = {"/golden/casts.txt", 14 * 13, knx_convert, by_numpy},
                  xla = {"/golden/lax_casts.txt", 15 * 14, knx_saturate, by_xla};

static const char *read_bits(kn_dtype d, const char *hex, uint8_t *to)
{
    const size_t size = knx_component(d)->size;
    for (size_t at = 0; at < d->size; at += size, hex += 2 * size) {
        char digits[17] = {0};
        uint8_t bytes[8];
        memcpy(digits, hex, 2 * size);
        uint64_t v = strtoull(digits, NULL, 16);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(v >> 8 * i);
        uint16_t probe = 1;
        for (size_t i = 0; i < size; i++)
            to[at + i] = *(uint8_t *)&probe ? bytes[i] : bytes[size - 1 - i];
    }
    return hex;
}

static bool read_pair(FILE *f, pair *p)
{
    static char line[16384];
    do
        if (!fgets(line, sizeof line, f))
            return false;
    while (*line == '#');
    char *end, *from = strtok_r(line, " \n", &end), *to = strtok_r(NULL, " \n", &end);
    p->from = knx_dtype_find(from);
    p->to = knx_dtype_find(to);
    assert_true(p->from && p->to);
    p->n = 0;
    for (char *w = strtok_r(NULL, " \n", &end); w; w = strtok_r(NULL, " \n", &end), p->n++) {
        assert_true(p->n < MOST);
        w = (char *)(uintptr_t)read_bits(p->from, w, p->in + p->n * p->from->size);
        read_bits(p->to, w + 1, p->want + p->n * p->to->size);
    }
    return true;
}

static bool is_nan(kn_dtype component, const uint8_t *p)
{
    double v = 0;
    if (knx_is_float(component))
        knx_convert(component, p, KN_DT(F64), &v);
    return isnan(v);
}

/* Bit for bit, all NaNs being equal. */
static void same_bits(const pair *p, int i, const uint8_t *got, const char *how)
{
    const uint8_t *want = p->want + i * p->to->size;
    kn_dtype c = knx_component(p->to);
    for (size_t at = 0; at < p->to->size; at += c->size)
        if (memcmp(got + at, want + at, c->size) && !(is_nan(c, got + at) && is_nan(c, want + at)))
            fail_msg("%s: %s to %s, number %d: %02x %02x...", how, p->from->name, p->to->name, i, got[0], got[1]);
}

/* Element i of y is made of number i % p->n. */
static void same_array(const pair *p, kn_array y, int n, const char *how)
{
    const uint8_t *got = kn_data_bytes(y, p->to);
    expect_no_error();
    for (int i = 0; i < n; i++)
        same_bits(p, i % p->n, got + (size_t)i * p->to->size, how);
}

static void of_elements(const rule *r, const pair *p)
{
    for (int i = 0; i < p->n; i++) {
        uint8_t got[16];
        r->element(p->from, p->in + i * p->from->size, p->to, got);
        same_bits(p, i, got, "an element");
    }
}

static kn_array repeated(const pair *p, int n)
{
    static uint8_t bytes[16 * MOST_LENGTH];
    for (int i = 0; i < n; i++)
        memcpy(bytes + (size_t)i * p->from->size, p->in + i % p->n * p->from->size, p->from->size);
    return kn_frombuffer(bytes, (size_t)n * p->from->size, .dtype = p->from);
}

static const int lengths[LENGTHS] = {1, 3, 37, MOST_LENGTH};

static void of_arrays(const rule *r, const pair *p)
{
    for (int k = 0; k < LENGTHS; k++) {
        KN_SCOPE;
        kn_array x = repeated(p, lengths[k]);
        same_array(p, r->array(x, p->to), lengths[k], "an array");
    }
    for (int i = 0; i < p->n; i += 5) { /* a view, and what stays alone */
        KN_SCOPE;
        pair one = *p;
        memcpy(one.want, p->want + i * p->to->size, p->to->size);
        one.n = 1;
        same_array(&one, r->array(kn_at(repeated(p, p->n), "%", i), p->to), 1, "a single element");
    }
}

/* What is recorded: the conversion of an array, and of a number that the recording knows. */
typedef struct env {
    kn_array (*array)(kn_array x, kn_dtype to);
    kn_dtype to;
    double number;
} env;
static kn_array converted(const env *e, const kn_array *x) { return e->array(*x, e->to); }
static kn_array number(const env *e, const kn_array *x)
{
    return kn_where(kn_equal(*x, *x), e->array(kn_scalar(e->number), e->to), kn_zeros(KN_SHAPE(1), .dtype = e->to));
}
KN_FUNCTION_ENV(converted, kn_array, env, kn_array)
KN_FUNCTION_ENV(number, kn_array, env, kn_array)

static void of_functions(const rule *r, const pair *p)
{
    KN_SCOPE;
    const env e = {r->array, p->to, 0};
    kn_array x = repeated(p, MOST_LENGTH), y;
    kn_call(kn_jit(KN_FN_ENV(converted, &e)), &y, &x);
    same_array(p, y, MOST_LENGTH, "jit");
    kn_call(kn_vmap(KN_FN_ENV(converted, &e)), &y, &x);
    same_array(p, y, MOST_LENGTH, "vmap");
    kn_array m = kn_reshape(kn_flip(x), KN_SHAPE(20, 15)); /* strided */
    kn_call(kn_jit(kn_vmap(KN_FN_ENV(converted, &e), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(1)})), &y, &m);
    same_array(p, kn_flip(kn_reshape(y, KN_SHAPE(MOST_LENGTH))), MOST_LENGTH, "vmap along columns");
    for (int i = 0; i < p->n && p->from == KN_DT(F64); i += 3) {
        KN_SCOPE;
        env known = e;
        pair one = *p;
        kn_array sure = kn_ones(KN_SHAPE(1));
        memcpy(&known.number, p->in + 8 * i, 8);
        memcpy(one.want, p->want + i * p->to->size, p->to->size);
        one.n = 1;
        kn_call(kn_jit(KN_FN_ENV(number, &known)), &y, &sure);
        same_array(&one, y, 1, "a known number");
    }
}

static void every_pair(const rule *r, void (*check)(const rule *r, const pair *p))
{
    char path[512];
    pair p;
    int pairs = 0;
    snprintf(path, sizeof path, "%s%s", KN_TEST_DIR, r->file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (; read_pair(f, &p); pairs++)
        check(r, &p);
    fclose(f);
    assert_int_equal(pairs, r->pairs);
}

static void elements_have_numpys_bits(void **state) { (void)state, every_pair(&numpy, of_elements); }
static void elements_have_xlas_bits(void **state) { (void)state, every_pair(&xla, of_elements); }
static void astype_has_numpys_bits(void **state) { (void)state, every_pair(&numpy, of_arrays); }
static void convert_element_type_has_xlas_bits(void **state) { (void)state, every_pair(&xla, of_arrays); }
static void astype_has_numpys_bits_in_functions(void **state) { (void)state, every_pair(&numpy, of_functions); }
static void convert_element_type_has_xlas_bits_in_functions(void **state)
{
    (void)state, every_pair(&xla, of_functions);
}

/* ---- What else converts. */

static void numbers_saturate_in_lax(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_lax_convert_element_type(NAN, KN_I32), 0);
    expect_values(kn_lax_convert_element_type(3e10, KN_U8), 255);
    expect_values(kn_lax_convert_element_type(-1, KN_U8), 255); /* integers wrap */
    expect_values(kn_lax_full(KN_SHAPE(2), 3e10, .dtype = KN_I32), 2147483647, 2147483647);
    expect_values(kn_lax_full(KN_SHAPE(2), NAN, .dtype = KN_I32), 0, 0);
    expect_values(kn_lax_full(KN_SHAPE(1), 300, .dtype = KN_U8), 44);
}

static void writes_into_integers_are_numpys(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(3), .dtype = KN_I32), v = kn_of(double, 1e30, NAN, -2.5);
    kn_set_at(x, v, ":");
    expect_values(x, -2147483648.0, -2147483648.0, -2);
    expect_values(kn_sum(kn_of(double, 1e30, 1), .dtype = KN_I32), -2147483647.0);
}

/* ---- Texts. */

static kn_array both_ways(const kn_array *x)
{
    return kn_stack(KN_LIST(kn_astype(*x, KN_I16), kn_lax_convert_element_type(*x, KN_I16)));
}
KN_FUNCTION(both_ways, kn_array, kn_array)

static void texts_say_which_and_are_read_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1e30, NAN, -40000, 2.5), y;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(both_ways), KN_ARGS(&x));
    for (int form = KN_JAXPR_CLASSIC; form <= KN_JAXPR_FULL; form++) {
        const char *text = kn_jaxpr_text(j, form), *at = strstr(text, "wraps=True");
        assert_non_null(at);
        assert_null(strstr(at + 1, "wraps=")); /* XLA's way is not mentioned */
        if (form == KN_JAXPR_TYPED)
            continue; /* which is not read back */
        kn_jaxpr back = form == KN_JAXPR_FULL ? kn_jaxpr_parse(text) : kn_jaxpr_parse_classic(text, KN_LIST(x));
        assert_true(kn_jaxpr_equal(j, back));
        kn_call(kn_fn_from_jaxpr(back), &y, &x);
        expect_values(y, 0, 0, 25536, 2, 32767, 0, -32768, 2);
    }
}

static void only_floats_to_integers_wrap(void **state)
{
    (void)state;
    for (int from = 0; from < KN_ID_KEY; from++)
        for (int to = 0; to < KN_ID_KEY; to++) {
            KN_SCOPE;
            const env e = {by_numpy, &knx_dtype_table[to], 0};
            kn_array x = kn_ones(KN_SHAPE(2), .dtype = &knx_dtype_table[from]);
            const char *text = kn_jaxpr_text(kn_make_jaxpr(KN_FN_ENV(converted, &e), KN_ARGS(&x)), KN_JAXPR_TYPED);
            assert_true(!strstr(text, "wraps") ==
                        !(knx_is_inexact(&knx_dtype_table[from]) && knx_is_integer(&knx_dtype_table[to])));
        }
}

KN_TEST_GROUP(test_conversions)
{
    const struct CMUnitTest tests[] = {
        TEST(elements_have_numpys_bits),
        TEST(elements_have_xlas_bits),
        TEST(astype_has_numpys_bits),
        TEST(convert_element_type_has_xlas_bits),
        TEST(astype_has_numpys_bits_in_functions),
        TEST(convert_element_type_has_xlas_bits_in_functions),
        TEST(numbers_saturate_in_lax),
        TEST(writes_into_integers_are_numpys),
        TEST(texts_say_which_and_are_read_back),
        TEST(only_floats_to_integers_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
