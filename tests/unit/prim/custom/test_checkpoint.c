/* SPDX-License-Identifier: Apache-2.0
 * test_checkpoint.c -- checkpoint: the same derivatives as without, from less memory; what policies keep; texts. */
#include "support/expect.h"
#include "support/golden_text.h"
#include "support/group.h"

#include "compile/step.h"
#include "device/device.h"
#include "ir/jaxpr.h"

/* ---- Values and derivatives. */

static kn_array h(const kn_array *x, const kn_array *y) { return kn_mul(kn_sin(kn_sin(*x)), *y); }
KN_FUNCTION(h, kn_array, kn_array, kn_array)
static kn_array sine(const kn_array *x) { return kn_sin(*x); }
KN_FUNCTION(sine, kn_array, kn_array)
static kn_array named(const kn_array *x) { return kn_mul(kn_checkpoint_name(kn_sin(*x), "s"), *x); }
KN_FUNCTION(named, kn_array, kn_array)
static kn_array square(const kn_array *x) { return kn_matmul(*x, *x); }
KN_FUNCTION(square, kn_array, kn_array)

static void derivatives_are_those_of_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.5), y = kn_scalar(3.0), one = kn_scalar(1.0), v, d;
    double first = 3 * cos(sin(0.5)) * cos(0.5);
    double second = 3 * (-sin(sin(0.5)) * cos(0.5) * cos(0.5) - cos(sin(0.5)) * sin(0.5));
    kn_fn f = kn_checkpoint(KN_FN(h));
    kn_call(f, &v, &x, &y);
    expect_near(v, 1e-14, 3 * sin(sin(0.5)));
    kn_call(kn_grad(f), &d, &x, &y);
    expect_near(d, 1e-14, first);
    kn_call(kn_jit(kn_grad(f)), &d, &x, &y);
    expect_near(d, 1e-14, first);
    kn_call(kn_grad(kn_grad(f)), &d, &x, &y);
    expect_near(d, 1e-14, second);
    kn_call(kn_jit(kn_jacfwd(kn_jacrev(f))), &d, &x, &y);
    expect_near(d, 1e-14, second);
    kn_jvp(f, KN_ARGS(&x, &y), KN_ARGS(&one, &one), &v, &d);
    expect_near(d, 1e-14, first + sin(sin(0.5)));
}

static void over_a_batch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1), y = kn_scalar(3.0), d;
    kn_call(kn_vmap(kn_grad(kn_checkpoint(KN_FN(h))), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &d, &x, &y);
    expect_near(d, 1e-14, 3 * cos(sin(0.5)) * cos(0.5), 3 * cos(sin(1)) * cos(1));
}

static kn_array inner(const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_checkpoint(KN_FN(sine)), &out, x);
    return kn_sin(out);
}
KN_FUNCTION(inner, kn_array, kn_array)
static kn_array outer(const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_checkpoint(KN_FN(inner)), &out, x);
    return kn_sin(out);
}
KN_FUNCTION(outer, kn_array, kn_array)

static void checkpoints_inside_each_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.5), d;
    double a = sin(0.5), b = sin(a);
    kn_call(kn_grad(kn_checkpoint(KN_FN(outer))), &d, &x);
    expect_near(d, 1e-14, cos(b) * cos(a) * cos(0.5));
    kn_call(kn_jit(kn_grad(kn_jit(kn_checkpoint(KN_FN(outer))))), &d, &x);
    expect_near(d, 1e-14, cos(b) * cos(a) * cos(0.5));
}

static kn_array scaled(const kn_array *w, const kn_array *x) { return kn_sum(kn_sin(kn_mul(*w, *x))); }
KN_CLOSURE(scaled, kn_array, kn_array, kn_array)
static kn_array by_w(const kn_array *w, const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_checkpoint(KN_CLOSE(scaled, w)), &out, x);
    return out;
}
KN_FUNCTION(by_w, kn_array, kn_array, kn_array)

static void gradients_flow_through_captured_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 2, 3), x = kn_of(double, 5, 7), d;
    kn_call(kn_grad(KN_FN(by_w)), &d, &w, &x);
    expect_near(d, 1e-13, 5 * cos(10), 7 * cos(21));
}

static kn_array by_a_constant(const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), kn_of(double, 2, 3))); }
KN_FUNCTION(by_a_constant, kn_array, kn_array)

static void arrays_from_outside_are_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 5, 7), d;
    kn_call(kn_jit(kn_grad(kn_checkpoint(KN_FN(by_a_constant)))), &d, &x);
    expect_near(d, 1e-13, 2 * cos(5), 3 * cos(7));
}

static kn_array positive_part(const kn_array *x) { return kn_item(*x) > 0 ? kn_mul(*x, *x) : kn_mul(*x, 0); }
KN_FUNCTION(positive_part, kn_array, kn_array)

static void values_can_be_looked_at_under_grad_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), d;
    kn_call(kn_grad(kn_checkpoint(KN_FN(positive_part))), &d, &x);
    expect_values(d, 6);
    kn_call(kn_jit(kn_checkpoint(KN_FN(positive_part))), &d, &x);
    expect_error_with("ConcretizationError", "is not known while positive_part is traced by jit");
}

/* ---- Texts. */

typedef struct {
    kn_array y, dy;
} Dual;
static kn_array sine_twice(const kn_array *x) { return kn_sin(kn_sin(*x)); }
KN_FUNCTION(sine_twice, kn_array, kn_array)
static Dual forward(const kn_array *x, const kn_array *dx)
{
    Dual out = {0};
    kn_jvp(kn_checkpoint(KN_FN(sine_twice)), KN_ARGS(x), KN_ARGS(dx), &out.y, &out.dy);
    return out;
}
KN_FUNCTION(forward, Dual, kn_array, kn_array)

static void texts_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = kn_of(float, 1, 2, 3), m = kn_reshape(kn_of(float, 1, 2, 3, 4), KN_SHAPE(2, 2));
    golden_same_text("checkpoint", kn_checkpoint(KN_FN(h)), KN_ARGS(&x, &x));
    golden_same_text("checkpoint_vmap", kn_vmap(kn_checkpoint(KN_FN(h))), KN_ARGS(&v, &v));
    golden_same_text("checkpoint_value_and_grad", kn_value_and_grad(kn_checkpoint(KN_FN(h))), KN_ARGS(&x, &x));
    golden_same_text("checkpoint_no_cse", kn_checkpoint(KN_FN(sine), .prevent_cse = false), KN_ARGS(&x));
    golden_same_text("checkpoint_products", kn_checkpoint(KN_FN(square), .policy = KN_PRODUCTS_SAVEABLE), KN_ARGS(&m));
    golden_same_text("checkpoint_products_without_batch",
                     kn_checkpoint(KN_FN(square), .policy = KN_PRODUCTS_WITHOUT_BATCH_SAVEABLE), KN_ARGS(&m));
    golden_same_text("checkpoint_names", kn_checkpoint(KN_FN(named), .policy = KN_SAVE_ONLY_THESE_NAMES("s")),
                     KN_ARGS(&x));
    golden_same_text("checkpoint_other_names", kn_checkpoint(KN_FN(named), .policy = KN_SAVE_ANY_NAMES_BUT_THESE("t")),
                     KN_ARGS(&x));
    golden_same_text("checkpoint_jvp", KN_FN(forward), KN_ARGS(&x, &x));
}

static void names_of_a_policy_are_sorted_and_different(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f);
    kn_fn f = kn_checkpoint(KN_FN(sine), .policy = KN_SAVE_ONLY_THESE_NAMES("b", "a", "b"));
    const char *text = kn_jaxpr_text(kn_make_jaxpr(f, KN_ARGS(&x)), KN_JAXPR_TYPED);
    assert_non_null(strstr(text, "saveable_names=frozenset({'a', 'b'})"));
}

/* ---- What is planned. */

/* A chain of blocks, each several layers deep; the layers' products are named. */
enum { BLOCKS = 8, LAYERS = 6, WIDTH = 64 };
typedef struct {
    kn_policy policy;
    bool checkpoints, shared; /* shared: .prevent_cse = false */
} Chain;

static kn_array block(const kn_array *x, const kn_array *w)
{
    kn_array y = *x;
    for (int i = 0; i < LAYERS; i++) {
        y = kn_checkpoint_name(kn_matmul(y, *w), i % 2 ? "odd" : "even");
        y = kn_exp(kn_mul(kn_sin(kn_mul(y, 1.5)), 0.5));
    }
    return y;
}
KN_FUNCTION(block, kn_array, kn_array, kn_array)
static kn_array chain(const Chain *c, const kn_array *x, const kn_array *w)
{
    kn_array y = *x;
    kn_fn f = KN_FN(block);
    if (c->checkpoints)
        f = kn_checkpoint(f, .policy = c->policy, .prevent_cse = !c->shared);
    for (int i = 0; i < BLOCKS; i++)
        kn_call(f, &y, &y, w);
    return kn_sum(y);
}
KN_FUNCTION_ENV(chain, kn_array, Chain, kn_array, kn_array)

static kn_fn chain_gradient(const Chain *c)
{
    Chain bytes;
    memset(&bytes, 0, sizeof bytes);
    bytes = *c;
    return kn_grad(KN_FN_ENV(chain, &bytes));
}

/* In arrays of the chain's size. */
static double peak_of(const Chain *c)
{
    kn_array x = kn_zeros(KN_SHAPE(WIDTH, WIDTH));
    kni_jaxpr *j = NULL;
    knd_loaded *p = NULL;
    const char *text = kn_jaxpr_text(kn_make_jaxpr(chain_gradient(c), KN_ARGS(&x, &x)), KN_JAXPR_FULL);
    assert_null(kni_parse(text, &j));
    assert_null(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p));
    size_t scratch = knd_workspace_bytes(p, 1) - p->program->workspace; /* of kernels */
    double peak = (double)(knd_peak_bytes(p, 1) - scratch) / (WIDTH * WIDTH * 8);
    knd_release(p);
    kni_release(j);
    return peak;
}

static void a_checkpoint_lowers_the_planned_peak(void **state)
{
    (void)state;
    KN_SCOPE;
    double all = peak_of(&(Chain){.checkpoints = false});
    double everything = peak_of(&(Chain){.checkpoints = true, .policy = KN_EVERYTHING_SAVEABLE});
    double products = peak_of(&(Chain){.checkpoints = true, .policy = KN_PRODUCTS_SAVEABLE});
    double odd = peak_of(&(Chain){.checkpoints = true, .policy = KN_SAVE_ONLY_THESE_NAMES("odd")});
    double nothing = peak_of(&(Chain){.checkpoints = true, .policy = KN_NOTHING_SAVEABLE});
    print_message("peak in arrays: all %.1f, everything %.1f, products %.1f, odd names %.1f, nothing %.1f\n", all,
                  everything, products, odd, nothing);
    assert_true(all >= 2.0 * BLOCKS * LAYERS * 0.9); /* a product and a sine of each layer, about */
    assert_true(products <= 1.1 * BLOCKS * (LAYERS + 1) + 3 * LAYERS);
    assert_true(odd <= 1.1 * BLOCKS * (LAYERS / 2 + 1) + 3 * LAYERS);
    assert_true(nothing <= 1.1 * BLOCKS + 3 * LAYERS);
    assert_true(nothing < odd && odd < products && products < everything);
}

static void without_the_barrier_nothing_is_computed_again(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(peak_of(&(Chain){.checkpoints = true, .shared = true}) >= 2.0 * BLOCKS * LAYERS * 0.9);
}

static void policies_change_no_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_full(KN_SHAPE(WIDTH, WIDTH), 0.01), w = kn_full(KN_SHAPE(WIDTH, WIDTH), 0.02), want, d;
    const kn_policy policy[] = {KN_NOTHING_SAVEABLE,
                                KN_EVERYTHING_SAVEABLE,
                                KN_PRODUCTS_SAVEABLE,
                                KN_PRODUCTS_WITHOUT_BATCH_SAVEABLE,
                                KN_SAVE_ONLY_THESE_NAMES("odd"),
                                KN_SAVE_ANY_NAMES_BUT_THESE("odd")};
    kn_call(kn_jit(chain_gradient(&(Chain){.checkpoints = false})), &want, &x, &w);
    for (size_t i = 0; i < sizeof policy / sizeof *policy; i++) {
        kn_call(kn_jit(chain_gradient(&(Chain){.checkpoints = true, .policy = policy[i]})), &d, &x, &w);
        assert_true(kn_allclose(d, want, .rtol = 1e-12));
    }
}

/* How often the text has the word. */
static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *s = strstr(text, word); s; s = strstr(s + 1, word))
        n++;
    return n;
}

static const char *gradient_text(kn_policy policy)
{
    kn_array x = kn_scalar(1.0);
    kn_fn f = kn_checkpoint(KN_FN(named), .policy = policy);
    return kn_jaxpr_text(kn_make_jaxpr(kn_value_and_grad(f), KN_ARGS(&x)), KN_JAXPR_TYPED);
}

static void what_is_saved_is_not_computed_again(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(count(gradient_text(KN_NOTHING_SAVEABLE), "= sin "), 2);
    assert_int_equal(count(gradient_text(KN_SAVE_ONLY_THESE_NAMES("s")), "= sin "), 1);
    assert_int_equal(count(gradient_text(KN_SAVE_ONLY_THESE_NAMES("t")), "= sin "), 2);
    assert_int_equal(count(gradient_text(KN_SAVE_ANY_NAMES_BUT_THESE("s")), "= sin "), 2);
    assert_int_equal(count(gradient_text(KN_EVERYTHING_SAVEABLE), "= sin "), 1);
}

/* ---- Calls are recorded once. */

static int recorded;
static kn_array counted(const kn_array *x)
{
    recorded++;
    return kn_sin(*x);
}
KN_FUNCTION(counted, kn_array, kn_array)

static void many_calls_record_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array d;
    for (int i = 0; i < 2000; i++) {
        KN_SCOPE;
        kn_array x = kn_scalar(0.001 * i);
        kn_call(kn_jit(kn_grad(kn_checkpoint(KN_FN(counted)))), &d, &x);
    }
    assert_int_equal(recorded, 1);
}

/* ---- Errors. */

static void wrong_names_and_policies(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0);
    assert_false(kn_ok(kn_checkpoint_name(x, "")));
    expect_error("ValueError", "checkpoint_name: a name is empty");
    assert_false(kn_ok(kn_checkpoint_name(x, NULL)));
    expect_error("TypeError", "checkpoint_name: null name");
    assert_null(kn_checkpoint(KN_FN(h), .policy = KN_SAVE_ONLY_THESE_NAMES("a\nb")));
    expect_error("ValueError", "checkpoint: a name has more than one line");
    assert_null(kn_checkpoint(KN_FN(h), .policy = {.kind = 77}));
    expect_error("ValueError", "checkpoint: policy 77 is none of KN_POLICY_NOTHING, ...");
    assert_null(kn_checkpoint(NULL));
    expect_error_with("TypeError", "null");
}

static void a_name_changes_nothing_else(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, -0.0), d;
    expect_values(kn_checkpoint_name(x, "a"), 0.5, -0.0);
    expect_values(kn_checkpoint_name(3, "a"), 3);
    x = kn_scalar(0.5);
    kn_call(kn_grad(kn_jit(KN_FN(named))), &d, &x);
    expect_near(d, 1e-14, sin(0.5) + 0.5 * cos(0.5));
}

KN_TEST_GROUP(test_checkpoint)
{
    const struct CMUnitTest tests[] = {
        TEST(derivatives_are_those_of_the_function),
        TEST(over_a_batch),
        TEST(checkpoints_inside_each_other),
        TEST(gradients_flow_through_captured_arrays),
        TEST(arrays_from_outside_are_constants),
        TEST(values_can_be_looked_at_under_grad_alone),
        TEST(texts_are_those_of_jax),
        TEST(names_of_a_policy_are_sorted_and_different),
        TEST(a_checkpoint_lowers_the_planned_peak),
        TEST(without_the_barrier_nothing_is_computed_again),
        TEST(policies_change_no_values),
        TEST(what_is_saved_is_not_computed_again),
        TEST(many_calls_record_once),
        TEST(wrong_names_and_policies),
        TEST(a_name_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
