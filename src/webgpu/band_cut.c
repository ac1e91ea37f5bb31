/* SPDX-License-Identifier: Apache-2.0
 * band_cut.c -- which rows a block of a band has on the device. Blocks of whole batches come first, since a dispatch
 * should have work for all of a device; where one batch is too much memory it is cut. */
#include "webgpu/band.h"
#include <string.h>

enum { EVEN = 64, STEPS = KNG_BLOCK }; /* rows of a block are multiples of these, without and with sums over rows */
uint64_t kng_band_bytes;

/* ---- A step for some rows. */

/* One loop: turns in units of the grain, as step.h says; n may be more than one batch, and then covers whole loops. */
static bool cut_loop(const knc_cut *cut, int64_t extent, int64_t row, int64_t n, int64_t *first, int64_t *turns)
{
    *first = 0, *turns = extent;
    if (cut->kind == KNC_CUT_WHOLE)
        return true;
    bool shares = cut->kind == KNC_CUT_SHARE;
    int64_t wanted = shares ? n * cut->per : n / cut->per;
    *turns = wanted < 1 ? 1 : wanted < extent ? wanted : extent;
    *first = (shares ? row * cut->per : row / cut->per) % extent;
    return *first + *turns <= extent;
}

bool kng_turns_of(const kng_blocks *b, uint32_t i, kng_rows r, int64_t *first, int64_t *par)
{
    const knc_band_step *s = &b->band->step[i];
    int64_t covered = 1, per = 1, grain = b->band->grain;
    if (r.row % grain || r.n % grain)
        return false;
    for (int l = 0; l < s->step.u.k.kernel->n_par; l++) {
        if (!cut_loop(&s->cut[l], s->step.u.k.par[l], r.row / grain, r.n / grain, &first[l], &par[l]))
            return false;
        covered *= s->cut[l].kind == KNC_CUT_WHOLE ? 1 : par[l];
        per = s->cut[l].kind == KNC_CUT_SHARE ? s->cut[l].per : per;
    }
    return covered == r.n / grain * per;
}

bool kng_part_of(const kng_blocks *b, uint32_t i, kng_rows r, kng_part *out)
{
    const knc_band_step *s = &b->band->step[i];
    bool many = r.n >= s->rows;
    int64_t first = r.row % s->rows, end = first + r.n;
    *out = (kng_part){.sums = s->sums,
                      .batch = (uint64_t)(r.row / s->rows),
                      .batches = many ? (uint64_t)(r.n / s->rows) : 1,
                      .first = (uint64_t)first,
                      .n = (uint64_t)(many ? s->rows : r.n)};
    if (many)
        return !first && r.n % s->rows == 0;
    out->continues = s->sums && first > 0;
    out->goes_on = s->sums && end < s->rows;
    return end <= s->rows && (!s->sums || (first % STEPS == 0 && (end % STEPS == 0 || end == s->rows)));
}

/* ---- How many rows. */

kng_rows kng_rows_at(const kng_blocks *b, int64_t row)
{
    int64_t left = b->band->rows - row % b->band->rows;
    return (kng_rows){row, b->height < b->band->rows && left < b->height ? left : b->height};
}

static bool fits_rows(const kng_blocks *b, kng_rows r, int64_t *room)
{
    kng_part part;
    for (uint32_t i = 0; i < b->band->n_step; i++) {
        const knc_step *s = &b->band->step[i].step;
        if (s->kind == KNC_KERNEL ? !kng_turns_of(b, i, r, room, room + s->u.k.kernel->n_par)
                                  : !kng_part_of(b, i, r, &part))
            return false;
    }
    return true;
}

static bool fits(kng_blocks *b, int64_t height, int64_t *room)
{
    b->height = height;
    for (int64_t row = 0; row < kng_rows_of(b); row += kng_rows_at(b, row).n)
        if (!fits_rows(b, kng_rows_at(b, row), room))
            return false;
    return true;
}

static uint64_t bytes_of(const kng_blocks *b, int64_t rows)
{
    return knc_place_blocks(b->block, (int)b->band->n_block, rows);
}

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

/* Some rows of a batch, at most so many if that is possible: blocks of nearly the same height. */
static bool cut_batch(kng_blocks *b, int64_t most, int64_t *room)
{
    const knc_band *band = b->band;
    bool sums = false;
    for (uint32_t i = 0; i < band->n_step; i++)
        sums |= band->step[i].sums;
    int64_t many = sums ? STEPS : EVEN, unit = many / greatest_divisor(many, band->grain) * band->grain;
    if (!sums && unit > most)
        unit = band->grain;
    most = most < unit ? unit : most / unit * unit;
    int64_t blocks = (band->rows + most - 1) / most, even = (band->rows + blocks - 1) / blocks;
    even = (even + unit - 1) / unit * unit;
    return even < band->rows && fits(b, even, room);
}

/* Whole batches, the most of at most so many that all steps can run at a time. */
static bool take_batches(kng_blocks *b, int64_t most, int64_t *room)
{
    for (int64_t n = most < b->band->batches ? most : b->band->batches; n >= 1; n--)
        if (b->band->batches % n == 0 && fits(b, n * b->band->rows, room))
            return true;
    return false;
}

static bool choose(kng_blocks *b, uint64_t bytes, int64_t *room)
{
    enum { WHOLE = 64 << 20 }; /* of a batch that cannot be cut */
    uint64_t row = 1;
    for (uint32_t i = 0; i < b->band->n_block; i++)
        row = b->block[i].row > row ? b->block[i].row : row;
    int64_t rows = (int64_t)(bytes / row), most = rows / b->band->rows;
    if (most ? take_batches(b, most, room) : cut_batch(b, rows, room))
        return true;
    for (int64_t n = 1; n <= b->band->batches && bytes_of(b, n * b->band->rows) <= WHOLE; n++)
        if (b->band->batches % n == 0 && fits(b, n * b->band->rows, room))
            return true;
    return false;
}

bool kng_cut_band(const knw_facts *f, const knc_step *s, knx_arena *arena, kng_blocks *out, bool *failed)
{
    const knc_band *band = s->u.band;
    size_t loops = 0;
    *out = (kng_blocks){.s = s, .band = band};
    for (uint32_t i = 0; i < band->n_step; i++)
        if (band->step[i].step.kind == KNC_KERNEL && loops < (size_t)band->step[i].step.u.k.kernel->n_par)
            loops = (size_t)band->step[i].step.u.k.kernel->n_par;
    int64_t *room = knx_arena_alloc(arena, (2 * loops + 1) * sizeof *room);
    out->block = knx_arena_alloc(arena, (band->n_block + 1) * sizeof *out->block);
    *failed = !room || !out->block;
    if (*failed)
        return false;
    memcpy(out->block, band->block, band->n_block * sizeof *out->block);
    if (!choose(out, kng_band_bytes ? kng_band_bytes : f->shared_cache, room))
        return false;
    out->kept = bytes_of(out, out->height);
    return true;
}
