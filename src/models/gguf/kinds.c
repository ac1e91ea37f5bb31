/* SPDX-License-Identifier: Apache-2.0
 * kinds.c -- the kinds of tensors by their numbers in files, and arrays of their elements. */
#include "models/gguf/quant.h"

#define PLAIN(size) .elements = 1, .bytes = size, .plain = true

static const kngguf_kind kinds[] = {
    [KN_GGUF_F32] = {"F32", PLAIN(4)},
    [KN_GGUF_F16] = {"F16", PLAIN(2)},
    [KN_GGUF_Q4_0] = {"Q4_0", 32, 18, false, kngguf_q4_0},
    [KN_GGUF_Q4_1] = {"Q4_1", 32, 20, false, kngguf_q4_1},
    [KN_GGUF_Q5_0] = {"Q5_0", 32, 22, false, kngguf_q5_0},
    [KN_GGUF_Q5_1] = {"Q5_1", 32, 24, false, kngguf_q5_1},
    [KN_GGUF_Q8_0] = {"Q8_0", 32, 34, false, kngguf_q8_0},
    [KN_GGUF_Q8_1] = {"Q8_1", 32, 40, false, kngguf_q8_1},
    [KN_GGUF_Q2_K] = {"Q2_K", 256, 84, false, kngguf_q2_k},
    [KN_GGUF_Q3_K] = {"Q3_K", 256, 110, false, kngguf_q3_k},
    [KN_GGUF_Q4_K] = {"Q4_K", 256, 144, false, kngguf_q4_k},
    [KN_GGUF_Q5_K] = {"Q5_K", 256, 176, false, kngguf_q5_k},
    [KN_GGUF_Q6_K] = {"Q6_K", 256, 210, false, kngguf_q6_k},
    [KN_GGUF_Q8_K] = {"Q8_K", 256, 292, false, kngguf_q8_k},
    [KN_GGUF_IQ2_XXS] = {"IQ2_XXS", 256, 66, false, NULL},
    [KN_GGUF_IQ2_XS] = {"IQ2_XS", 256, 74, false, NULL},
    [KN_GGUF_IQ3_XXS] = {"IQ3_XXS", 256, 98, false, NULL},
    [KN_GGUF_IQ1_S] = {"IQ1_S", 256, 50, false, NULL},
    [KN_GGUF_IQ4_NL] = {"IQ4_NL", 32, 18, false, kngguf_iq4_nl},
    [KN_GGUF_IQ3_S] = {"IQ3_S", 256, 110, false, NULL},
    [KN_GGUF_IQ2_S] = {"IQ2_S", 256, 82, false, NULL},
    [KN_GGUF_IQ4_XS] = {"IQ4_XS", 256, 136, false, kngguf_iq4_xs},
    [KN_GGUF_I8] = {"I8", PLAIN(1)},
    [KN_GGUF_I16] = {"I16", PLAIN(2)},
    [KN_GGUF_I32] = {"I32", PLAIN(4)},
    [KN_GGUF_I64] = {"I64", PLAIN(8)},
    [KN_GGUF_F64] = {"F64", PLAIN(8)},
    [KN_GGUF_IQ1_M] = {"IQ1_M", 256, 56, false, NULL},
    [KN_GGUF_BF16] = {"BF16", PLAIN(2)},
    [KN_GGUF_TQ1_0] = {"TQ1_0", 256, 54, false, kngguf_tq1_0},
    [KN_GGUF_TQ2_0] = {"TQ2_0", 256, 66, false, kngguf_tq2_0},
    [KN_GGUF_MXFP4] = {"MXFP4", 32, 17, false, kngguf_mxfp4},
    [KN_GGUF_NVFP4] = {"NVFP4", 64, 36, false, kngguf_nvfp4},
    [KN_GGUF_Q1_0] = {"Q1_0", 128, 18, false, NULL},
};

const kngguf_kind *kngguf_kind_of(uint64_t kind)
{
    return kind < sizeof kinds / sizeof *kinds && kinds[kind].name ? &kinds[kind] : NULL;
}

kn_dtype kngguf_dtype(uint64_t kind)
{
    switch (kind) {
    case KN_GGUF_F32: return KN_F32;
    case KN_GGUF_F16: return KN_F16;
    case KN_GGUF_BF16: return KN_BF16;
    case KN_GGUF_F64: return KN_F64;
    case KN_GGUF_I8: return KN_I8;
    case KN_GGUF_I16: return KN_I16;
    case KN_GGUF_I32: return KN_I32;
    case KN_GGUF_I64: return KN_I64;
    default: return KN_U8;
    }
}

const char *kn_gguf_kind_name(kn_gguf_kind kind)
{
    const kngguf_kind *k = kngguf_kind_of((uint64_t)kind);
    if (!k)
        knbeside_fail("gguf_kind_name", KN_ERROR_VALUE, "there is no kind %d", (int)kind);
    return k ? k->name : NULL;
}

static const char operation[] = "gguf_dequantize";

/* float16 and bfloat16 become float32; what else is plain stays as it is. */
static kn_array plain(kn_array x, kn_gguf_kind kind)
{
    kn_dtype d = kn_dtype_of(x);
    if (d != kngguf_dtype((uint64_t)kind)) {
        knbeside_fail(operation, KN_ERROR_TYPE, "%s wants elements of dtype %s, got %s", kn_gguf_kind_name(kind),
                      kn_dtype_name(kngguf_dtype((uint64_t)kind)), d ? kn_dtype_name(d) : "none");
        return knbeside_failed();
    }
    return kind == KN_GGUF_F16 || kind == KN_GGUF_BF16 ? kn_lax_convert_element_type(x, KN_F32) : x;
}

static kn_array of_blocks(kn_array x, const kngguf_kind *k)
{
    kn_shape s = kn_shape_of(x);
    if (kn_dtype_of(x) != KN_U8 || s.ndim < 1 || s.dim[s.ndim - 1] % k->bytes) {
        knbeside_fail(operation, KN_ERROR_VALUE,
                      "blocks of %s are %d bytes each along the last axis of an array of uint8", k->name, k->bytes);
        return knbeside_failed();
    }
    int64_t n = s.dim[s.ndim - 1] / k->bytes;
    bool over = __builtin_mul_overflow(n, k->elements, &s.dim[s.ndim - 1]);
    for (int i = 0; i < s.ndim - 1; i++)
        over |= __builtin_mul_overflow(n, s.dim[i], &n);
    if (over) { /* rows that are none may be as long as they like */
        knbeside_fail(operation, KN_ERROR_VALUE, "rows of so many elements are too long");
        return knbeside_failed();
    }
    kn_reshape_opts o = kn_reshape_opts_default();
    const kn_shape rows = {.ndim = 2, .dim = {n, k->bytes}};
    kn_array blocks = kn_reshape(x, &rows, &o);
    return kn_reshape(k->rule(blocks), &s, &o);
}

kn_array kn_gguf_dequantize(kn_array blocks, kn_gguf_kind kind)
{
    const kngguf_kind *k = kngguf_kind_of((uint64_t)kind);
    kn_scope scope = kn_scope_begin();
    kn_array y;
    if (!kn_ok(blocks)) {
        y = kn_lax_convert_element_type(blocks, KN_F32); /* carries its error, or says that there is none */
    } else if (!k) {
        knbeside_fail(operation, KN_ERROR_VALUE, "there is no kind %d", (int)kind);
        y = knbeside_failed();
    } else if (!k->plain && !k->rule) {
        knbeside_fail(operation, KN_ERROR_NOT_IMPLEMENTED,
                      "what blocks of %s mean is not known here; kn_gguf_blocks gives their bytes", k->name);
        y = knbeside_failed();
    } else
        y = k->plain ? plain(blocks, kind) : of_blocks(blocks, k);
    y = kn_keep(y);
    kn_scope_end(&scope);
    return y;
}
