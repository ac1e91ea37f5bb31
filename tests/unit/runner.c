/* SPDX-License-Identifier: Apache-2.0
 * runner.c -- the main function of a folder's tests: `unit_base test_dtype ARGUMENTS` runs the group of that file (support/group.h), without a name
 * each group of the folder in a child process, where there are such. groups.def is made by CMake. */
#include <stdio.h>
#include <string.h>
#ifndef __wasm__
#include <sys/wait.h>
#include <unistd.h>
#endif

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

/* The exit status of a group that runs in a child. */
static int run_apart(const struct group *g, char **argv)
{
#ifdef __wasm__
    printf("%s: there are no processes here: name it\n", g->name);
    return argv[0] ? 77 : 1;
#else
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char *own[] = {argv[0], NULL};
        int status = g->run(1, own);
        fflush(NULL);
        _exit(status ? status == 77 ? 77 : 1 : 0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
#endif
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (argc > 1 && strcmp(argv[1], groups[i].name) == 0) {
            argv[1] = argv[0];
            return groups[i].run(argc - 1, argv + 1);
        }
        if (argc == 1) {
            int status = run_apart(&groups[i], argv);
            printf("%s %s\n", status == 0 ? "ok  " : status == 77 ? "skip" : "FAIL", groups[i].name);
            bad += status != 0 && status != 77;
        }
    }
    if (argc > 1) {
        fprintf(stderr, "%s: there is no group %s; those that there are:\n", argv[0], argv[1]);
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            fprintf(stderr, "  %s\n", groups[i].name);
        return 2;
    }
    return bad != 0;
}
