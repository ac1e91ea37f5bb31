/* SPDX-License-Identifier: Apache-2.0
 * stored.c -- how numbers of dtypes that are only stored lie in their byte, and what they are. */
#include "base/dtype.h"
#include "base/half.h"

const knx_coding *knx_coding_of(kn_dtype d)
{
    static const knx_coding coding[] = {
#define KN_STORED(ID, NAME, SHORT, LETTER, CODE, ...) {__VA_ARGS__},
#include "base/dtypes.def"
#undef KN_STORED
    };
    return &coding[d->id - KN_ID_COUNT];
}

float knx_stored_value(kn_dtype d, uint8_t byte)
{
    const knx_coding *c = knx_coding_of(d);
    const int width = c->exponent + c->fraction, up = 23 - c->fraction;
    const uint32_t most = (1u << width) - 1, code = byte & most, infinity = most >> c->fraction << c->fraction;
    const float nan = knx_f32_from_bits(0x7fc00000), size = knx_f32_from_bits(code << up);
    if (c->code >= KNX_SIGNED)
        return (float)code - (c->code == KNX_SIGNED && code >> (width - 1) ? (float)(most + 1) : 0);
    if (c->code == KNX_SCALE)
        return code == most ? nan : code ? size : 0x1p-127f;
    if (c->code == KNX_IEEE ? code > infinity : c->code == KNX_FN ? code == most : c->code == KNX_FNUZ && byte == 0x80)
        return nan;
    float value = c->code == KNX_IEEE && code == infinity ? __builtin_inff()
                                                          : size * knx_f32_from_bits((uint32_t)(254 - c->bias) << 23);
    return byte > most ? -value : value; /* any bit above the number is a sign */
}
