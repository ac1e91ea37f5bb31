/* SPDX-License-Identifier: Apache-2.0
 * json.c -- JSON as manifests and headers of files have it, read strictly and piece by piece, or whole as a tree of
 * values. */
#include "io/json.h"
#include "base/memory.h"
#include <string.h>

typedef knio_json_reader reader;

knx_error *knio_json_wrong(const reader *r, const char *what)
{
    return knx_error_new(KN_ERROR_VALUE, "JSON: %s at byte %zu", what, (size_t)(r->s - r->begin));
}

void knio_json_blanks(reader *r)
{
    while (r->s < r->end && strchr(" \n\t\r", *r->s) && *r->s)
        r->s++;
}

bool knio_json_take(reader *r, char c)
{
    knio_json_blanks(r);
    bool is = r->s < r->end && *r->s == c;
    r->s += is;
    return is;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    bool is = (size_t)(r->end - r->s) >= n && memcmp(r->s, word, n) == 0;
    r->s += is ? n : 0;
    return is;
}

/* Four hexadecimal digits; -1: there are none. */
static int take_hex(reader *r)
{
    int v = 0;
    for (int i = 0; i < 4; i++, r->s++) {
        const char *digits = "0123456789abcdef", *d = NULL;
        if (r->s < r->end && *r->s)
            d = strchr(digits, *r->s >= 'A' && *r->s <= 'F' ? *r->s + ('a' - 'A') : *r->s);
        if (!d)
            return -1;
        v = v << 4 | (int)(d - digits);
    }
    return v;
}

/* Behind \u; the writer has such for control characters alone, others may for all. */
static knx_error *take_code(reader *r, char **to)
{
    int c = take_hex(r);
    if (c >= 0xd800 && c < 0xdc00 && take_word(r, "\\u")) {
        int low = take_hex(r);
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    if (c <= 0 || (c >= 0xd800 && c < 0xe000))
        return knio_json_wrong(r, "no such character");
    char *t = *to;
    if (c < 0x80) {
        *t++ = (char)c;
    } else if (c < 0x800) {
        *t++ = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        *t++ = (char)(0xe0 | c >> 12);
        *t++ = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        *t++ = (char)(0xf0 | c >> 18);
        *t++ = (char)(0x80 | (c >> 12 & 0x3f));
        *t++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80)
        *t++ = (char)(0x80 | (c & 0x3f));
    *to = t;
    return NULL;
}

static knx_error *take_escape(reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
    if (take_word(r, "u"))
        return take_code(r, to);
    const char *c = r->s < r->end && *r->s ? strchr(from, *r->s) : NULL;
    if (!c)
        return knio_json_wrong(r, "no such escape");
    r->s++;
    *(*to)++ = is[c - from];
    return NULL;
}

knx_error *knio_json_text(reader *r, const char **out)
{
    if (!knio_json_take(r, '"'))
        return knio_json_wrong(r, "a text is missing");
    const char *close = r->s;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (close >= r->end)
        return knio_json_wrong(r, "a text without an end");
    char *t = knx_arena_alloc(r->a, (size_t)(close - r->s) + 1); /* no escape is longer than what it stands for */
    *out = t;
    if (!t)
        return knx_error_nomem();
    while (r->s < close) {
        if ((unsigned char)*r->s < ' ')
            return knio_json_wrong(r, "a control character");
        if (*r->s != '\\')
            *t++ = *r->s++;
        else {
            r->s++;
            KN_TRY(take_escape(r, &t));
        }
    }
    *t = 0;
    r->s = close + 1;
    return NULL;
}

knx_error *knio_json_integer(reader *r, int64_t *out)
{
    knio_json_blanks(r);
    bool negative = take_word(r, "-"), over = false;
    const char *from = r->s;
    int64_t v = 0;
    for (; r->s < r->end && *r->s >= '0' && *r->s <= '9'; r->s++)
        over |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *r->s - '0', &v);
    if (r->s == from)
        return knio_json_wrong(r, "no value");
    if (*from == '0' && r->s - from > 1)
        return knio_json_wrong(r, "a number that begins with 0");
    if (over || (r->s < r->end && *r->s && strchr(".eE", *r->s)))
        return knio_json_wrong(r, "a number that is no integer of 64 bits");
    *out = negative ? -v : v;
    return NULL;
}

knx_error *knio_json_next(reader *r, char close, int i, const char **key, bool *more)
{
    *more = !knio_json_take(r, close);
    if (!*more)
        return NULL;
    if (i > 0 && !knio_json_take(r, ','))
        return knio_json_wrong(r, "a comma or an end is missing");
    if (close == ']')
        return NULL;
    knio_json_blanks(r);
    if (r->s == r->end || *r->s != '"')
        return knio_json_wrong(r, "a key or an end is missing");
    KN_TRY(knio_json_text(r, key));
    return knio_json_take(r, ':') ? NULL : knio_json_wrong(r, "':' is missing");
}

knx_error *knio_json_end(reader *r)
{
    knio_json_blanks(r);
    return r->s == r->end ? NULL : knio_json_wrong(r, "something behind the value");
}

/* Whether a number without a sign is here, however long and with a fraction or without. */
static bool skip_number(reader *r)
{
    const char *from = r->s;
    while (r->s < r->end && *r->s && strchr("0123456789.eE+-", *r->s))
        r->s++;
    return r->s > from;
}

knx_error *knio_json_skip(reader *r, int depth)
{
    const char *text;
    if (depth > KNIO_JSON_DEPTH)
        return knio_json_wrong(r, "too many brackets");
    knio_json_blanks(r);
    if (r->s < r->end && *r->s == '"')
        return knio_json_text(r, &text);
    char close = knio_json_take(r, '[') ? ']' : knio_json_take(r, '{') ? '}' : 0;
    if (!close)
        return take_word(r, "null") || take_word(r, "true") || take_word(r, "false") || skip_number(r)
                   ? NULL
                   : knio_json_wrong(r, "no value");
    bool more = true;
    for (int i = 0; more; i += i == 0) {
        KN_TRY(knio_json_next(r, close, i, &text, &more));
        if (more)
            KN_TRY(knio_json_skip(r, depth + 1));
    }
    return NULL;
}

bool knio_json_null(reader *r)
{
    knio_json_blanks(r);
    return take_word(r, "null");
}

/* ---- The whole as a tree. */

static knx_error *take_value(reader *r, int depth, knio_json **out);

static knx_error *take_members(reader *r, int depth, knio_json *j)
{
    char close = j->kind == KNIO_JSON_LIST ? ']' : '}';
    knio_json **last = &j->first;
    for (bool more = true; more;) {
        const char *key = NULL;
        KN_TRY(knio_json_next(r, close, j->number > 0, &key, &more));
        if (!more)
            break;
        KN_TRY(take_value(r, depth + 1, last));
        (*last)->key = key;
        last = &(*last)->next;
        j->number++;
    }
    return NULL;
}

static knx_error *take_value(reader *r, int depth, knio_json **out)
{
    knio_json *j = *out = knx_arena_zero(r->a, sizeof *j);
    if (!j)
        return knx_error_nomem();
    if (depth > KNIO_JSON_DEPTH)
        return knio_json_wrong(r, "too many brackets");
    knio_json_blanks(r);
    if (r->s < r->end && *r->s == '"') {
        j->kind = KNIO_JSON_TEXT;
        return knio_json_text(r, &j->text);
    }
    if (knio_json_take(r, '[') || knio_json_take(r, '{')) {
        j->kind = r->s[-1] == '[' ? KNIO_JSON_LIST : KNIO_JSON_OBJECT;
        return take_members(r, depth, j);
    }
    if (take_word(r, "null"))
        return NULL;
    j->kind = KNIO_JSON_BOOL;
    j->number = take_word(r, "true");
    if (j->number || take_word(r, "false"))
        return NULL;
    j->kind = KNIO_JSON_NUMBER;
    return knio_json_integer(r, &j->number);
}

knx_error *knio_json_read(knx_arena *a, const char *s, size_t n, const knio_json **out)
{
    reader r = {a, s, s, s + n};
    knio_json *j;
    KN_TRY(take_value(&r, 0, &j));
    *out = j;
    return knio_json_end(&r);
}

const knio_json *knio_json_member(const knio_json *j, const char *key)
{
    const knio_json *m = j && j->kind == KNIO_JSON_OBJECT ? j->first : NULL;
    while (m && strcmp(m->key, key) != 0)
        m = m->next;
    return m;
}

void knio_json_add_text(knx_str *out, const char *text)
{
    knx_str_add(out, "\"", 1);
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    for (; *text; text++) {
        const char *special = strchr(plain, *text);
        if (special)
            knx_str_printf(out, "\\%c", letter[special - plain]);
        else if ((unsigned char)*text < ' ')
            knx_str_printf(out, "\\u%04x", (unsigned)*text);
        else
            knx_str_add(out, text, 1);
    }
    knx_str_add(out, "\"", 1);
}
