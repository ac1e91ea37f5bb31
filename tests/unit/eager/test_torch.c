/* SPDX-License-Identifier: Apache-2.0
 * test_torch.c -- small programs with tangents and backward, as PyTorch runs them (scripts/golden/make_eager_torch.py tells the language): the same
 * numbers, gradients where PyTorch has some, and errors where it has those. What is different on purpose is in docs/eager.md: what a graph needs
 * cannot be written over, so such programs have gradients here (`version`), and writes to a watched array are an error of
 * its gradient, not of the write (`leaf`). */
#include "kiln/kiln.h"
#include "support/group.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NAMES = 16, WORDS = 40 };

typedef struct machine {
    char name[NAMES][8];
    kn_array at[NAMES];
    int n_names, n_words;
    char *word[WORDS];
    kn_level level, off;
    bool told, none; /* the last statement tells numbers; there is no gradient */
    kn_array numbers;
} machine;

/* ---- Names. */

static kn_array *slot(machine *m, const char *name)
{
    for (int i = 0; i < m->n_names; i++)
        if (strcmp(m->name[i], name) == 0)
            return &m->at[i];
    assert_true(m->n_names < NAMES);
    snprintf(m->name[m->n_names], sizeof m->name[0], "%s", name);
    return &m->at[m->n_names++];
}

/* The array of a word, or its number. */
static kn_array operand(machine *m, int i)
{
    const char *w = m->word[i];
    return (*w >= 'a' && *w <= 'z') ? *slot(m, w) : kn_num(atof(w));
}

static kn_array of_words(machine *m, int from)
{
    double v[WORDS];
    int n = 0;
    for (int i = from; i < m->n_words; i++)
        v[n++] = atof(m->word[i]);
    return kn_from(v, KN_SHAPE(n));
}

static kn_shape shape_of_word(const char *w)
{
    kn_shape s = {0};
    for (char *p = (char *)w; *p && *p != '-'; p += *p == 'x')
        s.dim[s.ndim++] = strtoll(p, &p, 10);
    return s;
}

static int number(const machine *m, int i) { return atoi(m->word[i]); }

/* ---- Operations. */

#define ONE_OF(name, expression) \
    static kn_array one_##name(kn_array x) { return expression; }
ONE_OF(sum, kn_sum(x))
ONE_OF(mean, kn_mean(x))
ONE_OF(prod, kn_prod(x))
ONE_OF(max, kn_max(x))
ONE_OF(logsumexp, kn_nn_logsumexp(x))
ONE_OF(sum0, kn_sum(x, KN_AXIS(0)))
ONE_OF(cumsum, kn_cumsum(x, KN_AXIS(0)))
ONE_OF(flip, kn_flip(x, KN_AXIS(0)))
ONE_OF(softmax, kn_nn_softmax(x))
ONE_OF(logsoftmax, kn_nn_log_softmax(x))
ONE_OF(sort, kn_sort(x))
ONE_OF(cholesky, kn_linalg_cholesky(x))
ONE_OF(copy, kn_copy(x))
ONE_OF(to_int, kn_astype(x, KN_I64))
ONE_OF(sin, kn_sin(x))
ONE_OF(cos, kn_cos(x))
ONE_OF(exp, kn_exp(x))
ONE_OF(log, kn_log(x))
ONE_OF(tanh, kn_tanh(x))
ONE_OF(sqrt, kn_sqrt(x))
ONE_OF(neg, kn_negative(x))
ONE_OF(square, kn_square(x))
ONE_OF(abs, kn_abs(x))
ONE_OF(expm1, kn_expm1(x))
ONE_OF(log1p, kn_log1p(x))
ONE_OF(arctan, kn_arctan(x))
ONE_OF(erf, kn_special_erf(x))
ONE_OF(sigmoid, kn_nn_sigmoid(x))
ONE_OF(relu, kn_nn_relu(x))
ONE_OF(softplus, kn_nn_softplus(x))
ONE_OF(transpose, kn_matrix_transpose(x))
ONE_OF(inv, kn_linalg_inv(x))
ONE_OF(det, kn_linalg_det(x))
ONE_OF(detach, kn_detach(x))
ONE_OF(tangent, kn_tangent_of(x))
ONE_OF(primal, kn_primal_of(x))
ONE_OF(grad, kn_grad_of(x))

static const struct {
    const char *name;
    kn_array (*f)(kn_array x);
} ones[] = {{"sum", one_sum},
            {"mean", one_mean},
            {"prod", one_prod},
            {"max", one_max},
            {"logsumexp", one_logsumexp},
            {"sum0", one_sum0},
            {"cumsum", one_cumsum},
            {"flip", one_flip},
            {"softmax", one_softmax},
            {"logsoftmax", one_logsoftmax},
            {"sort", one_sort},
            {"cholesky", one_cholesky},
            {"copy", one_copy},
            {"int", one_to_int},
            {"sin", one_sin},
            {"cos", one_cos},
            {"exp", one_exp},
            {"log", one_log},
            {"tanh", one_tanh},
            {"sqrt", one_sqrt},
            {"neg", one_neg},
            {"square", one_square},
            {"abs", one_abs},
            {"expm1", one_expm1},
            {"log1p", one_log1p},
            {"arctan", one_arctan},
            {"erf", one_erf},
            {"sigmoid", one_sigmoid},
            {"relu", one_relu},
            {"softplus", one_softplus},
            {"transpose", one_transpose},
            {"inv", one_inv},
            {"det", one_det},
            {"detach", one_detach},
            {"tangent", one_tangent},
            {"primal", one_primal},
            {"grad", one_grad}};

#define TWO_OF(name, expression) \
    static kn_array two_##name(kn_array x, kn_array y) { return expression; }
TWO_OF(add, kn_add(x, y))
TWO_OF(sub, kn_subtract(x, y))
TWO_OF(mul, kn_multiply(x, y))
TWO_OF(div, kn_divide(x, y))
TWO_OF(pow, kn_power(x, y))
TWO_OF(maximum, kn_maximum(x, y))
TWO_OF(minimum, kn_minimum(x, y))
TWO_OF(matmul, kn_matmul(x, y))
TWO_OF(atan2, kn_arctan2(x, y))
TWO_OF(hypot, kn_hypot(x, y))
TWO_OF(solve, kn_linalg_solve(x, y))
TWO_OF(dual, kn_with_tangent(x, y))

static const struct {
    const char *name;
    kn_array (*f)(kn_array x, kn_array y);
} twos[] = {{"add", two_add},     {"sub", two_sub},         {"mul", two_mul},         {"div", two_div},
            {"pow", two_pow},     {"maximum", two_maximum}, {"minimum", two_minimum}, {"matmul", two_matmul},
            {"atan2", two_atan2}, {"hypot", two_hypot},     {"solve", two_solve},     {"dual", two_dual}};

static const struct {
    const char *name;
    int (*f)(kn_array x, kn_array y);
} writes[] = {{"iadd", kn_iadd}, {"isub", kn_isub}, {"imul", kn_imul}, {"idiv", kn_idiv}};

static kn_array result(machine *m)
{
    const char *op = m->word[2];
    kn_array x = operand(m, 3), all[4];
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (strcmp(op, ones[i].name) == 0)
            return ones[i].f(x);
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (strcmp(op, twos[i].name) == 0)
            return twos[i].f(x, operand(m, 4));
    if (strcmp(op, "at") == 0)
        return kn_at(x, m->word[4]);
    if (strcmp(op, "pick") == 0)
        return kn_take(x, kn_astype(of_words(m, 4), KN_I64), KN_AXIS(0));
    if (strcmp(op, "reshape") == 0)
        return kn_reshape(x, KN_SHAPE(number(m, 4), number(m, 5)));
    if (strcmp(op, "where") == 0)
        return kn_where(kn_greater(x, 0), operand(m, 4), operand(m, 5));
    int n = m->n_words - 3;
    for (int i = 0; i < n && i < 4; i++)
        all[i] = operand(m, 3 + i);
    bool stack = strcmp(op, "stack") == 0;
    assert_true(stack || strcmp(op, "concat") == 0);
    return stack ? kn_stack(kn_list_from(all, n)) : kn_concatenate(kn_list_from(all, n));
}

/* ---- Statements. */

static bool is(const machine *m, const char *word) { return strcmp(m->word[0], word) == 0; }

static void go_backward(machine *m)
{
    kn_backward_opts o = kn_backward_opts_default();
    for (int i = 2; i < m->n_words; i++) {
        if (strcmp(m->word[i], "seed") == 0)
            o.seed = operand(m, i + 1);
        o.keep = o.keep || strcmp(m->word[i], "keep") == 0;
        o.record = o.record || strcmp(m->word[i], "record") == 0;
    }
    (kn_backward)(operand(m, 1), &o);
}

static void tell(machine *m, kn_array x)
{
    m->told = true;
    m->none = false;
    m->numbers = x;
}

/* An array that is not watched has no gradient. Where backward has not come by there are zeros, which PyTorch may have, too. */
static void tell_gradient(machine *m, kn_array x)
{
    bool has = kn_has_grad(x);
    kn_error_clear();
    tell(m, kn_grad_of(x));
    m->none = !has;
    kn_error_clear();
}

static void write_to(machine *m)
{
    if (is(m, "put"))
        kn_set_at(operand(m, 1), operand(m, 3), m->word[2]);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        if (is(m, writes[i].name))
            writes[i].f(operand(m, 1), operand(m, 2));
}

static void statement(machine *m)
{
    m->told = false;
    if (m->n_words > 2 && strcmp(m->word[1], "=") == 0) {
        kn_array y = result(m);
        *slot(m, m->word[0]) = y;
    } else if (is(m, "new")) {
        *slot(m, m->word[1]) = kn_copy(kn_reshape(of_words(m, 3), shape_of_word(m->word[2])));
    } else if (is(m, "watch")) {
        kn_watch(operand(m, 1));
    } else if (is(m, "backward")) {
        go_backward(m);
    } else if (is(m, "grads")) {
        tell_gradient(m, operand(m, 1));
    } else if (is(m, "clear")) {
        kn_clear_grad(operand(m, 1));
    } else if (is(m, "show")) {
        tell(m, operand(m, 1));
    } else if (is(m, "asks")) {
        tell(m, kn_num((double)kn_is_watched(operand(m, 1))));
    } else if (is(m, "off")) {
        m->off = kn_no_tape_begin();
    } else if (is(m, "on")) {
        kn_level_end(&m->off);
    } else if (is(m, "level")) {
        m->level = kn_tangents_begin();
    } else if (is(m, "endlevel")) {
        kn_level_end(&m->level);
    } else {
        write_to(m);
    }
}

/* ---- What is expected. */

static const char *other_numbers(const machine *m, char *text)
{
    if (strcmp(text, "none") == 0)
        return m->none ? NULL : "there is a gradient";
    if (!kn_ok(m->numbers))
        return kn_error_of(m->numbers);
    double have[64];
    int64_t n = kn_size(m->numbers);
    if (n > 64 || kn_copy_to(m->numbers, have, (size_t)n * sizeof *have) != 0)
        return kn_error_message();
    for (int64_t i = 0; i < n; i++) {
        char *end = text;
        double want = strtod(text, &end);
        if (end == text || !(fabs(have[i] - want) <= 1e-12 * fmax(fabs(want), 1e-3)))
            return "other numbers";
        text = end;
    }
    return *text ? "fewer numbers" : NULL;
}

static const char *other_error(machine *m, const char *word)
{
    static const struct {
        const char *word, *kind, *part;
    } errors[] = {{"freed", "RuntimeError", "for the second time"},
                  {"seed", "ValueError", "needs a .seed"},
                  {"unwatched", "ValueError", "depends on no watched one"},
                  {"integer", "TypeError", "has no gradient"},
                  {"leaf", "ValueError", "was changed by"}};
    if (strcmp(word, "version") == 0)
        return kn_error_pending() ? kn_error_message() : NULL;
    if (strcmp(word, "leaf") == 0) {
        if (kn_error_pending())
            return kn_error_message();
        (void)kn_grad_of(operand(m, 1));
    }
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(word, errors[i].word) == 0) {
            bool same = kn_error_pending() && strcmp(kn_error_kind_name(), errors[i].kind) == 0 &&
                        strstr(kn_error_message(), errors[i].part);
            return same ? NULL : kn_error_pending() ? kn_error_message() : "no error";
        }
    return "an unknown word";
}

/* A line of the file: a statement, or what the one before told. NULL: as it should be. */
static const char *line_of(machine *m, char *line)
{
    if (*line == '>') {
        const char *why = m->told ? other_numbers(m, line + 2) : "it told nothing";
        m->told = false;
        return why;
    }
    if (*line == '!') {
        const char *why = other_error(m, line + 2);
        static char text[1000];
        snprintf(text, sizeof text, "%s", why ? why : "");
        kn_error_clear();
        return why ? text : NULL;
    }
    if (kn_error_pending())
        return kn_error_message();
    m->n_words = 0;
    for (char *save, *w = strtok_r(line, " ", &save); w && m->n_words < WORDS; w = strtok_r(NULL, " ", &save))
        m->word[m->n_words++] = w;
    statement(m);
    return NULL;
}

/* ---- The programs. */

enum { LINES = 120 };

static bool run_program(const char *name, char (*line)[400], int n)
{
    KN_SCOPE;
    machine m = {0};
    const char *why = NULL;
    char copy[400] = "";
    for (int i = 0; i < n && !why; i++) {
        strcpy(copy, line[i]);
        why = line_of(&m, line[i]);
    }
    if (!why && kn_error_pending())
        why = kn_error_message();
    if (why)
        fprintf(stderr, "%s: %s: %s\n", name, copy, why);
    kn_level_end(&m.level);
    kn_level_end(&m.off);
    kn_error_clear();
    return !why;
}

static void programs_of_pytorch_have_its_numbers_and_errors(void **state)
{
    (void)state;
    static char line[LINES][400], name[400], next[400];
    FILE *f = fopen(KN_TEST_DIR "/golden/eager_torch.txt", "r");
    assert_non_null(f);
    int bad = 0, programs = 0, n = 0;
    bool more = fgets(next, sizeof next, f) != NULL; /* the versions */
    while (more) {
        more = fgets(next, sizeof next, f) != NULL;
        next[strcspn(next, "\n")] = 0;
        if (more && strncmp(next, "== ", 3) != 0) {
            assert_true(n < LINES);
            strcpy(line[n++], next);
            continue;
        }
        if (n) {
            programs++;
            bad += !run_program(name, line, n);
        }
        strcpy(name, next + (more ? 3 : 0));
        n = 0;
    }
    fclose(f);
    assert_int_equal(bad, 0);
    assert_true(programs >= 100);
}

/* torch.tensor([1+2j]) has [2.-4.j] here. */
static void gradients_of_complex_arrays_are_the_conjugates_of_pytorchs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_watch(kn_copy(kn_of(double _Complex, 1 + 2 * 1.0i)));
    kn_backward(kn_real(kn_sum(kn_multiply(c, c))));
    assert_true(kn_item(kn_real(kn_grad_of(c))) == 2 && kn_item(kn_imag(kn_grad_of(c))) == 4);
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_torch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_pytorch_have_its_numbers_and_errors),
        cmocka_unit_test(gradients_of_complex_arrays_are_the_conjugates_of_pytorchs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
