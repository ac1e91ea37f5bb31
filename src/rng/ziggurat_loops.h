/* SPDX-License-Identifier: Apache-2.0
 * ziggurat_loops.h -- ziggurats of one dtype; ziggurat.c includes it for float64 and float32.
 *
 * T: the dtype, W: its words, N(name): its name of something, F(name): that of a function of C's, NEXT: the next word.
 * A normal word is 8 bits of layer, one of sign, and NORMAL_PLACE; an exponential one the layer in the low 8 bits of
 * EXPONENTIAL_AT, and EXPONENTIAL_LEFT, its place, as a signed number: that is converted faster. */

static const T N(normal_end) = (T)3.6541528853610087963519472518L;
static const T N(inverse_normal_end) = (T)0.27366123732975827203338247596L;
static const T N(exponential_end) = (T)7.6971174701310497140446280481L;

/* x, which is not negative, with this sign: half of the signs would be predicted wrongly by a branch. */
static inline T N(signed_by)(T x, W sign)
{
    W u;
    memcpy(&u, &x, sizeof u);
    u |= sign << (8 * sizeof u - 1);
    memcpy(&x, &u, sizeof u);
    return x;
}

static inline T N(normal_candidate)(W w, bool *inside)
{
    const N(knrng_layer) *layer = &N(knrng_normal_layer)[w & 0xff];
    W place = NORMAL_PLACE(w);
    *inside = place < layer->inside;
    return N(signed_by)((T)(sizeof(W) == 8 ? (int64_t)place : (int32_t)place) * layer->width, w >> 8 & 1);
}

/* A word whose place does not lie inside for certain: the tail, the edge of a layer, or another word. */
static __attribute__((noinline)) T N(normal_from)(knrng_reader *r, W w)
{
    for (;;) {
        bool inside;
        T x = N(normal_candidate)(w, &inside);
        unsigned layer = w & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            for (;;) { /* one minus the unit: there is no logarithm of 0 */
                T beyond = -N(inverse_normal_end) * F(knrng_log1p)(-N(knrng_unit)(r));
                T y = -F(knrng_log1p)(-N(knrng_unit)(r));
                if (y + y > beyond * beyond)
                    return N(signed_by)(N(normal_end) + beyond, NORMAL_PLACE(w) >> 8 & 1);
            }
        const T *height = &N(knrng_normal_height)[layer];
        T level = (height[-1] - height[0]) * N(knrng_unit)(r) + height[0];
        if ((double)level < knrng_exp(-0.5 * (double)x * (double)x))
            return x;
        w = NEXT(r);
    }
}

static inline T N(exponential_candidate)(W w, bool *inside)
{
    const N(knrng_layer) *layer = &N(knrng_exponential_layer)[EXPONENTIAL_AT(w) & 0xff];
    *inside = (W)EXPONENTIAL_LEFT(w) < layer->inside;
    return (T)EXPONENTIAL_LEFT(w) * layer->width;
}

static __attribute__((noinline)) T N(exponential_from)(knrng_reader *r, W w)
{
    for (;;) {
        bool inside;
        T x = N(exponential_candidate)(w, &inside);
        unsigned layer = EXPONENTIAL_AT(w) & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            return N(exponential_end) - F(knrng_log1p)(-N(knrng_unit)(r));
        const T *height = &N(knrng_exponential_height)[layer];
        if ((height[-1] - height[0]) * N(knrng_unit)(r) + height[0] < F(knrng_exp)(-x))
            return x;
        w = NEXT(r);
    }
}

/* One number, and many: in batches of words, a number takes one at least. One that does not lie inside takes words of
 * those that follow, which are fewer then. */
#define KNRNG_ZIGGURAT(one, many, what)                                      \
    T one(knrng_reader *r)                                                   \
    {                                                                        \
        bool inside;                                                         \
        W w = NEXT(r);                                                       \
        T x = N(what##_candidate)(w, &inside);                               \
        return __builtin_expect(inside, 1) ? x : N(what##_from)(r, w);       \
    }                                                                        \
    void many(knrng_reader *r, size_t n, T *out)                             \
    {                                                                        \
        for (T *last = out + n; out < last;) {                               \
            size_t left = (size_t)(last - out);                              \
            N(knrng_read_ahead)(r, left < KNRNG_AHEAD ? left : KNRNG_AHEAD); \
            const W *w = r->N(at), *end = r->N(end);                         \
            while (w < end) {                                                \
                bool inside;                                                 \
                W v = *w++;                                                  \
                T x = N(what##_candidate)(v, &inside);                       \
                if (__builtin_expect(!inside, 0)) {                          \
                    r->N(at) = w;                                            \
                    x = N(what##_from)(r, v);                                \
                    w = r->N(at);                                            \
                }                                                            \
                *out++ = x;                                                  \
            }                                                                \
            r->N(at) = end;                                                  \
        }                                                                    \
    }
KNRNG_ZIGGURAT(N(knrng_normal), N(knrng_fill_normals), normal)
KNRNG_ZIGGURAT(N(knrng_exponential), N(knrng_fill_exponentials), exponential)
#undef KNRNG_ZIGGURAT
#undef T
#undef W
#undef N
#undef F
#undef NEXT
#undef NORMAL_PLACE
#undef EXPONENTIAL_AT
#undef EXPONENTIAL_LEFT
