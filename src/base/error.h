/* SPDX-License-Identifier: Apache-2.0
 * error.h -- errors as values: kind, text, the user's place. A function that can fail returns `knx_error *`, NULL
 * for success; the caller owns what it gets. Building an error never fails: when there is no memory for it, the one
 * static MemoryError comes back. */
#ifndef KN_BASE_ERROR_H
#define KN_BASE_ERROR_H
#include "base/attributes.h"
#include "kiln/types.h"
#include <stdatomic.h>

typedef struct knx_error {
    atomic_int refs;        /* -1: static, never freed */
    bool reported;          /* the context has heard of it */
    bool late;              /* what failed began earlier, on a device: place and operation are those of then */
    bool interruption;      /* somebody wanted what ran to end (kn_set_poll): nothing is wrong with it */
    kn_error_kind kind;
    const char *operation;  /* outermost public operation, "" if none; static storage */
    const kn_place *place;  /* static storage, may be NULL */
    char *message;          /* text without the operation in front; goes with the error, do not free it */
} knx_error;

knx_error *knx_error_new(kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(2, 3) KNX_COLD;
knx_error *knx_error_interrupted(void) KNX_COLD;
/* The same error for another place: its kind, cause and words. */
knx_error *knx_error_again(const knx_error *e) KNX_COLD;
/* No memory; an allocator that gave what cannot be used. Never written to. */
extern knx_error knx_no_memory[2];
KNX_COLD bool knx_was_misaligned(void);              /* the last buffer failed because of the allocator */
/* The static error that says why there is no memory. In line and without a branch: so analysers see that it is never
 * NULL. */
static inline knx_error *knx_error_nomem(void) { return &knx_no_memory[knx_was_misaligned()]; }
/* What the code around makes sure of, where an analyser cannot see it. */
#ifdef __clang_analyzer__
#define KN_KNOWN(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#define KN_KNOWN(fact) ((void)0)
#endif
#ifdef __clang_analyzer__ /* what an analyser of one file cannot see: it is never NULL */
#define knx_error_new(...)                                  \
    ({                                                      \
        knx_error *kn_made_ = (knx_error_new)(__VA_ARGS__); \
        kn_made_ ? kn_made_ : knx_error_nomem();            \
    })
#endif
/* The same with NumPy's words; dtype NULL: for no array, but for what lies between. */
KNX_COLD knx_error *knx_error_nomem_for(uint64_t bytes, int ndim, const int64_t *dim, const char *dtype);
void knx_note_misaligned(bool yes);                    /* for buffers */
/* e with this place, if it has none; NULL is fine, and what is static stays. */
knx_error *knx_error_placed(knx_error *e, const kn_place *place);
knx_error *knx_error_retain(knx_error *e);             /* NULL is fine */
void knx_error_release(knx_error *e);                  /* NULL is fine */
/* Is it of this one time? Memory was short, or somebody ended it: it says nothing about what was tried, which may work
 * next time, so nobody keeps it. */
static inline bool knx_error_passes(const knx_error *e) { return e->kind == KN_ERROR_MEMORY || e->interruption; }
const char *knx_error_kind_name(kn_error_kind kind);   /* "ValueError"; "" for none */

#define KN_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        knx_error *kn_try_ = (expr);                                                                                   \
        if (kn_try_)                                                                                                   \
            return kn_try_;                                                                                            \
    } while (0)

/* A small text on the stack for messages, begun as `knx_text t = { 0 }`. What is added goes to its end and never
 * overflows: a text that is full ends in "...". knx_show_shape returns the start of what it added. */
typedef struct knx_text { size_t length; char s[488]; } knx_text;
KNX_COLD const char *knx_show_shape(knx_text *t, int ndim, const int64_t *dim); /* NumPy's form: () (3,) (3,4) */
void knx_text_add(knx_text *t, const char *format, ...) KN_PRINTF_LIKE(2, 3) KNX_COLD;
#endif
