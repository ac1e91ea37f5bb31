/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what the files of kernel/ share: the table of operations, the prepared form that the interpreter runs,
 * the inner loops. */
#ifndef KN_KERNEL_INTERNAL_H
#define KN_KERNEL_INTERNAL_H
#include "kernel/kernel.h"

/* The operations as a table. */
typedef struct knk_op_info {
    const char *name;
    int n_operands;
    char result;
} knk_op_info;
extern const knk_op_info knk_op_table[KNK_OP_COUNT];
extern const char *const knk_reduction_name[7];
static inline bool knk_is_float_id(int d) { return d == KN_ID_F32 || d == KN_ID_F64; }
static inline bool knk_is_half_id(int d) { return d == KN_ID_F16 || d == KN_ID_BF16; }
static inline bool knk_is_int_id(int d) { return d >= KN_ID_I8 && d <= KN_ID_U64; }
static inline bool knk_is_signed_id(int d) { return d >= KN_ID_I8 && d <= KN_ID_I64; }
static inline int knk_size(int dtype) { return knx_dtype_table[dtype].size; }
/* what one element of a buffer is: complex64 -> f32, keys -> u32 */
knx_dtype_id knk_memory_dtype(knx_dtype_id declared);
static inline int knk_operand(const knk_inst *n, int i) { return i == 0 ? n->a : i == 1 ? n->b : n->c; }

static inline bool knk_is_loop_op(int op) { return op >= KNK_LOOP && op <= KNK_LAST; }
/* How many classes and strides a map has. */
static inline int knk_map_loops(const knk_kernel *k, int map)
{
    const knk_stage *st = &k->stage[k->map[map].stage];
    return k->n_par + st->n_inner + st->n_loop;
}

/* NULL, or what is wrong with the types of a node whose operands are legal nodes. */
const char *knk_form_error(const knk_inst *n, const knk_inst *nodes);
knx_error *knk_verify_loops(const knk_kernel *k); /* what knk_verify asks after all nodes are well formed */
/* The bytes of a number of so many that a node or a reduction holds as 64 bits. */
static inline const void *knk_number_bytes(const uint64_t *bits, int size)
{
    return (const char *)bits + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - size : 0);
}
uint64_t knk_reduction_identity(int how, int dtype);
uint64_t knk_fold(const knk_inst *n, const knk_inst *nodes); /* the bits of a node whose operands are constants */
int knk_simplify(knk_builder *k, knk_inst *n,
                 knk_node *out); /* simplify.c: 1 if *out is the same value; may rewrite *n */
const knk_inst *knk_nodes(const knk_builder *k);
knk_node knk_emit(knk_builder *k, knk_inst n);
void knk_append_raw(knk_builder *k, knk_inst n);               /* as it is, for the parser; knk_finish verifies */
int knk_append_map(knk_builder *k, const uint8_t *cls, int n); /* n classes; those of loops to come may be among them */
bool knk_failed(const knk_builder *k);
int knk_stage_loops(const knk_builder *k); /* of the newest stage, so far */
knk_node knk_fail(knk_builder *k, const char *format, ...) KN_PRINTF_LIKE(2, 3) KNX_COLD;

/* Inner loops: d[i] = op(a[i], b[i], c[i]). Variant bit 0, 1, 2: operand a, b, c is one value for all lanes. */
typedef void knk_loop(void *d, const void *a, const void *b, const void *c, size_t n);
enum {
    KNK_LOOP_MAXN = KNK_OP_COUNT, /* the combine of max and min reductions */
    KNK_LOOP_MINN,
    KNK_LOOP_ACC, /* + knk_reduction: joins n elements a into 64 accumulators d; element i to accumulator i % 64 */
    KNK_LOOP_OPS = KNK_LOOP_ACC + 7,
    KNK_LOOP_ROWS = KNK_LOOP_OPS + KN_ID_COUNT /* casts: one row per source dtype */
};
typedef struct knk_lane_loops {
    knk_loop *loop[KNK_LOOP_ROWS][KN_ID_COUNT][3]; /* [operation][dtype of operand 0 (comparisons: of the operands)] */
    knk_loop *fma[KN_ID_COUNT][8], *select[KN_ID_COUNT][8]; /* the operations with three operands */
    void (*copy_in)(int size, void *d, const void *base, int64_t stride, size_t n); /* d[i] = base[i * stride] */
    void (*copy_out)(int size, void *base, int64_t stride, const void *s, size_t n);
    void (*gather)(int size, void *d, const void *base, const int64_t *at, const uint8_t *pred, const void *other,
                   bool other_uniform, size_t n);
    void (*index)(int64_t *d, int64_t start, int64_t stride, size_t n);
    void (*add_index)(int64_t *d, const int64_t *more, bool uniform, size_t n);
    int (*any)(const uint8_t *p, size_t n); /* 0 none, 1 some, 2 all */
} knk_lane_loops;
extern const knk_lane_loops knk_lanes;
/* A row's loop in this variant; NULL if the row has not got it. */
static inline knk_loop *knk_lane_loop(int row, int dtype, unsigned variant)
{
    if (row == KNK_FMA || row == KNK_SELECT)
        return (row == KNK_FMA ? knk_lanes.fma : knk_lanes.select)[dtype][variant];
    return variant < 3 ? knk_lanes.loop[row][dtype][variant] : NULL;
}
/* What reductions spend their time in, in the form for this CPU. */
typedef struct knk_joins {
    knk_loop *join[KNK_RED_XOR + 1][KN_ID_COUNT]; /* [knk_reduction]: d[i] = a[i] joined with b[i] */
    void (*splat)(int size, void *d, const void *value, size_t n);
} knk_joins;
extern const knk_joins knk_joins_base, knk_joins_avx2;
const knk_joins *knk_joins_best(void);
static inline knk_loop *knk_join(int how, int dtype) { return knk_joins_best()->join[how][dtype]; }
enum { KNK_LANES_AUTO, KNK_LANES_ROW, KNK_LANES_COLUMN };
/* knk_interpret with a chosen direction of the lanes, for stages with inner extents: for tests. */
knx_error *knk_interpret_with(const knk_kernel *k, const knk_launch *launch, void *scratch, int lanes);

/* The prepared form. Values are numbered as nodes are; a BITCAST shares its operand's number. */
enum { KNK_BLOCK = 1024, KNK_COLUMN_BLOCK = 128, KNK_SUM_BLOCK = 16384, KNK_RANKS = 40 };
typedef enum {
    KNK_ACTION_OP,
    KNK_ACTION_LOAD,
    KNK_ACTION_GATHER,
    KNK_ACTION_INDEX,
    KNK_ACTION_STORE,
    KNK_ACTION_REDUCE,
    KNK_ACTION_COLD,
    KNK_ACTION_CARRY, /* the first value of a carry; all of a loop's, then its LOOP */
    KNK_ACTION_LOOP,
    KNK_ACTION_WHILE,
    KNK_ACTION_KEEP, /* a next value that is itself a carry, put aside before carries change */
    KNK_ACTION_NEXT,
    KNK_ACTION_END
} knk_action_kind;
typedef struct knk_action {
    uint8_t kind, size, n_operands, osize[3]; /* bytes of the result, of the operands */
    uint8_t persist;                          /* the result is kept for later stages: KNK_BLOCK lanes */
    uint8_t row, dtype, how;                  /* which inner loop; REDUCE: dtype and reduction; loops: which one */
    int16_t buffer, map;                      /* OP: the store that may be written directly, or -1 */
    int32_t dst, a, b, c;
    uint32_t slot;      /* where the result lies in the scratch */
    int32_t skip, cold; /* COLD: steps to skip; OP select: number of its cold region + 1, 0 if none */
} knk_action;
/* A loop: its LOOP and END among the steps; the lanes that are not done, a byte each, one row of them per depth of
 * loops: the loop's own, if it has a WHILE, and those of the next loop around it that has one; KNK_NO_MASK. */
enum { KNK_NO_MASK = -1 };
typedef struct knk_prepared_loop {
    int head, end, parent;
    int8_t depth, mask, outer_mask;
} knk_prepared_loop;
typedef struct knk_prepared_stage {
    int first, end; /* steps */
    int lanes;      /* at most, per block */
    int n_import, n_reduce, n_map;
    const knk_prepared_loop *loop; /* the stage's, by number */
    const int32_t *import;         /* values of earlier stages */
    const int32_t *reduce;         /* steps */
    const int16_t *map;
} knk_prepared_stage;
struct knk_prepared {
    const knk_action *step;
    const knk_prepared_stage *stage;
    const uint64_t *constant; /* in memory form */
    const int32_t *constant_value;
    int n_constant;
    const uint32_t *persist; /* per value: its place in the scratch, UINT32_MAX if none */
    const uint8_t *value_size;
    int n_cold, loops; /* loops: the most of any stage */
    uint32_t values_at, taken_at, maps_at, strides_at, nests_at, segments_at, splat_at, address_at, slots_at, reduce_at;
    uint32_t turns_at, masks_at; /* of loops: int64 turns by number; rows of KNK_BLOCK bytes */
    size_t scratch_bytes;
    knx_arena arena; /* all of this lies in it */
};
#endif
