/* SPDX-License-Identifier: Apache-2.0
 * sort_lines.h -- numbers that sorts have trouble with, and the order of docs/determinism.md, for the tests of sorting
 * and of selecting. */
#ifndef KN_TEST_SORT_LINES_H
#define KN_TEST_SORT_LINES_H
#include "base/dtype.h"
#include "support/random32.h"
#include <math.h>
#include <string.h>

/* Few different values, so that stability shows; NaN, zeros of both signs and the ends of the range among them. */
static void fill(kn_dtype d, char *p, int64_t n, uint32_t range)
{
    kn_dtype part = knx_component(d);
    n *= d->size / part->size;
    for (int64_t i = 0; i < n; i++, p += part->size) {
        knx_scalar_bits s;
        if (knx_is_inexact(d)) {
            static const double special[] = {NAN, -NAN, 0.0, -0.0, INFINITY, -INFINITY, 1e-40};
            double v = (double)(random32() % range) - range / 2;
            s = knx_scalar_from_double(part, random32() % 4 ? v : special[random32() % 7]);
        } else {
            s = knx_scalar_from_int(part, (int64_t)(random32() % range) - (part->kind == 'i' ? range / 2 : 0));
            if (random32() % 16 == 0 && part->kind != 'b')
                memset(&s, random32() % 2 ? 0xff : 0, 8),
                    s.bytes[part->size - 1] ^= (uint8_t)(random32() % 2 ? 0x80 : 0);
        }
        memcpy(p, &s, part->size);
    }
}

static int compare_parts(kn_dtype part, const char *a, const char *b)
{
    knx_scalar_bits x = {0}, y = {0}, wide[2];
    memcpy(&x, a, part->size);
    memcpy(&y, b, part->size);
    if (knx_is_float(part)) {
        double u = knx_scalar_to_double(part, x), v = knx_scalar_to_double(part, y);
        return isnan(u) || isnan(v) ? !!isnan(u) - !!isnan(v) : (u > v) - (u < v);
    }
    if (part->kind == 'i') {
        knx_convert(part, &x, KN_DT(I64), &wide[0]);
        knx_convert(part, &y, KN_DT(I64), &wide[1]);
        return (wide[0].i64 > wide[1].i64) - (wide[0].i64 < wide[1].i64);
    }
    knx_convert(part, &x, KN_DT(U64), &wide[0]);
    knx_convert(part, &y, KN_DT(U64), &wide[1]);
    return (wide[0].u64 > wide[1].u64) - (wide[0].u64 < wide[1].u64);
}
#endif
