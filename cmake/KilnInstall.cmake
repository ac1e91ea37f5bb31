# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts in place: headers, the libraries, the CMake package and the files of pkg-config. Everything finds its neighbours
# relative to itself, so the tree can be moved and `--prefix` can be given at install time.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS kiln kiln_shared kiln_core kiln_core_shared kiln_media kiln_media_shared EXPORT kilnTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

set(kiln_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kiln")
install(EXPORT kilnTargets NAMESPACE kiln:: DESTINATION "${kiln_cmake_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kilnConfig.cmake.in" "${PROJECT_BINARY_DIR}/kilnConfig.cmake"
    INSTALL_DESTINATION "${kiln_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kilnConfig.cmake" "${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake"
    DESTINATION "${kiln_cmake_dir}")

foreach(dir LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(KILN_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(KILN_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(KILN_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(KILN_PC_PREFIX "\${pcfiledir}/${up}")
endif()
set(KILN_PC_LIBS_PRIVATE "-lpthread")
if(KILN_LIBM)
    string(PREPEND KILN_PC_LIBS_PRIVATE "-lm ")
endif()
set(KILN_PC_REQUIRES_PRIVATE "")
if(KILN_HAVE_ZLIB)
    set(KILN_PC_REQUIRES_PRIVATE "zlib")
endif()
set(KILN_PC_MEDIA_REQUIRES_PRIVATE "")
if(KILN_HAVE_PNG)
    set(KILN_PC_MEDIA_REQUIRES_PRIVATE "libpng")
endif()
# A program finds the shared library where it was installed, whatever the prefix; packages for the system's own folders turn that off.
option(KILN_PC_RPATH "pkg-config names the library's folder as a run path" ON)
set(KILN_PC_RUNPATH "")
if(KILN_PC_RPATH AND NOT WIN32)
    set(KILN_PC_RUNPATH "-Wl,-rpath,\${libdir} ")
endif()
# kiln-gcc.pc: the same and what only gcc understands.
foreach(pc kiln kiln-core kiln-media kiln-gcc)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${pc}.pc.in" "${PROJECT_BINARY_DIR}/${pc}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
