/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax.hpp -- the functions of kiln/lax.h in C++. */
/* Made by scripts/make-api.py from api/lax.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_HPP
#define KILN_CPP_LAX_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/lax/convolutions.hpp"
#include "kiln/cpp/lax/elementwise.hpp"
#include "kiln/cpp/lax/products.hpp"
#include "kiln/cpp/lax/reductions.hpp"
#include "kiln/cpp/lax/shapes.hpp"
#include "kiln/cpp/lax/slicing.hpp"
#include "kiln/cpp/lax/windows.hpp"

namespace kiln {
namespace lax {
struct psum_opts {
    KILN_OPTION((kn_axis_groups), axis_index_groups, {})
    kn_lax_psum_opts c() const {
        kn_lax_psum_opts to_ = {}; to_.size_ = sizeof to_; to_.axis_index_groups = detail::c_of(axis_index_groups);
        return to_; }
};
/* The sum over the lanes (jax.lax.psum); booleans count as int32. Of a C number: that number times the lanes, a C
 * number again. Without names x itself. */
inline array psum(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::psum_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_psum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_psum(x_h, axis, &opts_c))); }
using pmean_opts = ::kiln::lax::psum_opts;
/* The mean over the lanes (jax.lax.pmean); integers and booleans give the default float dtype. */
inline array pmean(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::psum_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_psum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_pmean(x_h, axis, &opts_c))); }
using pmax_opts = ::kiln::lax::psum_opts;
/* The maximum over the lanes (jax.lax.pmax). Not differentiable: NotImplementedError, as in JAX. */
inline array pmax(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::psum_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_psum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_pmax(x_h, axis, &opts_c))); }
using pmin_opts = ::kiln::lax::psum_opts;
/* The minimum over the lanes (jax.lax.pmin). Not differentiable. */
inline array pmin(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::psum_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_psum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_pmin(x_h, axis, &opts_c))); }
struct all_gather_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* where the lanes go, 0 */
    KILN_OPTION((bool), tiled, {}) /* along that axis of x, which must exist, instead of along a new one */
    KILN_OPTION((kn_axis_groups), axis_index_groups, {})
    kn_lax_all_gather_opts c() const {
        kn_lax_all_gather_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.tiled = detail::c_of(tiled); to_.axis_index_groups = detail::c_of(axis_index_groups); return to_; }
};
/* The x of all lanes, in order (jax.lax.all_gather). AxisError for an axis that the result does not have. */
inline array all_gather(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::all_gather_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_all_gather_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_all_gather(x_h, axis, &opts_c))); }
struct all_to_all_opts {
    KILN_OPTION((bool), tiled, {}) /* the parts keep split_axis, and concat_axis gets longer */
    KILN_OPTION((kn_axis_groups), axis_index_groups, {})
    kn_lax_all_to_all_opts c() const {
        kn_lax_all_to_all_opts to_ = {}; to_.size_ = sizeof to_; to_.tiled = detail::c_of(tiled);
        to_.axis_index_groups = detail::c_of(axis_index_groups); return to_; }
};
/* Cuts x along split_axis, gives each lane its part and puts together what comes along concat_axis, of the result
 * (jax.lax.all_to_all). Not tiled, the extent of split_axis is the number of lanes, and the axis goes; tiled, it is
 * a multiple: ValueError otherwise. */
inline array all_to_all(const ::kiln::operand &x, const ::kiln::axis_names &axis, int split_axis, int concat_axis, const
    ::kiln::lax::all_to_all_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_all_to_all_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_all_to_all(x_h, axis, split_axis, concat_axis, &opts_c))); }
struct psum_scatter_opts {
    KILN_OPTION((int), scatter_dimension, {})
    KILN_OPTION((bool), tiled, {}) /* each lane gets a part of scatter_dimension instead of one element of it */
    KILN_OPTION((kn_axis_groups), axis_index_groups, {})
    kn_lax_psum_scatter_opts c() const {
        kn_lax_psum_scatter_opts to_ = {}; to_.size_ = sizeof to_;
        to_.scatter_dimension = detail::c_of(scatter_dimension); to_.tiled = detail::c_of(tiled);
        to_.axis_index_groups = detail::c_of(axis_index_groups); return to_; }
};
/* The sum over the lanes, of which each lane keeps its part along scatter_dimension, 0 (jax.lax.psum_scatter).
 * ValueError if the extent there is not the number of lanes (tiled: a multiple of it). */
inline array psum_scatter(const ::kiln::operand &x, const ::kiln::axis_names &axis, const ::kiln::lax::psum_scatter_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_psum_scatter_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_psum_scatter(x_h, axis, &opts_c))); }
/* Lane `destination` gets the x of lane `source` for each pair (jax.lax.ppermute): kn_lax_ppermute(x, "i",
 * KN_PAIRS({0, 1}, {1, 0})). A lane that is no destination gets zeros; nobody may be source or destination twice
 * (ValueError); IndexError for a lane that does not exist. One axis only. */
inline array ppermute(const ::kiln::operand &x, const ::kiln::axis_names &axis, kn_lane_pairs perm, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_ppermute(x_h, axis,
    perm))); }
/* Lane k gets the x of lane perm[k] (jax.lax.pshuffle): kn_lax_pshuffle(x, "i", KN_LANES(1, 2, 0)). ValueError if
 * that is no permutation. */
inline array pshuffle(const ::kiln::operand &x, const ::kiln::axis_names &axis, kn_lanes perm, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_pshuffle(x_h, axis,
    perm))); }
/* Swaps the named axis and an axis of x (jax.lax.pswapaxes). ValueError if their extents differ. */
inline array pswapaxes(const ::kiln::operand &x, const ::kiln::axis_names &name, int axis, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_pswapaxes(x_h, name,
    axis))); }
/* The x of lane `source`, for all (jax.lax.pbroadcast). ValueError if there is no such lane. One axis only. */
inline array pbroadcast(const ::kiln::operand &x, const ::kiln::axis_names &axis, int64_t source, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_pbroadcast(x_h, axis,
    source))); }
/* The number of the lane, int32 (jax.lax.axis_index). */
inline array axis_index(const ::kiln::axis_names &axis, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_lax_axis_index(axis))); }
/* How many lanes there are (jax.lax.axis_size); -1 for an error. */
inline int64_t axis_size(const ::kiln::axis_names &axis, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_lax_axis_size(axis)); }
} // namespace lax
} // namespace kiln
#endif
