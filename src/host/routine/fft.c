/* SPDX-License-Identifier: Apache-2.0
 * fft.c -- Fourier transforms of arrays, axis by axis: WIDTH neighbours side by side, or one line after the other.
 *
 * An even number n of real numbers is transformed as m = n / 2 complex ones z, made of neighbours. With
 * w = exp(-2 pi i / n),
 *     x[k] = (z[k] + conj z[m-k]) / 2 - i w^k (z[k] - conj z[m-k]) / 2,
 * and for the inverse
 *     z[k] = (x[k] + conj x[m-k]) + i w^-k (x[k] - conj x[m-k]).
 * An odd number of them is transformed as complex numbers. */
#include "host/routine/fft.h"
#include "base/pool.h"
#include "host/routine/fft_plan.h"
#include <string.h>

typedef knr_fft_numbers numbers;
enum {
    CHUNK = 1024,          /* indices of a real transform that share a table */
    LANES_BELOW = 160,     /* shorter transforms run side by side, if there are enough of them */
    LINES_BYTES = 8 << 20, /* of lines that are gathered together */
    FAR_BYTES = 1 << 22,   /* of rows that are fetched beforehand */
    HELD_BYTES = 64 << 10, /* of a plan that a program holds: what is larger takes longer than finding its plan */
};

/* One axis. Extents of x and y along it are n_x and n_y. */
typedef struct axis_work {
    knr_fft_type type; /* FFT, IFFT: complex to complex */
    int bytes;
    int64_t outer, inner, n, n_x, n_y;
    const void *x;
    void *y;
    double scale;
    const knr_fft_plan *p;
    const knr_fft_loops *loops;
    void *room;
    int64_t worker, parts; /* real numbers of a worker's room; parts of the lines */
    int inside;            /* threads for each line */
    int lines;             /* gathered together */
} axis_work;

static bool reals(const axis_work *a) { return a->type == KNR_RFFT; }
static bool to_reals(const axis_work *a) { return a->type == KNR_IRFFT; }
static bool is_complex(const axis_work *a) { return !reals(a) && !to_reals(a); }
static bool in_half(const axis_work *a) { return (reals(a) || to_reals(a)) && a->n % 2 == 0; }
static bool is_inverse(const axis_work *a) { return a->type == KNR_IFFT || a->type == KNR_IRFFT; }

static int64_t whole(int64_t n) { return (n + 63) / 64 * 64; }
static void *number_at(const axis_work *a, const void *base, int64_t i)
{
    return (char *)(uintptr_t)base + i * a->bytes;
}
static numbers planes(const axis_work *a, const void *at, int64_t n)
{
    return (numbers){.re = number_at(a, at, 0), .im = number_at(a, at, n)};
}
static numbers pairs(const void *at) { return (numbers){.re = (void *)(uintptr_t)at}; }
static numbers directed(const axis_work *a, numbers x)
{
    if (!is_inverse(a))
        return x;
    return x.im ? (numbers){.re = x.im, .im = x.re} : (numbers){.re = x.re, .swap = true};
}

/* --- side by side ----------------------------------------------------------------------------- */

static int64_t lanes_room(const axis_work *a)
{
    return 4 * (a->p->n + 1) * knr_fft_width(a->bytes) + knr_fft_room(a->p, (int)knr_fft_width(a->bytes), 1);
}

/* As pairs of real numbers along the axis, as real numbers, or as complex ones. */
static knr_fft_lanes lanes_of(const axis_work *a, const void *at, int64_t extent, bool real, int64_t first, int count)
{
    int64_t unit = real ? 1 : 2, pair = real && in_half(a) ? 2 : unit;
    knr_fft_lanes l = {.at = (void *)(uintptr_t)at, .step = pair * a->inner, .count = count, .scale = 1};
    l.second = !real ? 1 : in_half(a) ? a->inner : 0;
    l.n = real && in_half(a) ? extent / 2 : extent;
    for (int i = 0; i < count; i++) {
        int64_t lane = first + i;
        l.off[i] = unit * (lane / a->inner * extent * a->inner + lane % a->inner);
    }
    return l;
}

/* The numbers behind the first half + 1 are the conjugates of those. */
static void complete(const axis_work *a, numbers x, int64_t side)
{
    size_t bytes = (size_t)(side * a->bytes);
    for (int64_t k = a->n / 2 + 1; k < a->n; k++) {
        char *re = number_at(a, x.re, k * side), *im = number_at(a, x.im, k * side);
        memcpy(re, number_at(a, x.re, (a->n - k) * side), bytes);
        memcpy(im, number_at(a, x.im, (a->n - k) * side), bytes);
        for (int64_t i = 0; i < side; i++)
            if (a->bytes == 4)
                ((float *)im)[i] = -((float *)im)[i];
            else
                ((double *)im)[i] = -((double *)im)[i];
    }
    memset(x.im, 0, bytes);
}

static void run_lanes(void *arg, int64_t block, int worker)
{
    const axis_work *a = arg;
    const knr_fft_plan *p = a->p;
    int64_t width = knr_fft_width(a->bytes);
    /* of many neighbours none stand in the next row, so that they have one distance */
    int64_t rows = a->inner >= width ? a->outer : 1, of = rows == 1 ? a->outer * a->inner : a->inner;
    int64_t blocks = (of + width - 1) / width, start = block % blocks * width;
    int64_t size = (p->n + 1) * width, first = block / blocks * of + start;
    int count = of - start < width ? (int)(of - start) : (int)width;
    void *room = number_at(a, a->room, worker * a->worker), *rest = number_at(a, room, 4 * size);
    if (is_complex(a) && a->inner >= width && count == width) {
        int64_t at = 2 * (first / a->inner * a->n * a->inner + first % a->inner);
        numbers x = directed(a, pairs(number_at(a, a->x, at))), y = directed(a, pairs(number_at(a, a->y, at)));
        x.apart = y.apart = a->inner;
        knr_fft_run_plan(p, (int)width, x, y, a->scale, rest, 1);
        return;
    }
    numbers u = planes(a, room, size), v = planes(a, number_at(a, room, 2 * size), size), z;
    knr_fft_lanes from = lanes_of(a, a->x, a->n_x, reals(a), first, count);
    knr_fft_lanes to = lanes_of(a, a->y, a->n_y, to_reals(a), first, count);
    to.scale = a->scale;
    a->loops->take(&from, u.re, u.im);
    if (to_reals(a) && in_half(a)) {
        a->loops->real_lanes(&(knr_fft_real){.x = u, .y = v, .w = p->real, .m = p->n, .inverse = true});
        z = u, u = v, v = z;
    } else if (to_reals(a)) {
        complete(a, u, width);
    }
    knr_fft_run_plan(p, (int)width, directed(a, u), directed(a, v), 1, rest, 1);
    if (reals(a) && in_half(a)) {
        a->loops->real_lanes(&(knr_fft_real){.x = v, .y = u, .w = p->real, .m = p->n});
        v = u;
    }
    a->loops->put(&to, v.re, v.im);
}

/* --- lines ------------------------------------------------------------------------------------ */

typedef struct real_work {
    const axis_work *a;
    numbers x, y;
} real_work;

/* Numbers k and m - k of all k, or of one chunk of them. */
static void run_chunk(void *arg, int64_t chunk, int worker)
{
    (void)worker;
    const real_work *j = arg;
    const axis_work *a = j->a;
    const knr_fft_plan *p = a->p;
    int64_t k = 1 + chunk * CHUNK, behind = p->n / 2 + 1,
            end = !p->real_lanes || behind - k < CHUNK ? behind : k + CHUNK;
    int64_t width = knr_fft_width(a->bytes), first = p->real_lanes ? chunk * CHUNK / width : k;
    double table[2 * CHUNK / (KNR_FFT_MOST_WIDTH / 2)]; /* pairs; WIDTH is half of the most, of double */
    const void *w = p->real ? number_at(a, p->real, 2 * first) : table;
    if (!p->real) {
        knr_fft_powers e = p->real_w;
        e.first = k - 1, e.step = width, e.count = (end - k + width - 1) / width;
        a->loops->powers(&e, table);
    }
    a->loops->real(&(knr_fft_real){
        .x = j->x, .y = j->y, .w = w, .lanes = p->real_lanes, .m = p->n, .from = k, .to = end, .inverse = to_reals(a)});
}

/* Between the transform of pairs (or of planes) and that of the real numbers; y may be x. */
static void run_real(const axis_work *a, numbers x, numbers y, int threads)
{
    const knr_fft_plan *p = a->p;
    int64_t m = p->n;
    bool inverse = to_reals(a);
#define ENDS(T)                                                         \
    {                                                                   \
        const T *from = x.re, *second = x.im ? x.im : &from[1];         \
        T *to = y.re, u = from[0], v = inverse ? from[2 * m] : *second; \
        to[0] = u + v;                                                  \
        *(y.im ? (T *)y.im : &to[1]) = inverse ? u - v : 0;             \
        if (!inverse)                                                   \
            to[2 * m] = u - v, to[2 * m + 1] = 0;                       \
    }
    if (a->bytes == 4)
        ENDS(float)
    else
        ENDS(double)
#undef ENDS
    if (m < 2)
        return;
    real_work work = {a, x, y};
    knx_parallel(threads, p->real_lanes ? (m / 2 + CHUNK - 1) / CHUNK : 1, run_chunk, &work);
}

/* Whole rows that one loop transforms need no room. */
static bool in_one_loop(const axis_work *a) { return is_complex(a) && knr_fft_takes_rows(a->p); }

static int64_t line_room(const axis_work *a, int threads)
{
    if (in_one_loop(a))
        return 0;
    bool in_y = in_half(a) && reals(a) && a->p->kind != KNR_FFT_FLAT;
    int64_t own = is_complex(a) || in_y ? 0 : in_half(a) ? 2 * a->p->n : 4 * a->n;
    return whole(own) + knr_fft_room(a->p, 1, threads);
}

/* Lines that are transformed one after the other, in one room */
typedef struct line_work {
    const axis_work *a;
    void *room;
    int threads; /* for each line */
    bool ready;
    int64_t rows;             /* transformed at once */
    int64_t ahead_x, ahead_y; /* numbers between two lines that are fetched beforehand, or 0 */
    knr_fft_stages stages;
} line_work;

static void begin_lines(line_work *w, const axis_work *a, void *room, int threads)
{
    w->a = a;
    w->room = room;
    w->threads = threads;
    w->ready = false;
    w->rows = 1;
    w->ahead_x = w->ahead_y = 0;
}

/* Pairs, or planes that are the same for all lines */
static void transform(line_work *w, numbers x, numbers y, void *rest)
{
    const axis_work *a = w->a;
    const knr_fft_plan *p = a->p;
    if (p->kind != KNR_FFT_FLAT) {
        knr_fft_run_plan(p, 1, directed(a, x), directed(a, y), a->scale, rest, w->threads);
        return;
    }
    knr_fft_numbers *from = &w->stages.stage[0].call.x;
    if (!w->ready) {
        numbers u = directed(a, x), v = directed(a, y);
        u.ahead = x.im ? 0 : w->ahead_x, v.ahead = y.im ? 0 : w->ahead_y;
        knr_fft_prepare(p, 1, &u, &v, a->scale, rest, &w->stages);
        if (w->rows > 1) {
            knr_fft_groups *c = &w->stages.stage[0].call;
            c->m = w->rows, c->xp = c->yp = p->n;
        }
        w->ready = true;
    } else if (!from->im) {
        from->re = x.re;
    }
    if (!y.im)
        w->stages.stage[w->stages.n - 1].call.y.re = y.re;
    knr_fft_run_stages(&w->stages);
}

static void run_line(line_work *w, const void *x, void *y)
{
    const axis_work *a = w->a;
    const knr_fft_plan *p = a->p;
    void *room = w->room;
    int64_t n = a->n;
    if (is_complex(a)) {
        transform(w, pairs(x), pairs(y), room);
        return;
    }
    if (in_half(a)) {
        bool flat = p->kind == KNR_FFT_FLAT; /* parts need not be put together between */
        numbers z = flat ? planes(a, room, p->n) : pairs(reals(a) ? y : room);
        void *rest = number_at(a, room, flat || to_reals(a) ? whole(2 * p->n) : 0);
        if (reals(a)) {
            transform(w, pairs(x), z, rest);
            const char *next = number_at(a, y, 2 * w->ahead_y); /* passes that write planes do not fetch it */
            for (int64_t i = 0; flat && w->ahead_y && i < a->n_y * 2 * a->bytes; i += KNR_FFT_LINE)
                __builtin_prefetch(next + i, 1, 2);
            run_real(a, z, pairs(y), w->threads);
        } else {
            run_real(a, pairs(x), z, w->threads);
            transform(w, z, pairs(y), rest);
        }
        return;
    }
    numbers u = planes(a, room, n);
    void *z = number_at(a, room, 2 * n), *rest = number_at(a, room, whole(4 * n));
    size_t bytes = (size_t)a->bytes;
    if (reals(a)) {
        memcpy(u.re, x, (size_t)n * bytes);
        memset(u.im, 0, (size_t)n * bytes);
        transform(w, u, pairs(z), rest);
        memcpy(y, z, (size_t)a->n_y * 2 * bytes);
        return;
    }
    for (int64_t k = 0; k < a->n_x; k++) {
        memcpy(number_at(a, u.re, k), number_at(a, x, 2 * k), bytes);
        memcpy(number_at(a, u.im, k), number_at(a, x, 2 * k + 1), bytes);
    }
    complete(a, u, 1);
    transform(w, u, pairs(z), rest);
    for (int64_t k = 0; k < n; k++)
        memcpy(number_at(a, y, k), number_at(a, z, 2 * k), bytes);
}

/* Lines of a few numbers, but for where they are and how many */
static bool find_short(const axis_work *a, knr_fft_short *c)
{
    if (!(is_complex(a) || in_half(a)) || !knr_fft_find_short(in_half(a) ? a->n / 2 : a->n, a->bytes, c))
        return false;
    c->of_x = a->n_x * (reals(a) ? 1 : 2), c->of_y = a->n_y * (to_reals(a) ? 1 : 2);
    c->swap = is_inverse(a), c->from_real = reals(a), c->to_real = to_reals(a);
    c->scale = a->scale;
    return true;
}

/* From number i to `end` */
static bool run_short(const axis_work *a, int64_t i, int64_t end)
{
    knr_fft_short c;
    if (!find_short(a, &c))
        return false;
    c.x = number_at(a, a->x, i * c.of_x), c.y = number_at(a, a->y, i * c.of_y);
    c.rows = end - i;
    a->loops->lines(&c);
    return true;
}

static void run_rows(void *arg, int64_t part, int worker)
{
    const axis_work *a = arg;
    void *room = number_at(a, a->room, worker * a->worker);
    int64_t of_x = a->n_x * (reals(a) ? 1 : 2), of_y = a->n_y * (to_reals(a) ? 1 : 2);
    line_work w;
    begin_lines(&w, a, room, a->inside);
    if (a->outer * (of_x + of_y) * a->bytes >= FAR_BYTES && (is_complex(a) || in_half(a))) {
        w.ahead_x = to_reals(a) ? 0 : of_x / 2; /* the numbers of IRFFT are put together in the room */
        w.ahead_y = of_y / 2;
    }
    int64_t i = part * a->outer / a->parts, end = (part + 1) * a->outer / a->parts;
    if (run_short(a, i, end))
        return;
    if (in_one_loop(a))
        w.rows = end - i;
    for (; i < end; i += w.rows)
        run_line(&w, number_at(a, a->x, i * of_x), number_at(a, a->y, i * of_y));
}

/* Elements of `bytes` between a line of an array and one of adjacent elements. */
static void move_lines(char *line, char *array, int64_t n, int64_t step, int lines, size_t bytes, bool back)
{
    for (int64_t j = 0; j < n; j++)
        for (int i = 0; i < lines; i++) {
            char *here = line + (size_t)(i * n + j) * bytes, *there = array + (size_t)(j * step + i) * bytes;
            if (bytes == 4)
                memcpy(back ? there : here, back ? here : there, 4);
            else if (bytes == 8)
                memcpy(back ? there : here, back ? here : there, 8);
            else
                memcpy(back ? there : here, back ? here : there, 16);
        }
}

static int64_t gathered_room(const axis_work *a, int threads)
{
    return whole(2 * a->lines * a->n_x) + whole(2 * a->lines * a->n_y) + line_room(a, threads);
}

/* Lines that lie across others, or in place: some of them are gathered, transformed and put back. */
static void run_gathered(void *arg, int64_t part, int worker)
{
    const axis_work *a = arg;
    int64_t blocks = (a->inner + a->lines - 1) / a->lines, o = part / blocks, i = part % blocks * a->lines;
    int lines = a->inner - i < a->lines ? (int)(a->inner - i) : a->lines;
    int64_t size_x = reals(a) ? 1 : 2, size_y = to_reals(a) ? 1 : 2;
    void *room = number_at(a, a->room, worker * a->worker), *to = number_at(a, room, whole(2 * a->lines * a->n_x));
    void *rest = number_at(a, to, whole(2 * a->lines * a->n_y));
    char *x = number_at(a, a->x, (o * a->n_x * a->inner + i) * size_x),
         *y = number_at(a, a->y, (o * a->n_y * a->inner + i) * size_y);
    move_lines(room, x, a->n_x, a->inner, lines, (size_t)(size_x * a->bytes), false);
    line_work w;
    begin_lines(&w, a, rest, a->inside);
    for (int k = 0; k < lines; k++)
        run_line(&w, number_at(a, room, k * a->n_x * size_x), number_at(a, to, k * a->n_y * size_y));
    move_lines(to, y, a->n_y, a->inner, lines, (size_t)(size_y * a->bytes), true);
}

/* --- axes ------------------------------------------------------------------------------------- */

typedef enum way { ROWS, LANES, GATHERED } way;

/* How the lines of an axis are transformed by so many threads; fills in the parts and the rooms. Returns all of the
 * room, in real numbers. */
static int64_t decide(axis_work *a, int threads, way *how)
{
    int64_t all = a->outer * a->inner;
    int64_t block = knr_fft_width(a->bytes), of = a->inner >= block ? a->inner : all;
    bool few = all < block / 2 || a->p->n >= LANES_BELOW;
    few = few || (is_complex(a) && (a->p->columns || knr_fft_takes_rows(a->p)));
    knr_fft_short c;
    bool by_line = (is_complex(a) || in_half(a)) && knr_fft_find_short(a->p->n, a->bytes, &c);
    by_line = by_line || (a->p->alone && (few || !a->p->wide));
    *how = a->inner == 1 && a->x != a->y && by_line ? ROWS : a->p->wide ? LANES : GATHERED;
    a->inside = 1;
    int workers = threads;
    if (*how == LANES) {
        a->parts = (of + block - 1) / block * (all / (of ? of : 1));
        a->worker = whole(lanes_room(a));
        return a->worker * workers;
    }
    a->lines = (int)(64 / (2 * a->bytes));
    while (a->lines > 1 && (a->lines > a->inner || a->lines * a->n * 4 * a->bytes > LINES_BYTES))
        a->lines /= 2;
    a->parts = *how == ROWS ? all : a->outer * ((a->inner + a->lines - 1) / a->lines);
    if (a->parts < threads && a->p->kind != KNR_FFT_FLAT)
        a->inside = threads, workers = 1;
    if (*how == ROWS && a->parts > 4 * (int64_t)threads)
        a->parts = 4 * (int64_t)threads;
    a->worker = whole(*how == ROWS ? line_room(a, a->inside) : gathered_room(a, a->inside));
    return a->worker * workers;
}

static void run_axis(axis_work *a, way how, int threads)
{
    void (*run)(void *arg, int64_t part, int worker) = how == ROWS ? run_rows : how == LANES ? run_lanes : run_gathered;
    if (a->inside == 1 && a->parts > 1) {
        knx_parallel(threads, a->parts, run, a);
        return;
    }
    for (int64_t i = 0; i < a->parts; i++) /* each of them has all threads, which no part of a parallel run has */
        run(a, i, 0);
}

enum { FROM_X, IN_MIDDLE, IN_Y };

/* Number i of the passes: the last axis comes first, but for IRFFT, which has it last. */
static axis_work pass_of(const knr_fft *f, int i, int *from, int *to)
{
    bool irfft = f->type == KNR_IRFFT, last;
    int which = irfft ? i : f->n_axes - 1 - i;
    last = which == f->n_axes - 1;
    int64_t axis = f->axes[which], n = f->lengths[which];
    axis_work a = {.type = f->type, .bytes = f->bytes, .outer = 1, .inner = 1, .n = n, .scale = 1};
    if (!last)
        a.type = irfft ? KNR_IFFT : f->type == KNR_RFFT ? KNR_FFT : f->type;
    a.n_x = a.type == KNR_IRFFT ? n / 2 + 1 : n;
    a.n_y = a.type == KNR_RFFT ? n / 2 + 1 : n;
    a.scale = is_inverse(&a) ? 1 / (double)n : 1;
    for (int d = 0; d < f->ndim; d++) {
        int64_t extent = f->dim[d];
        if (d == f->axes[f->n_axes - 1] && f->type == KNR_RFFT && !last)
            extent = f->lengths[f->n_axes - 1] / 2 + 1; /* it is transformed already */
        *(d < axis ? &a.outer : &a.inner) *= d == axis ? 1 : extent;
    }
    *from = i == 0 ? FROM_X : irfft ? IN_MIDDLE : IN_Y;
    *to = irfft && !last ? IN_MIDDLE : IN_Y;
    return a;
}

static size_t middle_bytes(const knr_fft *f)
{
    size_t bytes = (size_t)f->bytes * 2;
    for (int d = 0; d < f->ndim; d++)
        bytes *= (size_t)f->dim[d];
    return f->type == KNR_IRFFT && f->n_axes > 1 ? (bytes + 63) / 64 * 64 : 0;
}

static bool begin(axis_work *a)
{
    bool half = in_half(a);
    a->p = knr_fft_find(half ? a->n / 2 : a->n, a->bytes, half);
    a->loops = knr_fft_loops_of(a->bytes);
    return a->p != NULL;
}

static bool nothing_to_do(const knr_fft *f)
{
    for (int d = 0; d < f->ndim; d++)
        if (f->dim[d] == 0)
            return true;
    return false;
}

size_t knr_fft_workspace(const knr_fft *f, int threads)
{
    int64_t most = 0;
    int from, to;
    for (int i = 0; i < f->n_axes && !nothing_to_do(f); i++) {
        axis_work a = pass_of(f, i, &from, &to);
        way how;
        if (!begin(&a))
            return SIZE_MAX;
        a.y = from == to ? NULL : &a; /* only whether it is x counts */
        int64_t n = decide(&a, threads, &how) * a.bytes;
        most = n > most ? n : most;
        knr_fft_leave(a.p);
    }
    return middle_bytes(f) + (size_t)most;
}

/* One line by itself, which short calls are, as decide and run_axis would do it; false: it is something else. What is
 * not set here is not read. */
static bool is_one_line(const knr_fft *f, axis_work *a)
{
    if (f->n_axes != 1 || f->axes[0] != f->ndim - 1)
        return false;
    for (int d = 0; d < f->ndim - 1; d++)
        if (f->dim[d] != 1)
            return false;
    a->type = f->type, a->bytes = f->bytes, a->n = f->lengths[0], a->scale = is_inverse(a) ? 1 / (double)a->n : 1;
    a->n_x = a->n_y = 0;
    a->loops = knr_fft_loops_of(a->bytes);
    return is_complex(a) || in_half(a);
}

/* Lines of a few numbers, whose plan is a table of the process; else a->p is found: a reference, or NULL. */
static bool is_short_line(axis_work *a, knr_fft_short *c)
{
    a->p = NULL;
    if (a->n <= 2 * KNR_FFT_MOST_SHORT && find_short(a, c))
        return true;
    a->p = knr_fft_find(in_half(a) ? a->n / 2 : a->n, a->bytes, in_half(a));
    return false;
}

static bool is_flat_line(const axis_work *a) { return a->p && a->p->kind == KNR_FFT_FLAT && a->p->alone; }

static bool run_flat_line(const axis_work *a, const void *x, void *y, void *room)
{
    if (!room && !in_one_loop(a))
        return false;
    line_work w;
    begin_lines(&w, a, room, 1);
    run_line(&w, x, y);
    return true;
}

/* False: it is something else, or has no room that it needs. */
static bool run_one(const knr_fft *f, const void *x, void *y, void *room)
{
    axis_work a;
    knr_fft_short c;
    if (!is_one_line(f, &a))
        return false;
    if (is_short_line(&a, &c)) {
        c.x = x, c.y = y, c.rows = 1;
        a.loops->lines(&c);
        return true;
    }
    bool done = is_flat_line(&a) && run_flat_line(&a, x, y, room);
    if (a.p)
        knr_fft_leave(a.p);
    return done;
}

struct knr_fft_line {
    axis_work a;
    enum { SHORT_LINE, ONE_LOOP, PASSES } how;
    knr_fft_short few;     /* but for x and y */
    knr_fft_stages stages; /* ONE_LOOP: a single one, but for them */
};

knr_fft_line *knr_fft_line_new(const knr_fft *f)
{
    knr_fft_line *l = knx_alloc_zero(sizeof *l);
    if (!l || !is_one_line(f, &l->a)) {
        knx_free(l);
        return NULL;
    }
    axis_work *a = &l->a;
    bool few = is_short_line(a, &l->few);
    l->few.rows = 1;
    if (!few && !(is_flat_line(a) && a->p->size <= HELD_BYTES)) {
        knr_fft_line_free(l);
        return NULL;
    }
    l->how = few ? SHORT_LINE : in_one_loop(a) ? ONE_LOOP : PASSES;
    if (l->how == ONE_LOOP) {
        numbers x = directed(a, pairs(NULL)), y = directed(a, pairs(NULL));
        knr_fft_prepare(a->p, 1, &x, &y, a->scale, NULL, &l->stages);
    }
    return l;
}

void knr_fft_line_free(knr_fft_line *l)
{
    if (l && l->a.p)
        knr_fft_leave(l->a.p);
    knx_free(l);
}

bool knr_fft_line_run(const knr_fft_line *l, const void *x, void *y, void *workspace)
{
    if (l->how == SHORT_LINE) {
        knr_fft_short c = l->few;
        c.x = x, c.y = y;
        l->a.loops->lines(&c);
        return true;
    }
    if (l->how == PASSES)
        return run_flat_line(&l->a, x, y, workspace);
    knr_fft_groups c = l->stages.stage[0].call;
    c.x.re = (void *)(uintptr_t)x, c.y.re = y;
    l->stages.stage[0].run(&c);
    return true;
}

knx_error *knr_fft_run(const knr_fft *f, const void *x, void *y, void *workspace, int threads)
{
    knx_buffer *own = NULL;
    if (nothing_to_do(f) || (!workspace && run_one(f, x, y, NULL)))
        return NULL;
    if (!workspace) {
        size_t bytes = knr_fft_workspace(f, threads);
        if (bytes == SIZE_MAX || (bytes && !(own = knx_buffer_scratch(bytes))))
            return knx_error_nomem();
        workspace = own ? own->data : NULL;
    }
    if (run_one(f, x, y, workspace)) {
        knx_buffer_release(own);
        return NULL;
    }
    void *room = workspace ? (char *)workspace + middle_bytes(f) : NULL;
    knx_error *error = NULL;
    for (int i = 0; i < f->n_axes && !error; i++) {
        int from, to;
        axis_work a = pass_of(f, i, &from, &to);
        way how;
        a.x = from == FROM_X ? x : from == IN_MIDDLE ? workspace : y;
        a.y = to == IN_MIDDLE ? workspace : y;
        a.room = room;
        if (!begin(&a)) {
            error = knx_error_nomem();
            break;
        }
        decide(&a, threads, &how);
        run_axis(&a, how, threads);
        knr_fft_leave(a.p);
    }
    knx_buffer_release(own);
    return error;
}
