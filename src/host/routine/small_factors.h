/* SPDX-License-Identifier: Apache-2.0
 * small_factors.h -- Cholesky and LU factors, triangular systems and what is made of them, in lanes. Each lane has the
 * chains of docs/determinism.md ("Factorisations"). Included by small_loops.h. */

/* `wide` numbers at v lose c[l] x[l] for l = 0 .. k - 1; the steps count numbers of a matrix. */
ALWAYS void F(chain)(T *v, int64_t v_step, const T *c, int64_t c_step, const T *x, int64_t x_step, int64_t x_next,
                     int k, const int wide)
{
    V acc[4];
    UNROLL for (int w = 0; w < wide; w++) acc[w] = F(at)(v, w * v_step);
    for (int l = 0; l < k; l++) {
        V f = -F(at)(c, l * c_step);
        UNROLL for (int w = 0; w < wide; w++) acc[w] = F(fma)(f, F(at)(x, l * x_step + w * x_next), acc[w]);
    }
    UNROLL for (int w = 0; w < wide; w++) F(to)(v, w * v_step, acc[w]);
}

/* --- Cholesky --------------------------------------------------------------------------------- */

/* Rows `from` .. n of column k lose the products of the columns before it: of row i with the coefficients c. */
ALWAYS void F(column)(T *x, const int n, int from, int k, const T *c, int64_t c_step)
{
    int i = from;
    for (; i + 4 <= n; i += 4)
        F(chain)(x + (i * n + k) * LANES, n, c, c_step, x + i * n * LANES, 1, n, k, 4);
    for (; i < n; i++)
        F(chain)(x + (i * n + k) * LANES, n, c, c_step, x + i * n * LANES, 1, n, k, 1);
}

ALWAYS M F(cholesky)(T *x, const int n)
{
    M bad = F(less)((V){0}, (V){0});
    for (int j = 0; j < n; j++) {
        F(column)(x, n, j, j, x + j * n * LANES, 1);
        V pivot = F(at)(x, j * n + j);
        bad |= F(at_most)(pivot, (V){0});
        pivot = F(root)(pivot);
        F(to)(x, j * n + j, pivot);
        for (int i = j + 1; i < n; i++)
            F(to)(x, i * n + j, F(at)(x, i * n + j) / pivot);
    }
    if (F(any)(bad))
        for (int i = 0; i < n * n; i++)
            F(to)(x, i, F(choose)(bad, F(fill)((T)__builtin_nan("")), F(at)(x, i)));
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            F(to)(x, i * n + j, (V){0});
    return bad;
}

ALWAYS bool F(cholesky_of)(int64_t count, const void *const *x, void *const *y, T *a, const int n)
{
    bool well = true;
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(take)(a, (const T *)x[0] + i * n * n, n * n, n * n, now);
        M failed = F(cholesky)(a, n);
        F(give)((T *)y[0] + i * n * n, a, n * n, n * n, now);
        well &= !F(any)(failed) || F(none_of)(failed, now);
    }
    return well;
}
static bool F(run_cholesky)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
#define BODY(n) return F(cholesky_of)(count, x, y, room, n)
    SIZES(s->n, BODY)
#undef BODY
}

/* --- LU --------------------------------------------------------------------------------------- */

/* Rows with which row k changes places, each in some lanes. */
typedef struct F(places) {
    int count, row[KNR_SMALL];
    M here[KNR_SMALL];
} F(places);

/* x: rows of `columns` numbers, from column `first` on. */
ALWAYS void F(exchange)(T *x, int columns, int first, int k, const F(places) *p)
{
    for (int j = first; p->count && j < columns; j++) {
        V top = F(at)(x, k * columns + j), now = top;
        for (int i = 0; i < p->count; i++) {
            V v = F(at)(x, p->row[i] * columns + j);
            now = F(choose)(p->here[i], v, now);
            F(to)(x, p->row[i] * columns + j, F(choose)(p->here[i], top, v));
        }
        F(to)(x, k * columns + j, now);
    }
}

typedef struct F(exchanges) {
    T *pivots, *permutation; /* n numbers each, as integers; NULL: not wanted */
    T *right;                /* rows that are exchanged with those of the matrix; NULL: none */
    int columns;
    bool only_upper; /* L does not count */
    V parity;        /* -1 for an odd number of exchanges */
} F(exchanges);

/* Row by row from the top: element by element these are the chains of Crout's scheme. The lanes with a pivot of 0. */
ALWAYS M F(lu)(T *x, F(exchanges) *e, const int n)
{
    M singular = F(less)((V){0}, (V){0});
    F(places) p;
    const U zero = {0};
    e->parity = F(fill)(1);
    for (int i = 0; e->permutation && i < n; i++)
        F(to)(e->permutation, i, (V)(zero + (unsigned)i));
    for (int k = 0; k < n; k++) {
        V most = F(absolute)(F(at)(x, k * n + k)), place = (V)zero;
        for (int i = k + 1; i < n; i++) { /* the first of the largest, counted from k */
            V size = F(absolute)(F(at)(x, i * n + k));
            M more = F(less)(most, size);
            most = F(choose)(more, size, most);
            place = F(choose)(more, (V)(zero + (unsigned)(i - k)), place);
        }
        p.count = 0;
        for (int i = k + 1; i < n; i++) {
            p.row[p.count] = i;
            p.here[p.count] = F(same)((U)place, zero + (unsigned)(i - k));
            p.count += F(any)(p.here[p.count]);
        }
        F(exchange)(x, n, e->only_upper ? k : 0, k, &p);
        if (e->permutation)
            F(exchange)(e->permutation, 1, 0, k, &p);
        if (e->right)
            F(exchange)(e->right, e->columns, 0, k, &p);
        if (e->pivots)
            F(to)(e->pivots, k, (V)((U)place + (unsigned)k));
        e->parity = F(choose)(F(same)((U)place, zero), e->parity, -e->parity);
        V pivot = F(at)(x, k * n + k);
        M none = F(equal)(pivot, (V){0});
        singular |= none;
        for (int i = k + 1; i < n; i++) {
            V v = F(at)(x, i * n + k), f = F(choose)(none, v, v / pivot);
            F(to)(x, i * n + k, f);
            for (int j = k + 1; j < n; j++)
                F(to)(x, i * n + j, F(fma)(-f, F(at)(x, k * n + j), F(at)(x, i * n + j)));
        }
    }
    return singular;
}

ALWAYS bool F(lu_of)(int64_t count, const void *const *x, void *const *y, T *a, const int n)
{
    bool well = true;
    T *pivots = a + F(room)(n * n);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(exchanges) e = {.pivots = pivots, .permutation = pivots + F(room)(n)};
        F(take)(a, (const T *)x[0] + i * n * n, n * n, n * n, now);
        M failed = F(lu)(a, &e, n);
        F(give)((T *)y[0] + i * n * n, a, n * n, n * n, now);
        F(give_integers)((int32_t *)y[1] + i * n, e.pivots, n, now);
        F(give_integers)((int32_t *)y[2] + i * n, e.permutation, n, now);
        well &= !F(any)(failed) || F(none_of)(failed, now);
    }
    return well;
}
static bool F(run_lu)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
#define BODY(n) return F(lu_of)(count, x, y, room, n)
    SIZES(s->n, BODY)
#undef BODY
}

/* --- triangular systems ----------------------------------------------------------------------- */

/* The unknowns of `wide` columns. */
ALWAYS void F(solve_some)(const T *t, T *x, const int n, const knr_solve_view *v, const bool unit, const int wide)
{
    for (int i = 0; i < n; i++) {
        T *row = x + i * v->x_row * LANES;
        const T *f = t + i * v->t_row * LANES;
        F(chain)(row, v->x_column, f, v->t_column, x, v->x_row, v->x_column, i, wide);
        V d = F(at)(f, i * v->t_column);
        if (!unit)
            UNROLL for (int w = 0; w < wide; w++) F(to)(row, w * v->x_column, F(at)(row, w * v->x_column) / d);
    }
}

ALWAYS void F(solve)(const T *triangles, T *unknowns, const int n, const int columns, const knr_solve_view *v,
                     const bool unit)
{
    const T *t = triangles + v->t_first * LANES;
    T *x = unknowns + v->x_first * LANES;
    int c = 0;
    for (; c + 4 <= columns; c += 4)
        F(solve_some)(t, x + c * v->x_column * LANES, n, v, unit, 4);
    for (; c < columns; c++)
        F(solve_some)(t, x + c * v->x_column * LANES, n, v, unit, 1);
}

ALWAYS bool F(triangular_of)(const knr_small *s, int64_t count, const void *const *x, void *const *y, T *t, const int n)
{
    int columns = s->columns, all = n * columns;
    T *b = t + F(room)(n * n);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(take)(t, (const T *)x[0] + i * n * n, n * n, n * n, now);
        F(take)(b, (const T *)x[1] + i * all, all, all, now);
        F(solve)(t, b, n, columns, &s->view, s->unit_diagonal);
        F(give)((T *)y[0] + i * all, b, all, all, now);
    }
    return true;
}
static bool F(run_triangular)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
#define BODY(n) return F(triangular_of)(s, count, x, y, room, n)
    SIZES(s->n, BODY)
#undef BODY
}

/* --- systems ---------------------------------------------------------------------------------- */

ALWAYS void F(identity_permuted)(T *to, const T *permutation, const int n)
{
    const U zero = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            M one = F(same)((U)F(at)(permutation, i), zero + (unsigned)j);
            F(to)(to, i * n + j, F(choose)(one, F(fill)(1), (V){0}));
        }
}

ALWAYS bool F(solve_of)(int64_t count, const void *const *x, void *const *y, T *a, const int n, const int columns)
{
    const knr_solve_view lower = {0, n, 1, 0, columns, 1};
    const knr_solve_view upper = {n * n - 1, -n, -1, (n - 1) * columns, -columns, 1};
    bool well = true, factors = y[1] != NULL;
    int all = n * columns;
    T *permutation = a + F(room)(n * n), *b = permutation + F(room)(n);
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(exchanges) e = {.permutation = factors || !x[1] ? permutation : NULL,
                          .right = x[1] ? b : NULL,
                          .columns = columns};
        F(take)(a, (const T *)x[0] + i * n * n, n * n, n * n, now);
        if (x[1])
            F(take)(b, (const T *)x[1] + i * all, all, all, now);
        M failed = F(lu)(a, &e, n);
        if (!x[1])
            F(identity_permuted)(b, permutation, n);
        F(solve)(a, b, n, columns, &lower, true);
        F(solve)(a, b, n, columns, &upper, false);
        F(give)((T *)y[0] + i * all, b, all, all, now);
        if (factors) {
            F(give)((T *)y[1] + i * n * n, a, n * n, n * n, now);
            F(give_integers)((int32_t *)y[2] + i * n, permutation, n, now);
        }
        well &= !F(any)(failed) || F(none_of)(failed, now);
    }
    return well;
}
static bool F(run_solve)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
    if (!x[1]) {
#define BODY(n) return F(solve_of)(count, x, y, room, n, n)
        SIZES(s->n, BODY)
#undef BODY
    }
    if (s->columns == 1) {
#define BODY(n) return F(solve_of)(count, x, y, room, n, 1)
        SIZES(s->n, BODY)
#undef BODY
    }
    return F(solve_of)(count, x, y, room, s->n, s->columns);
}

/* --- determinants ----------------------------------------------------------------------------- */

ALWAYS bool F(det_of)(int64_t count, const void *const *x, void *const *y, T *a, const int n)
{
    for (int64_t i = 0; i < count; i += LANES) {
        int now = (int)(count - i < LANES ? count - i : LANES);
        F(exchanges) e = {.only_upper = true};
        F(take)(a, (const T *)x[0] + i * n * n, n * n, n * n, now);
        F(lu)(a, &e, n);
        V d[KNR_SMALL];
        for (int k = 0; k < n; k++)
            d[k] = F(at)(a, k * n + k);
        for (int left = n, half; left > 1; left = half) {
            half = (left + 1) / 2;
            for (int k = 0; k + half < left; k++)
                d[k] = d[k] * d[k + half];
        }
        F(give_number)((T *)y[0] + i, d[0] * e.parity, now);
    }
    return true;
}
static bool F(run_det)(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *room)
{
#define BODY(n) return F(det_of)(count, x, y, room, n)
    SIZES(s->n, BODY)
#undef BODY
}
