/* SPDX-License-Identifier: Apache-2.0
 * format.c -- Python's str.format: text, braces, replacement fields. */
#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"
#include <string.h>

typedef struct field {
    int index;
    char conversion; /* r or s; 0: none */
    const char *spec;
    size_t spec_length;
} field;

typedef struct reader {
    const char *at;
    int next; /* of the fields without a number */
    bool automatic, manual;
} reader;

static knx_error *wrong(const char *text) { return knx_error_new(KN_ERROR_VALUE, "%s", text); }

static knx_error *read_index(reader *r, const char *end, field *f)
{
    const char *s = r->at;
    if (s == end) {
        r->automatic = true;
        f->index = r->next++;
    } else if (*s >= '0' && *s <= '9') {
        r->manual = true;
        for (f->index = 0; s < end && *s >= '0' && *s <= '9'; s++)
            f->index = f->index < 100000 ? f->index * 10 + (*s - '0') : f->index;
        if (s != end)
            return wrong("Only ':' or '!' may follow the number of a replacement field");
    } else {
        return knx_error_new(KN_ERROR_KEY, "'%.*s'", (int)(end - s < 60 ? end - s : 60), s);
    }
    if (r->automatic && r->manual)
        return wrong(*r->at >= '0' && *r->at <= '9' && r->at != end
                         ? "cannot switch from automatic field numbering to manual field specification"
                         : "cannot switch from manual field specification to automatic field numbering");
    return NULL;
}

/* Behind the opening brace. */
static knx_error *read_field(reader *r, field *f)
{
    const char *close = strchr(r->at, '}');
    if (!*r->at)
        return wrong("Single '{' encountered in format string");
    if (!close)
        return wrong("expected '}' before end of string");
    const char *end = r->at + strcspn(r->at, "!:}");
    *f = (field){.spec = "", .spec_length = 0};
    KN_TRY(read_index(r, end, f));
    if (*end == '!') {
        f->conversion = end[1];
        if (f->conversion != 'r' && f->conversion != 's')
            return knx_error_new(KN_ERROR_VALUE, "Unknown conversion specifier '%c'", f->conversion);
        end += 2;
    }
    if (*end == ':') {
        f->spec = ++end;
        end += strcspn(end, "{}");
        if (*end == '{')
            return wrong("a replacement field inside of a format specification is not supported");
        f->spec_length = (size_t)(end - f->spec);
    }
    if (*end != '}')
        return wrong("expected '}' before end of string");
    r->at = end + 1;
    return NULL;
}

/* The text up to the next field; *found: there is one. */
static knx_error *read_text(reader *r, knx_str *out, bool *found)
{
    *found = false;
    while (*r->at) {
        size_t n = strcspn(r->at, "{}");
        knx_str_add(out, r->at, n);
        r->at += n;
        if (!*r->at)
            return NULL;
        char brace = *r->at++;
        if (*r->at == brace) {
            knx_str_add(out, &brace, 1);
            r->at++;
        } else if (brace == '}') {
            return wrong("Single '}' encountered in format string");
        } else {
            *found = true;
            return NULL;
        }
    }
    return NULL;
}

static knx_error *check_field(const field *f, int n, const knx_format_arg *args)
{
    static const knx_scalar_bits zero;
    if (f->index >= n)
        return knx_error_new(KN_ERROR_INDEX, "tuple index out of range");
    const knx_format_arg *a = &args[f->index];
    if (f->spec_length && (a->ndim || f->conversion || a->dtype->kind == KN_KIND_KEY))
        return knx_error_new(KN_ERROR_TYPE, "unsupported format string passed to %s.__format__",
                             f->conversion ? "str" : "numpy.ndarray");
    knx_str nowhere = {0};
    knx_error *error = f->conversion || a->ndim || a->dtype->kind == KN_KIND_KEY
                           ? NULL
                           : knx_format_scalar(&nowhere, a->dtype, &zero, f->spec, f->spec_length);
    knx_str_free(&nowhere);
    return error;
}

knx_error *knx_format_check(const char *format, int n, const knx_format_arg *args, bool *placeholders)
{
    reader r = {.at = format};
    knx_str nowhere = {0};
    uint8_t few[64] = {0}, *used = n <= 64 ? few : knx_alloc_zero((size_t)n);
    knx_error *error = used ? NULL : knx_error_nomem();
    bool more = true;
    *placeholders = false;
    while (!error && more) {
        field f;
        error = read_text(&r, &nowhere, &more);
        if (error || !more)
            break;
        *placeholders = true;
        error = read_field(&r, &f);
        if (!error)
            error = check_field(&f, n, args);
        if (!error)
            used[f.index] = 1;
    }
    int unused = 0;
    for (int i = 0; !error && i < n; i++)
        unused += !used[i];
    if (unused)
        error = knx_error_new(KN_ERROR_VALUE, "Unused positional arguments: %d of %d", unused, n);
    if (used != few)
        knx_free(used);
    knx_str_free(&nowhere);
    return error;
}

static knx_error *add_array(knx_str *out, const knx_format_arg *a, bool repr)
{
    const knx_text_form form = {.what = repr ? KNX_TEXT_REPR : KNX_TEXT_STR};
    char *text = NULL;
    KN_TRY(knx_array_text(a->dtype, a->ndim, a->dim, a->data, NULL, &form, &text));
    knx_str_puts(out, text);
    knx_free(text);
    return NULL;
}

knx_error *knx_format(knx_str *out, const char *format, int n, const knx_format_arg *args)
{
    reader r = {.at = format};
    for (bool more = true; more;) {
        field f;
        KN_TRY(read_text(&r, out, &more));
        if (!more)
            break;
        KN_TRY(read_field(&r, &f));
        if (f.index >= n)
            return knx_error_new(KN_ERROR_INDEX, "tuple index out of range");
        const knx_format_arg *a = &args[f.index];
        if (f.conversion || a->ndim || a->dtype->kind == KN_KIND_KEY)
            KN_TRY(add_array(out, a, f.conversion == 'r'));
        else
            KN_TRY(knx_format_scalar(out, a->dtype, a->data, f.spec, f.spec_length));
    }
    return out->failed ? knx_error_nomem() : NULL;
}
