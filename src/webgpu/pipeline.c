/* SPDX-License-Identifier: Apache-2.0
 * pipeline.c -- pipelines by their text. Those that nobody holds stay for the next who has the same text, the latest
 * of them, as many as KNG_IDLE and KNG_IDLE_TEXT allow; the layouts of bindings, of which there are few, stay all. */
#include "base/clock.h"
#include "base/log.h"
#include "webgpu/gpu.h"
#include <stdlib.h>
#include <string.h>

/* ---- Layouts: what a text declares is read from it. */

/* The declarations `@binding(N) var<...>`; false: there are none, or more than slots. */
static bool read_bindings(const char *text, kng_layout *l)
{
    bool any = false;
    *l = (kng_layout){0};
    for (const char *at = text; (at = strstr(at, "@binding(")) != NULL;) {
        long n = strtol(at + 9, NULL, 10);
        size_t length = strcspn(at, ";");
        const char *write = strstr(at, "read_write");
        at += length;
        any = true;
        if (n < 0 || n > KNG_SLOTS)
            return false;
        if (!n) {
            l->uniform = true;
            continue;
        }
        l->slots |= 1u << (n - 1);
        if (write && write < at)
            l->written |= 1u << (n - 1);
    }
    return any;
}

static WGPUBindGroupLayoutEntry entry(uint32_t binding, WGPUBufferBindingType type)
{
    return (WGPUBindGroupLayoutEntry){
        .binding = binding,
        .visibility = WGPUShaderStage_Compute,
        .buffer = {.type = type, .hasDynamicOffset = type == WGPUBufferBindingType_Uniform}};
}

static knx_error *make_layout(kng_gpu *g, kng_layout *l)
{
    WGPUBindGroupLayoutEntry e[KNG_SLOTS + 1];
    size_t n = 0;
    if (l->uniform)
        e[n++] = entry(0, WGPUBufferBindingType_Uniform);
    for (uint32_t i = 0; i < KNG_SLOTS; i++)
        if (l->slots >> i & 1)
            e[n++] = entry(1 + i,
                           l->written >> i & 1 ? WGPUBufferBindingType_Storage : WGPUBufferBindingType_ReadOnlyStorage);
    l->groups =
        g->api->DeviceCreateBindGroupLayout(g->handle, &(WGPUBindGroupLayoutDescriptor){.entryCount = n, .entries = e});
    KN_TRY(kng_check(g, "making a layout of bindings"));
    l->pipelines = g->api->DeviceCreatePipelineLayout(
        g->handle, &(WGPUPipelineLayoutDescriptor){.bindGroupLayoutCount = 1, .bindGroupLayouts = &l->groups});
    return kng_check(g, "making a layout of pipelines");
}

static void free_layout(kng_gpu *g, kng_layout *l)
{
    if (l->pipelines)
        g->api->PipelineLayoutRelease(l->pipelines);
    if (l->groups)
        g->api->BindGroupLayoutRelease(l->groups);
    kng_drop(l);
}

static knx_error *layout_for(kng_gpu *g, const char *text, const kng_layout **out)
{
    kng_layout want;
    if (!read_bindings(text, &want))
        return knx_error_new(KN_ERROR_RUNTIME, "device '%s': a shader with no bindings, or more than %d", g->name,
                             KNG_SLOTS);
    for (const kng_layout *l = g->pipelines.layout; l; l = l->next) {
        if (l->slots == want.slots && l->written == want.written && l->uniform == want.uniform) {
            *out = l;
            return NULL;
        }
    }
    kng_layout *l = kng_keep(sizeof *l);
    if (!l)
        return knx_error_nomem();
    *l = want;
    knx_error *error = make_layout(g, l);
    if (error) {
        free_layout(g, l);
        return error;
    }
    l->next = g->pipelines.layout;
    *out = g->pipelines.layout = l;
    return NULL;
}

/* ---- Pipelines. */

static void take_out(kng_pipelines *all, kng_pipeline *p)
{
    *(p->newer ? &p->newer->older : &all->newest) = p->older;
    *(p->older ? &p->older->newer : &all->oldest) = p->newer;
    p->newer = p->older = NULL;
    all->n_idle--;
    all->idle_text -= p->length;
}

static kng_pipeline **place_of(kng_gpu *g, uint64_t hash)
{
    return &g->pipelines.by_text[hash >> 32 & (KNG_PLACES - 1)];
}

static void destroy(kng_gpu *g, kng_pipeline *p)
{
    kng_pipeline **at = place_of(g, p->hash);
    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
    if (p->pipeline && !g->forked)
        g->api->ComputePipelineRelease(p->pipeline);
    kng_drop(p->text);
    kng_drop(p);
}

static knx_error *compile(kng_gpu *g, kng_pipeline *p)
{
    int64_t begin = knx_nanoseconds();
    WGPUShaderSourceWGSL source = {.chain = {.sType = WGPUSType_ShaderSourceWGSL}, .code = {p->text, p->length}};
    KN_TRY(layout_for(g, p->text, &p->layout));
    WGPUShaderModule module =
        g->api->DeviceCreateShaderModule(g->handle, &(WGPUShaderModuleDescriptor){.nextInChain = &source.chain});
    knx_error *error = kng_check(g, "compiling a shader");
    if (!error)
        p->pipeline = g->api->DeviceCreateComputePipeline(
            g->handle, &(WGPUComputePipelineDescriptor){.layout = p->layout->pipelines,
                                                        .compute = {.module = module, .entryPoint = {"main", 4}}});
    if (!error)
        error = kng_check(g, "making a pipeline");
    if (module)
        g->api->ShaderModuleRelease(module);
    KN_LOG(2, "device %s: pipeline %u, %zu bytes of WGSL, %.1f ms%s\n%s", g->name, p->number, p->length,
           1e-6 * (double)(knx_nanoseconds() - begin), error ? ", refused" : "", p->text);
    return error;
}

static knx_error *make(kng_gpu *g, const char *text, size_t length, uint64_t hash, kng_pipeline **out)
{
    kng_pipeline *p = kng_keep(sizeof *p);
    if (!p)
        return knx_error_nomem();
    *p = (kng_pipeline){.hash = hash, .length = length, .refs = 1, .number = g->pipelines.made};
    p->text = kng_keep(length + 1);
    knx_error *error = p->text ? NULL : knx_error_nomem();
    if (!error) {
        memcpy(p->text, text, length + 1);
        error = compile(g, p);
    }
    if (error) {
        destroy(g, p);
        return error;
    }
    p->next = *place_of(g, hash);
    *place_of(g, hash) = p;
    g->pipelines.made++;
    g->counters.pipelines++;
    kng_cache_keep(g, p);
    *out = p;
    return NULL;
}

knx_error *kng_pipeline_for(kng_gpu *g, const char *text, kng_pipeline **out)
{
    size_t length = strlen(text);
    uint64_t hash = knx_hash_bytes(text, length, 0);
    KN_TRY(kng_ready(g));
    for (kng_pipeline *p = *place_of(g, hash); p; p = p->next) {
        if (p->hash != hash || p->length != length || memcmp(p->text, text, length) != 0)
            continue;
        if (!p->refs++)
            take_out(&g->pipelines, p);
        g->counters.pipeline_hits++;
        *out = p;
        return NULL;
    }
    return make(g, text, length, hash, out);
}

void kng_pipeline_release(kng_gpu *g, kng_pipeline *p)
{
    kng_pipelines *all = &g->pipelines;
    if (!p || --p->refs)
        return;
    p->older = all->newest;
    *(p->older ? &p->older->newer : &all->oldest) = p;
    all->newest = p;
    all->n_idle++;
    all->idle_text += p->length;
    while (all->n_idle > KNG_IDLE || all->idle_text > KNG_IDLE_TEXT) {
        p = all->oldest;
        take_out(all, p);
        destroy(g, p);
        all->given_up++;
    }
}
