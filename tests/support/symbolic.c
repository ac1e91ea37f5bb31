/* SPDX-License-Identifier: Apache-2.0
 * symbolic.c -- see symbolic.h. */
#include "support/symbolic.h"
#include "array/handle.h"
#include "array/recording.h"
#include "array/storage.h"
#include "base/dim.h"
#include <stdio.h>
#include <stdlib.h>

typedef symbolic_arguments arguments;
void (*symbolic_collect)(const symbolic_case *c, size_t n);

static void must(knx_error *e, const char *what)
{
    if (!e)
        return;
    fprintf(stderr, "%s: %s\n", what, e->message);
    knx_error_release(e);
    fail();
}

static const char *read_type(const char *at, arguments *a)
{
    char name[16];
    size_t n = strcspn(at, "[");
    assert_true(a->n < SYMBOLIC_MAX_ARGS && n < sizeof name);
    memcpy(name, at, n);
    name[n] = 0;
    int ndim = 0;
    for (at += n + 1; *at != ']'; at += *at == ',')
        must(knx_dim_parse(&at, &a->dim[a->n][ndim++]), name);
    a->type[a->n] = kni_type_of(knx_dtype_find(name), ndim, a->dim[a->n]);
    assert_non_null(a->type[a->n++].dtype);
    return at + 1;
}

/* Enters the scope as well: its constraints are there before it is in force. */
static void read_arguments(const char *text, arguments *a, knx_dim_scope *scope)
{
    const char *bar = strchr(text, '|');
    *a = (arguments){0};
    while (bar) {
        char one[128];
        const char *next = strchr(bar + 1, '|');
        snprintf(one, sizeof one, "%.*s", next ? (int)(next - bar - 1) : 127, bar + 1);
        must(knx_dim_constrain(scope, one + strspn(one, " ")), one);
        bar = next;
    }
    knx_dim_enter(scope);
    for (text += strspn(text, " "); *text && *text != '|'; text += strspn(text, " "))
        text = read_type(text, a);
}

static void drop_value(void *v) { kna_value_release(v); }

/* The results of a case as atoms; false: an error is pending. */
static bool call(const symbolic_case *c, kna_recording *r, const arguments *a, int *n, kni_atom *out)
{
    kn_array x[SYMBOLIC_MAX_ARGS], y[SYMBOLIC_MAX_ARGS];
    for (int i = 0; i < a->n; i++)
        x[i] =
            kna_handle_new(KN_H_ARRAY, kna_recording_tracer(r, kna_recording_input(r, a->type[i], NULL)), drop_value);
    void *result = c->f(x);
    kna_handle_kind kind = KN_H_NONE;
    kna_handle_peek(result, &kind);
    if (kn_error_pending())
        return false;
    *n = kind == KN_H_LIST ? (kn_list_count)(result) : 1;
    assert_in_range(*n, 0, SYMBOLIC_MAX_ARGS);
    for (int i = 0; i < *n; i++) {
        kna_value *v = NULL;
        y[i] = kind == KN_H_LIST ? (kn_list_get)(result, i) : result;
        must(kna_array_value(y[i], &v), c->name);
        must(kna_recording_atom(r, v, &out[i]), c->name);
        kna_value_release(v);
    }
    return true;
}

/* The function's jaxpr, or its error: that of the public operation, or one that the scope was left with. types: its own, with other
 * names perhaps. */
static kni_jaxpr *record(const symbolic_case *c, const char *types, knx_error **error)
{
    arguments a;
    knx_dim_scope dims;
    kni_atom out[SYMBOLIC_MAX_ARGS];
    int n = 0, arrays[SYMBOLIC_MAX_ARGS];
    kna_closed closed = {0};
    knx_dim_scope_init(&dims);
    read_arguments(types, &a, &dims);
    kna_recording *r = kna_recording_begin(c->name, "jit", false);
    assert_non_null(r);
    for (int i = 0; i < a.n; i++)
        arrays[i] = 1;
    r->n_args = a.n;
    r->arrays = arrays;
    kn_scope scope = kn_scope_begin();
    bool fine = call(c, r, &a, &n, out);
    kn_scope_end(&scope);
    *error = fine ? NULL : knx_error_new(kn_error_get_kind(), "%s", kn_error_message());
    kn_error_clear();
    if (fine)
        *error = kna_recording_end(r, n, out, &closed);
    else
        kna_recording_abort(r);
    knx_dim_leave(&dims);
    knx_error *left = knx_dim_take_error(&dims);
    if (*error)
        knx_error_release(left);
    else
        *error = left;
    knx_dim_scope_free(&dims);
    kni_jaxpr *j = *error ? NULL : kni_retain(closed.jaxpr);
    kna_closed_free(&closed);
    return j;
}

char *symbolic_text(const symbolic_case *c, char **types)
{
    knx_error *e;
    kni_jaxpr *j = record(c, c->types, &e);
    char *text = NULL;
    knx_str t = {0};
    if (e) {
        knx_str_printf(&t, "%s: %s", knx_error_kind_name(e->kind), e->message);
        *types = strdup(t.s);
        knx_error_release(e);
        knx_str_free(&t);
        return strdup(*types);
    }
    for (uint32_t i = 0; i < j->n_out; i++) {
        knx_text one = {0};
        knx_str_printf(&t, "%s%s", i ? " " : "", kni_type_text(&one, kni_out_type(j, i), false));
    }
    *types = strdup(t.s ? t.s : "");
    knx_str_free(&t);
    must(kni_text(j, KN_FORM_TYPED, &text), c->name);
    char *own = strdup(text);
    knx_free(text);
    kni_release(j);
    return own;
}

/* Whether the case gives what it wants. */
static bool right(const symbolic_case *c)
{
    char *types, *text = symbolic_text(c, &types);
    const char *colon = strstr(c->want, ": ");
    size_t kind = colon ? (size_t)(colon + 2 - c->want) : 0;
    bool ok = colon ? !strncmp(types, c->want, kind) && strstr(types + kind, c->want + kind) : !strcmp(types, c->want);
    if (!ok)
        fprintf(stderr, "%s(%s)\n  gives %s\n  wants %s\n", c->name, c->types, types, c->want);
    if (getenv("KILN_TEST_SHOW"))
        fprintf(stderr, "%s(%s) -> %s\n%s\n", c->name, c->types, types, text);
    free(text);
    free(types);
    return ok;
}

void symbolic_check(const symbolic_case *c, size_t n)
{
    size_t wrong = 0;
    if (symbolic_collect) {
        symbolic_collect(c, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        wrong += !right(&c[i]);
    if (wrong) {
        fprintf(stderr, "%zu of %zu cases are wrong\n", wrong, n);
        fail();
    }
}

/* ---- Values. */

/* "f32[b,4*t] | b >= 2" with these numbers for variables, which are one letter each: in another name, or as a number. */
static void name_extents(const char *types, const int64_t *number, char *out, size_t room)
{
    bool inside = false;
    size_t n = 0;
    for (const char *at = types; *at && n + 32 < room;) {
        size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        inside = *at == '[' || *at == '|' ? true : *at == ']' ? false : inside;
        if (inside && word == 1 && number)
            n += (size_t)snprintf(out + n, room - n, "%lld", (long long)number[*at - 'a']);
        else if (inside && word == 1)
            n += (size_t)snprintf(out + n, room - n, "dim_%c", *at);
        else
            for (size_t i = 0; i < (word ? word : 1); i++)
                out[n++] = at[i];
        at += word ? word : 1;
    }
    out[n] = 0;
}

/* The text of a jaxpr with numbers in the place of the expressions that are elements of a list, or all of it. */
static char *with_numbers(const char *text, const int64_t *number)
{
    knx_dim_value value[26];
    for (int i = 0; i < 26; i++) {
        char name[8];
        int64_t d;
        snprintf(name, sizeof name, "dim_%c", 'a' + i);
        assert_true(knx_dim_named(name, 5, &d) && knx_dim_is_var(d, &value[i].var));
        value[i].value = number[i];
    }
    knx_str out = {0};
    for (const char *at = text; *at;) {
        const char *end = at;
        int64_t d = 0, v;
        bool starts =
            at > text && (strchr("[(=", at[-1]) || (at[-1] == ',' && *at != ' ') || (at[-1] == ' ' && at[-2] == ','));
        knx_error *e = starts ? knx_dim_parse(&end, &d) : NULL;
        if (starts && !e && knx_is_symbolic(d) && knx_dim_evaluate(d, 26, value, &v)) {
            knx_str_printf(&out, "%lld", (long long)v);
            at = end;
        } else
            knx_str_printf(&out, "%c", *at++);
        knx_error_release(e);
    }
    char *own = strdup(out.s);
    knx_str_free(&out);
    return own;
}

kn_array symbolic_sample(kni_type t)
{
    kn_shape shape = {.ndim = t.ndim};
    for (int d = 0; d < t.ndim; d++)
        shape.dim[d] = t.dim[d];
    bool complex = t.dtype->kind == KN_KIND_COMPLEX, whole = !complex && t.dtype->kind != KN_KIND_FLOAT;
    int64_t n = kni_type_size(t) * (complex ? 2 : 1);
    double *v = malloc((size_t)n * sizeof *v + 1);
    for (int64_t i = 0; i < n; i++)
        v[i] = whole ? (double)(i * i % 3 % 2) : cos(1.7 * (double)i) + 0.01 * (double)(i % 1000);
    kn_array x = (kn_astype)((kn_from_memory)(v, &shape, complex ? KN_C128 : KN_F64), t.dtype, NULL);
    free(v);
    return x;
}

static bool same_values(kn_array x, kn_array y)
{
    if ((kn_shape_of)(x).ndim != (kn_shape_of)(y).ndim || (kn_dtype_of)(x) != (kn_dtype_of)(y))
        return false;
    for (int d = 0; d < (kn_shape_of)(x).ndim; d++)
        if ((kn_shape_of)(x).dim[d] != (kn_shape_of)(y).dim[d])
            return false;
    size_t n = (size_t)(kn_size)(x);
    double *p = malloc(n * sizeof *p + 1), *q = malloc(n * sizeof *q + 1);
    bool same = (kn_copy_to)((kn_astype)(x, KN_F64, NULL), p, n * sizeof *p) == 0 &&
                (kn_copy_to)((kn_astype)(y, KN_F64, NULL), q, n * sizeof *q) == 0;
    for (size_t i = 0; i < n && same; i++) {
        same = p[i] == q[i] || (isnan(p[i]) && isnan(q[i])) || fabs(p[i] - q[i]) <= 1e-4 * (1 + fabs(p[i]));
        if (!same)
            fprintf(stderr, "  element %zu is %g, not %g\n", i, p[i], q[i]);
    }
    free(p);
    free(q);
    return same;
}

/* Do the constraints hold for these numbers? */
static bool allowed(const char *types)
{
    knx_dim_scope s;
    bool fine = true;
    knx_dim_scope_init(&s);
    for (const char *bar = strchr(types, '|'); bar && fine; bar = strchr(bar + 1, '|')) {
        char one[128];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(bar + 1, "|"), bar + 1);
        knx_error *e = knx_dim_constrain(&s, one + strspn(one, " "));
        fine = !e;
        knx_error_release(e);
    }
    knx_dim_scope_free(&s);
    return fine;
}

bool symbolic_with_numbers(const char *text, const int64_t *number, arguments *a)
{
    char types[512];
    knx_dim_scope none;
    name_extents(text, number, types, sizeof types);
    if (!allowed(types))
        return false;
    types[strcspn(types, "|")] = 0;
    knx_dim_scope_init(&none);
    read_arguments(types, a, &none);
    knx_dim_leave(&none);
    knx_dim_scope_free(&none);
    for (int i = 0; i < a->n; i++)
        for (int d = 0; d < a->type[i].ndim; d++)
            if (a->dim[i][d] < 0)
                return false;
    return true;
}

/* 1: the same, 0: they differ, -1: not compared. */
static int compare_values(const symbolic_case *c, const char *text, const int64_t *number)
{
    arguments a;
    kn_array x[SYMBOLIC_MAX_ARGS], y[SYMBOLIC_MAX_ARGS] = {0};
    if (!symbolic_with_numbers(c->types, number, &a))
        return -1;
    for (int i = 0; i < a.n; i++)
        x[i] = symbolic_sample(a.type[i]);
    void *want = c->f(x);
    if (kn_error_pending()) { /* these numbers are not for this function */
        kn_error_clear();
        return -1;
    }
    kna_handle_kind kind = KN_H_NONE;
    kna_handle_peek(want, &kind);
    kn_args in = {.n = a.n};
    kn_outs out = {.n = kind == KN_H_LIST ? (kn_list_count)(want) : 1};
    for (int i = 0; i < a.n; i++)
        in.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    for (int i = 0; i < out.n; i++)
        out.part[i] = (kn_part){&y[i], sizeof y[i]};
    char *numbers = with_numbers(text, number);
    (kn_call)((kn_fn_from_jaxpr)((kn_jaxpr_parse)(numbers)), &out, &in);
    bool same = !kn_error_pending();
    for (int i = 0; i < out.n && same; i++)
        same = same_values(y[i], kind == KN_H_LIST ? (kn_list_get)(want, i) : want);
    if (!same) {
        fprintf(stderr, "%s(%s) differs (or failed: %s)\n%s\n", c->name, c->types, kn_error_message(), numbers);
        kn_error_clear();
    }
    free(numbers);
    return same;
}

void symbolic_check_values(const symbolic_case *c, size_t n)
{
    static const int64_t numbers[][26] = {
        /* a .. z */
        {2, 8, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2, 5, 3, 2, 2, 2, 2, 2},
        {1, 2, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1},
        {1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1},
        {3, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1, 1, 1, 1, 4, 2, 1, 1, 1, 1, 1}};
    size_t wrong = 0, compared = 0;
    if (symbolic_collect)
        return;
    for (size_t i = 0; i < n; i++) {
        char types[256], *text = NULL;
        knx_error *e;
        name_extents(c[i].types, NULL, types, sizeof types);
        kni_jaxpr *j = record(&c[i], types, &e);
        knx_error_release(e);
        if (j && !j->n_const) /* constants' values are not in a text */
            must(kni_text(j, KN_FORM_FULL, &text), c[i].name);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers && text; k++) {
            kn_scope scope = kn_scope_begin();
            int same = compare_values(&c[i], text, numbers[k]);
            kn_scope_end(&scope);
            wrong += same == 0;
            compared += same == 1;
        }
        knx_free(text);
        kni_release(j);
    }
    if (getenv("KILN_TEST_SHOW"))
        fprintf(stderr, "%zu comparisons\n", compared);
    if (wrong || !compared) {
        fprintf(stderr, "%zu comparisons of %zu are wrong\n", wrong, wrong + compared);
        fail();
    }
}
