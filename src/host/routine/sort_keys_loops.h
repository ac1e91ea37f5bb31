/* SPDX-License-Identifier: Apache-2.0
 * sort_keys_loops.h -- radix sorting of unsigned numbers of BITS bits, 32 or 64. Included by sort_keys.c for each; it
 * has no include guard: that is the point. */
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
    T same; /* bits that all numbers have alike */
} F(look);

static F(look) F(look_at)(knr_image_code code, const T *x, int64_t n)
{
    const T sign = (T)1 << (BITS - 1), infinity = (T)code.infinity, flip = (T)code.flip, bias = (T)code.bias;
    T differ = 0, wrong = 0, first = F(turn)(x[0], flip) ^ bias;
    int64_t nan = 0, minus_zero = 0;
    if (infinity)
        for (int64_t i = 0; i < n; i++) {
            nan += (x[i] & ~sign) > infinity;
            minus_zero += x[i] == sign;
        }
    for (int64_t i = 0; i < n; i++)
        differ |= (F(turn)(x[i], flip) ^ bias) ^ first;
    enum { STEP = 1024 };
    for (int64_t i = 1; i < n && !wrong; i += STEP) {
        int64_t end = i + STEP < n ? i + STEP : n;
        for (int64_t k = i; k < end; k++)
            wrong |= (F(turn)(x[k - 1], flip) ^ bias) > (F(turn)(x[k], flip) ^ bias);
    }
    return (F(look)){!wrong && !nan && !minus_zero, nan, minus_zero, (T)~differ};
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

static void F(sort)(knr_image_code code, const T *x, T *y, int64_t n, void *workspace, int threads)
{
    if (!n)
        return;
    F(look) look = F(look_at)(code, x, n);
    if (look.sorted) {
        memcpy(y, x, (size_t)n * sizeof *y);
        return;
    }
    int parts = parts_of(n, threads);
    int64_t *places = workspace, kept = n;
    T *cleaned = (T *)(places + (int64_t)(parts + 1) * KNR_DIGITS_LARGEST), *spare = cleaned + n;
    const T *from = x;
    if (look.nan || look.minus_zero) {
        kept = F(clean)(code, x, n, cleaned);
        from = cleaned;
        if (kept)
            look.same = F(look_at)(code, cleaned, kept).same;
    }
    if (kept <= INSERT) {
        F(insert)(code, from, y, kept);
    } else {
        int wide = n >= WIDE_FROM && n <= WIDE_TO ? 11 : 8, left = 0;
        for (int low = 0; low < BITS; low += wide)
            left += ((T)~look.same >> low & (T)((1 << wide) - 1)) != 0;
        F(job) j = {.from = from, .n = kept, .parts = parts, .threads = threads, .places = places};
        j.code = (coding){.image = code, .read = true};
        if (!left)
            memcpy(y, from, (size_t)kept * sizeof *y);
        for (int low = 0; low < BITS; low += wide) {
            if (!((T)~look.same >> low & (T)((1 << wide) - 1)))
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
    if (kept < n || look.minus_zero)
        F(put_back)(code, x, n, y, kept, look.minus_zero);
}

#undef PASTE_
#undef PASTE
#undef T
#undef S
#undef F
#undef BITS
