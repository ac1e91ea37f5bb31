/* SPDX-License-Identifier: Apache-2.0
 * stage_driver.c -- the driver of stage_driver.h. Values that cross stages, and the accumulators of a reduction, lie in arrays over
 * all parallel points. */
#include "support/stage_driver.h"
#include "base/memory.h"
#include "kernel/internal.h"
#include <string.h>

enum { LOOPS = KNK_MAX_LOOPS, RANKS = 40 };

typedef struct driver {
    const knk_kernel *k;
    const knk_launch *l;
    const stages_style *style;
    knh_function *(*get)(void *env, const knh_request *r);
    void *env;
    int64_t points, par_step[LOOPS]; /* points: of the parallel loops; what a step of each is in flat numbers */
    char **value;                    /* per node: elements of all points */
    knh_stream stream[KNH_MAX_STREAMS];
    uint8_t cls[KNH_MAX_STREAMS];
    int n_stream, stage, n_loops, lane, row; /* loops: the parallel ones, then the inner ones; -1: none */
    knh_mode mode;
    int64_t extent[LOOPS], index[LOOPS];
    char *partial[KNH_MAX_STREAMS]; /* 64 accumulators, each `width` elements, then the stack of ranks */
    int64_t width;
    knh_args *args;
} driver;

static bool has_reductions(const driver *d)
{
    for (int i = d->k->stage[d->stage].first; i < d->k->stage[d->stage].end; i++)
        if (d->k->node[i].op == KNK_REDUCE)
            return true;
    return false;
}

/* In elements, along a loop; values of points have none along inner loops. */
static int64_t stride(const driver *d, const knh_stream *s, int loop)
{
    if (loop < 0)
        return 0;
    if (s->kind == KNH_MEMORY || s->kind == KNH_NUMBER)
        return d->l->map[s->map].stride[loop];
    if (s->kind == KNH_PARTIAL)
        return loop == d->lane ? 1 : 0;
    return loop < d->k->n_par ? d->par_step[loop] : 0;
}

static uint8_t class_of(const driver *d, const knh_stream *s)
{
    int64_t by = stride(d, s, d->lane);
    if (s->kind == KNH_PARTIAL)
        return KNK_STRIDE_ONE;
    if (by == 0)
        return KNK_STRIDE_ZERO;
    return by == 1 && !d->style->any ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
}

/* The words of all streams for the loops' indices. */
static void aim(driver *d)
{
    for (int i = 0; i < d->n_stream; i++) {
        const knh_stream *s = &d->stream[i];
        bool memory = s->kind == KNH_MEMORY, number = s->kind == KNH_NUMBER;
        int64_t size = number ? 1 : knk_size(s->dtype), at = memory || number ? d->l->map[s->map].offset : 0;
        for (int j = 0; j < d->n_loops && s->kind != KNH_PARTIAL; j++)
            at += stride(d, s, j) * d->index[j];
        const char *base = memory                   ? (const char *)d->l->buffer[s->buffer]
                           : number                 ? NULL
                           : s->kind == KNH_PARTIAL ? d->partial[i]
                                                    : d->value[s->node];
        d->args->stream[i] = (knh_words){.at = number ? at : (int64_t)(intptr_t)base + at * size,
                                         .row_step = stride(d, s, d->row) * size,
                                         .lane_step = stride(d, s, d->lane) * size};
    }
}

/* The words of a stage's loops. */
static void set_loops(driver *d)
{
    const knk_stage *st = &d->k->stage[d->stage];
    int64_t *word = &d->args->stream[0].at;
    for (int l = 0; l < st->n_loop; l++) {
        word[knh_loop_word(d->n_stream, st->n_loop, -1, l)] = d->l->inner[d->stage][st->n_inner + l];
        for (int i = 0; i < d->n_stream; i++) {
            const knh_stream *s = &d->stream[i];
            bool number = s->kind == KNH_NUMBER;
            word[knh_loop_word(d->n_stream, st->n_loop, i, l)] =
                number || s->kind == KNH_MEMORY
                    ? d->l->map[s->map].stride[d->k->n_par + l] * (number ? 1 : knk_size(s->dtype))
                    : 0;
        }
    }
}

/* The next point of all loops but those of the function; false at the end. */
static bool next(driver *d, int first, int end)
{
    for (int j = end - 1; j >= first; j--) {
        if (j == d->lane || j == d->row)
            continue;
        if (++d->index[j] < d->extent[j])
            return true;
        d->index[j] = 0;
    }
    return false;
}

static int64_t extent(const driver *d, int loop) { return loop < 0 ? 1 : d->extent[loop]; }

static void combine(const knh_stream *s, const knk_kernel *k, char *left, const char *right, int64_t n)
{
    knk_join(k->node[s->node].sub, s->dtype)(left, left, right, NULL, (size_t)n);
}

static char *accumulator(const driver *d, int i, int g)
{
    return d->partial[i] + (int64_t)g * d->width * knk_size(d->stream[i].dtype);
}

static void start_block(const driver *d)
{
    for (int i = 0; i < d->n_stream; i++) {
        const knh_stream *s = &d->stream[i];
        if (s->kind != KNH_PARTIAL)
            continue;
        uint64_t identity = knk_reduction_identity(d->k->node[s->node].sub, s->dtype);
        knk_joins_best()->splat(knk_size(s->dtype), d->partial[i], &identity, (size_t)(64 * d->width));
    }
}

typedef struct ranks {
    int n;
    uint8_t rank[RANKS];
} ranks;

static void end_block(const driver *d, ranks *r)
{
    for (int i = 0; i < d->n_stream; i++) {
        const knh_stream *s = &d->stream[i];
        if (s->kind != KNH_PARTIAL)
            continue;
        for (int g = 0; g < 64; g += 32)
            combine(s, d->k, accumulator(d, i, g), accumulator(d, i, g + 16), 16 * d->width);
        combine(s, d->k, accumulator(d, i, 0), accumulator(d, i, 32), 16 * d->width);
        for (int h = 8; h; h /= 2)
            combine(s, d->k, accumulator(d, i, 0), accumulator(d, i, h), h * d->width);
        memcpy(accumulator(d, i, 64 + r->n), accumulator(d, i, 0), (size_t)(d->width * knk_size(s->dtype)));
        int n = r->n + 1;
        for (uint8_t rank = 0; n > 1 && r->rank[n - 2] == rank; n--, rank++)
            combine(s, d->k, accumulator(d, i, 64 + n - 2), accumulator(d, i, 64 + n - 1), d->width);
    }
    r->rank[r->n++] = 0;
    for (; r->n > 1 && r->rank[r->n - 2] == r->rank[r->n - 1]; r->n--)
        r->rank[r->n - 2]++;
    start_block(d);
}

/* The results of a point, or of all points of the lanes. */
static void end_points(const driver *d, const ranks *r)
{
    for (int i = 0; i < d->n_stream; i++) {
        const knh_stream *s = &d->stream[i];
        if (s->kind != KNH_PARTIAL)
            continue;
        int64_t flat = 0, size = knk_size(s->dtype),
                by = d->mode == KNH_COLUMNS && d->lane >= 0 ? d->par_step[d->lane] : 0;
        for (int g = r->n - 1; g > 0; g--)
            combine(s, d->k, accumulator(d, i, 64 + g - 1), accumulator(d, i, 64 + g), d->width);
        for (int j = 0; j < d->k->n_par; j++)
            flat += d->index[j] * d->par_step[j];
        for (int64_t j = 0; j < d->width; j++)
            memcpy(d->value[s->node] + (flat + j * by) * size, accumulator(d, i, 64) + j * size, (size_t)size);
    }
}

/* Elements of the inner loops, a call for each part of the innermost one. */
static void accumulate(driver *d, knh_function *f)
{
    int n_par = d->k->n_par, last = d->n_loops - 1;
    int64_t e = 0;
    ranks r = {0};
    bool empty = false;
    for (int j = n_par; j < d->n_loops; j++)
        empty |= d->extent[j] == 0;
    start_block(d);
    while (!empty) {
        for (int64_t at = 0, most; at < d->extent[last]; at += most) {
            most = d->extent[last] - at;
            if (e == KNK_SUM_BLOCK) {
                end_block(d, &r);
                e = 0;
            }
            int64_t room = d->mode == KNH_COLUMNS ? 64 - e % 64 : KNK_SUM_BLOCK - e;
            if (d->mode == KNH_RUNS && d->style->run && d->style->run < room)
                room = d->style->run;
            if (most > room)
                most = room;
            d->index[last] = at;
            aim(d);
            for (int i = 0; i < d->n_stream && d->mode == KNH_COLUMNS; i++)
                if (d->stream[i].kind == KNH_PARTIAL) {
                    d->args->stream[i].at = (int64_t)(intptr_t)accumulator(d, i, (int)(e % 64));
                    d->args->stream[i].row_step = d->width * knk_size(d->stream[i].dtype);
                }
            d->args->rows = d->mode == KNH_COLUMNS ? most : 1;
            d->args->n = d->mode == KNH_COLUMNS ? extent(d, d->lane) : most;
            d->args->phase = d->mode == KNH_RUNS ? e % 64 : 0;
            f(d->args);
            e += most;
        }
        d->index[last] = 0;
        int j = last - 1;
        for (; j >= n_par && ++d->index[j] == d->extent[j]; j--)
            d->index[j] = 0;
        if (j < n_par)
            break;
    }
    end_block(d, &r);
    end_points(d, &r);
    for (int j = n_par; j < d->n_loops; j++)
        d->index[j] = 0;
}

static void choose(driver *d)
{
    int n_par = d->k->n_par, n_inner = d->k->stage[d->stage].n_inner, lane = n_par - 1 - d->style->lane;
    if (lane < 0)
        lane = n_par - 1;
    d->lane = lane;
    d->row = n_par < 2 ? -1 : lane == n_par - 1 ? lane - 1 : n_par - 1;
    d->mode = KNH_POINTS;
    if (!has_reductions(d) && !(n_inner && d->style->mode != KNH_COLUMNS))
        return;
    d->mode = d->style->mode;
    if (d->mode == KNH_ROWS) {
        int64_t n = 1;
        for (int j = n_par; j < d->n_loops - 1; j++)
            n *= d->extent[j];
        if ((n != 1 && has_reductions(d)) || d->extent[d->n_loops - 1] > KNK_SUM_BLOCK)
            d->mode = KNH_RUNS;
    }
    if (d->mode == KNH_COLUMNS) {
        d->row = d->n_loops - 1;
    } else {
        d->lane = d->n_loops - 1;
        d->row = d->mode == KNH_ROWS && n_par ? n_par - 1 : -1;
    }
}

static bool prepare_values(driver *d)
{
    for (int i = 0; i < d->n_stream; i++) {
        const knh_stream *s = &d->stream[i];
        size_t size = (size_t)knk_size(s->dtype);
        if (s->kind == KNH_MEMORY || s->kind == KNH_NUMBER)
            continue;
        if (!d->value[s->node] && !(d->value[s->node] = knx_alloc_zero((size_t)(d->points + 1) * size)))
            return false;
        if (s->kind == KNH_PARTIAL && !(d->partial[i] = knx_alloc_zero((64 + RANKS) * (size_t)(d->width + 1) * size)))
            return false;
    }
    return true;
}

static void run_loops(driver *d, knh_function *f)
{
    bool partial = d->mode == KNH_RUNS || d->mode == KNH_COLUMNS;
    set_loops(d);
    memset(d->index, 0, sizeof d->index);
    if (partial && has_reductions(d)) {
        do
            accumulate(d, f);
        while (next(d, 0, d->k->n_par));
        return;
    }
    for (int j = d->k->n_par; j < d->n_loops; j++)
        if (d->extent[j] == 0 && !(d->mode == KNH_ROWS && j == d->lane))
            return;
    do {
        aim(d);
        d->args->rows = extent(d, d->row);
        d->args->n = extent(d, d->lane);
        d->args->phase = 0;
        f(d->args);
    } while (next(d, 0, d->n_loops));
}

static bool run_stage(driver *d, int s)
{
    const knk_stage *st = &d->k->stage[s];
    bool fine = true;
    d->stage = s;
    d->n_loops = d->k->n_par + st->n_inner;
    for (int j = 0; j < d->n_loops; j++)
        d->extent[j] = j < d->k->n_par ? d->l->par[j] : d->l->inner[s][j - d->k->n_par];
    choose(d);
    d->width = d->mode == KNH_COLUMNS ? extent(d, d->lane) : 1;
    if ((d->n_stream = knh_streams(d->k, s, d->mode, d->stream)) < 0)
        return false;
    memset(d->partial, 0, sizeof d->partial);
    for (int i = 0; i < d->n_stream; i++)
        d->cls[i] = class_of(d, &d->stream[i]);
    if (d->mode == KNH_RUNS)
        for (int i = 0; i < d->n_stream; i++)
            d->cls[i] = d->stream[i].kind == KNH_IMPORT ? KNK_STRIDE_ZERO : d->cls[i];
    knh_request r = {.kernel = d->k, .stage = s, .mode = d->mode, .cls = d->cls};
    knh_function *f = d->get(d->env, &r);
    fine = prepare_values(d);
    if (fine && f && d->points > 0)
        run_loops(d, f);
    for (int i = 0; i < d->n_stream; i++)
        knx_free(d->partial[i]);
    return fine;
}

bool stages_run(const knk_kernel *k, const knk_launch *l, const stages_style *style,
                knh_function *(*get)(void *env, const knh_request *r), void *env)
{
    driver *d = knx_alloc_zero(sizeof *d);
    if (!d)
        return false;
    *d = (driver){.k = k, .l = l, .style = style, .get = get, .env = env, .points = 1};
    d->value = knx_alloc_zero(((size_t)k->n_node + 1) * sizeof *d->value);
    d->args = knx_alloc_zero(sizeof *d->args + (KNH_MAX_STREAMS + 1) * (3 + KNK_MAX_LOOPS) * sizeof(int64_t));
    for (int j = k->n_par - 1; j >= 0; j--) {
        d->par_step[j] = d->points;
        d->points *= l->par[j];
    }
    bool fine = d->value && d->args;
    for (int s = 0; s < k->n_stage && fine; s++)
        fine = run_stage(d, s);
    for (int i = 0; i < k->n_node && d->value; i++)
        knx_free(d->value[i]);
    knx_free(d->value);
    knx_free(d->args);
    knx_free(d);
    return fine;
}
