/* SPDX-License-Identifier: Apache-2.0
 * engines.c -- devices that are made known when somebody asks for them: "auto", and those of engines that are loaded at
 * run time. A file of its own, which registry.c may do without: a static program that names no device is linked without
 * all of them. Compiled twice, since the core alone has no engines. */
#include "device/device.h"
#include "device/offload/offload.h"
#include <string.h>

#if KN_HAVE_WEBGPU && !KN_CORE_ALONE
knx_error *kng_open(void); /* webgpu/engine.c: makes its devices known; does nothing the second time */
static knx_error *open_webgpu(void) { return kng_open(); }
#else
static knx_error *open_webgpu(void) { return NULL; }
#endif

knx_error *knd_open_engines(const char *name)
{
    if (name && !strcmp(name, "auto"))
        return knd_open_auto();
    return name && strncmp(name, "webgpu", strlen("webgpu")) != 0 ? NULL : open_webgpu();
}
