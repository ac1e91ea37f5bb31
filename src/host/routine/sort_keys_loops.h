/* SPDX-License-Identifier: Apache-2.0
 * sort_keys_loops.h -- sorting of numbers of BITS bits, 32 or 64: by digits, and by vectors on several threads.
 * Included by sort_keys.c for each; it has no include guard: that is the point. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define T            PASTE(PASTE(uint, BITS), _t)
#define S            PASTE(PASTE(int, BITS), _t)
#define F(name)      PASTE(name##_, BITS)

static inline T F(turn)(T v, T flip) { return v ^ (flip & (T)((S)v >> (BITS - 1))); }

/* One pass: numbers of `from` go to `to` by the digit at `shift`. */
typedef struct F(job) {
    const T *from;
    T *to;
    int64_t n;
    int shift, digits, parts, threads;
    coding code;
    int64_t *places; /* for each part: where the next number with each digit goes */
} F(job);

static void F(bounds)(const F(job) *j, int64_t part, int64_t *from, int64_t *to)
{
    *from = j->n * part / j->parts;
    *to = j->n * (part + 1) / j->parts;
}

static void F(count)(void *arg, int64_t part, int worker)
{
    const F(job) *j = arg;
    int64_t *count = j->places + part * j->digits, at, end;
    T flip = j->code.read ? (T)j->code.image.flip : 0, bias = j->code.read ? (T)j->code.image.bias : 0;
    T mask = (T)(j->digits - 1);
    (void)worker;
    memset(count, 0, (size_t)j->digits * sizeof *count);
    F(bounds)(j, part, &at, &end);
    for (; at < end; at++)
        count[(F(turn)(j->from[at], flip) ^ bias) >> j->shift & mask]++;
}

/* Counts become places. False if all numbers have one digit. */
static bool F(place)(const F(job) *j)
{
    int64_t sum = 0;
    for (int d = 0; d < j->digits; d++) {
        int64_t before = sum;
        for (int p = 0; p < j->parts; p++) {
            int64_t *count = &j->places[(int64_t)p * j->digits + d], here = *count;
            *count = sum;
            sum += here;
        }
        if (sum - before == j->n)
            return false;
    }
    return true;
}

static void F(move)(void *arg, int64_t part, int worker)
{
    const F(job) *j = arg;
    int64_t *restrict place = j->places + part * j->digits, at, end;
    const T *restrict from = j->from;
    T *restrict to = j->to;
    T flip = (T)j->code.image.flip, bias = (T)j->code.image.bias, mask = (T)(j->digits - 1);
    int shift = j->shift;
    (void)worker;
    F(bounds)(j, part, &at, &end);
    if (j->code.read && j->code.write)
        for (; at < end; at++)
            to[place[(F(turn)(from[at], flip) ^ bias) >> shift & mask]++] = from[at];
    else if (j->code.read)
        for (; at < end; at++) {
            T v = F(turn)(from[at], flip) ^ bias;
            to[place[v >> shift & mask]++] = v;
        }
    else if (j->code.write)
        for (; at < end; at++)
            to[place[from[at] >> shift & mask]++] = F(turn)(from[at] ^ bias, flip);
    else
        for (; at < end; at++)
            to[place[from[at] >> shift & mask]++] = from[at];
}

/* False if there was nothing to do. */
static bool F(pass)(F(job) *j)
{
    knx_parallel(j->threads, j->parts, F(count), j);
    if (!F(place)(j))
        return false;
    knx_parallel(j->threads, j->parts, F(move), j);
    return true;
}

/* What there is to know before sorting. */
typedef struct F(look) {
    bool sorted;
    int64_t nan, minus_zero;
} F(look);

static F(look) F(look_at)(knr_image_code code, const T *x, int64_t n)
{
    const T sign = (T)1 << (BITS - 1), infinity = (T)code.infinity, flip = (T)code.flip, bias = (T)code.bias;
    int64_t nan = 0, minus_zero = 0, sorted = 1;
    if (infinity)
        for (int64_t i = 0; i < n; i++) {
            nan += (x[i] & ~sign) > infinity;
            minus_zero += x[i] == sign;
        }
    while (sorted < n && (F(turn)(x[sorted - 1], flip) ^ bias) <= (F(turn)(x[sorted], flip) ^ bias))
        sorted++;
    return (F(look)){sorted == n && !nan && !minus_zero, nan, minus_zero};
}

/* Numbers without NaN, and with +0 for -0. */
static int64_t F(clean)(knr_image_code code, const T *x, int64_t n, T *to)
{
    const T sign = (T)1 << (BITS - 1), infinity = (T)code.infinity;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        to[kept] = x[i] == sign ? 0 : x[i];
        kept += (x[i] & ~sign) <= infinity;
    }
    return kept;
}

/* Zeros and NaN as they came: y has `kept` numbers in order, and room for n. */
static void F(put_back)(knr_image_code code, const T *x, int64_t n, T *y, int64_t kept, bool zeros)
{
    const T sign = (T)1 << (BITS - 1), infinity = (T)code.infinity;
    int64_t zero = 0;
    for (int64_t last = kept; zeros && zero < last;) { /* the first that is not negative */
        int64_t middle = zero + (last - zero) / 2;
        if (y[middle] & sign)
            zero = middle + 1;
        else
            last = middle;
    }
    for (int64_t i = 0; i < n; i++) {
        if (zeros && !(x[i] & ~sign))
            y[zero++] = x[i];
        if ((x[i] & ~sign) > infinity)
            y[kept++] = x[i];
    }
}

static void F(insert)(knr_image_code code, const T *x, T *y, int64_t n)
{
    T flip = (T)code.flip, bias = (T)code.bias;
    for (int64_t i = 0; i < n; i++) {
        T v = F(turn)(x[i], flip) ^ bias;
        int64_t k = i;
        for (; k > 0 && y[k - 1] > v; k--)
            y[k] = y[k - 1];
        y[k] = v;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = F(turn)(y[i] ^ bias, flip);
}

/* By digits; from has no NaN and no -0, and is not spare. */
static void F(sort_by_digits)(knr_image_code code, const T *from, T *y, int64_t n, T *spare, int64_t *places, int parts,
                              int threads)
{
    int wide = n >= WIDE_FROM && n <= WIDE_TO ? 11 : 8, left = 0;
    T differ = 0, same = F(turn)(from[0], (T)code.flip) ^ (T)code.bias;
    for (int64_t i = 0; i < n; i++)
        differ |= (F(turn)(from[i], (T)code.flip) ^ (T)code.bias) ^ same;
    for (int low = 0; low < BITS; low += wide)
        left += (differ >> low & (T)((1 << wide) - 1)) != 0;
    F(job) j = {.from = from, .n = n, .parts = parts, .threads = threads, .places = places};
    j.code = (coding){.image = code, .read = true};
    if (!left)
        memcpy(y, from, (size_t)n * sizeof *y);
    for (int low = 0; low < BITS; low += wide) {
        if (!(differ >> low & (T)((1 << wide) - 1))) /* all numbers share these bits */
            continue;
        left--;
        j.shift = low;
        j.digits = 1 << (BITS - low < wide ? BITS - low : wide);
        j.to = left % 2 ? spare : y;
        j.code.write = !left;
        F(pass)(&j);
        j.from = j.to;
        j.code.read = false;
    }
}

/* --- by vectors ----------------------------------------------------------------------------------- */

/* Each thread parts its share of the numbers by the same pivots; then each part is sorted, all of its shares
 * together. */
typedef struct F(share) {
    const knr_sort_vector *by;
    const knr_image_code *code;
    const T *from;
    T *y, *spare, *joined;
    int64_t n, begin[MOST_PARTS][PIVOTS + 2], first[PIVOTS + 2];
    int parts, flags[MOST_PARTS];
    T pivot[PIVOTS];
} F(share);

static void F(sign_share)(void *arg, int64_t part, int worker)
{
    F(share) *s = arg;
    int64_t from = s->n * part / s->parts, to = s->n * (part + 1) / s->parts;
    (void)worker;
    s->flags[part] = s->by->sign(s->code, s->from + from, s->y + from, to - from);
}

static void F(part_share)(void *arg, int64_t part, int worker)
{
    F(share) *s = arg;
    int64_t from = s->n * part / s->parts, to = s->n * (part + 1) / s->parts;
    (void)worker;
    s->by->part(s->y + from, to - from, s->spare + from, s->pivot, PIVOTS, s->begin[part]);
}

static void F(sort_share)(void *arg, int64_t k, int worker)
{
    F(share) *s = arg;
    int64_t first = s->first[k], count = s->first[k + 1] - first;
    T *to = s->joined + first;
    (void)worker;
    for (int p = 0; p < s->parts; p++) {
        int64_t here = s->begin[p][k + 1] - s->begin[p][k];
        memcpy(to, s->y + s->n * p / s->parts + s->begin[p][k], (size_t)here * sizeof *to);
        to += here;
    }
    s->by->sort(s->joined + first, count, s->spare + first);
}

static void F(unsign_share)(void *arg, int64_t part, int worker)
{
    F(share) *s = arg;
    int64_t from = s->n * part / s->parts, to = s->n * (part + 1) / s->parts;
    (void)worker;
    s->by->unsign(s->code, s->joined + from, s->y + from, to - from);
}

/* The signed numbers of y in order, in `joined`, which has room for as many, as spare has. */
static void F(sort_shares)(F(share) *s, int threads)
{
    enum { SAMPLES = 16 * (PIVOTS + 1) };
    T sample[SAMPLES], room[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        sample[i] = s->y[s->n / SAMPLES * i];
    s->by->sort(sample, SAMPLES, room);
    for (int i = 0; i < PIVOTS; i++)
        s->pivot[i] = sample[16 * (i + 1) - 1];
    knx_parallel(threads, s->parts, F(part_share), s);
    for (int k = 0; k <= PIVOTS; k++) {
        s->first[k + 1] = s->first[k];
        for (int p = 0; p < s->parts; p++)
            s->first[k + 1] += s->begin[p][k + 1] - s->begin[p][k];
    }
    knx_parallel(threads, PIVOTS + 1, F(sort_share), s);
}

/* --- all ------------------------------------------------------------------------------------------ */

/* What there is to know of all numbers; y has them as signed ones. */
static int F(sign_shares)(F(share) *s, int threads)
{
    knx_parallel(threads, s->parts, F(sign_share), s);
    int flags = 0;
    for (int p = 0; p < s->parts; p++) {
        int64_t at = s->n * p / s->parts;
        flags |= s->flags[p] | (at && (S)s->y[at - 1] > (S)s->y[at] ? KNR_SORT_FALLS : 0);
    }
    return flags;
}

/* Shares take more room than lines that are sorted by one thread often do. */
static __attribute__((noinline)) int F(sort_on_threads)(const knr_sort_vector *by, const knr_image_code *code,
                                                        const T *from, T *y, int64_t n, T *joined, T *spare, int parts,
                                                        int threads)
{
    F(share) s = {by, code, from, y, spare, joined, .n = n, .parts = parts};
    int flags = F(sign_shares)(&s, threads);
    if (flags == KNR_SORT_FALLS) {
        F(sort_shares)(&s, threads);
        knx_parallel(threads, s.parts, F(unsign_share), &s);
    }
    return flags;
}

/* False: there are NaN or -0, and y is not sorted. */
static bool F(sort_by_vectors)(const knr_sort_vector *by, const knr_image_code *code, const T *from, T *y, int64_t n,
                               T *joined, T *spare, int threads)
{
    int parts = parts_of(n, threads), flags;
    if (parts > 1) {
        flags = F(sort_on_threads)(by, code, from, y, n, joined, spare, parts, threads);
    } else if ((flags = by->sign(code, from, y, n)) == KNR_SORT_FALLS) {
        by->sort(y, n, spare);
        by->unsign(code, y, y, n);
    }
    if (!flags) /* they rise already */
        memcpy(y, from, (size_t)n * sizeof *y);
    return !(flags & KNR_SORT_SPECIAL);
}

static void F(sort)(knr_image_code code, const T *x, T *y, int64_t n, void *workspace, int threads)
{
    if (!n)
        return;
    int parts = parts_of(n, threads);
    int64_t *places = workspace, kept = n;
    T *cleaned = (T *)(places + (int64_t)(parts + 1) * KNR_DIGITS_LARGEST), *spare = cleaned + n;
    const T *from = x;
    const knr_sort_vector *by = n > FEW ? vectors(BITS == 64) : NULL;
    if (by && F(sort_by_vectors)(by, &code, x, y, n, cleaned, spare, threads))
        return;
    F(look) look = F(look_at)(code, x, n);
    if (look.sorted) {
        memcpy(y, x, (size_t)n * sizeof *y);
        return;
    }
    if (look.nan || look.minus_zero) {
        kept = F(clean)(code, x, n, cleaned);
        from = cleaned;
    }
    if (by && kept)
        F(sort_by_vectors)(by, &code, from, y, kept, cleaned, spare, threads);
    else if (kept <= INSERT)
        F(insert)(code, from, y, kept);
    else
        F(sort_by_digits)(code, from, y, kept, spare, places, parts, threads);
    if (from != x)
        F(put_back)(code, x, n, y, kept, look.minus_zero);
}

#undef PASTE_
#undef PASTE
#undef T
#undef S
#undef F
#undef BITS
