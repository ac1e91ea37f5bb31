/* SPDX-License-Identifier: Apache-2.0
 * kiln/device.h -- devices: where arrays are and programs run. "host" is always there; others are of a kind and have
 * a number, "webgpu:0". Everything works on arrays wherever they are.
 *
 * As in JAX an array is committed to a device if kn_device_put put it there: operations run where their committed
 * operands are, the other operands follow, and the results are committed there, too. Two operands that are committed
 * to different devices are a ValueError that says where each was put. What has no committed operand runs on the
 * default device: of a block (KN_ON_DEVICE), of the context (kn_set_default_device), of the process (KILN_DEVICE),
 * or the host. A part of an array and an array that is written to stay where the array is. */
/* Made by scripts/make-api.py from api/device.api. */
/* clang-format off */
#ifndef KILN_DEVICE_H
#define KILN_DEVICE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a device. Texts are the library's; NULL: nothing is known. Set size_ before kn_device_get_info. */
typedef struct kn_device_info {
    size_t size_;
    const char *description;   /* the processor, or the adapter */
    const char *vendor;
    const char *driver;        /* and its version */
    const char *features;      /* what it can do, with blanks in between */
    uint64_t memory_bytes;     /* in all; 0: not known */
    uint64_t most_buffer_bytes; /* of an array; 0: as much as there is memory */
    int most_buffers;          /* of a kernel */
    int alignment;             /* bytes: of parts that a kernel is given */
    int index_bits;            /* of positions in an array */
} kn_device_info;

/* Where an array's elements lie on a device, as the device's own interface names it: of webgpu, WebGPU's C
 * interface. */
typedef struct kn_device_handle {
    size_t size_;
    void *device;    /* WGPUDevice */
    void *queue;     /* WGPUQueue: what is submitted to it runs after all that made the array */
    void *buffer;    /* WGPUBuffer, of usage Storage, CopySrc and CopyDst */
    uint64_t offset; /* bytes, of the first element; the others follow in C order */
    uint64_t bytes;  /* of all elements */
} kn_device_handle;
/* jax.devices: the devices, the host first: puts at most n of them at `out` and returns how many there are. Engines
 * that bring devices are loaded */
KN_API int kn_devices(const char *kind, int n, kn_device *out);
/* the device of this name ("webgpu:0"), or the first of a kind ("webgpu"); NULL and a ValueError that says which
 * there are */
KN_API kn_device kn_find_device(const char *name);
KN_API const char *kn_device_name(kn_device device); /* "host", "webgpu:0" */
KN_API const char *kn_device_kind(kn_device device); /* its name without the number: "webgpu" */
/* its limits and features: 0; -1 and a TypeError */
KN_API int kn_device_get_info(kn_device device, kn_device_info *out);
/* whether its kernels compute with the dtype; what they cannot runs on the host, and copies go there and back */
KN_API bool kn_device_has_dtype(kn_device device, kn_dtype dtype);
/* what is known of it, some lines for people: name, description, memory, limits, dtypes, features */
KN_API const char *kn_device_text(kn_device device);

/* ---- Arrays on devices. */
/* jax.device_put: x on the device, committed to it; copied only if it is not there. A traced array can be put on the
 * default device alone, and stays as it is: a recorded function runs on one device, that of its arguments */
KN_API kn_array kn_device_put(kn_array x, kn_device device);
KN_API kn_array kn_device_get(kn_array x);       /* jax.device_get: x on the host, not committed */
/* where x is, or will be computed; NULL and an error for what is no array. Traced arrays are nowhere: the default
 * device */
KN_API kn_device kn_device_of(kn_array x);
KN_API bool kn_is_committed(kn_array x);         /* whether operations with x have to run where it is */
/* Where the elements of x lie on its device, for programs that go on with them there, such as a pipeline that draws
 * them: nothing is read back. Runs what x waits for and submits it. The memory is Kiln's: it is to be read only, and
 * is these elements as long as x lives and nothing is written to it. Set size_ before. -1 and a ValueError where x
 * is on the host, or its memory is seen on the host as well (kn_data, kn_wrap) */
KN_API int kn_device_get_handle(kn_array x, kn_device_handle *out);
/* a tree like this one of all its arrays, put on the device */
KN_API kn_tree kn_tree_device_put(kn_tree tree, kn_device device);
KN_API kn_tree kn_tree_device_get(kn_tree tree); /* a tree like this one of all its arrays on the host */

/* ---- The default device. */
KN_API kn_device kn_default_device(void); /* where operations of this context run that have no committed operand */
/* What has no committed operand runs there from now on, in this context: for one call, or for a block by
 * KN_ON_DEVICE(device). What was recorded before runs where it was recorded. NULL: where the process says
 * (KILN_DEVICE), or the host. Returns what was set before (also after an error, which changes nothing); NULL:
 * nothing was */
KN_API kn_device kn_set_default_device(kn_device device);
KN_API void kn_device_leave(kn_device *before); /* what KN_ON_DEVICE does at the end of its block */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* KN_ON_DEVICE(device); at the start of a block: what runs in it and has no committed operand runs there. */
#define KN_ON_DEVICE(device) KN_ON_DEVICE_(__COUNTER__, device)
#define KN_ON_DEVICE_(c, where)                                                                                        \
    kn_device KN_V(device, c) __attribute__((cleanup(kn_device_leave), unused)) = kn_set_default_device(where)
#define kn_device_put(x, device) KN_H1(kn_device_put, x, kn_device, device)
#define kn_device_get(x) KN_F1(kn_device_get, x)
#define kn_device_of(x) KN_F1(kn_device_of, x)
#define kn_is_committed(x) KN_F1(kn_is_committed, x)
#define kn_device_get_handle(x, out) KN_H1(kn_device_get_handle, x, kn_device_handle *, out)
#define kn_tree_device_put(tree, device) KN_G2(kn_tree_device_put, kn_tree, tree, kn_device, device)
#define kn_tree_device_get(tree) KN_G1(kn_tree_device_get, kn_tree, tree)
#endif
#endif
