/* SPDX-License-Identifier: Apache-2.0
 * sharding_everywhere.h -- meshes of virtual devices and ways to spread a matrix over them, for tests that compare what
 * is spread with what is not. */
#ifndef KN_TEST_SHARDING_EVERYWHERE_H
#define KN_TEST_SHARDING_EVERYWHERE_H
#include "support/expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESH(names, ...) kn_make_mesh(KN_SHAPE(__VA_ARGS__), names)

static inline kn_mesh mesh42(void) { return MESH("x, y", 4, 2); }

/* Meshes of 1, 2, 3, 4 and 8 devices, also with axes of one device, with all specs of a matrix. */
static const struct {
    int ndim, size[3];
} meshes[] = {{1, {1}}, {1, {2}}, {1, {3}}, {2, {2, 2}}, {2, {4, 2}}, {3, {2, 2, 2}}, {2, {1, 4}}, {3, {1, 3, 1}}};
enum { MESHES = sizeof meshes / sizeof *meshes };
static const char *const specs[] = {"",          "x",        "None, x", "x, y", "y, x", "(x, y)", "None, (y, x)",
                                    "(x, y), z", "z, (y, x)"};
enum { SPECS = sizeof specs / sizeof *specs };

static inline kn_mesh mesh_number(int i)
{
    static const char *const names[] = {"", "x", "x, y", "x, y, z"};
    kn_shape s = {.ndim = meshes[i].ndim};
    for (int k = 0; k < s.ndim; k++)
        s.dim[k] = meshes[i].size[k];
    return (kn_make_mesh)(&s, names[s.ndim], NULL);
}

/* NULL: the mesh has no such axis. */
static inline kn_sharding spec_on(kn_mesh m, const char *spec)
{
    kn_sharding s = kn_mesh_shape(m).ndim < 3 && strchr(spec, 'z')   ? NULL
                    : kn_mesh_shape(m).ndim < 2 && strchr(spec, 'y') ? NULL
                                                                     : kn_named_sharding(m, spec);
    return s;
}

static inline int64_t count(kn_array x) { return kn_size(x); }

/* The same bits. */
static inline void expect_same(kn_array x, kn_array y, const char *what)
{
    kn_array a = kn_device_get(kn_copy(x)), b = kn_device_get(kn_copy(y));
    assert_ptr_equal(kn_dtype_of(a), kn_dtype_of(b));
    assert_int_equal(count(a), count(b));
    size_t bytes = (size_t)kn_nbytes(a);
    void *p = malloc(bytes + 1), *q = malloc(bytes + 1);
    kn_copy_to(a, p, bytes), kn_copy_to(b, q, bytes);
    expect_no_error();
    if (memcmp(p, q, bytes) != 0)
        fail_msg("%s: %s\nis not %s", what, kn_repr(a), kn_repr(b));
    free(p), free(q);
}

typedef void check(kn_array spread, kn_array plain, const char *what);

/* With all meshes and specs. */
static inline void everywhere(kn_array (*make)(void), check *f)
{
    for (int i = 0; i < MESHES; i++)
        for (int k = 0; k < SPECS; k++) {
            KN_SCOPE;
            kn_mesh m = mesh_number(i);
            kn_sharding s = spec_on(m, specs[k]);
            char what[80];
            if (!s)
                continue;
            snprintf(what, sizeof what, "%s, (%s)", kn_mesh_text(m), specs[k]);
            f(kn_shard(make(), s), make(), what);
            expect_no_error();
        }
}

static inline kn_array matrix(void) { return kn_reshape(kn_arange(0., 35., 1.), KN_SHAPE(7, 5)); }
#endif
