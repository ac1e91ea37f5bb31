/* SPDX-License-Identifier: Apache-2.0
 * handle.h -- handles: a slot and a generation, owned by scopes. */
#ifndef KN_ARRAY_HANDLE_H
#define KN_ARRAY_HANDLE_H
#include "base/context.h"

typedef enum {
    KN_H_NONE, KN_H_ARRAY, KN_H_VIEW, KN_H_FN, KN_H_JAXPR, KN_H_TREE, KN_H_LIST, KN_H_ARCHIVE, KN_H_OPTIMIZER,
    KN_H_TEXT, KN_H_TREEDEF, KN_H_SCHEDULE, KN_H_RNG, KN_H_BIT_GENERATOR, KN_H_SEED_SEQUENCE, KN_H_RANDOM_STATE,
    KN_H_FLATITER, KN_H_BROADCAST, KN_H_NDITER, KN_H_ARRAYTERATOR, KN_H_OBJECT
} kna_handle_kind;

struct kna_op;

/* A new handle of the innermost open scope; `object` is dropped by `drop` when the handle dies (at once if there is
 * no memory: NULL). */
void *kna_handle_new(kna_handle_kind kind, void *object, void (*drop)(void *object));
/* The object behind a handle, or NULL with *error set ("null array" TypeError, "this array was released: ..."
 * ValueError). The object is the caller's to use while the handle lives. */
void *kna_handle_get(kna_handle_kind kind, const void *handle, knx_error **error);
/* The same with another word for what is wanted. */
void *kna_handle_get_named(kna_handle_kind kind, const char *name, const void *handle, knx_error **error);
void *kna_handle_in(struct kna_op *op, kna_handle_kind kind, const void *handle); /* the error fails the operation */
bool kna_handle_alive(const void *handle, kna_handle_kind *kind); /* in this context */
/* The object behind a living handle of this context, whatever it is; NULL and KN_H_NONE otherwise. */
void *kna_handle_peek(const void *handle, kna_handle_kind *kind);
/* Looks at a living handle of any context, under its owner's share lock: visit must be short and call nothing that
 * takes a lock or calls back. NULL: only whether it lives. */
typedef void (*kna_visit)(void *env, kn_context owner, kna_handle_kind kind, void *object);
bool kna_handle_visit(const void *handle, kna_visit visit, void *env);
bool kna_handle_is_foreign(const void *handle); /* it lives in another context */
uint32_t kna_scopes_open(void);                 /* of this context, its own one included */
/* The handle stands for another object from now on; the old one is dropped. */
void kna_handle_replace(void *handle, kna_handle_kind kind, void *object, void (*drop)(void *object));
void kna_handle_promote(void *handle);                 /* to the enclosing scope (kn_keep) */
void kna_handle_swap_scopes(void *old, void *value);   /* kn_assign */
void kna_unwind(uint32_t scopes); /* unwind.c: drops the user's code that began with more scopes open */
/* closes all scopes of this context; returns handles still retained by hand */
int64_t kna_handles_close(void);
#endif
