/* SPDX-License-Identifier: Apache-2.0
 * context.h -- everything happens in a context: where the user is, the sticky error, defaults, and a slot for each
 * floor's own state. A default context is made for each thread on first use; others can be pushed over it. A context
 * is used by one thread at a time, so nothing in it needs a lock but what other threads may look at: values behind
 * handles. Its thread takes the context's share lock where it changes which value that is; others take it to look. */
#ifndef KN_BASE_CONTEXT_H
#define KN_BASE_CONTEXT_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/memory.h"
#include "kiln/context.h"

/* a floor's own state, the last one dropped first: handles hold what the others keep account of */
typedef enum { KNX_SLOT_ARRAYS, KNX_SLOT_FUNCTIONS, KNX_SLOT_HANDLES, KNX_SLOT_RANDOM, KNX_SLOTS } knx_slot;

typedef struct knx_share {
    _Alignas(64) knx_spin lock;
} knx_share;
enum { KNX_SHARES = 64 }; /* contexts past that many have one together: slower, not wrong */
extern knx_share knx_shares[KNX_SHARES];

typedef struct knx_defaults {
    kn_dtype default_float;
    int threads;
    uint16_t site;
    struct knx_print_set *print;
    uint32_t scope; /* open scopes when they were pushed */
} knx_defaults;
typedef struct knx_thread knx_thread;
enum { KNX_WATCH_NANS = 1, KNX_WATCH_EVENTS = 2 };

struct kn_context_s {
    const kn_place *here;        /* of the public call that is running */
    const char *operation;       /* the outermost public operation that is running; "" between calls */
    int depth;                   /* of public calls inside public calls */
    unsigned host_floats;        /* what the host's floating-point control was when the outermost one began */
    knx_error *first;            /* the first error since it was cleared */
    bool first_read;             /* somebody has looked at it */
    uint64_t reports;            /* errors that were reported since the context was made */
    char *first_text;            /* "operation: message" of first */
    void (*hook)(void *env, kn_error_kind kind, const char *message, const kn_place *place);
    void *hook_env;
    bool in_hook;
    bool exceptions; /* errors are: each use of an array that carries one tells it, once the last one was cleared */
    struct knx_trial {
        bool on;
        uint32_t scopes;         /* open when it began */
        knx_error *first;        /* what was there before it */
        bool first_read;
        char *first_text;
        uint64_t reports;
        knx_error *passed;       /* the first of those during it that pass */
    } trial;                     /* see knx_trial_begin */
    uint32_t scopes;             /* open */
    uint32_t hook_scopes;        /* when the hook was called */
    kn_step_hook step_hook;      /* hears of each step that ran; NULL: no one does */
    void *step_env;
    knx_spin watch_lock;         /* of the next three, which other threads look at */
    bool watching, is_running;
    kn_running_step running;     /* `seconds`: when it began */
    KN_VEC(knx_error *) unheard; /* reported inside a call: the hook hears of them when it ends */
    kn_dtype default_float;
    int threads;                 /* of an operation; 0: as many as there are */
    struct knx_print_set *print; /* print_options.h: NULL for NumPy's */
    KN_VEC(knx_defaults) defaults;
    kn_allocator allocator;      /* of buffers; no functions: the pooled ones */
    bool lazy;                   /* operations wait to be run: it is wanted, and nothing is watched */
    bool wants_lazy;
    uint8_t watched;             /* KNX_WATCH_..: each equation is looked at after it has run; 0: none is */
    uint16_t site;               /* of results that nobody placed (device.h: knd_site_of); 0: where the process says */
    bool symbolic;               /* kn_jit without .symbolic has KN_ALL */
    uint8_t share;               /* number of its share lock */
    bool own;                    /* a thread's default one */
    _Atomic(knx_thread *) user;  /* who uses it; NULL: no one */
    uint32_t pushed;             /* how often on its user's stack */
    kn_context prev, next;       /* all contexts */
    knx_error *(*call_user)(void (*f)(void *arg), void *arg); /* knx_call_user; NULL: just call it */
    /* So many bytes are not to be had: gives back what is only kept to be found again. True: something went. NULL:
     * nothing is kept */
    bool (*give_back)(size_t bytes);
    bool giving_back;
    void *slot[KNX_SLOTS];
    void (*drop[KNX_SLOTS])(void *state);
};

extern KNX_TLS kn_context knx_current;
kn_context knx_context_make(void);
/* This thread's. Without memory for one it is a static one that holds nothing but the error of that, until there is
 * memory again; knx_current stays NULL then. */
static inline kn_context knx_context(void) { return knx_current ? knx_current : knx_context_make(); }
static inline void *knx_slot_state(knx_slot slot) /* NULL if not made yet */
{
    kn_context c = knx_context();
    return c ? c->slot[slot] : NULL;
}
bool knx_slot_set(knx_slot slot, void *state, void (*drop)(void *state));
/* From any thread: what c runs, with the time at which it began; false: nothing. *known: is there such a context? */
bool knx_context_running(kn_context c, bool *known, kn_running_step *out);
static inline void knx_context_watch(kn_context c, unsigned bit, bool on)
{
    c->watched = (uint8_t)(on ? c->watched | bit : c->watched & ~bit);
    c->lazy = c->wants_lazy && !c->watched;
}
void knx_context_close(void); /* pops all and drops this thread's own context; the next use makes a new one */

/* For a moment: changing or looking at what the handles of this context stand for. Nothing is called in between. */
static inline void knx_share_lock(void) { knx_spin_lock(&knx_shares[knx_current->share].lock); }
static inline void knx_share_unlock(void) { knx_spin_unlock(&knx_shares[knx_current->share].lock); }

/* ---- Contexts beside the thread's own (kiln/context.h says what they are for). Errors are the caller's. */
kn_context knx_context_new(void);                                  /* used by no one; NULL without memory */
knx_error *knx_context_push(kn_context c);
bool knx_context_can_go(kn_context c);                             /* pushed just once, and no one's own */
void knx_context_drop_pushed(void);                                /* the one that was pushed last */
bool knx_context_pop(void);                                        /* false: nothing to pop here */
void knx_context_unpush(void);                                     /* the one that was pushed last, come what may */
size_t knx_context_pushed(void);
/* A context's allocator is called in the middle of what the context does: whatever it does itself happens in the
 * thread's own context, until knx_context_back. */
kn_context knx_context_aside(void);
void knx_context_back(kn_context c);
/* The user's code runs inside a call: it leaves the stack as it was, also that of guards, if it leaves by longjmp. */
typedef struct knx_guard { size_t level, own; int depth; } knx_guard;
knx_guard knx_context_guard(void);
void knx_context_unguard(knx_guard before);
bool knx_context_guarded(void);
knx_error *knx_defaults_push(kn_context c, uint32_t scopes);       /* keeps those in force */
bool knx_defaults_pop(kn_context c);                               /* false: none were pushed */
void knx_defaults_end(kn_context c, uint32_t scopes);              /* undoes those pushed with more open scopes */

/* Reports an error (retained, not taken over): it becomes the context's first one if there is none; the hook hears of
 * each. One that was reported before is not, but for knx_tells_again. Fills in operation and place where they are not
 * set yet. Gives it back. */
knx_error *knx_report(knx_error *e);
static inline bool knx_tells_again(kn_context c) { return c && c->exceptions && !c->first; }
/* an error was reported since `reports` was this, and is not cleared */
static inline bool knx_reported_since(uint64_t reports)
{
    kn_context c = knx_context();
    return c && c->first && c->reports != reports;
}
void knx_report_unheard(kn_context c); /* between calls: the hook hears of what was reported inside the last one */
/* What is only tried fails without a word: errors that are reported from here on are forgotten at the end, and no hook
 * hears of them. One at a time. False: another one is going on. The end says whether there was one; it is also what a
 * jump out of the trial comes to. *passed: the first one that passes (knx_error_passes), a reference: then nothing was
 * found out. */
bool knx_trial_begin(kn_context c);
bool knx_trial_end(kn_context c, knx_error **passed);
/* Makes, reports and drops an error: for functions that return no array. */
void knx_report_new(const char *operation, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4) KNX_COLD;
const char *knx_error_text(const knx_error *e, char **owned); /* "operation: message" */
#endif
