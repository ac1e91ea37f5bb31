/* SPDX-License-Identifier: Apache-2.0
 * workspace.c -- how much memory a program needs while it runs on the host, and for how many threads: the memory of its
 * values, whose places are planned, the room for addresses, and behind that the scratch of whatever kernel is running,
 * which depends on the number of threads. The programs inside of loops and branches use the same scratch. */
#include "base/pool.h"
#include "device/host/loaded.h"

/* ---- Threads. A part for another thread has to be worth waking it up. */
enum { NANOSECONDS_OF_A_PART = 10000 };

enum { UNKNOWN_TURNS = 64 };

/* Operations of a point in loops, beyond those of one turn of each. */
static double more_turns(const knc_step *s, int stage)
{
    const knk_kernel *k = s->u.k.kernel;
    double turns[KNK_MAX_NESTED + 1] = {1}, more = 0;
    int depth = 0, loop = k->stage[stage].n_inner;
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++) {
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
    double n = knh_operations(s->u.k.kernel) + 1;
    for (int k = 0; k < s->u.k.kernel->n_stage; k++)
        n += s->u.k.kernel->stage[k].n_loop ? more_turns(s, k) : 0;
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
static double cost_of_product(const knc_step *s, const knd_host_product *x)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    if (x->narrow)
        return knr_narrow_cost(&x->narrow->how);
    double ns = knr_product_cost(x->plan);
    for (int i = 0; i < 3; i++) {
        if (!all[i])
            continue;
        double n = knh_rect_cost(all[i]->kernel);
        for (int d = 0; n > 0 && d < all[i]->n_batch + all[i]->n_row + all[i]->n_column; d++)
            n *= (double)all[i]->extent[d];
        ns += n;
    }
    return ns;
}

double knd_kernel_units(const knc_step *s) { return elements(s) * operations(s); }

static double parts_of_kernel(const knc_step *s)
{
    double units_of_a_part = NANOSECONDS_OF_A_PART / knd_host.target(&knd_host)->ns_per_unit;
    return knd_kernel_units(s) / units_of_a_part;
}

static double parts_of_routine(const knc_program *p, const knc_step *s)
{
    const kni_rule r = knd_routine_rule(p, s);
    double ns = r.prim->bits & KN_THREADS ? r.prim->cost(&r) * knd_host.target(&knd_host)->ns_per_unit : 0;
    return ns / NANOSECONDS_OF_A_PART;
}

static double parts_of_band(const knc_program *p, const knc_band *band, const knd_host_band *h)
{
    double parts = 0, most = (double)knc_band_blocks(band);
    for (uint32_t i = 0; i < band->n_step; i++) {
        const knc_step *s = &band->step[i].step;
        parts += s->kind == KNC_PRODUCT   ? knr_product_cost(h->step[i].plan) / NANOSECONDS_OF_A_PART
                 : s->kind == KNC_ROUTINE ? parts_of_routine(p, s)
                                          : parts_of_kernel(s);
    }
    return parts < most ? parts : most;
}

static double parts_of(const knc_program *p, const knc_step *s, const knd_host_step *x)
{
    if (s->kind == KNC_ROUTINE)
        return parts_of_routine(p, s);
    if (knc_is_kernel(s))
        return parts_of_kernel(s);
    return s->kind == KNC_PRODUCT ? cost_of_product(s, x->product) / NANOSECONDS_OF_A_PART
           : s->kind == KNC_BAND  ? parts_of_band(p, s->u.band, x->band)
                                  : 1;
}

/* The programs of a loop or branch as they are loaded. */
static const knd_host_loaded *inside(const knc_step *s, const knd_host_step *x, uint32_t k)
{
    if (s->kind == KNC_BRANCH)
        return x->branch->program[k];
    return k ? x->loop->cond : x->loop->body;
}

/* Of the programs' steps the one that has work for most threads. */
static int most_threads(const knd_host_loaded *l)
{
    const knc_program *p = l->head.program;
    int most = 1;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        double parts = parts_of(p, s, &l->step[i]);
        int n = parts < KNX_MAX_THREADS ? (int)parts : KNX_MAX_THREADS;
        for (uint32_t k = 0; k < knc_n_inside(s); k++) {
            int other = inside(s, &l->step[i], k)->most_threads;
            n = other > n ? other : n;
        }
        most = n > most ? n : most;
    }
    return most;
}

KNX_HOT int knd_threads(const knd_loaded *loaded, int threads)
{
    const knd_host_loaded *l = knd_host_of(loaded);
    if (l->most_threads == 1)
        return 1;
    int n = threads > 0 ? threads : knx_threads_available();
    return n < l->most_threads ? n : l->most_threads;
}

/* ---- Bytes. */

static size_t scratch_of_kernel(const knk_kernel *k, const knh_prepared *prepared, int threads)
{
    return prepared ? knh_prepared_scratch(prepared, threads) : knk_scratch_bytes(k);
}

/* The types with n rows in the last one of the axes that the rows are counted through, and 1 in those before it. */
kni_rule knd_routine_part_rule(const knc_program *p, const knc_band_step *s, int64_t rows, knd_routine_part *part)
{
    kni_rule r = knd_routine_rule(p, &s->step);
    int lead = r.prim->rows(&r);
    int64_t n = rows * s->rows;
    for (int k = 0; k < r.n_in + r.n_out; k++) {
        kni_type t = k < r.n_in ? r.xt[k] : r.yt[k - r.n_in];
        size_t bytes = t.dtype->size;
        for (int d = 0; d < t.ndim; d++) {
            part->dim[k][d] = d < lead - 1 ? 1 : d == lead - 1 ? n : t.dim[d];
            bytes *= d < lead ? 1 : (size_t)t.dim[d];
        }
        part->row[k] = bytes * (size_t)s->rows;
        part->type[k] = t;
        part->type[k].dim = part->dim[k];
    }
    r.xt = part->type;
    r.yt = part->type + r.n_in;
    r.threads = 1;
    return r;
}

/* For a whole block, or for the last one of a batch, whichever needs more. */
size_t knd_routine_part_scratch(const knc_program *p, const knc_band *band, const knc_band_step *s)
{
    const int64_t rows[] = {band->height, band->rows % band->height};
    size_t most = 0;
    for (int i = 0; i < 2; i++) {
        knd_routine_part part;
        const kni_rule r = knd_routine_part_rule(p, s, rows[i], &part);
        size_t bytes = rows[i] && r.prim->workspace ? (size_t)r.prim->workspace(&r) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t knd_host_band_bytes(const knc_band *band, const knd_host_band *h)
{
    size_t most = 0;
    for (uint32_t i = 0; i < band->n_step; i++) {
        const knc_step *s = &band->step[i].step;
        for (int last = 0; last < 2; last++) {
            size_t bytes = s->kind == KNC_PRODUCT   ? knr_part_workspace(h->step[i].plan)
                           : s->kind == KNC_ROUTINE ? h->step[i].scratch
                                                    : scratch_of_kernel(s->u.k.kernel, h->step[i].prepared[last], 1);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

static uint64_t scratch_of_band(const knc_band *band, const knd_host_band *h, int threads)
{
    int64_t parts = knc_band_blocks(band);
    return h->worker * (uint64_t)(parts < threads ? parts : threads);
}

static uint64_t scratch_of_routine(const knc_program *p, const knc_step *s, int threads)
{
    kni_rule r = knd_routine_rule(p, s);
    r.threads = threads;
    return r.prim->bits & KN_THREADS && r.prim->workspace ? r.prim->workspace(&r) : 0;
}

size_t knd_product_workspace(const knd_host_product *x, int threads)
{
    return knx_whole_lines(knr_product_workspace(x->plan, threads));
}

size_t knd_attached_scratch(const knc_step *s, const knd_host_product *x)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    size_t most = 0, tile = 0;
    for (int i = 0; i < 6; i++) {
        size_t bytes = all[i / 2] ? knh_rect_scratch(x->rect[i / 2][i % 2]) : 0;
        most = bytes > most ? bytes : most;
        if (all[i / 2] && all[i / 2]->across[i % 2])
            tile = KND_TILE * KND_TILE * sizeof(uint64_t);
    }
    return knx_whole_lines(most) + tile;
}

/* KN_NOT_KNOWN: there is no memory to find out. */
static KNX_HOT uint64_t scratch_of(const knd_host_loaded *l, int threads)
{
    const knc_program *p = l->head.program;
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        const knd_host_step *x = &l->step[i];
        uint64_t bytes = 0;
        if (knc_is_kernel(s))
            bytes = scratch_of_kernel(s->u.k.kernel, x->prepared, threads);
        else if (s->kind == KNC_PRODUCT)
            bytes = knd_product_workspace(x->product, threads) + (size_t)threads * knd_attached_scratch(s, x->product);
        else if (s->kind == KNC_BAND)
            bytes = scratch_of_band(s->u.band, x->band, threads);
        else if (s->kind == KNC_ROUTINE)
            bytes = scratch_of_routine(p, s, threads);
        for (uint32_t k = 0; k < knc_n_inside(s); k++) {
            uint64_t other = scratch_of(inside(s, x, k), threads);
            bytes = other > bytes ? other : bytes;
        }
        if (bytes == KN_NOT_KNOWN)
            return bytes;
        most = bytes > most ? bytes : most;
    }
    return knx_whole_lines(most);
}

/* What was asked last is remembered: threads in the upper bits, bytes / 64 in the lower ones. */
KNX_HOT uint64_t knd_workspace_bytes(const knd_loaded *loaded, int threads)
{
    enum { BYTES = 48 };
    knd_host_loaded *l = (knd_host_loaded *)(uintptr_t)knd_host_of(loaded);
    uint64_t values = knd_values_bytes(l) + l->room;
    int n = knd_threads(loaded, threads);
    if (n == 1)
        return values + l->scratch;
    uint64_t known = atomic_load_explicit(&l->scratch_known, memory_order_relaxed);
    if (known >> BYTES == (uint64_t)n)
        return values + (size_t)(known & (((uint64_t)1 << BYTES) - 1)) * 64;
    uint64_t bytes = scratch_of(l, n);
    if (bytes == KN_NOT_KNOWN)
        return UINT64_MAX;
    atomic_store_explicit(&l->scratch_known, (uint64_t)n << BYTES | bytes / 64, memory_order_relaxed);
    return values + bytes;
}

uint64_t knd_peak_bytes(const knd_loaded *l, int threads)
{
    return l->program->values + knd_workspace_bytes(l, threads);
}

static bool is_one_kernel(const knd_host_loaded *l)
{
    const knc_program *q = l->head.program;
    bool one =
        q->n_step == 1 && q->step[0].kind == KNC_KERNEL && l->step[0].prepared && q->step[0].n_ref <= KND_FEW_REFS;
    for (uint32_t i = 0; i < q->n_output; i++)
        one = one && q->output[i].kind == KNC_OUT_NEW;
    return one;
}

KNX_HOT bool knd_host_lay_out_again(knd_host_loaded *l, bool alone)
{
    l->most_threads = alone ? 1 : most_threads(l);
    l->scratch = scratch_of(l, 1);
    return l->scratch != KN_NOT_KNOWN;
}

bool knd_host_lay_out(knd_host_loaded *l)
{
    l->most_threads = most_threads(l);
    l->scratch = scratch_of(l, 1);
    l->one_kernel = is_one_kernel(l);
    return l->scratch != KN_NOT_KNOWN;
}
