/* SPDX-License-Identifier: Apache-2.0
 * numbers_wide.c -- helper functions in WGSL for 64-bit integers, pairs of words of which x is the lower one. */
#include "wgsl/numbers_internal.h"

static const knw_helper rows[] = {
    {"kn_add_u64", "fn kn_add_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    let low = a.x + b.x;\n"
                   "    return vec2<u32>(low, a.y + b.y + u32(low < a.x));\n"
                   "}\n"},
    {"kn_sub_u64", "fn kn_sub_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));\n"
                   "}\n"},
    {"kn_neg_u64", "fn kn_neg_u64(a: vec2<u32>) -> vec2<u32> {\n"
                   "    return vec2<u32>(0u - a.x, ~a.y + u32(a.x == 0u));\n"
                   "}\n"},
    {"kn_abs_i64", "fn kn_abs_i64(a: vec2<u32>) -> vec2<u32> {\n"
                   "    return select(a, kn_neg_u64(a), a.y >= 0x80000000u);\n"
                   "}\n"},
    {"kn_mul_u64", "fn kn_mul_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    let low = kn_mul_u32_wide(a.x, b.x);\n"
                   "    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);\n"
                   "}\n"},
    {"kn_lt_u64", "fn kn_lt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {\n"
                  "    return a.y < b.y || (a.y == b.y && a.x < b.x);\n"
                  "}\n"},
    {"kn_lt_i64", "fn kn_lt_i64(a: vec2<u32>, b: vec2<u32>) -> bool {\n"
                  "    return i32(a.y) < i32(b.y) || (a.y == b.y && a.x < b.x);\n"
                  "}\n"},
    {"kn_shl_u64", "fn kn_shl_u64(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {\n"
                   "    let k = n.x & 31u;\n"
                   "    let carried = (x.x >> 1u) >> (31u - k);\n"
                   "    let moved = vec2<u32>(x.x << k, (x.y << k) | carried);\n"
                   "    let far = select(moved, vec2<u32>(0u, moved.x), n.x >= 32u);\n"
                   "    return select(far, vec2<u32>(0u), n.y != 0u || n.x >= 64u);\n"
                   "}\n"},
    {"kn_shr_u64", "fn kn_shr_u64(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {\n"
                   "    let k = n.x & 31u;\n"
                   "    let carried = (x.y << 1u) << (31u - k);\n"
                   "    let moved = vec2<u32>((x.x >> k) | carried, x.y >> k);\n"
                   "    let far = select(moved, vec2<u32>(moved.y, 0u), n.x >= 32u);\n"
                   "    return select(far, vec2<u32>(0u), n.y != 0u || n.x >= 64u);\n"
                   "}\n"},
    {"kn_sar_i64", "fn kn_sar_i64(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {\n"
                   "    let sign = u32(i32(x.y) >> 31u); // flipped with it, a number is not negative\n"
                   "    return kn_shr_u64(x ^ vec2<u32>(sign), n) ^ vec2<u32>(sign);\n"
                   "}\n"},
    {"kn_divrem_u64",
     "fn kn_divrem_u64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> { // quotient, remainder; b is not 0\n"
     "    if (b.y == 0u) {\n"
     "        let high = a.y / b.x;\n"
     "        let low = kn_div_u32_wide(a.y - high * b.x, a.x, b.x);\n"
     "        return vec4<u32>(low.x, high, low.y, 0u);\n"
     "    }\n"
     "    let s = vec2<u32>(countLeadingZeros(b.y), 0u); // the quotient by b's first 32 bits, one too large at most\n"
     "    let half = kn_shr_u64(a, vec2<u32>(1u, 0u));\n"
     "    let guess = vec2<u32>(kn_div_u32_wide(half.y, half.x, kn_shl_u64(b, s).y).x, 0u);\n"
     "    var q = kn_shr_u64(kn_shl_u64(guess, s), vec2<u32>(31u, 0u)).x;\n"
     "    q = max(q, 1u) - 1u;\n"
     "    var r = kn_sub_u64(a, kn_mul_u64(vec2<u32>(q, 0u), b));\n"
     "    if (!kn_lt_u64(r, b)) {\n"
     "        q += 1u;\n"
     "        r = kn_sub_u64(r, b);\n"
     "    }\n"
     "    return vec4<u32>(q, 0u, r);\n"
     "}\n"},
    {"kn_div_u64", "fn kn_div_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    if ((b.x | b.y) == 0u) {\n"
                   "        return vec2<u32>(0xffffffffu);\n"
                   "    }\n"
                   "    return kn_divrem_u64(a, b).xy;\n"
                   "}\n"},
    {"kn_rem_u64", "fn kn_rem_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    if ((b.x | b.y) == 0u) {\n"
                   "        return a;\n"
                   "    }\n"
                   "    return kn_divrem_u64(a, b).zw;\n"
                   "}\n"},
    {"kn_div_i64", "fn kn_div_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    if ((b.x | b.y) == 0u) {\n"
                   "        return vec2<u32>(0xffffffffu);\n"
                   "    }\n"
                   "    let q = kn_divrem_u64(kn_abs_i64(a), kn_abs_i64(b)).xy;\n"
                   "    return select(q, kn_neg_u64(q), ((a.y ^ b.y) >> 31u) == 1u);\n"
                   "}\n"},
    {"kn_rem_i64", "fn kn_rem_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {\n"
                   "    if ((b.x | b.y) == 0u) {\n"
                   "        return a;\n"
                   "    }\n"
                   "    let r = kn_divrem_u64(kn_abs_i64(a), kn_abs_i64(b)).zw;\n"
                   "    return select(r, kn_neg_u64(r), a.y >= 0x80000000u);\n"
                   "}\n"},
};
const knw_helper_list knw_wide_helpers = {rows, sizeof rows / sizeof *rows};
