# SPDX-License-Identifier: Apache-2.0
# The library: every source is compiled once, as position-independent code, into objects that the static and the shared libraries
# share. `kiln` is all of it. `kiln_core` is the floors below lib/ alone: arrays, functions, transformations, the compiler, the host, and
# neither NumPy's functions nor those of the other libraries; a program links one of the two. Files named *_isa.c hold inner loops; on x86-64
# they are compiled three times, with KN_ISA = base, avx2, avx512 as the suffix of their names, and the code chooses at run time; KILN_QUICK
# leaves out avx512.
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
set(KILN_HAVE_PNG OFF)
if(KILN_PNG STREQUAL "AUTO")
    find_package(PNG QUIET)
elseif(KILN_PNG)
    find_package(PNG REQUIRED)
endif()
if(PNG_FOUND)
    set(KILN_HAVE_PNG ON)
endif()
message(STATUS "PNG in kiln_media (libpng): ${KILN_HAVE_PNG}")

file(GLOB_RECURSE kiln_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c")
set(kiln_media_sources ${kiln_sources})
list(FILTER kiln_media_sources INCLUDE REGEX "/src/media/")
if(CMAKE_SYSTEM_NAME STREQUAL "WASI") # nothing can be loaded there
    set(KILN_WEBGPU OFF)
endif()
if(NOT KILN_WEBGPU)
    list(FILTER kiln_sources EXCLUDE REGEX "/src/(webgpu|wgsl)/")
endif()
list(FILTER kiln_sources EXCLUDE REGEX "/src/media/")
set(kiln_isa_sources ${kiln_sources})
list(FILTER kiln_isa_sources INCLUDE REGEX "_isa\\.c$")
list(FILTER kiln_sources EXCLUDE REGEX "_isa\\.c$")
if(NOT kiln_sources)
    message(FATAL_ERROR "There are no sources under ${PROJECT_SOURCE_DIR}/src")
endif()
file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/layers.txt" kiln_floors REGEX "^[a-z]+$")
set(kiln_upper wgsl webgpu)
foreach(floor IN LISTS kiln_floors)
    if(floor STREQUAL "lib" OR "lib" IN_LIST kiln_upper)
        list(APPEND kiln_upper ${floor})
    endif()
endforeach()
list(JOIN kiln_upper "|" kiln_upper)
set(kiln_core_sources ${kiln_sources})
list(FILTER kiln_core_sources EXCLUDE REGEX "/src/(${kiln_upper})/")
list(FILTER kiln_sources INCLUDE REGEX "/src/(${kiln_upper})/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/layers.txt")

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
    if(KILN_WEBGPU)
        target_compile_definitions(${target} PRIVATE KN_HAVE_WEBGPU=1)
    endif()
    if(KILN_X86_64)
        target_compile_definitions(${target} PRIVATE KN_HAVE_ISA_VARIANTS=1 KN_HAVE_X86=1 $<$<NOT:$<BOOL:${KILN_QUICK}>>:KN_HAVE_ISA_AVX512=1>)
    endif()
endfunction()

include(CheckSymbolExists)
check_symbol_exists(__x86_64__ "stddef.h" KILN_X86_64)
if(NOT KILN_X86_64)
    list(FILTER kiln_core_sources EXCLUDE REGEX "/src/host/x86/")
endif()

# Levels of optimisation of their own, for size or speed. KILN_QUICK does without them, and without loops for AVX-512: code that Kiln makes
# is the same, its library is slower in parts, and compiled in two thirds of the time.
set(kiln_tuned "$<AND:$<NOT:$<CONFIG:Debug>>,$<NOT:$<BOOL:${KILN_QUICK}>>>")
# Texts, rules, transformations and the compiler, which run once for a function or for a kind of shapes, are compiled for
# size; what runs in each call, or for each instruction that is made, is not; jumps are aligned where loops over elements
# are.
set(small "/src/(compile|device/steps|face|host/csource|host/interp|host/x86|ir/text|prim|transform|tree|webgpu|wgsl)/|/src/host/dump")
string(APPEND small "|/src/base/(dim|error|format|log|print_options|str|text)|/src/kernel/(math/|[^/]*$)"
    "|/src/function/(control|custom|derive|fit|groups|host|jaxpr|prepare|primitive|symbolic|transforms|tree_map|variants)")
set(often "/src/base/dim_code|/src/compile/program/(instance|recall)|/src/face/look|/src/host/interp/interp|/src/kernel/lanes")
string(APPEND often "|/src/host/x86/(x86|emit|lower_(alloc|body|plan))\\.c")
set(kiln_unaligned)
foreach(option jumps loops functions)
    check_c_compiler_flag("-Werror -falign-${option}=1" KILN_CC_ALIGN_${option})
    if(KILN_CC_ALIGN_${option})
        list(APPEND kiln_unaligned -falign-${option}=1)
    endif()
endforeach()
# Nothing of the user's is called from kernels, routines, texts and the rows of arrays, so no exception of C++ passes through
# them: no unwind tables. (Reading and inlining a jaxpr asks the user's primitives for shapes.) A debugger has those of -g.
check_c_compiler_flag("-Werror -fno-asynchronous-unwind-tables -fno-unwind-tables" KILN_CC_NO_UNWIND_TABLES)
set(leaves "/src/(kernel|host|ir/text|prim/(elementwise|shape|index|reduce|window|product|random))/")
foreach(source IN LISTS kiln_core_sources kiln_isa_sources)
    if(source MATCHES "${leaves}" AND NOT source MATCHES "/parse|_any\\.c$" AND KILN_CC_NO_UNWIND_TABLES AND NOT KILN_SANITIZE)
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -fno-asynchronous-unwind-tables -fno-unwind-tables)
    endif()
endforeach()
foreach(source IN LISTS kiln_core_sources)
    if(source MATCHES "${small}" AND NOT source MATCHES "${often}" AND NOT KILN_SANITIZE)
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS $<${kiln_tuned}:-Os>)
    elseif(NOT source MATCHES "/src/(base|host/routine)/|/lanes\\.c$")
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS ${kiln_unaligned})
    endif()
    if(KILN_COVERAGE AND source MATCHES "/src/(prim|transform)/|/src/kernel/math/")
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS --coverage -fprofile-update=prefer-atomic)
    endif()
endforeach()
# Functions that record many operations each are compiled in a third less of the time, and what is measured stays as it is.
set(many "/src/(numpy/(linalg|products|statistics|fft|sorting)|optim|special|random|nn|signal|testing)/")
foreach(source IN LISTS kiln_sources)
    if(source MATCHES "${many}")
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
    endif()
endforeach()
set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/numpy/introspection/config.c" APPEND PROPERTY COMPILE_DEFINITIONS
    KN_VERSION="${PROJECT_VERSION}")
# The loops over lanes are for launches that no generator makes code for.
set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/kernel/lanes.c" APPEND PROPERTY COMPILE_OPTIONS
    -fno-trapping-math $<${kiln_tuned}:$<IF:$<BOOL:${KILN_X86_64}>,-Os,-O3>>)
if(KILN_COVERAGE)
    target_link_options(kiln_flags INTERFACE --coverage)
endif()
# The table of primitives is made twice: without what only upper floors can write, linear algebra and Fourier transforms with their
# routines, it lets the linker leave that out of the core. So are the engines of devices, which the core has none of.
set(kiln_rows "${PROJECT_SOURCE_DIR}/src/ir/rows.c" "${PROJECT_SOURCE_DIR}/src/device/engines.c")
list(REMOVE_ITEM kiln_core_sources ${kiln_rows})
add_library(kiln_rows OBJECT ${kiln_rows})
add_library(kiln_core_rows OBJECT ${kiln_rows})
kiln_common(kiln_rows)
kiln_common(kiln_core_rows)
target_compile_definitions(kiln_core_rows PRIVATE KN_CORE_ALONE=1)
add_library(kiln_core_objects OBJECT ${kiln_core_sources})
add_library(kiln_objects OBJECT ${kiln_sources})
kiln_common(kiln_core_objects)
kiln_common(kiln_objects)
set(kiln_object_targets kiln_core_objects)

set(kiln_unrolled_once -O1)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND kiln_unrolled_once -fexpensive-optimizations) # one of them puts vzeroupper behind functions with wide registers
endif()
function(kiln_isa_variant isa level)
    set(sources ${kiln_isa_sources})
    if(isa STREQUAL "avx512") # those for AVX2 do for it as well
        list(FILTER sources EXCLUDE REGEX "/(joins|product_block)_isa\\.c$")
    endif()
    add_library(kiln_isa_${isa} OBJECT ${sources})
    kiln_common(kiln_isa_${isa})
    target_compile_definitions(kiln_isa_${isa} PRIVATE KN_ISA=${isa})
    # Without traps in mind comparisons vectorise; no result depends on it. Unrolled loops with the checks of a sanitizer would take half of
    # the time of its build.
    if(KILN_SANITIZE)
        set(level -O1)
    elseif(KILN_QUICK)
        set(level ${kiln_unrolled_once})
    endif()
    target_compile_options(kiln_isa_${isa} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:${level}>" -fno-trapping-math ${ARGN})
    list(APPEND kiln_object_targets kiln_isa_${isa})
    set(kiln_object_targets ${kiln_object_targets} PARENT_SCOPE)
endfunction()

# Passes of Fourier transforms are unrolled where they are written: by -O1 their vectors would stay in memory, and more of the options of -O2
# than these make nothing faster and take longer to compile. (With the checks of a sanitizer, minutes longer.)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT KILN_SANITIZE)
    set(kiln_written_out "-O2;-fno-schedule-insns2;-fno-tree-pre;-fno-gcse;-fno-code-hoisting;-fno-ivopts")
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/host/routine/fft_isa.c" APPEND PROPERTY COMPILE_OPTIONS "$<${kiln_tuned}:${kiln_written_out}>")
    # Sorts are written in vectors, and their networks unrolled.
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/host/routine/sort_vector_isa.c" APPEND PROPERTY COMPILE_OPTIONS "$<${kiln_tuned}:-O2;-fno-tree-vectorize>")
    # These wait for memory, or go through a few numbers at a time: their loops are not written out, which is half of the code.
    set(kiln_rolled "--param=vect-epilogues-nomask=0;--param=max-completely-peeled-insns=10;--param=max-completely-peel-times=1")
    foreach(source IN ITEMS host/routine/count host/routine/extreme host/routine/find host/routine/product_half host/routine/scatter
            kernel/joins)
        set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/${source}_isa.c" APPEND PROPERTY COMPILE_OPTIONS "$<${kiln_tuned}:${kiln_rolled}>")
    endforeach()
endif()
# Blocks are written out where they are turned; what is left at the edges needs none of it.
set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/host/tile_isa.c" APPEND PROPERTY COMPILE_OPTIONS $<${kiln_tuned}:-Os>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/host/weave_isa.c" APPEND PROPERTY COMPILE_OPTIONS
                 "$<${kiln_tuned}:-fno-tree-vectorize;-fno-unswitch-loops>")
endif()
# These wait for memory, not for instructions.
foreach(source cumulative cumulative_isa cumulative_plain)
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/host/routine/${source}.c" APPEND PROPERTY COMPILE_OPTIONS $<${kiln_tuned}:-Os>)
endforeach()

if(kiln_isa_sources)
    if(KILN_X86_64)
        set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt)
        kiln_isa_variant(base -Os) # for CPUs without AVX2: small rather than fast
        kiln_isa_variant(avx2 -O3 ${avx2})
        if(NOT KILN_QUICK)
            kiln_isa_variant(avx512 -O3 ${avx2} -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)
        endif()
    else()
        kiln_isa_variant(base -O3)
    endif()
endif()

set(kiln_core_all)
foreach(target IN LISTS kiln_object_targets)
    list(APPEND kiln_core_all $<TARGET_OBJECTS:${target}>)
endforeach()

# Relative relocations in a bitmap of the linker's: 4 % of the shared library. The loader must know them, glibc does from 2.36 on, so they
# are off where the library is built against an older one; a build for older systems says OFF.
set(KILN_PACK_RELOCATIONS AUTO CACHE STRING "Packed relocations in the shared libraries (glibc 2.36 or newer): AUTO, ON or OFF")
set(KILN_CAN_PACK OFF)
if(KILN_PACK_RELOCATIONS AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
    set(glibc "#include <features.h>\n#if !defined __GLIBC__ || !__GLIBC_PREREQ(2, 36)\n#error\n#endif\n")
    if(NOT KILN_PACK_RELOCATIONS STREQUAL "AUTO")
        set(glibc)
    endif()
    check_c_source_compiles("${glibc}int main(void) { return 0; }" KILN_PACKS_RELOCATIONS_${KILN_PACK_RELOCATIONS})
    set(KILN_CAN_PACK ${KILN_PACKS_RELOCATIONS_${KILN_PACK_RELOCATIONS}})
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()

set(kiln_all ${kiln_core_all} $<TARGET_OBJECTS:kiln_rows> $<TARGET_OBJECTS:kiln_objects>)
list(APPEND kiln_core_all $<TARGET_OBJECTS:kiln_core_rows>)
# Plots, pictures and sound: a library of its own that stands on the public functions of the whole one and is linked beside it, so
# that this one alone needs libpng.
add_library(kiln_media_objects OBJECT ${kiln_media_sources})
kiln_common(kiln_media_objects)
if(KILN_HAVE_PNG)
    target_compile_definitions(kiln_media_objects PRIVATE KN_HAVE_PNG=1)
    target_include_directories(kiln_media_objects SYSTEM PRIVATE ${PNG_INCLUDE_DIRS})
endif()
add_library(kiln STATIC ${kiln_all})
add_library(kiln_shared SHARED ${kiln_all})
add_library(kiln_core STATIC ${kiln_core_all})
add_library(kiln_core_shared SHARED ${kiln_core_all})
add_library(kiln_media STATIC $<TARGET_OBJECTS:kiln_media_objects>)
add_library(kiln_media_shared SHARED $<TARGET_OBJECTS:kiln_media_objects>)
target_link_libraries(kiln_media PUBLIC kiln)
target_link_libraries(kiln_media_shared PUBLIC kiln_shared)
foreach(target kiln kiln_shared kiln_core kiln_core_shared kiln_media kiln_media_shared)
    string(REPLACE "_shared" "" name ${target})
    add_library(kiln::${target} ALIAS ${target})
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    if(KILN_LIBM)
        target_link_libraries(${target} PRIVATE m)
    endif()
    if(KILN_HAVE_ZLIB AND name STREQUAL "kiln") # the core has no files
        target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
    endif()
    if(KILN_HAVE_PNG AND name STREQUAL "kiln_media")
        target_link_libraries(${target} PRIVATE PNG::PNG)
    endif()
    # Messages name the user's own line instead of twenty lines of macros. The headers are no system headers: warnings of wrong types
    # in calls must be seen.
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANG_AND_ID:C,GNU>:-ftrack-macro-expansion=0>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C EXPORT_NO_SYSTEM ON)
endforeach()
# Before version 1 each minor version may change what programs are linked with, so its number is part of the library's name and of the version
# that the symbols carry.
set(kiln_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    string(APPEND kiln_soversion ".${PROJECT_VERSION_MINOR}")
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/kiln.map" CONTENT "KILN_@kiln_soversion@ { global: kn_*; local: *; };\n" @ONLY)
foreach(target kiln_shared kiln_core_shared kiln_media_shared)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${kiln_soversion})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:kiln_flags>)
    if(KILN_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
        target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
    endif()
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT KILN_SANITIZE)
        target_link_options(${target} PRIVATE "-Wl,--version-script=${PROJECT_BINARY_DIR}/kiln.map" -Wl,-z,defs        # a missing function is found here, not by the user
            -Wl,--gc-sections $<$<BOOL:${KILN_CAN_PACK}>:-Wl,-z,pack-relative-relocs>) # what no public function needs stays out
    endif()
endforeach()
# What programs of this build are linked with.
set(KILN_LINKED kiln)
set(KILN_MEDIA_LINKED kiln_media)
if(KILN_SANITIZE)
    set(KILN_LINKED kiln_shared)
    set(KILN_MEDIA_LINKED kiln_media_shared)
endif()
