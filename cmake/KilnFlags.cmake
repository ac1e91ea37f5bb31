# SPDX-License-Identifier: Apache-2.0
# The compiler flags of everything that is built here; nothing of this reaches a program that uses Kiln.
include(CheckCCompilerFlag)

add_library(kiln_flags INTERFACE)
target_compile_options(kiln_flags INTERFACE
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -ffp-contract=off    # a multiply-add is fused only where the code says so
    -fno-math-errno)     # sqrt is one instruction
if(KILN_WERROR)
    target_compile_options(kiln_flags INTERFACE -Werror)
endif()

# _Float16 rounds after every operation (clang does so without being told).
check_c_compiler_flag("-Werror -fexcess-precision=16" KILN_CC_EXCESS_PRECISION_16)
if(KILN_CC_EXCESS_PRECISION_16)
    target_compile_options(kiln_flags INTERFACE -fexcess-precision=16)
endif()

if(KILN_DEBUG)
    target_compile_definitions(kiln_flags INTERFACE KN_DEBUG=1)
endif()
if(KILN_SANITIZE)
    set(KILN_SANITIZE_FLAGS -fsanitize=${KILN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(kiln_flags INTERFACE ${KILN_SANITIZE_FLAGS} -fPIC) # no copies of the shared library's variables in programs
    target_link_options(kiln_flags INTERFACE ${KILN_SANITIZE_FLAGS})
endif()

# The library itself reads the same bytes as several types (views, pooled buffers), so type-based aliasing is off there,
# as in NumPy and Python.
set(KILN_LIBRARY_FLAGS -fno-strict-aliasing)
# Programs of a sanitized build are linked with the shared library: a hundred copies of the static one with its checks take minutes to link, and
# 80 MB each. Tests call functions of the library's inside, so all of its names are visible there.
if(KILN_SANITIZE)
    list(APPEND KILN_LIBRARY_FLAGS -fno-semantic-interposition)
else()
    list(APPEND KILN_LIBRARY_FLAGS -fvisibility=hidden)
endif()
# gcc 12 -O2 drops the rounding of a double to float and back when it joins two such conversions into one vector (real and
# imaginary parts); loops are vectorised by another pass, which is sound.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND KILN_LIBRARY_FLAGS -fno-tree-slp-vectorize)
endif()
