/* SPDX-License-Identifier: Apache-2.0
 * entries.c -- what a jitted function was recorded and compiled to, for each list of types that it was called with; and
 * saying why it was recorded once more. */
#include "function/donate.h"
#include "function/symbolic.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include <string.h>

/* ---- Lists: by hash, of all functions; by use; of each function. */

static void unlink_entry(kna_state *s, knf_entry *e)
{
    *(e->newer ? &e->newer->older : &s->newest_entry) = e->older;
    *(e->older ? &e->older->newer : &s->oldest_entry) = e->newer;
}

static void link_newest(kna_state *s, knf_entry *e)
{
    e->newer = NULL;
    e->older = s->newest_entry;
    *(s->newest_entry ? &s->newest_entry->newer : &s->oldest_entry) = e;
    s->newest_entry = e;
}

static void touch(kna_state *s, knf_entry *e)
{
    e->used = ++s->clock;
    if (e->bytes && e != s->newest_entry) {
        unlink_entry(s, e);
        link_newest(s, e);
    }
}

static bool insert(kna_state *s, knf_core *f, knf_entry *e)
{
    if (!KN_VEC_RESERVE(&f->entry, 1) || !knx_table_add(&s->entry, e->hash, e))
        return false;
    e->core = f;
    e->home = s;
    e->at = f->entry.n;
    f->entry.at[f->entry.n++] = e;
    return true;
}

static void remove_entry(knf_entry *e)
{
    knf_core *f = e->core;
    knf_entry *last = f->entry.at[--f->entry.n];
    f->entry.at[last->at = e->at] = last;
    knx_table_remove(&e->home->entry, e->hash, e);
    if (e->bytes) {
        unlink_entry(e->home, e);
        e->home->trace_stats.entries--;
        e->home->trace_stats.bytes -= e->bytes;
    }
    e->home = NULL;
}

/* ---- How much memory they have. */

static void count(knf_entry *e)
{
    kna_state *s = e->home;
    if (!e->bytes)
        e->recorded = kni_bytes(e->closed.jaxpr);
    size_t bytes = sizeof *e + e->arena.total + e->recorded + 4 * sizeof *s->entry.slot;
    for (int i = 0; i < 2; i++)
        bytes += e->program[i] ? knd_bytes(e->program[i], e->closed.jaxpr) : 0;
    for (size_t i = 0; i < e->elsewhere.n; i++)
        bytes += sizeof e->elsewhere.at[i] + knd_bytes(e->elsewhere.at[i].program, e->closed.jaxpr);
    bytes += knf_variants_bytes(e) + knf_calls_bytes(e);
    bytes += e->conditions ? knx_dim_conditions_bytes(&e->conditions->held) : 0;
    s->trace_stats.entries += e->bytes == 0;
    s->trace_stats.bytes += bytes - e->bytes;
    if (!e->bytes)
        link_newest(s, e);
    e->bytes = bytes;
}

KNX_HOT void knf_entry_free(knf_entry *e)
{
    if (!e)
        return;
    if (e->core)
        knf_forget_calls(e->core, e);
    if (e->core && e->home && e->home == knx_slot_state(KNX_SLOT_ARRAYS)) /* both are set by insert */
        remove_entry(e);
    knf_variants_free(&e->variant);
    if (e->conditions)
        knx_dim_conditions_free(&e->conditions->held);
    kna_closed_free(&e->closed);
    knd_release(e->program[0]);
    knd_release(e->program[1]);
    for (size_t i = 0; i < e->elsewhere.n; i++)
        knd_release(e->elsewhere.at[i].program);
    KN_VEC_FREE(&e->elsewhere);
    knx_arena_free(&e->arena);
    knx_free(e);
}

/* ---- One entry. */

/* The same expressions: nothing is asked of the variables. */
static bool same_type(kni_type a, kni_type b)
{
    bool same = a.dtype == b.dtype && a.ndim == b.ndim;
    for (int d = 0; same && d < a.ndim; d++)
        same = a.dim[d] == b.dim[d];
    return same;
}

KNX_HOT bool knf_same_state(const knf_entry *e)
{
    const kna_state *s = kna_state_get();
    return e->how.all == s->how.all && e->default_float == kna_default_float() && knf_same_axes(e->axes, s->axes);
}

static KNX_HOT bool same_types(const knf_entry *e, uint32_t n, const kni_type *in)
{
    if (!knf_same_state(e))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!same_type(e->in[i], in[i]))
            return false;
    return true;
}

const kna_entry_rules knf_entries = {knf_bound_entries, knf_drop_oldest_entry};

static knf_entry *new_entry(uint32_t n, const kni_type *in, uint64_t hash)
{
    knf_entry *e = knx_alloc_zero(sizeof *e);
    if (!e)
        return NULL;
    kna_state_get()->entries = &knf_entries;
    e->n_in = n;
    e->hash = hash;
    e->default_float = kna_default_float();
    e->how = kna_state_get()->how;
    e->in = knx_arena_alloc(&e->arena, (n + 1) * sizeof *e->in);
    bool ok = e->in != NULL && knf_copy_axes(&e->arena, kna_state_get()->axes, &e->axes);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = kni_type_copy(&e->arena, in[i], &e->in[i]);
    if (!ok) {
        knf_entry_free(e);
        return NULL;
    }
    return e;
}

/* Of a function for these types. An interned one has the same hash when it is made again. */
static uint64_t hash_recording(const knf_core *f, uint32_t n, const kni_type *in)
{
    uint64_t h = knx_hash_mix(f->interned ? f->hash : (uint64_t)(uintptr_t)f, (uint64_t)(uintptr_t)kna_default_float());
    for (uint32_t i = 0; i < n; i++) {
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)in[i].dtype ^ (uint64_t)in[i].ndim);
        for (int d = 0; d < in[i].ndim; d++)
            h = knx_hash_mix(h, (uint64_t)in[i].dim[d]);
    }
    return h;
}

static bool holds(const knf_entry *e, const knf_dims *dims)
{
    int64_t value[KNF_MAX_DIM_VARS];
    return !e->conditions || knf_conditions_hold(e->conditions, dims, value);
}

/* The one that was used last, if it is for this call, too: a function called again and again is not looked up. */
static knf_entry *newest_entry(const kna_state *s, const knf_core *f, const kni_type *in, const knf_dims *dims)
{
    knf_entry *e = s->newest_entry;
    return e && e->core == f && !e->tracing && same_types(e, e->n_in, in) && !knf_is_assuming() && holds(e, dims)
               ? e
               : NULL;
}

KNX_HOT knx_error *knf_known_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knf_entry **out,
                                   const knf_entry **other)
{
    kna_state *s = kna_state_get();
    size_t cursor;
    *out = newest_entry(s, f, in, dims);
    if (*out) {
        s->trace_stats.hits++;
        return NULL;
    }
    uint32_t n = (uint32_t)(f->n_captured + f->n_in);
    uint64_t hash = hash_recording(f, n, in);
    for (knf_entry *e = knx_table_first(&s->entry, hash, &cursor); e; e = knx_table_next(&s->entry, hash, &cursor)) {
        if (s->looked_at++, e->core != f || !same_types(e, n, in))
            continue;
        if (e->tracing)
            return knx_error_new(KN_ERROR_VALUE,
                                 "%s calls itself while it is traced by jit for the same types; a recursion has no end "
                                 "there, use kn_while_loop",
                                 f->name);
        if (knf_is_assuming())
            continue;
        if (holds(e, dims)) {
            touch(s, e);
            s->trace_stats.hits++;
            *out = e;
            return NULL;
        }
        if (other)
            *other = e;
    }
    return NULL;
}

/* ---- Bounds. */

static void evict(kna_state *s, knf_entry *e)
{
    knf_core *f = e->core;
    s->gone[s->trace_stats.evicted++ % KNA_GONE] = e->hash;
    knf_entry_free(e);
    knf_drop_idle_core(f);
}

/* What runs, or is recorded right now, stays: as many as there are calls in each other. */
static knf_entry *oldest_to_go(kna_state *s, const knf_entry *needed)
{
    knf_entry *e = s->oldest_entry;
    while (e && (s->looked_at++, e->tracing || e->running || e == needed))
        e = e->newer;
    return e;
}

bool knf_drop_oldest_entry(const knf_entry *needed)
{
    kna_state *s = kna_state_get();
    knf_entry *e = oldest_to_go(s, needed);
    if (e)
        evict(s, e);
    return e != NULL;
}

void knf_bound_entries(const knf_entry *needed)
{
    kna_state *s = kna_state_get();
    while (s->trace_stats.bytes > s->trace_stats.limit) {
        knf_entry *e = oldest_to_go(s, needed);
        if ((!e || knf_oldest_core_used() < e->used) && knf_drop_oldest_core())
            continue;
        if (!e)
            return;
        evict(s, e);
    }
}

/* ---- Why it is recorded once more. */

void knf_show_array(knx_text *t, const knf_core *f, int i)
{
    int arg = 0, k = i - f->n_captured;
    if (k < 0) {
        knx_text_add(t, "captured array %d", i);
        return;
    }
    for (; arg < f->n_args && k >= f->arrays[arg]; arg++)
        k -= f->arrays[arg];
    knx_text path = {0};
    const char *name = knf_leaf_name(&path, f, arg, k);
    knx_text_add(t, "argument %d%s", arg, name);
    if (!*name && f->arrays[arg] > 1)
        knx_text_add(t, " array %d", k);
}

static int differences(const knf_entry *e, uint32_t n, const kni_type *in, int *first)
{
    int differ = 0;
    for (uint32_t i = n; i-- > 0;)
        if (!same_type(e->in[i], in[i])) {
            *first = (int)i;
            differ++;
        }
    return differ;
}

/* Against the entry that differs least. */
static void show_reason(knx_text *t, const knf_core *f, uint32_t n, const kni_type *in)
{
    const kna_state *s = kna_state_get();
    uint64_t hash = hash_recording(f, n, in);
    for (size_t i = 0; i < KNA_GONE && i < s->trace_stats.evicted; i++)
        if (s->gone[i] == hash) {
            knx_text_add(t, "evicted before");
            return;
        }
    const knf_entry *best = NULL;
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
                     best->default_float != kna_default_float()        ? "default float type"
                     : best->how.fold != kna_state_get()->how.fold     ? "folding"
                     : best->how.whole != kna_state_get()->how.whole   ? "equations that nobody reads stay"
                     : best->how.events != kna_state_get()->how.events ? "error state"
                                                                       : "named axes");
        return;
    }
    knx_text now = {0}, before = {0};
    knx_text_add(t, "new %s of ", best->in[at].dtype != in[at].dtype ? "dtype" : "shape");
    knf_show_array(t, f, at);
    knx_text_add(t, ": %s was %s", kni_type_text(&now, in[at], false), kni_type_text(&before, best->in[at], false));
}

static void log_recording(const knf_core *f, uint32_t n, const kni_type *in)
{
    knx_text t = {0};
    const kn_place *here = knx_context()->here;
    if (knx_debug_level < 1)
        return;
    show_reason(&t, f, n, in);
    KN_LOG(1, "jit: %s:%d: %s is recorded: %s", here ? here->file : "?", here ? here->line : 0, f->name, t.s);
}

/* ---- Finding or making one. */

/* Recorded under the scope, whose refusal is an error. */
static knx_error *derive(knf_core *f, const kni_type *in, const knf_dims *dims, knx_dim_scope *scope, knf_entry *e)
{
    if (!scope)
        return knf_derive(f->inner, in, NULL, "jit", &e->closed);
    knx_dim_enter(scope);
    knx_error *error = knf_derive(f->inner, in, NULL, "jit", &e->closed);
    knx_dim_leave(scope);
    knx_error *refused = knx_dim_take_error(scope);
    if (error)
        knx_error_release(refused);
    else
        error = refused;
    if (!error && scope->told.n)
        error = knx_error_new(KN_ERROR_DIMENSION, "%s asks for extents", f->name);
    if (error || !scope->assumes)
        return error;
    e->conditions = knx_arena_zero(&e->arena, sizeof *e->conditions);
    if (!e->conditions || !knf_conditions_of(scope, dims, e->conditions))
        return knx_error_nomem();
    e->conditions->n_guard = scope->guard.n;
    e->conditions->guard = knx_arena_copy(&e->arena, scope->guard.at, scope->guard.n * sizeof *scope->guard.at);
    return e->conditions->guard ? NULL : knx_error_nomem();
}

knx_error *knf_record_entry(knf_core *f, const kni_type *in, const knf_dims *dims, knx_dim_scope *scope,
                            knf_entry **out, knf_entry **once)
{
    kna_state *s = kna_state_get();
    uint32_t n = (uint32_t)(f->n_captured + f->n_in);
    log_recording(f, n, in);
    knf_entry *e = new_entry(n, in, hash_recording(f, n, in));
    *once = NULL;
    if (!e || !insert(s, f, e)) {
        knf_entry_free(e);
        return knx_error_nomem();
    }
    e->tracing = true;
    e->used = ++s->clock;
    f->trace_count++;
    if (f->made_of)
        f->made_of->trace_count++;
    s->trace_stats.misses++;
    uint64_t reports = knx_context()->reports;
    double began = knx_tracing() ? knx_seconds() : 0;
    bool assuming = knf_is_assuming();
    knx_error *error = derive(f, in, dims, scope, e);
    if (knx_tracing())
        knx_trace_event("record", f->name, knx_seconds() - began, "\"equations\": %u",
                        error ? 0 : e->closed.jaxpr->n_eqn);
    if (!error)
        error = knf_find_donated(f, e->closed.jaxpr, &e->arena, &e->donated);
    e->tracing = false;
    /* an error that no result carries is to be reported by the next call, too */
    bool keep = !error && !e->closed.once && !knx_reported_since(reports) && !assuming;
    if (!keep)
        remove_entry(e);
    if (error) {
        knf_entry_free(e);
        return error;
    }
    if (keep) {
        count(e);
        knf_bound_entries(e);
    }
    *once = keep ? NULL : e;
    *out = e;
    return NULL;
}

static knx_error *entry_for(knf_core *f, const kni_type *in, const knf_dims *dims, knf_entry **out, knf_entry **once)
{
    const knf_entry *other = NULL;
    KN_TRY(knf_known_entry(f, in, dims, out, &other));
    if (*out)
        return NULL;
    knx_dim_scope *scope = dims->n ? knf_symbolic_scope(f) : NULL;
    if (other)
        return knf_symbolic_differs(other, dims);
    if (scope && f->o.checks && !knf_assume(scope, dims))
        return knx_error_nomem();
    return knf_record_entry(f, in, dims, scope, out, once);
}

/* With dimension variables if the function or the context says so, unless each equation has to be looked at by
 * itself. */
KNX_HOT knx_error *knf_entry_for(knf_core *f, const kni_type *in, knf_dims *dims, knf_entry **out, knf_entry **once)
{
    static const knf_dims none;
    kni_type *types = NULL;
    kn_context c = knx_context();
    bool may = dims && (f->o.symbolic || c->symbolic) && c->lazy && !dims->device->compile;
    bool automatic = may && knf_is_automatic(f);
    *once = NULL;
    if (dims)
        dims->n = 0;
    if (may && (*out = knf_recall(f, in, dims))) {
        kna_state_get()->trace_stats.hits++;
        touch(kna_state_get(), *out);
        return NULL;
    }
    if (may && !automatic)
        KN_TRY(knf_symbolic_begin(f, in, &types, dims));
    knx_error *error = automatic ? knf_automatic_entry(f, in, dims, out, once)
                                 : entry_for(f, types ? types : in, dims ? dims : &none, out, once);
    knx_free(types);
    if (!error && !*once && dims && dims->n)
        knf_remember(f, in, *out, dims);
    return error;
}

bool knf_knows(knf_core *f, const kni_type *in)
{
    kni_type *types = NULL;
    knf_dims dims = {.device = kna_device_at(kna_default_site())};
    knf_entry *e = knf_recall(f, in, &dims);
    if (e)
        return true;
    dims.n = 0;
    knx_error *error =
        knf_is_automatic(f) ? knf_automatic_types(f, in, &types, &dims) : knf_symbolic_begin(f, in, &types, &dims);
    if (!error && types && dims.n)
        error = knf_known_entry(f, types, &dims, &e, NULL);
    knx_error_release(error);
    knx_free(types);
    return e;
}

static void count_again(knf_entry *e)
{
    if (!e->bytes)
        return;
    count(e);
    knf_bound_entries(e);
    kna_bound_kernels(e);
}

static knx_error *compile(knf_entry *e, const knd_device *device, bool fuse)
{
    const kn_place *here = knx_context()->here;
    const knc_compile_options o = {.kernels = kna_state_get()->caches->kernels, .fuse = fuse, .donated = e->donated};
    if (e->program[!fuse])
        KN_LOG(1, "jit: %s:%d: %s is compiled again: different option: %s", here ? here->file : "?",
               here ? here->line : 0, e->closed.jaxpr->name, fuse ? "fused" : "not fused");
    knx_error *error = knd_compile(device, e->closed.jaxpr, &o, &e->program[fuse]);
    if (error && error->kind == KN_ERROR_MEMORY && knx_give_back(0)) {
        knx_error_release(error);
        error = knd_compile(device, e->closed.jaxpr, &o, &e->program[fuse]);
    }
    if (error)
        return error;
    count_again(e);
    return NULL;
}

/* The one that ran last goes among those of other devices, and one of those takes its place if there is one. */
static knx_error *change_device(knf_entry *e, const knd_device *device, bool fuse)
{
    if (!KN_VEC_RESERVE(&e->elsewhere, 1))
        return knx_error_nomem();
    e->elsewhere.at[e->elsewhere.n++] = (knf_elsewhere){e->program[fuse], fuse};
    e->program[fuse] = NULL;
    for (size_t i = 0; i < e->elsewhere.n; i++) {
        const knf_elsewhere x = e->elsewhere.at[i];
        if (x.fuse != fuse || x.program->device != device)
            continue;
        e->elsewhere.at[i] = e->elsewhere.at[--e->elsewhere.n];
        e->program[fuse] = x.program;
        break;
    }
    return NULL;
}

KNX_HOT knx_error *knf_entry_program(knf_entry *e, const knf_dims *dims, knd_loaded **out)
{
    if (dims->n) {
        bool fresh;
        if (dims->program) {
            *out = knd_retain(dims->program);
            return NULL;
        }
        const knf_variants all = {.first = &e->variant,
                                  .jaxpr = e->closed.jaxpr,
                                  .donated = e->donated,
                                  .scope = knf_symbolic_scope(e->core),
                                  .device = dims->device};
        KN_TRY(knf_variant_program(&all, dims, &fresh, out));
        knf_remember_program(e, dims, *out);
        if (fresh)
            count_again(e);
        return NULL;
    }
    bool fuse = knx_context()->lazy;
    if (e->program[fuse] && __builtin_expect(e->program[fuse]->device != dims->device, 0))
        KN_TRY(change_device(e, dims->device, fuse));
    if (!e->program[fuse])
        KN_TRY(compile(e, dims->device, fuse));
    *out = knd_retain(e->program[fuse]);
    return NULL;
}
