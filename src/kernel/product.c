/* SPDX-License-Identifier: Apache-2.0
 * product.c -- descriptions of products in few words: the dtypes, the offsets, then each group of dimensions and the
 * windows, each behind its number. */
#include "kernel/product.h"
#include <string.h>

enum { HEAD = 5, OF_WINDOW = 8 };

static size_t words_of(const knk_product *p)
{
    return HEAD + 5 + 4 * (size_t)(p->batch.n + p->m.n + p->n.n + p->k.n) + OF_WINDOW * (size_t)p->n_window;
}

static int64_t *pack_dims(int64_t *at, const knk_dims *d)
{
    const int64_t *const column[] = {d->extent, d->a, d->b, d->c};
    *at++ = d->n;
    for (int i = 0; i < 4; i++, at += d->n)
        if (d->n)
            memcpy(at, column[i], (size_t)d->n * sizeof *at);
    return at;
}

static const int64_t *unpack_dims(const int64_t *at, knk_dims *d)
{
    int64_t *const column[] = {d->extent, d->a, d->b, d->c};
    d->n = (int)*at++;
    for (int i = 0; i < 4; i++, at += d->n)
        if (d->n)
            memcpy(column[i], at, (size_t)d->n * sizeof *at);
    return at;
}

const int64_t *knk_pack_product(knx_arena *a, const knk_product *p)
{
    int64_t *packed = knx_arena_alloc(a, words_of(p) * sizeof *packed), *at = packed;
    if (!packed)
        return NULL;
    *at++ = p->operand->id;
    *at++ = p->result->id;
    *at++ = p->a_offset;
    *at++ = p->b_offset;
    *at++ = p->c_offset;
    at = pack_dims(at, &p->batch);
    at = pack_dims(at, &p->m);
    at = pack_dims(at, &p->n);
    at = pack_dims(at, &p->k);
    *at++ = p->n_window;
    for (int i = 0; i < p->n_window; i++) {
        const knk_window *w = &p->window[i];
        const int64_t words[OF_WINDOW] = {w->m, w->k, w->step, w->dilation, w->low, w->base, w->extent, w->stride};
        memcpy(at, words, sizeof words);
        at += OF_WINDOW;
    }
    return packed;
}

size_t knk_packed_words(const int64_t *packed)
{
    const int64_t *at = packed + HEAD;
    for (int group = 0; group < 4; group++)
        at += 1 + 4 * *at;
    return (size_t)(at - packed) + 1 + OF_WINDOW * (size_t)*at;
}

void knk_unpack_product(const int64_t *at, knk_product *out)
{
    out->operand = &knx_dtype_table[at[0]];
    out->result = &knx_dtype_table[at[1]];
    out->a_offset = at[2];
    out->b_offset = at[3];
    out->c_offset = at[4];
    at = unpack_dims(at + HEAD, &out->batch);
    at = unpack_dims(at, &out->m);
    at = unpack_dims(at, &out->n);
    at = unpack_dims(at, &out->k);
    out->n_window = (int)*at++;
    for (int i = 0; i < out->n_window; i++, at += OF_WINDOW)
        out->window[i] = (knk_window){(int)at[0], (int)at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
}
