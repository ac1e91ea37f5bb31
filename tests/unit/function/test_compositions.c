/* SPDX-License-Identifier: Apache-2.0
 * test_compositions.c -- features inside each other. A chain is a function of three numbers in layers, each of which
 * leaves the function as it is but works it out by way of another feature: inside of jit, as the derivative of w f(x)
 * by w, in a loop of one round, through writes into views, as lanes of vmap and so on. So every chain has the values
 * and derivatives of the innermost function, in every mode. All pairs of layers, and random triples. */
#include "support/expect.h"
#include "support/group.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
#define LAYERS(X) \
    X(CALL) X(JIT) X(KEEP_NOTHING) X(KEEP_ALL) X(KEEP_PRODUCTS) X(KEEP_PLAIN_PRODUCTS) X(KEEP_NAMED) \
    X(KEEP_UNNAMED) X(MERGED) X(CUSTOM_JVP) X(CUSTOM_VJP) X(WHILE) X(WHILE_CAPTURED) X(LANE) X(LANES) \
    X(LAST_AXIS) X(SET) X(ADD) X(WRITE_VIEWS) X(GRAD) X(VALUE_AND_GRAD) X(JVP) X(LINEARIZE) X(VJP) X(JACFWD) \
    X(JACREV) X(HESSIAN) X(CLOSURE) X(TRANSPOSE) X(SHOWN) X(PRINTED) X(PURE) X(IO) X(TREE) X(SHUFFLED) X(JAXPR) \
    X(TWICE)
/* clang-format on */
enum {
#define X(name) name,
    LAYERS(X)
#undef X
        N_LAYERS
};
static const char *const layer_name[] = {
#define X(name) #name,
    LAYERS(X)
#undef X
};

enum { DEEPEST = 3 };
typedef struct {
    int32_t n, layer[DEEPEST], dtype;
} Chain;
enum { DOUBLE, SINGLE, COMPLEX, N_DTYPES };
typedef struct {
    kn_array y, dy;
} Dual;
typedef struct {
    kn_array i, x, y;
} Round;

static kn_array apply(const Chain *c, const kn_array *x);
static Dual apply_jvp(const Chain *c, const kn_array *x, const kn_array *dx);
static Dual apply_forward(const Chain *c, const kn_array *x);
static kn_array apply_backward(const Chain *c, const kn_array *x, const kn_array *ct);
static kn_array scaled(const Chain *c, const kn_array *w, const kn_array *x);
static kn_array scaled_sum(const Chain *c, const kn_array *w, const kn_array *x);
static kn_array half_square(const Chain *c, const kn_array *w, const kn_array *x);
static kn_array lane(const Chain *c, const kn_array *x);
static Round one_round(const Chain *c, const Round *r);
static kn_array mean_of(const Chain *c, const kn_array *a, const kn_array *b);
KN_FUNCTION_ENV(apply, kn_array, Chain, kn_array)
KN_FUNCTION_ENV(apply_jvp, Dual, Chain, kn_array, kn_array)
KN_FUNCTION_ENV(apply_forward, Dual, Chain, kn_array)
KN_FUNCTION_ENV(apply_backward, kn_array, Chain, kn_array, kn_array)
KN_FUNCTION_ENV(scaled, kn_array, Chain, kn_array, kn_array)
KN_FUNCTION_ENV(scaled_sum, kn_array, Chain, kn_array, kn_array)
KN_FUNCTION_ENV(half_square, kn_array, Chain, kn_array, kn_array)
KN_FUNCTION_ENV(lane, kn_array, Chain, kn_array)
KN_FUNCTION_ENV(one_round, Round, Chain, Round)
KN_FUNCTION_ENV(mean_of, kn_array, Chain, kn_array, kn_array)

static kn_array apply_inner(const Chain *c, const kn_array *x) { return apply(c, x); }

static Dual apply_jvp(const Chain *c, const kn_array *x, const kn_array *dx)
{
    Dual out;
    kn_jvp(KN_FN_ENV(apply, c), KN_ARGS(x), KN_ARGS(dx), &out.y, &out.dy);
    return out;
}
static Dual apply_forward(const Chain *c, const kn_array *x) { return (Dual){apply_inner(c, x), *x}; }
static kn_array apply_backward(const Chain *c, const kn_array *x, const kn_array *ct)
{
    kn_array y, ct_x = NULL;
    kn_fn back = kn_vjp(KN_FN_ENV(apply, c), KN_ARGS(x), &y);
    kn_call(back, &ct_x, ct);
    return ct_x;
}
static kn_array scaled(const Chain *c, const kn_array *w, const kn_array *x) { return kn_mul(*w, apply_inner(c, x)); }
static kn_array scaled_sum(const Chain *c, const kn_array *w, const kn_array *x) { return kn_sum(scaled(c, w, x)); }
static kn_array half_square(const Chain *c, const kn_array *w, const kn_array *x)
{
    return kn_mul(kn_mul(kn_square(*w), 0.5), apply_inner(c, x));
}
static kn_array lane(const Chain *c, const kn_array *x)
{
    kn_array y = apply_inner(c, x);
    kn_array other = kn_lax_ppermute(y, "lanes", KN_PAIRS({0, 0}));
    return kn_sub(kn_lax_psum(y, "lanes"), kn_sub(kn_lax_psum(y, "lanes"), kn_lax_psum(other, "lanes")));
}
static kn_array first_round(const Round *r) { return kn_less(r->i, 1); }
KN_FUNCTION(first_round, kn_array, Round)
static Round one_round(const Chain *c, const Round *r)
{
    return (Round){kn_add(r->i, 1), r->x, kn_add(kn_mul(r->y, 0), apply_inner(c, &r->x))};
}
typedef struct {
    kn_array y;
} Captured;
static Round add_captured(const Captured *c, const Round *r)
{
    return (Round){kn_add(r->i, 1), r->x, kn_add(r->y, c->y)};
}
KN_CLOSURE(add_captured, Round, Captured, Round)
static kn_array times_captured(const Captured *c, const kn_array *w) { return kn_mul(*w, c->y); }
KN_CLOSURE(times_captured, kn_array, Captured, kn_array)
static kn_array mean_of(const Chain *c, const kn_array *a, const kn_array *b)
{
    return kn_mul(kn_add(apply_inner(c, a), apply_inner(c, b)), 0.5);
}
static kn_array unchanged(const kn_array *x) { return *x; }
KN_FUNCTION(unchanged, kn_array, kn_array)

static atomic_int looked;
static int look(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out, (void)out;
    looked += kn_size(in[0]) == 3;
    return 0;
}
static int zeros_for(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_sub(in[0], in[0]);
    return 0;
}
static void swallow(void *env, const char *text) { (void)text, atomic_fetch_add((atomic_int *)env, 1); }

/* --- layers ----------------------------------------------------------------------------------- */

static kn_array through_writes(int layer, const Chain *c, const kn_array *x)
{
    kn_array fx = apply_inner(c, x), y = kn_zeros_like(*x);
    if (layer == SET) {
        kn_set_at(y, kn_at(fx, "::-1"), "::-1");
        return y;
    }
    if (layer == ADD) {
        kn_iadd_at(y, kn_at(fx, "1:"), "1:");
        kn_iadd_at(y, kn_at(fx, "%", 0), "%", 0);
        return y;
    }
    kn_array m = kn_zeros(KN_SHAPE(2, 3), .dtype = kn_dtype_of(*x)), row = kn_at(m, "1"), back = kn_at(row, "::-1"),
             column = kn_at(m, ":, 1");
    kn_set_at(row, 7, "...");
    kn_iadd(back, kn_at(fx, "::-1"));
    kn_isub(column, 7);
    kn_isub(row, kn_of(double, 7, 0, 7));
    return kn_copy(row);
}

static kn_array through_w(int layer, const Chain *c, const kn_array *x)
{
    kn_array ones = kn_ones_like(*x), zeros = kn_zeros_like(*x), one = kn_at(ones, "0"), y = NULL, dy = NULL;
    switch (layer) {
    case GRAD: kn_call(kn_grad(KN_FN_ENV(scaled_sum, c)), &y, &ones, x); return y;
    case VALUE_AND_GRAD:
        kn_call(kn_value_and_grad(KN_FN_ENV(scaled_sum, c)), KN_OUT(&dy, &y), &ones, x);
        return kn_add(y, kn_mul(0, dy));
    case JVP: kn_jvp(KN_FN_ENV(scaled, c), KN_ARGS(&one, x), KN_ARGS(&one, &zeros), &y, &dy); return dy;
    case LINEARIZE: kn_call(kn_linearize(KN_FN_ENV(scaled, c), KN_ARGS(&one, x), &y), &dy, &one, &zeros); return dy;
    case VJP: {
        kn_array ct_x = NULL;
        kn_call(kn_vjp(KN_FN_ENV(scaled, c), KN_ARGS(&ones, x), &y), KN_OUT(&dy, &ct_x), &ones);
        return kn_add(dy, kn_mul(ct_x, 0));
    }
    case JACFWD: kn_call(kn_jacfwd(KN_FN_ENV(scaled, c)), &y, &one, x); return y;
    case JACREV: kn_call(kn_jacrev(KN_FN_ENV(scaled, c)), &y, &one, x); return y;
    default: kn_call(kn_hessian(KN_FN_ENV(half_square, c)), &y, &one, x); return y;
    }
}

static kn_array through_lanes(int layer, const Chain *c, const kn_array *x)
{
    kn_array y = NULL;
    if (layer == LAST_AXIS) {
        kn_array both = kn_stack(KN_LIST(*x, kn_mul(*x, 2)), KN_AXIS(1));
        kn_call(kn_vmap(KN_FN_ENV(apply, c), .in_axes = {KN_MAPPED(-1)}, .out_axes = {KN_MAPPED(1)}), &y, &both);
        return kn_at(y, ":, 0");
    }
    kn_array lanes = layer == LANE ? kn_reshape(*x, KN_SHAPE(1, 3)) : kn_stack(KN_LIST(*x, kn_negative(*x)));
    kn_call(kn_vmap(KN_FN_ENV(lane, c), .axis_name = "lanes"), &y, &lanes);
    return kn_at(y, "0, :");
}

static kn_array through_checkpoint(int layer, const Chain *c, const kn_array *x)
{
    kn_fn f = KN_FN_ENV(apply, c);
    kn_array y = NULL;
    switch (layer) {
    case KEEP_NOTHING: f = kn_checkpoint(f); break;
    case KEEP_ALL: f = kn_checkpoint(f, .policy = KN_EVERYTHING_SAVEABLE); break;
    case KEEP_PRODUCTS: f = kn_checkpoint(f, .policy = KN_PRODUCTS_SAVEABLE); break;
    case KEEP_PLAIN_PRODUCTS: f = kn_checkpoint(f, .policy = KN_PRODUCTS_WITHOUT_BATCH_SAVEABLE); break;
    case KEEP_NAMED: f = kn_checkpoint(f, .policy = KN_SAVE_ONLY_THESE_NAMES("a", "nobody")); break;
    case KEEP_UNNAMED: f = kn_checkpoint(f, .policy = KN_SAVE_ANY_NAMES_BUT_THESE("a")); break;
    default: f = kn_checkpoint(f, .prevent_cse = false); break;
    }
    kn_call(f, &y, x);
    return y;
}

static kn_array through_callback(int layer, const Chain *c, const kn_array *x)
{
    kn_array y = apply_inner(c, x);
    kn_list type = KN_LIST(kn_shape_dtype_struct(KN_SHAPE(3), kn_dtype_of(y))), operand = KN_LIST(kn_stop_gradient(y));
    if (layer == SHOWN)
        return kn_debug_callback(look, NULL, KN_LIST(y)), y;
    if (layer == PRINTED)
        return kn_debug_print("y {}", y), y;
    kn_list zero = layer == PURE ? kn_pure_callback(zeros_for, NULL, type, operand)
                                 : kn_io_callback(zeros_for, NULL, type, operand);
    return kn_add(y, kn_list_get(zero, 0));
}

static kn_array through_loop(int layer, const Chain *c, const kn_array *x)
{
    Round start = {kn_scalar(0), *x, kn_zeros_like(*x)}, end = {0};
    Captured captured = {NULL};
    if (layer == WHILE) {
        kn_while_loop(KN_FN(first_round), KN_FN_ENV(one_round, c), &end, &start);
    } else {
        captured.y = apply_inner(c, x);
        kn_while_loop(KN_FN(first_round), KN_CLOSE(add_captured, &captured), &end, &start);
    }
    return end.y;
}

static kn_array through_shuffle(const Chain *c, const kn_array *x)
{
    kn_array keys = kn_random_split(kn_random_key(7)), order = kn_random_permutation(kn_at(keys, "1"), 3);
    kn_array back = kn_argsort(order), mixed = kn_at(*x, "%", order), again = kn_at(mixed, "%", back);
    return apply_inner(c, &again);
}

static kn_array leaf(const kn_array *x)
{
    kn_array m = kn_reshape(kn_arange(0, 9, 1, .dtype = kn_dtype_of(*x)), KN_SHAPE(3, 3));
    kn_array s = kn_checkpoint_name(kn_sin(*x), "a");
    return kn_add(kn_mul(s, kn_matmul(m, *x)), kn_mul(kn_sum(kn_square(*x)), 0.25));
}

static kn_array apply(const Chain *c, const kn_array *x)
{
    if (!c->n)
        return leaf(x);
    Chain inner = {.n = c->n - 1, .dtype = c->dtype};
    memcpy(inner.layer, c->layer + 1, sizeof c->layer - sizeof c->layer[0]);
    kn_fn f = KN_FN_ENV(apply, &inner);
    kn_array y = NULL;
    int layer = c->layer[0];
    switch (layer) {
    case CALL: kn_call(f, &y, x); return y;
    case JIT: kn_call(kn_jit(f), &y, x); return y;
    case CUSTOM_JVP: kn_call(kn_custom_jvp(f, KN_FN_ENV(apply_jvp, &inner)), &y, x); return y;
    case CUSTOM_VJP:
        kn_call(kn_custom_vjp(f, KN_FN_ENV(apply_forward, &inner), KN_FN_ENV(apply_backward, &inner)), &y, x);
        return y;
    case WHILE:
    case WHILE_CAPTURED: return through_loop(layer, &inner, x);
    case LANE:
    case LANES:
    case LAST_AXIS: return through_lanes(layer, &inner, x);
    case SET:
    case ADD:
    case WRITE_VIEWS: return through_writes(layer, &inner, x);
    case SHOWN:
    case PRINTED:
    case PURE:
    case IO: return through_callback(layer, &inner, x);
    case GRAD:
    case VALUE_AND_GRAD:
    case JVP:
    case LINEARIZE:
    case VJP:
    case JACFWD:
    case JACREV:
    case HESSIAN: return through_w(layer, &inner, x);
    case CLOSURE: {
        Captured captured = {apply_inner(&inner, x)};
        kn_array one = kn_at(kn_ones_like(*x), "0");
        kn_call(kn_jacrev(kn_jit(KN_CLOSE(times_captured, &captured))), &y, &one);
        return y;
    }
    case TRANSPOSE: {
        kn_array fx = apply_inner(&inner, x);
        kn_call(kn_linear_transpose(KN_FN(unchanged), KN_ARGS(&fx)), &y, &fx);
        return y;
    }
    case TREE: {
        kn_tree t = kn_tree_map(f, kn_tree_dict("b", *x, "a", kn_tree_list(kn_mul(*x, 2), kn_tree_none())));
        return kn_tree_at(t, "b");
    }
    case SHUFFLED: return through_shuffle(&inner, x);
    case JAXPR: kn_call(kn_fn_from_jaxpr(kn_make_jaxpr(f, KN_ARGS(x))), &y, x); return y;
    case TWICE: kn_call(kn_jit(KN_FN_ENV(mean_of, &inner)), &y, x, x); return y;
    default: return through_checkpoint(layer, &inner, x);
    }
}

/* --- modes ------------------------------------------------------------------------------------ */

enum { VALUE, JITTED, LANES_OF, FORWARD, FORWARD_JACOBIAN, LINEAR_PART, BACKWARD, REVERSE_JACOBIAN, SECOND, N_MODES };
static const char *const mode_name[] = {"value",     "jit", "vmap",   "jvp",    "jacfwd",
                                        "linearize", "vjp", "jacrev", "hessian"};

static kn_array in_mode(int mode, const Chain *c, kn_array x)
{
    kn_fn f = KN_FN_ENV(apply, c);
    kn_array y = NULL, dy = NULL, d = kn_astype(kn_of(double, 1, -0.5, 2), kn_dtype_of(x));
    switch (mode) {
    case VALUE: kn_call(f, &y, &x); return y;
    case JITTED: kn_call(kn_jit(f), &y, &x); return y;
    case LANES_OF: {
        kn_array lanes = kn_stack(KN_LIST(x, kn_mul(x, 0.5)));
        kn_call(kn_jit(kn_vmap(f)), &y, &lanes);
        return y;
    }
    case FORWARD: kn_jvp(f, KN_ARGS(&x), KN_ARGS(&d), &y, &dy); return kn_stack(KN_LIST(y, dy));
    case FORWARD_JACOBIAN: kn_call(kn_jit(kn_jacfwd(f)), &y, &x); return y;
    case LINEAR_PART: kn_call(kn_linearize(f, KN_ARGS(&x), &y), &dy, &d); return dy;
    case BACKWARD: kn_call(kn_vjp(f, KN_ARGS(&x), &y), &dy, &d); return dy;
    case REVERSE_JACOBIAN: kn_call(kn_jacrev(kn_jit(f)), &y, &x); return y;
    default: kn_call(kn_jit(kn_hessian(f)), &y, &x); return y;
    }
}

static bool has(const Chain *c, int layer)
{
    for (int i = 0; i < c->n; i++)
        if (c->layer[i] == layer)
            return true;
    return false;
}

/* Loops have no reverse derivatives, functions with reverse rules no forward ones; nor does anything else fail. */
static bool may_refuse(const Chain *c, int mode, const char *message)
{
    bool forward = mode == FORWARD || mode == FORWARD_JACOBIAN || mode == LINEAR_PART || mode == SECOND;
    bool reverse = mode == BACKWARD || mode == REVERSE_JACOBIAN || mode == SECOND;
    if (strstr(message, "Reverse-mode differentiation does not work"))
        return (has(c, WHILE) || has(c, WHILE_CAPTURED)) && (reverse || has(c, VJP));
    if (strstr(message, "can't apply forward-mode autodiff (jvp) to a custom_vjp function"))
        return has(c, CUSTOM_VJP) &&
               (forward || has(c, JVP) || has(c, LINEARIZE) || has(c, CUSTOM_JVP) || (reverse && has(c, WHILE)));
    return false;
}

static atomic_int refused, agreed;
static void show(const Chain *c, int mode, const char *what)
{
    fprintf(stderr, "%s of", mode_name[mode]);
    for (int i = 0; i < c->n; i++)
        fprintf(stderr, " %s", layer_name[c->layer[i]]);
    fprintf(stderr, ": %s\n", what);
}

static kn_array point(const Chain *c)
{
    kn_array x = kn_of(double, 0.3, -1.2, 0.7);
    if (c->dtype == COMPLEX)
        return kn_add(x, kn_of(double _Complex, 0.5i, 1i, -0.25i));
    return c->dtype == SINGLE ? kn_astype(x, KN_F32) : x;
}

/* Gradients are of real numbers. */
static bool real_only(const Chain *c, int mode)
{
    return mode == FORWARD_JACOBIAN || mode == REVERSE_JACOBIAN || mode == SECOND || has(c, GRAD) ||
           has(c, VALUE_AND_GRAD) || has(c, JACFWD) || has(c, JACREV) || has(c, HESSIAN) || has(c, CLOSURE);
}

static int check_chain(const Chain *c)
{
    int wrong = 0;
    Chain plain = {.dtype = c->dtype};
    for (int mode = 0; mode < N_MODES; mode++) {
        KN_SCOPE;
        if (c->dtype == COMPLEX && real_only(c, mode))
            continue;
        double tolerance = c->dtype == SINGLE ? 1e-4 : 1e-12;
        kn_array x = point(c), want = in_mode(mode, &plain, x), have = in_mode(mode, c, x);
        if (!kn_ok(have) || kn_error_pending()) { /* what could not be worked out is not written, either */
            bool fine = may_refuse(c, mode, kn_error_message()) && kn_error_line();
            if (!fine)
                wrong++, show(c, mode, kn_error_message());
            refused += fine;
            kn_error_clear();
        } else if (!kn_allclose(have, want, .rtol = tolerance, .atol = tolerance) ||
                   kn_dtype_of(have) != kn_dtype_of(want)) {
            wrong++, show(c, mode, kn_repr(have));
        } else {
            agreed++;
        }
    }
    return wrong;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void the_innermost_function_is_what_it_says(void **state)
{
    (void)state;
    KN_SCOPE;
    double v[3] = {0.3, -1.2, 0.7}, want[9], sum = 0, total = 0.09 + 1.44 + 0.49;
    kn_array x = kn_from(v, KN_SHAPE(3)), jacobian = NULL;
    Chain plain = {0};
    kn_call(kn_jacrev(KN_FN_ENV(apply, &plain)), &jacobian, &x);
    for (int i = 0; i < 3; i++) {
        sum = 3 * i * v[0] + (3 * i + 1) * v[1] + (3 * i + 2) * v[2];
        for (int k = 0; k < 3; k++)
            want[3 * i + k] = sin(v[i]) * (3 * i + k) + (i == k ? cos(v[i]) * sum : 0) + 0.5 * v[k];
    }
    expect_near(jacobian, 1e-14, want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7], want[8]);
    expect_near(kn_at(apply(&plain, &x), "2"), 1e-14, sin(v[2]) * sum + 0.25 * total);
}

static void every_layer_leaves_the_function_as_it_is(void **state)
{
    (void)state;
    int wrong = 0;
    for (int a = 0; a < N_LAYERS; a++)
        for (int dtype = 0; dtype < N_DTYPES; dtype++)
            wrong += check_chain(&(Chain){1, {a}, dtype});
    assert_int_equal(wrong, 0);
}

static void every_pair_of_layers_does(void **state)
{
    (void)state;
    int wrong = 0;
    for (int a = 0; a < N_LAYERS; a++)
        for (int b = 0; b < N_LAYERS; b++)
            wrong += check_chain(&(Chain){2, {a, b}, DOUBLE});
    assert_int_equal(wrong, 0);
}

static int check_random_chains(int rounds, uint64_t random)
{
    int wrong = 0;
    for (int i = 0; i < rounds; i++) {
        Chain c = {.n = 3, .dtype = (int32_t)(i % N_DTYPES)};
        for (int k = 0; k < 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            c.layer[k] = (int32_t)((random >> 33) % N_LAYERS);
        }
        wrong += check_chain(&c);
    }
    return wrong;
}

static void random_triples_do(void **state)
{
    (void)state;
    assert_int_equal(check_random_chains(getenv("KILN_TEST_LONG") ? 5000 : 200, 20260711), 0);
}

/* --- threads, and again and again --------------------------------------------------------------- */

/* Half of the seeds is the same for all threads: they record the same functions at the same time. */
static void *run_chains(void *seed)
{
    intptr_t wrong = check_random_chains(12, (uint64_t)(uintptr_t)seed) + check_random_chains(12, 1);
    wrong += kn_live_count() != 0;
    return (void *)(wrong + kn_shutdown());
}

static void threads_do_not_meet(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_chains, (void *)(uintptr_t)(i + 7)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
}

/* Making the handles again, in new scopes, finds all that was recorded, planned and compiled. (Short arrays are computed at
 * once from the 64th time on: what they were fused with is planned anew then, so one stretch of rounds may make something.) */
static void call_in_all_modes(const Chain *c, bool *refuses)
{
    KN_SCOPE;
    for (int mode = 0; mode < N_MODES; mode++) {
        KN_SCOPE;
        if (!refuses[mode])
            refuses[mode] = !kn_ok(in_mode(mode, c, kn_of(double, 0.3, -1.2, 0.7)));
        kn_error_clear();
    }
}

static void calling_again_makes_nothing_new(void **state)
{
    (void)state;
    enum { ROUNDS = 27, WARM = 3, STRETCHES = 4 };
    for (int layer = 0; layer < N_LAYERS; layer++) {
        Chain c = {2, {layer, CALL}, DOUBLE};
        kn_cache_stats_result before = {0}, after = {0};
        int64_t live = 0;
        bool refuses[N_MODES] = {false}, steady = false; /* what fails is recorded each time */
        for (int i = 0; i < WARM; i++)
            call_in_all_modes(&c, refuses);
        for (int stretch = 0; stretch < STRETCHES && !steady; stretch++) {
            KN_SCOPE;
            before = kn_cache_stats(), live = kn_live_count();
            int traces = kn_fn_trace_count(kn_jit(KN_FN_ENV(apply, &c)));
            for (int i = 0; i < ROUNDS; i++)
                call_in_all_modes(&c, refuses);
            after = kn_cache_stats();
            steady = after.traces.misses == before.traces.misses && after.kernels.misses == before.kernels.misses &&
                     after.plans.misses == before.plans.misses && kn_live_count() <= live + 2 &&
                     kn_fn_trace_count(kn_jit(KN_FN_ENV(apply, &c))) == traces;
        }
        if (!steady)
            fail_msg("%s: traces %d to %d, plans %d to %d, kernels %d to %d, handles %d to %d", layer_name[layer],
                     (int)before.traces.misses, (int)after.traces.misses, (int)before.plans.misses,
                     (int)after.plans.misses, (int)before.kernels.misses, (int)after.kernels.misses, (int)live,
                     (int)kn_live_count());
    }
}

KN_TEST_GROUP(test_compositions)
{
    const struct CMUnitTest tests[] = {
        TEST(the_innermost_function_is_what_it_says),
        TEST(every_layer_leaves_the_function_as_it_is),
        TEST(every_pair_of_layers_does),
        TEST(random_triples_do),
        TEST(threads_do_not_meet),
        TEST(calling_again_makes_nothing_new),
    };
    atomic_int prints = 0;
    kn_set_print(swallow, &prints);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d agree, %d are refused, %d looks, %d prints\n", agreed, refused, looked, prints);
    kn_set_print(NULL, NULL);
    return failed ? failed : kn_shutdown();
}
