/* SPDX-License-Identifier: Apache-2.0
 * drive.c -- runs a planned launch: boxes of parallel points through all stages, on several threads where there is
 * enough to do; rectangles, tiles and plain turning. Reductions are in reduce.c. */
#include "base/poll.h"
#include "base/pool.h"
#include "host/drive.h"
#include "host/dump.h"
#include <string.h>

enum { PARTS_PER_THREAD = 8 };

KNX_HOT int64_t knh_offset(const knh_pass *ps, const knk_map_values *map, int stream)
{
    const knh_stream *s = &ps->facts->stream[stream];
    if (!map || s->map < 0)
        return ps->offset[stream];
    return map[s->map].offset * (s->kind == KNH_MEMORY ? knk_size(s->dtype) : 1);
}

/* Addresses (numbers) of a piece's first point, per stream. */
KNX_HOT void knh_aim(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    const knh_stage_facts *f = ps->facts;
    for (int i = 0; i < f->n_stream; i++) {
        const knh_stream *s = &f->stream[i];
        bool value = s->kind >= KNH_IMPORT;
        int64_t at = knh_offset(ps, w->map, i);
        if (s->kind == KNH_MEMORY)
            at += (int64_t)(intptr_t)w->buffer[s->buffer];
        else if (value)
            at = (int64_t)(intptr_t)(w->values + f->place[i]);
        const int64_t *stride = &ps->stride[i * ps->n_axis];
        for (int a = 0; a < ps->n_axis; a++)
            at += (value && a < w->p->n_par ? piece->lo[a] - piece->origin[a] : piece->lo[a]) * stride[a];
        w->at[i] = at;
    }
    for (int i = 0; i < f->n_reduction && piece->group >= 0; i++) { /* the result of a group of blocks */
        const knh_reduction *r = &f->reduction[i];
        int64_t values = (int64_t)(intptr_t)(w->values + f->place[r->stream]);
        w->at[r->stream] +=
            (int64_t)(intptr_t)(w->shared + r->group_at) - values + piece->group * w->p->points * r->size;
    }
}

/* Moves to the next point of these axes; false at the end, and then it is back at the first one. */
KNX_HOT bool knh_step_axes(const knh_worker *w, const knh_pass *ps, const uint8_t *axis, int n_axis, const int64_t *n)
{
    for (int j = n_axis - 1; j >= 0; j--) {
        int a = axis[j];
        bool more = ++w->index[a] < n[a];
        int64_t by = more ? 1 : 1 - n[a];
        for (int i = 0; i < ps->facts->n_stream; i++)
            w->at[i] += by * ps->stride[i * ps->n_axis + a];
        if (more)
            return true;
        w->index[a] = 0;
    }
    return false;
}

knh_function *knh_function_of(const knh_worker *w, const knh_pass *ps)
{
    int stage = (int)(ps - w->p->pass);
    return ps->nontemporal && w->bypass >> stage & 1 ? ps->nontemporal : ps->f;
}

/* One rectangle in one call, or a few where lanes are limited. */
static void run_rectangle(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n)
{
    int64_t done = 0;
    do {
        int64_t lanes = n - done;
        if (ps->mode == KNH_ROWS && lanes > KNH_MOST_LANES)
            lanes = KNH_MOST_LANES;
        w->args->rows = rows;
        w->args->n = lanes;
        for (int i = 0; i < ps->facts->n_stream; i++)
            w->args->stream[i].at = w->at[i] + done * w->args->stream[i].lane_step;
        f(w->args);
        done += lanes;
    } while (done < n);
}

/* A tile: what lies across is turned into the scratch, and back. */
static void run_tile(const knh_worker *w, const knh_pass *ps, knh_turn_loop *turn, knh_function *f, int64_t r,
                     int64_t rows, int64_t l, int64_t n)
{
    char *tile = w->part + w->p->facts->tiles_at;
    bool bypass = w->bypass >> (ps - w->p->pass) & 1;
    for (int pass = 0; pass < 2; pass++) {
        char *t = tile;
        for (int i = 0; i < ps->facts->n_stream; i++) {
            const knh_stream *s = &ps->facts->stream[i];
            const int64_t *stride = &ps->stride[i * ps->n_axis];
            int64_t lane_step = ps->lane < 0 ? 0 : stride[ps->lane], size = knk_size(s->dtype);
            int64_t at = w->at[i] + r * stride[ps->row] + l * lane_step;
            if (ps->turned[i]) {
                void *memory = (void *)(intptr_t)at;
                if (!pass && s->read)
                    turn((int)size, t, KNH_TILE * size, memory, lane_step, n, rows, false);
                if (pass && s->written)
                    turn((int)size, memory, lane_step, t, KNH_TILE * size, rows, n, bypass);
                at = (int64_t)(intptr_t)t;
                t += KNH_TILE_BYTES;
            }
            if (!pass)
                w->args->stream[i].at = at;
        }
        if (!pass) {
            w->args->rows = rows;
            w->args->n = n;
            f(w->args);
        }
    }
}

static void run_tiles(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n)
{
    knh_turn_loop *turn = knh_transpose();
    for (int64_t r = 0; r < rows; r += KNH_TILE)
        for (int64_t l = 0; l < n; l += KNH_TILE)
            run_tile(w, ps, turn, f, r, rows - r < KNH_TILE ? rows - r : KNH_TILE, l,
                     n - l < KNH_TILE ? n - l : KNH_TILE);
}

/* From memory to memory: the stream that is loaded is the first. */
static void run_turning(const knh_worker *w, const knh_pass *ps, int64_t rows, int64_t n)
{
    const knh_stream *s = ps->facts->stream;
    int from = s[0].written, to = !from, size = knk_size(s[0].dtype);
    const int64_t *x = &ps->stride[from * ps->n_axis], *y = &ps->stride[to * ps->n_axis];
    void *d = (void *)(intptr_t)w->at[to];
    const void *a = (const void *)(intptr_t)w->at[from];
    bool bypass = w->bypass >> (ps - w->p->pass) & 1;
    if (ps->turned[from])
        knh_transpose()(size, d, y[ps->row], a, x[ps->lane], n, rows, bypass);
    else
        knh_transpose()(size, d, y[ps->lane], a, x[ps->row], rows, n, bypass);
}

/* ---- Loops ask whether to go on. */

static int64_t ask(knh_asking *a)
{
    if (a->turns && knx_must_stop())
        a->turns = 0;
    return a->left = a->turns;
}

static inline knh_asking asking_of(const knh_prepared *p)
{
    return (knh_asking){.left = p->turns, .ask = ask, .turns = p->turns};
}

/* Was it told to end? Then nothing is to read what was not made. */
static bool has_ended(const knh_worker *w) { return w->p->turns && !w->asking.turns; }
static knx_error *end_of(const knh_prepared *p) { return p->turns ? knx_take_stop() : NULL; }

static void copy_loops(const knh_stage_facts *f, knh_args *args, const int64_t *from)
{
    if (f->n_loop)
        memcpy((int64_t *)(void *)args->stream + knh_loop_word(f->n_stream, f->n_loop, -1, 0), from,
               (size_t)(f->n_stream + 1) * (size_t)f->n_loop * sizeof *from);
}

static void set_steps(const knh_worker *w, const knh_pass *ps)
{
    w->args->phase = 0;
    copy_loops(ps->facts, w->args, ps->loop);
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        const int64_t *stride = &ps->stride[i * ps->n_axis];
        int64_t size = s->kind == KNH_NUMBER ? 1 : knk_size(s->dtype);
        w->args->stream[i].row_step = ps->row < 0 ? 0 : ps->turned[i] ? KNH_TILE * size : stride[ps->row];
        w->args->stream[i].lane_step = ps->lane < 0 || ps->turned[i] ? size : stride[ps->lane];
    }
}

static KNX_HOT void run_rectangles(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    int64_t rows = ps->row < 0 ? 1 : piece->n[ps->row], n = ps->lane < 0 ? 1 : piece->n[ps->lane];
    bool tiles = false;
    if (!ps->facts->n_reduction)
        for (int a = 0; a < ps->n_axis; a++)
            if (!piece->n[a])
                return;
    for (int i = 0; i < ps->facts->n_stream; i++)
        tiles |= ps->turned[i];
    knh_function *f = knh_function_of(w, ps);
    set_steps(w, ps);
    knh_aim(w, ps, piece);
    for (int j = 0; j < ps->n_other; j++)
        w->index[ps->other[j]] = 0;
    do {
        if (ps->runner == KNH_BY_TURNING)
            run_turning(w, ps, rows, n);
        else if (ps->woven)
            knh_run_woven(w, ps, f, rows, n);
        else if (ps->repeats)
            knh_run_repeated(w, ps, f, rows, n);
        else if (tiles)
            run_tiles(w, ps, f, rows, n);
        else
            run_rectangle(w, ps, f, rows, n);
    } while (!has_ended(w) && knh_step_axes(w, ps, ps->other, ps->n_other, piece->n));
}

static void run_pass(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    if (ps->runner <= KNH_BY_TURNING)
        run_rectangles(w, ps, piece);
    else
        knh_run_reduction(w, ps, piece);
}

/* All stages for box number `at`. */
static void run_box(const knh_worker *w, int64_t at)
{
    const knh_prepared *p = w->p;
    for (int a = p->n_par - 1; a >= 0; a--) {
        int64_t boxes = (p->par[a] + p->box[a] - 1) / p->box[a];
        w->lo[a] = w->origin[a] = at % boxes * p->box[a];
        w->n[a] = p->par[a] - w->lo[a] < p->box[a] ? p->par[a] - w->lo[a] : p->box[a];
        at /= boxes;
    }
    for (int s = 0; s < p->k->n_stage && !has_ended(w); s++) {
        const knh_pass *ps = &p->pass[s];
        for (int a = p->n_par; a < ps->n_axis; a++) {
            w->lo[a] = 0;
            w->n[a] = ps->extent[a];
        }
        run_pass(w, ps, &(knh_piece){.lo = w->lo, .n = w->n, .origin = w->origin, .end_block = INT64_MAX, .group = -1});
    }
}

/* The work of all threads. */
typedef struct job {
    const knh_prepared *p;
    void *const *buffer;
    const knk_map_values *map; /* as in a worker */
    char *scratch;
    uint64_t bypass;
    int64_t parts;
    bool whole; /* all points as one box */
    /* of one pass, cut along its inner loops: */
    const knh_pass *pass;
    int axis;          /* -1: the blocks of a reduction */
    int64_t step, n;   /* along the axis; or blocks */
    atomic_bool known; /* of blocks: the value of all is (knh_piece) */
    atomic_bool ended; /* some part was told to */
} job;

static inline void spread(job *j, int threads, void (*f)(void *j, int64_t part, int worker))
{
    (j->p->turns ? knx_parallel_asking : knx_parallel)(threads, j->parts, f, j);
}

static KNX_HOT void start(knh_worker *w, const job *j, int worker)
{
    const knh_facts *f = j->p->facts;
    char *parts = j->scratch + f->shared_bytes;
    *w = (knh_worker){.p = j->p, .buffer = j->buffer, .map = j->map, .bypass = j->bypass, .shared = j->scratch};
    w->part = parts + (size_t)worker * f->part_bytes;
    w->values = j->pass ? parts : w->part;
    w->args = (knh_args *)(void *)(w->part + f->args_at);
    w->asking = asking_of(j->p);
    w->args->asking = &w->asking;
    int64_t *room = (int64_t *)(void *)(w->part + f->index_at);
    w->at = room;
    w->cursor = room + f->max_streams;
    room += 2 * f->max_streams;
    w->index = room;
    w->inner_index = room + (f->max_axes + 2);
    w->lo = room + 2 * (f->max_axes + 2);
    w->n = room + 3 * (f->max_axes + 2);
    w->origin = room + 4 * (f->max_axes + 2);
}

static void flush_stores(const knh_worker *w)
{
    if (w->bypass)
        w->p->pass->generator->flush();
}

static KNX_HOT void run_boxes(void *j_, int64_t part, int worker)
{
    const job *j = j_;
    knh_worker w;
    start(&w, j, worker);
    int64_t each = j->p->n_boxes / j->parts, more = j->p->n_boxes % j->parts,
            first = part * each + (part < more ? part : more), end = first + each + (part < more);
    for (int64_t i = first; i < end && !has_ended(&w); i++)
        run_box(&w, i);
    flush_stores(&w);
}

static void run_whole(const job *j)
{
    knh_worker w;
    start(&w, j, 0);
    const knh_prepared *p = j->p;
    for (int s = 0; s < p->k->n_stage && !has_ended(&w); s++) {
        const knh_pass *ps = &p->pass[s];
        for (int a = 0; a < ps->n_axis; a++) {
            w.lo[a] = w.origin[a] = 0;
            w.n[a] = ps->extent[a];
        }
        run_pass(&w, ps, &(knh_piece){.lo = w.lo, .n = w.n, .origin = w.origin, .end_block = INT64_MAX, .group = -1});
    }
    flush_stores(&w);
}

/* One part of a wide pass: of the longest axis, or a group of the blocks of a reduction. */
static void run_slice(void *j_, int64_t part, int worker)
{
    job *j = j_;
    knh_worker w;
    start(&w, j, worker);
    const knh_pass *ps = j->pass;
    for (int a = 0; a < ps->n_axis; a++) {
        w.lo[a] = w.origin[a] = 0;
        w.n[a] = ps->extent[a];
    }
    knh_piece piece = {.lo = w.lo, .n = w.n, .origin = w.origin, .end_block = INT64_MAX, .group = -1};
    if (j->axis < 0 && j->parts > 1) {
        piece.first_block = part * j->step;
        piece.end_block = j->n - piece.first_block < j->step ? j->n : piece.first_block + j->step;
        piece.group = part;
        piece.known = ps->facts->ends && j->p->points == 1 ? &j->known : NULL;
    } else if (j->axis >= 0) {
        w.lo[j->axis] = part * j->step;
        w.n[j->axis] = j->n - w.lo[j->axis] < j->step ? j->n - w.lo[j->axis] : j->step;
    }
    run_pass(&w, ps, &piece);
    if (has_ended(&w))
        atomic_store_explicit(&j->ended, true, memory_order_relaxed);
    flush_stores(&w);
}

/* Tries the first block, before anyone is woken up. */
static bool first_block_decides(job *j)
{
    knh_worker w;
    j->known = false;
    if (j->p->points != 1 || j->pass->runner != KNH_BY_BLOCKS)
        return false;
    j->step = 1;
    j->parts = 2;
    run_slice(j, 0, 0);
    if (!j->known)
        return false;
    start(&w, j, 0);
    knh_join_groups(&w, j->pass, 1, 0);
    return true;
}

static void run_wide_reduction(job *j, int threads)
{
    int64_t most = KNH_GROUP_VALUES / j->p->points, wanted = 4 * (int64_t)threads;
    int rank = 0;
    j->n = (j->pass->inner_total + KNK_SUM_BLOCK - 1) / KNK_SUM_BLOCK;
    if (j->pass->facts->ends && first_block_decides(j))
        return;
    most = most < wanted ? most : wanted;
    while ((j->n + ((int64_t)1 << rank) - 1) >> rank > most)
        rank++;
    j->step = (int64_t)1 << rank;
    j->parts = (j->n + j->step - 1) / j->step;
    j->parts = j->parts < 1 ? 1 : j->parts;
    spread(j, threads, run_slice);
    if (j->parts > 1) {
        knh_worker w;
        start(&w, j, 0);
        knh_join_groups(&w, j->pass, j->parts, rank);
    }
}

static bool turns(const knh_pass *ps)
{
    bool any = false;
    for (int i = 0; i < ps->facts->n_stream; i++)
        any |= ps->turned[i];
    return any;
}

static void run_wide(job *j, int threads)
{
    for (int s = 0; s < j->p->k->n_stage && !j->ended; s++) {
        const knh_pass *ps = j->pass = &j->p->pass[s];
        j->parts = 1;
        j->axis = -1;
        if (ps->runner > KNH_BY_TURNING && ps->inner_total > KNK_SUM_BLOCK) {
            run_wide_reduction(j, threads);
            continue;
        }
        int end = ps->facts->n_reduction ? j->p->n_par : ps->n_axis;
        for (int a = 0; a < end; a++)
            if (j->axis < 0 || ps->extent[a] > ps->extent[j->axis])
                j->axis = a;
        if (j->axis >= 0) {
            j->n = ps->extent[j->axis];
            j->step = (j->n / (4 * threads) + 1 + KNH_MOST_LANES - 1) / KNH_MOST_LANES * KNH_MOST_LANES;
            if (j->axis != ps->lane)
                j->step = j->n / (4 * threads) + 1;
            if (j->axis == ps->row && turns(ps)) /* whole tiles */
                j->step = (j->step + KNH_TILE - 1) / KNH_TILE * KNH_TILE;
            j->parts = (j->n + j->step - 1) / j->step;
        }
        if (j->parts > 0)
            spread(j, threads, run_slice);
    }
}

/* Bit per stage: its stores may bypass the caches: aligned, and not over what it reads. */
static uint64_t bypassing(const knh_prepared *p, void *const *buffer)
{
    uint64_t bits = 0;
    for (int s = 0; s < p->k->n_stage; s++) {
        const knh_stage_facts *f = p->pass[s].facts;
        bool fine = p->pass[s].large, needs_line = p->pass[s].nontemporal != NULL;
        for (int i = 0; fine && i < f->n_stream; i++) {
            if (f->stream[i].kind != KNH_MEMORY || !f->stream[i].written)
                continue;
            fine = !needs_line || (uintptr_t)buffer[f->stream[i].buffer] % 64 == 0;
            for (int b = 0; fine && b < p->k->n_buffer; b++)
                fine = b == f->stream[i].buffer || buffer[b] != buffer[f->stream[i].buffer];
        }
        bits |= (uint64_t)fine << s;
    }
    return bits;
}

static knx_error *run_simple(const knh_prepared *p, void *const *buffer, const knk_map_values *map)
{
    _Alignas(knh_args) char room[sizeof(knh_args) + KNH_SIMPLE_STREAMS * sizeof(knh_words) +
                                 (KNH_SIMPLE_STREAMS + 1) * KNH_SIMPLE_LOOPS * sizeof(int64_t)];
    knh_args *call = (knh_args *)(void *)room;
    int n = p->pass->facts->n_stream;
    knh_asking asking;
    call->rows = p->call->rows;
    call->n = p->call->n;
    call->phase = 0;
    for (int i = 0; i < n; i++) {
        call->stream[i] = p->call->stream[i];
        if (map)
            call->stream[i].at = knh_offset(p->pass, map, i);
        if (p->buffer[i] >= 0)
            call->stream[i].at += (int64_t)(intptr_t)buffer[p->buffer[i]];
    }
    if (!p->turns) {
        p->pass->f(call);
        return NULL;
    }
    asking = asking_of(p);
    call->asking = &asking;
    copy_loops(p->pass->facts, call, p->pass->loop);
    p->pass->f(call);
    return asking.turns ? NULL : knx_take_stop();
}

static bool is_split(const knh_prepared *p, int threads) { return threads > 1 && p->ns >= 2 * knh_tune.split_ns; }

bool knh_one_call(const knh_prepared *p, int threads, knh_one *out)
{
    if (p->interpreted || p->empty || !p->simple || is_split(p, threads) || p->pass->large || p->pass->facts->n_loop)
        return false;
    *out = (knh_one){p->pass->f, p->call, p->buffer, p->pass->facts->n_stream};
    return true;
}

bool knh_runs_alone(const knh_prepared *p)
{
    bool alone = p->n_segment || !is_split(p, 2);
    for (int i = 0; alone && i < p->n_segment; i++)
        alone = knh_runs_alone(p->segment[i].prepared);
    return alone;
}

KNX_HOT size_t knh_prepared_scratch(const knh_prepared *p, int threads)
{
    size_t most = 0;
    for (int i = 0; i < p->n_segment; i++) {
        size_t bytes = knh_prepared_scratch(p->segment[i].prepared, threads);
        most = bytes > most ? bytes : most;
    }
    if (p->n_segment)
        return most;
    if (p->interpreted)
        return knk_scratch_bytes(p->k);
    bool split = is_split(p, threads);
    if (p->empty || (p->simple && !split && !p->pass->large))
        return 0;
    return p->facts->shared_bytes + (size_t)(split ? threads : 1) * p->facts->part_bytes;
}

static knx_error *run(const knh_prepared *p, const knk_launch *launch, const knk_map_values *map, void *scratch,
                      int threads);

static knx_error *run_segments(const knh_prepared *p, void *const *buffer, void *scratch, int threads)
{
    void *own[KNH_SEGMENT_BUFFERS];
#ifdef __clang_analyzer__
    memset(own, 0, sizeof own); /* a kernel has as many buffers as its stages name */
#endif
    for (const knh_segment *s = p->segment, *end = s + p->n_segment; s < end; s++) {
        knk_launch launch = s->launch;
        launch.buffer = s->buffer ? own : buffer;
        for (int b = 0; s->buffer && b < s->kernel->n_buffer; b++)
            own[b] = buffer[s->buffer[b]];
        knh_dump(s->kernel, &launch);
        KN_TRY(run(s->prepared, &launch, NULL, scratch, threads));
    }
    return NULL;
}

static KNX_HOT knx_error *run(const knh_prepared *p, const knk_launch *launch, const knk_map_values *map, void *scratch,
                              int threads)
{
    if (p->n_segment)
        return run_segments(p, launch->buffer, scratch, threads);
    if (p->interpreted) {
        knh_note_fallback(p->k);
        return knk_interpret(p->k, launch, scratch);
    }
    bool split = is_split(p, threads);
    if (p->simple && !split && !p->pass->large)
        return run_simple(p, launch->buffer, map);
    if (p->empty)
        return NULL;
    job j = {.p = p, .buffer = launch->buffer, .map = map, .scratch = scratch, .bypass = bypassing(p, launch->buffer)};
    if (p->wide && split) {
        run_wide(&j, threads);
        return end_of(p);
    }
    bool unbounded = !p->facts->points && !knh_tune.points;
    if (!split && unbounded) {
        run_whole(&j);
        return end_of(p);
    }
    double parts = split ? p->ns / (knh_tune.split_ns + 1) : 1;
    j.parts = parts > PARTS_PER_THREAD * (double)threads ? PARTS_PER_THREAD * (int64_t)threads : (int64_t)parts;
    j.parts = j.parts > p->n_boxes ? p->n_boxes : j.parts < 1 ? 1 : j.parts;
    spread(&j, j.parts > 1 ? threads : 1, run_boxes);
    return end_of(p);
}

size_t knh_segments_bytes(void) { return sizeof(knh_prepared); }

const knh_prepared *knh_join_segments(void *room, int n, const knh_segment *segment)
{
    knh_prepared *p = room;
    *p = (knh_prepared){.n_segment = n, .segment = segment};
    return p;
}

KNX_HOT knx_error *knh_run_prepared(const knh_prepared *p, const knk_launch *launch, void *scratch, int threads)
{
    return run(p, launch, NULL, scratch, threads);
}

knx_error *knh_run_moved(const knh_prepared *p, const knk_launch *launch, void *scratch)
{
    return run(p, launch, launch->map, scratch, 1);
}
