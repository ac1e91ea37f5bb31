/* SPDX-License-Identifier: Apache-2.0
 * mesh.h -- meshes of devices and how a value is spread over one (docs/sharding.md). Both are interned: equal ones are
 * one pointer, which stays for the life of the process, so they are compared as pointers and may stand in keys. */
#ifndef KN_IR_MESH_H
#define KN_IR_MESH_H
#include "base/str.h"
#include "ir/type.h"

enum { KNI_MESH_AXES = 8, KNI_MESH_DEVICES = 1 << 20 };

/* Device i of the mesh, in C order of its axes, is number device[i] of the job: process p has the numbers from
 * p * local on, where `local` is how many devices each process has (KILN_DEVICES). */
typedef struct kni_mesh {
    int n_axis;
    const char *const *name;
    const int64_t *size;
    int64_t n_device; /* the product of the sizes */
    const int32_t *device;
    uint32_t number; /* of the mesh, in the order in which they were made, from 0 on: for texts and names */
} kni_mesh;

/* ValueError: two axes of one name, an empty name or one that is no identifier, a size below 1, a device that is twice
 * in it, too many axes. device NULL: 0, 1, 2, ... */
knx_error *kni_mesh_of(int n_axis, const char *const *name, const int64_t *size, const int32_t *device,
                       const kni_mesh **out);
bool kni_is_mesh(const void *p); /* from whatever pointer */
int kni_mesh_axis(const kni_mesh *m, const char *name, size_t n); /* by its name; -1: it has none */
/* Where device number i of the mesh is along axis a. */
int64_t kni_mesh_position(const kni_mesh *m, int64_t i, int axis);
/* The mesh as messages and jaxprs show it: "Mesh('data': 4, 'model': 2)". */
const char *kni_mesh_text(knx_text *t, const kni_mesh *m);

/* Some axes of a mesh, the major one first: (x, y) splits an extent by x, and each part by y. */
typedef struct kni_mesh_axes {
    uint8_t n, axis[KNI_MESH_AXES];
} kni_mesh_axes;
static inline bool kni_mesh_axes_equal(kni_mesh_axes a, kni_mesh_axes b)
{
    for (int i = 0; i < a.n && i < b.n; i++)
        if (a.axis[i] != b.axis[i])
            return false;
    return a.n == b.n;
}
int64_t kni_mesh_parts(const kni_mesh *m, kni_mesh_axes a); /* the product of their sizes; 1 of none */
uint32_t kni_mesh_axes_set(kni_mesh_axes a);                /* a bit per axis */
/* Which part of `kni_mesh_parts` device number i of the mesh has. */
int64_t kni_mesh_part(const kni_mesh *m, kni_mesh_axes a, int64_t i);

/* How a value lies: dimension d is cut into kni_mesh_parts(dim[d]) parts of ceil(extent / parts) elements, of which the
 * last ones may be short or empty; what is behind the extent there is padding of any content. A mesh axis that no
 * dimension has: every device along it has a copy. */
struct kni_sharding {
    const kni_mesh *mesh;
    int ndim;
    kni_mesh_axes dim[];
};

/* ValueError: an axis twice. */
knx_error *kni_sharding_of(const kni_mesh *m, int ndim, const kni_mesh_axes *dim, const kni_sharding **out);
/* The same of a value of more dimensions, which are whole; ValueError: it has fewer. */
knx_error *kni_sharding_for(const kni_sharding *s, int ndim, const kni_sharding **out);
bool kni_is_sharding(const void *p); /* from whatever pointer */
const kni_sharding *kni_replicated(const kni_mesh *m, int ndim); /* NULL without memory */
bool kni_is_replicated(const kni_sharding *s);
/* The elements along dimension d that one device has, padding with them; of an extent that is a number. */
static inline int64_t kni_part_extent(int64_t extent, int64_t parts) { return extent / parts + (extent % parts > 0); }
/* The type of one device's part: extents are put into the arena; sharding NULL. False without memory. */
bool kni_local_type(knx_arena *a, kni_type t, const kni_sharding *s, kni_type *out);
/* The same of a value whose first ndim dimensions are cut by these axes. */
bool kni_part_type(knx_arena *a, kni_type t, const kni_mesh *m, int ndim, const kni_mesh_axes *by, kni_type *out);

/* Texts of specs, as users write them and messages show them: "data, None, (x, y)"; "" of a scalar. Dimensions behind
 * the last one of the text are whole; ndim -1: as many as the text has. ValueError with the place in the text, the
 * names that the mesh has for one that it lacks. */
knx_error *kni_parse_spec(const kni_mesh *m, int ndim, const char *text, const kni_sharding **out);
void kni_add_mesh(knx_str *t, const kni_mesh *m);
void kni_add_spec_entry(knx_str *t, const kni_sharding *s, int d); /* of dimension d: "(x, y)" */
void kni_add_spec(knx_str *t, const kni_sharding *s);
void kni_add_sharding(knx_str *t, const kni_sharding *s);
/* The same for messages, cut where there is no more room. */
const char *kni_spec_text(knx_text *t, const kni_sharding *s);     /* "data, None, (x, y)" */
const char *kni_sharding_text(knx_text *t, const kni_sharding *s); /* "NamedSharding(Mesh('data': 4), (data, None))" */
#endif
