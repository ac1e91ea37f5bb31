/* SPDX-License-Identifier: Apache-2.0
 * band.c -- runs a band: some rows of all of its steps, then the next ones. Values that only the band's steps read lie
 * in memory of whoever works on the block; they are addressed as if the whole value were there.
 *
 * Where nothing adds up over the rows, threads take blocks in any order. Where a product does, blocks of one batch (a
 * chunk of rows) have to come to it in order: threads take whole batches, or, if there are too few of them, work on
 * neighbouring blocks side by side and then share the rows of the sums, each adding to its own from block after
 * block. */
#include "base/poll.h"
#include "base/pool.h"
#include "host/dump.h"
#include "device/host/run.h"

typedef struct job {
    const knd_one_run *r;
    const knc_band *band;
    const knd_host_band *made;
    _Atomic(knx_error *) error; /* the first one */
} job;

/* A block: n rows from row `row` on, counted through all batches. */
typedef struct block {
    job *j;
    char *memory; /* where its values lie, and scratch */
    int chains;   /* number of the memory with the chains of its batch */
    int64_t row, n;
} block;

static void *address(const block *b, const knc_ref *ref)
{
    if (ref->space != KNC_AT_BLOCK)
        return knd_address(b->j->r, ref);
    const knc_block *x = &b->j->band->block[ref->index];
    uintptr_t at =
        (uintptr_t)b->memory + (uintptr_t)(b->j->made->blocks_at + x->at + ref->offset); /* row 0 lies outside */
    return (void *)(at - (uintptr_t)b->row * (uintptr_t)x->row);
}

static int64_t first_turn(const block *b, const knc_cut *cut, int64_t extent)
{
    int64_t row = b->row / b->j->band->grain;
    switch ((knc_cut_kind)cut->kind) {
    case KNC_CUT_FIXED: return row / cut->per % extent;
    case KNC_CUT_SHARE: return row * cut->per % extent;
    case KNC_CUT_WHOLE: break;
    }
    return 0;
}

/* Another error than the first one is dropped. */
static void note_error(job *j, knx_error *error)
{
    knx_error *none = NULL;
    if (error && !atomic_compare_exchange_strong(&j->error, &none, error))
        knx_error_release(error);
}

static bool run_kernel(const block *b, uint32_t i, void **at)
{
    const knc_band_step *s = &b->j->band->step[i];
    const knk_kernel *k = s->step.u.k.kernel;
    knk_map_values *map = (knk_map_values *)(void *)b->memory;
    bool last = b->n != b->j->band->height;
    for (int m = 0; m < k->n_map; m++)
        map[m] = s->step.u.k.map[m];
    for (int l = 0; l < k->n_par; l++) {
        int64_t turn = first_turn(b, &s->cut[l], s->step.u.k.par[l]);
        for (int m = 0; turn && m < k->n_map; m++)
            map[m].offset += turn * map[m].stride[l];
    }
    const knk_launch launch = {.buffer = at, .map = map, .par = s->par[last], .inner = s->step.u.k.inner};
    char *scratch = b->memory + b->j->made->scratch_at;
    const knh_prepared *prepared = b->j->made->step[i].prepared[last];
    knh_dump(k, &launch);
    knx_error *error = prepared ? knh_run_moved(prepared, &launch, scratch) : knk_interpret(k, &launch, scratch);
    if (error)
        note_error(b->j, knx_error_placed(error, b->j->r->p->jaxpr->eqn[s->step.eqn].place));
    return !error;
}

/* first_row, end_row: of the sums, where the product adds up over the rows. */
static void run_product(const block *b, uint32_t i, void **at, char *scratch, int64_t first_row, int64_t end_row)
{
    const knc_band_step *s = &b->j->band->step[i];
    const knr_run call = {
        .a = at[s->step.u.p.a], .b = at[s->step.u.p.b], .c = at[s->step.u.p.c], .workspace = scratch, .threads = 1};
    int64_t first = b->row % s->rows;
    knr_part part = {.batch = b->row / s->rows, .m0 = first, .m1 = first + b->n, .k1 = s->other};
    if (s->sums)
        part = (knr_part){part.batch, first_row, end_row, first, first + b->n, NULL};
    if (s->chained)
        part.chain = b->j->r->scratch + (size_t)b->chains * b->j->made->worker + b->j->made->step[i].chain;
    knr_product_run_part(b->j->made->step[i].plan, &call, &part, 0);
}

static bool run_routine(const block *b, uint32_t i, void **at)
{
    const knc_band_step *s = &b->j->band->step[i];
    bool scratch = b->j->made->step[i].scratch > 0;
    knd_routine_part part;
    const kni_rule rule = knd_routine_part_rule(b->j->r->p, s, b->n, &part);
    const kni_routine_args args = {.x = (const void *const *)at,
                                   .y = at + s->step.u.r.n_in,
                                   .workspace = scratch ? b->memory + b->j->made->scratch_at : NULL,
                                   .threads = 1};
    for (uint32_t r = 0; r < s->step.n_ref; r++)
        at[r] = (char *)at[r] + (size_t)b->row * part.row[r];
    knx_error *error = rule.prim->run(&rule, &args);
    if (error)
        note_error(b->j, knx_error_placed(error, b->j->r->p->jaxpr->eqn[s->step.eqn].place));
    return !error;
}

static void find_addresses(const block *b, const knc_band_step *s, void **at)
{
    for (uint32_t r = 0; r < s->step.n_ref; r++)
        at[r] = address(b, &s->step.ref[r]);
}

static void run_rows(const block *b)
{
    void *at[KND_FEW_REFS];
    if (atomic_load_explicit(&b->j->error, memory_order_relaxed))
        return;
    for (uint32_t i = 0; i < b->j->band->n_step; i++) {
        const knc_band_step *s = &b->j->band->step[i];
        if (s->sums)
            continue;
        find_addresses(b, s, at);
        if (s->step.kind == KNC_ROUTINE && !run_routine(b, i, at))
            return; /* what would follow has nothing to read */
        if (s->step.kind == KNC_KERNEL && !run_kernel(b, i, at))
            return;
        if (s->step.kind == KNC_PRODUCT)
            run_product(b, i, at, b->memory + b->j->made->scratch_at, 0, 0);
    }
}

/* Share number `share` of `shares` of the rows of all sums, with what this block adds. */
static void run_sums(const block *b, char *scratch, int64_t share, int64_t shares)
{
    void *at[KND_FEW_REFS];
    for (uint32_t i = 0; i < b->j->band->n_step; i++) {
        const knc_band_step *s = &b->j->band->step[i];
        int64_t each = s->sums ? (s->other + shares - 1) / shares : 0, first = each * share, end = first + each;
        if (!s->sums || first >= s->other)
            continue;
        find_addresses(b, s, at);
        run_product(b, i, at, scratch, first, end < s->other ? end : s->other);
    }
}

static block block_at(job *j, int64_t row, int place, int chains)
{
    const knc_band *band = j->band;
    int64_t left = band->rows - row % band->rows;
    return (block){.j = j,
                   .memory = j->r->scratch + (size_t)place * j->made->worker,
                   .chains = chains,
                   .row = row,
                   .n = left < band->height ? left : band->height};
}

static void run_block(void *j_, int64_t part, int worker)
{
    job *j = j_;
    int64_t blocks = (j->band->rows + j->band->height - 1) / j->band->height;
    block b = block_at(j, part / blocks * j->band->rows + part % blocks * j->band->height, worker, worker);
    run_rows(&b);
}

static void run_chunk(void *j_, int64_t part, int worker)
{
    job *j = j_;
    for (int64_t row = part * j->band->chunk; row < (part + 1) * j->band->chunk;) {
        block b = block_at(j, row, worker, worker);
        run_rows(&b);
        run_sums(&b, b.memory + j->made->scratch_at, 0, 1);
        row += b.n;
    }
}

/* ---- Blocks side by side. */

typedef struct wave {
    const job *j;
    int n;
    block b[KNX_MAX_THREADS];
} wave;

static void run_wave_rows(void *w, int64_t part, int worker)
{
    (void)worker;
    run_rows(&((const wave *)w)->b[part]);
}

static void run_wave_sums(void *w_, int64_t part, int worker)
{
    const wave *w = w_;
    (void)worker;
    for (int i = 0; i < w->n; i++)
        run_sums(&w->b[i], w->b[part].memory + w->j->made->scratch_at, part, w->n);
}

static void run_waves(job *j, int64_t chunk, int threads)
{
    wave w = {.j = j};
    int64_t row = chunk * j->band->chunk, end = row + j->band->chunk;
    while (row < end) {
        for (w.n = 0; w.n < threads && row < end; w.n++) {
            w.b[w.n] = block_at(j, row, w.n, 0);
            row += w.b[w.n].n;
        }
        knx_parallel_asking(threads, w.n, run_wave_rows, &w);
        knx_parallel(threads, w.n, run_wave_sums, &w);
    }
}

/* What ends a kernel on a worker is known to this thread. */
static knx_error *end_of(job *j)
{
    note_error(j, knx_take_stop());
    return j->error;
}

knx_error *knd_run_band(const knd_one_run *r, uint32_t i)
{
    job j = {.r = r, .band = r->p->step[i].u.band, .made = r->l->step[i].band};
    int64_t most = knc_band_blocks(j.band);
    int threads = r->threads < most ? r->threads : (int)most;
    if (!j.band->chunk) {
        knx_parallel_asking(threads, most, run_block, &j);
        return end_of(&j);
    }
    int64_t chunks = j.band->batches * j.band->rows / j.band->chunk;
    if (chunks % threads == 0 || chunks > 4 * (int64_t)threads) {
        knx_parallel_asking(threads, chunks, run_chunk, &j);
        return end_of(&j);
    }
    for (int64_t k = 0; k < chunks; k++)
        run_waves(&j, k, threads);
    return end_of(&j);
}
