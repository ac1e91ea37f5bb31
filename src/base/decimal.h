/* SPDX-License-Identifier: Apache-2.0
 * decimal.h -- decimal numbers of up to 19 digits as binary ones, by two products where those decide. */
#ifndef KN_BASE_DECIMAL_H
#define KN_BASE_DECIMAL_H
#include <stdbool.h>
#include <stdint.h>

/* w * 10^q, w not 0, as mantissa * 2^exponent with the mantissa's highest bit set; `more`: and a little more than that.
 * False where the error of the products leaves open whether there is more, or q is out of reach. */
bool knx_decimal_bits(uint64_t w, int64_t q, uint64_t *mantissa, int64_t *exponent, bool *more);
/* w * 2^e * 10^q, w not 0, to the nearest whole number, in the middle to the even one. False where that is open, or has
 * more than 64 bits, or q is out of reach. */
bool knx_decimal_round(uint64_t w, int64_t e, int64_t q, uint64_t *whole);
#endif
