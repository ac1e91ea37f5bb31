/* SPDX-License-Identifier: Apache-2.0
 * dim_code.c -- the numbers of dimension expressions: one at a time, or many by a list of instructions. */
#include "base/dim_expr.h"
#include <string.h>

enum { LINEAR, SUM, FIRST_OPERATION }; /* then a knx_dim_op: FIRST_OPERATION + op */

/* Numbers, or expressions. */
static bool multiply(int64_t a, int64_t b, int64_t *out)
{
    if (!knx_any_symbolic(a, b))
        return !__builtin_mul_overflow(a, b, out);
    *out = knx_dim_product(a, b);
    return *out != KNX_DIM_UNKNOWN;
}

static bool add(int64_t a, int64_t b, int64_t *out)
{
    if (!knx_any_symbolic(a, b))
        return !__builtin_add_overflow(a, b, out);
    *out = knx_dim_combine(a, 1, b, 1);
    return *out != KNX_DIM_UNKNOWN;
}

static bool apply(knx_dim_op op, int64_t a, int64_t b, int64_t *out)
{
    if (knx_any_symbolic(a, b)) {
        *out = op == KNX_DIM_FLOORDIV ? knx_dim_quotient(a, b)
               : op == KNX_DIM_MOD    ? knx_dim_remainder(a, b)
               : op == KNX_DIM_MAX    ? knx_dim_greater(a, b)
                                      : knx_dim_smaller(a, b);
        return *out != KNX_DIM_UNKNOWN;
    }
    if (op <= KNX_DIM_MOD && (b == 0 || (a == INT64_MIN && b == -1)))
        return false;
    *out = op == KNX_DIM_FLOORDIV ? knx_floordiv(a, b)
           : op == KNX_DIM_MOD    ? a - b * knx_floordiv(a, b)
           : op == KNX_DIM_MAX    ? (a > b ? a : b)
                                  : (a < b ? a : b);
    return true;
}

static bool value_of_factor(uint32_t i, int n, const knx_dim_value *v, int64_t *out)
{
    const knx_dim_factor *f = knx_dim_factor_at(i);
    int64_t a, b;
    if (f->op != KNX_DIM_VARIABLE)
        return knx_dim_evaluate(f->operand[0], n, v, &a) && knx_dim_evaluate(f->operand[1], n, v, &b) &&
               apply((knx_dim_op)f->op, a, b, out);
    for (int k = 0; k < n; k++)
        if (v[k].var == i) {
            *out = v[k].value;
            return true;
        }
    return false;
}

bool knx_dim_evaluate(int64_t d, int n, const knx_dim_value *v, int64_t *out)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int64_t sum = 0, x;
    int parts = knx_dim_terms(d, p);
    if (knx_is_symbolic(d) && !parts)
        return false;
    for (int i = 0; i < parts; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        int64_t product = p[i].times;
        for (uint32_t k = 0; k < t->n; k++) {
            if (!value_of_factor(t->factor[k].factor, n, v, &x))
                return false;
            for (uint32_t power = 0; power < t->factor[k].power; power++)
                if (!multiply(product, x, &product))
                    return false;
        }
        if (!add(sum, product, &sum))
            return false;
    }
    *out = sum;
    return true;
}

static bool has(int n, const knx_dim_var *v, knx_dim_var x)
{
    for (int i = 0; i < n; i++)
        if (v[i] == x)
            return true;
    return false;
}

static int collect(int64_t d, int n, int most, knx_dim_var *out)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int parts = knx_is_symbolic(d) ? knx_dim_terms(d, p) : 0; /* of a number there may be no term at all yet */
    for (int i = 0; i < parts; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        for (uint32_t k = 0; k < t->n; k++) {
            const knx_dim_factor *f = knx_dim_factor_at(t->factor[k].factor);
            for (int o = 0; o < 2 && f->op != KNX_DIM_VARIABLE; o++)
                n = collect(f->operand[o], n, most, out);
            if (f->op == KNX_DIM_VARIABLE && n < most && !has(n, out, t->factor[k].factor))
                out[n++] = t->factor[k].factor;
        }
    }
    return n;
}

int knx_dim_variables(int64_t d, int most, knx_dim_var *out) { return collect(d, 0, most, out); }

bool knx_dim_is_linear(int64_t d, int n, const knx_dim_value *known, knx_dim_var *v, int64_t *times, int64_t *rest)
{
    knx_dim_part p[KNX_DIM_PARTS];
    int parts = knx_dim_terms(d, p), unknown = -1;
    *rest = 0;
    for (int i = 0; i < parts; i++) {
        int64_t one = knx_dim_of_parts(&p[i], 1), number;
        if (knx_dim_evaluate(one, n, known, &number)) {
            *rest = knx_dim_add(*rest, number);
            continue;
        }
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        if (unknown >= 0 || t->n != 1 || t->factor[0].power != 1 ||
            knx_dim_factor_at(t->factor[0].factor)->op != KNX_DIM_VARIABLE)
            return false;
        unknown = i;
        *v = t->factor[0].factor;
        *times = p[i].times;
    }
    return unknown >= 0;
}

/* ---- Instructions. LINEAR n, then n parts: times, place in the table. SUM n, then n parts: times, number of powers,
 * then for each its place and its exponent. An operation: places and constants of both operands; a place of -1: the
 * operand is the constant. Each instruction makes the next number of the table. */

static bool find(const knx_dim_code *c, uint64_t key, uint32_t *at)
{
    size_t cursor;
    void *p = knx_table_first(&c->known, knx_hash_mix(7, key), &cursor); /* the mix loses nothing of it */
    *at = p ? (uint32_t)(uintptr_t)p - 1 : 0;
    return p != NULL;
}

static bool number_made(knx_dim_code *c, uint64_t key, int64_t bare, uint32_t *at)
{
    *at = (uint32_t)c->bare.n;
    return KN_VEC_PUSH(&c->bare, bare) && knx_table_add(&c->known, knx_hash_mix(7, key), (void *)((uintptr_t)*at + 1));
}

static uint64_t key_of_factor(uint32_t i) { return (uint64_t)1 << 40 | i; }

static bool add_factor(knx_dim_code *c, uint32_t i, uint32_t *at)
{
    const knx_dim_factor *f = knx_dim_factor_at(i);
    uint32_t place[2] = {0};
    if (find(c, key_of_factor(i), at))
        return true;
    if (f->op == KNX_DIM_VARIABLE) /* all were named first */
        return false;
    for (int k = 0; k < 2; k++)
        if (knx_is_symbolic(f->operand[k]) && !knx_dim_code_add(c, f->operand[k], &place[k]))
            return false;
    if (!KN_VEC_RESERVE(&c->word, 5))
        return false;
    c->word.at[c->word.n++] = FIRST_OPERATION + f->op;
    for (int k = 0; k < 2; k++) {
        bool number = !knx_is_symbolic(f->operand[k]);
        c->word.at[c->word.n++] = number ? -1 : (int64_t)place[k];
        c->word.at[c->word.n++] = number ? f->operand[k] : knx_dim_constant(f->operand[k]);
    }
    return number_made(c, key_of_factor(i), 0, at);
}

/* Is each term one factor? */
static bool are_linear(int n, const knx_dim_part *p)
{
    bool linear = true;
    for (int i = 0; i < n; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        linear = linear && t->n == 1 && t->factor[0].power == 1;
    }
    return linear;
}

bool knx_dim_code_add(knx_dim_code *c, int64_t d, uint32_t *at)
{
    knx_dim_part p[KNX_DIM_PARTS];
    uint32_t unused;
    int64_t bare = knx_dim_bare(d);
    int n = knx_dim_terms(bare, p);
    if (find(c, (uint64_t)bare, at))
        return true;
    for (int i = 0; i < n; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        for (uint32_t k = 0; k < t->n; k++)
            if (!add_factor(c, t->factor[k].factor, &unused))
                return false;
    }
    bool linear = are_linear(n, p);
    if (!n || !KN_VEC_PUSH(&c->word, linear ? LINEAR : SUM) || !KN_VEC_PUSH(&c->word, n))
        return false;
    for (int i = 0; i < n; i++) {
        const knx_dim_term *t = knx_dim_term_at((uint32_t)p[i].term);
        if (!KN_VEC_RESERVE(&c->word, 2 + 2 * (size_t)t->n))
            return false;
        c->word.at[c->word.n++] = p[i].times;
        if (!linear)
            c->word.at[c->word.n++] = t->n;
        for (uint32_t k = 0; k < t->n; k++) {
            if (!find(c, key_of_factor(t->factor[k].factor), &unused))
                return false;
            c->word.at[c->word.n++] = unused;
            if (!linear)
                c->word.at[c->word.n++] = t->factor[k].power;
        }
    }
    return number_made(c, (uint64_t)bare, bare, at);
}

bool knx_dim_code_var(knx_dim_code *c, knx_dim_var v)
{
    uint32_t at;
    int64_t d;
    return knx_dim_of_var(v, &d) && KN_VEC_PUSH(&c->var, v) && number_made(c, (uint64_t)d, d, &at) &&
           knx_table_add(&c->known, knx_hash_mix(7, key_of_factor(v)), (void *)((uintptr_t)at + 1));
}

void knx_dim_code_free(knx_dim_code *c)
{
    KN_VEC_FREE(&c->var);
    KN_VEC_FREE(&c->word);
    KN_VEC_FREE(&c->bare);
    knx_table_free(&c->known);
}

/* NULL: a number is too large. */
static inline const int64_t *linear(const int64_t *w, const int64_t *table, int64_t *out)
{
    int64_t total = 0, one;
    bool fits = true;
    for (int64_t parts = *w++; parts > 0; parts--, w += 2) {
        fits &= !__builtin_mul_overflow(w[0], table[w[1]], &one);
        fits &= !__builtin_add_overflow(total, one, &total);
    }
    *out = total;
    return fits ? w : NULL;
}

static const int64_t *sum(const int64_t *w, const int64_t *table, int64_t *out)
{
    int64_t total = 0;
    for (int64_t parts = *w++; parts > 0; parts--) {
        int64_t product = *w++;
        for (int64_t n = *w++; n > 0; n--, w += 2)
            for (int64_t power = w[1]; power > 0; power--)
                if (__builtin_mul_overflow(product, table[w[0]], &product))
                    return NULL;
        if (__builtin_add_overflow(total, product, &total))
            return NULL;
    }
    *out = total;
    return w;
}

KNX_HOT bool knx_dim_code_run(const knx_dim_code *c, int64_t *table)
{
    const int64_t *w = c->word.at, *end = w + c->word.n;
    for (int64_t *out = table + c->var.n; w < end; out++) {
        int64_t op = *w++;
        if (op <= SUM) {
            w = op == LINEAR ? linear(w, table, out) : sum(w, table, out);
            if (!w)
                return false;
            continue;
        }
        if (!apply((knx_dim_op)(op - FIRST_OPERATION), (w[0] < 0 ? 0 : table[w[0]]) + w[1],
                   (w[2] < 0 ? 0 : table[w[2]]) + w[3], out))
            return false;
        w += 4;
    }
    return true;
}

/* ---- Conditions. */

bool knx_dim_conditions_of(const knx_dim_scope *s, knx_dim_conditions *c)
{
    *c = (knx_dim_conditions){.at = knx_alloc((s->guard.n + 1) * sizeof *c->at)};
    bool fine = c->at != NULL;
    for (size_t i = 0; fine && i < s->sample.n; i++)
        fine = knx_dim_code_var(&c->code, s->sample.at[i].var);
    for (size_t i = 0; fine && i < s->guard.n; i++) {
        const knx_dim_guard *g = &s->guard.at[i];
        struct knx_dim_condition q = {.constant = knx_dim_constant(g->e), .equal = g->equal, .holds = g->holds};
        fine = knx_dim_code_add(&c->code, g->e, &q.at);
        c->at[c->n++] = q;
    }
    if (!fine)
        knx_dim_conditions_free(c);
    return fine;
}

KNX_HOT bool knx_dim_conditions_hold(const knx_dim_conditions *c, const int64_t *value)
{
    enum { FEW = 64 };
    int64_t few[FEW], *table = few;
    if (!c->n)
        return true;
    if (c->code.bare.n > FEW && !(table = knx_alloc(c->code.bare.n * sizeof *table)))
        return false;
    memcpy(table, value, c->code.var.n * sizeof *table);
    bool hold = knx_dim_code_run(&c->code, table);
    for (size_t i = 0; hold && i < c->n; i++) {
        int64_t e = table[c->at[i].at] + c->at[i].constant;
        hold = (c->at[i].equal ? e == 0 : e >= 0) == c->at[i].holds;
    }
    if (table != few)
        knx_free(table);
    return hold;
}

size_t knx_dim_conditions_bytes(const knx_dim_conditions *c)
{
    return c->n * sizeof *c->at + c->code.word.cap * sizeof *c->code.word.at +
           c->code.bare.cap * (sizeof *c->code.bare.at + 2 * sizeof *c->code.known.slot);
}

void knx_dim_conditions_free(knx_dim_conditions *c)
{
    knx_dim_code_free(&c->code);
    knx_free(c->at);
    c->at = NULL;
    c->n = 0;
}
