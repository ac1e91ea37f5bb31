/* SPDX-License-Identifier: Apache-2.0
 * small_qr.h -- QR factors of small matrices in lanes by Householder's reflections I - tau v v^T, v[0] = 1. Columns of
 * the matrix are rows here. Included by small_loops.h. */

/* The column x, of m numbers, becomes beta and the rest of v; beta e_0 is its reflection. */
ALWAYS V F(reflection)(T *x, int m)
{
    V most = {0}, sum = {0}, first = F(at)(x, 0);
    for (int i = 0; i < m; i++)
        most = F(larger)(most, F(absolute)(F(at)(x, i)));
    V scale = F(scale_for)(most), a = first * scale;
    for (int i = 1; i < m; i++) {
        V v = F(at)(x, i) * scale;
        sum = F(fma)(v, v, sum);
    }
    M none = F(equal)(sum, (V){0}); /* it is beta e_0 already */
    V length = F(root)(F(fma)(a, a, sum)), to = F(choose)(F(less)(a, (V){0}), length, -length);
    to = F(choose)(none, F(fill)(1), to);
    V p = F(choose)(none, F(fill)(1), a - to), inverse = 1 / p;
    for (int i = 1; i < m; i++)
        F(to)(x, i, F(choose)(none, (V){0}, F(at)(x, i) * scale * inverse));
    F(to)(x, 0, F(choose)(none, first, to * F(unscale)(scale)));
    return F(choose)(none, (V){0}, -p / to);
}

/* x = (I - tau v v^T) x, of m numbers each */
ALWAYS void F(reflect)(T *x, const T *v, V tau, int m)
{
    V w = F(at)(x, 0);
    for (int i = 1; i < m; i++)
        w = F(fma)(F(at)(v, i), F(at)(x, i), w);
    V f = -(tau * w);
    F(to)(x, 0, F(at)(x, 0) + f);
    for (int i = 1; i < m; i++)
        F(to)(x, i, F(fma)(f, F(at)(v, i), F(at)(x, i)));
}

/* x: n columns of m numbers. tau: the first min(m, n) of them */
ALWAYS void F(factor)(T *x, T *tau, const int m, const int n)
{
    for (int j = 0; j < m && j < n; j++) {
        T *v = x + (j * m + j) * LANES;
        V t = F(reflection)(v, m - j);
        F(to)(tau, j, t);
        for (int k = j + 1; k < n; k++)
            F(reflect)(x + (k * m + j) * LANES, v, t, m - j);
    }
}

/* The first k columns of the product of `count` reflections. */
ALWAYS void F(orthogonal)(T *q, const T *x, const T *tau, int count, const int m, const int k)
{
    F(identity)(q, k, m);
    for (int j = count - 1; j >= 0; j--)
        for (int c = j; c < k; c++)
            F(reflect)(q + (c * m + j) * LANES, x + (j * m + j) * LANES, F(at)(tau, j), m - j);
}

ALWAYS void F(turned)(T *to, const T *from, int rows, int columns) /* of `to` */
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            F(to)(to, i * columns + j, F(at)(from, j * rows + i));
}

ALWAYS bool F(qr_of)(int64_t count, const void *const *x, void *const *y, T *a, const int m, const int n, const int k)
{
    int most = m > n ? m : n, least = m < n ? m : n;
    T *turned = a + F(room)(most * most), *q = turned + F(room)(most * most), *tau = q + F(room)(most * most);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(take)(a, (const T *)x[0] + i * m * n, m * n, m * n, now);
        F(turned)(turned, a, n, m);
        F(factor)(turned, tau, m, n);
        F(orthogonal)(q, turned, tau, least, m, k);
        F(turned)(a, q, m, k);
        F(give)((T *)y[0] + i * m * k, a, m * k, m * k, now);
        for (int r = 0; r < k; r++)
            for (int c = 0; c < n; c++)
                F(to)(a, r * n + c, r > c ? (V){0} : F(at)(turned, c * m + r));
        F(give)((T *)y[1] + i * k * n, a, k * n, k * n, now);
    }
    return true;
}
static bool F(run_qr)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
    return F(qr_of)(count, x, y, room, s->m, s->n, s->columns);
}
