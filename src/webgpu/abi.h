/* SPDX-License-Identifier: Apache-2.0
 * abi.h -- the part of webgpu.h, the C interface of WebGPU engines, that Kiln uses, declared here so that neither an
 * engine nor its header is needed to build. Names and layouts are the standard's; tests/unit/webgpu/abi_facts.h
 * compares them with an engine's own header. A number of the standard that an engine of another age may count
 * differently (WGPUFeatureName) is tried before it is relied on. */
#ifndef KN_WEBGPU_ABI_H
#define KN_WEBGPU_ABI_H
#include <stddef.h>
#include <stdint.h>

#define WGPU_STRLEN     SIZE_MAX
#define WGPU_WHOLE_SIZE UINT64_MAX

typedef uint32_t WGPUBool;
typedef struct WGPUAdapterImpl *WGPUAdapter;
typedef struct WGPUBindGroupImpl *WGPUBindGroup;
typedef struct WGPUBindGroupLayoutImpl *WGPUBindGroupLayout;
typedef struct WGPUBufferImpl *WGPUBuffer;
typedef struct WGPUCommandBufferImpl *WGPUCommandBuffer;
typedef struct WGPUCommandEncoderImpl *WGPUCommandEncoder;
typedef struct WGPUComputePassEncoderImpl *WGPUComputePassEncoder;
typedef struct WGPUComputePipelineImpl *WGPUComputePipeline;
typedef struct WGPUDeviceImpl *WGPUDevice;
typedef struct WGPUInstanceImpl *WGPUInstance;
typedef struct WGPUPipelineLayoutImpl *WGPUPipelineLayout;
typedef struct WGPUQuerySetImpl *WGPUQuerySet;
typedef struct WGPUQueueImpl *WGPUQueue;
typedef struct WGPUShaderModuleImpl *WGPUShaderModule;

/* ---- Numbers. */

typedef uint32_t WGPUAdapterType, WGPUBackendType, WGPUBufferBindingType, WGPUCallbackMode, WGPUDeviceLostReason,
    WGPUErrorType, WGPUFeatureLevel, WGPUFeatureName, WGPUMapAsyncStatus, WGPUPowerPreference, WGPUQueryType,
    WGPUQueueWorkDoneStatus, WGPURequestAdapterStatus, WGPURequestDeviceStatus, WGPUSType, WGPUStatus;
typedef uint64_t WGPUBufferUsage, WGPUMapMode, WGPUShaderStage;

enum {
    WGPUAdapterType_DiscreteGPU = 1,
    WGPUAdapterType_IntegratedGPU,
    WGPUAdapterType_CPU,
    WGPUAdapterType_Unknown
};
enum {
    WGPUBackendType_Null = 1,
    WGPUBackendType_WebGPU,
    WGPUBackendType_D3D11,
    WGPUBackendType_D3D12,
    WGPUBackendType_Metal,
    WGPUBackendType_Vulkan,
    WGPUBackendType_OpenGL,
    WGPUBackendType_OpenGLES
};
enum {
    WGPUBufferBindingType_Uniform = 2,
    WGPUBufferBindingType_Storage,
    WGPUBufferBindingType_ReadOnlyStorage
};
enum {
    WGPUBufferUsage_MapRead = 1,
    WGPUBufferUsage_CopySrc = 4,
    WGPUBufferUsage_CopyDst = 8,
    WGPUBufferUsage_Uniform = 0x40,
    WGPUBufferUsage_Storage = 0x80,
    WGPUBufferUsage_Indirect = 0x100,
    WGPUBufferUsage_QueryResolve = 0x200
};
enum { WGPUCallbackMode_AllowProcessEvents = 2, WGPUCallbackMode_AllowSpontaneous };
enum { WGPUDeviceLostReason_Destroyed = 2, WGPUDeviceLostReason_CallbackCancelled };
enum { WGPUErrorType_Validation = 2, WGPUErrorType_OutOfMemory, WGPUErrorType_Internal };
enum { WGPUFeatureName_TimestampQuery = 9, WGPUFeatureName_ShaderF16 = 11, WGPUFeatureName_Subgroups = 18 };
enum { KNG_OLD_SUBGROUPS = 17 }; /* the same of engines until 2025; since then it is a way to blend colours */
enum { WGPUMapAsyncStatus_Success = 1 };
enum { WGPUMapMode_Read = 1 };
enum { WGPUPowerPreference_LowPower = 1, WGPUPowerPreference_HighPerformance };
enum { WGPUQueryType_Timestamp = 2 };
enum { WGPUQueueWorkDoneStatus_Success = 1 };
enum { WGPURequestAdapterStatus_Success = 1 };
enum { WGPURequestDeviceStatus_Success = 1 };
enum { WGPUSType_ShaderSourceWGSL = 2 };
enum { WGPUShaderStage_Compute = 4 };
enum { WGPUStatus_Success = 1 };

/* ---- Structures. */

typedef struct WGPUChainedStruct {
    struct WGPUChainedStruct *next;
    WGPUSType sType;
} WGPUChainedStruct;
typedef struct WGPUStringView {
    const char *data;
    size_t length; /* WGPU_STRLEN: it ends with NUL */
} WGPUStringView;
typedef struct WGPUFuture {
    uint64_t id;
} WGPUFuture;

typedef struct WGPUInstanceDescriptor {
    WGPUChainedStruct *nextInChain;
    size_t requiredFeatureCount;
    const uint32_t *requiredFeatures;
    const void *requiredLimits;
} WGPUInstanceDescriptor;
typedef struct WGPURequestAdapterOptions {
    WGPUChainedStruct *nextInChain;
    WGPUFeatureLevel featureLevel;
    WGPUPowerPreference powerPreference;
    WGPUBool forceFallbackAdapter;
    WGPUBackendType backendType;
    void *compatibleSurface;
} WGPURequestAdapterOptions;
typedef struct WGPUAdapterInfo {
    WGPUChainedStruct *nextInChain;
    WGPUStringView vendor, architecture, device, description;
    WGPUBackendType backendType;
    WGPUAdapterType adapterType;
    uint32_t vendorID, deviceID;
    uint32_t subgroupMinSize, subgroupMaxSize;
} WGPUAdapterInfo;
typedef struct WGPUSupportedFeatures {
    size_t featureCount;
    const WGPUFeatureName *features;
} WGPUSupportedFeatures;
typedef struct WGPULimits {
    WGPUChainedStruct *nextInChain;
    uint32_t maxTextureDimension1D, maxTextureDimension2D, maxTextureDimension3D, maxTextureArrayLayers;
    uint32_t maxBindGroups, maxBindGroupsPlusVertexBuffers, maxBindingsPerBindGroup;
    uint32_t maxDynamicUniformBuffersPerPipelineLayout, maxDynamicStorageBuffersPerPipelineLayout;
    uint32_t maxSampledTexturesPerShaderStage, maxSamplersPerShaderStage, maxStorageBuffersPerShaderStage;
    uint32_t maxStorageTexturesPerShaderStage, maxUniformBuffersPerShaderStage;
    uint64_t maxUniformBufferBindingSize, maxStorageBufferBindingSize;
    uint32_t minUniformBufferOffsetAlignment, minStorageBufferOffsetAlignment;
    uint32_t maxVertexBuffers;
    uint64_t maxBufferSize;
    uint32_t maxVertexAttributes, maxVertexBufferArrayStride, maxInterStageShaderVariables;
    uint32_t maxColorAttachments, maxColorAttachmentBytesPerSample;
    uint32_t maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup;
    uint32_t maxComputeWorkgroupSizeX, maxComputeWorkgroupSizeY, maxComputeWorkgroupSizeZ;
    uint32_t maxComputeWorkgroupsPerDimension;
    uint32_t maxImmediateSize;
} WGPULimits;

/* Functions that an engine calls back: each with two pointers of the caller. */
typedef void (*WGPURequestAdapterCallback)(WGPURequestAdapterStatus, WGPUAdapter, WGPUStringView, void *, void *);
typedef void (*WGPURequestDeviceCallback)(WGPURequestDeviceStatus, WGPUDevice, WGPUStringView, void *, void *);
typedef void (*WGPUBufferMapCallback)(WGPUMapAsyncStatus, WGPUStringView, void *, void *);
typedef void (*WGPUQueueWorkDoneCallback)(WGPUQueueWorkDoneStatus, WGPUStringView, void *, void *);
typedef void (*WGPUDeviceLostCallback)(const WGPUDevice *, WGPUDeviceLostReason, WGPUStringView, void *, void *);
typedef void (*WGPUUncapturedErrorCallback)(const WGPUDevice *, WGPUErrorType, WGPUStringView, void *, void *);
#define KNG_CALLBACK_INFO(name, callback_type)         \
    typedef struct name {                              \
        WGPUChainedStruct *nextInChain;                \
        WGPUCallbackMode mode;                         \
        callback_type callback;                        \
        void *userdata1, *userdata2;                   \
    } name
KNG_CALLBACK_INFO(WGPURequestAdapterCallbackInfo, WGPURequestAdapterCallback);
KNG_CALLBACK_INFO(WGPURequestDeviceCallbackInfo, WGPURequestDeviceCallback);
KNG_CALLBACK_INFO(WGPUBufferMapCallbackInfo, WGPUBufferMapCallback);
KNG_CALLBACK_INFO(WGPUQueueWorkDoneCallbackInfo, WGPUQueueWorkDoneCallback);
KNG_CALLBACK_INFO(WGPUDeviceLostCallbackInfo, WGPUDeviceLostCallback);
typedef struct WGPUUncapturedErrorCallbackInfo {
    WGPUChainedStruct *nextInChain;
    WGPUUncapturedErrorCallback callback;
    void *userdata1, *userdata2;
} WGPUUncapturedErrorCallbackInfo;

typedef struct WGPUQueueDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUQueueDescriptor;
typedef struct WGPUDeviceDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    size_t requiredFeatureCount;
    const WGPUFeatureName *requiredFeatures;
    const WGPULimits *requiredLimits;
    WGPUQueueDescriptor defaultQueue;
    WGPUDeviceLostCallbackInfo deviceLostCallbackInfo;
    WGPUUncapturedErrorCallbackInfo uncapturedErrorCallbackInfo;
} WGPUDeviceDescriptor;

typedef struct WGPUShaderModuleDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
} WGPUShaderModuleDescriptor;
typedef struct WGPUShaderSourceWGSL {
    WGPUChainedStruct chain;
    WGPUStringView code;
} WGPUShaderSourceWGSL;
typedef struct WGPUComputeState {
    WGPUChainedStruct *nextInChain;
    WGPUShaderModule module;
    WGPUStringView entryPoint;
    size_t constantCount;
    const void *constants;
} WGPUComputeState;
typedef struct WGPUComputePipelineDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    WGPUPipelineLayout layout;
    WGPUComputeState compute;
} WGPUComputePipelineDescriptor;

typedef struct WGPUBufferBindingLayout {
    WGPUChainedStruct *nextInChain;
    WGPUBufferBindingType type;
    WGPUBool hasDynamicOffset;
    uint64_t minBindingSize;
} WGPUBufferBindingLayout;
typedef struct WGPUSamplerBindingLayout {
    WGPUChainedStruct *nextInChain;
    uint32_t type;
} WGPUSamplerBindingLayout;
typedef struct WGPUTextureBindingLayout {
    WGPUChainedStruct *nextInChain;
    uint32_t sampleType, viewDimension;
    WGPUBool multisampled;
} WGPUTextureBindingLayout;
typedef struct WGPUStorageTextureBindingLayout {
    WGPUChainedStruct *nextInChain;
    uint32_t access, format, viewDimension;
} WGPUStorageTextureBindingLayout;
typedef struct WGPUBindGroupLayoutEntry {
    WGPUChainedStruct *nextInChain;
    uint32_t binding;
    WGPUShaderStage visibility;
    uint32_t bindingArraySize;
    WGPUBufferBindingLayout buffer;
    WGPUSamplerBindingLayout sampler;
    WGPUTextureBindingLayout texture;
    WGPUStorageTextureBindingLayout storageTexture;
} WGPUBindGroupLayoutEntry;
typedef struct WGPUBindGroupLayoutDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    size_t entryCount;
    const WGPUBindGroupLayoutEntry *entries;
} WGPUBindGroupLayoutDescriptor;
typedef struct WGPUPipelineLayoutDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    size_t bindGroupLayoutCount;
    const WGPUBindGroupLayout *bindGroupLayouts;
    uint32_t immediateSize;
} WGPUPipelineLayoutDescriptor;
typedef struct WGPUBindGroupEntry {
    WGPUChainedStruct *nextInChain;
    uint32_t binding;
    WGPUBuffer buffer;
    uint64_t offset, size;
    void *sampler, *textureView;
} WGPUBindGroupEntry;
typedef struct WGPUBindGroupDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    WGPUBindGroupLayout layout;
    size_t entryCount;
    const WGPUBindGroupEntry *entries;
} WGPUBindGroupDescriptor;

typedef struct WGPUBufferDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    WGPUBufferUsage usage;
    uint64_t size;
    WGPUBool mappedAtCreation;
} WGPUBufferDescriptor;
typedef struct WGPUPassTimestampWrites {
    WGPUChainedStruct *nextInChain;
    WGPUQuerySet querySet;
    uint32_t beginningOfPassWriteIndex, endOfPassWriteIndex;
} WGPUPassTimestampWrites;
typedef struct WGPUComputePassDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    const WGPUPassTimestampWrites *timestampWrites;
} WGPUComputePassDescriptor;
typedef struct WGPUQuerySetDescriptor {
    WGPUChainedStruct *nextInChain;
    WGPUStringView label;
    WGPUQueryType type;
    uint32_t count;
} WGPUQuerySetDescriptor;

/* ---- Functions: X(result, name without wgpu, arguments). */
#define KNG_FUNCTIONS(X)                                                                                               \
    X(WGPUInstance, CreateInstance, (const WGPUInstanceDescriptor *))                                                  \
    X(WGPUFuture, InstanceRequestAdapter,                                                                              \
      (WGPUInstance, const WGPURequestAdapterOptions *, WGPURequestAdapterCallbackInfo))                               \
    X(void, InstanceProcessEvents, (WGPUInstance))                                                                     \
    X(WGPUStatus, AdapterGetInfo, (WGPUAdapter, WGPUAdapterInfo *))                                                    \
    X(void, AdapterInfoFreeMembers, (WGPUAdapterInfo))                                                                 \
    X(WGPUStatus, AdapterGetLimits, (WGPUAdapter, WGPULimits *))                                                       \
    X(WGPUBool, AdapterHasFeature, (WGPUAdapter, WGPUFeatureName))                                                     \
    X(WGPUFuture, AdapterRequestDevice, (WGPUAdapter, const WGPUDeviceDescriptor *, WGPURequestDeviceCallbackInfo))    \
    X(void, AdapterRelease, (WGPUAdapter))                                                                             \
    X(WGPUQueue, DeviceGetQueue, (WGPUDevice))                                                                         \
    X(WGPUShaderModule, DeviceCreateShaderModule, (WGPUDevice, const WGPUShaderModuleDescriptor *))                    \
    X(WGPUComputePipeline, DeviceCreateComputePipeline, (WGPUDevice, const WGPUComputePipelineDescriptor *))           \
    X(WGPUBindGroupLayout, DeviceCreateBindGroupLayout, (WGPUDevice, const WGPUBindGroupLayoutDescriptor *))           \
    X(WGPUPipelineLayout, DeviceCreatePipelineLayout, (WGPUDevice, const WGPUPipelineLayoutDescriptor *))              \
    X(WGPUBindGroup, DeviceCreateBindGroup, (WGPUDevice, const WGPUBindGroupDescriptor *))                             \
    X(WGPUBuffer, DeviceCreateBuffer, (WGPUDevice, const WGPUBufferDescriptor *))                                      \
    X(WGPUCommandEncoder, DeviceCreateCommandEncoder, (WGPUDevice, const void *))                                      \
    X(WGPUQuerySet, DeviceCreateQuerySet, (WGPUDevice, const WGPUQuerySetDescriptor *))                                \
    X(void, DeviceDestroy, (WGPUDevice))                                                                               \
    X(void, DeviceRelease, (WGPUDevice))                                                                               \
    X(WGPUComputePassEncoder, CommandEncoderBeginComputePass,                                                          \
      (WGPUCommandEncoder, const WGPUComputePassDescriptor *))                                                         \
    X(void, CommandEncoderCopyBufferToBuffer,                                                                          \
      (WGPUCommandEncoder, WGPUBuffer, uint64_t, WGPUBuffer, uint64_t, uint64_t))                                      \
    X(void, CommandEncoderResolveQuerySet, (WGPUCommandEncoder, WGPUQuerySet, uint32_t, uint32_t, WGPUBuffer,          \
                                            uint64_t))                                                                 \
    X(WGPUCommandBuffer, CommandEncoderFinish, (WGPUCommandEncoder, const void *))                                     \
    X(void, CommandEncoderRelease, (WGPUCommandEncoder))                                                               \
    X(void, CommandBufferRelease, (WGPUCommandBuffer))                                                                 \
    X(void, ComputePassEncoderSetPipeline, (WGPUComputePassEncoder, WGPUComputePipeline))                              \
    X(void, ComputePassEncoderSetBindGroup,                                                                            \
      (WGPUComputePassEncoder, uint32_t, WGPUBindGroup, size_t, const uint32_t *))                                     \
    X(void, ComputePassEncoderDispatchWorkgroups, (WGPUComputePassEncoder, uint32_t, uint32_t, uint32_t))              \
    X(void, ComputePassEncoderDispatchWorkgroupsIndirect, (WGPUComputePassEncoder, WGPUBuffer, uint64_t))              \
    X(void, ComputePassEncoderEnd, (WGPUComputePassEncoder))                                                           \
    X(void, ComputePassEncoderRelease, (WGPUComputePassEncoder))                                                       \
    X(void, QueueSubmit, (WGPUQueue, size_t, const WGPUCommandBuffer *))                                               \
    X(void, QueueWriteBuffer, (WGPUQueue, WGPUBuffer, uint64_t, const void *, size_t))                                 \
    X(WGPUFuture, QueueOnSubmittedWorkDone, (WGPUQueue, WGPUQueueWorkDoneCallbackInfo))                                \
    X(void, QueueRelease, (WGPUQueue))                                                                                 \
    X(WGPUFuture, BufferMapAsync, (WGPUBuffer, WGPUMapMode, size_t, size_t, WGPUBufferMapCallbackInfo))                \
    X(void, BufferUnmap, (WGPUBuffer))                                                                                 \
    X(void, BufferDestroy, (WGPUBuffer))                                                                               \
    X(void, BufferRelease, (WGPUBuffer))                                                                               \
    X(void, ShaderModuleRelease, (WGPUShaderModule))                                                                   \
    X(void, ComputePipelineRelease, (WGPUComputePipeline))                                                             \
    X(void, BindGroupRelease, (WGPUBindGroup))                                                                         \
    X(void, BindGroupLayoutRelease, (WGPUBindGroupLayout))                                                             \
    X(void, PipelineLayoutRelease, (WGPUPipelineLayout))                                                               \
    X(void, QuerySetRelease, (WGPUQuerySet))
/* Those that only some engines have: of wgpu-native, to list adapters and to wait; one of the two that read what is
 * mapped. */
#define KNG_EXTENSIONS(X)                                                                  \
    X(const void *, BufferGetConstMappedRange, (WGPUBuffer, size_t, size_t))               \
    X(WGPUStatus, BufferReadMappedRange, (WGPUBuffer, size_t, void *, size_t))             \
    X(size_t, InstanceEnumerateAdapters, (WGPUInstance, const void *options, WGPUAdapter *)) \
    X(WGPUBool, DevicePoll, (WGPUDevice, WGPUBool wait, const void *index))                \
    X(uint32_t, GetVersion, (void))

/* All of them, as one engine has them. */
typedef struct kng_api {
#define KNG_X(result, name, arguments) result(*name) arguments;
    KNG_FUNCTIONS(KNG_X)
    KNG_EXTENSIONS(KNG_X)
#undef KNG_X
} kng_api;
#endif
