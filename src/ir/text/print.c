/* SPDX-License-Identifier: Apache-2.0
 * print.c -- the typed form, as today's JAX prints it to the letter, and the full form, which loses nothing and is
 * parsed back. One counter names all variables of a text, nested jaxprs included, in the order in which they are met.
 * */
#include "base/hash.h"
#include "ir/layout.h"
#include "ir/text/print.h"
#include "ir/prim.h"
#include <stdio.h>
#include <string.h>

enum { NO_NAME = 0xffffffffu, DROPPED = 0xfffffffeu, WIDTH = 80, LONG_JAXPR = 10 };

/* A jaxpr met on the way. Shared ones are printed in front, under a name. */
typedef struct shared {
    const kni_jaxpr *jaxpr;
    const char *name;
    uint32_t count, walks;
    bool placed;
} shared;
static bool is_shared(const shared *s) { return s && s->count > 1; }

typedef struct name_count {
    const char *name;
    uint32_t count;
} name_count;

typedef struct printer {
    kni_layout layout;
    kni_jaxpr_form form;
    const char *const *consts;
    knx_arena arena; /* names */
    knx_table index; /* jaxprs -> 1 + place in `met` */
    KN_VEC(shared) met;
    KN_VEC(uint32_t) order; /* of `met`: in which the shared ones are printed */
    knx_table taken;        /* hash of a shared jaxpr's name -> its name_count */
    uint64_t next_name;
    knx_str scratch;
    bool failed;
} printer;

static bool ok(const printer *p) { return !p->failed && !p->layout.failed; }

/* Shared jaxprs */

static shared *find_met(const printer *p, const kni_jaxpr *j)
{
    size_t cursor;
    void *v = knx_table_first(&p->index, (uintptr_t)j, &cursor);
    return v ? &p->met.at[(uintptr_t)v - 1] : NULL;
}

static shared *meet(printer *p, const kni_jaxpr *j)
{
    shared *s = find_met(p, j);
    if (s)
        return s;
    if (!KN_VEC_PUSH(&p->met, ((shared){.jaxpr = j})) ||
        !knx_table_add(&p->index, (uintptr_t)j, (void *)(uintptr_t)p->met.n)) {
        p->failed = true;
        return NULL;
    }
    return &p->met.at[p->met.n - 1];
}

/* The jaxprs that the text shows at this field: hidden ones are none; the full form shows those of rules. */
static kni_jaxprs shown_jaxprs(const printer *p, const kni_param_field *f, const void *params)
{
    if (f->kind == KN_P_THUNK && p->form == KN_FORM_FULL) {
        const kni_thunk *t = *(kni_thunk *const *)((const char *)params + f->offset);
        return (kni_jaxprs){t->held != NULL, (kni_jaxpr *const *)&t->held};
    }
    return kni_field_shown(p->form, f, params) ? kni_field_jaxprs(f, params) : (kni_jaxprs){0, NULL};
}

/* The parameter `name` of a call, without the brackets of <lambda>; NULL if there is none. (Those of custom derivatives
 * are no parameters in JAX.) */
static const char *name_in_params(printer *p, const kni_eqn *e)
{
    for (const kni_param_field *f = e->prim->fields; e->params && f && f->name; f++) {
        if (!(e->prim->bits & KN_CALLS) || f->kind != KN_P_STRING || !(f->flags & KN_PF_NAME))
            continue;
        const char *s = *(char *const *)((const char *)e->params + f->offset);
        size_t n;
        if (!s)
            return NULL;
        s += strspn(s, "<>");
        for (n = strlen(s); n && strchr("<>", s[n - 1]);)
            n--;
        char *own = knx_arena_alloc(&p->arena, n + 1);
        if (!own) {
            p->failed = true;
            return NULL;
        }
        memcpy(own, s, n);
        own[n] = '\0';
        return own;
    }
    return NULL;
}

typedef KN_VEC(const kni_jaxpr *) jaxpr_queue;

static void walk_equations(printer *p, const kni_jaxpr *j, jaxpr_queue *queue)
{
    for (uint32_t i = 0; !p->failed && i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        const char *name = NULL;
        for (const kni_param_field *f = e->prim->fields; e->params && f && f->name && !p->failed; f++) {
            kni_jaxprs subs = shown_jaxprs(p, f, e->params);
            name = name || !subs.n ? name : name_in_params(p, e);
            for (int k = 0; k < subs.n; k++) {
                shared *inner = meet(p, subs.v[k]);
                if (inner && !inner->name)
                    inner->name = name;
                p->failed |= !KN_VEC_PUSH(queue, subs.v[k]);
            }
        }
    }
}

/* Breadth first, as JAX does. A jaxpr met again is walked again (so that what is inside counts twice), but no more
 * than twice. */
static void count_uses(printer *p, const kni_jaxpr *top)
{
    jaxpr_queue queue = {0};
    p->failed |= !KN_VEC_PUSH(&queue, top);
    for (size_t at = 0; !p->failed && at < queue.n; at++) {
        const kni_jaxpr *j = queue.at[at];
        shared *s = meet(p, j);
        if (!s)
            break;
        s->count += 1 + (j != top && j->n_eqn > LONG_JAXPR && p->form == KN_FORM_TYPED);
        if (s->walks++ < 2)
            walk_equations(p, j, &queue);
    }
    KN_VEC_FREE(&queue);
}

/* Names */

static name_count *find_name(const printer *p, const char *name)
{
    size_t cursor;
    uint64_t hash = knx_hash_bytes(name, strlen(name), 0);
    for (name_count *n = knx_table_first(&p->taken, hash, &cursor); n; n = knx_table_next(&p->taken, hash, &cursor))
        if (!strcmp(n->name, name))
            return n;
    return NULL;
}

/* How often the name was taken before; counts it. */
static uint32_t take_name(printer *p, const char *name)
{
    name_count *n = find_name(p, name);
    if (!n) {
        n = knx_arena_zero(&p->arena, sizeof *n);
        if (n)
            n->name = name;
        if (!n || !knx_table_add(&p->taken, knx_hash_bytes(name, strlen(name), 0), n)) {
            p->failed = true;
            return 0;
        }
    }
    return n->count++;
}

/* Typed: f, f1, f2 as JAX counts them; full: $1, $2, which no variable is called. */
static void name_shared(printer *p, shared *s, size_t number)
{
    const char *base = p->form == KN_FORM_FULL ? "$" : s->name ? s->name : "jaxpr";
    uint32_t before = p->form == KN_FORM_FULL ? (uint32_t)number : take_name(p, base);
    s->name = base;
    if (!before)
        return;
    size_t n = strlen(base) + 12;
    char *name = knx_arena_alloc(&p->arena, n);
    if (!name) {
        p->failed = true;
        return;
    }
    snprintf(name, n, "%s%u", base, before);
    s->name = name;
    if (p->form != KN_FORM_FULL)
        take_name(p, name);
}

static void order_inner_first(printer *p, const kni_jaxpr *j);

static void place_shared(printer *p, shared *s)
{
    if (!s || s->placed)
        return;
    s->placed = true;
    order_inner_first(p, s->jaxpr);
    if (is_shared(s) && !KN_VEC_PUSH(&p->order, (uint32_t)(s - p->met.at)))
        p->failed = true;
}

/* For the full form: what a jaxpr mentions comes before it. Recursion goes as deep as jaxprs are nested. */
static void order_inner_first(printer *p, const kni_jaxpr *j)
{
    for (uint32_t i = 0; !p->failed && i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        for (const kni_param_field *f = e->prim->fields; e->params && f && f->name; f++) {
            kni_jaxprs subs = shown_jaxprs(p, f, e->params);
            for (int k = 0; k < subs.n; k++)
                place_shared(p, find_met(p, subs.v[k]));
        }
    }
}

static void find_shared(printer *p, const kni_jaxpr *top)
{
    count_uses(p, top);
    if (!p->failed && p->form == KN_FORM_FULL)
        order_inner_first(p, top);
    for (size_t i = 0; !p->failed && p->form != KN_FORM_FULL && i < p->met.n; i++)
        if (is_shared(&p->met.at[i]) && !KN_VEC_PUSH(&p->order, (uint32_t)i))
            p->failed = true;
    for (size_t i = 0; !p->failed && i < p->order.n; i++)
        name_shared(p, &p->met.at[p->order.at[i]], i + 1);
}

/* Words of the full form that no variable may be called. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {"in", "let", "lambda", "nan", "inf", "bits"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return true;
    return false;
}

static uint32_t fresh_name(printer *p)
{
    char room[KN_NAME_ROOM];
    for (;; p->next_name++) {
        const char *name = kni_var_name(p->next_name, room);
        if (p->form == KN_FORM_FULL ? !is_reserved(name) : !p->order.n || !find_name(p, name))
            return (uint32_t)p->next_name++;
    }
}

static uint32_t name_of(printer *p, uint32_t *name, kni_atom var)
{
    if (name[var] == NO_NAME)
        name[var] = fresh_name(p);
    return name[var];
}

static uint32_t *new_names(printer *p, const kni_jaxpr *j)
{
    uint32_t *name = knx_arena_alloc(&p->arena, j->n_var * sizeof *name);
    if (!name)
        p->failed = true;
    else
        memset(name, 0xff, j->n_var * sizeof *name); /* NO_NAME */
    return name;
}

/* Results of top-level equations that no one reads are shown as _. */
static void mark_dropped(const kni_jaxpr *j, uint32_t *name)
{
    uint32_t inputs = j->n_const + j->n_in;
    for (uint32_t i = inputs; i < j->n_var; i++)
        name[i] = DROPPED;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (!kni_is_literal(j->eqn[i].in[k]))
                name[j->eqn[i].in[k]] = NO_NAME;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (!kni_is_literal(j->out[i]))
            name[j->out[i]] = NO_NAME;
}

/* The variables of an inlined call take the names of those outside that they stand for. */
static void suggest_names(printer *p, uint32_t *inner, const kni_atom *vars, uint32_t *outer, const kni_atom *like,
                          uint32_t n)
{
    knx_table used = {0};
    size_t cursor;
    for (uint32_t i = 0; i < n && !p->failed; i++) {
        if (kni_is_literal(like[i]) || kni_is_literal(vars[i]) || inner[vars[i]] != NO_NAME)
            continue;
        if (knx_table_first(&used, like[i], &cursor))
            continue;
        p->failed |= !knx_table_add(&used, like[i], p);
        inner[vars[i]] = name_of(p, outer, like[i]);
    }
    knx_table_free(&used);
}

static void suggest_for_call(printer *p, uint32_t *inner, const kni_jaxpr *sub, uint32_t *outer, const kni_eqn *e)
{
    uint32_t most = sub->n_in > e->n_out ? sub->n_in : e->n_out;
    kni_atom *vars = knx_arena_alloc(&p->arena, (size_t)most * sizeof *vars);
    if (!vars) {
        p->failed = true;
        return;
    }
    for (uint32_t i = 0; i < sub->n_in; i++)
        vars[i] = sub->n_const + i;
    if (sub->n_in == e->n_in)
        suggest_names(p, inner, vars, outer, e->in, sub->n_in);
    for (uint32_t i = 0; i < e->n_out; i++)
        vars[i] = e->out + i;
    if (sub->n_out == e->n_out)
        suggest_names(p, inner, sub->out, outer, vars, e->n_out);
}

/* Documents */

static void add_scratch(printer *p)
{
    p->failed |= p->scratch.failed;
    if (p->scratch.n)
        kni_layout_add(&p->layout, p->scratch.s, p->scratch.n);
    p->scratch.n = 0;
}

static void add_atom(printer *p, const kni_jaxpr *j, uint32_t *name, kni_atom a)
{
    char room[KN_NAME_ROOM];
    if (kni_is_literal(a)) {
        kni_literal_text(&p->scratch, p->form, &j->literal[a & ~KN_LITERAL_BIT]);
        add_scratch(p);
        return;
    }
    uint32_t n = name_of(p, name, a);
    kni_layout_puts(&p->layout, n == DROPPED ? "_" : kni_var_name(n, room));
}

/* Between two items of a list: a group of its own, so that lines break only behind the last column. */
static void add_gap(printer *p, uint32_t i, const char *comma)
{
    if (!i)
        return;
    kni_layout_puts(&p->layout, comma);
    kni_layout_open(&p->layout, 0);
    kni_layout_break(&p->layout, " ");
    kni_layout_close(&p->layout);
}

static void add_atoms(printer *p, const kni_jaxpr *j, uint32_t *name, const kni_atom *x, uint32_t n, const char *comma)
{
    kni_layout_open(&p->layout, 2);
    for (uint32_t i = 0; i < n && ok(p); i++) {
        add_gap(p, i, comma);
        add_atom(p, j, name, x[i]);
    }
    kni_layout_close(&p->layout);
}

static void add_binders(printer *p, const kni_jaxpr *j, uint32_t *name, uint32_t first, uint32_t n,
                        const char *const *consts)
{
    kni_layout_open(&p->layout, 2);
    for (uint32_t i = 0; i < n && ok(p); i++) {
        add_gap(p, i, "");
        add_atom(p, j, name, first + i);
        knx_str_puts(&p->scratch, ":");
        kni_add_type(&p->scratch, p->form, j->type[first + i]);
        if (p->form == KN_FORM_FULL && consts && consts[i]) {
            knx_str_puts(&p->scratch, "=");
            kni_quoted_text(&p->scratch, consts[i]);
        }
        add_scratch(p);
    }
    kni_layout_close(&p->layout);
}

static void add_jaxpr(printer *p, const kni_jaxpr *j, uint32_t *name, const char *const *consts);

/* `inner`: the names of its variables, if they are settled. */
static void add_sub_jaxpr(printer *p, const kni_jaxpr *sub, uint32_t *inner)
{
    const shared *s = find_met(p, sub);
    if (is_shared(s))
        kni_layout_puts(&p->layout, s->name);
    else if (inner || (inner = new_names(p, sub)))
        add_jaxpr(p, sub, inner, NULL);
}

static void add_sub_jaxprs(printer *p, kni_jaxprs subs)
{
    kni_layout *l = &p->layout;
    kni_layout_open(l, 0);
    kni_layout_nest(l, 2);
    kni_layout_puts(l, "(");
    kni_layout_break(l, "");
    for (int i = 0; i < subs.n && ok(p); i++) {
        if (i)
            kni_layout_break(l, " ");
        add_sub_jaxpr(p, subs.v[i], NULL);
    }
    kni_layout_nest(l, -2);
    kni_layout_break(l, "");
    kni_layout_puts(l, ")");
    kni_layout_close(l);
}

/* `inner`: the names of the called jaxpr, if it got some; NULL otherwise. */
static void add_params(printer *p, const kni_jaxpr *j, const kni_eqn *e, uint32_t *inner)
{
    int n = 0;
    for (const kni_param_field *f = e->prim->fields; f && f->name && ok(p); f++) {
        if (!kni_field_shown(p->form, f, e->params))
            continue;
        if (!n++) {
            kni_layout_open(&p->layout, 0);
            kni_layout_nest(&p->layout, 2);
            kni_layout_puts(&p->layout, "[");
            kni_layout_break(&p->layout, "");
        } else {
            kni_layout_break(&p->layout, " ");
        }
        kni_layout_puts(&p->layout, f->name);
        kni_layout_puts(&p->layout, "=");
        kni_jaxprs subs = shown_jaxprs(p, f, e->params);
        if (f->kind == KN_P_THUNK) {
            kni_field_value(&p->scratch, p->form, j, e, f);
            knx_str_puts(&p->scratch, subs.n ? " " : "");
            add_scratch(p);
        }
        if (f->kind == KN_P_JAXPRS) {
            add_sub_jaxprs(p, subs);
        } else if (subs.n) {
            add_sub_jaxpr(p, subs.v[0], inner);
        } else if (f->kind != KN_P_THUNK) {
            kni_field_value(&p->scratch, p->form, j, e, f);
            add_scratch(p);
        }
    }
    if (n) {
        kni_layout_nest(&p->layout, -2);
        kni_layout_break(&p->layout, "");
        kni_layout_puts(&p->layout, "]");
        kni_layout_close(&p->layout);
    }
}

static void add_place(printer *p, const kn_place *place)
{
    char line[24];
    knx_str_puts(&p->scratch, " @");
    kni_quoted_text(&p->scratch, place->file ? place->file : "");
    snprintf(line, sizeof line, ":%d:", place->line);
    knx_str_puts(&p->scratch, line);
    kni_quoted_text(&p->scratch, place->function ? place->function : "");
    add_scratch(p);
}

/* The names that a call's jaxpr takes over in the typed form; NULL if it is no call or shared. */
static uint32_t *names_of_call(printer *p, uint32_t *name, const kni_eqn *e)
{
    const kni_jaxpr *sub = NULL;
    if (p->form != KN_FORM_TYPED || !(e->prim->bits & KN_CALLS))
        return NULL;
    for (const kni_param_field *f = e->prim->fields; e->params && f && f->name && !sub; f++)
        sub = f->kind == KN_P_JAXPR ? kni_field_jaxprs(f, e->params).v[0] : NULL;
    if (!sub || is_shared(find_met(p, sub)))
        return NULL;
    uint32_t *inner = new_names(p, sub);
    if (inner)
        suggest_for_call(p, inner, sub, name, e);
    return inner;
}

static void add_equation(printer *p, const kni_jaxpr *j, uint32_t *name, const kni_eqn *e)
{
    uint32_t *inner = names_of_call(p, name, e);
    if (e->n_out) {
        add_binders(p, j, name, e->out, e->n_out, NULL);
        kni_layout_puts(&p->layout, " = ");
    }
    kni_layout_puts(&p->layout, e->prim->name);
    add_params(p, j, e, inner);
    if (e->n_in || p->form == KN_FORM_TYPED) /* as JAX: a blank even if nothing follows */
        kni_layout_puts(&p->layout, " ");
    add_atoms(p, j, name, e->in, e->n_in, "");
    if (p->form == KN_FORM_FULL && e->place)
        add_place(p, e->place);
}

static void add_jaxpr(printer *p, const kni_jaxpr *j, uint32_t *name, const char *const *consts)
{
    kni_layout *l = &p->layout;
    kni_layout_open(l, 2);
    kni_layout_puts(l, "{ lambda ");
    if (p->form == KN_FORM_FULL && *j->name) {
        kni_quoted_text(&p->scratch, j->name);
        knx_str_puts(&p->scratch, " ");
        add_scratch(p);
    }
    add_binders(p, j, name, 0, j->n_const, consts);
    kni_layout_puts(l, "; ");
    add_binders(p, j, name, j->n_const, j->n_in, NULL);
    kni_layout_puts(l, ". let");
    kni_layout_nest(l, 2);
    kni_layout_break(l, " ");
    for (uint32_t i = 0; i < j->n_eqn && ok(p); i++) {
        if (i && p->form == KN_FORM_FULL)
            kni_layout_puts(l, ";");
        if (i)
            kni_layout_break(l, p->form == KN_FORM_FULL ? " " : "; ");
        add_equation(p, j, name, &j->eqn[i]);
    }
    kni_layout_nest(l, -2);
    kni_layout_break(l, " ");
    kni_layout_puts(l, "in (");
    add_atoms(p, j, name, j->out, j->n_out, ",");
    kni_layout_puts(l, j->n_out == 1 ? ",) }" : ") }");
    kni_layout_close(l);
}

/* What holds for its variables; all have one scope. */
static const char *constraints_of(const kni_jaxpr *j)
{
    const char *found = NULL;
    for (uint32_t v = 0; v < j->n_var && !found; v++)
        for (int d = 0; d < j->type[v].ndim && !found; d++)
            found = knx_dim_constraints(j->type[v].dim[d]);
    return found;
}

static void add_text(printer *p, const kni_jaxpr *j)
{
    uint32_t *name = new_names(p, j);
    const char *constraints = p->form == KN_FORM_FULL ? constraints_of(j) : NULL;
    find_shared(p, j);
    if (constraints) {
        knx_str_puts(&p->scratch, "where ");
        kni_quoted_text(&p->scratch, constraints);
        add_scratch(p);
        kni_layout_break(&p->layout, " ");
    }
    for (size_t i = 0; i < p->order.n && ok(p); i++) {
        const shared *s = &p->met.at[p->order.at[i]];
        uint32_t *inner = new_names(p, s->jaxpr);
        if (!inner)
            return;
        kni_layout_puts(&p->layout, "let ");
        kni_layout_puts(&p->layout, s->name);
        kni_layout_puts(&p->layout, " = ");
        add_jaxpr(p, s->jaxpr, inner, NULL);
        kni_layout_puts(&p->layout, " in");
        kni_layout_break(&p->layout, " ");
    }
    if (!ok(p))
        return;
    if (p->form == KN_FORM_TYPED)
        mark_dropped(j, name);
    add_jaxpr(p, j, name, p->consts);
}

knx_error *kni_text_modern(const kni_jaxpr *j, kni_jaxpr_form form, const char *const *consts, knx_str *out)
{
    printer p = {.form = form, .consts = consts};
    add_text(&p, j);
    bool done = ok(&p) && kni_layout_run(&p.layout, WIDTH, out);
    kni_layout_free(&p.layout);
    knx_arena_free(&p.arena);
    knx_table_free(&p.index);
    knx_table_free(&p.taken);
    KN_VEC_FREE(&p.met);
    KN_VEC_FREE(&p.order);
    knx_str_free(&p.scratch);
    return done ? NULL : knx_error_nomem();
}

knx_error *kni_text_consts(const kni_jaxpr *j, kni_jaxpr_form form, const char *const *consts, char **out)
{
    knx_str t = {0};
    *out = NULL;
    knx_error *e = form == KN_FORM_CLASSIC ? kni_text_classic(j, &t) : kni_text_modern(j, form, consts, &t);
    if (e) {
        knx_str_free(&t);
        return e;
    }
    *out = knx_str_take(&t);
    return *out ? NULL : knx_error_nomem();
}

knx_error *kni_text(const kni_jaxpr *j, kni_jaxpr_form form, char **out) { return kni_text_consts(j, form, NULL, out); }

bool kni_place_inside(const kni_prim *prim, const void *params, const kn_place *place)
{
    for (const kni_param_field *f = prim->fields; place && f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int k = 0; k < inner.n; k++)
            for (uint32_t i = 0; i < inner.v[k]->n_eqn; i++) {
                const kni_eqn *e = &inner.v[k]->eqn[i];
                if (e->place == place || kni_place_inside(e->prim, e->params, place))
                    return true;
            }
    }
    return false;
}
