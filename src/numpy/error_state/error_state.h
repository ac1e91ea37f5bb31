/* SPDX-License-Identifier: Apache-2.0
 * error_state.h -- NumPy's error state: what becomes of floating-point events. docs/error-state.md */
#ifndef KN_NUMPY_ERROR_STATE_H
#define KN_NUMPY_ERROR_STATE_H
#include "array/state.h"
#include "kiln/numpy/error_state.h"

/* Events as bits, as NumPy passes them to functions; and the order in which they are told. */
enum { KNN_DIVIDE = 1, KNN_OVER = 2, KNN_UNDER = 4, KNN_INVALID = 8 };
enum { KNN_KINDS = 4 };

/* What is done about a kind, three bits of the state each. The state 0 ignores all. */
enum { KNN_IGNORE, KNN_WARN, KNN_RAISE, KNN_CALL, KNN_PRINT, KNN_LOG, KNN_MODES };
static inline int knn_mode(unsigned state, int kind) { return (int)(state >> 3 * kind & 7); }

/* places.c: a line of the user's source, and what the error state has to know of the equations that it wrote. They are
 * made once each and stay. Whoever takes it for a kn_place sees the line. */
typedef struct knn_place {
    kn_place place;
    const kn_place *from;  /* the user's; may be NULL */
    const char *operation; /* the public function */
    const char *ufunc;     /* of an equation of knn_prim_ufunc: which one it is */
    uint16_t state;        /* of that moment */
    bool quiet;            /* a step of something that is looked at as a whole */
} knn_place;
const knn_place *knn_place_make(const kn_place *from, const char *operation, const char *ufunc, unsigned state,
                                bool quiet); /* NULL without memory */
const knn_place *knn_place_is(const kn_place *p); /* NULL: it is an ordinary one */
bool knn_place_heard(const kn_place *p, const char *name, int kind); /* once more: false, for the first time */

/* events.c: those that an equation had, of the wanted ones; `how` is the row's, or a ufunc's. */
unsigned knn_events(const kni_eqn *e, uint8_t how, unsigned wanted, int n_in, const void *const *x, const kni_type *xt,
                    const void *y, const kni_type *yt);
unsigned knn_step_events(const void *const *x, const kni_type *xt, const void *y, const kni_type *yt);
/* of integers, by the name of the ufunc */
unsigned knn_integer_events(const char *ufunc, int n_in, const void *const *x, const kni_type *xt, int64_t n);

/* ufunc.c: the first operand; it stands for a ufunc of the others, whose steps are no primitive. */
extern const kni_prim knn_prim_ufunc;

/* names.c: how NumPy calls what the equation is part of; NULL: it tells no one of its events */
const char *knn_event_name(const kni_prim *p, const char *operation, const char *ufunc, bool scalars);

/* tell.c */
typedef struct knn_error_state {
    kna_watcher watcher; /* first */
    kn_errcall call;
} knn_error_state;
knn_error_state *knn_error_state_get(void); /* of this context; NULL without memory */
knx_error *knn_told_equation(void *env, kni_builder *b, const kni_draft_eqn *e);
#endif
