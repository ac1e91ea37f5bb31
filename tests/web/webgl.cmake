# SPDX-License-Identifier: Apache-2.0
# The device webgl:0 in browsers with WebGL 2 by a driver in software, Chromium's SwiftShader: stored and random kernels in exact mode.
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/webgl_groups.def" CONTENT "GROUP(webgl_kernels)\n")
set(webgl_sources "${CMAKE_CURRENT_SOURCE_DIR}/webgl_kernels.c" "${PROJECT_SOURCE_DIR}/bindings/javascript/src/webgl.c")
foreach(name wgsl_case kernel_case random_scene elements stages)
    list(APPEND webgl_sources "${tests}/support/${name}.c")
endforeach()
kiln_wasm_program(unit_webgl "${tests}/unit/runner.c" ${webgl_sources})
target_include_directories(unit_webgl BEFORE PRIVATE "${tests}/wasm/shim" "${PROJECT_SOURCE_DIR}/bindings/javascript/src")
target_compile_definitions(unit_webgl PRIVATE "KN_TEST_GROUPS=\"${CMAKE_CURRENT_BINARY_DIR}/webgl_groups.def\"" "KN_TEST_DIR=\"\"")
add_dependencies(unit_webgl webgpu_data)
foreach(browser IN LISTS KILN_BROWSERS)
    kiln_browser_test(${browser} webgl_kernels 3600 "${CMAKE_CURRENT_SOURCE_DIR}/run.mjs" ${browser} --file "${unit_data}" "$<TARGET_FILE:unit_webgl>"
        webgl_kernels)
    set_tests_properties(${browser}/webgl_kernels PROPERTIES ENVIRONMENT KILN_WEB_GL=1)
    # The package's tests with it as default device. (Firefox without a window has WebGL only where there is a GPU.)
    if(browser STREQUAL "chromium")
        kiln_browser_test(${browser} webgl_package 1800 "${CMAKE_CURRENT_SOURCE_DIR}/package.mjs" ${browser} "${PROJECT_BINARY_DIR}/package"
            array control dtypes indexing lax nn numpy optim random transforms)
        set_tests_properties(${browser}/webgl_package PROPERTIES ENVIRONMENT KILN_WEB_DEVICE=webgl)
    endif()
endforeach()
