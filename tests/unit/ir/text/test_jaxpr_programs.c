/* SPDX-License-Identifier: Apache-2.0
 * test_jaxpr_programs.c -- random programs of jax.lax print, recorded by Kiln, what JAX prints of them, to the letter.
 * scripts/golden/make_jaxpr_programs.py makes them. docs/jaxpr.md has the reason of each kind of difference that is
 * listed here. */
#include "support/expect.h"
#include "support/group.h"
#include "support/jaxpr_program.h"
#include <stdlib.h>

/* Those of which Kiln's text differs, in order. KILN_SHOW_TEXTS=1 prints both. */
static const int differ[] = {
    78,  355,                                         /* pow with an integer */
    243,                                              /* transpose of a number */
    290, 315,                                         /* conditions of fori_loop that JAX shares */
    404, 408, 417, 436, 437, 461, 477,                /* the derivative of div */
    405, 458, 460, 462, 466, 468, 470, 473, 474, 478, /* that of tanh */
    480,                                              /* weak arguments of nested functions */
};

static bool is_listed(int number)
{
    for (size_t i = 0; i < sizeof differ / sizeof *differ; i++)
        if (differ[i] == number)
            return true;
    return false;
}

static bool same_text(program *p)
{
    KN_SCOPE;
    kn_array x[PROGRAM_OPERANDS];
    kn_args args = {.n = p->n_arg};
    for (int i = 0; i < p->n_arg; i++) {
        x[i] = kn_ones(p->arg[i].shape, .dtype = p->arg[i].dtype);
        args.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    }
    const char *got = kn_jaxpr_text((kn_make_jaxpr)(program_fn(p, 0), &args, NULL), KN_JAXPR_TYPED);
    bool same = !strcmp(got, p->text);
    if (!same && getenv("KILN_SHOW_TEXTS"))
        fprintf(stderr, "program %d %s: JAX has\n%s\nbut Kiln has\n%s\n%s\n", p->number, p->kind, p->text, got,
                kn_error_message());
    kn_error_clear();
    return same;
}

static void compare(const char *kind)
{
    static program p;
    FILE *file = fopen(KN_TEST_DIR "/golden/jaxpr_programs.txt", "r");
    int n = 0, same = 0, wrong = 0;
    if (!file)
        fail_msg("tests/golden/jaxpr_programs.txt cannot be read");
    while (program_read(file, &p)) {
        if (strcmp(p.kind, kind))
            continue;
        bool equal = same_text(&p);
        n++;
        same += equal;
        if (equal != !is_listed(p.number)) {
            print_error("program %d %s\n", p.number, equal ? "is equal now" : "differs");
            wrong++;
        }
    }
    fclose(file);
    print_message("%s: %d of %d texts are JAX's\n", kind, same, n);
    assert_true(n > 0);
    assert_int_equal(wrong, 0);
}

static void plain(void **state)
{
    (void)state;
    compare("plain");
}
static void nested(void **state)
{
    (void)state;
    compare("nested");
}
static void gradient(void **state)
{
    (void)state;
    compare("gradient");
}
static void jvp(void **state)
{
    (void)state;
    compare("jvp");
}
static void weak(void **state)
{
    (void)state;
    compare("weak");
}

KN_TEST_GROUP(test_jaxpr_programs)
{
    const struct CMUnitTest tests[] = {TEST(plain), TEST(nested), TEST(gradient), TEST(jvp), TEST(weak)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
