/* SPDX-License-Identifier: Apache-2.0
 * test_random_samples.c -- the distributions of jax.random: JAX's numbers (tests/golden/random_*.npz), integers
 * and truth values exactly, floats as close as docs/random.md says; under transformations; wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <stdlib.h>

/* ---- Each stored array is a call: "vmap:gamma f32 3 4x3 0.5,1,2". */

typedef struct parameter {
    int n; /* 0: a number */
    bool is_integer;
    int64_t integer;
    double v[4];
} parameter;

typedef struct spec {
    char how[8], of[32];
    kn_dtype dtype;
    int64_t seed;
    kn_shape shape;
    int n;
    parameter p[3];
    int by; /* the parameter that is an argument, or -1 */
} spec;

static parameter read_parameter(const char *text)
{
    parameter p = {.is_integer = !strpbrk(text, ".einf,"), .integer = strtoll(text, NULL, 10)};
    p.v[0] = strtod(text, NULL);
    if (strchr(text, ','))
        for (char *end = (char *)(uintptr_t)text; p.n < 4 && *end; end += *end == ',')
            p.v[p.n++] = strtod(end, &end);
    return p;
}

static spec read_spec(const char *name)
{
    spec s = {.by = -1, .shape = {.ndim = -1}};
    char copy[128], *rest = NULL, *w;
    snprintf(copy, sizeof copy, "%s", name);
    for (int i = 0; (w = strtok_r(i ? NULL : copy, " ", &rest)) != NULL; i++) {
        char *colon = strchr(w, ':');
        if (i == 0 && colon)
            *colon++ = 0, snprintf(s.how, sizeof s.how, "%s", w), w = colon;
        if (i == 0)
            snprintf(s.of, sizeof s.of, "%s", w);
        else if (i == 1)
            s.dtype = knx_dtype_find(w); /* none in names of other forms */
        else if (i == 2)
            s.seed = strtoll(w, NULL, 10);
        else if (i == 3)
            s.shape = strcmp(w, "-") == 0 ? KN_SHAPE_NONE : golden_shape(w);
        else if (s.n < 3)
            s.p[s.n++] = read_parameter(w);
    }
    if (strncmp(s.how, "grad", 4) == 0)
        s.by = atoi(s.how + 4);
    return s;
}

static kn_array value_of(const spec *s, const parameter *p)
{
    bool is_float = s->dtype == KN_F16 || s->dtype == KN_BF16 || s->dtype == KN_F32;
    if (p->n == 0)
        return p->is_integer ? kn_num(p->integer) : kn_num(p->v[0]);
    kn_array x = kn_from(p->v, KN_SHAPE(p->n));
    return strcmp(s->of, "randint") == 0 ? kn_astype(x, KN_I64) : is_float ? kn_astype(x, s->dtype) : x;
}

/* ---- The functions. */

typedef kn_array sampler(const spec *s, kn_array key, const kn_array *p);
#define PLAIN(f)                                                             \
    static kn_array call_##f(const spec *s, kn_array key, const kn_array *p) \
    {                                                                        \
        (void)p;                                                             \
        return kn_random_##f(key, s->shape, .dtype = s->dtype);              \
    }
#define OF_ONE(f)                                                            \
    static kn_array call_##f(const spec *s, kn_array key, const kn_array *p) \
    {                                                                        \
        return kn_random_##f(key, p[0], s->shape, .dtype = s->dtype);        \
    }
#define OF_TWO(f)                                                            \
    static kn_array call_##f(const spec *s, kn_array key, const kn_array *p) \
    {                                                                        \
        return kn_random_##f(key, p[0], p[1], s->shape, .dtype = s->dtype);  \
    }
PLAIN(cauchy)
PLAIN(exponential)
PLAIN(gumbel)
PLAIN(laplace)
PLAIN(logistic)
PLAIN(maxwell)
PLAIN(rademacher)
OF_ONE(pareto)
OF_ONE(rayleigh)
OF_ONE(wald)
OF_ONE(lognormal)
OF_ONE(generalized_normal)
OF_ONE(gamma)
OF_ONE(loggamma)
OF_ONE(chisquare)
OF_ONE(t)
OF_ONE(dirichlet)
OF_ONE(poisson)
OF_ONE(geometric)
OF_TWO(truncated_normal)
OF_TWO(weibull_min)
OF_TWO(double_sided_maxwell)
OF_TWO(beta)
OF_TWO(f)
OF_TWO(binomial)

static kn_array call_gumbel_high(const spec *s, kn_array key, const kn_array *p)
{
    (void)p;
    return kn_random_gumbel(key, s->shape, .dtype = s->dtype, .mode = "high");
}
static kn_array call_gumbel_highest(const spec *s, kn_array key, const kn_array *p)
{
    (void)p;
    return kn_random_gumbel(key, s->shape, .dtype = s->dtype, .mode = "highest");
}
static kn_array call_triangular(const spec *s, kn_array key, const kn_array *p)
{
    return kn_random_triangular(key, p[0], p[1], p[2], s->shape, .dtype = s->dtype);
}
static kn_array call_bernoulli(const spec *s, kn_array key, const kn_array *p)
{
    return kn_random_bernoulli(key, p[0], s->shape);
}
static kn_array call_bernoulli_high(const spec *s, kn_array key, const kn_array *p)
{
    return kn_random_bernoulli(key, p[0], s->shape, .mode = "high");
}
static kn_array call_randint(const spec *s, kn_array key, const kn_array *p)
{
    return kn_random_randint(key, s->shape, p[0], p[1], .dtype = s->dtype);
}
static kn_array call_multinomial(const spec *s, kn_array key, const kn_array *p)
{
    if (s->shape.ndim < 0)
        return kn_random_multinomial(key, p[0], p[1], .dtype = s->dtype);
    return kn_random_multinomial(key, p[0], p[1], .shape = s->shape, .dtype = s->dtype);
}
static kn_array call_orthogonal(const spec *s, kn_array key, const kn_array *p)
{
    (void)p;
    return kn_random_orthogonal(key, s->p[0].integer, s->shape, .dtype = s->dtype, .m = s->p[1].integer);
}
static kn_array call_ball(const spec *s, kn_array key, const kn_array *p)
{
    return kn_random_ball(key, s->p[0].integer, s->shape, .p = p[1], .dtype = s->dtype);
}

/* How close to JAX, in float32, float64, 16-bit floats, and the derivatives: at least this share (in percent) of equal
 * bits, at most this difference in ulp. Values below `least` count in ulp of that: they are differences of larger
 * numbers. docs/random.md has this table. */
static const struct row {
    const char *of;
    sampler *call;
    double least;
    struct {
        double share, ulp;
    } in[4];
} rows[] = {
#define ROW(f, least, ...)                   \
    {                                        \
#f, call_##f, least, { __VA_ARGS__ } \
    }
    ROW(cauchy, 0, {95, 1.1}, {96, 1.1}),
    ROW(exponential, 0, {92, 1.1}, {86, 130}, {100, 0}),
    ROW(gumbel, 1, {78, 1.1}, {94, 1.1}, {96, 8.5}),
    ROW(gumbel_high, 1, {75, 1.1}, {82, 120}),
    ROW(gumbel_highest, 1, {76, 1.1}, {82, 120}),
    ROW(laplace, 0, {89, 1.1}, {89, 80}),
    ROW(logistic, 1, {89, 2.1}, {87, 67}),
    ROW(maxwell, 0, {84, 1.1}, {83, 1.1}),
    ROW(rademacher, 0, {100, 0}),
    ROW(pareto, 0, {86, 2.1}, {73, 120}),
    ROW(rayleigh, 0, {91, 2.1}, {97, 1.1}),
    ROW(wald, 1, {70, 22}, {73, 24}),
    ROW(lognormal, 0, {80, 3.2}, {78, 2.1}),
    ROW(generalized_normal, 0, {70, 4.2}, {84, 4.2}),
    ROW(gamma, 0, {84, 6.4}, {80, 20}, {100, 0}, {0, 4.2}),
    ROW(loggamma, 1, {85, 4.2}, {84, 200}, {97, 3.2}, {0, 8.5}),
    ROW(chisquare, 0, {78, 34}, {77, 200}),
    ROW(t, 0, {84, 6.4}, {91, 4.2}),
    ROW(dirichlet, 1, {38, 1.1}, {45, 1.1}),
    ROW(poisson, 0),
    ROW(geometric, 0),
    ROW(truncated_normal, 1, {61, 3.2}, {64, 6.4}, {100, 0}, {65, 2.1}),
    ROW(weibull_min, 0, {88, 2.1}, {86, 110}),
    ROW(double_sided_maxwell, 0, {86, 2.1}, {87, 2.1}),
    ROW(beta, 0, {65, 13}, {71, 130}, {0, 0}, {0, 6.4}),
    ROW(f, 0, {42, 20}, {36, 9.5}),
    ROW(binomial, 0, {100, 0}, {100, 0}),
    ROW(triangular, 0, {100, 0}, {100, 0}),
    ROW(bernoulli, 0),
    ROW(bernoulli_high, 0),
    ROW(randint, 0),
    ROW(multinomial, 0, {0, 0}, {100, 0}),
    ROW(orthogonal, 1, {5, 1.3}, {12, 1.8}),
    ROW(ball, 1, {42, 0.84}, {46, 15}),
};
enum { ROWS = sizeof rows / sizeof *rows };

static int row_of(const char *of)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].of, of) == 0)
            return i;
    return -1;
}

static kn_array draw(const spec *s, kn_array key, kn_array argument)
{
    kn_array p[3];
    for (int i = 0; i < s->n; i++)
        p[i] = i == s->by ? argument : value_of(s, &s->p[i]);
    return rows[row_of(s->of)].call(s, key, p);
}

static kn_array of_key(const spec *s, const kn_array *key) { return draw(s, *key, NULL); }
static kn_array total(const spec *s, const kn_array *x) { return kn_sum(draw(s, kn_random_key(s->seed), *x)); }
KN_FUNCTION_ENV(of_key, kn_array, spec, kn_array)
KN_FUNCTION_ENV(total, kn_array, spec, kn_array)

static kn_array sampled(const spec *s)
{
    kn_array key = kn_random_key(s->seed), y = NULL;
    if (strcmp(s->how, "vmap") == 0) {
        key = kn_random_split(key, .num = 3);
        kn_call(kn_jit(kn_vmap(KN_FN_ENV(of_key, s))), &y, &key);
    } else if (s->by >= 0) {
        kn_array x = value_of(s, &s->p[s->by]);
        kn_call(kn_jit(kn_grad(KN_FN_ENV(total, s))), &y, &x);
    } else {
        y = draw(s, key, NULL);
    }
    return y;
}

/* ---- Comparison. */

typedef struct tally {
    golden_measure of[ROWS][4]; /* float32, float64, 16 bits, derivatives */
} tally;

static int column(kn_dtype d) { return d == KN_F16 || d == KN_BF16 ? 2 : d == KN_F32 || d == KN_C64 ? 0 : 1; }

static bool exact(kn_dtype d)
{
    return !(d == KN_F16 || d == KN_BF16 || d == KN_F32 || d == KN_F64 || d == KN_C64 || d == KN_C128);
}

static void compare_all(tally *t, const char *file)
{
    golden g = golden_read_from(file);
    for (int i = 0; i < g.n; i++) {
        KN_SCOPE;
        spec s = read_spec(g.name[i]);
        int r = row_of(s.of);
        if (r < 0)
            continue;
        kn_array y = sampled(&s);
        if (exact(kn_dtype_of(y))) {
            golden_same_bits(g.name[i], y, &g.array[i]);
            continue;
        }
        golden_measure *m = &t->of[r][s.by >= 0 ? 3 : column(kn_dtype_of(y))], one = {.least = rows[r].least};
        m->least = rows[r].least;
        if (getenv("KILN_TEST_SHOW")) {
            golden_compare(g.name[i], y, &g.array[i], &one);
            print_message("%-50s %5.1f%% %g\n", g.name[i], 100. * (double)one.equal / (double)one.n, one.ulp);
        }
        golden_compare(g.name[i], y, &g.array[i], m);
    }
    golden_free(&g);
}

static void check(const char *of, int k, double share, double ulp, const golden_measure *m)
{
    static const char *const what[] = {"float32", "float64", "16 bits", "derivatives"};
    if (m->n == 0)
        return;
    double equal = 100. * (double)m->equal / (double)m->n;
    if (getenv("KILN_TEST_SHOW"))
        print_message("ROW %s %d: %.1f%% %.3g (%lld)\n", of, k, equal, m->ulp, (long long)m->n);
    else if (equal < share || m->ulp > ulp)
        fail_msg("%s, %s: %g%% equal bits, %g ulp; %g%%, %g ulp are promised", of, what[k], equal, m->ulp, share, ulp);
}

static void the_samples_are_those_of_jax(void **state)
{
    (void)state;
    static tally t;
    memset(&t, 0, sizeof t);
    static const char *const files[] = {"continuous", "gamma", "discrete", "choice"};
    for (int i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/golden/random_%s.npz", KN_TEST_DIR, files[i]);
        compare_all(&t, path);
    }
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 4; k++)
            check(rows[i].of, k, rows[i].in[k].share, rows[i].in[k].ulp, &t.of[i][k]);
}

static void they_are_the_same_without_fusion(void **state)
{
    bool lazy = kn_set_lazy(false);
    the_samples_are_those_of_jax(state);
    kn_set_lazy(lazy);
}

/* ---- Categories, choices, vectors, keys of the old form: names are words of their own. */

static kn_array categories(char w[8][24])
{
    double v[24];
    for (int i = 0; i < 24; i++)
        v[i] = (i * 7 % 11 - 5.0) / 3;
    kn_array logits = kn_from(v, KN_SHAPE(2, 3, 4));
    kn_shape shape = strcmp(w[4], "-") == 0 ? KN_SHAPE() : golden_shape(w[4]);
    return kn_random_categorical(kn_random_key(atoi(w[2])), kn_astype(logits, golden_dtype(w[1])), KN_AXIS(atoi(w[3])),
                                 .shape = shape, .replace = atoi(w[5]), .mode = w[6]);
}

static kn_array choices(char w[8][24])
{
    kn_array key = kn_random_key(atoi(w[1])), i = kn_arange(0, 12, 1), a = kn_mul(i, 2);
    kn_array p = kn_of(double, 0, 5, 3, 1, 6, 4, 2, 0, 5, 3, 1, 6);
    kn_shape shape = golden_shape(w[3]);
    bool replace = atoi(w[4]);
    if (strcmp(w[2], "n") == 0)
        return kn_random_choice(key, 12, shape, .replace = replace);
    if (strcmp(w[2], "np") == 0)
        return kn_random_choice(key, 12, shape, .p = p, .replace = replace);
    if (strcmp(w[2], "np32") == 0)
        return kn_random_choice(key, 12, shape, .p = kn_astype(p, KN_F32), .replace = replace);
    if (strcmp(w[2], "a") == 0)
        return kn_random_choice(key, a, shape, .replace = replace);
    if (strcmp(w[2], "ap") == 0)
        return kn_random_choice(key, a, shape, .p = kn_divide(p, kn_sum(p)), .replace = replace);
    return kn_random_choice(key, kn_reshape(i, KN_SHAPE(3, 4)), shape, KN_AXIS(1), .replace = replace);
}

static kn_array vectors(char w[8][24])
{
    kn_dtype d = golden_dtype(w[1]);
    kn_array mean = kn_of(double, 1, -2, 0.5);
    kn_array root = kn_reshape(kn_of(double, 2, 0, 0, 1, 1.5, 0, -0.5, 0.25, 1), KN_SHAPE(3, 3));
    kn_array cov = kn_matmul(root, kn_transpose(root));
    if (strcmp(w[3], "4x2") == 0)
        mean = kn_stack(KN_LIST(mean, kn_negative(mean)));
    kn_shape shape = strcmp(w[3], "-") == 0 ? KN_SHAPE_NONE : golden_shape(w[3]);
    return kn_random_multivariate_normal(kn_random_key(atoi(w[2])), kn_astype(mean, d), kn_astype(cov, d), shape);
}

static void choices_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("random_choice.npz");
    int seen = 0;
    for (int i = 0; i < g.n; i++) {
        KN_SCOPE;
        char w[8][24] = {""};
        int n = sscanf(g.name[i], "%23s %23s %23s %23s %23s %23s %23s", w[0], w[1], w[2], w[3], w[4], w[5], w[6]);
        bool category = strcmp(w[0], "categorical") == 0, choice = strcmp(w[0], "choice") == 0;
        if (category || choice)
            golden_same_bits(g.name[i], category ? categories(w) : choices(w), &g.array[i]);
        else if (strcmp(w[0], "multivariate_normal") == 0)
            golden_close(g.name[i], vectors(w), &g.array[i], 0, w[1][1] == '3' ? 4e-6 : 4e-15);
        seen += n > 0 && (category || choice);
    }
    assert_true(seen > 30);
    golden_free(&g);
}

static void keys_of_the_old_form_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("random_choice.npz");
    {
        KN_SCOPE;
        golden_same_bits("PRNGKey", kn_random_PRNGKey(-3), golden_find(&g, "PRNGKey -3"));
        kn_array key = kn_random_PRNGKey(7);
        golden_same_bits("PRNGKey", key, golden_find(&g, "PRNGKey 7"));
        golden_same_bits("split", kn_random_split(key, .num = 3), golden_find(&g, "legacy_split"));
        golden_same_bits("fold_in", kn_random_fold_in(key, 5), golden_find(&g, "legacy_fold_in"));
        golden_same_bits("uniform", kn_random_uniform(key, KN_SHAPE(4), .dtype = KN_F32),
                         golden_find(&g, "legacy_uniform"));
        assert_true(kn_array_equal(kn_random_clone(key), key));
        assert_true(kn_array_equal(kn_random_key_data(key), key));
    }
    golden_free(&g);
}

static void a_clone_is_the_same_key(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array keys = kn_random_split(kn_random_key(3), .num = 4), same = kn_random_clone(keys);
    assert_ptr_equal(kn_dtype_of(same), kn_random_key_dtype(NULL));
    assert_ptr_equal(kn_random_key_dtype("threefry2x32"), kn_dtype_of(keys));
    assert_true(kn_array_equal(kn_random_key_data(same), kn_random_key_data(keys)));
}

/* ---- Distributions: what the samples have in common. */

static void a_choice_without_replacement_has_no_element_twice(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_add(kn_arange(0, 20, 1), 1);
    kn_array all = kn_random_choice(kn_random_key(1), 20, KN_SHAPE(20), .replace = false, .p = p);
    assert_true(kn_array_equal(kn_sort(all), kn_arange(0, 20, 1)));
}

static void orthogonal_matrices_are_orthogonal(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array q = kn_random_orthogonal(kn_random_key(1), 12, KN_SHAPE()), z;
    expect_near(kn_max(kn_abs(kn_sub(kn_matmul(kn_transpose(q), q), kn_eye(12)))), 1e-14, 0);
    z = kn_random_orthogonal(kn_random_key(1), 4, KN_SHAPE(2), .dtype = KN_C128);
    kn_array first = kn_at(z, "0");
    expect_near(kn_max(kn_abs(kn_sub(kn_matmul(kn_transpose(kn_conj(first)), first), kn_eye(4)))), 1e-14, 0);
}

static void points_of_a_ball_are_inside(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_ball(kn_random_key(1), 3, KN_SHAPE(200));
    assert_true(kn_item(kn_max(kn_sum(kn_square(x), KN_AXIS(1)))) < 1);
}

/* The implicit derivative of a sample by its parameter, for one that is exponential: a = 1. */
static kn_array one_gamma(const kn_array *a) { return kn_random_gamma(kn_random_key(4), *a, KN_SHAPE()); }
KN_FUNCTION(one_gamma, kn_array, kn_array)

static void samples_of_gamma_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(2.5), slope, up, slopes, many = kn_of(double, 2.5, 2.5);
    kn_call(kn_jit(kn_grad(KN_FN(one_gamma))), &slope, &a);
    kn_array x = kn_random_gamma(kn_random_key(4), a, KN_SHAPE());
    /* dF/da + f dx/da = 0: along the derivative the distribution function stays the same */
    up = kn_subtract(kn_special_gammainc(kn_add(a, 1e-5), kn_add(x, kn_mul(slope, 1e-5))),
                     kn_special_gammainc(kn_subtract(a, 1e-5), kn_subtract(x, kn_mul(slope, 1e-5))));
    expect_near(kn_divide(up, 2e-5), 1e-9, 0);
    kn_call(kn_vmap(kn_grad(KN_FN(one_gamma))), &slopes, &many);
    expect_near(kn_subtract(slopes, slope), 1e-15, 0, 0);
}

static void without_a_shape_it_is_that_of_the_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), column = kn_ones(KN_SHAPE(3, 1)), row = kn_ones(KN_SHAPE(2));
    kn_shape s = kn_shape_of(kn_random_beta(key, column, row, KN_SHAPE_NONE));
    assert_int_equal(s.ndim, 2);
    assert_int_equal(s.dim[0], 3);
    assert_int_equal(s.dim[1], 2);
    assert_int_equal(kn_ndim(kn_random_normal(key, KN_SHAPE_NONE)), 0);
    assert_int_equal(kn_ndim(kn_random_double_sided_maxwell(key, row, 1, KN_SHAPE_NONE)), 2);
    assert_int_equal(kn_size(kn_random_weibull_min(key, row, 1, KN_SHAPE(3, 1))), 6);
    assert_int_equal(kn_size(kn_random_dirichlet(key, kn_ones(KN_SHAPE(4, 3)), KN_SHAPE(5, 4))), 60);
}

static void default_dtypes_are_the_contexts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    assert_ptr_equal(kn_dtype_of(kn_random_gamma(key, 1, KN_SHAPE(2))), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_random_poisson(key, 1, KN_SHAPE(2))), KN_I64);
    assert_ptr_equal(kn_dtype_of(kn_random_binomial(key, 3, 0.5, KN_SHAPE(2))), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_random_bernoulli(key, 0.5, KN_SHAPE(2))), KN_BOOL);
    kn_dtype old = kn_set_default_float(KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_random_exponential(key, KN_SHAPE(2))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_random_truncated_normal(key, -1, 1, KN_SHAPE(2))), KN_F32);
    kn_set_default_float(old);
}

/* ---- Wrong operands. */

static void wrong_shapes_and_dtypes_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), three = kn_ones(KN_SHAPE(3));
    kn_random_beta(key, three, kn_ones(KN_SHAPE(2)), KN_SHAPE_NONE);
    expect_error("ValueError", "random_beta: Incompatible shapes for broadcasting: shapes=[(3,), (2,)]");
    kn_random_gamma(key, three, KN_SHAPE(2));
    expect_error("ValueError", "random_gamma: Incompatible shapes for broadcasting: shapes=[(2,), (3,)]");
    kn_random_gamma(key, three, KN_SHAPE());
    expect_error("ValueError",
                 "random_gamma: gamma parameter shapes must be broadcast-compatible with shape argument, "
                 "and the result of broadcasting the shapes must equal the shape argument, but got result "
                 "(3,) for shape argument ().");
    kn_random_gamma(key, three, KN_SHAPE(-3));
    expect_error("ValueError", "random_gamma: shape must be non-negative, but is (-3,)");
    kn_random_cauchy(key, KN_SHAPE(2), .dtype = KN_I32);
    expect_error("ValueError", "random_cauchy: dtype argument to `cauchy` must be a float dtype, got int32");
    kn_random_lognormal(key, 1, KN_SHAPE(2), .dtype = KN_I32);
    expect_error("ValueError",
                 "random_lognormal: dtype argument to `lognormal` must be a float or complex dtype, got int32");
    kn_random_geometric(key, 0.5, KN_SHAPE(2), .dtype = KN_F32);
    expect_error("ValueError", "random_geometric: dtype argument to `geometric` must be an int dtype, got float32");
    kn_random_randint(key, KN_SHAPE(2), 0, 1, .dtype = KN_F32);
    expect_error("TypeError", "random_randint: randint only accepts integer dtypes, got float32");
    kn_random_bernoulli(key, 1, KN_SHAPE(2));
    expect_error_with("TypeError", "bernoulli probability `p` must have a floating dtype, got ");
    kn_random_pareto(key, three, KN_SHAPE(3), .dtype = KN_F32);
    expect_error("ValueError",
                 "random_pareto: In arguments to pareto, cannot safely cast argument of type float64 to float32");
    kn_random_dirichlet(key, 1, KN_SHAPE_NONE);
    expect_error("ValueError", "random_dirichlet: dirichlet requires alpha.ndim >= 1, got alpha.ndim == 0");
    kn_random_uniform(kn_random_split(key), KN_SHAPE(2));
    expect_error("ValueError",
                 "random_uniform: accepts a single key, but was given a key array of shape (2,) != (). Use "
                 "kn_vmap for batching.");
    kn_random_uniform(kn_random_split(kn_random_PRNGKey(1)), KN_SHAPE(2));
    expect_error("ValueError", "random_uniform: accepts a single key, but was given a key array of shape (2,2) != (). "
                               "Use kn_vmap for batching.");
}

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), p = kn_of(double, 0.5, 0.5);
    kn_random_key(0, .impl = "rbgg");
    expect_error("ValueError",
                 "random_key: unrecognized PRNG implementation \"rbgg\". Did you mean one of: \"threefry2x32\"?");
    assert_null(kn_random_key_dtype("fast"));
    expect_error("ValueError",
                 "random_key_dtype: unrecognized PRNG implementation \"fast\". Did you mean one of: \"threefry2x32\"?");
    kn_random_key(key);
    expect_error("TypeError", "random_key: accepts a scalar seed, but was given a PRNG key.");
    kn_random_gumbel(key, KN_SHAPE(2), .mode = "lower");
    expect_error("ValueError", "random_gumbel: Must provide valid mode for gumbel got: lower");
    kn_random_bernoulli(key, 0.5, KN_SHAPE(2), .mode = "lower");
    expect_error("ValueError", "random_bernoulli: got mode='lower', expected 'high' or 'low'");
    kn_random_choice(key, 3, KN_SHAPE(4), .replace = false);
    expect_error("ValueError", "random_choice: Cannot take a larger sample (size 4) than population (size 3) when "
                               "'replace=False'");
    kn_random_choice(key, 0, KN_SHAPE(4));
    expect_error("ValueError", "random_choice: a must be greater than 0 unless no samples are taken");
    kn_random_choice(key, 3, KN_SHAPE(4), .p = p);
    expect_error("ValueError",
                 "random_choice: p must be None or a 1D vector with the same size as a.shape[axis]. p has "
                 "shape (2,) and a.shape[axis] is 3.");
    kn_random_choice(key, 2.5, KN_SHAPE(4));
    expect_error("TypeError", "random_choice: a must be an integer or at least 1-dimensional, but is float64[]");
    kn_random_categorical(key, p, .shape = KN_SHAPE(3), .replace = false);
    expect_error("ValueError", "random_categorical: Number of samples without replacement (3) cannot exceed number of "
                               "categories (2).");
    kn_random_categorical(key, kn_of(int, 1, 2));
    expect_error("ValueError", "random_categorical: dtype argument to `gumbel` must be a float dtype, got int32");
    kn_random_categorical(key, p, KN_AXIS(1));
    expect_error("AxisError", "random_categorical: axis 1 is out of bounds for array of dimension 1");
}

static void wrong_matrices_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), mean = kn_zeros(KN_SHAPE(2)), cov = kn_eye(2);
    kn_random_multivariate_normal(key, mean, kn_eye(3), KN_SHAPE_NONE);
    expect_error("ValueError", "random_multivariate_normal: multivariate_normal requires cov.shape == (..., n, n) for "
                               "n=2, but got cov.shape == (3,3).");
    kn_random_multivariate_normal(key, 0.5, cov, KN_SHAPE_NONE);
    expect_error("ValueError",
                 "random_multivariate_normal: multivariate_normal requires mean.ndim >= 1, got mean.ndim == 0");
    kn_random_multivariate_normal(key, mean, mean, KN_SHAPE_NONE);
    expect_error("ValueError",
                 "random_multivariate_normal: multivariate_normal requires cov.ndim >= 2, got cov.ndim == 1");
    kn_random_multivariate_normal(key, mean, cov, KN_SHAPE_NONE, .method = "svd");
    expect_error("NotImplementedError", "random_multivariate_normal: method 'svd' is not there yet, only 'cholesky'");
    kn_random_multivariate_normal(key, mean, cov, KN_SHAPE_NONE, .method = "lu");
    expect_error("ValueError", "random_multivariate_normal: method must be one of {'svd', 'eigh', 'cholesky'}");
    kn_random_orthogonal(key, -1, KN_SHAPE());
    expect_error_with("ValueError", "random_orthogonal: ");
}

KN_TEST_GROUP(test_random_samples)
{
    const struct CMUnitTest tests[] = {
        TEST(the_samples_are_those_of_jax),
        TEST(they_are_the_same_without_fusion),
        TEST(choices_are_those_of_jax),
        TEST(keys_of_the_old_form_are_those_of_jax),
        TEST(a_clone_is_the_same_key),
        TEST(a_choice_without_replacement_has_no_element_twice),
        TEST(orthogonal_matrices_are_orthogonal),
        TEST(points_of_a_ball_are_inside),
        TEST(samples_of_gamma_have_derivatives),
        TEST(without_a_shape_it_is_that_of_the_parameters),
        TEST(default_dtypes_are_the_contexts),
        TEST(wrong_shapes_and_dtypes_are_errors),
        TEST(wrong_options_are_errors),
        TEST(wrong_matrices_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
