/* SPDX-License-Identifier: Apache-2.0
 * fft_plan.c -- plans of Fourier transforms: factors, tables, and the plans that are kept. The tables are computed in
 * double precision by operations of IEEE 754 alone, so that they are the same everywhere. */
#include "host/routine/fft_plan.h"
#include "base/lock.h"
#include "host/routine/fft.h"
#include <string.h>

enum {
    FLAT_MOST = 8192,       /* numbers of a flat transform, */
    COLUMNS_MOST = 16384,   /* and of one in columns whose steps would not be whole blocks of lanes */
    CHIRP_WIDE = 4096,      /* of the convolution of a chirp that runs in lanes */
    REAL_TABLE = 16384,     /* of a table for real transforms: not below COLUMNS_MOST, since lanes read it, too */
    BLOCKS_BYTES = 8 << 20, /* of a table of the blocks of a split one */
    PLANS_BYTES = 48 << 20, /* of the plans that nobody uses */
};
#define MOST ((int64_t)1 << 36) /* longer ones fit no memory, and would need a fourth step */

/* --- roots of unity --------------------------------------------------------------------------- */

void knr_fft_root(int64_t k, int64_t n, double w[2])
{
    k %= n;
    knr_fft_loops_of(8)->roots(&k, n, 1, w);
}

/* Lanes along p and q: where whole lines along q would be few, and the last of them end too late. */
bool knr_fft_walks(const knr_fft_plan *p, const knr_fft_pass *a)
{
    int64_t width = knr_fft_width(p->bytes);
    return a->s < width || (a->s % width && a->s < 4 * width && a->m > 1);
}

/* Powers of exp(-2 pi i / n), each so many times: their exponents grow by `step`, which grows by `more`. */
typedef struct series {
    int64_t n, first, step, more, times;
} series;

/* Where they go: real part number i to at + i by, the imaginary one `second` behind it, of numbers of so many bytes. */
typedef struct places {
    void *table;
    int bytes;
    int64_t at, by, second;
} places;

static void number_set(const places *to, int64_t i, double v)
{
    if (to->bytes == 4)
        ((float *)to->table)[i] = (float)v;
    else
        ((double *)to->table)[i] = v;
}

static void set_powers(places to, series of, int64_t count)
{
    enum { SOME = 64 };
    int64_t k[SOME], e = of.first % of.n, step = of.step % of.n, time = 0;
    double w[2 * SOME];
    for (int64_t i = 0; i < count; i += SOME) {
        int many = count - i < SOME ? (int)(count - i) : SOME;
        for (int j = 0; j < many; j++) {
            k[j] = e;
            if (++time < of.times)
                continue;
            time = 0;
            e += step;
            e -= e >= of.n ? of.n : 0;
            step += of.more;
            step -= step >= of.n ? of.n : 0;
        }
        knr_fft_loops_of(8)->roots(k, of.n, many, w);
        for (int j = 0; j < many; j++) {
            number_set(&to, to.at + (i + j) * to.by, w[2 * j]);
            number_set(&to, to.at + (i + j) * to.by + to.second, w[2 * j + 1]);
        }
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

static void *numbers_new(knr_fft_plan *p, int64_t n)
{
    char *at = knx_arena_alloc(&p->arena, (size_t)n * (size_t)p->bytes + 64);
    return at ? at + (64 - (uintptr_t)at % 64) % 64 : NULL;
}

static places pairs_at(const knr_fft_plan *p, void *table, int64_t first)
{
    return (places){.table = table, .bytes = p->bytes, .at = 2 * first, .by = 2, .second = 1};
}

/* The first factor of a radix that has two; or 1 */
static int first_factor(int r) { return r == 6 ? 2 : r == 9 || r == 15 ? 3 : r == 25 ? 5 : 1; }

/* Cosines and sines of an odd radix, or of its odd factors; then the turns between the columns and the rows of two
 * factors. */
static bool roots_table(knr_fft_plan *p, knr_fft_pass *a)
{
    int f = first_factor(a->r), of[] = {f, a->r / f}, n = 0;
    void *roots = numbers_new(p, 2 * a->r);
    if (!roots)
        return false;
    for (int i = of[0] % 2 && of[0] > 1 && of[0] != of[1] ? 0 : 1; i < 2; i++)
        for (int j = 1; j <= of[i] / 2; j++) /* sines are positive there */
            set_powers(pairs_at(p, roots, n++), (series){.n = of[i], .first = of[i] - j, .times = 1}, 1);
    for (int j = 1; f > 1 && j < of[1]; j++, n += f - 1)
        set_powers(pairs_at(p, roots, n), (series){.n = a->r, .first = j, .step = j, .times = 1}, f - 1);
    a->roots = roots;
    return true;
}

/* alone: lanes may be places of one transform; n: the power of w that is 1 */
static bool pass_tables(knr_fft_plan *p, knr_fft_pass *a, int64_t n, bool alone)
{
    int64_t others = a->r - 1, all = a->s * a->m;
    if (a->r & (a->r - 1) && !roots_table(p, a))
        return false;
    if (a->m == 1)
        return true;
    void *by_p = numbers_new(p, 2 * a->m * others);
    if (!by_p)
        return false;
    for (int64_t i = 0; i < a->m; i++)
        set_powers(pairs_at(p, by_p, i * others), (series){.n = n, .first = i * a->s, .step = i * a->s, .times = 1},
                   others);
    a->by_p = by_p;
    if (!alone || !knr_fft_walks(p, a))
        return true;
    void *by_t = numbers_new(p, 2 * all * others + KNR_FFT_MOST_WIDTH);
    if (!by_t)
        return false;
    for (int64_t k = 0; k < others; k++)
        set_powers((places){.table = by_t, .bytes = p->bytes, .at = 2 * k * all, .by = 1, .second = all},
                   (series){.n = n, .step = (k + 1) * a->s, .times = a->s}, all);
    a->by_t = by_t;
    return true;
}

/* Turns w^(k l) of lines, w = exp(-2 pi i / n): [lines][2][WIDTH]. */
static void *lines_table(knr_fft_plan *p, int64_t lines, int64_t n)
{
    int64_t width = knr_fft_width(p->bytes);
    void *table = numbers_new(p, 2 * lines * width);
    for (int64_t i = 0; table && i < lines; i++)
        set_powers((places){.table = table, .bytes = p->bytes, .at = 2 * i * width, .by = 1, .second = width},
                   (series){.n = n, .step = i, .times = 1}, width);
    return table;
}

/* For powers of exp(-2 pi i / n). */
static bool powers_tables(knr_fft_plan *p, knr_fft_powers *w, int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << 2 * bits < n)
        bits++;
    int64_t low = (int64_t)1 << bits, high = (n >> bits) + 1;
    double *at = knx_arena_alloc(&p->arena, (size_t)(low + high) * 2 * sizeof(double));
    if (!at)
        return false;
    places to = {.table = at, .bytes = 8, .by = 2, .second = 1};
    set_powers(to, (series){.n = n, .step = 1, .times = 1}, low);
    to.at = 2 * low;
    set_powers(to, (series){.n = n, .step = low, .times = 1}, high);
    *w = (knr_fft_powers){.low = at, .high = at + 2 * low, .bits = bits, .n = n};
    return true;
}

/* For 2 n real numbers. */
static bool real_tables(knr_fft_plan *p)
{
    int64_t width = knr_fft_width(p->bytes);
    bool few = p->n <= REAL_TABLE;
    int64_t count = few ? p->n / 2 + 1 : p->n / 2 / width + 1, step = few ? 1 : width;
    bool many = 2 * count * p->bytes > BLOCKS_BYTES;
    void *real = many ? NULL : numbers_new(p, 2 * count), *lanes = few ? NULL : numbers_new(p, 2 * width);
    if ((!many && !real) || (!few && !lanes) || (many && !powers_tables(p, &p->real_w, 2 * p->n)))
        return false;
    if (real)
        set_powers(pairs_at(p, real, 0), (series){.n = 2 * p->n, .step = step, .times = 1}, count);
    if (lanes)
        set_powers((places){.table = lanes, .bytes = p->bytes, .by = 1, .second = width},
                   (series){.n = 2 * p->n, .first = 1, .step = 1, .times = 1}, width);
    p->real = real;
    p->real_lanes = lanes;
    return true;
}

/* --- short lines ------------------------------------------------------------------------------ */

/* Tables of the lengths of short lines: turns, roots, those of 2 n real numbers. They stay. */
enum { SHORT_TURNS = 56, SHORT_ROOTS = 6, SHORT_ALL = SHORT_TURNS + SHORT_ROOTS + 2 * (KNR_FFT_MOST_SHORT / 2 + 1) };
static const int short_length[] = {1, 2, 3, 4, 5, 7, 8, 16, 32};
enum { SHORT_LENGTHS = sizeof short_length / sizeof *short_length };
static float short_f32[SHORT_LENGTHS][SHORT_ALL];
static double short_f64[SHORT_LENGTHS][SHORT_ALL];
static _Atomic(bool) short_ready[2];
static knx_global_lock short_lock = KN_GLOBAL_LOCK_INIT;

static void make_short(int n, void *table, int bytes)
{
    places to = {.table = table, .bytes = bytes, .by = 1, .second = 4};
    for (int k = 1; n > 8 && k < n / 4; k++) { /* as pass_tables has them for the first pass */
        to.at = 8 * (k - 1);
        set_powers(to, (series){.n = n, .step = k, .times = 1}, 4);
    }
    to.by = 2, to.second = 1;
    for (int j = 1; n % 2 && j <= n / 2; j++) { /* as roots_table */
        to.at = SHORT_TURNS + 2 * (j - 1);
        set_powers(to, (series){.n = n, .first = n - j, .times = 1}, 1);
    }
    to.at = SHORT_TURNS + SHORT_ROOTS; /* as real_tables */
    set_powers(to, (series){.n = 2 * n, .step = 1, .times = 1}, n / 2 + 1);
}

static void *short_table(int slot, int bytes) { return bytes == 4 ? (void *)short_f32[slot] : (void *)short_f64[slot]; }

bool knr_fft_find_short(int64_t n, int bytes, knr_fft_short *c)
{
    static const signed char slots[KNR_FFT_MOST_SHORT + 1] = {-1, 0,  1,  2,  3,  4,  -1, 5,  6,  -1, -1,
                                                              -1, -1, -1, -1, -1, 7,  -1, -1, -1, -1, -1,
                                                              -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 8};
    int slot = n > KNR_FFT_MOST_SHORT ? -1 : slots[n], which = bytes == 8;
    if (slot < 0 || !knr_fft_loops_of(bytes)->lines)
        return false;
    if (!atomic_load_explicit(&short_ready[which], memory_order_acquire)) {
        knx_global_lock_take(&short_lock);
        if (!atomic_load_explicit(&short_ready[which], memory_order_relaxed)) {
            for (int i = 0; i < SHORT_LENGTHS; i++)
                make_short(short_length[i], short_table(i, bytes), bytes);
            atomic_store_explicit(&short_ready[which], true, memory_order_release);
        }
        knx_global_unlock(&short_lock);
    }
    char *table = short_table(slot, bytes);
    c->n = (int)n, c->slot = slot;
    c->turns = table;
    c->roots = table + SHORT_TURNS * bytes;
    c->real = table + (SHORT_TURNS + SHORT_ROOTS) * bytes;
    return true;
}

/* --- factors ---------------------------------------------------------------------------------- */

typedef struct factors {
    int n;
    int64_t v[64]; /* primes, the smallest first */
} factors;

static factors factors_of(int64_t n)
{
    factors f = {0};
    for (int64_t q = 2; q * q <= n; q++)
        for (; n % q == 0; n /= q)
            f.v[f.n++] = q;
    if (n > 1)
        f.v[f.n++] = n;
    return f;
}

/* May q be a radix in a transform of n numbers? A prime that is nearly all of it would have no lanes. */
static bool is_radix(int64_t q, int64_t n) { return q <= 13 || (q <= KNR_FFT_MOST_ODD && n >= KNR_FFT_MOST_WIDTH * q); }

/* Not less than n, of the factors 2, 3 and 5: the one whose passes take the least time, by what twos, threes and fives
 * were seen to take. */
static int64_t good_length(int64_t n)
{
    int64_t best = INT64_MAX;
    double least = 0;
    for (int64_t five = 1, fives = 0; five < 4 * n; five *= 5, fives++)
        for (int64_t three = five, threes = 0; three < 4 * n; three *= 3, threes++) {
            int64_t all = three;
            int twos = 0;
            for (; all < n || all % 16; twos++)
                all *= 2;
            double time = (double)all * (twos + 2.5 * (double)threes + 4 * (double)fives);
            if (best == INT64_MAX || time < least)
                best = all, least = time;
        }
    return best;
}

/* What a plan is for: any call; a step of a split one, so that it has to run in lanes; a chirp's convolution, so that
 * it cannot be a chirp. */
typedef enum plan_use { ANY_USE, IN_LANES, CONVOLUTION } plan_use;

/* Radices whose product is 2^twos, as few of them as there can be. */
static int few_radices(int twos, int *radix)
{
    int n = (twos + 3) / 4, spare = 4 * n - twos;
    for (int i = 0; i < n; i++)
        radix[i] = 16 >> (spare / n + (i < spare % n ? 1 : 0));
    return n;
}

/* Radices up to `most`, 8 at most, the largest first, since their lanes part best where lanes are places of one
 * transform; of fours a two may be left, for radices_of. */
static int eight_radices(int twos, int64_t most, int *radix)
{
    int n = 0;
    for (; twos >= 3 && twos != 4 && most >= 8; twos -= 3)
        radix[n++] = 8;
    for (; twos >= 2 && most >= 4; twos -= 2)
        radix[n++] = 4;
    for (; twos && (most >= 8 || most < 4); twos--)
        radix[n++] = 2;
    return n;
}

static bool in_columns(const knr_fft_plan *p, plan_use use)
{
    int64_t width = knr_fft_width(p->bytes);
    return use != IN_LANES && p->n % width == 0 && p->n / width >= width;
}

/* Radices of a product of primes: those above 5, the largest first; two of the small ones together where n / (their
 * product) is at least `least`; single ones. */
static int radices_of(const int64_t *prime, int primes, int64_t n, int64_t least, int *radix)
{
    static const int pair[][2] = {{5, 5}, {5, 3}, {3, 3}, {3, 2}};
    int count[6] = {0}, many = 0;
    for (int i = primes - 1; i >= 0; i--)
        if (prime[i] > 5)
            radix[many++] = (int)prime[i];
        else
            count[prime[i]]++;
    for (int i = 0; i < 4; i++) {
        int a = pair[i][0], b = pair[i][1];
        for (; (a == b ? count[a] > 1 : count[a] > 0 && count[b] > 0) && n >= least * a * b; count[a]--, count[b]--)
            radix[many++] = a * b;
    }
    for (int q = 5; q > 1; q--)
        for (; count[q] > 0; count[q]--)
            radix[many++] = q;
    return many;
}

static void flat_passes(knr_fft_plan *p, plan_use use)
{
    int64_t width = knr_fft_width(p->bytes), of = in_columns(p, use) ? p->n / width : p->n, s = 1;
    factors f = factors_of(of);
    int twos = 0, radix[64], n;
    bool lines = use == IN_LANES || of < p->n;
    while (twos < f.n && f.v[twos] == 2)
        twos++;
    int64_t least = width / 2, most = p->n == 64 ? 4 : p->n / least; /* 64 by eights would not fill the lanes */
    if (twos == f.n && p->n <= KNR_FFT_MOST_SHORT)
        most = p->n == 16 ? 4 : 8; /* lines of them go through all passes in registers */
    n = lines ? few_radices(twos, radix) : eight_radices(twos, most, radix);
    int left = !lines && most >= 4 && most < 8 ? twos % 2 : 0;
    n += radices_of(f.v + twos - left, f.n - twos + left, of, lines ? 1 : least, radix + n);
    if (!n)
        radix[n++] = 1;
    p->alone = true;
    for (int i = 0; i < n; i++) {
        p->pass[i] = (knr_fft_pass){.r = radix[i], .s = s, .m = of / s / radix[i]};
        s *= radix[i];
        p->alone = p->alone && (of < p->n || of / radix[i] >= least);
    }
    p->n_pass = n;
    p->wide = true;
}

static bool make_flat(knr_fft_plan *p, plan_use use)
{
    p->kind = KNR_FFT_FLAT;
    flat_passes(p, use);
    bool columns = in_columns(p, use), well = true;
    int64_t width = knr_fft_width(p->bytes);
    for (int i = 0; well && i < p->n_pass; i++)
        well = pass_tables(p, &p->pass[i], columns ? p->n / width : p->n, !columns && use != IN_LANES);
    if (well && columns)
        well = (p->columns = lines_table(p, p->n / width, p->n)) != NULL;
    return well;
}

static knr_fft_plan *plan_new(int64_t n, int bytes, plan_use use);
static void plan_free(knr_fft_plan *p);

/* The divisor next to `wanted`, in the ratio; both it and the rest at least WIDTH. 1: there is none. */
static int64_t divisor_near(const factors *f, int64_t n, double wanted)
{
    int64_t all[4096], best = 1;
    int many = 1;
    double off = 0;
    all[0] = 1;
    for (int i = 0; i < f->n; i++) {
        int before = many;
        for (int j = 0; j < before && many < 4096; j++) {
            int64_t d = all[j] * f->v[i];
            bool known = d > FLAT_MOST;
            for (int k = 0; k < many && !known; k++)
                known = all[k] == d;
            if (!known)
                all[many++] = d;
        }
    }
    for (int j = 0; j < many; j++) {
        double ratio = (double)all[j] > wanted ? (double)all[j] / wanted : wanted / (double)all[j];
        if (all[j] >= KNR_FFT_MOST_WIDTH && n / all[j] >= KNR_FFT_MOST_WIDTH && (best == 1 || ratio < off))
            best = all[j], off = ratio;
    }
    return best;
}

static double root_of(double x, bool third)
{
    double y = 1;
    while (third ? y * y * y < x : y * y < x)
        y *= 1.03125;
    return y;
}

/* The radices of the steps; 0: n has no such factors. */
static int split_radices(int64_t n, const factors *f, int64_t r[KNR_FFT_MOST_STEPS])
{
    bool three = n > (int64_t)4096 * 4096;
    r[0] = divisor_near(f, n, root_of((double)n, three));
    int64_t rest = n / r[0];
    if (r[0] == 1)
        return 0;
    if (rest <= FLAT_MOST && !three) {
        r[1] = rest;
        return 2;
    }
    factors g = factors_of(rest);
    r[1] = divisor_near(&g, rest, root_of((double)rest, false));
    r[2] = rest / r[1];
    return r[1] > 1 && r[2] <= FLAT_MOST ? 3 : 0;
}

/* Transforms of r that run in lanes */
static bool step_fits(int64_t r)
{
    factors f = factors_of(r);
    return r <= FLAT_MOST && (is_radix(f.v[f.n - 1], r) || good_length(2 * r - 1) <= CHIRP_WIDE);
}

/* For the first step: turns of a block's lanes, and those of the blocks. */
static bool first_tables(knr_fft_plan *p, knr_fft_step *a)
{
    int64_t width = knr_fft_width(p->bytes), blocks = (a->m + width - 1) / width;
    if (!(a->by_lane = lines_table(p, a->r, a->r * a->m)))
        return false;
    if (2 * blocks * a->r * p->bytes > BLOCKS_BYTES)
        return true;
    void *by_block = numbers_new(p, 2 * blocks * a->r);
    for (int64_t i = 0; by_block && i < blocks; i++)
        set_powers(pairs_at(p, by_block, i * a->r), (series){.n = a->r * a->m, .step = i * width, .times = 1}, a->r);
    a->by_block = by_block;
    return by_block != NULL;
}

static bool make_split(knr_fft_plan *p, int n_step, const int64_t *r)
{
    int64_t s = 1;
    p->kind = KNR_FFT_SPLIT;
    p->alone = true;
    for (int i = 0; i < n_step; i++) {
        knr_fft_step *a = &p->step[i];
        *a = (knr_fft_step){.r = r[i], .s = s, .m = p->n / s / r[i], .plan = plan_new(r[i], p->bytes, IN_LANES)};
        p->n_step = i + 1;
        if (!a->plan)
            return false;
        s *= r[i];
        p->size += a->plan->size;
        if (a->m > 1 && !powers_tables(p, &a->w, a->r * a->m))
            return false;
        if (a->m > 1 && a->s == 1 && !first_tables(p, a))
            return false;
    }
    return true;
}

/* w^(k^2 / 2), w = exp(-2 pi i / n) */
static series chirp_of(int64_t n) { return (series){.n = 2 * n, .step = 1, .more = 2, .times = 1}; }

/* The transform of the chirp, in double precision, rounded once. */
static bool make_image(knr_fft_plan *p)
{
    int64_t n = p->n, length = p->longer->n;
    const knr_fft_plan *exact = p->bytes == 8 ? p->longer : plan_new(length, 8, CONVOLUTION);
    int side = exact && !exact->alone ? (int)knr_fft_width(8) : 1;
    int64_t room = exact ? knr_fft_room(exact, side, 1) : 0;
    double *x = exact ? knx_alloc_zero((size_t)(4 * length * side + room + 64) * sizeof *x) : NULL;
    void *image = numbers_new(p, 2 * length);
    if (x && image) {
        double *re = x, *im = x + length * side, *y = im + length * side;
        set_powers((places){.table = x, .bytes = 8, .by = side, .second = length * side}, chirp_of(n), n);
        for (int64_t k = 0; k < n; k++) { /* conjugates, on both sides of 0 */
            im[k * side] = -im[k * side];
            re[(k ? length - k : 0) * side] = re[k * side];
            im[(k ? length - k : 0) * side] = im[k * side];
        }
        double *z = y + length * side;
        knr_fft_run_plan(exact, side, (knr_fft_numbers){.re = re, .im = im}, (knr_fft_numbers){.re = y, .im = z}, 1,
                         z + length * side, 1);
        const places to = pairs_at(p, image, 0);
        for (int64_t k = 0; k < length; k++) {
            number_set(&to, 2 * k, y[k * side] / (double)length);
            number_set(&to, 2 * k + 1, z[k * side] / (double)length);
        }
    }
    if (exact != p->longer)
        plan_free((knr_fft_plan *)(uintptr_t)exact);
    p->image = image;
    bool well = x && image;
    knx_free(x);
    return well;
}

/* x[k] w^(k^2 / 2), convolved with w^(-k^2 / 2), times w^(k^2 / 2): the transform by a convolution. */
static bool make_chirp(knr_fft_plan *p)
{
    int64_t length = good_length(2 * p->n - 1);
    void *room = knx_alloc((size_t)length * 4 * sizeof(double)); /* the least that make_image takes: without it, */
    p->kind = KNR_FFT_CHIRP;                                     /* the tables would be computed for nothing */
    knx_free(room);
    p->longer = room ? plan_new(length, p->bytes, CONVOLUTION) : NULL;
    void *chirp = numbers_new(p, 2 * p->n);
    if (!p->longer || !chirp)
        return false;
    p->size += p->longer->size;
    p->alone = p->longer->alone;
    p->wide = !p->alone && p->longer->n <= CHIRP_WIDE;
    set_powers(pairs_at(p, chirp, 0), chirp_of(p->n), p->n);
    p->chirp = chirp;
    return make_image(p);
}

static bool make(knr_fft_plan *p, plan_use use)
{
    factors f = factors_of(p->n);
    int64_t largest = f.n ? f.v[f.n - 1] : 1, r[KNR_FFT_MOST_STEPS];
    bool smooth = is_radix(largest, p->n);
    bool blocks = p->n % (KNR_FFT_MOST_WIDTH * KNR_FFT_MOST_WIDTH) == 0;
    if (smooth && p->n <= (in_columns(p, use) && !blocks ? COLUMNS_MOST : FLAT_MOST))
        return make_flat(p, use);
    bool parts = use != IN_LANES && (smooth || p->n / largest >= KNR_FFT_MOST_WIDTH);
    int steps = parts ? split_radices(p->n, &f, r) : 0;
    bool fits = steps > 0;
    for (int i = 0; i < steps; i++)
        fits = fits && step_fits(r[i]);
    return fits ? make_split(p, steps, r) : use != CONVOLUTION && make_chirp(p);
}

static void plan_free(knr_fft_plan *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n_step; i++)
        plan_free((knr_fft_plan *)(uintptr_t)p->step[i].plan);
    plan_free((knr_fft_plan *)(uintptr_t)p->longer);
    knx_arena_free(&p->arena);
    knx_free(p);
}

static knr_fft_plan *plan_new(int64_t n, int bytes, plan_use use)
{
    knr_fft_plan *p = knx_alloc_zero(sizeof *p);
    if (!p)
        return NULL;
    p->n = n, p->bytes = bytes, p->size = sizeof *p;
    atomic_init(&p->refs, 1);
    if (n > MOST || !make(p, use)) {
        plan_free(p);
        return NULL;
    }
    p->size += p->arena.total;
    return p;
}

/* --- the plans that are kept ------------------------------------------------------------------ */

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knr_fft_plan *first;
static uint64_t now;

/* Those that nobody holds go, the one that was used longest ago first, until there are so many bytes; how many went. */
static size_t drop(size_t most)
{
    for (size_t gone = 0;;) {
        knr_fft_plan **oldest = NULL;
        size_t bytes = 0;
        for (knr_fft_plan **at = &first; *at; at = &(*at)->next) {
            bytes += (*at)->size;
            if (atomic_load_explicit(&(*at)->refs, memory_order_acquire) == 0 &&
                (!oldest || (*at)->used < (*oldest)->used))
                oldest = at;
        }
        if (bytes <= most || !oldest)
            return gone;
        knr_fft_plan *p = *oldest;
        *oldest = p->next;
        gone += p->size;
        plan_free(p);
    }
}

static knr_fft_plan *known(int64_t n, int bytes, bool real)
{
    for (knr_fft_plan *p = first; p; p = p->next)
        if (p->n == n && p->bytes == bytes && p->for_real == real) {
            atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
            p->used = ++now;
            return p;
        }
    return NULL;
}

const knr_fft_plan *knr_fft_find(int64_t n, int bytes, bool real)
{
    knx_global_lock_take(&lock);
    knr_fft_plan *p = known(n, bytes, real);
    knx_global_unlock(&lock);
    if (p)
        return p;
    knr_fft_plan *made = plan_new(n, bytes, ANY_USE); /* without the lock: it may take long */
    size_t before = made ? made->arena.total : 0;
    if (made && real && !real_tables(made)) {
        plan_free(made);
        made = NULL;
    }
    if (!made)
        return NULL;
    made->for_real = real;
    made->size += made->arena.total - before;
    knx_global_lock_take(&lock);
    p = known(n, bytes, real); /* another thread made it meanwhile */
    if (!p) {
        made->next = first;
        made->used = ++now;
        first = p = made;
        made = NULL;
    }
    drop(PLANS_BYTES);
    knx_global_unlock(&lock);
    plan_free(made);
    return p;
}

void knr_fft_leave(const knr_fft_plan *p)
{
    atomic_fetch_sub_explicit(&((knr_fft_plan *)(uintptr_t)p)->refs, 1, memory_order_release);
}

size_t knr_fft_forget(void)
{
    knx_global_lock_take(&lock);
    size_t gone = drop(0);
    knx_global_unlock(&lock);
    return gone;
}
