/* SPDX-License-Identifier: Apache-2.0
 * scatter.c -- the scatters. The starts of a chunk of points are found first, out of bounds or not, and then the
 * windows are combined; so a loop that goes wherever it is told does nothing else.
 *
 * On threads, elements have owners: a hash of the start of a window says which one. While the starts of one round of
 * chunks are found, by one thread each, and given to their owners, the owners combine those of the round before, chunk
 * after chunk. So the updates of an element come in their order, whoever is an owner, and each number is read once.
 * Long windows are cut across instead: every thread has some of their columns. */
#include "host/routine/windows_walk.h"
#include "base/half.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/scatter_loops.h"
#include <stdatomic.h>
#include <string.h>

/* --- what an update does to an element ---------------------------------------------------------- */

/* n elements of the table, x, wherever they are, become what the updates y make of them. */
typedef void combine(void *table, const knr_start *s, const void *from, int64_t step, int64_t n);

#define ELEMENTS(name, type, result)                                                                          \
    static void name(void *table, const knr_start *s, const void *from, int64_t step, int64_t n)              \
    {                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            type *t = (type *)table + knr_at(s[i]), x = *t, y = ((const type *)from)[knr_point(s[i]) * step]; \
            *t = (result);                                                                                    \
        }                                                                                                     \
    }
#define LINES(id, type, sum, product, smaller, larger) \
    ELEMENTS(add_##id, type, sum)                      \
    ELEMENTS(mul_##id, type, product) ELEMENTS(min_##id, type, smaller) ELEMENTS(max_##id, type, larger)

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

#define SET(size, type) ELEMENTS(set_##size, type, ((void)x, y))
SET(1, uint8_t)
SET(2, uint16_t)
SET(4, uint32_t)
SET(8, uint64_t)
SET(16, knr_wide)

/* clang-format off */
#define ROW(op) \
    {[KN_ID_BOOL] = op##_BOOL, [KN_ID_I8] = op##_I8, [KN_ID_I16] = op##_I16, \
     [KN_ID_I32] = op##_I32, [KN_ID_I64] = op##_I64, [KN_ID_U8] = op##_U8, \
     [KN_ID_U16] = op##_U16, [KN_ID_U32] = op##_U32, [KN_ID_U64] = op##_U64, \
     [KN_ID_F16] = op##_F16, [KN_ID_BF16] = op##_BF16, [KN_ID_F32] = op##_F32, \
     [KN_ID_F64] = op##_F64, [KN_ID_C64] = op##_C64, [KN_ID_C128] = op##_C128}
/* clang-format on */
static combine *const combines[][KN_ID_COUNT] = {
    [KNR_ADD] = ROW(add), [KNR_MUL] = ROW(mul), [KNR_MIN] = ROW(min), [KNR_MAX] = ROW(max)};

static combine *combine_of(knr_combine how, kn_dtype d)
{
    static combine *const set[] = {set_1, set_2, set_4, set_8, set_16};
    return how != KNR_SET ? combines[how][d->id] : set[__builtin_ctz((unsigned)d->size)];
}

/* --- windows that cross -------------------------------------------------------------------------- */

/* One dimension of the dense array, slowest first: of the points or of the windows. */
typedef struct dense_dim {
    int64_t extent, dense, table, index;
} dense_dim;

/* Windows that cross, with dimensions of points behind theirs: element by element, whatever it takes, in the order
 * promised. */
static void combine_in_dense_order(const knr_windows *w, combine *c, char *table, const void *indices,
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
    for (int64_t from = 0, to = 0, index = 0, begins;;) {
        if (knr_window_start(w, indices, index, &begins))
            c(table + (to + begins) * size, &(knr_start){0}, dense + from * size, 1, 1);
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

/* --- by chunks ---------------------------------------------------------------------------------- */

enum {
    FEW = 512,       /* points of a chunk for one thread, whose starts are in the first cache */
    CHUNK = 1 << 14, /* and for several, that share a second one */
    MOST_OWNERS = 8, /* a power of two */
    COLUMNS = 1024,  /* bytes of a long window that are worth a thread */
    RUN = 64,
    FEWEST_ROUNDS = 4, /* else threads wait for the first and the last one */
    ROUNDS = 2,        /* that are in memory at a time: one is read, one is written */
};

typedef struct scattering {
    const knr_windows *w;
    combine *c;
    const knr_scatter_loops *loops;
    const void *indices;
    char *table;
    const char *dense;
    int64_t points, step; /* of points in the dense array */
    int64_t run_length;
    bool sets;
    int adds;           /* bytes of real numbers that are added up as they are; 0: something else is done */
    bool single, plain; /* windows are single elements; a start is one number, and nothing else */
    int owner_bits, pieces, finders; /* 2^owner_bits owners of windows, or so many pieces of each */
    int line_bits;                   /* single: elements of a line of the cache are one owner's */
    int64_t chunk, round;
    atomic_bool outside; /* some starts were out of bounds */
    knr_start *list;     /* per round, chunk and owner: CHUNK of them, and slack */
    int64_t (*count)[MOST_OWNERS];
    knr_nest nest;
    knr_start run[RUN]; /* neighbours of a line of a window, so many */
} scattering;

static knr_start *list_of(const scattering *s, int64_t slot, int owner)
{
    return s->list + ((slot << s->owner_bits) + owner) * (s->chunk + KNR_START_SLACK);
}

static void find_plain(const scattering *s, int64_t slot, int64_t first, int64_t n)
{
    knr_plain_starts x = knr_plain(s->w, s->indices, first);
    x.line_bits = s->line_bits;
    s->loops->find(&x, n, list_of(s, slot, 0), s->owner_bits ? list_of(s, slot, 1) : NULL, s->count[slot]);
}

/* The starts of points first .. first + n - 1, into the lists of slot `slot`. */
static void find_starts(scattering *s, int64_t slot, int64_t first, int64_t n)
{
    int64_t *counts = s->count[slot], at[KN_MAX_NDIM], to, from, begins = 0;
    memset(counts, 0, sizeof *s->count);
    if (s->plain && s->owner_bits <= 1)
        find_plain(s, slot, first, n);
    else
        knr_to_point(s->w, first, at, &from, &to);
    for (int64_t k = 0; k < n && !(s->plain && s->owner_bits <= 1); k++) {
        if (knr_window_start(s->w, s->indices, (first + k) * s->w->n_index, &begins)) {
            const knr_start x = knr_start_of((uint64_t)(to + begins), (uint64_t)k);
            uint32_t owner = knr_owner(knr_at(x), s->line_bits, s->owner_bits);
            list_of(s, slot, (int)owner)[counts[owner]++] = x;
        }
        knr_next_point(s->w, at, &from, &to);
    }
    for (int o = 0; o < MOST_OWNERS; o++)
        n -= counts[o];
    if (n)
        atomic_store_explicit(&s->outside, true, memory_order_relaxed);
}

/* A line of contiguous floats is added by the loops of the instruction set. */
static void combine_row(const scattering *s, int64_t to, int64_t from, const knr_nest *nest)
{
    int last = nest->n - 1;
    int64_t n = nest->extent[last], size = s->w->dtype->size;
    char *t = s->table + to * size;
    const char *x = s->dense + from * size;
    bool runs = s->adds && nest->table[last] == 1 && nest->dense[last] == 1;
    if (runs && s->adds == 4)
        s->loops->add_4((float *)t, (const float *)x, n * size / 4);
    else if (runs)
        s->loops->add_8((double *)t, (const double *)x, n * size / 8);
    else if (s->sets && nest->table[last] == 1 && nest->dense[last] == 1)
        knr_copy_row(t, x, (size_t)(n * size));
    else if (s->sets)
        knr_copy_line((int)size, t, nest->table[last], x, nest->dense[last], n);
    else
        for (int64_t done = 0; done < n; done += s->run_length)
            s->c(t + done * nest->table[last] * size, s->run, x + done * nest->dense[last] * size, nest->dense[last],
                 n - done < s->run_length ? n - done : s->run_length);
}

static void combine_window(const scattering *s, const knr_nest *nest, int64_t to, int64_t from)
{
    int64_t at[KN_MAX_NDIM + 1];
    if (nest->n > 1)
        memset(at, 0, (size_t)nest->n * sizeof *at);
    do {
        combine_row(s, to, from, nest);
    } while (knr_next_line(nest, at, &from, &to));
}

/* The windows of one owner, or a piece of all of them, that a chunk has found. */
static void combine_found(const scattering *s, int64_t slot, int64_t first, int owner, int piece)
{
    const knr_start *x = list_of(s, slot, owner);
    int64_t n = s->count[slot][owner];
    if (s->single) {
        s->c(s->table, x, s->dense + first * s->step * s->w->dtype->size, s->step, n);
        return;
    }
    knr_nest nest = s->nest;
    int last = nest.n - 1;
    int64_t from = nest.extent[last] * piece / s->pieces, to = nest.extent[last] * (piece + 1) / s->pieces;
    nest.extent[last] = to - from;
    bool rows = s->sets && nest.n == 1 && nest.table[0] == 1 && nest.dense[0] == 1;
    int64_t size = s->w->dtype->size;
    for (int64_t k = 0; k < n && rows; k++)
        knr_copy_row(s->table + ((int64_t)knr_at(x[k]) + from) * size,
                     s->dense + ((first + knr_point(x[k])) * s->step + from) * size, (size_t)((to - from) * size));
    for (int64_t k = 0; k < n && !rows; k++)
        combine_window(s, &nest, knr_at(x[k]) + from * nest.table[last],
                       (first + knr_point(x[k])) * s->step + from * nest.dense[last]);
}

static int64_t points_of(const scattering *s, int64_t chunk)
{
    int64_t rest = s->points - chunk * s->chunk;
    return rest < 0 ? 0 : rest < s->chunk ? rest : s->chunk;
}

/* First the owners of the round before, then the chunks of this one. */
static void take_part(void *arg, int64_t part, int worker)
{
    scattering *s = arg;
    int owner = (int)part / s->pieces, owners = 1 << s->owner_bits;
    (void)worker;
    if (owner < owners) {
        for (int k = 0; k < s->finders && s->round; k++) {
            int64_t chunk = (s->round - 1) * s->finders + k, slot = chunk % (ROUNDS * s->finders);
            if (points_of(s, chunk))
                combine_found(s, slot, chunk * s->chunk, owner, (int)part % s->pieces);
        }
        return;
    }
    int64_t chunk = s->round * s->finders + part - (int64_t)owners * s->pieces, n = points_of(s, chunk);
    if (n)
        find_starts(s, chunk % (ROUNDS * s->finders), chunk * s->chunk, n);
}

static void by_one(scattering *s)
{
    knr_start list[FEW + KNR_START_SLACK];
    int64_t count[1][MOST_OWNERS];
    s->list = list;
    s->count = count;
    s->chunk = FEW;
    for (int64_t first = 0; first < s->points; first += FEW) {
        find_starts(s, 0, first, s->points - first < FEW ? s->points - first : FEW);
        combine_found(s, 0, first, 0, 0);
    }
    s->list = NULL;
    s->count = NULL;
}

size_t knr_scatter_workspace(int threads)
{
    int finders = threads < MOST_OWNERS ? threads : MOST_OWNERS, owners = 1;
    while (owners < finders)
        owners *= 2;
    return threads <= 1
               ? 0
               : ROUNDS * (size_t)finders *
                     (sizeof(int64_t[MOST_OWNERS]) + (size_t)owners * (CHUNK + KNR_START_SLACK) * sizeof(knr_start));
}

static void by_threads(scattering *s, void *workspace, int threads)
{
    int64_t last = s->nest.extent[s->nest.n - 1];
    bool across = !s->single && last * s->w->dtype->size >= (int64_t)COLUMNS * threads;
    s->finders = threads < MOST_OWNERS ? threads : MOST_OWNERS;
    s->pieces = across ? s->finders : 1;
    while (!across && 1 << s->owner_bits < s->finders)
        s->owner_bits++;
    s->count = workspace;
    s->list = (knr_start *)(s->count + ROUNDS * s->finders);
    s->chunk = s->points / (FEWEST_ROUNDS * s->finders);
    s->chunk = s->chunk < FEW ? FEW : s->chunk > CHUNK ? CHUNK : s->chunk;
    int64_t rounds = (s->points - 1) / (s->chunk * s->finders) + 1;
    int parts = (s->pieces << s->owner_bits) + s->finders;
    for (s->round = 0; s->round <= rounds; s->round++)
        knx_parallel(threads, parts, take_part, s);
}

/* Windows of different points share all of their elements or none. */
static bool are_whole(const knr_windows *w)
{
    for (int i = 0; i < w->n_window; i++)
        for (int k = 0; k < w->n_index; k++)
            if (w->window[i] > 1 && w->window_table[i] == w->index_table[k])
                return false;
    return true;
}

/* How many elements the table has from the first to the last one that can be written. */
static int64_t table_span(const knr_windows *w)
{
    int64_t span = 1;
    for (int i = 0; i < w->n_point; i++)
        span += (w->point[i] - 1) * w->point_table[i];
    for (int i = 0; i < w->n_index; i++)
        span += w->index_most[i] < 0 ? 0 : w->index_most[i] * w->index_table[i];
    return span;
}

/* One point after the other. */
static void one_by_one(scattering *s)
{
    int64_t at[KN_MAX_NDIM] = {0}, to = 0, from = 0, begins = 0;
    for (int64_t p = 0; p < s->points; p++) {
        if (knr_window_start(s->w, s->indices, p * s->w->n_index, &begins))
            combine_window(s, &s->nest, to + begins, from);
        else
            s->outside = true;
        knr_next_point(s->w, at, &from, &to);
    }
}

knx_error *knr_scatter(const knr_windows *w, knr_combine how, void *table, const void *indices, const void *dense,
                       void *workspace, int threads)
{
    scattering s;
    s.owner_bits = s.line_bits = s.finders = 0;
    s.round = 0;
    s.outside = false;
    s.w = w;
    s.c = combine_of(how, w->dtype);
    s.loops = &KNR_BY_ISA(knr_scatter_loops);
    s.indices = indices;
    s.table = table;
    s.dense = dense;
    s.pieces = 1;
    s.points = knr_elements(w->n_point, w->point);
    if (!s.points || !knr_elements(w->n_window, w->window) || (w->may_cross && !w->windows_last)) {
        if (w->mode == KNR_OUT_ERROR)
            KN_TRY(knr_check_bounds(w, indices, threads));
        if (s.points && knr_elements(w->n_window, w->window))
            combine_in_dense_order(w, s.c, table, indices, dense);
        return NULL;
    }
    knr_make_nest(w, &s.nest);
    s.adds = how == KNR_ADD && knx_is_inexact(w->dtype) ? w->dtype->size / (knx_is_complex(w->dtype) ? 2 : 1) : 0;
    s.adds = s.adds == 2 ? 0 : s.adds;
    int64_t step = s.nest.table[s.nest.n - 1];
    s.step = knr_point_step(w);
    s.single = s.nest.n == 1 && s.nest.extent[0] == 1;
    s.sets = how == KNR_SET;
    s.run_length = step >= 0 && step < UINT32_MAX / RUN ? RUN : 1;
    for (int64_t k = 0; k < s.run_length && !s.single; k++)
        s.run[k] = knr_start_of((uint64_t)(k * step), (uint64_t)k);
    s.line_bits = s.single ? 6 - __builtin_ctz((unsigned)w->dtype->size) : 0;
    s.plain = knr_is_plain(w) && w->mode != KNR_OUT_CLIP && w->index_table[0] <= UINT32_MAX;
    for (int i = 0; i < w->n_point; i++)
        s.plain = s.plain && !w->point_table[i];
    if (!s.step || table_span(w) > (int64_t)UINT32_MAX)
        one_by_one(&s);
    else if (threads > 1 && workspace && are_whole(w) && s.points > FEW)
        by_threads(&s, workspace, threads);
    else
        by_one(&s);
    return s.outside && w->mode == KNR_OUT_ERROR ? knr_check_bounds(w, indices, threads) : NULL;
}
