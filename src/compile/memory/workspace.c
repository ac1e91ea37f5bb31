/* SPDX-License-Identifier: Apache-2.0
 * workspace.c -- how much memory a program needs while it runs, and for how many threads: the memory of its values,
 * whose places are planned, and behind that the scratch of whatever kernel is running, which depends on the number of
 * threads. The programs inside of loops and branches use the same scratch. */
#include "base/pool.h"
#include "host/native.h"
#include "host/rect.h"
#include "compile/plan.h"

static size_t aligned(size_t n) { return (n + 63) & ~(size_t)63; }

/* ---- Threads. A part for another thread has to be worth waking it up: operations, as knk_cost counts them. */
enum { OPERATIONS_OF_A_PART = 1 << 16, NANOSECONDS_OF_A_PART = 10000 };

enum { UNKNOWN_TURNS = 64 };

/* Operations of a point in loops, beyond those of one turn of each. */
static double more_turns(const knc_step *s, int stage)
{
    const knk_kernel *k = s->u.k.kernel;
    double turns[KNK_MAX_NESTED + 1] = {1}, more = 0;
    int depth = 0, loop = k->stage[stage].n_inner;
    for (int i = k->stage[stage].first; k->stage[stage].n_loop && i < k->stage[stage].end; i++) {
        if (k->node[i].op == KNK_LOOP && depth < KNK_MAX_NESTED) {
            int64_t extent = s->u.k.inner[stage][loop++];
            turns[depth + 1] = turns[depth] * (extent == KNK_NO_LIMIT ? UNKNOWN_TURNS : (double)extent);
            depth++;
        } else if (k->node[i].op == KNK_END && depth) {
            depth--;
        } else {
            more += turns[depth] - 1;
        }
    }
    return more;
}

static double operations(const knc_step *s)
{
    double n = knk_cost(s->u.k.kernel) + 1;
    for (int k = 0; k < s->u.k.kernel->n_stage; k++)
        n += more_turns(s, k);
    return n > 1 ? n : 1;
}

static double elements(const knc_step *s)
{
    double n = 1, inner = 1;
    for (int i = 0; i < s->u.k.kernel->n_par; i++)
        n *= (double)s->u.k.par[i];
    for (int k = 0; k < s->u.k.kernel->n_stage; k++) {
        double of_stage = 1;
        for (int i = 0; i < s->u.k.kernel->stage[k].n_inner; i++)
            of_stage *= (double)s->u.k.inner[k][i];
        inner = of_stage > inner ? of_stage : inner;
    }
    return n * inner;
}

/* Each element of an operand, or of the result, once. */
static double cost_of_product(const knc_step *s)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    double ns = knr_product_cost(s->u.p.plan);
    for (int i = 0; i < 3; i++) {
        if (!all[i])
            continue;
        double n = kng_rect_cost(all[i]->kernel);
        for (int d = 0; n > 0 && d < all[i]->n_batch + all[i]->n_row + all[i]->n_column; d++)
            n *= (double)all[i]->extent[d];
        ns += n;
    }
    return ns;
}

static double parts_of(const knc_step *s)
{
    if (knc_is_kernel(s))
        return elements(s) * operations(s) / OPERATIONS_OF_A_PART;
    if (s->kind == KNC_PRODUCT)
        return cost_of_product(s) / NANOSECONDS_OF_A_PART;
    double parts = 0;
    for (uint32_t i = 0; i < s->u.band->n_step; i++)
        parts += parts_of(&s->u.band->step[i].step);
    double most = (double)knc_band_blocks(s->u.band);
    return parts < most ? parts : most;
}

/* Of the programs' steps the one that has work for most threads. */
static int most_threads(const kn_program *p)
{
    int most = 1;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        int n = 1;
        if (knc_is_kernel(s) || s->kind == KNC_PRODUCT || s->kind == KNC_BAND) {
            double parts = parts_of(s);
            n = parts < KNX_MAX_THREADS ? (int)parts : KNX_MAX_THREADS;
        }
        for (uint32_t k = 0; k < knc_n_inside(s); k++) {
            int inside = knc_inner_program(s, k)->most_threads;
            n = inside > n ? inside : n;
        }
        most = n > most ? n : most;
    }
    return most;
}

int knc_threads(const kn_program *p, int threads)
{
    if (p->most_threads == 1)
        return 1;
    int n = threads > 0 ? threads : knx_threads_available();
    return n < p->most_threads ? n : p->most_threads;
}

/* ---- Bytes. */

static size_t scratch_of_kernel(const knc_step *s, int threads)
{
    return s->u.k.prepared ? kng_prepared_scratch(s->u.k.prepared, threads) : knk_scratch_bytes(s->u.k.kernel);
}

/* A worker's memory in a band: what is kept there, and the scratch of whatever step is running. */
static size_t bytes_of_worker(const knc_band *band)
{
    size_t most = 0;
    for (uint32_t i = 0; i < band->n_step; i++) {
        const knc_band_step *s = &band->step[i];
        for (int last = 0; last < 2; last++) {
            size_t bytes = s->step.kind == KNC_PRODUCT ? knr_part_workspace(s->step.u.p.plan)
                           : s->prepared[last]         ? kng_prepared_scratch(s->prepared[last], 1)
                                                       : knk_scratch_bytes(s->step.u.k.kernel);
            most = bytes > most ? bytes : most;
        }
    }
    return aligned(band->kept + most);
}

int64_t knc_band_blocks(const knc_band *band)
{
    return band->batches * ((band->rows + band->height - 1) / band->height);
}

static size_t scratch_of_band(const knc_band *band, int threads)
{
    int64_t parts = knc_band_blocks(band);
    return band->worker * (size_t)(parts < threads ? parts : threads);
}

size_t knc_product_workspace(const knc_step *s, int threads)
{
    return aligned(knr_product_workspace(s->u.p.plan, threads));
}

size_t knc_attached_scratch(const knc_step *s)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    size_t most = 0, tile = 0;
    for (int i = 0; i < 6; i++) {
        size_t bytes = all[i / 2] ? kng_rect_scratch(all[i / 2]->rect[i % 2]) : 0;
        most = bytes > most ? bytes : most;
        if (all[i / 2] && all[i / 2]->across[i % 2])
            tile = KNC_TILE * KNC_TILE * sizeof(uint64_t);
    }
    return aligned(most) + tile;
}

static size_t scratch_of(const kn_program *p, int threads)
{
    size_t most = 0;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        size_t bytes = 0;
        if (knc_is_kernel(s)) {
            bytes = scratch_of_kernel(s, threads);
        } else if (s->kind == KNC_PRODUCT) {
            bytes = knc_product_workspace(s, threads) + (size_t)threads * knc_attached_scratch(s);
        } else if (s->kind == KNC_BAND) {
            bytes = scratch_of_band(s->u.band, threads);
        }
        for (uint32_t k = 0; k < knc_n_inside(s); k++) {
            size_t inside = scratch_of(knc_inner_program(s, k), threads);
            bytes = inside > bytes ? inside : bytes;
        }
        most = bytes > most ? bytes : most;
    }
    return aligned(most);
}

/* What was asked last is remembered: threads in the upper bits, bytes / 64 in the lower ones. */
size_t knc_workspace_bytes(const kn_program *p, int threads)
{
    enum { BYTES = 48 };
    int n = knc_threads(p, threads);
    if (n == 1)
        return p->workspace + p->scratch;
    kn_program *mine = (kn_program *)(uintptr_t)p;
    uint64_t known = atomic_load_explicit(&mine->scratch_known, memory_order_relaxed);
    if (known >> BYTES == (uint64_t)n)
        return p->workspace + (size_t)(known & (((uint64_t)1 << BYTES) - 1)) * 64;
    size_t bytes = scratch_of(p, n);
    atomic_store_explicit(&mine->scratch_known, (uint64_t)n << BYTES | bytes / 64, memory_order_relaxed);
    return p->workspace + bytes;
}

size_t knc_peak_bytes(const kn_program *p, int threads) { return p->values + knc_workspace_bytes(p, threads); }

static bool is_one_kernel(const kn_program *q)
{
    bool one =
        q->n_step == 1 && q->step[0].kind == KNC_KERNEL && q->step[0].u.k.prepared && q->step[0].n_ref <= KNC_FEW_REFS;
    for (uint32_t i = 0; i < q->n_output; i++)
        one = one && q->output[i].kind == KNC_OUT_NEW;
    return one;
}

void knc_lay_out_workspace(const knc_plan *p, size_t arena)
{
    kn_program *q = p->p;
    for (uint32_t i = 0; i < q->n_step; i++)
        q->max_ref = q->step[i].n_ref > q->max_ref ? q->step[i].n_ref : q->max_ref;
    q->arena_at = q->max_ref > KNC_FEW_REFS ? aligned(q->max_ref * sizeof(void *)) : 0;
    q->workspace = aligned(q->arena_at + arena);
    for (uint32_t i = 0; i < q->n_step; i++)
        if (q->step[i].kind == KNC_BAND)
            q->step[i].u.band->worker = bytes_of_worker(q->step[i].u.band);
    q->most_threads = most_threads(q);
    q->scratch = scratch_of(q, 1);
    q->one_kernel = is_one_kernel(q);
    for (uint32_t i = 0; i < q->n_operand; i++)
        q->values += kni_type_bytes(p->j->type[i]);
    for (uint32_t k = 0; k < q->n_output; k++)
        q->values += q->output[k].kind == KNC_OUT_NEW ? q->output[k].bytes : 0;
}
