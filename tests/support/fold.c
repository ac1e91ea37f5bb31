/* SPDX-License-Identifier: Apache-2.0
 * fold.c -- the definition of a product's element, and comparisons of elements. */
#include "support/fold.h"
#include "support/bits.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

fold fold_begin(kn_dtype operand, kn_dtype result) { return (fold){.operand = operand, .result = result}; }

static bool is_float(kn_dtype d) { return d->kind == 'f' || d->kind == 'c'; }
static bool is_wide(const fold *f) { return knx_component(f->result)->size == 8; }
static double chain(const fold *f, double a, double b, double c)
{
    return is_wide(f) ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
}
static double join(const fold *f, double a, double b) { return is_wide(f) ? a + b : (double)((float)a + (float)b); }

static double part_of(kn_dtype d, const void *x, int i)
{
    kn_dtype part = knx_component(d);
    knx_scalar_bits s = {0};
    if (!x || (i && part == d))
        return 0;
    memcpy(&s, (const char *)x + (i ? part->size : 0), part->size);
    return knx_scalar_to_double(part, s);
}

static uint64_t integer_of(kn_dtype d, const void *x)
{
    knx_scalar_bits wide = {0};
    if (x)
        knx_convert(d, x, d->kind == 'u' ? KN_DT(U64) : KN_DT(I64), &wide);
    return wide.u64;
}

void fold_step(fold *f, const void *a, const void *b)
{
    if (!is_float(f->operand)) {
        uint64_t x = integer_of(f->operand, a), y = integer_of(f->operand, b);
        f->u += x * y;
        f->any = f->any || (x && y);
        f->k++;
        return;
    }
    double x = part_of(f->operand, a, 0), y = part_of(f->operand, b, 0);
    if (f->k && f->k % BLOCK == 0) {
        f->re_total = f->k == BLOCK ? f->re : join(f, f->re_total, f->re);
        f->im_total = f->k == BLOCK ? f->im : join(f, f->im_total, f->im);
        f->re = f->im = 0;
    }
    f->k++;
    f->re = chain(f, x, y, f->re);
    f->exact[0] += (long double)x * y;
    f->size[0] += fabsl((long double)x * y);
    if (f->operand->kind != 'c')
        return;
    double xi = part_of(f->operand, a, 1), yi = part_of(f->operand, b, 1);
    f->re = chain(f, -xi, yi, f->re);
    f->im = chain(f, x, yi, f->im);
    f->im = chain(f, xi, y, f->im);
    f->exact[0] -= (long double)xi * yi;
    f->exact[1] += (long double)x * yi + (long double)xi * y;
    f->size[0] += fabsl((long double)xi * yi);
    f->size[1] += fabsl((long double)x * yi) + fabsl((long double)xi * y);
}

void fold_end(const fold *f, void *out)
{
    kn_dtype part = knx_component(f->result);
    knx_scalar_bits s = {0};
    if (f->result->kind == 'b')
        s.u8 = f->any;
    if (is_float(f->result))
        s = knx_scalar_from_double(part, f->k <= BLOCK ? f->re : join(f, f->re_total, f->re));
    if (is_float(f->result) || f->result->kind == 'b')
        memcpy(out, &s, part->size);
    else
        bits_put(out, f->u, part->size);
    if (f->result->kind == 'c') {
        s = knx_scalar_from_double(part, f->k <= BLOCK ? f->im : join(f, f->im_total, f->im));
        memcpy((char *)out + part->size, &s, part->size);
    }
}

double fold_error(const fold *f, const void *got)
{
    kn_dtype part = knx_component(f->result);
    double worst = 0, u = part->size == 8 ? 0x1p-53 : 0x1p-24, tiny = part->size == 8 ? 0x1p-1074 : 0x1p-149;
    int64_t in_block = f->k < BLOCK ? f->k : BLOCK;
    double n = (double)(in_block * (f->result->kind == 'c' ? 2 : 1) + f->k / BLOCK);
    double last = part->size > 2 ? 0 : part == KN_DT(F16) ? 0x1p-11 : 0x1p-8;
    double subnormal = part->size > 2 ? 0 : part == KN_DT(F16) ? 0x1p-24 : 0x1p-133;
    for (int i = 0; i < (f->result->kind == 'c' ? 2 : 1) && is_float(f->result); i++) {
        double value = part_of(f->result, got, i), allowed = n * u / (1 - n * u) * (double)f->size[i] + n * tiny;
        allowed += last * (fabs((double)f->exact[i]) + allowed) + subnormal;
        double error = (double)fabsl(value - f->exact[i]);
        if (isfinite(value) && (double)f->size[i] < (last > 0 ? 6e4 : 1e38) && error > 0)
            worst = fmax(worst, allowed > 0 ? error / allowed : INFINITY);
    }
    return worst;
}

static bool same(kn_dtype part, const char *x, const char *y)
{
    knx_scalar_bits a = {0}, b = {0};
    if (memcmp(x, y, part->size) == 0)
        return true;
    memcpy(&a, x, part->size);
    memcpy(&b, y, part->size);
    return is_float(part) && isnan(knx_scalar_to_double(part, a)) && isnan(knx_scalar_to_double(part, b));
}

int64_t fold_differs(kn_dtype d, const void *x, const void *y, int64_t n)
{
    kn_dtype part = knx_component(d);
    size_t parts = d->size / part->size;
    if (n == 0 || memcmp(x, y, (size_t)n * d->size) == 0)
        return -1;
    for (size_t i = 0; i < (size_t)n * parts; i++)
        if (!same(part, (const char *)x + i * part->size, (const char *)y + i * part->size))
            return (int64_t)(i / parts);
    return -1;
}

uint64_t fold_hash(kn_dtype d, const void *x, int64_t n)
{
    kn_dtype part = knx_component(d);
    const char *p = x;
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < n * (int64_t)(d->size / part->size); i++, p += part->size) {
        knx_scalar_bits s = {0};
        memcpy(&s, p, part->size);
        uint64_t bits = is_float(part) && isnan(knx_scalar_to_double(part, s)) ? 1u : bits_at(p, part->size);
        hash = (hash ^ bits ^ bits >> 32) * 1099511628211u;
    }
    return hash;
}

void fold_show(kn_dtype d, const void *x, char *text, size_t size)
{
    if (is_float(d))
        snprintf(text, size, "%a%+ai", part_of(d, x, 0), part_of(d, x, 1));
    else
        snprintf(text, size, "%lld", (long long)integer_of(d, x));
}
