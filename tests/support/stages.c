/* SPDX-License-Identifier: Apache-2.0
 * stages.c -- running kernels by hand-filled arguments of stage functions, and comparing with the interpreter. */
#include "support/stages.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include "support/clobber.h"
#include "support/elements.h"
#include "support/scratch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

void scene_begin(scene *s, int64_t rows, int64_t lanes)
{
    memset(s, 0, sizeof *s);
    s->b = knk_new(2);
    s->par[0] = rows;
    s->par[1] = lanes;
}

void scene_stage(scene *s, int64_t inner)
{
    assert_true(s->n_stage < SCENE_STAGES);
    s->has_inner[s->n_stage] = inner >= 0;
    s->inner[s->n_stage++] = inner < 0 ? 0 : inner;
    knk_begin_stage(s->b, inner >= 0);
}

int scene_map(scene *s, int64_t offset, const int64_t *stride)
{
    uint8_t cls[SCENE_LOOPS];
    int m = s->n_map++;
    assert_true(m < SCENE_MAPS);
    for (int d = 0; d < SCENE_LOOPS; d++) {
        s->stride[m][d] = stride[d];
        cls[d] = stride[d] == 0 ? KNK_STRIDE_ZERO : stride[d] == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
    }
    s->map[m].offset = offset;
    s->map_stage[m] = s->n_stage - 1;
    return knk_add_map(s->b, cls);
}

void scene_loop(scene *s, int64_t turns)
{
    int stage = s->n_stage - 1;
    assert_true(s->n_turns[stage] < SCENE_TURNS);
    s->turns[stage][s->n_turns[stage]++] = turns;
    knk_loop_begin(s->b);
}

int scene_loop_map(scene *s, int64_t offset, const int64_t *stride)
{
    uint8_t cls[2 + SCENE_TURNS];
    int m = s->n_map++, stage = s->n_stage - 1;
    assert_true(m < SCENE_MAPS);
    for (int d = 0; d < 2 + s->n_turns[stage]; d++) {
        s->stride[m][d] = stride[d];
        cls[d] = stride[d] == 0 ? KNK_STRIDE_ZERO : stride[d] == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
    }
    s->map[m].offset = offset;
    s->map_stage[m] = stage;
    return knk_add_loop_map(s->b, cls);
}

int scene_buffer(scene *s, int dtype, bool written, int64_t elements, uint64_t *seed)
{
    int b = s->n_buffer++;
    assert_true(b < SCENE_BUFFERS);
    s->dtype[b] = dtype;
    s->bytes[b] = (size_t)elements * (size_t)knk_size(dtype);
    s->buffer[b] = aligned_alloc(64, (s->bytes[b] + 127) & ~(size_t)63);
    element_values(dtype, s->buffer[b], (int)elements, seed);
    return knk_add_buffer(s->b, (knx_dtype_id)dtype, written);
}

/* The numbers of a stage's loops that are left, in their new order. */
static void renumber(int64_t *of, const int *number, int n)
{
    int64_t was[SCENE_TURNS] = {0};
    if (n)
        memcpy(was, of, (size_t)n * sizeof *was);
    for (int l = 0; l < n; l++)
        if (number[l] >= 0)
            of[number[l]] = was[l];
}

void scene_end(scene *s)
{
    int number[SCENE_STAGES * SCENE_TURNS], first = 0;
    knx_error *e = knk_finish_loops(s->b, number, &s->k);
    if (e)
        fail_msg("%s", e->message);
    for (int i = 0; i < s->n_stage; i++) {
        renumber(s->turns[i], number + first, s->n_turns[i]);
        for (int m = 0; m < s->n_map; m++)
            if (s->map_stage[m] == i)
                renumber(s->stride[m] + 2, number + first, s->n_turns[i]);
        first += s->n_turns[i];
        s->inner_at[i] = s->has_inner[i] ? &s->inner[i] : s->turns[i];
    }
    for (int i = 0; i < s->n_map; i++)
        s->map[i].stride = s->stride[i];
    s->launch = (knk_launch){.buffer = s->buffer, .map = s->map, .par = s->par, .inner = s->inner_at};
}

void scene_free(scene *s)
{
    for (int i = 0; i < s->n_buffer; i++)
        if (!s->alias[i])
            free(s->buffer[i]);
    if (s->k)
        knk_release(s->k);
    s->k = NULL;
}

/* --- the stages one by one --- */

typedef struct run {
    const scene *s;
    void *const *buffer;
    const scene_way *way;
    int stage, row, lane, other; /* loops: 0, 1 parallel, 2 inner, -1 none */
    int64_t extent[SCENE_LOOPS];
    knh_stream stream[KNH_MAX_STREAMS];
    uint8_t cls[KNH_MAX_STREAMS];
    int n_stream;
    knh_mode mode;
    char **value;                   /* per node: what later stages read, per parallel point */
    char *partial[KNH_MAX_STREAMS]; /* per stream */
    knh_function *f;
    knh_args *args;
} run;

static int64_t stride_of(const run *r, int stream, int loop)
{
    const knh_stream *s = &r->stream[stream];
    int64_t size = knk_size(s->dtype);
    if (loop < 0)
        return 0;
    switch ((knh_stream_kind)s->kind) {
    case KNH_MEMORY: return r->s->stride[s->map][loop] * size;
    case KNH_NUMBER: return r->s->stride[s->map][loop];
    case KNH_IMPORT:
    case KNH_EXPORT: return loop == 2 ? 0 : loop == 1 ? size : r->extent[1] * size;
    case KNH_PARTIAL: return loop == 2 ? r->extent[r->lane] * size : loop == r->lane ? size : 0;
    }
    return 0;
}

static void classify(run *r)
{
    for (int i = 0; i < r->n_stream; i++) {
        int64_t step = stride_of(r, i, r->lane),
                unit = r->stream[i].kind == KNH_NUMBER ? 1 : knk_size(r->stream[i].dtype);
        r->cls[i] = step == 0 ? KNK_STRIDE_ZERO : step == unit ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
        if (r->way->any && step != 0 && !(r->way->nontemporal && r->stream[i].written))
            r->cls[i] = KNK_STRIDE_ANY;
        if (r->mode == KNH_ROWS && r->stream[i].kind == KNH_EXPORT)
            r->cls[i] = KNK_STRIDE_ZERO;
        if (r->mode == KNH_RUNS && r->stream[i].kind == KNH_PARTIAL)
            r->cls[i] = KNK_STRIDE_ONE;
    }
}

static char *base_of(const run *r, int stream)
{
    const knh_stream *s = &r->stream[stream];
    switch ((knh_stream_kind)s->kind) {
    case KNH_MEMORY: return (char *)r->buffer[s->buffer] + r->s->map[s->map].offset * knk_size(s->dtype);
    case KNH_NUMBER: return (char *)(intptr_t)r->s->map[s->map].offset;
    case KNH_PARTIAL: return r->partial[stream];
    default: return r->value[s->node];
    }
}

/* Loops ask whether to go on, now and then. */
enum { TURNS = 3 };

static int64_t go_on(knh_asking *a)
{
    a->left = TURNS;
    clobber_registers();
    return TURNS;
}

static void set_loops(run *r)
{
    int n = r->s->k->stage[r->stage].n_loop;
    int64_t *word = &r->args->stream[0].at;
    for (int l = 0; l < n; l++) {
        word[knh_loop_word(r->n_stream, n, -1, l)] = r->s->turns[r->stage][l];
        for (int i = 0; i < r->n_stream; i++) {
            const knh_stream *s = &r->stream[i];
            bool moves = s->kind == KNH_MEMORY || s->kind == KNH_NUMBER;
            word[knh_loop_word(r->n_stream, n, i, l)] =
                moves ? r->s->stride[s->map][2 + l] * (s->kind == KNH_NUMBER ? 1 : knk_size(s->dtype)) : 0;
        }
    }
}

/* Calls the function for `rows` x n points from the given indices on. */
static void call(run *r, const int64_t *index, int64_t rows, int64_t n, int64_t phase)
{
    r->args->rows = rows;
    r->args->n = n;
    r->args->phase = phase;
    for (int i = 0; i < r->n_stream; i++) {
        int64_t at = (int64_t)(intptr_t)base_of(r, i);
        bool partial = r->stream[i].kind == KNH_PARTIAL;
        for (int d = 0; d < SCENE_LOOPS && !partial; d++)
            at += index[d] * stride_of(r, i, d);
        r->args->stream[i] = (knh_words){at, stride_of(r, i, r->row), stride_of(r, i, r->lane)};
        if (partial && r->mode == KNH_RUNS)
            r->args->stream[i] = (knh_words){at, 0, knk_size(r->stream[i].dtype)};
    }
    set_loops(r);
    knh_asking asking = {.left = TURNS, .ask = go_on};
    r->args->asking = &asking;
    r->f(r->args);
    assert_true(asking.left >= 0 && asking.left <= TURNS);
}

static void combine(int how, int dtype, char *left, const char *right, int64_t n)
{
    knk_join(how, dtype)(left, left, right, NULL, (size_t)n);
}

/* 64 x n accumulators to n results. */
static void join(int how, int dtype, char *acc, int64_t n)
{
    int64_t row = n * knk_size(dtype);
    for (int l = 0; l < 16; l++) {
        combine(how, dtype, acc + l * row, acc + (16 + l) * row, n);
        combine(how, dtype, acc + (32 + l) * row, acc + (48 + l) * row, n);
        combine(how, dtype, acc + l * row, acc + (32 + l) * row, n);
    }
    for (int h = 8; h; h /= 2)
        for (int l = 0; l < h; l++)
            combine(how, dtype, acc + l * row, acc + (l + h) * row, n);
}

static void start_partials(run *r, int64_t n)
{
    for (int i = 0; i < r->n_stream; i++)
        if (r->stream[i].kind == KNH_PARTIAL) {
            const knk_inst *x = &r->s->k->node[r->stream[i].node];
            uint64_t identity = knk_reduction_identity(x->sub, x->dtype);
            int size = knk_size(x->dtype);
            knk_joins_best()->splat(size, r->partial[i], knk_number_bytes(&identity, size), (size_t)(64 * n));
        }
}

static void end_partials(run *r, const int64_t *index, int64_t n)
{
    for (int i = 0; i < r->n_stream; i++)
        if (r->stream[i].kind == KNH_PARTIAL) {
            const knk_inst *x = &r->s->k->node[r->stream[i].node];
            int64_t size = knk_size(x->dtype), step = n > 1 || r->lane < 2 ? (r->lane == 1 ? 1 : r->extent[1]) : 0;
            join(x->sub, x->dtype, r->partial[i], n);
            for (int64_t l = 0; l < n; l++)
                memcpy(r->value[r->stream[i].node] + (index[0] * r->extent[1] + index[1] + l * step) * size,
                       r->partial[i] + l * size, (size_t)size);
        }
}

static void run_runs(run *r)
{
    uint64_t seed = r->way->seed;
    for (int64_t i = 0; i < r->extent[0]; i++)
        for (int64_t j = 0; j < r->extent[1]; j++) {
            int64_t index[3] = {i, j, 0}, left = r->extent[2];
            start_partials(r, 1);
            while (left) {
                int64_t n = 1 + (int64_t)(element_random(&seed) % (uint64_t)(element_random(&seed) % 2 ? 200 : 20));
                n = n < left ? n : left;
                call(r, index, 1, n, index[2] % 64);
                index[2] += n;
                left -= n;
            }
            end_partials(r, index, 1);
        }
}

static void run_columns(run *r)
{
    int64_t lanes = r->extent[r->lane];
    for (int64_t i = 0; i < r->extent[r->other]; i++) {
        int64_t index[3] = {0, 0, 0};
        index[r->other] = i;
        start_partials(r, lanes);
        for (; index[2] < r->extent[2]; index[2] += 64)
            call(r, index, r->extent[2] - index[2] < 64 ? r->extent[2] - index[2] : 64, lanes, 0);
        index[2] = 0;
        end_partials(r, index, lanes);
    }
}

static void run_plain(run *r)
{
    int64_t index[3] = {0, 0, 0}, others = r->other < 0 ? 1 : r->extent[r->other];
    for (int64_t i = 0; i < others; i++) {
        if (r->other >= 0)
            index[r->other] = i;
        call(r, index, r->row < 0 ? 1 : r->extent[r->row], r->extent[r->lane], 0);
    }
}

static bool run_stage(run *r, int stage, scene_maker *make, void *env)
{
    const scene *s = r->s;
    const knk_kernel *k = s->k;
    bool sums = false, inner = k->stage[stage].n_inner > 0;
    int lanes = r->way->swap ? 0 : 1;
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++)
        sums |= k->node[i].op == KNK_REDUCE;
    r->stage = stage;
    r->extent[2] = inner ? s->inner[stage] : 1;
    r->mode = !inner ? KNH_POINTS : sums || r->way->mode == KNH_ROWS ? r->way->mode : KNH_POINTS;
    if (sums && r->mode == KNH_POINTS)
        r->mode = KNH_ROWS;
    r->lane = r->mode == KNH_ROWS || r->mode == KNH_RUNS ? 2 : lanes;
    r->row = r->mode == KNH_ROWS ? lanes : r->mode == KNH_RUNS ? -1 : r->mode == KNH_COLUMNS ? 2 : 1 - lanes;
    r->other = r->mode == KNH_ROWS || r->mode == KNH_COLUMNS ? 1 - lanes : r->mode == KNH_RUNS ? 1 : inner ? 2 : -1;
    r->n_stream = knh_streams(k, stage, r->mode, r->stream);
    assert_in_range(r->n_stream, 0, KNH_MAX_STREAMS);
    classify(r);
    for (int i = 0; i < r->n_stream; i++)
        if (r->stream[i].kind == KNH_PARTIAL)
            r->partial[i] = aligned_alloc(64, (size_t)(64 * 8 * (r->extent[r->lane] + 64)));
    knh_request q = {.kernel = k, .stage = stage, .mode = r->mode, .cls = r->cls, .nontemporal = r->way->nontemporal};
    r->f = make(env, &q);
    if (r->f && r->mode == KNH_RUNS)
        run_runs(r);
    else if (r->f && r->mode == KNH_COLUMNS)
        run_columns(r);
    else if (r->f)
        run_plain(r);
    for (int i = 0; i < r->n_stream; i++)
        if (r->stream[i].kind == KNH_PARTIAL)
            free(r->partial[i]);
    return r->f != NULL;
}

bool scene_run(const scene *s, void *const *buffer, const scene_way *way, scene_maker *make, void *env)
{
    run r = {.s = s, .buffer = buffer, .way = way, .extent = {s->par[0], s->par[1], 1}};
    bool fine = true;
    r.value = calloc((size_t)s->k->n_node + 1, sizeof *r.value);
    r.args = malloc(sizeof *r.args + (KNH_MAX_STREAMS + 1) * (3 + SCENE_TURNS) * sizeof(int64_t));
    for (int i = 0; i < s->k->n_node; i++)
        r.value[i] = malloc((size_t)(s->par[0] * s->par[1] * 8 + 64));
    for (int i = 0; i < s->k->n_stage && fine; i++)
        fine = run_stage(&r, i, make, env);
    for (int i = 0; i < s->k->n_node; i++)
        free(r.value[i]);
    free(r.value);
    free(r.args);
    return fine;
}

bool scene_check(const scene *s, const scene_way *way, scene_maker *make, void *env, const char *what)
{
    void *copy[SCENE_BUFFERS], *want[SCENE_BUFFERS], *scratch;
    for (int i = 0; i < s->n_buffer; i++) {
        if (s->alias[i]) {
            copy[i] = copy[s->alias[i] - 1];
            want[i] = want[s->alias[i] - 1];
            continue;
        }
        copy[i] = aligned_alloc(64, (s->bytes[i] + 127) & ~(size_t)63);
        want[i] = aligned_alloc(64, (s->bytes[i] + 127) & ~(size_t)63);
        memcpy(copy[i], s->buffer[i], s->bytes[i]);
        memcpy(want[i], s->buffer[i], s->bytes[i]);
    }
    scratch = aligned_alloc(64, (interpreter_scratch(s->k) + 127) & ~(size_t)63);
    knk_launch launch = s->launch;
    launch.buffer = want;
    knk_interpret(s->k, &launch, scratch);
    bool ran = scene_run(s, copy, way, make, env);
    for (int i = 0; i < s->n_buffer && ran; i++) {
        int size = knk_size(s->dtype[i]), n = (int)(s->bytes[i] / (size_t)size),
            at = element_differs(s->dtype[i], copy[i], want[i], n);
        if (at < 0)
            continue;
        char *text = NULL;
        uint64_t got = bits_at((char *)copy[i] + at * size, (size_t)size),
                 right = bits_at((char *)want[i] + at * size, (size_t)size);
        assert_null(knk_text(s->k, &text));
        fail_msg("%s: %d x %d x %d, mode %d%s%s, buffer %d (%s) element %d of %d: got %llx, expected %llx\n%s", what,
                 (int)s->par[0], (int)s->par[1], (int)s->inner[0], (int)way->mode, way->swap ? " swap" : "",
                 way->any ? " any" : "", i, knx_dtype_table[s->dtype[i]].name, at, n, (unsigned long long)got,
                 (unsigned long long)right, text);
    }
    for (int i = 0; i < s->n_buffer; i++)
        if (!s->alias[i]) {
            free(copy[i]);
            free(want[i]);
        }
    free(scratch);
    return ran;
}
