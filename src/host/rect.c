/* SPDX-License-Identifier: Apache-2.0
 * rect.c -- rectangles of a kernel: one call of a stage function each, or, where there is none, the interpreter row by
 * row. */
#include "host/rect.h"
#include "base/line.h"
#include "host/drive.h"

struct knh_rect {
    const knk_kernel *kernel;
    knh_function *f; /* NULL: it is interpreted */
    int n_stream;
    struct {
        int16_t buffer, map; /* buffer -1: a number */
        int32_t size;
    } stream[];
};

bool knh_fits_rect(const knk_kernel *k)
{
    int owner[KNH_RECT_MAPS];
    if (k->n_stage != 1 || k->stage[0].n_inner || k->stage[0].n_loop || k->n_par != 1 || k->n_map > KNH_RECT_MAPS ||
        k->n_buffer + k->n_map > KNH_RECT_STREAMS)
        return false;
    for (int m = 0; m < k->n_map; m++)
        owner[m] = -2;
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        int of = n->op == KNK_INDEX ? -1 : n->buffer;
        if (n->op != KNK_INDEX && n->op != KNK_LOAD && n->op != KNK_STORE)
            continue;
        if (owner[n->map] != -2 && owner[n->map] != of)
            return false;
        owner[n->map] = of;
    }
    return true;
}

size_t knh_rect_bytes(const knk_kernel *k)
{
    knh_rect *r;
    return sizeof *r + (size_t)k->n_map * sizeof r->stream[0];
}

static knh_function *function_for(const knk_kernel *k, knh_facts *f, const knh_rect_map *map, knh_batch *batch)
{
    const knh_stage_facts *s = f->stage;
    const knh_generator *g = knh_generator_best();
    uint8_t cls[KNH_RECT_STREAMS];
    for (int i = 0; i < s->n_stream; i++) {
        int64_t step = map[s->stream[i].map].lane;
        cls[i] = step == 0 ? KNK_STRIDE_ZERO : step == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
        int size = knk_size(s->stream[i].dtype);
        if (s->stream[i].kind == KNH_MEMORY && knh_is_near(step * size, size) && g->near_steps)
            cls[i] = knh_near_class(step);
    }
    return knh_function_for(g, k, f, &(knh_request){.kernel = k, .mode = KNH_POINTS, .cls = cls}, batch);
}

knx_error *knh_rect_make(void *room, const knk_kernel *k, const knh_rect_map *map, knh_batch *batch,
                         const knh_rect **out)
{
    knh_rect *r = room;
    knh_facts *f = knh_generator_best()->make ? knh_facts_of(k) : NULL;
    *r = (knh_rect){.kernel = k};
    *out = r;
    if (!f || f->stage->n_stream > k->n_map) /* a stream of each map, as none is shared */
        return knk_prepare(k);
    r->f = function_for(k, f, map, batch);
    r->n_stream = f->stage->n_stream;
    for (int i = 0; i < r->n_stream; i++) {
        const knh_stream *s = &f->stage->stream[i];
        r->stream[i].buffer = s->kind == KNH_MEMORY ? s->buffer : -1;
        r->stream[i].map = s->map;
        r->stream[i].size = s->kind == KNH_MEMORY ? knk_size(s->dtype) : 1;
    }
    if (r->f)
        return NULL;
    knh_note_fallback(k);
    return knk_prepare(k);
}

size_t knh_rect_scratch(const knh_rect *r) { return r->f ? 0 : knx_whole_lines(knk_scratch_bytes(r->kernel)); }

double knh_rect_cost(const knk_kernel *k)
{
    const knh_facts *f = knh_facts_of(k);
    return (f ? f->stage->cost : 0.05 * knk_cost(k)) + 0.2 * k->n_map;
}

static void interpret(const knk_kernel *k, void *const *buffer, const knh_rect_map *map, int64_t rows, int64_t n,
                      void *scratch)
{
    knk_map_values value[KNH_RECT_MAPS];
    const int64_t *const inner[1] = {NULL};
    for (int64_t row = 0; row < rows; row++) {
        for (int m = 0; m < k->n_map; m++)
            value[m] = (knk_map_values){map[m].at + row * map[m].row, &map[m].lane};
        knk_interpret(k, &(knk_launch){.buffer = buffer, .map = value, .par = &n, .inner = inner}, scratch);
    }
}

void knh_rect_run(const knh_rect *r, void *const *buffer, const knh_rect_map *map, int64_t rows, int64_t n,
                  void *scratch)
{
    if (!r->f) {
        interpret(r->kernel, buffer, map, rows, n, scratch);
        return;
    }
    _Alignas(knh_args) char room[sizeof(knh_args) + KNH_RECT_STREAMS * sizeof(knh_words)];
    knh_args *args = (knh_args *)(void *)room;
    args->rows = rows;
    args->n = n;
    args->phase = 0;
    for (int i = 0; i < r->n_stream; i++) {
        const knh_rect_map *m = &map[r->stream[i].map];
        int64_t size = r->stream[i].size, base = 0;
        if (r->stream[i].buffer >= 0)
            base = (int64_t)(intptr_t)buffer[r->stream[i].buffer];
        args->stream[i] = (knh_words){base + m->at * size, m->row * size, m->lane * size};
    }
    r->f(args);
}
