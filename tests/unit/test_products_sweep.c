/* SPDX-License-Identifier: Apache-2.0
 * test_products_sweep.c -- dot_general over a pseudo-random cover of shapes, layouts, dtypes and numbers: its bits are
 * those of the definition, whatever runs it: lazily or op by op, compiled with what stands before and after it, on any
 * number of threads, mapped, with any backend. KILN_TEST_LONG=1: more; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/fold.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_AXES = 6, ROUNDS = 260, LONG_ROUNDS = 8000, SAMPLE_STEPS = 30000, BIAS = 2000 };

static uint64_t state;
static uint64_t random64(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static int64_t below(int64_t n) { return (int64_t)(random64() % (uint64_t)n); }
static int64_t one_of(int n, const int64_t *of) { return of[below(n)]; }
#define ONE_OF(...) one_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})

/* ---- A case. */

/* An axis of an operand: elements start, start + step, ... of the stored axis, or one element again and again. */
typedef struct axis {
    int64_t extent, start, step, stored;
    int64_t spread;
} axis;
typedef struct operand {
    int64_t n;
    axis axis[MAX_AXES];
    int64_t order[MAX_AXES]; /* stored axis number i is axis order[i] */
    int64_t group[MAX_AXES], number[MAX_AXES];
} operand;
enum { BATCH, FREE, SUMMED };
/* What stands before and after the product, in one program with it. */
enum { AS_IT_IS, SCALED, BEFORE_KINDS };
enum { PLAIN, ROW_BIAS_RELU, COLUMN_BIAS, TURNED, SUM_AFTER, AFTER_KINDS };
typedef struct spec { /* plain data without gaps, so that it can be a function's constant */
    uint64_t seed;
    int64_t dtype, result; /* ids; result -1: not given */
    int64_t batch[2], m[2], n[2], k[3];
    int64_t n_batch, n_m, n_n, n_k;
    operand a, b;
    int64_t before_a, before_b, after;
} spec;

static int64_t product_of(int64_t n, const int64_t *x)
{
    int64_t all = 1;
    for (int64_t i = 0; i < n; i++)
        all *= x[i];
    return all;
}

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

static void add_axes(operand *o, int64_t group, int64_t n, const int64_t *extent)
{
    for (int64_t i = 0; i < n && o->n < MAX_AXES; i++) {
        o->axis[o->n].extent = extent[i];
        o->group[o->n] = group;
        o->number[o->n++] = i;
    }
}

static void swap_axes(operand *o, int64_t i, int64_t j)
{
    axis x = o->axis[i];
    int64_t group = o->group[i], number = o->number[i];
    o->axis[i] = o->axis[j], o->group[i] = o->group[j], o->number[i] = o->number[j];
    o->axis[j] = x, o->group[j] = group, o->number[j] = number;
}

/* The axes in any order, stored in any other one, with steps, gaps, backwards, or broadcast. */
static void choose_layout(operand *o)
{
    bool mixed = below(2);
    for (int64_t i = 0; i < o->n; i++)
        o->order[i] = i;
    for (int64_t i = o->n - 1; i > 0 && below(3); i--) {
        int64_t j = below(i + 1), t = below(i + 1), held = o->order[i];
        o->order[i] = o->order[t];
        o->order[t] = held;
        if (mixed)
            swap_axes(o, i, j);
    }
    bool plain = below(2);
    int wide = 0;
    for (int64_t i = 0; i < o->n; i++) {
        axis *x = &o->axis[i];
        x->step = plain ? 1 : ONE_OF(1, 1, 1, 2, -1, -2, 3);
        if (x->extent > 40 && (x->step > 1 || x->step < -1) && wide++) /* one long axis with gaps is enough */
            x->step = 1;
        x->spread = !plain && below(8) == 0;
        int64_t size = x->step < 0 ? -x->step : x->step;
        x->start = plain ? 0 : x->step < 0 ? below(size) : ONE_OF(0, 0, 1, 3);
        x->stored = x->spread ? 1 : x->start + (x->extent ? (x->extent - 1) * size + 1 : 0) + (plain ? 0 : below(3));
        if (x->step < 0) /* so that going back from the last one ends at `start` */
            x->stored = x->spread ? 1 : x->extent ? x->start + (x->extent - 1) * size + 1 : 0;
    }
}

/* The result has the free axes in the order of the operand's. */
static void number_free(operand *o, int64_t *extent)
{
    int64_t n = 0;
    for (int64_t i = 0; i < o->n; i++)
        if (o->group[i] == FREE) {
            extent[n] = o->axis[i].extent;
            o->number[i] = n++;
        }
}

static spec make_spec(uint64_t seed)
{
    spec s;
    memset(&s, 0, sizeof s);
    s.seed = seed;
    state = seed * 0x2545f4914f6cdd1du;
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
    if (s.n_m + s.n_k + s.n_batch > MAX_AXES || s.n_n + s.n_k + s.n_batch > MAX_AXES)
        s.n_m = s.n_n = 1;
    add_axes(&s.a, FREE, s.n_m, s.m);
    add_axes(&s.b, FREE, s.n_n, s.n);
    add_axes(&s.a, SUMMED, s.n_k, s.k);
    add_axes(&s.b, SUMMED, s.n_k, s.k);
    choose_layout(&s.a);
    choose_layout(&s.b);
    number_free(&s.a, s.m);
    number_free(&s.b, s.n);
    s.before_a = below(3) ? AS_IT_IS : SCALED;
    s.before_b = below(3) ? AS_IT_IS : SCALED;
    s.after = below(AFTER_KINDS);
    return s;
}

/* ---- Its arrays. */

static kn_shape stored_shape(const operand *o)
{
    kn_shape shape = {.ndim = (int)o->n};
    for (int64_t i = 0; i < o->n; i++)
        shape.dim[i] = o->axis[o->order[i]].stored;
    return shape;
}
static int64_t stored_size(const operand *o)
{
    kn_shape shape = stored_shape(o);
    return product_of(o->n, shape.dim);
}

static double float_value(int kind, int64_t k)
{
    double x = (double)(random64() >> 40) * 0x1p-23 - 1;
    if (kind == 1 && below(k + 2) == 0) /* odd ones, few in each sum */
        return (const double[]){-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e-310, 0x1p-149, 3e38}[below(8)];
    if (kind == 2)
        return ldexp(x, (int)below(60) - 30);
    return x;
}

/* Random elements; they come from the state, that is from the seed. */
static char *elements(kn_dtype d, int64_t n, int64_t k, int kind)
{
    kn_dtype part = knx_component(d);
    char *all = malloc((size_t)n * d->size + 1), *p = all;
    for (int64_t i = 0; i < n * (int64_t)(d->size / part->size); i++, p += part->size) {
        kn_scalar_bits s = d->kind == 'f' || d->kind == 'c' ? knx_scalar_from_double(part, float_value(kind, k))
                                                            : (kn_scalar_bits){.u64 = random64()};
        if (d->kind == 'b')
            s.u8 = below(1 + (int64_t)sqrt((double)k)) == 0;
        memcpy(p, &s, part->size);
    }
    return all;
}

static kn_array view(const operand *o, kn_array x)
{
    char index[64 * MAX_AXES] = "";
    kn_axes back = {.n = (int)o->n + 1};
    kn_shape shape = {.ndim = (int)o->n};
    bool whole = true, spread = false, turned = false;
    for (int64_t i = 0; i < o->n; i++) {
        const axis *v = &o->axis[o->order[i]];
        char one[64] = ":";
        if (!v->spread && v->extent == 0)
            snprintf(one, sizeof one, ":0");
        else if (!v->spread && v->step > 0)
            snprintf(one, sizeof one, "%lld:%lld:%lld", (long long)v->start,
                     (long long)(v->start + (v->extent - 1) * v->step + 1), (long long)v->step);
        else if (!v->spread)
            snprintf(one, sizeof one, "%lld::%lld", (long long)(v->stored - 1), (long long)v->step);
        whole = whole && (v->spread || (v->step == 1 && v->stored == v->extent));
        spread = spread || v->spread;
        turned = turned || o->order[i] != i;
        snprintf(index + strlen(index), sizeof index - strlen(index), "%s%s", i ? "," : "", one);
        back.axis[o->order[i]] = (int32_t)i;
        shape.dim[i] = o->axis[i].extent;
    }
    if (!whole)
        x = kn_at(x, index);
    if (turned)
        x = kn_transpose(x, back);
    return spread ? kn_broadcast_to(x, shape) : x;
}

static kn_lax_dot_dimension_numbers numbers_of(const spec *s)
{
    kn_lax_dot_dimension_numbers d = {.lhs_contract = {.n = (int)s->n_k + 1},
                                      .rhs_contract = {.n = (int)s->n_k + 1},
                                      .lhs_batch = {.n = (int)s->n_batch + 1},
                                      .rhs_batch = {.n = (int)s->n_batch + 1}};
    for (int64_t i = 0; i < s->a.n; i++)
        if (s->a.group[i] != FREE)
            (s->a.group[i] == BATCH ? &d.lhs_batch : &d.lhs_contract)->axis[s->a.number[i]] = (int32_t)i;
    for (int64_t i = 0; i < s->b.n; i++)
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
    return times(s, view(&s->a, *a), view(&s->b, *b));
}
static kn_array given(const spec *s, const kn_array *a, const kn_array *b) { return times(s, *a, *b); }
static kn_array whole(const spec *s, const kn_array *a, const kn_array *b, const kn_array *bias)
{
    return after(s, times(s, before(s->before_a, view(&s->a, *a)), before(s->before_b, view(&s->b, *b))), *bias);
}
KN_FUNCTION_ENV(only, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(given, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(whole, kn_array, spec, kn_array, kn_array, kn_array)

/* ---- Judging. */

static void complain(const spec *s, const char *what, int64_t i, kn_dtype d, const void *got, const void *want)
{
    char x[96] = "", y[96] = "";
    if (got)
        fold_show(d, got, x, sizeof x);
    if (want)
        fold_show(d, want, y, sizeof y);
    fprintf(
        stderr,
        "KILN_TEST_SEED=%llu: %s: element %lld is %s, not %s (%s, batch %lld, m %lld, n %lld, k %lld, after %lld)\n",
        (unsigned long long)s->seed, what, (long long)i, x, y, kn_dtype_name(kn_dtype_builtin((int)s->dtype)),
        (long long)product_of(s->n_batch, s->batch), (long long)product_of(s->n_m, s->m),
        (long long)product_of(s->n_n, s->n), (long long)product_of(s->n_k, s->k), (long long)s->after);
}

/* Offset of the element (indices of three groups) in the stored operand. */
static int64_t place(const operand *o, const int64_t at[3][3])
{
    int64_t stride[MAX_AXES], step = 1, offset = 0;
    for (int64_t i = o->n - 1; i >= 0; i--) {
        stride[o->order[i]] = step;
        step *= o->axis[o->order[i]].stored;
    }
    for (int64_t i = 0; i < o->n; i++) {
        const axis *x = &o->axis[i];
        int64_t index = at[o->group[i]][o->number[i]];
        offset +=
            x->spread ? 0 : stride[i] * (x->step > 0 ? x->start + index * x->step : x->stored - 1 + index * x->step);
    }
    return offset;
}

static void unravel(int64_t i, int64_t n, const int64_t *extent, int64_t *to)
{
    for (int64_t d = n - 1; d >= 0; d--) {
        to[d] = i % extent[d];
        i /= extent[d];
    }
}

static fold define(const spec *s, kn_dtype result, const char *a, const char *b, int64_t element)
{
    int64_t m = product_of(s->n_m, s->m), n = product_of(s->n_n, s->n), k = product_of(s->n_k, s->k);
    int64_t left[3][3] = {{0}}, right[3][3] = {{0}};
    kn_dtype d = kn_dtype_builtin((int)s->dtype);
    unravel(element / (m * n), s->n_batch, s->batch, left[BATCH]);
    unravel(element / (m * n), s->n_batch, s->batch, right[BATCH]);
    unravel(element / n % m, s->n_m, s->m, left[FREE]);
    unravel(element % n, s->n_n, s->n, right[FREE]);
    fold f = fold_begin(d, result);
    for (int64_t i = 0; i < k; i++) {
        unravel(i, s->n_k, s->k, left[SUMMED]);
        unravel(i, s->n_k, s->k, right[SUMMED]);
        fold_step(&f, a + place(&s->a, left) * (int64_t)d->size, b + place(&s->b, right) * (int64_t)d->size);
    }
    return f;
}

static bool as_defined(const spec *s, kn_dtype result, const char *a, const char *b, const char *c)
{
    int64_t size = product_of(s->n_batch, s->batch) * product_of(s->n_m, s->m) * product_of(s->n_n, s->n);
    int64_t k = product_of(s->n_k, s->k), samples = 8 + SAMPLE_STEPS / (k + 1);
    for (int64_t j = 0; j < samples && j < size; j++) {
        int64_t i = samples >= size ? j : j < 2 ? j * (size - 1) : below(size);
        fold f = define(s, result, a, b, i);
        char want[16];
        fold_end(&f, want);
        const char *got = c + i * (int64_t)result->size;
        if (fold_differs(result, got, want, 1) >= 0) {
            complain(s, "defined otherwise", i, result, got, want);
            return false;
        }
        if (fold_error(&f, got) > 1) {
            complain(s, "less accurate than its order of additions allows", i, result, got, want);
            return false;
        }
    }
    return true;
}

typedef struct values {
    kn_dtype d;
    int64_t n;
    char *at;
} values;

static values take(kn_array x)
{
    values v = {0};
    kn_eval(x);
    if (!kn_ok(x))
        return v;
    v = (values){kn_dtype_of(x), kn_size(x), NULL};
    v.at = malloc((size_t)v.n * v.d->size + 1);
    kn_copy_to(x, v.at, (size_t)v.n * v.d->size);
    return v;
}

/* x against `want`; frees it. */
static bool equals(const spec *s, const char *what, kn_array x, const values *want)
{
    values got = take(x);
    bool good = got.d == want->d && got.n == want->n && got.at;
    int64_t i = good ? fold_differs(got.d, got.at, want->at, got.n) : 0;
    if (!good)
        fprintf(stderr, "KILN_TEST_SEED=%llu: %s: %s\n", (unsigned long long)s->seed, what,
                kn_error_pending() ? kn_error_message() : "another shape or dtype");
    else if (i >= 0)
        complain(s, what, i, got.d, got.at + i * (int64_t)got.d->size, want->at + i * (int64_t)got.d->size);
    free(got.at);
    return good && i < 0;
}

typedef struct scene {
    spec s;
    char *a_bytes, *b_bytes;
    kn_array a, b, bias;
} scene;

static kn_array array_of(const char *p, kn_shape shape, kn_dtype d) { return (kn_from_memory)(p, &shape, d); }

/* Its arrays belong to the scope that is open. */
static scene make_scene(uint64_t seed)
{
    scene c = {.s = make_spec(seed)};
    int kind = below(4) ? 0 : 1 + (int)below(2);
    int64_t k = product_of(c.s.n_k, c.s.k);
    kn_dtype d = kn_dtype_builtin((int)c.s.dtype);
    c.a_bytes = elements(d, stored_size(&c.s.a), k, kind);
    c.b_bytes = elements(d, stored_size(&c.s.b), k, kind);
    c.a = array_of(c.a_bytes, stored_shape(&c.s.a), d);
    c.b = array_of(c.b_bytes, stored_shape(&c.s.b), d);
    kn_dtype r = c.s.result < 0 ? d : kn_dtype_builtin((int)c.s.result);
    char *bias = elements(r, BIAS, k, 0);
    c.bias = array_of(bias, KN_SHAPE(BIAS), r);
    free(bias);
    return c;
}

/* vmap over a new axis of one operand or of both is a loop over it. */
static bool mapped_as_looped(const scene *c)
{
    KN_SCOPE;
    const spec *s = &c->s;
    bool both = below(3) == 0, left = both || below(2), right = both || !left;
    kn_array a = view(&s->a, c->a), b = view(&s->b, c->b), other_a = kn_flip(a), other_b = kn_flip(b), y;
    int at_a = (int)below(s->a.n + 1), at_b = (int)below(s->b.n + 1);
    kn_array as = left ? kn_stack(KN_LIST(a, other_a, a), .axis = KN_AXIS(at_a)) : a;
    kn_array bs = right ? kn_stack(KN_LIST(b, other_b, other_b), .axis = KN_AXIS(at_b)) : b;
    kn_mapping none = KN_UNMAPPED;
    kn_fn f = kn_jit(
        kn_vmap(KN_FN_ENV(given, s), .in_axes = {left ? KN_MAPPED(at_a) : none, right ? KN_MAPPED(at_b) : none}));
    kn_call(f, &y, &as, &bs);
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        values want = take(times(s, left && i == 1 ? other_a : a, right && i > 0 ? other_b : b));
        good = want.at && equals(s, "vmap", kn_at(y, "%", i), &want);
        free(want.at);
    }
    return good;
}

static bool runs_alike(const scene *c, const values *want)
{
    const spec *s = &c->s;
    kn_fn f = kn_jit(KN_FN_ENV(only, s)), g = kn_jit(KN_FN_ENV(whole, s));
    kn_array y;
    bool good = true;
    static const int threads[] = {1, 2, 3, 7};
    for (int i = 0; i < 4 && good; i++) {
        KN_THREADS(threads[i]);
        good = equals(s, "lazy", only(s, &c->a, &c->b), want);
        if (good && (i & 1)) {
            kn_call(f, &y, &c->a, &c->b);
            good = equals(s, "jit", y, want);
        }
    }
    kn_set_lazy(false);
    values composite = take(whole(s, &c->a, &c->b, &c->bias));
    kn_set_lazy(true);
    good = good && composite.at;
    for (int i = 0; i < 3 && good; i += 2) {
        KN_THREADS(threads[i]);
        kn_call(g, &y, &c->a, &c->b, &c->bias);
        good = equals(s, "jit with what stands before and after", y, &composite);
    }
    free(composite.at);
    return good;
}

static void show_operand(const char *name, const operand *o)
{
    fprintf(stderr, "  %s:", name);
    for (int64_t i = 0; i < o->n; i++)
        fprintf(stderr, " %c%lld[%lld start %lld step %lld of %lld%s] stored as %lld", "bfs"[o->group[i]],
                (long long)o -> number[i], (long long)o -> axis[i].extent, (long long)o->axis[i].start,
                (long long)o->axis[i].step, (long long)o->axis[i].stored, o->axis[i].spread ? ", spread" : "",
                (long long)o->order[i]);
    fprintf(stderr, "\n");
}

static bool check(uint64_t seed, bool mapped)
{
    KN_SCOPE;
    scene c = make_scene(seed);
    if (getenv("KILN_TEST_SEED")) {
        show_operand("a", &c.s.a);
        show_operand("b", &c.s.b);
    }
    kn_set_lazy(false);
    values want;
    {
        KN_THREADS(1);
        want = take(only(&c.s, &c.a, &c.b));
    }
    kn_set_lazy(true);
    bool good = want.at != NULL;
    good = good && as_defined(&c.s, want.d, c.a_bytes, c.b_bytes, want.at) && runs_alike(&c, &want) &&
           (!mapped || mapped_as_looped(&c));
    free(want.at);
    free(c.a_bytes);
    free(c.b_bytes);
    if (kn_error_pending()) {
        fprintf(stderr, "KILN_TEST_SEED=%llu: %s\n", (unsigned long long)seed, kn_error_message());
        kn_error_clear();
    }
    return good;
}

static uint64_t rounds(void) { return getenv("KILN_TEST_LONG") ? LONG_ROUNDS : ROUNDS; }
static uint64_t first_seed(void) { return getenv("KILN_TEST_SEED") ? strtoull(getenv("KILN_TEST_SEED"), NULL, 0) : 1; }
static uint64_t end_seed(void) { return getenv("KILN_TEST_SEED") ? first_seed() + 1 : rounds() + 1; }

static void products_have_the_bits_of_the_definition_however_they_run(void **unused)
{
    (void)unused;
    int bad = 0;
    for (uint64_t seed = first_seed(); seed < end_seed(); seed++)
        bad += !check(seed, seed % 3 == 0);
    assert_int_equal(bad, 0);
}

/* ---- Backends: each in a process of its own, which prints hashes. */

static void print_hashes(uint64_t from, uint64_t to)
{
    for (uint64_t seed = from; seed < to; seed++) {
        KN_SCOPE;
        scene c = make_scene(seed);
        kn_array y;
        kn_call(kn_jit(KN_FN_ENV(whole, &c.s)), &y, &c.a, &c.b, &c.bias);
        values v = take(y), w = take(only(&c.s, &c.a, &c.b));
        printf("%llu %llx\n", (unsigned long long)seed,
               (unsigned long long)(v.at && w.at ? fold_hash(v.d, v.at, v.n) ^ 3 * fold_hash(w.d, w.at, w.n) : 0));
        free(v.at);
        free(w.at);
        free(c.a_bytes);
        free(c.b_bytes);
    }
}

static const char *self;
static FILE *hashes_of(const char *backend)
{
    char command[4096];
    snprintf(command, sizeof command, "KILN_BACKEND=%s '%s' --hashes %llu %llu", backend, self,
             (unsigned long long)first_seed(), (unsigned long long)end_seed());
    return popen(command, "r");
}

static void all_backends_give_the_same_bits(void **unused)
{
    (void)unused;
    static const char *const backends[] = {"avx512", "avx2", "base", "interp"};
    enum { BACKENDS = 4 };
    FILE *from[BACKENDS];
    for (int i = 0; i < BACKENDS; i++)
        assert_non_null(from[i] = hashes_of(backends[i]));
    int bad = 0;
    for (uint64_t seed = first_seed(); seed < end_seed(); seed++) {
        char line[BACKENDS][64] = {{0}};
        for (int i = 0; i < BACKENDS; i++) {
            bool same = fgets(line[i], sizeof line[i], from[i]) && strcmp(line[i], line[0]) == 0;
            if (!same && bad++ < 20)
                fprintf(stderr, "KILN_TEST_SEED=%llu: %s differs from %s\n", (unsigned long long)seed, backends[i],
                        backends[0]);
        }
    }
    for (int i = 0; i < BACKENDS; i++)
        pclose(from[i]);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(products_have_the_bits_of_the_definition_however_they_run),
        TEST(all_backends_give_the_same_bits),
    };
    self = argv[0];
    if (argc == 4 && strcmp(argv[1], "--hashes") == 0) {
        print_hashes(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
        return kn_shutdown();
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
