/* SPDX-License-Identifier: Apache-2.0
 * small_product.h -- products of small matrices in lanes: each number is the chain of docs/determinism.md. Included by
 * small_loops.h. */

/* Numbers j .. j + wide of row r. */
ALWAYS void F(product_part)(const T *a, const T *b, T *c, int r, int j, const int k, const knr_small *s, const int wide)
{
    V acc[4];
    UNROLL for (int w = 0; w < wide; w++) acc[w] = (V){0};
    for (int l = 0; l < k; l++) {
        V f = F(at)(a, r * s->a.row + l * s->a.column);
        UNROLL for (int w = 0; w < wide; w++)
            acc[w] = F(fma)(f, F(at)(b, l * s->b.row + (j + w) * s->b.column), acc[w]);
    }
    UNROLL for (int w = 0; w < wide; w++) F(to)(c, r * s->c.row + (j + w) * s->c.column, acc[w]);
}

/* a: m x k, b: k x n. A matrix that is the same for all is in all lanes. */
ALWAYS bool F(product_of)(const knr_small *s, int64_t count, const void *const *x, void *const *y, T *a, const int m,
                          const int k, const int n)
{
    T *b = a + F(room)(m * k), *c = b + F(room)(k * n);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        if (s->a.matrix || !i)
            F(take)(a, (const T *)x[0] + i * s->a.matrix, s->a.matrix, m * k, now);
        if (s->b.matrix || !i)
            F(take)(b, (const T *)x[1] + i * s->b.matrix, s->b.matrix, k * n, now);
        for (int r = 0; r < m; r++) {
            int j = 0;
            for (; j + 4 <= n; j += 4)
                F(product_part)(a, b, c, r, j, k, s, 4);
            for (; j < n; j++)
                F(product_part)(a, b, c, r, j, k, s, 1);
        }
        F(give)((T *)y[0] + i * s->c.matrix, c, s->c.matrix, m * n, now);
    }
    return true;
}

ALWAYS bool F(by_rows)(knr_small_place p, int columns) { return p.row == columns && (p.column == 1 || columns == 1); }

/* Squares times squares or vectors, row by row: everything about them is constant. */
ALWAYS bool F(product_of_square)(const knr_small *from, int64_t count, const void *const *x, void *const *y, T *room,
                                 const int n, const int columns)
{
    const knr_small s = {.a = {from->a.matrix, n, 1},
                         .b = {from->b.matrix, columns, 1},
                         .c = {from->c.matrix, columns, 1}};
    return F(product_of)(&s, count, x, y, room, n, n, columns);
}

#if HAVE_EIGHT
/* Right matrices of eight columns are rows of lanes as they lie: nothing has to be turned. a: m x k */
ALWAYS bool F(product_by_rows)(const knr_small *s, int64_t count, const void *const *x, void *const *y, const int m,
                               const int k)
{
    for (int64_t i = 0; i < count; i++) {
        const T *restrict a = (const T *)x[0] + i * s->a.matrix, *restrict b = (const T *)x[1] + i * s->b.matrix;
        T *restrict c = (T *)y[0] + i * s->c.matrix;
        for (int r = 0; r < m; r++) {
            PASTE(eight_, NUM) acc = F(eight_zero)();
            UNROLL for (int l = 0; l < k; l++) acc = F(eight_fma)(a[r * k + l], F(eight_load)(b + l * 8), acc);
            F(eight_store)(c + r * 8, acc);
        }
    }
    return true;
}
#endif

static bool F(run_product)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
    bool plain = F(by_rows)(s->a, s->n) && F(by_rows)(s->b, s->columns) && F(by_rows)(s->c, s->columns);
#if HAVE_EIGHT
    if (plain && s->columns == 8)
        return s->m == 8 && s->n == 8 ? F(product_by_rows)(s, count, x, y, 8, 8)
                                      : F(product_by_rows)(s, count, x, y, s->m, s->n);
#endif
    if (plain && s->m == s->n && s->n == s->columns) {
#define BODY(n) return F(product_of_square)(s, count, x, y, room, n, n)
        SIZES(s->n, BODY)
#undef BODY
    }
    if (plain && s->m == 8 && s->n == 8 && s->columns == 1)
        return F(product_of_square)(s, count, x, y, room, 8, 1);
    if (plain && s->m == s->n && s->columns == 1) {
#define BODY(n) return F(product_of_square)(s, count, x, y, room, n, 1)
        SIZES(s->n, BODY)
#undef BODY
    }
    return F(product_of)(s, count, x, y, room, s->m, s->n, s->columns);
}
