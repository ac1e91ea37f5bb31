/* SPDX-License-Identifier: Apache-2.0
 * web.c -- in WebAssembly the engine is what Kiln runs in: functions of webgpu.h over navigator.gpu. This file takes
 * the
 * structures apart, so that only numbers, bytes and names cross over to bindings/javascript/webgpu.mjs: no offset of a
 * structure is known there. Objects are numbers there, 0 is none; sizes of 64 bits go as doubles. Adapters and devices
 * were asked for before the module began, so those questions have their answers at once. */
#include "webgpu/gpu.h"
#include "webgpu/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB(name) __attribute__((import_module("kiln"), import_name("webgpu_" #name))) extern
typedef uint32_t object;
/* clang-format off */
WEB(why) int web_why(char *to, size_t room); /* why there is no adapter */
WEB(adapters) int web_adapters(void);
WEB(text) int web_text(object adapter, const char *name, size_t n, char *to, size_t room);
WEB(number) double web_number(object adapter, const char *name, size_t n);
WEB(feature) int web_feature(object adapter, const char *name, size_t n);
WEB(device) object web_device(object adapter, uint32_t lost, uint32_t lost_for, uint32_t error, uint32_t error_for);
WEB(destroy_device) void web_destroy_device(object device);
/* A shader of this text; a layout of n bindings {binding, type, has a dynamic offset}; ... */
WEB(shader) object web_shader(object device, const char *text, size_t n);
WEB(layout) object web_layout(object device, const uint32_t *bindings, size_t n);
WEB(pipeline_layout) object web_pipeline_layout(object device, object groups);
WEB(pipeline) object web_pipeline(object device, object layout, object shader, const char *entry, size_t n);
/* of n bindings {binding, buffer, offset, size} */
WEB(group) object web_group(object device, object layout, const double *bindings, size_t n);
WEB(buffer) object web_buffer(object device, double size, uint32_t usage);
WEB(destroy_buffer) void web_destroy_buffer(object buffer);
WEB(queries) object web_queries(object device, uint32_t n);
WEB(encoder) object web_encoder(object device);
WEB(pass) object web_pass(object encoder, object queries, uint32_t begin, uint32_t end);
WEB(copy) void web_copy(object encoder, object from, double from_at, object to, double to_at, double size);
WEB(resolve) void web_resolve(object encoder, object queries, uint32_t first, uint32_t n, object to, double at);
WEB(finish) object web_finish(object encoder);
WEB(set_pipeline) void web_set_pipeline(object pass, object pipeline);
WEB(set_group) void web_set_group(object pass, uint32_t index, object group, size_t n, const uint32_t *offsets);
WEB(dispatch) void web_dispatch(object pass, uint32_t x, uint32_t y, uint32_t z);
WEB(dispatch_indirect) void web_dispatch_indirect(object pass, object buffer, double at);
WEB(end) void web_end(object pass);
WEB(submit) void web_submit(object device, object commands); /* commands 0: nothing but what was written */
WEB(write) void web_write(object device, object buffer, double at, const void *from, size_t n);
/* What comes later is an event: the function that was given here, and whom it is for. */
WEB(done) void web_done(object device, uint32_t call, uint32_t a, uint32_t b);
WEB(map) void web_map(object buffer, double at, double n, uint32_t call, uint32_t a, uint32_t b);
WEB(read) int web_read(object buffer, double at, void *to, size_t n); /* of a mapped one */
WEB(unmap) void web_unmap(object buffer);
WEB(release) void web_release(object any);
/* The next event: its kind (0: there is none), its {function, a, b, status} and a text that ends in NUL. */
WEB(event) int web_event(uint32_t out[4], char *text, size_t room);
/* Suspends the program until there is an event, if what called it can be suspended and there is something to wait for;
 * else 0. */
WEB(wait) int web_wait(void);
/* clang-format on */
enum { EVENT_MAPPED = 1, EVENT_DONE, EVENT_LOST, EVENT_ERROR };

const char kng_how_to_get_one[] = "a page has WebGPU if it is served by https or from this machine, and its browser "
                                  "shows an adapter; openWebGPU() is to be awaited before the module is made "
                                  "(docs/browser.md)";
const bool kng_comes_late = true;

#define NUMBER(handle) ((object)(uintptr_t)(handle))
#define HANDLE(t, n)   ((t)(uintptr_t)(n))
#define LITERAL(text)  text, sizeof text - 1

/* ---- Adapters and devices. */

static WGPUInstance create_instance(const WGPUInstanceDescriptor *d)
{
    (void)d;
    return HANDLE(WGPUInstance, 1);
}

static size_t enumerate(WGPUInstance instance, const void *options, WGPUAdapter *out)
{
    size_t n = (size_t)web_adapters();
    (void)instance, (void)options;
    for (size_t i = 0; out && i < n; i++)
        out[i] = HANDLE(WGPUAdapter, i + 1);
    return n;
}

/* Those that there are can be listed. */
static WGPUFuture request_adapter(WGPUInstance i, const WGPURequestAdapterOptions *o, WGPURequestAdapterCallbackInfo c)
{
    (void)i, (void)o;
    c.callback(0, NULL, (WGPUStringView){kng_how_to_get_one, WGPU_STRLEN}, c.userdata1, c.userdata2);
    return (WGPUFuture){0};
}

enum { TEXT = 256, TEXTS = 3 };

static WGPUStringView text_of(WGPUAdapter a, const char *name, size_t n, char *room)
{
    int length = web_text(NUMBER(a), name, n, room, TEXT);
    return (WGPUStringView){room, length > 0 ? (size_t)length : 0};
}

static WGPUStatus get_info(WGPUAdapter a, WGPUAdapterInfo *out)
{
    char *room = malloc((size_t)TEXTS * TEXT);
    if (!room)
        return 0;
    *out = (WGPUAdapterInfo){.vendor = text_of(a, LITERAL("vendor"), room),
                             .device = text_of(a, LITERAL("device"), room + TEXT),
                             .description = text_of(a, LITERAL("description"), room + 2 * TEXT),
                             .backendType = WGPUBackendType_WebGPU,
                             .adapterType = web_number(NUMBER(a), LITERAL("isFallbackAdapter")) > 0
                                                ? WGPUAdapterType_CPU
                                                : WGPUAdapterType_Unknown,
                             .deviceID = NUMBER(a), /* two may have the same names */
                             .subgroupMinSize = (uint32_t)web_number(NUMBER(a), LITERAL("subgroupMinSize")),
                             .subgroupMaxSize = (uint32_t)web_number(NUMBER(a), LITERAL("subgroupMaxSize"))};
    return WGPUStatus_Success;
}

static void free_info(WGPUAdapterInfo i) { free((void *)(uintptr_t)i.vendor.data); }

#define LIMITS(X)                        \
    X(maxBindGroups)                     \
    X(maxBindingsPerBindGroup)           \
    X(maxStorageBuffersPerShaderStage)   \
    X(maxUniformBuffersPerShaderStage)   \
    X(maxUniformBufferBindingSize)       \
    X(maxStorageBufferBindingSize)       \
    X(minUniformBufferOffsetAlignment)   \
    X(minStorageBufferOffsetAlignment)   \
    X(maxBufferSize)                     \
    X(maxComputeWorkgroupStorageSize)    \
    X(maxComputeInvocationsPerWorkgroup) \
    X(maxComputeWorkgroupSizeX)          \
    X(maxComputeWorkgroupSizeY)          \
    X(maxComputeWorkgroupSizeZ)          \
    X(maxComputeWorkgroupsPerDimension)

static WGPUStatus get_limits(WGPUAdapter a, WGPULimits *out)
{
    *out = (WGPULimits){0};
#define KNG_X(name) out->name = (__typeof__(out->name))web_number(NUMBER(a), LITERAL(#name));
    LIMITS(KNG_X)
#undef KNG_X
    return WGPUStatus_Success;
}

static WGPUBool has_feature(WGPUAdapter a, WGPUFeatureName f)
{
    return f == WGPUFeatureName_TimestampQuery ? web_feature(NUMBER(a), LITERAL("timestamp-query"))
           : f == WGPUFeatureName_ShaderF16    ? web_feature(NUMBER(a), LITERAL("shader-f16"))
           : f == WGPUFeatureName_Subgroups    ? web_feature(NUMBER(a), LITERAL("subgroups"))
                                               : 0;
}

/* It was opened with all features and limits of its adapter. */
static WGPUFuture request_device(WGPUAdapter a, const WGPUDeviceDescriptor *d, WGPURequestDeviceCallbackInfo c)
{
    object device =
        web_device(NUMBER(a), NUMBER(d->deviceLostCallbackInfo.callback), NUMBER(d->deviceLostCallbackInfo.userdata1),
                   NUMBER(d->uncapturedErrorCallbackInfo.callback), NUMBER(d->uncapturedErrorCallbackInfo.userdata1));
    c.callback(device ? WGPURequestDeviceStatus_Success : 0, HANDLE(WGPUDevice, device),
               (WGPUStringView){device ? "" : "it is lost, or open already", WGPU_STRLEN}, c.userdata1, c.userdata2);
    return (WGPUFuture){0};
}

static void release_adapter(WGPUAdapter a) { (void)a; } /* another program in the page may have it, too */
static void destroy_device(WGPUDevice d) { web_destroy_device(NUMBER(d)); }
static void release_device(WGPUDevice d) { (void)d; }
static WGPUQueue get_queue(WGPUDevice d) { return HANDLE(WGPUQueue, NUMBER(d)); } /* it has one, and no other name */
static void release_queue(WGPUQueue q) { (void)q; }

/* ---- What is made once. */

static WGPUShaderModule create_shader(WGPUDevice d, const WGPUShaderModuleDescriptor *s)
{
    const WGPUShaderSourceWGSL *source = (const WGPUShaderSourceWGSL *)(const void *)s->nextInChain;
    return HANDLE(WGPUShaderModule, web_shader(NUMBER(d), source->code.data, source->code.length));
}

static WGPUComputePipeline create_pipeline(WGPUDevice d, const WGPUComputePipelineDescriptor *p)
{
    return HANDLE(WGPUComputePipeline, web_pipeline(NUMBER(d), NUMBER(p->layout), NUMBER(p->compute.module),
                                                    p->compute.entryPoint.data, p->compute.entryPoint.length));
}

enum { BINDINGS = 64 };

static WGPUBindGroupLayout create_layout(WGPUDevice d, const WGPUBindGroupLayoutDescriptor *l)
{
    uint32_t b[BINDINGS][3];
    size_t n = l->entryCount < BINDINGS ? l->entryCount : BINDINGS;
    for (size_t i = 0; i < n; i++) {
        const WGPUBindGroupLayoutEntry *e = &l->entries[i];
        b[i][0] = e->binding;
        b[i][1] = e->buffer.type;
        b[i][2] = e->buffer.hasDynamicOffset;
    }
    return HANDLE(WGPUBindGroupLayout, web_layout(NUMBER(d), b[0], n));
}

static WGPUPipelineLayout create_pipeline_layout(WGPUDevice d, const WGPUPipelineLayoutDescriptor *l)
{
    return HANDLE(WGPUPipelineLayout, web_pipeline_layout(NUMBER(d), NUMBER(l->bindGroupLayouts[0])));
}

static WGPUBindGroup create_group(WGPUDevice d, const WGPUBindGroupDescriptor *g)
{
    double b[BINDINGS][4];
    size_t n = g->entryCount < BINDINGS ? g->entryCount : BINDINGS;
    for (size_t i = 0; i < n; i++) {
        const WGPUBindGroupEntry *e = &g->entries[i];
        b[i][0] = e->binding;
        b[i][1] = NUMBER(e->buffer);
        b[i][2] = (double)e->offset;
        b[i][3] = e->size == WGPU_WHOLE_SIZE ? -1 : (double)e->size;
    }
    return HANDLE(WGPUBindGroup, web_group(NUMBER(d), NUMBER(g->layout), b[0], n));
}

static WGPUBuffer create_buffer(WGPUDevice d, const WGPUBufferDescriptor *b)
{
    return HANDLE(WGPUBuffer, web_buffer(NUMBER(d), (double)b->size, (uint32_t)b->usage));
}
static void destroy_buffer(WGPUBuffer b) { web_destroy_buffer(NUMBER(b)); }

static WGPUQuerySet create_queries(WGPUDevice d, const WGPUQuerySetDescriptor *q)
{
    return HANDLE(WGPUQuerySet, web_queries(NUMBER(d), q->count));
}

/* ---- Commands. */

static WGPUCommandEncoder create_encoder(WGPUDevice d, const void *how)
{
    (void)how;
    return HANDLE(WGPUCommandEncoder, web_encoder(NUMBER(d)));
}

static WGPUComputePassEncoder begin_pass(WGPUCommandEncoder e, const WGPUComputePassDescriptor *p)
{
    const WGPUPassTimestampWrites *t = p ? p->timestampWrites : NULL;
    object pass = t ? web_pass(NUMBER(e), NUMBER(t->querySet), t->beginningOfPassWriteIndex, t->endOfPassWriteIndex)
                    : web_pass(NUMBER(e), 0, 0, 0);
    return HANDLE(WGPUComputePassEncoder, pass);
}

static void copy(WGPUCommandEncoder e, WGPUBuffer from, uint64_t from_at, WGPUBuffer to, uint64_t to_at, uint64_t size)
{
    web_copy(NUMBER(e), NUMBER(from), (double)from_at, NUMBER(to), (double)to_at, (double)size);
}

static void resolve(WGPUCommandEncoder e, WGPUQuerySet q, uint32_t first, uint32_t n, WGPUBuffer to, uint64_t at)
{
    web_resolve(NUMBER(e), NUMBER(q), first, n, NUMBER(to), (double)at);
}

static WGPUCommandBuffer finish(WGPUCommandEncoder e, const void *how)
{
    (void)how;
    return HANDLE(WGPUCommandBuffer, web_finish(NUMBER(e)));
}

static void set_pipeline(WGPUComputePassEncoder p, WGPUComputePipeline l) { web_set_pipeline(NUMBER(p), NUMBER(l)); }
static void set_group(WGPUComputePassEncoder p, uint32_t index, WGPUBindGroup g, size_t n, const uint32_t *offsets)
{
    web_set_group(NUMBER(p), index, NUMBER(g), n, offsets);
}
static void dispatch(WGPUComputePassEncoder p, uint32_t x, uint32_t y, uint32_t z) { web_dispatch(NUMBER(p), x, y, z); }
static void dispatch_indirect(WGPUComputePassEncoder p, WGPUBuffer b, uint64_t at)
{
    web_dispatch_indirect(NUMBER(p), NUMBER(b), (double)at);
}
static void end_pass(WGPUComputePassEncoder p) { web_end(NUMBER(p)); }

static void submit(WGPUQueue q, size_t n, const WGPUCommandBuffer *c)
{
    for (size_t i = 0; i < n; i++)
        web_submit(NUMBER(q), NUMBER(c[i]));
    if (!n)
        web_submit(NUMBER(q), 0);
}

static void write_buffer(WGPUQueue q, WGPUBuffer b, uint64_t at, const void *from, size_t n)
{
    web_write(NUMBER(q), NUMBER(b), (double)at, from, n);
}

/* ---- What comes later. */

static WGPUFuture on_done(WGPUQueue q, WGPUQueueWorkDoneCallbackInfo c)
{
    web_done(NUMBER(q), NUMBER(c.callback), NUMBER(c.userdata1), NUMBER(c.userdata2));
    return (WGPUFuture){0};
}

static WGPUFuture map(WGPUBuffer b, WGPUMapMode mode, size_t at, size_t n, WGPUBufferMapCallbackInfo c)
{
    (void)mode;
    web_map(NUMBER(b), (double)at, (double)n, NUMBER(c.callback), NUMBER(c.userdata1), NUMBER(c.userdata2));
    return (WGPUFuture){0};
}

static WGPUStatus read_mapped(WGPUBuffer b, size_t at, void *to, size_t n)
{
    return web_read(NUMBER(b), (double)at, to, n) ? WGPUStatus_Success : 0;
}

static void unmap(WGPUBuffer b) { web_unmap(NUMBER(b)); }

static void process_events(WGPUInstance instance)
{
    static char text[1024];
    uint32_t e[4];
    int kind;
    (void)instance;
    while ((kind = web_event(e, text, sizeof text)) != 0) {
        WGPUStringView message = {text, WGPU_STRLEN};
        uintptr_t call = e[0];
        void *a = HANDLE(void *, e[1]), *b = HANDLE(void *, e[2]);
        if (kind == EVENT_MAPPED)
            ((WGPUBufferMapCallback)call)(e[3], message, a, b);
        else if (kind == EVENT_DONE)
            ((WGPUQueueWorkDoneCallback)call)(e[3], message, a, b);
        else if (kind == EVENT_LOST)
            ((WGPUDeviceLostCallback)call)(NULL, e[3], message, a, b);
        else
            ((WGPUUncapturedErrorCallback)call)(NULL, e[3], message, a, b);
    }
}

bool kng_let_pass(int64_t waited)
{
    (void)waited;
    return web_wait() != 0;
}

void kng_watch_forks(void (*f)(void)) { (void)f; } /* there are none */

/* ---- All of them. */

#define RELEASE(t) \
    static void release_##t(WGPU##t x) { web_release(NUMBER(x)); }
RELEASE(CommandEncoder)
RELEASE(CommandBuffer)
RELEASE(ComputePassEncoder)
RELEASE(Buffer)
RELEASE(ShaderModule)
RELEASE(ComputePipeline)
RELEASE(BindGroup)
RELEASE(BindGroupLayout)
RELEASE(PipelineLayout)
RELEASE(QuerySet)

static const kng_api functions = {
    .CreateInstance = create_instance,
    .InstanceRequestAdapter = request_adapter,
    .InstanceProcessEvents = process_events,
    .AdapterGetInfo = get_info,
    .AdapterInfoFreeMembers = free_info,
    .AdapterGetLimits = get_limits,
    .AdapterHasFeature = has_feature,
    .AdapterRequestDevice = request_device,
    .AdapterRelease = release_adapter,
    .DeviceGetQueue = get_queue,
    .DeviceCreateShaderModule = create_shader,
    .DeviceCreateComputePipeline = create_pipeline,
    .DeviceCreateBindGroupLayout = create_layout,
    .DeviceCreatePipelineLayout = create_pipeline_layout,
    .DeviceCreateBindGroup = create_group,
    .DeviceCreateBuffer = create_buffer,
    .DeviceCreateCommandEncoder = create_encoder,
    .DeviceCreateQuerySet = create_queries,
    .DeviceDestroy = destroy_device,
    .DeviceRelease = release_device,
    .CommandEncoderBeginComputePass = begin_pass,
    .CommandEncoderCopyBufferToBuffer = copy,
    .CommandEncoderResolveQuerySet = resolve,
    .CommandEncoderFinish = finish,
    .CommandEncoderRelease = release_CommandEncoder,
    .CommandBufferRelease = release_CommandBuffer,
    .ComputePassEncoderSetPipeline = set_pipeline,
    .ComputePassEncoderSetBindGroup = set_group,
    .ComputePassEncoderDispatchWorkgroups = dispatch,
    .ComputePassEncoderDispatchWorkgroupsIndirect = dispatch_indirect,
    .ComputePassEncoderEnd = end_pass,
    .ComputePassEncoderRelease = release_ComputePassEncoder,
    .QueueSubmit = submit,
    .QueueWriteBuffer = write_buffer,
    .QueueOnSubmittedWorkDone = on_done,
    .QueueRelease = release_queue,
    .BufferMapAsync = map,
    .BufferUnmap = unmap,
    .BufferDestroy = destroy_buffer,
    .BufferRelease = release_Buffer,
    .ShaderModuleRelease = release_ShaderModule,
    .ComputePipelineRelease = release_ComputePipeline,
    .BindGroupRelease = release_BindGroup,
    .BindGroupLayoutRelease = release_BindGroupLayout,
    .PipelineLayoutRelease = release_PipelineLayout,
    .QuerySetRelease = release_QuerySet,
    .BufferReadMappedRange = read_mapped,
    .InstanceEnumerateAdapters = enumerate,
};

knx_error *kng_find_functions(kng_api *api, const char **name)
{
    char why[512] = "";
    *name = "navigator.gpu";
    *api = functions;
    if (web_adapters() > 0)
        return NULL;
    web_why(why, sizeof why);
    return knx_error_new(KN_ERROR_RUNTIME, "no WebGPU: %s; %s", why[0] ? why : "openWebGPU() was not called",
                         kng_how_to_get_one);
}

/* ---- What a page calls before and between its calls of Kiln. None of it waits; errors come with what is read. */

#define EXPORT(name) __attribute__((export_name(#name)))
EXPORT(kiln_webgpu_begin) int kiln_webgpu_begin(void);
EXPORT(kiln_webgpu_flush) void kiln_webgpu_flush(void);

/* Makes the devices known, and begins to find out how they compute. How many there are. */
int kiln_webgpu_begin(void)
{
    knx_error *error = kng_open();
    knd_lock();
    for (int i = 0; !error && i < kng_n_gpus(); i++)
        error = kng_begin_facts(kng_gpu_at(i));
    knd_unlock();
    knx_error_release(error);
    return kng_n_gpus();
}

/* Submits what is recorded. */
void kiln_webgpu_flush(void)
{
    knd_lock();
    for (int i = 0; i < kng_n_gpus(); i++)
        knx_error_release(kng_flush(kng_gpu_at(i)));
    knd_unlock();
}
