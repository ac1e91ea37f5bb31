/* SPDX-License-Identifier: Apache-2.0
 * entries.c -- what a jitted function was recorded and compiled to, for each list of types that it was called with; and
 * saying why it was recorded once more. */
#include "array/function.h"
#include "base/log.h"
#include <string.h>

enum { MAX_ENTRIES = 256 }; /* of a function */

/* ---- How much memory they have. */

static void count(kna_entry *e)
{
    kn_stats *t = &kna_state_get()->trace_stats;
    size_t bytes = sizeof *e + e->arena.total + kni_bytes(e->closed.jaxpr);
    for (int i = 0; i < 2; i++)
        bytes += e->program[i] ? knc_bytes(e->program[i]) : 0;
    t->entries += e->bytes == 0;
    t->bytes += bytes - e->bytes;
    e->bytes = bytes;
}

void kna_entry_free(kna_entry *e)
{
    if (!e)
        return;
    kna_state *s = e->bytes ? knx_slot_state(KNX_SLOT_ARRAYS) : NULL;
    if (s && s->trace_stats.entries) {
        s->trace_stats.entries--;
        s->trace_stats.bytes -= e->bytes < s->trace_stats.bytes ? e->bytes : s->trace_stats.bytes;
    }
    kna_closed_free(&e->closed);
    knc_release(e->program[0]);
    knc_release(e->program[1]);
    knx_arena_free(&e->arena);
    knx_free(e);
}

/* ---- One entry. */

static bool same_types(const kna_entry *e, uint32_t n, const kn_type *in)
{
    if (e->folds != kna_state_get()->fold || e->default_float != kna_default_float() ||
        !kna_same_axes(e->axes, kna_state_get()->axes))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (e->in[i].dtype != in[i].dtype || !kni_type_same_shape(e->in[i], in[i]))
            return false;
    return true;
}

static kna_entry *new_entry(uint32_t n, const kn_type *in)
{
    kna_entry *e = knx_alloc_zero(sizeof *e);
    if (!e)
        return NULL;
    e->n_in = n;
    e->default_float = kna_default_float();
    e->folds = kna_state_get()->fold;
    e->in = knx_arena_alloc(&e->arena, (n + 1) * sizeof *e->in);
    bool ok = e->in != NULL && kna_copy_axes(&e->arena, kna_state_get()->axes, &e->axes);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = kni_type_copy(&e->arena, in[i], &e->in[i]);
    if (!ok) {
        kna_entry_free(e);
        return NULL;
    }
    return e;
}

static void remove_entry(kna_core *f, kna_entry *e)
{
    for (size_t i = 0; i < f->entry.n; i++)
        if (f->entry.at[i] == e) {
            f->entry.at[i] = f->entry.at[--f->entry.n];
            return;
        }
}

static uint64_t hash_types(uint32_t n, const kn_type *in)
{
    uint64_t h = knx_hash_mix(n, (uint64_t)(uintptr_t)kna_default_float());
    for (uint32_t i = 0; i < n; i++) {
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)in[i].dtype ^ (uint64_t)in[i].ndim);
        for (int d = 0; d < in[i].ndim; d++)
            h = knx_hash_mix(h, (uint64_t)in[i].dim[d]);
    }
    return h;
}

static bool can_go(const kna_entry *e) { return !e->tracing && !e->running; }

static void evict(kna_core *f, kna_entry *e)
{
    f->gone[f->n_gone++ % KNA_GONE] = hash_types(e->n_in, e->in);
    kna_state_get()->trace_stats.evicted++;
    remove_entry(f, e);
    kna_entry_free(e);
}

static void bound_core(kna_core *f)
{
    if (f->entry.n < MAX_ENTRIES)
        return;
    kna_entry *oldest = NULL;
    for (size_t i = 0; i < f->entry.n; i++)
        if (can_go(f->entry.at[i]) && (!oldest || f->entry.at[i]->used < oldest->used))
            oldest = f->entry.at[i];
    if (oldest)
        evict(f, oldest);
}

void kna_bound_entries(const kna_entry *needed)
{
    kna_state *s = kna_state_get();
    size_t n;
    kna_core *const *core = kna_cores(&n);
    while (s->trace_stats.bytes > s->trace_stats.limit) {
        kna_entry *oldest = NULL;
        kna_core *owner = NULL;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < core[i]->entry.n; k++) {
                kna_entry *e = core[i]->entry.at[k];
                if (!can_go(e) || e == needed || !e->bytes || (oldest && e->used > oldest->used))
                    continue;
                oldest = e;
                owner = core[i];
            }
        if (!oldest)
            return;
        evict(owner, oldest);
    }
}

/* ---- Why it is recorded once more. */

static void show_array(kn_text *t, const kna_core *f, int i)
{
    int arg = 0, k = i - f->n_captured;
    if (k < 0) {
        knx_text_add(t, "captured array %d", i);
        return;
    }
    for (; arg < f->n_args && k >= f->arrays[arg]; arg++)
        k -= f->arrays[arg];
    kn_text path = {0};
    const char *name = kna_leaf_name(&path, f, arg, k);
    knx_text_add(t, "argument %d%s", arg, name);
    if (!*name && f->arrays[arg] > 1)
        knx_text_add(t, " array %d", k);
}

static int differences(const kna_entry *e, uint32_t n, const kn_type *in, int *first)
{
    int differ = 0;
    for (uint32_t i = n; i-- > 0;)
        if (e->in[i].dtype != in[i].dtype || !kni_type_same_shape(e->in[i], in[i])) {
            *first = (int)i;
            differ++;
        }
    return differ;
}

/* Against the entry that differs least. */
static void show_reason(kn_text *t, const kna_core *f, uint32_t n, const kn_type *in)
{
    uint64_t hash = hash_types(n, in);
    for (unsigned i = 0; i < KNA_GONE && i < f->n_gone; i++)
        if (f->gone[i] == hash) {
            knx_text_add(t, "evicted before");
            return;
        }
    const kna_entry *best = NULL;
    int least = 0, at = 0, first = 0;
    for (size_t i = f->entry.n; i-- > 0;) {
        int differ = differences(f->entry.at[i], n, in, &first);
        if (best && differ >= least)
            continue;
        best = f->entry.at[i];
        least = differ;
        at = first;
    }
    if (!best) {
        knx_text_add(t, f->trace_count ? "it was not kept the last time" : "first call");
        return;
    }
    if (!least) {
        knx_text_add(t, "different option: %s",
                     best->default_float != kna_default_float() ? "default float type"
                     : best->folds != kna_state_get()->fold     ? "folding"
                                                                : "named axes");
        return;
    }
    kn_text now = {0}, before = {0};
    knx_text_add(t, "new %s of ", best->in[at].dtype != in[at].dtype ? "dtype" : "shape");
    show_array(t, f, at);
    knx_text_add(t, ": %s was %s", kni_type_text(&now, in[at], false), kni_type_text(&before, best->in[at], false));
}

static void log_recording(const kna_core *f, uint32_t n, const kn_type *in)
{
    kn_text t = {0};
    const kn_place *here = knx_context()->here;
    if (kn_debug_level < 1)
        return;
    show_reason(&t, f, n, in);
    KN_LOG(1, "jit: %s:%d: %s is recorded: %s", here ? here->file : "?", here ? here->line : 0, f->name, t.s);
}

/* ---- Finding or making one. */

kn_error *kna_entry_for(kna_core *f, const kn_type *in, kna_entry **out, kna_entry **once)
{
    kna_state *s = kna_state_get();
    uint32_t n = (uint32_t)(f->n_captured + f->n_in);
    *once = NULL;
    for (size_t i = 0; i < f->entry.n; i++) {
        kna_entry *e = f->entry.at[i];
        if (!same_types(e, n, in))
            continue;
        if (e->tracing)
            return knx_error(KN_ERROR_VALUE,
                             "%s calls itself while it is traced by jit for the same types; a recursion has no end "
                             "there, use kn_while_loop",
                             f->name);
        e->used = ++s->clock;
        s->trace_stats.hits++;
        *out = e;
        return NULL;
    }
    bound_core(f);
    log_recording(f, n, in);
    kna_entry *e = new_entry(n, in);
    if (!e || !KN_VEC_PUSH(&f->entry, e)) {
        kna_entry_free(e);
        return knx_error_nomem();
    }
    e->tracing = true;
    e->used = ++s->clock;
    f->trace_count++;
    s->trace_stats.misses++;
    uint64_t reports = knx_context()->reports;
    kn_error *error = kna_derive(f->inner, in, NULL, "jit", &e->closed);
    e->tracing = false;
    /* an error that no result carries is to be reported by the next call, too */
    bool keep = !error && !e->closed.once && !knx_reported_since(reports);
    if (!keep)
        remove_entry(f, e);
    if (error) {
        kna_entry_free(e);
        return error;
    }
    if (keep) {
        count(e);
        kna_bound_entries(e);
    }
    *once = keep ? NULL : e;
    *out = e;
    return NULL;
}

static kn_error *compile(kna_entry *e, bool fuse)
{
    const kn_place *here = knx_context()->here;
    const kn_compile_options o = {.kernels = kna_state_get()->caches->kernels, .fuse = fuse};
    if (e->program[!fuse])
        KN_LOG(1, "jit: %s:%d: %s is compiled again: different option: %s", here ? here->file : "?",
               here ? here->line : 0, e->closed.jaxpr->name, fuse ? "fused" : "not fused");
    KN_TRY(knc_compile(e->closed.jaxpr, &o, &e->program[fuse]));
    if (e->bytes) {
        count(e);
        kna_bound_entries(e);
    }
    return NULL;
}

kn_error *kna_entry_program(kna_entry *e, kn_program **out)
{
    bool fuse = knx_context()->lazy && !knx_context()->check_nans;
    if (!e->program[fuse])
        KN_TRY(compile(e, fuse));
    *out = e->program[fuse];
    return NULL;
}
