/* SPDX-License-Identifier: Apache-2.0
 * reduce_loops.h -- reductions of small real matrices to tridiagonal, bidiagonal and Hessenberg form, and reflections
 * of them, for one type of number; included by condensed_loops.h. Matrices stay in the first or second cache, so each
 * step goes once through all of the rows that are left: they lose what the step before says, and are added up for the
 * next. All sums of rows are chains of fma over the rows in increasing order. */

/* Numbers of columns 0 .. of `vectors` vectors: row i loses p[i] x + q[i] y (the second if `two`), then sum becomes
 * that of c[i] times row i. */
ALWAYS void F(pass_columns)(T *a, int64_t ld, int64_t rows, const int vectors, const bool two, const T *p, const T *x,
                            const T *q, const T *y, const T *c, T *sum)
{
    V acc[4], left[4], right[4];
    UNROLL for (int v = 0; v < vectors; v++)
    {
        acc[v] = F(fill)(0);
        left[v] = F(load)(x + v * LANES);
        right[v] = F(load)((two ? y : x) + v * LANES);
    }
    for (int64_t i = 0; i < rows; i++, a += ld) {
        V f = F(fill)(p[i]), g = F(fill)(two ? q[i] : 0), h = F(fill)(c[i]);
        UNROLL for (int v = 0; v < vectors; v++)
        {
            V z = F(fnma)(f, left[v], F(load)(a + v * LANES));
            z = two ? F(fnma)(g, right[v], z) : z;
            F(store)(a + v * LANES, z);
            acc[v] = F(fma)(h, z, acc[v]);
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) F(store)(sum + v * LANES, acc[v]);
}

static void F(pass)(T *a, int64_t ld, int64_t rows, int64_t n, const T *p, const T *x, const T *q, const T *y,
                    const T *c, T *sum)
{
    int64_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES)
        F(pass_columns)(a + j, ld, rows, 4, true, p, x + j, q, y + j, c, sum + j);
    if (j + 2 * LANES <= n) {
        F(pass_columns)(a + j, ld, rows, 2, true, p, x + j, q, y + j, c, sum + j);
        j += 2 * LANES;
    }
    if (j < n)
        F(pass_columns)(a + j, ld, rows, 1, true, p, x + j, q, y + j, c, sum + j);
}

static void F(pass_one)(T *a, int64_t ld, int64_t rows, int64_t n, const T *p, const T *x, const T *c, T *sum)
{
    int64_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES)
        F(pass_columns)(a + j, ld, rows, 4, false, p, x + j, p, x, c, sum + j);
    for (; j < n; j += LANES)
        F(pass_columns)(a + j, ld, rows, 1, false, p, x + j, p, x, c, sum + j);
}

/* Row i loses p[i] x. */
static void F(lose_product)(T *a, int64_t ld, int64_t rows, int64_t n, const T *p, const T *x)
{
    for (int64_t i = 0; i < rows; i++, a += ld)
        for (int64_t j = 0; j < n; j += LANES)
            F(store)(a + j, F(fnma)(F(fill)(p[i]), F(load)(x + j), F(load)(a + j)));
}

/* What rows from `from` on are in whole vectors: columns from the last multiple of 64 bytes on. */
ALWAYS int64_t F(even)(int64_t from) { return from / CHAINS * CHAINS; }

/* Numbers before and behind from .. to become zero. */
ALWAYS void F(clear_outside)(T *x, int64_t start, int64_t from, int64_t to)
{
    for (int64_t j = start; j < from; j++)
        x[j] = 0;
    for (int64_t j = to; j < to + 16; j++)
        x[j] = 0;
}

/* row[j] -= p x[j] + q y[j] for from .. to */
ALWAYS void F(lose)(T *row, int64_t from, int64_t to, T p, const T *x, T q, const T *y)
{
    for (int64_t j = F(even)(from); j < to; j += LANES) {
        V z = F(fnma)(F(fill)(p), F(load)(x + j), F(load)(row + j));
        F(store)(row + j, F(fnma)(F(fill)(q), F(load)(y + j), z));
    }
}

/* The reflection of row[from .. to]: v is its vector, with zeros around it, and the row becomes beta and the rest of
 * v. */
static double F(reflect_row)(T *row, int64_t from, int64_t to, T *v)
{
    int64_t before = from < 2 ? 0 : from - 2; /* from there on it has numbers of two steps before */
    memcpy(v + from, row + from, (size_t)(to - from) * sizeof(T));
    F(clear_outside)(v, before, from, to);
    double tau = F(reflection)(v + from, to - from);
    memcpy(row + from, v + from, (size_t)(to - from) * sizeof(T));
    v[from] = 1;
    return tau;
}

/* y = f y, of whole vectors from .. to, and the sum of y x, in 16 chains */
ALWAYS T F(scaled_dot)(T *y, T f, const T *x, int64_t from, int64_t to)
{
    V acc[F(GROUPS)];
    UNROLL for (int g = 0; g < F(GROUPS); g++) acc[g] = F(fill)(0);
    for (int64_t j = from; j < to; j += 16)
        UNROLL for (int g = 0; g < F(GROUPS); g++)
        {
            V z = F(fill)(f) * F(load)(y + j + g * LANES);
            F(store)(y + j + g * LANES, z);
            acc[g] = F(fma)(z, F(load)(x + j + g * LANES), acc[g]);
        }
    return F(joined)(acc);
}

static void F(tridiagonalize)(void *matrix, int64_t ld, int64_t n, double *d, double *e, double *tau, void *room)
{
    T *a = matrix, *v[2], *w[2];
    int64_t length = F(even)(n + 47);
    memset(room, 0, (size_t)(4 * length) * sizeof(T));
    for (int i = 0; i < 2; i++) {
        v[i] = (T *)room + (2 * i) * length;
        w[i] = (T *)room + (2 * i + 1) * length;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            a[j * ld + i] = a[i * ld + j];
    for (int64_t j = 0; j < n; j++) {
        T *row = a + j * ld, *x = v[j & 1], *y = w[j & 1];
        const T *old_x = v[~j & 1], *old_y = w[~j & 1];
        F(lose)(row, j, n, old_x[j], old_y, old_y[j], old_x);
        d[j] = (double)row[j];
        if (j == n - 1)
            return;
        int64_t start = F(even)(j + 1), to = F(even)(n - 1) + CHAINS;
        tau[j] = F(reflect_row)(row, j + 1, n, x);
        e[j] = (double)row[j + 1];
        F(pass)(a + (j + 1) * ld + start, ld, n - j - 1, to - start, old_x + j + 1, old_y + start, old_y + j + 1,
                old_x + start, x + j + 1, y + start);
        F(clear_outside)(y, F(even)(j), j + 1, n);
        T f = (T)tau[j], alpha = (T)-0.5 * f * F(scaled_dot)(y, f, x, start, n);
        for (int64_t k = start; k < n; k += LANES)
            F(store)(y + k, F(fma)(F(fill)(alpha), F(load)(x + k), F(load)(y + k)));
    }
}

/* The matrix of m >= n rows, and its transpose. */
static void F(bidiagonalize)(void *matrix, int64_t ld, void *transpose, int64_t transpose_ld, int64_t m, int64_t n,
                             double *d, double *e, double *left, double *right, void *room)
{
    T *a = matrix, *b = transpose, *u[2], *v[2], *x[2], *y[2], *at = room;
    int64_t length = F(even)(m + 47), rows = F(even)(m - 1) + CHAINS, columns = F(even)(n - 1) + CHAINS;
    memset(room, 0, (size_t)(8 * length) * sizeof(T));
    for (int i = 0; i < 2; i++, at += 4 * length) {
        u[i] = at;
        v[i] = at + length;
        x[i] = at + 2 * length;
        y[i] = at + 3 * length;
    }
    for (int64_t i = 0; i < n; i++) {
        T *row = a + i * ld, *column = b + i * transpose_ld;
        int now = i & 1, old = ~i & 1;
        F(lose)(column, i, m, v[old][i], x[old], 0, x[old]);
        left[i] = F(reflect_row)(column, i, m, u[now]);
        d[i] = (double)column[i];
        e[i] = right[i] = 0;
        if (i == n - 1)
            return;
        int64_t start = F(even)(i + 1), first = F(even)(i);
        F(pass)(row + start, ld, m - i, columns - start, u[old] + i, y[old] + start, x[old] + i, v[old] + start,
                u[now] + i, y[now] + start);
        F(clear_outside)(y[now], first, i + 1, n);
        F(scaled_dot)(y[now], (T)left[i], y[now], start, n);
        F(lose)(row, i + 1, n, 1, y[now], 0, y[now]);
        right[i] = F(reflect_row)(row, i + 1, n, v[now]);
        e[i] = (double)row[i + 1];
        F(pass)(b + (i + 1) * transpose_ld + start, transpose_ld, n - i - 1, rows - start, y[now] + i + 1,
                u[now] + start, v[old] + i + 1, x[old] + start, v[now] + i + 1, x[now] + start);
        F(clear_outside)(x[now], first, i + 1, m);
        F(scaled_dot)(x[now], (T)right[i], x[now], start, m);
    }
}

/* The transpose of n x n numbers, and the matrix itself, whose rows are worked on only where the reflections from the
 * left need them. With x = tau A v and y = tau (A^T v - (x v) v) the matrix loses x v^T + v y^T. */
static void F(hessenberg)(void *matrix, int64_t ld, void *transpose, int64_t transpose_ld, int64_t n, double *tau,
                          void *room)
{
    T *a = matrix, *b = transpose, *v[2], *x[2], *y[2], *at = room;
    int64_t length = F(even)(n + 47), to = F(even)(n - 1) + CHAINS;
    memset(room, 0, (size_t)(6 * length) * sizeof(T));
    for (int i = 0; i < 2; i++, at += 3 * length) {
        v[i] = at;
        x[i] = at + length;
        y[i] = at + 2 * length;
    }
    for (int64_t j = 0; j < n; j++) {
        T *column = b + j * transpose_ld;
        int now = j & 1, old = ~j & 1;
        int64_t first = j + 1, start = F(even)(first), rows = n - first;
        F(lose)(column, 0, n, v[old][j], x[old], y[old][j], v[old]);
        if (!rows)
            return;
        tau[j] = F(reflect_row)(column, first, n, v[now]);
        F(pass)(a + first * ld + start, ld, rows, to - start, x[old] + first, v[old] + start, v[old] + first,
                y[old] + start, v[now] + first, y[now] + start);
        F(pass)(b + first * transpose_ld, transpose_ld, rows, to, v[old] + first, x[old], y[old] + first, v[old],
                v[now] + first, x[now]);
        F(clear_outside)(x[now], 0, 0, n);
        F(clear_outside)(y[now], F(even)(j), first, n);
        T f = (T)tau[j];
        for (int64_t i = 0; i < start; i++)
            x[now][i] *= f;
        T alpha = -f * F(scaled_dot)(x[now], f, v[now], start, n);
        for (int64_t k = start; k < n; k += LANES)
            F(store)(y[now] + k,
                     F(fma)(F(fill)(alpha), F(load)(v[now] + k), F(fill)(f) * F(load)(y[now] + k)));
    }
}

/* x = H_0 .. H_k-1 x, or adjoint H_k-1 .. H_0 x, for the reflections whose vectors are rows of `vectors`, from the
 * number behind i on in row i. Of the identity columns before number i are not changed by the reflection. */
static void F(reflect_rows)(void *matrix, int64_t ld, int64_t m, int64_t n, const void *vectors, int64_t vectors_ld,
                            int64_t k, const double *tau, bool adjoint, bool from_identity, void *room)
{
    T *a = matrix, *v[2], *w = room;
    int64_t whole = F(even)(n - 1) + CHAINS, length = F(even)(m + 47), start = 0, first = 0;
    v[0] = w + whole;
    v[1] = v[0] + length;
    memset(room, 0, (size_t)(whole + 2 * length) * sizeof(T));
    for (int64_t step = 0; step < k; step++) {
        int64_t i = adjoint ? step : k - 1 - step;
        T *now = v[i & 1];
        const T *old = v[~i & 1];
        first = adjoint && i > 0 ? i - 1 : i; /* the vector before begins there */
        start = from_identity ? F(even)(i) : 0;
        for (int64_t j = adjoint && i > 1 ? i - 2 : i; j < i; j++)
            now[j] = 0;
        now[i] = 1;
        memcpy(now + i + 1, (const T *)vectors + i * vectors_ld + i + 1, (size_t)(m - i - 1) * sizeof(T));
        F(pass_one)
        (a + first * ld + start, ld, m - first, whole - start, old + first, w + start, now + first, w + start);
        for (int64_t j = start; j < whole; j += LANES)
            F(store)(w + j, F(fill)((T)tau[i]) * F(load)(w + j));
    }
    const T *last = v[(adjoint ? k - 1 : 0) & 1];
    if (k > 0)
        F(lose_product)(a + first * ld + start, ld, m - first, whole - start, last + first, w + start);
}
