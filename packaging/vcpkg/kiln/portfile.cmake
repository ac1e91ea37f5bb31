# SPDX-License-Identifier: Apache-2.0
# A port of vcpkg that lies beside the sources: `vcpkg install kiln --overlay-ports=SOURCES/packaging/vcpkg`.
set(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../..")
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES zlib KILN_ZLIB png KILN_PNG)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${features} -DKILN_TESTS=OFF -DKILN_EXAMPLES=OFF -DKILN_BENCH=OFF -DKILN_PC_RPATH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME kiln CONFIG_PATH lib/cmake/kiln)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static") # Kiln builds both
    file(GLOB shared "${CURRENT_PACKAGES_DIR}/lib/*.so*" "${CURRENT_PACKAGES_DIR}/debug/lib/*.so*")
    file(REMOVE ${shared})
endif()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
