/* SPDX-License-Identifier: Apache-2.0
 * meshes.c -- meshes and shardings, and what is none. */
#include "values.h"

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
