/* SPDX-License-Identifier: Apache-2.0
 * operands.c -- what the calls of all rows are made of: their operands, and results that are no single array. */
#include "coverage/operands.h"
#include <stdio.h>

kn_array b, d, f, g, h, i, j, n, q, r, s, t, u, v, w, x, y, z, image, kernel, local, key, half, three, ignored;

/* ---- Results. */

kn_array joined(kn_list list)
{
    kn_array part[64];
    int count = kn_list_count(list);
    if (count < 1 || count > 64) /* after an error */
        return NULL;
    for (int k = 0; k < count; k++) {
        kn_array one = kn_ravel(kn_list_get(list, k));
        part[k] = kn_iscomplexobj(one) ? one : kn_astype(one, KN_F64);
    }
    return kn_concatenate(kn_list_from(part, count));
}

kn_array text_array(const char *text)
{
    const char *at = text ? text : "";
    return kn_frombuffer(at, strlen(at), .dtype = KN_U8);
}

kn_array extents(kn_shape shape) { return kn_from(shape.dim, KN_SHAPE(shape.ndim)); }

kn_array raises(int good, int bad)
{
    kn_error_clear();
    return kn_of(int64_t, good != 0, bad != 0);
}

/* ---- Operands. */

void read_operands(golden *stored)
{
    static const struct operand {
        const char *name;
        kn_array *at;
    } operands[] = {{"b", &b},         {"d", &d},           {"f", &f},        {"g", &g}, {"h", &h}, {"i", &i},
                    {"j", &j},         {"n", &n},           {"q", &q},        {"r", &r}, {"s", &s}, {"t", &t},
                    {"u", &u},         {"v", &v},           {"w", &w},        {"x", &x}, {"y", &y}, {"z", &z},
                    {"image", &image}, {"kernel", &kernel}, {"local", &local}};
    for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
        char name[32];
        snprintf(name, sizeof name, "operand %s", operands[k].name);
        *operands[k].at = golden_array(golden_find(stored, name));
    }
    key = kn_random_key(42);
    half = kn_scalar(0.5);
    three = kn_scalar(3.0);
    ignored = NULL;
}
