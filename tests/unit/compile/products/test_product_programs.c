/* SPDX-License-Identifier: Apache-2.0
 * test_product_programs.c -- pseudo-random programs of products and what networks put between them: jitted, with all
 * that is joined, turned and run in blocks then, they have the bits of their operations one by one; so have their
 * gradients. KILN_TEST_LONG=1: more; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/group.h"
#include "support/sweep.h"
#include <stdlib.h>

#define below  sweep_below
#define ONE_OF SWEEP_ONE_OF
enum { ROUNDS = 150, LONG_ROUNDS = 5000, INPUTS = 5, MOST = 24, OUTPUTS = 3 };

/* A program is its seed: the same choices are made each time it is recorded. Values are stacks of matrices of a few
 * sizes, so that many of them fit each other. */
typedef struct spec {
    uint64_t seed;
    int64_t dtype, stacked;
    int64_t size[4]; /* the extents of matrices */
} spec;
typedef struct {
    kn_array x[INPUTS];
} Inputs;
typedef struct {
    kn_array y[OUTPUTS];
} Outputs;

static spec make_spec(uint64_t seed)
{
    spec s;
    memset(&s, 0, sizeof s);
    sweep_begin(seed);
    s.seed = seed;
    s.dtype = ONE_OF(KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_BF16);
    s.stacked = below(3) ? 0 : 1 + below(4);
    for (int i = 0; i < 4; i++)
        s.size[i] = below(4) ? 1 + below(40) : ONE_OF(1, 16, 64, 96, 128, 200, 257, 300);
    return s;
}

static int64_t rows(kn_array x) { return kn_dim(x, -2); }
static int64_t columns(kn_array x) { return kn_dim(x, -1); }

/* One of the values so far that has this many rows and columns (-1: any); NULL if there is none. */
static kn_array pick(kn_array *v, int n, int64_t r, int64_t c)
{
    int first = (int)below(n);
    for (int i = 0; i < n; i++) {
        kn_array x = v[(first + i) % n];
        if ((r < 0 || rows(x) == r) && (c < 0 || columns(x) == c))
            return x;
    }
    return NULL;
}

static kn_array softmax(kn_array x, int axis)
{
    kn_array e = kn_exp(kn_sub(x, kn_max(x, KN_AXIS(axis), .keepdims = true)));
    return kn_div(e, kn_sum(e, KN_AXIS(axis), .keepdims = true));
}

static kn_array multiply(kn_array *v, int n)
{
    kn_array a = v[below(n)], b = NULL, bt;
    switch (below(3)) {
    case 0: b = pick(v, n, columns(a), -1); return b ? kn_matmul(a, b) : kn_matmul(kn_matrix_transpose(a), a);
    case 1: bt = pick(v, n, -1, columns(a)); return kn_matmul(a, kn_matrix_transpose(bt));
    default: b = pick(v, n, rows(a), -1); return kn_matmul(kn_matrix_transpose(a), b);
    }
}

/* Numbers stay of moderate size. */
static kn_array tame(kn_array x) { return kn_mul(x, 1 / sqrt((double)columns(x) + 1)); }

static kn_array next_value(kn_array *v, int n)
{
    kn_array x = v[below(n)], y;
    switch (below(15)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: return tame(multiply(v, n));
    case 5: y = pick(v, n, rows(x), columns(x)); return kn_add(kn_mul(x, 0.5), y);
    case 6: y = pick(v, n, 1, columns(x)); return y ? kn_nn_relu(kn_add(x, y)) : kn_nn_relu(x);
    case 7: return softmax(x, -1);
    case 8: return softmax(x, -2);
    case 9: return kn_tanh(kn_add(x, 0.25));
    case 10: return kn_sum(x, KN_AXIS(below(2) ? -1 : -2), .keepdims = true);
    case 11: return kn_where(kn_greater(x, 0.1), x, kn_mul(x, 0.01));
    case 12: return kn_matrix_transpose(x);
    case 13: return rows(x) > 4 ? kn_at(x, "..., 1::2, :") : kn_negative(x);
    default:
        y = pick(v, n, -1, columns(x));
        return columns(x) < 300 && rows(x) + rows(y) < 300 ? kn_concatenate(KN_LIST(x, y), KN_AXIS(-2)) : kn_square(x);
    }
}

static Outputs program(const spec *s, const Inputs *in)
{
    kn_array v[MOST];
    int n = INPUTS;
    sweep_begin(s->seed + 1000003);
    for (int i = 0; i < INPUTS; i++)
        v[i] = in->x[i];
    int most = INPUTS + 3 + (int)below(MOST - INPUTS - 3);
    while (n < most) {
        v[n] = next_value(v, n);
        n++;
    }
    Outputs out;
    for (int i = 0; i < OUTPUTS; i++)
        out.y[i] = i ? v[INPUTS + below(n - INPUTS)] : v[n - 1];
    return out;
}
static kn_array total(const spec *s, const Inputs *in)
{
    Outputs out = program(s, in);
    kn_array sum = kn_sum(kn_sin(out.y[0]));
    for (int i = 1; i < OUTPUTS; i++)
        sum = kn_add(sum, kn_sum(kn_mul(out.y[i], 0.125)));
    return sum;
}
KN_FUNCTION_ENV(program, Outputs, spec, Inputs)
KN_FUNCTION_ENV(total, kn_array, spec, Inputs)

static Inputs make_inputs(const spec *s)
{
    Inputs in;
    kn_dtype d = kn_dtype_builtin((int)s->dtype);
    for (int i = 0; i < INPUTS; i++) {
        kn_shape shape = {.ndim = s->stacked ? 3 : 2, .dim = {s->stacked}};
        shape.dim[shape.ndim - 2] = i == 4 ? 1 : s->size[below(4)];
        shape.dim[shape.ndim - 1] = s->size[below(4)];
        char *p = sweep_elements(d, sweep_product(shape.ndim, shape.dim), 1, SWEEP_COMMON);
        in.x[i] = sweep_array(p, &shape, d);
        free(p);
    }
    return in;
}

/* Results, then gradients. */
enum { ALL = OUTPUTS + INPUTS };
static void run(kn_fn f, kn_fn g, const Inputs *in, sweep_values out[ALL])
{
    Outputs y;
    Inputs d;
    kn_call(f, &y, in);
    kn_call(g, &d, in);
    for (int i = 0; i < ALL; i++)
        out[i] = sweep_take(i < OUTPUTS ? y.y[i] : d.x[i - OUTPUTS]);
}
static void drop(sweep_values v[ALL])
{
    for (int i = 0; i < ALL; i++)
        free(v[i].at);
}

static bool same(uint64_t seed, const sweep_values *got, const sweep_values *want, int threads)
{
    for (int i = 0; i < ALL; i++) {
        bool there = got[i].at && want[i].at && got[i].n == want[i].n;
        int64_t at = there ? fold_differs(want[i].d, got[i].at, want[i].at, want[i].n) : 0;
        char what[64];
        snprintf(what, sizeof what, "%s %d, %d threads", i < OUTPUTS ? "result" : "gradient",
                 i < OUTPUTS ? i : i - OUTPUTS, threads);
        if (!there)
            fprintf(stderr, "KILN_TEST_SEED=%llu: %s: %s\n", (unsigned long long)seed, what, kn_error_message());
        else if (at >= 0)
            sweep_complain(seed, what, at, want[i].d, got[i].at + at * (int64_t)want[i].d->size,
                           want[i].at + at * (int64_t)want[i].d->size);
        if (!there || at >= 0)
            return false;
    }
    return true;
}

static bool check(uint64_t seed)
{
    KN_SCOPE;
    static const int threads[] = {1, 2, 3};
    spec s = make_spec(seed);
    Inputs in = make_inputs(&s);
    kn_fn f = KN_FN_ENV(program, &s), g = kn_grad(KN_FN_ENV(total, &s));
    sweep_values want[ALL], got[ALL];
    kn_set_lazy(false);
    run(f, g, &in, want);
    kn_set_lazy(true);
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        KN_THREADS(threads[i]);
        run(kn_jit(f), kn_jit(g), &in, got);
        good = same(seed, got, want, threads[i]);
        drop(got);
    }
    run(f, g, &in, got); /* lazily */
    good = good && same(seed, got, want, 0);
    drop(got);
    drop(want);
    return !sweep_has_error(seed) && good;
}

static void programs_of_products_have_the_bits_of_their_operations(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_failures(sweep_seeds(ROUNDS, LONG_ROUNDS), check), 0);
}

/* Found by seed 31. */
typedef struct {
    kn_array c, y;
} Pair;
static Pair turned_twice(const Pair *in)
{
    kn_array f = kn_matrix_transpose(in->c), g = kn_matrix_transpose(f);
    return (Pair){kn_matmul(g, f), kn_matmul(in->y, g)};
}
KN_FUNCTION(turned_twice, Pair, Pair)

static void a_view_of_a_view_that_two_products_read(void **unused)
{
    (void)unused;
    KN_SCOPE;
    Pair in = {kn_from(((double[]){1, 2, 3, 4, 5, 6}), KN_SHAPE(2, 3)), kn_from(((double[]){1, 10}), KN_SHAPE(1, 2))};
    Pair out;
    kn_call(kn_jit(KN_FN(turned_twice)), &out, &in);
    expect_values(out.c, 14, 32, 32, 77);
    expect_values(out.y, 41, 52, 63);
}

KN_TEST_GROUP(test_product_programs)
{
    const struct CMUnitTest tests[] = {TEST(a_view_of_a_view_that_two_products_read),
                                       TEST(programs_of_products_have_the_bits_of_their_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
