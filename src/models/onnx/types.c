/* SPDX-License-Identifier: Apache-2.0
 * types.c -- ONNX's element types as dtypes. */
#include "models/onnx/onnx.h"

static const char *const names[KNONNX_ELEM_COUNT] = {
    [KNONNX_UNDEFINED] = "undefined",
    [KNONNX_FLOAT] = "float",
    [KNONNX_UINT8] = "uint8",
    [KNONNX_INT8] = "int8",
    [KNONNX_UINT16] = "uint16",
    [KNONNX_INT16] = "int16",
    [KNONNX_INT32] = "int32",
    [KNONNX_INT64] = "int64",
    [KNONNX_STRING] = "string",
    [KNONNX_BOOL] = "bool",
    [KNONNX_FLOAT16] = "float16",
    [KNONNX_DOUBLE] = "double",
    [KNONNX_UINT32] = "uint32",
    [KNONNX_UINT64] = "uint64",
    [KNONNX_COMPLEX64] = "complex64",
    [KNONNX_COMPLEX128] = "complex128",
    [KNONNX_BFLOAT16] = "bfloat16",
    [KNONNX_FLOAT8E4M3FN] = "float8e4m3fn",
    [KNONNX_FLOAT8E4M3FNUZ] = "float8e4m3fnuz",
    [KNONNX_FLOAT8E5M2] = "float8e5m2",
    [KNONNX_FLOAT8E5M2FNUZ] = "float8e5m2fnuz",
    [KNONNX_UINT4] = "uint4",
    [KNONNX_INT4] = "int4",
    [KNONNX_FLOAT4E2M1] = "float4e2m1",
    [KNONNX_FLOAT8E8M0] = "float8e8m0",
    [KNONNX_UINT2] = "uint2",
    [KNONNX_INT2] = "int2",
    [KNONNX_FLOAT6E2M3] = "float6e2m3",
    [KNONNX_FLOAT6E3M2] = "float6e3m2",
};

const char *knonnx_elem_name(knonnx_elem elem)
{
    return (unsigned)elem < KNONNX_ELEM_COUNT ? names[elem] : "of an unknown type";
}

kn_dtype knonnx_dtype(knonnx_elem elem)
{
    switch (elem) {
    case KNONNX_FLOAT: return KN_F32;
    case KNONNX_UINT8: return KN_U8;
    case KNONNX_INT8: return KN_I8;
    case KNONNX_UINT16: return KN_U16;
    case KNONNX_INT16: return KN_I16;
    case KNONNX_INT32: return KN_I32;
    case KNONNX_INT64: return KN_I64;
    case KNONNX_BOOL: return KN_BOOL;
    case KNONNX_FLOAT16: return KN_F16;
    case KNONNX_DOUBLE: return KN_F64;
    case KNONNX_UINT32: return KN_U32;
    case KNONNX_UINT64: return KN_U64;
    case KNONNX_COMPLEX64: return KN_C64;
    case KNONNX_COMPLEX128: return KN_C128;
    case KNONNX_BFLOAT16: return KN_BF16;
    case KNONNX_FLOAT8E4M3FN: return KN_F8_E4M3FN;
    case KNONNX_FLOAT8E4M3FNUZ: return KN_F8_E4M3FNUZ;
    case KNONNX_FLOAT8E5M2: return KN_F8_E5M2;
    case KNONNX_FLOAT8E5M2FNUZ: return KN_F8_E5M2FNUZ;
    case KNONNX_UINT4: return KN_U4;
    case KNONNX_INT4: return KN_I4;
    case KNONNX_FLOAT4E2M1: return KN_F4_E2M1FN;
    case KNONNX_FLOAT8E8M0: return KN_F8_E8M0FNU;
    case KNONNX_UINT2: return KN_U2;
    case KNONNX_INT2: return KN_I2;
    case KNONNX_FLOAT6E2M3: return KN_F6_E2M3FN;
    case KNONNX_FLOAT6E3M2: return KN_F6_E3M2FN;
    default: return NULL;
    }
}

knonnx_elem knonnx_elem_of(kn_dtype dtype)
{
    for (int elem = 1; elem < KNONNX_ELEM_COUNT; elem++)
        if (dtype && knonnx_dtype((knonnx_elem)elem) == dtype)
            return (knonnx_elem)elem;
    return KNONNX_UNDEFINED;
}
