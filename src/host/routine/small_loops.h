/* SPDX-License-Identifier: Apache-2.0
 * small_loops.h -- small matrices in lanes for one type of number: vectors, the way from matrices one behind the other
 * to lanes and back. Number e of the matrix in lane l lies at e * LANES + l. Included for each type with BYTES, those
 * of a number, defined, before the headers that need it; small_end.h comes last. It has no include guard: that is the
 * point. */
#if BYTES == 4
#define NUM             f32
#define T               float
#define U               vu32
#define ZIP_LO          zip_lo4
#define ZIP_HI          zip_hi4
#define MANTISSA        23
#define EXPONENT        0xffu
#define ROUNDOFF        0x1p-24f /* half of the distance between 1 and the next number */
#define NOTHING         0x1p-60f /* beside 1, also squared */
#define LARGEST         0x1.fffffep127f
#define SEED_OF_ROOT    0x5f3759dfu
#define SEED_OF_INVERSE 0x7ef311c7u
#else
#define NUM             f64
#define T               double
#define U               vu64
#define ZIP_LO          zip_lo8
#define ZIP_HI          zip_hi8
#define MANTISSA        52
#define EXPONENT        0x7ffu
#define ROUNDOFF        0x1p-53
#define NOTHING         0x1p-500
#define LARGEST         0x1.fffffffffffffp1023
#define SEED_OF_ROOT    0x5fe6eb50c7b537a9u
#define SEED_OF_INVERSE 0x7fde623822fc16e6u
#endif
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
#define M       PASTE(mask_, NUM)
#define LANES   ((int)(VECTOR_BYTES / BYTES))
#define ROUNDS  (LANES == 16 ? 4 : LANES == 8 ? 3 : LANES == 4 ? 2 : 1)
// clang-format on

#include "host/routine/vector_loops.h"
ALWAYS V F(at)(const T *x, int64_t e) { return F(load)(x + e * LANES); }
ALWAYS void F(to)(T *x, int64_t e, V v) { F(store)(x + e * LANES, v); }
ALWAYS V F(absolute)(V v) { return (V)((U)v & ~(U)(F(fill)(-(T)0))); }
ALWAYS V F(signed_as)(V size, V sign) /* size is not negative */
{
    return (V)((U)size | ((U)sign & (U)(F(fill)(-(T)0))));
}
ALWAYS V F(larger)(V x, V y) { return F(choose)(F(less)(x, y), y, x); }
/* A power of two that brings numbers of this size near 1; that of 0 is any. Its inverse is `unscale`. */
ALWAYS V F(scale_for)(V size)
{
    const U zero = {0};
    U e = (U)size >> MANTISSA; /* size is not negative */
    e = (U)F(choose)(F(same)(e, zero), (V)(zero + 1), (V)e);
    M huge = F(same)(e, zero + (EXPONENT - 1)) | F(same)(e, zero + EXPONENT);
    e = (U)F(choose)(huge, (V)(zero + (EXPONENT - 2)), (V)e);
    return (V)(((zero + (EXPONENT - 1)) - e) << MANTISSA);
}
ALWAYS V F(unscale)(V scale) { return (V)((((U){0} + (EXPONENT - 1)) << MANTISSA) - (U)scale); }

/* --- there and back --------------------------------------------------------------------------- */

ALWAYS void F(turn)(V *x) /* LANES of them, as a square */
{
    V y[LANES];
    UNROLL for (int r = 0; r < ROUNDS; r++)
    {
        UNROLL for (int i = 0; i < LANES / 2; i++)
        {
            y[2 * i] = (V)ZIP_LO((U)x[i], (U)x[i + LANES / 2]);
            y[2 * i + 1] = (V)ZIP_HI((U)x[i], (U)x[i + LANES / 2]);
        }
        UNROLL for (int i = 0; i < LANES; i++) x[i] = y[i];
    }
}

ALWAYS V F(load_some)(const T *p, int n) { return (V)PASTE(load, BYTES)(p, n); }
ALWAYS void F(store_some)(T *p, V v, int n) { PASTE(store, BYTES)(p, (vu32)v, n); }

/* The next LANES matrices come to the cache while these are worked on: the processor does not see their order. */
ALWAYS void F(fetch)(const T *next, int64_t step, bool write)
{
    enum { LINE = 64 / BYTES, FEW = 32 /* lines, which it fetches by itself */ };
    for (int64_t e = 0; step * LANES >= FEW * LINE && e < step * LANES; e += LINE)
        if (write)
            __builtin_prefetch(next + e, 1, 2);
        else
            __builtin_prefetch(next + e, 0, 2);
}

/* `elements` numbers of each of `count` matrices, step numbers apart. Lanes without a matrix repeat the first one. */
static LEFT_OUT void F(take)(T *to, const T *from, int64_t step, int elements, int count)
{
    const T *row[LANES];
    UNROLL for (int l = 0; l < LANES; l++) row[l] = from + (l < count ? l : 0) * step;
    int e = 0;
    for (; e + LANES <= elements; e += LANES) {
        V x[LANES];
        UNROLL for (int l = 0; l < LANES; l++) x[l] = F(load)(row[l] + e);
        F(turn)(x);
        UNROLL for (int l = 0; l < LANES; l++) F(to)(to, e + l, x[l]);
    }
    if (e < elements) {
        V x[LANES];
        int n = elements - e;
        UNROLL for (int l = 0; l < LANES; l++) x[l] = F(load_some)(row[l] + e, n);
        F(turn)(x);
        UNROLL for (int l = 0; l < LANES; l++) if (l < n) F(to)(to, e + l, x[l]);
    }
    if (count == LANES)
        F(fetch)(from + LANES * step, step, false);
}

static LEFT_OUT void F(give)(T *to, const T *from, int64_t step, int elements, int count)
{
    int e = 0;
    for (; e + LANES <= elements; e += LANES) {
        V x[LANES];
        UNROLL for (int l = 0; l < LANES; l++) x[l] = F(at)(from, e + l);
        F(turn)(x);
        if (count == LANES)
            UNROLL for (int l = 0; l < LANES; l++) F(store)(to + l * step + e, x[l]);
        else
            UNROLL for (int l = 0; l < LANES; l++) if (l < count) F(store)(to + l * step + e, x[l]);
    }
    if (e < elements) {
        V x[LANES];
        int n = elements - e;
        UNROLL for (int l = 0; l < LANES; l++) x[l] = l < n ? F(at)(from, e + l) : (V){0};
        F(turn)(x);
        UNROLL for (int l = 0; l < LANES; l++) if (l < count) F(store_some)(to + l * step + e, x[l], n);
    }
    if (count == LANES)
        F(fetch)(to + LANES * step, step, true);
}

/* One number of each matrix, and whole numbers of 32 bits. */
ALWAYS void F(give_number)(T *to, V v, int count)
{
    if (count == LANES)
        F(store)(to, v);
    else
        for (int l = 0; l < count; l++)
            to[l] = v[l];
}
static LEFT_OUT void F(give_integers)(int32_t *to, const T *from, int n, int count)
{
    for (int i = 0; i < n; i++) {
        U v = (U)F(at)(from, i);
        for (int l = 0; l < count; l++)
            to[l * n + i] = (int32_t)v[l];
    }
}

ALWAYS bool F(none_of)(M failed, int count)
{
    for (int l = 0; l < count; l++)
        if (F(lane)(failed, l))
            return false;
    return true;
}

/* Numbers of an array of so many elements in lanes. Arrays do not begin at the same place of pages: loads would wait
 * for stores that only look alike. */
static int64_t F(room)(int64_t elements) { return ((elements + 15) / 16 * 16 + 5) * LANES; }

/* The body with n as a constant for the sizes that are common. */
#if VECTOR_BYTES > 16
#define SIZES(n, body)                     \
    switch (n) {                           \
    case 3: body(3); break;                \
    case 4: body(4); break;                \
    default: body(n); break;               \
    }
#else
#define SIZES(n, body) body(n);
#endif
