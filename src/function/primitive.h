/* SPDX-License-Identifier: Apache-2.0
 * primitive.h -- primitives of the user's own: a row (ir/prim.h) made from a definition. Its rules hand on to the
 * user's functions: those that speak in Kiln calls are recorded to jaxprs, which the rules inline. */
#ifndef KN_FUNCTION_PRIMITIVE_H
#define KN_FUNCTION_PRIMITIVE_H
#include "function/function.h"
#include "ir/prim.h"
#include "kiln/primitive.h"

typedef struct kna_primitive {
    kn_prim row; /* the first member: the row of an equation is the primitive */
    kn_primitive_opts o;
    const void *defaults; /* as the parameters of an equation; NULL: none */
    kn_arena arena;       /* what o and row point to */
} kna_primitive;
static inline const kna_primitive *kna_primitive_of(const kn_prim *row) { return (const kna_primitive *)row; }

/* The parameters of an equation: this, and the user's struct behind it. The body is what the primitive is made of, for
 * the operands of the equation, where it is made of Kiln calls. */
typedef struct kna_primitive_params {
    const kna_primitive *p;
    kni_jaxpr *body;
} kna_primitive_params;
enum { KNA_PARAMS_AT = 16 };
_Static_assert(sizeof(kna_primitive_params) <= KNA_PARAMS_AT, "the user's struct begins behind them");

/* primitive_rules.c: fills in the rules of p->row. */
void kna_primitive_rules(kna_primitive *p);

/* primitive_call.c: calls of the user's functions. */
typedef struct kna_primitive_calling {
    kn_primitive_call call;
    kn_error *error; /* what kn_primitive_error said, or what else went wrong */
} kna_primitive_calling;
/* The description of a call with operands x and results y (NULL: not known), in the arena; false without memory. */
bool kna_primitive_describe(const kna_primitive *p, const void *params, int n_in, const kn_type *x, const kn_type *y,
                            kn_arena *a, kna_primitive_calling *c);
/* TypeError or ValueError for texts, dtypes and lists that are none. */
kn_error *kna_primitive_check_params(const kna_primitive *p, const char *params);
/* Around each call of a function of the user's, which runs as knx_call_user has it: the status that it returned becomes
 * c->error. `what`: which function. */
typedef struct kna_speaker {
    kn_error *said;
    size_t frame;
} kna_speaker;
kna_speaker kna_primitive_listen(void);
void kna_primitive_heard(kna_speaker before, const char *what, int status, kna_primitive_calling *c);
/* The results' types by the shape rule. */
kn_error *kna_primitive_shape_of(const kna_primitive *p, const void *params, int n_in, const kn_type *x, kn_arena *a,
                                 kn_type *y);

/* primitive_record.c: a function in Kiln calls as a jaxpr without constants. */
typedef enum { KNA_ASK_BODY, KNA_ASK_JVP, KNA_ASK_TRANSPOSE, KNA_ASK_BATCH } kna_ask_kind;
typedef struct kna_ask {
    kna_ask_kind kind;
    const kna_primitive *p;
    const void *params;
    int n_in, n_out;
    const kn_type *x, *y; /* of the call: operands and results (NULL: not known) */
    int n;
    const kn_type *in;  /* of the jaxpr's inputs */
    int n_results;      /* of the jaxpr */
    const kn_type *out; /* their types, NULL: whatever they are */
    int operand;        /* jvp, transpose */
    const bool *absent; /* transpose: operands without a value */
    int64_t size;       /* batch */
    const int *axis;
} kna_ask;
/* Recorded, or found as it was recorded before. notes: n_results of them. batch: the axes of the results; jvp and
 * transpose: 1 where there is nothing, whatever the jaxpr has there. */
kn_error *kna_primitive_ask(const kna_ask *ask, kni_jaxpr **out, int *notes);
typedef struct kna_recorded_rules kna_recorded_rules;
#endif
