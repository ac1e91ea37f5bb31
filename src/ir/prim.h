/* SPDX-License-Identifier: Apache-2.0
 * prim.h -- the row of a primitive: its name, parameters and every rule. Rules are static functions in the file of
 * the row's family; they speak to the builder, never to arrays. Every column is filled, or `why` says for what reason
 * it is empty. */
#ifndef KN_IR_PRIM_H
#define KN_IR_PRIM_H
#include "ir/builder.h"
#include "ir/lower.h"
#include "ir/params.h"
#include "kernel/product.h"

/* What a rule is given: one equation, with the builder to write into. */
typedef struct kn_rule {
    kn_builder *b;
    const kn_prim *prim;
    const void *params;
    int n_in, n_out;
    const kn_atom *x;
    const kn_type *xt; /* operands; in transpose rules KN_ATOM_LINEAR for those without a value */
    const kn_atom *y;
    const kn_type *yt;     /* results (jvp only; their types always) */
    const char *axis_name; /* batch only: the name of the axis that is batched; NULL: it has none */
    bool forward;          /* linearize only: results and tangents are wanted together, nobody splits them */
} kn_rule;

/* Bits of a row. Passes ask these, never for names. */
enum {
    /* result element i depends on operand elements i; operands may be scalars; all results have the common shape */
    KN_ELEMENTWISE = 1,
    KN_COMMUTES = 2, /* two operands may be swapped without changing bits */
    /* may raise an error while running (see may_fail): runs even if nobody reads it, never moved under a condition */
    KN_CAN_FAIL = 4,
    KN_VIEW = 8,             /* moves elements only: lowered by `map` */
    KN_REDUCES = 16,         /* lowered by `reduction` over params' axes */
    KN_CALLS = 32,           /* has a sub-jaxpr in kn_p_jit form that passes may inline */
    KN_CHEAP = 64,           /* recomputing costs less than storing and loading */
    KN_INTEGER_RESULT = 128, /* results have no tangents whatever the operands */
    KN_IDENTITY = 256,       /* returns its operand (stop_gradient): the planner makes an alias */
    /* linear in each operand of linear_in while the others stay fixed, but not in several at once (mul) */
    KN_MULTILINEAR = 512,
    KN_WINDOW = 1024, /* shows a window of operand 0 at the positions that the other operands give */
    /* runs the jaxprs in its parameters, as often as it says: lowered to a step of programs, or to a kernel that holds
     * them */
    KN_LOOPS = 4096,
    KN_PRODUCT = 65536,  /* a product of matrices or a convolution: what policies of checkpoint call one */
    KN_COMPONENT = 2048, /* shows a part of each element, number `component` of its parts (real, imag, bitcast) */
    /* These three a row with jaxprs in its parameters has, too, if an equation in there has them: kni_bits. */
    /* speaks of named axes: `batch` is asked even if no operand is batched (then all axis[i] are -1) */
    KN_NAMES = 8192,
    /* does something beside its results: neither dropped nor done twice, and in program order with its kin */
    KN_EFFECT = 16384,
    KN_USER = 32768, /* runs the user's code: outside of traces at once and alone */
};

typedef enum {
    KN_WHY_NONE,
    KN_WHY_INTEGERS /* integers or booleans only */,
    KN_WHY_NOT_DIFFERENTIABLE /* in mathematics */,
    KN_WHY_DISCRETE /* a discrete choice */
} kn_why;

/* A routine the program calls: work that is not a loop nest of scalar operations. */
typedef struct kn_routine_args {
    const void *params;
    int n_in, n_out;
    const kn_type *xt, *yt;
    const void *const *x; /* C-contiguous operands */
    void *const *y;       /* C-contiguous results, no overlap with operands (but see `updates`) */
    void *workspace;      /* as many bytes as `workspace` asked for, 64-byte aligned */
} kn_routine_args;

/* What a row with KN_LOOPS is, and so what its parameters are. */
typedef enum kn_loop_kind { KN_LOOP_NONE, KN_LOOP_WHILE, KN_LOOP_SCAN, KN_LOOP_COND } kn_loop_kind;

struct kn_prim {
    const char *name;   /* as in jaxprs: "scatter-add" */
    int8_t n_in, n_out; /* -1: any number */
    uint8_t loops;      /* kn_loop_kind */
    uint32_t bits;
    /* bit i: linear in operand i (with the others fixed); all bits may be set for add */
    uint32_t linear_in;
    kn_why why_no_jvp, why_no_transpose;
    const char *no_transpose;     /* of a row with tangents but no transpose: the message of the ValueError */
    const kn_param_field *fields; /* NULL: none */
    uint16_t params_size;
    int8_t component;    /* KN_COMPONENT */
    const char *factors; /* e.g. "m k, k n -> m n", "... , ... -> ..."; structured ones by factors_of */
    const char *doc;     /* one sentence, shown by the generated documentation */

    /* Fills in the members that follow from the operands and the other members (KN_PF_DERIVED): params is the copy of
     * the equation that is being made; asked before `type`. NULL: there are none. */
    kn_error *(*complete)(const kn_prim *p, void *params, int n_in, const kn_type *x);

    /* Shapes and dtypes: fills y (dims in `a`; n_out of them: returned through *n_out when the row says -1). */
    kn_error *(*type)(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y);

    /* Derivatives. jvp: tx[i] is KN_ATOM_ZERO where there is no tangent, ty[] comes in as KN_ATOM_ZERO; at least one
     * tx is not. A row has jvp, or linearize, which also makes the results y itself (primitives with a body). */
    void (*jvp)(const kn_rule *r, const kn_atom *tx, kn_atom *ty);
    kn_error *(*linearize)(const kn_rule *r, const kn_atom *tx, kn_atom *y, kn_atom *ty);
    /* ct[j]: cotangents of the results (KN_ATOM_ZERO: none; not all are); fills ct_in[i] for linear operands (come in
     * as KN_ATOM_ZERO). */
    kn_error *(*transpose)(const kn_rule *r, const kn_atom *ct, kn_atom *ct_in);
    /* axis[i]: the batch axis of operand i, -1 if it has none (not all have none but in rows with KN_NAMES); fills y
     * and axis_out (-1: not batched). */
    kn_error *(*batch)(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out);

    /* Lowering: exactly one of these. */
    /* elementwise: kernel nodes from kernel nodes */
    void (*expr)(knk_builder *k, const kn_expr_args *e, kn_value2 *y);
    /* Views: where result element `out` comes from. The axes of `out` have no node: computed positions are composed
     * with the map. */
    void (*map)(const void *params, const kn_type *x, const kn_type *y, const kn_index *out, kn_index *in);
    /* Does `map` work for these shapes? NULL: always. Where it does not (some reshapes) the result is an alias of the
     * stored operand. */
    bool (*map_exists)(const void *params, const kn_type *x, const kn_type *y);
    /* loop nests with predicates or computed indices (one result) */
    void (*pull)(kn_lower *l, const kn_rule *r, const kn_index *i, kn_value2 *y);
    /* where `pull` is used beside `run`, by a kernel that reads the result; else, and where the result is stored, it is
     * the routine's. The same bits. NULL: always, and there is no routine */
    bool (*pulls)(const void *params, int n_in, const kn_type *x);
    /* of `pull`: how many elements of an operand one of the result is made of, at most; what operands are made of is
     * worked out so often if it is not stored. NULL: one */
    int64_t (*looks)(const void *params, const kn_type *x);
    /* of `run`: as `pull`, in kernels that hold a loop and have the elements of its carries as nodes
     * (compile/loops/scope.h); leaves y as it is where that would look at more than those: where a position that it
     * compares is not `fixed` */
    void (*element)(kn_lower *l, const kn_rule *r, const kn_index *i, kn_value2 *y);
    const kn_reduction_row *reduction;             /* KN_REDUCES */
    kn_error *(*run)(const kn_routine_args *args); /* a routine */
    /* of `run`: 1 + the operand whose elements the first result has but for some that are replaced. y[0] holds them
     * already, and x[updates - 1] == y[0]: only what changes is written, nothing before the last error. 0: none */
    int8_t updates;
    /* of rows with `updates` that put operand 1 into operand 0 from a start on, which the operands behind give (one
     * integer for each axis, moved so that all fits), by strides: what those are. Where operand 1 is made by a kernel,
     * that puts it there itself. NULL: the places are data */
    void (*lands)(const void *params, int ndim, int64_t *stride);
    /* of `run`; NULL: none */
    size_t (*workspace)(const void *params, int n_in, const kn_type *x, int n_out, const kn_type *y);
    /* a product of two operands (one result): its description for C-contiguous arrays. docs/products.md */
    void (*product)(const void *params, const kn_type *x, const kn_type *y, knk_product *p);
    /* into other primitives, before planning */
    kn_error *(*expand)(const kn_rule *r, kn_atom *y);
    /* where `expand` is used beside another lowering; x: the first 8 operands. NULL: always, there is no other */
    bool (*expands)(const void *params, int n_in, const kn_type *x);

    /* KN_CAN_FAIL rows: with these parameters? NULL: always */
    bool (*may_fail)(const void *params);
    /* KN_CAN_FAIL rows: the same results without an error, and whether there would be one: `failed`, an array of
     * booleans over some of the first axes of the work, true somewhere if and only if the equation fails (then y is any
     * value). Loops that hold such equations can be kernels that way (compile/program/guard.c). *failed stays
     * KN_ATOM_NONE where there is no such form. NULL: there is none */
    kn_error *(*unfailing)(const kn_rule *r, kn_atom *y, kn_atom *failed);

    /* An atom that stands for the result without this equation, changing no bits (x * 1 is x, x + 0 is not), or
     * KN_ATOM_NONE. It may emit simpler equations. NULL: nothing to simplify. */
    kn_atom (*simplify)(const kn_rule *r);

    /* Rows with several results, of which read[i] ones are read: the same with less work, the others' y[i] staying
     * KN_ATOM_NONE. *pruned comes in as false and stays so if there is nothing to leave out; then nothing is emitted.
     * Asked when programs are made, also if all results are read. NULL: nothing to leave out. */
    kn_error *(*prune)(const kn_rule *r, const bool *read, kn_atom *y, bool *pruned);

    /* The inverse of a view: the first operand with the elements that the result shows replaced by v, which has the
     * result's type yt (r->x are the operands before; where an element shows several times the last in C order of v
     * stays). KN_ATOM_NONE without an error: with these parameters the view is read-only. NULL: the result is no view.
     */
    kn_atom (*put)(const kn_rule *r, kn_atom v);

    /* Rows with jaxprs in their parameters: the types of the inputs of the which-th one (t has room for all operands
     * and all integers of the parameters are set), and their number. NULL: those of the operands. */
    int (*body_types)(const void *params, int which, int n_in, const kn_type *x, kn_type *t);

    /* scalar operations; NULL: one per result element */
    double (*cost)(const void *params, int n_in, const kn_type *x, int n_out, const kn_type *y);
};

#define KN_PRIM(id) extern const kn_prim kn_prim_##id;
#include "ir/prims.def"
#undef KN_PRIM

extern const kn_prim *const kni_prims[];        /* all rows, NULL at the end */
const kn_prim *kni_prim_find(const char *name); /* by printed name; NULL if there is none */
/* by the first n characters; classic: by the name that the classic form prints */
const kn_prim *kni_prim_find_n(const char *name, size_t n, bool classic);
bool kni_prim_is_builtin(const char *name); /* a row of kni_prims has it, in some form of texts */
/* Adds a row of the user's, which stays. One of this name that was added before and is the `same` comes back instead of
 * p; another one, or a row of Kiln's, is a ValueError. */
const kn_prim *kni_prim_add(const kn_prim *p, bool (*same)(const kn_prim *a, const kn_prim *b), kn_error **error);
bool kni_prim_is_added(const kn_prim *p); /* p may be any pointer */
/* Refuses rows with empty columns that have no reason; called by tests. Returns a text of the first fault, or NULL. */
const char *kni_prim_fault(const kn_prim *p);
static inline bool kni_can_fail(const kn_prim *p, const void *params)
{
    return (p->bits & KN_CAN_FAIL) && (!p->may_fail || p->may_fail(params));
}
/* The bits of the row, and of those in its jaxprs at any depth that count for the whole. */
enum { KN_DEEP_BITS = KN_NAMES | KN_EFFECT | KN_USER };
uint32_t kni_bits(const kn_prim *p, const void *params);
/* Has it to stay although nobody reads its results? */
static inline bool kni_must_stay(const kn_prim *p, const void *params)
{
    return kni_can_fail(p, params) || (kni_bits(p, params) & KN_EFFECT);
}
/* Is the row linear in operand i? Rows with any number of operands mean all from the 32nd on by bit 31. */
static inline bool kni_linear_in(const kn_prim *p, int i) { return (p->linear_in >> (i < 31 ? i : 31) & 1u) != 0; }
static inline bool kni_has_tangent(kn_type t) { return knx_is_inexact(t.dtype); }
#endif
