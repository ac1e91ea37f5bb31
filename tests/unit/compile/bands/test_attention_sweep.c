/* SPDX-License-Identifier: Apache-2.0
 * test_attention_sweep.c -- attention in many spellings, over pseudo-random shapes: jitted it has the bits of its
 * operations one by one, on any number of threads, mapped, with any backend; its values and gradients are those of the
 * definition in double precision. KILN_TEST_LONG=1: more; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/group.h"
#include "support/sweep.h"
#include <stdlib.h>

#define below  sweep_below
#define ONE_OF SWEEP_ONE_OF
enum { ROUNDS = 60, LONG_ROUNDS = 1500 };

/* ---- A case. */

enum { SOFTMAX, BY_HAND, DIVIDED_LAST, EINSUM, LIBRARY, MULTIPLIED_BY_INVERSE, SPELLINGS };
enum { EVERYTHING, CAUSAL, MASKED, BIASED, CAUSAL_BIASED, KINDS };
typedef struct spec { /* plain data without gaps */
    uint64_t seed;
    int64_t dtype, spelling, kind;
    int64_t heads, rows, keys, size, values; /* H, T, S, D, E */
    int64_t turned;                          /* k comes as (H, D, S) */
    double scale;
} spec;
typedef struct {
    kn_array q, k, v;
} Heads;
typedef struct {
    kn_array out, p;
} Two;

static spec make_spec(uint64_t seed)
{
    spec s;
    memset(&s, 0, sizeof s);
    sweep_begin(seed);
    s.seed = seed;
    s.spelling = below(SPELLINGS);
    s.kind = below(KINDS);
    s.dtype = ONE_OF(KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_BF16);
    s.heads = 1 + below(4);
    s.rows = below(3) ? 1 + below(80) : 100 + below(200);
    s.keys = below(3) ? 1 + below(80) : ONE_OF(255, 256, 257, 300, 511, 512, 513, 530);
    s.size = ONE_OF(1, 3, 8, 16, 31, 32, 33, 64);
    s.values = below(2) ? s.size : ONE_OF(1, 5, 16, 40);
    s.turned = below(2);
    s.scale = 1 / sqrt((double)s.size);
    if (s.spelling == LIBRARY) {
        s.values = s.size;
        s.turned = 0;
    }
    return s;
}

/* ---- Its functions. Operands are (H, T, D), (H, S, D) or (H, D, S), (H, S, E), and a bias of (T, S). */

static kn_array may_see(const spec *s)
{
    kn_array row = kn_lax_broadcasted_iota(KN_I32, KN_SHAPE(s->rows, s->keys), 0);
    kn_array column = kn_lax_broadcasted_iota(KN_I32, KN_SHAPE(s->rows, s->keys), 1);
    bool causal = s->kind == CAUSAL || s->kind == CAUSAL_BIASED;
    return causal ? kn_greater_equal(row, column) : kn_not_equal(kn_remainder(kn_add(row, column), 5), 2);
}
static bool hides(const spec *s) { return s->kind == CAUSAL || s->kind == CAUSAL_BIASED || s->kind == MASKED; }
static bool biased(const spec *s) { return s->kind == BIASED || s->kind == CAUSAL_BIASED; }

static kn_array scores(const spec *s, const Heads *x, kn_array bias)
{
    kn_array y;
    if (s->spelling == EINSUM)
        y = s->turned ? kn_einsum("hqd,hdk->hqk", x->q, x->k) : kn_einsum("hqd,hkd->hqk", x->q, x->k);
    else
        y = kn_matmul(x->q, s->turned ? x->k : kn_matrix_transpose(x->k));
    y = kn_mul(y, s->scale);
    if (biased(s))
        y = kn_add(y, bias);
    return hides(s) ? kn_where(may_see(s), y, -1e9) : y;
}

static kn_array by_library(const spec *s, const Heads *x, kn_array bias)
{
    kn_array q = kn_swapaxes(x->q, 0, 1), k = kn_swapaxes(x->k, 0, 1), v = kn_swapaxes(x->v, 0, 1);
    kn_array wide = kn_expand_dims(bias, KN_AXIS(0)), y;
    bool causal = s->kind == CAUSAL || s->kind == CAUSAL_BIASED;
    if (s->kind == MASKED)
        y = kn_nn_dot_product_attention(q, k, v, .mask = kn_expand_dims(may_see(s), KN_AXIS(0)));
    else if (biased(s))
        y = kn_nn_dot_product_attention(q, k, v, .bias = wide, .is_causal = causal);
    else
        y = kn_nn_dot_product_attention(q, k, v, .is_causal = causal);
    return kn_swapaxes(y, 0, 1);
}

static Two both(const spec *s, const Heads *x, const kn_array *bias)
{
    if (s->spelling == LIBRARY) {
        kn_array y = by_library(s, x, *bias);
        return (Two){y, y};
    }
    kn_array y = scores(s, x, *bias), p, out;
    if (s->spelling == SOFTMAX || s->spelling == EINSUM) {
        p = kn_nn_softmax(y, .axis = KN_AXIS(-1));
        out = s->spelling == EINSUM ? kn_einsum("hqk,hke->hqe", p, x->v) : kn_matmul(p, x->v);
        return (Two){out, p};
    }
    kn_array e = kn_exp(kn_sub(y, kn_max(y, KN_AXIS(-1), .keepdims = true)));
    kn_array total = kn_sum(e, KN_AXIS(-1), .keepdims = true);
    if (s->spelling == DIVIDED_LAST)
        return (Two){kn_div(kn_matmul(e, x->v), total), e};
    p = s->spelling == BY_HAND ? kn_div(e, total) : kn_mul(e, kn_reciprocal(total));
    return (Two){kn_matmul(p, x->v), p};
}
static kn_array attend(const spec *s, const Heads *x, const kn_array *bias) { return both(s, x, bias).out; }
static kn_array loss(const spec *s, const Heads *x, const kn_array *bias, const kn_array *w)
{
    return kn_sum(kn_mul(attend(s, x, bias), *w));
}
KN_FUNCTION_ENV(both, Two, spec, Heads, kn_array)
KN_FUNCTION_ENV(attend, kn_array, spec, Heads, kn_array)
KN_FUNCTION_ENV(loss, kn_array, spec, Heads, kn_array, kn_array)

/* ---- The definition. */

typedef struct exact {
    double *q, *k, *v, *bias, *w; /* k as (H, S, D) */
    double *p, *out, *dq, *dk, *dv;
} exact;

static bool sees(const spec *s, int64_t i, int64_t j)
{
    return !hides(s) || (s->kind == MASKED ? (i + j) % 5 != 2 : i >= j);
}

/* Row i of head h: probabilities and the result. */
static void define_row(const spec *s, const exact *x, int64_t h, int64_t i)
{
    const double *q = x->q + (h * s->rows + i) * s->size, *k = x->k + h * s->keys * s->size;
    const double *v = x->v + h * s->keys * s->values;
    double *p = x->p + (h * s->rows + i) * s->keys, *out = x->out + (h * s->rows + i) * s->values;
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < s->keys; j++) {
        p[j] = 0;
        for (int64_t d = 0; d < s->size; d++)
            p[j] += q[d] * k[j * s->size + d];
        p[j] = p[j] * s->scale + (biased(s) ? x->bias[i * s->keys + j] : 0);
        p[j] = sees(s, i, j) ? p[j] : -1e9;
        most = fmax(most, p[j]);
    }
    for (int64_t j = 0; j < s->keys; j++)
        total += p[j] = exp(p[j] - most);
    for (int64_t j = 0; j < s->keys; j++) {
        p[j] /= total;
        for (int64_t e = 0; e < s->values; e++)
            out[e] += p[j] * v[j * s->values + e];
    }
}

/* What row i adds to the gradients of the sum of out * w. */
static void define_slopes(const spec *s, const exact *x, int64_t h, int64_t i)
{
    const double *q = x->q + (h * s->rows + i) * s->size, *k = x->k + h * s->keys * s->size;
    const double *v = x->v + h * s->keys * s->values, *w = x->w + (h * s->rows + i) * s->values;
    const double *p = x->p + (h * s->rows + i) * s->keys, *out = x->out + (h * s->rows + i) * s->values;
    double *dq = x->dq + (h * s->rows + i) * s->size, *dk = x->dk + h * s->keys * s->size;
    double *dv = x->dv + h * s->keys * s->values, common = 0;
    for (int64_t e = 0; e < s->values; e++)
        common += out[e] * w[e];
    for (int64_t j = 0; j < s->keys; j++) {
        double slope = 0;
        for (int64_t e = 0; e < s->values; e++) {
            slope += w[e] * v[j * s->values + e];
            dv[j * s->values + e] += p[j] * w[e];
        }
        slope = sees(s, i, j) ? p[j] * (slope - common) * s->scale : 0;
        for (int64_t d = 0; d < s->size; d++) {
            dq[d] += slope * k[j * s->size + d];
            dk[j * s->size + d] += slope * q[d];
        }
    }
}

static double *doubles(kn_array x)
{
    int64_t n = kn_size(x);
    double *to = malloc((size_t)n * sizeof *to + 1);
    kn_copy_to(kn_astype(x, KN_F64), to, (size_t)n * sizeof *to);
    return to;
}

/* ---- Judging. */

typedef struct scene {
    spec s;
    Heads x;
    kn_array bias, w;
} scene;

static kn_array random_array(kn_shape shape, kn_dtype d)
{
    char *p = sweep_elements(d, sweep_product(shape.ndim, shape.dim), 1, SWEEP_COMMON);
    kn_array x = sweep_array(p, &shape, d);
    free(p);
    return x;
}

static scene make_scene(uint64_t seed)
{
    scene c = {.s = make_spec(seed)};
    const spec *s = &c.s;
    kn_dtype d = kn_dtype_builtin((int)s->dtype);
    c.x = (Heads){
        random_array(KN_SHAPE(s->heads, s->rows, s->size), d),
        random_array(s->turned ? KN_SHAPE(s->heads, s->size, s->keys) : KN_SHAPE(s->heads, s->keys, s->size), d),
        random_array(KN_SHAPE(s->heads, s->keys, s->values), d)};
    c.bias = random_array(KN_SHAPE(s->rows, s->keys), d);
    c.w = random_array(KN_SHAPE(s->heads, s->rows, s->values), d);
    return c;
}

/* Values of both results and of three gradients, computed by these functions. */
enum { RESULTS = 5 };
static void results(const scene *c, kn_fn f, kn_fn g, sweep_values out[RESULTS])
{
    Two y;
    Heads d;
    kn_call(f, &y, &c->x, &c->bias);
    kn_call(g, &d, &c->x, &c->bias, &c->w);
    kn_array all[RESULTS] = {y.out, y.p, d.q, d.k, d.v};
    for (int i = 0; i < RESULTS; i++)
        out[i] = sweep_take(all[i]);
}
static void drop(sweep_values v[RESULTS])
{
    for (int i = 0; i < RESULTS; i++)
        free(v[i].at);
}

static bool same(uint64_t seed, const sweep_values *got, const sweep_values *want, int threads)
{
    static const char *const name[RESULTS] = {"the result", "what the result is made of", "gradient by q",
                                              "gradient by k", "gradient by v"};
    for (int i = 0; i < RESULTS; i++) {
        int64_t at = got[i].at && want[i].at && got[i].n == want[i].n
                         ? fold_differs(want[i].d, got[i].at, want[i].at, want[i].n)
                         : 0;
        if (at < 0)
            continue;
        fprintf(stderr, "with %d threads ", threads);
        if (got[i].at && want[i].at)
            sweep_complain(seed, name[i], at, want[i].d, got[i].at + at * (int64_t)want[i].d->size,
                           want[i].at + at * (int64_t)want[i].d->size);
        else
            fprintf(stderr, "KILN_TEST_SEED=%llu: %s: %s\n", (unsigned long long)seed, name[i], kn_error_message());
        return false;
    }
    return true;
}

static bool near(const spec *s, const char *what, kn_array got, const double *want, int64_t n, double size)
{
    double *x = doubles(got), u = s->dtype == KN_ID_F64 ? 1e-12 : s->dtype == KN_ID_F32 ? 1e-5 : 4e-2;
    bool good = kn_size(got) == n;
    if (s->spelling == LIBRARY && s->dtype == KN_ID_F64) /* its softmax is float32 */
        u = 1e-5;
    for (int64_t i = 0; i < n && good; i++) {
        good = fabs(x[i] - want[i]) <= u * size;
        if (!good)
            fprintf(stderr, "KILN_TEST_SEED=%llu: %s: element %lld is %.9g, by definition %.9g\n",
                    (unsigned long long)s->seed, what, (long long)i, x[i], want[i]);
    }
    free(x);
    return good;
}

static bool as_defined(const scene *c)
{
    KN_SCOPE;
    const spec *s = &c->s;
    Heads d;
    kn_array y;
    int64_t nq = s->heads * s->rows * s->size, nk = s->heads * s->keys * s->size, nv = s->heads * s->keys * s->values;
    int64_t no = s->heads * s->rows * s->values;
    exact x = {.q = doubles(c->x.q),
               .k = doubles(s->turned ? kn_matrix_transpose(c->x.k) : c->x.k),
               .v = doubles(c->x.v),
               .bias = doubles(c->bias),
               .w = doubles(c->w),
               .p = calloc((size_t)(s->heads * s->rows * s->keys), 8),
               .out = calloc((size_t)no, 8),
               .dq = calloc((size_t)nq, 8),
               .dk = calloc((size_t)nk, 8),
               .dv = calloc((size_t)nv, 8)};
    for (int64_t h = 0; h < s->heads; h++)
        for (int64_t i = 0; i < s->rows; i++) {
            define_row(s, &x, h, i);
            define_slopes(s, &x, h, i);
        }
    kn_call(kn_jit(KN_FN_ENV(attend, s)), &y, &c->x, &c->bias);
    kn_call(kn_jit(kn_grad(KN_FN_ENV(loss, s))), &d, &c->x, &c->bias, &c->w);
    /* sums over all rows have errors of all rows */
    double many = sqrt((double)s->rows) + 4;
    bool good = near(s, "the result", y, x.out, no, 1 + sqrt((double)s->size)) &&
                near(s, "gradient by q", d.q, x.dq, nq, 4 + s->scale * 4 * sqrt((double)s->values)) &&
                near(s, "gradient by k", s->turned ? kn_matrix_transpose(d.k) : d.k, x.dk, nk,
                     many * (1 + s->scale * 4 * sqrt((double)s->values))) &&
                near(s, "gradient by v", d.v, x.dv, nv, many * (1 + sqrt((double)s->size)));
    double *all[] = {x.q, x.k, x.v, x.bias, x.w, x.p, x.out, x.dq, x.dk, x.dv};
    for (int i = 0; i < 10; i++)
        free(all[i]);
    return good;
}

/* Mapped over the heads, the heads themselves being heads of one. */
static bool mapped_as_whole(const scene *c, const sweep_values *want)
{
    KN_SCOPE;
    spec one = c->s;
    one.heads = 1;
    kn_array axis = kn_expand_dims(c->x.q, KN_AXIS(1)), y;
    Heads x = {axis, kn_expand_dims(c->x.k, KN_AXIS(1)), kn_expand_dims(c->x.v, KN_AXIS(1))};
    kn_call(kn_jit(kn_vmap(KN_FN_ENV(attend, &one), .in_axes = {KN_MAPPED(0), KN_UNMAPPED})), &y, &x, &c->bias);
    return sweep_equals(c->s.seed, "vmap over the heads", kn_reshape(y, KN_SHAPE(-1)), want);
}

static bool check(uint64_t seed)
{
    KN_SCOPE;
    static const int threads[] = {1, 2, 3, 7};
    scene c = make_scene(seed);
    kn_fn f = KN_FN_ENV(both, &c.s), g = kn_grad(KN_FN_ENV(loss, &c.s));
    sweep_values want[RESULTS], got[RESULTS];
    kn_set_lazy(false);
    results(&c, f, g, want);
    kn_set_lazy(true);
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        KN_THREADS(threads[i]);
        results(&c, kn_jit(f), kn_jit(g), got);
        good = same(seed, got, want, threads[i]);
        drop(got);
    }
    results(&c, f, g, got);
    good = good && same(seed, got, want, 0);
    drop(got);
    good = good && mapped_as_whole(&c, &want[0]) && as_defined(&c);
    drop(want);
    return !sweep_has_error(seed) && good;
}

static void attention_has_the_bits_of_its_operations_and_the_values_of_its_definition(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_failures(sweep_seeds(ROUNDS, LONG_ROUNDS), check), 0);
}

/* ---- Backends. */

static uint64_t hash_of(uint64_t seed)
{
    scene c = make_scene(seed);
    sweep_values v[RESULTS];
    uint64_t hash = 0;
    results(&c, kn_jit(KN_FN_ENV(both, &c.s)), kn_jit(kn_grad(KN_FN_ENV(loss, &c.s))), v);
    for (int i = 0; i < RESULTS; i++)
        hash = 31 * hash + sweep_hash(&v[i]);
    drop(v);
    return hash;
}

static const char *self;
static void all_backends_give_the_same_bits(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_backends(self, "test_attention_sweep", sweep_seeds(ROUNDS / 2, LONG_ROUNDS / 4)), 0);
}

KN_TEST_GROUP(test_attention_sweep)
{
    const struct CMUnitTest tests[] = {
        TEST(attention_has_the_bits_of_its_operations_and_the_values_of_its_definition),
        TEST(all_backends_give_the_same_bits),
    };
    self = argv[0];
    if (sweep_is_child(argc, argv))
        return sweep_print_hashes(argv, hash_of);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
