/* SPDX-License-Identifier: Apache-2.0
 * shift.c -- where a kernel writes by data (KNC_PUT): the positions lie in memory of the device, so the device works
 * out the words that depend on them, and they are copied into the uniform block before the dispatch reads it. */
#include "webgpu/plan.h"
#include <string.h>

/* Memory 0: positions, two words each, then results. Words: 0 how many positions, 1 how many results, 2 the word of the
 * first result; then per position: its size in bytes, signed, byte in its first word, the most it may be; then per
 * result: what it begins with, and per position the units that it moves by. */
static const char text[] = "@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1024>;\n"
                           "@group(0) @binding(1) var<storage, read_write> m: array<u32>;\n"
                           "fn w(i: u32) -> u32 { return words[i / 4u][i % 4u]; }\n"
                           "fn position(i: u32) -> u32 {\n"
                           "    let size = w(3u + 4u * i);\n"
                           "    let most = w(6u + 4u * i);\n"
                           "    var low = m[2u * i];\n"
                           "    var high = 0u;\n"
                           "    if (size == 8u) { high = m[2u * i + 1u]; }\n"
                           "    if (size < 4u) {\n"
                           "        low = (low >> (8u * w(5u + 4u * i))) & ((1u << (8u * size)) - 1u);\n"
                           "    }\n"
                           "    if (w(4u + 4u * i) != 0u) {\n"
                           "        var top = high;\n"
                           "        if (size < 8u) { top = low << (32u - 8u * size); }\n"
                           "        if ((top >> 31u) != 0u) { return 0u; }\n"
                           "    }\n"
                           "    if (high != 0u || low > most) { return most; }\n"
                           "    return low;\n"
                           "}\n"
                           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                           "    let n = w(0u);\n"
                           "    if (id.x >= w(1u)) { return; }\n"
                           "    let at = 3u + 4u * n + id.x * (n + 1u);\n"
                           "    var sum = w(at);\n"
                           "    for (var i = 0u; i < n; i++) { sum += position(i) * w(at + 1u + i); }\n"
                           "    m[w(2u) + id.x] = sum;\n"
                           "}\n";
enum { WORDS = 4096 };

static bool moves(const knc_shift *x, uint32_t ref) { return x->ref[0] == ref || x->ref[1] == ref; }

static bool is_moved(const knc_step *s, uint32_t ref)
{
    bool any = false;
    for (uint32_t i = 0; i < s->u.k.n_shift; i++)
        any |= moves(&s->u.k.shift[i], ref);
    return any;
}

/* The words of the plan that move. */
static knx_error *find_words(const kng_prepared *x, const kng_plan *plan, kng_moved *out)
{
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < plan->n; i++)
            for (uint32_t k = 0; k < plan->dispatch[i].n_at; k++) {
                if (!is_moved(x->step, plan->dispatch[i].at_ref[k]))
                    continue;
                if (pass)
                    out->word[out->n++] = (struct kng_moved_word){i, {.word = plan->dispatch[i].at_word[k], .at = k}};
                n += !pass;
            }
        if (!pass && !(out->word = knx_alloc((n + 1) * sizeof *out->word)))
            return knx_error_nomem();
    }
    return NULL;
}

/* Positions come to the beginning of the memory that this launch has for it. */
static knx_error *bring_positions(kng_gpu *g, const kng_prepared *x, const knd_place *at, kng_moved *out, uint32_t *w)
{
    const knc_step *s = x->step;
    for (uint32_t i = 0; i < s->u.k.n_shift; i++) {
        const knc_shift *sh = &s->u.k.shift[i];
        const knd_place *p = &at[sh->start];
        uint64_t from = p->memory ? p->offset : x->literal[sh->start];
        w[3 + 4 * i] = (uint32_t)sh->dtype->size;
        w[4 + 4 * i] = sh->dtype->kind == KN_KIND_INT;
        w[5 + 4 * i] = p->bits ? 0 : (uint32_t)(from % 4);
        w[6 + 4 * i] = (uint32_t)sh->most;
        if (p->bits) {
            uint32_t bits[2] = {0};
            memcpy(bits, p->bits, sh->dtype->size);
            KN_TRY(kng_stage(g, out->memory, 8 * (uint64_t)i, bits, sizeof bits));
            continue;
        }
        KN_TRY(kng_copy_words(g, out->memory, 8 * (uint64_t)i, p->memory ? p->memory : x->literals, from / 4 * 4,
                              sh->dtype->size == 8 ? 8 : 4));
    }
    return NULL;
}

/* What each result begins with, and by how much a position moves it. */
static void describe_results(const kng_prepared *x, const kng_plan *plan, const uint64_t *base, const kng_moved *out,
                             uint32_t *w)
{
    const knc_step *s = x->step;
    uint32_t n = s->u.k.n_shift;
    for (int i = 0; i < out->n; i++) {
        const kng_dispatch *d = &plan->dispatch[out->word[i].dispatch];
        uint32_t ref = d->at_ref[out->word[i].late.at], unit = d->at_unit[out->word[i].late.at];
        uint32_t *to = &w[3 + 4 * n + (uint32_t)i * (n + 1)];
        to[0] = (uint32_t)(base[ref] / unit);
        for (uint32_t k = 0; k < n; k++)
            to[1 + k] = moves(&s->u.k.shift[k], ref) ? (uint32_t)(s->u.k.shift[k].bytes / unit) : 0;
    }
}

/* Positions that the host has all need no help. */
static bool are_known(const knc_step *s, const knd_place *at)
{
    bool known = true;
    for (uint32_t i = 0; i < s->u.k.n_shift; i++)
        known &= at[s->u.k.shift[i].start].bits != NULL;
    return known;
}

static int64_t position(const knc_shift *x, const void *bits)
{
    unsigned unused = 64 - 8 * x->dtype->size;
    uint64_t v = 0, most = (uint64_t)x->most;
    memcpy(&v, bits, x->dtype->size);
    if (x->dtype->kind == KN_KIND_INT && (int64_t)(v << unused) < 0)
        return 0;
    return (int64_t)(v > most ? most : v);
}

static void move_here(const knc_step *s, const knd_place *at, uint64_t *base)
{
    for (uint32_t i = 0; i < s->u.k.n_shift; i++) {
        const knc_shift *x = &s->u.k.shift[i];
        uint64_t by = (uint64_t)(position(x, at[x->start].bits) * x->bytes);
        for (int k = 0; k < 2; k++)
            if (x->ref[k] != KNC_NO)
                base[x->ref[k]] += by;
    }
}

knx_error *kng_move(kng_gpu *g, const kng_prepared *x, const kng_plan *plan, uint64_t *base, const knd_place *at,
                    kng_moved *out)
{
    uint32_t n = x->step->u.k.n_shift;
    if (are_known(x->step, at)) {
        move_here(x->step, at, base);
        return NULL;
    }
    KN_TRY(find_words(x, plan, out));
    uint64_t n_word = 3 + 4 * (uint64_t)n + (uint64_t)out->n * (n + 1);
    if (!out->n)
        return NULL;
    if (n_word > WORDS || out->n > KNG_LATE)
        return knx_error_new(KN_ERROR_RUNTIME, "device '%s': a step that writes at %u places", g->name, (unsigned)n);
    uint32_t *w = knx_alloc_zero(WORDS * sizeof *w);
    if (!w)
        return knx_error_nomem();
    w[0] = n;
    w[1] = (uint32_t)out->n;
    w[2] = 2 * n;
    kng_pipeline *p = NULL;
    knx_error *error = kng_alloc(g, 8 * (uint64_t)n + 4 * (uint64_t)out->n, &out->memory);
    if (!error)
        error = bring_positions(g, x, at, out, w);
    if (!error)
        error = kng_pipeline_for(g, text, &p);
    if (!error) {
        describe_results(x, plan, base, out, w);
        for (int i = 0; i < out->n; i++) {
            out->word[i].late.from = out->memory;
            out->word[i].late.at = 8 * (uint64_t)n + 4 * (uint64_t)i;
        }
        const kng_bound slot[KNG_SLOTS] = {{.memory = out->memory}};
        error = kng_dispatch_text(g, p, slot, w, WORDS, (uint32_t[]){((uint32_t)out->n + 63) / 64, 1, 1}, NULL, 0);
    }
    kng_pipeline_release(g, p);
    knx_free(w);
    return error;
}
