/* SPDX-License-Identifier: Apache-2.0
 * numbers_convert.c -- helper functions in WGSL that convert numbers, as knx_convert does, and hide results. */
#include "wgsl/numbers_internal.h"

static const knw_helper rows[] = {
    {"kn_i64", "fn kn_i64(x: i32) -> vec2<u32> {\n"
               "    return vec2<u32>(u32(x), u32(x >> 31u));\n"
               "}\n"},
    {"kn_f16_to_f32",
     "fn kn_f16_to_f32(h: u32) -> f32 {\n"
     "    let sign = (h & 0x8000u) << 16u;\n"
     "    let rest = h & 0x7fffu;\n"
     "    let k = max(countLeadingZeros(rest), 21u) - 21u; // places that a subnormal number is to be moved\n"
     "    let small = ((rest << k) << 13u) + ((113u - k) << 23u) - 0x800000u;\n"
     "    let normal = select(small, (rest << 13u) + (112u << 23u), rest >= 0x400u);\n"
     "    let large = select(normal, (rest << 13u) | 0x7f800000u, rest >= 0x7c00u);\n"
     "    return bitcast<f32>(sign | select(large, 0u, rest == 0u));\n"
     "}\n"},
    {"kn_f32_to_f16",
     "fn kn_f32_to_f16(x: f32) -> u32 {\n"
     "    let u = bitcast<u32>(x);\n"
     "    let a = u & 0x7fffffffu;\n"
     "    let d = clamp(126u - min(a >> 23u, 126u), 13u, 31u); // bits to drop of a subnormal number's significand\n"
     "    let m = (a & 0x7fffffu) | 0x800000u;\n"
     "    let kept = m >> d;\n"
     "    let small = kept + u32(((m << (32u - d)) | (kept & 1u)) > 0x80000000u);\n"
     "    let normal = (a - (112u << 23u) + 0xfffu + ((a >> 13u) & 1u)) >> 13u;\n"
     "    let finite = select(normal, small, a < 0x38800000u);\n"
     "    let large = select(0x7c00u, 0x7e00u | ((a >> 13u) & 0x3ffu), a > 0x7f800000u);\n"
     "    return ((u >> 16u) & 0x8000u) | select(finite, large, a >= 0x47800000u);\n"
     "}\n"},
    {"kn_bf16_to_f32", "fn kn_bf16_to_f32(h: u32) -> f32 {\n"
                       "    return bitcast<f32>(h << 16u);\n"
                       "}\n"},
    {"kn_f32_to_bf16", "fn kn_f32_to_bf16(x: f32) -> u32 {\n"
                       "    let u = bitcast<u32>(x);\n"
                       "    let nan = (u & 0x7fffffffu) > 0x7f800000u;\n"
                       "    return select((u + 0x7fffu + ((u >> 16u) & 1u)) >> 16u, (u >> 16u) | 0x40u, nan);\n"
                       "}\n"},
    {"kn_u32_to_f32", "fn kn_u32_to_f32(x: u32) -> f32 {\n"
                      "    return kn_round_f32(0u, 0i, x);\n"
                      "}\n"},
    {"kn_i32_to_f32", "fn kn_i32_to_f32(x: i32) -> f32 {\n"
                      "    return kn_round_f32(u32(x) & 0x80000000u, 0i, u32(select(x, -x, x < 0i)));\n"
                      "}\n"},
    {"kn_u64_to_f32", "fn kn_u64_to_f32(x: vec2<u32>) -> f32 {\n"
                      "    return kn_magnitude_to_f32(0u, x);\n"
                      "}\n"},
    {"kn_i64_to_f32", "fn kn_i64_to_f32(x: vec2<u32>) -> f32 {\n"
                      "    return kn_magnitude_to_f32(x.y & 0x80000000u, kn_abs_i64(x));\n"
                      "}\n"},
    {"kn_magnitude_to_f32",
     "fn kn_magnitude_to_f32(sign: u32, x: vec2<u32>) -> f32 {\n"
     "    let k = countLeadingZeros(x.y); // the highest 32 bits decide, and whether there are more\n"
     "    let top = kn_shl_u64(x, vec2<u32>(k, 0u));\n"
     "    return kn_round_f32(sign, 32 - i32(k), top.y | u32(top.x != 0u));\n"
     "}\n"},
    {"kn_f32_to_i32", "fn kn_f32_to_i32(x: f32) -> i32 { // out of range, NaN: the smallest number\n"
                      "    let inside = (bitcast<u32>(x) & 0x7fffffffu) < 0x4f000000u;\n"
                      "    return select(i32(-2147483648), i32(x), inside);\n"
                      "}\n"},
    {"kn_f32_to_u32", "fn kn_f32_to_u32(x: f32) -> u32 { // the lower half of the int64\n"
                      "    return kn_f32_to_i64(x).x;\n"
                      "}\n"},
    {"kn_f32_to_i64",
     "fn kn_f32_to_i64(x: f32) -> vec2<u32> {\n"
     "    let u = bitcast<u32>(x);\n"
     "    if ((u & 0x7fffffffu) >= 0x5f000000u) {\n"
     "        return vec2<u32>(0u, 0x80000000u);\n"
     "    }\n"
     "    let e = i32((u >> 23u) & 0xffu) - 150;\n"
     "    let m = (u & 0x7fffffu) | 0x800000u;\n"
     "    let small = vec2<u32>(m >> u32(clamp(-e, 0i, 31i)), 0u);\n"
     "    let whole = select(small, kn_shl_u64(vec2<u32>(m, 0u), vec2<u32>(u32(max(e, 0i)), 0u)), e > 0i);\n"
     "    return select(whole, kn_neg_u64(whole), u >= 0x80000000u);\n"
     "}\n"},
    {"kn_f32_to_u64", "fn kn_f32_to_u64(x: f32) -> vec2<u32> { // from 2^63 on NumPy's two steps; from 2^64 on 0\n"
                      "    let u = bitcast<u32>(x);\n"
                      "    let high = vec2<u32>(0u, ((u & 0x7fffffu) | 0x800000u) << 8u);\n"
                      "    let large = select(vec2<u32>(0u), high, u < 0x5f800000u);\n"
                      "    return select(kn_f32_to_i64(x), large, u >= 0x5f000000u && u <= 0x7f800000u);\n"
                      "}\n"},
};
const knw_helper_list knw_convert_helpers = {rows, sizeof rows / sizeof *rows};
