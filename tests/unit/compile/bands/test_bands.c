/* SPDX-License-Identifier: Apache-2.0
 * test_bands.c -- steps that share rows run block by block: attention in its spellings and other chains, with the bits
 * of the same program without fusion, for every number of threads; what is not stored; how memory grows. */
#include "support/bands.h"
#include "support/chains.h"
#include "support/expect.h"

#include "support/group.h"
#include "support/programs.h"

#include <stdio.h>

typedef struct {
    kn_array q, k, v, bias, mask, w;
} Operands;
typedef kn_array (*spelling)(const Operands *);

/* ---- Spellings of attention. Operands are (B, N, T, H) and (B, N, S, H). */

static kn_array softmax(kn_array x) { return kn_nn_softmax(x, .axis = KN_AXIS(-1)); }
static kn_array scores(kn_array q, kn_array k) { return kn_matmul(q, kn_matrix_transpose(k)); }

static kn_array plain(const Operands *o) { return kn_matmul(softmax(scores(o->q, o->k)), o->v); }
static kn_array scaled_after(const Operands *o) { return kn_matmul(softmax(kn_mul(scores(o->q, o->k), 0.125)), o->v); }
static kn_array scaled_before(const Operands *o) { return kn_matmul(softmax(scores(kn_mul(o->q, 0.125), o->k)), o->v); }
static kn_array with_bias(const Operands *o)
{
    return kn_matmul(softmax(kn_add(kn_mul(scores(o->q, o->k), 0.5), o->bias)), o->v);
}
static kn_array with_mask(const Operands *o)
{
    return kn_matmul(softmax(kn_where(kn_greater(o->mask, 0.0), scores(o->q, o->k), -1e9)), o->v);
}
static kn_array causal(const Operands *o)
{
    kn_array x = scores(o->q, o->k);
    int64_t t = kn_dim(x, -2), s = kn_dim(x, -1);
    kn_array row = kn_lax_broadcasted_iota(KN_I32, KN_SHAPE(t, s), 0),
             column = kn_lax_broadcasted_iota(KN_I32, KN_SHAPE(t, s), 1);
    return kn_matmul(softmax(kn_where(kn_greater_equal(row, column), x, -1e9)), o->v);
}
/* Keys and values of the first heads serve as many queries each as there are heads. */
static kn_array grouped(const Operands *o)
{
    int64_t b = kn_dim(o->q, 0), n = kn_dim(o->q, 1), t = kn_dim(o->q, 2), h = kn_dim(o->q, 3);
    kn_array k = kn_at(o->k, ":, :1"), v = kn_at(o->v, ":, :1");
    kn_array q = kn_reshape(o->q, KN_SHAPE(b, 1, n * t, h));
    kn_array p = softmax(kn_add(kn_reshape(scores(q, k), KN_SHAPE(b, n, t, kn_dim(k, 2))), o->bias));
    return kn_reshape(kn_matmul(kn_reshape(p, KN_SHAPE(b, 1, n * t, kn_dim(k, 2))), v), KN_SHAPE(b, n, t, h));
}
static kn_array by_hand(const Operands *o)
{
    kn_array x = kn_mul(scores(o->q, o->k), 0.3);
    kn_array e = kn_exp(kn_sub(x, kn_max(x, .axis = KN_AXIS(-1), .keepdims = true)));
    return kn_matmul(kn_div(e, kn_sum(e, .axis = KN_AXIS(-1), .keepdims = true)), o->v);
}
/* Divided behind the product. */
static kn_array divided_last(const Operands *o)
{
    kn_array x = scores(o->q, o->k), e = kn_exp(kn_sub(x, kn_max(x, .axis = KN_AXIS(-1), .keepdims = true)));
    return kn_div(kn_matmul(e, o->v), kn_sum(e, .axis = KN_AXIS(-1), .keepdims = true));
}
/* Axes as they come out of a projection: (B, T, N, H). */
static kn_array heads_inside(const Operands *o)
{
    kn_array q = kn_swapaxes(o->q, 1, 2), k = kn_swapaxes(o->k, 1, 2), v = kn_swapaxes(o->v, 1, 2);
    return kn_swapaxes(kn_nn_dot_product_attention(q, k, v), 1, 2);
}
static kn_array heads_inside_causal(const Operands *o)
{
    kn_array q = kn_swapaxes(o->q, 1, 2), k = kn_swapaxes(o->k, 1, 2), v = kn_swapaxes(o->v, 1, 2);
    return kn_swapaxes(kn_nn_dot_product_attention(q, k, v, .is_causal = true, .bias = o->bias), 1, 2);
}
static kn_array heads_inside_grouped(const Operands *o)
{
    kn_array q = kn_swapaxes(o->q, 1, 2), k = kn_at(kn_swapaxes(o->k, 1, 2), ":, :, :1"),
             v = kn_at(kn_swapaxes(o->v, 1, 2), ":, :, :1");
    return kn_swapaxes(kn_nn_dot_product_attention(q, k, v, .mask = kn_greater(o->mask, -5.0)), 1, 2);
}
/* The probabilities as the second operand: rows of the band are columns of the product. */
static kn_array turned(const Operands *o)
{
    kn_array p = softmax(scores(o->q, o->k));
    return kn_lax_dot_general(o->v, p,
                              ((kn_lax_dot_dimension_numbers){.lhs_contract = KN_AXIS(2),
                                                              .rhs_contract = KN_AXIS(3),
                                                              .lhs_batch = KN_AXIS(0, 1),
                                                              .rhs_batch = KN_AXIS(0, 1)}));
}

static const struct {
    const char *name;
    spelling f;
} spellings[] = {{"plain", plain},
                 {"scaled after", scaled_after},
                 {"scaled before", scaled_before},
                 {"bias", with_bias},
                 {"mask", with_mask},
                 {"causal", causal},
                 {"grouped", grouped},
                 {"by hand", by_hand},
                 {"divided last", divided_last},
                 {"heads inside", heads_inside},
                 {"heads inside, causal", heads_inside_causal},
                 {"heads inside, grouped", heads_inside_grouped},
                 {"turned", turned}};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

/* ---- Other chains; they use what they want of the operands. */

static kn_array normalized(kn_array x)
{
    kn_array mean = kn_mean(x, .axis = KN_AXIS(-1), .keepdims = true), d = kn_sub(x, mean);
    return kn_div(d, kn_sqrt(kn_add(kn_mean(kn_mul(d, d), .axis = KN_AXIS(-1), .keepdims = true), 1e-5)));
}
static kn_array norm_of_product(const Operands *o) { return normalized(kn_matmul(o->q, o->w)); }
static kn_array mlp(const Operands *o) { return kn_matmul(kn_tanh(kn_matmul(o->q, o->w)), kn_matrix_transpose(o->w)); }
static kn_array cross_entropy(const Operands *o)
{
    kn_array logits = kn_matmul(kn_at(o->q, "0, 0"), kn_matrix_transpose(kn_at(o->k, "0, 0")));
    return kn_mean(kn_at(kn_nn_log_softmax(logits, .axis = KN_AXIS(-1)), ":, 0"));
}
static kn_array two_layers(const Operands *o)
{
    Operands next = *o;
    next.q = kn_add(o->q, plain(o));
    next.q = normalized(next.q);
    return kn_add(next.q, with_bias(&next));
}

static const struct {
    const char *name;
    spelling f;
} chains[] = {
    {"norm of a product", norm_of_product}, {"mlp", mlp}, {"cross entropy", cross_entropy}, {"two layers", two_layers}};
enum { CHAINS = sizeof chains / sizeof *chains };

/* ---- What is run of each: itself, and gradients with several kinds of cotangents. */

typedef struct which {
    spelling f;
} which;
static kn_array itself(const which *w, const Operands *o) { return w->f(o); }
static kn_array total(const which *w, const Operands *o) { return kn_sum(kn_sin(w->f(o))); }
static kn_array squares(const which *w, const Operands *o)
{
    kn_array y = w->f(o);
    return kn_sum(kn_mul(y, y));
}
static kn_array linear(const which *w, const Operands *o) { return kn_sum(w->f(o)); }
/* A projection of all heads behind it, so that the cotangent depends on the whole result. */
static kn_array projected(const which *what, const Operands *o)
{
    kn_array y = what->f(o);
    if (kn_ndim(y) < 4)
        return kn_sum(kn_tanh(y));
    kn_array flat = kn_reshape(kn_swapaxes(y, 1, 2), KN_SHAPE(kn_dim(y, 0), kn_dim(y, 2), kn_dim(y, 1) * kn_dim(y, 3)));
    int64_t wide = kn_dim(flat, -1);
    kn_array m = kn_reshape(kn_sin(kn_arange(0, 8 * wide, 1, .dtype = kn_dtype_of(y))), KN_SHAPE(wide, 8));
    kn_array out = kn_matmul(kn_tanh(flat), m);
    return kn_sum(kn_mul(out, out));
}
KN_FUNCTION_ENV(itself, kn_array, which, Operands)
KN_FUNCTION_ENV(total, kn_array, which, Operands)
KN_FUNCTION_ENV(squares, kn_array, which, Operands)
KN_FUNCTION_ENV(linear, kn_array, which, Operands)
KN_FUNCTION_ENV(projected, kn_array, which, Operands)

enum { FORMS = 5 };
static const char *const forms[FORMS] = {"itself", "gradient of the total", "value and gradient of the squares",
                                         "gradient of the sum", "value and gradient through a projection"};
static kn_fn form_of(const which *w, int form)
{
    switch (form) {
    case 0: return KN_FN_ENV(itself, w);
    case 1: return kn_grad(KN_FN_ENV(total, w));
    case 2: return kn_value_and_grad(KN_FN_ENV(squares, w));
    case 3: return kn_grad(KN_FN_ENV(linear, w));
    default: return kn_value_and_grad(KN_FN_ENV(projected, w));
    }
}

typedef struct shape {
    int64_t b, n, t, s, h;
} shape;

static Operands operands(shape x, kn_dtype d)
{
    return (Operands){.q = kn_zeros(KN_SHAPE(x.b, x.n, x.t, x.h), .dtype = d),
                      .k = kn_zeros(KN_SHAPE(x.b, x.n, x.s, x.h), .dtype = d),
                      .v = kn_zeros(KN_SHAPE(x.b, x.n, x.s, x.h), .dtype = d),
                      .bias = kn_zeros(KN_SHAPE(1, x.n, x.t, x.s), .dtype = d),
                      .mask = kn_zeros(KN_SHAPE(x.b, 1, x.t, x.s), .dtype = d),
                      .w = kn_zeros(KN_SHAPE(x.h, x.s), .dtype = d)};
}

static void check(spelling f, const char *name, shape s, kn_dtype d, int bands)
{
    for (int form = 0; form < FORMS; form++) {
        KN_SCOPE;
        char text[200];
        which w = {f};
        Operands o = operands(s, d);
        kni_jaxpr *j = traced(form_of(&w, form), KN_ARGS(&o));
        snprintf(text, sizeof text, "%s, %s, %s, (%d, %d, %d, %d, %d)", name, forms[form], d->name, (int)s.b, (int)s.n,
                 (int)s.t, (int)s.s, (int)s.h);
        expect_same_bits(text, j, bands, true);
        kni_release(j);
    }
}

static void bits_do_not_depend_on_bands(void **state)
{
    (void)state;
    static const shape shapes[] = {
        {2, 3, 37, 29, 8}, {1, 1, 16, 5, 3}, {2, 2, 1, 9, 4}, {1, 2, 9, 1, 4}, {1, 2, 19, 300, 6}};
    for (int i = 0; i < SPELLINGS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            check(spellings[i].f, spellings[i].name, shapes[s], KN_F32, 1);
}

static void of_other_dtypes(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_F64, KN_BF16, KN_F16};
    for (int i = 0; i < SPELLINGS; i++)
        for (int d = 0; d < 3; d++)
            check(spellings[i].f, spellings[i].name, (shape){2, 2, 21, 13, 8}, dtypes[d], 1);
}

static void of_other_chains(void **state)
{
    (void)state;
    for (int i = 0; i < CHAINS; i++) {
        check(chains[i].f, chains[i].name, (shape){2, 3, 37, 29, 8}, KN_F32, 1);
        check(chains[i].f, chains[i].name, (shape){1, 2, 19, 300, 6}, KN_F64, 1);
    }
}

static void of_sizes_that_pay(void **state)
{
    (void)state;
    for (int i = 0; i < SPELLINGS; i++)
        check(spellings[i].f, spellings[i].name, (shape){1, 2, 300, 310, 16}, KN_F32, 0);
}

static void nans_and_infinities(void **state)
{
    (void)state;
    for (int i = 0; i < SPELLINGS; i++) {
        KN_SCOPE;
        which w = {spellings[i].f};
        Operands o = operands((shape){2, 2, 21, 13, 8}, KN_F32);
        kni_jaxpr *j = traced(form_of(&w, 1), KN_ARGS(&o));
        expect_same_bits(spellings[i].name, j, 1, false);
        kni_release(j);
    }
}

static void under_vmap(void **state)
{
    (void)state;
    for (int i = 0; i < SPELLINGS; i++)
        for (int axis = 0; axis < 3; axis += 2) {
            KN_SCOPE;
            which w = {spellings[i].f};
            Operands o = operands((shape){2, 2, 17, 13, 8}, KN_F32);
            kn_array *x[] = {&o.q, &o.k, &o.v, &o.bias, &o.mask, &o.w};
            for (int k = 0; k < 6; k++)
                *x[k] = kn_stack(KN_LIST(*x[k], *x[k], *x[k]), KN_AXIS(axis));
            kni_jaxpr *j = traced(kn_vmap(kn_grad(KN_FN_ENV(squares, &w)), .in_axes = {KN_MAPPED(axis)}), KN_ARGS(&o));
            expect_same_bits(spellings[i].name, j, 1, true);
            kni_release(j);
        }
}

/* ---- Random chains of products, kernels along rows and columns, and moves. */

static void of_random_chains(void **state)
{
    (void)state;
    int chains_with = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        char name[32];
        kni_jaxpr *j = test_random_chain(seed);
        knd_loaded *p = compiled(j, true, 1);
        for (uint32_t i = 0; i < p->program->n_step; i++)
            if (p->program->step[i].kind == KNC_BAND) {
                chains_with++;
                break;
            }
        knd_release(p);
        snprintf(name, sizeof name, "chain %d", (int)seed);
        expect_same_bits(name, j, 1, seed % 4 != 0);
        kni_release(j);
    }
    assert_true(chains_with > 300);
}

/* Layers in a loop: the queries of each are the results of the one before. */
typedef struct {
    kn_array i, q, k, v;
} Layers;
static kn_array are_left(const Layers *l) { return kn_less(l->i, 3); }
static Layers next_layer(const Layers *l)
{
    kn_array p = softmax(scores(l->q, l->k));
    return (Layers){kn_add(l->i, 1), kn_add(l->q, kn_matmul(p, l->v)), l->k, l->v};
}
KN_FUNCTION(are_left, kn_array, Layers)
KN_FUNCTION(next_layer, Layers, Layers)
static kn_array layers(const Operands *o)
{
    Layers start = {kn_scalar(0), o->q, o->k, o->v}, end;
    kn_while_loop(KN_FN(are_left), KN_FN(next_layer), &end, &start);
    return end.q;
}

static void inside_of_loops(void **state)
{
    (void)state;
    KN_SCOPE;
    which w = {layers};
    Operands o = operands((shape){2, 2, 37, 13, 8}, KN_F32), large = operands((shape){1, 2, 300, 310, 16}, KN_F32);
    kni_jaxpr *j = traced(form_of(&w, 0), KN_ARGS(&o)), *g = traced(form_of(&w, 0), KN_ARGS(&large));
    expect_same_bits("loop", j, 1, true);
    expect_same_bits("large loop", g, 0, true);
    knd_loaded *p = compiled(g, true, 1);
    int bands = 0;
    for (uint32_t i = 0; i < p->program->n_step; i++)
        for (uint32_t s = 0; p->program->step[i].kind == KNC_LOOP && s < p->program->step[i].u.r.loop->body->n_step;
             s++)
            bands += p->program->step[i].u.r.loop->body->step[s].kind == KNC_BAND;
    assert_true(bands > 0);
    knd_release(p);
    kni_release(j);
    kni_release(g);
}

/* ---- Values: attention as it is defined, in double. */

enum { T = 70, S = 45, H = 8, MATRICES = 4 };

/* One matrix: the result for probabilities of 0.125 q k^T, and the gradients for the cotangent w. */
typedef struct defined {
    double out[T][H], q[T][H], k[S][H], v[S][H];
} defined;

static void define(const float *q, const float *k, const float *v, const float *w, defined *d)
{
    memset(d, 0, sizeof *d);
    for (int t = 0; t < T; t++) {
        double p[S], dp[S], most = -INFINITY, sum = 0, mean = 0;
        for (int s = 0; s < S; s++) {
            p[s] = 0;
            for (int h = 0; h < H; h++)
                p[s] += 0.125 * (double)q[t * H + h] * (double)k[s * H + h];
            most = fmax(most, p[s]);
        }
        for (int s = 0; s < S; s++)
            sum += p[s] = exp(p[s] - most);
        for (int s = 0; s < S; s++) {
            p[s] /= sum;
            dp[s] = 0;
            for (int h = 0; h < H; h++) {
                d->out[t][h] += p[s] * (double)v[s * H + h];
                d->v[s][h] += p[s] * (double)w[t * H + h];
                dp[s] += (double)w[t * H + h] * (double)v[s * H + h];
            }
            mean += p[s] * dp[s];
        }
        for (int s = 0; s < S; s++)
            for (int h = 0; h < H; h++) {
                d->q[t][h] += 0.125 * p[s] * (dp[s] - mean) * (double)k[s * H + h];
                d->k[s][h] += 0.125 * p[s] * (dp[s] - mean) * (double)q[t * H + h];
            }
    }
}

static double error_of(const knx_buffer *b, int matrix, const double *want, int n)
{
    const float *got = (const float *)b->data + (size_t)matrix * (size_t)n;
    double most = 0;
    for (int i = 0; i < n && !isnan(most); i++) {
        double error = fabs((double)got[i] - want[i]) / (1 + fabs(want[i]));
        most = error <= most ? most : error; /* nan stays */
    }
    return most;
}

/* For the cotangent that takes the place of w. */
static kn_array by_cotangent(const Operands *o) { return kn_sum(kn_mul(scaled_after(o), o->w)); }
KN_FUNCTION(scaled_after, kn_array, Operands)
KN_FUNCTION(by_cotangent, kn_array, Operands)

static void values_are_those_of_the_definition(void **state)
{
    (void)state;
    KN_SCOPE;
    static defined d;
    Operands o = operands((shape){2, 2, T, S, H}, KN_F32);
    o.w = o.q;
    kni_jaxpr *j = traced(KN_FN(scaled_after), KN_ARGS(&o)), *g = traced(kn_grad(KN_FN(by_cotangent)), KN_ARGS(&o));
    knd_loaded *p = compiled(j, true, 1), *r = compiled(g, true, 1);
    test_operands x = tame_operands(g, 5);
    knx_buffer *y[MANY], *slope[MANY];
    test_ok(knd_run(p, x.in, y, NULL));
    test_ok(knd_run(r, x.in, slope, NULL));
    for (int i = 0; i < MATRICES; i++) {
        const float *q = x.in[0].data, *k = x.in[1].data, *v = x.in[2].data, *w = x.in[5].data;
        define(q + i * T * H, k + i * S * H, v + i * S * H, w + i * T * H, &d);
        assert_true(error_of(y[0], i, d.out[0], T * H) < 1e-6);
        assert_true(error_of(slope[0], i, d.q[0], T * H) < 1e-6);
        assert_true(error_of(slope[1], i, d.k[0], S * H) < 4e-6);
        assert_true(error_of(slope[2], i, d.v[0], S * H) < 4e-6);
    }
    test_release((int)j->n_out, y);
    test_release((int)g->n_out, slope);
    test_free_operands(&x);
    knd_release(p);
    knd_release(r);
    kni_release(j);
    kni_release(g);
}

/* ---- Reports. */

static void count_bands(void *env, const kn_step *s)
{
    int *n = env;
    if (s->kind == KN_STEP_BAND && strstr(s->operations, "dot_general") && s->elements == 2 * 300 * 310)
        ++*n;
}

static void a_band_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    int n = 0;
    Operands o = operands((shape){1, 2, 300, 310, 16}, KN_F32);
    kn_array y;
    kn_on_step(count_bands, &n);
    kn_call(kn_jit(KN_FN(scaled_after)), &y, &o);
    kn_eval(y);
    kn_on_step(NULL, NULL);
    assert_int_equal(n, 1);
    const char *text = kn_jaxpr_program(kn_make_jaxpr(KN_FN(scaled_after), KN_ARGS(&o)));
    assert_non_null(strstr(text, "band of 2 x 300 rows"));
    assert_non_null(strstr(text, "f32[1,2,300,310]: stored, a block at a time, by step"));
    assert_non_null(strstr(text, "the steps around it share rows"));
    const char *drawing = kn_jaxpr_program_graphviz(kn_make_jaxpr(KN_FN(scaled_after), KN_ARGS(&o)));
    assert_non_null(strstr(drawing, ": band"));
}

/* ---- What is stored. */

static size_t beside(const knd_loaded *p) { return knd_workspace_bytes(p, 1); }

/* Scores of T x S never lie in memory: what a program needs beside its operands and results grows with T. */
static void expect_growth(kn_dtype d, int64_t h)
{
    for (int i = 0; i < SPELLINGS; i++)
        for (int form = 0; form < FORMS; form++) {
            size_t bytes[2];
            char *text = NULL;
            for (int k = 0; k < 2; k++) {
                KN_SCOPE;
                which w = {spellings[i].f};
                int64_t t = k ? 2048 : 1024;
                Operands o = operands((shape){1, 4, t, t, h}, d);
                kni_jaxpr *j = traced(form_of(&w, form), KN_ARGS(&o));
                knd_loaded *p = compiled(j, true, 0);
                bytes[k] = beside(p);
                knx_free(text);
                text = text_of(p);
                knd_release(p);
                kni_release(j);
            }
            if (bytes[1] > 2 * bytes[0] + (3u << 20) || bytes[1] > (size_t)32 << 20) {
                if (getenv("KN_TEST_SEED"))
                    puts(text);
                fail_msg("%s, %s: %zu and %zu bytes", spellings[i].name, forms[form], bytes[0], bytes[1]);
            }
            knx_free(text);
        }
}

/* Whichever allocation fails while a program is made: an error, and nothing is lost. */
static void without_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    which w = {with_bias};
    Operands o = operands((shape){2, 2, 21, 13, 8}, KN_F32);
    kni_jaxpr *j = traced(form_of(&w, 4), KN_ARGS(&o));
    const knc_compile_options options = {.fuse = true, .bands = 1};
    knd_release(compiled(j, true, 1)); /* code that is kept is there now */
    int64_t live = knx_alloc_live();
    bool reached = true;
    for (int64_t k = 0; reached; k++) {
        knd_loaded *p = NULL;
        int64_t asked = knx_alloc_count();
        knx_fail_pieces(true);
        knx_fail_after(k, k % 2);
        knx_error *e = knd_compile(&knd_host, j, &options, &p);
        knx_fail_after(-1, false);
        knx_fail_pieces(false);
        reached = knx_alloc_count() - asked > k;
        knd_release(p);
        assert_true(!e || e->kind == KN_ERROR_MEMORY);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    kni_release(j);
}

static kn_array with_a_factor_for_each_head(const kn_array *q, const kn_array *factor)
{
    return kn_matmul(softmax(kn_mul(scores(*q, *q), *factor)), *q);
}
KN_FUNCTION(with_a_factor_for_each_head, kn_array, kn_array, kn_array)

/* The kernel between the products walks the axes as b, t, h, by strides of h*t*t, t and t*t: which one of them is the
 * smaller one is not known. */
static void strides_whose_order_is_not_known(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *unknown = "b h t 64, h 1 1";
    kn_array q = kn_sin(kn_reshape(kn_arange(0, 3 * 7 * 300 * 64, 1, .dtype = KN_F32), KN_SHAPE(3, 7, 300, 64))),
             factor = kn_reshape(kn_arange(1, 8, 1, .dtype = KN_F32), KN_SHAPE(7, 1, 1)), one, other;
    kn_fn f = KN_FN(with_a_factor_for_each_head);
    kn_jaxpr j = kn_make_jaxpr(f, KN_ARGS(&q, &factor), .symbolic = unknown);
    assert_non_null(strstr(kn_jaxpr_program(j), "band of b*h x t rows"));
    kn_call(kn_jit(f, .symbolic = unknown), &one, &q, &factor);
    kn_call(kn_jit(f), &other, &q, &factor);
    assert_true(kn_array_equal(one, other));
}

static void memory_grows_with_the_rows(void **state)
{
    (void)state;
    expect_growth(KN_F32, 64);
    expect_growth(KN_F64, 64);
    expect_growth(KN_BF16, 128);
}

KN_TEST_GROUP(test_bands)
{
    const struct CMUnitTest tests[] = {
        TEST(bits_do_not_depend_on_bands),
        TEST(of_other_dtypes),
        TEST(of_other_chains),
        TEST(of_sizes_that_pay),
        TEST(inside_of_loops),
        TEST(without_memory),
        TEST(values_are_those_of_the_definition),
        TEST(a_band_is_seen),
        TEST(nans_and_infinities),
        TEST(of_random_chains),
        TEST(under_vmap),
        TEST(strides_whose_order_is_not_known),
        TEST(memory_grows_with_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
