/* SPDX-License-Identifier: Apache-2.0
 * fft_groups.h -- the passes of the Fourier transforms over whole lines of numbers, for one type of number: WIDTH of
 * them beside each other, which are transformed alone or are places or the columns of one transform. Included by
 * fft_isa.c behind fft_radix.h. */

/* --- passes ----------------------------------------------------------------------------------- */

ALWAYS void F(over_groups)(const knr_fft_groups *c, const int fixed, V *re, V *im)
{
    const int r = fixed ? fixed : c->r;
    F(spot) a = {.c = c, .xj = c->xj, .yk = c->yk, .next = c->s * 2 * WIDTH, .second = WIDTH, .across = c->l == 1};
    for (int64_t p = 0; p < c->m; p++)
        for (int64_t q = 0; q < c->s; q++)
            for (int64_t l = 0; l < c->l; l++)
                for (int64_t v = 0; v < WIDTH; v += LANES) {
                    a.from = p * c->xp + q * c->xq + l * c->xl + v, a.to = p * c->yp + q * c->yq + l * c->yl + v;
                    a.by_p = c->by_p ? (const T *)c->by_p + p * (r - 1) * 2 : NULL;
                    a.w = c->turn ? (const T *)c->turn + q * 2 * WIDTH + (a.across ? v : l) : NULL;
                    if (c->x.ahead && v == 0)
                        for (int j = 0; j < r; j++)
                            F(fetch)(&c->x, a.from + j * c->xj, false);
                    if (c->y.ahead && v == 0)
                        for (int j = 0; j < r; j++)
                            F(fetch)(&c->y, a.to + j * c->yk, true);
                    F(work)(&a, fixed, false, re, im);
                }
}

#define GROUPS(r, room)                                 \
    static void F(groups_##r)(const knr_fft_groups *c)  \
    {                                                   \
        V re[room], im[room];                           \
        F(over_groups)(c, r, re, im);                   \
    }
#if !SLOW_FMA
GROUPS(2, 8)
GROUPS(3, 8)
GROUPS(4, 8)
GROUPS(5, 8)
GROUPS(6, 1)
GROUPS(7, 8)
GROUPS(8, 8)
GROUPS(9, 1)
GROUPS(15, 1)
GROUPS(16, 16)
GROUPS(25, 1)
#endif
GROUPS(0, KNR_FFT_MOST_ODD)
#undef GROUPS

static void F(groups_of)(const knr_fft_groups *c)
{
    switch (c->r) {
#if !SLOW_FMA
    case 2: F(groups_2)(c); break;
    case 3: F(groups_3)(c); break;
    case 4: F(groups_4)(c); break;
    case 5: F(groups_5)(c); break;
    case 6: F(groups_6)(c); break;
    case 7: F(groups_7)(c); break;
    case 8: F(groups_8)(c); break;
    case 9: F(groups_9)(c); break;
    case 15: F(groups_15)(c); break;
    case 16: F(groups_16)(c); break;
    case 25: F(groups_25)(c); break;
#endif
    default: F(groups_0)(c); break;
    }
}

ALWAYS void F(move_on)(knr_fft_numbers *x, int64_t numbers)
{
    x->re = (T *)x->re + (x->im ? numbers : 2 * numbers);
    x->im = x->im ? (T *)x->im + numbers : NULL;
}

static void F(groups)(const knr_fft_groups *c)
{
    F(groups_of)(c);
    if (!c->back)
        return;
    knr_fft_groups last = *c; /* a line for the rest */
    F(move_on)(&last.x, c->s * c->xq - c->back);
    F(move_on)(&last.y, c->s * c->yq - c->back);
    last.s = 1;
    F(groups_of)(&last);
}

/* --- columns and rows ------------------------------------------------------------------------- */

/* x[r][l] of LANES vectors becomes x[l][r]. */
ALWAYS void F(turn_square)(V *x)
{
    V y[LANES];
    UNROLL for (int round = 1; round < LANES; round *= 2)
    {
        UNROLL for (int j = 0; j < LANES / 2; j++)
        {
            y[2 * j] = ZIP_LO(x[j], x[j + LANES / 2]);
            y[2 * j + 1] = ZIP_HI(x[j], x[j + LANES / 2]);
        }
        UNROLL for (int j = 0; j < LANES; j++) x[j] = y[j];
    }
}

/* LANES lines of WIDTH numbers of one plane, from x on: element l of each comes to to[l]. */
ALWAYS void F(take_columns)(const T *x, V *to)
{
#if VECTOR_BYTES == 32 || (VECTOR_BYTES == 64 && BYTES == 4) /* of eight lanes there is nothing to gain */
    enum { EACH = 16 / BYTES }; /* numbers of a part */
    UNROLL for (int g = 0; g < WIDTH; g += EACH)
    {
        V z[EACH];
        UNROLL for (int j = 0; j < EACH; j++) z[j] = (V)PARTS(x + j * WIDTH + g, EACH * KNR_FFT_LINE);
#if BYTES == 4
        V a = (V)PART_LO_4(z[0], z[1]), b = (V)PART_HI_4(z[0], z[1]);
        V c = (V)PART_LO_4(z[2], z[3]), d = (V)PART_HI_4(z[2], z[3]);
        to[g] = (V)PART_LO_8(a, c), to[g + 1] = (V)PART_HI_8(a, c);
        to[g + 2] = (V)PART_LO_8(b, d), to[g + 3] = (V)PART_HI_8(b, d);
#else
        to[g] = (V)PART_LO_8(z[0], z[1]), to[g + 1] = (V)PART_HI_8(z[0], z[1]);
#endif
    }
#else
    UNROLL for (int v = 0; v < WIDTH; v += LANES)
    {
        UNROLL for (int j = 0; j < LANES; j++) to[v + j] = F(load)(x + j * WIDTH + v);
        F(turn_square)(to + v);
    }
#endif
}

/* The last pass of a transform alone: each line of m becomes WIDTH numbers that are m apart. m >= LANES; the last ones
 * begin where they end with the last line, so some may be computed twice. */
static void F(cross)(const knr_fft_groups *c)
{
    const knr_fft_numbers *y = &c->y;
    const T *real = c->x.re, *imaginary = c->x.im;
    const T scale = (T)c->scale;
    const int64_t m = c->m;
    V re[WIDTH], im[WIDTH];
    for (int64_t k = 0;;) {
        if (y->ahead)
            for (int j = 0; j < WIDTH; j++)
                F(fetch)(y, k + j * m, true);
        F(take_columns)(real + k * WIDTH, re);
        F(take_columns)(imaginary + k * WIDTH, im);
        F(butterfly)(re, im, NULL, WIDTH);
        F(write)(y, k, m, WIDTH, scale, re, im);
        k += LANES;
        if (k + LANES <= m)
            continue;
        if (k >= m)
            return;
        k = m - LANES;
    }
}

/* The last pass of the columns of one transform, of radix 8, and the one across them, for so many lines at a time that
 * the second one finds them in the first cache. s: a multiple of LANES. Of float32 it is slower than two passes. */
#if VECTOR_BYTES > 16 && BYTES == 8
static void F(last)(const knr_fft_groups *c)
{
    const knr_fft_numbers *x = &c->x, *y = &c->y;
    const int r = 8;
    const int64_t s = c->s, m = r * s;
    enum { ALL = 8 * LANES * WIDTH, HALF_PAGE = 2048 / BYTES }; /* as work_planes has them */
    T room[2 * ALL + HALF_PAGE] __attribute__((aligned(64))), *real = room, *imaginary = room + ALL + HALF_PAGE;
    for (int64_t first = 0; first < s; first += LANES) {
        for (int q = 0; q < LANES; q++)
            for (int v = 0; v < WIDTH; v += LANES) {
                const T *turn = (const T *)c->turn + (first + q) * 2 * WIDTH + v;
                V re[8], im[8];
                F(read)(x, (first + q) * WIDTH + v, s * WIDTH, r, re, im);
                F(butterfly8)(re, im);
                UNROLL for (int j = 0; j < r; j++)
                {
                    const T *w = turn + j * s * 2 * WIDTH;
                    F(multiply)(&re[j], &im[j], F(load)(w), F(load)(w + WIDTH));
                    F(store)(real + (j * LANES + q) * WIDTH + v, re[j]);
                    F(store)(imaginary + (j * LANES + q) * WIDTH + v, im[j]);
                }
            }
        for (int j = 0; j < r; j++) {
            V re[WIDTH], im[WIDTH];
            if (y->ahead)
                for (int k = 0; k < WIDTH; k++)
                    F(fetch)(y, first + j * s + k * m, true);
            F(take_columns)(real + j * LANES * WIDTH, re);
            F(take_columns)(imaginary + j * LANES * WIDTH, im);
            F(even_butterfly)(re, im, WIDTH);
            F(write)(y, first + j * s, m, WIDTH, (T)c->scale, re, im);
        }
    }
}
#endif

/* --- short rows ------------------------------------------------------------------------------- */

#if VECTOR_BYTES > 16
/* m rows of WIDTH r numbers: a pass of radix r for the columns, and one across them. Where a vector has all columns,
 * numbers go from one pass to the other in registers: so soon after they were written, parts of lines would wait. */
ALWAYS void F(over_columns)(const knr_fft_groups *c, const int r)
{
    const knr_fft_numbers *x = &c->x, *y = &c->y;
    T real[16 * WIDTH] __attribute__((aligned(64))), imaginary[16 * WIDTH] __attribute__((aligned(64)));
    for (int64_t row = 0; row < c->m; row++) {
        V ar[16], ai[16];
        for (int v = 0; v < WIDTH; v += LANES) {
            const T *turn = (const T *)c->turn + v;
            F(read)(x, row * c->xp + v, WIDTH, r, ar, ai);
            F(even_butterfly)(ar, ai, r);
            UNROLL for (int j = 0; j < r; j++, turn += 2 * WIDTH)
            {
                F(multiply)(&ar[j], &ai[j], F(load)(turn), F(load)(turn + WIDTH));
                if (LANES < WIDTH) {
                    F(store)(real + j * WIDTH + v, ar[j]);
                    F(store)(imaginary + j * WIDTH + v, ai[j]);
                }
            }
        }
        UNROLL for (int k = 0; k < r; k += LANES)
        {
            V re[WIDTH], im[WIDTH];
            if (LANES < WIDTH) {
                F(take_columns)(real + k * WIDTH, re);
                F(take_columns)(imaginary + k * WIDTH, im);
            } else {
                UNROLL for (int j = 0; j < LANES; j++) re[j] = ar[k + j], im[j] = ai[k + j];
                F(turn_square)(re);
                F(turn_square)(im);
            }
            F(even_butterfly)(re, im, WIDTH);
            F(write)(y, row * c->yp + k, r, WIDTH, (T)c->scale, re, im);
        }
    }
}
#endif

#if VECTOR_BYTES > 16 && BYTES == 4
/* Four vectors of groups of s numbers, s being 4 or 8 */
ALWAYS void F(part)(T *to, const V *x, const int s)
{
    if (s < LANES)
        F(weave)(to, x, 4, s * (int)sizeof(T));
    else
        UNROLL for (int j = 0; j < 4; j++) F(store)(to + j * LANES, x[j]);
}

/* m rows of 16 r numbers: the passes of radices r, 4 and 4, for places of one row, in one go. */
ALWAYS void F(over_rows)(const knr_fft_groups *c, const int r)
{
    const T *first = c->by_t, *second = c->turn;
    const knr_fft_numbers *x = &c->x, *y = &c->y;
    T one[32 * 8] __attribute__((aligned(64))), two[32 * 8] __attribute__((aligned(64)));
    const knr_fft_numbers a = {.re = one, .im = one + 16 * r}, b = {.re = two, .im = two + 16 * r};
    for (int64_t row = 0; row < c->m; row++) {
        V re[8], im[8];
        for (int t = 0; t < 16; t += LANES) {
            F(read)(x, row * c->xp + t, 16, r, re, im);
            F(even_butterfly)(re, im, r);
            UNROLL for (int j = 1; j < r; j++) F(multiply)(&re[j], &im[j], F(load)(first + (2 * j - 2) * 16 + t),
                                                           F(load)(first + (2 * j - 1) * 16 + t));
            F(weave)(one + r * t, re, r, sizeof(T));
            F(weave)(one + r * (t + 16), im, r, sizeof(T));
        }
        for (int t = 0; t < 4 * r; t += LANES) {
            F(read)(&a, t, 4 * r, 4, re, im);
            F(butterfly4)(re, im, 1);
            UNROLL for (int j = 1; j < 4; j++) F(multiply)(&re[j], &im[j], F(load)(second + (2 * j - 2) * 4 * r + t),
                                                           F(load)(second + (2 * j - 1) * 4 * r + t));
            F(part)(two + 4 * t, re, r);
            F(part)(two + 4 * t + 16 * r, im, r);
        }
        for (int t = 0; t < 4 * r; t += LANES) {
            F(read)(&b, t, 4 * r, 4, re, im);
            F(butterfly4)(re, im, 1);
            F(write)(y, row * c->yp + t, 4 * r, 4, (T)c->scale, re, im);
        }
    }
}

static void F(rows_of_64)(const knr_fft_groups *c) { F(over_rows)(c, 4); }
static void F(rows_of_128)(const knr_fft_groups *c) { F(over_rows)(c, 8); }
static void F(rows_of_256)(const knr_fft_groups *c) { F(over_columns)(c, 16); }
#elif VECTOR_BYTES > 16
static void F(rows_of_64)(const knr_fft_groups *c) { F(over_columns)(c, 8); }
static void F(rows_of_128)(const knr_fft_groups *c) { F(over_columns)(c, 16); }
#endif

/* --- steps ------------------------------------------------------------------------------------ */

/* A vector of numbers from number `at` of y on, or the first ones of it */
ALWAYS void F(store_some)(const knr_fft_numbers *y, int64_t at, V re, V im, int many)
{
    T *real = y->re, *imaginary = y->im, some[2 * LANES];
    if (imaginary && many == LANES) {
        F(store)(real + at, re);
        F(store)(imaginary + at, im);
    } else if (many == LANES) {
        F(store)(real + 2 * at, ZIP_LO(re, im));
        F(store)(real + 2 * at + LANES, ZIP_HI(re, im));
    } else if (imaginary) {
        F(store)(some, re);
        F(store)(some + LANES, im);
        memcpy(real + at, some, (size_t)many * sizeof(T));
        memcpy(imaginary + at, some + LANES, (size_t)many * sizeof(T));
    } else {
        F(store)(some, ZIP_LO(re, im));
        F(store)(some + LANES, ZIP_HI(re, im));
        memcpy(real + 2 * at, some, 2 * (size_t)many * sizeof(T));
    }
}

/* planes [n][WIDTH] times w[k] by_lane[k]; lane i comes to y + i n. */
static void F(turn_over)(const void *real, const void *imaginary, int64_t n, const void *factors, const void *by_lane,
                         const knr_fft_numbers *y)
{
    const T *xr = real, *xi = imaginary, *w = factors, *table = by_lane;
    for (int64_t k = 0; k < n; k += LANES) {
        int many = n - k < LANES ? (int)(n - k) : LANES;
        for (int64_t v = 0; v < WIDTH; v += LANES) {
            V re[LANES], im[LANES];
            UNROLL for (int j = 0; j < LANES; j++)
            {
                int64_t at = j < many ? k + j : k;
                const T *by = table + at * 2 * WIDTH + v;
                V c = F(load)(by), s = F(load)(by + WIDTH);
                F(multiply)(&c, &s, F(fill)(w[2 * at]), F(fill)(w[2 * at + 1]));
                re[j] = F(load)(xr + at * WIDTH + v), im[j] = F(load)(xi + at * WIDTH + v);
                F(multiply)(&re[j], &im[j], c, s);
            }
            F(turn_square)(re);
            F(turn_square)(im);
            if (many == LANES)
                UNROLL for (int j = 0; j < LANES; j++) F(store_some)(y, (v + j) * n + k, re[j], im[j], LANES);
            else
                for (int j = 0; j < LANES; j++)
                    F(store_some)(y, (v + j) * n + k, re[j], im[j], many);
        }
    }
}
