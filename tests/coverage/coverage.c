/* SPDX-License-Identifier: Apache-2.0
 * coverage.c -- docs/coverage.md tells the truth: every name that it says is here is called once, and gives what NumPy,
 * JAX or optax gave for the same call (tests/golden/coverage.npz). The tables *.def have a row for each name: the name
 * there, the call there, which scripts/golden/make_coverage.py makes, and the call here. A row of docs/coverage.md
 * without one fails, and so does a call that does not use the function which the document names. */
#include "coverage/operands.h"
#include <stdio.h>
#include <stdlib.h>

static const rows *const tables[] = {
    &rows_dtypes, &rows_error_state, &rows_files,    &rows_lax,    &rows_memory, &rows_nn,         &rows_numpy,
    &rows_optax,  &rows_polynomials, &rows_printing, &rows_random, &rows_rng,    &rows_transforms, &rows_ufunc};
enum { N_TABLES = sizeof tables / sizeof *tables };
static golden stored;

/* ---- A row. */

static double tolerance_of(const row *one, kn_dtype dtype)
{
    if (one->tolerance > 0)
        return one->tolerance;
    return dtype == KN_F32 || dtype == KN_C64 ? 1e-6 : dtype == KN_F16 ? 1e-3 : 1e-13;
}

static void call(void **state)
{
    const row *one = *state;
    KN_SCOPE;
    read_operands(&stored);
    const knio_npy *want = golden_find(&stored, one->name);
    kn_array got = one->call();
    if (got && !kn_ok(got) && strstr(kn_error_message(), "built without zlib")) {
        kn_error_clear();
        skip();
    }
    double tolerance = tolerance_of(one, want->dtype);
    golden_close(one->name, got, want, tolerance, tolerance);
}

/* ---- docs/coverage.md. */

typedef struct claim {
    char name[2048], here[96];
} claim;

/* The text between the first two backquotes from *at on, which moves behind them. */
static bool quoted(const char **at, char *text, size_t room)
{
    const char *from = strchr(*at, '`'), *to = from ? strchr(from + 1, '`') : NULL;
    if (!to || (size_t)(to - from) > room)
        return false;
    memcpy(text, from + 1, (size_t)(to - from - 1));
    text[to - from - 1] = 0;
    *at = to + 1;
    return true;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    name = dot ? dot + 1 : name;
    return name + strspn(name, "_");
}

static bool same_last_part(const char *a, const char *c)
{
    a = last_part(a);
    c = last_part(c);
    size_t length = strlen(a), other = strlen(c);
    while (length && a[length - 1] == '_')
        length--;
    while (other && c[other - 1] == '_')
        other--;
    return length == other && memcmp(a, c, length) == 0;
}

static bool is_letter(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Whether the call has this word; the names of definitions that a call uses under another one count. */
static bool uses(const row *one, const char *here)
{
    if (!strcmp(here, "KN_FIELDS"))
        here = "KN_TREE";
    if (!strcmp(here, "KN_FUNCTION_ENV"))
        here = "KN_FN_ENV";
    size_t length = strlen(here);
    for (const char *at = one->here; (at = strstr(at, here)); at++)
        if ((at == one->here || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* The row of that name, or one for the same function under the same name of another module. */
static const row *row_of(const claim *c)
{
    const row *other = NULL;
    for (int k = 0; k < N_TABLES; k++)
        for (int m = 0; m < tables[k]->n; m++) {
            const row *one = &tables[k]->at[m];
            if (!strcmp(one->name, c->name))
                return one;
            if (same_last_part(one->name, c->name) && uses(one, c->here))
                other = one;
        }
    return other;
}

/* What libraries for models have: unit/models/ and tests/models/ call it, and compare with the packages that it is
 * made after. */
static bool is_of_models(const char *module) { return !strncmp(module, "loaders", 7) || !strncmp(module, "onnx ", 5); }

static bool is_primitive(const char *module) { return strncmp(module, "jax primitive", 13) == 0; }

/* Visits each name that is said to be here, wholly or partly. */
static void each_claim(void (*visit)(const char *module, const claim *c, void *env), void *env)
{
    char line[1024], module[1024] = "";
    FILE *file = fopen(KN_TEST_DIR "/../docs/coverage.md", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        claim c = {{0}, {0}};
        char name[256];
        const char *at = line;
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "## ", 3))
            snprintf(module, sizeof module, "%s", line + 3);
        if (line[0] != '|' || !(strstr(line, "| yes |") || strstr(line, "| partly:")) ||
            !quoted(&at, name, sizeof name))
            continue;
        quoted(&at, c.here, sizeof c.here);
        snprintf(c.name, sizeof c.name, is_primitive(module) ? "%s%s" : "%s.%s", is_primitive(module) ? "" : module,
                 name);
        visit(module, &c, env);
    }
    fclose(file);
}

static void check_claim(const char *module, const claim *c, void *env)
{
    int *missing = env;
    if (is_of_models(module))
        return;
    if (is_primitive(module)) /* `rules` fails for a row of the table of primitives that it has no samples for */
        return;
    const row *one = row_of(c);
    if (!one)
        print_error("%s is here as %s, but no row calls it\n", c->name, c->here);
    else if (!uses(one, c->here))
        print_error("%s is here as %s, but its row calls %s\n", c->name, c->here, one->here);
    *missing += !one || !uses(one, c->here);
}

static void every_name_is_called(void **state)
{
    int missing = 0;
    (void)state;
    each_claim(check_claim, &missing);
    if (missing)
        fail_msg("%d names of docs/coverage.md are not called", missing);
}

typedef struct search {
    const row *one;
    bool found;
} search;

static void compare_name(const char *module, const claim *c, void *env)
{
    search *look = env;
    (void)module;
    look->found = look->found || !strcmp(look->one->name, c->name);
}

static void every_call_is_of_a_name(void **state)
{
    int extra = 0;
    (void)state;
    for (int k = 0; k < N_TABLES; k++)
        for (int m = 0; m < tables[k]->n; m++) {
            search look = {&tables[k]->at[m], false};
            each_claim(compare_name, &look);
            if (!look.found)
                print_error("%s is called, but docs/coverage.md does not say that it is here\n", look.one->name);
            extra += !look.found;
        }
    if (extra)
        fail_msg("%d rows are of no name of docs/coverage.md", extra);
}

int main(int argc, char **argv)
{
    int count = 2;
    for (int k = 0; k < N_TABLES; k++)
        count += tables[k]->n;
    struct CMUnitTest *tests = calloc((size_t)count, sizeof *tests);
    if (!tests)
        return 1;
    stored = golden_read("coverage.npz");
    tests[0] = (struct CMUnitTest)cmocka_unit_test(every_name_is_called);
    tests[1] = (struct CMUnitTest)cmocka_unit_test(every_call_is_of_a_name);
    count = 2;
    for (int k = 0; k < N_TABLES; k++)
        for (int m = 0; m < tables[k]->n; m++)
            tests[count++] =
                (struct CMUnitTest){tables[k]->at[m].name, call, NULL, NULL, (void *)(uintptr_t)&tables[k]->at[m]};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = _cmocka_run_group_tests("coverage", tests, (size_t)count, NULL, NULL);
    golden_free(&stored);
    free(tests);
    return failed;
}
