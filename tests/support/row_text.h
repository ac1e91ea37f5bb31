/* SPDX-License-Identifier: Apache-2.0
 * row_text.h -- rules of a row called alone, on operands given as texts; what they write as one line. */
#ifndef KN_TEST_ROW_TEXT_H
#define KN_TEST_ROW_TEXT_H
#include "ir/ops.h"
#include "ir/prim.h"
#include "prim/rules.h"
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
static inline operand parse(const char *text, int slot)
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

static inline kni_atom make(kni_builder *b, operand o)
{
    return o.literal ? knb_number(b, o.type.dtype, o.value) : knb_invar(b, o.type);
}

/* The equations of b with these results as one line: "a:f32[3] b:f32[3] -> c:f32[3] = add a b; c". */
static inline char *finish(kni_builder *b, int n, const kni_atom *y)
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

static inline void same_text(const char *file, int line, char *got, const char *expected)
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
static inline void begin(bench *w, const kni_prim *p, const void *params, const char *const *text, bool with_results,
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
static inline char *jvp(const kni_prim *p, const void *params, const char *const *text)
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

static inline char *transposed(const kni_prim *p, const void *params, const char *const *text)
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
static inline char *batched(const kni_prim *p, const void *params, const char *const *text)
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
static inline char *typed(const kni_prim *p, const void *params, const char *const *text)
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
#endif
