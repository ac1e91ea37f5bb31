/* SPDX-License-Identifier: Apache-2.0
 * kiln/extend.h -- for libraries that stand on Kiln and behave as it does: errors of their own, and handles that
 * scopes own. kiln/media.h is made with it. */
/* Made by scripts/make-api.py from api/extend.api. */
/* clang-format off */
#ifndef KILN_EXTEND_H
#define KILN_EXTEND_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An error as Kiln's functions give it, with the place of the last call that was noted: an array that carries it. It
 * is the pending one if there is none before it. For functions that return a status: (void)kn_fail(...); return -1.
 * `operation` stands in front of the message and has to live on; the message is copied. */
KN_API kn_array kn_fail(kn_error_kind kind, const char *operation, const char *message);

/* A handle of the innermost open scope for an object of the caller's. It is kept, retained and released as others
 * are, and `drop` is called with the object when it dies, by whatever thread; drop must not call Kiln. */
/* The handle of an object; `type` names its kind in messages ("plot"), and has to live on. Without memory for one
 * the object is dropped, and NULL comes back with an error. */
KN_API void *kn_object_new(const char *type, void *object, void (*drop)(void *object));
/* The object of a handle of that type (the text is compared), which is good while the handle lives. NULL and an
 * error in the operation's name: TypeError "null plot" or for a handle of another type, ValueError for one that
 * died. */
KN_API void *kn_object_get(const char *operation, const char *type, const void *handle);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_fail(kind, operation, message) KN_FAIL_(__COUNTER__, kind, operation, message)
#define KN_FAIL_(c, kind, operation, message)                                                                          \
    __extension__({ KN_TAKE(kn_error_kind, 1, c, kind) KN_TAKE(const char *, 2, c, operation)                          \
    KN_TAKE(const char *, 3, c, message) KN_HERE(); (kn_fail)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_object_get(operation, type, handle) KN_OBJECT_GET_(__COUNTER__, operation, type, handle)
#define KN_OBJECT_GET_(c, operation, type, handle)                                                                     \
    __extension__({ KN_TAKE(const char *, 1, c, operation) KN_TAKE(const char *, 2, c, type)                           \
    KN_TAKE(const void *, 3, c, handle) KN_HERE(); (kn_object_get)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#endif
#endif
