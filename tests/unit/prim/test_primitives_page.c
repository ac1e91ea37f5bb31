/* SPDX-License-Identifier: Apache-2.0
 * test_primitives_page.c -- docs/primitives.md is what the table of rows says. scripts/primitives.sh writes it: it runs
 * this with KILN_WRITE_PAGE=1. */
#include "base/str.h"
#include "ir/prim.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char page_path[] = KN_TEST_DIR "/../docs/primitives.md";
static const char head[] =
    "# Primitives\n\n"
    "What equations of jaxprs are made of: one row each. Made by `scripts/primitives.sh` from the table of rows\n"
    "(`src/ir/prim.h`, `docs/how-to-add-a-primitive.md`); a test compares. Parameters are those of the full form\n"
    "([jaxpr.md](jaxpr.md)); in parentheses those that a text may leave out. *d*: forward derivative, *t*: transposed "
    "in some\n"
    "operand, *b*: batched by `kn_vmap`; a primitive without *d* has integer or discrete results, or no derivative "
    "exists.\n"
    "What else a row says (its lowering, what its routine finds out beforehand, `ready` and `done`, and more) is told "
    "in\n"
    "[how-to-add-a-primitive.md](how-to-add-a-primitive.md), column by column.\n\n"
    "| primitive | operands | results | parameters | rules | what it computes |\n"
    "| --- | --- | --- | --- | --- | --- |\n";

static const char *kind_name(const kni_param_field *f)
{
    switch (f->kind) {
    case KN_P_INT: return "integer";
    case KN_P_BOOL: return "bool";
    case KN_P_DTYPE: return "dtype";
    case KN_P_INTS: return "integers";
    case KN_P_STRING: return "string";
    case KN_P_JAXPR: return "jaxpr";
    case KN_P_JAXPRS: return "jaxprs";
    case KN_P_ENUM: return NULL;
    case KN_P_DOUBLE: return "number";
    case KN_P_DOUBLES: return "numbers";
    case KN_P_NAMES: return "names";
    case KN_P_THUNK: return "rule";
    case KN_P_MESH: return "mesh";
    case KN_P_SHARDING: return "sharding";
    case KN_P_SHARDINGS: return "shardings";
    case KN_P_TEXT: break;
    }
    return "";
}

static void add_count(knx_str *t, int n)
{
    if (n < 0)
        knx_str_puts(t, "any");
    else
        kni_show_int(t, n);
}

static void add_params(knx_str *t, const kni_prim *p)
{
    const char *before = "";
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        bool optional = f->flags & KN_PF_OPTIONAL;
        if (f->kind == KN_P_TEXT)
            continue;
        knx_str_puts(t, before);
        knx_str_puts(t, optional ? "(`" : "`");
        knx_str_puts(t, f->name);
        knx_str_puts(t, "`: ");
        if (kind_name(f))
            knx_str_puts(t, kind_name(f));
        for (int i = 0; f->kind == KN_P_ENUM && f->names[i]; i++) {
            knx_str_puts(t, i ? " or " : "");
            knx_str_puts(t, f->names[i]);
        }
        knx_str_puts(t, optional ? ")" : "");
        before = ", ";
    }
}

static char *page(void)
{
    knx_str t = {0};
    knx_str_puts(&t, head);
    for (int i = 0; kni_prims[i]; i++) {
        const kni_prim *p = kni_prims[i];
        knx_str_puts(&t, "| `");
        knx_str_puts(&t, p->name);
        knx_str_puts(&t, "` | ");
        add_count(&t, p->n_in);
        knx_str_puts(&t, " | ");
        add_count(&t, p->n_out);
        knx_str_puts(&t, " | ");
        add_params(&t, p);
        knx_str_puts(&t, " | ");
        knx_str_puts(&t, p->jvp || p->linearize ? "d " : "");
        knx_str_puts(&t, p->transpose ? "t " : "");
        knx_str_puts(&t, p->batch ? "b" : "");
        knx_str_puts(&t, " | ");
        for (const char *s = p->doc; *s; s++) { /* a bar would end the cell */
            const char one[3] = {*s == '|' ? '\\' : *s, *s == '|' ? '|' : '\0', '\0'};
            knx_str_puts(&t, one);
        }
        knx_str_puts(&t, " |\n");
    }
    return knx_str_take(&t);
}

static char *stored(void)
{
    FILE *f = fopen(page_path, "r");
    char *text = calloc(1, 1 << 18);
    if (f && text)
        text[fread(text, 1, (1 << 18) - 1, f)] = '\0';
    if (f)
        fclose(f);
    return text;
}

static void the_page_is_what_the_rows_say(void **state)
{
    (void)state;
    char *made = page();
    assert_non_null(made);
    if (getenv("KILN_WRITE_PAGE")) {
        FILE *f = fopen(page_path, "w");
        assert_non_null(f);
        fputs(made, f);
        assert_int_equal(fclose(f), 0);
    }
    char *have = stored();
    bool same = have && !strcmp(have, made);
    free(have);
    knx_free(made);
    if (!same)
        fail_msg("docs/primitives.md is not what the table of rows says: run scripts/primitives.sh");
}

KN_TEST_GROUP(test_primitives_page)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_is_what_the_rows_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
