/* SPDX-License-Identifier: Apache-2.0
 * product_pack.c -- brings rows and steps of an operand into the form that the inner loops read. Elements are moved by
 * runs: along the last dimension of the rows and along the last one of k, clipped by the window that the rows walk
 * through. What lies outside of the array are zeros. */
#include "host/routine/product_pack.h"
#include "host/tile.h"
#include "host/routine/product_convert.h"
#include <string.h>

/* --- rectangles of elements ------------------------------------------------------------------- */

typedef struct place { /* where a rectangle goes; distances in elements, one of them is 1 */
    char *to;
    int64_t to_row, to_k;
    int size;
} place;

static char *in_place(const place *t, int64_t row, int64_t k)
{
    return t->to + (row * t->to_row + k * t->to_k) * t->size;
}

static void clear(const place *t, int64_t row, int64_t rows, int64_t k, int64_t steps)
{
    if (rows <= 0 || steps <= 0)
        return;
    if (t->to_k == 1)
        for (int64_t i = 0; i < rows; i++)
            memset(in_place(t, row + i, k), 0, (size_t)(steps * t->size));
    else
        for (int64_t j = 0; j < steps; j++)
            memset(in_place(t, row, k + j), 0, (size_t)(rows * t->size));
}

/* Most runs are short: no call for them. */
static inline void copy_bytes(char *to, const char *from, int64_t n)
{
    typedef struct part {
        char byte[16];
    } part16;
    if (n > 512 || n < 16) {
        memcpy(to, from, (size_t)n);
        return;
    }
    for (int64_t i = 0; i + 16 < n; i += 16)
        *(part16 *)(to + i) = *(const part16 *)(from + i);
    *(part16 *)(to + n - 16) = *(const part16 *)(from + n - 16);
}

static void copy_line(int size, char *to, const char *from, int64_t step, int64_t n)
{
#define LINE(type)                  \
    for (int64_t i = 0; i < n; i++) \
        memcpy(to + i * (int64_t)sizeof(type), from + i * step * (int64_t)sizeof(type), sizeof(type));
    switch (size) {
    case 1: LINE(uint8_t) break;
    case 2: LINE(uint16_t) break;
    case 4: LINE(uint32_t) break;
    case 8: LINE(uint64_t) break;
    default: LINE(kn_c128) break;
    }
#undef LINE
}

/* rows x steps elements, rows `row_step` and steps `k_step` elements apart. */
static void copy(const place *t, int64_t row, int64_t rows, int64_t k, int64_t steps, const char *from,
                 int64_t row_step, int64_t k_step)
{
    char *to = in_place(t, row, k);
    int64_t size = t->size;
    if (rows <= 0 || steps <= 0)
        return;
    if (t->to_k == 1 && (k_step == 1 || row_step != 1 || size > 8)) {
        for (int64_t i = 0; i < rows; i++, to += t->to_row * size, from += row_step * size)
            if (k_step == 1)
                copy_bytes(to, from, steps * size);
            else
                copy_line(t->size, to, from, k_step, steps);
    } else if (t->to_k == 1) {
        knh_transpose()(t->size, to, t->to_row * size, from, k_step * size, steps, rows, false);
    } else if (k_step != 1 || row_step == 1 || size > 8) {
        for (int64_t j = 0; j < steps; j++, to += t->to_k * size, from += k_step * size)
            if (row_step == 1)
                copy_bytes(to, from, rows * size);
            else
                copy_line(t->size, to, from, row_step, rows);
    } else {
        knh_transpose()(t->size, to, t->to_k * size, from, row_step * size, rows, steps, false);
    }
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Is there an element at this position? Adds its offset. */
static bool inside(const knk_window *w, int64_t position, int64_t *offset)
{
    if (position < 0)
        return false;
    if (w->base != 1) {
        if (position % w->base)
            return false;
        position /= w->base;
    }
    *offset += position * w->stride;
    return position < w->extent;
}

typedef struct part { /* of a rectangle: a run of rows and a run of steps */
    int64_t row, rows, k, steps;
    bool single; /* one step: where it is in the window that the rows walk through, too, is one answer for it */
} part;

/* The windows that neither the rows nor the steps of a run walk through: one answer for all of them. */
static bool others_inside(const knr_source *s, const knr_at *r, const knr_at *k, int rows, int steps, int64_t *offset)
{
    for (int w = 0; w < s->side->n_window; w++)
        if (w != rows && w != steps &&
            !inside(&s->plan->window[w], r->position[w] + k->position[w] - s->plan->window[w].low, offset))
            return false;
    return true;
}

/* Those of a run's n elements that lie in its window: from low on, before high; where number 0 would be, relative to
 * the array, and how far apart they are. */
typedef struct clip {
    int64_t low, high, offset, step;
} clip;

static bool can_clip(const knr_source *s, const knr_axis *x)
{
    int w = x->window[x->n - 1];
    return w < 0 || (s->plan->window[w].base == 1 && x->walk[x->n - 1] > 0);
}

static clip clip_run(const knr_source *s, const knr_axis *x, int64_t n, const knr_at *r, const knr_at *k)
{
    int mine = x->window[x->n - 1];
    clip c = {0, n, 0, x->stride[x->n - 1]};
    if (mine < 0 || !s->side->n_window)
        return c;
    const knk_window *w = &s->plan->window[mine];
    int64_t walk = x->walk[x->n - 1], position = r->position[mine] + k->position[mine] - w->low;
    c.low = position < 0 ? knr_least(knr_divide_up(-position, walk), n) : 0;
    c.high = position < w->extent ? knr_least(knr_divide_up(w->extent - position, walk), n) : 0;
    c.high = c.high < c.low ? c.low : c.high;
    c.offset = position * w->stride;
    c.step += walk * w->stride;
    return c;
}

/* A run of rows whose window has gaps: each row by itself. */
static void single_rows(const knr_source *s, const place *t, const knr_at *r, const knr_at *k, const part *x,
                        int64_t offset)
{
    const knr_axis *row = &s->side->row;
    int mine = row->window[row->n - 1];
    const knk_window *w = &s->plan->window[mine];
    int64_t position = r->position[mine] + k->position[mine] - w->low, step = row->stride[row->n - 1];
    clip c = {0, x->steps, 0, 1};
    if (!x->single) /* else it cannot be clipped: its window may have gaps, or stand still */
        c = clip_run(s, &s->side->k, x->steps, r, k);
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t at = offset + i * step + c.offset + c.low * c.step;
        bool in = inside(w, position + i * row->walk[row->n - 1], &at);
        clear(t, x->row + i, 1, x->k, in ? c.low : x->steps);
        if (!in)
            continue;
        copy(t, x->row + i, 1, x->k + c.low, c.high - c.low, s->at + at * t->size, 1, c.step);
        clear(t, x->row + i, 1, x->k + c.high, x->steps - c.high);
    }
}

static void windowed(const knr_source *s, const place *t, const knr_at *r, const knr_at *k, const part *x)
{
    const knr_axis *row = &s->side->row, *step = &s->side->k;
    int rows = row->window[row->n - 1], steps = step->window[step->n - 1];
    int64_t offset = r->offset + k->offset;
    if (!others_inside(s, r, k, rows, x->single ? rows : steps, &offset)) {
        clear(t, x->row, x->rows, x->k, x->steps);
        return;
    }
    if (!can_clip(s, row)) {
        single_rows(s, t, r, k, x, offset);
        return;
    }
    clip cr = clip_run(s, row, x->rows, r, k), ck = {0, x->steps, 0, 1};
    if (!x->single)
        ck = clip_run(s, step, x->steps, r, k);
    clear(t, x->row, cr.low, x->k, x->steps);
    clear(t, x->row + cr.low, cr.high - cr.low, x->k, ck.low);
    offset += cr.offset + cr.low * cr.step + ck.offset + ck.low * ck.step;
    copy(t, x->row + cr.low, cr.high - cr.low, x->k + ck.low, ck.high - ck.low, s->at + offset * t->size, cr.step,
         ck.step);
    clear(t, x->row + cr.low, cr.high - cr.low, x->k + ck.high, x->steps - ck.high);
    clear(t, x->row + cr.high, x->rows - cr.high, x->k, x->steps);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Steps of k whose elements lie one after the other though a window walks along them: the positions of a kernel's row,
 * with the channels of each. `unit`: elements of one position, which dimension `dim` counts. */
typedef struct window_line {
    int window, dim;
    int64_t unit, length;
} window_line;

/* Is there one, and do the rows walk through the same window? */
static bool find_line(const knr_source *s, const place *t, window_line *l)
{
    const knr_axis *k = &s->side->k, *row = &s->side->row;
    int last = k->n - 1;
    if (!s->side->n_window || t->to_k != 1)
        return false;
    bool split = k->window[last] < 0;
    if (split && (last == 0 || k->stride[last] != 1))
        return false;
    l->dim = split ? last - 1 : last;
    l->window = k->window[l->dim];
    l->unit = split ? k->extent[last] : 1;
    l->length = k->extent[l->dim] * l->unit;
    if (l->window < 0 || l->window != row->window[row->n - 1] || k->stride[l->dim] != 0)
        return false;
    const knk_window *w = &s->plan->window[l->window];
    return w->base == 1 && k->walk[l->dim] > 0 && k->walk[l->dim] * w->stride == l->unit;
}

/* Elements from .. from + n - 1 of one line; `position` is that of its first element. */
static void copy_line_of_window(const knr_source *s, const window_line *l, int64_t position, int64_t from, int64_t n,
                                int64_t offset, char *to, int64_t size)
{
    const knk_window *w = &s->plan->window[l->window];
    int64_t by = s->side->k.walk[l->dim], low = from, high = from + n;
    if (position < 0)
        low = knr_least(high, knr_divide_up(-position, by) * l->unit);
    if (position + (l->length / l->unit - 1) * by >= w->extent)
        high = position < w->extent ? knr_least(high, knr_divide_up(w->extent - position, by) * l->unit) : low;
    low = low < from ? from : low;
    high = high < low ? low : high;
    if (low > from)
        memset(to, 0, (size_t)((low - from) * size));
    if (high > low)
        copy_bytes(to + (low - from) * size, s->at + (offset + position * w->stride + low) * size, (high - low) * size);
    if (high < from + n)
        memset(to + (high - from) * size, 0, (size_t)((from + n - high) * size));
}

static void gather_lines(const knr_source *s, const window_line *l, int64_t row, int64_t rows, int64_t k, int64_t steps,
                         const place *t)
{
    const knr_axis *rx = &s->side->row, *kx = &s->side->k;
    int64_t walk = rx->walk[rx->n - 1], stride = rx->stride[rx->n - 1];
    knr_at ka, ra;
    for (int64_t done = 0, n; done < steps; done += n) {
        knr_seek(kx, s->side->n_window, k + done, &ka);
        int64_t from = ka.index[l->dim] * l->unit + (l->dim < kx->n - 1 ? ka.index[kx->n - 1] : 0);
        n = knr_least(steps - done, l->length - from);
        ka.offset -= l->dim < kx->n - 1 ? ka.index[kx->n - 1] : 0;
        ka.position[l->window] -= ka.index[l->dim] * kx->walk[l->dim];
        knr_seek(rx, s->side->n_window, row, &ra);
        for (int64_t i = 0, run; i < rows; i += run, knr_advance(rx, run, &ra)) {
            int64_t offset = ra.offset + ka.offset;
            run = knr_least(rows - i, knr_run_length(rx, &ra));
            if (!others_inside(s, &ra, &ka, l->window, l->window, &offset)) {
                clear(t, i, run, done, n);
                continue;
            }
            int64_t position = ra.position[l->window] + ka.position[l->window] - s->plan->window[l->window].low;
            for (int64_t r = 0; r < run; r++)
                copy_line_of_window(s, l, position + r * walk, from, n, offset + r * stride, in_place(t, i + r, done),
                                    t->size);
        }
    }
}

/* Steps whose last dimension lies far apart and the one before it does not, as images and their positions if channels
 * come first: whole positions of all images, turned. Returns how many steps these are. */
static int64_t turn_steps(const knr_source *s, const place *t, int64_t row, int64_t rows, const knr_at *ka, int64_t k,
                          int64_t steps)
{
    const knr_axis *rx = &s->side->row, *kx = &s->side->k;
    int last = kx->n - 1;
    int64_t images = kx->extent[last], apart = kx->stride[last], row_step = rx->stride[rx->n - 1];
    if (s->side->n_window || last == 0 || apart == 1 || kx->stride[last - 1] != 1 || t->size > 8 || ka->index[last])
        return 0;
    int64_t positions = knr_least(steps / images, kx->extent[last - 1] - ka->index[last - 1]), size = t->size;
    knr_at ra;
    if (positions < 2)
        return 0;
    knr_seek(rx, 0, row, &ra);
    for (int64_t i = 0, run; i < rows; i += run, knr_advance(rx, run, &ra)) {
        const char *from = s->at + (ra.offset + ka->offset) * size;
        run = knr_least(rows - i, knr_run_length(rx, &ra));
        if (t->to_k == 1)
            for (int64_t r = 0; r < run; r++)
                knh_transpose()(t->size, in_place(t, i + r, k), images * size, from + r * row_step * size, apart * size,
                                images, positions, false);
        else
            for (int64_t e = 0; e < images; e++) {
                place one = {in_place(t, i, k + e), t->to_row, t->to_k * images, t->size};
                copy(&one, 0, run, 0, positions, from + e * apart * size, row_step, 1);
            }
    }
    return positions * images;
}

/* Elements of an operand, as they are, to a rectangle. */
static void gather(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, const place *t)
{
    const knr_side *side = s->side;
    if (s->fill) {
        s->fill(s->env, s->batch, row, rows, k, steps, t->to, t->to_row, t->to_k, s->worker);
        return;
    }
    window_line l;
    if (find_line(s, t, &l)) {
        gather_lines(s, &l, row, rows, k, steps, t);
        return;
    }
    const knr_axis *rx = &side->row, *kx = &side->k;
    int walks = side->n_window ? kx->window[kx->n - 1] : -1;
    bool single = walks >= 0 && (walks == rx->window[rx->n - 1] || !can_clip(s, kx));
    knr_at ka, ra;
    knr_seek(kx, side->n_window, k, &ka);
    for (part x = {.k = 0, .single = single}; x.k < steps; x.k += x.steps, knr_advance(kx, x.steps, &ka)) {
        int64_t turned = turn_steps(s, t, row, rows, &ka, x.k, steps - x.k);
        if (turned) {
            x.steps = 0;
            x.k += turned;
            knr_seek(kx, 0, k + x.k, &ka);
            continue;
        }
        x.steps = single ? 1 : knr_least(steps - x.k, knr_run_length(kx, &ka));
        knr_seek(rx, side->n_window, row, &ra);
        for (x.row = 0; x.row < rows; x.row += x.rows, knr_advance(rx, x.rows, &ra)) {
            x.rows = knr_least(rows - x.row, knr_run_length(rx, &ra));
            if (side->n_window)
                windowed(s, t, &ra, &ka, &x);
            else
                copy(t, x.row, x.rows, x.k, x.steps, s->at + (ra.offset + ka.offset) * t->size, rx->stride[rx->n - 1],
                     kx->stride[kx->n - 1]);
        }
    }
}

/* --- the two forms ---------------------------------------------------------------------------- */

static const char *memory_of(const knr_source *s, int64_t row, int64_t k)
{
    const knr_side *side = s->side;
    return s->at + (row * side->row.stride[0] + k * side->k.stride[0]) * side->dtype->size;
}

/* In memory with one stride each, the rows (steps) adjacent. */
static bool linear(const knr_side *s, const knr_axis *adjacent)
{
    return !s->fill && !s->n_window && s->row.n == 1 && s->k.n == 1 && adjacent->stride[0] == 1;
}

void knr_pack_rows(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to_,
                   int64_t row_bytes)
{
    const knr_plan *p = s->plan;
    kn_dtype d = s->side->dtype;
    char *to = to_;
    int element = d->size;
    if (s->side->same && steps % p->group == 0) {
        place t = {.to = to, .to_row = row_bytes / element, .to_k = 1, .size = element};
        gather(s, row, rows, k, steps, &t);
        return;
    }
    if (linear(s->side, &s->side->k)) {
        for (int64_t i = 0; i < rows; i++)
            knr_widen_row(p, d, memory_of(s, row + i, k), steps, to + i * row_bytes);
        return;
    }
    int64_t most = KNR_SPARE / element / 8 / p->group * p->group;
    for (int64_t i = 0; i < rows; i += 8)
        for (int64_t j = 0; j < steps; j += most) {
            int64_t n = knr_least(8, rows - i), m = knr_least(most, steps - j);
            place t = {.to = s->spare, .to_row = m, .to_k = 1, .size = element};
            gather(s, row + i, n, k + j, m, &t);
            for (int64_t r = 0; r < n; r++)
                knr_widen_row(p, d, s->spare + r * m * element, m, to + (i + r) * row_bytes + j * p->left_step);
        }
}

/* Whole groups of adjacent steps are elements of 4 bytes. Returns how many steps are done. */
static int64_t turn_groups(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, char *to,
                           int64_t width)
{
    const knr_plan *p = s->plan;
    const knr_side *side = s->side;
    int64_t size = side->dtype->size, groups = steps / p->group;
    if (p->group == 1 || p->group * size != 4 || !linear(side, &side->k) || !groups)
        return 0;
    knh_transpose()(4, to, width * 4, memory_of(s, row, k), side->row.stride[0] * size, rows, groups, false);
    for (int64_t g = 0; g < groups && rows < width; g++)
        memset(to + (g * width + rows) * 4, 0, (size_t)(width - rows) * 4);
    return groups * p->group;
}

void knr_pack_panel(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to_, int64_t width)
{
    const knr_plan *p = s->plan;
    kn_dtype d = s->side->dtype;
    char *to = to_;
    int element = d->size;
    if (s->side->same && p->parts == 1 && p->group == 1) {
        place t = {.to = to, .to_row = 1, .to_k = width, .size = element};
        gather(s, row, rows, k, steps, &t);
        clear(&t, rows, width - rows, 0, steps);
        return;
    }
    if (rows == width && linear(s->side, &s->side->row)) {
        for (int64_t j = 0; j < steps; j += p->group)
            knr_widen_panel(p, d, memory_of(s, row, k + j), s->side->k.stride[0], width, knr_least(p->group, steps - j),
                            to + j * width * p->right_step);
        return;
    }
    int64_t most = KNR_SPARE / element / width / p->group * p->group;
    for (int64_t j = turn_groups(s, row, rows, k, steps, to, width); j < steps; j += most) {
        int64_t m = knr_least(most, steps - j);
        place t = {.to = s->spare, .to_row = 1, .to_k = width, .size = element};
        gather(s, row, rows, k + j, m, &t);
        clear(&t, rows, width - rows, 0, m);
        for (int64_t g = 0; g < m; g += p->group)
            knr_widen_panel(p, d, s->spare + g * width * element, width, width, knr_least(p->group, m - g),
                            to + (j + g) * width * p->right_step);
    }
}
