/* SPDX-License-Identifier: Apache-2.0
 * strings.c -- operators on texts. Letters change their case one by one, by Unicode's simple mappings. */
#include "models/onnx/ops/move.h"
#include "models/onnx/ops/regex.h"
#include <stdio.h>
#ifdef KN_HAVE_TEXT
#include <utf8proc.h>
#endif

/* Two inputs in their common shape: the positions of their texts; 0, or -1 with an error. */
static int pair_of(knonnx_call *c, knonnx_pool *pool, const int64_t *at[2], int *n, kn_shape *shape)
{
    kn_array x[2] = {knonnx_movable(c, pool, 0), NULL};
    if (!x[0] || !(x[1] = knonnx_movable(c, pool, 1)))
        return -1;
    if (pool->kind != KNONNX_POOL_TEXTS)
        return knonnx_fail(c, KN_ERROR_TYPE, "the inputs have to be strings");
    kn_list both = kn_broadcast_arrays(kn_list_from(x, 2));
    *shape = kn_shape_of(kn_list_get(both, 0));
    for (int k = 0; k < 2; k++)
        if (shape->ndim < 0 || !(at[k] = knonnx_ints_of(c, kn_list_get(both, k), n)))
            return knonnx_done(c), -1;
    return 0;
}

static int concat(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    const int64_t *at[2];
    kn_shape shape;
    if (pair_of(c, &pool, at, &n, &shape) < 0)
        return -1;
    const char **text = knonnx_take(c, (uint64_t)n + 1, sizeof *text);
    for (int k = 0; text && k < n; k++) {
        const char *a = pool.text[at[0][k]], *b = pool.text[at[1][k]];
        size_t length = strlen(a), more = strlen(b);
        char *joined = knonnx_take(c, length + more + 1, 1);
        if (!joined)
            return -1;
        snprintf(joined, length + more + 1, "%s%s", a, b);
        text[k] = joined;
    }
    return text ? knonnx_set_value(c, 0, knonnx_of_texts(c, &shape, text)) : -1;
}

/* ---- StringNormalizer. */

#ifdef KN_HAVE_TEXT
/* The text with each letter in another case; NULL with an error. */
static const char *in_case(knonnx_call *c, const char *text, bool upper)
{
    size_t n = strlen(text), used = 0;
    utf8proc_uint8_t *to = knonnx_take(c, 4 * n + 1, 1);
    for (size_t k = 0; to && k < n;) {
        utf8proc_int32_t letter;
        utf8proc_ssize_t read =
            utf8proc_iterate((const utf8proc_uint8_t *)text + k, (utf8proc_ssize_t)(n - k), &letter);
        if (read < 1) {
            knonnx_fail(c, KN_ERROR_VALUE, "a text is not UTF-8");
            return NULL;
        }
        used += (size_t)utf8proc_encode_char(upper ? utf8proc_toupper(letter) : utf8proc_tolower(letter), to + used);
        k += (size_t)read;
    }
    return (const char *)to;
}
#else
static const char *in_case(knonnx_call *c, const char *text, bool upper)
{
    (void)text, (void)upper;
    knonnx_cannot(c, "cases of letters need utf8proc, which this build is without");
    return NULL;
}
#endif

/* Whether the word is one of those that are left out, which are in lower case unless case counts. -1: an error. */
static int stops(knonnx_call *c, const char *word, const char *const *stop, int n, bool sensitive)
{
    const char *w = n && !sensitive ? in_case(c, word, false) : word;
    if (!w)
        return -1;
    for (int k = 0; k < n; k++)
        if (!strcmp(w, stop[k]))
            return 1;
    return 0;
}

static int normalized(knonnx_call *c, const knonnx_strings *x, const char *const *stop, int n, bool sensitive,
                      const char *action)
{
    const char **text = knonnx_take(c, (uint64_t)x->n + 1, sizeof *text);
    kn_shape shape = {.ndim = x->ndim, .dim = {1, 1}};
    size_t kept = 0;
    for (size_t k = 0; text && k < x->n; k++) {
        int out = stops(c, x->text[k], stop, n, sensitive);
        if (out < 0)
            return -1;
        if (!out && !(text[kept++] = *action == 'N' ? x->text[k] : in_case(c, x->text[k], *action == 'U')))
            return -1;
    }
    if (!text)
        return -1;
    if (!kept)
        text[kept++] = "";
    shape.dim[x->ndim - 1] = (int64_t)kept;
    return knonnx_set_value(c, 0, knonnx_of_texts(c, &shape, text));
}

static int normalize(knonnx_call *c)
{
    int n = 0;
    const knonnx_strings *x = knonnx_strings_in(c, 0);
    const char *action = knonnx_string(c, "case_change_action", "NONE"), *locale = knonnx_string(c, "locale", "en_US");
    const char *const *given = knonnx_texts(c, "stopwords", &n);
    bool sensitive = knonnx_int(c, "is_case_sensitive", 0);
    const char **stop = x ? knonnx_take(c, (uint64_t)n + 1, sizeof *stop) : NULL;
    if (!stop || !action || !locale)
        return -1;
    if (x->ndim < 1 || x->ndim > 2 || (x->ndim == 2 && x->dim[0] != 1))
        return knonnx_fail(c, KN_ERROR_VALUE, "the input has to have the shape [C] or [1, C]");
    if (strcmp(action, "NONE") && strcmp(action, "LOWER") && strcmp(action, "UPPER"))
        return knonnx_fail(c, KN_ERROR_VALUE, "case_change_action \"%s\"", action);
    if (!strncmp(locale, "tr", 2) || !strncmp(locale, "az", 2) || !strncmp(locale, "lt", 2))
        return knonnx_cannot(c, "letters of the locale \"%s\" have cases of their own", locale);
    for (int k = 0; k < n; k++)
        if (!(stop[k] = sensitive ? given[k] : in_case(c, given[k], false)))
            return -1;
    return normalized(c, x, stop, n, sensitive, action);
}

/* ---- StringSplit. */

/* The bytes of the white space that the text begins with: Unicode's, as Python has it; 0: none. */
static size_t blank(const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    if ((t[0] >= 0x09 && t[0] <= 0x0D) || (t[0] >= 0x1C && t[0] <= 0x20))
        return 1;
    if (t[0] == 0xC2)
        return t[1] == 0x85 || t[1] == 0xA0 ? 2 : 0;
    if (t[0] < 0xE1 || t[0] > 0xE3 || !t[1] || !t[2])
        return 0;
    unsigned letter = (t[0] & 0xFu) << 12 | (t[1] & 0x3Fu) << 6 | (t[2] & 0x3Fu);
    bool is = letter == 0x1680 || (letter >= 0x2000 && letter <= 0x200A) || letter == 0x2028 || letter == 0x2029 ||
              letter == 0x202F || letter == 0x205F || letter == 0x3000;
    return is ? 3 : 0;
}

typedef struct parts {
    int64_t n, room;
    const char **text;
} parts;

static int add_part(knonnx_call *c, parts *p, const char *from, size_t n)
{
    if (p->n == p->room) {
        int64_t room = 2 * p->room + 8;
        const char **wider = knonnx_take(c, (uint64_t)room, sizeof *wider);
        if (!wider)
            return -1;
        if (p->n)
            memcpy(wider, p->text, (size_t)p->n * sizeof *wider);
        p->text = wider;
        p->room = room;
    }
    char *copy = knonnx_take(c, n + 1, 1);
    if (!copy)
        return -1;
    memcpy(copy, from, n);
    p->text[p->n++] = copy;
    return 0;
}

static int split_blank(knonnx_call *c, parts *p, const char *text, int64_t most)
{
    int64_t splits = 0;
    for (;;) {
        for (size_t b; (b = blank(text));)
            text += b;
        if (!*text)
            return 0;
        size_t n = 0;
        if (splits++ == most) { /* the rest, without blanks at its end */
            size_t end = 0;
            for (size_t b; text[n]; n += b ? b : 1)
                end = (b = blank(text + n)) ? end : n + 1;
            return add_part(c, p, text, end);
        }
        while (text[n] && !blank(text + n))
            n++;
        if (add_part(c, p, text, n) < 0)
            return -1;
        text += n;
    }
}

static int split_by(knonnx_call *c, parts *p, const char *text, const char *by, int64_t most)
{
    size_t width = strlen(by);
    for (const char *at; most-- && (at = strstr(text, by)); text = at + width)
        if (add_part(c, p, text, (size_t)(at - text)) < 0)
            return -1;
    return add_part(c, p, text, strlen(text));
}

static int split(knonnx_call *c)
{
    const knonnx_strings *x = knonnx_strings_in(c, 0);
    const char *by = knonnx_string(c, "delimiter", "");
    int64_t most = knonnx_int(c, "maxsplit", INT64_MAX), longest = 0;
    parts *each = x && by ? knonnx_take(c, (uint64_t)x->n + 1, sizeof *each) : NULL;
    int64_t *count = each ? knonnx_take(c, (uint64_t)x->n + 1, sizeof *count) : NULL;
    if (!count)
        return -1;
    most = most < 0 ? INT64_MAX : most;
    for (size_t k = 0; k < x->n; k++) {
        if ((*by ? split_by(c, &each[k], x->text[k], by, most) : split_blank(c, &each[k], x->text[k], most)) < 0)
            return -1;
        count[k] = each[k].n;
        longest = count[k] > longest ? count[k] : longest;
    }
    kn_shape shape = {.ndim = x->ndim};
    memcpy(shape.dim, x->dim, (size_t)x->ndim * sizeof *x->dim);
    if (knonnx_set(c, 1, kn_from_memory(count, &shape, KN_I64)) < 0)
        return -1;
    if (shape.ndim == KN_MAX_NDIM)
        return knonnx_fail(c, KN_ERROR_VALUE, "there is no room for one more axis");
    shape.dim[shape.ndim++] = longest;
    const char **text = knonnx_take(c, x->n * (uint64_t)longest + 1, sizeof *text);
    for (size_t k = 0; text && k < x->n; k++)
        for (int64_t i = 0; i < longest; i++)
            text[(int64_t)k * longest + i] = i < each[k].n ? each[k].text[i] : "";
    return text ? knonnx_set_value(c, 0, knonnx_of_texts(c, &shape, text)) : -1;
}

/* ---- RegexFullMatch. */

static int full_match(knonnx_call *c)
{
    const knonnx_strings *x = knonnx_strings_in(c, 0);
    const char *pattern = knonnx_string(c, "pattern", NULL);
    bool *matches = x ? knonnx_take(c, (uint64_t)x->n + 1, sizeof *matches) : NULL;
    if (!matches)
        return -1;
    if (!pattern)
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute pattern is missing");
    if (knonnx_regex_full(c, pattern, x->n, x->text, matches) < 0)
        return -1;
    kn_shape shape = {.ndim = x->ndim};
    memcpy(shape.dim, x->dim, (size_t)x->ndim * sizeof *x->dim);
    return knonnx_set(c, 0, kn_from_memory(matches, &shape, KN_BOOL));
}

const knonnx_row knonnx_rows_strings[] = {
    {"StringConcat", 20, concat, 2, 2, 1, 1},
    {"StringNormalizer", 10, normalize, 1, 1, 1, 1},
    {"StringSplit", 20, split, 1, 1, 1, 2},
    {"RegexFullMatch", 20, full_match, 1, 1, 1, 1},
    {0},
};
