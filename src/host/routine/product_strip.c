/* SPDX-License-Identifier: Apache-2.0
 * product_strip.c -- rows of left read by runs, from the array or from strips. A room has the addresses of the lines
 * (for each line of the result and each run of k), what the strips hold, a strip of zeros, and the strips. */
#include "host/routine/product_strip.h"
#include "host/routine/product_box.h"
#include "host/tile.h"
#include "host/routine/product_convert.h"
#include <string.h>

enum {
    LEAST_RUN = 48, /* steps: shorter ones are not worth a call */
    MOST_VECTORS = 4,
    MOST_VECTORS_FEW_ROWS = 8, /* longer calls, if they still take all rows at once */
    LANE_STRIP_BYTES = 768 << 10,
    LEAST_ROWS = 5,          /* of a line */
    STRIP_BYTES = 320 << 10, /* of the strips of a piece, which all panels of right read again */
    BLOCK_BYTES = 256 << 10, /* of the result, where it goes through a buffer */
    MOST_BOX_BYTES = 2 << 20,
    MOST_SUMS = KNR_STRIP_SUMS,
    WAY_BYTES = 4096, /* rows at such a distance share a set of the first cache */
    PAD = 64,         /* bytes */
    ACROSS_STEPS = 1536,
    LANEWISE_STEPS = 3072,
    RECENT = 64 /* strips, among which one is looked for */
};

/* --- choice ----------------------------------------------------------------------------------- */

/* Bytes between rows that keep them in few sets of the first cache. */
static bool crowded(int64_t bytes) { return bytes % (WAY_BYTES / 4) == 0; }

/* A window in the last dimension of the rows: its taps are the last steps of k, or those before the channels. */
static bool windowed_line(const knr_plan *p, knr_strip *s)
{
    const knr_axis *row = &p->left.row, *k = &p->left.k;
    int last = k->n - 1, w = row->window[row->n - 1];
    bool channels = k->window[last] < 0;
    int tap = channels ? last - 1 : last;
    if (tap < 0 || k->window[tap] != w || row->stride[row->n - 1] != 0 || k->stride[tap] != 0)
        return false;
    for (int i = 0; i < k->n; i++)
        if (i != tap && k->window[i] == w)
            return false;
    for (int i = 0; i < row->n - 1; i++)
        if (row->window[i] == w)
            return false;
    if (channels && k->stride[last] != 1)
        return false;
    int64_t taps = k->extent[tap], step = row->walk[row->n - 1], dilation = k->walk[tap], size = p->left_step;
    if (step < 1 || dilation < 0)
        return false;
    s->window = w;
    s->channels = channels ? k->extent[last] : 1;
    s->layers = 1;
    s->pitch = s->channels;
    s->step = size;
    bool spread = crowded(step * s->channels * size);
    s->position = s->channels + (spread ? PAD / size : 0);
    s->run = dilation == 1 && !spread ? taps * s->channels : s->channels;
    s->positions = (s->line - 1) * step + (taps - 1) * dilation + 1;
    s->row = step * s->position * size;
    s->bytes = knr_round_up(s->positions * s->position * size, 64) + PAD;
    return true;
}

/* How many different lines of the array some runs need: one more window, whose positions are lines. */
static void count_strips(const knr_plan *p, int at, int taps, knr_strip *s)
{
    const knr_axis *row = &p->left.row, *k = &p->left.k;
    if (at > 1 || row->n > 3)
        return;
    s->spread = 1;
    s->advance = at ? k->walk[0] : 0;
    for (int i = 0; i < row->n - 1; i++)
        if (i != taps)
            s->spread += (row->extent[i] - 1) * row->walk[i];
    for (int i = 0; i < row->n - 1; i++)
        if ((i != taps && row->window[i] < 0) ||
            (at && (k->window[0] < 0 || (i != taps && row->window[i] != k->window[0]))))
            s->spread = 0;
}

/* Rows that are adjacent, or made so, and a window in k: its positions are steps, and before the next one come the
 * layers (a gradient of kernels: positions of the result, images). Read across. */
static bool windowed_steps(const knr_plan *p, knr_strip *s)
{
    const knr_axis *row = &p->left.row, *k = &p->left.k;
    int last = k->n - 1, at = k->window[last] < 0 ? last - 1 : last, size = p->left_step;
    int w = at < 0 ? -1 : k->window[at], taps = -1;
    const knk_window *v = w < 0 ? NULL : &p->window[w];
    bool adjacent = row->stride[row->n - 1] == 1, turned = v && v->stride == 1 && v->base == 1 && p->left.same;
    bool fits = v && p->parts == 1 && (adjacent || turned) && k->stride[at] == 0 && k->walk[at] == 1 &&
                row->window[row->n - 1] < 0;
    for (int i = 0; i < k->n; i++)
        fits = fits && (i == at || k->window[i] != w);
    for (int i = 0; fits && i < row->n - 1; i++)
        if (row->window[i] == w) {
            fits = taps < 0 && row->stride[i] == 0 && row->walk[i] >= 0;
            taps = i;
        }
    if (!fits || taps < 0)
        return false;
    count_strips(p, at, taps, s);
    s->window = w;
    s->across = true;
    s->apart = adjacent ? 0 : row->stride[row->n - 1];
    s->channels = s->line;
    s->layers = at < last ? k->extent[last] : 1;
    s->layer = at < last ? k->stride[last] : 0;
    s->pitch = s->channels;
    s->position = s->layers * s->channels;
    s->run = k->extent[at] * s->layers;
    s->positions = k->extent[at] + (row->extent[taps] - 1) * row->walk[taps];
    s->row = size;
    s->step = s->channels * size;
    s->bytes = knr_round_up(s->positions * s->position * size, 64) + PAD;
    return true;
}

/* Steps that are adjacent in the array itself. */
static bool plain_line(const knr_plan *p, knr_strip *s)
{
    const knr_axis *row = &p->left.row, *k = &p->left.k;
    int last = k->n - 1;
    s->window = -1;
    s->run = k->extent[last];
    s->row = row->stride[row->n - 1] * p->left_step;
    s->step = p->left_step;
    s->bytes = knr_round_up(s->run * p->left_step, 64); /* of zeros */
    return p->left.same && k->window[last] < 0 && k->stride[last] == 1 && s->row >= 0 && !crowded(s->row);
}

static int64_t lines_of_block(const knr_plan *p, const knr_strip *s)
{
    int64_t each = p->cut.n_piece * p->size * s->line;
    return p->direct ? s->lines : knr_least(s->lines, each && each < BLOCK_BYTES ? BLOCK_BYTES / each : 1);
}

/* strips: at most so many, beside the zeros */
static void set_room(knr_strip *s, int64_t runs, int64_t strips)
{
    s->keys = s->most * runs * (int64_t)sizeof(char *);
    s->zeros = knr_round_up(s->keys + (strips + 1) * (int64_t)sizeof(int64_t), 64);
    s->room = s->zeros + s->bytes * (strips + 1);
}

/* Lines of a chunk in a room of not much more than `most` bytes. */
static int64_t lines_of_room(const knr_plan *p, const knr_strip *s, int64_t most)
{
    int64_t parts = 1;
    if (s->in_place)
        return s->lines;
    while (parts < s->chunk && knr_box_bytes(p, s, knr_divide_up(s->chunk, parts), p->cut.k_piece) > most)
        parts++;
    return knr_divide_up(s->chunk, parts);
}

/* Are its rows the positions of windows, few, with many steps? */
static bool shares_rows(const knr_plan *p) { return p->view.keep == KNR_KEEP_FEW || p->view.lanewise; }
static int64_t most_steps(const knr_plan *p) { return p->view.lanewise ? LANEWISE_STEPS : ACROSS_STEPS; }

static void cut_lines(knr_plan *p, knr_strip *s)
{
    knr_cuts *c = &p->cut;
    int64_t steps = most_steps(p);
    /* Lines across are positions of the window: all share the strips, of so many steps. */
    int64_t most = s->table ? 0 : s->window < 0 || s->across ? s->lines : STRIP_BYTES / s->bytes;
    if ((s->across || shares_rows(p)) && c->k_piece > steps) {
        int64_t panels = knr_divide_up(p->right.row.total, c->panel), rows = s->line * s->lines * p->size;
        int64_t wide = BLOCK_BYTES / (c->panel * rows);
        c->k_piece = steps;
        if (!p->direct)
            c->n_piece = c->panel * (wide < 1 ? 1 : knr_least(wide, panels));
    }
    c->tiles = s->lines;
    c->height = s->line;
    c->extra = 0;
    if (p->view.lanewise)
        c->n_piece = c->panel;
    c->m_block = lines_of_block(p, s);
    if (s->table)
        most = lines_of_room(p, s, p->view.lanewise ? LANE_STRIP_BYTES : STRIP_BYTES);
    c->m_piece = knr_least(most < 1 ? 1 : most, c->m_block);
    if (s->table) {
        s->most = c->m_piece;
        s->room = knr_box_bytes(p, s, s->most, c->k_piece);
        return;
    }
    s->most = c->m_piece + 1;
    /* Runs of a piece of k, which may begin and end inside of one. */
    int64_t runs = knr_least(p->left.k.total / s->run, c->k_piece / s->run + 2);
    int64_t strips = s->window < 0 ? 0 : s->most * runs;
    if (s->spread)
        strips = knr_least(strips, s->spread + runs * s->advance);
    set_room(s, runs, strips);
}

/* The rectangle for a line, and the pieces: columns are counted in lines. */
static bool cut_lanes(knr_plan *p, knr_strip *s)
{
    knr_cuts *c = &p->cut;
    bool few = p->left.row.total <= knh_product_rows(p->maker, p->number, MOST_VECTORS_FEW_ROWS);
    int64_t most_vectors = few ? MOST_VECTORS_FEW_ROWS : MOST_VECTORS;
    int64_t parts = knr_divide_up(s->line, most_vectors * p->lanes), width = knr_divide_up(s->line, parts);
    int vectors = (int)knr_divide_up(width, p->lanes);
    int64_t rows = knr_least(knh_product_rows(p->maker, p->number, vectors), p->left.row.total);
    if (rows < 1 || 4 * width < 3 * (int64_t)vectors * p->lanes || knr_box_bytes(p, s, 1, c->k_piece) > MOST_BOX_BYTES)
        return false;
    int64_t most = lines_of_room(p, s, LANE_STRIP_BYTES), left = c->k_piece * p->left_step * rows;
    if (!p->direct)
        most = knr_least(most, BLOCK_BYTES / (s->line * p->size * rows));
    most = most < 1 ? 1 : most;
    p->max_rows = (int)rows;
    p->width = width;
    c->panel = s->line;
    c->tiles = knr_divide_up(p->left.row.total, rows);
    c->height = p->height = p->left.row.total / c->tiles;
    c->extra = p->left.row.total % c->tiles;
    c->n_piece = most * s->line;
    int64_t block = c->n_piece * p->size * rows;
    c->m_block = p->direct ? c->tiles : knr_least(c->tiles, block < BLOCK_BYTES ? BLOCK_BYTES / block : 1);
    c->m_piece = knr_least(c->m_block, left < LANE_STRIP_BYTES ? LANE_STRIP_BYTES / left : 1);
    s->most = most;
    s->room = knr_box_bytes(p, s, most, c->k_piece);
    return true;
}

/* Lines of right: the inner loops can write each of them where it lies. */
static bool choose_lanes(knr_plan *p)
{
    const knr_axis *c = &p->c_column;
    knr_strip s;
    if (p->right_in_place || p->right.plain || p->left.row.total < 1 || !knr_box_fits(p, &p->right, &s))
        return false;
    bool exact = p->result->size == p->size && p->result->kind != 'b' && !p->finish, direct = p->direct;
    if (exact && p->c_row.n == 1 && c->stride[c->n - 1] == 1 && c->extent[c->n - 1] % s.line == 0)
        p->direct = true;
    if (cut_lanes(p, &s)) {
        p->strip = s;
        p->right_from = KNH_B_TABLE;
        return true;
    }
    p->direct = direct;
    return false;
}

/* Left, whose steps a table tells. */
static bool table_of_left(knr_plan *p, knr_strip *s)
{
    if (p->left_in_place || p->stream || p->turned || !knr_box_fits(p, &p->left, s) ||
        knr_box_bytes(p, s, 1, shares_rows(p) ? knr_least(most_steps(p), p->cut.k_piece) : p->cut.k_piece) >
            MOST_BOX_BYTES)
        return false;
    s->run = INT64_MAX;
    return true;
}

void knr_choose_strips(knr_plan *p)
{
    const knr_side *l = &p->left;
    knr_strip s = {.used = true, .line = l->row.extent[l->row.n - 1]};
    bool wanted = !p->left_in_place && !l->fill && p->group == 1 && !p->stream && !p->turned && p->maker &&
                  l->row.total > p->max_rows && s.line >= LEAST_ROWS;
    p->strip = (knr_strip){0};
    if (!l->row.total || !p->right.row.total || !l->k.total || (!p->view.lanewise && choose_lanes(p)))
        return;
    wanted = wanted && !p->view.lanewise &&
             (l->row.window[l->row.n - 1] >= 0 ? windowed_line(p, &s)
              : l->k.stride[l->k.n - 1] == 1   ? plain_line(p, &s)
                                               : windowed_steps(p, &s));
    s.lines = l->row.total / s.line;
    if ((!wanted || s.run < LEAST_RUN) && !table_of_left(p, &s))
        return;
    int most_rows = s.table ? (int)knr_least(p->max_rows, KNH_TABLE_ROWS) : p->max_rows;
    if (most_rows * p->cut.panel * p->size > MOST_SUMS || (!p->direct && s.line * p->cut.panel * p->size > BLOCK_BYTES))
        return; /* the plan is as it was */
    p->max_rows = most_rows;
    cut_lines(p, &s);
    p->strip = s;
    p->left_across = s.across;
}

/* --- strips ----------------------------------------------------------------------------------- */

static void put(const knr_source *s, const char *from, int64_t n, char *to)
{
    if (s->side->same)
        memcpy(to, from, (size_t)(n * s->side->dtype->size));
    else
        knr_widen_row(s->plan, s->side->dtype, from, n, to);
}

/* One layer of a strip, position by position. */
static void fill_layer(const knr_source *s, const char *from, char *to)
{
    const knr_plan *p = s->plan;
    const knr_strip *t = &p->strip;
    const knk_window *w = &p->window[t->window];
    int64_t size = s->side->dtype->size, step = p->left_step * t->position, line = p->left_step * t->channels;
    for (int64_t i = 0, at = -w->low; i < t->positions; i++, at++, to += step)
        if (at >= 0 && at % w->base == 0 && at / w->base < w->extent)
            put(s, from + at / w->base * w->stride * size, t->channels, to);
        else
            memset(to, 0, (size_t)line);
}

/* The same where neighbours are adjacent, in the array as in the strip; or they are in the array, and the strip has the
 * channels of each. */
static void fill_adjacent(const knr_source *s, const char *from, char *to)
{
    const knr_plan *p = s->plan;
    const knr_strip *t = &p->strip;
    const knk_window *w = &p->window[t->window];
    int64_t size = s->side->dtype->size, step = p->left_step * t->position, end = t->positions;
    int64_t low = w->low > 0 ? knr_least(w->low, end) : 0, high = knr_least(w->extent + w->low, end);
    high = high < low ? low : high;
    from += (low - w->low) * w->stride * size;
    if (t->apart) {
        int64_t line = t->channels * p->left_step;
        for (int64_t i = 0; i < end; i++)
            if (i < low || i >= high)
                memset(to + i * step, 0, (size_t)line);
        if (high > low)
            knh_transpose()((int)size, to + low * step, step, from, t->apart * size, t->channels, high - low, false);
        return;
    }
    memset(to, 0, (size_t)(low * step));
    put(s, from, (high - low) * t->channels, to + low * step);
    memset(to + high * step, 0, (size_t)((end - high) * step));
}

/* The line that begins at `offset` in the array, with what the window sees beside it. */
static void fill_strip(const knr_source *s, int64_t offset, char *to)
{
    const knr_plan *p = s->plan;
    const knr_strip *t = &p->strip;
    const knk_window *w = &p->window[t->window];
    int64_t size = s->side->dtype->size;
    const char *from = s->at + offset * size;
    bool adjacent = w->base == 1 && t->position == t->channels && w->stride == t->channels && !t->apart;
    for (int64_t i = 0; i < t->layers; i++, from += t->layer * size, to += t->pitch * p->left_step)
        if (adjacent || t->apart)
            fill_adjacent(s, from, to);
        else
            fill_layer(s, from, to);
}

/* The offset of a line for a run of k; false: it lies outside, all of it. */
static bool find_line(const knr_source *s, const knr_at *r, const knr_at *k, int64_t *offset)
{
    const knr_plan *p = s->plan;
    *offset = r->offset + k->offset;
    for (int i = 0; i < s->side->n_window; i++) {
        const knk_window *w = &p->window[i];
        int64_t at = r->position[i] + k->position[i] - w->low;
        if (i == p->strip.window)
            continue;
        if (at < 0 || at % w->base || at / w->base >= w->extent)
            return false;
        *offset += at / w->base * w->stride;
    }
    return true;
}

/* The strip with that line: one of the last that were made, or a new one. */
static const char *strip_for(const knr_source *s, int64_t offset, char *room, int64_t *made)
{
    const knr_strip *t = &s->plan->strip;
    int64_t *key = (int64_t *)(void *)(room + t->keys), back, i;
    back = t->spread ? *made : knr_least(*made, RECENT); /* room was made for different ones only */
    char *strips = room + t->zeros + t->bytes;
    for (i = *made - 1; i >= *made - back; i--)
        if (key[i] == offset)
            return strips + i * t->bytes;
    i = (*made)++;
    key[i] = offset;
    fill_strip(s, offset, strips + i * t->bytes);
    return strips + i * t->bytes;
}

void knr_make_strips(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, char *room)
{
    const knr_plan *p = s->plan;
    const knr_strip *t = &p->strip;
    const knr_axis *rx = &s->side->row, *kx = &s->side->k;
    int64_t first = row / t->line, last = (row + rows - 1) / t->line, run = k / t->run, end = (k + steps - 1) / t->run;
    int64_t made = 0, runs = end - run + 1, offset;
    const char **at = (const char **)(void *)room;
    bool cleared = false;
    knr_at ra, ka;
    for (int64_t i = first; i <= last; i++) {
        knr_seek(rx, s->side->n_window, i * t->line, &ra);
        for (int64_t j = run; j <= end; j++) {
            const char **to = &at[(i - first) * runs + j - run];
            knr_seek(kx, s->side->n_window, j * t->run, &ka);
            if (!find_line(s, &ra, &ka, &offset)) {
                *to = room + t->zeros;
                if (!cleared)
                    memset(room + t->zeros, 0, (size_t)t->bytes);
                cleared = true;
            } else if (t->window < 0) {
                *to = s->at + offset * p->left_step;
            } else {
                *to = strip_for(s, offset, room, &made) +
                      (ra.position[t->window] + ka.position[t->window]) * t->position * p->left_step;
            }
        }
    }
}

const char *knr_strip_at(const knr_plan *p, const char *room, int64_t first_row, int64_t first_k, int64_t steps,
                         int64_t row, int64_t k, int64_t *a_row)
{
    const knr_strip *t = &p->strip;
    int64_t run = first_k / t->run, runs = (first_k + steps - 1) / t->run - run + 1;
    const char *const *at = (const char *const *)(const void *)room;
    const char *line = at[(row / t->line - first_row / t->line) * runs + k / t->run - run];
    bool repeated = t->window < 0 && line == room + t->zeros;
    *a_row = repeated ? 0 : t->row;
    return line + (repeated ? 0 : row % t->line * t->row) + k % t->run * t->step;
}
