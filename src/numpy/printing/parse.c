/* SPDX-License-Identifier: Apache-2.0
 * parse.c -- arrays from the text that they were printed as. */
#include "base/digits.h"
#include "kiln/numpy/printing.h"
#include "lib/internal.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct element {
    enum { TRUTH, INTEGER, FLOAT, COMPLEX } kind; /* in the order in which they promote */
    bool negative;
    uint64_t size; /* of an integer, without its sign */
    kn_c128 number;
} element;

typedef struct parser {
    kna_op *op;
    const char *s;
    KN_VEC(element) element;
    int64_t dim[KN_MAX_NDIM];
    bool known[KN_MAX_NDIM]; /* extents */
    int leaf;                /* axes in front of elements, -1: none was seen */
    int ragged;              /* axes in front of the first one whose extents differ */
    bool needs_unsigned;
} parser;

static void unexpected(parser *p)
{
    if (!kna_failed(p->op) && strncmp(p->s, "...", 3) == 0)
        kna_fail(p->op, KN_ERROR_VALUE, "the text is a summary: \"...\" stands for elements that it does not tell");
    else if (!kna_failed(p->op))
        kna_fail(p->op, KN_ERROR_VALUE, *p->s ? "\"%.24s\" is not how an array goes on" : "the text%s ends too early",
                 p->s);
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)*p->s))
        p->s++;
}

static bool take(parser *p, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(p);
    if (strncmp(p->s, word, n) != 0)
        return false;
    p->s += n;
    return true;
}

/* ---- Elements. */

/* An integer, exactly; false: it is not one, or has a point or an exponent. */
static bool read_integer(parser *p, element *e)
{
    const char *s = p->s + (*p->s == '-' || *p->s == '+'), *first = s;
    uint64_t v = 0;
    bool over = false;
    for (; isdigit((unsigned char)*s); s++)
        over |= __builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
    if (s == first || *s == '.' || (*s != 'j' && isalpha((unsigned char)*s)))
        return false;
    *e = (element){.kind = INTEGER, .negative = *p->s == '-' && v, .size = v};
    if (over || (e->negative && v > (uint64_t)INT64_MAX + 1))
        kna_fail(p->op, KN_ERROR_OVERFLOW, "%.*s has more than 64 bits", (int)(s - p->s < 60 ? s - p->s : 60), p->s);
    p->needs_unsigned |= v > INT64_MAX && !e->negative;
    e->number.re = *p->s == '-' ? -(double)v : (double)v;
    p->s = s;
    return true;
}

/* A signed number with a "j"; blanks may stand before it where columns line up. */
static bool read_imaginary(parser *p, const char *s, double *v)
{
    while (*s == ' ')
        s++;
    if ((*s != '+' && *s != '-') || !knx_parse_double(s, &s, v) || *s != 'j')
        return false;
    p->s = s + 1;
    return true;
}

static void read_number(parser *p, element *e)
{
    const char *end;
    if (read_integer(p, e)) {
        /* done */
    } else if (knx_parse_double(p->s, &end, &e->number.re)) {
        e->kind = FLOAT;
        p->s = end;
    } else {
        unexpected(p);
        return;
    }
    if (*p->s == 'j') {
        e->number = (kn_c128){0, e->number.re};
        e->kind = COMPLEX;
        p->s++;
    } else if (read_imaginary(p, p->s, &e->number.im)) {
        e->kind = COMPLEX;
    }
}

static void read_element(parser *p, element *e)
{
    bool bracket = take(p, "(");
    skip_blanks(p);
    *e = (element){.kind = TRUTH, .size = 0};
    if (take(p, "True"))
        e->size = 1;
    else if (!take(p, "False"))
        read_number(p, e);
    if ((bracket && !take(p, ")")) || (*p->s && !strchr(" \t\n\v\f\r,])", *p->s)))
        unexpected(p);
}

/* ---- Brackets. */

static void mark_ragged(parser *p, int depth) { p->ragged = depth < p->ragged ? depth : p->ragged; }

static void note_leaf(parser *p, int depth)
{
    if (p->leaf >= 0 && p->leaf != depth)
        mark_ragged(p, p->leaf < depth ? p->leaf : depth);
    p->leaf = p->leaf < 0 ? depth : p->leaf;
}

static void note_extent(parser *p, int depth, int64_t n)
{
    if (p->known[depth] && p->dim[depth] != n)
        mark_ragged(p, depth);
    p->known[depth] = true;
    p->dim[depth] = n;
}

static void read_value(parser *p, int depth)
{
    element e;
    if (!take(p, "[")) {
        read_element(p, &e);
        note_leaf(p, depth);
        if (!kna_failed(p->op) && !KN_VEC_PUSH(&p->element, e))
            kna_fail_with(p->op, knx_error_nomem());
        return;
    }
    if (depth == KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_VALUE, "an array has at most %d axes", KN_MAX_NDIM);
        return;
    }
    int64_t n = 0;
    while (!kna_failed(p->op) && !take(p, "]")) {
        if (n)
            take(p, ",");
        read_value(p, depth + 1);
        n++;
    }
    if (n == 0)
        note_leaf(p, depth + 1);
    note_extent(p, depth, n);
}

/* ---- What stands behind the elements. */

static kn_dtype read_dtype(parser *p)
{
    char name[32];
    bool quoted = take(p, "'");
    size_t n = strcspn(p->s, quoted ? "'" : ",) \n");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), p->s);
    p->s += n + (quoted && p->s[n]);
    return kn_dtype_named(name);
}

/* (2, 3) */
static void read_shape(parser *p, kn_shape *shape)
{
    element e;
    if (!take(p, "("))
        unexpected(p);
    for (shape->ndim = 0; !kna_failed(p->op) && !take(p, ")"); take(p, ",")) {
        skip_blanks(p);
        if (shape->ndim == KN_MAX_NDIM || !read_integer(p, &e) || e.negative || e.size > INT64_MAX)
            unexpected(p);
        else
            shape->dim[shape->ndim++] = (int64_t)e.size;
    }
}

static void read_extras(parser *p, kn_dtype *d, kn_shape *shape)
{
    while (!kna_failed(p->op) && take(p, ",")) {
        kn_dtype said = NULL;
        if (take(p, "shape="))
            read_shape(p, shape);
        else if (!take(p, "dtype=") || !(said = read_dtype(p)))
            unexpected(p);
        else if (!*d)
            *d = said;
    }
    if (!take(p, ")"))
        unexpected(p);
}

/* ---- The array. */

static void set_shape(parser *p, kn_shape *shape)
{
    knx_text text = {0};
    int ndim = p->leaf < 0 ? 0 : p->leaf;
    if (p->ragged < KN_MAX_NDIM) {
        kna_fail(p->op, KN_ERROR_VALUE,
                 "setting an array element with a sequence. The requested array has an inhomogeneous shape after %d "
                 "dimensions. The detected shape was %s + inhomogeneous part.",
                 p->ragged, knx_show_shape(&text, p->ragged, p->dim));
        return;
    }
    kn_shape found = {.ndim = ndim};
    memcpy(found.dim, p->dim, sizeof found.dim);
    if (shape->ndim < 0)
        *shape = found;
    else if (kni_type_size(knl_shaped(KN_DT(I64), shape)) != (int64_t)p->element.n)
        kna_fail(p->op, KN_ERROR_VALUE, "cannot reshape array of size %lld into shape %s", (long long)p->element.n,
                 knx_show_shape(&text, shape->ndim, shape->dim));
}

static kn_dtype dtype_of(const parser *p)
{
    unsigned kind = p->element.n ? TRUTH : FLOAT;
    for (size_t i = 0; i < p->element.n; i++)
        kind = p->element.at[i].kind > kind ? p->element.at[i].kind : kind;
    switch (kind) {
    case TRUTH: return KN_DT(BOOL);
    case INTEGER: return p->needs_unsigned ? KN_DT(U64) : KN_DT(I64);
    case FLOAT: return KN_DT(F64);
    default: return KN_DT(C128);
    }
}

static void put_element(parser *p, const element *e, kn_dtype d, void *to)
{
    int64_t v = (int64_t)(e->negative ? 0 - e->size : e->size);
    kn_dtype from = e->negative ? KN_DT(I64) : KN_DT(U64);
    double back;
    if (e->kind <= INTEGER && !knx_is_inexact(d)) {
        knx_scalar_bits again = {0};
        knx_convert(from, &v, d, to);
        knx_convert(d, to, from, &again);
        if (d->kind != KN_KIND_BOOL && (again.i64 != v || (d->kind == KN_KIND_UINT && e->negative)))
            kna_fail(p->op, KN_ERROR_OVERFLOW, "Python integer %s%llu out of bounds for %s", e->negative ? "-" : "",
                     (unsigned long long)e->size, d->name);
    } else if (e->kind <= INTEGER) {
        knx_convert(from, &v, d, to);
    } else if (e->kind == COMPLEX && !knx_is_complex(d)) {
        kna_fail(p->op, KN_ERROR_VALUE, "a complex number in an array of %s", d->name);
    } else {
        knx_convert(KN_DT(C128), &e->number, d, to);
        knx_convert(d, to, KN_DT(F64), &back);
        if (!knx_is_inexact(d) && d->kind != KN_KIND_BOOL && back != e->number.re)
            kna_fail(p->op, KN_ERROR_VALUE, "%g in an array of %s", e->number.re, d->name);
    }
}

static kn_array make_array(parser *p, kn_dtype d, const kn_shape *shape)
{
    if (!kna_failed(p->op) && d->kind == KN_KIND_KEY)
        kna_fail(p->op, KN_ERROR_TYPE, "%s cannot be read from text", d == KN_DT(KEY) ? "keys" : d->name);
    knx_buffer *b = kna_failed(p->op) ? NULL : knx_buffer_new(p->element.n * d->size);
    for (size_t i = 0; b && i < p->element.n && !kna_failed(p->op); i++)
        put_element(p, &p->element.at[i], d, (char *)b->data + i * d->size);
    KN_VEC_FREE(&p->element);
    if (kna_failed(p->op)) {
        knx_buffer_release(b);
        return kna_end(p->op, KN_ATOM_NONE);
    }
    return kna_from_buffer(p->op, knl_shaped(d, shape), b);
}

kn_array kn_array_parse(const char *text, const kn_array_parse_opts *opts)
{
    KNX_OPTS(kn_array_parse_opts, o, opts);
    kna_op op;
    kna_begin(&op, "array_parse");
    parser p = {.op = &op, .s = text, .leaf = -1, .ragged = KN_MAX_NDIM};
    kn_shape shape = {.ndim = -1};
    kn_dtype d = o.dtype;
    if (kna_given_pointer(&op, text, "text")) {
        bool called = take(&p, "array(");
        read_value(&p, 0);
        if (called && !kna_failed(&op))
            read_extras(&p, &d, &shape);
        skip_blanks(&p);
        if (!kna_failed(&op) && *p.s)
            unexpected(&p);
    }
    if (!kna_failed(&op))
        set_shape(&p, &shape);
    return make_array(&p, d ? d : dtype_of(&p), &shape);
}
