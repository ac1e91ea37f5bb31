# SPDX-License-Identifier: Apache-2.0
# The library: every source is compiled once, as position-independent code, into objects that the static and the shared library
# share. Files named *_isa.c hold inner loops; on x86-64 they are compiled three times, with KN_ISA = base, avx2, avx512 as the
# suffix of their names, and the code chooses at run time.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
include(CheckLibraryExists)
check_library_exists(m sin "" KILN_LIBM) # by the linker, so that a cross compiler looks among its own libraries

set(KILN_HAVE_ZLIB OFF)
if(KILN_ZLIB STREQUAL "AUTO")
    find_package(ZLIB QUIET)
elseif(KILN_ZLIB)
    find_package(ZLIB REQUIRED)
endif()
if(ZLIB_FOUND)
    set(KILN_HAVE_ZLIB ON)
endif()
message(STATUS "Compressed npz files (zlib): ${KILN_HAVE_ZLIB}")

file(GLOB_RECURSE kiln_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c")
set(kiln_isa_sources ${kiln_sources})
list(FILTER kiln_isa_sources INCLUDE REGEX "_isa\\.c$")
list(FILTER kiln_sources EXCLUDE REGEX "_isa\\.c$")
if(NOT kiln_sources)
    message(FATAL_ERROR "There are no sources under ${PROJECT_SOURCE_DIR}/src")
endif()

function(kiln_common target)
    target_link_libraries(${target} PRIVATE kiln_flags Threads::Threads)
    target_compile_options(${target} PRIVATE ${KILN_LIBRARY_FLAGS} -ffunction-sections -fdata-sections) # for --gc-sections
    target_compile_definitions(${target} PRIVATE KN_BUILD=1)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(KILN_HAVE_ZLIB)
        target_compile_definitions(${target} PRIVATE KN_HAVE_ZLIB=1)
        target_include_directories(${target} SYSTEM PRIVATE ${ZLIB_INCLUDE_DIRS})
    endif()
    if(KILN_X86_64)
        target_compile_definitions(${target} PRIVATE KN_HAVE_ISA_VARIANTS=1 KN_HAVE_X86=1)
    endif()
endfunction()

include(CheckSymbolExists)
check_symbol_exists(__x86_64__ "stddef.h" KILN_X86_64)
if(NOT KILN_X86_64)
    list(FILTER kiln_sources EXCLUDE REGEX "/src/host/x86/")
endif()

if(KILN_COVERAGE)
    set(counted ${kiln_sources})
    list(FILTER counted INCLUDE REGEX "/src/(prim|transform)/|/src/kernel/math/")
    set_source_files_properties(${counted} PROPERTIES COMPILE_OPTIONS "--coverage;-fprofile-update=prefer-atomic")
    target_link_options(kiln_flags INTERFACE --coverage)
endif()
add_library(kiln_objects OBJECT ${kiln_sources})
kiln_common(kiln_objects)
set(kiln_object_targets kiln_objects)

function(kiln_isa_variant isa level)
    set(sources ${kiln_isa_sources})
    if(isa STREQUAL "avx512") # what runs where there is no machine code: the loops for AVX2 do for it as well
        list(FILTER sources EXCLUDE REGEX "/(interp|product_block)_isa\\.c$")
    endif()
    add_library(kiln_isa_${isa} OBJECT ${sources})
    kiln_common(kiln_isa_${isa})
    target_compile_definitions(kiln_isa_${isa} PRIVATE KN_ISA=${isa})
    # Inner loops are optimised also where the rest is built for a sanitizer. Without traps in mind comparisons vectorise;
    # no result depends on it.
    target_compile_options(kiln_isa_${isa} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}> -fno-trapping-math ${ARGN})
    list(APPEND kiln_object_targets kiln_isa_${isa})
    set(kiln_object_targets ${kiln_object_targets} PARENT_SCOPE)
endfunction()

if(kiln_isa_sources)
    if(KILN_X86_64)
        set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt)
        kiln_isa_variant(base -Os) # for CPUs without AVX2: small rather than fast
        kiln_isa_variant(avx2 -O3 ${avx2})
        kiln_isa_variant(avx512 -O3 ${avx2} -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)
    else()
        kiln_isa_variant(base -O3)
    endif()
endif()

set(kiln_objects_all)
foreach(target IN LISTS kiln_object_targets)
    list(APPEND kiln_objects_all $<TARGET_OBJECTS:${target}>)
endforeach()

add_library(kiln STATIC ${kiln_objects_all})
add_library(kiln_shared SHARED ${kiln_objects_all})
foreach(target kiln kiln_shared)
    add_library(kiln::${target} ALIAS ${target})
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE Threads::Threads)
    if(KILN_LIBM)
        target_link_libraries(${target} PRIVATE m)
    endif()
    if(KILN_HAVE_ZLIB)
        target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
    endif()
    # Messages name the user's own line instead of twenty lines of macros. The headers are no system headers: warnings of wrong types
    # in calls must be seen.
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANG_AND_ID:C,GNU>:-ftrack-macro-expansion=0>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME kiln LINKER_LANGUAGE C EXPORT_NO_SYSTEM ON)
endforeach()
set_target_properties(kiln_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(kiln_shared PRIVATE $<BUILD_INTERFACE:kiln_flags>)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT KILN_SANITIZE)
    target_link_options(kiln_shared PRIVATE -Wl,-z,defs) # a missing function is found here, not by the user
endif()
