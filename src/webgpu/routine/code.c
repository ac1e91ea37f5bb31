/* SPDX-License-Identifier: Apache-2.0
 * code.c -- the text of a dispatch, its words and its grid. */
#include "webgpu/routine/routine.h"
#include <string.h>

/* The first words: workgroups, invocations, and one that is always 0, which compilers must not know: Mesa's software
 * Vulkan makes a constant of the first word, wherever it stands. */
enum { GROUPS, COUNT, HIDDEN };

void kng_make(kng_maker *m, const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    *m = (kng_maker){.facts = f, .exact = exact, .program = p, .step = s, .at = at, .arena = arena, .plan = out};
    *out = (kng_plan){0};
}

knx_error *kng_made(const kng_maker *m) { return m->failed ? knx_error_nomem() : NULL; }

uint64_t kng_scratch(kng_maker *m, uint64_t bytes)
{
    uint64_t place = m->plan->scratch;
    m->plan->scratch += (bytes + 15) / 16 * 16;
    return place;
}

const char *kng_unfit(const knc_step *s)
{
    enum { MEMORIES = 30 }; /* each value may lie in one of its own, beside the scratch */
    uint64_t most = 0;
    if (s->n_ref > MEMORIES)
        return "more values than the device binds memories";
    for (uint32_t i = 0; i < s->u.r.n_in + s->u.r.n_out; i++) {
        const kni_type *t = i < s->u.r.n_in ? &s->u.r.xt[i] : &s->u.r.yt[i - s->u.r.n_in];
        if (!kng_has(t->dtype))
            return "the device does not compute with 64-bit floats";
        most = (uint64_t)kni_type_bytes(*t) > most ? (uint64_t)kni_type_bytes(*t) : most;
    }
    return kng_numbers(most) ? NULL : "an array of more bytes than 31 bits can number";
}

kng_lines kng_lines_of(kni_type t, int64_t axis)
{
    kng_lines l = {1, (uint64_t)t.dim[axis], 1, 0};
    for (int i = 0; i < t.ndim; i++)
        *(i < axis ? &l.outer : i > axis ? &l.inner : &(uint64_t){0}) *= (uint64_t)t.dim[i];
    l.lines = l.outer * l.inner;
    return l;
}

void kng_along(kng_code *c, const kng_lines *l)
{
    kng_word(c, "outer", l->outer);
    kng_word(c, "length", l->length);
    kng_word(c, "inner", l->inner);
    kng_word(c, "lines", l->lines);
    KNG_HEAD(c, "fn place(line: u32, i: u32) -> u32 { return ((line / inner()) * length() + i) * inner() + line %% "
                "inner(); }\n");
}

void kng_begin(kng_code *c, kng_maker *m, uint32_t lanes)
{
    memset(c, 0, sizeof *c);
    c->m = m;
    c->lanes = lanes;
    c->unit = (knw_unit){.facts = m->facts, .exact = m->exact, .hidden = "kn_w[0].z"};
    for (int i = 0; i <= HIDDEN; i++)
        if (!KN_VEC_PUSH(&c->word, 0))
            m->failed = true;
    KNG_HEAD(c, "fn groups() -> u32 { return kn_w[0].x; }\nfn count() -> u32 { return kn_w[0].y; }\n");
}

void kng_word(kng_code *c, const char *name, uint64_t value)
{
    size_t i = c->word.n;
    if (!KN_VEC_PUSH(&c->word, (uint32_t)value))
        c->m->failed = true;
    KNG_HEAD(c, "fn %s() -> u32 { return kn_w[%zu].%c; }\n", name, i / 4, "xyzw"[i % 4]);
}

void kng_words(kng_code *c, const char *name, int i, uint64_t value)
{
    char full[64];
    snprintf(full, sizeof full, "%.48s%d", name, i);
    kng_word(c, full, value);
}

static kng_array *array_of(kng_code *c, const char *name)
{
    for (int i = 0; i < c->n_array; i++)
        if (!strcmp(c->array[i].name, name))
            return &c->array[i];
    return NULL;
}

static kng_array *add_array(kng_code *c, const char *name, kn_dtype dtype, uint32_t slot, uint32_t use)
{
    char at[64];
    kng_array *a = &c->array[c->n_array];
    const char *kept = knx_arena_string(c->m->arena, name);
    if (!kept || c->n_array == KNG_ARRAYS) {
        c->m->failed = true;
        return NULL;
    }
    *a = (kng_array){.name = kept, .dtype = dtype, .slot = slot, .use = use};
    c->n_array++;
    snprintf(at, sizeof at, "at_%s", name);
    kng_word(c, at, 0);
    return a;
}

/* Bytes of what an array's places are counted in. */
static uint32_t unit_of(kn_dtype d) { return d->size < 4 ? d->size : 4; }

void kng_ref(kng_code *c, const char *name, kn_dtype dtype, uint32_t ref, uint32_t use)
{
    kng_array *a = array_of(c, name);
    if (a) {
        a->use |= use;
        return;
    }
    uint32_t word = (uint32_t)c->word.n;
    if (!add_array(c, name, dtype, c->m->at->slot[ref], use))
        return;
    if (!KN_VEC_PUSH(&c->at, word) || !KN_VEC_PUSH(&c->at, ref) || !KN_VEC_PUSH(&c->at, unit_of(dtype)))
        c->m->failed = true;
}

void kng_room(kng_code *c, const char *name, kn_dtype dtype, uint64_t place, uint32_t use)
{
    kng_array *a = array_of(c, name);
    if (a) {
        a->use |= use;
        return;
    }
    size_t word = c->word.n;
    if (add_array(c, name, dtype, c->m->at->n_slot, use) && word < c->word.n)
        c->word.at[word] = (uint32_t)(place / unit_of(dtype));
}

void kng_each(kng_code *c, uint64_t n)
{
    if (c->word.n > COUNT)
        c->word.at[COUNT] = (uint32_t)n;
    KNG_BODY(c, "    let i = group * %uu + lane;\n    if (i >= count()) { return; }\n", (unsigned)c->lanes);
}

static void find_memory(kng_code *c)
{
    for (int i = 0; i < c->n_array; i++) {
        const kng_array *a = &c->array[i];
        bool writes = a->use & (KNG_STORE | KNG_PUT), tallies = a->use & KNG_TALLY;
        c->memory[a->slot].used = true;
        c->memory[a->slot].written |= writes || tallies;
        c->memory[a->slot].atomic |= tallies || (writes && kng_is_part(a->dtype));
    }
    for (int i = 0; i < c->n_piece; i++)
        knw_piece_memory(&c->piece[i], c->memory);
}

void kng_record(kng_code *c)
{
    c->record = (uint32_t)c->word.n;
    kng_word(c, "at_record", 0);
    kng_word(c, "line", 0);
    c->m->plan->checks = true;
}

static void declare_memory(const kng_code *c, knx_str *t, uint32_t *slots)
{
    uint32_t records = c->m->at->n_slot + 1;
    if (c->record) {
        *slots |= UINT32_C(1) << records;
        knx_str_printf(t, "@group(0) @binding(%u) var<storage, read_write> record: array<atomic<u32>>;\n",
                       (unsigned)records + 1);
    }
    for (uint32_t s = 0; s <= c->m->at->n_slot; s++) {
        const knw_memory *m = &c->memory[s];
        if (!m->used)
            continue;
        *slots |= UINT32_C(1) << s;
        knx_str_printf(t, "@group(0) @binding(%u) var<storage, %s> memory%u: array<%s>;\n", (unsigned)s + 1,
                       m->written ? "read_write" : "read", (unsigned)s, kng_words_of(c, s));
    }
}

static char *whole_text(kng_code *c, uint32_t *slots)
{
    knx_str t = {0}, elements = {0};
    find_memory(c);
    kng_elements(c, &elements);
    for (int i = 0; i < c->n_piece; i++) {
        knx_error *e = knw_piece_text(&c->piece[i], &c->unit, c->memory, &elements);
        c->m->failed |= e != NULL;
        knx_error_release(e);
    }
    knx_str_printf(&t, "@group(0) @binding(0) var<uniform> kn_w: array<vec4<u32>, %zu>;\n", (c->word.n + 3) / 4);
    declare_memory(c, &t, slots);
    knw_helpers(&c->unit, &t);
    knx_str_puts(&t, elements.s ? elements.s : "");
    knx_str_puts(&t, c->head.s ? c->head.s : "");
    knx_str_printf(&t,
                   "\n@compute @workgroup_size(%u)\n"
                   "fn main(@builtin(workgroup_id) at_group: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>, "
                   "@builtin(local_invocation_index) lane: u32) {\n"
                   "    let group = at_group.x + at_group.y * grid.x;\n"
                   "    if (group >= groups()) { return; }\n",
                   (unsigned)c->lanes);
    knx_str_puts(&t, c->body.s ? c->body.s : "");
    knx_str_puts(&t, "}\n");
    bool failed = c->m->failed || elements.failed || c->head.failed || c->body.failed;
    knx_str_free(&elements);
    if (failed) {
        knx_str_free(&t);
        return NULL;
    }
    return knx_str_take(&t);
}

kng_dispatch *kng_next_dispatch(kng_maker *m)
{
    kng_plan *p = m->plan;
    if (p->n == m->room) {
        uint32_t room = m->room ? 2 * m->room : 4;
        kng_dispatch *more = knx_arena_zero(m->arena, room * sizeof *more);
        if (!more)
            return NULL;
        if (p->n)
            memcpy(more, p->dispatch, p->n * sizeof *more);
        p->dispatch = more;
        m->room = room;
    }
    return &p->dispatch[p->n++];
}

static bool fill(kng_code *c, kng_dispatch *d, uint64_t groups)
{
    knx_arena *a = c->m->arena;
    uint32_t n = (uint32_t)c->at.n / 3, most = c->m->facts->most_groups, slots = 0;
    char *text = whole_text(c, &slots);
    uint32_t *at = knx_arena_alloc(a, 3 * (n + 1) * sizeof *at);
    d->text = text ? knx_arena_string(a, text) : NULL;
    knx_free(text);
    d->words = knx_arena_copy(a, c->word.at, c->word.n * sizeof *d->words);
    if (!d->text || !d->words || !at)
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < 3; k++)
            at[k * n + i] = c->at.at[3 * i + k];
    d->n_words = (uint32_t)c->word.n;
    d->n_at = n;
    d->at_word = at, d->at_ref = at + n, d->at_unit = at + 2 * n;
    d->slots = slots;
    d->record = c->record;
    uint64_t rows = groups ? (groups + most - 1) / most : 1, columns = (groups + rows - 1) / rows;
    d->grid[0] = (uint32_t)columns, d->grid[1] = (uint32_t)rows, d->grid[2] = 1;
    return true;
}

void kng_end(kng_code *c, uint64_t groups)
{
    if (c->word.n > GROUPS)
        c->word.at[GROUPS] = (uint32_t)groups;
    kng_dispatch *d = c->m->failed || !groups ? NULL : kng_next_dispatch(c->m);
    if (groups && (!d || !fill(c, d, groups)))
        c->m->failed = true;
    knx_str_free(&c->head);
    knx_str_free(&c->body);
    for (int i = 0; i < c->n_piece; i++)
        knk_release((knk_kernel *)(uintptr_t)c->piece[i].kernel);
    KN_VEC_FREE(&c->word);
    KN_VEC_FREE(&c->at);
}

void kng_fn_places(kng_code *c, const char *name, int n, const int64_t *extent, int k, const int64_t *const *stride)
{
    static const char *const types[] = {"u32", "u32", "vec2<u32>", "vec3<u32>", "vec4<u32>"};
    char word[64];
    for (int i = 0; i < n; i++) {
        snprintf(word, sizeof word, "%s_extent", name);
        kng_words(c, word, i, (uint64_t)extent[i]);
        for (int j = 0; j < k; j++) {
            snprintf(word, sizeof word, "%s_stride%d_", name, j);
            kng_words(c, word, i, (uint64_t)stride[j][i]);
        }
    }
    KNG_HEAD(c, "fn %s(number: u32) -> %s {\n    var p = %s();\n", name, types[k], types[k]);
    if (n)
        KNG_HEAD(c, "    var rest = number;\n    var d = 0u;\n");
    for (int i = n - 1; i >= 0; i--) {
        if (i)
            KNG_HEAD(c, "    d = rest %% %s_extent%d();\n    rest = rest / %s_extent%d();\n", name, i, name, i);
        else
            KNG_HEAD(c, "    d = rest;\n");
        KNG_HEAD(c, "    p += d * %s(", types[k]);
        for (int j = 0; j < k; j++)
            KNG_HEAD(c, "%s%s_stride%d_%d()", j ? ", " : "", name, j, i);
        KNG_HEAD(c, ");\n");
    }
    KNG_HEAD(c, "    return p;\n}\n");
}
