/* SPDX-License-Identifier: Apache-2.0
 * kiln/dlpack.h -- the structures by which array libraries hand each other memory, as the DLPack standard (1.0) lays
 * them out. kiln.h does without them; a program that has the standard's own dlpack.h may include that instead of this
 * one, before or after. */
#ifndef KILN_DLPACK_H
#define KILN_DLPACK_H
#ifndef DLPACK_DLPACK_H_ /* the guard of the standard's header: the names are the same */
#define DLPACK_DLPACK_H_
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

/* A tensor of another major version has another layout behind `flags`; its deleter may be called all the same. */
typedef struct { uint32_t major, minor; } DLPackVersion;

/* Where memory is. Kiln knows kDLCPU. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
    kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLVulkan = 7, kDLMetal = 8, kDLVPI = 9, kDLROCM = 10,
    kDLROCMHost = 11, kDLExtDev = 12, kDLCUDAManaged = 13, kDLOneAPI = 14, kDLWebGPU = 15, kDLHexagon = 16, kDLMAIA = 17
} DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;

/* An element: `lanes` numbers (1 but for vector types) of so many bits each. */
typedef enum {
    kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLOpaqueHandle = 3U, kDLBfloat = 4U, kDLComplex = 5U, kDLBool = 6U
} DLDataTypeCode;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;     /* in elements; NULL: C-contiguous */
    uint64_t byte_offset; /* of the first element, from data */
} DLTensor;

/* Before 1.0. Whoever takes it calls the deleter (unless that is NULL) once, when it is done with the memory. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif
#endif
#endif
