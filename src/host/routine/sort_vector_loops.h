/* SPDX-License-Identifier: Apache-2.0
 * sort_vector_loops.h -- sorting signed numbers of BITS bits by vectors of BYTES bytes. Included by sort_vector_isa.c
 * for each; it has no include guard: that is the point. The steps are those of Batcher's bitonic sort; the partitions
 * are Bramas's (A novel hybrid quicksort algorithm vectorized using AVX-512, 2017), out of place. */
#define S       PASTE(PASTE(int, BITS), _t)
#define F(name) PASTE(name##_, BITS)
#define LANES   (BYTES * 8 / BITS)

enum {
    F(ROWS) = BYTES / 4, /* vectors, at most, that a network sorts: a power of two */
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
ALWAYS unsigned F(up_to)(V x, V y) { return ~(unsigned)_mm256_movemask_ps((__m256)(x > y)) & 0xff; }
ALWAYS uint64_t F(words)(unsigned which) { return which; }
#else
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

/* `rows` vectors, a power of two. */
static void F(sort_rows)(S *a, int rows)
{
    for (int i = 0; i < rows; i++)
        F(store)(a + i * LANES, F(sort_one)(F(load)(a + i * LANES)));
    for (int run = 1; run < rows; run *= 2)
        for (S *at = a; at < a + rows * LANES; at += 2 * run * LANES) {
            S *end = at + (2 * run - 1) * LANES;
            for (int i = 0; i < run; i++) { /* a run and the next one, backwards */
                V x = F(load)(at + i * LANES), y = F(reversed)(F(load)(end - i * LANES));
                F(store)(at + i * LANES, F(least)(x, y));
                F(store)(end - i * LANES, F(most)(x, y));
            }
            for (int apart = run / 2; apart; apart /= 2)
                for (int i = 0; i < 2 * run; i += 2 * apart)
                    for (int k = i; k < i + apart; k++) {
                        V x = F(load)(at + k * LANES), y = F(load)(at + (k + apart) * LANES);
                        F(store)(at + k * LANES, F(least)(x, y));
                        F(store)(at + (k + apart) * LANES, F(most)(x, y));
                    }
            for (int i = 0; i < 2 * run; i++)
                F(store)(at + i * LANES, F(rise)(F(load)(at + i * LANES)));
        }
}

static void F(sort_short)(S *a, int64_t n)
{
    if (n <= F(FEW)) {
        for (int64_t i = 1; i < n; i++) {
            S v = a[i];
            int64_t k = i;
            for (; k > 0 && a[k - 1] > v; k--)
                a[k] = a[k - 1];
            a[k] = v;
        }
        return;
    }
    S all[F(SHORT)];
    int rows = 1;
    while (rows * LANES < n)
        rows *= 2;
    memcpy(all, a, (size_t)n * sizeof *a);
    for (int64_t i = n; i < rows * LANES; i++)
        all[i] = PASTE(PASTE(INT, BITS), _MAX);
    F(sort_rows)(all, rows);
    memcpy(a, all, (size_t)n * sizeof *a);
}

/* --- quicksort ------------------------------------------------------------------------------------ */

/* Numbers up to the pivot go to the front; how many there are. */
static int64_t F(split)(S *a, int64_t n, S pivot, S *spare)
{
    S *front = a, *back = spare;
    V p = pivot - (V){0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        V x = F(load)(a + i);
        unsigned which = F(up_to)(x, p);
        int count = __builtin_popcount(which);
        F(store)(front, F(kept)(x, which));
        F(store)(back, F(kept)(x, ~which & (unsigned)((1u << LANES) - 1)));
        front += count;
        back += LANES - count;
    }
    for (; i < n; i++) {
        S x = a[i];
        if (x <= pivot)
            *front++ = x;
        else
            *back++ = x;
    }
    memcpy(front, spare, (size_t)(back - spare) * sizeof *a);
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

static void F(sort_some)(S *a, int64_t n, S *spare, int depth)
{
    while (n > F(SHORT)) {
        if (!depth--) {
            F(heap_sort)(a, n);
            return;
        }
        S pivot = F(pivot)(a, n);
        int64_t front = F(split)(a, n, pivot, spare);
        if (front == n) { /* the pivot is the largest: all of its kind stay at the end */
            if (pivot == PASTE(PASTE(INT, BITS), _MIN))
                return;
            n = F(split)(a, n, pivot - 1, spare);
            continue;
        }
        if (front < n - front) {
            F(sort_some)(a, front, spare, depth);
            a += front, n -= front;
        } else {
            F(sort_some)(a + front, n - front, spare, depth);
            n = front;
        }
    }
    F(sort_short)(a, n);
}

static void F(sort)(void *a, int64_t n, void *spare)
{
    int depth = 8;
    for (int64_t left = n; left > F(SHORT); left /= 2)
        depth += 2;
    F(sort_some)(a, n, spare, depth);
}

static void F(part_some)(S *a, int64_t first, int64_t count, S *spare, const S *pivots, int n, int64_t *begin)
{
    if (!n)
        return;
    int middle = n / 2;
    int64_t front = F(split)(a + first, count, pivots[middle], spare);
    begin[middle + 1] = first + front;
    F(part_some)(a, first, front, spare, pivots, middle, begin);
    F(part_some)(a, first + front, count - front, spare, pivots + middle + 1, n - middle - 1, begin + middle + 1);
}

static void F(part)(void *a, int64_t count, void *spare, const void *pivots, int n, int64_t *begin)
{
    begin[0] = 0;
    begin[n + 1] = count;
    F(part_some)(a, 0, count, spare, pivots, n, begin);
}

/* --- images --------------------------------------------------------------------------------------- */

ALWAYS S F(turn)(S v, S flip) { return v ^ (flip & v >> (BITS - 1)); }

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

ALWAYS int64_t F(between_of)(const knr_image_code *code, const S *x, int64_t n, S low, S high, S *to, int64_t *below,
                             bool is_float)
{
    const S sign = PASTE(PASTE(INT, BITS), _MIN);
    const V zero = {0}, lows = low - zero, highs = high - zero, signs = sign - zero, nan = ~sign - zero;
    const V flip = (S)code->flip - zero, bias = ((S)code->bias ^ sign) - zero, infinity = (S)code->infinity - zero;
    int64_t kept = 0, from_low = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        V u = F(load)(x + i), v = F(where_above)(zero, u, u ^ flip, u) ^ bias;
        if (is_float) {
            v = F(where_above)(u, signs, v, zero);
            v = F(where_above)(u & ~signs, infinity, nan, v);
        }
        unsigned which = F(up_to)(lows, v);
        from_low += __builtin_popcount(which);
        which &= F(up_to)(v, highs);
        F(store)(to + kept, F(kept)(v, which));
        kept += __builtin_popcount(which);
    }
    from_low += n - i;
    for (; i < n; i++) {
        S u = x[i], v = F(turn)(u, (S)code->flip) ^ (S)code->bias ^ sign;
        if (is_float)
            v = (u & ~sign) > (S)code->infinity ? ~sign : u == sign ? 0 : v;
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

static const knr_sort_vector F(vector) = {F(sign), F(unsign), F(sort), F(part), F(between)};

#undef S
#undef F
#undef LANES
#undef V
#undef ACROSS
#undef PICK
#undef JOIN
#undef STEP
#undef BITS
