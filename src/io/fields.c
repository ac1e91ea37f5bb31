/* SPDX-License-Identifier: Apache-2.0
 * fields.c -- rows and fields of a text. While a row is read its fields are known by how far they are from the row's
 * start, because the text moves when more of it is read. */
#include "io/fields.h"

#include <string.h>

/* What a byte is where no quotes are open. */
enum { PLAIN, LINE_END, BREAK, COMMENT, MAYBE }; /* MAYBE: the first byte of several that together are something */

static void set_control(knio_fields *f, const knio_control *c, uint8_t kind)
{
    if (c->n)
        f->kind[(unsigned char)c->text[0]] = c->n == 1 ? kind : MAYBE;
}

void knio_fields_init(knio_fields *f)
{
    memset(f->kind, PLAIN, sizeof f->kind);
    if (!f->delimiter.n) {
        static const unsigned char first_of_space[] = {0xc2, 0xe1, 0xe2, 0xe3};
        for (int c = 0; c < 0x80; c++) {
            char text = (char)c;
            f->kind[c] = knio_space(&text, &text + 1) ? BREAK : PLAIN;
        }
        for (size_t i = 0; i < sizeof first_of_space; i++)
            f->kind[first_of_space[i]] = MAYBE;
    }
    set_control(f, &f->delimiter, BREAK);
    set_control(f, &f->comment, COMMENT);
    f->kind['\n'] = f->kind['\r'] = LINE_END;
}

void knio_fields_free(knio_fields *f)
{
    if (f->row.at)
        KN_VEC_FREE(&f->row);
    if (f->scratch.at)
        KN_VEC_FREE(&f->scratch);
}

/* ---- A place in the text. */

typedef struct cursor {
    knio_text *t;
    const char *p;    /* here */
    const char *end;  /* of what is there */
    const char *stop; /* of the row, where comments were cut off; NULL: not known */
    knx_error *error;
} cursor;

/* Is there something at p? Reads more where it has to; false at the end of the text or of the row. */
static bool there(cursor *c)
{
    while (c->p == c->end && !c->stop && !c->t->ended && !c->error) {
        size_t at = (size_t)(c->p - c->t->at);
        c->error = knio_text_more(c->t);
        c->p = c->t->at + at;
        c->end = c->t->end;
    }
    return c->p < c->end && !c->error;
}

static bool is_at(const cursor *c, const knio_control *what)
{
    return what->n && (size_t)(c->end - c->p) >= what->n && memcmp(c->p, what->text, what->n) == 0;
}

/* The kind of what begins at p with a byte that may begin something, and how long that is. */
static int resolve(const knio_fields *f, const cursor *c, size_t *n)
{
    if (is_at(c, &f->delimiter)) {
        *n = f->delimiter.n;
        return BREAK;
    }
    if (is_at(c, &f->comment)) {
        *n = f->comment.n;
        return COMMENT;
    }
    *n = f->delimiter.n ? 0 : knio_space(c->p, c->end);
    if (*n)
        return BREAK;
    *n = 1;
    return PLAIN;
}

/* ---- Lines. */

static void pass_line_end(cursor *c)
{
    bool carriage = *c->p++ == '\r';
    if (carriage && there(c) && *c->p == '\n')
        c->p++;
}

static void pass_line(cursor *c)
{
    while (there(c)) {
        while (c->p < c->end && *c->p != '\n' && *c->p != '\r')
            c->p++;
        if (c->p < c->end) {
            pass_line_end(c);
            return;
        }
    }
}

static cursor begin(knio_text *t) { return (cursor){.t = t, .p = t->at, .end = t->end}; }

knx_error *knio_fields_skip_line(knio_fields *f, knio_text *t)
{
    cursor c = begin(t);
    f->ended = !there(&c);
    pass_line(&c);
    t->at = t->end - (c.end - c.p);
    return c.error;
}

static const char *find(const char *s, size_t n, const char *what, size_t m)
{
    for (const char *end = s + n; (size_t)(end - s) >= m; s++) {
        s = memchr(s, *what, (size_t)(end - s) - m + 1);
        if (!s || memcmp(s, what, m) == 0)
            return s;
    }
    return NULL;
}

/* The end of the line's text before comments that are texts; what is behind it is read. */
static void cut_comments(const knio_fields *f, cursor *c, size_t *line)
{
    cursor ahead = *c;
    const char *stop = NULL;
    while (!stop && there(&ahead)) {
        while (ahead.p < ahead.end && *ahead.p != '\n' && *ahead.p != '\r')
            ahead.p++;
        stop = ahead.p < ahead.end ? ahead.p : NULL;
    }
    size_t n = (size_t)(ahead.p - c->t->at);
    if (stop && !ahead.error)
        pass_line_end(&ahead);
    *line = (size_t)(ahead.p - c->t->at);
    c->error = ahead.error;
    c->p = c->t->at;
    for (int i = 0; i < f->n_comments; i++) {
        size_t m = strlen(f->comments[i]);
        const char *found = find(c->p, n, f->comments[i], m);
        n = found ? (size_t)(found - c->p) : n;
    }
    c->stop = c->end = c->p + n;
}

/* ---- Fields. */

static knio_field *new_field(knio_fields *f, cursor *c)
{
    static knio_field none;
    if (!c->error && !KN_VEC_PUSH(&f->row, ((knio_field){.start = (size_t)(c->p - c->t->at)})))
        c->error = knx_error_nomem();
    return f->row.n ? &f->row.at[f->row.n - 1] : &none;
}

static bool keep(knio_fields *f, cursor *c, const char *s, size_t n)
{
    if (!KN_VEC_RESERVE(&f->scratch, n + 1)) {
        c->error = knx_error_nomem();
        return false;
    }
    memcpy(f->scratch.at + f->scratch.n, s, n);
    f->scratch.n += n;
    return true;
}

/* p is behind the opening quote. What is between quotes goes to the scratch memory; ends behind the closing one. */
static void read_quoted(knio_fields *f, cursor *c)
{
    while (there(c)) {
        const char *from = c->p;
        while (c->p < c->end && !is_at(c, &f->quote))
            c->p++;
        if (!keep(f, c, from, (size_t)(c->p - from)) || !there(c) || !is_at(c, &f->quote))
            continue;
        c->p += f->quote.n;
        if (!there(c) || !is_at(c, &f->quote))
            return;
        keep(f, c, f->quote.text, f->quote.n); /* two of them are one in the text */
        c->p += f->quote.n;
    }
}

/* What ended the field; p is behind it. */
static int read_plain(const knio_fields *f, cursor *c, size_t *end)
{
    while (there(c)) {
        const char *p = c->p, *stop = c->end;
        while (p < stop && f->kind[(unsigned char)*p] == PLAIN)
            p++;
        c->p = p;
        if (p == stop)
            continue;
        size_t n = 1;
        int kind = f->kind[(unsigned char)*p];
        if (kind == MAYBE)
            kind = resolve(f, c, &n);
        *end = (size_t)(p - c->t->at);
        if (kind == LINE_END)
            pass_line_end(c);
        else
            c->p += n;
        if (kind != PLAIN)
            return kind;
    }
    *end = (size_t)(c->p - c->t->at);
    return LINE_END;
}

static void skip_space(cursor *c)
{
    while (there(c) && *c->p != '\n' && *c->p != '\r') {
        size_t n = knio_space(c->p, c->end);
        if (!n)
            return;
        c->p += n;
    }
}

/* One field; what ended it. */
static int read_field(knio_fields *f, cursor *c)
{
    if (!f->delimiter.n)
        skip_space(c);
    knio_field *field = new_field(f, c);
    size_t end = 0;
    if (f->quote.n && there(c) && is_at(c, &f->quote)) {
        c->p += f->quote.n;
        field->quoted = field->rewritten = true;
        field->start = f->scratch.n;
        read_quoted(f, c);
        size_t rest = (size_t)(c->p - c->t->at);
        int kind = read_plain(f, c, &end);
        keep(f, c, c->t->at + rest, end - rest);
        keep(f, c, "", 1); /* numbers are read up to something else */
        field->end = f->scratch.n - 1;
        return kind;
    }
    int kind = read_plain(f, c, &end);
    field->end = end;
    return kind;
}

/* As NumPy does: an empty line has no field, and white space at the end of a line has none behind it. */
static void drop_last_if_empty(knio_fields *f)
{
    size_t n = f->row.n;
    if ((n == 1 || (n > 0 && !f->delimiter.n)) && !f->row.at[0].quoted && f->row.at[n - 1].s == f->row.at[n - 1].stop)
        f->row.n--;
}

/* A whole line that is there, without quotes, comments and characters of several bytes that mean something: nearly
 * every line is one. False: it is none, and nothing was done. */
static bool read_plain_line(knio_fields *f, knio_text *t)
{
    const char *p = t->at, *end = t->end;
    bool at_space = !f->delimiter.n;
    size_t n = 0;
    for (int kind = BREAK; kind == BREAK; n++) {
        while (at_space && p < end && f->kind[(unsigned char)*p] == BREAK)
            p++;
        const char *s = p;
        while (p < end && f->kind[(unsigned char)*p] == PLAIN)
            p++;
        if (p == end || (f->quote.n && *s == *f->quote.text))
            return false;
        f->row.n = n;
        if (!KN_VEC_RESERVE(&f->row, 1))
            return false;
        f->row.at[n] = (knio_field){.s = s, .stop = p};
        kind = f->kind[(unsigned char)*p];
        if (kind == COMMENT || kind == MAYBE || (*p == '\r' && p + 1 == end))
            return false;
        p += *p == '\r' && p[1] == '\n' ? 2 : 1;
    }
    f->row.n = n;
    f->ended = false;
    t->at += p - t->at;
    return true;
}

knx_error *knio_fields_next(knio_fields *f, knio_text *t)
{
    if (!f->n_comments && read_plain_line(f, t)) {
        drop_last_if_empty(f);
        return NULL;
    }
    cursor c = begin(t);
    size_t line = 0;
    int kind = BREAK;
    f->row.n = f->scratch.n = 0;
    f->ended = !there(&c);
    if (f->n_comments && !f->ended)
        cut_comments(f, &c, &line);
    while (kind == BREAK && !c.error)
        kind = read_field(f, &c);
    if (kind == COMMENT && !c.error)
        pass_line(&c);
    if (c.error)
        return c.error;
    const char *start = t->at;
    for (size_t i = 0; i < f->row.n; i++) {
        knio_field *field = &f->row.at[i];
        const char *base = field->rewritten ? f->scratch.at : start;
        field->s = base + field->start;
        field->stop = base + field->end;
    }
    drop_last_if_empty(f);
    f->ended = f->ended || (c.t->ended && c.p == c.t->end);
    t->at += c.stop ? line : (size_t)(c.p - t->at);
    return NULL;
}
