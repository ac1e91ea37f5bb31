/* SPDX-License-Identifier: Apache-2.0
 * fft_lanes.h -- the loops of the Fourier transforms beside the passes, for one type of number: transforms side by
 * side to and from memory, products, real transforms, powers. Included by fft_isa.c behind fft_radix.h. */

/* --- memory ----------------------------------------------------------------------------------- */

/* How lanes lie: beside each other, numbers beside each other, or neither. */
typedef enum F(layout) { F(ANY), F(PLANES), F(PAIRS), F(PLANES_TURNED), F(PAIRS_TURNED) } F(layout);

static F(layout) F(layout_of)(const knr_fft_lanes *l)
{
    int64_t between = l->off[1] - l->off[0];
    if (l->count < WIDTH)
        return F(ANY);
    if (l->second && l->step == 1)
        return F(PLANES_TURNED);
    if (l->second == 1 && l->step == 2)
        return F(PAIRS_TURNED);
    for (int i = 2; i < WIDTH; i++)
        if (l->off[i] - l->off[i - 1] != between)
            return F(ANY);
    return l->second && between == 1                    ? F(PLANES)
           : l->second == 1 && between == 2 ? F(PAIRS)
                                            : F(ANY);
}

/* Numbers from j on, of any layout */
APART void F(take_any)(const knr_fft_lanes *l, int64_t j, T *re, T *im)
{
    size_t rest = (size_t)((l->n - j) * WIDTH) * sizeof(T);
    if (l->count < WIDTH)
        memset(re + j * WIDTH, 0, rest);
    if (l->count < WIDTH || !l->second)
        memset(im + j * WIDTH, 0, rest);
    for (int i = 0; i < l->count; i++) {
        const T *at = (const T *)l->at + l->off[i] + j * l->step;
        for (int64_t k = j; k < l->n; k++, at += l->step) {
            re[k * WIDTH + i] = at[0];
            if (l->second)
                im[k * WIDTH + i] = at[l->second];
        }
    }
}

APART void F(put_any)(const knr_fft_lanes *l, int64_t j, const T *re, const T *im)
{
    for (; j < l->n; j++)
        for (int i = 0; i < l->count; i++) {
            T *at = (T *)l->at + l->off[i] + j * l->step;
            at[0] = re[j * WIDTH + i] * (T)l->scale;
            if (l->second)
                at[l->second] = im[j * WIDTH + i] * (T)l->scale;
        }
}

static void F(take)(const knr_fft_lanes *l, void *real, void *imaginary)
{
    T *re = real, *im = imaginary;
    const T *at = (const T *)l->at + l->off[0];
    F(layout) layout = F(layout_of)(l);
    int64_t j = 0;
    if (layout == F(PLANES) || layout == F(PAIRS)) {
        for (; j < l->n; j++, at += l->step) {
            if (l->far) {
                __builtin_prefetch(at + 2 * WIDTH, 0, 2);
                __builtin_prefetch(at + (layout == F(PAIRS) ? 3 * WIDTH : l->second + WIDTH), 0, 2);
            }
            UNROLL for (int i = 0; i < WIDTH; i += LANES)
            {
                bool pairs = layout == F(PAIRS);
                V a = F(load)(pairs ? at + 2 * i : at + i);
                V b = F(load)(pairs ? at + 2 * i + LANES : at + l->second + i);
                F(store)(re + j * WIDTH + i, pairs ? EVENS(a, b) : a);
                F(store)(im + j * WIDTH + i, pairs ? ODDS(a, b) : b);
            }
        }
    } else if (layout != F(ANY)) {
        bool pairs = layout == F(PAIRS_TURNED);
        for (; j + LANES <= l->n; j += LANES)
            for (int part = 0; part < 2; part++)
                for (int i = 0; i < WIDTH; i += LANES) {
                    V x[LANES];
                    UNROLL for (int k = 0; k < LANES; k++)
                    {
                        const T *from = (const T *)l->at + l->off[i + k];
                        if (pairs) {
                            V a = F(load)(from + 2 * j), b = F(load)(from + 2 * j + LANES);
                            x[k] = part ? ODDS(a, b) : EVENS(a, b);
                        } else {
                            x[k] = F(load)(from + j + (part ? l->second : 0));
                        }
                    }
                    F(turn_square)(x);
                    T *to = (part ? im : re) + j * WIDTH + i;
                    UNROLL for (int k = 0; k < LANES; k++) F(store)(to + k * WIDTH, x[k]);
                }
    }
    F(take_any)(l, j, re, im);
}

static void F(put)(const knr_fft_lanes *l, const void *real, const void *imaginary)
{
    const T *re = real, *im = imaginary;
    T *at = (T *)l->at + l->off[0];
    const V scale = F(fill)((T)l->scale);
    F(layout) layout = F(layout_of)(l);
    int64_t j = 0;
    if (layout == F(PLANES) || layout == F(PAIRS)) {
        for (; j < l->n; j++, at += l->step) {
            if (l->far) {
                __builtin_prefetch(at + 2 * WIDTH, 1, 2);
                __builtin_prefetch(at + (layout == F(PAIRS) ? 3 * WIDTH : l->second + WIDTH), 1, 2);
            }
            UNROLL for (int i = 0; i < WIDTH; i += LANES)
            {
                bool pairs = layout == F(PAIRS);
                V a = F(load)(re + j * WIDTH + i) * scale, b = F(load)(im + j * WIDTH + i) * scale;
                F(store)(pairs ? at + 2 * i : at + i, pairs ? ZIP_LO(a, b) : a);
                F(store)(pairs ? at + 2 * i + LANES : at + l->second + i, pairs ? ZIP_HI(a, b) : b);
            }
        }
    } else if (layout != F(ANY)) {
        bool pairs = layout == F(PAIRS_TURNED);
        for (; j + LANES <= l->n; j += LANES)
            for (int i = 0; i < WIDTH; i += LANES) {
                V x[LANES], y[LANES];
                UNROLL for (int k = 0; k < LANES; k++) x[k] = F(load)(re + (j + k) * WIDTH + i) * scale;
                F(turn_square)(x);
                if (pairs) /* to their places later */
                    UNROLL for (int k = 0; k < LANES; k++) y[k] = x[k];
                else
                    UNROLL for (int k = 0; k < LANES; k++) F(store)((T *)l->at + l->off[i + k] + j, x[k]);
                UNROLL for (int k = 0; k < LANES; k++) x[k] = F(load)(im + (j + k) * WIDTH + i) * scale;
                F(turn_square)(x);
                UNROLL for (int k = 0; k < LANES; k++)
                {
                    T *to = (T *)l->at + l->off[i + k];
                    if (pairs) {
                        F(store)(to + 2 * j, ZIP_LO(y[k], x[k]));
                        F(store)(to + 2 * j + LANES, ZIP_HI(y[k], x[k]));
                    } else {
                        F(store)(to + j + l->second, x[k]);
                    }
                }
            }
    }
    F(put_any)(l, j, re, im);
}

/* n numbers that do not fill a vector, from x[at]: as a vector of planes, the other lanes being 0 */
FEW void F(get_some)(const knr_fft_numbers *x, int64_t at, int n, T *to)
{
    const T *re = x->re, *im = x->im;
    memset(to, 0, 2 * LANES * sizeof(T));
    for (int i = 0; i < n; i++) {
        int64_t k = at + i;
        bool swap = x->swap && !im;
        to[i + (swap ? LANES : 0)] = im ? re[k] : re[2 * k];
        to[i + (swap ? 0 : LANES)] = im ? im[k] : re[2 * k + 1];
    }
}

FEW void F(set_some)(const knr_fft_numbers *y, int64_t at, int n, T scale, const T *from)
{
    T *re = y->re, *im = y->im;
    for (int i = 0; i < n; i++) {
        int64_t k = at + i;
        bool swap = y->swap && !im;
        T a = from[i + (swap ? LANES : 0)], b = from[i + (swap ? 0 : LANES)];
        *(im ? &re[k] : &re[2 * k]) = im ? a : a * scale;
        *(im ? &im[k] : &re[2 * k + 1]) = im ? b : b * scale;
    }
}

/* --- products --------------------------------------------------------------------------------- */

/* n < LANES numbers from k on, and as many of w from there */
FEW void F(times_some)(const knr_fft_product *p, int64_t k, int n)
{
    const knr_fft_numbers by = {.re = (void *)(uintptr_t)p->w};
    T x[2 * LANES], w[2 * LANES];
    F(get_some)(&p->x, k, n, x);
    F(get_some)(&by, k, n, w);
    V re = F(load)(x), im = F(load)(x + LANES);
    F(multiply)(&re, &im, F(load)(w), F(load)(w + LANES));
    F(store)(x, re);
    F(store)(x + LANES, im);
    F(set_some)(&p->y, k, n, (T)p->scale, x);
}

static void F(times)(const knr_fft_product *p)
{
    const T *w = p->w;
    const knr_fft_numbers x = p->x, y = p->y;
    const T scale = (T)p->scale;
    int64_t k = 0, n = p->n, from = x.apart ? x.apart : WIDTH, to = y.apart ? y.apart : WIDTH;
    V re, im;
    if (p->side == 1) {
        for (; k + LANES <= n; k += LANES) {
            V a = F(load)(w + 2 * k), b = F(load)(w + 2 * k + LANES);
            F(read)(&x, k, 0, 1, &re, &im);
            F(multiply)(&re, &im, EVENS(a, b), ODDS(a, b));
            F(write)(&y, k, 0, 1, scale, &re, &im);
        }
        if (k < n)
            F(times_some)(p, k, (int)(n - k));
        return;
    }
    for (; k < n; k++)
        for (int i = 0; i < WIDTH; i += LANES) {
            F(read)(&x, k * from + i, 0, 1, &re, &im);
            F(multiply)(&re, &im, F(fill)(w[2 * k]), F(fill)(w[2 * k + 1]));
            F(write)(&y, k * to + i, 0, 1, scale, &re, &im);
        }
}

static void F(turn)(void *real, void *imaginary, int64_t n, const void *factors)
{
    T *re = real, *im = imaginary;
    const T *w = factors;
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < WIDTH; i += LANES, re += LANES, im += LANES) {
            V x = F(load)(re), y = F(load)(im);
            F(multiply)(&x, &y, F(fill)(w[2 * k]), F(fill)(w[2 * k + 1]));
            F(store)(re, x);
            F(store)(im, y);
        }
}

static void F(powers)(const knr_fft_powers *p, void *pairs)
{
    T *to = pairs;
    int64_t e = p->first, mask = ((int64_t)1 << p->bits) - 1;
    for (int64_t k = 0; k < p->count; k++) {
        const double *a = p->high + 2 * (e >> p->bits), *b = p->low + 2 * (e & mask);
        to[2 * k] = (T)knx_fma(a[0], b[0], -(a[1] * b[1]));
        to[2 * k + 1] = (T)knx_fma(a[0], b[1], a[1] * b[0]);
        e += p->step;
        e -= e >= p->n ? p->n : 0;
    }
}

/* --- real transforms -------------------------------------------------------------------------- */

/* LANES of them: the numbers from k on, and those that end with m - k */
ALWAYS void F(join_lanes)(const knr_fft_real *r, int64_t k, V c, V s)
{
    const T *x = r->x.re, *xi = r->x.im;
    T *y = r->y.re, *yi = r->y.im;
    int64_t other = r->m - k - LANES + 1;
    V ar, ai, br, bi;
    if (xi) {
        ar = F(load)(x + k), ai = F(load)(xi + k);
        br = F(load)(x + other), bi = F(load)(xi + other);
        br = BACK(br), bi = BACK(bi);
    } else {
        V a = F(load)(x + 2 * k), b = F(load)(x + 2 * k + LANES);
        V d = F(load)(x + 2 * other), e = F(load)(x + 2 * other + LANES);
        ar = EVENS(a, b), ai = ODDS(a, b), br = BACK_EVENS(d, e), bi = BACK_ODDS(d, e);
    }
    F(join)(&ar, &ai, &br, &bi, c, s, r->inverse);
    if (yi) {
        F(store)(y + k, ar);
        F(store)(yi + k, ai);
        F(store)(y + other, BACK(br));
        F(store)(yi + other, BACK(bi));
    } else {
        F(store)(y + 2 * k, ZIP_LO(ar, ai));
        F(store)(y + 2 * k + LANES, ZIP_HI(ar, ai));
        F(store)(y + 2 * other, ZIP_BACK_LO(br, bi));
        F(store)(y + 2 * other + LANES, ZIP_BACK_HI(br, bi));
    }
}

/* The turns of number i behind the first one, and of those behind it */
ALWAYS void F(real_turns)(const knr_fft_real *r, int64_t i, V *c, V *s)
{
    const T *w = r->w, *lanes = (const T *)r->lanes + i % WIDTH;
    if (r->lanes) {
        w += i / WIDTH * 2;
        *c = F(load)(lanes), *s = F(load)(lanes + WIDTH);
        F(multiply)(c, s, F(fill)(w[0]), F(fill)(w[1]));
        return;
    }
    V a = F(load)(w + 2 * i), b = F(load)(w + 2 * i + LANES);
    *c = EVENS(a, b), *s = ODDS(a, b);
}

/* The last n < LANES ones, from k on */
FEW void F(real_some)(const knr_fft_real *r, int64_t k, int n)
{
    T low[2 * LANES], high[2 * LANES], turns[2 * LANES] = {0};
    knr_fft_real some = *r;
    V c, s;
    F(get_some)(&r->x, k, n, low);
    for (int i = n - 1; i >= 0; i--) { /* backwards */
        T one[2 * LANES];
        F(get_some)(&r->x, r->m - k - i, 1, one);
        high[LANES - 1 - i] = one[0], high[2 * LANES - 1 - i] = one[LANES];
    }
    for (int i = n; i < LANES; i++)
        high[LANES - 1 - i] = high[2 * LANES - 1 - i] = 0;
    if (!r->lanes) {
        memcpy(turns, (const T *)r->w + 2 * (k - r->from), 2 * (size_t)n * sizeof(T));
        some.w = turns;
    }
    F(real_turns)(&some, r->lanes ? k - r->from : 0, &c, &s);
    V ar = F(load)(low), ai = F(load)(low + LANES), br = F(load)(high), bi = F(load)(high + LANES);
    br = BACK(br), bi = BACK(bi);
    F(join)(&ar, &ai, &br, &bi, c, s, r->inverse);
    F(store)(low, ar);
    F(store)(low + LANES, ai);
    F(set_some)(&r->y, k, n, 1, low);
    for (int i = 0; i < n; i++) {
        T one[2 * LANES] = {br[i]};
        one[LANES] = bi[i];
        F(set_some)(&r->y, r->m - k - i, 1, 1, one);
    }
}

static void F(real)(const knr_fft_real *r)
{
    int64_t k = r->from, end = r->to;
    for (; k + LANES <= end; k += LANES) {
        V c, s;
        F(real_turns)(r, k - r->from, &c, &s);
        F(join_lanes)(r, k, c, s);
    }
    if (k == end)
        return;
    if (r->x.re == r->y.re || end - r->from < LANES || r->lanes) {
        F(real_some)(r, k, (int)(end - k));
        return;
    }
    V c, s; /* the last vector ends with the last number; some are computed twice */
    F(real_turns)(r, end - LANES - r->from, &c, &s);
    F(join_lanes)(r, end - LANES, c, s);
}

static void F(real_lanes)(const knr_fft_real *r)
{
    const T *w = r->w, *xr = r->x.re, *xi = r->x.im;
    T *yr = r->y.re, *yi = r->y.im;
    for (int64_t k = 0; k <= r->m / 2; k++)
        for (int i = 0; i < WIDTH; i += LANES) {
            int64_t a = k * WIDTH + i, b = (r->m - k) * WIDTH + i;
            V ar = F(load)(xr + a), ai = F(load)(xi + a), br, bi;
            if (k == 0 && !r->inverse) {
                br = ar - ai, ar += ai;
                ai = bi = (V){0};
            } else {
                br = F(load)(xr + b), bi = F(load)(xi + b);
                if (k)
                    F(join)(&ar, &ai, &br, &bi, F(fill)(w[2 * k]), F(fill)(w[2 * k + 1]), r->inverse);
                else
                    ai = ar - br, ar += br;
            }
            F(store)(yr + a, ar);
            F(store)(yi + a, ai);
            if (k == 0 && r->inverse)
                continue;
            F(store)(yr + b, br);
            F(store)(yi + b, bi);
        }
}

#undef STORE_SOME
#undef ZIP_HI
#undef ZIP_LO
#undef ZIP_BACK_HI
#undef ZIP_BACK_LO
#undef BACK_ODDS
#undef BACK_EVENS
#undef BACK
#undef ODDS
#undef EVENS
#undef WIDTH
#undef LANES
