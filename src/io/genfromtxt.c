/* SPDX-License-Identifier: Apache-2.0
 * genfromtxt.c -- np.genfromtxt: all rows are read as texts, then each column becomes elements. */
#include "base/log.h"
#include "base/options.h"
#include "io/genfromtxt.h"
#include "kiln/numpy/creation.h"

#include <string.h>

typedef struct bad_line {
    int64_t line, columns;
} bad_line;

typedef struct reader {
    kn_genfromtxt_opts o;
    knio_text text;
    knio_splitter how;
    knio_cells fields;
    int64_t columns; /* of the result */
    int64_t *use;    /* usecols, counted from the first one; NULL: all */
    knio_column *column;
    knx_arena arena; /* texts */
    KN_VEC(knio_cell) cell;
    int64_t rows;
    KN_VEC(bad_line) bad;
    knx_str scratch;
} reader;

/* ---- Options. */

static knx_error *refuse(const kn_genfromtxt_opts *o)
{
    if (o->names || o->excludelist || o->deletechars || o->replace_space || o->case_sensitive || o->defaultfmt)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                             "names of columns make a structured array, which Kiln does not have");
    if (o->usemask)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "usemask makes a masked array, which Kiln does not have");
    return NULL;
}

static knx_error *check_list(const kn_int_list *list, const char *name)
{
    return list && (list->n < 0 || (list->n && !list->v)) ? knx_error_new(KN_ERROR_TYPE, "null %s", name) : NULL;
}

static knx_error *check_options(reader *r)
{
    const kn_genfromtxt_opts *o = &r->o;
    KN_TRY(knio_check_ndmin(o->ndmin));
    KN_TRY(refuse(o));
    if (o->max_rows >= 0 && o->skip_footer)
        return knx_error_new(KN_ERROR_VALUE,
                             "The keywords 'skip_footer' and 'max_rows' can not be specified at the same time.");
    if (o->max_rows == 0 || o->max_rows < -1)
        return knx_error_new(KN_ERROR_VALUE, "'max_rows' must be at least 1.");
    if (o->skip_header < 0 || o->skip_footer < 0)
        return knx_error_new(KN_ERROR_VALUE, "skip_header and skip_footer must be nonnegative");
    KN_TRY(check_list(o->usecols, "usecols"));
    KN_TRY(check_list(o->widths, "widths"));
    if (o->columns && (o->columns->n < 0 || (o->columns->n && !o->columns->v)))
        return knx_error_new(KN_ERROR_TYPE, "null columns");
    if (o->comments && !*o->comments)
        return knx_error_new(KN_ERROR_VALUE, "empty separator");
    for (int i = 0; o->widths && i < o->widths->n; i++)
        if (o->widths->v[i] < 0 || (o->widths->v[i] == 0 && o->widths->n == 1))
            return knx_error_new(KN_ERROR_VALUE, "widths of fields must be positive");
    if (o->dtype && o->dtype->kind == KN_KIND_KEY)
        return knx_error_new(KN_ERROR_TYPE, "%s are not read from texts",
                             o->dtype == KN_DT(KEY) ? "random keys" : o->dtype->name);
    r->how = (knio_splitter){.comments = o->comments,
                             .delimiter = o->delimiter && *o->delimiter ? o->delimiter : NULL,
                             .widths = o->widths && o->widths->n ? o->widths : NULL,
                             .autostrip = o->autostrip};
    return NULL;
}

/* ---- Lines. */

static knx_error *keep_line(reader *r, knio_cell *line)
{
    char *copy = knx_arena_alloc(&r->arena, line->n + 1);
    if (!copy)
        return knx_error_nomem();
    memcpy(copy, line->s, line->n);
    line->s = copy;
    return NULL;
}

static knx_error *read_line(reader *r, bool *is, knio_cell *line)
{
    KN_TRY(knio_next_line(&r->text, is, line));
    return *is ? keep_line(r, line) : NULL;
}

/* The first line with a field says how many columns there are. */
static knx_error *find_first_line(reader *r, bool *is, knio_cell *line)
{
    *is = true;
    r->fields.cell.n = 0;
    for (int64_t i = 0; i < r->o.skip_header && *is; i++)
        KN_TRY(knio_next_line(&r->text, is, line));
    while (*is && !r->fields.cell.n) {
        knx_arena_reset(&r->arena);
        KN_TRY(read_line(r, is, line));
        if (*is)
            KN_TRY(knio_split(&r->how, *line, &r->fields));
    }
    if (!*is)
        KN_LOG(1, "genfromtxt: Empty input file: \"%s\"", r->text.name);
    return NULL;
}

static knx_error *choose_columns(reader *r)
{
    int64_t found = (int64_t)r->fields.cell.n;
    const kn_int_list *use = r->o.usecols && r->o.usecols->n ? r->o.usecols : NULL;
    r->columns = use ? use->n : found;
    if (!use)
        return NULL;
    r->use = knx_alloc((size_t)use->n * sizeof *r->use);
    if (!r->use)
        return knx_error_nomem();
    for (int i = 0; i < use->n; i++)
        r->use[i] = use->v[i] < 0 ? use->v[i] + found : use->v[i];
    return NULL;
}

/* The column of the result that a column of the file is; -1: none. */
static int64_t place_of(const reader *r, int64_t column)
{
    if (!r->use)
        return column < 0 ? column + r->columns : column;
    for (int64_t i = 0; i < r->columns; i++)
        if (r->use[i] == column)
            return i;
    return -1;
}

static knx_error *add_row(reader *r, int64_t line)
{
    int64_t found = (int64_t)r->fields.cell.n;
    bool good = r->use || found == r->columns;
    for (int64_t i = 0; good && r->use && i < r->columns; i++)
        good = r->use[i] < found && r->use[i] >= -found;
    if (!good)
        return KN_VEC_PUSH(&r->bad, ((bad_line){line, found})) ? NULL : knx_error_nomem();
    if (!KN_VEC_RESERVE(&r->cell, (size_t)r->columns))
        return knx_error_nomem();
    for (int64_t i = 0; i < r->columns; i++) {
        int64_t at = !r->use ? i : r->use[i] < 0 ? r->use[i] + found : r->use[i];
        r->cell.at[r->cell.n++] = r->fields.cell.at[at];
    }
    r->rows++;
    return NULL;
}

static knx_error *read_rows(reader *r, bool is, knio_cell line)
{
    for (int64_t i = 0; is && r->rows != r->o.max_rows; i++) {
        if (i) {
            KN_TRY(read_line(r, &is, &line));
            if (!is)
                break;
        }
        KN_TRY(knio_split(&r->how, line, &r->fields));
        if (r->fields.cell.n)
            KN_TRY(add_row(r, i + r->o.skip_header + 1));
    }
    return NULL;
}

/* What NumPy says of lines with other numbers of columns; those of the footer do not count. */
static knx_error *judge_bad_lines(reader *r)
{
    int64_t footer = r->o.skip_footer, n = (int64_t)r->bad.n, last = r->rows + n - footer + r->o.skip_header;
    int64_t skipped = 0;
    for (int64_t i = 0; footer && i < n; i++)
        skipped += r->bad.at[i].line > last;
    knx_str text = {0};
    for (int64_t i = 0; i < n - skipped; i++)
        knx_str_printf(&text, "%s    Line #%lld (got %lld columns instead of %lld)",
                       i ? "\n" : "Some errors were detected !\n", (long long)r->bad.at[i].line,
                       (long long)r->bad.at[i].columns, (long long)r->columns);
    footer -= skipped;
    knx_error *e = text.failed ? knx_error_nomem() : NULL;
    if (!e && text.n && r->o.invalid_raise)
        e = knx_error_new(KN_ERROR_VALUE, "%s", text.s);
    else if (!e && text.n)
        KN_LOG(1, "genfromtxt: %s", text.s);
    knx_str_free(&text);
    if (footer > 0)
        r->rows = r->rows > footer ? r->rows - footer : 0;
    return e;
}

/* ---- Columns. */

/* The columns that were spoken of, before a dtype is looked for. */
static knx_error *set_columns(reader *r)
{
    const kn_text_columns *given = r->o.columns;
    for (int i = 0; given && i < given->n; i++) {
        const kn_text_column *g = &given->v[i];
        int64_t place = place_of(r, g->column);
        if (r->use && place < 0)
            continue;
        if (place < 0 || place >= r->columns)
            return knx_error_new(KN_ERROR_INDEX, "list index out of range");
        knio_column *c = &r->column[place];
        c->missing[c->missing[1] ? 2 : 1] = g->missing_values;
        if (g->convert && r->o.detect)
            return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "a converter needs a dtype: give it instead of .detect");
        if (g->convert)
            c->converter = (knio_converter){g->convert, g->env};
        if (g->filling_value)
            c->filling_value = g->filling_value;
    }
    return NULL;
}

static knx_error *set_fills(kna_op *op, reader *r)
{
    kni_type t;
    const void *data = r->o.filling_values ? kna_look(op, r->o.filling_values, &t) : NULL;
    if (data && (t.ndim > 1 || t.dtype->kind == KN_KIND_KEY))
        return knx_error_new(KN_ERROR_VALUE, "filling_values must be a number, or one for each column");
    for (int64_t i = 0; data && i < r->columns && (t.ndim == 0 || i < t.dim[0]); i++)
        knio_column_fill(&r->column[i], t.dtype, (const char *)data + (t.ndim ? (size_t)i * t.dtype->size : 0));
    for (int64_t i = 0; i < r->columns && !kna_failed(op); i++) {
        knio_column *c = &r->column[i];
        data = c->filling_value ? kna_look(op, c->filling_value, &t) : NULL;
        if (data && (t.ndim || t.dtype->kind == KN_KIND_KEY))
            return knx_error_new(KN_ERROR_VALUE, "the filling_value of a column must be a number");
        if (data)
            knio_column_fill(c, t.dtype, data);
    }
    return NULL;
}

static knx_error *begin_columns(reader *r)
{
    r->column = knx_alloc_zero((size_t)r->columns * sizeof *r->column + 1);
    if (!r->column)
        return knx_error_nomem();
    for (int64_t i = 0; i < r->columns; i++) {
        knio_column_begin(&r->column[i], r->o.detect ? NULL : kna_lookup_dtype(r->o.dtype, kna_default_float()));
        r->column[i].missing[0] = r->o.missing_values;
    }
    return NULL;
}

/* dtype=None: the first of bool, int64, float64 and complex128 that takes all of a column. */
static knx_error *detect(reader *r, kn_dtype *dtype)
{
    kn_dtype found = NULL;
    for (int64_t i = 0; i < r->columns; i++) {
        knio_column *c = &r->column[i];
        c->checked = true;
        for (int64_t row = 0; row < r->rows; row++) {
            if (knio_column_takes(c, r->cell.at[row * r->columns + i]))
                continue;
            if (!knio_column_upgrade(c))
                return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "column %lld is text, and Kiln has no arrays of texts",
                                     (long long)i);
            c->checked = true;
            row = -1;
        }
        if (c->checked && found && found != c->dtype)
            return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                                 "columns of dtypes %s and %s make a structured array, which Kiln does not have",
                                 found->name, c->dtype->name);
        found = c->checked ? c->dtype : found;
    }
    if (!found)
        return knx_error_new(
            KN_ERROR_NOT_IMPLEMENTED,
            "no column says which dtype it has: NumPy makes a structured array, which Kiln does not have");
    for (int64_t i = 0; i < r->columns; i++)
        r->column[i].dtype = found;
    *dtype = found;
    return NULL;
}

/* Column by column, as NumPy does, with the first late error by rows. */
static knx_error *convert(reader *r, knio_table *table)
{
    size_t size = table->dtype->size;
    int64_t at = INT64_MAX;
    knx_error *first = NULL, *e = NULL;
    for (int64_t row = 0; row < r->rows; row++)
        if (!knio_table_row(table))
            return knx_error_nomem();
    for (int64_t i = 0; i < r->columns; i++)
        for (int64_t row = 0; !e && row < r->rows; row++) {
            int64_t k = row * r->columns + i;
            knx_error *late;
            e = knio_column_read(&r->column[i], r->cell.at[k], r->o.loose, table->data + (size_t)k * size, &r->scratch,
                                 &late);
            if (late && k < at) {
                knx_error_release(first);
                first = late;
                at = k;
            } else {
                knx_error_release(late);
            }
        }
    if (e)
        knx_error_release(first);
    return e ? e : first;
}

static knx_error *read_table(kna_op *op, reader *r, knio_table *table)
{
    bool is;
    knio_cell line;
    KN_TRY(find_first_line(r, &is, &line));
    KN_TRY(choose_columns(r));
    KN_TRY(read_rows(r, is, line));
    KN_TRY(judge_bad_lines(r));
    KN_TRY(begin_columns(r));
    KN_TRY(set_columns(r));
    if (r->o.detect && r->rows)
        KN_TRY(detect(r, &table->dtype));
    KN_TRY(set_fills(op, r));
    if (kna_failed(op))
        return NULL;
    table->columns = r->rows ? r->columns : 1;
    return convert(r, table);
}

static void drop(reader *r)
{
    knio_text_close(&r->text);
    for (int64_t i = 0; r->column && i < r->columns; i++)
        knx_error_release(r->column[i].fill_error);
    knx_free(r->column);
    knx_free(r->use);
    if (r->fields.cell.at)
        KN_VEC_FREE(&r->fields.cell);
    if (r->cell.at)
        KN_VEC_FREE(&r->cell);
    if (r->bad.at)
        KN_VEC_FREE(&r->bad);
    knx_str_free(&r->scratch);
    knx_arena_free(&r->arena);
}

kn_array kn_genfromtxt(const char *fname, const kn_genfromtxt_opts *opts)
{
    kna_op op;
    reader r = {.o = kn_genfromtxt_opts_default()};
    knx_read_options(&r.o, sizeof r.o, opts);
    kna_begin(&op, "genfromtxt");
    knio_table table = {.dtype = kna_lookup_dtype(r.o.dtype, kna_default_float()), .columns = 1};
    knx_error *e = check_options(&r);
    if (!e)
        e = knio_text_open(&r.text, fname, r.o.text, r.o.file, r.o.encoding);
    if (!e)
        e = read_table(&op, &r, &table);
    if (e)
        kna_fail_with(&op, e);
    drop(&r);
    return knio_table_end(&op, &table, r.o.ndmin, r.o.unpack);
}
