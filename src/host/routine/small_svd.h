/* SPDX-License-Identifier: Apache-2.0
 * small_svd.h -- singular values of small matrices in lanes by Hestenes's one-sided rotations: pairs of columns are
 * turned until they are orthogonal, and exchanged so that their lengths fall. QR factors of what remains have the left
 * vectors, which are orthogonal whatever the lengths are. Wide matrices are their transposes. Included by
 * small_loops.h. */

ALWAYS V F(product_of_rows)(const T *x, const T *y, int m)
{
    V sum = {0};
    for (int i = 0; i < m; i++)
        sum = F(fma)(F(at)(x, i), F(at)(y, i), sum);
    return sum;
}

ALWAYS V F(length)(const T *x, int m)
{
    V most = {0}, sum = {0};
    for (int i = 0; i < m; i++)
        most = F(larger)(most, F(absolute)(F(at)(x, i)));
    V scale = F(scale_for)(most);
    for (int i = 0; i < m; i++) {
        V v = F(at)(x, i) * scale;
        sum = F(fma)(v, v, sum);
    }
    return F(root)(sum) * F(unscale)(scale);
}

/* One round; the lanes in which something moved. w: the squares of the lengths. */
ALWAYS M F(turn_pairs)(T *x, T *v, T *w, int round, const int m, const int n)
{
    M moved = F(less)((V){0}, (V){0});
    V c[KNR_SMALL / 2], s[KNR_SMALL / 2];
    const V tolerance = F(fill)((T)(m + 2) * ROUNDOFF);
    for (int k = 0; k < (n + 1) / 2; k++) {
        int p, q;
        F(pair)(n, round, k, &p, &q);
        if (p < 0)
            continue;
        V a = F(at)(w, p), b = F(at)(w, q), t;
        V g = F(product_of_rows)(x + p * m * LANES, x + q * m * LANES, m), size = F(absolute)(g);
        M large = F(less)(F(fill)(NOTHING), size) & F(less)(a * b * (tolerance * tolerance), g * g),
          wrong = F(less)(a, b);
        F(rotation)(b - a + (V){0}, g + g, large, n > 4, &t, &c[k], &s[k]);
        V less = F(choose)(large, F(fma)(-t, g, a), a), more = F(choose)(large, F(fma)(t, g, b), b), cosine = c[k];
        F(to)(w, p, F(choose)(wrong, more, less));
        F(to)(w, q, F(choose)(wrong, less, more));
        c[k] = F(choose)(wrong, s[k], cosine);
        s[k] = F(choose)(wrong, -cosine, s[k]);
        moved |= large | wrong;
    }
    if (!F(any)(moved))
        return moved;
    for (int k = 0; k < (n + 1) / 2; k++) {
        int p, q;
        F(pair)(n, round, k, &p, &q);
        if (p < 0)
            continue;
        for (int i = 0; i < m; i++)
            F(rotate)(x + (p * m + i) * LANES, x + (q * m + i) * LANES, c[k], s[k]);
        for (int i = 0; v && i < n; i++)
            F(rotate)(v + (p * n + i) * LANES, v + (q * n + i) * LANES, c[k], s[k]);
    }
    return moved;
}

/* x: n columns of m numbers, m >= n. The lanes that are not done in time. */
ALWAYS M F(hestenes)(T *x, T *v, T *w, const int m, const int n)
{
    enum { SWEEPS = 60 };
    M moved = F(equal)((V){0}, (V){0});
    for (int sweep = 0; sweep < SWEEPS && F(any)(moved); sweep++) {
        moved = F(less)((V){0}, (V){0});
        for (int p = 0; p < n; p++)
            F(to)(w, p, F(product_of_rows)(x + p * m * LANES, x + p * m * LANES, m));
        for (int round = 0; round < F(rounds)(n); round++)
            moved |= F(turn_pairs)(x, v, w, round, m, n);
    }
    return moved;
}

typedef struct F(svd_rooms) {
    T *a, *x, *v, *q, *values, *tau;
} F(svd_rooms);

/* Rows of x are the columns of the results or their rows; NaN for those that are bad. */
ALWAYS void F(give_vectors)(T *to, T *room, const T *x, int rows, int numbers, bool turned, M bad, int count)
{
    const V nan = F(fill)((T)__builtin_nan(""));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < numbers; c++)
            F(to)
            (room, turned ? c * rows + r : r * numbers + c, F(choose)(bad, nan, F(at)(x, r * numbers + c) + (V){0}));
    F(give)(to, room, rows * numbers, rows * numbers, count);
}

ALWAYS bool F(svd_of)(const knr_small *s, int64_t count, const void *const *x, void *const *y, T *a, const int m,
                      const int n)
{
    bool well = true, wide = s->m < s->n, vectors = y[1] != NULL;
    int k = s->full ? m : n;
    T *at = a + F(room)(m * m), *v = at + F(room)(m * m), *q = v + F(room)(m * m), *d = q + F(room)(m * m);
    T *tau = d + F(room)(m);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        V unscale;
        F(take)(wide ? at : a, (const T *)x[0] + i * m * n, m * n, m * n, now);
        if (!wide)
            F(turned)(at, a, n, m);
        M bad = F(prepare)(at, m * n, &unscale);
        if (vectors)
            F(identity)(v, n, n);
        bad |= F(hestenes)(at, vectors ? v : NULL, d, m, n);
        for (int p = 0; p < n; p++)
            F(to)(d, p, F(length)(at + p * m * LANES, m));
        F(sort)(d, n, true, vectors ? at : NULL, m, vectors ? v : NULL, n);
        for (int p = 0; p < n; p++)
            F(to)(d, p, F(choose)(bad, F(fill)((T)__builtin_nan("")), F(at)(d, p) * unscale + (V){0}));
        F(give)((T *)y[0] + i * n, d, n, n, now);
        well &= !F(any)(bad) || F(none_of)(bad, now);
        if (!vectors)
            continue;
        F(factor)(at, tau, m, n);
        F(orthogonal)(q, at, tau, n, m, k);
        for (int p = 0; p < n; p++) { /* the lengths are not negative */
            M minus = F(less)(F(at)(at, p * m + p), (V){0});
            for (int r = 0; r < m; r++) {
                V u = F(at)(q, p * m + r);
                F(to)(q, p * m + r, F(choose)(minus, -u, u));
            }
        }
        F(give_vectors)((T *)y[wide ? 2 : 1] + i * m * k, a, q, k, m, !wide, bad, now);
        F(give_vectors)((T *)y[wide ? 1 : 2] + i * n * n, a, v, n, n, wide, bad, now);
    }
    return well;
}
static bool F(run_svd)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
    bool wide = s->m < s->n;
    return F(svd_of)(s, count, x, y, room, wide ? s->n : s->m, wide ? s->m : s->n);
}
