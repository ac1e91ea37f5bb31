/* SPDX-License-Identifier: Apache-2.0
 * wgsl_case.c -- launches for devices. */
#include "support/wgsl_case.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include "support/scratch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256, MARGIN = 8 };

/* A piece in a memory of its own or behind the others; its number. */
static int add_piece(wgsl_case *c, int dtype, const void *before, const void *after, size_t bytes, bool together)
{
    int m = together ? 0 : c->n_piece;
    wgsl_piece *p = &c->piece[c->n_piece];
    if (m >= c->n_memory)
        c->n_memory = m + 1;
    *p = (wgsl_piece){.dtype = dtype, .memory = m, .at = c->bytes[m], .bytes = bytes};
    p->before = malloc(bytes + 1);
    p->after = malloc(bytes + 1);
    memcpy(p->before, before, bytes);
    memcpy(p->after, after, bytes);
    c->bytes[m] += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return c->n_piece++;
}

static void begin(wgsl_case *c, knk_kernel *k, const knk_launch *l)
{
    *c = (wgsl_case){.k = k};
    c->memory = calloc((size_t)k->n_buffer + 1, sizeof *c->memory);
    c->at = calloc((size_t)k->n_buffer + 1, sizeof *c->at);
    c->l = (knw_launch){.map = l->map, .par = l->par, .inner = l->inner, .at = c->at};
}

static void place(wgsl_case *c, int buffer, int piece, int64_t element)
{
    const wgsl_piece *p = &c->piece[piece];
    c->memory[buffer] = (uint8_t)p->memory;
    c->at[buffer] = (uint32_t)((int64_t)p->at / knk_size(p->dtype) + element);
}

bool wgsl_case_of_kernel(kernel_case *from, uint64_t seed, bool together, wgsl_case *to)
{
    kernel_data *before = kernel_data_new(from, seed), *after = before ? kernel_data_copy(from, before) : NULL;
    int piece[WGSL_MEMORIES];
    if (!after || from->k->n_buffer > WGSL_MEMORIES) {
        kernel_data_free(before);
        kernel_data_free(after);
        return false;
    }
    knk_launch l = from->l;
    void *scratch = aligned_alloc(64, (interpreter_scratch(from->k) + 127) & ~(size_t)63);
    l.buffer = after->base;
    knk_interpret(from->k, &l, scratch);
    free(scratch);
    begin(to, from->k, &l);
    for (int b = 0; b < from->k->n_buffer; b++) {
        int d = knk_memory_dtype((knx_dtype_id)from->k->buffer[b].dtype), size = knk_size(d), a = from->alias[b];
        int64_t back = (MARGIN - from->low[a]) * size, n = from->high[a] - from->low[a] + 2 * MARGIN;
        if (a == b)
            piece[b] = add_piece(to, d, (char *)before->base[b] - back, (char *)after->base[b] - back,
                                 (size_t)(n * size), together);
        else
            piece[b] = piece[a];
        place(to, b, piece[b], MARGIN - from->low[a]);
    }
    kernel_data_free(before);
    kernel_data_free(after);
    return true;
}

bool wgsl_case_of_scene(const scene *s, bool together, wgsl_case *to)
{
    void *after[SCENE_BUFFERS], *scratch = aligned_alloc(64, (interpreter_scratch(s->k) + 127) & ~(size_t)63);
    int piece[SCENE_BUFFERS];
    for (int i = 0; i < s->n_buffer; i++) {
        if (s->alias[i]) {
            after[i] = after[s->alias[i] - 1];
            continue;
        }
        after[i] = aligned_alloc(64, (s->bytes[i] + 127) & ~(size_t)63);
        memcpy(after[i], s->buffer[i], s->bytes[i]);
    }
    knk_launch l = s->launch;
    l.buffer = after;
    knk_interpret(s->k, &l, scratch);
    begin(to, s->k, &l);
    for (int i = 0; i < s->n_buffer; i++) {
        piece[i] = s->alias[i] ? piece[s->alias[i] - 1]
                               : add_piece(to, s->dtype[i], s->buffer[i], after[i], s->bytes[i], together);
        place(to, i, piece[i], 0);
    }
    for (int i = 0; i < s->n_buffer; i++)
        if (!s->alias[i])
            free(after[i]);
    free(scratch);
    return true;
}

void wgsl_case_free(wgsl_case *c)
{
    for (int i = 0; i < c->n_piece; i++) {
        free(c->piece[i].before);
        free(c->piece[i].after);
    }
    free(c->memory);
    free(c->at);
}

void wgsl_case_fill(const wgsl_case *c, int memory, char *to)
{
    memset(to, 0x5a, c->bytes[memory]);
    for (int i = 0; i < c->n_piece; i++)
        if (c->piece[i].memory == memory)
            memcpy(to + c->piece[i].at, c->piece[i].before, c->piece[i].bytes);
}

static bool is_nan(int dtype, uint64_t bits)
{
    switch (dtype) {
    case KN_ID_F32: return (bits & 0x7fffffffu) > 0x7f800000u;
    case KN_ID_F16: return (bits & 0x7fffu) > 0x7c00u;
    case KN_ID_BF16: return (bits & 0x7fffu) > 0x7f80u;
    default: return false;
    }
}

int64_t wgsl_case_differences(const wgsl_case *c, int memory, const char *got, char *where, size_t room)
{
    int64_t differences = 0;
    for (int i = 0; i < c->n_piece; i++) {
        const wgsl_piece *p = &c->piece[i];
        size_t size = (size_t)knk_size(p->dtype), n = p->bytes / size;
        for (size_t j = 0; j < n && p->memory == memory; j++) {
            uint64_t x = bits_at(got + p->at + j * size, size), y = bits_at(p->after + j * size, size);
            if (x != y && !(is_nan(p->dtype, x) && is_nan(p->dtype, y)) && !differences++)
                snprintf(where, room, "%s element %zu of %zu: 0x%" PRIx64 ", not 0x%" PRIx64,
                         knx_dtype_table[p->dtype].name, j, n, x, y);
        }
    }
    return differences;
}
