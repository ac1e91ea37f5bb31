/* SPDX-License-Identifier: Apache-2.0
 * sort_keys_loops.h -- sorting of numbers of BITS bits, 32 or 64: by digits, and by vectors on several threads.
 * Included by sort_keys.c for each; it has no include guard: that is the point. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define T            PASTE(PASTE(uint, BITS), _t)
#define S            PASTE(PASTE(int, BITS), _t)
#define F(name)      PASTE(name##_, BITS)

static inline bool F(is_signed)(const knr_image_code *code)
{
    return !code->flip && (T)code->bias == (T)1 << (BITS - 1);
}
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

static void F(bounds)(const F(job) * j, int64_t part, int64_t *from, int64_t *to)
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
static bool F(place)(const F(job) * j)
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
static bool F(pass)(F(job) * j)
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

/* The first of n rising numbers that is not negative, or, `more`, that is above zero. */
static int64_t F(zeros_at)(const T *y, int64_t n, bool more)
{
    int64_t first = 0;
    while (n > 0) {
        int64_t half = n / 2;
        bool behind = (S)y[first + half] < (more ? 1 : 0);
        first += behind ? half + 1 : 0;
        n = behind ? n - half - 1 : half;
    }
    return first;
}

/* Zeros and NaN as they came: y has `kept` numbers in order, and room for n. What is no zero is written over. */
static void F(put_back)(knr_image_code code, const T *x, int64_t n, T *y, int64_t kept, bool zeros)
{
    const T sign = (T)1 << (BITS - 1), infinity = (T)code.infinity;
    if (zeros) {
        int64_t zero = F(zeros_at)(y, kept, false), end = F(zeros_at)(y, kept, true);
        for (int64_t i = 0; zero < end; i++) {
            y[zero] = x[i];
            zero += !(x[i] & ~sign);
        }
    }
    for (int64_t i = 0; kept < n; i++) {
        y[kept] = x[i];
        kept += (x[i] & ~sign) > infinity;
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

static void F(sort_without)(knr_image_code code, const T *x, T *y, int64_t n, void *workspace, int threads)
{
    int parts = parts_of(n, threads);
    int64_t *places = workspace, kept = n;
    T *cleaned = (T *)(places + (int64_t)(parts + 1) * KNR_DIGITS_LARGEST), *spare = cleaned + n;
    const T *from = x;
    F(look) look = F(look_at)(code, x, n);
    if (look.sorted) {
        memcpy(y, x, (size_t)n * sizeof *y);
        return;
    }
    if (look.nan || look.minus_zero) {
        kept = F(clean)(code, x, n, cleaned);
        from = cleaned;
    }
    if (kept <= INSERT)
        F(insert)(code, from, y, kept);
    else
        F(sort_by_digits)(code, from, y, kept, spare, places, parts, threads);
    if (from != x)
        F(put_back)(code, x, n, y, kept, look.minus_zero);
}

/* --- by vectors ----------------------------------------------------------------------------------- */

/* Threads part the numbers into classes, which are halved until there are PIECES; each of these is sorted by one. */
typedef struct F(share) {
    const knr_sort_vector *by;
    const knr_image_code *code;
    const T *from;
    T *to;
    int64_t n, begin[MOST_PARTS + 1][KNR_CLASSES], first[PIECES + 1];
    int parts, apart;
    T pivot[KNR_CLASSES - 1];
    knr_facts facts[MOST_PARTS];
} F(share);

static int64_t F(part_at)(const F(share) * s, int64_t part) { return s->n * part / s->parts; }

static void F(count_share)(void *arg, int64_t part, int worker)
{
    enum { BLOCK = 4096 }; /* that the first cache holds */
    F(share) *s = arg;
    int64_t count[KNR_CLASSES], *sum = s->begin[part], end = F(part_at)(s, part + 1);
    (void)worker;
    for (int64_t at = F(part_at)(s, part); at < end; at += BLOCK) {
        int64_t many = end - at < BLOCK ? end - at : BLOCK;
        s->by->look(s->code, s->from, at, at + many, &s->facts[part]);
        s->by->count(s->code, s->from + at, many, s->pivot, count);
        for (int k = 0; k < KNR_CLASSES; k++)
            sum[k] += count[k];
    }
}

static void F(move_share)(void *arg, int64_t part, int worker)
{
    F(share) *s = arg;
    int64_t at = F(part_at)(s, part);
    (void)worker;
    s->by->move(s->code, s->from + at, F(part_at)(s, part + 1) - at, s->pivot, s->to, s->begin[part],
                s->begin[part + 1], true);
}

static void F(halve_share)(void *arg, int64_t k, int worker)
{
    F(share) *s = arg;
    int64_t *first = s->first + k * s->apart;
    (void)worker;
    first[s->apart / 2] = *first + s->by->halve(s->to + *first, first[s->apart] - *first);
}

static void F(sort_share)(void *arg, int64_t k, int worker)
{
    F(share) *s = arg;
    T *at = s->to + s->first[k];
    int64_t count = s->first[k + 1] - s->first[k];
    (void)worker;
    s->by->sort(at, count, 1);
    if (!F(is_signed)(s->code))
        s->by->unsign(s->code, at, at, count);
}

/* Where each part's numbers of each class go. */
static knr_facts F(place_shares)(F(share) * s)
{
    knr_facts all = {0};
    int64_t sum = 0;
    for (int k = 0; k < KNR_CLASSES; k++) {
        s->first[k * (PIECES / KNR_CLASSES)] = sum;
        for (int p = 0; p < s->parts; p++) {
            int64_t here = s->begin[p][k];
            s->begin[p][k] = sum, sum += here;
        }
        s->begin[s->parts][k] = sum;
    }
    s->first[PIECES] = sum;
    for (int p = 0; p < s->parts; p++) {
        all.nan += s->facts[p].nan;
        all.minus_zero |= s->facts[p].minus_zero;
        all.falls |= s->facts[p].falls;
    }
    return all;
}

/* They take more room than lines that are sorted by one thread often do. */
static __attribute__((noinline)) knr_facts F(sort_shares)(const knr_sort_vector *by, const knr_image_code *code,
                                                          const T *from, T *to, int64_t n, int parts, int threads)
{
    enum { SAMPLES = 1024 };
    T sample[SAMPLES];
    F(share) s = {.by = by, .code = code, .from = from, .to = to, .n = n, .parts = parts};
    for (int i = 0; i < SAMPLES; i++)
        sample[i] = from[n / SAMPLES * i];
    by->sign(code, sample, sample, SAMPLES);
    by->sort(sample, SAMPLES, 1);
    for (int k = 1; k < KNR_CLASSES; k++)
        s.pivot[k - 1] = sample[SAMPLES / KNR_CLASSES * k - 1];
    knx_parallel(threads, parts, F(count_share), &s);
    knr_facts facts = F(place_shares)(&s);
    if (facts.falls) {
        knx_parallel(threads, parts, F(move_share), &s);
        for (s.apart = PIECES / KNR_CLASSES; s.apart > 1; s.apart /= 2)
            knx_parallel(threads, PIECES / s.apart, F(halve_share), &s);
        knx_parallel(threads, PIECES, F(sort_share), &s);
    }
    return facts;
}

static void F(sort_by_vectors)(const knr_sort_vector *by, const knr_image_code *code, const T *x, T *y, int64_t n,
                               int threads)
{
    int parts = parts_of(n, threads);
    knr_facts facts = {0};
    if (parts > 1) {
        facts = F(sort_shares)(by, code, x, y, n, parts, threads);
    } else {
        by->look(code, x, 0, n, &facts);
        if (facts.falls) {
            by->sign(code, x, y, n);
            by->sort(y, n, 1);
            by->unsign(code, y, y, n);
        }
    }
    if (!facts.falls)
        memcpy(y, x, (size_t)n * sizeof *y);
    else if (facts.nan || facts.minus_zero)
        F(put_back)(*code, x, n, y, n - facts.nan, facts.minus_zero);
}

/* Short lines together, those with NaN or -0 one by one. */
static void F(sort_lines)(const knr_sort_vector *by, const knr_image_code *code, const T *x, T *y, int64_t n,
                          int64_t lines)
{
    enum { BLOCK = 4096 };
    int64_t at_once = n < BLOCK ? BLOCK / n : 1;
    for (int64_t l = 0; l < lines; l += at_once, x += at_once * n, y += at_once * n) {
        int64_t many = lines - l < at_once ? lines - l : at_once;
        knr_facts facts = {.falls = true};
        by->look(code, x, 0, many * n, &facts);
        if (facts.nan || facts.minus_zero) {
            for (int64_t k = 0; k < many; k++)
                F(sort_by_vectors)(by, code, x + k * n, y + k * n, n, 1);
        } else {
            by->sign(code, x, y, many * n);
            by->sort(y, n, many);
            by->unsign(code, y, y, many * n);
        }
    }
}

/* --- all ------------------------------------------------------------------------------------------ */

static void F(sort)(knr_image_code code, const T *x, T *y, int64_t n, int64_t lines, void *workspace, int threads)
{
    const knr_sort_vector *by = vectors(BITS == 64);
    if (!n)
        return;
    if (by && lines > 1 && n <= SHORT_LINE) {
        F(sort_lines)(by, &code, x, y, n, lines);
        return;
    }
    for (int64_t l = 0; l < lines; l++)
        if (by)
            F(sort_by_vectors)(by, &code, x + l * n, y + l * n, n, threads);
        else
            F(sort_without)(code, x + l * n, y + l * n, n, workspace, threads);
}

#undef PASTE_
#undef PASTE
#undef T
#undef S
#undef F
#undef BITS
