/* SPDX-License-Identifier: Apache-2.0
 * test_rule_dims.c -- rules of rows over extents that are expressions: what becomes of the jaxprs of dims/FAMILY.txt
 * (support/dim_cases.h). Without a sample the scope refuses, with one it assumes, and its guards stand behind the jaxprs.
 * KILN_WRITE_CASES=1 writes the outcomes into the files. */
#include "support/dim_cases.h"
#include "support/group.h"
#include "support/nothing_stays.h"

enum { ROOM = 1 << 16 };

typedef struct outcome {
    char text[ROOM];
    size_t n;
} outcome;

static void add(outcome *o, const char *text)
{
    size_t n = strlen(text);
    assert_true(o->n + n < ROOM);
    memcpy(o->text + o->n, text, n + 1);
    o->n += n;
}

static void add_jaxpr(outcome *o, const kni_jaxpr *j)
{
    char *text = NULL;
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    add(o, text);
    add(o, "\n");
    knx_free(text);
}

static void add_types(outcome *o, const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_out; i++) {
        knx_text t = {0};
        add(o, kni_type_text(&t, kni_out_type(j, i), false));
        add(o, "\n");
    }
}

static void add_error(outcome *o, knx_error *e)
{
    if (!e)
        return;
    add(o, knx_error_kind_name(e->kind));
    add(o, ": ");
    add(o, e->message);
    add(o, "\n");
    knx_error_release(e);
}

static void run_case(const dim_case *c, outcome *o)
{
    knx_dim_scope s;
    kni_jaxpr *j = NULL, *y[2] = {NULL, NULL};
    knx_dim_scope_init(&s);
    if (c->given)
        assert_null(knx_dim_constrain(&s, c->given));
    if (c->sample)
        dim_take_sample(&s, c->sample);
    knx_dim_enter(&s);
    knx_error *e = kni_parse(c->jaxpr, &j);
    if (!e)
        e = dim_apply(c, j, y);
    for (int i = 0; !e && i < 2 && y[i]; i++)
        (strncmp(c->operation, "types", 5) ? add_jaxpr : add_types)(o, y[i]);
    add_error(o, e);
    add_error(o, knx_dim_take_error(&s)); /* nothing is left that no one raised */
    for (size_t i = 0; i < s.guard.n; i++) {
        const knx_dim_guard *g = &s.guard.at[i];
        knx_text t = {0};
        add(o, g->holds ? "guard " : "guard not ");
        add(o, knx_dim_show(&t, g->e));
        add(o, g->equal ? " == 0\n" : " >= 0\n");
    }
    for (int i = 0; i < 2; i++)
        kni_release(y[i]);
    kni_release(j);
    knx_dim_leave(&s);
    knx_dim_scope_free(&s);
}

typedef struct checker {
    FILE *out; /* NULL: compare */
    int bad;
} checker;

static void check(dim_case *c, void *env)
{
    static outcome o;
    checker *k = env;
    o.n = 0;
    o.text[0] = 0;
    run_case(c, &o);
    if (k->out) {
        fprintf(k->out, "%s\n%s\n%s=>\n%s", c->name, c->line, c->jaxpr, o.text);
    } else if (o.n != c->length || memcmp(o.text, c->want, c->length)) {
        print_error("%s gives\n%snot\n%.*s", c->name, o.text, (int)c->length, c->want);
        k->bad++;
    }
}

static void cases_of(const char *family)
{
    char path[512], own[520];
    checker k = {NULL, 0};
    dim_path(family, path, sizeof path);
    snprintf(own, sizeof own, "%s.new", path);
    if (getenv("KILN_WRITE_CASES"))
        k.out = fopen(own, "w");
    dim_each_case(family, check, &k);
    if (k.out) {
        fclose(k.out);
        assert_int_equal(rename(own, path), 0);
    }
    assert_int_equal(k.bad, 0);
}

DIM_FAMILIES(DIM_TEST_OF_FAMILY)

KN_TEST_GROUP(test_rule_dims)
{
    const struct CMUnitTest tests[] = {DIM_FAMILIES(DIM_FAMILY_ROW)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
