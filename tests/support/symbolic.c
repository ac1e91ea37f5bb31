/* SPDX-License-Identifier: Apache-2.0
 * symbolic.c -- see symbolic.h. */
#include "support/symbolic.h"
#include "array/handle.h"
#include "array/recording.h"
#include "array/storage.h"
#include "base/dim.h"
#include <stdio.h>
#include <stdlib.h>

/* "f32[b,t] i32[3] | b >= 2", read. */
typedef struct arguments {
    int n;
    kni_type type[SYMBOLIC_MAX_ARGS];
    int64_t dim[SYMBOLIC_MAX_ARGS][KN_MAX_NDIM];
} arguments;

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
        x[i] = kna_handle_new(KN_H_ARRAY, kna_recording_tracer(r, kna_recording_input(r, a->type[i], NULL)), drop_value);
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

/* The function's jaxpr, or its error: that of the public operation, or one that the scope was left with. */
static kni_jaxpr *record(const symbolic_case *c, knx_error **error)
{
    arguments a;
    knx_dim_scope dims;
    kni_atom out[SYMBOLIC_MAX_ARGS];
    int n = 0, arrays[SYMBOLIC_MAX_ARGS];
    kna_closed closed = {0};
    knx_dim_scope_init(&dims);
    read_arguments(c->types, &a, &dims);
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
    kni_jaxpr *j = record(c, &e);
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
    for (size_t i = 0; i < n; i++)
        wrong += !right(&c[i]);
    if (wrong) {
        fprintf(stderr, "%zu of %zu cases are wrong\n", wrong, n);
        fail();
    }
}
