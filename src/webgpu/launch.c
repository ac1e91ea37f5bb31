/* SPDX-License-Identifier: Apache-2.0
 * launch.c -- a step that was made ready, with the memory of this launch: the offsets go into the words, and the
 * dispatches are recorded. */
#include "webgpu/plan.h"
#include <string.h>

_Static_assert(sizeof(knx_scalar_bits) <= KNW_GIVEN_BYTES, "a literal is given in words");

/* A slot: its memory, and of what the step needs there the beginning and the end. */
typedef struct slots {
    uint32_t n;
    kng_bound bound[KNG_SLOTS];
    uint64_t begin[KNG_SLOTS], end[KNG_SLOTS];
    uint8_t of[KNG_REFS + 1]; /* per reference */
} slots;

static knd_memory *memory_of(const kng_prepared *x, const knd_place *at)
{
    return at->memory ? at->memory : x->literals;
}

static uint64_t offset_of(const kng_prepared *x, uint32_t r, const knd_place *at)
{
    return at->memory ? at->offset : x->literal[r];
}

/* Per reference: bytes from the beginning of what is bound of its memory. */
static void find_bases(const kng_prepared *x, const slots *s, const knd_place *at, uint64_t *base)
{
    for (uint32_t r = 0; r < x->step->n_ref; r++)
        base[r] = s->of[r] == KNW_GIVEN ? 0 : offset_of(x, r, &at[r]) - s->bound[s->of[r]].at;
}

static bool find_slots(const kng_prepared *x, const knd_place *at, slots *s)
{
    for (uint32_t r = 0; r < x->step->n_ref; r++) {
        const knc_ref *ref = &x->step->ref[r];
        knd_memory *m = memory_of(x, &at[r]);
        if (at[r].bits && kng_may_give(x->step, r)) {
            s->of[r] = KNW_GIVEN;
            continue;
        }
        /* Programs of loops are given parts of memories, so the offset here is not the reference's own. */
        uint64_t begin = at[r].memory ? at[r].offset - (ref->offset - ref->first) : 0;
        uint64_t end = at[r].memory ? begin + ref->bytes : m->bytes;
        uint32_t i = 0;
        while (i < s->n && s->bound[i].memory != m)
            i++;
        if (i == KNG_SLOTS)
            return false;
        if (i == s->n) {
            s->bound[s->n] = (kng_bound){.memory = m};
            s->begin[s->n] = begin;
            s->end[s->n++] = end;
        }
        s->begin[i] = begin < s->begin[i] ? begin : s->begin[i];
        s->end[i] = end > s->end[i] ? end : s->end[i];
        s->of[r] = (uint8_t)i;
    }
    return true;
}

/* Memory that is larger than what can be bound is bound where the step needs it. */
static void cut_to_limit(const kng_gpu *g, slots *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        kng_bound *b = &s->bound[i];
        if (b->memory->room <= g->limits.maxStorageBufferBindingSize)
            continue;
        b->at = s->begin[i] / 256 * 256;
        uint64_t bytes = (s->end[i] - b->at + 255) / 256 * 256;
        b->bytes = bytes < b->memory->room - b->at ? bytes : b->memory->room - b->at;
    }
}

static knx_error *record(kng_gpu *g, const kng_prepared *x, const kng_variant *v, const slots *s, const knd_place *at,
                         const uint64_t *base, const kng_moved *moved, uint32_t at_record)
{
    for (uint32_t i = 0; i < v->plan.n; i++) {
        const kng_dispatch *d = &v->plan.dispatch[i];
        kng_late_word late[KNG_LATE];
        int n_late = 0;
        for (uint32_t k = 0; k < d->n_at; k++)
            d->words[d->at_word[k]] = (uint32_t)(base[d->at_ref[k]] / d->at_unit[k]) + (d->at_more ? d->at_more[k] : 0);
        for (uint32_t k = 0; k < d->n_given; k++) {
            const knc_ref *ref = &x->step->ref[d->given_ref[k]];
            size_t bytes =
                ref->space == KNC_AT_LITERAL ? sizeof(knx_scalar_bits) : ref->bytes - (ref->offset - ref->first);
            memcpy(&d->words[d->given_word[k]], at[d->given_ref[k]].bits, bytes);
        }
        if (d->record) {
            d->words[d->record] = at_record;
            d->words[d->record + 1] = g->checks.at_line;
        }
        for (int k = 0; k < moved->n; k++)
            if (moved->word[k].dispatch == i)
                late[n_late++] = moved->word[k].late;
        KN_TRY(kng_dispatch_text(g, v->pipeline[i], s->bound, d->words, d->n_words, d->grid, late, n_late));
    }
    return NULL;
}

static knx_error *launch(kng_gpu *g, kng_prepared *x, slots *s, const knd_place *at)
{
    kng_variant *v;
    kng_moved moved = {0};
    knd_memory *scratch = NULL;
    uint64_t base[KNG_REFS];
    uint32_t at_record = 0;
    KN_TRY(kng_variant_for(g, x, s->of, s->n, &v));
    cut_to_limit(g, s);
    find_bases(x, s, at, base);
    if (s->n + v->plan.checks >= KNG_SLOTS && (v->plan.scratch || v->plan.checks))
        return knx_error_new(KN_ERROR_RUNTIME, "device '%s': a step of too many memories", g->name);
    if (v->plan.checks) {
        s->bound[s->n] = (kng_bound){0};
        KN_TRY(kng_checks_record(g, &s->bound[s->n + 1].memory, &at_record));
    }
    if (v->plan.scratch) {
        KN_TRY(kng_alloc(g, v->plan.scratch, &scratch));
        s->bound[s->n] = (kng_bound){.memory = scratch};
    }
    knx_error *error = x->step->kind == KNC_PUT ? kng_move(g, x, &v->plan, base, at, &moved) : NULL;
    if (!error)
        error = record(g, x, v, s, at, base, &moved, at_record);
    if (moved.memory)
        kng_free(g, moved.memory);
    knx_free(moved.word);
    if (scratch) /* whoever has it next comes after this launch */
        kng_free(g, scratch);
    return error;
}

knx_error *kng_launch(kng_gpu *g, kng_prepared *x, const knd_place *at)
{
    slots s = {0};
    kng_apart apart;
    const knd_place *there;
    KN_TRY(kng_lost(g));
    if (x->step->kind == KNC_COPY)
        return kng_copy(g, memory_of(x, &at[0]), offset_of(x, 0, &at[0]), memory_of(x, &at[1]), offset_of(x, 1, &at[1]),
                        x->step->u.bytes);
    knx_error *error = kng_take_apart(g, x->step, at, &apart, &there);
    if (!error && !find_slots(x, there, &s))
        error = knx_error_new(KN_ERROR_RUNTIME, "device '%s': a step of too many memories", g->name);
    if (!error)
        error = launch(g, x, &s, there);
    return kng_put_back(g, &apart, error);
}
