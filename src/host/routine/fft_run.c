/* SPDX-License-Identifier: Apache-2.0
 * fft_run.c -- plans at work: one transform, or WIDTH side by side. */
#include "base/pool.h"
#include "host/routine/fft_plan.h"
#include "host/routine/isa.h"
#include <string.h>

typedef knr_fft_numbers numbers;
enum {
    FAR_BYTES = 1 << 22, /* half of what a transform has to read before lines are fetched beforehand */
    PAGE_BYTES = 4096,   /* of lines that lie so far apart the first cache holds few */
};

const knr_fft_loops *knr_fft_loops_of(int bytes) { return &KNR_BY_ISA(knr_fft)[bytes == 8]; }

/* Loops whose vectors are not longer than half of a line, so that few places of one transform fill them */
static const knr_fft_loops *narrow_loops_of(int bytes)
{
#if defined(KN_HAVE_ISA_VARIANTS)
    return &(knr_isa() == KNR_ISA_BASE ? knr_fft_base : knr_fft_avx2)[bytes == 8];
#else
    return knr_fft_loops_of(bytes);
#endif
}

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

/* The planes that passes work in: where they are a whole number of pages, numbers of both that belong together would
 * share the same places of the first cache. */
static int64_t plane_of(const knr_fft_plan *p, int64_t n)
{
    return n * p->bytes % PAGE_BYTES == 0 ? n + PAGE_BYTES / 2 / p->bytes : n;
}
static numbers work_planes(const knr_fft_plan *p, const void *at, int64_t n) { return planes(p, at, plane_of(p, n)); }

/* For an inverse transform: real and imaginary parts exchanged. */
static numbers swapped(numbers x)
{
    return (numbers){.re = x.im ? x.im : x.re, .im = x.im ? x.re : NULL, .apart = x.apart, .swap = !x.im && !x.swap};
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
    case KNR_FFT_FLAT: return 2 * whole(2 * plane_of(p, p->n * side));
    case KNR_FFT_SPLIT: return (p->n_step - 2) * whole(2 * p->n) + threads * worker_room(p);
    case KNR_FFT_CHIRP: return 2 * whole(2 * p->longer->n * side) + knr_fft_room(p->longer, side, threads);
    }
    return 0;
}

/* --- flat ------------------------------------------------------------------------------------- */

/* Field by field: a copy by vectors waits for the memory of what was just written in parts. */
static void set(numbers *to, const numbers *from)
{
    to->re = from->re, to->im = from->im;
    to->apart = from->apart, to->ahead = from->ahead;
    to->swap = from->swap;
}

static void set_pass(knr_fft_groups *c, const knr_fft_pass *a, double scale)
{
    c->r = a->r;
    c->m = a->m, c->s = a->s, c->l = 1;
    c->xl = c->yl = c->back = 0;
    c->by_p = a->by_p, c->by_t = a->by_t, c->turn = NULL, c->roots = a->roots;
    c->scale = scale;
}

/* Lanes run along q: the last line ends with the last q, so some places may be computed twice. */
static void set_along(const knr_fft_plan *p, knr_fft_groups *c, const knr_fft_pass *a)
{
    int64_t width = knr_fft_width(p->bytes);
    c->s = a->s / width;
    c->back = a->s % width ? width - a->s % width : 0;
    c->xp = a->s, c->xq = width, c->xj = a->s * a->m;
    c->yp = a->s * a->r, c->yq = width, c->yk = a->s;
}

/* Lines of WIDTH numbers: l is WIDTH for the columns of transforms side by side, or 1. */
static void set_lines(const knr_fft_plan *p, knr_fft_groups *c, int64_t l)
{
    int64_t width = knr_fft_width(p->bytes);
    int64_t in = (c->x.apart ? c->x.apart : width) * l, out = (c->y.apart ? c->y.apart : width) * l;
    c->l = l;
    c->xp = c->s * in, c->xq = in, c->xl = in / l, c->xj = c->s * c->m * in;
    c->yp = c->s * c->r * out, c->yq = out, c->yl = out / l, c->yk = c->s * out;
}

/* The pass across the columns of one transform, or of WIDTH of them */
static void add_cross(const knr_fft_plan *p, int side, const numbers *from, const numbers *y, double scale,
                      knr_fft_stage *to)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t width = knr_fft_width(p->bytes), m = p->n / width, out = y->apart ? y->apart : width;
    knr_fft_groups *c = &to->call;
    set_pass(c, &(knr_fft_pass){.r = (int)width, .s = 1, .m = m}, scale);
    set(&c->x, from);
    set(&c->y, y);
    c->xp = width * width, c->xq = 0, c->xj = width;
    c->yp = out, c->yq = 0, c->yk = m * out;
    to->run = side > 1 ? loops->groups : loops->cross;
}

/* All passes in one loop, if there is one for so many numbers */
typedef void rows_loop(const knr_fft_groups *c);
static rows_loop *rows_loop_of(const knr_fft_plan *p)
{
    rows_loop *const *rows = knr_fft_loops_of(p->bytes)->rows;
    return p->n == 64 ? rows[0] : p->n == 128 ? rows[1] : p->n == 256 ? rows[2] : NULL;
}

/* Is there a loop for this last pass of columns and the one across them? */
static bool takes_last(const knr_fft_plan *p, int side, const knr_fft_pass *a)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    return loops->last && p->columns && side == 1 && p->n_pass > 1 && a->r == 8 && a->s % knr_fft_width(p->bytes) == 0;
}

bool knr_fft_takes_rows(const knr_fft_plan *p) { return rows_loop_of(p) != NULL; }

void knr_fft_prepare(const knr_fft_plan *p, int side, const numbers *x, const numbers *y, double scale, void *room,
                     knr_fft_stages *s)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    int64_t size = p->n * side;
    bool lines = side > 1 || p->columns;
    numbers a = work_planes(p, room, size);
    numbers b = work_planes(p, number_at(p, room, whole(2 * plane_of(p, size))), size);
    const numbers *from = x;
    rows_loop *all = side == 1 ? rows_loop_of(p) : NULL;
    if (all) {
        knr_fft_groups *c = &s->stage[0].call;
        set_pass(c, &p->pass[0], scale);
        set(&c->x, x);
        set(&c->y, y);
        c->m = 1, c->xp = c->yp = 0;
        c->turn = p->columns ? p->columns : p->pass[1].by_t;
        s->stage[0].run = all;
        s->n = 1;
        return;
    }
    s->n = p->n_pass + (p->columns ? 1 : 0);
    for (int i = 0; i < p->n_pass; i++) {
        const knr_fft_pass *q = &p->pass[i];
        knr_fft_groups *c = &s->stage[i].call;
        /* The last pass but one of all may be in place, and is where few others were: in `a`. */
        bool last = i == p->n_pass - 1;
        const numbers *to = last && !p->columns ? y : last || (p->n_pass - i) % 2 == 0 ? &a : &b;
        set_pass(c, q, scale);
        set(&c->x, from);
        set(&c->y, to);
        bool walks = !lines && knr_fft_walks(p, q);
        bool few = q->s * q->m < knr_fft_width(p->bytes);
        s->stage[i].run = !walks ? loops->groups : few ? narrow_loops_of(p->bytes)->pass : loops->pass;
        if (lines)
            set_lines(p, c, p->columns && side > 1 ? knr_fft_width(p->bytes) : 1);
        else if (!walks)
            set_along(p, c, q);
        if (last)
            c->turn = p->columns;
        if (last && takes_last(p, side, q)) {
            set(&c->y, y);
            s->stage[i].run = loops->last;
            s->n = p->n_pass;
            return;
        }
        from = to;
    }
    if (p->columns)
        add_cross(p, side, from, y, scale, &s->stage[p->n_pass]);
}

void knr_fft_run_stages(const knr_fft_stages *s)
{
    for (int i = 0; i < s->n; i++)
        s->stage[i].run(&s->stage[i].call);
}

static void run_flat(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room)
{
    knr_fft_stages s;
    knr_fft_prepare(p, side, &x, &y, scale, room, &s);
    knr_fft_run_stages(&s);
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
                     .apart = apart,
                     .ahead = p->n * p->bytes >= FAR_BYTES ? knr_fft_width(p->bytes) : 0,
                     .swap = x.swap};
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

/* n numbers from planes */
static void copy_numbers(const knr_fft_plan *p, numbers to, numbers from, int64_t n)
{
    size_t bytes = (size_t)p->bytes;
    if (to.im) {
        memcpy(to.re, from.re, (size_t)n * bytes);
        memcpy(to.im, from.im, (size_t)n * bytes);
    }
    for (int64_t i = 0; !to.im && i < n; i++) {
        memcpy(number_at(p, to.re, 2 * i), number_at(p, from.re, i), bytes);
        memcpy(number_at(p, to.re, 2 * i + 1), number_at(p, from.im, i), bytes);
    }
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
        out = work_planes(p, rest, size);
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
        copy_numbers(p, lines_of(p, j->y, start * a->r, 0), turned, count * a->r);
        return;
    }
    if (!last)
        turn_block(j, block, of, &out, w, turned);
    knr_fft_lanes to = lanes_of(p, j->y, to_first, 1, a->s, a->r, count);
    to.scale = last && !j->y.im ? j->scale : 1;
    to.far = lines;
    put_block(j, &to, out);
}

static void run_split(const knr_fft_plan *p, numbers x, numbers y, double scale, void *room, int threads)
{
    int64_t between = whole(2 * p->n), width = knr_fft_width(p->bytes);
    split j = {.p = p, .x = x, .scale = scale, .worker = worker_room(p)};
    j.room = number_at(p, room, (p->n_step - 2) * between);
    for (int i = 0; i < p->n_step; i++) {
        const knr_fft_step *a = j.step = &p->step[i];
        int64_t along = a->s == 1 ? a->m : a->s;
        /* Blocks of the last step read the places that they write, so what they read stands there: it takes no memory
         * of its own, and what is written is in the caches. */
        j.y = i == p->n_step - 1   ? y
              : i == p->n_step - 2 ? (numbers){.re = y.re, .im = y.im}
                                   : planes(p, number_at(p, room, i * between), p->n);
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
