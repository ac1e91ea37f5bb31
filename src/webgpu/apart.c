/* SPDX-License-Identifier: Apache-2.0
 * apart.c -- values of one memory that lie too far apart to be bound together: two bindings of one memory are not
 * allowed where one of them is written to, and one binding has a largest size. For this launch such values are in
 * memories of their own: copied there before, and back where the step writes to them. */
#include "webgpu/plan.h"
#include <string.h>

/* Of the memory behind reference r, which bytes its value has. */
static void span_of(const knc_step *s, uint32_t r, const knd_place *at, kng_apart_span *out)
{
    const knc_ref *ref = &s->ref[r];
    uint64_t begin = at[r].offset - (ref->offset - ref->first); /* programs of loops are given parts of memories */
    *out = (kng_apart_span){
        .memory = at[r].memory, .begin = begin, .end = begin + ref->bytes, .written = knc_is_written(s, r)};
}

static bool is_far(const kng_gpu *g, uint64_t begin, uint64_t end)
{
    return end / 256 - begin / 256 + 1 > g->limits.maxStorageBufferBindingSize / 256;
}

/* Is what the step needs of the memory behind r too much for one binding? */
static bool is_too_much(const kng_gpu *g, const knc_step *s, uint32_t r, const knd_place *at)
{
    uint64_t begin = UINT64_MAX, end = 0;
    if (!at[r].memory || at[r].memory->room <= g->limits.maxStorageBufferBindingSize)
        return false;
    for (uint32_t i = 0; i < s->n_ref; i++) {
        kng_apart_span x;
        if (at[i].memory != at[r].memory)
            continue;
        span_of(s, i, at, &x);
        begin = x.begin < begin ? x.begin : begin;
        end = x.end > end ? x.end : end;
    }
    return is_far(g, begin, end);
}

/* Spans that meet are one. */
static void add_span(kng_apart *a, kng_apart_span x)
{
    for (uint32_t i = 0; i < a->n;) {
        kng_apart_span *y = &a->span[i];
        if (y->memory != x.memory || y->end <= x.begin || x.end <= y->begin) {
            i++;
            continue;
        }
        x.begin = y->begin < x.begin ? y->begin : x.begin;
        x.end = y->end > x.end ? y->end : x.end;
        x.written |= y->written;
        a->span[i] = a->span[--a->n];
    }
    a->span[a->n++] = x;
}

/* The value of reference r is in the copy of its span. */
static void move_place(const kng_apart *a, const knc_step *s, uint32_t r, const knd_place *at, knd_place *out)
{
    kng_apart_span x;
    span_of(s, r, at, &x);
    for (uint32_t i = 0; i < a->n; i++)
        if (a->span[i].memory == x.memory && a->span[i].begin <= x.begin && x.end <= a->span[i].end)
            *out = (knd_place){.memory = a->span[i].copy, .offset = at[r].offset - a->span[i].begin};
}

knx_error *kng_take_apart(kng_gpu *g, const knc_step *s, const knd_place *at, kng_apart *a, const knd_place **out)
{
    *a = (kng_apart){0};
    *out = at;
    uint32_t r = 0;
    while (r < s->n_ref && !is_too_much(g, s, r, at))
        r++;
    if (r == s->n_ref)
        return NULL;
    a->span = knx_alloc_zero(s->n_ref * (sizeof *a->span + sizeof *a->place));
    if (!a->span)
        return knx_error_nomem();
    a->place = (knd_place *)(a->span + s->n_ref);
    memcpy(a->place, at, s->n_ref * sizeof *at);
    for (r = 0; r < s->n_ref; r++) {
        kng_apart_span x;
        if (!is_too_much(g, s, r, at))
            continue;
        span_of(s, r, at, &x);
        add_span(a, x);
    }
    for (uint32_t i = 0; i < a->n; i++) {
        kng_apart_span *x = &a->span[i];
        KN_TRY(kng_alloc(g, x->end - x->begin, &x->copy));
        KN_TRY(kng_copy(g, x->copy, 0, x->memory, x->begin, x->end - x->begin));
    }
    for (r = 0; r < s->n_ref; r++)
        if (is_too_much(g, s, r, at))
            move_place(a, s, r, at, &a->place[r]);
    *out = a->place;
    return NULL;
}

knx_error *kng_put_back(kng_gpu *g, kng_apart *a, knx_error *error)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const kng_apart_span *x = &a->span[i];
        if (!error && x->written)
            error = kng_copy(g, x->memory, x->begin, x->copy, 0, x->end - x->begin);
        if (x->copy)
            kng_free(g, x->copy);
    }
    knx_free(a->span);
    return error;
}
