/* SPDX-License-Identifier: Apache-2.0
 * verify.c -- which kernels are legal: a table of operand types per operation, and the rules of stages, maps and
 * buffers. */
#include "kernel/internal.h"

enum {
    BOOLS = 1u << KN_ID_BOOL,
    INTS = 1u << KN_ID_I8 | 1u << KN_ID_I16 | 1u << KN_ID_I32 | 1u << KN_ID_I64 | 1u << KN_ID_U8 | 1u << KN_ID_U16 |
           1u << KN_ID_U32 | 1u << KN_ID_U64,
    FLOATS = 1u << KN_ID_F32 | 1u << KN_ID_F64,
    HALVES = 1u << KN_ID_F16 | 1u << KN_ID_BF16,
    NUMBERS = INTS | FLOATS,
    ALL = BOOLS | NUMBERS,
    MEMORY = ALL | HALVES
};

/* The dtypes of the (first value) operand; for CONST, LOAD and INDEX of the result. The operands of one node share a
 * dtype, but for select's predicate and load's index and predicate. */
static const uint32_t legal[KNK_OP_COUNT] = {
    [KNK_CONST] = MEMORY,     [KNK_INDEX] = 1u << KN_ID_I64,
    [KNK_LOAD] = MEMORY,      [KNK_STORE] = MEMORY,
    [KNK_REDUCE] = ALL,       [KNK_ADD] = ALL,
    [KNK_SUB] = NUMBERS,      [KNK_MUL] = ALL,
    [KNK_DIV] = NUMBERS,      [KNK_REM] = NUMBERS,
    [KNK_FMA] = FLOATS,       [KNK_NEG] = NUMBERS,
    [KNK_ABS] = NUMBERS,      [KNK_MIN] = ALL,
    [KNK_MAX] = ALL,          [KNK_SQRT] = FLOATS,
    [KNK_RINT] = FLOATS,      [KNK_FLOOR] = FLOATS,
    [KNK_TRUNC] = FLOATS,     [KNK_SCALB] = FLOATS,
    [KNK_AND] = BOOLS | INTS, [KNK_OR] = BOOLS | INTS,
    [KNK_XOR] = BOOLS | INTS, [KNK_NOT] = BOOLS | INTS,
    [KNK_SHL] = INTS,         [KNK_SHR] = INTS,
    [KNK_SAR] = INTS,         [KNK_EQ] = ALL,
    [KNK_NE] = ALL,           [KNK_LT] = ALL,
    [KNK_LE] = ALL,           [KNK_SELECT] = ALL,
    [KNK_CAST] = MEMORY,      [KNK_BITCAST] = MEMORY,
    [KNK_CARRY] = ALL,        [KNK_WHILE] = BOOLS,
    [KNK_NEXT] = ALL,         [KNK_LAST] = ALL,
};

static bool has(uint32_t set, int dtype) { return dtype < KN_ID_COUNT && (set >> dtype & 1); }

static const char *load_error(const knk_inst *n, const knk_inst *node)
{
    if (n->a >= 0 && node[n->a].dtype != KN_ID_I64)
        return "the index of a load must be int64";
    if (n->b >= 0 && node[n->b].dtype != KN_ID_BOOL)
        return "the predicate of a load must be bool";
    if (n->c >= 0 && node[n->c].dtype != n->dtype)
        return "the other value of a load must have the dtype of the load";
    if (n->c >= 0 && n->b < 0)
        return "a load with an other value needs a predicate";
    return has(legal[KNK_LOAD], n->dtype) ? NULL : "not a dtype that can be loaded";
}

static const char *reduce_error(const knk_inst *n)
{
    if (n->sub > KNK_RED_XOR)
        return "no such reduction";
    return n->sub >= KNK_RED_AND && knk_is_float_id(n->dtype) ? "a bitwise reduction of floats" : NULL;
}

static const char *result_error(const knk_inst *n, int operand_dtype)
{
    switch (knk_op_table[n->op].result) {
    case 'S': return n->dtype == operand_dtype ? NULL : "the result must have the dtype of the operands";
    case 'B': return n->dtype == KN_ID_BOOL ? NULL : "the result must be bool";
    case 'I': return n->dtype == KN_ID_I64 ? NULL : "the result must be int64";
    default: return has(MEMORY, n->dtype) ? NULL : "not a dtype of the kernel IR";
    }
}

const char *knk_form_error(const knk_inst *n, const knk_inst *node)
{
    if (n->op >= KNK_OP_COUNT)
        return "no such operation";
    if (n->op == KNK_CONST && n->dtype == KN_ID_BOOL && n->imm > 1)
        return "a bool is 0 or 1";
    if (n->op == KNK_CONST)
        return !has(legal[KNK_CONST], n->dtype)                               ? "not a dtype of the kernel IR"
               : knk_size(n->dtype) < 8 && n->imm >> (8 * knk_size(n->dtype)) ? "the constant has too many bits"
                                                                              : NULL;
    if (n->op == KNK_INDEX)
        return result_error(n, KN_ID_I64);
    if (n->op == KNK_LOAD)
        return load_error(n, node);
    int count = knk_op_table[n->op].n_operands, first = n->op == KNK_SELECT;
    if (!count)
        return n->dtype == KN_ID_BOOL ? NULL : "it has no value and no dtype";
    for (int i = 0; i < count; i++)
        if (knk_operand(n, i) < 0)
            return "an operand is missing";
    int d = node[first ? n->b : n->a].dtype;
    if (!has(legal[n->op], d))
        return "the operation is not defined for this dtype";
    for (int i = first; i < count; i++)
        if (node[knk_operand(n, i)].dtype != d)
            return "the operands must have the same dtype";
    if (n->op == KNK_SELECT && node[n->a].dtype != KN_ID_BOOL)
        return "the predicate of a select must be bool";
    if (n->op == KNK_BITCAST &&
        (!has(MEMORY, n->dtype) || knk_size(n->dtype) != knk_size(d) || (n->dtype == KN_ID_BOOL) != (d == KN_ID_BOOL)))
        return "a bitcast needs dtypes of the same size";
    if (n->op == KNK_SELECT ? n->sub > 1 : n->op != KNK_REDUCE && !knk_is_loop_op(n->op) && n->sub)
        return "the operation takes no sub-operation";
    const char *why = result_error(n, d);
    return why ? why : n->op == KNK_REDUCE ? reduce_error(n) : NULL;
}

/* The buffer and the map of a load, store or index. */
static const char *place_error(const knk_kernel *k, const knk_inst *n)
{
    if (n->op != KNK_LOAD && n->op != KNK_STORE && n->op != KNK_INDEX)
        return n->buffer == KNK_NONE && n->map == KNK_NONE ? NULL : "only load, store and index have a buffer or a map";
    if (n->map < 0 || n->map >= k->n_map)
        return "there is no such map";
    if (k->map[n->map].stage != n->stage)
        return "the map belongs to another stage";
    if (n->op == KNK_INDEX)
        return n->buffer == KNK_NONE ? NULL : "an index has no buffer";
    if (n->buffer < 0 || n->buffer >= k->n_buffer)
        return "there is no such buffer";
    const knk_buffer *b = &k->buffer[n->buffer];
    if (n->op == KNK_STORE && !b->written)
        return "the buffer is not written";
    int d = n->op == KNK_STORE ? k->node[n->a].dtype : n->dtype;
    return (int)knk_memory_dtype((knx_dtype_id)b->dtype) == d ? NULL : "the buffer holds another dtype";
}

/* Operands come before their users, and values cross stages only where they are one per parallel point. */
static const char *operand_error(const knk_kernel *k, int i)
{
    const knk_inst *n = &k->node[i];
    int count = n->op < KNK_OP_COUNT ? knk_op_table[n->op].n_operands : 0;
    for (int j = 0; j < 3; j++) {
        knk_node x = knk_operand(n, j);
        if (x == KNK_NONE)
            continue;
        if (j >= count)
            return "the operation takes fewer operands";
        if (x < 0 || x >= i)
            return "an operand must be an earlier node";
        const knk_inst *o = &k->node[x];
        if (o->op == KNK_STORE)
            return "a store has no value";
        if (knk_op_table[o->op].result == 'V')
            return "an operand has no value";
        if (o->op == KNK_REDUCE && o->stage == n->stage)
            return "a reduction is known in later stages only";
        if (o->stage != n->stage && o->op != KNK_REDUCE && o->op != KNK_CONST && k->stage[o->stage].n_inner)
            return "an operand lives in the loop of an earlier stage";
    }
    return NULL;
}

static const char *node_error(const knk_kernel *k, int stage, int i)
{
    const knk_inst *n = &k->node[i];
    if (n->stage != stage)
        return "the node lies in another stage";
    const char *why = operand_error(k, i);
    if (!why)
        why = knk_form_error(n, k->node);
    if (!why)
        why = place_error(k, n);
    if (!why && n->op != KNK_CONST && n->imm)
        why = "only constants have an immediate";
    return why;
}

static knx_error *shape_error(const knk_kernel *k)
{
    if (k->n_par < 0 || k->n_par > KNK_MAX_LOOPS || k->n_stage < 0 || k->n_stage > 255)
        return knx_error_new(KN_ERROR_VALUE, "kernel: too many loops or stages");
    for (int s = 0, at = 0; s < k->n_stage; at = k->stage[s++].end) {
        const knk_stage *st = &k->stage[s];
        if (st->n_inner < 0 || st->n_loop < 0 || st->n_inner > KNK_MAX_LOOPS - k->n_par ||
            st->n_loop > KNK_MAX_LOOPS - k->n_par || (st->n_inner && st->n_loop))
            return knx_error_new(KN_ERROR_VALUE, "kernel: stage %d has more than %d loops", s, KNK_MAX_LOOPS);
        if (st->first != at || st->end < st->first || st->end > k->n_node ||
            (s == k->n_stage - 1 && st->end != k->n_node))
            return knx_error_new(KN_ERROR_VALUE, "kernel: the nodes of stage %d are not in order", s);
    }
    if (!k->n_stage && k->n_node)
        return knx_error_new(KN_ERROR_VALUE, "kernel: nodes without a stage");
    for (int b = 0; b < k->n_buffer; b++)
        if (k->buffer[b].dtype >= KN_ID_COUNT)
            return knx_error_new(KN_ERROR_VALUE, "kernel: buffer %d has no known dtype", b);
    for (int m = 0; m < k->n_map; m++) {
        if (k->map[m].stage >= k->n_stage)
            return knx_error_new(KN_ERROR_VALUE, "kernel: map %d belongs to no stage", m);
        for (int d = 0; d < knk_map_loops(k, m); d++)
            if (k->map[m].cls[d] > KNK_STRIDE_ANY)
                return knx_error_new(KN_ERROR_VALUE, "kernel: map %d has an unknown class of stride", m);
    }
    return NULL;
}

knx_error *knk_verify(const knk_kernel *k)
{
    KN_TRY(shape_error(k));
    for (int s = 0; s < k->n_stage; s++)
        for (int i = k->stage[s].first; i < k->stage[s].end; i++) {
            const char *why = node_error(k, s, i);
            if (why)
                return knx_error_new(KN_ERROR_VALUE, "kernel: node %%%d (%s): %s", i,
                                     k->node[i].op < KNK_OP_COUNT ? knk_op_table[k->node[i].op].name : "?", why);
            if (k->node[i].op == KNK_REDUCE && !k->stage[s].n_inner)
                return knx_error_new(KN_ERROR_VALUE, "kernel: node %%%d (reduce): stage %d has no inner loop", i, s);
        }
    return knk_verify_loops(k);
}
