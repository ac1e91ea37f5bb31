/* SPDX-License-Identifier: Apache-2.0
 * test_products_sweep.c -- dot_general over a pseudo-random cover of shapes, layouts, dtypes and numbers: its bits are
 * those of the definition, whatever runs it: lazily or op by op, compiled with what stands before and after it, on any
 * number of threads, mapped, with any backend. KILN_TEST_LONG=1: more; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/group.h"
#include "support/sweep.h"
#include <stdlib.h>

#define below  sweep_below
#define ONE_OF SWEEP_ONE_OF
enum { ROUNDS = 260, LONG_ROUNDS = 8000, SAMPLE_STEPS = 30000, BIAS = 2000 };

/* ---- A case. */

enum { BATCH, FREE, SUMMED };
/* What stands before and after the product, in one program with it. */
enum { AS_IT_IS, SCALED, BEFORE_KINDS };
enum { PLAIN, ROW_BIAS_RELU, COLUMN_BIAS, TURNED, SUM_AFTER, AFTER_KINDS };
/* An operand, and to which group its axes belong. */
typedef struct operand {
    sweep_operand o;
    int64_t group[SWEEP_MAX_AXES], number[SWEEP_MAX_AXES];
} operand;
typedef struct spec { /* plain data without gaps, so that it can be a function's constant */
    uint64_t seed;
    int64_t dtype, result; /* ids; result -1: not given */
    int64_t batch[2], m[2], n[2], k[3];
    int64_t n_batch, n_m, n_n, n_k;
    operand a, b;
    int64_t before_a, before_b, after;
} spec;

/* n in one to `most` extents, whose product is about n. */
static int64_t split(int64_t n, int64_t most, int64_t *to)
{
    if (n == 1 && below(2))
        return 0;
    int64_t parts = 0, d = ONE_OF(2, 3, 5, 4);
    while (parts < most - 1 && n > d && below(3) == 0) {
        to[parts++] = below(2) ? d : n / d;
        n = to[parts - 1] == d ? (n + d - 1) / d : d;
    }
    to[parts++] = n;
    return parts;
}

static int64_t near(int64_t multiple, int64_t most)
{
    int64_t n = multiple * (1 + below(most / multiple)) + below(3) - 1;
    return n < 0 ? 0 : n;
}

static void choose_sizes(spec *s)
{
    int64_t m = 0, n = 0, k = 0, l = below(3) ? 1 : below(5);
    switch (below(9)) {
    case 0:
    case 1: m = below(21), n = below(21), k = below(21); break;
    case 2:
        m = near(ONE_OF(6, 13, 14, 16), 44), n = near(ONE_OF(16, 32, 64), 70), k = ONE_OF(256, 512) + below(5) - 2;
        break;
    case 3: m = near(ONE_OF(6, 13, 14, 16), 100), n = near(ONE_OF(16, 32, 64), 130), k = below(40); break;
    case 4: m = below(7), n = near(ONE_OF(16, 32, 64), 130), k = ONE_OF(256, 512, 1024) + below(5) - 2; break;
    case 5: m = 1, n = below(301), k = below(301); break;
    case 6: m = below(301), n = below(3), k = below(301); break;
    case 7: m = below(200), n = below(200), k = below(3); break;
    default: m = below(301), n = below(301), k = below(301); l = 1;
    }
    if (below(25) == 0) /* work for several threads */
        l = 1, m = 150 + below(150), n = 150 + below(150), k = 300 + below(300);
    else if (below(25) == 0)
        l = 1, m = 1, n = 500 + below(1500), k = 500 + below(1500);
    else if (below(25) == 0)
        m = 1, n = 1, k = below(6000);
    else if (below(10) == 0)
        l = 20 + below(40), m = below(9), n = below(9), k = below(30);
    s->n_batch = l == 1 ? 0 : split(l, 2, s->batch);
    s->n_m = split(m, 2, s->m);
    s->n_n = split(n, 2, s->n);
    s->n_k = split(k, 3, s->k);
    if (s->n_k == 0 && below(2))
        s->n_k = 1, s->k[0] = 1;
}

static void add_axes(operand *x, int64_t group, int64_t n, const int64_t *extent)
{
    for (int64_t i = 0; i < n; i++) {
        x->o.axis[x->o.n].extent = extent[i];
        x->group[x->o.n] = group;
        x->number[x->o.n++] = i;
    }
}

/* The axes in any order. */
static void mix_axes(operand *x)
{
    for (int64_t i = x->o.n - 1; i > 0; i--) {
        int64_t j = below(i + 1), extent = x->o.axis[i].extent, group = x->group[i], number = x->number[i];
        x->o.axis[i].extent = x->o.axis[j].extent, x->group[i] = x->group[j], x->number[i] = x->number[j];
        x->o.axis[j].extent = extent, x->group[j] = group, x->number[j] = number;
    }
}

/* The result has the free axes in the order of the operand's. */
static void number_free(operand *x, int64_t *extent)
{
    int64_t n = 0;
    for (int64_t i = 0; i < x->o.n; i++)
        if (x->group[i] == FREE) {
            extent[n] = x->o.axis[i].extent;
            x->number[i] = n++;
        }
}

static spec make_spec(uint64_t seed)
{
    spec s;
    memset(&s, 0, sizeof s);
    s.seed = seed;
    sweep_begin(seed);
    choose_sizes(&s);
    s.dtype = ONE_OF(KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_F64, KN_ID_F16, KN_ID_BF16, KN_ID_C64,
                     KN_ID_C128, KN_ID_I8, KN_ID_U8, KN_ID_I16, KN_ID_I32, KN_ID_I64, KN_ID_U64, KN_ID_BOOL);
    s.result = -1;
    if (below(2))
        s.result = s.dtype == KN_ID_F16 || s.dtype == KN_ID_BF16 ? KN_ID_F32
                   : s.dtype == KN_ID_I8 || s.dtype == KN_ID_I16 ? KN_ID_I32
                   : s.dtype == KN_ID_U8                         ? KN_ID_U32
                                                                 : -1;
    add_axes(&s.a, BATCH, s.n_batch, s.batch);
    add_axes(&s.b, BATCH, s.n_batch, s.batch);
    if (s.n_k + s.n_batch == 5) /* an operand has room for one more */
        s.n_m = s.n_n = s.m[0] = s.n[0] = 1;
    add_axes(&s.a, FREE, s.n_m, s.m);
    add_axes(&s.b, FREE, s.n_n, s.n);
    add_axes(&s.a, SUMMED, s.n_k, s.k);
    add_axes(&s.b, SUMMED, s.n_k, s.k);
    if (below(2))
        mix_axes(&s.a);
    if (below(2))
        mix_axes(&s.b);
    sweep_lay_out(&s.a.o);
    sweep_lay_out(&s.b.o);
    number_free(&s.a, s.m);
    number_free(&s.b, s.n);
    s.before_a = below(3) ? AS_IT_IS : SCALED;
    s.before_b = below(3) ? AS_IT_IS : SCALED;
    s.after = below(AFTER_KINDS);
    return s;
}

/* ---- Its functions. */

static kn_lax_dot_dimension_numbers numbers_of(const spec *s)
{
    kn_lax_dot_dimension_numbers d = {.lhs_contract = {.n = (int)s->n_k + 1},
                                      .rhs_contract = {.n = (int)s->n_k + 1},
                                      .lhs_batch = {.n = (int)s->n_batch + 1},
                                      .rhs_batch = {.n = (int)s->n_batch + 1}};
    for (int64_t i = 0; i < s->a.o.n; i++)
        if (s->a.group[i] != FREE)
            (s->a.group[i] == BATCH ? &d.lhs_batch : &d.lhs_contract)->axis[s->a.number[i]] = (int32_t)i;
    for (int64_t i = 0; i < s->b.o.n; i++)
        if (s->b.group[i] != FREE)
            (s->b.group[i] == BATCH ? &d.rhs_batch : &d.rhs_contract)->axis[s->b.number[i]] = (int32_t)i;
    return d;
}

static kn_array times(const spec *s, kn_array a, kn_array b)
{
    kn_lax_dot_dimension_numbers d = numbers_of(s);
    if (s->result < 0)
        return kn_lax_dot_general(a, b, d);
    return kn_lax_dot_general(a, b, d, .preferred_element_type = kn_dtype_builtin((int)s->result));
}

static kn_array before(int64_t what, kn_array x)
{
    char kind = kn_dtype_kind(kn_dtype_of(x));
    if (what == AS_IT_IS)
        return x;
    return kind == 'b' ? kn_logical_not(x) : kind == 'f' || kind == 'c' ? kn_sub(kn_mul(x, 0.75), 0.125) : kn_add(x, 3);
}

static kn_array after(const spec *s, kn_array c, kn_array bias)
{
    char kind = kn_dtype_kind(kn_dtype_of(c));
    int last = kn_ndim(c) - 1;
    if (s->after == PLAIN || kind == 'b' || last < 0)
        return c;
    if (s->after == TURNED)
        return kn_transpose(c);
    if (s->after == SUM_AFTER)
        return kn_sum(kn_mul(c, 2), KN_AXIS(last));
    if (s->after == COLUMN_BIAS && last > 0)
        return kn_add(kn_mul(c, 2), kn_expand_dims(kn_at(bias, ":%", (int)kn_dim(c, last - 1)), KN_AXIS(-1)));
    c = kn_add(c, kn_at(bias, ":%", (int)kn_dim(c, last)));
    return kind == 'c' ? c : kn_maximum(c, 0);
}

static kn_array only(const spec *s, const kn_array *a, const kn_array *b)
{
    return times(s, sweep_view(&s->a.o, *a), sweep_view(&s->b.o, *b));
}
static kn_array given(const spec *s, const kn_array *a, const kn_array *b) { return times(s, *a, *b); }
static kn_array whole(const spec *s, const kn_array *a, const kn_array *b, const kn_array *bias)
{
    return after(
        s, times(s, before(s->before_a, sweep_view(&s->a.o, *a)), before(s->before_b, sweep_view(&s->b.o, *b))), *bias);
}
KN_FUNCTION_ENV(only, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(given, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(whole, kn_array, spec, kn_array, kn_array, kn_array)

/* ---- Judging. */

static int64_t place(const operand *x, const int64_t at[3][3])
{
    int64_t index[SWEEP_MAX_AXES];
    for (int64_t i = 0; i < x->o.n; i++)
        index[i] = at[x->group[i]][x->number[i]];
    return sweep_place(&x->o, index);
}

static fold define(const spec *s, kn_dtype result, const char *a, const char *b, int64_t element)
{
    int64_t m = sweep_product(s->n_m, s->m), n = sweep_product(s->n_n, s->n), k = sweep_product(s->n_k, s->k);
    int64_t left[3][3] = {{0}}, right[3][3] = {{0}};
    kn_dtype d = kn_dtype_builtin((int)s->dtype);
    sweep_unravel(element / (m * n), s->n_batch, s->batch, left[BATCH]);
    sweep_unravel(element / (m * n), s->n_batch, s->batch, right[BATCH]);
    sweep_unravel(element / n % m, s->n_m, s->m, left[FREE]);
    sweep_unravel(element % n, s->n_n, s->n, right[FREE]);
    fold f = fold_begin(d, result);
    for (int64_t i = 0; i < k; i++) {
        sweep_unravel(i, s->n_k, s->k, left[SUMMED]);
        sweep_unravel(i, s->n_k, s->k, right[SUMMED]);
        fold_step(&f, a + place(&s->a, left) * (int64_t)d->size, b + place(&s->b, right) * (int64_t)d->size);
    }
    return f;
}

static bool as_defined(const spec *s, kn_dtype result, const char *a, const char *b, const char *c)
{
    int64_t size = sweep_product(s->n_batch, s->batch) * sweep_product(s->n_m, s->m) * sweep_product(s->n_n, s->n);
    int64_t k = sweep_product(s->n_k, s->k), samples = 8 + SAMPLE_STEPS / (k + 1);
    for (int64_t j = 0; j < samples && j < size; j++) {
        int64_t i = samples >= size ? j : j < 2 ? j * (size - 1) : below(size);
        fold f = define(s, result, a, b, i);
        if (!sweep_as_defined(s->seed, i, &f, c + i * (int64_t)result->size))
            return false;
    }
    return true;
}

typedef struct scene {
    spec s;
    char *a_bytes, *b_bytes;
    kn_array a, b, bias;
} scene;

/* Its arrays belong to the scope that is open. */
static scene make_scene(uint64_t seed)
{
    scene c = {.s = make_spec(seed)};
    int kind = below(4) ? SWEEP_COMMON : below(2) ? SWEEP_ODD : SWEEP_UNEVEN;
    int64_t k = sweep_product(c.s.n_k, c.s.k);
    kn_dtype d = kn_dtype_builtin((int)c.s.dtype), r = c.s.result < 0 ? d : kn_dtype_builtin((int)c.s.result);
    kn_shape a = sweep_stored_shape(&c.s.a.o), b = sweep_stored_shape(&c.s.b.o);
    c.a_bytes = sweep_elements(d, sweep_stored_size(&c.s.a.o), k, kind);
    c.b_bytes = sweep_elements(d, sweep_stored_size(&c.s.b.o), k, kind);
    c.a = sweep_array(c.a_bytes, &a, d);
    c.b = sweep_array(c.b_bytes, &b, d);
    char *bias = sweep_elements(r, BIAS, k, SWEEP_COMMON);
    c.bias = sweep_array(bias, &KN_SHAPE(BIAS), r);
    free(bias);
    return c;
}

/* vmap over a new axis of one operand or of both is a loop over it. */
static bool mapped_as_looped(const scene *c)
{
    KN_SCOPE;
    const spec *s = &c->s;
    bool both = below(3) == 0, left = both || below(2), right = both || !left;
    kn_array a = sweep_view(&s->a.o, c->a), b = sweep_view(&s->b.o, c->b), other_a = kn_flip(a), other_b = kn_flip(b),
             y;
    int at_a = (int)below(s->a.o.n + 1), at_b = (int)below(s->b.o.n + 1);
    kn_array as = left ? kn_stack(KN_LIST(a, other_a, a), .axis = KN_AXIS(at_a)) : a;
    kn_array bs = right ? kn_stack(KN_LIST(b, other_b, other_b), .axis = KN_AXIS(at_b)) : b;
    kn_mapping none = KN_UNMAPPED;
    kn_fn f = kn_jit(
        kn_vmap(KN_FN_ENV(given, s), .in_axes = {left ? KN_MAPPED(at_a) : none, right ? KN_MAPPED(at_b) : none}));
    kn_call(f, &y, &as, &bs);
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        sweep_values want = sweep_take(times(s, left && i == 1 ? other_a : a, right && i > 0 ? other_b : b));
        good = want.at && sweep_equals(s->seed, "vmap", kn_at(y, "%", i), &want);
        free(want.at);
    }
    return good;
}

static bool runs_alike(const scene *c, const sweep_values *want)
{
    const spec *s = &c->s;
    kn_fn f = kn_jit(KN_FN_ENV(only, s)), g = kn_jit(KN_FN_ENV(whole, s));
    kn_array y;
    bool good = true;
    static const int threads[] = {1, 2, 3, 7};
    for (int i = 0; i < 4 && good; i++) {
        KN_THREADS(threads[i]);
        good = sweep_equals(s->seed, "lazy", only(s, &c->a, &c->b), want);
        if (good && (i & 1)) {
            kn_call(f, &y, &c->a, &c->b);
            good = sweep_equals(s->seed, "jit", y, want);
        }
    }
    kn_set_lazy(false);
    sweep_values composite = sweep_take(whole(s, &c->a, &c->b, &c->bias));
    kn_set_lazy(true);
    good = good && composite.at;
    for (int i = 0; i < 3 && good; i += 2) {
        KN_THREADS(threads[i]);
        kn_call(g, &y, &c->a, &c->b, &c->bias);
        good = sweep_equals(s->seed, "jit with what stands before and after", y, &composite);
    }
    free(composite.at);
    return good;
}

static bool check(uint64_t seed)
{
    KN_SCOPE;
    scene c = make_scene(seed);
    if (sweep_chosen()) {
        sweep_show("a", &c.s.a.o);
        sweep_show("b", &c.s.b.o);
    }
    kn_set_lazy(false);
    sweep_values want;
    {
        KN_THREADS(1);
        want = sweep_take(only(&c.s, &c.a, &c.b));
    }
    kn_set_lazy(true);
    bool good = want.at != NULL;
    good = good && as_defined(&c.s, want.d, c.a_bytes, c.b_bytes, want.at) && runs_alike(&c, &want) &&
           (seed % 3 != 0 || mapped_as_looped(&c));
    free(want.at);
    free(c.a_bytes);
    free(c.b_bytes);
    return !sweep_has_error(seed) && good;
}

static void products_have_the_bits_of_the_definition_however_they_run(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_failures(sweep_seeds(ROUNDS, LONG_ROUNDS), check), 0);
}

/* ---- Backends. */

static uint64_t hash_of(uint64_t seed)
{
    scene c = make_scene(seed);
    kn_array y;
    kn_call(kn_jit(KN_FN_ENV(whole, &c.s)), &y, &c.a, &c.b, &c.bias);
    sweep_values v = sweep_take(y), w = sweep_take(only(&c.s, &c.a, &c.b));
    uint64_t hash = v.at && w.at ? sweep_hash(&v) ^ 3 * sweep_hash(&w) : 0;
    free(v.at);
    free(w.at);
    free(c.a_bytes);
    free(c.b_bytes);
    return hash;
}

static const char *self;
static void all_backends_give_the_same_bits(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_backends(self, "test_products_sweep", sweep_seeds(ROUNDS, LONG_ROUNDS)), 0);
}

KN_TEST_GROUP(test_products_sweep)
{
    const struct CMUnitTest tests[] = {
        TEST(products_have_the_bits_of_the_definition_however_they_run),
        TEST(all_backends_give_the_same_bits),
    };
    self = argv[0];
    if (sweep_is_child(argc, argv))
        return sweep_print_hashes(argv, hash_of);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
