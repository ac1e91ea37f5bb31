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

/* One jaxpr on its way to the text. */
typedef struct shown_jaxpr {
    const kni_jaxpr *j;
    const kni_branches *choice; /* of a branch: inputs that it does not take are not shown. NULL: it is none */
    int branch;
    uint32_t *name;     /* per variable */
    kn_atom *predicate; /* kni_hidden_indices */
    kn_atom *in;        /* room for the operands of an equation as they are shown */
} shown_jaxpr;

static bool is_skipped(const shown_jaxpr *s, uint32_t input)
{
    return s->choice && !kni_branch_takes(s->choice, s->branch, input);
}

static bool is_hidden(const shown_jaxpr *s, const kn_eqn *e)
{
    return s->predicate && e->n_out == 1 && s->predicate[e->out] != KN_ATOM_NONE;
}

/* The operands as they are shown, in s->in: a choice shows its predicate, then what either branch takes. */
static uint32_t shown_operands(const shown_jaxpr *s, const kn_eqn *e)
{
    kni_branches b;
    uint32_t n = 0;
    if (!kni_two_branches(e, &b)) {
        for (uint32_t i = 0; i < e->n_in; i++)
            s->in[n++] = e->in[i];
        return n;
    }
    bool hidden = kni_is_var(e->in[0]) && s->predicate[e->in[0]] != KN_ATOM_NONE;
    s->in[n++] = hidden ? s->predicate[e->in[0]] : e->in[0];
    n += kni_branch_operands(&b, e, 1, s->in + n);
    n += kni_branch_operands(&b, e, 0, s->in + n);
    return n;
}

static bool name_all(classic *c, shown_jaxpr *s)
{
    const kni_jaxpr *j = s->j;
    uint32_t next = 0, widest = 0;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        widest = j->eqn[i].n_in > widest ? j->eqn[i].n_in : widest;
    s->in = knx_arena_alloc(&c->arena, (2 * (size_t)widest + 1) * sizeof *s->in);
    uint32_t *name = s->name = knx_arena_alloc(&c->arena, j->n_var * sizeof *name);
    if (!s->in || !name || !kni_hidden_indices(j, &c->arena, &s->predicate))
        return false;
    for (uint32_t i = 0; i < j->n_const; i++)
        name[i] = NO_NAME;
    for (uint32_t i = 0; i < j->n_in; i++)
        name[j->n_const + i] = is_skipped(s, i) ? NO_NAME : next++;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kn_eqn *e = &j->eqn[i];
        if (is_hidden(s, e))
            continue;
        name_constants(j, name, &next, s->in, shown_operands(s, e));
        for (uint32_t k = 0; k < e->n_out; k++)
            name[e->out + k] = next++;
    }
    name_constants(j, name, &next, j->out, j->n_out);
    for (uint32_t i = 0; i < j->n_const; i++)
        if (name[i] == NO_NAME)
            name[i] = next++;
    return true;
}

static void add_atom(kn_str *t, const shown_jaxpr *s, kn_atom a)
{
    char room[KN_NAME_ROOM];
    if (kni_is_literal(a))
        kni_literal_text(t, KN_FORM_CLASSIC, &s->j->literal[a & ~KN_LITERAL_BIT]);
    else
        knx_str_puts(t, kni_var_name(s->name[a], room));
}

static void add_variables(kn_str *t, const shown_jaxpr *s, uint32_t first, uint32_t n, const char *before)
{
    for (uint32_t i = 0; i < n; i++) {
        if (s->name[first + i] == NO_NAME)
            continue;
        knx_str_puts(t, before);
        add_atom(t, s, first + i);
        before = " ";
    }
}

static void add_jaxpr(classic *c, const kni_jaxpr *j, const kni_branches *choice, int branch);

/* A parameter as it is shown: a field, or one of the two branches of a choice. */
typedef struct item {
    const char *name;
    const kn_param_field *field;
    int branch; /* -1: all of the field */
} item;

static int insert_item(item *list, int n, item one)
{
    int k = n < MOST_FIELDS ? n : n - 1;
    for (; k > 0 && strcmp(list[k - 1].name, one.name) > 0; k--)
        list[k] = list[k - 1];
    list[k] = one;
    return n < MOST_FIELDS ? n + 1 : n;
}

/* In alphabetical order. */
static int sorted_items(const kn_eqn *e, bool two, item list[MOST_FIELDS])
{
    int n = 0;
    for (const kn_param_field *f = e->prim->fields; f && f->name; f++) {
        if (!kni_field_shown(KN_FORM_CLASSIC, f, e->params))
            continue;
        if (two && (f->flags & KN_PF_BRANCHES)) {
            n = insert_item(list, n, (item){"false_jaxpr", f, 0});
            n = insert_item(list, n, (item){"true_jaxpr", f, 1});
        } else {
            n = insert_item(list, n, (item){f->classic_name ? f->classic_name : f->name, f, -1});
        }
    }
    return n;
}

static void add_jaxprs(classic *c, kni_jaxprs subs)
{
    knx_str_puts(c->out, "( ");
    size_t indent = column(c->out);
    for (int i = 0; i < subs.n; i++) {
        if (i)
            new_line(c->out, indent);
        add_jaxpr(c, subs.v[i], NULL, 0);
    }
    knx_str_puts(c->out, " )");
}

static void add_item(classic *c, const kni_jaxpr *j, const kn_eqn *e, const kni_branches *b, const item *one)
{
    kni_jaxprs subs = kni_field_jaxprs(one->field, e->params);
    knx_str_puts(c->out, one->name);
    knx_str_puts(c->out, "=");
    if (one->branch >= 0)
        add_jaxpr(c, subs.v[one->branch], b, one->branch);
    else if (one->field->kind == KN_P_JAXPRS)
        add_jaxprs(c, subs);
    else if (subs.n)
        add_jaxpr(c, subs.v[0], NULL, 0);
    else
        kni_field_value(c->out, KN_FORM_CLASSIC, j, e, one->field);
}

static void add_params(classic *c, const kni_jaxpr *j, const kn_eqn *e)
{
    item shown[MOST_FIELDS];
    kni_branches b = {.consts = {0, NULL}};
    int n = sorted_items(e, kni_two_branches(e, &b), shown);
    if (!n)
        return;
    knx_str_puts(c->out, "[ ");
    size_t indent = column(c->out);
    for (int i = 0; i < n; i++) {
        if (i)
            new_line(c->out, indent);
        add_item(c, j, e, &b, &shown[i]);
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

static void add_equation(classic *c, const shown_jaxpr *s, const kn_eqn *e)
{
    add_variables(c->out, s, e->out, e->n_out, "");
    if (e->n_out)
        knx_str_puts(c->out, " = ");
    knx_str_puts(c->out, prim_name(e->prim));
    add_params(c, s->j, e);
    uint32_t n = shown_operands(s, e);
    for (uint32_t i = 0; i < n; i++) {
        knx_str_puts(c->out, " ");
        add_atom(c->out, s, s->in[i]);
    }
}

static void add_results(kn_str *t, const shown_jaxpr *s)
{
    const kni_jaxpr *j = s->j;
    if (j->n_out != 1)
        knx_str_puts(t, "(");
    for (uint32_t i = 0; i < j->n_out; i++) {
        if (i)
            knx_str_puts(t, ", ");
        add_atom(t, s, j->out[i]);
    }
    if (j->n_out != 1)
        knx_str_puts(t, ")");
}

static void add_jaxpr(classic *c, const kni_jaxpr *j, const kni_branches *choice, int branch)
{
    kn_str *t = c->out;
    size_t indent = column(t) + 2;
    shown_jaxpr s = {.j = j, .choice = choice, .branch = branch};
    if (!name_all(c, &s)) {
        c->failed = true;
        return;
    }
    knx_str_puts(t, "{ lambda");
    add_variables(t, &s, 0, j->n_const, " ");
    knx_str_puts(t, " ;");
    add_variables(t, &s, j->n_const, j->n_in, " ");
    knx_str_puts(t, ".");
    new_line(t, indent);
    knx_str_puts(t, "let");
    bool first = true;
    for (uint32_t i = 0; i < j->n_eqn && !t->failed && !c->failed; i++) {
        if (is_hidden(&s, &j->eqn[i]))
            continue;
        if (first)
            knx_str_puts(t, " ");
        else
            new_line(t, indent + 4);
        first = false;
        add_equation(c, &s, &j->eqn[i]);
    }
    new_line(t, indent);
    knx_str_puts(t, "in ");
    add_results(t, &s);
    knx_str_puts(t, " }");
}

kn_error *kni_text_classic(const kni_jaxpr *j, kn_str *out)
{
    classic c = {.out = out};
    add_jaxpr(&c, j, NULL, 0);
    knx_arena_free(&c.arena);
    return c.failed || out->failed ? knx_error_nomem() : NULL;
}
