/* SPDX-License-Identifier: Apache-2.0
 * text.c -- brackets, wrapping and summaries of arrays' text, after NumPy's arrayprint. */
#include "base/text.h"
#include "base/memory.h"
#include "base/text_format.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

typedef struct layout {
    kn_dtype dtype;
    int ndim;
    int64_t dim[KN_MAX_NDIM + 1];
    int64_t stride[KN_MAX_NDIM + 1]; /* bytes */
    int64_t size;
    bool summary;
    int64_t edge;
    const char *separator;
    knx_text_format format;
    knx_str out, word;
} layout;

static knx_error *check_options(const kn_print_opts *opts, knx_float_mode *mode)
{
    static const char *const name[] = {"unique", "fixed", "maxprec", "maxprec_equal"};
    static const knx_float_mode value[] = {KN_FLOAT_UNIQUE, KN_FLOAT_FIXED, KN_FLOAT_MAXPREC, KN_FLOAT_MAXPREC_EQUAL};
    if (opts->sign != '-' && opts->sign != '+' && opts->sign != ' ')
        return knx_error_new(KN_ERROR_VALUE, "sign option must be one of ' ', '+', or '-'");
    if (opts->precision < 0)
        return knx_error_new(KN_ERROR_VALUE, "precision must be >= 0");
    if (!opts->nanstr || !opts->infstr)
        return knx_error_new(KN_ERROR_VALUE, "nanstr and infstr must not be NULL");
    for (int i = 0; opts->floatmode && i < 4; i++) {
        if (strcmp(opts->floatmode, name[i]) == 0) {
            *mode = value[i];
            return NULL;
        }
    }
    return knx_error_new(KN_ERROR_VALUE,
                         "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
}

static void set_layout(layout *l, kn_dtype dtype, int ndim, const int64_t *dim, const kn_print_opts *opts)
{
    bool key = dtype->kind == 'k';
    l->dtype = key ? KN_DT(U32) : dtype;
    l->ndim = ndim + key;
    for (int i = 0; i < ndim; i++)
        l->dim[i] = dim[i];
    if (key)
        l->dim[ndim] = 2;
    l->size = 1;
    for (int i = l->ndim - 1; i >= 0; i--) {
        l->stride[i] = l->size * l->dtype->size;
        l->size *= l->dim[i];
    }
    l->summary = l->size > opts->threshold;
    l->edge = opts->edgeitems > 0 ? opts->edgeitems : 0;
}

/* Shows the format every element that will be written. */
static void look(layout *l, int axis, const char *p, int pass)
{
    if (axis == l->ndim) {
        knx_text_format_look(&l->format, p, pass);
        return;
    }
    int64_t n = l->dim[axis];
    bool cut = l->summary && l->edge > 0 && n > 2 * l->edge;
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == l->edge)
            i = n - l->edge;
        look(l, axis + 1, p + i * l->stride[axis], pass);
    }
}

static void strip_line(layout *l, size_t line)
{
    while (l->out.n > line && l->out.s[l->out.n - 1] == ' ')
        l->out.n--;
}

/* One row under construction: where the line begins in the text, how wide it is by now, how wide it may get. */
typedef struct row {
    size_t start;
    int64_t width, limit, indent;
} row;

static void add_word(layout *l, row *r, const char *s, size_t n)
{
    int64_t width = knx_text_width(s, n);
    if (r->width + width > r->limit && r->width > r->indent) {
        strip_line(l, r->start);
        knx_str_add(&l->out, "\n", 1);
        r->start = l->out.n;
        knx_str_pad(&l->out, ' ', r->indent);
        r->width = r->indent;
    }
    knx_str_add(&l->out, s, n);
    r->width += width;
}

static void add_separator(layout *l, row *r)
{
    knx_str_puts(&l->out, l->separator);
    r->width += (int64_t)strlen(l->separator);
}

static void write_row(layout *l, const char *p, int64_t indent, int64_t width)
{
    int64_t n = l->dim[l->ndim - 1], stride = l->stride[l->ndim - 1];
    bool cut = l->summary && n > 2 * l->edge;
    row r = {.start = l->out.n, .width = indent, .limit = width - 1, .indent = indent};
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == l->edge) {
            add_word(l, &r, "...", 3);
            add_separator(l, &r);
            i = l->edge > 0 ? n - l->edge : n - 1;
        }
        l->word.n = 0;
        knx_text_format_write(&l->format, &l->word, p + i * stride);
        if (l->word.s)
            add_word(l, &r, l->word.s, l->word.n);
        if (i + 1 < n)
            add_separator(l, &r);
    }
}

/* Writes the sub-array at p; it stands behind `indent` columns and its lines may be `width` wide. */
static void write_nested(layout *l, int axis, const char *p, int64_t indent, int64_t width)
{
    knx_str_add(&l->out, "[", 1);
    if (axis == l->ndim - 1) {
        write_row(l, p, indent, width);
        knx_str_add(&l->out, "]", 1);
        return;
    }
    int64_t n = l->dim[axis];
    bool cut = l->summary && n > 2 * l->edge, comma = l->separator[0] == ',';
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == l->edge) {
            cut = false;
            knx_str_puts(&l->out, "...");
            i = l->edge > 0 ? n - l->edge - 1 : n - 2; /* NumPy always shows the last one */
        } else {
            write_nested(l, axis + 1, p + i * l->stride[axis], indent + 1, width - 1);
        }
        if (i + 1 < n) {
            knx_str_add(&l->out, ",", comma);
            knx_str_pad(&l->out, '\n', l->ndim - axis - 1);
            knx_str_pad(&l->out, ' ', indent);
        }
    }
    knx_str_add(&l->out, "]", 1);
}

/* array2string: `prefix` columns stand before it, `width` is the line's width. */
static void write_array(layout *l, const char *data, int64_t prefix, int64_t width)
{
    if (l->size == 0) {
        knx_str_puts(&l->out, "[]");
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        look(l, 0, data, pass);
        knx_text_format_end(&l->format, pass);
    }
    if (l->ndim == 0)
        knx_text_format_write(&l->format, &l->out, data);
    else
        write_nested(l, 0, data, prefix + 1, width);
}

static void add_shape(knx_str *out, int ndim, const int64_t *dim)
{
    char number[32];
    knx_str_puts(out, "shape=(");
    for (int i = 0; i < ndim; i++) {
        int n = snprintf(number, sizeof number, "%s%" PRId64, i ? ", " : "", dim[i]);
        knx_str_add(out, number, (size_t)n);
    }
    knx_str_puts(out, ndim == 1 ? ",)" : ")");
}

/* What the numbers do not tell: the shape of empty and summarised arrays, the dtype unless it is the usual one of its
 * kind. */
static void add_extras(layout *l, knx_str *extras)
{
    uint8_t id = l->dtype->id;
    bool implied = id == KN_ID_BOOL || id == KN_ID_I64 || id == KN_ID_F64 || id == KN_ID_C128;
    if ((l->size == 0 && l->ndim != 1) || l->summary)
        add_shape(extras, l->ndim, l->dim);
    if (!implied || l->size == 0) {
        knx_str_puts(extras, extras->n ? ", dtype=" : "dtype=");
        knx_str_puts(extras, l->dtype->name);
    }
}

static void write_repr(layout *l, const char *data, const kn_print_opts *opts)
{
    knx_str extras = {0};
    knx_str_puts(&l->out, "array(");
    write_array(l, data, 6, (int64_t)opts->linewidth - 1);
    add_extras(l, &extras);
    if (extras.n && l->out.s) {
        knx_str_add(&l->out, ",", 1);
        size_t line = l->out.n;
        while (line > 0 && l->out.s[line - 1] != '\n')
            line--;
        int64_t width = knx_text_width(l->out.s + line, l->out.n - line) + (int64_t)extras.n + 2;
        bool fits = width <= opts->linewidth;
        knx_str_puts(&l->out, fits ? " " : "\n      ");
        knx_str_add(&l->out, extras.s, extras.n);
    }
    knx_str_add(&l->out, ")", 1);
    l->out.failed |= extras.failed;
    knx_str_free(&extras);
}

knx_error *knx_array_text(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, const kn_print_opts *opts,
                          bool repr, char **out)
{
    kn_print_opts plain = kn_print_opts_default();
    knx_float_mode mode = KN_FLOAT_MAXPREC;
    if (!opts)
        opts = &plain;
    KN_TRY(check_options(opts, &mode));
    layout *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    kn_print_opts bounded = *opts;
    if (bounded.precision > 10000)
        bounded.precision = 10000; /* no float has more digits than 1,074 */
    set_layout(l, dtype, ndim, dim, opts);
    l->separator = repr ? ", " : " ";
    knx_text_format_init(&l->format, l->dtype, l->ndim == 0, &bounded, mode);
    if (repr)
        write_repr(l, data, opts);
    else if (l->ndim == 0)
        knx_text_format_scalar(l->dtype, &l->out, data);
    else
        write_array(l, data, 0, opts->linewidth);
    l->out.failed |= l->word.failed | l->format.scratch.failed;
    char *text = knx_str_take(&l->out);
    knx_str_free(&l->word);
    knx_str_free(&l->format.scratch);
    knx_free(l);
    *out = text;
    return text ? NULL : knx_error_nomem();
}
