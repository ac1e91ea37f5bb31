/* SPDX-License-Identifier: Apache-2.0
 * golden.c -- stored arrays, and comparing with them. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/zip.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void must(knx_error *e, const char *what)
{
    if (e)
        fail_msg("%s: %s", what, e->message);
}

golden golden_read_from(const char *path)
{
    knio_zip *z = NULL;
    must(knio_zip_open(path, &z), path);
    golden g = {.n = (int)knio_zip_count(z)};
    g.name = calloc((size_t)g.n, sizeof *g.name);
    g.array = calloc((size_t)g.n, sizeof *g.array);
    assert_non_null(g.name);
    assert_non_null(g.array);
    for (int i = 0; i < g.n; i++) {
        uint8_t *bytes = NULL;
        size_t n = 0;
        g.name[i] = strdup(knio_zip_name(z, (size_t)i));
        assert_non_null(g.name[i]);
        must(knio_zip_read(z, (size_t)i, &bytes, &n), g.name[i]);
        must(knio_npy_parse(bytes, n, &g.array[i]), g.name[i]);
        knx_free(bytes);
        g.name[i][strlen(g.name[i]) - 4] = '\0';
    }
    knio_zip_close(z);
    return g;
}

void golden_free(golden *g)
{
    for (int i = 0; i < g->n; i++) {
        free(g->name[i]);
        knx_buffer_release(g->array[i].buffer);
    }
    free(g->name);
    free(g->array);
    *g = (golden){0};
}

const knio_npy *golden_find(const golden *g, const char *name)
{
    for (int i = 0; i < g->n; i++)
        if (strcmp(g->name[i], name) == 0)
            return &g->array[i];
    fail_msg("nothing is stored as %s", name);
    return NULL;
}

int64_t golden_size(const knio_npy *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->ndim; i++)
        n *= a->dim[i];
    return n;
}

kn_array golden_array(const knio_npy *a)
{
    kn_shape shape = {.ndim = a->ndim};
    memcpy(shape.dim, a->dim, sizeof shape.dim);
    return (kn_from_memory)(a->buffer->data, &shape, a->dtype);
}

kn_shape golden_shape(const char *text)
{
    kn_shape s = {0};
    while (*text >= '0' && *text <= '9') {
        char *end;
        s.dim[s.ndim++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return s;
}

kn_dtype golden_dtype(const char *short_name)
{
    kn_dtype d = knx_dtype_find(short_name);
    assert_non_null(d);
    return d;
}

static const void *same_type(const char *name, kn_array got, const knio_npy *want)
{
    if (!(kn_ok)(got)) {
        fail_msg("%s: %s", name, kn_error_message());
        return NULL;
    }
    kn_dtype d = (kn_dtype_of)(got);
    kn_shape shape = (kn_shape_of)(got);
    if (d != want->dtype && !(d == KN_DT(BF16) && want->dtype == KN_DT(U16)))
        fail_msg("%s: dtype %s, not %s", name, d->name, want->dtype->name);
    if (shape.ndim != want->ndim || memcmp(shape.dim, want->dim, (size_t)shape.ndim * sizeof shape.dim[0]) != 0) {
        knx_text a = {0}, b = {0};
        fail_msg("%s: shape %s, not %s", name, knx_show_shape(&a, shape.ndim, shape.dim),
                 knx_show_shape(&b, want->ndim, want->dim));
    }
    return (kn_data_bytes)(got, d);
}

static double number_at(kn_dtype d, const void *data, int64_t i)
{
    double v = 0;
    knx_convert(d, (const char *)data + (size_t)i * d->size, KN_DT(F64), &v);
    return v;
}

void golden_same_bits(const char *name, kn_array got, const knio_npy *want)
{
    const char *data = same_type(name, got, want), *stored = want->buffer->data;
    size_t size = want->dtype->size;
    for (int64_t i = 0; i < golden_size(want); i++)
        if (memcmp(data + (size_t)i * size, stored + (size_t)i * size, size) != 0) {
            kn_dtype d = (kn_dtype_of)(got);
            fail_msg("%s: element %lld is %.17g, not %.17g", name, (long long)i, number_at(d, data, i),
                     number_at(d, stored, i));
        }
}

void golden_close(const char *name, kn_array got, const knio_npy *want, double rtol, double atol)
{
    const char *data = same_type(name, got, want), *stored = want->buffer->data;
    kn_dtype d = (kn_dtype_of)(got);
    for (int64_t i = 0; i < golden_size(want); i++) {
        double a = number_at(d, data, i), b = number_at(d, stored, i);
        if (!(a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= rtol * fabs(b) + atol))
            fail_msg("%s: element %lld is %.17g, not %.17g", name, (long long)i, a, b);
    }
}

static double spacing_at(kn_dtype d, double v)
{
    int mantissa = d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52, exponent;
    frexp(v, &exponent);
    return ldexp(1, exponent - 1 - mantissa);
}

void golden_compare(const char *name, kn_array got, const knio_npy *want, golden_measure *m)
{
    const char *data = same_type(name, got, want), *stored = want->buffer->data;
    kn_dtype d = (kn_dtype_of)(got);
    int parts = 1 + knx_is_complex(d);
    if (parts == 2)
        d = knx_component(d);
    for (int64_t i = 0; i < golden_size(want) * parts; i++) {
        size_t at = (size_t)i * d->size;
        double a = number_at(d, data, i), b = number_at(d, stored, i);
        m->n++;
        m->equal += memcmp(data + at, stored + at, d->size) == 0;
        if (!(a == b || (isnan(a) && isnan(b))))
            m->ulp = fmax(m->ulp, isfinite(a - b) ? fabs(a - b) / spacing_at(d, fmax(fabs(b), m->least)) : INFINITY);
    }
}
