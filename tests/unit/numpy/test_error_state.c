/* SPDX-License-Identifier: Apache-2.0
 * test_error_state.c -- NumPy's error state: which events there are (NumPy's, tests/golden/error_state.txt), what they
 * are called and where, and what is done about them. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct heard {
    int n, flags;
    char kinds[256], text[512];
} heard;

static void hear(void *env, const char *kind, int flags)
{
    heard *h = env;
    h->n++;
    h->flags |= flags;
    strncat(h->kinds, kind, sizeof h->kinds - strlen(h->kinds) - 1);
    strncat(h->kinds, ";", sizeof h->kinds - strlen(h->kinds) - 1);
}

static void read_text(void *env, const char *text)
{
    heard *h = env;
    strncat(h->text, text, sizeof h->text - strlen(h->text) - 1);
}

#define LISTEN(mode, h)                          \
    kn_errcall to_##h = {hear, read_text, &(h)}; \
    KN_ERRSTATE(.all = mode, .call = &to_##h)

static void expect_raised(const char *message, int line)
{
    assert_true(kn_error_pending());
    assert_string_equal(kn_error_kind_name(), "FloatingPointError");
    assert_string_equal(kn_error_message(), message);
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_error_state.c"));
    kn_error_clear();
}

/* ---- NumPy's table. */

typedef kn_array unary(kn_array x);
typedef kn_array binary(kn_array x, kn_array y);
static kn_array divmod_(kn_array x, kn_array y) { return kn_divmod(x, y).quotient; }
static const struct {
    const char *name;
    unary *one;
    binary *two;
} functions[] = {
#define ONE(f) {#f, (kn_##f), NULL},
#define TWO(f) {#f, NULL, (kn_##f)},
    ONE(negative) ONE(sin) ONE(cos) ONE(tanh) ONE(exp) ONE(log) ONE(sqrt) ONE(exp2) ONE(expm1) ONE(log1p) ONE(log2)
        ONE(log10) ONE(tan) ONE(arcsin) ONE(arccos) ONE(arctan) ONE(sinh) ONE(cosh) ONE(arcsinh) ONE(arccosh)
            ONE(arctanh) ONE(cbrt) ONE(square) ONE(absolute) ONE(reciprocal) ONE(sign) ONE(floor) ONE(ceil) ONE(trunc)
                ONE(rint) ONE(deg2rad) ONE(rad2deg) ONE(spacing) TWO(add) TWO(subtract) TWO(multiply) TWO(divide)
                    TWO(power) TWO(floor_divide) TWO(remainder) TWO(fmod) TWO(float_power) TWO(maximum) TWO(minimum)
                        TWO(fmax) TWO(fmin) TWO(arctan2) TWO(hypot) TWO(copysign) TWO(heaviside) TWO(logaddexp)
                            TWO(logaddexp2) TWO(nextafter){"divmod", NULL, divmod_},
};

static kn_dtype dtype_named(const char *name)
{
    const kn_dtype all[] = {KN_BOOL, KN_I8,  KN_I16, KN_I32, KN_I64, KN_U8,  KN_U16,
                            KN_U32,  KN_U64, KN_F16, KN_F32, KN_F64, KN_C64, KN_C128};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(kn_dtype_name(all[i]), name))
            return all[i];
    fail_msg("no dtype %s", name);
    return NULL;
}

static int read_values(char *text, size_t size, unsigned char (*out)[16])
{
    int n = 0;
    for (char *at = strtok(text, ","); at; at = strtok(NULL, ","), n++)
        for (size_t i = 0; i < size; i++) {
            unsigned byte;
            sscanf(at + 2 * i, "%2x", &byte);
            out[n][i] = (unsigned char)byte;
        }
    return n;
}

static int told(const char *name, kn_dtype d, kn_dtype to, const void *x, const void *y)
{
    KN_SCOPE;
    heard h = {0};
    LISTEN("call", h);
    kn_array p = kn_frombuffer(x, kn_dtype_size(d), .dtype = d);
    if (to) {
        kn_astype(p, to);
        return h.flags;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name)) {
            if (y)
                functions[i].two(p, kn_frombuffer(y, kn_dtype_size(d), .dtype = d));
            else
                functions[i].one(p);
            return h.flags;
        }
    fail_msg("no function %s", name);
    return 0;
}

/* Where NumPy's events are others, so often: not those of values, but of how it computes. */
static const struct {
    const char *name, *dtype;
    int n;
} others[] = {
    {"sin", "float16", 4},
    {"expm1", "float16", 3},
    {"log1p", "float16", 2},
    {"spacing", "float16", 3},
    {"power", "float16", 1},
    {"arctan2", "float16", 3},
    {"logaddexp", "float16", 71},
    {"logaddexp2", "float16", 71},
    {"sin", "float32", 4},
    {"cos", "float32", 8},
    {"exp", "float32", 2},
    {"spacing", "float32", 8},
    {"power", "float32", 4},
    {"floor_divide", "float32", 10},
    {"divmod", "float32", 10},
    {"logaddexp", "float32", 71},
    {"logaddexp2", "float32", 71},
    {"spacing", "float64", 8},
    {"power", "float64", 4},
    {"floor_divide", "float64", 10},
    {"divmod", "float64", 10},
    {"logaddexp", "float64", 71},
    {"logaddexp2", "float64", 71},
    {"sin", "complex64", 3},
    {"tanh", "complex64", 4},
    {"exp", "complex64", 8},
    {"tan", "complex64", 4},
    {"sinh", "complex64", 3},
    {"reciprocal", "complex64", 12},
    {"sin", "complex128", 3},
    {"tanh", "complex128", 4},
    {"exp", "complex128", 8},
    {"tan", "complex128", 4},
    {"sinh", "complex128", 3},
    {"reciprocal", "complex128", 12},
};

static int other_events(const char *name, const char *dtype)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name) && !strcmp(others[i].dtype, dtype))
            return others[i].n;
    return 0;
}

static void events_are_those_of_numpy(void **state)
{
    (void)state;
    FILE *f = fopen(KN_TEST_DIR "/golden/error_state.txt", "r");
    static char line[1 << 16], values[1 << 15], flags[1 << 14];
    char name[32], dtype[32], to[32];
    long wrong = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        bool cast = !strncmp(line, "cast ", 5);
        if (cast ? sscanf(line, "%31s %31s %31s %32767s %16383s", name, dtype, to, values, flags) != 5
                 : sscanf(line, "%31s %31s %32767s %16383s", name, dtype, values, flags) != 4)
            fail_msg("%.40s", line);
        static unsigned char v[64][16];
        kn_dtype d = dtype_named(dtype);
        int n = read_values(values, kn_dtype_size(d), v);
        bool pairs = (int)strlen(flags) == n * n && n > 1;
        char have[1 << 12];
        size_t m = strlen(flags), bad = 0;
        for (size_t k = 0; k < m; k++) {
            int got = told(name, d, cast ? dtype_named(to) : NULL, v[pairs ? k / (size_t)n : k],
                           pairs ? v[k % (size_t)n] : NULL);
            have[k] = "0123456789abcdef"[got & 15];
            bad += have[k] != flags[k];
        }
        have[m] = 0;
        bool same = (int)bad == other_events(name, dtype);
        wrong += !same;
        if (!same)
            fprintf(stderr, "    {\"%s\", \"%s\", %d},\n", name, dtype, (int)bad);
        if (!same)
            fprintf(stderr, "%s %s %s\n  numpy %s\n  here  %s\n", name, dtype, cast ? to : "", flags, have);
    }
    fclose(f);
    kn_error_clear();
    assert_int_equal(wrong, 0);
}

/* ---- Modes. */

static void nothing_is_said_at_first(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_geterr_result now = kn_geterr();
    assert_string_equal(now.divide, "ignore");
    assert_string_equal(now.over, "ignore");
    assert_string_equal(now.under, "ignore");
    assert_string_equal(now.invalid, "ignore");
    assert_null(kn_geterrcall().call);
    expect_values(kn_divide(kn_of(double, 1, -1, 0), 0), INFINITY, -INFINITY, NAN);
    expect_no_error();
}

static void seterr_gives_what_was_before(void **state)
{
    (void)state;
    kn_geterr_result before = kn_seterr(.all = "warn", .under = "ignore");
    assert_string_equal(before.over, "ignore");
    before = kn_seterr(.divide = "raise");
    assert_string_equal(before.divide, "warn");
    assert_string_equal(before.under, "ignore");
    assert_string_equal(kn_geterr().divide, "raise");
    assert_string_equal(kn_geterr().invalid, "warn");
    kn_seterr(.all = "ignore");
    assert_string_equal(kn_geterr().divide, "ignore");
}

static void another_mode_is_an_error(void **state)
{
    (void)state;
    kn_seterr(.over = "foo", .divide = "raise");
    expect_error("ValueError", "seterr: invalid error mode 'foo'");
    assert_string_equal(kn_geterr().divide, "ignore");
    {
        KN_ERRSTATE(.all = "Raise");
        expect_error("ValueError", "errstate: invalid error mode 'Raise'");
    }
    assert_string_equal(kn_geterr().divide, "ignore");
}

static void scopes_are_inside_each_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_of(double, 1);
    {
        KN_ERRSTATE(.divide = "raise");
        {
            KN_ERRSTATE(.all = "ignore");
            kn_divide(one, 0);
            expect_no_error();
        }
        int line = __LINE__ + 1;
        kn_array bad = kn_divide(one, 0);
        assert_false(kn_ok(bad));
        expect_raised("divide: divide by zero encountered in divide", line);
        kn_multiply(kn_of(double, 1e308), 10);
        expect_no_error();
    }
    kn_eval(kn_divide(one, 0));
    expect_no_error();
}

static void what_waits_belongs_to_the_state_before(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = kn_divide(kn_of(double, 1), 0);
    KN_ERRSTATE(.all = "raise");
    expect_values(y, INFINITY);
    expect_no_error();
}

static void events_come_in_the_order_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = kn_of(double, 1e308, 1e-308, INFINITY), y = kn_of(double, 1e308, 1e-308, 0);
    {
        LISTEN("call", h);
        kn_divide(kn_of(double, 1, 0), 0);
        assert_string_equal(h.kinds, "divide by zero;invalid value;");
        assert_int_equal(h.flags, 9);
        kn_multiply(x, y);
        assert_string_equal(h.kinds, "divide by zero;invalid value;overflow;underflow;invalid value;");
        assert_int_equal(h.n, 5);
    }
    KN_ERRSTATE(.all = "raise");
    int line = __LINE__ + 1;
    kn_multiply(x, y);
    expect_raised("multiply: overflow encountered in multiply", line);
    KN_ERRSTATE(.over = "ignore");
    kn_multiply(x, y);
    expect_raised("multiply: underflow encountered in multiply", line + 4 - 1);
}

static void texts_go_where_the_mode_says(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array one = kn_of(double, 1);
    LISTEN("log", h);
    kn_divide(one, 0);
    kn_log(kn_of(double, -1, 0));
    assert_string_equal(h.text, "Warning: divide by zero encountered in divide\n"
                                "Warning: divide by zero encountered in log\n"
                                "Warning: invalid value encountered in log\n");
    kn_errcall before = kn_seterrcall(NULL);
    assert_true(before.call == hear && before.env == &h);
    kn_divide(one, 0);
    expect_error("NameError", "divide: log specified for divide by zero (in divide) but no function with write found.");
    kn_seterr(.all = "call");
    kn_divide(one, 0);
    expect_error("NameError", "divide: callback specified for divide by zero (in divide) but no function found.");
}

static char lines[2048];
static void keep_line(void *env, int level, const char *text)
{
    (void)env;
    if (level == 0)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n",
                 strrchr(text, '/') ? strrchr(text, '/') + 1 : text);
}

static void each_line_warns_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 4);
    lines[0] = 0;
    kn_set_log(keep_line, NULL);
    {
        KN_ERRSTATE(.all = "warn");
        for (int i = 0; i < 3; i++)
            kn_sqrt(x);
        kn_sqrt(x);
        kn_exp(kn_of(double, 1000));
    }
    kn_set_log(NULL, NULL);
    char want[512];
    int line = __LINE__ - 4;
    snprintf(want, sizeof want,
             "test_error_state.c:%d: RuntimeWarning: invalid value encountered in sqrt\n"
             "test_error_state.c:%d: RuntimeWarning: invalid value encountered in sqrt\n"
             "test_error_state.c:%d: RuntimeWarning: overflow encountered in exp\n",
             line - 2, line - 1, line);
    assert_string_equal(lines, want);
}

/* ---- What is told of. */

static int wrong;

static void expect_said(const heard *h, const char *kind, const char *name, const char *call)
{
    char want[256] = "";
    if (kind)
        snprintf(want, sizeof want, "Warning: %s encountered in %s\n", kind, name);
    if (strcmp(want, h->text)) {
        fprintf(stderr, "%s\n  here  %s\n  numpy %s\n", call, h->text, want);
        wrong++;
    }
}

#define SAYS(kind, name, ...) SAID(kind, name, #__VA_ARGS__, __VA_ARGS__)
#define QUIET(...)            SAID(NULL, NULL, #__VA_ARGS__, __VA_ARGS__)
#define SAID(kind, name, call, ...)        \
    do {                                   \
        heard h = {0};                     \
        {                                  \
            KN_SCOPE;                      \
            LISTEN("log", h);              \
            kn_eval(__VA_ARGS__);          \
        }                                  \
        expect_said(&h, kind, name, call); \
    } while (0)
#define A(...)  kn_of(double, __VA_ARGS__)
#define H(...)  kn_astype(kn_of(double, __VA_ARGS__), KN_F16)
#define I(...)  kn_of(int64_t, __VA_ARGS__)
#define OVER    "overflow"
#define INVALID "invalid value"
#define DIVIDE  "divide by zero"
#define UNDER   "underflow"

static void functions_are_called_as_in_numpy(void **state)
{
    (void)state;
    wrong = 0;
    SAYS(OVER, "reduce", kn_sum(A(1e308, 1e308)));
    SAYS(INVALID, "reduce", kn_sum(A(INFINITY, -INFINITY)));
    SAYS(OVER, "reduce", kn_sum(H(60000, 60000)));
    SAYS(OVER, "reduce", kn_prod(A(1e308, 1e308)));
    SAYS(OVER, "accumulate", kn_cumsum(A(1e308, 1e308)));
    SAYS(OVER, "accumulate", kn_cumprod(A(1e308, 1e308)));
    SAYS(OVER, "reduce", kn_ufunc_reduce(kn_ufunc_add, A(1e308, 1e308)));
    SAYS(DIVIDE, "reduce", kn_ufunc_reduce(kn_ufunc_divide, A(1, 0)));
    SAYS(DIVIDE, "accumulate", kn_ufunc_accumulate(kn_ufunc_divide, A(1, 0)));
    SAYS(OVER, "reduceat", kn_ufunc_reduceat(kn_ufunc_add, A(1e308, 1e308), I(0)));
    SAYS(OVER, "add", kn_ufunc_outer(kn_ufunc_add, A(1e308), A(1e308)));
    SAYS(OVER, "matmul", kn_matmul(kn_full(KN_SHAPE(2, 2), 1e200), kn_full(KN_SHAPE(2, 2), 1e200)));
    SAYS(OVER, "vecdot", kn_vecdot(A(1e200), A(1e200)));
    SAYS(OVER, "dot", kn_dot(A(1e200), A(1e200)));
    SAYS(OVER, "dot", kn_inner(A(1e200), A(1e200)));
    QUIET(kn_vdot(A(1e200), A(1e200)));
    QUIET(kn_einsum("i,i", A(1e200), A(1e200)));
    SAYS(INVALID, "cast", kn_astype(A(NAN), KN_I64));
    SAYS(OVER, "cast", kn_astype(A(1e300), KN_F32));
    SAYS(INVALID, "power", kn_power(A(-1), 0.5));
    SAYS(OVER, "power", kn_power(A(1e200), 2));
    SAYS(DIVIDE, "power", kn_power(A(0), -1));
    SAYS(DIVIDE, "float_power", kn_float_power(A(0), -1));
    SAYS(DIVIDE, "reciprocal", kn_reciprocal(A(0)));
    SAYS(DIVIDE, "floor_divide", kn_floor_divide(A(1), 0));
    SAYS(DIVIDE, "floor_divide", kn_floor_divide(I(1), 0));
    SAYS(INVALID, "remainder", kn_remainder(A(1), 0));
    SAYS(INVALID, "fmod", kn_fmod(A(1), 0));
    SAYS(UNDER, "deg2rad", kn_deg2rad(A(1e-310)));
    SAYS(OVER, "rad2deg", kn_rad2deg(A(1e308)));
    SAYS(INVALID, "scalar divide", kn_mean(kn_zeros(KN_SHAPE(0))));
    SAYS(INVALID, "divide", kn_mean(kn_zeros(KN_SHAPE(2, 0)), KN_AXIS(1)));
    SAYS(INVALID, "scalar divide", kn_var(A(1), .ddof = 1));
    SAYS(INVALID, "subtract", kn_var(A(INFINITY)));
    SAYS(INVALID, "reduce", kn_mean(A(INFINITY, -INFINITY)));
    QUIET(kn_mean(H(60000, 60000)));
    SAYS(OVER, "subtract", kn_diff(A(1e308, -1e308)));
    SAYS(INVALID, "reduce", kn_nansum(A(INFINITY, -INFINITY)));
    QUIET(kn_nanmax(A(NAN, 1)));
    QUIET(kn_sinc(A(0, 1)));
    QUIET(kn_angle(kn_asarray(A(0))));
    QUIET(kn_max(A(NAN, 1)));
    QUIET(kn_maximum(A(NAN), 1));
    QUIET(kn_clip(A(NAN), 0, 1));
    QUIET(kn_logaddexp(A(-INFINITY), -INFINITY));
    QUIET(kn_heaviside(A(NAN), 1));
    QUIET(kn_where(kn_equal(A(0), 0), 0, A(1)));
    QUIET(kn_histogram(A(0, 1)).hist);
    QUIET(kn_interp(A(1), A(0, 1), A(0, INFINITY)));
    QUIET(kn_linspace(0, 1, 3));
    QUIET(kn_geomspace(1, 1000, 4));
    QUIET(kn_isclose(A(INFINITY), A(-INFINITY)));
    QUIET(kn_nan_to_num(A(NAN, INFINITY)));
    SAYS(INVALID, "reduce", kn_median(A(INFINITY, -INFINITY)));
    SAYS(INVALID, "divide", kn_corrcoef(kn_ones(KN_SHAPE(2, 2))));
    SAYS(OVER, "exp", kn_i0(A(1000)));
    SAYS(OVER, "multiply", kn_cross(A(1e308, 1, 1), A(1, 1e308, 1)));
    SAYS(OVER, "add", kn_trapezoid(A(1e308, 1e308)));
    QUIET(kn_nn_softmax(A(0, 1)));
    QUIET(kn_linalg_inv(kn_ones(KN_SHAPE(1, 1))));
    QUIET(kn_random_normal(kn_random_key(1), KN_SHAPE(1000)));
    kn_error_clear();
    assert_int_equal(wrong, 0);
}

static void in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = A(1e308, 1, 2), zero = kn_zeros(KN_SHAPE());
    LISTEN("log", h);
    kn_imul(x, 10);
    assert_string_equal(h.text, "Warning: overflow encountered in multiply\n");
    kn_idiv_at(x, 0, "1:");
    kn_idiv(zero, 0);
    kn_idiv_at(x, 0, "2");
    kn_ufunc_at(kn_ufunc_add, x, I(0, 0), "%", I(1, 1));
    assert_string_equal(h.text, "Warning: overflow encountered in multiply\n"
                                "Warning: divide by zero encountered in divide\n"
                                "Warning: invalid value encountered in divide\n");
    expect_values(x, INFINITY, INFINITY, INFINITY);
}

static void raised_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = A(1, 2);
    KN_ERRSTATE(.all = "raise");
    int line = __LINE__ + 1;
    kn_idiv(x, 0);
    expect_raised("idiv: divide by zero encountered in divide", line);
}

/* ---- Recorded functions. */

static int first_line;
static kn_array rational(const kn_array *x)
{
    first_line = __LINE__ + 1;
    kn_array y = kn_divide(1, *x);
    kn_array z = kn_floor_divide(*x, 0.5);
    return kn_sum(kn_add(y, z));
}
KN_FUNCTION(rational, kn_array, kn_array)

static void jitted_functions_name_the_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(rational));
    kn_array x = A(0, 1), y, good = A(1, 2);
    kn_call(f, &y, &x);
    assert_true(isinf(kn_item(y)));
    {
        KN_ERRSTATE(.divide = "raise");
        kn_call(f, &y, &x);
        expect_raised("rational: divide by zero encountered in divide", first_line);
        kn_call(f, &y, &good);
        expect_values(y, 1.5 + 6);
        kn_call(f, &y, &x);
        expect_raised("rational: divide by zero encountered in divide", first_line);
    }
    kn_call(f, &y, &x);
    assert_true(isinf(kn_item(y)));
    expect_no_error();
}

static kn_array careful(const kn_array *x)
{
    kn_array y;
    {
        KN_ERRSTATE(.all = "ignore");
        y = kn_log(*x);
    }
    return kn_sqrt(kn_where(kn_less(*x, 1), *x, y));
}
KN_FUNCTION(careful, kn_array, kn_array)

static void states_inside_of_functions_count(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f[] = {KN_FN(careful), kn_jit(KN_FN(careful))};
    for (int i = 0; i < 2; i++) {
        heard h = {0};
        LISTEN("log", h);
        kn_array x = A(0, 2), y;
        kn_call(f[i], &y, &x);
        kn_eval(y);
        assert_string_equal(h.text, "");
        x = A(-1, 2);
        kn_call(f[i], &y, &x);
        kn_eval(y);
        assert_string_equal(h.text, "Warning: invalid value encountered in sqrt\n");
    }
}

static int root_line;
static kn_array root(const kn_array *x)
{
    root_line = __LINE__ + 1;
    kn_array r = kn_sqrt(*x);
    return kn_sum(r);
}
KN_FUNCTION(root, kn_array, kn_array)

static void derivatives_tell_at_the_line_of_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = A(0, 4), g;
    for (int jit = 0; jit < 2; jit++) {
        kn_fn f = kn_grad(KN_FN(root));
        f = jit ? kn_jit(f) : f;
        kn_call(f, &g, &x);
        kn_eval(g);
        KN_ERRSTATE(.all = "raise");
        kn_call(f, &g, &x);
        kn_eval(g);
        assert_true(kn_error_pending());
        assert_string_equal(kn_error_kind_name(), "FloatingPointError");
        assert_non_null(strstr(kn_error_message(), "divide by zero encountered in sqrt"));
        assert_int_equal(kn_error_line(), root_line);
        kn_error_clear();
    }
}

static kn_array whole(const kn_array *x, const kn_array *y) { return kn_floor_divide(*x, *y); }
KN_FUNCTION(whole, kn_array, kn_array, kn_array)

static void lanes_tell_once(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = kn_reshape(A(1, 2, 3, 4, 5, 6), KN_SHAPE(3, 2)), y = A(1, 0), z;
    LISTEN("call", h);
    kn_fn f = kn_vmap(KN_FN(whole), .in_axes = {KN_MAPPED(0), KN_UNMAPPED});
    kn_call(f, &z, &x, &y);
    kn_eval(z);
    assert_string_equal(h.kinds, "divide by zero;");
    kn_call(kn_jit(f), &z, &x, &y);
    assert_string_equal(h.kinds, "divide by zero;divide by zero;");
    expect_values(z, 1, INFINITY, 3, INFINITY, 5, INFINITY);
}

static int loop_line;
typedef struct Step {
    kn_array carry, out;
} Step;
static Step grown(const kn_array *x, const kn_array *unused)
{
    loop_line = __LINE__ + 1;
    kn_array y = kn_multiply(*x, *unused);
    return (Step){y, y};
}
KN_FUNCTION(grown, Step, kn_array, kn_array)

static void loops_tell_once(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = kn_scalar(1.0), factors = kn_full(KN_SHAPE(5), 1e200);
    Step out;
    {
        LISTEN("call", h);
        kn_scan(KN_FN(grown), &out, &x, &factors);
        kn_eval(out.carry);
        assert_string_equal(h.kinds, "overflow;");
    }
    KN_ERRSTATE(.all = "raise");
    kn_scan(KN_FN(grown), &out, &x, &factors);
    kn_eval(out.carry);
    assert_true(kn_error_pending());
    assert_string_equal(kn_error_kind_name(), "FloatingPointError");
    assert_int_equal(kn_error_line(), loop_line);
    kn_error_clear();
}

/* ---- Contexts; functions that call Kiln. */

static void contexts_have_states_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_ERRSTATE(.all = "raise");
    kn_context other = kn_context_new();
    {
        KN_CONTEXT(other);
        KN_SCOPE;
        assert_string_equal(kn_geterr().divide, "ignore");
        kn_eval(kn_divide(A(1), 0));
        expect_no_error();
        kn_seterr(.all = "raise");
    }
    kn_context_free(other);
    assert_string_equal(kn_geterr().divide, "raise");
}

static void call_kiln(void *env, const char *kind, int flags)
{
    kn_array *sum = env;
    (void)kind;
    KN_SCOPE;
    KN_ERRSTATE(.all = "ignore");
    kn_assign(sum, kn_add(*sum, kn_divide(flags, kn_of(double, 1, 0))));
}

static void functions_may_call_kiln(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array sum = NULL;
    kn_assign(&sum, kn_zeros(KN_SHAPE(2)));
    kn_errcall f = {.call = call_kiln, .env = &sum};
    KN_ERRSTATE(.all = "call", .call = &f);
    expect_values(kn_divide(A(1, 0), 0), INFINITY, NAN);
    assert_string_equal(kn_geterr().divide, "call");
    kn_seterr(.all = "ignore");
    expect_values(sum, 18, INFINITY);
    kn_release(sum);
}

/* What a node of a loop is found by has the lines of its body, so that an equal loop elsewhere names its own. */
static int twin_line;
static Step twin(const kn_array *x, const kn_array *factor)
{
    twin_line = __LINE__ + 1;
    kn_array y = kn_multiply(*x, *factor);
    return (Step){y, y};
}
KN_FUNCTION(twin, Step, kn_array, kn_array)

static void equal_loops_have_lines_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), factors = kn_full(KN_SHAPE(5), 1e200);
    Step out;
    KN_ERRSTATE(.all = "raise");
    kn_scan(KN_FN(grown), &out, &x, &factors);
    kn_eval(out.carry);
    expect_raised("scan: overflow encountered in multiply", loop_line);
    kn_scan(KN_FN(twin), &out, &x, &factors);
    kn_eval(out.carry);
    expect_raised("scan: overflow encountered in multiply", twin_line);
}

static int change_state(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out, (void)out;
    KN_ERRSTATE(.all = "ignore");
    kn_eval(kn_log(kn_multiply(in[0], 0)));
    return 0;
}

static void callbacks_in_programs_may_change_the_state(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = A(1, 2);
    LISTEN("log", h);
    kn_debug_callback(change_state, NULL, KN_LIST(kn_add(x, 1)));
    kn_eval(kn_log(kn_multiply(x, 0)));
    assert_string_equal(h.text, "Warning: divide by zero encountered in log\n");
    assert_string_equal(kn_geterr().divide, "log");
}

static void values_stay_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(1), KN_SHAPE(50, 7)), y[2];
    double bits[2][7];
    for (int i = 0; i < 2; i++) {
        KN_ERRSTATE(.all = i ? "raise" : "ignore");
        y[i] = kn_sum(kn_multiply(kn_tanh(x), kn_floor_divide(kn_exp(x), 0.25)), KN_AXIS(0));
        kn_copy_to(y[i], bits[i], sizeof bits[i]);
    }
    assert_memory_equal(bits[0], bits[1], sizeof bits[0]);
}

static void a_prepared_function_tells_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_ERRSTATE(.all = "raise");
    kn_array x = A(4, 4);
    kn_prepared p = kn_prepare(KN_FN(root), KN_ARGS(&x));
    expect_no_error();
    double in[] = {-1, 4}, out;
    void *workspace = aligned_alloc(64, (kn_prepared_workspace_bytes(p) + 64) / 64 * 64);
    kn_prepared_run(p, (const void *[]){in}, (void *[]){&out}, workspace);
    assert_true(isnan(out));
    expect_no_error();
    free(workspace);
    kn_prepared_free(p);
}

KN_TEST_GROUP(test_error_state)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_said_at_first),
        TEST(seterr_gives_what_was_before),
        TEST(another_mode_is_an_error),
        TEST(scopes_are_inside_each_other),
        TEST(what_waits_belongs_to_the_state_before),
        TEST(events_come_in_the_order_of_numpy),
        TEST(texts_go_where_the_mode_says),
        TEST(each_line_warns_once),
        TEST(functions_are_called_as_in_numpy),
        TEST(in_place),
        TEST(raised_in_place),
        TEST(jitted_functions_name_the_line),
        TEST(states_inside_of_functions_count),
        TEST(derivatives_tell_at_the_line_of_the_function),
        TEST(lanes_tell_once),
        TEST(loops_tell_once),
        TEST(equal_loops_have_lines_of_their_own),
        TEST(callbacks_in_programs_may_change_the_state),
        TEST(values_stay_the_same),
        TEST(a_prepared_function_tells_nothing),
        TEST(contexts_have_states_of_their_own),
        TEST(functions_may_call_kiln),
        TEST(events_are_those_of_numpy),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
