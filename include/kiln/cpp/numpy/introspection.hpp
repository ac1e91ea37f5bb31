/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/introspection.hpp -- the functions of kiln/numpy/introspection.h in C++. */
/* Made by scripts/make-api.py from api/numpy/introspection.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_INTROSPECTION_HPP
#define KILN_CPP_NUMPY_INTROSPECTION_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* the version of Kiln, "0.1.0" */
inline std::string version(place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_version()); }
/* np.lib.NumpyVersion: -1, 0, 1: the version vstring ("1.9.0rc1.dev-f1234afa") is before the other one, the same,
 * after it. 0 and a ValueError for what is none */
inline int lib_NumpyVersion(const ::kiln::text &vstring, const ::kiln::text &other, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_lib_NumpyVersion(vstring.c(), other.c())); }
struct show_config_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "stdout" */
    kn_show_config_opts c() const {
        kn_show_config_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
/* np.show_config: What Kiln was built with, and what it uses of this machine; "stdout" writes it as well, where
 * kn_print does. The text belongs to the scope */
inline std::string show_config(const ::kiln::show_config_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_show_config_opts opts_c = opts.c(); c_.here(); return c_.text(kn_show_config(&opts_c)); }
/* what arrays can do: shapes that depend on data are there outside of what is recorded abstractly (jit, vmap) */
inline kn_array_namespace_capabilities array_namespace_info_capabilities(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_array_namespace_info_capabilities()); }
/* the name of the device, "cpu" */
inline std::string array_namespace_info_default_device(place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_array_namespace_info_default_device()); }
/* the name of device 0, 1, ...; NULL: there are no more */
inline std::string array_namespace_info_devices(int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_array_namespace_info_devices(i)); }
/* the dtypes that arrays get without being told, in this context; ValueError for other devices than "cpu" */
inline kn_array_namespace_default_dtypes array_namespace_info_default_dtypes(const ::kiln::text &device, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_array_namespace_info_default_dtypes(device.c())); }
/* the dtypes of the standard; Kiln has more. ValueError for other kinds and devices */
inline kn_array_namespace_dtypes array_namespace_info_dtypes(const ::kiln::text &device, const ::kiln::text &kind, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_array_namespace_info_dtypes(device.c(), kind.c())); }
} // namespace kiln
#endif
