/* SPDX-License-Identifier: Apache-2.0
 * parse_classic.c -- reads the form of 2020, which has no types: those of constants and inputs are given, those of
 * results follow from the type rules. A literal's dtype is not in the text either: it takes that of an operand beside
 * it, or a default, whichever the type rule accepts first. Equations stand on lines of their own. Where a jaxpr has no
 * semicolon (two of the examples of 2020), its inputs begin at the variable a, which is how they are named. */
#include "ir/ops.h"
#include "ir/text/parse.h"
#include "ir/text/parse_literal.h"
#include "ir/prim.h"
#include <string.h>

enum { MOST_GIVEN = 32, MOST_TRIALS = 20000, MOST_DTYPES = 6 };

/* A parameter of the text: where its value begins. */
typedef struct given {
    kni_word name;
    const char *value;
    bool used;
} given;

/* An operand: a variable, or the text of a literal whose dtype is open. */
typedef struct operand {
    kni_atom atom;
    kni_word literal; /* n is 0 for a variable */
    literal_kind kind;
    bool unit; /* *, of which no one knows the type, and which no one reads */
} operand;

typedef struct equation {
    const char *start;
    const kni_prim *prim;
    int n_given;
    given given[MOST_GIVEN];
    KN_VEC(operand) in;
    kni_atom index;                       /* of a choice: made of its predicate; KN_ATOM_NONE: not yet */
    kn_dtype dtype[N_KINDS][MOST_DTYPES]; /* that literals of a kind may have, the likeliest first */
    int n_dtype[N_KINDS];
} equation;

typedef struct reader {
    kni_parser p;
    int trials;
    kn_dtype prefer[N_KINDS]; /* of literals beside which nothing says their dtype */
    bool guessed;             /* there was one */
} reader;

static kni_jaxpr *read_jaxpr(reader *r, int n_const, const kni_type *consts, int n_in, const kni_type *in);

/* Lines and words */

static void skip_in_line(kni_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool at_line_end(kni_parser *p)
{
    skip_in_line(p);
    return p->error || *p->at == '\n' || *p->at == '\r' || *p->at == '\0' || *p->at == '}';
}

/* A token up to the next blank outside of parentheses. */
static kni_word token(const char *s)
{
    size_t n = 0;
    for (int depth = 0; s[n] && (depth || !strchr(" \t\n\r,)]}", s[n])); n++)
        depth += s[n] == '(' ? 1 : s[n] == ')' ? -1 : 0;
    return (kni_word){s, n};
}

/* Is what begins here an equation with results? Then its line has a = before any parameters. */
static bool binds(const char *s) { return s[strcspn(s, "=[\n}(")] == '='; }

/* Behind a sign with blanks around it, as in 2*b + 3 and - b; NULL: here is none. */
static const char *behind_sign(const char *s)
{
    s += *s == ' ';
    return (*s == '+' || *s == '-') && s[1] == ' ' ? s + 2 : NULL;
}

/* Behind a value: blanks, or the closing bracket, outside of any bracket and of double quotes. */
static const char *value_end(const char *s)
{
    bool quoted = false;
    for (int depth = 0; *s; s++) {
        while (!depth && !quoted && behind_sign(s))
            s = behind_sign(s);
        if (!*s || (!depth && !quoted && strchr(" \n\t\r]", *s)))
            break;
        quoted ^= *s == '"';
        if (quoted)
            s += *s == '\\' && s[1];
        else
            depth += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
    }
    return s;
}

/* Parameters */

static void find_params(kni_parser *p, equation *e)
{
    e->n_given = 0;
    if (!kni_parse_take(p, '['))
        return;
    while (!p->error && !kni_parse_is(p, ']')) {
        kni_word name = kni_parse_word(p, "a parameter");
        kni_parse_need(p, '=');
        if (e->n_given == MOST_GIVEN)
            kni_parse_fail(p, name.s, KN_ERROR_VALUE, "more than %d parameters", MOST_GIVEN);
        for (int i = 0; i < e->n_given; i++)
            if (kni_word_same(e->given[i].name, name))
                kni_parse_fail(p, name.s, KN_ERROR_VALUE, "parameter %.*s is given twice",
                               (int)(name.n < 40 ? name.n : 40), name.s);
        if (p->error)
            return;
        kni_parse_is(p, ' '); /* skip blanks */
        e->given[e->n_given++] = (given){name, p->at, false};
        p->at = value_end(p->at);
    }
    kni_parse_need(p, ']');
}

static given *given_for(equation *e, const kni_param_field *f)
{
    const char *name = f->classic_name ? f->classic_name : f->name;
    for (int i = 0; i < e->n_given; i++)
        if (kni_word_is(e->given[i].name, name))
            return &e->given[i];
    return NULL;
}

static void read_string(kni_parser *p, const kni_param_field *f, void *params)
{
    kni_word w = token(p->at);
    char *s = kni_word_is(w, "None") ? NULL : kni_parse_alloc(p, w.n + 1);
    if (s)
        memcpy(s, w.s, w.n);
    *(char **)((char *)params + f->offset) = s;
}

static kni_jaxpr *read_body(reader *r, const equation *e, int which, const kni_type *xt, const void *params)
{
    int n = (int)e->in.n;
    kni_type *t = kni_parse_alloc(&r->p, ((size_t)n + 1) * sizeof *t);
    if (!t)
        return NULL;
    if (n)
        memcpy(t, xt, (size_t)n * sizeof *t);
    if (e->prim->body_types)
        n = e->prim->body_types(
            &(kni_rule){.prim = e->prim, .params = params, .n_in = n, .xt = xt, .arena = &r->p.arena}, which, t);
    return read_jaxpr(r, 0, NULL, n, t);
}

/* ( { ... } { ... } ); the list is as long as the parser's arena, its jaxprs belong to the parameters. */
static void read_bodies(reader *r, const equation *e, int which, const kni_type *xt, const void *params,
                        kni_jaxprs *out)
{
    kni_parser *p = &r->p;
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        kni_jaxpr **longer = kni_parse_alloc(p, ((size_t)out->n + 1) * sizeof *longer);
        if (!longer)
            return;
        for (int i = 0; i < out->n; i++)
            longer[i] = out->v[i];
        if ((longer[out->n] = read_body(r, e, which + out->n, xt, params)))
            *out = (kni_jaxprs){out->n + 1, longer};
    }
    kni_parse_need(p, ')');
}

/* How many inputs of the jaxpr that begins here stand for what its function captured: its own are named from a. */
static int64_t count_captured(const char *s)
{
    int64_t n = 0;
    for (s += strcspn(s, ";}"); *s && !strchr(".}", *s); s++) {
        bool begins = !strchr(" \t\r\n;", *s) && strchr(" \t\r\n;", s[-1]);
        if (begins && *s == 'a' && strchr(" \t\r\n.", s[1]))
            return n;
        n += begins;
    }
    return 0;
}

static bool counts_captured(const kni_prim *prim, const kni_param_field *body)
{
    for (const kni_param_field *f = prim->fields; body->consts && f->name; f++)
        if (f->kind == KN_P_INT && f->offset + 1 == body->consts)
            return f->flags & KN_PF_HIDE_CLASSIC;
    return false;
}

/* One member from its text; `bodies`: jaxprs now, all others before. */
static void read_field(reader *r, equation *e, const kni_param_field *f, int which, const kni_type *xt, void *params)
{
    kni_parser *p = &r->p;
    given *g = given_for(e, f);
    if (!g) {
        if (!(f->flags & (KN_PF_HIDE_CLASSIC | KN_PF_BRANCHES | KN_PF_OPTIONAL)) && f->kind != KN_P_TEXT)
            kni_parse_fail(p, e->start, KN_ERROR_VALUE, "parameter %s of %s is missing",
                           f->classic_name ? f->classic_name : f->name, e->prim->name);
        return; /* a choice without branches is refused by its type rule */
    }
    g->used = true;
    p->at = g->value;
    bool none = kni_word_is(token(p->at), "None");
    if (f->kind == KN_P_TEXT)
        f->read ? f->read(p, e->prim->fields, params) : (void)0;
    else if (f->kind == KN_P_STRING && *p->at == '"')
        kni_parse_field(p, f, params);
    else if (f->kind == KN_P_STRING)
        read_string(p, f, params);
    else if (f->kind == KN_P_JAXPRS)
        read_bodies(r, e, which, xt, params, (kni_jaxprs *)((char *)params + f->offset));
    else if (f->kind == KN_P_JAXPR) {
        if (!none && counts_captured(e->prim, f)) /* the text does not say it */
            *(int64_t *)((char *)params + f->consts - 1) = count_captured(p->at);
        *(kni_jaxpr **)((char *)params + f->offset) = none ? NULL : read_body(r, e, which, xt, params);
    } else if (!(none && (f->kind == KN_P_INTS || f->kind == KN_P_DTYPE)))
        kni_parse_field(p, f, params);
}

static void read_params(reader *r, equation *e, const kni_type *xt, void *params)
{
    kni_parser *p = &r->p;
    for (int bodies = 0; bodies < 2; bodies++) {
        int which = 0;
        for (const kni_param_field *f = e->prim->fields; f && f->name && !p->error; f++) {
            bool body = f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS;
            if (body == (bodies == 1) && !(f->flags & (KN_PF_PRIM_NAME | KN_PF_DERIVED)))
                read_field(r, e, f, which, xt, params);
            which += body;
        }
    }
    for (int i = 0; i < e->n_given && !p->error; i++)
        if (!e->given[i].used)
            kni_parse_fail(p, e->given[i].name.s, KN_ERROR_VALUE, "%s has no such parameter", e->prim->name);
}

/* Choices between two jaxprs (branches.c) */

static bool is_choice(const equation *e)
{
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++)
        if (f->flags & KN_PF_BRANCHES)
            for (int i = 0; i < e->n_given; i++)
                if (kni_word_is(e->given[i].name, "true_jaxpr"))
                    return true;
    return false;
}

static const char *take_given(reader *r, equation *e, const char *name)
{
    for (int i = 0; i < e->n_given; i++)
        if (kni_word_is(e->given[i].name, name)) {
            e->given[i].used = true;
            return e->given[i].value;
        }
    kni_parse_fail(&r->p, e->start, KN_ERROR_VALUE, "parameter %s of %s is missing", name, e->prim->name);
    return NULL;
}

/* Inputs of the jaxpr whose text begins here. */
static size_t count_inputs(const char *s)
{
    size_t n = 0;
    for (s += strcspn(s, ";}"); *s && !strchr(".}", *s); s++)
        n += !strchr(" \t\r\n;", *s) && strchr(" \t\r\n;", s[-1]);
    return n;
}

/* j over `n` inputs of these types: its own are those in front of `first` and those behind the next `skip`. */
static kni_jaxpr *widened(reader *r, const kni_jaxpr *j, size_t n, const kni_type *t, size_t first, size_t skip)
{
    kni_builder b;
    kni_jaxpr *wide = NULL;
    kni_atom *x = kni_parse_alloc(&r->p, (n + (j ? j->n_out : 0) + 1) * sizeof *x);
    size_t own = 0;
    if (!x || !j)
        return NULL;
    knb_init(&b);
    for (size_t i = 0; i < n; i++) {
        kni_atom a = knb_invar(&b, t[i]);
        if (i < first || i >= first + skip)
            x[own++] = a;
    }
    knb_inline(&b, j, x, x + own);
    kni_parse_wrap(&r->p, r->p.at, knb_finish(&b, (int)j->n_out, x + own, j->name, false, &wide));
    knb_free(&b);
    return wide;
}

/* Tangents among the operands: own of the branch for true, then what that for false takes. */
static void read_choice_linear(kni_parser *p, const char *text, size_t n_true, size_t n_false, size_t own,
                               kni_p_cond *cond)
{
    if (p->error)
        return;
    p->at = text;
    kni_ints v = kni_read_truths(p);
    int64_t *linear = kni_parse_alloc(p, (own + n_false + 1) * sizeof *linear);
    bool any = false;
    for (int i = 0; i < v.n; i++)
        any |= v.v[i];
    if (p->error || !any || (size_t)v.n != n_true + n_false)
        return;
    for (size_t i = 0; i < own + n_false; i++)
        linear[i] = v.v[i < own ? i : i - own + n_true];
    cond->linear = (kni_ints){(int)(own + n_false), linear};
}

/* Operands in the text: predicate, what the branch for true takes, what that for false takes. What both have at their
 * ends is taken once. */
static void read_choice(reader *r, kni_parse_scope *s, equation *e, const kni_type *xt, kni_p_cond *cond)
{
    kni_parser *p = &r->p;
    const char *text[2] = {take_given(r, e, "false_jaxpr"), take_given(r, e, "true_jaxpr")};
    const char *linear_text = take_given(r, e, "linear");
    size_t n = s->atoms.n, n_true = text[1] ? count_inputs(text[1]) : 0, common = 0;
    if (!p->error && (!n || n_true > n - 1))
        kni_parse_fail(p, e->start, KN_ERROR_VALUE, "true_jaxpr takes %zu operands, but %s has %zu", n_true,
                       e->prim->name, n);
    size_t n_false = n - 1 - n_true;
    kni_type *t = kni_parse_alloc(p, n * sizeof *t);
    kni_atom *in = kni_parse_alloc(p, n * sizeof *in);
    kni_jaxpr **both = kni_parse_alloc(p, 2 * sizeof *both);
    int64_t *consts = kni_parse_alloc(p, n * sizeof *consts); /* as in kni_p_cond */
    if (p->error)
        return;
    const kni_atom *yes = s->atoms.at + 1, *no = yes + n_true;
    while (common < n_true && common < n_false && yes[n_true - 1 - common] == no[n_false - 1 - common])
        common++;
    size_t own[2] = {n_false - common, n_true - common}, total = 0;
    int64_t captured[2] = {count_captured(text[0]), count_captured(text[1])};
    for (size_t i = 0; i < own[1]; i++, total++)
        in[total] = yes[i], t[total] = xt[1 + i], consts[total] = (int64_t)i < captured[1] ? 1 : KN_OPERAND_OF(1);
    for (size_t i = 0; i < n_false; i++, total++) {
        in[total] = no[i];
        t[total] = xt[1 + n_true + i];
        consts[total] = (int64_t)i < captured[0] ? 0 : KN_OPERAND_OF(0);
    }
    for (int k = 0; k < 2 && !p->error; k++) {
        p->at = text[k];
        kni_jaxpr *j =
            k ? read_jaxpr(r, 0, NULL, (int)n_true, xt + 1) : read_jaxpr(r, 0, NULL, (int)n_false, xt + 1 + n_true);
        both[k] = widened(r, j, total, t, k ? own[1] : 0, own[!k]);
        kni_release(j);
        cond->branches = (kni_jaxprs){k + (both[k] != NULL), both};
    }
    cond->consts = (kni_ints){(int)(own[0] + own[1]), consts};
    read_choice_linear(p, linear_text, n_true, n_false, own[1], cond);
    if (xt[0].dtype == KN_DT(BOOL) && !p->error) {
        if (!kni_is_var(s->atoms.at[0]) || e->index == KN_ATOM_NONE)
            e->index = knb_convert(&s->b, s->atoms.at[0], KN_DT(I32));
        s->atoms.at[0] = e->index;
    }
    memcpy(s->atoms.at + 1, in, total * sizeof *in);
    s->atoms.n = total + 1;
}

/* Literals */

static void add_dtype(equation *e, literal_kind kind, kn_dtype d)
{
    for (int i = 0; i < e->n_dtype[kind]; i++)
        if (e->dtype[kind][i] == d)
            return;
    if (e->n_dtype[kind] < MOST_DTYPES)
        e->dtype[kind][e->n_dtype[kind]++] = d;
}

/* The dtypes that the literals may have: those of the variables beside them, then the defaults. */
static void find_dtypes(reader *r, const kni_parse_scope *s, equation *e)
{
    memset(e->n_dtype, 0, sizeof e->n_dtype);
    for (size_t i = 0; i < e->in.n; i++) {
        if (e->in.at[i].literal.n)
            continue;
        kn_dtype d = knb_type(&s->b, e->in.at[i].atom).dtype;
        literal_kind kind = kni_kind_of_dtype(d);
        if (kind < N_KINDS && e->n_dtype[kind] < MOST_DTYPES - 2)
            add_dtype(e, kind, d);
    }
    for (int k = 0; k < N_KINDS; k++) {
        bool used = false;
        for (size_t i = 0; i < e->in.n; i++)
            used |= e->in.at[i].literal.n && e->in.at[i].kind == (literal_kind)k;
        r->guessed |= used && k != L_BOOL && !e->n_dtype[k];
        add_dtype(e, (literal_kind)k, r->prefer[k]);
        if (!used)
            e->n_dtype[k] = 1; /* nothing to choose */
    }
}

/* Equations */

static bool has_units(const kni_prim *prim)
{
    for (const kni_param_field *f = prim->fields; f && f->name; f++)
        if (f->flags & KN_PF_UNITS)
            return true;
    return false;
}

/* In the place of a unit: another operand with a first axis, a constant if there is one. */
static void fill_units(kni_parser *p, const kni_parse_scope *s, equation *e)
{
    kni_atom best = KN_ATOM_NONE;
    bool any = false, constant = false;
    for (size_t i = 0; i < e->in.n; i++) {
        const operand *one = &e->in.at[i];
        any |= one->unit;
        if (one->unit || one->literal.n || !knb_type(&s->b, one->atom).ndim)
            continue;
        bool is = false;
        for (size_t k = 0; k < s->b.constvar.n; k++)
            is |= s->b.constvar.at[k] == one->atom;
        if (best == KN_ATOM_NONE || (is && !constant))
            best = one->atom;
        constant |= is;
    }
    if (any && best == KN_ATOM_NONE)
        kni_parse_fail(p, e->start, KN_ERROR_VALUE, "%s has nothing but * to loop over", e->prim->name);
    for (size_t i = 0; i < e->in.n; i++)
        if (e->in.at[i].unit)
            e->in.at[i].atom = best;
}

static void read_operand(kni_parser *p, const kni_parse_scope *s, equation *e)
{
    operand one = {.atom = KN_ATOM_NONE};
    kni_word w = token(p->at);
    const kni_parse_variable *v = kni_scope_find(s, w);
    if (v)
        one.atom = v->atom;
    else if (kni_is_literal_text(w)) {
        one.literal = w;
        one.kind = kni_kind_of_text(w);
    } else if (kni_word_is(w, "*") && has_units(e->prim))
        one.unit = true;
    else
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "%.*s is not bound", (int)(w.n < 40 ? w.n : 40), w.s);
    p->at += w.n;
    if (!p->error && !KN_VEC_PUSH(&e->in, one))
        kni_parse_no_memory(p);
}

static const kni_prim *find_prim(kni_parser *p)
{
    kni_word w = kni_parse_word(p, "a primitive");
    const kni_prim *prim = p->error ? NULL : kni_prim_find_n(w.s, w.n, true);
    if (!prim)
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "there is no primitive %.*s", (int)(w.n < 40 ? w.n : 40), w.s);
    return prim;
}

/* Emits the equation with the literals' dtypes as numbered by `choice`; false with p->error if that is refused. */
static bool try_emit(reader *r, kni_parse_scope *s, equation *e, const int choice[N_KINDS], bool exact)
{
    kni_parser *p = &r->p;
    size_t n = e->in.n, n_out = s->binders.n;
    kni_type *xt = kni_parse_alloc(p, (n + 1) * sizeof *xt);
    void *params = e->prim->params_size ? kni_parse_alloc(p, e->prim->params_size) : NULL;
    s->atoms.n = 0;
    for (size_t i = 0; i < n && !p->error; i++) {
        const operand *one = &e->in.at[i];
        kni_atom a = one->atom;
        knx_scalar_bits bits;
        if (one->literal.n) {
            kn_dtype d = e->dtype[one->kind][choice[one->kind]];
            if (!kni_literal_bits(one->literal, d, exact, &bits))
                kni_parse_fail(p, one->literal.s, KN_ERROR_VALUE, "this is no literal of type %s", d->name);
            else
                a = knb_literal(&s->b, d, false, bits);
        }
        xt[i] = knb_type(&s->b, a);
        if (!p->error && !KN_VEC_PUSH(&s->atoms, a))
            kni_parse_no_memory(p);
    }
    for (int i = 0; i < e->n_given; i++)
        e->given[i].used = false;
    if (!p->error && is_choice(e))
        read_choice(r, s, e, xt, params);
    if (!p->error)
        read_params(r, e, xt, params);
    n = s->atoms.n;
    if (!p->error && !KN_VEC_RESERVE(&s->atoms, n_out + 1))
        kni_parse_no_memory(p);
    if (!p->error) {
        kni_atom *out = s->atoms.at + n;
        int made = knb_emit(&s->b, e->prim, params, (int)n, s->atoms.at, out, (int)n_out);
        if (kni_scope_ok(p, s, e->start) && (size_t)made != n_out)
            kni_parse_fail(p, e->start, KN_ERROR_VALUE, "%s has %d results, not %zu", e->prim->name, made, n_out);
        for (size_t i = 0; i < n_out && !p->error; i++)
            kni_scope_bind(p, s, s->binders.at[i].name, out[i]);
    }
    if (params)
        kni_params_drop(e->prim, params); /* the builder retains what it needs */
    return !p->error;
}

static bool next_choice(const equation *e, int choice[N_KINDS])
{
    for (int k = 0; k < N_KINDS; k++) {
        if (++choice[k] < e->n_dtype[k])
            return true;
        choice[k] = 0;
    }
    return false;
}

/* Tries the dtypes of literals one after the other, first those that print them like that; the error is that of the
 * first trial. */
static void emit(reader *r, kni_parse_scope *s, equation *e)
{
    kni_parser *p = &r->p;
    int choice[N_KINDS] = {0};
    bool exact = true;
    knx_error *first = NULL;
    find_dtypes(r, s, e);
    while (!p->error && !try_emit(r, s, e, choice, exact)) {
        bool fatal = p->error->kind == KN_ERROR_MEMORY;
        if (fatal || !first) {
            knx_error_release(first);
            first = p->error;
        } else {
            knx_error_release(p->error);
        }
        p->error = NULL;
        bool more = next_choice(e, choice);
        if (!more && exact) {
            exact = false;
            more = true;
        }
        if (fatal || ++r->trials > MOST_TRIALS || !more) {
            p->error = first;
            return;
        }
    }
    knx_error_release(first);
}

static void read_equation(reader *r, kni_parse_scope *s)
{
    kni_parser *p = &r->p;
    equation *e = kni_parse_alloc(p, sizeof *e);
    if (!e)
        return;
    e->index = KN_ATOM_NONE;
    s->binders.n = 0;
    kni_parse_is(p, ' '); /* skip blanks */
    for (bool more = binds(p->at); more && !p->error && !kni_parse_is(p, '=');) {
        kni_parse_binder one = {.name = kni_parse_word(p, "a variable")};
        if (!p->error && !KN_VEC_PUSH(&s->binders, one))
            kni_parse_no_memory(p);
    }
    if (s->binders.n)
        kni_parse_need(p, '=');
    kni_parse_is(p, ' ');
    e->start = p->at;
    e->prim = find_prim(p);
    if (e->prim && *p->at != '\n') {
        skip_in_line(p);
        find_params(p, e);
    }
    while (!at_line_end(p))
        read_operand(p, s, e);
    const char *end = p->at;
    if (!p->error)
        fill_units(p, s, e);
    if (!p->error)
        emit(r, s, e);
    if (!p->error)
        p->at = end;
    KN_VEC_FREE(&e->in);
}

/* Jaxprs */

/* `until_a`: there is no `end`, but the variable a behind them. */
static void read_binders(kni_parser *p, kni_parse_scope *s, char end, bool until_a, bool constants, int n,
                         const kni_type *type)
{
    const char *start = p->at;
    int i = 0;
    for (; !p->error && !(until_a ? kni_word_is(kni_parse_peek(p), "a") : kni_parse_is(p, end)); i++) {
        kni_word name = kni_parse_word(p, "a variable");
        if (i >= n || p->error)
            continue;
        kni_atom a = constants ? knb_constvar(&s->b, type[i]) : knb_invar(&s->b, type[i]);
        if (kni_scope_ok(p, s, name.s))
            kni_scope_bind(p, s, name, a);
    }
    if ((until_a || kni_parse_need(p, end)) && i != n)
        kni_parse_fail(p, start, KN_ERROR_VALUE, "%d %s, but types of %d are given", i,
                       constants ? "constants" : "inputs", n);
}

static void read_result(reader *r, kni_parse_scope *s)
{
    kni_parser *p = &r->p;
    kni_parse_is(p, ' ');
    kni_word w = token(p->at);
    const kni_parse_variable *v = kni_scope_find(s, w);
    kni_atom a = v ? v->atom : KN_ATOM_NONE;
    if (!v && kni_is_literal_text(w)) {
        knx_scalar_bits bits;
        literal_kind kind = kni_kind_of_text(w);
        kn_dtype d = r->prefer[kind];
        r->guessed |= kind != L_BOOL;
        if (kni_literal_bits(w, d, false, &bits))
            a = knb_literal(&s->b, d, false, bits);
        else
            kni_parse_fail(p, w.s, KN_ERROR_VALUE, "this is no literal of type %s", d->name);
    } else if (!v)
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "%.*s is not bound", (int)(w.n < 40 ? w.n : 40), w.s);
    p->at += w.n;
    if (!p->error && !KN_VEC_PUSH(&s->atoms, a))
        kni_parse_no_memory(p);
}

/* One result bare, several in parentheses; a complex literal has parentheses of its own. */
static void read_results(reader *r, kni_parse_scope *s)
{
    kni_parser *p = &r->p;
    s->atoms.n = 0;
    kni_parse_is(p, ' ');
    kni_word w = token(p->at);
    bool tuple = *p->at == '(' && !(w.n > 2 && w.s[w.n - 2] == 'j' && kni_kind_of_text(w) == L_COMPLEX &&
                                    !memchr(w.s, ',', w.n) && !kni_parse_is_name((kni_word){w.s + 1, w.n - 2}));
    if (!tuple) {
        read_result(r, s);
        return;
    }
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        read_result(r, s);
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
}

static bool at_results(kni_parser *p) { return !p->error && kni_word_is(kni_parse_peek(p), "in") && !binds(p->at); }

static kni_jaxpr *read_jaxpr(reader *r, int n_const, const kni_type *consts, int n_in, const kni_type *in)
{
    kni_parser *p = &r->p;
    const char *start;
    kni_parse_scope *s = kni_scope_begin(p, &start);
    if (!s)
        return NULL;
    kni_parse_need(p, '{');
    kni_parse_need_word(p, "lambda");
    bool semicolon = p->at[strcspn(p->at, ";.}")] == ';';
    read_binders(p, s, ';', !semicolon, true, n_const, consts);
    read_binders(p, s, '.', false, false, n_in, in);
    kni_parse_need_word(p, "let");
    while (!p->error && !at_results(p))
        read_equation(r, s);
    kni_parse_need_word(p, "in");
    if (!p->error)
        read_results(r, s);
    kni_parse_need(p, '}');
    kni_jaxpr *j = kni_scope_end(p, s, start);
    kni_scope_free(s);
    return j;
}

/* The dtypes that literals may have where nothing beside them tells: those of the constants and inputs, then 32 bits,
 * then the others. */
static int preferences(literal_kind kind, int n, const kni_type *type, int m, const kni_type *more, kn_dtype *out)
{
    const kn_dtype others[] = {KN_DT(I32), KN_DT(I64),  KN_DT(U32),  KN_DT(U64), KN_DT(I8),  KN_DT(U8),
                               KN_DT(I16), KN_DT(U16),  KN_DT(F32),  KN_DT(F64), KN_DT(F16), KN_DT(BF16),
                               KN_DT(C64), KN_DT(C128), KN_DT(BOOL), KN_DT(KEY)};
    const int n_others = (int)(sizeof others / sizeof *others);
    int count = 0;
    for (int i = 0; i < n + m + n_others; i++) {
        kn_dtype d = i < n ? type[i].dtype : i < n + m ? more[i - n].dtype : others[i - n - m];
        bool known = kni_kind_of_dtype(d) != kind;
        for (int k = 0; k < count && !known; k++)
            known = out[k] == d;
        if (!known)
            out[count++] = d;
    }
    return count;
}

/* Literals that stand alone are guessed: when the text does not fit together so, the next guess. The error is that of
 * the first. */
knx_error *kni_parse_classic(const char *text, int n_const, const kni_type *consts, int n_in, const kni_type *in,
                             kni_jaxpr **out)
{
    kn_dtype prefer[N_KINDS][KN_ID_COUNT];
    int n[N_KINDS], at[N_KINDS] = {0}, trials = 0;
    knx_error *first = NULL;
    *out = NULL;
    for (int k = 0; k < N_KINDS; k++)
        n[k] = preferences((literal_kind)k, n_const, consts, n_in, in, prefer[k]);
    for (;;) {
        reader r = {.p = {.text = text, .at = text}, .trials = trials};
        for (int k = 0; k < N_KINDS; k++)
            r.prefer[k] = prefer[k][at[k]];
        kni_jaxpr *j = read_jaxpr(&r, n_const, consts, n_in, in);
        if (j && !kni_parse_is(&r.p, '\0'))
            kni_parse_fail(&r.p, r.p.at, KN_ERROR_VALUE, "text behind the jaxpr");
        knx_arena_free(&r.p.arena);
        if (!r.p.error) {
            knx_error_release(first);
            *out = j;
            return NULL;
        }
        kni_release(j);
        bool stop = !r.guessed || r.p.error->kind == KN_ERROR_MEMORY || r.trials > MOST_TRIALS;
        if (!first || r.p.error->kind == KN_ERROR_MEMORY) {
            knx_error_release(first);
            first = r.p.error;
        } else {
            knx_error_release(r.p.error);
        }
        trials = r.trials;
        int k = L_INT;
        while (k < N_KINDS && ++at[k] == n[k])
            at[k++] = 0;
        if (stop || k == N_KINDS)
            return first;
    }
}
