/* SPDX-License-Identifier: Apache-2.0
 * linalg_divide.h -- quotients of vectors by one number, rounded once. Those of float64 without the processor's
 * division, which takes longer than eight multiply-adds: with r = 1 / d, rounded once, and q near v / d, the remainder
 * v - q d is exact by fma, and q + r (v - q d) is what division gives if q was one of the quotient's two neighbours
 * (Markstein); a first such step makes it one. That holds where nothing leaves the range of normal numbers, so
 * vectors with other numbers (zeros, infinities and NaN too) are divided. Included by linalg_loops.h for each type of
 * number. */

#if VECTOR_BYTES > 16 && BYTES == 8
enum { EXPONENT = 52, BIAS = 1023, FAR = 900, NEAR = 60 /* powers of two */ };

/* Are the first n vectors of numbers between 2^-FAR and 2^FAR? */
ALWAYS bool F(in_range)(const V *v, const int n)
{
    const U one = (U){0} + 1, low = one * ((uint64_t)(BIAS - FAR) << EXPONENT);
    const U span = one * ((uint64_t)(2 * FAR) << EXPONENT), size = (U){0} + (UINT64_MAX >> 1);
    U within = (U){0} - 1;
    UNROLL for (int i = 0; i < n; i++) within &= (U)(((U)v[i] & size) - low < span);
#if VECTOR_BYTES == 64
    return _mm512_movepi8_mask((__m512i)within) == ~(__mmask64)0;
#else
    return _mm256_movemask_epi8((__m256i)within) == -1;
#endif
}
#endif

/* 1 / d, or 0 for numbers that are not near enough to 1. */
ALWAYS T F(inverse_of)(T d)
{
#if VECTOR_BYTES > 16 && BYTES == 8
    T size = FABS(d), most = (T)(1ull << NEAR);
    return size <= most && size * most >= 1 ? 1 / d : 0;
#else
    (void)d;
    return 0;
#endif
}

/* v[i] / d for n vectors. inverse: F(inverse_of)(d) */
ALWAYS void F(quotients)(V *v, const int n, T d, T inverse)
{
    V by = F(fill)(d);
#if VECTOR_BYTES > 16 && BYTES == 8
    if (inverse != 0 && F(in_range)(v, n)) {
        V r = F(fill)(inverse);
        UNROLL for (int i = 0; i < n; i++)
        {
            V q = v[i] * r;
            q = F(fma)(F(fnma)(q, by, v[i]), r, q);
            v[i] = F(fma)(F(fnma)(q, by, v[i]), r, q);
        }
        return;
    }
#endif
    (void)inverse;
    UNROLL for (int i = 0; i < n; i++) v[i] /= by;
}
