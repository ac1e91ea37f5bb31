/* SPDX-License-Identifier: Apache-2.0
 * attached.c -- kernels that are a part of a product's step, as functions of the product's texts (wgsl/piece.h): they
 * give elements of an operand, or take elements of the result. */
#include "kernel/internal.h"
#include "webgpu/routine/routine.h"
#include <string.h>

static int n_dims(const knc_attached *x) { return x->n_batch + x->n_row + x->n_column; }

const char *kng_attach_refuses(const knc_attached *x)
{
    enum { MOST_WORDS = 4096 }; /* of a block of 16,384: for three kernels, and the product's own */
    const char *why = knw_refuses(x->kernel);
    uint64_t words = (uint64_t)x->kernel->n_buffer + (uint64_t)n_dims(x) + 4;
    words += 2 * (uint64_t)x->kernel->n_map * ((uint64_t)n_dims(x) + 1);
    if (why)
        return why;
    if (n_dims(x) > KNK_MAX_LOOPS || words > MOST_WORDS)
        return "a kernel that is a part of a product, with more loops than the device";
    return NULL;
}

/* The same kernel with a parallel loop for each of n dimensions, where it has one for all. */
static knk_kernel *with_loops(const knk_kernel *k, int n)
{
    uint8_t any[KNK_MAX_LOOPS];
    knk_kernel *out = NULL;
    knk_builder *b = knk_new(n);
    if (!b)
        return NULL;
    memset(any, KNK_STRIDE_ANY, sizeof any);
    knk_begin_stage(b, 0);
    for (int i = 0; i < k->n_buffer; i++)
        knk_add_buffer(b, (knx_dtype_id)k->buffer[i].dtype, k->buffer[i].written);
    for (int i = 0; i < k->n_map; i++)
        knk_add_map(b, any);
    for (int i = 0; i < k->n_node; i++)
        knk_append_raw(b, k->node[i]);
    knx_error_release(knk_finish(b, &out));
    return out;
}

static bool describe(kng_maker *m, const knc_attached *x, knw_piece *p)
{
    const knk_kernel *k = x->kernel;
    uint8_t *memory = knx_arena_zero(m->arena, (size_t)k->n_buffer + 1);
    uint8_t *part = knx_arena_zero(m->arena, (size_t)k->n_map + 1);
    if (!memory || !part)
        return false;
    for (int b = 0; b < k->n_buffer; b++) {
        if (x->ref[b] == KNC_NO)
            p->handed = b;
        else
            memory[b] = m->at->slot[x->ref[b]];
    }
    for (int i = 0; i < k->n_map; i++)
        part[i] = x->handed[i] && x->offset[i];
    p->loops[0] = x->n_batch, p->loops[1] = x->n_row, p->loops[2] = x->n_column;
    p->memory = memory;
    p->part = part;
    p->parts = x->parts;
    p->kernel = with_loops(k, n_dims(x));
    return p->kernel != NULL;
}

/* Its numbers, behind the words so far; where its buffers begin is the launch's to say. */
static bool add_words(kng_code *c, const knc_attached *x, const knw_piece *p)
{
    const knk_kernel *k = x->kernel;
    uint32_t end = 0;
    knk_map_values *map = knx_arena_zero(c->m->arena, ((size_t)k->n_map + 1) * sizeof *map);
    int64_t *zero = knx_arena_zero(c->m->arena, ((size_t)n_dims(x) + 1) * sizeof *zero);
    knx_error *e = knw_piece_end(p, &end);
    bool well = !e && map && zero;
    while (well && c->word.n < end)
        well = KN_VEC_PUSH(&c->word, 0);
    for (int i = 0; well && i < k->n_map; i++)
        map[i] = x->handed[i] ? (knk_map_values){0, zero}
                              : (knk_map_values){x->offset[i], x->stride + (size_t)i * (size_t)n_dims(x)};
    if (well)
        e = knw_piece_words(p, x->extent, map, NULL, c->word.at);
    for (int b = 0; well && b < k->n_buffer; b++)
        if (x->ref[b] != KNC_NO)
            well = KN_VEC_PUSH(&c->at, p->begin + (uint32_t)b) && KN_VEC_PUSH(&c->at, x->ref[b]) &&
                   KN_VEC_PUSH(&c->at, knx_dtype_table[k->buffer[b].dtype].size);
    well &= !e;
    knx_error_release(e);
    return well;
}

/* "x" or its part, a number of the sums, as the value of the IR that memory would have had. */
static void value_of_number(kng_code *c, kn_dtype d, const char *x)
{
    unsigned unused = 32 - 8 * (unsigned)d->size;
    if (kng_work(d) != d)
        knw_cast(&c->unit, &c->head, KN_ID_F32, d->id, x);
    else if (d->size < 4 && d->kind == KN_KIND_INT)
        KNG_HEAD(c, "(%s << %uu) >> %uu", x, unused, unused);
    else if (d->size < 4 && d->kind == KN_KIND_UINT)
        KNG_HEAD(c, "%s & 0x%xu", x, (1u << 8 * d->size) - 1);
    else
        KNG_HEAD(c, "%s", x);
}

static void taking(kng_code *c, const char *name, const knw_piece *p, kn_dtype d)
{
    static const char arguments[] = "batch: u32, row: u32, column: u32";
    KNG_HEAD(c, "fn %s(%s, x: %s) { %s(batch, row, column, ", name, arguments, kng_type(kng_wide(d)), p->name);
    if (p->parts == 2)
        KNG_HEAD(c, "x.x, x.y");
    else
        value_of_number(c, d, "x");
    KNG_HEAD(c, "); }\n");
}

static void giving(kng_code *c, const char *name, const knw_piece *p, kn_dtype d)
{
    static const char arguments[] = "batch: u32, row: u32, column: u32";
    KNG_HEAD(c, "fn %s(%s) -> %s {\n    let x = %s(batch, row, column);\n    return ", name, arguments,
             kng_type(kng_wide(d)), p->name);
    if (kng_work(d) != d)
        knw_cast(&c->unit, &c->head, d->id, KN_ID_F32, "x");
    else
        KNG_HEAD(c, "x");
    KNG_HEAD(c, ";\n}\n");
}

void kng_attach(kng_code *c, const char *name, const knc_attached *x, kn_dtype d)
{
    char full[64];
    knw_piece *p = &c->piece[c->n_piece];
    snprintf(full, sizeof full, "%.48s_kernel", name);
    *p = (knw_piece){.name = knx_arena_string(c->m->arena, full), .handed = -1, .begin = (uint32_t)c->word.n};
    if (c->m->failed || !p->name || !describe(c->m, x, p)) {
        c->m->failed = true;
        return;
    }
    c->n_piece++;
    if (!add_words(c, x, p)) {
        c->m->failed = true;
        return;
    }
    if (p->kernel->buffer[p->handed].written)
        giving(c, name, p, d);
    else
        taking(c, name, p, d);
}
