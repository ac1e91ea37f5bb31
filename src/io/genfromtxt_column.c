/* SPDX-License-Identifier: Apache-2.0
 * genfromtxt_column.c -- a column of np.genfromtxt: texts as Python's numbers, and what stands for what is none. */
#include "io/genfromtxt.h"
#include "io/python_number.h"

#include <math.h>
#include <string.h>

static const struct {
    const kn_dtype dtype;
} of_status[] = {{KN_DT(BOOL)}, {KN_DT(I64)}, {KN_DT(F64)}, {KN_DT(C128)}};

static knio_status status_of(kn_dtype d)
{
    return d->kind == KN_KIND_BOOL ? KNIO_BOOL
           : knx_is_integer(d)     ? KNIO_INT
           : knx_is_complex(d)     ? KNIO_COMPLEX
                                   : KNIO_FLOAT;
}

void knio_column_begin(knio_column *c, kn_dtype dtype)
{
    c->dtype = dtype ? dtype : KN_DT(BOOL);
    c->status = status_of(c->dtype);
}

bool knio_column_upgrade(knio_column *c)
{
    c->status++;
    if (c->status == KNIO_TEXT)
        return false;
    c->dtype = of_status[c->status].dtype;
    return true;
}

/* Is it among the texts of one of the lists? The empty text always is. */
static bool is_missing(const knio_column *c, knio_cell text)
{
    const char *s = text.s, *end = s + text.n;
    knio_strip(&s, &end);
    size_t n = (size_t)(end - s);
    if (n == 0)
        return true;
    for (int i = 0; i < 3; i++)
        for (const char *at = c->missing[i]; at;) {
            size_t m = strcspn(at, ",");
            if (m == n && memcmp(at, s, n) == 0)
                return true;
            at = at[m] ? at + m + 1 : NULL;
        }
    return false;
}

static bool fits(knio_status status, knio_cell text)
{
    const char *s = text.s, *end = s + text.n;
    uint64_t bits;
    bool flag;
    double v;
    kn_c128 z;
    switch (status) {
    case KNIO_BOOL: return knio_python_bool(s, end, &flag) == KNIO_YES;
    case KNIO_INT: return knio_python_int(s, end, &bits, &flag) == KNIO_YES && !flag;
    case KNIO_FLOAT: return knio_python_float(s, end, &v) == KNIO_YES;
    case KNIO_COMPLEX: return knio_python_complex(s, end, &z) == KNIO_YES;
    case KNIO_TEXT: break;
    }
    return true;
}

bool knio_column_takes(knio_column *c, knio_cell text)
{
    if (fits(c->status, text))
        return true;
    if (!is_missing(c, text))
        return false;
    c->checked &= c->status != KNIO_BOOL;
    return true;
}

/* ---- Elements. */

static knx_error *integer_out_of_bounds(kn_dtype d, int64_t v)
{
    return knx_error_new(KN_ERROR_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)v, d->name);
}

static knx_error *too_large(void)
{
    return knx_error_new(KN_ERROR_OVERFLOW, "Python int too large to convert to C long");
}

static knx_error *read_wide_integer(kn_dtype d, const char *s, const char *end, void *element, bool *is)
{
    uint64_t bits;
    bool is_unsigned;
    knio_read r = knio_python_int(s, end, &bits, &is_unsigned);
    *is = r == KNIO_YES;
    if (*is && d->kind == KN_KIND_UINT && !is_unsigned && (int64_t)bits < 0)
        return integer_out_of_bounds(d, (int64_t)bits);
    if (r == KNIO_TOO_LARGE || (*is && d->kind == KN_KIND_INT && is_unsigned))
        return too_large();
    if (*is)
        memcpy(element, &bits, sizeof bits);
    return NULL;
}

/* The whole part of a finite float as an element; NULL: there is one. */
static knx_error *store_whole_part(kn_dtype d, double v, void *element)
{
    int64_t whole = fabs(v) < 0x1p63 ? (int64_t)v : 0;
    if (v >= 0x1p63 && v < 0x1p64 && d->kind == KN_KIND_UINT && d->size == 8) {
        uint64_t large = (uint64_t)v;
        memcpy(element, &large, sizeof large);
        return NULL;
    }
    if (fabs(v) >= 0x1p63 && !(v == -0x1p63 && d->size == 8)) /* NOLINT: exactly the lowest one */
        return too_large();
    whole = v == -0x1p63 ? INT64_MIN : whole; /* NOLINT */
    if (!knx_int_fits(d, false, (uint64_t)whole))
        return integer_out_of_bounds(d, whole);
    knx_convert(KN_DT(I64), &whole, d, element);
    return NULL;
}

/* Narrower integers are the whole parts of floats. */
static knx_error *read_integer(kn_dtype d, const char *s, const char *end, void *element, bool *is, knx_error **late)
{
    double v;
    if (d->size == 8)
        return read_wide_integer(d, s, end, element, is);
    *is = knio_python_float(s, end, &v) == KNIO_YES && !isnan(v);
    if (!*is)
        return NULL;
    if (isinf(v))
        return knx_error_new(KN_ERROR_OVERFLOW, "cannot convert float infinity to integer");
    *late = store_whole_part(d, v, element);
    return NULL;
}

void knio_column_fill(knio_column *c, kn_dtype from, const void *value)
{
    kn_dtype d = c->dtype;
    uint64_t bits;
    double v;
    knx_error_release(c->fill_error);
    c->fill_error = NULL;
    c->filled = true;
    if (!knx_is_integer(d)) {
        knx_convert(from, value, d, &c->fill);
    } else if (knx_is_inexact(from)) {
        knx_convert(from, value, KN_DT(F64), &v);
        c->fill_error = isnan(v)   ? knx_error_new(KN_ERROR_VALUE, "cannot convert float NaN to integer")
                        : isinf(v) ? knx_error_new(KN_ERROR_OVERFLOW, "cannot convert float infinity to integer")
                                   : store_whole_part(d, v, &c->fill);
    } else {
        bool is_unsigned = from->kind == KN_KIND_UINT;
        knx_convert(from, value, is_unsigned ? KN_DT(U64) : KN_DT(I64), &bits);
        if (knx_int_fits(d, is_unsigned, bits))
            knx_convert(from, value, d, &c->fill);
        else
            c->fill_error = is_unsigned && bits > INT64_MAX ? too_large() : integer_out_of_bounds(d, (int64_t)bits);
    }
}

static knx_error *read_text(const knio_column *c, knio_cell text, void *element, bool *is, knx_error **late)
{
    const char *s = text.s, *end = s + text.n;
    kn_dtype d = c->dtype;
    bool flag;
    double v;
    kn_c128 z;
    if (knx_is_integer(d))
        return read_integer(d, s, end, element, is, late);
    if (d->kind == KN_KIND_BOOL) {
        *is = knio_python_bool(s, end, &flag) == KNIO_YES;
        if (*is)
            *(uint8_t *)element = flag;
    } else if (knx_is_complex(d)) {
        *is = knio_python_complex(s, end, &z) == KNIO_YES;
        if (*is)
            knx_convert(KN_DT(C128), &z, d, element);
    } else {
        *is = knio_python_float(s, end, &v) == KNIO_YES;
        if (*is)
            knx_convert(KN_DT(F64), &v, d, element);
    }
    return NULL;
}

/* What stands for a text that is no value: what was given, or false, -1 and NaN. */
static knx_error *fill(const knio_column *c, void *element)
{
    kn_dtype d = c->dtype;
    if (c->filled) {
        memcpy(element, &c->fill, d->size);
        return c->fill_error ? knx_error_retain(c->fill_error) : NULL;
    }
    if (d->kind == KN_KIND_UINT)
        return integer_out_of_bounds(d, -1);
    int64_t one = d->kind == KN_KIND_INT ? -1 : 0;
    kn_c128 nan = {NAN, 0};
    if (knx_is_inexact(d))
        knx_convert(KN_DT(C128), &nan, d, element);
    else
        knx_convert(KN_DT(I64), &one, d, element);
    return NULL;
}

knx_error *knio_column_read(const knio_column *c, knio_cell text, bool loose, void *element, knx_str *scratch,
                            knx_error **late)
{
    bool is = false;
    *late = NULL;
    if (c->converter.convert)
        is = knio_convert(&c->converter, text.s, text.n, element, scratch);
    else
        KN_TRY(read_text(c, text, element, &is, late));
    if (is)
        return NULL;
    if (scratch->failed)
        return knx_error_nomem();
    if (!loose && !is_missing(c, text))
        return knx_error_new(KN_ERROR_VALUE, "Cannot convert string '%.*s'", text.n > 200 ? 200 : (int)text.n, text.s);
    *late = fill(c, element);
    return NULL;
}
