/* SPDX-License-Identifier: Apache-2.0
 * count.c -- the number of a process's devices is told to the others when they are joined, and stays from then on. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    bool well = kn_distributed_init(.timeout = 60) && kn_set_local_device_count(kn_local_device_count());
    well = well && !kn_set_local_device_count(kn_local_device_count() + 1);
    well = well && kn_error_get_kind() == KN_ERROR_RUNTIME && strstr(kn_error_message(), "once processes are joined");
    if (!well)
        printf("process %d: %s\n", kn_process_index(), kn_error_message());
    kn_error_clear();
    return kn_finish() || !well;
}
