/* SPDX-License-Identifier: Apache-2.0
 * caches.c -- what default contexts share, what contexts have of their own, and the counters and bounds of it all. */
#include "array/plans.h"
#include "array/scalars.h"
#include "host/native.h"
#include "host/routine/fft.h"

enum { KERNEL_BYTES = 128 << 20, PLAN_BYTES = 64 << 20 };

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static kna_caches *common; /* of the default contexts that there are; not counted */

static void free_caches(kna_caches *c)
{
    knc_kernel_cache_free(c->kernels);
    kna_plans_free(c->plans);
    knx_free(c);
}

static kna_caches *new_caches(bool shared)
{
    kna_caches *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->refs = 1;
    c->kernels = knc_kernel_cache_new(KERNEL_BYTES);
    c->plans = shared ? kna_plans_new(PLAN_BYTES, true) : NULL;
    if (c->kernels && (c->plans || !shared))
        return c;
    free_caches(c);
    return NULL;
}

kna_caches *kna_caches_of(bool default_context)
{
    if (!default_context)
        return new_caches(false);
    knx_global_lock_take(&lock);
    if (common)
        common->refs++;
    else
        common = new_caches(true);
    kna_caches *c = common;
    knx_global_unlock(&lock);
    return c;
}

void kna_caches_release(kna_caches *c)
{
    if (!c)
        return;
    knx_global_lock_take(&lock);
    bool last = --c->refs == 0;
    bool all = last && c == common;
    if (all)
        common = NULL;
    knx_global_unlock(&lock);
    if (all)
        knr_fft_forget();
    if (last)
        free_caches(c);
}

kna_plans *kna_own_plans(void) { return kna_plans_new(PLAN_BYTES, false); }

static bool drop_oldest_plan(kna_state *s)
{
    bool shared = s->caches->plans && kna_plans_drop_oldest(s->caches->plans);
    return kna_plans_drop_oldest(s->plans) || shared;
}

static bool drop_oldest_entry(kna_state *s, const struct knf_entry *needed)
{
    return s->entries && s->entries->drop_oldest(needed);
}

void kna_bound_kernels(const struct knf_entry *needed)
{
    kna_state *s = kna_state_get();
    for (bool went = true; went;) {
        knc_kernel_counts k = knc_kernel_cache_bound(s->caches->kernels);
        if (k.bytes <= k.limit)
            return;
        went = drop_oldest_plan(s);
        went = drop_oldest_entry(s, needed) || went;
    }
}

/* Recordings, plans, idle functions and kernels; not what runs. */
bool kna_give_back(size_t bytes)
{
    kna_state *s = knx_slot_state(KNX_SLOT_ARRAYS);
    if (!s)
        return false;
    knc_kernel_counts k = knc_kernel_counts_of(s->caches->kernels);
    size_t most = s->trace_stats.bytes + kna_plans_stats(s->plans).bytes + k.bytes + knx_buffer_bytes_live();
    if (bytes > most && !knx_context()->allocator.alloc) /* however much goes: it would be in vain */
        return false;
    bool went = knr_fft_forget() > 0 || k.idle > 0;
    while (drop_oldest_entry(s, NULL) || drop_oldest_plan(s))
        went = true;
    kna_scalars_free(s->scalars);
    s->scalars = NULL;
    if (s->calls)
        s->drop_calls(s->calls);
    s->calls = NULL;
    knc_kernel_cache_limit(s->caches->kernels, knc_kernel_cache_limit(s->caches->kernels, 0));
    knx_buffer_trim();
    return went;
}

/* ---- For the user. */

kn_cache_stats_result kn_cache_stats(void)
{
    kna_state *s = kna_state_get();
    kn_cache_stats_result r = {0};
    if (!s)
        return r;
    knc_kernel_counts k = knc_kernel_counts_of(s->caches->kernels);
    r.traces = s->trace_stats;
    r.plans = kna_plans_stats(s->plans);
    r.kernels = (kn_stats){.hits = k.hits,
                           .misses = k.misses,
                           .evicted = k.evicted,
                           .entries = k.entries,
                           .bytes = k.bytes,
                           .limit = k.limit};
    r.kernels_idle = k.idle;
    knh_counts code = knh_count();
    r.code.functions = code.functions;
    r.code.fallbacks = code.fallbacks;
    r.code.bytes = code.bytes;
    r.code.seconds = code.seconds;
    r.memory_live = knx_buffer_bytes_live();
    r.memory_pooled = knx_buffer_bytes_pooled();
    kna_pending_stats(&r);
    return r;
}

size_t kn_set_cache_limit(kn_cache which, size_t bytes)
{
    kna_state *s = kna_state_get();
    size_t before = 0;
    if (!s)
        return 0;
    switch (which) {
    case KN_CACHE_TRACES:
        before = s->trace_stats.limit;
        s->trace_stats.limit = bytes;
        if (s->entries)
            s->entries->bound(NULL);
        return before;
    case KN_CACHE_PLANS:
        if (s->caches->plans)
            kna_plans_set_limit(s->caches->plans, bytes);
        return kna_plans_set_limit(s->plans, bytes);
    case KN_CACHE_KERNELS:
        before = knc_kernel_cache_limit(s->caches->kernels, bytes);
        kna_bound_kernels(NULL);
        return before;
    case KN_CACHE_MEMORY: return knx_buffer_limit(bytes);
    }
    knx_report_new("set_cache_limit", KN_ERROR_VALUE, "there is no cache number %d", (int)which);
    return 0;
}
