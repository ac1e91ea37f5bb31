/* SPDX-License-Identifier: Apache-2.0
 * lines.c -- lines and their fields, as Python's str.split and slices give them. */
#include "io/lines.h"

#include <string.h>

knx_error *knio_next_line(knio_text *t, bool *is, knio_cell *line)
{
    size_t n = 0;
    for (;;) {
        while (t->at + n < t->end && t->at[n] != '\n' && t->at[n] != '\r')
            n++;
        bool carriage = t->at + n < t->end && t->at[n] == '\r';
        if (t->ended || (t->at + n < t->end && (!carriage || t->at + n + 1 < t->end)))
            break;
        KN_TRY(knio_text_more(t));
    }
    size_t left = (size_t)(t->end - t->at), used = n;
    *line = (knio_cell){t->at, n};
    *is = left > 0;
    if (n < left) { /* universal newlines: the end becomes one character */
        used += t->at[n] == '\r' && n + 1 < left && t->at[n + 1] == '\n' ? 2 : 1;
        t->at[n] = '\n';
        line->n = n + 1;
    }
    t->at += used;
    return NULL;
}

static size_t find(const char *s, size_t n, const char *what, size_t m)
{
    for (size_t i = 0; i + m <= n; i++)
        if (s[i] == *what && memcmp(s + i, what, m) == 0)
            return i;
    return n;
}

static knx_error *add(const knio_splitter *how, const char *s, const char *end, knio_cells *out)
{
    if (how->autostrip)
        knio_strip(&s, &end);
    return KN_VEC_PUSH(&out->cell, ((knio_cell){s, (size_t)(end - s)})) ? NULL : knx_error_nomem();
}

static knx_error *split_at_space(const knio_splitter *how, const char *s, const char *end, knio_cells *out)
{
    while (s < end) {
        size_t n = knio_space(s, end);
        if (n) {
            s += n;
            continue;
        }
        const char *from = s;
        while (s < end && !knio_space(s, end))
            s++;
        KN_TRY(add(how, from, s, out));
    }
    return NULL;
}

static knx_error *split_at_text(const knio_splitter *how, const char *s, const char *end, knio_cells *out)
{
    size_t m = strlen(how->delimiter);
    for (;;) {
        size_t n = find(s, (size_t)(end - s), how->delimiter, m);
        KN_TRY(add(how, s, s + n, out));
        if (s + n == end)
            return NULL;
        s += n + m;
    }
}

/* So many characters further. */
static const char *step(const char *s, const char *end, int64_t characters)
{
    while (s < end && (characters > 0 || ((unsigned char)*s & 0xc0) == 0x80))
        characters -= ((unsigned char)*s++ & 0xc0) != 0x80;
    return s;
}

static knx_error *split_by_widths(const knio_splitter *how, const char *s, const char *end, knio_cells *out)
{
    const kn_int_list *w = how->widths;
    for (int i = 0; i < w->n; i++) {
        const char *next = step(s, end, w->v[i]);
        KN_TRY(add(how, s, next, out));
        s = next;
    }
    return NULL;
}

static knx_error *split_by_width(const knio_splitter *how, const char *s, const char *end, knio_cells *out)
{
    while (s < end) {
        const char *next = step(s, end, how->widths->v[0]);
        KN_TRY(add(how, s, next, out));
        s = next;
    }
    return NULL;
}

static void strip_of(const char **s, const char **end, const char *characters)
{
    while (*s < *end && strchr(characters, **s) && **s)
        ++*s;
    while (*end > *s && strchr(characters, (*end)[-1]) && (*end)[-1])
        --*end;
}

knx_error *knio_split(const knio_splitter *how, knio_cell line, knio_cells *out)
{
    const char *s = line.s, *end = s + line.n;
    out->cell.n = 0;
    if (how->comments)
        end = s + find(s, line.n, how->comments, strlen(how->comments));
    if (how->widths && how->widths->n != 1)
        return s < end ? split_by_widths(how, s, end, out) : NULL;
    strip_of(&s, &end, how->widths ? "\r\n" : " \r\n");
    if (s == end)
        return NULL;
    return how->widths      ? split_by_width(how, s, end, out)
           : how->delimiter ? split_at_text(how, s, end, out)
                            : split_at_space(how, s, end, out);
}
