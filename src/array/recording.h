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

struct kn_recording {
    atomic_int refs;
    bool active; /* its function is still running */
    bool concrete;
    uint64_t serial;             /* never given twice; 0 stands for no recording */
    int n_captured, n_args;      /* inputs: captured arrays, then each argument's */
    const int *arrays;           /* of each argument */
    const char *function;        /* being recorded */
    const char *transformation;  /* by which: "jit", "vmap", ... */
    kn_recording *outer;         /* while active */
    kn_builder b;                /* while active */
    KN_VEC(kn_value *) captured; /* values of the constvars, in order */
    KN_VEC(kn_atom) captured_atom;
    kn_map captured_index; /* by pointer: 1 + index */
    KN_VEC(kn_value *)
    known;                 /* concrete: per variable of b the value outside, NULL if not computed; folding:
                                       of what depends on no recording */
    bool folds;            /* what depends on no recording is computed at once */
    kn_error *refused;     /* by a write or a look that had to be refused: the recording fails with it */
    bool captured_tracers; /* of an enclosing recording: what comes out is good for this call only */
};

int kna_argument_of_input(const kn_recording *r, int input); /* which argument an input belongs to */
kn_recording *kna_recording_current(void);                   /* NULL outside of any */
/* becomes current; NULL without memory */
kn_recording *kna_recording_begin(const char *function, const char *transformation, bool concrete);
kn_atom kna_recording_input(kn_recording *r, kn_type type, kn_value *known /* concrete: what it stands for */);
/* The atom of a value in r: its own tracers, numbers as literals, everything else captured as a constant.
 * LeakedTracerError for tracers of recordings that have ended. */
kn_error *kna_recording_atom(kn_recording *r, kn_value *v, kn_atom *atom);
/* a new value that stands for the atom, or the value itself where that is computed at once; NULL without memory */
kn_value *kna_recording_tracer(kn_recording *r, kn_atom atom);
/* Ends r (it must be current): the jaxpr of these results, and the captured values (references handed over). Always
 * pops. */
/* once: captured tracers */
typedef struct kn_closed {
    kni_jaxpr *jaxpr;
    uint32_t n_const;
    kn_value **consts;
    bool once;
} kn_closed;
kn_error *kna_recording_end(kn_recording *r, int n_out, const kn_atom *out, kn_closed *closed);
void kna_recording_abort(kn_recording *r);
void kna_recording_release(kn_recording *r);
void kna_closed_free(kn_closed *c);

/* The value outside of all recordings that v stands for (new reference); ConcretizationError if a recording on the
 * way is abstract. */
kn_error *kna_concrete(kn_value *v, kn_value **out);
/* The same for whoever looks: in an abstract recording what depends on none of its arguments has a value, too. */
kn_error *kna_constant(kn_value *v, kn_value **out);
#endif
