/* SPDX-License-Identifier: Apache-2.0
 * windows.c -- gather and the scatters. The points are visited in C order; a window is a nest of loops whose
 * dimensions have been merged where they lie alike in both arrays, so that rows of a table are one run of contiguous
 * elements. */
#include "host/routine/windows.h"
#include "base/half.h"
#include "base/pool.h"
#include <string.h>

/* --- starts ----------------------------------------------------------------------------------- */

/* Number i of the indices; what no int64 holds is as far out of bounds as can be. */
static int64_t read_index(kn_dtype d, const void *indices, int64_t i)
{
    switch ((knx_dtype_id)d->id) {
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

#define OUTSIDE(type)                                                 \
    for (int64_t p = 0; p < points; p++) {                            \
        type v = ((const type *)indices)[p * w->n_index + i];         \
        outside |= v < 0 || (uint64_t)v > (uint64_t)w->index_most[i]; \
    }                                                                 \
    break;

/* Does any number i of a start lie out of bounds? */
static bool any_outside(const knr_windows *w, const void *indices, int64_t points, int i)
{
    bool outside = false;
    if (w->index_most[i] < 0)
        return points > 0;
    switch ((knx_dtype_id)w->index_dtype->id) {
    case KN_ID_I32: OUTSIDE(int32_t)
    case KN_ID_I64: OUTSIDE(int64_t)
    default:
        for (int64_t p = 0; p < points; p++) {
            int64_t v = read_index(w->index_dtype, indices, p * w->n_index + i);
            outside |= v < 0 || v > w->index_most[i];
        }
    }
    return outside;
}

/* A negative index has had the extent added already. */
static int64_t as_given(int64_t v, int64_t size) { return v < 0 && v >= INT64_MIN + size ? v - size : v; }

/* NumPy's error for the first number out of bounds, axis by axis. */
knx_error *knr_check_bounds(const knr_windows *w, const void *indices)
{
    int64_t points = count(w->n_point, w->point);
    for (int i = 0; i < w->n_index; i++) {
        if (!any_outside(w, indices, points, i))
            continue;
        for (int64_t p = 0; p < points; p++) {
            int64_t v = read_index(w->index_dtype, indices, p * w->n_index + i);
            if (v < 0 || v > w->index_most[i])
                return knx_error_new(KN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                                     (long long)as_given(v, w->index_size[i]), (long long)w->index_axis[i],
                                     (long long)w->index_size[i]);
        }
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

typedef struct pair {
    uint64_t v[2];
} pair;

/* n elements of `size` bytes; a step of 0 repeats one. */
static void copy_line(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)
{
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

/* Are the windows single elements, for which the dense array has one after the other? */
static bool is_single(const knr_windows *w, const nest *s)
{
    bool single = s->n == 1 && s->extent[0] == 1;
    int64_t step = w->n_point ? w->point_dense[w->n_point - 1] : 1;
    for (int i = w->n_point - 1; single && i >= 0; step *= w->point[i--])
        single = !w->point_table[i] && (w->point[i] == 1 || w->point_dense[i] == step);
    return single;
}

enum { BLOCK = 64 };

/* Numbers that are all in bounds, as places of the table. */
#define PLACES(type)                                                  \
    for (; k < n; k++) {                                              \
        type v = ((const type *)indices)[p + k];                      \
        outside |= (uint64_t)(int64_t)v > (uint64_t)w->index_most[0]; \
        at[k] = (int64_t)v * w->index_table[0];                       \
    }                                                                 \
    break

/* The places of points p .. p + n - 1, up to one that is to be skipped; returns how many. */
static int64_t places(const knr_windows *w, const void *indices, int64_t p, int64_t n, int64_t *at)
{
    int64_t k = 0;
    bool outside = false;
    if (w->n_index == 1 && w->index_most[0] >= 0)
        switch ((knx_dtype_id)w->index_dtype->id) {
        case KN_ID_I64: PLACES(int64_t);
        case KN_ID_I32: PLACES(int32_t);
        default: break;
        }
    for (k = outside ? 0 : k; k < n && start_of(w, indices, (p + k) * w->n_index, &at[k]);)
        k++;
    return k;
}

#define ELEMENTS(type)                                         \
    for (int64_t i = 0; i < n; i++)                            \
        ((type *)to)[i * step] = ((const type *)table)[at[i]]; \
    break;

static void gather_elements(int size, const void *table, const int64_t *at, void *to, int64_t step, int64_t n)
{
    switch (size) {
    case 1: ELEMENTS(uint8_t)
    case 2: ELEMENTS(uint16_t)
    case 4: ELEMENTS(uint32_t)
    case 8: ELEMENTS(uint64_t)
    default: ELEMENTS(pair)
    }
}

/* Points first .. end - 1 of windows that are single elements. */
static void gather_single(const knr_windows *w, const void *table, const void *indices, char *dense, int64_t first,
                          int64_t end)
{
    int64_t at[BLOCK], step = w->n_point ? w->point_dense[w->n_point - 1] : 1, size = w->dtype->size;
    for (int64_t p = first; p < end;) {
        int64_t n = end - p < BLOCK ? end - p : BLOCK, fit = places(w, indices, p, n, at);
        gather_elements((int)size, table, at, dense + p * step * size, step, fit);
        p += fit;
        if (fit < n)
            memcpy(dense + p++ * step * size, &w->fill, (size_t)size);
    }
}

typedef struct gathering {
    const knr_windows *w;
    const nest *s;
    const char *table;
    const void *indices;
    char *dense;
    bool single;
    int64_t points, step; /* so many points a part */
} gathering;

static void gather_part(void *arg, int64_t part, int worker)
{
    const gathering *g = arg;
    const knr_windows *w = g->w;
    int64_t first = part * g->step, end = first + g->step < g->points ? first + g->step : g->points;
    int64_t at[KN_MAX_NDIM], to = 0, from = 0, start = 0, rest = first;
    (void)worker;
    if (g->single) {
        gather_single(w, g->table, g->indices, g->dense, first, end);
        return;
    }
    for (int i = w->n_point - 1; i >= 0; rest /= w->point[i--]) {
        at[i] = rest % w->point[i];
        to += at[i] * w->point_dense[i];
        from += at[i] * w->point_table[i];
    }
    for (int64_t p = first; p < end; p++) {
        bool inside = start_of(w, g->indices, p * w->n_index, &start);
        gather_window(w, g->s, g->table, from + start, g->dense, to, inside);
        next_point(w, at, &to, &from);
    }
}

knx_error *knr_gather(const knr_windows *w, const void *table, const void *indices, void *dense, int threads)
{
    enum { PART = 1 << 15 }; /* elements of a part, about */
    nest s;
    int64_t window = count(w->n_window, w->window);
    make_nest(w, &s);
    gathering g = {w, &s, table, indices, dense, is_single(w, &s), count(w->n_point, w->point), 1};
    if (w->mode == KNR_OUT_ERROR)
        KN_TRY(knr_check_bounds(w, indices));
    if (!g.points || !window)
        return NULL;
    g.step = threads <= 1 ? g.points : window < PART ? PART / window : 1;
    knx_parallel(threads, (g.points - 1) / g.step + 1, gather_part, &g);
    return NULL;
}

/* --- scatter ---------------------------------------------------------------------------------- */

/* n elements of the table, x, become what the update y makes of them. */
typedef void combine_line(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n);

/* The same of single elements, wherever they are. */
typedef void combine_elements(void *table, const int64_t *at, const void *from, int64_t from_step, int64_t n);
typedef struct combine {
    combine_line *line;
    combine_elements *elements;
} combine;

#define LINE(name, type, result)                                                                     \
    static void name(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)      \
    {                                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                            \
            type *t = (type *)to + i * to_step, x = *t, y = ((const type *)from)[i * from_step];     \
            *t = (result);                                                                           \
        }                                                                                            \
    }                                                                                                \
    static void name##_at(void *table, const int64_t *at, const void *from, int64_t step, int64_t n) \
    {                                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                            \
            type *t = (type *)table + at[i], x = *t, y = ((const type *)from)[i * step];             \
            *t = (result);                                                                           \
        }                                                                                            \
    }
#define LINES(id, type, sum, product, smaller, larger) \
    LINE(add_##id, type, sum) LINE(mul_##id, type, product) LINE(min_##id, type, smaller) LINE(max_##id, type, larger)

#define INTEGER(id, type)                                                                                  \
    LINES(id, type, (type)((uint64_t)x + (uint64_t)y), (type)((uint64_t)x * (uint64_t)y), (x < y ? x : y), \
          (x > y ? x : y))
/* A NaN stays; of equal numbers the update counts, as in the primitives max and min. */
#define FLOAT(id, type) LINES(id, type, x + y, x * y, x != x || x < y ? x : y, x != x || x > y ? x : y)
#define HALF(id, up, down)                                                                                 \
    LINES(id, uint16_t, down(up(x) + up(y)), down(up(x) * up(y)), up(x) != up(x) || up(x) < up(y) ? x : y, \
          up(x) != up(x) || up(x) > up(y) ? x : y)
#define IS_NAN(x) ((x).re != (x).re || (x).im != (x).im)
/* x <= y in NumPy's order; false beside a NaN */
#define NO_LATER(x, y) \
    (((x).re < (y).re && (x).im == (x).im && (y).im == (y).im) || ((x).re == (y).re && (x).im <= (y).im))
#define COMPLEX_PRODUCT(t) ((t){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re})
#define COMPLEX(id, type)                                                                                           \
    LINES(id, type, ((type){x.re + y.re, x.im + y.im}), COMPLEX_PRODUCT(type), IS_NAN(x) || NO_LATER(x, y) ? x : y, \
          IS_NAN(x) || NO_LATER(y, x) ? x : y)

LINES(BOOL, uint8_t, (x | y), (x & y), (x & y), (x | y))
INTEGER(I8, int8_t)
INTEGER(I16, int16_t)
INTEGER(I32, int32_t)
INTEGER(I64, int64_t)
INTEGER(U8, uint8_t)
INTEGER(U16, uint16_t)
INTEGER(U32, uint32_t)
INTEGER(U64, uint64_t)
HALF(F16, knx_f16_to_f32, knx_f32_to_f16)
HALF(BF16, knx_bf16_to_f32, knx_f32_to_bf16)
FLOAT(F32, float)
FLOAT(F64, double)
COMPLEX(C64, kn_c64)
COMPLEX(C128, kn_c128)

#define SET(size, type)                                                                                    \
    static void set_##size(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)      \
    {                                                                                                      \
        copy_line(size, to, to_step, from, from_step, n);                                                  \
    }                                                                                                      \
    static void set_##size##_at(void *table, const int64_t *at, const void *from, int64_t step, int64_t n) \
    {                                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                    \
            ((type *)table)[at[i]] = ((const type *)from)[i * step];                                       \
    }
SET(1, uint8_t)
SET(2, uint16_t)
SET(4, uint32_t)
SET(8, uint64_t)
SET(16, pair)

/* clang-format off */
#define BOTH(name) {name, name##_at}
#define ROW(op) \
    {[KN_ID_BOOL] = BOTH(op##_BOOL), [KN_ID_I8] = BOTH(op##_I8), [KN_ID_I16] = BOTH(op##_I16), \
     [KN_ID_I32] = BOTH(op##_I32), [KN_ID_I64] = BOTH(op##_I64), [KN_ID_U8] = BOTH(op##_U8), \
     [KN_ID_U16] = BOTH(op##_U16), [KN_ID_U32] = BOTH(op##_U32), [KN_ID_U64] = BOTH(op##_U64), \
     [KN_ID_F16] = BOTH(op##_F16), [KN_ID_BF16] = BOTH(op##_BF16), [KN_ID_F32] = BOTH(op##_F32), \
     [KN_ID_F64] = BOTH(op##_F64), [KN_ID_C64] = BOTH(op##_C64), [KN_ID_C128] = BOTH(op##_C128)}
/* clang-format on */
static const combine combines[][KN_ID_COUNT] = {
    [KNR_ADD] = ROW(add), [KNR_MUL] = ROW(mul), [KNR_MIN] = ROW(min), [KNR_MAX] = ROW(max)};

static const combine *combine_of(knr_combine how, kn_dtype d)
{
    static const combine set[] = {BOTH(set_1), BOTH(set_2), BOTH(set_4), BOTH(set_8), BOTH(set_16)};
    return how != KNR_SET ? &combines[how][d->id] : &set[__builtin_ctz((unsigned)d->size)];
}

static void combine_window(combine_line *line, const nest *s, int64_t size, char *table, int64_t to, const char *dense,
                           int64_t from)
{
    int64_t at[KN_MAX_NDIM + 1];
    int last = s->n - 1;
    if (s->n > 1)
        memset(at, 0, (size_t)s->n * sizeof *at);
    do {
        line(table + to * size, s->table[last], dense + from * size, s->dense[last], s->extent[last]);
    } while (next_line(s, at, &from, &to));
}

/* One dimension of the dense array, slowest first: of the points or of the windows. */
typedef struct dense_dim {
    int64_t extent, dense, table, index;
} dense_dim;

/* Windows that cross, with dimensions of points behind theirs: element by element, whatever it takes, in the order
 * promised. */
static void combine_in_dense_order(const knr_windows *w, combine_line *line, char *table, const void *indices,
                                   const char *dense)
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
            line(table + (to + start) * size, 1, dense + from * size, 1, 1);
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

static void combine_single(const knr_windows *w, const combine *c, void *table, const void *indices, const char *dense,
                           int64_t points)
{
    int64_t at[BLOCK], step = w->n_point ? w->point_dense[w->n_point - 1] : 1;
    for (int64_t p = 0; p < points;) {
        int64_t n = points - p < BLOCK ? points - p : BLOCK, fit = places(w, indices, p, n, at);
        c->elements(table, at, dense + p * step * w->dtype->size, step, fit);
        p += fit + (fit < n);
    }
}

knx_error *knr_scatter(const knr_windows *w, knr_combine how, void *table, const void *indices, const void *dense)
{
    nest s;
    const combine *c = combine_of(how, w->dtype);
    int64_t points = count(w->n_point, w->point), at[KN_MAX_NDIM] = {0}, to = 0, from = 0, start = 0;
    if (w->mode == KNR_OUT_ERROR)
        KN_TRY(knr_check_bounds(w, indices));
    if (!points || !count(w->n_window, w->window))
        return NULL;
    if (w->may_cross && !w->windows_last) {
        combine_in_dense_order(w, c->line, table, indices, dense);
        return NULL;
    }
    make_nest(w, &s);
    if (is_single(w, &s)) {
        combine_single(w, c, table, indices, dense, points);
        return NULL;
    }
    for (int64_t p = 0; p < points; p++) {
        if (start_of(w, indices, p * w->n_index, &start))
            combine_window(c->line, &s, w->dtype->size, table, to + start, dense, from);
        next_point(w, at, &from, &to);
    }
    return NULL;
}
