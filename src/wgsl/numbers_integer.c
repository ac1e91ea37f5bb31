/* SPDX-License-Identifier: Apache-2.0
 * numbers_integer.c -- helper functions in WGSL for integers of up to 32 bits. Divisions by 0 and of the smallest
 * number by -1 are decided here, since drivers differ. Counts of shifts are taken modulo 32 by WGSL, so they are
 * compared with the width first. */
#include "wgsl/numbers_internal.h"

static const knw_helper rows[] = {
    {"kn_i8", "fn kn_i8(x: i32) -> i32 {\n"
              "    return (x << 24u) >> 24u;\n"
              "}\n"},
    {"kn_i16", "fn kn_i16(x: i32) -> i32 {\n"
               "    return (x << 16u) >> 16u;\n"
               "}\n"},
    {"kn_div_u32", "fn kn_div_u32(a: u32, b: u32) -> u32 {\n"
                   "    return select(a / max(b, 1u), 0xffffffffu, b == 0u);\n"
                   "}\n"},
    {"kn_rem_u32", "fn kn_rem_u32(a: u32, b: u32) -> u32 {\n"
                   "    return select(a % max(b, 1u), a, b == 0u);\n"
                   "}\n"},
    {"kn_div_i32", "fn kn_div_i32(a: i32, b: i32) -> i32 {\n"
                   "    let ordinary = b > 0i || b < -1i;\n"
                   "    return select(select(-a, -1i, b == 0i), a / select(1i, b, ordinary), ordinary);\n"
                   "}\n"},
    {"kn_rem_i32", "fn kn_rem_i32(a: i32, b: i32) -> i32 {\n"
                   "    let ordinary = b > 0i || b < -1i;\n"
                   "    return select(select(0i, a, b == 0i), a % select(1i, b, ordinary), ordinary);\n"
                   "}\n"},
    {"kn_abs_i32", "fn kn_abs_i32(a: i32) -> i32 {\n"
                   "    return select(a, -a, a < 0i);\n"
                   "}\n"},
    {"kn_shl_u32", "fn kn_shl_u32(x: u32, n: u32, width: u32) -> u32 {\n"
                   "    return select(0u, x << (n & 31u), n < width);\n"
                   "}\n"},
    {"kn_shr_u32", "fn kn_shr_u32(x: u32, n: u32, width: u32) -> u32 {\n"
                   "    return select(0u, x >> (n & 31u), n < width);\n"
                   "}\n"},
    {"kn_mul_u32_wide", "fn kn_mul_u32_wide(a: u32, b: u32) -> vec2<u32> { // all 64 bits\n"
                        "    let low = (a & 0xffffu) * (b & 0xffffu);\n"
                        "    let mid = (a >> 16u) * (b & 0xffffu) + (low >> 16u);\n"
                        "    let more = (a & 0xffffu) * (b >> 16u) + (mid & 0xffffu);\n"
                        "    let high = (a >> 16u) * (b >> 16u) + (mid >> 16u) + (more >> 16u);\n"
                        "    return vec2<u32>((more << 16u) | (low & 0xffffu), high);\n"
                        "}\n"},
    {"kn_div_u32_wide",
     "fn kn_div_u32_wide(high: u32, low: u32, d: u32) -> vec2<u32> { // quotient, remainder; high < d\n"
     "    let s = countLeadingZeros(d);\n"
     "    let v = d << s;\n"
     "    let top = (high << s) | select(0u, low >> (32u - s), s != 0u);\n"
     "    let next = low << s;\n"
     "    var q = vec2<u32>(0u);\n"
     "    var r = top;\n"
     "    for (var i = 0u; i < 2u; i++) { // two digits of 16 bits: by the divisor's first digit, then corrected\n"
     "        let digit = select(next & 0xffffu, next >> 16u, i == 0u);\n"
     "        var guess = r / (v >> 16u);\n"
     "        var rest = r - guess * (v >> 16u);\n"
     "        for (var j = 0u; j < 2u; j++) {\n"
     "            if (rest < 0x10000u && (guess > 0xffffu || guess * (v & 0xffffu) > ((rest << 16u) | digit))) {\n"
     "                guess -= 1u;\n"
     "                rest += v >> 16u;\n"
     "            }\n"
     "        }\n"
     "        r = ((r << 16u) | digit) - guess * v;\n"
     "        q[i] = guess;\n"
     "    }\n"
     "    return vec2<u32>((q.x << 16u) + q.y, r >> s);\n"
     "}\n"},
};
const knw_helper_list knw_integer_helpers = {rows, sizeof rows / sizeof *rows};
