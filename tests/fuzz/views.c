/* SPDX-License-Identifier: Apache-2.0
 * views.c -- a fuzzer: random programs of views, writes and reads run in Kiln and in a model where arrays are memory.
 *
 *     views [--ops N] [--seed S]      runs programs S, S + 1, ... until N operations have run
 *     views --seed S --ops 1          runs one program
 *     views --show ...                prints the lines before they run (for crashes)
 *     views --python ...              prints Python scripts that compare NumPy with the model
 *
 * At the first difference it prints the seed, the program cut down to what is needed, and what differs. */
#include "views.h"
#include <inttypes.h>
#include <kiln/kiln.h>
#include <stdlib.h>
#include <string.h>

static uint64_t ops_run, traced_ops;
static bool show;

void v_argument(const p_program *program, int which, double argument[P_ARGUMENT])
{
    uint64_t random = program->seed + 77u * (unsigned)which;
    for (int i = 0; i < P_ARGUMENT; i++)
        argument[i] = (double)(p_random(&random) % 3000001) * 1e-6 - 1.5;
}

void v_running(const p_program *program, int line)
{
    ops_run++;
    traced_ops += program->traced;
    if (!show)
        return;
    p_print_line(stdout, program, line);
    printf("\n");
    fflush(stdout);
}

static void print_program(const p_program *program)
{
    for (int i = 0; i < program->n; i++) {
        if (program->line[i].dropped)
            continue;
        printf("    ");
        p_print_line(stdout, program, i);
        printf("\n");
    }
}

static const char *run_once(const p_program *program)
{
    const char *difference = program->traced ? v_traced(program) : v_eager(program);
    kn_error_clear();
    return difference;
}

/* Drops lines while there is a difference. */
static void minimise(p_program *program)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (int i = program->n - 1; i >= 0; i--) {
            if (program->line[i].dropped)
                continue;
            program->line[i].dropped = true;
            if (run_once(program))
                smaller = true;
            else
                program->line[i].dropped = false;
        }
    }
}

static void report(p_program *program, const char *difference)
{
    static char first[4096];
    snprintf(first, sizeof first, "%s", difference);
    show = false;
    printf("program %" PRIu64 "%s%s: %s\n", program->seed, program->traced ? " (traced)" : "",
           program->eager ? " (not lazy)" : "", first);
    minimise(program);
    const char *last = run_once(program);
    printf("cut down:\n");
    print_program(program);
    printf("-> %s\nrun again: views --seed %" PRIu64 " --ops 1\n", last ? last : "no difference any more",
           program->seed);
    fflush(stdout);
}

static uint64_t number_after(int argc, char **argv, const char *name, uint64_t otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

static bool has(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static p_program program;
    const char *longer = getenv("KILN_TEST_LONG");
    uint64_t ops = number_after(argc, argv, "--ops", longer && *longer ? 1000000 : 20000);
    uint64_t seed = number_after(argc, argv, "--seed", 1), limit = number_after(argc, argv, "--differences", 1);
    uint64_t programs = 0, differences = 0, lines = 0;
    bool python = has(argc, argv, "--python"), only_traced = has(argc, argv, "--traced");
    show = has(argc, argv, "--show");
    for (; (python ? lines : ops_run) < ops && differences < limit; seed++) {
        p_generate(&program, seed);
        if (only_traced && !program.traced)
            continue;
        programs++;
        lines += (uint64_t)program.n;
        if (python) {
            v_python(&program, programs == 1);
            continue;
        }
        if (show)
            printf("program %" PRIu64 "%s\n", seed, program.traced ? " (traced)" : "");
        uint64_t before = ops_run;
        const char *difference = run_once(&program);
        if (!difference)
            continue;
        differences++;
        report(&program, difference);
        ops_run = before + (uint64_t)program.n;
    }
    if (python) {
        printf("print('%" PRIu64 " programs,', bad, 'differences')\nsys.exit(bad != 0)\n", programs);
        return 0;
    }
    int left = kn_shutdown();
    if (left)
        printf("kn_shutdown() is %d\n", left);
    printf("%" PRIu64 " operations (%" PRIu64 " of functions: called, jit, vmap, grad) in %" PRIu64
           " programs, %" PRIu64 " differences\n",
           ops_run, traced_ops, programs, differences);
    return differences || left;
}
