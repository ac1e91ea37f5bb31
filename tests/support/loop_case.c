/* SPDX-License-Identifier: Apache-2.0
 * loop_case.c -- one loop for tests, and its parts. */
#include "support/loop_case.h"
#include "host/native.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include "support/scratch.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t seed_;
static uint32_t random32(void)
{
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed_ >> 33) ^ (uint32_t)(seed_ >> 50);
}
void loop_case_seed(uint64_t seed) { seed_ = seed; }
int loop_case_below(int n) { return (int)(random32() % (uint32_t)n); }

/* The numbers of a launch and its memory. */
typedef struct problem {
    const knk_kernel *k;
    int64_t par[LOOP_CASE_DIMS], inner[LOOP_CASE_DIMS], stride[LOOP_CASE_MAPS][LOOP_CASE_DIMS];
    const int64_t *inner_of[4];
    knk_map_values map[LOOP_CASE_MAPS];
    size_t bytes[LOOP_CASE_BUFFERS];
    void *data[LOOP_CASE_BUFFERS];
} problem;

static void fill(void *data, int d, size_t bytes)
{
    int size = knk_size(d);
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        double v = (double)(int32_t)random32() / 1e9;
        float f = (float)v;
        uint64_t bits = (uint64_t)(int64_t)(loop_case_below(2000) - 1000);
        if (d == KN_ID_BOOL)
            bits = random32() & 1;
        else if (d == KN_ID_F16)
            bits = 0x3800 + random32() % 0x800;
        else if (d == KN_ID_BF16)
            bits = 0x3f00 + random32() % 0x100;
        if (d == KN_ID_F32 || d == KN_ID_F64)
            memcpy((char *)data + i, d == KN_ID_F32 ? (void *)&f : (void *)&v, (size_t)size);
        else
            bits_put((char *)data + i, bits, (size_t)size);
    }
}

/* Maps without gaps, the innermost index the one of class ONE, and memory for them. par, loops: extents; one stage with
 * loops; of others there is one inner extent of 5 if they have one. */
static void lay_out(problem *q, const knk_kernel *k, const int64_t *par, const int64_t *loops)
{
    static const int64_t five[LOOP_CASE_DIMS] = {5, 5};
    memset(q, 0, sizeof *q);
    q->k = k;
    memcpy(q->par, par, (size_t)k->n_par * sizeof *par);
    assert_true(k->n_map <= LOOP_CASE_MAPS && k->n_buffer <= LOOP_CASE_BUFFERS);
    int64_t elements[LOOP_CASE_BUFFERS] = {0};
    for (int s = 0; s < k->n_stage; s++)
        q->inner_of[s] = k->stage[s].n_loop ? loops : five;
    for (int m = 0; m < k->n_map; m++) {
        int n = knk_map_loops(k, m);
        int64_t size = 1;
        for (int pass = 0; pass < 2; pass++)
            for (int d = n - 1; d >= 0; d--) {
                int64_t extent = d < k->n_par ? par[d] : q->inner_of[k->map[m].stage][d - k->n_par];
                bool one = k->map[m].cls[d] == KNK_STRIDE_ONE;
                if (k->map[m].cls[d] == KNK_STRIDE_ZERO || one != !pass)
                    continue;
                q->stride[m][d] = one ? 1 : size == 1 ? 2 : size;
                size += q->stride[m][d] * (extent > 0 ? extent - 1 : 0) + !one;
            }
        q->map[m].stride = q->stride[m];
        for (int i = 0; i < k->n_node; i++)
            if ((k->node[i].op == KNK_LOAD || k->node[i].op == KNK_STORE) && k->node[i].map == m) {
                int64_t room = size + (k->node[i].op == KNK_LOAD && k->node[i].a >= 0 ? 64 : 0);
                int b = k->node[i].buffer;
                elements[b] = room > elements[b] ? room : elements[b];
            }
    }
    for (int b = 0; b < k->n_buffer; b++) {
        q->bytes[b] = (size_t)elements[b] * (size_t)knk_size(knk_memory_dtype((knx_dtype_id)k->buffer[b].dtype));
        q->data[b] = aligned_alloc(64, (q->bytes[b] + 128) & ~(size_t)63);
        fill(q->data[b], (int)knk_memory_dtype((knx_dtype_id)k->buffer[b].dtype), q->bytes[b]);
    }
}

static void release(problem *q)
{
    for (int b = 0; b < q->k->n_buffer; b++)
        free(q->data[b]);
}

/* The reference: one point. */
typedef struct walker {
    const problem *q;
    void *const *data;
    int64_t index[LOOP_CASE_DIMS], turn[LOOP_CASE_DIMS];
    uint64_t *value, *next;
} walker;

static int64_t at_map(const walker *w, int m)
{
    const knk_kernel *k = w->q->k;
    int64_t at = w->q->map[m].offset;
    for (int d = 0; d < knk_map_loops(k, m); d++)
        at += w->q->stride[m][d] * (d < k->n_par ? w->index[d] : w->turn[d - k->n_par]);
    return at;
}

static bool truth(uint64_t lane) { return *(const uint8_t *)&lane & 1; }

static void one_node(walker *w, int i)
{
    const knk_kernel *k = w->q->k;
    const knk_inst *n = &k->node[i];
    uint64_t *v = w->value;
    int size = knk_size(n->dtype);
    if (n->op == KNK_CONST) {
        v[i] = bits_lane(n->imm, (size_t)size);
    } else if (n->op == KNK_INDEX) {
        v[i] = (uint64_t)at_map(w, n->map);
    } else if (n->op == KNK_LOAD) {
        v[i] = n->c >= 0 ? v[n->c] : 0;
        if (n->b < 0 || truth(v[n->b]))
            memcpy(&v[i], (char *)w->data[n->buffer] + (at_map(w, n->map) + (n->a >= 0 ? (int64_t)v[n->a] : 0)) * size,
                   (size_t)size);
    } else if (n->op == KNK_STORE) {
        size = knk_size(k->node[n->a].dtype);
        memcpy((char *)w->data[n->buffer] + at_map(w, n->map) * size, &v[n->a], (size_t)size);
    } else if (n->op == KNK_LAST || n->op == KNK_BITCAST) {
        v[i] = v[n->a];
    } else {
        int row = n->op == KNK_CAST ? KNK_LOOP_OPS + k->node[n->a].dtype : n->op;
        int dtype = n->op == KNK_SELECT || n->op == KNK_CAST ? n->dtype : k->node[n->a].dtype;
        uint64_t d[16] = {0}, x[3][16] = {{0}};
        for (int j = 0; j < 3; j++)
            if (knk_operand(n, j) >= 0)
                x[j][0] = v[knk_operand(n, j)];
        knk_lane_loop(row, dtype, 0)(d, x[0], x[1], x[2], 1);
        v[i] = d[0];
    }
}

/* Nodes from `i` on to the end of the stage or of the loop that they lie in; false: a condition was false. */
static bool walk(walker *w, int i, int end)
{
    const knk_kernel *k = w->q->k;
    for (; i < end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_WHILE && !truth(w->value[n->a]))
            return false;
        if (n->op == KNK_NEXT)
            w->next[n->a] = w->value[n->b];
        if (n->op != KNK_LOOP) {
            if (!knk_is_loop_op(n->op) || n->op == KNK_LAST)
                one_node(w, i);
            continue;
        }
        int last = i + 1, first = i + 1;
        while (!(k->node[last].op == KNK_END && k->node[last].sub == n->sub))
            last++;
        for (; k->node[first].op == KNK_CARRY && k->node[first].sub == n->sub; first++)
            w->value[first] = w->value[k->node[first].a];
        for (int64_t t = 0; t < w->q->inner_of[n->stage][n->sub]; t++) {
            w->turn[n->sub] = t;
            if (!walk(w, first, last))
                break;
            for (int c = i + 1; c < first; c++)
                w->value[c] = w->next[c];
        }
        w->turn[n->sub] = 0;
        i = last;
    }
    return true;
}

static void reference(const problem *q, void *const *data)
{
    const knk_kernel *k = q->k;
    walker w = {.q = q, .data = data};
    w.value = calloc((size_t)k->n_node + 1, sizeof *w.value);
    w.next = calloc((size_t)k->n_node + 1, sizeof *w.next);
    int64_t points = 1;
    for (int d = 0; d < k->n_par; d++)
        points *= q->par[d];
    for (int64_t p = 0; p < points; p++) {
        int64_t rest = p;
        for (int d = k->n_par - 1; d >= 0; d--) {
            w.index[d] = rest % q->par[d];
            rest /= q->par[d];
        }
        walk(&w, 0, k->n_node);
    }
    free(w.value);
    free(w.next);
}

/* Equal bits, NaNs being equal. */
static bool same_value(int d, const char *a, const char *b)
{
    int size = knk_size(d);
    if (!memcmp(a, b, (size_t)size))
        return true;
    float f[2];
    double g[2];
    if (d == KN_ID_F32) {
        memcpy(&f[0], a, 4);
        memcpy(&f[1], b, 4);
        return isnan(f[0]) && isnan(f[1]);
    }
    if (d != KN_ID_F64)
        return false;
    memcpy(&g[0], a, 8);
    memcpy(&g[1], b, 8);
    return isnan(g[0]) && isnan(g[1]);
}

static void expect_same(const problem *q, void *const *want, void *const *got, const char *what)
{
    for (int b = 0; b < q->k->n_buffer; b++) {
        int d = (int)knk_memory_dtype((knx_dtype_id)q->k->buffer[b].dtype), size = knk_size(d);
        for (size_t i = 0; i < q->bytes[b]; i += (size_t)size)
            if (!same_value(d, (char *)want[b] + i, (char *)got[b] + i)) {
                uint64_t x = bits_at((char *)want[b] + i, (size_t)size), y = bits_at((char *)got[b] + i, (size_t)size);
                char *text = NULL;
                if (!knk_text(q->k, &text))
                    fprintf(stderr, "%s", text);
                knx_free(text);
                fail_msg("%s: points %lld, turns %lld: buffer %d, element %zu: %llx, not %llx", what,
                         (long long)q->par[0], (long long)q->inner_of[0][0], b, i / (size_t)size, (unsigned long long)y,
                         (unsigned long long)x);
            }
    }
}

static void copy_data(const problem *q, void **to)
{
    for (int b = 0; b < q->k->n_buffer; b++) {
        to[b] = aligned_alloc(64, (q->bytes[b] + 128) & ~(size_t)63);
        memcpy(to[b], q->data[b], q->bytes[b]);
    }
}

static void run_on(const problem *q, const knh_generator *g, int threads, void *const *want)
{
    void *data[LOOP_CASE_BUFFERS], *scratch = aligned_alloc(64, (any_scratch(q->k, threads) + 127) & ~(size_t)63);
    copy_data(q, data);
    uint64_t before = knh_count().fallbacks;
    knk_launch l = {data, q->map, q->par, q->inner_of};
    knh_run_on(g, q->k, &l, scratch, threads);
    if (g->make)
        assert_int_equal(knh_count().fallbacks, before);
    expect_same(q, want, data, g->name);
    for (int i = 0; i < q->k->n_buffer; i++)
        free(data[i]);
    free(scratch);
}

void loop_case_check(const knk_kernel *k, const int64_t *par, const int64_t *loops, int threads)
{
    const knh_generator *g;
    problem q;
    void *want[LOOP_CASE_BUFFERS];
    lay_out(&q, k, par, loops);
    copy_data(&q, want);
    reference(&q, want);
    for (int i = 0; (g = knh_generator_number(i)); i++)
        if (knh_generator_works(g))
            run_on(&q, g, threads, want);
    for (int b = 0; b < k->n_buffer; b++)
        free(want[b]);
    release(&q);
}

/* Building. */
knk_kernel *loop_case_finish(knk_builder *b)
{
    knk_kernel *k = NULL;
    knx_error *e = knk_finish(b, &k);
    if (e)
        fail_msg("%s", e->message);
    return k;
}

knk_node loop_case_load(knk_builder *k, int d, const uint8_t *cls, bool in_loop)
{
    int b = knk_add_buffer(k, (knx_dtype_id)d, false), m = in_loop ? knk_add_loop_map(k, cls) : knk_add_map(k, cls);
    return knk_load(k, b, m, KNK_NONE, KNK_NONE, KNK_NONE);
}

void loop_case_store(knk_builder *k, knk_node x, const uint8_t *cls, bool in_loop)
{
    int b = knk_add_buffer(k, knk_dtype(k, x), true), m = in_loop ? knk_add_loop_map(k, cls) : knk_add_map(k, cls);
    knk_store(k, b, m, x);
}

knk_builder *loop_case_begin(int n_par)
{
    knk_builder *k = knk_new(n_par);
    knk_begin_stage(k, 0);
    return k;
}
