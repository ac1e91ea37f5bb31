/* SPDX-License-Identifier: Apache-2.0
 * suite.c -- unit tests of sharding as several processes (looks.c): `suite mpi test_sharding` under mpirun, `suite test_sharding` alone. */
#include "mpi/looks.h"
#include <kiln/kiln.h>
#include <stdio.h>
#include <string.h>

#define GROUP(name) int kn_group_##name(int argc, char **argv);
#include KN_TEST_GROUPS
#undef GROUP

static const struct group {
    const char *name;
    int (*run)(int argc, char **argv);
} groups[] = {
#define GROUP(name) {#name, kn_group_##name},
#include KN_TEST_GROUPS
#undef GROUP
};

int main(int argc, char **argv)
{
    int status = 2;
    bool joined = looks_begin(&argc, &argv);
    for (size_t i = 0; joined && argc > 1 && i < sizeof groups / sizeof *groups; i++)
        if (strcmp(argv[1], groups[i].name) == 0)
            status = groups[i].run(1, (char *[]){argv[0], NULL});
    status = looks_end(status);
    int own = kn_finish();
    return status ? 1 : own;
}
