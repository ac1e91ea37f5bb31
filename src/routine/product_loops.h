/* SPDX-License-Identifier: Apache-2.0
 * product_loops.h -- the loops of product_tile.h for one type of number; included by product_isa.c with NUM (its
 * short name), T, BYTES (of a number) and ROWS (of the largest tile) defined. It has no include guard: that is the
 * point. */
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
#define BITS    PASTE(vu, PASTE(WIDTH, BYTES)) /* the vector of unsigned numbers of this size */
#define WIDTH4  32
#define WIDTH8  64
#define LANES   ((int)(VECTOR_BYTES / BYTES))

ALWAYS V F(load)(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(T *p, V v) { memcpy(p, &v, sizeof v); }
ALWAYS V F(load_first)(const T *p, int n) { return (V)PASTE(load, BYTES)(p, n); }
ALWAYS void F(store_first)(T *p, V v, int n) { PASTE(store, BYTES)(p, (vu32)v, n); }
ALWAYS V F(fill)(T x) { return x - (V){0}; } /* adding +0 would lose the sign of -0 */

/* --- tiles ------------------------------------------------------------------------------------ */

/* Adds the results of a block to C, or puts them there. */
ALWAYS void F(add_block)(const knr_tile_args *t, int rows, int vectors, bool full, bool add, V acc[][KNR_TILE_VECTORS])
{
    T *c = t->c;
    UNROLL for (int i = 0; i < rows; i++, c += t->c_row)
    {
        UNROLL for (int v = 0; v < vectors; v++)
        {
            V x = acc[i][v];
            if (full || v + 1 < vectors) {
                F(store)(c + v * LANES, add ? F(load)(c + v * LANES) + x : x);
            } else {
                F(store_first)(c + v * LANES, add ? F(load_first)(c + v * LANES, t->lanes) + x : x, t->lanes);
            }
        }
    }
}

/* Three rows of A share an address register: the distances 0, 1 and 2 times that of the rows are part of the
 * instructions. */
ALWAYS void F(tile)(const knr_tile_args *t, const int rows, const int vectors, const bool full)
{
    const char *a[(ROWS + 2) / 3];
    const T *b = t->b;
    int64_t row = t->a_row * BYTES, a_step = t->a_k * BYTES;
    bool add = t->add;
    UNROLL for (int i = 0; i < rows; i += 3) a[i / 3] = (const char *)t->a + i * row;
    for (int64_t left = t->k; left > 0; left -= t->block, add = true) {
        V acc[ROWS][KNR_TILE_VECTORS];
        UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < vectors; v++) acc[i][v] = (V){0};
        for (int64_t n = left < t->block ? left : t->block; n > 0; n--) {
            V bv[KNR_TILE_VECTORS];
            UNROLL for (int v = 0; v < vectors; v++) bv[v] =
                full || v + 1 < vectors ? F(load)(b + v * LANES) : F(load_first)(b + v * LANES, t->lanes);
            b += t->b_k;
            UNROLL for (int i = 0; i < rows; i++)
            {
                V x = F(fill)(*(const T *)(a[i / 3] + i % 3 * row));
                UNROLL for (int v = 0; v < vectors; v++) acc[i][v] = F(fma)(x, bv[v], acc[i][v]);
            }
            UNROLL for (int i = 0; i < rows; i += 3) a[i / 3] += a_step;
        }
        F(add_block)(t, rows, vectors, full, add, acc);
    }
}

#define TILE(rows)                                                                                             \
    static void PASTE(PASTE(part1_, NUM), _##rows)(const knr_tile_args *t) { F(tile)(t, rows, 1, false); }     \
    static void PASTE(PASTE(part2_, NUM), _##rows)(const knr_tile_args *t) { F(tile)(t, rows, 2, false); }     \
    static void PASTE(PASTE(full1_, NUM), _##rows)(const knr_tile_args *t) { F(tile)(t, rows, 1, true); }      \
    static void PASTE(PASTE(full2_, NUM), _##rows)(const knr_tile_args *t) { F(tile)(t, rows, 2, true); }
TILE(1)
TILE(2)
TILE(3)
TILE(4)
#if ROWS > 4
TILE(5)
TILE(6)
#endif
#if ROWS > 6
TILE(7)
TILE(8)
TILE(9)
TILE(10)
TILE(11)
TILE(12)
TILE(13)
TILE(14)
#endif

/* --- transposing ------------------------------------------------------------------------------ */

/* A square of vectors: column j of the result is row j of what was there. */
ALWAYS void F(transpose)(BITS x[])
{
    UNROLL for (int round = 1; round < LANES; round *= 2)
    {
        BITS y[VECTOR_BYTES / BYTES];
        UNROLL for (int i = 0; i < LANES / 2; i++)
        {
            y[2 * i] = PASTE(zip_lo, BYTES)(x[i], x[i + LANES / 2]);
            y[2 * i + 1] = PASTE(zip_hi, BYTES)(x[i], x[i + LANES / 2]);
        }
        UNROLL for (int i = 0; i < LANES; i++) x[i] = y[i];
    }
}

/* LANES rows of src, `step` apart, become the lanes of k vectors, `width` apart. */
static void F(pack_square)(const T *src, int64_t step, int64_t k, int64_t width, T *dst)
{
    for (; k >= LANES; k -= LANES, src += LANES) {
        BITS x[VECTOR_BYTES / BYTES];
        UNROLL for (int i = 0; i < LANES; i++) x[i] = (BITS)F(load)(src + i * step);
        F(transpose)(x);
        UNROLL for (int i = 0; i < LANES; i++, dst += width) F(store)(dst, (V)x[i]);
    }
    for (; k > 0; k--, src++, dst += width)
        for (int i = 0; i < LANES; i++)
            dst[i] = src[i * step];
}

static void F(pack_transposed)(const void *src_, int64_t step, int64_t k, int columns, int width, void *dst_)
{
    const T *src = src_;
    T *dst = dst_;
    int j = 0;
    for (; j + LANES <= columns; j += LANES)
        F(pack_square)(src + j * step, step, k, width, dst + j);
    for (int64_t i = 0; j < width && i < k; i++)
        for (int l = j; l < width; l++)
            dst[i * width + l] = l < columns ? src[l * step + i] : 0;
}

/* --- one row, one number ---------------------------------------------------------------------- */

enum {
    F(STRIP) = 4096 / BYTES
}; /* columns whose chains are in flight at once; their accumulators stay in the first cache */

/* acc[j] continues the chains over `rows` rows of B (1 or 8). */
ALWAYS void F(row_steps)(const T *a, int64_t a_k, const T *b, int64_t b_k, int rows, int64_t n, T *acc)
{
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        V x = F(load)(acc + j);
        UNROLL for (int r = 0; r < rows; r++) x = F(fma)(F(fill)(a[r * a_k]), F(load)(b + r * b_k + j), x);
        F(store)(acc + j, x);
    }
    if (j < n) {
        V x = F(load)(acc + j);
        UNROLL for (int r = 0; r < rows; r++) x =
            F(fma)(F(fill)(a[r * a_k]), F(load_first)(b + r * b_k + j, (int)(n - j)), x);
        F(store)(acc + j, x);
    }
}

static void F(row_strip)(const knr_tile_args *t, const T *b, int64_t n, T *c)
{
    T acc[F(STRIP)] __attribute__((aligned(VECTOR_BYTES)));
    const T *a = t->a;
    bool add = t->add;
    for (int64_t left = t->k; left > 0; left -= t->block, add = true) {
        int64_t k = left < t->block ? left : t->block;
        memset(acc, 0, (size_t)((n + LANES - 1) / LANES) * VECTOR_BYTES);
        for (; k >= 8; k -= 8, a += 8 * t->a_k, b += 8 * t->b_k)
            F(row_steps)(a, t->a_k, b, t->b_k, 8, n, acc);
        for (; k > 0; k--, a += t->a_k, b += t->b_k)
            F(row_steps)(a, t->a_k, b, t->b_k, 1, n, acc);
        for (int64_t j = 0; j < n; j++)
            c[j] = add ? c[j] + acc[j] : acc[j];
    }
}

static void F(row)(const knr_tile_args *t, int64_t n)
{
    for (int64_t j = 0; j < n; j += F(STRIP))
        F(row_strip)(t, (const T *)t->b + j, n - j < F(STRIP) ? n - j : F(STRIP), (T *)t->c + j);
}

/* Whole blocks, one per lane: squares of both operands are turned so that a vector holds step k of all its blocks. */
static void F(dot_blocks)(const T *a, const T *b, int64_t block, T *value)
{
    V acc = {0};
    for (int64_t k = 0; k < block; k += LANES) {
        BITS x[VECTOR_BYTES / BYTES], y[VECTOR_BYTES / BYTES];
        UNROLL for (int i = 0; i < LANES; i++)
        {
            x[i] = (BITS)F(load)(a + i * block + k);
            y[i] = (BITS)F(load)(b + i * block + k);
        }
        F(transpose)(x);
        F(transpose)(y);
        UNROLL for (int i = 0; i < LANES; i++) acc = F(fma)((V)x[i], (V)y[i], acc);
    }
    F(store)(value, acc);
}

static void F(dot)(const void *a_, const void *b_, int64_t k, int64_t block, void *c)
{
    const T *a = a_, *b = b_;
    T total = 0, value[VECTOR_BYTES / BYTES];
    bool first = true;
    for (; k >= LANES * block; k -= LANES * block, a += LANES * block, b += LANES * block) {
        F(dot_blocks)(a, b, block, value);
        for (int i = 0; i < LANES; i++, first = false)
            total = first ? value[i] : total + value[i];
    }
    for (; k > 0; k -= block, a += block, b += block, first = false) {
        T acc = 0;
        for (int64_t i = 0; i < k && i < block; i++)
            acc = F(fma1)(a[i], b[i], acc);
        total = first ? acc : total + acc;
    }
    *(T *)c = total;
}

#undef TILE
#undef WIDTH4
#undef WIDTH8
#undef LANES
#undef BITS
#undef V
#undef F
#undef NUM
#undef T
#undef BYTES
#undef ROWS
// clang-format on
