/* SPDX-License-Identifier: Apache-2.0
 * context.h -- everything happens in a context: where the user is, the sticky error, defaults, and a slot for each
 * floor's own state. A
 * default context is made for each thread on first use. */
#ifndef KN_BASE_CONTEXT_H
#define KN_BASE_CONTEXT_H
#include "base/dtype.h"
#include "base/error.h"

/* a floor's own state, newest dropped first */
typedef enum { KNX_SLOT_HANDLES, KNX_SLOT_ARRAYS, KNX_SLOT_FUNCTIONS, KNX_SLOTS } knx_slot;

struct kn_context_s {
    const kn_place *here;        /* of the public call that is running */
    const char *operation;       /* the outermost public operation that is running; "" between calls */
    int depth;                   /* of public calls inside public calls */
    kn_error *first;             /* the first error since it was cleared */
    bool first_read;             /* somebody has looked at it */
    char *first_text;            /* "operation: message" of first */
    void (*hook)(void *env, kn_error_kind kind, const char *message, const kn_place *place);
    void *hook_env;
    kn_dtype default_float;
    bool lazy;
    void *slot[KNX_SLOTS];
    void (*drop[KNX_SLOTS])(void *state);
};

#if defined(__GNUC__) && defined(__ELF__)
#define KNX_TLS _Thread_local __attribute__((tls_model("initial-exec"))) /* one load, also in the shared library */
#else
#define KNX_TLS _Thread_local
#endif
extern KNX_TLS kn_context knx_current;
kn_context knx_context_make(void);
/* this thread's; NULL only without memory */
static inline kn_context knx_context(void) { return knx_current ? knx_current : knx_context_make(); }
static inline void *knx_slot_state(knx_slot slot) /* NULL if not made yet */
{
    kn_context c = knx_context();
    return c ? c->slot[slot] : NULL;
}
bool knx_slot_set(knx_slot slot, void *state, void (*drop)(void *state));
void knx_context_close(void);                       /* drops this thread's context; the next use makes a new one */

/* Reports an error (retained, not taken over): it becomes the context's first one if there is none; the hook hears of
 * each. Fills in operation and place where they are not set yet. Gives it back. */
kn_error *knx_report(kn_error *e);
/* Makes, reports and drops an error: for functions that return no array. */
void knx_report_new(const char *operation, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
const char *knx_error_text(const kn_error *e, char **owned); /* "operation: message" */
#endif
