/* SPDX-License-Identifier: Apache-2.0
 * primitive.h -- primitives of the user's own: a row (ir/prim.h) made from a definition. Its rules hand on to the
 * user's functions: those that speak in Kiln calls are recorded to jaxprs, which the rules inline. */
#ifndef KN_FUNCTION_PRIMITIVE_H
#define KN_FUNCTION_PRIMITIVE_H
#include "function/function.h"
#include "ir/prim.h"
#include "kiln/primitive.h"

typedef struct knf_primitive {
    kni_prim row; /* the first member: the row of an equation is the primitive */
    kn_primitive_opts o;
    const void *defaults; /* as the parameters of an equation; NULL: none */
    knx_arena arena;      /* what o and row point to */
} knf_primitive;
static inline const knf_primitive *knf_primitive_of(const kni_prim *row) { return (const knf_primitive *)row; }

/* The parameters of an equation: this, and the user's struct behind it. The body is what the primitive is made of, for
 * the operands of the equation, where it is made of Kiln calls. */
typedef struct knf_primitive_params {
    const knf_primitive *p;
    kni_jaxpr *body;
} knf_primitive_params;
enum { KNF_PARAMS_AT = 16 };
_Static_assert(sizeof(knf_primitive_params) <= KNF_PARAMS_AT, "the user's struct begins behind them");

/* primitive_rules.c: fills in the rules of p->row. */
void knf_primitive_rules(knf_primitive *p);

/* primitive_call.c: calls of the user's functions. */
typedef struct knf_primitive_calling {
    kn_primitive_call call;
    knx_error *error; /* what kn_primitive_error said, or what else went wrong */
} knf_primitive_calling;
/* The description of a call with operands x and results y (NULL: not known), in the arena; false without memory. */
bool knf_primitive_describe(const knf_primitive *p, const void *params, int n_in, const kni_type *x, const kni_type *y,
                            knx_arena *a, knf_primitive_calling *c);
/* TypeError or ValueError for texts, dtypes and lists that are none. */
knx_error *knf_primitive_check_params(const knf_primitive *p, const char *params);
/* Around each call of a function of the user's, which runs as knx_call_user has it: the status that it returned becomes
 * c->error. `what`: which function. */
typedef struct knf_speaker {
    knx_error *said;
    size_t frame;
} knf_speaker;
knf_speaker knf_primitive_listen(void);
void knf_primitive_heard(knf_speaker before, const char *what, int status, knf_primitive_calling *c);
/* The results' types by the shape rule. */
knx_error *knf_primitive_shape_of(const knf_primitive *p, const void *params, int n_in, const kni_type *x, knx_arena *a,
                                 kni_type *y);

/* primitive_record.c: a function in Kiln calls as a jaxpr without constants. */
typedef enum { KNF_ASK_BODY, KNF_ASK_JVP, KNF_ASK_TRANSPOSE, KNF_ASK_BATCH } knf_ask_kind;
typedef struct knf_ask {
    knf_ask_kind kind;
    const knf_primitive *p;
    const void *params;
    int n_in, n_out;
    const kni_type *x, *y; /* of the call: operands and results (NULL: not known) */
    int n;
    const kni_type *in; /* of the jaxpr's inputs */
    int n_results;      /* of the jaxpr */
    const kni_type *out; /* their types, NULL: whatever they are */
    int operand;        /* jvp, transpose */
    const bool *absent; /* transpose: operands without a value */
    int64_t size;       /* batch */
    const int *axis;
} knf_ask;
/* Recorded, or found as it was recorded before. notes: n_results of them. batch: the axes of the results; jvp and
 * transpose: 1 where there is nothing, whatever the jaxpr has there. */
knx_error *knf_primitive_ask(const knf_ask *ask, kni_jaxpr **out, int *notes);
typedef struct knf_recorded_rules knf_recorded_rules;
#endif
