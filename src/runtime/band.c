/* SPDX-License-Identifier: Apache-2.0
 * band.c -- runs a band: some rows of all of its steps, then the next ones. Workers take blocks, or whole batches
 * where a product adds up over their rows. Values that only the band's steps read lie in the worker's own memory; they
 * are addressed as if the whole value were there. */
#include "base/pool.h"
#include "codegen/dump.h"
#include "codegen/native.h"
#include "runtime/run.h"

typedef struct job {
    const knd_one_run *r;
    const knc_band *band;
} job;

/* A block: n rows from row `row` on, counted through all batches. */
typedef struct block {
    const job *j;
    char *memory; /* of the worker */
    int worker;
    int64_t row, n;
} block;

static void *address(const block *b, const knc_ref *ref)
{
    if (ref->space != KNC_AT_BLOCK)
        return knd_address(b->j->r, ref);
    const knc_block *x = &b->j->band->block[ref->index];
    uintptr_t at = (uintptr_t)b->memory + x->at + ref->offset; /* that of row 0 lies outside */
    return (void *)(at - (uintptr_t)b->row * x->row);
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

static void run_kernel(const block *b, const knc_band_step *s, void **at)
{
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
    char *scratch = b->memory + b->j->band->kept;
    kng_dump(k, &launch);
    if (s->prepared[last])
        kng_run_moved(s->prepared[last], &launch, scratch);
    else
        knk_interpret(k, &launch, scratch);
}

static void run_product(const block *b, const knc_band_step *s, void **at)
{
    const knr_run call = {.a = at[s->step.u.p.a],
                          .b = at[s->step.u.p.b],
                          .c = at[s->step.u.p.c],
                          .workspace = b->memory + b->j->band->kept,
                          .threads = 1};
    knr_part part = {.batch = b->row / s->rows};
    int64_t first = b->row % s->rows;
    if (s->sums) {
        part.m1 = s->columns;
        part.k0 = first;
        part.k1 = first + b->n;
        part.chain = s->chain == KNC_NO_CHAIN ? NULL : b->memory + s->chain;
    } else {
        part.m0 = first;
        part.m1 = first + b->n;
        part.k1 = s->columns;
    }
    knr_product_run_part(s->step.u.p.plan, &call, &part, b->worker);
}

static void run_block(const block *b)
{
    void *at[KNC_FEW_REFS];
    for (uint32_t i = 0; i < b->j->band->n_step; i++) {
        const knc_band_step *s = &b->j->band->step[i];
        for (uint32_t r = 0; r < s->step.n_ref; r++)
            at[r] = address(b, &s->step.ref[r]);
        if (s->step.kind == KNC_KERNEL)
            run_kernel(b, s, at);
        else
            run_product(b, s, at);
    }
}

static void run_part(void *j_, int64_t part, int worker)
{
    const job *j = j_;
    const knc_band *band = j->band;
    block b = {.j = j, .memory = j->r->scratch + (size_t)worker * band->worker, .worker = worker};
    if (!band->chunk) {
        int64_t blocks = (band->rows + band->height - 1) / band->height, at = part % blocks * band->height;
        b.row = part / blocks * band->rows + at;
        b.n = band->rows - at < band->height ? band->rows - at : band->height;
        run_block(&b);
        return;
    }
    for (b.row = part * band->chunk; b.row < (part + 1) * band->chunk; b.row += b.n) {
        int64_t left = band->rows - b.row % band->rows;
        b.n = left < band->height ? left : band->height;
        run_block(&b);
    }
}

void knd_run_band(const knd_one_run *r, const knc_step *s)
{
    job j = {.r = r, .band = s->u.band};
    int64_t parts = knc_band_parts(j.band);
    knx_parallel(r->threads < parts ? r->threads : (int)parts, parts, run_part, &j);
}
