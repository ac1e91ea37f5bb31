/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/sharding.hpp -- the functions of kiln/sharding.h in C++. */
/* Made by scripts/make-api.py from api/sharding.api. */
/* clang-format off */
#ifndef KILN_CPP_SHARDING_HPP
#define KILN_CPP_SHARDING_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct make_mesh_opts {
    KILN_OPTION((::kiln::array), devices, {}) /* their numbers, in C order of the mesh's axes */
    KILN_OPTION((bool), abstract, {})
    kn_make_mesh_opts c() const {
        kn_make_mesh_opts to_ = {}; to_.size_ = sizeof to_; to_.devices = detail::c_of(devices);
        to_.abstract = detail::c_of(abstract); return to_; }
};
/* jax.make_mesh: a mesh whose axes have these sizes and names. ValueError: there are fewer devices, two axes have
 * one name, ... */
inline kn_mesh make_mesh(const ::kiln::shape &shape, const ::kiln::text &names, const ::kiln::make_mesh_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_make_mesh_opts opts_c = opts.c(); c_.here(); return c_.value(kn_make_mesh(&shape,
    names.c(), &opts_c)); }
/* the sizes of its axes */
inline ::kiln::shape mesh_shape(kn_mesh mesh, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_mesh_shape(mesh)); }
/* the name of axis number `axis`; NULL and an AxisError */
inline std::string mesh_axis_name(kn_mesh mesh, int axis, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_mesh_axis_name(mesh, axis)); }
/* the size of the axis of this name; -1 and a ValueError */
inline int64_t mesh_axis_size(kn_mesh mesh, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_mesh_axis_size(mesh, name.c())); }
/* as people read it: "Mesh('data': 4, 'model': 2)" */
inline std::string mesh_text(kn_mesh mesh, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_mesh_text(mesh)); }
/* the device that the mesh is: arrays on it are committed to it. An array that kn_device_put puts there is not cut */
inline kn_device mesh_device(kn_mesh mesh, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_mesh_device(mesh)); }
/* jax.sharding.NamedSharding: which axes of the mesh cut which dimension: an entry for each dimension, with commas.
 * `data` cuts it into as many parts as that axis has devices, `(x, y)` by x and each part by y, `None` leaves it
 * whole, and so are dimensions without an entry. Along axes of the mesh that are not named all devices have the same
 * part. NULL and a ValueError with the place in the text */
inline kn_sharding named_sharding(kn_mesh mesh, const ::kiln::text &spec, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_named_sharding(mesh, spec.c())); }
/* as people read it: "NamedSharding(Mesh('data': 4, 'model': 2), (data, None))" */
inline std::string sharding_text(kn_sharding sharding, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_sharding_text(sharding)); }
/* the spec alone, as kn_named_sharding takes it: "data, None" */
inline std::string sharding_spec(kn_sharding sharding, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_sharding_spec(sharding)); }
/* its mesh */
inline kn_mesh sharding_mesh(kn_sharding sharding, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_sharding_mesh(sharding)); }
/* whether arrays of so many dimensions lie in the same way by both: on every device the same part */
inline bool sharding_is_equivalent(kn_sharding a, kn_sharding b, int ndim, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_sharding_is_equivalent(a, b, ndim)); }
/* the shape of one device's part of an array of this shape. Extents that the parts do not divide are rounded up: the
 * last parts are shorter */
inline ::kiln::shape sharding_shard_shape(kn_sharding sharding, const ::kiln::shape &shape, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_sharding_shard_shape(sharding, &shape)); }
/* x spread over the mesh, committed to it: operations with it run there, and their results lie as suits the
 * operations. While a function is recorded it is kn_with_sharding_constraint */
inline array shard(const ::kiln::operand &x, kn_sharding sharding, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_shard(x_h, sharding))); }
namespace tree {
/* a tree like this one of all its arrays, each spread so: "" for parameters that all devices have, "data" for
 * batches */
inline pytree shard(const ::kiln::pytree &tree, kn_sharding sharding, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_shard(tree.c(), sharding))); }
} // namespace tree
/* jax.lax.with_sharding_constraint: x itself, which has to lie so where it is computed: what lies around it follows.
 * Outside of recorded functions it is kn_shard */
inline array with_sharding_constraint(const ::kiln::operand &x, kn_sharding sharding, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_with_sharding_constraint(x_h,
    sharding))); }
/* how x lies on its mesh; NULL if it is on a single device. What x waits for is run. A traced array has none:
 * ConcretizationError */
inline kn_sharding sharding_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_sharding_of(x_h)); }
/* whether each device that has a part of x has all of it */
inline bool is_fully_replicated(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_is_fully_replicated(x_h)); }
/* whether all devices that have parts of x are of this process */
inline bool is_fully_addressable(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_is_fully_addressable(x_h)); }
/* The parts of x that are in this process, in the order of the mesh's devices: puts the first n of them at `out` and
 * returns how many there are. An array that is on a single device is one part. The data are arrays of this scope, on
 * the host */
inline int addressable_shards(const ::kiln::operand &x, int n, kn_shard_info *out, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_addressable_shards(x_h, n, out)); }
/* jax.make_array_from_callback: an array that was never anywhere as a whole: f is called for each different part of
 * this process, and gives its elements */
inline array make_array_from_callback(const ::kiln::shape &shape, const ::kiln::dtype &dtype, kn_sharding sharding,
    kn_shard_callback f, void *env, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_make_array_from_callback(&shape, dtype, sharding, f,
    env))); }
struct make_array_from_process_local_data_opts {
    KILN_OPTION((::kiln::optional_shape), shape, {}) /* of the array */
    kn_make_array_from_process_local_data_opts c() const {
        kn_make_array_from_process_local_data_opts to_ = {}; to_.size_ = sizeof to_; to_.shape = detail::c_of(shape);
        return to_; }
};
/* jax.make_array_from_process_local_data: The array of which each process has given the part that its own devices
 * have, as one block. ValueError: those devices' parts are no block, or the block has another shape */
inline array make_array_from_process_local_data(kn_sharding sharding, const ::kiln::operand &local, const
    ::kiln::make_array_from_process_local_data_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array local_h = local.c(); kn_make_array_from_process_local_data_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_make_array_from_process_local_data(sharding, local_h, &opts_c))); }
/* a drawing of which devices have which part of x, which has one or two dimensions */
inline std::string visualize_array_sharding(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.text(kn_visualize_array_sharding(x_h)); }
/* a drawing of which devices have which part of an array of this shape, which has one or two dimensions */
inline std::string visualize_sharding(const ::kiln::shape &shape, kn_sharding sharding, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_visualize_sharding(&shape, sharding)); }
} // namespace kiln
#endif
