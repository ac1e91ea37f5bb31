/* SPDX-License-Identifier: Apache-2.0
 * kernel_case.c -- kernels with launches and data. The bounds of loads with an index are found by running the part of
 * the kernel that works the index out. */
#include "support/kernel_case.h"
#include "base/half.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include "support/scratch.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20, GUARD = 8 };

static int own_loops(const knk_kernel *k, int stage) { return k->stage[stage].n_inner + k->stage[stage].n_loop; }
static int loops_of(const knk_kernel *k, int stage) { return k->n_par + own_loops(k, stage); }
/* A loop without a limit, in which no map moves, counts as one turn. */
static int64_t extent_of(const kernel_case *c, int stage, int loop)
{
    int64_t e = loop < c->k->n_par ? c->l.par[loop] : c->l.inner[stage][loop - c->k->n_par];
    return e == KNK_NO_LIMIT ? 1 : e;
}

/* Allocates what a launch has, all zeros. */
static knx_error *lay_out(kernel_case *c)
{
    const knk_kernel *k = c->k;
    knx_arena *a = &c->arena;
    int64_t *par = knx_arena_zero(a, ((size_t)k->n_par + 1) * sizeof *par);
    const int64_t **inner = knx_arena_zero(a, ((size_t)k->n_stage + 1) * sizeof *inner);
    knk_map_values *map = knx_arena_zero(a, ((size_t)k->n_map + 1) * sizeof *map);
    size_t n = (size_t)k->n_buffer + 1;
    c->alias = knx_arena_zero(a, n * sizeof *c->alias);
    c->index = knx_arena_zero(a, n * sizeof *c->index);
    c->low = knx_arena_zero(a, n * sizeof *c->low);
    c->high = knx_arena_zero(a, n * sizeof *c->high);
    if (!par || !inner || !map || !c->alias || !c->index || !c->low || !c->high)
        return knx_error_nomem();
    for (int s = 0; s < k->n_stage; s++)
        if (!(inner[s] = knx_arena_zero(a, ((size_t)own_loops(k, s) + 1) * sizeof *par)))
            return knx_error_nomem();
    for (int m = 0; m < k->n_map; m++)
        if (!(map[m].stride = knx_arena_zero(a, ((size_t)loops_of(k, k->map[m].stage) + 1) * sizeof(int64_t))))
            return knx_error_nomem();
    for (int b = 0; b < k->n_buffer; b++)
        c->alias[b] = b;
    c->l = (knk_launch){.par = par, .inner = inner, .map = map};
    return NULL;
}

/* Which buffers hold indices: from each index of a load back to the loads that it is made of. */
static knx_error *find_indices(kernel_case *c)
{
    const knk_kernel *k = c->k;
    uint8_t *used = knx_arena_zero(&c->arena, (size_t)k->n_node + 1);
    if (!used)
        return knx_error_nomem();
    for (int i = k->n_node - 1; i >= 0; i--) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_LOAD && n->a >= 0)
            used[n->a] = 1;
        if (n->op == KNK_LOAD && used[i])
            c->index[n->buffer] = true;
        for (int j = 0; j < 3 && used[i]; j++)
            if (knk_operand(n, j) >= 0)
                used[knk_operand(n, j)] = 1;
    }
    return NULL;
}

static bool numbers(const char **s, int64_t *to, int n)
{
    for (int i = 0; i < n; i++) {
        char *end;
        to[i] = strtoll(*s, &end, 10);
        if (end == *s)
            return false;
        *s = end;
    }
    return true;
}

static bool launch_line(kernel_case *c, const char *s)
{
    const knk_kernel *k = c->k;
    int64_t which[2];
    if (!strncmp(s, "par", 3))
        return s += 3, numbers(&s, (int64_t *)(uintptr_t)c->l.par, k->n_par);
    if (!strncmp(s, "inner", 5)) {
        s += 5;
        return numbers(&s, which, 1) && which[0] >= 0 && which[0] < k->n_stage &&
               numbers(&s, (int64_t *)(uintptr_t)c->l.inner[which[0]], own_loops(k, (int)which[0]));
    }
    if (!strncmp(s, "map", 3)) {
        s += 3;
        if (!numbers(&s, which, 2) || which[0] < 0 || which[0] >= k->n_map)
            return false;
        knk_map_values *m = (knk_map_values *)(uintptr_t)&c->l.map[which[0]];
        m->offset = which[1];
        return numbers(&s, (int64_t *)(uintptr_t)m->stride, loops_of(k, k->map[which[0]].stage));
    }
    if (!strncmp(s, "alias", 5)) {
        s += 5;
        if (!numbers(&s, which, 2) || which[0] < 0 || which[0] >= k->n_buffer || which[1] < 0 || which[1] >= which[0])
            return false;
        if (c->k->buffer[which[0]].dtype ==
            c->k->buffer[which[1]].dtype) /* others have nothing to do with each other */
            c->alias[which[0]] = c->alias[which[1]];
        return true;
    }
    return !*s || *s == '\n';
}

knx_error *kernel_case_parse(const char *text, kernel_case *c)
{
    *c = (kernel_case){0};
    const char *launch = strstr(text, "\nlaunch\n");
    if (!launch)
        return knx_error_new(KN_ERROR_VALUE, "the file has no launch");
    char *head = knx_alloc((size_t)(launch - text) + 1);
    if (!head)
        return knx_error_nomem();
    memcpy(head, text, (size_t)(launch - text));
    head[launch - text] = 0;
    knx_error *e = knk_parse(head, &c->k);
    knx_free(head);
    if (!e)
        e = lay_out(c);
    for (const char *s = launch + 8; !e && *s;) {
        if (!launch_line(c, s))
            e = knx_error_new(KN_ERROR_VALUE, "not a line of a launch: %.40s", s);
        const char *end = strchr(s, '\n');
        s = end ? end + 1 : s + strlen(s);
    }
    if (!e)
        e = find_indices(c);
    if (e)
        kernel_case_free(c);
    return e;
}

knx_error *kernel_case_dense(knk_kernel *k, const int64_t *par, const int64_t *inner, kernel_case *c)
{
    *c = (kernel_case){.k = k};
    knx_error *e = lay_out(c);
    if (e) {
        kernel_case_free(c);
        return e;
    }
    for (int d = 0; d < k->n_par; d++)
        ((int64_t *)(uintptr_t)c->l.par)[d] = par[d];
    for (int s = 0; s < k->n_stage; s++)
        for (int d = 0; d < own_loops(k, s); d++)
            ((int64_t *)(uintptr_t)c->l.inner[s])[d] = *inner++;
    for (int m = 0; m < k->n_map; m++) {
        int64_t step = 1, *stride = (int64_t *)(uintptr_t)c->l.map[m].stride;
        bool unit = false; /* some loop has it */
        for (int d = 0; d < loops_of(k, k->map[m].stage); d++)
            unit |= k->map[m].cls[d] == KNK_STRIDE_ONE;
        for (int pass = 0; pass < 2; pass++) /* the loop of stride 1 goes first */
            for (int d = loops_of(k, k->map[m].stage) - 1; d >= 0; d--) {
                int cls = k->map[m].cls[d];
                if (cls == KNK_STRIDE_ZERO || (cls == KNK_STRIDE_ONE) != (pass == 0))
                    continue;
                stride[d] = cls == KNK_STRIDE_ONE ? 1 : step * (unit || step > 1 ? 1 : 2);
                step = stride[d] * (extent_of(c, k->map[m].stage, d) + 1);
            }
    }
    return find_indices(c);
}

void kernel_case_free(kernel_case *c)
{
    if (c->k)
        knk_release(c->k);
    knx_arena_free(&c->arena);
    *c = (kernel_case){0};
}

static double points_of(const kernel_case *c, int s)
{
    double points = 1;
    for (int d = 0; d < loops_of(c->k, s); d++)
        points *= (double)extent_of(c, s, d);
    return points;
}

double kernel_case_points(const kernel_case *c)
{
    double most = 0;
    for (int s = 0; s < c->k->n_stage; s++)
        if (points_of(c, s) > most)
            most = points_of(c, s);
    return most;
}

void kernel_case_shrink(kernel_case *c, double most_points)
{
    for (int s = 0; s < c->k->n_stage; s++)
        while (points_of(c, s) > most_points) {
            int largest = 0;
            for (int d = 1; d < loops_of(c->k, s); d++)
                if (extent_of(c, s, d) > extent_of(c, s, largest))
                    largest = d;
            int64_t *e = (int64_t *)(uintptr_t)(largest < c->k->n_par ? &c->l.par[largest]
                                                                      : &c->l.inner[s][largest - c->k->n_par]);
            *e = *e * 2 / 3;
        }
}

/* Random numbers by place: an element has its value whatever the size of its buffer. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double random_float(uint64_t r)
{
    static const double special[] = {
        0.0,          -0.0,         1,       -1,     0.5,    2,      INFINITY, -INFINITY, NAN,   1e-310,
        1e-40,        -1e-40,       1e300,   -1e300, 3.4e38, 1e-30,  255,      -129,      65536, 65504,
        2147483648.0, 4294967296.0, -9.3e18, 1.9e19, 88.8,   -103.9, 709.9,    6e-8,      1e5,   3e9};
    switch (r & 7) {
    case 0: return special[(r >> 8) % (sizeof special / sizeof *special)];
    case 1: return (double)((int)(r >> 8 & 31) - 16);
    case 2: return ((double)(r >> 11) * 0x1p-53 - 0.5) * 200;
    case 3: return (double)(r >> 11) * 0x1p-53;
    case 4: return ldexp((double)(int64_t)r, (int)(r >> 8 & 63) - 95);
    default: return ((double)(r >> 11) * 0x1p-53 - 0.5) * 8;
    }
}

static void set_element(char *to, int dtype, uint64_t r, bool small)
{
    double v = random_float(r);
    float f = (float)v;
    uint64_t bits = (r & 7) < 5 ? (r >> 8 & 15) - ((r >> 16 & 1) ? 8 : 0) : mix(r);
    int size = knk_size(dtype);
    if (small) {
        bits = r >> 8 & 3;
        f = (float)bits;
        v = (double)bits;
    }
    if (dtype == KN_ID_BOOL)
        bits = r & 1;
    uint16_t half = dtype == KN_ID_F16 ? knx_f64_to_f16(v) : knx_f64_to_bf16(v);
    if (dtype == KN_ID_F64)
        memcpy(to, &v, 8);
    else if (dtype == KN_ID_F32)
        memcpy(to, &f, 4);
    else if (knk_is_half_id(dtype))
        memcpy(to, &half, 2);
    else
        bits_put(to, bits, (size_t)size);
}

static int memory_dtype(const kernel_case *c, int b)
{
    return (int)knk_memory_dtype((knx_dtype_id)c->k->buffer[b].dtype);
}

static void widen(kernel_case *c, int b, int64_t from, int64_t to) /* elements from .. to are touched */
{
    b = c->alias[b];
    if (c->low[b] == c->high[b]) {
        c->low[b] = from;
        c->high[b] = to + 1;
    }
    c->low[b] = from < c->low[b] ? from : c->low[b];
    c->high[b] = to + 1 > c->high[b] ? to + 1 : c->high[b];
}

/* The smallest and largest element number of a map; false: no point. */
static bool map_range(const kernel_case *c, int m, int64_t *from, int64_t *to)
{
    *from = *to = c->l.map[m].offset;
    for (int d = 0; d < loops_of(c->k, c->k->map[m].stage); d++) {
        int64_t e = extent_of(c, c->k->map[m].stage, d), last = (e - 1) * c->l.map[m].stride[d];
        if (e == 0 && d >= c->k->n_par + c->k->stage[c->k->map[m].stage].n_inner && !c->l.map[m].stride[d])
            continue; /* what does not move with a loop lies outside of it */
        if (e == 0)
            return false;
        *(last < 0 ? from : to) += last;
    }
    return true;
}

static bool allocate(const kernel_case *c, kernel_data *d, uint64_t seed)
{
    for (int b = 0; b < c->k->n_buffer; b++) {
        int dtype = memory_dtype(c, b), size = knk_size(dtype);
        if (c->alias[b] != b) {
            d->base[b] = d->base[c->alias[b]];
            continue;
        }
        int64_t n = c->high[b] - c->low[b] + 2 * GUARD, bytes = n * size;
        bool small = false;
        for (int a = 0; a < c->k->n_buffer; a++)
            small |= c->alias[a] == b && c->index[a];
        knx_free(d->block[b]);
        d->block[b] = NULL;
        if (n > MOST_BYTES || bytes > MOST_BYTES || !(d->block[b] = knx_alloc((size_t)bytes + 64)))
            return false;
        char *start = (char *)(((uintptr_t)d->block[b] + 63) & ~(uintptr_t)63);
        d->base[b] = start + (GUARD - c->low[b]) * size;
        for (int64_t i = 0; i < n; i++)
            set_element(start + i * size, dtype,
                        mix(seed * 0x9e3779b97f4a7c15u + (uint64_t)b * 0x632be59bd9b4e019u +
                            (uint64_t)(i + c->low[b] + ((int64_t)1 << 40))),
                        small);
    }
    return true;
}

/* The kernel up to node x, which is the index of a load, with index and predicate stored for every point. */
static knk_kernel *address_kernel(const kernel_case *c, const knk_inst *load, int x)
{
    const knk_kernel *k = c->k;
    knk_kernel *out = NULL;
    knk_builder *b = knk_new(k->n_par);
    uint8_t cls[KNK_MAX_LOOPS];
    if (!b)
        return NULL;
    memset(cls, KNK_STRIDE_ANY, sizeof cls);
    for (int i = 0; i < k->n_buffer; i++)
        knk_add_buffer(b, (knx_dtype_id)k->buffer[i].dtype, k->buffer[i].written);
    int to = knk_add_buffer(b, KN_ID_I64, true), pred = knk_add_buffer(b, KN_ID_BOOL, true), map = 0;
    for (int s = 0; s <= load->stage; s++) {
        knk_begin_stage(b, k->stage[s].n_inner);
        for (int m = 0; m < k->n_map; m++)
            if (k->map[m].stage == s)
                knk_add_map(b, k->map[m].cls);
        if (s == load->stage)
            map = knk_add_map(b, cls);
        for (int i = k->stage[s].first; i < k->stage[s].end && i < x; i++)
            knk_append_raw(b, k->node[i]);
    }
    knk_inst store = {.op = KNK_STORE,
                      .dtype = KN_ID_I64,
                      .stage = load->stage,
                      .buffer = (int16_t)to,
                      .map = (int16_t)map,
                      .a = load->a,
                      .b = KNK_NONE,
                      .c = KNK_NONE};
    knk_append_raw(b, store);
    store.buffer = (int16_t)pred;
    store.a = load->b;
    if (load->b >= 0)
        knk_append_raw(b, store);
    knx_error_release(knk_finish(b, &out));
    return out;
}

static int64_t map_at(const kernel_case *c, int m, int64_t point)
{
    int64_t at = c->l.map[m].offset;
    int s = c->k->map[m].stage;
    for (int d = loops_of(c->k, s) - 1; d >= 0; d--) {
        at += point % extent_of(c, s, d) * c->l.map[m].stride[d];
        point /= extent_of(c, s, d);
    }
    return at;
}

/* In a stage with loops: what the form of an index says about its values. */
typedef struct range {
    int64_t from, to;
} range;
enum { MOST_DEPTH = 20 };
static const range anywhere = {-((int64_t)1 << 40), (int64_t)1 << 40};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static range index_range(const kernel_case *c, knk_node x, int depth)
{
    const knk_inst *n = &c->k->node[x];
    range out = anywhere;
    if (n->dtype != KN_ID_I64 || depth > MOST_DEPTH)
        return out;
    if (n->op == KNK_CONST)
        return (range){(int64_t)n->imm, (int64_t)n->imm};
    if (n->op == KNK_INDEX)
        return map_range(c, n->map, &out.from, &out.to) ? out : (range){0, 0};
    if (n->op != KNK_AND && n->op != KNK_MIN && n->op != KNK_MAX && n->op != KNK_ADD && n->op != KNK_SELECT)
        return out;
    range a = index_range(c, n->op == KNK_SELECT ? n->c : n->a, depth + 1), b = index_range(c, n->b, depth + 1);
    switch (n->op) {
    case KNK_AND: return a.from >= 0 ? (range){0, a.to} : b.from >= 0 ? (range){0, b.to} : anywhere;
    case KNK_MIN: return (range){least(a.from, b.from), least(a.to, b.to)};
    case KNK_MAX: return (range){most(a.from, b.from), most(a.to, b.to)};
    case KNK_ADD: return (range){a.from + b.from, a.to + b.to};
    default: return (range){least(a.from, b.from), most(a.to, b.to)};
    }
}

static bool follow_range(kernel_case *c, const knk_inst *load)
{
    int64_t from, to;
    range r = index_range(c, load->a, 0);
    if (!map_range(c, load->map, &from, &to))
        return true;
    if (from + r.from < -MOST_BYTES || to + r.to > MOST_BYTES)
        return false;
    widen(c, load->buffer, from + r.from, to + r.to);
    return true;
}

/* Makes the buffer of a load large enough for the indices that this data gives. */
static bool follow_index(kernel_case *c, const kernel_data *d, int x)
{
    const knk_inst *load = &c->k->node[x];
    if (c->k->stage[load->stage].n_loop)
        return follow_range(c, load);
    int n_buffer = c->k->n_buffer, n_map = c->k->n_map, loops = loops_of(c->k, load->stage), maps = 0;
    size_t points = (size_t)points_of(c, load->stage);
    knk_kernel *k = address_kernel(c, load, x);
    int64_t *at = knx_alloc((points + 1) * sizeof *at), stride[KNK_MAX_LOOPS], step = 1;
    uint8_t *pred = knx_alloc(points + 1);
    void **base = knx_alloc(((size_t)n_buffer + 2) * sizeof *base);
    knk_map_values *map = knx_alloc(((size_t)n_map + 1) * sizeof *map);
    char *scratch = k ? knx_alloc(interpreter_scratch(k) + 64) : NULL;
    bool fine = k && at && pred && base && map && scratch;
    if (fine) {
        memcpy(base, d->base, (size_t)n_buffer * sizeof *base);
        base[n_buffer] = at;
        base[n_buffer + 1] = pred;
        for (int i = loops - 1; i >= 0; i--) {
            stride[i] = step;
            step *= extent_of(c, load->stage, i);
        }
        for (int m = 0; m < n_map && c->k->map[m].stage <= load->stage; m++)
            map[maps++] = c->l.map[m];
        map[maps] = (knk_map_values){0, stride};
        memset(pred, 1, points + 1);
        knk_launch l = {base, map, c->l.par, c->l.inner};
        knk_interpret(k, &l, (void *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63));
        for (size_t i = 0; i < points; i++)
            if (pred[i]) {
                int64_t e = map_at(c, load->map, (int64_t)i) + at[i];
                fine &= e > -MOST_BYTES && e < MOST_BYTES;
                if (fine)
                    widen(c, load->buffer, e, e);
            }
    }
    if (k)
        knk_release(k);
    knx_free(at);
    knx_free(pred);
    knx_free(base);
    knx_free(map);
    knx_free(scratch);
    return fine;
}

static kernel_data *new_data(const kernel_case *c)
{
    size_t n = (size_t)c->k->n_buffer + 1;
    kernel_data *d = knx_alloc_zero(sizeof *d);
    if (!d)
        return NULL;
    d->n = c->k->n_buffer;
    d->base = knx_alloc_zero(n * sizeof *d->base);
    d->block = knx_alloc_zero(n * sizeof *d->block);
    if (!d->base || !d->block) {
        kernel_data_free(d);
        return NULL;
    }
    return d;
}

kernel_data *kernel_data_new(kernel_case *c, uint64_t seed)
{
    const knk_kernel *k = c->k;
    kernel_data *d = new_data(c);
    bool fine = d != NULL;
    for (int b = 0; b < k->n_buffer; b++)
        c->low[b] = c->high[b] = 0;
    for (int i = 0; i < k->n_node && fine; i++) {
        const knk_inst *n = &k->node[i];
        int64_t from, to;
        if ((n->op == KNK_STORE || (n->op == KNK_LOAD && n->a < 0 && n->b < 0)) && map_range(c, n->map, &from, &to))
            widen(c, n->buffer, from, to);
        if (n->op == KNK_LOAD && n->a < 0 && n->b >= 0 && map_range(c, n->map, &from, &to)) {
            /* under a predicate a map may lead anywhere: what is not far away is there */
            widen(c, n->buffer, from, to);
        }
    }
    fine = fine && allocate(c, d, seed);
    for (int i = 0; i < k->n_node && fine; i++)
        if (k->node[i].op == KNK_LOAD && k->node[i].a >= 0)
            fine = follow_index(c, d, i) && allocate(c, d, seed);
    if (!fine && d) {
        kernel_data_free(d);
        d = NULL;
    }
    return d;
}

static size_t bytes_of(const kernel_case *c, int b)
{
    return (size_t)(c->high[b] - c->low[b] + 2 * GUARD) * (size_t)knk_size(memory_dtype(c, b));
}

static char *start_of(const kernel_case *c, const kernel_data *d, int b)
{
    return (char *)d->base[b] - (GUARD - c->low[b]) * knk_size(memory_dtype(c, b));
}

kernel_data *kernel_data_copy(const kernel_case *c, const kernel_data *d)
{
    kernel_data *out = new_data(c);
    for (int b = 0; out && b < c->k->n_buffer; b++) {
        if (c->alias[b] != b) {
            out->base[b] = out->base[c->alias[b]];
            continue;
        }
        if (!(out->block[b] = knx_alloc(bytes_of(c, b) + 64))) {
            kernel_data_free(out);
            return NULL;
        }
        char *start = (char *)(((uintptr_t)out->block[b] + 63) & ~(uintptr_t)63);
        memcpy(start, start_of(c, d, b), bytes_of(c, b));
        out->base[b] = start + (GUARD - c->low[b]) * knk_size(memory_dtype(c, b));
    }
    return out;
}

void kernel_data_free(kernel_data *d)
{
    if (!d)
        return;
    for (int b = 0; d->block && b < d->n; b++)
        knx_free(d->block[b]);
    knx_free(d->block);
    knx_free(d->base);
    knx_free(d);
}

static bool is_nan(int dtype, uint64_t bits)
{
    switch (dtype) {
    case KN_ID_F64: return (bits & ~(uint64_t)0 >> 1) > 0x7ff0000000000000u;
    case KN_ID_F32: return (bits & 0x7fffffffu) > 0x7f800000u;
    case KN_ID_F16: return (bits & 0x7fffu) > 0x7c00u;
    case KN_ID_BF16: return (bits & 0x7fffu) > 0x7f80u;
    default: return false;
    }
}

int64_t kernel_data_differences(const kernel_case *c, const kernel_data *a, const kernel_data *b, int64_t *words,
                                char *where, size_t room)
{
    int64_t differences = 0;
    for (int i = 0; i < c->k->n_buffer; i++) {
        if (c->alias[i] != i)
            continue;
        int d = memory_dtype(c, i), size = knk_size(d);
        int64_t n = c->high[i] - c->low[i] + 2 * GUARD;
        const char *p = start_of(c, a, i), *q = start_of(c, b, i);
        *words += n;
        for (int64_t j = 0; j < n; j++) {
            uint64_t x = bits_at(p + j * size, (size_t)size), y = bits_at(q + j * size, (size_t)size);
            if (x == y || (is_nan(d, x) && is_nan(d, y)))
                continue;
            if (!differences++ && where)
                snprintf(where, room, "buffer %d element %" PRId64 ": 0x%" PRIx64 " and 0x%" PRIx64, i,
                         j - GUARD + c->low[i], x, y);
        }
    }
    return differences;
}
