/* SPDX-License-Identifier: Apache-2.0
 * rules.c -- every rule of every primitive, checked: the table of cases (cases.h) times the checks below.
 *
 *     rules                                       everything; the exit status is 0 if all passed
 *     rules 'reduce_sum/f32/3x4/axes0' jvp        one check of one case; * and ? in the name stand for anything
 *     rules 'reduce_*' jvp,vjp                    some checks, or with a - in front all but these
 *     rules -1 '*' jvp                            of each sample the first case alone
 *     rules -x NAME,NAME '*' value                without the samples of these names
 *     rules -l [CASE]                             the names of the cases
 *     rules -s FILE                               compares the page of how rows are cut (KILN_WRITE_PAGE: writes it)
 *     rules -t FILE                               everything, and the typed texts of all jaxprs into FILE
 *     mpirun ... rules mpi [-1] '*' devices       as several processes (processes.c); alone KILN_DEVICES=4 rules '*' devices
 *
 * Checks of a case: value, text, jit, loop, vmap, axes, spread, devices (if it is named), of a routine that has rows stack, and where operands have
 * tangents jvp, vjp, transpose, second, lanes; of the first case of a sample: scarce. Checks of a row, by the name of
 * its primitive: row, refuses, dtypes, factors, cuts.
 * A check that fails prints the command that runs just it and what is wrong. KILN_TEST_LONG=1: more seeds, all
 * combinations of batch axes, the longest arrays, every allocation. */
#include "bench.h"
#include "kiln/distributed.h"
#if defined(__x86_64__)
#include "host/x86/code.h"
#endif

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    check_fn *run;
    bool tangents, once; /* once: for the first case of a sample */
} checks[] = {
    {"value", check_value, false, false},     {"text", check_text, false, false},
    {"jit", check_jit, false, false},         {"loop", check_loop, false, false},
    {"vmap", check_vmap, false, false},       {"jvp", check_jvp, true, false},
    {"vjp", check_vjp, true, false},          {"transpose", check_transpose, true, false},
    {"second", check_second, true, false},    {"lanes", check_lanes, true, false},
    {"axes", check_axes, false, false},       {"stack", check_stack, false, false},
    {"spread", check_spread, false, false},   {"scarce", check_scarce, false, true},
    {"devices", check_devices, false, false},
};

static struct {
    const char *program, *only_case, *only_check, *without;
    bool list, thorough, brief;
    long cases, passed, failed;
} all;

/* Is one of the names, between commas, the first `length` characters? */
static bool lists(const char *names, const char *name, size_t length)
{
    for (const char *at = names, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        if ((size_t)(end - at) == length && !strncmp(at, name, length))
            return true;
    }
    return false;
}

static bool wanted(const char *name)
{
    if (all.without && lists(all.without, name, strcspn(name, "/")))
        return false;
    return !all.only_case || !strcmp(name, all.only_case) || !fnmatch(all.only_case, name, 0);
}
/* No checks named: all. CHECK,CHECK: these. -CHECK,CHECK: all but these. */
static bool wanted_check(const char *check)
{
    bool but = !all.only_check || all.only_check[0] == '-';
    if (but && !strcmp(check, "devices"))
        return false;
    if (!all.only_check)
        return true;
    return lists(all.only_check + but, check, strlen(check)) != but;
}

static void count(const bench *b, const char *check)
{
    if (b->failed)
        printf("%s '%s' %s   # %s\n", all.program, b->name, check, b->message);
    fflush(stdout);
    ++*(b->failed ? &all.failed : &all.passed);
}

static void run_case(const sample *s, kn_dtype t, const char *operands, bool first)
{
    bench b = {.thorough = all.thorough};
    bool open = bench_open(&b, s, t, operands);
    if (!wanted(b.name)) {
        bench_close(&b);
        return;
    }
    all.cases++;
    if (all.list) {
        puts(b.name);
        bench_close(&b);
        return;
    }
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        if (!wanted_check(checks[k].name) || ((checks[k].once || all.brief) && !first) ||
            (checks[k].run == check_axes && !s->lanes) || (checks[k].tangents && open && !check_needs_tangent(&b)))
            continue;
        int64_t live, lost = INT64_MAX; /* by each turn; what stays is made once, and memory for code comes and goes */
        int turns =
            checks[k].run == check_devices ? 1 : 3; /* all processes do the same, whatever one of them has lost */
        for (int turn = 0; turn == 0 || (turn < turns && lost > 0 && !b.failed); turn++) {
            live = knx_alloc_live();
            if ((b.j = open ? bench_build(&b, false) : NULL))
                checks[k].run(&b);
            bench_close(&b);
            live = knx_alloc_live() - live;
            lost = live < lost ? live : lost;
        }
        if (lost > 0 && turns > 1)
            bench_fail(&b, "%lld blocks of memory are lost", (long long)lost);
        count(&b, checks[k].name);
        b.failed &= !open;
        if (!open)
            return;
    }
}

static void run_sample(const sample *s)
{
    if ((s->flags & LONG) && !all.thorough)
        return;
    for (const char *text = s->operands, *next; text; text = next) {
        operand x[MAX_OPERANDS];
        int n;
        next = bench_operands(text, KN_DT(F32), x, &n);
        if (!s->dtypes)
            run_case(s, NULL, text, text == s->operands);
        int last = -1; /* of its dtypes: a float if it has one */
        for (int id = 0; id < KN_ID_COUNT; id++)
            if (bench_has_dtype(s, &knx_dtype_table[id]) && (last < 0 || knx_dtype_table[id].kind != KN_KIND_KEY))
                last = id;
        for (int id = 0; id < KN_ID_COUNT; id++)
            if (bench_has_dtype(s, &knx_dtype_table[id]))
                run_case(s, &knx_dtype_table[id], text, text == s->operands && (id == last));
    }
}

static void run_row(const kni_prim *p)
{
    static const struct {
        const char *name;
        void (*run)(bench *, const kni_prim *);
    } row_checks[] = {{"row", check_row},
                      {"refuses", check_refuses},
                      {"dtypes", check_dtypes},
                      {"factors", check_factors},
                      {"cuts", check_cuts}};
    for (size_t k = 0; k < sizeof row_checks / sizeof *row_checks; k++) {
        bench b = {0};
        snprintf(b.name, sizeof b.name, "%s", p->name);
        if (all.list || !wanted(b.name) || !wanted_check(row_checks[k].name))
            continue;
        int64_t live, lost = INT64_MAX; /* as in run_case */
        for (int turn = 0; turn == 0 || (turn < 3 && lost > 0 && !b.failed); turn++) {
            live = knx_alloc_live();
            row_checks[k].run(&b, p);
            live = knx_alloc_live() - live;
            lost = live < lost ? live : lost;
        }
        if (lost > 0)
            bench_fail(&b, "%lld blocks of memory are lost", (long long)lost);
        count(&b, row_checks[k].name);
    }
}

/* The process's memory for code is made with the first piece, and stays: what is counted afterwards is lost, but for the
 * inner loops of products, which stay, too. */
static void warm_up(void)
{
#if defined(__x86_64__)
    knh_code *code = NULL;
    knx_error *e = knh_publish("", 1, "warm up", &code);
    knh_code_free(e ? NULL : code);
    knx_error_release(e);
#endif
}

int main(int argc, char **argv)
{
    const char *thorough = getenv("KILN_TEST_LONG");
    all.thorough = thorough && !strcmp(thorough, "1");
    all.program = argv[0];
    if (argc > 1 && !strcmp(argv[1], "mpi")) {
        if (!kn_distributed_init(.timeout = 120))
            return 1;
        argv++, argc--;
    }
    if (argc > 1 && !strcmp(argv[1], "-l")) {
        all.list = true;
        argv++, argc--;
    }
    if (argc > 1 && !strcmp(argv[1], "-1")) {
        all.brief = true;
        argv++, argc--;
    }
    if (argc > 2 && !strcmp(argv[1], "-x")) {
        all.without = argv[2];
        argv += 2, argc -= 2;
    }
    if (argc > 2 && !strcmp(argv[1], "-t")) {
        bench_texts = fopen(argv[2], "w");
        argv += 2, argc -= 2;
    }
    if (argc > 2 && !strcmp(argv[1], "-s"))
        return cuts_page(argv[2]) ? 0 : 1;
    all.only_case = argc > 1 ? argv[1] : NULL;
    all.only_check = argc > 2 ? argv[2] : NULL;
    warm_up();
    for (const kni_prim *const *p = kni_prims; *p; p++)
        run_row(*p);
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++)
            run_sample(s);
    all.failed += kn_distributed_is_initialized() && !kn_distributed_shutdown();
    kni_places_free();
    if (!all.list)
        printf("%ld cases: %ld passed, %ld failed\n", all.cases, all.passed, all.failed);
    return all.failed || !(all.cases + all.passed) ? 1 : 0;
}
