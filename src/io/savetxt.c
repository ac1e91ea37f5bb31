/* SPDX-License-Identifier: Apache-2.0
 * savetxt.c -- np.savetxt. */
#include "base/options.h"
#include "io/output.h"
#include "io/percent.h"
#include "io/table.h"
#include "io/text_out.h"

#include <string.h>

/* ---- The format of a row. */

static void add_repr_of_list(knx_str *out, const kn_text_list *list)
{
    for (int i = 0; i < list->n; i++) {
        knx_str_puts(out, i ? ", " : "[");
        knio_add_repr(out, list->v[i], strlen(list->v[i]));
    }
    knx_str_puts(out, list->n ? "]" : "[]");
}

static int count_percents(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == '%';
    return n;
}

static knx_error *format_of_list(const kn_savetxt_opts *o, int64_t columns, knx_str *format)
{
    const kn_text_list *list = o->fmts;
    for (int i = 0; i < list->n; i++)
        if (!list->v || !list->v[i])
            return knx_error_new(KN_ERROR_TYPE, "null fmts");
    if (list->n != columns) {
        knx_str text = {0};
        add_repr_of_list(&text, list);
        knx_error *e =
            text.failed ? knx_error_nomem() : knx_error_new(KN_ERROR_VALUE, "fmt has wrong shape.  %.300s", text.s);
        knx_str_free(&text);
        return e;
    }
    for (int i = 0; i < list->n; i++) {
        knx_str_puts(format, i ? o->delimiter : "");
        knx_str_puts(format, list->v[i]);
    }
    return NULL;
}

static knx_error *format_of_row(const kn_savetxt_opts *o, int64_t columns, bool complex, knx_str *format)
{
    if (o->fmts)
        return format_of_list(o, columns, format);
    int given = count_percents(o->fmt);
    if (given != 1 && given != (complex ? 2 : 1) * columns)
        return knx_error_new(KN_ERROR_VALUE, "fmt has wrong number of %% formats:  %.300s", o->fmt);
    if (given != 1) {
        knx_str_puts(format, o->fmt);
        return NULL;
    }
    for (int64_t i = 0; i < columns && !format->failed; i++) {
        knx_str_puts(format, i ? o->delimiter : "");
        if (complex)
            knx_str_printf(format, " (%s+%sj)", o->fmt, o->fmt);
        else
            knx_str_puts(format, o->fmt);
    }
    return NULL;
}

/* ---- Rows. */

typedef struct writer {
    kn_savetxt_opts o;
    kni_type type;
    const char *data;
    int64_t rows, columns;
    knio_text_out out;
} writer;

static knx_error *mismatched(const writer *w, const char *format)
{
    return knx_error_new(KN_ERROR_TYPE, "Mismatch between array dtype ('%s') and format specifier ('%.300s')",
                         w->type.dtype->name, format);
}

/* "1+-2j" is written "1-2j". */
static void join_signs(knx_str *s, size_t from)
{
    size_t to = from;
    for (size_t i = from; i < s->n; i++)
        if (!(s->s[i] == '+' && i + 1 < s->n && s->s[i + 1] == '-'))
            s->s[to++] = s->s[i];
    if (s->s)
        s->s[to] = '\0';
    s->n = to;
}

/* What Python says of a number that is none for its conversion: NumPy says it in its own words of real numbers. */
static knx_error *no_number(const writer *w, const char *format, char conversion)
{
    if (!knx_is_complex(w->type.dtype))
        return mismatched(w, format);
    if (conversion == 'c')
        return knx_error_new(KN_ERROR_TYPE, "%%c requires int or char");
    return knx_error_new(KN_ERROR_TYPE, "%%%c format: an integer is required, not numpy.%s", conversion,
                         knx_component(w->type.dtype)->name);
}

/* The format has to take as many numbers as a row has. */
static knx_error *check_count(const writer *w, const knio_percent *p, const char *format, int64_t numbers)
{
    if (p->count == numbers || (p->error && p->count < numbers) || !w->rows)
        return NULL;
    if (!knx_is_complex(w->type.dtype))
        return mismatched(w, format);
    return knx_error_new(KN_ERROR_TYPE, p->count > numbers ? "not enough arguments for format string"
                                                           : "not all arguments converted during string formatting");
}

static knx_error *write_rows(writer *w, const knio_percent *p, const char *format)
{
    kn_dtype d = w->type.dtype, part = knx_component(d);
    int per_number = part == d ? 1 : 2;
    size_t row = (size_t)w->columns * d->size;
    KN_TRY(check_count(w, p, format, per_number * w->columns));
    for (int64_t i = 0; i < w->rows; i++) {
        char mismatch;
        size_t from = w->out.text.n;
        knx_error *e = knio_percent_write(p, &w->out.text, part, w->data + (size_t)i * row, part->size, &mismatch);
        if (mismatch || (e && e->kind == KN_ERROR_TYPE && per_number == 1)) {
            knx_error_release(e);
            return no_number(w, format, mismatch);
        }
        if (e)
            return e;
        if (per_number == 2)
            join_signs(&w->out.text, from);
        knx_str_puts(&w->out.text, w->o.newline);
        KN_TRY(knio_text_out_more(&w->out));
    }
    return NULL;
}

/* The header or the footer: each of its lines behind `comments`. */
static knx_error *write_comment(writer *w, const char *text)
{
    if (!*text)
        return NULL;
    knx_str_puts(&w->out.text, w->o.comments);
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        knx_str_add(&w->out.text, s, n + (s[n] == '\n'));
        s += n;
        if (*s == '\n') {
            knx_str_puts(&w->out.text, w->o.comments);
            s++;
        }
    }
    knx_str_puts(&w->out.text, w->o.newline);
    return knio_text_out_more(&w->out);
}

static knx_error *write_all(writer *w, const char *fname, const char *format)
{
    knio_percent p;
    KN_TRY(knio_percent_read(format, &p));
    knx_error *e = knio_text_out_open(&w->out, fname, w->o.file, w->o.encoding);
    if (!e) {
        e = write_comment(w, w->o.header);
        if (!e)
            e = write_rows(w, &p, format);
        if (!e)
            e = write_comment(w, w->o.footer);
        e = knio_text_out_close(&w->out, e);
    }
    knio_percent_free(&p);
    return e;
}

static knx_error *check_options(const writer *w)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"fmt", w->o.fmt},       {"delimiter", w->o.delimiter}, {"newline", w->o.newline},
                 {"header", w->o.header}, {"footer", w->o.footer},       {"comments", w->o.comments}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i].text)
            return knx_error_new(KN_ERROR_TYPE, "null %s", texts[i].name);
    if (knx_is_stored(w->type.dtype))
        return knx_error_new(KN_ERROR_TYPE, "%s are not written as texts; convert them with kn_astype",
                             w->type.dtype->name);
    if (w->type.dtype == KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "random keys are not saved; save what kn_random_key_data gives");
    if (w->type.ndim == 0 || w->type.ndim > 2)
        return knx_error_new(KN_ERROR_VALUE, "Expected 1D or 2D array, got %dD array instead", w->type.ndim);
    return NULL;
}

int kn_savetxt(const char *fname, kn_array X, const kn_savetxt_opts *opts)
{
    kna_op op;
    writer w = {.o = kn_savetxt_opts_default()};
    knx_str format = {0};
    knx_read_options(&w.o, sizeof w.o, opts);
    kna_begin(&op, "savetxt");
    knx_error *e = !fname && !w.o.file ? knx_error_new(KN_ERROR_TYPE, "null fname") : NULL;
    w.data = e ? NULL : kna_look(&op, X, &w.type);
    if (w.data)
        e = check_options(&w);
    if (w.data && !e) {
        w.rows = w.type.dim[0];
        w.columns = w.type.ndim == 1 ? 1 : w.type.dim[1];
        e = format_of_row(&w.o, w.columns, knx_is_complex(w.type.dtype), &format);
        if (!e && format.failed)
            e = knx_error_nomem();
    }
    if (w.data && !e)
        e = write_all(&w, fname, format.s ? format.s : "");
    if (e)
        kna_fail_with(&op, e);
    knx_str_free(&format);
    return kna_end_plain(&op) ? 0 : -1;
}
