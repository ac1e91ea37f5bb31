/* SPDX-License-Identifier: Apache-2.0
 * groups.c -- the main function of tests of stage functions in WebAssembly: `groups NAME ARGUMENTS` runs the group of
 * that file (support/group.h). */
#include <stdio.h>
#include <string.h>

#define GROUP(name) int kn_group_##name(int argc, char **argv);
#include KN_TEST_GROUPS
#undef GROUP

int main(int argc, char **argv)
{
#define GROUP(name)                          \
    if (argc > 1 && !strcmp(argv[1], #name)) \
        return kn_group_##name(argc - 1, argv + 1);
#include KN_TEST_GROUPS
#undef GROUP
    fprintf(stderr, "there is no such group\n");
    return 2;
}
