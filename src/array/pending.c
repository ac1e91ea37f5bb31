/* SPDX-License-Identifier: Apache-2.0
 * pending.c -- how much work may wait: so many operations, and so much memory that is there for them alone. Past either
 * bound an operation runs when it is called, with what it waits for.
 *
 * Memory that running would not give back does not count: what somebody else has too, and as much as the results take
 * that somebody waits for. That takes a walk over all that waits, so it is done only when the operands together, each
 * counted at each use, have more bytes than the bound, and again when a quarter of the bound has been added. */
#include "array/pin.h"
#include "array/state.h"
#include "base/log.h"
#include <string.h>

enum { MOST_OPERATIONS = 4096 };
static const size_t most_bytes = (size_t)256 << 20;

void kna_pending_init(kna_state *s)
{
    const kn_env *env = knx_env();
    uint64_t bytes = env->pending_bytes >= 0 ? (uint64_t)env->pending_bytes : most_bytes;
    s->bound.limits.operations = env->pending_operations >= 0 ? env->pending_operations : MOST_OPERATIONS;
    s->bound.limits.bytes = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* ---- Counting uses: how often each value is an operand of what waits. */

typedef struct use {
    const kna_value *v;
    uint32_t n;
} use;
typedef struct uses {
    use *at;
    size_t mask;
} uses;

static use *use_of(const uses *u, const kna_value *v)
{
    size_t i = knx_hash_mix(1, (uint64_t)(uintptr_t)v) & u->mask;
    while (u->at[i].v && u->at[i].v != v)
        i = (i + 1) & u->mask;
    return &u->at[i];
}

static bool count_uses(const kna_state *s, uses *u)
{
    size_t slots = 0, room = 16;
    for (const kna_node *n = s->waiting; n; n = n->next)
        slots += n->n_in;
    while (room < 2 * slots)
        room *= 2;
    u->at = knx_alloc_zero(room * sizeof *u->at);
    u->mask = room - 1;
    for (const kna_node *n = u->at ? s->waiting : NULL; n; n = n->next)
        for (uint32_t i = 0; i < n->n_in; i++)
            if (n->in[i]) {
                use *one = use_of(u, n->in[i]);
                *one = (use){n->in[i], one->n + 1};
            }
    return u->at != NULL;
}

/* Is the memory of this operand there for what waits alone? */
static bool only_waits_for(const use *u) { return u->v->state == KN_V_BUFFER && kna_only_referred_by(u->v, u->n); }

/* Bytes that running all that waits would give back; SIZE_MAX without memory to find out. */
static size_t bytes_held(const kna_state *s)
{
    uses u;
    size_t held = 0, results = 0;
    if (!count_uses(s, &u))
        return SIZE_MAX;
    for (size_t i = 0; i <= u.mask; i++)
        if (u.at[i].v && only_waits_for(&u.at[i]))
            held += kni_type_bytes(u.at[i].v->type);
    for (const kna_node *n = s->waiting; n; n = n->next)
        for (uint32_t i = 0; i < n->n_out; i++)
            if (n->out[i] && (uint32_t)n->out[i]->refs > use_of(&u, n->out[i])->n)
                results += kni_type_bytes(n->out[i]->type);
    knx_free(u.at);
    return held > results ? held - results : 0;
}

/* ---- The bound. */

KNX_HOT bool kna_pending_is_full(kna_state *s)
{
    kna_pending_bound *b = &s->bound;
    if (s->pending > b->limits.operations)
        return true;
    if (b->used <= b->limits.bytes) {
        b->look_again = 0;
        return false;
    }
    if (b->used < b->look_again)
        return b->full;
    b->full = bytes_held(s) > b->limits.bytes;
    b->look_again = b->used + (b->limits.bytes / 4 < 1 ? 1 : b->limits.bytes / 4);
    return b->full;
}

/* All extents of what waits are numbers whose product was found to fit. */
KNX_HOT size_t kna_pending_used(const kna_node *n)
{
    size_t all = 0;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const kni_type *t = n->in[i] ? &n->in[i]->type : NULL;
        size_t bytes = t ? t->dtype->size : 0;
        for (int d = 0; t && d < t->ndim; d++)
            bytes *= (size_t)t->dim[d];
        all += bytes;
    }
    return all;
}

/* ---- For the user. */

kn_pending_limits kn_pending_get_limits(void)
{
    const kna_state *s = kna_state_get();
    return s ? s->bound.limits : (kn_pending_limits){0};
}

int kn_pending_set_limits(int64_t operations, size_t bytes)
{
    kna_state *s = kna_state_get();
    if (operations < 0)
        knx_report_new("pending_set_limits", KN_ERROR_VALUE, "%lld operations", (long long)operations);
    if (operations < 0 || !s)
        return -1;
    s->bound.limits = (kn_pending_limits){operations, bytes};
    s->bound.look_again = 0;
    return 0;
}

void kna_pending_stats(kn_cache_stats_result *r)
{
    const kna_state *s = kna_state_get();
    size_t bytes = bytes_held(s);
    r->pending_operations = s->pending;
    r->pending_bytes = bytes == SIZE_MAX ? 0 : bytes;
}
