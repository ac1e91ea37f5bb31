/* SPDX-License-Identifier: Apache-2.0
 * ziggurat_loops.h -- ziggurats of one dtype; ziggurat.c includes it for float64 and float32.
 *
 * T: the dtype, W: its words, N(name): its name of something, F(name): that of a function of C's, NEXT: the next word.
 */

static const T N(normal_end) = (T)3.6541528853610087963519472518L;
static const T N(inverse_normal_end) = (T)0.27366123732975827203338247596L;
static const T N(exponential_end) = (T)7.6971174701310497140446280481L;

/* A word whose place does not lie inside for certain: the tail, the edge of a layer, or another word. */
static __attribute__((noinline)) T N(normal_from)(knrng_reader *r, W w)
{
    for (;;) {
        bool inside;
        T x = N(knrng_normal_candidate)(w, &inside);
        unsigned layer = w & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            for (;;) { /* one minus the unit: there is no logarithm of 0 */
                T beyond = -N(inverse_normal_end) * F(knrng_log1p)(-N(knrng_unit)(r));
                T y = -F(knrng_log1p)(-N(knrng_unit)(r));
                if (y + y > beyond * beyond)
                    return N(knrng_signed_by)(N(normal_end) + beyond, N(knrng_normal_place)(w) >> 8 & 1);
            }
        const T *height = &N(knrng_normal_height)[layer];
        T level = (height[-1] - height[0]) * N(knrng_unit)(r) + height[0];
        if ((double)level < knrng_exp(-0.5 * (double)x * (double)x))
            return x;
        w = NEXT(r);
    }
}

static __attribute__((noinline)) T N(exponential_from)(knrng_reader *r, W w)
{
    for (;;) {
        bool inside;
        T x = N(knrng_exponential_candidate)(w, &inside);
        unsigned layer = N(knrng_exponential_index)(w);
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

/* One number, and many: in batches of words, a number takes one at least. All of a batch are looked at together; one
 * that does not lie inside takes words of those that follow, which are numbers fewer then. */
#define KNRNG_ZIGGURAT(one, many, what)                                                      \
    T one(knrng_reader *r)                                                                   \
    {                                                                                        \
        bool inside;                                                                         \
        W w = NEXT(r);                                                                       \
        T x = N(knrng_##what##_candidate)(w, &inside);                                            \
        return __builtin_expect(inside, 1) ? x : N(what##_from)(r, w);                       \
    }                                                                                        \
    void many(knrng_reader *r, size_t n, T *out)                                             \
    {                                                                                        \
        T x[KNRNG_AHEAD];                                                                    \
        uint64_t outside[KNRNG_AHEAD / 64];                                                  \
        const knrng_fills *fills = knrng_function()->fills;                                       \
        for (T *last = out + n; out < last;) {                                               \
            size_t left = (size_t)(last - out), count = left < KNRNG_AHEAD ? left : KNRNG_AHEAD; \
            N(knrng_read_ahead)(r, count);                                                   \
            const W *w = r->N(ahead);                                                        \
            fills->N(what)(w, count, x, outside);                                            \
            for (size_t i = 0; i < count;) {                                                 \
                size_t next = next_outside(outside, i, count);                               \
                memcpy(out, x + i, (next - i) * sizeof *out);                                \
                out += next - i;                                                             \
                if (next == count)                                                           \
                    break;                                                                   \
                r->N(at) = w + next + 1;                                                     \
                *out++ = N(what##_from)(r, w[next]);                                         \
                i = r->N(end) == w + count ? (size_t)(r->N(at) - w) : count;                 \
            }                                                                                \
            r->N(at) = r->N(end);                                                            \
        }                                                                                    \
    }
KNRNG_ZIGGURAT(N(knrng_normal), N(knrng_fill_normals), normal)
KNRNG_ZIGGURAT(N(knrng_exponential), N(knrng_fill_exponentials), exponential)
#undef KNRNG_ZIGGURAT
#undef T
#undef W
#undef N
#undef F
#undef NEXT
