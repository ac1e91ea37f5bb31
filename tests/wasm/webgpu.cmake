# SPDX-License-Identifier: Apache-2.0
# The device webgpu:0, with the host's bits: in Node with the package `webgpu` of npm, which KILN_WASM_WEBGPU names (bindings/javascript/run.mjs);
# without it these tests end as skipped. tests/web runs the same programs in browsers.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# What they read lies in one folder, which a browser gets whole. The digits are compressed, and the module has no zlib.
set(unit_data "${CMAKE_CURRENT_BINARY_DIR}/data")
set(digits "${unit_data}/digits.npz")
add_custom_command(OUTPUT "${digits}"
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${tests}/data/kernels" "${unit_data}/kernels"
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${tests}/data/webgpu" "${unit_data}/webgpu"
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/stored.py" "${PROJECT_SOURCE_DIR}/data/digits.npz" "${digits}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/stored.py" "${PROJECT_SOURCE_DIR}/data/digits.npz" "${tests}/data/webgpu/attached.txt" VERBATIM)
add_custom_target(webgpu_data ALL DEPENDS "${digits}")

# What tests/web runs in browsers: lines "name|program|text that it must print|file or folder that it finds".
set(webgpu_programs "")
function(kiln_wasm_webgpu_test name source expected data)
    kiln_wasm_program(webgpu_${name} "${source}" "${tests}/devices/webgpu_default.c")
    kiln_wasm_test(wasm/webgpu_${name} 1200 "${run_program}" "${expected}" "${data}" ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:webgpu_${name}>)
    set(webgpu_programs "${webgpu_programs}webgpu_${name}|$<TARGET_FILE:webgpu_${name}>|${expected}|${data}\n" PARENT_SCOPE)
endfunction()
file(STRINGS "${tests}/acceptance/enabled.txt" every_acceptance_program REGEX "^[a-z]")
foreach(name IN LISTS every_acceptance_program)
    kiln_wasm_webgpu_test(${name} "${tests}/acceptance/${name}.c" "${tests}/acceptance/${name}.expected" "${digits}")
endforeach()
foreach(source IN LISTS KILN_EXAMPLE_SOURCES)
    cmake_path(GET source STEM name)
    if(NOT name STREQUAL "own_device")
        kiln_wasm_webgpu_test(example_${name} "${source}" "${PROJECT_SOURCE_DIR}/examples/${name}.expected" "${PROJECT_SOURCE_DIR}/data")
    endif()
endforeach()
if(NOT KILN_HAVE_ZLIB) # it is not among the others
    kiln_wasm_program(acceptance_train_digits "${tests}/acceptance/train_digits.c")
    kiln_wasm_test(wasm/train_digits 600 "${run_program}" "${tests}/acceptance/train_digits.expected" "${digits}"
        ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:acceptance_train_digits>)
endif()

# By single calls, as a page makes them.
kiln_wasm_program(webgpu_calls "${tests}/web/webgpu.c")
target_link_options(webgpu_calls PRIVATE -mexec-model=reactor)
kiln_wasm_test(wasm/webgpu_calls 600 "${KILN_NODE}" --no-warnings "${tests}/web/webgpu.mjs" $<TARGET_FILE:webgpu_calls>)

find_program(KILN_DENO deno) # its navigator.gpu is its own
if(KILN_DENO)
    kiln_wasm_test(wasm/webgpu_calls_deno 600 "${KILN_DENO}" run -A --unstable-webgpu "${tests}/web/webgpu.mjs" $<TARGET_FILE:webgpu_calls>)
    set_property(TEST wasm/webgpu_calls_deno PROPERTY ENVIRONMENT XDG_RUNTIME_DIR=/tmp)
endif()

# Unit tests, with as much of cmocka as they need: stored and random kernels in exact mode, checks, loops, training, reads ahead. Left out is
# what is told of errors at once, or of engines that are loaded.
set(webgpu_groups test_webgpu_kernels test_webgpu_arrays test_webgpu_attached test_webgpu_bands test_webgpu_checks test_webgpu_loops
    test_webgpu_turns test_webgpu_training test_webgpu_transfers test_webgpu_ahead test_routine test_wgsl_device)
set(webgpu_group_text "")
set(webgpu_unit_sources "")
foreach(group IN LISTS webgpu_groups)
    string(APPEND webgpu_group_text "GROUP(${group})\n")
    file(GLOB source "${tests}/unit/webgpu/${group}.c" "${tests}/unit/wgsl/${group}.c")
    list(APPEND webgpu_unit_sources "${source}")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/webgpu_groups.def" CONTENT "${webgpu_group_text}")
foreach(name expect webgpu_run wgsl_device wgsl_case kernel_case chains on_device no_memory number_case random_scene elements stages)
    list(APPEND webgpu_unit_sources "${tests}/support/${name}.c")
endforeach()
kiln_wasm_program(unit_webgpu "${tests}/unit/runner.c" ${webgpu_unit_sources})
target_include_directories(unit_webgpu BEFORE PRIVATE shim)
target_compile_definitions(unit_webgpu PRIVATE "KN_TEST_GROUPS=\"${CMAKE_CURRENT_BINARY_DIR}/webgpu_groups.def\"" "KN_TEST_DIR=\"\""
    "KN_TEST_DATA=\"/data\"")
add_dependencies(unit_webgpu webgpu_data)
foreach(group IN LISTS webgpu_groups)
    string(REPLACE test_ "" name ${group})
    kiln_wasm_test(wasm/unit_${name} 1800 ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:unit_webgpu> ${group})
    set_tests_properties(wasm/unit_${name} PROPERTIES WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endforeach()
