/* SPDX-License-Identifier: Apache-2.0
 * classic.c -- the form of 2020: untyped, one equation a line, nested jaxprs indented where they begin. Every jaxpr
 * begins its names at a: its inputs first, then each equation's results. Constants, and inputs that stand for what the
 * function captured, are named in front of the equation that came behind them in JAX's order of 2020. */
#include "ir/text/print.h"
#include "ir/toposort.h"
#include "ir/prim.h"
#include <string.h>

enum { NO_NAME = 0xffffffffu, MOST_FIELDS = 32 };

typedef struct classic {
    knx_str *out;
    knx_arena arena; /* names */
    bool failed;
} classic;

static size_t column(const knx_str *t)
{
    size_t n = t->n;
    while (n > 0 && t->s[n - 1] != '\n')
        n--;
    return t->n - n;
}

static void new_line(knx_str *t, size_t indent)
{
    knx_str_puts(t, "\n");
    knx_str_pad(t, ' ', (int64_t)indent);
}

/* One jaxpr on its way to the text. */
typedef struct shown_jaxpr {
    const kni_jaxpr *j;
    const kni_branches *choice; /* of a branch: inputs that it does not take are not shown. NULL: it is none */
    int branch;
    uint32_t hoisted;    /* so many inputs in front are constants of the function around it */
    uint32_t *name;      /* per variable */
    kni_atom *predicate; /* kni_hidden_indices */
    kni_atom *in;        /* room for the operands of an equation as they are shown */
} shown_jaxpr;

static bool is_skipped(const shown_jaxpr *s, uint32_t input)
{
    return s->choice && !kni_branch_takes(s->choice, s->branch, input);
}

static bool is_hidden(const shown_jaxpr *s, const kni_eqn *e)
{
    return s->predicate && e->n_out == 1 && s->predicate[e->out] != KN_ATOM_NONE;
}

/* The operands as they are shown, in s->in: a choice shows its predicate, then what either branch takes. */
static uint32_t shown_operands(const shown_jaxpr *s, const kni_eqn *e)
{
    kni_branches b;
    uint32_t n = 0;
    if (!kni_two_branches(e, &b)) {
        for (uint32_t i = 0; i < e->n_in; i++)
            s->in[n++] = kni_is_unit(s->j, e, i) ? KN_ATOM_ZERO : e->in[i];
        return n;
    }
    bool hidden = kni_is_var(e->in[0]) && s->predicate[e->in[0]] != KN_ATOM_NONE;
    s->in[n++] = hidden ? s->predicate[e->in[0]] : e->in[0];
    n += kni_branch_operands(&b, e, 1, s->in + n);
    n += kni_branch_operands(&b, e, 0, s->in + n);
    return n;
}

/* ---- Names. */

static bool is_constant(const shown_jaxpr *s, uint32_t v)
{
    uint32_t first = s->j->n_const;
    return v < first || (v < first + s->hoisted && !is_skipped(s, v - first) &&
                         (!s->choice || kni_branch_captured(s->choice, v - first)));
}

/* The equations as they are shown. */
static kni_link *links_of(classic *c, const shown_jaxpr *s, uint32_t *n)
{
    const kni_jaxpr *j = s->j;
    kni_link *link = knx_arena_alloc(&c->arena, ((size_t)j->n_eqn + 1) * sizeof *link);
    *n = 0;
    for (uint32_t i = 0; link && i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (is_hidden(s, e))
            continue;
        uint32_t n_in = shown_operands(s, e);
        const kni_atom *in = knx_arena_copy(&c->arena, s->in, n_in * sizeof *in);
        if (n_in && !in)
            return NULL;
        link[(*n)++] = (kni_link){in, n_in, e->out, e->n_out};
    }
    return link;
}

/* Constants by the equation that they stand before: lists. */
typedef struct anchors {
    uint32_t *head, *next; /* per equation (and behind the last), per variable */
} anchors;

static bool find_anchors(classic *c, const shown_jaxpr *s, uint32_t n_link, const kni_link *link, anchors *a)
{
    const kni_jaxpr *j = s->j;
    uint32_t *order, n, at = n_link, *of = knx_arena_alloc(&c->arena, ((size_t)j->n_var + 1) * sizeof *of);
    a->head = knx_arena_alloc(&c->arena, ((size_t)n_link + 1) * sizeof *a->head);
    a->next = knx_arena_alloc(&c->arena, ((size_t)j->n_var + 1) * sizeof *a->next);
    if (!of || !a->head || !a->next || !kni_toposort(&c->arena, j->n_var, n_link, link, j->n_out, j->out, &order, &n))
        return false;
    for (uint32_t k = 0; k <= n_link; k++)
        a->head[k] = NO_NAME;
    for (uint32_t v = 0; v < j->n_var; v++)
        of[v] = NO_NAME;
    for (uint32_t k = 0; k < n_link; k++)
        for (uint32_t i = 0; i < link[k].n_out; i++)
            of[link[k].out + i] = k;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t v = order[i];
        if (of[v] != NO_NAME) {
            at = of[v];
        } else if (is_constant(s, v)) {
            a->next[v] = a->head[at];
            a->head[at] = v;
        }
    }
    return true;
}

static void name_anchored(const shown_jaxpr *s, const anchors *a, uint32_t at, uint32_t *next)
{
    for (uint32_t v = a->head[at]; v != NO_NAME; v = a->next[v])
        s->name[v] = (*next)++;
}

static void give_names(shown_jaxpr *s, uint32_t n_link, const kni_link *link, const anchors *a)
{
    const kni_jaxpr *j = s->j;
    uint32_t next = 0;
    for (uint32_t v = 0; v < j->n_const + j->n_in; v++)
        s->name[v] = v < j->n_const || is_constant(s, v) || is_skipped(s, v - j->n_const) ? NO_NAME : next++;
    for (uint32_t k = 0; k < n_link; k++) {
        name_anchored(s, a, k, &next);
        for (uint32_t i = 0; i < link[k].n_out; i++)
            s->name[link[k].out + i] = next++;
    }
    name_anchored(s, a, n_link, &next);
    for (uint32_t v = 0; v < j->n_const + j->n_in; v++)
        if (s->name[v] == NO_NAME && is_constant(s, v))
            s->name[v] = next++;
}

static bool name_all(classic *c, shown_jaxpr *s)
{
    const kni_jaxpr *j = s->j;
    uint32_t widest = 0, n_link;
    anchors a;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        widest = j->eqn[i].n_in > widest ? j->eqn[i].n_in : widest;
    s->in = knx_arena_alloc(&c->arena, (2 * (size_t)widest + 1) * sizeof *s->in);
    s->name = knx_arena_alloc(&c->arena, ((size_t)j->n_var + 1) * sizeof *s->name);
    if (!s->in || !s->name || !kni_hidden_indices(j, &c->arena, &s->predicate))
        return false;
    kni_link *link = links_of(c, s, &n_link);
    if (!link || !find_anchors(c, s, n_link, link, &a))
        return false;
    give_names(s, n_link, link, &a);
    return true;
}

static void add_atom(knx_str *t, const shown_jaxpr *s, kni_atom a)
{
    char room[KN_NAME_ROOM];
    if (a == KN_ATOM_ZERO)
        knx_str_puts(t, "*");
    else if (kni_is_literal(a))
        kni_literal_text(t, KN_FORM_CLASSIC, &s->j->literal[a & ~KN_LITERAL_BIT]);
    else
        knx_str_puts(t, kni_var_name(s->name[a], room));
}

static void add_variables(knx_str *t, const shown_jaxpr *s, uint32_t first, uint32_t n, const char *before)
{
    for (uint32_t i = 0; i < n; i++) {
        if (s->name[first + i] == NO_NAME)
            continue;
        knx_str_puts(t, before);
        add_atom(t, s, first + i);
        before = " ";
    }
}

static void add_jaxpr(classic *c, const shown_jaxpr *as);

/* A parameter as it is shown: a field, or one of the two branches of a choice. */
typedef struct item {
    const char *name;
    const kni_param_field *field;
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
static int sorted_items(const kni_eqn *e, bool two, item list[MOST_FIELDS])
{
    int n = 0;
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
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
        add_jaxpr(c, &(shown_jaxpr){.j = subs.v[i]});
    }
    knx_str_puts(c->out, " )");
}

/* How many inputs of a nested jaxpr stand for what its function captured. */
static uint32_t captured_by(const kni_param_field *f, const kni_eqn *e, const kni_jaxpr *j)
{
    int64_t n = f->consts ? *(const int64_t *)((const char *)e->params + f->consts - 1) : 0;
    return n < 0 ? 0 : n > j->n_in ? j->n_in : (uint32_t)n;
}

static void add_item(classic *c, const kni_jaxpr *j, const kni_eqn *e, const kni_branches *b, const item *one)
{
    kni_jaxprs subs = kni_field_jaxprs(one->field, e->params);
    knx_str_puts(c->out, one->name);
    knx_str_puts(c->out, "=");
    if (one->branch >= 0)
        add_jaxpr(c, &(shown_jaxpr){subs.v[one->branch], b, one->branch, (uint32_t)b->consts.n, NULL, NULL, NULL});
    else if (one->field->kind == KN_P_JAXPRS)
        add_jaxprs(c, subs);
    else if (subs.n)
        add_jaxpr(c, &(shown_jaxpr){.j = subs.v[0], .hoisted = captured_by(one->field, e, subs.v[0])});
    else
        kni_field_value(c->out, KN_FORM_CLASSIC, j, e, one->field);
}

static void add_params(classic *c, const kni_jaxpr *j, const kni_eqn *e)
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

static const char *prim_name(const kni_prim *p)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        if (f->flags & KN_PF_PRIM_NAME)
            return f->text;
    return p->name;
}

static void add_equation(classic *c, const shown_jaxpr *s, const kni_eqn *e)
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

static void add_results(knx_str *t, const shown_jaxpr *s)
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

static void add_jaxpr(classic *c, const shown_jaxpr *as)
{
    knx_str *t = c->out;
    size_t indent = column(t) + 2;
    shown_jaxpr s = *as;
    const kni_jaxpr *j = s.j;
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

knx_error *kni_text_classic(const kni_jaxpr *j, knx_str *out)
{
    classic c = {.out = out};
    add_jaxpr(&c, &(shown_jaxpr){.j = j});
    knx_arena_free(&c.arena);
    return c.failed || out->failed ? knx_error_nomem() : NULL;
}
