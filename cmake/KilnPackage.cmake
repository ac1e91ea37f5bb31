# SPDX-License-Identifier: Apache-2.0
# Packages of Debian, one for each component of KilnInstall.cmake, made by `make package` (preset `package`: the prefix /usr).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln authors")
set(CPACK_PACKAGE_CONTACT "The Kiln authors <kiln@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "NumPy and JAX for C: arrays, derivatives, native code at run time")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_COMPONENTS_ALL libraries media models development documentation)
if(KILN_HAVE_MPI)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME "libkiln${kiln_soversion}")
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
 The shared libraries: the whole one, and the core without NumPy's functions.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_MEDIA_PACKAGE_NAME "libkiln-media${kiln_soversion}")
set(CPACK_DEBIAN_MEDIA_DESCRIPTION "plots, pictures and sound for programs that use Kiln
 The shared library for PNG and SVG plots, images and WAV files as arrays.")
set(CPACK_DEBIAN_MEDIA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MEDIA_PACKAGE_DEPENDS "libkiln${kiln_soversion} (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_MODELS_PACKAGE_NAME "libkiln-models${kiln_soversion}")
set(CPACK_DEBIAN_MODELS_DESCRIPTION "trained models for programs that use Kiln
 The shared library for files of models, tokenizers, and ONNX in and out.")
set(CPACK_DEBIAN_MODELS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MODELS_PACKAGE_DEPENDS "libkiln${kiln_soversion} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME "libkiln-mpi${kiln_soversion}")
set(CPACK_DEBIAN_MPI_DESCRIPTION "processes of a cluster for programs that use Kiln
 The module through which meshes of devices reach other processes, by MPI.")
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "libkiln${kiln_soversion} (= ${PROJECT_VERSION})")

set(needed "libkiln${kiln_soversion} (= ${PROJECT_VERSION}), libkiln-media${kiln_soversion} (= ${PROJECT_VERSION}), \
libkiln-models${kiln_soversion} (= ${PROJECT_VERSION}), libc6-dev")
if(KILN_HAVE_ZLIB)
    string(APPEND needed ", zlib1g-dev")
endif()
if(KILN_HAVE_PNG)
    string(APPEND needed ", libpng-dev")
endif()
if(KILN_HAVE_TEXT)
    string(APPEND needed ", libjansson-dev, libpcre2-dev, libutf8proc-dev")
endif()
if(KILN_HAVE_CRYPTO)
    string(APPEND needed ", libssl-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libkiln-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "headers and static libraries of Kiln
 What programs in C and C++ are compiled with: headers, static libraries, files of pkg-config and CMake.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${needed}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "kiln-doc, pkg-config")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME kiln-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "documentation of Kiln
 Tutorial, reference, gallery and cheat sheet as a site with search, man pages, and examples.")
include(CPack)
