/* SPDX-License-Identifier: Apache-2.0
 * dim_cases.h -- the cases of tests/unit/prim/dims: jaxprs of expressions, and what is done with them.
 *
 *     -- name
 *     operation [given CONSTRAINT] [sample b=5 t=3]
 *     a jaxpr in the full form, with variables; its types are those that JAX gives (jax.export.symbolic_shape)
 *     =>
 *     what becomes of it
 *
 * Operations: read; batch SIZE, AXIS ...; jvp MARK ...; gradient MARK ... (the primal part, and the linear one
 * transposed); expand; types (of the results of expand). */
#ifndef KN_TEST_DIM_CASES_H
#define KN_TEST_DIM_CASES_H
#include "base/str.h"
#include "transform/transform.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DIM_MOST = 16, DIM_FILE = 1 << 20 };

typedef struct dim_case {
    char *name, *operation, *given, *sample; /* given, sample: NULL: none */
    const char *line;                        /* of the operation, as it is in the file */
    const char *jaxpr, *want;
    size_t length; /* of want */
} dim_case;

/* Integers up to the end or a word. */
static inline int dim_numbers(const char *text, int *v)
{
    int n = 0, used;
    while (n < DIM_MOST && sscanf(text, " %d%n", &v[n], &used) == 1) {
        text += used;
        n++;
    }
    return n;
}

static inline knx_error *dim_gradient(const kni_jaxpr *j, const bool *marks, kni_jaxpr *y[2])
{
    knt_linearized l;
    KN_TRY(knt_linearize(j, marks, &l));
    bool linear[4 * DIM_MOST] = {0};
    for (uint32_t i = 0; i < l.n_tangent_in; i++)
        linear[l.n_residual + i] = true;
    y[0] = kni_retain(l.primal);
    knx_error *e = knt_transpose(l.linear, linear, &y[1]);
    knt_linearized_free(&l);
    return e;
}

/* One jaxpr or two; NULL, the case's own: retained. */
static inline knx_error *dim_apply(const dim_case *c, kni_jaxpr *j, kni_jaxpr *y[2])
{
    char word[16];
    int used = 0, n, v[DIM_MOST];
    bool marks[DIM_MOST] = {0};
    assert_int_equal(sscanf(c->operation, "%15s%n", word, &used), 1);
    const char *rest = c->operation + used;
    y[0] = y[1] = NULL;
    if (!strcmp(word, "read")) {
        y[0] = kni_retain(j);
        return NULL;
    }
    if (!strcmp(word, "batch")) {
        int64_t size;
        while (*rest == ' ')
            rest++;
        KN_TRY(knx_dim_parse(&rest, &size));
        assert_int_equal(*rest++, ',');
        assert_int_equal(dim_numbers(rest, v), j->n_in);
        return knt_batch(j, size, NULL, v, NULL, &y[0]);
    }
    if (!strcmp(word, "jvp") || !strcmp(word, "gradient")) {
        n = dim_numbers(rest, v);
        assert_int_equal(n, j->n_in);
        for (int i = 0; i < n; i++)
            marks[i] = v[i];
        return *word == 'j' ? knt_jvp(j, marks, &y[0]) : dim_gradient(j, marks, y);
    }
    assert_true(!strcmp(word, "expand") || !strcmp(word, "types"));
    return knt_expand(j, &y[0]);
}

/* "b=5 t=3": the scope assumes. */
static inline void dim_take_sample(knx_dim_scope *s, const char *text)
{
    char name[16];
    long value;
    int used;
    for (s->assumes = true; sscanf(text, " %15[a-z]=%ld%n", name, &value, &used) == 2; text += used) {
        int64_t d;
        knx_dim_var var = 0;
        assert_true(knx_dim_named(name, strlen(name), &d) && knx_dim_is_var(d, &var));
        assert_true(knx_dim_sample(s, var, value));
    }
}

static inline char *dim_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    assert_non_null(end);
    *end = 0;
    *at = end + 1;
    return line;
}

static inline char *dim_option(char *operation, const char *name)
{
    char *at = strstr(operation, name);
    if (!at)
        return NULL;
    *at = 0;
    return at + strlen(name);
}

static inline void dim_path(const char *family, char *path, size_t n)
{
    snprintf(path, n, "%s/unit/prim/dims/%s.txt", KN_TEST_DIR, family);
}

/* Calls `each` for every case of a file. */
static inline void dim_each_case(const char *family, void (*each)(dim_case *c, void *env), void *env)
{
    char path[512], *text = calloc(1, DIM_FILE), operation[256];
    assert_non_null(text);
    dim_path(family, path, sizeof path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, DIM_FILE - 1, f);
    fclose(f);
    assert_true(n > 0);
    for (char *at = text; *at;) {
        char *name = dim_line(&at), *line = dim_line(&at), *want = strstr(at, "=>\n");
        assert_true(!strncmp(name, "-- ", 3) && want && strlen(line) < sizeof operation);
        strcpy(operation, line);
        *want = 0;
        want += 3;
        char *next = strstr(want, "-- ");
        while (next && next[-1] != '\n')
            next = strstr(next + 1, "-- ");
        dim_case c = {.name = name, .operation = operation, .line = line, .jaxpr = at, .want = want};
        c.length = next ? (size_t)(next - want) : strlen(want);
        c.sample = dim_option(operation, " sample ");
        c.given = dim_option(operation, " given ");
        each(&c, env);
        at = want + c.length;
    }
    free(text);
}
/* For each family a test of_NAME, which calls cases_of; and the rows of their table. */
#define DIM_FAMILIES(X) X(reduce) X(product) X(control) X(index) X(random) X(window)
#define DIM_TEST_OF_FAMILY(name)        \
    static void of_##name(void **state) \
    {                                   \
        (void)state;                    \
        cases_of(#name);                \
    }
#define DIM_FAMILY_ROW(name) cmocka_unit_test(of_##name),
#endif
