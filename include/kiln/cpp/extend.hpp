/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/extend.hpp -- the functions of kiln/extend.h in C++. */
/* Made by scripts/make-api.py from api/extend.api. */
/* clang-format off */
#ifndef KILN_CPP_EXTEND_HPP
#define KILN_CPP_EXTEND_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* An error as Kiln's functions give it, with the place of the last call that was noted: an array that carries it. It
 * is the pending one if there is none before it. For functions that return a status: (void)kn_fail(...); return -1.
 * `operation` stands in front of the message and has to live on; the message is copied. */
inline array fail(kn_error_kind kind, const ::kiln::text &operation, const ::kiln::text &message, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_fail(kind, operation.c(), message.c()))); }
/* The handle of an object; `type` names its kind in messages ("plot"), and has to live on. Without memory for one
 * the object is dropped, and NULL comes back with an error. */
inline void *object_new(const ::kiln::text &type, void *object, void (*drop)(void *object), place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_object_new(type.c(), object, drop)); }
/* The object of a handle of that type (the text is compared), which is good while the handle lives. NULL and an
 * error in the operation's name: TypeError "null plot" or for a handle of another type, ValueError for one that
 * died. */
inline void *object_get(const ::kiln::text &operation, const ::kiln::text &type, const void *handle, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_object_get(operation.c(), type.c(), handle)); }
} // namespace kiln
#endif
