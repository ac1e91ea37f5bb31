/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax.h -- jax.lax under the names kn_lax_*: the operations that are one primitive each, one header per
 * chapter, and here the collectives. Control flow is in kiln/control.h, kn_associative_scan in
 * kiln/lax/reductions.h. */
/* Made by scripts/make-api.py from api/lax.api. */
/* clang-format off */
#ifndef KILN_LAX_H
#define KILN_LAX_H
#include "kiln/lax/convolutions.h"
#include "kiln/lax/elementwise.h"
#include "kiln/lax/products.h"
#include "kiln/lax/reductions.h"
#include "kiln/lax/shapes.h"
#include "kiln/lax/slicing.h"
#include "kiln/lax/windows.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Collectives: operations over the named axes of the vmaps around the recorded function. In kn_vmap(f,
 * .axis_name = "i") the function f sees one element of the mapped axis, a lane; a collective over "i" sees all of
 * them. A name that no vmap binds is a NameError ("unbound axis name: i"); of two equal names the inner one counts.
 *
 * An axis is a string, or several: KN_NAMES("i", "j"), the first being the major one. All of them can be used under
 * kn_jit, inside of further vmaps, and, but for kn_lax_pmax and kn_lax_pmin, kn_grad: the cotangent of a sum over
 * the lanes is the sum of the lanes' cotangents, as in JAX. */
typedef struct kn_axis_names { int n; const char *name[KN_MAX_ARGS]; } kn_axis_names;

/* n groups of `size` lanes each, one behind the other in `lane`. JAX takes groups under vmap only for the sum of a C
 * number; anything else is a NotImplementedError. {0}: all lanes are one group. */
typedef struct kn_axis_groups { int n, size; const int *lane; } kn_axis_groups;
typedef struct kn_lane_pair { int64_t source, destination; } kn_lane_pair;
typedef struct kn_lane_pairs { int n; const kn_lane_pair *pair; } kn_lane_pairs;
typedef struct kn_lanes { int n; const int64_t *lane; } kn_lanes;
typedef struct kn_lax_psum_opts { size_t size_; kn_axis_groups axis_index_groups; } kn_lax_psum_opts;
KN_API kn_lax_psum_opts kn_lax_psum_opts_default(void);
/* The sum over the lanes (jax.lax.psum); booleans count as int32. Of a C number: that number times the lanes, a C
 * number again. Without names x itself. */
KN_API kn_array kn_lax_psum(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts);
/* The mean over the lanes (jax.lax.pmean); integers and booleans give the default float dtype. */
KN_API kn_array kn_lax_pmean(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts);
/* The maximum over the lanes (jax.lax.pmax). Not differentiable: NotImplementedError, as in JAX. */
KN_API kn_array kn_lax_pmax(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts);
/* The minimum over the lanes (jax.lax.pmin). Not differentiable. */
KN_API kn_array kn_lax_pmin(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts);
typedef struct kn_lax_all_gather_opts {
    size_t size_;
    kn_axes axis;                     /* where the lanes go, 0 */
    bool tiled;                       /* along that axis of x, which must exist, instead of along a new one */
    kn_axis_groups axis_index_groups;
} kn_lax_all_gather_opts;
KN_API kn_lax_all_gather_opts kn_lax_all_gather_opts_default(void);
/* The x of all lanes, in order (jax.lax.all_gather). AxisError for an axis that the result does not have. */
KN_API kn_array kn_lax_all_gather(kn_array x, kn_axis_names axis, const kn_lax_all_gather_opts *opts);
typedef struct kn_lax_all_to_all_opts {
    size_t size_;
    bool tiled;                       /* the parts keep split_axis, and concat_axis gets longer */
    kn_axis_groups axis_index_groups;
} kn_lax_all_to_all_opts;
KN_API kn_lax_all_to_all_opts kn_lax_all_to_all_opts_default(void);
/* Cuts x along split_axis, gives each lane its part and puts together what comes along concat_axis, of the result
 * (jax.lax.all_to_all). Not tiled, the extent of split_axis is the number of lanes, and the axis goes; tiled, it is
 * a multiple: ValueError otherwise. */
KN_API kn_array kn_lax_all_to_all(kn_array x, kn_axis_names axis, int split_axis, int concat_axis,
    const kn_lax_all_to_all_opts *opts);
typedef struct kn_lax_psum_scatter_opts {
    size_t size_;
    int scatter_dimension;
    bool tiled;                       /* each lane gets a part of scatter_dimension instead of one element of it */
    kn_axis_groups axis_index_groups;
} kn_lax_psum_scatter_opts;
KN_API kn_lax_psum_scatter_opts kn_lax_psum_scatter_opts_default(void);
/* The sum over the lanes, of which each lane keeps its part along scatter_dimension, 0 (jax.lax.psum_scatter).
 * ValueError if the extent there is not the number of lanes (tiled: a multiple of it). */
KN_API kn_array kn_lax_psum_scatter(kn_array x, kn_axis_names axis, const kn_lax_psum_scatter_opts *opts);
/* Lane `destination` gets the x of lane `source` for each pair (jax.lax.ppermute): kn_lax_ppermute(x, "i",
 * KN_PAIRS({0, 1}, {1, 0})). A lane that is no destination gets zeros; nobody may be source or destination twice
 * (ValueError); IndexError for a lane that does not exist. One axis only. */
KN_API kn_array kn_lax_ppermute(kn_array x, kn_axis_names axis, kn_lane_pairs perm);
/* Lane k gets the x of lane perm[k] (jax.lax.pshuffle): kn_lax_pshuffle(x, "i", KN_LANES(1, 2, 0)). ValueError if
 * that is no permutation. */
KN_API kn_array kn_lax_pshuffle(kn_array x, kn_axis_names axis, kn_lanes perm);
/* Swaps the named axis and an axis of x (jax.lax.pswapaxes). ValueError if their extents differ. */
KN_API kn_array kn_lax_pswapaxes(kn_array x, kn_axis_names name, int axis);
/* The x of lane `source`, for all (jax.lax.pbroadcast). ValueError if there is no such lane. One axis only. */
KN_API kn_array kn_lax_pbroadcast(kn_array x, kn_axis_names axis, int64_t source);
KN_API kn_array kn_lax_axis_index(kn_axis_names axis); /* The number of the lane, int32 (jax.lax.axis_index). */
/* How many lanes there are (jax.lax.axis_size); -1 for an error. */
KN_API int64_t kn_lax_axis_size(kn_axis_names axis);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_NAMES(...) ((kn_axis_names){KN_COUNT(__VA_ARGS__), {__VA_ARGS__}})
/* A string or KN_NAMES. */
#define KN_NAMES_OF(x)                                                                                                 \
    _Generic((x), kn_axis_names: kn_names_same_, char *: kn_names_one_, const char *: kn_names_one_)(x)
static inline kn_axis_names kn_names_same_(kn_axis_names names) { return names; }
static inline kn_axis_names kn_names_one_(const char *name) { return (kn_axis_names){1, {name}}; }
#define KN_PAIRS(...)                                                                                                  \
    ((kn_lane_pairs){(int)(sizeof((const kn_lane_pair[]){__VA_ARGS__}) / sizeof(kn_lane_pair)),                        \
        (const kn_lane_pair[]){__VA_ARGS__}})
#define KN_LANES(...)                                                                                                  \
    ((kn_lanes){(int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}})
#define kn_lax_ppermute(x, axis, ...)                                                                                  \
    KN_H2(kn_lax_ppermute, x, kn_axis_names, KN_NAMES_OF(axis), kn_lane_pairs, (__VA_ARGS__))
#define kn_lax_pshuffle(x, axis, ...)                                                                                  \
    KN_H2(kn_lax_pshuffle, x, kn_axis_names, KN_NAMES_OF(axis), kn_lanes, (__VA_ARGS__))
#define kn_lax_psum(x, axis, ...)                                                                                      \
    KN_H1O(kn_lax_psum, kn_lax_psum_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_pmean(x, axis, ...)                                                                                     \
    KN_H1O(kn_lax_pmean, kn_lax_psum_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_pmax(x, axis, ...)                                                                                      \
    KN_H1O(kn_lax_pmax, kn_lax_psum_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_pmin(x, axis, ...)                                                                                      \
    KN_H1O(kn_lax_pmin, kn_lax_psum_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_all_gather(x, axis, ...)                                                                                \
    KN_H1O(kn_lax_all_gather, kn_lax_all_gather_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_all_to_all(x, axis, split_axis, concat_axis, ...)                                                       \
    KN_LAX_ALL_TO_ALL_(__COUNTER__, x, axis, split_axis, concat_axis, __VA_ARGS__)
#define KN_LAX_ALL_TO_ALL_(c, x, axis, split_axis, concat_axis, ...)                                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_axis_names KN_V(2, c) = KN_NAMES_OF(axis);                    \
    KN_TAKE(int, 3, c, split_axis) KN_TAKE(int, 4, c, concat_axis) KN_OPTS(c, kn_lax_all_to_all_opts, (), __VA_ARGS__) \
    KN_HERE(); (kn_lax_all_to_all)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_psum_scatter(x, axis, ...)                                                                              \
    KN_H1O(kn_lax_psum_scatter, kn_lax_psum_scatter_opts, (), x, kn_axis_names, KN_NAMES_OF(axis), __VA_ARGS__)
#define kn_lax_pswapaxes(x, name, axis) KN_H2(kn_lax_pswapaxes, x, kn_axis_names, KN_NAMES_OF(name), int, axis)
#define kn_lax_pbroadcast(x, axis, source)                                                                             \
    KN_H2(kn_lax_pbroadcast, x, kn_axis_names, KN_NAMES_OF(axis), int64_t, source)
#define kn_lax_axis_index(axis) KN_G1(kn_lax_axis_index, kn_axis_names, KN_NAMES_OF(axis))
#define kn_lax_axis_size(axis) KN_G1(kn_lax_axis_size, kn_axis_names, KN_NAMES_OF(axis))
#endif
#endif
