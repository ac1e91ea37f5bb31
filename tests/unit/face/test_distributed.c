/* SPDX-License-Identifier: Apache-2.0
 * test_distributed.c -- kiln/distributed.h in a process that is alone; tests/mpi has several. */
#include "support/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/kiln.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fails(bool well, kn_error_kind kind, const char *text)
{
    assert_false(well);
    assert_int_equal(kn_error_get_kind(), kind);
    if (!strstr(kn_error_message(), text))
        fail_msg("\"%s\" does not say \"%s\"", kn_error_message(), text);
    kn_error_clear();
}

static void a_process_is_alone_at_first(void **state)
{
    (void)state;
    assert_int_equal(kn_process_index(), 0);
    assert_int_equal(kn_process_count(), 1);
    assert_false(kn_distributed_is_initialized());
    assert_true(kn_distributed_shutdown());
    assert_int_equal(kn_local_device_count(), 3); /* of the environment, as main sets it */
    assert_int_equal(kn_global_device_count(), 3);
}

static void without_the_module_joining_is_an_error_that_says_so(void **state)
{
    (void)state;
    fails(kn_distributed_init(), KN_ERROR_RUNTIME,
          "distributed_init: no MPI: the module libkiln_mpi.so cannot be loaded: /no/such/file");
    fails(kn_distributed_init(.timeout = 2), KN_ERROR_RUNTIME, "KILN_MPI=ON");
    fails(kn_distributed_init(.timeout = -2), KN_ERROR_VALUE, "timeout must not be negative, but is -2");
    fails(kn_distributed_init(.timeout = NAN), KN_ERROR_VALUE, "timeout must not be negative, but is nan");
    assert_false(kn_distributed_is_initialized());
}

static void the_number_of_devices_may_be_set(void **state)
{
    (void)state;
    assert_true(kn_set_local_device_count(8));
    assert_int_equal(kn_local_device_count(), 8);
    fails(kn_set_local_device_count(0), KN_ERROR_VALUE,
          "set_local_device_count: the number of devices must be 1 to 4096, not 0");
    fails(kn_set_local_device_count(4097), KN_ERROR_VALUE, "not 4097");
    assert_int_equal(kn_local_device_count(), 8);
}

KN_TEST_GROUP(test_distributed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_alone_at_first),
        cmocka_unit_test(without_the_module_joining_is_an_error_that_says_so),
        cmocka_unit_test(the_number_of_devices_may_be_set),
    };
    setenv("KILN_DEVICES", "3", 1);
    setenv("KILN_MPI_LIBRARY", "/no/such/file", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
