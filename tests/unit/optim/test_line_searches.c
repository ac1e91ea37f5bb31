/* SPDX-License-Identifier: Apache-2.0
 * test_line_searches.c -- L-BFGS and line searches: fifteen steps as optax takes them (tests/golden/searches.npz), traced
 * and under vmap; dtypes; what is left in the state; wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <math.h>

enum { STEPS = 15 };

/* ---- The problems, each a function of a struct of parameters. */

typedef struct {
    kn_array x;
} One;
typedef struct {
    kn_array w, b;
} Net;
KN_FIELDS(Net, w, b)
typedef struct {
    kn_array first, second; /* D and d; X and y */
} Data;

static kn_array rosen(const One *p)
{
    kn_array a = kn_at(p->x, ":-1"), b = kn_at(p->x, "1:");
    kn_array first = kn_square(kn_sub(b, kn_square(a)));
    return kn_sum(kn_add(kn_mul(100, first), kn_square(kn_sub(1, a))));
}
KN_FUNCTION(rosen, kn_array, One)

static kn_array quadratic(const Data *g, const One *p)
{
    return kn_sum(kn_mul(p->x, kn_sub(kn_mul(kn_mul(0.5, g->first), p->x), g->second)));
}
KN_CLOSURE(quadratic, kn_array, Data, One)

static kn_array logistic(const Data *g, const Net *p)
{
    kn_array margin = kn_mul(kn_negative(g->second), kn_add(kn_matmul(g->first, p->w), p->b));
    return kn_add(kn_mean(kn_logaddexp(margin, 0)), kn_mul(0.01, kn_sum(kn_square(p->w))));
}
KN_CLOSURE(logistic, kn_array, Data, Net)

/* ---- The optimizers. */

#define CASES                                                                                                        \
    X(lbfgs, kn_optim_lbfgs())                                                                                       \
    X(lbfgs_short, kn_optim_lbfgs(.memory_size = 3, .scale_init_precond = false))                                    \
    X(lbfgs_fixed, kn_optim_lbfgs(.learning_rate = 0.1, .linesearch = kn_optim_identity()))                          \
    X(lbfgs_plain, kn_optim_lbfgs(.memory_size = 1, .linesearch = kn_optim_scale_by_backtracking_linesearch(20)))    \
    X(lbfgs_scheduled, kn_optim_lbfgs(.learning_rate_schedule = kn_optim_linear_schedule(0.1, 0.5, 10),              \
                                      .linesearch = kn_optim_identity()))                                            \
    X(backtracking,                                                                                                  \
      kn_optim_chain(kn_optim_sgd(.learning_rate = 1), kn_optim_scale_by_backtracking_linesearch(30)))               \
    X(backtracking_few, kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                             \
                                       kn_optim_scale_by_backtracking_linesearch(3, .slope_rtol = 0.3,               \
                                                                                 .decrease_factor = 0.5)))           \
    X(backtracking_options,                                                                                          \
      kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                                               \
                     kn_optim_scale_by_backtracking_linesearch(30, .increase_factor = INFINITY,                      \
                                                               .max_learning_rate = 0.3, .atol = 1e-3,               \
                                                               .rtol = 1e-2)))                                       \
    X(zoom, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.1), kn_optim_scale_by_zoom_linesearch(20)))               \
    X(zoom_few, kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                                     \
                               kn_optim_scale_by_zoom_linesearch(3, .initial_guess_strategy = "one")))               \
    X(zoom_strict, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.01),                                               \
                                  kn_optim_scale_by_zoom_linesearch(30, .curv_rtol = 0.1, .approx_dec_rtol = NAN,    \
                                                                    .increase_factor = 3)))                          \
    X(zoom_short, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.01),                                                \
                                 kn_optim_scale_by_zoom_linesearch(20, .max_learning_rate = 1.5, .tol = 1e-3,        \
                                                                   .stepsize_precision = 1e-2)))                     \
    X(zoom_momentum, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.001), kn_optim_scale_by_zoom_linesearch(20),     \
                                    kn_optim_trace(0.5)))
#define X(name, expression) \
    static kn_optimizer make_##name(void) { return expression; }
CASES
#undef X
#define X(name, expression) {#name, make_##name},
static const struct {
    const char *name;
    kn_optimizer (*make)(void);
} cases[] = {CASES};
#undef X

/* ---- Steps. */

static const knio_npy *stored(const golden *g, const char *a, const char *b, const char *c)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s%s%s%s", a, *b ? " " : "", b, *c ? " " : "", c);
    return golden_find(g, text);
}

/* One run on one problem: the parameters behind each step, rates, rounds. */
typedef struct {
    kn_array x, rate, rounds;
} Path;

static Path path_of(kn_optimizer o, kn_fn f, kn_tree params, bool searches, int steps)
{
    kn_array x[STEPS], rate[STEPS], rounds[STEPS];
    kn_tree state = kn_optim_init(o, params);
    kn_fn slope = kn_value_and_grad(f);
    for (int i = 0; i < steps; i++) {
        kn_array value;
        kn_tree grad;
        const kn_outs outs = {2, {{&value, sizeof value}, {&grad, 2}}};
        assert_int_equal((kn_call)(slope, &outs, &(const kn_args){1, {{params, 1}}}), 0);
        int status = searches ? kn_optim_apply(o, &state, params, grad, .value = value, .value_fn = f)
                              : kn_optim_apply(o, &state, params, grad);
        if (status)
            fail_msg("%s", kn_error_message());
        kn_array flat[2];
        for (int k = 0; k < kn_tree_count(params) && k < 2; k++)
            flat[k] = kn_ravel(kn_tree_get(params, k));
        x[i] = kn_concatenate(kn_list_from(flat, kn_tree_count(params)));
        if (searches) {
            bool chained = kn_tree_has(state, "[1].learning_rate");
            rate[i] = kn_tree_at(state, chained ? "[1].learning_rate" : "[2].learning_rate");
            rounds[i] = kn_tree_at(state, chained ? "[1].info.num_linesearch_steps" : "[2].info.num_linesearch_steps");
        }
    }
    Path p = {kn_stack(kn_list_from(x, steps)), NULL, NULL};
    if (searches) {
        p.rate = kn_stack(kn_list_from(rate, steps));
        p.rounds = kn_stack(kn_list_from(rounds, steps));
    }
    return p;
}

static Path run(const golden *g, const char *problem, kn_optimizer o, const char *dtype, bool searches)
{
    if (strcmp(problem, "logistic") == 0) {
        Data d = {golden_array(stored(g, "logistic X", dtype, "")), golden_array(stored(g, "logistic y", dtype, ""))};
        kn_dtype t = kn_dtype_of(d.first);
        Net p = {kn_zeros(KN_SHAPE(3), t), kn_astype(kn_scalar(0.5), t)};
        return path_of(o, KN_CLOSE(logistic, &d), KN_TREE(&p, Net), searches, STEPS);
    }
    bool f32 = dtype[1] == '3';
    One p = {kn_ones(KN_SHAPE(8))};
    if (strcmp(problem, "rosen2") == 0)
        p.x = kn_of(double, -1.2, 1);
    else if (strcmp(problem, "rosen5") == 0)
        p.x = kn_of(double, -1.2, 1, -0.5, 0.25, 0.75);
    else if (strcmp(problem, "rosen10") == 0)
        p.x = kn_linspace(-1, 1.25, 10);
    p.x = kn_astype(p.x, f32 ? KN_F32 : KN_F64);
    if (strcmp(problem, "quadratic") != 0)
        return path_of(o, KN_FN(rosen), KN_TREE(&p), searches, STEPS);
    Data d = {golden_array(stored(g, "quadratic D", dtype, "")), golden_array(stored(g, "quadratic d", dtype, ""))};
    return path_of(o, KN_CLOSE(quadratic, &d), KN_TREE(&p), searches, STEPS);
}

/* ---- What optax does. */

/* Searches decide by comparisons, and L-BFGS divides by differences that become small: an error of one ulp grows by
 * some powers of ten in fifteen steps on Rosenbrock's valley. */
static void check(const golden *g, const char *problem, size_t i, const char *dtype, double tolerance)
{
    KN_SCOPE;
    char name[64], what[80];
    snprintf(name, sizeof name, "%s %s %s", problem, cases[i].name, dtype);
    bool searches = strcmp(cases[i].name, "lbfgs_fixed") != 0 && strcmp(cases[i].name, "lbfgs_scheduled") != 0;
    Path p = run(g, problem, cases[i].make(), dtype, searches);
    snprintf(what, sizeof what, "%s x", name);
    if (getenv("SHOW")) {
        kn_array w = golden_array(stored(g, name, "x", ""));
        kn_array d = kn_divide(kn_max(kn_absolute(kn_subtract(p.x, w)), KN_AXIS(1)), kn_max(kn_absolute(w), KN_AXIS(1)));
        printf("%s: %s\n", name, (kn_array_str)(d, NULL));
        if (searches) {
            kn_array r = golden_array(stored(g, name, "rounds", ""));
            printf("   %s\n   %s\n", (kn_array_str)(r, NULL), (kn_array_str)(p.rounds, NULL));
        }
        return;
    }
    golden_close(what, p.x, stored(g, name, "x", ""), tolerance, tolerance);
    if (!searches)
        return;
    snprintf(what, sizeof what, "%s rate", name);
    golden_close(what, p.rate, stored(g, name, "rate", ""), tolerance, tolerance);
    snprintf(what, sizeof what, "%s rounds", name);
    golden_same_bits(what, p.rounds, stored(g, name, "rounds", ""));
}

static void steps_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("searches.npz");
    static const char *const all[] = {"rosen5", "quadratic", "logistic"}, *const few[] = {"rosen2", "rosen10"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool often = !strcmp(cases[i].name, "lbfgs") || !strcmp(cases[i].name, "zoom") ||
                     !strcmp(cases[i].name, "backtracking");
        for (size_t k = 0; k < 3; k++)
            check(&g, all[k], i, "f64", 1e-9);
        for (size_t k = 0; often && k < 2; k++)
            check(&g, few[k], i, "f64", 1e-9);
        for (size_t k = 0; often && k < 3; k++)
            check(&g, all[k], i, "f32", 1e-3);
    }
    golden_free(&g);
}

KN_TEST_GROUP(test_line_searches)
{
    const struct CMUnitTest tests[] = {TEST(steps_are_those_of_optax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
