# SPDX-License-Identifier: Apache-2.0
# A toolchain file: WebAssembly with Debian's packages (clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc);
# bindings/javascript/wasi.mjs is what such a program finds around itself. cmake --preset wasm
set(CMAKE_SYSTEM_NAME WASI)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(KILN_WASM_CLANG NAMES clang-19 clang-20 clang-21 clang REQUIRED)
get_filename_component(kiln_wasm_bin "${KILN_WASM_CLANG}" REALPATH)
get_filename_component(kiln_wasm_bin "${kiln_wasm_bin}" DIRECTORY)
set(CMAKE_C_COMPILER "${KILN_WASM_CLANG}")
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR "${kiln_wasm_bin}/llvm-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${kiln_wasm_bin}/llvm-ranlib" CACHE FILEPATH "")
# KILN_WASM_THREADS: memory that workers share (bindings/javascript/threads.mjs makes it, with as many pages). The C library knows nothing
# of threads, so the linker is not to ask for it.
set(KILN_WASM_THREADS OFF CACHE BOOL "WebAssembly with worker threads")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KILN_WASM_THREADS)
set(kiln_wasm_flags "-msimd128")
set(kiln_wasm_link)
if(KILN_WASM_THREADS)
    string(APPEND kiln_wasm_flags " -matomics -mbulk-memory -isystem ${CMAKE_CURRENT_LIST_DIR}/wasm-threads")
    string(APPEND kiln_wasm_link " -Wl,--import-memory,--export-memory,--shared-memory,--initial-memory=33554432,--max-memory=4294967296"
        " -Wl,--no-check-features,--export-if-defined=kiln_threads")
endif()
set(CMAKE_C_FLAGS_INIT "${kiln_wasm_flags} -D_WASI_EMULATED_GETPID -isystem /usr/include/wasm32-wasi")
# The C library stands first: lld 19 takes a static function of an archive for one that others may call, if it has the name (read).
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L/usr/lib/wasm32-wasi -lc-printscan-long-double -lc -Wl,-z,stack-size=1048576 -Wl,--export-table -Wl,--growable-table -Wl,--export=__stack_pointer -lwasi-emulated-getpid${kiln_wasm_link}")
set(CMAKE_FIND_ROOT_PATH /usr/lib/wasm32-wasi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(KILN_NODE NAMES node)
set(CMAKE_CROSSCOMPILING_EMULATOR "${KILN_NODE};--no-warnings;${CMAKE_CURRENT_LIST_DIR}/../bindings/javascript/run.mjs")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_CURRENT_LIST_DIR}/none") # no library of the system that compiles
