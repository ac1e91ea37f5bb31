/* SPDX-License-Identifier: Apache-2.0
 * recording.h -- the recorder: a C function's operations become a jaxpr. There is one current recording per context;
 * nested ones (a transformation inside a recorded function) stack. In a concrete recording values can be looked at; in
 * an abstract one they cannot. */
#ifndef KN_ARRAY_RECORDING_H
#define KN_ARRAY_RECORDING_H
#include "array/value.h"
#include "base/hash.h"

/* The named axes that are bound: those of the vmaps around what is being recorded, innermost first. */
typedef struct kna_named_axis {
    const char *name;
    int64_t size;
    struct kna_named_axis *outer;
} kna_named_axis;

struct kna_recording {
    int refs;
    bool active; /* its function is still running */
    bool concrete;
    uint64_t serial;             /* never given twice; 0 stands for no recording */
    int n_captured, n_args;      /* inputs: captured arrays, then each argument's */
    const int *arrays;           /* of each argument */
    const char *function;        /* being recorded */
    const char *transformation;  /* by which: "jit", "vmap", ... */
    kna_recording *outer;        /* while active */
    kni_builder b;               /* while active */
    KN_VEC(kna_value *) captured; /* values of the constvars, in order */
    KN_VEC(kni_atom) captured_atom;
    knx_table captured_index; /* by pointer: 1 + index */
    KN_VEC(kna_value *)
    known;                 /* concrete: per variable of b the value outside, NULL if not computed; folding:
                                       of what depends on no recording */
    bool folds;            /* what depends on no recording is computed at once ... */
    bool lean;             /* ... if it is not larger than what it is made of: constants are not repeated in memory */
    knx_error *refused;    /* by a write or a look that had to be refused: the recording fails with it */
    KN_VEC(kna_value *) stand_in; /* per variable of b: the value, lifted or not, that it stands for; NULL: itself */
    bool lifts;                   /* it has such variables */
    bool captured_tracers; /* of an enclosing recording: what comes out is good for this call only */
};

int kna_argument_of_input(const kna_recording *r, int input); /* which argument an input belongs to */
kna_recording *kna_recording_current(void);                  /* NULL outside of any */
/* becomes current; NULL without memory */
kna_recording *kna_recording_begin(const char *function, const char *transformation, bool concrete);
kni_atom kna_recording_input(kna_recording *r, kni_type type, kna_value *known /* concrete: what it stands for */);
/* The atom of a value in r: its own tracers, numbers as literals, everything else captured as a constant.
 * LeakedTracerError for tracers of recordings that have ended. */
knx_error *kna_recording_atom(kna_recording *r, kna_value *v, kni_atom *atom);
/* a new value that stands for the atom, or the value itself where that is computed at once; NULL without memory */
kna_value *kna_recording_tracer(kna_recording *r, kni_atom atom);
/* Ends r (it must be current): the jaxpr of these results, and the captured values (references handed over). Always
 * pops. */
/* once: captured tracers */
typedef struct kna_closed {
    kni_jaxpr *jaxpr;
    uint32_t n_const;
    kna_value **consts;
    bool once;
} kna_closed;
knx_error *kna_recording_end(kna_recording *r, int n_out, const kni_atom *out, kna_closed *closed);
void kna_recording_abort(kna_recording *r);
void kna_recording_release(kna_recording *r);
/* The user's code has seen this error and cleared it: it goes on without the value, and the recording is good again. */
void kna_recording_forgive(const knx_error *e);
void kna_closed_free(kna_closed *c);

/* The value outside of all recordings that v stands for (new reference); ConcretizationError if a recording on the
 * way is abstract. */
knx_error *kna_concrete(kna_value *v, kna_value **out);
/* The same for whoever looks: in an abstract recording what depends on none of its arguments has a value, too. */
knx_error *kna_constant(kna_value *v, kna_value **out);
#endif
