/* SPDX-License-Identifier: Apache-2.0
 * dim_text.c -- dimension expressions as texts, as jax.export writes and reads them. */
#include "base/dim_expr.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char *const knx_dim_operation[] = {"", "floordiv", "mod", "max", "min"};

static void write_dim(knx_str *s, int64_t d);

/* Numbers are sums there, too: mod(t, - 8). */
static void write_operand(knx_str *s, int64_t d)
{
    if (!knx_is_symbolic(d) && d < 0)
        knx_str_printf(s, "- %" PRIu64, 0 - (uint64_t)d);
    else
        write_dim(s, d);
}

static void write_factor(knx_str *s, const knx_dim_factor *f)
{
    if (f->op == KNX_DIM_VARIABLE) {
        knx_str_puts(s, f->name);
        return;
    }
    knx_str_printf(s, "%s(", knx_dim_operation[f->op]);
    write_operand(s, f->operand[0]);
    knx_str_puts(s, ", ");
    write_operand(s, f->operand[1]);
    knx_str_puts(s, ")");
}

static void write_term(knx_str *s, const knx_dim_term *t)
{
    for (uint32_t i = t->n; i-- > 0;) { /* the smallest first */
        write_factor(s, knx_dim_factor_at(t->factor[i].factor));
        if (t->factor[i].power != 1)
            knx_str_printf(s, "^%u", (unsigned)t->factor[i].power);
        if (i)
            knx_str_puts(s, "*");
    }
}

static void write_dim(knx_str *s, int64_t d)
{
    knx_dim_part p[KNX_DIM_PARTS];
    if (!knx_is_symbolic(d)) {
        knx_str_printf(s, "%" PRId64, d);
        return;
    }
    int n = knx_dim_terms(d, p);
    if (!n)
        knx_str_puts(s, "?");
    for (int i = 0; i < n; i++) {
        int64_t times = p[i].times < 0 ? -p[i].times : p[i].times;
        knx_str_puts(s, i ? p[i].times < 0 ? " - " : " + " : p[i].times < 0 ? "- " : "");
        if (!p[i].term || times != 1)
            knx_str_printf(s, "%" PRId64 "%s", times, p[i].term ? "*" : "");
        if (p[i].term)
            write_term(s, knx_dim_term_at((uint32_t)p[i].term));
    }
}

bool knx_dim_text(knx_str *s, int64_t d)
{
    write_dim(s, d);
    return !s->failed;
}

const char *knx_dim_show(knx_text *t, int64_t d)
{
    knx_str s = {0};
    if (!knx_is_symbolic(d) || (d != KNX_DIM_UNKNOWN && !knx_dim_number(d))) {
        knx_text_add(t, "%" PRId64, d);
        return t->s;
    }
    write_dim(&s, d);
    knx_text_add(t, "%s", s.failed || !s.s ? "?" : s.s);
    knx_str_free(&s);
    return t->s;
}

/* ---- Reading: sums of products of factors; each function leaves the text behind what it has read. */

static void skip(const char **s)
{
    while (isspace((unsigned char)**s))
        ++*s;
}

static bool takes(const char **s, char c)
{
    skip(s);
    if (**s != c)
        return false;
    ++*s;
    skip(s);
    return true;
}

static knx_error *expected(const char *what, const char *at)
{
    return knx_error_new(KN_ERROR_VALUE, "a dimension has %s where %s is expected", *at ? "something else" : "its end",
                         what);
}

enum { DEPTH = 32 };
static const int64_t LARGEST = (int64_t)1 << 59; /* of the numbers that are written */
static knx_error *read_sum(const char **s, int depth, int64_t *d);

static knx_error *too_large(void) { return knx_error_new(KN_ERROR_VALUE, "a number of a dimension is too large"); }

/* d times x, or d plus x. Numbers stay below those that stand for expressions. */
static knx_error *join(int64_t *d, int64_t x, bool times)
{
    int64_t y;
    if (knx_any_symbolic(*d, x)) {
        *d = times ? knx_dim_mul(*d, x) : knx_dim_add(*d, x);
        return NULL;
    }
    if ((times ? __builtin_mul_overflow(*d, x, &y) : __builtin_add_overflow(*d, x, &y)) || y >= KNX_DIM_FIRST ||
        y <= -KNX_DIM_FIRST)
        return too_large();
    *d = y;
    return NULL;
}

static knx_error *read_number(const char **s, int64_t *d)
{
    *d = 0;
    if (!isdigit((unsigned char)**s))
        return expected("a number", *s);
    for (; isdigit((unsigned char)**s); ++*s) {
        if (*d > LARGEST / 10)
            return too_large();
        *d = 10 * *d + (**s - '0');
    }
    skip(s);
    return NULL;
}

static knx_error *read_name(const char **s, int depth, int64_t *d)
{
    const char *begin = *s;
    int64_t x, y;
    while (isalnum((unsigned char)**s) || **s == '_')
        ++*s;
    size_t n = (size_t)(*s - begin);
    skip(s);
    for (int op = KNX_DIM_FLOORDIV; op <= KNX_DIM_MIN; op++) {
        if (strlen(knx_dim_operation[op]) != n || memcmp(knx_dim_operation[op], begin, n) != 0)
            continue;
        if (!takes(s, '('))
            return expected("(", *s);
        KN_TRY(read_sum(s, depth + 1, &x));
        if (!takes(s, ','))
            return expected("a comma", *s);
        KN_TRY(read_sum(s, depth + 1, &y));
        if (!takes(s, ')'))
            return expected(")", *s);
        if (op <= KNX_DIM_MOD && y == 0)
            return knx_error_new(KN_ERROR_ZERO_DIVISION, "division by zero in a dimension");
        *d = op == KNX_DIM_FLOORDIV ? knx_dim_floordiv(x, y)
             : op == KNX_DIM_MOD    ? knx_dim_mod(x, y)
             : op == KNX_DIM_MAX    ? knx_dim_max(x, y)
                                    : knx_dim_min(x, y);
        return NULL;
    }
    if (!knx_dim_named(begin, n, d))
        return knx_error_nomem();
    *d = knx_dim_combine(*d, 1, 0, 0); /* as the scope's equalities have it */
    return NULL;
}

static knx_error *read_factor(const char **s, int depth, int64_t *d)
{
    int64_t x = 0, power;
    skip(s);
    if (depth > DEPTH)
        return knx_error_new(KN_ERROR_VALUE, "a dimension has too many parentheses inside each other");
    if (isdigit((unsigned char)**s)) {
        KN_TRY(read_number(s, &x));
    } else if (isalpha((unsigned char)**s) || **s == '_') {
        KN_TRY(read_name(s, depth, &x));
    } else if (takes(s, '(')) {
        KN_TRY(read_sum(s, depth + 1, &x));
        if (!takes(s, ')'))
            return expected(")", *s);
    } else if (takes(s, '-')) {
        KN_TRY(read_factor(s, depth + 1, &x));
        x = knx_dim_sub(0, x);
    } else {
        return expected("a number, a name or (", *s);
    }
    *d = x;
    if (takes(s, '^')) {
        KN_TRY(read_number(s, &power));
        *d = 1;
        if (power > 16)
            return knx_error_new(KN_ERROR_VALUE, "a power of a dimension is larger than 16");
        for (int64_t i = 0; i < power; i++)
            KN_TRY(join(d, x, true));
    }
    return NULL;
}

static knx_error *read_product(const char **s, int depth, int64_t *d)
{
    int64_t x;
    KN_TRY(read_factor(s, depth, d));
    while (takes(s, '*')) {
        KN_TRY(read_factor(s, depth, &x));
        KN_TRY(join(d, x, true));
    }
    return NULL;
}

static knx_error *read_sum(const char **s, int depth, int64_t *d)
{
    int64_t x;
    bool minus = takes(s, '-');
    KN_TRY(read_product(s, depth, d));
    if (minus)
        *d = knx_dim_sub(0, *d);
    for (;;) {
        bool plus = takes(s, '+');
        if (!plus && !takes(s, '-'))
            return NULL;
        KN_TRY(read_product(s, depth, &x));
        KN_TRY(join(d, plus ? x : knx_dim_sub(0, x), false));
    }
}

knx_error *knx_dim_parse(const char **text, int64_t *d) { return read_sum(text, 0, d); }

knx_error *knx_dim_parse_word(const char **text, int64_t *d)
{
    char word[256] = {0};
    size_t n = 0;
    for (int depth = 0; (*text)[n] && (depth || ((*text)[n] != ',' && !isspace((unsigned char)(*text)[n]))); n++)
        depth += ((*text)[n] == '(') - ((*text)[n] == ')');
    if (n >= sizeof word)
        return knx_error_new(KN_ERROR_VALUE, "a dimension is too long");
    memcpy(word, *text, n);
    word[n] = 0;
    const char *at = word;
    KN_TRY(knx_dim_parse(&at, d));
    if (*at)
        return knx_error_new(KN_ERROR_VALUE, "unexpected text in a dimension: '%s'", word);
    *text += n;
    return NULL;
}
