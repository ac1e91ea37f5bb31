/* SPDX-License-Identifier: Apache-2.0
 * ways.c -- the ways to run a program: fused or not, with lanes in either direction, backends and threads, over donated
 * operands. The first one, unfused on the interpreter, is the meaning. */
#include "programs.h"
#include "devices/devices.h"
#include "device/offload/offload.h"
#include "host/native.h"

#include <stdlib.h>
#include <string.h>

const way *way_now;

static void add(way *list, int *n, way w)
{
    if (*n < MAX_WAYS)
        list[(*n)++] = w;
}

static void add_native(way *list, int *n, uint64_t *state, bool all)
{
    static const int threads[] = {1, 2, 3, 7};
    const knh_generator *g;
    for (int i = 0; (g = knh_generator_number(i)); i++) {
        if (!g->make || !knh_generator_works(g))
            continue;
        for (int k = 0, one = (int)(test_random(state) % 4); k < 4; k++)
            if (all || k == one || !k)
                add(list, n, (way){.name = g->name, .fuse = true, .generator = g, .threads = threads[k]});
        add(list, n, (way){.name = g->name, .generator = g, .threads = 1});
    }
}

int ways_of(uint64_t seed, way *list, bool all)
{
    uint64_t state = seed;
    int n = 0, pick = (int)(test_random(&state) % 4);
    add(list, &n, (way){.name = "unfused"});
    add(list, &n, (way){.name = "fused", .fuse = true, .cached = true});
    add(list, &n, (way){.name = "fused, parsed", .fuse = true, .parsed = true});
    if (all || pick < 3)
        add(list, &n, (way){.name = "fused, rows", .fuse = true, .lanes = KNK_LANES_ROW});
    if (all || pick >= 2)
        add(list, &n, (way){.name = "fused, columns", .fuse = true, .lanes = KNK_LANES_COLUMN});
    add(list, &n, (way){.name = "donated", .fuse = true, .donate = true});
    if (all || pick == 2)
        add(list, &n, (way){.name = "unfused, donated", .donate = true});
    for (int threads = 1; threads < 8; threads += 6)
        add(list, &n, (way){.name = "as used", .fuse = true, .as_used = true, .threads = threads});
    add(list, &n, (way){.name = "bands", .fuse = true, .bands = true, .as_used = true, .threads = 2});
    add(list, &n, (way){.name = "bands, interpreted, donated", .fuse = true, .bands = true, .donate = true});
    add_native(list, &n, &state, all);
    unsigned some = (unsigned)test_random(&state) & FAR_ALL;
    add(list, &n,
        (way){.name = "far",
              .fuse = true,
              .bands = pick > 0,
              .as_used = true,
              .far = true,
              .takes = FAR_ALL,
              .threads = 1});
    add(list, &n,
        (way){
            .name = "far, some on the host", .fuse = true, .as_used = true, .far = true, .takes = some, .threads = 1});
    add(list, &n,
        (way){.name = "auto", .fuse = pick != 3, .as_used = true, .far = true, .offload = true, .takes = FAR_ALL});
    if (all || test_random(&state) % 16 == 0) /* it is slow */
        add(list, &n, (way){.name = "mine", .fuse = true, .as_used = true, .far = true, .mine = true, .threads = 1});
    if (all || pick == 1)
        add(list, &n,
            (way){.name = "far, unfused, donated",
                  .donate = true,
                  .as_used = true,
                  .far = true,
                  .takes = some ^ FAR_ALL,
                  .threads = 1});
    return n;
}

/* Which operands are given away: some of those that no other operand shares. */
static void choose_donated(const program *p, uint64_t seed, bool *donated)
{
    for (int i = 0; i < program_operands(p); i++)
        donated[i] = test_random(&seed) % 3 > 0;
}

static knx_buffer *copy_of(const knx_buffer *from, size_t bytes)
{
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && bytes)
        memcpy(b->data, from->data, bytes);
    return b;
}

static knc_kernel_cache *shared_kernels(void)
{
    static knc_kernel_cache *cache;
    if (!cache)
        cache = knc_kernel_cache_new((size_t)1 << 20);
    return cache;
}

/* The text of the jaxpr, read back. */
static knx_error *read_back(const kni_jaxpr *j, kni_jaxpr **out)
{
    char *text = NULL;
    knx_error *e = kni_text(j, KN_FORM_FULL, &text);
    if (!e)
        e = kni_parse(text, out);
    knx_free(text);
    return e;
}

/* Costs by which some steps of small programs go to the device, and some stay. */
static const knd_device *set_costs(uint64_t seed)
{
    kn_offload_costs c = {.size_ = sizeof c, .up = 1e9, .down = 1e9, .here = {1e-6, 1e8, 1e7, 1e7}};
    double scale[4];
    for (int i = 0; i < 4; i++)
        scale[i] = (double)(test_random(&seed) % 1000 + 1) / 300;
    c.there = (kn_offload_side){1e-6 * scale[0], 1e8 * scale[1], 1e7 * scale[2], 1e7 * scale[2]};
    c.up_latency = c.down_latency = 1e-7 * scale[3];
    kn_offload_set_costs(far_now()->name, &c);
    knd_auto_use(far_now());
    return &knd_auto;
}

static const knd_device *device_of(const way *w, uint64_t seed)
{
    return w->offload ? set_costs(seed) : w->mine ? mine_device() : w->far ? far_now() : &knd_host;
}

knx_error *way_run(const way *w, const program *p, uint64_t seed, knx_buffer **out)
{
    int n = program_operands(p);
    bool donated[MAX_VALUES] = {false};
    knd_operand in[MAX_VALUES];
    knd_loaded *made = NULL;
    kni_jaxpr *parsed = NULL;
    if (w->donate)
        choose_donated(p, seed, donated);
    if (w->parsed) {
        knx_error *e = read_back(p->j, &parsed);
        if (e)
            return e;
    }
    way_now = w->as_used ? NULL : w;
    far_take(w->takes);
    knx_error *e = knd_compile(device_of(w, seed), parsed ? parsed : p->j,
                               &(knc_compile_options){.fuse = w->fuse,
                                                      .bands = w->bands,
                                                      .kernels = w->cached ? shared_kernels() : NULL,
                                                      .donated = w->donate ? donated : NULL},
                               &made);
    kni_release(parsed);
    for (uint32_t k = 0; k < p->j->n_out; k++)
        out[k] = NULL;
    if (e) {
        way_now = NULL;
        return e;
    }
    for (int i = 0; i < n; i++) {
        knx_buffer *b = donated[i] ? copy_of(p->x[i], kni_type_bytes(p->j->type[i])) : p->x[i];
        in[i] = (knd_operand){.buffer = b, .data = b->data};
    }
    e = w->as_used ? knd_run_with(made, in, out, &(knd_options){.threads = w->threads}) : knd_run(made, in, out, NULL);
    way_now = NULL;
    for (int i = 0; i < n; i++)
        if (donated[i])
            knx_buffer_release(in[i].buffer);
    for (uint32_t k = 0; w->far && !e && k < p->j->n_out; k++)
        e = knd_fetch(out[k]);
    knd_release(made);
    return e;
}
