/* SPDX-License-Identifier: Apache-2.0
 * group.c -- bind groups: which memories a dispatch has. They are kept while their memories are, since a program that
 * runs again has the same ones; the offset of the words in the uniform buffer is a dispatch's own. */
#include "webgpu/gpu.h"
#include <string.h>

typedef struct binding {
    uint64_t id, at, bytes;
} binding;
typedef struct kng_group {
    uint64_t hash;
    WGPUBindGroup group;
    const kng_layout *layout;
    uint32_t uniform_bytes, n;
    bool again;             /* it was asked for since the hand passed */
    struct kng_group *next; /* of the same place in the table */
    binding b[KNG_SLOTS];
} kng_group;

/* What the group is told by: the layout and its memories. */
static void describe(kng_group *d, const kng_layout *l, const kng_bound *slot, uint32_t uniform_bytes)
{
    *d = (kng_group){.layout = l, .uniform_bytes = uniform_bytes};
    for (uint32_t i = 0; i < KNG_SLOTS; i++) {
        if (!(l->slots >> i & 1))
            continue;
        const kng_bound *s = &slot[i];
        d->b[d->n++] = (binding){s->memory->id, s->at, s->bytes ? s->bytes : s->memory->room - s->at};
    }
    d->hash = knx_hash_mix(knx_hash_bytes(d->b, d->n * sizeof d->b[0], uniform_bytes), (uintptr_t)l);
}

static bool is_same(const kng_group *a, const kng_group *b)
{
    return a->layout == b->layout && a->uniform_bytes == b->uniform_bytes && a->n == b->n &&
           !memcmp(a->b, b->b, a->n * sizeof a->b[0]);
}

static kng_group **place_of(kng_gpu *g, uint64_t hash) { return &g->pipelines.groups[hash >> 32 & (KNG_PLACES - 1)]; }

static void drop(kng_gpu *g, uint32_t i)
{
    kng_group *x = g->pipelines.group[i], **at = place_of(g, x->hash);
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    if (!g->forked)
        g->api->BindGroupRelease(x->group);
    kng_drop(x);
    g->pipelines.group[i] = g->pipelines.group[--g->pipelines.n_group];
}

void kng_groups_drop(kng_gpu *g, uint64_t memory_id)
{
    for (uint32_t i = g->pipelines.n_group; i-- > 0;) {
        const kng_group *x = g->pipelines.group[i];
        bool has = false;
        for (uint32_t k = 0; k < x->n; k++)
            has |= x->b[k].id == memory_id;
        if (has)
            drop(g, i);
    }
}

/* Makes room: the hand passes over those that were asked for again. */
static void make_room(kng_gpu *g)
{
    while (g->pipelines.n_group >= KNG_GROUPS) {
        uint32_t at = g->pipelines.hand++ % g->pipelines.n_group;
        kng_group *x = g->pipelines.group[at];
        if (!x->again)
            drop(g, at);
        else
            x->again = false;
    }
}

static knx_error *make(kng_gpu *g, kng_group *x, const kng_bound *slot)
{
    WGPUBindGroupEntry e[KNG_SLOTS + 1];
    size_t n = 0;
    if (x->layout->uniform)
        e[n++] = (WGPUBindGroupEntry){.binding = 0, .buffer = g->queue.uniform, .size = x->uniform_bytes};
    for (uint32_t i = 0, k = 0; i < KNG_SLOTS; i++) {
        if (!(x->layout->slots >> i & 1))
            continue;
        e[n++] = (WGPUBindGroupEntry){
            .binding = 1 + i, .buffer = slot[i].memory->buffer, .offset = x->b[k].at, .size = x->b[k].bytes};
        k++;
    }
    x->group = g->api->DeviceCreateBindGroup(
        g->handle, &(WGPUBindGroupDescriptor){.layout = x->layout->groups, .entryCount = n, .entries = e});
    return kng_check(g, "binding memory");
}

knx_error *kng_group_for(kng_gpu *g, const kng_layout *l, const kng_bound *slot, uint32_t uniform_bytes,
                         WGPUBindGroup *out)
{
    kng_group want;
    describe(&want, l, slot, uniform_bytes);
    for (kng_group *x = *place_of(g, want.hash); x; x = x->next) {
        if (x->hash != want.hash || !is_same(x, &want))
            continue;
        x->again = true;
        g->counters.group_hits++;
        *out = x->group;
        return NULL;
    }
    make_room(g);
    kng_group *x = kng_keep(sizeof *x);
    if (!x)
        return knx_error_nomem();
    *x = want;
    knx_error *error = make(g, x, slot);
    if (error) {
        if (x->group)
            g->api->BindGroupRelease(x->group);
        kng_drop(x);
        return error;
    }
    x->next = *place_of(g, x->hash);
    *place_of(g, x->hash) = x;
    g->pipelines.group[g->pipelines.n_group++] = x;
    g->counters.groups++;
    *out = x->group;
    return NULL;
}
