/* SPDX-License-Identifier: Apache-2.0
 * sort_vector_loops.h -- sorting signed numbers of BITS bits by vectors of BYTES bytes. Included by sort_vector_isa.c
 * for each; it has no include guard: that is the point. Short lines are columns of registers, which Batcher's networks
 * sort and then merge. Partitions are Bramas's (A novel hybrid quicksort algorithm vectorized using AVX-512, 2017), but
 * between two arrays. */
#define S       PASTE(PASTE(int, BITS), _t)
#define F(name) PASTE(name##_, BITS)
#define LANES   (BYTES * 8 / BITS)

enum { F(SHORT) = ROWS * LANES /* numbers, at most, that registers hold */ };
static const S F(LEAST) = PASTE(PASTE(INT, BITS), _MIN), F(MOST) = PASTE(PASTE(INT, BITS), _MAX);

typedef S F(v) __attribute__((vector_size(BYTES)));
#define V F(v)

ALWAYS V F(load)(const S *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(S *p, V v) { memcpy(p, &v, sizeof v); }

#if BYTES == 64
typedef __mmask16 F(lanes); /* a set of lanes */
ALWAYS V F(iota)(void)
{
#if BITS == 32
    return (V){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
    return (V){0, 1, 2, 3, 4, 5, 6, 7};
#endif
}
ALWAYS F(lanes) F(above)(V x, V y) { return PASTE(PASTE(_mm512_cmpgt_epi, BITS), _mask)((__m512i)x, (__m512i)y); }
ALWAYS F(lanes) F(first)(int64_t count)
{
    return (F(lanes))((1u << count) - 1);
} /* as many lanes as there are, or fewer */
ALWAYS unsigned F(bits)(F(lanes) which) { return which; }
ALWAYS unsigned F(up_to)(V x, V y) { return PASTE(PASTE(_mm512_cmple_epi, BITS), _mask)((__m512i)x, (__m512i)y); }
ALWAYS V F(where)(F(lanes) which, V x, V y)
{
    return (V)PASTE(_mm512_mask_blend_epi, BITS)(which, (__m512i)y, (__m512i)x);
}
ALWAYS void F(exchange)(V *x, V *y)
{
    V least = (V)PASTE(_mm512_min_epi, BITS)((__m512i)*x, (__m512i)*y);
    *y = (V)PASTE(_mm512_max_epi, BITS)((__m512i)*x, (__m512i)*y);
    *x = least;
}
/* The smaller of x and y; in the lanes `high` the larger. */
ALWAYS V F(choose)(V x, V y, F(lanes) high)
{
    __m512i least = PASTE(_mm512_min_epi, BITS)((__m512i)x, (__m512i)y);
    return (V)PASTE(_mm512_mask_max_epi, BITS)(least, high, (__m512i)x, (__m512i)y);
}
ALWAYS V F(across)(V x, V at) { return (V)PASTE(_mm512_permutexvar_epi, BITS)((__m512i)at, (__m512i)x); }
ALWAYS V F(load_some)(const S *p, F(lanes) which, V other)
{
    return (V)PASTE(_mm512_mask_loadu_epi, BITS)((__m512i)other, which, p);
}
ALWAYS void F(store_some)(S *p, F(lanes) which, V v) { PASTE(_mm512_mask_storeu_epi, BITS)(p, which, (__m512i)v); }
ALWAYS V F(kept)(V x, unsigned which)
{
    return (V)PASTE(_mm512_maskz_compress_epi, BITS)((__mmask16)which, (__m512i)x);
}
#else
typedef V F(lanes); /* all bits of those that are in the set */
ALWAYS V F(iota)(void)
{
#if BITS == 32
    return (V){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (V){0, 1, 2, 3};
#endif
}
ALWAYS F(lanes) F(above)(V x, V y) { return x > y; }
ALWAYS F(lanes) F(first)(int64_t count) { return (S)count - (V){0} > F(iota)(); }
ALWAYS V F(where)(F(lanes) which, V x, V y) { return (V)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)which); }
#if BITS == 32
ALWAYS unsigned F(bits)(F(lanes) which) { return (unsigned)_mm256_movemask_ps((__m256)which); }
ALWAYS uint64_t F(words)(unsigned which) { return which; }
ALWAYS V F(across)(V x, V at) { return (V)_mm256_permutevar8x32_epi32((__m256i)x, (__m256i)at); }
ALWAYS void F(exchange)(V *x, V *y)
{
    V least = (V)_mm256_min_epi32((__m256i)*x, (__m256i)*y);
    *y = (V)_mm256_max_epi32((__m256i)*x, (__m256i)*y);
    *x = least;
}
ALWAYS V F(load_some)(const S *p, F(lanes) which, V other)
{
    return F(where)(which, (V)_mm256_maskload_epi32(p, (__m256i)which), other);
}
ALWAYS void F(store_some)(S *p, F(lanes) which, V v) { _mm256_maskstore_epi32(p, (__m256i)which, (__m256i)v); }
#else
ALWAYS unsigned F(bits)(F(lanes) which) { return (unsigned)_mm256_movemask_pd((__m256d)which); }
ALWAYS uint64_t F(words)(unsigned which) { return _pdep_u64(which, 0x55) * 3; }
ALWAYS V F(across)(V x, V at)
{
    const __m256i second = _mm256_set1_epi64x((long long)1 << 32);
    __m256i words = _mm256_or_si256((__m256i)(at * 2), _mm256_slli_epi64((__m256i)(at * 2), 32));
    return (V)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_or_si256(words, second));
}
ALWAYS void F(exchange)(V *x, V *y)
{
    V more = *x > *y, least = F(where)(more, *y, *x);
    *y = F(where)(more, *x, *y);
    *x = least;
}
ALWAYS V F(load_some)(const S *p, F(lanes) which, V other)
{
    return F(where)(which, (V)_mm256_maskload_epi64((const long long *)p, (__m256i)which), other);
}
ALWAYS void F(store_some)(S *p, F(lanes) which, V v)
{
    _mm256_maskstore_epi64((long long *)p, (__m256i)which, (__m256i)v);
}
#endif
/* The smaller of x and y; in the lanes `high` the larger. */
ALWAYS V F(choose)(V x, V y, F(lanes) high) { return F(where)((x > y) ^ high, y, x); }
ALWAYS unsigned F(up_to)(V x, V y) { return F(bits)(x > y) ^ ((1u << LANES) - 1); }
ALWAYS V F(by_bytes)(V x, uint64_t places)
{
    return (V)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)places)));
}
#endif

#if BYTES == 64
enum { F(PARTS) = 0 };
ALWAYS V F(parted)(V x, unsigned which, int lows) { return (void)which, (void)lows, x; }
#else
/* Lanes of a set in front of the others: by one permutation, where bytes of a word tell the places of all lanes. */
enum { F(PARTS) = 1 };
ALWAYS uint64_t F(bytes)(unsigned which) { return _pdep_u64(F(words)(which), 0x0101010101010101u) * 0xff; }
ALWAYS V F(parted)(V x, unsigned which, int lows)
{
    const uint64_t places = 0x0706050403020100u, bytes = F(bytes)(which);
    uint64_t others = _pext_u64(places, ~bytes) << (64 / LANES * lows & 63);
    return F(by_bytes)(x, _pext_u64(places, bytes) | others);
}
ALWAYS V F(kept)(V x, unsigned which) { return F(by_bytes)(x, _pext_u64(0x0706050403020100u, F(bytes)(which))); }
#endif

/* --- networks ------------------------------------------------------------------------------------- */

/* n numbers, more than `full` registers of `rows` hold. Columns are sorted first; then runs of 1, 2, 4, ... columns,
 * each in order from row to row, are merged in pairs: a bitonic merge whose right half lies backwards. Lanes behind
 * the n numbers hold the largest one, as rows up to a power of two would, which stay as they are. */
ALWAYS void F(sort_rows)(const S *a, int64_t n, S *to, const int rows, const int full)
{
    V v[ROWS];
    const V iota = F(iota)(), zero = {0};
    const int power = rows > 8 ? 16 : rows > 4 ? 8 : rows > 2 ? 4 : rows;
    F(lanes) there[ROWS];
    V left = (S)n - full * LANES - zero;
    UNROLL for (int i = 0; i < full; i++) v[i] = F(load)(a + i * LANES);
    UNROLL for (int i = full; i < rows; i++)
    {
        there[i] = F(above)(left, iota);
        v[i] = F(load_some)(a + i * LANES, there[i], F(MOST) - zero);
        left -= LANES;
    }
    const int first = power == 16 ? 0 : power == 8 ? 63 : power == 4 ? 82 : power == 2 ? 87 : 88;
    const int last = power == 16 ? 63 : power == 8 ? 82 : power == 4 ? 87 : 88;
    UNROLL for (int i = first; i < last; i++) if (exchanges[i][1] < rows)
        F(exchange)(&v[exchanges[i][0]], &v[exchanges[i][1]]);
    for (int run = 2; run <= LANES; run *= 2) {
        V other = iota ^ (run - 1 - zero);
        UNROLL for (int apart = power; apart > 1; apart /= 2)
        {
            UNROLL for (int i = 0; i < rows; i++)
            {
                const int k = i / apart * apart + apart - 1 - i % apart;
                if (k <= i || k >= rows)
                    continue;
                v[k] = F(across)(v[k], other);
                F(exchange)(&v[i], &v[k]);
            }
        }
        for (int high = run / 2; high; high /= 2) {
            F(lanes) which = F(above)(iota & (high - zero), zero);
            UNROLL for (int i = 0; i < rows; i++) v[i] = F(choose)(v[i], F(across)(v[i], other), which);
            other = iota ^ (high / 2 - zero);
        }
    }
    UNROLL for (int i = 0; i < full; i++) F(store)(to + i * LANES, v[i]);
    UNROLL for (int i = full; i < rows; i++) F(store_some)(to + i * LANES, there[i], v[i]);
}

static void F(sort_short)(const S *a, int64_t n, S *to)
{
    if (n <= LANES)
        F(sort_rows)(a, n, to, 1, 0);
    else if (n <= 2 * LANES)
        F(sort_rows)(a, n, to, 2, 1);
    else if (n <= 4 * LANES)
        F(sort_rows)(a, n, to, 4, 2);
    else if (n <= 6 * LANES)
        F(sort_rows)(a, n, to, 6, 4);
    else if (n <= 8 * LANES)
        F(sort_rows)(a, n, to, 8, 6);
#if ROWS == 16
    else if (n <= 12 * LANES)
        F(sort_rows)(a, n, to, 12, 8);
    else
        F(sort_rows)(a, n, to, 16, 12);
#endif
}

/* --- images --------------------------------------------------------------------------------------- */

/* The vectors of n numbers at x, one after the other as u, of which the lanes `there` are among the n. */
#define VECTORS(x, n)                                                                            \
    for (int64_t i_ = 0, more_ = 1; i_ < (n); i_ += LANES, more_ = 1)                            \
        for (unsigned there = (n)-i_ < LANES ? (1u << ((n)-i_)) - 1 : (1u << LANES) - 1; more_;) \
            for (V u = F(load_up_to)((x) + i_, (n)-i_); more_; more_ = 0)

ALWAYS V F(load_up_to)(const S *p, int64_t left)
{
    return left < LANES ? F(load_some)(p, F(first)(left), (V){0}) : F(load)(p);
}
ALWAYS void F(store_up_to)(S *p, V v, int64_t left)
{
    if (left < LANES)
        F(store_some)(p, F(first)(left), v);
    else
        F(store)(p, v);
}

/* The image of u, as a signed number. */
ALWAYS V F(image)(const knr_image_code *code, V u)
{
    const V zero = {0}, signs = F(LEAST) - zero, flip = (S)code->flip - zero;
    V v = (u ^ (flip & u >> (BITS - 1))) ^ (((S)code->bias ^ F(LEAST)) - zero);
    if (code->infinity) {
        v = F(where)(F(above)(u, signs), v, zero);
        v = F(where)(F(above)(u & ~signs, (S)code->infinity - zero), F(MOST) - zero, v);
    }
    return v;
}

static void F(look)(const knr_image_code *code, const void *from, int64_t begin, int64_t end, knr_facts *facts)
{
    const S *x = (const S *)from + begin;
    const V zero = {0}, signs = F(LEAST) - zero;
    int64_t n = end - begin;
    if (code->infinity)
        VECTORS(x, n)
        {
            facts->nan += __builtin_popcount(F(bits)(F(above)(u & ~signs, (S)code->infinity - zero)) & there);
            facts->minus_zero |= (F(up_to)(u, signs) & there) != 0;
        }
    if (!begin)
        x++, n--;
    for (int64_t i = 0; i < n && !facts->falls; i += LANES) {
        V before = F(load_up_to)(x + i - 1, n - i), v = F(load_up_to)(x + i, n - i);
        facts->falls = F(bits)(F(above)(F(image)(code, before), F(image)(code, v))) != 0;
    }
}

static void F(sign)(const knr_image_code *code, const void *from, void *to, int64_t n)
{
    const S *x = from;
    S *y = to;
    for (int64_t i = 0; i < n; i += LANES)
        F(store_up_to)(y + i, F(image)(code, F(load_up_to)(x + i, n - i)), n - i);
}

static void F(unsign)(const knr_image_code *code, const void *from, void *to, int64_t n)
{
    const S *x = from;
    S *y = to;
    const V zero = {0}, flip = (S)code->flip - zero, bias = ((S)code->bias ^ F(LEAST)) - zero;
    for (int64_t i = 0; i < n; i += LANES) {
        V v = F(load_up_to)(x + i, n - i) ^ bias;
        F(store_up_to)(y + i, v ^ (flip & v >> (BITS - 1)), n - i);
    }
}

/* --- classes -------------------------------------------------------------------------------------- */

static int64_t F(between)(const knr_image_code *code, const void *from, int64_t n, const void *low, const void *high,
                          void *to, int64_t *below)
{
    const V zero = {0}, lows = *(const S *)low - zero, highs = *(const S *)high - zero;
    int64_t from_low = 0;
    S *y = to;
    VECTORS((const S *)from, n)
    {
        V v = F(image)(code, u);
        unsigned which = F(up_to)(lows, v) & there;
        from_low += __builtin_popcount(which);
        which &= F(up_to)(v, highs);
        F(store)(y, F(kept)(v, which));
        y += __builtin_popcount(which);
    }
    *below = n - from_low;
    return y - (S *)to;
}

static void F(count)(const knr_image_code *code, const void *x, int64_t n, const void *pivots, int64_t *count)
{
    const S *pivot = pivots;
    int64_t up_to[KNR_CLASSES] = {0};
    VECTORS((const S *)x, n)
    {
        V v = F(image)(code, u);
        UNROLL for (int k = 0; k < KNR_CLASSES - 1; k++) up_to[k] +=
            __builtin_popcount(F(up_to)(v, pivot[k] - (V){0}) & there);
    }
    up_to[KNR_CLASSES - 1] = n;
    for (int k = 0; k < KNR_CLASSES; k++)
        count[k] = up_to[k] - (k ? up_to[k - 1] : 0);
}

/* Places stay in registers: where they are read from memory behind stores whose addresses depend on them, each of
 * them waits for all of those. */
static void F(move)(const knr_image_code *code, const void *x, int64_t n, const void *pivots, void *to,
                    const int64_t *place, const int64_t *end, bool images)
{
    const S *pivot = pivots;
    S *y = to;
    int64_t at[KNR_CLASSES];
    memcpy(at, place, sizeof at);
    VECTORS((const S *)x, n)
    {
        V v = F(image)(code, u), moved = images ? v : u;
        unsigned before = 0;
        UNROLL for (int k = 0; k < KNR_CLASSES; k++)
        {
            unsigned up_to = k < KNR_CLASSES - 1 ? F(up_to)(v, pivot[k] - (V){0}) & there : there;
            unsigned which = up_to & ~before;
            before = up_to;
            if (at[k] == end[k]) /* the class is empty, or complete */
                continue;
            int many = __builtin_popcount(which);
            V w = F(kept)(moved, which);
            if (at[k] + LANES <= end[k])
                F(store)(y + at[k], w);
            else
                F(store_some)(y + at[k], F(first)(many), w);
            at[k] += many;
        }
    }
}

/* --- quicksort ------------------------------------------------------------------------------------ */

/* Where the next numbers are written: low ones from `low` up, high ones from `high` down. */
typedef struct F(ends) {
    S *low, *high;
} F(ends);

/* Lanes `there` of x; all: there is room for a vector at both ends. */
ALWAYS void F(put)(F(ends) * to, V x, V pivot, unsigned there, bool all)
{
    unsigned low = F(up_to)(x, pivot) & there;
    int lows = __builtin_popcount(low), highs = all ? LANES - lows : __builtin_popcount(there) - lows;
    to->high -= highs;
    if (all && F(PARTS)) {
        V v = F(parted)(x, low, lows);
        F(store)(to->high + highs - LANES, v);
        F(store)(to->low, v);
    } else {
        F(store_some)(to->high, F(first)(highs), F(kept)(x, low ^ there));
        if (all)
            F(store)(to->low, F(kept)(x, low));
        else
            F(store_some)(to->low, F(first)(lows), F(kept)(x, low));
    }
    to->low += lows;
}

/* Numbers up to the pivot go to the front of a, the others behind them; how many go to the front. n: more than SHORT.
 * Some from both ends are set aside, then read where less room is left. */
static int64_t F(split)(S *a, int64_t n, S pivot)
{
    enum { AT_ONCE = ROWS / 2 * LANES };
    S aside[3 * AT_ONCE];
    const V p = pivot - (V){0};
    int64_t some = n % AT_ONCE + AT_ONCE;
    S *left = a + AT_ONCE, *right = a + n - some;
    F(ends) to = {a, a + n};
    for (int64_t i = 0; i < AT_ONCE; i += LANES)
        F(store)(aside + i, F(load)(a + i));
    for (int64_t i = 0; i < some; i += LANES)
        F(store)(aside + AT_ONCE + i, F(load_up_to)(right + i, some - i));
    while (left < right) {
        bool is_left = left - to.low < to.high - right;
        const S *from = is_left ? left : right - AT_ONCE;
        left += is_left ? AT_ONCE : 0;
        right -= is_left ? 0 : AT_ONCE;
        V v[ROWS / 2];
        UNROLL for (int i = 0; i < ROWS / 2; i++) v[i] = F(load)(from + i * LANES);
        UNROLL for (int i = 0; i < ROWS / 2; i++) F(put)(&to, v[i], p, (1u << LANES) - 1, true);
    }
    VECTORS(aside, some + AT_ONCE) F(put)(&to, u, p, there, false);
    return to.low - a;
}

ALWAYS V F(median)(V x, V y, V z)
{
    F(exchange)(&x, &y);
    F(exchange)(&y, &z);
    F(exchange)(&x, &y);
    return y;
}

/* The median of LANES medians of 3 numbers, or of 3 such ones. */
static S F(pivot)(const S *a, int64_t n)
{
    enum { MANY = 1024 };
    V v[3];
    S sample[LANES];
    int64_t step = n / 10;
    for (int i = 0; i < 3; i++) {
        const S *p = a + (3 * i + 1) * step;
        v[i] = F(load)(p + step);
        if (n >= MANY)
            v[i] = F(median)(F(load)(p), v[i], F(load)(p + 2 * step));
    }
    F(store)(sample, F(median)(v[0], v[1], v[2]));
    F(sort_short)(sample, LANES, sample);
    return sample[LANES / 2 - 1];
}

static bool F(all_are)(const S *a, int64_t n, S value)
{
    const V v = value - (V){0};
    VECTORS(a, n) if ((F(bits)(F(above)(u, v)) | F(bits)(F(above)(v, u))) & there) return false;
    return true;
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

static void F(sort_some)(S *a, int64_t n, int depth)
{
    while (n > F(SHORT)) {
        if (!depth--) {
            F(heap_sort)(a, n);
            return;
        }
        S pivot = F(pivot)(a, n);
        bool equal = a[0] == pivot && a[n / 2] == pivot && a[n - 1] == pivot; /* as all of few values are in the end */
        if (equal && F(all_are)(a, n, pivot))
            return;
        int64_t front = F(split)(a, n, pivot);
        if (front == n) { /* the pivot is the largest: all of its kind go to the end */
            if (!equal && F(all_are)(a, n, pivot))
                return;
            n = F(split)(a, n, pivot - 1);
        } else if (front < n - front) {
            F(sort_some)(a, front, depth);
            a += front, n -= front;
        } else {
            F(sort_some)(a + front, n - front, depth);
            n = front;
        }
    }
    F(sort_short)(a, n, a);
}

static void F(sort)(void *from, int64_t n, int64_t lines)
{
    S *a = from;
    int depth = 8;
    for (int64_t left = n; left > F(SHORT); left /= 2)
        depth += 2;
    for (; lines > 0; lines--, a += n)
        F(sort_some)(a, n, depth);
}

static int64_t F(halve)(void *a, int64_t n) { return n > F(SHORT) ? F(split)(a, n, F(pivot)(a, n)) : n; }

static const knr_sort_vector F(vector) = {F(look),  F(sign),    F(unsign), F(sort),
                                          F(halve), F(between), F(count),  F(move)};

#undef S
#undef F
#undef LANES
#undef V
#undef VECTORS
#undef BITS
