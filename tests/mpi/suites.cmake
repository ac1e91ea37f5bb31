# SPDX-License-Identifier: Apache-2.0
# What tests one process with several devices runs as several processes, too, and the bits are the same: unit tests of sharding and examples
# (looks.c), the rules (../property/processes.c) and random programs (../programs/sharded.c). As 1, 2, 3, 4 and 8 processes in long tests, as some
# of these in short ones.
set(looks_wraps kndist_set_local knd_join_parts mkdtemp system kn_save)
set(looks_sh "${CMAKE_CURRENT_SOURCE_DIR}/mpi/looks.sh")

function(kiln_mpi_test name labels)
    kiln_test(mpi/${name} "${labels}" 7200 ${ARGN})
    set_property(TEST mpi/${name} APPEND PROPERTY ENVIRONMENT "KILN_MPI_LIBRARY=$<TARGET_FILE:kiln_mpi>" KILN_RANKS_SECONDS=1800)
    set_property(TEST mpi/${name} PROPERTY PROCESSORS 2)
endfunction()

# kiln_looks(NAME DEVICES EXPECTED ALONE TOGETHER PROGRAM SHORT...): as SHORT processes, and in a long test as all the others.
function(kiln_looks name devices expected alone together program)
    set(long 1 2 3 4 8)
    if(ARGN)
        list(REMOVE_ITEM long ${ARGN})
        string(JOIN " " processes ${ARGN})
        kiln_mpi_test(${name} mpi "${looks_sh}" "${MPIEXEC_EXECUTABLE}" "${processes}" ${devices} "${expected}" "${alone}" "${together}" $<TARGET_FILE:${program}>)
    endif()
    string(JOIN " " processes ${long})
    kiln_mpi_test(${name}_all "mpi;long" "${looks_sh}" "${MPIEXEC_EXECUTABLE}" "${processes}" ${devices} "${expected}" "${alone}" "${together}"
        $<TARGET_FILE:${program}>)
endfunction()

kiln_program(mpi_count mpi/count.c)
kiln_mpi_test(count mpi "${ranks_sh}" "${MPIEXEC_EXECUTABLE}" 2 well $<TARGET_FILE:mpi_count>)

if(CMOCKA_FOUND)
    set(suites test_sharding test_shard_map test_pmap test_checkpoint_files test_sharding_jax)
    set(sources)
    set(groups)
    foreach(source IN LISTS unit_sources)
        cmake_path(GET source STEM name)
        if(name IN_LIST suites)
            list(APPEND sources ${source})
            string(APPEND groups "GROUP(${name})\n")
        endif()
    endforeach()
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/groups/mpi.def" CONTENT "${groups}")
    kiln_cmocka_program(mpi_suite mpi/suite.c mpi/looks.c ${sources} WRAP ${looks_wraps})
    target_compile_definitions(mpi_suite PRIVATE "KN_TEST_GROUPS=\"${CMAKE_CURRENT_BINARY_DIR}/groups/mpi.def\"")
    set(short_test_shard_map 2)
    set(short_test_pmap 2 3)
    foreach(suite IN LISTS suites)
        kiln_looks(${suite} 8 - ${suite} "mpi ${suite}" mpi_suite ${short_${suite}})
    endforeach()
endif()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/sharded_*.c")
if(NOT KILN_HAVE_ZLIB)
    list(FILTER sources EXCLUDE REGEX "/sharded_digits\\.c$")
endif()
set(short_sharded_heat 2 3)
set(short_sharded_transformer 4)
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_library(mpi_main_${name} OBJECT ${source})
    target_compile_definitions(mpi_main_${name} PRIVATE main=example_main)
    target_include_directories(mpi_main_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_compile_options(mpi_main_${name} PRIVATE -std=gnu17) # no warnings: nobody declares its main
    kiln_program(mpi_${name} mpi/example.c mpi/looks.c $<TARGET_OBJECTS:mpi_main_${name}> WRAP ${looks_wraps})
    kiln_looks(${name} 4 "${PROJECT_SOURCE_DIR}/examples/${name}.expected" - mpi mpi_${name} ${short_${name}})
    set_property(TEST mpi/${name}_all PROPERTY WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/examples") # where the digits are
endforeach()

foreach(n 1 2 3 4 8)
    kiln_mpi_test(rules_${n} "mpi;long" "${ranks_sh}" "${MPIEXEC_EXECUTABLE}" ${n} well $<TARGET_FILE:rules> mpi * devices)
    set_property(TEST mpi/rules_${n} APPEND PROPERTY ENVIRONMENT KILN_DEVICES=1)
endforeach()
kiln_mpi_test(rules_first mpi "${ranks_sh}" "${MPIEXEC_EXECUTABLE}" 3 well $<TARGET_FILE:rules> mpi -1 * devices)
kiln_looks(programs 12 - "--sharded --jobs 0 --count 200" "--sharded --processes --count 200" programs 3)
kiln_looks(programs_many 12 - "--sharded --jobs 0 --first 500 --count 5000" "--sharded --processes --first 500 --count 5000" programs)
