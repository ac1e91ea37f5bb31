/* SPDX-License-Identifier: Apache-2.0
 * windows.c -- starts of windows and whether they are in bounds, windows as nests of loops, gather. */
#include "host/routine/windows_walk.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 64 };

/* --- starts ----------------------------------------------------------------------------------- */

/* Number i of the indices as it is given; what no int64 holds is as far out of bounds as can be. */
static int64_t given_index(kn_dtype d, const void *indices, int64_t i)
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

/* The same as a position along dimension `which` of the start. */
static int64_t read_index(const knr_windows *w, const void *indices, int64_t i, int which)
{
    int64_t v = given_index(w->index_dtype, indices, i);
    return v < 0 && w->wraps ? v + w->index_size[which] : v;
}

bool knr_window_start(const knr_windows *w, const void *indices, int64_t at, int64_t *start)
{
    int64_t sum = 0;
    for (int i = 0; i < w->n_index; i++) {
        int64_t v = read_index(w, indices, at + i, i);
        if (v < 0 || v > w->index_most[i]) {
            if (w->mode != KNR_OUT_CLIP || w->index_most[i] < 0) /* an empty table has no nearest element */
                return false;
            v = v < 0 ? 0 : w->index_most[i];
        }
        sum += v * w->index_table[i];
    }
    *start = sum;
    return true;
}

int64_t knr_elements(int n, const int64_t *extent)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        size *= extent[i];
    return size;
}

bool knr_places(kn_dtype d, const void *indices, int64_t step, int64_t n, int64_t extent, int64_t stride, int64_t *at)
{
    int64_t back = d->kind == KN_KIND_INT ? extent : 0;
    bool inside = extent > 0 || !n;
    if (inside && step == 1 && (d->id == KN_ID_I64 || d->id == KN_ID_I32)) {
        const knr_plain_starts s = {.indices = indices,
                                    .wide = d->id == KN_ID_I64,
                                    .back = back,
                                    .most = (uint64_t)extent - 1,
                                    .stride = (uint64_t)stride};
        return KNR_BY_ISA(knr_scatter_loops).places(&s, n, true, at);
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t v = given_index(d, indices, k * step);
        v += v < 0 ? back : 0;
        inside = inside && v >= 0 && v < extent;
        at[k] += inside ? v * stride : 0;
    }
    return inside;
}

bool knr_is_plain(const knr_windows *w)
{
    return w->n_index == 1 && w->index_most[0] >= 0 &&
           (w->index_dtype->id == KN_ID_I64 || w->index_dtype->id == KN_ID_I32);
}

knr_plain_starts knr_plain(const knr_windows *w, const void *indices, int64_t p)
{
    return (knr_plain_starts){.indices = (const char *)indices + p * w->index_dtype->size,
                              .wide = w->index_dtype->size == 8,
                              .back = w->wraps ? w->index_size[0] : 0,
                              .most = (uint64_t)w->index_most[0],
                              .stride = (uint64_t)w->index_table[0]};
}

typedef struct checking {
    const knr_windows *w;
    const void *indices;
    int64_t points, step; /* so many points a part */
    int which;
    atomic_bool outside;
} checking;

#define OUTSIDE(type)                                                   \
    for (int64_t p = first; p < end; p++) {                             \
        int64_t v = ((const type *)c->indices)[p * w->n_index + which]; \
        outside |= (uint64_t)(v + (v < 0 ? back : 0)) > most;           \
    }                                                                   \
    break;

/* Does any number `which` of a start lie out of bounds? */
static void check_part(void *arg, int64_t part, int worker)
{
    checking *c = arg;
    const knr_windows *w = c->w;
    int which = c->which;
    int64_t first = part * c->step, end = c->points - first < c->step ? c->points : first + c->step;
    int64_t back = w->wraps ? w->index_size[which] : 0;
    uint64_t most = (uint64_t)w->index_most[which];
    bool outside = false;
    (void)worker;
    for (int64_t n; knr_is_plain(w) && first < end && !outside; first += n) {
        int64_t at[4 * BLOCK];
        n = end - first < 4 * BLOCK ? end - first : 4 * BLOCK;
        const knr_plain_starts s = knr_plain(w, c->indices, first);
        outside = !KNR_BY_ISA(knr_scatter_loops).places(&s, n, false, at);
    }
    switch ((knx_dtype_id)w->index_dtype->id) {
    case KN_ID_I8: OUTSIDE(int8_t)
    case KN_ID_U8: OUTSIDE(uint8_t)
    case KN_ID_I16: OUTSIDE(int16_t)
    case KN_ID_U16: OUTSIDE(uint16_t)
    case KN_ID_I32: OUTSIDE(int32_t)
    case KN_ID_U32: OUTSIDE(uint32_t)
    case KN_ID_I64: OUTSIDE(int64_t)
    default:
        for (int64_t p = first; p < end; p++)
            outside |= (uint64_t)read_index(w, c->indices, p * w->n_index + which, which) > most;
    }
    if (outside)
        atomic_store_explicit(&c->outside, true, memory_order_relaxed);
}

static bool any_outside(const knr_windows *w, const void *indices, int64_t points, int which, int threads)
{
    enum { PART = 1 << 16 };
    checking c = {w, indices, points, threads > 1 ? PART : points, which, false};
    if (w->index_most[which] < 0 || !points)
        return points > 0;
    if (w->index_dtype->kind == KN_KIND_UINT && w->index_dtype->size < 4 &&
        (w->index_most[which] + 1) >> (8 * w->index_dtype->size)) /* no number is larger than that */
        return false;
    knx_parallel(threads, (points - 1) / c.step + 1, check_part, &c);
    return c.outside;
}

bool knr_are_inside(kn_dtype d, const void *indices, int64_t n, int64_t extent, bool wraps, int threads)
{
    knr_windows w;
    w.index_dtype = d;
    w.n_index = 1;
    w.wraps = wraps;
    w.index_most[0] = extent - 1;
    w.index_size[0] = extent;
    w.index_table[0] = 1;
    return !any_outside(&w, indices, n, 0, threads);
}

/* Of a number that is out of bounds, as the user gave it: a negative one may have had the extent added already. */
static int64_t as_given(const knr_windows *w, int64_t v, int64_t size)
{
    return !w->wraps && v < 0 && v >= INT64_MIN + size ? v - size : v;
}

/* NumPy's error for the first number out of bounds, axis by axis. */
knx_error *knr_check_bounds(const knr_windows *w, const void *indices, int threads)
{
    int64_t points = knr_elements(w->n_point, w->point);
    for (int i = 0; i < w->n_index; i++) {
        if (!any_outside(w, indices, points, i, threads))
            continue;
        for (int64_t p = 0; p < points; p++) {
            int64_t v = read_index(w, indices, p * w->n_index + i, i);
            if (v >= 0 && v <= w->index_most[i])
                continue;
            v = as_given(w, given_index(w->index_dtype, indices, p * w->n_index + i), w->index_size[i]);
            return knx_error_new(KN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                                 (long long)v, (long long)w->index_axis[i], (long long)w->index_size[i]);
        }
    }
    return NULL;
}

/* --- a nest of loops over two arrays ---------------------------------------------------------- */

void knr_make_nest(const knr_windows *w, knr_nest *r)
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

bool knr_next_line(const knr_nest *s, int64_t *at, int64_t *dense, int64_t *table)
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

void knr_next_point(const knr_windows *w, int64_t *at, int64_t *dense, int64_t *table)
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

void knr_to_point(const knr_windows *w, int64_t point, int64_t *at, int64_t *dense, int64_t *table)
{
    *dense = *table = 0;
    for (int i = w->n_point - 1; i >= 0; point /= w->point[i--]) {
        at[i] = point % w->point[i];
        *dense += at[i] * w->point_dense[i];
        *table += at[i] * w->point_table[i];
    }
}

int64_t knr_point_step(const knr_windows *w)
{
    int64_t first = w->n_point ? w->point_dense[w->n_point - 1] : 1, step = first;
    for (int i = w->n_point - 1; i >= 0; step *= w->point[i--])
        if (w->point[i] != 1 && w->point_dense[i] != step)
            return 0;
    return first;
}

/* --- gather ----------------------------------------------------------------------------------- */

#define COPY(type)                                                       \
    for (int64_t i = 0; i < n; i++)                                      \
        ((type *)to)[i * to_step] = ((const type *)from)[i * from_step]; \
    break;

void knr_copy_line(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)
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
    default: COPY(knr_wide)
    }
}

static void gather_window(const knr_windows *w, const knr_nest *s, const char *table, int64_t from, char *dense,
                          int64_t to, bool inside)
{
    int64_t at[KN_MAX_NDIM + 1], size = w->dtype->size;
    int last = s->n - 1;
    if (s->n > 1)
        memset(at, 0, (size_t)s->n * sizeof *at);
    do {
        knr_copy_line((int)size, dense + to * size, s->dense[last],
                      inside ? table + from * size : (const char *)&w->fill, inside ? s->table[last] : 0,
                      s->extent[last]);
    } while (knr_next_line(s, at, &to, &from));
}

/* Are the windows lines, each a step behind the one before in the dense array, and do starts alone say where they
 * are? */
static bool is_line(const knr_windows *w, const knr_nest *s)
{
    bool line = s->n == 1 && knr_point_step(w);
    for (int i = 0; line && i < w->n_point; i++)
        line = !w->point_table[i];
    return line;
}

/* Are the windows single elements, for which the dense array has one after the other? */
static bool is_single(const knr_windows *w, const knr_nest *s) { return s->extent[0] == 1 && is_line(w, s); }

/* Numbers i of starts, as far as they are in bounds, added to places of the table. */
#define PLACES(type)                                                         \
    for (int64_t k = 0; k < n; k++) {                                        \
        int64_t v = ((const type *)indices)[(p + k) * w->n_index + i];       \
        v += v < 0 ? back : 0;                                               \
        outside |= (uint64_t)v > most;                                       \
        at[k] = (int64_t)((uint64_t)(i ? at[k] : 0) + (uint64_t)v * stride); \
    }                                                                        \
    break

/* The places of points p .. p + n - 1, up to one that is to be skipped; returns how many. */
static int64_t places(const knr_windows *w, const void *indices, int64_t p, int64_t n, int64_t *at)
{
    if (knr_is_plain(w)) {
        const knr_plain_starts s = knr_plain(w, indices, p);
        if (KNR_BY_ISA(knr_scatter_loops).places(&s, n, false, at))
            return n;
    }
    bool outside = w->n_index <= 1;
    for (int i = 0; i < w->n_index && !outside; i++) {
        int64_t back = w->wraps ? w->index_size[i] : 0;
        uint64_t most = (uint64_t)w->index_most[i], stride = (uint64_t)w->index_table[i];
        outside = w->index_most[i] < 0;
        switch ((knx_dtype_id)w->index_dtype->id) {
        case KN_ID_I64: PLACES(int64_t);
        case KN_ID_I32: PLACES(int32_t);
        default: outside = true;
        }
    }
    int64_t k = outside ? 0 : n;
    while (k < n && knr_window_start(w, indices, (p + k) * w->n_index, &at[k]))
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
    default: ELEMENTS(knr_wide)
    }
}

typedef struct gathering {
    const knr_windows *w;
    const knr_nest *s;
    const char *table;
    const void *indices;
    char *dense;
    bool single, line;
    int64_t points, step; /* so many points a part */
    atomic_bool outside;
} gathering;

/* Points first .. end - 1 of windows that are single elements; false: some lie outside. */
static bool gather_single(const gathering *g, int64_t first, int64_t end)
{
    const knr_windows *w = g->w;
    int64_t at[BLOCK], step = w->n_point ? w->point_dense[w->n_point - 1] : 1, size = w->dtype->size;
    bool inside = true;
    for (int64_t p = first; p < end;) {
        int64_t n = end - p < BLOCK ? end - p : BLOCK, fit = places(w, g->indices, p, n, at);
        gather_elements((int)size, g->table, at, g->dense + p * step * size, step, fit);
        p += fit;
        inside = inside && fit == n;
        if (fit < n)
            memcpy(g->dense + p++ * step * size, &w->fill, (size_t)size);
    }
    return inside;
}

/* The same of windows that are lines. Where neighbours of the points lie side by side, one element of all of them comes
 * after the other. */
static bool gather_lines(const gathering *g, int64_t first, int64_t end)
{
    const knr_windows *w = g->w;
    const knr_nest *s = g->s;
    int64_t at[BLOCK], size = w->dtype->size, points = knr_point_step(w), step = points * size;
    bool inside = true, rows = s->dense[0] == 1 && s->table[0] == 1;
    for (int64_t p = first; p < end;) {
        int64_t n = end - p < BLOCK ? end - p : BLOCK, fit = places(w, g->indices, p, n, at);
        char *to = g->dense + p * step;
        for (int64_t i = 0; i < s->extent[0] && points == 1; i++)
            gather_elements((int)size, g->table + i * s->table[0] * size, at, to + i * s->dense[0] * size, 1, fit);
        for (int64_t k = 0; k < fit && points != 1; k++)
            if (rows)
                knr_copy_row(to + k * step, g->table + at[k] * size, (size_t)(s->extent[0] * size));
            else
                knr_copy_line((int)size, to + k * step, s->dense[0], g->table + at[k] * size, s->table[0],
                              s->extent[0]);
        p += fit;
        inside = inside && fit == n;
        if (fit < n)
            knr_copy_line((int)size, g->dense + p++ * step, s->dense[0], &w->fill, 0, s->extent[0]);
    }
    return inside;
}

static bool gather_windows(const gathering *g, int64_t first, int64_t end)
{
    const knr_windows *w = g->w;
    int64_t at[KN_MAX_NDIM], to, from, start = 0;
    bool all = true;
    knr_to_point(w, first, at, &to, &from);
    for (int64_t p = first; p < end; p++) {
        bool inside = knr_window_start(w, g->indices, p * w->n_index, &start);
        gather_window(w, g->s, g->table, from + start, g->dense, to, inside);
        knr_next_point(w, at, &to, &from);
        all = all && inside;
    }
    return all;
}

static void gather_part(void *arg, int64_t part, int worker)
{
    gathering *g = arg;
    int64_t first = part * g->step, end = first + g->step < g->points ? first + g->step : g->points;
    (void)worker;
    if (!(g->single ? gather_single : g->line ? gather_lines : gather_windows)(g, first, end))
        atomic_store_explicit(&g->outside, true, memory_order_relaxed);
}

knx_error *knr_gather(const knr_windows *w, const void *table, const void *indices, void *dense, int threads)
{
    enum { PART = 1 << 15 }; /* elements of a part, about */
    knr_nest s;
    int64_t window = knr_elements(w->n_window, w->window);
    knr_make_nest(w, &s);
    gathering g = {w, &s,   table, indices, dense, is_single(w, &s), is_line(w, &s), knr_elements(w->n_point, w->point),
                   1, false};
    if (g.points && window) {
        g.step = threads <= 1 ? g.points : window < PART ? PART / window : 1;
        knx_parallel(threads, (g.points - 1) / g.step + 1, gather_part, &g);
    }
    bool outside = g.outside || !window;
    return w->mode == KNR_OUT_ERROR && outside ? knr_check_bounds(w, indices, threads) : NULL;
}
