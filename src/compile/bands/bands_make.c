/* SPDX-License-Identifier: Apache-2.0
 * bands_make.c -- from sets of steps to bands: where each block lies in a worker's memory, which part of each step a
 * block of rows is, and the list of steps with bands in place of their members. */
#include "compile/bands/bands.h"
#include "base/line.h"
#include <string.h>

/* ---- Blocks. */

static const knc_step *step_of(const knc_plan *p, const knc_member *m) { return &p->step.at[m->step]; }

static bool refers_to(const knc_step *s, uint32_t slot)
{
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].index == slot)
            return true;
    return false;
}

static int find_block(const knc_inner *x, uint32_t slot)
{
    int n = x->n;
    while (n-- > 0)
        if (x->slot[n] == slot)
            return n;
    return -1;
}

/* May the block of `to` take over the memory of the block of `from`? It may if the kernel that makes `to` is the last
 * member that reads `from`, and reads each element only where it writes one of `to`. */
static bool may_share(const knc_bands *b, const knc_set *s, const knc_inner *x, int from, int to)
{
    const knc_plan *p = b->p;
    const knc_block *f = &x->block[from], *t = &x->block[to];
    if (t->over >= 0 || f->row != t->row || f->last != t->first)
        return false;
    for (uint32_t i = b->reuse[s->member[t->first].step]; i != KNC_NO; i = b->next_reuse[i])
        if (p->reuse.at[i].from == x->slot[from] && p->reuse.at[i].to == x->slot[to])
            return true;
    return false;
}

/* Each block gives its memory to at most one later block. The value that was made last gives first, so a chain of
 * kernels over the same rows needs the memory of one block. */
static void share_places(const knc_bands *b, const knc_set *s, knc_inner *x)
{
    for (int from = x->n - 1; from >= 0; from--)
        for (int to = x->n - 1; to >= 0; to--)
            if (to != from && may_share(b, s, x, from, to)) {
                x->block[to].over = from;
                break;
            }
}

static int root_of(const knc_block *x, int i)
{
    while (x[i].over >= 0)
        i = x[i].over;
    return i;
}

size_t knc_place_blocks(knc_block *x, int n, int64_t rows)
{
    int last[KNC_BAND_BLOCKS];
    size_t end = 0;
    for (int i = 0; i < n; i++)
        last[i] = x[i].last;
    for (int i = 0; i < n; i++) {
        int root = root_of(x, i);
        last[root] = x[i].last > last[root] ? x[i].last : last[root];
    }
    for (int i = 0; i < n; i++) {
        if (x[i].over >= 0)
            continue;
        knx_bytes at = 0, bytes = knx_whole_lines(x[i].row * (knx_bytes)rows);
        for (bool moved = true; moved;) {
            moved = false;
            for (int k = 0; k < i; k++) {
                knx_bytes its = knx_whole_lines(x[k].row * (knx_bytes)rows);
                if (x[k].over < 0 && x[k].first <= last[i] && x[i].first <= last[k] && at < x[k].at + its &&
                    x[k].at < at + bytes) {
                    at = x[k].at + its;
                    moved = true;
                }
            }
        }
        x[i].at = at;
        end = at + bytes > end ? at + bytes : end;
    }
    for (int i = 0; i < n; i++)
        x[i].at = x[root_of(x, i)].at;
    return end;
}

knx_bytes knc_blocks_bytes(const knc_inner *x, int64_t rows)
{
    knc_block block[KNC_BAND_BLOCKS];
    for (int i = 0; i < x->n; i++) {
        block[i] = x->block[i];
        block[i].row = (knx_bytes)knx_dim_hint((int64_t)block[i].row);
    }
    return knc_place_blocks(block, x->n, rows);
}

void knc_settle_band(knc_band *band)
{
    band->kept = knc_place_blocks(band->block, (int)band->n_block, band->height);
    for (uint32_t i = 0; i < band->n_step && band->rows % band->height == 0; i++)
        band->step[i].par[1] = band->step[i].par[0]; /* no block is shorter */
}

bool knc_find_blocks(const knc_bands *b, const knc_set *s, uint32_t number, bool hope, knc_inner *out)
{
    const knc_plan *p = b->p;
    out->n = 0;
    for (int i = 0; i < s->n; i++) {
        const knc_step *x = step_of(p, &s->member[i]);
        for (uint32_t r = 0; r < x->n_ref; r++) {
            uint32_t slot = x->ref[r].index;
            if (p->slot.at[slot].maker != s->member[i].step || find_block(out, slot) >= 0)
                continue;
            bool stays = s->member[i].again || !knc_is_kept(b, s, number, slot);
            if (!stays && !(hope && p->slot.at[slot].space == KNC_AT_WORK && knc_goes_on(p, s, slot)))
                continue;
            if (out->n == KNC_BAND_BLOCKS)
                return false;
            knc_block *block = &out->block[out->n];
            out->slot[out->n++] = slot;
            *block = (knc_block){.row = knc_row_bytes(p, s, slot), .first = i, .last = i, .over = -1};
            for (int k = i; k < s->n; k++)
                if (refers_to(step_of(p, &s->member[k]), slot))
                    block->last = k;
        }
    }
    share_places(b, s, out);
    return true;
}

/* ---- The band. */

typedef struct maker {
    knc_bands *b;
    const knc_set *s;
    uint32_t number;
    knc_band *band;
    knc_inner inner;
} maker;

static bool make_blocks(maker *m)
{
    knc_find_blocks(m->b, m->s, m->number, false, &m->inner); /* few enough: is_reason has asked */
    int n = m->inner.n;
    m->band->block = knx_arena_copy(&m->b->p->p->arena, m->inner.block, sizeof m->inner.block);
    if (!m->band->block)
        return false;
    m->band->n_block = (uint32_t)n;
    for (int i = 0; i < n; i++) {
        const knc_slot *slot = &m->b->p->slot.at[m->inner.slot[i]];
        knx_bytes saved = m->s->member[m->inner.block[i].first].again ? 0 : slot->bytes;
        m->band->saved = (knx_bytes)knx_dim_add((int64_t)m->band->saved, (int64_t)saved);
    }
    if (!m->b->p->symbolic) /* else when the variables have numbers */
        knc_settle_band(m->band);
    return true;
}

/* The extents of the kernel's parallel loops for a block of so many rows. */
static const int64_t *extents(const maker *m, const knc_step *s, const knc_cut *cut, int64_t rows)
{
    int n = s->u.k.kernel->n_par;
    int64_t *par = knx_arena_copy(&m->b->p->p->arena, s->u.k.par, (size_t)(n + 1) * sizeof *par);
    for (int l = 0; par && l < n; l++)
        if (cut[l].kind != KNC_CUT_WHOLE)
            par[l] = cut[l].kind == KNC_CUT_FIXED ? 1 : knx_dim_mul(knx_dim_floordiv(rows, m->band->grain), cut[l].per);
    return par;
}

static bool make_kernel(maker *m, const knc_member *x, knc_band_step *out)
{
    const knc_band *band = m->band;
    const knc_step *s = &out->step;
    int64_t rest = knx_dim_mod(band->rows, band->height);
    out->cut = knx_arena_copy(&m->b->p->p->arena, x->cut, sizeof x->cut);
    if (!out->cut)
        return false;
    out->par[0] = extents(m, s, x->cut, band->height);
    out->par[1] = rest ? extents(m, s, x->cut, rest) : out->par[0];
    return out->par[0] && out->par[1];
}

/* The step of a product in the band. A product that contracts over the rows keeps unfinished sums from one block of
 * rows to the next (`chained`), unless every block of rows ends where a block of 256 positions of the joined axis
 * does; sums of 16-bit floats are always kept. */
static void make_product(maker *m, const knc_member *x, knc_band_step *out)
{
    const knk_product *p = x->product;
    bool whole = knc_divides(256, m->band->height) && !(p->result->size == 2 && knx_is_float(p->result));
    out->sums = x->sums;
    out->rows = x->rows;
    out->other = knc_count_dims(x->sums ? &p->m : &p->k);
    out->chained = x->sums && !whole;
    out->step.u.p.product = p;
    out->step.u.p.a = x->swapped;
    out->step.u.p.b = !x->swapped;
}

static bool make_step(maker *m, int i)
{
    knc_plan *p = m->b->p;
    const knc_member *x = &m->s->member[i];
    knc_band_step *out = &m->band->step[i];
    out->step = *step_of(p, x);
    out->again = x->again;
    out->step.ref = knx_arena_copy(&p->p->arena, out->step.ref, (out->step.n_ref + 1) * sizeof *out->step.ref);
    if (out->step.kind == KNC_KERNEL) {
        knk_retain(out->step.u.k.kernel);
        m->band->n_step++; /* so that dropping the band releases the kernel if memory runs out */
        if (!out->step.ref || !make_kernel(m, x, out))
            return false;
    } else {
        m->band->n_step++;
        if (!out->step.ref)
            return false;
        if (out->step.kind == KNC_PRODUCT)
            make_product(m, x, out);
        else
            out->rows = x->rows;
    }
    for (uint32_t r = 0; r < out->step.n_ref; r++) {
        int at = find_block(&m->inner, out->step.ref[r].index);
        if (at >= 0) {
            out->step.ref[r].space = KNC_AT_BLOCK;
            out->step.ref[r].index = (uint32_t)at;
        }
    }
    return true;
}

/* The references of the band: each slot outside of its blocks that one of its steps accesses, once. */
static bool make_references(maker *m, knc_step *s)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->band->n_step; i++)
        most += m->band->step[i].step.n_ref;
    s->ref = knx_arena_alloc(&m->b->p->p->arena, (most + 1) * sizeof *s->ref);
    for (uint32_t i = 0; s->ref && i < m->band->n_step; i++)
        for (uint32_t r = 0; r < m->band->step[i].step.n_ref; r++) {
            const knc_ref *x = &m->band->step[i].step.ref[r];
            if (x->space != KNC_AT_BLOCK && !refers_to(s, x->index))
                s->ref[s->n_ref++] = (knc_ref){.index = x->index};
        }
    return s->ref != NULL;
}

static int most_maps(const maker *m)
{
    int most = 0;
    for (int i = 0; i < m->s->n; i++) {
        const knc_step *s = step_of(m->b->p, &m->s->member[i]);
        if (s->kind == KNC_KERNEL && s->u.k.kernel->n_map > most)
            most = s->u.k.kernel->n_map;
    }
    return most;
}

/* Makes the step of a set. False without memory: the caller drops *s and with it the kernels that it holds. */
static bool make_band(knc_bands *b, uint32_t number, knc_step *s)
{
    maker m = {.b = b, .s = &b->set.at[number], .number = number};
    knx_arena *a = &b->p->p->arena;
    *s = (knc_step){.kind = KNC_BAND, .eqn = 0};
    s->u.band = m.band = knx_arena_zero(a, sizeof *m.band);
    if (!m.band)
        return false;
    m.band->step = knx_arena_zero(a, (size_t)m.s->n * sizeof *m.band->step);
    m.band->batches = m.s->batches;
    m.band->rows = m.s->rows;
    m.band->grain = m.s->grain;
    m.band->height = knx_dim_min(m.s->height, m.s->rows);
    m.band->chunk = m.s->chunk;
    m.band->most_maps = most_maps(&m);
    if (!m.band->step || !make_blocks(&m))
        return false;
    for (int i = 0; i < m.s->n; i++) {
        if (!make_step(&m, i))
            return false;
        uint32_t eqn = m.band->step[i].step.eqn;
        s->eqn = !m.s->member[i].again && eqn != KNC_NO && eqn > s->eqn ? eqn : s->eqn;
    }
    for (uint32_t i = 0; i < m.band->n_block; i++)
        if (m.s->member[m.inner.block[i].first].again)
            b->p->slot.at[m.inner.slot[i]].made_again = true;
        else
            b->p->slot.at[m.inner.slot[i]].in_blocks = true;
    return make_references(&m, s);
}

/* ---- The list of steps. */

/* Gives all records of the plan that name steps the new numbers: the bands first, then the steps outside of bands. */
static void renumber(knc_bands *b, const uint32_t *number)
{
    knc_plan *p = b->p;
    for (size_t s = 0; s < p->slot.n; s++)
        if (p->slot.at[s].maker != KNC_NO)
            p->slot.at[s].maker = p->slot.at[s].in_blocks ? KNC_NO : number[p->slot.at[s].maker];
    size_t n = 0;
    for (size_t r = 0; r < p->reuse.n; r++) { /* not of members: another one may still read there */
        if (b->band[p->reuse.at[r].step] != KNC_NO)
            continue;
        p->reuse.at[n] = p->reuse.at[r];
        p->reuse.at[n].step = number[p->reuse.at[n].step];
        n++;
    }
    p->reuse.n = n;
    for (size_t u = 0; u < p->update.n; u++) {
        p->update.at[u].copy = number[p->update.at[u].copy];
        p->update.at[u].step = number[p->update.at[u].step];
    }
    for (size_t g = 0; g < p->group.n; g++)
        if (p->group.at[g].parent == g && p->group.at[g].step != KNC_NO)
            p->group.at[g].step = number[p->group.at[g].step];
}

static void replace_steps(knc_bands *b, const knc_step *band, uint32_t *number)
{
    knc_plan *p = b->p;
    uint32_t n = (uint32_t)b->set.n;
    knc_step *old = p->step.at;
    for (uint32_t s = 0; s < b->n_step; s++)
        number[s] = b->band[s] != KNC_NO ? b->band[s] : n++;
    renumber(b, number);
    for (uint32_t s = 0; s < b->n_step; s++)
        if (b->band[s] != KNC_NO)
            knc_drop_step(&old[s]); /* the band holds its own reference to the kernel */
    knc_step *copy = (knc_step *)(uintptr_t)band + b->set.n;
    for (uint32_t s = 0; s < b->n_step; s++)
        if (b->band[s] == KNC_NO)
            copy[number[s] - b->set.n] = old[s];
    memcpy(old, band, n * sizeof *old); /* no more steps than before: each band replaces two or more */
    p->step.n = n;
}

knx_error *knc_build_bands(knc_bands *b)
{
    knx_arena *a = &b->p->scratch;
    uint32_t made = 0;
    knc_step *band = knx_arena_zero(a, ((size_t)b->n_step + b->set.n + 1) * sizeof *band);
    uint32_t *number = knx_arena_alloc(a, ((size_t)b->n_step + 1) * sizeof *number);
    bool fine = band && number;
    while (fine && made < b->set.n)
        fine = make_band(b, made, &band[made]) && ++made;
    if (fine) {
        replace_steps(b, band, number);
        return NULL;
    }
    for (uint32_t i = 0; band && i < b->set.n; i++)
        if (band[i].u.band)
            knc_drop_step(&band[i]);
    return knx_error_nomem();
}
