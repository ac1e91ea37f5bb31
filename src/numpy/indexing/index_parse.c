/* SPDX-License-Identifier: Apache-2.0
 * index_parse.c -- reads an index as Python writes it: "1:, ::-1, ..., None, %". Each % takes the next argument. */
#include "lib/internal.h"
#include <ctype.h>
#include <string.h>

typedef struct parser {
    kna_op *op;
    const char *text, *at;
    int n_args, used;
    const kn_index_arg *args;
    bool failed;
} parser;

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static bool fail(parser *p)
{
    if (!p->failed)
        kna_fail(
            p->op, KN_ERROR_VALUE,
            "cannot read index \"%s\": expected a number, a slice, \"...\", \"None\" or a placeholder at column %d",
            p->text, (int)(p->at - p->text) + 1);
    p->failed = true;
    return false;
}

static KNX_HOT bool take_word(parser *p, const char *word)
{
    if (*p->at != *word) /* of most words: a call less */
        return false;
    size_t n = strlen(word);
    if (strncmp(p->at, word, n) != 0 ||
        (isalpha((unsigned char)word[0]) && (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')))
        return false;
    p->at += n;
    return true;
}

/* A signed decimal number; too large ones are out of bounds everywhere, so they stay at the limit. */
static KNX_HOT bool take_number(parser *p, int64_t *value)
{
    const char *s = p->at;
    bool minus = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    while (*s == ' ')
        s++;
    if (!isdigit((unsigned char)*s))
        return false;
    uint64_t v = 0;
    for (; isdigit((unsigned char)*s); s++)
        v = v > INT64_MAX / 10 - 1 ? INT64_MAX : v * 10 + (uint64_t)(*s - '0');
    *value = minus ? -(int64_t)v : (int64_t)v;
    p->at = s;
    return true;
}

static const kn_index_arg *next_arg(parser *p)
{
    static const kn_index_arg none = {.kind = KN_ARG_INT};
    int i = p->used++;
    p->at++; /* the % */
    return i < p->n_args && p->args ? &p->args[i] : &none;
}

/* The value of a 0-d integer array that stands as a bound of a slice. */
static int64_t look_at_bound(parser *p, kn_array x)
{
    int64_t v = 0;
    kni_type t = kna_type(p->op, x);
    if (kna_failed(p->op))
        return 0;
    if (t.ndim || !knx_is_integer(t.dtype)) {
        kna_fail(p->op, KN_ERROR_TYPE, "slice indices must be integers or None or have an __index__ method");
        return 0;
    }
    const void *data = kna_look(p->op, x, &t);
    if (data)
        knx_convert(t.dtype, data, KN_DT(I64), &v);
    return v;
}

/* A bound of a slice, if one stands here. */
static KNX_HOT bool take_bound(parser *p, knl_bound *b)
{
    skip_blanks(p);
    if (*p->at == '%') {
        const kn_index_arg *a = next_arg(p);
        *b = (knl_bound){true, true, a->kind == KN_ARG_ARRAY ? look_at_bound(p, a->array) : a->integer};
        return true;
    }
    if (take_word(p, "None"))
        return true;
    b->given = take_number(p, &b->value);
    return b->given;
}

/* What stands where a whole item may be a placeholder: an integer, an array, or the start of a slice. */
static void placeholder(parser *p, knl_item *item)
{
    const char *before = p->at;
    int used = p->used;
    const kn_index_arg *a = next_arg(p);
    skip_blanks(p);
    if (*p->at == ':') { /* a bound after all */
        p->at = before;
        p->used = used;
        take_bound(p, &item->start);
        return;
    }
    if (a->kind == KN_ARG_INT) {
        item->kind = KNL_INTEGER;
        item->start = (knl_bound){true, true, a->integer};
        return;
    }
    item->kind = KNL_ARRAY;
    item->array = a->kind == KN_ARG_BOOL ? kn_like_bool(a->integer != 0) : a->array;
}

static void take_item(parser *p, knl_item *item)
{
    *item = (knl_item){.kind = KNL_SLICE};
    skip_blanks(p);
    if (take_word(p, "...")) {
        item->kind = KNL_ELLIPSIS;
        return;
    }
    if (*p->at == '%')
        placeholder(p, item);
    else if (take_word(p, "None")) {
        skip_blanks(p);
        if (*p->at != ':') {
            item->kind = KNL_NEW_AXIS;
            return;
        }
    } else if (*p->at != ':') {
        if (!take_number(p, &item->start.value)) {
            fail(p);
            return;
        }
        item->start.given = true;
        item->kind = KNL_INTEGER;
    }
    skip_blanks(p);
    if (*p->at != ':' || item->kind == KNL_ARRAY)
        return;
    item->kind = KNL_SLICE;
    p->at++;
    take_bound(p, &item->stop);
    skip_blanks(p);
    if (*p->at == ':') {
        p->at++;
        take_bound(p, &item->step);
    }
}

static int count_placeholders(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '%';
    return n;
}

KNX_HOT int knl_parse_index(kna_op *op, const char *text, int n_args, const kn_index_arg *args,
                            knl_item item[KNL_MAX_ITEMS])
{
    parser p = {.op = op, .text = text, .at = text, .n_args = n_args, .args = args};
    int n = 0, places;
    if (!text) {
        kna_fail(op, KN_ERROR_TYPE, "the index is missing");
        return 0;
    }
    places = count_placeholders(text);
    if (places != n_args) {
        kna_fail(op, KN_ERROR_TYPE, "index \"%s\" has %d placeholder%s, but was given %d argument%s", text, places,
                 places == 1 ? "" : "s", n_args, n_args == 1 ? "" : "s");
        return 0;
    }
    skip_blanks(&p);
    while (*p.at) { /* "" is the empty tuple, and "1," a tuple of one */
        if (n == KNL_MAX_ITEMS) {
            kna_fail(op, KN_ERROR_INDEX, "too many indices for array");
            return 0;
        }
        take_item(&p, &item[n]);
        if (p.failed || kna_failed(op))
            return 0;
        n++;
        skip_blanks(&p);
        if (!*p.at)
            break;
        if (*p.at != ',') {
            fail(&p);
            return 0;
        }
        p.at++;
        skip_blanks(&p);
    }
    return n;
}
