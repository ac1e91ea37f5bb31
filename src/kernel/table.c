/* SPDX-License-Identifier: Apache-2.0
 * table.c -- the operations as a table, and the identities of reductions. */
#include "kernel/internal.h"
#include <string.h>

const knk_op_info knk_op_table[KNK_OP_COUNT] = {
#define RESULT_S                           'S'
#define RESULT_B                           'B'
#define RESULT_I                           'I'
#define RESULT_T                           'T'
#define RESULT_V                           'V'
#define KNK_OP(id, text, operands, result) [KNK_##id] = {text, operands, RESULT_##result},
#include "kernel/ops.def"
#undef KNK_OP
};

const char *const knk_reduction_name[7] = {"add", "mul", "min", "max", "and", "or", "xor"};

knx_dtype_id knk_memory_dtype(knx_dtype_id d)
{
    switch ((int)d) {
    case KN_ID_C64: return KN_ID_F32;
    case KN_ID_C128: return KN_ID_F64;
    case KN_ID_KEY: return KN_ID_U32;
    default: return d;
    }
}

/* Smallest and largest value of an integer dtype or bool, as bits in an int64. */
static uint64_t lowest(int d)
{
    int bits = 8 * knk_size(d);
    return knk_is_signed_id(d) ? (uint64_t)1 << (bits - 1) : 0;
}

static uint64_t highest(int d)
{
    int bits = 8 * knk_size(d);
    if (d == KN_ID_BOOL)
        return 1;
    uint64_t all = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    return knk_is_signed_id(d) ? all >> 1 : all;
}

uint64_t knk_reduction_identity(int how, int d)
{
    switch ((knk_reduction)how) {
    case KNK_RED_ADD:
    case KNK_RED_OR:
    case KNK_RED_XOR: return 0;
    case KNK_RED_MUL: return d == KN_ID_F32 ? 0x3f800000u : d == KN_ID_F64 ? (uint64_t)0x3ff << 52 : 1;
    case KNK_RED_MIN: return d == KN_ID_F32 ? 0x7f800000u : d == KN_ID_F64 ? (uint64_t)0x7ff << 52 : highest(d);
    case KNK_RED_MAX: return d == KN_ID_F32 ? 0xff800000u : d == KN_ID_F64 ? (uint64_t)0xfff << 52 : lowest(d);
    case KNK_RED_AND: return highest(d) | (knk_is_signed_id(d) ? lowest(d) : 0);
    }
    return 0;
}
