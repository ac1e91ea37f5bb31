/* SPDX-License-Identifier: Apache-2.0
 * example.c -- an example, whose main is now example_main, as several processes (looks.c). The first one prints. */
#include "mpi/looks.h"
#include <kiln/kiln.h>
#include <stdio.h>

int example_main(int argc, char **argv);

int main(int argc, char **argv)
{
    if (!looks_begin(&argc, &argv))
        return kn_finish();
    if (kn_process_index() && !freopen("/dev/null", "w", stdout))
        return 1;
    return looks_end(example_main(argc, argv));
}
