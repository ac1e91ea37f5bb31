/* SPDX-License-Identifier: Apache-2.0
 * handle.h -- handles: a slot and a generation, owned by scopes. */
#ifndef KN_ARRAY_HANDLE_H
#define KN_ARRAY_HANDLE_H
#include "base/error.h"

typedef enum {
    KN_H_NONE, KN_H_ARRAY, KN_H_FN, KN_H_JAXPR, KN_H_TREE, KN_H_LIST, KN_H_ARCHIVE, KN_H_OPTIMIZER, KN_H_TEXT
} kn_handle_kind;

/* A new handle of the innermost open scope; `object` is dropped by `drop` when the handle dies (at once if there is
 * no memory: NULL). */
void *kna_handle_new(kn_handle_kind kind, void *object, void (*drop)(void *object));
/* The object behind a handle, or NULL with *error set ("null array" TypeError, "this array was released: ..."
 * ValueError). The object is the caller's to use while the handle lives. */
void *kna_handle_get(kn_handle_kind kind, const void *handle, kn_error **error);
bool kna_handle_alive(const void *handle, kn_handle_kind *kind);
void kna_handle_promote(void *handle);                 /* to the enclosing scope (kn_keep) */
void kna_handle_swap_scopes(void *old, void *value);   /* kn_assign */
/* closes all scopes of this context; returns handles still retained by hand */
int64_t kna_handles_close(void);
#endif
