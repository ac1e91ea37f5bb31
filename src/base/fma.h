/* SPDX-License-Identifier: Apache-2.0
 * fma.h -- a * b + c with one rounding, for the loops in C. In a build of WebAssembly with relaxed SIMD it is the
 * instruction, which the loader has found to round once (bindings/javascript/kernels.mjs). In other builds of
 * WebAssembly it is arithmetic that gives the same bits. */
#ifndef KN_BASE_FMA_H
#define KN_BASE_FMA_H

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
/* Of four float32, of two float64: exact whatever the engine has. */
v128_t knx_exact_fma4(v128_t a, v128_t b, v128_t c);
v128_t knx_exact_fma8(v128_t a, v128_t b, v128_t c);
#if defined(__wasm_relaxed_simd__)
#define knx_fma4 wasm_f32x4_relaxed_madd
#define knx_fma8 wasm_f64x2_relaxed_madd
#else
#define knx_fma4 knx_exact_fma4
#define knx_fma8 knx_exact_fma8
#endif
static inline float knx_fmaf(float a, float b, float c)
{
    return wasm_f32x4_extract_lane(knx_fma4(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 0);
}
static inline double knx_fma(double a, double b, double c)
{
    return wasm_f64x2_extract_lane(knx_fma8(wasm_f64x2_splat(a), wasm_f64x2_splat(b), wasm_f64x2_splat(c)), 0);
}
#else
static inline float knx_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double knx_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif
#endif
