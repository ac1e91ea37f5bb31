/* SPDX-License-Identifier: Apache-2.0
 * stage_reference.c -- stage functions by plain loops over points, with the interpreter's loops for one lane. A stage
 * function has no environment, so there is a table of functions that differ in a number. */
#include "support/stage_reference.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, MOST_NODES = 2048 };

typedef struct made {
    atomic_uint used; /* a word: not every machine exchanges bytes without a library */
    knh_request r;
    knh_stream stream[KNH_MAX_STREAMS];
    uint8_t cls[KNH_MAX_STREAMS];
    int n;
} made;
static made *table[MOST];
static atomic_int live;
static char complaint[200];
static atomic_uint complained;

const char *stage_reference_complaint(void) { return atomic_exchange(&complained, 0) ? complaint : NULL; }
int stage_reference_live(void) { return live; }

static stage_reference_watcher *watcher;
static void *watcher_env;

void stage_reference_watch(stage_reference_watcher *w, void *env)
{
    watcher = w;
    watcher_env = env;
}

static void *touched(const knk_inst *n, int64_t element)
{
    void *at = (void *)(intptr_t)element;
    if (watcher)
        watcher(watcher_env, n->buffer, at, knk_size(n->dtype));
    return at;
}

static void complain(const made *m, int stream, const char *what)
{
    if (!atomic_exchange(&complained, 1))
        snprintf(complaint, sizeof complaint, "stage %d, mode %d, stream %d: %s", m->r.stage, (int)m->r.mode, stream,
                 what);
}

static void check(const made *m, const knh_args *a)
{
    if (a->rows < 0 || a->n < 0 || ((m->r.mode == KNH_ROWS) && a->n > 16384))
        complain(m, -1, "rows or lanes");
    if (m->r.mode == KNH_RUNS ? a->rows != 1 || a->phase < 0 || a->phase > 63 : a->phase != 0)
        complain(m, -1, "phase, or rows of a run");
    for (int i = 0; i < m->n; i++) {
        const knh_stream *s = &m->stream[i];
        const knh_words *w = &a->stream[i];
        int64_t size = s->kind == KNH_NUMBER ? 1 : knk_size(s->dtype);
        bool row_value = m->r.mode == KNH_ROWS && s->kind == KNH_EXPORT;
        if (m->cls[i] == KNK_STRIDE_ONE && w->lane_step != size && !row_value)
            complain(m, i, "not adjacent");
        if (m->cls[i] == KNK_STRIDE_ZERO && w->lane_step != 0 && a->n > 1 && !row_value)
            complain(m, i, "not equal");
        if (s->kind != KNH_NUMBER && (w->at % size || w->row_step % size || w->lane_step % size))
            complain(m, i, "not at a multiple of its size");
        bool bypasses = m->r.nontemporal && s->kind == KNH_MEMORY && s->written && m->cls[i] == KNK_STRIDE_ONE;
        if (bypasses && (w->at % 64 || (a->rows > 1 && w->row_step % 64)))
            complain(m, i, "not aligned");
    }
}

static const knh_words *words_of(const made *m, const knh_args *a, knh_stream_kind kind, int buffer, int map,
                                 knk_node node)
{
    int i = knh_stream_of(m->stream, m->n, kind, buffer, map, node);
    if (i < 0)
        complain(m, -1, "a stream is missing");
    return i < 0 ? NULL : &a->stream[i];
}

static char *place(const knh_words *w, int64_t row, int64_t lane)
{
    return (char *)(intptr_t)(w->at + row * w->row_step + lane * w->lane_step);
}

static void apply(const knk_inst *n, const knk_inst *node, uint64_t *v, int i)
{
    static const uint64_t zero = 0;
    int row = n->op, dtype = n->op == KNK_SELECT ? n->dtype : node[n->a].dtype;
    if (n->op == KNK_CAST) {
        row = KNK_LOOP_OPS + dtype;
        dtype = n->dtype;
    }
    if (n->op == KNK_BITCAST)
        v[i] = v[n->a];
    else
        knk_lane_loop(row, dtype, 0)(&v[i], &v[n->a], n->b < 0 ? &zero : &v[n->b], n->c < 0 ? &zero : &v[n->c], 1);
}

static void combine(const knk_inst *n, void *left, const void *right)
{
    knk_join(n->sub, n->dtype)(left, left, right, NULL, 1);
}

/* One point on its way: the values, and the turn of each loop, 0 outside of it. */
typedef struct point {
    const made *m;
    const knh_args *a;
    uint64_t *v, (*acc)[64];
    int64_t row, lane, turn[KNK_MAX_LOOPS];
    int head[KNK_MAX_LOOPS], open, reductions;
    bool ended; /* somebody ends it, which loops ask about */
} point;

/* Values are lanes: a number begins at the first byte, whichever that is. */
static bool truth(const point *p, int node) { return *(const uint8_t *)&p->v[node]; }

static int64_t loop_word(const point *p, int stream, int loop)
{
    return (&p->a->stream[0].at)[knh_loop_word(p->m->n, p->m->r.kernel->stage[p->m->r.stage].n_loop, stream, loop)];
}

static int64_t at(const point *p, const knh_words *w)
{
    int64_t to = w->at + p->row * w->row_step + p->lane * w->lane_step;
    for (int l = 0; l < p->m->r.kernel->stage[p->m->r.stage].n_loop; l++)
        to += p->turn[l] * loop_word(p, (int)(w - p->a->stream), l);
    return to;
}

static void store(const point *p, const knk_inst *n)
{
    const knh_words *w = words_of(p->m, p->a, KNH_MEMORY, n->buffer, n->map, KNK_NONE);
    memcpy(touched(n, at(p, w)), &p->v[n->a], (size_t)knk_size(n->dtype));
}

/* The node after the loop that node i lies in, or begins. */
static int leave(point *p, int i, int loop)
{
    const knk_inst *node = p->m->r.kernel->node;
    while (node[i].op != KNK_END || node[i].sub != loop)
        i++;
    p->turn[loop] = 0;
    p->open--;
    return i + 1;
}

/* Returns the node to go on with. */
static int loop_node(point *p, int i)
{
    const knk_inst *node = p->m->r.kernel->node, *n = &node[i];
    uint64_t next[MOST_NODES];
    int j = i + 1;
    switch (n->op) {
    case KNK_LOOP:
        for (; node[j].op == KNK_CARRY; j++)
            p->v[j] = p->v[node[j].a];
        p->head[n->sub] = j;
        p->open++;
        return loop_word(p, -1, n->sub) > 0 ? j : leave(p, j, n->sub);
    case KNK_WHILE: return truth(p, n->a) ? j : leave(p, j, n->sub);
    case KNK_NEXT:
        for (j = i; node[j].op == KNK_NEXT; j++)
            next[j] = p->v[node[j].b];
        for (j = i; node[j].op == KNK_NEXT; j++)
            p->v[node[j].a] = next[j];
        return j;
    case KNK_END:
        if (--p->a->asking->left < 0 && !p->a->asking->ask(p->a->asking)) {
            p->ended = true;
            return p->m->r.kernel->n_node;
        }
        return ++p->turn[n->sub] < loop_word(p, -1, n->sub) ? p->head[n->sub] : leave(p, i, n->sub);
    default: p->v[i] = p->v[n->a]; return j;
    }
}

static void plain_node(point *p, int i)
{
    const made *m = p->m;
    const knk_inst *node = m->r.kernel->node, *n = &node[i];
    int size = knk_size(n->dtype);
    const knh_words *w;
    switch (n->op) {
    case KNK_CONST: break;
    case KNK_STORE:
        if (p->open)
            store(p, n);
        break;
    case KNK_INDEX: p->v[i] = (uint64_t)at(p, words_of(m, p->a, KNH_NUMBER, -1, n->map, KNK_NONE)); break;
    case KNK_LOAD:
        w = words_of(m, p->a, KNH_MEMORY, n->buffer, n->map, KNK_NONE);
        if (n->b >= 0 && !truth(p, n->b))
            p->v[i] = n->c >= 0 ? p->v[n->c] : 0;
        else
            memcpy(&p->v[i], touched(n, at(p, w) + (n->a >= 0 ? (int64_t)p->v[n->a] * size : 0)), (size_t)size);
        break;
    case KNK_REDUCE:
        if (m->r.mode == KNH_ROWS) {
            combine(n, &p->acc[p->reductions++][p->lane % 64], &p->v[n->a]);
        } else {
            w = words_of(m, p->a, KNH_PARTIAL, -1, -1, i);
            combine(n, m->r.mode == KNH_RUNS ? place(w, 0, (p->a->phase + p->lane) % 64) : place(w, p->row, p->lane),
                    &p->v[n->a]);
        }
        break;
    default: apply(n, node, p->v, i);
    }
}

static void run_point(const made *m, const knh_args *a, uint64_t *v, uint64_t (*acc)[64], int64_t row, int64_t lane)
{
    const knk_kernel *k = m->r.kernel;
    const knk_stage *st = &k->stage[m->r.stage];
    point p = {.m = m, .a = a, .v = v, .acc = acc, .row = row, .lane = lane};
    for (int i = 0; i < m->n; i++) {
        const knh_stream *s = &m->stream[i];
        if (s->kind == KNH_IMPORT)
            memcpy(&v[s->node], place(&a->stream[i], row, lane), (size_t)knk_size(s->dtype));
    }
    for (int i = st->first; i < st->end;) {
        if (knk_is_loop_op(k->node[i].op))
            i = loop_node(&p, i);
        else
            plain_node(&p, i++);
    }
    if (p.ended)
        return;
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &k->node[i];
        p.open += (n->op == KNK_LOOP) - (n->op == KNK_END);
        if (n->op == KNK_STORE && !p.open)
            store(&p, n);
    }
    for (int i = 0; i < m->n; i++) {
        const knh_stream *s = &m->stream[i];
        if (s->kind == KNH_EXPORT && k->node[s->node].op != KNK_REDUCE)
            memcpy(place(&a->stream[i], row, lane), &v[s->node], (size_t)knk_size(s->dtype));
    }
}

static void end_row(const made *m, const knh_args *a, uint64_t (*acc)[64], int64_t row)
{
    const knk_kernel *k = m->r.kernel;
    for (int i = k->stage[m->r.stage].first, r = 0; i < k->stage[m->r.stage].end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op != KNK_REDUCE)
            continue;
        uint64_t *x = acc[r++];
        for (int l = 0; l < 16; l++) {
            combine(n, &x[l], &x[16 + l]);
            combine(n, &x[32 + l], &x[48 + l]);
            combine(n, &x[l], &x[32 + l]);
        }
        for (int h = 8; h; h /= 2)
            for (int l = 0; l < h; l++)
                combine(n, &x[l], &x[l + h]);
        memcpy(place(words_of(m, a, KNH_EXPORT, -1, -1, i), row, 0), &x[0], (size_t)knk_size(n->dtype));
    }
}

static void run(int number, knh_args *a)
{
    const made *m = table[number];
    const knk_kernel *k = m->r.kernel;
    uint64_t v[MOST_NODES], acc[32][64];
    check(m, a);
    for (int i = 0; i < k->n_node; i++)
        v[i] = k->node[i].op == KNK_CONST ? bits_lane(k->node[i].imm, (size_t)knk_size(k->node[i].dtype)) : 0;
    for (int64_t row = 0; row < a->rows; row++) {
        for (int i = k->stage[m->r.stage].first, r = 0; i < k->stage[m->r.stage].end && m->r.mode == KNH_ROWS; i++)
            if (k->node[i].op == KNK_REDUCE) {
                for (int j = 0; j < 64; j++)
                    acc[r][j] = bits_lane(knk_reduction_identity(k->node[i].sub, k->node[i].dtype),
                                          (size_t)knk_size(k->node[i].dtype));
                r++;
            }
        for (int64_t lane = 0; lane < a->n; lane++)
            run_point(m, a, v, acc, row, lane);
        if (m->r.mode == KNH_ROWS)
            end_row(m, a, acc, row);
    }
    for (int i = 0; i < m->n; i++) /* it may change the addresses */
        a->stream[i].at = 64;
}

#define ONE(x, y, z) \
    static void f_##x##y##z(knh_args *a) { run(0x##x##y##z, a); }
#define NAME(x, y, z) f_##x##y##z,
/* clang-format off */
#define EACH(M, x, y) \
    M(x, y, 0) M(x, y, 1) M(x, y, 2) M(x, y, 3) M(x, y, 4) M(x, y, 5) M(x, y, 6) M(x, y, 7) M(x, y, 8) \
    M(x, y, 9) M(x, y, a) M(x, y, b) M(x, y, c) M(x, y, d) M(x, y, e) M(x, y, f)
#define EACH2(M, x) \
    EACH(M, x, 0) EACH(M, x, 1) EACH(M, x, 2) EACH(M, x, 3) EACH(M, x, 4) EACH(M, x, 5) EACH(M, x, 6) \
    EACH(M, x, 7) EACH(M, x, 8) EACH(M, x, 9) EACH(M, x, a) EACH(M, x, b) EACH(M, x, c) EACH(M, x, d) \
    EACH(M, x, e) EACH(M, x, f)
#define EACH3(M) \
    EACH2(M, 0) EACH2(M, 1) EACH2(M, 2) EACH2(M, 3) EACH2(M, 4) EACH2(M, 5) EACH2(M, 6) EACH2(M, 7) EACH2(M, 8) \
    EACH2(M, 9) EACH2(M, a) EACH2(M, b) EACH2(M, c) EACH2(M, d) EACH2(M, e) EACH2(M, f)
/* clang-format on */
EACH3(ONE)
static knh_function *const functions[MOST] = {EACH3(NAME)};

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g;
    int i = 0;
    while (i < MOST && table[i] && table[i]->used)
        i++;
    if (i == MOST || r->kernel->n_node > MOST_NODES)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the table of reference functions is full");
    if (!table[i])
        table[i] = calloc(1, sizeof *table[i]);
    made *m = table[i];
    m->used = 1;
    m->r = *r;
    m->n = knh_streams(r->kernel, r->stage, r->mode, m->stream);
    memcpy(m->cls, r->cls, (size_t)m->n);
    live++;
    *out = functions[i];
    *keep = m;
    return NULL;
}

static void drop(void *keep)
{
    ((made *)keep)->used = 0;
    live--;
}

static void flush(void) {}

const knh_generator stage_reference = {.name = "reference", .make = make, .drop = drop, .flush = flush, .lanes = 16};
