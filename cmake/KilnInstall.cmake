# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts in place: headers, the libraries, the CMake package and the files of pkg-config. Everything finds its neighbours
# relative to itself, so the tree can be moved and `--prefix` can be given at install time.
include(CMakePackageConfigHelpers)

# Components, which become packages of their own (KilnPackage.cmake): libraries, media (the shared library that needs libpng), models (the
# one that needs jansson, PCRE2, utf8proc, libcrypto), mpi (the module that needs an MPI, where there is one), development, documentation (as far as `make docs` has made it in this build folder).
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS kiln kiln_core kiln_media kiln_models EXPORT kilnTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
if(KILN_HAVE_MPI)
    install(TARGETS kiln_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi)
endif()
if(KILN_SHARED)
    install(TARGETS kiln_shared kiln_core_shared EXPORT kilnTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libraries NAMELINK_COMPONENT development)
    foreach(name media models)
        install(TARGETS kiln_${name}_shared EXPORT kilnTargets
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name} NAMELINK_COMPONENT development)
    endforeach()
endif()

set(kiln_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kiln")
install(EXPORT kilnTargets NAMESPACE kiln:: DESTINATION "${kiln_cmake_dir}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kilnConfig.cmake.in" "${PROJECT_BINARY_DIR}/kilnConfig.cmake"
    INSTALL_DESTINATION "${kiln_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kilnConfig.cmake" "${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake"
    DESTINATION "${kiln_cmake_dir}" COMPONENT development)

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
set(KILN_PC_MODELS_REQUIRES_PRIVATE "")
if(KILN_HAVE_TEXT)
    set(KILN_PC_MODELS_REQUIRES_PRIVATE "jansson libpcre2-8 libutf8proc")
endif()
if(KILN_HAVE_CRYPTO)
    string(APPEND KILN_PC_MODELS_REQUIRES_PRIVATE " libcrypto")
endif()
foreach(pair PNG:libpng JPEG:libjpeg WEBP:libwebp TIFF:libtiff-4 JPEG2000:libopenjp2)
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 package)
    if(KILN_HAVE_${name})
        string(APPEND KILN_PC_MODELS_REQUIRES_PRIVATE " ${package}")
    endif()
endforeach()
# A program finds the shared library where it was installed, whatever the prefix; packages for the system's own folders turn that off.
option(KILN_PC_RPATH "pkg-config names the library's folder as a run path" ON)
set(KILN_PC_RUNPATH "")
if(KILN_PC_RPATH AND NOT WIN32)
    set(KILN_PC_RUNPATH "-Wl,-rpath,\${libdir} ")
endif()
# kiln-gcc.pc: the same and what only gcc understands.
foreach(pc kiln kiln-core kiln-media kiln-models kiln-gcc)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${pc}.pc.in" "${PROJECT_BINARY_DIR}/${pc}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()

install(DIRECTORY "${PROJECT_BINARY_DIR}/docs/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT documentation OPTIONAL)
install(DIRECTORY "${PROJECT_BINARY_DIR}/docs/html" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation OPTIONAL)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation
    FILES_MATCHING PATTERN "*.c" PATTERN "*.expected")

# `cmake --build BUILD --target uninstall` takes away what the last installation from this folder put in place.
if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" -DMANIFESTS=${PROJECT_BINARY_DIR}/install_manifest
        -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake" VERBATIM)
endif()
