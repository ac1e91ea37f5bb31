/* SPDX-License-Identifier: Apache-2.0
 * library.c -- an engine that is a shared library, found when it is asked for first. Nothing of it is ever unloaded:
 * drivers have threads and handlers of exit. */
#include "webgpu/library.h"
#include "base/log.h"
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

const char kng_how_to_get_one[] =
    "an engine is any library with the functions of webgpu.h: wgpu-native (`pip install wgpu` has it as wgpu/resources/"
    "libwgpu_native-release.so) or Dawn; on a machine without a GPU it needs a driver in software as well (Debian: "
    "mesa-vulkan-drivers); scripts/setup-webgpu.sh installs both; KILN_WEBGPU_LIBRARY says where the library is";
const bool kng_comes_late = false;

static const char *const known_names[] = {"libwgpu_native.so", "libwgpu_native-release.so", "libwebgpu_dawn.so",
                                          "libwebgpu.so",      "libwgpu_native.dylib",      "libwebgpu_dawn.dylib"};

static knx_error *find_in(void *library, const char *path, kng_api *api)
{
#define KNG_X(result, name, arguments)                                                                                \
    if (!(*(void **)&api->name = dlsym(library, "wgpu" #name)))                                                       \
        return knx_error_new(KN_ERROR_RUNTIME,                                                                        \
                             "'%s' is no WebGPU engine of the version that is needed: it has no function wgpu%s; %s", \
                             path, #name, kng_how_to_get_one);
    KNG_FUNCTIONS(KNG_X)
#undef KNG_X
#define KNG_X(result, name, arguments) *(void **)&api->name = dlsym(library, "wgpu" #name);
    KNG_EXTENSIONS(KNG_X)
#undef KNG_X
    return NULL;
}

static knx_error *find_library(const char *told, void **library, const char **path)
{
    if (told) {
        *path = told;
        *library = dlopen(told, RTLD_NOW | RTLD_LOCAL);
        const char *why = *library ? NULL : dlerror();
        return *library ? NULL
                        : knx_error_new(KN_ERROR_RUNTIME, "no WebGPU: KILN_WEBGPU_LIBRARY cannot be loaded: %s; %s",
                                        why ? why : told, kng_how_to_get_one);
    }
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        *path = known_names[i];
        if ((*library = dlopen(known_names[i], RTLD_NOW | RTLD_LOCAL)))
            return NULL;
    }
    return knx_error_new(KN_ERROR_RUNTIME, "no WebGPU: there is no engine here; %s", kng_how_to_get_one);
}

knx_error *kng_find_functions(kng_api *api, const char **name)
{
    void *library;
    KN_TRY(find_library(knx_env()->webgpu_library, &library, name));
    return find_in(library, *name, api);
}

enum { BUSY_NS = 50000, SHORTEST_NS = 10000, LONGEST_NS = 2000000 };

/* An engine's own poll could wait, too, but it does so inside of the driver, with no end: this way all engines are the
 * same, and a wait needs nobody who wakes it up, and ends when the device is lost. */
bool kng_let_pass(int64_t waited)
{
    int64_t moment = waited / 16;
    if (waited >= BUSY_NS)
        nanosleep(&(struct timespec){.tv_nsec = moment < SHORTEST_NS  ? SHORTEST_NS
                                                : moment > LONGEST_NS ? LONGEST_NS
                                                                      : moment},
                  NULL);
    return true;
}

void kng_watch_forks(void (*f)(void)) { pthread_atfork(NULL, NULL, f); }
