# SPDX-License-Identifier: Apache-2.0
# What CMake asks of a system by its name: programs of WASI are modules, and there are no shared libraries.
set(CMAKE_EXECUTABLE_SUFFIX ".wasm")
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS FALSE)
