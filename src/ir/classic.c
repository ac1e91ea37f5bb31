/* SPDX-License-Identifier: Apache-2.0
 * classic.c -- the form of 2020: untyped, one equation a line, nested jaxprs indented where they begin. Every jaxpr
 * begins its names at a: its inputs first, then for each equation the constants that it uses for the first time and
 * then its results. */
#include "ir/print.h"
#include "ir/prim.h"
#include <string.h>

enum { NO_NAME = 0xffffffffu, MOST_FIELDS = 32 };

typedef struct classic {
    kn_str *out;
    kn_arena arena; /* names */
    bool failed;
} classic;

static size_t column(const kn_str *t)
{
    size_t n = t->n;
    while (n > 0 && t->s[n - 1] != '\n')
        n--;
    return t->n - n;
}

static void new_line(kn_str *t, size_t indent)
{
    knx_str_puts(t, "\n");
    knx_str_pad(t, ' ', (int64_t)indent);
}

static void name_constants(const kni_jaxpr *j, uint32_t *name, uint32_t *next, const kn_atom *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!kni_is_literal(x[i]) && x[i] < j->n_const && name[x[i]] == NO_NAME)
            name[x[i]] = (*next)++;
}

static uint32_t *names_of(classic *c, const kni_jaxpr *j)
{
    uint32_t *name = knx_arena_alloc(&c->arena, j->n_var * sizeof *name), next = 0;
    if (!name)
        return NULL;
    for (uint32_t i = 0; i < j->n_const; i++)
        name[i] = NO_NAME;
    for (uint32_t i = 0; i < j->n_in; i++)
        name[j->n_const + i] = next++;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kn_eqn *e = &j->eqn[i];
        name_constants(j, name, &next, e->in, e->n_in);
        for (uint32_t k = 0; k < e->n_out; k++)
            name[e->out + k] = next++;
    }
    name_constants(j, name, &next, j->out, j->n_out);
    for (uint32_t i = 0; i < j->n_const; i++)
        if (name[i] == NO_NAME)
            name[i] = next++;
    return name;
}

static void add_atom(kn_str *t, const kni_jaxpr *j, const uint32_t *name, kn_atom a)
{
    char room[KN_NAME_ROOM];
    if (kni_is_literal(a))
        kni_literal_text(t, KN_FORM_CLASSIC, &j->literal[a & ~KN_LITERAL_BIT]);
    else
        knx_str_puts(t, kni_var_name(name[a], room));
}

static void add_variables(kn_str *t, const kni_jaxpr *j, const uint32_t *name, uint32_t first, uint32_t n,
                          const char *before)
{
    for (uint32_t i = 0; i < n; i++) {
        knx_str_puts(t, before);
        add_atom(t, j, name, first + i);
        before = " ";
    }
}

static void add_jaxpr(classic *c, const kni_jaxpr *j);

static const char *field_name(const kn_param_field *f) { return f->classic_name ? f->classic_name : f->name; }

/* The shown fields in alphabetical order. */
static int sorted_fields(const kn_eqn *e, const kn_param_field *shown[MOST_FIELDS])
{
    int n = 0;
    for (const kn_param_field *f = e->prim->fields; f && f->name && n < MOST_FIELDS; f++) {
        if (!kni_field_shown(KN_FORM_CLASSIC, f, e->params))
            continue;
        int k = n++;
        for (; k > 0 && strcmp(field_name(shown[k - 1]), field_name(f)) > 0; k--)
            shown[k] = shown[k - 1];
        shown[k] = f;
    }
    return n;
}

static void add_params(classic *c, const kni_jaxpr *j, const kn_eqn *e)
{
    const kn_param_field *shown[MOST_FIELDS];
    int n = sorted_fields(e, shown);
    if (!n)
        return;
    knx_str_puts(c->out, "[ ");
    size_t indent = column(c->out);
    for (int i = 0; i < n; i++) {
        const kni_jaxpr *sub = kni_field_jaxpr(shown[i], e->params);
        if (i)
            new_line(c->out, indent);
        knx_str_puts(c->out, field_name(shown[i]));
        knx_str_puts(c->out, "=");
        if (sub)
            add_jaxpr(c, sub);
        else
            kni_field_value(c->out, KN_FORM_CLASSIC, j, e, shown[i]);
    }
    knx_str_puts(c->out, " ]");
}

static const char *prim_name(const kn_prim *p)
{
    for (const kn_param_field *f = p->fields; f && f->name; f++)
        if (f->flags & KN_PF_PRIM_NAME)
            return f->text;
    return p->name;
}

static void add_equation(classic *c, const kni_jaxpr *j, const uint32_t *name, const kn_eqn *e)
{
    add_variables(c->out, j, name, e->out, e->n_out, "");
    if (e->n_out)
        knx_str_puts(c->out, " = ");
    knx_str_puts(c->out, prim_name(e->prim));
    add_params(c, j, e);
    for (uint32_t i = 0; i < e->n_in; i++) {
        knx_str_puts(c->out, " ");
        add_atom(c->out, j, name, e->in[i]);
    }
}

static void add_results(kn_str *t, const kni_jaxpr *j, const uint32_t *name)
{
    if (j->n_out != 1)
        knx_str_puts(t, "(");
    for (uint32_t i = 0; i < j->n_out; i++) {
        if (i)
            knx_str_puts(t, ", ");
        add_atom(t, j, name, j->out[i]);
    }
    if (j->n_out != 1)
        knx_str_puts(t, ")");
}

static void add_jaxpr(classic *c, const kni_jaxpr *j)
{
    kn_str *t = c->out;
    size_t indent = column(t) + 2;
    const uint32_t *name = names_of(c, j);
    if (!name) {
        c->failed = true;
        return;
    }
    knx_str_puts(t, "{ lambda");
    add_variables(t, j, name, 0, j->n_const, " ");
    knx_str_puts(t, " ;");
    add_variables(t, j, name, j->n_const, j->n_in, " ");
    knx_str_puts(t, ".");
    new_line(t, indent);
    knx_str_puts(t, "let");
    for (uint32_t i = 0; i < j->n_eqn && !t->failed && !c->failed; i++) {
        if (i)
            new_line(t, indent + 4);
        else
            knx_str_puts(t, " ");
        add_equation(c, j, name, &j->eqn[i]);
    }
    new_line(t, indent);
    knx_str_puts(t, "in ");
    add_results(t, j, name);
    knx_str_puts(t, " }");
}

kn_error *kni_text_classic(const kni_jaxpr *j, kn_str *out)
{
    classic c = {.out = out};
    add_jaxpr(&c, j);
    knx_arena_free(&c.arena);
    return c.failed || out->failed ? knx_error_nomem() : NULL;
}
