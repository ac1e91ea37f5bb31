/* SPDX-License-Identifier: Apache-2.0
 * cumulative_loops.h -- cumulative operations on vectors of one kind of numbers. Included by cumulative_isa.c for each;
 * it has no include guard: that is the point. num: the suffix of functions, T: the number, SIZE: its bytes, V: a vector
 * of it, LANE: one of integers as large, BITS: an integer as large, REAL: 1 for floats. PAIRS: complex numbers, of
 * which lines are made alone. OTHER: join of the integers as large, which came before. */
#define F(name) PASTE(name##_, num)
#define S(name) PASTE(name, SIZE)

#if ONE_NUMBER
enum { F(LANES) = 1 };
typedef T F(register);
typedef BITS F(bits);
typedef char F(mask);
ALWAYS BITS F(all)(BITS x) { return x; }
ALWAYS F(mask) F(below)(int64_t n) { return (char)n; }
ALWAYS T F(some)(const T *p, F(mask) which) { return (void)which, *p; }
ALWAYS void F(put_some)(T *p, T v, F(mask) which) { *p = ((void)which, v); }
ALWAYS void F(put)(T *p, T v, bool bypass) { *p = ((void)bypass, v); }
#else
enum { F(LANES) = VECTOR_BYTES / SIZE };
typedef V F(register);
typedef LANE F(bits);
typedef S(mask) F(mask);
ALWAYS LANE F(all)(BITS x) { return (LANE)S(all)(x); }
ALWAYS F(mask) F(below)(int64_t n) { return S(below)(S(numbers), n); }
ALWAYS V F(some)(const T *p, F(mask) which) { return (V)S(some)(p, which); }
ALWAYS void F(put_some)(T *p, V v, F(mask) which) { S(put_some)(p, (bytes)v, which); }
ALWAYS void F(put)(T *p, V v, bool bypass)
{
    if (bypass)
        past_caches(p, (bytes)v);
    else
        memcpy(p, &v, sizeof v);
}
#endif
#undef V
#define V F(register)
enum { F(VECTORS) = 16 / F(LANES) };

ALWAYS V F(load)(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
/* Some bits the other way round, where the order is. */
ALWAYS V F(flipped)(knr_cumulate how, V x, F(bits) flip)
{
    F(bits) b;
    if (how != KNR_CUMULATE_MAX)
        return x;
    memcpy(&b, &x, sizeof b);
    b ^= flip;
    memcpy(&x, &b, sizeof b);
    return x;
}

/* combine of docs/determinism.md */
ALWAYS V F(join)(knr_cumulate how, V left, V right)
{
#if defined(PAIRS) /* by parts; of products no number changes nothing */
    return how == KNR_CUMULATE_SUM ? left + right : F(times)(left, right);
}
#define BARE(how) ((how) == KNR_CUMULATE_PRODUCT)
#define WRITTEN_OUT /* small rather than fast */
#else
    return how == KNR_CUMULATE_SUM       ? left + right
           : how == KNR_CUMULATE_PRODUCT ? left * right
                                         : F(larger)(left, right);
}
#define BARE(how)   false
#if SIZE == 4 || !REAL
#define WRITTEN_OUT UNROLL
#else
#define WRITTEN_OUT
#endif
#endif

#if !defined(PAIRS)

/* One vector of each of the 16 rows, from lane k on; n: lanes that there are. The order of integers, maxima and minima
 * shows in no result. Rows lie far apart, and no processor sees ahead in 32 streams, so the next group is fetched. */
ALWAYS V F(rows)(knr_cumulate how, const void *const *x, void *const *y, int64_t k, int64_t n, V front, V last,
                 F(bits) flip, int64_t ahead, bool bypass)
{
    const F(mask) which = F(below)(n);
    const bool whole = n >= F(LANES);
    V v[16];
    if (REAL && how != KNR_CUMULATE_MAX) {
        for (int i = 0; i < 16; i++) {
            __builtin_prefetch((const char *)((const T *)x[i] + k) + ahead);
            v[i] = whole ? F(load)((const T *)x[i] + k) : F(some)((const T *)x[i] + k, which);
        }
        for (int i = 0; i < KNR_CUMULATE_JOINS; i++) {
            const uint8_t *pair = knr_cumulate_joins[i];
            v[pair[1]] = F(join)(how, v[pair[0]], v[pair[1]]);
        }
    }
    for (int i = 0; i < 16; i++) {
        if (REAL && how != KNR_CUMULATE_MAX)
            v[i] = F(join)(how, last, v[i]);
        else {
            __builtin_prefetch((const char *)((const T *)x[i] + k) + ahead);
            V mine = whole ? F(load)((const T *)x[i] + k) : F(some)((const T *)x[i] + k, which);
            last = F(join)(how, last, F(flipped)(how, mine, flip));
        }
        V z = REAL && how != KNR_CUMULATE_MAX ? v[i] : last;
        z = F(flipped)(how, F(join)(how, front, z), flip);
        if (!bypass)
            __builtin_prefetch((char *)((T *)y[i] + k) + ahead, 1);
        if (whole)
            F(put)((T *)y[i] + k, z, bypass);
        else
            F(put_some)((T *)y[i] + k, z, which);
    }
    return REAL && how != KNR_CUMULATE_MAX ? v[15] : last;
}

/* Lanes run along the results: each of the 16 rows is a step. */
ALWAYS void F(columns)(knr_cumulate how, const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p)
{
    const F(bits) flip = F(all)((BITS)p->flip);
    for (int64_t k = 0; k < n; k += F(LANES)) {
        T *carry = (T *)p->carry + k;
        V last = F(flipped)(how, F(load)(carry), flip);
        V front = F(flipped)(how, F(load)((const T *)p->prefix + k), flip);
        last = F(rows)(how, x, y, k, n - k, front, last, flip, p->ahead, p->bypass);
        F(put)(carry, F(flipped)(how, last, flip), false);
    }
}

#endif

#if !ONE_NUMBER
ALWAYS V F(last_of)(V v, const S(tables) *t) { return (V)S(moved)((bytes)v, t->last); }

/* Lanes run along the steps: a group of 16 is one vector, or several. */
ALWAYS void F(group)(knr_cumulate how, const S(tables) *t, V *v)
{
    WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
        WRITTEN_OUT for (int i = 0, reach = 1; reach < F(LANES); i++, reach *= 2) {
            V moved = (V)S(moved)((bytes)v[k], t->from[i]);
            v[k] = (V)S(choose)(t->joins[i], (bytes)F(join)(how, moved, v[k]), (bytes)v[k]);
        }
    WRITTEN_OUT for (int s = 1; s < F(VECTORS); s *= 2)
        WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
            if (k & s)
                v[k] = F(join)(how, F(last_of)(v[(k & ~(2 * s - 1)) + s - 1], t), v[k]);
}

#if defined(OTHER)
/* Lines that have room in one register: as many as that side by side, also of integers. Small rather than fast: what
 * they are is asked each time. */
static __attribute__((noinline)) void S(short_lines)(bool real, const void *from, void *to, int64_t n, int64_t lines,
                                                     const knr_cumulate_part *p)
{
    S(tables) t;
    S(fill_tables)(&t, p->reverse, (unsigned)n);
    const F(bits) flip = F(all)((BITS)p->flip);
    const int64_t some = F(LANES) / n * n;
    const T *x = from;
    T *y = to;
    for (int64_t left = n * lines; left > 0; left -= some, x += some, y += some) {
        F(bits) v = flip ^ (F(bits))(left >= F(LANES) ? F(load)(x) : F(some)(x, F(below)(left)));
        for (int i = 0; 1 << i < n; i++) {
            F(bits) moved = (F(bits))S(moved)((bytes)v, t.from[i]);
            F(bits) z = real ? (F(bits))F(join)(p->how, (V)moved, (V)v) : OTHER(p->how, moved, v);
            v = (F(bits))S(choose)(t.joins[i], (bytes)z, (bytes)v);
        }
        v ^= flip;
        if (some == F(LANES) && left >= some)
            F(put)(y, (V)v, p->bypass);
        else
            F(put_some)(y, (V)v, F(below)(left < some ? left : some));
    }
}
#endif

ALWAYS void F(line)(knr_cumulate how, const void *from, void *to, int64_t n, int64_t lines,
                    const knr_cumulate_part *p)
{
    S(tables) tables;
#if !defined(PAIRS)
    if (lines > 1 && n <= F(LANES)) {
        S(short_lines)(REAL, from, to, n, lines, p);
        return;
    }
#endif
    S(fill_tables)(&tables, p->reverse, F(LANES));
    const F(bits) flip = F(all)((BITS)p->flip);
    const bool bypass = p->bypass;
    T left_out[16];
    const bool fronted = !BARE(how) || p->prefix, begins = BARE(how) && p->begins;
    const V front = F(flipped)(how, (V)S(spread)(fronted ? p->prefix : p->carry), flip);
    const V first = F(flipped)(how, (V)S(spread)(p->carry), flip);
    V last = first, v[F(VECTORS)];
    const int64_t step = p->reverse ? -F(LANES) : F(LANES), begin = p->reverse ? n - F(LANES) : 0;
    const int64_t on = to ? F(VECTORS) * step : 0;
    for (int64_t line = 0; line < lines; line++) {
        const T *x = (const T *)from + line * n + begin;
        T *y = to ? (T *)to + line * n + begin : left_out + (p->reverse ? 16 - F(LANES) : 0);
        bool alone = begins;
        last = first;
        for (int64_t left = n; left > 0; left -= 16, x += F(VECTORS) * step, y += on) {
            WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
                v[k] = left >= 16 ? F(load)(x + k * step)
                                  : F(some)(x + k * step, S(below)(tables.number, left - k * F(LANES)));
            if (how == KNR_CUMULATE_MAX) {
                WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
                    v[k] = F(flipped)(how, v[k], flip);
            }
            F(group)(how, &tables, v);
            V all = F(last_of)(v[F(VECTORS) - 1], &tables);
            WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++) {
                V z = alone ? v[k] : F(join)(how, last, v[k]);
                v[k] = F(flipped)(how, fronted ? F(join)(how, front, z) : z, flip);
            }
            if (left >= 16)
                WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
                    F(put)(y + k * step, v[k], bypass);
            else
                WRITTEN_OUT for (int k = 0; k < F(VECTORS); k++)
                    F(put_some)(y + k * step, v[k], S(below)(tables.number, left - k * F(LANES)));
            last = alone ? all : F(join)(how, last, all);
            alone = false;
        }
    }
    last = F(flipped)(how, last, flip);
    memcpy(p->carry, &last, SIZE);
}
#endif

#define COLUMNS(name, how)                                                                                     \
    static void F(columns_##name)(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p) \
    {                                                                                                          \
        F(columns)(how, x, y, n, p);                                                                           \
    }
#if ONE_NUMBER
#define LINE(name, how)                                                                                     \
    static void F(line_##name)(const void *x, void *y, int64_t n, int64_t lines, const knr_cumulate_part *p) \
    {                                                                                                       \
        line_by(F(columns_##name), SIZE, x, y, n, lines, p);                                                \
    }
#else
#define LINE(name, how)                                                                                     \
    static void F(line_##name)(const void *x, void *y, int64_t n, int64_t lines, const knr_cumulate_part *p) \
    {                                                                                                       \
        F(line)(how, x, y, n, lines, p);                                                                    \
    }
#endif
#if defined(PAIRS)
#if SIZE == 8 /* those of complex128 are sums of columns */
LINE(sum, KNR_CUMULATE_SUM)
#endif
LINE(product, KNR_CUMULATE_PRODUCT)
#else
#if REAL
COLUMNS(sum, KNR_CUMULATE_SUM)
COLUMNS(product, KNR_CUMULATE_PRODUCT)
COLUMNS(max, KNR_CUMULATE_MAX)
#else /* small rather than fast: which one is asked at each step */
COLUMNS(any, (knr_cumulate)p->how)
#endif
LINE(sum, KNR_CUMULATE_SUM)
#if SIZE == 4
LINE(max, KNR_CUMULATE_MAX)
#endif
#if REAL && SIZE == 4
LINE(product, KNR_CUMULATE_PRODUCT)
#elif REAL
LINE(any, p->how == KNR_CUMULATE_MAX ? KNR_CUMULATE_MAX : KNR_CUMULATE_PRODUCT)
#endif
#endif
#undef COLUMNS
#undef LINE
#undef F
#undef S
#undef V
#undef num
#undef T
#undef SIZE
#undef LANE
#undef BITS
#undef REAL
#undef PAIRS
#undef OTHER
#undef BARE
#undef WRITTEN_OUT
