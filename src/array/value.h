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

typedef struct kna_value kna_value;
typedef struct kna_node kna_node;
typedef struct kna_recording kna_recording;

typedef enum {
    KN_V_NUMBER,
    KN_V_BUFFER,
    KN_V_PENDING,
    KN_V_TRACER,
    KN_V_ABSTRACT, /* of kn_eval_shape: no value ever */
    KN_V_LIFTED,   /* with something at it: lift.h */
    KN_V_ERROR
} kna_value_state;

struct kna_value {
    int refs; /* counted by its context's thread alone: others look at values under the share lock, and keep none */
    uint8_t state;
    bool kept : 1;         /* handed on by kn_keep or kn_assign: worth having when its neighbours run */
    bool donated : 1;      /* ERROR: it was given to a function for good */
    /* Of force.c, for the cut that runs now: */
    bool needs_old : 1;    /* it is not kept, and computing it again takes an old value that the cut may write over */
    uint8_t unused : 5;    /* named, so that all bits of the byte are set at once */
    uint16_t site;         /* where it is meant to be (array/site.c); 0: nowhere in particular */
    uint32_t updated_in;   /* the mark of the newest cut that updates it; 0: none */
    union {
        uint32_t n_readers; /* choose_outputs: how often it is an operand */
        uint32_t n_updates; /* stays_in_pin: how often it is the old value of an update */
    };
    struct kna_pin *pin; /* memory that others see, where this value belongs; NULL: none */
    kni_type type;         /* dim points to `dims` */
    union {
        knx_scalar_bits bits;
        knx_buffer *buffer;
        struct { kna_node *node; uint32_t index; } pending;
        struct { kna_recording *recording; kni_atom atom; } tracer;
        knx_error *error;
        struct kna_lift *lift;
    };
    int64_t dims[];
};

/* The elements of a number, or of a buffer that is on the host (kna_force_here). */
static inline const void *kna_elements(const kna_value *v)
{
    return v->state == KN_V_NUMBER ? (const void *)&v->bits : v->buffer->data;
}

/* An extent that the user's code took for a number, which is an expression of dimension variables: as an operand it is
 * what dim_as_value gives. */
static inline bool kna_is_extent(const kna_value *v)
{
    return v->state == KN_V_NUMBER && v->type.weak && v->type.dtype == KN_DT(I64) && knx_is_symbolic(v->bits.i64) &&
           knx_dim_now();
}


/* One recorded equation outside of any trace. Operands are values or literals. */
struct kna_node {
    uint32_t n_in, n_out, alive;   /* alive: results that exist */
    uint32_t collected_in;         /* the mark of the newest cut that it is part of; 0: none */
    uint32_t position;             /* its number in that cut */
    bool ran;                      /* was run once without its results being kept */
    bool again;                    /* it, or what it reads, was run before, and the cut does not keep it */
    uint8_t views;                 /* views that were run before and are not kept, one of the other */
    uint16_t site;                 /* where it runs; operands of it that wait do so, too */
    size_t bytes;                  /* of the node itself */
    size_t used;                   /* bytes of its operands, as the context counts them */
    const kni_prim *prim;
    const void *params;
    const kn_place *place;
    const char *operation;
    knx_arena arena;               /* of params that lie not in the node */
    kna_node *prev, *next;         /* all nodes of the context that wait */
    kna_node *next_dead;           /* list of nodes being released */
    kna_value **in;                /* NULL: a literal */
    kni_literal *literal;
    kna_value **out;               /* not counted; NULL where the value is gone */
    kni_type *out_type;            /* dims in the node */
};

kna_value *kna_value_new(kna_value_state state, kni_type type);        /* refs 1; NULL without memory */
kna_value *kna_value_number(kn_dtype dtype, bool weak, knx_scalar_bits bits);
/* takes the buffer's reference over, also on failure */
kna_value *kna_value_buffer(kni_type type, knx_buffer *buffer);
/* takes it over; on failure the static memory error's value */
kna_value *kna_value_error(knx_error *error);
/* The error that a value in state ERROR brings where it is used. *known: it was reported before; a donated array is an
 * error of its own at each use. */
knx_error *kna_error_of(const kna_value *v, bool *known);
kna_value *kna_value_retain(kna_value *v);
void kna_value_release(kna_value *v);                                  /* NULL is fine; never recurses */

/* Makes a node and its pending results. Operands are retained; literals[i] counts where in[i] is NULL. */
knx_error *kna_node_new(const kni_prim *prim, const void *params, const kn_place *place, const char *operation,
                       uint32_t n_in, kna_value *const *in, const kni_literal *literals, uint32_t n_out,
                       const kni_type *out_type, kna_value **out);
/* a node that was made without results goes */
void kna_node_drop(kna_node *n);
/* result no longer waits for n (it was run or failed) */
void kna_node_done(kna_node *n, kna_value *result);
#endif
