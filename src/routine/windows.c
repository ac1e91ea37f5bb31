/* SPDX-License-Identifier: Apache-2.0
 * windows.c -- gather and scatter-add. The points are visited in C order; a window is a nest of loops whose
 * dimensions have been merged where they lie alike in both arrays, so that rows of a table are one run of contiguous
 * elements. */
#include "routine/windows.h"
#include "base/half.h"
#include <string.h>

/* --- starts ----------------------------------------------------------------------------------- */

/* Number i of the indices; what no int64 holds is as far out of bounds as can be. */
static int64_t read_index(kn_dtype d, const void *indices, int64_t i)
{
    switch ((kn_dtype_id)d->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: return ((const uint8_t *)indices)[i];
    case KN_ID_I8: return ((const int8_t *)indices)[i];
    case KN_ID_U16: return ((const uint16_t *)indices)[i];
    case KN_ID_I16: return ((const int16_t *)indices)[i];
    case KN_ID_U32: return ((const uint32_t *)indices)[i];
    case KN_ID_I32: return ((const int32_t *)indices)[i];
    case KN_ID_U64: {
        uint64_t v = ((const uint64_t *)indices)[i];
        return v > INT64_MAX ? INT64_MAX : (int64_t)v;
    }
    default: return ((const int64_t *)indices)[i];
    }
}

/* Where the window of the point whose numbers begin at `indices[at]` starts; false: it is to be skipped. */
static bool start_of(const knr_windows *w, const void *indices, int64_t at, int64_t *start)
{
    int64_t sum = 0;
    for (int i = 0; i < w->n_index; i++) {
        int64_t v = read_index(w->index_dtype, indices, at + i);
        if (v < 0 || v > w->index_most[i]) {
            if (w->mode == KNR_OUT_SKIP || w->index_most[i] < 0) /* an empty table has no nearest element */
                return false;
            v = v < 0 ? 0 : w->index_most[i];
        }
        sum += v * w->index_table[i];
    }
    *start = sum;
    return true;
}

static int64_t count(int n, const int64_t *extent)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        size *= extent[i];
    return size;
}

/* NumPy's error for the first number out of bounds, axis by axis. A negative one has had the extent added already. */
static kn_error *check_bounds(const knr_windows *w, const void *indices, int64_t points)
{
    for (int i = 0; i < w->n_index; i++)
        for (int64_t p = 0; p < points; p++) {
            int64_t v = read_index(w->index_dtype, indices, p * w->n_index + i);
            if (v < 0 || v > w->index_most[i])
                return knx_error(KN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                                 (long long)(v < 0 ? v - w->index_size[i] : v), (long long)w->index_axis[i],
                                 (long long)w->index_size[i]);
        }
    return NULL;
}

/* --- a nest of loops over two arrays ---------------------------------------------------------- */

typedef struct nest {
    int n;
    int64_t extent[KN_MAX_NDIM + 1], dense[KN_MAX_NDIM + 1], table[KN_MAX_NDIM + 1];
} nest;

static void make_nest(const knr_windows *w, nest *r)
{
    r->n = 0;
    for (int i = 0; i < w->n_window; i++) {
        if (w->window[i] == 1)
            continue;
        int last = r->n - 1;
        bool joins = r->n && r->dense[last] == w->window_dense[i] * w->window[i] &&
                     r->table[last] == w->window_table[i] * w->window[i];
        int to = joins ? last : r->n++;
        r->extent[to] = joins ? r->extent[to] * w->window[i] : w->window[i];
        r->dense[to] = w->window_dense[i];
        r->table[to] = w->window_table[i];
    }
    if (r->n == 0) {
        r->n = 1;
        r->extent[0] = r->dense[0] = r->table[0] = 1;
    }
}

/* The next line of a nest (all its dimensions but the last). */
static bool next_line(const nest *s, int64_t *at, int64_t *dense, int64_t *table)
{
    for (int i = s->n - 2; i >= 0; i--) {
        *dense += s->dense[i];
        *table += s->table[i];
        if (++at[i] < s->extent[i])
            return true;
        *dense -= s->dense[i] * at[i];
        *table -= s->table[i] * at[i];
        at[i] = 0;
    }
    return false;
}

/* The next point: its part of the element numbers. */
static void next_point(const knr_windows *w, int64_t *at, int64_t *dense, int64_t *table)
{
    for (int i = w->n_point - 1; i >= 0; i--) {
        *dense += w->point_dense[i];
        *table += w->point_table[i];
        if (++at[i] < w->point[i])
            return;
        *dense -= w->point_dense[i] * at[i];
        *table -= w->point_table[i] * at[i];
        at[i] = 0;
    }
}

/* --- gather ----------------------------------------------------------------------------------- */

#define COPY(type)                                                       \
    for (int64_t i = 0; i < n; i++)                                      \
        ((type *)to)[i * to_step] = ((const type *)from)[i * from_step]; \
    break;

/* n elements of `size` bytes; a step of 0 repeats one. */
static void copy_line(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)
{
    typedef struct {
        uint64_t v[2];
    } pair;
    if (to_step == 1 && from_step == 1 && n > 1) {
        memcpy(to, from, (size_t)n * (size_t)size);
        return;
    }
    switch (size) {
    case 1: COPY(uint8_t)
    case 2: COPY(uint16_t)
    case 4: COPY(uint32_t)
    case 8: COPY(uint64_t)
    default: COPY(pair)
    }
}

static void gather_window(const knr_windows *w, const nest *s, const char *table, int64_t from, char *dense, int64_t to,
                          bool inside)
{
    int64_t at[KN_MAX_NDIM + 1], size = w->dtype->size;
    int last = s->n - 1;
    if (s->n > 1)
        memset(at, 0, (size_t)s->n * sizeof *at);
    do {
        copy_line((int)size, dense + to * size, s->dense[last], inside ? table + from * size : (const char *)&w->fill,
                  inside ? s->table[last] : 0, s->extent[last]);
    } while (next_line(s, at, &to, &from));
}

kn_error *knr_gather(const knr_windows *w, const void *table, const void *indices, void *dense)
{
    nest s;
    int64_t points = count(w->n_point, w->point), at[KN_MAX_NDIM] = {0}, to = 0, from = 0, start = 0;
    make_nest(w, &s);
    if (w->mode == KNR_OUT_ERROR)
        KN_TRY(check_bounds(w, indices, points));
    if (!points || !count(w->n_window, w->window))
        return NULL;
    for (int64_t p = 0; p < points; p++) {
        bool inside = start_of(w, indices, p * w->n_index, &start);
        gather_window(w, &s, table, from + start, dense, to, inside);
        next_point(w, at, &to, &from);
    }
    return NULL;
}

/* --- scatter-add ------------------------------------------------------------------------------ */

#define ADD(type, sum)                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                        \
        type *t = (type *)to + i * to_step, x = *t, y = ((const type *)from)[i * from_step]; \
        *t = (sum);                                                                          \
    }                                                                                        \
    break;

static void add_line(kn_dtype d, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)
{
    switch ((kn_dtype_id)d->id) {
    case KN_ID_BOOL: ADD(uint8_t, x | y)
    case KN_ID_I8:
    case KN_ID_U8: ADD(uint8_t, (uint8_t)(x + y))
    case KN_ID_I16:
    case KN_ID_U16: ADD(uint16_t, (uint16_t)(x + y))
    case KN_ID_I32:
    case KN_ID_U32: ADD(uint32_t, x + y)
    case KN_ID_I64:
    case KN_ID_U64: ADD(uint64_t, x + y)
    case KN_ID_F16: ADD(uint16_t, kn_f32_to_f16(kn_f16_to_f32(x) + kn_f16_to_f32(y)))
    case KN_ID_BF16: ADD(uint16_t, kn_f32_to_bf16(kn_bf16_to_f32(x) + kn_bf16_to_f32(y)))
    case KN_ID_F32: ADD(float, x + y)
    case KN_ID_F64: ADD(double, x + y)
    case KN_ID_C64: ADD(kn_c64, ((kn_c64){x.re + y.re, x.im + y.im}))
    case KN_ID_C128: ADD(kn_c128, ((kn_c128){x.re + y.re, x.im + y.im}))
    default: break; /* keys are not added */
    }
}

static void add_window(const knr_windows *w, const nest *s, char *table, int64_t to, const char *dense, int64_t from)
{
    int64_t at[KN_MAX_NDIM + 1], size = w->dtype->size;
    int last = s->n - 1;
    if (s->n > 1)
        memset(at, 0, (size_t)s->n * sizeof *at);
    do {
        add_line(w->dtype, table + to * size, s->table[last], dense + from * size, s->dense[last], s->extent[last]);
    } while (next_line(s, at, &from, &to));
}

/* One dimension of the dense array, slowest first: of the points or of the windows. */
typedef struct dense_dim {
    int64_t extent, dense, table, index;
} dense_dim;

/* Windows that cross, with dimensions of points behind theirs: element by element, whatever it takes, in the order
 * promised. */
static void add_in_dense_order(const knr_windows *w, char *table, const void *indices, const char *dense)
{
    dense_dim d[2 * KN_MAX_NDIM];
    int64_t at[2 * KN_MAX_NDIM] = {0}, size = w->dtype->size, index_step = w->n_index;
    int n = 0;
    for (int i = w->n_point - 1; i >= 0; i--) {
        d[n++] = (dense_dim){w->point[i], w->point_dense[i], w->point_table[i], index_step};
        index_step *= w->point[i];
    }
    for (int i = 0; i < w->n_window; i++)
        d[n++] = (dense_dim){w->window[i], w->window_dense[i], w->window_table[i], 0};
    for (int i = 1; i < n; i++) /* by falling stride; equal ones have an extent of 1 */
        for (int k = i; k > 0 && d[k - 1].dense < d[k].dense; k--) {
            dense_dim t = d[k];
            d[k] = d[k - 1];
            d[k - 1] = t;
        }
    for (int64_t from = 0, to = 0, index = 0, start;;) {
        if (start_of(w, indices, index, &start))
            add_line(w->dtype, table + (to + start) * size, 1, dense + from * size, 1, 1);
        int i = n - 1;
        for (; i >= 0; i--) {
            from += d[i].dense, to += d[i].table, index += d[i].index;
            if (++at[i] < d[i].extent)
                break;
            from -= d[i].dense * at[i], to -= d[i].table * at[i], index -= d[i].index * at[i];
            at[i] = 0;
        }
        if (i < 0)
            return;
    }
}

kn_error *knr_scatter_add(const knr_windows *w, void *table, const void *indices, const void *dense)
{
    nest s;
    int64_t points = count(w->n_point, w->point), at[KN_MAX_NDIM] = {0}, to = 0, from = 0, start = 0;
    if (w->mode == KNR_OUT_ERROR)
        KN_TRY(check_bounds(w, indices, points));
    if (!points || !count(w->n_window, w->window))
        return NULL;
    if (w->may_cross && !w->windows_last) {
        add_in_dense_order(w, table, indices, dense);
        return NULL;
    }
    make_nest(w, &s);
    for (int64_t p = 0; p < points; p++) {
        if (start_of(w, indices, p * w->n_index, &start))
            add_window(w, &s, table, to + start, dense, from);
        next_point(w, at, &from, &to);
    }
    return NULL;
}
