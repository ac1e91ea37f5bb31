/* SPDX-License-Identifier: Apache-2.0
 * table.c -- rows of elements, and the array that they become. */
#include "io/table.h"
#include "kiln/numpy/manipulation.h"

#include <string.h>

char *knio_table_row(knio_table *t)
{
    size_t row = (size_t)t->columns * t->dtype->size, bytes;
    if ((size_t)t->rows == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        if (knx_mul_overflows(room, row, &bytes))
            return NULL;
        char *more = knx_realloc(t->data, bytes + 1);
        if (!more)
            return NULL;
        t->data = more;
        t->room = room;
    }
    return t->data + (size_t)t->rows++ * row;
}

/* The shape: NumPy squeezes a table that has more axes than ndmin. */
static int final_shape(const knio_table *t, int ndmin, int64_t dim[2])
{
    const int64_t extent[2] = {t->rows, t->columns};
    int ndim = 0;
    for (int i = 0; i < 2; i++)
        if (ndmin == 2 || extent[i] != 1)
            dim[ndim++] = extent[i];
    if (ndim < ndmin)
        dim[ndim++] = 1;
    return ndim;
}

kn_array knio_table_end(kna_op *op, knio_table *t, int ndmin, bool unpack)
{
    int64_t dim[2];
    int ndim = final_shape(t, ndmin, dim);
    size_t bytes = (size_t)(t->rows * t->columns) * t->dtype->size;
    knx_buffer *b = kna_failed(op) ? NULL : knx_buffer_new(bytes);
    if (b && bytes)
        memcpy(b->data, t->data, bytes);
    knx_free(t->data);
    t->data = NULL;
    if (kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    kn_array x = kna_from_buffer(op, kni_type_of(t->dtype, ndim, dim), b);
    return unpack ? (kn_transpose)(x, NULL) : x;
}

knx_error *knio_check_ndmin(int ndmin)
{
    return ndmin >= 0 && ndmin <= 2 ? NULL : knx_error_new(KN_ERROR_VALUE, "Illegal value of ndmin keyword: %d", ndmin);
}

/* How many bytes the first so many characters have. */
static size_t characters(const char *s, size_t n, int count)
{
    size_t i = 0;
    while (i < n && (count > 0 || ((unsigned char)s[i] & 0xc0) == 0x80))
        count -= ((unsigned char)s[i++] & 0xc0) != 0x80;
    return i;
}

knx_error *knio_not_converted(const char *s, size_t n, kn_dtype dtype, int64_t row, int64_t column)
{
    enum { SHOWN = 100 }; /* characters of the repr */
    knx_str text = {0};
    knio_add_repr(&text, s, characters(s, n, SHOWN));
    size_t shown = text.s ? characters(text.s, text.n, SHOWN) : 0;
    knx_error *e =
        text.failed ? knx_error_nomem()
                    : knx_error_new(KN_ERROR_VALUE, "could not convert string %.*s to %s at row %lld, column %lld.",
                                    (int)shown, text.s ? text.s : "", dtype->name, (long long)row, (long long)column);
    knx_str_free(&text);
    return e;
}

bool knio_convert(const knio_converter *c, const char *s, size_t n, void *element, knx_str *text)
{
    text->n = 0;
    knx_str_add(text, s, n);
    knx_str_add(text, "", 1);
    return !text->failed && c->convert(c->env, text->s, n, element);
}
