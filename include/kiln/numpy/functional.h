/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/functional.h -- functions applied along axes and in pieces; what all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/functional.api. */
/* clang-format off */
#ifndef KILN_NUMPY_FUNCTIONAL_H
#define KILN_NUMPY_FUNCTIONAL_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* np.apply_along_axis: what func1d, of one array of one axis, gives for all lines along the axis. It is mapped by
 * kn_vmap and cannot look at values; the axes of its result go where the axis was. ValueError if another axis is
 * empty */
KN_API kn_array kn_apply_along_axis(kn_fn func1d, int axis, kn_array arr);

/* A reduction along one axis, for kn_apply_over_axes; it may keep the axis or drop it. */
typedef kn_array (*kn_axis_func)(kn_array a, int axis);
/* np.apply_over_axes: applies func along one axis after the other, which stay with extent 1 */
KN_API kn_array kn_apply_over_axes(kn_axis_func func, kn_array a, const kn_axes *axes);

/* What kn_piecewise puts in one place: a function of one array that goes element by element, or (NULL) a value. */
typedef struct kn_piece { kn_fn function; kn_array value; } kn_piece;
/* np.piecewise: each piece where its condition holds (the last one wins), one more piece where none does, else 0; of
 * x's dtype. Functions see all of x */
KN_API kn_array kn_piecewise(kn_array x, kn_list condlist, int n, const kn_piece *funclist);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
static inline kn_piece kn_piece_function_(kn_fn f) { return (kn_piece){.function = f}; }
static inline kn_piece kn_piece_array_(kn_array x) { return (kn_piece){.value = x}; }
static inline kn_piece kn_piece_int_(int64_t i) { return (kn_piece){.value = kn_like_int(i)}; }
static inline kn_piece kn_piece_uint_(uint64_t i) { return (kn_piece){.value = kn_like_uint(i)}; }
static inline kn_piece kn_piece_double_(double v) { return (kn_piece){.value = kn_like_double(v)}; }
/* pieces are functions, numbers and arrays: kn_piecewise(x, KN_LIST(kn_less(x, 0)), KN_FN(f), 1) */
#define kn_piecewise(x, condlist, ...) KN_PIECEWISE_(__COUNTER__, KN_COUNT(__VA_ARGS__), x, condlist, __VA_ARGS__)
#define KN_PIECEWISE_(c, count, x, conditions, ...)                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_list KN_V(2, c) = (conditions); kn_piece KN_V(vec,            \
    c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_PIECE_PUT_, c, __VA_ARGS__) KN_HERE();                           \
    (kn_piecewise)(KN_V(1, c), KN_V(2, c), KN_V(cnt, c), KN_V(vec, c)); })
#define KN_PIECE_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = KN_PIECE_(__COUNTER__, a);
#define KN_PIECE_(c, x)                                                                                                \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), kn_fn: kn_piece_function_, kn_array:        \
    kn_piece_array_, KN_SIGNED(kn_piece_int_), KN_UNSIGNED(kn_piece_uint_), float: kn_piece_double_, double:           \
    kn_piece_double_)(KN_V(val, c)); })
#define kn_apply_along_axis(func1d, axis, arr) KN_APPLY_ALONG_AXIS_(__COUNTER__, func1d, axis, arr)
#define KN_APPLY_ALONG_AXIS_(c, func1d, axis, arr)                                                                     \
    __extension__({ KN_TAKE(kn_fn, 1, c, func1d) KN_TAKE(int, 2, c, axis) kn_array KN_V(3, c) = KN_LIKE(arr);          \
    KN_HERE(); (kn_apply_along_axis)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_apply_over_axes(func, a, axes) KN_APPLY_OVER_AXES_(__COUNTER__, func, a, axes)
#define KN_APPLY_OVER_AXES_(c, func, a, axes)                                                                          \
    __extension__({ KN_TAKE(kn_axis_func, 1, c, func) kn_array KN_V(2, c) = KN_LIKE(a); KN_TAKE(kn_axes, 3, c, axes)   \
    KN_HERE(); (kn_apply_over_axes)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#endif
#endif
