/* SPDX-License-Identifier: Apache-2.0
 * prim.h -- the row of a primitive: its name, parameters and every rule. Rules are static functions in the file of
 * the row's family; they speak to the builder, never to arrays. Every column is filled, or `why` says for what reason
 * it is empty. */
#ifndef KN_IR_PRIM_H
#define KN_IR_PRIM_H
#include "ir/builder.h"
#include "ir/lower.h"
#include "ir/params.h"
#include "ir/spread.h"
#include "kernel/product.h"

/* What every rule is given: one equation. A caller fills in what the column names; the other members are zero. */
typedef struct kni_rule {
    const kni_prim *prim;
    const void *params;
    int n_in, n_out;
    const kni_type *xt, *yt; /* types of the operands and the results (type, complete, pulls, expands, looks: no yt) */
    const kni_atom *x;      /* operands; in transpose rules KN_ATOM_LINEAR for those without a value */
    const kni_atom *y;      /* results (jvp only) */
    const kni_pair *v;      /* expr only: kernel nodes of the operands at one element */
    kni_builder *b;         /* takes the equations that jvp, linearize, transpose, batch, expand, ... write */
    knx_arena *arena;       /* type only: where extents of the results are put */
    const char *axis_name;  /* batch only: the name of the axis that is batched; NULL: it has none */
    int threads;            /* workspace only, of rows with KN_THREADS: so many at most */
    bool forward;           /* linearize only: results and tangents are wanted together, no one splits them */
    const void *ready;      /* run only: what the column `ready` found out; NULL: nothing */
    const kn_place *place;  /* run only: the user's line; NULL: not known */
} kni_rule;

/* Bits of a row. Passes ask these, never for names. */
enum {
    /* result element i depends on operand elements i; operands may be scalars; all results have the common shape */
    KN_ELEMENTWISE = 1,
    KN_COMMUTES = 2, /* two operands may be swapped without changing bits */
    /* may raise an error while running (see may_fail): runs even if no one reads it, never moved under a condition */
    KN_CAN_FAIL = 4,
    KN_VIEW = 8,             /* moves elements only: lowered by `map` */
    KN_REDUCES = 16,         /* lowered by `reduction` over params' axes */
    KN_CALLS = 32,           /* has a sub-jaxpr in kni_p_jit form that passes may inline */
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
    /* These four a row with jaxprs in its parameters has, too, if an equation in there has them: kni_bits. */
    /* speaks of named axes: `batch` is asked even if no operand is batched (then all axis[i] are -1) */
    KN_NAMES = 8192,
    /* does something beside its results: neither dropped nor done twice, and in program order with its kin */
    KN_EFFECT = 16384,
    KN_THREADS = 131072, /* its routine may use threads; the row has a cost, which says how many have something to do */
    KN_PICKS = 262144, /* each element of the result is an element of one operand, none twice: lowered by `pull` */
    KN_ACROSS = 524288, /* of named axes: each element by itself, so arrays of one dtype may go together as one */
    /* of rows with KN_NAMES: the result is the same in all lanes along the axes that it names (psum). Of others it
     * differs there */
    KN_AGREES = 2097152,
    KN_USER = 32768, /* runs the user's code: outside of traces at once and alone */
    /* outside of traces it runs on the mesh among its parameters, if its operands are nowhere else */
    KN_MAY_MESH = 4194304,
    KN_FILLS_EARLY = 8388608, /* of rows with `start`: the result is written from then on */
    KN_ON_MESH = 1048576, /* runs on the mesh that its parameters name: kni_mesh_in */
};

typedef enum {
    KN_WHY_NONE,
    KN_WHY_INTEGERS /* integers or booleans only */,
    KN_WHY_NOT_DIFFERENTIABLE /* in mathematics */,
    KN_WHY_DISCRETE /* a discrete choice */
} kni_why;

/* The memory of a routine, which is work that is not a loop nest of scalar operations. */
typedef struct kni_routine_args {
    const void *const *x; /* C-contiguous operands */
    void *const *y;       /* C-contiguous results, which overlap no operand (but see `updates`) */
    void *workspace;      /* as many bytes as the column `workspace` asked for, 64-byte aligned */
    int threads;          /* at most so many; rows with KN_THREADS, the others have one */
} kni_routine_args;

/* What a collective moves. */
typedef struct kni_moved {
    double bytes, messages; /* that one device receives */
    int64_t devices;        /* that take part */
} kni_moved;

#define KN_NOT_KNOWN ((knx_bytes)SIZE_MAX) /* in place of a number of bytes */

/* What a row with KN_LOOPS is, and so what its parameters are. */
typedef enum kni_loop_kind { KN_LOOP_NONE, KN_LOOP_WHILE, KN_LOOP_SCAN, KN_LOOP_COND } kni_loop_kind;

/* Which floating-point events an element has follows from its values. A NaN that no operand had is an invalid value, an
 * infinity from finite operands an overflow or, as these bits say, a division by zero; a result that is tiny and not
 * exact is an underflow. */
enum {
    KN_EVENTS = 1,           /* is looked at. Without the other bits: infinities are overflows, tiny results exact */
    KN_EVENTS_BY_ZERO = 2,   /* infinities are divisions by zero where an operand is 0: div, pow */
    KN_EVENTS_POLES = 4,     /* all are: log */
    KN_EVENTS_ROUNDS = 8,    /* tiny results are not exact: exp */
    KN_EVENTS_PRODUCT = 16,  /* tiny results are exact where the product of the operands (or the square) is one */
    KN_EVENTS_QUOTIENT = 32, /* the same of the quotient */
    KN_EVENTS_CAST = 64      /* also: what no integer of the result's dtype is */
};

struct kni_prim {
    const char *name;   /* as in jaxprs: "scatter-add" */
    int8_t n_in, n_out; /* -1: any number */
    uint8_t loops;      /* kni_loop_kind */
    uint8_t events;     /* KN_EVENTS_...: the floating-point events that it has (docs/error-state.md) */
    uint32_t bits;
    /* bit i: linear in operand i (with the others fixed); all bits may be set for add */
    uint32_t linear_in;
    kni_why why_no_jvp, why_no_transpose;
    const char *no_transpose;     /* of a row with tangents but no transpose: the message of the ValueError */
    const kni_param_field *fields; /* NULL: none */
    uint16_t params_size;
    /* KN_COMPONENT: which of the equal parts of an element the view shows. real is 0, imag is 1: of an array of
     * complex numbers in memory, `imag` is every second real number, from number 1 on. */
    int8_t component;
    /* How axes of operands and results correspond (docs/how-to-add-a-primitive.md; proved by tests/property/factors.c).
     * Each word is a kind of axis. "b m k, b k n -> b m n": a part of operand 0 along an axis of the kind m gives that
     * part of the result; k, which is in no result, has to be whole. For passes that spread work over devices. */
    const char *factors;
    /* Of rows that say how their result has to lie over a mesh of devices (sharding_constraint). NULL: of no matter. */
    const kni_sharding *(*lays)(const kni_rule *r);
    const char *doc; /* one sentence, shown by the generated documentation */

    /* Members of the parameters that follow from the operands and the other members (KN_PF_DERIVED): `params` is the
     * copy that the new equation keeps, r->params the same. Asked before `type`. NULL: there are none. */
    knx_error *(*complete)(const kni_rule *r, void *params);

    /* Shapes and dtypes of the results: fills y; extents that are no operand's go into r->arena. Of rows with n_out -1
     * r->n_out comes in as the number of types that y has room for, and leaves as the number of results. */
    knx_error *(*type)(kni_rule *r, kni_type *y);

    /* Derivatives. jvp: tx[i] is KN_ATOM_ZERO where there is no tangent, ty[] comes in as KN_ATOM_ZERO; at least one
     * tx is not. A row has jvp, or linearize, which also makes the results y itself (primitives with a body). */
    void (*jvp)(const kni_rule *r, const kni_atom *tx, kni_atom *ty);
    knx_error *(*linearize)(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty);
    /* ct[j]: cotangents of the results (KN_ATOM_ZERO: none; not all are); fills ct_in[i] for linear operands (come in
     * as KN_ATOM_ZERO). */
    knx_error *(*transpose)(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in);
    /* axis[i]: the batch axis of operand i, -1 if it has none (not all have none but in rows with KN_NAMES); fills y
     * and axis_out (-1: not batched). */
    knx_error *(*batch)(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);

    /* Lowering: exactly one of these. */
    /* elementwise: kernel nodes of the results from the kernel nodes r->v of the operands, at one element */
    void (*expr)(knk_builder *k, const kni_rule *r, kni_pair *y);
    /* Views: the element of the operand that result element `out` shows. `in` is filled with affine functions of the
     * positions of `out` (rev: extent - 1 - out). The axes of `out` have no node: computed positions are composed with
     * the map. */
    void (*map)(const kni_rule *r, const kni_index *out, kni_index *in);
    /* Of `map`: whether an affine map exists for these shapes. A reshape from (2, 3) to (3, 2) has none; then the
     * operand is stored, and the result is an alias of the stored operand. NULL: always */
    bool (*map_exists)(const kni_rule *r);
    /* loop nests with predicates or computed indices (one result): the result's element at position i, made of
     * elements of operands (pad, gather) */
    void (*pull)(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y);
    /* Of rows with both `pull` and `run`: whether a kernel that reads the result may use `pull`. Where the answer is
     * no, and where the result is stored, the routine computes it; the bits are the same. Example: gather has a pull
     * unless it has to raise an error for an index out of bounds. NULL: the row has only one of the two */
    bool (*pulls)(const kni_rule *r);
    /* Of `pull`: the number of operand elements that one result element reads, at most. A kernel that reads an operand
     * which is not stored computes that operand as often, so the planner stores operands of rows with a large number.
     * Example: the sum over a 3 x 3 window reads 9. NULL: one */
    int64_t (*looks)(const kni_rule *r);
    /* of `run`: as `pull`, in kernels that hold a loop and have the elements of its carries as nodes
     * (compile/loops/scope.h); leaves y as it is if it would read other elements than those: if a position that it
     * compares is not `fixed` */
    void (*element)(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y);
    const kni_reduction_row *reduction; /* KN_REDUCES */
    /* a routine, which reads and writes memory (sort, cholesky) */
    knx_error *(*run)(const kni_rule *r, const kni_routine_args *args);
    /* Of `run`: its two halves, if it waits for others. `start` waits for nobody; `wait` ends what it began, with the
     * same operands, results and workspace, which are the routine's from the one to the other. A program does other
     * things in between. NULL: it is one piece */
    knx_error *(*start)(const kni_rule *r, const kni_routine_args *args);
    knx_error *(*wait)(const kni_rule *r, const kni_routine_args *args);
    /* of `run`: 1 + the operand whose elements the first result has but for some that are replaced. y[0] holds them
     * already, and x[updates - 1] == y[0]: only the changes are written, nothing before the last error. 0: none */
    int8_t updates;
    /* Of rows with `updates` that copy operand 1 into operand 0, at a start that the operands behind give (one integer
     * for each axis, moved so that all of operand 1 fits): the distance, per axis, between neighbours of operand 1 in
     * operand 0. A kernel that computes operand 1 writes it there itself. Example: 1 in dynamic_update_slice. NULL: the
     * positions are data (scatter) */
    void (*lands)(const kni_rule *r, int64_t *stride);
    /* Of `run`: the bytes of memory that the routine needs beside operands and results. Example: sort needs the keys
     * of one row. KN_NOT_KNOWN: there is no memory to find out, so whoever asks has a MemoryError. NULL: none */
    knx_bytes (*workspace)(const kni_rule *r);
    /* Of `run`: what it can find out before its arrays are there. A program that is loaded keeps it, for all of its
     * runs, on any threads at once; `done` frees it. A row that has it is worth a call of its own where arrays are
     * short: so much of its time would be finding out. Example: fft holds the plan of its length. NULL, the column or
     * the answer: there is nothing, or no memory for it, and each run finds out for itself */
    void *(*ready)(const kni_rule *r);
    void (*done)(void *ready);
    /* Of `run`: the number of first axes, the same in all operands and results, along which the routine does each slice
     * by itself: a part of the operands along them gives that part of the results, to the bit. A program may run it for
     * some rows at a time, beside kernels over the same rows. Example: sort of axis 2 has 2. NULL: none */
    int (*rows)(const kni_rule *r);
    /* A product of two operands (one result): fills in its description for C-contiguous arrays, from which the code
     * and its blocking follow. Examples: dot_general, conv_general_dilated. docs/products.md */
    void (*product)(const kni_rule *r, knk_product *p);
    /* into other primitives, before planning */
    knx_error *(*expand)(const kni_rule *r, kni_atom *y);
    /* Of rows with `expand` beside another lowering: whether `expand` is used; xt: the first 8 operands. Example: scan
     * of one round becomes its body. NULL: always, the row has no other lowering */
    bool (*expands)(const kni_rule *r);

    /* KN_CAN_FAIL rows: whether an equation with these parameters (the only member of r that is set) can fail.
     * Example: gather fails in the mode that checks its indices, and in no other mode. NULL: always */
    bool (*may_fail)(const kni_rule *r);
    /* KN_CAN_FAIL rows: the same results without an error, and whether there would be one: `failed`, an array of
     * booleans over some of the first axes of the work, true somewhere if and only if the equation fails (then y is any
     * value). Loops that hold such equations can be kernels that way (compile/program/guard.c). *failed stays
     * KN_ATOM_NONE where there is no such form. NULL: there is none */
    knx_error *(*unfailing)(const kni_rule *r, kni_atom *y, kni_atom *failed);

    /* An atom that has the result's bits without this equation, or KN_ATOM_NONE. Example: x * 1 is x; x + 0 is not,
     * because -0 + 0 is 0. The rule may emit simpler equations; of a row without results it has, if
     it returns any atom. NULL: nothing to simplify. */
    kni_atom (*simplify)(const kni_rule *r);

    /* Rows with several results, of which read[i] ones are read: the same with less work, the others' y[i] staying
     * KN_ATOM_NONE. *pruned comes in as false and stays so if there is nothing to leave out; then nothing is emitted.
     * Asked when programs are made, also if all results are read. NULL: nothing to leave out. */
    knx_error *(*prune)(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned);

    /* The inverse of a view: the first operand with the elements that the result shows replaced by v, which has the
     * result's type yt (r->x are the operands before; where an element shows several times the last in C order of v
     * stays). KN_ATOM_NONE without an error: with these parameters the view is read-only. NULL: the result is no view.
     */
    kni_atom (*put)(const kni_rule *r, kni_atom v);

    /* Rows with jaxprs in their parameters: fills t with the types of the inputs of jaxpr number `which`, and returns
     * their number (t has room for all operands and all integers of the parameters are set). Parsers need the types
     * before they have the jaxpr. Example: the body of a scan gets consts and carries as they are, and of each other
     * operand one element of the first axis. NULL: the types of the operands. */
    int (*body_types)(const kni_rule *r, int which, kni_type *t);

    /* Spreading over devices (docs/sharding.md). */
    /* Of rows over the axes of a mesh: what one device receives, at most. NULL: nothing */
    kni_moved (*moves)(const kni_rule *r);
    /* The exact factors of one equation: how its axes can be cut, for r->xt, r->yt and the parameters. Its extents are
     * numbers. NULL: shard/factors.c sees them in the row's other columns (elementwise, `map`, `reduction`, `rows`,
     * `product`); where there is nothing to see, all operands are needed as a whole. Example: gather */
    void (*spread)(const kni_rule *r, kni_spread *s);
    /* The parameters of the equation on one device: r->xt are the types of its operands' parts, r->yt the types that
     * its results are to have; `params` is a copy of r->params that may be changed, lists are put into r->arena.
     * Example: broadcast_in_dim has the shape of its result there. NULL: they stay */
    knx_error *(*resize)(const kni_rule *r, void *params);
    /* For factors with `local`: writes what one device does, with r->b; r->x, r->xt: the operands' parts, r->yt: the
     * types of the results' parts; r->params: those of the whole equation. Example: iota, which adds the position */
    knx_error *(*local)(const kni_rule *r, const kni_local *l, kni_atom *y);

    /* Of rows whose jaxpr is written for one device of a mesh: what it is for devices of this one. Lists are put into
     * r->arena. Example: shard_map. NULL: it is none of these rows */
    knx_error *(*manual)(const kni_rule *r, const kni_mesh *m, kni_manual *out);

    /* scalar operations; NULL: one per result element */
    double (*cost)(const kni_rule *r);
};

#define KN_PRIM(id) extern const kni_prim knp_prim_##id;
#include "ir/prims.def"

extern const kni_prim *const kni_prims[];       /* all rows, NULL at the end */
const kni_prim *kni_prim_find(const char *name); /* by printed name; NULL if there is none */
/* by the first n characters; classic: by the name that the classic form prints */
const kni_prim *kni_prim_find_n(const char *name, size_t n, bool classic);
bool kni_prim_is_builtin(const char *name); /* a row of kni_prims has it, in some form of texts */
/* Adds a row of the user's, which stays. One of this name that was added before and is the `same` comes back instead of
 * p; another one, or a row of Kiln's, is a ValueError. */
const kni_prim *kni_prim_add(const kni_prim *p, bool (*same)(const kni_prim *a, const kni_prim *b), knx_error **error);
bool kni_prim_is_added(const kni_prim *p); /* p may be any pointer */
/* Refuses rows with empty columns that have no reason; called by tests. Returns a text of the first fault, or NULL. */
const char *kni_prim_fault(const kni_prim *p);
/* What an equation's rules are given by those who ask for no equations. */
static inline kni_rule kni_rule_of(const kni_eqn *e, const kni_type *xt, const kni_type *yt)
{
    return (kni_rule){
        .prim = e->prim, .params = e->params, .n_in = (int)e->n_in, .n_out = (int)e->n_out, .xt = xt, .yt = yt,
        .place = e->place};
}
static inline bool kni_can_fail(const kni_prim *p, const void *params)
{
    return (p->bits & KN_CAN_FAIL) && (!p->may_fail || p->may_fail(&(kni_rule){.prim = p, .params = params}));
}
/* The bits of the row, and of those in its jaxprs at any depth that count for the whole. */
enum { KN_DEEP_BITS = KN_NAMES | KN_EFFECT | KN_USER | KN_ON_MESH };
uint32_t kni_bits(const kni_prim *p, const void *params);
/* The mesh that an equation with KN_ON_MESH runs on, or the jaxprs in its parameters. *out stays as it is where there
 * is none; ValueError: it is another one than *out, if that is not NULL. */
knx_error *kni_mesh_in(const kni_prim *p, const void *params, const kni_mesh **out);
knx_error *kni_mesh_of_jaxpr(const kni_jaxpr *j, const kni_mesh **out);
/* Whether the equation stays although no one reads its results. */
static inline bool kni_must_stay(const kni_prim *p, const void *params)
{
    return kni_can_fail(p, params) || (kni_bits(p, params) & KN_EFFECT);
}
/* Whether the row is linear in operand i. Rows with any number of operands mean all from the 32nd on by bit 31. */
static inline bool kni_linear_in(const kni_prim *p, int i) { return (p->linear_in >> (i < 31 ? i : 31) & 1u) != 0; }
static inline bool kni_has_tangent(kni_type t) { return knx_is_inexact(t.dtype); }
#endif
