/* SPDX-License-Identifier: Apache-2.0
 * namespace_info.c -- the inspection of the array API standard. */
#include "kiln/numpy/introspection.h"
#include "lib/internal.h"
#include <string.h>

kn_array_namespace_capabilities kn_array_namespace_info_capabilities(void)
{
    return (kn_array_namespace_capabilities){true, true, KN_MAX_NDIM};
}

const char *kn_array_namespace_info_default_device(void) { return "cpu"; }
const char *kn_array_namespace_info_devices(int i) { return i == 0 ? "cpu" : NULL; }

static void check_device(kna_op *op, const char *device)
{
    if (device && strcmp(device, "cpu") != 0)
        kna_fail(op, KN_ERROR_VALUE, "Device not understood. Only \"cpu\" is allowed, but received: %s", device);
}

kn_array_namespace_default_dtypes kn_array_namespace_info_default_dtypes(const char *device)
{
    kna_op op;
    kna_begin(&op, "array_namespace_info_default_dtypes");
    check_device(&op, device);
    kn_dtype real = kna_default_float();
    bool ok = kna_end_plain(&op);
    if (!ok)
        return (kn_array_namespace_default_dtypes){NULL, NULL, NULL, NULL};
    return (kn_array_namespace_default_dtypes){real, real == KN_DT(F32) ? KN_DT(C64) : KN_DT(C128), KN_DT(I64),
                                               KN_DT(I64)};
}

kn_array_namespace_dtypes kn_array_namespace_info_dtypes(const char *device, const char *kind)
{
    static const struct {
        const char *name, *kinds;
    } groups[] = {{"bool", "b"},          {"signed integer", "i"},   {"unsigned integer", "u"}, {"integral", "iu"},
                  {"real floating", "f"}, {"complex floating", "c"}, {"numeric", "iufc"}};
    const kn_dtype all[] = {KN_DT(BOOL), KN_DT(I8),  KN_DT(I16), KN_DT(I32), KN_DT(I64), KN_DT(U8),  KN_DT(U16),
                            KN_DT(U32),  KN_DT(U64), KN_DT(F32), KN_DT(F64), KN_DT(C64), KN_DT(C128)};
    const char *kinds = kind ? NULL : "biufc";
    kn_array_namespace_dtypes r = {0};
    kna_op op;
    kna_begin(&op, "array_namespace_info_dtypes");
    check_device(&op, device);
    for (size_t i = 0; kind && i < sizeof groups / sizeof *groups; i++)
        kinds = strcmp(kind, groups[i].name) ? kinds : groups[i].kinds;
    if (!kinds)
        kna_fail(&op, KN_ERROR_VALUE, "unsupported kind: '%s'", kind);
    for (size_t i = 0; i < sizeof all / sizeof *all && !kna_failed(&op); i++)
        if (strchr(kinds, all[i]->kind))
            r.dtype[r.n++] = all[i];
    kna_end_plain(&op);
    return r;
}
