# SPDX-License-Identifier: Apache-2.0
# What tests/wasm/webgpu.cmake runs in Node, in browsers with WebGPU by drivers in software: Chromium's SwiftShader, Firefox' llvmpipe.
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/webgpu-programs.txt" CONTENT "${webgpu_programs}")
foreach(browser IN LISTS KILN_BROWSERS)
    kiln_browser_test(${browser} webgpu_programs 3600 "${CMAKE_CURRENT_SOURCE_DIR}/programs.mjs" ${browser} --gpu
        "${CMAKE_CURRENT_BINARY_DIR}/webgpu-programs.txt")
    kiln_browser_test(${browser} webgpu_calls 600 "${CMAKE_CURRENT_SOURCE_DIR}/webgpu-browser.mjs" ${browser} "$<TARGET_FILE:webgpu_calls>")
    foreach(group IN LISTS webgpu_groups)
        string(REPLACE test_ unit_ name ${group})
        kiln_browser_test(${browser} ${name} 3600 "${CMAKE_CURRENT_SOURCE_DIR}/run.mjs" ${browser} --file "${unit_data}" "$<TARGET_FILE:unit_webgpu>" ${group})
        set_tests_properties(${browser}/${name} PROPERTIES ENVIRONMENT KILN_WEB_GPU=1)
    endforeach()
endforeach()
