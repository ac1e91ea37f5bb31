/* SPDX-License-Identifier: Apache-2.0
 * kiln/sharding.h -- arrays that are spread over a mesh of devices (docs/sharding.md). A mesh has axes with names
 * and sizes; a sharding says which axes of the mesh cut which dimension of an array. kn_shard puts an array there;
 * from then on it is used as any other: operations with it run on the mesh.
 *
 * KILN_DEVICES=8 gives a process eight devices, each a thread. Meshes and shardings live as long as the process, and
 * equal ones are one pointer. */
/* Made by scripts/make-api.py from api/sharding.api. */
/* clang-format off */
#ifndef KILN_SHARDING_H
#define KILN_SHARDING_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Meshes. */
typedef const struct kni_mesh *kn_mesh;
typedef struct kn_make_mesh_opts {
    size_t size_;
    kn_array devices; /* NULL, the first ones, in order: their numbers, in C order of the mesh's axes */
    bool abstract;    /* no such devices need be there: for plans (kn_partition_jaxpr), not for arrays */
} kn_make_mesh_opts;
KN_API kn_make_mesh_opts kn_make_mesh_opts_default(void);
/* jax.make_mesh: a mesh whose axes have these sizes and names. ValueError: there are fewer devices, two axes have
 * one name, ... */
KN_API kn_mesh kn_make_mesh(const kn_shape *shape, const char *names, const kn_make_mesh_opts *opts);
KN_API kn_shape kn_mesh_shape(kn_mesh mesh);   /* the sizes of its axes */
/* the name of axis number `axis`; NULL and an AxisError */
KN_API const char *kn_mesh_axis_name(kn_mesh mesh, int axis);
/* the size of the axis of this name; -1 and a ValueError */
KN_API int64_t kn_mesh_axis_size(kn_mesh mesh, const char *name);
KN_API const char *kn_mesh_text(kn_mesh mesh); /* as people read it: "Mesh('data': 4, 'model': 2)" */
/* the device that the mesh is: arrays on it are committed to it. An array that kn_device_put puts there is not cut */
KN_API kn_device kn_mesh_device(kn_mesh mesh);

/* ---- Shardings. */
typedef const struct kni_sharding *kn_sharding;
/* jax.sharding.NamedSharding: which axes of the mesh cut which dimension: an entry for each dimension, with commas.
 * `data` cuts it into as many parts as that axis has devices, `(x, y)` by x and each part by y, `None` leaves it
 * whole, and so are dimensions without an entry. Along axes of the mesh that are not named all devices have the same
 * part. NULL and a ValueError with the place in the text */
KN_API kn_sharding kn_named_sharding(kn_mesh mesh, const char *spec);
/* as people read it: "NamedSharding(Mesh('data': 4, 'model': 2), (data, None))" */
KN_API const char *kn_sharding_text(kn_sharding sharding);
/* the spec alone, as kn_named_sharding takes it: "data, None" */
KN_API const char *kn_sharding_spec(kn_sharding sharding);
KN_API kn_mesh kn_sharding_mesh(kn_sharding sharding); /* its mesh */
/* whether arrays of so many dimensions lie in the same way by both: on every device the same part */
KN_API bool kn_sharding_is_equivalent(kn_sharding a, kn_sharding b, int ndim);
/* the shape of one device's part of an array of this shape. Extents that the parts do not divide are rounded up: the
 * last parts are shorter */
KN_API kn_shape kn_sharding_shard_shape(kn_sharding sharding, const kn_shape *shape);

/* ---- Arrays. */
/* x spread over the mesh, committed to it: operations with it run there, and their results lie as suits the
 * operations. While a function is recorded it is kn_with_sharding_constraint */
KN_API kn_array kn_shard(kn_array x, kn_sharding sharding);
/* a tree like this one of all its arrays, each spread so: "" for parameters that all devices have, "data" for
 * batches */
KN_API kn_tree kn_tree_shard(kn_tree tree, kn_sharding sharding);
/* jax.lax.with_sharding_constraint: x itself, which has to lie so where it is computed: what lies around it follows.
 * Outside of recorded functions it is kn_shard */
KN_API kn_array kn_with_sharding_constraint(kn_array x, kn_sharding sharding);
/* how x lies on its mesh; NULL if it is on a single device. What x waits for is run. A traced array has none:
 * ConcretizationError */
KN_API kn_sharding kn_sharding_of(kn_array x);
KN_API bool kn_is_fully_replicated(kn_array x);  /* whether each device that has a part of x has all of it */
KN_API bool kn_is_fully_addressable(kn_array x); /* whether all devices that have parts of x are of this process */

/* One device's part of an array. */
typedef struct kn_shard_info {
    int64_t device;  /* its number in the job */
    int64_t replica; /* of the devices that have the same part: 0, 1, ... */
    kn_shape start;  /* position of its first element in the array */
    kn_shape shape;  /* without padding: the last parts may be short, or empty */
    kn_array data;   /* its elements */
} kn_shard_info;
/* The parts of x that are in this process, in the order of the mesh's devices: puts the first n of them at `out` and
 * returns how many there are. An array that is on a single device is one part. The data are arrays of this scope, on
 * the host */
KN_API int kn_addressable_shards(kn_array x, int n, kn_shard_info *out);
/* The elements of an array from position `start` on, of this shape. */
typedef kn_array (*kn_shard_callback)(void *env, const kn_shape *start, const kn_shape *shape);
/* jax.make_array_from_callback: an array that was never anywhere as a whole: f is called for each different part of
 * this process, and gives its elements */
KN_API kn_array kn_make_array_from_callback(const kn_shape *shape, kn_dtype dtype, kn_sharding sharding,
    kn_shard_callback f, void *env);
typedef struct kn_make_array_from_process_local_data_opts {
    size_t size_;
    const kn_shape *shape; /* NULL, what the blocks of all processes make together: of the array */
} kn_make_array_from_process_local_data_opts;
KN_API kn_make_array_from_process_local_data_opts kn_make_array_from_process_local_data_opts_default(void);
/* jax.make_array_from_process_local_data: The array of which each process has given the part that its own devices
 * have, as one block. ValueError: those devices' parts are no block, or the block has another shape */
KN_API kn_array kn_make_array_from_process_local_data(kn_sharding sharding, kn_array local,
    const kn_make_array_from_process_local_data_opts *opts);
/* a drawing of which devices have which part of x, which has one or two dimensions */
KN_API const char *kn_visualize_array_sharding(kn_array x);
/* a drawing of which devices have which part of an array of this shape, which has one or two dimensions */
KN_API const char *kn_visualize_sharding(const kn_shape *shape, kn_sharding sharding);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_make_mesh(shape, names, ...) KN_MAKE_MESH_(__COUNTER__, shape, names, __VA_ARGS__)
#define KN_MAKE_MESH_(c, shape, names, ...)                                                                            \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(const char *, 2, c, names) KN_OPTS(c, kn_make_mesh_opts,    \
    (), __VA_ARGS__) KN_HERE(); (kn_make_mesh)(&KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_sharding_shard_shape(sharding, shape) KN_SHARDING_SHARD_SHAPE_(__COUNTER__, sharding, shape)
#define KN_SHARDING_SHARD_SHAPE_(c, sharding, shape)                                                                   \
    __extension__({ KN_TAKE(kn_sharding, 1, c, sharding) KN_TAKE(kn_shape, 2, c, shape) KN_HERE();                     \
    (kn_sharding_shard_shape)(KN_V(1, c), &KN_V(2, c)); })
#define kn_shard(x, sharding) KN_H1(kn_shard, x, kn_sharding, sharding)
#define kn_tree_shard(tree, sharding) KN_G2(kn_tree_shard, kn_tree, tree, kn_sharding, sharding)
#define kn_with_sharding_constraint(x, sharding) KN_H1(kn_with_sharding_constraint, x, kn_sharding, sharding)
#define kn_sharding_of(x) KN_F1(kn_sharding_of, x)
#define kn_is_fully_replicated(x) KN_F1(kn_is_fully_replicated, x)
#define kn_is_fully_addressable(x) KN_F1(kn_is_fully_addressable, x)
#define kn_addressable_shards(x, n, out) KN_H2(kn_addressable_shards, x, int, n, kn_shard_info *, out)
#define kn_make_array_from_callback(shape, dtype, sharding, f, env)                                                    \
    KN_MAKE_ARRAY_FROM_CALLBACK_(__COUNTER__, shape, dtype, sharding, f, env)
#define KN_MAKE_ARRAY_FROM_CALLBACK_(c, shape, dtype, sharding, f, env)                                                \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(kn_dtype, 2, c, dtype) KN_TAKE(kn_sharding, 3, c, sharding) \
    KN_TAKE(kn_shard_callback, 4, c, f) KN_TAKE(void *, 5, c, env) KN_HERE();                                          \
    (kn_make_array_from_callback)(&KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c)); })
#define kn_make_array_from_process_local_data(sharding, local, ...)                                                    \
    KN_MAKE_ARRAY_FROM_PROCESS_LOCAL_DATA_(__COUNTER__, sharding, local, __VA_ARGS__)
#define KN_MAKE_ARRAY_FROM_PROCESS_LOCAL_DATA_(c, sharding, local, ...)                                                \
    __extension__({ KN_TAKE(kn_sharding, 1, c, sharding) kn_array KN_V(2, c) = KN_LIKE(local); KN_OPTS(c,              \
    kn_make_array_from_process_local_data_opts, (), __VA_ARGS__) KN_HERE();                                            \
    (kn_make_array_from_process_local_data)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_visualize_array_sharding(x) KN_F1(kn_visualize_array_sharding, x)
#define kn_visualize_sharding(shape, sharding) KN_VISUALIZE_SHARDING_(__COUNTER__, shape, sharding)
#define KN_VISUALIZE_SHARDING_(c, shape, sharding)                                                                     \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(kn_sharding, 2, c, sharding) KN_HERE();                     \
    (kn_visualize_sharding)(&KN_V(1, c), KN_V(2, c)); })
#endif
#endif
