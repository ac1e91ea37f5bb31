/* SPDX-License-Identifier: Apache-2.0
 * value.h -- immutable values: a number, a buffer, something recorded but not yet run, a traced variable, or an error.
 *
 * Values are reference-counted. A pending value belongs to a node (one recorded equation); the node lives as long as
 * one of its values does, and holds its operands. So releasing the last handle takes the equations that no one needs
 * along. */
#ifndef KN_ARRAY_VALUE_H
#define KN_ARRAY_VALUE_H
#include "base/memory.h"
#include "ir/prim.h"

typedef struct kn_value kn_value;
typedef struct kn_node kn_node;
typedef struct kn_recording kn_recording;

typedef enum {
    KN_V_NUMBER,
    KN_V_BUFFER,
    KN_V_PENDING,
    KN_V_TRACER,
    KN_V_ABSTRACT, /* of kn_eval_shape: no value ever */
    KN_V_ERROR
} kn_value_state;

struct kn_value {
    atomic_int refs;
    uint8_t state;
    bool kept;             /* handed on by kn_keep or kn_assign: worth having when its neighbours run */
    bool donated;          /* ERROR: it was given to a function for good */
    /* Of force.c, for the cut that runs now: */
    bool needs_old;        /* it is not kept, and computing it again takes an old value that the cut may write over */
    uint32_t updated_in;   /* the mark of the newest cut that updates it; 0: none */
    union {
        uint32_t n_readers; /* choose_outputs: how often it is an operand */
        uint32_t n_updates; /* stays_in_pin: how often it is the old value of an update */
    };
    struct kna_pin *pin; /* memory that others see, where this value belongs; NULL: none */
    kn_type type;          /* dim points to `dims` */
    union {
        kn_scalar_bits bits;
        kn_buffer *buffer;
        struct { kn_node *node; uint32_t index; } pending;
        struct { kn_recording *recording; kn_atom atom; } tracer;
        kn_error *error;
    };
    int64_t dims[];
};

/* The elements of a number, or of a buffer that is on the host (kna_force_here). */
static inline const void *kna_elements(const kn_value *v)
{
    return v->state == KN_V_NUMBER ? (const void *)&v->bits : v->buffer->data;
}

/* One recorded equation outside of any trace. Operands are values or literals. */
struct kn_node {
    uint32_t n_in, n_out, alive;   /* alive: results that exist */
    uint32_t collected_in;         /* the mark of the newest cut that it is part of; 0: none */
    uint32_t position;             /* its number in that cut */
    bool ran;                      /* was run once without its results being kept */
    size_t used;                   /* bytes of its operands, as the context counts them */
    const kn_prim *prim;
    const void *params;
    const kn_place *place;
    const char *operation;
    kn_arena arena;                /* params */
    kn_node *prev, *next;          /* all nodes of the context that wait */
    kn_node *next_dead;            /* list of nodes being released */
    kn_value **in;                 /* NULL: a literal */
    kn_literal *literal;
    kn_value **out;                /* not counted; NULL where the value is gone */
    kn_type *out_type;             /* dims in the node */
};

kn_value *kna_value_new(kn_value_state state, kn_type type);           /* refs 1; NULL without memory */
kn_value *kna_value_number(kn_dtype dtype, bool weak, kn_scalar_bits bits);
/* takes the buffer's reference over, also on failure */
kn_value *kna_value_buffer(kn_type type, kn_buffer *buffer);
/* takes it over; on failure the static memory error's value */
kn_value *kna_value_error(kn_error *error);
/* The error that a value in state ERROR brings where it is used. *known: it was reported before; a donated array is an
 * error of its own at each use. */
kn_error *kna_error_of(const kn_value *v, bool *known);
kn_value *kna_value_retain(kn_value *v);
void kna_value_release(kn_value *v);                                   /* NULL is fine; never recurses */

/* Makes a node and its pending results. Operands are retained; literals[i] counts where in[i] is NULL. */
kn_error *kna_node_new(const kn_prim *prim, const void *params, const kn_place *place, const char *operation,
                       uint32_t n_in, kn_value *const *in, const kn_literal *literals, uint32_t n_out,
                       const kn_type *out_type, kn_value **out);
/* a node that was made without results goes */
void kna_node_drop(kn_node *n);
/* result no longer waits for n (it was run or failed) */
void kna_node_done(kn_node *n, kn_value *result);
#endif
