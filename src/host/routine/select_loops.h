/* SPDX-License-Identifier: Apache-2.0
 * select_loops.h -- loops over numbers of BITS bits. Included by select_ranks.c for each; it has no include guard: that
 * is the point. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define T            PASTE(PASTE(uint, BITS), _t)
#define S            PASTE(PASTE(int, BITS), _t)
#define F(name)      PASTE(name##_, BITS)

static inline S F(image)(const knr_image_code *code, T u)
{
    const T sign = (T)((T)1 << (BITS - 1)), infinity = (T)code->infinity;
    if (infinity && (T)(u & ~sign) > infinity)
        return PASTE(PASTE(INT, BITS), _MAX);
    if (infinity && u == sign)
        u = 0;
    return (S)(u ^ ((T)code->flip & (T)((S)u >> (BITS - 1))) ^ (T)code->bias ^ sign);
}

static int64_t F(position)(const knr_image_code *code, const T *x, int64_t n, int64_t image, int64_t k)
{
    for (int64_t i = 0; i < n; i++)
        if (F(image)(code, x[i]) == image && !k--)
            return i;
    return 0;
}

static int64_t F(positions_from)(const knr_image_code *code, const T *x, int64_t first, int64_t end, int64_t image,
                                 int64_t *equal, uint64_t *to)
{
    int64_t many = 0;
    for (int64_t i = first; i < end; i++) {
        S v = F(image)(code, x[i]);
        if (v > image || (v == image && (*equal)-- > 0))
            to[many++] = (uint64_t)i;
    }
    return many;
}

static int64_t F(count_above)(const knr_image_code *code, const T *x, int64_t n, S image)
{
    int64_t many = 0;
    for (int64_t i = 0; i < n; i++)
        many += F(image)(code, x[i]) > image;
    return many;
}

/* --- classes -------------------------------------------------------------------------------------- */

static inline int64_t F(class_of)(const parting *p, S v)
{
    int64_t below = 0, upto = 0; /* images that are below v, that are up to v */
    for (int64_t many = p->m; many > 0;) {
        int64_t half = many / 2;
        bool more = p->image[below + half] < v;
        below = more ? below + half + 1 : below;
        many = more ? many - half - 1 : half;
    }
    upto = below + (below < p->m && p->image[below] == v);
    return below + upto;
}

static void F(count_part)(const parting *p, int64_t from, int64_t to, int64_t *count)
{
    const T *x = p->x;
    const knr_image_code code = p->code;
    if (p->m == 1) {
        const S image = (S)p->image[0];
        int64_t above = 0, from_it = 0;
        for (int64_t i = from; i < to; i++) {
            S v = F(image)(&code, x[i]);
            above += v > image;
            from_it += v >= image;
        }
        count[0] = to - from - from_it, count[1] = from_it - above, count[2] = above;
        return;
    }
    for (int64_t i = from; i < to; i++)
        count[F(class_of)(p, F(image)(&code, x[i]))]++;
}

static void F(move_part)(const parting *p, int64_t from, int64_t to, int64_t *place)
{
    const T *x = p->x;
    const knr_image_code code = p->code;
#define MOVE(Y, y, value)                                           \
    if (p->m == 1) {                                                \
        const S image = (S)p->image[0];                             \
        int64_t at[] = {place[0], place[1], place[2]};              \
        for (int64_t i = from; i < to; i++) {                       \
            S v = F(image)(&code, x[i]);                            \
            ((Y *)(y))[at[(v > image) + (v >= image)]++] = (value); \
        }                                                           \
    } else                                                          \
        for (int64_t i = from; i < to; i++)                         \
            ((Y *)(y))[place[F(class_of)(p, F(image)(&code, x[i]))]++] = (value)
    if (p->positions)
        MOVE(int64_t, p->y, i);
    else
        MOVE(T, p->y, x[i]);
#undef MOVE
}

#undef PASTE_
#undef PASTE
#undef T
#undef S
#undef F
#undef BITS
