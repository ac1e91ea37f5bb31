# SPDX-License-Identifier: Apache-2.0
# A toolchain file: Debian's cross compiler for KILN_CROSS (aarch64-linux-gnu, riscv64-linux-gnu, s390x-linux-gnu, arm-linux-gnueabihf), and
# qemu-user to run what it makes. cmake -S . -B build/cross -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DKILN_CROSS=aarch64-linux-gnu
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KILN_CROSS KILN_CROSS_ROOT)
string(REGEX MATCH "^[^-]+" cpu "${KILN_CROSS}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${cpu}")
set(CMAKE_C_COMPILER "${KILN_CROSS}-gcc")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${cpu};-L;/usr/${KILN_CROSS}")
# Libraries and headers of the target only; KILN_CROSS_ROOT holds what was built for it beside the system's.
set(CMAKE_FIND_ROOT_PATH "/usr/${KILN_CROSS}" ${KILN_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${KILN_CROSS_ROOT}/lib/pkgconfig")
