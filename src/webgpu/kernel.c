/* SPDX-License-Identifier: Apache-2.0
 * kernel.c -- kernels (src/wgsl/) as plans. */
#include "webgpu/webgpu.h"
#include <string.h>

static knw_launch launch_of(const knc_step *s, const uint32_t *at)
{
    return (knw_launch){.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner, .at = at};
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const knk_kernel *k = s->u.k.kernel;
    (void)p;
    const char *why = knw_refuses(k);
    if (why)
        return why;
    uint32_t at[KNW_MOST_MEMORIES + 1] = {0};
    if (k->n_buffer > KNW_MOST_MEMORIES)
        return "the kernel has more buffers than the device";
    knw_launch l = launch_of(s, at);
    if ((why = knw_too_large(k, f, &l)))
        return why;
    uint8_t memory[KNW_MOST_MEMORIES] = {0};
    knw_request r = {.kernel = k, .facts = f, .memory = memory, .n_memory = 1};
    uint32_t n = 0;
    knx_error *error = knw_n_words(&r, &n);
    knx_error_release(error);
    return error ? "there is no memory" : n > 16384 - 64 ? "the numbers of its loops do not fit a uniform block" : NULL;
}

/* Buffer b's offset goes to word KNW_AT + b, in elements. */
static bool name_offsets(const knk_kernel *k, knx_arena *arena, kng_dispatch *d)
{
    uint32_t *word = knx_arena_alloc(arena, (size_t)(k->n_buffer + 1) * 3 * sizeof *word);
    uint32_t *ref = word ? word + k->n_buffer : NULL, *unit = ref ? ref + k->n_buffer : NULL;
    if (!word)
        return false;
    for (int b = 0; b < k->n_buffer; b++) {
        word[b] = KNW_AT + (uint32_t)b;
        ref[b] = (uint32_t)b;
        unit[b] = (uint32_t)knx_dtype_table[k->buffer[b].dtype].size;
    }
    d->n_at = (uint32_t)k->n_buffer;
    d->at_word = word;
    d->at_ref = ref;
    d->at_unit = unit;
    return true;
}

static bool name_given(const knw_request *r, knx_arena *arena, kng_dispatch *d)
{
    uint32_t *word = knx_arena_alloc(arena, (size_t)(r->kernel->n_buffer + 1) * 2 * sizeof *word);
    uint32_t *ref = word ? word + r->kernel->n_buffer : NULL;
    for (int b = 0; word && b < r->kernel->n_buffer; b++)
        if (r->memory[b] == KNW_GIVEN) {
            word[d->n_given] = knw_given_word(r, d->n_words, b);
            ref[d->n_given++] = (uint32_t)b;
        }
    d->given_word = word;
    d->given_ref = ref;
    return word != NULL;
}

static knx_error *make_dispatch(const knw_request *r, const knw_launch *l, knx_arena *arena, kng_dispatch *d)
{
    char *text = NULL;
    KN_TRY(knw_text(r, &text, &d->slots));
    d->text = knx_arena_string(arena, text);
    knx_free(text);
    KN_TRY(knw_n_words(r, &d->n_words));
    d->words = knx_arena_zero(arena, (d->n_words + 1) * sizeof *d->words);
    if (!d->text || !d->words || !name_offsets(r->kernel, arena, d) || !name_given(r, arena, d))
        return knx_error_nomem();
    KN_TRY(knw_words(r, l, d->words, d->grid));
    d->grid[2] = 1;
    return NULL;
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    const knk_kernel *k = s->u.k.kernel;
    (void)p;
    uint32_t *offset = knx_arena_zero(arena, (size_t)(k->n_buffer + 1) * sizeof *offset);
    if (!offset)
        return knx_error_nomem();
    knw_launch l = launch_of(s, offset);
    knw_request r = {.kernel = k, .facts = f, .exact = exact, .memory = at->slot, .n_memory = (int)at->n_slot};
    r.mode = (uint8_t)knw_choose(k, f, &l);
    int parts = r.mode == KNW_PARTS ? knw_parts(k) : 1;
    out->dispatch = knx_arena_zero(arena, (size_t)parts * sizeof *out->dispatch);
    if (!out->dispatch)
        return knx_error_nomem();
    out->scratch = r.mode == KNW_PARTS ? knw_scratch_bytes(k, &l) : 0;
    if (out->scratch == UINT64_MAX)
        return knx_error_nomem();
    for (r.part = 0; r.part < parts; r.part++)
        KN_TRY(make_dispatch(&r, &l, arena, &out->dispatch[r.part]));
    out->n = (uint32_t)parts;
    return NULL;
}

const kng_kind kng_kernels = {refuses, plan};
