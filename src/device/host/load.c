/* SPDX-License-Identifier: Apache-2.0
 * load.c -- a program made ready on the host before it runs: its launches are thought through, their stage functions
 * made, its products planned, and the memory of a run is laid out. */
#include "device/host/loaded.h"

/* A program while it is loaded. */
typedef struct loader {
    knd_host_loaded *l;
    knk_product *product; /* room for a description, used again for each product; NULL: none yet */
} loader;

static knx_error *prepare_launch(knd_host_loaded *l, const knk_kernel *k, const knk_map_values *map, const int64_t *par,
                                 const int64_t *const *inner, const knh_prepared **out)
{
    const knk_launch launch = {.map = map, .par = par, .inner = inner};
    size_t bytes = knh_plan_bytes(k);
    void *room = bytes ? knx_arena_alloc(&l->arena, bytes) : NULL;
    return bytes && !room ? knx_error_nomem() : knh_prepare_in(room, k, &launch, l->batch, out);
}

static knx_error *prepare_kernel(knd_host_loaded *l, const knc_step *s, const int64_t *par, const knh_prepared **out)
{
    return prepare_launch(l, s->u.k.kernel, s->u.k.map, par, s->u.k.inner, out);
}

/* All segments, or, where one of them would be interpreted, none. */
static knx_error *prepare_segments(knd_host_loaded *l, const knc_step *s, const knh_prepared **out)
{
    uint32_t n = s->u.k.n_segment;
    knh_segment *segment = knx_arena_zero(&l->arena, n * sizeof *segment);
    void *whole = knx_arena_alloc(&l->arena, knh_segments_bytes());
    if (!segment || !whole)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++) {
        const knc_segment *x = &s->u.k.segment[i];
        segment[i] = (knh_segment){
            .kernel = x->kernel, .launch = {.map = x->map, .par = x->par, .inner = s->u.k.inner}, .buffer = x->buffer};
        KN_TRY(prepare_launch(l, x->kernel, x->map, x->par, s->u.k.inner, &segment[i].prepared));
        if (!segment[i].prepared)
            return NULL;
    }
    *out = knh_join_segments(whole, (int)n, segment);
    return NULL;
}

static knx_error *load_kernel(knd_host_loaded *l, const knc_step *s, knd_host_step *out)
{
    if (s->u.k.n_segment)
        KN_TRY(prepare_segments(l, s, &out->prepared));
    return out->prepared ? NULL : prepare_kernel(l, s, s->u.k.par, &out->prepared);
}

/* For elements that are adjacent along columns, and along rows. */
static knx_error *prepare_attached(knd_host_loaded *l, const knc_attached *x, const knh_rect **rect)
{
    knh_rect_map map[KNH_RECT_MAPS];
    int n = x->n_batch + x->n_row + x->n_column;
    for (int way = 0; way < 2; way++) {
        bool columns = !way ^ x->across[way];
        for (int m = 0; m < x->kernel->n_map; m++) {
            int64_t own = x->stride[m * n + (columns ? n : n - x->n_column) - 1];
            map[m] = (knh_rect_map){.lane = !x->handed[m] ? own : x->parts};
        }
        void *room = knx_arena_alloc(&l->arena, knh_rect_bytes(x->kernel));
        if (!room)
            return knx_error_nomem();
        KN_TRY(knh_rect_make(room, x->kernel, map, l->batch, &rect[way]));
    }
    return NULL;
}

/* Of the description that a plan was just made of. */
static knx_error *look_for_narrow(loader *m, const knc_step *s, const knd_narrow **out)
{
    knd_narrow x;
    if (!knd_find_narrow(s, m->product, &x))
        return NULL;
    knd_narrow *kept = knx_arena_alloc(&m->l->arena, sizeof *kept);
    if (!kept)
        return knx_error_nomem();
    *kept = x;
    *out = kept;
    return NULL;
}

static knx_error *plan_product(loader *m, const knc_step *s, const bool *kernels, const knr_plan **out)
{
    knk_product *q = m->product ? m->product : (m->product = knx_alloc(sizeof *q));
    if (!q)
        return knx_error_nomem();
    knk_unpack_product(s->u.p.packed, q);
    char *room = knx_arena_alloc(&m->l->arena, knr_plan_bytes(q) + 63);
    if (!room)
        return knx_error_nomem();
    *out = knr_product_make(room + -(uintptr_t)room % 64, q, kernels[0], kernels[1], kernels[2]);
    return NULL;
}

static knx_error *load_product(loader *m, const knc_step *s, knd_host_step *out)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    knd_host_product *x = knx_arena_zero(&m->l->arena, sizeof *x);
    if (!x)
        return knx_error_nomem();
    for (int i = 0; i < 3; i++)
        if (all[i])
            KN_TRY(prepare_attached(m->l, all[i], x->rect[i]));
    out->product = x;
    KN_TRY(plan_product(m, s, (bool[]){all[0] != NULL, all[1] != NULL, all[2] != NULL}, &x->plan));
    return look_for_narrow(m, s, &x->narrow);
}

/* Kernels for a whole block, and for the last one of a batch. */
static knx_error *load_band_step(loader *m, const knc_band *band, const knc_band_step *b, knd_host_band_step *out)
{
    knd_host_loaded *l = m->l;
    if (b->step.kind == KNC_PRODUCT)
        return plan_product(m, &b->step, (bool[]){false, false, false}, &out->plan);
    if (b->step.kind == KNC_ROUTINE) {
        out->scratch = knd_routine_part_scratch(l->head.program, band, b);
        return out->scratch == KN_NOT_KNOWN ? knx_error_nomem() : NULL;
    }
    KN_TRY(prepare_kernel(l, &b->step, b->par[0], &out->prepared[0]));
    out->prepared[1] = out->prepared[0];
    return b->par[1] == b->par[0] ? NULL : prepare_kernel(l, &b->step, b->par[1], &out->prepared[1]);
}

static knx_error *load_band(loader *m, const knc_step *s, knd_host_step *out)
{
    const knc_band *band = s->u.band;
    knd_host_band *h = knx_arena_zero(&m->l->arena, sizeof *h);
    knd_host_band_step *step = knx_arena_zero(&m->l->arena, band->n_step * sizeof *step);
    if (!h || !step)
        return knx_error_nomem();
    h->step = step;
    h->blocks_at = knx_whole_lines((size_t)band->most_maps * sizeof(knk_map_values));
    h->scratch_at = h->blocks_at + band->kept;
    for (uint32_t i = 0; i < band->n_step; i++) {
        KN_TRY(load_band_step(m, band, &band->step[i], &step[i]));
        step[i].chain = h->scratch_at;
        h->scratch_at += band->step[i].chained ? knx_whole_lines(knr_product_chain_bytes(step[i].plan)) : 0;
    }
    h->worker = knx_whole_lines(h->scratch_at + knd_host_band_bytes(band, h));
    out->band = h;
    return NULL;
}

static void make_ready(const knc_program *p, const knc_step *s, knd_host_routine *x)
{
    x->rule = knd_routine_rule(p, s);
    x->ready = x->rule.prim->ready ? x->rule.prim->ready(&x->rule) : NULL;
    x->rule.ready = x->ready;
}

static void let_go(const knd_host_routine *x)
{
    if (x->ready)
        x->rule.prim->done(x->ready);
}

static knx_error *load_routine(knd_host_loaded *l, const knc_step *s, knd_host_step *out)
{
    knd_host_routine *x = knx_arena_zero(&l->arena, sizeof *x);
    if (!x)
        return knx_error_nomem();
    make_ready(l->head.program, s, x);
    l->starts |= s->half == KNC_START;
    out->routine = x;
    return NULL;
}

static knx_error *load_step(loader *m, const knc_step *s, knd_host_step *out)
{
    knd_host_loaded *l = m->l;
    size_t room = 0; /* of a loop or branch: behind a step's addresses */
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: return load_kernel(l, s, out);
    case KNC_PRODUCT: return load_product(m, s, out);
    case KNC_BAND: return load_band(m, s, out);
    case KNC_LOOP: KN_TRY(knd_host_load_loop(l, s, out, &room)); break;
    case KNC_BRANCH: KN_TRY(knd_host_load_branch(l, s, out, &room)); break;
    case KNC_ROUTINE: return load_routine(l, s, out);
    case KNC_COPY: break;
    }
    room += l->step_room;
    l->room = room > l->room ? room : l->room;
    return NULL;
}

void knd_host_unload(knd_loaded *loaded)
{
    knd_host_loaded *l = (knd_host_loaded *)loaded;
    for (uint32_t i = 0; l->step && i < l->head.program->n_step; i++) {
        const knc_step *s = &l->head.program->step[i];
        const knd_host_step *x = &l->step[i];
        if (s->kind == KNC_LOOP && x->loop) {
            knd_release((knd_loaded *)(uintptr_t)x->loop->body);
            knd_release((knd_loaded *)(uintptr_t)x->loop->cond);
        }
        for (uint32_t k = 0; s->kind == KNC_BRANCH && x->branch && k < s->u.r.branch->n; k++)
            knd_release((knd_loaded *)(uintptr_t)x->branch->program[k]);
        if (s->kind == KNC_ROUTINE && x->routine)
            let_go(x->routine);
    }
    knx_arena_free(&l->arena);
    knx_free(l);
}

/* The room of the steps and of their kernels, so that programs which are loaded are as small as they are: of an
 * instance what earlier ones of the same program took at most. */
static bool begin_arena(knd_host_loaded *l)
{
    enum { PIECE = 16 };
    const knc_program *p = l->head.program;
    size_t known = p->made_from ? atomic_load_explicit(&p->made_from->loaded, memory_order_relaxed) : 0,
           bytes = (p->n_step + 1) * sizeof *l->step + PIECE;
    for (uint32_t i = 0; i < p->n_step && !known; i++)
        bytes += knc_is_kernel(&p->step[i])       ? knh_plan_bytes(p->step[i].u.k.kernel) + PIECE
                 : p->step[i].kind == KNC_ROUTINE ? sizeof(knd_host_routine) + PIECE
                                                  : 0;
    return knx_arena_begin(&l->arena, known ? known : bytes);
}

static void note_bytes(knd_host_loaded *l)
{
    const knc_program *p = l->head.program;
    l->head.bytes = sizeof *l + l->arena.total;
    for (uint32_t i = 0; i < p->n_step; i++)
        for (uint32_t k = 0; k < knc_n_inside(&p->step[i]); k++)
            l->head.bytes += p->step[i].kind == KNC_BRANCH ? l->step[i].branch->program[k]->head.bytes
                             : k                           ? l->step[i].loop->cond->head.bytes
                                                           : l->step[i].loop->body->head.bytes;
    size_t used = l->arena.total - (size_t)(l->arena.end - l->arena.next);
    if (p->made_from && used > atomic_load_explicit(&p->made_from->loaded, memory_order_relaxed))
        atomic_store_explicit(&((knc_program *)(uintptr_t)p->made_from)->loaded, used, memory_order_relaxed);
}

static knx_error *load_steps(knd_host_loaded *l)
{
    const knc_program *p = l->head.program;
    loader m = {.l = l};
    if (!begin_arena(l))
        return knx_error_nomem();
    knd_host_step *step = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *step);
    l->step = step;
    if (!step)
        return knx_error_nomem();
    l->room = l->step_room = p->max_ref > KND_FEW_REFS ? knx_whole_lines(p->max_ref * sizeof(void *)) : 0;
    knx_error *error = NULL;
    for (uint32_t i = 0; i < p->n_step && !error; i++)
        error = load_step(&m, &p->step[i], &step[i]);
    knx_free(m.product);
    if (error)
        return error;
    if (!knd_host_lay_out(l))
        return knx_error_nomem();
    note_bytes(l);
    return NULL;
}

knx_error *knd_host_load_in(const knd_device *d, knc_program *p, knh_batch *batch, knd_loaded **out)
{
    knd_host_loaded *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->head = (knd_loaded){.refs = 1, .device = d, .program = knc_retain(p)};
    l->batch = batch;
    knx_error *error = load_steps(l);
    l->batch = NULL;
    if (error)
        knd_release(&l->head);
    else
        *out = &l->head;
    return error;
}

/* All functions of a program are finished together; if that fails, it is loaded once more, and they are made one by
 * one. The caller's reference keeps the kernels until the batch is finished. */
knx_error *knd_host_load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    knh_batch batch = {0};
    knx_error *error = knd_host_load_in(d, p, &batch, out);
    if (knh_finish_batch(&batch) || error)
        return error;
    knd_release(*out);
    *out = NULL;
    return knd_host_load_in(d, p, NULL, out);
}

/* Has nothing to be decided again for the step's new numbers? What it points to lies where it did. */
static bool prepare_again(const knc_program *p, const knc_step *s, const knd_host_step *x)
{
    if (s->kind == KNC_ROUTINE) {
        let_go(x->routine);
        make_ready(p, s, (knd_host_routine *)(uintptr_t)x->routine);
        return true;
    }
    if (!knc_is_kernel(s))
        return s->kind == KNC_COPY; /* nothing was made of it */
    const knk_launch launch = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
    return x->prepared && knh_prepare_again(x->prepared, &launch);
}

static void forget_steps(knd_host_loaded *l)
{
    for (uint32_t i = 0; i < l->head.program->n_step; i++)
        if (l->head.program->step[i].kind == KNC_ROUTINE)
            let_go(l->step[i].routine);
    l->step = NULL;
    knx_arena_reset(&l->arena);
}

KNX_HOT knx_error *knd_host_reload(knd_loaded *loaded)
{
    knd_host_loaded *l = (knd_host_loaded *)loaded;
    const knc_program *p = l->head.program;
    bool same = true, alone = true;
    for (uint32_t i = 0; same && i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        same = prepare_again(p, s, &l->step[i]);
        alone = alone && same && (knc_is_kernel(s) ? knh_runs_alone(l->step[i].prepared) : s->kind == KNC_COPY);
    }
    atomic_store_explicit(&l->scratch_known, 0, memory_order_relaxed);
    if (same)
        return knd_host_lay_out_again(l, alone) ? NULL : knx_error_nomem();
    forget_steps(l);
    knh_batch batch = {0};
    l->batch = &batch;
    knx_error *error = load_steps(l);
    l->batch = NULL;
    if (knh_finish_batch(&batch) || error)
        return error;
    forget_steps(l);
    return load_steps(l);
}
