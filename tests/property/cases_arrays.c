/* SPDX-License-Identifier: Apache-2.0
 * cases_arrays.c -- samples of the primitives on whole arrays: views, assembling, reductions, products, sorting. */
#include "cases.h"

#define SHAPE(to, name, list, from, ...)                                                                                                 \
    {.prim = &kn_prim_##to, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_##to){__VA_ARGS__}, .whole = ref_##to,     \
     .flags = SPECIAL},
#define DIMS(to, name, list, from, ...)                                                                                                  \
    {.prim = &kn_prim_##to, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_dims){__VA_ARGS__}, .whole = ref_##to,     \
     .flags = SPECIAL},
#define SOME "bool i8 u32 i64 f16 bf16 f32 f64 c64 c128"
#define FEW "f64 i32"
#define ALL EVERYTHING " key<fry>"

#define IOTA(ID, name)                                                                                                                   \
    {.prim = &kn_prim_iota, .label = name "_5", .operands = "", .params = &(kn_p_iota){0, KN_DT(ID), INTS(5)}, .whole = ref_iota},       \
    {.prim = &kn_prim_iota, .label = name "_2x3x4", .operands = "", .params = &(kn_p_iota){1, KN_DT(ID), INTS(2, 3, 4)},                 \
     .whole = ref_iota},                                                                                                                 \
    {.prim = &kn_prim_iota, .label = name "_0", .operands = "", .params = &(kn_p_iota){0, KN_DT(ID), INTS(0)}, .whole = ref_iota},

/* A reduction over these axes. `how`: flags; `list` and `from`: dtypes and operands. */
#define REDUCE(op, name, list, from, how, ...)                                                                                           \
    {.prim = &kn_prim_reduce_##op, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_reduce){__VA_ARGS__},               \
     .whole = ref_reduce_##op, .flags = how, .ulp = 8},
#define REDUCTIONS(op, list, few, how)                                                                                                   \
    REDUCE(op, "axes0", list, "T[7]; T[1]; T[3,4]; T[100]; T[64,3]", how, INTS(0))                                                       \
    REDUCE(op, "axes1", few, "T[3,4]; T[2,3,4]; T[0,3]", how, INTS(1))                                                                   \
    REDUCE(op, "axes02", few, "T[2,3,4]; T[3,0,2]", how, INTS(0, 2))                                                                     \
    REDUCE(op, "none", few, "T[]; T[3,4]", how, NONE)                                                                                    \
    REDUCE(op, "large", few, "T[20000]; T[3,4000]", how, {1, (int64_t[]){0}})                                                            \
    REDUCE(op, "rows", few, "T[300,70]", how, INTS(1))                                                                                   \
    REDUCE(op, "huge", few, "T[100003]", (how) | LONG, INTS(0))
#define EMPTY_REDUCTION(op, few) REDUCE(op, "empty", few, "T[0]; T[0,3]", 0, INTS(0))

#define ARG(op, name, list, from, how, axis, index)                                                                                      \
    {.prim = &kn_prim_##op, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_argreduce){INTS(axis), KN_DT(index)},      \
     .whole = ref_##op, .flags = how},
#define ARGS(op)                                                                                                                         \
    ARG(op, "axis0", EVERYTHING, "T[7]; T[1]; T[3,4]; T[40]", SPECIAL, 0, I32)                                                              \
    ARG(op, "axis1", FEW " f32 u8", "T[3,4]; T[2,3,4]; T[0,3]", 0, 1, I64)                                                               \
    ARG(op, "axis2", FEW, "T[2,3,4]", 0, 2, U32) ARG(op, "large", "f32", "T[5000]; T[3000,4]", 0, 0, I64)

#define DOT(name, list, from, a, b, c, d)                                                                                                \
    {.prim = &kn_prim_dot_general, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_dot_general){a, b, c, d, NULL},     \
     .whole = ref_dot_general, .ulp = 8},
#define PREFER(to, name, list)                                                                                                           \
    {.prim = &kn_prim_dot_general, .label = "to_" name, .dtypes = list, .operands = "T[3,5] T[5,4]", .whole = ref_dot_general, .ulp = 8,   \
     .params = &(kn_p_dot_general){INTS(1), INTS(0), NONE, NONE, KN_DT(to)}, .flags = NO_SLOPE},

#define SORT(name, list, from, how, dimension, keys)                                                                                     \
    {.prim = &kn_prim_sort, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_sort){dimension, keys, true},              \
     .whole = ref_sort, .flags = how},

/* jit: a body of a product and its sum, called once, and from inside of another call. */
static kni_jaxpr *product_body(kn_builder *outer, kn_type x, kn_type y, bool nested);
static int build_call(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    kni_jaxpr *body = product_body(b, knb_type(b, x[0]), knb_type(b, x[1]), false);
    if (body)
        knb_jit(b, "f", body, x, y);
    kni_release(body);
    return body ? 2 : 0;
}

static int build_nested_call(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    kni_jaxpr *body = product_body(b, knb_type(b, x[0]), knb_type(b, x[1]), true);
    if (body)
        knb_jit(b, "g", body, x, y);
    kni_release(body);
    return body ? 2 : 0;
}

static kni_jaxpr *product_body(kn_builder *outer, kn_type x, kn_type y, bool nested)
{
    kn_builder b;
    kn_atom in[2], out[2];
    int64_t axes[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    kni_jaxpr *j = NULL;
    knb_init(&b);
    in[0] = knb_invar(&b, x);
    in[1] = knb_invar(&b, y);
    if (nested) {
        build_call(&b, in, out);
    } else {
        out[1] = knb_mul(&b, in[0], in[1]);
        out[0] = knb_reduce_sum(&b, out[1], x.ndim, axes);
    }
    kn_error *e = knb_finish(&b, 2, out, "body", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(&b);
    return j;
}

const sample samples_arrays[] = {
    SHAPE(broadcast_in_dim, "scalar", ALL, "T[]", INTS(3, 4), NONE) SHAPE(broadcast_in_dim, "rows", SOME, "T[4]", INTS(3, 4), INTS(1))
    SHAPE(broadcast_in_dim, "columns", FEW " c64", "T[3]", INTS(3, 4), INTS(0))
    SHAPE(broadcast_in_dim, "ones", FEW, "T[3,1]", INTS(2, 3, 4), INTS(1, 2)) SHAPE(broadcast_in_dim, "empty", FEW, "T[3]", INTS(0, 3), INTS(1))
    SHAPE(broadcast_in_dim, "no_axes", FEW, "T[]", NONE, NONE) SHAPE(broadcast_in_dim, "large", "f32", "T[300]", INTS(20, 300), INTS(1))
    SHAPE(broadcast_in_dim, "one", FEW, "T[1]", INTS(5), INTS(0))
    SHAPE(reshape, "12", ALL, "T[3,4]; T[2,3,2]; T[12]", INTS(12)) SHAPE(reshape, "2x3x2", SOME, "T[3,4]; T[12]", INTS(2, 3, 2))
    SHAPE(reshape, "scalar", FEW, "T[1]; T[1,1]; T[]", NONE) SHAPE(reshape, "empty", FEW, "T[0,3]; T[0]", INTS(2, 0))
    SHAPE(reshape, "large", "f32", "T[100,60]", INTS(60, 100)) SHAPE(reshape, "ones", FEW, "T[3,4]", INTS(1, 3, 1, 4, 1))
    DIMS(squeeze, "0", ALL, "T[1,3]; T[1]; T[1,0]", INTS(0)) DIMS(squeeze, "02", FEW, "T[1,3,1,2]", INTS(0, 2)) DIMS(squeeze, "none", FEW, "T[3]; T[]", NONE)
    SHAPE(transpose, "10", ALL, "T[3,4]; T[0,2]; T[1,1]", INTS(1, 0)) SHAPE(transpose, "201", SOME, "T[2,3,4]", INTS(2, 0, 1))
    SHAPE(transpose, "021", FEW, "T[2,3,4]", INTS(0, 2, 1)) SHAPE(transpose, "scalar", FEW, "T[]", NONE)
    SHAPE(transpose, "large", "f32", "T[70,90]", INTS(1, 0))
    DIMS(rev, "0", ALL, "T[5]; T[3,4]; T[0]; T[1]", INTS(0)) DIMS(rev, "02", FEW " c64", "T[2,3,4]", INTS(0, 2)) DIMS(rev, "none", FEW, "T[]; T[3]", NONE)
    DIMS(rev, "large", "f32", "T[5000]", INTS(0))
    SHAPE(slice, "1_4", ALL, "T[5]", INTS(4), INTS(1), NONE) SHAPE(slice, "strided", SOME, "T[5,7]", INTS(5, 6), INTS(1, 0), INTS(2, 3))
    SHAPE(slice, "all", FEW, "T[2,3]", INTS(2, 3), INTS(0, 0), NONE) SHAPE(slice, "empty", FEW, "T[4]; T[3]", INTS(2), INTS(2), NONE)
    SHAPE(slice, "scalar", FEW, "T[]", NONE, NONE, NONE) SHAPE(slice, "last", FEW, "T[6]", INTS(6), INTS(2), INTS(3))
    SHAPE(slice, "large", "f32", "T[9000]", INTS(8999), INTS(3), INTS(2))

    SHAPE(concatenate, "0", ALL, "T[3] T[2]; T[2,3] T[1,3] T[2,3]; T[0] T[3]; T[4]; T[0] T[0]", 0)
    SHAPE(concatenate, "1", SOME, "T[2,3] T[2,1]; T[2,2,2] T[2,0,2] T[2,1,2] T[2,1,2]", 1) SHAPE(concatenate, "large", "f32", "T[3000] T[4000]", 0)
    SHAPE(pad, "both", ALL, "T[3] T[]; T[0] T[]", INTS(1), INTS(2), INTS(0)) SHAPE(pad, "number", EVERYTHING, "T[1] T=2", INTS(1), INTS(2), INTS(0)) SHAPE(pad, "interior", SOME, "T[4] T[]; T[1] T[]", INTS(1), INTS(0), INTS(2))
    SHAPE(pad, "negative", SOME, "T[5,4] T[]", INTS(-1, 2), INTS(1, -2), INTS(0, 0))
    SHAPE(pad, "negative_interior", FEW " c128", "T[5,4] T[]", INTS(-2, 1), INTS(-3, -1), INTS(1, 2)) SHAPE(pad, "scalar", FEW, "T[] T[]", NONE, NONE, NONE)
    SHAPE(pad, "cut_away", FEW, "T[3] T[]", INTS(-2), INTS(-1), INTS(0)) SHAPE(pad, "far", FEW, "T[3] T[]", INTS(-4), INTS(6), INTS(0))
    SHAPE(pad, "large", "f32", "T[70,80] T[]", INTS(2, 3), INTS(4, 5), INTS(0, 1))
    IOTA(I8, "i8") IOTA(I16, "i16") IOTA(I32, "i32") IOTA(I64, "i64") IOTA(U8, "u8") IOTA(U16, "u16") IOTA(U32, "u32") IOTA(U64, "u64")
    IOTA(F16, "f16") IOTA(BF16, "bf16") IOTA(F32, "f32") IOTA(F64, "f64") IOTA(C64, "c64") IOTA(C128, "c128")
    {.prim = &kn_prim_iota, .label = "large", .operands = "", .params = &(kn_p_iota){0, KN_DT(F32), INTS(5000, 2)}, .whole = ref_iota},

    REDUCTIONS(sum, NUMBERS, "f64 f32 i32 c64 bf16", 0) EMPTY_REDUCTION(sum, "f64 f16 i32 c64")
    REDUCE(sum, "special", FLOATS, "T[4,3]; T[60]; T[5]", SPECIAL | NO_SLOPE, INTS(0)) 
    REDUCTIONS(max, ORDERED, "f64 i32 bf16", DISTINCT_SLOPE) REDUCE(max, "special", ORDERED, "T[40]; T[3,50]", SPECIAL | EXTREME | ANY_ZERO | NO_SLOPE, INTS(0))
    REDUCTIONS(min, ORDERED, "f64 i32 bf16", DISTINCT_SLOPE) REDUCE(min, "special", ORDERED, "T[40]; T[3,50]", SPECIAL | EXTREME | ANY_ZERO | NO_SLOPE, INTS(0))
    REDUCTIONS(and, "bool " INTEGERS, "bool i32", SPECIAL) EMPTY_REDUCTION(and, "bool i8 u64")
    REDUCTIONS(or, "bool " INTEGERS, "bool i32", SPECIAL) EMPTY_REDUCTION(or, "bool i8 u64")
    ARGS(argmax) ARGS(argmin)

    DOT("matrices", EVERYTHING, "T[3,4] T[4,5]; T[1,1] T[1,1]; T[3,0] T[0,5]; T[0,4] T[4,2]", INTS(1), INTS(0), NONE, NONE)
    DOT("inner", "f64 f32 f16 c64 i8 bool", "T[7] T[7]; T[0] T[0]; T[1000] T[1000]", INTS(0), INTS(0), NONE, NONE)
    DOT("outer", "f64 i32", "T[3] T[4]; T[] T[]; T[2] T[]", NONE, NONE, NONE, NONE)
    DOT("vector", "f64 bf16 c128", "T[3,4] T[3]", INTS(0), INTS(0), NONE, NONE) DOT("rows", "f32 f64 i64", "T[5,6] T[4,6]", INTS(1), INTS(1), NONE, NONE)
    DOT("batch", "f64 f32 c64 i32 bf16 bool", "T[2,3,4] T[2,4,5]; T[2,0,4] T[2,4,1]", INTS(2), INTS(1), INTS(0), INTS(0))
    DOT("batch_inside", "f64 f32", "T[3,2,4] T[4,5,2]", INTS(2), INTS(0), INTS(1), INTS(2))
    DOT("two_batches", "f64 c128", "T[2,3,4] T[3,5,2]", NONE, NONE, INTS(0, 1), INTS(2, 0))
    DOT("two_contracted", "f64 f32 i16", "T[2,3,4] T[4,5,2]", INTS(0, 2), INTS(2, 0), NONE, NONE)
    DOT("diagonal", "f64 i32", "T[5] T[5]", NONE, NONE, INTS(0), INTS(0))
    DOT("large", "f32 i32", "T[40,300] T[300,30]; T[64,64] T[64,64]", INTS(1), INTS(0), NONE, NONE)
    PREFER(F32, "f32", "bf16 f16") PREFER(F64, "f64", "f32") PREFER(I32, "i32", "i8 i16") PREFER(I64, "i64", "i32") PREFER(U32, "u32", "u8 u16") PREFER(U64, "u64", "u32")
    PREFER(C128, "c128", "c64") PREFER(F32, "f32_same", "f32")

    SORT("0", ORDERED " " COMPLEX, "T[7]; T[0]; T[1]; T[3,4]", DISTINCT_SLOPE, 0, 1) SORT("special", FLOATS " " INTEGERS, "T[40]; T[20,3]", SPECIAL | EXTREME | NO_SLOPE, 0, 1)
    SORT("1", "f64 f32 i32 bool", "T[3,4]; T[2,3,4]; T[3,0]", DISTINCT_SLOPE, 1, 1)
    SORT("payload", "f64 i32 f16 c64 bool", "T[8] i32[8]; T[8] f64[8] bool[8]; T[2,5] f32[2,5]", DISTINCT_SLOPE, 0, 1)
    SORT("two_keys", "i32 f32 u8 f64", "i8[30]{0,2} T[30]{0,5} i32[30]; bool[30] T[30] f64[30]", DISTINCT_SLOPE, 0, 2)
    SORT("ties", "i32 f32", "T[50]{0,3} i32[50]", 0, 0, 1) SORT("large", "f32 i64", "T[2000]; T[2000] i32[2000]", DISTINCT_SLOPE, 0, 1)
    {.prim = &kn_prim_sort, .label = "any_order", .dtypes = "f32", .operands = "T[20]", .params = &(kn_p_sort){0, 1, false}, .whole = ref_sort, .flags = DISTINCT},

    {.prim = &kn_prim_jit, .label = "call", .dtypes = NUMBERS, .operands = "T[3] T[3]; T[2,3] T[2,3]; T[] T[]; T[0] T[0]", .build = build_call,
     .whole = ref_jit_sum_of_product, .ulp = 8},
    {.prim = &kn_prim_jit, .label = "nested", .dtypes = "f64 f32 c128 i32", .operands = "T[3] T[3]; T[2,3] T[2,3]; T[6000] T[6000]",
     .build = build_nested_call, .whole = ref_jit_sum_of_product, .ulp = 8},
    {.prim = NULL},
};
