/* SPDX-License-Identifier: Apache-2.0
 * product_pack.c -- brings rows and steps of an operand into the form that the inner loops read. Elements are moved by
 * runs: along the last dimension of the rows and along the last one of k, clipped by the window that the rows walk
 * through. What lies outside of the array are zeros. */
#include "routine/product_pack.h"
#include "codegen/tile.h"
#include "routine/product_convert.h"
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
        kng_turn()(t->size, to, t->to_row * size, from, k_step * size, steps, rows, false);
    } else if (k_step != 1 || row_step == 1 || size > 8) {
        for (int64_t j = 0; j < steps; j++, to += t->to_k * size, from += k_step * size)
            if (row_step == 1)
                copy_bytes(to, from, rows * size);
            else
                copy_line(t->size, to, from, row_step, rows);
    } else {
        kng_turn()(t->size, to, t->to_k * size, from, row_step * size, rows, steps, false);
    }
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Is there an element at this position? Adds its offset. */
static bool inside(const knr_window *w, int64_t position, int64_t *offset)
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
} part;

/* The windows that the rows of a run do not walk through: one answer for all of them. */
static bool others_inside(const knr_source *s, const knr_at *r, const knr_at *k, int mine, int64_t *offset)
{
    for (int w = 0; w < s->side->n_window; w++)
        if (w != mine && !inside(&s->plan->window[w], r->position[w] + k->position[w] - s->plan->window[w].low, offset))
            return false;
    return true;
}

static void windowed(const knr_source *s, const place *t, const knr_at *r, const knr_at *k, const part *x,
                     int64_t k_step)
{
    const knr_side *side = s->side;
    int mine = side->row.window[side->row.n - 1];
    int64_t offset = r->offset + k->offset, row_step = side->row.stride[side->row.n - 1];
    int64_t walk = side->row.walk[side->row.n - 1], size = t->size;
    if (!others_inside(s, r, k, mine, &offset)) {
        clear(t, x->row, x->rows, x->k, x->steps);
        return;
    }
    if (mine < 0) {
        copy(t, x->row, x->rows, x->k, x->steps, s->at + offset * size, row_step, k_step);
        return;
    }
    const knr_window *w = &s->plan->window[mine];
    int64_t position = r->position[mine] + k->position[mine] - w->low;
    if (w->base == 1 && walk > 0) {
        int64_t low = position < 0 ? knr_least(knr_divide_up(-position, walk), x->rows) : 0;
        int64_t high = position < w->extent ? knr_least(knr_divide_up(w->extent - position, walk), x->rows) : 0;
        high = high < low ? low : high;
        clear(t, x->row, low, x->k, x->steps);
        copy(t, x->row + low, high - low, x->k, x->steps,
             s->at + (offset + low * row_step + (position + low * walk) * w->stride) * size,
             row_step + walk * w->stride, k_step);
        clear(t, x->row + high, x->rows - high, x->k, x->steps);
        return;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t at = offset + i * row_step;
        if (inside(w, position + i * walk, &at))
            copy(t, x->row + i, 1, x->k, x->steps, s->at + at * size, 1, k_step);
        else
            clear(t, x->row + i, 1, x->k, x->steps);
    }
}

/* Elements of an operand, as they are, to a rectangle. */
static void gather(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, const place *t)
{
    const knr_side *side = s->side;
    if (s->fill) {
        s->fill(s->env, s->batch, row, rows, k, steps, t->to, t->to_row, t->to_k, s->worker);
        return;
    }
    const knr_axis *rx = &side->row, *kx = &side->k;
    bool walks = side->n_window && kx->window[kx->n - 1] >= 0;
    int64_t k_step = kx->stride[kx->n - 1];
    knr_at ka, ra;
    knr_seek(kx, side->n_window, k, &ka);
    for (part x = {.k = 0}; x.k < steps; x.k += x.steps, knr_advance(kx, x.steps, &ka)) {
        x.steps = walks ? 1 : knr_least(steps - x.k, knr_run_length(kx, &ka));
        knr_seek(rx, side->n_window, row, &ra);
        for (x.row = 0; x.row < rows; x.row += x.rows, knr_advance(rx, x.rows, &ra)) {
            x.rows = knr_least(rows - x.row, knr_run_length(rx, &ra));
            if (side->n_window)
                windowed(s, t, &ra, &ka, &x, k_step);
            else
                copy(t, x.row, x.rows, x.k, x.steps, s->at + (ra.offset + ka.offset) * t->size, rx->stride[rx->n - 1],
                     k_step);
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
    kng_turn()(4, to, width * 4, memory_of(s, row, k), side->row.stride[0] * size, rows, groups, false);
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

/* --- results ---------------------------------------------------------------------------------- */

typedef void mover(const knr_plan *p, char *buffer, int64_t n, char *c, int64_t step);

static void put(const knr_plan *p, char *buffer, int64_t n, char *c, int64_t step)
{
    int size = p->result->size;
    knr_narrow(p, buffer, buffer, n);
    if (step == 1) {
        memcpy(c, buffer, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(c + i * step * size, buffer + i * size, (size_t)size);
}

static void get(const knr_plan *p, char *buffer, int64_t n, char *c, int64_t step)
{
    copy_line(p->result->size, buffer, c, step, n);
    knr_widen_result(p, buffer, n);
}

static void walk_result(const knr_plan *p, char *buffer, int64_t line, const part *x, char *c, mover *move)
{
    const knr_axis *rx = &p->c_row, *cx = &p->c_column;
    knr_at ra, ca;
    knr_seek(rx, 0, x->row, &ra);
    for (int64_t i = 0; i < x->rows; i++, knr_advance(rx, 1, &ra)) {
        knr_seek(cx, 0, x->k, &ca);
        for (int64_t j = 0, n; j < x->steps; j += n, knr_advance(cx, n, &ca)) {
            n = knr_least(x->steps - j, knr_run_length(cx, &ca));
            move(p, buffer + (i * line + j) * p->size, n, c + (ra.offset + ca.offset) * p->result->size,
                 cx->stride[cx->n - 1]);
        }
    }
}

void knr_store(const knr_plan *p, char *from, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
               char *c)
{
    walk_result(p, from, line, &(part){row, rows, column, columns}, c, put);
}

void knr_load(const knr_plan *p, char *to, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const char *c)
{
    walk_result(p, to, line, &(part){row, rows, column, columns}, (char *)(uintptr_t)c, get);
}
