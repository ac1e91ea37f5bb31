/* SPDX-License-Identifier: Apache-2.0
 * parse.c -- reads the full form. Equations go through the builder, so the type rules check them, and the types in
 * the text are compared with theirs. Only nested jaxprs recurse, to a bounded depth; memory is proportional to the
 * text. */
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/prim.h"
#include <string.h>

enum { MOST_FIELDS = 64 };

typedef struct shared {
    kni_word name;
    kni_jaxpr *jaxpr;
} shared;
static kni_jaxpr *parse_jaxpr(kni_parser *p, char ***consts);

static void parse_binder(kni_parser *p, kni_parse_scope *s)
{
    kni_parse_binder one = {.name = kni_parse_word(p, "a variable")};
    if (!p->error && !kni_parse_is_name(one.name))
        kni_parse_fail(p, one.name.s, KN_ERROR_VALUE, "expected a variable");
    if (!kni_parse_need(p, ':') || !kni_parse_type(p, &one.type))
        return;
    if (*p->at == '=' && p->at[1] == '"') {
        p->at++;
        one.text = kni_parse_string(p);
    }
    if (!p->error && !KN_VEC_PUSH(&s->binders, one))
        kni_parse_no_memory(p);
}

static void parse_inputs(kni_parser *p, kni_parse_scope *s, char end, bool constants)
{
    s->binders.n = 0;
    while (!p->error && !kni_parse_is(p, end))
        parse_binder(p, s);
    kni_parse_need(p, end);
    for (size_t i = 0; i < s->binders.n && !p->error; i++) {
        const kni_parse_binder *one = &s->binders.at[i];
        kni_atom a = constants ? knb_constvar(&s->b, one->type) : knb_invar(&s->b, one->type);
        if (!kni_scope_ok(p, s, one->name.s))
            return;
        kni_scope_bind(p, s, one->name, a);
        if (constants && !KN_VEC_PUSH(&s->consts, one->text))
            kni_parse_no_memory(p);
        if (!constants && one->text)
            kni_parse_fail(p, one->name.s, KN_ERROR_VALUE, "an input has no value");
    }
}

static void parse_atom(kni_parser *p, kni_parse_scope *s)
{
    kni_atom a = KN_ATOM_NONE;
    if (kni_parse_is_literal(p)) {
        kni_literal l;
        if (kni_parse_literal(p, &l))
            a = knb_literal(&s->b, l.type.dtype, l.type.weak, l.bits);
    } else {
        kni_word name = kni_parse_word(p, "a variable or literal");
        const kni_parse_variable *v = p->error ? NULL : kni_scope_find(s, name);
        if (!v)
            kni_parse_fail(p, name.s, KN_ERROR_VALUE, "%.*s is not bound", (int)(name.n < 40 ? name.n : 40), name.s);
        else
            a = v->atom;
    }
    if (kni_scope_ok(p, s, p->at) && !KN_VEC_PUSH(&s->atoms, a))
        kni_parse_no_memory(p);
}

/* Parameters */

static kni_jaxpr *parse_sub_jaxpr(kni_parser *p)
{
    if (!kni_parse_is(p, '$'))
        return parse_jaxpr(p, NULL);
    kni_word name = kni_parse_word(p, "a jaxpr");
    size_t cursor;
    uint64_t hash = kni_word_hash(name);
    for (shared *s = knx_table_first(&p->shared, hash, &cursor); s && !p->error;
         s = knx_table_next(&p->shared, hash, &cursor))
        if (kni_word_same(s->name, name))
            return kni_retain(s->jaxpr);
    kni_parse_fail(p, name.s, KN_ERROR_VALUE, "there is no such jaxpr");
    return NULL;
}

/* Several of them in parentheses, blanks between. What is read belongs to `out`, also after an error. */
static void parse_sub_jaxprs(kni_parser *p, kni_jaxprs *out)
{
    KN_VEC(kni_jaxpr *) list = {0};
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        kni_jaxpr *j = parse_sub_jaxpr(p);
        if (j && !KN_VEC_PUSH(&list, j)) {
            kni_release(j);
            kni_parse_no_memory(p);
        }
    }
    kni_parse_need(p, ')');
    kni_jaxpr **own = list.n ? knx_arena_copy(&p->arena, list.at, list.n * sizeof *own) : NULL;
    if (list.n && !own) {
        for (size_t i = 0; i < list.n; i++)
            kni_release(list.at[i]);
        kni_parse_no_memory(p);
    }
    *out = (kni_jaxprs){own ? (int)list.n : 0, own};
    KN_VEC_FREE(&list);
}

static int64_t parse_enum(kni_parser *p, const kni_param_field *f)
{
    kni_word w = kni_parse_word(p, "a name");
    for (int64_t i = 0; f->names[i]; i++)
        if (kni_word_is(w, f->names[i]))
            return i;
    kni_parse_fail(p, w.s, KN_ERROR_VALUE, "this is no value of %s", f->name);
    return 0;
}

static bool parse_bool(kni_parser *p)
{
    kni_word w = kni_parse_word(p, "True or False");
    if (!kni_word_is(w, "True") && !kni_word_is(w, "False"))
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "expected True or False");
    return kni_word_is(w, "True");
}

static bool take_none(kni_parser *p)
{
    bool none = kni_word_is(kni_parse_peek(p), "None");
    p->at += none ? 4 : 0;
    return none;
}

#define FIELD_AT(type, base, field) (*(type *)((char *)(base) + (field)->offset))

/* "f_jvp", and the jaxpr where it always gives the same one; the classic form leaves the quotes out. */
static kni_thunk *parse_thunk(kni_parser *p)
{
    const char *name = NULL;
    if (kni_parse_is(p, '"')) {
        name = kni_parse_string(p);
    } else {
        kni_word w = kni_parse_word(p, "the name of a rule");
        char *own = p->error ? NULL : kni_parse_alloc(p, w.n + 1);
        name = own ? memcpy(own, w.s, w.n) : NULL;
    }
    bool held = name && !p->error && (kni_parse_is(p, '{') || kni_parse_is(p, '$'));
    kni_jaxpr *j = held ? parse_sub_jaxpr(p) : NULL;
    kni_thunk *t = p->error || !name ? NULL : kni_thunk_new(name, j);
    if (!p->error && !t)
        kni_parse_no_memory(p);
    kni_release(j);
    return t;
}

void kni_parse_field(kni_parser *p, const kni_param_field *f, void *params)
{
    switch (f->kind) {
    case KN_P_INT: kni_parse_dim(p, &FIELD_AT(int64_t, params, f)); break;
    case KN_P_BOOL: FIELD_AT(bool, params, f) = parse_bool(p); break;
    case KN_P_DTYPE:
        if (!(f->flags & KN_PF_HIDE_EMPTY) || !take_none(p))
            FIELD_AT(kn_dtype, params, f) = kni_parse_dtype(p);
        break;
    case KN_P_INTS: kni_parse_ints(p, &FIELD_AT(kni_ints, params, f)); break;
    case KN_P_STRING:
        if (!take_none(p))
            FIELD_AT(char *, params, f) = kni_parse_string(p);
        break;
    case KN_P_JAXPR: FIELD_AT(kni_jaxpr *, params, f) = parse_sub_jaxpr(p); break;
    case KN_P_ENUM: FIELD_AT(int64_t, params, f) = parse_enum(p, f); break;
    case KN_P_DOUBLE: kni_parse_double(p, &FIELD_AT(double, params, f)); break;
    case KN_P_DOUBLES: kni_parse_doubles(p, &FIELD_AT(kni_doubles, params, f)); break;
    case KN_P_NAMES: kni_parse_names(p, &FIELD_AT(kni_names, params, f)); break;
    case KN_P_THUNK: FIELD_AT(kni_thunk *, params, f) = parse_thunk(p); break;
    case KN_P_JAXPRS: parse_sub_jaxprs(p, &FIELD_AT(kni_jaxprs, params, f)); break;
    case KN_P_MESH: kni_parse_mesh(p, &FIELD_AT(const kni_mesh *, params, f)); break;
    case KN_P_SHARDING: kni_parse_sharding(p, &FIELD_AT(const kni_sharding *, params, f)); break;
    case KN_P_SHARDINGS: kni_parse_shardings(p, &FIELD_AT(kni_shardings, params, f)); break;
    case KN_P_TEXT: break;
    }
}

static const kni_param_field *field_named(const kni_prim *prim, kni_word name, int *which)
{
    *which = 0;
    for (const kni_param_field *f = prim->fields; f && f->name; f++, (*which)++)
        if (f->kind != KN_P_TEXT && !(f->flags & KN_PF_DERIVED) && kni_word_is(name, f->name))
            return f;
    return NULL;
}

/* All members but optional ones, each once, in any order. */
static void parse_params(kni_parser *p, const kni_prim *prim, void *params)
{
    uint64_t seen = 0;
    const char *start = p->at;
    bool listed = kni_parse_take(p, '[');
    while (listed && !p->error && !kni_parse_is(p, ']')) {
        int which;
        kni_word name = kni_parse_word(p, "a parameter");
        const kni_param_field *f = field_named(prim, name, &which);
        if (!f || !params)
            kni_parse_fail(p, name.s, KN_ERROR_VALUE, "%s has no such parameter", prim->name);
        else if (which >= MOST_FIELDS || (seen >> which & 1))
            kni_parse_fail(p, name.s, KN_ERROR_VALUE, "parameter %s is given twice", f->name);
        else if (kni_parse_need(p, '=')) {
            seen |= (uint64_t)1 << which;
            kni_parse_field(p, f, params);
        }
    }
    if (listed)
        kni_parse_need(p, ']');
    int which = 0;
    for (const kni_param_field *f = prim->fields; f && f->name && !p->error; f++, which++)
        if (f->kind != KN_P_TEXT && !(f->flags & (KN_PF_OPTIONAL | KN_PF_DERIVED)) &&
            (which >= MOST_FIELDS || !(seen >> which & 1)))
            kni_parse_fail(p, start, KN_ERROR_VALUE, "parameter %s of %s is missing", f->name, prim->name);
}

/* Equations */

static const kn_place *parse_place(kni_parser *p)
{
    int64_t line = 0;
    if (!kni_parse_take(p, '@'))
        return NULL;
    const char *start = p->at, *file = kni_parse_string(p);
    if (file && kni_parse_need(p, ':') && kni_parse_int(p, &line) && kni_parse_need(p, ':')) {
        const char *function = kni_parse_string(p);
        if (line < INT32_MIN || line > INT32_MAX)
            kni_parse_fail(p, start, KN_ERROR_VALUE, "an impossible line");
        else if (function)
            return kni_place(file, (int)line, function);
    }
    return NULL;
}

static const kni_prim *parse_prim(kni_parser *p)
{
    kni_word w = kni_parse_word(p, "a primitive");
    const kni_prim *prim = p->error ? NULL : kni_prim_find_n(w.s, w.n, false);
    if (!prim)
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "there is no primitive %.*s", (int)(w.n < 40 ? w.n : 40), w.s);
    return prim;
}

static bool at_operand(kni_parser *p)
{
    return !p->error && !kni_parse_is(p, ';') && !kni_parse_is(p, '@') && *p->at &&
           !kni_word_is(kni_parse_peek(p), "in");
}

/* Binds the results and compares their types with those of the text. */
static void bind_results(kni_parser *p, kni_parse_scope *s, const char *start, const kni_prim *prim,
                         const kni_atom *out, size_t n)
{
    if (n != s->binders.n)
        kni_parse_fail(p, start, KN_ERROR_VALUE, "%s has %zu results, not %zu", prim->name, n, s->binders.n);
    for (size_t i = 0; i < s->binders.n && !p->error; i++) {
        const kni_parse_binder *one = &s->binders.at[i];
        kni_type t = knb_type(&s->b, out[i]);
        knx_text has = {0}, given = {0};
        if (one->text || !kni_type_equal(t, one->type))
            kni_parse_fail(p, one->name.s, KN_ERROR_TYPE, "%s gives %s%s, not %s%s", prim->name,
                           kni_type_text(&has, t, false), t.weak ? "*" : "", kni_type_text(&given, one->type, false),
                           one->type.weak ? "*" : "");
        else
            kni_scope_bind(p, s, one->name, out[i]);
    }
}

static bool at_binder(kni_parser *p)
{
    kni_word w = kni_parse_peek(p);
    const char *s = w.s + w.n;
    while (*s == ' ')
        s++;
    return w.n && *s == ':';
}

static void parse_equation(kni_parser *p, kni_parse_scope *s)
{
    const char *start;
    s->binders.n = s->atoms.n = 0;
    bool binds = at_binder(p);
    while (!p->error && at_binder(p))
        parse_binder(p, s);
    if (binds)
        kni_parse_need(p, '=');
    kni_parse_is(p, ' '); /* skip blanks, so that messages point at the primitive */
    start = p->at;
    const kni_prim *prim = parse_prim(p);
    if (!prim)
        return;
    size_t n_out = s->binders.n;
    void *params = prim->params_size ? kni_parse_alloc(p, prim->params_size) : NULL;
    parse_params(p, prim, params);
    while (at_operand(p))
        parse_atom(p, s);
    size_t n_in = s->atoms.n;
    s->b.place = parse_place(p);
    if (!p->error && !KN_VEC_RESERVE(&s->atoms, n_out + 1))
        kni_parse_no_memory(p);
    if (!p->error) {
        kni_atom *out = s->atoms.at + n_in;
        int n = knb_emit(&s->b, prim, params, (int)n_in, s->atoms.at, out, (int)n_out);
        if (kni_scope_ok(p, s, start))
            bind_results(p, s, start, prim, out, (size_t)n);
    }
    kni_params_drop(prim, params); /* the builder retains what it needs */
}

static void parse_results(kni_parser *p, kni_parse_scope *s)
{
    s->atoms.n = 0;
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        parse_atom(p, s);
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    kni_parse_need(p, '}');
}

static void parse_body(kni_parser *p, kni_parse_scope *s)
{
    kni_parse_need(p, '{');
    kni_parse_need_word(p, "lambda");
    if (kni_parse_is(p, '"'))
        s->name = kni_parse_string(p);
    parse_inputs(p, s, ';', true);
    parse_inputs(p, s, '.', false);
    kni_parse_need_word(p, "let");
    if (!kni_word_is(kni_parse_peek(p), "in"))
        do
            parse_equation(p, s);
        while (kni_parse_take(p, ';'));
    kni_parse_need_word(p, "in");
    parse_results(p, s);
}

/* The constants' texts in one block: pointers, then characters. */
static char **pack_consts(kni_parser *p, const kni_parse_scope *s)
{
    size_t bytes = (s->consts.n + 1) * sizeof(char *);
    for (size_t i = 0; i < s->consts.n; i++)
        bytes += s->consts.at[i] ? strlen(s->consts.at[i]) + 1 : 0;
    char **block = knx_alloc(bytes);
    if (!block) {
        kni_parse_no_memory(p);
        return NULL;
    }
    char *to = (char *)(block + s->consts.n + 1);
    for (size_t i = 0; i < s->consts.n; i++) {
        const char *text = s->consts.at[i];
        block[i] = text ? to : NULL;
        if (text)
            to = (char *)memcpy(to, text, strlen(text) + 1) + strlen(text) + 1;
    }
    block[s->consts.n] = NULL;
    return block;
}

static kni_jaxpr *parse_jaxpr(kni_parser *p, char ***consts)
{
    const char *start;
    kni_parse_scope *s = kni_scope_begin(p, &start);
    if (!s)
        return NULL;
    parse_body(p, s);
    kni_jaxpr *j = kni_scope_end(p, s, start);
    if (j && consts)
        *consts = pack_consts(p, s);
    if (p->error) {
        kni_release(j);
        j = NULL;
    }
    kni_scope_free(s);
    return j;
}

/* let $1 = { ... } in */
static void parse_shared(kni_parser *p)
{
    kni_parse_need_word(p, "let");
    if (!kni_parse_is(p, '$'))
        kni_parse_fail(p, p->at, KN_ERROR_VALUE, "expected a name that begins with $");
    kni_word name = kni_parse_word(p, "a name");
    kni_parse_need(p, '=');
    kni_jaxpr *j = p->error ? NULL : parse_jaxpr(p, NULL);
    shared *s = kni_parse_alloc(p, sizeof *s);
    if (!s || !j) {
        kni_release(j);
        return;
    }
    *s = (shared){name, j};
    if (!knx_table_add(&p->shared, kni_word_hash(name), s)) {
        kni_release(j);
        kni_parse_no_memory(p);
    }
    kni_parse_need_word(p, "in");
}

/* where "b >= 2"; false: there is none. */
static bool parse_constraints(kni_parser *p)
{
    if (!kni_word_is(kni_parse_peek(p), "where"))
        return false;
    kni_parse_need_word(p, "where");
    kni_parse_peek(p);
    const char *start = p->at;
    char *text = kni_parse_string(p);
    if (text)
        kni_parse_wrap(p, start, knx_dim_scope_read(&p->dims, text));
    return true;
}

static void release_shared(kni_parser *p)
{
    for (size_t i = 0; i < p->shared.cap; i++)
        if (p->shared.slot[i].value)
            kni_release(((shared *)p->shared.slot[i].value)->jaxpr);
    knx_table_free(&p->shared);
}

knx_error *kni_parse_consts(const char *text, kni_jaxpr **out, char ***consts)
{
    kni_parser p = {.text = text, .at = text};
    *out = NULL;
    if (consts)
        *consts = NULL;
    knx_dim_scope_init(&p.dims);
    bool own = parse_constraints(&p) || !knx_dim_now(); /* else the scope in force says what holds */
    if (own)
        knx_dim_enter(&p.dims);
    while (!p.error && kni_word_is(kni_parse_peek(&p), "let"))
        parse_shared(&p);
    kni_jaxpr *j = p.error ? NULL : parse_jaxpr(&p, consts);
    if (j && !kni_parse_is(&p, '\0'))
        kni_parse_fail(&p, p.at, KN_ERROR_VALUE, "text behind the jaxpr");
    if (p.error) {
        kni_release(j);
        if (consts) {
            knx_free(*consts);
            *consts = NULL;
        }
    } else {
        *out = j;
    }
    if (own)
        knx_dim_leave(&p.dims);
    knx_dim_scope_free(&p.dims);
    release_shared(&p);
    knx_arena_free(&p.arena);
    return p.error;
}

knx_error *kni_parse(const char *text, kni_jaxpr **out) { return kni_parse_consts(text, out, NULL); }
