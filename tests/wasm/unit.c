/* SPDX-License-Identifier: Apache-2.0
 * unit.c -- the main function of unit tests that are compiled for WebAssembly: `unit GROUP ARGUMENTS` runs the group of
 * that file (support/group.h). */
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
    for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(argv[1], groups[i].name))
            continue;
        argv[1] = argv[0];
        return groups[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "%s: there is no group %s\n", argv[0], argc > 1 ? argv[1] : "without a name");
    return 2;
}
