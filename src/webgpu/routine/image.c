/* SPDX-License-Identifier: Apache-2.0
 * image.c -- images of numbers: unsigned numbers of one or two words whose order is that of the numbers, NaN last and
 * -0 equal to +0; of complex numbers that of the real parts, then of the imaginary parts. */
#include "webgpu/routine/routine.h"

int kng_image_words(kn_dtype d) { return d->size == 8 ? 2 : 1; }

static void float_image(kng_code *c, const char *name)
{
    KNG_HEAD(c,
             "fn %s_f32(a: f32) -> u32 {\n"
             "    var b = bitcast<u32>(a);\n"
             "    if ((b & 0x7fffffffu) > 0x7f800000u) { return 0xffffffffu; }\n"
             "    if (b == 0x80000000u) { b = 0u; }\n"
             "    return select(b | 0x80000000u, ~b, b >= 0x80000000u);\n"
             "}\n",
             name);
}

void kng_fn_image(kng_code *c, const char *name, kn_dtype d)
{
    bool is_float = knx_is_inexact(d);
    if (is_float)
        float_image(c, name);
    KNG_HEAD(c, "fn %s(a: %s) -> %s { return ", name, kng_type(d), kng_image_words(d) == 2 ? "vec2<u32>" : "u32");
    if (knx_is_complex(d))
        KNG_HEAD(c, "vec2<u32>(%s_f32(a.x), %s_f32(a.y))", name, name);
    else if (is_float)
        KNG_HEAD(c, "%s_f32(a)", name);
    else if (d->kind == KN_KIND_BOOL)
        KNG_HEAD(c, "select(0u, 1u, a)");
    else if (d->size == 8)
        KNG_HEAD(c, d->kind == KN_KIND_INT ? "vec2<u32>(a.y ^ 0x80000000u, a.x)" : "vec2<u32>(a.y, a.x)");
    else
        KNG_HEAD(c, d->kind == KN_KIND_INT ? "bitcast<u32>(a) ^ 0x80000000u" : "a");
    KNG_HEAD(c, "; }\n");
}
