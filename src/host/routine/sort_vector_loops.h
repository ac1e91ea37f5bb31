/* SPDX-License-Identifier: Apache-2.0
 * sort_vector_loops.h -- sorting signed numbers of BITS bits by vectors of BYTES bytes. Included by sort_vector_isa.c
 * for each; it has no include guard: that is the point. The steps are those of Batcher's bitonic sort; the partitions
 * are Bramas's (A novel hybrid quicksort algorithm vectorized using AVX-512, 2017), but between two arrays. */
#define S       PASTE(PASTE(int, BITS), _t)
#define F(name) PASTE(name##_, BITS)
#define LANES   (BYTES * 8 / BITS)

enum {
    F(ROWS) = BYTES / 4, /* vectors, at most, that a network sorts */
    F(SHORT) = F(ROWS) * LANES,
    F(FEW) = 12 /* numbers, at most, that insertion sorts */
};

typedef S F(v) __attribute__((vector_size(BYTES)));
#define V F(v)

ALWAYS V F(load)(const S *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(S *p, V v) { memcpy(p, &v, sizeof v); }

/* Lanes i ^ k; lanes of hi where i has the bit b, of lo elsewhere. */
#if BYTES * 8 / BITS == 16
#define ACROSS(x, k)                                                                                                 \
    __builtin_shufflevector(x, x, 0 ^ (k), 1 ^ (k), 2 ^ (k), 3 ^ (k), 4 ^ (k), 5 ^ (k), 6 ^ (k), 7 ^ (k), 8 ^ (k),   \
                            9 ^ (k), 10 ^ (k), 11 ^ (k), 12 ^ (k), 13 ^ (k), 14 ^ (k), 15 ^ (k))
#define PICK(b, i) ((i) & (b) ? 16 + (i) : (i))
#define JOIN(lo, hi, b)                                                                                              \
    __builtin_shufflevector(lo, hi, PICK(b, 0), PICK(b, 1), PICK(b, 2), PICK(b, 3), PICK(b, 4), PICK(b, 5),          \
                            PICK(b, 6), PICK(b, 7), PICK(b, 8), PICK(b, 9), PICK(b, 10), PICK(b, 11), PICK(b, 12),   \
                            PICK(b, 13), PICK(b, 14), PICK(b, 15))
#elif BYTES * 8 / BITS == 8
#define ACROSS(x, k) \
    __builtin_shufflevector(x, x, 0 ^ (k), 1 ^ (k), 2 ^ (k), 3 ^ (k), 4 ^ (k), 5 ^ (k), 6 ^ (k), 7 ^ (k))
#define PICK(b, i) ((i) & (b) ? 8 + (i) : (i))
#define JOIN(lo, hi, b)                                                                                     \
    __builtin_shufflevector(lo, hi, PICK(b, 0), PICK(b, 1), PICK(b, 2), PICK(b, 3), PICK(b, 4), PICK(b, 5), \
                            PICK(b, 6), PICK(b, 7))
#else
#define ACROSS(x, k)    __builtin_shufflevector(x, x, 0 ^ (k), 1 ^ (k), 2 ^ (k), 3 ^ (k))
#define PICK(b, i)      ((i) & (b) ? 4 + (i) : (i))
#define JOIN(lo, hi, b) __builtin_shufflevector(lo, hi, PICK(b, 0), PICK(b, 1), PICK(b, 2), PICK(b, 3))
#endif

#if BYTES == 64
ALWAYS V F(least)(V x, V y) { return (V)PASTE(_mm512_min_epi, BITS)((__m512i)x, (__m512i)y); }
ALWAYS V F(most)(V x, V y) { return (V)PASTE(_mm512_max_epi, BITS)((__m512i)x, (__m512i)y); }
ALWAYS unsigned F(up_to)(V x, V y) { return PASTE(PASTE(_mm512_cmple_epi, BITS), _mask)((__m512i)x, (__m512i)y); }
ALWAYS V F(kept)(V x, unsigned which)
{
    return (V)PASTE(_mm512_maskz_compress_epi, BITS)(which, (__m512i)x);
}
ALWAYS void F(store_first)(S *p, V v, int count)
{
    PASTE(_mm512_mask_storeu_epi, BITS)(p, (__mmask16)((1u << count) - 1), (__m512i)v);
}
/* Lanes of v where x > y, of w elsewhere. */
ALWAYS V F(where_above)(V x, V y, V v, V w)
{
    return (V)PASTE(_mm512_mask_blend_epi, BITS)((__mmask16)F(up_to)(x, y), (__m512i)v, (__m512i)w);
}
#else
ALWAYS V F(where_above)(V x, V y, V v, V w)
{
    return (V)_mm256_blendv_epi8((__m256i)w, (__m256i)v, (__m256i)(x > y));
}
ALWAYS V F(least)(V x, V y) { return (V)_mm256_blendv_epi8((__m256i)x, (__m256i)y, (__m256i)(x > y)); }
ALWAYS V F(most)(V x, V y) { return (V)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(x > y)); }
#if BITS == 32
ALWAYS void F(store_first)(S *p, V v, int count)
{
    _mm256_maskstore_epi32(p, (__m256i)(count - (V){0} > (V){0, 1, 2, 3, 4, 5, 6, 7}), (__m256i)v);
}
ALWAYS unsigned F(up_to)(V x, V y) { return ~(unsigned)_mm256_movemask_ps((__m256)(x > y)) & 0xff; }
ALWAYS uint64_t F(words)(unsigned which) { return which; }
#else
ALWAYS void F(store_first)(S *p, V v, int count)
{
    _mm256_maskstore_epi64((long long *)p, (__m256i)(count - (V){0} > (V){0, 1, 2, 3}), (__m256i)v);
}
ALWAYS unsigned F(up_to)(V x, V y) { return ~(unsigned)_mm256_movemask_pd((__m256d)(x > y)) & 0xf; }
ALWAYS uint64_t F(words)(unsigned which) { return _pdep_u64(which, 0x55) * 3; }
#endif
ALWAYS V F(kept)(V x, unsigned which)
{
    uint64_t bytes = _pdep_u64(F(words)(which), 0x0101010101010101u) * 0xff;
    __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(0x0706050403020100u, bytes)));
    return (V)_mm256_permutevar8x32_epi32((__m256i)x, places);
}
#endif

/* --- networks ------------------------------------------------------------------------------------- */

#define STEP(x, k, b)                                              \
    do {                                                           \
        V other = ACROSS(x, k);                                    \
        x = JOIN(F(least)(x, other), F(most)(x, other), b);        \
    } while (0)

/* A vector that rises and falls, or falls and rises, rises. */
ALWAYS V F(rise)(V x)
{
#if BYTES * 8 / BITS == 16
    STEP(x, 8, 8);
#endif
#if BYTES * 8 / BITS >= 8
    STEP(x, 4, 4);
#endif
    STEP(x, 2, 2);
    STEP(x, 1, 1);
    return x;
}

ALWAYS V F(sort_one)(V x)
{
    STEP(x, 1, 1);
    STEP(x, 3, 2);
    STEP(x, 1, 1);
#if BYTES * 8 / BITS >= 8
    STEP(x, 7, 4);
    STEP(x, 2, 2);
    STEP(x, 1, 1);
#endif
#if BYTES * 8 / BITS == 16
    STEP(x, 15, 8);
    STEP(x, 4, 4);
    STEP(x, 2, 2);
    STEP(x, 1, 1);
#endif
    return x;
}

ALWAYS V F(reversed)(V x) { return ACROSS(x, BYTES * 8 / BITS - 1); }

/* `rows` vectors. The network is that of the next power of two; vectors that are not there would hold the largest
 * numbers and stay as they are, so steps with them are left out. */
static void F(sort_rows)(S *a, int rows)
{
    for (int i = 0; i < rows; i++)
        F(store)(a + i * LANES, F(sort_one)(F(load)(a + i * LANES)));
    for (int run = 1; run < rows; run *= 2)
        for (int at = 0; at + run < rows; at += 2 * run) {
            int all = rows - at < 2 * run ? rows - at : 2 * run;
            S *first = a + at * LANES, *end = first + (2 * run - 1) * LANES;
            for (int i = 2 * run - all; i < run; i++) { /* a run and the next one, backwards */
                V x = F(load)(first + i * LANES), y = F(reversed)(F(load)(end - i * LANES));
                F(store)(first + i * LANES, F(least)(x, y));
                F(store)(end - i * LANES, F(most)(x, y));
            }
            for (int apart = run / 2; apart; apart /= 2)
                for (int i = 0; i + apart < all; i += 2 * apart)
                    for (int k = i; k < i + apart && k + apart < all; k++) {
                        V x = F(load)(first + k * LANES), y = F(load)(first + (k + apart) * LANES);
                        F(store)(first + k * LANES, F(least)(x, y));
                        F(store)(first + (k + apart) * LANES, F(most)(x, y));
                    }
            for (int i = 0; i < all; i++)
                F(store)(first + i * LANES, F(rise)(F(load)(first + i * LANES)));
        }
}

static void F(sort_short)(const S *a, int64_t n, S *to)
{
    if (n <= F(FEW)) {
        for (int64_t i = 0; i < n; i++) {
            S v = a[i];
            int64_t k = i;
            for (; k > 0 && to[k - 1] > v; k--)
                to[k] = to[k - 1];
            to[k] = v;
        }
        return;
    }
    S all[F(SHORT)];
    int rows = (int)((n + LANES - 1) / LANES);
    F(store)(all + (rows - 1) * LANES, PASTE(PASTE(INT, BITS), _MAX) - (V){0});
    memcpy(all, a, (size_t)n * sizeof *a);
    F(sort_rows)(all, rows);
    memcpy(to, all, (size_t)n * sizeof *a);
}

/* --- quicksort ------------------------------------------------------------------------------------ */

/* Numbers up to the pivot go to the front of a, the others to the end of `other`; how many go to the front. */
static int64_t F(split)(S *a, int64_t n, S pivot, S *other)
{
    S *front = a, *back = other + n;
    V p = pivot - (V){0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        V x = F(load)(a + i);
        unsigned which = F(up_to)(x, p);
        int count = __builtin_popcount(which);
        F(store)(front, F(kept)(x, which));
        front += count;
        back -= LANES - count;
        F(store_first)(back, F(kept)(x, ~which & (unsigned)((1u << LANES) - 1)), LANES - count);
    }
    for (; i < n; i++) {
        S x = a[i];
        if (x <= pivot)
            *front++ = x;
        else
            *--back = x;
    }
    return front - a;
}

static S F(pivot)(const S *a, int64_t n)
{
    enum { MANY = 4096, LARGE = 8 };
    S sample[LARGE * LANES];
    int rows = n < MANY ? 1 : LARGE;
    int64_t step = n / (rows * LANES);
    for (int i = 0; i < rows * LANES; i++)
        sample[i] = a[i * step + step / 2];
    F(sort_rows)(sample, rows);
    return sample[rows * LANES / 2 - 1];
}

static void F(sift)(S *a, int64_t n, int64_t i)
{
    S v = a[i];
    for (int64_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && a[k] < a[k + 1];
        if (a[k] <= v)
            break;
        a[i] = a[k];
    }
    a[i] = v;
}

static void F(heap_sort)(S *a, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;)
        F(sift)(a, n, i);
    while (n-- > 1) {
        S last = a[n];
        a[n] = a[0];
        a[0] = last;
        F(sift)(a, n, 0);
    }
}

/* Sorts the n numbers of a; they are wanted in `to`, which is a or other. */
static void F(sort_some)(S *a, int64_t n, S *other, S *to, int depth)
{
    while (n > F(SHORT)) {
        if (!depth--) {
            F(heap_sort)(a, n);
            if (to != a)
                memcpy(to, a, (size_t)n * sizeof *a);
            return;
        }
        S pivot = F(pivot)(a, n);
        int64_t front = F(split)(a, n, pivot, other);
        if (front == n) { /* the pivot is the largest: all of its kind go to the end */
            front = pivot == PASTE(PASTE(INT, BITS), _MIN) ? 0 : F(split)(a, n, pivot - 1, other);
            for (int64_t i = front; i < n; i++)
                to[i] = pivot;
            n = front;
            continue;
        }
        if (front < n - front) {
            F(sort_some)(a, front, other, to, depth);
            S *next = other + front;
            other = a + front, to += front, a = next, n -= front;
        } else {
            F(sort_some)(other + front, n - front, a + front, to + front, depth);
            n = front;
        }
    }
    F(sort_short)(a, n, to);
}

static void F(sort)(void *a, int64_t n, void *spare)
{
    int depth = 8;
    for (int64_t left = n; left > F(SHORT); left /= 2)
        depth += 2;
    F(sort_some)(a, n, spare, a, depth);
}

/* The numbers of `from`, which are wanted in `to`: that is `from`, or `other`. begin[0] is where they begin in all. */
static void F(part_some)(S *from, S *other, S *to, int64_t count, const S *pivots, int n, int64_t *begin)
{
    if (!n) {
        if (to != from)
            memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    int middle = n / 2;
    int64_t front = F(split)(from, count, pivots[middle], other);
    begin[middle + 1] = begin[0] + front;
    F(part_some)(from, other, to, front, pivots, middle, begin);
    F(part_some)(other + front, from + front, to + front, count - front, pivots + middle + 1, n - middle - 1,
                 begin + middle + 1);
}

static void F(part)(void *a, int64_t count, void *spare, const void *pivots, int n, int64_t *begin)
{
    begin[0] = 0;
    begin[n + 1] = count;
    F(part_some)(a, spare, a, count, pivots, n, begin);
}

/* --- classes -------------------------------------------------------------------------------------- */

ALWAYS S F(turn)(S v, S flip) { return v ^ (flip & v >> (BITS - 1)); }

/* The image of x, as a signed number. */
ALWAYS V F(image)(const knr_image_code *code, V u, bool is_float)
{
    const S sign = PASTE(PASTE(INT, BITS), _MIN);
    const V zero = {0}, signs = sign - zero, nan = ~sign - zero, flip = (S)code->flip - zero;
    V v = F(where_above)(zero, u, u ^ flip, u) ^ (((S)code->bias ^ sign) - zero);
    if (is_float) {
        v = F(where_above)(u, signs, v, zero);
        v = F(where_above)(u & ~signs, (S)code->infinity - zero, nan, v);
    }
    return v;
}

ALWAYS S F(image_of_one)(const knr_image_code *code, S u)
{
    const S sign = PASTE(PASTE(INT, BITS), _MIN);
    if (code->infinity && (u == sign || (u & ~sign) > (S)code->infinity))
        return u == sign ? 0 : ~sign;
    return F(turn)(u, (S)code->flip) ^ (S)code->bias ^ sign;
}

/* --- images --------------------------------------------------------------------------------------- */


static int F(sign)(const knr_image_code *code, const void *from, void *to, int64_t n)
{
    enum { BLOCK = 1024 };
    const S *x = from;
    S *restrict y = to;
    const S low = PASTE(PASTE(INT, BITS), _MIN), flip = (S)code->flip, bias = (S)code->bias ^ low;
    const S infinity = (S)code->infinity;
    S special = 0, falls = 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t end = i + BLOCK < n ? i + BLOCK : n;
        for (int64_t k = i; k < end; k++)
            y[k] = F(turn)(x[k], flip) ^ bias;
        if (infinity && !special)
            for (int64_t k = i; k < end; k++)
                special |= (S)((x[k] & ~low) > infinity) | (S)(x[k] == low);
        if (!falls)
            for (int64_t k = i ? i : 1; k < end; k++)
                falls |= y[k - 1] > y[k];
    }
    return (special ? KNR_SORT_SPECIAL : 0) | (falls ? KNR_SORT_FALLS : 0);
}

static void F(unsign)(const knr_image_code *code, const void *from, void *to, int64_t n)
{
    const S *x = from;
    S *y = to;
    const S flip = (S)code->flip, bias = (S)code->bias ^ PASTE(PASTE(INT, BITS), _MIN);
    for (int64_t i = 0; i < n; i++)
        y[i] = F(turn)(x[i] ^ bias, flip);
}

/* Images between two numbers. */
ALWAYS int64_t F(between_of)(const knr_image_code *code, const S *x, int64_t n, S low, S high, S *to, int64_t *below,
                             bool is_float)
{
    const V zero = {0}, lows = low - zero, highs = high - zero;
    int64_t kept = 0, from_low = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        V v = F(image)(code, F(load)(x + i), is_float);
        unsigned which = F(up_to)(lows, v);
        from_low += __builtin_popcount(which);
        which &= F(up_to)(v, highs);
        F(store)(to + kept, F(kept)(v, which));
        kept += __builtin_popcount(which);
    }
    from_low += n - i;
    for (; i < n; i++) {
        S v = F(image_of_one)(code, x[i]);
        to[kept] = v;
        kept += (v >= low) & (v <= high);
        from_low -= v < low;
    }
    *below = n - from_low;
    return kept;
}

static int64_t F(between)(const knr_image_code *code, const void *x, int64_t n, const void *low, const void *high,
                          void *to, int64_t *below)
{
    const S *from = x, least = *(const S *)low, most = *(const S *)high;
    return code->infinity ? F(between_of)(code, from, n, least, most, to, below, true)
                          : F(between_of)(code, from, n, least, most, to, below, false);
}

/* Numbers below, at and above an image. */
static void F(count)(const knr_image_code *code, const void *from, int64_t n, int64_t image, int64_t count[3])
{
    const S *x = from;
    const V p = (S)image - (V){0};
    int64_t from_it = 0, up_to = 0, i = 0;
    bool is_float = code->infinity != 0;
    for (; i + LANES <= n; i += LANES) {
        V v = F(image)(code, F(load)(x + i), is_float);
        from_it += __builtin_popcount(F(up_to)(p, v));
        up_to += __builtin_popcount(F(up_to)(v, p));
    }
    for (; i < n; i++) {
        S v = F(image_of_one)(code, x[i]);
        from_it += v >= image, up_to += v <= image;
    }
    count[0] = n - from_it, count[1] = from_it + up_to - n, count[2] = n - up_to;
}

/* They go to three places, each of which is moved behind them; no place is written from end[] on. */
static void F(move)(const knr_image_code *code, const void *from, int64_t n, int64_t image, void *to, int64_t place[3],
                    const int64_t end[3])
{
    const S *x = from;
    S *y = to;
    const V p = (S)image - (V){0};
    int64_t below = place[0], at = place[1], above = place[2], i = 0;
    bool is_float = code->infinity != 0;
    for (; i + LANES <= n && below + LANES <= end[0] && above + LANES <= end[2]; i += LANES) {
        V u = F(load)(x + i), v = F(image)(code, u, is_float);
        unsigned from_it = F(up_to)(p, v), up_to = F(up_to)(v, p), more = ~up_to & (unsigned)((1u << LANES) - 1);
        unsigned less = ~from_it & (unsigned)((1u << LANES) - 1);
        F(store)(y + below, F(kept)(u, less));
        F(store)(y + above, F(kept)(u, more));
        below += __builtin_popcount(less), above += __builtin_popcount(more);
        if (from_it & up_to) {
            int many = __builtin_popcount(from_it & up_to);
            F(store_first)(y + at, F(kept)(u, from_it & up_to), many);
            at += many;
        }
    }
    place[0] = below, place[1] = at, place[2] = above;
    for (; i < n; i++) {
        S v = F(image_of_one)(code, x[i]);
        y[place[(v > image) + (v >= image)]++] = x[i];
    }
}

static const knr_sort_vector F(vector) = {F(sign),    F(unsign), F(sort), F(part),
                                             F(between), F(count),  F(move)};

#undef S
#undef F
#undef LANES
#undef V
#undef ACROSS
#undef PICK
#undef JOIN
#undef STEP
#undef BITS
