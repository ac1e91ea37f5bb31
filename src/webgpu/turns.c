/* SPDX-License-Identifier: Apache-2.0
 * turns.c -- a small loop as one dispatch of one workgroup: a loop over turns, in which the kernels of the body run one
 * after the other, each over all of its points. Its text has a function for each kernel (wgsl/piece.h), and where
 * carries alternate between two places one for even and one for odd turns. A kernel of many points is faster as a
 * dispatch of its own, which has many workgroups; so there are bounds. */
#include "base/poll.h"
#include "webgpu/plan.h"
#include "wgsl/piece.h"
#include <string.h>

enum {
    ROW_LANES = 64,    /* of a workgroup, if a kernel has rows */
    POINT_LANES = 256, /* else */
    MOST_ROUNDS = 8,   /* that the workgroup makes for a kernel: points for each of its invocations, or rows */
    MOST_LOOPS = 1024, /* turns of loops in them */
    MOST_STEPS = 16,   /* of a body */
    AT_ONCE = 1 << 17, /* rounds of a dispatch: none takes long, whatever the length */
    PARITIES = 2,
    TURNS = 1, /* words: how many turns, the first one; word 2 is always 0, word 0 is none (wgsl.h) */
    FIRST = 3,
    MOST_WORDS = 16384 - 64
};

/* A number of the launch: of place `ref`, at turns of this parity. */
typedef enum place_kind { BEGINS, GIVEN } place_kind;
typedef struct place {
    place_kind kind;
    int odd;
    uint32_t word, ref, unit;
} place;

/* A text for places that share memories in one way. */
typedef struct variant {
    uint8_t *slot; /* [parity][place]; KNW_GIVEN: a literal */
    uint32_t n_slot, n_words, n_place;
    uint32_t *words;
    place *place;
    kng_pipeline *pipeline;
    struct variant *next;
    knx_arena arena;
} variant;

typedef struct own_loop {
    const knc_program *cond, *body; /* cond: NULL for a scan */
    uint8_t mode[MOST_STEPS];       /* per step of both, the condition first: of a kernel */
    uint32_t n_at, lanes;           /* references; invocations */
    int parities;                   /* 1: each carry has one place */
    int64_t at_once;                /* turns of a dispatch; an even number */
    variant *variant;
} own_loop;

/* ---- What fits. */

static bool copies(const knc_output *o) { return o->kind == KNC_OUT_OPERAND || o->kind == KNC_OUT_SAME; }

static knw_launch launch_of(const knc_step *s)
{
    static const uint32_t none[KNW_MOST_MEMORIES + 1];
    return (knw_launch){.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner, .at = none};
}

static uint64_t points_of(const knc_step *s)
{
    uint64_t n = 1;
    for (int d = 0; d < s->u.k.kernel->n_par; d++)
        if (__builtin_mul_overflow(n, (uint64_t)s->u.k.par[d], &n))
            return UINT64_MAX;
    return n;
}

static uint64_t rounds_of(uint64_t n, uint32_t lanes) { return n / lanes + (n % lanes != 0); }

/* How a kernel runs; false: as several dispatches. */
static bool choose(const knw_facts *f, const knc_step *s, uint8_t *mode)
{
    const knw_launch l = launch_of(s);
    knw_mode how = knw_choose(s->u.k.kernel, f, &l);
    *mode = how == KNW_COLUMNS ? KNW_ROWS : (uint8_t)how;
    return how != KNW_PARTS;
}

/* Of a turn of the loop: rounds, and turns of loops that an invocation makes. */
typedef struct counts {
    uint64_t rounds, turns;
} counts;

/* False: too many. */
static bool count_kernel(const knw_facts *f, const knc_step *s, knw_mode mode, uint32_t lanes, counts *c)
{
    const knw_launch l = launch_of(s);
    uint64_t turns = knw_turns(s->u.k.kernel, f, &l, mode);
    uint64_t rounds = rounds_of(points_of(s), mode == KNW_ROWS ? 1 : lanes);
    if (turns > MOST_LOOPS || rounds > MOST_ROUNDS || rounds * turns > MOST_LOOPS)
        return false;
    c->rounds += rounds;
    c->turns += rounds * (1 + turns);
    return true;
}

static bool count_copy(uint64_t bytes, uint32_t lanes, counts *c)
{
    uint64_t rounds = rounds_of(bytes / 4, lanes);
    c->rounds += rounds;
    c->turns += rounds;
    return bytes % 4 == 0 && rounds <= MOST_ROUNDS;
}

/* A body of kernels and copies; how each kernel runs, and how many invocations there are for it. */
static bool choose_all(const knw_facts *f, const knc_program *p, uint8_t *mode, own_loop *x)
{
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        if (s->kind != KNC_KERNEL && (s->kind != KNC_COPY || s->ref[1].space == KNC_AT_LITERAL))
            return false;
        if (s->kind == KNC_KERNEL && !choose(f, s, &mode[i]))
            return false;
        if (mode[i] == KNW_ROWS)
            x->lanes = ROW_LANES;
    }
    return true;
}

static bool count_all(const knw_facts *f, const knc_program *p, const uint8_t *mode, own_loop *x, counts *c)
{
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        if (s->kind == KNC_KERNEL ? !count_kernel(f, s, (knw_mode)mode[i], x->lanes, c)
                                  : !count_copy(s->u.bytes, x->lanes, c))
            return false;
        x->n_at += s->n_ref;
    }
    for (uint32_t k = 0; k < p->n_output; k++) {
        if (!copies(&p->output[k]))
            continue;
        if (!count_copy((uint64_t)kni_type_bytes(p->output_type[k]), x->lanes, c))
            return false;
        x->n_at += 2;
    }
    return true;
}

static bool fits(const knw_facts *f, const knc_loop *l, own_loop *x)
{
    counts c = {1, 1};
    uint32_t n_cond = l->cond ? l->cond->n_step : 0;
    if (!l->body->n_step || n_cond > MOST_STEPS || l->body->n_step > MOST_STEPS - n_cond)
        return false;
    x->lanes = f->lanes < POINT_LANES ? ROW_LANES : POINT_LANES;
    if ((l->cond && !choose_all(f, l->cond, x->mode, x)) || !choose_all(f, l->body, x->mode + n_cond, x))
        return false;
    if ((l->cond && !count_all(f, l->cond, x->mode, x, &c)) || !count_all(f, l->body, x->mode + n_cond, x, &c))
        return false;
    x->n_at += l->cond != NULL;
    uint64_t most = AT_ONCE / (c.turns > c.rounds ? c.turns : c.rounds);
    if (f->most_turns && (f->most_turns - 1) / c.turns < most)
        most = (f->most_turns - 1) / c.turns;
    x->at_once = (int64_t)(most / PARITIES * PARITIES);
    return x->at_once >= PARITIES;
}

static knx_error *prepare(const knd_device *d, const knc_program *p, const knc_step *s, void **out)
{
    kng_gpu *g = kng_gpu_of(d);
    own_loop x = {.cond = s->u.r.loop->cond, .body = s->u.r.loop->body, .parities = s->u.r.loop->places};
    (void)p;
    KN_TRY(kng_bring_facts(g));
    if (!fits(&g->facts, s->u.r.loop, &x))
        return NULL;
    *out = knx_alloc(sizeof x);
    if (!*out)
        return knx_error_nomem();
    memcpy(*out, &x, sizeof x);
    return NULL;
}

/* ---- The text. */

typedef struct maker {
    const own_loop *x;
    const int64_t *move;
    variant *v;
    knw_unit unit;
    knw_memory memory[KNW_MOST_MEMORIES];
    knx_str functions, main;
    KN_VEC(uint32_t) word;
    KN_VEC(place) place;
    KN_VEC(knw_piece) piece;
    uint32_t copied; /* a bit per memory that copies have to do with */
    int odd;
    uint32_t ref, step; /* of the turn: the next place, the next step */
    bool failed;
} maker;

static uint8_t slot_of(const maker *m, uint32_t ref) { return m->v->slot[(uint32_t)m->odd * m->x->n_at + ref]; }

static uint32_t add_word(maker *m, uint32_t value)
{
    m->failed |= !KN_VEC_PUSH(&m->word, value);
    return (uint32_t)m->word.n - 1;
}

static void add_place(maker *m, place_kind kind, uint32_t word, uint32_t ref, uint32_t unit)
{
    m->failed |= !KN_VEC_PUSH(&m->place, ((place){kind, m->odd, word, ref, unit}));
}

/* The words of a kernel whose first reference is place `ref`. */
static void kernel_words(maker *m, const knc_step *s, uint32_t ref, knw_piece *p)
{
    const knk_kernel *k = s->u.k.kernel;
    uint32_t end = 0, given = 0, *moves = knx_arena_zero(&m->v->arena, ((size_t)k->n_buffer + 1) * sizeof *moves);
    p->begin = (uint32_t)m->word.n;
    knx_error *e = knw_piece_end(p, &end);
    while (!e && !m->failed && m->word.n < end)
        add_word(m, 0);
    m->failed |= e || !moves;
    e = m->failed ? e : knw_piece_words(p, s->u.k.par, s->u.k.map, s->u.k.inner, m->word.at);
    m->failed |= e != NULL;
    knx_error_release(e);
    for (int b = 0; !m->failed && b < k->n_buffer; b++)
        given += p->memory[b] == KNW_GIVEN;
    for (int b = 0, before = 0; !m->failed && b < k->n_buffer; b++) {
        uint32_t size = (uint32_t)knx_dtype_table[k->buffer[b].dtype].size, r = ref + (uint32_t)b;
        if (p->memory[b] == KNW_GIVEN) {
            add_place(m, GIVEN, end - (given - (uint32_t)before++) * (KNW_GIVEN_BYTES / 4), r, 1);
            continue;
        }
        add_place(m, BEGINS, p->begin + (uint32_t)b, r, size);
        moves[b] = m->move[r] ? add_word(m, (uint32_t)(m->move[r] / (int64_t)size)) : 0;
    }
    p->moves = moves;
}

static void fill_up(maker *m)
{
    while (!m->failed && m->word.n % 4)
        add_word(m, 0);
}

static void add_kernel(maker *m, const knc_step *s, uint32_t ref)
{
    char name[32], count[32], lanes[16];
    bool rows = m->x->mode[m->step] == KNW_ROWS;
    snprintf(name, sizeof name, "turn%d_%u", m->odd, (unsigned)m->step);
    uint8_t *memory = knx_arena_zero(&m->v->arena, (size_t)s->n_ref + 1);
    for (uint32_t r = 0; memory && r < s->n_ref; r++)
        memory[r] = slot_of(m, ref + r);
    knw_piece p = {.name = knx_arena_string(&m->v->arena, name),
                   .kernel = s->u.k.kernel,
                   .loops = {s->u.k.kernel->n_par},
                   .memory = memory,
                   .handed = -1,
                   .mode = m->x->mode[m->step]};
    m->failed |= !memory || !p.name;
    if (!m->failed)
        kernel_words(m, s, ref, &p);
    uint32_t word = add_word(m, (uint32_t)points_of(s));
    fill_up(m);
    m->failed |= !KN_VEC_PUSH(&m->piece, p);
    snprintf(lanes, sizeof lanes, "%uu", (unsigned)m->x->lanes);
    snprintf(count, sizeof count, "kn_w[%u].%c", (unsigned)word / 4, "xyzw"[word % 4]);
    knx_str_printf(&m->main, "            for (var p = %s; p < %s; p += %s) {\n                %s(p, turn, lane);\n",
                   rows ? "0u" : "lane", count, rows ? "1u" : lanes, name);
    knx_str_puts(&m->main, "            }\n            storageBarrier();\n");
}

static void use(maker *m, uint8_t slot, bool writes)
{
    m->memory[slot].used = true;
    m->memory[slot].written |= writes;
    m->copied |= 1u << slot;
}

/* Whole words. Which way memories are read and written is known when all pieces are. */
static void add_copy(maker *m, uint32_t to, uint32_t from, uint64_t bytes)
{
    uint32_t first = add_word(m, 0);
    for (int i = 1; i < 4; i++)
        add_word(m, 0);
    add_word(m, (uint32_t)(bytes / 4));
    fill_up(m);
    if (m->failed)
        return;
    m->word.at[first + 2] = (uint32_t)(m->move[to] / 4);
    m->word.at[first + 3] = (uint32_t)(m->move[from] / 4);
    add_place(m, BEGINS, first, to, 4);
    add_place(m, BEGINS, first + 1, from, 4);
    uint8_t a = slot_of(m, to), b = slot_of(m, from);
    knx_str_printf(
        &m->main,
        "            for (var i = lane; i < kn_w[%u].x; i += %uu) {\n                put%u(kn_w[%u].x + turn * "
        "kn_w[%u].z + i, take%u(kn_w[%u].y + turn * kn_w[%u].w + i));\n",
        (unsigned)first / 4 + 1, (unsigned)m->x->lanes, (unsigned)a, (unsigned)first / 4, (unsigned)first / 4,
        (unsigned)b, (unsigned)first / 4, (unsigned)first / 4);
    knx_str_puts(&m->main, "            }\n            storageBarrier();\n");
    use(m, a, true);
    use(m, b, false);
}

static void add_program(maker *m, const knc_program *p)
{
    for (uint32_t i = 0; i < p->n_step; i++, m->step++) {
        const knc_step *s = &p->step[i];
        if (s->kind == KNC_KERNEL)
            add_kernel(m, s, m->ref);
        else
            add_copy(m, m->ref, m->ref + 1, s->u.bytes);
        m->ref += s->n_ref;
    }
    for (uint32_t k = 0; k < p->n_output; k++) {
        if (!copies(&p->output[k]))
            continue;
        add_copy(m, m->ref, m->ref + 1, (uint64_t)kni_type_bytes(p->output_type[k]));
        m->ref += 2;
    }
}

/* One invocation reads the condition's bool, and all go on or none does. */
static void add_question(maker *m)
{
    uint32_t word = add_word(m, 0);
    fill_up(m);
    uint8_t slot = slot_of(m, m->ref);
    add_place(m, BEGINS, word, m->ref++, 1);
    use(m, slot, false);
    knx_str_printf(
        &m->main,
        "            if (lane == 0u) {\n                goes_on = (take%u(kn_w[%u].x >> 2u) >> ((kn_w[%u].x & 3u) "
        "<< 3u)) & 255u;\n            }\n            if (workgroupUniformLoad(&goes_on) == 0u) {\n"
        "                break;\n            }\n",
        (unsigned)slot, (unsigned)word / 4, (unsigned)word / 4);
}

static void add_turn(maker *m)
{
    m->ref = m->step = 0;
    if (m->x->cond) {
        add_program(m, m->x->cond);
        add_question(m);
    }
    add_program(m, m->x->body);
}

static void write_main(maker *m)
{
    knx_str_printf(&m->main,
                   "@compute @workgroup_size(%u)\nfn main(@builtin(local_invocation_index) lane: u32) {\n"
                   "    var s = 0u;\n    for (; s < kn_w[0].y; s++) {\n        let turn = kn_w[0].w + s;\n",
                   (unsigned)m->x->lanes);
    knx_str_puts(&m->main, m->x->parities == 2 ? "        if ((turn & 1u) == 0u) {\n" : "        {\n");
    add_turn(m);
    if (m->x->parities == 2) {
        m->odd = 1;
        knx_str_puts(&m->main, "        } else {\n");
        add_turn(m);
    }
    knx_str_puts(&m->main, "        }\n    }\n");
    if (m->x->cond)
        knx_str_puts(&m->main, "    if (lane == 0u) {\n        passed[0] = s;\n    }\n");
    knx_str_puts(&m->main, "}\n");
}

/* Declarations of memories, and of a memory that copies have to do with the functions take and put. */
static void declare(maker *m, knx_str *t)
{
    for (uint32_t s = 0; s < m->v->n_slot; s++) {
        const knw_memory *x = &m->memory[s];
        if (!x->used)
            continue;
        knx_str_printf(t, "@group(0) @binding(%u) var<storage, %s> memory%u: array<%s>;\n", (unsigned)s + 1,
                       x->written ? "read_write" : "read", (unsigned)s, x->atomic ? "atomic<u32>" : "u32");
        if (!(m->copied >> s & 1))
            continue;
        knx_str_printf(t,
                       x->atomic ? "fn take%u(i: u32) -> u32 { return atomicLoad(&memory%u[i]); }\n"
                                 : "fn take%u(i: u32) -> u32 { return memory%u[i]; }\n",
                       (unsigned)s, (unsigned)s);
        if (x->written)
            knx_str_printf(t,
                           x->atomic ? "fn put%u(i: u32, x: u32) { atomicStore(&memory%u[i], x); }\n"
                                     : "fn put%u(i: u32, x: u32) { memory%u[i] = x; }\n",
                           (unsigned)s, (unsigned)s);
    }
}

/* What a while has beside: how many turns have passed. */
static void declare_question(const maker *m, knx_str *t)
{
    if (m->x->cond)
        knx_str_printf(t,
                       "@group(0) @binding(%u) var<storage, read_write> passed: array<u32>;\n"
                       "var<workgroup> goes_on: u32;\n",
                       (unsigned)m->v->n_slot + 1);
}

static char *whole_text(maker *m)
{
    knx_str t = {0};
    write_main(m);
    for (size_t i = 0; !m->failed && i < m->piece.n; i++)
        knw_piece_memory(&m->piece.at[i], m->memory);
    for (size_t i = 0; !m->failed && i < m->piece.n; i++) {
        knx_error *e = knw_piece_text(&m->piece.at[i], &m->unit, m->memory, &m->functions);
        m->failed |= e != NULL;
        knx_error_release(e);
    }
    if (m->unit.subgroups)
        knx_str_puts(&t, "enable subgroups;\n");
    knx_str_printf(&t, "@group(0) @binding(0) var<uniform> kn_w: array<vec4<u32>, %zu>;\n", m->word.n / 4);
    declare(m, &t);
    declare_question(m, &t);
    knw_helpers(&m->unit, &t);
    knx_str_puts(&t, m->functions.s ? m->functions.s : "");
    knx_str_puts(&t, m->main.s ? m->main.s : "");
    m->failed |= m->functions.failed || m->main.failed;
    if (m->failed) {
        knx_str_free(&t);
        return NULL;
    }
    return knx_str_take(&t);
}

static knx_error *fill(kng_gpu *g, const own_loop *x, const knd_turns *t, variant *v)
{
    maker m = {.x = x, .move = t->move, .v = v, .unit = {.facts = &g->facts, .exact = g->exact, .hidden = "kn_w[0].z"}};
    for (int i = 0; i < 4; i++)
        add_word(&m, 0);
    char *text = whole_text(&m);
    v->n_words = (uint32_t)m.word.n;
    v->n_place = (uint32_t)m.place.n;
    v->words = text ? knx_arena_copy(&v->arena, m.word.at, m.word.n * sizeof *v->words) : NULL;
    v->place = text ? knx_arena_alloc(&v->arena, (m.place.n + 1) * sizeof *v->place) : NULL;
    if (v->place && m.place.n)
        memcpy(v->place, m.place.at, m.place.n * sizeof *v->place);
    knx_error *error = v->words && v->place ? NULL : knx_error_nomem();
    if (!error && v->n_words <= MOST_WORDS)
        error = kng_pipeline_for(g, text, &v->pipeline);
    knx_free(text);
    knx_str_free(&m.functions);
    knx_str_free(&m.main);
    KN_VEC_FREE(&m.word);
    KN_VEC_FREE(&m.place);
    KN_VEC_FREE(&m.piece);
    return error;
}

static void free_variant(kng_gpu *g, variant *v)
{
    kng_pipeline_release(g, v->pipeline);
    knx_arena_free(&v->arena);
    knx_free(v);
}

static knx_error *variant_for(kng_gpu *g, own_loop *x, const knd_turns *t, const uint8_t *slot, uint32_t n_slot,
                              variant **out)
{
    size_t bytes = PARITIES * (size_t)x->n_at;
    for (*out = x->variant; *out; *out = (*out)->next)
        if (!memcmp((*out)->slot, slot, bytes))
            return NULL;
    variant *v = knx_alloc_zero(sizeof *v);
    if (!v)
        return knx_error_nomem();
    v->arena = (knx_arena)KN_ARENA_INIT;
    v->slot = knx_arena_copy(&v->arena, slot, bytes + 1);
    v->n_slot = n_slot;
    knx_error *error = v->slot ? fill(g, x, t, v) : knx_error_nomem();
    if (error) {
        free_variant(g, v);
        return error;
    }
    v->next = x->variant;
    *out = x->variant = v;
    return NULL;
}

/* ---- A run. */

/* False: more memories than can be bound, or larger ones; words of a copy that are none. */
static bool find_slots(const kng_gpu *g, const own_loop *x, const knd_turns *t, kng_bound *bound, uint8_t *slot,
                       uint32_t *n_slot)
{
    for (uint32_t i = 0; i < PARITIES * x->n_at; i++) {
        const knd_place *at = &t->at[i / x->n_at][i % x->n_at];
        uint32_t k = 0;
        if (!at->memory && !at->bits)
            return false;
        if (!at->memory) {
            slot[i] = KNW_GIVEN;
            continue;
        }
        while (k < *n_slot && bound[k].memory != at->memory)
            k++;
        if (k + (x->cond != NULL) >= g->target.max_buffers || at->memory->room > g->limits.maxStorageBufferBindingSize)
            return false;
        bound[k].memory = at->memory;
        *n_slot = k == *n_slot ? k + 1 : *n_slot;
        slot[i] = (uint8_t)k;
    }
    return true;
}

/* False: a place is at no multiple of what it is counted in. */
static bool place_words(const variant *v, const knd_turns *t)
{
    for (uint32_t i = 0; i < v->n_place; i++) {
        const place *p = &v->place[i];
        const knd_place *at = &t->at[p->odd][p->ref];
        if (p->kind == GIVEN)
            memcpy(&v->words[p->word], at->bits, sizeof(knx_scalar_bits));
        else if (at->offset % p->unit || t->move[p->ref] % (int64_t)p->unit)
            return false;
        else
            v->words[p->word] = (uint32_t)(at->offset / p->unit);
    }
    return true;
}

static knx_error *dispatch(kng_gpu *g, const variant *v, const kng_bound *bound, int64_t first, int64_t n)
{
    static const uint32_t one[3] = {1, 1, 1};
    KN_TRY(knx_poll());
    v->words[FIRST] = (uint32_t)first;
    v->words[TURNS] = (uint32_t)n;
    return kng_dispatch_text(g, v->pipeline, bound, v->words, v->n_words, one, NULL, 0);
}

static knx_error *run_scan(kng_gpu *g, const own_loop *x, const knd_turns *t, const variant *v, const kng_bound *bound)
{
    for (int64_t first = t->first, end = t->first + t->n; first < end; first += x->at_once)
        KN_TRY(dispatch(g, v, bound, first, end - first < x->at_once ? end - first : x->at_once));
    return NULL;
}

/* One dispatch; memory for the number of turns is the slot behind the others. */
static knx_error *run_while(kng_gpu *g, const own_loop *x, const knd_turns *t, const variant *v, kng_bound *bound,
                            knd_turned *out)
{
    int64_t n = t->n < x->at_once ? t->n : x->at_once;
    uint32_t passed = 0;
    KN_TRY(kng_alloc(g, sizeof passed, &bound[v->n_slot].memory));
    knx_error *error = dispatch(g, v, bound, t->first, n);
    if (!error)
        error = kng_download(g, &passed, bound[v->n_slot].memory, 0, sizeof passed);
    kng_free(g, bound[v->n_slot].memory);
    out->passed = passed;
    out->open = passed == n;
    return error;
}

static knx_error *run(const knd_device *d, void *prepared, const knd_turns *t, knd_turned *out)
{
    kng_gpu *g = kng_gpu_of(d);
    own_loop *x = prepared;
    kng_bound bound[KNG_SLOTS + 1] = {0};
    uint32_t n_slot = 0;
    variant *v = NULL;
    *out = (knd_turned){.passed = t->n};
    KN_TRY(kng_lost(g));
    uint8_t *slot = knx_alloc_zero(PARITIES * (size_t)x->n_at + 1);
    if (!slot)
        return knx_error_nomem();
    bool fine = (x->cond || t->n <= UINT32_MAX) && find_slots(g, x, t, bound, slot, &n_slot);
    knx_error *error = fine ? variant_for(g, x, t, slot, n_slot, &v) : NULL;
    knx_free(slot);
    if (error || !fine || !v->pipeline || !place_words(v, t))
        return error;
    out->ran = true;
    return x->cond ? run_while(g, x, t, v, bound, out) : run_scan(g, x, t, v, bound);
}

static void discard(const knd_device *d, void *prepared)
{
    own_loop *x = prepared;
    for (variant *v = x->variant, *next; v; v = next) {
        next = v->next;
        free_variant(kng_gpu_of(d), v);
    }
    knx_free(x);
}

const knd_loops kng_loops_table = {prepare, discard, run};
