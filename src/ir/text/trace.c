/* SPDX-License-Identifier: Apache-2.0
 * trace.c -- each operation as it is traced, for the log (debug level 5). */
#include "base/log.h"
#include "ir/prim.h"
#include "ir/text/print.h"

static void add_atom(knx_str *t, const kni_builder *b, kni_atom a)
{
    char room[KN_NAME_ROOM];
    if (kni_is_literal(a)) {
        kni_literal_text(t, KN_FORM_TYPED, &b->literal.at[a & ~KN_LITERAL_BIT]);
        return;
    }
    if (*b->traced) { /* outside of functions variables are those of one operation */
        knx_str_puts(t, kni_var_name(a, room));
        knx_str_puts(t, ":");
    }
    kni_add_type(t, KN_FORM_TYPED, knb_type(b, a));
}

static void add_params(knx_str *t, const kni_draft_eqn *e)
{
    const kni_eqn shown = {.prim = e->prim, .params = e->params};
    const char *before = "[";
    for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++) {
        if (f->kind == KN_P_TEXT || f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS ||
            !kni_field_shown(KN_FORM_TYPED, f, e->params))
            continue;
        knx_str_puts(t, before);
        knx_str_puts(t, f->name);
        knx_str_puts(t, "=");
        kni_field_value(t, KN_FORM_TYPED, NULL, &shown, f);
        before = " ";
    }
    knx_str_puts(t, *before == ' ' ? "]" : "");
}

void kni_trace_equation(const kni_builder *b, const kni_draft_eqn *e)
{
    knx_str t = {0};
    for (uint32_t i = 0; i < e->n_out; i++) {
        add_atom(&t, b, e->out + i);
        knx_str_puts(&t, i + 1 < e->n_out ? " " : " = ");
    }
    knx_str_puts(&t, e->prim->name);
    add_params(&t, e);
    for (uint32_t i = 0; i < e->n_in; i++) {
        knx_str_puts(&t, " ");
        add_atom(&t, b, e->in[i]);
    }
    KN_LOG(5, "trace: %s:%d: %s%s%s", e->place ? e->place->file : "?", e->place ? e->place->line : 0, b->traced,
           *b->traced ? ": " : "", t.failed ? e->prim->name : t.s);
    knx_str_free(&t);
}
