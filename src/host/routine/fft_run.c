/* SPDX-License-Identifier: Apache-2.0
 * fft_run.c -- plans at work: one transform, or WIDTH side by side. */
#include "base/pool.h"
#include "host/routine/fft_plan.h"
#include "host/routine/isa.h"
#include <string.h>

typedef knr_fft_numbers numbers;

const knr_fft_loops *knr_fft_loops_of(int bytes)
{
#ifdef KN_HAVE_ISA_VARIANTS
    if (knr_isa() >= KNR_ISA_AVX2)
        return &knr_fft_avx2[bytes == 8];
#endif
    return &knr_fft_base[bytes == 8];
}

static int64_t whole(int64_t n) { return (n + KNR_FFT_WIDTH - 1) / KNR_FFT_WIDTH * KNR_FFT_WIDTH; }

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
    return x.im ? (numbers){.re = x.im, .im = x.re} : (numbers){.re = x.re, .swap = !x.swap};
}

/* --- room ------------------------------------------------------------------------------------- */

static int64_t step_room(const knr_fft_step *a)
{
    return 4 * a->r * KNR_FFT_WIDTH + whole(2 * a->r) + knr_fft_room(a->plan, KNR_FFT_WIDTH, 1);
}

static int64_t worker_room(const knr_fft_plan *p)
{
    int64_t most = 0;
    for (int i = 0; i < p->n_step; i++) {
        int64_t n = step_room(&p->step[i]);
        most = n > most ? n : most;
    }
    return most;
}

int64_t knr_fft_room(const knr_fft_plan *p, int side, int threads)
{
    switch (p->kind) {
    case KNR_FFT_FLAT: return p->n_pass > 1 ? whole(2 * p->n * side) : 0;
    case KNR_FFT_SPLIT: return (p->n_step - 1) * whole(2 * p->n) + threads * worker_room(p);
    case KNR_FFT_CHIRP: return 2 * whole(2 * p->longer->n * side) + knr_fft_room(p->longer, side, threads);
    }
    return 0;
}

/* --- flat ------------------------------------------------------------------------------------- */

static void run_flat(const knr_fft_plan *p, int side, numbers x, numbers y, double scale, void *room)
{
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    numbers other = planes(p, room, p->n * side), own = y.im ? y : planes(p, y.re, p->n * side), from = x;
    for (int i = 0; i < p->n_pass; i++) {
        const knr_fft_pass *a = &p->pass[i];
        bool last = i == p->n_pass - 1;
        numbers to = last ? y : (p->n_pass - i) % 2 ? own : other;
        loops->pass(&(knr_fft_call){.x = from,
                                    .y = to,
                                    .r = a->r,
                                    .s = a->s * side,
                                    .m = a->m,
                                    .by_p = a->by_p,
                                    .by_t = a->by_t,
                                    .roots = a->roots,
                                    .scale = scale});
        from = to;
    }
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
    for (int i = 0; i < KNR_FFT_WIDTH; i++)
        l.off[i] = unit * (first + i * between);
    return l;
}

static void run_block(void *arg, int64_t block, int worker)
{
    const split *j = arg;
    const knr_fft_step *a = j->step;
    const knr_fft_plan *p = j->p;
    const knr_fft_loops *loops = knr_fft_loops_of(p->bytes);
    bool first = a->s == 1;
    int64_t along = first ? a->m : a->s, start = block % j->blocks * KNR_FFT_WIDTH;
    int64_t of = first ? start : block / j->blocks, size = a->r * KNR_FFT_WIDTH; /* of: the p of the first lane */
    int count = along - start < KNR_FFT_WIDTH ? (int)(along - start) : KNR_FFT_WIDTH;
    char *room = number_at(p, j->room, worker * j->worker);
    numbers in = planes(p, room, size), out = planes(p, number_at(p, room, 2 * size), size);
    void *w = number_at(p, room, 4 * size), *rest = number_at(p, w, whole(2 * a->r));
    knr_fft_lanes from = lanes_of(p, j->x, first ? start : a->s * of + start, 1, a->s * a->m, a->r, count);
    if (j->x.swap)
        loops->take(&from, in.im, in.re);
    else
        loops->take(&from, in.re, in.im);
    knr_fft_run_plan(a->plan, KNR_FFT_WIDTH, in, out, 1, rest, 1);
    if (a->m > 1) {
        knr_fft_powers e = a->w;
        e.step = of;
        e.count = a->r;
        loops->powers(&e, w);
        loops->turn(out.re, out.im, a->r, w, a->by_lane);
    }
    knr_fft_lanes to = first ? lanes_of(p, j->y, a->r * start, a->r, 1, a->r, count)
                             : lanes_of(p, j->y, a->s * a->r * of + start, 1, a->s, a->r, count);
    to.scale = j->y.im ? 1 : j->scale;
    if (j->y.swap)
        loops->put(&to, out.im, out.re);
    else
        loops->put(&to, out.re, out.im);
}

static void run_split(const knr_fft_plan *p, numbers x, numbers y, double scale, void *room, int threads)
{
    int64_t between = whole(2 * p->n);
    split j = {.p = p, .x = x, .scale = scale, .worker = worker_room(p)};
    j.room = number_at(p, room, (p->n_step - 1) * between);
    for (int i = 0; i < p->n_step; i++) {
        const knr_fft_step *a = j.step = &p->step[i];
        int64_t along = a->s == 1 ? a->m : a->s;
        j.y = i == p->n_step - 1 ? y : planes(p, number_at(p, room, i * between), p->n);
        j.blocks = whole(along) / KNR_FFT_WIDTH;
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
