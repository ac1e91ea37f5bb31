/* SPDX-License-Identifier: Apache-2.0
 * abi_facts.c -- a program of its own that prints sizes, offsets and numbers of webgpu.h: once compiled with Kiln's
 * declarations (src/webgpu/abi.h), once with an engine's header (-DKN_THEIRS='"webgpu.h"'). Both must print the same. */
#ifdef KN_THEIRS
#include KN_THEIRS
#else
#include "webgpu/abi.h"
#endif
#include <stddef.h>
#include <stdio.h>

/* clang-format off */
#define NUMBERS(X)                                                                                                     \
    X(WGPUAdapterType_DiscreteGPU)                                                                                     \
    X(WGPUAdapterType_IntegratedGPU) X(WGPUAdapterType_CPU) X(WGPUAdapterType_Unknown) X(WGPUBackendType_Null)         \
        X(WGPUBackendType_WebGPU) X(WGPUBackendType_D3D11) X(WGPUBackendType_D3D12) X(WGPUBackendType_Metal) X(        \
            WGPUBackendType_Vulkan) X(WGPUBackendType_OpenGL) X(WGPUBackendType_OpenGLES)                              \
            X(WGPUBufferBindingType_Uniform) X(WGPUBufferBindingType_Storage) X(WGPUBufferBindingType_ReadOnlyStorage) \
                X(WGPUBufferUsage_MapRead) X(WGPUBufferUsage_CopySrc) X(WGPUBufferUsage_CopyDst)                       \
                    X(WGPUBufferUsage_Uniform) X(WGPUBufferUsage_Storage) X(WGPUBufferUsage_Indirect) X(WGPUBufferUsage_QueryResolve) \
                        X(WGPUCallbackMode_AllowProcessEvents) X(WGPUCallbackMode_AllowSpontaneous)                    \
                            X(WGPUDeviceLostReason_Destroyed) X(WGPUDeviceLostReason_CallbackCancelled)                \
                                X(WGPUErrorType_Validation) X(WGPUErrorType_OutOfMemory) X(WGPUErrorType_Internal)     \
                                    X(WGPUFeatureName_TimestampQuery) X(WGPUFeatureName_ShaderF16)                     \
                                        X(WGPUFeatureName_Subgroups) X(WGPUMapAsyncStatus_Success) X(WGPUMapMode_Read) \
                                            X(WGPUPowerPreference_LowPower) X(WGPUPowerPreference_HighPerformance)     \
                                                X(WGPUQueryType_Timestamp) X(WGPUQueueWorkDoneStatus_Success)          \
                                                    X(WGPURequestAdapterStatus_Success)                                \
                                                        X(WGPURequestDeviceStatus_Success)                             \
                                                            X(WGPUSType_ShaderSourceWGSL) X(WGPUShaderStage_Compute)   \
                                                                X(WGPUStatus_Success)

/* Each member that Kiln sets or reads. */
#define MEMBERS(X)                                                                                                     \
    X(WGPUChainedStruct, sType)                                                                                        \
    X(WGPUStringView, length) X(WGPUFuture, id) X(WGPUInstanceDescriptor, requiredFeatures) X(                         \
        WGPURequestAdapterOptions, featureLevel) X(WGPURequestAdapterOptions,                                          \
                                                   powerPreference) X(WGPURequestAdapterOptions, forceFallbackAdapter) \
        X(WGPURequestAdapterOptions, backendType) X(WGPUAdapterInfo, vendor) X(WGPUAdapterInfo, device) X(             \
            WGPUAdapterInfo, description) X(WGPUAdapterInfo, backendType) X(WGPUAdapterInfo, adapterType)              \
            X(WGPUAdapterInfo, vendorID) X(WGPUAdapterInfo, deviceID) X(WGPUAdapterInfo, subgroupMinSize) X(           \
                WGPUAdapterInfo, subgroupMaxSize) X(WGPULimits, maxBindGroups) X(WGPULimits,                           \
                                                                                 maxStorageBuffersPerShaderStage)      \
                X(WGPULimits, maxUniformBufferBindingSize) X(WGPULimits, maxStorageBufferBindingSize) X(               \
                    WGPULimits, minUniformBufferOffsetAlignment) X(WGPULimits, minStorageBufferOffsetAlignment)        \
                    X(WGPULimits, maxBufferSize) X(WGPULimits, maxComputeWorkgroupStorageSize) X(                      \
                        WGPULimits, maxComputeInvocationsPerWorkgroup) X(WGPULimits, maxComputeWorkgroupSizeX)         \
                        X(WGPULimits, maxComputeWorkgroupsPerDimension) X(WGPULimits, maxImmediateSize) X(             \
                            WGPURequestAdapterCallbackInfo,                                                            \
                            mode) X(WGPURequestAdapterCallbackInfo,                                                    \
                                    callback) X(WGPURequestAdapterCallbackInfo,                                        \
                                                userdata1) X(WGPURequestDeviceCallbackInfo, userdata1)                 \
                            X(WGPUBufferMapCallbackInfo, userdata1) X(WGPUQueueWorkDoneCallbackInfo, userdata1) X(     \
                                WGPUDeviceLostCallbackInfo,                                                            \
                                userdata1) X(WGPUUncapturedErrorCallbackInfo,                                          \
                                             callback) X(WGPUUncapturedErrorCallbackInfo,                              \
                                                         userdata1) X(WGPUDeviceDescriptor, requiredFeatureCount)      \
                                X(WGPUDeviceDescriptor, requiredFeatures) X(WGPUDeviceDescriptor, requiredLimits) X(   \
                                    WGPUDeviceDescriptor,                                                              \
                                    deviceLostCallbackInfo) X(WGPUDeviceDescriptor, uncapturedErrorCallbackInfo)       \
                                    X(WGPUShaderModuleDescriptor,                                                      \
                                      label) X(WGPUShaderSourceWGSL,                                                   \
                                               code) X(WGPUComputeState,                                               \
                                                       module) X(WGPUComputeState,                                     \
                                                                 entryPoint) X(WGPUComputePipelineDescriptor, layout)  \
                                        X(WGPUComputePipelineDescriptor, compute) X(WGPUBufferBindingLayout, type) X(  \
                                            WGPUBufferBindingLayout,                                                   \
                                            hasDynamicOffset) X(WGPUBufferBindingLayout, minBindingSize)               \
                                            X(WGPUBindGroupLayoutEntry,                                                \
                                              binding) X(WGPUBindGroupLayoutEntry,                                     \
                                                         visibility) X(WGPUBindGroupLayoutEntry, buffer)               \
                                                X(WGPUBindGroupLayoutDescriptor,                                       \
                                                  entries) X(WGPUPipelineLayoutDescriptor, bindGroupLayouts)           \
                                                    X(WGPUBindGroupEntry, binding) X(WGPUBindGroupEntry, buffer)       \
                                                        X(WGPUBindGroupEntry, offset) X(WGPUBindGroupEntry, size) X(   \
                                                            WGPUBindGroupDescriptor,                                   \
                                                            layout) X(WGPUBindGroupDescriptor, entries)                \
                                                            X(WGPUBufferDescriptor,                                    \
                                                              usage) X(WGPUBufferDescriptor,                           \
                                                                       size) X(WGPUPassTimestampWrites, querySet)      \
                                                                X(WGPUPassTimestampWrites, beginningOfPassWriteIndex)  \
                                                                    X(WGPUPassTimestampWrites, endOfPassWriteIndex)    \
                                                                        X(WGPUComputePassDescriptor, timestampWrites)  \
                                                                            X(WGPUQuerySetDescriptor, type)            \
                                                                                X(WGPUQuerySetDescriptor, count)

#define SIZES(X)                                                                                          \
    X(WGPUInstanceDescriptor)                                                                             \
    X(WGPURequestAdapterOptions) X(WGPUAdapterInfo) X(WGPULimits) X(WGPURequestAdapterCallbackInfo)       \
        X(WGPUUncapturedErrorCallbackInfo) X(WGPUDeviceDescriptor) X(WGPUShaderSourceWGSL)                \
            X(WGPUComputePipelineDescriptor) X(WGPUBindGroupLayoutEntry) X(WGPUBindGroupLayoutDescriptor) \
                X(WGPUPipelineLayoutDescriptor) X(WGPUBindGroupEntry) X(WGPUBindGroupDescriptor)          \
                    X(WGPUBufferDescriptor) X(WGPUPassTimestampWrites) X(WGPUComputePassDescriptor)       \
                        X(WGPUQuerySetDescriptor) X(WGPUBufferUsage) X(WGPUBool)
/* clang-format on */

int main(void)
{
#define NUMBER(name)      printf("%s = %llu\n", #name, (unsigned long long)name);
#define MEMBER(t, member) printf("%s.%s at %zu, %zu bytes\n", #t, #member, offsetof(t, member), sizeof((t){0}.member));
#define SIZE(t)           printf("%s: %zu bytes\n", #t, sizeof(t));
    NUMBERS(NUMBER)
    MEMBERS(MEMBER)
    SIZES(SIZE)
    return 0;
}
