/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/introspection.h -- what this library is, and what it can do. */
/* Made by scripts/make-api.py from api/numpy/introspection.api. */
/* clang-format off */
#ifndef KILN_NUMPY_INTROSPECTION_H
#define KILN_NUMPY_INTROSPECTION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions and the build. */
KN_API const char *kn_version(void); /* the version of Kiln, "0.1.0" */
/* np.lib.NumpyVersion: -1, 0, 1: the version vstring ("1.9.0rc1.dev-f1234afa") is before the other one, the same,
 * after it. 0 and a ValueError for what is none */
KN_API int kn_lib_NumpyVersion(const char *vstring, const char *other);
typedef struct kn_show_config_opts {
    size_t size_;
    const char *mode; /* NULL, "stdout"; or "text" */
} kn_show_config_opts;
KN_API kn_show_config_opts kn_show_config_opts_default(void);
/* np.show_config: What Kiln was built with, and what it uses of this machine; "stdout" writes it as well, where
 * kn_print does. The text belongs to the scope */
KN_API const char *kn_show_config(const kn_show_config_opts *opts);

/* ---- The array API's inspection: np.__array_namespace_info__(). */
typedef struct kn_array_namespace_capabilities {
    bool boolean_indexing, data_dependent_shapes;
    int max_dimensions;
} kn_array_namespace_capabilities;
typedef struct kn_array_namespace_dtypes {
    int n;
    kn_dtype dtype[16];
} kn_array_namespace_dtypes;
typedef struct kn_array_namespace_default_dtypes {
    kn_dtype real_floating, complex_floating, integral, indexing;
} kn_array_namespace_default_dtypes;
/* what arrays can do: shapes that depend on data are there outside of what is recorded abstractly (jit, vmap) */
KN_API kn_array_namespace_capabilities kn_array_namespace_info_capabilities(void);
KN_API const char *kn_array_namespace_info_default_device(void); /* the name of the device, "cpu" */
KN_API const char *kn_array_namespace_info_devices(int i); /* the name of device 0, 1, ...; NULL: there are no more */
/* the dtypes that arrays get without being told, in this context; ValueError for other devices than "cpu" */
KN_API kn_array_namespace_default_dtypes kn_array_namespace_info_default_dtypes(const char *device);
/* the dtypes of the standard; Kiln has more. ValueError for other kinds and devices */
KN_API kn_array_namespace_dtypes kn_array_namespace_info_dtypes(const char *device, const char *kind);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_version() (KN_HERE(), (kn_version)())
#define kn_lib_NumpyVersion(vstring, other) KN_G2(kn_lib_NumpyVersion, const char *, vstring, const char *, other)
#define kn_show_config(...) KN_F0O(kn_show_config, kn_show_config_opts, (), __VA_ARGS__)
#define kn_array_namespace_info_capabilities() (KN_HERE(), (kn_array_namespace_info_capabilities)())
#define kn_array_namespace_info_default_device() (KN_HERE(), (kn_array_namespace_info_default_device)())
#define kn_array_namespace_info_devices(i) KN_G1(kn_array_namespace_info_devices, int, i)
#define kn_array_namespace_info_default_dtypes(device)                                                                 \
    KN_G1(kn_array_namespace_info_default_dtypes, const char *, device)
#define kn_array_namespace_info_dtypes(device, kind)                                                                   \
    KN_G2(kn_array_namespace_info_dtypes, const char *, device, const char *, kind)
#endif
#endif
