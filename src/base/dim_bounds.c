/* SPDX-License-Identifier: Apache-2.0
 * dim_bounds.c -- what is known of dimensions: scopes, their constraints, bounds of expressions, comparisons.
 *
 * The bounds of a sum e = t * k + ... with the largest term t: a constraint c = t * l + ... >= 0 is added to it or
 * taken
 * off it so often that t goes; what is left has smaller terms, and so on. Constraints are those of the scope and those
 * that factors bring along (mod(a, b) < b). Source: jax.export, shape_poly_decision; the same questions have answers.
 * */
#include "base/context.h"
#include "base/dim_expr.h"
#include <string.h>

#define FREE_UP   INT64_MAX
#define FREE_DOWN INT64_MIN
enum { MOST_CONSTRAINTS = 64, MOST_TERMS = 64, MOST_DEPTH = 12, MOST_WORK = 4000 };

typedef struct constraint {
    bool equal;
    int n;
    knx_dim_part part[KNX_DIM_PARTS];
} constraint; /* the sum is 0, or >= 0 */

typedef struct known_term {
    uint32_t term;
    int64_t lower, upper;
} known_term;

typedef struct state {
    int64_t least;
    int n_constraint, n_term, n_done, work;
    bool contradiction;
    uint32_t done[MOST_TERMS];
    known_term term[MOST_TERMS];
    constraint constraint[MOST_CONSTRAINTS];
} state;

/* ---- Arithmetic with bounds that may be free. */

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == FREE_UP || a == FREE_DOWN)
        return a;
    if (b == FREE_UP || b == FREE_DOWN)
        return b;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? FREE_DOWN : FREE_UP) : sum;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    if (!a || !b)
        return 0;
    bool free = a == FREE_UP || a == FREE_DOWN || b == FREE_UP || b == FREE_DOWN;
    return free || __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? FREE_DOWN : FREE_UP) : product;
}

static int64_t divided(int64_t a, int64_t b, bool up) /* b is a number, not 0 */
{
    if (a == FREE_UP || a == FREE_DOWN)
        return (a == FREE_UP) == (b > 0) ? FREE_UP : FREE_DOWN;
    int64_t q = knx_floordiv(a, b);
    return q + (up && a % b != 0);
}

static int64_t floor_of_quotient(int64_t a, int64_t b)
{
    bool minus = (a >= 0) != (b >= 0);
    if (b != FREE_UP && b != FREE_DOWN)
        return a != FREE_UP && a != FREE_DOWN ? knx_floordiv(a, b) : minus ? FREE_DOWN : FREE_UP;
    return a != FREE_UP && a != FREE_DOWN ? (minus ? -1 : 0) : minus ? FREE_DOWN : FREE_UP;
}

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- What is known. */

static known_term *term_of(state *s, uint32_t t)
{
    static known_term none;
    for (int i = 0; i < s->n_term; i++)
        if (s->term[i].term == t)
            return &s->term[i];
    if (s->n_term == MOST_TERMS) {
        none = (known_term){t, FREE_DOWN, FREE_UP};
        return &none;
    }
    s->term[s->n_term] = (known_term){t, FREE_DOWN, FREE_UP};
    return &s->term[s->n_term++];
}

static void bounds_of(state *s, const knx_dim_part *e, int n, int depth, int64_t *lower, int64_t *upper);

/* The constraint joined to what is known; n: parts of e. */
static void keep(state *s, bool equal, const knx_dim_part *e, int n)
{
    if (!n || !e[0].term) {
        s->contradiction |= n && (equal || e[0].times < 0);
        return;
    }
    if (n == 1 || (n == 2 && !e[1].term)) { /* k * t + c >= 0 */
        known_term *t = term_of(s, (uint32_t)e[0].term);
        int64_t k = e[0].times, c = n == 2 ? e[1].times : 0;
        s->contradiction |= equal && c % k;
        if (equal || k > 0)
            t->lower = most_of(t->lower, divided(-c, k, true));
        if (equal || k < 0)
            t->upper = least_of(t->upper, divided(-c, k, false));
        s->contradiction |= t->lower > t->upper;
        return;
    }
    for (int i = 0; i < s->n_constraint; i++) {
        const constraint *c = &s->constraint[i];
        if (c->equal == equal && c->n == n && !memcmp(c->part, e, (size_t)n * sizeof *e))
            return;
    }
    if (s->n_constraint == MOST_CONSTRAINTS)
        return;
    constraint *c = &s->constraint[s->n_constraint++];
    c->equal = equal;
    c->n = n;
    memcpy(c->part, e, (size_t)n * sizeof *e);
}

static int64_t times_of(const knx_dim_part *e, int n, uint64_t t)
{
    for (int i = 0; i < n; i++)
        if (e[i].term == t)
            return e[i].times;
    return 0;
}

/* e * (what takes the term t with k out, with the constraint c): *scale is what e was multiplied by; 0: it does not
 * go. */
static int eliminate(const knx_dim_part *e, int n, int64_t k, const constraint *c, uint64_t t, knx_dim_part *out,
                     int64_t *scale)
{
    int64_t l = times_of(c->part, c->n, t);
    *scale = 0;
    if (!l)
        return 0;
    int64_t own = k < 0 ? -k : k;
    *scale = k > 0 ? -l : l;
    int m = knx_dim_join(e, n, *scale, c->part, c->n, own, out);
    if (m < 0)
        *scale = 0;
    return m;
}

/* The bounds of a term, as a constraint: lower: t - lower >= 0, else upper - t >= 0. */
static bool as_constraint(const known_term *t, bool lower, constraint *c)
{
    int64_t at = lower ? t->lower : t->upper;
    if (at == (lower ? FREE_DOWN : FREE_UP))
        return false;
    *c = (constraint){.equal = t->lower == t->upper, .n = at ? 2 : 1};
    c->part[0] = (knx_dim_part){t->term, lower ? 1 : -1};
    c->part[1] = (knx_dim_part){0, lower ? -at : at};
    return true;
}

static void add_term(state *s, uint32_t t);

static void add_terms(state *s, const knx_dim_part *e, int n)
{
    for (int i = 0; i < n; i++)
        if (e[i].term)
            add_term(s, (uint32_t)e[i].term);
}

/* A new constraint, and what follows from it and the others. */
static void learn(state *s, bool equal, const knx_dim_part *e, int n)
{
    int before = s->n_constraint;
    keep(s, equal, e, n);
    for (int i = 0; i < n; i++) {
        if (!e[i].term)
            continue;
        for (int q = -2; q < before; q++) {
            constraint own;
            const constraint *c = q < 0 ? &own : &s->constraint[q];
            knx_dim_part sum[KNX_DIM_PARTS];
            int64_t scale;
            if (q < 0 && !as_constraint(term_of(s, (uint32_t)e[i].term), q == -2, &own))
                continue;
            int m = eliminate(e, n, e[i].times, c, e[i].term, sum, &scale);
            if (scale && (scale > 0 || equal))
                keep(s, equal && c->equal, sum, m);
        }
    }
}

static void learn_dim(state *s, bool equal, int64_t d)
{
    knx_dim_part p[KNX_DIM_PARTS];
    learn(s, equal, p, knx_dim_terms(d, p));
}

/* t >= at, or t <= at */
static void learn_bound(state *s, int64_t t, bool lower, int64_t at)
{
    if (at != (lower ? FREE_DOWN : FREE_UP) && at > -((int64_t)1 << 59) && at < (int64_t)1 << 59)
        learn_dim(s, false, lower ? knx_dim_sub(t, at) : knx_dim_sub(at, t));
}

static void bounds_of_dim(state *s, int64_t d, int64_t *lower, int64_t *upper)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int n = knx_dim_terms(d, p);
    add_terms(s, p, n);
    bounds_of(s, p, n, 0, lower, upper);
}

static void learn_product(state *s, const knx_dim_term *t, int64_t self)
{
    int64_t lower = 1, upper = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        knx_dim_part one;
        knx_dim_power p = {t->factor[i].factor, 1};
        int64_t l, u;
        one = (knx_dim_part){knx_dim_term_of(&p, 1), 1};
        if (one.term == UINT32_MAX)
            return;
        add_term(s, (uint32_t)one.term);
        bounds_of(s, &one, 1, 0, &l, &u);
        for (uint32_t k = 0; k < t->factor[i].power; k++) {
            int64_t a = times(lower, l), b = times(lower, u), c = times(upper, l), d = times(upper, u);
            lower = least_of(least_of(a, b), least_of(c, d));
            upper = most_of(most_of(a, b), most_of(c, d));
        }
    }
    learn_bound(s, self, true, lower);
    learn_bound(s, self, false, upper);
}

static void learn_quotient(state *s, const knx_dim_factor *f, int64_t self)
{
    int64_t al, au, bl, bu;
    bounds_of_dim(s, f->operand[0], &al, &au);
    bounds_of_dim(s, f->operand[1], &bl, &bu);
    if (bl <= 0 && bu >= 0) /* perhaps 0 */
        return;
    int64_t q[] = {floor_of_quotient(al, bl), floor_of_quotient(al, bu), floor_of_quotient(au, bl),
                   floor_of_quotient(au, bu)};
    learn_bound(s, self, true, least_of(least_of(q[0], q[1]), least_of(q[2], q[3])));
    learn_bound(s, self, false, most_of(most_of(q[0], q[1]), most_of(q[2], q[3])));
    if (bl < 0)
        return;
    if (al >= 0)
        learn_bound(s, self, true, 0);
    int64_t rest = knx_dim_mod(f->operand[0], f->operand[1]), l, u;
    bounds_of_dim(s, rest, &l, &u);
    learn_dim(s, true, knx_dim_sub(f->operand[0], knx_dim_add(knx_dim_mul(f->operand[1], self), rest)));
}

static void learn_rest(state *s, const knx_dim_factor *f, int64_t self)
{
    int64_t l, u;
    bounds_of_dim(s, f->operand[1], &l, &u);
    if (l > 0) {
        learn_bound(s, self, true, 0);
        learn_dim(s, false, knx_dim_sub(f->operand[1] - 1, self));
        learn_bound(s, self, false, plus(u, -1));
    } else if (u < 0) {
        learn_dim(s, false, knx_dim_sub(self, f->operand[1] + 1));
        learn_bound(s, self, true, plus(l, 1));
        learn_bound(s, self, false, 0);
    }
}

static void learn_choice(state *s, const knx_dim_factor *f, int64_t self)
{
    int64_t al, au, bl, bu;
    bounds_of_dim(s, f->operand[0], &al, &au);
    bounds_of_dim(s, f->operand[1], &bl, &bu);
    bool max = f->op == KNX_DIM_MAX;
    learn_bound(s, self, true, max ? most_of(al, bl) : least_of(al, bl));
    learn_bound(s, self, false, max ? most_of(au, bu) : least_of(au, bu));
    for (int i = 0; i < 2; i++)
        learn_dim(s, false, max ? knx_dim_sub(self, f->operand[i]) : knx_dim_sub(f->operand[i], self));
}

/* What a term brings along by itself. */
static void add_term(state *s, uint32_t number)
{
    for (int i = 0; i < s->n_done; i++)
        if (s->done[i] == number)
            return;
    if (s->n_done == MOST_TERMS)
        return;
    s->done[s->n_done++] = number;
    const knx_dim_term *t = knx_dim_term_at(number);
    knx_dim_part one = {number, 1};
    int64_t self = knx_dim_of_parts(&one, 1);
    if (t->n != 1 || t->factor[0].power != 1) {
        learn_product(s, t, self);
        return;
    }
    const knx_dim_factor *f = knx_dim_factor_at(t->factor[0].factor);
    switch ((knx_dim_op)f->op) {
    case KNX_DIM_VARIABLE: learn_bound(s, self, true, s->least); break;
    case KNX_DIM_FLOORDIV: learn_quotient(s, f, self); break;
    case KNX_DIM_MOD: learn_rest(s, f, self); break;
    case KNX_DIM_MAX:
    case KNX_DIM_MIN: learn_choice(s, f, self); break;
    }
}

/* ---- Bounds. */

static void by_constraint(state *s, const knx_dim_part *e, int n, const constraint *c, int depth, int64_t *lower,
                          int64_t *upper)
{
    knx_dim_part rest[KNX_DIM_PARTS];
    int64_t scale, l, u;
    int m = eliminate(e, n, e[0].times, c, e[0].term, rest, &scale);
    if (!scale || (m && rest[0].term && knx_dim_order_of_terms((uint32_t)rest[0].term, (uint32_t)e[0].term) >= 0))
        return;
    bounds_of(s, rest, m, depth + 1, &l, &u);
    if (u != FREE_UP) { /* e * scale = rest - c * .. <= u */
        if (scale > 0)
            *upper = least_of(*upper, divided(u, scale, false));
        else
            *lower = most_of(*lower, divided(u, scale, true));
    }
    if (l != FREE_DOWN && c->equal) {
        if (scale > 0)
            *lower = most_of(*lower, divided(l, scale, true));
        else
            *upper = least_of(*upper, divided(l, scale, false));
    }
}

/* The largest term is a choice of two: the sum with the one and with the other. */
static void by_choice(state *s, const knx_dim_factor *f, const knx_dim_part *e, int n, int depth, int64_t *lower,
                      int64_t *upper)
{
    int64_t l[2], u[2];
    for (int i = 0; i < 2; i++) {
        knx_dim_part x[KNX_DIM_PARTS], sum[KNX_DIM_PARTS];
        int m = knx_dim_join(e + 1, n - 1, 1, x, knx_dim_terms(f->operand[i], x), e[0].times, sum);
        if (m < 0)
            return;
        bounds_of(s, sum, m, depth + 1, &l[i], &u[i]);
    }
    bool max = (f->op == KNX_DIM_MAX) == (e[0].times > 0);
    *lower = most_of(*lower, max ? most_of(l[0], l[1]) : least_of(l[0], l[1]));
    *upper = least_of(*upper, max ? most_of(u[0], u[1]) : least_of(u[0], u[1]));
}

static void bounds_of(state *s, const knx_dim_part *e, int n, int depth, int64_t *lower, int64_t *upper)
{
    *lower = FREE_DOWN;
    *upper = FREE_UP;
    if (!n || !e[0].term) {
        *lower = *upper = n ? e[0].times : 0;
        return;
    }
    if (depth > MOST_DEPTH || s->work++ > MOST_WORK)
        return;
    for (int q = 0; q < 2; q++) {
        constraint own;
        if (as_constraint(term_of(s, (uint32_t)e[0].term), q == 0, &own))
            by_constraint(s, e, n, &own, depth, lower, upper);
    }
    for (int q = 0; q < s->n_constraint; q++)
        if (s->constraint[q].part[0].term == e[0].term)
            by_constraint(s, e, n, &s->constraint[q], depth, lower, upper);
    const knx_dim_term *t = knx_dim_term_at((uint32_t)e[0].term);
    const knx_dim_factor *f = t->n == 1 && t->factor[0].power == 1 ? knx_dim_factor_at(t->factor[0].factor) : NULL;
    if (f && (f->op == KNX_DIM_MAX || f->op == KNX_DIM_MIN))
        by_choice(s, f, e, n, depth, lower, upper);
}

/* Of sums of products of variables: without constraints, quickly. */
static bool simple_bounds(const knx_dim_scope *scope, int64_t d, int64_t *lower, int64_t *upper)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int n = knx_dim_terms(d, p);
    int64_t least = scope ? scope->least : 1;
    *lower = *upper = 0;
    if ((scope && scope->given.n) || least < 0)
        return false;
    for (int i = 0; i < n; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        int64_t l = 1;
        for (uint32_t k = 0; k < t->n; k++) {
            if (knx_dim_factor_at(t->factor[k].factor)->op != KNX_DIM_VARIABLE)
                return false;
            for (uint32_t power = 0; power < t->factor[k].power; power++)
                l = times(l, least);
        }
        int64_t u = t->n ? FREE_UP : l;
        /* two terms with different signs may be bounded by each other */
        if (t->n && n - (p[n - 1].term == 0) > 1 && p[i].times < 0)
            return false;
        *lower = plus(*lower, times(p[i].times, p[i].times > 0 ? l : u));
        *upper = plus(*upper, times(p[i].times, p[i].times > 0 ? u : l));
    }
    return true;
}

static void learn_constraints(state *s, const knx_dim_scope *scope)
{
    for (size_t i = 0; scope && i < scope->given.n; i++) {
        knx_dim_part p[KNX_DIM_PARTS];
        int n = knx_dim_terms(scope->given.at[i].e, p);
        add_terms(s, p, n);
        learn(s, scope->given.at[i].equal, p, n);
    }
}

void knx_dim_bounds(int64_t d, int64_t *lower, int64_t *upper)
{
    const knx_dim_scope *scope = knx_dim_now();
    *lower = *upper = d;
    if (!knx_is_symbolic(d))
        return;
    *lower = FREE_DOWN;
    *upper = FREE_UP;
    if (!knx_dim_number(d) || simple_bounds(scope, d, lower, upper))
        return;
    *lower = FREE_DOWN;
    *upper = FREE_UP;
    state *s = knx_alloc_zero(sizeof *s);
    if (!s)
        return; /* nothing is known, then */
    s->least = scope ? scope->least : 1;
    learn_constraints(s, scope);
    bounds_of_dim(s, d, lower, upper);
    knx_free(s);
}

/* ---- Scopes. */

void knx_dim_scope_init(knx_dim_scope *s) { *s = (knx_dim_scope){.least = 1}; }

void knx_dim_scope_free(knx_dim_scope *s)
{
    KN_VEC_FREE(&s->given);
    KN_VEC_FREE(&s->rule);
    KN_VEC_FREE(&s->text);
    KN_VEC_FREE(&s->sample);
    KN_VEC_FREE(&s->guard);
    KN_VEC_FREE(&s->told);
    knx_error_release(s->error);
    s->error = NULL;
    knx_arena_free(&s->arena);
}

bool knx_dim_sample(knx_dim_scope *s, knx_dim_var v, int64_t value)
{
    return KN_VEC_PUSH(&s->sample, ((knx_dim_value){v, value}));
}

knx_error *knx_dim_take_error(knx_dim_scope *s)
{
    knx_error *e = s->error;
    s->error = NULL;
    return e;
}

static const kn_place *here(void) { return knx_current ? knx_current->here : NULL; }

int64_t knx_dim_tell_symbolic(int64_t d)
{
    knx_dim_scope *s = knx_dim_now();
    int64_t value;
    if (!s || !s->tells || !knx_dim_evaluate(d, (int)s->sample.n, s->sample.at, &value))
        return d;
    if (!KN_VEC_PUSH(&s->told, ((knx_dim_told){d, here()})))
        knx_dim_refuse(knx_error_nomem());
    return value;
}

/* An equality whose left side is one term rewrites that term from now on. mod(a, n) == 0 says as well what
 * n * floordiv(a, n) is. */
static knx_error *add_rule(knx_dim_scope *s, int64_t left, int64_t right)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int n = knx_is_symbolic(left) ? knx_dim_terms(left, p) : 0;
    if (n != 1)
        return knx_error_new(KN_ERROR_VALUE,
                             "the left side of an equality of dimensions is one term times a number, as in 8*t == b");
    for (size_t i = 0; i < s->rule.n; i++)
        if (s->rule.at[i].term == p[0].term)
            return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "two equalities of dimensions with the same left side");
    const knx_dim_term *t = knx_dim_term_at((uint32_t)p[0].term);
    const knx_dim_factor *f = t->n == 1 && t->factor[0].power == 1 ? knx_dim_factor_at(t->factor[0].factor) : NULL;
    int64_t quotient = 0;
    if (f && f->op == KNX_DIM_MOD && p[0].times == 1 && right == 0 && !knx_is_symbolic(f->operand[1]))
        quotient = knx_dim_mul(f->operand[1], knx_dim_floordiv(f->operand[0], f->operand[1]));
    /* what the bounds need to know, before it is rewritten */
    int64_t known = quotient ? knx_dim_sub(quotient, f->operand[0]) : 0;
    if (!KN_VEC_PUSH(&s->rule, ((knx_dim_rule){(uint32_t)p[0].term, p[0].times, right})) ||
        (known && !KN_VEC_PUSH(&s->given, ((knx_dim_guard){.e = known, .equal = true, .holds = true}))))
        return knx_error_nomem();
    return quotient ? add_rule(s, quotient, f->operand[0]) : NULL;
}

static bool can_hold(const knx_dim_scope *s)
{
    state *x = knx_alloc_zero(sizeof *x);
    if (!x)
        return true;
    x->least = s->least;
    learn_constraints(x, s);
    bool fine = !x->contradiction;
    knx_free(x);
    return fine;
}

static knx_error *read_constraint(knx_dim_scope *s, const char *text)
{
    const char *at = text, *sign;
    int64_t left, right;
    KN_TRY(knx_dim_parse(&at, &left));
    sign = at;
    if (strncmp(at, "==", 2) != 0 && strncmp(at, ">=", 2) != 0 && strncmp(at, "<=", 2) != 0)
        return knx_error_new(KN_ERROR_VALUE, "a constraint of dimensions has ==, >= or <=, got '%s'", text);
    at += 2;
    KN_TRY(knx_dim_parse(&at, &right));
    if (*at)
        return knx_error_new(KN_ERROR_VALUE, "unexpected text behind a constraint of dimensions: '%s'", at);
    bool equal = *sign == '=';
    int64_t e = *sign == '<' ? knx_dim_sub(right, left) : knx_dim_sub(left, right);
    char *copy = knx_arena_string(&s->arena, text);
    if (!copy || !KN_VEC_PUSH(&s->text, copy))
        return knx_error_nomem();
    if (!knx_is_symbolic(e))
        return (equal ? e == 0 : e >= 0) ? NULL
                                         : knx_error_new(KN_ERROR_VALUE, "Unsatisfiable explicit constraint: %s", text);
    if (equal)
        KN_TRY(add_rule(s, left, right));
    if (!KN_VEC_PUSH(&s->given, ((knx_dim_guard){.e = e, .equal = equal, .holds = true})))
        return knx_error_nomem();
    return can_hold(s) ? NULL : knx_error_new(KN_ERROR_VALUE, "Unsatisfiable constraint: %s", text);
}

knx_error *knx_dim_constrain(knx_dim_scope *s, const char *text)
{
    knx_dim_enter(s);
    knx_error *e = read_constraint(s, text);
    knx_dim_leave(s);
    knx_error *refused = knx_dim_take_error(s);
    if (e)
        knx_error_release(refused);
    return e ? e : refused;
}

knx_error *knx_dim_scope_read(knx_dim_scope *s, const char *constraints)
{
    if (!knx_dim_key(constraints, &s->key))
        return knx_error_nomem();
    while (constraints && *constraints) {
        size_t n = strcspn(constraints, ";");
        char one[256];
        if (n >= sizeof one)
            return knx_error_new(KN_ERROR_VALUE, "a constraint of dimensions is too long");
        memcpy(one, constraints, n);
        one[n] = 0;
        if (one[strspn(one, " \t\n")])
            KN_TRY(knx_dim_constrain(s, one));
        constraints += n + (constraints[n] == ';');
    }
    return NULL;
}

/* ---- Comparisons. */

static bool inconclusive(const knx_dim_scope *s, const char *sign, int64_t a, int64_t b)
{
    knx_str t = {0};
    knx_dim_text(&t, a);
    knx_str_printf(&t, "' %s '", sign);
    knx_dim_text(&t, b);
    knx_str more = {0};
    for (size_t i = 0; s && i < s->text.n; i++)
        knx_str_printf(&more, "%s%s", i ? ", " : "; constraints: ", s->text.at[i]);
    knx_dim_refuse(knx_error_new(KN_ERROR_DIMENSION, "Symbolic dimension comparison '%s' is inconclusive%s",
                                 t.s ? t.s : "?", more.s ? more.s : ""));
    knx_str_free(&t);
    knx_str_free(&more);
    return false;
}

/* The answer of the sample, kept as a guard. */
static bool assume(knx_dim_scope *s, int64_t e, bool equal, bool *answer)
{
    int64_t value;
    for (size_t i = 0; i < s->guard.n; i++)
        if (s->guard.at[i].e == e && s->guard.at[i].equal == equal) {
            *answer = s->guard.at[i].holds;
            return true;
        }
    if (!knx_dim_evaluate(e, (int)s->sample.n, s->sample.at, &value))
        return false;
    *answer = equal ? value == 0 : value >= 0;
    if (!KN_VEC_PUSH(&s->guard, ((knx_dim_guard){e, equal, *answer, here()})))
        knx_dim_refuse(knx_error_nomem());
    return true;
}

__attribute__((noinline)) static bool decide_le(int64_t a, int64_t b)
{
    knx_dim_scope *s = knx_dim_now();
    int64_t lower, upper, e = knx_dim_sub(b, a);
    bool answer;
    knx_dim_bounds(e, &lower, &upper);
    if (lower >= 0)
        return true;
    if (upper < 0)
        return false;
    if (s && s->assumes && assume(s, e, false, &answer))
        return answer;
    return inconclusive(s, "<=", a, b);
}

KNX_HOT bool knx_dim_decide_le(int64_t a, int64_t b) { return knx_any_symbolic(a, b) ? decide_le(a, b) : a <= b; }

bool knx_dim_decide_eq(int64_t a, int64_t b)
{
    knx_dim_scope *s = knx_dim_now();
    int64_t lower, upper, e = knx_dim_sub(a, b);
    bool answer;
    if (!knx_is_symbolic(e))
        return e == 0;
    knx_dim_bounds(e, &lower, &upper);
    if (lower == 0 && upper == 0)
        return true;
    if (lower > 0 || upper < 0)
        return false;
    /* Not known to be equal: different, as in JAX. What needs them equal says so, and names both. */
    return s && s->assumes && assume(s, e, true, &answer) && answer;
}

int64_t knx_dim_estimate(int64_t d)
{
    enum { LARGE = 1 << 20 };
    const knx_dim_scope *s = knx_dim_now();
    int64_t value;
    return s && knx_dim_evaluate(d, (int)s->sample.n, s->sample.at, &value) ? value : LARGE;
}

int64_t knx_dim_taken(int64_t d)
{
    const knx_dim_scope *s = knx_is_symbolic(d) ? knx_dim_now() : NULL;
    int64_t n;
    bool has = s && s->assumes && knx_dim_evaluate(d, (int)s->sample.n, s->sample.at, &n);
    return has && knx_dim_eq(d, n) ? n : d;
}

bool knx_dim_taken_le(int64_t a, int64_t b)
{
    const knx_dim_scope *s = knx_any_symbolic(a, b) ? knx_dim_now() : NULL;
    return s && s->assumes ? knx_dim_le(a, b) : knx_dim_known_le(a, b);
}

bool knx_dim_known_le(int64_t a, int64_t b)
{
    int64_t lower, upper;
    if (!knx_any_symbolic(a, b))
        return a <= b;
    knx_dim_bounds(knx_dim_sub(b, a), &lower, &upper);
    return lower >= 0;
}

bool knx_dim_rely_le(int64_t a, int64_t b)
{
    const knx_dim_scope *s = knx_dim_now();
    int64_t value;
    if (knx_dim_known_le(a, b))
        return true;
    return knx_any_symbolic(a, b) && s && s->assumes &&
           knx_dim_evaluate(knx_dim_sub(b, a), (int)s->sample.n, s->sample.at, &value) && value >= 0 &&
           knx_dim_decide_le(a, b);
}

/* Is there a guard that it is 0? */
static bool is_assumed_zero(int64_t e)
{
    const knx_dim_scope *s = knx_dim_now();
    for (size_t i = 0; s && i < s->guard.n; i++)
        if (s->guard.at[i].e == e && s->guard.at[i].equal && s->guard.at[i].holds)
            return true;
    return false;
}

bool knx_dim_same(int64_t a, int64_t b)
{
    int64_t lower, upper;
    if (a == b || !knx_any_symbolic(a, b))
        return a == b;
    int64_t e = knx_dim_sub(a, b);
    knx_dim_bounds(e, &lower, &upper);
    return (lower == 0 && upper == 0) || is_assumed_zero(e) || is_assumed_zero(knx_dim_sub(b, a));
}
