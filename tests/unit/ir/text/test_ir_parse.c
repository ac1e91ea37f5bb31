/* SPDX-License-Identifier: Apache-2.0
 * test_ir_parse.c -- the full form: everything comes back, everything else is refused. */
#include "base/dim.h"
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include "support/nothing_stays.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define F32(...)     kni_type_of(KN_DT(F32), SHAPE(__VA_ARGS__))
#define TYPE(D, ...) kni_type_of(KN_DT(D), SHAPE(__VA_ARGS__))

static kni_jaxpr *finish(kni_builder *b, int n, const kni_atom *out, const char *name)
{
    kni_jaxpr *j;
    knx_error *e = knb_finish(b, n, out, name, false, &j);
    if (e)
        fail_msg("%s", e->message);
    return j;
}

static kni_jaxpr *parse(const char *text)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse(text, &j);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    e = kni_check(j);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    return j;
}

/* Prints, parses, compares with the original, prints again. Releases j. */
static void expect_round_trip(kni_jaxpr *j)
{
    char *text, *again;
    knx_error *e = kni_check(j);
    if (e)
        fail_msg("%s", e->message);
    assert_null(kni_text(j, KN_FORM_FULL, &text));
    kni_jaxpr *k = parse(text);
    if (!kni_equal(j, k))
        fail_msg("not equal:\n%s", text);
    assert_true(j->hash == k->hash);
    assert_string_equal(j->name, k->name);
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kn_place *p = j->eqn[i].place, *q = k->eqn[i].place;
        assert_int_equal(!p, !q);
        if (p) {
            assert_string_equal(p->file, q->file);
            assert_string_equal(p->function, q->function);
            assert_int_equal(p->line, q->line);
        }
    }
    assert_null(kni_text(k, KN_FORM_FULL, &again));
    assert_string_equal(text, again);
    knx_free(text);
    knx_free(again);
    kni_release(j);
    kni_release(k);
}

static void the_text(void **state)
{
    (void)state;
    static const kn_place place = {"dir/my \"file\".c", 12, "main"};
    kni_builder b;
    char *text;
    knb_init(&b);
    kni_type weak = kni_scalar_type(KN_DT(F64));
    weak.weak = true;
    kni_atom c = knb_constvar(&b, F32(2)), x = knb_invar(&b, F32(2)), w = knb_invar(&b, weak);
    kni_atom y = knb_add(&b, x, c);
    b.place = &place;
    y = knb_reduce_sum(&b, knb_mul(&b, y, knb_number(&b, KN_DT(F32), 0.1)), SHAPE(0));
    kni_atom out[] = {y, w};
    kni_jaxpr *j = finish(&b, 2, out, "my f");
    assert_null(kni_text_consts(j, KN_FORM_FULL, (const char *[]){"[1, \"2\"]\n"}, &text));
    assert_string_equal(text, "{ lambda \"my f\" a:f32[2]=\"[1, \\\"2\\\"]\\n\"; b:f32[2] c:f64[]*. let\n"
                              "    d:f32[2] = add b a;\n"
                              "    e:f32[2] = mul d 0.1:f32[] @\"dir/my \\\"file\\\".c\":12:\"main\";\n"
                              "    f:f32[] = reduce_sum[axes=(0,)] e @\"dir/my \\\"file\\\".c\":12:\"main\"\n"
                              "  in (f, c) }");
    kni_jaxpr *k;
    char **consts;
    assert_null(kni_parse_consts(text, &k, &consts));
    assert_string_equal(consts[0], "[1, \"2\"]\n");
    assert_true(kni_equal(j, k));
    knx_free(consts);
    knx_free(text);
    kni_release(k);
    expect_round_trip(j);
}

/* One equation of each primitive that has parameters, and some more. */
static kni_jaxpr *everything(kni_jaxpr *f)
{
    kni_builder b;
    int64_t zero[] = {0}, one[] = {1}, sizes[] = {1, 3};
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(5, 3)), i = knb_invar(&b, TYPE(I32, 2, 1)),
             n = knb_invar(&b, kni_scalar_type(KN_DT(I32)));
    kni_atom key = knb_invar(&b, kni_scalar_type(KN_DT(KEY))), u = knb_invar(&b, TYPE(U32, 2)),
             z = knb_invar(&b, TYPE(C64, 3));
    kni_atom out[64], *o = out;
    kni_p_gather take = {.offset_dims = {1, one},
                         .collapsed_slice_dims = {1, zero},
                         .start_index_map = {1, zero},
                         .slice_sizes = {2, sizes},
                         .mode = KN_GATHER_CHECK,
                         .indices_are_sorted = true};
    kni_p_scatter put = {.update_window_dims = {1, one},
                         .inserted_window_dims = {1, zero},
                         .scatter_dims_to_operand_dims = {1, zero},
                         .mode = KN_GATHER_CLIP,
                         .unique_indices = true};
    kni_p_dot_general dot = {{1, one}, {1, one}, {0}, {0}, KN_DT(F32)};
    kni_atom rows = knb_gather(&b, x, i, &take), part;
    *o++ = knb_scatter_add(&b, x, i, rows, &put);
    *o++ = knb_dot_general(&b, x, x, &dot);
    dot.preferred_element_type = NULL;
    *o++ = knb_dot_general(&b, x, x, &dot);
    *o++ = knb_reduce_sum(&b, x, SHAPE(0, 1));
    *o++ = knb_reduce_min(&b, x, 0, NULL);
    *o++ = knb_reduce_and(&b, knb_lt(&b, x, knb_number(&b, KN_DT(F32), 0)), SHAPE(1));
    *o++ = knb_argmin(&b, x, 1, KN_DT(I64));
    *o++ = knb_broadcast_to(&b, x, F32(2, 5, 3));
    *o++ = knb_reshape(&b, x, SHAPE(15));
    *o++ = knb_transpose(&b, x, (int64_t[]){1, 0});
    *o++ = knb_rev(&b, x, SHAPE(0));
    *o++ = knb_slice(&b, x, (int64_t[]){0, 1}, (int64_t[]){4, 3}, (int64_t[]){2, 1});
    *o++ = knb_slice(&b, x, (int64_t[]){0, 1}, (int64_t[]){4, 3}, NULL);
    *o++ = knb_concatenate(&b, 2, (kni_atom[]){x, x}, 1);
    *o++ = knb_pad(&b, x, knb_number(&b, KN_DT(F32), 0), (int64_t[]){-1, 2}, (int64_t[]){0, 1}, (int64_t[]){0, 3});
    *o++ = knb_iota(&b, KN_DT(U8), SHAPE(3, 2), 1);
    *o++ = knb_convert(&b, x, KN_DT(BF16));
    *o++ = knb_bitcast(&b, x, KN_DT(I32));
    *o++ = knb_integer_pow(&b, x, -3);
    *o++ = part = knb_dynamic_slice(&b, x, (kni_atom[]){n, n}, (int64_t[]){2, 2});
    *o++ = knb_dynamic_update_slice(&b, x, part, (kni_atom[]){n, n});
    *o++ = knb_random_bits(&b, key, 32, SHAPE(2, 3));
    *o++ = knb_random_wrap(&b, u);
    *o++ = knb_random_unwrap(&b, key);
    *o++ = knb_select(&b, knb_gt(&b, x, knb_number(&b, KN_DT(F32), 0)), x, knb_number(&b, KN_DT(F32), -1));
    *o++ = knb_complex(&b, knb_real(&b, z), knb_imag(&b, knb_conj(&b, z)));
    *o++ = knb_expand_dims(&b, x, 0);
    knb_sort(&b, 2, (kni_atom[]){x, x}, 0, 1, o);
    o += 2;
    for (int twice = 0; f && twice < 2; twice++)
        knb_jit(&b, twice ? "g" : "<lambda>", f, 0, &x, o), o += 1;
    if (b.error)
        fail_msg("%s", b.error->message);
    return finish(&b, (int)(o - out), out, "everything");
}

static kni_jaxpr *small(const char *name)
{
    kni_builder b;
    knb_init(&b);
    kni_atom y = knb_tanh(&b, knb_invar(&b, F32(5, 3)));
    return finish(&b, 1, &y, name);
}

static void all_primitives_with_parameters(void **state)
{
    (void)state;
    kni_jaxpr *f = small("f"), *j = everything(f), *outer;
    kni_retain(j);
    expect_round_trip(j);
    kni_builder b;
    kni_atom in[8], out[64];
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        in[i] = knb_invar(&b, kni_in_type(j, i));
    knb_jit(&b, "everything", j, 0, in, out);
    outer = finish(&b, (int)j->n_out, out, "");
    expect_round_trip(outer);
    kni_release(j);
    kni_release(f);
}

static void deep_sharing_stays_small(void **state)
{
    (void)state;
    kni_jaxpr *f = small("f");
    for (int depth = 0; depth < 40; depth++) { /* 2^40 calls */
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(5, 3)), y;
        knb_jit(&b, "f", f, 0, &x, &y);
        knb_jit(&b, "f", f, 0, &y, &y);
        kni_jaxpr *g = finish(&b, 1, &y, "g");
        kni_release(f);
        f = g;
    }
    char *text;
    assert_null(kni_text(f, KN_FORM_TYPED, &text));
    assert_true(strlen(text) < 20000);
    knx_free(text);
    expect_round_trip(f);
}

static void literals_keep_their_bits(void **state)
{
    (void)state;
    static const double numbers[] = {0,     -0.0, 0.1, 1e-45, 1.5, 3.4028234663852886e38, 1e300, 5e-324,
                                     65504, 6e-8, -1,  255,   1e22};
    kni_builder b;
    kni_atom out[400];
    int n = 0;
    knb_init(&b);
    for (int id = 0; id < KN_ID_COUNT; id++) {
        kn_dtype d = &knx_dtype_table[id];
        for (size_t i = 0; d->kind != KN_KIND_KEY && i < sizeof numbers / sizeof *numbers; i++)
            out[n++] = knb_literal(&b, d, i % 2, knx_scalar_from_double(d, numbers[i]));
        for (int k = 0; k < 6; k++) { /* any bits: NaNs with payloads, signs, keys */
            knx_scalar_bits bits = {.u = {0}};
            uint64_t r = 0x9e3779b97f4a7c15u * (uint64_t)(k * 31 + id + 1);
            uint64_t words[] = {k == 0   ? UINT64_MAX
                                : k == 1 ? 0x7ff8000000000001u
                                : k == 2 ? 0x7fc000017fc00001u
                                         : r,
                                r >> 7 | r << 57};
            memcpy(&bits, words, d->size);
            if (d->kind == KN_KIND_BOOL)
                bits.u8 &= 1;
            out[n++] = knb_literal(&b, d, false, bits);
        }
    }
    out[n++] = knb_integer(&b, KN_DT(I64), INT64_MIN);
    out[n++] = knb_integer(&b, KN_DT(U64), -1);
    out[n++] = knb_integer(&b, KN_DT(I64), ((int64_t)1 << 53) + 1);
    expect_round_trip(finish(&b, n, out, ""));
}

static void names_skip_the_words_of_the_form(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1));
    for (int i = 0; i < 10000; i++) /* past `in`, `inf`, `let`, `nan` */
        x = knb_neg(&b, x);
    expect_round_trip(finish(&b, 1, &x, "in"));
}

static void types_of_any_rank_and_extent(void **state)
{
    (void)state;
    kni_builder b;
    int64_t dim[KN_MAX_NDIM];
    knb_init(&b);
    for (int i = 0; i < KN_MAX_NDIM; i++)
        dim[i] = i ? 1 : 0;
    dim[63] = (int64_t)1 << 30;
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(I8), KN_MAX_NDIM, dim)), y = knb_invar(&b, F32(0));
    expect_round_trip(finish(&b, 2, (kni_atom[]){x, y}, ""));
}

static void blanks_do_not_matter(void **state)
{
    (void)state;
    kni_jaxpr *a = parse("{lambda;a:f32[2].let b:f32[2]=sin a;c:f32[]=reduce_sum[axes=(0)]b in(c)}");
    kni_jaxpr *b = parse("\n{ lambda ;\t a : f32 [ 2 ] . let\n b:f32[2] = sin a ; c:f32[] = reduce_sum [ axes = ( 0 , "
                         ") ] b in ( c , ) } \n");
    assert_true(kni_equal(a, b));
    kni_release(a);
    kni_release(b);
}

static void faults_are_named_with_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: expected '{' before the end"},
        {"{ lambda ; a:f32[2]. let\n  b:f32[2] = sin c\n in (b,) }", "line 2, column 18: c is not bound"},
        {"{ lambda ; a:f32[2]. let\n  b:f32[3] = sin a\n in (b,) }", "line 2, column 3: sin gives f32[2], not f32[3]"},
        {"{ lambda ; a:f32[2]. let\n  b:f32[2]* = sin a\n in (b,) }",
         "line 2, column 3: sin gives f32[2], not f32[2]*"},
        {"{ lambda ; a:f32[2]. let b:f32[2] = sine a in (b,) }", "line 1, column 37: there is no primitive sine"},
        {"{ lambda ; a:f32[2] a:f32[2]. let in (a,) }", "line 1, column 21: a is bound twice"},
        {"{ lambda ; a:f32[2]. let a:f32[2] = sin a in (a,) }", "line 1, column 26: a is bound twice"},
        {"{ lambda ; a:f31[2]. let in (a,) }", "line 1, column 14: `f31` is no dtype"},
        {"{ lambda ; a:f32[-2]. let in (a,) }", "line 1, column 14: a negative extent"},
        {"{ lambda ; a:f32[99999999999999999999]. let in (a,) }", "line 1, column 18: expected an integer of 64 bits"},
        {"{ lambda ; in:f32[]. let in (in,) }", "line 1, column 12: expected a variable"},
        {"{ lambda ; . let in (1.5:i32[],) }", "line 1, column 23: this is no literal of type int32"},
        {"{ lambda ; . let in (300:u8[],) }", "line 1, column 25: this is no literal of type uint8"},
        {"{ lambda ; . let in (1:f32[1],) }", "line 1, column 22: this is no literal of type scalar"},
        {"{ lambda ; . let in (bits(0x100):u8[],) }", "line 1, column 33: this is no literal of type uint8"},
        {"{ lambda ; . let in () } x", "line 1, column 26: text behind the jaxpr"},
        {"{ lambda ; . let in () ", "line 1, column 24: expected '}' before the end"},
        {"{ lambda \"f; . let in () }", "line 1, column 27: expected '\"' before the end"},
        {"{ lambda ; a:f32[2]. let b:f32[] = reduce_sum a in (b,) }",
         "line 1, column 46: parameter axes of reduce_sum is missing"},
        {"{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axis=(0,)] a in (b,) }",
         "line 1, column 47: reduce_sum has no such parameter"},
        {"{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axes=(0,) axes=(0,)] a in (b,) }",
         "line 1, column 57: parameter axes is given twice"},
        {"{ lambda ; a:f32[2]. let b:f32[2] = sin[x=1] a in (b,) }", "line 1, column 41: sin has no such parameter"},
        {"{ lambda ; a:f32[2]. let b:f32[2] = sin a a in (b,) }", "line 1, column 37: sin takes 1 operands, not 2"},
        {"{ lambda ; a:f32[2]. let b:f32[2] c:f32[2] = sin a in (b,) }", "line 1, column 46: sin has 1 results, not 2"},
        {"{ lambda ; a:f32[2]. let sin a in (b,) }",
         "line 1, column 26: sin has 1 results, where at most 0 were expected"},
        {"{ lambda ; a:f32[2]=\"1\". let in (a,) }", "line 1, column 12: an input has no value"},
        {"{ lambda ; a:f32[2]. let b:f32[2] = jit[name=\"f\" jaxpr=$1] a in (b,) }",
         "line 1, column 56: there is no such jaxpr"},
        {"let x = { lambda ; . let in () } in { lambda ; . let in () }",
         "line 1, column 5: expected a name that begins with $"},
        {"{ lambda ; a:f32[4611686018427387904,8]. let in (a,) }",
         "line 1, column 12: array of shape (4611686018427387904,8) and dtype float32 is too large"},
        {"{ lambda ; a:i32[2]. let b:i32[2] = convert_element_type[new_dtype=None weak_type=False] a in (b,) }",
         "line 1, column 68: `` is no dtype"},
        {"{ lambda ; a:f32[2]. let b:f32[2] = sin a @\"f\":9999999999:\"g\" in (b,) }",
         "line 1, column 44: an impossible line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kni_jaxpr *j;
        knx_error *e = kni_parse(cases[i].text, &j);
        if (!e)
            fail_msg("parsed: %s", cases[i].text);
        assert_null(j);
        assert_string_equal(e->message, cases[i].message);
        knx_error_release(e);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    static const char open[] = "{lambda;.let jit[name=\"f\" jaxpr=";
    char *text = malloc(DEPTH * (sizeof open - 1) + 1);
    assert_non_null(text);
    for (int i = 0; i < DEPTH; i++)
        memcpy(text + (size_t)i * (sizeof open - 1), open, sizeof open);
    kni_jaxpr *j;
    knx_error *e = kni_parse(text, &j);
    assert_non_null(strstr(e->message, "nested more than 100 deep"));
    knx_error_release(e);
    free(text);
}

/* Fuzzing: the same mutations on every run. */

static uint64_t random_state = 1;
static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static void mutate(char *text, size_t *n, size_t cap)
{
    static const char bytes[] = "{}()[];:,.=\"@$*\\<>-_ \n0123456789abcdefilnorstuxNT\x01\xff";
    size_t at = next_random((uint32_t)*n), len = next_random(8) + 1u;
    switch (next_random(5)) {
    case 0: text[at] = bytes[next_random(sizeof bytes - 1)]; break;
    case 1: /* cut */
        len = at + len > *n ? *n - at : len;
        memmove(text + at, text + at + len, *n - at - len + 1);
        *n -= len;
        break;
    case 2: /* repeat */
        if (*n + len < cap && at + len <= *n) {
            memmove(text + at + len, text + at, *n - at + 1);
            *n += len;
        }
        break;
    case 3: /* copy from elsewhere */
        for (size_t i = 0, from = next_random((uint32_t)*n); i < len && at + i < *n && from + i < *n; i++)
            text[at + i] = text[from + i];
        break;
    default: /* a big number */
        for (size_t i = 0; i < len && at + i < *n; i++)
            text[at + i] = (char)('0' + next_random(10));
    }
}

static void mutated_texts_do_no_harm(void **state)
{
    (void)state;
    kni_jaxpr *f = small("f"), *j = everything(f);
    char *text, *buffer;
    int parsed = 0;
    assert_null(kni_text(j, KN_FORM_FULL, &text));
    size_t length = strlen(text), cap = 2 * length;
    buffer = malloc(cap + 1);
    assert_non_null(buffer);
    for (int i = 0; i < 4000; i++) {
        size_t n = length;
        memcpy(buffer, text, length + 1);
        for (uint32_t k = next_random(4) + 1; k-- && n > 1;)
            mutate(buffer, &n, cap);
        if (i % 10 == 0)
            buffer[n = next_random((uint32_t)n)] = '\0';
        kni_jaxpr *k;
        knx_error *e = kni_parse(buffer, &k);
        assert_int_equal(!e, !!k);
        if (e) {
            assert_memory_equal(e->message, "line ", 5);
            knx_error_release(e);
            continue;
        }
        parsed++;
        expect_round_trip(k);
    }
    assert_true(parsed > 0 && parsed < 2000);
    free(buffer);
    knx_free(text);
    kni_release(j);
    kni_release(f);
}

KN_TEST_GROUP(test_ir_parse)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_text),
        TEST(all_primitives_with_parameters),
        TEST(deep_sharing_stays_small),
        TEST(literals_keep_their_bits),
        TEST(names_skip_the_words_of_the_form),
        TEST(types_of_any_rank_and_extent),
        TEST(blanks_do_not_matter),
        TEST(faults_are_named_with_line_and_column),
        TEST(nesting_is_bounded),
        TEST(mutated_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
