/* SPDX-License-Identifier: Apache-2.0
 * loadtxt.c -- np.loadtxt. */
#include "base/log.h"
#include "base/options.h"
#include "io/fields.h"
#include "io/table.h"

#include <string.h>

typedef struct reader {
    kn_loadtxt_opts o;
    knio_text text;
    knio_fields fields;
    knio_table table;
    knio_converter *converter; /* one for each column of the result; NULL: none at all */
    knx_str scratch;
    bool warned;
} reader;

/* ---- Options. */

static knx_error *read_control(const char *given, knio_control *c)
{
    size_t n = given ? strlen(given) : 0;
    bool one = n >= 1 && n <= 4;
    for (size_t i = 1; one && i < n; i++)
        one = ((unsigned char)given[i] & 0xc0) == 0x80;
    *c = (knio_control){.n = 0};
    if (!given)
        return NULL;
    if (!one || (n > 1) != ((unsigned char)*given >= 0xc0)) {
        knx_str text = {0};
        knio_add_repr(&text, given, n);
        knx_error *e = text.failed ? knx_error_nomem()
                                   : knx_error_new(KN_ERROR_TYPE,
                                                   "Text reading control character must be a single unicode character "
                                                   "or None; but got: %.100s",
                                                   text.s);
        knx_str_free(&text);
        return e;
    }
    memcpy(c->text, given, n);
    c->n = (uint8_t)n;
    return NULL;
}

static bool equal(const knio_control *a, const knio_control *b)
{
    return a->n && a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static bool is_newline(const knio_control *c) { return c->n == 1 && (*c->text == '\n' || *c->text == '\r'); }

static knx_error *incompatible(const char *a, const char *b)
{
    return knx_error_new(KN_ERROR_TYPE, "The values for control characters '%s' and '%s' are incompatible", a, b);
}

static knx_error *check_controls(const knio_fields *f)
{
    const knio_control *const c[] = {&f->comment, &f->quote, &f->delimiter};
    static const char *const name[] = {"comment", "quotechar", "delimiter"};
    for (int i = 0; i < 3; i++) {
        if (is_newline(c[i]))
            return knx_error_new(KN_ERROR_TYPE, "control character '%s' cannot be a newline (`\\r` or `\\n`).",
                                 name[i]);
        for (int k = i + 1; k < 3; k++)
            if (equal(c[i], c[k]))
                return incompatible(name[i], name[k]);
    }
    for (int i = 0; i < 2 && !f->delimiter.n; i++)
        if (knio_space(c[i]->text, c[i]->text + c[i]->n))
            return incompatible("delimiter", name[i]);
    return NULL;
}

static knx_error *comments_hold_the_delimiter(const kn_text_list *list, const char *delimiter)
{
    knx_str text = {0};
    for (int i = 0; i < list->n; i++) {
        knx_str_puts(&text, i ? ", " : "");
        knio_add_repr(&text, list->v[i], strlen(list->v[i]));
    }
    knx_error *e = text.failed
                       ? knx_error_nomem()
                       : knx_error_new(KN_ERROR_TYPE, "Comment characters '(%.200s)' cannot include the delimiter '%s'",
                                       text.s, delimiter);
    knx_str_free(&text);
    return e;
}

/* One comment of one character is a control character; others are looked for before a line is divided. */
static knx_error *read_comments(reader *r)
{
    const kn_text_list one = {1, &r->o.comments};
    const kn_text_list *list = r->o.several_comments ? r->o.several_comments : &one;
    if (!r->o.several_comments && !r->o.comments)
        return NULL;
    if (list->n < 0 || (list->n && !list->v))
        return knx_error_new(KN_ERROR_TYPE, "null comments");
    for (int i = 0; i < list->n; i++) {
        if (!list->v[i])
            return knx_error_new(KN_ERROR_TYPE, "null comments");
        if (!*list->v[i])
            return knx_error_new(KN_ERROR_VALUE, "comments cannot be an empty string. Use comments=None to disable "
                                                 "comments.");
    }
    if (list->n == 1) {
        knx_error *e = read_control(list->v[0], &r->fields.comment);
        if (!e)
            return NULL;
        knx_error_release(e);
    }
    for (int i = 0; i < list->n && list->n > 1 && r->o.delimiter; i++)
        if (strcmp(list->v[i], r->o.delimiter) == 0)
            return comments_hold_the_delimiter(list, r->o.delimiter);
    if (list->n && r->o.quotechar)
        return knx_error_new(KN_ERROR_VALUE,
                             "when multiple comments or a multi-character comment is given, quotes are not supported.  "
                             "In this case quotechar must be set to None.");
    r->fields.n_comments = list->n;
    r->fields.comments = list->v;
    return NULL;
}

static knx_error *read_options(reader *r)
{
    kn_dtype d = r->table.dtype;
    KN_TRY(knio_check_ndmin(r->o.ndmin));
    KN_TRY(read_comments(r));
    if (r->o.skiprows < 0 || r->o.max_rows < -1)
        return knx_error_new(KN_ERROR_VALUE, "argument must be nonnegative");
    if (r->o.usecols && (r->o.usecols->n < 0 || (r->o.usecols->n && !r->o.usecols->v)))
        return knx_error_new(KN_ERROR_TYPE, "null usecols");
    if (r->o.converters && (r->o.converters->n < 0 || (r->o.converters->n && !r->o.converters->v)))
        return knx_error_new(KN_ERROR_TYPE, "null converters");
    KN_TRY(read_control(r->o.delimiter, &r->fields.delimiter));
    KN_TRY(read_control(r->o.quotechar, &r->fields.quote));
    KN_TRY(check_controls(&r->fields));
    if (d->kind == KN_KIND_KEY)
        return knx_error_new(KN_ERROR_TYPE, "%s are not read from texts", d == KN_DT(KEY) ? "random keys" : d->name);
    knio_fields_init(&r->fields);
    return NULL;
}

/* ---- Rows. */

static knx_error *make_converters(reader *r)
{
    const kn_text_columns *given = r->o.converters;
    int64_t n = r->table.columns;
    if (!r->o.converter && !given)
        return NULL;
    r->converter = knx_alloc_zero((size_t)n * sizeof *r->converter + 1);
    if (!r->converter)
        return knx_error_nomem();
    for (int64_t i = 0; i < n; i++)
        r->converter[i] = (knio_converter){r->o.converter, r->o.env};
    for (int i = 0; given && i < given->n; i++) {
        int64_t column = given->v[i].column;
        if (r->o.usecols) { /* columns of the file, as usecols calls them */
            for (column = 0; column < n && r->o.usecols->v[column] != given->v[i].column;)
                column++;
            if (column == n)
                continue;
        } else if (column < -n || column >= n) {
            return knx_error_new(KN_ERROR_VALUE,
                                 "converter specified for column %lld, which is invalid for the number of fields %lld.",
                                 (long long)column, (long long)n);
        }
        r->converter[column < 0 ? column + n : column] = (knio_converter){given->v[i].convert, given->v[i].env};
    }
    return NULL;
}

static knx_error *begin_table(reader *r)
{
    if (!r->o.usecols)
        r->table.columns = (int64_t)r->fields.row.n;
    return make_converters(r);
}

static knx_error *read_row(reader *r)
{
    const knio_field *field = r->fields.row.at;
    int64_t found = (int64_t)r->fields.row.n, row = r->table.rows;
    const int64_t *use = r->o.usecols ? r->o.usecols->v : NULL;
    kn_dtype d = r->table.dtype;
    if (row == 0)
        KN_TRY(begin_table(r));
    int64_t n = r->table.columns;
    if (!r->o.usecols && found != n)
        return knx_error_new(KN_ERROR_VALUE,
                             "the number of columns changed from %lld to %lld at row %lld; use `usecols` to select a "
                             "subset and avoid this error",
                             (long long)n, (long long)found, (long long)row + 1);
    char *to = knio_table_row(&r->table);
    if (!to)
        return knx_error_nomem();
    for (int64_t i = 0; i < n; i++, to += d->size) {
        int64_t column = use ? use[i] : i;
        column = column < 0 ? column + found : column;
        if (column < 0 || column >= found)
            return knx_error_new(KN_ERROR_VALUE, "invalid column index %lld at row %lld with %lld columns",
                                 (long long)use[i], (long long)row + 1, (long long)found);
        const knio_field *f = &field[column];
        const knio_converter *c = r->converter && r->converter[i].convert ? &r->converter[i] : NULL;
        bool good = c ? knio_convert(c, f->s, (size_t)(f->stop - f->s), to, &r->scratch)
                      : knio_read_element(d, f->s, f->stop, to);
        if (!good)
            return r->scratch.failed ? knx_error_nomem()
                                     : knio_not_converted(f->s, (size_t)(f->stop - f->s), d, row, column + 1);
    }
    return NULL;
}

static void warn_of_empty_line(reader *r)
{
    if (!r->warned && r->o.max_rows >= 0)
        KN_LOG(1, "loadtxt: Input line %lld contained no data and will not be counted towards `max_rows=%lld`.",
               (long long)(r->table.rows + r->o.skiprows + 1), (long long)r->o.max_rows);
    r->warned = true;
}

static knx_error *read_rows(reader *r)
{
    knio_fields *f = &r->fields;
    for (int64_t i = 0; i < r->o.skiprows && !f->ended; i++)
        KN_TRY(knio_fields_skip_line(f, &r->text));
    while (!f->ended && (r->o.max_rows < 0 || r->table.rows < r->o.max_rows)) {
        KN_TRY(knio_fields_next(f, &r->text));
        if (f->row.n)
            KN_TRY(read_row(r));
        else if (!f->ended)
            warn_of_empty_line(r);
    }
    return NULL;
}

kn_array kn_loadtxt(const char *fname, const kn_loadtxt_opts *opts)
{
    kna_op op;
    reader r = {.o = kn_loadtxt_opts_default()};
    knx_read_options(&r.o, sizeof r.o, opts);
    kna_begin(&op, "loadtxt");
    r.table = (knio_table){.dtype = kna_lookup_dtype(r.o.dtype, kna_default_float()), .columns = 1};
    knx_error *e = read_options(&r);
    if (!e)
        e = knio_text_open(&r.text, fname, r.o.text, r.o.file, r.o.encoding);
    if (!e && r.o.usecols)
        r.table.columns = r.o.usecols->n;
    if (!e)
        e = read_rows(&r);
    if (e)
        kna_fail_with(&op, e);
    else if (r.table.rows == 0)
        KN_LOG(1, "loadtxt: input contained no data: \"%s\"", r.text.name);
    knio_text_close(&r.text);
    knio_fields_free(&r.fields);
    knx_free(r.converter);
    knx_str_free(&r.scratch);
    return knio_table_end(&op, &r.table, r.o.ndmin, r.o.unpack);
}
