/* SPDX-License-Identifier: Apache-2.0
 * symbolic.c -- what .symbolic says: reading it, and matching it with the shapes of a call. Source:
 * jax.export.symbolic_shape. */
#include "function/symbolic.h"
#include <ctype.h>
#include <string.h>

/* The shape of one array: dimensions; of `any` the call says the number. `more`: it may have further axes, of which
 * the call says the numbers. */
typedef struct shape_spec {
    int n;
    bool more;
    struct {
        int64_t dim;
        bool any;
    } axis[KN_MAX_NDIM];
} shape_spec;

struct knf_symbolic {
    const char *source; /* of the shapes, for messages */
    knx_dim_scope scope;
    int n_captured, n; /* arrays */
    shape_spec *array;
    int n_var;   /* of the shapes ... */
    int n_named; /* ... and behind them those that constraints name alone */
    knx_dim_var var[KNF_MAX_DIM_VARS];
};

void knf_symbolic_drop(knf_symbolic *s)
{
    if (!s)
        return;
    knx_dim_scope_free(&s->scope);
    knx_free(s->array);
    knx_free(s);
}

void knf_symbolic_free(knf_core *f)
{
    knf_symbolic_drop(f->symbolic);
    f->symbolic = NULL;
}

knx_dim_scope *knf_symbolic_rules(knf_symbolic *s) { return &s->scope; }

int knf_symbolic_variables(const knf_symbolic *s, const knx_dim_var **out)
{
    *out = s->var;
    return s->n_var;
}

knx_dim_scope *knf_symbolic_scope(knf_core *f) { return f->symbolic ? &f->symbolic->scope : knf_automatic_scope(f); }

/* ---- Reading. */

static void skip(const char **s)
{
    while (isspace((unsigned char)**s))
        ++*s;
}

static knx_error *read_shape(const char **s, shape_spec *a)
{
    for (skip(s); **s && **s != ','; skip(s)) {
        if (!strncmp(*s, "...", 3)) {
            *s += 3;
            a->more = true;
            continue;
        }
        if (a->more)
            return knx_error_new(KN_ERROR_VALUE, "in .symbolic '...' is the last of a shape");
        if (a->n == KN_MAX_NDIM)
            return knx_error_new(KN_ERROR_VALUE, "a shape in .symbolic has more than %d dimensions", KN_MAX_NDIM);
        a->axis[a->n].any = **s == '_' && !isalnum((unsigned char)(*s)[1]) && (*s)[1] != '_';
        if (a->axis[a->n].any)
            ++*s;
        else
            KN_TRY(knx_dim_parse_word(s, &a->axis[a->n].dim));
        a->n++;
    }
    return NULL;
}

static knx_error *add_variables(knf_symbolic *s, int64_t d)
{
    knx_dim_var found[KNF_MAX_DIM_VARS];
    int n = knx_dim_variables(d, KNF_MAX_DIM_VARS, found);
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < s->n_named && s->var[k] != found[i])
            k++;
        if (k == KNF_MAX_DIM_VARS)
            return knx_error_new(KN_ERROR_VALUE, "more than %d dimension variables", KNF_MAX_DIM_VARS);
        s->var[k] = found[i];
        s->n_named = k == s->n_named ? k + 1 : s->n_named;
    }
    return NULL;
}

static knx_error *read_shapes(knf_symbolic *s, const char *text, int arrays)
{
    const char *at = text;
    for (int i = 0; i < arrays; i++) {
        KN_TRY(read_shape(&at, &s->array[i]));
        for (int d = 0; d < s->array[i].n; d++)
            if (!s->array[i].axis[d].any)
                KN_TRY(add_variables(s, s->array[i].axis[d].dim));
        if (i + 1 < arrays && *at++ != ',')
            return knx_error_new(KN_ERROR_VALUE, ".symbolic has %d shape%s, the function takes %d arrays: '%s'", i + 1,
                                 i ? "s" : "", arrays, text);
    }
    return *at ? knx_error_new(KN_ERROR_VALUE, ".symbolic has more shapes than the function takes arrays (%d): '%s'",
                               arrays, text)
               : NULL;
}

/* Behind those of the shapes. */
static knx_error *add_those_of_constraints(knf_symbolic *s)
{
    s->n_var = s->n_named;
    for (size_t i = 0; i < s->scope.given.n; i++)
        KN_TRY(add_variables(s, s->scope.given.at[i].e));
    return NULL;
}

static knx_error *read_all(knf_symbolic *s, const char *symbolic, const char *constraints)
{
    KN_TRY(knx_dim_scope_read(&s->scope, constraints));
    knx_dim_enter(&s->scope);
    knx_error *error = read_shapes(s, symbolic, s->n);
    knx_dim_leave(&s->scope);
    knx_error *refused = knx_dim_take_error(&s->scope);
    if (!error)
        error = add_those_of_constraints(s);
    if (error)
        knx_error_release(refused);
    return error ? error : refused;
}

static knf_symbolic *make(const char *source, int n_captured, int n_in)
{
    knf_symbolic *s = knx_alloc_zero(sizeof *s);
    if (!s)
        return NULL;
    knx_dim_scope_init(&s->scope);
    s->source = source;
    s->n_captured = n_captured;
    s->n = n_in;
    s->array = knx_alloc_zero(((size_t)s->n + 1) * sizeof *s->array);
    if (s->array)
        return s;
    knf_symbolic_drop(s);
    return NULL;
}

static knx_error *made(knf_symbolic *s, knx_error *error, knf_symbolic **out)
{
    *out = error ? NULL : s;
    if (error)
        knf_symbolic_drop(s);
    return error;
}

knx_error *knf_symbolic_new(const char *symbolic, const char *constraints, int n_captured, int n_in, knf_symbolic **out)
{
    knf_symbolic *s = make(".symbolic", n_captured, n_in);
    return made(s, s ? read_all(s, symbolic, constraints) : knx_error_nomem(), out);
}

knx_error *knf_symbolic_of(const kni_type *in, int n, knf_symbolic **out)
{
    knf_symbolic *s = make("the jaxpr", 0, n);
    knx_error *error = s ? NULL : knx_error_nomem();
    const char *constraints = NULL;
    for (int i = 0; !error && i < n; i++) {
        s->array[i].n = in[i].ndim;
        for (int d = 0; !error && d < in[i].ndim; d++) {
            s->array[i].axis[d].dim = in[i].dim[d];
            error = add_variables(s, in[i].dim[d]);
            constraints = constraints ? constraints : knx_dim_constraints(in[i].dim[d]);
        }
    }
    if (!error)
        error = knx_dim_scope_read(&s->scope, constraints);
    if (!error)
        error = add_those_of_constraints(s);
    return made(s, error, out);
}

/* ---- Matching. */

typedef struct match {
    const knf_symbolic *s;
    const kni_type *in; /* of the arguments' arrays */
    knf_dims *dims;
} match;

static const int64_t *number_of(const match *m, knx_dim_var v)
{
    for (int i = 0; i < m->dims->n; i++)
        if (m->dims->value[i].var == v)
            return &m->dims->value[i].value;
    return NULL;
}

static knx_error *differs(const match *m, int array, int axis, int64_t expected)
{
    knx_text t = {0}, shape = {0};
    int64_t d = m->s->array[array].axis[axis].dim;
    knx_dim_show(&t, d);
    if (knx_is_symbolic(d))
        knx_text_add(&t, " = "), knx_dim_show(&t, expected);
    return knx_error_new(KN_ERROR_VALUE, "axis %d of array %d, of shape %s, is not %s as %s has it", axis, array,
                         knx_show_shape(&shape, m->in[array].ndim, m->in[array].dim), t.s, m->s->source);
}

/* Axes that are one variable give its number. */
static knx_error *bind_variables(const match *m)
{
    for (int i = 0; i < m->s->n; i++)
        for (int d = 0; d < m->s->array[i].n; d++) {
            knx_dim_var v;
            if (m->s->array[i].axis[d].any || !knx_dim_is_var(m->s->array[i].axis[d].dim, &v))
                continue;
            const int64_t *known = number_of(m, v);
            if (known && !knx_dim_eq(*known, m->in[i].dim[d]))
                return differs(m, i, d, *known);
            if (!known)
                m->dims->value[m->dims->n++] = (knx_dim_value){v, m->in[i].dim[d]};
        }
    return NULL;
}

/* e is a number: with one variable that is not known yet, times a number and plus a number, that gives its number.
 * False: no number does. */
static bool solve(knf_dims *dims, int64_t e, int64_t is, int64_t *nearest)
{
    knx_dim_var v;
    int64_t times, rest;
    if (!knx_dim_is_linear(e, dims->n, dims->value, &v, &times, &rest))
        return true;
    int64_t left = knx_dim_sub(is, rest), number = knx_dim_floordiv(left, times);
    *nearest = knx_dim_add(rest, knx_dim_mul(times, number));
    if (!knx_dim_eq(*nearest, is))
        return false;
    dims->value[dims->n++] = (knx_dim_value){v, number};
    return true;
}

static knx_error *solve_axes(const match *m)
{
    int64_t nearest;
    for (int i = 0; i < m->s->n; i++)
        for (int d = 0; d < m->s->array[i].n; d++)
            if (!m->s->array[i].axis[d].any && !solve(m->dims, m->s->array[i].axis[d].dim, m->in[i].dim[d], &nearest))
                return differs(m, i, d, nearest);
    return NULL;
}

static knx_error *does_not_hold(const knx_dim_guard *g)
{
    knx_text t = {0};
    return knx_error_new(KN_ERROR_VALUE, "a constraint of dimensions does not hold: %s %s 0", knx_dim_show(&t, g->e),
                         g->equal ? "==" : ">=");
}

/* By the equalities among the constraints. */
static knx_error *solve_constraints(const knf_symbolic *s, knf_dims *dims)
{
    int64_t nearest;
    for (size_t i = 0; i < s->scope.given.n && dims->n < s->n_named; i++)
        if (s->scope.given.at[i].equal && !solve(dims, s->scope.given.at[i].e, 0, &nearest))
            return does_not_hold(&s->scope.given.at[i]);
    return NULL;
}

static knx_error *solve_variables(const match *m)
{
    for (int round = 0; round < m->s->n_named && m->dims->n < m->s->n_named; round++) {
        KN_TRY(solve_axes(m));
        KN_TRY(solve_constraints(m->s, m->dims));
    }
    for (int i = 0; i < m->s->n_named; i++)
        if (!number_of(m, m->s->var[i]))
            return knx_error_new(KN_ERROR_VALUE, "the shapes of a call do not say what the dimension variable %s is",
                                 knx_dim_name(m->s->var[i]));
    return NULL;
}

/* A constraint that these numbers do not keep; NULL: there is none. */
static const knx_dim_guard *broken(const knf_symbolic *s, const knf_dims *dims)
{
    for (size_t i = 0; i < s->scope.given.n; i++) {
        const knx_dim_guard *g = &s->scope.given.at[i];
        int64_t e = 0;
        if (!knx_dim_evaluate(g->e, dims->n, dims->value, &e) || (g->equal ? !knx_dim_eq(e, 0) : !knx_dim_le(0, e)))
            return g;
    }
    return NULL;
}

bool knf_symbolic_allows(const knf_symbolic *s, const knf_dims *dims)
{
    knf_dims all = *dims;
    knx_error *error = NULL;
    for (int round = 0; !error && round < s->n_named && all.n < s->n_named; round++)
        error = solve_constraints(s, &all);
    knx_error_release(error);
    return !error && !broken(s, &all);
}

/* Chooses the variables from number i on; *tries ends a search without end. */
static bool choose(const knf_symbolic *s, int i, knf_dims *dims, int *tries)
{
    enum { FIRST = 64, FURTHEST = 1 << 20 };
    if (i == s->n_var)
        return knf_symbolic_allows(s, dims);
    int64_t d = 0, least = s->scope.least, most = INT64_MAX;
    if (knx_dim_named(knx_dim_name(s->var[i]), strlen(knx_dim_name(s->var[i])), &d))
        knx_dim_bounds(d, &least, &most);
    least = least > s->scope.least ? least : s->scope.least;
    int64_t first = FIRST < least ? least : FIRST > most ? most : FIRST;
    for (int64_t away = 0; away<FURTHEST && * tries> 0; away++)
        for (int way = 0; way < 1 + (away > 0); way++) {
            int64_t value = way ? first - away : first + away;
            if (value < least || value > most)
                continue;
            --*tries;
            dims->value[i] = (knx_dim_value){s->var[i], value};
            dims->n = i + 1;
            if (choose(s, i + 1, dims, tries))
                return true;
        }
    return false;
}

knx_error *knf_symbolic_typical(const knf_symbolic *s, knf_dims *dims)
{
    int tries = 1 << 16;
    knx_dim_enter((knx_dim_scope *)(uintptr_t)&s->scope);
    bool found = choose(s, 0, dims, &tries);
    knx_dim_leave((knx_dim_scope *)(uintptr_t)&s->scope);
    return found ? NULL
                 : knx_error_new(KN_ERROR_VALUE, "no small numbers keep the constraints of the dimension variables");
}

static knx_error *check_axes(const match *m)
{
    for (int i = 0; i < m->s->n; i++)
        for (int d = 0; d < m->s->array[i].n; d++) {
            int64_t n = 0;
            if (m->s->array[i].axis[d].any)
                continue;
            if (!knx_dim_evaluate(m->s->array[i].axis[d].dim, m->dims->n, m->dims->value, &n) ||
                !knx_dim_eq(n, m->in[i].dim[d]))
                return differs(m, i, d, n);
        }
    const knx_dim_guard *g = broken(m->s, m->dims);
    return g ? does_not_hold(g) : NULL;
}

static knx_error *check_ranks(const match *m)
{
    for (int i = 0; i < m->s->n; i++) {
        const shape_spec *a = &m->s->array[i];
        if (a->more ? m->in[i].ndim < a->n : m->in[i].ndim != a->n) {
            knx_text shape = {0};
            return knx_error_new(KN_ERROR_VALUE, "array %d of shape %s has not the %s%d dimensions that %s has", i,
                                 knx_show_shape(&shape, m->in[i].ndim, m->in[i].dim), a->more ? "at least " : "", a->n,
                                 m->s->source);
        }
    }
    return NULL;
}

static kni_type *make_types(const match *m, const kni_type *in)
{
    size_t dims = 0;
    int n = m->s->n_captured + m->s->n;
    for (int i = 0; i < n; i++)
        dims += (size_t)in[i].ndim;
    kni_type *t = knx_alloc(((size_t)n + 1) * sizeof *t + (dims + 1) * sizeof(int64_t));
    int64_t *at = (int64_t *)(void *)(t + n + 1);
    for (int i = 0; t && i < n; i++) {
        const shape_spec *a = i < m->s->n_captured ? NULL : &m->s->array[i - m->s->n_captured];
        t[i] = in[i];
        t[i].dim = at;
        for (int d = 0; d < in[i].ndim; d++)
            *at++ = a && d < a->n && !a->axis[d].any ? a->axis[d].dim : in[i].dim[d];
    }
    return t;
}

/* What constraints name alone is in no type: they stand without it. */
static void drop_others(const knf_symbolic *s, knf_dims *dims)
{
    int n = 0;
    for (int i = 0; i < dims->n; i++)
        for (int k = 0; k < s->n_var; k++)
            if (dims->value[i].var == s->var[k])
                dims->value[n++] = dims->value[i];
    dims->n = n;
}

knx_error *knf_symbolic_match(const knf_symbolic *s, const kni_type *in, kni_type **types, knf_dims *dims)
{
    *types = NULL;
    dims->n = 0;
    match m = {.s = s, .in = in + s->n_captured, .dims = dims};
    KN_TRY(check_ranks(&m));
    KN_TRY(bind_variables(&m));
    KN_TRY(solve_variables(&m));
    KN_TRY(check_axes(&m));
    for (int i = 0; i < dims->n; i++)
        if (!knx_dim_le(s->scope.least, dims->value[i].value))
            return NULL;
    drop_others(s, dims);
    *types = make_types(&m, in);
    return *types ? NULL : knx_error_nomem();
}

knx_error *knf_symbolic_numbers(const knf_symbolic *s, const kni_type *in, kni_type **types, knf_dims *dims)
{
    KN_TRY(knf_symbolic_match(s, in, types, dims));
    for (int i = 0; i < dims->n && !*types; i++)
        if (!knx_dim_le(s->scope.least, dims->value[i].value)) {
            knx_text t = {0};
            return knx_error_new(KN_ERROR_VALUE, "the dimension variable %s is %s, and has to be at least %lld",
                                 knx_dim_name(dims->value[i].var), knx_dim_show(&t, dims->value[i].value),
                                 (long long)s->scope.least);
        }
    return NULL;
}

knx_error *knf_extents_begin(knf_extents *x, const knf_core *f, const kni_type *in, kni_type **types)
{
    KN_TRY(knf_symbolic_new(x->symbolic, x->constraints, f->n_captured, f->n_in, &x->s));
    return knf_symbolic_numbers(x->s, in, types, &x->dims);
}

knx_error *knf_symbolic_begin(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims)
{
    *types = NULL;
    dims->n = 0;
    if (!f->symbolic)
        KN_TRY(knf_symbolic_new(f->o.symbolic, f->o.constraints, f->n_captured, f->n_in, &f->symbolic));
    KN_TRY(knf_symbolic_match(f->symbolic, in, types, dims));
    if (!*types) /* recorded for these extents alone */
        dims->n = 0;
    return NULL;
}

static bool answers_alike(const knx_dim_guard *g, const knf_dims *dims)
{
    int64_t e;
    return knx_dim_evaluate(g->e, dims->n, dims->value, &e) && (g->equal ? e == 0 : e >= 0) == g->holds;
}

knx_error *knf_symbolic_differs(const knf_entry *e, const knf_dims *dims)
{
    const knf_conditions *c = e->conditions;
    size_t i = 0;
    while (i + 1 < c->n_guard && answers_alike(&c->guard[i], dims))
        i++;
    const knx_dim_guard *g = &c->guard[i];
    knx_text t = {0}, numbers = {0};
    knx_dim_var var[KNF_MAX_DIM_VARS];
    int n = knx_dim_variables(g->e, KNF_MAX_DIM_VARS, var);
    for (int k = 0; k < n; k++)
        for (int v = 0; v < dims->n; v++)
            if (dims->value[v].var == var[k])
                knx_text_add(&numbers, "%s%s = %lld", k ? ", " : "", knx_dim_name(var[k]),
                             (long long)dims->value[v].value);
    return knx_error_new(KN_ERROR_VALUE, "%s was recorded for %s (%s:%d), which does not hold for %s", e->core->name,
                         knf_show_guard(&t, g), g->place ? g->place->file : "?", g->place ? g->place->line : 0,
                         numbers.s);
}
