/* SPDX-License-Identifier: Apache-2.0
 * fft_run.c -- plans at work: one transform, or WIDTH side by side. */
#include "base/pool.h"
#include "host/routine/fft_plan.h"
#include "host/routine/isa.h"
#include <string.h>

typedef knr_fft_numbers numbers;
enum { FAR_BYTES = 1 << 22 }; /* half of what a transform has to read before lines are fetched beforehand */

const knr_fft_loops *knr_fft_loops_of(int bytes) { return &KNR_BY_ISA(knr_fft)[bytes == 8]; }

static int64_t whole(int64_t n) { return (n + KNR_FFT_MOST_WIDTH - 1) / KNR_FFT_MOST_WIDTH * KNR_FFT_MOST_WIDTH; }

static void *number_at(const knr_fft_plan *p, const void *base, int64_t i)
{
    return (char *)(uintptr_t)base + i * p->bytes;
}

/* Two planes of n numbers. */
static numbers planes(const knr_fft_plan *p, const void *at, int64_t n)
{
    return (numbers){.re = number_at(p, at, 0), .im = number_at(p, at, n)};
}

/* For an inverse transform: real and imaginary parts exchanged. */
static numbers swapped(numbers x)
{
    return (numbers){.re = x.im ? x.im : x.re, .im = x.im ? x.re : NULL, .swap = !x.im && !x.swap, .apart = x.apart};
}

/* --- room ------------------------------------------------------------------------------------- */

/* Convolutions of WIDTH lines would not stay in a cache, those of one line do. */
static bool by_line(const knr_fft_plan *p) { return p->kind == KNR_FFT_CHIRP && p->alone; }

static int64_t step_room(const knr_fft_plan *p, const knr_fft_step *a)
{
    int64_t width = knr_fft_width(p->bytes);
    int64_t lines = 2 * a->r * width + knr_fft_room(a->plan, 1, 1), all = knr_fft_room(a->plan, (int)width, 1);
    return 4 * a->r * width + whole(2 * a->r) + (by_line(a->plan) ? lines : all);
}

static int64_t worker_room(const knr_fft_plan *p)
{
    int64_t most = 0;
    for (int i = 0; i < p->n_step; i++) {
        int64_t n = step_room(p, &p->step[i]);
        most = n > most ? n : most;
    }
    return most;
}

int64_t knr_fft_room(const knr_fft_plan *p, int side, int threads)
{
    switch (p->kind) {
    case KNR_FFT_FLAT: return whole(2 * p->n * side) * (side > 1 ? 2 : 1);
    case KNR_FFT_SPLIT: return (p->n_step - 1) * whole(2 * p->n) + threads * worker_room(p);
    case KNR_FFT_CHIRP: return 2 * whole(2 * p->longer->n * side) + knr_fft_room(p->longer, side, threads);
    }
    return 0;
}

/* --- flat ------------------------------------------------------------------------------------- */

/* Field by field: a copy by vectors waits for the memory of what was just written in parts. */
static void set(numbers *to, const numbers *from)
{
    to->re = from->re, to->im = from->im;
    to->swap = from->swap, to->far = from->far;
    to->apart = from->apart;
}

static void move_on(const knr_fft_plan *p, numbers *x, int64_t first)
{
    x->re = number_at(p, x->re, x->im ? first : 2 * first);
    x->im = x->im ? number_at(p, x->im, first) : NULL;
}

/* A pass whose lanes run along q; the last line begins where it ends with the last q, so some places may be computed
 * twice. */
static void run_along(const knr_fft_plan *p, const knr_fft_pass *a, const numbers *x, const numbers *y, double scale)
{
    int64_t width = knr_fft_width(p->bytes), last = a->s - width;
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    knr_fft_groups c = {.r = a->r,
                        .m = a->m,
                        .s = a->s / width,
                        .l = 1,
                        .xp = a->s,
                        .xq = width,
                        .xj = a->s * a->m,
                        .yp = a->s * a->r,
                        .yq = width,
                        .yk = a->s,
                        .by_p = a->by_p,
                        .roots = a->roots,
                        .scale = scale};
    set(&c.x, x);
    set(&c.y, y);
    loops->groups(&c);
    if (a->s % width == 0)
        return;
    c.s = 1;
    move_on(p, &c.x, last);
    move_on(p, &c.y, last);
    loops->groups(&c);
}

/* Places of one transform are lanes. */
static void run_alone(const knr_fft_plan *p, const numbers *x, const numbers *y, double scale, void *room)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    numbers other = planes(p, room, p->n), own = y->im ? *y : planes(p, y->re, p->n);
    const numbers *from = x;
    for (int i = 0; i < p->n_pass; i++) {
        const knr_fft_pass *a = &p->pass[i];
        const numbers *to = i == p->n_pass - 1 ? y : (p->n_pass - i) % 2 ? &own : &other;
        if (a->s >= knr_fft_width(p->bytes)) {
            run_along(p, a, from, to, scale);
        } else {
            knr_fft_call c = {.r = a->r, .s = a->s, .m = a->m, .by_t = a->by_t, .roots = a->roots};
            set(&c.x, from);
            set(&c.y, to);
            loops->pass(&c);
        }
        from = to;
    }
}

/* Lines of WIDTH numbers: one of each transform side by side, or the columns of one transform. */
static void run_lines(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t width = knr_fft_width(p->bytes), size = p->n * side, lines = size / width;
    int64_t l = p->columns && side > 1 ? width : 1;
    numbers a = planes(p, room, size), b = side > 1 ? planes(p, number_at(p, room, 2 * size), size) : y;
    if (!b.im)
        b = planes(p, y.re, size);
    numbers from = x;
    for (int i = 0; i < p->n_pass; i++) {
        const knr_fft_pass *q = &p->pass[i];
        /* The last pass but one of all may be in place, and is where few others were: in `a`. */
        bool last = i == p->n_pass - 1;
        numbers to = last && !p->columns ? y : last || (p->n_pass - i) % 2 == 0 ? a : b;
        int64_t in = (from.apart ? from.apart : width) * l, out = (to.apart ? to.apart : width) * l;
        loops->groups(&(knr_fft_groups){.x = from,
                                        .y = to,
                                        .r = q->r,
                                        .m = q->m,
                                        .s = q->s,
                                        .l = l,
                                        .xp = q->s * in,
                                        .xq = in,
                                        .xl = in / l,
                                        .xj = q->s * q->m * in,
                                        .yp = q->s * q->r * out,
                                        .yq = out,
                                        .yl = out / l,
                                        .yk = q->s * out,
                                        .by_p = q->by_p,
                                        .turn = last ? p->columns : NULL,
                                        .roots = q->roots,
                                        .scale = scale});
        from = to;
    }
    if (p->columns && side > 1) {
        int64_t m = lines / width, out = y.apart ? y.apart : width;
        loops->groups(&(knr_fft_groups){.x = from,
                                        .y = y,
                                        .r = (int)width,
                                        .m = m,
                                        .s = 1,
                                        .l = 1,
                                        .xp = width * width,
                                        .xj = width,
                                        .yp = out,
                                        .yk = m * out,
                                        .scale = scale});
    } else if (p->columns) {
        loops->cross(from.re, from.im, &y, lines, scale);
    }
}

static void run_flat(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room)
{
    if (side > 1 || p->columns)
        run_lines(p, side, x, y, scale, room);
    else
        run_alone(p, &x, &y, scale, room);
}

/* --- split ------------------------------------------------------------------------------------ */

typedef struct split {
    const knr_fft_plan *p;
    const knr_fft_step *step;
    numbers x, y;
    double scale;
    void *room;
    int64_t worker, blocks; /* numbers of a worker's room; blocks for each p */
} split;

/* Lanes of an array: the element that number `first` is the first of, and the distances in elements. */
static knr_fft_lanes lanes_of(const knr_fft_plan *p, numbers x, int64_t first, int64_t between, int64_t step, int64_t n,
                              int count)
{
    int unit = x.im ? 1 : 2;
    char *low = x.re;
    knr_fft_lanes l = {.at = low, .step = unit * step, .n = n, .count = count, .scale = 1};
    l.second = x.im ? ((char *)x.im - low) / p->bytes : 1;
    for (int i = 0; i < knr_fft_width(p->bytes); i++)
        l.off[i] = unit * (first + i * between);
    return l;
}

/* Lines of numbers from `first` on, that are so far apart */
static numbers lines_of(const knr_fft_plan *p, numbers x, int64_t first, int64_t apart)
{
    return (numbers){.re = number_at(p, x.re, x.im ? first : 2 * first),
                     .im = x.im ? number_at(p, x.im, first) : NULL,
                     .swap = x.swap,
                     .apart = apart,
                     .far = p->n * p->bytes >= FAR_BYTES};
}

/* The numbers of a block, from place `first` on, after their turns */
static void put_block(const split *j, const knr_fft_lanes *to, numbers out)
{
    const knr_fft_loops *loops = knr_fft_loops_of(j->p->bytes);
    if (j->y.swap)
        loops->put(to, out.im, out.re);
    else
        loops->put(to, out.re, out.im);
}

static void turn_block(const split *j, int64_t block, int64_t of, numbers *out, void *table, numbers y)
{
    const knr_fft_step *a = j->step;
    const knr_fft_loops *loops = knr_fft_loops_of(j->p->bytes);
    const void *w = a->by_block ? number_at(j->p, a->by_block, 2 * block * a->r) : table;
    if (!a->by_block) {
        knr_fft_powers e = a->w;
        e.step = of;
        e.count = a->r;
        loops->powers(&e, table);
    }
    if (a->by_lane)
        loops->turn_over(out->re, out->im, a->r, w, a->by_lane, &y);
    else
        loops->turn(out->re, out->im, a->r, w);
}

/* WIDTH transforms in planes [r][WIDTH], one after the other; `in` is written. */
static void run_each(const split *j, numbers in, numbers out, void *rest)
{
    const knr_fft_plan *p = j->p, *of = j->step->plan;
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t width = knr_fft_width(p->bytes), r = of->n, size = r * width;
    numbers lines = planes(p, rest, size);
    knr_fft_lanes from = lanes_of(p, lines, 0, r, 1, r, (int)width), to = lanes_of(p, in, 0, r, 1, r, (int)width);
    loops->put(&from, in.re, in.im);
    for (int64_t i = 0; i < width; i++)
        knr_fft_run_plan(of, 1, lines_of(p, lines, i * r, 0), lines_of(p, in, i * r, 0), 1,
                         number_at(p, rest, 2 * size), 1);
    loops->take(&to, out.re, out.im);
}

static void run_block(void *arg, int64_t block, int worker)
{
    const split *j = arg;
    const knr_fft_step *a = j->step;
    const knr_fft_plan *p = j->p;
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t width = knr_fft_width(p->bytes);
    bool first = a->s == 1, last = a->m == 1;
    int64_t along = first ? a->m : a->s, start = block % j->blocks * width;
    int64_t of = first ? start : block / j->blocks, size = a->r * width; /* of: the p of the first lane */
    int count = along - start < width ? (int)(along - start) : (int)width;
    char *room = number_at(p, j->room, worker * j->worker);
    numbers in = planes(p, room, size), out = planes(p, number_at(p, room, 2 * size), size);
    void *w = number_at(p, room, 4 * size), *rest = number_at(p, w, whole(2 * a->r));
    if (a->plan->kind == KNR_FFT_FLAT) /* in place, where its last pass but one puts the numbers */
        out = planes(p, rest, size);
    int64_t from_first = first ? start : a->s * of + start, to_first = first ? start : a->s * a->r * of + start;
    bool lines = by_line(a->plan);
    if (count == width && !lines) {
        in = lines_of(p, j->x, from_first, a->s * a->m);
    } else {
        knr_fft_lanes from = lanes_of(p, j->x, from_first, 1, a->s * a->m, a->r, count);
        from.far = lines;
        if (j->x.swap)
            loops->take(&from, in.im, in.re);
        else
            loops->take(&from, in.re, in.im);
    }
    if (last && count == width && !lines) {
        knr_fft_run_plan(a->plan, (int)width, in, lines_of(p, j->y, to_first, a->s), j->scale, rest, 1);
        return;
    }
    if (lines)
        run_each(j, in, out, rest);
    else
        knr_fft_run_plan(a->plan, (int)width, in, out, 1, rest, 1);
    if (first && count == width) {
        turn_block(j, block, of, &out, w, lines_of(p, j->y, a->r * start, 0));
        return;
    }
    numbers turned = in;
    if (first) { /* few lanes: what was put together before goes where there is room */
        turned = planes(p, room, size);
        turn_block(j, block, of, &out, w, turned);
        for (int i = 0; i < count; i++) {
            memcpy(number_at(p, j->y.re, (start + i) * a->r), number_at(p, turned.re, i * a->r),
                   (size_t)(a->r * p->bytes));
            memcpy(number_at(p, j->y.im, (start + i) * a->r), number_at(p, turned.im, i * a->r),
                   (size_t)(a->r * p->bytes));
        }
        return;
    }
    if (!last)
        turn_block(j, block, of, &out, w, turned);
    knr_fft_lanes to = lanes_of(p, j->y, to_first, 1, a->s, a->r, count);
    to.scale = j->y.im ? 1 : j->scale;
    to.far = lines;
    put_block(j, &to, out);
}

static void run_split(const knr_fft_plan *p, numbers x, numbers y, double scale, void *room, int threads)
{
    int64_t between = whole(2 * p->n), width = knr_fft_width(p->bytes);
    split j = {.p = p, .x = x, .scale = scale, .worker = worker_room(p)};
    j.room = number_at(p, room, (p->n_step - 1) * between);
    for (int i = 0; i < p->n_step; i++) {
        const knr_fft_step *a = j.step = &p->step[i];
        int64_t along = a->s == 1 ? a->m : a->s;
        j.y = i == p->n_step - 1 ? y : planes(p, number_at(p, room, i * between), p->n);
        j.blocks = (along + width - 1) / width;
        knx_parallel(threads, j.blocks * (a->s == 1 ? 1 : a->m), run_block, &j);
        j.x = j.y;
    }
}

/* --- chirps ----------------------------------------------------------------------------------- */

static void run_chirp(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room, int threads)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t n = p->n, all = p->longer->n, size = whole(2 * all * side);
    numbers a = planes(p, room, all * side), b = planes(p, number_at(p, room, size), all * side);
    void *rest = number_at(p, room, 2 * size);
    size_t behind = (size_t)((all - n) * side * p->bytes);
    loops->times(&(knr_fft_product){.x = x, .y = a, .w = p->chirp, .n = n, .side = side, .scale = 1});
    memset(number_at(p, a.re, n * side), 0, behind);
    memset(number_at(p, a.im, n * side), 0, behind);
    knr_fft_run_plan(p->longer, side, a, b, 1, rest, threads);
    loops->times(&(knr_fft_product){.x = b, .y = b, .w = p->image, .n = all, .side = side, .scale = 1});
    knr_fft_run_plan(p->longer, side, swapped(b), swapped(a), 1, rest, threads);
    loops->times(&(knr_fft_product){.x = a, .y = y, .w = p->chirp, .n = n, .side = side, .scale = scale});
}

void knr_fft_run_plan(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room, int threads)
{
    switch (p->kind) {
    case KNR_FFT_FLAT: run_flat(p, side, x, y, scale, room); break;
    case KNR_FFT_SPLIT: run_split(p, x, y, scale, room, threads); break;
    case KNR_FFT_CHIRP: run_chirp(p, side, x, y, scale, room, threads); break;
    }
}
