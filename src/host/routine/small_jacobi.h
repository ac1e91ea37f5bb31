/* SPDX-License-Identifier: Apache-2.0
 * small_jacobi.h -- eigenvalues of small symmetric matrices in lanes by Jacobi's rotations. Pairs of rows take turns as
 * in a tournament, so the rotations of a round do not wait for each other. A lane that is done gets rotations by
 * nothing, which change at most the sign of zeros; all zeros are +0 in the end, so how long other lanes need shows
 * nowhere. Included by small_loops.h. */

/* The pairs of round r, of rounds(n): pair k is a < b, or a < 0 for none. */
ALWAYS int F(rounds)(int n) { return n + (n & 1) - 1; }
ALWAYS void F(pair)(int n, int r, int k, int *a, int *b)
{
    int all = F(rounds)(n), p = k ? r + k : all, q = r - k;
    p -= k && p >= all ? all : 0;
    q += q < 0 ? all : 0;
    *a = p < q ? p : q;
    *b = p < q ? q : p;
    if (*b >= n)
        *a = -1;
}

/* 1 / sqrt(z) for z from 1 to 2, by Newton's steps. */
ALWAYS V F(inverse_root)(V z)
{
    V y = F(fma)(F(fma)(F(fill)((T)0.14495), z, F(fill)((T)-0.72221)), z, F(fill)((T)1.57367));
    for (int i = 0; i < BYTES / 4; i++)
        y = y * F(fma)(F(fill)((T)-0.5) * z * y, y, F(fill)((T)1.5));
    return F(fma)(F(fill)((T)0.5) * y, F(fma)(-z * y, y, F(fill)(1)), y);
}

/* 1 / sqrt(h) and 1 / d of positive numbers within the last few places, by Newton's steps from what their bits say; h
 * and 1 / h are far from the largest number. Where lanes wait for a divider, in larger matrices, they are quicker. */
ALWAYS V F(quick_inverse_root)(V h)
{
    V y = (V)(((U){0} + SEED_OF_ROOT) - ((U)h >> 1)), half = F(fill)((T)0.5) * h;
    for (int i = 0; i < BYTES / 4 + 2; i++)
        y = y * F(fma)(-half * y, y, F(fill)((T)1.5));
    return y;
}
ALWAYS V F(quick_inverse)(V d)
{
    V y = (V)(((U){0} + SEED_OF_INVERSE) - (U)d);
    for (int i = 0; i < BYTES / 4 + 1; i++) {
        V e = F(fma)(-d, y, F(fill)(1));
        y = F(fma)(F(fma)(e, e, e), y, y);
    }
    return y;
}

/* The smaller rotation that makes [a g; g b] diagonal, with x = b - a and y = 2 g: its tangent t, cosine and sine;
 * that by nothing where it is not wanted. */
ALWAYS void F(rotation)(V x, V y, M wanted, const bool quick, V *t, V *c, V *s)
{
    V h = F(fma)(x, x, y * y), r = quick ? h * F(quick_inverse_root)(h) : F(root)(h);
    V low = F(choose)(wanted, F(absolute)(x) + r, F(fill)(1));
    y = F(choose)(wanted, (V)((U)y ^ ((U)x & (U)(F(fill)(-(T)0)))), (V){0}); /* with the sign of x */
    *t = quick ? y * F(quick_inverse)(low) : y / low;
    *c = F(inverse_root)(F(fma)(*t, *t, F(fill)(1)));
    *s = *t * *c;
}

/* x, y = c x - s y, s x + c y */
ALWAYS void F(rotate)(T *x, T *y, V c, V s)
{
    V a = F(load)(x), b = F(load)(y);
    F(store)(x, F(fma)(c, a, -(s * b)));
    F(store)(y, F(fma)(c, b, s * a));
}

/* Of the lower triangle x; rows of v, if it is there, become the vectors. The lanes that are not done in time. */
ALWAYS M F(jacobi)(T *x, T *v, const int n)
{
    enum { SWEEPS = 40 };
    const M none = F(less)((V){0}, (V){0});
    M moved = F(equal)((V){0}, (V){0});
    for (int sweep = 0; sweep < SWEEPS && F(any)(moved); sweep++) {
        moved = none;
        for (int round = 0; round < F(rounds)(n); round++) {
            V c[KNR_SMALL / 2], s[KNR_SMALL / 2];
            M now = none;
            for (int k = 0; k < (n + 1) / 2; k++) {
                int p, q;
                F(pair)(n, round, k, &p, &q);
                if (p < 0)
                    continue;
                V a = F(at)(x, p * n + p), b = F(at)(x, q * n + q), g = F(at)(x, q * n + p), t;
                M large = F(less)(F(fill)(NOTHING), F(absolute)(g));
                large &= F(less)(F(absolute)(a * b) * F(fill)(ROUNDOFF * ROUNDOFF), g * g);
                F(rotation)(b - a + (V){0}, g + g, large, n > 4, &t, &c[k], &s[k]); /* + 0: -0 becomes +0 */
                F(to)(x, p * n + p, F(fma)(-t, g, a));
                F(to)(x, q * n + q, F(fma)(t, g, b));
                F(to)(x, q * n + p, F(choose)(large, (V){0}, g));
                now |= large;
            }
            moved |= now;
            if (!F(any)(now))
                continue;
            for (int k = 0; k < (n + 1) / 2; k++) {
                int p, q, r = 0;
                F(pair)(n, round, k, &p, &q);
                if (p < 0)
                    continue;
                for (; r < p; r++)
                    F(rotate)(x + (p * n + r) * LANES, x + (q * n + r) * LANES, c[k], s[k]);
                for (r++; r < q; r++)
                    F(rotate)(x + (r * n + p) * LANES, x + (q * n + r) * LANES, c[k], s[k]);
                for (r++; r < n; r++)
                    F(rotate)(x + (r * n + p) * LANES, x + (r * n + q) * LANES, c[k], s[k]);
                for (r = 0; v && r < n; r++)
                    F(rotate)(v + (p * n + r) * LANES, v + (q * n + r) * LANES, c[k], s[k]);
            }
        }
    }
    return moved;
}

/* --- before and after ------------------------------------------------------------------------- */

/* Scales by a power of two; matrices with numbers that are not finite become zero. Which ones those are. */
ALWAYS M F(prepare)(T *x, int64_t elements, V *unscale)
{
    M bad = F(less)((V){0}, (V){0});
    V most = {0};
    for (int64_t e = 0; e < elements; e++) {
        V size = F(absolute)(F(at)(x, e));
        bad |= F(not)(F(at_most)(size, F(fill)(LARGEST)));
        most = F(larger)(most, size);
    }
    V scale = F(scale_for)(F(choose)(bad, F(fill)(1), most));
    *unscale = F(unscale)(scale);
    for (int64_t e = 0; e < elements; e++)
        F(to)(x, e, F(choose)(bad, (V){0}, F(at)(x, e) * scale));
    return bad;
}

ALWAYS void F(identity)(T *x, int m, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            F(to)(x, i * n + j, F(fill)(i == j));
}

/* Rows i and j of x, of n numbers, change places in some lanes. */
ALWAYS void F(exchange_rows)(M which, T *x, int i, int j, const int n)
{
    for (int k = 0; x && k < n; k++) {
        V a = F(at)(x, i * n + k), b = F(at)(x, j * n + k);
        F(to)(x, i * n + k, F(choose)(which, b, a));
        F(to)(x, j * n + k, F(choose)(which, a, b));
    }
}

/* By exchanges of Batcher's network: d of n numbers rises (or falls), and rows of v and w (NULL: none) go with it. */
ALWAYS void F(sort)(T *d, const int n, const bool falls, T *v, const int v_numbers, T *w, const int w_numbers)
{
    for (int p = KNR_SMALL / 2; p; p /= 2)
        for (int q = KNR_SMALL / 2, r = 0, by = p; by;) {
            for (int i = 0; i + by < n; i++) {
                V a = F(at)(d, i), b = F(at)(d, i + by);
                M wrong = falls ? F(less)(a, b) : F(less)(b, a);
                if ((i & p) != r || !F(any)(wrong))
                    continue;
                F(exchange_rows)(wrong, d, i, i + by, 1);
                F(exchange_rows)(wrong, v, i, i + by, v_numbers);
                F(exchange_rows)(wrong, w, i, i + by, w_numbers);
            }
            by = q == p ? 0 : q - p;
            r = p;
            q /= 2;
        }
}

ALWAYS bool F(eigh_of)(const knr_small *s, int64_t count, const void *const *x, void *const *y, T *a, const int n)
{
    T *v = a + F(room)(n * n), *d = v + F(room)(n * n), *out = y[1] ? v : NULL;
    bool well = true;
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        V unscale;
        F(take)(a, (const T *)x[0] + i * n * n, n * n, n * n, now);
        for (int r = 0; r < n; r++) /* what is above the diagonal counts for nothing */
            for (int c = r + 1; c < n; c++) {
                F(to)(a, c * n + r, F(at)(a, s->lower ? c * n + r : r * n + c));
                F(to)(a, r * n + c, (V){0});
            }
        M bad = F(prepare)(a, n * n, &unscale);
        if (out)
            F(identity)(v, n, n);
        bad |= F(jacobi)(a, out, n);
        for (int r = 0; r < n; r++)
            F(to)(d, r, F(at)(a, r * n + r));
        F(sort)(d, n, false, out, n, NULL, 0);
        const V nan = F(fill)((T)__builtin_nan(""));
        for (int r = 0; r < n; r++)
            F(to)(d, r, F(choose)(bad, nan, F(at)(d, r) * unscale + (V){0}));
        F(give)((T *)y[0] + i * n, d, n, n, now);
        for (int r = 0; out && r < n; r++)
            for (int c = 0; c < n; c++)
                F(to)(a, c * n + r, F(choose)(bad, nan, F(at)(v, r * n + c) + (V){0}));
        if (out)
            F(give)((T *)y[1] + i * n * n, a, n * n, n * n, now);
        well &= !F(any)(bad) || F(none_of)(bad, now);
    }
    return well;
}
static bool F(run_eigh)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
    return F(eigh_of)(s, count, x, y, room, s->n);
}
