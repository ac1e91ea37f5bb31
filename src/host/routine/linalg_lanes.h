/* SPDX-License-Identifier: Apache-2.0
 * linalg_lanes.h -- small matrices of a stack side by side: number e of matrix l lies at e * LANES + l, and each lane
 * has the steps that the loops for one matrix do with it, so it has their bits. Included by linalg_loops.h for each
 * type of number; U is the vector of unsigned integers of the same size. */

ALWAYS V F(choose)(U which, V yes, V no) { return (V)(((U)yes & which) | ((U)no & ~which)); }
ALWAYS V F(absolute)(V v) { return (V)((U)v & ~(U)(F(fill)(-(T)0))); }
ALWAYS V F(at)(const T *x, int64_t e) { return F(load)(x + e * LANES); }
ALWAYS void F(to)(T *x, int64_t e, V v) { F(store)(x + e * LANES, v); }

static void F(side_by_side)(void *to, const void *from, int64_t elements, int count)
{
    T *x = to;
    for (int l = 0; l < LANES; l++) { /* lanes without a matrix repeat the first one */
        const T *one = (const T *)from + (l < count ? l : 0) * elements;
        for (int64_t e = 0; e < elements; e++)
            x[e * LANES + l] = one[e];
    }
}

static void F(one_by_one)(void *to, const void *from, int64_t elements, int count)
{
    const T *x = from;
    for (int l = 0; l < count; l++) {
        T *one = (T *)to + l * elements;
        for (int64_t e = 0; e < elements; e++)
            one[e] = x[e * LANES + l];
    }
}

/* `wide` numbers at v lose c[l] x[l] for l = 0 .. k - 1; the steps count numbers of a matrix. */
ALWAYS void F(lanes_chain)(T *v, int64_t v_step, const T *c, int64_t c_step, const T *x, int64_t x_step, int64_t x_next,
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

/* Rows `from` .. n of column k lose the products of the columns before it: of row i with the coefficients c. */
ALWAYS void F(lanes_column)(T *x, int n, int from, int k, const T *c, int64_t c_step)
{
    int i = from;
    for (; i + 4 <= n; i += 4)
        F(lanes_chain)(x + (i * n + k) * LANES, n, c, c_step, x + i * n * LANES, 1, n, k, 4);
    for (; i < n; i++)
        F(lanes_chain)(x + (i * n + k) * LANES, n, c, c_step, x + i * n * LANES, 1, n, k, 1);
}

static void F(failures)(U which, bool *failed)
{
    for (int l = 0; l < LANES; l++)
        failed[l] = which[l] != 0;
}

static void F(lanes_cholesky)(void *matrices, int n, bool *failed)
{
    T *x = matrices;
    U bad = {0};
    for (int j = 0; j < n; j++) {
        F(lanes_column)(x, n, j, j, x + j * n * LANES, 1);
        V pivot = F(at)(x, j * n + j);
        bad |= (U)(pivot <= (V){0});
        for (int l = 0; l < LANES; l++)
            pivot[l] = SQRT(pivot[l]);
        F(to)(x, j * n + j, pivot);
        for (int i = j + 1; i < n; i++)
            F(to)(x, i * n + j, F(at)(x, i * n + j) / pivot);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            V nan = F(fill)((T)__builtin_nan(""));
            F(to)(x, i * n + j, j > i ? (V){0} : F(choose)(bad, nan, F(at)(x, i * n + j)));
        }
    F(failures)(bad, failed);
}

static void F(lanes_lu)(void *matrices, int n, int32_t *pivots, bool *failed)
{
    T *x = matrices;
    U singular = {0};
    for (int k = 0; k < n; k++) {
        for (int i = 1; i < k; i++)
            F(lanes_chain)(x + (i * n + k) * LANES, n, x + i * n * LANES, 1, x + k * LANES, n, 0, i, 1);
        F(lanes_column)(x, n, k, k, x + k * LANES, n);
        V most = F(absolute)(F(at)(x, k * n + k));
        U place = {0};
        for (int i = k + 1; i < n; i++) { /* the first of the largest, counted from k */
            V size = F(absolute)(F(at)(x, i * n + k));
            U more = (U)(size > most), row = (U){0} + (unsigned)(i - k);
            most = F(choose)(more, size, most);
            place = (place & ~more) | (row & more);
        }
        for (int i = k + 1; i < n; i++) {
            U here = (U)(place == (U){0} + (unsigned)(i - k));
            for (int j = 0; j < n; j++) {
                V a = F(at)(x, k * n + j), b = F(at)(x, i * n + j);
                F(to)(x, k * n + j, F(choose)(here, b, a));
                F(to)(x, i * n + j, F(choose)(here, a, b));
            }
        }
        for (int l = 0; l < LANES; l++)
            pivots[k * LANES + l] = (int32_t)place[l] + k;
        V pivot = F(at)(x, k * n + k);
        U zero = (U)(pivot == (V){0});
        singular |= zero;
        for (int i = k + 1; i < n; i++) {
            V v = F(at)(x, i * n + k);
            F(to)(x, i * n + k, F(choose)(zero, v, v / pivot));
        }
    }
    F(failures)(singular, failed);
}

static void F(lanes_solve)(const void *triangles, void *unknowns, int n, int columns, const knr_solve_view *v,
                            bool unit)
{
    const T *t = (const T *)triangles + v->t_first * LANES;
    T *x = (T *)unknowns + v->x_first * LANES;
    for (int c = 0, step; c < columns; c += step) {
        T *first = x + c * v->x_column * LANES;
        step = c + 4 <= columns ? 4 : 1;
        for (int i = 0; i < n; i++) {
            T *row = first + i * v->x_row * LANES;
            const T *f = t + i * v->t_row * LANES;
            if (step == 4)
                F(lanes_chain)(row, v->x_column, f, v->t_column, first, v->x_row, v->x_column, i, 4);
            else
                F(lanes_chain)(row, v->x_column, f, v->t_column, first, v->x_row, v->x_column, i, 1);
            V d = F(at)(f, i * v->t_column);
            for (int w = 0; !unit && w < step; w++)
                F(to)(row, w * v->x_column, F(at)(row, w * v->x_column) / d);
        }
    }
}
