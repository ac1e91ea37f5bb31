/* SPDX-License-Identifier: Apache-2.0
 * band.c -- plans of bands: the dispatches of all steps for some rows, then for the next ones. Values that only the
 * band's steps read lie in the scratch, as one block of rows; they are addressed as if the whole value were there. The
 * texts of a step are made once for each height that blocks have; from block to block only their words change. */
#include "webgpu/band.h"
#include <string.h>

enum { MOST_DISPATCHES = 1 << 17, MOST_MEMORIES = 30, WORDS = 16384 - 64 };

typedef struct maker {
    kng_maker m;
    kng_blocks b;
} maker;

/* The numbers of a kernel's launch. */
typedef struct launch {
    knk_map_values *map;
    int64_t *first, *par;
    uint32_t *at;
    knw_launch l;
} launch;

/* The dispatches of one step for blocks of one height: `n` of the plan from `first` on. */
typedef struct texts {
    uint32_t first, n;
    launch x; /* of a kernel */
    knw_request r;
    kng_part_words words; /* of a product */
    int size[3];          /* bytes of an element of a, b, c */
} texts;

/* ---- Where arrays are. */

static const knc_step *step_of(const kng_blocks *b, uint32_t i) { return &b->band->step[i].step; }

/* Elements from where a block is to where its value would begin. */
static int64_t before(const kng_blocks *b, const knc_ref *ref, int size, int64_t row)
{
    return row * (int64_t)(b->block[ref->index].row / (uint64_t)size);
}

static uint64_t place_of(const kng_blocks *b, const knc_ref *ref) { return b->block[ref->index].at + ref->offset; }

/* Elements from the beginning of the band's reference to that of a step's. */
static uint32_t inside(const kng_blocks *b, const knc_ref *ref, int size)
{
    const knc_ref *whole = &b->s->ref[knc_band_ref(b->s, ref)];
    return (uint32_t)((ref->offset - whole->offset) / (uint64_t)size);
}

/* ---- Kernels. */

static bool begin_launch(const knk_kernel *k, knx_arena *a, launch *x)
{
    x->map = knx_arena_alloc(a, ((size_t)k->n_map + 1) * sizeof *x->map);
    x->first = knx_arena_zero(a, 2 * ((size_t)k->n_par + 1) * sizeof *x->first);
    x->par = x->first ? x->first + k->n_par : NULL;
    x->at = knx_arena_zero(a, ((size_t)k->n_buffer + 1) * sizeof *x->at);
    return x->map && x->first && x->at;
}

static void fill_launch(const kng_blocks *b, uint32_t i, kng_rows r, launch *x)
{
    const knc_step *s = step_of(b, i);
    const knk_kernel *k = s->u.k.kernel;
    kng_turns_of(b, i, r, x->first, x->par);
    for (int m = 0; m < k->n_map; m++) {
        x->map[m] = s->u.k.map[m];
        for (int l = 0; l < k->n_par; l++)
            x->map[m].offset += x->first[l] ? x->first[l] * x->map[m].stride[l] : 0;
    }
    for (int n = 0; n < k->n_buffer; n++) {
        const knc_ref *ref = &s->ref[n];
        int size = knx_dtype_table[k->buffer[n].dtype].size;
        if (ref->space == KNC_AT_BLOCK)
            x->at[n] = (uint32_t)(place_of(b, ref) / (uint64_t)size) - (uint32_t)before(b, ref, size, r.row);
    }
    x->l = (knw_launch){.map = x->map, .par = x->par, .inner = s->u.k.inner, .at = x->at};
}

/* Parts of rows would need a scratch of their own. */
static bool choose_mode(const knk_kernel *k, const knw_facts *f, const launch *x, knw_mode *out)
{
    *out = knw_choose(k, f, &x->l);
    if (*out == KNW_PARTS)
        *out = KNW_ROWS;
    return knw_fits(k, f, &x->l, *out);
}

/* Buffers at references of the band get their words when the step is launched. */
static bool name_offsets(const maker *m, const knc_step *s, kng_dispatch *d)
{
    const knk_kernel *k = s->u.k.kernel;
    size_t most = (size_t)k->n_buffer + 1;
    uint32_t *word = knx_arena_alloc(m->m.arena, 4 * most * sizeof *word), *ref = word + most, *unit = ref + most,
             *more = unit + most;
    if (!word)
        return false;
    for (int n = 0; n < k->n_buffer; n++) {
        const knc_ref *x = &s->ref[n];
        if (x->space == KNC_AT_BLOCK)
            continue;
        int size = knx_dtype_table[k->buffer[n].dtype].size;
        word[d->n_at] = KNW_AT + (uint32_t)n;
        ref[d->n_at] = knc_band_ref(m->b.s, x);
        unit[d->n_at] = (uint32_t)size;
        more[d->n_at++] = inside(&m->b, x, size);
    }
    d->at_word = word, d->at_ref = ref, d->at_unit = unit, d->at_more = more;
    return true;
}

static uint8_t *memories_of(const maker *m, const knc_step *s)
{
    uint8_t *memory = knx_arena_alloc(m->m.arena, (size_t)s->n_ref + 1);
    for (uint32_t r = 0; memory && r < s->n_ref; r++)
        memory[r] = s->ref[r].space == KNC_AT_BLOCK ? (uint8_t)m->m.at->n_slot
                                                    : m->m.at->slot[knc_band_ref(m->b.s, &s->ref[r])];
    return memory;
}

static bool begin_kernel(const maker *m, const knc_step *s, texts *out)
{
    const knk_kernel *k = s->u.k.kernel;
    const uint8_t *memory = memories_of(m, s);
    out->r = (knw_request){
        .kernel = k, .facts = m->m.facts, .exact = m->m.exact, .memory = memory, .n_memory = (int)m->m.at->n_slot + 1};
    return memory && begin_launch(k, m->m.arena, &out->x);
}

static knx_error *add_kernel(maker *m, uint32_t i, kng_rows rows, texts *out)
{
    const knc_step *s = step_of(&m->b, i);
    char *text = NULL;
    if (!begin_kernel(m, s, out))
        return knx_error_nomem();
    fill_launch(&m->b, i, rows, &out->x);
    knw_mode mode;
    choose_mode(s->u.k.kernel, m->m.facts, &out->x, &mode);
    out->r.mode = (uint8_t)mode;
    kng_dispatch *d = kng_next_dispatch(&m->m);
    if (!d)
        return knx_error_nomem();
    KN_TRY(knw_text(&out->r, &text, &d->slots));
    d->text = knx_arena_string(m->m.arena, text);
    knx_free(text);
    KN_TRY(knw_n_words(&out->r, &d->n_words));
    d->words = knx_arena_zero(m->m.arena, ((size_t)d->n_words + 1) * sizeof *d->words);
    return d->text && d->words && name_offsets(m, s, d) ? NULL : knx_error_nomem();
}

/* ---- Products. */

static uint64_t count(const knk_dims *d)
{
    uint64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= (uint64_t)d->extent[i];
    return n;
}

/* Where the arrays of a product are, of which row 0 is at hand. */
static void find_arrays(const kng_blocks *b, const knc_step *s, const int *size, kng_part *out)
{
    const uint32_t ref[3] = {s->u.p.a, s->u.p.b, s->u.p.c};
    for (int i = 0; i < 3; i++) {
        const knc_ref *x = &s->ref[ref[i]];
        out->in_room[i] = x->space == KNC_AT_BLOCK;
        out->ref[i] = out->in_room[i] ? 0 : knc_band_ref(b->s, x);
        out->at[i] = out->in_room[i] ? place_of(b, x) : inside(b, x, size[i]);
    }
}

/* totals: where the totals of sums over the rows wait; UINT64_MAX: nowhere yet. What else the step has in the scratch
 * others may have, too: *most bytes of it are needed in all. */
static knx_error *add_product(maker *m, uint32_t i, kng_rows rows, uint64_t *totals, uint64_t *most, texts *out)
{
    const knc_step *s = step_of(&m->b, i);
    kng_part part;
    knk_product *p = knx_arena_alloc(m->m.arena, sizeof *p);
    if (!p)
        return knx_error_nomem();
    knk_unpack_product(s->u.p.packed, p);
    out->size[0] = out->size[1] = p->operand->size;
    out->size[2] = p->result->size;
    kng_part_of(&m->b, i, rows, &part);
    find_arrays(&m->b, s, out->size, &part);
    if ((part.continues || part.goes_on) && *totals == UINT64_MAX)
        *totals = kng_scratch(&m->m, count(&p->m) * count(&p->n) * kng_wide(p->result)->size);
    part.totals = *totals;
    uint64_t kept = m->m.plan->scratch;
    kng_plan_part(&m->m, s, &part, &out->words);
    *most = m->m.plan->scratch > *most ? m->m.plan->scratch : *most;
    m->m.plan->scratch = kept;
    return kng_made(&m->m);
}

/* ---- The plan. */

/* Of each step, for blocks of so many rows. */
static knx_error *add_texts(maker *m, kng_rows rows, uint64_t *totals, uint64_t *most, texts *out)
{
    for (uint32_t i = 0; i < m->b.band->n_step; i++) {
        out[i].first = m->m.plan->n;
        KN_TRY(step_of(&m->b, i)->kind == KNC_KERNEL ? add_kernel(m, i, rows, &out[i])
                                                     : add_product(m, i, rows, &totals[i], most, &out[i]));
        out[i].n = m->m.plan->n - out[i].first;
    }
    return NULL;
}

static void set_part(const maker *m, uint32_t i, kng_rows rows, const texts *t, kng_dispatch *d)
{
    const knc_step *s = step_of(&m->b, i);
    const uint32_t ref[3] = {s->u.p.a, s->u.p.b, s->u.p.c};
    kng_part part;
    kng_part_of(&m->b, i, rows, &part);
    for (int k = 0; k < 3; k++)
        if (s->ref[ref[k]].space == KNC_AT_BLOCK)
            d->words[t->words.begin[k]] -= (uint32_t)before(&m->b, &s->ref[ref[k]], t->size[k], rows.row);
    d->words[t->words.batch] = (uint32_t)part.batch;
    d->words[t->words.first] = (uint32_t)part.first;
    d->words[t->words.continues] = part.continues;
    d->words[t->words.goes_on] = part.goes_on;
}

static knx_error *add_step(maker *m, uint32_t i, kng_rows rows, texts *t, const kng_dispatch *made, kng_plan *out)
{
    bool kernel = step_of(&m->b, i)->kind == KNC_KERNEL;
    for (uint32_t k = 0; k < t->n; k++) {
        kng_dispatch *d = &out->dispatch[out->n++];
        *d = made[t->first + k];
        d->words = knx_arena_copy(m->m.arena, d->words, d->n_words * sizeof *d->words);
        if (!d->words)
            return knx_error_nomem();
        if (!kernel) {
            set_part(m, i, rows, t, d);
            continue;
        }
        fill_launch(&m->b, i, rows, &t->x);
        KN_TRY(knw_words(&t->r, &t->x.l, d->words, d->grid));
        d->grid[2] = 1;
    }
    return NULL;
}

/* The texts of blocks of the usual height, then of those that end a batch, if these are lower. */
static knx_error *add_all_texts(maker *m, texts *t)
{
    uint32_t n = m->b.band->n_step;
    int64_t rest = m->b.height < m->b.band->rows ? m->b.band->rows % m->b.height : 0;
    uint64_t *totals = knx_arena_alloc(m->m.arena, n * sizeof *totals), most = 0;
    if (!totals)
        return knx_error_nomem();
    memset(totals, 0xff, n * sizeof *totals);
    KN_TRY(add_texts(m, kng_rows_at(&m->b, 0), totals, &most, t));
    if (rest)
        KN_TRY(add_texts(m, kng_rows_at(&m->b, m->b.band->rows - rest), totals, &most, t + n));
    m->m.plan->scratch = most > m->m.plan->scratch ? most : m->m.plan->scratch;
    return NULL;
}

static uint64_t blocks_of(const kng_blocks *b)
{
    int64_t rows = b->height < b->band->rows ? b->band->rows : b->height;
    return (uint64_t)(kng_rows_of(b) / rows * ((rows + b->height - 1) / b->height));
}

static knx_error *add_blocks(maker *m, texts *t, kng_plan *out)
{
    const kng_plan made = *out;
    out->dispatch = knx_arena_zero(m->m.arena, (blocks_of(&m->b) * made.n + 1) * sizeof *out->dispatch);
    out->n = 0;
    if (!out->dispatch)
        return knx_error_nomem();
    for (int64_t row = 0; row < kng_rows_of(&m->b);) {
        kng_rows r = kng_rows_at(&m->b, row);
        for (uint32_t i = 0; i < m->b.band->n_step; i++)
            KN_TRY(add_step(m, i, r, &t[r.n == m->b.height ? i : m->b.band->n_step + i], made.dispatch, out));
        row += r.n;
    }
    return NULL;
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    maker m;
    bool failed;
    kng_make(&m.m, f, exact, p, s, at, arena, out);
    if (!kng_cut_band(f, s, arena, &m.b, &failed))
        return failed ? knx_error_nomem() : knx_error_new(KN_ERROR_ASSERTION, "a band without blocks");
    texts *t = knx_arena_zero(arena, 2 * (size_t)m.b.band->n_step * sizeof *t);
    if (!t)
        return knx_error_nomem();
    kng_scratch(&m.m, m.b.kept);
    KN_TRY(add_all_texts(&m, t));
    return add_blocks(&m, t, out);
}

/* ---- What is refused. */

static const char *kernel_refused(const knw_facts *f, const kng_blocks *b, uint32_t i, kng_rows rows, knx_arena *arena)
{
    const knk_kernel *k = step_of(b, i)->u.k.kernel;
    const char *why = knw_refuses(k);
    launch x;
    knw_mode mode;
    if (why)
        return why;
    if (k->n_buffer > KNW_MOST_MEMORIES)
        return "the kernel has more buffers than the device";
    if (!begin_launch(k, arena, &x))
        return "there is no memory";
    fill_launch(b, i, rows, &x);
    if ((why = knw_too_large(k, f, &x.l)))
        return why;
    if (!choose_mode(k, f, &x, &mode))
        return KNG_TOO_MANY_TURNS;
    knw_request r = {.kernel = k, .facts = f, .mode = (uint8_t)mode};
    uint32_t n = 0;
    knx_error *error = knw_n_words(&r, &n);
    knx_error_release(error);
    return error ? "there is no memory" : n > WORDS ? "the numbers of its loops do not fit a uniform block" : NULL;
}

static const char *rows_refused(const knw_facts *f, const knc_program *p, const kng_blocks *b, kng_rows rows,
                                knx_arena *arena)
{
    const char *why = NULL;
    kng_part part;
    for (uint32_t i = 0; i < b->band->n_step && !why; i++) {
        const knc_step *s = step_of(b, i);
        if (s->kind == KNC_PRODUCT) {
            kng_part_of(b, i, rows, &part);
            why = kng_part_refused(f, p, s, &part);
        } else {
            why = kernel_refused(f, b, i, rows, arena);
        }
    }
    return why;
}

/* Memories that its values may lie in. */
static int memories_outside(const knc_step *s)
{
    int n = 0;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        bool again = false;
        for (uint32_t k = 0; k < r; k++)
            again |= s->ref[k].space == s->ref[r].space &&
                     (s->ref[k].index == s->ref[r].index || s->ref[r].space == KNC_AT_WORK ||
                      s->ref[r].space == KNC_AT_LITERAL);
        n += !again;
    }
    return n;
}

static const char *band_refused(const knw_facts *f, const knc_program *p, const knc_step *s, knx_arena *arena)
{
    kng_blocks b;
    bool failed;
    for (uint32_t i = 0; i < s->u.band->n_step; i++)
        if (s->u.band->step[i].step.kind == KNC_ROUTINE)
            return "routines that run some rows at a time";
    if (memories_outside(s) > MOST_MEMORIES)
        return "more values than the device binds memories";
    if (!kng_cut_band(f, s, arena, &b, &failed))
        return failed ? "there is no memory" : "its steps have no blocks of rows in common";
    if (blocks_of(&b) * b.band->n_step > MOST_DISPATCHES)
        return "a band of too many blocks";
    const char *why = rows_refused(f, p, &b, kng_rows_at(&b, 0), arena);
    int64_t rest = b.height < b.band->rows ? b.band->rows % b.height : 0;
    return why || !rest ? why : rows_refused(f, p, &b, kng_rows_at(&b, b.band->rows - rest), arena);
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    knx_arena arena = KN_ARENA_INIT;
    const char *why = band_refused(f, p, s, &arena);
    knx_arena_free(&arena);
    return why;
}

const kng_kind kng_bands = {.refuses = refuses, .plan = plan};
