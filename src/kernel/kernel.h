/* SPDX-License-Identifier: Apache-2.0
 * kernel.h -- the kernel IR: what a fusion group becomes.
 *
 * A kernel runs over parallel extents P0 x P1 x ... (n_par of them). It has stages; each stage is one pass over inner
 * extents of its own (n_inner of them, none for a pass over the parallel points alone) and holds a DAG of scalar
 * operations. A REDUCE joins its operand over the inner extents of its stage; later stages see it as one value per
 * parallel point. So a sum over rows is: stage 0 (1 inner extent) `load; reduce`, stage 1 (no inner extent) `store`; a
 * softmax is three stages over one row. A node may be used in its own stage, and in a later one if it is a REDUCE, a
 * CONST, or belongs to a stage without inner extents.
 *
 * Loads and stores address memory through affine maps: element number = offset + sum(stride[d] * i[d]) over the
 * parallel, then the inner loop indices of the stage. Offsets, strides and extents are runtime values of the launch;
 * the kernel knows only how many there are and each stride's class. The order in which a reduction joins elements is
 * docs/determinism.md's, whatever the extents, strides and lanes.
 *
 * Loops. A stage without inner extents may have loops, which may lie in each other; they are numbered in the order in
 * which they begin. Each point runs a loop for itself: its carries begin with `init`; a turn computes the nodes
 * between LOOP and END and then gives all carries their NEXT values at once; LAST is a carry after the loop. A loop
 * ends when its turns are as many as its extent (of the launch; any number from 0 on, KNK_NO_LIMIT for none) or when
 * the value of its WHILE, if it has one, is false: that is asked at the start of each turn, and nothing else of the
 * turn happens then. A point that is done with a loop takes no part in the loops inside of it either. Maps have a
 * stride for each loop of their stage, after the inner ones: the loop's turn, from 0 on, is an index like others; it
 * is ZERO for loops that the node does not lie in. Loads and stores in a loop with a WHILE, at any depth, have ZERO
 * for that loop and those in it; stores may only lie in loops without one. A load with an index in such a loop may be
 * made for points that are done: whoever builds it sees to it that the element exists. Within a turn all loads of a
 * point come before its stores, and a load never reads what a store of an earlier turn wrote. What does not depend on
 * a loop is computed before it, wherever it was built: also a load, whether the loop has turns or not; but a loop
 * stays where it was built.
 *
 * Memory is accessed by element of the buffer's declared dtype (keys: u32; complex: their component). Elements lie at
 * multiples of their size; a bool is 0 or 1. Within a stage, all loads of a point come before its stores, and points
 * are in no order; a later stage sees what earlier stages stored for the same parallel point. A written buffer may be
 * the memory of a read one where both have the same map. */
#ifndef KN_KERNEL_KERNEL_H
#define KN_KERNEL_KERNEL_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"

typedef enum knk_op {
#define KNK_OP(id, ...) KNK_##id,
#include "kernel/ops.def"
#undef KNK_OP
    KNK_OP_COUNT
} knk_op;

/* MIN, MAX: NaN if any is NaN */
typedef enum { KNK_RED_ADD, KNK_RED_MUL, KNK_RED_MIN, KNK_RED_MAX, KNK_RED_AND, KNK_RED_OR, KNK_RED_XOR } knk_reduction;

typedef int32_t knk_node; /* index of a node; KNK_NONE: absent operand, and the result of a failed builder */
enum { KNK_NONE = -1 };

typedef struct knk_inst {
    uint8_t op, dtype, sub, stage; /* knk_op, knx_dtype_id of the result, see ops.def */
    int16_t buffer, map;           /* LOAD, STORE, INDEX */
    knk_node a, b, c;              /* operands; LOAD: index, pred, other; STORE: value */
    uint64_t imm;                  /* CONST bits */
} knk_inst;

enum { KNK_STRIDE_ZERO, KNK_STRIDE_ONE, KNK_STRIDE_ANY };
enum { KNK_MAX_LOOPS = 64 };

enum { KNK_MAX_NESTED = 8 };   /* loops in each other */
#define KNK_NO_LIMIT INT64_MAX /* extent of a loop that only its WHILE ends */

typedef struct knk_stage {
    int n_inner;
    int first, end; /* nodes */
    int n_loop;
} knk_stage;
typedef struct knk_buffer {
    uint8_t dtype;
    bool written;
} knk_buffer;
/* cls: one per parallel, then per inner loop of its stage, then per LOOP of it */
typedef struct knk_map {
    uint8_t stage;
    uint8_t cls[KNK_MAX_LOOPS];
} knk_map;

/* A finished kernel is immutable and reference-counted; equal structure means equal key. */
typedef struct knk_kernel {
    atomic_int refs;
    int n_par, n_stage, n_node, n_buffer, n_map;
    const knk_stage *stage;
    const knk_inst *node;
    const knk_buffer *buffer;
    const knk_map *map;
    const void *key;
    size_t key_bytes;
    uint64_t hash;                          /* structure as bytes */
    _Atomic(struct knk_prepared *) prepared; /* the interpreter's slots and order; NULL: nobody interprets it */
    _Atomic(void *) native;                 /* what src/host/ keeps with it, and how it goes */
    void (*drop_native)(void *native);
    atomic_size_t native_bytes;              /* of that */
    atomic_size_t *native_total;             /* where they are added up; NULL: nowhere */
    void (*give_back)(struct knk_kernel *k); /* instead of knk_release; NULL: no one keeps it beside its users */
    void *keeper;                            /* of give_back */
    knx_arena arena;
} knk_kernel;

/* Building. Errors (no memory, wrong dtypes) stick to the builder and come out of knk_finish. Equal nodes are made
 * once; constants fold; only algebra that changes no bits is applied. */
typedef struct knk_builder knk_builder;
knk_builder *knk_new(int n_par); /* NULL without memory */
void knk_without_doubles(knk_builder *k); /* none come in but those of the caller: who runs it has none */
void knk_delete(knk_builder *k);
/* returns the stage's number; nodes go into the newest stage */
int knk_begin_stage(knk_builder *k, int n_inner);
int knk_add_buffer(knk_builder *k, knx_dtype_id dtype, bool written);
/* a map of the newest stage; cls has n_par + n_inner entries; of loops all are ZERO */
int knk_add_map(knk_builder *k, const uint8_t *cls);
knx_dtype_id knk_dtype(const knk_builder *k, knk_node x);
const knk_inst *knk_look(const knk_builder *k, knk_node x); /* until the next node is made; NULL: there is none */
knk_node knk_const(knk_builder *k, knx_dtype_id d, uint64_t bits);
knk_node knk_const_double(knk_builder *k, knx_dtype_id d, double v); /* rounded to d */
knk_node knk_const_int(knk_builder *k, knx_dtype_id d, int64_t v);
knk_node knk_index(knk_builder *k, int map);
knk_node knk_load(knk_builder *k, int buffer, int map, knk_node index, knk_node pred, knk_node other);
void knk_store(knk_builder *k, int buffer, int map, knk_node value);
knk_node knk_reduce(knk_builder *k, knk_reduction how, knk_node x);
/* Loops: begin, carries, perhaps while, the nodes of a turn, next for each carry, end. Between begin and end nodes are
 * those of a turn; a node made in there is not to be used outside, but by knk_last, unless it depends on nothing in
 * there. A carry's next value must have its dtype. */
int knk_loop_begin(knk_builder *k);                /* the loop's number in its stage */
knk_node knk_carry(knk_builder *k, knk_node init); /* of the innermost open loop */
void knk_while(knk_builder *k, knk_node pred);     /* of the innermost open loop, at most once */
void knk_next(knk_builder *k, knk_node carry, knk_node value);
void knk_loop_end(knk_builder *k);
knk_node knk_last(knk_builder *k, knk_node carry); /* after the end of its loop */
/* A map for nodes in loops: cls has n_par entries, then one per loop so far (inner extents: none). */
int knk_add_loop_map(knk_builder *k, const uint8_t *cls);
knk_node knk_unary(knk_builder *k, knk_op op, knk_node a);
knk_node knk_binary(knk_builder *k, knk_op op, knk_node a, knk_node b);
knk_node knk_ternary(knk_builder *k, knk_op op, knk_node a, knk_node b, knk_node c);
knk_node knk_select(knk_builder *k, knk_node pred, knk_node yes, knk_node no);
knk_node knk_select_cold(knk_builder *k, knk_node pred, knk_node cold_yes, knk_node no);
knk_node knk_cast(knk_builder *k, knx_dtype_id to, knk_node a);
knk_node knk_bitcast(knk_builder *k, knx_dtype_id to, knk_node a);
/* verifies; deletes the builder in every case */
knx_error *knk_finish(knk_builder *k, knk_kernel **out);
/* The same; loop_number[i]: which loop of its stage the i-th one that was begun is now, -1 if it is gone. */
knx_error *knk_finish_loops(knk_builder *k, int *loop_number, knk_kernel **out);

knk_kernel *knk_retain(knk_kernel *k);
void knk_count_native(const knk_kernel *k, size_t bytes); /* so many more are kept with it */
void knk_release(knk_kernel *k);
/* a table of legal forms; says which node is wrong */
knx_error *knk_verify(const knk_kernel *k);
knx_error *knk_text(const knk_kernel *k, char **out);    /* printed; knx_alloc'ed */
knx_error *knk_parse(const char *text, knk_kernel **out); /* reads knk_text's form back */
double knk_cost(const knk_kernel *k);                    /* operations per point, for reports */

/* Running. One affine map's numbers, in elements of its buffer; strides of the parallel loops, then of the inner
 * ones, then of the loops of its stage. */
typedef struct knk_map_values {
    int64_t offset;
    const int64_t *stride;
} knk_map_values;
typedef struct knk_launch {
    void *const *buffer;         /* n_buffer base addresses */
    const knk_map_values *map;   /* n_map */
    const int64_t *par;          /* n_par extents */
    const int64_t *const *inner; /* per stage, n_inner extents, then those of its loops */
} knk_launch;
/* The meaning of a kernel, block by block. Who interprets a kernel prepares it before, once or again (any thread);
 * most kernels run as machine code only, and never are. `scratch`: knk_scratch_bytes(k) bytes, 64-byte aligned. No
 * allocation, lock or system call in knk_interpret. Errors are those of who ends what runs, which loops ask about
 * (base/poll.h). */
knx_error *knk_prepare(const knk_kernel *k);
size_t knk_scratch_bytes(const knk_kernel *k);
knx_error *knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch);

/* kernel/math/: mathematical functions as programs in the IR, for f32 and f64 operands; same bits on every backend. */
knk_node knk_sin(knk_builder *k, knk_node x);
knk_node knk_cos(knk_builder *k, knk_node x);
knk_node knk_tanh(knk_builder *k, knk_node x);
knk_node knk_exp(knk_builder *k, knk_node x);
knk_node knk_log(knk_builder *k, knk_node x);
knk_node knk_log1p(knk_builder *k, knk_node x);
knk_node knk_expm1(knk_builder *k, knk_node x);
knk_node knk_exp2(knk_builder *k, knk_node x);
knk_node knk_log2(knk_builder *k, knk_node x);
knk_node knk_log10(knk_builder *k, knk_node x);
knk_node knk_tan(knk_builder *k, knk_node x);
knk_node knk_asin(knk_builder *k, knk_node x);
knk_node knk_acos(knk_builder *k, knk_node x);
knk_node knk_atan(knk_builder *k, knk_node x);
knk_node knk_sinh(knk_builder *k, knk_node x);
knk_node knk_cosh(knk_builder *k, knk_node x);
knk_node knk_asinh(knk_builder *k, knk_node x);
knk_node knk_acosh(knk_builder *k, knk_node x);
knk_node knk_atanh(knk_builder *k, knk_node x);
knk_node knk_cbrt(knk_builder *k, knk_node x);
knk_node knk_rsqrt(knk_builder *k, knk_node x); /* of -0: -inf */
knk_node knk_logistic(knk_builder *k, knk_node x);
knk_node knk_pow(knk_builder *k, knk_node x, knk_node y);
knk_node knk_atan2(knk_builder *k, knk_node y, knk_node x); /* complex log and pow need it */
knk_node knk_hypot(knk_builder *k, knk_node x, knk_node y); /* complex abs */
knk_node knk_rem(knk_builder *k, knk_node x, knk_node y);   /* as KNK_REM, without calls where the quotient is small */
/* special functions: one unit in the last place or little more; lgamma and digamma left of 0 to a unit of their parts
 * */
knk_node knk_erf(knk_builder *k, knk_node x);
knk_node knk_erfc(knk_builder *k, knk_node x);
knk_node knk_lgamma(knk_builder *k, knk_node x);
knk_node knk_digamma(knk_builder *k, knk_node x);
knk_node knk_i0e(knk_builder *k, knk_node x);
knk_node knk_i1e(knk_builder *k, knk_node x);
/* the numbers of jax.lax.erf_inv on CPU, bit for bit where known */
knk_node knk_erf_inv_xla(knk_builder *k, knk_node x);
knk_node knk_max_nan(knk_builder *k, knk_node a, knk_node b); /* NaN if either is NaN, else MAX */
knk_node knk_min_nan(knk_builder *k, knk_node a, knk_node b);
/* x^n; of integers by squaring, wrapping; of floats within a unit of the last place */
knk_node knk_integer_pow(knk_builder *k, knk_node x, int64_t n);
#endif
