/* SPDX-License-Identifier: Apache-2.0
 * fma.h -- a * b + c with one rounding, of one number: for the loops in C. In a build of WebAssembly with relaxed SIMD
 * it is the instruction, which the loader has found to round once (bindings/javascript/kernels.mjs). */
#ifndef KN_BASE_FMA_H
#define KN_BASE_FMA_H

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
static inline float knx_fmaf(float a, float b, float c)
{
    return wasm_f32x4_extract_lane(
        wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 0);
}
static inline double knx_fma(double a, double b, double c)
{
    return wasm_f64x2_extract_lane(
        wasm_f64x2_relaxed_madd(wasm_f64x2_splat(a), wasm_f64x2_splat(b), wasm_f64x2_splat(c)), 0);
}
#else
static inline float knx_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double knx_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif
#endif
