/* SPDX-License-Identifier: Apache-2.0
 * on_device.h -- tests of arrays that hold on every device: wherever the user looks or writes, the elements are the
 * right ones, and what a device computes exactly has the host's bits. */
#ifndef KN_TESTS_ON_DEVICE_H
#define KN_TESTS_ON_DEVICE_H
#include "device/device.h"

int on_device_setup(void **state); /* the device is the default one */
int on_device_teardown(void **state);
void on_device_results_are_read_back(void **state);
void on_device_views_are_written_to_and_seen(void **state);
void on_device_memory_that_the_user_sees_is_sent_each_time(void **state);
void on_device_dtypes_and_odd_sizes(void **state);
void on_device_functions_give_the_hosts_bits(void **state);

#define ON_DEVICE_ONE(d, f)                                                                                     \
    {                                                                                                           \
        #f, on_device_##f, on_device_setup, on_device_teardown, (void *)(uintptr_t)(const knd_device *)(d)      \
    }
/* Of a group's tests: all of them on the device d. */
#define ON_DEVICE_TESTS(d)                                                                                      \
    ON_DEVICE_ONE(d, results_are_read_back), ON_DEVICE_ONE(d, views_are_written_to_and_seen),                   \
        ON_DEVICE_ONE(d, memory_that_the_user_sees_is_sent_each_time), ON_DEVICE_ONE(d, dtypes_and_odd_sizes),  \
        ON_DEVICE_ONE(d, functions_give_the_hosts_bits)
#endif
