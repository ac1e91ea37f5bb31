/* SPDX-License-Identifier: Apache-2.0
 * elements.c -- values for the tests of generated code, and guarded memory. */
#include "support/elements.h"
#include "kernel/internal.h"
#include "support/bits.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { PAGE = 4096 };

uint64_t element_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t special_float(int dtype, uint64_t r)
{
    static const double at[] = {0.0,
                                1.0,
                                0.5,
                                1.5,
                                2.5,
                                3.0,
                                127.0,
                                128.0,
                                255.0,
                                256.0,
                                32767.0,
                                32768.0,
                                65535.0,
                                65536.0,
                                65504.0,
                                65519.99,
                                65520.0,
                                2147483647.0,
                                2147483648.0,
                                4294967295.0,
                                4294967296.0,
                                6442450944.0,
                                8388607.5,
                                16777217.0,
                                0x1p52,
                                0x1p53,
                                0x1p62,
                                0x1p63,
                                0x1.8p63,
                                0x1p64,
                                0x1.8p64,
                                0x1p84,
                                0x1.23456789abcdep70,
                                0x1p-14,
                                0x1p-24,
                                0x1p-25,
                                0x1p-126,
                                0x1p-133,
                                0x1p-134,
                                0x1p-149,
                                0x1p-150,
                                0x1p-1022,
                                0x1p-1074,
                                0x1.fffffffffffffp1023,
                                0x1.fffffep127,
                                0x1.fep127,
                                0x1.ffp127,
                                INFINITY,
                                NAN};
    double d = at[r % (sizeof at / sizeof *at)];
    r >>= 8;
    if (r & 1)
        d = -d;
    r >>= 1;
    if (dtype == KN_ID_F64) {
        uint64_t u;
        memcpy(&u, &d, sizeof u);
        return r % 4 ? u + (r >> 4) % 5 - 2 : u ^ (uint64_t)1 << (r >> 4) % 52;
    }
    float f = (float)d;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return r % 4 ? u + (uint32_t)((r >> 4) % 5) - 2 : u ^ 1u << (r >> 4) % 23;
}

/* Numbers of moderate size, with a fraction or without. */
static uint64_t moderate_float(int dtype, uint64_t r)
{
    double d = (double)(int64_t)r * ldexp(1, -(int)(r % 70));
    if (r & 256)
        d = rint(d);
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    if (dtype == KN_ID_F64)
        return u;
    float f = (float)d;
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return w;
}

/* A number in the middle of two with few bits, or next to that: what rounding twice gets wrong. */
static uint64_t tie(uint64_t r)
{
    static const int bits[] = {8, 11, 24, 53};
    const int kept = bits[r % 4] + 1;
    uint64_t v = (r >> 8 | (uint64_t)1 << 55) >> (56 - kept) | 1;
    v <<= (r >> 2) % (uint64_t)(65 - kept);
    return v + (r >> 4) % 3 - 1;
}

static uint64_t tie_float(int dtype, uint64_t r)
{
    static const int bits[] = {7, 10, 23}; /* of the fraction */
    const int size = dtype == KN_ID_F64 ? 52 : 23, kept = bits[r % (size == 52 ? 3 : 2)];
    const int least = (r >> 2) % 2 ? -152 : -30, most = (r >> 2) % 2 ? 129 : 20;
    const int exponent = least + (int)((r >> 3) % (uint64_t)(most - least));
    int extra = exponent < -126 ? -126 - exponent : 0; /* bits that a subnormal float32 or bfloat16 lacks */
    extra = extra < kept && (r >> 30) % 2 ? kept - extra : kept;
    uint64_t fraction = ((r >> 32) << 32 >> (64 - extra) << 1 | 1) << (size - extra - 1);
    fraction = extra ? fraction & (((uint64_t)1 << size) - 1) : 0;
    const uint64_t bias = size == 52 ? 1023 : 127;
    const int64_t e = (int64_t)bias + exponent;
    const uint64_t u =
        (size == 52 || e > 0 ? (uint64_t)e : 0) << size | fraction | (r >> 31 & 1) << (size == 52 ? 63 : 31);
    return u + (r >> 40) % 3 - 1;
}

static uint64_t special_integer(uint64_t r)
{
    uint64_t power = (uint64_t)1 << (r >> 8) % 64;
    switch (r % 8) {
    case 0: return power - 1;
    case 1: return power;
    case 2: return power + 1;
    case 3: return -power;
    case 4: return (r >> 16) % 80;
    case 5: return tie(r >> 3);
    case 6: return -tie(r >> 3);
    default: return -((r >> 16) % 80);
    }
}

void element_values(int dtype, void *to, int n, uint64_t *seed)
{
    const int size = knk_size(dtype);
    for (int i = 0; i < n; i++) {
        uint64_t r = element_random(seed), v = element_random(seed), kind = r % 4, is_tie = r >> 62;
        r >>= 2;
        if (dtype == KN_ID_BOOL)
            v &= 1;
        else if (knk_is_float_id(dtype) && kind)
            v = kind == 1 ? moderate_float(dtype, v) : is_tie ? tie_float(dtype, v) : special_float(dtype, r);
        else if (knk_is_int_id(dtype) && kind > 1)
            v = special_integer(r);
        else if (knk_is_int_id(dtype) && size == 8 && kind == 1)
            v = (uint64_t)((int64_t)v >> r % 64);
        bits_put((char *)to + i * size, v, (size_t)size);
    }
}

static bool is_nan(int dtype, const char *at)
{
    uint64_t u = bits_at(at, (size_t)knk_size(dtype));
    switch (dtype) {
    case KN_ID_F16: return (u & 0x7fff) > 0x7c00;
    case KN_ID_BF16: return (u & 0x7fff) > 0x7f80;
    case KN_ID_F32: return (u & 0x7fffffff) > 0x7f800000;
    case KN_ID_F64: return (u & INT64_MAX) > 0x7ff0000000000000;
    default: return false;
    }
}

int element_differs(int dtype, const void *got, const void *want, int n)
{
    const int size = knk_size(dtype);
    for (int i = 0; i < n; i++) {
        const char *g = (const char *)got + i * size, *w = (const char *)want + i * size;
        if (memcmp(g, w, (size_t)size) && !(is_nan(dtype, g) && is_nan(dtype, w)))
            return i;
    }
    return -1;
}

void *element_edge(int bytes, bool at_end)
{
    static char *memory[2];
    char **m = &memory[at_end];
    if (!*m) {
        *m = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(*m != MAP_FAILED);
        assert_int_equal(mprotect(*m + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    }
    return at_end ? *m + 2 * PAGE - bytes : *m + PAGE;
}
