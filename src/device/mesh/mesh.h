/* SPDX-License-Identifier: Apache-2.0
 * mesh.h -- the device that a mesh is (docs/sharding.md): buffers whose memory is one part for each device of this
 * process, and programs that are partitioned for the shardings of their operands. */
#ifndef KN_DEVICE_MESH_MESH_H
#define KN_DEVICE_MESH_MESH_H
#include "device/device.h"
#include "ir/mesh.h"
#include "kiln/device.h"

typedef struct knd_mesh {
    knd_device head;
    const kni_mesh *mesh;
    int n_local;       /* devices of this process */
    int32_t *device;   /* their numbers in the job, ... */
    int64_t *in_mesh;  /* ... and in the mesh, in its order */
    kn_device_info *info;
} knd_mesh;

/* The device of a mesh, made and made known when it is asked for first; it stays. */
knx_error *knd_mesh_open(const kni_mesh *m, const knd_mesh **out);
static inline const knd_mesh *knd_mesh_of(const knd_device *d) /* NULL: it is no mesh */
{
    return d && d->mesh ? (const knd_mesh *)d : NULL;
}

/* ---- Parts (parts.c). */

/* The memory of a buffer of a mesh: of a value of type `type`, whose parts are C-contiguous, with padding, in plain
 * buffers of the host. Devices may share a buffer where they have equal parts: nobody writes to one that is shared. */
typedef struct knd_parts {
    kni_type type; /* of the whole; dims in `dim` */
    const kni_sharding *sharding;
    int n;              /* as many as n_local */
    knx_buffer **part;  /* a reference each */
    int64_t *dim;
} knd_parts;

/* What part of the value device i of the mesh has: elements start[d] .. start[d] + count[d] - 1; behind them is
 * padding up to extent[d]. */
typedef struct knd_box {
    int64_t start[KN_MAX_NDIM], count[KN_MAX_NDIM], extent[KN_MAX_NDIM];
} knd_box;
void knd_box_of(knd_box *box, kni_type t, const kni_sharding *s, int64_t in_mesh);
uint64_t knd_part_bytes(kni_type t, const kni_sharding *s); /* with padding */

/* What the mesh has of it, if it is a value of this type; NULL: nothing. */
const knd_parts *knd_parts_of(const knd_mesh *d, const knx_buffer *b, kni_type t);
/* A buffer on the mesh of these parts, whose references are taken over, also on failure. */
knx_error *knd_parts_buffer(const knd_mesh *d, kni_type t, const kni_sharding *s, knx_buffer *const *part,
                            knx_buffer **out);
/* The first local device that has the same part as number i of them. */
int knd_first_with_part(const knd_mesh *d, const kni_sharding *s, int i);
/* The same of parts that `make` makes for some of the local devices, the first one with each part; *part NULL without
 * an error: there is no memory. */
typedef knx_error *(*knd_part_maker)(void *env, int i, knx_buffer **part);
knx_error *knd_make_parts(const knd_mesh *d, kni_type t, const kni_sharding *s, knd_part_maker make, void *env,
                          knx_buffer **out);
/* Local device i's part of elements in C order, which have no padding; NULL without memory. */
knx_buffer *knd_pad_part(const knd_mesh *d, kni_type t, const kni_sharding *s, int i, const void *data);
/* The parts of a block of the value, in C order, which begins at `first` and has all parts of this process. */
knx_error *knd_cut_block(const knd_mesh *d, kni_type t, const kni_sharding *s, const int64_t *first,
                         const int64_t *extent, const void *data, knx_buffer **out);
/* The same of all elements, in C order. whole: the buffer that they lie in, which may be shared, so that values that
 * are not cut are not copied; NULL: there is none. */
knx_error *knd_cut_whole(const knd_mesh *d, kni_type t, const kni_sharding *s, const void *data, knx_buffer *whole,
                         knx_buffer **out);
/* All elements in C order. RuntimeError: some of them are in other processes. */
knx_error *knd_join_parts(const knd_mesh *d, const knd_parts *p, void *to);
/* One device's elements in C order, without padding; i: of the local ones. */
void knd_copy_part(const knd_mesh *d, const knd_parts *p, int i, void *to);
void knd_parts_free(knd_parts *p); /* NULL is fine */

/* ---- Programs (program.c). */

knx_error *knd_mesh_compile(const knd_device *d, const kni_jaxpr *j, const knc_compile_options *o, knd_loaded **out);
void knd_mesh_unload(knd_loaded *l);
knx_error *knd_mesh_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);
#endif
