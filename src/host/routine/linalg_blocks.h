/* SPDX-License-Identifier: Apache-2.0
 * linalg_blocks.h -- blocks of up to 32 rows: triangular systems, Cholesky and LU factors, and the way in and out.
 * Included by linalg_loops.h for each type of number. Real numbers are worked on in tiles of a few rows and vectors,
 * which stay in registers: each element has the same chain as one that is made alone. */

/* --- tiles of real numbers -------------------------------------------------------------------- */

typedef enum F(tile_end) { F(TILE_OPEN), F(TILE_ONE), F(TILE_DIVIDED) } F(tile_end);

/* R rows from `to` on, W vectors wide: row r of them loses the rows 0 .. i of x, each times c[r * c_row + k * c_k].
 * Unless it stays open, the rows of the tile before it come next; DIVIDED: then it is divided by its own
 * coefficient. */
ALWAYS void F(tile)(const T *c, int64_t c_row, int64_t c_k, const T *x, T *to, int64_t ld, int i, const int R,
                    const int W, const F(tile_end) end)
{
    V acc[8][4];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(load)(to + r * ld + w * LANES);
    for (int k = 0; k < i; k++) {
        V v[4];
        UNROLL for (int w = 0; w < W; w++) v[w] = F(load)(x + k * ld + w * LANES);
        UNROLL for (int r = 0; r < R; r++)
        {
            V f = F(fill)(c[r * c_row + k * c_k]);
            UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(fnma)(f, v[w], acc[r][w]);
        }
    }
    const int among = end == F(TILE_OPEN) ? 0 : R; /* rows that lose each other */
    UNROLL for (int r = 0; r < among; r++)
    {
        UNROLL for (int k = 0; k < r; k++)
        {
            V f = F(fill)(c[r * c_row + (i + k) * c_k]);
            UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(fnma)(f, acc[k][w], acc[r][w]);
        }
        if (end == F(TILE_DIVIDED)) {
            T d = c[r * c_row + (i + r) * c_k];
            F(quotients)(acc[r], W, d, F(inverse_of)(d));
        }
    }
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int w = 0; w < W; w++) F(store)(to + r * ld + w * LANES, acc[r][w]);
}

/* `rows` rows from i on of a tile's width; c: the coefficients of row i. */
ALWAYS void F(tiles)(const T *c, int64_t c_row, int64_t c_k, T *x, int64_t ld, int i, int rows, const int W,
                     const F(tile_end) end)
{
    const int R = W == 1 ? 8 : 4;
    int r = 0;
    if (end == F(TILE_OPEN)) { /* all of them lose as many */
        for (; r + 4 <= rows; r += 4)
            F(tile)(c + r * c_row, c_row, c_k, x, x + (i + r) * ld, ld, i, 4, W, end);
        for (; r < rows; r++)
            F(tile)(c + r * c_row, c_row, c_k, x, x + (i + r) * ld, ld, i, 1, W, end);
        return;
    }
    for (; r + R <= rows; r += R)
        F(tile)(c + r * c_row, c_row, c_k, x, x + (i + r) * ld, ld, i + r, R, W, end);
    for (; r < rows; r++)
        F(tile)(c + r * c_row, c_row, c_k, x, x + (i + r) * ld, ld, i + r, 1, W, end);
}

/* The same of numbers from .. n; up to a vector behind the last is written, too. */
ALWAYS void F(all_tiles)(const T *c, int64_t c_row, int64_t c_k, T *x, int64_t ld, int i, int rows, int64_t from,
                         int64_t n, const F(tile_end) end)
{
    int64_t j = from;
    for (; n - j > (TILE_VECTORS - 1) * LANES; j += TILE_VECTORS * LANES)
        F(tiles)(c, c_row, c_k, x + j, ld, i, rows, TILE_VECTORS, end);
    for (; TILE_VECTORS > 2 && n - j > LANES; j += 2 * LANES)
        F(tiles)(c, c_row, c_k, x + j, ld, i, rows, 2, end);
    for (; j < n; j += LANES)
        F(tiles)(c, c_row, c_k, x + j, ld, i, rows, 1, end);
}

/* --- triangular systems ----------------------------------------------------------------------- */

static void F(solve)(const knr_planes *t, const knr_planes *x, int rows, int64_t n, knr_diagonal how)
{
    const T *t_re = t->re, *t_im = t->im;
    if (!x->im) {
        if (how == KNR_DIAGONAL_ONE)
            F(all_tiles)(t_re, t->ld, 1, x->re, x->ld, 0, rows, 0, n, F(TILE_ONE));
        else
            F(all_tiles)(t_re, t->ld, 1, x->re, x->ld, 0, rows, 0, n, F(TILE_DIVIDED));
        return;
    }
    for (int64_t j = 0, step; j < n; j += step) {
        bool wide = j + COMPLEX_VECTORS * LANES <= n;
        step = wide ? COMPLEX_VECTORS * LANES : LANES;
        T *re = (T *)x->re + j, *im = (T *)x->im + j;
        for (int i = 0; i < rows; i++) {
            const T *c = t_re + i * t->ld, *d = t_im + i * t->ld;
            if (wide)
                F(chain2)(c, d, re, im, x->ld, i, COMPLEX_VECTORS, false);
            else
                F(chain2)(c, d, re, im, x->ld, i, 1, false);
            F(divide_row)(t, i, re + i * x->ld, im + i * x->ld, step, how);
        }
    }
}

/* --- Cholesky --------------------------------------------------------------------------------- */

/* Rows j .. j + R of real numbers, the W vectors from number j on: their chains, their pivots, their quotients. */
ALWAYS bool F(pivots)(T *x, int64_t ld, int j, const int R, const int W)
{
    V acc[4][4];
    T *to = x + j * ld + j;
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(load)(to + r * ld + w * LANES);
    for (int k = 0; k < j; k++) {
        V v[4];
        UNROLL for (int w = 0; w < W; w++) v[w] = F(load)(x + k * ld + j + w * LANES);
        UNROLL for (int r = 0; r < R; r++)
        {
            V f = F(fill)(x[k * ld + j + r]);
            UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(fnma)(f, v[w], acc[r][w]);
        }
    }
    bool well = true;
    UNROLL for (int r = 0; r < R; r++)
    {
        UNROLL for (int k = 0; k < r; k++)
        {
            V f = F(fill)(acc[k][r / LANES][r % LANES]);
            UNROLL for (int w = 0; w < W; w++) acc[r][w] = F(fnma)(f, acc[k][w], acc[r][w]);
        }
        T pivot = acc[r][r / LANES][r % LANES];
        well = well && !(pivot <= 0);
        pivot = SQRT(pivot);
        UNROLL for (int w = 0; w < W; w++) acc[r][w] /= F(fill)(pivot);
        acc[r][r / LANES][r % LANES] = pivot;
    }
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int w = 0; w < W; w++) F(store)(to + r * ld + w * LANES, acc[r][w]);
    return well;
}

ALWAYS bool F(pivots_of)(T *x, int64_t ld, int j, int rows, const int W)
{
    bool well = true;
    if (rows == 4)
        return F(pivots)(x, ld, j, 4, W);
    for (int r = 0; r < rows && well; r++)
        well = F(pivots)(x, ld, j + r, 1, W);
    return well;
}

/* Four rows at a time: what is right of the first vectors follows when their pivots are known. */
static bool F(cholesky_real)(T *x, int64_t ld, int n)
{
    for (int j = 0, rows; j < n; j += rows) {
        bool well;
        int vectors = (n - j + LANES - 1) / LANES;
        rows = n - j < 4 ? n - j : 4;
        vectors = vectors < TILE_VECTORS ? vectors : TILE_VECTORS;
        if (vectors == 1)
            well = F(pivots_of)(x, ld, j, rows, 1);
        else if (vectors == 2)
            well = F(pivots_of)(x, ld, j, rows, 2);
        else
            well = F(pivots_of)(x, ld, j, rows, TILE_VECTORS);
        if (!well)
            return false;
        F(all_tiles)(x + j, 1, ld, x, ld, j, rows, j + vectors * LANES, n, F(TILE_DIVIDED));
    }
    return true;
}

/* Blocks of 32 rows lose those before them, then a copy of their square is factored, then they are divided by it. */
static bool F(cholesky_columns)(T *x, int64_t ld, int n)
{
    enum { T_LD = KNR_BLOCK + 2 * LANES };
    T t[KNR_BLOCK * T_LD];
    memset(t, 0, sizeof t);
    for (int b = 0, w; b < n; b += w) {
        T *block = x + b * ld + b;
        w = n - b < KNR_BLOCK ? n - b : KNR_BLOCK;
        if (b)
            F(all_tiles)(x + b, 1, ld, x, ld, b, w, b, n, F(TILE_OPEN));
        for (int r = 0; r < w; r++)
            memcpy(t + r * T_LD, block + r * ld, (size_t)w * sizeof(T));
        if (!F(cholesky_real)(t, T_LD, w))
            return false;
        for (int r = 0; r < w; r++)
            memcpy(block + r * ld, t + r * T_LD, (size_t)w * sizeof(T));
        F(all_tiles)(t, 1, T_LD, block, ld, 0, w, w, n - b, F(TILE_DIVIDED));
    }
    return true;
}

/* x[j][i] = L[i][j] for i >= j. The coefficients of row j are the numbers j of the rows above, conjugated. */
static bool F(cholesky)(const knr_planes *x, int n)
{
    T *re = x->re, *im = x->im, c_re[KNR_PANEL], c_im[KNR_PANEL];
    if (!im)
        return F(cholesky_columns)(re, x->ld, n);
    for (int j = 0; j < n; j++, re += x->ld, im += x->ld) {
        for (int k = 0; k < j; k++) {
            c_re[k] = ((const T *)x->re)[k * x->ld + j];
            c_im[k] = -((const T *)x->im)[k * x->ld + j];
        }
        for (int i = j / LANES * LANES; i < n; i += LANES) /* behind the last vector nothing is to be written */
            F(chain2)(c_re, c_im, (T *)x->re + i, (T *)x->im + i, x->ld, j, 1, false);
        T pivot = re[j];
        if (pivot <= 0)
            return false;
        re[j] = pivot = SQRT(pivot);
        F(divide)(re + j + 1, NULL, n - j - 1, pivot, 0);
        im[j] = 0;
        F(divide)(im + j + 1, NULL, n - j - 1, pivot, 0);
    }
    return true;
}

/* --- in and out ------------------------------------------------------------------------------- */

/* LANES vectors: number b of vector a becomes number a of vector b. */
ALWAYS void F(turn)(V *v)
{
    UNROLL for (int s = 1; s < LANES; s *= 2)
    {
        V to[LANES];
        UNROLL for (int i = 0; i < LANES / 2; i++)
        {
            to[2 * i] = (V)PASTE(zip_lo, BYTES)((U)v[i], (U)v[i + LANES / 2]);
            to[2 * i + 1] = (V)PASTE(zip_hi, BYTES)((U)v[i], (U)v[i + LANES / 2]);
        }
        UNROLL for (int i = 0; i < LANES; i++) v[i] = to[i];
    }
}

/* The lanes from the last to the first. */
ALWAYS V F(reversed)(V v)
{
#if VECTOR_BYTES / BYTES == 16
    return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#elif VECTOR_BYTES / BYTES == 8
    return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#elif VECTOR_BYTES / BYTES == 4
    return __builtin_shufflevector(v, v, 3, 2, 1, 0);
#else
    return __builtin_shufflevector(v, v, 1, 0);
#endif
}

/* How many columns, and rows, go through squares of vectors: where rows are adjacent in memory, in either order. */
ALWAYS int64_t F(squares_of)(int64_t row, int64_t n) { return row == 1 || row == -1 ? n / LANES * LANES : 0; }

/* Numbers that are adjacent in memory, in either order: x[j] = a[j * column], or loses it. */
ALWAYS void F(take_line)(T *x, int64_t n, const T *a, int64_t column, const bool minus)
{
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        V v = column == 1 ? F(load)(a + j) : F(reversed)(F(load)(a - j - LANES + 1));
        F(store)(x + j, minus ? F(load)(x + j) - v : v);
    }
    for (; j < n; j++)
        x[j] = minus ? x[j] - a[j * column] : a[j * column];
}

/* x[r][j] = a[r][j], or loses it. */
ALWAYS void F(take_real)(T *x, int64_t ld, int rows, int64_t n, const T *a, int64_t row, int64_t column,
                         const bool minus)
{
    int64_t squares = F(squares_of)(row, n);
    int whole = squares ? rows / LANES * LANES : 0;
    if (column == 1 || column == -1) {
        for (int r = 0; r < rows; r++)
            F(take_line)(x + r * ld, n, a + r * row, column, minus);
        return;
    }
    for (int64_t j = 0; j < squares; j += LANES)
        for (int r = 0; r < whole; r += LANES) {
            V v[LANES];
            const T *b = row == 1 ? a + r : a - r - LANES + 1;
            UNROLL for (int i = 0; i < LANES; i++) v[i] = F(load)(b + (j + i) * column);
            F(turn)(v);
            UNROLL for (int i = 0; i < LANES; i++)
            {
                T *to = x + (row == 1 ? r + i : r + LANES - 1 - i) * ld + j;
                F(store)(to, minus ? F(load)(to) - v[i] : v[i]);
            }
        }
    for (int64_t j = 0; j < n; j += CHUNK)
        for (int r = j + CHUNK <= squares ? whole : 0; r < rows; r++) {
            const T *b = a + r * row + j * column;
            T *to = x + r * ld + j;
            int64_t w = n - j < CHUNK ? n - j : CHUNK;
            for (int64_t c = j < squares && r < whole ? squares - j : 0; c < w; c++)
                to[c] = minus ? to[c] - b[c * column] : b[c * column];
        }
}

static void F(take_part)(const knr_planes *x, int rows, int64_t n, const knr_place_in *from, const knr_place_in *minus)
{
    const T *a = from->at, *s = minus ? minus->at : NULL;
    if (!x->im) {
        F(take_real)(x->re, x->ld, rows, n, a, from->row, from->column, false);
        if (minus)
            F(take_real)(x->re, x->ld, rows, n, s, minus->row, minus->column, true);
        return;
    }
    for (int part = 0; part < 2; part++) {
        T *to = part ? x->im : x->re;
        T sign = part && from->conjugate ? -1 : 1;
        for (int64_t j = 0; j < n; j += CHUNK)
            for (int r = 0; r < rows; r++) {
                const T *b = a + (r * from->row + j * from->column) * 2 + part;
                const T *t = s ? s + (r * minus->row + j * minus->column) * 2 + part : NULL;
                int64_t w = n - j < CHUNK ? n - j : CHUNK, step = from->column * 2;
                for (int64_t c = 0; c < w; c++)
                    to[r * x->ld + j + c] = sign * b[c * step];
                for (int64_t c = 0; t && c < w; c++)
                    to[r * x->ld + j + c] -= t[c * minus->column * 2];
            }
    }
}

/* Zeros from number n on, to the end of its vector and a vector more: they take part in vectors. */
static void F(pad)(T *x, int64_t ld, int rows, int64_t n)
{
    int64_t end = (n + LANES - 1) / LANES * LANES + LANES;
    for (int r = 0; r < rows; r++, x += ld) {
        if (end <= ld) {
            F(store)(x + n, (V){0});
            F(store)(x + end - LANES, (V){0});
        }
        for (int64_t j = n; end > ld && j < ld; j++)
            x[j] = 0;
    }
}

static void F(take)(const knr_planes *x, int rows, int64_t n, const knr_place_in *from, const knr_place_in *minus)
{
    F(take_part)(x, rows, n, from, minus);
    F(pad)(x->re, x->ld, rows, n);
    if (x->im)
        F(pad)(x->im, x->ld, rows, n);
}

static void F(put_real)(const T *x, int64_t ld, int rows, int64_t n, T *a, int64_t row, int64_t column)
{
    int64_t squares = F(squares_of)(row, n);
    int whole = squares ? rows / LANES * LANES : 0;
    if (column == 1) {
        for (int r = 0; r < rows; r++)
            memcpy(a + r * row, x + r * ld, (size_t)n * sizeof(T));
        return;
    }
    for (int64_t j = 0; j < squares; j += LANES)
        for (int r = 0; r < whole; r += LANES) {
            V v[LANES];
            T *b = row == 1 ? a + r : a - r - LANES + 1;
            UNROLL for (int i = 0; i < LANES; i++) v[i] = F(load)(x + (row == 1 ? r + i : r + LANES - 1 - i) * ld + j);
            F(turn)(v);
            UNROLL for (int i = 0; i < LANES; i++) F(store)(b + (j + i) * column, v[i]);
        }
    for (int64_t j = 0; j < n; j += CHUNK)
        for (int r = j + CHUNK <= squares ? whole : 0; r < rows; r++) {
            T *b = a + r * row + j * column;
            const T *from = x + r * ld + j;
            int64_t w = n - j < CHUNK ? n - j : CHUNK;
            for (int64_t c = j < squares && r < whole ? squares - j : 0; c < w; c++)
                b[c * column] = from[c];
        }
}

static void F(put)(const knr_planes *x, int rows, int64_t n, const knr_place_out *to)
{
    T *a = to->at;
    if (!x->im) {
        F(put_real)(x->re, x->ld, rows, n, a, to->row, to->column);
        return;
    }
    for (int part = 0; part < 2; part++) {
        const T *from = part ? x->im : x->re;
        T sign = part && to->conjugate ? -1 : 1;
        for (int64_t j = 0; j < n; j += CHUNK)
            for (int r = 0; r < rows; r++) {
                T *b = a + (r * to->row + j * to->column) * 2 + part;
                for (int64_t c = 0; c < CHUNK && j + c < n; c++)
                    b[c * to->column * 2] = sign * from[r * x->ld + j + c];
            }
    }
}

/* --- LU --------------------------------------------------------------------------------------- */

ALWAYS V F(magnitude)(V v) { return (V)((U)v & ~(U)(F(fill)(-(T)0))); }

/* The largest |re| of numbers from .. n: the first of them, but `from` itself if that is NaN. Each lane keeps the first
 * of its largest. */
static int64_t F(largest_real)(const T *x, int64_t from, int64_t n)
{
    T most = FABS(x[from]), size[LANES];
    int64_t best = from, i = from + 1;
    V high = F(fill)(most);
    U at = {0}, now = at + 1;
    for (int l = 0; l < LANES; l++)
        now[l] = (unsigned)l + 1; /* counted from `from` */
    for (; i + LANES <= n; i += LANES, now += LANES) {
        V v = F(magnitude)(F(load)(x + i));
        U more = (U)(v > high);
        high = (V)(((U)v & more) | ((U)high & ~more));
        at = (now & more) | (at & ~more);
    }
    F(store)(size, high);
    for (int l = 0; l < LANES && i > from + 1; l++) {
        int64_t row = from + (int64_t)at[l];
        if (size[l] > most || (size[l] == most && row < best)) {
            most = size[l];
            best = row;
        }
    }
    for (; i < n; i++)
        if (FABS(x[i]) > most) {
            most = FABS(x[i]);
            best = i;
        }
    return best;
}

static int64_t F(largest)(const T *re, const T *im, int64_t from, int64_t n)
{
    int64_t at = from;
    if (!im)
        return F(largest_real)(re, from, n);
    T most = FABS(re[from]) + FABS(im[from]);
    for (int64_t i = from + 1; i < n; i++) {
        T size = FABS(re[i]) + FABS(im[i]);
        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

static void F(swap)(T *x, int64_t ld, int rows, int64_t a, int64_t b)
{
    for (int r = 0; r < rows && a != b; r++, x += ld) {
        T t = x[a];
        x[a] = x[b];
        x[b] = t;
    }
}

/* Numbers behind k of column k (a row of x) are divided by its pivot; the `others` columns behind it lose it. */
static void F(eliminate)(T *x, int64_t ld, int k, int others, int64_t rows)
{
    T *l = x + k * ld, p = l[k], inverse = F(inverse_of)(p);
    for (int64_t i = k + 1; i < rows; i += LANES) {
        V v = F(load)(l + i);
        if (p != 0)
            F(quotients)(&v, 1, p, inverse);
        F(store)(l + i, v);
        for (int c = 1; c <= others; c++)
            F(store)(l + c * ld + i, F(fnma)(F(fill)(l[c * ld + k]), v, F(load)(l + c * ld + i)));
    }
}

/* Numbers k and pivot[k] of columns c .. c + n (rows of x) change places, for k from .. to in order. */
static void F(swaps)(T *x, int64_t ld, int c, int n, const int64_t *pivot, int from, int to)
{
    x += c * ld;
    for (int i = 0; i < n; i++, x += ld)
        for (int k = from; k < to; k++) {
            T t = x[k];
            x[k] = x[pivot[k]];
            x[pivot[k]] = t;
        }
}

/* Rows g .. g + h of U in columns g + h .. g + w. They come to `u` (rows there, too), since chains go along rows. */
static void F(upper_rows)(T *x, int64_t ld, int g, int h, int w, T *u, int64_t u_ld)
{
    T *at = x + (g + h) * ld + g;
    F(take_real)(u, u_ld, h, w - h, at, 1, ld, false);
    F(pad)(u, u_ld, h, w - h);
    F(all_tiles)(x + g * ld + g, 1, ld, u, u_ld, 0, h, 0, w - h, F(TILE_ONE));
    F(put_real)(u, u_ld, h, w - h, at, 1, ld);
}

/* Columns g .. g + w (rows of x), which have lost all before them: their left half, what the right half loses to it,
 * the right half. */
static bool F(lu_columns)(T *x, int64_t ld, int g, int w, int64_t rows, int64_t *pivot, T *u, int64_t u_ld)
{
    enum { FEW = 4 };
    bool regular = true;
    if (w <= FEW) {
        for (int k = g; k < g + w; k++) {
            pivot[k] = F(largest_real)(x + k * ld, k, rows);
            F(swap)(x + g * ld, ld, w, k, pivot[k]);
            regular = regular && x[k * ld + k] != 0;
            F(eliminate)(x, ld, k, g + w - 1 - k, rows);
        }
        return regular;
    }
    int h = (w / 2 + FEW - 1) / FEW * FEW;
    regular &= F(lu_columns)(x, ld, g, h, rows, pivot, u, u_ld);
    F(swaps)(x, ld, g + h, w - h, pivot, g, g + h);
    F(upper_rows)(x, ld, g, h, w, u, u_ld);
    F(all_tiles)(x + (g + h) * ld + g, ld, 1, x + g * ld, ld, h, w - h, g + h, rows, F(TILE_OPEN));
    regular &= F(lu_columns)(x, ld, g + h, w - h, rows, pivot, u, u_ld);
    F(swaps)(x, ld, g, h, pivot, g + h, g + w);
    return regular;
}

/* Numbers 1 .. k of column k (a row of x here) become those of U: row i has had its chain of i steps. */
static void F(upper_part)(const knr_planes *x, int k)
{
    const T *l_re = x->re, *l_im = x->im;
    T *re = (T *)x->re + k * x->ld, *im = (T *)x->im + k * x->ld;
    for (int i = 1; i < k; i++)
        for (int l = 0; l < i; l++) {
            T a = l_re[l * x->ld + i], b = l_im[l * x->ld + i];
            re[i] = F(fma1)(b, im[l], F(fma1)(-a, re[l], re[i]));
            im[i] = F(fma1)(-b, re[l], F(fma1)(-a, im[l], im[i]));
        }
}

static bool F(lu)(const knr_planes *x, int columns, int64_t rows, int64_t *pivot, const knr_planes *spare)
{
    bool regular = true;
    if (!x->im)
        return F(lu_columns)(x->re, x->ld, 0, columns, rows, pivot, spare->re, spare->ld);
    for (int k = 0; k < columns; k++) {
        T *re = (T *)x->re + k * x->ld, *im = (T *)x->im + k * x->ld;
        F(upper_part)(x, k);
        F(row)(re, im, x, k, k, rows);
        int64_t at = pivot[k] = F(largest)(re, im, k, rows);
        F(swap)(x->re, x->ld, columns, k, at);
        F(swap)(x->im, x->ld, columns, k, at);
        T p = re[k], q = im[k];
        if (p == 0 && q == 0)
            regular = false;
        else
            F(divide)(re + k + 1, im + k + 1, rows - k - 1, p, q);
    }
    return regular;
}

static void F(swap_rows)(const knr_planes *x, int rows, const int64_t *pivot, int count)
{
    F(swaps)(x->re, x->ld, 0, rows, pivot, 0, count);
}

/* --- rows of whole matrices ------------------------------------------------------------------- */

static void F(subtract)(void *to, int64_t to_row, int64_t to_step, int64_t rows, int64_t n, const void *from,
                        int64_t from_row, int parts)
{
    T *x = to;
    const T *y = from;
    for (int64_t i = 0; i < rows; i++, x += to_row * parts, y += from_row * parts) {
        if (to_step == 1)
            for (int64_t j = 0; j < n * parts; j++)
                x[j] -= y[j];
        else
            for (int64_t j = 0; j < n; j++)
                for (int p = 0; p < parts; p++)
                    x[j * to_step * parts + p] -= y[j * parts + p];
    }
}

/* Rows k and pivot[k] change places for k = first .. first + count - 1: `bytes` of each, rows `ld` bytes apart. */
static void F(exchange)(void *rows, int64_t ld, int64_t bytes, const int32_t *pivot, int64_t first, int64_t count)
{
    int64_t n = bytes / BYTES;
    for (int64_t k = first; k < first + count; k++) {
        T *a = (T *)((char *)rows + k * ld), *b = (T *)((char *)rows + pivot[k] * ld);
        int64_t j = 0;
        if (a == b)
            continue;
        for (; j + LANES <= n; j += LANES) {
            V v = F(load)(a + j), w = F(load)(b + j);
            F(store)(a + j, w);
            F(store)(b + j, v);
        }
        for (; j < n; j++) {
            T v = a[j];
            a[j] = b[j];
            b[j] = v;
        }
    }
}
