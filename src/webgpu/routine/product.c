/* SPDX-License-Identifier: Apache-2.0
 * product.c -- products and convolutions on the device: the way that suits their shape. The chains of determinism.md,
 * "Products", are the same in all: blocks of 256 steps, then the totals of the blocks in order. */
#include "webgpu/routine/product.h"

static uint64_t count(const knk_dims *d)
{
    uint64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= (uint64_t)d->extent[i];
    return n;
}

static bool has_window(const knk_product *p, bool of_k, int dim)
{
    for (int w = 0; w < p->n_window; w++)
        if ((of_k ? p->window[w].k : p->window[w].m) == dim)
            return true;
    return false;
}

static void renumber(knk_product *p, bool of_k, int gone)
{
    for (int w = 0; w < p->n_window; w++) {
        int *d = of_k ? &p->window[w].k : &p->window[w].m;
        *d -= *d > gone;
    }
}

/* Dimensions of one index go, and those that step on where the next one ends become one with it. */
static void shorten(knk_product *p, knk_dims *d, bool windows, bool of_k)
{
    for (int i = d->n - 1; i >= 0; i--) {
        bool held = windows && has_window(p, of_k, i), next = i + 1 < d->n;
        int64_t e = next ? d->extent[i + 1] : 0;
        bool joins = next && !held && !(windows && has_window(p, of_k, i + 1)) && d->a[i] == d->a[i + 1] * e &&
                     d->b[i] == d->b[i + 1] * e && d->c[i] == d->c[i + 1] * e;
        if (held || (d->extent[i] != 1 && !joins))
            continue;
        if (d->extent[i] != 1)
            d->extent[i + 1] *= d->extent[i];
        d->n--;
        for (int k = i; k < d->n; k++) {
            d->extent[k] = d->extent[k + 1];
            d->a[k] = d->a[k + 1], d->b[k] = d->b[k + 1], d->c[k] = d->c[k + 1];
        }
        if (windows)
            renumber(p, of_k, i);
    }
}

static void simplify(knk_product *p)
{
    shorten(p, &p->batch, false, false);
    shorten(p, &p->m, true, false);
    shorten(p, &p->n, false, false);
    shorten(p, &p->k, true, true);
}

/* Stride in a (b) of the last dimension of a group; of a window, of its next position. */
static int64_t last_stride(const knk_product *p, const knk_dims *d, bool of_k, bool of_b)
{
    if (!d->n)
        return 0;
    if (!of_b && (d == &p->m || d == &p->k))
        for (int w = 0; w < p->n_window; w++)
            if ((of_k ? p->window[w].k : p->window[w].m) == d->n - 1)
                return p->window[w].stride * (of_k ? p->window[w].dilation : p->window[w].step);
    return of_b ? d->b[d->n - 1] : d->a[d->n - 1];
}

static kng_tile tile_of(const kng_maker *m, const kng_product *x)
{
    bool few = x->p->n_window <= 8, large = few && kng_quick(m) && x->sum->size == 4 && m->facts->lanes >= 128;
    if (x->m >= 32 && x->n >= 32 && large)
        return (kng_tile){64, 64, 8, 4};
    if (x->m >= 16 && x->n >= 16 && large)
        return (kng_tile){32, 32, 4, 2};
    if (x->m >= 4 && x->n >= 4)
        return (kng_tile){8, 8, 1, 1};
    if (x->m >= 16 && few)
        return (kng_tile){64, 1, 1, 1};
    return x->n >= 16 ? (kng_tile){1, 64, 1, 1} : (kng_tile){0, 0, 0, 0};
}

/* Of loops that an invocation goes through for so many steps. */
static uint64_t turns_of(const kng_product *x, uint64_t steps)
{
    const kng_tile *t = &x->tile;
    uint64_t lanes = t->rows ? t->rows / t->mine * (t->columns / t->across) : 0;
    uint64_t loads = lanes ? 3 + KNG_STEPS * (t->rows + t->columns) / lanes : 0;
    return steps + kng_groups(steps, KNG_STEPS) * loads + kng_groups(steps, KNG_BLOCK) + 64;
}

/* Few workgroups of many steps: each makes a block alone. */
static uint64_t blocks_of(const kng_maker *m, const kng_product *x)
{
    uint64_t elements = x->batch * x->m * x->n, blocks = (x->k + KNG_BLOCK - 1) / KNG_BLOCK;
    const kng_tile *t = &x->tile;
    uint64_t groups =
        t->rows ? x->batch * kng_groups(x->m, t->rows) * kng_groups(x->n, t->columns) : kng_groups(elements, 64);
    bool fits = elements * blocks < UINT64_C(1) << 24;
    bool long_loop = !kng_turns(m->facts, turns_of(x, x->k));
    return blocks > 1 && (groups < 64 || long_loop) && fits ? blocks : 1;
}

/* Has a kernel that gives an operand most of its own elements adjacent along steps, its columns? */
static bool reads_steps(const knc_attached *x)
{
    int n = x->n_batch + x->n_row + x->n_column, along = 0;
    for (int m = 0; m < x->kernel->n_map; m++) {
        const int64_t *stride = x->stride + (size_t)m * (size_t)n;
        along += x->handed[m] ? 0 : (stride[n - 1] == 1) - (stride[x->n_batch + x->n_row - 1] == 1);
    }
    return along >= 0;
}

/* Some batches, rows or steps; where arrays begin. Sums in parts are always made by blocks, which are then added to the
 * totals. */
static void cut(const kng_part *part, knk_product *p, kng_product *x)
{
    x->part = part;
    x->batch = part->batches;
    *(part->sums ? &x->k : &x->m) = part->n;
    x->a = part->ref[0], x->b = part->ref[1], x->c = part->ref[2];
    x->waits = part->sums && (part->continues || part->goes_on);
    for (int i = 0; i < 3; i++)
        if (!part->in_room[i])
            *(i == 0 ? &p->a_offset : i == 1 ? &p->b_offset : &p->c_offset) += (int64_t)part->at[i];
}

static void describe(kng_maker *m, const knc_step *s, const kng_part *part, knk_product *p, kng_product *x)
{
    knk_unpack_product(s->u.p.packed, p);
    simplify(p);
    *x = (kng_product){.p = p,
                       .a = s->u.p.a,
                       .b = s->u.p.b,
                       .c = s->u.p.c,
                       .fill_a = s->u.p.fill_a,
                       .fill_b = s->u.p.fill_b,
                       .finish = s->u.p.finish,
                       .batch = count(&p->batch),
                       .m = count(&p->m),
                       .n = count(&p->n),
                       .k = count(&p->k),
                       .sum = kng_wide(p->result)};
    if (part)
        cut(part, p, x);
    int64_t ak = last_stride(p, &p->k, true, false), am = last_stride(p, &p->m, false, false);
    int64_t bk = last_stride(p, &p->k, true, true), bn = last_stride(p, &p->n, false, true);
    x->a_steps = x->fill_a ? reads_steps(x->fill_a) : ak == 1 || (am != 1 && ak != 0);
    x->b_steps = x->fill_b ? reads_steps(x->fill_b) : bk == 1 && bn != 1;
    for (int w = 0; w < p->n_window; w++)
        x->holes |= p->window[w].base != 1;
    x->tile = tile_of(m, x);
    x->blocks = x->waits ? kng_groups(x->k, KNG_BLOCK) : blocks_of(m, x);
    x->waits |= x->blocks > 1;
}

static bool fits_turns(const knw_facts *f, const kng_product *x)
{
    return kng_turns(f, turns_of(x, x->waits ? KNG_BLOCK : x->k)) && kng_turns(f, x->blocks);
}

static const char *refuses_parts(const knc_step *s)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    for (int i = 0; i < 3; i++) {
        const char *why = all[i] ? kng_attach_refuses(all[i]) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

const char *kng_part_refused(const knw_facts *f, const knc_program *p, const knc_step *s, const kng_part *part)
{
    knk_product d;
    kng_product x;
    const char *why = refuses_parts(s);
    if (why)
        return why;
    for (int exact = 0; exact < 2; exact++) { /* other tiles, and so other loops */
        kng_maker m = {.facts = f, .exact = exact, .program = p, .step = s};
        describe(&m, s, part, &d, &x);
        if (!fits_turns(f, &x))
            return KNG_TOO_MANY_TURNS;
    }
    if (!kng_has(d.operand) || !kng_has(d.result))
        return "a product of 64-bit floats";
    uint64_t most = x.batch * x.m * x.n;
    for (uint32_t r = 0; r < s->n_ref; r++)
        most = s->ref[r].bytes > most ? s->ref[r].bytes : most;
    if (!kng_numbers(most) || !kng_numbers(x.k))
        return "a product of more elements than 31 bits can number";
    return NULL;
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    return kng_part_refused(f, p, s, NULL);
}

static void add_dispatches(kng_maker *m, kng_product *x)
{
    if (!x->batch || !x->m || !x->n)
        return;
    if (x->waits)
        x->place = kng_scratch(m, x->blocks * x->batch * x->m * x->n * x->sum->size);
    if (x->tile.rows)
        kng_product_tiles(m, x);
    else
        kng_product_elements(m, x);
    if (x->waits)
        kng_product_totals(m, x);
}

void kng_plan_part(kng_maker *m, const knc_step *s, const kng_part *part, kng_part_words *words)
{
    kng_product x;
    knk_product *d = knx_arena_alloc(m->arena, sizeof *d);
    m->failed |= !d;
    if (!d)
        return;
    describe(m, s, part, d, &x);
    add_dispatches(m, &x);
    *words = x.words;
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_product x;
    knk_product *d = knx_arena_alloc(arena, sizeof *d);
    if (!d)
        return knx_error_nomem();
    kng_make(&m, f, exact, p, s, at, arena, out);
    describe(&m, s, NULL, d, &x);
    add_dispatches(&m, &x);
    return kng_made(&m);
}

const kng_kind kng_products = {.refuses = refuses, .plan = plan};
