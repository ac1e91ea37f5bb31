/* SPDX-License-Identifier: Apache-2.0
 * meshes.c -- devices, meshes and shardings, and what is none. */
#include "values.h"

enum { LONG = 64 };

kn_device take_kn_device(const char *name)
{
    int i = pick_null(name, 2, 2);
    return i == 0 ? kn_find_device("host") : i == 1 ? kn_default_device() : i == 2 ? NULL : (kn_device)(uintptr_t)0x55;
}

kn_mesh take_kn_mesh(const char *name)
{
    int i = pick_null(name, 2, 2);
    return i < 2 ? (kn_make_mesh)(&(kn_shape){1, {1}}, i ? "y" : "x", NULL) : i == 2 ? NULL : (kn_mesh)(uintptr_t)0x55;
}

kn_sharding take_kn_sharding(const char *name)
{
    int i = pick_null(name, 3, 2);
    kn_mesh m = (kn_make_mesh)(&(kn_shape){1, {1}}, "x", NULL);
    return i < 3    ? kn_named_sharding(m, i == 0   ? ""
                                           : i == 1 ? "x"
                                                    : "None, x")
           : i == 3 ? NULL
                    : (kn_sharding)(uintptr_t)0x55;
}

m_kn_shard_info take_m_kn_shard_info(const char *name)
{
    static kn_shard_info out[LONG];
    results_taken += LONG;
    return pick_null(name, 1, 1) ? NULL : out;
}
