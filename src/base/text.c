/* SPDX-License-Identifier: Apache-2.0
 * text.c -- brackets, wrapping and summaries of arrays' text, after NumPy's arrayprint. */
#include "base/text.h"
#include "base/memory.h"
#include "base/print_options.h"
#include "base/text_format.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

typedef struct layout {
    kn_dtype dtype;
    const char *name; /* of the dtype that is shown: what is only stored comes as bfloat16 */
    int ndim;
    int64_t dim[KN_MAX_NDIM + 1];
    int64_t stride[KN_MAX_NDIM + 1]; /* bytes */
    int64_t size;
    bool summary;
    int64_t edge;
    kn_print_opts opts;
    const char *separator;
    size_t stripped;          /* bytes of the separator without blanks at its end */
    int64_t narrow;           /* columns at the end of a line that stay free: for that, or for a bracket */
    kn_element_text function; /* of the user's; NULL: `format` writes the elements */
    knx_ask ask;
    knx_text_format format;
    knx_str out, word;
    knx_error *error;
} layout;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); }

static void set_separator(layout *l, const char *separator)
{
    l->separator = separator;
    l->stripped = strlen(separator);
    while (l->stripped && is_blank(separator[l->stripped - 1]))
        l->stripped--;
    int64_t width = knx_text_width(separator, l->stripped);
    l->narrow = width > 1 ? width : 1;
}

static void set_layout(layout *l, kn_dtype dtype, int ndim, const int64_t *dim)
{
    const kn_print_opts *opts = &l->opts;
    bool key = dtype == KN_DT(KEY);
    l->dtype = key ? KN_DT(U32) : dtype;
    l->name = l->dtype->name;
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
    while (l->out.n > line && is_blank(l->out.s[l->out.n - 1]))
        l->out.n--;
}

/* One row under construction: where the line begins in the text, how wide it is by now, how wide it may get. */
typedef struct row {
    size_t start;
    int64_t width, limit, indent;
} row;

static void begin_line(layout *l, row *r, int64_t indent)
{
    strip_line(l, r->start);
    knx_str_add(&l->out, "\n", 1);
    r->start = l->out.n;
    knx_str_pad(&l->out, ' ', indent);
    r->width = indent;
}

/* A word stands in one line; the lines of one with several are below each other, and as wide as the widest. */
static void add_word(layout *l, row *r, const char *s, size_t n)
{
    int64_t widest = 0, width = 0;
    size_t length;
    for (size_t i = 0; i < n; i += length + 1) {
        const char *end = memchr(s + i, '\n', n - i);
        length = end ? (size_t)(end - s) - i : n - i;
        width = knx_text_width(s + i, length);
        widest = width > widest ? width : widest;
    }
    if (r->width + widest > r->limit && r->width > r->indent)
        begin_line(l, r, r->indent);
    int64_t column = r->width;
    for (size_t i = 0; i < n; i += length + 1) {
        const char *end = memchr(s + i, '\n', n - i);
        length = end ? (size_t)(end - s) - i : n - i;
        if (i)
            begin_line(l, r, column);
        knx_str_add(&l->out, s + i, length);
        r->width += knx_text_width(s + i, length);
    }
    knx_str_pad(&l->out, ' ', widest - width);
    r->width += widest - width;
}

static void add_separator(layout *l, row *r)
{
    knx_str_puts(&l->out, l->separator);
    r->width += knx_text_width(l->separator, strlen(l->separator));
}

/* Appends the text of an element to `out`. */
static void write_element(layout *l, knx_str *out, const char *p)
{
    if (!l->function)
        knx_text_format_write(&l->format, out, p);
    else if (!l->error)
        l->error = l->ask(l->opts.formatter, l->function, l->dtype, p, out);
}

static void write_row(layout *l, const char *p, int64_t indent, int64_t width)
{
    int64_t n = l->dim[l->ndim - 1], stride = l->stride[l->ndim - 1];
    bool cut = l->summary && n > 2 * l->edge;
    size_t begin = l->out.n;
    row r = {.start = begin, .width = indent, .limit = width - l->narrow, .indent = indent};
    knx_str_pad(&l->out, ' ', indent); /* taken away at the end: lines without a word lose it, too */
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == l->edge) {
            add_word(l, &r, "...", 3);
            add_separator(l, &r);
            i = l->edge > 0 ? n - l->edge : n - 1;
        }
        l->word.n = 0;
        write_element(l, &l->word, p + i * stride);
        if (l->word.s)
            add_word(l, &r, l->word.s, l->word.n);
        if (i + 1 < n)
            add_separator(l, &r);
    }
    if (l->out.n >= begin + (size_t)indent) {
        memmove(l->out.s + begin, l->out.s + begin + indent, l->out.n - begin - (size_t)indent);
        l->out.n -= (size_t)indent;
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
    bool cut = l->summary && n > 2 * l->edge;
    for (int64_t i = 0; i < n; i++) {
        if (cut && i == l->edge) {
            cut = false;
            knx_str_puts(&l->out, "...");
            i = l->edge > 0 ? n - l->edge - 1 : n - 2; /* NumPy always shows the last one */
        } else {
            write_nested(l, axis + 1, p + i * l->stride[axis], indent + 1, width - 1);
        }
        if (i + 1 < n) {
            knx_str_add(&l->out, l->separator, l->stripped);
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
    for (int pass = 0; pass < 2 && !l->function; pass++) {
        look(l, 0, data, pass);
        knx_text_format_end(&l->format, pass);
    }
    if (l->ndim == 0)
        write_element(l, &l->out, data);
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
        const char *quote = strchr(l->name, '_') ? "'" : "";
        knx_str_puts(extras, quote);
        knx_str_puts(extras, l->name);
        knx_str_puts(extras, quote);
    }
}

static void write_repr(layout *l, const char *data)
{
    knx_str extras = {0};
    const kn_print_opts *opts = &l->opts;
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

static knx_error *set_format(layout *l)
{
    bool precise = strcmp(l->opts.floatmode, "unique") != 0;
    l->function = l->ask ? knx_print_function(l->opts.formatter, l->dtype->kind) : NULL;
    if (!l->function && l->size && precise && l->opts.precision < 0 && knx_text_format_lines_up(l->dtype))
        return knx_error_new(KN_ERROR_VALUE, "precision must be >= 0");
    if (l->opts.precision > 10000)
        l->opts.precision = 10000; /* no float has more digits than 1,074 */
    knx_text_format_init(&l->format, l->dtype, l->ndim == 0, &l->opts);
    return NULL;
}

static void write_form(layout *l, const char *data, const knx_text_form *form)
{
    if (form->what == KNX_TEXT_REPR)
        write_repr(l, data);
    else if (form->what == KNX_TEXT_STR && l->ndim == 0)
        knx_text_format_scalar(l->dtype, &l->out, data);
    else if (form->what == KNX_TEXT_STR)
        write_array(l, data, 0, l->opts.linewidth);
    else
        write_array(l, data, knx_text_width(form->prefix, strlen(form->prefix)),
                    (int64_t)l->opts.linewidth - knx_text_width(form->suffix, strlen(form->suffix)));
}

/* What is only stored, as bfloat16, which has all those numbers. */
static uint16_t *widened(kn_dtype d, int ndim, const int64_t *dim, const void *data)
{
    size_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= (size_t)dim[i];
    uint16_t *wide = knx_alloc((n + 1) * sizeof *wide);
    for (size_t i = 0; wide && i < n; i++)
        knx_convert(d, (const uint8_t *)data + i, KN_DT(BF16), &wide[i]);
    return wide;
}

knx_error *knx_array_text(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, const kn_print_opts *opts,
                          const knx_text_form *form, char **out)
{
    layout *l = knx_alloc_zero(sizeof *l);
    const bool stored = knx_is_stored(dtype);
    uint16_t *wide = stored && l ? widened(dtype, ndim, dim, data) : NULL;
    char *text = NULL;
    if (!l || (stored && !wide)) {
        knx_free(l);
        return knx_error_nomem();
    }
    knx_error *error = knx_print_options(opts, &l->opts);
    if (!error) {
        set_layout(l, stored ? KN_DT(BF16) : dtype, ndim, dim);
        l->name = stored ? dtype->name : l->name;
        set_separator(l, form->what == KNX_TEXT_ARRAY ? form->separator : form->what == KNX_TEXT_REPR ? ", " : " ");
        l->ask = form->ask;
        error = form->what == KNX_TEXT_STR && l->ndim == 0 ? NULL : set_format(l);
    }
    if (!error) {
        write_form(l, stored ? (const char *)wide : data, form);
        l->out.failed |= l->word.failed | l->format.scratch.failed;
        error = l->error;
        text = error ? NULL : knx_str_take(&l->out);
    }
    knx_str_free(&l->out);
    knx_str_free(&l->word);
    knx_str_free(&l->format.scratch);
    knx_free(l);
    knx_free(wide);
    *out = text;
    return text || error ? error : knx_error_nomem();
}
