/* SPDX-License-Identifier: Apache-2.0
 * engine.c -- the engine, which is opened when it is asked for first; its adapters and their devices; what it tells of
 * errors. */
#include "base/clock.h"
#include "base/log.h"
#include "webgpu/gpu.h"
#include "webgpu/library.h"
#include <stdio.h>
#include <string.h>

static struct engine {
    bool open;
    kng_api api;
    WGPUInstance instance;
    int n;
    kng_gpu *gpu[KNG_ADAPTERS];
} engine;
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;

/* ---- Adapters. */

static void take_text(char *to, size_t room, WGPUStringView s)
{
    size_t n = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    n = n < room ? n : room - 1;
    if (n)
        memcpy(to, s.data, n);
    to[n] = 0;
}

/* A question to the engine. It outlives whoever gave up waiting, since the answer may still come. */
typedef struct asked {
    bool answered, given_up;
    WGPUAdapter adapter;
    WGPUDevice device;
    char message[KNG_MESSAGE];
} asked;

static void answer(asked *a, WGPUStringView message)
{
    take_text(a->message, sizeof a->message, message);
    a->answered = true;
    if (a->given_up)
        kng_drop(a);
}

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message, void *env, void *b)
{
    asked *a = env;
    (void)b;
    a->adapter = status == WGPURequestAdapterStatus_Success ? adapter : NULL;
    answer(a, message);
}

static const int64_t answered_within_ns = 20 * (int64_t)1000000000;

/* The answer; none after some 20 seconds. */
static asked wait_for(asked *a)
{
    int64_t begin = knx_nanoseconds(), waited = 0;
    while (!a->answered && waited < answered_within_ns) {
        engine.api.InstanceProcessEvents(engine.instance);
        waited = knx_nanoseconds() - begin;
        if (!a->answered && !kng_let_pass(waited))
            break;
    }
    asked said = *a;
    a->given_up = !said.answered;
    if (said.answered)
        kng_drop(a);
    else
        snprintf(said.message, sizeof said.message, "it does not answer");
    return said;
}

static WGPUAdapter request(WGPURequestAdapterOptions o)
{
    asked *a = kng_keep(sizeof *a);
    if (!a)
        return NULL;
    engine.api.InstanceRequestAdapter(engine.instance, &o,
                                      (WGPURequestAdapterCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                                       .callback = on_adapter,
                                                                       .userdata1 = a});
    return wait_for(a).adapter;
}

enum { PRIMARY = 1 | 4 | 8 | 32 }; /* wgpu-native: Vulkan, Metal, D3D12, a browser's */

/* All adapters of an engine that can list them, else those that several kinds of request give. */
static int list_adapters(WGPUAdapter *out, int most)
{
    const struct {
        const void *next;
        uint64_t backends;
    } primary = {NULL, PRIMARY};
    size_t n = 0;
    if (engine.api.InstanceEnumerateAdapters)
        n = engine.api.InstanceEnumerateAdapters(engine.instance, &primary, NULL);
    if (n && n <= (size_t)most)
        return (int)engine.api.InstanceEnumerateAdapters(engine.instance, &primary, out);
    n = 0;
    for (int i = 0; i < 3; i++) {
        WGPUAdapter a = request((WGPURequestAdapterOptions){
            .powerPreference = i == 1 ? WGPUPowerPreference_LowPower : WGPUPowerPreference_HighPerformance,
            .forceFallbackAdapter = i == 2});
        if (a)
            out[n++] = a;
    }
    return (int)n;
}

/* Those that a user would take first: a card of its own, then one of the processor's, then software. */
static int rank(const kng_gpu *g)
{
    bool old = g->backend == WGPUBackendType_OpenGL || g->backend == WGPUBackendType_OpenGLES ||
               g->backend == WGPUBackendType_D3D11;
    int type = g->type == WGPUAdapterType_DiscreteGPU     ? 0
               : g->type == WGPUAdapterType_IntegratedGPU ? 1
               : g->type == WGPUAdapterType_CPU           ? 3
                                                          : 2;
    return type + 4 * old;
}

static bool is_known(const kng_gpu *g)
{
    for (int i = 0; i < engine.n; i++)
        if (engine.gpu[i]->backend == g->backend && !strcmp(engine.gpu[i]->driver, g->driver))
            return true;
    return false;
}

static void look_at(kng_gpu *g)
{
    WGPUAdapterInfo info = {0};
    g->limits = (WGPULimits){0};
    if (g->api->AdapterGetInfo(g->adapter, &info) == WGPUStatus_Success) {
        take_text(g->label, sizeof g->label, info.device.length ? info.device : info.description);
        take_text(g->vendor, sizeof g->vendor, info.vendor);
        take_text(g->driver_name, sizeof g->driver_name, info.description);
        snprintf(g->driver, sizeof g->driver, "%s %.90s %s %x:%x", g->vendor, g->label, g->driver_name, info.vendorID,
                 info.deviceID);
        g->backend = info.backendType;
        g->type = info.adapterType;
        g->subgroup_min = info.subgroupMinSize;
        g->subgroup_max = info.subgroupMaxSize;
        g->api->AdapterInfoFreeMembers(info);
    }
    g->api->AdapterGetLimits(g->adapter, &g->limits);
    g->can_f16 = g->api->AdapterHasFeature(g->adapter, WGPUFeatureName_ShaderF16) != 0;
    g->can_subgroups = g->api->AdapterHasFeature(g->adapter, WGPUFeatureName_Subgroups) != 0 ||
                       g->api->AdapterHasFeature(g->adapter, KNG_OLD_SUBGROUPS) != 0;
    g->can_time = g->api->AdapterHasFeature(g->adapter, WGPUFeatureName_TimestampQuery) != 0;
}

/* In the order of their ranks; what is there twice, once. The adapter is the list's, or given back. */
static knx_error *add_adapter(WGPUAdapter adapter)
{
    kng_gpu *g = kng_keep(sizeof *g);
    if (!g) {
        engine.api.AdapterRelease(adapter);
        return knx_error_nomem();
    }
    *g = (kng_gpu){.api = &engine.api, .instance = engine.instance, .adapter = adapter, .mutex = KN_MUTEX_INIT};
    look_at(g);
    if (is_known(g) || engine.n == KNG_ADAPTERS) {
        engine.api.AdapterRelease(adapter);
        kng_drop(g);
        return NULL;
    }
    int at = engine.n++;
    for (; at && rank(engine.gpu[at - 1]) > rank(g); at--)
        engine.gpu[at] = engine.gpu[at - 1];
    engine.gpu[at] = g;
    return NULL;
}

static void forget_adapters(void)
{
    for (int i = 0; i < engine.n; i++) {
        knd_unregister(&engine.gpu[i]->device);
        engine.api.AdapterRelease(engine.gpu[i]->adapter);
        kng_drop(engine.gpu[i]);
    }
    engine.n = 0;
}

/* An engine of another age than this interface has other structures under the same names: its adapter's limits, which
 * lie behind all that was changed, tell. */
static knx_error *check_age(const char *path)
{
    for (int i = 0; i < engine.n; i++) {
        const WGPULimits *l = &engine.gpu[i]->limits;
        if (l->maxComputeWorkgroupsPerDimension < 65535 || l->maxComputeInvocationsPerWorkgroup < 64 ||
            l->maxStorageBuffersPerShaderStage < 4 || l->maxStorageBuffersPerShaderStage > 1u << 24)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "'%s' is no WebGPU engine of the version that is needed: the limits of its adapter "
                                 "make no sense; %s",
                                 path, kng_how_to_get_one);
    }
    return NULL;
}

static knx_error *add_adapters(const char *path)
{
    WGPUAdapter all[64];
    int n = list_adapters(all, 64);
    knx_error *error = NULL;
    for (int i = 0; i < n; i++) {
        if (error)
            engine.api.AdapterRelease(all[i]);
        else
            error = add_adapter(all[i]);
    }
    if (!error && !engine.n)
        error = knx_error_new(KN_ERROR_RUNTIME,
                              "no WebGPU: the engine '%s' finds no adapter: no driver of Vulkan, Metal or D3D12; %s",
                              path, kng_how_to_get_one);
    error = error ? error : check_age(path);
    for (int i = 0; !error && i < engine.n; i++) {
        kng_gpu *g = engine.gpu[i];
        snprintf(g->name, sizeof g->name, "webgpu:%d", i % KNG_ADAPTERS);
        kng_make_device(g);
        KN_LOG(1, "device %s: %s, by %s", g->name, g->label, path);
        error = knd_register(&g->device);
    }
    if (error)
        forget_adapters();
    return error;
}

/* A driver's threads are not in the child of a fork: there its adapters are lost, and nothing of them is given back. */
static void in_child(void)
{
    for (int i = 0; i < engine.n; i++) {
        kng_gpu *g = engine.gpu[i];
        g->lost = g->forked = true;
        snprintf(g->why_lost, sizeof g->why_lost, "this process is the fork of one that had opened it");
    }
}

static knx_error *open_engine(void)
{
    const char *name;
    KN_TRY(kng_find_functions(&engine.api, &name));
    if (!engine.instance)
        engine.instance = engine.api.CreateInstance(NULL);
    if (!engine.instance)
        return knx_error_new(KN_ERROR_RUNTIME, "no WebGPU: the engine '%s' does not start", name);
    KN_TRY(add_adapters(name));
    kng_watch_forks(in_child);
    return NULL;
}

knx_error *kng_open(void)
{
    knx_error *error = NULL;
    knx_global_lock_take(&lock);
    if (!engine.open) {
        error = open_engine();
        engine.open = !error;
    }
    knx_global_unlock(&lock);
    return error;
}

int kng_n_gpus(void) { return engine.n; }
kng_gpu *kng_gpu_at(int i) { return i >= 0 && i < engine.n ? engine.gpu[i] : NULL; }

/* ---- A device. */

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void *env, void *b)
{
    asked *a = env;
    (void)b;
    a->device = status == WGPURequestDeviceStatus_Success ? device : NULL;
    answer(a, message);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason, WGPUStringView message, void *env, void *b)
{
    kng_gpu *g = env;
    (void)device, (void)b;
    if (reason == WGPUDeviceLostReason_CallbackCancelled)
        return; /* the process ends */
    knx_mutex_lock(&g->mutex);
    if (!g->lost)
        take_text(g->why_lost, sizeof g->why_lost, message);
    g->lost = true;
    knx_mutex_unlock(&g->mutex);
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message, void *env, void *b)
{
    kng_gpu *g = env;
    (void)device, (void)b;
    knx_mutex_lock(&g->mutex);
    if (!g->failed) {
        g->failure = type;
        take_text(g->message, sizeof g->message, message);
    }
    g->failed = true;
    knx_mutex_unlock(&g->mutex);
}

static WGPUDevice request_device(kng_gpu *g, const WGPUFeatureName *feature, size_t n, char message[KNG_MESSAGE])
{
    WGPUDeviceDescriptor d = {
        .requiredFeatures = feature,
        .requiredFeatureCount = n,
        .requiredLimits = &g->limits,
        .deviceLostCallbackInfo = {.mode = WGPUCallbackMode_AllowSpontaneous, .callback = on_lost, .userdata1 = g},
        .uncapturedErrorCallbackInfo = {.callback = on_error, .userdata1 = g}};
    asked *a = kng_keep(sizeof *a);
    snprintf(message, KNG_MESSAGE, "there is no memory");
    if (!a)
        return NULL;
    g->api->AdapterRequestDevice(g->adapter, &d,
                                 (WGPURequestDeviceCallbackInfo){.mode = WGPUCallbackMode_AllowProcessEvents,
                                                                 .callback = on_device,
                                                                 .userdata1 = a});
    asked said = wait_for(a);
    memcpy(message, said.message, sizeof said.message);
    return said.device;
}

knx_error *kng_ready(kng_gpu *g)
{
    WGPUFeatureName feature[4];
    size_t n = 0;
    char message[KNG_MESSAGE];
    KN_TRY(kng_lost(g));
    if (g->handle)
        return NULL;
    if (g->can_time)
        feature[n++] = WGPUFeatureName_TimestampQuery;
    if (g->can_f16)
        feature[n++] = WGPUFeatureName_ShaderF16;
    for (int i = 0; g->can_subgroups && i < 2; i++) { /* the probe tries what came of it */
        WGPUFeatureName name = i ? KNG_OLD_SUBGROUPS : WGPUFeatureName_Subgroups;
        if (g->api->AdapterHasFeature(g->adapter, name))
            feature[n++] = name;
    }
    g->limits.nextInChain = NULL;
    g->handle = request_device(g, feature, n, message);
    if (!g->handle && n) { /* an engine that counts its features otherwise */
        g->can_time = g->can_f16 = g->can_subgroups = false;
        g->handle = request_device(g, NULL, 0, message);
    }
    if (!g->handle)
        return knx_error_new(KN_ERROR_RUNTIME, "device %s (%s) cannot be opened: %s", g->name, g->label, message);
    g->commands = g->api->DeviceGetQueue(g->handle);
    g->queue.number = 1;
    g->heap.next_id = 1;
    return NULL;
}

void kng_lose(kng_gpu *g)
{
    if (!g->handle)
        return;
    g->api->DeviceDestroy(g->handle);
    kng_pump(g);
    if (!g->lost)
        on_lost(NULL, WGPUDeviceLostReason_Destroyed, (WGPUStringView){"it was destroyed", WGPU_STRLEN}, g, NULL);
}

void kng_pump(kng_gpu *g)
{
    if (g->api->DevicePoll && !g->lost)
        g->api->DevicePoll(g->handle, false, NULL);
    g->api->InstanceProcessEvents(g->instance);
}

knx_error *kng_pump_again(kng_gpu *g, int64_t *since)
{
    int64_t now = knx_nanoseconds();
    *since = *since ? *since : now;
    g->waiting = true;
    bool passed = kng_let_pass(now - *since);
    g->waiting = false;
    kng_pump(g);
    return passed ? NULL
                  : knx_error_new(KN_ERROR_RUNTIME,
                                  "device '%s' is to be waited for, and a page does not wait in the midst of a call: "
                                  "await what reads (docs/browser.md, WebGPU)",
                                  g->name);
}

knx_error *kng_lost(const kng_gpu *g)
{
    if (g->waiting) /* whoever waits is suspended in the midst of something, and this is another call */
        return knx_error_new(KN_ERROR_RUNTIME,
                             "device '%s' is being waited for by a call that goes on: await that one first", g->name);
    return !g->lost ? NULL
                    : knx_error_new(KN_ERROR_RUNTIME, "device '%s' is lost: %s", g->name,
                                    g->why_lost[0] ? g->why_lost : "its engine does not say why");
}

knx_error *kng_check(kng_gpu *g, const char *what)
{
    char message[KNG_MESSAGE];
    knx_mutex_lock(&g->mutex);
    bool failed = g->failed;
    WGPUErrorType type = g->failure;
    memcpy(message, g->message, sizeof message);
    g->failed = false;
    knx_mutex_unlock(&g->mutex);
    if (g->lost)
        return kng_lost(g);
    if (!failed)
        return NULL;
    return type == WGPUErrorType_OutOfMemory
               ? knx_error_new(KN_ERROR_MEMORY, "device '%s' is out of memory, %s: %s", g->name, what, message)
               : knx_error_new(KN_ERROR_RUNTIME, "device '%s', %s: %s", g->name, what, message);
}
