/* SPDX-License-Identifier: Apache-2.0
 * tree_devices.c -- the arrays of a tree on another device, or on the host. */
#include "base/context.h"
#include "device/device.h"
#include "kiln/device.h"
#include "tree/tree.h"

kn_tree kntree_moved(const char *operation, kn_tree tree, kn_array (*move)(kn_array x, const void *where),
                     const void *where)
{
    kntree_tree *t = kntree_tree_get(operation, tree);
    kntree_structure *s = t && kntree_structure_in(operation, t) ? t->structure : NULL;
    kn_array *y = s ? knx_alloc(((size_t)t->n + 1) * sizeof *y) : NULL;
    if (!y) {
        if (s)
            kntree_tree_failed(operation, knx_error_nomem());
        return NULL;
    }
    bool fine = true;
    int made = 0;
    while (fine && made < t->n) {
        y[made] = move(t->at[made], where);
        fine = kn_ok(y[made++]);
    }
    for (int i = 0; !fine && i < made; i++)
        if (y[i])
            kn_release(y[i]);
    kn_tree moved = fine ? kntree_tree_new(operation, kntree_structure_retain(s), y) : NULL;
    knx_free(y);
    return moved;
}

static kn_array put(kn_array x, const void *device) { return (kn_device_put)(x, device); }

static kn_array get(kn_array x, const void *unused)
{
    (void)unused;
    return (kn_device_get)(x);
}

kn_tree kn_tree_device_put(kn_tree tree, kn_device device)
{
    if (knd_is_known(device))
        return kntree_moved("tree_device_put", tree, put, device);
    knx_report_new("tree_device_put", KN_ERROR_TYPE, device ? "this is no device" : "null device");
    return NULL;
}

kn_tree kn_tree_device_get(kn_tree tree) { return kntree_moved("tree_device_get", tree, get, NULL); }
